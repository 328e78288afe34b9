"""What values are behind the last place of an axis that is there: neutral ones, where a mask or a fill has put them there."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ingot.loops.analyse.accesses import Access, is_same
from ingot.loops.analyse.of_sizes import OfSizes
from ingot.loops.analyse.private import Memory
from ingot.loops.analyse.ranges import Ranges
from ingot.loops.nodes import (
    Binary,
    Call,
    Cast,
    Const,
    Expr,
    Fma,
    Load,
    Select,
    Stmt,
    Store,
    Unary,
    Var,
)
from ingot.loops.text import expr_text
from ingot.loops.transform.rewrite import postorder


@dataclass(frozen=True, slots=True)
class Tail:
    """An expression has a value wherever a place is not below a number of elements; up to the next multiple of `step` elements,
    or from there on for good where that is 0.
    """

    place: Expr
    elements: Expr
    value: float
    step: int = 0


Tails = Sequence[Tail]
# Functions of one number, and operations on two of which one is known, that are of use: `None` where nothing follows. Numbers
# that are not known are taken to be finite: what is there has them too, and is no more a number than before if they are not.
_FUNCTIONS: Mapping[str, Callable[[float], float]] = {"exp": math.exp, "exp_flushed": math.exp}


class Behind:
    """Answers for one kernel.

    Args:
        used: all accesses of the kernel.
        filled: of inputs that have a value behind the last place: its axis, and what it is.
        sizes: answers about expressions of sizes of the call.
        memory: answers about what stands in memory.
    """

    def __init__(
        self,
        used: Sequence[Access],
        filled: Mapping[str, Sequence[tuple[int, Expr, float, int]]],
        sizes: OfSizes,
        memory: Memory,
    ) -> None:
        self._filled = filled
        self._sizes = sizes
        self._memory = memory
        self._unchanged: dict[int, Tails] = {}
        self._loads = {(id(access.statement), id(access.node)): access for access in used}
        self._stores: dict[str, list[Access]] = {}
        for access in used:
            if access.is_store:
                self._stores.setdefault(access.buffer.name, []).append(access)
        self._of_memory: dict[int, Tails] = {}

    def unchanging(self, store: Access) -> Tails:
        """Where a store writes what was there before: it adds zeros, or takes the maximum with minus infinity."""
        if id(store) not in self._unchanged:
            stmt = store.statement
            assert isinstance(stmt, Store)
            self._unchanged[id(store)] = self._unchanging(stmt.value, store, stmt)
        return self._unchanged[id(store)]

    def _unchanging(self, node: Expr, store: Access, stmt: Stmt) -> Tails:
        match node:
            case Var() if node in store.names:
                let = store.names[node]
                return self._unchanging(let.value, store, let)
            case Fma() if self._is_old(node.c, store, stmt):
                return self._with(0.0, node.a, store, stmt) or self._with(0.0, node.b, store, stmt)
            case Binary(op="add" | "max" | "min"):
                neutral = {"add": 0.0, "max": -math.inf, "min": math.inf}[node.op]
                if self._is_old(node.left, store, stmt):
                    return self._with(neutral, node.right, store, stmt)
                return (
                    self._with(neutral, node.left, store, stmt)
                    if self._is_old(node.right, store, stmt)
                    else ()
                )
            case Binary(op="sub") if self._is_old(node.left, store, stmt):
                return self._with(0.0, node.right, store, stmt)
            case Select(condition=Binary(op="ne", left=left, right=right), if_false=kept) if left is right:
                # One that is no number stays so; what has a value is a number.
                valued = {(tail.place, tail.elements, tail.step) for tail in self.tails(left, store, stmt)}
                return [
                    tail
                    for tail in self._unchanging(kept, store, stmt)
                    if (tail.place, tail.elements, tail.step) in valued
                ]
        return ()

    def _is_old(self, node: Expr, store: Access, stmt: Stmt) -> bool:
        """Whether an expression is what stands where a store writes."""
        load = self._loads.get((id(stmt), id(node)))
        if load is None or load.buffer != store.buffer:
            return False
        return is_same(load.index, store.index)

    def _with(self, value: float, node: Expr, store: Access, stmt: Stmt) -> Tails:
        return [tail for tail in self.tails(node, store, stmt) if tail.value == value]

    def tails(self, node: Expr, at: Access, stmt: Stmt) -> Tails:
        """What is known of an expression of a statement; `at` is an access in its block, or further inside."""
        match node:
            case Var() if node in at.names:
                let = at.names[node]
                return self.tails(let.value, at, let)
            case Load():
                return self._loaded(node, stmt)
            case Select():
                return self._selected(node, at) or self._of_both(node, at, stmt)
            case Cast() if node.dtype.is_float and node.operand.dtype.is_float:
                return self.tails(node.operand, at, stmt)
            case Unary(op="neg"):
                return [replace(tail, value=-tail.value) for tail in self.tails(node.operand, at, stmt)]
            case Call() if node.function in _FUNCTIONS:
                inner = self.tails(node.args[0], at, stmt)
                return [
                    replace(tail, value=_FUNCTIONS[node.function](tail.value))
                    for tail in inner
                    if tail.value <= 0
                ]
            case Binary(op="mul"):
                return [
                    tail
                    for part in (node.left, node.right)
                    for tail in self.tails(part, at, stmt)
                    if tail.value == 0.0
                ]
            case Binary(op="div"):
                return [tail for tail in self.tails(node.left, at, stmt) if tail.value == 0.0]
            case Binary(op="sub" | "add"):
                return [tail for tail in self.tails(node.left, at, stmt) if math.isinf(tail.value)]
        return ()

    def _selected(self, node: Select, at: Access) -> Tails:
        """A mask: a number where a place is not below an expression of sizes."""
        if not isinstance(node.if_false, Const) or not node.if_false.dtype.is_float:
            return ()
        tails: list[Tail] = []
        pending = [node.condition]
        while pending:
            condition = pending.pop()
            match condition:
                case Var() if condition in at.names:
                    pending.append(at.names[condition].value)
                case Binary(op="and"):
                    pending += [condition.left, condition.right]
                case Binary(op="lt") if condition.right in self._sizes:
                    place = at.rewrite(condition.left)
                    tails.append(Tail(place, condition.right, float(node.if_false.value)))
        return tails

    def _of_both(self, node: Select, at: Access, stmt: Stmt) -> Tails:
        """A choice between a number and what is this number, too, where a place is not below an expression of sizes."""
        for number, other in ((node.if_true, node.if_false), (node.if_false, node.if_true)):
            if isinstance(number, Const):
                return [tail for tail in self.tails(other, at, stmt) if tail.value == number.value]
        return ()

    def _loaded(self, node: Load, stmt: Stmt) -> Tails:
        load = self._loads.get((id(stmt), id(node)))
        if load is None:
            return ()
        name = load.buffer.name
        if name in self._filled:
            return [
                Tail(load.index[axis], elements, value, step)
                for axis, elements, value, step in self._filled[name]
            ]
        if id(load) not in self._of_memory:
            self._of_memory[id(load)] = ()  # while it is asked
            self._of_memory[id(load)] = self._kept(load)
        return self._of_memory[id(load)]

    def _kept(self, load: Access) -> Tails:
        """What all stores agree on whose values a load may read."""
        stores = self._memory.reaching(load, self._stores.get(load.buffer.name, ()))
        if not stores:
            return ()
        agreed: dict[tuple[int, int, str, float], Tail] | None = None
        for store in stores:
            stmt = store.statement
            assert isinstance(stmt, Store)
            own = {}
            for tail in self.tails(stmt.value, store, stmt):
                own.update(_by_axis(tail, store, load))
            agreed = own if agreed is None else {key: tail for key, tail in agreed.items() if key in own}
        return list((agreed or {}).values())


def _by_axis(tail: Tail, store: Access, load: Access) -> dict[tuple[int, int, str, float], Tail]:
    """What is known of a value that was stored, for who loads it, by axes whose index is the place but for a constant."""
    forms = Ranges({})
    by_axis = {}
    for axis, part in enumerate(store.index):
        shift = forms.linear(tail.place).plus(forms.linear(part), -1)
        if not shift.terms and not tail.step and any(isinstance(node, Var) for node in postorder(part)):
            key = (axis, shift.constant, expr_text(tail.elements), tail.value)
            by_axis[key] = replace(tail, place=load.index[axis] + shift.constant)
    return by_axis
