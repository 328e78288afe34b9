"""A triple's system and C library are never ignored: a library is linked for them, or refused in words."""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path

import pytest

import ingot
from ingot.artifact.artifact import LOADER_METADATA, Artifact
from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.model_info import ModelInfo
from ingot.artifact.model_info_json import info_to_json
from ingot.base.errors import LoadError, ToolchainError
from ingot.base.platforms import this_platform
from ingot.link import platform_proof
from ingot.link.shared import link_library
from ingot.link.toolchain import Toolchain, find_toolchain
from tests.support.paths import DIGITS
from tests.support.tiny_library import tiny_info, tiny_set

pytestmark = pytest.mark.cc
HERE = platform.machine()


def said_to_be_for(triple: str) -> ArtifactSet:
    """A library's artifacts whose metadata say that its code is for a triple; it is C, and so for whatever compiles it."""
    info = tiny_info()
    (target,) = info.targets
    info = replace(info, targets=(replace(target, target=f"llvm -mtriple={triple} -mcpu=generic"),))
    return ArtifactSet([_with_info(artifact, info) for artifact in tiny_set()])


def _with_info(artifact: Artifact, info: ModelInfo) -> Artifact:
    return replace(artifact, content=info_to_json(info)) if artifact.loader == LOADER_METADATA else artifact


def refused(triple: str, path: Path) -> str:
    with pytest.raises(ToolchainError) as caught:
        link_library(said_to_be_for(triple), path)
    assert not path.exists()
    return str(caught.value)


@pytest.mark.parametrize(
    "rest",
    [
        "w64-windows-gnu",
        "pc-windows-msvc",
        "w64-mingw32",
        "apple-darwin",
        "apple-macosx14.0.0",
        "none-elf",
        "unknown-elf",
    ],
)
def test_libraries_that_would_be_no_elf_files_of_a_known_system_are_refused_in_words(
    rest: str, tmp_path: Path
) -> None:
    words = refused(f"{HERE}-{rest}", tmp_path / "m.so")
    assert f"links no libraries for {HERE}-{rest}" in words and "export an archive" in words


@pytest.mark.parametrize(
    "rest", ["linux-musl", "linux-android", "linux-android21", "unknown-freebsd", "linux-uclibc"]
)
def test_a_driver_for_another_c_library_is_refused_by_the_triple(
    rest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "cc")  # it is for this system
    words = refused(f"{HERE}-{rest}", tmp_path / "m.so")
    assert f"this compiler driver is not for {HERE}-{rest}: let CC name one that is" in words
    assert f"zig cc -target {HERE}-{rest.removeprefix('unknown-')}" in words


@pytest.mark.parametrize("rest", ["linux-musl", "unknown-freebsd"])
def test_the_driver_of_this_system_is_not_taken_for_another_one(
    rest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cc").symlink_to("/bin/false")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    words = refused(f"{HERE}-{rest}", tmp_path / "m.so")
    assert f"looked for CC, {HERE}-{rest.removeprefix('unknown-')}-gcc" in words and "apt-get" not in words


def test_one_library_is_for_one_system() -> None:
    triples = [f"{HERE}-linux-gnu", f"{HERE}-linux-musl"]
    with pytest.raises(ToolchainError, match=r"code for .*-linux-gnu and for .*-linux-musl; name one system"):
        platform_proof.require_one_platform(triples)
    assert platform_proof.require_one_platform(triples[:1] * 2) == triples[0]
    assert platform_proof.require_one_platform([]) == ""
    assert platform_proof.require_one_platform([f"{HERE}-linux", HERE])


@pytest.mark.skipif(this_platform() != ("linux", "gnu"), reason="a library for Linux with glibc")
@pytest.mark.parametrize("rest", ["linux-gnu", "unknown-linux-gnu", "pc-linux-gnu", "redhat-linux"])
def test_all_names_of_this_system_link_and_load(rest: str, tmp_path: Path) -> None:
    path = tmp_path / "m.so"
    link_library(said_to_be_for(f"{HERE}-{rest}"), path)
    assert ingot.load(path).model_names == ("tiny",)


@pytest.mark.parametrize(
    "triple",
    [
        "aarch64-linux-gnu",
        "arm-linux-gnueabihf",
        "armv7-unknown-linux-gnueabi",
        "riscv64-linux-gnu",
        "",
        "x86_64",
    ],
)
def test_other_processors_with_the_c_library_of_this_system_need_no_proof(
    triple: str, tmp_path: Path
) -> None:
    assert platform_proof.require_one_platform([triple]) == triple
    platform_proof.prove_platform(Toolchain(("no-such-driver",), ""), triple, tmp_path)


def test_a_library_for_another_c_library_is_refused_when_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver is for this system, so that the library could be opened: only what its metadata say tells."""
    monkeypatch.setattr("ingot.link.shared.prove_platform", lambda *_: None)
    for rest, words in (
        ("linux-musl", "linux-musl"),
        ("linux-android", "linux-android"),
        ("unknown-freebsd", "unknown-freebsd"),
    ):
        path = tmp_path / f"{rest}.so"
        link_library(said_to_be_for(f"{HERE}-{rest}"), path, toolchain=find_toolchain())
        with pytest.raises(
            LoadError, match=rf"model 'tiny' was built for \S+-{words}, and this process runs on linux-"
        ):
            ingot.load(path)


def test_bitcode_for_another_system_is_refused_when_it_is_loaded() -> None:
    made = ingot.build(DIGITS, f"llvmjit -mtriple={HERE}-w64-windows-gnu", dims={"batch": 1})
    with pytest.raises(LoadError, match=r"was built for \S+-w64-windows-gnu, and this process runs on"):
        made.load()


@pytest.mark.parametrize("rest", ["w64-windows-gnu", "apple-darwin", "linux-musl", "none-elf"])
def test_sets_and_archives_for_another_system_are_refused_by_their_triple_when_they_are_loaded(
    rest: str, tmp_path: Path
) -> None:
    """Nothing is compiled for it, and whether its objects are ELF files makes no difference."""
    made = ingot.build(DIGITS, f"llvm -mtriple={HERE}-{rest}", dims={"batch": 1})
    made.save(tmp_path / "m.ingot")
    made.export_model_library_format(tmp_path / "m.tar")
    for load in (made.load, lambda: ingot.load(tmp_path / "m.ingot"), lambda: ingot.load(tmp_path / "m.tar")):
        with pytest.raises(
            LoadError, match=rf"model 'digits' was built for {HERE}-{rest}, and this process runs on"
        ) as caught:
            load()
        assert caught.value.facts["built_for"] == f"{HERE}-{rest}"
