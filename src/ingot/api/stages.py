"""The stages of `build`, each for one model: what is read, what becomes of it, and what its code is made from.

A build has several models where they are entries of one (`api/entries`): they are read and lowered one by one, and share
constants.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from ingot.api.counted import require_alone, with_counts
from ingot.api.decoder_extents import decoder_extents
from ingot.api.extents import Extents, with_defaults
from ingot.api.front import Front
from ingot.api.levels import Level, Part, planned, with_shared_constants
from ingot.api.measure import measured_tuning
from ingot.api.members import Facts, GeneratedProgram, generate, members
from ingot.api.rooms import Growth
from ingot.api.shapes import Lowered, programs_of
from ingot.api.states import changed_in_place, checked_states, grown_in_place, growth_of, with_room_for_steps
from ingot.api.varying_info import program_symbols
from ingot.artifact.artifact_set import Member
from ingot.artifact.model_info import DimInfo, EntryInfo, Origin, StateInfo
from ingot.artifact.tuning import Tuning
from ingot.artifact.tuning_json import tuning_to_json
from ingot.base.defects import defects_named
from ingot.base.observe import Observer
from ingot.border.program import Border
from ingot.codegen.kept_builds import KeptBuild, known_build
from ingot.codegen.record import BuildContext, KernelCache
from ingot.graph.place import Placement
from ingot.graph.read.counted import CountedExtents
from ingot.graph.read.declared import Declarations
from ingot.graph.read.origin import noted_origin
from ingot.graph.read.source import ModelSource, ReadModel
from ingot.graph.read.states import State, may_be_state
from ingot.graph.read.weights import forget_weights
from ingot.graph.write import model_bytes, model_files
from ingot.machines.machine import Machine
from ingot.ops.registry import ALL as OPERATORS
from ingot.plan.fuse.fuse import fuse
from ingot.plan.transfer import transfer
from ingot.tune.apply import applied


@dataclass(frozen=True, slots=True)
class Options:
    """What a build was asked for, checked: arguments of `build`. `wanted` are the parts and the machines of each level, `takes`:
    whether what was measured is taken from a file.
    """

    parts: Mapping[str, Part]
    wanted: Sequence[tuple[Mapping[str, Part], Mapping[str, Machine]]]
    executors: tuple[str, ...]
    math: str
    skipped: Collection[str]
    forced: Mapping[str, str]
    kept: KernelCache | None
    given: Tuning
    tune: float | None
    takes: bool
    strict: bool
    place: Placement | None
    bounds: Mapping[str, int]

    def front(self, model: ModelSource, name: str | None, constants: Mapping[str, object] | None) -> Front:
        """A model on its way to definitions."""
        exact = self.math == "exact"
        return Front(model, name, constants, self.parts, self.place, exact, self.skipped, self.bounds)


class EntryObserver(Observer):
    """Passes everything on to another observer; the names of dumps begin with that of the entry."""

    def __init__(self, observer: Observer, entry: str) -> None:
        super().__init__(observer.on_dump, observer.on_progress, observer.on_note, observer.times)
        self._observer, self._entry = observer, entry

    @property
    def wants_stages(self) -> bool:
        """As of the other observer."""
        return self._observer.wants_stages

    def dump(self, name: str, content: Callable[[], str | bytes]) -> None:
        """As of every observer."""
        self._observer.dump(f"{self._entry}.{name}", content)

    def progress(self, stage: str, done: int, total: int) -> None:
        """As of every observer."""
        self._observer.progress(stage, done, total)

    def note(self, sentence: str, kind: type[Warning] = UserWarning) -> None:
        """As of every observer."""
        self._observer.note(sentence, kind)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """As of every observer."""
        with self._observer.timed(stage):
            yield


@dataclass(slots=True)
class Work:
    """A model that was read for the smallest sizes, and all that decides what becomes of it. `entry` is what it is of several."""

    front: Front
    declarations: Declarations
    extents: Extents
    read: ReadModel
    state: State
    entry: EntryInfo | None = None
    files: Mapping[str, bytes | memoryview] = field(default_factory=dict)
    origin: Origin | None = None
    digests: tuple[tuple[str, str], ...] = ()

    def heard(self, watcher: Observer) -> Observer:
        """An observer of this model's stages."""
        return watcher if self.entry is None else EntryObserver(watcher, self.entry.name)

    @property
    def is_own(self) -> bool:
        """Whether all that computes it is ingot's own: what a plug-in computes nobody can key."""
        return len(self.front.operators(self.read)) == len(OPERATORS)

    @property
    def choices(self) -> tuple[object, ...]:
        """What decides the build besides the files and the options."""
        entry = () if self.entry is None else (self.entry, self.front.completions)
        return (self.declarations, self.origin, self.digests, self.extents, self.state, *entry)


@dataclass(slots=True)
class Planned:
    """A model lowered for each combination of sizes. `own` are the sizes of the program that has the model's own symbol."""

    work: Work
    variants: dict[tuple[int, ...], Lowered]
    states: tuple[StateInfo, ...] = ()
    dims: tuple[DimInfo, ...] = ()
    border: Border | None = None
    own: tuple[int, ...] = ()
    counts: tuple[DimInfo, ...] = ()
    grows: bool = False

    @property
    def name(self) -> str:
        """The model's name."""
        return next(iter(self.variants.values())).draft.name

    @property
    def may_change_in_place(self) -> bool:
        """Whether states that do not grow may be changed in their place: each program is for one size."""
        is_varying = self.counts or self.grows or any(dim.room or dim.outputs for dim in self.dims)
        return bool(self.states) and not is_varying


def read_work(front: Front, extents: Extents, state: State, watcher: Observer) -> Work:
    """The model for the smallest sizes. Extents that `dims` leaves open become ranges."""
    declarations = Declarations(counts=CountedExtents(front.bounds))

    def trial(some: Extents) -> object:
        return front.again(some.smallest, Observer())

    def is_state(input_: str) -> bool:
        return may_be_state(state, input_)

    with watcher.timed("read"):
        read, extents = with_defaults(
            extents,
            lambda some: front.read(some.smallest, declarations),
            lambda some: front.read(some.smallest, Declarations()),
            lambda some, places: decoder_extents(some, places, is_state, trial) if state else None,
        )
    front.has_ranges = any(not dim.sizes for dim in extents.varying.values())
    watcher.dump("read.onnx", lambda: model_bytes(read))
    return Work(front, declarations, extents, read, state)


def noted(work: Work) -> Work:
    """The work with the files that the model is kept as, and where it comes from."""
    origin, digests = noted_origin(work.read)
    files = model_files(work.read, work.read.graph.name or "")
    return replace(work, files=files, origin=origin, digests=digests)


def kept_build_of(works: Sequence[Work], options: Options, watcher: Observer) -> KeptBuild | None:
    """Where the cache keeps the build; None if it keeps none of this kind."""
    if options.kept is None or options.tune is not None or options.takes or watcher.wants_stages:
        return None
    if not all(work.files and work.is_own for work in works):
        return None
    keyed = [(at, key, part) for at, (level, _) in enumerate(options.wanted) for key, part in level.items()]
    generators = {f"{at} {key} {part.target}": part.generator for at, key, part in keyed}
    choices = (
        options.executors,
        [machines for _, machines in options.wanted],
        options.strict,
        sorted(options.skipped),
        options.forced,
        *(choice for work in works for choice in work.choices),
    )
    files = {name: content for work in works for name, content in work.files.items()}
    return known_build(options.kept, files, generators, options.place, choices)


def lowered_work(work: Work, options: Options, watcher: Observer) -> Planned:
    """The definitions of a model, for each combination of sizes that a program is for."""
    front, extents, watcher = work.front, work.extents, work.heard(watcher)
    smallest = extents.smallest
    first = front.first(work.read, smallest, work.declarations, options.strict, watcher)
    first, counts = with_counts(first, lambda rooms, running: front.again(smallest, watcher, rooms, running))
    require_alone(first, counts, extents.varying)
    planned_ = Planned(work, {(): first}, counts=counts)
    growth = Growth()
    symbols_of: dict[tuple[str, int], str] = {}
    if extents.varying:
        all_places = front.places
        places = extents.joined(all_places)
        symbols_of = {place: name for name in extents.varying for place in places.get(name, ())}
        lowered = front.remembering(first, smallest, watcher)
        growth = growth_of(work.state, extents, lowered, symbols_of)
        extents = with_room_for_steps(first.draft.name, extents, growth)
        varying = programs_of(
            extents,
            places,
            lowered,
            first,
            options.math != "normwise",
            extents.longer(all_places),
            growth,
        )
        planned_.dims, planned_.variants = varying.dims, varying.lowered
        planned_.border, planned_.own = varying.border, varying.own
        watcher.dump("dims.txt", varying.text)
    variants = list(planned_.variants.values())
    planned_.states = checked_states(work.state, variants, (*planned_.dims, *counts), symbols_of, watcher)
    planned_.grows = bool(growth.names)
    for words in work.extents.taken_words():
        watcher.note(f"model {first.draft.name!r}: {words}")
    return planned_


def in_place(planned_: Sequence[Planned]) -> None:
    """Lets states lie in the memory of those before where that is proven: of several models in all of them."""
    growing = [each for each in planned_ if each.grows]
    grown = [grown_in_place(each.variants, each.states, each.dims) for each in growing]
    if len({tuple((state.input, state.axis) for state in states) for _, states, _ in grown}) == 1:
        for each, (variants, states, dims) in zip(growing, grown, strict=True):
            each.variants, each.states, each.dims = variants, states, dims
    if all(each.may_change_in_place for each in planned_):
        changed = changed_in_place([(each.variants, each.states) for each in planned_])
        for each, (variants, states) in zip(planned_, changed, strict=True):
            each.variants, each.states = variants, states


def members_of(
    several: Sequence[Planned], options: Options, context: BuildContext, watcher: Observer
) -> Iterator[Member]:
    """All artifacts but the models' own files, which share their constants."""
    for each in several:
        forget_weights(each.work.read)
        for variant in each.variants.values():
            forget_weights(variant.prepared)
    given = options.given
    if options.tune is not None:
        drafts = [variant.draft for each in several for variant in each.variants.values()]
        given = measured_tuning(drafts, *options.wanted[0], context, options.tune, watcher)
    counts = [len(each.variants) * len(options.wanted) for each in several]
    planned_ = [level for each in several for level in _levels(each, options, given, watcher)]
    levels = [replace(level, owner=several[0].name) for level in with_shared_constants(planned_)]
    ends = list(itertools.accumulate(counts))
    of_each = [levels[end - count : end] for end, count in zip(ends, counts, strict=True)]
    generated = [
        _generated(each, some, len(options.wanted), context, watcher)
        for each, some in zip(several, of_each, strict=True)
    ]
    for at, (each, some) in enumerate(zip(several, of_each, strict=True)):
        measured = b""
        if options.tune is not None or options.takes:
            programs = [level.program for level in some]
            measured = tuning_to_json(applied(programs, given, some[0].targets, watcher))
        facts = _facts(each, options, measured)
        yield from members(generated[at], facts, () if at else levels).members


def _generated(
    each: Planned, levels: Sequence[Level], count: int, context: BuildContext, watcher: Observer
) -> dict[tuple[int, ...], list[GeneratedProgram]]:
    """The code of a model, for each combination of sizes that of `count` levels."""
    heard = each.work.heard(watcher)
    return {
        sizes: list(generate(variant, levels[at : at + count], context, heard))
        for at, (sizes, variant) in zip(itertools.count(0, count), each.variants.items(), strict=False)
    }


def _facts(each: Planned, options: Options, measured: bytes) -> Facts:
    work = each.work
    return Facts(
        options.executors,
        work.digests,
        work.origin,
        each.dims,
        each.border,
        measured,
        each.states,
        each.counts,
        work.entry,
    )


def _levels(planned_: Planned, options: Options, given: Tuning, watcher: Observer) -> list[Level]:
    """The programs of a model, with kernels and memory planned."""
    watcher = planned_.work.heard(watcher)
    spaces = {key: part.space for key, part in options.parts.items()}
    symbols = program_symbols(planned_.name, planned_.variants, planned_.own)
    last = len(options.wanted) - 1
    plans: list[Level] = []
    for sizes, variant in planned_.variants.items():
        with watcher.timed("fuse"), defects_named("fusing definitions"):
            fused = transfer(fuse(variant.draft), spaces)
        # What is still asked of the draft are its types.
        planned_.variants[sizes] = replace(variant, draft=replace(variant.draft, constants={}))
        for at, (level, machines) in enumerate(options.wanted):
            symbol = f"{symbols[sizes]}_level{at}" if at else symbols[sizes]
            plan = planned(fused, symbol, level, machines, given, watcher, at == last, options.forced)
            plans.append(replace(plan, repeats=bool(planned_.dims)))
    return plans
