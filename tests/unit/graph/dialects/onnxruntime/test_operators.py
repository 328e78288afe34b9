"""Operators that onnxruntime's optimiser and dynamic quantiser write: against its own kernels where it has them for a CPU,
`NhwcConv` against its `Conv`, and the rest (those of diffusion models before all) against their definitions in NumPy.
"""

from __future__ import annotations

import math

import numpy as np
import onnx
import pytest

import ingot
from ingot.base.errors import ModelError, UnsupportedError
from tests.support.contrib import agree, by_ingot, by_onnxruntime, contrib_node
from tests.support.models import model

RANDOM = np.random.default_rng(0)
OPSETS = [11, 17, 21]


def real(*shape, scale=1.0, dtype=np.float32):
    return np.asarray(RANDOM.standard_normal(shape) * scale, dtype)


# ─── GELUs ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize(
    ("op", "bias", "attributes"),
    [
        ("Gelu", False, {}),
        ("BiasGelu", True, {}),
        ("FastGelu", False, {}),
        ("FastGelu", True, {}),
        ("QuickGelu", False, {}),
        ("QuickGelu", False, {"alpha": 0.7}),
    ],
)
def test_gelus(op, bias, attributes, opset):
    inputs = {"x": real(2, 3, 8, scale=3)} | ({"b": real(8)} if bias else {})
    agree(op, inputs, opset=opset, **attributes)


# ─── normalisations and embeddings ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("skip", [(2, 3, 8), (1, 3, 8), (3, 8)])
@pytest.mark.parametrize("more", [(), ("beta",), ("beta", "bias")])
def test_skip_layer_norm_and_the_sum_it_gives(skip, more, opset):
    inputs = {"x": real(2, 3, 8), "s": real(*skip), "gamma": real(8), "beta": None, "bias": None}
    inputs |= {name: real(8) for name in more}
    agree("SkipLayerNormalization", inputs, (np.float32, None, None, np.float32), opset=opset, epsilon=0.01)
    agree("SkipLayerNormalization", inputs, opset=opset)


@pytest.mark.parametrize("opset", [11, 23])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(2, 3, 8), (5, 8)])
def test_skip_rms_norm_and_the_sum_it_gives(shape, bias, opset):
    inputs = {"x": real(*shape), "s": real(*shape), "gamma": real(8), "b": real(8) if bias else None}
    agree(
        "SkipSimplifiedLayerNormalization",
        inputs,
        (np.float32, None, None, np.float32),
        opset=opset,
        epsilon=0.01,
    )


@pytest.mark.parametrize("opset", [11, 17])
@pytest.mark.parametrize("axis", [-1, 1])
def test_norms_of_the_ai_onnx_domain_at_opsets_that_lack_them(axis, opset):
    x, tail = real(2, 3, 8), (8,) if axis == -1 else (3, 8)
    agree(
        "SimplifiedLayerNormalization",
        {"x": x, "s": real(*tail)},
        opset=opset,
        domain="",
        axis=axis,
        epsilon=0.01,
    )
    agree(
        "LayerNormalization", {"x": x, "s": real(*tail), "b": real(*tail)}, opset=opset, domain="", axis=axis
    )


def test_a_norm_of_the_ai_onnx_domain_at_an_opset_that_lacks_it_has_the_type_of_its_scale():
    inputs = {"x": real(2, 3, 8).astype(np.float16), "s": real(8)}
    assert (
        by_ingot(contrib_node("LayerNormalization", inputs, opset=12, domain=""), inputs)[0].dtype
        == np.float32
    )
    agree("LayerNormalization", inputs, opset=12, domain="")


def test_rms_norm_under_its_name_in_the_other_domain_is_that_of_ai_onnx():
    x, scale = real(2, 3, 8), real(8)
    (got,) = by_ingot(
        contrib_node("SimplifiedLayerNormalization", {"x": x, "s": scale}, epsilon=0.01), {"x": x, "s": scale}
    )
    np.testing.assert_allclose(
        got, x / np.sqrt((x * x).mean(-1, keepdims=True) + 0.01) * scale, rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize("opset", [11, 17])
@pytest.mark.parametrize("segments", [False, True])
@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("positions", [None, 1, 2])
def test_embeddings_of_words_positions_and_segments(positions, mask, segments, opset):
    inputs = {
        "words": RANDOM.integers(0, 9, (2, 5)).astype(np.int32),
        "segments": RANDOM.integers(0, 2, (2, 5)).astype(np.int32) if segments else None,
        "word_table": real(9, 8),
        "position_table": real(7, 8),
        "segment_table": real(2, 8) if segments else None,
        "gamma": real(8),
        "beta": real(8),
        "mask": np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32) if mask else None,
        "positions": None if positions is None else RANDOM.integers(0, 7, (positions, 5)).astype(np.int32),
    }
    agree("EmbedLayerNormalization", inputs, (np.float32, np.int32, np.float32), opset=opset, epsilon=1e-5)


# ─── products and convolutions ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("trans", [(0, 0), (1, 0), (0, 1), (1, 1)])
@pytest.mark.parametrize("batch", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_fused_products(trans, batch):
    m, k, n, b = 3, 5, 4, (2, 6)
    a = (*b, k, m) if trans[0] else (*b, m, k)
    c = (*b, n, k) if trans[1] else (*b, k, n)
    a, c = (
        (*shape[1:-1], shape[0], shape[-1]) if moved else shape
        for shape, moved in ((a, batch[0]), (c, batch[1]))
    )

    def back(
        shape,
    ):  # the shape that gives the wanted one when its first dimension goes behind the others of the batch
        return (shape[-2], *shape[:-2], shape[-1])

    a = back((*b, *([k, m] if trans[0] else [m, k]))) if batch[0] else a
    c = back((*b, *([n, k] if trans[1] else [k, n]))) if batch[1] else c
    attributes = {"transA": trans[0], "transB": trans[1], "transBatchA": batch[0], "transBatchB": batch[1]}
    agree("FusedMatMul", {"a": real(*a), "b": real(*c)}, alpha=0.5, **attributes)


def test_fused_products_of_vectors():
    agree("FusedMatMul", {"a": real(5), "b": real(5, 4)}, transA=1)
    agree("FusedMatMul", {"a": real(4, 5), "b": real(5)}, transB=1)


@pytest.mark.parametrize(
    ("activation", "numbers"),
    [("Relu", {}), ("Tanh", {}), ("Sigmoid", {}), ("LeakyRelu", {"activation_alpha": 0.2}),
     ("HardSigmoid", {"activation_alpha": 0.3, "activation_beta": 0.4})],
)  # fmt: skip
def test_fused_gemm(activation, numbers):
    agree(
        "FusedGemm", {"a": real(5, 3), "b": real(4, 5), "c": real(4)},
        transA=1, transB=1, alpha=0.5, beta=2.0, activation=activation, **numbers,
    )  # fmt: skip


@pytest.mark.parametrize("more", [(), ("b",), ("b", "z")])
@pytest.mark.parametrize(
    ("activation", "numbers"),
    [
        ("Relu", None),
        ("Tanh", None),
        ("Sigmoid", None),
        ("LeakyRelu", [0.2]),
        ("Clip", [-0.5, 0.5]),
        ("HardSigmoid", [0.3, 0.4]),
    ],
)
def test_fused_convolutions(activation, numbers, more):
    inputs = {"x": real(1, 4, 6, 6), "w": real(8, 2, 3, 3), "b": None, "z": None}
    inputs |= {"b": real(8)} if "b" in more else {}
    inputs |= {"z": real(1, 8, 3, 3)} if "z" in more else {}
    attributes = {} if numbers is None else {"activation_params": numbers}
    agree(
        "FusedConv", inputs, activation=activation, group=2, pads=[1, 1, 1, 1], strides=[2, 2], **attributes
    )


def test_convolutions_with_channels_last():
    """The weights, too: onnxruntime has this operator for GPUs only."""
    x, w, b = real(2, 5, 6, 4), real(8, 3, 3, 2), real(8)
    feeds = {"x": x, "w": w, "b": b}
    node = contrib_node("NhwcConv", feeds, group=2, pads=[1, 1, 1, 1])
    plain = {"x": x.transpose(0, 3, 1, 2), "w": w.transpose(0, 3, 1, 2), "b": b}
    (expected,) = by_onnxruntime(contrib_node("Conv", plain, domain="", group=2, pads=[1, 1, 1, 1]), plain)
    np.testing.assert_allclose(by_ingot(node, feeds)[0], expected.transpose(0, 2, 3, 1), rtol=1e-4, atol=1e-5)


def test_a_sum_of_three():
    """onnxruntime has this operator for GPUs only."""
    feeds = {"x": real(2, 3, 8), "b": real(8), "s": real(2, 3, 8)}
    (got,) = by_ingot(contrib_node("BiasAdd", feeds), feeds)
    np.testing.assert_allclose(got, feeds["x"] + feeds["b"] + feeds["s"], rtol=1e-5, atol=1e-6)


def weights(dtype, *shape):
    """Codes of weights so small that onnxruntime's sums of pairs, which saturate on some processors, are right."""
    return np.asarray(RANDOM.integers(-63 if dtype is np.int8 else 0, 64, shape), dtype)


def codes(dtype, *shape):
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min, limits.max + 1, shape).astype(dtype)


# ─── what the optimiser makes of diffusion models; onnxruntime itself has no kernels of these for a CPU ────────────


def normed_groups(x, gamma, beta, groups, activation, last):
    """In float64, of images with channels last or first."""
    x = np.moveaxis(x, -1, 1) if last else x
    flat = x.reshape(len(x), groups, -1).astype(np.float64)
    normed = (flat - flat.mean(-1, keepdims=True)) / np.sqrt(flat.var(-1, keepdims=True) + 1e-5)
    y = normed.reshape(x.shape) * gamma[:, None, None] + beta[:, None, None]
    y = y / (1 + np.exp(-y)) if activation else y
    return np.moveaxis(y, 1, -1) if last else y


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("last", [1, 0])
@pytest.mark.parametrize(("groups", "activation"), [(1, 0), (3, 1), (6, 1)])
def test_group_norm(groups, activation, last, opset):
    shape = (2, 4, 5, 6) if last else (2, 6, 4, 5)
    inputs = {"x": real(*shape, scale=2) + 1, "gamma": real(6), "beta": real(6)}
    attributes = {"groups": groups, "activation": activation} | ({} if last else {"channels_last": 0})
    (y,) = by_ingot(contrib_node("GroupNorm", inputs, opset=opset, **attributes), inputs)
    np.testing.assert_allclose(
        y, normed_groups(*inputs.values(), groups, activation, last), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize("last", [1, 0])
@pytest.mark.parametrize("skip", ["image", "pixel", "row"])
@pytest.mark.parametrize("bias", [True, False])
def test_skip_group_norm_and_the_sum_it_gives(bias, skip, last):
    def image(*places):
        return (2, *places, 6) if last else (2, 6, *places)

    inputs = {"x": real(*image(4, 5)), "gamma": real(6), "beta": real(6)}
    inputs["skip"] = real(*{"image": image(4, 5), "pixel": image(1, 1), "row": (2, 6)}[skip])
    inputs |= {"bias": real(6)} if bias else {}
    node = contrib_node(
        "SkipGroupNorm", inputs, (np.float32, np.float32), groups=2, activation=1, channels_last=last
    )
    y, whole = by_ingot(node, inputs)
    skipped = inputs["skip"].reshape(image(1, 1)) if skip == "row" else inputs["skip"]
    added = inputs["bias"].reshape(6, *(() if last else (1, 1))) if bias else 0
    expected = inputs["x"] + skipped + added
    np.testing.assert_allclose(whole, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        y, normed_groups(expected, inputs["gamma"], inputs["beta"], 2, 1, last), rtol=1e-4, atol=1e-5
    )


def test_one_half_times_the_gelu_of_the_other():
    inputs = {"x": real(2, 3, 16), "b": real(16)}
    (y,) = by_ingot(contrib_node("BiasSplitGelu", inputs), inputs)
    whole = (inputs["x"] + inputs["b"]).astype(np.float64)
    right = whole[..., 8:]
    curve = np.vectorize(math.erf)(right / math.sqrt(2))
    np.testing.assert_allclose(y, whole[..., :8] * right * (1 + curve) / 2, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kinds", [(np.uint8, np.int8), (np.uint8, np.uint8), (np.int8, np.int8)])
@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize("zeros", [(), ("az",), ("bz",), ("az", "bz")])
def test_products_of_codes_to_real_numbers(kinds, by_column, zeros):
    columns = (5,) if by_column else ()
    inputs = {
        "a": codes(kinds[0], 2, 3, 16), "b": weights(kinds[1], 16, 5), "as": np.array(0.02, np.float32),
        "bs": np.asarray(np.abs(real(*columns, scale=0.01)) + 0.001, np.float32),
        "az": np.array(7, kinds[0]) if "az" in zeros else None,
        "bz": np.asarray(RANDOM.integers(1, 9, columns), kinds[1]) if "bz" in zeros else None, "bias": real(5),
    }  # fmt: skip
    agree("MatMulIntegerToFloat", inputs)
    agree("MatMulIntegerToFloat", inputs, fed=["a", "as", "az"])


def test_sums_of_codes_beyond_half_floats_have_products_with_the_scales_that_are_none():
    half = np.float16
    inputs = {
        "a": np.full((1, 16), 100, np.uint8), "b": np.full((16, 2), 100, np.int8), "as": np.array(0.01, half),
        "bs": np.array([0.01, 0.02], half), "az": None, "bz": None, "bias": np.array([1, 2], half),
    }  # fmt: skip
    (y,) = by_ingot(
        contrib_node("MatMulIntegerToFloat", inputs, (half,), fed=["a"]), {"a": inputs["a"]}, "interp"
    )
    assert y.dtype == half
    np.testing.assert_allclose(y, [[17, 34]], rtol=2e-3)


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize("more", [(), ("bz",), ("bz", "bias")])
def test_products_that_quantise_their_operand(kind, by_column, more):
    columns = (5,) if by_column else ()
    inputs = {
        "a": real(2, 3, 16), "b": weights(kind, 16, 5), "bs": np.full(columns, 0.01, np.float32),
        "bz": np.asarray(RANDOM.integers(1, 9, columns), kind) if "bz" in more else None,
        "bias": real(5) if "bias" in more else None,
    }  # fmt: skip
    agree("DynamicQuantizeMatMul", inputs, fed=["a"])


# ─── codes ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("opset", [11, 17, 21])
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint16])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_codes_of_8_and_16_bits_and_back(kind, axis, opset):
    shape = () if axis is None else ((3,) if axis == 0 else (7,))
    scale = np.asarray(np.abs(real(*shape)) * 0.01 + 0.01, np.float32)
    zero = np.asarray(RANDOM.integers(0, 99, shape), kind)
    attributes = {} if axis is None else {"axis": axis}
    agree("DequantizeLinear", {"x": codes(kind, 3, 7), "s": scale, "z": zero}, opset=opset, **attributes)
    x = np.concatenate([real(3, 5), [[9e9, -9e9]] * 3], axis=1).astype(np.float32)
    agree(
        "QuantizeLinear", {"x": x, "s": scale, "z": zero}, (kind,), opset=opset, atol=0, rtol=0, **attributes
    )


def test_codes_without_a_zero_point():
    scale = np.array(0.05, np.float32)
    agree("QuantizeLinear", {"x": real(3, 7), "s": scale}, (np.uint8,), atol=0)
    agree("DequantizeLinear", {"x": codes(np.int32, 3, 7), "s": scale})


def test_a_function_of_the_model_with_such_a_name_is_what_the_model_says():
    proto = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["": 17, "com.microsoft": 1]>
        g (float[3] x) => (float[3] y) { y = com.microsoft.Gelu(x) }
        <domain: "com.microsoft", opset_import: ["": 17]> Gelu (v) => (w) { w = Neg(v) }"""
    )
    x = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(ingot.build(proto, "interp").load()["g"]().predict(x=x), -x)


def test_shapes_follow_through_operators_that_onnx_does_not_know():
    """Behind two of them a Shape becomes a constant, and a third can be rewritten."""
    proto = model(
        """g (float[2,3,8] x, float[8] s) => (float[6,8] y) <float[8] t = {1,1,1,1,1,1,1,1}, int64[2] to = {-1, 8}> {
            a = com.microsoft.SkipLayerNormalization(x, x, s)
            n = Shape(a)
            z = ConstantOfShape(n)
            b = com.microsoft.SkipLayerNormalization(a, z, t)
            c = Reshape(b, to)
            y = com.microsoft.Gelu(c)
        }""",
        imports=', "com.microsoft": 1',
    )
    feeds = {"x": real(2, 3, 8), "s": real(8)}
    np.testing.assert_allclose(
        by_ingot(proto, feeds)[0], by_onnxruntime(proto, feeds)[0], rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "why"),
    [
        ("FusedGemm", {"a": real(2, 3), "b": real(3, 4)}, {"activation": "Softplus"}, "activation='Softplus'"),
        ("RotaryEmbedding", {"x": real(1, 2, 8), "p": np.zeros((1, 2), np.int64), "c": real(4, 4), "s": real(4, 4)},
         {"is_packed_batching": 1}, "is_packed_batching=1"),
        ("BiasAdd", {"x": real(2, 3, 8), "b": real(8)}, {}, r"input 2 \(skip\) is missing"),
    ],
)  # fmt: skip
def test_what_is_not_handled_is_refused_with_the_reason(op, inputs, attributes, why):
    with pytest.raises(UnsupportedError, match=why):
        ingot.build(contrib_node(op, inputs, **attributes), "interp")


SMALL = {"x": real(2, 3, 8), "w": real(8, 24), "b": real(24)}


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "error", "why"),
    [
        ("QuickGelu", {"x": real(3)}, {"alpha": "a"}, ModelError, "its attribute 'alpha' is STRING, expected FLOAT"),
        ("Attention", SMALL, {"num_heads": 1.5}, ModelError, "its attribute 'num_heads' is FLOAT, expected INT"),
        ("Attention", SMALL, {"num_heads": 2, "qkv_hidden_sizes": [8, 8]}, UnsupportedError, "3 numbers that sum up to 24"),
        ("Attention", SMALL | {"x": real(3, 8)}, {"num_heads": 2}, UnsupportedError, r"\[3, 24\], expected 3 dimensions"),
        ("Attention", SMALL | {"x": real(2, 3, 7)}, {"num_heads": 2}, UnsupportedError, "Incompatible dimensions"),
        ("Attention", SMALL | {"m": None, "past": real(2, 2, 2, 4)}, {"num_heads": 2}, UnsupportedError, "expected 5 dimensions"),
        ("MultiHeadAttention", {"q": real(3, 8), "k": real(3, 8), "v": real(3, 8)}, {"num_heads": 2}, UnsupportedError,
         "'q' has the shape .* expected 3 dimensions"),
        ("RotaryEmbedding", {"x": real(1, 2, 8), "p": np.zeros((1, 2), np.int64), "c": real(4, 4), "s": real(4, 4)},
         {"num_heads": 9}, UnsupportedError, "8 hidden elements do not divide into heads of 0"),
        ("GroupQueryAttention", {"q": real(1, 1, 8)}, {}, UnsupportedError, "num_heads=0, kv_num_heads=0: expected"),
        ("SimplifiedLayerNormalization", {"x": real(2, 3), "s": real(3)}, {"axis": 9}, UnsupportedError, "axis=9 is outside"),
        ("SimplifiedLayerNormalization", {"x": real(), "s": real()}, {"domain": ""}, UnsupportedError, "a tensor of rank 0"),
        ("QuantizeLinear", {"x": real(2, 3), "s": real(3), "z": np.zeros(3, np.int16)}, {"axis": 7},
         UnsupportedError, "axis=7 is outside"),
        ("NhwcConv", {"x": real(3), "w": real(3)}, {}, UnsupportedError, "expected 3 or 4 or 5 dimensions"),
        ("Gelu", {"x": np.zeros(3, np.int32)}, {}, UnsupportedError, r"input 0 is int32\[3\], expected floats"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_in_a_sentence(op, inputs, attributes, error, why):
    with pytest.raises(error, match=why):
        ingot.build(contrib_node(op, inputs, **attributes), "interp")


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "why"),
    [
        ("FusedGemm", {"a": real(2, 3), "b": real(3, 4)}, {"activation": "Relu"}, "needs Gemm with 2 inputs"),
        ("FusedConv", {"x": real(1, 3, 4, 4), "w": real(2, 3, 1, 1)}, {"activation": "Clip", "activation_params": [-0.1, 0.1]},
         "needs Clip with 3 inputs, which opset 10 of ai.onnx does not have"),
        ("QuantizeLinear", {"x": real(3, 4), "s": np.float32(0.1), "z": np.int16(3)}, {}, "needs Round with 1 inputs"),
    ],
)  # fmt: skip
def test_what_an_old_opset_has_no_operator_for_is_refused(op, inputs, attributes, why):
    inputs = {name: np.asarray(array) for name, array in inputs.items()}
    with pytest.raises(UnsupportedError, match=why):
        ingot.build(contrib_node(op, inputs, opset=10, **attributes), "interp")
