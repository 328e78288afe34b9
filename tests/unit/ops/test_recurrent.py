"""Recurrent networks against onnxruntime: directions, activations, peepholes, clipping, sequences that end early."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import ingot
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.kernels.template import SPARE_BYTES
from ingot.loops.nodes import Call, For, If, LoopKind
from ingot.loops.transform.rewrite import expressions, statements, walk
from ingot.machines.tuning import Recurrent
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.schedule.schedule import schedule
from ingot.plan.schedule.write import problem_digest
from tests.support import machines
from tests.support.draft_eval import evaluate_draft

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
STEPS, BATCH, WIDTH, HIDDEN = 4, 2, 3, 5


def answers(op, operands, constant, batch=BATCH, **attributes):
    """What ingot and onnxruntime give for one node, with weights as constants or as inputs."""
    directions = 2 if attributes.get("direction") == "bidirectional" else 1
    shapes = {
        "X": (STEPS, batch, WIDTH),
        "W": (directions, GATES[op] * HIDDEN, WIDTH),
        "R": (directions, GATES[op] * HIDDEN, HIDDEN),
        "B": (directions, 2 * GATES[op] * HIDDEN),
        "sequence_lens": (batch,),
        "initial_h": (directions, batch, HIDDEN),
        "initial_c": (directions, batch, HIDDEN),
        "P": (directions, 3 * HIDDEN),
    }
    rng = np.random.default_rng(7)
    values = {name: rng.normal(scale=0.7, size=shape).astype(np.float32) for name, shape in shapes.items()}
    values["sequence_lens"] = np.resize(np.array([2, STEPS, 1, 3], np.int32), batch)
    outputs = ["Y", "Y_h", "Y_c"][: 3 if op == "LSTM" else 2]
    names = list(shapes)[: max(list(shapes).index(name) for name in operands) + 1]
    used = [name if name in operands else "" for name in names]
    node = helper.make_node(op, used, outputs, hidden_size=HIDDEN, **attributes)
    fixed = [name for name in ("W", "R", "B", "P") if name in operands and constant]
    inputs = [
        helper.make_tensor_value_info(
            name, TensorProto.INT32 if name == "sequence_lens" else TensorProto.FLOAT, shapes[name]
        )
        for name in operands
        if name not in fixed
    ]
    last = (directions, batch, HIDDEN)
    results = ((STEPS, *last), last, last)
    graph = helper.make_graph(
        [node],
        "recurrent",
        inputs,
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in zip(outputs, results, strict=False)
        ],
        [numpy_helper.from_array(values[name], name) for name in fixed],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    onnx.checker.check_model(model)
    feeds = {one.name: values[one.name] for one in inputs}
    expected = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    ).run(None, feeds)
    return evaluate_draft(to_draft(read_model(model), ALL), feeds), expected


ALL_OPERANDS = ("X", "W", "R", "B", "sequence_lens", "initial_h")


@pytest.mark.parametrize("op", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("batch", [5, 12])
def test_sequences_that_share_weights_may_end_at_different_steps(op, batch):
    got, expected = answers(op, ALL_OPERANDS, True, batch=batch, direction="bidirectional")
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("op", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("constant", [True, False])
def test_all_directions_with_all_operands(op, direction, constant):
    operands = (*ALL_OPERANDS, "initial_c", "P") if op == "LSTM" else ALL_OPERANDS
    got, expected = answers(op, operands, constant, direction=direction)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("bias", [True, False])
def test_a_gru_that_resets_behind_the_product(direction, bias):
    operands = ("X", "W", "R", "B") if bias else ("X", "W", "R")
    got, expected = answers("GRU", operands, True, direction=direction, linear_before_reset=1)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "name",
    ["Relu", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid", "Elu", "Softsign", "Softplus"],
)
def test_every_activation(name):
    extra = {}
    if name in ("LeakyRelu", "ThresholdedRelu", "Elu"):
        extra = {"activation_alpha": [0.3]}
    elif name in ("ScaledTanh", "HardSigmoid"):
        extra = {"activation_alpha": [0.3], "activation_beta": [0.6]}
    got, expected = answers("RNN", ("X", "W", "R", "B"), True, activations=[name], **extra)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_gates_are_clipped_before_their_activation():
    got, expected = answers("LSTM", ("X", "W", "R", "B"), True, clip=0.4)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_input_and_forget_gates_can_be_coupled():
    got, expected = answers("LSTM", ("X", "W", "R", "B"), True, input_forget=1)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("op", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize(
    ("batch", "hidden", "extra"),
    [(1, 40, {}), (1, 128, {}), (7, 37, {}), (17, 130, {}), (5, 32, {"linear_before_reset": 1})],
)
def test_compiled_tiles_of_packed_weights_agree_with_onnxruntime(op, batch, hidden, extra):
    got, expected = compiled(op, batch, hidden, extra)
    for one, other in zip(got[0], expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("op", "batch", "hidden", "extra"),
    [
        ("RNN", 1, 400, {}),
        ("GRU", 1, 217, {}),
        ("GRU", 7, 224, {"linear_before_reset": 1}),
        ("LSTM", 2, 192, {"direction": "reverse"}),
        ("LSTM", 1, 200, {}),
        ("LSTM", 1, 128, {}),
        ("LSTM", 1, 200, {"direction": "bidirectional"}),
        ("LSTM", 3, 101, {"direction": "reverse"}),
        ("GRU", 1, 128, {}),
        ("GRU", 1, 130, {"linear_before_reset": 1}),
    ],
)
def test_steps_of_large_weights_are_shared_out_to_threads_with_equal_results(op, batch, hidden, extra):
    assert GATES[op] * hidden * hidden * 4 > (
        Recurrent().shared_min_bytes if batch > 3 else Recurrent().alone_shared_min_bytes
    )
    (one, two), expected = compiled(op, batch, hidden, extra)
    for alone, together, other in zip(one, two, expected, strict=True):
        np.testing.assert_array_equal(alone, together)
        np.testing.assert_allclose(alone, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("op", "batch", "hidden", "one_task"),
    [
        ("RNN", 1, 16, True),
        ("LSTM", 1, 64, True),
        ("GRU", 3, 130, True),
        ("LSTM", 9, 32, False),
        ("GRU", 1, 217, False),
    ],
)
def test_two_threads_do_a_direction_each_where_it_is_one_task(op, batch, hidden, one_task):
    extra = {"direction": "bidirectional"}
    (one, two), expected = compiled(op, batch, hidden, extra)
    for alone, together, other in zip(one, two, expected, strict=True):
        np.testing.assert_array_equal(alone, together)
        np.testing.assert_allclose(alone, other, rtol=1e-4, atol=1e-5)
    machine = machines.AVX2
    model, _ = network(op, batch, hidden, extra, STEPS)
    kernel = schedule(fuse(to_draft(read_model(model), ALL)), machine).calls[-1].kernel
    parallel = [
        one for one in statements(kernel.body) if isinstance(one, For) and one.kind is LoopKind.PARALLEL
    ]
    assert any(isinstance(one.body[0], If) for one in parallel) == one_task


@pytest.mark.parametrize(
    ("op", "steps", "extra"), [("LSTM", 13, {"direction": "reverse"}), ("GRU", 9, {}), ("LSTM", 1, {})]
)
def test_results_stay_right_over_more_steps_than_one_copy_of_the_weights_serves(op, steps, extra):
    got, expected = compiled(op, 1, 128, extra, steps)
    for results in got:
        for one, other in zip(results, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("weight", [0.5, np.inf])
@pytest.mark.parametrize("op", ["RNN", "GRU", "LSTM"])
def test_a_state_of_zeros_is_multiplied_only_by_weights_that_make_it_none(op, weight):
    model, feeds = network(op, 1, 4, {}, STEPS, weight)
    draft = to_draft(read_model(model), ALL)
    y, _ = evaluate_draft(draft, feeds)
    assert np.isnan(y[0]).any() == np.isinf(weight)


def test_an_initial_state_of_zeros_is_as_good_as_none():
    model, feeds = network("LSTM", 1, 4, {}, STEPS)
    plain, _ = evaluate_draft(to_draft(read_model(model), ALL), feeds)
    for value, operands in ((0, 2), (1, 3)):
        given = onnx.ModelProto.FromString(model.SerializeToString())
        given.graph.initializer.append(
            numpy_helper.from_array(np.full((1, 1, 4), value, np.float32), "initial_h")
        )
        given.graph.node[0].input.extend(["", "initial_h"])
        draft = to_draft(read_model(given), ALL)
        (step,) = [one for one in draft.steps if "cell" in getattr(one.definition, "spec", {})]
        assert len(step.inputs) == operands
        assert np.array_equal(evaluate_draft(draft, feeds)[0], plain) == (value == 0)


def test_weights_are_stored_twice_only_as_long_as_the_file_may_grow():
    def spent(layers, l2_bytes=1 << 20, **fields):
        machine = replace(machines.AVX512, l2_bytes=l2_bytes, **fields)
        model = stacked(layers)
        constants = schedule(fuse(to_draft(read_model(model), ALL)), machine).constants
        weights = [one for one in model.graph.initializer if one.name.startswith(("W", "R"))]
        return sum(one.nbytes for one in constants.values() if one.nbytes >= 1 << 16) - sum(
            len(one.raw_data) for one in weights
        )

    assert [spent(1), spent(2), spent(1, 1 << 19)] == [COPY_BYTES, COPY_BYTES, 0]
    assert spent(1, double_pumped_512=True) == spent(1, l2_fills_use_load_ports=True) == 0


def test_equal_layers_are_one_problem_whatever_is_left_for_second_copies():
    machine = machines.SERVER
    problems = [
        decision.problem
        for decision in schedule(fuse(to_draft(read_model(stacked(2)), ALL)), machine).decisions
    ]
    cells = [one for one in problems if one.fused.template.name == "lstm"]
    assert [one.spare_bytes for one in cells] == [SPARE_BYTES, SPARE_BYTES - COPY_BYTES]
    assert len(set(map(problem_digest, cells))) == 1


@pytest.mark.parametrize(("hidden", "at_once"), [(16, False), (32, True), (96, False)])
def test_gates_of_all_tiles_go_through_their_functions_at_once_while_weights_are_small(hidden, at_once):
    machine = machines.AVX2
    model, _ = network("LSTM", 1, hidden, {}, STEPS)
    kernels = [call_.kernel for call_ in schedule(fuse(to_draft(read_model(model), ALL)), machine).calls]
    loops = [
        one for one in statements(kernels[-1].body) if isinstance(one, For) and one.kind is LoopKind.VECTOR
    ]
    lanes = {int(one.extent.value) for one in loops if any(calls_exp(stmt) for stmt in one.body)}
    assert (lanes == {32}) == at_once
    assert lanes <= {16, 32}


def calls_exp(stmt):
    nodes = (node for expr in expressions(stmt) for node in walk(expr))
    return any(isinstance(node, Call) and node.function in ("exp", "exp_flushed") for node in nodes)


# Of the recurrent weights of a layer of `stacked`: a model may store so many once more, but not twice as many.
COPY_BYTES = 256 * 1024


def stacked(layers):
    """Networks of 128 hidden elements, one behind the other."""
    rng = np.random.default_rng(3)
    nodes, fixed, x = [], [], "X"
    for number in range(layers):
        shapes = {f"W{number}": (1, 512, 128), f"R{number}": (1, 512, 128), f"B{number}": (1, 1024)}
        fixed += [
            numpy_helper.from_array(rng.normal(size=shape).astype(np.float32), name)
            for name, shape in shapes.items()
        ]
        nodes.append(helper.make_node("LSTM", [x, *shapes], [f"Y{number}"], hidden_size=128))
        x = f"Y{number}.flat"
        nodes.append(helper.make_node("Squeeze", [f"Y{number}", "axes"], [x]))
    fixed.append(helper.make_tensor("axes", TensorProto.INT64, (1,), [1]))
    inputs = [helper.make_tensor_value_info("X", TensorProto.FLOAT, (16, 1, 128))]
    outputs = [helper.make_tensor_value_info(x, TensorProto.FLOAT, (16, 1, 128))]
    graph = helper.make_graph(nodes, "stacked", inputs, outputs, fixed)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


def compiled(op, batch, hidden, extra, steps=STEPS):
    """The results of compiled code with one thread and with two, and those of onnxruntime."""
    model, feeds = network(op, batch, hidden, extra, steps)
    expected = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    ).run(None, feeds)
    library = ingot.build(model, "llvmjit", name="recurrent").load()
    return [
        library["recurrent"](ingot.cpu(0), threads=threads).predict(feeds) for threads in (1, 2)
    ], expected


def network(op, batch, hidden, extra, steps, weight=None):
    """A network with constant weights, of which one of the state's may be given, and its input."""
    rng = np.random.default_rng(5)
    directions = 2 if extra.get("direction") == "bidirectional" else 1
    weights = {
        "W": rng.normal(scale=0.3, size=(directions, GATES[op] * hidden, WIDTH)).astype(np.float32),
        "R": rng.normal(scale=0.3, size=(directions, GATES[op] * hidden, hidden)).astype(np.float32),
        "B": rng.normal(scale=0.3, size=(directions, 2 * GATES[op] * hidden)).astype(np.float32),
    }
    if weight is not None:
        weights["R"][0, 0, 0] = weight
    outputs = {"Y": (steps, directions, batch, hidden), "Y_h": (directions, batch, hidden)}
    attributes = {} if op != "GRU" and "linear_before_reset" in extra else extra
    node = helper.make_node(op, ["X", "W", "R", "B"], list(outputs), hidden_size=hidden, **attributes)
    graph = helper.make_graph(
        [node],
        "recurrent",
        [helper.make_tensor_value_info("X", TensorProto.FLOAT, (steps, batch, WIDTH))],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    return model, {"X": rng.normal(size=(steps, batch, WIDTH)).astype(np.float32)}
