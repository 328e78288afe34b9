"""Extents that depend on content: what chooses gets room for as much as it may choose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import onnx_ir as ir

from ingot.graph.read.counted import CountedExtent
from ingot.graph.read.declared import Declarations
from ingot.graph.read.definitions import said_of
from ingot.graph.read.types import COUNTS, static_shape, to_attribute
from ingot.graph.rewrite.look import constant_of

# Drafts for fewer places are compared, none of which may be 1 (`plan/room`): so much room is there at least.
_ROOM_MIN = 8


def give_room(model: ir.Model, declarations: Declarations) -> bool:
    """Gives results of nodes that choose extents for as many places as there may be, where all else of their shapes is known. A
    model that declares a number means exactly so many. In place.

    Returns:
        Whether there was one.
    """
    changed = False
    for node in model.graph:
        selects = said_of(node).selects
        if selects is None or (
            selects.decided_by is not None and constant_of(node.inputs[selects.decided_by]) is not None
        ):
            continue
        changed |= _give(node, declarations)
    return changed


def _give(node: ir.Node, declarations: Declarations) -> bool:
    selects, counts = said_of(node).selects, declarations.counts
    assert selects is not None
    shapes = [None if value is None else static_shape(value) for value in node.inputs]
    attributes = {key: to_attribute(attribute) for key, attribute in node.attributes.items()}
    first = shapes[0] if shapes else None
    if first is None:
        return False
    places = [
        (node.outputs[position], axis)
        for position, axis in selects.axes(attributes, len(first)).items()
        if position < len(node.outputs) and node.outputs[position].name
    ]
    is_read = any(value.uses() or value.is_graph_output() for value in node.outputs)
    if not places or not is_read or node.name in counts.extents:
        return False
    open_ = [(value, axis) for value, axis in places if _is_open(value, axis)]
    if not open_ and selects.places_max is not None:
        _note_stated(node, places, declarations)
    if not open_:
        return False
    contents = [constant_of(value) for value in node.inputs]
    places_max = None if selects.places_max is None else selects.places_max(shapes, contents, attributes)
    extent = _extent(node, open_, places_max, declarations)
    if extent is None:
        return False
    counts.extents[extent.node] = extent
    node.metadata_props[COUNTS] = extent.name
    for value, axis in open_:
        assert value.shape is not None
        value.shape = ir.Shape([extent.room if at == axis else own for at, own in enumerate(value.shape)])
    return True


def _note_stated(node: ir.Node, places: Sequence[tuple[ir.Value, int]], declarations: Declarations) -> None:
    """Notes an extent of which the shape of another value said how large it is: exactly so many places are meant."""
    shape = static_shape(places[0][0])
    if shape is not None:
        count, name = shape[places[0][1]], node.name or ""
        declarations.counts.extents[name] = CountedExtent(
            f"{places[0][0].name}:{places[0][1]}", name, node.op_type, count, count, count
        )
        node.metadata_props[COUNTS] = name


def _is_open(value: ir.Value, axis: int) -> bool:
    return value.shape is not None and axis < len(value.shape) and not isinstance(value.shape[axis], int)


def _extent(
    node: ir.Node,
    places: Sequence[tuple[ir.Value, int]],
    places_max: int | None,
    declarations: Declarations,
) -> CountedExtent | None:
    """How many places there may be; None where nothing tells."""
    counts, symbols = declarations.counts, [*_symbols(places, declarations)]
    taken = {extent.name for extent in counts.extents.values()}
    value, axis = places[0]
    name = next((symbol for symbol in symbols if symbol not in taken), f"{value.name}:{axis}")
    bound = counts.bound_of([name, *symbols, *(f"{value.name}:{axis}" for value, axis in places)])
    if bound is None:
        bound = counts.bound_of([str(value.name) for value, _ in places])
    declared = _declared(places, declarations)
    selects = said_of(node).selects
    if declared is not None and bound is None and selects is not None and selects.places_max is not None:
        return CountedExtent(name, node.name or "", node.op_type, declared, declared, declared)
    high = min((number for number in (places_max, bound) if number is not None), default=None)
    if high is None:
        return None
    room = counts.rooms.get(name, max(high, _ROOM_MIN))
    return CountedExtent(name, node.name or "", node.op_type, 0, high, room, places_max)


def _symbols(places: Sequence[tuple[ir.Value, int]], declarations: Declarations) -> Iterator[str]:
    """What the model calls the extent."""
    for value, axis in places:
        symbols = declarations.symbols.get(value.name or "", ())
        if axis < len(symbols) and symbols[axis]:
            yield symbols[axis]


def _declared(places: Sequence[tuple[ir.Value, int]], declarations: Declarations) -> int | None:
    """The number that the model declares."""
    for value, axis in places:
        stated = declarations.shapes.get(value.name or "")
        extent = None if stated is None or axis >= len(stated) else stated[axis]
        if isinstance(extent, int):
            return extent
    return None
