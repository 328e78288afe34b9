"""Which extents of a draft count independent items, such as the samples of a batch.

Where item `i` of every output needs item `i` of the inputs and nothing of other items, a program for few items computes many,
some after the others, and one for many computes few, whatever the others are. That is proven here, in two steps:

1. One draft is followed from its inputs to its outputs: for each value, the axis that has the items. A `Pointwise` may read a
   value with items only at the item that it writes; a `Reshape` must keep items together; a `Template` says itself along which
   axes it is independent. What mixes items is named.
2. Two drafts of the same model, for different numbers of items, must be the same but for that number: no other number in them
   may follow from it, as it does in a model that multiplies by its batch.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from ingot.base.tensor import TensorType
from ingot.kernels.template import Independent, Pointwise, Reshape, Template
from ingot.loops.nodes import Const, Expr, Load, Var
from ingot.loops.transform.rewrite import children, postorder
from ingot.plan.program import Draft, Step


@dataclass(frozen=True, slots=True)
class ItemAxis:
    """Of each of the `rounds` equal parts of this axis, item `i` of a value has the places `i * each` to `(i + 1) * each - 1`."""

    axis: int
    each: int = 1
    rounds: int = 1


@dataclass(frozen=True, slots=True)
class Mixed:
    """Why items are not independent: what a step does, and the names of the ONNX nodes that it stands for (none: the ends of the
    model).
    """

    why: str
    nodes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{' and '.join(self.nodes)}: {self.why}" if self.nodes else self.why


class _MixingError(Exception):
    """Raised where items meet."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def item_axes(draft: Draft, inputs: Mapping[str, int], count: int) -> Mapping[str, ItemAxis] | Mixed:
    """The axis that has the items, for each value of which items differ; or what mixes them.

    Args:
        draft: as it was lowered: nothing is fused.
        inputs: the axis of each input that has items.
        count: how many items the draft was lowered for; at least 2, so that an axis of items is not like one of extent 1.
    """
    axes_of: dict[str, ItemAxis] = {name: ItemAxis(axis) for name, axis in inputs.items()}
    for step in draft.steps:
        try:
            axes = _Following(draft, step, axes_of, count).outputs()
        except _MixingError as error:
            return Mixed(error.why, step.nodes)
        axes_of |= {name: axis for name, axis in zip(step.outputs, axes, strict=True) if axis is not None}
    for name in draft.outputs:
        if name not in axes_of:
            return Mixed(f"the output {name!r} is the same for all items")
        if axes_of[name].rounds > 1:
            return Mixed(f"the output {name!r} has parts of an item apart")
    return axes_of


@dataclass(frozen=True, slots=True)
class _Following:
    """One step, and the axes of items that are known before it."""

    draft: Draft
    step: Step
    axes_of: Mapping[str, ItemAxis]
    count: int

    def outputs(self) -> Sequence[ItemAxis | None]:
        given = [self.axes_of.get(name) for name in self.step.inputs]
        if not any(given):
            return [None] * len(self.step.outputs)
        match self.step.definition:
            case Pointwise() as definition:
                return [self._pointwise(definition, given)]
            case Reshape() as definition:
                return [self._reshape(definition, given[0])]
            case Template() as definition:
                return self._template(definition, given)
            case definition:
                raise _MixingError(f"{definition.name} does not say what it does with items")

    def _pointwise(self, definition: Pointwise, given: Sequence[ItemAxis | None]) -> ItemAxis:
        numbers = {formal.name: number for number, formal in enumerate(definition.inputs)}
        nodes = postorder(definition.value)
        reads = [(node, given[numbers[node.buffer.name]]) for node in nodes if isinstance(node, Load)]
        wanted = [(node.index[axis.axis], axis.each, axis.rounds) for node, axis in reads if axis is not None]
        if not wanted:
            raise _MixingError("it reads no item")
        at, each, rounds = wanted[0]
        if not isinstance(at, Var) or at not in definition.index:
            raise _MixingError("an item of the result reads others")
        if any(other != at or (size, times) != (each, rounds) for other, size, times in wanted):
            raise _MixingError("an item of the result reads two items")
        axis = ItemAxis(definition.index.index(at), each, rounds)
        self._require_places(definition.output, axis)
        for node, has in reads:
            if has is None:
                self._require_equal_places(self.step.inputs[numbers[node.buffer.name]], node, at)
        if _uses_number(definition.value, at, given, numbers):
            raise _MixingError("the result depends on the number of the item")
        return axis

    def _require_places(self, type_: TensorType, axis: ItemAxis) -> None:
        places = type_.shape[axis.axis]
        if places != self.count * axis.each * axis.rounds:
            raise _MixingError(f"the result has {places} places for {self.count} items")

    def _require_equal_places(self, name: str, node: Load, at: Var) -> None:
        """A value without items may be read at the item's number where it is the same for all."""
        for axis, part in enumerate(node.index):
            if part == at and not self._is_uniform(name, axis):
                raise _MixingError(f"{name!r} has other values for other items")

    def _is_uniform(self, name: str, axis: int) -> bool:
        array = self.draft.constants.get(name)
        return array is not None and _all_equal(array, axis)

    def _reshape(self, definition: Reshape, given: ItemAxis | None) -> ItemAxis:
        assert given is not None
        old, new = definition.input.shape, definition.output.shape
        before, inside = (
            math.prod(old[: given.axis]) * given.rounds,
            given.each * math.prod(old[given.axis + 1 :]),
        )
        fitting: list[ItemAxis] = []
        for axis, extent in enumerate(new):
            rounds, rest = divmod(before, max(math.prod(new[:axis]), 1))
            each, apart = divmod(extent, max(rounds * self.count, 1))
            if not rest and not apart and rounds and each * math.prod(new[axis + 1 :]) == inside:
                fitting.append(ItemAxis(axis, each, rounds))
        if fitting:
            return min(fitting, key=lambda candidate: candidate.rounds)
        raise _MixingError(f"a reshape from {list(old)} to {list(new)} takes items apart")

    def _template(self, definition: Template, given: Sequence[ItemAxis | None]) -> Sequence[ItemAxis | None]:
        for way in definition.independent:
            if all(has is None or has.axis == axis for has, axis in zip(given, way.inputs, strict=True)):
                return self._along(definition, way, given)
        places = ", ".join(str(has.axis) for has in given if has is not None)
        raise _MixingError(f"{definition.name.replace('_', ' ')} over axis {places} needs all items together")

    def _along(
        self, definition: Template, way: Independent, given: Sequence[ItemAxis | None]
    ) -> Sequence[ItemAxis | None]:
        parts = {(has.each, has.rounds) for has in given if has is not None}
        if len(parts) > 1:
            raise _MixingError("its inputs have items of different sizes")
        for number, (axis, has) in enumerate(zip(way.inputs, given, strict=True)):
            name = self.step.inputs[number]
            if axis is not None and has is None and not self._is_uniform(name, axis):
                raise _MixingError(f"{name!r} has other values for other items")
        part = parts.pop()
        axes = [None if axis is None else ItemAxis(axis, *part) for axis in way.outputs]
        for item_axis, type_ in zip(axes, definition.outputs, strict=True):
            if item_axis is not None:
                self._require_places(type_, item_axis)
        return axes


def _uses_number(value: Expr, at: Var, given: Sequence[ItemAxis | None], numbers: Mapping[str, int]) -> bool:
    """Whether an expression uses the number of the item for anything but the index of an axis that has the items. Of a value
    without items, `_require_equal_places` has found that all places are equal.
    """
    if value == at:
        return True
    for node in postorder(value):
        if not isinstance(node, Load):
            if any(child == at for child in children(node)):
                return True
            continue
        has = given[numbers[node.buffer.name]]
        if has is not None and any(part == at for axis, part in enumerate(node.index) if axis != has.axis):
            return True
    return False


# ─── two drafts ────────────────────────────────────────────────────────────────────────────────────────────────────────


def differing(
    first: Draft, second: Draft, counts: tuple[int, int], axes: Mapping[str, ItemAxis]
) -> Mixed | None:
    """A difference, besides extents, between two drafts that were lowered for `counts` items; None if there is none.

    Args:
        first: a draft.
        second: another one of the same model.
        counts: how many items they were lowered for, different numbers from 2 on.
        axes: what `item_axes` gives for the first.
    """
    if len(first.steps) != len(second.steps):
        return Mixed(
            f"for {counts[0]} items it is computed in {len(first.steps)} steps, for {counts[1]} in {len(second.steps)}"
        )
    compared = _Compared(counts)
    for mine, its in zip(first.steps, second.steps, strict=True):
        same = (
            _counts_of_operands(mine) == _counts_of_operands(its)
            and compared.are_alike(mine.definition, its.definition)
            and all(
                name in axes or _same_content(first.constants.get(name), second.constants.get(its_name))
                for name, its_name in zip(mine.inputs, its.inputs, strict=True)
            )
        )
        if not same:
            return Mixed(
                f"for {counts[0]} items it computes with other numbers than for {counts[1]}", mine.nodes
            )
        grown = _grown_elsewhere(first, second, (mine, its), axes)
        if grown:
            return Mixed(grown, mine.nodes)
    return None


def _counts_of_operands(step: Step) -> tuple[int, int]:
    return len(step.inputs), len(step.outputs)


def _grown_elsewhere(
    first: Draft, second: Draft, steps: tuple[Step, Step], axes: Mapping[str, ItemAxis]
) -> str:
    """Which extent follows from the number of items, besides those of axes of items; "" if none does.

    Results are looked at, and the operands of steps that compute nothing of items: what is summed over such an extent depends on
    the number of items.
    """
    mine, its = steps
    pairs = list(zip(mine.outputs, its.outputs, strict=True))
    if not any(name in axes for name in mine.outputs):
        pairs += zip(mine.inputs, its.inputs, strict=True)
    for name, its_name in pairs:
        item_axis = axes[name].axis if name in axes else None
        shape, other = first.stated(name).shape, second.stated(its_name).shape
        for axis, extents in enumerate(zip(shape, other, strict=True)):
            if axis != item_axis and extents[0] != extents[1]:
                return f"axis {axis} of {name!r} follows from the number of items too"
    return ""


def _same_content(first: np.ndarray | None, second: np.ndarray | None) -> bool:
    """Whether constants are equal, but for axes of different extents along which each of them has equal places."""
    if first is None or second is None:
        return first is second
    if first.dtype != second.dtype or first.ndim != second.ndim:
        return False
    for axis, (extent, its) in enumerate(zip(first.shape, second.shape, strict=True)):
        if extent != its:
            if not (_all_equal(first, axis) and _all_equal(second, axis)):
                return False
            first, second = first.take([0], axis), second.take([0], axis)
    return bool((_bits(first) == _bits(second)).all())


def _all_equal(array: np.ndarray, axis: int) -> bool:
    bits = _bits(array)
    return bool((bits == bits.take([0], axis)).all())


def _bits(array: np.ndarray) -> np.ndarray:
    """The bytes of each element, in a last axis: a NaN is equal to itself, and 0 is not -0."""
    dense = np.ascontiguousarray(array)
    return dense.view(np.uint8).reshape(*array.shape, array.itemsize)


@dataclass(frozen=True, slots=True)
class _Compared:
    """Compares what two drafts compute. Numbers that are extents may be in the ratio of the numbers of items."""

    counts: tuple[int, int]

    def are_alike(self, first: Any, second: Any) -> bool:
        match first, second:
            case Pointwise(), Pointwise():
                return self._types(
                    (*(formal.type for formal in first.inputs), first.output),
                    (*(formal.type for formal in second.inputs), second.output),
                ) and _flat(first) == _flat(second)
            case Reshape(), Reshape():
                return self._types((first.input, first.output), (second.input, second.output))
            case Template(), Template():
                return (
                    first.name == second.name
                    and self._types((*first.inputs, *first.outputs), (*second.inputs, *second.outputs))
                    and self._data(dict(first.spec), dict(second.spec))
                )
        return False

    def _types(self, some: Iterable[TensorType], others: Iterable[TensorType]) -> bool:
        pairs = list(zip_longest(some, others))
        return all(
            first is not None
            and second is not None
            and first.dtype is second.dtype
            and self._data(first.shape, second.shape)
            for first, second in pairs
        )

    def _data(self, first: Any, second: Any) -> bool:
        """Whether plain data are equal, but for whole numbers in the ratio of the numbers of items."""
        if type(first) is not type(second):
            return False
        if isinstance(first, TensorType):
            return first.dtype is second.dtype and self._data(first.shape, second.shape)
        if isinstance(first, dict):
            return first.keys() == second.keys() and all(self._data(first[key], second[key]) for key in first)
        if isinstance(first, list | tuple):
            return len(first) == len(second) and all(map(self._data, first, second))
        if isinstance(first, int) and not isinstance(first, bool):
            return bool(first == second or first * self.counts[1] == second * self.counts[0])
        if isinstance(first, np.ndarray):
            return bool(np.array_equal(first, second))
        if is_dataclass(first):
            return all(
                self._data(getattr(first, each.name), getattr(second, each.name)) for each in fields(first)
            )
        return bool(first == second)


def _flat(definition: Pointwise) -> list[tuple[object, ...]]:
    """An expression as a list: each node once, with the places of its operands in the list."""
    formals = {formal.name: number for number, formal in enumerate(definition.inputs)}
    places: dict[int, int] = {}
    flat: list[tuple[object, ...]] = []
    for node in postorder(definition.value):
        places[id(node)] = len(flat)
        flat.append((type(node), *_own(node, formals), *(places[id(child)] for child in children(node))))
    return flat


def _own(node: Expr, formals: Mapping[str, int]) -> tuple[object, ...]:
    """What a node says besides its operands."""
    match node:
        case Const():
            return repr(node.value), node.dtype
        case Var():
            return node.name, node.dtype
        case Load():
            return (formals[node.buffer.name],)
    named = (getattr(node, name, None) for name in ("op", "function", "dtype", "signed", "narrow"))
    return tuple(named)
