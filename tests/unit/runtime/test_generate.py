from __future__ import annotations

import pytest

from ingot.artifact.model_info import DimInfo, TensorInfo
from ingot.base.errors import InputError
from ingot.base.tensor import DType
from ingot.runtime.generate import _Sizes


def sizes(*numbers: int, has_padding: bool = True) -> _Sizes:
    dim = DimInfo("seq", min(numbers), max(numbers), 1, numbers)
    return _Sizes(TensorInfo("input_ids", DType.INT64, (1, numbers[0]), (1, dim)), has_padding)


@pytest.mark.parametrize(
    ("count", "pieces"),
    [
        (1, [1]),
        (2, [1, 1]),
        (3, [8]),
        (8, [8]),
        (9, [8, 1]),
        (16, [8, 8]),
        (21, [8, 8, 8]),
        (40, [8] * 5),
        (71, [64, 8]),
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
    with pytest.raises(
        InputError, match="5 tokens are left, and the library takes 8 in a run, without padding"
    ):
        list(sizes(8, has_padding=False).pieces(13, None))


def test_a_range_takes_as_many_as_there_are() -> None:
    dim = DimInfo("seq", 1, 512)
    ids = TensorInfo("input_ids", DType.INT64, (1, 1), (1, dim))
    assert list(_Sizes(ids, True).pieces(600, None)) == [512, 88]
