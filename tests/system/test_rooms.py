"""Extents that count no items, such as the length of a sequence: programs with room for more places answer for fewer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import ingot
from ingot.runtime.executors.shaped import ShapedExecutor
from tests.support.kernel_opencl import needs_opencl

_HEADER = '<ir_version: 9, opset_import: ["" : 18]> m '
ATTENTION = (
    "(float[B,S,8] x) => (float[B,S,8] y) {"
    " shape = Constant<value_ints=[0,-1,2,4]>() back = Constant<value_ints=[0,-1,8]>()"
    " split = Reshape(x, shape) q = Transpose<perm=[0,2,1,3]>(split) k = Transpose<perm=[0,2,3,1]>(split)"
    " qk = MatMul(q, k) p = Softmax<axis=-1>(qk) mixed = MatMul(p, q)"
    " heads = Transpose<perm=[0,2,1,3]>(mixed) merged = Reshape(heads, back) y = Add(merged, x) }"
)
MODELS = {
    "attention": ATTENTION,
    "means of places": "(float[B,S,8] x) => (float[B,8] y) { a = Constant<value_ints=[1]>() y = ReduceMean<keepdims=0>(x, a) }",
    "largest places": "(float[B,S,8] x) => (float[B,1,8] y) { a = Constant<value_ints=[1]>() y = ReduceMax(x, a) }",
    "products of places": "(float[B,S,8] x) => (float[B,8,8] y) { t = Transpose<perm=[0,2,1]>(x) y = MatMul(t, x) }",
    "a length as a number": (
        "(float[B,S,8] x) => (float[B,S,8] y) { s = Shape<start=1, end=2>(x) f = Cast<to=1>(s) e = Exp(x) y = Div(e, f) }"
    ),
    "the last place": (
        "(float[B,S,8] x) => (float[B,1,8] y) { b = Constant<value_ints=[-1]>() e = Constant<value_ints=[99999]>()"
        " a = Constant<value_ints=[1]>() y = Slice(x, b, e, a) }"
    ),
    "places in reverse": (
        "(float[B,S,8] x) => (float[B,S,8] y) { b = Constant<value_ints=[-1]>() e = Constant<value_ints=[-99999]>()"
        " a = Constant<value_ints=[1]>() z = Constant<value_ints=[-1]>() r = Slice(x, b, e, a, z) y = Softmax<axis=1>(r) }"
    ),
}
SIZES = (1, 2, 7, 23, 24)


def _model(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(_HEADER + text)


def _executor(text: str, target: str, **dims: object) -> ingot.Executor:
    return ingot.build(_model(text), target, dims=dims, cache=None).load()["m"](ingot.cpu(0))


def _input(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("case", MODELS)
def test_every_size_has_the_answers_of_a_build_for_it(case: str) -> None:
    text = MODELS[case]
    executor = _executor(text, "interp", B=1, S=range(1, 25))
    for size in SIZES:
        x = _input(1, size, 8, seed=size)
        expected = _executor(text, "interp", B=1, S=size).predict(x=x)
        result = executor.predict(x=x)
        assert result.shape == expected.shape
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target", ["llvm", "llvmjit", "c"])
def test_every_target_serves_the_range(target: str) -> None:
    executor = _executor(ATTENTION, target, B=1, S=range(1, 129))
    exact = _executor(ATTENTION, "interp", B=1, S=range(1, 129))
    for size in (1, 5, 16, 17, 100, 128):
        x = _input(1, size, 8, seed=size)
        np.testing.assert_allclose(executor.predict(x=x), exact.predict(x=x), rtol=1e-4, atol=1e-5)


@pytest.mark.opencl
@needs_opencl
def test_a_part_on_a_device_serves_the_range() -> None:
    artifacts = ingot.build(
        _model(ATTENTION),
        {"host": "llvm", "accel": "opencl"},
        place={"MatMul": "accel", "Softmax": "accel"},
        dims={"B": 1, "S": range(1, 129)},
        cache=None,
    )
    executor = artifacts.load()["m"](ingot.cpu(0), devices={"accel": [ingot.opencl(0)]})
    exact = _executor(ATTENTION, "interp", B=1, S=range(1, 129))
    for size in (3, 16, 17, 65, 128):
        x = _input(1, size, 8, seed=size)
        np.testing.assert_allclose(executor.predict(x=x), exact.predict(x=x), rtol=1e-4, atol=1e-5)


def test_a_batch_and_a_length_vary_together() -> None:
    executor = _executor(ATTENTION, "interp", B=range(1, 9), S=range(1, 25))
    for batch, size in ((3, 7), (1, 24), (8, 1), (2, 23)):
        x = _input(batch, size, 8, seed=size)
        expected = _executor(ATTENTION, "interp", B=batch, S=size).predict(x=x)
        np.testing.assert_allclose(executor.predict(x=x), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target", ["interp", "llvm"])
@pytest.mark.parametrize("case", MODELS)
def test_what_lies_behind_the_last_place_reaches_nothing(case: str, target: str) -> None:
    executor = _executor(MODELS[case], target, B=1, S=range(1, 25))
    x = _input(1, 9, 8)
    expected = executor.predict(x=x)
    assert np.isfinite(expected).all()
    with np.errstate(all="ignore"):
        executor.predict(x=np.full((1, 23, 8), np.nan, np.float32))  # fills all memory that is not constant
    np.testing.assert_array_equal(executor.predict(x=x), expected)


def test_places_that_are_not_there_are_read_from_inside_memory() -> None:
    # With room for 8 places, the kernel computes 8 of 3: the eighth in reverse would be five before the first.
    text = (
        "(float[B,S,2] x) => (float[B,S,2] y) { b = Constant<value_ints=[-1]>() e = Constant<value_ints=[-99999]>()"
        " a = Constant<value_ints=[1]>() z = Constant<value_ints=[-1]>() y = Slice(x, b, e, a, z) }"
    )
    x = _input(1, 3, 2)
    result = _executor(text, "interp", B=1, S=range(3, 66)).predict(x=x)
    np.testing.assert_array_equal(result, x[:, ::-1])


def test_inputs_of_another_length_are_set_without_a_new_executor() -> None:
    executor = _executor(ATTENTION, "interp", B=1, S=range(1, 25))
    for size in (5, 24, 3):
        x = _input(1, size, 8)
        executor.set_input(x=x)
        executor.run()
        assert executor.get_output(0).shape == (1, size, 8)
        np.testing.assert_array_equal(executor.get_output("y"), executor.predict(x=x))


def test_results_are_put_into_the_arrays_of_the_caller() -> None:
    executor = _executor(ATTENTION, "interp", B=1, S=range(1, 25))
    x, out = _input(1, 7, 8), np.empty((1, 7, 8), np.float32)
    assert executor.predict(x=x, out=out) is out
    np.testing.assert_array_equal(out, executor.predict(x=x))
    with pytest.raises(ingot.InputError, match="'y'"):
        executor.predict(x=x, out=np.empty((1, 24, 8), np.float32))


def test_sizes_outside_the_range_are_refused() -> None:
    executor = _executor(ATTENTION, "interp", B=1, S=ingot.dim(4, 24, multiple_of=4))
    assert executor.predict(x=_input(1, 12, 8)).shape == (1, 12, 8)
    for size in (3, 6, 28):
        with pytest.raises(ingot.InputError, match=rf"S is {size} .* S ∈ 4\.\.24:4"):
            executor.predict(x=_input(1, size, 8))


def test_the_input_that_programs_have_for_sizes_is_not_shown(tmp_path: Path) -> None:
    artifacts = ingot.build(_model(ATTENTION), "llvm", dims={"B": 1, "S": range(1, 129)}, cache=None)
    artifacts.export_library(tmp_path / "m.so")
    with ingot.load(tmp_path / "m.so") as library:
        executor = library["m"](ingot.cpu(0))
        assert [str(tensor) for tensor in executor.inputs] == ["x: float32[1, S ∈ 1..128, 8]"]
        assert [str(tensor) for tensor in executor.outputs] == ["y: float32[1, S ∈ 1..128, 8]"]
        assert isinstance(executor, ShapedExecutor)
        assert executor.predict(x=_input(1, 100, 8)).shape == (1, 100, 8)


def test_graph_executors_serve_the_range() -> None:
    artifacts = ingot.build(
        _model(ATTENTION), "interp", dims={"B": 1, "S": range(1, 25)}, executor="graph", cache=None
    )
    executor = artifacts.load()["m"](ingot.cpu(0))
    x = _input(1, 7, 8)
    np.testing.assert_array_equal(
        executor.predict(x=x), _executor(ATTENTION, "interp", B=1, S=range(1, 25)).predict(x=x)
    )
    assert "4 calls" in str(executor.profile(x=x, repeat=1))


def test_a_model_for_which_one_size_is_another_case_is_refused_with_the_node() -> None:
    text = (
        "(float[1,S] x) => (float[1,S] y) <int64 five = {5}> { s = Shape<start=1, end=2>(x) n = Squeeze(s)"
        " p = Softmax<axis=1>(x) c = Equal(n, five) y = If (c) <"
        "then_branch = t () => (float[1,S] a) { a = Neg(p) }, else_branch = e () => (float[1,S] b) { b = Relu(p) }> }"
    )
    with pytest.raises(ingot.ModelError, match=r"Equal.*asks for the number.*the range has 24"):
        _executor(text, "interp", S=range(1, 25))


def test_kernels_that_mix_unrelated_rows_get_no_room() -> None:
    with pytest.raises(ingot.ModelError, match='math="normwise"'):
        ingot.build(
            _model(ATTENTION), "interp", dims={"B": 1, "S": range(1, 25)}, math="normwise", cache=None
        )


def test_a_number_that_falls_with_the_size_is_right_down_to_no_places() -> None:
    text = (
        "(float[1,S] x) => (float[1] y) <int64 thirty = {30}> { s = Shape<start=1, end=2>(x) n = Squeeze(s)"
        " left = Sub(thirty, n) f = Cast<to=1>(left) a = Constant<value_ints=[1]>()"
        " total = ReduceSum<keepdims=0>(x, a) y = Add(total, f) }"
    )
    executor = _executor(text, "interp", S=range(25))
    for size in (0, 1, 7, 24):
        assert executor.predict(x=np.ones((1, size), np.float32)) == 30


def test_a_number_that_is_negative_for_some_sizes_is_right() -> None:
    text = (
        "(float[1,S] x) => (float[1] y) <int64 three = {3}> { s = Shape<start=1, end=2>(x) n = Squeeze(s)"
        " more = Sub(n, three) f = Cast<to=1>(more) a = Constant<value_ints=[1]>()"
        " total = ReduceSum<keepdims=0>(x, a) y = Add(total, f) }"
    )
    executor = _executor(text, "interp", S=range(25))
    for size in (0, 1, 2, 3, 4, 24):
        assert executor.predict(x=np.ones((1, size), np.float32)) == 2 * size - 3
