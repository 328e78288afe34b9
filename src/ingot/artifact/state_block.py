"""Where states lie in the memory of a stream, its state block, and how metadata say it.

A block has a header, two halves, and behind them what fills step by step. A state that each step gives as a whole has a place
in each half: a step reads one half and writes the other, and then they change roles. A state that fills has one place, and a
step writes what is new behind what is there. Blocks have no pointers: a copy of one is another stream.

Few models have state: this is imported with the first of them.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ingot.artifact.model_info import DimInfo, ModelInfo, StateInfo, TensorInfo, checks, read_int
from ingot.base.records import Frozen
from ingot.base.tensor import TensorType, tensor_bytes

HEADER_BYTES = (
    64  # INGOT_STATE_HEADER of ingot/native/state.h: two numbers of 32 bits, and how much is filled
)
FILLED_MAX = (
    7  # INGOT_STATE_FILLED: of so many symbols a block says how many places are filled, an int64 for each
)
ALIGNMENT_BYTES = 64  # of the block, and of each state in it
_KEYS = frozenset({"input", "output", "offset_bytes"})
_wrong, _array, _object, _text = checks.wrong, checks.array, checks.object, checks.text

Tensors = Sequence[TensorInfo]


class StateBlock(metaclass=Frozen):
    """The memory of a stream: its bytes, and how far the second half is behind the first, in bytes.

    `mark` is what its first number is once it was begun: the same for all models whose states have the same names, types and
    places, so that a block goes from one to another, and never 0.
    """

    size_bytes: int
    half_bytes: int
    mark: int


def placed(states: Sequence[StateInfo], types: Mapping[str, TensorType]) -> tuple[StateInfo, ...]:
    """States with their offsets in the block, in the same order.

    Args:
        states: what is kept, whatever their offsets.
        types: of each input.
    """
    offsets, half_bytes = {}, _size_of(types, [state for state in states if state.axis is None])
    at, behind = HEADER_BYTES, HEADER_BYTES + 2 * half_bytes
    for state in states:
        size = _aligned_bytes(types[state.input])
        if state.axis is None:
            offsets[state.input], at = at, at + size
        else:
            offsets[state.input], behind = behind, behind + size
    return tuple(replace(state, offset_bytes=offsets[state.input]) for state in states)


def state_block(info: ModelInfo) -> StateBlock:
    """The block of a model that has states."""
    types = {tensor.name: tensor.type for tensor in info.inputs}
    half_bytes = _size_of(types, [state for state in info.states if state.axis is None])
    filled_bytes = _size_of(types, [state for state in info.states if state.axis is not None])
    words = "".join(
        f"{state.input}: {types[state.input]} at {state.offset_bytes}, {state.axis}"
        f"{'' if state.grows is None else f', filled up to {state.dim}'}\n"
        for state in info.states
    )
    mark = zlib.crc32(words.encode("utf-8", "replace")) or 1
    return StateBlock(HEADER_BYTES + 2 * half_bytes + filled_bytes, half_bytes, mark)


class Step(metaclass=Frozen):
    """What a step adds to states of one symbol: `plus` places, and as many as each of the dims `new` has. The states hold at most
    `capacity` of them.
    """

    plus: int
    new: tuple[DimInfo, ...]
    capacity: int


def steps_of(info: ModelInfo) -> dict[str, Step]:
    """What a step adds to states that grow, by symbol."""
    return {state.dim: _step_of(info, state) for state in info.states if state.grows is not None}


def _step_of(info: ModelInfo, state: StateInfo) -> Step:
    axis = state.grows
    assert axis is not None
    place = state.output, axis
    new = tuple(dim for dim in info.dims if not dim.room and any(count[:2] == place for count in dim.counts))
    dim = next(dim for dim in info.dims if dim.name == state.dim)
    shapes = {tensor.name: tensor.shape for tensor in (*info.inputs, *info.outputs)}
    # Programs with room say it, others show it.
    told = (count[3] for count in dim.counts if count[:2] == place)
    plus = next(told, shapes[state.output][axis] - shapes[state.input][axis])
    return Step(plus, new, dim.high + plus + sum(min(other.sizes) for other in new))


def filled_dims(info: ModelInfo) -> tuple[str, ...]:
    """The symbols that say how much is filled of states that grow, in the order of their numbers in the block's header."""
    return tuple(dict.fromkeys(state.dim for state in info.states if state.grows is not None))


def why_no_block(info: ModelInfo) -> str:
    """Why states cannot lie in a block; empty if they can."""
    copied = [state.input for state in info.states if state.grows is not None and state.axis is None]
    if copied:
        return f"it has the state {copied[0]!r}, of which each step gives a longer copy, and a state block has one size"
    if len(filled_dims(info)) > FILLED_MAX:
        return f"its states grow along {len(filled_dims(info))} extents, and a state block has room for {FILLED_MAX}"
    return ""


def _size_of(types: Mapping[str, TensorType], states: Sequence[StateInfo]) -> int:
    return sum(_aligned_bytes(types[state.input]) for state in states)


def _aligned_bytes(type_: TensorType) -> int:
    return -(-tensor_bytes(type_.dtype, type_.shape) // ALIGNMENT_BYTES) * ALIGNMENT_BYTES


# ─── metadata ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def states_data(info: ModelInfo) -> list[dict[str, Any]]:
    """The states as metadata have them."""
    return [
        {
            "input": state.input,
            "output": state.output,
            "offset_bytes": state.offset_bytes,
            **({} if state.axis is None else {"axis": state.axis}),
            **({} if state.grows is None else {"grows": state.grows, "dim": state.dim}),
        }
        for state in info.states
    ]


def read_states(value: Any, inputs: Tensors, outputs: Tensors) -> tuple[StateInfo, ...]:
    """Pairs of an input and an output of the same type, which no call changes; no name twice.

    Raises:
        ArtifactError: it is not what a build writes; `facts["field"]` says where.
    """
    by_name = [{tensor.name: tensor for tensor in tensors} for tensors in (inputs, outputs)]
    states: list[StateInfo] = []
    for at, item in enumerate(_array(value, "states")):
        data = _object(item, f"states[{at}]", _KEYS, frozenset({"axis", "grows", "dim"}))
        ends = []
        for role, known in zip(("input", "output"), by_name, strict=True):
            name = _text(data[role], f"states[{at}].{role}")
            if name not in known:
                _wrong(
                    f"states[{at}].{role}", f"must be an {role} that no other state has, got {name[:80]!r}"
                )
            ends.append(known.pop(name))
        grows, dim = _growth(data, f"states[{at}]", ends)
        offset = read_int(data["offset_bytes"], f"states[{at}].offset_bytes")
        axis = None
        if "axis" in data:
            axis = read_int(data["axis"], f"states[{at}].axis", high=len(ends[0].shape) - 1)
        states.append(StateInfo(ends[0].name, ends[1].name, offset, axis, grows, dim))
    for at, (state, other) in enumerate(
        zip(states, placed(states, {tensor.name: tensor.type for tensor in inputs}), strict=True)
    ):
        if state != other:
            _wrong(f"states[{at}].offset_bytes", f"must be {other.offset_bytes}, got {state.offset_bytes}")
    return tuple(states)


def _growth(data: Mapping[str, Any], field: str, ends: Tensors) -> tuple[int | None, str]:
    """The axis along which a state grows, and the symbol of its extent; None for one that has one type."""
    source, result = ends
    if "grows" not in data:
        if source.type != result.type or source.extents or result.extents:
            _wrong(field, "must have an input and an output of one type, without extents that vary")
        return None, ""
    axis = read_int(data["grows"], f"{field}.grows", high=len(source.shape) - 1)
    varying = [at for at, extent in enumerate(source.extents) if not isinstance(extent, int)]
    shapes = [(*tensor.shape[:axis], *tensor.shape[axis + 1 :]) for tensor in ends]
    if source.dtype is not result.dtype or shapes[0] != shapes[1] or varying != [axis]:
        _wrong(field, f"must have an input and an output of one type but for axis {axis}, which alone varies")
    if "axis" in data and (data["axis"] != axis or source.shape != result.shape):
        _wrong(f"{field}.axis", f"must be {axis}, and both must have one shape, to fill in its place")
    name = _text(data.get("dim"), f"{field}.dim")
    if str(getattr(source.extents[axis], "name", "")) != name:
        _wrong(f"{field}.dim", f"must be the symbol of axis {axis}, got {name[:80]!r}")
    return axis, name
