"""How much work is worth handing over to another thread, and which short loops are shared out all the same.

A loop is worth it by what it computes. But one thread that does a short loop alone, between two loops that all threads share,
fetches what the others wrote, and then they fetch what it wrote. So half of what such a loop reads and writes counts as work,
line by line: shared out, it finds its lines where they are. docs/decisions/middle-over-middle.md has what was measured.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from ingot.codegen.llvm.emit.values import Chip
from ingot.codegen.llvm.parallel.cost import iteration_cycles
from ingot.loops.analyse.ranges import Ranges
from ingot.loops.nodes import For, Kernel, LoopKind
from ingot.machines.machine import LINE_BYTES
from ingot.plan.program import HOST, Call, Program


def task_cycles(chip: Chip, in_steps: bool = False) -> float:
    """Cycles of the least work that is handed over: a loop is shared out if its iterations make two tasks of so much, as
    `is_shared_out` says. `in_steps`: of a loop in serial ones.
    """
    threads = chip.machine.tuning.threads
    if in_steps:
        is_wide = chip.machine.has_wide_vectors
        return threads.wide_step_task_cycles if is_wide else threads.step_task_cycles
    return threads.task_cycles


def grain(cycles: float, task_min: float) -> int:
    """How many iterations of `cycles` make up the least work of a task; negative: how many times one iteration exceeds it."""
    return (
        math.ceil(task_min / max(cycles, 1e-9))
        if cycles < task_min
        else -min(int(cycles / task_min), 1 << 32)
    )


def is_shared_out(count: int, cycles: float, task_min: float) -> bool:
    """Whether `count` iterations of `cycles` each make two tasks that are worth giving to threads."""
    return count >= 2 * max(grain(cycles, task_min), 1)


def fetched_cycles(program: Program, chip: Chip) -> Mapping[str, float]:
    """By the names of kernels with one parallel loop that is too short to be shared out for what it computes: the cycles that a
    thread which does it alone waits for lines of the others, and they then for its lines. 0 unless what it reads comes from loops
    that are shared out, and what it writes goes to such loops, wherever it is called.
    """
    loops = {kernel.name: _loops(kernel, chip) for kernel in program.kernels}
    task_min = task_cycles(chip)
    long = {
        name: any(is_shared_out(count, cycles, task_min) for count, cycles in each)
        for name, each in loops.items()
    }
    calls = [call for call in program.calls if isinstance(call, Call)]
    written: dict[str, bool] = {}  # by base: whether threads share out what wrote it last
    bytes_in: list[int] = []
    for call in calls:
        bytes_in.append(
            sum(
                _bytes(program, name)
                for name in dict.fromkeys(call.reads)
                if written.get(program.values[name].base)
            )
        )
        written.update({program.values[name].base: long[call.kernel.name] for name in call.writes})
    read: dict[str, bool] = {}  # by base: whether threads share out what reads it next
    fetched: dict[str, float] = {}
    for call, call_bytes_in in zip(reversed(calls), reversed(bytes_in), strict=True):
        bytes_out = sum(
            _bytes(program, name)
            for name in dict.fromkeys(call.writes)
            if read.get(program.values[name].base)
        )
        read.update({program.values[name].base: long[call.kernel.name] for name in call.reads})
        both_bytes = call_bytes_in + bytes_out if call_bytes_in and bytes_out else 0
        name = call.kernel.name
        fetched[name] = min(
            fetched.get(name, math.inf), both_bytes / 2 / LINE_BYTES * chip.machine.tuning.threads.line_cycles
        )
    return {name: cycles for name, cycles in fetched.items() if not long[name] and len(loops[name]) == 1}


def max_iterations(loop: For) -> int:
    """The largest number of iterations of a loop; 1 where nothing is known."""
    known = Ranges({}).bounds(loop.extent)
    return 1 if known is None else known[1]


def _loops(kernel: Kernel, chip: Chip) -> list[tuple[int, float]]:
    """Largest numbers of iterations, and cycles of each, of parallel loops that are not in serial ones."""
    loops = []
    for stmt in kernel.body:
        if isinstance(stmt, For) and stmt.kind is LoopKind.PARALLEL:
            loops.append((max_iterations(stmt), iteration_cycles(stmt, chip)))
    return loops


def _bytes(program: Program, name: str) -> int:
    value = program.values[name]
    return value.type.size_bytes if value.space == HOST else 0
