from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from ingot.artifact.model_info import DimInfo, TensorInfo
from ingot.base.errors import InputError
from ingot.base.tensor import DType
from ingot.runtime.executors.base import Executor
from ingot.runtime.generate import _Sizes, generate


def sizes(*numbers: int, has_padding: bool = True) -> _Sizes:
    dim = DimInfo("seq", min(numbers), max(numbers), 1, numbers)
    return _Sizes.of(TensorInfo("input_ids", DType.INT64, (1, numbers[0]), (1, dim)), has_padding)


@pytest.mark.parametrize(
    ("count", "pieces"),
    [
        (1, [1]),
        (2, [1, 1]),
        (4, [1] * 4),
        (5, [8]),
        (8, [8]),
        (9, [8, 1]),
        (16, [8, 8]),
        (21, [8, 8, 8]),
        (40, [8] * 5),
        (71, [64, 8]),
        (200, [64, 64, 64, 8]),
        (1_000, [64] * 15 + [8] * 5),
    ],
)
def test_pieces_are_long_and_the_last_one_is_padded_where_steps_would_take_longer(
    count: int, pieces: list[int]
) -> None:
    assert list(sizes(1, 8, 64).pieces(count, None)) == pieces


def test_padding_does_not_go_beyond_the_cache() -> None:
    assert list(sizes(1, 8).pieces(5, 8)) == [8]
    assert list(sizes(1, 8).pieces(5, 7)) == [1] * 5


def test_without_a_place_for_logits_there_is_no_padding() -> None:
    assert list(sizes(1, 8, has_padding=False).pieces(13, None)) == [8, 1, 1, 1, 1, 1]
    assert list(sizes(3, 8, has_padding=False).pieces(12, None)) == [3, 3, 3, 3]
    with pytest.raises(
        InputError, match="13 tokens are left, and the library takes 8 in a run, without padding"
    ):
        list(sizes(8, has_padding=False).pieces(13, None))


def test_a_range_takes_as_many_as_there_are() -> None:
    dim = DimInfo("seq", 1, 512)
    ids = TensorInfo("input_ids", DType.INT64, (1, 1), (1, dim))
    assert list(_Sizes.of(ids, True).pieces(600, None)) == [512, 88]
    eights = TensorInfo("input_ids", DType.INT64, (1, 8), (1, DimInfo("seq", 8, 512, 8)))
    assert list(_Sizes.of(eights, True).pieces(600, None)) == [512, 88]
    assert list(_Sizes.of(eights, True).pieces(21, None)) == [24]


@pytest.mark.parametrize(
    ("places", "runs"),
    [
        # Zeros for the places that have no token yet, and none behind the capacity.
        (6, [([1, 1, 0, 0, 0, 0], [0, 1]), ([1, 1, 1, 0, 0, 0], [2]), ([1] * 4 + [0, 0], [3])]),
        ("seq + past", [([1, 1], [0, 1]), ([1, 1, 1], [2]), ([1, 1, 1, 1], [3])]),
        ("seq", [([1, 1], [0, 1]), ([1], [2]), ([1], [3])]),
    ],
)
def test_masks_have_ones_for_all_tokens_so_far_and_positions_count_on(
    places: int | str, runs: list[tuple[list[int], list[int]]]
) -> None:
    model = Recorder(places)
    assert list(generate(model, [4, 4], max_tokens=3)) == [0, 0, 0]
    assert model.runs == runs


def test_a_mask_of_one_length_says_how_many_tokens_there_may_be() -> None:
    with pytest.raises(InputError, match="7 more tokens after 0 do not fit the cache, which has 6 places"):
        generate(Recorder(6), [4] * 7)


def test_a_mask_that_is_added_is_refused() -> None:
    model = Recorder(6)
    model.inputs = (*model.inputs[:-1], TensorInfo("attention_mask", DType.FLOAT32, (1, 6)))
    with pytest.raises(
        InputError, match=r"attention_mask: float32\[1, 6\] is expected to have a whole number"
    ):
        generate(model, [4])


class Recorder(Executor):
    """An executor that notes mask and positions of each run, and always gives token 0."""

    states = (TensorInfo("h", DType.FLOAT32, (1,)),)
    outputs = (TensorInfo("logits", DType.FLOAT32, (1, 3)),)
    inputs: tuple[TensorInfo, ...] = ()

    def __init__(self, places: int | str) -> None:
        seq = DimInfo("seq", 1, 2, 1, (1, 2))
        extent = seq if places == "seq" else places
        self.runs: list[tuple[list[int], list[int]]] = []
        self.inputs = (
            TensorInfo("input_ids", DType.INT64, (1, 1), (1, seq)),
            TensorInfo("position_ids", DType.INT64, (1, 1), (1, seq)),
            TensorInfo("attention_mask", DType.INT64, (1, 6), (1, extent)),
        )

    def reset(self) -> None:
        self.runs = []

    def predict(self, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
        self.runs.append((inputs["attention_mask"][0].tolist(), inputs["position_ids"][0].tolist()))
        return np.array([[2.0, 1.0, 0.0]], np.float32)

    def __repr__(self) -> str:
        return "recorder"
