"""Sequences and optionals as lists of the graph's own values: none is left when all their positions are known while building."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.graph.read.deciders import how_to_bind
from ingot.graph.read.ends import ends_of, keep_ends, spread_output
from ingot.graph.read.names import name_all
from ingot.graph.read.types import WHY, domain_of, opset_of, static_shape
from ingot.graph.rewrite.add import Names, add_constant, add_node
from ingot.graph.rewrite.look import constant_of, subgraphs
from ingot.graph.rewrite.replace import give_result

# What a value holds: the elements of a sequence; an optional is what it holds itself, None where it holds nothing.
Held = tuple[ir.Value, ...]
_OPTIONAL = frozenset({"Optional", "OptionalGetElement", "OptionalHasElement"})
_MAKE = frozenset(
    {"SequenceConstruct", "SequenceEmpty", "SequenceInsert", "SequenceErase", "SplitToSequence"}
)
_READ = frozenset({"SequenceAt", "SequenceLength", "ConcatFromSequence"})
RESOLVED = _OPTIONAL | _MAKE | _READ  # operators of ai.onnx


def resolve_sequences(model: ir.Model) -> bool:
    """Follows sequences from where they are made to where they are read, and lets who reads an element read the value that was
    put there. In place; returns whether it did something.

    What comes from outside was made by `ends.spread_inputs`; what goes to the outside becomes outputs that are tensors.

    Does not handle: sequences whose positions are only known while running. What stays has the reason in its metadata, under
    `WHY`.

    Raises:
        ModelError: a position outside of a sequence, or nothing where something is read.
    """
    if not any(_is_meant(node) for node in model.graph):
        return False
    return _Resolver(model).resolve()


def _is_meant(node: ir.Node) -> bool:
    return domain_of(node.domain) == "" and node.op_type in RESOLVED


class _Resolver:
    def __init__(self, model: ir.Model) -> None:
        self.graph = model.graph
        self.version = opset_of(model)
        self.names = Names(model.graph)
        self.sequences: dict[ir.Value, Held] = {}
        # What an optional holds; None if it holds nothing.
        self.optionals: dict[ir.Value, ir.Value | None] = {}
        self.constants: dict[tuple[ir.Node, int | tuple[int, ...]], ir.Value] = {}
        self.done = False

    def resolve(self) -> bool:
        for node in list(self.graph):
            if domain_of(node.domain) or not node.outputs:
                continue
            if node.op_type == "Identity" and node.inputs and node.inputs[0] in self.sequences:
                self.sequences[node.outputs[0]] = self.sequences[node.inputs[0]]
            elif node.op_type == "Identity" and node.inputs and node.inputs[0] in self.optionals:
                self.optionals[node.outputs[0]] = self.optionals[node.inputs[0]]
            elif node.op_type in _OPTIONAL:
                self._optional(node)
            elif node.op_type in _MAKE:
                self._make(node)
            elif node.op_type in _READ:
                self._read(node)
            elif node.op_type == "If":
                self._inside(node)
        self._open_outputs()
        self._sweep()
        if self.done:
            name_all(self.graph)
        return self.done

    def _open_outputs(self) -> None:
        """Lets the graph give what is in sequences and optionals that are its outputs."""
        ends = ends_of(self.graph)
        if ends is None:
            return
        for value in list(self.graph.outputs):
            content = self._content(value)
            if content is not None:
                ends = spread_output(self.graph, ends, value, *content)
                self.done = True
        keep_ends(self.graph, ends)

    def _content(self, value: ir.Value) -> tuple[Held, tuple[str, ...]] | None:
        """What an output holds, and what it is: a sequence, an optional, or an optional sequence."""
        if value in self.sequences:
            return self.sequences[value], ("sequence",)
        if value not in self.optionals:
            return None
        held = self.optionals[value]
        if held is None:
            return (), ("optional",)
        if isinstance(held.type, ir.SequenceType) or held in self.sequences:
            return (self.sequences[held], ("optional", "sequence")) if held in self.sequences else None
        return (held,), ("optional",)

    def _sweep(self) -> None:
        """Removes what nobody reads any longer; what stays is read by somebody who could not be resolved."""
        held = self.sequences.keys() | self.optionals.keys()
        for node in reversed(list(self.graph)):
            if not node.outputs or node.outputs[0] not in held:
                continue
            if not node.outputs[0].uses() and not node.outputs[0].is_graph_output():
                self.graph.remove(node, safe=True)
                self.done = True
            else:
                self._refuse(node, "it is left for who runs the model, or for a node that cannot be compiled")

    def _refuse(self, node: ir.Node, why: str) -> None:
        node.metadata_props[WHY] = why

    # ── optionals ──

    def _optional(self, node: ir.Node) -> None:
        source = node.inputs[0] if node.inputs else None
        if source is not None and not source.name:
            source = None
        if node.op_type == "Optional":
            self.optionals[node.outputs[0]] = source
            return
        if source is not None and isinstance(source.type, ir.OptionalType) and source not in self.optionals:
            self._refuse(node, "whether there is something in its optional is only known while running")
            return
        held = self.optionals.get(source, source) if source is not None else None
        if node.op_type == "OptionalHasElement":
            self._give(
                node, add_constant(self.graph, self.names, f"{node.name}/has", np.array(held is not None))
            )
            return
        if held is None:
            raise ModelError(
                f"node {node.name} (OptionalGetElement): there is nothing in its optional", node=node.name
            )
        self._give(node, held)

    def _inside(self, node: ir.Node) -> None:
        """In branches, what is in an optional that is a sequence, as in the second iteration of a loop, is that sequence. Before
        opset 18 ONNX has no type for this, so it must not wait until the branch is taken.
        """
        for graph in subgraphs(node):
            for inner in list(graph):
                source = inner.inputs[0] if inner.op_type == "OptionalGetElement" and inner.inputs else None
                maker = None if source is None else source.producer()
                if source is not None and maker is not None and maker.op_type in _MAKE:
                    identity = add_node(
                        graph, inner, "Identity", [source], self.names.free(f"{inner.name}/held")
                    )
                    ir.convenience.replace_all_uses_with(
                        inner.outputs[0], identity, replace_graph_outputs=True
                    )
                    graph.remove(inner, safe=True)
                    self.done = True

    # ── sequences ──

    def _make(self, node: ir.Node) -> None:
        output = node.outputs[0]
        match node.op_type:
            case "SequenceConstruct":
                self.sequences[output] = tuple(value for value in node.inputs if value is not None)
            case "SequenceEmpty":
                self.sequences[output] = ()
            case "SplitToSequence":
                self._split(node)
            case "SequenceInsert" | "SequenceErase":
                self._change(node)

    def _change(self, node: ir.Node) -> None:
        given = self._sequence(node)
        if given is None:
            return
        is_insert = node.op_type == "SequenceInsert"
        place = self._place(
            node, 2 if is_insert else 1, len(given), len(given) if is_insert else len(given) - 1
        )
        if place is None:
            return
        new = (node.inputs[1],) if is_insert and node.inputs[1] is not None else ()
        self.sequences[node.outputs[0]] = (*given[:place], *new, *given[place + (not is_insert) :])

    def _read(self, node: ir.Node) -> None:
        given = self._sequence(node)
        if given is None:
            return
        match node.op_type:
            case "SequenceLength":
                self._give(
                    node,
                    add_constant(
                        self.graph, self.names, f"{node.name}/length", np.array(len(given), np.int64)
                    ),
                )
            case "SequenceAt":
                place = self._place(node, 1, len(given), len(given) - 1)
                if place is not None:
                    self._give(node, given[place])
            case "ConcatFromSequence":
                if not given:
                    self._refuse(node, "there is nothing in its sequence")
                    return
                self._give(node, self._concat(node, given))

    def _sequence(self, node: ir.Node) -> Held | None:
        source = node.inputs[0]
        if source is not None and source in self.optionals:  # an optional sequence
            source = self.optionals[source]
        if source is None or source not in self.sequences:
            self._refuse(
                node, f"what is in its sequence {source.name if source else ''!r} is only known while running"
            )
            return None
        return self.sequences[source]

    def _place(self, node: ir.Node, position: int, length: int, last: int) -> int | None:
        """Which place an input means, counted from the front; the last where it is left out. None if it is not known now."""
        value = node.inputs[position] if len(node.inputs) > position else None
        known = np.array(last) if value is None or not value.name else constant_of(value)
        if known is None:
            why = f"which element it means is {value.name if value else ''!r}, which is only known while running"
            self._refuse(node, why + how_to_bind(value))
            return None
        if known.size != 1:
            raise ModelError(
                f"node {node.name} ({node.op_type}): got a position of the shape {list(known.shape)}, expected one number",
                node=node.name,
            )
        place = int(known.item())
        if not -length <= place <= last:
            raise ModelError(
                f"node {node.name} ({node.op_type}): got the position {place} in a sequence of {length}, "
                f"expected {-length} to {last}",
                node=node.name,
            )
        return place if place >= 0 else place + length

    def _split(self, node: ir.Node) -> None:
        source = node.inputs[0]
        shape = None if source is None else static_shape(source)
        if source is None or shape is None:
            self._refuse(node, "the shape of what it splits is only known while running")
            return
        given = node.inputs[1] if len(node.inputs) > 1 else None
        axis = node.attributes.get_int("axis", 0)
        if not -len(shape) <= axis < len(shape):
            raise ModelError(
                f"node {node.name} (SplitToSequence): got axis {axis} of the shape {list(shape)}",
                node=node.name,
            )
        extent = shape[axis]
        if given is None or not given.name:
            self._split_into_ones(node, source, axis, extent)
            return
        known = constant_of(given)
        if known is None:
            self._refuse(
                node,
                f"how it splits is {given.name!r}, which is only known while running" + how_to_bind(given),
            )
            return
        sizes = [int(size) for size in known.ravel()]
        if known.ndim == 0 and sizes[0] > 0:
            sizes = [min(sizes[0], extent - start) for start in range(0, extent, sizes[0])]
        if sum(sizes) != extent or any(size < 0 for size in sizes):
            raise ModelError(
                f"node {node.name} (SplitToSequence): got the sizes {sizes}, expected numbers whose sum is {extent}",
                node=node.name,
            )
        self.sequences[node.outputs[0]] = tuple(self._parts(node, source, axis, sizes))

    def _split_into_ones(self, node: ir.Node, source: ir.Value, axis: int, extent: int) -> None:
        if node.attributes.get_int("keepdims", 1):
            self.sequences[node.outputs[0]] = tuple(self._parts(node, source, axis, [1] * extent))
            return
        self.sequences[node.outputs[0]] = tuple(
            self._node(node, "Gather", [source, self._constant(node, number)], f"{number}", axis)
            for number in range(extent)
        )

    def _parts(self, node: ir.Node, source: ir.Value, axis: int, sizes: Sequence[int]) -> list[ir.Value]:
        parts, start = [], 0
        where = self._constant(node, [axis])
        for number, size in enumerate(sizes):
            edges = [self._constant(node, [start]), self._constant(node, [start + size]), where]
            parts.append(self._node(node, "Slice", [source, *edges], f"{number}"))
            start += size
        return parts

    def _concat(self, node: ir.Node, given: Held) -> ir.Value:
        axis = node.attributes.get_int("axis", 0)
        if node.attributes.get_int("new_axis", 0):
            given = tuple(self._expanded(node, value, axis, number) for number, value in enumerate(given))
        return self._node(node, "Concat", given, "whole", axis)

    def _expanded(self, node: ir.Node, value: ir.Value, axis: int, number: int) -> ir.Value:
        if self.version >= 13:
            return self._node(node, "Unsqueeze", [value, self._constant(node, [axis])], f"{number}")
        name = self.names.free(f"{node.name}/{number}")
        return add_node(self.graph, node, "Unsqueeze", [value], name, [ir.AttrInt64s("axes", [axis])])

    def _constant(self, node: ir.Node, number: int | list[int]) -> ir.Value:
        key = (node, number if isinstance(number, int) else tuple(number))
        if key not in self.constants:
            text = number if isinstance(number, int) else "x".join(map(str, number))
            self.constants[key] = add_constant(
                self.graph, self.names, f"{node.name}/at{text}", np.array(number, np.int64)
            )
        return self.constants[key]

    def _node(
        self, node: ir.Node, op_type: str, inputs: Sequence[ir.Value], name: str, axis: int | None = None
    ) -> ir.Value:
        attributes = [] if axis is None else [ir.AttrInt64("axis", axis)]
        return add_node(self.graph, node, op_type, inputs, self.names.free(f"{node.name}/{name}"), attributes)

    def _give(self, node: ir.Node, value: ir.Value) -> None:
        """Replaces a node by a value that is there."""
        give_result(self.graph, node, node.outputs[0], value)
        self.graph.remove(node, safe=True)
        self.done = True
