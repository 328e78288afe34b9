"""Operations on `Value`s: each method appends the instructions for one node of the loop IR and returns its value.

Scalars, vectors and affine vectors mix freely; what is the same in every lane is computed once. int64 arithmetic,
which is mostly indices, is folded and its range followed, so that it may carry `nsw` and vanish where it is decided.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ingot.base.tensor import DType
from ingot.codegen.c.prelude import MATH
from ingot.codegen.llvm.emit.builder import INT64_MAX, INT64_MIN, Value, constant, number
from ingot.codegen.llvm.emit.convert import Conversions
from ingot.codegen.llvm.emit.values import suffix
from ingot.loops.nodes import COMPARISONS

_INTRINSICS = {
    "sqrt": "sqrt",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "rint": "rint",
    "abs": "fabs",
}
# No errno, no folding by whatever C library the compiler itself runs on.
_LIBM = " nobuiltin nounwind willreturn memory(none)"
_INT32_MAX = 2**31 - 1
# Integers whose quotients are found in a float type.
_QUOTIENTS = {
    DType.INT8: DType.FLOAT32,
    DType.UINT8: DType.FLOAT32,
    DType.INT16: DType.FLOAT32,
    DType.UINT16: DType.FLOAT32,
    DType.INT32: DType.FLOAT64,
}


class Operations(Conversions):
    """Writes the instructions for nodes of the loop IR into one function."""

    # ─── int64, mostly indices ────────────────────────────────────────────────────────────────────────────────────

    def add(self, a: Value, b: Value) -> Value:
        return self.binary("add", a, b)

    def mul(self, a: Value, b: Value) -> Value:
        return self.binary("mul", a, b)

    def _index(self, op: str, a: Value, b: Value) -> Value | None:
        """int64 arithmetic on scalars and affine vectors; None where it takes general vectors."""
        if a.is_uniform and b.is_uniform:
            return self._scalar_index(op, a, b)
        if (a.lanes and not a.step) or (b.lanes and not b.step):
            return None
        lanes = max(a.lanes, b.lanes)
        if op in ("add", "sub"):
            step = a.step + (b.step if op == "add" else -b.step)
            base = self._scalar_index(op, a.base, b.base)
            return base.stepping(lanes, step)
        if op == "mul" and (a.is_uniform or b.is_uniform):
            moving, still = (b, a) if a.is_uniform else (a, b)
            if isinstance(still.const, int):
                step = moving.step * still.const
                base = self._scalar_index(op, moving.base, still)
                return base.stepping(lanes, step)
        if op in ("div", "rem") and b.is_uniform and isinstance(b.const, int):
            return self._affine_division(op, a, b)
        if op in ("lt", "le", "gt", "ge", "eq", "ne") and (a.is_uniform or b.is_uniform):
            return self._affine_compare(op, a, b)
        return None

    def _affine_division(self, op: str, a: Value, b: Value) -> Value | None:
        divisor = int(b.const or 0)
        if divisor <= 0 or a.step <= 0 or a.low < 0 or not a.is_sure:
            return None
        base = a.base
        if a.step % divisor == 0:
            if op == "rem":
                return self._scalar_index("rem", base, b)
            return self._scalar_index("div", base, b).stepping(a.lanes, a.step // divisor)
        if math.gcd(base.multiple, divisor) > a.step * (a.lanes - 1):
            result = self._scalar_index(op, base, b)
            return result if op == "div" else result.stepping(a.lanes, a.step)
        return None

    def _affine_compare(self, op: str, a: Value, b: Value) -> Value | None:
        if a.is_uniform:
            mirrored = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
            return self._affine_compare(mirrored[op], b, a)
        if not a.is_sure or abs(a.step) * (a.lanes - 1) >= _INT32_MAX:
            return None
        low, high = a.ends
        decided = _decide(op, (low, high), (b.low, b.high))
        if decided is not None:
            return constant(decided, DType.BOOL)
        if low - 1 - a.high < INT64_MIN or high + 1 - a.low > INT64_MAX:
            return None
        # base + step*lane < b  ⇔  step*lane < b - base, in 32 bits: the left side is smaller than what the right side is clamped
        # to; so may b be, where its difference from the base might wrap.
        if b.low - a.high < INT64_MIN or b.high - a.low > INT64_MAX:
            b = self._scalar_index("min", self._scalar_index("max", b, number(low - 1)), number(high + 1))
        limit = self._scalar_index("sub", b, a.base)
        limit = self._scalar_index(
            "min", self._scalar_index("max", limit, number(-_INT32_MAX)), number(_INT32_MAX)
        )
        narrow = self.vector(self.cast(limit, DType.INT32), a.lanes)
        steps = ", ".join(f"i32 {a.step * lane}" for lane in range(a.lanes))
        return self.make(f"icmp {_icmp(op, True)} {narrow.type} <{steps}>, {narrow.text}", narrow, DType.BOOL)

    def _scalar_index(self, op: str, a: Value, b: Value) -> Value:
        a = a.base
        x, y = a.const, b.const
        if isinstance(x, int) and isinstance(y, int):
            folded = _fold(op, x, y)
            if folded is not None:
                return constant(folded, DType.BOOL) if op in COMPARISONS else number(folded)
        if op in COMPARISONS:
            decided = _decide(op, (a.low, a.high), (b.low, b.high))
            if decided is not None:
                return constant(decided, DType.BOOL)
            return Value(self.fn.emit(f"icmp {_icmp(op, True)} {a.typed}, {b.text}"), DType.BOOL)
        if (op in ("add", "sub") and y == 0) or (op in ("mul", "div") and y == 1):
            return a
        if (op == "add" and x == 0) or (op == "mul" and x == 1):
            return b
        low, high, multiple = _range(op, a, b)
        if op in ("add", "sub", "mul"):
            flags = " nsw" if low >= INT64_MIN and high <= INT64_MAX else ""
            if not flags:  # it may wrap, by a multiple of powers of two only
                low, high, multiple = INT64_MIN, INT64_MAX, multiple & -multiple
            text = self.fn.emit(f"{op}{flags} {a.typed}, {b.text}")
        elif op in ("div", "rem"):
            if isinstance(y, int) and y > 0 and a.low >= 0:
                if a.high < y or (op == "rem" and a.multiple % y == 0):
                    return a if op == "rem" and a.high < y else number(0)
                exact = " exact" if op == "div" and a.multiple % y == 0 else ""
                text = self.fn.emit(f"u{op}{exact} {a.typed}, {b.text}")
            else:
                return self._divide(op, a, b)
        elif op in ("min", "max"):
            decided = _decide("le" if op == "min" else "ge", (a.low, a.high), (b.low, b.high))
            if decided is not None:
                return a if decided else b
            test = self.fn.emit(f"icmp {'slt' if op == 'min' else 'sgt'} {a.typed}, {b.text}")
            text = self.fn.emit(f"select i1 {test}, {a.typed}, {b.typed}")
        else:
            return self._integer(op, a, b)
        return Value(text, DType.INT64, low=low, high=high, multiple=multiple)

    # ─── arithmetic ───────────────────────────────────────────────────────────────────────────────────────────────

    def binary(self, op: str, a: Value, b: Value) -> Value:
        """A `Binary` node."""
        dtype = a.dtype
        if dtype is DType.INT64:
            index = self._index(op, a, b)
            if index is not None:
                return index
        if dtype is DType.BOOL and op in ("and", "or"):
            for operand, other in ((a, b), (b, a)):
                if operand.const is not None:
                    return other if bool(operand.const) == (op == "and") else operand
        a, b = self.plain(a, b)
        if not dtype.is_float:
            return self._integer(op, a, b)
        if op in COMPARISONS:
            kind = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}[op]
            return self.make(f"fcmp {kind} {a.typed}, {b.text}", a, DType.BOOL)
        if op in ("min", "max"):
            test = self.make(f"fcmp {'olt' if op == 'min' else 'ogt'} {a.typed}, {b.text}", a, DType.BOOL)
            return self.make(f"select {test.typed}, {a.typed}, {b.typed}", a)
        return self.round(self.make(f"f{op} {a.typed}, {b.text}", a))

    def _integer(self, op: str, a: Value, b: Value) -> Value:
        signed = a.dtype.is_signed
        if op in COMPARISONS:
            return self.make(f"icmp {_icmp(op, signed)} {a.typed}, {b.text}", a, DType.BOOL)
        if op in ("min", "max"):
            test = self.make(
                f"icmp {_icmp('lt' if op == 'min' else 'gt', signed)} {a.typed}, {b.text}", a, DType.BOOL
            )
            return self.make(f"select {test.typed}, {a.typed}, {b.typed}", a)
        if op in ("div", "rem"):
            return self._divide(op, a, b)
        if op == "shr":
            op = "ashr" if signed else "lshr"
        return self.make(f"{op} {a.typed}, {b.text}", a)

    def _divide(self, op: str, a: Value, b: Value) -> Value:
        """Integer division that never traps: by zero it gives 0, and the least number by -1 wraps."""
        letter = "s" if a.dtype.is_signed else "u"
        unit, zero, minus = (self.vector(constant(value, a.dtype), a.lanes) for value in (1, 0, -1))
        if b.const is not None and int(b.const) not in (0, -1):
            return self.make(f"{letter}{op} {a.typed}, {b.text}", a)
        by_zero = self.make(f"icmp eq {b.typed}, {zero.text}", b, DType.BOOL)
        bad = by_zero
        if a.dtype.is_signed:
            by_minus = self.make(f"icmp eq {b.typed}, {minus.text}", b, DType.BOOL)
            bad = self.make(f"or {by_zero.typed}, {by_minus.text}", b, DType.BOOL)
        safe = self.make(f"select {bad.typed}, {unit.typed}, {b.typed}", b)
        if a.lanes and self.chip.has_doubles and a.dtype in _QUOTIENTS:
            result = self._by_floats(op, a, safe)
        else:
            result = self.make(f"{letter}{op} {a.typed}, {safe.text}", a)
        if a.dtype.is_signed:
            negated = self.make(f"sub {a.type} {zero.text}, {a.text}", a) if op == "div" else zero
            result = self.make(f"select {by_minus.typed}, {negated.typed}, {result.typed}", a)
        return self.make(f"select {by_zero.typed}, {zero.typed}, {result.typed}", a)

    def _by_floats(self, op: str, a: Value, b: Value) -> Value:
        """Integer division of vectors, for which processors have no instruction, by floats that have more digits than the
        integers: a quotient a / b that is not whole is less than the next whole number by at least one part in a, so it is not
        rounded up to that.
        """
        wide = _QUOTIENTS[a.dtype]
        quotient = self.cast(self.binary("div", self.cast(a, wide), self.cast(b, wide)), a.dtype)
        return quotient if op == "div" else self.binary("sub", a, self.binary("mul", quotient, b))

    def unary(self, op: str, a: Value) -> Value:
        """A `Unary` node."""
        if a.dtype is DType.INT64 and op == "neg":
            return self.binary("sub", number(0), a)
        if op == "not" and isinstance(a.const, bool):
            return constant(not a.const, DType.BOOL)
        (a,) = self.plain(a)
        if op == "not":
            ones = self.vector(constant(True if a.dtype is DType.BOOL else -1, a.dtype), a.lanes)
            return self.make(f"xor {a.typed}, {ones.text}", a)
        if a.dtype.is_float:
            return self.make(f"fneg {a.typed}", a)
        return self.make(f"sub {a.type} {'zeroinitializer' if a.lanes else '0'}, {a.text}", a)

    def fma(self, a: Value, b: Value, c: Value) -> Value:
        """A `Fma` node."""
        if not a.dtype.is_float:
            return self.add(self.mul(a, b), c)
        a, b, c = self.plain(a, b, c)
        if self.chip.machine.has_fma:
            return self.round(self.intrinsic("fma", a, b, c))
        product = self.make(f"fmul {a.typed}, {b.text}", a)
        return self.round(self.make(f"fadd {product.typed}, {c.text}", a))

    def select(self, condition: Value, a: Value, b: Value) -> Value:
        """Chooses by lane; both sides are there already."""
        if condition.const is not None:
            return a if condition.const else b
        if a == b:
            return a
        if condition.is_uniform:
            a, b = self.plain(a, b)
        else:
            condition, a, b = self.plain(condition, a, b)
        result = self.make(f"select {condition.typed}, {a.typed}, {b.typed}", a)
        return (
            result._replace(low=min(a.low, b.low), high=max(a.high, b.high)) if not result.lanes else result
        )

    def call(self, function: str, args: Sequence[Value]) -> Value:
        """A `Call` node that no expansion in arithmetic is used for: an intrinsic, or the C library lane by lane."""
        args = self.plain(*args)
        first = args[0]
        if function == "abs" and not first.dtype.is_float:
            if first.dtype.is_unsigned:
                return first
            text = self.fn.call(
                f"llvm.abs.{suffix(first.dtype, first.lanes)}",
                first.type,
                (first.type, first.text),
                ("i1", "false"),
            )
            return Value(text, first.dtype, first.lanes)
        if function == "isnan":
            return self.make(f"fcmp uno {first.typed}, {first.text}", first, DType.BOOL)
        if function == "isinf":
            size = self.intrinsic("fabs", first)
            return self.make(
                f"fcmp oeq {size.typed}, {self.vector(constant(math.inf, first.dtype), first.lanes).text}",
                first,
                DType.BOOL,
            )
        if function in _INTRINSICS:
            return self.round(self.intrinsic(_INTRINSICS[function], *args))
        if not first.lanes:
            return self.round(self._libm(function, args))
        lanes = [self._libm(function, [self.lane(arg, lane) for arg in args]) for lane in range(first.lanes)]
        return self.round(self.join(lanes))

    def _libm(self, function: str, args: Sequence[Value]) -> Value:
        first = args[0]
        plain = MATH[function]
        name = plain if first.dtype is DType.FLOAT64 else f"{plain}f"
        text = self.fn.call(name, first.type, *((arg.type, arg.text) for arg in args), attributes=_LIBM)
        return Value(text, first.dtype)


def _icmp(op: str, signed: bool) -> str:
    return op if op in ("eq", "ne") else ("s" if signed else "u") + op


def _decide(op: str, a: tuple[int, int], b: tuple[int, int]) -> bool | None:
    """A comparison of two ranges where it holds for all or for none of their members."""
    less, not_less = a[1] < b[0], a[0] >= b[1]
    not_greater, greater = a[1] <= b[0], a[0] > b[1]
    match op:
        case "lt":
            return True if less else False if not_less else None
        case "ge":
            return False if less else True if not_less else None
        case "le":
            return True if not_greater else False if greater else None
        case "gt":
            return False if not_greater else True if greater else None
    apart = less or greater
    return (op == "ne") if apart else None


def _fold(op: str, x: int, y: int) -> int | None:
    if op in COMPARISONS:
        return int({"lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y, "eq": x == y, "ne": x != y}[op])
    if op in ("div", "rem"):
        if y == 0:
            return None
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        result = quotient if op == "div" else x - quotient * y
    elif op in ("add", "sub", "mul", "min", "max"):
        result = {"add": x + y, "sub": x - y, "mul": x * y, "min": min(x, y), "max": max(x, y)}[op]
    else:
        return None
    return result if INT64_MIN <= result <= INT64_MAX else None


def _range(op: str, a: Value, b: Value) -> tuple[int, int, int]:
    """Bounds and a divisor of a result."""
    match op:
        case "add":
            return a.low + b.low, a.high + b.high, math.gcd(a.multiple, b.multiple)
        case "sub":
            return a.low - b.high, a.high - b.low, math.gcd(a.multiple, b.multiple)
        case "mul":
            corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            return min(corners), max(corners), a.multiple * b.multiple
        case "min":
            return min(a.low, b.low), min(a.high, b.high), math.gcd(a.multiple, b.multiple)
        case "max":
            return max(a.low, b.low), max(a.high, b.high), math.gcd(a.multiple, b.multiple)
        case "div" if isinstance(b.const, int) and b.const > 0 and a.low >= 0:
            return (
                a.low // b.const,
                a.high // b.const,
                a.multiple // b.const if a.multiple % b.const == 0 else 1,
            )
        case "rem" if isinstance(b.const, int) and b.const > 0 and a.low >= 0:
            return 0, min(a.high, b.const - 1), math.gcd(a.multiple, b.const)
    return INT64_MIN, INT64_MAX, 1
