"""Measures ingot side by side with onnxruntime, and with OpenVINO where it is installed.

    make bench                                   all models
    python benchmarks/run.py --models gru lstm   some of them
    python benchmarks/run.py --json bench.json   also as JSON

One thread each, in the same process, in turns (A B A B …), so that what disturbs one disturbs the other. A turn is as many calls
as take about 20 ms. The time of a call is the median over turns, its spread is from the 10th to the 90th percentile; the ratio is
the median of the ratios of neighbouring turns. `cold start` is from the start of a new Python process to its first answer,
interpreter and imports included.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

import ingot
from models import Subject, feeds, subjects

try:
    import openvino
except ImportError:  # an optional peer
    openvino = None

TURN_SECONDS = 0.02
Call = Callable[[], Any]

COLD_INGOT = """
import sys, numpy, ingot
feeds = dict(numpy.load(sys.argv[2]))
model = ingot.load(sys.argv[1])["bench"](ingot.cpu(0), threads=1)
model.predict(feeds)
"""
COLD_ONNXRUNTIME = """
import sys, numpy, onnxruntime
feeds = dict(numpy.load(sys.argv[2]))
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"]).run(None, feeds)
"""


@dataclass
class Result:
    """What was measured of one model; times in seconds, by engine."""

    model: str
    median: dict[str, float] = field(default_factory=dict)
    p10: dict[str, float] = field(default_factory=dict)
    p90: dict[str, float] = field(default_factory=dict)
    ratio: dict[str, float] = field(default_factory=dict)  # ingot's time over the engine's
    cold: dict[str, float] = field(default_factory=dict)
    build: float = 0.0
    library_bytes: int = 0
    error: str = ""


def onnxruntime_call(model: bytes, inputs: Mapping[str, np.ndarray]) -> Call:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, inputs)


def openvino_call(model: bytes, inputs: Mapping[str, np.ndarray]) -> Call:
    core = openvino.Core()
    settings = {"INFERENCE_NUM_THREADS": 1, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    request = core.compile_model(core.read_model(model), "CPU", settings).create_infer_request()
    for number, array in enumerate(inputs.values()):
        request.set_input_tensor(number, openvino.Tensor(array, shared_memory=True))
    return lambda: request.infer(share_outputs=True)  # its leanest call: nothing is copied


def turn(call: Call, count: int) -> float:
    """Seconds of one call, the mean of `count`."""
    begin = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - begin) / count


def measure(calls: Mapping[str, Call], turns: int, result: Result) -> None:
    counts = {}
    for name, call in calls.items():
        warm = [turn(call, 1) for _ in range(4)]
        counts[name] = max(1, round(TURN_SECONDS / max(min(warm), 1e-7)))
        turn(call, counts[name])
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(turns):
        for name, call in calls.items():
            times[name].append(turn(call, counts[name]))
    for name, values in times.items():
        result.median[name] = statistics.median(values)
        result.p10[name], result.p90[name] = (float(np.percentile(values, part)) for part in (10, 90))
        result.ratio[name] = statistics.median(mine / theirs for mine, theirs in zip(times["ingot"], values, strict=True))


def cold_start(commands: Mapping[str, list[str]], starts: int) -> dict[str, float]:
    """Median seconds from the start of a process to its end, in turns; the first of each warms the file cache."""
    # Pip leaves bytecode of what it installs; an editable install may lack it.
    compileall.compile_dir(Path(ingot.__file__).parent, quiet=2)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(starts + 1):
        for name, command in commands.items():
            begin = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            if number:
                times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(values) for name, values in times.items()}


def bench(subject: Subject, folder: Path, options: argparse.Namespace) -> Result:
    result = Result(subject.name)
    model = subject.model()
    inputs = feeds(model, subject.dims)
    begin = time.perf_counter()
    artifacts = ingot.build(model, options.target, name="bench", dims=dict(subject.dims), cache=None)
    result.build = time.perf_counter() - begin
    library, source, data = folder / "bench.so", folder / "bench.onnx", folder / "bench.npz"
    artifacts.export_library(library)
    result.library_bytes = library.stat().st_size
    source.write_bytes(model)
    np.savez(data, **inputs)  # type: ignore[arg-type]
    executor = ingot.load(library)["bench"](ingot.cpu(0), threads=1)
    calls: dict[str, Call] = {
        "ingot": lambda: executor.predict(inputs),
        "onnxruntime": onnxruntime_call(model, inputs),
    }
    if openvino is not None:
        calls["openvino"] = openvino_call(model, inputs)
    ours = calls["ingot"]()
    for mine, theirs in zip(ours if isinstance(ours, tuple) else (ours,), calls["onnxruntime"](), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=1e-4, err_msg=subject.name)
    measure(calls, options.turns, result)
    if options.cold:
        commands = {
            "ingot": [sys.executable, "-c", COLD_INGOT, str(library), str(data)],
            "onnxruntime": [sys.executable, "-c", COLD_ONNXRUNTIME, str(source), str(data)],
        }
        result.cold = cold_start(commands, options.cold)
    return result


def duration(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


def show(result: Result) -> None:
    if result.error:
        print(f"{result.model:20s}  {result.error}")
        return
    parts = []
    for name, median in result.median.items():
        spread = f"({duration(result.p10[name])} … {duration(result.p90[name])})"
        ratio = "" if name == "ingot" else f"  ratio {result.ratio[name]:.2f}"
        parts.append(f"{name} {duration(median)} {spread}{ratio}")
    cold = "  ".join(f"{name} {duration(seconds)}" for name, seconds in result.cold.items())
    print(f"{result.model:20s}  " + "  |  ".join(parts) + (f"  |  cold start: {cold}" if cold else ""), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", metavar="NAME", help="only these")
    parser.add_argument("--target", default="llvm -mcpu=native", help="what ingot makes code for")
    parser.add_argument("--turns", type=int, default=25, help="turns of each engine")
    parser.add_argument("--cold", type=int, default=7, help="new processes of each engine, 0 for none")
    parser.add_argument("--json", type=Path, help="also write the numbers there")
    options = parser.parse_args()
    chosen = [subject for subject in subjects() if options.models is None or subject.name in options.models]
    if not chosen:
        parser.error(f"no such model; there are {', '.join(subject.name for subject in subjects())}")
    if not os.environ.get("INGOT_TEST_MODELS"):
        print("not measured: mlperf_tiny (INGOT_TEST_MODELS is not set)")
    results = []
    for subject in chosen:
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = bench(subject, Path(folder), options)
            except (ingot.IngotError, AssertionError) as error:  # one model that fails does not hide the others
                result = Result(subject.name, error=f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")
        show(result)
        results.append(result)
    if options.json is not None:
        machine = {"processor": platform.processor() or platform.machine(), "onnxruntime": onnxruntime.__version__}
        rows = {"machine": machine, "target": options.target, "results": [asdict(result) for result in results]}
        options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    return 1 if any(result.error for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
