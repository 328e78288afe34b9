"""A folder of compiled code, found again by what it was made from."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path

_KEY = re.compile(r"[0-9a-f]{16,128}")
_MAGIC = b"ingot kernel 1\n"
_DIGEST_BYTES = 32

# How the files of a cache are called: an entry's key is the folder's name and the file's.
_FOLDER = re.compile(r"[0-9a-f]{2}")
_ENTRY = re.compile(r"[0-9a-f]{14,126}")
_ASIDE = re.compile(r"\.[0-9a-f]{14,126}\.[0-9a-f]{16}")
_ASIDE_SECONDS = 3600  # until nobody is writing a file any more

_TALLY = ".ingot-tally"
_TALLY_BYTES = 4096  # that one byte of the tally stands for


class DirectoryCache:
    """A `KernelCache` in a folder, safe with any number of processes.

    What is in it is linked and run, so an entry counts only if it is this user's or root's, and nobody else may write to it.
    An entry is written aside and renamed, and its digest is checked when it is read: what is damaged, or half there, is as if it
    were not.
    A cache that cannot be read or written never fails a build; it only helps less.
    Other files may lie in the folder: only what the cache has written is counted and removed.
    """

    def __init__(self, path: str | os.PathLike[str], limit_bytes: int = 512 * 1024 * 1024) -> None:
        self.path = Path(path)
        self.limit_bytes = limit_bytes

    def _entry(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise ValueError(f"a cache key is 16 to 128 hexadecimal digits, got {key!r}")
        return self.path / key[:2] / key[2:]

    def get(self, key: str) -> bytes | None:
        """The content of an entry, or None if there is no sound one."""
        entry = self._entry(key)
        try:
            head, content = _own_content(entry)
        except OSError:
            return None
        if head != _MAGIC + _digest(key, content):
            return None
        with contextlib.suppress(OSError):
            os.utime(entry)  # the cache drops what was not used for the longest time
        return content

    def put(self, key: str, content: bytes) -> None:
        """Stores an entry, in the place of one with the same key."""
        entry = self._entry(key)
        aside = entry.with_name(f".{entry.name}.{secrets.token_hex(8)}")
        try:
            entry.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            try:
                descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
                with os.fdopen(descriptor, "wb") as file:
                    file.writelines((_MAGIC, _digest(key, content), content))
                aside.replace(entry)
            finally:
                aside.unlink(missing_ok=True)
            full = self._tallied(len(content))
        except OSError:
            return
        if full:
            self.shrink()

    def _tallied(self, size_bytes: int) -> bool:
        """Counts what was written; whether it is a sixteenth of the limit, after which the count begins anew.

        Looking at the whole folder takes a while, so that is done once for so much, whoever wrote it: the size of a file counts,
        to which all processes append.
        """
        tally = os.open(
            self.path / _TALLY, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
        try:
            os.write(tally, b"." * max(1, -(-size_bytes // _TALLY_BYTES)))
            full = os.fstat(tally).st_size * _TALLY_BYTES > self.limit_bytes // 16
            if full:
                os.ftruncate(tally, 0)
        finally:
            os.close(tally)
        return full

    def shrink(self) -> None:
        """Removes the entries that were not used for the longest time until the rest fits the limit, and what killed processes
        left half written. A file that has the name of an entry and not the beginning of one stays.
        """
        entries: list[tuple[int, int, str]] = []
        for folder in _listed(self.path):
            if not _FOLDER.fullmatch(folder.name) or not folder.is_dir(follow_symlinks=False):
                continue
            for file in _listed(folder):
                with contextlib.suppress(OSError):
                    status = file.stat(follow_symlinks=False)
                    if not stat.S_ISREG(status.st_mode):
                        continue
                    if _ENTRY.fullmatch(file.name):
                        entries.append((status.st_mtime_ns, status.st_size, file.path))
                    elif _ASIDE.fullmatch(file.name) and time.time() - status.st_mtime > _ASIDE_SECONDS:
                        _remove(Path(file.path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.limit_bytes:
                return
            with contextlib.suppress(OSError):
                _remove(Path(path))
            total -= size


def _own_content(path: Path) -> tuple[bytes, bytes]:
    """The head of an entry and what is behind it, of a file that nobody but this user and root can have written; empty for
    another. They are read apart, since a slice of a large entry would be a copy of it.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        status = os.fstat(file.fileno())
        owners = (status.st_uid,) if not hasattr(os, "geteuid") else (os.geteuid(), 0)
        if (
            not stat.S_ISREG(status.st_mode)
            or status.st_uid not in owners
            or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        ):
            return b"", b""
        return file.read(len(_MAGIC) + _DIGEST_BYTES), file.read()


def _listed(folder: str | os.PathLike[str]) -> Iterator[os.DirEntry[str]]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        yield from entries


def _remove(path: Path) -> None:
    """Removes a file if it begins as an entry does, as far as it goes."""
    with path.open("rb") as file:
        begin = file.read(len(_MAGIC))
    if _MAGIC.startswith(begin):
        path.unlink()


def _digest(key: str, content: bytes) -> bytes:
    """Of the key, too: an entry under another entry's name is not sound."""
    digest = hashlib.sha256(key.encode("ascii") + b"\n")
    digest.update(content)
    return digest.digest()
