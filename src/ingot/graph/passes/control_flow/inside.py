"""The model that becomes of nodes inside of a loop or a branch: what they read from around them are its inputs and weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import onnx_ir as ir

from ingot.graph.read.types import static_shape, to_dtype
from ingot.graph.rewrite.add import Names
from ingot.graph.rewrite.clone import copy_nodes
from ingot.graph.rewrite.look import constant_of, reads


@dataclass(slots=True)
class Inside:
    """A model on its way.

    Attributes:
        label: the name of the node that it stands in: the model's own, and before the names of all its values.
        names: those that are free.
        inputs: of the model.
        weights: of the model.
        known: what stands inside for what is outside.
        around: what the nodes read of what is outside and is no constant: the last inputs stand for these.
    """

    label: str
    names: Names
    inputs: list[ir.Value] = field(default_factory=list)
    weights: list[ir.Value] = field(default_factory=list)
    known: dict[ir.Value, ir.Value] = field(default_factory=dict)
    around: list[ir.Value] = field(default_factory=list)

    def stands_for(self, formal: ir.Value, outside: ir.Value, shape: Sequence[int] | None) -> None:
        """An input of the model for a value that the nodes read, of the type of what is outside."""
        name = self.names.free(f"{self.label}/{formal.name}")
        value = ir.Value(name=name, type=outside.type, shape=ir.Shape(shape or ()))
        self.inputs.append(value)
        self.known[formal] = value

    def take_in(self, outside: ir.Value, formal: ir.Value | None = None) -> None:
        """What is outside and stays as it is: a weight, or one more input."""
        key = outside if formal is None else formal
        if constant_of(outside) is not None and outside.const_value is not None:
            self.weight(key, outside.const_value, outside.name)
            return
        if outside in self.around:
            self.known[key] = self.inputs[len(self.inputs) - len(self.around) + self.around.index(outside)]
            return
        self.stands_for(key, outside, static_shape(outside))
        self.around.append(outside)

    def weight(self, key: ir.Value, tensor: ir.TensorProtocol, name: str | None = None) -> None:
        """A weight of the model for a value that the nodes read."""
        value = ir.Value(
            name=self.names.free(f"{self.label}/{name or key.name}"),
            const_value=tensor,
            shape=ir.Shape(tensor.shape.numpy()),
            type=ir.TensorType(tensor.dtype),
        )
        self.weights.append(value)
        self.known[key] = value

    def missing(self, nodes: Sequence[ir.Node], results: Sequence[ir.Value]) -> list[ir.Value]:
        """What nodes and results read of what is outside, for which nothing stands yet."""
        return [value for value in read_by(nodes, results) if value not in self.known]

    def model(self, nodes: Iterable[ir.Node], results: Sequence[ir.Value], around: ir.Model) -> ir.Model:
        """The model of copies of the nodes. A result that is not computed, or is there twice, is copied."""
        copies = copy_nodes(nodes, self.known, f"{self.label}/", self.names)
        outputs: list[ir.Value] = []
        for value in (self.known.get(result, result) for result in results):
            if value.producer() is None or value in outputs:
                copy = ir.Value(
                    name=self.names.free(f"{value.name}.copy"), type=value.type, shape=value.shape
                )
                copies.append(ir.Node("", "Identity", [value], outputs=[copy], name=copy.name))
                outputs.append(copy)
            else:
                outputs.append(value)
        graph = ir.Graph(
            self.inputs,
            outputs,
            nodes=copies,
            initializers=self.weights,
            opset_imports=dict(around.graph.opset_imports),
            name=self.label,
        )
        return ir.Model(graph, ir_version=around.ir_version)


def read_by(nodes: Sequence[ir.Node], results: Sequence[ir.Value]) -> list[ir.Value]:
    """What nodes and results read, without what the nodes compute."""
    own = {value for node in nodes for value in node.outputs}
    read = dict.fromkeys([*(value for node in nodes for value in reads(node)), *results])
    return [value for value in read if value not in own]


def is_read(value: ir.Value) -> bool:
    """Whether somebody reads a value, or it is a result of its graph."""
    return bool(value.uses()) or value.is_graph_output()


def is_plain(value: ir.Value) -> bool:
    """Whether it is a tensor of known shape, of a type in which kernels compute."""
    dtype = to_dtype(value.dtype) if isinstance(value.type, ir.TensorType) else None
    return dtype is not None and not dtype.is_carried and static_shape(value) is not None
