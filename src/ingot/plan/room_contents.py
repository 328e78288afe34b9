"""Constants of a draft with room whose contents follow from a size: as expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import DType
from ingot.loops.nodes import Buffer, Const, Expr, cast, compare, index, select
from ingot.plan.room_numbers import Extents, Sample, expression_of
from ingot.plan.room_tables import Affine, affine_form
from ingot.plan.uniform import have_same_bytes

Array = np.ndarray
# A constant that has one shape for all sizes, such as a shape itself, may have so many elements.
FEW = 16
# Floats that are whole numbers are exact up to here.
_WHOLE_MAX = 1 << 24


def contents_of_size(
    array: Array, others: Sequence[Sample[Array]], extents: Extents, sizes: Buffer, where: Sequence[Expr]
) -> Expr | None:
    """An element of a constant as an expression of the sizes and of the index; None if its contents follow from a size otherwise.

    Raises:
        Refused: a number follows from the sizes in a way that is not followed.
    """
    if array.size <= FEW and all(sample.its.shape == array.shape for sample in others):
        return _one_of_few(array, others, extents, sizes, where)
    value = _by_index(array, others, extents, sizes, where)
    return _by_step(array, others, extents, sizes, where) if value is None else value


def _one_of_few(
    array: Array, others: Sequence[Sample[Array]], extents: Extents, sizes: Buffer, where: Sequence[Expr]
) -> Expr | None:
    number, dtype = index(0), DType.from_numpy(array.dtype)
    for part, extent in zip(where, array.shape, strict=True):
        number = number * extent + part
    value: Expr | None = None
    for at in reversed(range(array.size)):
        elements = [Sample(sample.dim, sample.size, sample.its.reshape(-1)[at].item()) for sample in others]
        element = _number(array.reshape(-1)[at].item(), elements, dtype, extents, sizes)
        value = element if value is None else select(compare("eq", number, at), element, value)
    return value


def _number(
    own: int | float | bool,
    others: Sequence[Sample[int | float | bool]] | Sequence[Sample[int]],
    dtype: DType,
    extents: Extents,
    sizes: Buffer,
) -> Expr:
    consts = [Sample(sample.dim, sample.size, Const(sample.its, dtype)) for sample in others]
    number = Const(own, dtype)
    return expression_of(number, consts, extents, sizes) or number


def _by_index(
    array: Array, others: Sequence[Sample[Array]], extents: Extents, sizes: Buffer, where: Sequence[Expr]
) -> Expr | None:
    """Of a constant that goes up or down by the same steps."""
    own = _form(array)
    forms = [
        Sample(sample.dim, sample.size, form)
        for sample in others
        if (form := _form(sample.its)) is not None and sample.its.ndim == array.ndim
    ]
    if own is None or len(forms) < len(others):
        return None
    return cast(_affine(own, forms, extents, sizes, where), DType.from_numpy(array.dtype))


def _affine(
    own: Affine, others: Sequence[Sample[Affine]], extents: Extents, sizes: Buffer, where: Sequence[Expr]
) -> Expr:
    """`first + Σ steps[axis] · index[axis]`, whose numbers follow from the sizes."""
    firsts = [Sample(form.dim, form.size, form.its.first) for form in others]
    value = _number(own.first, firsts, DType.INT64, extents, sizes)
    for axis, part in enumerate(where):
        steps = [Sample(form.dim, form.size, form.its.steps[axis]) for form in others]
        value = value + part * _number(own.steps[axis], steps, DType.INT64, extents, sizes)
    return value


@dataclass(frozen=True, slots=True)
class _Stairs:
    """Along an axis, the first places of each row are `before`, and those behind them `behind`, if there are any. How many these
    first ones are is affine in the other parts of the index.
    """

    counts: Affine
    before: int | float | bool
    behind: int | float | bool | None


def _by_step(
    array: Array, others: Sequence[Sample[Array]], extents: Extents, sizes: Buffer, where: Sequence[Expr]
) -> Expr | None:
    """Of a constant that has two contents, such as a causal mask: along one axis the second one begins further on."""
    arrays = [array, *(sample.its for sample in others)]
    for axis in range(array.ndim):
        stairs = [form for each in arrays if (form := _stairs(each, axis)) is not None]
        behind = {form.behind for form in stairs if form.behind is not None}
        if len(stairs) == len(arrays) and len({form.before for form in stairs}) == len(behind) == 1:
            forms = [
                Sample(sample.dim, sample.size, form.counts)
                for sample, form in zip(others, stairs[1:], strict=True)
            ]
            count = _affine(stairs[0].counts, forms, extents, sizes, where)
            dtype = DType.from_numpy(array.dtype)
            contents = (Const(value, dtype) for value in (stairs[0].before, *behind))
            return select(compare("lt", where[axis], count), *contents)
    return None


def _stairs(array: Array, axis: int) -> _Stairs | None:
    if array.ndim == 0 or not array.size:
        return None
    rows = np.moveaxis(array, axis, -1)
    before = rows[(0,) * rows.ndim]
    counts = (rows == before).sum(-1, keepdims=True)
    is_before = np.arange(rows.shape[-1]) < counts
    behind = rows[~is_before][:1]
    expected = np.where(is_before, before, behind[0] if behind.size else before).astype(array.dtype)
    form = affine_form(np.moveaxis(counts, -1, axis))
    if form is None or not have_same_bytes(np.ascontiguousarray(rows), expected):
        return None
    return _Stairs(form, before.item(), behind[0].item() if behind.size else None)


def _form(array: Array) -> Affine | None:
    if array.dtype.kind not in "iuf" or not array.size:
        return None
    if array.dtype.kind != "f":
        return affine_form(array)
    is_whole = np.isfinite(array).all() and (array == np.rint(array)).all()
    return affine_form(array) if is_whole and np.abs(array).max() <= _WHOLE_MAX else None
