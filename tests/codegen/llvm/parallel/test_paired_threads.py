"""Which calls two threads run through together, and what one of them does alone there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from ingot.base.tensor import DType
from ingot.codegen.llvm.emit.kernel import emit_kernel
from ingot.codegen.llvm.emit.values import Chip
from ingot.codegen.llvm.parallel import paired_threads
from ingot.codegen.llvm.parallel.paired_threads import can_join, is_alone, paired_calls
from ingot.loops.nodes import Const, For, Kernel, Let, LoopKind, Stmt, Var, buffer, index, load, store
from ingot.machines.tuning import Threads, Tuning
from ingot.plan.program import Branch, Program
from tests.codegen.llvm.parallel.test_grain import CHIP, LONG, SHORT, chain
from tests.support import machines

X, Y, N = buffer("x", DType.FLOAT32, (64,)), buffer("y", DType.FLOAT32, (64,)), buffer("n", DType.INT64, (1,))
HERE, COUNT = Const(0, DType.INT64), load(N, index(0))


def loop(kind: LoopKind, *body: Stmt, extent: object = None) -> For:
    return For(Var("at"), index(64) if extent is None else extent, body, kind)  # type: ignore[arg-type]


WRITE = store(Y, (index(0),), load(X, index(0)))
PARALLEL, SERIAL = loop(LoopKind.PARALLEL, WRITE), loop(LoopKind.SERIAL, WRITE)
STEPS = loop(LoopKind.SERIAL, PARALLEL, WRITE)


def kernel(*body: Stmt) -> Kernel:
    return Kernel("k", (X, N), (Y,), tuple(body))


def spans(program: Program, chip: Chip = CHIP) -> list[tuple[int, int]]:
    return [(pair.calls.start, pair.calls.stop) for pair in paired_calls(program, chip)]


def with_call(program: Program, at: int, **changes: object) -> Program:
    calls = list(program.kernel_calls)
    calls[at] = replace(calls[at], **changes)  # type: ignore[arg-type]
    return replace(program, calls=tuple(calls))


def test_calls_with_two_loops_that_are_worth_sharing_out_are_a_team() -> None:
    (pair,) = paired_calls(chain(SHORT, LONG, SHORT, LONG), CHIP)
    assert (pair.calls, pair.loops) == (range(4), 2)
    assert pair.grains >= 4


@pytest.mark.parametrize("steps", [(SHORT, SHORT, SHORT), (SHORT, LONG, SHORT)])
def test_fewer_are_none(steps: Sequence[int]) -> None:
    assert spans(chain(*steps)) == []


def test_a_team_ends_at_branches_at_many_calls_and_where_a_kernel_depends_on_what_is_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = chain(LONG, LONG, LONG, LONG, LONG)
    assert spans(program) == [(0, 5)]
    assert spans(with_call(program, 2, branch=Branch("both", 0))) == [(0, 2), (3, 5)]
    monkeypatch.setattr(paired_threads, "MAX_CALLS", 3)
    assert spans(program) == [(0, 3), (3, 5)]
    call = program.kernel_calls[1]
    reads = replace(
        call.kernel, body=(Let(Var("n"), load(call.kernel.inputs[0], index(0), index(0))), *call.kernel.body)
    )
    assert spans(with_call(program, 1, kernel=reads)) == [(2, 5)]


def test_calls_that_take_long_and_processors_with_short_vectors_have_none() -> None:
    assert spans(chain(LONG, LONG), replace(CHIP, machine=replace(machines.SCALARS, vector_bytes=8))) == []
    quick = Tuning(threads=Threads(paired_max_cycles=10))
    assert spans(chain(LONG, LONG), replace(CHIP, machine=replace(CHIP.machine, tuning=quick))) == []


@pytest.mark.parametrize(
    ("stmt", "alone"),
    [(PARALLEL, False), (STEPS, False), (SERIAL, True), (WRITE, True), (Let(Var("v"), HERE), False)],
)
def test_one_thread_does_what_is_in_no_parallel_loop_alone(stmt: Stmt, alone: bool) -> None:
    assert is_alone(stmt) is alone


@pytest.mark.parametrize(
    ("body", "joins"),
    [
        pytest.param((WRITE, STEPS, PARALLEL), True, id="fixed"),
        pytest.param((Let(Var("n"), COUNT), PARALLEL), False, id="a name for what is in memory"),
        pytest.param(
            (loop(LoopKind.PARALLEL, WRITE, extent=COUNT),), False, id="a loop as long as a number in memory"
        ),
        pytest.param(
            (loop(LoopKind.SERIAL, Let(Var("n"), COUNT), PARALLEL),), False, id="such a name in steps"
        ),
        pytest.param(
            (loop(LoopKind.SERIAL, PARALLEL, extent=COUNT),), False, id="as many steps as a number in memory"
        ),
        pytest.param(
            (loop(LoopKind.SERIAL, WRITE, extent=COUNT), PARALLEL),
            True,
            id="where one thread is alone, it may be",
        ),
    ],
)
def test_what_threads_do_must_not_depend_on_memory(body: Sequence[Stmt], joins: bool) -> None:
    assert can_join(kernel(*body)) is joins


def test_a_member_of_a_team_takes_its_turn_for_what_writes_memory_and_shares_every_loop_however_short() -> (
    None
):
    text = emit_kernel(kernel(WRITE, WRITE, STEPS, SERIAL), "k", CHIP, is_paired=True)
    calls = re.findall(r"call \w+ @(ingot_pool_\w+)", text)
    turn = ["ingot_pool_turn", "ingot_pool_pass"]
    assert calls == [*turn, "ingot_pool_for", *turn, *turn], (
        "before the steps; in each, the loop and what follows it; behind them"
    )
    assert "ingot_pool" not in emit_kernel(kernel(WRITE, WRITE, STEPS, SERIAL), "k", CHIP)


def test_of_a_team_one_thread_does_a_parallel_loop_of_one_iteration() -> None:
    single = loop(LoopKind.PARALLEL, WRITE, extent=index(1))
    calls = re.findall(r"call \w+ @(ingot_pool_\w+)", emit_kernel(kernel(single), "k", CHIP, is_paired=True))
    assert calls == ["ingot_pool_for"], "which knows that there is nothing to share"
    assert "ingot_pool" not in emit_kernel(kernel(single), "k", CHIP)
