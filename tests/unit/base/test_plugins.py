from importlib.metadata import EntryPoint

import pytest

from ingot.base import plugins
from ingot.base.errors import LoadError


@pytest.fixture
def entries(monkeypatch):
    found = []
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: tuple(found))
    return found


def test_a_plug_in_is_imported_when_it_is_asked_for_and_not_before(entries):
    entries += [
        EntryPoint("sqrt", "math:sqrt", "ingot.x"),
        EntryPoint("broken", "no_such_module:x", "ingot.x"),
    ]
    assert list(plugins.offered("ingot.x")) == ["broken", "sqrt"]
    assert plugins.find("ingot.x", "sqrt")(4) == 2


def test_a_name_that_is_offered_twice_is_an_error_that_names_both(entries):
    entries += [EntryPoint("f", "math:sqrt", "ingot.x"), EntryPoint("f", "math:sin", "ingot.x")]
    with pytest.raises(LoadError, match="math:sin and math:sqrt"):
        plugins.find("ingot.x", "f")


def test_the_same_offer_seen_twice_is_one(entries):
    entries += [EntryPoint("f", "math:sqrt", "ingot.x"), EntryPoint("f", "math:sqrt", "ingot.x")]
    assert len(plugins.offered("ingot.x")) == 1


def test_a_missing_plug_in_is_an_error_with_the_nearest_name(entries):
    entries.append(EntryPoint("opencl", "math:sqrt", "ingot.x"))
    with pytest.raises(LoadError, match="'opncl'; did you mean 'opencl'"):
        plugins.find("ingot.x", "opncl")


def test_a_plug_in_that_cannot_be_imported_is_an_error_with_the_reason(entries):
    entries.append(EntryPoint("broken", "no_such_module:x", "ingot.x"))
    with pytest.raises(LoadError, match="ModuleNotFoundError: No module named 'no_such_module'"):
        plugins.find("ingot.x", "broken")
