"""Random models of codes as onnxruntime's quantiser writes them in its QOperator form: no float between the operators."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tests.property.graphs import CHANNELS, Maker, Step, Unsuitable, Value, pads

_MS = "com.microsoft"
_ALONE = ("QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax")


_Steps = tuple[Value, Value]  # scale and zero point


def _steps_for(of: Maker, real: float, dtype: np.dtype) -> _Steps:
    """For numbers up to about `real`."""
    limits = np.iinfo(dtype)
    middle = (int(limits.min) + int(limits.max)) // 2
    zero = of.choose.choice([int(limits.min), 0, middle, of.choose.randint(int(limits.min), int(limits.max))])
    return of.constant(np.float32(max(real, 1e-2) / 110)), of.constant(zero, dtype)


def _some(of: Maker, least: int, most: int = 4) -> Value:
    """Codes of so many dimensions: those of before, or of a float value."""
    known = [one for one in of.values if one.name in of.codes and least <= one.array.ndim <= most]
    if known and of.choose.random() < 0.7:
        return known[-1]
    x = of.some(least, most)
    means = _steps_for(
        of, float(np.abs(x.array).max()), np.dtype(of.choose.choice([np.uint8, np.uint8, np.int8]))
    )
    return _noted(of, of.op("QuantizeLinear", x, *means), means)


def _noted(of: Maker, made: Value, means: _Steps) -> Value:
    of.codes[made.name] = means
    return made


def _whole(of: Maker, x: Value) -> tuple[Value, Value, Value]:
    return (x, *of.codes[x.name])


def _reach(of: Maker, x: Value) -> float:
    """The largest of the numbers that codes stand for."""
    scale, zero = of.codes[x.name]
    return float(np.abs((x.array.astype(np.float32) - zero.array.astype(np.float32)) * scale.array).max())


def _weights(of: Maker, *shape: int, dtype: type, by: int | None) -> tuple[Value, Value, Value]:
    # Two products of an unsigned and a signed code fit in 16 bits up to 64: onnxruntime adds them there on some processors.
    low, high = (-64, 63) if dtype is np.int8 else (0, 255)
    codes = of.numbers.integers(low, high + 1, shape)
    if by is None:
        zero = of.choose.choice([0, of.choose.randint(low, high)])
        return of.constant(codes, dtype), of.constant(np.float32(0.01)), of.constant(zero, dtype)
    scales = of.constant(of.numbers.uniform(0.003, 0.01, shape[by]))
    return of.constant(codes, dtype), scales, of.constant(np.zeros(shape[by]), dtype)


def _code_type(of: Maker, x: Value) -> type:
    return of.choose.choice([np.int8, np.uint8]) if x.array.dtype == np.uint8 else np.int8


def _convolution(of: Maker) -> None:
    x = _some(of, 3)
    rank, channels = x.array.ndim - 2, x.shape[1]
    group = of.choose.choice([1, 1, 1, channels])
    results = channels if group > 1 else of.choose.choice(CHANNELS)
    kernel = [of.choose.choice([1, 3, 3, 2])] * rank
    by = of.choose.choice([None, 0])
    w = _weights(of, results, channels // group, *kernel, dtype=_code_type(of, x), by=by)
    reach = 0.7 * math.sqrt(channels // group * math.prod(kernel)) * _reach(of, x)
    means = _steps_for(of, reach, x.array.dtype)
    bias = (
        of.constant(of.numbers.integers(-900, 900, results), np.int32) if of.choose.random() < 0.6 else None
    )
    attributes: dict[str, object] = {
        "group": group,
        "strides": [of.choose.choice([1, 1, 2])] * rank,
        **pads(of, kernel),
    }
    _noted(of, of.op("QLinearConv", *_whole(of, x), *w, *means, bias, **attributes), means)


def _product(of: Maker) -> None:
    x = _some(of, 2, 3)
    depth, columns = x.shape[-1], of.choose.choice([1, *CHANNELS])
    reach = 0.7 * math.sqrt(depth) * _reach(of, x)
    means = _steps_for(of, reach, x.array.dtype)
    if x.array.ndim == 2 and of.choose.random() < 0.5:
        turned = of.choose.randint(0, 1)
        shape = (columns, depth) if turned else (depth, columns)
        w = _weights(of, *shape, dtype=_code_type(of, x), by=of.choose.choice([None, 1 - turned]))
        bias = (
            of.constant(of.numbers.integers(-900, 900, columns), np.int32)
            if of.choose.random() < 0.6
            else None
        )
        alpha = of.choose.choice([1.0, 1.0, 0.5])
        given = [*_whole(of, x), *w, bias]
        if of.choose.random() < 0.25:
            of.op("QGemm", *given, domain=_MS, transB=turned, alpha=alpha)
            return
        _noted(of, of.op("QGemm", *given, *means, domain=_MS, transB=turned, alpha=alpha), means)
        return
    w = _weights(of, depth, columns, dtype=_code_type(of, x), by=None)
    _noted(of, of.op("QLinearMatMul", *_whole(of, x), *w, *means), means)


def _alone(of: Maker) -> None:
    x = _some(of, 1)
    reach = _reach(of, x)
    match of.choose.choice([*_ALONE, "QLinearGlobalAveragePool", "QLinearAveragePool"]):
        case "QLinearSigmoid":
            means = _steps_for(of, 1, x.array.dtype)
            _noted(of, of.op("QLinearSigmoid", *_whole(of, x), *means, domain=_MS), means)
        case "QLinearLeakyRelu":
            means = _steps_for(of, reach, x.array.dtype)
            _noted(of, of.op("QLinearLeakyRelu", *_whole(of, x), *means, domain=_MS, alpha=0.2), means)
        case "QLinearSoftmax":
            means = _steps_for(of, 1, x.array.dtype)
            axis = of.choose.randrange(x.array.ndim)
            _noted(
                of, of.op("QLinearSoftmax", *_whole(of, x), *means, domain=_MS, axis=axis, opset=13), means
            )
        case pool:
            if x.array.ndim < 3:
                raise Unsuitable("not an image")
            means = _steps_for(of, reach, x.array.dtype)
            window: dict[str, object] = {}
            if pool == "QLinearAveragePool":
                kernel = [of.choose.choice([1, 2, 3])] * (x.array.ndim - 2)
                window = {
                    "kernel_shape": kernel,
                    "strides": [of.choose.choice([1, 2])] * len(kernel),
                    **pads(of, kernel),
                }
            _noted(of, of.op(pool, *_whole(of, x), *means, domain=_MS, **window), means)


def _pair(of: Maker) -> None:
    x = _some(of, 1)
    same = [
        one for one in of.values if one.name in of.codes and one.shape == x.shape and one.array.dtype == x.array.dtype
    ]  # fmt: skip
    other = of.choose.choice(same)
    if of.choose.random() < 0.4:
        shape = [extent if of.choose.random() < 0.5 else 1 for extent in x.shape]
        means = _steps_for(of, 1, x.array.dtype)
        limits = np.iinfo(x.array.dtype)
        other = _noted(
            of, of.constant(of.numbers.integers(limits.min, limits.max + 1, shape), x.array.dtype), means
        )
    operator = of.choose.choice(["QLinearAdd", "QLinearMul", "QLinearConcat", "QLinearWhere"])
    a, b = _reach(of, x), _reach(of, other)
    means = _steps_for(of, a * b if operator == "QLinearMul" else a + b, x.array.dtype)
    if operator == "QLinearConcat":
        axis = of.choose.randrange(x.array.ndim)
        given = [*_whole(of, of.choose.choice(same)), *_whole(of, x)]
        _noted(of, of.op(operator, *means, *given, domain=_MS, axis=axis), means)
    elif operator == "QLinearWhere":
        chosen = of.constant(of.numbers.integers(0, 2, x.shape), np.bool_)
        _noted(of, of.op(operator, chosen, *_whole(of, x), *_whole(of, other), *means, domain=_MS), means)
    else:
        _noted(of, of.op(operator, *_whole(of, x), *_whole(of, other), *means, domain=_MS), means)


def _move(of: Maker) -> None:
    x = _some(of, 2)
    means = of.codes[x.name]
    match of.choose.choice(["Transpose", "Reshape", "MaxPool", "DequantizeLinear", "Gather"]):
        case "Transpose":
            _noted(of, of.op("Transpose", x, perm=of.choose.sample(range(x.array.ndim), x.array.ndim)), means)
        case "Reshape":
            _noted(of, of.op("Flatten", x, axis=1), means)
        case "MaxPool":
            if x.array.ndim > 2:
                _noted(of, of.op("MaxPool", x, kernel_shape=[2] * (x.array.ndim - 2)), means)
        case "Gather":
            _noted(
                of, of.op("Gather", x, of.constant(of.choose.randrange(x.shape[0]), np.int64), axis=0), means
            )
        case _:
            of.op("DequantizeLinear", *_whole(of, x))


QOPERATORS: Sequence[Step] = (_convolution, _convolution, _product, _product, _alone, _pair, _pair, _move)
