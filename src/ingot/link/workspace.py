"""The folder in which a library is linked: gone afterwards, also if the process was killed in the middle of it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ingot.errors import ToolchainError

PREFIX = "ingot-link-"
_LOCK = "in-use"
_NEW_SECONDS = 3600  # until nobody is at a folder any more where other machines' locks are not seen (NFS with local ones)


@contextlib.contextmanager
def link_folder() -> Iterator[Path]:
    """A new folder among the system's temporary ones (TMPDIR). Those that killed processes left are removed first.

    Raises:
        ToolchainError: there is no such place, or what is written does not fit there.
    """
    try:
        place = Path(tempfile.gettempdir())
        _sweep(place)
        # The lock ends with the process, however that ends. Numbers of processes say less where containers share a folder.
        with tempfile.TemporaryDirectory(prefix=PREFIX, dir=place) as made, (Path(made) / _LOCK).open("wb") as lock:
            with contextlib.suppress(OSError):  # some network file systems have no locks, so that no sweep gets one either
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield Path(made)
    except OSError as error:
        raise ToolchainError(
            f"cannot link in a temporary folder: {error.strerror or error}{f' ({error.filename})' if error.filename else ''}; "
            "set TMPDIR to a folder that can be written and has room",
        ) from error


def _sweep(place: Path) -> None:
    """Removes folders of this user that nobody holds."""
    left: list[Path] = []
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        left = [Path(one.path) for one in entries if one.name.startswith(PREFIX) and one.is_dir(follow_symlinks=False)]
    for folder in left:
        with contextlib.suppress(OSError):
            found = folder.lstat()
            if found.st_uid != os.geteuid() or time.time() - found.st_mtime < _NEW_SECONDS:
                continue
            with (folder / _LOCK).open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
