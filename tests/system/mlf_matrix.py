"""Every model through every version, executor and code generator of an archive, loaded back.

Run it with `python -m tests.system.mlf_matrix`. Needs `INGOT_TEST_MODELS` for the models of MLPerf Tiny. One
line for each archive; the exit status is 1 if one is wrong.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import onnx

import ingot
from tests.support.paths import MODELS

VERSIONS, EXECUTORS, TARGETS = (5, 7, 8), ("aot", "graph"), ("c", "llvm")
RTOL, ATOL = 1e-4, 1e-5

Arrays = Mapping[str, np.ndarray]


def models() -> Iterator[tuple[str, Path, Arrays, Arrays]]:
    """Name, file, inputs and expected outputs of each model."""
    lstm = MODELS / "lstm"
    with np.load(lstm.with_suffix(".npz")) as arrays:
        yield "lstm", lstm.with_suffix(".onnx"), _of(arrays, "in_"), _of(arrays, "out_")
    light = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light" / "light_squeezenet.onnx"
    expected = onnx.load_tensor(str(light).replace(".onnx", "_output_0.pb"))
    model = onnx.load(light)
    weights = {tensor.name for tensor in model.graph.initializer}
    (image,) = [value for value in model.graph.input if value.name not in weights]
    shape = [extent.dim_value for extent in image.type.tensor_type.shape.dim]
    answer = onnx.numpy_helper.to_array(expected)
    # ONNX's own runner makes the input of a light model so.
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / np.float32(np.prod(shape))
    yield "squeezenet", light, {image.name: values}, {model.graph.output[0].name: answer}
    folder = Path(os.environ.get("INGOT_TEST_MODELS", "nowhere")) / "mlperf_tiny"
    for name in ("ad", "ic", "kws", "vww") if folder.is_dir() else ():
        with np.load(folder / "ref" / f"{name}.npz") as arrays:
            yield (
                name,
                folder / "onnx" / f"{name}_fp32.onnx",
                {"": arrays["x_f32"][0]},
                {"": arrays["y_f32_ort"][0]},
            )


def _of(arrays: Arrays, prefix: str) -> Arrays:
    return {key.removeprefix(prefix): arrays[key] for key in arrays if key.startswith(prefix)}


def error_of(path: Path, name: str, executor: str, inputs: Arrays, outputs: Arrays) -> float:
    """The largest error of an archive's model in units of what is allowed: good up to 1."""
    library = ingot.load(path)
    kind = executor if executor in library.models[name].executors else "aot"
    model = library[name](ingot.cpu(0), executor=kind)
    feeds = {
        one.name: np.asarray(inputs.get(one.name, inputs.get(""))).reshape(one.shape) for one in model.inputs
    }
    result = model.predict(**feeds)
    results = dict(
        zip(
            [one.name for one in model.outputs],
            result if isinstance(result, tuple) else (result,),
            strict=True,
        )
    )
    worst = 0.0
    for key, value in results.items():
        expected = np.asarray(outputs.get(key, outputs.get(""))).reshape(value.shape)
        worst = max(worst, float(np.max(np.abs(value - expected) / (ATOL + RTOL * np.abs(expected)))))
    return worst


def main() -> int:
    wrong = 0
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "x.tar"
        for name, file, inputs, outputs in models():
            for target in TARGETS:
                artifacts = ingot.build(file, target, name=name)
                for version in VERSIONS:
                    for executor in EXECUTORS:
                        start = time.perf_counter()
                        artifacts.export_model_library_format(path, version, executor=executor)
                        error = error_of(path, name, executor, inputs, outputs)
                        wrong += not error <= 1
                        took, size = time.perf_counter() - start, path.stat().st_size
                        verdict = "equal" if error <= 1 else "WRONG"
                        what = f"{name:10} {target:4} {version} {executor:5}"
                        print(
                            f"{what}  {verdict}  {error:6.3f}  {size:>11,} bytes  {took:5.1f} s", flush=True
                        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
