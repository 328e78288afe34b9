"""Tasks for a stated number of cores: equal shares, the same results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx.reference
import pytest
from onnx import TensorProto, helper, numpy_helper

import ingot
from ingot.kernels.blocks.work_split import blocks_of_tasks, used
from ingot.kernels.conv.int8.amx import blocks_of_share
from ingot.machines.tuning import DEFAULT
from tests.support import machines


@pytest.mark.parametrize(
    ("tasks", "most", "cores", "blocks"),
    [
        pytest.param(12, 10, 0, 1, id="enough for any"),
        pytest.param(5, 10, 0, 3, id="too few for any"),
        pytest.param(1, 4, 0, 4, id="as many as there may be"),
        pytest.param(12, 16, 4, 1, id="three for each of four"),
        pytest.param(12, 16, 8, 2, id="twelve for eight: twenty-four, three for each"),
        pytest.param(12, 16, 16, 4, id="twelve for sixteen: forty-eight"),
        pytest.param(72, 16, 16, 2, id="four and a half for each: nine"),
        pytest.param(96, 16, 16, 1, id="six for each"),
        pytest.param(12, 3, 16, 1, id="no better with as many as there may be"),
        pytest.param(7, 2, 16, 2, id="the nearest"),
    ],
)
def test_blocks_give_cores_equal_shares(tasks, most, cores, blocks):
    assert blocks_of_tasks(tasks, most, replace(machines.SCALARS, cores=cores)) == blocks


@pytest.mark.parametrize(
    ("count", "cores", "each"),
    [
        pytest.param(25, 0, 7, id="four shares"),
        pytest.param(24, 0, 2, id="twelve shares"),
        pytest.param(25, 4, 7, id="one for each of four"),
        pytest.param(25, 16, 2, id="thirteen shares"),
        pytest.param(98, 16, 7, id="fourteen"),
        pytest.param(5, 16, 1, id="fewer blocks than cores"),
    ],
)
def test_cores_have_equally_many_blocks_of_codes_in_tiles(count, cores, each):
    assert blocks_of_share(replace(machines.SCALARS, cores=cores), count) == each


def test_what_is_used_is_the_share_of_all_cores_time():
    assert used(12, 16) == 0.75
    assert used(24, 16) == 0.75
    assert used(48, 16) == 1
    tasks = DEFAULT.threads.tasks
    assert tasks % 2 == tasks % 3 == tasks % 4 == 0


def encoder_like() -> onnx.ModelProto:
    """A product with few panels, and attention with few heads."""
    random = np.random.default_rng(5)
    heads, width, keys = 3, 32, 56
    weights = {
        "w": random.standard_normal((heads * width, heads * width)).astype(np.float32) / 10,
        "shape": np.array([1, keys, heads, width]),
        "back": np.array([1, keys, heads * width]),
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["q"]),
        helper.make_node("Reshape", ["q", "shape"], ["split"]),
        helper.make_node("Transpose", ["split"], ["heads"], perm=[0, 2, 1, 3]),
        helper.make_node("Transpose", ["split"], ["turned"], perm=[0, 2, 3, 1]),
        helper.make_node("MatMul", ["heads", "turned"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["shares"], axis=-1),
        helper.make_node("MatMul", ["shares", "heads"], ["mixed"]),
        helper.make_node("Transpose", ["mixed"], ["beside"], perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["beside", "back"], ["y"]),
    ]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, (1, keys, heads * width)) for name in "xy")
    constants = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "g", [x], [y], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("cores", [1, 2, 3, 8, 16])
def test_answers_do_not_depend_on_the_number_of_threads(cores):
    x = np.random.default_rng(6).standard_normal((1, 56, 96)).astype(np.float32)
    made = encoder_like()
    (expected,) = onnx.reference.ReferenceEvaluator(made).run(None, {"x": x})
    library = ingot.build(made, f"llvmjit --cores={cores}", name="m").load()
    answers = [np.array(library["m"](ingot.cpu(0), threads=threads).predict(x=x)) for threads in (1, 2, 5)]
    np.testing.assert_allclose(answers[0], expected, rtol=1e-4, atol=1e-4)
    for answer in answers[1:]:
        np.testing.assert_array_equal(answer, answers[0])
