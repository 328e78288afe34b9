"""Constant tables of positions in a draft with room: what reads other places by them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingot.base.tensor import DType
from ingot.kernels.template import Pointwise
from ingot.loops.nodes import Binary, Const, Expr, Load, Var, cast, minimum
from ingot.loops.transform.rewrite import Rewriter, postorder

Array = np.ndarray
# Of the index of an element the parts that are known: such as which of the indices of a place it is.
_Part = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """A definition and those of its inputs that are constant, by the number of the input."""

    definition: Pointwise
    constants: Mapping[int, Array]


@dataclass(frozen=True, slots=True)
class Affine:
    """`first + Σ steps[axis] · index[axis]`."""

    first: int
    steps: tuple[int, ...]


def written_out(own: Tables, others: Sequence[Tables]) -> tuple[tuple[Pointwise, ...], Sequence[int]]:
    """Puts the numbers `first + Σ step · index` in the place of tables of positions that have these. Exporters make such tables
    where they pick by index what is a slice, or one value for each row.

    Args:
        own: a definition.
        others: the same for other sizes.

    Returns:
        The definitions, the own first; and which inputs of them are left.
    """
    every = (own, *others)
    forms: dict[int, Mapping[_Part, Sequence[Affine]]] = {}
    for number in own.constants:
        its = _forms(number, every)
        if its is not None:
            forms[number] = its
    left = [number for number in range(len(own.definition.inputs)) if number not in forms]
    written = (_written(tables.definition, forms, at) for at, tables in enumerate(every))
    return tuple(
        replace(definition, inputs=tuple(definition.inputs[number] for number in left))
        for definition in written
    ), left


def _forms(number: int, every: Sequence[Tables]) -> Mapping[_Part, Sequence[Affine]] | None:
    """What each part of a table that is read has for each size; None if the table is none of positions, or has other numbers."""
    if not all(number in tables.constants and _are_positions(tables.definition, number) for tables in every):
        return None
    parts = [{_part(node.index) for node in _reads(tables.definition, number)} for tables in every]
    forms: dict[_Part, Sequence[Affine]] = {}
    for part in parts[0]:
        its = [form for tables in every if (form := _affine(tables.constants[number], part)) is not None]
        if len(its) < len(every) or len({len(form.steps) for form in its}) > 1:
            return None
        forms[part] = its
    return forms if all(other == parts[0] for other in parts) else None


def _part(index: Sequence[Expr]) -> _Part:
    return tuple(int(place.value) if isinstance(place, Const) else None for place in index)


def _reads(definition: Pointwise, number: int) -> Sequence[Load]:
    name = definition.inputs[number].name
    return [
        node for node in postorder(definition.value) if isinstance(node, Load) and node.buffer.name == name
    ]


def _are_positions(definition: Pointwise, number: int) -> bool:
    """Whether an input is read, and only to find out what else is."""
    inside = {
        id(node)
        for outer in postorder(definition.value)
        if isinstance(outer, Load)
        for place in outer.index
        for node in postorder(place)
    }
    reads = _reads(definition, number)
    return bool(reads) and all(id(node) in inside for node in reads)


def _affine(table: Array, part: _Part) -> Affine | None:
    """The form of a part of a table of more than one whole number; None if it has none."""
    if table.dtype.kind not in "iu" or table.size < 2:
        return None
    return affine_form(table[tuple(slice(None) if place is None else place for place in part)])


def affine_form(array: Array) -> Affine | None:
    """The form of whole numbers, of any type; None if they have none."""
    corner = (0,) * array.ndim
    first = int(array[corner])
    steps = [
        int(array[(*corner[:axis], 1, *corner[axis + 1 :])]) - first if extent > 1 else 0
        for axis, extent in enumerate(array.shape)
    ]
    expected: Array = np.full((1,) * array.ndim, first, np.int64)
    for axis, step in enumerate(steps):
        along = np.arange(array.shape[axis], dtype=np.int64) * step
        expected = expected + along.reshape([-1 if at == axis else 1 for at in range(array.ndim)])
    return Affine(first, tuple(steps)) if np.array_equal(array, expected) else None


def _written(
    definition: Pointwise, forms: Mapping[int, Mapping[_Part, Sequence[Affine]]], at: int
) -> Pointwise:
    by_name = {definition.inputs[number].name: its for number, its in forms.items()}
    if not by_name:
        return definition

    def instead(node: Expr) -> Expr | None:
        if not isinstance(node, Load) or node.buffer.name not in by_name:
            return None
        every = by_name[node.buffer.name][_part(node.index)]
        return cast(
            _sum(every[at], every, [place for place in node.index if not isinstance(place, Const)]),
            node.dtype,
        )

    return replace(definition, value=Rewriter(instead)(definition.value))


def _sum(own: Affine, every: Sequence[Affine], index: Sequence[Expr]) -> Expr:
    """The numbers as an expression. It has the same nodes for all sizes: what differs is not left out where it is 0 or 1."""
    total: Expr | None = None
    for axis, place in enumerate(index):
        steps = {form.steps[axis] for form in every}
        if steps == {0}:
            continue
        step = Const(own.steps[axis], DType.INT64)
        term = place * step if len(steps) == 1 else Binary("mul", place, step)
        total = term if total is None else total + term
    first = Const(own.first, DType.INT64)
    if total is None:
        return first
    return total + first if len({form.first for form in every}) == 1 else Binary("add", total, first)


def kept_within(own: Tables, others: Sequence[Tables]) -> tuple[tuple[Pointwise, ...], Collection[int]]:
    """Reads tables of whole numbers with the largest number of each size as the upper bound, where a smaller size has the
    beginning of the largest one's table but for this bound: as the neighbour of a place is the last one where there is no next.

    Returns:
        The definitions, the own first; and of which inputs the table for the largest size is right for all.
    """
    every = (own, *others)
    bound = [number for number in own.constants if _is_bounded(number, every)]
    return tuple(_within(tables, bound) for tables in every), bound


def _is_bounded(number: int, every: Sequence[Tables]) -> bool:
    own = every[0].constants[number]
    if own.dtype.kind not in "iu" or own.size < 2:
        return False
    arrays = [tables.constants.get(number) for tables in every[1:]]
    beginnings = [
        (own[tuple(slice(0, extent) for extent in array.shape)], array)
        for array in arrays
        if array is not None and array.ndim == own.ndim and array.size
    ]
    alike = all(array.shape == part.shape for part, array in beginnings)
    if len(beginnings) < len(arrays) or not alike or not _goes_up(own, [array for _, array in beginnings]):
        return False
    return all(np.array_equal(np.minimum(part, array.max()), array) for part, array in beginnings) and any(
        not np.array_equal(part, array) for part, array in beginnings
    )


def _goes_up(own: Array, others: Sequence[Array]) -> bool:
    """Whether a table grows with the size along one axis, and its numbers go up from 0 along it: for a smaller size only the
    last of them can be beyond the bound.
    """
    grown = {axis for array in others for axis in range(own.ndim) if array.shape[axis] != own.shape[axis]}
    return len(grown) == 1 and bool((np.diff(own, axis=next(iter(grown))) >= 0).all()) and int(own.min()) == 0


def _within(tables: Tables, bound: Collection[int]) -> Pointwise:
    tops = {tables.definition.inputs[number].name: int(tables.constants[number].max()) for number in bound}
    if not tops:
        return tables.definition

    def instead(node: Expr) -> Expr | None:
        top = tops.get(node.buffer.name) if isinstance(node, Load) else None
        return None if top is None else minimum(node, Const(top, node.dtype))

    return replace(tables.definition, value=Rewriter(instead)(tables.definition.value))


def bounded(tables: Tables) -> tuple[Expr, Mapping[Var, tuple[int, int]]]:
    """The expression of a definition with a variable for each element of a table of whole numbers, and the bounds of each."""
    names = {
        tables.definition.inputs[number].name: array
        for number, array in tables.constants.items()
        if array.dtype.kind in "iu" and array.size
    }
    intervals: dict[Var, tuple[int, int]] = {}

    def instead(node: Expr) -> Expr | None:
        if not isinstance(node, Load) or node.buffer.name not in names:
            return None
        array = names[node.buffer.name]
        variable = Var(f"{node.buffer.name}.{len(intervals)}", node.dtype)
        intervals[variable] = (int(array.min()), int(array.max()))
        return variable

    return Rewriter(instead)(tables.definition.value), intervals
