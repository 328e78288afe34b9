"""Element types are members of one class, as those of `enum` are: looked up, listed, copied and never changed."""

from __future__ import annotations

import copy
import enum
import pickle

import pytest

from ingot.base.tensor import DType


def test_an_element_type_is_found_by_its_value_and_by_its_name() -> None:
    assert DType("int8") is DType.INT8
    assert DType["INT8"] is DType.INT8
    assert DType(DType.INT8) is DType.INT8
    assert DType.__members__["INT8"] is DType.INT8
    assert "int8" in DType


@pytest.mark.parametrize("value", ["int9", "INT8", "", 8, None, []])
def test_what_is_no_element_type_is_refused_by_name(value: object) -> None:
    assert value not in DType
    with pytest.raises(ValueError, match="is not a valid DType"):
        DType(value)


def test_element_types_are_listed_in_the_order_in_which_they_are_written() -> None:
    assert [dtype.name for dtype in DType][:4] == ["BOOL", "INT8", "INT16", "INT32"]
    assert len(DType) == len(list(DType)) == len({dtype.value for dtype in DType}) == 27


def test_copies_are_the_same_element_type() -> None:
    assert pickle.loads(pickle.dumps(DType.FLOAT32)) is DType.FLOAT32
    assert copy.deepcopy(DType.FLOAT32) is copy.copy(DType.FLOAT32) is DType.FLOAT32


def test_an_element_type_says_what_it_is() -> None:
    assert (str(DType.FLOAT32), repr(DType.FLOAT32)) == ("DType.FLOAT32", "<DType.FLOAT32: 'float32'>")
    assert isinstance(DType.FLOAT32, DType) and isinstance(DType.FLOAT32, enum.Enum)


def test_an_element_type_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="'value'"):
        DType.INT8.value = "int16"
    with pytest.raises(AttributeError, match="'INT8' of DType"):
        DType.INT8 = DType.INT16
    assert DType.INT8.value == "int8"
