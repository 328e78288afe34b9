"""What is known of a draft with room while it is followed from step to step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.template import Reshape
from ingot.loops.analyse.counts import Count, Limit, count_of_count
from ingot.loops.nodes import Buffer, buffer
from ingot.plan.program import Draft, Step, latest_sizes
from ingot.plan.room_numbers import Extents, Refused, Sample
from ingot.plan.room_reads import SIZES_FORMAL

SIZES = "ingot.sizes"  # the input that has the sizes of a call, an int64 for each dim
Limits = tuple[Limit, ...]


@dataclass(slots=True)
class State:
    """What is known so far.

    Attributes:
        draft: lowered for the largest sizes.
        samples: the same for smaller ones.
        capacities: the largest size of each dim.
        sizes: those that calls may have.
        counted: the dims whose sizes are found out while running, by the name of who counts.
        steps: of the draft with room.
        types: of its values.
        limits: of its values, as far as they have some.
        renamed: for some values the one that is read in their place.
        constants: of the draft with room.
        right: constants that are right for all sizes where they are read.
        nodes: of the step at hand.
        vectors: as `Draft.sizes`.
        margins: of values and axes, how many places behind the last windows read that are there.
    """

    draft: Draft
    samples: Sequence[Sample[Draft]]
    capacities: tuple[int, ...]
    sizes: Sequence[Sequence[int]]
    counted: Mapping[str, int]
    steps: list[Step] = field(default_factory=list)
    types: dict[str, TensorType] = field(default_factory=dict)
    limits: dict[str, Limits] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    right: set[str] = field(default_factory=set)
    nodes: tuple[str, ...] = ()
    vectors: list[tuple[str, frozenset[int]]] = field(default_factory=list)
    margins: Mapping[tuple[str, int], int] = field(default_factory=dict)

    def reading(self, step: Step) -> Step:
        return replace(step, inputs=tuple(self.renamed.get(name, name) for name in step.inputs))

    def set_limits(self, name: str, limits: Limits) -> None:
        if limits:
            self.limits[name] = limits

    def extents(self) -> Extents:
        counts = {limit.count for limits in self.limits.values() for limit in limits}
        return Extents(self.capacities, self.sizes, counts, bool(self.counted))

    @property
    def sizes_type(self) -> TensorType:
        """The type of the values that have sizes of the call."""
        return TensorType(DType.INT64, (len(self.capacities),))

    def sizes_of(self, *dims: int) -> str:
        """The value that has the sizes of these dims."""
        known = frozenset[int]().union(*(some for _, some in self.vectors))
        if not known.issuperset(dims):
            raise Refused("it reads how many places there are before they are counted")
        return latest_sizes(self.vectors, dims)

    def sizes_formal(self) -> Buffer:
        return buffer(SIZES_FORMAL, DType.INT64, self.sizes_type.shape)

    def new_value(self, name: str, type_: TensorType) -> str:
        while name in self.types:
            name += "_"
        self.types[name] = type_
        return name

    def plain(self, limit: Limit) -> Limit:
        """The same limit with places of one element, where the elements of a place have others of it beside them."""
        if limit.each == 1 or limit.rounds > 1:
            return limit
        count = count_of_count(limit.count, self.sizes[limit.count.dim], limit.each)
        return limit if count is None else replace(limit, count=count, each=1)

    def is_alike(self, limit: Limit, axis: int, other: Limit) -> bool:
        """Whether a limit says of its axis, which is this one, what another says of its own."""
        return _where(self.plain(limit), axis) == _where(self.plain(other), axis) and limit.axis == axis

    def has_axis(self, limits: Sequence[Limit], axis: int, limit: Limit) -> bool:
        return any(self.is_alike(its, axis, limit) for its in limits)

    def places(self, limit: Limit) -> int:
        """How many places there is room for."""
        return limit.count.at(self.capacities[limit.count.dim])

    def reshaped(self, definition: Reshape, given: Limit) -> Limit:
        """Where places are after a reshape."""
        old, new = definition.input.shape, definition.output.shape
        before = math.prod(old[: given.axis]) * given.rounds
        inside = given.each * math.prod(old[given.axis + 1 :])
        places = self.places(given)
        fitting: list[Limit] = []
        for axis, extent in enumerate(new):
            rounds, rest = divmod(before, max(math.prod(new[:axis]), 1))
            each, apart = divmod(extent, max(rounds * places, 1))
            if not rest and not apart and rounds and each * math.prod(new[axis + 1 :]) == inside:
                fitting.append(replace(given, axis=axis, each=each, rounds=rounds))
        if not fitting:
            raise Refused(f"a reshape from {list(old)} to {list(new)} takes places apart")
        return min(fitting, key=lambda limit: limit.rounds)


def _where(limit: Limit, axis: int) -> tuple[int, Count, int, int]:
    return axis, limit.count, limit.each, limit.rounds
