"""What can be loaded besides the file of a library: bytes, file objects, sets that were saved or are in memory, archives."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ingot.artifact.artifact import LOADER_NATIVE, Artifact, Content
from ingot.artifact.artifact_set import ArtifactSet
from ingot.base.errors import LoadError
from ingot.base.lazy import Late
from ingot.package.container import is_container
from ingot.package.container_file import checked_container
from ingot.package.library_file import has_footer, require_verify
from ingot.package.tar import is_tar
from ingot.runtime.library import Library
from ingot.runtime.load import VERIFIED, anonymous_file, begin, done, load_artifacts, load_descriptor

if TYPE_CHECKING:
    from ingot.artifact.artifact_set import InMemoryArtifact
    from ingot.link import archive as late_archive
    from ingot.link import shared as late_shared
    from ingot.runtime import platforms as late_platforms
    from ingot.runtime.load_steps import Steps
else:
    late_archive = Late("ingot.link.archive")
    late_shared = Late("ingot.link.shared")
    late_platforms = Late("ingot.runtime.platforms")


def load_source(source: object, verify: str) -> Library:
    """Loads what is no path; see `ingot.load`.

    Raises:
        LoadError: it is nothing that can be loaded, or not here.
        ArtifactError: the bytes are not a library that ingot made, or were changed.
        ToolchainError: a set or an archive must be linked, and there is no compiler driver, or it failed.
    """
    require_verify(verify)
    if isinstance(source, (bytes, bytearray, memoryview)):
        view = memoryview(source)
        # What is checked must not change before it is compiled, or under the models, which read their constants there.
        return load_pieces([view if view.readonly and view.c_contiguous else bytes(view)], verify=verify)
    if hasattr(source, "read"):
        content = source.read()
        if not isinstance(content, bytes):
            raise LoadError(
                f"load: a file object must be opened in binary mode; read gave {type(content).__name__}"
            )
        return load_pieces([content], verify=verify)
    if isinstance(source, ArtifactSet):
        return _load_by_itself(source)
    raise LoadError(
        f"load: expected a path, bytes, a binary file object or an ArtifactSet, got {type(source).__name__}",
    )


def _load_by_itself(artifacts: ArtifactSet) -> Library:
    """The set's own `load`, because linking belongs to the set: this side knows no tool chain."""
    own_load: Callable[[], Library] | None = getattr(artifacts, "load", None)
    if own_load is None:
        raise LoadError(
            "load: this ArtifactSet cannot be linked; make it an ingot.ArtifactSet, as ingot.build gives"
        )
    return own_load()


def load_pieces(
    pieces: Sequence[Content],
    *,
    verify: str = "full",
    name: str = "library in memory",
    in_memory: tuple[InMemoryArtifact, ...] = (),
) -> Library:
    """Loads a library whose bytes are the pieces, one after the other, without a file: as an anonymous one of this process.

    The modules of `in_memory` artifacts are imported last.
    """
    return _load_pieces(pieces, verify, name, in_memory, begin())


def _load_pieces(
    pieces: Sequence[Content], verify: str, name: str, in_memory: tuple[InMemoryArtifact, ...], steps: Steps
) -> Library:
    if len(pieces) == 1 and is_container(pieces[0]):
        done(steps, "read", f"{memoryview(pieces[0]).nbytes:,} bytes in memory")
        return _load_container(pieces[0], name, verify, steps)
    if len(pieces) == 1 and not has_footer(pieces[0]) and is_tar(pieces[0]):
        return _load_archive(pieces[0], name, steps)
    if sys.platform != "linux":  # elsewhere descriptors have no paths by which code could be opened
        raise LoadError("loading a library from bytes needs Linux; write it to a file and load that")
    descriptor = anonymous_file("ingot")
    try:
        if descriptor is None:  # a policy of this process refuses them
            descriptor = _without_a_name()
        with open(descriptor, "wb", closefd=False) as file:
            for piece in pieces:
                file.write(piece)
        return load_descriptor(descriptor, name, verify, steps, in_memory)
    except OSError as error:
        raise LoadError(
            f"{name}: there is no place for its bytes: {error.strerror or error}", name=name
        ) from error
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _without_a_name() -> int:
    """A descriptor of a new file in the folder for temporary files, which has no name there."""
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def load_unlinked(artifacts: ArtifactSet, *, name: str = "set of artifacts") -> Library:
    """Loads a set that has nothing to link: no tool chain, no file.

    Raises:
        ArtifactError: wrong metadata, constants or artifacts.
        LoadError: as `load`.
    """
    return _load_unlinked(artifacts.artifacts, artifacts.in_memory, name, begin())


def load_unfinished(content: Content, name: str, verify: str, steps: Steps) -> Library | None:
    """Loads bytes that do not end as a library does: a container, or an archive; None if they are neither."""
    require_verify(verify)
    if is_container(content):
        return _load_container(content, name, verify, steps)
    if is_tar(content):
        return _load_archive(content, name, steps)
    return None


def _load_archive(content: Content, name: str, steps: Steps) -> Library:
    """An archive: every byte of it is checked, what it holds is linked, and what comes out is loaded."""
    pieces: list[Content] = late_archive.link_archive(content, name)
    done(steps, "link", f"an archive of {memoryview(content).nbytes:,} bytes is checked, compiled and linked")
    return _load_pieces(pieces, "full", name, (), steps)


def _load_container(content: Content, name: str, verify: str, steps: Steps) -> Library:
    artifacts = checked_container(content, verify=verify, name=name).artifacts
    done(steps, "verify", VERIFIED[verify])
    native = sum(artifact.loader == LOADER_NATIVE for artifact in artifacts)
    if not native:
        return _load_unlinked(artifacts, (), name, steps)
    unlinked = ArtifactSet(artifacts)
    late_platforms.require_platforms(unlinked.models().values())
    pieces: list[Content] = late_shared.link_pieces(unlinked)
    done(steps, "link", f"{native} native artifacts of the set are compiled and linked")
    return _load_pieces(pieces, verify, name, (), steps)


def _load_unlinked(
    artifacts: tuple[Artifact, ...], in_memory: tuple[InMemoryArtifact, ...], name: str, steps: Steps
) -> Library:
    return load_artifacts(artifacts, in_memory, name, steps, lambda: None, lambda: None)
