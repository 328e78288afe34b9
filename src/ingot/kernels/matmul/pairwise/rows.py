"""The left operand of a pairwise inner product (see `matmul/pairwise`): tiles of rows, copied and scaled, and what sums begin
with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType
from ingot.kernels.blocks.register_block import row_pitch
from ingot.kernels.matmul.pairwise.product import EXCESS, FEW, Product, paired
from ingot.kernels.template import Site
from ingot.loops.build.nest import add, fold_row, loop, pieces, vector, vector_blocks
from ingot.loops.nodes import (
    Alloc,
    Bitcast,
    Buffer,
    Const,
    Expr,
    Fma,
    For,
    If,
    Let,
    LoopKind,
    Prefetch,
    Stmt,
    Var,
    binary,
    both,
    buffer,
    call,
    compare,
    index,
    load,
    maximum,
    minimum,
    select,
    store,
)
from ingot.machines.machine import LINE_BYTES

_F32, _I32 = DType.FLOAT32, DType.INT32
_ZERO = Const(0.0, _F32)
# Of a float32: where its exponent begins, and exponents for which 2^e and 2^-e are normal numbers.
_EXPONENT_AT, _EXPONENT_MIN, _EXPONENT_MAX = 23, 1, 253
_EVEN, _ODD, _DONE = 0, 1, 2  # rows: that go in pairs, that do not, and that the tile before has done
_MEAN_MAX = 2.0  # of a scaled row, unless its elements are too large to be scaled


class Rows:
    """`places` tiles of `size` rows in memory: `x`, the terms of a row in their order, those that begin pairs with negated
    signs; `begin`, what its sums begin with besides what weights add; `scale`, what results are multiplied by. A row
    that `is_even` goes in pairs, one that `is_odd` is to be multiplied by definition, others are done; `others` is how many
    of a tile's rows are not even.
    """

    def __init__(self, site: Site, product: Product, places: int, size: int, scale_bits: int) -> None:
        self._size = size
        self._product, self._lanes, self._prefetches = (
            product,
            site.machine.lanes(_F32),
            site.machine.prefetch,
        )
        self._pairs = paired(product.depth)
        self._is_gathered = product.runs > 1 or product.inside is not None
        # Both scales together are finite.
        self._exponent_max = _EXPONENT_MAX - scale_bits
        self._copy = site.workspace("rows", _F32, (places, size, row_pitch(product.depth, _F32)))
        self._of_rows = site.workspace("of_rows", _F32, (places, 2, row_pitch(size, _F32)))
        # How many are not even, and the kind of each.
        self._kinds = site.workspace("kinds", _I32, (places, row_pitch(size + 1, _I32)))

    def x(self, place: Expr, row: Expr, k: Expr) -> Expr:
        return load(self._copy, place, row, k)

    def begin(self, place: Expr, row: Expr) -> Expr:
        return load(self._of_rows, place, 0, row)

    def scale(self, place: Expr, row: Expr) -> Expr:
        return load(self._of_rows, place, 1, row)

    def is_even(self, place: Expr, row: Expr) -> Expr:
        return compare("eq", self._kind(place, row), _EVEN)

    def is_odd(self, place: Expr, row: Expr) -> Expr:
        return compare("eq", self._kind(place, row), _ODD)

    def others(self, place: Expr) -> Expr:
        return load(self._kinds, place, 0)

    def _kind(self, place: Expr, row: Expr) -> Expr:
        return load(self._kinds, place, row + 1)

    def asked(self) -> tuple[Stmt, ...]:
        """Asks for all copied rows: other threads made some, whose lines would come one by one."""
        if not self._prefetches:
            return ()
        line = LINE_BYTES // _F32.size_bytes
        zero = index(0)
        return loop(
            "line",
            self._copy.type.size // line,
            lambda at: (Prefetch(self._copy, (zero, zero, at * line), near=True),),
        )

    def fill(self, place: Expr, first: Expr, done: Expr) -> tuple[Stmt, ...]:
        """Copies rows from `first` on, of which some are `done`, in steps that each do one thing for all of them: no row waits
        for its own sums.
        """
        size = self._size
        known = [buffer(name, _F32, (size,)) for name in ("total", "inverse", "squares", "products")]
        total, inverse, squares, products = known
        of_mean = Const(1.0 / self._product.depth, _F32)

        def scale(row: Expr) -> Sequence[Stmt]:
            exponent = Var("exponent", _I32)
            bits = binary("shr", Bitcast(load(total, row) * of_mean, _I32), _EXPONENT_AT)
            power, opposite = exponent, Const(_EXPONENT_MIN + _EXPONENT_MAX, _I32) - exponent
            by, against = (Bitcast(binary("shl", each, _EXPONENT_AT), _F32) for each in (power, opposite))
            return (
                Let(exponent, minimum(maximum(bits, _EXPONENT_MIN), self._exponent_max)),
                store(inverse, (row,), against),
                store(
                    self._of_rows, (place, 1, row), select(compare("eq", load(total, row), _ZERO), _ZERO, by)
                ),
            )

        def kind(row: Expr) -> Expr:
            mean, square = load(total, row) * of_mean * load(inverse, row), load(squares, row)
            is_scaled = both(compare("ge", mean, 1.0), compare("le", mean, _MEAN_MAX))
            is_even = both(
                compare("le", load(products, row), square * (mean * mean * EXCESS**2)),
                compare("le", square, mean * mean * (self._product.depth**2 / FEW)),
            )
            goes = select(is_scaled, is_even, compare("eq", load(total, row), _ZERO))
            scaling = select(goes, Const(_EVEN, _I32), _ODD)
            return select(compare("lt", row, done), Const(_DONE, _I32), scaling)

        fold, others = fold_row(
            "others",
            size,
            self._lanes,
            lambda row: select(self.is_even(place, row), Const(0, _I32), 1),
            Const(0, _I32),
            add,
        )
        stmts = (
            *(Alloc(each) for each in known),
            *loop("row", size, lambda row: self._measured(place, first, row, total)),
            *vector_blocks("row", size, self._lanes, scale),
            *loop("row", size, lambda row: self._scaled(place, first, row, inverse, squares, products)),
            *vector_blocks(
                "row", size, self._lanes, lambda row: (store(self._kinds, (place, row + 1), kind(row)),)
            ),
            *fold,
            store(self._kinds, (place, 0), others),
        )
        return (For(Var("copying"), index(1), stmts, LoopKind.SERIAL),)

    def _measured(self, place: Expr, first: Expr, row: Expr, total: Buffer) -> Sequence[Stmt]:
        """The sum of a row's absolute values. One whose runs may be elsewhere is also put together here."""
        product, depth = self._product, self._product.depth
        if not self._is_gathered:
            fold, size = fold_row(
                "size",
                depth,
                self._lanes,
                lambda k: call("abs", product.read(first + row, index(0), k)),
                _ZERO,
                add,
            )
            return (*fold, store(total, (row,), size))
        elements = depth // product.runs
        sums = buffer("size", _F32, (self._lanes,))

        def run(number: Expr) -> Sequence[Stmt]:
            def put(value: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
                return self._vectors(
                    elements,
                    lambda at, _: (store(self._copy, (place, row, number * elements + at), value(at)),),
                )

            def copied(at: Expr, lane: Expr) -> Sequence[Stmt]:
                value = Var("value", _F32)
                return (
                    Let(value, product.read(first + row, number, at)),
                    store(self._copy, (place, row, number * elements + at), value),
                    store(sums, (lane,), load(sums, lane) + call("abs", value)),
                )

            there = self._vectors(elements, copied)
            if product.inside is None:
                return there
            return (If(product.inside(first + row, number), there, put(lambda _: _ZERO)),)

        return (
            Alloc(sums),
            *vector("lane", self._lanes, lambda lane: (store(sums, (lane,), _ZERO),)),
            *loop("run", product.runs, run),
            *self._folded(sums, ()),
            store(total, (row,), load(sums, 0)),
        )

    def _vectors(self, extent: int, body: Callable[[Expr, Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """`body(element, lane)` by vectors, as many as are whole in a loop."""
        whole = extent // self._lanes
        stmts = loop(
            "whole",
            whole,
            lambda at: vector("lane", self._lanes, lambda lane: body(at * self._lanes + lane, lane)),
        )
        for start, size in pieces(extent - whole * self._lanes, self._lanes):
            begin = whole * self._lanes + start
            stmts += vector("lane", size, lambda lane, begin=begin: body(lane + begin, lane))  # type: ignore[misc]
        return stmts

    def _folded(self, sums: Buffer, where: tuple[int, ...]) -> tuple[Stmt, ...]:
        """Adds up the lanes of `sums[*where]`, into the first."""
        stmts: tuple[Stmt, ...] = ()
        half = self._lanes // 2
        while half:
            stmts += vector(
                "lane",
                half,
                lambda lane, half=half: (  # type: ignore[misc]
                    store(sums, (*where, lane), load(sums, *where, lane) + load(sums, *where, lane + half)),
                ),
            )
            half //= 2
        return stmts

    def _scaled(
        self, place: Expr, first: Expr, row: Expr, inverse: Buffer, squares: Buffer, products: Buffer
    ) -> Sequence[Stmt]:
        """Copies a row, scaled, and sums up the products of its pairs, its squares, and those of these products."""
        product, lanes, pairs = self._product, self._lanes, self._pairs
        sums = buffer("sums", _F32, (3, lanes))
        begin, square, of_products = range(3)

        def value(k: Expr) -> Expr:
            element = (
                load(self._copy, place, row, k)
                if self._is_gathered
                else product.read(first + row, index(0), k)
            )
            return element * load(inverse, row)

        def squared(which: int, element: Expr, lane: Expr) -> Stmt:
            return store(sums, (which, lane), Fma(element, element, load(sums, which, lane)))

        def pair(start: Expr, size: int, is_negated: bool) -> tuple[Stmt, ...]:
            def each(lane: Expr) -> Sequence[Stmt]:
                left, right, both_ = Var("one", _F32), Var("other", _F32), Var("both", _F32)
                total = load(sums, begin, lane)
                return (
                    Let(left, value(start + lane)),
                    Let(right, value(start + lane + pairs)),
                    store(self._copy, (place, row, start + lane), -left if is_negated else left),
                    store(self._copy, (place, row, start + lane + pairs), right),
                    Let(both_, left * right),
                    store(sums, (begin, lane), total + both_ if is_negated else total - both_),
                    squared(square, left, lane),
                    squared(square, right, lane),
                    squared(of_products, both_, lane),
                )

            return vector("lane", size, each)

        def alone(at: Expr, lane: Expr) -> Sequence[Stmt]:
            single, k = Var("single", _F32), at + 2 * pairs
            return (
                Let(single, value(k)),
                squared(square, single, lane),
                store(self._copy, (place, row, k), single),
            )

        two = 2 * lanes
        whole = pairs // two
        stmts = loop(
            "pair", whole, lambda at: (*pair(at * two, lanes, False), *pair(at * two + lanes, lanes, True))
        )
        for number, (start, size) in enumerate(pieces(pairs - whole * two, lanes)):
            stmts += pair(index(start + whole * two), size, number % 2 == 1)
        zeros: tuple[Stmt, ...] = ()
        for number in range(3):
            zeros += vector("lane", lanes, lambda lane, number=number: (store(sums, (number, lane), _ZERO),))  # type: ignore[misc]
        folds = [stmt for number in range(3) for stmt in self._folded(sums, (number,))]
        return (
            Alloc(sums),
            *zeros,
            *stmts,
            *self._vectors(product.depth - 2 * pairs, alone),
            *folds,
            store(self._of_rows, (place, 0, row), load(sums, begin, 0)),
            store(squares, (row,), load(sums, square, 0)),
            store(products, (row,), load(sums, of_products, 0)),
        )
