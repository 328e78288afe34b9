"""Loops whose places go round: of each round of iterations, only the first ones run."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.loops.analyse.ranges import Linear, Ranges
from ingot.loops.nodes import Binary, Const, Expr, For, Let, LoopKind, Stmt, Var, index, maximum, minimum
from ingot.loops.transform.rewrite import Rewriter, postorder, statements

_TOGETHER = 8


def of_remainder(place: Expr, var: Var, within: Var) -> tuple[Expr | None, int]:
    """A place that depends on the remainder of a loop's variable alone, as an expression of that, and the divisor; else None."""
    divisors: set[int] = set()

    def leave(node: Expr) -> Expr | None:
        if (
            isinstance(node, Binary)
            and node.op == "rem"
            and node.left == var
            and isinstance(node.right, Const)
        ):
            divisors.add(int(node.right.value))
            return within
        return None

    changed = Rewriter(leave)(place)
    if len(divisors) != 1 or any(node == var for node in postorder(changed) if isinstance(node, Var)):
        return None, 1
    return changed, divisors.pop()


def of_block(place: Expr, var: Var, within: Var, round_: int, ranges: Ranges) -> tuple[Expr | None, int]:
    """A place in an axis of equal rounds, of which each iteration has a block: the place in its round, as an expression of the
    iteration's number in the round, and how many iterations a round has; None where blocks are not in one round each.
    """
    form = Ranges({}).linear(place)
    factor = form.terms.get(var, 0)
    rest = Linear(form.constant, {atom: times for atom, times in form.terms.items() if atom != var})
    low, high = ranges.span(rest)
    if factor <= 0 or round_ % factor or low < 0 or high >= factor:
        return None, 1
    inside: Expr = within * factor + rest.constant
    for atom, times in rest.terms.items():
        inside = inside + atom * times
    return inside, round_ // factor


def in_rounds(loop: For, body: Sequence[Stmt], period: int, count: Expr) -> For:
    """The loop with the first `count` iterations of each `period`."""
    assert isinstance(loop.extent, Const)
    every = int(loop.extent.value)
    name = loop.var.name
    round_, within = Var(f"{name}_round"), Var(f"{name}_in_round")
    if loop.kind is not LoopKind.PARALLEL:
        position = Let(loop.var, round_ * period + within)
        return For(round_, index(every // period), (For(within, count, (position, *body)),), loop.kind)
    task = Var(f"{name}_task")
    is_long = any(isinstance(stmt, For) and stmt.kind is LoopKind.SERIAL for stmt in statements(body))
    # Where an iteration is short, some are one task: each task divides by a number that is known only while running.
    together = 1 if is_long else _TOGETHER
    tasks = (count + (together - 1)) // together
    divisor = maximum(tasks, 1)
    first = Let(Var(f"{name}_first"), task % divisor * together)
    head = (Let(round_, task // divisor), first)
    number = minimum(round_ * period + first.var + (0 if is_long else within), every - 1)
    inside: tuple[Stmt, ...] = (Let(loop.var, number), *body)
    if not is_long:
        inside = (For(within, minimum(count - first.var, together), inside),)
    return For(task, tasks * (every // period), (*head, *inside), loop.kind)
