"""The reader of JSON gives what the module `json` gives, refuses what that refuses, and two things more."""

from __future__ import annotations

import json

import pytest

from ingot.artifact.strict_json import read_json

GOOD = ["{}", "[]", "0", "-1.5e3", '"a\\u00e9\\n"', "null", ' \n{"a": [1, {"b": true}], "c": false}\r\n\t', "9" * 30, '"ü"']
BAD = ["", " ", "{", "[1,]", '{"a" 1}', '{"a": 1,}', "01", "+1", "'a'", "tru", "1 2", '"a\nb"', '"\\x"', "\ufeff{}", "[] ]"]


@pytest.mark.parametrize("text", GOOD)
def test_json_is_read_as_the_standard_library_reads_it(text):
    assert read_json(text) == json.loads(text)


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_json_is_refused(text):
    with pytest.raises(ValueError):
        json.loads(text)
    with pytest.raises(ValueError):
        read_json(text)


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', '{"a": 1, "a": 1}', '[{"a": {"b": 1, "b": 2}}]'])
def test_what_the_standard_library_lets_pass_is_refused(text):
    json.loads(text)
    with pytest.raises(ValueError):
        read_json(text)


def test_deep_nesting_is_refused_and_does_no_harm():
    with pytest.raises(RecursionError):
        read_json("[" * 100_000)
