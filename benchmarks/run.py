"""Measures ingot side by side with onnxruntime, OpenVINO and LiteRT, as far as they are installed.

    make bench                                     all models, one and two threads
    python benchmarks/run.py --models gru lstm     some of them
    python benchmarks/run.py --models my.onnx      your own, without symbolic dimensions
    python benchmarks/run.py --json bench.json     also as JSON
    python benchmarks/run.py --page                also into the README and docs/measurements: benchmarks.md, speed.md, speed.svg

Each engine runs in a process of its own and is called in turns (A B A B …), so that what disturbs one disturbs the others. A turn
is as many calls as take about 20 ms, behind a quarter as many that are not counted. The time of a call is the median over turns,
its spread is from the 10th to the 90th percentile; a ratio is the median of ingot's time over the peer's in neighbouring turns:
below 1 ingot is quicker. First answers of new processes are described in `cold_start.py`. A run that is slower than `--minutes`
allows gives models fewer turns and starts (`time_budget.py`), and says so.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
from chart import chart, ratios, sentence
from cold_start import c_start, python_starts
from engines import ENGINES
from machine import describe
from measure import MIN_TURNS, Result, compare, latency
from report import duration, filled, line, summary, tables
from time_budget import fitting, planned

import ingot
from models import Subject, add_one_element, feeds, subject, subjects

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "docs" / "measurements"
PAGE, SPEED, CHART, README = (
    PAGES / "benchmarks.md",
    PAGES / "speed.md",
    PAGES / "speed.svg",
    ROOT / "README.md",
)
PAGE_THREADS = [1, 2]
MIN_STARTS = 5
FAILURES = (ingot.IngotError, AssertionError, OSError, RuntimeError, ValueError, subprocess.SubprocessError)


def begin_compiling(target: str) -> None:
    """A build that is not measured: it imports the compiler, starts LLVM, and compiles what all libraries share."""
    with tempfile.TemporaryDirectory() as folder:
        ingot.build(add_one_element(), target, cache=None).export_library(Path(folder) / "first.so")


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
        names = list(workers)
        for name, worker in workers.items():
            result.load[name] = min(worker.facts["load"], result.load.get(name, worker.facts["load"]))
        if threads == options.threads[0]:
            for name, worker in workers.items():
                result.peak_bytes[name] = int(worker.facts["peak_bytes"])
            if "onnxruntime" in names:
                compare(folder, "onnxruntime", subject.steps, subject.share)
    for engine in ENGINES:
        if engine.name in names:
            result.file_bytes[engine.name] = (folder / f"bench{engine.suffix}").stat().st_size
    if options.cold:
        result.cold = python_starts(names, folder, options.cold)
        result.cold_c = c_start(artifacts, folder, options.cold)
    return result


def why_no_page(options: argparse.Namespace, usual_target: bool) -> str:
    """What the tables of the pages need and these options do not give; empty if nothing."""
    if options.models or not options.cold:
        return "--page shows all models and their cold starts: leave out --models, and --cold 0"
    if options.threads != PAGE_THREADS:
        return "--page shows one thread and two: leave out --threads, on a machine with two cores"
    if not usual_target:
        return "--page shows code for the machine at hand: leave out --target"
    if not any(engine.is_here and engine.suffix == ".onnx" for engine in ENGINES):
        return "--page shows ingot beside others: install onnxruntime or openvino"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", nargs="+", metavar="NAME", help="only these, or files (.onnx)")
    parser.add_argument("--target", default="llvm -mcpu=native", help="what ingot makes code for")
    parser.add_argument(
        "--threads",
        nargs="+",
        type=int,
        help="numbers of threads [default: 1, and 2 where there are two cores]",
    )
    parser.add_argument(
        "--turns", type=int, default=15, help="turns of each engine, fewer where a call takes long"
    )
    parser.add_argument(
        "--cold",
        type=int,
        default=15,
        help="new processes of ingot, a third as many of each peer, 0 for none",
    )
    parser.add_argument(
        "--minutes", type=float, default=18, help="turns and starts become fewer if it would take longer"
    )
    parser.add_argument("--json", type=Path, help="also write the numbers there")
    parser.add_argument(
        "--page",
        action="store_true",
        help=f"also write {PAGE.name}, {SPEED.name}, its chart and {README.name}",
    )
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    options.threads = options.threads or [number for number in (1, 2) if number <= cores]
    if options.page:
        why = why_no_page(options, options.target == parser.get_default("target"))
        if why:
            parser.error(why)
    chosen = list(subjects()) if options.models is None else [subject(word) for word in options.models]
    for engine in ENGINES:
        if not engine.is_here:
            print(f"not measured: {engine.name} (not installed)")
    if not os.environ.get("INGOT_TEST_MODELS"):
        print("not measured: mlperf_tiny (INGOT_TEST_MODELS is not set)")
    machine = describe()
    print(machine, flush=True)
    begin = time.perf_counter()
    try:
        begin_compiling(options.target)
    except ingot.IngotError as error:
        parser.error(str(error))
    results: list[Result] = []
    fewer = 0
    full_counts = options.turns, options.cold
    for measured in chosen:
        behind = (
            time.perf_counter()
            - begin
            - planned([each.name for each in chosen], len(results), 60 * options.minutes)
        )
        options.turns, options.cold = (
            fitting(full_counts[0], MIN_TURNS, behind),
            fitting(full_counts[1], MIN_STARTS, behind),
        )
        fewer += (options.turns, options.cold) != full_counts
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = bench(measured, Path(folder), options)
            except FAILURES as error:  # the others are measured all the same
                result = Result(
                    measured.name, error=f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
                )
        print(line(result), flush=True)
        results.append(result)
        if options.json is not None:  # what is there when the run is cut short stays
            rows = {
                "machine": machine,
                "target": options.target,
                "results": [asdict(result) for result in results],
            }
            options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    print(f"{len(results)} models in {duration(time.perf_counter() - begin)}")
    if fewer:
        plan = f"its plan of {options.minutes:g} minutes"
        print(f"{fewer} of them with fewer turns or starts than asked for, because the run was behind {plan}")
    if options.page:
        table = summary(results, machine)
        texts = {
            PAGE: filled(PAGE, {"machine": machine, **tables(results, options.threads)}),
            SPEED: filled(SPEED, {"speed": table}),
            README: filled(README, {"speed": sentence(ratios(table))}),
            CHART: chart(ratios(table)),
        }
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
    return 1 if any(result.error for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
