"""`conformance.toml`: which tests pass, with the inputs that are bound while building, and why the others do not."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PATH = Path(__file__).with_name("conformance.toml")
CODEGENS = ("llvm", "c", "interp", "opencl", "cuda")
HEADER = """\
# ONNX's backend tests: every one is listed, as passing or with the reason it does not.
#
# [passes]          on llvm, c, interp, opencl and cuda; the list names the inputs that are bound while building (`constants=`)
# [fails]           on every code generator, and why
# [fails_on.X]      only on this code generator, and why; the test is also listed in [passes]
#
# Made by `python -m tests.conformance update`. The test suite fails when a line is not true, in either direction.
"""


@dataclass
class Table:
    """The file's content."""

    passes: dict[str, list[str]] = field(default_factory=dict)
    fails: dict[str, str] = field(default_factory=dict)
    fails_on: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return sorted({*self.passes, *self.fails})

    def expected(self, name: str, codegen: str) -> str | None:
        """Why a test is expected to fail; None if it is expected to pass."""
        return self.fails.get(name) or self.fails_on.get(codegen, {}).get(name)


def read() -> Table:
    if not PATH.exists():
        return Table()
    content = tomllib.loads(PATH.read_text())
    return Table(content.get("passes", {}), content.get("fails", {}), content.get("fails_on", {}))


def write(table: Table) -> None:
    lines = [HEADER]
    whole = sum(not bound for bound in table.passes.values())
    lines += [
        f"# {len(table.passes)} pass, {whole} of them as they stand, with no inputs bound; {len(table.fails)} do not.\n"
    ]
    lines += ["[passes]"] + [f"{name} = {json.dumps(table.passes[name])}" for name in sorted(table.passes)]
    lines += ["", "[fails]"] + [f"{name} = {json.dumps(table.fails[name])}" for name in sorted(table.fails)]
    for codegen in CODEGENS:
        if table.fails_on.get(codegen):
            rows: Mapping[str, str] = table.fails_on[codegen]
            lines += ["", f"[fails_on.{codegen}]"] + [
                f"{name} = {json.dumps(rows[name])}" for name in sorted(rows)
            ]
    PATH.write_text("\n".join(lines) + "\n")


def merge(old: Table, results: Mapping[str, Mapping[str, tuple[str | None, list[str]]]]) -> Table:
    """The table with new results: code generator → test → (why it fails or None, bound inputs). What was not run stays."""
    table = Table(
        dict(old.passes), dict(old.fails), {codegen: dict(rows) for codegen, rows in old.fails_on.items()}
    )
    for name in sorted({name for rows in results.values() for name in rows}):
        found = {codegen: rows[name] for codegen, rows in results.items() if name in rows}
        reasons = {
            codegen: old.expected(name, codegen)
            for codegen in CODEGENS
            if codegen not in found and name in old.names
        }
        reasons |= {codegen: why for codegen, (why, _) in found.items()}
        for rows in (table.passes, table.fails, *table.fails_on.values()):
            rows.pop(name, None)
        bad = {codegen: why for codegen, why in reasons.items() if why is not None}
        if len(bad) == len(reasons):
            table.fails[name] = next(iter(bad.values()))
            continue
        table.passes[name] = next(bound for _, bound in found.values())
        for codegen, why in bad.items():
            table.fails_on.setdefault(codegen, {})[name] = why
    return table
