"""Attention and rotary embeddings as onnxruntime fuses them, against onnxruntime itself."""

from __future__ import annotations

import numpy as np
import pytest

import ingot
from ingot.base.errors import UnsupportedError
from tests.support.contrib import agree, by_ingot, by_onnxruntime, contrib_node

RANDOM = np.random.default_rng(0)
F = np.float32
B, S, H, D = 2, 5, 3, 8  # sequences, tokens, heads, elements of a head


def real(*shape, scale=1.0):
    return np.asarray(RANDOM.standard_normal(shape) * scale, F)


def ints(array):
    return np.asarray(array, np.int32)


PADDED = [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]
MASKS = {
    "none": None,
    "ends": ints([3, 5]),
    "ends_and_starts": ints([4, 5, 1, 2]),
    "raw": ints(PADDED),
    "of_each_query": ints(np.tril(np.ones((B, S, S)))),
}


# ─── Attention ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("opset", [11, 17])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("causal", [0, 1])
def test_attention_with_every_kind_of_mask(mask, causal, opset):
    width = H * D
    inputs = {
        "x": real(B, S, 16),
        "w": real(16, 3 * width, scale=0.3),
        "b": real(3 * width),
        "m": MASKS[mask],
    }
    options = {"num_heads": H, "unidirectional": causal, "opset": opset}
    agree("Attention", inputs, **options)
    agree("Attention", inputs, fed=["x", "m"], **options)


def test_attention_with_a_mask_of_whole_squares():
    """As Megatron has it; onnxruntime reads it on GPUs only, so it gets the part that counts."""
    width, room = H * D, S + 4
    square = ints(RANDOM.integers(0, 2, (B, 1, room, room)) | np.eye(room, dtype=int))
    inputs = {"x": real(B, S, 16), "w": real(16, 3 * width, scale=0.3), "b": real(3 * width), "m": square}
    (got,) = by_ingot(contrib_node("Attention", inputs, num_heads=H), inputs)
    part = inputs | {"m": np.ascontiguousarray(square[:, 0, :S, :S])}
    np.testing.assert_allclose(
        got, by_onnxruntime(contrib_node("Attention", part, num_heads=H), part)[0], rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("mask", [None, ints([[1] * 6, [1] * 4 + [0, 1]])])
def test_attention_with_a_past(mask, causal):
    width, rows, past = H * D, 2, 4
    inputs = {
        "x": real(B, rows, 16), "w": real(16, 3 * width, scale=0.3), "b": real(3 * width), "m": mask,
        "past": real(2, B, H, past, D),
    }  # fmt: skip
    agree("Attention", inputs, (F, F), num_heads=H, unidirectional=causal)


@pytest.mark.parametrize("opset", [11, 17])
def test_attention_with_a_past_that_is_empty(opset):
    """As the first step of a decoder has it."""
    width = H * D
    inputs = {"x": real(B, 2, 16), "w": real(16, 3 * width, scale=0.3), "b": real(3 * width), "m": None}
    agree(
        "Attention",
        inputs | {"past": real(2, B, H, 0, D)},
        (F, F),
        num_heads=H,
        unidirectional=1,
        opset=opset,
    )


@pytest.mark.parametrize("batch", [0, 1, 3])
def test_heads_of_no_sequences_and_of_some(batch):
    inputs = {"q": real(batch, S, WIDTH), "k": real(batch, KEYS, WIDTH), "v": real(batch, KEYS, WIDTH)}
    agree("MultiHeadAttention", inputs, num_heads=H)


def test_attention_with_values_of_another_width_a_bias_a_scale_and_a_filter():
    sizes = [24, 24, 12]
    inputs = {
        "x": real(B, S, 16), "w": real(16, sum(sizes), scale=0.3), "b": real(sum(sizes)), "m": ints(PADDED), "past": None,
        "bias": real(1, H, S, S),
    }  # fmt: skip
    agree("Attention", inputs, num_heads=H, qkv_hidden_sizes=sizes, scale=0.5, mask_filter_value=-3.0)


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize("causal", [0, 1])
def test_attention_of_codes(kind, by_column, causal):
    width = H * D
    scales = (3 * width,) if by_column else ()
    inputs = {
        "x": np.asarray(RANDOM.integers(0, 256, (B, S, 16)), np.uint8),
        "w": np.asarray(RANDOM.integers(-60 if kind is np.int8 else 0, 61, (16, 3 * width)), kind),
        "b": real(3 * width), "xs": np.array(0.02, F), "ws": np.full(scales, 0.004, F), "m": ints(PADDED),
        "xz": np.array(120, np.uint8), "wz": np.full(scales, 3, kind),
    }  # fmt: skip
    agree("QAttention", inputs, num_heads=H, unidirectional=causal, fed=["x", "m"])


# ─── MultiHeadAttention ────────────────────────────────────────────────────────────────────────────────────────────

WIDTH, KEYS = H * D, 7


def separate(**more):
    return {"q": real(B, S, WIDTH), "k": real(B, KEYS, WIDTH), "v": real(B, KEYS, WIDTH), "b": None} | more


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("mask", [None, "ends", "raw", "of_each_query"])
@pytest.mark.parametrize("extra", [False, True])
def test_heads_with_masks_and_biases(bias, mask, extra):
    masks = {"ends": [3, 7], "raw": [[1, 1, 1, 1, 0, 0, 0], [1] * 7]}
    masks["of_each_query"] = RANDOM.integers(0, 2, (B, S, KEYS)) | ([1] + [0] * 6)
    inputs = separate(
        b=real(3 * WIDTH) if bias else None,
        m=None if mask is None else ints(masks[mask]),
        a=real(B, H, S, KEYS) if extra else None,
    )
    agree("MultiHeadAttention", inputs, num_heads=H)


@pytest.mark.parametrize("extra", [(1, 1), (B, 1), (1, H)])
def test_heads_with_a_bias_that_broadcasts(extra):
    agree("MultiHeadAttention", separate(m=None, a=real(*extra, S, KEYS)), num_heads=H, scale=0.4)


def test_heads_with_values_of_another_width():
    agree(
        "MultiHeadAttention",
        separate() | {"v": real(B, KEYS, 2 * H), "b": real(2 * WIDTH + 2 * H)},
        num_heads=H,
    )


@pytest.mark.parametrize("causal", [0, 1])
def test_heads_with_a_past_and_a_present(causal):
    inputs = {
        "q": real(B, 2, WIDTH), "k": real(B, 2, WIDTH), "v": real(B, 2, WIDTH), "b": real(3 * WIDTH), "m": None, "a": None,
        "pk": real(B, H, 4, D), "pv": real(B, H, 4, D),
    }  # fmt: skip
    agree("MultiHeadAttention", inputs, (F, F, F), num_heads=H, unidirectional=causal)


def test_heads_that_come_packed_or_apart():
    agree(
        "MultiHeadAttention",
        {"q": real(B, S, WIDTH), "k": real(B, H, KEYS, D), "v": real(B, H, KEYS, D)},
        num_heads=H,
    )
    packed = real(B, S, H, 3, D)
    parts = {
        name: np.ascontiguousarray(packed[:, :, :, at].reshape(B, S, WIDTH)) for at, name in enumerate("qkv")
    }
    (expected,) = by_onnxruntime(contrib_node("MultiHeadAttention", parts, num_heads=H), parts)
    (got,) = by_ingot(contrib_node("MultiHeadAttention", {"q": packed}, num_heads=H), {"q": packed})
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)
    apart = {"q": parts["q"], "kv": np.ascontiguousarray(packed[:, :, :, 1:])}
    (got,) = by_ingot(contrib_node("MultiHeadAttention", apart, num_heads=H), apart)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


# ─── rotary embeddings ─────────────────────────────────────────────────────────────────────────────────────────────


def caches(size, places=16):
    angles = np.arange(places)[:, None] * 0.3 ** np.arange(size)
    return {"cos": np.asarray(np.cos(angles), F), "sin": np.asarray(np.sin(angles), F)}


@pytest.mark.parametrize("opset", [11, 21])
@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("places", [[3], [[0, 1, 2, 3, 4], [7, 9, 1, 0, 2]]])
@pytest.mark.parametrize("shape", [(B, S, WIDTH), (B, H, S, D)])
@pytest.mark.parametrize("part", [False, True])
def test_tokens_are_turned_by_their_places(shape, places, interleaved, part, opset):
    inputs = {"x": real(*shape), "p": np.array(places, np.int64), **caches(D // 4 if part else D // 2)}
    attributes = {"num_heads": H, "rotary_embedding_dim": D // 2} if part else {}
    agree("RotaryEmbedding", inputs, interleaved=interleaved, opset=opset, **attributes)


# ─── GroupQueryAttention ───────────────────────────────────────────────────────────────────────────────────────────

HEADS, GROUPS, SIZE = 4, 2, 16


def grouped(batch, rows, past, total, lengths=None, packed=False, **more):
    lengths = [total - 1] * batch if lengths is None else lengths
    width, shared = HEADS * SIZE, GROUPS * SIZE
    inputs = {
        "q": real(batch, rows, width + 2 * shared if packed else width),
        "k": None if packed else real(batch, rows, shared), "v": None if packed else real(batch, rows, shared),
        "pk": real(batch, GROUPS, past, SIZE) if past else None, "pv": real(batch, GROUPS, past, SIZE) if past else None,
        "lengths": ints(lengths), "total": ints(total), "cos": None, "sin": None, "places": None, "bias": None, "sink": None,
    }  # fmt: skip
    return inputs | more


def agree_grouped(inputs, outputs=(F, F, F), **attributes):
    """With everything but the lengths of the cache known only while running, and with these known, too."""
    fed = [name for name in inputs if name not in ("total", "cos", "sin", "sink")]
    for known in ((), ("lengths",)):
        agree(
            "GroupQueryAttention", inputs, outputs, fed=[one for one in fed if one not in known],
            num_heads=HEADS, kv_num_heads=GROUPS, **attributes,
        )  # fmt: skip


@pytest.mark.parametrize("rotary", [{}, {"do_rotary": 1}, {"do_rotary": 1, "rotary_interleaved": 1}])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("batch", "rows", "past"), [(2, 5, 0), (1, 1, 6), (1, 3, 6), (2, 1, 6)])
def test_grouped_heads_with_a_cache_that_grows(batch, rows, past, packed, rotary):
    inputs = grouped(batch, rows, past, past + rows, packed=packed, **(caches(SIZE // 2) if rotary else {}))
    agree_grouped(inputs, **rotary)


@pytest.mark.parametrize(
    "attributes",
    [
        {"scale": 0.3},
        {"softcap": 2.0},
        {"local_window_size": 3},
        {"smooth_softmax": 1},
        {"scale": 0.3, "softcap": 1.5},
    ],
)
@pytest.mark.parametrize(("rows", "past"), [(5, 0), (1, 6)])
def test_grouped_heads_with_windows_caps_and_sinks(rows, past, attributes):
    agree_grouped(grouped(1, rows, past, past + rows), **attributes)


@pytest.mark.parametrize(("rows", "past"), [(5, 0), (1, 6), (3, 4)])
def test_grouped_heads_with_a_bias_and_a_sink_of_each(rows, past):
    agree_grouped(grouped(1, rows, past, past + rows, bias=real(1, HEADS, rows, past + rows)))
    agree_grouped(grouped(1, rows, past, past + rows, bias=real(1, 1, rows, past + rows)), softcap=2.0)
    agree_grouped(grouped(1, rows, past, past + rows, sink=real(HEADS)))


@pytest.mark.parametrize("opset", [11, 17])
@pytest.mark.parametrize("rotary", [0, 1])
@pytest.mark.parametrize("lengths", [[6, 6], [3, 6]])
def test_one_token_for_caches_that_are_filled_differently(lengths, rotary, opset):
    """What lies behind the keys of a sequence is nobody's business."""
    inputs = grouped(2, 1, 6, 7, lengths, **(caches(SIZE // 2) if rotary else {}))
    node = contrib_node(
        "GroupQueryAttention", inputs, (F, F, F), fed=[one for one in inputs if one not in ("total", "cos", "sin")],
        num_heads=HEADS, kv_num_heads=GROUPS, do_rotary=rotary, opset=opset,
    )  # fmt: skip
    feeds = {name: inputs[name] for name in ("q", "k", "v", "pk", "pv", "lengths")}
    (y, key, value), (y1, key1, value1) = by_onnxruntime(node, feeds), by_ingot(node, feeds)
    np.testing.assert_allclose(y1, y, rtol=1e-4, atol=1e-5)
    for row, last in enumerate(lengths):
        np.testing.assert_allclose(key1[row, :, : last + 1], key[row, :, : last + 1], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(
            value1[row, :, : last + 1], value[row, :, : last + 1], rtol=1e-4, atol=1e-5
        )


@pytest.mark.parametrize(("rows", "filled"), [(1, 0), (1, 4), (3, 2), (1, 9)])
@pytest.mark.parametrize("window", [-1, 3])
def test_a_buffer_that_is_filled_step_by_step(rows, filled, window):
    """The present has the past's place, and how far it is filled is only known while running."""
    room, total = 10, filled + rows
    inputs = grouped(1, rows, room, total, **caches(SIZE // 2))
    attributes = {"num_heads": HEADS, "kv_num_heads": GROUPS, "do_rotary": 1, "local_window_size": window}
    fed = [one for one in inputs if one not in ("cos", "sin")]
    node = contrib_node("GroupQueryAttention", inputs, (F, F, F), fed=fed, **attributes)
    feeds = {name: inputs[name] for name in ("q", "k", "v", "pk", "pv", "lengths", "total")}
    expected = by_onnxruntime(node, feeds)
    for number in (1, 2):
        for extent in (1, GROUPS, room, SIZE):
            node.graph.output[number].type.tensor_type.shape.dim.add().dim_value = extent
    y, key, value = by_ingot(node, feeds)
    np.testing.assert_allclose(y, expected[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(key[:, :, :total], expected[1][:, :, :total], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(value[:, :, :total], expected[2][:, :, :total], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("rows", "filled"), [(1, 4), (3, 2), (4, 0)])
@pytest.mark.parametrize("known", [True, False])
def test_a_bias_is_as_wide_as_the_buffer_is_filled(rows, filled, known):
    room, total = 10, filled + rows
    inputs = grouped(1, rows, room, total, bias=real(1, HEADS, rows, total))
    fed = [one for one in inputs if inputs[one] is not None and (one != "total" or not known)]
    node = contrib_node(
        "GroupQueryAttention", inputs, (F, F, F), fed=fed, num_heads=HEADS, kv_num_heads=GROUPS
    )
    feeds = {name: inputs[name] for name in fed}
    expected = by_onnxruntime(node, feeds)
    for number in (1, 2):
        for extent in (1, GROUPS, room, SIZE):
            node.graph.output[number].type.tensor_type.shape.dim.add().dim_value = extent
    np.testing.assert_allclose(by_ingot(node, feeds)[0], expected[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("past", "width"), [(6, 8), (6, 6), (10, 6)])
def test_a_bias_of_another_width_than_the_keys_is_refused(past, width):
    inputs = grouped(1, 1, past, 7, bias=real(1, 1, 1, width))
    fed = [one for one in inputs if one != "total"]
    node = contrib_node(
        "GroupQueryAttention", inputs, (F, F, F), fed=fed, num_heads=HEADS, kv_num_heads=GROUPS
    )
    with pytest.raises(
        UnsupportedError, match=f"attention_bias of the shape .*{width}. for {max(past, 7)} keys"
    ):
        ingot.build(node, "interp")


def test_a_cache_whose_length_depends_on_data_is_refused():
    inputs = grouped(1, 1, 6, 7)
    node = contrib_node("GroupQueryAttention", inputs, (F, F, F), num_heads=HEADS, kv_num_heads=GROUPS)
    with pytest.raises(
        UnsupportedError, match=r"total_sequence_length \(input 6\), which is only known while running"
    ):
        ingot.build(node, "interp")
    feeds = {name: inputs[name] for name in ("q", "k", "v", "pk", "pv", "lengths")}
    got = by_ingot(node, feeds, constants={"total": inputs["total"]})
    expected = by_onnxruntime(node, {**feeds, "total": inputs["total"]})
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-4, atol=1e-5)


def test_norms_of_queries_and_keys_come_before_they_are_turned():
    """onnxruntime has them for GPUs only: it gets what was normalised."""
    plain = grouped(1, 1, 6, 7, **caches(SIZE // 2))
    weights = {"qn": np.abs(real(SIZE)), "kn": np.abs(real(SIZE))}
    options = {"num_heads": HEADS, "kv_num_heads": GROUPS, "do_rotary": 1}
    known = ("total", "cos", "sin", *weights)

    def normalised(x, scale):
        heads = x.reshape(1, 1, -1, SIZE)
        return (heads / np.sqrt((heads**2).mean(-1, keepdims=True) + F(1e-3)) * scale).reshape(x.shape)

    done = plain | {"q": normalised(plain["q"], weights["qn"]), "k": normalised(plain["k"], weights["kn"])}
    fed = ("q", "k", "v", "pk", "pv", "lengths")
    node = contrib_node("GroupQueryAttention", done, (F, F, F), fed=fed, **options)
    expected = by_onnxruntime(node, {name: done[name] for name in fed})
    inputs = plain | {"ks": None, "vs": None} | weights
    fed = [one for one in inputs if one not in known]
    node = contrib_node("GroupQueryAttention", inputs, (F, F, F), fed=fed, qk_norm_epsilon=1e-3, **options)
    got = by_ingot(node, {name: inputs[name] for name in fed if inputs[name] is not None})
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
