"""The checker of memory plans follows loops: what an iteration overwrites of the next one is an error."""

from __future__ import annotations

from dataclasses import replace

import onnx.parser
import pytest

from ingot.base.errors import InternalError
from ingot.graph.lower import lower
from ingot.graph.prepare import prepare
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.memory.check import check_memory
from ingot.plan.memory.memory import plan_memory
from ingot.plan.program import MemoryPlan, Program
from ingot.plan.schedule.schedule import schedule
from tests.support.machines import SCALARS

TEXT = """<ir_version: 8, opset_import: ["": 17]> g (float[4] a, float[400, 4] x, float[4, 4] w) => (float[4] b, float[400, 4]
y) {
    e = Exp(a)
    b, y = Scan <num_scan_inputs = 1, body = step (float[4] h, float[4] t) => (float[4] h1, float[4] y1) {
        u = MatMul(h, w) v = Add(u, t) s = Softmax(v) h1 = Mul(s, e) y1 = Sqrt(h1)
    }>(a, x)
}"""


def _planned() -> tuple[Program, MemoryPlan]:
    model = prepare(read_model(onnx.parser.parse_model(TEXT)), ALL)
    program = schedule(fuse(lower(model, ALL)), SCALARS)
    return program, plan_memory(program)


def _moved(plan: MemoryPlan, name: str, over: str) -> MemoryPlan:
    """The plan with one value where another one is."""
    slots = dict(plan.slots)
    slots[name] = replace(slots[name], offset_bytes=slots[over].offset_bytes)
    return replace(plan, slots=slots)


def test_a_plan_for_a_loop_passes() -> None:
    program, plan = _planned()
    (control,) = program.controls
    assert control.count == 400
    check_memory(program, plan)


def test_what_is_read_in_each_iteration_may_not_be_overwritten_by_one() -> None:
    program, plan = _planned()
    (control,) = program.controls
    calls = program.calls[control.first : control.end]
    written = {program.values[name].base for call in calls for name in call.writes}
    arena = {name for name, slot in plan.slots.items() if slot.region.value == "arena"}
    before = {program.values[name].base for call in program.calls[: control.first] for name in call.writes}
    inside = sorted((written & arena) - before)
    outside = sorted(name for name in before & arena if not name.startswith("Scan"))
    assert inside and outside
    for own in inside:
        with pytest.raises(InternalError, match=r"there is data of|overlaps"):
            check_memory(program, _moved(plan, own, outside[0]))


def test_carried_values_may_not_lie_where_an_iteration_writes_something_else() -> None:
    program, plan = _planned()
    (carried,) = (name for name in plan.slots if name.endswith(".carried0"))
    (number,) = (name for name in plan.slots if name.endswith(".number"))
    with pytest.raises(InternalError, match="memory plan"):
        check_memory(program, _moved(plan, number, carried))
