"""A container as a file of its own, such as `m.ingot`: an artifact set on disk."""

from __future__ import annotations

import os

from ingot.artifact.artifact import Content
from ingot.base.errors import ArtifactError
from ingot.base.mapped_file import settle
from ingot.package.container import Container, read_container
from ingot.package.library_file import constant_ranges, file_content, open_regular, require_verify

SUFFIX = ".ingot"


def checked_container(content: Content, *, verify: str = "full", name: str = "container") -> Container:
    """Reads untrusted bytes of a container. Contents are views.

    Args:
        content: the container and nothing else. If it can be written, all its pages but those of constants are settled before
            they are checked.
        verify: "full" checks every byte; "index" all but the constants.
        name: how messages call the file.

    Raises:
        ArtifactError: no container of a version that is known here, or damaged.
    """
    require_verify(verify)
    try:
        view = memoryview(content)
        constants = (
            () if view.readonly else constant_ranges(read_container(content, verify_members=False), view)
        )
        settle(content, constants)
        container = read_container(content, verify_members=verify == "full")
        if constants and constants != constant_ranges(container, view):
            raise ArtifactError("was changed while it was read")
        if verify == "index":
            container.verify_members(constants=False)
    except ArtifactError as error:
        raise ArtifactError(f"{name}: {error.message}", **error.facts) from error
    return container


def open_container(path: str | os.PathLike[str], *, verify: str = "full") -> Container:
    """Reads a container file.

    Raises:
        LoadError: the file cannot be opened.
        ArtifactError: as `checked_container`.
    """
    name = os.fspath(path)
    descriptor = open_regular(name)
    try:
        return checked_container(file_content(descriptor, name), verify=verify, name=name)
    finally:
        os.close(descriptor)
