"""Operators of onnxruntime's quantiser compute what their definitions say."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import ingot
from ingot.base.errors import ModelError, UnsupportedError
from tests.support.models import model

RANDOM = np.random.default_rng(0)
SCALES = {"s": 0.05, "t": 0.03, "u": 0.04}
ZEROS = {"i": 7, "j": 130, "k": 100}


def network(body, opset=17, **tensors):
    """Codes `a` and `b`, scales s, t, u, zero points i, j, k: unsigned."""
    proto = model(body, opset=opset, imports=', "com.microsoft": 1')
    known = {name: np.float32(value) for name, value in SCALES.items()} | {
        name: np.uint8(value) for name, value in ZEROS.items()
    }
    for name, array in (known | tensors).items():
        proto.graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
    return proto


def answer(proto, **inputs):
    y, other = (
        ingot.build(proto, target, cache=None).load()["g"]().predict(**inputs)
        for target in ("interp", "llvmjit")
    )
    if y.dtype == np.float32:
        np.testing.assert_allclose(y, other, rtol=1e-4, atol=1e-5)
    else:
        assert np.array_equal(y, other)
    return y


def real(codes, scale, zero=None):
    return np.float32(SCALES[scale]) * (
        codes.astype(np.float32) - np.float32(0 if zero is None else ZEROS[zero])
    )


def coded(values, scale, zero=None):
    return np.clip(
        np.rint(values / np.float32(SCALES[scale])) + (0 if zero is None else ZEROS[zero]), 0, 255
    ).astype(np.uint8)


def codes(*shape):
    return RANDOM.integers(0, 256, shape).astype(np.uint8)


def close(got, expected):
    """The same codes, but for what lies between two of them."""
    assert got.dtype == expected.dtype
    off = np.abs(got.astype(int) - expected.astype(int))
    assert off.max() <= 1
    assert (off > 0).mean() < 0.02


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def mean_of_squares(x):
    return x.reshape(*x.shape[:2], x.shape[2] // 2, 2, x.shape[3] // 2, 2).mean((3, 5))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize(("op", "function"), [("QLinearAdd", np.add), ("QLinearMul", np.multiply)])
@pytest.mark.parametrize("zeros", ["ijk", "   "])
def test_sums_and_products_of_codes_with_and_without_zero_points(op, function, zeros):
    i, j, k = (zero.strip() for zero in zeros)
    node = f"com.microsoft.{op}(a, s, {i}, b, t, {j}, u, {k})"
    proto = network(f"g (uint8[2,3,4] a, uint8[3,1] b) => (uint8[2,3,4] y) {{ y = {node} }}")
    a, b = codes(2, 3, 4), codes(3, 1)
    close(
        answer(proto, a=a, b=b),
        coded(function(real(a, "s", i or None), real(b, "t", j or None)), "u", k or None),
    )


@pytest.mark.parametrize(
    ("node", "function"),
    [
        ("QLinearSigmoid", sigmoid),
        ("QLinearLeakyRelu<alpha = 0.25>", lambda x: np.where(x < 0, x * np.float32(0.25), x)),
        ("QLinearLeakyRelu", lambda x: np.where(x < 0, x * np.float32(0.01), x)),
        ("QLinearGlobalAveragePool", lambda x: x.mean((2, 3), keepdims=True)),
        ("QLinearAveragePool<kernel_shape = [2, 2], strides = [2, 2]>", mean_of_squares),
        ("QLinearSoftmax<axis = -1, opset = 17>", softmax),
        ("QLinearSoftmax<axis = 3, opset = 9>", softmax),  # by either definition
    ],
)
def test_functions_of_codes(node, function):
    x = codes(2, 3, 4, 6)
    expected = coded(function(real(x, "s", "j")), "t", "i")
    shape = ",".join(map(str, expected.shape))
    proto = network(
        f"g (uint8[2,3,4,6] a) => (uint8[{shape}] y) {{ y = com.microsoft.{node}(a, s, j, t, i) }}"
    )
    close(answer(proto, a=x), expected)


def test_tensors_of_several_scales_are_joined():
    a, b = codes(2, 3), codes(2, 4)
    proto = network(
        "g (uint8[2,3] a, uint8[2,4] b) => (uint8[2,7] y) { y = com.microsoft.QLinearConcat<axis = 1>(u, k, a, s, i, b, t, j) }"
    )
    close(
        answer(proto, a=a, b=b),
        coded(np.concatenate([real(a, "s", "i"), real(b, "t", "j")], axis=1), "u", "k"),
    )


def test_a_choice_between_codes_of_several_scales():
    a, b, c = codes(2, 3), codes(3), np.array([[True], [False]])
    proto = network(
        """g (bool[2,1] c, uint8[2,3] a, uint8[3] b) => (uint8[2,3] y)
        { y = com.microsoft.QLinearWhere(c, a, s, i, b, t, j, u, k) }"""
    )
    close(answer(proto, a=a, b=b, c=c), coded(np.where(c, real(a, "s", "i"), real(b, "t", "j")), "u", "k"))


@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
def test_a_product_with_a_bias_in_whole_steps(by_column, transposed):
    a, weights = codes(4, 16), RANDOM.integers(-127, 128, (16, 5)).astype(np.int8)
    bias = RANDOM.integers(-900, 900, 5).astype(np.int32)
    scale = np.linspace(0.001, 0.004, 5).astype(np.float32) if by_column else np.float32(0.002)
    zero = np.zeros_like(scale, dtype=np.int8)
    proto = network(
        f"""g (uint8[4,16] a) => (uint8[4,5] y)
        {{ y = com.microsoft.QGemm<transB = {int(transposed)}>(a, s, j, w, v, z, c, u, k) }}""",
        w=weights.T.copy() if transposed else weights, v=scale, z=zero, c=bias,
    )  # fmt: skip
    whole = (a.astype(np.int32) - ZEROS["j"]) @ weights.astype(np.int32) + bias
    close(answer(proto, a=a), coded(whole * (np.float32(SCALES["s"]) * scale), "u", "k"))


def test_a_product_that_is_not_quantised_and_its_factor():
    a, weights, bias = codes(16, 4), codes(16, 5), RANDOM.integers(-900, 900, (1, 5)).astype(np.int32)
    proto = network(
        "g (uint8[16,4] a) => (float[4,5] y) { y = com.microsoft.QGemm<transA = 1, alpha = 0.5>(a, s, j, w, t, i, c) }",
        w=weights, c=bias,
    )  # fmt: skip
    whole = (a.astype(np.int32) - ZEROS["j"]).T @ (weights.astype(np.int32) - ZEROS["i"]) + bias
    np.testing.assert_allclose(
        answer(proto, a=a), 0.5 * whole * (SCALES["s"] * SCALES["t"]), rtol=1e-5, atol=1e-4
    )


def test_networks_of_them_are_computed_on_codes():
    """A convolution, a shortcut and a mean of its results: no float tensor is stored between them."""
    weights = RANDOM.integers(-127, 128, (4, 4, 3, 3)).astype(np.int8)
    proto = network(
        """g (uint8[1,4,8,8] a) => (uint8[1,4,1,1] y) {
            c = QLinearConv<pads = [1,1,1,1]>(a, s, j, w, v, z, u, k)
            d = com.microsoft.QLinearAdd(c, u, k, a, s, j, t, j)
            y = com.microsoft.QLinearGlobalAveragePool(d, t, j, s, i)
        }""",
        w=weights, v=np.float32(0.002), z=np.int8(0),
    )  # fmt: skip
    info = ingot.build(proto, "llvm", cache=None).load()["g"].info
    kinds = {value.name: value.dtype for value in info.values if value.region == "arena"}
    assert all(dtype.size_bytes == 1 for name, dtype in kinds.items() if name.startswith(("c", "d"))), kinds


@pytest.mark.parametrize(
    ("node", "why"),
    [
        (
            "QLinearGlobalAveragePool<channels_last = 1>(a, s, j, t, i)",
            "images with channels last are not supported",
        ),
        # Of three dimensions together:
        (
            "QLinearSoftmax<axis = 1, opset = 9>(a, s, j, t, i)",
            "a Softmax along axis 1 as in opset 9 is not one of opset 17",
        ),
        ("QLinearAdd(a, s, j, a)", r"input 4 \(scale\) is missing"),
        ("QLinearWhere(a, a, s, i, a, t, j, u)", r"input 8 \(zero point of the result\) is missing"),
        (
            "QLinearReduceMean(a, s, j, t, i)",
            r"ingot has no operator of this name in the domain 'com\.microsoft'",
        ),
    ],
)
def test_what_cannot_be_rewritten_is_refused_with_the_reason(node, why):
    proto = network(f"g (uint8[2,3,4,6] a) => (uint8[2,3,4,6] y) {{ y = com.microsoft.{node} }}")
    with pytest.raises(UnsupportedError, match=why):
        ingot.build(proto, "interp")


def test_a_function_of_the_model_with_such_a_name_is_what_the_model_says():
    proto = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["": 17, "com.microsoft": 1]>
        g (float[3] x) => (float[3] y) { y = com.microsoft.QLinearSigmoid(x) }
        <domain: "com.microsoft", opset_import: ["": 17]> QLinearSigmoid (v) => (w) { w = Neg(v) }"""
    )
    x = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(ingot.build(proto, "interp").load()["g"]().predict(x=x), -x)


def test_an_attribute_of_another_type_is_refused_by_the_name_of_its_node():
    proto = network(
        "g (uint8[2,3] a) => (uint8[2,3] y) { y = com.microsoft.QLinearSoftmax<axis = [1]>(a, s, j, t, i) }"
    )
    with pytest.raises(
        ModelError,
        match=r"node QLinearSoftmax_0 \(QLinearSoftmax\): its attribute 'axis' is INTS, expected INT",
    ):
        ingot.build(proto, "interp")
