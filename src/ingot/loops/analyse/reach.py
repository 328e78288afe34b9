"""Which parameters a kernel reads from their first element to their last, whatever its data are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ingot.loops.analyse.ranges import Interval, Ranges
from ingot.loops.nodes import Buffer, Expr, For, If, Kernel, Let, Load, Stmt, Var
from ingot.loops.transform.rewrite import expressions, postorder


def always_read(kernel: Kernel, buffers: Sequence[Buffer]) -> frozenset[str]:
    """Those of the buffers, by name, whose every index in each dimension lies between two that the kernel always reads.

    A load counts if nothing that was read decides on its place, or on whether it happens: rows that are looked up in a table do
    not count, nor does what stands in a branch of an `If` that looks at data; of any other `If` both branches are believed to
    run. An index of which nothing is known is believed to come to all elements.
    """
    walk = _Walk({buffer.name: [None] * len(buffer.shape) for buffer in buffers})
    walk.block(kernel.body, frozenset(), Ranges({}), steady=True)
    return frozenset(
        buffer.name
        for buffer in buffers
        if buffer.name in walk.read
        and all(
            reach is not None and reach[0] <= 0 and reach[1] >= extent - 1
            for reach, extent in zip(walk.reaches[buffer.name], buffer.shape, strict=True)
        )
    )


@dataclass(slots=True)
class _Walk:
    """`reaches` has the smallest and largest index in each dimension of each buffer, of loads that count."""

    reaches: dict[str, list[Interval | None]]
    read: set[str] = field(default_factory=set)

    def block(self, stmts: Sequence[Stmt], data: frozenset[Var], ranges: Ranges, *, steady: bool) -> None:
        """`data` are the names of values that were read, or made of such; `steady` says that nothing read decides whether this
        block runs.
        """
        for stmt in stmts:
            moved = self._expressions(expressions(stmt), data, ranges, steady)
            match stmt:
                case For():
                    extent = ranges.bounds(stmt.extent)
                    inner = ranges if extent is None or extent[1] < 1 else ranges.inside(stmt, extent[1])
                    self.block(stmt.body, data, inner, steady=steady and not moved)
                case If():
                    for branch in (stmt.then, stmt.otherwise):
                        self.block(branch, data, ranges, steady=steady and not moved)
                case Let():
                    if moved:
                        data = data | {stmt.var}
                    elif (known := ranges.bounds(stmt.value)) is not None:
                        ranges = ranges.with_(stmt.var, known)

    def _expressions(self, roots: Sequence[Expr], data: frozenset[Var], ranges: Ranges, steady: bool) -> bool:
        """Notes the loads of expressions; whether their value hangs on what was read."""
        nodes = postorder(*roots)
        moved = any(isinstance(node, Load) or (isinstance(node, Var) and node in data) for node in nodes)
        for node in nodes if steady else ():
            if not isinstance(node, Load) or node.buffer.name not in self.reaches:
                continue
            parts = postorder(*node.index)
            if any(isinstance(part, Load) or (isinstance(part, Var) and part in data) for part in parts):
                continue
            self.read.add(node.buffer.name)
            reach = self.reaches[node.buffer.name]
            for axis, index in enumerate(node.index):
                low, high = ranges.bounds(index) or (0, node.buffer.shape[axis] - 1)
                old = reach[axis]
                reach[axis] = (low, high) if old is None else (min(low, old[0]), max(high, old[1]))
        return moved
