"""Several targets: what is copied between memories, how often, and that results stay the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ingot.base.errors import InternalError
from ingot.graph.lower import lower
from ingot.graph.prepare import prepare
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.memory.check import check_memory
from ingot.plan.memory.memory import plan_memory
from ingot.plan.program import HOST, Draft, MemoryPlan, Program, Transfer
from ingot.plan.schedule.schedule import schedule
from ingot.plan.transfer import transfer, unit_for
from tests.support import machines
from tests.support.draft_eval import evaluate_draft
from tests.support.drafts import random_feeds
from tests.support.models import model
from tests.support.program_eval import evaluate_program

BLOCK = """g (float[1,4,6,6] x, float[8,4,3,3] w1, float[4,8,1,1] w2) => (float[1,4,6,6] y) {
    [first] c1 = Conv<pads = [1,1,1,1]>(x, w1)  [act] r1 = Relu(c1)  [second] c2 = Conv(r1, w2)  [sum] y = Add(c2, x)
}"""
SPACES = {HOST: HOST, "a": "a", "b": "b", "near": HOST}


def _planned(text: str, keys: dict[str, str]) -> tuple[Draft, Program, dict[str, MemoryPlan]]:
    prepared = prepare(read_model(model(text)), ALL)
    draft = lower(prepared, ALL, keys)
    moved = transfer(fuse(draft), SPACES)
    program = schedule(moved, machines.AVX2, dict.fromkeys(SPACES, machines.SCALARS), SPACES)
    plans = {space: plan_memory(program, space) for space in dict.fromkeys(SPACES.values())}
    for space, plan in plans.items():
        check_memory(program, plan, space)
    return draft, program, plans


def _transfers(program: Program) -> list[tuple[str, str]]:
    return [
        (program.values[call.source].space, program.values[call.result].space)
        for call in program.calls
        if isinstance(call, Transfer)
    ]


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"first": "a", "second": "a"},
        {"first": "a", "act": "a", "second": "b"},
        {"act": "a"},
        {"sum": "a"},
        {"first": "a", "act": "a", "second": "a", "sum": "a"},
        {"first": "near", "second": "near"},
        {"first": "near", "act": "a", "second": "near", "sum": "b"},
    ],
)
def test_every_placement_gives_the_same_result(keys: dict[str, str]) -> None:
    draft, program, plans = _planned(BLOCK, keys)
    feeds = random_feeds(draft)
    for got, expected in zip(
        evaluate_program(program, plans, feeds), evaluate_draft(draft, feeds), strict=True
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


def test_targets_that_share_the_hosts_memory_copy_nothing() -> None:
    _, program, _ = _planned(BLOCK, {"first": "near", "second": "near"})
    assert _transfers(program) == []


def test_a_value_is_sent_to_a_memory_once_however_many_read_it_there() -> None:
    text = """g (float[8] x) => (float[8] y, float[8] z) {
        [one] a = Exp(x)  [two] b = Sin(x)  [three] y = Neg(a)  [four] z = Neg(b)
    }"""
    _, program, _ = _planned(text, {"one": "a", "two": "a", "three": "b", "four": "b"})
    assert _transfers(program).count((HOST, "a")) == 1


def test_two_devices_talk_by_way_of_the_host() -> None:
    text = "g (float[8] x) => (float[8] y) { [one] a = Exp(x)  [two] y = Sin(a) }"
    _, program, _ = _planned(text, {"one": "a", "two": "b"})
    assert _transfers(program) == [(HOST, "a"), ("a", HOST), (HOST, "b"), ("b", HOST)]


def test_constants_live_in_the_memory_of_each_target_that_reads_them() -> None:
    text = """g (float[4] x) => (float[4] y) {
        c = Constant<value_floats = [1.0, 2.0, 3.0, 4.0]>()  [one] a = Mul(x, c)  [two] y = Add(a, c)
    }"""
    _, program, plans = _planned(text, {"one": "a"})
    assert sorted(program.values[name].space for name in program.constants) == ["a", HOST]
    assert plans["a"].params_bytes == plans[HOST].params_bytes == 64
    assert len(_transfers(program)) == 2


def test_a_view_with_gaps_is_made_dense_before_it_travels() -> None:
    text = """g (float[4,6] x) => (float[4,2] y) {
        [one] e = Exp(x)  s = Constant<value_ints = [1]>()  t = Constant<value_ints = [3]>()
        [cut] v = Slice(e, s, t, s)  [two] y = Neg(v)
    }"""
    draft, program, plans = _planned(text, {"two": "a"})
    feeds = random_feeds(draft)
    np.testing.assert_allclose(
        evaluate_program(program, plans, feeds)[0], evaluate_draft(draft, feeds)[0], rtol=1e-6
    )


def test_an_output_made_on_a_device_comes_home_under_its_own_name() -> None:
    _, program, _ = _planned(BLOCK, {"sum": "a"})
    assert program.outputs == ("y",)
    assert program.values["y"].space == HOST


def test_a_unit_has_the_calls_of_its_key_and_only_their_values() -> None:
    _, program, plans = _planned(BLOCK, {"first": "a", "second": "a"})
    unit = unit_for(program, plans, "a", "a", "g_a")
    assert unit.program.inputs == unit.program.outputs == ()
    assert {call.key for call in unit.program.kernel_calls} == {"a"}
    assert {value.space for value in unit.program.values.values()} == {"a"}
    assert set(unit.program.constants) <= set(plans["a"].slots)


def test_the_checker_refuses_a_transfer_that_reads_what_was_never_written() -> None:
    text = "g (float[8] x) => (float[8] y) { [one] a = Exp(x)  [two] y = Sin(a) }"
    _, program, plans = _planned(text, {"two": "a"})
    first = next(number for number, call in enumerate(program.calls) if isinstance(call, Transfer))
    calls = (program.calls[first], *program.calls[:first], *program.calls[first + 1 :])
    with pytest.raises(InternalError, match="nothing was written"):
        check_memory(replace(program, calls=calls), plans[HOST])
