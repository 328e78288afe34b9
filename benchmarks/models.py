"""The models that are measured, each with one input: from the onnx package, from this repository, and made here."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
from networks import NETWORKS
from onnx import TensorProto, helper, numpy_helper
from quantized import QUANTIZED
from transformers import TRANSFORMERS

ROOT = Path(__file__).parent.parent
LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
# Their weights are one number each, so answers hardly vary: they show speed, and that shapes are right. ResNet-50 and VGG-19 are
# measured with weights that vary, from `networks`.
LIGHTS = tuple(f"light_{name}" for name in (
    "bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "shufflenet", "squeezenet", "zfnet512"
))  # fmt: skip
SMALL = ROOT / "tests" / "models"
SEED = 3


@dataclass(frozen=True)
class Subject:
    """A model to measure. `model` gives the file's bytes; `dims` binds its symbolic dimensions; `tflite` is the same network for
    LiteRT; `steps` is how far integer outputs may be from onnxruntime's, and `share` how far numbers may be, as a share of the
    median one, or of 1.
    """

    name: str
    model: Callable[[], bytes]
    dims: Mapping[str, int] = field(default_factory=dict)
    tflite: Path | None = None
    steps: int = 0
    share: float = 1e-4


def subjects() -> Iterator[Subject]:
    """All models that are here; those of mlperf_tiny only if INGOT_TEST_MODELS names a folder that has them."""
    yield Subject("add_one_element", add_one_element)
    yield Subject("elementwise_chain", elementwise_chain)
    yield Subject("digits", (ROOT / "examples" / "digits" / "digits.onnx").read_bytes, {"batch": 1})
    extra = os.environ.get("INGOT_TEST_MODELS", "")
    if extra:
        folder = Path(extra) / "mlperf_tiny"
        for path in sorted((folder / "onnx").glob("*_fp32.onnx")):
            yield Subject(
                path.stem, path.read_bytes, tflite=_existing(folder / "tflite" / f"{path.stem}.tflite")
            )
        for path in sorted((folder / "onnx").glob("*_int8_qdq.onnx")):
            tflite = folder / "tflite" / f"{path.stem.removesuffix('_qdq')}.tflite"
            yield Subject(path.stem, path.read_bytes, tflite=_existing(tflite), steps=1)
    for name in LIGHTS:
        yield Subject(name, (LIGHT / f"{name}.onnx").read_bytes)
    for name, make in NETWORKS.items():
        yield Subject(name, make)
    yield Subject("transformer_encoder", (SMALL / "transformer_encoder.onnx").read_bytes, {"batch": 1})
    for name in ("gpt_decoder", "lstm", "gru"):
        yield Subject(name, (SMALL / f"{name}.onnx").read_bytes)
    for name, make in TRANSFORMERS.items():
        yield Subject(name, make)
    for name, make in QUANTIZED.items():
        yield Subject(name, make, share=0.5)


def subject(word: str) -> Subject:
    """The model of this name, or the one in a file; ends the program with status 2 if there is neither."""
    known = next((each for each in subjects() if each.name == word), None)
    if known is None and not Path(word).is_file():
        print(
            f"no such model or file: {word}; there are {', '.join(each.name for each in subjects())}",
            file=sys.stderr,
        )
        sys.exit(2)
    return known or Subject(Path(word).stem, Path(word).read_bytes)


def _existing(path: Path) -> Path | None:
    return path if path.exists() else None


def feeds(model: bytes, dims: Mapping[str, int]) -> dict[str, np.ndarray]:
    """Random inputs: normal numbers, or integers below 16 (token ids)."""
    random = np.random.default_rng(SEED)
    graph = onnx.load_from_string(model).graph
    constants = {initializer.name for initializer in graph.initializer}
    arrays = {}
    for value in graph.input:
        if value.name in constants:
            continue
        tensor = value.type.tensor_type
        unbound = [
            extent.dim_param
            for extent in tensor.shape.dim
            if extent.dim_param and extent.dim_param not in dims
        ]
        if unbound:
            raise ValueError(
                f"input {value.name!r} has the symbolic dimension {unbound[0]!r}; export it with a number"
            )
        shape = [
            dims[extent.dim_param] if extent.dim_param else extent.dim_value for extent in tensor.shape.dim
        ]
        dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        arrays[value.name] = (
            random.standard_normal(shape).astype(dtype)
            if dtype.kind == "f"
            else random.integers(0, 16, shape).astype(dtype)
        )
    return arrays


def add_one_element() -> bytes:
    """x [1] + 1 → y [1]: what one call costs when there is nothing to do."""
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "one"], ["y"], "add")],
        "add_one_element",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])],
        [numpy_helper.from_array(np.ones(1, np.float32), "one")],
    )
    return _serialized(graph)


def elementwise_chain() -> bytes:
    """Eight operators in a row on x [256, 1024]: what fusing them is worth."""
    shape = [256, 1024]
    steps = ["Sigmoid", "Mul", "Tanh", "Add", "Relu", "Mul", "Exp", "Neg"]
    nodes, value = [], "x"
    for number, step in enumerate(steps):
        result = "y" if number == len(steps) - 1 else f"v{number}"
        nodes.append(
            helper.make_node(
                step, [value, "x"] if step in ("Mul", "Add") else [value], [result], f"{step}_{number}"
            )
        )
        value = result
    graph = helper.make_graph(
        nodes,
        "elementwise_chain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
    )
    return _serialized(graph)


def _serialized(graph: onnx.GraphProto) -> bytes:
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString()
