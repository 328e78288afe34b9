"""Numbers that follow from a length, and are no multiples of it: one program computes them for every length while it runs."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest

import ingot

_HEADER = '<ir_version: 9, opset_import: ["" : 18]> m (float[B,S,4] x) => (float[B,S,4] y) {'
_SIZE = (
    " s1 = Shape<start=1, end=2>(x) n = Squeeze(s1) zero = Constant<value_int=0>() one = Constant<value_int=1>()"
    " nf = Cast<to=1>(n) p = Softmax<axis=1>(x) a1 = Constant<value_ints=[1]>()"
)
_PLACES = " r = Range(zero, n, one) rf = Cast<to=1>(r)"
NUMBERS = {
    "a square root": " q = Sqrt(nf) y = Div(p, q)",
    "a reciprocal": " q = Reciprocal(nf) y = Mul(p, q)",
    "a logarithm in double precision": " d = Cast<to=11>(n) l = Log(d) q = Cast<to=1>(l) y = Mul(p, q)",
    "a square": " q = Mul(n, n) f = Cast<to=1>(q) y = Div(p, f)",
    "a rounded quotient": (
        " three = Constant<value_float=3.7>() d = Div(nf, three) q = Floor(d) y = Add(p, q)"
    ),
    "a factor of weights": (
        " k = Constant<value = float[2,4,1] {1, 2, 3, 4, 5, 6, 7, 8}>() t = Transpose<perm=[0,2,1]>(x) c = Conv(t, k)"
        " d = Div(c, nf) m = ReduceMax<keepdims=1>(d) y = Add(p, m)"
    ),
    "positions between 0 and 1": _PLACES + " q = Div(rf, nf) u = Unsqueeze(q, a1) y = Add(p, u)",
    "waves over the whole length": _PLACES + " q = Div(rf, nf) w = Sin(q) u = Unsqueeze(w, a1) y = Add(p, u)",
    "whether there are seven": (
        " seven = Constant<value_int=7>() is = Equal(n, seven) a = Constant<value_float=5.5>()"
        " b = Constant<value_float=0.5>() q = Where(is, a, b) y = Mul(p, q)"
    ),
    "which places are in the first half": (
        _PLACES + " two = Constant<value_int=2>() h = Div(n, two) is = Less(r, h) u = Unsqueeze(is, a1)"
        " m = Neg(p) y = Where(u, p, m)"
    ),
}


def _require_same(text: str, target: str, batch: int, **dims: object) -> None:
    model = onnx.parser.parse_model(_HEADER + _SIZE + text + " }")
    executor = ingot.build(model, target, dims=dims, cache=None).load()["m"](ingot.cpu(0))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for size in (1, 2, 6, 7, 63, 64):
        x = np.random.default_rng(size).standard_normal((batch, size, 4)).astype(np.float32)
        np.testing.assert_allclose(executor.predict(x=x), session.run(None, {"x": x})[0], rtol=1e-5)


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
@pytest.mark.parametrize("case", NUMBERS)
def test_every_length_has_its_number(case: str, target: str) -> None:
    _require_same(NUMBERS[case], target, 1, B=1, S=range(1, 65))


@pytest.mark.cc
@pytest.mark.parametrize("target", ["c", "llvm"])
def test_a_library_computes_it_too(target: str) -> None:
    _require_same(NUMBERS["positions between 0 and 1"], target, 1, B=1, S=range(1, 65))


def test_a_number_of_the_batch_makes_it_no_batch_of_items() -> None:
    text = " b1 = Shape<start=0, end=1>(x) bf = Cast<to=1>(b1) q = Sqrt(bf) y = Div(p, q)"
    _require_same(text, "llvmjit", 3, B=range(1, 65), S=range(1, 65))


def test_a_shape_that_follows_from_a_root_is_refused() -> None:
    text = (
        _HEADER.replace("B,S,4] y", "B,T,4] y")
        + _SIZE
        + " q = Sqrt(nf) k = Cast<to=7>(q) k1 = Reshape(k, a1)"
        " a0 = Constant<value_ints=[0]>() y = Slice(p, a0, k1, a1) }"
    )
    with pytest.raises(ingot.ModelError, match="follows from the size in a way that is not followed"):
        ingot.build(onnx.parser.parse_model(text), "interp", dims={"B": 1, "S": range(1, 65)}, cache=None)
