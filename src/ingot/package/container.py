"""The container in a library: header, index, members. It can be read and checked without running code, and every byte of it is
described in `docs/reference/format.md`.

There is exactly one container for a sequence of artifacts: the place of each byte follows from what is stored, and the reader
refuses any other place. So holes, overlaps and duplicates cannot be expressed, and equal sets are equal bytes.

Here are also the two digests of all that is stored: BLAKE3 to check quickly, SHA-256 for interchange. Where the `blake3` wheel is
missing, SHA-256 does all the work: a BLAKE3 field of zeros means that the writer had none.
"""

import importlib
import os
import struct
from collections.abc import Callable
from typing import NoReturn

import ingot
from ingot.artifact.artifact import LOADER_PARAMS, Artifact, Content
from ingot.base.records import Frozen

# ─── digests ───────────────────────────────────────────────────────────────────────────────────────────────────────

DIGEST_BYTES = 32
NO_BLAKE3 = bytes(DIGEST_BYTES)
_THREADS_FROM_BYTES = 4 << 20  # below this, starting BLAKE3's threads costs more than they save

blake3_digest: "Callable[..., bytes] | None"
try:
    from blake3 import blake3
except ImportError:  # no wheel for this platform: SHA-256 says the same, only later
    blake3_digest = None
else:
    # BLAKE3 keeps its threads for the life of the process; a forked child inherits the belief in them, not the threads, and would
    # wait for ever. So children count alone.
    _threads = [blake3.AUTO]
    os.register_at_fork(after_in_child=lambda: _threads.__setitem__(0, 1))

    def _blake3(*parts: Content) -> bytes:
        total = blake3(max_threads=_threads[0]) if sum(map(len, parts)) > _THREADS_FROM_BYTES else blake3()
        for part in parts:
            total.update(part)
        return total.digest()

    blake3_digest = _blake3


def sha256_digest(*parts: Content) -> bytes:
    """SHA-256 of the parts, one after the other."""
    # OpenSSL takes longer to load than a small model; with BLAKE3 at hand, who only loads never needs it.
    total = importlib.import_module("hashlib").sha256()
    for part in parts:
        total.update(part)
    return bytes(total.digest())


def digest_pair(*parts: Content) -> tuple[bytes, bytes]:
    """SHA-256 of the parts, and BLAKE3 of the parts followed by that SHA-256, so that the BLAKE3 alone proves both."""
    sha256 = sha256_digest(*parts)
    return sha256, NO_BLAKE3 if blake3_digest is None else blake3_digest(*parts, sha256)


def matches(sha256: Content, blake3: Content, *parts: Content) -> bool:
    """Whether a pair that `digest_pair` made is still true of the parts."""
    if blake3_digest is None or bytes(blake3) == NO_BLAKE3:
        return sha256_digest(*parts) == bytes(sha256)
    return blake3_digest(*parts, bytes(sha256)) == bytes(blake3)


# ─── the container ─────────────────────────────────────────────────────────────────────────────────────────────────

MAGIC = b"\x89INGOT\r\n"  # not text, and damaged by whoever converts line ends
VERSION = 1

HEADER_BYTES = 128
MEMBER_ALIGNMENT = 64
PARAMS_ALIGNMENT = 4096  # a page: constants can be mapped on their own
MAX_MEMBERS = 65536
MAX_INDEX_BYTES = 1 << 25
MAX_CONTAINER_BYTES = 1 << 48

# magic, version, flags, container bytes, index bytes, member count, zeros up to byte 64; then SHA-256 and BLAKE3 of these fields
# and the index
HEADER = struct.Struct("<8sIIQQI28x")
ENTRY = struct.Struct("<QQ32s32sBBBB4x")  # offset, bytes, SHA-256, BLAKE3, lengths of the four labels
_DIGESTS_AT = 64

assert HEADER.size == _DIGESTS_AT and _DIGESTS_AT + 2 * DIGEST_BYTES == HEADER_BYTES


class Member(metaclass=Frozen):
    """A place in a container: `offset` from its first byte."""

    offset: int
    size_bytes: int
    sha256: bytes
    blake3: bytes
    artifact: Artifact


class Container(metaclass=Frozen):
    """What `read_container` found. Contents are views of the bytes that were read, without a copy."""

    members: tuple[Member, ...]
    size_bytes: int

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        return tuple(member.artifact for member in self.members)

    def verify_members(self, *, constants: bool = True) -> None:
        """Checks the digests of every member, or of every member but the constants; of a place that several share, once.

        Raises:
            ArtifactError: the bytes of a member changed; the message names it.
        """
        places = set()
        for member in self.members:
            place = member.offset, member.size_bytes, member.sha256, member.blake3
            skipped = place in places or (member.artifact.loader == LOADER_PARAMS and not constants)
            places.add(place)
            if not skipped and not matches(member.sha256, member.blake3, member.artifact.content):
                raise ingot.ArtifactError(
                    f"container: member {member.artifact.file_name!r} is damaged: its digest is not the one in the index",
                    file_name=member.artifact.file_name,
                )


def read_container(content: Content, *, verify_members: bool = True) -> Container:
    """Reads untrusted bytes, which must be one container and nothing else.

    The header and the index are always checked against their digest, and every padding byte must be zero. The members are
    checked if `verify_members` says so; a caller who checks the whole file need not.

    Raises:
        ArtifactError: the bytes are no container of a version that is known here, or are damaged.
    """
    view = memoryview(content).toreadonly().cast("B")
    if len(view) < HEADER_BYTES:
        _wrong(f"has {len(view)} bytes, a header alone has {HEADER_BYTES}")
    head = view[:_DIGESTS_AT]
    magic, version, flags, total, index_bytes, count = HEADER.unpack(head)
    if magic != MAGIC:
        _wrong("does not begin with ingot's magic bytes")
    if version != VERSION:
        _wrong(
            f"has format version {version}, this ingot reads version {VERSION}"
            + ("; update ingot" if version > VERSION else "")
        )
    if flags:
        _wrong(f"has unknown flags {flags:#x}")
    if total != len(view):
        _wrong(f"says that it has {total} bytes, got {len(view)}")
    if (
        index_bytes > min(MAX_INDEX_BYTES, total - HEADER_BYTES)
        or count > MAX_MEMBERS
        or count * ENTRY.size > index_bytes
    ):
        _wrong(f"has an impossible index of {count} members in {index_bytes} bytes")
    index = view[HEADER_BYTES : HEADER_BYTES + index_bytes]
    if not matches(view[64:96], view[96:128], head, index):
        _wrong("is damaged: the digest of header and index does not match")
    _require_zeros(head, 36, _DIGESTS_AT)
    members = _read_members(view, index, count)
    container = Container(members, total)
    if verify_members:
        container.verify_members()
    return container


def _read_members(view: memoryview, index: memoryview, count: int) -> tuple[Member, ...]:
    at, end = 0, HEADER_BYTES + len(index)
    members: list[Member] = []
    stored: dict[tuple[int, bytes, bytes, int], int] = {}
    places: set[tuple[str, str, str]] = set()
    for number in range(count):
        if at + ENTRY.size > len(index):
            _wrong(f"has an index that ends within entry {number}")
        offset, size, sha256, blake3, *lengths = ENTRY.unpack_from(index, at)
        _require_zeros(index, at + ENTRY.size - 4, at + ENTRY.size)
        at += ENTRY.size
        labels: list[str] = []
        for length in lengths:
            text = bytes(index[at : at + length])
            if len(text) != length or not text.isascii():
                _wrong(f"has a damaged label in entry {number} of its index")
            labels.append(text.decode("ascii"))
            at += length
        _require_zeros(index, at, at + (-at) % 8)
        at += -at % 8
        target_key, codegen_id, file_name, loader = labels
        alignment = alignment_of(loader)
        key = (size, sha256, blake3, alignment)
        if offset != stored.get(key, align(end, alignment)) or size > len(view) - offset:
            _wrong(
                f"has entry {number} ({file_name!r}) at bytes {offset} to {offset + size}, where it cannot be"
            )
        if key not in stored:
            _require_zeros(view, end, offset)
            stored[key] = offset
            end = offset + size
        artifact = Artifact(codegen_id, loader, file_name, view[offset : offset + size], target_key)
        if artifact.labels[:3] in places:
            _wrong(f"has {file_name!r} twice for target {target_key} and code generator {codegen_id}")
        places.add(artifact.labels[:3])
        members.append(Member(offset, size, sha256, blake3, artifact))
    if at != len(index):
        _wrong(f"has {len(index) - at} bytes too many in its index")
    if len(view) != align(end, MEMBER_ALIGNMENT):
        _wrong(f"has {len(view)} bytes, its members end at {end}")
    _require_zeros(view, end, len(view))
    return tuple(members)


def is_container(content: Content) -> bool:
    """Whether the bytes begin as a container does, and not as a library."""
    return bytes(memoryview(content)[: len(MAGIC)]) == MAGIC


def align(offset: int, alignment: int) -> int:
    """The next multiple of `alignment`, a power of two, at or after `offset`."""
    return (offset + alignment - 1) & -alignment


def alignment_of(loader: str) -> int:
    """What the content of an artifact of this loader is aligned to."""
    return PARAMS_ALIGNMENT if loader == LOADER_PARAMS else MEMBER_ALIGNMENT


def _require_zeros(view: memoryview, first: int, end: int) -> None:
    padding = bytes(view[first:end])
    if padding != bytes(len(padding)):
        _wrong(f"has bytes other than zero in its padding before byte {end}")


def _wrong(problem: str) -> NoReturn:
    raise ingot.ArtifactError(f"container {problem}; the file is damaged or was not made by ingot")
