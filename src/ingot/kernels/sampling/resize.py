"""Resizing along an axis by many elements each: sums by a loop over tables of places and weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import TensorType
from ingot.kernels.template import Site, Template, each_but
from ingot.loops.build.nest import collapse, loop
from ingot.loops.nodes import Alloc, Const, Expr, Load, LoopKind, Stmt, buffer, cast, index, select, store

Read = Callable[..., Expr]


def weighted_tap(
    output: TensorType, axis: int, where: Sequence[Expr], number: Expr, reads: Sequence[Read]
) -> Expr:
    """An element of the input times its weight: tap `number` of the output at `where`. `reads` are those of the input, of places
    and of weights, which are `[taps, extent]`.
    """
    read, read_place, read_weight = reads
    along = where[axis]
    element = read(*where[:axis], read_place(number, along), *where[axis + 1 :])
    return cast(element, output.dtype) * read_weight(number, along)


def resize_template(
    types: Sequence[TensorType], output: TensorType, axis: int, taps: int, extrapolation: float
) -> Template:
    """Sums of `taps` elements along an axis. `types` are those of the input, of places and of weights `[taps, extent]`.

    If there are outputs that the input does not reach, a fourth type is that of flags `[extent]` which say so: those outputs
    become `extrapolation`.
    """
    total = buffer("total", output.dtype, (1,))
    value = Const(extrapolation, output.dtype)

    def build(site: Site) -> Sequence[Stmt]:
        def reader(position: int) -> Read:
            return lambda *where: site.read(position, *where)

        def element(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            so_far = Load(total, (index(0),))

            def step(number: Expr) -> Sequence[Stmt]:
                element = weighted_tap(output, axis, where, number, [reader(0), reader(1), reader(2)])
                return (store(total, (0,), so_far + element),)

            result: Expr = select(site.read(3, where[axis]), value, so_far) if len(types) > 3 else so_far
            start = store(total, (0,), Const(0.0, output.dtype))
            return (Alloc(total), start, *loop("tap", taps, step), *site.write(0, where, result))

        return collapse("element", output.shape, element, LoopKind.PARALLEL)

    spec = {"axis": axis, "taps": taps, "extrapolation": extrapolation}
    independent = each_but(output.rank, axis, others=len(types) - 1)
    return Template("resize", tuple(types), (output,), build, spec, independent=independent)
