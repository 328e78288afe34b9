"""Caches of GroupQueryAttention: quantized ones, windows, sequences of different lengths; against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

import ingot
from ingot.base.errors import UnsupportedError
from tests.support.contrib import by_ingot, by_onnxruntime, contrib_node

F = np.float32
H, G, D = 4, 2, 16  # heads of queries, of keys, elements of a head
RANDOM = np.random.default_rng(0)
NAMES = (
    "q", "k", "v", "past_key", "past_value", "seqlens_k", "total", "cos", "sin", "places", "bias", "sink", "k_scale", "v_scale",
    "q_norm", "k_norm", "query_seqlens",
)  # fmt: skip
ANGLES = np.arange(64)[:, None] / 100 ** (np.arange(D // 2) / (D // 2))
ROTARY = {"cos": np.cos(ANGLES).astype(F), "sin": np.sin(ANGLES).astype(F)}


def real(*shape: int) -> np.ndarray:
    return np.asarray(RANDOM.standard_normal(shape), F)


def new(batch: int, rows: int) -> dict[str, np.ndarray]:
    return {"q": real(batch, rows, H * D), "k": real(batch, rows, G * D), "v": real(batch, rows, G * D)}


def node(given: dict, kind: type = F, **options: object):
    """A node with these inputs, in the operator's order; `qk_output` gives it a fourth output."""
    inputs = {name: given.get(name) for name in NAMES}
    outputs = (F, kind, kind, F) if "qk_output" in options else (F, kind, kind)
    return contrib_node("GroupQueryAttention", inputs, outputs, num_heads=H, kv_num_heads=G, **options)


def lengths(batch: int, filled: int) -> dict[str, np.ndarray]:
    return {"seqlens_k": np.full(batch, filled - 1, np.int32), "total": np.int32([filled])}


# ─── quantized caches ──────────────────────────────────────────────────────────────────────────────────────────────


def quantized(bits: int, by_channel: bool, capacity: int = 12) -> dict:
    """Two caches of 8 or 4 bits with anything in them, and scales with which some new numbers are too large."""
    kind, width = (np.int8, D) if bits == 8 else (np.uint8, D // 2)
    low, high = (-100, 100) if bits == 8 else (0, 256)
    caches = {name: RANDOM.integers(low, high, (1, G, capacity, width)).astype(kind) for name in NAMES[3:5]}
    size = 0.02 if bits == 8 else 0.25
    shape = (1, G, 1, D) if by_channel else (1,)
    return caches | {
        name: np.asarray(size * RANDOM.uniform(0.6, 1.4, shape), F) for name in ("k_scale", "v_scale")
    }


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize(("mode", "rows"), [("PER_TENSOR", 1), ("PER_CHANNEL", 3)])
def test_quantized_caches_hold_what_onnxruntime_puts_there(bits: int, mode: str, rows: int) -> None:
    given = new(1, rows) | quantized(bits, mode == "PER_CHANNEL") | lengths(1, 5 + rows) | ROTARY
    kind = given["past_key"].dtype.type
    options = {"k_quant_type": mode, "v_quant_type": mode, "kv_cache_bit_width": bits, "do_rotary": 1}
    expected = by_onnxruntime(node(given, kind, **options), given)
    y, *present = by_ingot(stated(node(given, kind, **options), given), given)
    np.testing.assert_allclose(y, expected[0], rtol=2e-4, atol=2e-5)
    for cache, array in zip(present, expected[1:], strict=True):
        np.testing.assert_array_equal(cache[:, :, : 5 + rows], array[:, :, : 5 + rows])


def stated(model, given: dict):
    """The model with the shapes of its caches stated."""
    for name, output in zip(NAMES[3:5], list(model.graph.output)[1:3], strict=True):
        for extent in given[name].shape:
            output.type.tensor_type.shape.dim.add().dim_value = extent
    return model


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
def test_a_quantized_cache_is_changed_in_its_place_step_by_step(target: str) -> None:
    first = new(1, 1) | quantized(8, True) | lengths(1, 1)
    options = {"k_quant_type": "PER_CHANNEL", "v_quant_type": "PER_CHANNEL", "kv_cache_bit_width": 8}
    proto = stated(node(first, np.int8, **options), first)
    scales = {name: first[name] for name in ("k_scale", "v_scale")}
    names = {"past_key": "y1", "past_value": "y2"}
    stream = ingot.build(proto, target, state=names, cache=None).load()["g"]()
    assert {state.input: state.axis for state in stream._info.states} == {"past_key": 2, "past_value": 2}
    kept = {name: np.zeros_like(first[name]) for name in names}
    for filled in range(1, 7):
        given = new(1, 1) | lengths(1, filled) | scales
        expected, *present = by_onnxruntime(node(given | kept, np.int8, **options), given | kept)
        kept = dict(zip(names, present, strict=True))
        np.testing.assert_allclose(stream.predict(given), expected, rtol=2e-4, atol=2e-5)


# ─── windows ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("capacity", "window"), [(5, 5), (7, 4)])
@pytest.mark.parametrize("rows", [1, 3])
def test_a_window_keeps_its_last_keys_whatever_the_length_of_the_text(
    capacity: int, window: int, rows: int
) -> None:
    options = {"sliding_window_cache": 1, "local_window_size": window, "do_rotary": 1}
    shape = (1, G, capacity, D)
    kept = ours = {name: np.zeros(shape, F) for name in NAMES[3:5]}
    proto = stated(node(new(1, rows) | lengths(1, rows) | ROTARY | kept, **options), kept)
    model = ingot.build(proto, "llvmjit", cache=None).load()["g"]()
    for filled in range(rows, 18, rows):
        given = new(1, rows) | lengths(1, filled) | ROTARY
        expected, *present = by_onnxruntime(proto, given | kept)
        y, *own = model.predict(given | ours)
        np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)
        kept, ours = dict(zip(kept, present, strict=True)), dict(zip(kept, own, strict=True))
    dropped = capacity - window + 1
    resident = filled - dropped * -(-max(filled - capacity, 0) // dropped)
    for name in kept:
        np.testing.assert_allclose(
            ours[name][:, :, :resident], kept[name][:, :, :resident], rtol=1e-5, atol=1e-6
        )


def test_a_window_of_sequences_of_different_lengths() -> None:
    batch, capacity = 3, 6
    caches = {name: real(batch, G, capacity, D) for name in NAMES[3:5]}
    given = new(batch, 1) | caches | {"seqlens_k": np.int32([2, 5, 11]), "total": np.int32([12])}
    proto = node(given, sliding_window_cache=1, local_window_size=4)
    np.testing.assert_allclose(
        by_ingot(proto, given)[0], by_onnxruntime(proto, given)[0], rtol=1e-4, atol=1e-5
    )


# ─── chunks with padding ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
def test_of_a_padded_chunk_only_what_is_there_counts(target: str) -> None:
    batch, rows, capacity = 3, 4, 12
    valid, total = np.int32([3, 4, 0]), np.int32([6, 4, 7])
    given = new(batch, rows) | {name: real(batch, G, capacity, D) for name in NAMES[3:5]} | ROTARY
    given |= {"seqlens_k": total - 1, "total": np.int32([capacity]), "query_seqlens": valid}
    proto = node(given, do_rotary=1, local_window_size=5)
    expected, got = by_onnxruntime(proto, given), by_ingot(proto, given, target)
    for number, count in enumerate(valid):
        np.testing.assert_allclose(got[0][number, :count], expected[0][number, :count], rtol=1e-4, atol=1e-5)
        for cache, array in zip(got[1:], expected[1:], strict=True):
            np.testing.assert_allclose(
                cache[number, :, : total[number]], array[number, :, : total[number]], rtol=1e-5, atol=1e-6
            )


def test_padded_chunks_are_written_into_a_state_in_its_place() -> None:
    given = new(1, 4) | {name: real(1, G, 12, D) for name in NAMES[3:5]}
    given |= lengths(1, 6) | {"query_seqlens": np.int32([3])}
    names = {"past_key": "y1", "past_value": "y2"}
    stream = ingot.build(stated(node(given), given), "interp", state=names, cache=None).load()["g"]()
    assert {state.input: state.axis for state in stream._info.states} == {"past_key": 2, "past_value": 2}
    stream.set_state({name: given[name] for name in names})
    expected = by_onnxruntime(node(given), given)[0]
    feeds = {name: array for name, array in given.items() if name not in names}
    np.testing.assert_allclose(stream.predict(feeds)[:, :3], expected[:, :3], rtol=1e-4, atol=1e-5)


# ─── scores as a result ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mode", [1, 2])
@pytest.mark.parametrize("past", [0, 5])
def test_scores_are_a_result(mode: int, past: int) -> None:
    rows = 3 if past == 0 else 1
    given = new(1, rows) | {name: real(1, G, past, D) for name in NAMES[3:5]} | lengths(1, past + rows)
    proto = node(given, qk_output=mode, softcap=2.0)
    feeds = {name: array for name, array in given.items() if name != "total"}
    got = by_ingot(proto, feeds, constants={"total": given["total"]})
    for array, other in zip(got, by_onnxruntime(proto, given), strict=True):
        assert array.shape == other.shape
        np.testing.assert_allclose(array, other, rtol=1e-4, atol=1e-5)


# ─── what is refused ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"k_quant_type": "PER_TENSOR"}, "k_quant_type='PER_TENSOR' needs a past and input 12"),
        (
            {"k_quant_type": "BY_ROW"},
            "k_quant_type='BY_ROW', expected one of 'NONE', 'PER_TENSOR', 'PER_CHANNEL'",
        ),
        ({"sliding_window_cache": 1}, "local_window_size=-1 for a cache of 12 keys, expected 1 to 12"),
        ({"sliding_window_cache": 1, "local_window_size": 13}, "local_window_size=13 for a cache of 12 keys"),
        (
            {"sliding_window_cache": 1, "local_window_size": 4, "causal": 0},
            "causal=0 is not supported together",
        ),
    ],
)
def test_what_cannot_be_computed_is_refused_with_its_reason(options: dict, why: str) -> None:
    given = new(1, 1) | {name: real(1, G, 12, D) for name in NAMES[3:5]} | lengths(1, 6)
    with pytest.raises(UnsupportedError, match=why):
        ingot.build(stated(node(given, **options), given), "interp", cache=None)
