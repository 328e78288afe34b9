"""Whether each place of a value that was folded from shapes has one content for all sizes: only how many places there are varies.

A causal mask is so: whether place 3 sees place 2 does not depend on how many more places follow. Then a program for the largest
size has in its constants what every smaller size needs, at the same places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.graph.evaluate.derived import Computed
from ingot.graph.read.definitions import definitions_of

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Places:
    """What is known of an operand of a node.

    Attributes:
        is_fixed: each of its places has one content for all sizes.
        is_plain: it does not follow from the sizes at all.
        is_index: no element is negative, for any size.
        content: for one of two sizes, if it is known.
        other: for the other size.
    """

    is_fixed: bool
    is_plain: bool
    is_index: bool
    content: Array | None
    other: Array | None


def has_fixed_places(entry: Computed, operands: Sequence[Places], results: tuple[Array, Array]) -> bool:
    """Whether each place of the result of a node has one content for all sizes, because of what its operands are.

    Args:
        entry: the node.
        operands: what its inputs are; a `Slice` takes one part for all sizes.
        results: what it gives for two sizes.
    """
    rule = _rule_of(entry.operator)
    return rule is not None and bool(operands) and rule(entry, operands, results)


def _rule_of(operator: str) -> Rule | None:
    definitions = definitions_of("", operator)
    is_by_element = bool(definitions) and definitions[-1].element is not None
    return _by_element if is_by_element else _RULES.get(operator)


def _by_element(_entry: Computed, operands: Sequence[Places], _results: tuple[Array, Array]) -> bool:
    """Each element of the result follows from the elements at its own place alone."""
    return all(operand.is_fixed for operand in operands)


def _others_are_plain(_entry: Computed, operands: Sequence[Places], _results: tuple[Array, Array]) -> bool:
    return operands[0].is_fixed and all(operand.is_plain for operand in operands[1:])


def _first_is_fixed(_entry: Computed, operands: Sequence[Places], _results: tuple[Array, Array]) -> bool:
    return operands[0].is_fixed


def _always(_entry: Computed, _operands: Sequence[Places], _results: tuple[Array, Array]) -> bool:
    return True


def _counted(_entry: Computed, operands: Sequence[Places], _results: tuple[Array, Array]) -> bool:
    """From one number on, by one step, to an end that may vary."""
    return operands[0].is_plain and operands[2].is_plain


def _reshaped(_entry: Computed, operands: Sequence[Places], results: tuple[Array, Array]) -> bool:
    """Extents of 1 come and go, all others stay where they are."""
    given = operands[0]
    if not given.is_fixed or given.content is None or given.other is None:
        return False
    pairs = zip((given.content, given.other), results, strict=True)
    return all(_extents(array) == _extents(result) for array, result in pairs)


def _extents(array: Array) -> list[int]:
    return [extent for extent in array.shape if extent != 1]


def _joined(entry: Computed, operands: Sequence[Places], results: tuple[Array, Array]) -> bool:
    """Along an axis of which each part has one extent for all sizes."""
    axis = int(entry.attributes.get("axis", 0)) % max(results[0].ndim, 1)
    return all(
        operand.is_fixed
        and operand.content is not None
        and operand.other is not None
        and operand.content.shape[axis] == operand.other.shape[axis]
        for operand in operands
    )


def _picked(_entry: Computed, operands: Sequence[Places], _results: tuple[Array, Array]) -> bool:
    """By positions from the front, where the end varies."""
    table, positions = operands
    return table.is_fixed and positions.is_fixed and (table.is_plain or positions.is_index)


def _part(entry: Computed, operands: Sequence[Places], _results: tuple[Array, Array]) -> bool:
    """From one place from the front on, forwards."""
    starts, _, _, steps = (*(content for _, content in entry.parameters), None, None, None)[:4]
    varying = [operand for at, operand in enumerate(operands) if at != 2 and not operand.is_plain]
    return (
        operands[0].is_fixed
        and all(operand is operands[0] for operand in varying)
        and starts is not None
        and bool((starts >= 0).all())
        and (steps is None or bool((steps > 0).all()))
    )


Rule = Callable[[Computed, Sequence[Places], tuple[Array, Array]], bool]
_RULES: Mapping[str, Rule] = {
    "And": _by_element,
    "Cast": _by_element,
    "Concat": _joined,
    "ConstantOfShape": _always,
    "Equal": _by_element,
    "Expand": _first_is_fixed,
    "Gather": _picked,
    "Greater": _by_element,
    "GreaterOrEqual": _by_element,
    "Identity": _first_is_fixed,
    "Less": _by_element,
    "LessOrEqual": _by_element,
    "Not": _by_element,
    "Or": _by_element,
    "Range": _counted,
    "Reshape": _reshaped,
    "Slice": _part,
    "Squeeze": _others_are_plain,
    "Transpose": _others_are_plain,
    "Trilu": _others_are_plain,
    "Unsqueeze": _others_are_plain,
    "Where": _by_element,
    "Xor": _by_element,
}
