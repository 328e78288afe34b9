"""Which form of a float32 product is quicker here, by the time that both take with as many threads as the process has.

A machine's cores may share what multiplies AMX tiles (virtual cores are often two threads of one), and then tiles do not gain
from the second thread where vectors do. No name of a CPU says that, so `-mcpu=native` measures it, in some milliseconds, and
keeps the answer in the target.
"""

from __future__ import annotations

import ctypes
import functools
import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from ingot.base.tensor import DType
from ingot.codegen.llvm.build.engine import Engine, library_addresses, start_assembler
from ingot.codegen.llvm.build.objects import Processor, compiled
from ingot.codegen.llvm.emit.kernel import emit_kernel
from ingot.codegen.llvm.emit.values import Chip
from ingot.loops.analyse.amx_sums import tile_sums
from ingot.loops.nodes import Alloc, Const, Fma, For, Kernel, LoopKind, Var, buffer, index, load, store

_STEPS = 8  # of 32 elements each: a depth of 256, whose operands stay in a core's own cache
_ROWS, _COLUMNS, _VECTOR_ROWS = 32, 32, 6
_PRODUCTS = ((0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (2, 0))  # of the parts of two numbers
_TURNS, _TURN_SECONDS = 3, 0.001

Measure = Callable[[Sequence[Kernel], Processor, Chip, int], list[float]]
"""Seconds of one call of each kernel, while the given number of threads call it at the same time."""


def tiles_pay(processor: Processor, chip: Chip, threads: int, measure: Measure | None = None) -> bool:
    """Whether products of float32 are quicker in AMX tiles than in vectors, with `threads` threads on this machine.

    Where it cannot be measured they are not: in vectors nothing is lost that a second thread would not bring.
    """
    try:
        amx_seconds, vector_seconds = (measure or measured)(
            (tile_kernel(), vector_kernel()), processor, chip, threads
        )
    except Exception:  # whatever it is: a build goes on without an answer
        return False
    rates = (
        _ROWS * _COLUMNS * 32 * _STEPS / max(amx_seconds, 1e-12),
        _VECTOR_ROWS * _COLUMNS * 32 * _STEPS / max(vector_seconds, 1e-12),
    )
    return rates[0] > chip.machine.tuning.amx.probe_worth * rates[1]


@functools.cache
def tiles_pay_here(processor: Processor, chip: Chip, threads: int) -> bool:
    """`tiles_pay`, measured once in a process."""
    return tiles_pay(processor, chip, threads)


def tile_kernel() -> Kernel:
    """A product of float32 that was split into three bfloat16 before."""
    x = buffer("x", DType.INT32, (_STEPS, 3, _ROWS, 16))
    w, y = buffer("w", DType.INT32, (_STEPS, 3, 16, _COLUMNS)), buffer("y", DType.FLOAT32, (_ROWS, _COLUMNS))
    sums, row, column, at, step, r, c = (
        buffer("sums", DType.FLOAT32, y.shape),
        *map(Var, ("row", "col", "word", "k", "r", "c")),
    )
    factors = [(load(x, step, left, row, at), load(w, step, right, at, column)) for left, right in _PRODUCTS]
    filled = tile_sums(sums, [(step, _STEPS)], 16, factors, (at, row, column))
    kept = For(
        r, index(_ROWS), (For(c, index(_COLUMNS), (store(y, (r, c), load(sums, r, c)),), LoopKind.VECTOR),)
    )
    return Kernel("in_tiles", (x, w), (y,), (Alloc(sums), filled, kept))


def vector_kernel() -> Kernel:
    """A product of float32 in as many registers as hold its sums."""
    depth = 32 * _STEPS
    x, w = buffer("x", DType.FLOAT32, (depth, _VECTOR_ROWS)), buffer("w", DType.FLOAT32, (depth, _COLUMNS))
    y, sums = (buffer(name, DType.FLOAT32, (_VECTOR_ROWS, _COLUMNS)) for name in ("y", "sums"))
    row, lane, k = Var("row"), Var("lane"), Var("k")

    def each(body: Callable[[int], object]) -> For:
        halves = tuple(For(lane, index(16), (body(first),), LoopKind.VECTOR) for first in (0, 16))  # type: ignore[arg-type]
        return For(row, index(_VECTOR_ROWS), halves, LoopKind.UNROLLED)

    def summed(first: int) -> object:
        at = lane + first
        return store(sums, (row, at), Fma(load(x, k, row), load(w, k, at), load(sums, row, at)))

    cleared = each(lambda first: store(sums, (row, lane + first), Const(0.0, DType.FLOAT32)))
    kept = each(lambda first: store(y, (row, lane + first), load(sums, row, lane + first)))
    return Kernel(
        "in_vectors", (x, w), (y,), (Alloc(sums), cleared, For(k, index(depth), (each(summed),)), kept)
    )


def measured(kernels: Sequence[Kernel], processor: Processor, chip: Chip, threads: int) -> list[float]:
    """The shortest time of each kernel; the kernels run alternately.

    Raises:
        RuntimeError: LLVM cannot link one, or the system does not let it run.
    """
    start_assembler()
    called = [_Called(kernel, processor, chip, threads) for kernel in kernels]
    best = [float("inf")] * len(called)
    for _ in range(_TURNS):
        for number, candidate in enumerate(called):
            best[number] = min(best[number], candidate.time())
    return best


class _Called:
    """A kernel in the memory of this process, with memory to work on for each thread."""

    def __init__(self, kernel: Kernel, processor: Processor, chip: Chip, threads: int) -> None:
        taken = ", ".join(f"ptr %p{at}" for at in range(len(kernel.params)))
        # The calls of a turn are counted here and not in Python, whose lock all threads would wait for.
        entry = f"""define i32 @probe({taken}, i64 %count) {{
entry:
 br label %again
again:
 %number = phi i64 [ 0, %entry ], [ %next, %well ]
 %status = call i32 @{kernel.name}({taken}, ptr null)
 %good = icmp eq i32 %status, 0
 br i1 %good, label %well, label %out
well:
 %next = add i64 %number, 1
 %more = icmp slt i64 %next, %count
 br i1 %more, label %again, label %out
out:
 ret i32 %status
}}
"""
        content = compiled(
            emit_kernel(kernel, kernel.name, chip) + entry, processor, own_vectors=True
        ).content
        self._engine = Engine([content], library_addresses(), ("probe",), kernel.name)
        self._arrays = [
            [np.zeros(param.span * 4 + 64, np.uint8) for param in kernel.params] for _ in range(threads)
        ]
        self._count = 1
        once = self.time()
        self._count = max(1, round(_TURN_SECONDS / max(once, 1e-9)))

    def time(self) -> float:
        """Seconds of a call, as the mean of a turn in which all threads call at the same time."""
        seconds: list[float] = []
        begin = threading.Barrier(len(self._arrays), timeout=1.0)
        workers = [
            threading.Thread(target=self._turn, args=(arrays, begin, seconds)) for arrays in self._arrays
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if len(seconds) < len(workers):
            raise RuntimeError("a thread that measures did not start, or may not run the kernel")
        return sum(seconds) / len(seconds) / self._count

    def _turn(self, arrays: Sequence[np.ndarray], begin: threading.Barrier, seconds: list[float]) -> None:
        function = self._engine.function("probe")
        places = [ctypes.c_void_p(array.ctypes.data + -array.ctypes.data % 64) for array in arrays]
        try:
            begin.wait()
        except threading.BrokenBarrierError:
            return
        start = time.perf_counter()
        status = None if function is None else function(*places, ctypes.c_int64(self._count))
        if status == 0:
            seconds.append(time.perf_counter() - start)
