"""The ends of a model that are no tensors: sequences and optionals become tensors of their own, and it is kept what they were.

An input `s` that is a sequence of two elements becomes the inputs `s[0]` and `s[1]`, and nodes that make it of these; an output
that is one becomes its elements, `y[0]`, `y[1]`, once passes know them. What callers see stands in the metadata of the graph.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.border.program import COUNTED, MAYBE
from ingot.graph.read.bind import RANK, open_shape
from ingot.graph.read.counted import CountedExtents
from ingot.graph.read.types import to_dtype

ENDS = "ingot.ends"  # the key of the graph's metadata
CONTROL = "ingot.control"  # the domain of nodes that passes write for what is known only while running
LENGTH, PRESENT = "length", "present"  # what `dims` says of an input, behind its name and a colon
MAX_LENGTH = 65_536


@dataclass(frozen=True, slots=True)
class End:
    """An input or output as callers see it. `kind` is "leaf" (a value of the graph with this name) or one of those of a `Port`
    that has parts; `parts` are None while they are not known.
    """

    name: str
    kind: str = "leaf"
    parts: tuple[End, ...] | None = None
    labels: tuple[int | str, ...] = ()

    def leaves(self) -> list[str]:
        """The names of the values that it is made of; of one that is not known yet its own."""
        if self.kind == "leaf" or self.parts is None:
            return [self.name]
        return [name for part in self.parts for name in part.leaves()]


@dataclass(frozen=True, slots=True)
class Ends:
    """All inputs and outputs of a model, in its order."""

    inputs: tuple[End, ...]
    outputs: tuple[End, ...]


def ends_of(graph: ir.Graph) -> Ends | None:
    """What callers see, if it is more than tensors."""
    stored = graph.metadata_props.get(ENDS)
    if stored is None:
        return None
    inputs, outputs = (tuple(map(_end, side)) for side in json.loads(stored))
    return Ends(inputs, outputs)


def keep_ends(graph: ir.Graph, ends: Ends) -> None:
    """Stores what callers see with the graph."""
    graph.metadata_props[ENDS] = json.dumps(
        [[_data(end) for end in some] for some in (ends.inputs, ends.outputs)]
    )


def _data(end: End) -> list[object]:
    return [
        end.name,
        end.kind,
        None if end.parts is None else [_data(part) for part in end.parts],
        list(end.labels),
    ]


def _end(data: list[object]) -> End:
    name, kind, parts, labels = data
    assert isinstance(labels, list)
    elements = tuple(map(_end, parts)) if isinstance(parts, list) else None
    return End(str(name), str(kind), elements, tuple(labels))


# ─── inputs ────────────────────────────────────────────────────────────────────────────────────────────────────────


def spread_inputs(
    model: ir.Model,
    dims: Mapping[str, int],
    maps: Mapping[str, Sequence[int | str]],
    label: str,
    counts: CountedExtents,
) -> dict[str, int]:
    """Lets every sequence and optional among the inputs be made of inputs that are tensors. In place.

    Args:
        model: as it was read.
        dims: also says how long a sequence `s` is (`s:length`), whether there is something in an optional (`s:present`, 1 or 0),
            and, where the model does not declare it, of which rank its elements are (`s:rank`). Extents of elements are those of
            the tensors (`s[0]:1`), or of all elements (`s:1`).
        maps: the labels of each input and output that is maps.
        label: how messages call the model.
        counts: what callers say that extents are at most: of a sequence `s:length`, so that calls say how many elements there
            are, and of an optional `o:present`, so that calls say whether there is something in it.

    Returns:
        What is left of `dims`, with the extents of all elements by element.

    Raises:
        ModelError: a length, a presence or a rank is missing, or is none.
    """
    graph = model.graph
    grouped = any(
        isinstance(value.type, ir.SequenceType | ir.OptionalType) for value in (*graph.inputs, *graph.outputs)
    )
    if not grouped and not maps:
        return dict(dims)
    spread = _Spread(graph, dict(dims), label, counts)
    given = list(graph.inputs)
    graph.inputs.clear()
    inputs = tuple(_as_maps(spread.input(value), maps) for value in given)
    for node in reversed(spread.nodes):
        _insert_first(graph, node)
        if node.domain:
            graph.opset_imports.setdefault(node.domain, 1)
    outputs = tuple(_output(value, maps) for value in graph.outputs)
    keep_ends(graph, Ends(inputs, outputs))
    return spread.dims


def drop_bound_ends(graph: ir.Graph, label: str) -> None:
    """Leaves out inputs that have become constants.

    Raises:
        ModelError: a constant was given for a part of a sequence or optional.
    """
    ends = ends_of(graph)
    if ends is None:
        return
    left = {str(value.name) for value in graph.inputs}
    for end in ends.inputs:
        bound = [name for name in end.leaves() if name not in left] if end.parts is not None else []
        if bound:
            raise ModelError(
                f"{label}: constants={{{bound[0]!r}: …}}: a part of the input {end.name!r}, which callers give as a whole",
                value=bound[0],
            )
    kept = tuple(end for end in ends.inputs if end.kind != "leaf" or end.name in left)
    keep_ends(graph, replace(ends, inputs=kept))


def _insert_first(graph: ir.Graph, node: ir.Node) -> None:
    first = next(iter(graph), None)
    if first is None:
        graph.append(node)
    else:
        graph.insert_before(first, node)


def _as_maps(end: End, maps: Mapping[str, Sequence[int | str]]) -> End:
    return End(end.name, "maps", (end,), tuple(maps[end.name])) if end.name in maps else end


def _output(value: ir.Value, maps: Mapping[str, Sequence[int | str]]) -> End:
    name = str(value.name)
    if name in maps:
        return End(name, "maps", (End(name),), tuple(maps[name]))
    if isinstance(value.type, ir.OptionalType):
        return End(name, "optional")
    return End(name, "sequence" if isinstance(value.type, ir.SequenceType) else "leaf")


@dataclass
class _Spread:
    graph: ir.Graph
    dims: dict[str, int]
    label: str
    counts: CountedExtents
    nodes: list[ir.Node] = field(default_factory=list)

    def input(self, value: ir.Value) -> End:
        if not isinstance(value.type, ir.SequenceType | ir.OptionalType):
            self.graph.inputs.append(value)
            return End(str(value.name))
        opened, end = self._opened(str(value.name), value.type, value.shape)
        name, value.name = value.name, None
        opened.name = name
        ir.convenience.replace_all_uses_with(value, opened, replace_graph_outputs=True)
        return end

    def _opened(self, name: str, type_: ir.TypeProtocol, shape: ir.Shape | None) -> tuple[ir.Value, End]:
        """A value of that type, of inputs that are tensors."""
        if isinstance(type_, ir.OptionalType):
            return self._optional(name, type_.elem_type, shape)
        if isinstance(type_, ir.SequenceType):
            return self._sequence(name, type_, shape)
        if not isinstance(type_, ir.TensorType):
            raise ModelError(
                f"{self.label}: input {name!r} is of a type that is not supported: {type_}", value=name
            )
        leaf = ir.Value(name=name, type=type_, shape=self._shape(name, shape))
        self.graph.inputs.append(leaf)
        return leaf, End(name)

    def _optional(self, name: str, type_: ir.TypeProtocol, shape: ir.Shape | None) -> tuple[ir.Value, End]:
        bound = self._bound(name, PRESENT)
        may_be = bool(bound)
        present = 1 if may_be else bound
        if present is None:
            present = self._number(name, PRESENT, 1, "whether there is something in the optional input")
        if not present:
            attribute = ir.AttrTypeProto("type", ir.TypeAndShape(type_, shape))
            return self._node("Optional", [], [attribute], ir.OptionalType(type_)), End(name, "optional", ())
        inner = f"{name}.value" if isinstance(type_, ir.TensorType) else name
        flag = self._leaf(f"{name}.{PRESENT}", ir.DataType.BOOL) if may_be else None
        held, part = self._opened(inner, type_, shape)
        if flag is not None:
            optional = self._node("Maybe", [flag, held], [], ir.OptionalType(type_), CONTROL)
            return optional, End(name, MAYBE, (End(str(flag.name)), part))
        return self._node("Optional", [held], [], ir.OptionalType(type_)), End(name, "optional", (part,))

    def _sequence(self, name: str, type_: ir.SequenceType, shape: ir.Shape | None) -> tuple[ir.Value, End]:
        bound = self._bound(name, LENGTH)
        words = "how many elements has the sequence"
        length = self._number(name, LENGTH, MAX_LENGTH, words) if bound is None else bound
        self._ranks(name, length)
        count = None if not bound else self._leaf(f"{name}.{LENGTH}", ir.DataType.INT64)
        elements = [self._opened(f"{name}[{number}]", type_.elem_type, shape) for number in range(length)]
        end = End(name, "sequence", tuple(part for _, part in elements))
        if count is not None:
            end = End(name, COUNTED, (End(str(count.name)), *(part for _, part in elements)))
            values = [count, *(value for value, _ in elements)]
            return self._node("Counted", values, [], type_, CONTROL), end
        if elements:
            return self._node("SequenceConstruct", [value for value, _ in elements], [], type_), end
        element = type_.elem_type
        if not isinstance(element, ir.TensorType):
            raise ModelError(
                f"{self.label}: input {name!r}: an empty sequence of {element} is not supported", value=name
            )
        return self._node("SequenceEmpty", [], [ir.AttrInt64("dtype", int(element.dtype))], type_), end

    def _bound(self, name: str, suffix: str) -> int | None:
        """What callers say that there is at most; None if they say nothing, or say in `dims` what there is."""
        key = f"{name}:{suffix}"
        return None if key in self.dims else self.counts.bound_of([key])

    def _leaf(self, name: str, dtype: ir.DataType) -> ir.Value:
        """One more input, a scalar."""
        leaf = ir.Value(name=name, type=ir.TensorType(dtype), shape=ir.Shape([]))
        self.graph.inputs.append(leaf)
        return leaf

    def _number(self, name: str, suffix: str, limit: int, words: str) -> int:
        key = f"{name}:{suffix}"
        number = self.dims.pop(key, None)
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= limit:
            got = "" if number is None else f", got {number!r}"
            raise ModelError(
                f"{self.label}: {words} {name!r} must be known while building{got}; say it by dims={{{key!r}: …}}, "
                f"a number from 0 to {limit}, on the command line by --dim {key}=1; or say how many there may be by "
                f"bounds={{{key!r}: …}}, on the command line by --bound {key}=1",
                value=name,
                dim=key,
            )
        return number

    def _ranks(self, name: str, length: int) -> None:
        """Lets what `dims` says of all elements be said of each."""
        for key in [key for key in self.dims if key.startswith(f"{name}:")]:
            extent = self.dims.pop(key)
            for number in range(length):
                self.dims.setdefault(f"{name}[{number}]:{key[len(name) + 1 :]}", extent)

    def _shape(self, name: str, shape: ir.Shape | None) -> ir.Shape:
        """The declared shape, or one of as many open extents as `dims` says."""
        if shape is None:
            return open_shape(name, self.dims, self.label)
        self.dims.pop(f"{name}:{RANK}", None)
        return ir.Shape(list(shape))

    def _node(
        self,
        op_type: str,
        inputs: list[ir.Value],
        attributes: list[ir.Attr],
        type_: ir.TypeProtocol,
        domain: str = "",
    ) -> ir.Value:
        value = ir.Value(name=None, type=type_)
        self.nodes.append(ir.Node(domain, op_type, inputs, attributes, outputs=[value]))
        return value


# ─── outputs ───────────────────────────────────────────────────────────────────────────────────────────────────────


def replace_output(
    graph: ir.Graph, ends: Ends, value: ir.Value, end: End, leaves: Sequence[ir.Value]
) -> Ends:
    """Puts the values that a sequence or optional is made of into its place among the graph's outputs. In place; returns what
    callers see.
    """
    position = next(at for at, listed in enumerate(graph.outputs) if listed is value)
    graph.outputs[position : position + 1] = leaves
    name = str(value.name)
    outputs = tuple(end if known.name == name and known.parts is None else known for known in ends.outputs)
    return replace(ends, outputs=outputs)


def is_text(value: ir.Value | None) -> bool:
    """Whether a value is a tensor of text."""
    return (
        value is not None and isinstance(value.type, ir.TensorType) and value.type.dtype == ir.DataType.STRING
    )


def is_number(value: ir.Value) -> bool:
    """Whether a value is a tensor of an element type that kernels have."""
    return isinstance(value.type, ir.TensorType) and to_dtype(value.type.dtype) is not None
