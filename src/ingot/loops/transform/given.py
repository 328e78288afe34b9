"""What is said of a kernel's parameters in a program with room: how much of them is there, is needed, and has which value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ingot.loops.analyse.before import quotient_up
from ingot.loops.analyse.counts import FILL_MULTIPLE, Count, Limit, needed_axis
from ingot.loops.analyse.of_sizes import OfSizes
from ingot.loops.nodes import Buffer, Expr, Kernel, Load, index
from ingot.loops.transform.rewrite import Rewriter
from ingot.loops.transform.unmask import Masked


class Given:
    """What is said of a kernel's parameters, and what follows."""

    def __init__(self, kernel: Kernel, limits: Mapping[str, tuple[Limit, ...]], sizes: Buffer) -> None:
        self.sizes = sizes
        self.needed: dict[
            str, list[tuple[int, Expr]]
        ] = {}  # of outputs: axis, and the elements that are needed
        self.rounds: dict[
            str, list[tuple[int, Expr, int]]
        ] = {}  # of outputs: axis, needed elements of a round, all of it
        self.filled: dict[str, list[tuple[int, Expr, float, int]]] = {}  # of inputs, as `Behind` has it
        self.masked: dict[str, list[Masked]] = {}  # fills that nobody needs
        highest: dict[int, int] = {}
        for buffer in kernel.params:
            for limit in limits.get(buffer.name, ()):
                places = buffer.shape[limit.axis] // (limit.each * limit.rounds)
                size = _smallest_size(limit.count, places)
                highest[limit.count.dim] = max(highest.get(limit.count.dim, 0), size)
                self._take(buffer, limit, limit.count.expression(sizes, places) * limit.each)
        self.of_sizes = OfSizes(sizes, highest)

    def _take(self, buffer: Buffer, limit: Limit, elements: Expr) -> None:
        if limit.fill is not None and limit.margin is None and limit.rounds == 1:
            given = (limit.axis, elements, limit.fill, 0 if limit.whole else FILL_MULTIPLE * limit.each)
            self.filled.setdefault(buffer.name, []).append(given)
        if limit.fill is not None and limit.margin == 0 and limit.rounds == 1:
            self.masked.setdefault(buffer.name, []).append(Masked(limit.axis, elements, limit.fill))
        elements = with_fill(limit, elements)
        if limit.whole:
            return
        if limit.rounds == 1:
            self.needed.setdefault(buffer.name, []).append((limit.axis, elements))
        else:
            round_ = buffer.shape[limit.axis] // limit.rounds
            self.rounds.setdefault(buffer.name, []).append((limit.axis, elements, round_))


def with_fill(limit: Limit, elements: Expr) -> Expr:
    """How many elements are needed of an axis, or of each of its parts, of which so many are there."""
    if limit.fill is None:
        return elements
    if limit.margin is not None:
        return elements + limit.margin * limit.each
    step = FILL_MULTIPLE * limit.each
    return quotient_up(elements, step) * step


def with_needed(kernel: Kernel, limits: Sequence[Limit], shape: Sequence[int], sizes: Buffer) -> Kernel:
    """The kernel that knows how much of output 0 is needed, a value of this shape with these limits. The parameters that say so
    (`needed_param`) are not read any more; one of them is `sizes`, where that is none yet.
    """
    elements: dict[int, Expr] = {}
    for limit in limits:
        places = shape[limit.axis] // (limit.each * limit.rounds)
        if not limit.whole and limit.rounds == 1:
            elements[limit.axis] = with_fill(limit, limit.count.expression(sizes, places) * limit.each)

    def leave(node: Expr) -> Expr | None:
        axis = needed_axis(node.buffer) if isinstance(node, Load) else None
        return None if axis is None else elements.get(axis, index(shape[axis]))

    inputs = list(kernel.inputs)
    if sizes not in inputs:
        inputs[next(at for at, param in enumerate(inputs) if needed_axis(param) is not None)] = sizes
    return replace(kernel, inputs=tuple(inputs), body=Rewriter(leave).block(kernel.body))


def _smallest_size(count: Count, places: int) -> int:
    """A size for which all places are there, or as many as there can be."""
    if count.times <= 0:
        return places
    return max(((places + 1) * count.over - count.plus) // count.times + 1, places)
