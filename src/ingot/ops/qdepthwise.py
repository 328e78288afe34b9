"""Depthwise convolution of 8-bit codes by dot products of words.

Four neighbours in a row are one word for each channel: a *window*, which moves on by dropping its lowest byte and taking the next
code on top. So a row of the kernel with up to four taps is one dot product, instead of as many multiplications of widened codes.
Taps lie at the top of their words; the bytes below have weight zero. What lies outside of the input is the zero point: nothing
is padded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingot.loops.define import Site
from ingot.loops.nest import nest, vector
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Const,
    Dot4,
    Expr,
    For,
    If,
    LoopKind,
    Stmt,
    Var,
    buffer,
    cast,
    index,
    load,
    store,
)
from ingot.ops.conv_spec import ConvSpec
from ingot.ops.depthwise import kernel_row, row_tasks
from ingot.ops.dot_tile import WORD, unsigned_code, unsigned_zero
from ingot.tensor import DType

_STRIDE_MOST = 2  # a window moves over every code: with long strides most of that is in vain
_TAPS_MOST = 2 * WORD

# Reads a code: batch, channel, spatial index.
Read = Callable[[Expr, Expr, Sequence[Expr]], Expr]


def has_windows(spec: ConvSpec) -> bool:
    """Whether windows fit a depthwise convolution: its taps are neighbours, and most windows are used."""
    return spec.dilations[-1] == 1 and spec.strides[-1] <= _STRIDE_MOST and 1 < spec.kernel[-1] <= _TAPS_MOST


def build_windows(site: Site, spec: ConvSpec, zero_point: int, read: Read, vectors: int) -> tuple[Stmt, ...]:
    """All sums of a convolution for which `has_windows` holds, with input and start numbers as `qconv_template` has them. A task
    has up to `vectors` vectors of channels.
    """
    array, begin = site.constant(1), site.constant(2)
    assert array is not None and begin is not None, "the weights of an integer convolution are constants"
    weights = site.pack(1, _words(array[:, 0]))
    zero = unsigned_zero(zero_point, spec.x.dtype)
    # Codes with a sign are taken as 128 more, which the sums must not have.
    more = unsigned_zero(0, spec.x.dtype) * array.reshape(len(array), -1).sum(axis=1, dtype=np.int64)
    starts = site.pack(2, (begin.astype(np.int64) - more).astype(np.int32))
    stride, taps, words = spec.strides[-1], spec.kernel[-1], weights.shape[-2]

    def tile(
        place: tuple[Expr, Sequence[Expr], Expr], width: int, start: Expr, size: int, checked: bool
    ) -> tuple[Stmt, ...]:
        n, outer, first = place
        acc, window = buffer("acc", DType.INT32, (size, width)), buffer("window", DType.UINT32, (width,))
        used: dict[int, list[tuple[int, int]]] = {}  # last column of a window → outputs and words that it is for
        for pixel in range(size):
            for word in range(words):
                used.setdefault(pixel * stride + taps - 1 - WORD * (words - 1 - word), []).append((pixel, word))

        def each(body: Callable[[int, Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
            stmts: tuple[Stmt, ...] = ()
            for pixel in range(size):
                stmts += vector("lane", width, lambda lane, pixel=pixel: body(pixel, lane))  # type: ignore[misc]
            return stmts

        def add(k: Sequence[Expr], pixel: int, word: int, lane: Expr, codes: Expr) -> Stmt:
            total = Dot4(codes, load(weights, *k, word, first + lane), load(acc, pixel, lane))
            return store(acc, (pixel, lane), total)

        def row(k: tuple[Expr, ...]) -> Sequence[Stmt]:
            where, is_inside = kernel_row(spec, outer, k)

            def code(number: int, lane: Expr) -> Expr:
                column = start * stride + (number - spec.pads_begin[-1])
                if isinstance(column, Const) and not 0 <= column.value < spec.x.shape[-1]:
                    return Const(zero, DType.UINT8)
                return unsigned_code(read(n, first + lane, (*where, column)))

            def move(number: int, lane: Expr) -> Sequence[Stmt]:
                top = Binary("shl", cast(code(number, lane), DType.UINT32), Const(24, DType.UINT32))
                if number:
                    top = Binary("or", Binary("shr", load(window, lane), Const(8, DType.UINT32)), top)
                codes = Bitcast(load(window, lane), DType.INT32)
                return (
                    store(window, (lane,), top),
                    *(add(k, pixel, word, lane, codes) for pixel, word in used.get(number, ())),
                )

            stmts: tuple[Stmt, ...] = ()
            for number in range((size - 1) * stride + taps):
                stmts += vector("lane", width, lambda lane, number=number: move(number, lane))  # type: ignore[misc]
            if not checked:
                return stmts
            outside = Const(int(np.uint32(zero * 0x01010101).astype(np.int32)), DType.INT32)
            zeros = each(lambda pixel, lane: [add(k, pixel, word, lane, outside) for word in range(words)])
            return (If(is_inside, stmts, zeros),)

        stmts = (
            Alloc(acc),
            Alloc(window),
            *each(lambda pixel, lane: (store(acc, (pixel, lane), load(starts, first + lane)),)),
            *nest([f"k{axis}" for axis in range(spec.spatial_rank - 1)], spec.kernel[:-1], row),
            *each(lambda pixel, lane: site.write(0, (n, first + lane, *outer, start + pixel), load(acc, pixel, lane))),
        )
        return (For(Var("tile"), index(1), stmts, LoopKind.SERIAL),)

    return row_tasks(site, spec, site.machine.lanes(DType.INT32), tile, vectors)


def _words(weights: np.ndarray) -> np.ndarray:
    """`[M, *kernel]` of int8 → `[*kernel but the last, words, M]` in int32, the taps at the top."""
    taps = weights.shape[-1]
    count = -(-taps // WORD)
    filled = np.zeros((*weights.shape[:-1], count * WORD), np.int8)
    filled[..., count * WORD - taps :] = weights
    words = filled.reshape(*weights.shape[:-1], count, WORD).view("<i4")[..., 0].astype(np.int32)
    return np.moveaxis(words, 0, -1)
