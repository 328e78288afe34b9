"""The folder in which a library is linked: gone afterwards, also if the process was killed in the middle of it."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ingot.base.errors import ToolchainError

PREFIX = "ingot-link-"
_LOCK = "in-use"
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
_NEW_SECONDS = 3600  # until nobody is at a folder any more where other machines' locks are not seen (NFS with local ones)


@contextlib.contextmanager
def link_folder() -> Iterator[Path]:
    """A new folder among the system's temporary ones (TMPDIR). Those that killed processes left are removed first.

    Raises:
        ToolchainError: there is no such place, or what is written does not fit there. Errors of the body that are not about a
            file in the folder, or about room for one, pass as they are.
    """
    with contextlib.ExitStack() as held:
        try:
            place = Path(tempfile.gettempdir())
            _sweep(place)
            folder = Path(
                held.enter_context(
                    tempfile.TemporaryDirectory(prefix=PREFIX, dir=place, ignore_cleanup_errors=True)
                )
            )
            lock = held.enter_context((folder / _LOCK).open("wb"))
        except OSError as error:
            raise _no_place(error) from error
        # The lock ends with the process, however that ends. Numbers of processes say less where containers share a folder.
        with contextlib.suppress(
            OSError
        ):  # some network file systems have no locks, so that no sweep gets one either
            fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield folder
        except OSError as error:
            if not _is_about(error, folder):
                raise
            raise _no_place(error) from error


def _is_about(error: OSError, folder: Path) -> bool:
    """Whether an error names a file in the folder; one of writing to an open file names none."""
    if error.filename is None:
        return error.errno in _NO_ROOM
    return isinstance(error.filename, str | os.PathLike) and Path(error.filename).is_relative_to(folder)


def _no_place(error: OSError) -> ToolchainError:
    return ToolchainError(
        f"cannot link in a temporary folder: {error.strerror or error}{f' ({error.filename})' if error.filename else ''}; "
        "set TMPDIR to a folder that can be written and has room"
    )


def _sweep(place: Path) -> None:
    """Removes folders of this user that nobody holds."""
    left: list[Path] = []
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        left = [
            Path(entry.path)
            for entry in entries
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False)
        ]
    for folder in left:
        with contextlib.suppress(OSError):
            status = folder.lstat()
            if status.st_uid != os.geteuid() or time.time() - status.st_mtime < _NEW_SECONDS:
                continue
            with (folder / _LOCK).open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
