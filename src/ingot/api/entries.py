"""Several models as the entries of one: they share their constants, and are steps of one stream (docs/use/entries.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from ingot.api.extents import extents_of
from ingot.api.stages import EntryObserver, Options, Work, read_work
from ingot.artifact.artifact import is_symbol
from ingot.artifact.model_info import EntryInfo
from ingot.base.errors import ModelError, nearest
from ingot.base.observe import Observer
from ingot.graph.read.entries import declared, own_states, require_same_weights, shared_states
from ingot.graph.read.source import ModelSource
from ingot.graph.read.states import AUTO, State


@dataclass(frozen=True, slots=True)
class Asked:
    """What `build` was given that is for all entries: each takes of it what it has."""

    name: str | None
    dims: Mapping[str, object] | None
    constants: Mapping[str, object] | None
    state: State


def read_entries(
    models: Mapping[str, ModelSource], asked: Asked, options: Options, watcher: Observer
) -> list[Work]:
    """The models of all entries, read, each with the states of all.

    Raises:
        ModelError: a name is no C identifier, `dims` or `constants` has a name that no entry has, a state differs between
            entries, or weights of one name do.
    """
    bad = [entry for entry in models if not isinstance(entry, str) or not is_symbol(entry)]
    if not models or bad:
        raise ModelError(
            f"entries of a model have C identifiers as names, such as {{'prefill': …, 'decode': …}}, got {bad or 'none'}"
        )
    ends = {entry: declared(model) for entry, model in models.items()}
    whole = asked.name or next(iter(ends.values())).name
    _require_known(whole, "dims", asked.dims, [each.keys for each in ends.values()])
    _require_known(whole, "constants", asked.constants, [each.inputs for each in ends.values()])
    works = {}
    for entry, model in models.items():
        constants = _of_these(asked.constants, ends[entry].inputs)
        front = options.front(model, f"{whole}_{entry}", constants)
        extents = extents_of(_of_these(asked.dims, ends[entry].keys))
        works[entry] = read_work(front, extents, asked.state, EntryObserver(watcher, entry))
        works[entry].entry = EntryInfo(whole, entry)
    require_same_weights(whole, {entry: work.read for entry, work in works.items()})
    if asked.state is not None:
        _share_states(whole, works, asked.state, watcher)
    return list(works.values())


def _of_these(given: Mapping[str, object] | None, names: Collection[str]) -> dict[str, object]:
    return {name: value for name, value in (given or {}).items() if name in names}


def _require_known(
    whole: str, argument: str, given: Mapping[str, object] | None, names: Iterable[Collection[str]]
) -> None:
    known = {name for some in names for name in some}
    for name in given or {}:
        if name not in known:
            raise ModelError(
                f"model {whole!r}: {argument} has {name!r}, which no entry has{nearest(name, known)}",
                name=name,
            )


def _share_states(whole: str, works: Mapping[str, Work], state: State, watcher: Observer) -> None:
    """Gives each entry the states of all. In place."""
    varying = {
        place
        for work in works.values()
        for name in work.extents.varying
        for place, _ in work.front.places.get(name, ())
    }
    states = shared_states(whole, {entry: work.read for entry, work in works.items()}, varying, state)
    if state == AUTO:
        words = ", ".join(f"{each.input} from {each.output}" for each in states)
        watcher.note(f"model {whole!r}: state is taken to be {words}")
    for entry, work in works.items():
        own = own_states(whole, entry, work.read, states)
        work.front.completions = own.completions
        for completion in own.completions:
            completion.complete(work.read)
        work.state = own.states or None
        work.entry = replace(work.entry or EntryInfo(whole, entry), begins=own.begins)
