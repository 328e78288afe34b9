"""Regular expressions of RE2: against Python's own where both mean the same, and in bounded time."""

import random
import re
import time

import pytest

from ingot.border.full_match import full_matcher

LETTERS = "abcABxyz.@-\n12 _"
PATTERNS = [
    r"www\.[\w.-]+\.\bcom\b",
    r"(\W|^)[\w.\-]{0,25}@(yahoo|gmail)\.com(\W|$)",
    r"a*b+?c{2,3}|x(yz)*",
    r"(?i)Ab[c-e]",
    r"[^a-c]+",
    r"(?:a|b)*",
    "",
    "(a*)*",
    "(|a)*b",
    "(?P<name>a)b",
    r"[]a]+",
    r"\x41\s\d\D\S",
    "a.b",
    "(?s)a.b",
    r"(?m)a$.^b",
    "(a?){5}a{5}",
    r"a\B.\b",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_python_matches_in_ascii_is_matched(pattern):
    ours, theirs, seed = full_matcher(pattern), re.compile(pattern, re.ASCII), random.Random(pattern)
    made = ["".join(seed.choices(LETTERS, k=seed.randrange(9))) for _ in range(1000)]
    for text in (
        "www.google.com",
        "www.bbc.co.uk",
        "account@gmail.com",
        "xyzyz",
        "a\nb",
        "AB",
        "abcc",
        "aaaaaaa",
        *made,
    ):
        if text.endswith("\n") and "$" in pattern:
            continue  # before a last newline Python's $ holds, and RE2's does not
        assert ours(text) == (theirs.fullmatch(text) is not None), text


def test_what_python_does_not_have_is_as_in_re2():
    assert full_matcher(r"\Qa.b\E+")("a.bb") and not full_matcher(r"\Qa.b\E")("axb")
    assert full_matcher("[[:alpha:]]+[[:^digit:]]")("abC-") and not full_matcher("[[:alpha:]]")("é")
    assert full_matcher(r"\x{1F600}.")("\U0001f600é")
    assert full_matcher("a{,3}")("a{,3}")
    assert not full_matcher(r"\w")("é")


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "without a"),
        (")", "without a"),
        ("*a", "nothing that could be repeated"),
        ("a**", "repetition of a repetition"),
        ("[a", "ends too early"),
        ("[z-a]", "range"),
        (r"\p{L}", r"escape \\p"),
        (r"\1", r"escape \\1"),
        ("(?=a)", "RE2 does not have"),
        ("a{2,1}", "0 to 1000 times"),
        ("a{1001}", "0 to 1000 times"),
        ("((a{100}){100}){100}", "more than 10000 states"),
        ("((((){1000}){1000}){1000}){1000}", "more than 10000 states"),
        ("(" * 60 + ")" * 60, "more than 50 groups"),
        ("[[:none:]]", "class of letters"),
        ("\\", "ends too early"),
    ],
)
def test_what_is_no_pattern_is_said_with_its_place(pattern, why):
    with pytest.raises(ValueError, match=why):
        full_matcher(pattern)


def test_no_text_takes_a_pattern_long():
    match = full_matcher("(a+)+$")
    begin = time.process_time()
    assert not match("a" * 20_000 + "b")
    assert time.process_time() - begin < 5  # Python's own would take longer than the world has been there
