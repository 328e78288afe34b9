"""Finishes a library file: the footer behind what the linker made, by which `package` reads it."""

from __future__ import annotations

from ingot.artifact.artifact import Content
from ingot.base.errors import ArtifactError
from ingot.package.container import MEMBER_ALIGNMENT, PARAMS_ALIGNMENT, digest_pair
from ingot.package.library_file import FOOTER, FOOTER_BYTES, FOOTER_MAGIC, FOOTER_VERSION, TREE_VERSION


def finish_library(linked: Content, begin: bytes, size: int, *, tree: bool = False) -> list[Content]:
    """The linker's output with padding and footer, as pieces to be written one after the other.

    Args:
        linked: what the linker made.
        begin: the first bytes of its container or module tree, as many as make it unmistakable.
        size: all bytes of that.
        tree: whether it is a module tree.

    Raises:
        ArtifactError: the linker did not keep the container, or moved it to where it cannot be mapped.
    """
    places = [at for at in range(0, len(linked), PARAMS_ALIGNMENT) if linked[at : at + len(begin)] == begin]
    if len(places) != 1 or places[0] + size > len(linked):
        raise ArtifactError(
            f"link: the linker's output must contain the container exactly once, at a multiple of {PARAMS_ALIGNMENT} bytes; "
            f"it is at {places}"
        )
    offset = places[0]
    padding = bytes(-len(linked) % MEMBER_ALIGNMENT)
    total = len(linked) + len(padding) + FOOTER_BYTES
    fields = FOOTER.pack(FOOTER_MAGIC, TREE_VERSION if tree else FOOTER_VERSION, 0, offset, size, total)
    return [linked, padding, fields, *digest_pair(linked, padding, fields)]
