"""Walking and rewriting expressions and statements, keeping shared subexpressions shared."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Call,
    Cast,
    Dot2,
    Dot4,
    Expr,
    Fma,
    For,
    If,
    Let,
    Load,
    Prefetch,
    Select,
    Stmt,
    Store,
    Unary,
    Var,
    Word,
    binary,
    word,
)

_CHILDREN: Mapping[type[Expr], Callable[[Any], tuple[Expr, ...]]] = {
    Load: lambda node: node.index,
    Unary: lambda node: (node.operand,),
    Cast: lambda node: (node.operand,),
    Bitcast: lambda node: (node.operand,),
    Binary: lambda node: (node.left, node.right),
    Fma: lambda node: (node.a, node.b, node.c),
    Word: lambda node: (node.element,),
    Dot2: lambda node: (node.a, node.b, node.total),
    Dot4: lambda node: (node.a, node.b, node.total),
    Select: lambda node: (node.condition, node.if_true, node.if_false),
    Call: lambda node: node.args,
}


def children(expr: Expr) -> tuple[Expr, ...]:
    """The operands of an expression, in order."""
    # A table and not a `match`: this is the innermost function of every pass.
    operands = _CHILDREN.get(type(expr))
    return operands(expr) if operands is not None else ()


def with_children(expr: Expr, new: Sequence[Expr]) -> Expr:
    """The same node over other operands; folds index arithmetic."""
    match expr:
        case Load():
            return Load(expr.buffer, tuple(new))
        case Unary():
            return Unary(expr.op, new[0])
        case Cast():
            return Cast(new[0], expr.dtype)
        case Bitcast():
            return Bitcast(new[0], expr.dtype)
        case Binary():
            return binary(expr.op, new[0], new[1])
        case Fma():
            return Fma(*new)
        case Word():
            return word(new[0])
        case Dot2():
            return Dot2(*new)
        case Dot4():
            return Dot4(new[0], new[1], new[2], expr.signed, expr.narrow)
        case Select():
            return Select(*new)
        case Call():
            return Call(expr.function, tuple(new))
    return expr


class Rewriter:
    """Applies `leave` to every node, operands first. One object keeps one memory of what it rewrote, by identity, so that
    what was shared stays shared across all expressions given to it. `leave` returns a node or None for "as it is".
    """

    def __init__(self, leave: Callable[[Expr], Expr | None]) -> None:
        self._leave = leave
        # The key object is kept in the value, so that its id() cannot be reused while this memory lives.
        self._done: dict[int, tuple[Expr, Expr]] = {}

    def __call__(self, expr: Expr) -> Expr:
        # By a stack of our own: a chain of fused operators may be deeper than Python's stack.
        done = self._done
        known = done.get(id(expr))
        if known is not None:
            return known[1]
        stack = [expr]
        while stack:
            node = stack[-1]
            if id(node) in done:
                stack.pop()
                continue
            old = children(node)
            waiting = [child for child in old if id(child) not in done]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            stack.pop()
            new = [done[id(child)][1] for child in old]
            rebuilt = node if all(a is b for a, b in zip(old, new, strict=True)) else with_children(node, new)
            # What an operation with one operand less is, such as 0 + x, was left already: `leave` would take it for an old node.
            left = None if any(rebuilt is child for child in new) else self._leave(rebuilt)
            done[id(node)] = (node, rebuilt if left is None else left)
        return done[id(expr)][1]

    def statement(self, stmt: Stmt) -> Stmt:
        """The statement with all its expressions rewritten."""
        match stmt:
            case For():
                return replace(stmt, extent=self(stmt.extent), body=self.block(stmt.body))
            case Store():
                return Store(stmt.buffer, tuple(self(part) for part in stmt.index), self(stmt.value))
            case Prefetch():
                return replace(stmt, index=tuple(self(part) for part in stmt.index))
            case Let():
                return Let(stmt.var, self(stmt.value))
            case If():
                return If(self(stmt.condition), self.block(stmt.then), self.block(stmt.otherwise))
            case Alloc():
                return stmt

    def block(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        return tuple(self.statement(stmt) for stmt in stmts)


def postorder(*roots: Expr, known: Collection[int] = ()) -> list[Expr]:
    """Every distinct node (by identity) of expression graphs once, operands before what uses them.

    Nodes whose `id` is in `known`, and what only they use, are left out.
    """
    return postorder_and_uses(roots, known)[0]


def postorder_and_uses(
    roots: Sequence[Expr], known: Collection[int] = ()
) -> tuple[list[Expr], dict[int, int]]:
    """`postorder`, and by `id` how often each of its nodes is a root or an operand."""
    uses: dict[int, int] = {}
    order: list[Expr] = []
    # A None says that all operands of the node under it are in the order. The innermost loop of every pass.
    stack: list[Expr | None] = list(reversed(roots))
    while stack:
        node = stack.pop()
        if node is None:
            order.append(stack.pop())  # type: ignore[arg-type]
            continue
        key = id(node)
        if key in uses:
            uses[key] += 1
            continue
        if key in known:
            continue
        uses[key] = 1
        get = _CHILDREN.get(type(node))
        if get is None:
            order.append(node)
            continue
        operands = get(node)
        stack += (node, None, *operands[::-1])
    return order, uses


def order_of(stmt: Stmt) -> Sequence[Expr]:
    """`postorder` of a statement's own expressions: found once, as every pass over the same statement wants it."""
    try:
        return stmt.order
    except AttributeError:
        order, uses = postorder_and_uses(expressions(stmt))
        object.__setattr__(stmt, "order", order)
        object.__setattr__(
            stmt, "shared", frozenset([key for key, count in uses.items() if count > 1]) or _NONE
        )
        return order


def shared_in(stmt: Stmt) -> Set[int]:
    """By `id` the nodes of a statement's own expressions that are roots or operands more than once."""
    order_of(stmt)
    return stmt.shared


_NONE: frozenset[int] = frozenset()


def walk(expr: Expr) -> Iterator[Expr]:
    """Every distinct node of an expression graph once, operands first."""
    return iter(postorder(expr))


def nodes_and_depth(expr: Expr) -> tuple[int, int]:
    """How many distinct nodes an expression has, and how many are on the longest way to a leaf."""
    depths: dict[int, int] = {}
    for node in postorder(expr):
        depths[id(node)] = 1 + max([depths[id(child)] for child in children(node)], default=0)
    return len(depths), depths[id(expr)]


def statements(stmts: Sequence[Stmt]) -> Iterator[Stmt]:
    """Every statement, outer ones first."""
    for stmt in stmts:
        yield stmt
        match stmt:
            case For():
                yield from statements(stmt.body)
            case If():
                yield from statements(stmt.then)
                yield from statements(stmt.otherwise)


def bound_by(loop: For) -> tuple[Var, ...]:
    """The variables that a loop gives its body."""
    return (loop.var,) if loop.end is None else (loop.var, loop.end)


def expressions(stmt: Stmt) -> tuple[Expr, ...]:
    """The expressions that a statement holds itself, not those of statements inside it."""
    match stmt:
        case For():
            return (stmt.extent,)
        case Store():
            return (*stmt.index, stmt.value)
        case Prefetch():
            return stmt.index
        case Let():
            return (stmt.value,)
        case If():
            return (stmt.condition,)
        case Alloc():
            return ()


def loads(expr: Expr) -> Iterator[Load]:
    """Every distinct load of an expression."""
    for node in walk(expr):
        if isinstance(node, Load):
            yield node
