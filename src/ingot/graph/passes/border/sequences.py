"""Sequences and optionals as lists of the graph's own values: none is left once it is known what they may hold."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.border.program import COUNTED, MAYBE, SIZED
from ingot.graph.passes.border.held import PLACES_MAX, Element, Held, Maybe, Place, Sequences, is_settled
from ingot.graph.passes.control_flow.kept import DOMAIN
from ingot.graph.read.deciders import how_to_bind
from ingot.graph.read.ends import End, ends_of, keep_ends, replace_output
from ingot.graph.read.names import name_all
from ingot.graph.read.types import WHY, domain_of, opset_of, static_shape
from ingot.graph.rewrite.add import Names, add_node
from ingot.graph.rewrite.look import constant_of, subgraphs
from ingot.graph.rewrite.replace import give_result
from ingot.graph.rewrite.writer import NotYetError, StaysError

_OPTIONAL = frozenset({"Optional", "OptionalGetElement", "OptionalHasElement"})
_MAKE = frozenset(
    {"SequenceConstruct", "SequenceEmpty", "SequenceInsert", "SequenceErase", "SplitToSequence"}
)
_READ = frozenset({"SequenceAt", "SequenceLength", "ConcatFromSequence"})
# What reading and passes write: the first of two if a scalar is true; what an input with a count, or with a flag, holds.
CHOOSE, COUNTED_INPUT, MAYBE_INPUT = "Choose", "Counted", "Maybe"
_OWN = frozenset({CHOOSE, COUNTED_INPUT, MAYBE_INPUT})
RESOLVED = _OPTIONAL | _MAKE | _READ  # operators of ai.onnx


def resolve_sequences(model: ir.Model) -> bool:
    """Follows sequences from where they are made to where they are read, and lets who reads an element read the value that was
    put there; where positions or lengths are known only while running, nodes choose among all that there may be. In place;
    returns whether it did something.

    What comes from outside was made by `ends.spread_inputs`; what goes to the outside becomes outputs that are tensors.

    Does not handle: elements whose shapes are not known, or of several ranks in one place. What stays has the reason in its
    metadata, under `WHY`.

    Raises:
        ModelError: a position outside of a sequence, or nothing where something is read.
    """
    if not any(_is_meant(node) for node in model.graph):
        return False
    return _Resolver(model).resolve()


def _is_meant(node: ir.Node) -> bool:
    return (domain_of(node.domain) == "" and node.op_type in RESOLVED) or _is_own(node)


def _is_own(node: ir.Node) -> bool:
    return node.domain == DOMAIN and node.op_type in _OWN


class _Resolver:
    def __init__(self, model: ir.Model) -> None:
        self.graph = model.graph
        self.version = opset_of(model)
        self.names = Names(model.graph)
        self.contents: dict[ir.Value, Held | Maybe] = {}
        self.done = False

    def resolve(self) -> bool:
        for node in list(self.graph):
            if not node.outputs or (domain_of(node.domain) and not _is_own(node)):
                continue
            source = node.inputs[0] if node.inputs else None
            if node.op_type == "Identity" and source in self.contents:
                assert source is not None
                self.contents[node.outputs[0]] = self.contents[source]
            elif _is_meant(node):
                self._node(node)
            elif node.op_type == "If":
                self._inside(node)
        self._open_outputs()
        self._sweep()
        if self.done:
            name_all(self.graph)
        return self.done

    def _node(self, node: ir.Node) -> None:
        """One node that makes or reads a sequence or optional. What cannot be resolved yet is taken back."""
        writer = Sequences(self.graph, node, self.names, self.version)
        try:
            if node.op_type in _OPTIONAL:
                self._optional(node)
            elif node.op_type in _READ:
                self._read(node, writer)
            else:
                content = self._content_of(node, writer)
                if content is not None:
                    self.contents[node.outputs[0]] = content
        except (NotYetError, StaysError) as error:
            writer.undo()
            self._refuse(node, str(error))

    def _open_outputs(self) -> None:
        """Lets the graph give what is in sequences and optionals that are its outputs."""
        ends = ends_of(self.graph)
        if ends is None:
            return
        for value in list(self.graph.outputs):
            content = self.contents.get(value)
            if content is None:
                continue
            leaves: list[ir.Value] = []
            end = self._end(str(value.name), content, leaves)
            if end is not None:
                ends = replace_output(self.graph, ends, value, end, leaves)
                self.done = True
        keep_ends(self.graph, ends)

    def _end(self, name: str, content: Held | Maybe, leaves: list[ir.Value]) -> End | None:
        """What callers see of an output; `leaves` gets the values that it is made of. None: that is not known yet."""
        if isinstance(content, Maybe):
            return self._end_of_optional(name, content, leaves)
        if content.length is not None and any(
            static_shape(element.value) is None for element in content.elements
        ):
            return None
        count = [] if content.length is None else [self._leaf(f"{name}.length", content.length, leaves)]
        parts = [self._part(f"{name}[{at}]", element, leaves) for at, element in enumerate(content.elements)]
        return End(name, COUNTED if count else "sequence", (*count, *parts))

    def _end_of_optional(self, name: str, content: Maybe, leaves: list[ir.Value]) -> End | None:
        if content.content is None:
            return End(name, "optional", ())
        flag = [] if content.present is None else [self._leaf(f"{name}.present", content.present, leaves)]
        if isinstance(content.content, Held):
            part = self._end(name, content.content, leaves)
        else:
            part = self._leaf(f"{name}.value", content.content, leaves)
        return None if part is None else End(name, MAYBE if flag else "optional", (*flag, part))

    def _part(self, name: str, element: Element, leaves: list[ir.Value]) -> End:
        value = self._leaf(name, element.value, leaves)
        if not element.axes:
            return value
        assert element.sizes is not None
        return End(name, SIZED, (value, self._leaf(f"{name}.shape", element.sizes, leaves)))

    def _leaf(self, name: str, source: ir.Value, leaves: list[ir.Value]) -> End:
        output = ir.Value(name=name, type=source.type, shape=source.shape)
        self.graph.append(ir.Node("", "Identity", [source], outputs=[output], name=f"output {name}"))
        leaves.append(output)
        return End(name)

    def _sweep(self) -> None:
        """Removes what nobody reads any longer; what stays is read by somebody who could not be resolved."""
        for node in reversed(list(self.graph)):
            if not node.outputs or node.outputs[0] not in self.contents:
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
            content = self._held(source)
            if content is not None or source is None or isinstance(source.type, ir.TensorType):
                self.contents[node.outputs[0]] = Maybe(content or source)
            return
        optional = self._maybe(source)
        if optional is None:
            raise NotYetError("whether there is something in its optional is only known while running")
        if node.op_type == "OptionalHasElement":
            writer = Sequences(self.graph, node, self.names, self.version)
            has = optional.present or writer.constant(np.array(optional.content is not None))
            self._give(node, has)
        elif optional.content is None:
            raise ModelError(
                f"node {node.name} (OptionalGetElement): there is nothing in its optional", node=node.name
            )
        elif isinstance(optional.content, Held):
            self.contents[node.outputs[0]] = optional.content
        else:
            self._give(node, optional.content)

    def _maybe(self, source: ir.Value | None) -> Maybe | None:
        """What an input holds that is an optional, or a tensor or sequence in its place; None if that is not known."""
        if source is None:
            return Maybe(None)
        content = self.contents.get(source)
        if isinstance(content, Maybe):
            return content
        if content is None and isinstance(source.type, ir.OptionalType):
            return None
        return Maybe(content or source)

    def _held(self, source: ir.Value | None) -> Held | None:
        """What is in a sequence, or in an optional that holds one."""
        content = None if source is None else self.contents.get(source)
        held = content.content if isinstance(content, Maybe) else content
        return held if isinstance(held, Held) else None

    def _inside(self, node: ir.Node) -> None:
        """In branches, what is in an optional that is a sequence, as in the second iteration of a loop, is that sequence. Before
        opset 18 ONNX has no type for this, so it must not wait until the branch is taken.
        """
        for graph in subgraphs(node):
            for inner in list(graph):
                source = inner.inputs[0] if inner.op_type == "OptionalGetElement" and inner.inputs else None
                maker = None if source is None else source.producer()
                if source is not None and maker is not None and maker.op_type in {*_MAKE, CHOOSE}:
                    identity = add_node(
                        graph, inner, "Identity", [source], self.names.free(f"{inner.name}/held")
                    )
                    ir.convenience.replace_all_uses_with(
                        inner.outputs[0], identity, replace_graph_outputs=True
                    )
                    graph.remove(inner, safe=True)
                    self.done = True

    # ── sequences ──

    def _content_of(self, node: ir.Node, writer: Sequences) -> Held | Maybe | None:
        inputs = [value for value in node.inputs if value is not None]
        match node.op_type:
            case "SequenceConstruct":
                return Held(tuple(map(Element, inputs)))
            case "SequenceEmpty":
                return Held()
            case "SplitToSequence":
                return self._split(node, writer)
            case "SequenceInsert" | "SequenceErase":
                return self._changed(node, writer)
        if node.op_type == COUNTED_INPUT:
            return Held(tuple(map(Element, inputs[1:])), inputs[0])
        if node.op_type == MAYBE_INPUT:
            return Maybe(self._held(inputs[1]) or inputs[1], inputs[0])
        return self._chosen(inputs, writer)

    def _chosen(self, inputs: list[ir.Value], writer: Sequences) -> Held | Maybe:
        contents = [self._maybe(value) for value in inputs[1:]]
        if any(content is None or _is_open(content) for content in contents):
            raise NotYetError(
                f"what is in {inputs[1].name!r} or {inputs[2].name!r} is only known while running"
            )
        first, second = (content for content in contents if content is not None)
        condition = writer.scalar(inputs[0], ir.DataType.BOOL)
        if any(isinstance(self.contents.get(value), Maybe) for value in inputs[1:]):
            return writer.chosen_optional(condition, first, second)
        assert isinstance(first.content, Held)
        assert isinstance(second.content, Held)
        return writer.chosen(condition, first.content, second.content)

    def _changed(self, node: ir.Node, writer: Sequences) -> Held:
        held, is_insert = self._sequence(node), node.op_type == "SequenceInsert"
        last = len(held.elements) if is_insert else len(held.elements) - 1
        place = self._place(node, 2 if is_insert else 1, held, last, writer)
        if not is_insert:
            return writer.erased(held, place)
        new = node.inputs[1]
        if new is None:
            return held
        if held.length is not None and len(held.elements) >= PLACES_MAX:
            raise StaysError(f"its sequence may have more than {PLACES_MAX} elements")
        return writer.inserted(held, Element(new), place)

    def _read(self, node: ir.Node, writer: Sequences) -> None:
        held = self._sequence(node)
        match node.op_type:
            case "SequenceLength":
                self._give(node, writer.count(held))
            case "SequenceAt":
                place = self._place(node, 1, held, len(held.elements) - 1, writer)
                if isinstance(place, int):
                    self._give(node, writer.as_tensor(held.elements[place]))
                elif place is not None:
                    self._give(node, writer.as_tensor(writer.element(held, place)))
            case "ConcatFromSequence":
                axis = node.attributes.get_int("axis", 0)
                is_new = bool(node.attributes.get_int("new_axis", 0))
                self._give(node, self._concat(writer, held, axis, is_new))

    def _concat(self, writer: Sequences, held: Held, axis: int, is_new: bool) -> ir.Value:
        if not held.elements:
            raise StaysError("there is nothing in its sequence")
        values = [element.value for element in held.elements]
        if not is_settled(held) or (is_new and all(static_shape(value) is not None for value in values)):
            return writer.joined(held, axis, is_new)
        if is_new:
            axes = writer.constant([axis], ir.DataType.INT64)
            at = [] if self.version >= 13 else [ir.AttrInt64s("axes", [axis])]
            values = [writer.op("Unsqueeze", [value] if at else [value, axes], *at) for value in values]
        return writer.op("Concat", values, ir.AttrInt64("axis", axis))

    def _sequence(self, node: ir.Node) -> Held:
        source = node.inputs[0]
        held = self._held(source)
        if held is None:
            raise NotYetError(
                f"what is in its sequence {source.name if source else ''!r} is only known while running"
            )
        return held

    def _place(self, node: ir.Node, position: int, held: Held, last: int, writer: Sequences) -> Place:
        """Which place an input means, counted from the front; None where it is left out: the last."""
        value = node.inputs[position] if len(node.inputs) > position else None
        if value is None or not value.name:
            if last < 0:
                raise _outside(node, "the last position", held)
            return None
        known = constant_of(value)
        shape = static_shape(value) if known is None else known.shape
        if shape is not None and np.prod(shape) != 1:
            raise ModelError(
                f"node {node.name} ({node.op_type}): got a position of the shape {list(shape)}, expected one number",
                node=node.name,
            )
        if known is None or held.length is not None:
            if not held.elements and node.op_type != "SequenceInsert":
                raise StaysError("there is nothing in its sequence")
            behind = 0 if node.op_type == "SequenceInsert" else 1
            count = writer.count(held)
            return writer.place(value, held, writer.op("Sub", [count, writer.whole(behind)]))
        place, length = int(known.item()), len(held.elements)
        if not -length <= place <= last:
            raise ModelError(
                f"node {node.name} ({node.op_type}): got the position {place} in a sequence of {length}, "
                f"expected {-length} to {last}",
                node=node.name,
            )
        return place if place >= 0 else place + length

    def _split(self, node: ir.Node, writer: Sequences) -> Held:
        source = node.inputs[0]
        shape = None if source is None else static_shape(source)
        if source is None or shape is None:
            raise NotYetError("the shape of what it splits is only known while running")
        given = node.inputs[1] if len(node.inputs) > 1 else None
        axis = node.attributes.get_int("axis", 0)
        if not -len(shape) <= axis < len(shape):
            raise ModelError(
                f"node {node.name} (SplitToSequence): got axis {axis} of the shape {list(shape)}",
                node=node.name,
            )
        extent = shape[axis]
        if given is None or not given.name:
            return self._split_into_ones(node, writer, axis, extent)
        known = constant_of(given)
        if known is None:
            try:
                return writer.split(source, axis % len(shape), given)
            except StaysError as error:
                raise StaysError(f"{error}{how_to_bind(given)}") from None
        sizes = [int(size) for size in known.ravel()]
        if known.ndim == 0 and sizes[0] > 0:
            sizes = [min(sizes[0], extent - start) for start in range(0, extent, sizes[0])]
        if sum(sizes) != extent or any(size < 0 for size in sizes):
            raise ModelError(
                f"node {node.name} (SplitToSequence): got the sizes {sizes}, expected numbers whose sum is {extent}",
                node=node.name,
            )
        return Held(tuple(self._parts(writer, source, axis, sizes)))

    def _split_into_ones(self, node: ir.Node, writer: Sequences, axis: int, extent: int) -> Held:
        source = node.inputs[0]
        assert source is not None
        if node.attributes.get_int("keepdims", 1):
            return Held(tuple(self._parts(writer, source, axis, [1] * extent)))
        return Held(
            tuple(Element(writer.gather(source, writer.whole(number), axis)) for number in range(extent))
        )

    def _parts(self, writer: Sequences, source: ir.Value, axis: int, sizes: list[int]) -> list[Element]:
        parts, start = [], 0
        for size in sizes:
            edges = [writer.constant([edge], ir.DataType.INT64) for edge in (start, start + size, axis)]
            parts.append(Element(writer.op("Slice", [source, *edges])))
            start += size
        return parts

    def _give(self, node: ir.Node, value: ir.Value) -> None:
        """Replaces a node by a value that is there."""
        give_result(self.graph, node, node.outputs[0], value)
        self.graph.remove(node, safe=True)
        self.done = True


def _is_open(optional: Maybe) -> bool:
    """Whether it holds a sequence of which it is not known what is in it."""
    return isinstance(optional.content, ir.Value) and not isinstance(optional.content.type, ir.TensorType)


def _outside(node: ir.Node, got: str, held: Held) -> ModelError:
    return ModelError(
        f"node {node.name} ({node.op_type}): got {got} in a sequence of {len(held.elements)}", node=node.name
    )
