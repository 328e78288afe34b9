"""`ingot plugins`: what is offered, by whom, and what is wrong with it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ingot
from ingot.base.plugins import BUILT_IN
from ingot.cli.main import main
from tests.support.distributions import Distributions, installed


@pytest.fixture
def distributions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Distributions]:
    yield from installed(tmp_path, monkeypatch)


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["plugins", *words])
    return int(ended.value.code or 0)


def rows(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, str]]:
    run(*words, "--json")
    listed: list[dict[str, str]] = json.loads(capsys.readouterr().out)
    return listed


def test_plug_ins_of_ingot_and_of_packages_are_listed_with_who_offers_them_and_nothing_is_imported(
    distributions: Distributions, capsys: pytest.CaptureFixture[str]
) -> None:
    offers = {"ingot.loaders": {"mine": "my_module:LOADER"}, "ingot.devices": {"npu": "my_module:KIND"}}
    distributions.add("my-pack", offers, {"my_module": "1 / 0"}, version="2.5")
    listed = rows(capsys)
    by_ingot = [row for row in listed if row["distribution"] == "ingot-compiler"]
    assert [(row["group"], row["name"]) for row in by_ingot] == [
        (group, name) for group, names in BUILT_IN.items() for name in names
    ]
    assert {row["version"] for row in by_ingot} == {ingot.__version__}
    mine = [row for row in listed if row["distribution"] == "my-pack"]
    assert [(row["group"], row["name"], row["offers"], row["version"], row["wrong"]) for row in mine] == [
        ("ingot.loaders", "mine", "my_module:LOADER", "2.5", ""),
        ("ingot.devices", "npu", "my_module:KIND", "2.5", ""),
    ]
    assert "my_module" not in sys.modules
    assert run("ingot.loaders") == 0
    table = capsys.readouterr().out
    assert "my_module:LOADER" in table and "my_module:KIND" not in table


def test_a_name_that_two_offer_is_listed_and_then_an_error(
    distributions: Distributions, capsys: pytest.CaptureFixture[str]
) -> None:
    distributions.add("a-pack", {"ingot.loaders": {"mine": "a_module:L"}}, {})
    distributions.add("b-pack", {"ingot.loaders": {"mine": "b_module:L"}}, {})
    assert run() == 8
    shown = capsys.readouterr()
    assert "a_module:L" in shown.out and "b_module:L" in shown.out
    assert "2 plug-ins cannot be used: two plug-ins of the group ingot.loaders offer 'mine'" in shown.err
    assert "a-pack" in shown.err and "b-pack" in shown.err


KIND = """
from ingot.artifact.device_kind import DeviceKind
KIND = DeviceKind("npu", "an accelerator", lambda: ("small one", "large one"))
OTHER = DeviceKind("other", "another name", tuple)
def fail():
    raise OSError("no driver")
FAILS = DeviceKind("fails", "fails", fail)
"""


def test_each_is_imported_and_checked_when_that_is_asked_for(
    distributions: Distributions, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = {"npu": "my_kinds:KIND", "wrong": "my_kinds:OTHER", "fails": "my_kinds:FAILS"}
    distributions.add("my-pack", {"ingot.devices": kinds}, {"my_kinds": KIND})
    said = {row["name"]: (row["what"], row["wrong"]) for row in rows(capsys, "ingot.devices", "--check")}
    assert said["npu"] == ("an accelerator: npu(0) small one, npu(1) large one", "")
    assert said["fails"][0].endswith(
        "the device kind 'fails' cannot say which devices there are: OSError: no driver"
    )
    assert "'wrong' of the group ingot.devices must offer a DeviceKind with that id" in said["wrong"][1]
    assert said["cpu"][0].startswith("the processor that this process runs on: cpu(0) ")
    assert run("ingot.devices", "--check") == 8


def test_everything_of_ingot_passes_the_check(
    distributions: Distributions, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INGOT_PLUGINS", "off")
    listed = rows(capsys, "--check")
    assert all(row["what"] and not row["wrong"] for row in listed)
    assert len(listed) == sum(map(len, BUILT_IN.values()))


def test_an_unknown_group_is_refused_with_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ingot.loader") == 2
    assert "did you mean 'ingot.loaders'" in capsys.readouterr().err
