"""Attention with a state of a fixed size instead of a cache: linear attention, with gates and with the delta rule.

*Source:* LinearAttention 27 of ONNX; ContribOperators.md of onnxruntime, whose form also has fewer queries than states.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ingot.kernels.recurrent.linear_attention import Positions, linear_attention
from ingot.loops.build.nest import accumulator_type
from ingot.ops.facts import Folding
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast

_PAST, _DECAY, _RATE = 3, 4, 5
_RULES = {"linear": (), "gated": (_DECAY,), "delta": (_RATE,), "gated_delta": (_DECAY, _RATE)}


def _lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """LinearAttention 27, and that of com.microsoft; half floats are computed in float32."""
    rule = str(call_.attr("update_rule", "gated_delta"))
    if rule not in _RULES:
        call_.unsupported(f"update_rule={rule!r}, expected one of {', '.join(map(repr, _RULES))}")
    if call_.attr("state_window", 0):
        call_.unsupported(
            f"state_window={call_.attr('state_window')} is not supported: only the state behind the last token is kept"
        )
    heads, tensors = _heads(call_, rule), {}
    dtype = accumulator_type(call_.input(0).dtype)
    for position in (0, 1, 2, _PAST, *_RULES[rule]):
        if position != _PAST or call_.optional(_PAST) is not None:
            given = emit_cast(emit, call_.input(position), dtype)
            tensors[position] = emit.reshape(given, heads[position])
    at = {position: number for number, position in enumerate(tensors)}
    size = heads[0][3]
    scale = float(call_.attr("scale", 0.0)) or 1 / math.sqrt(max(size, 1))
    template = linear_attention(
        [tensor.type for tensor in tensors.values()],
        Positions(at.get(_PAST), at.get(_DECAY), at.get(_RATE)),
        is_delta=_RATE in _RULES[rule],
        scale=scale,
    )
    y, state = emit.template(template, list(tensors.values()))
    y = emit.reshape(y, (*y.shape[:2], y.shape[2] * y.shape[3]))
    past = call_.optional(_PAST)
    results = [emit_cast(emit, y, call_.input(0).dtype)]
    if call_.wants(1):
        results.append(emit_cast(emit, state, call_.output(1).dtype if past is None else past.dtype))
    return results


def _heads(call_: OpCall, rule: str) -> dict[int, tuple[int, ...]]:
    """The shapes of the operands of a rule by heads, checked."""
    queries, heads = int(call_.attr("q_num_heads", 0)), int(call_.attr("kv_num_heads", 0))
    q, k, v = (call_.input(position) for position in range(3))
    if {q.rank, k.rank, v.rank} != {3}:
        shapes = ", ".join(str(list(tensor.shape)) for tensor in (q, k, v))
        call_.unsupported(f"queries, keys and values of the shapes {shapes}; expected three of rank 3")
    if min(queries, heads) < 1 or max(queries, heads) % min(queries, heads):
        call_.unsupported(
            f"q_num_heads={queries}, kv_num_heads={heads}: expected that one is a multiple of the other"
        )
    if q.shape[2] % queries or v.shape[2] % heads:
        call_.unsupported(
            f"{q.shape[2]} elements of queries and {v.shape[2]} of values do not divide into {queries} and {heads} heads"
        )
    batch, tokens, size, width = *q.shape[:2], q.shape[2] // queries, v.shape[2] // heads
    call_.require_shape(1, "keys", (batch, tokens, heads * size))
    call_.require_shape(2, "values", (batch, tokens, heads * width))
    call_.require_shape(_PAST, "past state", (batch, heads, size, width))
    for position in _RULES[rule]:
        call_.input(position)
    if _DECAY in _RULES[rule]:
        call_.require_shape(_DECAY, "decay", (batch, tokens, heads), (batch, tokens, heads * size))
    if _RATE in _RULES[rule]:
        call_.require_shape(_RATE, "beta", (batch, tokens, heads), (batch, tokens, 1))
    return {
        0: (batch, tokens, queries, size),
        1: (batch, tokens, heads, size),
        2: (batch, tokens, heads, width),
        _PAST: (batch, heads, size, width),
        _DECAY: (batch, tokens, heads, _part(call_.optional(_DECAY), heads)),
        _RATE: (batch, tokens, _part(call_.optional(_RATE), 1)),
    }


def _part(tensor: Tensor | None, heads: int) -> int:
    return 1 if tensor is None else tensor.shape[-1] // heads


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "LinearAttention", 27, _lower, folding=Folding.PAIRS),
    OpDef("com.microsoft", "LinearAttention", 1, _lower, folding=Folding.PAIRS),
)
