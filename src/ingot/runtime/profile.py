"""What `profile` gives: the time and work of each kernel of a model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ingot.artifact.model_info import CallInfo
from ingot.artifact.module import Function
from ingot.base.records import Frozen

_TRIES = 20  # calls that do nothing, before the first round and behind each
_TICK = time.get_clock_info("perf_counter").resolution


class KernelTime(metaclass=Frozen):
    """One call of the program. `seconds` is the median of the measured runs; `bytes` are read and written, each tensor once.
    `algorithm` says how it is computed where there were several ways, as `conv=direct`; else it is empty. A call in a loop was
    made `times` times in the last run, and seconds, bytes and operations are those of all of them.

    What making the call takes is not counted, where the call took longer than that; where it did not, the whole time counts.
    So work that was done never takes 0 seconds: what the clock cannot tell from none takes one tick of it.
    """

    name: str
    nodes: tuple[str, ...]
    seconds: float
    bytes: int
    flops: int
    algorithm: str
    times: int = 1

    @property
    def gflops_per_second(self) -> float:
        return self.flops / self.seconds / 1e9 if self.seconds > 0 else 0.0

    @property
    def gbytes_per_second(self) -> float:
        return self.bytes / self.seconds / 1e9 if self.seconds > 0 else 0.0


class Profile(tuple[KernelTime, ...]):
    """The calls of a model in order. `print` shows a table."""

    __slots__ = ()

    @property
    def seconds(self) -> float:
        """The sum over all calls."""
        return sum(call.seconds for call in self)

    def __str__(self) -> str:
        total = self.seconds
        rows = [("kernel", "µs", "%", "GFLOP/s", "GB/s", "algorithm", "nodes")]
        for call in self:
            share = 100 * call.seconds / total if total > 0 else 0.0
            rows.append(
                (
                    call.name if call.times == 1 else f"{call.name} × {call.times}",
                    f"{call.seconds * 1e6:.1f}",
                    f"{share:.1f}",
                    f"{call.gflops_per_second:.2f}",
                    f"{call.gbytes_per_second:.2f}",
                    call.algorithm,
                    _shortened(", ".join(call.nodes)),
                )
            )
        rows.append(
            ("total", f"{total * 1e6:.1f}", "100.0" if total > 0 else "0.0", "", "", "", f"{len(self)} calls")
        )
        widths = [max(len(row[column]) for row in rows) for column in range(7)]
        lines = []
        for row in rows:
            numbers = "  ".join(row[column].rjust(widths[column]) for column in range(1, 5))
            lines.append(
                f"{row[0].ljust(widths[0])}  {numbers}  {row[5].ljust(widths[5])}  {row[6]}".rstrip()
            )
        return "\n".join(lines)


def profile_calls(
    calls: Sequence[CallInfo],
    call: Function,
    bases: Any,
    repeat: int,
    failed: Callable[[int], object],
    order: Callable[[], Iterable[int]] | None = None,
) -> Profile:
    """Makes all calls of a program in order, `repeat` times, and measures each.

    What Python takes to make a call (a quarter of a microsecond, more than a small kernel) is measured with a number that is
    none, and is not counted. It is measured between all rounds, and the least counts: while others have the processor it takes
    longer, and would be more than kernels that were measured at another moment.

    Args:
        calls: what they are.
        call: makes the one of a number; does nothing for the number behind the last.
        bases: the base pointers of an executor whose inputs are set.
        repeat: measured inferences; each time is the median of these.
        failed: called with a status other than 0; raises.
        order: gives the numbers of calls in the order in which they are made, of a program with loops or branches.
    """
    clock = time.perf_counter
    numbers = range(len(calls))
    times: list[list[float]] = [[] for _ in calls]
    counts = [0] * len(calls)  # in the last round
    nothing = _fastest(clock, call, len(calls), bases)
    for round_ in range(repeat + 1):
        sums = [0.0] * len(calls)
        counts = [0] * len(calls)
        for number in numbers if order is None else order():
            start = clock()
            status = call(number, bases)
            end = clock()
            if status:
                failed(status)
            sums[number] += end - start
            counts[number] += 1
        if round_:  # the first round warms the caches
            for taken, seconds in zip(times, sums, strict=True):
                taken.append(seconds)
        nothing = min(nothing, _fastest(clock, call, len(calls), bases))

    def kernel_time(info: CallInfo, taken: list[float], count: int) -> KernelTime:
        seconds = _own(sorted(taken)[len(taken) // 2], nothing * count) if count else 0.0
        moved = (info.bytes_read + info.bytes_written) * count
        return KernelTime(info.kernel, info.nodes, seconds, moved, info.flops * count, info.algorithm, count)

    return Profile(map(kernel_time, calls, times, counts))


def _own(taken: float, nothing: float) -> float:
    """Seconds of a kernel whose call took so long, where one that does nothing takes `nothing`; never 0."""
    own = taken - nothing
    return own if own >= _TICK else max(taken, _TICK)


def _fastest(clock: Callable[[], float], call: Function, number: int, bases: Any) -> float:
    """Seconds of the fastest of some calls."""
    times = []
    for _ in range(_TRIES):
        start = clock()
        call(number, bases)
        times.append(clock() - start)
    return min(times)


def _shortened(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
