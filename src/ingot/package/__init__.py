"""The container in a library: header, index, members. It can be read and checked without running code, and every byte of it is
described in `docs/reference/format.md`.

There is exactly one container for a sequence of artifacts: the place of each byte follows from what is stored, and the reader
refuses any other place. So holes, overlaps and duplicates cannot be expressed, and equal sets are equal bytes.

Here are also the two digests of all that is stored: BLAKE3 to check quickly, SHA-256 for interchange. Where the `blake3` wheel is
missing, SHA-256 does all the work: a BLAKE3 field of zeros means that the writer had none.

A library file is a shared object with a container, or a module tree, in a section of its own, and a footer at its end. The footer
says where the container is and has a digest of the whole file with the digest fields left out, so the file is checked before
anything in it is mapped as code.
"""

import importlib
import os
import re
import stat
import struct
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

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
            f"has format version {version}, this ingot reads version {VERSION}" + ("; update ingot" if version > VERSION else "")
        )
    if flags:
        _wrong(f"has unknown flags {flags:#x}")
    if total != len(view):
        _wrong(f"says that it has {total} bytes, got {len(view)}")
    if index_bytes > min(MAX_INDEX_BYTES, total - HEADER_BYTES) or count > MAX_MEMBERS or count * ENTRY.size > index_bytes:
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
            _wrong(f"has entry {number} ({file_name!r}) at bytes {offset} to {offset + size}, where it cannot be")
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


def _wrong(what: str) -> NoReturn:
    raise ingot.ArtifactError(f"container {what}; the file is damaged or was not made by ingot")


# ─── the library file ──────────────────────────────────────────────────────────────────────────────────────────────

FOOTER_MAGIC = b"INGOTEND"
FOOTER_VERSION = 1  # the data is a container
TREE_VERSION = 2  # the data is a module tree
FOOTER_BYTES = 128

SECTION = ".ingot"  # read-only and loaded with the code, so that native code can reach the container and `strip` keeps it
SYMBOL = "ingot_container"  # its first byte
VERIFY = ("full", "index")
MAPPED_FROM_BYTES = 1 << 18  # below, no page is shared with other processes

# magic, version, flags, container offset, container bytes, file bytes; zeros up to 64; SHA-256, BLAKE3
FOOTER = struct.Struct("<8sIIQQQ24x")

assert FOOTER.size + 2 * DIGEST_BYTES == FOOTER_BYTES


class LibraryFile(metaclass=Frozen):
    """A checked library file. `container` views the bytes that were read; of a library with a module tree (`tree`, a
    `ModuleTree`, whose module imports this one), it has all members of the tree. `container_offset` is where container or tree
    begin. `constants` are the bytes of a mapped file that stayed the file's: nobody but the loader `params` reads them.
    """

    container: Container
    container_offset: int
    size_bytes: int
    sha256: bytes
    tree: Any = None
    constants: tuple[tuple[int, int], ...] = ()

    @property
    def symbol(self) -> str:
        """The name of the byte at `container_offset` in the loaded library."""
        return SYMBOL if self.tree is None else str(importlib.import_module("ingot.package.classic.module_tree").SYMBOL)


def _mapped_file() -> Any:
    """`ingot.base.mapped_file`: for large files."""
    return importlib.import_module("ingot.base.mapped_file")


def open_regular(name: str) -> int:
    """A descriptor of a regular file, open for reading, which the caller closes.

    Raises:
        LoadError: it cannot be opened, or is something else.
    """
    try:
        # Without waiting for somebody at the other end, if it is a pipe.
        descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as error:
        raise ingot.LoadError(f"cannot open {name!r}: {getattr(error, 'strerror', None) or error}", path=name) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ingot.LoadError(f"{name!r} is no regular file", path=name)
    return descriptor


def file_content(descriptor: int, name: str) -> Content:
    """The bytes of a file, where constants are aligned: a large file is mapped, and stays so without the descriptor; a small one
    is read, which is sooner done. `name` is what messages call it.

    What is mapped can be written, which makes a page this process's own and leaves the file alone (`settle`); what somebody else
    writes to the file shows in all other pages.

    Raises:
        LoadError: the system cannot map or read it.
        ArtifactError: hardly any of its bytes are stored.
    """
    try:
        status = os.fstat(descriptor)
        size = status.st_size
        if size >= MAPPED_FROM_BYTES:
            if _mapped_file().is_hollow(status):
                stored = status.st_blocks * 512
                _wrong_file(name, f"has {size} bytes, of which {stored} are stored: it is cut short, or all but empty")
            view: memoryview = _mapped_file().mapped(descriptor, size)
            return view
        room = np.empty(size + PARAMS_ALIGNMENT, np.uint8)
        start = -room.ctypes.data % PARAMS_ALIGNMENT
        content = memoryview(room.data)[start : start + size]
        end = 0
        while end < size and (count := os.preadv(descriptor, [content[end:]], end)):
            end += count
    except OSError as error:
        raise ingot.LoadError(f"cannot read {name!r}: {error.strerror or error}", path=name) from error
    return content[:end].toreadonly()


def read_library(content: Content, *, verify: str = "full", name: str = "library") -> LibraryFile:
    """Reads untrusted bytes of a library file. Nothing is executed.

    Args:
        content: the whole file, as a rule a memory map. If it can be written, all its pages but those of constants are settled
            before they are checked, so that what was checked is what stays.
        verify: "full" checks every byte of the file; "index" checks the footer's fields, the container's header and index, and
            every member except the constants, and trusts the code and the constants.
        name: how messages call the file.

    Raises:
        ArtifactError: not a library that ingot made, cut short, or changed since.
    """
    require_verify(verify)
    view = memoryview(content).toreadonly().cast("B")
    if len(view) < FOOTER_BYTES + HEADER_BYTES or not has_footer(view):
        _no_footer(view, name)
    fields = view[len(view) - FOOTER_BYTES : len(view) - 2 * DIGEST_BYTES]
    _, version, flags, offset, size, total = FOOTER.unpack(fields)
    if version not in (FOOTER_VERSION, TREE_VERSION):
        _wrong_file(name, f"has a footer of version {version}, this ingot reads the versions {FOOTER_VERSION} and {TREE_VERSION}")
    if flags or any(fields[40:64]):
        _wrong_file(name, "has a footer with unknown fields")
    if total != len(view):
        _wrong_file(name, f"says that it has {total} bytes, got {len(view)}")
    if offset % PARAMS_ALIGNMENT or offset > len(view) - FOOTER_BYTES or size > len(view) - FOOTER_BYTES - offset:
        _wrong_file(name, f"has a footer that puts the container at bytes {offset} to {offset + size}, where it cannot be")
    found: tuple[tuple[int, int], ...] = ()
    if not memoryview(content).readonly:
        found = _constants(view[offset : offset + size], version, offset)
        _mapped_file().settle(content, found)
    sha256 = view[len(view) - 2 * DIGEST_BYTES : len(view) - DIGEST_BYTES]
    if verify == "full" and not matches(sha256, view[len(view) - DIGEST_BYTES :], view[: len(view) - 2 * DIGEST_BYTES]):
        _wrong_file(name, "was changed after it was made: its digest does not match")
    container, tree = _read_data(view[offset : offset + size], version)
    if found and found != constant_ranges(container, view):
        _wrong_file(name, "was changed while it was read")
    if verify == "index":
        container.verify_members(constants=False)
    return LibraryFile(container, offset, len(view), bytes(sha256), tree, found)


def _read_data(data: memoryview, version: int) -> tuple[Container, Any]:
    if version != TREE_VERSION:
        return read_container(data, verify_members=False), None
    # Few libraries have a module tree, and its reader brings as much along as all that loading needs.
    tree, container = importlib.import_module("ingot.package.classic.module_tree").read_module_tree(data, verify_members=False)
    return container, tree


def _constants(data: memoryview, version: int, offset: int) -> tuple[tuple[int, int], ...]:
    """The ranges of constants, of a file that was not checked; none if it is damaged, which the checks will say."""
    if version != FOOTER_VERSION:
        try:
            container, _ = _read_data(data, version)
        except ingot.ArtifactError:
            return ()
        return tuple((begin + offset, end + offset) for begin, end in constant_ranges(container, data))
    return tuple(sorted({(begin + offset, end + offset) for begin, end in stated_constants(data)}))


def stated_constants(view: memoryview) -> list[tuple[int, int]]:
    """The first byte and the one behind the last of each member of a container with constants, as the index says, of which
    nothing is checked: a damaged one says anything that is within the bytes.
    """
    found, at = [], HEADER_BYTES
    try:
        for _ in range(min(HEADER.unpack_from(view)[-1], MAX_MEMBERS)):
            offset, size, _, _, *lengths = ENTRY.unpack_from(view, at)
            end = at + ENTRY.size + sum(lengths)
            if 0 < size <= len(view) - offset and view[end - lengths[-1] : end] == LOADER_PARAMS.encode():
                found.append((offset, offset + size))
            at = align(end, 8)
    except struct.error:  # the index ends early
        return []
    return found


def constant_ranges(container: Container, view: memoryview) -> tuple[tuple[int, int], ...]:
    """The ranges of constants in the bytes that a container was read from, in order."""
    # Not by offsets of members: those of a module tree know their place in their own container.
    first = np.frombuffer(view, np.uint8).ctypes.data
    contents = [memoryview(one.content) for one in container.artifacts if one.loader == LOADER_PARAMS]
    begins = [np.frombuffer(content, np.uint8).ctypes.data - first if content.nbytes else 0 for content in contents]
    return tuple(sorted({(begin, begin + one.nbytes) for begin, one in zip(begins, contents, strict=True) if one.nbytes}))


def has_footer(content: Content) -> bool:
    """Whether the bytes end as a library does that ingot finished."""
    return bytes(memoryview(content)[-FOOTER_BYTES:][:8]) == FOOTER_MAGIC


def require_verify(verify: str) -> None:
    """Raises ArtifactError for a word that is not in VERIFY."""
    if verify not in VERIFY:
        raise ingot.ArtifactError(f"verify must be one of {', '.join(VERIFY)}, got {verify!r}")


def _no_footer(view: memoryview, name: str) -> NoReturn:
    if bytes(view[:8]) == MAGIC:
        _wrong_file(name, "is a bare container, not a library")
    if bytes(view[:4]) not in (b"\x7fELF", b"\xcf\xfa\xed\xfe"):
        is_model = name.endswith(".onnx")
        _wrong_file(name, "is a model: make a library of it first ('ingot build')" if is_model else "is no shared library")
    is_foreign = re.search(rb"__tvm_(?:dev_mblob|module_ctx|main__|ffi__library_bin)", view)
    if is_foreign and not re.search(rb"\0ingot_", view):  # libraries of ours may have a module tree, too
        _wrong_file(
            name,
            "was made by TVM, not by ingot: 'ingot inspect' shows what is in it; to run the model, build its ONNX file "
            "with ingot, or have TVM export it in Model Library Format, which ingot loads",
        )
    _wrong_file(name, "has no ingot footer: it was not made by ingot, is cut short, or was changed by a tool such as strip")


def _wrong_file(name: str, what: str) -> NoReturn:
    raise ingot.ArtifactError(f"{name} {what}", name=name)
