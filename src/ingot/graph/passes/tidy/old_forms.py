"""Nodes of opsets 1 to 6 whose form depends on shapes or contents, as opset 7 has them.

*Source:* Changelog.md of ONNX, versions 1 to 6 of the operators.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from ingot.graph.read.old_opsets import OLD_BINARY
from ingot.graph.rewrite.writer import NotYetError, Results, StaysError, Write, Writer

_RATIO = 0.5  # of a Dropout that does not say it


def _binary(to: Writer) -> Results:
    """The right operand's dimensions are those of the left one from `axis` on."""
    a, b = to.given(0, "A"), to.given(1, "B")
    whole, part = to.shape(a), to.shape(b)
    axis = to.axis("axis", 0, max(len(whole), 1))
    behind = len(whole) - axis - len(part)
    if behind < 0:
        raise StaysError(
            f"an operand of the shape {list(part)} has no place in {list(whole)} from axis {axis} on"
        )
    return (to.op(to.node.op_type, [a, to.reshape(b, (*part, *(1,) * behind))]),)


def _prelu(to: Writer) -> Results:
    """A slope of one dimension belongs to the channels, the second dimension of the input."""
    x, slope = to.given(0, "X"), to.given(1, "slope")
    rank, own = len(to.shape(x)), to.shape(slope)
    if len(own) == 1 and own[0] > 1 and rank > 1:
        slope = to.reshape(slope, (*own, *(1,) * (rank - 2)))
    return (to.op("PRelu", [x, slope]),)


def _reshape(to: Writer) -> Results:
    """The shape was an attribute."""
    shape = to.numbers("shape")
    if shape is None:
        raise StaysError("it has no attribute 'shape', which opsets before 5 ask for")
    return (to.op("Reshape", [to.given(0, "data"), to.constant(shape, ir.DataType.INT64)]),)


def _known(to: Writer, number: int, role: str) -> np.ndarray:
    array = to.known(to.given(number, role))
    if array is None:
        raise NotYetError(f"input {number} ({role}) must be a constant")
    return array.reshape(-1)


def _tile(to: Writer) -> Results:
    """Repeated along one axis; both numbers were inputs of the element type of the data."""
    data = to.given(0, "input")
    times, axis = (int(_known(to, number, role)[0]) for number, role in ((1, "tiles"), (2, "axis")))
    rank = len(to.shape(data))
    if not -rank <= axis < rank or times < 1:
        raise StaysError(f"{times} tiles along axis {axis} of {rank} dimensions")
    repeats = [times if dimension == axis % rank else 1 for dimension in range(rank)]
    return (to.op("Tile", [data, to.constant(repeats, ir.DataType.INT64)]),)


def _split(to: Writer) -> Results:
    """The lengths of the parts were an attribute, or an input of the element type of the data."""
    data, attributes = to.given(0, "input"), to.kept("axis", "split")
    if to.input(1) is not None:
        lengths = [int(length) for length in _known(to, 1, "split")]
        attributes = [*to.kept("axis"), ir.AttrInt64s("split", lengths)]
    return to.ops("Split", [data], attributes, len(to.node.outputs))


def _batch_norm(to: Writer) -> Results:
    """Outputs say whether it is training, as in opset 7; `is_test` was a second word for it."""
    given = [to.given(number, role) for number, role in enumerate(("X", "scale", "B", "mean", "var"))]
    more = max((number for number in range(len(to.node.outputs)) if to.wants(number)), default=0)
    if more and to.flag("is_test"):
        raise StaysError("is_test=1 has no outputs but the first")
    return to.ops("BatchNormalization", given, to.kept("epsilon", "momentum", "spatial"), more + 1)


def _dropout(to: Writer) -> Results:
    """`is_test` is 0 by default, and then elements are dropped at random; the mask has the type of the data."""
    x = to.given(0, "data")
    ratio = to.real_number("ratio", _RATIO)
    if not 0 <= ratio < 1:
        raise StaysError(f"ratio={ratio:g} is not in [0, 1)")
    if to.flag("is_test") or ratio == 0:
        return x, (to.constant(np.ones(to.shape(x)), to.dtype(x)) if to.wants(1) else None)
    drawn = to.op("RandomUniformLike", [x], ir.AttrInt64("dtype", int(ir.DataType.FLOAT)))
    dropped = to.op("Less", [drawn, to.like(ratio, drawn)])
    mask = to.cast(to.op("Not", [dropped]), to.dtype(x))
    return to.op("Mul", [to.op("Mul", [x, mask]), to.like(1 / (1 - ratio), x)]), mask


WRITERS: Mapping[str, Write] = {
    **dict.fromkeys(OLD_BINARY, _binary),
    "BatchNormalization": _batch_norm,
    "Dropout": _dropout,
    "PRelu": _prelu,
    "Reshape": _reshape,
    "Split": _split,
    "Tile": _tile,
}
