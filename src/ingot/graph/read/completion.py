"""Inputs and outputs that a model gets besides its own, so that it has the state that goes through it to other models."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir


@dataclass(frozen=True, slots=True)
class Completion:
    """A state of a model that lacks its input, its output, or both.

    `dtype` and `shape` are those of the input that it gets, and that nothing reads; None if it has one. Of one that lacks the
    output, what comes in goes out: `passes`.
    """

    input: str
    output: str
    dtype: ir.DataType | None
    shape: tuple[int, ...]
    passes: bool

    def complete(self, model: ir.Model) -> None:
        """Adds what is lacking. In place."""
        graph = model.graph
        if self.dtype is not None:
            type_, shape = ir.TensorType(self.dtype), ir.Shape(self.shape)
            graph.inputs.append(ir.Value(name=self.input, type=type_, shape=shape))
        if self.passes:
            source = next(value for value in graph.inputs if value.name == self.input)
            node = ir.node("Identity", [source], name=f"{self.output}/keep")
            node.outputs[0].name, node.outputs[0].shape = self.output, source.shape
            node.outputs[0].type = source.type
            graph.append(node)
            graph.outputs.append(node.outputs[0])
