"""Scaled dot-product attention."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.elements import broadcast_index
from ingot.loops.build.nest import accumulator_type
from ingot.loops.nodes import Binary, Const, Expr, both, call, cast, compare, index, select
from ingot.ops.elementwise import broadcasts_to
from ingot.ops.facts import Folding
from ingot.ops.matmul import matmul
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast, emit_map, emit_reduce
from ingot.ops.softmax import emit_softmax

Read = Callable[..., Expr]


def _by_heads(call_: OpCall, emit: Emitter, x: Tensor, heads: int) -> Tensor:
    """`[B, S, heads * D]` as `[B, heads, S, D]`."""
    batch, length, hidden = x.shape
    if heads < 1 or hidden % heads:
        call_.unsupported(f"{hidden} hidden elements do not divide into {heads} heads")
    split = emit.reshape(x, (batch, length, heads, hidden // heads))
    output = TensorType(x.dtype, (batch, heads, length, hidden // heads))
    return emit.pointwise([split], output, lambda at, read: read(at[0], at[2], at[1], at[3]), "heads")


def _behind(call_: OpCall, emit: Emitter, past: Tensor | None, x: Tensor) -> Tensor:
    """The new keys or values behind those of the past: `[B, H, P, D]` and `[B, H, S, D]`."""
    if past is None:
        return x
    if past.rank != 4 or (*past.shape[:2], past.shape[3]) != (*x.shape[:2], x.shape[3]):
        call_.unsupported(
            f"keys or values of the past of shape {list(past.shape)} for new ones of {list(x.shape)}"
        )
    before = past.shape[2]
    output = TensorType(x.dtype, (*x.shape[:2], before + x.shape[2], x.shape[3]))

    def value(at: tuple[Expr, ...], read_past: Read, read: Read) -> Expr:
        old = read_past(*at)
        return select(compare("lt", at[2], before), old, read(at[0], at[1], at[2] - before, at[3]))

    return emit.pointwise([past, x], output, value, "cache")


def _bias(
    call_: OpCall, emit: Emitter, shape: tuple[int, ...], dtype: DType, past: int, has_past: bool
) -> Tensor | None:
    """What is added to the scores `[B, H, S, T]` before the softmax: the mask, minus infinity where a key may not be seen."""
    mask, lengths = call_.optional(3), call_.optional(6)
    causal = bool(call_.attr("is_causal", 0))
    left, right = int(call_.attr("left_window_size", -1)), int(call_.attr("right_window_size", -1))
    if mask is None and lengths is None and not causal and left < 0 and right < 0:
        return None
    _, _, rows, keys = shape
    if mask is not None and (mask.rank < 2 or mask.rank > 4) and mask.rank != 1:
        call_.unsupported(f"a mask of shape {list(mask.shape)}")
    if mask is not None and not _mask_fits(mask.shape, shape):
        call_.unsupported(f"a mask of the shape {list(mask.shape)} for scores of the shape {list(shape)}")
    mask_lead = (1, 1, 1, 1) if mask is None else (*(1 for _ in range(4 - mask.rank)), *mask.shape)
    output = TensorType(dtype, (shape[0] if lengths is not None else mask_lead[0], mask_lead[1], rows, keys))
    operands = [operand for operand in (mask, lengths) if operand is not None]
    zero, never = Const(0, dtype), Const(-np.inf, dtype)

    def value(at: tuple[Expr, ...], *reads: Read) -> Expr:
        length = None if lengths is None else cast(reads[-1](at[0]), DType.INT64)
        offset: Expr = index(past)
        if length is not None and not has_past:
            offset = length - rows
        distance = at[3] - (at[2] + offset)
        seen = []
        if causal:
            seen.append(compare("le", distance, 0))
        if left >= 0:
            seen.append(compare("ge", distance, -left))
        if right >= 0:
            seen.append(compare("le", distance, right))
        if length is not None:
            seen.append(compare("lt", at[3], length))
        result: Expr = zero
        if mask is not None:
            where = broadcast_index(at, mask.shape)
            if mask.shape[-1] != 1 or keys == 1:
                where = (*where[:-1], at[3])
            taken = reads[0](*where)
            result = select(taken, zero, never) if mask.dtype is DType.BOOL else cast(taken, dtype)
            if mask.shape[-1] < keys and (mask.shape[-1] != 1 or keys == 1):
                result = select(compare("lt", at[3], mask.shape[-1]), result, never)
        return select(both(*seen), result, never) if seen else result

    return emit.pointwise(operands, output, value, "attention_bias")


def _mask_fits(mask: tuple[int, ...], scores: tuple[int, ...]) -> bool:
    """Whether a mask broadcasts to the scores; keys that it does not have are not seen."""
    *lead, keys = mask
    return broadcasts_to((*lead, 1), scores) and keys <= max(1, scores[-1])


def _lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Attention 23, 24 (`nonpad_kv_seqlen`), 25 (windows); half floats are computed in float32."""
    given = call_.input(0)
    if given.rank not in (3, 4) or {call_.input(position).rank for position in (1, 2)} != {given.rank}:
        shapes = ", ".join(str(list(call_.input(position).shape)) for position in range(3))
        call_.unsupported(
            f"queries, keys and values of the shapes {shapes}; expected three of rank 3 or three of rank 4"
        )
    dtype = accumulator_type(given.dtype)
    q, k, v = (emit_cast(emit, call_.input(position), dtype) for position in range(3))
    flat = q.rank == 3
    if flat:
        query_heads, key_heads = int(call_.attr("q_num_heads", 0)), int(call_.attr("kv_num_heads", 0))
        q = _by_heads(call_, emit, q, query_heads)
        k, v = (_by_heads(call_, emit, tensor, key_heads) for tensor in (k, v))
    past_key, past_value = call_.optional(4), call_.optional(5)
    k = _behind(call_, emit, None if past_key is None else emit_cast(emit, past_key, dtype), k)
    v = _behind(call_, emit, None if past_value is None else emit_cast(emit, past_value, dtype), v)
    batch, heads, rows, size = q.shape
    call_.require_shape(6, "the lengths of the keys", (batch,))
    key_heads, keys = k.shape[1], k.shape[2]
    if key_heads == 0 or heads % key_heads or v.shape[1] != key_heads:
        call_.unsupported(f"{heads} query heads for {key_heads} key heads and {v.shape[1]} value heads")
    if k.shape[0] != batch or k.shape[3] != size or v.shape[0] != batch or v.shape[2] != keys:
        call_.unsupported(
            f"queries of shape {list(q.shape)} with keys of {list(k.shape)} and values of {list(v.shape)}"
        )
    each = heads // key_heads
    stated = call_.attr("scale")
    scale = 1 / math.sqrt(max(size, 1)) if stated is None else float(stated)
    transposed = emit.pointwise(
        [k],
        TensorType(dtype, (batch, key_heads, size, keys)),
        lambda at, read: read(at[0], at[1], at[3], at[2]),
        "turned_keys",
    )
    # All queries that share keys and values are rows of one product.
    together = emit.reshape(q, (batch, key_heads, each * rows, size))
    scores = emit_map(
        emit, matmul(call_, emit, together, transposed), dtype, lambda value: value * scale, "scale"
    )

    def of_head(at: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """The index `[b, head, row, key]` of an index into the scores."""
        return at if each == 1 else (at[0], at[1] * each + at[2] // rows, at[2] % rows, at[3])

    exposed = {0: scores}
    cap = float(call_.attr("softcap", 0.0))
    if cap > 0:
        scores = emit_map(emit, scores, dtype, lambda value: call("tanh", value / cap) * cap, "softcap")
    exposed[1] = scores
    shape = (batch, heads, rows, keys)
    bias = _bias(
        call_, emit, shape, dtype, 0 if past_key is None else past_key.shape[2], past_key is not None
    )
    if bias is not None:
        scores = emit.pointwise(
            [scores, bias],
            scores.type,
            lambda at, read, read_bias: read(*at) + read_bias(*broadcast_index(of_head(at), bias.shape)),
            "masked_scores",
        )
    exposed[2] = scores
    weights = emit_softmax(emit, scores, 3)
    if bias is not None:
        # A query that may see no key gets nothing, not the mean of nothing.
        best = emit_reduce(emit, bias, (3,), "max")

        def guard(at: tuple[Expr, ...], read: Read, read_best: Read) -> Expr:
            top = read_best(*broadcast_index(of_head(at), best.shape))
            unseen = Binary("and", call("isinf", top), compare("lt", top, 0))
            return select(unseen, Const(0, dtype), read(*at))

        weights = emit.pointwise([weights, best], weights.type, guard, "seen")
    exposed[3] = weights
    y = emit.reshape(matmul(call_, emit, weights, v), (batch, heads, rows, v.shape[3]))
    if flat:
        output = TensorType(dtype, (batch, rows, heads, v.shape[3]))
        y = emit.pointwise([y], output, lambda at, read: read(at[0], at[2], at[1], at[3]), "together")
        y = emit.reshape(y, (batch, rows, heads * v.shape[3]))
    results = [emit_cast(emit, y, given.dtype)]
    if call_.wants(1) or call_.wants(2) or call_.wants(3):
        results += [
            emit_cast(emit, tensor, call_.input(position).dtype) for tensor, position in ((k, 1), (v, 2))
        ]
    if call_.wants(3):
        seen = emit.reshape(exposed[int(call_.attr("qk_matmul_output_mode", 0))], shape)
        results.append(emit_cast(emit, seen, given.dtype))
    return results


OPERATORS: tuple[OpDef, ...] = (OpDef("", "Attention", 23, _lower, folding=Folding.PAIRS),)
