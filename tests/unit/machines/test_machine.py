"""Records of many fields are made by the names of these: a number in a wrong place would only make slow code."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.support.paths import ROOT, TESTS

RECORDS = ("Machine", "Microarchitecture", "Chip")
SOURCES = [
    path for folder in ("src", "tests", "benchmarks", "tools") for path in (ROOT / folder).rglob("*.py")
]


@pytest.mark.parametrize("record", RECORDS)
def test_records_of_machines_are_made_by_name(record: str) -> None:
    made = [(path, call) for path in SOURCES for call in _calls(path, record)]
    assert made
    assert not [f"{path.relative_to(ROOT)}:{call.lineno}" for path, call in made if call.args]


def test_tests_take_their_machines_from_one_place() -> None:
    """`tests/support/machines.py` names them; what is about one field replaces it there."""
    calls = [(path, call) for path in TESTS.rglob("*.py") for call in _calls(path, "Machine")]
    assert {path.relative_to(TESTS).as_posix() for path, _ in calls} == {"support/machines.py"}


def _calls(path: Path, name: str) -> list[ast.Call]:
    text = path.read_text(encoding="utf-8")
    if f"{name}(" not in text:
        return []
    return [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]
