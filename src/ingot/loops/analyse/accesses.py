"""Where a kernel reads and writes memory: every place in loops, at indices without names of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType
from ingot.loops.analyse.ranges import Ranges
from ingot.loops.nodes import Buffer, Expr, For, If, Kernel, Let, Load, Stmt, Store, Var
from ingot.loops.text import expr_text
from ingot.loops.transform.rewrite import Rewriter, expressions, postorder

Path = tuple[tuple[For | If | None, int], ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """What is known in a block: the values of names that are made of loop variables, intervals, and all names."""

    values: Mapping[Var, Expr]
    ranges: Ranges
    names: Mapping[Var, Let]

    def with_name(self, let: Let, rewrite: Rewriter) -> Scope:
        """The same and one name more."""
        value = rewrite(let.value)
        known = self.ranges.bounds(value)
        ranges = self.ranges if known is None else self.ranges.with_(let.var, known)
        names = {**self.names, let.var: let}
        is_index = let.var.dtype is DType.INT64
        if is_index and not any(isinstance(node, Load) for node in postorder(value)):
            return Scope({**self.values, let.var: value}, ranges, names)
        return Scope(self.values, ranges, names)

    def inside(self, loop: For, extent: Expr) -> Scope:
        """What is known in the body of a loop."""
        known = self.ranges.bounds(extent)
        if known is None:
            return self
        return Scope(self.values, self.ranges.inside(loop, max(known[1], 1)), self.names)

    def rewriter(self) -> Rewriter:
        """Puts values in the places of their names."""
        return Rewriter(lambda node: self.values.get(node) if isinstance(node, Var) else None)


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """A load or a store.

    `path` has the loops and branches around it, outermost first, each with the number of its statement that the access is in:
    from 0 upwards, and from -1 downwards in what an `If` does otherwise. The first entry is for the kernel itself. Names of
    values that are made of loop variables do not stand in the index.
    """

    buffer: Buffer
    index: tuple[Expr, ...]
    statement: Stmt
    is_store: bool
    path: Path
    scope: Scope
    node: Load | None = None  # what is loaded, as it stands in the statement

    @property
    def ranges(self) -> Ranges:
        """What is known of the variables there."""
        return self.scope.ranges

    @property
    def names(self) -> Mapping[Var, Let]:
        """What names stand for there."""
        return self.scope.names

    def rewrite(self, expr: Expr) -> Expr:
        """An expression that stands there, without names of values that are made of loop variables."""
        return self.scope.rewriter()(expr)

    @property
    def loops(self) -> tuple[For, ...]:
        """The loops around it, outermost first."""
        return tuple(outer for outer, _ in self.path if isinstance(outer, For))


def accesses(kernel: Kernel) -> list[Access]:
    """All loads and stores of a kernel, in the order of its statements. A load that a statement has twice is one."""
    return list(_block(kernel.body, (), None, Scope({}, Ranges({}), {})))


def is_same(where: Sequence[Expr], other: Sequence[Expr]) -> bool:
    """Whether two indices over the same variables are the same. `False` may mean "not known"."""
    forms = Ranges({})
    return all(
        part is its or forms.linear(part) == forms.linear(its) or expr_text(part) == expr_text(its)
        for part, its in zip(where, other, strict=True)
    )


def _block(
    stmts: Sequence[Stmt], outer: Path, around: For | If | None, scope: Scope, is_other: bool = False
) -> Iterator[Access]:
    rewrite = scope.rewriter()
    for number, stmt in enumerate(stmts):
        path = (*outer, (around, -1 - number if is_other else number))
        yield from _own(stmt, path, scope, rewrite)
        match stmt:
            case For():
                yield from _block(stmt.body, path, stmt, scope.inside(stmt, rewrite(stmt.extent)))
            case If():
                yield from _block(stmt.then, path, stmt, scope)
                yield from _block(stmt.otherwise, path, stmt, scope, is_other=True)
            case Let():
                scope = scope.with_name(stmt, rewrite)
                rewrite = scope.rewriter()


def _own(stmt: Stmt, path: Path, scope: Scope, rewrite: Rewriter) -> Iterator[Access]:
    """The accesses of a statement's own expressions, loads first."""
    for node in postorder(*expressions(stmt)):
        if isinstance(node, Load):
            index = tuple(map(rewrite, node.index))
            yield Access(node.buffer, index, stmt, False, path, scope, node)
    if isinstance(stmt, Store):
        yield Access(stmt.buffer, tuple(map(rewrite, stmt.index)), stmt, True, path, scope)
