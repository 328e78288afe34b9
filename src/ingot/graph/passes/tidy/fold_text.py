"""Computes nodes on text whose inputs are constants, by the steps that would do it while running."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ingot.border.program import Step
from ingot.border.steps import prepared
from ingot.graph.passes.border.text_steps import step_of, texts_of
from ingot.graph.read.types import to_array, to_text
from ingot.graph.rewrite.replace import is_named_constant, replace_by_constant
from ingot.graph.rewrite.writer import StaysError

# What a node may read: text that is joined to itself again and again grows to any length.
LETTERS_MAX = 1 << 20
# The same for regular expressions, which may look at thousands of states at each letter.
LETTERS_MAX_OF_PATTERNS = 1 << 10
_OF_PATTERNS = frozenset({"match", "tokenize"})


def fold_text(model: ir.Model) -> bool:
    """Puts constants in the place of nodes on text that read constants only. In place; returns whether it did something.

    Does not handle: nodes that are no steps, or whose text does not fit; they stay, and say so later.
    """
    done = False
    for node in list(model.graph):
        if not texts_of((*node.inputs, *node.outputs)) or is_named_constant(node):
            continue
        results = _results(node)
        if results is None:
            continue
        done = True
        for value, array in zip(node.outputs, results, strict=False):
            if value.name:
                replace_by_constant(model, node, value, np.array(array, order="C"))
        model.graph.remove(node, safe=True)
    return done


def _results(node: ir.Node) -> tuple[np.ndarray, ...] | None:
    try:
        step = step_of(node)
        values = [node.inputs[position] for position in step.reads]
        if not values or any(
            value is None or value.const_value is None or value.is_graph_input() for value in values
        ):
            return None
        arrays = [
            _array(value.const_value)
            for value in values
            if value is not None and value.const_value is not None
        ]
        limit = LETTERS_MAX_OF_PATTERNS if step.op in _OF_PATTERNS else LETTERS_MAX
        if sum(len(text) for array in arrays if array.dtype == object for text in array.flat) > limit:
            return None
        return prepared(Step(step.op, (), (), tuple(sorted(step.attributes.items()))))(arrays)
    except (StaysError, ValueError, IndexError, KeyError):
        return None


def _array(tensor: ir.TensorProtocol) -> np.ndarray:
    return to_text(tensor) if tensor.dtype == ir.DataType.STRING else to_array(tensor)
