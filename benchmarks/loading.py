"""Measures loading: time by step for libraries of several sizes, the memory that processes share, and what a call costs.

    python benchmarks/loading.py [--sizes 1e3 45e6 400e6] [--repeat 20]

Each library has one matrix as its constants. Times are medians over loads of a file that is in the system's page cache, by a new
`ingot.load` each in one process; what stands first is the least. The memory of four processes is the sum of their proportional
shares (PSS) of the file's mappings, after each ran the model once.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper, parser

import ingot

PROCESSES = 4
COLUMNS = 96  # packed without padding
SHARER = """
import sys, numpy, ingot
executor = ingot.load(sys.argv[1])["dense"](ingot.cpu(0), threads=1)
executor.predict(x=numpy.zeros(executor.inputs[0].shape, numpy.float32))
print("ready", flush=True)
sys.stdin.readline()
"""


def dense(size_bytes: int) -> onnx.ModelProto:
    """y = x · w, with so many bytes of w."""
    rows = max(1, size_bytes // 4 // COLUMNS)
    model = parser.parse_model(
        f'<ir_version: 8, opset_import: ["": 17]> g (float[1, {rows}] x) => (float[1, {COLUMNS}] y) {{ y = MatMul(x, w) }}'
    )
    weights = np.random.default_rng(0).standard_normal((rows, COLUMNS), dtype=np.float32)
    model.graph.initializer.append(numpy_helper.from_array(weights, "w"))
    return model


def show_load_times(path: Path, verify: str, repeat: int) -> None:
    """The median time of each step, and of all."""
    rows: dict[str, list[float]] = {}
    totals = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        library = ingot.load(path, verify=verify)
        totals.append(time.perf_counter() - start)
        for step in library.load_steps:
            rows.setdefault(step.name, []).append(step.seconds)
        library.close()
    steps = "  ".join(f"{name} {statistics.median(times[1:]) * 1e3:.3f}" for name, times in rows.items())
    print(
        f"  verify={verify:5}  {min(totals) * 1e3:8.2f} ms, median {statistics.median(totals[1:]) * 1e3:.2f}: {steps}"
    )


def show_shared_memory(path: Path) -> None:
    """PSS and RSS of the library's mappings in each of four processes."""
    command = [sys.executable, "-c", SHARER, str(path)]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(PROCESSES)
    ]
    for process in started:
        if process.stdout is not None:
            process.stdout.readline()
    mapped = [mapped_bytes(process.pid, path) for process in started]
    for process in started:
        process.communicate("\n")
    shares = ", ".join(f"{pss / 1e6:.1f}" for pss, _ in mapped)
    total, alone = sum(pss for pss, _ in mapped), max(rss for _, rss in mapped)
    print(
        f"  {PROCESSES} processes  PSS {shares} MB, together {total / 1e6:.1f} MB (RSS of one {alone / 1e6:.1f} MB)"
    )


def mapped_bytes(pid: int, path: Path) -> tuple[int, int]:
    """PSS and RSS of the mappings of a file in a process."""
    totals, inside = {"Pss:": 0, "Rss:": 0}, False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        words = line.split()
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            inside = line.endswith(str(path))
        elif inside and words[0] in totals:
            totals[words[0]] += int(words[1]) * 1024
    return totals["Pss:"], totals["Rss:"]


def show_call_costs(target: str) -> None:
    """What a call costs besides the work: a model of one addition, by every kind of executor and way to call it."""
    model = parser.parse_model(
        '<ir_version: 8, opset_import: ["": 17]> g (float[1] x) => (float[1] y) { y = Add(x, x) }'
    )
    library = ingot.build(model, target=target, name="one", executor=("aot", "graph"), cache=None).load()
    x, y = np.ones(1, np.float32), np.empty(1, np.float32)
    for kind in ("aot", "graph"):
        executor = library["one"](ingot.cpu(0), executor=kind, threads=1)
        executor.set_input(x=x)
        callers: Iterable[tuple[str, Callable[[], object]]] = (
            ("run", executor.run),
            ("predict", lambda executor=executor: executor.predict(x=x)),  # type: ignore[misc]
            ("predict(out=)", lambda executor=executor: executor.predict(x=x, out=y)),  # type: ignore[misc]
        )
        costs = "  ".join(f"{name} {nanoseconds(call):.0f} ns" for name, call in callers)
        print(f"  {kind:5}  {costs}")


def nanoseconds(call: Callable[[], object], calls: int = 5000) -> float:
    """The time of one call: the least of ten rounds' means."""
    best = float("inf")
    for _ in range(10):
        start = time.perf_counter_ns()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter_ns() - start) / calls)
    return best


def main() -> None:
    """Prints all figures."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--sizes", type=float, nargs="+", default=[1e3, 45e6, 400e6], metavar="BYTES")
    options.add_argument("--target", default="llvm")
    options.add_argument("--repeat", type=int, default=20)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder_name:
        for size in given.sizes:
            path = Path(folder_name) / "dense.so"
            start = time.perf_counter()
            ingot.build(dense(int(size)), target=given.target, name="dense", cache=None).export_library(path)
            took = time.perf_counter() - start
            print(
                f"{size / 1e6:g} MB of constants: a library of {path.stat().st_size:,} bytes, built in {took:.1f} s; loads in"
            )
            for verify in ("full", "index"):
                show_load_times(path, verify, given.repeat)
            show_shared_memory(path)
            path.unlink()
    print("a call of a model with one addition, one thread")
    show_call_costs(given.target)


if __name__ == "__main__":
    main()
