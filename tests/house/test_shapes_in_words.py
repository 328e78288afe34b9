"""Shapes in messages are written as `float32[1, 3]` and `[1, 3]`, never as tuples."""

from __future__ import annotations

import ast

from .source import ROOT


def test_no_message_writes_a_shape_as_a_tuple() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node.value)}"
        for room in ("ops", "kernels", "loops", "plan", "codegen", "runtime", "artifact", "package")
        for path in sorted((ROOT / "src" / "ingot" / room).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FormattedValue)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "shape"
        if node.conversion != ord("r")  # Python source for the interpreter
    ]
    assert not found, "write {list(….shape)}: " + ", ".join(found)
