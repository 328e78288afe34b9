"""Models with text, sequences or maps whose extents vary: which numbers of the border follow from sizes, and which inputs of the
compiled part have an extent.

A model was lowered for several sizes, and what the host does is the same for all of them but for numbers in shapes. Each of these
must be the same for all sizes, or a factor times the sizes of some extents.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from ingot.artifact.model_info import DimInfo
from ingot.base.errors import UnsupportedError
from ingot.border.program import Border, Numbers, Product
from ingot.border.sizes import numbers_of, with_numbers
from ingot.plan.items import differing
from ingot.plan.program import Draft

Sizes = tuple[int, ...]


def kernel_places(drafts: Mapping[Sizes, Draft], at: int) -> tuple[tuple[str, int], ...]:
    """The inputs of the compiled part that have an extent, and their axes: those that are as long as it in every draft.

    Args:
        drafts: by their sizes, of which some differ in this extent.
        at: the number of the extent.
    """
    first = next(iter(drafts.values()))
    return tuple(
        (name, axis)
        for name in first.inputs
        for axis in range(len(first.stated(name).shape))
        if all(draft.stated(name).shape[axis] == sizes[at] for sizes, draft in drafts.items())
    )


def are_same(first: Draft, second: Draft) -> bool:
    """Whether two drafts compute the same, of inputs of the same types."""
    if (first.inputs, first.outputs) != (second.inputs, second.outputs):
        return False
    if any(first.stated(name) != second.stated(name) for name in (*first.inputs, *first.outputs)):
        return False
    return differing(first, second, (1, 1), {}) is None


def varying_border(
    model: str, borders: Mapping[Sizes, Border], dims: Sequence[DimInfo], own: Sizes
) -> Border:
    """The border of a model for all sizes.

    Args:
        model: its name.
        borders: as they were made for several sizes, in the order of `dims`.
        dims: the extents that vary.
        own: the sizes of the program with the model's own symbol.

    Raises:
        UnsupportedError: what the host does follows from sizes in another way. The message names the step.
    """
    parts = {sizes: numbers_of(border) for sizes, border in borders.items()}
    largest = max(parts)
    rest, lists = parts[largest]
    alike = {sizes: some for sizes, (other, some) in parts.items() if other == rest}
    _require_alike(model, borders, alike, dims, largest)
    numbers: list[Numbers] = []
    for place, (words, shape) in enumerate(lists):
        each = [{sizes: some[place][1][at] for sizes, some in alike.items()} for at in range(len(shape))]
        row = [_number(values, dims) for values in each]
        if None in row:
            values = each[row.index(None)]
            listed = ", ".join(f"{value} for {_words(dims, sizes)}" for sizes, value in values.items())
            raise _refusal(
                model, dims, f"a number of {words} follows from sizes in a way that is not known: {listed}"
            )
        numbers.append(tuple(number for number in row if number is not None))
    return with_numbers(borders[largest], numbers, dict(zip((dim.name for dim in dims), own, strict=True)))


def _require_alike(
    model: str,
    borders: Mapping[Sizes, Border],
    alike: Mapping[Sizes, object],
    dims: Sequence[DimInfo],
    largest: Sizes,
) -> None:
    """Refuses steps that are others for some sizes, except for one item: what is done for several is good for it, too, but passes
    see less to do.
    """
    for sizes in borders.keys() - alike.keys():
        single = [
            at
            for at, dim in enumerate(dims)
            if sizes[at] == 1 and (dim.outputs or not dim.inputs) and len({some[at] for some in alike}) > 1
        ]
        if not single:
            step = _first_other(borders[largest], borders[sizes])
            both = f"{_words(dims, largest)} and for {_words(dims, sizes)}"
            raise _refusal(model, dims, f"what the host does is not the same for {both}: {step}")


def _first_other(border: Border, other: Border) -> str:
    pairs = itertools.zip_longest((*border.front, *border.back), (*other.front, *other.back))
    for step, its in pairs:
        if (
            step is None
            or its is None
            or (step.op, step.inputs, step.outputs) != (its.op, its.inputs, its.outputs)
        ):
            some = [f"{each.op!r} of {', '.join(each.inputs)}" for each in (step, its) if each is not None]
            return f"the step {' or '.join(dict.fromkeys(some))}"
        if dict(step.attributes).get("value") != dict(its.attributes).get("value"):
            return f"the constant {step.outputs[0]!r}"
    return "what is in its inputs and outputs"


def _number(values: Mapping[Sizes, int], dims: Sequence[DimInfo]) -> int | Product | None:
    """What a number is for all sizes; None if it is neither the same nor a product."""
    first = next(iter(values.values()))
    if all(value == first for value in values.values()):
        return first
    for count in range(1, len(dims) + 1):
        for chosen in itertools.combinations(range(len(dims)), count):
            products = {sizes: math.prod(sizes[at] for at in chosen) for sizes in values}
            largest = max(values, key=products.__getitem__)
            factor = values[largest] // max(products[largest], 1)
            if factor > 0 and all(value == factor * products[sizes] for sizes, value in values.items()):
                return Product(factor, tuple(dims[at] for at in chosen))
    return None


def _words(dims: Sequence[DimInfo], sizes: Sizes) -> str:
    return " ".join(f"{dim.name}={size}" for dim, size in zip(dims, sizes, strict=True))


def _refusal(model: str, dims: Sequence[DimInfo], why: str) -> UnsupportedError:
    names = ", ".join(dim.name for dim in dims)
    numbers = ", ".join(f"{dim.name!r}: 1" for dim in dims)
    return UnsupportedError(
        f"model {model!r}: {names} cannot vary: {why}; give a number by dims={{{numbers}}}, on the command line by --dim",
        dims=tuple(dim.name for dim in dims),
    )
