"""A function is small: three levels of nesting, eight parameters, 60 lines. Larger ones are counted, and become fewer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from .source import Source, sources

NESTING_MAX, PARAMETERS_MAX, LINES_MAX = 3, 8, 60

# Files, and folders, that keep the limits whole.
KEPT = (
    "ingot/kernels/blocks/prefetch.py",
    "ingot/kernels/blocks/product_block.py",
    "ingot/kernels/blocks/register_block.py",
    "ingot/kernels/blocks/transposed_store.py",
    "ingot/kernels/conv/conv.py",
    "ingot/kernels/conv/input_copy.py",
    "ingot/kernels/conv/problem.py",
    "ingot/kernels/conv/reduce_input_channels.py",
    "ingot/kernels/conv/rows.py",
    "ingot/kernels/matmul/columns.py",
    "ingot/kernels/matmul/matmul.py",
    "ingot/loops/build/builder.py",
)
# Functions of all other files that are beyond a limit. Whoever makes one smaller lowers the number; nobody raises it.
BEYOND_MAX = 113

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_LEVELS = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Match, ast.FunctionDef, ast.AsyncFunctionDef)


def faults(function: _Function) -> list[str]:
    """Which limits a function is beyond."""
    arguments = [
        argument.arg
        for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        if argument.arg not in ("self", "cls")
    ]
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    measured = {
        "levels of nesting": (nesting(function.body), NESTING_MAX),
        "parameters": (len(arguments), PARAMETERS_MAX),
        "lines": (lines, LINES_MAX),
    }
    return [
        f"{value} {name}, more than {limit}" for name, (value, limit) in measured.items() if value > limit
    ]


def nesting(body: list[ast.stmt]) -> int:
    """How deep statements stand in others. `elif` and `except` are no level of their own; a function in a function is one."""
    return max((_levels(stmt) for stmt in body), default=0)


def _levels(stmt: ast.stmt) -> int:
    if not isinstance(stmt, _LEVELS):
        return 0
    if isinstance(stmt, ast.If) and len(stmt.orelse) == 1 and isinstance(stmt.orelse[0], ast.If):
        return max(1 + nesting(stmt.body), _levels(stmt.orelse[0]))
    inside = [*getattr(stmt, "body", []), *getattr(stmt, "orelse", []), *getattr(stmt, "finalbody", [])]
    for part in (*getattr(stmt, "handlers", []), *getattr(stmt, "cases", [])):
        inside += part.body
    return 1 + nesting(inside)


def beyond(source: Source) -> Iterator[str]:
    """The functions of a file that are beyond a limit, and by what."""
    for node in ast.walk(source.tree):
        if isinstance(node, _Function) and faults(node):
            yield f"{source.where}:{node.lineno} {node.name}: {', '.join(faults(node))}"


def test_files_that_keep_the_limits_stay_so() -> None:
    by_file = {source.where: source for source in sources()}
    assert set(KEPT) <= set(by_file)
    assert [fault for where in KEPT for fault in beyond(by_file[where])] == []


def test_functions_beyond_the_limits_become_fewer() -> None:
    others = [fault for source in sources() if source.where not in KEPT for fault in beyond(source)]
    assert len(others) <= BEYOND_MAX, "make the new ones smaller, do not raise the number:\n" + "\n".join(
        others
    )


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f(a, b):\n for a in b:\n  if a:\n   while b:\n    pass", []),
        (
            "def f(a, b):\n for a in b:\n  if a:\n   while b:\n    with a: pass",
            ["4 levels of nesting, more than 3"],
        ),
        ("def f(a):\n if a: pass\n elif a: pass\n elif a: pass\n elif a: pass\n else: pass", []),
        (
            "def f(a):\n try: pass\n except ValueError:\n  def g():\n   for a in a:\n    if a: pass",
            ["4 levels of nesting, more than 3"],
        ),
        ("def f(self, a, b, c, d, e, f, g, *, h): pass", []),
        ("def f(a, b, c, d, e, f, g, h, *, i): pass", ["9 parameters, more than 8"]),
        ("def f():\n" + " pass\n" * 59, []),
        ("def f():\n" + " pass\n" * 60, ["61 lines, more than 60"]),
    ],
)
def test_limits_are_measured(code: str, expected: list[str]) -> None:
    (function,) = ast.parse(code).body
    assert isinstance(function, ast.FunctionDef)
    assert faults(function) == expected
