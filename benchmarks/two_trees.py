"""Compares libraries that two commits build of the same models: what a change of kernels, or of the thread pool, is worth.

    python benchmarks/two_trees.py HEAD~1 --models vad_stream lstm_32x128           # against the working tree, one thread
    python benchmarks/two_trees.py HEAD~1 --models kws_fp32 vww_fp32 --threads 2

Both libraries are loaded in this process and called in blocks that alternate. On one thread the time of a call is CPU time, so
other programs disturb it little. On several threads it is wall time of single calls, of which low quantiles are compared: those
calls had their processors for themselves. A ratio is the working tree's time over the commit's.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from recurrent_networks import RECURRENT

import ingot
from models import ROOT, Subject, feeds, subject

BLOCK_SECONDS = 0.04
WARM_UP_CALLS = 20
PAUSE_SECONDS = 0.002
QUANTILES = (1, 10, 50)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit", help="what the working tree is compared to")
    parser.add_argument("--models", nargs="+", required=True, help="names or files")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20.0, help="of measuring, for each model")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _unpack(options.commit, folder / "commit")
        for word in options.models:
            print(_compared(_subject(word), folder, options.threads, options.seconds), flush=True)


def _subject(word: str) -> Subject:
    return Subject(word, RECURRENT[word]) if word in RECURRENT else subject(word)


def _unpack(commit: str, folder: Path) -> None:
    """Writes the sources of a commit to a folder."""
    packed = subprocess.run(
        ["git", "archive", commit, "src"], cwd=ROOT, check=True, stdout=subprocess.PIPE
    ).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


def _compared(model: Subject, folder: Path, threads: int, seconds: float) -> str:
    content = model.model()
    (folder / "bench.onnx").write_bytes(content)
    inputs = feeds(content, model.dims)
    libraries = [folder / "commit.so", folder / "tree.so"]
    for source, library in zip((folder / "commit" / "src", ROOT / "src"), libraries, strict=True):
        _build(source, folder / "bench.onnx", model.dims, library)
    runs = [_loaded(library, inputs, threads) for library in libraries]
    before, after = (np.percentile(times, QUANTILES) * 1e6 for times in _measured(runs, threads, seconds))
    ratios = ", ".join(f"{ratio:.3f}" for ratio in after / before)
    return (
        f"{model.name:20} threads {threads}: {before[0]:9.1f} → {after[0]:9.1f} µs; ratios of the "
        f"quantiles {', '.join(str(quantile) for quantile in QUANTILES)} %: {ratios}"
    )


def _build(source: Path, model: Path, dims: Mapping[str, int], library: Path) -> None:
    command = [sys.executable, "-m", "ingot", "build", str(model), "--no-cache", "--output", str(library)]
    command += [word for name, extent in dims.items() for word in ("--dim", f"{name}={extent}")]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def _loaded(library: Path, inputs: Mapping[str, np.ndarray], threads: int) -> Callable[[], None]:
    executor = ingot.load(library)["bench"](ingot.cpu(0), threads=threads)
    executor.set_input(**inputs)
    return executor.run


def _measured(runs: Sequence[Callable[[], None]], threads: int, seconds: float) -> list[list[float]]:
    """Seconds of calls of each: single ones, or the mean of some where CPU time is measured, which takes longer to read."""
    times: list[list[float]] = [[] for _ in runs]
    end, order = time.monotonic() + seconds, list(range(len(runs)))
    while time.monotonic() < end:
        for number in order:
            times[number] += _cpu_block(runs[number]) if threads == 1 else _wall_block(runs[number])
            time.sleep(PAUSE_SECONDS)  # the pool's worker of this library falls asleep
        order.reverse()
    return times


def _wall_block(run: Callable[[], None]) -> list[float]:
    for _ in range(WARM_UP_CALLS):
        run()
    times, stop = [], time.perf_counter() + BLOCK_SECONDS
    begin = time.perf_counter()
    while begin < stop:
        run()
        end = time.perf_counter()
        times.append(end - begin)
        begin = end
    return times


def _cpu_block(run: Callable[[], None]) -> list[float]:
    """Chunks of calls of about 2 ms each."""
    begin = time.thread_time()
    for _ in range(WARM_UP_CALLS):
        run()
    calls = max(1, int(0.002 * WARM_UP_CALLS / (time.thread_time() - begin)))
    times = []
    for _ in range(int(BLOCK_SECONDS / 0.002)):
        begin = time.thread_time()
        for _ in range(calls):
            run()
        times.append((time.thread_time() - begin) / calls)
    return times


if __name__ == "__main__":
    main()
