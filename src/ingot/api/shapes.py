"""Extents that vary from call to call: which programs a library gets for them, and what is proven of each.

A model with such extents is several programs, each for one size of each extent. Where an extent counts items of which each is
computed by itself (`plan.items`), a few programs serve any number of them, some after the others; else there is a program for
each size.
"""

from __future__ import annotations

import itertools
import math
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingot.api.border_sizes import are_same, kernel_places, varying_border
from ingot.api.compared_sizes import bounds_of, compared, compared_within, sizes_of_programs, smallest_size
from ingot.api.rooms import FILLED_MAX, SIZES_MAX, Longer, Rooms, capacities, room_info
from ingot.artifact.dims_read import PROGRAMS_MAX
from ingot.artifact.model_info import DimInfo
from ingot.base.dims import EXTENT_MAX, Dim, dim_of
from ingot.base.errors import IngotError, ModelError, UnsupportedError, why_not_by_name
from ingot.border.program import Border
from ingot.graph.evaluate.derived import SizeLog
from ingot.graph.evaluate.lines import Counts, asked, case_asked
from ingot.graph.evaluate.running import may_run
from ingot.graph.passes.border.text import border_of
from ingot.graph.read.counted import CountedExtent
from ingot.graph.read.ends import ends_of
from ingot.graph.read.source import ReadModel
from ingot.plan.items import ItemAxis, Mixed, differing, grown_axes, item_axes
from ingot.plan.program import Draft

# What a leading extent that nobody mentions is taken for.
DEFAULT = Dim(1, 64)
# If each size of a range needs its own program, the range has at most this many sizes.
RANGE_SIZES_MAX = 16

Places = Mapping[str, Sequence[tuple[str, int]]]
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
class Extents:
    """What `dims` says: numbers for some extents, and others that vary. `same` are those that are the same as one of these,
    `sums` those that have so many places more than one that varies, and `taken` those of which it says nothing.
    """

    fixed: Mapping[str, int] = field(default_factory=dict)
    varying: Mapping[str, Dim] = field(default_factory=dict)
    taken: tuple[str, ...] = ()
    same: Mapping[str, str] = field(default_factory=dict)
    sums: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    @property
    def smallest(self) -> dict[str, int]:
        """A number for each extent: those that vary get the least that a program is for."""
        return self.bound([smallest_size(dim) for dim in self.varying.values()])

    def bound(self, sizes: Sequence[int]) -> dict[str, int]:
        """A number for each extent, with these for those that vary."""
        numbers = {**self.fixed, **dict(zip(self.varying, sizes, strict=True))}
        numbers |= {name: numbers[other] for name, other in self.same.items()}
        return numbers | {name: numbers[other] + plus for name, (other, plus) in self.sums.items()}

    def joined(self, places: Places) -> Places:
        """Inputs and axes by extent, with those of all that are the same."""
        no_key = {*self.same, *self.sums}
        joined = {name: list(some) for name, some in places.items() if name not in no_key}
        for name, other in self.same.items():
            joined.get(other, []).extend(places.get(name, ()))
        return joined

    def longer(self, places: Places) -> Mapping[str, Sequence[tuple[str, int, int]]]:
        """Inputs and axes with more places than an extent that varies, by that extent, and how many more."""
        longer: dict[str, list[tuple[str, int, int]]] = {}
        for name, (other, plus) in self.sums.items():
            longer.setdefault(other, []).extend((place, axis, plus) for place, axis in places.get(name, ()))
        return longer

    def with_sums(self, open_: Iterable[str]) -> Extents:
        """The extents with those that are open and written as a sum of others, such as `past + 1`."""
        sums = {name: total for name in open_ if (total := self._sum(name)) is not None}
        return replace(self, sums={**self.sums, **sums}) if sums else self

    def _sum(self, text: str) -> tuple[str, int] | None:
        """The extent that varies and the number that are the terms of a sum; None where it is no such sum."""
        plus, varying = 0, []
        for term in (part.strip() for part in text.split("+")):
            number = int(term) if term.isdecimal() else self.fixed.get(term)
            if number is not None:
                plus += number
            elif term in self.varying:
                varying.append(term)
            else:
                return None
        return (varying[0], plus) if len(varying) == 1 else None

    def taken_words(self) -> Iterator[str]:
        """A sentence for each extent that was taken for a range, and one for those that are taken for the same as another."""
        for name in self.taken:
            if name in self.varying:
                yield f"{name} may be {self.varying[name]}; say other sizes by dims= or --dim {name}=…"
        same = [name for name in self.taken if name in self.same]
        if same:
            yield f"{', '.join(same)} must be the same as {self.same[same[0]]}: with other sizes the model contradicts itself"


def extents_of(dims: Mapping[str, object] | None) -> Extents:
    """What a caller gives as `dims`, taken apart.

    Raises:
        ModelError: one is no number, list or range of sizes.
    """
    why = "" if dims is None else why_not_by_name(dims)
    if why:
        raise ModelError(
            f"dims={dims!r:.80}: expected a mapping from names to numbers or sizes, such as {{'batch': 1}}, {why}"
        )
    same = {name: given for name, given in (dims or {}).items() if isinstance(given, str)}
    read = {name: dim_of(name, given) for name, given in (dims or {}).items() if name not in same}
    extents = Extents(
        {name: read_dim for name, read_dim in read.items() if isinstance(read_dim, int)},
        {name: read_dim for name, read_dim in read.items() if isinstance(read_dim, Dim)},
    )
    sums = {
        name: total for name, other in same.items() if other not in read and (total := extents._sum(other))
    }
    same = {name: other for name, other in same.items() if name not in sums}
    for name, other in same.items():
        if other not in read:
            raise ModelError(
                f"dims={{{name!r}: {other!r:.80}}}: a text is the name of another extent, of which dims says numbers, or "
                f"a sum of one that varies and numbers: {', '.join(map(repr, read)) or 'it says none'}",
                dim=name,
            )
    return replace(extents, same=same, sums=sums)


def with_defaults(
    extents: Extents, read: Callable[[Extents], ReadModel], trial: Callable[[Extents], object]
) -> tuple[ReadModel, Extents]:
    """Reads a model; where it leaves only leading extents open, these become ranges.

    Args:
        extents: what `dims` says.
        read: reads the model for the smallest sizes.
        trial: the same, and nothing that it tells counts.

    Returns:
        What `read` gives, and the extents with which it did.
    """
    try:
        return read(extents), extents
    except ModelError as error:
        summed = extents.with_sums(_open(error))
        if summed is not extents:
            return with_defaults(summed, read, trial)
        open_ = _leading(error)
        if not open_:
            raise
        more = _ranges(extents, open_, trial)
        try:
            return read(more), more
        except ModelError:
            raise error from None


def _ranges(extents: Extents, open_: Sequence[str], trial: Callable[[Extents], object]) -> Extents:
    """The extents with ranges for those that are open. Those of several inputs that have no name are one extent, if the model
    contradicts itself where they have different sizes: so it is with columns, as exports of scikit-learn have them.
    """
    unnamed = [name for name in open_ if name.endswith(":0")]
    given = [name for name in (*extents.fixed, *extents.varying) if name.endswith(":0")]
    same: dict[str, str] = {}
    if len(given) + len(unnamed) > 1:
        sizes = {name: size for size, name in enumerate(unnamed, 2)}
        others = {name: DEFAULT for name in open_ if name not in sizes}
        try:
            trial(Extents({**extents.fixed, **sizes}, {**extents.varying, **others}, same=extents.same))
        except ModelError:
            first, *rest = *given[:1], *unnamed
            same = dict.fromkeys((name for name in rest if name in sizes), first)
    varying = {**extents.varying, **{name: DEFAULT for name in open_ if name not in same}}
    return replace(extents, varying=varying, taken=tuple(open_), same={**extents.same, **same})


def _open(error: ModelError) -> Iterable[str]:
    """The extents that a model leaves open."""
    places: Mapping[str, object] = error.facts.get("places") or {}  # type: ignore[assignment]
    return tuple(places)


def _leading(error: ModelError) -> Sequence[str]:
    """The extents that a model leaves open, if each of them is the first one of its inputs and of no others."""
    places: Mapping[str, Sequence[tuple[str, int]]] = error.facts.get("places") or {}  # type: ignore[assignment]
    leading = all(axis == 0 for some in places.values() for _, axis in some)
    return tuple(places) if leading else ()


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
    longer: Longer | None = None,
    filled: Collection[str] = (),
) -> Varying:
    """Which programs a model with extents that vary gets.

    Args:
        extents: some that vary.
        places: the inputs and axes of each.
        lowered: reads and lowers the model.
        first: the same for the smallest sizes.
        may_have_room: whether programs for more places may serve fewer: not where kernels add up rows of a matrix that have
            nothing to do with each other, as they may with `math="normwise"`.
        longer: the inputs and axes that have more places than an extent, and how many more.
        filled: the extents that are how many places of states are filled: they get one program with room, where state lies.

    Raises:
        ModelError: a range is none of items, and too long for a program for each size: the message says what mixes items. Or
            there would be too many programs.
    """
    return _Proving(extents, places, lowered, first, may_have_room, longer or {}, filled).programs()


@dataclass(slots=True)
class _Proving:
    extents: Extents
    places: Places
    lower: Lower
    first: Lowered
    may_have_room: bool = True
    longer: Longer = field(default_factory=dict)
    filled: Collection[str] = ()
    running: frozenset[str] = frozenset()
    lowered_for: dict[tuple[int, ...], Lowered] = field(default_factory=dict)

    def programs(self) -> Varying:
        varying = self.extents.varying
        self._require_places()
        self.lowered_for[tuple(map(smallest_size, varying.values()))] = self.first
        axes = [self._items(at, name, dim) for at, (name, dim) in enumerate(varying.items())]
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
            maximum = FILLED_MAX if names[at] in self.filled else SIZES_MAX
            if (dims[at].high - dims[at].low) // dims[at].multiple_of >= maximum:
                return Mixed(f"the range of {names[at]} has more than {maximum} sizes")
        if any(isinstance(axis, Mixed) and dim.sizes for dim, axis in zip(dims, axes, strict=True)):
            return Mixed("another extent that counts no items has a list of sizes; give a range for it too")
        sizes = [
            capacities(dim, len(roomy) == 1 and names[at] not in self.filled)
            if at in roomy
            else sizes_of_programs(dim)[: None if dim.sizes else 1]
            for at, dim in enumerate(dims)
        ]
        rooms = Rooms(
            names, dims, roomy, sizes, self.places, lambda some: self._lowered(some).draft, self.longer
        ).drafts_or_largest()
        if isinstance(rooms, Mixed):
            return rooms
        lowered = {own: replace(self.lowered_for[own], draft=draft) for own, draft in rooms.items()}
        first = next(iter(rooms.values()))
        outputs = [
            (value.name or "", first.limits.get(draft_name, ()))
            for value, draft_name in zip(self.first.prepared.graph.outputs, first.outputs, strict=True)
        ]
        infos = tuple(
            room_info(name, at, dim, self.places[name], outputs, self.longer.get(name, ()))
            if at in roomy
            else _dim_info(name, dim, self.places[name], self.first, axes[at])
            for at, (name, dim) in enumerate(zip(names, dims, strict=True))
        )
        mixing = tuple(axis if isinstance(axis, Mixed) else None for axis in axes)
        return Varying(infos, lowered, mixing, next(iter(lowered)))

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
        logs = {at: self._logs(at, dims[at]) for at in self._roomy(axes)}
        tried = frozenset[str]()
        for rounded in (False, True):
            running = frozenset[str]().union(
                *(
                    may_run(*its, bounds_of(dims[at]), rounded=rounded)
                    for at, its in logs.items()
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
        logs = self._logs(at, dim)
        if isinstance(logs, Mixed):
            return logs
        question = case_asked(*logs, bounds_of(dim))
        return None if question is None else Mixed(question.why, (question.node,))

    def _logs(self, at: int, dim: Dim) -> tuple[SizeLog, SizeLog] | Mixed:
        """What is computed from shapes for two sizes of a dim; or what baked another size."""
        others = [compared(other)[0] for other in self.extents.varying.values()]
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
                return _asked(dim, logs, (many, few)) or {}
        inputs = dict(places)
        if len(inputs) != len(places):
            return Mixed(f"an input has {name} twice")
        axes = item_axes(larger, inputs, many, grown_axes(larger, smaller))
        if isinstance(axes, Mixed):
            return axes
        return (
            differing(larger, smaller, (many, few), axes)
            or _asked(dim, logs, (many, few))
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


def _asked(dim: Dim, logs: Sequence[SizeLog], counts: tuple[int, int]) -> Mixed | None:
    """Where a model asks for the number of items what has not one answer for all numbers, such as whether it is five."""
    low, high = min(dim.low or 1, *sizes_of_programs(dim)), EXTENT_MAX if dim.sizes else dim.high
    first, second = logs
    question = asked(first, second, Counts(*counts, min(low, *counts), max(high, *counts)))
    return None if question is None else Mixed(question.why, (question.node,))


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
