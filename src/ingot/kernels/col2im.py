"""Images put together from columns: Col2Im.

Every pixel sums the columns that it is in. Along the last dimension the pixels that lie a stride apart are one phase, as in
a transposed convolution: neighbours of a phase read neighbouring blocks, so that they make vectors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from ingot.base.tensor import TensorType
from ingot.kernels.conv.transposed import Phase, phases
from ingot.kernels.template import Site, Template, each_but
from ingot.loops.build.nest import accumulator_type, collapse, flat_index, loop, pieces, vector
from ingot.loops.nodes import (
    Alloc,
    Expr,
    For,
    If,
    Let,
    LoopKind,
    Stmt,
    Var,
    both,
    buffer,
    cast,
    compare,
    index,
    load,
    maximum,
    minimum,
    select,
    store,
)

# Adds what one column has, from the place in its block and the block's place, of all dimensions but the last.
Add = Callable[[tuple[Expr, ...], tuple[Expr, ...]], tuple[Stmt, ...]]
_UNROLLED_TAPS = 8


def col2im(
    x: TensorType,
    image: tuple[int, ...],
    block: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    begins: tuple[int, ...],
    counts: tuple[int, ...],
) -> Template:
    """A Template that adds columns `x [N, C * block, blocks]` to the pixels `[N, C, *image]` that the blocks were taken from.

    `begins` are the pixels of padding in front, `counts` the blocks of each dimension.
    """
    inside = math.prod(block)
    output = TensorType(x.dtype, (x.shape[0], x.shape[1] // inside, *image))
    work = accumulator_type(x.dtype)
    parts = phases(image[-1], block[-1], strides[-1], dilations[-1], begins[-1])
    outer = len(image) - 1

    def build(site: Site) -> Sequence[Stmt]:
        lanes, vectors = site.machine.lanes(work), site.machine.tuning.pooling.vectors

        def row(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            stmts: tuple[Stmt, ...] = ()
            for number, phase in enumerate(parts):
                for name, first, count, size in _blocks(f"block{number}", phase.outputs, lanes, vectors):
                    covers = first, first + count * size
                    stmts += loop(
                        name,
                        count,
                        lambda at, first=first, size=size, phase=phase, covers=covers: summed(  # type: ignore[misc]
                            where, phase, at * size + first, size, covers
                        ),
                    )
            return stmts

        def summed(
            where: tuple[Expr, ...], phase: Phase, start: Expr, size: int, covers: tuple[int, int]
        ) -> Sequence[Stmt]:
            """`size` pixels of a phase from `start` on; all that the statements are for lie in `covers`."""
            total = buffer("total", work, (size,))
            vectors = pieces(size, lanes)

            def add(spots: tuple[Expr, ...], places: tuple[Expr, ...]) -> tuple[Stmt, ...]:
                stmts: tuple[Stmt, ...] = ()
                if phase.taps > _UNROLLED_TAPS:
                    return loop(
                        "tap", phase.taps, lambda tap: each_piece(spots, places, tap, (0, phase.taps - 1))
                    )
                for tap in range(phase.taps):
                    stmts += each_piece(spots, places, index(tap), (tap, tap))
                return stmts

            def each_piece(
                spots: Sequence[Expr], places: Sequence[Expr], tap: Expr, taps: tuple[int, int]
            ) -> tuple[Stmt, ...]:
                stmts: tuple[Stmt, ...] = ()
                moved = tap * phase.dilation - phase.pad
                spot = flat_index((*spots, index(phase.last) - tap * phase.step), block)
                for begin, width in vectors:
                    alone = covers[1] - covers[0] == size
                    low = covers[0] + (begin if alone else 0) + taps[0] * phase.dilation - phase.pad
                    high = covers[0] + begin + width if alone else covers[1]
                    high += taps[1] * phase.dilation - phase.pad
                    if high <= 0 or low >= counts[-1]:
                        continue

                    def accumulate(
                        lane: Expr, begin: int = begin, low: int = low, high: int = high
                    ) -> tuple[Stmt, ...]:
                        place = start + (lane + begin) + moved
                        value = site.read(
                            0, where[0], where[1] * inside + spot, flat_index((*places, place), counts)
                        )
                        exists = [compare("ge", place, 0)] if low < 0 else []
                        exists += [compare("lt", place, counts[-1])] if high > counts[-1] else []
                        term = select(both(*exists), cast(value, work), 0)
                        return (store(total, (lane + begin,), load(total, lane + begin) + term),)

                    stmts += vector("lane", width, accumulate)
                return stmts

            def clear(begin: int, width: int) -> tuple[Stmt, ...]:
                return vector("lane", width, lambda lane: (store(total, (lane + begin,), 0),))

            def finish(begin: int, width: int) -> tuple[Stmt, ...]:
                def accumulate(lane: Expr) -> Sequence[Stmt]:
                    pixel = (start + (lane + begin)) * strides[-1] + phase.first
                    return site.write(0, (*where, pixel), cast(load(total, lane + begin), x.dtype))

                return vector("lane", width, accumulate)

            return (
                Alloc(total),
                *(stmt for piece in vectors for stmt in clear(*piece)),
                *_rows_of_blocks(where[2:], block, strides, dilations, begins, counts, add),
                *(stmt for piece in vectors for stmt in finish(*piece)),
            )

        return collapse("row", output.shape[: 2 + outer], row)

    spec = {"block": block, "strides": strides, "dilations": dilations, "begins": begins}
    return Template("col2im", (x,), (output,), build, spec, independent=each_but(1))


def _blocks(name: str, outputs: int, lanes: int, vectors: int) -> Iterator[tuple[str, int, int, int]]:
    """Loops that cover a row: name, first element, count and size. Those at the ends are apart, where columns may be missing."""
    size = vectors * lanes if lanes > 1 else 1
    full = outputs // size
    for number in sorted({0, full - 1} if full else ()):
        yield name, number * size, 1, size
    if full > 2:
        yield name, size, full - 2, size
    if outputs % size:
        yield name, full * size, 1, outputs % size


def _rows_of_blocks(
    pixel: Sequence[Expr],
    block: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    begins: Sequence[int],
    counts: Sequence[int],
    body: Add,
) -> tuple[Stmt, ...]:
    """Loops over the blocks that a pixel is in, of all dimensions but the last. `body` gets the place in the block, and the
    block's.
    """

    def level(spots: tuple[Expr, ...], places: tuple[Expr, ...]) -> tuple[Stmt, ...]:
        axis = len(spots)
        if axis == len(pixel):
            return body(spots, places)
        at = pixel[axis] + begins[axis]
        first = (maximum(at - (block[axis] - 1) * dilations[axis], 0) + (strides[axis] - 1)) // strides[axis]
        stop = minimum(at // strides[axis] + 1, counts[axis])
        number, low = Var(f"block_at{axis}"), Var(f"first{axis}")
        place = number + low
        behind = at - place * strides[axis]
        inner = level((*spots, behind // dilations[axis]), (*places, place))
        if dilations[axis] > 1:
            inner = (If(compare("eq", behind % dilations[axis], 0), inner),)
        return Let(low, first), For(number, stop - low, inner, LoopKind.SERIAL)

    return level((), ())
