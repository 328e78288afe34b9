"""The one place of the run side that imports late: the linker, which archives of sources need, and libraries do not."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from ingot.artifact.artifact import Content

Linker = Callable[[Content, str], list[Content]]


def archive_linker() -> Linker:
    """`ingot.link.archive.link_archive`: the bytes of an archive and its name → the pieces of a library."""
    linker: Linker = importlib.import_module("ingot.link.archive").link_archive
    return linker
