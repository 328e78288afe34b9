"""What a new shape costs: memory that stays, and the time of the first call, beside onnxruntime and OpenVINO.

`shapes.py --new-shapes` runs this, each engine in a process of its own:

    python benchmarks/new_shapes.py ingot library.so model.onnx 100000      one engine, as JSON

All shapes are batches of 1 to 64, drawn at random. Times are CPU seconds of the thread, engines have one thread.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx

BATCHES = 64
SETTLED = 0.01  # of all calls: what is allocated before is for all shapes
LATER = 7  # calls that the first one with a shape is compared with
SEED = 5
Call = Callable[[dict[str, np.ndarray]], object]


@dataclass(frozen=True)
class NewShapes:
    """What one engine was measured to do. `first`: the first call of a shape over later ones."""

    engine: str
    grown_bytes: int
    first_median: float
    first_worst: float


def _ingot(library: str, _model: str) -> Call:
    import ingot  # noqa: PLC0415  # each engine has a process for itself

    return ingot.load(library)["bench"](ingot.cpu(0), threads=1).predict


def _onnxruntime(_library: str, model: str) -> Call:
    import onnxruntime  # noqa: PLC0415  # each engine has a process for itself

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = 1, 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda inputs: session.run(None, inputs)


def _openvino(_library: str, model: str) -> Call:
    import openvino  # noqa: PLC0415  # each engine has a process for itself

    core = openvino.Core()
    settings = {
        "INFERENCE_NUM_THREADS": 1,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32",  # by itself it rounds to bfloat16 on processors that have it
    }
    return core.compile_model(model, "CPU", settings).create_infer_request().infer


ENGINES: Mapping[str, Callable[[str, str], Call]] = {
    "ingot": _ingot,
    "onnxruntime": _onnxruntime,
    "OpenVINO": _openvino,
}


def in_own_process(engine: str, library: Path, model: Path, calls: int) -> NewShapes | str:
    """What an engine does, or the last line of what it says if it fails: it is not installed, or has no such operator."""
    command = [sys.executable, __file__, engine, library, model, str(calls)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no message"])[-1]
    return NewShapes(**json.loads(done.stdout.splitlines()[-1]))


def resident_bytes() -> int:
    """The memory of this process that is in RAM."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def _seconds(call: Call, inputs: dict[str, np.ndarray]) -> float:
    begin = time.process_time()  # engines may compute on threads of their own
    call(inputs)
    return time.process_time() - begin


def _first_calls(call: Call, whole: Mapping[str, np.ndarray], random: np.random.Generator) -> list[float]:
    """Of each batch, the time of the first call over the median of later ones."""
    batches = random.permutation(BATCHES) + 1
    call({name: array[: batches[0]] for name, array in whole.items()})
    ratios = []
    for batch in batches[1:]:
        inputs = {name: array[:batch] for name, array in whole.items()}
        first = _seconds(call, inputs)
        ratios.append(first / statistics.median(_seconds(call, inputs) for _ in range(LATER)))
    return ratios


def _growth(call: Call, whole: Mapping[str, np.ndarray], calls: int, random: np.random.Generator) -> int:
    before = 0
    for number, batch in enumerate(random.integers(1, BATCHES + 1, calls)):
        if number == int(calls * SETTLED):
            before = resident_bytes()
        call({name: array[:batch] for name, array in whole.items()})
    return resident_bytes() - before


def main() -> None:
    """Measures the engine that is named."""
    engine, library, model, calls = sys.argv[1:]
    random = np.random.default_rng(SEED)
    whole = {
        value.name: random.standard_normal(
            [BATCHES, *(extent.dim_value for extent in value.type.tensor_type.shape.dim[1:])]
        ).astype(np.float32)
        for value in onnx.load(model).graph.input
    }
    call = ENGINES[engine](library, model)
    first = _first_calls(call, whole, random)
    grown = _growth(call, whole, int(calls), random)
    print(json.dumps(vars(NewShapes(engine, grown, statistics.median(first), max(first)))))


if __name__ == "__main__":
    main()
