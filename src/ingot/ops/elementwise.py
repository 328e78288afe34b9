"""Elementwise arithmetic with broadcasting: binary and variadic operators, and what all elementwise families share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.elements import broadcast_index
from ingot.loops.build.nest import larger, smaller
from ingot.loops.nodes import (
    Binary,
    Const,
    Expr,
    Unary,
    binary,
    call,
    cast,
    compare,
    select,
)
from ingot.ops.facts import Element, Folding, Identity
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor

NARROW_FLOATS = frozenset({DType.FLOAT16, DType.BFLOAT16})
OPERANDS_MAX = 16  # of one definition of a variadic operator
_BROADCAST_SINCE = 8  # the opset from which on the operands of variadic operators broadcast
Rule = Callable[[OpCall, Emitter], Sequence[Tensor]]


# ─── broadcasting ──────────────────────────────────────────────────────────────────────────────────────────────────


def broadcast_shape(call_: OpCall, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that operands of these shapes broadcast to (NumPy's rule)."""
    rank = max(map(len, shapes))
    result = []
    for axis in range(rank):
        extents = {shape[axis - rank] for shape in shapes if axis - rank >= -len(shape)} - {1}
        if len(extents) > 1:
            call_.unsupported(f"shapes {' and '.join(str(list(shape)) for shape in shapes)} do not broadcast")
        result.append(extents.pop() if extents else 1)
    return tuple(result)


def broadcasts_to(shape: tuple[int, ...], result: tuple[int, ...]) -> bool:
    """Whether an operand of `shape` can be one of a result of that shape."""
    tail = result[len(result) - len(shape) :]
    return len(shape) <= len(result) and all(
        extent in (1, whole) for extent, whole in zip(shape, tail, strict=True)
    )


def literal(tensor: Tensor) -> Const | None:
    """The one element of a constant tensor as a Const; None where the tensor has more elements or is not known yet."""
    array = tensor.constant
    if array is None or array.size != 1:
        return None
    return number(array.reshape(-1)[0], tensor.dtype)


def number(element: Any, dtype: DType) -> Const:
    """An element of an array as a Const; one of bfloat16 is kept as its bits."""
    if dtype is DType.BFLOAT16:
        return Const(float(np.uint32(int(element) << 16).view(np.float32)), dtype)
    if dtype.is_float:
        return Const(float(element), dtype)
    return Const(bool(element) if dtype is DType.BOOL else int(element), dtype)


def scalar(tensor: Tensor, read: Callable[..., Expr]) -> Expr:
    """The element of a tensor of one element: a constant, or a load."""
    known = literal(tensor)
    return read(*(0,) * tensor.rank) if known is None else known


def map_broadcast(
    call_: OpCall,
    emit: Emitter,
    inputs: Sequence[Tensor],
    output: TensorType,
    value: Callable[..., Expr],
    name: str,
) -> Tensor:
    """Emits `value(x, y, …)` over operands that broadcast to the output's shape. Constants of one element become literals."""
    for tensor in inputs:
        if not broadcasts_to(tensor.shape, output.shape):
            call_.unsupported(
                f"an operand of the shape {list(tensor.shape)} does not broadcast to {list(output.shape)}"
            )
    literals = [literal(tensor) for tensor in inputs]
    loaded = [tensor for tensor, known in zip(inputs, literals, strict=True) if known is None]

    def at(where: tuple[Expr, ...], *reads: Callable[..., Expr]) -> Expr:
        remaining = iter(reads)
        return value(
            *(
                next(remaining)(*broadcast_index(where, tensor.shape)) if known is None else known
                for tensor, known in zip(inputs, literals, strict=True)
            )
        )

    return emit.pointwise(loaded, output, at, name)


# ─── arithmetic on expressions ─────────────────────────────────────────────────────────────────────────────────────


def widened(value: Callable[..., Expr]) -> Callable[..., Expr]:
    """`value`, computed in float32 where its operands are float16 or bfloat16."""

    def compute(*args: Expr) -> Expr:
        dtype = args[0].dtype
        if dtype not in NARROW_FLOATS:
            return value(*args)
        result = value(*(cast(arg, DType.FLOAT32) if arg.dtype is dtype else arg for arg in args))
        return cast(result, dtype) if result.dtype is DType.FLOAT32 else result

    return compute


def divide(a: Expr, b: Expr) -> Expr:
    """The quotient; integers truncate, by zero they give 0 (no processor traps), and the lowest by -1 wraps."""
    if a.dtype.is_float or (isinstance(b, Const) and b.value not in (0, -1)):
        return binary("div", a, b)
    zero, unit = Const(0, a.dtype), Const(1, a.dtype)
    by_zero = compare("eq", b, zero)
    if not a.dtype.is_signed:
        return select(by_zero, zero, binary("div", a, select(by_zero, unit, b)))
    by_minus_one = compare("eq", b, -1)
    divisor = select(by_zero, unit, select(by_minus_one, unit, b))
    return select(by_zero, zero, select(by_minus_one, Unary("neg", a), binary("div", a, divisor)))


def remainder(a: Expr, b: Expr) -> Expr:
    """The remainder with the sign of the dividend; of integers by zero it is 0."""
    if a.dtype.is_float or (isinstance(b, Const) and b.value not in (0, -1)):
        return binary("rem", a, b)
    unit = Const(1, a.dtype)
    divisor = select(compare("eq", b, 0), unit, b)
    if a.dtype.is_signed:
        divisor = select(compare("eq", b, -1), unit, divisor)  # the remainder by 1 is the one by -1: nothing
    return binary("rem", a, divisor)


def floor_remainder(a: Expr, b: Expr) -> Expr:
    """The remainder with the sign of the divisor, as Python's `%`; so has a remainder of zero."""
    rest = remainder(a, b)
    if a.dtype.is_unsigned:
        return rest
    differs = Binary("xor", compare("lt", rest, 0), compare("lt", b, 0))
    result = select(Binary("and", compare("ne", rest, 0), differs), rest + b, rest)
    if not a.dtype.is_float:
        return result
    zero = select(compare("lt", b, 0), Const(-0.0, a.dtype), Const(0.0, a.dtype))
    return select(compare("eq", rest, 0), zero, result)


def power(base: Expr, exponent: Expr) -> Expr:
    """`base` to the `exponent` in the type of `base`, whatever the type of `exponent` is."""
    known = exponent.value if isinstance(exponent, Const) else None
    # A float is multiplied at most thrice: longer chains round worse than the function does.
    if known is not None and 0 <= known <= (64 if base.dtype.is_integer else 4) and float(known).is_integer():
        return _product(base, int(known))
    if (
        known == 0.5
        and base.dtype.is_float
        and (base.dtype is DType.FLOAT64 or exponent.dtype is not DType.FLOAT64)
    ):
        return widened(_half_power)(base)
    if base.dtype.is_integer and exponent.dtype.is_integer:
        return _integer_power(base, exponent)
    double = base.dtype.is_integer or DType.FLOAT64 in (base.dtype, exponent.dtype)
    computed = DType.FLOAT64 if double else DType.FLOAT32
    return cast(call("pow", cast(base, computed), cast(exponent, computed)), base.dtype)


def _half_power(base: Expr) -> Expr:
    """`base` to the power of a half: the root, but for what IEEE has otherwise, `pow(-∞, ½) = ∞` and `pow(-0, ½) = 0`."""
    infinity = Const(np.inf, base.dtype)
    return select(compare("eq", base, -np.inf), infinity, call("abs", call("sqrt", base)))


def _product(base: Expr, count: int) -> Expr:
    """`base` multiplied `count` times, by squaring. Floats shorter than float32 are rounded once."""
    if base.dtype in NARROW_FLOATS:
        return cast(_product(cast(base, DType.FLOAT32), count), base.dtype)
    result: Expr | None = None
    square = base
    while count:
        if count & 1:
            result = square if result is None else result * square
        count >>= 1
        square = square * square if count else square
    return Const(1, base.dtype) if result is None else result


def _integer_power(base: Expr, exponent: Expr) -> Expr:
    """By squaring over all bits of the exponent; the result wraps. A negative exponent gives the reciprocal, truncated."""
    unit, zero = Const(1, base.dtype), Const(0, base.dtype)
    result: Expr = unit
    square = base
    odd = compare("ne", Binary("and", exponent, Const(1, exponent.dtype)), 0)
    bits = exponent.dtype.bits - (1 if exponent.dtype.is_signed else 0)
    for bit in range(bits):
        is_set = (
            compare(
                "ne",
                Binary("and", Binary("shr", exponent, Const(bit, exponent.dtype)), Const(1, exponent.dtype)),
                0,
            )
            if bit
            else odd
        )
        result = select(is_set, result * square if bit else base, result)
        square = square * square
    if not exponent.dtype.is_signed:
        return result
    reciprocal = select(compare("eq", base, 1), unit, zero)
    if base.dtype.is_signed:
        reciprocal = select(compare("eq", base, -1), select(odd, base, unit), reciprocal)
    return select(compare("lt", exponent, 0), reciprocal, result)


# ─── lowering rules ────────────────────────────────────────────────────────────────────────────────────────────────


def binary_rule(value: Callable[[Expr, Expr], Expr], name: str) -> Rule:
    """The rule of an operator of two broadcast operands of one type, whose result has that type."""

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        a, b = call_.input(0), call_.input(1)
        output = TensorType(a.dtype, broadcast_shape(call_, a.shape, b.shape))
        return (map_broadcast(call_, emit, [a, b], output, widened(value), name),)

    return lower


def variadic_rule(value: Callable[[Expr, Expr], Expr], name: str) -> Rule:
    """The rule of an operator of one or more broadcast operands, taken together two by two, the first ones first."""

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        inputs = [call_.input(position) for position in range(len(call_.inputs))]
        if len(inputs) == 1:
            return (inputs[0],)
        return (_folded(call_, emit, inputs, value, lambda total: total, name),)

    return lower


def _folded(
    call_: OpCall,
    emit: Emitter,
    inputs: Sequence[Tensor],
    value: Callable[[Expr, Expr], Expr],
    finish: Callable[[Expr], Expr],
    name: str,
) -> Tensor:
    """The operands taken together in their order, some at a time: what so many make is a value, in float32 if they are narrow
    floats, so that neither the expression nor the kernel's parameters grow with their number.
    """
    if call_.version < _BROADCAST_SINCE and any(operand.shape != inputs[0].shape for operand in inputs):
        shapes = ", ".join(str(list(operand.shape)) for operand in inputs)
        call_.unsupported(
            f"operands of the shapes {shapes}; before opset {_BROADCAST_SINCE} they have one shape"
        )
    dtype = inputs[0].dtype
    between = DType.FLOAT32 if dtype in NARROW_FLOATS else dtype
    waiting = list(inputs)
    while len(waiting) > OPERANDS_MAX:
        some = waiting[:OPERANDS_MAX]
        partial_type = TensorType(between, broadcast_shape(call_, *(tensor.shape for tensor in some)))
        total = map_broadcast(
            call_,
            emit,
            some,
            partial_type,
            lambda *args: reduce(value, (cast(arg, between) for arg in args)),
            name,
        )
        waiting = [total, *waiting[OPERANDS_MAX:]]
    output = TensorType(dtype, broadcast_shape(call_, *(tensor.shape for tensor in waiting)))

    def last(*args: Expr) -> Expr:
        return cast(finish(reduce(value, (cast(arg, between) for arg in args))), dtype)

    return map_broadcast(call_, emit, waiting, output, last, name)


def _mean(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Mean 6, 8, 13: the mean of broadcast operands."""
    inputs = [call_.input(position) for position in range(len(call_.inputs))]
    return (_folded(call_, emit, inputs, lambda a, b: a + b, lambda total: total / len(inputs), "mean"),)


def _mod(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Mod 10, 13: `fmod=0` has the sign of the divisor, `fmod=1` that of the dividend."""
    value = remainder if call_.attr("fmod", 0) else floor_remainder
    return binary_rule(value, "mod")(call_, emit)


def _pow(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Pow 7, 12, 13, 15: base and exponent of any two number types; the result has the type of the base."""
    a, b = call_.input(0), call_.input(1)
    output = TensorType(a.dtype, broadcast_shape(call_, a.shape, b.shape))
    return (map_broadcast(call_, emit, [a, b], output, power, "pow"),)


def _prelu(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """PRelu 7, 9, 16: `x` where it is not below 0, else `slope * x`; the slope broadcasts to the shape of `x`."""
    x, slope = call_.input(0), call_.input(1)
    if broadcast_shape(call_, x.shape, slope.shape) != x.shape:
        call_.unsupported(f"the slope of shape {list(slope.shape)} does not broadcast to {list(x.shape)}")
    value = widened(lambda a, b: select(compare("lt", a, 0), a * b, a))
    return (map_broadcast(call_, emit, [x, slope], x.type, value, "prelu"),)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Add", 7, binary_rule(lambda a, b: a + b, "add"), element=Element.CHEAP, commutes=True),
    OpDef("", "Sub", 7, binary_rule(lambda a, b: a - b, "sub"), element=Element.CHEAP),
    OpDef("", "Mul", 7, binary_rule(lambda a, b: a * b, "mul"), element=Element.CHEAP, commutes=True),
    OpDef("", "Div", 7, binary_rule(divide, "div"), element=Element.CHEAP),
    OpDef("", "Mod", 10, _mod),
    OpDef("", "Pow", 7, _pow, element=Element.COSTLY),
    OpDef("", "PRelu", 7, _prelu),
    OpDef(
        "",
        "Max",
        6,
        variadic_rule(larger, "max"),
        folding=Folding.ARRAYS,
        element=Element.CHEAP,
        identity=Identity.ONE_INPUT,
    ),
    OpDef(
        "",
        "Min",
        6,
        variadic_rule(smaller, "min"),
        folding=Folding.ARRAYS,
        element=Element.CHEAP,
        identity=Identity.ONE_INPUT,
    ),
    OpDef("", "Sum", 6, variadic_rule(lambda a, b: a + b, "sum"), identity=Identity.ONE_INPUT),
    OpDef("", "Mean", 6, _mean, identity=Identity.ONE_INPUT),
)
