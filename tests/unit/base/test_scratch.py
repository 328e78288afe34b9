"""Large contents of a build are in files without a name, and the same wherever they are."""

from __future__ import annotations

import mmap
import tempfile
from pathlib import Path

import pytest

from ingot.base import scratch
from ingot.base.scratch import Scratch, content_of_file, forget_pages


def written() -> memoryview:
    made = Scratch(8)
    made.write(4, b"ab")
    made.write(0, memoryview(b"cd"))
    return made.content


@pytest.mark.parametrize("from_bytes", [1, 100])
def test_what_was_not_written_is_zero(monkeypatch: pytest.MonkeyPatch, from_bytes: int) -> None:
    monkeypatch.setattr(scratch, "SCRATCH_FROM_BYTES", from_bytes)
    content = written()
    assert content == b"cd\0\0ab\0\0" and content.readonly
    assert isinstance(content.obj, mmap.mmap) == (from_bytes == 1)
    forget_pages(content)
    assert content == b"cd\0\0ab\0\0"


def test_without_a_folder_for_temporary_files_contents_are_in_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(scratch, "SCRATCH_FROM_BYTES", 1)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    assert written() == b"cd\0\0ab\0\0"


def test_a_large_file_is_mapped_and_outlives_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    assert content_of_file(path) == b"content"
    monkeypatch.setattr(scratch, "SCRATCH_FROM_BYTES", 1)
    content = content_of_file(path)
    path.unlink()
    assert isinstance(content, memoryview) and isinstance(content.obj, mmap.mmap) and content == b"content"
