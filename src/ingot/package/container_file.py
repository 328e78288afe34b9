"""A container as a file of its own, such as `m.ingot`: an artifact set on disk, read where it is mapped."""

from __future__ import annotations

import mmap
import os
import stat
from typing import Any

from ingot.artifact.artifact import Content
from ingot.errors import LoadError
from ingot.package.container import MAGIC, Container, read_container
from ingot.package.library_file import require_verify

SUFFIX = ".ingot"


def open_regular(name: str) -> int:
    """A descriptor of a regular file, open for reading, which the caller closes.

    Raises:
        LoadError: it cannot be opened, or is something else.
    """
    try:
        # Without waiting for somebody at the other end, if it is a pipe.
        descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as error:
        raise LoadError(f"cannot open {name!r}: {getattr(error, 'strerror', None) or error}", path=name) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise LoadError(f"{name!r} is no regular file", path=name)
    return descriptor


def mapped(descriptor: int) -> Content:
    """The bytes of a file, as a read-only memory map that outlives the descriptor."""
    size = os.fstat(descriptor).st_size
    content: Any = mmap.mmap(descriptor, size, access=mmap.ACCESS_READ) if size else b""
    return memoryview(content)


def is_container(content: Content) -> bool:
    """Whether the bytes begin as a container does, and not as a library."""
    return bytes(memoryview(content)[: len(MAGIC)]) == MAGIC


def checked_container(content: Content, *, verify: str = "full") -> Container:
    """Reads untrusted bytes of a container. Contents are views.

    Args:
        content: the container and nothing else.
        verify: "full" checks every byte; "index" all but the constants.

    Raises:
        ArtifactError: no container of a version that is known here, or damaged.
    """
    require_verify(verify)
    container = read_container(content, verify_members=verify == "full")
    if verify == "index":
        container.verify_members(constants=False)
    return container


def open_container(path: str | os.PathLike[str], *, verify: str = "full") -> Container:
    """Maps and reads a container file.

    Raises:
        LoadError: the file cannot be opened.
        ArtifactError: as `checked_container`.
    """
    descriptor = open_regular(os.fspath(path))
    try:
        return checked_container(mapped(descriptor), verify=verify)
    finally:
        os.close(descriptor)
