"""Depthwise convolution of 8-bit quantized values by dot products of int8x4.

Four neighbours in a row are one int8x4 for each channel. Packed int8x4 lie side by side, so each value is read once for a
row of outputs, and it is the weights that are moved: an output whose taps begin at the third value of an int8x4 has weight
zero for the first two, and goes on in the next int8x4. What lies outside of the input is the zero point: nothing is padded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.blocks.dot_block import WORD, int8x4_factors, joined
from ingot.kernels.conv.depthwise.depthwise import kernel_row, row_tasks
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.template import Site
from ingot.loops.build.nest import expecting, nest, vector
from ingot.loops.nodes import (
    Alloc,
    Bitcast,
    Const,
    Expr,
    For,
    If,
    Let,
    LoopKind,
    Stmt,
    Var,
    buffer,
    index,
    load,
    store,
)
from ingot.machines.tuning import Depthwise

_TAPS_MAX = 2 * WORD

# Reads a value: batch, channel, spatial index.
Read = Callable[[Expr, Expr, Sequence[Expr]], Expr]


def has_words(tuning: Depthwise, spec: ConvSpec) -> bool:
    """Whether int8x4 fit a depthwise convolution: its taps are neighbours, and most values of an int8x4 are used."""
    near = spec.dilations[-1] == 1 and spec.strides[-1] <= tuning.int8_max_stride
    return near and 1 < spec.kernel[-1] <= _TAPS_MAX


def build_words(site: Site, spec: ConvSpec, zero_point: int, read: Read, vectors: int) -> tuple[Stmt, ...]:
    """All sums of a convolution for which `has_words` holds, with input and start numbers as `qconv_template` has them. A task
    has up to `vectors` vectors of channels.
    """
    array, begin = site.constant(1), site.constant(2)
    assert array is not None and begin is not None, "the weights of an integer convolution are constants"
    stride, taps, step = spec.strides[-1], spec.kernel[-1], WORD
    moved = _moved(stride, taps, step)
    tuning = site.machine.tuning.depthwise
    weight_bytes = array.size // taps * sum(map(len, moved.values())) * WORD
    if spec.y.shape[-1] < tuning.int8_long_row and weight_bytes > tuning.int8_weights_max_bytes:
        step = WORD // 2
        moved = _moved(stride, taps, step)
    weights = site.pack(1, _words(array[:, 0], moved))
    kind = int8x4_factors(site.machine)
    zero, raw_zero = kind.zero(zero_point, spec.x.dtype), Const(zero_point & 0xFF, DType.UINT8)
    # What values are taken as more than they are, the sums must not have.
    more = kind.zero(0, spec.x.dtype) * array.reshape(len(array), -1).sum(axis=1, dtype=np.int64)
    starts = site.pack(2, (begin.astype(np.int64) - more).astype(np.int32))

    def tile(
        place: tuple[Expr, Sequence[Expr], Expr], width: int, start: Expr, size: int, checked: bool
    ) -> tuple[Stmt, ...]:
        n, outer, first = place
        acc = buffer("acc", DType.INT32, (size, width))
        used: dict[
            int, list[tuple[int, int]]
        ] = {}  # first column of an int8x4 → outputs that it is for, and their int8x4 of weights
        for pixel in range(size):
            offset = pixel * stride % step
            for number, word in enumerate(moved[offset]):
                used.setdefault(pixel * stride - offset + number * WORD, []).append((pixel, word))
        columns = (size - 1) * stride + taps

        def each(body: Callable[[int, Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
            stmts: tuple[Stmt, ...] = ()
            for pixel in range(size):
                stmts += vector("lane", width, lambda lane, pixel=pixel: body(pixel, lane))  # type: ignore[misc]
            return stmts

        def add(k: Sequence[Expr], pixel: int, word: int, lane: Expr, packed: Expr) -> Stmt:
            total = kind.dot(packed, load(weights, *k, word, first + lane), load(acc, pixel, lane))
            return store(acc, (pixel, lane), total)

        def row(k: tuple[Expr, ...]) -> Sequence[Stmt]:
            where, is_inside = kernel_row(spec, outer, k)

            def place(number: int) -> Expr | None:
                """The column of an input; None where it is outside for sure."""
                column = start * stride + (number - spec.pads_begin[-1])
                is_outside = isinstance(column, Const) and not 0 <= column.value < spec.x.shape[-1]
                return None if number >= columns or is_outside else column

            def code(number: int, lane: Expr) -> Expr:
                column = place(number)
                if column is None:
                    return raw_zero
                element = read(n, first + lane, (*where, column))
                return element if element.dtype is DType.UINT8 else Bitcast(element, DType.UINT8)

            def use(column: int, lane: Expr) -> Sequence[Stmt]:
                packed, values = Var("codes", DType.INT32), [code(column + at, lane) for at in range(WORD)]
                return (
                    Let(packed, kind.word(joined(values), spec.x.dtype)),
                    *(add(k, pixel, word, lane, packed) for pixel, word in used[column]),
                )

            stmts: tuple[Stmt, ...] = ()
            for column in sorted(used):
                packed = vector("lane", width, lambda lane, column=column: use(column, lane))  # type: ignore[misc]
                is_packed = sum(place(column + at) is not None for at in range(WORD)) > 1
                stmts += expecting("pack_bytes", packed) if is_packed else packed
            if not checked:
                return stmts
            outside = Const(int(np.uint32((zero & 0xFF) * 0x01010101).astype(np.int32)), DType.INT32)
            zeros = each(
                lambda pixel, lane: [
                    add(k, pixel, word, lane, outside) for word in moved[pixel * stride % step]
                ]
            )
            return (If(is_inside, stmts, zeros),)

        stmts = (
            Alloc(acc),
            *each(lambda pixel, lane: (store(acc, (pixel, lane), load(starts, first + lane)),)),
            *nest([f"k{axis}" for axis in range(spec.spatial_rank - 1)], spec.kernel[:-1], row),
            *each(
                lambda pixel, lane: site.write(
                    0, (n, first + lane, *outer, start + pixel), load(acc, pixel, lane)
                )
            ),
        )
        return (For(Var("tile"), index(1), stmts, LoopKind.SERIAL),)

    return row_tasks(site, spec, site.machine.lanes(DType.INT32), tile, vectors)


def _moved(stride: int, taps: int, step: int) -> dict[int, Sequence[int]]:
    """For each place in an int8x4 at which the taps of an output may begin, which of the packed int8x4 are their weights,
    if int8x4 begin at every `step`th value.
    """
    words: dict[int, Sequence[int]] = {}
    for offset in sorted({pixel * stride % step for pixel in range(step)}):
        count = sum(map(len, words.values()))
        words[offset] = range(count, count - (-(offset + taps) // WORD))
    return words


def _words(weights: np.ndarray, moved: dict[int, Sequence[int]]) -> np.ndarray:
    """`[M, *kernel]` of int8 → `[*kernel but the last, int8x4, M]` in int32, in the order of `moved`."""
    taps = weights.shape[-1]
    filled = []
    for offset, words in moved.items():
        row = np.zeros((*weights.shape[:-1], len(words) * WORD), np.int8)
        row[..., offset : offset + taps] = weights
        filled.append(row.reshape(*row.shape[:-1], len(words), WORD).view("<i4")[..., 0].astype(np.int32))
    return np.moveaxis(np.concatenate(filled, axis=-1), 0, -1)
