"""Files that earlier versions of ingot wrote, and that every later one reads: see `tools/make_corpus.py`."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

import ingot
from ingot.package.classic.module_tree import plan_tree
from ingot.package.container import VERSION, read_container
from ingot.package.container_write import write_container
from ingot.package.library_file import read_library

CORPUS = Path(__file__).parent
FILES = sorted(path for path in CORPUS.glob("*/*") if path.suffix in (".so", ".ingot"))
by_file = pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.name}" for path in FILES])


def skip_elsewhere(path: Path) -> None:
    """Native code runs on the machine in the file's name only."""
    machine = path.name.split(".")[1] if path.suffix == ".so" else os.uname().machine
    if machine != os.uname().machine:
        pytest.skip(f"needs a processor of the kind {machine}")


def test_every_version_has_libraries_and_sets() -> None:
    assert {path.parent.name for path in FILES} == {str(version) for version in range(1, VERSION + 1)}
    for version in range(1, VERSION + 1):
        names = {path.name for path in FILES if path.parent.name == str(version)}
        assert {
            "c.x86_64.so",
            "llvm.x86_64.so",
            "merged.x86_64.so",
            "tree.x86_64.so",
            "interp.ingot",
        } <= names


@by_file
def test_files_are_small_and_have_expected_results(path: Path) -> None:
    assert path.stat().st_size < 40_000
    assert path.with_name(f"{path.name}.npz").exists()


@by_file
def test_models_of_every_version_load_and_give_the_same_results(path: Path) -> None:
    skip_elsewhere(path)
    expected = dict(np.load(path.with_name(f"{path.name}.npz")))
    x = expected.pop("x")
    for source in (path, path.read_bytes()):
        library = ingot.load(source)
        assert [f"{name}/p" for name in library] == list(expected)
        for name in library:
            for kind in library[name].info.executors:
                result = library[name](ingot.cpu(0), executor=kind).predict(x=x)
                assert np.allclose(result, expected[f"{name}/p"], rtol=1e-6, atol=1e-7), (name, kind)


@by_file
def test_containers_of_every_version_are_read_on_any_machine(path: Path) -> None:
    content = path.read_bytes()
    container = read_container(content) if path.suffix == ".ingot" else read_library(content).container
    container.verify_members()
    models = ingot.ArtifactSet(container.artifacts).models()
    expected = [
        name.removesuffix("/p") for name in np.load(path.with_name(f"{path.name}.npz")).files if name != "x"
    ]
    assert list(models) == expected
    for info in models.values():
        assert [str(tensor) for tensor in (*info.inputs, *info.outputs)] == [
            "x: float32[1, 2, 8, 8]",
            "p: float32[1, 5]",
        ]


@by_file
def test_containers_of_this_version_are_written_as_they_were(path: Path) -> None:
    if path.parent.name != str(VERSION):
        pytest.skip(f"is of version {path.parent.name}, this ingot writes version {VERSION}")
    content = path.read_bytes()
    file = None if path.suffix == ".ingot" else read_library(content)
    stored = content if file is None else content[file.container_offset :][: file.container.size_bytes]
    if file is not None and file.tree is not None:
        assert b"".join(map(bytes, plan_tree(file.container.artifacts)[1])) == stored
    else:
        assert b"".join(write_container(read_container(stored).artifacts)) == stored


def test_the_merged_library_has_equal_weights_once() -> None:
    members = read_library((CORPUS / "1" / "merged.x86_64.so").read_bytes()).container.members
    places = {
        member.artifact.file_name: member.offset for member in members if member.artifact.loader == "params"
    }
    assert len(places) == 3 and places["small.params"] == places["again.params"]


def test_no_file_of_the_corpus_names_a_folder_of_who_made_it() -> None:
    for path in FILES:
        assert not re.search(rb"/(home|root|tmp|work|Users)/", path.read_bytes()), path
