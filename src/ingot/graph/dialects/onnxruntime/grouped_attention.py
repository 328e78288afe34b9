"""Attention with a cache as generative models have it, and rotary embeddings, as ONNX's own operators.

How long a cache grows must be known while building; how far it is filled need not be.

*Source:* ContribOperators.md of onnxruntime, version 1 of the domain, and what its CPU kernels compute.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ingot.graph.dialects.onnxruntime.attention import (
    INT,
    Attended,
    Scoring,
    attend,
    by_heads,
    hidden,
    lowest,
    scale_of,
    together,
)
from ingot.graph.dialects.onnxruntime.key_caches import Elements, Window, elements_of, window_of
from ingot.graph.dialects.onnxruntime.norms import rms_norm
from ingot.graph.read.deciders import how_to_bind
from ingot.graph.read.types import static_shape
from ingot.graph.rewrite.writer import Results, StaysError, Write, Writer

# ─── rotary embeddings ─────────────────────────────────────────────────────────────────────────────────────────────


def rotated(to: Writer, x: ir.Value, cosines: ir.Value, sines: ir.Value, neighbours: bool) -> ir.Value:
    """`x [.., .., .., D]` with pairs of elements rotated by angles that broadcast to all but its last dimension; pairs are halves
    of the rotated part, or neighbours, and what is behind that part stays.
    """
    shape = to.shape(x)
    half = to.shape(cosines)[-1]
    if 2 * half > shape[3]:
        raise StaysError(f"angles for {2 * half} elements of a head that has {shape[3]}")
    part = to.slice(x, 3, 0, 2 * half)
    if neighbours:
        pairs = to.reshape(part, (*shape[:3], half, 2))
        first, second = (to.reshape(to.slice(pairs, 4, at, at + 1), (*shape[:3], half)) for at in (0, 1))
    else:
        first, second = to.slice(part, 3, 0, half), to.slice(part, 3, half, 2 * half)
    real = to.op("Sub", [to.op("Mul", [first, cosines]), to.op("Mul", [second, sines])])
    imaginary = to.add(to.op("Mul", [second, cosines]), to.op("Mul", [first, sines]))
    if neighbours:
        interleaved = to.concat([to.reshape(piece, (*shape[:3], half, 1)) for piece in (real, imaginary)], 4)
        pieces = [to.reshape(interleaved, (*shape[:3], 2 * half))]
    else:
        pieces = [real, imaginary]
    if 2 * half < shape[3]:
        pieces.append(to.slice(x, 3, 2 * half, shape[3]))
    return to.concat(pieces, 3)


def _rotary(to: Writer) -> Results:
    to.no_attributes("is_packed_batching")
    if to.real_number("scale", 1.0) != 1.0:
        raise StaysError(f"scale={to.real_number('scale', 1.0)} is not supported")
    x, places, caches = (
        to.given(0, "input"),
        to.given(1, "position_ids"),
        [to.given(2, "cos_cache"), to.given(3, "sin_cache")],
    )
    flat = len(to.shape(x, 3, 4)) == 3
    batch, length = (to.shape(x)[0], to.shape(x)[1 if flat else 2])
    if to.shape(places) in ((), (1,)):
        numbers = to.constant(np.arange(length).reshape(1, length), INT)
        places = to.add(to.reshape(places, (1, 1)), numbers)
    elif to.shape(places) != (batch, length):
        raise StaysError(
            f"position_ids of the shape {list(to.shape(places))} for {batch} sequences of {length}"
        )
    angles = [to.gather(cache, places) for cache in caches]
    half = to.shape(caches[0], 2)[1]
    axis = (-1, length, 1, half) if flat else (-1, 1, length, half)
    cosines, sines = (to.reshape(angle, (to.shape(places)[0], *axis[1:])) for angle in angles)
    if not flat:
        return (rotated(to, x, cosines, sines, to.flag("interleaved")),)
    whole = to.shape(x)[2]
    heads = to.number("num_heads", 0)
    size = whole // heads if heads else 2 * half
    if size < 1 or whole % size:
        raise StaysError(f"{whole} hidden elements do not divide into heads of {size}")
    heads_rotated = rotated(
        to, to.reshape(x, (batch, length, whole // size, size)), cosines, sines, to.flag("interleaved")
    )
    return (to.reshape(heads_rotated, (batch, length, whole)),)


# ─── GroupQueryAttention ───────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Cache:
    """`rows` new keys behind `before` old ones, in a cache that has `keys` then. The first new one is at `start`, a number or
    `[B, 1, 1, 1]`; `count [B, 1, 1, 1]` of them are there, all where it is None. Of a `window` only the last ones are kept.
    """

    rows: int
    before: int
    keys: int
    start: int | ir.Value
    count: ir.Value | None = None
    window: Window | None = None


def _grouped(to: Writer) -> Results:
    q, k, v = _heads(to)
    batch, heads, rows, size = to.shape(q)
    cache = _cache(to, batch, rows)
    norms = to.input(14), to.input(15)
    if norms[0] is not None and norms[1] is not None:
        both = to.real_number("qk_norm_epsilon", 1e-6)
        q = rms_norm(to, q, norms[0], to.real_number("q_norm_epsilon", both))
        k = rms_norm(to, k, norms[1], to.real_number("k_norm_epsilon", both))
    if to.flag("do_rotary"):
        angles = _angles(to, cache)
        q, k = (rotated(to, tensor, *angles, to.flag("rotary_interleaved")) for tensor in (q, k))
    (keys, present_keys), (values, present_values) = (
        _kept(to, cache, elements_of(to, name, to.input(position), position + 9), to.input(position), new)
        for name, position, new in (("k", 3, k), ("v", 4, v))
    )
    biases, masks = hidden_keys(
        to, q, cache, heads // max(to.shape(k)[1], 1), is_causal=bool(to.number("causal", 1))
    )
    if to.input(10) is not None:
        biases.append(_bias(to, cache))
    sink = to.input(11)
    if sink is None and to.flag("smooth_softmax"):
        sink = to.constant(np.zeros(heads), to.dtype(q))
    scoring = Scoring(scale_of(to, size), biases, masks, to.real_number("softcap", 0.0), sink)
    attended = attend(to, q, keys, values, scoring)
    results = [together(to, attended.y), present_keys, present_values]
    return [*results, _exposed(to, attended, cache)] if to.wants(3) else results


def _kept(
    to: Writer, cache: Cache, elements: Elements, past: ir.Value | None, new: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """All keys, or values, that queries see, and the cache with the new ones in it."""
    kept = elements.kept(to, new)
    if cache.window is not None and past is not None:
        present = cache.window.with_new(to, past, kept)
        seen = cache.window.seen(to, past, kept, present)
    else:
        seen = present = behind(to, past, kept, cache)
    return elements.numbers(to, seen, to.dtype(new)), present


def _exposed(to: Writer, attended: Attended, cache: Cache) -> ir.Value:
    """Scores, or their softmax, `[B, H, S, total]`; where a query does not see a key, zero."""
    mode, total = to.number("qk_output", 0), to.known(to.input(6))
    if mode not in (1, 2):
        raise StaysError(f"output 3 (output_qk) with qk_output={mode}, expected 1 or 2")
    if cache.window is not None:
        raise StaysError("output 3 (output_qk) is not supported together with sliding_window_cache")
    if isinstance(cache.start, int):
        width = cache.start + cache.rows
    elif total is not None and total.size == 1:
        width = int(total.reshape(-1)[0])
    else:
        raise StaysError(
            "how wide output 3 (output_qk) is is total_sequence_length (input 6), which is only known while running; bind it"
            + how_to_bind(to.input(6))
        )
    scores = to.slice(attended.scores, 3, 0, width)
    is_hidden = to.op("Less", [scores, to.like(lowest(to.dtype(scores)) / 2, scores)])
    exposed = scores if mode == 1 else to.slice(attended.weights, 3, 0, width)
    return to.op("Where", [is_hidden, to.like(0, scores), exposed])


def _heads(to: Writer) -> tuple[ir.Value, ir.Value, ir.Value]:
    heads, groups = to.number("num_heads", 0), to.number("kv_num_heads", 0)
    query, key, value = to.given(0, "query"), to.input(1), to.input(2)
    if key is not None and value is not None:
        return by_heads(to, query, heads), by_heads(to, key, groups), by_heads(to, value, groups)
    whole = to.shape(query, 3)[2]
    if heads < 1 or groups < 1:
        raise StaysError(f"num_heads={heads}, kv_num_heads={groups}: expected numbers above 0")
    size = whole // (heads + 2 * groups)
    ends = [0, heads * size, (heads + groups) * size, whole]
    q, k, v = (to.slice(query, 2, start, end) for start, end in itertools.pairwise(ends))
    return by_heads(to, q, heads), by_heads(to, k, groups), by_heads(to, v, groups)


def _cache(to: Writer, batch: int, rows: int) -> Cache:
    """How long the cache is, by `total_sequence_length`, if that is known, else by the shape that the model states."""
    past = to.input(3)
    before = 0 if past is None else to.shape(past, 4)[2]
    if to.flag("sliding_window_cache") or to.input(16) is not None:
        return _counted_cache(to, batch, rows)
    if before == 0:
        return Cache(rows, 0, rows, 0)
    total = to.known(to.input(6))
    if total is not None and total.size != 1:
        raise StaysError(f"total_sequence_length has the shape {list(total.shape)}, expected one number")
    stated = next(
        (static_shape(output) for output in to.node.outputs[1:3] if static_shape(output) is not None), None
    )
    if total is not None:
        keys = max(int(total.reshape(-1)[0]), before)
    elif stated is not None:
        keys = stated[2]
    else:
        raise StaysError(
            "how long the cache is with the new keys is total_sequence_length (input 6), which is only known while running; "
            "state the shape of the present keys in the model, or bind it" + how_to_bind(to.input(6))
        )
    if keys not in (before, before + rows):
        raise StaysError(
            f"a cache of {keys} keys after {rows} new ones were put to {before} is not supported"
        )
    if total is not None and int(total.reshape(-1)[0]) == rows:
        return Cache(rows, before, keys, 0)
    if batch == 1 and keys == before + rows:
        return Cache(rows, before, keys, before)
    lengths = to.cast(to.given(5, "seqlens_k"), INT)
    zero, behind = to.constant(0, INT), to.add(lengths, to.constant(1 - rows, INT))
    start = to.op(
        "Where", [to.op("Less", [behind, zero]), zero, behind]
    )  # Max of whole numbers needs opset 12
    return Cache(rows, before, keys, to.reshape(start, (batch, 1, 1, 1)))


def _counted_cache(to: Writer, batch: int, rows: int) -> Cache:
    """A cache whose last key of each sequence is given, and how many of the new ones are there: by `query_seqlens`, or as many as
    the sequence has.
    """
    past, given, shape = to.given(3, "past_key"), to.input(16), (batch, 1, 1, 1)
    if not to.number("causal", 1):
        raise StaysError("causal=0 is not supported together with query_seqlens or sliding_window_cache")
    before = to.shape(past, 4)[2]
    last = to.reshape(to.cast(to.given(5, "seqlens_k"), INT), shape)
    total = to.add(last, to.constant(1, INT))
    if given is None:
        whole = to.constant(rows, INT)
        count = to.op("Where", [to.op("Less", [total, whole]), total, whole])
    else:
        count = to.reshape(to.cast(given, INT), shape)
    if to.flag("sliding_window_cache"):
        window = window_of(to, before, rows, total, count)
        return Cache(rows, before, before, window.start, count, window)
    stated = next(filter(None, map(static_shape, to.node.outputs[1:3])), None)
    keys = before if stated is None else stated[2]
    if keys not in (before, before + rows):
        raise StaysError(
            f"a cache of {keys} keys after {rows} new ones were put to {before} is not supported"
        )
    return Cache(rows, before, keys, to.op("Sub", [total, count]), count)


def _angles(to: Writer, cache: Cache) -> tuple[ir.Value, ir.Value]:
    """Cosines and sines `[B or 1, 1, S, half]` of the angles of new tokens."""
    caches = [to.given(7, "cos_cache"), to.given(8, "sin_cache")]
    numbers = np.arange(cache.rows)
    given = to.input(9)
    if given is not None and cache.start == 0:  # of a prompt the first one counts
        places = to.add(to.slice(to.slice(given, 0, 0, 1), 1, 0, 1), to.constant(numbers.reshape(1, -1), INT))
    elif given is not None:
        places = given
    elif isinstance(cache.start, int):
        places = to.constant((numbers + cache.start).reshape(1, -1), INT)
    else:
        start = to.reshape(cache.start, (to.shape(cache.start)[0], 1))
        places = to.add(start, to.constant(numbers.reshape(1, -1), INT))
    for table in caches:
        to.shape(table, 2)
    angles = [to.gather(table, places) for table in caches]
    cosines, sines = (to.reshape(angle, (to.shape(places)[0], 1, *to.shape(angle)[1:])) for angle in angles)
    return cosines, sines


def behind(to: Writer, past: ir.Value | None, new: ir.Value, cache: Cache) -> ir.Value:
    """The cache with the new keys or values in it, `[B, G, keys, D]`."""
    if past is None or (cache.before == 0 and cache.count is None):
        return new
    if cache.start == 0:
        return to.concat([new, to.slice(past, 2, cache.rows, cache.keys)], 2)
    if cache.start == cache.before and cache.keys == cache.before + cache.rows:
        return to.concat([past, new], 2)
    batch, groups, _, size = to.shape(new)
    places = to.constant(np.arange(cache.keys).reshape(1, 1, -1, 1), INT)
    assert isinstance(cache.start, ir.Value)
    distance = to.op("Sub", [places, cache.start])
    base = past if cache.keys == cache.before else to.concat([past, new], 2)
    if cache.rows == 1 and cache.count is None:
        return to.op("Where", [to.op("Equal", [distance, to.constant(0, INT)]), new, base])
    later = to.op("Less", [to.constant(-1, INT), distance])
    is_new = to.op("And", [later, to.op("Less", [distance, to.constant(cache.rows, INT)])])
    if cache.count is not None:
        is_new = to.op("And", [is_new, to.op("Less", [distance, cache.count])])
    row = to.op("Where", [is_new, distance, to.constant(0, INT)])
    rows = to.expand(row, (batch, groups, cache.keys, size))
    return to.op("Where", [is_new, to.op("GatherElements", [new, rows], ir.AttrInt64("axis", 2)), base])


def hidden_keys(
    to: Writer, like: ir.Value, cache: Cache, each: int, *, is_causal: bool
) -> tuple[list[ir.Value], list[ir.Value]]:
    """What hides keys that a query may not see, those behind it and those too far before it: biases and masks of `attend`, where
    `each` heads share their keys.
    """
    window = to.number("local_window_size", -1)
    rows, keys = np.arange(cache.rows).reshape(1, 1, -1, 1), np.arange(cache.keys).reshape(1, 1, 1, -1)
    value = lowest(to.dtype(like))
    if isinstance(cache.start, int):
        behind = keys - rows - cache.start
        seen = behind <= 0 if is_causal else keys < cache.start + cache.rows
        if window > 0:
            seen &= behind > -window
        return [] if seen.all() else [to.constant(np.where(seen, 0.0, value), to.dtype(like))], []
    # Rows and keys apart: a table of all pairs has megabytes in each layer, and as long as places are compared where scores are
    # made, those behind the filled part of the cache are not.
    rows = np.tile(rows, (1, 1, each, 1))
    first = to.add(cache.start, to.constant(rows, INT)) if cache.rows > 1 else cache.start
    places = to.constant(keys, INT) if cache.window is None else cache.window.places(to)
    distance = to.op("Sub", [places, first])
    limit = distance if is_causal else to.op("Sub", [to.constant(keys - cache.rows + 1, INT), cache.start])
    is_seen = to.op("Less", [limit, to.constant(1, INT)])
    if window > 0:
        is_seen = to.op("And", [is_seen, to.op("Less", [to.constant(-window, INT), distance])])
    return [], [hidden(to, is_seen, like, value)]


def _bias(to: Writer, cache: Cache) -> ir.Value:
    """What is added to the scores: of a buffer that is not full it is as wide as it is filled, and what is behind is hidden."""
    bias, total = to.given(10, "attention_bias"), to.known(to.input(6))
    *outer, width = to.shape(bias, 4)
    filled = cache.start + cache.rows if isinstance(cache.start, int) else cache.rows
    if not filled <= width <= cache.keys or (
        width < cache.keys and total is not None and int(total.reshape(-1)[0]) != width
    ):
        raise StaysError(
            f"attention_bias of the shape {[*outer, width]} for {cache.keys} keys is not supported"
        )
    if width == cache.keys:
        return bias
    nothing = np.zeros((*outer, cache.keys - width))
    return to.concat([bias, to.constant(nothing, to.dtype(bias))], 3)


WRITERS: Mapping[str, Write] = {"RotaryEmbedding": _rotary, "GroupQueryAttention": _grouped}
