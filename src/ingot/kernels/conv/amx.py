"""Float32 convolution with one tap in registers that hold matrices (see `blocks/bf16x3`).

The rows of a matrix are pixels, stored with channels last. Where weights are few, they are split into their parts first, and then
a task goes through blocks of pixels: splitting the next block is interleaved with the products of a block. With few pixels and
many weights, the convolution is computed as a matrix product (see `matmul/amx`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.algorithm import Algorithm, Estimate, why_not
from ingot.kernels.blocks.amx_tile import (
    SIDE,
    Factors,
    Steps,
    TurnAt,
    between_products,
    piece_of,
    steps_of_words,
    sums_in_turns,
)
from ingot.kernels.blocks.bf16x3 import (
    PAIR,
    PARTS,
    PRODUCTS,
    TILE,
    are_finite,
    products,
    split_piece,
    why_not_split,
    words_of,
)
from ingot.kernels.blocks.register_block import parts, step_cycles, tiles
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.matmul import amx
from ingot.kernels.template import Site, read_strides
from ingot.loops.analyse.amx_sums import WORD
from ingot.loops.build.nest import collapse, loop, loop_by_ranges, places, split_index, vectors_of
from ingot.loops.nodes import Const, Expr, For, If, Let, Stmt, Var, both, compare, index, load, minimum, store
from ingot.machines.tuning import Amx


def _refuses(site: Site, spec: ConvSpec) -> str:
    return (
        why_not_split(site, spec.y)
        or why_not(
            (spec.x.dtype is not DType.FLOAT32, "it multiplies float32 only"),
            (not site.is_constant(1), "weights are not known while building"),
            (not spec.y.size, "there is nothing to compute"),
            (
                spec.group != 1 or math.prod(spec.kernel) != 1 or spec.has_padding,
                "it takes one tap, no padding, no groups",
            ),
        )
        or why_not(
            (
                min(_pixels(spec), *spec.w.shape[:2]) < SIDE,
                f"pixels or channels are fewer than {SIDE}, the side of a tile",
            ),
            (not _has_channels_last(site, spec), "channels do not lie side by side"),
        )
    )


def _refuses_values(site: Site, _: ConvSpec) -> str:
    return why_not((not site.ask(1, are_finite), "some weights are not finite"))


def _estimate(site: Site, spec: ConvSpec) -> Estimate:
    pixels, channels, outputs = _pixels(spec), spec.w.shape[1], spec.w.shape[0]
    best = next(iter(tiles(site.machine, DType.FLOAT32, spec.y.shape[-1], outputs).values()))
    line = step_cycles(site.machine, spec.y.shape[-1], best.rows, outputs, best.vectors, best.lanes)
    vectors = pixels // spec.y.shape[-1] * channels * line
    size, costs = (pixels, channels, outputs), site.machine.tuning.amx
    amx_cycles = cycles(costs, *size) if _by_pixels(site, spec) else amx.cycles(site, *size)
    is_quicker = (
        amx_cycles <= costs.conv_worth * vectors
        and 2 * pixels * channels * outputs >= costs.conv_min_operations
    )
    return Estimate(is_quicker, cycles=amx_cycles, instead=vectors)


def cycles(costs: Amx, pixels: int, channels: int, outputs: int) -> float:
    """What a convolution by blocks of pixels should need."""
    tiles_ = -(-pixels // TILE.rows) * 2 * -(-outputs // TILE.columns) * 2
    block_cycles = tiles_ * (
        _steps(channels).count * len(PRODUCTS) * costs.conv_product_cycles + costs.conv_result_cycles
    )
    return block_cycles + pixels * channels * costs.conv_pixel_cycles


def _build(site: Site, spec: ConvSpec) -> Sequence[Stmt]:
    if _by_pixels(site, spec):
        return _ByPixels(site, spec).statements()
    array = site.constant(1)
    assert array is not None

    def read(pixel: Expr, channel: Expr) -> Expr:
        n, at = _place(spec, pixel)
        return site.read(0, n, channel, *_taken(spec, at))

    def write(pixel: Expr, channel: Expr, value: Expr) -> Sequence[Stmt]:
        n, at = _place(spec, pixel)
        return site.write(0, (n, channel, *at), value)

    return amx.build_product(site, amx.Product(_pixels(spec), read, array.reshape(array.shape[:2]).T, write))


AMX = Algorithm("amx", _build, _refuses, _refuses_values, _estimate)


def _by_pixels(site: Site, spec: ConvSpec) -> bool:
    """Whether weights are few enough to be read for each block of pixels, and there are some blocks."""
    tuning, part_bytes = site.machine.tuning.amx, math.prod(spec.w.shape) * PARTS * WORD // PAIR
    is_used = _pixels(spec) > tuning.conv_min_blocks * TILE.rows
    return is_used and part_bytes <= site.machine.l2_bytes // tuning.conv_l2_share


def _pixels(spec: ConvSpec) -> int:
    return spec.y.shape[0] * math.prod(spec.y.shape[2:])


def _place(spec: ConvSpec, pixel: Expr) -> tuple[Expr, Sequence[Expr]]:
    """Where a pixel lies in the output: its number in the batch, and its place in the image."""
    n, *at = split_index(pixel, (spec.y.shape[0], *spec.y.shape[2:]))
    return n, at


def _taken(spec: ConvSpec, at: Sequence[Expr]) -> Sequence[Expr]:
    """The place in the input of what makes the output at this place."""
    return [place * stride for place, stride in zip(at, spec.strides, strict=True)]


def _has_channels_last(site: Site, spec: ConvSpec) -> bool:
    return read_strides(site, 0, spec.x.shape)[1] == 1 and site.outputs[0].strides[1] == 1


def _steps(channels: int) -> Steps:
    """The steps of a pixel: whole ones, for whole vectors, and one that is filled up."""
    words = -(-channels // PAIR)
    return Steps(-(-words // SIDE), SIDE) if words > SIDE else steps_of_words(words)


class _ByPixels:
    """Writes the kernel for few weights: tasks are blocks of pixels."""

    def __init__(self, site: Site, spec: ConvSpec) -> None:
        self.site, self.spec = site, spec
        self.outputs, self.channels = spec.w.shape[:2]
        self.pixels, self.steps = _pixels(spec), _steps(self.channels)
        self.size = TILE.rows  # of a block; the last one may end behind the last pixel
        self.blocks = -(-self.pixels // self.size)
        array = site.constant(1)
        assert array is not None
        self.weights = site.pack(1, pack_panels(array.reshape(array.shape[:2]), TILE.columns))
        self.panels = self.weights.shape[0]
        place = self.panels, self.steps.count, PARTS, self.steps.words, TILE.columns
        self.right = site.workspace("parts", DType.INT32, place)
        self.pieces = piece_of(
            self.size * self.steps.count, self.panels * self.steps.count
        )  # that are split beside a step
        kept = places(self.blocks, site.machine)
        self.left = site.workspace(
            "pixels", DType.INT32, (kept, 2, self.steps.count, PARTS, self.size, self.steps.words)
        )

    def statements(self) -> Sequence[Stmt]:
        stmts: tuple[Stmt, ...] = ()
        for first, count, channels in parts(self.channels, self.steps.words * PAIR):

            def split(
                where: tuple[Expr, ...], first: int = first, channels: int = channels
            ) -> Sequence[Stmt]:
                return self._split_weights(where[0], where[1] + first, channels)

            stmts += collapse(f"split{channels}", (self.panels, count), split)
        return stmts + loop_by_ranges("part", self.blocks, self.site.machine, self._blocks)

    def _split_weights(self, panel: Expr, step: Expr, channels: int) -> tuple[Stmt, ...]:
        """The parts of a step of a panel, of so many channels. The halves of a word are as many apart as a step has words."""
        words = self.steps.words

        def weight(half: int, word: Expr, column: Expr) -> Expr:
            return load(self.weights, panel, step * (PAIR * words) + half * words + word, column)

        def split(first: int, count: int, halves: int) -> tuple[Stmt, ...]:
            def words_at(at: Expr) -> Sequence[Stmt]:
                def word(column: Expr) -> Sequence[Stmt]:
                    zero = Const(0.0, DType.FLOAT32)
                    low, high = (
                        weight(half, at + first, column) if half < halves else zero for half in range(PAIR)
                    )
                    place = panel, step
                    bf16_parts = enumerate(words_of(low, high))
                    return [
                        store(self.right, (*place, index(part), at + first, column), value)
                        for part, value in bf16_parts
                    ]

                return vectors_of(TILE.columns, SIDE, word)

            return loop(f"word{halves}", count, words_at)

        whole, low = max(0, channels - words), min(channels, words)
        return split(0, whole, 2) + split(whole, low - whole, 1) + split(low, words - low, 0)

    def _blocks(self, place: Expr, begin: Expr, end: Expr) -> Sequence[Stmt]:
        """Some blocks of pixels, one after the other."""
        first, last = Var("first"), Var("last")

        def split(piece: Expr) -> Sequence[Stmt]:
            return self._split(place, index(0), first, piece)

        def turn(number: Expr, end: str) -> tuple[Sequence[Stmt], TurnAt]:
            at, panel, which = (Var(f"{name}{end}") for name in ("at", "panel", "which"))
            names = Let(at, number // self.panels), Let(panel, number % self.panels), Let(which, at % 2)
            return names, self._turn(place, first + at, which, panel, last)

        return (
            Let(first, begin),
            Let(last, end),
            *loop("piece", self.size * self.steps.count, split),
            *sums_in_turns(
                (last - first) * self.panels, self.size, TILE, self.steps.words, self.steps.count, turn
            ),
        )

    def _split(self, place: Expr, which: Expr, block: Expr, piece: Expr) -> Sequence[Stmt]:
        """The parts of a step of a pixel. Pixels are read from end to end, as processors look ahead."""
        row, step = Var("split_row"), Var("split_step")
        pixel = minimum(block * self.size + row, self.pixels - 1)
        n, at = _place(self.spec, pixel)
        where = _taken(self.spec, at)
        split = split_piece(
            lambda part, word: (self.left, (place, which, step, index(part), row, word)),
            self.steps,
            step,
            self.channels,
            lambda channel: self.site.read(0, n, channel, *where),
        )
        stmts = (Let(row, piece // self.steps.count), Let(step, piece % self.steps.count), *split)
        return (For(Var("once"), index(1), stmts),)

    def _turn(self, place: Expr, block: Expr, which: Expr, panel: Expr, last: Expr) -> TurnAt:
        """A panel of channels of a block, interleaved with splitting some of the next block."""

        def factors(step: Expr, row: Expr, word: Expr, column: Expr) -> Factors:
            return products(
                lambda part: load(self.left, place, which, step, part, row, word),
                lambda part: load(self.right, panel, step, part, word, column),
            )

        def interleaved(step: Expr) -> Sequence[Sequence[Stmt]]:
            done = panel * self.steps.count + step
            more = both(
                compare("lt", block + 1, last),
                compare("lt", done, self.size * self.steps.count // self.pieces),
            )
            begin = done * self.pieces

            def some(first: int, count: int) -> Sequence[Stmt]:
                pieces = loop(
                    "piece", count, lambda at: self._split(place, 1 - which, block + 1, begin + first + at)
                )
                return (If(more, pieces),)

            return between_products(self.pieces, len(PRODUCTS), some)

        def write(row: Expr, value: Callable[[Expr], Expr]) -> Sequence[Stmt]:
            pixel = block * self.size + row
            n, at = _place(self.spec, pixel)

            def some(columns: int) -> tuple[Stmt, ...]:
                def write_column(column: Expr) -> Sequence[Stmt]:
                    return self.site.write(0, (n, panel * TILE.columns + column, *at), value(column))

                return vectors_of(columns, SIDE, write_column)

            whole, rest = divmod(self.outputs, TILE.columns)
            stmts = some(TILE.columns) if whole else some(rest)
            if whole and rest:
                stmts = (If(compare("lt", panel, whole), stmts, some(rest)),)
            return stmts if self.pixels % self.size == 0 else (If(compare("lt", pixel, self.pixels), stmts),)

        return TurnAt(factors, interleaved, write)


def pack_panels(array: np.ndarray, width: int) -> np.ndarray:
    """`[M, C]` → `[panel, C, column]`, filled with zeros to whole panels."""
    outputs, depth = array.shape
    panels = -(-outputs // width)
    padded = np.zeros((panels * width, depth), array.dtype)
    padded[:outputs] = array
    return np.ascontiguousarray(padded.reshape(panels, width, depth).swapaxes(1, 2))
