"""Loops that end where they would only compute places of an axis which are not there (`analyse/counts`).

A loop whose later iterations write nothing that is needed ends before them: its extent becomes an expression of the sizes of the
call. What a store writes is needed if its place may be there; of memory that an iteration uses for itself alone nothing is. Loops
of constant extent stay so where code depends on it: vector and unrolled loops, and those that walk over a local buffer, which
would have to leave its registers. The kernel's own parameters say what is there, so a kernel without limits stays as it is.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ingot.loops.analyse.accesses import Access, IndexKey, Names, accesses, index_key, is_same
from ingot.loops.analyse.before import Growth, Lowest, Terms
from ingot.loops.analyse.behind import Behind
from ingot.loops.analyse.counts import Limit
from ingot.loops.analyse.of_sizes import OfSizes
from ingot.loops.analyse.private import Memory
from ingot.loops.analyse.read_below import read_below
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Expr,
    For,
    If,
    Kernel,
    Let,
    Load,
    LoopKind,
    Stmt,
    Store,
    Var,
    index,
    maximum,
    minimum,
)
from ingot.loops.text import expr_text
from ingot.loops.transform.given import Given
from ingot.loops.transform.rewrite import Rewriter, bound_by, postorder, statements
from ingot.loops.transform.rounds import in_rounds, of_block, of_remainder
from ingot.loops.transform.simplify import simplify
from ingot.loops.transform.unmask import unmasked

_REGISTERS_BYTES = 2048  # of the largest register file: a local buffer that is larger is memory
_ROUNDS_MAX = 4  # of finding out how much is read of what is kept in memory
_UNROLLED_MAX = 16  # iterations of a loop that a compiler may write one after another
_NONE: Mapping[str, int] = {}
_Limits = Mapping[str, tuple[Limit, ...]]
_Fact = tuple[
    int, Terms, int
]  # a place is below a bound: the bound's number, terms of the place, its constant
_Facts = frozenset[frozenset[_Fact]]  # all facts of at least one of some sets


def shortened(kernel: Kernel, limits: _Limits, sizes: Buffer, parts: Mapping[str, int] = _NONE) -> Kernel:
    """The kernel with loops that end where only places would be written that are not there, or sums would stay the same.

    What it writes to places that are there is the same. What it writes elsewhere is not, unless a limit has a `fill`.

    Args:
        kernel: a kernel for the largest sizes.
        limits: of parameters by name: what is there of their axes. A parameter that is not named is needed as a whole.
        sizes: the sizes of the call, int64. It becomes the last input, where a loop is shortened and it is not one yet.
        parts: inputs that are elements of `sizes` from a position on, by name: they are read from `sizes` instead.
    """
    if not any(limits.get(param.name) for param in kernel.params):
        return kernel
    given = Given(kernel, limits, sizes)
    old = _with_whole_sizes(kernel.body, sizes, parts)
    outputs = {buffer.name for buffer in kernel.outputs}
    masked = {name: some for name, some in given.masked.items() if name in outputs}
    body = _body(replace(kernel, body=unmasked(old, masked, given.of_sizes)), given)
    return kernel if _is_same(body, old) else _with_sizes(kernel, sizes, body)


def needs_whole(
    kernel: Kernel,
    limits: _Limits,
    sizes: Buffer,
    parts: Mapping[str, int] = _NONE,
    short: Kernel | None = None,
) -> frozenset[str]:
    """The inputs with a `fill` of which more is needed, by name: the kernel, once shortened, may read them behind the next
    multiple of FILL_MULTIPLE, or behind the last place where the margin is 0. The arguments are those of `shortened`; `short` is
    what it gives, where that is known.
    """
    given = Given(kernel, limits, sizes)
    filled_of = {
        buffer.name: [
            limit
            for limit in limits.get(buffer.name, ())
            if limit.fill is not None and not limit.whole and not limit.margin
        ]
        for buffer in kernel.inputs
    }
    if not any(filled_of.values()):
        return frozenset()
    loads: dict[str, list[Access]] = {}
    for access in accesses(shortened(kernel, limits, sizes, parts) if short is None else short):
        if not access.is_store:
            loads.setdefault(access.buffer.name, []).append(access)
    needing: set[str] = set()
    for buffer in kernel.inputs:
        filled = filled_of[buffer.name]
        if not filled or buffer.name not in loads:
            continue
        read, needed = read_below(loads[buffer.name], given.of_sizes), dict(given.needed.get(buffer.name, ()))
        if any(
            limit.rounds > 1
            or not _is_all({"": read}, {"": {limit.axis: needed[limit.axis]}}, given.of_sizes)
            for limit in filled
        ):
            needing.add(buffer.name)
    return frozenset(needing)


def _with_whole_sizes(body: tuple[Stmt, ...], sizes: Buffer, parts: Mapping[str, int]) -> tuple[Stmt, ...]:
    if not parts:
        return body

    def leave(node: Expr) -> Expr | None:
        if not isinstance(node, Load) or node.buffer.name not in parts:
            return None
        at = node.index[0] if node.index else index(0)
        return Load(sizes, (at + parts[node.buffer.name],))

    return Rewriter(leave).block(body)


def _body(kernel: Kernel, given: Given) -> tuple[Stmt, ...]:
    """The shorter loops.

    What is kept in memory is needed as far as it is read by loops that may be shorter themselves, because less is needed. So it
    is first taken to be needed by no loop that only changes it in its place, and then shown that what was taken to be needed is
    all that the kernel reads.
    """
    known = _Known(kernel, given)
    shown: tuple[Stmt, ...] | None = None
    below: Mapping[str, Mapping[int, Expr]] = {}
    for number in range(_ROUNDS_MAX):
        body = _Shortener(known, below, is_first=number == 0).block(kernel.body, ())
        read = _read_below(_with_sizes(kernel, given.sizes, body), given, known.names)
        if number and _is_all(read, below, given.of_sizes):
            shown = body
            if _axes(read) == _axes(below):
                break
        below = read
    return _Shortener(known, {}).block(kernel.body, ()) if shown is None else shown


def _axes(below: Mapping[str, Mapping[int, Expr]]) -> set[tuple[str, int]]:
    return {(name, axis) for name, ends in below.items() for axis in ends}


def _is_all(
    read: Mapping[str, Mapping[int, Expr]], below: Mapping[str, Mapping[int, Expr]], sizes: OfSizes
) -> bool:
    """Whether what is read is below other numbers, whatever the sizes are."""
    return all(
        axis in read.get(name, {}) and sizes.is_no_larger(read[name][axis], end)
        for name, ends in below.items()
        for axis, end in ends.items()
    )


def _with_sizes(kernel: Kernel, sizes: Buffer, body: tuple[Stmt, ...]) -> Kernel:
    inputs = kernel.inputs if sizes in kernel.inputs else (*kernel.inputs, sizes)
    return replace(kernel, inputs=inputs, body=body)


def _read_below(kernel: Kernel, given: Given, names: Names) -> dict[str, dict[int, Expr]]:
    """Of memory that a kernel keeps for itself, by name and axis, how much is read, where that is not all."""
    params = {buffer.name for buffer in kernel.inputs + kernel.outputs}
    loads: dict[str, list[Access]] = {}
    for access in accesses(kernel, names):
        if not access.is_store and access.buffer.name not in params:
            loads.setdefault(access.buffer.name, []).append(access)
    below = {name: read_below(some, given.of_sizes) for name, some in loads.items()}
    return {name: ends for name, ends in below.items() if ends}


@dataclass(frozen=True, slots=True)
class _Condition:
    """The lowest place along an axis that an iteration of a loop writes must be below a bound, or nothing of it is needed."""

    number: int  # of the bound
    growth: Growth
    lowest: Lowest
    is_once: bool = False  # the loops inside stay as long as they are

    @property
    def key(self) -> tuple[int, Terms]:
        return self.number, self.lowest.terms

    @property
    def fact(self) -> _Fact:
        return *self.key, self.lowest.constant


@dataclass(frozen=True, slots=True)
class _Place:
    """Of each round of `period` iterations, a store needs the first ones."""

    period: int
    count: Expr
    fact: frozenset[_Fact]


@dataclass(frozen=True, slots=True)
class _Rounds:
    """Of each round of `period` iterations, the first ones are needed; `facts` hold in them."""

    period: int
    count: Expr
    facts: _Facts


class _Known:
    """What is known of a kernel, whatever of it is needed."""

    def __init__(self, kernel: Kernel, given: Given) -> None:
        self.given = given
        self.used: dict[str, list[Access]] = {}  # accesses by their buffers
        self.names = Names()
        every = accesses(kernel, self.names)
        for access in every:
            self.used.setdefault(access.buffer.name, []).append(access)
        filled = {buffer.name: given.filled.get(buffer.name, ()) for buffer in kernel.inputs}
        memory = Memory()
        self.behind = Behind(every, filled, given.of_sizes, memory)
        self.outputs = frozenset(buffer.name for buffer in kernel.outputs)
        self.stores: dict[int, list[Access]] = {}  # by the id of each loop around
        for store in every:
            for loop in store.loops if store.is_store else ():
                self.stores.setdefault(id(loop), []).append(store)
        params = {buffer.name for buffer in kernel.params}
        written = {
            name: some
            for name, some in self.used.items()
            if name in params and len({access.is_store for access in some}) == 2
        }
        self._refilled = {name: memory.refilling_loops(some) for name, some in written.items()}
        self._inside: dict[int, tuple[frozenset[str], frozenset[Var]]] = {}  # by the id of a loop
        self._loads: dict[str, dict[IndexKey, list[Access]]] = {}  # of a buffer, by their indices
        # Outputs that are read elsewhere than where they are written.
        self.open = {
            name for name in self.outputs & written.keys() if not _reads_where_it_writes(written[name])
        }
        self.walks = _loops_over_registers(kernel, self.used)

    def inside(self, loop: For) -> tuple[frozenset[str], frozenset[Var]]:
        """The buffers that are allocated in a loop, by name, and `_variables_in` it."""
        if id(loop) not in self._inside:
            own = frozenset(stmt.buffer.name for stmt in statements(loop.body) if isinstance(stmt, Alloc))
            self._inside[id(loop)] = own, _variables_in(loop)
        return self._inside[id(loop)]

    def rereads(self, store: Access) -> Sequence[Access]:
        """The loads of the places that a store writes, by the same index."""
        name = store.buffer.name
        if name not in self._loads:
            by_index = self._loads[name] = {}
            for access in self.used[name]:
                if not access.is_store:
                    by_index.setdefault(index_key(access), []).append(access)
        return self._loads[name].get(index_key(store), ())

    def is_private(self, store: Access, loop: For) -> bool:
        """Whether what an iteration of a loop stores is read by no other."""
        refilled = self._refilled.get(store.buffer.name)
        around = itertools.takewhile(lambda outer: outer is not loop, store.loops)
        return refilled is not None and not any(id(outer) in refilled for outer in around)


class _Shortener:
    """`below` has the elements that are needed of memory which the kernel keeps for itself, by name and axis. At `is_first`,
    nothing of what a loop only changes in its place is.
    """

    def __init__(
        self, known: _Known, below: Mapping[str, Mapping[int, Expr]], is_first: bool = False
    ) -> None:
        self._known = known
        self._is_first = is_first
        self._elements: list[Expr] = []  # by its number, what is below a bound is needed
        self._numbers: dict[str, int] = {}  # by the text of an expression of sizes, its number
        self._bounds_of: dict[str, list[tuple[int, int]]] = {}  # of a buffer: axis and number of its bound
        kept = {name: list(ends.items()) for name, ends in below.items()}
        for name, needed in {**known.given.needed, **kept}.items():
            self._bounds_of[name] = [(axis, self._number_of(elements)) for axis, elements in needed]
        self._reduced: list[int] = []  # numbers of bounds by which loops around sum or keep less

    def _number_of(self, elements: Expr) -> int:
        number = self._numbers.setdefault(expr_text(elements), len(self._elements))
        if number == len(self._elements):
            self._elements.append(elements)
        return number

    # ─── statements ────────────────────────────────────────────────────────────────────────────────────────────────

    def block(self, stmts: Sequence[Stmt], facts: tuple[_Facts, ...]) -> tuple[Stmt, ...]:
        """Statements with shorter loops; the same objects where nothing is shorter. `facts`: what holds whenever they run."""
        return tuple(self._statement(stmt, facts) for stmt in stmts)

    def _statement(self, stmt: Stmt, facts: tuple[_Facts, ...]) -> Stmt:
        match stmt:
            case For() if stmt.kind in (LoopKind.VECTOR, LoopKind.TILES) or stmt.expects:
                return stmt  # its code depends on all that is inside
            case For():
                return self._loop(stmt, facts)
            case If():
                then, otherwise = self.block(stmt.then, facts), self.block(stmt.otherwise, facts)
                is_same = _is_same(then, stmt.then) and _is_same(otherwise, stmt.otherwise)
                return stmt if is_same else If(stmt.condition, then, otherwise)
        return stmt

    def _loop(self, loop: For, facts: tuple[_Facts, ...]) -> For:
        extent = loop.extent
        before = len(self._reduced)
        if (
            loop.kind in (LoopKind.SERIAL, LoopKind.PARALLEL)
            and id(loop) not in self._known.walks
            and not _is_short(loop)
        ):
            needed = self._needed(loop, facts)
            extent = index(0) if self._only_changes(loop) else self._extent(loop, needed)
            if extent is not loop.extent:
                facts = (*facts, frozenset(frozenset(each.fact for each in some) for some in needed))
                self._reduced += [each.number for some in needed for each in some if each.is_once]
            elif (rounds := self._rounds(loop)) is not None:
                return in_rounds(
                    loop, self.block(loop.body, (*facts, rounds.facts)), rounds.period, rounds.count
                )
        body = self.block(loop.body, facts)
        del self._reduced[before:]
        if extent is loop.extent and _is_same(body, loop.body):
            return loop
        return replace(loop, extent=extent, body=body)

    def _rounds(self, loop: For) -> _Rounds | None:
        """How many iterations of each round are needed, where places go round."""
        if not isinstance(loop.extent, Const) or loop.end is not None:
            return None
        own, inner = self._known.inside(loop)
        periods: set[int] = set()
        counts: list[Expr] = []
        facts: list[frozenset[_Fact]] = []
        for store in self._known.stores.get(id(loop), ()):
            if store.buffer.name in own or self._is_its_own(store, loop):
                continue
            place = self._place_in_round(store, loop, inner)
            if place is None:
                return None
            periods.add(place.period)
            counts.append(place.count)
            facts.append(place.fact)
        if len(periods) != 1:
            return None
        period = periods.pop()
        count = functools.reduce(maximum, self._known.given.of_sizes.largest(counts))
        count = simplify(minimum(maximum(count, 0), period), {})
        is_several = int(loop.extent.value) > period and int(loop.extent.value) % period == 0
        return _Rounds(period, count, frozenset(facts)) if is_several else None

    def _place_in_round(self, store: Access, loop: For, inner: frozenset[Var]) -> _Place | None:
        """The iterations of a round that a store needs; None where it is not known."""
        name = store.buffer.name
        if name in self._known.open and not self._known.is_private(store, loop):
            return None
        within = Var(f"{loop.var.name}_in_round")
        given = self._known.given
        for axis, elements, place, period in (
            *(
                (axis, elements, *of_remainder(store.index[axis], loop.var, within))
                for axis, elements in given.needed.get(name, ())
            ),
            *(
                (axis, elements, *of_block(store.index[axis], loop.var, within, round_, store.ranges))
                for axis, elements, round_ in given.rounds.get(name, ())
            ),
        ):
            if place is None:
                continue
            growth = Growth(
                For(within, index(period), ()), inner, store.ranges.with_(within, (0, period - 1))
            )
            lowest = growth.lowest(place)
            count = growth.before(lowest, elements) if lowest is not None and lowest.own is not None else None
            if lowest is None or count is None or lowest.outer.terms:
                continue
            whole = Growth(For(within, index(period), ()), inner, store.ranges).lowest(store.index[axis])
            fact = frozenset({(self._number_of(elements), whole.terms, whole.constant)} if whole else ())
            return _Place(period, simplify(count, {}), fact)
        return None

    def _extent(self, loop: For, needed: Sequence[Sequence[_Condition]]) -> Expr:
        """The smaller number of iterations; the same object if there is none."""
        if not needed:
            return loop.extent
        ranges = needed[0][0].growth.ranges
        largest: list[Expr] = []
        for conditions in needed:
            counts = [each.growth.before(each.lowest, self._elements[each.number]) for each in conditions]
            known = [count for count in counts if count is not None]
            if not known:
                return loop.extent
            largest.append(simplify(functools.reduce(minimum, known), ranges))
        count = maximum(functools.reduce(maximum, self._known.given.of_sizes.largest(largest)), 0)
        return simplify(minimum(count, loop.extent), ranges)

    def _needed(self, loop: For, facts: tuple[_Facts, ...]) -> Sequence[Sequence[_Condition]]:
        """An iteration is needed if all of some conditions hold; empty if that is not known, or always so."""
        own, inner = self._known.inside(loop)
        groups: dict[frozenset[tuple[int, Terms]], Sequence[_Condition]] = {}
        for store in self._known.stores.get(id(loop), ()):
            if store.buffer.name in own or self._is_its_own(store, loop):
                continue
            conditions: Sequence[_Condition] = self._conditions(
                Growth(loop, inner, store.ranges), store, self._known.is_private(store, loop)
            )
            if not conditions:
                return ()
            key = frozenset(each.key for each in conditions)
            groups[key] = _lower(conditions, groups.get(key, conditions))
        needed: list[Sequence[_Condition]] = []
        for some in groups.values():
            growing = [each for each in some if each.lowest.own is not None]
            needed.append(growing or [each for each in some if not _is_known(each, facts)])
        return needed if all(needed) else ()

    def _is_its_own(self, store: Access, loop: For) -> bool:
        """Whether nothing that is stored is needed but by the iteration itself, or nothing is known of that yet."""
        if store.buffer.name in self._known.outputs:
            return False
        return self._known.is_private(store, loop) or (self._is_first and self._is_changed(store, loop))

    def _is_changed(self, store: Access, loop: For) -> bool:
        """Whether a loop reads the places that a store writes."""
        is_read = any(loop in load.loops for load in self._known.rereads(store))
        return is_read and not self._known.behind.unchanging(store)

    def _only_changes(self, loop: For) -> bool:
        """Whether a loop only changes memory in its place, of which nothing is known to be needed yet."""
        stores = self._known.stores.get(id(loop), ())
        own, _ = self._known.inside(loop)
        return (
            self._is_first
            and bool(stores)
            and not own
            and all(
                store.buffer.name not in self._known.outputs and self._is_changed(store, loop)
                for store in stores
            )
        )

    def _conditions(self, growth: Growth, store: Access, is_private: bool) -> list[_Condition]:
        """The conditions under which a store is needed, of those that are known."""
        name = store.buffer.name
        conditions = []
        for axis, number in (
            self._bounds_of.get(name, ()) if name not in self._known.open or is_private else ()
        ):
            lowest = growth.lowest(store.index[axis])
            if lowest is not None and number not in self._reduced:
                conditions.append(_Condition(number, growth, lowest, name not in self._known.outputs))
        return sorted(conditions or self._sums(growth, store), key=lambda each: each.number)

    def _sums(self, growth: Growth, store: Access) -> list[_Condition]:
        """The conditions under which a store changes anything."""
        conditions = []
        for tail in self._known.behind.unchanging(store):
            lowest, number = growth.lowest(tail.place), self._number_of(tail.elements)
            if lowest is not None and number not in self._reduced and _fits(lowest, tail.step):
                conditions.append(_Condition(number, growth, lowest, is_once=True))
        return [each for each in conditions if each.lowest.own is not None]


def _fits(lowest: Lowest, step: int) -> bool:
    """Whether the places of an iteration of which one is there are before the next multiple of a step; 0: it does not matter."""
    if not step:
        return True
    is_block = lowest.constant >= 0 and not lowest.outer.terms and lowest.factor
    return bool(is_block) and step % lowest.factor == 0 and lowest.constant + lowest.width < lowest.factor


def _lower(some: Sequence[_Condition], others: Sequence[_Condition]) -> Sequence[_Condition]:
    """Of conditions that differ by constants at most, those which hold more often."""
    pairs = zip(some, others, strict=True)
    return [min(pair, key=lambda each: each.lowest.constant) for pair in pairs]


def _is_known(condition: _Condition, facts: Sequence[_Facts]) -> bool:
    """Whether a condition holds wherever facts do, or anything is there at all."""
    if not condition.lowest.terms and condition.lowest.constant <= 0:
        return True
    number, terms, constant = condition.fact
    return any(
        all(any(each[:2] == (number, terms) and each[2] >= constant for each in some) for some in known)
        for known in facts
    )


def _is_short(loop: For) -> bool:
    """Whether a loop may become straight code, which is lost where its extent is not a constant."""
    is_inner = not any(isinstance(stmt, For) for stmt in statements(loop.body))
    return is_inner and isinstance(loop.extent, Const) and 1 < int(loop.extent.value) <= _UNROLLED_MAX


def _is_same(stmts: Sequence[Stmt], others: Sequence[Stmt]) -> bool:
    return all(stmt is other for stmt, other in zip(stmts, others, strict=True))


def _variables_in(loop: For) -> frozenset[Var]:
    """What the statements of a loop bind, and the end of its ranges: what its extent cannot be made of."""
    inner = set(bound_by(loop)[1:])
    for stmt in statements(loop.body):
        if isinstance(stmt, For):
            inner.update(bound_by(stmt))
        elif isinstance(stmt, Let):
            inner.add(stmt.var)
    return frozenset(inner)


def _reads_where_it_writes(used: Sequence[Access]) -> bool:
    """Whether each place of a buffer is read only to be written again."""
    return all(access.is_store or _is_rewritten(access) for access in used)


def _is_rewritten(load: Access) -> bool:
    stmt = load.statement
    if not isinstance(stmt, Store) or stmt.buffer.name != load.buffer.name:
        return False
    return load.node is not None and is_same(stmt.index, load.node.index)


def _loops_over_registers(kernel: Kernel, used: Mapping[str, Sequence[Access]]) -> frozenset[int]:
    """By `id` the loops that go over a local buffer from outside, where it is small enough to lie in registers."""
    params = {buffer.name for buffer in kernel.params}
    walks: set[int] = set()
    for name, some in used.items():
        buffer = some[0].buffer
        if name in params or buffer.span * buffer.dtype.size_bytes > _REGISTERS_BYTES:
            continue
        for access in some:
            read = {node for part in access.index for node in postorder(part) if isinstance(node, Var)}
            walks.update(id(loop) for loop in access.loops if loop.var in read and not _has(loop, name))
    return frozenset(walks)


def _has(loop: For, name: str) -> bool:
    """Whether a local buffer is allocated in a loop."""
    return any(isinstance(stmt, Alloc) and stmt.buffer.name == name for stmt in statements(loop.body))
