"""`DeviceKind`: a kind of device that loaded code runs on."""

from __future__ import annotations

from collections.abc import Callable

from ingot.base.records import Frozen


class DeviceKind(metaclass=Frozen):
    """A kind of device, such as "opencl": what `Device.kind` says, and a loader's `device_kind`.

    `names` has what each device of this machine calls itself, in the order of their indices. It raises DeviceError where a
    driver is missing, and is asked only when somebody needs to know.
    """

    id: str
    summary: str
    names: Callable[[], tuple[str, ...]]
