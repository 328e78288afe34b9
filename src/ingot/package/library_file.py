"""The file of a library: a shared object with a container, or a module tree, in a section of its own, and a footer at its end.

The footer says where the container is and has a digest of the whole file with the digest fields left out, so the file is checked
before anything in it is mapped as code.
"""

import os
import re
import stat
import struct
from typing import TYPE_CHECKING, NoReturn

import numpy as np

import ingot
from ingot.artifact.artifact import LOADER_PARAMS, Content
from ingot.base.lazy import Late
from ingot.base.records import Frozen
from ingot.package.container import (
    DIGEST_BYTES,
    ENTRY,
    HEADER,
    HEADER_BYTES,
    MAGIC,
    MAX_MEMBERS,
    PARAMS_ALIGNMENT,
    Container,
    align,
    matches,
    read_container,
)

if TYPE_CHECKING:
    from ingot.base import mapped_file
    from ingot.package.classic import module_tree
    from ingot.package.classic.module_tree import ModuleTree
else:
    mapped_file = Late("ingot.base.mapped_file")  # for large files
    # Few libraries have a module tree, and its reader brings as much along as all that loading needs.
    module_tree = Late("ingot.package.classic.module_tree")

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
    """A checked library file. `container` views the bytes that were read; of a library with a module `tree`
    it has all members of the tree. `container_offset` is where container or tree
    begin. `constants` are the bytes of a mapped file that stayed the file's: nobody but the loader `params` reads them.
    """

    container: Container
    container_offset: int
    size_bytes: int
    sha256: bytes
    tree: "ModuleTree | None" = None
    constants: tuple[tuple[int, int], ...] = ()

    @property
    def symbol(self) -> str:
        """The name of the byte at `container_offset` in the loaded library."""
        return SYMBOL if self.tree is None else module_tree.SYMBOL


def open_regular(name: str) -> int:
    """A descriptor of a regular file, open for reading, which the caller closes.

    Raises:
        LoadError: it cannot be opened, or is something else.
    """
    try:
        # Without waiting for somebody at the other end, if it is a pipe.
        descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as error:
        raise ingot.LoadError(
            f"cannot open {name!r}: {getattr(error, 'strerror', None) or error}", path=name
        ) from error
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
            if mapped_file.is_hollow(status):
                stored = status.st_blocks * 512
                _wrong_file(
                    name, f"has {size} bytes, of which {stored} are stored: it is cut short, or all but empty"
                )
            return mapped_file.mapped(descriptor, size)
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
        _wrong_file(
            name,
            f"has a footer of version {version}, this ingot reads the versions {FOOTER_VERSION} and {TREE_VERSION}",
        )
    if flags or any(fields[40:64]):
        _wrong_file(name, "has a footer with unknown fields")
    if total != len(view):
        _wrong_file(name, f"says that it has {total} bytes, got {len(view)}")
    if (
        offset % PARAMS_ALIGNMENT
        or offset > len(view) - FOOTER_BYTES
        or size > len(view) - FOOTER_BYTES - offset
    ):
        _wrong_file(
            name,
            f"has a footer that puts the container at bytes {offset} to {offset + size}, where it cannot be",
        )
    constants: tuple[tuple[int, int], ...] = ()
    if not memoryview(content).readonly:
        constants = _constants(view[offset : offset + size], version, offset)
        mapped_file.settle(content, constants)
    sha256 = view[len(view) - 2 * DIGEST_BYTES : len(view) - DIGEST_BYTES]
    if verify == "full" and not matches(
        sha256, view[len(view) - DIGEST_BYTES :], view[: len(view) - 2 * DIGEST_BYTES]
    ):
        _wrong_file(name, "was changed after it was made: its digest does not match")
    container, tree = _read_data(view[offset : offset + size], version)
    if constants and constants != constant_ranges(container, view):
        _wrong_file(name, "was changed while it was read")
    if verify == "index":
        container.verify_members(constants=False)
    return LibraryFile(container, offset, len(view), bytes(sha256), tree, constants)


def _read_data(data: memoryview, version: int) -> "tuple[Container, ModuleTree | None]":
    if version != TREE_VERSION:
        return read_container(data, verify_members=False), None
    tree, container = module_tree.read_module_tree(data, verify_members=False)
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
    ranges, at = [], HEADER_BYTES
    try:
        for _ in range(min(HEADER.unpack_from(view)[-1], MAX_MEMBERS)):
            offset, size, _, _, *lengths = ENTRY.unpack_from(view, at)
            end = at + ENTRY.size + sum(lengths)
            if 0 < size <= len(view) - offset and view[end - lengths[-1] : end] == LOADER_PARAMS.encode():
                ranges.append((offset, offset + size))
            at = align(end, 8)
    except struct.error:  # the index ends early
        return []
    return ranges


def constant_ranges(container: Container, view: memoryview) -> tuple[tuple[int, int], ...]:
    """The ranges of constants in the bytes that a container was read from, in order."""
    # Not by offsets of members: those of a module tree know their place in their own container.
    first = np.frombuffer(view, np.uint8).ctypes.data
    contents = [
        memoryview(artifact.content) for artifact in container.artifacts if artifact.loader == LOADER_PARAMS
    ]
    begins = [
        np.frombuffer(content, np.uint8).ctypes.data - first if content.nbytes else 0 for content in contents
    ]
    return tuple(
        sorted(
            {
                (begin, begin + content_bytes.nbytes)
                for begin, content_bytes in zip(begins, contents, strict=True)
                if content_bytes.nbytes
            }
        )
    )


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
        _wrong_file(
            name,
            "is a model: make a library of it first ('ingot build')" if is_model else "is no shared library",
        )
    is_foreign = re.search(rb"__tvm_(?:dev_mblob|module_ctx|main__|ffi__library_bin)", view)
    if is_foreign and not re.search(rb"\0ingot_", view):  # libraries of ours may have a module tree, too
        _wrong_file(
            name,
            "was made by TVM, not by ingot: 'ingot inspect' shows what is in it; to run the model, build its ONNX file "
            "with ingot, or have TVM export it in Model Library Format, which ingot loads",
        )
    _wrong_file(
        name,
        "has no ingot footer: it was not made by ingot, is cut short, or was changed by a tool such as strip",
    )


def _wrong_file(name: str, problem: str) -> NoReturn:
    raise ingot.ArtifactError(f"{name} {problem}", name=name)
