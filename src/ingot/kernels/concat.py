"""Tensors put together: one behind another, or by turns."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import TensorType
from ingot.kernels.blocks.elements import each_element
from ingot.kernels.template import Independent, Site, Template
from ingot.loops.build.nest import (
    by_storage_order,
    expecting,
    loop,
    parallel_tiles,
    power_of_two_below,
    vector,
    vector_blocks,
    vector_sizes,
)
from ingot.loops.nodes import Buffer, Expr, LoopKind, Stmt, compare, select

# Tensors that are put together element by element, and elements of each that make it worth while.
_INTERLEAVED_MAX, _INTERLEAVED_LANES_MIN = 4, 4


def concat_template(inputs: Sequence[TensorType], axis: int) -> Template:
    """Two tensors or more one behind another along `axis`."""
    extents = tuple(tensor.shape[axis] for tensor in inputs)
    shape = (*inputs[0].shape[:axis], sum(extents), *inputs[0].shape[axis + 1 :])

    def build(site: Site) -> Sequence[Stmt]:
        output = site.outputs[0]
        along = _interleaved_axis(output, extents, axis)
        if along is not None:
            return _interleaved(site, inputs, axis, along)
        if output.strides[axis] == 1:
            return _by_rows(site, inputs, axis)
        stmts: list[Stmt] = []
        start = 0
        for position, tensor in enumerate(inputs):

            def piece(
                where: tuple[Expr, ...], position: int = position, start: int = start
            ) -> Sequence[Stmt]:
                moved = (*where[:axis], where[axis] + start, *where[axis + 1 :])
                return site.write(0, moved, site.read(position, *where))

            stmts += each_element(
                f"p{position}_",
                tensor.shape,
                output.strides,
                site.machine.lanes(tensor.dtype),
                piece,
                site.machine.tuning.threads.copy_min_elements,
            )
            start += extents[position]
        return stmts

    return Template(
        "concat",
        tuple(inputs),
        (TensorType(inputs[0].dtype, shape),),
        build,
        {"axis": axis},
        inlines=frozenset(range(len(inputs))),
        independent=tuple(
            Independent((other,) * len(inputs), (other,)) for other in range(len(shape)) if other != axis
        ),
        joined=axis,
    )


def _by_rows(site: Site, inputs: Sequence[TensorType], axis: int) -> Sequence[Stmt]:
    """The pieces of one row after another, then those of the next: what two of them read is read while it is near."""
    output = site.outputs[0]

    def row(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        stmts: tuple[Stmt, ...] = ()
        start = 0
        for position, tensor in enumerate(inputs):

            def element(at: Expr, position: int = position, start: int = start) -> Sequence[Stmt]:
                before, behind = where[:axis], where[axis + 1 :]
                return site.write(
                    0, (*before, at + start, *behind), site.read(position, *before, at, *behind)
                )

            stmts += vector_blocks(
                f"p{position}", tensor.shape[axis], site.machine.lanes(tensor.dtype), element
            )
            start += tensor.shape[axis]
        return stmts

    rows = tuple(1 if part == axis else extent for part, extent in enumerate(output.shape))
    shared_from = site.machine.tuning.threads.copy_min_elements // output.shape[axis]
    return each_element("row", rows, output.strides, 1, row, shared_from)


def _interleaved_axis(output: Buffer, extents: Sequence[int], axis: int) -> int | None:
    """The dimension around `axis`, if the pieces are single elements that lie side by side: then the tensors are interleaved."""
    if max(extents) > 1 or len(extents) > _INTERLEAVED_MAX or output.strides[axis] != 1:
        return None
    around = [
        part for part in range(len(output.shape)) if part != axis and output.strides[part] == len(extents)
    ]
    long = [part for part in around if output.shape[part] >= _INTERLEAVED_LANES_MIN]
    return long[0] if long else None


def _interleaved(site: Site, inputs: Sequence[TensorType], axis: int, along: int) -> Sequence[Stmt]:
    """Vectors along the dimension around `axis`, for all pieces together, which a code generator may interleave."""
    output = site.outputs[0]
    rest = [part for part in by_storage_order(output.strides, output.shape) if part not in (axis, along)]
    lanes = min(site.machine.lanes(inputs[0].dtype), power_of_two_below(output.shape[along]))

    def some(where: tuple[Expr, ...], start: Expr, size: int) -> Sequence[Stmt]:
        fixed = dict(zip(rest, where, strict=True))

        def element(turn: Expr, lane: Expr) -> Sequence[Stmt]:
            place = fixed | {along: start + lane, axis: turn}
            moved = tuple(place[part] for part in range(len(output.shape)))
            value = None
            for position in reversed(range(len(inputs))):
                piece = site.read(
                    position, *(0 if part == axis else place[part] for part in range(len(output.shape)))
                )
                value = piece if value is None else select(compare("eq", turn, position), piece, value)
            assert value is not None
            return site.write(0, moved, value)

        def turn(number: Expr) -> Sequence[Stmt]:
            return vector("lane", size, lambda lane: element(number, lane))

        return expecting("interleave", loop("turn", len(inputs), turn, LoopKind.UNROLLED))

    return parallel_tiles(
        "block", [output.shape[part] for part in rest], output.shape[along], vector_sizes(lanes), some
    )
