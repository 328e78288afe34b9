"""Files that replace others: whole or not at all, and never a device."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import BinaryIO

import pytest

import ingot
from ingot.artifact.artifact import Artifact
from ingot.cli.main import main
from ingot.package.write_file import replace_file
from tests.support.paths import DIGITS


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, ValueError])
def test_a_file_that_was_not_finished_leaves_the_old_one_and_nothing_else(
    tmp_path: Path, error: type[BaseException]
) -> None:
    (tmp_path / "m.so").write_bytes(b"old")

    def write(file: BinaryIO) -> None:
        file.write(b"new")
        raise error

    with pytest.raises(error):
        replace_file(tmp_path / "m.so", write)
    assert [path.name for path in tmp_path.iterdir()] == ["m.so"] and (
        tmp_path / "m.so"
    ).read_bytes() == b"old"


def test_a_name_that_no_file_can_have_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="null"):
        replace_file(tmp_path / "a\0b", lambda file: file.write(b"x"))


def test_a_file_gets_the_rights_that_the_process_gives_its_files(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        replace_file(tmp_path / "m", lambda file: file.write(b"new"))
    finally:
        os.umask(before)
    assert (tmp_path / "m").read_bytes() == b"new" and (tmp_path / "m").stat().st_mode & 0o777 == 0o640


def test_a_pipe_or_a_device_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    artifacts = ingot.ArtifactSet([Artifact("ingot", "text", "a.txt", b"a")])
    with pytest.raises(ingot.IngotError, match="is a device or a pipe, which a file must not replace"):
        artifacts.save(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo() and len(list(tmp_path.iterdir())) == 1


def test_results_and_libraries_are_not_written_over_a_pipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    ingot.build(DIGITS, "interp", dims={"batch": 1}).save(tmp_path / "m.ingot")
    for words in (["run", tmp_path / "m.ingot", "--random"], ["build", DIGITS, "--dim", "batch=1"]):
        with pytest.raises(SystemExit) as caught:
            main([*map(str, words), "-o", str(tmp_path / "pipe")])
        assert caught.value.code not in (0, 1) and (tmp_path / "pipe").is_fifo()
        assert "is a device or a pipe" in capsys.readouterr().err


def test_a_model_is_not_read_from_a_device_that_never_ends() -> None:
    with pytest.raises(ingot.ModelError, match="model file '/dev/zero': is a device, not a file"):
        ingot.build("/dev/zero")


def test_a_symbolic_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    link = tmp_path / "m"
    link.symlink_to("there/m.so")  # that is not there yet
    for content in (b"first", b"second"):
        replace_file(link, lambda file, content=content: file.write(content))
        assert link.is_symlink() and (tmp_path / "there/m.so").read_bytes() == content
    assert [one.name for one in (tmp_path / "there").iterdir()] == ["m.so"]


def test_a_link_to_itself_is_no_place_to_write(tmp_path):
    (tmp_path / "m").symlink_to("m")
    with pytest.raises(OSError):
        replace_file(tmp_path / "m", lambda file: file.write(b""))


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a link to another user")
def test_the_link_of_another_user_in_a_shared_folder_is_not_followed(tmp_path):
    shared, kept = tmp_path / "shared", tmp_path / "kept"
    shared.mkdir()
    shared.chmod(0o1777)
    kept.write_bytes(b"mine")
    link = shared / "m.so"
    link.symlink_to(kept)
    os.lchown(link, 65534, 65534)
    with contextlib.suppress(PermissionError):  # where the system does not follow it either
        replace_file(link, lambda file: file.write(b"new"))
        assert not link.is_symlink() and link.read_bytes() == b"new"
    assert kept.read_bytes() == b"mine"
