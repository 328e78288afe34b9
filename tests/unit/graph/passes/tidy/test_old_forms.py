"""Models of opsets 1 to 6: what each older form of an operator means, by ONNX's text."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import ingot
from ingot.base.errors import ModelError, UnsupportedError
from ingot.graph.read.read import read_model
from tests.support.onnx_text import parse, run

F = np.float32
X = np.arange(24, dtype=F).reshape(2, 3, 4) / 8 - 1
CUBE = "(float[2,3,4] x, float[{}] b) => (float[2,3,4] y)"


def one(signature: str, nodes: str, opset: int, **inputs: np.ndarray) -> np.ndarray:
    (got,) = run(parse(signature, nodes, opset), **inputs)
    return got


@pytest.mark.parametrize("opset", [1, 6])
@pytest.mark.parametrize(
    ("shape", "attributes", "as_now"),
    [
        ("3", "axis = 1, broadcast = 1", (3, 1)),
        ("2,3", "axis = 0, broadcast = 1", (2, 3, 1)),
        ("3,4", "axis = 1, broadcast = 1", (3, 4)),
        ("3,4", "axis = -2, broadcast = 1", (3, 4)),
        ("4", "broadcast = 1", (4,)),
        ("1", "broadcast = 1", (1,)),
        ("2,3,4", "axis = 1", (2, 3, 4)),
    ],
)
def test_the_right_operand_lies_from_its_axis_on(
    shape: str, attributes: str, as_now: tuple[int, ...], opset: int
) -> None:
    b = np.linspace(1, 2, int(np.prod(as_now)), dtype=F).reshape([int(extent) for extent in shape.split(",")])
    consumed = ", consumed_inputs = [0, 0]" if opset == 1 else ""
    got = one(CUBE.format(shape), f"y = Sub <{attributes}{consumed}> (x, b)", opset, x=X, b=b)
    np.testing.assert_array_equal(got, X - b.reshape(as_now))


@pytest.mark.parametrize(
    ("op", "function"),
    [("Greater", np.greater), ("Less", np.less), ("Equal", np.equal), ("And", np.logical_and)],
)
def test_comparisons_of_opset_1_have_an_axis_too(op, function):
    kind = {"And": "bool", "Equal": "int32"}.get(op, "float")
    a, b = X[0] > 0, np.array([True, False, True])
    if kind != "bool":
        a, b = (
            np.array(values).astype(np.dtype(kind.replace("float", "float32")))
            for values in (X[0], [0, -1, 1])
        )
    model = parse(
        f"({kind}[3,4] a, {kind}[3] b) => (bool[3,4] y)", f"y = {op} <axis = 0, broadcast = 1> (a, b)", 1
    )
    (got,) = run(model, a=a, b=b)
    np.testing.assert_array_equal(got, function(a, b[:, None]))


def test_an_operand_without_place_is_refused():
    model = parse(CUBE.format("3,4,5"), "y = Add <axis = 1, broadcast = 1> (x, b)", 6)
    with pytest.raises(
        UnsupportedError, match=r"shape \[3, 4, 5\] has no place in \[2, 3, 4\] from axis 1 on"
    ):
        ingot.build(model, "interp", cache=None)


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ('y = Cast <to = "INT32"> (x)', lambda x: x.astype(np.int32)),
        ("y = Concat (x, x)", lambda x: np.concatenate([x, x], 1)),
        ("y = Clip <max = 0.5> (x)", lambda x: np.minimum(x, F(0.5))),
        ("y = Selu (x)", lambda x: np.where(x > 0, F(1.0507) * x, F(1.0507) * F(1.6732) * (np.exp(x) - 1))),
        ("y = Relu <consumed_inputs = [0]> (x)", lambda x: np.maximum(x, 0)),
        ("y = Pad <paddings = [0, 1, 0, 0, 0, 2]> (x)", lambda x: np.pad(x, ((0, 0), (1, 0), (0, 2)))),
        ("y = Reshape <shape = [0, -1]> (x)", lambda x: x.reshape(2, 12)),
        ("y = GlobalLpPool <p = 1.0> (x)", lambda x: np.abs(x).sum(2, keepdims=True)),
        ("y, z = Split <axis = 2, split = [1, 3]> (x)", lambda x: x[..., :1]),
    ],
    ids=lambda one: one.split("(")[0] if isinstance(one, str) else "",
)
def test_a_first_version_in_other_words_means_the_same(nodes, expected):
    wanted = expected(X)
    kind = "int32" if wanted.dtype == np.int32 else "float"
    got = one(f"(float[2,3,4] x) => ({kind}[{','.join(map(str, wanted.shape))}] y)", nodes, 1, x=X)
    np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_a_clip_of_opset_1_has_no_bound_that_it_does_not_state():
    got = one("(float[2] x) => (float[2] y)", "y = Clip <min = 0.0> (x)", 1, x=np.array([np.inf, -np.inf], F))
    np.testing.assert_array_equal(got, [np.inf, 0])


def test_pictures_grow_by_the_scales_of_opset_1():
    x = X[:1].reshape(1, 1, 3, 4)
    text = 'y = Upsample <height_scale = 2.0, width_scale = 3.0, mode = "nearest"> (x)'
    got = one("(float[1,1,3,4] x) => (float[1,1,6,12] y)", text, 1, x=x)
    np.testing.assert_array_equal(got, x.repeat(2, 2).repeat(3, 3))


def test_tiles_of_opset_1_are_along_one_axis():
    nodes = "n = Constant <value = float {3.0}> () a = Constant <value = float {1.0}> () y = Tile(x, n, a)"
    got = one("(float[2,3,4] x) => (float[2,9,4] y)", nodes, 1, x=X)
    np.testing.assert_array_equal(got, np.tile(X, (1, 3, 1)))


def test_lengths_of_a_split_of_opset_1_may_be_an_input():
    nodes = "n = Constant <value = float[2] {1.0, 2.0}> () y, z = Split <axis = 1> (x, n)"
    got = one("(float[2,3,4] x) => (float[2,2,4] z)", nodes, 1, x=X)
    np.testing.assert_array_equal(got, X[:, 1:])


@pytest.mark.parametrize("opset", [1, 6])
def test_slopes_of_a_prelu_are_those_of_channels(opset):
    slope = np.array([1, 2, 3], F)
    got = one("(float[2,3,4] x, float[3] b) => (float[2,3,4] y)", "y = PRelu(x, b)", opset, x=X, b=slope)
    np.testing.assert_array_equal(got, np.where(X < 0, X * slope[:, None], X))


def test_a_gemm_of_opset_6_broadcasts_its_bias():
    a, c = X[0], np.array([1, 2, 3, 4], F)
    got = one(
        "(float[3,4] x, float[4] b) => (float[4,4] y)",
        "y = Gemm <transA = 1, broadcast = 1> (x, x, b)",
        6,
        x=a,
        b=c,
    )
    np.testing.assert_allclose(got, a.T @ a + c, rtol=1e-6)


def test_recurrent_cells_of_opset_1_give_their_outputs_whatever_output_sequence_says():
    rng = np.random.default_rng(0)
    w, r, x = (rng.standard_normal(shape).astype(F) for shape in ((1, 2, 3), (1, 2, 2), (4, 1, 3)))
    signature = "(float[4,1,3] x, float[1,2,3] w, float[1,2,2] r) => (float[1,1,2] h)"
    nodes = "y, h = RNN <hidden_size = 2{}> (x, w, r)"
    old = one(signature, nodes.format(", output_sequence = 1"), 1, x=x, w=w, r=r)
    np.testing.assert_array_equal(old, one(signature, nodes.format(""), 7, x=x, w=w, r=r))


STATISTICS = "float[3] s, float[3] b, float[3] m, float[3] v"


def test_a_batch_norm_of_opset_6_with_one_output_takes_the_statistics_that_it_is_given():
    s, b, m, v = (np.array(one, F) for one in ([1, 2, 3], [0, 1, 2], [0.1, 0.2, 0.3], [1, 2, 4]))
    nodes = "y = BatchNormalization <is_test = 1, consumed_inputs = [0, 0, 0, 1, 1]> (x, s, b, m, v)"
    got = one(f"(float[2,3,4] x, {STATISTICS}) => (float[2,3,4] y)", nodes, 1, x=X, s=s, b=b, m=m, v=v)
    along = (3, 1)
    wanted = s.reshape(along) * (X - m.reshape(along)) / np.sqrt(v.reshape(along) + F(1e-5)) + b.reshape(
        along
    )
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("opset", [6, 9])
def test_more_outputs_of_a_batch_norm_before_opset_14_are_those_of_training(opset):
    s, b, m, v = (np.array(one, F) for one in ([1, 2, 3], [0, 1, 2], [0.1, 0.2, 0.3], [1, 2, 4]))
    outputs = "float[2,3,4] y, float[3] mean, float[3] var, float[3] saved_mean, float[3] saved_var"
    nodes = "y, mean, var, saved_mean, saved_var = BatchNormalization(x, s, b, m, v)"
    model = parse(f"(float[2,3,4] x, {STATISTICS}) => ({outputs})", nodes, opset)
    got = run(model, x=X, s=s, b=b, m=m, v=v)
    mean, var = X.mean((0, 2)), X.var((0, 2))
    y = s[:, None] * (X - mean[:, None]) / np.sqrt(var[:, None] + 1e-5) + b[:, None]
    for one_, wanted in zip(got, (y, m * 0.9 + mean * 0.1, v * 0.9 + var * 0.1, mean, var), strict=True):
        np.testing.assert_allclose(one_, wanted, rtol=1e-5, atol=1e-6)


def test_a_dropout_of_opset_6_that_is_tested_changes_nothing():
    got, mask = run(
        parse("(float[2,3,4] x) => (float[2,3,4] y, float[2,3,4] m)", "y, m = Dropout <is_test = 1> (x)", 6),
        x=X,
    )
    np.testing.assert_array_equal(got, X)
    np.testing.assert_array_equal(mask, np.ones_like(X))


def test_a_name_of_no_element_type_is_refused():
    with pytest.raises(ModelError, match="to is 'FLOAT99', expected the name of an element type"):
        read_model(parse("(float[2] x) => (float[2] y)", 'y = Cast <to = "FLOAT99"> (x)', 1))


def test_a_reshape_of_opset_1_without_a_shape_is_refused():
    with pytest.raises(UnsupportedError, match="no attribute 'shape'"):
        run(parse("(float[2] x) => (float[2] y)", "y = Reshape (x)", 1), x=X[0, 0, :2])


def test_a_norm_that_is_no_whole_number_is_refused():
    with pytest.raises(UnsupportedError, match=r"p=2\.5 is no whole number"):
        read_model(parse("(float[1,1,4] x) => (float[1,1,1] y)", "y = GlobalLpPool <p = 2.5> (x)", 1))


def test_functions_are_refused_in_opsets_that_had_none():
    model = parse("(float[2] x) => (float[2] y)", "y = Relu(x)", 6)
    function = onnx.parser.parse_function(
        '<opset_import: ["" : 6], domain: "l"> f (x) => (y) { y = Relu(x) }'
    )
    model.functions.append(function)
    model.opset_import.append(onnx.helper.make_opsetid("l", 1))
    with pytest.raises(UnsupportedError, match="has functions, and is written in opset 6"):
        read_model(model)
