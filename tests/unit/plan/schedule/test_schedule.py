"""What a kernel is told about the model around it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from onnx import numpy_helper

import ingot
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.kernels.template import Home
from ingot.ops.registry import ALL
from ingot.plan.program import Draft, Program
from ingot.plan.schedule import schedule
from ingot.plan.schedule.body import home_of
from ingot.plan.schedule.write import Written
from tests.support import machines
from tests.support.drafts import assert_same_results, draft_of
from tests.support.models import model

KIB = 1024


@pytest.mark.parametrize(
    ("weight_bytes", "home"),
    [
        *((0, Home.CORE), (1300 * KIB, Home.CORE), (1500 * KIB, Home.SPLIT), (2700 * KIB, Home.SPLIT)),
        *((2800 * KIB, Home.SHARED), (16 << 20, Home.SHARED), (17 << 20, Home.MEMORY)),
    ],
)
def test_the_size_of_all_weights_says_where_they_are(weight_bytes, home):
    assert home_of(replace(machines.SCALARS, l2_bytes=1024 * KIB), weight_bytes) is home


def test_where_there_is_no_cache_weights_are_in_memory():
    machine = replace(machines.SCALARS, l2_bytes=0)
    assert home_of(machine, 0) is Home.CORE and home_of(machine, 1) is Home.MEMORY


def test_an_input_of_which_only_padding_is_read_is_not_prefetched_either():
    made = model(
        "g (float[1,3,1,1] x) => (float[1,4,2,2] y) { y = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w, b) }"
    )
    bias = np.arange(4, dtype=np.float32)
    made.graph.initializer.extend(
        numpy_helper.from_array(array, name)
        for name, array in (("w", np.ones((4, 3, 1, 1), np.float32)), ("b", bias))
    )
    library = ingot.build(made, "llvmjit", cache=None).load()
    y = library["g"](ingot.cpu(0)).predict(x=np.ones((1, 3, 1, 1), np.float32))
    np.testing.assert_array_equal(y, np.broadcast_to(bias[None, :, None, None], y.shape))


@pytest.mark.parametrize(
    "step",
    [
        "{out} = ReduceSum <keepdims = 0>({read}, last)",
        "{out} = ReduceMax <axes = [1], keepdims = 0>({read})",
        "i{out} = ArgMax <axis = 1, keepdims = 0>({read}) {out} = Cast <to = 1>(i{out})",
    ],
)
def test_steps_that_fold_different_lengths_of_one_input_have_kernels_of_their_own(step: str) -> None:
    """What a step reads through an expression has no buffer that tells its extents."""
    parts = [
        f"s{end} = Slice(x, zero, end{end}, last) e{end} = Exp(s{end}) {step.format(out=f'y{end}', read=f'e{end}')}"
        for end in (5, 7, 9)
    ]
    draft = draft_of(
        f"""g (float[4,16] x) => (float[4] y5, float[4] y7, float[4] y9)
        <int64[1] zero = {{0}}, int64[1] last = {{1}}, int64[1] end5 = {{5}}, int64[1] end7 = {{7}},
         int64[1] end9 = {{9}}> {{ {" ".join(parts)} }}"""
    )
    assert len(assert_same_results(draft).kernels) == 3


def test_layers_that_differ_in_their_weights_only_are_simplified_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That takes most of the time of planning, and a network has some layers many times."""
    simplified: list[object] = []
    finished = schedule.finished
    monkeypatch.setattr(schedule, "finished", lambda *args: (simplified.append(args), finished(*args))[1])
    counts = []
    for layers in (4, 9):
        nodes = "  ".join(f"c{n} = MatMul(a{n}, w{n})  a{n + 1} = Relu(c{n})" for n in range(layers))
        made = model(f"g (float[2,8] a0) => (float[2,8] y) {{ {nodes}  y = Neg(a{layers}) }}")
        random = np.random.default_rng(1)
        weights = [random.standard_normal((8, 8)).astype(np.float32) for _ in range(layers)]
        made.graph.initializer.extend(
            numpy_helper.from_array(array, f"w{n}") for n, array in enumerate(weights)
        )
        simplified.clear()
        x = expected = random.standard_normal((2, 8)).astype(np.float32)
        y = ingot.build(made, "interp", cache=None).load()["g"]().predict(a0=x)
        for array in weights:
            expected = np.maximum(expected @ array, 0)
        np.testing.assert_allclose(y, -expected, rtol=1e-4, atol=1e-4)
        counts.append(len(simplified))
    assert counts[0] == counts[1]


def _layers(*weights: np.ndarray) -> Draft:
    size = len(weights[0])
    steps = [f"x{number + 1} = MatMul(x{number}, w{number})" for number in range(len(weights))]
    text = f"g (float[16,{size}] x0) => (float[16,{size}] x{len(weights)}) {{ {' '.join(steps)} }}"
    proto = model(text)
    proto.graph.initializer.extend(
        numpy_helper.from_array(array, f"w{number}") for number, array in enumerate(weights)
    )
    return to_draft(read_model(proto), ALL)


def _pairwise(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], Program]:
    """The algorithms of the kernels that a template wrote, and the program."""
    algorithms: list[str] = []
    write = schedule.write

    def written(*given: Any) -> Written:
        result = write(*given)
        algorithms.append(result.chosen["matmul"])
        return result

    monkeypatch.setattr(schedule, "write", written)
    machine = replace(machines.AVX512, separate_fadd_pipes=True, l2_bytes=1 << 20)
    return algorithms, schedule.schedule(draft, machine, force={"matmul": "pairwise"})


def test_equal_layers_have_one_kernel_that_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    weights = [random.standard_normal((96, 96)).astype(np.float32) for _ in range(3)]
    algorithms, program = _pairwise(_layers(*weights), monkeypatch)
    assert algorithms == ["pairwise"]
    assert len({call.kernel.name for call in program.kernel_calls}) == 1
    assert len({call.args[1] for call in program.kernel_calls}) == 3  # each with weights of its own


def test_a_layer_whose_weights_want_another_algorithm_has_a_kernel_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    even = np.random.default_rng(0).standard_normal((96, 96)).astype(np.float32)
    uneven = even.copy()
    uneven[[0, 32]] = 1e4  # a pair of terms that is far larger than the others
    algorithms, program = _pairwise(_layers(even, uneven, -even), monkeypatch)
    assert algorithms == ["pairwise", "panels"]
    assert [call.kernel.comment.rpartition("=")[2] for call in program.kernel_calls] == [
        "pairwise)",
        "panels)",
        "pairwise)",
    ]
