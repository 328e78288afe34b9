"""What each operation does to numbers: the arithmetic half of the interpreter.

How a value is held: integers as Python integers within their type's range; bool as a truth value; float16, float32 and float64 as
NumPy scalars, whose arithmetic is IEEE's in that type (float16 is computed in float32 and rounded); bfloat16 as a float32 scalar
that is rounded to bfloat16 after every operation. Functions are computed in float64 and rounded to the type.

The functions `…_code` give the Python expression of an operation on Python expressions; the names in them are in NAMESPACE.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ingot.base.errors import InternalError
from ingot.base.tensor import DType
from ingot.loops.analyse.ranges import truncated_div, type_interval
from ingot.loops.nodes import Const

_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
}
_HOLDERS: Mapping[DType, type[np.floating[Any]]] = {
    DType.FLOAT16: np.float16,
    DType.BFLOAT16: np.float32,
    DType.FLOAT32: np.float32,
    DType.FLOAT64: np.float64,
}


# ─── numbers ───────────────────────────────────────────────────────────────────────────────────────────────────────


def round_bfloat16(value: Any) -> Any:
    """The nearest bfloat16 (half to even) of a float32, as a float32."""
    bits = int(np.float32(value).view(np.uint32))
    if bits & 0x7FFFFFFF > 0x7F800000:
        return np.uint32((bits | 0x00400000) & 0xFFFF0000).view(
            np.float32
        )  # a NaN stays one, and becomes quiet
    return np.uint32((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32)


def nearest_bfloat16(value: Any) -> Any:
    """The nearest bfloat16 (half to even) of a float64, as a float32. It is rounded once: on the way through float32 what is no
    float32 goes to the neighbour with an odd last bit, from which a half is told apart.
    """
    near = np.float32(value)
    exact = float(near)  # comparisons of Python's numbers are exact
    if exact == value or not math.isfinite(exact) or (bits := int(near.view(np.uint32))) & 1:
        return round_bfloat16(near)
    return round_bfloat16(np.uint32(bits - 1 if abs(exact) > abs(value) else bits + 1).view(np.float32))


def to_bfloat16_bits(value: Any) -> int:
    """The stored form of a value that is a bfloat16."""
    return int(np.float32(value).view(np.uint32)) >> 16


def from_bfloat16_bits(bits: Any) -> Any:
    """The float32 of a stored bfloat16."""
    return np.uint32(int(bits) << 16).view(np.float32)


def _remainder(a: int, b: int) -> int:
    return a - _quotient(a, b) * b


def _quotient(a: int, b: int) -> int:
    if b == 0:
        raise InternalError("an integer is divided by zero")
    return truncated_div(a, b)


def _smaller(a: Any, b: Any) -> Any:
    return a if a < b else b


def _larger(a: Any, b: Any) -> Any:
    return a if a > b else b


def _to_integer(value: Any, low: int, high: int) -> int:
    """Toward zero. Outside the type's range, where the loop IR says nothing: the nearest end; of a NaN 0."""
    if math.isfinite(value):
        return min(max(int(value), low), high)
    return 0 if math.isnan(value) else high if value > 0 else low


def _to_float32(value: int) -> Any:
    if -(2**53) <= value <= 2**53:
        return np.float32(value)
    return np.array(value, np.int64 if value < 2**63 else np.uint64).astype(np.float32)[()]


def _fma(a: Any, b: Any, c: Any) -> float:
    """In float64, where the product of two shorter floats is exact."""
    return float(a) * float(b) + float(c)


def _word(memory: Any, offset: int, span: int, name: str, bits: int) -> int:
    count, ones = 32 // bits, (1 << bits) - 1
    if not 0 <= offset <= span - count:
        raise InternalError(
            f"the word at offset {offset} is outside buffer {name!r} of {span} elements",
            buffer=name,
            offset=offset,
        )
    if isinstance(memory, np.ndarray) and sys.byteorder == "little":  # the bytes are the word already
        return int.from_bytes(memory[offset : offset + count].tobytes(), "little", signed=True)
    word = sum((int(memory[offset + at]) & ones) << bits * at for at in range(count))
    return (word ^ 1 << 31) - (1 << 31)


def _dot2(a: int, b: int, total: int) -> int:
    for shift in (0, 16):
        total += ((a >> shift & 65535 ^ 32768) - 32768) * ((b >> shift & 65535 ^ 32768) - 32768)
    return (total & 0xFFFFFFFF ^ 1 << 31) - (1 << 31)


def _dot4(a: int, b: int, total: int, signed: bool, narrow: bool) -> int:
    products = []
    for shift in (0, 8, 16, 24):
        left = a >> shift & 255
        products.append(((left ^ 128) - 128 if signed else left) * ((b >> shift & 255 ^ 128) - 128))
    if narrow and any(
        not -(1 << 15) <= first + second < 1 << 15
        for first, second in zip(products[:2], products[2:], strict=True)
    ):
        raise InternalError("two products of 8-bit values do not fit 16 bits together, as a kernel says")
    return (total + sum(products) & 0xFFFFFFFF ^ 1 << 31) - (1 << 31)


def _erf(x: float) -> float:
    return math.erf(x)


def _exact(fast: Callable[..., float], slow: Callable[..., Any]) -> Callable[..., float]:
    """Python's function, and NumPy's where Python raises instead of giving IEEE's infinity or NaN."""

    def function(*args: Any) -> float:
        try:
            return fast(*args)
        except (ValueError, OverflowError):
            return float(slow(*map(np.float64, args)))

    return function


# Python's `floor`, `ceil` and `trunc` give integers, so NumPy's are used.
_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "sqrt": _exact(math.sqrt, np.sqrt),
    "exp": _exact(math.exp, np.exp),
    "exp_flushed": _exact(math.exp, np.exp),
    "log": _exact(math.log, np.log),
    "sin": _exact(math.sin, np.sin),
    "cos": _exact(math.cos, np.cos),
    "tan": _exact(math.tan, np.tan),
    "asin": _exact(math.asin, np.arcsin),
    "acos": _exact(math.acos, np.arccos),
    "atan": _exact(math.atan, np.arctan),
    "sinh": _exact(math.sinh, np.sinh),
    "cosh": _exact(math.cosh, np.cosh),
    "tanh": _exact(math.tanh, np.tanh),
    "asinh": _exact(math.asinh, np.arcsinh),
    "acosh": _exact(math.acosh, np.arccosh),
    "atanh": _exact(math.atanh, np.arctanh),
    "erf": _erf,
    "floor": lambda x: float(np.floor(x)),
    "ceil": lambda x: float(np.ceil(x)),
    "trunc": lambda x: float(np.trunc(x)),
    "rint": lambda x: float(np.rint(x)),
    "pow": _exact(math.pow, np.power),
}


def _bitcast(source: DType, target: DType) -> Callable[[Any], Any]:
    """The function that gives values of one type the bits of those of another one."""
    stored, seen = source.numpy.type, target.numpy.type
    encode = to_bfloat16_bits if source is DType.BFLOAT16 else None
    decode = from_bfloat16_bits if target is DType.BFLOAT16 else None if target.is_float else np.generic.item

    def cast(value: Any) -> Any:
        bits = stored(value if encode is None else encode(value)).view(seen)
        return bits if decode is None else decode(bits)

    return cast


NAMESPACE: dict[str, Any] = {
    "_bf16": round_bfloat16,
    "_bf16_once": nearest_bfloat16,
    "_bf16_store": to_bfloat16_bits,
    "_bf16_load": from_bfloat16_bits,
    "_div": _quotient,
    "_rem": _remainder,
    "_min": _smaller,
    "_max": _larger,
    "_fma": _fma,
    "_word": _word,
    "_dot2": _dot2,
    "_dot4": _dot4,
    "_fmod": np.fmod,
    "_to_integer": _to_integer,
    "_to_float32": _to_float32,
    "_f16": np.float16,
    "_f32": np.float32,
    "_f64": np.float64,
    "_isnan": math.isnan,
    "_isinf": math.isinf,
    **{f"_{name}": function for name, function in _FUNCTIONS.items()},
    **{
        f"_bits_{source.short}_{target.short}": _bitcast(source, target)
        for source in DType
        for target in DType
        if source.bits == target.bits
    },
}


def constant(node: Const) -> Any:
    """The value of a float constant as it is held."""
    with np.errstate(all="ignore"):
        value = _HOLDERS[node.dtype](float(node.value))
        return round_bfloat16(value) if node.dtype is DType.BFLOAT16 else value


def poison(dtype: DType) -> Any:
    """What an uninitialised element of a local holds: easily seen in a result."""
    if dtype.is_float:
        return _HOLDERS[dtype](np.nan)
    return True if dtype is DType.BOOL else int.from_bytes(b"\x5a" * dtype.size_bytes, "little")


# ─── Python expressions ────────────────────────────────────────────────────────────────────────────────────────────


def _wrapped(code: str, dtype: DType) -> str:
    mask = 2**dtype.bits - 1
    if dtype.is_unsigned:
        return f"({code} & {mask})"
    half = 2 ** (dtype.bits - 1)
    return f"(({code} + {half} & {mask}) - {half})"


def _rounded(code: str, dtype: DType) -> str:
    """A result of arithmetic in the type that holds a float, as that float."""
    return f"_bf16({code})" if dtype is DType.BFLOAT16 else code


def _narrowed(code: str, dtype: DType) -> str:
    """A float64 as a float of the type."""
    return f"_bf16(_f32({code}))" if dtype is DType.BFLOAT16 else f"_{dtype.short}({code})"


def unary_code(op: str, x: str, dtype: DType) -> str:
    """`neg` or `not`."""
    if op == "neg":
        return f"(-{x})" if dtype.is_float else _wrapped(f"-{x}", dtype)
    return f"(not {x})" if dtype is DType.BOOL else _wrapped(f"~{x}", dtype)


def binary_code(op: str, a: str, b: str, dtype: DType, wraps: bool = True) -> str:
    """A binary operation on operands of the type; `wraps` is False where the result is known to be in range."""
    if op in ("min", "max"):
        return f"_{op}({a}, {b})"
    if dtype.is_float:
        if op == "rem":
            return _rounded(f"_fmod({a}, {b})", dtype)
        code = f"({a} {_SIGNS[op]} {b})"
        return _rounded(code, dtype) if op in ("add", "sub", "mul", "div") else code
    if op in ("div", "rem"):
        return f"_{op}({a}, {b})" if op == "rem" or not wraps else _wrapped(f"_div({a}, {b})", dtype)
    if op in ("shl", "shr"):
        count = f"({b} & {dtype.bits - 1})"
        return _wrapped(f"({a} << {count})", dtype) if op == "shl" else f"({a} >> {count})"
    code = f"({a} {_SIGNS[op]} {b})"
    return _wrapped(code, dtype) if op in ("add", "sub", "mul") and wraps else code


def fma_code(a: str, b: str, c: str, dtype: DType) -> str:
    """`a * b + c`: floats shorter than float64 are rounded once."""
    if not dtype.is_float:
        return _wrapped(f"({a} * {b} + {c})", dtype)
    return _narrowed(f"_fma({a}, {b}, {c})", dtype)


def call_code(function: str, args: Sequence[str], dtype: DType) -> str:
    """A function of the closed list."""
    if function in ("isnan", "isinf"):
        return f"_{function}({args[0]})"
    if function == "abs":
        return f"abs({args[0]})" if dtype.is_float else _wrapped(f"abs({args[0]})", dtype)
    return _narrowed(f"_{function}({', '.join(args)})", dtype)


def cast_code(x: str, source: DType, target: DType) -> str:
    """A conversion by value."""
    if source is target:
        return x
    if target is DType.BOOL:
        return f"({x} != 0)"
    limits, old = type_interval(target), type_interval(source)
    if limits is not None:
        if old is None:
            return f"_to_integer({x}, {limits[0]}, {limits[1]})"
        fits = limits[0] <= old[0] and old[1] <= limits[1]
        value = f"int({x})" if source is DType.BOOL else x
        return value if fits else _wrapped(value, target)
    if (
        target is DType.BFLOAT16
        and (source is DType.FLOAT64 or source.bits > 24)
        and source is not DType.FLOAT32
    ):
        return f"_bf16_once({f'float({x})' if source.is_integer else x})"
    if source.is_integer and target is not DType.FLOAT64 and target is not DType.FLOAT16:
        return _rounded(f"_to_float32({x})", target)
    return _narrowed(f"_f64({x})" if not source.is_float else x, target)


def bitcast_code(x: str, source: DType, target: DType) -> str:
    """The same bits as another type."""
    return f"_bits_{source.short}_{target.short}({x})"


def decode_code(element: str, dtype: DType) -> str:
    """The value of an array's element."""
    if dtype is DType.BFLOAT16:
        return f"_bf16_load({element})"
    return element if dtype.is_float else f"{element}.item()"


def encode_code(value: str, dtype: DType) -> str:
    """The element of an array for a value."""
    return f"_bf16_store({value})" if dtype is DType.BFLOAT16 else value
