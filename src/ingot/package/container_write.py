"""Makes the byte container of an artifact set: the only one that `container` reads for these artifacts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingot.artifact.artifact import Artifact, Content
from ingot.base.errors import ArtifactError
from ingot.package.container import (
    ENTRY,
    HEADER,
    HEADER_BYTES,
    MAGIC,
    MAX_CONTAINER_BYTES,
    MAX_INDEX_BYTES,
    MAX_MEMBERS,
    MEMBER_ALIGNMENT,
    VERSION,
    Member,
    align,
    alignment_of,
    digest_pair,
)


def write_container(artifacts: Iterable[Artifact]) -> list[Content]:
    """The container as pieces, to be written one after the other; contents are not copied.

    Members with equal bytes are stored once.

    Raises:
        ArtifactError: two artifacts have the same place, or there are more than the format can hold.
    """
    return write_members(place_members(artifacts))


def place_members(artifacts: Iterable[Artifact]) -> tuple[Member, ...]:
    """Where each artifact will be in the container, with its digests; `write_members` makes the bytes of it.

    Raises:
        ArtifactError: two artifacts have the same place, or there are more than the format can hold.
    """
    members = tuple(artifacts)
    if len({artifact.labels[:3] for artifact in members}) != len(members):
        raise ArtifactError("container: two artifacts have the same target, code generator and file name")
    index_bytes = sum(_entry_bytes(_labels(artifact)) for artifact in members)
    if len(members) > MAX_MEMBERS or index_bytes > MAX_INDEX_BYTES:
        raise ArtifactError(
            f"container: {len(members)} artifacts are more than the format holds ({MAX_MEMBERS})"
        )
    end = HEADER_BYTES + index_bytes
    stored: dict[tuple[int, bytes, bytes, int], int] = {}
    placed: list[Member] = []
    for artifact in members:
        alignment = alignment_of(artifact.loader)
        size = memoryview(artifact.content).nbytes
        sha256, blake3 = digest_pair(artifact.content)
        key = (size, sha256, blake3, alignment)
        if key not in stored:
            stored[key] = align(end, alignment)
            end = stored[key] + size
        placed.append(Member(stored[key], size, sha256, blake3, artifact))
    total = align(end, MEMBER_ALIGNMENT)
    if total > MAX_CONTAINER_BYTES:
        raise ArtifactError(
            f"container: {total} bytes are more than the format holds ({MAX_CONTAINER_BYTES})"
        )
    return tuple(placed)


def write_members(members: Sequence[Member]) -> list[Content]:
    """The container of members as `place_members` placed them, as pieces to be written one after the other."""
    index: list[bytes] = []
    pieces: list[Content] = []
    end = index_end = HEADER_BYTES + sum(_entry_bytes(_labels(member.artifact)) for member in members)
    for member in members:
        labels = _labels(member.artifact)
        if member.offset >= end:
            pieces += [bytes(member.offset - end), member.artifact.content]
            end = member.offset + member.size_bytes
        entry = ENTRY.pack(
            member.offset, member.size_bytes, member.sha256, member.blake3, *map(len, labels)
        ) + b"".join(labels)
        index.append(entry + bytes(-len(entry) % 8))
    padding = bytes(align(end, MEMBER_ALIGNMENT) - end)
    head = HEADER.pack(MAGIC, VERSION, 0, end + len(padding), index_end - HEADER_BYTES, len(members))
    return [head, *digest_pair(head, *index), *index, *pieces, padding]


def _labels(artifact: Artifact) -> tuple[bytes, ...]:
    return tuple(label.encode("ascii") for label in artifact.labels)


def _entry_bytes(labels: tuple[bytes, ...]) -> int:
    return align(ENTRY.size + sum(map(len, labels)), 8)
