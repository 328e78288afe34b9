"""Tokens: as onnxruntime's `Tokenizer` makes them, one text at a time and many."""

import numpy as np
import pytest

from ingot.border.ngrams import counter
from ingot.border.tokens import tokenizer


def tokens(*texts, separators=(), pattern="", least=1, is_marked=False, padding="#", limit=1 << 20):
    run = tokenizer(separators, pattern, least, is_marked, padding, limit)
    return run(np.array(texts, object)).tolist()


def test_the_longest_of_the_first_matches_is_a_token():
    assert tokens("abcd de", pattern="ab|abc|bcd") == [["abc"]]
    assert tokens("a\nb", pattern="(a|ab)(c|bcd)?") == [["a"]]
    assert tokens("abcbcd", pattern="(a|ab)(c|bcd)?") == [["abc"]]


def test_separators_are_taken_out_one_after_the_other():
    assert tokens(" a  bb c", "", separators=[" ", "b"]) == [["a", "c"], ["#", "#"]]
    assert tokens("ab--c-d", separators=["-+"]) == [["ab", "c", "d"]]


def test_a_separator_that_is_empty_takes_a_letter_along():
    assert tokens("abxxc", separators=["x*"]) == [[]]
    assert tokens("abc", separators=["$"]) == [["abc"]]


def test_short_tokens_are_left_out_and_what_they_began_is_looked_at_again():
    assert tokens("abcd de", pattern="ab|bcd", least=3) == [["bcd"]]
    assert tokens("a bb c", separators=[" "], least=2) == [["bb"]]


def test_a_point_by_itself_is_every_letter_and_else_none_that_ends_a_line():
    assert tokens("é\nb", pattern=".") == [["é", "\n", "b"]]
    assert tokens("é\nb", pattern=".+") == [["é", "b"]]


def test_assertions_see_what_stands_before_the_place_where_a_search_goes_on():
    assert tokens("abxx de", pattern=r"\b[a-z]") == [["a", "d"]]
    assert tokens("abxx de", pattern="^[a-z]") == [["a"]]
    assert tokens("abxx de", pattern="[a-z]$") == [["e"]]


def test_marks_stand_around_all_texts_if_one_has_a_token():
    assert tokens("a", "", pattern="a", is_marked=True) == [["\x02", "a", "\x03"], ["\x02", "\x03", "#"]]
    assert tokens("b", "", pattern="a", is_marked=True) == [[], []]


def test_rows_of_texts_keep_their_shape():
    run = tokenizer([" "], "", 1, False, "", 1 << 20)
    assert run(np.array([["a b", "c"], ["d", "e f g"]], object)).shape == (2, 2, 3)
    assert run(np.zeros((0, 2), object)).shape == (0, 2, 0)
    with pytest.raises(ValueError, match=r"expected \[C\] or \[N, C\]"):
        run(np.zeros((1, 1, 1), object))


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"least": 0, "pattern": "a"}, "mincharnum=0"),
        ({"least": 2, "pattern": "."}, "mincharnum=2"),
        ({}, "got neither"),
        ({"separators": ["(b"]}, "without a"),
        ({"pattern": "."}, "makes 3 elements, more than the limit of 2"),
    ],
)
def test_what_cannot_be_done_is_said(options, why):
    with pytest.raises(ValueError, match=why):
        tokens("abc", **{"limit": 2, **options})


def counts(rows, **options):
    given = {
        "words": ("a", "b", "a", "b"),
        "starts": (0, 2),
        "columns": (1, 0, 2),
        "lengths": (1, 2),
        "skips": 0,
        "limit": 99,
    }
    return counter(**{**given, **options})(np.array(rows, object)).tolist()


def test_n_grams_are_counted_in_their_columns():
    assert counts([["a", "b", "a"], ["b", "x", "b"]]) == [[1, 2, 1], [2, 0, 0]]
    assert counts(["a", "b"]) == [1, 1, 1]
    assert counts([["a", "x", "b"]], skips=1) == [[1, 1, 1]]
    assert counts([["a", "b"]], lengths=(2, 2)) == [[0, 0, 1]]
    assert counts(np.zeros((2, 0), object)) == [[0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"columns": (0, 1)}, "one column for each"),
        ({"columns": (0, 1, 1)}, "none twice"),
        ({"starts": (0, 3)}, r"\[0, 3\] does not cut 4 words"),
        ({"starts": ()}, "no starts of n-grams for 4 words"),
        ({"limit": 2}, "makes 3 elements"),
    ],
)
def test_n_grams_that_are_none_are_refused(options, why):
    with pytest.raises(ValueError, match=why):
        counts([["a"]], **options)
