"""What sequences and optionals hold, and what their operators make of it, written as nodes on tensors.

A sequence has a place for each element that it may have, and a count of those that are there, where that is known only while
running. An element has room for its largest extents, and its sizes, where these are known only while running.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import onnx_ir as ir

from ingot.graph.passes.control_flow.kept import DOMAIN
from ingot.graph.read.types import UNSURE, static_shape
from ingot.graph.rewrite.writer import StaysError, Writer, output_type

# Places of a sequence whose number of elements is known only while running: each is a value of its own.
PLACES_MAX = 256
_INT64 = ir.DataType.INT64
_INT64_MAX = int(np.iinfo(np.int64).max)
# So many elements are chosen from one after another; more are put together first.
_CHAIN_MAX = 4


@dataclass(frozen=True, slots=True)
class Element:
    """An element. `sizes` are its extents, int64 [rank], where those of `axes` are known only while running: `value` has room for
    the largest, and what there is lies at the beginnings.
    """

    value: ir.Value
    sizes: ir.Value | None = None
    axes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """What a sequence holds: the first `length` of its elements, an int64 scalar; None: all."""

    elements: tuple[Element, ...] = ()
    length: ir.Value | None = None


@dataclass(frozen=True, slots=True)
class Maybe:
    """What an optional holds, None for nothing. `present` is a bool scalar where it is known only while running whether it holds
    that.
    """

    content: ir.Value | Held | None
    present: ir.Value | None = None


Place = int | ir.Value | None


class Sequences(Writer):
    """Writes what an operator on sequences makes of what they hold."""

    # ─── numbers ───────────────────────────────────────────────────────────────────────────────────────────────────

    def whole(self, number: int) -> ir.Value:
        """A whole number."""
        return self.constant(np.array(number, np.int64))

    def scalar(self, value: ir.Value, dtype: ir.DataType = _INT64) -> ir.Value:
        """The only element of a value."""
        return self.cast(self.reshape(value, ()), dtype)

    def count(self, held: Held) -> ir.Value:
        """How many elements there are."""
        return self.whole(len(held.elements)) if held.length is None else held.length

    def within(
        self, number: ir.Value, low: ir.Value, high: ir.Value, role: str, expected: str, operand: str = ""
    ) -> ir.Value:
        """The number, of which a run ends if it is not from `low` to `high`. A node whose results may not be asked for is not
        checked.
        """
        if UNSURE in self.node.metadata_props:
            return number
        return write_within(self, (number, low, high), role, expected, operand)

    def place(self, given: ir.Value, held: Held, last: ir.Value) -> ir.Value:
        """A position known only while running, from the front."""
        position, count = self.scalar(given), self.count(held)
        position = self.within(position, self.op("Neg", [count]), last, "position", "a place of its sequence")
        is_from_end = self.op("Less", [position, self.whole(0)])
        return self.op("Where", [is_from_end, self.op("Add", [position, count]), position])

    # ─── elements ──────────────────────────────────────────────────────────────────────────────────────────────────

    def pick(self, condition: ir.Value, first: Element, second: Element) -> Element:
        """The first element if a scalar is true, else the second."""
        if first == second:
            return first
        shapes = self.shape(first.value), self.shape(second.value)
        if len(shapes[0]) != len(shapes[1]):
            raise StaysError(f"an element may have the shape {list(shapes[0])} or {list(shapes[1])}")
        room = tuple(map(max, *shapes)) if shapes[0] else ()
        values = [self._padded(element.value, room) for element in (first, second)]
        different = [axis for axis, (left, right) in enumerate(zip(*shapes, strict=True)) if left != right]
        axes = tuple(sorted({*different, *first.axes, *second.axes}))
        value = self.op("Where", [condition, *values])
        if not axes:
            return Element(value)
        return Element(value, self.op("Where", [condition, *map(self.sizes, (first, second))]), axes)

    def sizes(self, element: Element) -> ir.Value:
        """The extents of an element."""
        return element.sizes or self.constant(self.shape(element.value), _INT64)

    def _padded(self, value: ir.Value, room: Sequence[int]) -> ir.Value:
        missing = [whole - extent for whole, extent in zip(room, self.shape(value), strict=True)]
        if not any(missing):
            return value
        return self.op("Pad", [value, self.constant([*[0] * len(room), *missing], _INT64)])

    def as_tensor(self, element: Element) -> ir.Value:
        """An element as a tensor of its true shape."""
        value = element.value
        for axis in element.axes:
            size = self.gather(self.sizes(element), self.whole(axis))
            value = self._first_of(value, size, axis)
        return value

    def _first_of(self, value: ir.Value, count: ir.Value, axis: int) -> ir.Value:
        """The first places along an axis: as many as there are."""
        numbers = self.constant(np.arange(self.shape(value)[axis], dtype=np.int64))
        return self._those(value, self.op("Less", [numbers, count]), axis)

    def _those(self, value: ir.Value, condition: ir.Value, axis: int) -> ir.Value:
        numbers = self.constant(np.arange(self.shape(condition)[0], dtype=np.int64))
        places = self.op("Compress", [numbers, condition], ir.AttrInt64("axis", 0))
        return self.gather(value, places, axis)

    # ─── operators ─────────────────────────────────────────────────────────────────────────────────────────────────

    def inserted(self, held: Held, new: Element, place: Place) -> Held:
        """With one more element: at a place, None for behind the last."""
        olds, length = held.elements, held.length
        if isinstance(place, int) or (place is None and length is None):
            at = len(olds) if place is None else place
            return Held((*olds[:at], new, *olds[at:]))
        longer = None if length is None else self.op("Add", [length, self.whole(1)])
        if place is None:
            assert length is not None
            elements = [self.pick(self._is(length, at), new, old) for at, old in enumerate(olds)]
            return Held((*elements, new), longer)
        elements = []
        for at in range(len(olds) + 1):
            before, here = olds[max(at - 1, 0)] if olds else new, olds[at] if at < len(olds) else new
            later = self.pick(self._is(place, at), new, before)
            elements.append(self.pick(self._is_before(at, place), here, later))
        return Held(tuple(elements), longer)

    def erased(self, held: Held, place: Place) -> Held:
        """Without one element: at a place, None for the last."""
        olds, length = held.elements, held.length
        if isinstance(place, int) or (place is None and length is None):
            at = len(olds) - 1 if place is None else place
            return Held((*olds[:at], *olds[at + 1 :]))
        if length is not None:
            low, high = self.whole(1), self.whole(len(olds))
            length = self.within(length, low, high, "length", "1 element or more")
            length = self.op("Sub", [length, self.whole(1)])
        if place is None:
            return replace(held, length=length)
        pairs = enumerate(itertools.pairwise(olds))
        return Held(
            tuple(self.pick(self._is_before(at, place), old, after) for at, (old, after) in pairs), length
        )

    def element(self, held: Held, place: ir.Value) -> Element:
        """The element at a place known only while running."""
        olds = held.elements
        if not olds:
            raise StaysError("there is nothing in its sequence")
        shapes = {self.shape(element.value) for element in olds}
        if len(olds) > _CHAIN_MAX and len(shapes) == 1 and not any(element.axes for element in olds):
            last = self.whole(len(olds) - 1)
            within = self.op("Max", [self.op("Min", [place, last]), self.whole(0)])
            return Element(self.gather(self._stacked([element.value for element in olds], 0), within))
        chosen = olds[0]
        for at, old in enumerate(olds[1:], 1):
            chosen = self.pick(self._is(place, at), old, chosen)
        return chosen

    def joined(self, held: Held, axis: int, new_axis: bool) -> ir.Value:
        """All elements that are there, one behind another."""
        values = [element.value for element in held.elements]
        if not values:
            raise StaysError("there is nothing in its sequence")
        if new_axis:
            if any(element.axes for element in held.elements):
                raise StaysError(
                    "elements whose extents are known only while running are no rows of a tensor"
                )
            axis %= len(self.shape(values[0])) + 1
            whole = self._stacked(values, axis)
            return whole if held.length is None else self._first_of(whole, held.length, axis)
        axis %= max(len(self.shape(values[0])), 1)
        whole = self.concat(values, axis)
        if held.length is None and not any(element.axes for element in held.elements):
            return whole
        if any(set(element.axes) - {axis} for element in held.elements):
            raise StaysError("its elements have extents along other axes that are known only while running")
        return self._those(whole, self._places_there(held, axis), axis)

    def _places_there(self, held: Held, axis: int) -> ir.Value:
        """Which places of all elements one behind another are there."""
        extents = [self.shape(element.value)[axis] for element in held.elements]
        owners = np.repeat(np.arange(len(extents)), extents)
        within = np.concatenate([np.arange(extent) for extent in extents])
        is_there = self.op("Less", [self.constant(owners, _INT64), self.count(held)])
        if not any(element.axes for element in held.elements):
            return is_there
        own = [self.gather(self.sizes(element), self.constant([axis], _INT64)) for element in held.elements]
        sizes = self.gather(self.concat(own, 0), self.constant(owners, _INT64))
        return self.op("And", [is_there, self.op("Less", [self.constant(within, _INT64), sizes])])

    def _stacked(self, values: Sequence[ir.Value], axis: int) -> ir.Value:
        shape = list(self.shape(values[0]))
        shape.insert(axis, 1)
        return self.concat([self.reshape(value, shape) for value in values], axis)

    def split(self, source: ir.Value, axis: int, sizes: ir.Value) -> Held:
        """Parts along an axis, of sizes that are known only while running: of one size each, or of a list of sizes."""
        shape = self.shape(source)
        extent, given = shape[axis], self.shape(sizes)
        if len(given) > 1 or (given and given[0] > PLACES_MAX) or (not given and extent > PLACES_MAX):
            raise StaysError(f"it may give more than {PLACES_MAX} parts")
        if not given:
            return self._split_evenly(source, axis, extent, self.scalar(sizes))
        numbers, words = self.cast(sizes, _INT64), f"numbers whose sum is {extent}"
        ends = self.whole(0), self.whole(extent)
        each = [
            self.within(self.gather(numbers, self.whole(at)), *ends, "split", words, sizes.name or "")
            for at in range(given[0])
        ]
        starts = [self.whole(0)]
        for size in each:
            starts.append(self.op("Add", [starts[-1], size]))
        total = self.within(starts.pop(), ends[1], ends[1], "split", words, sizes.name or "")
        if len(each) > 1:
            starts[-1] = self.op("Sub", [total, each[-1]])
        pairs = zip(starts, each, strict=False)
        return Held(tuple(self._part(source, axis, start, size, extent) for start, size in pairs))

    def _split_evenly(self, source: ir.Value, axis: int, extent: int, size: ir.Value) -> Held:
        size = self.within(size, self.whole(1), self.whole(_INT64_MAX), "split", "1 or more")
        # A larger size gives the same single part.
        size = self.op("Min", [size, self.whole(max(extent, 1))])
        parts = []
        for at in range(extent):
            start = self.op("Mul", [size, self.whole(at)])
            left = self.op("Max", [self.op("Sub", [self.whole(extent), start]), self.whole(0)])
            own = self.op("Min", [size, left])
            parts.append(self._part(source, axis, start, own, extent // (at + 1)))
        above = self.op("Add", [size, self.whole(extent - 1)])
        return Held(tuple(parts), self.op("Div", [above, size]))

    def _part(self, source: ir.Value, axis: int, start: ir.Value, size: ir.Value, room: int) -> Element:
        """`size` places from `start` on, of which there are at most `room`."""
        shape = list(self.shape(source))
        places = self.op("Add", [start, self.constant(np.arange(room, dtype=np.int64))])
        places = self.op("Min", [places, self.whole(max(shape[axis] - 1, 0))])
        value = self.gather(source, places, axis)
        shape[axis] = room
        is_axis = self.constant(np.arange(len(shape)) == axis)
        return Element(value, self.op("Where", [is_axis, size, self.constant(shape, _INT64)]), (axis,))

    # ─── one of two ────────────────────────────────────────────────────────────────────────────────────────────────

    def chosen(self, condition: ir.Value, first: Held, second: Held) -> Held:
        """The first if a scalar is true, else the second."""
        if first == second:
            return first
        pairs = zip(first.elements, second.elements, strict=False)
        elements = [self.pick(condition, *pair) for pair in pairs]
        longer = max(first.elements, second.elements, key=len)
        elements += longer[len(elements) :]
        if first.length is second.length and len(first.elements) == len(second.elements):
            return Held(tuple(elements), first.length)
        return Held(tuple(elements), self.op("Where", [condition, self.count(first), self.count(second)]))

    def chosen_optional(self, condition: ir.Value, first: Maybe, second: Maybe) -> Maybe:
        """As `chosen`."""
        contents = first.content, second.content
        flags = [self._presence(optional) for optional in (first, second)]
        is_sure = flags[0] is flags[1] or (
            first.present is second.present is None and (contents[0] is None) == (contents[1] is None)
        )
        present = first.present if is_sure else self.op("Where", [condition, *flags])
        if contents[0] is None or contents[1] is None:
            return Maybe(contents[1] if contents[0] is None else contents[0], present)
        if isinstance(contents[0], Held) and isinstance(contents[1], Held):
            return Maybe(self.chosen(condition, contents[0], contents[1]), present)
        if isinstance(contents[0], Held) or isinstance(contents[1], Held):
            raise StaysError("an optional may hold a sequence or a tensor")
        picked = self.pick(condition, Element(contents[0]), Element(contents[1]))
        if picked.axes:
            raise StaysError("what an optional holds may have two shapes")
        return Maybe(picked.value, present)

    def _presence(self, optional: Maybe) -> ir.Value:
        if optional.present is not None:
            return optional.present
        return self.constant(np.array(optional.content is not None))

    def _is(self, number: ir.Value, at: int) -> ir.Value:
        return self.op("Equal", [number, self.whole(at)])

    def _is_before(self, at: int, number: ir.Value) -> ir.Value:
        return self.op("Less", [self.whole(at), number])


def write_within(
    writer: Writer,
    numbers: tuple[ir.Value, ir.Value, ir.Value],
    role: str,
    expected: str,
    operand: str = "",
) -> ir.Value:
    """The first of three int64 scalars, of which a run ends if it is not from the second to the third: see `ops.limits`."""
    node = writer.node
    given = {"node": node.name or node.op_type, "of": node.op_type, "role": role, "expected": expected}
    texts = given | ({"operand": operand} if operand else {})
    attributes = [ir.AttrString(name, text) for name, text in texts.items()]
    result = writer.ops("Within", numbers, attributes, domain=DOMAIN)[0]
    output_type(result, _INT64, ())
    return result


def is_settled(held: Held) -> bool:
    """Whether all that there is of a sequence is known while building but its elements."""
    return held.length is None and not any(element.axes for element in held.elements)


def rooms(held: Held) -> list[tuple[int, ...] | None]:
    """The shapes of the places of a sequence, as far as they are known."""
    return [static_shape(element.value) for element in held.elements]
