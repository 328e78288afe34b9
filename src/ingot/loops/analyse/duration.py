"""About how long a kernel takes, to compare kernels of one model that were written for different extents.

*Does not do:* say how long it takes. What is counted is the same for all processors, so that equal builds give equal bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ingot.loops.analyse.ranges import Interval, Ranges
from ingot.loops.nodes import Binary, Call, Expr, Fma, For, If, Kernel, Let, Load, Stmt, Store, Unary, Var
from ingot.loops.transform.rewrite import children, expressions

CALL_CYCLES = 50  # what a kernel takes besides its work
WORK_OF_CYCLE = 16  # operations, or bytes that are read or written
# What a read counts for at a place that follows from other values, such as a node of a tree: it takes a cycle for itself.
SCATTERED_BYTES = 16


def estimated_cycles(kernel: Kernel) -> int:
    """Operations on floats and integers alike, or the bytes that are touched, whichever is more.

    Of a buffer every byte counts once; but one that is read at places which follow from values counts as often as it is read, by
    its elements where neighbouring iterations read neighbours (a row of a table), else by SCATTERED_BYTES. Iterations count as
    in `cost`.
    """
    work = _Work({buffer.name: buffer.type.size_bytes for buffer in kernel.params})
    work.block(kernel.body, Ranges({}), frozenset(), None, 1)
    whole = sum(size for name, size in work.sizes.items() if name in work.whole)
    return CALL_CYCLES + max(work.operations, whole + work.scattered) // WORK_OF_CYCLE


@dataclass(slots=True)
class _Work:
    sizes: dict[str, int]
    operations: int = 0
    scattered: int = 0
    whole: set[str] = field(default_factory=set)  # the parameters that count byte by byte

    def block(
        self, stmts: Sequence[Stmt], ranges: Ranges, read: frozenset[Var], inner: Var | None, times: int
    ) -> None:
        """Adds the work of statements.

        Args:
            stmts: some that follow each other.
            ranges: what is known of loop variables.
            read: variables that follow from values.
            inner: of the innermost loop around.
            times: how often the statements run.
        """
        for stmt in stmts:
            self._own(stmt, read, inner, times)
            match stmt:
                case For():
                    extent = ranges.bounds(stmt.extent)
                    count = 1 if extent is None else extent[1]
                    inside = _inside(stmt, ranges, extent)
                    if count > 0:
                        self.block(stmt.body, inside, read, stmt.var, times * count)
                case If():
                    self.block(stmt.then, ranges, read, inner, times)
                    self.block(stmt.otherwise, ranges, read, inner, times)
                case Let():
                    known = ranges.bounds(stmt.value)
                    ranges = ranges.with_(stmt.var, known) if known is not None else ranges
                    if _follows(stmt.value, read):
                        read |= {stmt.var}

    def _own(self, stmt: Stmt, read: frozenset[Var], inner: Var | None, times: int) -> None:
        self.operations += times * sum(_OPERATIONS.get(type(node), 0) for node in _values(stmt))
        if isinstance(stmt, Store):
            self.whole.add(stmt.buffer.name)
        for load in _loads(stmt):
            if load.buffer.name not in self.sizes:
                continue
            if not any(_follows(part, read) for part in load.index):
                self.whole.add(load.buffer.name)
            elif inner is not None and _moves_with(load.index[-1], inner):
                self.scattered += times * load.buffer.type.dtype.size_bytes
            else:
                self.scattered += times * SCATTERED_BYTES


_OPERATIONS: dict[type, int] = {Binary: 1, Call: 1, Fma: 2, Unary: 1}


def _inside(loop: For, ranges: Ranges, extent: Interval | None) -> Ranges:
    if extent is None or extent[1] <= 0:
        return ranges
    if loop.end is not None:
        return ranges.all_at_once(loop, extent[1])
    return ranges.inside(loop, extent[1])


def _nodes(roots: Sequence[Expr], into_indices: bool) -> Iterator[Expr]:
    """Every node once."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if into_indices or not isinstance(node, Load):
            stack.extend(children(node))


def _values(stmt: Stmt) -> Iterator[Expr]:
    """What a statement computes, without places in buffers."""
    return _nodes((stmt.value,) if isinstance(stmt, Store) else expressions(stmt), into_indices=False)


def _loads(stmt: Stmt) -> Iterator[Load]:
    return (node for node in _nodes(expressions(stmt), into_indices=True) if isinstance(node, Load))


def _follows(place: Expr, read: frozenset[Var]) -> bool:
    """Whether it follows from values of buffers."""
    nodes = _nodes((place,), into_indices=False)
    return any(isinstance(node, Load) or (isinstance(node, Var) and node in read) for node in nodes)


def _moves_with(place: Expr, var: Var) -> bool:
    """Whether it is another one in each iteration, besides what follows from values."""
    return any(isinstance(node, Var) and node == var for node in _nodes((place,), into_indices=False))
