"""Outputs that lie in the memory of an input: what is proven of the step that writes them, and what the checker sees."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.base.errors import InternalError
from ingot.base.tensor import DType, TensorType
from ingot.loops.nodes import Binary, Const, Expr, Load, Var, both, buffer, compare, index
from ingot.loops.text import expr_text
from ingot.plan.memory.check import check_memory
from ingot.plan.memory.memory import plan_memory
from ingot.plan.program import Program
from ingot.plan.schedule.schedule import schedule
from ingot.plan.updates import solved, with_updates
from tests.support import machines
from tests.support.drafts import draft_of

ROW, PLACE, COLUMN = (Var(name) for name in ("i0", "i1", "i2"))
CACHE = TensorType(DType.FLOAT32, (2, 16, 3))
STARTS = buffer("starts", DType.INT64, (2,))


def start() -> Load:
    return Load(STARTS, (ROW,))


def around(value: Expr) -> Expr:
    return ((value % 16) + 16) % 16


BEHIND = PLACE - start()
ROUND = around(PLACE - start())


@pytest.mark.parametrize(
    ("condition", "places"),
    [
        (compare("eq", BEHIND, 0), ("starts[i0]", 1, False)),
        (compare("eq", index(5) - PLACE, 0), ("5", 1, False)),
        (both(compare("ge", BEHIND, 0), compare("lt", BEHIND, 4)), ("starts[i0]", 4, False)),
        (both(compare("gt", index(2), -BEHIND), compare("le", BEHIND, 3)), ("(starts[i0] + -1)", 5, False)),
        (both(compare("ge", ROUND, 1), compare("lt", ROUND, 4)), ("(starts[i0] + 1)", 3, True)),
        (both(compare("ge", ROUND, 0), compare("lt", ROUND, 90)), ("starts[i0]", 16, True)),
    ],
)
def test_places_are_solved_for(condition: Expr, places: tuple[str, int, bool]) -> None:
    span = solved(condition, (ROW, PLACE, COLUMN), CACHE)
    assert span is not None
    assert span.axis == 1
    assert (expr_text(span.first), span.count, span.wraps) == places


@pytest.mark.parametrize(
    "condition",
    [
        compare("lt", BEHIND, 4),  # from the first place on: how many is not known
        both(compare("ge", BEHIND, 0), compare("lt", PLACE, 4)),  # the number of places follows from data
        both(compare("ge", BEHIND, 0), compare("lt", BEHIND, 0)),  # never
        compare("eq", PLACE * 2, start()),
        compare("eq", PLACE, COLUMN),  # along two axes
        compare("eq", PLACE - Load(buffer("t", DType.INT64, (16,)), (PLACE,)), 0),
        both(compare("ge", PLACE % 4, 0), compare("lt", PLACE % 4, 2)),
        Binary("or", compare("eq", PLACE, 3), compare("eq", PLACE, 4)),
        Const(True, DType.BOOL),
    ],
)
def test_other_conditions_are_not_taken_for_places_in_a_row(condition: Expr) -> None:
    assert solved(condition, (ROW, PLACE, COLUMN), CACHE) is None


def program() -> Program:
    draft = draft_of(
        """g (float[4, 8] h, int64[1, 1] at, float[1, 8] x) => (float[4, 8] y, float[4, 8] n)
        { n = ScatterND (h, at, x) y = Neg(n) }"""
    )
    changed, axes = with_updates(draft, [("h", "n")])
    assert axes == {"h": 0}
    return schedule(changed, machines.SCALARS)


def test_a_state_that_is_changed_in_its_place_lies_where_the_output_does() -> None:
    planned = plan_memory(program())
    check_memory(program(), planned)
    assert planned.slots["h"] == planned.slots["n"]


def test_the_checker_sees_who_reads_the_old_state_behind_the_write() -> None:
    good = program()
    copies = [call for call in good.kernel_calls if "n" in call.reads]
    late = replace(copies[0], args=tuple("h" if name == "n" else name for name in copies[0].args))
    bad = replace(good, calls=(*good.calls, late))
    with pytest.raises(InternalError, match=r"reads 'h' in output .* but there is data of 'n'"):
        check_memory(bad, plan_memory(bad))


def test_the_checker_sees_a_state_that_is_written_twice_or_never() -> None:
    good = program()
    write = next(call for call in good.kernel_calls if "n" in call.writes)
    twice = replace(good, calls=(write, *good.calls))
    with pytest.raises(InternalError, match=r"reads 'h' in output .* but there is data of 'n'"):
        check_memory(twice, plan_memory(twice))
    never = replace(good, calls=tuple(call for call in good.calls if call is not write))
    with pytest.raises(InternalError, match=r"reads 'n' in output .* but there is data of 'h'"):
        check_memory(never, plan_memory(never))
