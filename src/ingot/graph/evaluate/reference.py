"""Another implementation's answer, to compare ours with: onnxruntime where it is installed, else ONNX's own evaluator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.base.tensor import DType
from ingot.graph.evaluate.evaluator import evaluator
from ingot.graph.read.classical import as_usual, rows_of_maps
from ingot.graph.read.map_inputs import tensors_of_maps
from ingot.graph.read.types import to_dtype

try:
    import onnxruntime
except ImportError:  # an optional package: the evaluator that comes with onnx is slower and needs nothing
    onnxruntime = None

# The element types that NumPy lacks: by ONNX's number what ml_dtypes has for them.
_LACKING = {
    int(onnx_type): onnx_type.numpy()
    for onnx_type in ir.DataType
    if (dtype := to_dtype(onnx_type)) is not None and dtype.numpy != onnx_type.numpy()
}
_UNKNOWN_TO_NUMPY = tuple(
    f"tensor({ir.DataType(number).name.lower()})" for number in _LACKING
)  # as onnxruntime writes them


def run_reference(model: Path, inputs: Mapping[str, np.ndarray]) -> tuple[str, dict[str, np.ndarray]]:
    """Runs a model once. Inputs are of `DType.numpy`: bfloat16 as its bits in uint16. Outputs are of the type that `ml_dtypes`
    has for what NumPy lacks.

    Returns:
        Who computed it ("onnxruntime 1.22.0"), and the outputs by name. What onnxruntime cannot do, the evaluator does.

    Raises:
        ModelError: the file is no model, or the implementation refuses it or its inputs.
    """
    try:
        session = None if onnxruntime is None else _session(model)
        if session is None:
            proto = onnx.load(str(model))
            as_usual(proto, str(model))  # it knows no maps
            return f"onnx.reference {onnx.__version__}", _evaluated(proto, inputs)
        names = [output.name for output in session.get_outputs()]
        maps = [value.name for value in session.get_inputs() if value.type.startswith("map(")]
        outputs = dict(zip(names, session.run(names, _with_maps(model, maps, inputs)), strict=True))
        if any(isinstance(value, list) for value in outputs.values()):
            nodes = onnx.load(str(model), load_external_data=False).graph.node
            zips = {
                node.output[0]: node
                for node in nodes
                if node.op_type == "ZipMap" and node.output[0] in outputs
            }
            outputs |= {name: rows_of_maps(node, outputs[name]) for name, node in zips.items()}
        return f"onnxruntime {onnxruntime.__version__}", outputs
    except Exception as error:  # each implementation has exceptions of its own, with no common base
        text = " ".join(str(error).split())
        raise ModelError(
            f"{model}: the reference implementation cannot run it: {text[:400]}", path=str(model)
        ) from error


def _with_maps(model: Path, maps: list[str], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs, those that are maps as dicts of what their tensors have."""
    if not maps:
        return dict(inputs)
    keys = tensors_of_maps(onnx.load(str(model), load_external_data=False).graph, str(model))
    return dict(inputs) | {
        name: dict(zip(keys[name], inputs[name][0].tolist(), strict=True)) for name in maps if name in inputs
    }


def _session(model: Path) -> Any:
    """A session of onnxruntime; None if it has no code for a node, as for most of bfloat16 and shorter types, or takes or gives
    a type that NumPy lacks, of which it knows no arrays.
    """
    try:
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
        return None
    except onnxruntime.capi.onnxruntime_pybind11_state.Fail:
        if not _lacks_numpy(onnx.load(str(model), load_external_data=False)):
            raise
        return None
    ends = (*session.get_inputs(), *session.get_outputs())
    return None if any(end.type in _UNKNOWN_TO_NUMPY for end in ends) else session


def _lacks_numpy(proto: onnx.ModelProto) -> bool:
    """Whether an input, output or weight is of a type that NumPy lacks."""
    graph = proto.graph
    stated = {value.type.tensor_type.elem_type for value in (*graph.input, *graph.output, *graph.value_info)}
    return bool(stated & _LACKING.keys()) or any(tensor.data_type in _LACKING for tensor in graph.initializer)


def _evaluated(proto: onnx.ModelProto, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by ONNX's evaluator, which computes bfloat16 in float32 and leaves it so: here they are rounded."""
    given = dict(inputs)
    for name, kind in _lacking(proto.graph.input).items():
        if name in given:
            array = given[name]
            given[name] = array.astype(kind) if DType.from_numpy(kind).is_integer else array.view(kind)
    session = evaluator(proto)
    outputs = dict(zip(session.output_names, session.run(None, given), strict=True))
    for name, kind in _lacking(proto.graph.output).items():
        outputs[name] = outputs[name].astype(kind)
    return outputs


def _lacking(values: Iterable[onnx.ValueInfoProto]) -> dict[str, np.dtype[Any]]:
    """The types of ml_dtypes of those values whose type NumPy lacks, by name."""
    kinds = {value.name: _LACKING.get(value.type.tensor_type.elem_type) for value in values}
    return {name: kind for name, kind in kinds.items() if kind is not None}
