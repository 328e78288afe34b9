"""What a kernel costs, counted from its loops: floating-point operations, and bytes of the buffers it touches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from ingot.loops.analyse.amx_sums import sums_in_tiles
from ingot.loops.analyse.ranges import Interval, Ranges
from ingot.loops.nodes import (
    ARITHMETIC,
    COMPARISONS,
    Alloc,
    Binary,
    Call,
    Const,
    Expr,
    Fma,
    For,
    If,
    Kernel,
    Let,
    Load,
    LoopKind,
    Prefetch,
    Select,
    Stmt,
    Store,
    Unary,
    Var,
)
from ingot.loops.transform.rewrite import children, expressions, order_of, statements

# Floating-point operations that a function counts as: about what its polynomial takes.
FUNCTION_FLOPS: Mapping[str, int] = {
    **dict.fromkeys(("abs", "floor", "ceil", "trunc", "rint", "isnan", "isinf", "sqrt"), 1),
    **dict.fromkeys(("exp", "exp_flushed", "log", "sin", "cos"), 10),
    **dict.fromkeys(
        ("tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf"), 20
    ),
    "pow": 20,
}
_NO_FLOPS = frozenset({Const, Load, Select, Var})
_NESTING_MAX = 64  # of Selects in branches of Selects; what is deeper is not counted
_TASKS_MAX = 8  # of a parallel loop, whose shares are counted one by one


@dataclass(frozen=True, slots=True)
class Cost:
    """Work of one run of a kernel. The bytes are those of the distinct buffers read and written, each counted once."""

    flops: int
    bytes_read: int
    bytes_written: int


def cost(kernel: Kernel) -> Cost:
    """Counts a kernel's work.

    A fused multiply-add is two operations, a function what FUNCTION_FLOPS says, a Select or If its dearer branch. Where the
    number of iterations depends on an outer loop, its largest value counts, but for a few tasks, each of which has its own
    share of the work; where nothing is known of it, one. A bf16x3 product in a loop of kind `tiles` counts as the one
    float32 product that it makes.
    """
    read: set[str] = set()
    written: set[str] = set()
    for stmt in statements(kernel.body):
        if isinstance(stmt, Store):
            written.add(stmt.buffer.name)
        for node in order_of(stmt):
            if isinstance(node, Load):
                read.add(node.buffer.name)
    sizes = {buffer.name: buffer.type.size_bytes for buffer in kernel.params}
    return Cost(
        _block(kernel.body, Ranges({}), {}, _other_parts(kernel.body)),
        sum(size for name, size in sizes.items() if name in read),
        sum(size for name, size in sizes.items() if name in written),
    )


def _other_parts(stmts: Sequence[Stmt]) -> Set[int]:
    """By `id` all loops but the first of those that make bf16x3 products."""
    amx_loops = [
        sums_in_tiles(stmt)
        for stmt in statements(stmts)
        if isinstance(stmt, For) and stmt.kind is LoopKind.TILES
    ]
    return {
        id(product.loop)
        for sums in amx_loops
        if sums is not None and sums.is_float
        for product in sums.products[1:]
    }


def _block(stmts: Sequence[Stmt], ranges: Ranges, own: dict[int, int], left_out: Set[int]) -> int:
    """Operations of statements. `own`: those of a statement's own expressions, by its id; those `left_out` have none."""
    flops = 0
    for stmt in stmts:
        if id(stmt) in left_out:
            continue
        if id(stmt) not in own:
            own[id(stmt)] = _own(stmt)
        flops += own[id(stmt)]
        match stmt:
            case For():
                extent = ranges.bounds(stmt.extent)
                if extent is None:
                    flops += _block(stmt.body, ranges, own, left_out)
                elif stmt.end is not None:
                    flops += _block(stmt.body, ranges.all_at_once(stmt, extent[1]), own, left_out)
                elif _has_shares(stmt, extent):
                    for part in range(extent[1]):
                        flops += _block(stmt.body, ranges.with_(stmt.var, (part, part)), own, left_out)
                elif extent[1] > 0:
                    flops += extent[1] * _block(stmt.body, ranges.inside(stmt, extent[1]), own, left_out)
            case If():
                flops += max(_block(branch, ranges, own, left_out) for branch in (stmt.then, stmt.otherwise))
            case Let():
                known = ranges.bounds(stmt.value)
                ranges = ranges.with_(stmt.var, known) if known is not None else ranges
            case Store() | Prefetch() | Alloc():
                pass
    return flops


def _has_shares(stmt: For, extent: Interval) -> bool:
    """Whether it is a parallel loop of few tasks, with loops that need not be equally long in all of them."""
    few = stmt.kind is LoopKind.PARALLEL and extent[0] == extent[1] <= _TASKS_MAX
    return few and any(
        isinstance(inner, For) and not isinstance(inner.extent, Const) for inner in statements(stmt.body)
    )


def _own(stmt: Stmt) -> int:
    """Of a statement's own expressions: every node that is needed in any case once, and the dearer branch of each Select."""
    order = order_of(stmt)
    if any(isinstance(node, Select) for node in order):
        return _needed(expressions(stmt), frozenset(), {}, 0)
    return sum(map(_flops, order))


def _needed(roots: Sequence[Expr], counted: Set[int], branches: dict[int, int], depth: int) -> int:
    """Operations of the nodes that the roots need and that are not counted yet. `branches`: those of a branch, by its root."""
    own = set(counted)
    selects: list[Select] = []
    flops = 0
    stack = list(roots)
    while stack:
        node = stack.pop()
        if id(node) in own:
            continue
        own.add(id(node))
        flops += _flops(node)
        if isinstance(node, Select):
            selects.append(node)
            stack.append(node.condition)
        else:
            stack.extend(children(node))
    if depth == _NESTING_MAX:
        return flops
    for select in selects:
        for branch in (select.if_true, select.if_false):
            if id(branch) not in branches:
                branches[id(branch)] = _needed((branch,), own, branches, depth + 1)
        flops += max(branches[id(select.if_true)], branches[id(select.if_false)])
    return flops


def _flops(node: Expr) -> int:
    if type(node) in _NO_FLOPS:  # most are of these
        return 0
    match node:
        case Fma():
            return 2 if node.dtype.is_float else 0
        case Binary() if node.op in ARITHMETIC or node.op in COMPARISONS:
            return 1 if node.left.dtype.is_float else 0
        case Unary(op="neg"):
            return 1 if node.dtype.is_float else 0
        case Call():
            return FUNCTION_FLOPS[node.function] if node.args[0].dtype.is_float else 0
    return 0
