"""Programs with room: where an extent counts no items, a program for its largest size serves smaller ones too (`plan.room`)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

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
# A range gets more programs, each with room for so many times fewer: few places want other blocks, and less memory.
_SMALLER = 8
_SMALLER_MIN = 8
_PROGRAMS_MAX = 3
_ALTERNATING = 0x55555555  # every other bit

Places = Mapping[str, Sequence[tuple[str, int]]]
Longer = Mapping[str, Sequence[tuple[str, int, int]]]
Lower = Callable[[tuple[int, ...]], Draft]


def capacities(dim: Dim, is_alone: bool) -> Sequence[int]:
    """For how many places programs have room. `is_alone`: no other dim of the model has programs with room."""
    rising = [dim.high]
    for _ in range(_PROGRAMS_MAX - 1 if is_alone else 0):
        small = rising[0] // _SMALLER // dim.multiple_of * dim.multiple_of
        if small < max(_SMALLER_MIN, 2 * dim.low):
            break
        rising.insert(0, small)
    return rising


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
        longer: inputs and axes that have more places, and how many more.
    """

    names: Sequence[str]
    dims: Sequence[Dim]
    roomy: Sequence[int]
    sizes: Sequence[Sequence[int]]
    places: Places
    lower: Lower
    longer: Longer

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

    def _room(self, sizes: tuple[int, ...]) -> Draft | Mixed:
        samples: list[Sample[Draft]] = []
        for at in self.roomy:
            smaller = sampled(self.dims[at], self.sizes[at][0])
            if len(smaller) < 2:
                return Mixed(f"the range of {self.names[at]} is too short to compare sizes")
            for size in smaller:
                try:
                    samples.append(Sample(at, size, self.lower((*sizes[:at], size, *sizes[at + 1 :]))))
                except (ModelError, UnsupportedError) as error:
                    return Mixed(f"it cannot be built for {self.names[at]}={size}: {error.message}")
        places = [self.places[name] if at in self.roomy else () for at, name in enumerate(self.names)]
        every = [
            _every(dim) if at in self.roomy else (size,)
            for at, (dim, size) in enumerate(zip(self.dims, sizes, strict=True))
        ]
        within = [[size for size in some if size <= own] for some, own in zip(every, sizes, strict=True)]
        longer = [self.longer.get(name, ()) if at in self.roomy else () for at, name in enumerate(self.names)]
        return with_room(self.lower(sizes), samples, places, within, longer=longer)


def _every(dim: Dim) -> range:
    return range(dim.low, dim.high + 1, dim.multiple_of)


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


def room_info(
    name: str,
    at: int,
    dim: Dim,
    places: Sequence[tuple[str, int]],
    outputs: Sequence[tuple[str, Sequence[Limit]]],
    sums: Sequence[tuple[str, int, int]] = (),
) -> DimInfo:
    """What metadata say of a dim with room; `outputs` are the names that the model gives, with their limits."""
    counts = tuple(
        (output, limit.axis, limit.count.times * limit.each, limit.count.plus * limit.each, limit.count.over)
        for output, limits in outputs
        for limit in limits
        if limit.count.dim == at
    )
    return DimInfo(name, dim.low, dim.high, dim.multiple_of, (), tuple(places), (), True, counts, tuple(sums))


def visible(info: ModelInfo) -> ModelInfo:
    """A model's metadata without the input that only programs have."""
    if all(tensor.name != SIZES_INPUT for tensor in info.inputs):
        return info
    inputs = tuple(tensor for tensor in info.inputs if tensor.name != SIZES_INPUT)
    return replace(info, inputs=inputs)
