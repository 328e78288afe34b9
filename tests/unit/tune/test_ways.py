"""Every variant that a template offers computes the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import ingot
from ingot.artifact.tuning import Measurements, TunedKernel
from ingot.artifact.tuning_json import tuning_to_json
from ingot.base.target import Target
from ingot.codegen.llvmjit.generator import CODEGEN
from ingot.graph.lower import lower
from ingot.graph.prepare import prepare
from ingot.graph.read.read import read_model
from ingot.loops.text import body_text
from ingot.machines.machine import Machine
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.memory.memory import plan_memory
from ingot.plan.program import HOST, Decision, Draft, Program
from ingot.plan.schedule.schedule import schedule
from ingot.plan.schedule.write import problem_digest
from tests.support import machines
from tests.support.paths import DIGITS
from tests.support.program_eval import evaluate_program
from tests.support.tiles import ON, has_float_tiles

SMALL = replace(machines.FEW_REGISTERS, l2_bytes=2048, prefetch=True)


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def codes(seed: int, dtype: type, *shape: int) -> np.ndarray:
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def two_convolutions() -> tuple[onnx.ModelProto, np.ndarray]:
    """The second one gets its channels side by side, as Winograd's algorithm wants them."""
    x, constants = numbers(1, 1, 8, 9, 11), {"v": numbers(2, 32, 8, 1, 1), "w": numbers(3, 32, 32, 3, 3)}
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["x", "v"], ["t"]),
            helper.make_node("Conv", ["t", "w"], ["y"], pads=[1, 1, 1, 1]),
        ],
        "two",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), x


def node(
    op: str,
    x: np.ndarray,
    result: int = TensorProto.FLOAT,
    constants: Mapping[str, np.ndarray] = {},
    **attributes: object,
):
    """A model of one node with the input `x`, and `x` itself."""
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        [helper.make_node(op, ["x", *constants], ["y"], **attributes)],
        "one",
        [helper.make_tensor_value_info("x", kind, x.shape)],
        [helper.make_tensor_value_info("y", result, None)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), x


# Odd sizes, so that tiles, panels and blocks all have remainders.
MODELS = {
    "conv 1x1": node("Conv", numbers(1, 1, 3, 2, 7), constants={"w": numbers(2, 11, 3, 1, 1)}),
    "conv 3x3": node(
        "Conv",
        numbers(1, 1, 2, 3, 9),
        constants={"w": numbers(2, 7, 2, 3, 3)},
        pads=[1, 1, 1, 1],
        strides=[2, 2],
    ),
    "grouped conv": node("Conv", numbers(1, 1, 4, 1, 11), constants={"w": numbers(2, 10, 2, 1, 3)}, group=2),
    "depthwise": node(
        "Conv", numbers(1, 1, 5, 3, 13), constants={"w": numbers(2, 5, 1, 3, 3)}, pads=[1, 1, 1, 1], group=5
    ),
    "transposed conv": node(
        "ConvTranspose", numbers(1, 1, 3, 2, 9), constants={"w": numbers(2, 3, 10, 2, 3)}, strides=[1, 2]
    ),
    "matmul": node("MatMul", numbers(1, 9, 31), constants={"b": numbers(2, 31, 13)}),
    "matmul of one row": node("MatMul", numbers(1, 1, 17), constants={"b": numbers(2, 17, 29)}),
    "integer conv": node(
        "ConvInteger",
        codes(1, np.uint8, 1, 5, 4, 9),
        TensorProto.INT32,
        {"w": codes(2, np.int8, 9, 5, 2, 3), "zero": np.uint8(7)},
        pads=[0, 1, 1, 0],
    ),
    "integer depthwise": node(
        "ConvInteger",
        codes(1, np.uint8, 1, 6, 3, 19),
        TensorProto.INT32,
        {"w": codes(2, np.int8, 6, 1, 3, 3)},
        group=6,
    ),
    # Weights of the state that no first-level cache holds, and more steps than read one copy of them.
    "lstm": node(
        "LSTM",
        numbers(1, 6, 1, 5),
        constants={"w": numbers(2, 1, 228, 5) / 4, "r": numbers(3, 1, 228, 57) / 8},
        hidden_size=57,
    ),
    "gru": node(
        "GRU",
        numbers(1, 6, 1, 5),
        constants={"w": numbers(2, 1, 198, 5) / 4, "r": numbers(3, 1, 198, 66) / 8},
        hidden_size=66,
    ),
    "integer matmul": node(
        "MatMulInteger", codes(1, np.uint8, 7, 13), TensorProto.INT32, {"b": codes(2, np.int8, 13, 11)}
    ),
}


def draft_of(model: onnx.ModelProto, dims: Mapping[str, int] | None = None) -> Draft:
    return fuse(lower(prepare(read_model(model, dims=dims), ALL), ALL))


def ways_of(draft: Draft, machine: Machine) -> Iterator[tuple[Program, Decision]]:
    """The program as its template writes it, and with each other word that is offered, alone."""
    program = schedule(draft, machine)
    usual = program.decisions[-1]
    yield program, usual
    for name, words in usual.offered.items():
        for word in words[1:]:
            program = schedule(draft, machine, wanted={HOST: {problem_digest(usual.problem): {name: word}}})
            decision = program.decisions[-1]
            assert decision.chosen[name] == word
            yield program, decision


@pytest.mark.parametrize("name", MODELS)
def test_all_ways_give_the_same_results(name: str) -> None:
    model, x = MODELS[name]
    (expected,) = onnx.reference.ReferenceEvaluator(model).run(None, {"x": x})
    count = 0
    for program, _ in ways_of(draft_of(model), SMALL):
        (found,) = evaluate_program(program, plan_memory(program), {"x": x})
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 if x.dtype == np.float32 else 0)
        count += 1
    assert count > 1


def test_sums_in_tiles_and_in_vectors_give_the_same_results() -> None:
    """In vectors, how large their tiles are is to be chosen, too."""
    model, x = node("MatMul", numbers(1, 18, 33), constants={"w": numbers(2, 33, 40)})
    (expected,) = onnx.reference.ReferenceEvaluator(model).run(None, {"x": x})
    machine = replace(machines.AVX512, amx_bf16=True, l2_bytes=2**14)
    draft = draft_of(model)
    (usual,) = schedule(draft, machine).decisions
    assert set(usual.offered["matmul"]) == {"amx", "panels"}
    offered = {}
    for word in usual.offered["matmul"]:
        program = schedule(draft, machine, wanted={HOST: {problem_digest(usual.problem): {"matmul": word}}})
        offered[word] = program.decisions[-1].offered
        (found,) = evaluate_program(program, plan_memory(program), {"x": x})
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    assert set(offered["amx"]) == {"matmul"} < set(offered["panels"])


def test_each_direction_of_a_recurrent_network_has_ways_of_its_own() -> None:
    model, x = node(
        "LSTM",
        numbers(1, 6, 1, 5),
        constants={"w": numbers(2, 2, 228, 5) / 4, "r": numbers(3, 2, 228, 57) / 8},
        hidden_size=57,
        direction="bidirectional",
    )
    draft, names = draft_of(model), ("weights", "weights_back")
    (usual,) = [one for one in schedule(draft, SMALL).decisions if one.problem.fused.template.name == "lstm"]
    assert tuple(usual.offered) == names
    results = []
    for chosen in ((0, 0), (0, 1), (1, 0)):
        words = {name: usual.offered[name][one] for name, one in zip(names, chosen, strict=True)}
        program = schedule(draft, SMALL, wanted={HOST: {problem_digest(usual.problem): words}})
        assert any(one.chosen == words for one in program.decisions)
        results.append(evaluate_program(program, plan_memory(program), {"x": x})[0])
    assert all(np.array_equal(one, results[0]) for one in results)


def test_an_answer_for_one_kernel_leaves_those_for_others_what_they_are_for() -> None:
    """Winograd's algorithm for one convolution takes bytes for a second copy of weights, which those behind it then lack."""
    machine = machines.SERVER
    draft = draft_of(onnx.load(DIGITS), {"batch": 1})
    usual, spent = schedule(draft, machine).decisions, 0
    digests = [problem_digest(one.problem) for one in usual]
    for decision in usual:
        for name, words in decision.offered.items():
            for word in words[1:]:
                program = schedule(
                    draft, machine, wanted={HOST: {problem_digest(decision.problem): {name: word}}}
                )
                assert [problem_digest(one.problem) for one in program.decisions] == digests
                spent += program.decisions[-1].problem.spare_bytes != usual[-1].problem.spare_bytes
    assert spent


@pytest.mark.parametrize("name", MODELS)
def test_on_a_grid_nothing_is_offered_that_changes_no_code(name: str) -> None:
    draft = draft_of(MODELS[name][0])
    for decision in schedule(draft, machines.GPU).decisions:
        for chosen, words in decision.offered.items():
            wanted = [{HOST: {problem_digest(decision.problem): {chosen: word}}} for word in words]
            written = {
                tuple(map(body_text, schedule(draft, machines.GPU, wanted=one).kernels)) for one in wanted
            }
            assert len(written) > 1 or len(words) == 1, (
                f"{chosen} is one of {words}, and all are written alike"
            )


TILES = ON if has_float_tiles() else ""
COMPILED = {
    "winograd": two_convolutions(),
    "matmul of strided rows": node("MatMul", numbers(1, 13, 1024), constants={"b": numbers(2, 1024, 70)}),
    "matmul of many rows": node("MatMul", numbers(1, 96, 256), constants={"b": numbers(2, 256, 256)}),
}
CHOICES = {
    "winograd": {"conv", "tile"},
    "matmul of strided rows": {"left", "tile"},
    "matmul of many rows": {"matmul", "tile"},
}


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_ways_give_the_same_results(name: str, tmp_path: Path) -> None:
    model, x = COMPILED[name]
    (expected,) = onnx.reference.ReferenceEvaluator(model).run(None, {"x": x})
    target = CODEGEN.resolve(Target.parse("llvmjit --cores=1" + TILES))
    seen: set[str] = set()
    for _, decision in ways_of(draft_of(model), CODEGEN.machine(target)):
        words = tuple(sorted(decision.chosen.items()))
        kernel = TunedKernel(problem_digest(decision.problem), "any", "any", words, words)
        (tmp_path / "t.json").write_bytes(tuning_to_json((Measurements(str(target), "any", (kernel,)),)))
        built = ingot.build(model, str(target), name="one", tuning=tmp_path / "t.json")
        found = built.load()["one"](ingot.cpu(0)).predict(x=x)
        np.testing.assert_allclose(found, expected, rtol=0, atol=2e-4 * float(np.abs(expected).max()))
        seen |= set(decision.chosen)
    assert seen >= CHOICES[name]


def test_exact_mathematics_offers_no_other_algorithm() -> None:
    model, _ = COMPILED["winograd"]
    draft, machine = draft_of(model), CODEGEN.machine(Target.parse("llvmjit" + TILES))
    (*_, fast), (*_, exact) = (
        schedule(draft, replace(machine, math=math)).decisions for math in ("fast", "exact")
    )
    assert "winograd_f2" in fast.offered["conv"]
    assert set(exact.offered["conv"]) <= {"direct", "input_channels"}
    assert problem_digest(fast.problem) != problem_digest(exact.problem)
