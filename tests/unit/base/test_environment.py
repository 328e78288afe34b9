from pathlib import Path

import pytest

from ingot.base import environment
from ingot.base.errors import ToolchainError


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


def cache(folder: Path, number: int, level: str, kind: str, size: str, shared: str) -> None:
    place = folder / "cache" / f"index{number}"
    place.mkdir(parents=True)
    for name, text in (("level", level), ("type", kind), ("size", size), ("shared_cpu_list", shared)):
        (place / name).write_text(text + "\n", encoding="ascii")


def test_a_core_has_its_share_of_a_cache_for_data(tmp_path):
    (tmp_path / "topology").mkdir()
    (tmp_path / "topology" / "thread_siblings_list").write_text("0,4\n", encoding="ascii")
    cache(tmp_path, 0, "1", "Instruction", "32K", "0,4")
    cache(tmp_path, 1, "1", "Data", "48K", "0,4")
    cache(tmp_path, 2, "2", "Unified", "4M", "0-1,4-5")
    assert [environment.cache_bytes(level, tmp_path) for level in (1, 2, 3)] == [48 << 10, 2 << 20, 0]


def test_a_machine_that_says_nothing_of_its_caches_has_none_to_count_on(tmp_path):
    assert environment.cache_bytes(2, tmp_path) == 0
    cache(tmp_path, 0, "2", "Unified", "lots", "0")
    assert environment.cache_bytes(2, tmp_path) == 0


def test_the_processor_has_a_name():
    assert environment.processor_name().strip()
