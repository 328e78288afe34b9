"""`EntryInfo`: models that are entries of a larger one, read and put together. Few libraries have any: imported with them."""

from collections.abc import Mapping, Sequence
from typing import Any

from ingot.artifact.artifact import is_symbol
from ingot.artifact.model_info import EntryInfo, ModelInfo, StateInfo, TensorInfo, checks
from ingot.base.errors import ArtifactError

_KEYS = frozenset({"of", "name"})
_SELDOM_KEYS = frozenset({"begins"})

_wrong, _object, _array, _text = checks.wrong, checks.object, checks.array, checks.text


def read_entry(value: Any, outputs: Sequence[TensorInfo]) -> EntryInfo:
    """What a model with these outputs is of a larger one.

    Raises:
        ArtifactError: a field is wrong.
    """
    data = _object(value, "entry", _KEYS, _SELDOM_KEYS)
    names = {tensor.name for tensor in outputs}
    begins: list[tuple[str, str]] = []
    for at, item in enumerate(_array(data.get("begins", []), "entry.begins")):
        field = f"entry.begins[{at}]"
        pair = tuple(_text(name, field) for name in _array(item, field))
        if len(pair) != 2 or pair[0] not in names:
            _wrong(field, "must be an output that no other state has, and a state")
        names.remove(pair[0])
        begins.append((pair[0], pair[1]))
    return EntryInfo(
        _text(data["of"], "entry.of", is_symbol), _text(data["name"], "entry.name", is_symbol), tuple(begins)
    )


def entries_of(models: Mapping[str, ModelInfo], name: str) -> dict[str, ModelInfo]:
    """The entries of a larger model by their names; none if there is no such model.

    Raises:
        ArtifactError: two have one name, or they have different states.
    """
    entries: dict[str, ModelInfo] = {}
    for info in models.values():
        if info.entry is None or info.entry.of != name:
            continue
        if info.entry.name in entries:
            raise ArtifactError(f"model {name!r} has two entries {info.entry.name!r}", name=name)
        entries[info.entry.name] = info
    states = {
        entry: {state.input: (state.output, state.axis, *_kind(info, state)) for state in info.states}
        for entry, info in entries.items()
        if info.states
    }
    known = {name for some in states.values() for name in some}
    for entry, some in states.items():
        first = next(iter(states.values()))
        if some != first:
            raise ArtifactError(
                f"model {name!r}: its entry {entry!r} has other states than the others", name=name
            )
    for entry, info in entries.items():
        unknown = [state for _, state in info.entry.begins if state not in known] if info.entry else []
        if unknown:
            raise ArtifactError(
                f"model {name!r}: its entry {entry!r} begins the state {unknown[0]!r}, which no entry has",
                name=name,
            )
    return entries


def _kind(info: ModelInfo, state: StateInfo) -> tuple[object, ...]:
    """What is the same of a state for all entries: of one that grows without how many places it has."""
    tensor = next(tensor for tensor in info.inputs if tensor.name == state.input)
    shape = tuple(0 if axis == state.grows else extent for axis, extent in enumerate(tensor.shape))
    return tensor.dtype, shape, state.grows
