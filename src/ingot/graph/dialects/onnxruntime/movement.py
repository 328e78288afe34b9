"""Operators of onnxruntime that move elements, or of images whose channels lie last, as ONNX's own operators; and those that ONNX
took back before its opset 7, which onnxruntime kept.

*Source:* ContribOperators.md of onnxruntime, version 1 of the domain, and its `contrib_defs.cc`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from ingot.graph.rewrite.writer import NotYetError, Results, StaysError, Write, Writer

_WINDOWS = ("auto_pad", "ceil_mode", "dilations", "group", "kernel_shape", "pads", "strides")


def _known_number(to: Writer, number: int, role: str) -> int:
    constant = to.known(to.given(number, role))
    if constant is None:
        raise NotYetError(f"input {number} ({role}) must be a constant")
    return int(constant.reshape(-1)[0])


# ─── channels last ─────────────────────────────────────────────────────────────────────────────────────────────────


def _channels_first(to: Writer, value: ir.Value) -> ir.Value:
    rank = len(to.shape(value))
    return to.transpose(value, 0, rank - 1, *range(1, rank - 1))


def _channels_last(to: Writer, value: ir.Value) -> ir.Value:
    rank = len(to.shape(value))
    return to.transpose(value, 0, *range(2, rank), 1)


def _max_pool(to: Writer) -> Results:
    x = _channels_first(to, to.given(0, "x"))
    return (_channels_last(to, to.op("MaxPool", [x], *to.kept(*_WINDOWS))),)


def _qlinear_conv(to: Writer) -> Results:
    """As ONNX's; with `channels_last` images, but not weights, have their channels last."""
    x, rest = to.given(0, "x"), [to.input(number) for number in range(1, 9)]
    if not to.flag("channels_last"):
        return (to.op("QLinearConv", [x, *rest], *to.kept(*_WINDOWS)),)
    return (_channels_last(to, to.op("QLinearConv", [_channels_first(to, x), *rest], *to.kept(*_WINDOWS))),)


# ─── moves ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _as_onnx(op_type: str) -> Write:
    """The operator that ONNX has by now, in the model's opset."""

    def write(to: Writer) -> Results:
        inputs = [to.input(number) for number in range(len(to.node.inputs))]
        return (to.op(op_type, inputs, *to.node.attributes.values()),)

    return write


def _trilu(to: Writer) -> Results:
    """A triangle of each matrix; before opset 14, in which ONNX got its own, by a mask made while building."""
    x = to.given(0, "X")
    if to.opset >= 14:
        return _as_onnx("Trilu")(to)
    shape = to.shape(x)
    if len(shape) < 2:
        raise StaysError(f"the input has the shape {list(shape)}, expected at least two dimensions")
    k = 0 if to.input(1) is None else _known_number(to, 1, "k")
    ones = np.ones(shape[-2:], bool)
    mask = np.triu(ones, k) if to.number("upper", 1) else np.tril(ones, k)
    return (to.op("Where", [to.constant(mask), x, to.like(0, x)]),)


def _expand_dims(to: Writer) -> Results:
    x, axis = to.given(0, "X"), _known_number(to, 1, "axis")
    shape = list(to.shape(x))
    if not -len(shape) - 1 <= axis <= len(shape):
        raise StaysError(f"axis {axis} is outside a tensor of {len(shape) + 1} dimensions")
    shape.insert(axis % (len(shape) + 1), 1)
    return (to.reshape(x, shape),)


def _unfold(to: Writer) -> Results:
    """Windows along a dimension, side by side; their elements are the last dimension."""
    x = to.given(0, "input")
    shape = to.shape(x)
    axis, size, step = to.axis("dim", -1, len(shape)), to.number("size", 0), to.number("step", 1)
    if not 1 <= size <= shape[axis] or step < 1:
        raise StaysError(f"windows of {size} every {step} of {shape[axis]} elements")
    places = np.arange(0, shape[axis] - size + 1, step)[:, None] + np.arange(size)
    windows = to.gather(x, to.constant(places, ir.DataType.INT64), axis)
    order = [dimension for dimension in range(len(shape) + 1) if dimension != axis + 1]
    return (to.transpose(windows, *order, axis + 1),)


def _distances(to: Writer) -> Results:
    """Of each row of `[M, K]` to each of `[N, K]`."""
    a, b = to.given(0, "A"), to.given(1, "B")
    (rows, width), (columns, _) = to.shape(a, 2), to.shape(b, 2)
    metric = to.text("metric") or "sqeuclidean"
    if metric not in ("euclidean", "sqeuclidean"):
        raise StaysError(f"metric={metric!r}, expected 'euclidean' or 'sqeuclidean'")
    apart = to.op("Sub", [to.reshape(a, (rows, 1, width)), to.reshape(b, (1, columns, width))])
    axes = ir.AttrInt64s("axes", [2])
    squares = (
        to.op("ReduceSumSquare", [apart], axes, ir.AttrInt64("keepdims", 0))
        if to.opset < 18
        else _square_sums(to, apart)
    )
    return (to.op("Sqrt", [squares]) if metric == "euclidean" else squares,)


def _square_sums(to: Writer, value: ir.Value) -> ir.Value:
    return to.op("ReduceSumSquare", [value, to.constant([2], ir.DataType.INT64)], ir.AttrInt64("keepdims", 0))


WRITERS: Mapping[str, Write] = {
    "CDist": _distances,
    "ExpandDims": _expand_dims,
    "GatherND": _as_onnx("GatherND"),
    "GridSample": _as_onnx("GridSample"),
    "NhwcMaxPool": _max_pool,
    "Pad": _as_onnx("Pad"),
    "QLinearConv": _qlinear_conv,
    "Range": _as_onnx("Range"),
    "Trilu": _trilu,
    "UnfoldTensor": _unfold,
}


# ─── what ONNX took back ───────────────────────────────────────────────────────────────────────────────────────────


def _scaled_and_moved(to: Writer, x: ir.Value) -> ir.Value:
    return to.add(to.scaled(x, to.real_number("alpha", 1)), to.like(to.real_number("beta", 0), x))


def _affine(to: Writer) -> Results:
    return (_scaled_and_moved(to, to.given(0, "X")),)


def _scale(to: Writer) -> Results:
    return (to.scaled(to.given(0, "input"), to.real_number("scale", 1)),)


def _image_scaler(to: Writer) -> Results:
    """All elements by one factor, and a number for each channel added."""
    x, bias = to.given(0, "input"), to.real_numbers("bias")
    rank = len(to.shape(x))
    added = to.constant(np.array(bias).reshape(-1, *[1] * (rank - 2)), to.dtype(x)) if bias else None
    return (to.add(to.scaled(x, to.real_number("scale", 1)), added),)


def _parametric_softplus(to: Writer) -> Results:
    curve = to.op("Softplus", [to.scaled(to.given(0, "X"), to.real_number("beta", 1))])
    return (to.scaled(curve, to.real_number("alpha", 1)),)


def _scaled_tanh(to: Writer) -> Results:
    curve = to.op("Tanh", [to.scaled(to.given(0, "X"), to.real_number("beta", 1))])
    return (to.scaled(curve, to.real_number("alpha", 1)),)


def _crop(to: Writer) -> Results:
    """An image without its borders, which are left, top, right and bottom; or from the first two on of a size."""
    x = to.given(0, "input")
    _, _, height, width = to.shape(x, 4)
    border, size = to.numbers("border") or [], to.numbers("scale")
    if len(border) != 4 or (size is not None and len(size) != 2):
        raise StaysError("its border has not four numbers, or its scale not two")
    left, top, right, bottom = border
    end = (height - bottom, width - right) if size is None else (top + size[0], left + size[1])
    if not (0 <= top < end[0] <= height and 0 <= left < end[1] <= width):
        raise StaysError(
            f"rows {top} to {end[0]} and columns {left} to {end[1]} are not in an image of {height} x {width}"
        )
    starts, ends, axes = (
        ir.AttrInt64s("starts", [top, left]),
        ir.AttrInt64s("ends", end),
        ir.AttrInt64s("axes", [2, 3]),
    )
    if to.opset < 10:
        return (to.op("Slice", [x], starts, ends, axes),)
    return (to.slice(to.slice(x, 2, top, end[0]), 3, left, end[1]),)


TAKEN_BACK: Mapping[str, Write] = {
    "Affine": _affine,
    "Crop": _crop,
    "ImageScaler": _image_scaler,
    "ParametricSoftplus": _parametric_softplus,
    "Scale": _scale,
    "ScaledTanh": _scaled_tanh,
}
"""Operators of ai.onnx that its schemas no longer have."""
