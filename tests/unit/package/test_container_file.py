"""Container files: opened, mapped, checked; and what is refused."""

from __future__ import annotations

import gc
import mmap
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from ingot.artifact.artifact import Artifact
from ingot.base.errors import ArtifactError, LoadError
from ingot.package import library_file
from ingot.package.container import PARAMS_ALIGNMENT, is_container
from ingot.package.container_file import checked_container, open_container
from ingot.package.container_write import write_container
from ingot.package.library_file import file_content, open_regular

ARTIFACTS = (
    Artifact("ingot", "params", "m.params", bytes(range(256)) * 40),
    Artifact("c", "native", "m.c", b"int x;\n"),
    Artifact("ingot", "text", "notes/m.txt", b"", "accel"),
)


def open_files() -> int:
    gc.collect()  # what other tests left
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "m.ingot"
    file.write_bytes(b"".join(write_container(ARTIFACTS)))
    return file


def test_what_was_written_is_read_in_order_with_all_labels(path: Path) -> None:
    assert open_container(path).artifacts == ARTIFACTS
    assert open_container(str(path), verify="index").artifacts == ARTIFACTS


@pytest.mark.parametrize(
    ("mapped_from", "bits", "kind"), [(0, 64, np.ndarray), (0, 32, mmap.mmap), (1 << 18, 64, np.ndarray)]
)
def test_contents_are_views_of_one_memory_and_outlive_the_name(
    path: Path, mapped_from: int, bits: int, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_file, "MAPPED_FROM_BYTES", mapped_from)
    with monkeypatch.context() as here:
        here.setattr(sys, "maxsize", (1 << (bits - 1)) - 1)
        container = open_container(path)
    path.unlink()
    content = container.artifacts[0].content
    assert isinstance(content, memoryview) and isinstance(content.obj, kind) and content.readonly
    assert container.artifacts == ARTIFACTS
    (params,) = (artifact for artifact in container.artifacts if artifact.loader == "params")
    assert np.frombuffer(params.content, np.uint8).ctypes.data % PARAMS_ALIGNMENT == 0


def test_constants_are_on_a_page_of_their_own_in_memory(path: Path) -> None:
    (params,) = (member for member in open_container(path).members if member.artifact.loader == "params")
    assert params.offset % mmap.PAGESIZE == 0


def mapped(path: Path) -> int:
    return Path("/proc/self/maps").read_text(encoding="utf-8").count(str(path))


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="only Linux says what a process has mapped")
def test_a_file_is_mapped_for_as_long_as_somebody_has_a_view_of_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_file, "MAPPED_FROM_BYTES", 0)
    descriptor = open_regular(str(path))
    part = memoryview(file_content(descriptor, str(path)))[64:128]
    os.close(descriptor)
    gc.collect()
    assert mapped(path) == 1 and bytes(part) == path.read_bytes()[64:128]
    del part
    assert mapped(path) == 0


@pytest.mark.parametrize("mapped_from", [0, 1 << 18])
def test_no_descriptor_stays_open(
    path: Path, tmp_path: Path, mapped_from: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_file, "MAPPED_FROM_BYTES", mapped_from)
    before = open_files()
    container = open_container(path)
    with pytest.raises(LoadError):
        open_container(tmp_path)
    assert open_files() == before  # the map, too, stays without one
    del container
    assert open_files() == before


@pytest.mark.parametrize("at", [0, 8, 40, 70, 130, 160, 4096, -1])
def test_a_changed_byte_is_refused(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 4
    path.write_bytes(content)
    with pytest.raises(ArtifactError):
        open_container(path)


def test_index_trusts_the_constants_and_nothing_else(path: Path) -> None:
    content = path.read_bytes()
    members = open_container(path).members
    for number, member in enumerate(members[:2]):
        changed = bytearray(content)
        changed[member.offset] ^= 1
        if number == 0:
            assert checked_container(changed, verify="index").artifacts[1:] == ARTIFACTS[1:]
        else:
            with pytest.raises(ArtifactError, match=r"m\.c"):
                checked_container(changed, verify="index")


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"PK\x03\x04" * 100, b"\x89INGOT\r\n"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "other"
    file.write_bytes(content)
    with pytest.raises(ArtifactError, match="other: container"):
        open_container(file)


def test_what_is_no_file_is_a_load_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in (tmp_path / "no.ingot", tmp_path, tmp_path / "pipe", "a\0b"):
        with pytest.raises(LoadError):
            open_container(name)


def test_an_unknown_word_for_verify_is_refused(path: Path) -> None:
    with pytest.raises(ArtifactError, match="verify must be one of full, index"):
        open_container(path, verify="none")


@pytest.mark.parametrize("mapped_from", [0, 1 << 18])
def test_a_file_that_the_system_does_not_let_read_is_named(
    path: Path, mapped_from: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_file, "MAPPED_FROM_BYTES", mapped_from)
    descriptor = os.open(path, os.O_WRONLY)
    try:
        with pytest.raises(LoadError, match=f"cannot read '{path}': "):
            file_content(descriptor, str(path))
    finally:
        os.close(descriptor)


def test_a_container_is_told_from_a_library(path: Path) -> None:
    assert is_container(path.read_bytes()) and not is_container(b"\x7fELF") and not is_container(b"")
    descriptor = open_regular(str(path))
    content = file_content(descriptor, str(path))
    os.close(descriptor)
    assert is_container(content) and len(content) == path.stat().st_size
