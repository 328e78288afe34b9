"""Measures ingot side by side with onnxruntime, OpenVINO and LiteRT, as far as they are installed.

    make bench                                     all models, one and two threads
    python benchmarks/run.py --models gru lstm     some of them
    python benchmarks/run.py --models my.onnx      your own, without symbolic dimensions
    python benchmarks/run.py --json bench.json     also as JSON
    python benchmarks/run.py --page                also into the tables of docs/benchmarks.md and of the README

Each engine runs in a process of its own and is called in turns (A B A B …), so that what disturbs one disturbs the others. A turn
is as many calls as take about 20 ms, behind a quarter as many that are not counted. The time of a call is the median over turns,
its spread is from the 10th to the 90th percentile; a ratio is the median of ingot's time over the peer's in neighbouring turns:
below 1 ingot is quicker. First answers of new processes are described in `starts.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
from engines import ENGINES
from machine import describe
from measure import Result, compare, latency
from report import duration, fill, line, summary, tables
from starts import c_start, python_starts

import ingot
from models import Subject, feeds, subject, subjects

ROOT = Path(__file__).parent.parent
PAGE, README = ROOT / "docs" / "benchmarks.md", ROOT / "README.md"


def bench(subject: Subject, folder: Path, options: argparse.Namespace) -> Result:
    result = Result(subject.name)
    model = subject.model()
    (folder / "bench.onnx").write_bytes(model)
    np.savez(folder / "bench.npz", **feeds(model, subject.dims))  # type: ignore[arg-type]
    begin = time.perf_counter()
    artifacts = ingot.build(model, options.target, name="bench", dims=dict(subject.dims), cache=None)
    artifacts.export_library(folder / "bench.so")
    result.build = time.perf_counter() - begin
    memory = artifacts.models()["bench"].host.memory
    result.weight_bytes, result.arena_bytes = memory.params_bytes, memory.arena_bytes
    names = [engine.name for engine in ENGINES if engine.is_here and engine.suffix != ".tflite"]
    if subject.tflite is not None and any(engine.name == "litert" and engine.is_here for engine in ENGINES):
        (folder / "bench.tflite").write_bytes(subject.tflite.read_bytes())
        names.append("litert")
    for threads in options.threads:
        result.times[threads], workers = latency(names, folder, threads, options.turns)
        for name, worker in workers.items():
            result.load[name] = min(worker.facts["load"], result.load.get(name, worker.facts["load"]))
        if threads == options.threads[0]:
            for name, worker in workers.items():
                result.peak_bytes[name] = int(worker.facts["peak_bytes"])
            compare(folder, "onnxruntime", subject.steps, subject.share)
    for engine in ENGINES:
        if engine.name in names:
            result.file_bytes[engine.name] = (folder / f"bench{engine.suffix}").stat().st_size
    if options.cold:
        result.cold = python_starts(names, folder, options.cold)
        result.cold_c = c_start(artifacts, folder, options.cold)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", metavar="NAME", help="only these, or files (.onnx)")
    parser.add_argument("--target", default="llvm -mcpu=native", help="what ingot makes code for")
    parser.add_argument("--threads", nargs="+", type=int, help="numbers of threads [default: 1, and 2 where there are two cores]")
    parser.add_argument("--turns", type=int, default=15, help="turns of each engine, fewer where a call takes long")
    parser.add_argument("--cold", type=int, default=15, help="new processes of ingot, a third as many of each peer, 0 for none")
    parser.add_argument("--json", type=Path, help="also write the numbers there")
    parser.add_argument("--page", action="store_true", help=f"also write the tables of docs/{PAGE.name} and {README.name}")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    options.threads = options.threads or [number for number in (1, 2) if number <= cores]
    if options.page and (options.models or not options.cold):
        parser.error("--page shows all models and their cold starts: leave out --models, and --cold 0")
    chosen = list(subjects()) if options.models is None else [subject(word) for word in options.models]
    for engine in ENGINES:
        if not engine.is_here:
            print(f"not measured: {engine.name} (not installed)")
    if not os.environ.get("INGOT_TEST_MODELS"):
        print("not measured: mlperf_tiny (INGOT_TEST_MODELS is not set)")
    machine = describe()
    print(machine, flush=True)
    begin = time.perf_counter()
    results = []
    for one in chosen:
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = bench(one, Path(folder), options)
            except (ingot.IngotError, AssertionError, RuntimeError, ValueError) as error:  # the others are measured all the same
                result = Result(one.name, error=f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")
        print(line(result), flush=True)
        results.append(result)
    print(f"{len(results)} models in {duration(time.perf_counter() - begin)}")
    if options.json is not None:
        rows = {"machine": machine, "target": options.target, "results": [asdict(result) for result in results]}
        options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    if options.page:
        fill(PAGE, {"machine": machine, **tables(results, options.threads)})
        fill(README, {"speed": summary(results, machine)})
    return 1 if any(result.error for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
