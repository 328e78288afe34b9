"""Folders for linking go away."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from ingot.base.errors import ToolchainError
from ingot.link.workspace import PREFIX, link_folder


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_what_a_killed_process_left_is_removed_by_the_next(place: Path) -> None:
    script = (
        "import sys, tempfile\nfrom ingot.link.workspace import link_folder\ntempfile.tempdir = sys.argv[1]\n"
        "with link_folder() as folder:\n    (folder / 'a').mkdir()\n    print(flush=True)\n    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        (held,) = place.iterdir()
        os.utime(held, (0, 0))
        with link_folder():
            assert len(list(place.iterdir())) == 2  # that of a process which is at it stays
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert list(place.iterdir()) == [held]
    with link_folder() as own:
        assert list(place.iterdir()) == [own]
    assert not list(place.iterdir())


def test_folders_that_are_not_ours_stay(place: Path) -> None:
    (place / f"{PREFIX}new").mkdir()
    (place / f"{PREFIX}new/in-use").touch()  # not locked yet
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "in-use").touch()
    (place / f"{PREFIX}link").symlink_to(elsewhere)
    with link_folder():
        pass
    assert sorted(one.name for one in place.iterdir()) == ["elsewhere", f"{PREFIX}link", f"{PREFIX}new"]
    assert (elsewhere / "in-use").exists()


def test_a_place_without_locks_is_linked_in_and_not_swept(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with link_folder() as first:
        os.utime(first, (0, 0))
        with link_folder() as second:
            assert sorted(place.iterdir()) == sorted([first, second])
    assert not list(place.iterdir())


@pytest.mark.parametrize(("age_seconds", "stays"), [(600, True), (7200, False)])
def test_a_folder_of_this_hour_may_be_in_use_where_its_lock_is_not_seen(
    place: Path, age_seconds: int, stays: bool
) -> None:
    folder = place / f"{PREFIX}elsewhere"
    folder.mkdir()
    (folder / "in-use").touch()
    then = time.time() - age_seconds
    os.utime(folder, (then, then))
    with link_folder():
        assert folder.exists() == stays


def test_a_full_disk_is_said_in_a_sentence(place: Path) -> None:
    with pytest.raises(ToolchainError, match=r"No space left on device.*set TMPDIR"), link_folder():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert not list(place.iterdir())


def test_no_place_at_all_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    with pytest.raises(ToolchainError, match="set TMPDIR"), link_folder():
        pass


def test_a_file_of_the_folder_that_cannot_be_written_is_blamed_on_its_place(place: Path) -> None:
    with (
        pytest.raises(ToolchainError, match=r"No such file or directory \(.*missing/a\); set TMPDIR"),
        link_folder() as folder,
    ):
        (folder / "missing/a").write_bytes(b"")
    assert not list(place.iterdir())


def test_an_error_about_a_file_elsewhere_is_not_blamed_on_the_folder(place: Path) -> None:
    with pytest.raises(FileNotFoundError, match="elsewhere"), link_folder():
        (place / "elsewhere").read_bytes()
    with pytest.raises(ConnectionResetError), link_folder():
        raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
    assert not list(place.iterdir())
