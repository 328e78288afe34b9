"""Axes along which all places of a value are equal, such as those of a row that was copied for each sample of a batch."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ingot.kernels.template import Pointwise, Reshape, Template
from ingot.loops.nodes import Expr, Load, Var
from ingot.loops.transform.rewrite import children, postorder
from ingot.plan.program import Draft, Step


@dataclass(frozen=True, slots=True)
class Uniform:
    """Finds out, for each value and axis that somebody asks for, whether all places are equal: of a constant by its content,
    of what steps compute by what they read. What follows from inputs is equal nowhere, but where an extent is 1.
    """

    draft: Draft
    _producers: dict[str, Step] = field(default_factory=dict)
    _known: dict[tuple[str, int], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._producers.update((name, step) for step in self.draft.steps for name in step.outputs)

    def along(self, name: str, axis: int) -> bool:
        """Whether a value has equal places along an axis."""
        if self.draft.stated(name).shape[axis] == 1:
            return True
        key = name, axis
        if key not in self._known:
            self._known[key] = self._follow(name, axis)
        return self._known[key]

    def _follow(self, name: str, axis: int) -> bool:
        array = self.draft.constants.get(name)
        if array is not None:
            return all_equal(array, axis)
        step = self._producers.get(name)
        if step is None:
            return False
        match step.definition:
            case Pointwise() as definition:
                return self._pointwise(step, definition, axis)
            case Reshape() as definition:
                return self._reshape(step, definition, axis)
            case Template() as definition:
                return self._template(step, definition, step.outputs.index(name), axis)
        return False

    def _pointwise(self, step: Step, definition: Pointwise, axis: int) -> bool:
        """Nothing may read the index of that axis, but where it is that of an axis of equal places."""
        at = definition.index[axis]
        sources = dict(zip((formal.name for formal in definition.inputs), step.inputs, strict=True))
        differs: set[int] = set()  # nodes, by id, that have other values at other places
        for node in postorder(definition.value):
            if node == at or any(id(child) in differs for child in self._reads(node, at, sources)):
                differs.add(id(node))
        return id(definition.value) not in differs

    def _reads(self, node: Expr, at: Var, sources: dict[str, str]) -> list[Expr]:
        """The operands that decide what a node is at a place."""
        if not isinstance(node, Load):
            return list(children(node))
        source = sources[node.buffer.name]
        return [part for axis, part in enumerate(node.index) if not (part == at and self.along(source, axis))]

    def _reshape(self, step: Step, definition: Reshape, axis: int) -> bool:
        """All axes of the input that became this one have equal places."""
        old, new = definition.input.shape, definition.output.shape
        before, inside = math.prod(new[:axis]), math.prod(new[axis + 1 :])
        first = next((at for at in range(len(old)) if math.prod(old[:at]) == before and old[at] != 1), None)
        stop = next((at for at in range(len(old), 0, -1) if math.prod(old[at:]) == inside), None)
        if first is None or stop is None or math.prod(old[first:stop]) != new[axis]:
            return False
        return all(self.along(step.inputs[0], at) for at in range(first, stop))

    def _template(self, step: Step, definition: Template, output: int, axis: int) -> bool:
        return any(
            way.outputs[output] == axis
            and all(
                at is None or self.along(source, at)
                for source, at in zip(step.inputs, way.inputs, strict=True)
            )
            for way in definition.independent
        )


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
