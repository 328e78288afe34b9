"""Where states lie in a stream's block: what metadata say of it, read back as written, and refused where it is wrong."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ingot.artifact.model_info import DimInfo, ModelInfo, ProgramInfo, StateInfo, TargetInfo, TensorInfo
from ingot.artifact.model_info_json import info_to_json
from ingot.artifact.model_info_read import info_from_json
from ingot.artifact.state_block import HEADER_BYTES, placed, state_block
from ingot.base.errors import ArtifactError
from ingot.base.tensor import DType

TYPES = {"h": (DType.FLOAT32, (1, 20)), "cache": (DType.FLOAT16, (2, 100, 8)), "seen": (DType.INT64, ())}


def _info(*pairs: StateInfo, name: str = "m") -> ModelInfo:
    inputs = tuple(TensorInfo(name, *type_) for name, type_ in TYPES.items())
    outputs = tuple(TensorInfo(f"{name}_out", *type_) for name, type_ in TYPES.items())
    states = placed(pairs, {tensor.name: tensor.type for tensor in inputs})
    return ModelInfo(name, name, inputs, outputs, (TargetInfo("host", "c", "c"),), states=states)


H, CACHE, SEEN = (
    StateInfo("h", "h_out"),
    StateInfo("cache", "cache_out", axis=1),
    StateInfo("seen", "seen_out"),
)
INFO = _info(H, CACHE, SEEN)
PAST = DimInfo("past", 0, 15, room=True, counts=(("present", 1, 1, 1, 1),), sums=(("past", 1, 0),))


def test_what_is_given_as_a_whole_has_two_places_and_what_fills_has_one_behind_them() -> None:
    assert [state.offset_bytes for state in INFO.states] == [64, 64 + 2 * (128 + 64), 64 + 128]
    block = state_block(INFO)
    assert (block.size_bytes, block.half_bytes) == (64 + 2 * 192 + 3200, 192)


def test_no_two_states_share_a_byte_of_the_block() -> None:
    block, taken = state_block(INFO), [(0, HEADER_BYTES)]
    sizes = {tensor.name: tensor.size_bytes for tensor in INFO.inputs}
    for state in INFO.states:
        copies = range(2 if state.axis is None else 1)
        begins = [state.offset_bytes + half * block.half_bytes for half in copies]
        taken += [(begin, begin + sizes[state.input]) for begin in begins]
    taken.sort()
    assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(taken))
    assert taken[-1][1] <= block.size_bytes


def test_blocks_of_the_same_states_are_the_same_whatever_the_model() -> None:
    assert state_block(_info(H, SEEN)) == state_block(_info(H, SEEN, name="other"))
    marks = {
        state_block(_info(*some)).mark for some in ((H,), (SEEN,), (H, SEEN), (SEEN, H), (H, SEEN, CACHE))
    }
    assert len(marks) == 5
    assert 0 not in marks


def test_states_are_read_as_they_were_written() -> None:
    assert info_from_json(info_to_json(INFO)) == INFO


def _with(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["states"][0].__setitem__(key, value)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (_with("input", "x"), "states[0].input"),
        (_with("output", "x"), "states[0].output"),
        (_with("output", "seen_out"), "states[0]"),
        (_with("input", "seen"), "states[0]"),
        (_with("offset_bytes", 128), "states[0].offset_bytes"),
        (_with("offset_bytes", -64), "states[0].offset_bytes"),
        (_with("axis", 2), "states[0].axis"),
        (_with("axis", -1), "states[0].axis"),
        (_with("axis", 0), "states[0].offset_bytes"),  # where a state lies depends on whether it fills
        (_with("size", 3), "states[0].size"),
        (lambda data: data["states"][0].pop("offset_bytes"), "states[0].offset_bytes"),
        (lambda data: data["states"].append(data["states"][0]), "states[3].input"),
    ],
)
def test_wrong_metadata_is_refused_with_its_field(
    change: Callable[[dict[str, Any]], object], field: str
) -> None:
    data = copy.deepcopy(json.loads(info_to_json(INFO)))
    change(data)
    with pytest.raises(ArtifactError) as error:
        info_from_json(json.dumps(data).encode())
    assert error.value.facts["field"] == field


GROWN = ModelInfo(
    "m",
    "m",
    (TensorInfo("past", DType.FLOAT32, (2, 16, 8), (2, PAST, 8)),),
    (TensorInfo("present", DType.FLOAT32, (2, 16, 8), (2, "past + 1", 8)),),
    (TargetInfo("host", "c", "c"),),
    dims=(PAST,),
    programs=(ProgramInfo("m", (15,), 1),),
    states=(StateInfo("past", "present", HEADER_BYTES, 1, 1, "past"),),
)


def test_a_state_that_grows_is_read_as_it_was_written() -> None:
    assert info_from_json(info_to_json(GROWN)) == GROWN


@pytest.mark.parametrize(
    ("key", "value", "field"),
    [
        ("grows", 0, "states[0]"),  # another axis than the one that varies
        ("grows", 3, "states[0].grows"),
        ("axis", 0, "states[0].axis"),
        ("dim", "future", "states[0].dim"),
    ],
)
def test_wrong_growth_is_refused_with_its_field(key: str, value: object, field: str) -> None:
    data = json.loads(info_to_json(GROWN))
    data["states"][0][key] = value
    with pytest.raises(ArtifactError) as error:
        info_from_json(json.dumps(data).encode())
    assert error.value.facts["field"] == field


@pytest.mark.parametrize(
    ("sums", "field"),
    [
        ([["past", 1, 2]], "dims.programs"),  # no room for so many
        ([["past", 1]], "dims.symbols[0].sums"),
        ([["past", 3, 0]], "dims.symbols[0].sums"),
        ([["future", 1, 0]], "dims.symbols[0].sums"),
        ([["past", 1, -1]], "dims.symbols[0].sums"),
    ],
)
def test_a_sum_is_of_an_input_that_has_room_for_it(sums: list[list[object]], field: str) -> None:
    data = json.loads(info_to_json(GROWN))
    data["dims"]["symbols"][0]["sums"] = sums
    with pytest.raises(ArtifactError) as error:
        info_from_json(json.dumps(data).encode())
    assert error.value.facts["field"] == field


def test_states_that_overlap_are_not_written() -> None:
    first, *others = INFO.states
    with pytest.raises(ArtifactError, match=r"offset_bytes.*must be 64, got 192"):
        info_to_json(replace(INFO, states=(replace(first, offset_bytes=192), *others)))
