"""Running sums and products along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.kernels.reduce.cumulative import running_template
from ingot.loops.nodes import Binary, Expr, compare, select
from ingot.ops.moves.shapes import axis_of
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor


def emit_running(
    emit: Emitter, x: Tensor, axis: int, name: str, exclusive: bool = False, reverse: bool = False
) -> Tensor:
    """Emits the running sums (`cumsum`) or products (`cumprod`) along an axis from 0 on, in the type of `x`."""
    return emit.template(running_template(name, x.type, axis, exclusive, reverse), [x])[0]


def _running(name: str) -> Callable[[OpCall, Emitter], Sequence[Tensor]]:
    """CumSum 11, 14 and CumProd 26, with `exclusive` and `reverse`. Of an axis that is known only while running, all are done."""

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        x = call_.input(0)
        if x.type.size == 0:
            return (x,)
        if not x.rank:
            call_.unsupported("a single number has no dimension to go along")
        exclusive, reverse = bool(call_.attr("exclusive", 0)), bool(call_.attr("reverse", 0))
        call_.require_one(1, "axis")
        given = call_.input(1)
        known = given.constant
        axes = range(x.rank) if known is None else [axis_of(call_, int(known.item()), x.rank)]
        results = [emit_running(emit, x, axis, name, exclusive, reverse) for axis in axes]
        return (chosen(emit, given, results),)

    return lower


def chosen(emit: Emitter, axis: Tensor, results: Sequence[Tensor | None]) -> Tensor:
    """Emits the one of several results, one for each dimension of a tensor, that belongs to an axis known while running. An axis
    may be negative. Results may be left out; an axis that has none gives the last that is there.
    """
    there = [(number, result) for number, result in enumerate(results) if result is not None]
    last = there[-1][1]
    if len(there) == 1:
        return last

    def at(where: tuple[Expr, ...], read_axis: Callable[..., Expr], *reads: Callable[..., Expr]) -> Expr:
        wanted = read_axis(*(0,) * axis.rank)
        value = reads[-1](*where)
        for (number, _), read in zip(there[:-1], reads, strict=False):
            is_this = Binary(
                "or", compare("eq", wanted, number), compare("eq", wanted, number - len(results))
            )
            value = select(is_this, read(*where), value)
        return value

    return emit.pointwise([axis, *(result for _, result in there)], last.type, at, "axis")


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "CumSum", 11, _running("cumsum")),
    OpDef("", "CumProd", 26, _running("cumprod")),
)
