"""Running sums and products along an axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ingot.base.tensor import TensorType
from ingot.kernels.template import Folded, Site, Template, each_but, read_strides
from ingot.loops.build.nest import (
    accumulator_type,
    by_storage_order,
    contiguous_axis,
    loop,
    parallel_tiles,
    vector_sizes,
    vectors_of,
)
from ingot.loops.nodes import Alloc, Const, Expr, Stmt, buffer, cast, index, load, store


@dataclass(frozen=True, slots=True)
class _Fold:
    """What a running fold begins with, and how an element joins it."""

    initial: int
    combine: Callable[[Expr, Expr], Expr]


_FOLDS: Mapping[str, _Fold] = {
    "cumsum": _Fold(0, lambda a, b: a + b),
    "cumprod": _Fold(1, lambda a, b: a * b),
}


def running_template(
    name: str, x: TensorType, axis: int, exclusive: bool = False, reverse: bool = False
) -> Template:
    """Running sums (`cumsum`) or products (`cumprod`) along an axis from 0 on, in the type of `x`."""
    fold, total_type, extent = _FOLDS[name], accumulator_type(x.dtype), x.shape[axis]

    def build(site: Site) -> Sequence[Stmt]:
        strides = read_strides(site, 0, x.shape)
        inner = contiguous_axis(strides, x.shape)
        lanes = site.machine.lanes(total_type)
        if inner is None or inner == axis:
            lanes, inner = (
                1,
                next((at for at in reversed(by_storage_order(strides, x.shape)) if at != axis), axis),
            )
        outer = [at for at in by_storage_order(strides, x.shape) if at not in (axis, inner)]

        def lines(where: tuple[Expr, ...], start: Expr, size: int) -> Sequence[Stmt]:
            """`size` sums side by side."""
            total = buffer("total", total_type, (size,))
            fixed = dict(zip(outer, where, strict=True))

            def step(count: Expr) -> Sequence[Stmt]:
                along = index(extent - 1) - count if reverse else count

                def step_of_lane(lane: Expr) -> Sequence[Stmt]:
                    point = fixed | {inner: start + lane, axis: along}
                    place = [point[at] for at in range(len(x.shape))]
                    so_far = load(total, lane)
                    update = store(
                        total, (lane,), fold.combine(so_far, cast(site.read(0, *place), total_type))
                    )
                    written = site.write(0, place, cast(so_far, x.dtype))
                    return (*written, update) if exclusive else (update, *written)

                return vectors_of(size, lanes, step_of_lane)

            begin = vectors_of(
                size, lanes, lambda lane: (store(total, (lane,), Const(fold.initial, total_type)),)
            )
            return (Alloc(total), *begin, *loop("step", extent, step))

        sizes = (4 * lanes, *vector_sizes(lanes)) if lanes > 1 else (1,)
        return parallel_tiles(
            "line", [x.shape[at] for at in outer], x.shape[inner] if inner != axis else 1, sizes, lines
        )

    spec = {"axis": axis, "exclusive": exclusive, "reverse": reverse}
    return Template(
        name,
        (x,),
        (x,),
        build,
        spec,
        inlines=frozenset({0}),
        independent=each_but(x.rank, axis),
        # Backwards it begins behind the last place.
        folded=(Folded((axis,), (axis,), fold.initial),) if reverse else (),
        ordered=() if reverse else (axis,),
    )
