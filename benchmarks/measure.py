"""Measures one model with several engines, each in a process of its own, in turns (A B A B …)."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

import numpy as np
from cold_start import CStart, Start, spread
from engines import BY_NAME

HERE = Path(__file__).parent
TURN_SECONDS = 0.02
MAX_SECONDS = 12.0  # of turns for one number of threads; a model that takes long gets fewer turns
MIN_TURNS = 7


@dataclass
class Times:
    """Seconds of one inference with one engine: median over turns, and the 10th and 90th percentile; and ingot's time over it in
    neighbouring turns, in the same three ways.
    """

    median: float
    p10: float
    p90: float
    ratio: float
    ratio_p10: float
    ratio_p90: float


@dataclass
class Result:
    """What was measured of one model; the keys are engines. Times in seconds, sizes in bytes."""

    model: str
    times: dict[int, dict[str, Times]] = field(default_factory=dict)  # by number of threads
    load: dict[str, float] = field(default_factory=dict)
    cold: dict[str, Start] = field(default_factory=dict)  # from Python
    cold_c: CStart | None = None
    peak_bytes: dict[str, int] = field(default_factory=dict)  # above the process before it loads the model
    file_bytes: dict[str, int] = field(default_factory=dict)
    build: float = 0.0
    weight_bytes: int = 0
    arena_bytes: int = 0
    error: str = ""


@dataclass
class Worker:
    """A running process; `facts` is what it said after its first answer."""

    engine: str
    process: subprocess.Popen[str]
    facts: Mapping[str, float]

    def call(self, count: int) -> float:
        """The mean of the seconds of `count` calls, after a quarter as many for warm-up: a process that continues has its threads
        on few processors, and its memory has left the caches. Before and after the calls the process is stopped.
        """
        into = cast(IO[str], self.process.stdin)
        self.process.send_signal(signal.SIGCONT)
        line = ""
        with suppress(BrokenPipeError):
            into.write(f"{count}\n")
            into.flush()
            line = cast(IO[str], self.process.stdout).readline()
        if not line:
            raise RuntimeError(f"the process of {self.engine} ended while it was measured")
        self.process.send_signal(signal.SIGSTOP)
        return float(line) / count


class CannotRunError(RuntimeError):
    """An engine refuses a model."""


@contextmanager
def worker(engine: str, folder: Path, threads: int) -> Iterator[Worker]:
    """Starts the engine on `bench.<suffix>` and `bench.npz` of the folder; its first answer is stored in `<engine>.npz`.

    It stands still whenever another one has its turn: onnxruntime's threads look for work for some 30 ms after a call, on cores
    that the others then lack (OpenVINO took as long with two threads as with one, twice as long as without this neighbour).
    """
    command = [
        sys.executable,
        str(HERE / "worker.py"),
        engine,
        str(folder / f"bench{BY_NAME[engine].suffix}"),
    ]
    command += [str(folder / "bench.npz"), str(threads), str(folder / f"{engine}.npz")]
    complaints = folder / f"{engine}.log"
    with (
        complaints.open("w", encoding="utf-8") as log,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, cwd=HERE
        ) as process,
    ):
        line = cast(IO[str], process.stdout).readline()
        if not line:
            said = complaints.read_text(encoding="utf-8").strip().splitlines()
            raise CannotRunError(
                f"{engine} cannot run the model: {said[-1] if said else 'it ended without a word'}"
            )
        process.send_signal(signal.SIGSTOP)
        try:
            yield Worker(engine, process, json.loads(line))
        finally:
            process.send_signal(signal.SIGCONT)
            with suppress(BrokenPipeError):  # it has ended already
                cast(IO[str], process.stdin).close()


def latency(
    engines: Sequence[str], folder: Path, threads: int, turns: int
) -> tuple[dict[str, Times], dict[str, Worker]]:
    """Measures all engines in turns; the first of them is what the others are compared to, of which those that cannot run the
    model are named and left out.
    """
    with ExitStack() as stack:
        workers = {}
        for name in engines:
            try:
                workers[name] = stack.enter_context(worker(name, folder, threads))
            except CannotRunError as error:
                if name == engines[0]:
                    raise
                print(f"not measured: {error}")
        counts, slowest = {}, 0.0
        for name, each in workers.items():
            counts[name] = _calls_of_a_turn(each)
            slowest += max(each.call(counts[name]) * counts[name], TURN_SECONDS)
        times: dict[str, list[float]] = {name: [] for name in workers}
        for _ in range(max(MIN_TURNS, min(turns, int(MAX_SECONDS / slowest)))):
            for name, each in workers.items():
                times[name].append(each.call(counts[name]))
    mine = times[engines[0]]
    latencies = {}
    for name, values in times.items():
        ratios = [ours / theirs for ours, theirs in zip(mine, values, strict=True)]
        latencies[name] = Times(*spread(values), *spread(ratios))
    return latencies, workers


def _calls_of_a_turn(running: Worker) -> int:
    """As many as take `TURN_SECONDS`, at least 1, by a tenth of that: a few calls alone take longer than they do in a row."""
    count = 1
    while (took := min(running.call(count) for _ in range(2)) * count) < TURN_SECONDS / 10:
        count *= 4
    return max(1, round(count * TURN_SECONDS / took))


def compare(folder: Path, engine: str, steps: int, share: float) -> None:
    """Raises AssertionError if ingot's first answer is not the engine's. `steps`: how far integers may be apart;
    `share`: how far numbers may be, as a share of the median one, or of 1. Of the largest one it could be more than all others.
    """
    ours, theirs = np.load(folder / "ingot.npz"), np.load(folder / f"{engine}.npz")
    assert len(ours.files) == len(theirs.files), (
        f"{len(ours.files)} outputs, {engine} has {len(theirs.files)}"
    )
    for mine, other in zip(ours.values(), theirs.values(), strict=True):
        if mine.dtype.kind in "iu":
            far = int(np.abs(mine.astype(np.int64) - other.astype(np.int64)).max(initial=0))
            assert far <= steps, f"integers are up to {far} apart from those of {engine}"
        else:
            scale = float(np.median(np.abs(other))) if other.size else 0.0
            np.testing.assert_allclose(mine, other, rtol=1e-3, atol=share * max(1.0, scale), err_msg=engine)
