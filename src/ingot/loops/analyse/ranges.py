"""What is known about integer expressions: intervals and affine forms.

`Ranges` knows an interval for each index variable and answers, for expressions over them: the smallest and largest value, the
affine form, whether a condition always holds, and what else is known where a condition holds. Every answer is sound: None
means "not known". Memories are by identity, so a question costs time in the size of the graph, not of its tree.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from ingot.base.tensor import DType
from ingot.loops.nodes import COMPARISONS, Binary, Cast, Const, Expr, Fma, For, Select, Unary, Var
from ingot.loops.transform.rewrite import children, postorder

Interval = tuple[int, int]
_T = TypeVar("_T")
INT64: Interval = (-(2**63), 2**63 - 1)
_RECURSION_MAX = 16  # most expressions are less deep, and by a list of what waits they take twice as long
_TERMS_MAX = 32  # a longer sum is taken as one unknown, so that a chain of n sums costs n and not n²
_NEGATED = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}


class Linear(NamedTuple):
    """`constant + Σ coefficient · atom`. An atom is a variable, or an expression that is not affine. No coefficient is 0."""

    constant: int
    terms: Mapping[Expr, int]

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """`self + factor · other`."""
        terms = dict(self.terms)
        for atom, coefficient in other.terms.items():
            total = terms.get(atom, 0) + factor * coefficient
            if total:
                terms[atom] = total
            else:
                terms.pop(atom, None)
        return Linear(self.constant + factor * other.constant, terms)

    def times(self, factor: int) -> Linear:
        """`factor · self`."""
        if factor == 0:
            return Linear(0, {})
        return Linear(
            self.constant * factor, {atom: coefficient * factor for atom, coefficient in self.terms.items()}
        )


@functools.cache
def type_interval(dtype: DType) -> Interval | None:
    """The values of an integer type or bool; None for floats."""
    if dtype is DType.BOOL:
        return (0, 1)
    if not dtype.is_integer:
        return None
    return (
        (-(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1) if dtype.is_signed else (0, 2**dtype.bits - 1)
    )


def truncated_div(a: int, b: int) -> int:
    """Integer division toward zero, as C does it."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


class Ranges:
    """Knowledge about integer variables. A variable without an interval may have any value of its type."""

    def __init__(self, intervals: Mapping[Var, Interval]) -> None:
        self.intervals = dict(intervals)
        # The node is kept in the value, so that its id() cannot be reused while the memory lives.
        self._linear: dict[int, tuple[Expr, Linear]] = {}
        self._bounds: dict[int, tuple[Expr, Interval | None]] = {}
        self._truth: dict[int, tuple[Expr, bool | None]] = {}

    def with_(self, var: Var, interval: Interval) -> Ranges:
        """The same knowledge and one variable more."""
        return Ranges({**self.intervals, var: interval})

    def inside(self, loop: For, iterations_max: int) -> Ranges:
        """What is known in the body of a loop of at most so many iterations, which are some."""
        inner = self.with_(loop.var, (0, iterations_max - 1))
        return inner if loop.end is None else inner.with_(loop.end, (1, iterations_max))

    def all_at_once(self, loop: For, count: int) -> Ranges:
        """What is known in the body of a loop that goes by ranges, if all iterations are one."""
        assert loop.end is not None
        return self.with_(loop.var, (0, 0)).with_(loop.end, (count, count))

    # ─── affine forms ──────────────────────────────────────────────────────────────────────────────────────────────

    def linear(self, expr: Expr) -> Linear:
        """The affine form of an int64 expression, equal to it modulo 2⁶⁴."""
        return self._fill(expr, self._linear, self._linear_of)

    def _linear_of(self, node: Expr) -> Linear:
        if node.dtype is not DType.INT64:
            return Linear(0, {node: 1})
        form: Linear | None = None
        match node:
            case Const():
                form = Linear(int(node.value), {})
            case Binary(op="add" | "sub"):
                form = self._linear[id(node.left)][1].plus(
                    self._linear[id(node.right)][1], 1 if node.op == "add" else -1
                )
            case Binary(op="mul"):
                form = self._product(node.left, node.right)
            case Unary(op="neg"):
                form = self._linear[id(node.operand)][1].times(-1)
            case Fma():
                product = self._product(node.a, node.b)
                form = product.plus(self._linear[id(node.c)][1]) if product else None
        return form if form is not None and len(form.terms) <= _TERMS_MAX else Linear(0, {node: 1})

    def _product(self, left: Expr, right: Expr) -> Linear | None:
        a, b = self._linear[id(left)][1], self._linear[id(right)][1]
        if not a.terms:
            return b.times(a.constant)
        return a.times(b.constant) if not b.terms else None

    def span(self, form: Linear) -> Interval:
        """The smallest and largest value of an affine form, over the integers (nothing wraps)."""
        low = high = form.constant
        for atom, coefficient in form.terms.items():
            interval = self._interval(atom)
            low += coefficient * interval[0 if coefficient > 0 else 1]
            high += coefficient * interval[1 if coefficient > 0 else 0]
        return low, high

    def exact(self, expr: Expr) -> tuple[Linear, Interval] | None:
        """The affine form and its span, if it is sure that nothing wraps."""
        form = self.linear(expr)
        low, high = self.span(form)
        return (form, (low, high)) if low >= INT64[0] and high <= INT64[1] else None

    # ─── intervals ─────────────────────────────────────────────────────────────────────────────────────────────────

    def bounds(self, expr: Expr) -> Interval | None:
        """The smallest and largest value of an integer or bool expression; None if nothing is known beyond its type."""
        if isinstance(expr, Var) and expr.dtype is DType.INT64:  # most questions are of these
            interval = self.intervals.get(expr)
            known = (
                interval is not None
                and interval[0] >= INT64[0]
                and interval[1] <= INT64[1]
                and interval != INT64
            )
            return interval if known else None
        if isinstance(expr, Const) and expr.dtype is DType.INT64:
            value = int(expr.value)
            return value, value
        interval = self._fill(expr, self._bounds, self._bounds_of)
        return None if interval == type_interval(expr.dtype) and not isinstance(expr, Const) else interval

    def _interval(self, atom: Expr) -> Interval:
        if isinstance(atom, Var):
            return self.intervals.get(atom) or type_interval(atom.dtype) or INT64
        if id(atom) not in self._bounds:
            self._fill(atom, self._bounds, self._bounds_of)
        return self._bounds[id(atom)][1] or INT64

    def _bounds_of(self, node: Expr) -> Interval | None:
        limits = type_interval(node.dtype)
        if limits is None:
            return None
        interval = self._by_operands(node)
        if interval is None or interval[0] < limits[0] or interval[1] > limits[1]:
            interval = limits  # it may wrap
        if node.dtype is DType.INT64 and isinstance(node, Binary) and node.op in ("add", "sub", "mul"):
            # The affine form sees that terms cancel, where intervals do not.
            form = self.linear(node)
            if node not in form.terms:
                low, high = self.span(form)
                if low >= limits[0] and high <= limits[1]:
                    interval = max(low, interval[0]), min(high, interval[1])
        return interval

    def _by_operands(self, node: Expr) -> Interval | None:
        match node:
            case Const():
                return int(node.value), int(node.value)
            case Var():
                return self.intervals.get(node)
            case Unary(op="neg"):
                inner = self._bounds[id(node.operand)][1]
                return (-inner[1], -inner[0]) if inner else None
            case Cast():
                return self._bounds[id(node.operand)][1]
            case Select():
                a, b = self._bounds[id(node.if_true)][1], self._bounds[id(node.if_false)][1]
                return (min(a[0], b[0]), max(a[1], b[1])) if a and b else None
            case Binary():
                left, right = self._bounds[id(node.left)][1], self._bounds[id(node.right)][1]
                return _combine(node.op, left, right) if left and right else None
        return None

    # ─── conditions ────────────────────────────────────────────────────────────────────────────────────────────────

    def truth(self, condition: Expr) -> bool | None:
        """Whether a condition always holds (True), never holds (False), or neither is known (None)."""
        return self._fill(condition, self._truth, self._truth_of)

    def _truth_of(self, node: Expr) -> bool | None:
        if node.dtype is not DType.BOOL:
            return None
        match node:
            case Const():
                return bool(node.value)
            case Unary(op="not"):
                inner = self._truth[id(node.operand)][1]
                return None if inner is None else not inner
            case Binary(op="and" | "or"):
                left, right = self._truth[id(node.left)][1], self._truth[id(node.right)][1]
                decisive = node.op == "or"
                if left is decisive or right is decisive:
                    return decisive
                return None if left is None or right is None else not decisive
            case Binary() if node.op in COMPARISONS:
                difference = self._difference(node)
                return None if difference is None else _sign_decides(node.op, self.span(difference))
        return None

    def _difference(self, node: Binary) -> Linear | None:
        """`left - right` of a comparison, if nothing wraps."""
        if not node.left.dtype.is_integer:
            return None
        left, right = self.exact(node.left), self.exact(node.right)
        return left[0].plus(right[0], -1) if left and right else None

    def refined(self, condition: Expr, taken: bool) -> Ranges | None:
        """What is known where the condition holds (`taken`) or does not. None: it can never be so."""
        intervals = dict(self.intervals)
        pending = [(condition, taken)]
        while pending:
            node, wanted = pending.pop()
            truth = self.truth(node)
            if truth is not None and truth is not wanted:
                return None
            match node:
                case Unary(op="not"):
                    pending.append((node.operand, not wanted))
                case Binary(op="and") if wanted:
                    pending += [(node.left, True), (node.right, True)]
                case Binary(op="or") if not wanted:
                    pending += [(node.left, False), (node.right, False)]
                case Binary() if node.op in COMPARISONS:
                    difference = self._difference(node)
                    if difference is not None and not self._narrow(
                        intervals, node.op if wanted else _NEGATED[node.op], difference
                    ):
                        return None
        return Ranges(intervals)

    def _narrow(self, intervals: dict[Var, Interval], op: str, difference: Linear) -> bool:
        """Narrows intervals by `difference op 0`; False if one becomes empty."""
        upper = {"lt": -1, "le": 0, "eq": 0}.get(op)
        lower = {"gt": 1, "ge": 0, "eq": 0}.get(op)
        kept = True
        if upper is not None:
            kept = self._narrow_by_limit(intervals, difference, upper)
        if lower is not None:
            kept = self._narrow_by_limit(intervals, difference.times(-1), -lower) and kept
        return kept

    def _narrow_by_limit(self, intervals: dict[Var, Interval], form: Linear, limit: int) -> bool:
        lowest = self.span(form)[0]
        for atom, coefficient in form.terms.items():
            if not isinstance(atom, Var) or atom not in intervals:
                continue
            old = self.intervals[atom]
            own = coefficient * old[0 if coefficient > 0 else 1]
            room = limit - (lowest - own)  # coefficient · atom ≤ room
            low, high = intervals[atom]
            if coefficient > 0:
                high = min(high, room // coefficient)
            else:
                low = max(low, -(room // -coefficient))
            if low > high:
                return False
            intervals[atom] = low, high
        return True

    @staticmethod
    def _fill(expr: Expr, memory: dict[int, tuple[Expr, _T]], of: Callable[[Expr], _T], depth: int = 0) -> _T:
        entry = memory.get(id(expr))
        if entry is not None:
            return entry[1]
        if depth < _RECURSION_MAX:
            for child in children(expr):
                if id(child) not in memory:
                    Ranges._fill(child, memory, of, depth + 1)
        else:
            for node in postorder(expr, known=memory.keys())[:-1]:
                if id(node) not in memory:
                    memory[id(node)] = (node, of(node))
        value = of(expr)
        memory[id(expr)] = (expr, value)
        return value


def _combine(op: str, left: Interval, right: Interval) -> Interval | None:
    (a, b), (c, d) = left, right
    if a > b or c > d:  # of a loop that never runs
        return None
    match op:
        case "add":
            return a + c, b + d
        case "sub":
            return a - d, b - c
        case "mul":
            corners = (a * c, a * d, b * c, b * d)
            return min(corners), max(corners)
        case "div" if c > 0 or d < 0:
            quotients = [truncated_div(x, y) for x in (a, b) for y in (c, d)]
            return min(quotients), max(quotients)
        case "rem" if c > 0 or d < 0:
            largest = max(abs(c), abs(d)) - 1
            return (max(a, -largest) if a < 0 else 0), (min(b, largest) if b > 0 else 0)
        case "min":
            return min(a, c), min(b, d)
        case "max":
            return max(a, c), max(b, d)
        case "and" if a >= 0 and c >= 0:
            return 0, min(b, d)
        case "shr" if c >= 0:
            return min(a >> min(c, 64), a >> min(d, 64)), max(b >> min(c, 64), b >> min(d, 64))
    return None


def _sign_decides(op: str, span: Interval) -> bool | None:
    """Whether `x op 0` for all x of a span, for none (False), or for some (None)."""
    low, high = span
    always = {
        "lt": high < 0,
        "le": high <= 0,
        "gt": low > 0,
        "ge": low >= 0,
        "eq": low == high == 0,
        "ne": low > 0 or high < 0,
    }
    never = {
        "lt": low >= 0,
        "le": low > 0,
        "gt": high <= 0,
        "ge": high < 0,
        "eq": low > 0 or high < 0,
        "ne": low == high == 0,
    }
    return True if always[op] else False if never[op] else None


def from_extents(extents: Mapping[Var, int]) -> Ranges:
    """Knowledge that each variable is in `range(extent)`."""
    return Ranges({var: (0, extent - 1) for var, extent in extents.items()})


def affine(expr: Expr) -> tuple[int, dict[Var, int]] | None:
    """`(constant, {variable: coefficient})` of an int64 expression that is affine in variables, else None."""
    form = Ranges({}).linear(expr)
    terms: dict[Var, int] = {}
    for atom, coefficient in form.terms.items():
        if not isinstance(atom, Var):
            return None
        terms[atom] = coefficient
    return form.constant, terms


def bounds(expr: Expr, ranges: Mapping[Var, int]) -> Interval | None:
    """The smallest and largest value of an integer expression over variables in `range(extent)`; None if not known."""
    return from_extents(ranges).bounds(expr)
