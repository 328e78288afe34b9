"""What was measured stands in the records of `machines/tuning.py`, and not beside the code that asks for it.

A number that stands elsewhere in these rooms needs a reason here: no stopwatch says what it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from .source import Source, sources

ROOMS = ("ingot/kernels/", "ingot/plan/", "ingot/loops/transform/")
RECORDS = ("ingot/machines/tuning.py", "ingot/machines/tuning_conv.py")
COST = re.compile(r"cycles|cost|estimate|worth|pays|gains")
WHEN = re.compile(r"\b20\d\d-\d\d-\d\d\b|Not measured")

# Where numbers of modules stand that were not measured, and which, by the reason.
NOT_MEASURED = {
    "instructions, registers, caches and page faults are so": {
        "kernels/blocks/amx_tile.py": "SIDE _SHAPES",
        "kernels/blocks/dot_block.py": "WORD PAIR _SIGNS _SPLIT_SPARE _MANY_REGISTERS _LONG_VECTOR_BYTES",
        "kernels/blocks/grid_block.py": "_BANK",
        "kernels/blocks/register_block.py": "ALIAS_BYTES _LINES_IN_SET NEIGHBOURS",
        "kernels/blocks/transposed_store.py": "UNIT _SQUARE_MAX",
        "kernels/concat.py": "_INTERLEAVED_MAX _INTERLEAVED_LANES_MIN",
        "kernels/conv/depthwise/bands.py": "_MANY_REGISTERS",
        "kernels/conv/int8/input_rows.py": "_INTERLEAVED_CHANNELS",
        "kernels/recurrent/linear_attention.py": "_COLUMNS _CHAINS",
        "kernels/recurrent/steps.py": "L1_BYTES_MAX",
        "loops/transform/shorten.py": "_REGISTERS_BYTES",
        "plan/memory/memory.py": "LARGE_BYTES",
        "plan/schedule/pointwise.py": "_PARTS_MAX _PARTS_LANES_MIN _SQUARE_MIN _SQUARE_MAX",
    },
    "an algorithm is made of it": {
        "kernels/blocks/bf16x3.py": "PARTS PAIR PRODUCTS",
        "kernels/conv/depthwise/int8.py": "_TAPS_MAX",
        "kernels/conv/winograd/int8.py": "_M _N _NINTH _SUM_BITS _LANES_MIN",
        "kernels/conv/winograd/matrices.py": "TAPS TILES",
        "kernels/matmul/int8_slices.py": "SLICES _BASE",
        "kernels/matmul/pairwise/kernel.py": "_ROWS_BY_DEFINITION _LINES_MAX _BEGIN _SCALE _TERMS",
        "kernels/matmul/pairwise/rows.py": "_EVEN _ODD _DONE",
        "kernels/matmul/strassen.py": "STEPS PRODUCTS",
        "kernels/select/non_max_suppression.py": "_STEPS",
        "plan/fuse/attention.py": "FIRST_EXTRA",
        "plan/layout/bands.py": "ROW BRANCHES",
    },
    "it is a range of numbers, or bounds an error": {
        "kernels/blocks/prefetch.py": "_ROUNDING",
        "kernels/conv/winograd/winograd.py": "_WEIGHTS_MAX",
        "kernels/matmul/grouped_weights.py": "_OFFSET_ULP",
        "kernels/matmul/int8_slices.py": "_MANTISSA _BIAS _INFINITY _SIZE _SPARE _BITS _MIN_EXPONENT _DEEPEST",
        "kernels/matmul/pairwise/product.py": "EXCESS FEW _MIN_SCALE _MAX_SCALE",
        "kernels/matmul/pairwise/rows.py": "_EXPONENT_AT _EXPONENT_MIN _EXPONENT_MAX _MEAN_MAX",
        "kernels/reduce/argmax.py": "_LONGEST",
        "plan/room_contents.py": "_WHOLE_MAX",
        "kernels/reduce/reduce.py": "_RUN_MAX _RUN",
        "kernels/sampling/roi_align.py": "_SAMPLES_MAX",
        "kernels/select/non_max_suppression.py": "_INT32_MAX _LOW_HALF",
        "kernels/topk/sorted_list.py": "_KEY_MAX",
        "kernels/topk/topk.py": "_LOW",
    },
    "it bounds the size of code or of files, how long building takes, or what a page shows": {
        "kernels/blocks/register_block.py": "_TILES_MAX _TILES_OF_VECTORS",
        "kernels/col2im.py": "_UNROLLED_TAPS",
        "kernels/conv/depthwise/bands.py": "SUMS_MAX _BORDERS_MAX",
        "kernels/conv/depthwise/depthwise.py": "UNROLLED_MAX",
        "kernels/pooling/rows.py": "_UNROLLED_TAPS",
        "kernels/template.py": "SPARE_BYTES",
        "kernels/topk/sorted_list.py": "_WRITTEN_OUT",
        "loops/transform/rounds.py": "_TOGETHER",
        "loops/transform/shorten.py": "_UNROLLED_MAX _ROUNDS_MAX",
        "loops/transform/simplify.py": "_TERMS_MAX _ROUNDS_MAX",
        "plan/algorithms.py": "_COLUMNS _NAME",
        "plan/room_contents.py": "FEW",
        "plan/room_numbers.py": "_OVER_MAX",
        "plan/room_reads.py": "PROVEN_SIZES_MAX _BRANCHES_MAX",
        "plan/fuse/fuse.py": "MAX_OPERANDS MAX_NODES MAX_DEPTH",
        "plan/layout/layout.py": "_MAX_ALTERNATING",
        "plan/schedule/pointwise.py": "_CUTS_MAX",
        "kernels/matmul/columns.py": "_FEW_COLUMNS_ROWS _SHORT",
        "plan/filled.py": "_HIDES _QUERIES_MAX",
        "plan/updates.py": "_DEPTH_MAX _TABLE_MAX",
    },
    "operators are fused before a machine is asked": {"plan/fuse/fuse.py": "CHEAP_OPERATIONS REPEAT_LIMIT"},
}

by_path = pytest.mark.parametrize(
    "source",
    [source for source in sources() if source.where.startswith(ROOMS)],
    ids=lambda source: source.where,
)


@by_path
def test_a_number_of_a_module_is_in_tuning_or_was_not_measured(source: Source) -> None:
    new = set(_numbers(source.tree)) - _not_measured(source.where)
    assert not new, f"{source.where}: {', '.join(sorted(new))}: {ADVICE}"


@by_path
def test_what_a_cost_is_made_of_is_in_tuning(source: Source) -> None:
    literals = [f"{source.where}:{line}: {value}" for line, value in _measured_literals(source.tree)]
    assert not literals, f"{', '.join(literals)}: {ADVICE}"


ADVICE = (
    "a number that was measured stands in a record of machines/tuning.py, with what it is, when and where it was measured, and is"
    " read as `site.machine.tuning.<record>.<field>`; a number of a module that was not has its reason in this test"
)


def test_a_reason_is_for_a_number_that_is_there() -> None:
    modules = {source.where: source for source in sources()}
    for places in NOT_MEASURED.values():
        for place, names in places.items():
            assert set(names.split()) <= set(_numbers(modules[f"ingot/{place}"].tree)), place


def test_each_record_says_when_it_was_measured() -> None:
    for source in sources():
        if source.where in RECORDS:
            text = source.path.read_text(encoding="utf-8")
            for record in [stmt for stmt in source.tree.body if isinstance(stmt, ast.ClassDef)]:
                assert WHEN.search(ast.get_source_segment(text, record) or ""), record.name


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("_ROWS_MAX = 4", ["_ROWS_MAX"]),
        ("_A, _B = 4, 1.5", ["_A", "_B"]),
        ("SIZE: int = 1 << 16", ["SIZE"]),
        ("_SHAPES = ((2 * SIDE, 2), (SIDE, 4))", ["_SHAPES"]),
        ("_BY = {3: (2, 4)}", ["_BY"]),
        ("NAMES = ('a', 'b')", []),
        ("_PARTS = DEFAULT.rows.parts", []),
        ("def size():\n    return 4", []),
    ],
)
def test_numbers_of_a_module_are_those_that_it_names(text: str, names: list[str]) -> None:
    assert sorted(_numbers(ast.parse(text))) == names


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("def _turn_cycles(n):\n    return n * 0.65", 1),
        ("def f(n):\n    def cost(k):\n        return k / 3.5\n    return cost(n)", 1),
        ("def _cycles(n):\n    return max(0.0, n * 1.0) / 2", 0),
        ("def half(n):\n    return n * 0.5", 0),
    ],
)
def test_literals_of_a_cost_are_those_that_scale_it(text: str, count: int) -> None:
    assert len(list(_measured_literals(ast.parse(text)))) == count


def _not_measured(where: str) -> set[str]:
    place = where.removeprefix("ingot/")
    return {name for places in NOT_MEASURED.values() for name in places.get(place, "").split()}


def _numbers(tree: ast.Module) -> Iterator[str]:
    """The names of a module that are numbers, or made of numbers and names alone."""
    for stmt in tree.body:
        if isinstance(stmt, ast.Assign | ast.AnnAssign) and stmt.value is not None and _is_number(stmt.value):
            targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
            yield from (
                node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)
            )


def _is_number(value: ast.expr) -> bool:
    nodes = [node for node in ast.walk(value) if isinstance(node, ast.expr)]
    plain = all(
        isinstance(node, ast.Name | ast.BinOp | ast.UnaryOp | ast.Tuple | ast.Dict)
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "pow")
        or _is_literal(node)
        for node in nodes
    )
    return plain and any(map(_is_literal, nodes))


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _measured_literals(tree: ast.Module) -> Iterator[tuple[int, float]]:
    """Lines and values of the decimal numbers in functions that say what something costs, but for 0.0 and 1.0."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and COST.search(function.name):
            for node in ast.walk(function):
                if (
                    isinstance(node, ast.Constant)
                    and isinstance(node.value, float)
                    and node.value not in (0.0, 1.0)
                ):
                    yield node.lineno, node.value
