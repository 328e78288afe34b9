"""HannWindow, HammingWindow and BlackmanWindow: tables of cosines, whose size is known while building."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ingot.base.tensor import DType
from ingot.ops.arguments import is_open, only
from ingot.ops.casts import dtype_attribute
from ingot.ops.opdef import Emitter, Implied, Lower, OpCall, OpDef, Tensor

# Elements of a table that is made while building.
_MAX_SIZE = 1 << 24


def _window(*factors: float) -> Lower:
    """A window whose element at `t` of a turn is the sum of `factors[k] * cos(k * t)`."""

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        size = int(call_.scalar(0, "size"))
        dtype = dtype_attribute(call_, "output_datatype", DType.FLOAT32)
        if not 0 <= size <= _MAX_SIZE or not dtype.is_float or dtype is DType.BFLOAT16:
            call_.unsupported(f"a table of {size} elements of {dtype.value} is not made while building")
        steps = size if call_.attr("periodic", 1) else size - 1
        turn = np.arange(size) * (2 * np.pi / max(steps, 1))
        table = sum(factor * np.cos(number * turn) for number, factor in enumerate(factors))
        return (emit.constant(np.asarray(table, dtype.numpy).reshape(size)),)

    return lower


def _implied(call_: OpCall) -> Implied | None:
    return only(call_, 0, "size", call_.output().shape) if is_open(call_, 0) and call_.wants(0) else None


# The factors are those of ONNX's text; those of Hamming's are fractions of 46.
OPERATORS: tuple[OpDef, ...] = tuple(
    OpDef("", name, 17, _window(*factors), constant_inputs=(0,), implied=_implied)
    for name, factors in (
        ("HannWindow", (0.5, -0.5)),
        ("HammingWindow", (25 / 46, -21 / 46)),
        ("BlackmanWindow", (0.42, -0.5, 0.08)),
    )
)
