from pathlib import Path

import pytest

from ingot import environment
from ingot.errors import ToolchainError


def test_the_cache_is_where_the_desktop_rules_say(monkeypatch):
    monkeypatch.setenv("HOME", "/nowhere/ann")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert environment.cache_folder() == Path("/nowhere/ann/.cache/ingot")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache")
    assert environment.cache_folder() == Path("/var/cache/ingot")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # to be ignored
    assert environment.cache_folder() == Path("/nowhere/ann/.cache/ingot")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("HOME")
    assert environment.cache_folder() is None


@pytest.mark.parametrize(("text", "value"), [("", 0), ("0", 0), ("1700000000", 1700000000)])
def test_source_date_epoch_is_a_number_of_seconds(monkeypatch, text, value):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
    assert environment.source_date_epoch() == value


@pytest.mark.parametrize("text", ["-1", "1.5", "now", "99999999999", "４"])
def test_a_source_date_epoch_that_is_no_number_is_an_error(monkeypatch, text):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
    with pytest.raises(ToolchainError, match="SOURCE_DATE_EPOCH"):
        environment.source_date_epoch()
