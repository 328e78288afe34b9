"""Convolution 3×3 with stride 1 by fewer multiplications: Winograd's F(2×2, 3×3) and F(4×4, 3×3).

An output tile of m × m needs n × n input elements, n = m + 2. With `B`, `G`, `A` of `winograd_matrices`

    V = Bᵀ d B      U = G g Gᵀ      M[ξ] = Σ_c V[ξ, c] U[ξ, c]      y = Aᵀ M A

so that the sums over channels are n² matrix products, which have 2.25 (m = 2) or 4 (m = 4) times fewer multiplications than the
definition. Weights are kept as they are, in panels, and transformed by the kernel: transformed ones would be n²/9 times as large
in the file, in memory and on the way from it, which costs more than the few operations.

**Error.** F(4×4) interpolates at 0, ±3/4, ±3/2 and ∞ instead of the usual 0, ±1, ±2, ∞: a third of the error, and all constants
of `B` are exact. Measured against float64 with normal weights and inputs behind a ReLU, in units of the root mean square of the
results (largest, root mean square):

    channels   by definition       F(2×2)              F(4×4)
    16         1.2e-6, 1.6e-7      6.0e-7, 1.5e-7      3.9e-6, 4.3e-7
    64         2.6e-6, 3.2e-7      1.0e-6, 2.4e-7      4.9e-6, 7.2e-7
    256        4.8e-6, 5.8e-7      1.7e-6, 4.2e-7      8.8e-6, 1.3e-6

An infinity or a NaN in the input reaches all outputs of the tiles that read it.

*Source:* S. Winograd, Arithmetic Complexity of Computations (1980); arXiv 1509.09308; choice of points: arXiv 1803.10986.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingot.loops.define import Site
from ingot.loops.nest import collapse, loop, split_index, vector, vector_blocks
from ingot.loops.nodes import (
    Buffer,
    Expr,
    For,
    If,
    Let,
    LoopKind,
    Stmt,
    Var,
    both,
    compare,
    index,
    load,
    maximum,
    minimum,
    select,
    store,
)
from ingot.ops.ahead import Ahead
from ingot.ops.conv_spec import ConvSpec
from ingot.ops.register_tile import Step, Tile, accumulate, balanced, choose_tile, row_tiles, tiles
from ingot.ops.winograd_matrices import TAPS, Names, both_sides, folded_times, times, winograd_matrices
from ingot.target import Machine
from ingot.tensor import DType

_PARTS = 8  # tasks that work in memory of their own
_NOT_SHARED = 1.2
_WORTH_TRYING = 2.5  # what should take so many times as long as the best is not offered
_SHARED_CYCLES = 4_500  # of the products of a block that is worth giving to another thread


# ─── choosing ──────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Plan:
    """How a convolution is computed: tiles of `m` × `m` outputs, `block` of them at a time.

    `panels_first`: all tiles are transformed first, and the outer loop is over panels of output channels, whose weights are
    transformed where they are needed, `depth` channels at a time; else the outer loop is over blocks of tiles.
    """

    m: int
    tile: Tile
    block: int
    panels_first: bool
    depth: int


def suits_winograd(spec: ConvSpec) -> bool:
    """Whether it is a kind of convolution that the algorithm is made for."""
    return (
        spec.y.dtype is DType.FLOAT32
        and spec.group == 1
        and spec.kernel == (TAPS, TAPS)
        and spec.strides == spec.dilations == (1, 1)
    )


def winograd_plan(site: Site, spec: ConvSpec) -> Plan | None:
    """How to compute a convolution by Winograd's algorithm there; None where the definition is faster, or wanted."""
    machine = site.machine
    lanes = machine.lanes(DType.FLOAT32)
    fits = (
        machine.math == "fast"
        and lanes > 1
        and machine.l2_bytes > 0
        and not machine.grid
        and suits_winograd(spec)
        and spec.x.shape[1] % lanes == 0
        and spec.x.size > 0
        and spec.y.size > 0
        and site.constant(1) is not None
        and site.input(0).strides[1] == 1
    )
    if not fits:
        return None
    batch, channels = spec.x.shape[:2]
    filters, height, width = spec.y.shape[1:]
    counts = {m: batch * -(-height // m) * -(-width // m) for m in (2, 4)}
    # By the definition a register tile reaches nine tenths of two multiply-adds a cycle; the difference must be worth it.
    cycles = {0: 0.9 * batch * height * width * filters * channels * TAPS**2 / (1.8 * lanes)}
    for m, count in counts.items():
        cycles[m] = _cycles(machine, _plan(machine, m, count, channels, filters), count, channels, filters)
    ordered = sorted(cycles, key=lambda m: cycles[m])
    worth = [m for m in ordered if cycles[m] <= _WORTH_TRYING * cycles[ordered[0]]]
    m = site.choose("algorithm", {f"F{m}" if m else "definition": m for m in worth})
    if m == 0:
        return None
    tile = site.choose("tile", tiles(machine, DType.FLOAT32, counts[m], filters))
    return _other_block(site, _plan(machine, m, counts[m], channels, filters, tile), counts[m])


def _other_block(site: Site, plan: Plan, count: int) -> Plan:
    """The plan with as many tiles at a time as the site wants: what fits the cache, or half or twice as many."""
    if plan.panels_first:
        return plan
    step = plan.tile.rows
    blocks = dict.fromkeys(min(max(block // step, 1) * step, count) for block in (plan.block // 2, plan.block * 2))
    return replace(plan, block=site.choose("block", {str(block): block for block in (plan.block, *blocks)}))


def _cycles(machine: Machine, plan: Plan, tiles: int, channels: int, filters: int) -> float:
    """Roughly how long it takes: two multiply-adds a cycle; each vector of weights comes from the second cache for every tile of
    rows; transforms take about three cycles an element of a transformed vector, and two of weights, which also have to be read.
    Weights that do not stay in the second cache come from memory, at eight bytes a cycle, while nothing else is done.

    A plan of one panel cannot be shared out to threads, which loses more on two than it gains on one if another is near.
    """
    n2, tile = (plan.m + 2) ** 2, plan.tile
    rows = sum(count * (size / 2 + 1) for size, count in balanced(tiles, tile.rows)) * tile.vectors
    products = n2 * channels * -(-filters // tile.columns) * rows
    vectors = (channels * tiles + filters * tiles) / tile.lanes
    weights = channels * filters / tile.lanes
    weight_bytes = channels * filters * TAPS**2 * 4
    memory = weight_bytes / 8 if weight_bytes > machine.l2_bytes // 2 else 0
    total = products + 3 * n2 * vectors + (14 + 2 * n2) * weights + memory
    return total * (_NOT_SHARED if plan.panels_first and filters <= tile.columns else 1)


def _plan(machine: Machine, m: int, tiles: int, channels: int, filters: int, tile: Tile | None = None) -> Plan:
    lanes = machine.lanes(DType.FLOAT32)
    n2 = (m + 2) ** 2
    panels_first = filters > tiles and tiles <= 64
    tile = tile or choose_tile(machine, DType.FLOAT32, tiles, filters)
    if panels_first:
        depth = channels
        while depth % (2 * lanes) == 0 and n2 * depth * tile.columns * 4 > machine.l2_bytes // 2:
            depth //= 2
        return Plan(m, tile, tiles, True, depth)
    # A block's transformed input and products stay in the second cache, beside the weights that pass through.
    most = max(tile.rows, machine.l2_bytes * 3 // 4 // (n2 * 4 * (channels + tile.columns)))
    block = min(most // tile.rows * tile.rows, tiles)
    count = -(-tiles // block)
    parts = min(_PARTS, n2 * tiles * channels * filters // (2 * lanes) // _SHARED_CYCLES)
    if parts > 1 and count < 4 * _PARTS:
        count = min(-(-count // parts) * parts, tiles)  # as many blocks for each thread
    return Plan(m, tile, -(-tiles // count), False, channels)


# ─── the kernel ────────────────────────────────────────────────────────────────────────────────────────────────────


def build_winograd(site: Site, spec: ConvSpec, plan: Plan) -> Sequence[Stmt]:
    """The statements of a convolution for which there is a plan."""
    return _Writer(site, spec, plan).statements()


class _Writer:
    def __init__(self, site: Site, spec: ConvSpec, plan: Plan) -> None:
        self.site, self.spec, self.plan = site, spec, plan
        self.m, self.n = plan.m, plan.m + TAPS - 1
        self.matrices = winograd_matrices(plan.m)
        self.lanes = site.machine.lanes(DType.FLOAT32)
        self.columns = plan.tile.columns
        batch, self.channels = spec.x.shape[:2]
        self.filters, height, width = spec.y.shape[1:]
        self.grid = (batch, -(-height // self.m), -(-width // self.m))
        self.tiles = self.grid[0] * self.grid[1] * self.grid[2]
        self.panels = -(-self.filters // self.columns)
        array = site.constant(1)
        assert array is not None
        self.weights = site.pack(1, _pack(array, self.columns))

    def workspace(self, name: str, *shape: int) -> Buffer:
        return self.site.workspace(name, DType.FLOAT32, shape)

    def statements(self) -> Sequence[Stmt]:
        return self._panels_first() if self.plan.panels_first else self._tiles_first()

    def _tiles_first(self) -> Sequence[Stmt]:
        """All weights, then block after block of tiles."""
        n2, sizes = self.n**2, balanced(self.tiles, self.plan.block)
        parts, most = min(_PARTS, max(count for _, count in sizes)), sizes[0][0]
        factors = self.workspace("factors", self.panels, n2, _spread(self.channels), self.columns)
        inputs = self.workspace("inputs", parts, n2, _spread(self.channels // self.lanes * most), self.lanes)
        products = self.workspace("products", parts, n2, _spread(most), self.columns)

        def weights(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            panel, channel = where
            return self._weights(panel, channel, factors, lambda at, lane: (panel, at, channel, lane))

        def panel_of(part: Expr, first: Expr, size: int, panel: Expr, width: int) -> Sequence[Stmt]:
            return (
                *self._products(
                    size,
                    self.channels,
                    lambda at, block, row, lane: load(inputs, part, at, block * size + row, lane),
                    lambda at, c, column: load(factors, panel, at, c, column),
                    lambda at, row, column, value: (store(products, (part, at, row, column), value),),
                ),
                *self._outputs(first, size, panel, width, lambda at, t, lane: load(products, part, at, t, lane)),
            )

        def block_of(part: Expr, first: Expr, size: int) -> Sequence[Stmt]:
            stmts = loop(
                "t",
                size,
                lambda t: loop(
                    "block",
                    self.channels // self.lanes,
                    lambda block: self._input(first + t, block, inputs, lambda at, lane: (part, at, block * size + t, lane)),
                ),
            )
            for begin, panels, width in _panels(self.filters, self.columns):
                stmts += loop(
                    f"panel{width}",
                    panels,
                    lambda panel, begin=begin, width=width: panel_of(part, first, size, panel + begin, width),  # type: ignore[misc]
                )
            return stmts

        def task(start: int, size: int, count: int, shares: int) -> Callable[[Expr], Sequence[Stmt]]:
            return lambda part: _share(part, shares, count, lambda number: block_of(part, number * size + start, size))

        stmts = collapse("weight", (self.panels, self.channels), weights)
        start = 0
        for size, count in sizes:
            shares = min(parts, count)
            stmts += loop(f"part{size}", shares, task(start, size, count, shares), LoopKind.PARALLEL)
            start += size * count
        return stmts

    def _panels_first(self) -> Sequence[Stmt]:
        """All tiles, then panel after panel of output channels."""
        n2, depth, tiles, blocks = self.n**2, self.plan.depth, self.tiles, self.channels // self.lanes
        pieces = _panels(self.filters, self.columns)
        parts, steps = min(_PARTS, pieces[0][1]), self.channels // depth
        inputs = self.workspace("inputs", n2, _spread(blocks * tiles), self.lanes)
        factors = self.workspace("factors", parts, n2, _spread(depth), self.columns)
        products = self.workspace("products", parts, n2, _spread(tiles), self.columns)

        def input_of(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            tile, block = where
            return self._input(tile, block, inputs, lambda at, lane: (at, block * tiles + tile, lane))

        def zero(part: Expr) -> tuple[Stmt, ...]:
            return loop(
                "at",
                n2,
                lambda at: loop(
                    "t",
                    tiles,
                    lambda t: vector_blocks(
                        "lane", self.columns, self.lanes, lambda lane: (store(products, (part, at, t, lane), 0.0),)
                    ),
                ),
            )

        # While one piece of the weights is used, the next is brought in: it is to be transformed at once.
        ahead = Ahead(self.weights, depth * TAPS**2 * self.columns, n2 * tiles) if self.site.machine.prefetch else None

        def step_of(part: Expr, panel: Expr, step: Expr) -> Sequence[Stmt]:
            def keep(at: Expr, row: Expr, column: Expr, value: Expr) -> Sequence[Stmt]:
                where = (part, at, row, column)
                return (store(products, where, value if steps == 1 else load(products, *where) + value),)

            return (
                *loop(
                    "c",
                    depth,
                    lambda c: self._weights(panel, step * depth + c, factors, lambda at, lane: (part, at, c, lane)),
                ),
                *self._products(
                    tiles,
                    depth,
                    lambda at, block, row, lane: load(inputs, at, (step * (depth // self.lanes) + block) * tiles + row, lane),
                    lambda at, c, column: load(factors, part, at, c, column),
                    keep,
                    None if ahead is None else (ahead, panel * steps + step),
                ),
            )

        def panel_of(part: Expr, panel: Expr, width: int) -> Sequence[Stmt]:
            return (
                *(zero(part) if steps > 1 else ()),
                *loop("step", steps, lambda step: step_of(part, panel, step)),
                *self._outputs(index(0), tiles, panel, width, lambda at, t, lane: load(products, part, at, t, lane)),
            )

        def task(begin: int, panels: int, width: int, shares: int) -> Callable[[Expr], Sequence[Stmt]]:
            return lambda part: _share(part, shares, panels, lambda number: panel_of(part, number + begin, width))

        stmts = collapse("tile", (tiles, blocks), input_of)
        for begin, panels, width in pieces:
            shares = min(parts, panels)
            stmts += loop(f"part{width}", shares, task(begin, panels, width, shares), LoopKind.PARALLEL)
        return stmts

    # ── pieces ──

    def _weights(
        self, panel: Expr, channel: Expr, target: Buffer, place: Callable[[int, Expr], tuple[Expr | int, ...]]
    ) -> tuple[Stmt, ...]:
        """Transforms the weights of one input channel for the outputs of a panel."""

        def lanes(lane: Expr) -> Sequence[Stmt]:
            names = Names()
            made = both_sides(
                times, self.matrices.g, lambda i, j: load(self.weights, panel, channel, i * TAPS + j, lane), TAPS, names
            )
            for at, value in enumerate(value for row in made for value in row):
                names.stmts.append(store(target, place(at, lane), value))
            return names.stmts

        return vector_blocks("lane", self.columns, self.plan.tile.lanes, lanes)

    def _input(
        self, tile: Expr, block: Expr, target: Buffer, place: Callable[[int, Expr], tuple[Expr | int, ...]]
    ) -> tuple[Stmt, ...]:
        """Transforms the input of one tile, for one vector of channels."""
        batch, *where = split_index(tile, self.grid)
        extents, pads = self.spec.x.shape[2:], self.spec.pads_begin
        starts = [at * self.m - pad for at, pad in zip(where, pads, strict=True)]
        inside = [
            condition
            for start, extent, pad, count in zip(starts, extents, pads, self.grid[1:], strict=True)
            for condition in (
                *([compare("ge", start, 0)] if pad else []),
                *([compare("le", start, extent - self.n)] if (count - 1) * self.m - pad + self.n > extent else []),
            )
        ]

        def made(checked: bool) -> tuple[Stmt, ...]:
            outside = Names("at")
            places = [[start + k for k in range(self.n)] for start in starts]
            valid: list[list[Expr]] = []
            if checked:
                for at, extent in zip(places, extents, strict=True):
                    valid.append([outside.name(both(compare("ge", one, 0), compare("lt", one, extent))) for one in at])
                places = [
                    [outside.name(minimum(maximum(one, 0), extent - 1)) for one in at]
                    for at, extent in zip(places, extents, strict=True)
                ]

            def lanes(lane: Expr) -> Sequence[Stmt]:
                names = Names()

                def element(i: int, j: int) -> Expr:
                    value = self.site.read(0, batch, block * self.lanes + lane, places[0][i], places[1][j])
                    return select(both(valid[0][i], valid[1][j]), names.name(value), 0.0) if checked else value

                result = both_sides(times, self.matrices.bt, element, self.n, names)
                for at, value in enumerate(value for row in result for value in row):
                    names.stmts.append(store(target, place(at, lane), value))
                return names.stmts

            return (*outside.stmts, *vector("lane", self.lanes, lanes))

        return (If(both(*inside), made(False), made(True)),) if inside else made(False)

    def _products(
        self,
        rows: int,
        depth: int,
        value: Callable[[Expr, Expr, Expr, Expr], Expr],
        weight: Callable[[Expr, Expr, Expr], Expr],
        write: Callable[[Expr, Expr, Expr, Expr], Sequence[Stmt]],
        ahead: tuple[Ahead, Expr] | None = None,
    ) -> tuple[Stmt, ...]:
        """For each ξ, `rows` tiles times one panel.

        Args:
            rows: number of tiles.
            depth: number of input channels.
            value: from ξ, block of channels, tile and lane to an input.
            weight: from ξ, channel and column to a weight.
            write: stores the value for ξ, tile and column.
            ahead: what brings in weights meanwhile, and the number of the panel that is in use.
        """

        def each(at: Expr) -> Sequence[Stmt]:
            def tile_of(start: Expr, size: int) -> Sequence[Stmt]:
                def reduction(step: Step) -> Sequence[Stmt]:
                    def channel(block: Expr, lane: Expr) -> Sequence[Stmt]:
                        return step(
                            lambda row: value(at, block, start + row, lane),
                            lambda column: weight(at, block * self.lanes + lane, column),
                        )

                    def block_of(block: Expr) -> Sequence[Stmt]:
                        return loop("c", self.lanes, lambda c: channel(block, c))

                    blocks = depth // self.lanes
                    if ahead is None:
                        return loop("block", blocks, block_of)
                    weights, panel = ahead
                    return weights.loop("block", blocks, panel, at * rows + start, size, block_of, self.lanes)

                return accumulate(
                    size,
                    self.plan.tile,
                    DType.FLOAT32,
                    reduction,
                    lambda row, column, result: write(at, start + row, column, result),
                )

            return row_tiles("row", rows, self.plan.tile.rows, tile_of)

        return loop("at", self.n**2, each)

    def _outputs(
        self, start: Expr, count: int, panel: Expr, width: int, product: Callable[[int, Expr, Expr], Expr]
    ) -> tuple[Stmt, ...]:
        """Transforms the products of `count` tiles with one panel, and writes the results that are inside of the output."""
        height, row_width = self.spec.y.shape[2:]
        rest, row_rest = height % self.m, row_width % self.m

        def tile_of(t: Expr) -> Sequence[Stmt]:
            batch, row, column = split_index(start + t, self.grid)
            top, left = row * self.m, column * self.m

            def lanes(lane: Expr) -> Sequence[Stmt]:
                names = Names()
                made = both_sides(folded_times, self.matrices.at, lambda i, j: product(i * self.n + j, t, lane), self.n, names)
                for i, values in enumerate(made):
                    for j, value in enumerate(values):
                        stmts = self.site.write(0, (batch, panel * self.columns + lane, top + i, left + j), value)
                        conditions = [
                            *([compare("lt", top + i, height)] if rest and i >= rest else []),
                            *([compare("lt", left + j, row_width)] if row_rest and j >= row_rest else []),
                        ]
                        names.stmts += (If(both(*conditions), stmts),) if conditions else stmts
                return names.stmts

            return vector_blocks("lane", width, self.lanes, lanes)

        return loop("t", count, tile_of)


def _spread(rows: int) -> int:
    """An odd number of rows: the same row of all n² matrices is written together, and must not lie in one set of a cache."""
    return rows | 1


def _panels(filters: int, columns: int) -> tuple[tuple[int, int, int], ...]:
    """Covers the filters by panels: (first panel, number of panels, their width), the last one narrower if need be."""
    full, rest = divmod(filters, columns)
    return ((0, full, columns),) * bool(full) + ((full, 1, rest),) * bool(rest)


def _share(part: Expr, parts: int, count: int, work: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
    """A part's share of `count` pieces of work."""
    if parts == count:
        return tuple(work(part))
    first = Var("first")
    begin, end = part * count // parts, (part + 1) * count // parts
    number = Var("number")
    return (Let(first, begin), For(number, end - first, tuple(work(first + number))))


def _pack(array: np.ndarray, columns: int) -> np.ndarray:
    """`[M, C, 3, 3]` → `[panel, C, 9, columns]`, filled with zeros to whole panels."""
    filters, channels = array.shape[:2]
    panels = -(-filters // columns)
    padded = np.zeros((panels * columns, channels, TAPS * TAPS), array.dtype)
    padded[:filters] = array.reshape(filters, channels, -1)
    return np.ascontiguousarray(padded.reshape(panels, columns, channels, -1).transpose(0, 2, 3, 1))
