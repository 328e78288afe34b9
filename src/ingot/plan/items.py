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
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from ingot.base.tensor import TensorType
from ingot.kernels.template import Independent, Pointwise, Reshape, Template
from ingot.loops.nodes import Const, Expr, Load, Var
from ingot.loops.transform.rewrite import children, postorder
from ingot.plan.program import Draft, Step
from ingot.plan.uniform import (
    Uniform,
    all_equal,
    have_same_bytes,
    of_first_item,
    parts_after,
    splits_of,
    steps_along,
)


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


def item_axes(
    draft: Draft, inputs: Mapping[str, int], count: int, grown: Mapping[str, int]
) -> Mapping[str, ItemAxis] | Mixed:
    """The axis that has the items, for each value of which items differ; or what mixes them. An output that is the same for all
    items has none.

    Args:
        draft: as it was lowered: nothing is fused.
        inputs: the axis of each input that has items.
        count: how many items the draft was lowered for; at least 2, so that an axis of items is not like one of extent 1.
        grown: what `grown_axes` gives for it and a draft for another number of items.
    """
    axes_of: dict[str, ItemAxis] = {name: ItemAxis(axis) for name, axis in inputs.items()}
    uniform = Uniform(draft)
    for step in draft.steps:
        try:
            axes = _Following(draft, step, axes_of, count, grown, uniform).outputs()
        except _MixingError as error:
            return Mixed(error.why, step.nodes)
        axes_of |= {name: axis for name, axis in zip(step.outputs, axes, strict=True) if axis is not None}
    if not axes_of.keys() & set(draft.outputs):
        return Mixed("all outputs are the same for all items")
    for name in draft.outputs:
        if name in axes_of and axes_of[name].rounds > 1:
            return Mixed(f"the output {name!r} has parts of an item apart")
    return axes_of


@dataclass(frozen=True, slots=True)
class _Following:
    """One step, and the axes of items that are known before it."""

    draft: Draft
    step: Step
    axes_of: Mapping[str, ItemAxis]
    count: int
    grown: Mapping[str, int]
    uniform: Uniform

    def outputs(self) -> Sequence[ItemAxis | None]:
        given = [self.axes_of.get(name) for name in self.step.inputs]
        return self._followed(given) if any(given) else self._of_copies()

    def _of_copies(self) -> Sequence[ItemAxis | None]:
        """The axes of what is the same for all items, but was copied for each."""
        given = [self._copies(name) if name in self.draft.constants else None for name in self.step.inputs]
        if any(given):
            with suppress(_MixingError):  # then it may be known of the results
                return self._followed(given)
        return [self._copies(name) for name in self.step.outputs]

    def _followed(self, given: Sequence[ItemAxis | None]) -> Sequence[ItemAxis | None]:
        match self.step.definition:
            case Pointwise() as definition:
                return [self._pointwise(definition, given)]
            case Reshape() as definition:
                return [self._reshape(definition, given[0])]
            case Template() as definition:
                return self._template(definition, given)
            case definition:
                raise _MixingError(f"{definition.name} does not say what it does with items")

    def _copies(self, name: str) -> ItemAxis | None:
        """The axis of a value that was copied for each item, such as rows of weights that were expanded."""
        axis = self.grown.get(name)
        if axis is None:
            return None
        places, rest = divmod(self.draft.stated(name).shape[axis], self.count)
        splits = [] if rest else splits_of(places)
        copied = (split for split in splits if self.uniform.along(name, axis, *split))
        return next((ItemAxis(axis, each, rounds) for each, rounds in copied), None)

    def _pointwise(self, definition: Pointwise, given: Sequence[ItemAxis | None]) -> ItemAxis:
        numbers = {formal.name: number for number, formal in enumerate(definition.inputs)}
        nodes = postorder(definition.value)
        reads = [(node, numbers[node.buffer.name]) for node in nodes if isinstance(node, Load)]
        places = [(node, has) for node, number in reads if (has := given[number]) is not None]
        if not places:
            raise _MixingError("it reads no item")
        read_at = [self._read_at(node.index[has.axis], has, numbers) for node, has in places]
        at, each, rounds = read_at[0]
        if at not in definition.index:
            raise _MixingError("an item of the result reads others")
        if any(other != read_at[0] for other in read_at):
            raise _MixingError("an item of the result reads two items")
        axis = ItemAxis(definition.index.index(at), each, rounds)
        self._require_places(definition.output, axis)
        chosen = {id(part) for node, has in places if isinstance(part := node.index[has.axis], Load)}
        for node, number in reads:
            if given[number] is None and id(node) not in chosen:
                self._require_equal_places(self.step.inputs[number], node, at)
        if _uses_number(definition.value, at, given, numbers, chosen):
            raise _MixingError("the result depends on the number of the item")
        return axis

    def _read_at(self, part: Expr, has: ItemAxis, numbers: Mapping[str, int]) -> tuple[Var, int, int]:
        """The variable that says which item is read by this index of its axis, and `each` and `rounds` of the result."""
        if isinstance(part, Var):
            return part, has.each, has.rounds
        if isinstance(part, Load) and has.rounds == 1:
            table = self.draft.constants.get(self.step.inputs[numbers[part.buffer.name]])
            at = None if table is None else _numbering(table, part.index, has.each)
            if at is not None:
                return at, 1, 1
        raise _MixingError("an item of the result reads others")

    def _require_places(self, type_: TensorType, axis: ItemAxis) -> None:
        places = type_.shape[axis.axis]
        if places != self.count * axis.each * axis.rounds:
            raise _MixingError(f"the result has {places} places for {self.count} items")

    def _require_equal_places(self, name: str, node: Load, at: Var) -> None:
        """A value without items may be read at the item's number where it is the same for all."""
        for axis, part in enumerate(node.index):
            if part == at and not self._is_equal_along(name, node, axis):
                raise _MixingError(f"{name!r} has other values for other items")

    def _is_equal_along(self, name: str, node: Load, axis: int) -> bool:
        table = self.draft.constants.get(name)
        if table is None:
            return self.uniform.along(name, axis)
        return all_equal(_part_read(table, node.index), axis)

    def _reshape(self, definition: Reshape, given: ItemAxis | None) -> ItemAxis:
        assert given is not None
        old, new = definition.input.shape, definition.output.shape
        before, inside = (
            math.prod(old[: given.axis]) * given.rounds,
            given.each * math.prod(old[given.axis + 1 :]),
        )
        for part in parts_after(new, before, self.count, inside):
            return ItemAxis(part.axis, part.each, part.rounds)
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
        split = next(iter(parts))
        for number, (axis, has) in enumerate(zip(way.inputs, given, strict=True)):
            name = self.step.inputs[number]
            if axis is not None and has is None and not self.uniform.along(name, axis, *split):
                raise _MixingError(f"{name!r} has other values for other items")
        part = parts.pop()
        axes = [None if axis is None else ItemAxis(axis, *part) for axis in way.outputs]
        for item_axis, type_ in zip(axes, definition.outputs, strict=True):
            if item_axis is not None:
                self._require_places(type_, item_axis)
        return axes


def _uses_number(
    value: Expr,
    at: Var,
    given: Sequence[ItemAxis | None],
    numbers: Mapping[str, int],
    chosen: Collection[int],
) -> bool:
    """Whether an expression uses the number of the item for anything but the index of an axis that has the items. `chosen` are
    such indices, by id, that a table gives: they may be used for nothing else either. Of a value without items,
    `_require_equal_places` has found that all places are equal.
    """
    if value == at or id(value) in chosen:
        return True
    for node in postorder(value):
        has = given[numbers[node.buffer.name]] if isinstance(node, Load) else None
        for axis, child in enumerate(children(node)):
            is_item = has is not None and axis == has.axis
            if id(child) in chosen and not is_item:
                return True
            if child == at and not is_item and (has is not None or not isinstance(node, Load)):
                return True
    return False


def _numbering(table: np.ndarray, index: Sequence[Expr], each: int) -> Var | None:
    """The variable that says to which item the places belong that a table gives at an index: those of item
    `i` are from `i * each` to `i * each + each - 1`. None if there is no such variable.
    """
    part = _part_read(table, index)
    axes = [axis for axis, at in enumerate(index) if isinstance(at, Var) and _goes_up(part, axis, each)]
    if len(axes) != 1:
        return None
    at, first = index[axes[0]], part.take(0, axes[0])
    others = [other for axis, other in enumerate(index) if axis != axes[0]]
    if any(node == at for other in others for node in postorder(other)):
        return None
    return at if isinstance(at, Var) and first.min() >= 0 and first.max() < each else None


def _goes_up(table: np.ndarray, axis: int, step: int) -> bool:
    steps = steps_along(table, axis)
    return steps is not None and bool((steps == step).all())


def _part_read(table: np.ndarray, index: Sequence[Expr]) -> np.ndarray:
    """The part of a table that an index reads: of axes with a constant index only that place."""
    for axis, part in enumerate(index):
        if isinstance(part, Const) and 0 <= int(part.value) < table.shape[axis]:
            table = table.take([int(part.value)], axis)
    return table


# ─── two drafts ────────────────────────────────────────────────────────────────────────────────────────────────────────


def grown_axes(first: Draft, second: Draft) -> Mapping[str, int]:
    """The axis of each value of the first draft that has another extent in the second, if it is one."""
    if len(first.steps) != len(second.steps):
        return {}
    pairs = [
        pair
        for mine, its in zip(first.steps, second.steps, strict=True)
        for pair in zip((*mine.inputs, *mine.outputs), (*its.inputs, *its.outputs), strict=False)
    ]
    axes = {names[0]: _grown_axes((first, second), names) for names in pairs}
    return {name: grown[0] for name, grown in axes.items() if len(grown) == 1}


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
    compared, uniform = _Compared(counts), (Uniform(first), Uniform(second))
    for mine, its in zip(first.steps, second.steps, strict=True):
        same = (
            _counts_of_operands(mine) == _counts_of_operands(its)
            and compared.are_alike(mine.definition, its.definition)
            and all(
                name in axes
                or _same_content(first.constants.get(name), second.constants.get(its_name), counts)
                for name, its_name in zip(mine.inputs, its.inputs, strict=True)
            )
        )
        if not same:
            return Mixed(
                f"for {counts[0]} items it computes with other numbers than for {counts[1]}", mine.nodes
            )
        grown = _grown_elsewhere((first, second), (mine, its), axes, uniform)
        if grown:
            return Mixed(grown, mine.nodes)
    return None


def _counts_of_operands(step: Step) -> tuple[int, int]:
    return len(step.inputs), len(step.outputs)


def _grown_elsewhere(
    drafts: tuple[Draft, Draft],
    steps: tuple[Step, Step],
    axes: Mapping[str, ItemAxis],
    uniform: tuple[Uniform, Uniform],
) -> str:
    """Which extent follows from the number of items, besides those of axes of items; "" if none does.

    A value without items may grow where all its places are equal, as far as nothing sums over them: a template has to be
    independent along what grows.
    """
    mine, its = steps
    read, computed = (
        [_grown_axes(drafts, pair) for pair in zip(some, others, strict=True)]
        for some, others in ((mine.inputs, its.inputs), (mine.outputs, its.outputs))
    )
    for name, its_name, grown in zip(mine.outputs, its.outputs, computed, strict=True):
        for axis in grown:
            if name in axes:
                may_grow = axis == axes[name].axis
            else:
                may_grow = uniform[0].along(name, axis) and uniform[1].along(its_name, axis)
            if not may_grow:
                return f"axis {axis} of {name!r} follows from the number of items too"
    if isinstance(mine.definition, Template) and not _is_independent(mine.definition, read, computed):
        pairs = zip((*mine.inputs, *mine.outputs), (*read, *computed), strict=True)
        name, grown = next((name, grown) for name, grown in pairs if grown)
        return f"axis {grown[0]} of {name!r} follows from the number of items too"
    return ""


def _grown_axes(drafts: tuple[Draft, Draft], names: tuple[str, str]) -> list[int]:
    """The axes of a value that have other extents in the other draft."""
    shape, other = (draft.stated(name).shape for draft, name in zip(drafts, names, strict=True))
    if len(shape) != len(other):
        return []
    return [axis for axis, extents in enumerate(zip(shape, other, strict=True)) if extents[0] != extents[1]]


def _is_independent(
    definition: Template, read: Sequence[Sequence[int]], computed: Sequence[Sequence[int]]
) -> bool:
    """Whether no operand grows, or a template is independent along all axes that grow."""
    return not any((*read, *computed)) or any(
        all(
            set(grown) <= {axis}
            for grown, axis in zip((*read, *computed), (*way.inputs, *way.outputs), strict=True)
        )
        for way in definition.independent
    )


def _same_content(first: np.ndarray | None, second: np.ndarray | None, counts: tuple[int, int]) -> bool:
    """Whether constants are equal, but for axes of different extents along which each of them has equal places, goes up by the
    same step, or has the same places for each item.
    """
    if first is None or second is None:
        return first is second
    if first.dtype != second.dtype or first.ndim != second.ndim:
        return False
    for axis, (extent, its) in enumerate(zip(first.shape, second.shape, strict=True)):
        if extent != its:
            is_uniform = all_equal(first, axis) and all_equal(second, axis)
            if not is_uniform and not _go_up_alike(first, second, axis):
                return _have_same_items(first, second, axis, counts)
            first, second = first.take([0], axis), second.take([0], axis)
    return have_same_bytes(first, second)


def _have_same_items(first: np.ndarray, second: np.ndarray, axis: int, counts: tuple[int, int]) -> bool:
    """Whether constants that have other extents in one axis alone have the same places for each item along it."""
    places, rest = divmod(first.shape[axis], counts[0])
    if rest or second.shape[axis] != places * counts[1]:
        return False
    for each, rounds in splits_of(places):
        parts = [
            of_first_item(array, axis, count, each, rounds)
            for array, count in zip((first, second), counts, strict=True)
        ]
        mine, its = parts
        if mine is not None and its is not None and have_same_bytes(mine, its):
            return True
    return False


def _go_up_alike(first: np.ndarray, second: np.ndarray, axis: int) -> bool:
    steps, its = steps_along(first, axis), steps_along(second, axis)
    return steps is not None and its is not None and np.array_equal(steps, its)


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
                ) and flat(first) == flat(second)
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


def flat(definition: Pointwise) -> list[tuple[object, ...]]:
    """An expression as a list: each node once, with the places of its operands in the list."""
    formals = {formal.name: number for number, formal in enumerate(definition.inputs)}
    places: dict[int, int] = {}
    entries: list[tuple[object, ...]] = []
    for node in postorder(definition.value):
        places[id(node)] = len(entries)
        entries.append((type(node), *_own(node, formals), *(places[id(child)] for child in children(node))))
    return entries


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
