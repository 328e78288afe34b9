"""Another implementation's answer, to compare ours with: onnxruntime where it is installed, else ONNX's own evaluator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx

from ingot.errors import ModelError
from ingot.graph.classical import as_usual, rows_of_maps
from ingot.graph.evaluator import evaluator

try:
    import onnxruntime
except ImportError:  # an optional package: the evaluator that comes with onnx is slower and needs nothing
    onnxruntime = None


def run_reference(model: Path, inputs: Mapping[str, np.ndarray]) -> tuple[str, dict[str, np.ndarray]]:
    """Runs a model once. Inputs of bfloat16 are that type's bits as uint16; outputs are of the type that `ml_dtypes` has.

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
        made = dict(zip(names, session.run(names, dict(inputs)), strict=True))
        if any(isinstance(value, list) for value in made.values()):
            nodes = onnx.load(str(model), load_external_data=False).graph.node
            zips = {node.output[0]: node for node in nodes if node.op_type == "ZipMap" and node.output[0] in made}
            made |= {name: rows_of_maps(node, made[name]) for name, node in zips.items()}
        return f"onnxruntime {onnxruntime.__version__}", made
    except Exception as error:  # each implementation has exceptions of its own, with no common base
        text = " ".join(str(error).split())
        raise ModelError(f"{model}: the reference implementation cannot run it: {text[:400]}", path=str(model)) from error


def _session(model: Path) -> Any:
    """A session of onnxruntime; None if it has no code for a node, as for most of bfloat16, or takes or gives that type, of
    which it knows no arrays.
    """
    try:
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
        return None
    ends = (*session.get_inputs(), *session.get_outputs())
    return None if any(end.type == "tensor(bfloat16)" for end in ends) else session


def _evaluated(proto: onnx.ModelProto, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by ONNX's evaluator, which computes bfloat16 in float32 and leaves it so: here they are rounded."""
    given = dict(inputs)
    for name in _of_bfloat16(proto.graph.input) & given.keys():
        given[name] = given[name].view(ml_dtypes.bfloat16)
    session = evaluator(proto)
    made = dict(zip(session.output_names, session.run(None, given), strict=True))
    for name in _of_bfloat16(proto.graph.output):
        made[name] = made[name].astype(ml_dtypes.bfloat16)
    return made


def _of_bfloat16(values: Iterable[onnx.ValueInfoProto]) -> set[str]:
    return {value.name for value in values if value.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16}
