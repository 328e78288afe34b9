"""The source of ingot as the house tests see it: files, rooms and imports, read without importing anything."""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "ingot"


@dataclass(frozen=True)
class Import:
    """An import statement: the full name of what is imported (`ingot.loops.nodes`, `numpy`), and where it stands."""

    module: str
    line: int
    inside_function: bool
    for_types_only: bool


@dataclass(frozen=True)
class Source:
    """One Python file of the package."""

    path: Path

    @property
    def where(self) -> str:
        return self.path.relative_to(ROOT / "src").as_posix()

    @property
    def module(self) -> str:
        return self.where.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def room(self) -> str:
        """`loops` for `ingot.loops.nodes`, `api` for `ingot.api`, nothing for the package itself; `python -m ingot` is the
        command line.
        """
        room = [*self.module.split("."), ""][1]
        return "cli" if room == "__main__" else room

    @functools.cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text(encoding="utf-8"))

    @functools.cached_property
    def imports(self) -> tuple[Import, ...]:
        found: list[Import] = []
        _collect(self.tree, False, False, found)
        return tuple(found)


def _collect(node: ast.AST, inside: bool, typing_only: bool, found: list[Import]) -> None:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Import(names=names):
                found += [Import(alias.name, child.lineno, inside, typing_only) for alias in names]
            case ast.ImportFrom(module=module, names=names):
                found += [
                    Import(_full(module or "", alias.name), child.lineno, inside, typing_only)
                    for alias in names
                ]
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                _collect(child, inside, True, found)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                _collect(child, True, typing_only, found)
            case _:
                _collect(child, inside, typing_only, found)


def _full(module: str, name: str) -> str:
    """`from ingot.ops import relu` imports the module `ingot.ops.relu` if there is one, else a name of `ingot.ops`."""
    file = ROOT / "src" / f"{module}.{name}".replace(".", "/")
    return (
        f"{module}.{name}" if file.with_suffix(".py").exists() or (file / "__init__.py").exists() else module
    )


@functools.cache
def sources() -> tuple[Source, ...]:
    return tuple(Source(path) for path in sorted(PACKAGE.rglob("*.py")))


def named_modules(tree: ast.AST) -> list[tuple[str, int]]:
    """The modules of ingot's that texts name, as `import_module` or an entry point take them, and where: `ingot.link.archive`,
    or the beginning `ingot.cli.` of one whose name is put together.
    """
    known = {source.module for source in sources() if source.room}
    found: list[tuple[str, int]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            begins = node.value.endswith(".") and any(each.startswith(node.value) for each in known)
            module = node.value.partition(":")[0]
            if module in known or (begins and node.value.count(".") > 1):
                found.append((module, node.lineno))
    return found


def late_modules(source: Source) -> frozenset[str]:
    """The modules that a file imports when they are first used: what it gives to `Late`."""
    calls = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Late"
    ]
    return frozenset(ast.literal_eval(call.args[0]) for call in calls)


@functools.cache
def leaves() -> frozenset[str]:
    """The room that every other one may use, and that uses none: the line of ARCHITECTURE.md whose arrow leads nowhere."""
    return frozenset(line.split()[0] for line in _rooms_lines() if line.rstrip().endswith("→ nothing"))


@functools.cache
def arrows() -> dict[str, frozenset[str]]:
    """For each room of ARCHITECTURE.md the rooms that it may import, besides itself.

    A room is a line `name   what it is   → room, room`. One without such an arrow may import every room below it.
    """
    lines = [
        line
        for line in _rooms_lines()
        if not line.rstrip().endswith("→ nothing") and "(package data)" not in line
    ]
    names = [line.split()[0] for line in lines]
    allowed: dict[str, frozenset[str]] = {}
    for position, line in enumerate(lines):
        targets = frozenset(re.split(r",\s*", line.rpartition("→")[2].strip()))
        below = frozenset(names[position + 1 :])
        allowed[names[position]] = (targets if targets <= below | leaves() else below) | leaves()
    return allowed


def _rooms_lines() -> list[str]:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = text.split("## Rooms, and who may import whom", 1)[1].split("\n`tests/house`", 1)[0]
    return [line for line in section.splitlines() if re.match(r"    [a-z]+  ", line)]
