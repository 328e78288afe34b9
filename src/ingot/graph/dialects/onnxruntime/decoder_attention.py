"""Attention of decoders over buffers of keys that are filled step by step, each head with keys of its own.

*Source:* ContribOperators.md of onnxruntime, version 1 of the domain, and what its CPU kernels compute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx_ir as ir

from ingot.graph.dialects.onnxruntime.attention import (
    FILTER,
    INT,
    Scoring,
    attend,
    bias_of,
    multi_head_attention,
    padding,
    scale_of,
    three,
    together,
)
from ingot.graph.dialects.onnxruntime.grouped_attention import Cache, behind, hidden_keys
from ingot.graph.rewrite.writer import Results, StaysError, Write, Writer

_BEAMS = "a search with beams, which reads the past in another order, is not supported"


def _multi_head(to: Writer) -> Results:
    """MultiHeadAttention; with `past_sequence_length`, its past is a buffer."""
    length = to.input(8)
    if length is None:
        return multi_head_attention(to)
    to.refuse(_BEAMS, 9)
    q, k, v = three(to, to.number("num_heads", 0), to.input(3))
    pasts = [to.given(6, "past_key"), to.given(7, "past_value")]
    given = (to.input(4), to.input(5))
    return _buffered(to, (q, k, v), pasts, length, given, is_causal=to.flag("unidirectional"))


def _decoder_masked(to: Writer) -> Results:
    """DecoderMaskedMultiHeadAttention: one new token, over a buffer or over the keys of an encoder."""
    to.refuse(_BEAMS, 9)
    q, k, v = three(to, to.number("num_heads", 0), to.input(10))
    if to.shape(q)[2] != 1:
        raise StaysError(f"{to.shape(q)[2]} new tokens, expected 1")
    if to.input(5) is not None:
        if not to.flag("past_present_share_buffer"):
            raise StaysError("past_present_share_buffer=0 with a past, expected 1")
        pasts = [to.given(5, "past_key"), to.given(6, "past_value")]
        length = to.given(7, "past_sequence_length")
        return _buffered(to, (q, k, v), pasts, length, (to.input(3), to.input(4)), is_causal=False)
    biases = _given_biases(to, q, (to.input(3), to.input(4)), to.shape(k)[2])
    attended = attend(to, q, k, v, Scoring(scale_of(to, to.shape(q)[3]), biases))
    return together(to, attended.y), k, v, attended.scores


def _buffered(
    to: Writer,
    new: Sequence[ir.Value],
    pasts: Sequence[ir.Value],
    length: ir.Value,
    given: tuple[ir.Value | None, ir.Value | None],
    *,
    is_causal: bool,
) -> Results:
    """New keys go to the place that `length`, one number, says. `given` are a mask and a bias."""
    if to.wants(3):
        raise StaysError(
            "output 3 (qk) of a buffer is as wide as it is filled, which is only known while running"
        )
    q, k, v = new
    rows, keys = to.shape(q)[2], to.shape(pasts[0], 4)[2]
    cache = Cache(rows, keys, keys, to.reshape(to.cast(length, INT), (1, 1, 1, 1)))
    k, v = (behind(to, past, fresh, cache) for past, fresh in zip(pasts, (k, v), strict=True))
    _, masks = hidden_keys(to, q, cache, 1, is_causal=is_causal)
    scoring = Scoring(scale_of(to, to.shape(q)[3]), _given_biases(to, q, given, keys), masks)
    return together(to, attend(to, q, k, v, scoring).y), k, v


def _given_biases(
    to: Writer, q: ir.Value, given: tuple[ir.Value | None, ir.Value | None], keys: int
) -> list[ir.Value]:
    """A mask and a bias as what is added to the scores; what they lack of the keys is hidden otherwise."""
    mask, bias = given
    batch, _, rows, _ = to.shape(q)
    biases = []
    if mask is not None:
        width = to.shape(mask)[-1] if len(to.shape(mask)) > 1 else keys
        value = to.real_number("mask_filter_value", FILTER)
        biases.append(padding(to, mask, q, batch, rows, width, value))
    if bias is not None:
        biases.append(bias_of(to, bias, q))
    return [_widened(to, each, keys) for each in biases]


def _widened(to: Writer, bias: ir.Value, keys: int) -> ir.Value:
    """A bias for so many keys."""
    *outer, width = to.shape(bias, 4)
    if width in (1, keys):
        return bias
    if width > keys:
        raise StaysError(f"a mask or bias for {width} keys, the buffer has {keys}")
    return to.concat([bias, to.constant(np.zeros((*outer, keys - width)), to.dtype(bias))], 3)


WRITERS: Mapping[str, Write] = {
    "MultiHeadAttention": _multi_head,
    "DecoderMaskedMultiHeadAttention": _decoder_masked,
}
