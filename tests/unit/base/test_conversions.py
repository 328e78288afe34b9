"""Numbers and texts become arrays, and nothing else is lost than what rounding takes."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.base.conversions import array_of, array_of_text


@pytest.mark.parametrize(
    ("value", "dtype", "wanted"),
    [
        ([1.5, 2], "f4", [1.5, 2]),
        ([0.1], "f4", [np.float32(0.1)]),
        ([float("inf"), float("nan")], "f2", [np.inf, np.nan]),
        ([[1, 2], [3, 4]], "i4", [[1, 2], [3, 4]]),
        ((2.0, -3.0), "i8", [2, -3]),
        ([True, 0, 1.0], "?", [True, False, True]),
        (255, "u1", 255),
        (2**63, "u8", 2**63),
        ([], "f4", []),
    ],
)
def test_numbers_that_fit_are_taken(value: object, dtype: str, wanted: object) -> None:
    made = array_of(value, np.dtype(dtype))
    assert made is not None and made.dtype == dtype
    np.testing.assert_array_equal(made, np.array(wanted, dtype))


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ([1.5], "i8"),
        ([300], "u1"),
        ([-1], "u8"),
        ([2**63], "i8"),
        ([2**70], "i8"),
        ([1e39], "f4"),
        ([70000], "f2"),
        ([float("nan")], "i4"),
        ([2], "?"),
        ([[1], [2, 3]], "f4"),
        (["1"], "f4"),
        ([None], "f4"),
        ([1j], "f4"),
    ],
)
def test_what_would_be_lost_is_refused(value: object, dtype: str) -> None:
    assert array_of(value, np.dtype(dtype)) is None


@pytest.mark.parametrize(
    ("text", "dtype", "wanted"),
    [
        ("16000", "i8", 16000),
        ("1,2, 3", "i4", [1, 2, 3]),
        ("true", "?", True),
        ("1,false", "?", [True, False]),
        ("-1e-3", "f4", -1e-3),
    ],
)
def test_texts_are_read_by_the_type(text: str, dtype: str, wanted: object) -> None:
    made = array_of_text(text, np.dtype(dtype))
    assert made is not None
    np.testing.assert_array_equal(made, np.array(wanted, dtype))


@pytest.mark.parametrize(
    ("text", "dtype"), [("", "i8"), ("x", "f4"), ("1,", "i8"), ("1.5", "i8"), ("2", "?"), ("0x10", "i8")]
)
def test_texts_that_are_no_such_numbers_are_refused(text: str, dtype: str) -> None:
    assert array_of_text(text, np.dtype(dtype)) is None
