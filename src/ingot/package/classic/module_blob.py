"""The older scheme: a tree of modules in one blob inside a library, as TVM and tvm-ffi write and restore it.

Three layouts are known, all of little-endian words of 8 bytes, and strings and lists behind their lengths:

    A   type keys and payloads; all are imports of the library                  symbol `__tvm_dev_mblob`
    B   the same with an entry for the library itself, `_lib`, and the tree     `__tvm_dev_mblob`, for one version
        as last entry, `_import_tree`                                           `__tvm_ffi_library_bin`
    C   the tree first, payloads behind their lengths                           `__tvm_ffi__library_bin`

A tree is written in compressed rows: the children of module i are `children[rows[i]:rows[i + 1]]`. Module 0 is the root.
In A and B a payload has no length: behind a type that is not understood nothing can be read, and what is left stays raw.
"""

from __future__ import annotations

import enum
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import NoReturn

from ingot.artifact.artifact import Content
from ingot.base.errors import ArtifactError
from ingot.package.byte_reader import ByteReader
from ingot.package.classic.module_payloads import DECODERS, Decoder, Facts, find_decoder

LIBRARY_KEY = "_lib"
TREE_KEY = "_import_tree"


class Layout(enum.Enum):
    """How a blob is written. See the top of this file."""

    A = "A"
    B = "B"
    C = "C"


SYMBOLS: Mapping[str, tuple[Layout, ...]] = {
    "__tvm_ffi__library_bin": (Layout.C,),
    "__tvm_ffi_library_bin": (Layout.B,),
    "__tvm_dev_mblob": (Layout.A, Layout.B),
}
"""Symbols that hold a blob, the newest first, and which layouts it may have."""


@dataclass(frozen=True, slots=True)
class StoredModule:
    """A module of a tree. The library itself has the type key `_lib` and no payload."""

    type_key: str
    payload: bytes = b""


@dataclass(frozen=True, slots=True)
class ModuleBlob:
    """A tree of modules. `imports[i]` are the numbers of the modules that module i imports, in order; module 0 is the root.

    In layout A module 0 is the library, which imports all others. If reading stopped at a type that is not understood, `unread`
    entries are in `rest`, as they are, and there are no `imports`; else `rest` is what stands behind the last entry.

    Raises:
        ArtifactError: no module, an import that is not there, modules that import each other in a circle, a library with a
            payload, or what the layout cannot hold.
    """

    layout: Layout
    modules: tuple[StoredModule, ...]
    imports: tuple[tuple[int, ...], ...]
    rest: bytes = b""
    unread: int = 0

    def __post_init__(self) -> None:
        for number, module in enumerate(self.modules):
            if module.type_key == LIBRARY_KEY and module.payload:
                _wrong(f"module {number} is the library and has a payload")
            if self.layout is not Layout.C and module.type_key == TREE_KEY:
                _wrong(f"module {number} has the type key {TREE_KEY!r}, which means the tree")
            if self.layout is Layout.C and module.type_key != LIBRARY_KEY and not module.payload:
                _wrong(
                    f"module {number} ({module.type_key!r}) has an empty payload, which tvm-ffi cannot load"
                )
        if self.unread:
            if self.layout is Layout.C or self.imports or not self.rest:
                _wrong("entries can be unread only in the layouts A and B, without a tree")
            return
        if not self.modules or len(self.imports) != len(self.modules):
            _wrong(
                f"{len(self.modules)} modules and imports of {len(self.imports)}; there must be at least one, and as many"
            )
        _check_tree(self.imports)
        if self.layout is Layout.A:
            others = tuple(range(1, len(self.modules)))
            if self.modules[0].type_key != LIBRARY_KEY or self.imports != (others, *((),) * len(others)):
                _wrong(
                    "in the layout A the library comes first and imports all other modules, which import none"
                )
            if any(module.type_key == LIBRARY_KEY for module in self.modules[1:]):
                _wrong("in the layout A only the root is the library")

    @property
    def unread_key(self) -> str:
        """The type key at which reading stopped, or an empty string."""
        return ByteReader(self.rest, "module blob").text("a type key") if self.unread else ""


def facts(module: StoredModule) -> Facts:
    """What the payload of a classic module says; nothing if its type is not understood or it is not of the classic form.

    Modules of layout C may hold the same, another or no form at all.
    """
    decoder = find_decoder(module.type_key)
    if decoder is None:
        return {}
    reader = ByteReader(module.payload, f"module {module.type_key!r}")
    try:
        decoded = decoder(reader)
    except ArtifactError:
        return {}
    return {} if reader.left else decoded


# ─── writing ───────────────────────────────────────────────────────────────────────────────────────────────────────


def to_bytes(blob: ModuleBlob) -> bytes:
    """The blob, its own length first.

    A library alone is 16 bytes in the layouts A and B: no entry at all.
    """
    content = _write_modern(blob) if blob.layout is Layout.C else _write_classic(blob)
    return word(len(content)) + content


def _write_modern(blob: ModuleBlob) -> bytes:
    parts = [tree_bytes(blob.imports)]
    for module in blob.modules:
        parts.append(block(module.type_key.encode()))
        if module.type_key != LIBRARY_KEY:
            parts.append(block(module.payload))
    return b"".join((*parts, blob.rest))


def _write_classic(blob: ModuleBlob) -> bytes:
    entries = [block(module.type_key.encode()) + module.payload for module in blob.modules]
    if blob.layout is Layout.A:
        del entries[0]
    elif not blob.unread and (len(entries) > 1 or blob.modules[0].type_key != LIBRARY_KEY):
        entries.append(block(TREE_KEY.encode()) + tree_bytes(blob.imports))
    elif not blob.unread:
        entries.clear()
    return b"".join((word(len(entries) + blob.unread), *entries, blob.rest))


def tree_bytes(imports: Sequence[tuple[int, ...]]) -> bytes:
    """The tree in compressed rows."""
    rows = [0]
    for children in imports:
        rows.append(rows[-1] + len(children))
    return _words(rows) + _words([child for children in imports for child in children])


def word(number: int) -> bytes:
    """A number as 8 bytes."""
    return number.to_bytes(8, "little")


def _words(numbers: list[int]) -> bytes:
    return word(len(numbers)) + struct.pack(f"<{len(numbers)}Q", *numbers)


def block(content: bytes) -> bytes:
    """Bytes behind their length."""
    return word(len(content)) + content


# ─── reading ───────────────────────────────────────────────────────────────────────────────────────────────────────


def from_bytes(
    content: Content, layouts: Iterable[Layout], *, decoders: Mapping[str, Decoder] = DECODERS
) -> ModuleBlob:
    """Reads untrusted bytes, which must be one blob and nothing else.

    Args:
        content: the blob from its length on.
        layouts: those that it may have, such as `SYMBOLS[symbol]`. A and B are told apart by the tree.
        decoders: readers of classic payloads by type key.

    Raises:
        ArtifactError: the bytes are no such blob.
    """
    known_layouts = frozenset(layouts)
    reader = ByteReader(content, "module blob")
    size = reader.u64("the blob's length")
    if size != reader.left:
        reader.wrong(f"the blob says that {size} bytes follow, got {reader.left}")
    if Layout.C in known_layouts:
        if len(known_layouts) > 1:
            raise ArtifactError("module blob: the layout C cannot be told from the others; give one")
        return _read_modern(reader)
    return _read_classic(reader, known_layouts, decoders)


def _read_modern(reader: ByteReader) -> ModuleBlob:
    imports = read_tree(reader)
    modules = []
    for _ in imports:
        key = reader.text("a type key")
        modules.append(
            StoredModule(key, b"" if key == LIBRARY_KEY else reader.block(f"the payload of {key!r:.80}"))
        )
    return ModuleBlob(Layout.C, tuple(modules), imports, reader.raw(reader.left, "the rest"))


def _read_classic(
    reader: ByteReader, known_layouts: frozenset[Layout], decoders: Mapping[str, Decoder]
) -> ModuleBlob:
    count = reader.count("entries")
    imports: tuple[tuple[int, ...], ...] | None = None
    modules: list[StoredModule] = []
    for number in range(count):
        start = reader.at
        key = reader.text("a type key")
        if key == TREE_KEY:
            if imports is not None:
                reader.wrong("a second tree")
            imports = read_tree(reader)
        elif key == LIBRARY_KEY:
            modules.append(StoredModule(key))
        elif (decoder := find_decoder(key, decoders)) is not None:
            begin = reader.at
            decoder(reader)
            modules.append(StoredModule(key, reader.since(begin)))
        else:
            reader.at = start
            if imports is not None:
                reader.wrong(f"a module of the type {key!r:.80}, which is not understood, behind the tree")
            layout = Layout.B if Layout.B in known_layouts else Layout.A
            library = () if layout is Layout.B else (StoredModule(LIBRARY_KEY),)
            return ModuleBlob(
                layout, (*library, *modules), (), reader.raw(reader.left, "the rest"), count - number
            )
    rest = reader.raw(reader.left, "the rest")
    if imports is None and Layout.A in known_layouts and (modules or Layout.B not in known_layouts):
        children = tuple(range(1, len(modules) + 1))
        return ModuleBlob(
            Layout.A, (StoredModule(LIBRARY_KEY), *modules), (children, *((),) * len(modules)), rest
        )
    if imports is None and modules:
        reader.wrong("modules without a tree")
    if imports is not None and Layout.B not in known_layouts:
        reader.wrong("a tree, which this layout has not")
    if imports is None:
        return ModuleBlob(Layout.B, (StoredModule(LIBRARY_KEY),), ((),), rest)
    return ModuleBlob(Layout.B, tuple(modules), imports, rest)


def read_tree(reader: ByteReader) -> tuple[tuple[int, ...], ...]:
    """The imports of each module, as `tree_bytes` wrote them."""
    rows, children = reader.words("rows of the tree"), reader.words("children in the tree")
    if len(rows) < 2 or rows[0] != 0 or rows[-1] != len(children) or any(a > b for a, b in pairwise(rows)):
        reader.wrong(f"the tree's {len(rows)} rows do not divide its {len(children)} children")
    return tuple(children[a:b] for a, b in pairwise(rows))


def _check_tree(imports: tuple[tuple[int, ...], ...]) -> None:
    for number, children in enumerate(imports):
        for child in children:
            if not 0 <= child < len(imports):
                _wrong(f"module {number} imports module {child}, there are {len(imports)}")
    try:
        TopologicalSorter(dict(enumerate(imports))).prepare()
    except CycleError as error:
        _wrong(f"modules import each other in a circle: {' → '.join(map(str, error.args[1][:10]))}")


def _wrong(problem: str) -> NoReturn:
    raise ArtifactError(f"module blob: {problem}")
