"""A few problems of each family of algorithms, small, with what their definition gives: numpy computes it in other ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.window import Window
from ingot.kernels.conv.conv import conv_template
from ingot.kernels.conv.int8.conv import qconv_template
from ingot.kernels.conv.int8.problem import is_depthwise
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.conv.transposed import TransposedSpec, conv_transpose_template
from ingot.kernels.matmul.grouped_weights import Blocks
from ingot.kernels.matmul.int8 import qmatmul_template
from ingot.kernels.matmul.matmul import matmul_template
from ingot.kernels.matmul.weight_only import block_matmul
from ingot.kernels.normalize.rows import row_norm
from ingot.kernels.pooling.pool import pool_template
from ingot.kernels.reduce.reduce import FOLDS, reduction
from ingot.kernels.softmax import softmax_template
from ingot.kernels.template import Template
from ingot.kernels.topk.topk import top_template
from ingot.loops.build.nest import larger
from ingot.loops.nodes import Const

F32, I8, I32 = DType.FLOAT32, DType.INT8, DType.INT32
LAST = (0, 2, 3, 1)
ROUNDING = 1e-4  # of sums of some hundred products of numbers near 1, by any algorithm


@dataclass(frozen=True)
class Case:
    """A template that computes a problem of a family, its operands, those of them that are `known` while building, how operands
    are stored, and what the outputs are.
    """

    family: str
    template: Template
    arrays: Sequence[np.ndarray]
    expected: Sequence[np.ndarray]
    known: tuple[int, ...] = (1,)
    orders: Mapping[str, Sequence[int]] = field(default_factory=dict)
    tolerance: float = ROUNDING


def reals(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).standard_normal(shape).astype(np.float32)


def quantized(dtype: DType, *shape: int) -> np.ndarray:
    limits = np.iinfo(dtype.numpy)
    return np.random.default_rng(4).integers(limits.min, limits.max, shape, dtype.numpy, endpoint=True)


# ─── convolutions ────────────────────────────────────────────────────────────────────────────────────────────────────


def spec_of(x: tuple[int, ...], w: tuple[int, ...], pad: int, group: int, types: Sequence[DType]) -> ConvSpec:
    out = tuple(extent + 2 * pad - taps + 1 for extent, taps in zip(x[2:], w[2:], strict=True))
    operands = map(TensorType, types, (x, w, (x[0], w[0], *out)))
    ones, pads = (1,) * len(out), (pad,) * len(out)
    return ConvSpec(*operands, w[2:], ones, ones, pads, pads, group)


def convolved(spec: ConvSpec, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The definition for strides and dilations of 1, in the type of the operands."""
    padded = np.pad(x, [(0, 0), (0, 0), *((pad, pad) for pad in spec.pads_begin)])
    axes = tuple(range(2, x.ndim))
    windows = np.lib.stride_tricks.sliding_window_view(padded, spec.kernel, axes)
    by_group = zip(np.split(windows, spec.group, 1), np.split(w, spec.group, 0), strict=True)
    taps = tuple(range(-len(axes), 0))
    parts = [np.tensordot(seen, own, ((1, *taps), (1, *axes))) for seen, own in by_group]
    return np.moveaxis(np.concatenate(parts, -1), -1, 1)


def conv(x: tuple[int, ...], w: tuple[int, ...], pad: int = 0, group: int = 1) -> Case:
    spec = spec_of(x, w, pad, group, (F32, F32, F32))
    arrays = reals(*x), reals(*w)
    expected = convolved(spec, *(one.astype(np.float64) for one in arrays))
    return Case("conv", conv_template(spec), arrays, [expected], orders={"in0": LAST, "out0": LAST})


def qconv(
    dtype: DType, x: tuple[int, ...], w: tuple[int, ...], pad: int = 0, group: int = 1, zero_point: int = 7
) -> Case:
    """A convolution of quantized values, padded with the zero point. Signed ones count as 128 more, unless it is depthwise."""
    spec = spec_of(x, w, pad, group, (dtype, I8, I32))
    values, weights, starts = quantized(dtype, *x), quantized(I8, *w), np.arange(w[0], dtype=np.int32) * 1000
    wide, taps = weights.astype(np.int64), tuple(range(1, weights.ndim))
    more = 128 if dtype.is_signed and not is_depthwise(spec) else 0
    constant = (zero_point + more) * wide.sum(axis=taps) + starts
    sums = convolved(spec, values.astype(np.int64) - zero_point, wide)
    expected = sums + constant.reshape(-1, *[1] * len(spec.kernel))
    orders = {"in0": (0, *range(2, len(x)), 1), "out0": (0, *range(2, len(x)), 1)}
    template, arrays = qconv_template(spec, zero_point), (values, weights, starts)
    return Case("qconv", template, arrays, [expected], (1, 2), orders, tolerance=0)


def conv_transpose(filters: int, known: tuple[int, ...] = (1,)) -> Case:
    """4×4 taps with a stride of 2: each tap of an element is added to the output that it reaches."""
    x, w = reals(1, 16, 3, 4), reals(16, filters, 4, 4)
    spread = np.zeros((1, filters, 8, 10))
    for row, column in np.ndindex(3, 4):
        reached = (slice(None), slice(None), slice(2 * row, 2 * row + 4), slice(2 * column, 2 * column + 4))
        spread[reached] += np.einsum("nc,cmij->nmij", x[..., row, column].astype(np.float64), w)
    expected = spread[:, :, 1:-1, 1:-1]
    types = (TensorType(F32, one.shape) for one in (x, w, expected))
    spec = TransposedSpec(*types, (2, 2), (1, 1), (1, 1), 1)
    orders = {"in0": LAST, "out0": LAST}
    return Case("conv_transpose", conv_transpose_template(spec), (x, w), [expected], known, orders)


# ─── matrix products ─────────────────────────────────────────────────────────────────────────────────────────────────


def matmul(
    rows: int, depth: int, columns: int, known: tuple[int, ...], orders: Mapping[str, Sequence[int]]
) -> Case:
    arrays = reals(rows, depth), reals(depth, columns)
    types = (TensorType(F32, shape) for shape in ((rows, depth), (depth, columns), (rows, columns)))
    expected = arrays[0].astype(np.float64) @ arrays[1].astype(np.float64)
    return Case("matmul", matmul_template(*types), arrays, [expected], known, orders)


def qmatmul(dtype: DType, rows: int, depth: int, columns: int) -> Case:
    """A product of quantized values, of which signed ones count as 128 more."""
    a, b, starts = (
        quantized(dtype, rows, depth),
        quantized(I8, depth, columns),
        np.arange(columns, dtype=np.int32),
    )
    expected = (a.astype(np.int64) + (128 if dtype.is_signed else 0)) @ b.astype(np.int64) + starts
    template = qmatmul_template(TensorType(dtype, a.shape), TensorType(I8, b.shape))
    return Case("qmatmul", template, (a, b, starts), [expected], (1, 2), tolerance=0)


def matmul_nbits(rows: int, columns: int) -> Case:
    """Weights of 4 bits in two groups along the depth, the second one shorter."""
    groups = Blocks(bits=4, size=32, depth=48, zero=8.0)
    a, values, scales = reals(rows, 48), quantized(DType.UINT8, 48, columns) % 16, abs(reals(2, columns)) / 8
    weights = (values.astype(np.float64) - 8) * scales.repeat(32, axis=0)[:48]
    template = block_matmul(TensorType(F32, a.shape), columns, groups)
    return Case("matmul_nbits", template, (a, values, scales), [a @ weights], (1, 2))


# ─── rows and columns ────────────────────────────────────────────────────────────────────────────────────────────────


def pool(kernel: tuple[int, int], strides: tuple[int, int]) -> Case:
    """The largest elements under windows without padding, times the height of the window."""
    x = reals(1, 3, 9, 21)
    windows = np.lib.stride_tricks.sliding_window_view(x, kernel, (2, 3))[:, :, :: strides[0], :: strides[1]]
    expected = windows.max(axis=(-2, -1)) * 3
    ones, none = (1, 1), (0, 0)
    window = Window((9, 21), expected.shape[2:], kernel, strides, ones, none, none)
    template = pool_template(
        "max_pool", TensorType(F32, x.shape), window, -np.inf, larger, lambda _: Const(3.0, F32)
    )
    return Case("pool", template, (x,), [expected], ())


def reduce(name: str, shape: tuple[int, ...], axes: tuple[int, ...]) -> Case:
    x = reals(*shape)
    expected = {"sum": np.sum, "max": np.max}[name](x.astype(np.float64), axis=axes)
    return Case("reduce", reduction(TensorType(F32, shape), axes, FOLDS[name], False), (x,), [expected], ())


def softmax(shape: tuple[int, ...], axis: int) -> Case:
    x = reals(*shape)
    powers = np.exp(x.astype(np.float64) - x.max(axis, keepdims=True))
    expected = powers / powers.sum(axis, keepdims=True)
    return Case("softmax", softmax_template(TensorType(F32, shape), axis, False), (x,), [expected], ())


def layer_norm(shape: tuple[int, ...], order: Sequence[int] | None = None) -> Case:
    """Rows without their mean, divided by their deviation, with scale and bias, and both statistics."""
    x, scale, bias = reals(*shape), reals(shape[-1]), np.arange(shape[-1], dtype=np.float32)
    mean = x.astype(np.float64).mean(-1, keepdims=True)
    inverse = 1 / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5)
    expected = [(x - mean) * inverse * scale + bias, mean, inverse]
    template = row_norm(TensorType(F32, shape), True, 1e-5, True, True)
    return Case(
        "layer_norm", template, (x, scale, bias), expected, (), {} if order is None else {"in0": order}
    )


def topk(dtype: DType, count: int) -> Case:
    """The largest elements of rows in which each is there several times: the first of equal ones comes first."""
    x = (quantized(DType.INT8, 3, 70) // 4).astype(dtype.numpy)
    places = np.argsort(-x.astype(np.int64), axis=1, kind="stable")[:, :count]
    expected = [np.take_along_axis(x, places, 1), places]
    return Case(
        "topk", top_template(TensorType(dtype, x.shape), 1, count, True), (x,), expected, (), tolerance=0
    )


PROBLEMS = {
    "3×3": conv((1, 16, 6, 5), (16, 16, 3, 3), pad=1),
    "one tap": conv((1, 16, 4, 5), (16, 16, 1, 1)),
    "few output channels": conv((1, 32, 3, 6), (2, 32, 3, 3), pad=1),
    "depthwise": conv((1, 8, 5, 6), (8, 1, 3, 3), pad=1, group=8),
    "groups": conv((1, 6, 4, 7), (4, 3, 2, 3), group=2),
    "quantized 3×3": qconv(DType.UINT8, (1, 16, 6, 5), (16, 16, 3, 3), pad=1),
    "quantized 3×3, signed": qconv(DType.INT8, (1, 16, 6, 5), (16, 16, 3, 3), pad=1),
    "quantized, one tap": qconv(DType.UINT8, (1, 16, 20), (16, 16, 1)),
    "quantized, depthwise": qconv(DType.UINT8, (1, 9, 5, 6), (9, 1, 3, 3), pad=1, group=9),
    "quantized, depthwise, signed": qconv(DType.INT8, (1, 9, 5, 6), (9, 1, 3, 3), pad=1, group=9),
    "quantized, groups": qconv(DType.INT8, (1, 6, 4, 7), (4, 3, 2, 3), group=2),
    "transposed": conv_transpose(9),
    "transposed, few output channels": conv_transpose(2),
    "transposed, weights given": conv_transpose(5, known=()),
    "many rows": matmul(24, 32, 32, (1,), {}),
    "one row, columns side by side": matmul(1, 33, 9, (), {"in1": (1, 0)}),
    "quantized rows": qmatmul(DType.UINT8, 20, 40, 24),
    "quantized rows, signed": qmatmul(DType.INT8, 3, 37, 9),
    "weights of 4 bits, few rows": matmul_nbits(2, 12),
    "weights of 4 bits, many rows": matmul_nbits(21, 12),
    "overlapping windows": pool((3, 3), (1, 1)),
    "windows side by side": pool((3, 3), (3, 3)),
    "sums of rows": reduce("sum", (5, 70), (1,)),
    "sums of columns": reduce("sum", (2, 70, 37), (1,)),
    "the largest of all": reduce("max", (3, 40), (0, 1)),
    "softmax of rows": softmax((3, 70), 1),
    "softmax of columns": softmax((2, 9, 19), 1),
    "layer norm": layer_norm((5, 70)),
    "layer norm of rows side by side": layer_norm((2, 19, 8), order=(0, 2, 1)),
    "the largest five": topk(F32, 5),
    "the largest five of int64": topk(DType.INT64, 5),
    "the largest forty": topk(F32, 40),
}
