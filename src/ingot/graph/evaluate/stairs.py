"""Comparisons of places with numbers that follow from a size: which places fulfil them is a staircase.

The causal mask of a decoder is one, `k <= past + q`: along the keys the first `past + q + 1` places fulfil it, and the others do
not. It has no fixed content at each place, and still no case: a step in each row moves with the size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingot.graph.evaluate.derived import Computed
from ingot.graph.read.definitions import definitions_of

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Rising:
    """Whole numbers that go up by one from place to place: `first` is the first of each row. How many places there are at both
    ends of the range of sizes.
    """

    first: Array
    places: tuple[float, float]


def is_staircase(
    operator: str, operands: tuple[Rising | None, Rising | None], ends: tuple[Array, Array]
) -> bool:
    """Whether what a comparison gives is a staircase: in each row the step is within the places for all sizes, or for none.

    Args:
        operator: in ONNX's name.
        operands: the one that rises, and None for the other one.
        ends: the other one at both ends of the range of sizes, between which it is a line.
    """
    rising = operands[0] or operands[1]
    rule = (_OF_PLACES if operands[0] is not None else _WITH_PLACES).get(operator)
    if rule is None or rising is None or None not in operands:
        return False
    counts = [rule(end - rising.first) for end in ends]
    within = [(count >= 0) & (count <= places) for count, places in zip(counts, rising.places, strict=True)]
    all_ = [count >= places for count, places in zip(counts, rising.places, strict=True)]
    none = [count <= 0 for count in counts]
    return bool(((within[0] & within[1]) | (all_[0] & all_[1]) | (none[0] & none[1])).all())


def _below(number: Array) -> Array:
    """How many places from 0 on are below a number."""
    return number


def _up_to(number: Array) -> Array:
    """How many places from 0 on are a number or below it."""
    return number + 1


# Of `place op number` and of `number op place`: how many places from the front on have the one answer; the others have the other.
_OF_PLACES = {"Less": _below, "LessOrEqual": _up_to, "Greater": _up_to, "GreaterOrEqual": _below}
_WITH_PLACES = {"Less": _up_to, "LessOrEqual": _below, "Greater": _below, "GreaterOrEqual": _up_to}


def keeps_staircase(entry: Computed, stairs: Sequence[bool], plain: Sequence[bool]) -> bool:
    """Whether the result of a node is a staircase since one operand is: it moves rows as a whole, or changes all elements alike.

    Args:
        entry: the node.
        stairs: which operands are staircases.
        plain: which do not follow from the size.
    """
    if sum(stairs) != 1:
        return False
    definitions = definitions_of("", entry.operator)
    is_by_element = bool(definitions) and definitions[-1].element is not None
    rule = _change_all if is_by_element else _RULES.get(entry.operator)
    return rule is not None and rule(entry, stairs, plain)


def _move(_entry: Computed, stairs: Sequence[bool], _plain: Sequence[bool]) -> bool:
    return stairs[0]


def _change_all(entry: Computed, stairs: Sequence[bool], plain: Sequence[bool]) -> bool:
    """All elements of the other operands are equal."""
    return all(
        is_plain and content is not None and content.size > 0 and bool((content == content.flat[0]).all())
        for is_stair, is_plain, (_, content) in zip(stairs, plain, entry.inputs, strict=True)
        if not is_stair
    )


_RULES = {
    "And": _change_all,
    "Cast": _change_all,
    "Expand": _move,
    "Identity": _move,
    "Not": _change_all,
    "Or": _change_all,
    "Squeeze": _move,
    "Unsqueeze": _move,
    "Where": _change_all,
    "Xor": _change_all,
}
