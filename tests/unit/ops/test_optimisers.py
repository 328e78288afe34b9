from __future__ import annotations

import numpy as np
import onnx
import pytest

import ingot
from ingot.base.errors import ModelError
from tests.support.onnx_text import agrees, run

KINDS = {"Adagrad": "GH", "Adam": "GVH", "Momentum": "GV"}  # gradients and states, besides the weights
ATTRIBUTES = {
    "Adagrad": {"decay_factor": 0.1, "norm_coefficient": 0.01, "epsilon": 1e-3},
    "Adam": {"norm_coefficient": 0.01, "norm_coefficient_post": 0.02},
    "Momentum": {"alpha": 0.9, "beta": 0.5, "mode": "nesterov", "norm_coefficient": 0.01},
}


def step(
    op: str, shapes: list[tuple[int, ...]], kind: type = np.float32
) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """A model of one update of tensors of these shapes, and inputs for it; states are not below zero."""
    rng, element = np.random.default_rng(0), onnx.helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    given = {
        f"{name}{n}": rng.random(shape).astype(kind)
        for name in "X" + KINDS[op]
        for n, shape in enumerate(shapes)
    }
    made = [f"{name}{n}" for name in "X" + KINDS[op][1:] for n in range(len(shapes))]
    node = onnx.helper.make_node(
        op,
        ["R", "T", *given],
        [f"{name}_new" for name in made],
        domain="ai.onnx.preview.training",
        **ATTRIBUTES[op],
    )
    info = onnx.helper.make_tensor_value_info
    inputs = [info("R", element, []), info("T", onnx.TensorProto.INT64, [])]
    inputs += [info(name, element, array.shape) for name, array in given.items()]
    outputs = [info(f"{name}_new", element, given[name].shape) for name in made]
    imports = [onnx.helper.make_opsetid("ai.onnx.preview.training", 1)]
    model = onnx.helper.make_model(
        onnx.helper.make_graph([node], "m", inputs, outputs), opset_imports=imports
    )
    return model, given | {"R": np.array(0.1, kind)}


@pytest.mark.parametrize("op", KINDS)
@pytest.mark.parametrize("updates", [0, 7])
def test_weights_and_states_are_those_of_the_reference(op: str, updates: int) -> None:
    model, given = step(op, [(3, 2), (4,)])
    agrees(model, **given, T=np.array(updates))


@pytest.mark.parametrize("op", KINDS)
def test_compiled_weights_are_those_of_the_definition(op: str) -> None:
    model, given = step(op, [(5,)], np.float64)
    given["T"] = np.array(3)
    got = ingot.build(model, "llvmjit", cache=None).load()["m"](ingot.cpu(0)).predict(**given)
    for one, other in zip(got, run(model, **given), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_tensors_that_lack_a_state_are_refused() -> None:
    model, _ = step("Adam", [(3,), (3,)])
    del model.graph.node[0].input[-1]
    with pytest.raises(ModelError, match="should be a multiple of 4"):
        ingot.build(model, "interp", cache=None)
