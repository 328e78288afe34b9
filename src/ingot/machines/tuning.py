"""`Tuning`: the numbers that came from a stopwatch, each with where and when it was measured.

What a processor can do is a fact, and stands in `Machine`. What pays there was measured, and stands here: as
defaults, which count for every kind of core, and in the record of a microarchitecture where its own numbers
differ. A number is in here if another machine could have another one. Mathematics, formats, and what only bounds
the size of code stand where they are used.

How they were measured, unless a number says otherwise: one layer by `benchmarks/layers.py`, networks by
`benchmarks/run.py`, the thread pool by `benchmarks/pool.c`, and what a core can do at most by
`benchmarks/peak.c`. `docs/measurements/benchmarks.md` describes the machines. Cycles are those of one core.
"""

from __future__ import annotations

from ingot.base.records import Frozen


class Threads(metaclass=Frozen):
    """When work is handed to other threads, and in how many pieces (`docs/measurements/threads.md`)."""

    # Of half a microsecond, the unit in which the pool is told how long work is (`native/pool.h`).
    half_microsecond_cycles: int = 1_500
    # The least work that is handed over. From 0.8 µs on `kws_fp32` took 15.6 µs (16.5 from 1 µs on), from
    # 0.5 µs on nothing was quicker. `benchmarks/pool.c`, Zen 5, 2026-11-22.
    task_cycles: int = 1_500
    # The same in steps, each of which needs all that the threads made in the one before. A step reads
    # weights, and L2 of cores with vectors of 64 bytes delivers twice as many bytes in a cycle as that of
    # others. A GRU of 128 elements took 73 µs on two threads of a Zen 3 instead of 92, and gained nothing
    # on a Zen 5. 2026-11-22 (docs/decisions/steps-with-shared-work.md).
    step_task_cycles: int = 1_200
    wide_step_task_cycles: int = 3_000
    # Of a line that another core has, while others are on their way, too. `vww_fp32` took 0.85 of its
    # time on two threads. Granite Rapids, 2026-11-24 (docs/decisions/middle-over-middle.md).
    line_cycles: int = 20
    # Of all calls of a program whose loops paired threads share: where loops are longer, handing them
    # over is little. Granite Rapids, 2026-11-24 (docs/decisions/teams-run-through-loops.md).
    paired_max_cycles: int = 1_000_000
    # Of one thread, in a loop that goes by ranges. 2026-11-26 (docs/decisions/loops-by-ranges.md).
    range_max_tasks: int = 8


class LoopCosts(metaclass=Frozen):
    """What a loop takes, in the estimate that decides whether it is shared out: within a factor of two or so of what is measured.

    Held against the times of kernels, 2026-11-21; on which machine nobody wrote down.
    """

    call_cycles: float = 10.0  # of a function that is written out, such as exp
    libm_cycles: float = 40.0  # of a function of the C library
    divide_cycles: float = 6.0
    arithmetic_cycles: float = 0.5  # two units
    iteration_cycles: float = 0.5  # of a loop that stays a loop: counting and a branch, beside other work
    load_cycles: float = 0.15  # most loads are an operand of the instruction that works with it
    bytes_per_cycle: float = 24.0  # from a cache that all cores share
    # How much quicker AMX is than dot products of packed int8x4 in vectors of 64 bytes, two a cycle: 5310
    # and 870 GOP/s by `benchmarks/peak.c`, less what tiles wait for. Granite Rapids, 2026-11-23.
    amx_speedup: int = 8


class Tuning(metaclass=Frozen):
    """All that was measured, by what asks for it. The defaults count for a CPU without a record."""

    threads: Threads = Threads()
    costs: LoopCosts = LoopCosts()
