"""An artifact set as a module tree of the older scheme: the blob of a library that TVM's and tvm-ffi's tools can look into.

The tree is that of the classic layout B (see `module_blob`), one module for each loader of the set:

    ingot.metadata          the root, if there is metadata
    └ _lib                  the library itself: the native artifacts, linked
      ├ ingot.<loader>      every other loader, in the order of their names
      └ …

The payload of a module is a container with the artifacts of its loader, behind its length and zeros that bring it to a multiple
of 4096 bytes from the blob's first byte (with the loader `params`; 64 with others): a blob that lies at a page is used where it
is mapped. There is exactly one blob for a sequence of artifacts, and the reader refuses any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NoReturn

from ingot.artifact.artifact import LOADER_METADATA, LOADER_PARAMS, Artifact, Content
from ingot.base.errors import ArtifactError
from ingot.base.records import Frozen
from ingot.package.byte_reader import ByteReader
from ingot.package.classic.module_blob import LIBRARY_KEY, TREE_KEY, block, read_tree, tree_bytes, word
from ingot.package.classic.module_payloads import OWN_PREFIX
from ingot.package.container import (
    MEMBER_ALIGNMENT,
    PARAMS_ALIGNMENT,
    Container,
    Member,
    align,
    read_container,
)
from ingot.package.container_write import place_members, write_members

SYMBOL = "__tvm_dev_mblob"

_MAX_MODULES = 1024


class TreeModule(metaclass=Frozen):
    """A module of a tree, and the numbers of those that it imports."""

    type_key: str
    imports: tuple[int, ...]


class ModuleTree(metaclass=Frozen):
    """A tree that was read or is to be written. Offsets of members are from the blob's first byte."""

    modules: tuple[TreeModule, ...]
    members: tuple[Member, ...]
    size_bytes: int


def plan_tree(artifacts: Iterable[Artifact]) -> tuple[ModuleTree, list[Content]]:
    """The tree of artifacts that are not native, and its blob as pieces to be written one after the other.

    Raises:
        ArtifactError: nothing but native artifacts, or more than the format can hold.
    """
    groups: dict[str, list[Artifact]] = {}
    for artifact in artifacts:
        groups.setdefault(artifact.loader, []).append(artifact)
    modules = _modules(tuple(groups))
    if len(modules) < 2 or len(modules) > _MAX_MODULES:
        _wrong(f"must have from 1 to {_MAX_MODULES - 1} modules besides the library, got {len(modules) - 1}")
    pieces: list[Content] = [b"", word(len(modules) + 1)]  # the blob's length comes when it is known
    at = 16
    members: list[Member] = []
    for module in modules:
        pieces.append(block(module.type_key.encode("ascii")))
        at += len(pieces[-1])
        if module.type_key == LIBRARY_KEY:
            continue
        loader = module.type_key.removeprefix(OWN_PREFIX)
        placed = place_members(groups[loader])
        content = write_members(placed)
        size = sum(memoryview(piece).nbytes for piece in content)
        padding = _padding(at, loader)
        pieces += [word(padding), bytes(padding), word(size), *content]
        start = at + 16 + padding
        members += [replace(member, offset=start + member.offset) for member in placed]
        at = start + size
    pieces.append(block(TREE_KEY.encode("ascii")) + tree_bytes([module.imports for module in modules]))
    at += len(pieces[-1])
    pieces[0] = word(at - 8)
    return ModuleTree(modules, tuple(members), at), pieces


def read_module_tree(content: Content, *, verify_members: bool = True) -> tuple[ModuleTree, Container]:
    """Reads untrusted bytes, which must be a blob that `plan_tree` made and nothing else. Contents of artifacts are views.

    Args:
        content: the blob from its length on.
        verify_members: whether the digests of members are checked; those of their indexes always are.

    Returns:
        The tree; and all members in its order as one container.

    Raises:
        ArtifactError: the bytes are no such blob, or are damaged.
    """
    view = memoryview(content).toreadonly().cast("B")
    reader = ByteReader(view, "module tree")
    size = reader.u64("the blob's length")
    if size != reader.left:
        reader.wrong(f"the blob says that {size} bytes follow, got {reader.left}")
    count = reader.count("entries")
    if count > _MAX_MODULES + 1:
        reader.wrong(f"{count} entries are more than the {_MAX_MODULES + 1} that are read")
    keys: list[str] = []
    members: list[Member] = []
    for _ in range(count - 1):
        keys.append(reader.text("a type key"))
        if keys[-1] == LIBRARY_KEY:
            continue
        if not keys[-1].startswith(OWN_PREFIX):
            reader.wrong(f"a module of the type {keys[-1]!r:.80}, which is none of ingot's")
        members += _read_members(reader, view, keys[-1].removeprefix(OWN_PREFIX), verify_members)
    if reader.text("a type key") != TREE_KEY:
        reader.wrong("no tree behind the last module")
    imports = read_tree(reader)
    if reader.left:
        reader.wrong(f"{reader.left} bytes behind the tree")
    loaders = tuple(dict.fromkeys(member.artifact.loader for member in members))
    expected = _modules(loaders)
    if tuple(keys) != tuple(module.type_key for module in expected) or imports != tuple(
        module.imports for module in expected
    ):
        reader.wrong("modules or their imports are not those that ingot writes for these artifacts")
    if len({member.artifact.labels[:3] for member in members}) != len(members):
        reader.wrong("two artifacts have the same target, code generator and file name")
    return ModuleTree(expected, tuple(members), len(view)), Container(tuple(members), len(view))


def _modules(loaders: Sequence[str]) -> tuple[TreeModule, ...]:
    """The modules for artifacts of these loaders."""
    others = sorted(set(loaders) - {LOADER_METADATA})
    root = int(LOADER_METADATA in loaders)  # the number of the library, which only metadata imports
    library = TreeModule(LIBRARY_KEY, tuple(range(root + 1, root + 1 + len(others))))
    top = (TreeModule(OWN_PREFIX + LOADER_METADATA, (1,)),) if root else ()
    return (*top, library, *(TreeModule(OWN_PREFIX + loader, ()) for loader in others))


def _read_members(reader: ByteReader, view: memoryview, loader: str, verify: bool) -> list[Member]:
    padding = _padding(reader.at, loader)
    if reader.u64("the number of zeros") != padding or any(reader.raw(padding, "zeros")):
        reader.wrong(f"the payload of loader {loader!r:.80} must be behind {padding} zeros")
    size = reader.u64("the length of a container")
    start = reader.at
    if size > reader.left:
        reader.wrong(f"a container of {size} bytes, {reader.left} are left")
    container = read_container(view[start : start + size], verify_members=verify)
    reader.at += size
    if not container.members or any(member.artifact.loader != loader for member in container.members):
        reader.wrong(f"the payload of loader {loader!r:.80} has no artifacts, or those of another")
    return [replace(member, offset=start + member.offset) for member in container.members]


def _padding(at: int, loader: str) -> int:
    """Zeros between two words of 8 bytes, the first of which is at `at`, such that what is behind both is aligned."""
    alignment = PARAMS_ALIGNMENT if loader == LOADER_PARAMS else MEMBER_ALIGNMENT
    return align(at + 16, alignment) - (at + 16)


def _wrong(problem: str) -> NoReturn:
    raise ArtifactError(f"module tree {problem}")
