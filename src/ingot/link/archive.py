"""Links the code of a Model Library Format archive into a library for this machine: what `ingot.load` does with one."""

from __future__ import annotations

import sys
from pathlib import Path

from ingot.artifact.artifact import Content
from ingot.base.errors import LoadError
from ingot.base.mapped_file import settle
from ingot.base.observe import Observer
from ingot.link.shared import link_pieces
from ingot.package.mlf.link import CODEGEN_ID, INCLUDE, linkable
from ingot.package.mlf.read import read_archive
from ingot.package.mlf.write import crt_files

_HEADERS = "include/"


def link_archive(content: Content, name: str = "archive", observer: Observer | None = None) -> list[Content]:
    """The bytes of a library with the models of the archive, as pieces.

    Args:
        content: the archive, untrusted as a file; its code is run as the code of any library is.
        name: how messages call it.
        observer: receives the stages.

    Raises:
        ArtifactError: the archive is damaged or refused.
        LoadError: it is a good one that cannot run on this machine.
        ToolchainError: no compiler driver, or it failed.
    """
    read_archive(
        memoryview(content).toreadonly(), name
    )  # all is checked before what is mapped is made this process's own
    settle(content)
    archive = read_archive(content, name)
    headers = {
        file.removeprefix(_HEADERS): text for file, text in crt_files().items() if file.startswith(_HEADERS)
    }
    artifacts = linkable(archive, _machine(), headers)
    return link_pieces(artifacts, compile_flags=(f"-Inative/host/{CODEGEN_ID}/{INCLUDE}",), observer=observer)


def _machine() -> int:
    """The number of this machine in ELF files: that of the program that runs."""
    with Path(sys.executable).open("rb") as file:
        head = file.read(20)
    if head[:4] != b"\x7fELF":
        raise LoadError("archives are linked and loaded on systems with ELF files, such as Linux")
    return int.from_bytes(head[18:20], "little" if head[5] == 1 else "big")
