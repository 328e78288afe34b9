"""Which calls two threads run through together, side by side, without handing over each loop (`native/pool_team.h`).

Both threads run all code of such calls but what is in parallel loops, which they share, and what one of them does alone:
statements that write memory, in turns that it takes. So what is left may not depend on memory: by the time a thread comes there,
the other one may have run far past it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingot.codegen.llvm.emit.values import Chip
from ingot.codegen.llvm.parallel.cost import iteration_cycles
from ingot.codegen.llvm.parallel.grain import max_iterations, task_cycles
from ingot.loops.nodes import Alloc, Expr, For, Kernel, Let, Load, LoopKind, Stmt, Var, index
from ingot.loops.transform.rewrite import walk
from ingot.plan.program import Program

MIN_LOOPS = 2  # that are shared out
MAX_CALLS = 256  # that two threads run through together: one function
_MIN_VECTOR_BYTES = 16  # processors with less have one core, or do not care


@dataclass(frozen=True, slots=True)
class PairedCalls:
    """Calls by their numbers in a program, how many of their loops are worth sharing out, and about how many half microseconds of
    work they have.
    """

    calls: range
    loops: int
    grains: int


def paired_calls(program: Program, chip: Chip) -> Sequence[PairedCalls]:
    """The calls of a program that two threads run through together, in order; none where all calls take long."""
    if chip.machine.vector_bytes < _MIN_VECTOR_BYTES:
        return ()
    calls = program.kernel_calls
    cycles_of: dict[int, float] = {}  # by the id of a kernel
    total = 0.0
    for call in calls:
        kernel = call.kernel
        if id(kernel) not in cycles_of:
            cycles_of[id(kernel)] = iteration_cycles(For(Var(" once"), index(1), kernel.body), chip)
        total += cycles_of[id(kernel)]
        # Mostly at one of the first calls, if at all: counting takes time.
        if total > chip.machine.tuning.threads.paired_max_cycles:
            return ()
    joins = {id(kernel): not kernel.checks and can_join(kernel) for kernel in program.kernels}
    loops_of = {id(kernel): _shared_loops(kernel.body, chip) for kernel in program.kernels}
    pairs = []
    for together in _runs([call.branch is None and joins[id(call.kernel)] for call in calls]):
        kernels = [id(calls[number].kernel) for number in together]
        loops = sum(loops_of[key] for key in kernels)
        if loops >= MIN_LOOPS:
            unit = chip.machine.tuning.threads.half_microsecond_cycles
            pairs.append(PairedCalls(together, loops, int(sum(cycles_of[key] for key in kernels) / unit)))
    return pairs


def _runs(joins: Sequence[bool]) -> Iterator[range]:
    """The numbers of neighbours that are true, at most MAX_CALLS together."""
    begin = 0
    for end in range(len(joins) + 1):
        if end == len(joins) or not joins[end]:
            yield range(begin, end)
            begin = end + 1
        elif end - begin == MAX_CALLS:
            yield range(begin, end)
            begin = end


def has_parallel(stmt: Stmt) -> bool:
    """Whether threads share a statement of a kernel: a parallel loop, or serial ones with such a loop in them."""
    if not isinstance(stmt, For):
        return False
    return stmt.kind is LoopKind.PARALLEL or (
        stmt.kind is LoopKind.SERIAL and any(has_parallel(each) for each in stmt.body)
    )


def is_alone(stmt: Stmt) -> bool:
    """Whether one thread does a statement of a kernel alone."""
    return not isinstance(stmt, (Let, Alloc)) and not has_parallel(stmt)


def can_join(kernel: Kernel) -> bool:
    """Whether what each of two threads does in a kernel is the same whatever is in memory."""
    return _is_fixed(kernel.body)


def _is_fixed(stmts: Sequence[Stmt]) -> bool:
    for stmt in stmts:
        if isinstance(stmt, Let) and _loads(stmt.value):
            return False
        if isinstance(stmt, For) and has_parallel(stmt) and _loads(stmt.extent):
            return False
        if (
            isinstance(stmt, For)
            and stmt.kind is LoopKind.SERIAL
            and has_parallel(stmt)
            and not _is_fixed(stmt.body)
        ):
            return False
    return True


def _loads(expr: Expr) -> bool:
    return any(isinstance(node, Load) for node in walk(expr))


def _shared_loops(stmts: Sequence[Stmt], chip: Chip, in_steps: bool = False) -> int:
    """How many loops are worth sharing out for what they compute."""
    total = 0
    for stmt in stmts:
        if isinstance(stmt, For) and has_parallel(stmt):
            count = max_iterations(stmt)
            if stmt.kind is LoopKind.PARALLEL:
                total += count > 1 and count * iteration_cycles(stmt, chip) >= 2 * task_cycles(chip, in_steps)
            else:
                total += count * _shared_loops(stmt.body, chip, in_steps=True)
    return total
