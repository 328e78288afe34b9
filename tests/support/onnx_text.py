"""Small models in ONNX's text form, evaluated from their definitions and by ONNX's own reference."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.kernels.template import Template
from ingot.ops.registry import ALL
from tests.support.draft_eval import evaluate_draft


def parse(signature: str, nodes: str, opset: int = 21) -> onnx.ModelProto:
    """A model from a signature such as `(float[3] x) => (float[3] y)` and nodes such as `y = Relu(x)`."""
    return onnx.parser.parse_model(
        f'<ir_version: 10, opset_import: ["" : {opset}]> m {signature} {{ {nodes} }}'
    )


def run(
    model: onnx.ModelProto, constants: Mapping[str, np.ndarray] | None = None, **inputs: np.ndarray
) -> list[np.ndarray]:
    """The outputs as ingot's definitions say. `constants` are inputs that are known while building."""
    draft = to_draft(read_model(model, constants=dict(constants or {})), ALL)
    return evaluate_draft(draft, inputs)


def template_of(model: onnx.ModelProto, constants: Mapping[str, np.ndarray] | None = None) -> Template:
    """The template that a model of one node is lowered to, if it is one."""
    (step,) = to_draft(read_model(model, constants=dict(constants or {})), ALL).steps
    assert isinstance(step.definition, Template)
    return step.definition


def reference(model: onnx.ModelProto, **inputs: np.ndarray) -> list[np.ndarray]:
    """The outputs as ONNX's reference says."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return [np.asarray(one) for one in ReferenceEvaluator(model).run(None, inputs)]


def agrees(
    model: onnx.ModelProto, constants: Mapping[str, np.ndarray] | None = None, **inputs: np.ndarray
) -> list[np.ndarray]:
    """Asserts that both say the same, and returns it."""
    known = dict(constants or {})
    got, expected = run(model, known, **inputs), reference(model, **known, **inputs)
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    return got
