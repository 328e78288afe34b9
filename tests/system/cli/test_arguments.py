"""Words of the command line that need more reading."""

from __future__ import annotations

import pytest

from ingot.cli.arguments import bound_dims, one_of
from ingot.cli.parser import CommandLineError


def test_dimensions_are_read() -> None:
    assert bound_dims(["batch=1", "time steps=16", "batch=1"]) == {"batch": 1, "time steps": 16}


@pytest.mark.parametrize("word", ["batch", "=1", "batch=", "batch=one", "batch=-1", "batch=1.5", "batch=²"])
def test_a_wrong_dimension_is_refused(word: str) -> None:
    with pytest.raises(CommandLineError, match="expected NAME=NUMBER"):
        bound_dims([word])


def test_a_dimension_with_two_values_is_refused() -> None:
    with pytest.raises(CommandLineError, match="given twice, as 1 and 2"):
        bound_dims(["batch=1", "batch=2"])


def test_a_dimension_may_be_the_same_as_another() -> None:
    assert bound_dims(["b:0=a:0", "a:0=1,2"]) == {"b:0": "a:0", "a:0": [1, 2]}
    with pytest.raises(CommandLineError, match="expected NAME=NUMBER"):
        bound_dims(["b:0=a:0"])


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(CommandLineError, match="executor 'grph' is unknown; did you mean 'graph'"):
        one_of("executor", "grph", ["aot", "graph"])


def test_a_known_name_is_returned() -> None:
    assert one_of("executor", "aot", ["aot", "graph"]) == "aot"
