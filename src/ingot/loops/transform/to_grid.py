"""Kernels for a machine that runs groups of work items: parallel loops become groups and items.

The loops at the top of a kernel whose iterations are independent become one flat range, the loop that writes neighbouring
elements innermost, so that neighbouring items write (and mostly read) neighbouring memory. Each item does one iteration.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ingot.loops.analyse.independent import Independence
from ingot.loops.build.nest import split_index
from ingot.loops.nodes import (
    Alloc,
    Const,
    Expr,
    For,
    If,
    Kernel,
    Let,
    LoopKind,
    Stmt,
    Store,
    Var,
    compare,
    index,
)
from ingot.loops.transform.rewrite import Rewriter, expressions, loads, statements, walk
from ingot.loops.transform.simplify import simplify_kernel
from ingot.loops.transform.whole_ranges import one_by_one
from ingot.machines.tuning import Grid


@dataclass(frozen=True, slots=True)
class Shape:
    """How iterations become items. `size` says how many items a group has, of so many in all; `nests`: not only the outermost
    loop is taken apart, but all that are independent.
    """

    size: Callable[[int], int]
    nests: bool


def to_grid(kernel: Kernel, shape: Shape) -> Kernel:
    """The kernel with its independent outermost loops as groups of items. What is left at the top is for one item alone."""
    stmts = one_by_one(kernel.body)
    independence = Independence(kernel)
    body = []
    for position, stmt in enumerate(stmts):
        gridded: Stmt | None = None
        if isinstance(stmt, For) and not _stands_between(stmts, position):
            gridded = _gridded(stmt, independence, shape)
        body.append(stmt if gridded is None else gridded)
    made_any = any(old is not new for old, new in zip(kernel.body, body, strict=True))
    return simplify_kernel(replace(kernel, body=tuple(body))) if made_any else kernel


def gpu_shape(tuning: Grid) -> Shape:
    """As GPUs like it."""

    def size(total: int) -> int:
        items = tuning.items if total >= tuning.items * tuning.few_groups else tuning.few_items
        return min(items, total)

    return Shape(size, True)


def cpu_shape(tuning: Grid) -> Shape:
    """As CPUs like it, on which a group goes to one thread."""
    return Shape(lambda total: 1 if total < tuning.cpu_many_items else tuning.cpu_items, False)


def _stands_between(body: Sequence[Stmt], position: int) -> bool:
    """Whether a name or local of the kernel is alive across a statement: all its users are one launch, in order."""
    for stmt in body[:position]:
        name = (
            stmt.var.name if isinstance(stmt, Let) else stmt.buffer.name if isinstance(stmt, Alloc) else None
        )
        if name is not None and any(name in _names(later) for later in body[position:]):
            return True
    return False


def _names(stmt: Stmt) -> set[str]:
    names: set[str] = set()
    for inner in statements((stmt,)):
        if isinstance(inner, Store):
            names.add(inner.buffer.name)
        for expr in expressions(inner):
            names |= {node.name for node in walk(expr) if isinstance(node, Var)}
            names |= {load.buffer.name for load in loads(expr)}
    return names


@dataclass(frozen=True, slots=True)
class _Nest:
    loops: tuple[For, ...]
    lets: tuple[Let, ...]  # made between the loops
    body: tuple[Stmt, ...]


def _nest(stmt: For, independence: Independence, nests: bool) -> _Nest | None:
    """The loops, each the only one in the one before, that are independent from the outermost on."""
    loops: list[For] = []
    lets: list[Let] = []
    inner: For | None = stmt
    while inner is not None and isinstance(inner.extent, Const) and independence.of(inner):
        loops.append(inner)
        before, last = inner.body[:-1], inner.body[-1] if inner.body else None
        inner = None
        named = [other for other in before if isinstance(other, Let)]
        if (
            nests
            and isinstance(last, For)
            and len(named) == len(before)
            and not independence.spoils(last, named)
        ):
            inner = last
            lets += named
    if not loops:
        return None
    if inner is not None:
        # The names before a loop that stays are in its block.
        own = len(loops[-1].body) - 1
        lets = lets[: len(lets) - own]
    return _Nest(tuple(loops), tuple(lets), loops[-1].body)


def _gridded(stmt: For, independence: Independence, shape: Shape) -> Stmt | None:
    if stmt.kind is LoopKind.GROUP or (stmt.kind is not LoopKind.PARALLEL and not shape.nests):
        return None
    nest = _nest(stmt, independence, shape.nests)
    if nest is None:
        return None
    extents = [int(loop.extent.value) for loop in nest.loops if isinstance(loop.extent, Const)]
    total = math.prod(extents)
    if total < 1:
        return None
    # The farther apart in memory, the farther out; what does not decide an address keeps its place.
    steps = [independence.stride(nest.body, loop.var) for loop in nest.loops]
    order = (
        sorted(range(len(extents)), key=lambda number: -steps[number])
        if all(steps)
        else list(range(len(extents)))
    )
    items = shape.size(total)
    taken = _bound(stmt)
    group, item = Var(_new("group", taken)), Var(_new("item", taken))
    flat = index(group) * items + item
    where = dict(zip(order, split_index(flat, [extents[number] for number in order]), strict=True))
    places: dict[Var, Expr] = {loop.var: where[number] for number, loop in enumerate(nest.loops)}
    body = _placed((*nest.lets, *nest.body), places)
    if total % items:
        body = (If(compare("lt", flat, total), body),)
    return For(
        group, index(-(-total // items)), (For(item, index(items), body, LoopKind.ITEM),), LoopKind.GROUP
    )


def _placed(block: Sequence[Stmt], places: dict[Var, Expr]) -> tuple[Stmt, ...]:
    rewriter = Rewriter(lambda node: places.get(node) if isinstance(node, Var) else None)
    return rewriter.block(block)


def _new(wish: str, taken: set[str]) -> str:
    while wish in taken:
        wish += "_"
    return wish


def _bound(stmt: Stmt) -> set[str]:
    """The names that a statement makes and uses."""
    names = _names(stmt)
    for inner in statements((stmt,)):
        match inner:
            case For() | Let():
                names.add(inner.var.name)
            case Alloc():
                names.add(inner.buffer.name)
    return names
