"""Attention that onnxruntime's optimiser fuses, as products, masks and a softmax.

The three operators differ in how queries, keys and values come in, and in what hides keys; what they compute is the same.

*Source:* ContribOperators.md of onnxruntime, version 1 of the domain, and what its CPU kernels compute.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ingot.graph.rewrite.writer import Results, StaysError, Write, Writer

INT = ir.DataType.INT64
FILTER = -10000.0  # what is added to the score of a hidden key


@dataclass(frozen=True, slots=True)
class Scoring:
    """What is done to the products of queries and keys.

    Attributes:
        scale: what they are multiplied by.
        biases: what is added to them; each broadcasts to `[B, H, S, T]`.
        masks: what is added besides; each broadcasts to the scores as `attend` has them, `[B, G, H / G * S, T]`.
        softcap: their bound, `softcap · tanh(score / softcap)`, before anything is added; 0: none.
        sink: `[H]`, the score of one more key, whose value is 0.
    """

    scale: float
    biases: Sequence[ir.Value] = ()
    masks: Sequence[ir.Value] = ()
    softcap: float = 0.0
    sink: ir.Value | None = None


@dataclass(frozen=True, slots=True)
class Attended:
    """What queries see, `[B, H, S, E]`, their scores and what a softmax makes of them, `[B, H, S, T]`."""

    y: ir.Value
    scores: ir.Value
    weights: ir.Value


def attend(to: Writer, q: ir.Value, k: ir.Value, v: ir.Value, scoring: Scoring) -> Attended:
    """`softmax(q · kᵀ) · v` of `q [B, H, S, D]`, `k [B, G, T, D]`, `v [B, G, T, E]`, scored so.

    `H` is a multiple of `G`: that many heads share their keys and are rows of one product.
    """
    batch, heads, rows, size = to.shape(q)
    groups, keys = to.shape(k)[1:3]
    if groups == 0 or heads % groups:
        raise StaysError(f"{heads} query heads are not a multiple of {groups} key heads")
    each = heads // groups
    together = to.reshape(q, (batch, groups, each * rows, size))
    scores = to.op("MatMul", [together, to.transpose(k, 0, 1, 3, 2)])
    scores = to.scaled(scores, scoring.scale)
    if scoring.softcap:
        scores = to.scaled(to.op("Tanh", [to.scaled(scores, 1 / scoring.softcap)]), scoring.softcap)
    for bias in scoring.biases:
        scores = to.add(scores, _by_groups(to, bias, groups, each, rows))
    scores = to.add(scores, *scoring.masks)
    weights = _weights(to, scores, scoring.sink, (batch, groups, each, rows))
    y = to.reshape(to.op("MatMul", [weights, v]), (batch, heads, rows, to.shape(v)[3]))
    return Attended(y, *(to.reshape(each_, (batch, heads, rows, keys)) for each_ in (scores, weights)))


def _weights(to: Writer, scores: ir.Value, sink: ir.Value | None, shape: tuple[int, ...]) -> ir.Value:
    """The softmax of scores `[B, G, each * S, T]`, of `shape` without the keys."""
    if sink is None:
        return to.softmax(scores)
    batch, groups, each, rows = shape
    column = to.expand(to.reshape(sink, (1, groups, each, 1)), shape)
    column = to.reshape(column, (batch, groups, each * rows, 1))
    return to.slice(to.softmax(to.concat([scores, column], 3)), 3, 0, to.shape(scores)[3])


def _by_groups(to: Writer, bias: ir.Value, groups: int, each: int, rows: int) -> ir.Value:
    """A bias of `[B, H, S, T]`, any of which may be 1, for scores `[B, groups, each * rows, T]`."""
    batch, heads, own, keys = (1,) * (4 - len(to.shape(bias))) + to.shape(bias, *range(5))
    if each == 1 or (heads == 1 and own == 1) or (heads == 1 and rows == 1):
        return bias
    places = np.tile(np.arange(rows), each)
    if heads > 1:
        bias = to.reshape(bias, (batch, groups, each * own, keys))
        places = np.repeat(np.arange(each), rows)
    else:
        bias = to.reshape(bias, (batch, 1, own, keys))
    # Rows are taken by their numbers where they are read: as a table of their own they would be made for all keys.
    return bias if own == rows and heads > 1 else to.gather(bias, to.constant(places, INT), 2)


def by_heads(to: Writer, x: ir.Value, heads: int) -> ir.Value:
    """`[B, S, heads * D]` as `[B, heads, S, D]`."""
    batch, length, hidden = to.shape(x, 3)
    if heads < 1 or hidden % heads:
        raise StaysError(f"{hidden} hidden elements do not divide into {heads} heads")
    return to.transpose(to.reshape(x, (batch, length, heads, hidden // heads)), 0, 2, 1, 3)


def together(to: Writer, x: ir.Value) -> ir.Value:
    """`[B, heads, S, D]` as `[B, S, heads * D]`."""
    batch, heads, length, size = to.shape(x)
    return to.reshape(to.transpose(x, 0, 2, 1, 3), (batch, length, heads * size))


def hidden(to: Writer, seen: ir.Value, like: ir.Value, value: float) -> ir.Value:
    """0 where a key is seen, else the value."""
    return to.op("Where", [seen, to.like(0, like), to.like(value, like)])


def causal(to: Writer, like: ir.Value, rows: int, past: int, keys: int) -> ir.Value:
    """What hides the keys behind each query's own place: `[1, 1, rows, keys]`."""
    is_later = np.arange(keys)[None, :] > np.arange(rows)[:, None] + past
    dtype = to.dtype(like)
    array = np.where(is_later, np.float64(lowest(dtype)), 0.0).reshape(1, 1, rows, keys)
    return to.constant(array, dtype)


def lowest(dtype: ir.DataType) -> float:
    """What is added to the score of a key that is hidden: nearly the least number of the type."""
    return -65504.0 if dtype == ir.DataType.FLOAT16 else -3.3e38


def padding(
    to: Writer, mask: ir.Value, like: ir.Value, batch: int, rows: int, keys: int, value: float
) -> ir.Value:
    """A mask of whole numbers as a bias `[B, 1, 1 or rows, keys]`; one of bool is true where a key is seen."""
    shape = to.shape(mask)
    is_bool = to.dtype(mask) == ir.DataType.BOOL
    if shape in ((batch,), (2 * batch,)) and len(shape) == 1 and not is_bool:
        places = to.constant(np.arange(keys).reshape(1, 1, 1, keys), to.dtype(mask))
        end = to.reshape(to.slice(mask, 0, 0, batch), (batch, 1, 1, 1))
        seen = to.op("Less", [places, end])
        if shape[0] == 2 * batch:
            begin = to.reshape(to.slice(mask, 0, batch, 2 * batch), (batch, 1, 1, 1))
            seen = to.op("And", [seen, to.op("Not", [to.op("Less", [places, begin])])])
        return hidden(to, seen, like, value)
    if len(shape) == 4 and shape[1] == 1 and shape[2] >= keys:
        mask = to.slice(to.slice(mask, 2, keys - rows, keys), 3, 0, keys)
    elif shape in ((batch, keys), (1, keys)):
        mask = to.reshape(mask, (shape[0], 1, 1, keys))
    elif shape == (batch, rows, keys):
        mask = to.reshape(mask, (batch, 1, rows, keys))
    else:
        raise StaysError(
            f"a mask of the shape {list(shape)} for {rows} queries and {keys} keys of {batch} is not supported"
        )
    return hidden(
        to, mask if is_bool else to.op("Greater", [mask, to.constant(0, to.dtype(mask))]), like, value
    )


def scale_of(to: Writer, size: int) -> float:
    """What the products of queries and keys of `size` elements are multiplied by; 0 stands for the usual."""
    return to.real_number("scale", 0.0) or 1 / math.sqrt(size)


# ─── Attention and QAttention ──────────────────────────────────────────────────────────────────────────────────────


def _attention(to: Writer) -> Results:
    if to.input(6) is not None and to.flag("past_present_share_buffer"):
        raise StaysError(
            "past and present in one buffer are not supported: where new keys go is only known while running"
        )
    to.no_attributes("do_rotary", "past_present_share_buffer")
    projected = to.add(to.op("MatMul", [to.given(0, "input"), to.given(1, "weights")]), to.input(2))
    return _self_attention(to, projected, to.input(3), to.input(4), to.input(5))


def _quantized_attention(to: Writer) -> Results:
    to.no_attributes("do_rotary", "past_present_share_buffer")
    scale = to.given(4, "weight_scale")
    by_column = [] if to.shape(scale) in ((), (1,)) else [ir.AttrInt64("axis", 1)]
    if by_column and to.opset < 13:
        raise StaysError("weights with a scale for each column need opset 13 of ai.onnx")
    values = to.op("DequantizeLinear", [to.given(0, "input"), to.given(3, "input_scale"), to.input(6)])
    weights = to.op("DequantizeLinear", [to.given(1, "weight"), scale, to.input(7)], *by_column)
    projected = to.add(to.op("MatMul", [values, weights]), to.given(2, "bias"))
    return _self_attention(to, projected, to.input(5), to.input(8), None)


def bias_of(to: Writer, bias: ir.Value, like: ir.Value) -> ir.Value:
    """What is added to the scores, refused by its own name if it cannot be."""
    if to.dtype(bias) != to.dtype(like):
        raise StaysError(
            f"attention_bias {bias.name!r} is {to.dtype(bias).name.lower()}, expected {to.dtype(like).name.lower()}: it is added "
            "to the scores"
        )
    return bias


def _self_attention(
    to: Writer, projected: ir.Value, mask: ir.Value | None, past: ir.Value | None, bias: ir.Value | None
) -> Results:
    """Of queries, keys and values side by side in `projected [B, S, 3 * hidden]`."""
    heads = to.number("num_heads", 0)
    batch, rows, total = to.shape(projected, 3)
    sizes = to.numbers("qkv_hidden_sizes") or [total // 3] * 3
    if len(sizes) != 3 or sum(sizes) != total:
        raise StaysError(
            f"queries, keys and values have {sizes} elements, expected 3 numbers that sum up to {total}"
        )
    ends = np.cumsum([0, *sizes])
    q, k, v = (
        by_heads(to, to.slice(projected, 2, int(start), int(end)), heads)
        for start, end in itertools.pairwise(ends)
    )
    before = 0
    if past is not None:
        _, past_batch, past_heads, before, size = to.shape(past, 5)
        old = [
            to.reshape(to.slice(past, 0, number, number + 1), (past_batch, past_heads, before, size))
            for number in (0, 1)
        ]
        k, v = to.concat([old[0], k], 2), to.concat([old[1], v], 2)
    keys = before + rows
    biases = []
    if mask is not None:
        biases.append(padding(to, mask, q, batch, rows, keys, to.real_number("mask_filter_value", FILTER)))
    if to.flag("unidirectional"):
        biases.append(causal(to, q, rows, before, keys))
    if bias is not None:
        biases.append(bias_of(to, bias, q))
    y = together(to, attend(to, q, k, v, Scoring(scale_of(to, to.shape(q)[3]), biases)).y)
    if not to.wants(1):
        return (y,)
    return y, to.concat([to.reshape(tensor, (1, *to.shape(tensor))) for tensor in (k, v)], 0)


# ─── MultiHeadAttention ────────────────────────────────────────────────────────────────────────────────────────────


def multi_head_attention(to: Writer) -> Results:
    """MultiHeadAttention whose past, if there is one, is full."""
    to.refuse("a search with beams, which reads the past in another order, is not supported", 9)
    heads = to.number("num_heads", 0)
    q, k, v = three(to, heads, to.input(3))
    before = 0
    for number in (6, 7):
        past = to.input(number)
        if past is not None:
            before = to.shape(past, 4)[2]
            k, v = (to.concat([past, k], 2), v) if number == 6 else (k, to.concat([past, v], 2))
    batch, _, rows, size = to.shape(q)
    keys = to.shape(k)[2]
    biases = []
    mask, bias = to.input(4), to.input(5)
    if mask is not None:
        biases.append(padding(to, mask, q, batch, rows, keys, to.real_number("mask_filter_value", FILTER)))
    if to.flag("unidirectional"):
        biases.append(causal(to, q, rows, before, keys))
    if bias is not None:
        biases.append(bias_of(to, bias, q))
    attended = attend(to, q, k, v, Scoring(scale_of(to, size), biases))
    return together(to, attended.y), k, v, attended.scores


def three(to: Writer, heads: int, bias: ir.Value | None) -> list[ir.Value]:
    """Queries, keys and values of inputs 0 to 2 as `[B, heads, S, D]`, with their biases."""
    query, key, value = to.given(0, "query"), to.input(1), to.input(2)
    parts: list[ir.Value | None] = [query, key, value]
    if len(to.shape(query)) == 5:
        parts = _unpacked(to, query, 3)
    elif key is not None and len(to.shape(key)) == 5:
        parts = [query, *_unpacked(to, key, 2)]
    start, operands = 0, []
    for part in parts:
        if part is None:
            raise StaysError("keys or values are missing, and the queries are not packed with them")
        if len(to.shape(part)) == 4:  # as the heads of an encoder left them
            operands.append(part)
            start += to.shape(part)[1] * to.shape(part)[3]
            continue
        width = to.shape(part, 3)[2]
        own = None if bias is None else to.slice(bias, 0, start, start + width)
        start += width
        operands.append(by_heads(to, to.add(part, own), heads))
    return operands


def _unpacked(to: Writer, packed: ir.Value, count: int) -> list[ir.Value | None]:
    """`[B, S, heads, count, D]` as that many `[B, S, heads * D]`."""
    batch, length, heads, _, size = to.shape(packed)
    return [
        to.reshape(to.slice(packed, 3, number, number + 1), (batch, length, heads * size))
        for number in range(count)
    ]


WRITERS: Mapping[str, Write] = {
    "Attention": _attention,
    "QAttention": _quantized_attention,
}
