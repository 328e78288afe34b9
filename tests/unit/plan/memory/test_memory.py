"""Memory plans: nothing alive overlaps, the bound holds, and the checker sees every kind of damage."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.base.errors import InternalError
from ingot.plan.memory.check import check_memory
from ingot.plan.memory.memory import ALIGNMENT_BYTES, plan_memory
from ingot.plan.program import Branch, MemoryPlan, Program, Region
from ingot.plan.schedule.branches import runs
from ingot.plan.schedule.schedule import schedule
from tests.support import machines
from tests.support.drafts import assert_same_results, draft_of, planned

DIAMOND = """g (float[64] x) => (float[64] y) {
    a = Exp(x)  b = Sin(a)  c = Cos(a)  d = Mul(b, c)  e = ReduceSum<keepdims = 1>(d)  y = Mul(d, e)
}"""


def _program(text: str) -> Program:
    """Without fusion, so that every value is stored."""
    return schedule(draft_of(text), machines.SCALARS)


def test_a_plan_for_a_diamond_passes_the_check() -> None:
    program = _program(DIAMOND)
    plan = plan_memory(program)
    check_memory(program, plan)
    assert plan.lower_bound_bytes <= plan.arena_bytes


def test_an_elementwise_result_takes_the_place_of_the_input_that_dies() -> None:
    program = _program("g (float[64] x) => (float[64] y) { a = Exp(x)  b = Sin(a)  c = Cos(b)  y = Neg(c) }")
    plan = plan_memory(program)
    check_memory(program, plan)
    assert plan.arena_bytes == 256
    assert plan.slots["a"] == plan.slots["b"] == plan.slots["c"]


def test_an_input_that_is_read_later_keeps_its_place() -> None:
    program = _program("g (float[64] x) => (float[64] y) { a = Exp(x)  b = Sin(a)  y = Mul(a, b) }")
    plan = plan_memory(program)
    check_memory(program, plan)
    assert plan.slots["a"].offset_bytes != plan.slots["b"].offset_bytes


def test_an_input_that_is_also_read_turned_keeps_its_place() -> None:
    """Element by element the result may take it; but what is still to be read turned would be overwritten."""
    program = _program(
        "g (float[8, 8] x) => (float[8, 8] y) { a = Exp(x)  t = Transpose<perm=[1, 0]>(a)  b = Add(a, t)  y = Neg(b) }"
    )
    plan = plan_memory(program)
    assert program.values["t"].base == "a"
    assert plan.slots["a"].offset_bytes != plan.slots["b"].offset_bytes
    check_memory(program, plan)


@pytest.mark.parametrize("channels", [14, 16])
def test_what_is_added_keeps_its_place_where_some_results_are_written_twice(channels: int) -> None:
    """Of 14 channels the second vector of 8 begins two early, and would find sums there, not what is to be added."""
    shape = f"float[1, {channels}, 3, 4]"
    shapes = f"int64[4] one = {{{channels}, {channels}, 1, 1}}, int64[4] each = {{{channels}, 1, 3, 3}}"
    text = f"""g ({shape} x) => ({shape} y) <{shapes}> {{
        w = ConstantOfShape<value = float[1]{{0.1}}>(one)  d = ConstantOfShape<value = float[1]{{0.1}}>(each)
        a = Conv(x, w)  b = Conv(a, w)
        c = Conv<group = {channels}, pads = [1, 1, 1, 1]>(b, d)  e = Add(c, a)  y = Conv(e, w)
    }}"""
    program = assert_same_results(draft_of(text))
    (sum_,) = (call for call in program.kernel_calls if call.kernel.name.startswith("depthwise"))
    assert bool(sum_.kernel.in_place) == (channels == 16)


@st.composite
def _models(draw: st.DrawFn) -> str:
    """Straight-line models of elementwise nodes over values of three sizes."""
    lines, alive = [], {16: ["x"], 48: ["u"], 1000: ["v"]}
    for number in range(draw(st.integers(1, 12))):
        size = draw(st.sampled_from(sorted(alive)))
        operands = [draw(st.sampled_from(alive[size])) for _ in range(draw(st.integers(1, 2)))]
        op = "Exp" if len(operands) == 1 else "Add"
        lines.append(f"t{number} = {op}({', '.join(operands)})")
        alive[size].append(f"t{number}")
    last = {size: names[-1] for size, names in alive.items()}
    lines += [f"y{size} = Neg({name})" for size, name in last.items()]
    outputs = ", ".join(f"float[{size}] y{size}" for size in alive)
    return f"g (float[16] x, float[48] u, float[1000] v) => ({outputs}) {{ {'  '.join(lines)} }}"


@given(_models())
def test_every_plan_passes_the_check_and_no_plan_beats_its_bound(text: str) -> None:
    program = _program(text)
    plan = plan_memory(program)
    check_memory(program, plan)
    assert plan.lower_bound_bytes <= plan.arena_bytes
    assert all(slot.offset_bytes % ALIGNMENT_BYTES == 0 for slot in plan.slots.values())


def _moved(plan: MemoryPlan, name: str, offset: int) -> MemoryPlan:
    return replace(plan, slots={**plan.slots, name: replace(plan.slots[name], offset_bytes=offset)})


def test_the_checker_sees_a_value_that_is_overwritten_while_it_is_needed() -> None:
    program = _program(
        "g (float[64] x) => (float[64] y) { a = Exp(x)  b = Sin(a)  c = Cos(b)  y = Add(a, c) }"
    )
    plan = plan_memory(program)
    broken = _moved(plan, "b", plan.slots["a"].offset_bytes)
    with pytest.raises(InternalError, match=r"reads 'a' .* but there is data of|overlaps 'a'"):
        check_memory(program, broken)


def test_the_checker_sees_a_slot_outside_of_the_arena() -> None:
    program, plan = planned(draft_of(DIAMOND))
    name = next(name for name, slot in plan.slots.items() if slot.region is Region.ARENA)
    with pytest.raises(InternalError, match="outside"):
        check_memory(program, _moved(plan, name, plan.arena_bytes))


def test_the_checker_sees_a_misaligned_slot() -> None:
    program = _program(DIAMOND)
    plan = replace(plan_memory(program), arena_bytes=1 << 20)
    with pytest.raises(InternalError, match="not aligned"):
        check_memory(program, _moved(plan, "a", 4))


def test_the_checker_sees_overlapping_constants() -> None:
    program = _program(
        """g (float[4] x) => (float[4] y) {
            a = Constant<value_floats = [1.0, 2.0, 3.0, 4.0]>()  b = Constant<value_floats = [5.0, 6.0, 7.0, 8.0]>()
            c = Add(x, a)  y = Mul(c, b)
        }"""
    )
    plan = plan_memory(program)
    first, second = (name for name, slot in plan.slots.items() if slot.region is Region.PARAMS)
    with pytest.raises(InternalError, match=r"constants .* overlap"):
        check_memory(program, _moved(plan, second, plan.slots[first].offset_bytes))


def test_the_checker_sees_a_read_of_something_never_written() -> None:
    program = _program("g (float[64] x) => (float[64] y) { a = Exp(x)  y = Neg(a) }")
    plan = plan_memory(program)
    reordered = replace(program, calls=tuple(reversed(program.calls)))
    with pytest.raises(InternalError, match="nothing was written"):
        check_memory(reordered, plan)


def _lookup(uses: str) -> tuple[Program, MemoryPlan]:
    """A table of 2000 rows, of which three are looked up, and what else is done with it."""
    halves = f"Constant<value_floats = [{', '.join(['0.5'] * 32000)}]>()"
    return planned(
        draft_of(
            f"""g (int64[3] ids, float[16, 16] x) => (float[3, 16] rows, float[2000, 16] y) {{
            flat = {halves}  shape = Constant<value_ints = [2000, 16]>()  table = Reshape(flat, shape)
            weights = Exp(table)  rows = Gather(table, ids)  y = {uses} }}"""
        )
    )


def test_a_table_in_which_rows_are_looked_up_lies_behind_what_is_always_read() -> None:
    program, plan = _lookup("MatMul(weights, x)")
    table = next(call.reads[0] for call in program.kernel_calls if "rows" in call.args)
    assert (
        plan.slots[table].offset_bytes
        == plan.always_read_bytes
        == plan.params_bytes - 128000
        > 128000 - ALIGNMENT_BYTES
    )
    assert all(
        slot.offset_bytes + slot.size_bytes <= plan.always_read_bytes
        for name, slot in plan.slots.items()
        if slot.region is Region.PARAMS and name != table
    )


def test_a_table_that_is_multiplied_too_is_always_read() -> None:
    _, plan = _lookup("MatMul(table, x)")
    assert plan.always_read_bytes == plan.params_bytes >= 128000


def test_a_model_without_tables_reads_all_its_constants() -> None:
    _, plan = planned(
        draft_of(
            "g (float[2] x) => (float[2] y) { c = Constant<value_floats = [1.0, 2.0]>()  y = Mul(x, c) }"
        )
    )
    assert plan.always_read_bytes == plan.params_bytes > 0


SUM = "ReduceSum<keepdims = 1>"
BRANCHES = f"g (float[64] x) => (float[1] y) {{ a = Exp(x)  b = Sin(a)  c = {SUM}(b)  d = Tan(a)  e = {SUM}(d)  y = Add(c, e) }}"


def _with_branches(program: Program) -> Program:
    """Two branches read `a`, which one call makes before them: from it to `c`, and to `e`."""
    numbers = {"b": 0, "c": 0, "d": 1, "e": 1}
    assert [call.args[-1] for call in program.kernel_calls] == ["a", *numbers, "y"]
    calls = (
        replace(call, branch=Branch("both", numbers[call.args[-1]])) if call.args[-1] in numbers else call
        for call in program.kernel_calls
    )
    return replace(program, calls=tuple(calls))


def test_branches_have_memory_of_their_own() -> None:
    program = _program(BRANCHES)
    plan, apart = plan_memory(program), plan_memory(_with_branches(program))
    assert plan.slots["d"] in (plan.slots["a"], plan.slots["b"]), (
        "one after another they may lie in one place"
    )
    with pytest.raises(InternalError, match="which another branch uses meanwhile"):
        check_memory(_with_branches(program), plan)
    check_memory(_with_branches(program), apart)
    assert len({apart.slots[name].offset_bytes for name in "abd"}) == 3


def test_what_a_branch_reads_last_keeps_its_place_for_the_others() -> None:
    """`d`, the last that reads `a` in order, may not write over it: `b` may be made later."""
    program = _program(
        "g (float[64] x) => (float[64] y) { a = Exp(x)  b = Sin(a)  d = Cos(a)  y = Add(b, d) }"
    )
    assert plan_memory(program).arena_bytes == 512
    calls = (
        replace(call, branch=Branch("both", "abdy".index(call.args[-1])))
        for call in program.kernel_calls[1:3]
    )
    together = replace(program, calls=(program.calls[0], *calls, program.calls[3]))
    plan = plan_memory(together)
    assert plan.arena_bytes == 768
    check_memory(together, plan)


@pytest.mark.parametrize("collides", ["a", "b"])
def test_the_checker_sees_branches_in_each_other_s_way(collides: str) -> None:
    program = _with_branches(_program(BRANCHES))
    plan = plan_memory(program)
    slots = {**plan.slots, "d": plan.slots[collides]}
    with pytest.raises(InternalError, match="which another branch uses meanwhile"):
        check_memory(program, replace(plan, slots=slots))


def test_calls_are_in_runs_of_branches() -> None:
    program = _with_branches(_program(BRANCHES))
    assert runs(program.calls) == [[[0]], [[1, 2], [3, 4]], [[5]]]
    assert runs(_program(BRANCHES).calls) == [[[0, 1, 2, 3, 4, 5]]]
    mixed = [program.calls[number] for number in (1, 3, 2, 4)]
    assert runs(mixed) == [[[0, 2], [1, 3]]]
