"""Simplifying index arithmetic with what is known about the loops around it.

Every int64 expression is brought to a canonical affine form over atoms (variables, and what is not affine); divisions and
remainders by constants are split by what is known to be divisible or small, so that the arithmetic of reshapes vanishes:
`(i*56 + j) / 56` is `i`, and an index that is taken apart and put together again is itself. Minima, maxima, comparisons and
Selects that the ranges decide are decided.

Source: the identities of floor division, `(g·a + b) div (g·d) = a div d` and `(g·a + b) rem (g·d) = g·(a rem d) + b` where
`0 ≤ b < g`; they are used on non-negative numbers, on which truncation is floor.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ingot.base.tensor import DType
from ingot.loops.analyse.ranges import INT64, Interval, Linear, Ranges, from_extents, truncated_div
from ingot.loops.analyse.ranges import affine as affine
from ingot.loops.analyse.ranges import bounds as bounds
from ingot.loops.nodes import (
    COMPARISONS,
    Alloc,
    Binary,
    Const,
    Expr,
    Fma,
    For,
    If,
    Kernel,
    Let,
    Prefetch,
    Select,
    Stmt,
    Store,
    Unary,
    Var,
)
from ingot.loops.transform.rewrite import children, postorder, with_children

_TERMS_MAX = 32
_ROUNDS_MAX = 16  # of putting quotients and remainders together


def simplify(expr: Expr, ranges: Mapping[Var, int] | Ranges) -> Expr:
    """An expression with the same value wherever the variables are in `range(extent)`. Sharing is kept, and index
    arithmetic that is equal becomes shared.
    """
    return Simplifier(ranges if isinstance(ranges, Ranges) else from_extents(ranges))(expr)


def simplify_index(expr: Expr, ranges: Mapping[Var, int] | Ranges) -> Expr:
    """The canonical form of an int64 expression over variables in `range(extent)`."""
    return simplify(expr, ranges)


def simplify_kernel(kernel: Kernel) -> Kernel:
    """The kernel with every expression simplified by the ranges of the loops and the conditions around it. What can never
    run is gone.
    """
    return replace(kernel, body=_block(kernel.body, Ranges({})))


def _block(stmts: Sequence[Stmt], ranges: Ranges) -> tuple[Stmt, ...]:
    done: list[Stmt] = []
    simplifier = Simplifier(ranges)
    for stmt in stmts:
        match stmt:
            case Store():
                done.append(Store(stmt.buffer, tuple(map(simplifier, stmt.index)), simplifier(stmt.value)))
            case Prefetch():
                done.append(replace(stmt, index=tuple(map(simplifier, stmt.index))))
            case Let():
                value = simplifier(stmt.value)
                done.append(Let(stmt.var, value))
                known = ranges.bounds(value)
                if known is not None:
                    ranges = ranges.with_(stmt.var, known)
                    simplifier = Simplifier(ranges)
            case For():
                extent = simplifier(stmt.extent)
                known = ranges.bounds(extent) or (0, INT64[1])
                if known[1] > 0:
                    body = _block(stmt.body, ranges.inside(stmt, known[1]))
                    done += [replace(stmt, extent=extent, body=body)] if body else []
            case If():
                done += _branch(stmt, simplifier(stmt.condition), ranges)
            case Alloc():
                done.append(stmt)
    return tuple(done)


def _branch(stmt: If, condition: Expr, ranges: Ranges) -> list[Stmt]:
    yes, no = ranges.refined(condition, True), ranges.refined(condition, False)
    then = _block(stmt.then, yes) if yes is not None else ()
    otherwise = _block(stmt.otherwise, no) if no is not None else ()
    if not then and not otherwise:
        return []
    for decided, block in ((no is None, then), (yes is None, otherwise)):
        # Names that the block binds itself must not come into the block around it.
        if decided and not any(isinstance(inner, Let | Alloc) for inner in block):
            return list(block)
    return [If(condition, then, otherwise)]


class Simplifier:
    """Simplifies expressions under one set of ranges. One object keeps one memory, so sharing is kept across its calls."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = ranges
        self._position: dict[Expr, int] = {var: number for number, var in enumerate(ranges.intervals)}
        self._done: dict[int, tuple[Expr, Expr]] = {}  # old node → new node
        self._forms: dict[int, tuple[Expr, Linear]] = {}  # old int64 node → its canonical form
        self._seen: set[int] = set()  # nodes that have a form or are done, and so have all their operands
        self._built: dict[tuple[int, tuple[tuple[Expr, int], ...]], Expr] = {}
        self._interned: dict[tuple[str, int, int], Expr] = {}
        self._divisions: dict[Expr, tuple[str, Linear, int]] = {}  # atom → "div" or "rem", dividend, divisor

    def __call__(self, expr: Expr) -> Expr:
        if self._is_simple(expr):
            return expr
        if id(expr) not in self._done:
            for node in postorder(expr, known=self._seen):
                self._visit(node)
                self._seen.add(id(node))
        return self._new(expr)

    def _is_simple(self, expr: Expr) -> bool:
        """Whether it is a number, or a variable of several values: most parts of indices are."""
        if isinstance(expr, Const):
            return expr.dtype is not DType.INT64 or type(expr.value) is int
        if not isinstance(expr, Var):
            return False
        known = self._ranges.intervals.get(expr)
        return known is None or known[0] != known[1]

    def _visit(self, node: Expr) -> None:
        if node.dtype is DType.INT64:
            self._forms[id(node)] = (node, self._canonical(node))
        else:
            self._done[id(node)] = (node, self._value(node))

    def _new(self, old: Expr) -> Expr:
        entry = self._done.get(id(old))
        if entry is None:
            entry = (old, self._build(self._forms[id(old)][1]))
            self._done[id(old)] = entry
        return entry[1]

    # ─── values and conditions ─────────────────────────────────────────────────────────────────────────────────────

    def _rebuilt(self, node: Expr) -> Expr:
        old = children(node)
        new = [self._new(child) for child in old]
        return node if all(a is b for a, b in zip(old, new, strict=True)) else with_children(node, new)

    def _value(self, node: Expr) -> Expr:
        if isinstance(node, Select):
            condition = self._new(node.condition)
            if isinstance(condition, Const):
                return self._new(node.if_true if condition.value else node.if_false)
        new = self._rebuilt(node)
        if new.dtype is not DType.BOOL or isinstance(new, Const):
            return new
        truth = self._ranges.truth(new)
        if truth is not None:
            return Const(truth, DType.BOOL)
        if isinstance(new, Binary) and new.op in ("and", "or"):
            # A constant that does not decide has no effect.
            if isinstance(new.left, Const):
                return new.right
            if isinstance(new.right, Const):
                return new.left
        return new

    # ─── canonical forms ───────────────────────────────────────────────────────────────────────────────────────────

    def _canonical(self, node: Expr) -> Linear:
        match node:
            case Const():
                return Linear(int(node.value), {})
            case Var():
                known = self._ranges.intervals.get(node)
                return Linear(known[0], {}) if known and known[0] == known[1] else Linear(0, {node: 1})
            case Unary(op="neg"):
                return self._form(node.operand).times(-1)
            case Fma():
                return self._sum(self._product(node.a, node.b), self._form(node.c), 1)
            case Select():
                condition = self._new(node.condition)
                if isinstance(condition, Const):
                    return self._form(node.if_true if condition.value else node.if_false)
            case Binary(op="add" | "sub"):
                return self._sum(self._form(node.left), self._form(node.right), 1 if node.op == "add" else -1)
            case Binary(op="mul"):
                return self._product(node.left, node.right)
            case Binary(op="div" | "rem"):
                divisor = self._form(node.right)
                if not divisor.terms and divisor.constant > 0:
                    split = self._div if node.op == "div" else self._rem
                    return split(self._form(node.left), divisor.constant)
            case Binary(op="min" | "max"):
                return self._extreme(node.op, self._form(node.left), self._form(node.right))
        if isinstance(node, Binary) and node.op not in COMPARISONS:
            return self._atom(node.op, self._form(node.left), self._form(node.right))
        return Linear(0, {self._rebuilt(node): 1})

    def _form(self, node: Expr) -> Linear:
        return self._forms[id(node)][1]

    def _sum(self, left: Linear, right: Linear, factor: int) -> Linear:
        if len(left.terms) + len(right.terms) > _TERMS_MAX:
            return self._atom("add" if factor == 1 else "sub", left, right)
        return self._joined(_wrapped(left.plus(right, factor)))

    def _product(self, left: Expr, right: Expr) -> Linear:
        a, b = self._form(left), self._form(right)
        if not a.terms:
            return _wrapped(b.times(a.constant))
        return _wrapped(a.times(b.constant)) if not b.terms else self._atom("mul", a, b)

    def _extreme(self, op: str, left: Linear, right: Linear) -> Linear:
        if self._exact(left) and self._exact(right):
            low, high = self._ranges.span(left.plus(right, -1))
            if high <= 0:
                return left if op == "min" else right
            if low >= 0:
                return right if op == "min" else left
        return self._atom(op, left, right)

    def _exact(self, form: Linear) -> Interval | None:
        """The span of a form that does not wrap."""
        low, high = self._ranges.span(form)
        return (low, high) if low >= INT64[0] and high <= INT64[1] else None

    def _div(self, form: Linear, divisor: int) -> Linear:
        """`form / divisor`, toward zero."""
        if divisor == 1:
            return form
        if not form.terms:
            return Linear(truncated_div(form.constant, divisor), {})
        span = self._exact(form)
        if span is None:
            return self._atom("div", form, Linear(divisor, {}))
        if form.constant % divisor == 0 and all(factor % divisor == 0 for factor in form.terms.values()):
            return _divided(form, divisor)
        if span[0] < 0:
            return self._atom("div", form, Linear(divisor, {}))
        if span[1] < divisor:
            return Linear(0, {})
        whole, rest = _split(form, divisor)
        low, high = self._ranges.span(rest)
        if low >= 0 and whole != Linear(0, {}):
            quotient = _divided(whole, divisor)
            return quotient if high < divisor else self._sum(quotient, self._div(rest, divisor), 1)
        for common in _common_factors(form, divisor):
            whole, rest = _split(form, common)
            if _inside(self._ranges.span(rest), common):
                return self._div(_divided(whole, common), divisor // common)
        atom, inner = self._single_division(form)
        if atom == "div" and inner[1] * divisor <= INT64[1]:
            return self._div(inner[0], inner[1] * divisor)
        if atom == "rem" and inner[1] % divisor == 0:
            return self._rem(self._div(inner[0], divisor), inner[1] // divisor)
        return self._atom("div", form, Linear(divisor, {}))

    def _rem(self, form: Linear, divisor: int) -> Linear:
        """`form % divisor`, with the sign of the form."""
        if divisor == 1:
            return Linear(0, {})
        if not form.terms:
            return Linear(form.constant - divisor * truncated_div(form.constant, divisor), {})
        span = self._exact(form)
        if span is not None and -divisor < span[0] and span[1] < divisor:
            return form
        if span is None or span[0] < 0:
            return self._atom("rem", form, Linear(divisor, {}))
        rest = _split(form, divisor)[1]
        low, high = self._ranges.span(rest)
        if low >= 0:
            if high < divisor:
                return rest
            form = rest
        for common in _common_factors(form, divisor):
            whole, rest = _split(form, common)
            if _inside(self._ranges.span(rest), common):
                return self._sum(self._rem(_divided(whole, common), divisor // common).times(common), rest, 1)
        atom, inner = self._single_division(form)
        if atom == "rem" and inner[1] % divisor == 0:
            return self._rem(inner[0], divisor)
        return self._atom("rem", form, Linear(divisor, {}))

    def _single_division(self, form: Linear) -> tuple[str, tuple[Linear, int]]:
        """The kind, dividend and divisor of a form that is one division or remainder of a non-negative form, else the kind ""."""
        if form.constant == 0 and len(form.terms) == 1:
            ((atom, factor),) = form.terms.items()
            division = self._divisions.get(atom)
            if factor == 1 and division is not None and self._ranges.span(division[1])[0] >= 0:
                return division[0], division[1:]
        return "", (form, 1)

    def _joined(self, form: Linear) -> Linear:
        """`k·d·(x div d) + k·(x rem d)` becomes `k·x`."""
        for _ in range(_ROUNDS_MAX):
            joined = self._joined_once(form)
            if joined is None:
                break
            form = joined
        return form

    def _joined_once(self, form: Linear) -> Linear | None:
        for atom, factor in form.terms.items():
            kind, dividend, divisor = self._divisions.get(atom, ("", form, 1))
            if kind != "rem":
                continue
            quotient = self._div(dividend, divisor)
            if quotient.terms and all(
                form.terms.get(part) == factor * divisor * times for part, times in quotient.terms.items()
            ):
                removed = Linear(quotient.constant * divisor, {}).plus(Linear(0, quotient.terms), divisor)
                removed = removed.plus(Linear(0, {atom: 1}))
                return _wrapped(form.plus(removed, -factor).plus(dividend, factor))
        return None

    # ─── building ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _atom(self, op: str, left: Linear, right: Linear) -> Linear:
        """A node that is not affine, one object for equal operands."""
        a, b = self._build(left), self._build(right)
        key = (op, id(a), id(b))  # both are kept alive by `_built`
        node = self._interned.get(key)
        if node is None:
            node = Binary(op, a, b)
            self._interned[key] = node
            if op in ("div", "rem") and not right.terms and self._exact(left):
                self._divisions[node] = (op, left, right.constant)
        return Linear(0, {node: 1})

    def _build(self, form: Linear) -> Expr:
        """The expression of a form, one object for equal forms: outer variables first, the constant last."""
        terms = sorted(form.terms.items(), key=lambda term: self._order(term[0]))
        key = (form.constant, tuple(terms))
        expr = self._built.get(key)
        if expr is None:
            expr = self._sum_of(terms, form.constant)
            self._built[key] = expr
        return expr

    def _order(self, atom: Expr) -> int:
        if atom not in self._position:
            self._position[atom] = len(self._position)
        return self._position[atom]

    def _sum_of(self, terms: Sequence[tuple[Expr, int]], constant: int) -> Expr:
        positive = [term for term in terms if term[1] > 0]
        negative = [term for term in terms if term[1] < 0]
        total: Expr | None = None
        for atom, factor in positive:
            part = atom if factor == 1 else Binary("mul", atom, Const(factor, DType.INT64))
            total = part if total is None else Binary("add", total, part)
        if total is None:
            total, constant = Const(constant, DType.INT64), 0
        for atom, factor in negative:
            if factor == INT64[0]:
                total = Binary("add", total, Binary("mul", atom, Const(factor, DType.INT64)))
            else:
                part = atom if factor == -1 else Binary("mul", atom, Const(-factor, DType.INT64))
                total = Binary("sub", total, part)
        if constant > 0 or constant == INT64[0]:
            return Binary("add", total, Const(constant, DType.INT64))
        return Binary("sub", total, Const(-constant, DType.INT64)) if constant < 0 else total


def _wrapped(form: Linear) -> Linear:
    """The form with every number brought into int64, to which it is equal modulo 2⁶⁴."""

    def wrap(number: int) -> int:
        return (number + 2**63) % 2**64 - 2**63

    if all(INT64[0] <= number <= INT64[1] for number in (form.constant, *form.terms.values())):
        return form
    return Linear(
        wrap(form.constant), {atom: wrap(factor) for atom, factor in form.terms.items() if wrap(factor)}
    )


def _split(form: Linear, divisor: int) -> tuple[Linear, Linear]:
    """`form` as what is divisible and a rest, whose constant is in `range(divisor)`."""
    rest = form.constant % divisor
    divisible = {atom: factor for atom, factor in form.terms.items() if factor % divisor == 0}
    other = {atom: factor for atom, factor in form.terms.items() if factor % divisor}
    return Linear(form.constant - rest, divisible), Linear(rest, other)


def _divided(form: Linear, divisor: int) -> Linear:
    return Linear(form.constant // divisor, {atom: factor // divisor for atom, factor in form.terms.items()})


def _common_factors(form: Linear, divisor: int) -> list[int]:
    """Divisors of `divisor` that divide some coefficient, largest first."""
    divisors = {math.gcd(factor, divisor) for factor in form.terms.values()} - {1}
    return sorted(divisors, reverse=True)


def _inside(span: Interval, extent: int) -> bool:
    return span[0] >= 0 and span[1] < extent
