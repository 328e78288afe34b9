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

from ingot.loops.analyse.accesses import Access, accesses
from ingot.loops.analyse.before import Growth, Lowest, Terms, quotient_up
from ingot.loops.analyse.counts import FILL_MULTIPLE, Count, Limit
from ingot.loops.analyse.private import refilling_loops
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
    maximum,
    minimum,
)
from ingot.loops.transform.rewrite import bound_by, postorder, statements
from ingot.loops.transform.simplify import simplify

_REGISTERS_BYTES = 2048  # of the largest register file: a local buffer that is larger is memory
_UNROLLED_MAX = 16  # iterations of a loop that a compiler may write one after another
_Limits = Mapping[str, tuple[Limit, ...]]
_Fact = tuple[
    int, Terms, int
]  # a place is below a bound: the bound's number, terms of the place, its constant
_Facts = frozenset[frozenset[_Fact]]  # all facts of at least one of some sets


def shortened(kernel: Kernel, limits: _Limits, sizes: Buffer) -> Kernel:
    """The kernel with loops that end where only places would be written that are not there.

    What it writes to places that are there is the same. What it writes elsewhere is not, unless a limit has a `fill`.

    Args:
        kernel: a kernel for the largest sizes.
        limits: of parameters by name: what is there of their axes. A parameter that is not named is needed as a whole.
        sizes: the sizes of the call, int64. It becomes the last input, where a loop is shortened and it is not one yet.
    """
    if not any(limits.get(output.name) for output in kernel.outputs):
        return kernel
    body = _Shortener(kernel, limits, sizes).block(kernel.body, ())
    if all(new is old for new, old in zip(body, kernel.body, strict=True)):
        return kernel
    inputs = kernel.inputs if sizes in kernel.inputs else (*kernel.inputs, sizes)
    return replace(kernel, inputs=inputs, body=body)


@dataclass(frozen=True, slots=True)
class _Condition:
    """The lowest place along an axis that an iteration of a loop writes must be below a bound, or nothing of it is needed."""

    number: int  # of the bound
    growth: Growth
    lowest: Lowest

    @property
    def key(self) -> tuple[int, Terms]:
        return self.number, self.lowest.terms

    @property
    def fact(self) -> _Fact:
        return *self.key, self.lowest.constant


class _Shortener:
    def __init__(self, kernel: Kernel, limits: _Limits, sizes: Buffer) -> None:
        self._used: dict[str, list[Access]] = {}
        for access in accesses(kernel):
            self._used.setdefault(access.buffer.name, []).append(access)
        self._numbers: dict[tuple[Count, int, int, bool], int] = {}
        self._elements: list[Expr] = []  # by its number, what is below a bound is needed
        self._bounds_of: dict[str, list[tuple[int, int]]] = {}  # of a buffer: axis and number of its bound
        for buffer in kernel.outputs:
            rooms = [limit for limit in limits.get(buffer.name, ()) if limit.rounds == 1 and not limit.whole]
            self._bounds_of[buffer.name] = [
                (limit.axis, self._number_of(limit, buffer.shape[limit.axis], sizes)) for limit in rooms
            ]
        self._refilled: dict[str, frozenset[int]] = {}  # by buffers, `refilling_loops`
        self._open: set[str] = set()  # buffers that are read elsewhere than where they are written
        self._stores: dict[int, list[Access]] = {}  # by the id of each loop around
        params = {buffer.name for buffer in kernel.params}
        for name, used in self._used.items():
            self._note(used, is_local=name not in params)
        self._walks = _loops_over_registers(kernel, self._used)

    def _number_of(self, limit: Limit, extent: int, sizes: Buffer) -> int:
        key = (limit.count, limit.each, extent, limit.fill is not None)
        if key not in self._numbers:
            elements = limit.count.expression(sizes, extent // limit.each) * limit.each
            if limit.fill is not None:
                step = FILL_MULTIPLE * limit.each
                elements = quotient_up(elements, step) * step
            self._numbers[key] = len(self._elements)
            self._elements.append(elements)
        return self._numbers[key]

    def _note(self, used: Sequence[Access], is_local: bool) -> None:
        """Notes the accesses to a buffer."""
        for store in used:
            for loop in store.loops if store.is_store else ():
                self._stores.setdefault(id(loop), []).append(store)
        if is_local or len({access.is_store for access in used}) == 1:
            return
        name, loops = used[0].buffer.name, refilling_loops(used)
        if loops is not None:
            self._refilled[name] = loops
        if not _reads_where_it_writes(used):
            self._open.add(name)

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
        if (
            loop.kind in (LoopKind.SERIAL, LoopKind.PARALLEL)
            and id(loop) not in self._walks
            and not _is_short(loop)
        ):
            needed = self._needed(loop, facts)
            extent = self._extent(loop, needed)
            if extent is not loop.extent:
                facts = (*facts, frozenset(frozenset(each.fact for each in some) for some in needed))
        body = self.block(loop.body, facts)
        if extent is loop.extent and _is_same(body, loop.body):
            return loop
        return replace(loop, extent=extent, body=body)

    def _extent(self, loop: For, needed: Sequence[Sequence[_Condition]]) -> Expr:
        """The smaller number of iterations; the same object if there is none."""
        if not needed:
            return loop.extent
        largest: list[Expr] = []
        for conditions in needed:
            counts = [each.growth.before(each.lowest, self._elements[each.number]) for each in conditions]
            known = [count for count in counts if count is not None]
            if not known:
                return loop.extent
            largest.append(functools.reduce(minimum, known))
        count = maximum(functools.reduce(maximum, largest), 0)
        return simplify(minimum(count, loop.extent), needed[0][0].growth.ranges)

    def _needed(self, loop: For, facts: tuple[_Facts, ...]) -> Sequence[Sequence[_Condition]]:
        """An iteration is needed if all of some conditions hold; empty if that is not known, or always so."""
        own = {stmt.buffer.name for stmt in statements(loop.body) if isinstance(stmt, Alloc)}
        inner = _variables_in(loop)
        groups: dict[frozenset[tuple[int, Terms]], Sequence[_Condition]] = {}
        for store in self._stores.get(id(loop), ()):
            if store.buffer.name in own:
                continue
            is_private = self._is_private(store, loop)
            bounds = self._bounds_of.get(store.buffer.name)
            if not bounds and is_private:
                continue
            if not bounds or (store.buffer.name in self._open and not is_private):
                return ()
            growth = Growth(loop, inner, store.ranges)
            conditions = _conditions(growth, store, bounds)
            growing = [each for each in conditions if each.lowest.own is not None]
            conditions = growing or [each for each in conditions if not _is_known(each, facts)]
            if not conditions:
                return ()
            key = frozenset(each.key for each in conditions)
            groups[key] = _lower(conditions, groups.get(key, conditions))
        return list(groups.values())

    def _is_private(self, store: Access, loop: For) -> bool:
        """Whether what an iteration of a loop stores is read by no other."""
        refilled = self._refilled.get(store.buffer.name)
        around = itertools.takewhile(lambda outer: outer is not loop, store.loops)
        return refilled is not None and not any(id(outer) in refilled for outer in around)


def _conditions(growth: Growth, store: Access, bounds: Sequence[tuple[int, int]]) -> list[_Condition]:
    """The conditions under which a store is needed, of those that are known."""
    conditions = []
    for axis, number in bounds:
        lowest = growth.lowest(store.index[axis])
        if lowest is not None:
            conditions.append(_Condition(number, growth, lowest))
    return sorted(conditions, key=lambda each: each.number)


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
    node = next(
        node for node in postorder(stmt.value) if isinstance(node, Load) and node.buffer == load.buffer
    )
    return all(part is other or part == other for part, other in zip(stmt.index, node.index, strict=True))


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
