"""Writes ONNX's own nodes in the place of one of another domain."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx
import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.graph.passes.tidy.shapes import infer_node
from ingot.graph.read.definitions import is_defined
from ingot.graph.read.types import static_shape
from ingot.graph.rewrite.add import Names, add_constant, add_tensor
from ingot.graph.rewrite.look import constant_of

# From these opsets on axes are an input, quantized values may have 16 bits, and there are Gelu and RMSNormalization.
AXES_OPSET, QUANTIZED_OPSET, GELU_OPSET, RMS_OPSET = 13, 21, 20, 23
DOMAIN = "com.microsoft"


class NotYetError(Exception):
    """A node cannot be rewritten with what is known so far. The text says what is missing."""


class StaysError(Exception):
    """A node cannot be rewritten at all. The text says why."""


class Writer:
    """Writes nodes before one that they are to stand for. What it writes has types at once, as far as they can be inferred."""

    def __init__(self, graph: ir.Graph, node: ir.Node, names: Names, opset: int) -> None:
        self.graph, self.node, self.names, self.opset = graph, node, names, opset
        self._written: list[ir.Node] = []
        self._imported: list[str] = []
        self._refused: dict[ir.Value, str] = {}

    # ─── the node that is replaced ─────────────────────────────────────────────────────────────────────────────────

    def input(self, number: int) -> ir.Value | None:
        """An input of the node; None if it is left out."""
        value = self.node.inputs[number] if number < len(self.node.inputs) else None
        return None if value is None or not value.name else value

    def given(self, number: int, role: str) -> ir.Value:
        """An input that must be there."""
        value = self.input(number)
        if value is None:
            raise StaysError(f"input {number} ({role}) is missing")
        return value

    def refuse(self, why: str, *numbers: int) -> None:
        """Refuses inputs that are not handled, if they are there."""
        for number in numbers:
            if self.input(number) is not None:
                raise StaysError(f"input {number}: {why}")

    def wants(self, number: int) -> bool:
        """Whether somebody reads an output of the node."""
        outputs = self.node.outputs
        return (
            number < len(outputs)
            and bool(outputs[number].name)
            and (bool(outputs[number].uses()) or outputs[number].is_graph_output())
        )

    def number(self, name: str, default: int) -> int:
        return number_of(self.node, name, default)

    def numbers(self, name: str) -> list[int] | None:
        attribute = attribute_of(self.node, name, ir.AttributeType.INTS)
        return None if attribute is None else list(attribute.as_ints())

    def real_number(self, name: str, default: float) -> float:
        attribute = attribute_of(self.node, name, ir.AttributeType.FLOAT)
        return default if attribute is None else attribute.as_float()

    def real_numbers(self, name: str) -> tuple[float, ...]:
        attribute = attribute_of(self.node, name, ir.AttributeType.FLOATS)
        return () if attribute is None else tuple(attribute.as_floats())

    def texts(self, name: str) -> list[str]:
        attribute = attribute_of(self.node, name, ir.AttributeType.STRINGS)
        return [] if attribute is None else list(attribute.as_strings())

    def tensor(self, name: str) -> np.ndarray | None:
        attribute = attribute_of(self.node, name, ir.AttributeType.TENSOR)
        return None if attribute is None else attribute.as_tensor().numpy()

    def text(self, name: str) -> str:
        attribute = attribute_of(self.node, name, ir.AttributeType.STRING)
        return "" if attribute is None else attribute.as_string()

    def axis(self, name: str, default: int, rank: int) -> int:
        """An attribute that is a dimension of a value, from 0 on."""
        axis = self.number(name, default)
        if not -rank <= axis < rank:
            raise StaysError(f"{name}={axis} is outside a tensor of {rank} dimensions")
        return axis % rank

    def flag(self, name: str) -> bool:
        return bool(self.number(name, 0))

    def kept(self, *wanted: str) -> list[ir.Attr]:
        """Those attributes of the node, as far as it has them."""
        return [attribute for name, attribute in self.node.attributes.items() if name in wanted]

    def no_attributes(self, *names: str) -> None:
        """Refuses attributes that are not handled, if they are not zero."""
        for name in names:
            if self.number(name, 0):
                raise StaysError(f"{name}={self.number(name, 0)} is not supported")

    # ─── what is known of values ───────────────────────────────────────────────────────────────────────────────────

    def shape(self, value: ir.Value, *ranks: int) -> tuple[int, ...]:
        """The extents of a value. Its rank must be one of `ranks`, if any are given."""
        extents = static_shape(value)
        if extents is None:
            raise NotYetError(f"the shape of {value.name!r} is not known while building{self._why(value)}")
        if ranks and len(extents) not in ranks:
            expected = " or ".join(map(str, ranks))
            raise StaysError(f"{value.name!r} has the shape {list(extents)}, expected {expected} dimensions")
        return extents

    def dtype(self, value: ir.Value) -> ir.DataType:
        if value.dtype is None:
            raise NotYetError(f"the type of {value.name!r} is not known while building{self._why(value)}")
        return value.dtype

    def _why(self, value: ir.Value) -> str:
        """What ONNX has against the node that makes a value."""
        why = self._refused.get(value)
        return "" if why is None else f": {why}"

    def known(self, value: ir.Value | None) -> np.ndarray | None:
        return None if value is None else constant_of(value)

    # ─── writing ───────────────────────────────────────────────────────────────────────────────────────────────────

    def ops(
        self,
        op_type: str,
        inputs: Sequence[ir.Value | None],
        attributes: Sequence[ir.Attr] = (),
        outputs: int = 1,
        domain: str = "",
    ) -> list[ir.Value]:
        """A node; inputs at the end may be None."""
        given = list(inputs)
        while given and given[-1] is None:
            given.pop()
        if domain == "":
            self._check_opset(op_type, len(given))
        results = [ir.Value(name=self.names.free(f"{self.node.name}/{op_type}")) for _ in range(outputs)]
        node = ir.Node(domain, op_type, given, attributes, outputs=results, name=results[0].name)
        self.graph.insert_before(self.node, node)
        if domain not in self.graph.opset_imports:
            self.graph.opset_imports[domain] = 1
            self._imported.append(domain)
        self._written.append(node)
        why = infer_node(node, self.opset) or next(
            (self._refused[value] for value in given if value in self._refused), None
        )
        if why is not None:
            self._refused |= dict.fromkeys(results, why)
        return results

    def _check_opset(self, op_type: str, count: int) -> None:
        """Some operators came with opset 11, or had fewer inputs, or more that had to be there, before it. Ingot has a few in
        opsets where ONNX has none.
        """
        schema = onnx.defs.get_schema(op_type, self.opset) if onnx.defs.has(op_type, self.opset) else None
        if schema is None and is_defined("", op_type, self.opset):
            return
        if schema is None or not schema.min_input <= count <= schema.max_input:
            raise StaysError(
                f"needs {op_type} with {count} inputs, which opset {self.opset} of ai.onnx does not have"
            )

    def op(self, op_type: str, inputs: Sequence[ir.Value | None], *attributes: ir.Attr) -> ir.Value:
        return self.ops(op_type, inputs, attributes)[0]

    def undo(self) -> None:
        """Takes away what was written."""
        for node in reversed(self._written):
            self.graph.remove(node, safe=True)
        self._written.clear()
        for domain in self._imported:
            del self.graph.opset_imports[domain]
        self._imported.clear()

    def constant(self, array: object, dtype: ir.DataType | None = None) -> ir.Value:
        values = np.asarray(array)
        return add_constant(
            self.graph,
            self.names,
            f"{self.node.name}/constant",
            values.astype(dtype.numpy()) if dtype else values,
        )

    def texts_constant(self, texts: Sequence[str]) -> ir.Value:
        """A list of text."""
        tensor = ir.StringTensor([text.encode() for text in texts], shape=ir.Shape([len(texts)]))
        return add_tensor(self.graph, self.names, f"{self.node.name}/constant", tensor)

    def like(self, number: float, value: ir.Value) -> ir.Value:
        """A number of a value's type."""
        return self.constant(number, self.dtype(value))

    def cast(self, value: ir.Value, to: ir.DataType) -> ir.Value:
        return value if value.dtype == to else self.op("Cast", [value], ir.AttrInt64("to", int(to)))

    def add(self, *values: ir.Value | None) -> ir.Value:
        """The sum of all values that are not None."""
        there = [value for value in values if value is not None]
        total = there[0]
        for addend in there[1:]:
            total = self.op("Add", [total, addend])
        return total

    def scaled(self, value: ir.Value, factor: float) -> ir.Value:
        return value if factor == 1 else self.op("Mul", [value, self.like(factor, value)])

    def reshape(self, value: ir.Value, shape: Sequence[int]) -> ir.Value:
        known = static_shape(value)
        if known == tuple(shape):
            return value
        if 0 in shape and 0 in (known or ()):  # a Reshape would take a 0 for the extent that is there already
            return self.constant(np.zeros(shape), self.dtype(value))
        return self.op("Reshape", [value, self.constant(shape, ir.DataType.INT64)])

    def transpose(self, value: ir.Value, *order: int) -> ir.Value:
        return self.op("Transpose", [value], ir.AttrInt64s("perm", order))

    def slice(self, value: ir.Value, axis: int, start: int, stop: int) -> ir.Value:
        shape = static_shape(value)
        if shape is not None and start == 0 and stop >= shape[axis]:
            return value
        return self.op(
            "Slice", [value, *(self.constant([bound], ir.DataType.INT64) for bound in (start, stop, axis))]
        )

    def concat(self, values: Sequence[ir.Value], axis: int) -> ir.Value:
        return values[0] if len(values) == 1 else self.op("Concat", list(values), ir.AttrInt64("axis", axis))

    def expand(self, value: ir.Value, shape: Sequence[int]) -> ir.Value:
        if static_shape(value) == tuple(shape):
            return value
        return self.op("Expand", [value, self.constant(shape, ir.DataType.INT64)])

    def gather(self, value: ir.Value, places: ir.Value, axis: int = 0) -> ir.Value:
        return self.op("Gather", [value, places], ir.AttrInt64("axis", axis))

    def softmax(self, value: ir.Value) -> ir.Value:
        """Along the last axis."""
        return self.op("Softmax", [value], ir.AttrInt64("axis", len(self.shape(value)) - 1))


Results = Sequence[ir.Value | None]  # of a node that is replaced, one for each output that is there
Write = Callable[[Writer], Results]


def attribute_of(node: ir.Node, name: str, kind: ir.AttributeType) -> ir.Attr | None:
    """An attribute of an operator that ONNX does not know, so that nobody else looks at its type.

    Raises:
        ModelError: it is of another kind.
    """
    attribute = node.attributes.get(name)
    if attribute is not None and attribute.type != kind:
        where = f"node {node.name} ({node.op_type})"
        raise ModelError(
            f"{where}: its attribute {name!r} is {attribute.type.name}, expected {kind.name}", node=node.name
        )
    return attribute


def number_of(node: ir.Node, name: str, default: int) -> int:
    """A whole number that is an attribute, as `attribute_of` gives it."""
    attribute = attribute_of(node, name, ir.AttributeType.INT)
    return default if attribute is None else attribute.as_int()


def output_type(value: ir.Value, dtype: ir.DataType, shape: Sequence[int]) -> None:
    """States what an operator gives that ONNX's inference does not know."""
    value.type, value.shape = ir.TensorType(dtype), ir.Shape(list(shape))
