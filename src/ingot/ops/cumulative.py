"""Running sums and products along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.loops.define import Site, Template
from ingot.loops.nest import accumulator_type, collapse, loop
from ingot.loops.nodes import Alloc, Const, Expr, Load, LoopKind, Stmt, buffer, cast, index, store
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.shapes import axis_of


def _running(name: str, initial: int, combine: Callable[[Expr, Expr], Expr]) -> Callable[[OpCall, Emitter], Sequence[Tensor]]:
    """CumSum 11, 14 and CumProd 26, with `exclusive` and `reverse`. The axis must be a constant."""

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        x = call_.input(0)
        if x.type.size == 0:
            return (x,)
        axis = axis_of(call_, int(call_.constant(1, "axis").reshape(-1)[0]), x.rank)
        exclusive, reverse = bool(call_.attr("exclusive", 0)), bool(call_.attr("reverse", 0))
        extent = x.shape[axis]
        others = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
        total = buffer("total", accumulator_type(x.dtype), (1,))

        def build(site: Site) -> Sequence[Stmt]:
            def line(where: tuple[Expr, ...]) -> Sequence[Stmt]:
                def step(count: Expr) -> Sequence[Stmt]:
                    along = index(extent - 1) - count if reverse else count
                    place = (*where[:axis], along, *where[axis + 1 :])
                    so_far = Load(total, (index(0),))
                    update = store(total, (0,), combine(so_far, cast(site.read(0, *place), total.dtype)))
                    written = site.write(0, place, cast(so_far, x.dtype))
                    return (*written, update) if exclusive else (update, *written)

                start = store(total, (0,), Const(initial, total.dtype))
                return (Alloc(total), start, *loop("step", extent, step))

            return collapse("line", others, line, LoopKind.PARALLEL)

        spec = {"axis": axis, "exclusive": exclusive, "reverse": reverse}
        return emit.template(Template(name, (x.type,), (x.type,), build, spec, inlines=frozenset({0})), [x])

    return lower


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "CumSum", 11, _running("cumsum", 0, lambda a, b: a + b), constant_inputs=(1,)),
    OpDef("", "CumProd", 26, _running("cumprod", 1, lambda a, b: a * b), constant_inputs=(1,)),
)
