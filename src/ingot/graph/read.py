"""Reads an ONNX model and checks it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
import onnx_ir as ir

from ingot.errors import ModelError
from ingot.graph.names import name_all


def read_model(
    model: onnx.ModelProto,
    *,
    dims: Mapping[str, int] | None = None,
    constants: Mapping[str, np.ndarray] | None = None,
    name: str | None = None,
) -> ir.Model:
    """Reads a model."""
    result = ir.from_proto(model)
    graph = result.graph
    graph.name = name or graph.name
    for key, array in (constants or {}).items():
        for value in list(graph.inputs):
            if value.name == key:
                graph.inputs.remove(value)
                value.const_value = ir.Tensor(np.asarray(array), name=key)
                graph.register_initializer(value)
                break
        else:
            raise ModelError(f"no input {key}")
    name_all(graph)
    return result
