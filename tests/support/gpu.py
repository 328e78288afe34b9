"""The GPU of this machine, if it has one: tests that run on paper run there too."""

from __future__ import annotations

import pytest

import ingot
import ingot.runtime.devices.cuda as runtime


def _why_not() -> str:
    if runtime.driver is None:
        return "needs cuda-bindings (extra 'cuda')"
    try:
        return "" if runtime.device_count(runtime.driver) else "needs an NVIDIA GPU"
    except ingot.DeviceError:
        return "needs an NVIDIA driver and GPU"


WHY_NO_GPU = _why_not()
REAL = pytest.param(
    "real", marks=[pytest.mark.gpu, pytest.mark.skipif(bool(WHY_NO_GPU), reason=WHY_NO_GPU or "never")]
)
