"""A folder of compiled kernels, found again by what they were made from."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import stat
from pathlib import Path

_KEY = re.compile(r"[0-9a-f]{16,128}")
_MAGIC = b"ingot kernel 1\n"
_DIGEST_BYTES = 32


class DirectoryCache:
    """A `KernelCache` in a folder, safe with any number of processes.

    An entry is written aside and renamed, and its digest is checked when it is read: what is damaged, or half there, is as if it
    were not.
    A cache that cannot be read or written never fails a build; it only helps less.
    """

    def __init__(self, path: str | os.PathLike[str], limit_bytes: int = 512 * 1024 * 1024) -> None:
        self.path = Path(path)
        self.limit_bytes = limit_bytes
        self._written_bytes = 0

    def _entry(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise ValueError(f"a cache key is 16 to 128 hexadecimal digits, got {key!r}")
        return self.path / key[:2] / key[2:]

    def get(self, key: str) -> bytes | None:
        """The content of an entry, or None if there is no sound one."""
        entry = self._entry(key)
        try:
            stored = entry.read_bytes()
        except OSError:
            return None
        content = stored[len(_MAGIC) + _DIGEST_BYTES :]
        if stored[: len(_MAGIC) + _DIGEST_BYTES] != _MAGIC + _digest(key, content):
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
                aside.write_bytes(_MAGIC + _digest(key, content) + content)
                aside.replace(entry)
            finally:
                aside.unlink(missing_ok=True)
        except OSError:
            return
        # Looking at the whole folder takes a while, so that is done once for a sixteenth of the limit.
        self._written_bytes += len(content)
        if self._written_bytes > self.limit_bytes // 16:
            self._written_bytes = 0
            self.shrink()

    def shrink(self) -> None:
        """Removes the entries that were not used for the longest time until the rest fits the limit."""
        found: list[tuple[int, int, str]] = []
        for folder, _, names in os.walk(self.path):
            for name in names:
                path = os.path.join(folder, name)  # noqa: PTH118 - there may be very many
                with contextlib.suppress(OSError):
                    status = os.lstat(path)
                    if stat.S_ISREG(status.st_mode):
                        found.append((status.st_mtime_ns, status.st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self.limit_bytes:
                return
            with contextlib.suppress(OSError):
                Path(path).unlink()
            total -= size


def _digest(key: str, content: bytes) -> bytes:
    """Of the key, too: an entry under another entry's name is not sound."""
    return hashlib.sha256(key.encode("ascii") + b"\n" + content).digest()
