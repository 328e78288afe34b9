"""Measures cold starts: new processes, to their end right behind the first answer, in turns with bare ones.

From Python, the bare process imports NumPy, makes the inputs and ends. Every process does that first, and it takes ten times as
long as the answer of a small model, now two milliseconds more and now two less. So each says when it has come so far, and is
measured from there to its end; that the bare one takes no time for the answer, but some for its end, is then taken off.
From C, the bare process makes the inputs and returns from `main`; the time counts from the start, because the dynamic linker
opens the library before `main`.

Many short starts follow each other (bare, ingot, bare, ingot, …, with the peers, which are slow, in every third round), and each
is compared with the bare one of its own round. Besides the time on the clock there is the processor time of the process
(`wait4`), which does not count what else runs on the machine.

All processes find their bytecode, as installed packages do. OpenBLAS, which NumPy brings along, gets one thread in all of them:
otherwise its second one spins for a while beside whatever is measured, and its time would be counted too.
"""

from __future__ import annotations

import inspect
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from engines import BY_NAME, Engine

import ingot

PEER_ROUNDS = 3  # a peer starts in every third round
EVERY_ROUND = ("bare", "ingot", "twice")
BARE = """import os, time
import numpy as np
inputs = {inputs}
os.write(1, b"%r %r\\n" % (time.monotonic(), time.process_time()))
{answer}os._exit(0)  # what an engine does to end is not measured
"""
ANSWER = """Any = Arrays = Call = Path = None  # words of annotations
{load}{name}({path!r}, inputs, 1)()
"""
# The rules of docs/use/c-interface.md: the caller owns all memory, and a large workspace lies in huge pages.
C_PROGRAM = """#include "bench.h"
#include <stdlib.h>
#include <sys/mman.h>

enum {{ HUGE_PAGE = 2 << 20 }};

static void *room(size_t bytes)
{{
    size_t alignment = bytes < HUGE_PAGE ? 64 : HUGE_PAGE;
    size_t size = (bytes + alignment) / alignment * alignment;
    void *made = aligned_alloc(alignment, size);
#if defined(MADV_HUGEPAGE)
    if (alignment == HUGE_PAGE) {{
        madvise(made, size, MADV_HUGEPAGE);
    }}
#endif
    return made;
}}

static void *input(size_t bytes)
{{
    volatile char *made = room(bytes);
    for (size_t at = 0; at < bytes; at++) {{
        made[at] = 0;
    }}
    return (void *)made;
}}

int main(void)
{{
    const struct bench_inputs inputs = {{{inputs}}};
    {answer}
}}
"""
C_BARE = "return sizeof inputs == 0;"
C_ANSWER = """const struct bench_outputs outputs = {{{outputs}}};
    void *workspace = room(BENCH_WORKSPACE_BYTES);
    int failed = 0;
    for (int answer = 0; answer < {answers}; answer++) {{
        failed |= bench_run(&inputs, &outputs, workspace) != BENCH_OK;
    }}
    return failed;"""


@dataclass(frozen=True)
class Start:
    """Seconds of a process beyond those of the bare one in the same round: the median, the 10th and 90th percentile, and the
    median of processor time; `shortest` is the shortest of all less the shortest bare one.
    """

    median: float
    p10: float
    p90: float
    shortest: float
    cpu: float


@dataclass(frozen=True)
class CStart:
    """From C: the first answer, and the seconds by which a process that answers twice takes longer. Where an inference takes a
    tenth of a second, one that was measured minutes apart differs from that by more than the goal.
    """

    first: Start
    second: float


def python_starts(engines: Sequence[str], folder: Path, rounds: int) -> dict[str, Start]:
    """First answers from Python on one thread, with `bench.<suffix>` and inputs like those of `bench.npz` in the folder."""
    with np.load(folder / "bench.npz") as stored:
        arrays = ", ".join(
            f"{name!r}: np.ones({array.shape}, {array.dtype.name!r})" for name, array in stored.items()
        )
    inputs = f"{{{arrays}}}"
    commands = {"bare": [sys.executable, "-c", BARE.format(inputs=inputs, answer="")]}
    for name in engines:
        commands[name] = [
            sys.executable,
            "-c",
            BARE.format(inputs=inputs, answer=_answer(BY_NAME[name], folder)),
        ]
    times = _starts(commands, folder, rounds)
    bare = times.pop("bare")
    return {name: _beyond(each, bare) for name, each in times.items()}


def _answer(engine: Engine, folder: Path) -> str:
    """The engine's own `load`, without what else is in its file and would have to be imported."""
    load = inspect.getsource(engine.load)
    return ANSWER.format(load=load, name=engine.load.__name__, path=str(folder / f"bench{engine.suffix}"))


def c_start(artifacts: ingot.ArtifactSet, folder: Path, rounds: int) -> CStart | None:
    """The first answer of a C program that is linked with `bench.so` in the folder; None without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    info = artifacts.models()["bench"]
    (folder / "bench.h").write_text(artifacts.c_header("bench"), encoding="utf-8")
    inputs = ", ".join(f"input({tensor.size_bytes})" for tensor in info.inputs)
    outputs = ", ".join(f"room({tensor.size_bytes})" for tensor in info.outputs)
    commands = {}
    for name, answers in (("bare", 0), ("ingot", 1), ("twice", 2)):
        does = C_ANSWER.format(outputs=outputs, answers=answers) if answers else C_BARE
        (folder / f"{name}.c").write_text(C_PROGRAM.format(inputs=inputs, answer=does), encoding="utf-8")
        library = ("bench.so", f"-Wl,-rpath,{folder}") if answers else ()
        subprocess.run([compiler, "-O1", "-o", name, f"{name}.c", *library], cwd=folder, check=True)
        commands[name] = [str(folder / name)]
    times = _starts(commands, folder, rounds)
    second = statistics.median(
        wall - times["ingot"][number][0] for number, (wall, _) in times["twice"].items()
    )
    return CStart(_beyond(times["ingot"], times["bare"]), second)


def _starts(
    commands: Mapping[str, Sequence[str]], folder: Path, rounds: int
) -> dict[str, dict[int, tuple[float, float]]]:
    """What `_start` measures of all, in turns, by round. The first round, which is not counted, fills the page cache and writes
    bytecode.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["OPENBLAS_NUM_THREADS"] = "1"
    times: dict[str, dict[int, tuple[float, float]]] = {name: {} for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            if name in EVERY_ROUND or number % PEER_ROUNDS == 0 or number == rounds:
                started = _start(command, environment, folder)
                if number:
                    times[name][number] = started
    return times


def _start(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> tuple[float, float]:
    """Seconds on the clock and of processors: from what the process says first, or from its start if it says nothing.

    Raises:
        RuntimeError: the process failed.
    """
    begin, worked = time.monotonic(), 0.0
    # A file and no pipe: nobody reads before the end, and whoever prints more than a pipe holds would wait for a reader.
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command,
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        end = time.monotonic()
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        first = said.readline()
    if process.returncode:
        raise RuntimeError(
            f"a cold start failed with the exit status {process.returncode}: {' '.join(command)[-300:]}"
        )
    if first:
        begin, worked = map(float, first.split())
    return end - begin, usage.ru_utime + usage.ru_stime - worked


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Median, 10th and 90th percentile."""
    return statistics.median(values), float(np.percentile(values, 10)), float(np.percentile(values, 90))


def _beyond(starts: Mapping[int, tuple[float, float]], bare: Mapping[int, tuple[float, float]]) -> Start:
    walls = [wall - bare[number][0] for number, (wall, _) in starts.items()]
    cpus = [cpu - bare[number][1] for number, (_, cpu) in starts.items()]
    return Start(
        *spread(walls),
        min(wall for wall, _ in starts.values()) - min(wall for wall, _ in bare.values()),
        statistics.median(cpus),
    )
