"""Matrix products with fewer multiplications: Strassen's algorithm in Winograd's form, one level of it, for constant weights.

Both operands and the result are taken as four quarters. Seven products of sums of quarters do for the eight of the definition:

    S1 = A21 + A22    S2 = S1 - A11    S3 = A11 - A21    S4 = A12 - S2
    T1 = B12 - B11    T2 = B11 + T3    T3 = B22 - B12    T4 = B21 - T2
    U1 = A11 B11      U2 = U1 + S2 T2  U3 = U2 + S3 T3   U4 = U2 + S1 T1
    C11 = U1 + A12 B21    C12 = U4 + S4 B22    C21 = U3 + A22 T4    C22 = U3 + S1 T1

A product begins with the sums that it is added to in its registers, so that hardly anything but the products themselves is
left. The sums of the left operand are made first. Those of weights are not kept in the file, where they would be three quarters
of the weights once more: while the registers of one product are busy, the weights of the next are summed, a vector now and
then, on units that multiply-adds leave idle.

**Error.** Quarters are added before they are multiplied, so the error is relative to larger numbers than those that an element
is made of: in row i it grows with the elements of row i ± M/2, in column j with those of column j ± N/2. With normal factors it
is, measured against float64 in units of the root mean square of the results (largest, root mean square):

    K       by definition     Strassen
    384     2.8e-6, 3.5e-7    6.2e-6, 7.9e-7
    1536    5.6e-6, 7.0e-7    1.2e-5, 1.6e-6
    3072    9.1e-6, 9.9e-7    1.9e-5, 2.2e-6

An infinity or a NaN reaches all elements of two rows, or of two columns, and an element that is thousands of times larger than
the rest takes the digits of all that it is added to: the error is bounded by norms of the operands, not element by element. So
it is for who asks for it, `math="normwise"`.

*Source:* V. Strassen, Gaussian elimination is not optimal (1969); S. Winograd, On multiplication of 2 × 2 matrices (1971);
J. Demmel, I. Dumitriu, O. Holtz, R. Kleinberg, Fast matrix multiplication is stable (2007), of the norm-wise bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.algorithm import FOR_PROCESSORS, Algorithm, Estimate, why_not
from ingot.kernels.blocks.register_block import (
    ALIAS_BYTES,
    Sums,
    Tile,
    balanced,
    row_pitch,
    step_cycles,
    tiles,
)
from ingot.kernels.matmul.problem import MatMul
from ingot.kernels.template import Site
from ingot.loops.build.builder import Builder
from ingot.loops.build.nest import collapse, loop, split_index, vector_blocks, vectors_of
from ingot.loops.nodes import Expr, For, Let, LoopKind, Prefetch, Stmt, Var, index, load, minimum, store
from ingot.machines.machine import LINE_BYTES, Machine

STEPS = 4  # of a sum between two pieces of other work
PRODUCTS = 7


def _refuses(site: Site, problem: MatMul) -> str:
    """The sums of the left operand take up to seven quarters of its memory, and each pair of panels reads them all: they must not
    come from behind the caches each time.
    """
    machine, output = site.machine, problem.output
    rows, depth, columns = output.shape[-2], problem.a.shape[-1], output.shape[-1]
    left_bytes = rows * depth * DType.FLOAT32.size_bytes
    return (
        why_not(
            (
                machine.math != "normwise",
                "its error is relative to the largest elements, which --math normwise allows",
            ),
            (machine.grid, FOR_PROCESSORS),
            (machine.lanes(DType.FLOAT32) <= 1, "the machine has no vectors of float32"),
            (output.dtype is not DType.FLOAT32, "it multiplies float32 only"),
            (
                not site.is_constant(1) or problem.b.rank != 2,
                "the right operand is no matrix that is known while building",
            ),
        )
        or why_not(
            (left_bytes == 0 or columns == 0, "there is nothing to compute"),
            (
                left_bytes > machine.tuning.strassen.left_max_caches * machine.l2_bytes,
                "sums of the left operand do not stay in the caches",
            ),
            (output.size != rows * columns, "it makes one matrix"),
            (
                bool(rows % 2 or depth % (2 * STEPS) or columns % 2),
                f"extents are not even, or terms no multiple of {2 * STEPS}",
            ),
        )
        or why_not((not _tiles(site, problem), "half of the columns are no whole panels"))
    )


def _tiles(site: Site, problem: MatMul) -> dict[str, Tile]:
    """The tiles of which panels cover half of the columns."""
    rows, columns = problem.output.shape[-2:]
    offered = tiles(site.machine, DType.FLOAT32, rows // 2, columns // 2)
    return {name: tile for name, tile in offered.items() if columns // 2 % tile.columns == 0}


def _estimate(site: Site, problem: MatMul) -> Estimate:
    (rows, columns), depth = problem.output.shape[-2:], problem.a.shape[-1]
    machine, tile = site.machine, next(iter(_tiles(site, problem).values()))
    cycles = _cycles(machine, tile, rows, depth, columns)
    definition = _by_definition(machine, rows, depth, columns)
    ratio = cycles / definition
    tuning = machine.tuning.strassen
    return Estimate(ratio <= tuning.worth, ratio <= tuning.try_worth, cycles, definition)


def _by_definition(machine: Machine, rows: int, depth: int, columns: int) -> float:
    tile = next(iter(tiles(machine, DType.FLOAT32, rows, columns).values()))
    return _products(machine, tile, rows, depth, columns)


def _products(machine: Machine, tile: Tile, rows: int, depth: int, columns: int) -> float:
    """Cycles of a matrix product."""
    tiles_ = -(-rows // tile.rows) * -(-columns // tile.columns)
    return (
        depth * step_cycles(machine, rows, tile.rows, columns, tile.vectors, tile.lanes)
        + tiles_ * machine.tuning.strassen.block_cycles
    )


def _cycles(machine: Machine, tile: Tile, rows: int, depth: int, columns: int) -> float:
    """Of seven products of quarters, of the sums of the left operand and of intermediate results, and of the sums of weights,
    most of which cost nothing while there are multiply-adds enough.
    """
    tuning = machine.tuning.strassen
    products = PRODUCTS * _products(machine, tile, rows // 2, depth // 2, columns // 2)
    blocks = -(-rows // (2 * tuning.task_blocks * tile.rows))
    moved = (
        tuning.sum_cycles * (rows * depth + rows * columns)
        + tuning.weight_sum_cycles * blocks * depth * columns
    )
    return products + moved / tile.lanes


def build_strassen(site: Site, problem: MatMul, tile: Tile) -> Sequence[Stmt]:
    """The statements of a product, by register blocks of which `_tiles` has some."""
    return _Writer(site, problem.a, problem.output, tile).statements()


STRASSEN = Algorithm(
    "strassen",
    lambda site, problem: build_strassen(site, problem, site.choose("tile", _tiles(site, problem))),
    _refuses,
    estimate=_estimate,
)


_Write = Callable[[Expr, Expr, Expr], tuple[Stmt, ...]]  # row of the block, column of the panel, sum


class _Writer:
    """Writes the kernel.

    Weights lie in pairs of panels, one of the left and one of the right half of the columns: quarter after quarter, B11, B21,
    B12, B22, each `[K / 2, width]`.
    """

    def __init__(self, site: Site, a: TensorType, output: TensorType, tile: Tile) -> None:
        self.site, self.tile, self.late = site, tile, site.has_long_epilogue
        self.half, self.depth, self.columns = output.shape[-2] // 2, a.shape[-1] // 2, output.shape[-1] // 2
        self.batch = (index(0),) * (output.rank - 2)
        self.width = tile.columns
        self.pairs = self.columns // self.width
        self.quarter = self.depth * self.width  # elements of a quarter of a pair of panels
        array = site.constant(1)
        assert array is not None
        self.weights = site.pack(1, _pack(array, self.width))
        blocks = balanced(self.half, site.machine.tuning.strassen.task_blocks * tile.rows)
        self.blocks = blocks
        self.parts = min(
            site.machine.tuning.strassen.max_tasks, max(count for _, count in blocks) * self.pairs
        )
        strides = site.input(0).strides
        self.in_place = strides[-1] == 1 and (strides[-2] * 4 % ALIAS_BYTES != 0 or tile.rows <= 4)
        pitch = row_pitch(self.depth, DType.FLOAT32)
        self.sums = site.workspace("sums", DType.FLOAT32, (4 if self.in_place else 7, self.half, pitch))
        self.factors = site.workspace(
            "factors", DType.FLOAT32, (self.parts, 2, row_pitch(self.quarter, DType.FLOAT32))
        )
        self.partial = site.workspace(
            "partial", DType.FLOAT32, (self.parts, 2, row_pitch(blocks[0][0] * self.width, DType.FLOAT32))
        )

    def statements(self) -> Sequence[Stmt]:
        stmts = collapse("sum", (self.half,), lambda where: self._sums_of_row(where[0]))
        first = 0
        for size, count in self.blocks:
            stmts += self._tasks(first, size, count)
            first += size * count
        return stmts

    def _tasks(self, first: int, size: int, count: int) -> tuple[Stmt, ...]:
        """All products for `count` blocks of `size` rows of the upper half, and as many of the lower."""
        tasks = self.pairs * count
        shares = min(self.parts, tasks)

        def task(part: Expr, number: Expr) -> Sequence[Stmt]:
            pair, block = split_index(number, (self.pairs, count))
            return self._block(part, pair, block * size + first, size, block, count)

        return loop(
            f"part{size}",
            shares,
            lambda part: share(part, shares, tasks, lambda number: task(part, number)),
            LoopKind.PARALLEL,
        )

    def _quarter_of_a(self, row: Expr, k: Expr, lower: bool, right: bool) -> Expr:
        return self.site.read(0, *self.batch, row + self.half * lower, k + self.depth * right)

    def _sums_of_row(self, row: Expr) -> tuple[Stmt, ...]:
        def lanes(k: Expr) -> Sequence[Stmt]:
            a11, a12, a21, a22 = (
                self._quarter_of_a(row, k, lower, right) for lower in (False, True) for right in (False, True)
            )
            s1 = a21 + a22
            s2 = s1 - a11
            sums = (s1, s2, a11 - a21, a12 - s2, *(() if self.in_place else (a11, a12, a22)))
            return tuple(store(self.sums, (number, row, k), value) for number, value in enumerate(sums))

        return (
            *self._ask(index(0), row, self.half, self.quarter),
            *vector_blocks("k", self.depth, self.tile.lanes, lanes),
        )

    def _ask(self, first: Expr, done: Expr, times: int, elements: int) -> tuple[Stmt, ...]:
        """Asks for the weights from the element `first` on, if it is done `times` times; `done` are behind it."""
        if not self.site.machine.prefetch:
            return ()
        line = LINE_BYTES // DType.FLOAT32.size_bytes
        lines = -(-elements // line // times)
        start, last = first + done * (lines * line), self.weights.type.size - 1
        return tuple(
            Prefetch(self.weights, (index(0), index(0), minimum(start + number * line, last)))
            for number in range(lines)
        )

    def _block(
        self, part: Expr, pair: Expr, first: Expr, size: int, block: Expr, blocks: int
    ) -> tuple[Stmt, ...]:
        """The seven products of one pair of panels for a block of rows."""
        x, y = 0, 1  # of the factors
        p, q = 0, 1  # of partial results

        def sums_of_a(number: int) -> Callable[[Expr, Expr], Expr]:
            return lambda row, k: load(self.sums, number, row, k)

        def quarter_of_a(lower: bool, right: bool) -> Callable[[Expr, Expr], Expr]:
            if not self.in_place:
                return sums_of_a(6 if lower else 5 if right else 4)
            return lambda row, k: self._quarter_of_a(row, k, lower, right)

        def factor(number: int) -> Callable[[Expr], Expr]:
            return lambda at: load(self.factors, part, number, at)

        def weight(number: int) -> Callable[[Expr], Expr]:
            return lambda at: load(self.weights, pair, number, at)

        def partial(number: int) -> Callable[[Expr, Expr], Expr]:
            return lambda row, column: load(self.partial, part, number, row * self.width + column)

        def keep(number: int) -> _Write:
            return lambda row, column, value: (
                store(self.partial, (part, number, row * self.width + column), value),
            )

        def result(lower: bool, right: bool) -> _Write:
            def write(row: Expr, column: Expr, value: Expr) -> tuple[Stmt, ...]:
                at = pair * self.width + column + self.columns * right
                return self.site.write(0, (*self.batch, first + row + self.half * lower, at), value)

            return write

        def make(number: int, value: Callable[[Expr], Expr]) -> Callable[[Expr], tuple[Stmt, ...]]:
            return lambda at: (store(self.factors, (part, number, at), value(at)),)

        def both(row: Expr, column: Expr, value: Expr) -> tuple[Stmt, ...]:
            return (
                *result(True, True)(row, column, partial(p)(row, column) + value),
                *keep(q)(row, column, partial(q)(row, column) + value),
            )

        b11, b21, b12, b22 = (weight(number) for number in range(4))
        s1, s2, s3, s4 = (sums_of_a(number) for number in range(4))
        a11, a12, a22 = (quarter_of_a(*at) for at in ((False, False), (False, True), (True, True)))
        products: tuple[_Product, ...] = (
            _Product(a11, b11, None, keep(p), None, first=True),
            _Product(
                a12,
                b21,
                partial(p),
                result(False, False),
                make(x, lambda at: b22(at) - b12(at) + b11(at)),
                self.late,
            ),
            _Product(s2, factor(x), partial(p), keep(q), make(y, lambda at: b22(at) - b12(at))),
            _Product(
                s3, factor(y), partial(q), keep(p), make(x, lambda at: b21(at) - b11(at) - factor(y)(at))
            ),
            _Product(
                a22,
                factor(x),
                partial(p),
                result(True, False),
                make(y, lambda at: b12(at) - b11(at)),
                self.late,
            ),
            _Product(s1, factor(y), None, both, None, self.late),
            _Product(s4, b22, partial(q), result(False, True), None, self.late),
        )
        stmts: tuple[Stmt, ...] = ()
        for number, product in enumerate(products):
            stmts += self._product(product, pair, first, size, block * PRODUCTS + number, blocks * PRODUCTS)
        return stmts

    def _product(
        self, product: _Product, pair: Expr, first: Expr, size: int, number: Expr, numbers: int
    ) -> tuple[Stmt, ...]:
        """One product, interleaved with making the next factors and with prefetches of the next pair of panels."""
        shapes = balanced(size, self.tile.rows)
        tiles_ = sum(count for _, count in shapes)
        steps = self.depth // STEPS
        vectors = self.depth * self.tile.vectors
        vectors_each = -(-vectors // (steps * tiles_))  # in each of them
        everything, times = 4 * self.quarter, steps * tiles_

        def interleaved(done: Expr) -> tuple[Stmt, ...]:
            stmts = self._ask((pair + 1) * everything, done + number * times, times * numbers, everything)
            if product.first:
                stmts += self._ask(pair * everything + self.quarter, done, times, everything - self.quarter)
            if product.interleaved is not None:
                at = minimum(done * vectors_each, vectors - vectors_each) * self.tile.lanes
                stmts += vectors_of(
                    vectors_each * self.tile.lanes,
                    self.tile.lanes,
                    lambda lane: product.interleaved(at + lane),  # type: ignore[misc]
                )
            return stmts

        def tile_of(at: Expr, rows: int, start: int, before: int) -> Sequence[Stmt]:
            top = at * rows + start

            def weight(step: Expr, column: Expr) -> Expr:
                return product.right(step * self.width + column)

            begin = product.start
            start_ = None if begin is None else lambda row, column: begin(top + row, column)
            k = Builder()
            with k.block("tile"):
                sums = Sums(k, rows, self.tile, DType.FLOAT32, start_)
                for several in k.loop("k", steps):
                    k.emit(interleaved((at + before) * steps + several))
                    for part in k.loop("step", STEPS, LoopKind.UNROLLED):
                        step = several * STEPS + part
                        values = [product.left(first + top + row, step) for row in range(rows)]
                        sums.add(values, partial(weight, step))
                for row, column, value in sums.results(in_loop=product.late):
                    k.emit(product.write(top + row, column, value))
            return k.statements()

        stmts: tuple[Stmt, ...] = ()
        start = before = 0
        for rows, count in shapes:
            stmts += loop(
                f"m{rows}",
                count,
                lambda at, rows=rows, start=start, before=before: tile_of(at, rows, start, before),  # type: ignore[misc]
            )
            start, before = start + rows * count, before + count
        return stmts


@dataclass(frozen=True, slots=True)
class _Product:
    """`left × right`, added to `start`; `write` takes the sums, `interleaved` makes an element of the factors of the next."""

    left: Callable[[Expr, Expr], Expr]  # row, k
    right: Callable[[Expr], Expr]  # place in a quarter of the weights
    start: Callable[[Expr, Expr], Expr] | None  # row of the block, column of the panel
    write: _Write
    interleaved: Callable[[Expr], tuple[Stmt, ...]] | None
    late: bool = False  # what is done to results is long
    first: bool = False  # what the others need may not be near yet


def share(part: Expr, shares: int, count: int, work: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
    """A part's share of `count` pieces of work."""
    if shares == count:
        return tuple(work(part))
    first, number = Var("first"), Var("number")
    begin, end = part * count // shares, (part + 1) * count // shares
    extent = index(count // shares) if count % shares == 0 else end - first
    return (Let(first, begin), For(number, extent, tuple(work(first + number))))


def _pack(array: np.ndarray, width: int) -> np.ndarray:
    """`[K, N]` → `[pair, 4, K / 2 * width]`: B11, B21, B12, B22 of each pair of panels."""
    depth, columns = array.shape
    split = array.reshape(2, depth // 2, 2, columns // 2 // width, width)
    return np.ascontiguousarray(split.transpose(3, 2, 0, 1, 4)).reshape(-1, 4, depth // 2 * width)
