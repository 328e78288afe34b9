"""Files are written aside, then renamed: at a path there is the old file or the whole new one, however the process ends.

Nothing waits for the disk: what a power cut leaves is up to the file system, and a digest says if it is not the file.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


def replace_file(path: Path, write: Callable[[BinaryIO], object], *, mode: int = 0o644) -> None:
    """Lets `write` fill a file beside `path`, which then takes that path. Nothing stays of one that was not finished. A
    symbolic link stays, and the file that it names is replaced; not one of another user where anybody may put links (`/tmp`).

    Raises:
        OSError: the file or its folder cannot be written; or a folder, device or pipe is there, which a file must not replace.
    """
    require_replaceable(path)
    if path.is_symlink() and _is_trusted(path):
        path = Path(os.path.realpath(path))
    aside = path.parent / f".{path.name[:50]}.{os.urandom(8).hex()}.tmp"
    # The system takes the umask off: to ask for it is to change it, for all threads, for a moment.
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            write(file)
        aside.replace(path)
    except BaseException:  # an interrupt, too
        aside.unlink(missing_ok=True)
        raise


def _is_trusted(link: Path) -> bool:
    """As Linux has it (`fs.protected_symlinks`, proc_sys_fs(5)), which resolving a path by hand goes around."""
    folder, owner = link.parent.stat(), link.lstat().st_uid
    shared = stat.S_ISVTX | stat.S_IWOTH
    return folder.st_mode & shared != shared or owner in (os.geteuid(), folder.st_uid)


def require_replaceable(path: Path) -> None:
    """Raises OSError if there is something at the path that is no file."""
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        return
    except ValueError as error:  # a name that no file can have
        raise OSError(errno.EINVAL, str(error)) from None
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(kind):
        raise OSError(errno.EINVAL, "is a device or a pipe, which a file must not replace")
