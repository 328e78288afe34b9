"""Quantized values of 4, 8 and 16 bits that onnxruntime's quantisers write, as ONNX's own operators.

*Source:* ContribOperators.md of onnxruntime, version 1 of the domain.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from ingot.graph.rewrite.writer import QUANTIZED_OPSET, Results, StaysError, Write, Writer

_INT, _FLOAT = ir.DataType.INT32, ir.DataType.FLOAT
_PLAIN = (ir.DataType.INT8, ir.DataType.UINT8, ir.DataType.INT32)
_QUANTIZED_TYPES = (ir.DataType.INT8, ir.DataType.UINT8, ir.DataType.INT16, ir.DataType.UINT16)


def _is_plain(to: Writer, dtype: ir.DataType, scale: ir.Value) -> bool:
    """Whether ONNX's own operator of the model's opset does it."""
    if to.opset >= QUANTIZED_OPSET:
        return True
    by_axis = to.shape(scale) not in ((), (1,))
    return dtype in _PLAIN and to.dtype(scale) == _FLOAT and (not by_axis or to.opset >= 13)


def _along(to: Writer, value: ir.Value, rank: int) -> ir.Value:
    """A scale or zero point in a shape that broadcasts."""
    if to.shape(value) in ((), (1,)):
        return to.reshape(value, ())
    axis = to.axis("axis", 1, rank)
    return to.reshape(value, [-1 if dimension == axis else 1 for dimension in range(rank)])


def _dequantize(to: Writer) -> Results:
    x, scale, zero = to.given(0, "x"), to.given(1, "x_scale"), to.input(2)
    if _is_plain(to, to.dtype(x), scale):
        return (to.op("DequantizeLinear", [x, scale, zero], *to.kept("axis")),)
    rank = len(to.shape(x))
    whole = to.cast(x, _INT)
    if zero is not None:
        whole = to.op("Sub", [whole, to.cast(_along(to, zero, rank), _INT)])
    real = to.op("Mul", [to.cast(whole, _FLOAT), to.cast(_along(to, scale, rank), _FLOAT)])
    return (to.cast(real, to.dtype(scale)),)


def _quantize(to: Writer) -> Results:
    x, scale, zero = to.given(0, "x"), to.given(1, "y_scale"), to.input(2)
    dtype = ir.DataType.UINT8 if zero is None else to.dtype(zero)
    if dtype not in _QUANTIZED_TYPES:
        raise StaysError(f"quantized values of type {dtype.name.lower()} are not supported")
    if _is_plain(to, dtype, scale):
        return (to.op("QuantizeLinear", [x, scale, zero], *to.kept("axis")),)
    rank = len(to.shape(x))
    steps = to.op("Round", [to.op("Div", [to.cast(x, _FLOAT), to.cast(_along(to, scale, rank), _FLOAT)])])
    if zero is not None:
        steps = to.add(steps, to.cast(_along(to, zero, rank), _FLOAT))
    limits = np.iinfo(dtype.numpy())
    return (to.cast(to.op("Clip", [steps, to.like(limits.min, steps), to.like(limits.max, steps)]), dtype),)


# ─── rows of a quantized table ──────────────────────────────────────────────────────────────────────────────────────


def _gather_blocks(to: Writer) -> Results:
    """Gathers rows as they are packed, several values in a byte, and dequantizes only these."""
    data, scales, zeros = to.given(0, "data"), to.given(2, "scales"), to.input(3)
    rank = len(to.shape(data))
    block, places = to.number("block_size", 128), to.given(1, "indices")
    axis, blocked = to.axis("gather_axis", 0, rank), to.axis("quantize_axis", 1, rank)
    bits = to.number("bits", 4) if to.dtype(data) == ir.DataType.UINT8 else 4
    if (
        bits not in (2, 4, 8)
        or to.dtype(data) not in (ir.DataType.UINT8, ir.DataType.INT4, ir.DataType.UINT4)
        or block < 1
    ):
        raise StaysError(
            f"data of type {to.dtype(data).name.lower()}, bits={bits}, block_size={block} is not supported"
        )
    if axis == blocked:
        raise StaysError(
            f"gather_axis={axis} is quantize_axis: blocks along the axis that is gathered are not supported"
        )
    to.shape(scales, rank)
    extent = to.shape(data)[-1] * (8 // bits if to.dtype(data) == ir.DataType.UINT8 else 1)
    moved = len(to.shape(places)) - 1
    rows = _unpacked_rows(to, data, places, axis, bits, extent)
    where = blocked + moved if blocked > axis else blocked
    size = to.shape(rows)[where]
    of_block = to.constant(np.arange(size) // block, ir.DataType.INT64)

    def each(values: ir.Value) -> ir.Value:
        return to.gather(values, of_block, where)

    if zeros is not None:
        count = to.shape(scales)[-1]
        zero = each(_unpacked_rows(to, zeros, places, axis, bits, count))
    else:
        zero = to.constant(2 ** (bits - 1) if to.dtype(data) == ir.DataType.UINT8 else 0, _INT)
    steps = to.cast(to.op("Sub", [rows, zero]), _FLOAT)
    factor = to.cast(each(to.gather(scales, places, axis)), _FLOAT)
    return (to.cast(to.op("Mul", [steps, factor]), to.dtype(scales)),)


def _unpacked_rows(
    to: Writer, data: ir.Value, places: ir.Value, axis: int, bits: int, extent: int
) -> ir.Value:
    """Quantized values at the places along an axis, in int32, of a table with `extent` of them in its last dimension."""
    kind = to.dtype(data)
    if kind != ir.DataType.UINT8:
        data, signed = _as_bytes(to, data), kind == ir.DataType.INT4
    else:
        signed = False
    each = 8 // bits if to.dtype(data) == ir.DataType.UINT8 else 1
    if axis == len(to.shape(data)) - 1 and each > 1:
        raise StaysError("values that share a byte lie along gather_axis: this is not supported")
    rows = to.cast(to.gather(data, places, axis), _INT)
    if each > 1:
        lead = to.shape(rows)
        place = [to.constant(2 ** (bits * number), _INT) for number in range(each)]
        parts = []
        for number in range(each):
            part = to.op("Div", [rows, place[number]]) if number else rows
            if number < each - 1:
                part = to.op("Mod", [part, to.constant(2**bits, _INT)])
            parts.append(to.reshape(part, (*lead, 1)))
        rows = to.reshape(to.concat(parts, len(lead)), (*lead[:-1], lead[-1] * each))
        rows = to.slice(rows, len(lead) - 1, 0, extent)
    return to.op("Sub", [rows, to.constant(8, _INT)]) if signed and each > 1 else rows


def _as_bytes(to: Writer, data: ir.Value) -> ir.Value:
    """4-bit values packed two to a byte, signed ones plus 8; one to a byte where the last dimension is odd."""
    array = to.known(data)
    if array is None:
        raise StaysError("4-bit values must be constants")
    whole = array.astype(np.int8)
    if whole.shape[-1] % 2:
        return to.constant(whole)
    return to.constant(packed_pairs(whole + 8 if data.dtype == ir.DataType.INT4 else whole))


def packed_pairs(values: np.ndarray) -> np.ndarray:
    """Packs values 0 to 15 into bytes, two neighbours of the last dimension in each, the first in the low bits."""
    low, high = values[..., ::2].astype(np.uint8), values[..., 1::2].astype(np.uint8)
    return low | high << 4


WRITERS: Mapping[str, Write] = {
    "QuantizeLinear": _quantize,
    "DequantizeLinear": _dequantize,
    "GatherBlockQuantized": _gather_blocks,
}
