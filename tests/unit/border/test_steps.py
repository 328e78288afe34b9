"""What steps do with text that no model of the other tests has."""

import numpy as np
import pytest

from ingot.border.data import elements_of
from ingot.border.normalize import normalizer
from ingot.border.numerals import reader, writer
from ingot.border.program import TEXT, Elements, Step, text_array
from ingot.border.steps import prepared


def run(op, *arrays, **attributes):
    return prepared(Step(op, (), (), tuple(sorted(attributes.items()))))(arrays)


def test_of_equal_keys_the_first_one_counts_and_nan_is_a_key():
    keys = elements_of(np.array([1.0, np.nan, 1.0, np.nan]))
    values = Elements(TEXT, (4,), ("one", "none", "two", "three"))
    (found,) = run(
        "table", np.array([[1.0, np.nan, 7.0]]), keys=keys, values=values, default=Elements(TEXT, (), ("?",))
    )
    assert found.tolist() == [["one", "none", "?"]]


@pytest.mark.parametrize(
    ("dtype", "texts", "expected"),
    [
        (
            "float32",
            [" 1.5", "1e-5", "-INF", "nan", "+Infinity", "1e60"],
            [1.5, 1e-5, -np.inf, np.nan, np.inf, np.inf],
        ),
        ("int8", ["-128", "+7"], [-128, 7]),
        ("uint64", [str(2**64 - 1)], [2**64 - 1]),
    ],
)
def test_text_is_read_as_numbers(dtype, texts, expected):
    np.testing.assert_array_equal(reader(dtype)(text_array(texts, (len(texts),))), np.array(expected, dtype))


@pytest.mark.parametrize(
    ("dtype", "text"), [("int8", "128"), ("int8", "1_0"), ("int32", "1.5"), ("int32", ""), ("float32", "1_0"), ("float64", "x"),
                        ("float32", "1.2.3"), ("int64", "٣")],
)  # fmt: skip
def test_what_is_no_number_is_refused(dtype, text):
    with pytest.raises(ValueError, match="got the text"):
        reader(dtype)(text_array([text], (1,)))


def test_numbers_are_written_as_short_as_they_can_be_read_again():
    assert [writer("float32")(one) for one in (np.float32(0.1).item(), 1.0, float("nan"))] == [
        "0.1",
        "1.0",
        "nan",
    ]
    assert writer("int64")(-3) == "-3" and writer("bool")(True) == "True"


def test_stop_words_are_whole_elements_of_any_case_unless_said_otherwise():
    x = text_array(["The", "cat", "the cat", "", "É"], (5,))
    assert normalizer("LOWER", ("the",), False)(x).tolist() == ["cat", "the cat", "", "é"]
    assert normalizer("UPPER", ("the",), True)(x).tolist() == ["THE", "CAT", "THE CAT", "", "É"]
    assert normalizer("NONE", ("a",), False)(text_array(["A"], (1, 1))).tolist() == [[""]]


def test_text_is_sliced_and_expanded_as_numbers_are():
    x = text_array(list("abcdef"), (2, 3))
    (cut,) = run("slice", x, starts=(0, -1), ends=(1 << 32, -(1 << 32)), axes=(0, 1), steps=(1, -1))
    assert cut.tolist() == [["c", "b", "a"], ["f", "e", "d"]]
    assert run("expand", x[:, :1], shape=(2, 2))[0].tolist() == [["a", "a"], ["d", "d"]]
    with pytest.raises(ValueError, match="more than the limit"):
        run("expand", x[:, :1], shape=(2, 1 << 30))
