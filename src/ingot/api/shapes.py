"""Extents that vary from call to call: which programs a library gets for them, and what is proven of each.

A model with such extents is several programs, each for one size of each extent. Where an extent counts items of which each is
computed by itself (`plan.items`), a few programs serve any number of them, some after the others; else there is a program for
each size.
"""

from __future__ import annotations

import itertools
import math
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingot.api.border_sizes import are_same, kernel_places, varying_border
from ingot.api.compared_sizes import (
    asked_of_items,
    bounds_of,
    compared,
    compared_within,
    sizes_of_programs,
    smallest_size,
)
from ingot.api.extents import Extents
from ingot.api.rooms import (
    FILLED_MAX,
    SIZES_MAX,
    Growth,
    Longer,
    OutputCounts,
    Places,
    Rooms,
    capacities,
    counts_of,
    room_info,
    shared_counts,
)
from ingot.artifact.dims_read import PROGRAMS_MAX
from ingot.artifact.model_info import DimInfo
from ingot.base.dims import EXTENT_MAX, Dim
from ingot.base.errors import IngotError, ModelError, UnsupportedError
from ingot.border.program import Border
from ingot.graph.evaluate.derived import SizeLog
from ingot.graph.evaluate.lines import case_asked
from ingot.graph.evaluate.running import folded_in_one, may_run
from ingot.graph.passes.border.text import border_of
from ingot.graph.read.counted import CountedExtent
from ingot.graph.read.ends import ends_of
from ingot.graph.read.source import ReadModel
from ingot.plan.items import ItemAxis, Mixed, differing, grown_axes, item_axes
from ingot.plan.program import Draft

# If each size of a range needs its own program, the range has at most this many sizes.
RANGE_SIZES_MAX = 16

# Reads and lowers a model for definite extents; some values are computed while running though they follow from sizes alone.
Lower = Callable[[Mapping[str, int], frozenset[str]], "Lowered"]


@dataclass(frozen=True, slots=True)
class Lowered:
    """A model read for definite sizes, prepared and lowered, and what it computed from its shapes. `counts` are the extents that
    depend on content.
    """

    prepared: ReadModel
    draft: Draft
    sizes: SizeLog
    counts: tuple[CountedExtent, ...] = ()


@dataclass(frozen=True, slots=True)
class Varying:
    """The dims of a model; for each combination of sizes what is to be built; for each dim what mixes items of it, if something
    does; the sizes of the program that has the model's symbol; and the border for all sizes, if the model has one.
    """

    dims: tuple[DimInfo, ...]
    lowered: dict[tuple[int, ...], Lowered]
    mixing: tuple[Mixed | None, ...]
    own: tuple[int, ...]
    border: Border | None = None

    def text(self) -> str:
        """A sentence for each dim."""
        return "".join(
            f"{self._sentence(at, dim, mixed)}\n"
            for at, (dim, mixed) in enumerate(zip(self.dims, self.mixing, strict=True))
        )

    def _sentence(self, at: int, dim: DimInfo, mixed: Mixed | None) -> str:
        numbers = sorted({each[at] for each in self.lowered})
        sizes = ", ".join(map(str, numbers))
        places = " and ".join(f"axis {axis} of {name!r}" for name, axis in dim.inputs)
        if not dim.inputs:
            return f"{dim}: no kernel asks for it: what the host does is good for any number"
        if dim.room:
            return (
                f"{dim} ({places}): programs with room for {', '.join(map(str, numbers))} serve each size, because what is "
                f"computed for one depends on others ({mixed})"
            )
        if mixed is None:
            return f"{dim} ({places}): items that are computed by themselves; programs for {sizes} compute any number of them"
        return f"{dim} ({places}): a program for each of {sizes}, because what is computed for one depends on others ({mixed})"


def programs_of(
    extents: Extents,
    places: Places,
    lowered: Lower,
    first: Lowered,
    may_have_room: bool = True,
    longer: Mapping[str, Sequence[Longer]] | None = None,
    growth: Growth | None = None,
) -> Varying:
    """Which programs a model with extents that vary gets.

    Args:
        extents: some that vary.
        places: the inputs and axes of each.
        lowered: reads and lowers the model.
        first: the same for the smallest sizes.
        may_have_room: whether programs for more places may serve fewer: not where kernels add up rows of a matrix that have
            nothing to do with each other, as they may with `math="normwise"`.
        longer: the inputs and axes that have more places than an extent.
        growth: the extents that are how many places of states are filled, and what steps add: they get no programs for fewer,
            since all programs have one memory for states.

    Raises:
        ModelError: a range is none of items, and too long for a program for each size: the message says what mixes items. Or
            there would be too many programs.
    """
    return _Proving(
        extents, places, lowered, first, may_have_room, longer or {}, growth or Growth()
    ).programs()


@dataclass(slots=True)
class _Proving:
    extents: Extents
    places: Places
    lower: Lower
    first: Lowered
    may_have_room: bool = True
    longer: Mapping[str, Sequence[Longer]] = field(default_factory=dict)
    growth: Growth = field(default_factory=Growth)
    running: frozenset[str] = frozenset()
    lowered_for: dict[tuple[int, ...], Lowered] = field(default_factory=dict)

    def programs(self) -> Varying:
        varying = self.extents.varying
        self._require_places()
        self.lowered_for[tuple(map(smallest_size, varying.values()))] = self.first
        axes = [self._items_or_folded_less(at, name, dim) for at, (name, dim) in enumerate(varying.items())]
        with_rooms = self._with_rooms(axes)
        if isinstance(with_rooms, Mixed):
            with_rooms = self._running(axes, with_rooms)
        if not isinstance(with_rooms, Mixed):
            return with_rooms
        dims: list[DimInfo] = []
        sizes: list[Sequence[int]] = []
        for (name, dim), items in zip(varying.items(), axes, strict=True):
            if isinstance(items, Mixed):
                sizes.append(self._every_size(name, dim, items, with_rooms))
            elif items:
                sizes.append(sizes_of_programs(dim))
            else:
                sizes.append([smallest_size(dim)])
            dims.append(_dim_info(name, dim, self.places[name], self.first, items))
        count = math.prod(map(len, sizes))
        if count > PROGRAMS_MAX:
            listed = " × ".join(f"{len(some)} of {name}" for name, some in zip(varying, sizes, strict=True))
            raise ModelError(
                f"dims: there would be {count} programs, one for each combination of sizes ({listed}); "
                f"a library has at most {PROGRAMS_MAX} of a model: give fewer sizes",
                programs=count,
            )
        lowered = {each: self._lowered(each) for each in itertools.product(*sizes)}
        mixing = tuple(axis if isinstance(axis, Mixed) else None for axis in axes)
        smallest = tuple(map(smallest_size, varying.values()))
        if not self.has_border:
            return Varying(tuple(dims), lowered, mixing, smallest)
        self._require_same_inputs()
        own = [
            replace(info, inputs=self._kernel_places(at, info.name, mixing[at]))
            for at, info in enumerate(dims)
        ]
        return Varying(tuple(own), lowered, mixing, smallest, self._border(own))

    @property
    def has_border(self) -> bool:
        """Whether callers give or get more than tensors: text, sequences, maps."""
        return ends_of(self.first.prepared.graph) is not None

    def _border(self, dims: Sequence[DimInfo]) -> Border:
        borders = {sizes: _border_of(lowered) for sizes, lowered in self.lowered_for.items()}
        own = tuple(map(smallest_size, self.extents.varying.values()))
        return varying_border(self.first.draft.name, borders, dims, own)

    def _require_same_inputs(self) -> None:
        """Refuses a model whose host gives other values to kernels for some sizes."""
        own = self.first.draft
        for sizes, lowered in self.lowered_for.items():
            if lowered.draft.inputs != own.inputs:
                names = ", ".join(self.extents.varying)
                raise UnsupportedError(
                    f"model {own.name!r}: {names} cannot vary: kernels read {', '.join(own.inputs)}, but "
                    f"{', '.join(lowered.draft.inputs)} for {list(sizes)}; give numbers by dims=, on the command line by --dim"
                )

    def _kernel_places(self, at: int, name: str, mixed: Mixed | None) -> tuple[tuple[str, int], ...]:
        """The inputs of the compiled part that have an extent, which the host may have made."""
        drafts = {sizes: lowered.draft for sizes, lowered in self.lowered_for.items()}
        places = kernel_places(drafts, at)
        if not places and mixed is not None:
            raise UnsupportedError(
                f"model {self.first.draft.name!r}: {name} cannot vary: what kernels compute follows from it ({mixed}), but it "
                f"is no extent of what they read; give a number by dims={{{name!r}: 1}}, on the command line by --dim",
                dim=name,
            )
        return places

    def _with_rooms(self, axes: Sequence[Mapping[str, ItemAxis] | Mixed]) -> Varying | Mixed:
        """Programs with room for ranges that count no items; or why there are none."""
        names, dims = list(self.extents.varying), list(self.extents.varying.values())
        roomy = self._roomy(axes)
        if not self.may_have_room:
            return Mixed('math="normwise" mixes what has nothing to do with each other')
        if not roomy or self.has_border:
            return Mixed("there is no range that counts no items, of a model of tensors alone")
        for at in roomy:
            case = self._case(at, dims[at])
            if case is not None:
                return case
            maximum = FILLED_MAX if names[at] in self.growth.names else SIZES_MAX
            if (dims[at].high - dims[at].low) // dims[at].multiple_of >= maximum:
                return Mixed(f"the range of {names[at]} has more than {maximum} sizes")
        has_lists = any(isinstance(axis, Mixed) and dim.sizes for dim, axis in zip(dims, axes, strict=True))
        if has_lists and (not self.growth.names or len(roomy) > 1):
            return Mixed("another extent that counts no items has a list of sizes; give a range for it too")
        sizes = [
            capacities(dim, len(roomy) == 1 and names[at] not in self.growth.names)
            if at in roomy
            else sizes_of_programs(dim)[: None if dim.sizes else 1]
            for at, dim in enumerate(dims)
        ]
        rooms = Rooms(
            names,
            dims,
            roomy,
            sizes,
            self.places,
            lambda some: self._lowered(some).draft,
            self.longer,
            self.growth,
        )
        drafts = rooms.drafts_or_largest()
        if isinstance(drafts, Mixed):
            return drafts
        lowered = {
            own: replace(self.lowered_for[rooms.lowered_for(own)], draft=draft)
            for own, draft in drafts.items()
        }
        infos = self._infos(roomy, drafts, axes)
        if isinstance(infos, Mixed):
            return infos
        mixing = tuple(axis if isinstance(axis, Mixed) else None for axis in axes)
        return Varying(infos, lowered, mixing, next(iter(lowered)))

    def _infos(
        self,
        roomy: Sequence[int],
        drafts: Mapping[tuple[int, ...], Draft],
        axes: Sequence[Mapping[str, ItemAxis] | Mixed],
    ) -> tuple[DimInfo, ...] | Mixed:
        """What metadata say of the dims of programs with room."""
        lists = [at for at, dim in enumerate(self.extents.varying.values()) if dim.sizes]
        counts: dict[int, OutputCounts] = {}
        for at in roomy:
            shared = shared_counts({sizes: self._counts(at, draft) for sizes, draft in drafts.items()}, lists)
            if isinstance(shared, Mixed):
                return shared
            counts[at], others = shared
            for other, some in others.items():
                counts[other] = (*counts.get(other, ()), *some)
        infos: list[DimInfo] = []
        for at, (name, dim) in enumerate(self.extents.varying.items()):
            if at in roomy:
                infos.append(room_info(name, dim, self.places[name], counts[at], self.longer.get(name, ())))
                continue
            info = _dim_info(name, dim, self.places[name], self.first, axes[at])
            sums = tuple(
                (each.input, each.axis, 0)
                for some in self.longer.values()
                for each in some
                if name in each.others
            )
            infos.append(replace(info, counts=counts.get(at, ()), sums=sums))
        return tuple(infos)

    def _counts(self, at: int, draft: Draft) -> OutputCounts:
        names = [value.name or "" for value in self.first.prepared.graph.outputs]
        limits = [draft.limits.get(name, ()) for name in draft.outputs]
        return counts_of(at, list(zip(names, limits, strict=False)))

    def _roomy(self, axes: Sequence[Mapping[str, ItemAxis] | Mixed]) -> Sequence[int]:
        """The numbers of the ranges that count no items."""
        dims = self.extents.varying.values()
        return [
            at
            for at, (dim, axis) in enumerate(zip(dims, axes, strict=True))
            if isinstance(axis, Mixed) and not dim.sizes
        ]

    def _running(self, axes: Sequence[Mapping[str, ItemAxis] | Mixed], why: Mixed) -> Varying | Mixed:
        """Programs with room that compute while running what follows from a size otherwise than an expression of sizes says, such
        as its square root; or why there are none.
        """
        dims = list(self.extents.varying.values())
        logs = {
            (at, others): self._logs(at, dims[at], others)
            for at in self._roomy(axes)
            for others in self._others(at)
        }
        tried = frozenset[str]()
        for rounded in (False, True):
            running = frozenset[str]().union(
                *(
                    may_run(*its, bounds_of(dims[at]), rounded=rounded)
                    for (at, _), its in logs.items()
                    if not isinstance(its, Mixed)
                )
            )
            if running == tried:
                continue
            tried = running
            rooms = replace(self, running=running, lowered_for={})._with_rooms(axes)
            if not isinstance(rooms, Mixed):
                return rooms
            why = rooms
        return why

    def _case(self, at: int, dim: Dim) -> Mixed | None:
        """Where a model asks for a size what is one of several cases: drafts for a few sizes do not show the others."""
        for others in self._others(at):
            logs = self._logs(at, dim, others)
            if isinstance(logs, Mixed):
                return logs
            question = case_asked(*logs, bounds_of(dim))
            if question is not None:
                return Mixed(question.why, (question.node,))
        return None

    def _others(self, at: int) -> Iterator[tuple[int, ...]]:
        """Sizes of other dims for which two of one are compared; of what is filled with each size of a list."""
        is_filled = list(self.extents.varying)[at] in self.growth.names
        return itertools.product(
            *(
                (other.sizes if is_filled else ()) or compared(other)[:1]
                for other in self.extents.varying.values()
            )
        )

    def _logs(self, at: int, dim: Dim, others: Sequence[int]) -> tuple[SizeLog, SizeLog] | Mixed:
        """What is computed from shapes for two sizes of a dim, and these of others; or what baked another size."""
        logs: list[SizeLog] = []
        for size in compared_within(dim):
            try:
                logs.append(self._lowered((*others[:at], size, *others[at + 1 :])).sizes)
            except (ModelError, UnsupportedError) as error:
                return _baked(list(self.extents.varying)[at], size, error)
        return logs[0], logs[1]

    def _require_places(self) -> None:
        """Refuses a rank, and a symbol whose extents all have a key of their own, by input and axis."""
        for name, dim in self.extents.varying.items():
            if not self.places.get(name):
                raise ModelError(
                    f"model {self.first.prepared.graph.name!r}: dims={{{name!r}: {dim}}}: no extent varies by this "
                    "key: a rank is one number, and an extent that dims names by its input and axis does not "
                    "count under its symbol; leave it out",
                    dim=name,
                )

    def _every_size(self, name: str, dim: Dim, why: Mixed, no_room: Mixed) -> Sequence[int]:
        """The sizes of a dim that has a program for each."""
        sizes = dim.sizes or range(dim.low, dim.high + 1, dim.multiple_of)
        if len(sizes) <= RANGE_SIZES_MAX or dim.sizes:
            return sizes
        if not dim.sizes:
            why = no_room
        model = self.first.prepared.graph.name
        if name in self.extents.taken:
            raise ModelError(
                f"model {model!r}: {name} (axis 0 of {self.places[name][0][0]!r}) is not bound, and cannot be left open: what is "
                f"computed for one depends on others ({why}); give a number by dims={{{name!r}: 1}}, on the command line by "
                f"--dim {shlex.quote(name)}=1, or a list of sizes",
                unbound=(name,),
                nodes=why.nodes,
            )
        raise ModelError(
            f"model {model!r}: dims={{{name!r}: {dim}}}: what is computed for one depends on others ({why}), so each size needs "
            f"a program of its own, and the range has {len(sizes)}; a range may have {RANGE_SIZES_MAX} such sizes: give a "
            "shorter one, a multiple, or a list of sizes",
            dim=name,
            nodes=why.nodes,
        )

    def _lowered(self, sizes: tuple[int, ...]) -> Lowered:
        if sizes not in self.lowered_for:
            self.lowered_for[sizes] = self.lower(self.extents.bound(sizes), self.running)
        return self.lowered_for[sizes]

    def _items_or_folded_less(self, at: int, name: str, dim: Dim) -> Mapping[str, ItemAxis] | Mixed:
        """What `_items` gives; with what is folded for few items only left in the drafts, if it is refused otherwise."""
        axes = self._items(at, name, dim)
        others = [compared(other)[0] for other in self.extents.varying.values()]
        sizes = [(*others[:at], count, *others[at + 1 :]) for count in compared(dim)]
        if not isinstance(axes, Mixed) or not self.lowered_for.keys() >= set(sizes):
            return axes
        uneven = folded_in_one(*(self.lowered_for[each].sizes for each in sizes))
        return replace(self, running=uneven, lowered_for={})._items(at, name, dim) if uneven else axes

    def _items(self, at: int, name: str, dim: Dim) -> Mapping[str, ItemAxis] | Mixed:
        """The axes of items of all values, if this extent counts items that are computed by themselves; else what mixes them.
        None at all, if only the host asks for it.
        """
        places, draft = self.places[name], self.first.draft
        packed = [value for value in (*draft.inputs, *draft.outputs) if draft.stated(value).dtype.is_packed]
        if packed:
            return Mixed(f"elements of {packed[0]!r} share bytes")
        # Others are 2 or more as well: what mixes items may not be seen where another extent is 1.
        others = [compared(smaller)[0] for smaller in self.extents.varying.values()]
        drafts: dict[tuple[int, ...], Draft] = {}
        logs: list[SizeLog] = []
        for count in compared(dim):
            sizes = (*others[:at], count, *others[at + 1 :])
            try:
                lowered = self._lowered(sizes)
            except (ModelError, UnsupportedError) as error:
                return _baked(name, count, error)
            drafts[sizes] = lowered.draft
            logs.append(lowered.sizes)
        (many, larger), (few, smaller) = ((sizes[at], lowered) for sizes, lowered in drafts.items())
        if self.has_border:
            if larger.inputs != smaller.inputs:
                return Mixed(f"for {many} of {name} kernels read other values than for {few}")
            places = kernel_places(drafts, at)
            if not places and are_same(larger, smaller):
                return asked_of_items(dim, logs, (many, few)) or {}
        inputs = dict(places)
        if len(inputs) != len(places):
            return Mixed(f"an input has {name} twice")
        axes = item_axes(larger, inputs, many, grown_axes(larger, smaller))
        if isinstance(axes, Mixed):
            return axes
        return (
            differing(larger, smaller, (many, few), axes)
            or asked_of_items(dim, logs, (many, few))
            or self._sized_otherwise(dim, axes)
            or axes
        )

    def _sized_otherwise(self, dim: Dim, axes: Mapping[str, ItemAxis]) -> Mixed | None:
        """Where an item of an output has more or fewer places when other extents have other sizes."""
        smallest = self.first.draft
        for value in axes.keys() & set(smallest.outputs):
            extent, axis = smallest.types[value].shape[axes[value].axis], axes[value]
            if extent != smallest_size(dim) * axis.each:
                return Mixed(
                    f"how many places of the output {value!r} an item has follows from other extents"
                )
        return None


def _border_of(lowered: Lowered) -> Border:
    graph, draft = lowered.prepared.graph, lowered.draft
    types = {name: draft.stated(name) for name in draft.inputs}
    types |= {
        value.name or "": draft.stated(name) for value, name in zip(graph.outputs, draft.outputs, strict=True)
    }
    border = border_of(graph, types)
    assert border is not None
    return border


def _baked(name: str, count: int, error: IngotError) -> Mixed:
    """Why a model is not for another size: what it says of the first node that does not fit."""
    refused: Sequence[object] = error.facts.get("nodes") or ()  # type: ignore[assignment]
    said = str(refused[0]) if refused else error.message
    return Mixed(f"it cannot be built for {name}={count}: {said}")


def _dim_info(
    name: str,
    dim: Dim,
    places: Sequence[tuple[str, int]],
    first: Lowered,
    item_axes_: Mapping[str, ItemAxis] | Mixed,
) -> DimInfo:
    if isinstance(item_axes_, Mixed) or not (item_axes_ or dim.sizes):
        return DimInfo(name, dim.low, dim.high, dim.multiple_of, dim.sizes, tuple(places))
    names = [value.name or "" for value in first.prepared.graph.outputs]
    axes = [item_axes_.get(value) for value in first.draft.outputs]
    outputs = tuple(
        (value, axis.axis, axis.each) for value, axis in zip(names, axes, strict=True) if axis is not None
    )
    if dim.sizes:  # programs for these compute any number of items
        return DimInfo(name, 1, EXTENT_MAX, 1, (), tuple(places), outputs)
    return DimInfo(name, dim.low, dim.high, dim.multiple_of, (), tuple(places), outputs)
