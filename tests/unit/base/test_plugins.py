import sys
import threading
import time
from importlib.metadata import EntryPoint

import pytest

from ingot.base import plugins
from ingot.base.errors import LoadError
from ingot.codegen.registry import ALL
from tests.support.distributions import installed

GROUP = "ingot.x"


@pytest.fixture
def entries(monkeypatch):
    found = []
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: tuple(found))
    return found


@pytest.fixture
def distributions(tmp_path, monkeypatch):
    yield from installed(tmp_path, monkeypatch)


def test_a_plug_in_is_imported_when_it_is_asked_for_and_not_before(distributions):
    distributions.add("first", {GROUP: {"mine": "first_module:VALUE"}}, {"first_module": "VALUE = 7"})
    distributions.add("second", {GROUP: {"broken": "no_such_module:x"}}, {})
    offers = plugins.offered(GROUP)
    assert list(offers) == ["broken", "mine"] and "first_module" not in sys.modules
    assert plugins.find(GROUP, "mine") == 7 and "first_module" in sys.modules


def test_an_offer_says_which_distribution_makes_it(distributions):
    distributions.add("my-pack.age", {GROUP: {"mine": "my_module:VALUE"}}, {}, version="2.5")
    offer = plugins.offered(GROUP)["mine"]
    assert (offer.distribution, offer.version, offer.value) == ("my-pack.age", "2.5", "my_module:VALUE")
    assert not offer.is_built_in


def test_a_name_that_is_offered_twice_is_an_error_that_names_both_distributions(distributions):
    distributions.add("a-pack", {GROUP: {"f": "a_module:F", "alone": "a_module:F"}}, {"a_module": "F = 1"})
    distributions.add("b-pack", {GROUP: {"f": "b_module:F"}}, {}, version="3")
    words = "a_module:F of package a-pack 1.0 and b_module:F of package b-pack 3; uninstall one"
    for ask in (lambda: plugins.find(GROUP, "f"), lambda: plugins.offered(GROUP)):
        with pytest.raises(LoadError, match=words):
            ask()
    assert plugins.find(GROUP, "alone") == 1, "a quarrel is about its name, and nothing else"
    assert [(offer.name, bool(why)) for offer, why in plugins.every_offer(GROUP)] == [
        ("alone", False),
        ("f", True),
        ("f", True),
    ]


def test_what_ingot_has_is_found_without_a_look_at_what_is_installed(monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: pytest.fail("looked"))
    assert plugins.find("ingot.loaders", "interp").id == "interp"


def test_a_name_of_ingots_own_that_a_package_offers_too_is_ingots_and_is_listed_as_an_error(distributions):
    distributions.add("thief", {"ingot.loaders": {"interp": "thief:LOADER"}}, {"thief": "LOADER = 1"})
    assert plugins.find("ingot.loaders", "interp").id == "interp"
    why = [why for offer, why in plugins.every_offer("ingot.loaders") if offer.distribution == "thief"]
    assert "interp.generator:LOADER of package ingot-compiler and thief:LOADER of package thief" in why[0]


def test_everything_in_the_table_is_there_and_has_the_id_that_is_its_name():
    pytest.importorskip("llvmlite")
    for group in ("ingot.codegens", "ingot.loaders", "ingot.inspectors", "ingot.devices"):
        for name in plugins.BUILT_IN[group]:
            assert plugins.find(group, name).id == name
    assert {codegen.id for codegen in ALL} == set(plugins.BUILT_IN["ingot.codegens"])
    assert plugins.find("ingot.ops", "ai.onnx")


def test_the_same_offer_seen_twice_is_one(entries):
    entries += [EntryPoint("f", "math:sqrt", GROUP), EntryPoint("f", "math:sqrt", GROUP)]
    assert len(plugins.offered(GROUP)) == 1
    assert plugins.find(GROUP, "f")(4) == 2


def test_a_missing_plug_in_is_an_error_with_the_nearest_name(entries):
    entries.append(EntryPoint("opencl", "math:sqrt", GROUP))
    with pytest.raises(LoadError, match="'opncl'; did you mean 'opencl'"):
        plugins.find(GROUP, "opncl")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("", "AttributeError: module 'broken_module' has no attribute 'VALUE'"),
    ],
)
def test_a_plug_in_that_cannot_be_imported_is_an_error_with_its_name_and_the_reason(
    distributions, text, words
):
    distributions.add("broken-pack", {GROUP: {"broken": "broken_module:VALUE"}}, {"broken_module": text})
    with pytest.raises(
        LoadError, match=f"'broken' .* of package broken-pack 1.0, cannot be imported: {words}"
    ):
        plugins.find(GROUP, "broken")


def test_a_plug_in_that_hangs_at_import_is_given_up_and_refused_from_then_on(distributions, monkeypatch):
    monkeypatch.setattr(plugins, "IMPORT_SECONDS", 0.1)
    text = "import sys, threading\nsys.plugin_gate = threading.Event()\nsys.plugin_gate.wait()\nVALUE = 1"
    distributions.add("slow-pack", {GROUP: {"slow": "slow_module:VALUE"}}, {"slow_module": text})
    distributions.add("good-pack", {GROUP: {"good": "good_module:VALUE"}}, {"good_module": "VALUE = 2"})
    words = "'slow' .* of package slow-pack 1.0, cannot be imported: its import did not end within 0.1 s"
    with pytest.raises(LoadError, match=words):
        plugins.find(GROUP, "slow")
    begin = time.perf_counter()
    with pytest.raises(LoadError, match=words):
        plugins.find(GROUP, "slow")
    assert time.perf_counter() - begin < 0.1, "nobody waits for it a second time"
    assert plugins.find(GROUP, "good") == 2
    sys.plugin_gate.set()
    for thread in threading.enumerate():
        if thread.name.startswith("import slow_module"):
            thread.join()
    del sys.plugin_gate
    plugins._hung.clear()


def test_a_plug_in_that_is_asked_for_while_it_is_imported_waits_for_nobody(distributions, monkeypatch):
    monkeypatch.setattr(plugins, "IMPORT_SECONDS", 5)
    text = "from ingot.base import plugins\nVALUE = 3\nSELF = plugins.find('ingot.x', 'mine')"
    distributions.add("self-pack", {GROUP: {"mine": "self_module:VALUE"}}, {"self_module": text})
    begin = time.perf_counter()
    import self_module

    assert self_module.SELF == 3 and time.perf_counter() - begin < 4


def test_plug_ins_are_left_out_by_the_environment_all_or_but_some(distributions, monkeypatch):
    distributions.add("a_Pack", {GROUP: {"a": "a_module:F"}}, {"a_module": "F = 1"})
    distributions.add("b-pack", {GROUP: {"b": "b_module:F"}}, {"b_module": "F = 2"})
    monkeypatch.setenv("INGOT_PLUGINS", "A.pack")
    assert list(plugins.offered(GROUP)) == ["a"]
    with pytest.raises(LoadError, match=r"installed: a; INGOT_PLUGINS=A.pack leaves out others"):
        plugins.find(GROUP, "b")
    monkeypatch.setenv("INGOT_PLUGINS", "off")
    assert not plugins.offered(GROUP)
    assert plugins.find("ingot.loaders", "interp").id == "interp"
    monkeypatch.setenv("INGOT_PLUGINS", "a-pack, c-pack")
    with pytest.raises(
        LoadError, match="INGOT_PLUGINS=a-pack, c-pack: no distribution 'c-pack' is installed"
    ):
        plugins.offered(GROUP)
