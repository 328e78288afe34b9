"""Shapes that ONNX's inference gets wrong in old opsets are those of the definitions."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

from ingot.base.errors import ModelError, UnsupportedError
from ingot.graph.read.read import read_model
from tests.support.onnx_text import parse, run


@pytest.mark.parametrize("opset", [13, 19, 21, 22])
@pytest.mark.parametrize("kind", ["AveragePool", "MaxPool"])
@pytest.mark.parametrize("stated", ["", "float[1,1,3,7]"])
def test_a_window_that_begins_behind_the_padded_input_is_not_counted(
    kind: str, opset: int, stated: str
) -> None:
    nodes = f"p = {kind}<ceil_mode = 1, kernel_shape = [2, 3], strides = [2, 1], pads = [1, 0, 1, 0]>(x) y = Neg(p)"
    model = parse(f"(float[1,1,5,9] x) => ({stated} y)", nodes, opset)
    x = np.random.default_rng(0).random((1, 1, 5, 9), np.float32)
    (y,) = run(model, x=x)
    assert y.shape == (1, 1, 3, 7)
    windows = [
        x[0, 0, slice(max(0, 2 * row - 1), 2 * row + 1), at : at + 3] for row in range(3) for at in range(7)
    ]
    wanted = [-(one.mean() if kind == "AveragePool" else one.max()) for one in windows]
    np.testing.assert_allclose(y.reshape(-1), wanted, rtol=1e-6)


@pytest.mark.parametrize("opset", [12, 19, 22])
@pytest.mark.parametrize("kind", ["AveragePool", "MaxPool"])
@pytest.mark.parametrize(
    ("extent", "taps", "step", "stated"),
    [(4, 1, 2, ""), (5, 2, 2, "float[1,1,2]"), (5, 2, 2, "float[1,1,3]"), (6, 3, 2, "")],
)
def test_with_valid_padding_only_whole_windows_count(
    kind: str, opset: int, extent: int, taps: int, step: int, stated: str
) -> None:
    attributes = f'auto_pad = "VALID", ceil_mode = 1, kernel_shape = [{taps}], strides = [{step}]'
    x = np.arange(extent, dtype=np.float32)[None, None]
    (y,) = run(
        parse(f"(float[1,1,{extent}] x) => ({stated} y)", f"p = {kind}<{attributes}>(x) y = Neg(p)", opset),
        x=x,
    )
    windows = [x[0, 0, at : at + taps] for at in range(0, extent - taps + 1, step)]
    np.testing.assert_allclose(
        y, [[[-(one.mean() if kind == "AveragePool" else one.max()) for one in windows]]]
    )


def test_pools_one_behind_the_other_are_all_put_right() -> None:
    pool = "MaxPool<ceil_mode = 1, kernel_shape = [1], strides = [2]>"
    model = parse("(float[1,1,8] x) => (float[1,1,1] y)", f"a = {pool}(x) b = {pool}(a) y = {pool}(b)", 12)
    (y,) = run(model, x=np.arange(8, dtype=np.float32).reshape(1, 1, 8))
    np.testing.assert_array_equal(y, [[[0]]])


@pytest.mark.parametrize(
    ("opset", "shape", "stated"),
    [
        (8, "4, 7", ""),
        (8, "4, 7", "float[1,6,4,7]"),
        (12, "4, 7", ""),
        (12, "4, 2", ""),  # smaller than the input
        (22, "1, 7", "float[1,6,1,7]"),
    ],
)
def test_a_transposed_convolution_has_its_channels_and_the_extents_that_it_states(
    opset: int, shape: str, stated: str
) -> None:
    nodes = f"c = ConvTranspose<output_shape = [{shape}], strides = [1, 2], group = 2>(x, w) y = Relu(c)"
    model = parse(f"(float[1,2,2,3] x, float[2,3,3,3] w) => ({stated} y)", nodes, opset)
    rng = np.random.default_rng(0)
    x, w = rng.random((1, 2, 2, 3), np.float32), rng.random((2, 3, 3, 3), np.float32)
    (y,) = run(model, x=x, w=w)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(y, session.run(None, {"x": x, "w": w})[0], rtol=1e-5)


@pytest.mark.parametrize(
    ("node", "said"),
    [
        ("MaxPool<ceil_mode = 1, kernel_shape = [2], strides = [0]>(x)", "strides"),
        ("MaxPool<ceil_mode = 1, kernel_shape = [2, 2]>(x)", "kernel_shape"),
        ("ConvTranspose<output_shape = [7]>(x, w)", "Weight tensor"),
    ],
)
def test_nodes_that_contradict_themselves_are_refused_as_inference_says(node: str, said: str) -> None:
    model = parse("(float[1,2,5] x, float[3] w) => (y)", f"y = {node}", 13)
    with pytest.raises(ModelError, match=f"contradict each other: .*{said}"):
        read_model(model)


def test_rows_upon_each_other_are_no_list_of_extents() -> None:
    """ONNX follows the elements of what might be a shape as if every tensor had one dimension, and refused such sums."""
    nodes = "u = Unsqueeze(a, first) v = Unsqueeze(b, first) stack = Concat<axis = 0>(u, v) y = Add(stack, a)"
    model = parse("(float[3] a, float[3] b) => (y) <int64[1] first = {0}>", nodes, 17)
    a, b = np.random.default_rng(0).random((2, 3), np.float32)
    (y,) = run(model, a=a, b=b)
    np.testing.assert_allclose(y, np.stack([a, b]) + a)


NORMS = [
    "MeanVarianceNormalization(x)",
    "MeanVarianceNormalization<axes = [1, 3]>(x)",
    "GroupNormalization<num_groups = 2>(x, s, s)",
]


@pytest.mark.parametrize("kind", ["float", "double", "float16"])
@pytest.mark.parametrize("norm", NORMS)
def test_a_normalisation_inside_of_a_branch_has_the_type_of_what_it_normalises(norm: str, kind: str) -> None:
    branches = f"<then_branch = t () => (p) {{ p = {norm} }}, else_branch = e () => (q) {{ q = Neg(x) }}>"
    chosen = parse(f"({kind}[2,4,3,2] x, {kind}[4] s, bool c) => (y)", f"y = If(c) {branches}", 21)
    alone = parse(f"({kind}[2,4,3,2] x, {kind}[4] s) => (y)", f"y = {norm}", 21)
    dtype = {"float": np.float32, "double": np.float64, "float16": np.float16}[kind]
    rng = np.random.default_rng(0)
    x, s = rng.standard_normal((2, 4, 3, 2)).astype(dtype), rng.standard_normal(4).astype(dtype)
    (expected,) = run(alone, x=x, s=s)
    assert 0.5 < np.abs(expected).max() < 10
    np.testing.assert_array_equal(run(chosen, x=x, s=s, c=np.array(True))[0], expected)
    np.testing.assert_array_equal(run(chosen, x=x, s=s, c=np.array(False))[0], -x)


def test_a_normalisation_of_integers_inside_of_a_branch_is_refused() -> None:
    branches = f"<then_branch = t () => (p) {{ p = {NORMS[0]} }}, else_branch = e () => (q) {{ q = Neg(x) }}>"
    with pytest.raises(UnsupportedError, match="of int32, expected floats"):
        run(parse("(int32[2,4,3,2] x, bool c) => (y)", f"y = If(c) {branches}", 21))
