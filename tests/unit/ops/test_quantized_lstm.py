"""LSTMs of 8-bit weights against what they mean, written down in NumPy, and against onnxruntime: weights of both types, zero
points, directions, sequences that end early, every kind of product that machines have, and how large a library is.
"""

from __future__ import annotations

import platform
from dataclasses import replace

import numpy as np
import pytest

import ingot
from ingot.base.errors import UnsupportedError
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.loops.nodes import For, LoopKind
from ingot.loops.transform.rewrite import statements
from ingot.machines.tuning import Recurrent
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.memory.memory import plan_memory
from ingot.plan.schedule.schedule import schedule
from tests.support import machines
from tests.support.contrib import by_ingot, by_onnxruntime, contrib_node
from tests.support.draft_eval import evaluate_draft
from tests.support.kernel_c import needs_cc
from tests.support.kernel_opencl import needs_opencl
from tests.support.program_eval import evaluate_program

# One step more or less of a state's quantized value, which rounding of another order may give, times a weight.
FLIP = 2e-3
EXACT = {"rtol": 2e-5, "atol": 2e-6}
OUTPUTS = (np.float32,) * 3
WITHOUT_DOTS = ["llvmjit -mcpu=native -mattr=-avx512vnni,-avxvnni"] if platform.machine() == "x86_64" else []
# By what a step of a sum takes: words of either sign, pairs, single weights by a lane, and scalars of any machine.
MACHINES = {
    "words": replace(machines.AVX512, dot_i8x4=True),
    "signed words": replace(machines.NEON, dot_i8x4=True, dot_i8x4_signed=True),
    "pairs": replace(machines.AVX2, dot_i16x2=True),
    "lanes": machines.NEON,
    "scalars": machines.SCALARS,
    "groups": replace(machines.SCALARS, grid=True),
}
NAMES = ["x", "w", "r", "b", "lengths", "h", "c", "p", "ws", "wz", "rs", "rz"]
ALL_OPERANDS = ("b", "lengths", "h", "c", "p")


def operands(
    steps=1,
    batch=2,
    width=3,
    hidden=5,
    directions=1,
    used=ALL_OPERANDS,
    kind=np.int8,
    by_column=False,
    zero=0,
    seed=1,
):
    """Random inputs of a node by name, those that are not `used` None. States and inputs are never all zero."""
    rng = np.random.default_rng(seed)
    info = np.iinfo(kind)
    columns = 4 * hidden

    def real(*shape):
        return rng.standard_normal(shape).astype(np.float32)

    def weights(depth):
        return rng.integers(info.min, info.max + 1, (directions, depth, columns)).astype(kind)

    scales = (directions, columns) if by_column else (directions,)

    def parameters(depth):
        scale = (0.5 + rng.random(scales)).astype(np.float32) / (64 * np.sqrt(depth).astype(np.float32))
        return scale, np.full(scales, zero, kind)

    made = {
        "x": real(steps, batch, width), "w": weights(width), "r": weights(hidden), "b": real(directions, 8 * hidden),
        "lengths": np.resize(np.array([max(1, steps // 2), steps, 1], np.int32), batch), "h": real(directions, batch, hidden),
        "c": real(directions, batch, hidden), "p": real(directions, 3 * hidden),
    }  # fmt: skip
    made["ws"], made["wz"] = parameters(width)
    made["rs"], made["rz"] = parameters(hidden)
    return {name: made[name] if name not in ALL_OPERANDS or name in used else None for name in NAMES}


def node(inputs, **attributes):
    directions, hidden, _ = inputs["r"].shape
    direction = {"direction": "bidirectional"} if directions == 2 else {}
    fed = ["x", "lengths", "h", "c"]
    made = contrib_node(
        "DynamicQuantizeLSTM", inputs, OUTPUTS, fed=fed, hidden_size=hidden, **direction | attributes
    )
    return made, {name: inputs[name] for name in fed if inputs[name] is not None}


def quantize(x):
    low, high = np.float32(min(x.min(), 0)), np.float32(max(x.max(), 0))
    scale = np.float32(high - low) / np.float32(255) if high > low else np.float32(1 / 255)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    return np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.int64) - int(zero), scale


def product(x, weights, scales, zeros, number):
    values, scale = quantize(x)
    columns = weights.shape[-1]
    scales, zeros = (
        np.broadcast_to(one.reshape(len(weights), -1)[number], columns) for one in (scales, zeros)
    )
    return (values @ (weights[number].astype(np.int64) - zeros)).astype(np.float32) * (scale * scales)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def meant(inputs, reverse=False, clip=None, input_forget=False):
    """Y, Y_h and Y_c: the inputs are quantized as a whole, the state of each sequence in each step."""
    x, (directions, hidden, _) = inputs["x"], inputs["r"].shape
    steps, batch, _ = x.shape
    lengths = inputs["lengths"] if inputs["lengths"] is not None else np.full(batch, steps)
    y = np.zeros((steps, directions, batch, hidden), np.float32)
    last = np.zeros((2, directions, batch, hidden), np.float32)
    bound = np.inf if clip is None else clip
    for number in range(directions):
        begins = product(
            x.reshape(steps * batch, -1), inputs["w"], inputs["ws"], inputs["wz"], number
        ).reshape(steps, batch, -1)
        if inputs["b"] is not None:
            begins = begins + inputs["b"][number, : 4 * hidden] + inputs["b"][number, 4 * hidden :]
        p = np.zeros(3 * hidden) if inputs["p"] is None else inputs["p"][number]
        for b in range(batch):
            h, c = (
                np.zeros(hidden, np.float32) if inputs[one] is None else inputs[one][number, b]
                for one in "hc"
            )
            order = range(int(lengths[b]))
            for t in reversed(order) if reverse or number == 1 else order:
                gates = begins[t, b] + product(h, inputs["r"], inputs["rs"], inputs["rz"], number)
                i, o, f, g = gates.reshape(4, hidden)
                i = sigmoid(np.clip(i + p[:hidden] * c, -bound, bound))
                f = 1 - i if input_forget else sigmoid(np.clip(f + p[2 * hidden :] * c, -bound, bound))
                c = (f * c + i * np.tanh(np.clip(g, -bound, bound))).astype(np.float32)
                h = sigmoid(np.clip(o + p[hidden : 2 * hidden] * c, -bound, bound)) * np.tanh(c)
                h = h.astype(np.float32)
                y[t, number, b] = h
            last[:, number, b] = h, c
    return [y, *last]


def evaluated(model, feeds):
    return evaluate_draft(to_draft(read_model(model), ALL), feeds)


def same(got, expected, **tolerance):
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, **tolerance)


# ─── what it means ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize("zero", [0, 9, 127])
def test_a_step_sums_quantized_states_times_quantized_weights(kind, by_column, zero):
    """Of one step nothing depends on how functions are rounded. Weights without a zero point of 9 are no int8."""
    inputs = operands(directions=2, kind=kind, by_column=by_column, zero=zero)
    same(evaluated(*node(inputs)), meant(inputs), **EXACT)


@pytest.mark.parametrize("used", [(), ("h",), ("lengths",), ("b", "c"), ALL_OPERANDS])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_steps_with_any_operands_in_all_directions(used, direction):
    inputs = operands(steps=4, batch=3, directions=2 if direction == "bidirectional" else 1, used=used)
    same(
        evaluated(*node(inputs, direction=direction)),
        meant(inputs, direction == "reverse"),
        rtol=0,
        atol=FLIP,
    )


def test_gates_are_clipped_and_coupled_as_those_of_other_lstms():
    inputs = operands(steps=3)
    same(
        evaluated(*node(inputs, clip=0.4, input_forget=1)),
        meant(inputs, clip=0.4, input_forget=True),
        rtol=0,
        atol=FLIP,
    )


@pytest.mark.parametrize("hidden", [1, 40])
@pytest.mark.parametrize("machine", MACHINES)
def test_every_kind_of_product_has_the_same_sums(machine, hidden):
    inputs = operands(batch=3, hidden=hidden, kind=np.uint8, zero=77, by_column=True)
    model, feeds = node(inputs)
    program = schedule(fuse(to_draft(read_model(model), ALL)), MACHINES[machine])
    same(evaluate_program(program, plan_memory(program), feeds), meant(inputs), **EXACT)


@pytest.mark.parametrize("target", ["llvmjit", "llvmjit -mcpu=generic", *WITHOUT_DOTS])
def test_compiled_code_has_the_same_sums(target):
    inputs = operands(batch=3, hidden=41, zero=-77, by_column=True)
    model, feeds = node(inputs)
    same(by_ingot(model, feeds, target), meant(inputs), **EXACT)


@pytest.mark.parametrize("target", ["interp", pytest.param("c", marks=[pytest.mark.cc, needs_cc])])
def test_every_code_generator_has_the_same_sums(target):
    inputs = operands(batch=2, hidden=9, directions=2, zero=5)
    model, feeds = node(inputs)
    same(by_ingot(model, feeds, target), meant(inputs), **EXACT)


@pytest.mark.cc
@pytest.mark.opencl
@needs_opencl
def test_a_device_has_the_same_sums():
    inputs = operands(batch=2, hidden=9, directions=2, zero=5)
    model, feeds = node(inputs)
    made = ingot.build(model, {"host": "llvm", "accel": "opencl"}, place={"*": "accel"}, cache=None).load()[
        "g"
    ]
    same(made(ingot.cpu(0), devices={"accel": [ingot.opencl(0)]}).predict(feeds), meant(inputs), **EXACT)


def test_a_state_of_zeros_has_a_scale():
    inputs = operands(used=("h", "b"))
    inputs["h"][:, 0] = 0
    got = evaluated(*node(inputs))
    assert np.isfinite(got[0]).all()
    same(got, meant(inputs), **EXACT)


# ─── onnxruntime ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("kind", "direction"), [(np.uint8, "forward"), (np.int8, "reverse"), (np.int8, "bidirectional")]
)
def test_one_sequence_agrees_with_onnxruntime(kind, direction):
    directions = 2 if direction == "bidirectional" else 1
    for steps, tolerance in ((1, EXACT), (5, {"rtol": 0, "atol": FLIP})):
        inputs = operands(steps, 1, 5, 9, directions, kind=kind, zero=3, used=("b", "h", "c"))
        model, feeds = node(inputs, direction=direction)
        same(evaluated(model, feeds), by_onnxruntime(model, feeds), **tolerance)


def test_a_sequence_has_the_same_results_whatever_is_beside_it():
    """onnxruntime quantizes the states of a batch together: what is beside a sequence changes its results."""
    inputs = operands(used=("h",))
    inputs["h"][:, 1] *= 50
    model, feeds = node(inputs)
    beside = {**feeds, "h": feeds["h"] * np.array([1, 0], np.float32)[:, None]}
    results, others = evaluated(model, feeds), evaluated(model, beside)
    np.testing.assert_array_equal(results[0][:, :, 0], others[0][:, :, 0])
    assert np.abs(by_onnxruntime(model, feeds)[0][:, :, 0] - results[0][:, :, 0]).max() > FLIP


# ─── threads and sizes ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("batch", "hidden", "directions"), [(1, 190, 1), (7, 368, 1), (1, 190, 2), (2, 40, 2)]
)
def test_threads_share_steps_out_with_equal_results(batch, hidden, directions):
    inputs = operands(3, batch, 8, hidden, directions, used=("b", "h"))
    model, feeds = node(inputs)
    library = ingot.build(model, "llvmjit", cache=None).load()["g"]
    one, two = (library(threads=threads).predict(**feeds) for threads in (1, 2))
    for alone, together in zip(one, two, strict=True):
        np.testing.assert_array_equal(alone, together)
    same(one, meant(inputs), rtol=0, atol=FLIP)
    machine = machines.AVX2
    kernel = schedule(fuse(to_draft(read_model(model), ALL)), machine).calls[-1].kernel
    loops = {
        one.var.name
        for one in statements(kernel.body)
        if isinstance(one, For) and one.kind is LoopKind.PARALLEL
    }
    shared = (
        4 * hidden**2 > (Recurrent().shared_min_bytes if batch > 3 else Recurrent().alone_shared_min_bytes)
        and directions == 1
    )
    assert ("gate_group" in loops) == shared


def test_weights_take_as_many_bytes_as_in_the_model():
    inputs = operands(4, 1, 256, 250, used=("b",))
    model, _ = node(inputs)
    for machine in MACHINES.values():
        constants = schedule(fuse(to_draft(read_model(model), ALL)), machine).constants
        assert sum(one.nbytes for one in constants.values()) <= 1.06 * len(model.SerializeToString())


# ─── refusals ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"rs": np.ones(3, np.float32)}, "expected one of each for a direction, or for each column"),
        ({"rz": np.zeros(1, np.uint8)}, "expected int8 or uint8, both the same"),
        ({"x": np.zeros((0, 2, 3), np.float32)}, "expected float32 elements"),
        ({"b": np.zeros((1, 7), np.float32)}, "bias"),
    ],
)
def test_a_node_that_is_none_is_refused_with_what_was_expected(changed, sentence):
    model, _ = node(operands(used=("b",)) | changed)
    with pytest.raises(UnsupportedError, match=sentence):
        ingot.build(model, "interp")


def test_weights_that_are_no_constants_are_refused():
    inputs = operands(used=())
    model = contrib_node("DynamicQuantizeLSTM", inputs, OUTPUTS, fed=["x", "r"], hidden_size=5)
    with pytest.raises(UnsupportedError, match="must be a constant"):
        ingot.build(model, "interp")
