"""Large feature maps by bands of rows: the same results from less memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from onnx import numpy_helper

from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.machines.tuning import Bands, Tuning
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.layout import bands
from ingot.plan.layout.bands import in_bands
from ingot.plan.memory.check import check_memory
from ingot.plan.memory.memory import plan_memory
from ingot.plan.program import HOST, Call, Draft, Transfer
from ingot.plan.schedule.branches import runs
from ingot.plan.schedule.schedule import schedule
from tests.support import machines
from tests.support.draft_eval import evaluate_draft
from tests.support.drafts import random_feeds
from tests.support.models import model
from tests.support.program_eval import evaluate_program

MACHINE = replace(machines.AVX2, l2_bytes=4 * 1024, tuning=Tuning(bands=Bands(min_l2_bytes=4 * 1024)))
WEIGHTS = {
    "a": (16, 8, 1, 1),
    "d": (16, 1, 3, 3),
    "p": (8, 16, 1, 1),
    "s": (8, 3, 3, 3),
    "big": (16, 8, 5, 5),
    "bias": (16,),
}
EXPAND = "e = Conv(x, a, bias)  f = Relu(e)"
POOL = "MaxPool<kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1]>"  # by bands behind EXPAND: the first pool below


def network(body: str, height: int = 21, x: str = "1,8,{},6") -> Draft:
    """A model whose output is the largest of the channels of `z`, with constant weights where the body names them."""
    random = np.random.default_rng(1)
    made = model(
        f"g (float[{x.format(height)}] x) => (float[N,C,H,W] y) {{ {body}  y = ReduceMax<axes = [1]>(z) }}"
    )
    used = {name for node in made.graph.node for name in node.input}
    weights = {name: random.standard_normal(shape).astype(np.float32) for name, shape in WEIGHTS.items()}
    made.graph.initializer.extend(
        numpy_helper.from_array(array, name) for name, array in weights.items() if name in used
    )
    return to_draft(read_model(made), ALL)


# The place of a call by the number of its branch, and its own in that.
Order = Callable[[int, int], tuple[int, ...]]


def second_first(branch: int, number: int) -> tuple[int, ...]:
    return -branch, number


def in_turns(branch: int, number: int) -> tuple[int, ...]:
    return number, branch


def in_order(calls: Sequence[Call | Transfer], order: Order) -> Iterator[Call | Transfer]:
    """The calls with those of each run of branches in this order."""
    branches = 0
    for run in runs(calls):
        branches = max(branches, len(run))
        places = [
            (order(branch, number), at) for branch, each in enumerate(run) for number, at in enumerate(each)
        ]
        yield from (calls[at] for _, at in sorted(places))
    assert branches == 2, "the upper and the lower half of the bands"


def rows_of(taken: Draft) -> list[int]:
    """The rows of each band."""
    joined = next(step for step in taken.steps if getattr(step.definition, "name", "") == "concat")
    return [taken.types[name].shape[2] for name in joined.inputs]


def parts(draft: Draft, order: Order = second_first) -> list[int]:
    """The rows of each band that the draft is taken apart into; checks what is computed with branches in that order, and that it
    takes less memory.
    """
    whole = fuse(draft)
    taken = in_bands(whole, {HOST: MACHINE})
    if taken is whole:
        return []
    feeds = random_feeds(draft)
    program = schedule(taken, MACHINE)
    plan = plan_memory(program)
    check_memory(program, plan)
    moved = replace(program, calls=tuple(in_order(program.calls, order)))
    for got, expected in zip(evaluate_program(moved, plan, feeds), evaluate_draft(draft, feeds), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)
    assert plan.arena_bytes < plan_memory(schedule(whole, MACHINE)).arena_bytes
    assert not any(call.kernel.name.startswith("concat") for call in program.kernel_calls), (
        "each band is written in its place"
    )
    return rows_of(taken)


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("height", [20, 21])
def test_an_inverted_residual_goes_by_bands(stride: int, height: int) -> None:
    depthwise = f"g = Conv<group = 16, pads = [1,1,1,1], strides = [{stride},{stride}]>(f, d)  h = Clip(g)"
    rows = parts(network(f"{EXPAND}  {depthwise}  z = Conv(h, p)", height))
    assert len(rows) > 1
    assert sum(rows) == -(-height // stride)


def test_what_is_added_to_a_result_is_read_by_rows_too() -> None:
    depthwise = "g = Conv<group = 16, pads = [1,1,1,1]>(f, d)  h = Conv(g, p)"
    assert parts(network(f"w = Relu(x)  {EXPAND.replace('x', 'w')}  {depthwise}  z = Add(h, w)"))


@pytest.mark.parametrize(
    "pool",
    [
        POOL,
        "MaxPool<kernel_shape = [3,3], strides = [2,2], ceil_mode = 1>",
        "AveragePool<kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1]>",
        "AveragePool<kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1], count_include_pad = 1>",
        "AveragePool<kernel_shape = [3,3], strides = [3,3], pads = [0,0,2,2], ceil_mode = 1, count_include_pad = 1>",
    ],
)
@pytest.mark.parametrize("height", [20, 21, 22])
def test_a_pool_takes_its_rows_from_a_band(pool: str, height: int) -> None:
    assert len(parts(network(f"{EXPAND}  z = {pool}(f)", height))) > 1


def test_a_model_s_input_is_read_by_rows() -> None:
    stem = "e = Conv<strides = [2,2], pads = [1,1,1,1]>(x, s)  f = Relu(e)"
    pool = "z = MaxPool<kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1]>(f)"
    assert len(parts(network(f"{stem}  {pool}", 44, "1,3,{},12"))) > 1


@pytest.mark.parametrize(
    "body",
    [
        f"{EXPAND}  g = {POOL}(f)  h = {POOL.replace('Max', 'Average')}(f)  z = Add(g, h)",
        f"{EXPAND}  g = Softmax<axis = 2>(f)  z = {POOL}(g)",
        f"{EXPAND}  g = Conv<group = 16, pads = [1,1,1,1]>(f, d)  h = Conv(g, p)  z = Concat<axis = 1>(h, x)",
        "e = Conv<pads = [2,2,2,2]>(x, big)  z = MaxPool<kernel_shape = [5,5], pads = [2,2,2,2]>(e)",
    ],
    ids=[
        "it has two readers",
        "a step needs all rows",
        "it is put beside another one",
        "too much would be made twice",
    ],
)
def test_a_result_stays_whole_if(body: str) -> None:
    assert parts(network(body)) == []


def test_small_results_and_other_machines_are_left_alone() -> None:
    body = f"{EXPAND}  z = Conv<group = 16, pads = [1,1,1,1]>(f, d)"
    assert parts(network(body, 4)) == []
    whole = fuse(network(f"{EXPAND}  z = {POOL}(f)"))
    for more_bytes in (0, 1):
        tuning = Tuning(bands=Bands(min_l2_bytes=MACHINE.l2_bytes + more_bytes))
        taken = in_bands(whole, {HOST: replace(MACHINE, tuning=tuning)})
        assert (taken is whole) == bool(more_bytes)


def test_more_cores_than_there_are_branches_hold_large_results_together() -> None:
    whole = fuse(network(f"{EXPAND}  z = {POOL}(f)"))
    for cores in (0, 1, bands.BRANCHES, bands.BRANCHES + 1):
        taken = in_bands(whole, {HOST: replace(MACHINE, cores=cores)})
        assert (taken is whole) == (cores > bands.BRANCHES)


def test_branches_may_be_done_in_turns() -> None:
    depthwise = "g = Conv<group = 16, pads = [1,1,1,1]>(f, d)  h = Clip(g)"
    assert parts(network(f"{EXPAND}  {depthwise}  z = Conv(h, p)", 12), in_turns)


@pytest.mark.parametrize(("height", "rows"), [(28, [7] * 4), (32, [8] * 4), (35, [7] * 5)])
def test_both_halves_have_equal_bands_where_the_height_allows_it(height: int, rows: list[int]) -> None:
    depthwise = "g = Conv<group = 16, pads = [1,1,1,1]>(f, d)  h = Clip(g)"
    machine = replace(MACHINE, l2_bytes=4 * MACHINE.l2_bytes)
    draft = fuse(network(f"{EXPAND}  {depthwise}  z = Conv(h, p)", height))
    assert rows_of(in_bands(draft, {HOST: machine})) == rows
