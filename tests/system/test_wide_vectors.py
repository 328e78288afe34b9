"""What is written for AVX-512, and for its dot products and tables, gives the right results: also where no such machine is."""

from __future__ import annotations

import re

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

import ingot
from ingot.base.observe import Observer
from ingot.codegen import registry
from tests.support import bare_x86
from tests.support.models import model
from tests.support.wide_vectors import codegen

CPUS = ("skylake-avx512", "icelake-server")

# name: (body, weights: the shape, the type and the shape, or the numbers themselves)
FLOATS = {
    "a product behind which a long function comes": (
        "g (float[37, 70] x) => (y) { p = MatMul(x, w) q = Add(p, b) y = Gelu(q) }",
        {"w": (70, 75), "b": (75,)},
    ),
    "a product whose right operand is copied into panels": (
        "g (float[96, 300] x, float[300, 272] z) => (y) { y = MatMul(x, z) }",
        {},
    ),
    "a product by the transposed": (
        "g (float[3, 20, 33] x, float[3, 35, 33] z) => (y) { t = Transpose<perm=[0, 2, 1]>(z) y = MatMul(x, t) }",
        {},
    ),
    "a convolution by Winograd's algorithm": (
        "g (float[1, 32, 19, 23] x) => (y) { c = Conv<pads=[1, 1, 1, 1]>(x, w, b) y = Relu(c) }",
        {"w": (40, 32, 3, 3), "b": (40,)},
    ),
    "a strided convolution and one of channels alone": (
        "g (float[1, 20, 17, 21] x) => (y) { c = Conv<strides=[2, 2], pads=[1, 1, 1, 1]>(x, w) "
        "y = Conv<group=24, pads=[1, 1, 1, 1]>(c, d) }",
        {"w": (24, 20, 3, 3), "d": (24, 1, 3, 3)},
    ),
    "an LSTM": (
        "g (float[5, 3, 20] x) => (y, h, c) { y, h, c = LSTM<hidden_size=24>(x, w, r, b) }",
        {"w": (1, 96, 20), "r": (1, 96, 24), "b": (1, 192)},
    ),
    "a GRU both ways": (
        "g (float[4, 2, 18] x) => (y, h) "
        '{ y, h = GRU<hidden_size=19, direction="bidirectional", linear_before_reset=1>(x, w, r, b) }',
        {"w": (2, 57, 18), "r": (2, 57, 19), "b": (2, 114)},
    ),
    "functions of many elements": (
        "g (float[1077] x) => (a, e, s, t, l, m) "
        "{ a = Erf(x) e = Exp(x) s = Sigmoid(x) t = Tanh(x) p = Softplus(x) l = Log(p) m = Mish(x) }",
        {},
    ),
    "softmax of rows and of columns": (
        "g (float[9, 77, 35] x) => (y, z, l) { y = Softmax<axis=1>(x) t = Transpose<perm=[0, 2, 1]>(x) z = Softmax<axis=2>(t) "
        "l = LogSoftmax<axis=2>(t) }",
        {},
    ),
    "attention, normed": (
        "g (float[1, 2, 33, 40] q, float[1, 2, 45, 40] k, float[1, 2, 45, 24] v) => (y) { y = Attention<is_causal=1>(q, k, v) }",
        {},
    ),
    "sums, norms and masks": (
        "g (float[13, 70] x) => (n, s, m, f) { n = LayerNormalization(x, w) s = ReduceLogSumExp<keepdims=0>(x, axes) "
        "c = Greater(x, n) m = Cast<to=1>(c) f = Where(c, x, n) }",
        {"w": (70,), "axes": np.array([1])},
    ),
}
BY_OTHER_WAYS = (
    "a convolution by Winograd's algorithm",
    "a product whose right operand is copied into panels",
)
CODES = {
    "a convolution of codes": (
        "g (uint8[1, 20, 11, 13] x) => (y) { y = QLinearConv<pads=[1, 1, 1, 1]>(x, xs, xz, w, ws, wz, ys, yz, b) }",
        {"w": (np.int8, (34, 20, 3, 3)), "b": (np.int32, (34,)), "yz": np.uint8(120), "xz": np.uint8(131)},
    ),
    "a convolution of codes without padding": (
        "g (uint8[1, 16, 9, 9] x) => (y) { y = QLinearConv(x, xs, xz, w, ws, wz, ys, yz, b) }",
        {"w": (np.int8, (24, 16, 1, 1)), "b": (np.int32, (24,)), "yz": np.uint8(3), "xz": np.uint8(128)},
    ),
    "a convolution of signed codes without padding": (
        "g (int8[1, 36, 9, 9] x) => (y) { y = QLinearConv(x, xs, xz, w, ws, wz, ys, yz, b) }",
        {"w": (np.int8, (40, 36, 1, 1)), "b": (np.int32, (40,)), "yz": np.int8(3), "xz": np.int8(-5)},
    ),
    "a convolution of channels of codes alone": (
        "g (uint8[1, 32, 12, 12] x) => (y) { y = QLinearConv<group=32, pads=[1, 1, 1, 1]>(x, xs, xz, w, ws, wz, ys, yz, b) }",
        {"w": (np.int8, (32, 1, 3, 3)), "b": (np.int32, (32,)), "yz": np.uint8(120), "xz": np.uint8(3)},
    ),
    "a product of codes": (
        "g (uint8[19, 71] x) => (y) { y = MatMulInteger(x, w, xz, wz) }",
        {"w": (np.int8, (71, 50)), "xz": np.uint8(7)},
    ),
    "a product of signed codes": (
        "g (int8[19, 72] x) => (y) { y = MatMulInteger(x, w, xz, wz) }",
        {"w": (np.int8, (72, 50)), "xz": np.int8(-7)},
    ),
    "a product of one row of codes": (
        "g (int8[1, 72] x) => (y) { y = MatMulInteger(x, w, xz, wz) }",
        {"w": (np.int8, (72, 200)), "xz": np.int8(7)},
    ),
    "a product of codes that are both fed": (
        "g (uint8[19, 71] x, int8[71, 37] z) => (y) { y = MatMulInteger(x, z, xz, wz) }",
        {"xz": np.uint8(7), "wz": np.int8(-5)},
    ),
    "a table of codes": (
        "g (uint8[3000] x) => (y) { f = DequantizeLinear(x, xs, xz) s = Sigmoid(f) m = Mul(f, s) y = QuantizeLinear(m, ys, yz) }",
        {"xz": np.uint8(100), "yz": np.uint8(9)},
    ),
}
USUAL = {
    "xs": np.float32(0.02),
    "xz": np.uint8(0),
    "ws": np.float32(0.01),
    "wz": np.int8(0),
    "ys": np.float32(0.1),
    "yz": np.uint8(0),
}


def _proto(body: str, weights: dict[str, object], opset: int) -> onnx.ModelProto:
    """The model with numbers for its weights; types and shapes of its outputs are inferred."""
    made = model(body, opset=opset, ir_version=11)
    rng = np.random.default_rng(3)
    for name, given in weights.items():
        if isinstance(given, np.ndarray | np.generic):
            array = np.asarray(given)
        elif isinstance(given[0], type):
            kind, shape = given
            array = rng.integers(-100, 100, shape).astype(kind)
        else:
            array = (rng.standard_normal(given) / 3).astype(np.float32)
        made.graph.initializer.append(numpy_helper.from_array(array, name))
    return made


def _fed(proto: onnx.ModelProto) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    fed = {}
    for value in proto.graph.input:
        kind = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        fed[value.name] = (
            rng.standard_normal(shape) * 3 if kind == np.float32 else rng.integers(-128, 256, shape)
        ).astype(kind)
    return fed


def _run(
    proto: onnx.ModelProto, cpu: str, math: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[np.ndarray], str]:
    """The outputs, and the LLVM text of all kernels as it is for that CPU."""
    monkeypatch.setattr(registry, "ALL", (*registry.ALL, codegen("wide", cpu)))
    texts: list[str] = []
    observer = Observer(
        on_dump=lambda name, content: texts.append(str(content)) if name.startswith("llvm/") else None
    )
    library = ingot.build(proto, "wide", name="g", cache=None, math=math, observer=observer).load()
    results = library["g"](ingot.cpu(0)).predict(_fed(proto))
    return list(results) if len(proto.graph.output) > 1 else [results], "\n".join(texts)


@pytest.mark.parametrize(
    ("name", "math"), [*((name, "fast") for name in FLOATS), *((name, "exact") for name in BY_OTHER_WAYS)]
)
def test_kernels_of_sixteen_lanes_compute_what_onnx_says(name, math, monkeypatch):
    proto = _proto(*FLOATS[name], 23)
    expected = ReferenceEvaluator(proto).run(None, _fed(proto))
    got, text = _run(proto, "skylake-avx512", math, monkeypatch)
    assert re.search(r"<(16|32|64) x float>", text)
    for mine, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(
            mine, theirs, rtol=1e-4, atol=1e-6 * max(10.0, float(np.abs(theirs).max()))
        )


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("name", CODES)
def test_kernels_of_codes_give_the_bytes_that_onnx_says(name, cpu, monkeypatch):
    body, weights = CODES[name]
    used = {key: value for key, value in USUAL.items() if key in body}
    proto = _proto(body, {**used, **weights}, 21)
    expected = ReferenceEvaluator(proto).run(None, _fed(proto))
    got, text = _run(proto, cpu, "fast", monkeypatch)
    assert ("vpdpbusd.512" in text or "vpermi2var" in text) == (cpu == "icelake-server")
    for mine, theirs in zip(got, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)


NAMES = (
    "a convolution by Winograd's algorithm",
    "an LSTM",
    "softmax of rows and of columns",
    "functions of many elements",
)


@pytest.mark.qemu
@pytest.mark.parametrize(
    ("name", "cpu", "emulated"),
    [
        *((name, "skylake-avx512", "corei7_skylake_x") for name in (*NAMES, *CODES)),
        *((name, "icelake-server", "corei7_icelake_u") for name in CODES),
    ],
)
def test_instructions_of_a_processor_with_avx512_give_what_onnx_says(name, cpu, emulated, tmp_path):
    if bare_x86.missing():
        pytest.skip(f"needs Bochs with AVX-512 and a compiler for x86-64: no {bare_x86.missing()}")
    if name in CODES:
        body, weights = CODES[name]
        proto = _proto(body, {**{key: value for key, value in USUAL.items() if key in body}, **weights}, 21)
    else:
        proto = _proto(*FLOATS[name], 23)
    fed = _fed(proto)
    expected = ReferenceEvaluator(proto).run(None, fed)
    artifacts = ingot.build(
        proto, f"llvm -mtriple=x86_64-unknown-linux-gnu -mcpu={cpu}", name="g", cache=None
    )
    assert "avx512f" in artifacts.models()["g"].cpu_features
    for mine, theirs in zip(bare_x86.run(artifacts, fed, tmp_path, emulated), expected, strict=True):
        exact = theirs.dtype.kind in "iu"
        scale = float(np.abs(theirs).max())
        np.testing.assert_allclose(
            mine, theirs, rtol=0 if exact else 1e-4, atol=0 if exact else 1e-6 * max(10.0, scale)
        )


@pytest.mark.qemu
def test_an_instruction_that_the_emulated_processor_lacks_is_a_failure(tmp_path):
    if bare_x86.missing():
        pytest.skip(f"needs Bochs with AVX-512 and a compiler for x86-64: no {bare_x86.missing()}")
    proto = _proto("g (uint8[19, 71] x) => (y) { y = MatMulInteger(x, w) }", {"w": (np.int8, (71, 50))}, 21)
    artifacts = ingot.build(
        proto, "llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=icelake-server", name="g", cache=None
    )
    with pytest.raises(AssertionError):
        bare_x86.run(artifacts, _fed(proto), tmp_path, "corei7_skylake_x")
