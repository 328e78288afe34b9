"""Models of which nothing is left to compute: outputs that are constants or inputs, also without any input."""

import numpy as np
import pytest

import ingot
from tests.support.c_program import compile_c, program, result, run_c
from tests.support.models import model

RANGE = """m (int64 start, int64 stop) => (int64[n] numbers, float[2] pair) <int64 step = {2}, float[2] c = {0.5, -2}> {
    numbers = Range(start, stop, step) pair = Identity(c)
}"""
PASSED = """m (float[2] x) => (float[2] x, float[2] again, float[2] pair) <float[2] c = {0.5, -2}> {
    again = Identity(x) pair = Identity(c)
}"""
BOUND = {"start": np.array(1), "stop": np.array(6)}
PAIR = np.array([0.5, -2], np.float32)


@pytest.mark.parametrize("target", ["interp", "llvmjit", pytest.param("c", marks=pytest.mark.cc)])
@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_outputs_that_are_known_while_building_are_given(target, executor):
    made = ingot.build(model(RANGE), target, constants=BOUND, executor=executor, cache=None).load()["m"]()
    assert made.inputs == ()
    numbers, pair = made.predict()
    assert numbers.tolist() == [1, 3, 5] and numbers.dtype == np.int64
    np.testing.assert_array_equal(pair, PAIR)


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
def test_an_input_that_is_an_output_and_constants_beside_it_are_given(target):
    made = ingot.build(model(PASSED), target, cache=None).load()["m"]()
    x = np.array([3, 4], np.float32)
    for got, expected in zip(made.predict(x=x), (x, x, PAIR), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_an_output_without_elements_is_given():
    made = ingot.build(model(RANGE), "llvmjit", constants=BOUND | {"stop": np.array(0)}, cache=None).load()[
        "m"
    ]()
    assert made.predict()[0].shape == (0,)


@pytest.mark.cc
def test_c_calls_a_model_that_has_no_inputs(tmp_path):
    made = ingot.build(model(RANGE), "c", constants=BOUND, cache=None)
    made.export_library(tmp_path / "m.so")
    (tmp_path / "m.h").write_text(made.c_header())
    text = program("m", [], ["numbers", "pair"], header="m.h")
    main = compile_c(text, tmp_path, "-L.", "-l:m.so", "-Wl,-rpath,$ORIGIN")
    assert run_c(main, []) == 0
    assert result(main, 0, np.zeros(3, np.int64)).tolist() == [1, 3, 5]
    np.testing.assert_array_equal(result(main, 1, PAIR), PAIR)


@pytest.mark.cc
def test_an_archive_of_a_model_without_inputs_is_linked_and_runs(tmp_path):
    made = ingot.build(model(RANGE), "c", constants=BOUND, cache=None)
    made.export_model_library_format(tmp_path / "m.tar")
    assert ingot.load(tmp_path / "m.tar")["m"]().predict()[0].tolist() == [1, 3, 5]
