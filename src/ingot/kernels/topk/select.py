"""The largest of many numbers in order: what is larger than a bar is put aside; when there is no more room, the largest of what
was put aside are kept, and the last of them is the new bar.

Which are kept is found by halving the interval of their keys: each half takes a count by vectors, and nothing is moved. What is
put aside and kept is so without branches, which no processor would foresee. Only the last ones are sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType
from ingot.kernels.template import Site
from ingot.loops.build.nest import fold_row, loop, vectors_of
from ingot.loops.nodes import (
    LOCAL_BYTES_MAX,
    Alloc,
    Binary,
    Buffer,
    Const,
    Expr,
    If,
    Let,
    Load,
    Operand,
    Stmt,
    Store,
    Var,
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
from ingot.machines.tuning import TopK

Key = Callable[[Expr], Expr]


@dataclass(frozen=True, slots=True)
class Selection:
    """Finds the `count` largest of `extent` keys, the first of equal ones first.

    `kept` are the keys and places of what is put aside, `other` of what is sorted; behind the index of a row, where they are no
    locals. `lanes` is how many keys are in a vector.
    """

    tuning: TopK
    count: int
    extent: int
    lanes: int
    kept: tuple[Buffer, Buffer]
    other: tuple[Buffer, Buffer]

    @property
    def key_type(self) -> DType:
        return self.kept[0].dtype

    @property
    def _local(self) -> bool:
        return len(self.kept[0].shape) == 1

    @property
    def _room(self) -> int:
        return _room(self.tuning, self.count, self.extent)

    @property
    def _lowest(self) -> Const:
        return Const(-(2 ** (self.key_type.bits - 1)), self.key_type)

    def find(self, row: Expr, key: Key, adjoin: bool) -> tuple[tuple[Stmt, ...], Callable[[Expr], Expr]]:
        """Statements that find the largest of `key(0) … key(extent - 1)`, and a function from rank to position.

        Args:
            row: which row it is.
            key: a number of the key type at a position.
            adjoin: whether keys at neighbouring positions lie side by side.
        """
        return _Row(self, row, key, self.lanes if adjoin else 1).largest()


def _room(tuning: TopK, count: int, extent: int) -> int:
    return min(max(tuning.room * count, tuning.min_room) + tuning.block, extent)


def _runs(tuning: TopK, count: int, lanes: int) -> tuple[int, int]:
    """How many runs are sorted by counting, a power of two, and how long each is."""
    run = max(tuning.run_vectors * lanes, tuning.min_run)
    runs = 1
    while runs * run < count:
        runs *= 2
    return runs, -(-count // (runs * lanes)) * lanes


def selection(site: Site, rows: int, count: int, extent: int, key_type: DType) -> Selection:
    """Room for a selection in each of `rows`; more than fits on the stack is a workspace.

    Args:
        site: the place of the kernel.
        rows: how many rows there are.
        count: how many to find, at least 1.
        extent: how many numbers a row has, at least `count`.
        key_type: int32 or int64.
    """
    lanes, tuning = site.machine.lanes(key_type), site.machine.tuning.topk
    runs, length = _runs(tuning, count, lanes)
    width = tuning.parts * lanes
    many = (-(-max(_room(tuning, count, extent), runs * length) // width) * width, runs * length)
    place_type = DType.INT32 if extent < 2**31 else DType.INT64
    local = sum(many) * (key_type.size_bytes + place_type.size_bytes) <= LOCAL_BYTES_MAX * 7 // 8

    def allocated(name: str, dtype: DType, size: int) -> Buffer:
        return buffer(name, dtype, (size,)) if local else site.workspace(name, dtype, (rows, size))

    (keys, other_keys), (places, other_places) = (
        [allocated(f"{prefix}{name}", dtype, size) for prefix, size in zip(("", "other_"), many, strict=True)]
        for name, dtype in (("keys", key_type), ("places", place_type))
    )
    return Selection(tuning, count, extent, lanes, (keys, places), (other_keys, other_places))


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of a selection."""

    of: Selection
    row: Expr
    key: Key
    lanes: int  # of what is read

    def _at(self, number: Operand) -> tuple[Expr, ...]:
        return (index(number),) if self.of._local else (self.row, index(number))

    def _kept(self, number: Operand) -> Expr:
        return Load(self.of.kept[0], self._at(number))

    def largest(self) -> tuple[tuple[Stmt, ...], Callable[[Expr], Expr]]:
        of, size = self.of, self.of.tuning.block
        key_type = of.key_type
        filled, bar = buffer("filled", DType.INT64, (1,)), buffer("bar", key_type, (1,))
        blocks = max(of.extent - of._room + size - 1, 0) // size
        first = of.extent - blocks * size

        def put(position: Expr, key: Expr) -> tuple[Stmt, ...]:
            new, place = Var("new", key_type), load(filled, 0)
            more = select(compare("gt", new, load(bar, 0)), place + 1, place)
            return (Let(new, key), *self._put(of.kept, place, new, position), store(filled, (0,), more))

        def begin(position: Expr, key: Expr) -> tuple[Stmt, ...]:
            return self._put(of.kept, position, key, position)

        def block(number: Expr) -> tuple[Stmt, ...]:
            start = number * size + first
            if self.lanes == 1:
                puts = loop("position", size, lambda at: put(start + at, self.key(start + at)))
            else:
                seen = buffer("seen_keys", key_type, (size,))
                fold, block_max = fold_row(
                    "most",
                    size,
                    self.lanes,
                    lambda at: self.key(start + at),
                    of._lowest,
                    maximum,
                    keep=lambda at, key: (store(seen, (at,), key),),
                )
                aside = loop("position", size, lambda at: put(start + at, load(seen, at)))
                puts = (Alloc(seen), *fold, If(compare("gt", block_max, load(bar, 0)), aside))
            cut = self._cut(filled, bar, of.count + of.count // 8)
            return (If(compare("gt", load(filled, 0), of._room - size), cut), *puts)

        highest = Const(2 ** (key_type.bits - 1) - 1, key_type)
        # The lowest key of those at the beginning: what is wanted is not below it.
        fold, block_min = fold_row("least", first, self.lanes, self.key, highest, minimum, keep=begin)
        stmts = (
            *((Alloc(temporary) for temporary in (*of.kept, *of.other)) if of._local else ()),
            Alloc(filled),
            Alloc(bar),
            *fold,
            store(filled, (0,), first),
            store(bar, (0,), block_min),
            *loop("block", blocks, block),
        )
        if first > of.count:
            stmts += (If(compare("gt", load(filled, 0), of.count), self._cut(filled, bar, of.count)),)
        sorts, places = self._sort()
        return (*stmts, *sorts), lambda rank: cast(Load(places, self._at(rank)), DType.INT64)

    def _put(
        self, target: tuple[Buffer, Buffer], number: Operand, key: Expr, place: Expr
    ) -> tuple[Stmt, ...]:
        keys, places = target
        return (
            Store(keys, self._at(number), key),
            Store(places, self._at(number), cast(place, places.dtype)),
        )

    # ─── cutting down ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _cut(self, filled: Buffer, bar: Buffer, limit: int) -> tuple[Stmt, ...]:
        """Leaves the largest `count` of those put aside, or some more, but not more than `most`, in the order in which they
        came. The bar is what so many reach afterwards.
        """
        of = self.of
        count, key_type = of.count, of.key_type
        low, high = (buffer(name, key_type, (1,)) for name in ("low", "high"))
        reach, above = (
            buffer(name, DType.INT64, (1,)) for name in ("reach", "above")
        )  # how many are at least low, above high
        width = of.tuning.parts * of.lanes
        blocks = (load(filled, 0) + (width - 1)) // width
        ends = loop("free", blocks * width - load(filled, 0), lambda at: (self._free(load(filled, 0) + at),))
        top, largest = self._fold("high", blocks, of._lowest, maximum, lambda key: key)
        middle, number = Var("middle", key_type), Var("number")

        def halve(_: Expr) -> Sequence[Stmt]:
            zero, unit = Const(0, key_type), Const(1, key_type)
            counted, total = self._fold(
                "count",
                blocks,
                zero,
                lambda a, b: a + b,
                lambda key: select(compare("ge", key, middle), unit, zero),
            )
            lower, upper = load(low, 0), load(high, 0)
            half = (
                # Half of the sum, rounded up, which may be too large a number itself.
                Let(middle, Binary("or", lower, upper) - Binary("shr", Binary("xor", lower, upper), unit)),
                *counted,
                Let(number, cast(total, DType.INT64)),
                If(
                    compare("ge", number, count),
                    (store(low, (0,), middle), store(reach, (0,), number)),
                    (store(high, (0,), middle - unit), store(above, (0,), number)),
                ),
            )
            open_ = Binary("and", compare("gt", load(reach, 0), limit), compare("lt", lower, upper))
            return (If(open_, half),)

        equal, left = buffer("equal", DType.INT64, (1,)), buffer("left", DType.INT64, (1,))

        def keep(at: Expr) -> Sequence[Stmt]:
            key, place = Var("key", key_type), Var("place", of.kept[1].dtype)
            is_equal, stays = Var("is_equal", DType.BOOL), Var("stays", DType.BOOL)
            has_room = compare("gt", load(equal, 0), 0)
            return (
                Let(key, self._kept(at)),
                Let(place, Load(of.kept[1], self._at(at))),
                Let(is_equal, compare("eq", key, load(low, 0))),
                Let(stays, Binary("or", compare("gt", key, load(low, 0)), Binary("and", is_equal, has_room))),
                *self._put(of.kept, load(left, 0), key, place),
                store(left, (0,), select(stays, load(left, 0) + 1, load(left, 0))),
                store(equal, (0,), select(is_equal, load(equal, 0) - 1, load(equal, 0))),
            )

        return (
            *(Alloc(temporary) for temporary in (low, high, reach, above, equal, left)),
            *ends,
            *top,
            store(low, (0,), load(bar, 0)),
            store(high, (0,), largest),
            store(reach, (0,), load(filled, 0)),
            store(above, (0,), 0),
            *loop("half", key_type.bits, halve),
            # Of equal ones that are too many the first stay.
            store(
                equal,
                (0,),
                select(compare("gt", load(reach, 0), limit), index(count) - load(above, 0), load(reach, 0)),
            ),
            store(left, (0,), 0),
            *loop("at", load(filled, 0), keep),
            store(filled, (0,), load(left, 0)),
            store(bar, (0,), load(low, 0)),
        )

    def _free(self, number: Expr) -> Stmt:
        return Store(self.of.kept[0], self._at(number), self.of._lowest)

    def _fold(
        self,
        name: str,
        blocks: Expr,
        initial: Expr,
        combine: Callable[[Expr, Expr], Expr],
        of_key: Callable[[Expr], Expr],
    ) -> tuple[tuple[Stmt, ...], Expr]:
        """Folds something of all that was put aside and of what fills up the last block."""
        width = self.of.tuning.parts * self.of.lanes
        partial = buffer(f"{name}_partial", initial.dtype, (width,))

        def whole(size: int, body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
            return vectors_of(size, self.of.lanes, body, name=f"{name}_lane")

        def block(number: Expr) -> Sequence[Stmt]:
            def add(lane: Expr) -> Sequence[Stmt]:
                return (
                    store(
                        partial,
                        (lane,),
                        combine(load(partial, lane), of_key(self._kept(number * width + lane))),
                    ),
                )

            return whole(width, add)

        stmts = (
            Alloc(partial),
            *whole(width, lambda lane: (store(partial, (lane,), initial),)),
            *loop(f"{name}_block", blocks, block),
        )
        half = width // 2
        while half:
            stmts += whole(
                half,
                lambda lane, half=half: (  # type: ignore[misc]
                    store(partial, (lane,), combine(load(partial, lane), load(partial, lane + half))),
                ),
            )
            half //= 2
        return stmts, load(partial, 0)

    # ─── sorting ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _sort(self) -> tuple[tuple[Stmt, ...], Buffer]:
        """Sorts what was kept into falling order; returns where its places are then."""
        of = self.of
        runs, length = _runs(of.tuning, of.count, of.lanes)
        stmts = loop("free", runs * length - of.count, lambda at: (self._free(at + of.count),))
        stmts += loop("run", runs, lambda number: self._by_counting(number * length, length, runs > 1))
        source, target = of.other, of.kept
        while runs > 1:
            runs //= 2
            stmts += loop("pair", runs, lambda n: self._merge(source, target, n * (2 * length), length))  # noqa: B023
            source, target, length = target, source, 2 * length
        return stmts, source[1]

    def _by_counting(self, first: Expr, length: int, with_keys: bool) -> Sequence[Stmt]:
        """Sorts a run: the place of a number is how many are larger, and how many before it are equal."""
        of = self.of
        rank, equal = (buffer(name, of.key_type, (length,)) for name in ("rank", "equal"))
        zero, unit, its = Const(0, of.key_type), Const(1, of.key_type), Var("its", of.key_type)

        def every(body: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
            return vectors_of(length, of.lanes, body) if of.lanes > 1 else loop("lane", length, body)

        def larger(at: Expr) -> Sequence[Stmt]:
            def add(lane: Expr) -> Sequence[Stmt]:
                is_larger = compare("gt", its, self._kept(first + lane))
                return (store(rank, (lane,), load(rank, lane) + select(is_larger, unit, zero)),)

            return (Let(its, self._kept(first + at)), *every(add))

        def move(at: Expr) -> Sequence[Stmt]:
            larger_ones, before = Var("larger_ones", DType.INT64), Var("before", of.key_type)
            place = first + larger_ones + cast(before, DType.INT64)
            keys, places = of.other
            moved = Store(places, self._at(place), Load(of.kept[1], self._at(first + at)))
            return (
                Let(larger_ones, cast(load(rank, at), DType.INT64)),
                Let(before, load(equal, larger_ones)),
                *((Store(keys, self._at(place), self._kept(first + at)),) if with_keys else ()),
                moved,
                store(equal, (larger_ones,), before + unit),
            )

        return (
            Alloc(rank),
            Alloc(equal),
            *every(lambda lane: (store(rank, (lane,), zero), store(equal, (lane,), zero))),
            *loop("at", length, larger),
            *loop("at", length, move),
        )

    def _merge(
        self, source: tuple[Buffer, Buffer], target: tuple[Buffer, Buffer], first: Expr, length: int
    ) -> Sequence[Stmt]:
        """Merges two neighbouring runs, from both ends, so that neither runs out, and one does not wait for the other."""
        front, back = (
            buffer(name, DType.INT64, (1,)) for name in ("front", "back")
        )  # taken of the first and of the second
        last = first + 2 * length - 1

        def one_of(
            name: str, left: Expr, right: Expr, takes: str
        ) -> tuple[tuple[Stmt, ...], Expr, Expr, Expr]:
            a, b = (Var(f"{name}_{which}", self.of.key_type) for which in "ab")
            wins = Var(f"{name}_wins", DType.BOOL)
            (key_a, key_b), places = ([Load(part, self._at(at)) for at in (left, right)] for part in source)
            lets = (Let(a, key_a), Let(b, key_b), Let(wins, compare(takes, a, b)))
            return lets, wins, select(wins, a, b), select(wins, *places)

        def step(at: Expr) -> Sequence[Stmt]:
            taken, left = load(front, 0), load(back, 0)
            # Of equal ones that of the first run is the first.
            begin, first_wins, *larger = one_of("front", first + taken, first + length + (at - taken), "ge")
            end, first_loses, *smaller = one_of("back", first + (length - 1) - left, last - (at - left), "lt")
            return (
                *begin,
                *self._put(target, first + at, *larger),
                store(front, (0,), select(first_wins, taken + 1, taken)),
                *end,
                *self._put(target, last - at, *smaller),
                store(back, (0,), select(first_loses, left + 1, left)),
            )

        begin = (Alloc(front), Alloc(back), store(front, (0,), 0), store(back, (0,), 0))
        return (*begin, *loop("at", length, step))
