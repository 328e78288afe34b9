"""`ingot load` explains what loading did, step by step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingot.artifact.artifact_set import ArtifactSet
from ingot.cli.main import main
from ingot.codegen.interp import generator as interp
from ingot.link.shared import link_library
from tests.support.tiny_library import tiny_set

pytestmark = pytest.mark.cc

STEPS = ["read", "verify", "partition", "loaders", "metadata", "native", "group", "library"]


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    return caught.value.code if isinstance(caught.value.code, int) else 0


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a model in native code and one for the interpreter."""
    import ingot
    from tests.support.models import model

    relu = model("g (float[2] x) => (float[2] y) { y = Relu(x) }")
    path = tmp_path_factory.mktemp("load") / "mixed.so"
    link_library(
        ArtifactSet(tiny_set().artifacts).merge(ingot.build(relu, target="interp", name="slow")), path
    )
    return path


def test_explain_shows_each_step_with_its_time_the_groups_and_the_module_tree(
    mixed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("load", "--explain", mixed) == 0
    lines = capsys.readouterr().out.splitlines()
    timed = [line.split(None, 3) for line in lines if " ms  " in line]
    assert [words[2].rstrip(":") for words in timed] == [*STEPS, "in"]
    assert all(float(words[0]) >= 0 and words[1] == "ms" for words in timed)
    assert abs(sum(float(words[0]) for words in timed[:-1]) - float(timed[-1][0])) < 0.01
    shown = "\n".join(lines)
    assert "every byte of the file" in shown and "models tiny, slow" in shown
    assert f"loader '{interp.ID}' gets 2 artifacts for host, makes '{interp.ID}'" in shown
    assert lines[-2:] == ["library", f"  └ {interp.ID}"]


def test_the_index_alone_can_be_verified_which_is_said(
    mixed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("load", "--explain", "--verify", "index", mixed) == 0
    assert "code and constants are trusted" in capsys.readouterr().out
    assert run("load", "--verify", "nothing", mixed) == 2


def test_json_has_steps_and_tree(mixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("load", "--json", mixed) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [step["step"] for step in facts["steps"]] == STEPS
    assert facts["seconds"] == pytest.approx(sum(step["seconds"] for step in facts["steps"]))
    assert facts["modules"] == {
        "type_key": "library",
        "imported_modules": [{"type_key": "interp", "imported_modules": []}],
    }
    assert facts["models"] == ["tiny", "slow"]


def test_without_options_one_line_is_shown(mixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("load", mixed) == 0
    shown = capsys.readouterr().out
    assert (
        shown.startswith("mixed.so loads in ")
        and shown.endswith("ms: tiny, slow\n")
        and shown.count("\n") == 1
    )


def test_a_file_that_cannot_be_loaded_is_an_error_of_its_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("load", tmp_path / "none.so") == 8
    assert "cannot open" in capsys.readouterr().err
