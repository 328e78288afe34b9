"""Libraries that TVM and tvm-ffi load: their functions, and the tree of modules in their blob."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ingot.artifact.artifact import Content
from ingot.base.errors import ArtifactError
from ingot.inspectors.elf import MAGIC, Symbol, symbols
from ingot.inspectors.inspector import Inspection, Inspector
from ingot.package.classic.module_blob import LIBRARY_KEY, SYMBOLS, Layout, ModuleBlob, facts, from_bytes
from ingot.package.library_file import SYMBOL

_PREFIX = "__tvm_"
_FUNCTION = "__tvm_ffi_"
_RESERVED = "__tvm_ffi__"  # what is no function: blob, context, metadata and documentation of functions
_CONTEXTS = ("__tvm_module_ctx", "__tvm_ffi_library_ctx", "__tvm_main__")
_MAX_INDENT = 40
_MAX_SHOWN = 60


def _inspect(content: Content, name: str) -> Inspection | None:
    if bytes(memoryview(content)[: len(MAGIC)]) != MAGIC:
        return None
    by_name = {symbol.name: symbol for symbol in symbols(content, _PREFIX, name)}
    functions = sorted(
        symbol_name.removeprefix(_FUNCTION)
        for symbol_name in by_name
        if symbol_name.startswith(_FUNCTION)
        and not symbol_name.startswith(_RESERVED)
        and symbol_name not in SYMBOLS
        and symbol_name not in _CONTEXTS
    )
    carrier = next((by_name[symbol] for symbol in SYMBOLS if symbol in by_name), None)
    if (
        carrier is None
        and (not functions or symbols(content, SYMBOL, name))
        and not any(symbol in by_name for symbol in _CONTEXTS)
    ):
        return None  # or a library of ingot's whose footer is gone: who reads those says what happened
    said: dict[str, Any] = {
        "kind": "library for TVM or tvm-ffi",
        "functions": functions,
        "blob": None,
        "modules": [],
    }
    lines = ["a library for TVM or tvm-ffi; nothing of it was run"]
    members: dict[str, bytes] = {}
    if carrier is None:
        lines.append("no module blob: the library stands alone")
    else:
        blob, size = _read_blob(content, carrier, name)
        said["blob"] = _blob_facts(blob, carrier, size)
        said["modules"] = [_module_facts(blob, number) for number in range(len(blob.modules))]
        members = {
            f"{number}.{module.type_key}": module.payload for number, module in enumerate(blob.modules)
        }
        lines += [
            f"blob {carrier.name}: {size:,} bytes from byte {carrier.offset:,} on, layout {blob.layout.value}",
            "modules",
            *_tree_lines(blob),
        ]
    lines += [f"functions ({len(functions)})", *_cut([f"  {_plain(function)}" for function in functions])]
    return Inspection(said, tuple(lines), members)


TVM_LIBRARY = Inspector("tvm-library", _inspect)


def _read_blob(content: Content, symbol: Symbol, name: str) -> tuple[ModuleBlob, int]:
    """The blob, and how many bytes it has with its length."""
    room = min(symbol.room, symbol.size_bytes or symbol.room)
    view = memoryview(content).cast("B")[symbol.offset : symbol.offset + room]
    size = 8 + int.from_bytes(view[:8], "little")
    if len(view) < 8 or size > len(view):
        raise ArtifactError(
            f"{name}: the module blob {symbol.name} says that it has {size} bytes, it has {len(view)}",
            name=name,
        )
    try:
        return from_bytes(view[:size], SYMBOLS[symbol.name]), size
    except ArtifactError as error:
        raise ArtifactError(f"{name}: {error.message}", name=name) from error


def _blob_facts(blob: ModuleBlob, symbol: Symbol, size: int) -> dict[str, Any]:
    return {
        "symbol": symbol.name,
        "layout": blob.layout.value,
        "offset": symbol.offset,
        "size_bytes": size,
        "rest_bytes": len(blob.rest),
        "unread_entries": blob.unread,
        "unread_type_key": blob.unread_key,
    }


def _module_facts(blob: ModuleBlob, number: int) -> dict[str, Any]:
    module = blob.modules[number]
    return {
        "type_key": module.type_key,
        "size_bytes": len(module.payload),
        "imports": list(blob.imports[number]) if blob.imports else None,
        "facts": facts(module) if blob.layout is not Layout.C else {},
    }


def _tree_lines(blob: ModuleBlob) -> Iterable[str]:
    """The modules with their imports below them. One that several import is shown with its own imports once."""
    if blob.unread:
        for number in range(len(blob.modules)):
            yield _module_line(blob, number, 0)
        key = _plain(blob.unread_key)
        yield f"  {blob.unread} entries more, not understood from type {key!r} on: {len(blob.rest):,} bytes"
        return
    shown: set[int] = set()
    # Modules that nothing imports come behind the tree of the root.
    for start in range(len(blob.modules)):
        pending = [(start, 0)] if start == 0 or start not in shown else []
        while pending:
            number, depth = pending.pop()
            if number in shown and blob.imports[number]:
                yield f"{_module_line(blob, number, depth)} (with its imports above)"
                continue
            yield _module_line(blob, number, depth)
            shown.add(number)
            pending += [(child, depth + 1) for child in reversed(blob.imports[number])]
    if blob.rest:
        yield f"  {len(blob.rest):,} bytes behind the last module"


def _module_line(blob: ModuleBlob, number: int, depth: int) -> str:
    module = blob.modules[number]
    branch = "  " * min(depth, _MAX_INDENT) + ("└ " if depth else "  ")
    if module.type_key == LIBRARY_KEY:
        return f"{branch}{number}.{LIBRARY_KEY}  the library itself"
    more = _summary(facts(module)) if blob.layout is not Layout.C else ""
    return f"{branch}{number}.{_plain(module.type_key)}  {len(module.payload):,} bytes{more}"


def _summary(facts: dict[str, object]) -> str:
    """`, 2 tensors, module_name default`."""
    parts = []
    for name, value in facts.items():
        if isinstance(value, (list, dict)):
            parts.append(f"{len(value)} {name}")
        else:
            parts.append(f"{name} {_plain(str(value))}")
    return "".join(f", {part}" for part in parts)


def _cut(lines: Sequence[str]) -> Sequence[str]:
    if len(lines) <= _MAX_SHOWN:
        return lines
    return [*lines[:_MAX_SHOWN], f"  … {len(lines) - _MAX_SHOWN} more"]


def _plain(text: str) -> str:
    """Text of strangers for a terminal: bounded, and without anything that moves the cursor."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:200])
