"""Decision trees: which leaf of each tree a row of features comes to.

Some trees (or rows, where there are few trees) are walked side by side: each step of a walk waits for three loads in a row, and
the processor does those of the others meanwhile. There are no branches that it could guess wrongly: a leaf leads to itself, so a
walk that is at its end stays there while others go on.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.work_split import blocks_of_tasks
from ingot.kernels.template import Site, Template, each_but
from ingot.loops.build.nest import collapse, loop
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Expr,
    If,
    Stmt,
    Unary,
    buffer,
    cast,
    compare,
    index,
    load,
    minimum,
    store,
)
from ingot.machines.tuning import DEFAULT

THRESHOLD, FEATURE, FIRST, SECOND = range(4)  # what a node is made of
# Whether rows without a number for a node go to its second or to its first child, all of them or as bit 0 of its feature says.
MISSING = ("second", "first", "either")
WORDS = {DType.FLOAT32: DType.INT32, DType.FLOAT64: DType.INT64}
WALKS = DEFAULT.trees.walks
"""Trees that are gone through side by side. How many steps each group of them takes is an operand, which is made before a machine
is known, so all machines have the same number.
"""


@dataclass(frozen=True, slots=True)
class Forest:
    """A kernel's trees: `steps[i]` is how many steps trees `WALKS * i` and the following take at most."""

    x: TensorType
    trees: int
    leaf: int  # nodes from here on are leaves
    missing: str
    strict: bool
    steps: tuple[int, ...]


def trees_template(types: Sequence[TensorType], output: TensorType, forest: Forest) -> Template:
    """Numbers of leaves `[N, trees]`. `types` are those of features `[N, F]`, nodes `[count, 4]`, roots `[trees]` and of how many
    steps each group of trees takes, int32 `[groups]`: an operand, as nodes are, so that forests of equal size share a kernel.
    """
    steps = sum(forest.steps), max(forest.steps)
    spec = {"leaf": forest.leaf, "missing": forest.missing, "strict": forest.strict, "steps": steps}
    return Template(
        "trees",
        tuple(types),
        (output,),
        lambda site: _build(site, forest),
        spec,
        epilogue=False,
        independent=each_but(1, others=len(types) - 1),
    )


def _build(site: Site, forest: Forest) -> Sequence[Stmt]:
    """Tasks take some rows through some groups of trees, one group after another, so that its nodes stay near."""
    groups, rest = divmod(forest.trees, WALKS)
    block = min(forest.x.shape[0], site.machine.tuning.trees.max_rows)
    blocks = -(-forest.x.shape[0] // block)
    work = sum(forest.steps) * WALKS * block
    maximum = max(1, min(groups, work // site.machine.tuning.trees.task_steps))
    shares = blocks_of_tasks(blocks, maximum, site.machine)
    stmts: tuple[Stmt, ...] = ()
    for name, first, count, trees in (("", 0, groups, WALKS), ("rest_", groups, 1, rest)):
        if not count or not trees:
            continue
        parts = min(shares, count)

        task = functools.partial(_task, site, forest, block, parts, range(first, first + count), trees)
        stmts += collapse(f"{name}task", (blocks, parts), task)
    return stmts


def _task(
    site: Site, forest: Forest, block: int, parts: int, groups: range, trees: int, where: tuple[Expr, ...]
) -> tuple[Stmt, ...]:
    """Evaluates a block of rows in one of `parts` parts of the groups. A group has `trees` trees."""
    start, part = where[0] * block, where[1]
    rows = minimum(start + block, forest.x.shape[0]) - start
    begin, end = part * len(groups) // parts, (part + 1) * len(groups) // parts
    return loop(
        "group", end - begin, lambda at: _rows(site, forest, start, rows, begin + at + groups.start, trees)
    )


def _rows(site: Site, forest: Forest, start: Expr, rows: Expr, group: Expr, trees: int) -> tuple[Stmt, ...]:
    """Evaluates rows in a group of `trees` trees. With few trees, several rows are evaluated side by side."""
    size = max(1, WALKS // trees)
    together = loop(
        "rows", rows // size, lambda at: _walks(site, forest, start + at * size, size, group, trees)
    )
    if size == 1:
        return together
    alone = loop(
        "row", rows % size, lambda at: _walks(site, forest, start + rows - rows % size + at, 1, group, trees)
    )
    return (*together, *alone)


def _walks(site: Site, forest: Forest, row: Expr, rows: int, group: Expr, trees: int) -> tuple[Stmt, ...]:
    """`rows` rows through `trees` trees, all of them step by step side by side."""
    nodes, roots, steps = site.input(1), site.input(2), site.input(3)
    at = buffer("at", DType.INT64, (rows * trees,))
    first = group * WALKS
    walks, together = range(rows * trees), site.machine.tuning.trees.steps

    def step(walk: int) -> Stmt:
        here = load(at, walk)
        feature = cast(load(nodes, here, FEATURE), DType.INT64)
        threshold = Bitcast(load(nodes, here, THRESHOLD), forest.x.dtype)
        several = forest.missing == MISSING[2]
        number = site.read(0, row + walk // trees, Binary("shr", feature, index(1)) if several else feature)
        second = _goes_to_second(number, threshold, forest, feature)
        return store(at, (walk,), cast(load(nodes, here, second + FIRST), DType.INT64))

    def some_steps(_: Expr) -> Sequence[Stmt]:
        lowest = load(at, 0)
        for walk in walks[1:]:
            lowest = minimum(lowest, load(at, walk))
        return (
            If(
                compare("lt", lowest, forest.leaf),
                tuple(step(walk) for _ in range(together) for walk in walks),
            ),
        )

    begin = [store(at, (walk,), cast(load(roots, first + walk % trees), DType.INT64)) for walk in walks]
    # That no group takes more than the longest is said for the cost model, which knows no operand.
    some = (minimum(cast(load(steps, group), DType.INT64), max(forest.steps)) + (together - 1)) // together
    ends = [
        stmt
        for walk in walks
        for stmt in site.write(
            0, (row + walk // trees, first + walk % trees), cast(load(at, walk) - forest.leaf, DType.INT32)
        )
    ]
    return (Alloc(at), *begin, *loop("steps", some, some_steps), *ends)


def _goes_to_second(number: Expr, threshold: Expr, forest: Forest, feature: Expr) -> Expr:
    """1 where a walk goes to the second child of a node, else 0: int64, by arithmetic, since a branch would be guessed."""
    below, above = ("lt", "ge") if forest.strict else ("le", "gt")
    if forest.missing == MISSING[1]:
        return cast(compare(above, number, threshold), DType.INT64)
    not_below = cast(Unary("not", compare(below, number, threshold)), DType.INT64)
    if forest.missing == MISSING[0]:
        return not_below
    return not_below - Binary(
        "and", cast(compare("ne", number, number), DType.INT64), feature
    )  # of which bit 0 is left
