"""What Resize and Upsample are asked to do, and what becomes of their results, whenever their arguments are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.quantized import saturated
from ingot.loops.nodes import Expr, call, cast
from ingot.ops.opdef import Emitter, Tensor

Read = Callable[..., Expr]
# Up to this many elements are summed in one expression; more are summed by a loop.
UNROLLED_TAPS_MAX = 8


@dataclass(frozen=True, slots=True)
class Rule:
    """What the attributes say."""

    mode: str
    coordinates: str
    nearest: str = "round_prefer_floor"
    cubic_a: float = -0.75
    antialias: bool = False
    exclude_outside: bool = False
    extrapolation: float = 0.0


def converted(emit: Emitter, x: Tensor, dtype: DType) -> Tensor:
    """Back to the type of the input; to an integer by rounding half to even, within its range."""
    if x.dtype is dtype:
        return x

    def at(where: tuple[Expr, ...], read: Read) -> Expr:
        value = read(*where)
        if not dtype.is_integer:
            return cast(value, dtype)
        return saturated(value, dtype) if dtype.bits <= 16 else cast(call("rint", value), dtype)

    return emit.pointwise([x], TensorType(dtype, x.shape), at, "resize")
