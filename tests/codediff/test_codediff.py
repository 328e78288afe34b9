"""What is compared, and how differences are shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.codediff import kernel_models, marked, snapshot
from tests.codediff.compare import differences, texts_of, told
from tests.codediff.subjects import CPUS, NODE_TESTS, QUICK
from tests.support.node_tests import node_test_names

from .trees import ROOT, UnknownCommitError


def index(store: Path, **builds: snapshot.Entries) -> dict[str, str]:
    return {name.replace("_on_", " "): snapshot._kept(store, entries) for name, entries in builds.items()}


def test_equal_snapshots_have_no_differences(tmp_path: Path) -> None:
    one = index(tmp_path, m_on_c={"m.c": "a;\n", "kernels.txt": "k\n"})
    assert differences(tmp_path, one, dict(one)) == []


def test_the_first_stage_that_differs_is_shown_and_later_ones_are_named(tmp_path: Path) -> None:
    old = index(tmp_path, m_on_c={"prepared.onnx": "p", "kernels.txt": "a\nb\nc\n", "m.c": "x;\n"})
    new = index(tmp_path, m_on_c={"prepared.onnx": "p", "kernels.txt": "a\nB\nc\n", "m.c": "y;\n"})
    text = "\n".join(told(differences(tmp_path, old, new), show=3))
    assert "1 builds differ, in 1 ways" in text
    assert "--- m c: kernels.txt" in text and "-b\n+B\n" in text
    assert "differs too: .c" in text and "y;" not in text


def test_differences_that_are_alike_are_shown_once(tmp_path: Path) -> None:
    old = index(tmp_path, m_on_c={"m.c": "a;\n"}, n_on_c={"n.c": "a;\n"}, o_on_c={"o.c": "a;\n"})
    new = index(tmp_path, m_on_c={"m.c": "b;\n"}, n_on_c={"n.c": "b;\n"}, o_on_c={"o.c": "c;\n"})
    found = differences(tmp_path, old, new)
    assert [one.builds for one in found] == [["m c", "n c"], ["o c"]]
    assert "1 more differences" in "\n".join(told(found, show=1))


def test_a_build_or_a_file_that_only_one_side_has_is_a_difference(tmp_path: Path) -> None:
    old = index(tmp_path, m_on_c={"m.c": "a;\n"}, n_on_c={"n.c": "a;\n"})
    new = index(tmp_path, m_on_c={"m.c": "a;\n", "m.h": "b;\n"})
    text = "\n".join(told(differences(tmp_path, old, new), show=9))
    assert "--- m c: m.h\nonly after" in text and "--- n c: n.c\nonly before" in text


def test_the_newest_marked_commits_are_compared_with_the_one_before_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(marked, "commit_id", lambda name: f"id of {name}")
    history = [
        ("e", "Say more"),
        ("d", "Move rooms [same]"),
        ("c", "Rename [same]"),
        ("b", "Mend"),
        ("a", "Move [same]"),
    ]
    series = marked.series_of(history)
    assert (series.base, series.head) == ("id of c^", "d")
    assert not marked.series_of(history[:1]).base


def test_marked_commits_without_their_parent_are_not_compared_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unknown(name: str) -> str:
        raise UnknownCommitError(name)

    monkeypatch.setattr(marked, "commit_id", unknown)
    series = marked.series_of([("b", "Move rooms [same]")])
    assert not series.base and "not compared" in series.said


def test_names_of_node_tests_and_quick_models_are_names() -> None:
    assert set(NODE_TESTS) <= set(node_test_names())
    assert set(QUICK) <= {*kernel_models.GRAPHS, "lstm"}


def test_a_snapshot_has_every_text_of_a_build_and_a_sentence_where_there_is_none(tmp_path: Path) -> None:
    """Costs 2 s: a process that builds one model, as `make codediff` does."""
    path = tmp_path / "chain.onnx"
    path.write_bytes(kernel_models.models()["chain"]())
    targets = {"llvm": CPUS["znver4"], "cuda": {"host": "c", "accel": "cuda"}, "none": "llvm -mcpu=nothing"}
    (tmp_path / "plan").write_text(json.dumps([{"name": "chain", "path": str(path), "targets": targets}]))
    words = [str(tmp_path / name) for name in ("plan", "store", "index")]
    (tmp_path / "store").mkdir()
    subprocess.run(
        [sys.executable, "-P", snapshot.__file__, *words],
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    found = json.loads((tmp_path / "index").read_text())
    texts = {build: texts_of(tmp_path / "store", digest) for build, digest in found.items()}
    assert set(texts) == {f"chain {target}" for target in targets}
    assert set(texts["chain none"]) == {"error"} and "nothing" in texts["chain none"]["error"]
    assert {"prepared.onnx", "kernels.txt", "program.txt", "llvm/chain.ll", "chain.params"} <= set(
        texts["chain llvm"]
    )
    assert {"chain.c", "chain_accel.ptx", "chain_accel.launch.json"} <= set(texts["chain cuda"])
    assert not any(name.endswith(".o") for name in texts["chain llvm"])
