"""What is known of an operator stands in its `OpDef`: no other room has lists of names of operators."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from ingot.ops.registry import ALL

from .source import Source, sources

DEFINED = {operator.name for operator in ALL}
# Lists of names that are no facts about operators of today, by their kind.
KINDS = {
    "what older opsets of ONNX say: no operator can be added to them": {
        "OLD_BINARY",
        "_OLD_DEFAULTS",
        "_OLD_FORMS",
        "_WAITS_BEFORE",
    },
    "what the text of ONNX lets an attribute say, by operator and attribute": {"WORDS", "NUMBERS", "_FOLDS"},
}
# A function may look for a few operators, one beside the other: that is the pattern which it rewrites.
PATTERN_MAX = 4

by_path = pytest.mark.parametrize(
    "source", [each for each in sources() if each.room not in ("", "ops")], ids=lambda source: source.where
)


def name_lists(tree: ast.Module) -> list[tuple[int, list[str]]]:
    """The lists of operators that ingot defines, and in which lines: those of a module, and longer ones in functions.

    A mapping from names to functions is none: it says how a pass rewrites or computes each operator.
    """
    lists = []
    for statement in tree.body:
        is_code = isinstance(statement, ast.FunctionDef | ast.ClassDef)
        if _names(statement) & set().union(*KINDS.values()):
            continue
        for line, names in _collections(statement):
            if len(names) > (PATTERN_MAX if is_code else 1):
                lists.append((line, names))
    return lists


def _names(statement: ast.stmt) -> set[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _collections(statement: ast.stmt) -> Iterator[tuple[int, list[str]]]:
    for node in ast.walk(statement):
        elements: list[ast.expr | None] = []
        if isinstance(node, ast.Set | ast.List | ast.Tuple):
            elements = list(node.elts)
        elif isinstance(node, ast.Dict) and not all(map(_is_function, node.values)):
            elements = list(node.keys)
        texts = [each.value for each in elements if isinstance(each, ast.Constant)]
        yield getattr(node, "lineno", 0), [text for text in texts if text in DEFINED]


def _is_function(value: ast.expr) -> bool:
    return isinstance(value, ast.Name | ast.Lambda | ast.Call | ast.Attribute)


@by_path
def test_no_room_but_ops_has_a_list_of_operators(source: Source) -> None:
    for line, names in name_lists(source.tree):
        pytest.fail(
            f"{source.where}:{line} lists {', '.join(names)}: make what it says of them a field of `OpDef` "
            "(src/ingot/ops/opdef.py), and ask by `said_of` of src/ingot/graph/read/definitions.py"
        )


@pytest.mark.parametrize(
    "text",
    [
        '_MOVING = frozenset({"Reshape", "Transpose"})',
        'POSITIONS = {"Conv": 1, "MatMul": 0}',
        'class Pass:\n    names = ("Reshape", "Transpose", "Slice", "Tile", "Gather")',
        'def run():\n    return op in {"Reshape", "Transpose", "Slice", "Tile", "Gather"}',
    ],
)
def test_a_list_of_operators_is_found(text: str) -> None:
    assert name_lists(ast.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        'KEPT = frozenset({"DequantizeLinear"})',
        'WRITERS = {"Conv": _conv, "MatMul": lambda node: node}',
        '_READ = frozenset({"SequenceAt", "SequenceLength"})  # that no rule lowers',
        'def run():\n    return op in ("Mul", "Div", "Add", "Sub")',
    ],
)
def test_a_pattern_or_a_table_of_functions_is_no_list_of_operators(text: str) -> None:
    assert not name_lists(ast.parse(text))
