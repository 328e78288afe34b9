"""Single nodes of onnxruntime's own operators, by onnxruntime and by ingot."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

import ingot

Arrays = Mapping[str, np.ndarray | None]


def contrib_node(
    op: str,
    inputs: Arrays,
    outputs: Sequence[type | None] = (np.float32,),
    *,
    opset: int = 17,
    domain: str = "com.microsoft",
    version: int = 1,
    fed: Collection[str] | None = None,
    **attributes: Any,
) -> onnx.ModelProto:
    """A model of one node of a `version` of a domain. Inputs that are None are left out, and so are outputs; those that are not
    in `fed` are constants, by default none are. Outputs have types but no shapes.
    """
    graph_inputs, weights = [], []
    for name, array in inputs.items():
        if array is None:
            continue
        if fed is None or name in fed:
            graph_inputs.append(
                helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            )
        else:
            weights.append(numpy_helper.from_array(array, name))
    names = [name if array is not None else "" for name, array in inputs.items()]
    while names and not names[-1]:
        names.pop()
    results = [f"y{number}" if dtype is not None else "" for number, dtype in enumerate(outputs)]
    node = helper.make_node(op, names, results, name="node", domain=domain, **attributes)
    made = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), None)
        for name, dtype in zip(results, outputs, strict=True)
        if dtype is not None
    ]
    graph = helper.make_graph([node], "g", graph_inputs, made, weights)
    imports = [
        helper.make_opsetid(*one) for one in ({domain: version} | {"": opset, "com.microsoft": 1}).items()
    ]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def by_onnxruntime(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> list[np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    # With optimisations products with blocks of codes would round the other operand to 8 bits.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    feeds = {
        name: given if isinstance(given, Mapping) else np.asarray(given) for name, given in feeds.items()
    }  # a map is a dict
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, feeds)


def by_ingot(
    model: onnx.ModelProto, feeds: Mapping[str, np.ndarray], target: str = "llvmjit", **options: Any
) -> list[np.ndarray]:
    made = ingot.build(model, target, cache=None, **options).load()["g"]()
    made.set_input({name: np.asarray(array) for name, array in feeds.items()})
    made.run()
    return [np.asarray(made.get_output(number)) for number in range(len(model.graph.output))]


def agree(
    op: str,
    inputs: Arrays,
    outputs: Sequence[type | None] = (np.float32,),
    *,
    rtol: float = 1e-4,
    atol: float = 2e-5,
    fed: Collection[str] | None = None,
    target: str = "llvmjit",
    **options: Any,
) -> list[np.ndarray]:
    """Asserts that onnxruntime and ingot compute the same; returns what it is."""
    model = contrib_node(op, inputs, outputs, fed=fed, **options)
    feeds = {
        name: array for name, array in inputs.items() if array is not None and (fed is None or name in fed)
    }
    expected, got = by_onnxruntime(model, feeds), by_ingot(model, feeds, target)
    for one, other in zip(expected, got, strict=True):
        assert one.shape == other.shape, (one.shape, other.shape)
        assert one.dtype == other.dtype
        np.testing.assert_allclose(other, one, rtol=rtol, atol=atol)
    return expected
