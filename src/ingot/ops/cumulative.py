"""Running sums and products along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.loops.define import Site, Template
from ingot.loops.nest import (
    accumulator_type,
    by_storage_order,
    contiguous_axis,
    loop,
    parallel_tiles,
    read_strides,
    vector_sizes,
    vectors_of,
)
from ingot.loops.nodes import Alloc, Const, Expr, Stmt, buffer, cast, index, load, store
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.shapes import axis_of


def _running(name: str, initial: int, combine: Callable[[Expr, Expr], Expr]) -> Callable[[OpCall, Emitter], Sequence[Tensor]]:
    """CumSum 11, 14 and CumProd 26, with `exclusive` and `reverse`. The axis must be a constant."""

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        x = call_.input(0)
        if x.type.size == 0:
            return (x,)
        axis = axis_of(call_, int(call_.one(1, "axis")), x.rank)
        exclusive, reverse = bool(call_.attr("exclusive", 0)), bool(call_.attr("reverse", 0))
        extent, total_type = x.shape[axis], accumulator_type(x.dtype)

        def build(site: Site) -> Sequence[Stmt]:
            strides = read_strides(site, 0, x.shape)
            inner = contiguous_axis(strides, x.shape)
            lanes = site.machine.lanes(total_type)
            if inner is None or inner == axis:
                lanes, inner = 1, next((at for at in reversed(by_storage_order(strides, x.shape)) if at != axis), axis)
            outer = [at for at in by_storage_order(strides, x.shape) if at not in (axis, inner)]

            def lines(where: tuple[Expr, ...], start: Expr, size: int) -> Sequence[Stmt]:
                """`size` sums side by side."""
                total = buffer("total", total_type, (size,))
                fixed = dict(zip(outer, where, strict=True))

                def step(count: Expr) -> Sequence[Stmt]:
                    along = index(extent - 1) - count if reverse else count

                    def one(lane: Expr) -> Sequence[Stmt]:
                        point = fixed | {inner: start + lane, axis: along}
                        place = [point[at] for at in range(x.rank)]
                        so_far = load(total, lane)
                        update = store(total, (lane,), combine(so_far, cast(site.read(0, *place), total_type)))
                        written = site.write(0, place, cast(so_far, x.dtype))
                        return (*written, update) if exclusive else (update, *written)

                    return vectors_of(size, lanes, one)

                begin = vectors_of(size, lanes, lambda lane: (store(total, (lane,), Const(initial, total_type)),))
                return (Alloc(total), *begin, *loop("step", extent, step))

            sizes = (4 * lanes, *vector_sizes(lanes)) if lanes > 1 else (1,)
            return parallel_tiles("line", [x.shape[at] for at in outer], x.shape[inner] if inner != axis else 1, sizes, lines)

        spec = {"axis": axis, "exclusive": exclusive, "reverse": reverse}
        return emit.template(Template(name, (x.type,), (x.type,), build, spec, inlines=frozenset({0})), [x])

    return lower


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "CumSum", 11, _running("cumsum", 0, lambda a, b: a + b), constant_inputs=(1,)),
    OpDef("", "CumProd", 26, _running("cumprod", 1, lambda a, b: a * b), constant_inputs=(1,)),
)
