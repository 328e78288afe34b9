"""Several programs of a model answer one call: in one native call where the code generator writes what repeats them."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import onnx.parser
import pytest

import ingot
from ingot.runtime.executors import shaped

_HEADER = '<ir_version: 9, opset_import: ["" : 18]> m '
SCALED = "(float[N,4] x) => (float[N,4] y) <float[4] w = {1,2,3,4}> { y = Mul(x, w) }"
TWO = (
    "(float[N,4] x, float[N,4] z) => (float[N,4] y, float[N] s) <int64[1] a = {1}>"
    " { y = Sub(x, z) s = ReduceMax<keepdims=0>(x, a) }"
)
NEGATED = "(float[N,M,4] x) => (float[N,M,4] y) { y = Neg(x) }"
FACTORS = np.float32([1, 2, 3, 4])


def _executor(text: str, target: str, dims: dict[str, object]) -> ingot.Executor:
    model = onnx.parser.parse_model(_HEADER + text)
    return ingot.build(model, target, dims=dims, cache=None).load()["m"](ingot.cpu(0))


@pytest.fixture(scope="module", params=["llvmjit", pytest.param("c", marks=pytest.mark.cc)])
def target(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def scaled(target: str) -> ingot.Executor:
    return _executor(SCALED, target, {"N": range(1, 5001)})


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 17, 64, 1023, 5000])  # 5000 are more than predict copies
def test_any_number_of_items_is_one_native_call(scaled: ingot.Executor, count: int) -> None:
    x = np.random.default_rng(count).standard_normal((count, 4), np.float32)
    for _ in range(2):  # the second time the shape is known
        np.testing.assert_array_equal(scaled.predict(x=x), x * FACTORS)
    answer = scaled._answers[((count, 4),)]  # type: ignore[attr-defined]
    assert (answer.whole is None) == scaled._is_chain(answer.steps) == (count not in (1, 8))  # type: ignore[attr-defined]
    assert len(answer.steps) <= 2


def test_shapes_may_come_in_any_order(scaled: ingot.Executor) -> None:
    random = np.random.default_rng(0)
    for count in random.integers(1, 40, 200):
        x = random.standard_normal((count, 4), np.float32)
        np.testing.assert_array_equal(scaled.predict({"x": x}), x * FACTORS)


def test_results_stay_as_they_are_when_others_come(scaled: ingot.Executor) -> None:
    first, second = (scaled.predict(x=np.full((11, 4), value, np.float32)) for value in (1, 2))
    assert (first == FACTORS).all() and (second == 2 * FACTORS).all()


def test_a_wrong_input_is_refused_after_its_shape_was_right(scaled: ingot.Executor) -> None:
    x = np.ones((11, 4), np.float32)
    scaled.predict(x=x)
    for wrong in (
        {},
        {"z": x},
        {"x": x, "z": x},
        {"x": np.ones((11, 4), np.float64)},
        {"x": np.ones((11, 5), np.float32)},
    ):
        with pytest.raises(ingot.InputError):
            scaled.predict(wrong)
    np.testing.assert_array_equal(scaled.predict(x=x.tolist()), x * FACTORS)
    np.testing.assert_array_equal(scaled.predict(x=np.asfortranarray(x)), x * FACTORS)


@pytest.mark.parametrize("count", [1, 3, 8])
@pytest.mark.parametrize("length", [1, 5])  # NumPy would copy one number into all four
def test_another_shape_of_an_item_is_refused_each_time(
    scaled: ingot.Executor, count: int, length: int
) -> None:
    for _ in range(3):
        with pytest.raises(ingot.InputError, match=r"'x' has the shape .*; expected float32.N ∈ 1..5000, 4"):
            scaled.predict(x=np.ones((count, length), np.float32))
        with pytest.raises(ingot.InputError, match="has the shape"):
            scaled.predict(x=np.ones((count, length), np.float32), out=np.empty((count, 4), np.float32))


def test_outputs_are_written_where_the_caller_wants_them(target: str) -> None:
    executor = _executor(TWO, target, {"N": range(1, 65)})
    for count in (3, 19):
        x, z = np.random.default_rng(count).standard_normal((2, count, 4), np.float32)
        out = (np.empty((count, 4), np.float32), np.empty(count, np.float32))
        assert executor.predict({"x": x, "z": z}, out=out) is out
        np.testing.assert_array_equal(out[0], x - z)
        np.testing.assert_array_equal(out[1], x.max(1))
        executor.set_input({"x": x, "z": z})
        executor.run()
        np.testing.assert_array_equal(executor.get_output("y"), x - z)
        assert executor.profile({"x": x, "z": z}, repeat=1)


def test_two_extents_of_items_are_one_native_call(target: str) -> None:
    executor = _executor(NEGATED, target, {"N": range(1, 65), "M": [1, 2]})
    for shape in ((1, 5), (3, 1), (9, 2), (1, 2)):
        x = np.random.default_rng(0).standard_normal((*shape, 4), np.float32)
        np.testing.assert_array_equal(executor.predict(x=x), -x)


@pytest.mark.parametrize("text", [SCALED, TWO], ids=["small", "several inputs"])
def test_new_shapes_take_no_memory(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shaped, "ANSWERS_MAX", 50)
    executor = _executor(text, "llvmjit", {"N": range(1, 601)})
    arrays = [np.ones((600, 4), np.float32) for _ in executor.inputs]

    def traced(counts: range) -> int:
        for count in counts:
            executor.predict(
                {tensor.name: array[:count] for tensor, array in zip(executor.inputs, arrays, strict=True)}
            )
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before, after = traced(range(1, 201)), traced(range(201, 601))
    finally:
        tracemalloc.stop()
    assert after <= before + 65536  # of 400 answers that are kept it is over 500 KB
