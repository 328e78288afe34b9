"""Expressions of the loop IR as C99, or another dialect of C.

C types of values: bool is an `int` that is 0 or 1; float16 and bfloat16 are `float` and rounded after each operation; an int64
whose range fits is an `int32_t` ("narrow"); all others are what their name says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ingot.base.errors import InternalError
from ingot.base.tensor import DType
from ingot.codegen.c.dialect import Dialect
from ingot.codegen.c.prelude import C_TYPE, MATH
from ingot.codegen.c.ranges import INT32, bounds, exact, full, within
from ingot.loops.analyse.ranges import Ranges
from ingot.loops.nodes import (
    COMPARISONS,
    Binary,
    Bitcast,
    Call,
    Cast,
    Const,
    Dot2,
    Dot4,
    Expr,
    Fma,
    Load,
    Select,
    Unary,
    Var,
    Word,
)

HALVES = (DType.FLOAT16, DType.BFLOAT16)
_SIGNS = {
    "add": ("+", 12),
    "sub": ("-", 12),
    "mul": ("*", 13),
    "div": ("/", 13),
    "rem": ("%", 13),
    "lt": ("<", 10),
    "le": ("<=", 10),
    "gt": (">", 10),
    "ge": (">=", 10),
    "eq": ("==", 10),
    "ne": ("!=", 10),
    "and": ("&", 8),
    "or": ("|", 6),
    "xor": ("^", 7),
    "shl": ("<<", 11),
    "shr": (">>", 11),
}
_LOGICAL = {"and": ("&&", 5), "or": ("||", 4), "xor": ("!=", 9)}
_PRIMARY, _UNARY, _MUL, _ADD, _CONDITION = 16, 14, 13, 12, 3
# Results that need no rounding: they are numbers of the type already.
_EXACT = frozenset({"abs", "floor", "ceil", "trunc", "rint"})


@dataclass(frozen=True, slots=True)
class Text:
    """A C expression and how strongly it binds."""

    code: str
    strength: int = _PRIMARY

    def at(self, strength: int) -> str:
        """The code, in parentheses if it binds less strongly than asked."""
        return self.code if self.strength >= strength else f"({self.code})"


def float_constant(value: float, dtype: DType) -> str:
    """A C constant with exactly this value once rounded to `dtype`."""
    single = dtype is not DType.FLOAT64
    if single:
        value = float(round_to(value, dtype))
    if math.isnan(value):
        return "NAN" if single else "(double)NAN"
    if math.isinf(value):
        text = "INFINITY" if single else "(double)INFINITY"
        return text if value > 0 else f"-{text}"
    # The shortest decimal that reads back as the same number.
    text = np.format_float_scientific(np.float32(value), trim="0") if single else repr(float(value))
    if (single and 1e-4 <= abs(value) < 1e7) or value == 0:
        text = np.format_float_positional(np.float32(value), trim="0") if single else repr(float(value))
    return text + "f" if single else text


def round_to(value: float, dtype: DType) -> float:
    """The nearest number of a float type, ties to even."""
    with np.errstate(over="ignore"):
        match dtype:
            case DType.FLOAT16:
                return float(np.float16(value))
            case DType.FLOAT32:
                return float(np.float32(value))
            case DType.BFLOAT16:
                bits = int(np.float32(value).view(np.uint32))
                if bits & 0x7FFFFFFF <= 0x7F800000:
                    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
                return float(np.uint32(bits).view(np.float32))
    return float(value)


def half_bits(value: float, dtype: DType) -> int:
    """The bits of a float16 or bfloat16."""
    with np.errstate(over="ignore"):
        if dtype is DType.FLOAT16:
            return int(np.float16(value).view(np.uint16))
        return int(np.float32(round_to(value, dtype)).view(np.uint32)) >> 16


def integer_constant(value: int, dtype: DType, dialect: Dialect) -> str:
    """A constant of an integer type or bool."""
    if dtype is DType.BOOL:
        return "1" if value else "0"
    if dtype is DType.UINT64:
        return dialect.uint64.format(value)
    if dtype is DType.UINT32:
        return f"{value}u"
    if value == -(2**63):
        return dialect.word("INT64_MIN")
    if value == -(2**31):
        return dialect.word("INT32_MIN")
    return str(value) if INT32[0] <= value <= INT32[1] else dialect.int64.format(value)


class ExprPrinter:
    """Prints the expressions of one statement.

    `buffers` has the C name of each buffer, `scalars` the IR names of those that are C variables and not arrays; `variables` the
    C name of each variable; `use(name)` notes that a function of the prelude is called; `guarded` are loads that may be out of
    bounds.
    """

    def __init__(
        self,
        ranges: Ranges,
        buffers: Mapping[str, str],
        scalars: set[str],
        variables: Mapping[str, str],
        use: Callable[[str], str],
        guarded: set[int],
        dialect: Dialect,
    ) -> None:
        self._ranges = ranges
        self._buffers = buffers
        self._scalars = scalars
        self._variables = variables
        self._use = use
        self._guarded = guarded
        self._dialect = dialect
        self._names: dict[int, str] = {}
        self._narrow: dict[int, bool] = {}

    # ─── types ──────────────────────────────────────────────────────────────────────────────────────────────────

    def is_narrow(self, expr: Expr) -> bool:
        """Whether an int64 is an int32_t in C: it and everything it is made of fits."""
        if expr.dtype is not DType.INT64:
            return False
        narrow = self._narrow.get(id(expr))
        if narrow is None:
            narrow = within(bounds(self._ranges, expr), INT32) and self._made_narrow(expr)
            self._narrow[id(expr)] = narrow
        return narrow

    def _made_narrow(self, expr: Expr) -> bool:
        match expr:
            case Const() | Var() | Cast():
                return True
            case Binary(op="add" | "sub" | "mul"):
                return (
                    within(exact(self._ranges, expr), INT32)
                    and self.is_narrow(expr.left)
                    and self.is_narrow(expr.right)
                )
            case Binary(op="div" | "rem" | "min" | "max" | "and" | "or" | "xor"):
                return self.is_narrow(expr.left) and self.is_narrow(expr.right)
            case Unary(op="neg"):
                return self.is_narrow(expr.operand)
            case Select():
                return self.is_narrow(expr.if_true) and self.is_narrow(expr.if_false)
        return False

    def c_type(self, expr: Expr) -> str:
        """The C type of a variable that holds the value."""
        if expr.dtype is DType.BOOL:
            return self._dialect.word("_Bool")
        if expr.dtype in HALVES:
            return "float"
        return self._dialect.word("int32_t" if self.is_narrow(expr) else C_TYPE[expr.dtype])

    # ─── printing ───────────────────────────────────────────────────────────────────────────────────────────────

    def name(self, expr: Expr, name: str) -> None:
        """From now on the value is in the C variable `name`."""
        self._names[id(expr)] = name

    def __call__(self, expr: Expr) -> Text:
        """The expression, or the variable that holds it."""
        name = self._names.get(id(expr))
        return Text(name) if name is not None else self.fresh(expr)

    def fresh(self, expr: Expr) -> Text:
        """The expression itself, even if it has a name."""
        if expr.dtype in HALVES and self._needs_rounding(expr):
            return self._function(f"{expr.dtype.short}_round", self._unrounded(expr))
        return self._unrounded(expr)

    def bits(self, expr: Expr) -> Text:
        """The stored form: for the 16-bit floats their bits, for all others the value."""
        if expr.dtype not in HALVES:
            return self(expr)
        if id(expr) not in self._names:
            match expr:
                case Load():
                    return self._element(expr)
                case Const():
                    return Text(f"0x{half_bits(float(expr.value), expr.dtype):04x}")
                case Bitcast() if expr.operand.dtype is DType.UINT16:
                    return self(expr.operand)
            # Storing rounds: rounding before it would be the same thing twice.
            return self._function(f"{expr.dtype.short}_store", self._unrounded(expr))
        return self._function(f"{expr.dtype.short}_store", self(expr))

    def _function(self, name: str, *args: Text) -> Text:
        self._use(name)
        return Text(f"{name}({', '.join(arg.code for arg in args)})")

    def _cast(self, type_: str, operand: Text) -> Text:
        return Text(f"({self._dialect.word(type_)}){operand.at(_UNARY)}", _UNARY)

    @staticmethod
    def _needs_rounding(expr: Expr) -> bool:
        match expr:
            case Binary():
                return expr.op not in ("min", "max")
            case Call():
                return expr.function not in _EXACT
            case Cast():
                return True
            case Fma():
                return True
        return False

    def _unrounded(self, expr: Expr) -> Text:
        match expr:
            case Const():
                if expr.dtype.is_float:
                    code = float_constant(float(expr.value), expr.dtype)
                    return Text(code, _UNARY if code.startswith(("-", "(")) else _PRIMARY)
                code = integer_constant(int(expr.value), expr.dtype, self._dialect)
                return Text(code, _UNARY if code.startswith("-") else _PRIMARY)
            case Var():
                return Text(self._variables[expr.name])
            case Load():
                element = self._element(expr)
                if expr.dtype in HALVES:
                    return self._function(f"{expr.dtype.short}_load", element)
                return Text(f"{element.code} != 0", 10) if expr.dtype is DType.BOOL else element
            case Unary():
                return self._unary(expr)
            case Binary():
                return self._binary(expr)
            case Fma():
                short = "f64" if expr.dtype is DType.FLOAT64 else "f32"
                return self._function(f"{short}_fma", self(expr.a), self(expr.b), self(expr.c))
            case Word():
                bits = expr.element.dtype.bits
                parts = [
                    self._cast(f"uint{bits}_t", self._element(expr.element, further))
                    for further in range(32 // bits)
                ]
                return self._function("word" if bits == 8 else "word_of_halves", *parts)
            case Dot2():
                return self._function("dot2", self(expr.a), self(expr.b), self(expr.total))
            case Dot4():
                return self._function(
                    "dot4s" if expr.signed else "dot4", self(expr.a), self(expr.b), self(expr.total)
                )
            case Select():
                condition, a, b = self(expr.condition), self(expr.if_true), self(expr.if_false)
                return Text(
                    f"{condition.at(_CONDITION + 1)} ? {a.at(_CONDITION + 1)} : {b.at(_CONDITION)}",
                    _CONDITION,
                )
            case Cast():
                return self._conversion(expr)
            case Bitcast():
                return self._bitcast(expr)
            case Call():
                return self._call(expr)
        raise InternalError(f"codegen {self._dialect.id}: no text for the node {type(expr).__name__}")

    def _element(self, expr: Load, further: int = 0) -> Text:
        """The element, or one that lies further on in memory."""
        name = self._buffers[expr.buffer.name]
        if not expr.index:
            return Text(name if expr.buffer.name in self._scalars else f"{name}[0]")
        offset = expr.index[0] if not further else expr.index[0] + further
        text = self(offset)
        if id(expr) in self._guarded:
            last = expr.buffer.span - 1
            if last < 0:
                return Text("0")
            if not within(bounds(self._ranges, offset), (0, last)):
                narrow = self.is_narrow(offset) and last <= INT32[1]
                end = integer_constant(last, DType.INT64, self._dialect)
                text = self._function("inside_narrow" if narrow else "inside", text, Text(end))
        return Text(f"{name}[{text.code}]")

    def _unary(self, expr: Unary) -> Text:
        operand, dtype = self(expr.operand), expr.dtype
        if dtype is DType.BOOL:
            return Text(f"!{operand.at(_PRIMARY)}", _UNARY)
        if expr.op == "not":
            return self._short(Text(f"~{operand.at(_PRIMARY)}", _UNARY), dtype)
        negated = Text(f"-{operand.at(_PRIMARY)}", _UNARY)
        if dtype.is_float:
            return negated
        if within(exact(self._ranges, expr), full(dtype)) and dtype.is_signed:
            return self._short(negated, dtype)
        unsigned = "uint64_t" if dtype.bits == 64 else "uint32_t"
        return self._cast(C_TYPE[dtype], Text(f"0 - {self._cast(unsigned, operand).code}", _ADD))

    def _short(self, text: Text, dtype: DType) -> Text:
        """Undoes the promotion of short integers to int."""
        return self._cast(C_TYPE[dtype], text) if dtype.bits < 32 else text

    def _binary(self, expr: Binary) -> Text:
        op, kind = expr.op, expr.left.dtype
        left, right = self(expr.left), self(expr.right)
        if kind is DType.BOOL and op in _LOGICAL:
            sign, strength = _LOGICAL[op]
            if op == "xor":
                return Text(f"{left.at(_UNARY)} {sign} {right.at(_UNARY)}", strength)
            # gcc wants parentheses around && inside of ||.
            first = left.code if left.strength == strength else left.at(9)
            return Text(f"{first} {sign} {right.at(9)}", strength)
        if op in COMPARISONS:
            sign, strength = _SIGNS[op]
            return Text(f"{left.at(_ADD)} {sign} {right.at(_ADD)}", strength)
        if op in ("min", "max"):
            return self._function(f"{self._short_name(expr)}_{op}", left, right)
        if kind.is_float:
            if op == "rem":
                name = self._dialect.word("fmod" if kind is DType.FLOAT64 else "fmodf")
                return Text(f"{name}({left.code}, {right.code})")
            return self._infix(op, left, right)
        if op in ("div", "rem"):
            low, high = bounds(self._ranges, expr.right)
            if low > 0 or high < -1:
                return self._short(self._infix(op, left, right), kind)
            return self._function(f"{self._short_name(expr)}_{op}", left, right)
        return self._integer(expr, left, right)

    def _short_name(self, expr: Expr) -> str:
        """The prefix of the prelude's functions for the C type of a value."""
        if expr.dtype in HALVES:
            return "f32"
        return "i32" if self.is_narrow(expr) else "u8" if expr.dtype is DType.BOOL else expr.dtype.short

    @staticmethod
    def _infix(op: str, left: Text, right: Text) -> Text:
        sign, strength = _SIGNS[op]
        tight = strength in (_MUL, _ADD)
        return Text(
            f"{left.at(strength if tight else _UNARY)} {sign} {right.at(strength + 1 if tight else _UNARY)}",
            strength,
        )

    def _integer(self, expr: Binary, left: Text, right: Text) -> Text:
        """add, sub, mul and the operations on bits."""
        op, dtype = expr.op, expr.dtype
        if op in ("and", "or", "xor", "shr"):
            return self._short(self._infix(op, left, right), dtype)
        if dtype is DType.BOOL:
            raise InternalError(f"codegen {self._dialect.id}: the operation {op!r} is not for bool")
        if op != "shl":
            if dtype is DType.INT64 and not self.is_narrow(expr):
                if within(exact(self._ranges, expr), full(dtype)):
                    if self.is_narrow(expr.left) and self.is_narrow(expr.right):
                        left = self._cast("int64_t", left)
                    return self._infix(op, left, right)
            elif dtype.bits < 32 and dtype is not DType.UINT16:
                return self._short(self._infix(op, left, right), dtype)
            elif dtype.is_unsigned and dtype.bits >= 32:
                return self._infix(op, left, right)
            elif within(exact(self._ranges, expr), INT32):
                return self._short(self._infix(op, left, right), dtype)
        # Signed overflow is undefined in C: compute without a sign, which wraps.
        unsigned = "uint64_t" if dtype.bits == 64 else "uint32_t"
        count = right if op == "shl" else self._cast(unsigned, right)
        text = self._infix(op, self._cast(unsigned, left), count)
        return text if C_TYPE[dtype] == unsigned else self._cast(C_TYPE[dtype], text)

    def _conversion(self, expr: Cast) -> Text:
        source, target = expr.operand, expr.dtype
        kind = source.dtype
        if isinstance(source, Const):
            return self._converted_constant(source, target)
        text = self(source)
        if kind is target:
            return text
        if target is DType.BOOL:
            zero = "0" if not kind.is_float else "0.0" if kind is DType.FLOAT64 else "0.0f"
            return Text(f"{text.at(_ADD)} != {zero}", 10)
        if target in HALVES:
            if kind in HALVES or kind is DType.FLOAT32:
                return text
            if kind.bits < 32:
                return self._cast("float", text)
            # A float does not hold every double or number of 32 bits, and rounding twice is wrong.
            if kind.is_integer and kind.bits == 32:
                return self._function("f32_odd_of", self._cast("int64_t", text))
            return self._function("f32_odd", text if kind.is_float else self._cast("double", text))
        if target is DType.FLOAT32:
            return text if kind in HALVES else self._cast("float", text)
        if target is DType.FLOAT64:
            return self._cast("double", text)
        if kind.is_float:
            # Through a wider signed type, so that numbers out of range wrap as on most processors.
            wider = (
                "int64_t"
                if target.bits == 32 and target.is_unsigned
                else "int32_t"
                if target.bits < 32
                else ""
            )
            return self._cast(C_TYPE[target], self._cast(wider, text) if wider else text)
        type_ = self.c_type(expr)
        return text if self.c_type(source) == type_ else self._cast(type_, text)

    def _converted_constant(self, source: Const, target: DType) -> Text:
        """Done here, because compilers warn of constants that do not fit."""
        value = source.value
        if source.dtype.is_float:
            value = round_to(float(value), source.dtype)
        if target.is_float:
            number: float = float(value)
        elif target is DType.BOOL:
            number = int(value != 0)
        else:
            whole = int(value) if math.isfinite(value) else 0
            low, high = full(target)
            number = (whole - low) % (high - low + 1) + low
        return self._unrounded(Const(number, target))

    def _bitcast(self, expr: Bitcast) -> Text:
        source, target = expr.operand.dtype, expr.dtype
        if source is target:
            return self(expr.operand)
        if source in HALVES:
            text, unsigned = self.bits(expr.operand), DType.UINT16
        elif source.is_float:
            text = self._function(f"{source.short}_bits", self(expr.operand))
            unsigned = DType.UINT32 if source is DType.FLOAT32 else DType.UINT64
        else:
            text, unsigned = self(expr.operand), source
        if not target.is_float:
            if target is DType.BOOL:
                return Text(f"{text.at(_ADD)} != 0", 10)
            return text if C_TYPE[target] == C_TYPE[unsigned] else self._cast(C_TYPE[target], text)
        bits = C_TYPE[
            DType.UINT16 if target in HALVES else DType.UINT32 if target is DType.FLOAT32 else DType.UINT64
        ]
        if C_TYPE[unsigned] != bits:
            text = self._cast(bits, text)
        return self._function(f"{target.short}_load" if target in HALVES else f"{target.short}_of_bits", text)

    def _call(self, expr: Call) -> Text:
        args = [self(arg) for arg in expr.args]
        kind = expr.args[0].dtype
        if not kind.is_float:
            if expr.function != "abs":
                raise InternalError(
                    f"codegen {self._dialect.id}: the function {expr.function!r} is not for {kind.value}"
                )
            if kind.is_signed:
                return self._function(f"{self._short_name(expr)}_abs", *args)
            return args[0]
        double = kind is DType.FLOAT64
        if expr.function in ("isnan", "isinf"):
            return self._function(f"{'f64' if double else 'f32'}_is_{expr.function[2:]}", *args)
        name = self._dialect.word(MATH[expr.function] + ("" if double else "f"))
        return Text(f"{name}({', '.join(arg.code for arg in args)})")
