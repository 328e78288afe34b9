"""The engines that are measured, each behind one record: how it loads a file and how one inference is called.

Every engine is called by its leanest way that still hands over new inputs: onnxruntime by `run`, OpenVINO and LiteRT by tensors
that share memory with NumPy's arrays where the engine lets us.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Arrays = Mapping[str, np.ndarray]
Call = Callable[[], Any]


@dataclass(frozen=True)
class Engine:
    """`suffix` is the file it loads; `load(path, inputs, threads)` gives a call; `packages` is what must be installed to run."""

    name: str
    suffix: str
    load: Callable[[Path, Arrays, int], Call]
    packages: tuple[str, ...]

    @property
    def version(self) -> str:
        return importlib.metadata.version(self.packages[0])

    @property
    def is_here(self) -> bool:
        try:
            return bool(self.version)
        except importlib.metadata.PackageNotFoundError:
            return False

    @property
    def installed_bytes(self) -> int:
        """Size of the files of all its packages, NumPy not counted: all engines need it."""
        files = [
            file
            for package in self.packages
            for file in importlib.metadata.files(package) or ()
            if file.suffix != ".pyc"
        ]
        paths = {Path(str(file.locate())) for file in files}
        source = Path(__file__).parent.parent / "src" / "ingot"
        if self.name == "ingot" and not any(
            path.is_relative_to(source) for path in paths
        ):  # not listed if editable
            paths |= {path for path in source.rglob("*") if path.suffix != ".pyc"}
        return sum(path.stat().st_size for path in paths if path.is_file())


def _ingot(path: Path, inputs: Arrays, threads: int) -> Call:
    import ingot

    library = ingot.load(path)
    executor = library[next(iter(library))](ingot.cpu(0), threads=threads)
    return lambda: executor.predict(inputs)


def _onnxruntime(path: Path, inputs: Arrays, threads: int) -> Call:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, inputs)


def _openvino(path: Path, inputs: Arrays, threads: int) -> Call:
    import openvino

    core = openvino.Core()
    settings = {
        "INFERENCE_NUM_THREADS": threads,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32",
    }
    # The hint means one stream with all threads. Pinned or not, two threads took the same time when nothing else ran (ResNet-18,
    # MobileNet-V2, MiniLM, LSTM); but a pinned thread loses to whatever else runs on that core.
    settings["ENABLE_CPU_PINNING"] = False
    request = core.compile_model(core.read_model(path), "CPU", settings).create_infer_request()
    for number, array in enumerate(inputs.values()):
        request.set_input_tensor(number, openvino.Tensor(array, shared_memory=True))
    return lambda: request.infer(share_outputs=True)


def _litert(path: Path, inputs: Arrays, threads: int) -> Call:
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_path=str(path), num_threads=threads)
    interpreter.allocate_tensors()
    (array,) = inputs.values()  # the models that we have for it have one input
    slot = interpreter.get_input_details()[0]
    number, output = slot["index"], interpreter.get_output_details()[0]["index"]
    given = array if array.dtype == slot["dtype"] else np.zeros(slot["shape"], slot["dtype"])
    given = given.reshape(slot["shape"])

    def call() -> Any:
        interpreter.set_tensor(number, given)
        interpreter.invoke()
        return interpreter.get_tensor(output)

    return call


ENGINES = (
    Engine("ingot", ".so", _ingot, ("ingot", "blake3")),
    Engine("onnxruntime", ".onnx", _onnxruntime, ("onnxruntime",)),
    Engine("openvino", ".onnx", _openvino, ("openvino",)),
    Engine("litert", ".tflite", _litert, ("ai-edge-litert",)),
)
BY_NAME = {engine.name: engine for engine in ENGINES}
