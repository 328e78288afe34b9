"""What is known at a point of a kernel while it is written down: names, places, and values that need not be computed again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TypeVar

from ingot.codegen.llvm.emit.builder import Value
from ingot.codegen.llvm.emit.memory import Place
from ingot.loops.nodes import Buffer, Expr, Select, Var
from ingot.loops.transform.rewrite import children, postorder

_Key = TypeVar("_Key")
_Entry = TypeVar("_Entry")


@dataclass(slots=True)
class Scope:
    """What is known in a block: names, local buffers, and expressions that are computed already and dominate what follows."""

    parent: Scope | None = None
    names: dict[Var, Value] = field(default_factory=dict)
    places: dict[Buffer, Place] = field(default_factory=dict)
    _done: dict[int, tuple[Expr, Value]] = field(
        default_factory=dict
    )  # by id(); the object is kept, so the id stays its own
    _from_memory: list[int] = field(
        default_factory=list
    )  # of those, the ones that hold only until the next store

    def name(self, var: Var) -> Value | None:
        """What a name stands for."""
        return _innermost(self, _NAMES, var)

    def place(self, buffer: Buffer) -> Place | None:
        """Where a buffer lies."""
        return _innermost(self, _PLACES, buffer)

    def value_of(self, expr: Expr) -> Value | None:
        """The value of an expression that was computed here or further out."""
        key = id(expr)
        scope: Scope | None = self
        while scope is not None:
            entry = scope._done.get(key)
            if entry is not None:
                return entry[1]
            scope = scope.parent
        return None

    def keep(self, expr: Expr, value: Value, from_memory: bool) -> None:
        """Remembers the value of an expression, until the block ends, or the statement if it was read from memory."""
        self._done[id(expr)] = (expr, value)
        if from_memory:
            self._from_memory.append(id(expr))

    def forget_memory(self) -> None:
        """After a statement: what was read from memory may have changed."""
        for key in self._from_memory:
            self._done.pop(key, None)
        self._from_memory.clear()


_NAMES: Callable[[Scope], dict[Var, Value]] = attrgetter("names")
_PLACES: Callable[[Scope], dict[Buffer, Place]] = attrgetter("places")


def _innermost(scope: Scope | None, table: Callable[[Scope], dict[_Key, _Entry]], key: _Key) -> _Entry | None:
    """What the table of a scope has, or that of the next one further out; by a loop, since each operand is asked for."""
    while scope is not None:
        entry = table(scope).get(key)
        if entry is not None:
            return entry
        scope = scope.parent
    return None


def sure(expr: Expr, known: dict[int, dict[int, Expr]]) -> dict[int, Expr]:
    """The nodes that are evaluated whenever `expr` is, operands first."""
    for node in postorder(expr, known=known):
        nodes: dict[int, Expr] = {}
        if isinstance(node, Select):
            nodes.update(known[id(node.condition)])
            other = known[id(node.if_false)]
            nodes.update({key: value for key, value in known[id(node.if_true)].items() if key in other})
        else:
            for child in children(node):
                nodes.update(known[id(child)])
        nodes[id(node)] = node
        known[id(node)] = nodes
    return known[id(expr)]
