"""Functions of one tensor, element by element: mathematics and activations."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.activations import (
    elu,
    hard_sigmoid,
    leaky_relu,
    relu,
    sigmoid,
    softplus,
    softsign,
    tanh,
)
from ingot.loops.nodes import Binary, Cast, Const, Expr, Unary, call, cast, compare, maximum, minimum, select
from ingot.ops.elementwise import Rule, map_broadcast, scalar, widened
from ingot.ops.facts import Element, Folding, Trust
from ingot.ops.integers.minifloat import number_of
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor

# ─── functions of one expression ───────────────────────────────────────────────────────────────────────────────────
# A constant stands on the left of maximum and minimum, so that a NaN on the right is the result.


def gelu_erf(x: Expr) -> Expr:
    """The exact Gaussian error linear unit."""
    return x * 0.5 * (1.0 + call("erf", x * math.sqrt(0.5)))


def gelu_tanh(x: Expr) -> Expr:
    """The approximation of the Gaussian error linear unit by a hyperbolic tangent."""
    inner = (x + x * x * x * 0.044715) * math.sqrt(2.0 / math.pi)
    return x * 0.5 * (1.0 + call("tanh", inner))


def _selu(x: Expr, alpha: float, gamma: float) -> Expr:
    return select(compare("gt", x, 0.0), x, (call("exp_flushed", x) - 1.0) * alpha) * gamma


def _celu(x: Expr, alpha: float) -> Expr:
    return select(
        compare("lt", x, 0.0), (call("exp" if alpha < 0 else "exp_flushed", x / alpha) - 1.0) * alpha, x
    )


def _sign(x: Expr) -> Expr:
    # What is neither above nor below 0 is a zero, whose sign is 0 and not -0, or a NaN, which is its own.
    neither = call("abs", x) if x.dtype.is_float else x
    if x.dtype.is_unsigned:
        return select(compare("gt", x, 0), Const(1, x.dtype), neither)
    return select(
        compare("gt", x, 0), Const(1, x.dtype), select(compare("lt", x, 0), Const(-1, x.dtype), neither)
    )


def _absolute(x: Expr) -> Expr:
    return x if x.dtype.is_unsigned else call("abs", x)


# ─── lowering rules ────────────────────────────────────────────────────────────────────────────────────────────────


def _plain(value: Callable[[Expr], Expr], name: str) -> Rule:
    """The rule of a function with no attributes."""

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        x = call_.input(0)
        return (map_broadcast(call_, emit, [x], x.type, widened(value), name),)

    return lower


def _function(function: str) -> Rule:
    return _plain(lambda x: call(function, x), function)


def _with(value: Callable[..., Expr], name: str, **defaults: float) -> Rule:
    """The rule of a function whose parameters are float attributes."""

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        x = call_.input(0)
        numbers = [float(call_.attr(attribute, default)) for attribute, default in defaults.items()]
        return (map_broadcast(call_, emit, [x], x.type, widened(lambda a: value(a, *numbers)), name),)

    return lower


def _predicate(value: Callable[[Expr], Expr], name: str) -> Rule:
    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        x = call_.input(0)

        def of_number(element: Expr) -> Expr:
            return widened(value)(number_of(element, x.element))

        return (map_broadcast(call_, emit, [x], TensorType(DType.BOOL, x.shape), of_number, name),)

    return lower


def _is_inf(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """IsInf 10, 20: with `detect_positive` and `detect_negative`."""
    positive, negative = bool(call_.attr("detect_positive", 1)), bool(call_.attr("detect_negative", 1))

    def value(x: Expr) -> Expr:
        if positive and negative:
            return call("isinf", x)
        if not positive and not negative:
            return Const(False, DType.BOOL)
        return Binary("and", call("isinf", x), compare("gt" if positive else "lt", x, 0.0))

    return _predicate(value, "isinf")(call_, emit)


def _gelu(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Gelu 20: exact, or with `approximate="tanh"`; Gelu and FastGelu of onnxruntime's domain."""
    if call_.op_type == "FastGelu" and call_.optional(1) is not None:
        call_.unsupported("a bias whose shape is not known")
    if not call_.input(0).dtype.is_float:
        call_.unsupported(f"input 0 is {call_.input(0).type}, expected floats")
    is_fast = call_.op_type == "FastGelu" or call_.attr("approximate", "none") == "tanh"
    value = gelu_tanh if is_fast else gelu_erf
    return _plain(value, "gelu")(call_, emit)


def _shrink(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Shrink 9: moves what lies beyond `lambd` by `bias` towards 0, and makes the rest 0. Integers are computed in float32."""
    lambd, bias = float(call_.attr("lambd", 0.5)), float(call_.attr("bias", 0.0))
    x = call_.input(0)
    computed = x.dtype if x.dtype is DType.FLOAT64 else DType.FLOAT32

    def value(element: Expr) -> Expr:
        a = cast(element, computed)
        zero = Const(0.0, computed)
        moved = select(compare("lt", a, -lambd), a + bias, select(compare("gt", a, lambd), a - bias, zero))
        return cast(moved, x.dtype)

    return (map_broadcast(call_, emit, [x], x.type, value, "shrink"),)


_CLIP_INPUTS_SINCE = 11
# The largest number of float32: the default of the attributes `min` and `max`.
_CLIP_LARGEST = 3.4028234663852886e38


def _clip(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Clip 6 (attributes), 11, 12, 13 (inputs): `Min(max, Max(x, min))`, so where min > max all is max. A NaN stays, and one
    that is a bound is the result. An attribute that is left out bounds by the largest number of float32, an input does not.
    """
    x = call_.input(0)
    bounds: list[Tensor] = []
    steps: list[tuple[str, Any]] = []  # operator, and a number or the position in `bounds`
    for position, name, op in ((1, "min", "max"), (2, "max", "min")):
        bound = call_.optional(position)
        if bound is not None:
            if bound.type.size != 1:
                call_.unsupported(
                    f"input {position} ({name}) must have one element, got the shape {list(bound.shape)}"
                )
            steps.append((op, len(bounds)))
            bounds.append(bound)
        elif name in call_.attributes:
            steps.append((op, Const(float(call_.attr(name)), x.dtype)))
        elif (
            call_.version < _CLIP_INPUTS_SINCE and x.dtype is not DType.FLOAT16
        ):  # which has no number beyond these
            steps.append((op, Const(_CLIP_LARGEST if op == "min" else -_CLIP_LARGEST, x.dtype)))
    if not steps:
        return (x,)

    def at(where: tuple[Expr, ...], read: Callable[..., Expr], *reads: Callable[..., Expr]) -> Expr:
        def value(element: Expr, *limits: Expr) -> Expr:
            for op, limit in steps:
                bound = limits[limit] if isinstance(limit, int) else cast(limit, element.dtype)
                inside = (maximum if op == "max" else minimum)(bound, element)
                element = inside if _is_number(bound) else select(compare("eq", bound, bound), inside, bound)
            return element

        return widened(value)(
            read(*where), *(scalar(bound, each) for bound, each in zip(bounds, reads, strict=True))
        )

    return (emit.pointwise([x, *bounds], x.type, at, "clip"),)


def _is_number(bound: Expr) -> bool:
    """Whether it is sure that an expression is no NaN."""
    known = bound.operand if isinstance(bound, Cast) else bound
    return not bound.dtype.is_float or (isinstance(known, Const) and known.value == known.value)


def _binarizer(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Binarizer (ai.onnx.ml) 1: 1 where the element is above `threshold`, else 0."""
    threshold = float(call_.attr("threshold", 0.0))
    x = call_.input(0)

    def value(element: Expr) -> Expr:
        wide = element if element.dtype is DType.FLOAT64 else cast(element, DType.FLOAT32)
        return cast(compare("gt", wide, threshold), x.dtype)

    return (map_broadcast(call_, emit, [x], x.type, value, "binarizer"),)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Abs", 6, _plain(_absolute, "abs"), folding=Folding.ARRAYS, element=Element.CHEAP),
    OpDef("", "Neg", 6, _plain(lambda x: -x, "neg"), folding=Folding.ARRAYS, element=Element.CHEAP),
    OpDef("", "Sign", 9, _plain(_sign, "sign")),
    OpDef(
        "",
        "Reciprocal",
        6,
        _plain(lambda x: 1.0 / x, "reciprocal"),
        folding=Folding.ARRAYS,
        element=Element.COSTLY,
    ),
    OpDef("", "Sqrt", 6, _function("sqrt"), folding=Folding.ARRAYS, element=Element.COSTLY),
    OpDef("", "Exp", 6, _function("exp"), element=Element.COSTLY),
    OpDef("", "Log", 6, _function("log"), element=Element.COSTLY),
    OpDef("", "Erf", 9, _function("erf"), element=Element.COSTLY),
    OpDef("", "Floor", 6, _function("floor")),
    OpDef("", "Ceil", 6, _function("ceil")),
    OpDef("", "Round", 11, _function("rint")),
    OpDef("", "Sin", 7, _function("sin"), element=Element.COSTLY),
    OpDef("", "Cos", 7, _function("cos"), element=Element.COSTLY),
    OpDef("", "Tan", 7, _function("tan")),
    OpDef("", "Asin", 7, _function("asin")),
    OpDef("", "Acos", 7, _function("acos")),
    OpDef("", "Atan", 7, _function("atan")),
    OpDef("", "Sinh", 9, _function("sinh")),
    OpDef("", "Cosh", 9, _function("cosh")),
    OpDef("", "Tanh", 6, _function("tanh"), element=Element.COSTLY),
    OpDef("", "Asinh", 9, _function("asinh")),
    OpDef("", "Acosh", 9, _function("acosh")),
    OpDef("", "Atanh", 9, _function("atanh")),
    OpDef("", "Relu", 6, _plain(relu, "relu"), element=Element.CHEAP),
    OpDef("", "Sigmoid", 6, _plain(sigmoid, "sigmoid"), element=Element.COSTLY),
    OpDef("", "Softplus", 1, _plain(softplus, "softplus"), element=Element.COSTLY),
    OpDef("", "Softsign", 1, _plain(softsign, "softsign"), element=Element.COSTLY),
    OpDef("", "Mish", 18, _plain(lambda x: x * tanh(softplus(x)), "mish"), element=Element.COSTLY),
    OpDef(
        "",
        "HardSwish",
        14,
        _plain(lambda x: x * hard_sigmoid(x, 1.0 / 6.0, 0.5), "hardswish"),
        element=Element.CHEAP,
    ),
    OpDef(
        "",
        "HardSigmoid",
        6,
        _with(hard_sigmoid, "hardsigmoid", alpha=0.2, beta=0.5),
        element=Element.CHEAP,
    ),
    OpDef("", "LeakyRelu", 6, _with(leaky_relu, "leakyrelu", alpha=0.01), element=Element.CHEAP),
    OpDef("", "Elu", 6, _with(elu, "elu", alpha=1.0), element=Element.COSTLY),
    OpDef("", "Celu", 12, _with(_celu, "celu", alpha=1.0), evaluated=Trust.IF_FINITE, element=Element.COSTLY),
    OpDef(
        "",
        "Selu",
        6,
        _with(_selu, "selu", alpha=1.67326319217681884765625, gamma=1.05070102214813232421875),
        element=Element.COSTLY,
    ),
    OpDef(
        "",
        "Swish",
        24,
        _with(lambda x, alpha: x * sigmoid(x if alpha == 1.0 else x * alpha), "swish", alpha=1.0),
        element=Element.COSTLY,
    ),
    OpDef(
        "",
        "ThresholdedRelu",
        10,
        _with(lambda x, alpha: select(compare("gt", x, alpha), x, 0.0), "thresholdedrelu", alpha=1.0),
    ),
    OpDef("", "Gelu", 20, _gelu, element=Element.COSTLY),
    OpDef("com.microsoft", "Gelu", 1, _gelu),
    OpDef("com.microsoft", "FastGelu", 1, _gelu),
    OpDef("", "Shrink", 9, _shrink),
    OpDef("", "Clip", 6, _clip, folding=Folding.ARRAYS, element=Element.CHEAP),
    OpDef("", "Clip", 11, _clip, folding=Folding.ARRAYS, element=Element.CHEAP),
    OpDef("", "IsNaN", 9, _predicate(lambda x: call("isnan", x), "isnan"), reads_element=True),
    OpDef("", "IsInf", 10, _is_inf, reads_element=True),
    OpDef("", "Not", 1, _plain(lambda x: Unary("not", x), "not"), folding=Folding.ARRAYS),
    OpDef("", "BitwiseNot", 18, _plain(lambda x: Unary("not", x), "bitwisenot")),
    OpDef("ai.onnx.ml", "Binarizer", 1, _binarizer),
)
