"""Where a kernel reads and writes memory: every place in loops, at indices without names of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType
from ingot.loops.analyse.ranges import Ranges
from ingot.loops.nodes import Buffer, Expr, For, If, Kernel, Let, Load, Stmt, Store, Var, Word
from ingot.loops.text import expr_text
from ingot.loops.transform.rewrite import Rewriter, order_of, postorder

# The constant and the terms of the affine form of each index.
IndexKey = tuple[tuple[int, tuple[tuple[str, int], ...]], ...]
Path = tuple[tuple[For | If | None, int], ...]


class Names:
    """Names of values that are made of loop variables, in a block. Another walk over the same statements, in a kernel with other
    loops around them, finds what was rewritten before.
    """

    def __init__(self, values: Mapping[Var, Expr] | None = None) -> None:
        self._values = {} if values is None else values
        self._rewriter = Rewriter(lambda node: self._values.get(node) if isinstance(node, Var) else None)
        self._with: dict[int, tuple[Let, Expr, Names]] = {}

    def rewrite(self, expr: Expr) -> Expr:
        """Puts values in the places of their names."""
        return self._rewriter(expr) if self._values else expr

    def with_name(self, let: Let) -> tuple[Expr, Names]:
        """The value of one name more, and all names if it is made of loop variables."""
        if id(let) not in self._with:
            value = self.rewrite(let.value)
            is_index = let.var.dtype is DType.INT64
            if is_index and not any(isinstance(node, Load) for node in postorder(value)):
                self._with[id(let)] = let, value, Names({**self._values, let.var: value})
            else:
                self._with[id(let)] = let, value, self
        return self._with[id(let)][1:]


@dataclass(frozen=True, slots=True)
class Scope:
    """What is known in a block: the names of values that are made of loop variables, intervals, and all names."""

    values: Names
    ranges: Ranges
    names: Mapping[Var, Let]

    def with_name(self, let: Let) -> Scope:
        """The same and one name more."""
        value, values = self.values.with_name(let)
        known = self.ranges.bounds(value)
        ranges = self.ranges if known is None else self.ranges.with_(let.var, known)
        return Scope(values, ranges, {**self.names, let.var: let})

    def inside(self, loop: For, extent: Expr) -> Scope:
        """What is known in the body of a loop."""
        known = self.ranges.bounds(extent)
        if known is None:
            return self
        return Scope(self.values, self.ranges.inside(loop, max(known[1], 1)), self.names)


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
    loops: tuple[For, ...]  # of the path
    scope: Scope
    node: Load | None = (
        None  # what is loaded, as it stands in the statement; None for the last element of a word
    )

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
        return self.scope.values.rewrite(expr)


def accesses(kernel: Kernel, names: Names | None = None) -> list[Access]:
    """All loads and stores of a kernel, in the order of its statements. A load that a statement has twice is one.

    Args:
        kernel: any.
        names: what remembers names from one kernel to another that has the same statements in other loops.
    """
    every: list[Access] = []
    _block(kernel.body, _Place((), (), None), Scope(names or Names(), Ranges({}), {}), every)
    return every


def index_key(access: Access) -> IndexKey:
    """The same for accesses of one buffer whose indices `is_same`."""
    forms = map(Ranges({}).linear, access.index)
    return tuple(
        (form.constant, tuple(sorted((expr_text(atom), factor) for atom, factor in form.terms.items())))
        for form in forms
    )


def is_same(where: Sequence[Expr], other: Sequence[Expr]) -> bool:
    """Whether two indices over the same variables are the same. `False` may mean "not known"."""
    forms = Ranges({})
    return all(
        part is its or forms.linear(part) == forms.linear(its) or expr_text(part) == expr_text(its)
        for part, its in zip(where, other, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """A block: the path and the loops to the loop or branch that it is in, and whether that does it otherwise."""

    path: Path
    loops: tuple[For, ...]
    around: For | If | None
    is_other: bool = False

    def path_to(self, number: int) -> Path:
        """That of a statement, by its number."""
        return (*self.path, (self.around, -1 - number if self.is_other else number))


def _block(stmts: Sequence[Stmt], place: _Place, scope: Scope, every: list[Access]) -> None:
    """Adds the accesses of a block to `every`."""
    rewrite, loops = scope.values.rewrite, place.loops
    for number, stmt in enumerate(stmts):
        path = place.path_to(number)
        for node in order_of(stmt):
            if isinstance(node, Load):
                index = tuple(map(rewrite, node.index))
                every.append(Access(node.buffer, index, stmt, False, path, loops, scope, node))
            elif isinstance(node, Word):
                index = _last_of_word(node, rewrite)
                every.append(Access(node.element.buffer, index, stmt, False, path, loops, scope))
        match stmt:
            case Store():
                index = tuple(map(rewrite, stmt.index))
                every.append(Access(stmt.buffer, index, stmt, True, path, loops, scope))
            case For():
                inside = scope.inside(stmt, rewrite(stmt.extent))
                _block(stmt.body, _Place(path, (*loops, stmt), stmt), inside, every)
            case If():
                _block(stmt.then, _Place(path, loops, stmt), scope, every)
                _block(stmt.otherwise, _Place(path, loops, stmt, is_other=True), scope, every)
            case Let():
                scope = scope.with_name(stmt)
                rewrite = scope.values.rewrite


def _last_of_word(word: Word, rewrite: Callable[[Expr], Expr]) -> tuple[Expr, ...]:
    """The index of the last element of which a word has bytes."""
    buffer = word.element.buffer
    axis = max(at for at, stride in enumerate(buffer.strides) if stride == 1)
    more = word.dtype.bits // buffer.dtype.bits - 1
    return tuple(
        rewrite(part) + more if at == axis else rewrite(part) for at, part in enumerate(word.element.index)
    )
