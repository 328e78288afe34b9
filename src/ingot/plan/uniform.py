"""Axes along which all places of a value are equal, such as those of a row that was copied for each sample of a batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ingot.kernels.template import Pointwise, Reshape, Template
from ingot.loops.nodes import Expr, Load, Var
from ingot.loops.transform.rewrite import children, postorder
from ingot.plan.program import Draft, Step


@dataclass(frozen=True, slots=True)
class Part:
    """Places of an axis: of each of its `rounds` equal parts, those of `each` elements."""

    axis: int
    each: int = 1
    rounds: int = 1


@dataclass(frozen=True, slots=True)
class Uniform:
    """Finds out, for each value and axis that somebody asks for, whether all places are equal: of a constant by its content,
    of what steps compute by what they read. What follows from inputs is equal nowhere, but where an extent is 1.
    """

    draft: Draft
    _producers: dict[str, Step] = field(default_factory=dict)
    _known: dict[tuple[str, Part], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._producers.update((name, step) for step in self.draft.steps for name in step.outputs)

    def along(self, name: str, axis: int, each: int = 1, rounds: int = 1) -> bool:
        """Whether a value has equal places along an axis: in each of `rounds` parts, of `each` elements."""
        extent, part = self.draft.stated(name).shape[axis], Part(axis, each, rounds)
        if extent == 1:
            return True
        if extent % (each * rounds):
            return False
        if (name, part) not in self._known:
            self._known[name, part] = self._follow(name, part)
        return self._known[name, part]

    def _is_along(self, name: str, part: Part) -> bool:
        return self.along(name, part.axis, part.each, part.rounds)

    def _follow(self, name: str, part: Part) -> bool:
        array = self.draft.constants.get(name)
        if array is not None:
            shape = (*array.shape[: part.axis], part.rounds, -1, part.each, *array.shape[part.axis + 1 :])
            return not array.size or all_equal(array.reshape(shape), part.axis + 1)
        step = self._producers.get(name)
        if step is None:
            return False
        match step.definition:
            case Pointwise() as definition:
                return self._pointwise(step, definition, part)
            case Reshape() as definition:
                return self._reshape(step, definition, part)
            case Template() as definition:
                return self._template(step, definition, step.outputs.index(name), part)
        return False

    def _pointwise(self, step: Step, definition: Pointwise, part: Part) -> bool:
        """Nothing may read the index of that axis, but where it is that of an axis of equal places."""
        at = definition.index[part.axis]
        extent = definition.output.shape[part.axis]
        sources = dict(zip((formal.name for formal in definition.inputs), step.inputs, strict=True))
        differs: set[int] = set()  # nodes, by id, that have other values at other places
        for node in postorder(definition.value):
            operands = self._reads(node, at, sources, part, extent)
            if node == at or any(id(child) in differs for child in operands):
                differs.add(id(node))
        return id(definition.value) not in differs

    def _reads(self, node: Expr, at: Var, sources: dict[str, str], part: Part, extent: int) -> list[Expr]:
        """The operands that decide what a node is at a place."""
        if not isinstance(node, Load):
            return list(children(node))
        source = sources[node.buffer.name]
        is_alone = (part.each, part.rounds) == (1, 1)
        return [
            place
            for axis, place in enumerate(node.index)
            if not (
                place == at
                and (is_alone or node.buffer.shape[axis] == extent)
                and self._is_along(source, replace(part, axis=axis))
            )
        ]

    def _reshape(self, step: Step, definition: Reshape, part: Part) -> bool:
        """All axes of the input that became this one have equal places."""
        old, new = definition.input.shape, definition.output.shape
        before = math.prod(new[: part.axis]) * part.rounds
        inside = part.each * math.prod(new[part.axis + 1 :])
        count = new[part.axis] // (part.each * part.rounds)
        first = next((at for at in range(len(old)) if math.prod(old[:at]) == before and old[at] != 1), None)
        stop = next((at for at in range(len(old), 0, -1) if math.prod(old[at:]) == inside), None)
        if first is not None and stop is not None and math.prod(old[first:stop]) == count:
            return all(self.along(step.inputs[0], at) for at in range(first, stop))
        parts = parts_after(old, before, count, inside)
        return bool(parts) and self._is_along(step.inputs[0], parts[0])

    def _template(self, step: Step, definition: Template, output: int, part: Part) -> bool:
        return any(
            way.outputs[output] == part.axis
            and all(
                at is None or self._is_along(source, replace(part, axis=at))
                for source, at in zip(step.inputs, way.inputs, strict=True)
            )
            for way in definition.independent
        )


def splits_of(places: int) -> list[tuple[int, int]]:
    """How so many places of an item may stand: `each` in each of `rounds` parts of an axis; those of the fewest parts first."""
    return [(places // rounds, rounds) for rounds in range(1, places + 1) if places % rounds == 0]


def of_first_item(array: np.ndarray, axis: int, count: int, each: int, rounds: int) -> np.ndarray | None:
    """The places of one item, if an axis has the same ones for each of `count` items; else None."""
    split = array.reshape(*array.shape[:axis], rounds, count, each, *array.shape[axis + 1 :])
    if not all_equal(split, axis + 1):
        return None
    return np.asarray(
        split.take(0, axis + 1).reshape(*array.shape[:axis], rounds * each, *array.shape[axis + 1 :])
    )


def parts_after(shape: Sequence[int], before: int, count: int, inside: int) -> list[Part]:
    """Where places are in a reshaped value: `count` places of `inside` elements, `before` times; of fewest parts first."""
    fitting: list[Part] = []
    for axis, extent in enumerate(shape):
        rounds, rest = divmod(before, max(math.prod(shape[:axis]), 1))
        each, apart = divmod(extent, max(rounds * count, 1))
        if not rest and not apart and rounds and each * math.prod(shape[axis + 1 :]) == inside:
            fitting.append(Part(axis, each, rounds))
    return sorted(fitting, key=lambda part: part.rounds)


def all_equal(array: np.ndarray, axis: int) -> bool:
    """Whether all places along an axis have the same bytes."""
    content = _element_bytes(array)
    return bool((content == content.take([0], axis)).all())


def steps_along(array: np.ndarray, axis: int) -> np.ndarray | None:
    """By how much whole numbers go up from each place along an axis to the next, for all other places; None if that changes along
    the axis.
    """
    if array.dtype.kind not in "iu" or array.shape[axis] < 2 or not array.size:
        return None
    steps = np.diff(array.astype(np.int64), axis=axis)
    return steps.take([0], axis) if all_equal(steps, axis) else None


def _element_bytes(array: np.ndarray) -> np.ndarray:
    """The bytes of each element, in a last axis: a NaN is equal to itself, and 0 is not -0."""
    dense = np.ascontiguousarray(array)
    return dense.view(np.uint8).reshape(*array.shape, array.itemsize)


def have_same_bytes(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether two arrays have the same shape, type and content, as `_element_bytes` has it. Views of the same memory, such as
    weights in drafts of one model for several sizes, are not looked at.
    """
    if first.dtype != second.dtype or first.shape != second.shape:
        return False
    is_one = first.ctypes.data == second.ctypes.data and first.strides == second.strides
    return is_one or bool((_element_bytes(first) == _element_bytes(second)).all())
