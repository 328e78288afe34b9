"""The reader of JSON gives what the module `json` gives, refuses what that refuses, and two things more."""

from __future__ import annotations

import json

import pytest

from ingot.artifact.json_read import read_json

GOOD = [
    "{}",
    "[]",
    "0",
    "-1.5e3",
    '"a\\u00e9\\n"',
    "null",
    ' \n{"a": [1, {"b": true}], "c": false}\r\n\t',
    "9" * 30,
    '"ü"',
]
BAD = [
    "",
    " ",
    "{",
    "[1,]",
    '{"a" 1}',
    '{"a": 1,}',
    "01",
    "+1",
    "'a'",
    "tru",
    "1 2",
    '"a\nb"',
    '"\\x"',
    "\ufeff{}",
    "[] ]",
]


@pytest.mark.parametrize("text", GOOD)
def test_json_is_read_as_the_standard_library_reads_it(text):
    assert read_json(text.encode(), "utf-8") == json.loads(text)


@pytest.mark.parametrize(
    ("content", "encoding"), [('"ü"'.encode(), "ascii"), (b'"\xfc"', "utf-8"), (b"\x7fELF\x98", "ascii")]
)
def test_bytes_that_are_no_text_are_refused_at_the_first_of_them(content, encoding):
    place = next(at for at, byte in enumerate(content) if byte > 127)
    with pytest.raises(ValueError, match=f"byte {place} is no {encoding} text"):
        read_json(content, encoding)


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_json_is_refused(text):
    with pytest.raises(ValueError):
        json.loads(text)
    with pytest.raises(ValueError):
        read_json(text.encode(), "utf-8")


LENIENT = [
    "NaN",
    "[Infinity]",
    "1e999",
    "[-1e400]",
    '{"a": -Infinity}',
    '{"a": 1, "a": 1}',
    '[{"a": {"b": 1, "b": 2}}]',
]


@pytest.mark.parametrize("text", LENIENT)
def test_what_the_standard_library_lets_pass_is_refused(text):
    json.loads(text)
    with pytest.raises(ValueError):
        read_json(text.encode(), "utf-8")


def test_deep_nesting_is_refused_and_does_no_harm():
    with pytest.raises(RecursionError):
        read_json(b"[" * 100_000)
