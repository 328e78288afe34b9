"""GELUs, normalisations and embeddings that onnxruntime's optimiser fuses, as ONNX's own operators.

*Source:* ContribOperators.md of onnxruntime, version 1 of the domain.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from ingot.graph.rewrite.writer import (
    AXES_OPSET,
    DOMAIN,
    GELU_OPSET,
    RMS_OPSET,
    Results,
    StaysError,
    Write,
    Writer,
    output_type,
)


def gelu(to: Writer, x: ir.Value, tanh: bool = False) -> ir.Value:
    """The Gaussian error linear unit, exact or by a hyperbolic tangent.

    Where ONNX has no operator for it yet it stays onnxruntime's, which ingot has as it is: written out it would read its operand
    twice, and then be no part of a product's kernel if there is a Reshape between them.
    """
    if to.opset >= GELU_OPSET:
        return to.op("Gelu", [x], ir.AttrString("approximate", "tanh" if tanh else "none"))
    result = to.ops("FastGelu" if tanh else "Gelu", [x], domain=DOMAIN)[0]
    output_type(result, to.dtype(x), to.shape(x))
    return result


def layer_norm(
    to: Writer, x: ir.Value, scale: ir.Value, bias: ir.Value | None, epsilon: float, outputs: int = 1
) -> Results:
    """Layer normalisation of the last dimension; more outputs are the mean and the inverse deviation.

    onnxruntime has the operator at every opset, and so has ingot.
    """
    attributes = [ir.AttrInt64("axis", -1), ir.AttrFloat32("epsilon", epsilon)]
    results = to.ops("LayerNormalization", [x, scale, bias], attributes, outputs)
    shape = to.shape(x)
    output_type(results[0], to.dtype(x), shape)
    for statistic in results[1:]:
        output_type(statistic, ir.DataType.FLOAT, (*shape[:-1], 1))
    return results


def rms_norm(to: Writer, x: ir.Value, scale: ir.Value, epsilon: float) -> ir.Value:
    """Root-mean-square normalisation of the last dimension, under onnxruntime's name where the opset has none for it."""
    attributes = [ir.AttrInt64("axis", -1), ir.AttrFloat32("epsilon", epsilon)]
    name = "RMSNormalization" if to.opset >= RMS_OPSET else "SimplifiedLayerNormalization"
    normed = to.op(name, [x, scale], *attributes)
    output_type(normed, to.dtype(scale), to.shape(x))
    return normed


def _gelu(tanh: bool) -> Write:
    def write(to: Writer) -> Results:
        return (gelu(to, to.add(to.given(0, "X"), to.input(1)), tanh),)

    return write


def _quick_gelu(to: Writer) -> Results:
    x = to.given(0, "X")
    curve = to.op("Sigmoid", [to.scaled(x, to.real_number("alpha", 1.702))])
    return (to.op("Mul", [x, curve]),)


def _skip_layer_norm(to: Writer) -> Results:
    whole = to.add(to.given(0, "input"), to.given(1, "skip"), to.input(4))
    to.shape(whole)
    outputs = 3 if to.wants(1) or to.wants(2) else 1
    results = layer_norm(
        to, whole, to.given(2, "gamma"), to.input(3), to.real_number("epsilon", 1e-12), outputs
    )
    return (*results, *(None,) * (3 - len(results)), whole)


def _skip_rms_norm(to: Writer) -> Results:
    whole = to.add(to.given(0, "input"), to.given(1, "skip"), to.input(3))
    to.shape(whole)
    return rms_norm(to, whole, to.given(2, "gamma"), to.real_number("epsilon", 1e-12)), None, None, whole


def _rms_norm(to: Writer) -> Results:
    """com.microsoft has this operator, too."""
    x = to.given(0, "X")
    axis = to.axis("axis", -1, len(to.shape(x)))
    if axis != len(to.shape(x)) - 1:
        flat = to.reshape(x, (*to.shape(x)[:axis], math.prod(to.shape(x)[axis:])))
        scale = to.reshape(to.given(1, "scale"), (math.prod(to.shape(x)[axis:]),))
        return (to.reshape(rms_norm(to, flat, scale, to.real_number("epsilon", 1e-5)), to.shape(x)),)
    return (rms_norm(to, x, to.given(1, "scale"), to.real_number("epsilon", 1e-5)),)


def _embed_layer_norm(to: Writer) -> Results:
    """Sums of embeddings of words, positions and segments, normalised; and how many words the mask lets through."""
    words = to.given(0, "input_ids")
    batch, length = to.shape(words, 2)
    place = to.input(8)
    positions = to.given(3, "position_embedding")
    at = to.slice(positions, 0, 0, length) if place is None else to.gather(positions, place)
    total = to.add(to.gather(to.given(2, "word_embedding"), words), at)
    if to.input(1) is not None and to.input(4) is not None:
        total = to.add(total, to.gather(to.given(4, "segment_embedding"), to.given(1, "segment_ids")))
    to.shape(total)
    (normed,) = layer_norm(
        to, total, to.given(5, "gamma"), to.given(6, "beta"), to.real_number("epsilon", 1e-12)
    )
    count: ir.Value | None = None
    if to.wants(1):
        count = (
            to.constant(np.zeros(batch, np.int32)) if to.input(7) is None else _words(to, to.given(7, "mask"))
        )
    return normed, count, total


def _words(to: Writer, mask: ir.Value) -> ir.Value:
    """How many elements of each row of a mask are 1."""
    to.shape(mask, 2)
    ones = to.cast(to.op("Equal", [mask, to.constant(1, to.dtype(mask))]), ir.DataType.INT32)
    keep = ir.AttrInt64("keepdims", 0)
    if to.opset < AXES_OPSET:
        return to.op("ReduceSum", [ones], ir.AttrInt64s("axes", [1]), keep)
    return to.op("ReduceSum", [ones, to.constant([1], ir.DataType.INT64)], keep)


def _bias_add(to: Writer) -> Results:
    return (to.add(to.given(0, "X"), to.given(1, "bias"), to.given(2, "skip")),)


def _group_norm(to: Writer) -> Results:
    return (_normed_groups(to, to.given(0, "X")),)


def _skip_group_norm(to: Writer) -> Results:
    """The summand may have one number for each image and channel."""
    x, skip, bias = to.given(0, "X"), to.given(3, "skip"), to.input(4)
    last = to.number("channels_last", 1)
    if len(to.shape(skip, 2, 4)) == 2:
        count, channels = to.shape(skip)
        skip = to.reshape(skip, (count, 1, 1, channels) if last else (count, channels, 1, 1))
    if bias is not None and not last:
        bias = to.reshape(bias, (*to.shape(bias, 1), 1, 1))
    whole = to.add(x, skip, bias)
    return _normed_groups(to, whole), whole


def _normed_groups(to: Writer, x: ir.Value) -> ir.Value:
    """Each group of an image's channels without its mean, by its deviation; then a factor and a summand for each channel."""
    last, groups, activation = (
        to.number("channels_last", 1),
        to.number("groups", 0),
        to.number("activation", 0),
    )
    to.shape(x, 4)
    x = to.transpose(x, 0, 3, 1, 2) if last else x
    count, channels, height, width = to.shape(x)
    if groups < 1 or channels % groups:
        raise StaysError(f"groups={groups} does not divide {channels} channels")
    if activation not in (0, 1):
        raise StaysError(f"activation={activation} is not known: 0 is none, 1 is SiLU")
    dtype = to.dtype(x)
    flat = to.reshape(x, (count, groups, channels // groups * height * width))
    numbers = [to.constant(np.full(groups, number), dtype) for number in (1, 0)]
    normed = to.op(
        "InstanceNormalization", [flat, *numbers], ir.AttrFloat32("epsilon", to.real_number("epsilon", 1e-5))
    )
    gamma, beta = (
        to.reshape(to.cast(to.given(at, role), dtype), (channels, 1, 1))
        for at, role in ((1, "gamma"), (2, "beta"))
    )
    y = to.add(to.op("Mul", [to.reshape(normed, (count, channels, height, width)), gamma]), beta)
    if activation:
        y = to.op("Mul", [y, to.op("Sigmoid", [y])])
    return to.transpose(y, 0, 2, 3, 1) if last else y


def _bias_split_gelu(to: Writer) -> Results:
    """The first half of the last dimension times the GELU of the second."""
    whole = to.add(to.given(0, "X"), to.given(1, "bias"))
    *outer, extent = to.shape(whole)
    if extent % 2:
        raise StaysError(f"an input of {extent} columns has no halves")
    left, right = (to.slice(whole, len(outer), at * extent // 2, (at + 1) * extent // 2) for at in (0, 1))
    return (to.op("Mul", [left, gelu(to, right)]),)


WRITERS: Mapping[str, Write] = {
    "Gelu": _gelu(tanh=False),
    "BiasGelu": _gelu(tanh=False),
    "FastGelu": _gelu(tanh=True),
    "QuickGelu": _quick_gelu,
    "SkipLayerNormalization": _skip_layer_norm,
    "SkipSimplifiedLayerNormalization": _skip_rms_norm,
    "SimplifiedLayerNormalization": _rms_norm,
    "EmbedLayerNormalization": _embed_layer_norm,
    "BiasAdd": _bias_add,
    "GroupNorm": _group_norm,
    "SkipGroupNorm": _skip_group_norm,
    "BiasSplitGelu": _bias_split_gelu,
}
