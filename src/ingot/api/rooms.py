"""Programs with room: where an extent counts no items, a program for its largest size serves smaller ones too (`plan.room`)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingot.artifact.model_info import SIZES_INPUT, DimInfo, ModelInfo
from ingot.base.dims import Dim
from ingot.base.errors import ModelError, UnsupportedError
from ingot.loops.analyse.counts import Limit
from ingot.plan.items import Mixed
from ingot.plan.program import Draft
from ingot.plan.room import with_room
from ingot.plan.room_numbers import Sample
from ingot.plan.room_reads import PROVEN_SIZES_MAX

SIZES_MAX = PROVEN_SIZES_MAX  # of a range with room for it
FILLED_MAX = (
    1 << 17
)  # of one that is how much of a state is filled: a step that reads places elsewhere than they are is refused
# A program with room for c computes n places about c / n times 2 to 4 % slower than one for n would: blocks, and weights that
# are transformed first, are those of c (an OCR recogniser, an encoder: docs/measurements/shapes.md). One program more is worth
# building where that is more than a quarter for the smallest size.
_SMALLER = 8
_SMALLER_MIN = 8
_PROGRAMS_MAX = 3
_ALTERNATING = 0x55555555  # every other bit

Places = Mapping[str, Sequence[tuple[str, int]]]
Lower = Callable[[tuple[int, ...]], Draft]


def capacities(dim: Dim, is_alone: bool) -> Sequence[int]:
    """For how many places programs have room: as many times fewer from one to the next, and for the smallest size, at most.
    `is_alone`: no other dim of the model has programs with room.
    """
    rising = [dim.high]
    while is_alone and len(rising) < _PROGRAMS_MAX and rising[0] > _SMALLER * dim.low:
        small = max(rising[0] // _SMALLER, math.isqrt(rising[0] * dim.low))
        small = small // dim.multiple_of * dim.multiple_of
        if small < _SMALLER_MIN:
            break
        rising.insert(0, small)
    return rising


@dataclass(frozen=True, slots=True)
class Longer:
    """An axis of an input that has more places than an extent: so many, and as many as each of these other extents."""

    input: str
    axis: int
    plus: int = 0
    others: tuple[str, ...] = ()

    def more(self, sizes: Mapping[str, int]) -> int:
        """How many places more it has for sizes of the other extents."""
        return self.plus + sum(sizes[name] for name in self.others)


@dataclass(frozen=True, slots=True)
class Growth:
    """How many places a step adds to states that grow, by the symbol of how many are filled; for each combination of sizes of the
    extents that have `lists` of them.
    """

    lists: tuple[int, ...] = ()
    by_sizes: Mapping[tuple[int, ...], Mapping[str, int]] = field(default_factory=dict)

    @property
    def names(self) -> Sequence[str]:
        """The symbols."""
        return list(dict.fromkeys(name for some in self.by_sizes.values() for name in some))

    def ends(self, name: str) -> tuple[int, int]:
        """The fewest and the most places that a step adds."""
        counts = [some[name] for some in self.by_sizes.values()]
        return min(counts), max(counts)

    def spare(self, name: str, sizes: Sequence[int]) -> int:
        """How much more room a program for these sizes has before a step than the one that adds most: so that what all programs
        give has room for as many places.
        """
        some = self.by_sizes.get(tuple(sizes[at] for at in self.lists), {})
        return self.ends(name)[1] - some[name] if name in some else 0


@dataclass(frozen=True, slots=True)
class Rooms:
    """The dims of a model of which some get programs with room.

    Attributes:
        names: of the dims.
        dims: their sizes.
        roomy: the numbers of those with room.
        sizes: for which programs are made, of each dim; of those with room the capacities.
        places: the inputs and axes of each.
        lower: gives the draft for definite sizes.
        longer: inputs and axes that have more places than a dim with room.
        growth: what steps add to states that grow. Programs have room for more than the size that is said of them, such that
            all of them give states with the same room.
    """

    names: Sequence[str]
    dims: Sequence[Dim]
    roomy: Sequence[int]
    sizes: Sequence[Sequence[int]]
    places: Places
    lower: Lower
    longer: Mapping[str, Sequence[Longer]]
    growth: Growth

    def drafts_or_largest(self) -> Mapping[tuple[int, ...], Draft] | Mixed:
        """What `drafts` gives; where there is none for the smaller capacities, for the largest alone. Some models are computed
        in another way for few places.
        """
        drafts = self.drafts()
        if not isinstance(drafts, Mixed) or all(len(self.sizes[at]) == 1 for at in self.roomy):
            return drafts
        sizes = [some[-1:] if at in self.roomy else some for at, some in enumerate(self.sizes)]
        largest = replace(self, sizes=sizes).drafts()
        return drafts if isinstance(largest, Mixed) else largest

    def drafts(self) -> Mapping[tuple[int, ...], Draft] | Mixed:
        """A draft with room for each combination of sizes; or what needs a program for each size."""
        rooms: dict[tuple[int, ...], Draft] = {}
        for sizes in itertools.product(*self.sizes):
            room = self._room(sizes)
            if isinstance(room, Mixed):
                return room
            rooms[sizes] = room
        return rooms

    def lowered_for(self, sizes: tuple[int, ...]) -> tuple[int, ...]:
        """The sizes that the program for these is lowered for."""
        return tuple(
            size + self.growth.spare(name, sizes) for name, size in zip(self.names, sizes, strict=True)
        )

    def _room(self, sizes: tuple[int, ...]) -> Draft | Mixed:
        own_sizes = self.lowered_for(sizes)
        samples: list[Sample[Draft]] = []
        for at in self.roomy:
            smaller = sampled(self.dims[at], self.sizes[at][0])
            if len(smaller) < 2:
                return Mixed(f"the range of {self.names[at]} is too short to compare sizes")
            for size in smaller:
                try:
                    samples.append(
                        Sample(at, size, self.lower((*own_sizes[:at], size, *own_sizes[at + 1 :])))
                    )
                except (ModelError, UnsupportedError) as error:
                    return Mixed(f"it cannot be built for {self.names[at]}={size}: {error.message}")
        places = [self.places[name] if at in self.roomy else () for at, name in enumerate(self.names)]
        every = [
            range(dim.low, own + 1, dim.multiple_of) if at in self.roomy else (own,)
            for at, (dim, own) in enumerate(zip(self.dims, own_sizes, strict=True))
        ]
        by_name = dict(zip(self.names, sizes, strict=True))
        longer = [
            [(each.input, each.axis, each.more(by_name)) for each in self.longer.get(name, ())]
            if at in self.roomy
            else ()
            for at, name in enumerate(self.names)
        ]
        return with_room(self.lower(own_sizes), samples, places, every, longer=longer)


def sampled(dim: Dim, below: int) -> Sequence[int]:
    """Sizes for which a model is compared: such that no extent is 1, which is something else for many operators. The two in the
    middle differ in whether they are even, and so do their halves, and so on: what rounds sizes does so differently.
    """
    step = dim.multiple_of
    steps = below // step
    bits = (1 << max(steps - 1, 1).bit_length() - 1) - 1
    alternating = [(pattern & bits) + 1 for pattern in (_ALTERNATING, ~_ALTERNATING)]
    some = (below - step, below - 2 * step, *(step * count for count in alternating))
    return [size for size in dict.fromkeys(some) if max(dim.low, 2) <= size < below]


OutputCounts = tuple[tuple[str, int, int, int, int], ...]  # as of `DimInfo.counts`
OutputLimits = Sequence[tuple[str, Sequence[Limit]]]  # of outputs, by the names that the model gives them


def counts_of(at: int, outputs: OutputLimits) -> OutputCounts:
    """What follows from the size of a dim with room: axes of outputs, and how many places they have."""
    return tuple(
        (output, limit.axis, limit.count.times * limit.each, limit.count.plus * limit.each, limit.count.over)
        for output, limits in outputs
        for limit in limits
        if limit.count.dim == at
    )


def shared_counts(
    every: Mapping[tuple[int, ...], OutputCounts], lists: Sequence[int]
) -> tuple[OutputCounts, Mapping[int, OutputCounts]] | Mixed:
    """What follows from the size of a dim with room, and what besides from extents that have lists of sizes.

    Args:
        every: of each program, by its sizes, what follows from the one dim.
        lists: the numbers of the others.

    Returns:
        The counts of the dim, and those of the others by their numbers; an axis that both have has as many places as both say
        together. Or why there are no such.
    """
    first, own, shared = next(iter(every.values())), [], dict[int, OutputCounts]()
    if any(
        [_without_plus(count) for count in some] != list(map(_without_plus, first)) for some in every.values()
    ):
        return Mixed("outputs follow from it in another way for other sizes of the others")
    for number, count in enumerate(first):
        plus = {sizes: some[number][3] for sizes, some in every.items()}
        if len(set(plus.values())) == 1:
            own.append(count)
            continue
        rests = {at: {more - sizes[at] for sizes, more in plus.items()} for at in lists}
        other = next((at for at, some in rests.items() if len(some) == 1), None)
        if other is None or count[4] != 1:
            return Mixed(
                f"how many places the output {count[0]!r} has does not follow from the sizes in a way that is followed"
            )
        own.append((*count[:3], next(iter(rests[other])), 1))
        shared[other] = (*shared.get(other, ()), (*count[:2], 1, 0, 1))
    return tuple(own), shared


def _without_plus(count: tuple[str, int, int, int, int]) -> tuple[object, ...]:
    return (*count[:3], count[4])


def room_info(
    name: str,
    dim: Dim,
    places: Sequence[tuple[str, int]],
    counts: OutputCounts,
    longer: Sequence[Longer] = (),
) -> DimInfo:
    """What metadata say of a dim with room."""
    sums = tuple((each.input, each.axis, each.plus) for each in longer)
    return DimInfo(name, dim.low, dim.high, dim.multiple_of, (), tuple(places), (), True, counts, sums)


def visible(info: ModelInfo) -> ModelInfo:
    """A model's metadata without the input that only programs have."""
    if all(tensor.name != SIZES_INPUT for tensor in info.inputs):
        return info
    inputs = tuple(tensor for tensor in info.inputs if tensor.name != SIZES_INPUT)
    return replace(info, inputs=inputs)
