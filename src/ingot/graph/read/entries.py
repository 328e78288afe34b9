"""Models that are entries of a larger one: what they have in common, and what each lacks of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.graph.read.completion import Completion
from ingot.graph.read.source import ModelSource, ReadModel, load_proto, model_name
from ingot.graph.read.states import State, paired_names
from ingot.graph.read.types import to_array

_COMPARED_MIN = 256  # elements of a weight whose name says which one it is
_NUMBERED = re.compile(r"(^|\W|_)\d+$")  # a name that an exporter counted
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Declared:
    """What a file declares: a name for the model, its inputs, and what `dims` may call their extents."""

    name: str
    inputs: tuple[str, ...]
    keys: tuple[str, ...]


def declared(model: ModelSource) -> Declared:
    """What a model declares; its weights are not read."""
    proto, _ = load_proto(model, {}, {})
    keys: list[str] = []
    for value in proto.graph.input:
        extents = value.type.tensor_type.shape.dim
        keys += [extent.dim_param or f"{value.name}:{axis}" for axis, extent in enumerate(extents)]
        keys += [f"{value.name}:{word}" for word in ("rank", "length")]
    inputs = tuple(value.name for value in proto.graph.input)
    return Declared(model_name(model, proto), inputs, tuple(keys))


def require_same_weights(whole: str, models: Mapping[str, ReadModel]) -> None:
    """Refuses entries of which weights of one name and type have other contents: they are of two models.

    Args:
        whole: the name of the larger model, for messages.
        models: each entry, as it was read.

    Raises:
        ModelError: some differ; which and how many.
    """
    (first, model), *others = models.items()
    known = _weights(model)
    for entry, other in others:
        common = {
            name: tensor
            for name, tensor in _weights(other).items()
            if name in known and _type_of(tensor) == _type_of(known[name])
        }
        differing = [name for name, tensor in common.items() if not _are_equal(tensor, known[name])]
        if differing:
            shown = ", ".join(differing[:_SHOWN]) + (", …" if len(differing) > _SHOWN else "")
            raise ModelError(
                f"model {whole!r}: entries {first!r} and {entry!r} are not of the same weights: {len(differing)} of "
                f"{len(common)} that both have differ ({shown}); export both from one checkpoint, or merge two builds",
                differing=tuple(differing),
            )


def _weights(model: ir.Model) -> dict[str, ir.TensorProtocol]:
    """The matrices of a model by names that say which they are."""
    return {
        name: tensor
        for name, value in model.graph.initializers.items()
        if (tensor := value.const_value) is not None
        and len(tensor.shape) > 1
        and tensor.size >= _COMPARED_MIN
        and not _NUMBERED.search(name)
    }


def _type_of(tensor: ir.TensorProtocol) -> tuple[object, ...]:
    return (tensor.dtype, *tensor.shape)


def _are_equal(tensor: ir.TensorProtocol, other: ir.TensorProtocol) -> bool:
    return np.array_equal(to_array(tensor).view(np.uint8), to_array(other).view(np.uint8))


@dataclass(frozen=True, slots=True)
class SharedState:
    """A state of several entries. `varies`: its shape is another from call to call."""

    input: str
    output: str
    dtype: ir.DataType
    shape: tuple[int, ...]
    varies: bool


def shared_states(
    whole: str, models: Mapping[str, ReadModel], varying: Collection[str], state: State
) -> list[SharedState]:
    """The states that the entries of a model share, by the names of their inputs and outputs together.

    Args:
        whole: the name of the larger model, for messages.
        models: each entry, as it was read.
        varying: inputs with extents that vary.
        state: what the caller says.

    Raises:
        ModelError: no such input or output.
    """
    graphs = [model.graph for model in models.values()]
    inputs = _by_name(chain.from_iterable(graph.inputs for graph in graphs))
    outputs = _by_name(chain.from_iterable(graph.outputs for graph in graphs))
    kinds = [{name: _kind(value) for name, value in ends.items()} for ends in (inputs, outputs)]
    pairs = paired_names(state, whole, *kinds)
    if not pairs:
        raise ModelError(
            f"model {whole!r}: state='auto' finds no input of an entry that belongs to an output by its name; "
            "say which are by state={'h': 'hn'}"
        )
    return [_shared(source, result, inputs[source], varying) for source, result in pairs]


def _by_name(values: Iterator[ir.Value]) -> dict[str, ir.Value]:
    by_name: dict[str, ir.Value] = {}
    for value in values:
        by_name.setdefault(value.name or "", value)
    return by_name


def _kind(value: ir.Value) -> tuple[object, ...]:
    """What a state and its next value have in common."""
    return (value.dtype, None if value.shape is None else len(value.shape))


def _shared(source: str, result: str, value: ir.Value, varying: Collection[str]) -> SharedState:
    assert value.dtype is not None and value.shape is not None
    shape = tuple(extent for extent in value.shape if isinstance(extent, int))
    return SharedState(source, result, value.dtype, shape, source in varying)


@dataclass(frozen=True, slots=True)
class OwnStates:
    """What an entry does about the states of all: its own, by input, the (output, state) pairs by which it begins one, and what
    it lacks.
    """

    states: Mapping[str, str]
    begins: tuple[tuple[str, str], ...]
    completions: tuple[Completion, ...]


def own_states(whole: str, entry: str, model: ReadModel, states: Sequence[SharedState]) -> OwnStates:
    """What an entry does about the states of all.

    Raises:
        ModelError: it has one of another type.
    """
    given = {value.name: value for value in model.graph.inputs}
    results = {value.name for value in model.graph.outputs}
    own: dict[str, str] = {}
    begins: list[tuple[str, str]] = []
    completions: list[Completion] = []
    for state in states:
        source, has_result = given.get(state.input), state.output in results
        if source is None and has_result:
            begins.append((state.output, state.input))
        if source is None and state.varies:
            continue
        if source is not None and (source.dtype, tuple(source.shape or ())) != (state.dtype, state.shape):
            raise ModelError(
                f"model {whole!r}: state {state.input!r} is {_words(source)} in the entry {entry!r}, and "
                f"{state.dtype.name.lower()}{list(state.shape)} in another; entries that share a state have it with one type",
                name=state.input,
            )
        own[state.input] = state.output
        if source is None or not has_result:
            dtype = state.dtype if source is None else None
            completions.append(Completion(state.input, state.output, dtype, state.shape, not has_result))
    return OwnStates(own, tuple(begins), tuple(completions))


def _words(value: ir.Value) -> str:
    dtype = "?" if value.dtype is None else value.dtype.name.lower()
    return f"{dtype}{list(value.shape or ())}"
