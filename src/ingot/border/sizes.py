"""Borders of models whose extents vary from call to call: the numbers of one that follow from sizes, and the border for given
sizes.

Only such models need it: it is imported with the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ingot.border.program import Border, Numbers, Port, Product, Step

VARYING = ("ends", "shape", "starts")  # attributes of steps whose numbers may follow from sizes, sorted

Shape = tuple[int, ...]
# From whose numbers they are, in words, numbers for the model's own sizes, and what they are for others, to new ones of both.
Change = Callable[[str, Shape, Numbers], tuple[Shape, Numbers]]


def changed(border: Border, change: Change) -> Border:
    """A border in which every list of numbers that may follow from sizes is another one: the shapes of inputs, then of outputs,
    then attributes of steps, each in order.
    """
    inputs, outputs = (
        tuple(_changed_port(port, change) for port in ports) for ports in (border.inputs, border.outputs)
    )
    front, back = (
        tuple(_changed_step(step, change) for step in steps) for steps in (border.front, border.back)
    )
    return Border(inputs, outputs, front, back)


def _changed_port(port: Port, change: Change) -> Port:
    if port.kind in ("tensor", "text"):
        shape, extents = change(repr(port.name), port.shape, port.extents)
        return replace(port, shape=shape, extents=extents)
    return replace(port, parts=tuple(_changed_port(part, change) for part in port.parts))


def _changed_step(step: Step, change: Change) -> Step:
    attributes, varying = dict(step.attributes), dict(step.varying)
    words = f"the step {step.op!r} of {', '.join(map(repr, step.inputs)) or 'nothing'}"
    for name in VARYING:
        if name in attributes:
            attributes[name], numbers = change(words, attributes[name], varying.pop(name, ()))
            varying |= {name: numbers} if numbers else {}
    return Step(step.op, step.inputs, step.outputs, tuple(attributes.items()), tuple(varying.items()))


def numbers_of(border: Border) -> tuple[Border, list[tuple[str, Shape]]]:
    """A border without the numbers that may follow from sizes, and all lists of these with whose they are."""
    lists: list[tuple[str, Shape]] = []

    def taken_out(words: str, shape: Shape, _: Numbers) -> tuple[Shape, Numbers]:
        lists.append((words, shape))
        return (), ()

    return changed(border, taken_out), lists


def with_numbers(border: Border, lists: Iterable[Numbers], sizes: Mapping[str, int]) -> Border:
    """A border with these lists of numbers, of which some vary; one list for each of `numbers_of`.

    Args:
        border: what else it is.
        lists: the numbers.
        sizes: those of the program with the model's own symbol.
    """
    following = iter(lists)

    def put_in(_: str, __: Shape, ___: Numbers) -> tuple[Shape, Numbers]:
        numbers = next(following)
        varies = any(isinstance(number, Product) for number in numbers)
        return _at(numbers, sizes), numbers if varies else ()

    return changed(border, put_in)


def _at(numbers: Numbers, sizes: Mapping[str, int]) -> Shape:
    return tuple(number.at(sizes) if isinstance(number, Product) else number for number in numbers)


def border_at(border: Border, sizes: Mapping[str, int]) -> Border:
    """The border with every extent that varies replaced by its size; `sizes` by the names of the extents."""
    return changed(border, lambda _, shape, numbers: (_at(numbers, sizes) if numbers else shape, ()))


def places_of(border: Border) -> dict[str, list[tuple[str, int]]]:
    """Where callers say the size of each extent that varies: leaves of inputs and their axes, by its name."""
    places: dict[str, list[tuple[str, int]]] = {}
    for leaf in (leaf for port in border.inputs for leaf in port.leaves()):
        for axis, extent in enumerate(leaf.extents):
            if isinstance(extent, Product) and extent.factor == 1 and len(extent.dims) == 1:
                places.setdefault(extent.dims[0].name, []).append((leaf.name, axis))
    return places


# ─── in metadata ───────────────────────────────────────────────────────────────────────────────────────────────────────

_PARTS, _DEPTH_MAX = ("inputs", "outputs", "front", "back"), 16


def data_at(data: Any, sizes: Mapping[str, int], dims: Mapping[str, Any]) -> tuple[Any, list[Numbers]]:
    """What metadata say of a border, with numbers for the given sizes in the place of those that vary; and all lists of numbers
    that may vary, in the order of `changed`. What is not of the right form is left as it is: the reader refuses it.
    """
    reading = _Reading(sizes, dims)
    if not isinstance(data, dict):
        return data, reading.lists
    return {**data, **{name: reading.read(data[name]) for name in _PARTS if name in data}}, reading.lists


class _Reading:
    def __init__(self, sizes: Mapping[str, int], dims: Mapping[str, Any]) -> None:
        self.sizes, self.dims = sizes, dims
        self.lists: list[Numbers] = []

    def read(self, node: Any, depth: int = 0) -> Any:
        """A list of ports or steps, a port, a step, or the attributes of a step."""
        if depth > _DEPTH_MAX:
            return node
        if isinstance(node, list):
            return [self.read(item, depth + 1) for item in node]
        if not isinstance(node, dict):
            return node
        read = dict(node)
        for name in sorted(node):
            if name in VARYING and isinstance(node[name], list):
                read[name] = self._numbers(node[name])
            elif name in ("parts", "attributes"):
                read[name] = self.read(node[name], depth + 1)
        return read

    def _numbers(self, listed: list[Any]) -> list[Any]:
        numbers = tuple(map(self._number, listed))
        self.lists.append(numbers)
        return list(_at(numbers, self.sizes))

    def _number(self, value: Any) -> Any:
        if not (isinstance(value, list) and len(value) > 1 and type(value[0]) is int and value[0] > 0):
            return value
        factor, *names = value
        if not all(isinstance(name, str) and name in self.dims for name in names):
            return value
        return Product(factor, tuple(self.dims[name] for name in names))
