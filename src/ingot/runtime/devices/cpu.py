"""The processor as a kind of device: there is one."""

from __future__ import annotations

from ingot.artifact.device_kind import DeviceKind
from ingot.base.environment import processor_name


def _names() -> tuple[str, ...]:
    return (processor_name(),)


KIND = DeviceKind("cpu", "the processor that this process runs on", _names)
