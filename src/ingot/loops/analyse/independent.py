"""Whether the iterations of a serial loop are independent, proven from what they read and write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ingot.loops.analyse.ranges import Linear, Ranges
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Expr,
    For,
    Kernel,
    Let,
    Load,
    LoopKind,
    Stmt,
    Store,
    Var,
    index,
)
from ingot.loops.transform.rewrite import expressions, postorder, statements


class Independence:
    """Answers for one kernel. `no` may mean "not known"."""

    def __init__(self, kernel: Kernel) -> None:
        self._params = {param.name for param in kernel.params}
        self._same = {kernel.inputs[i].name: kernel.outputs[o].name for i, o in kernel.in_place}
        self._forms = Ranges({})

    def of(self, loop: For) -> bool:
        """Whether the iterations may run in any order, and at the same time.

        They may where each iteration writes elements of the kernel's parameters that no other one writes, and reads nothing that
        another one writes: of a buffer that is written, and of an input that shares its storage, only the places that it writes.
        """
        if loop.kind in (LoopKind.VECTOR, LoopKind.PARALLEL):
            return True
        extents = _extents((loop,))
        if extents is None:
            return False
        own = {stmt.buffer.name for stmt in statements(loop.body) if isinstance(stmt, Alloc)}
        stores: dict[str, list[Linear]] = {}
        for stmt in statements(loop.body):
            if isinstance(stmt, Store) and stmt.buffer.name not in own:
                if stmt.buffer.name not in self._params:
                    return False
                stores.setdefault(stmt.buffer.name, []).append(self._offset(stmt.buffer, stmt.index))
        if any(not _apart(forms, loop.var, extents) for forms in stores.values()):
            return False
        return all(self._reads_its_own(node, stores, own) for node in _loads(loop.body))

    def _reads_its_own(self, node: Load, stores: Mapping[str, Sequence[Linear]], own: set[str]) -> bool:
        name = node.buffer.name
        written = stores.get(self._same.get(name, name))
        if name in own or written is None:
            return True
        # The places that iterations write are apart, and so are those that they read by the same form.
        place = self._offset(node.buffer, node.index)
        return all(form == place for form in written)

    def spoils(self, later: Stmt, lets: Sequence[Stmt]) -> bool:
        """Whether a statement writes memory that the `lets` before it read."""
        written = {stmt.buffer.name for stmt in statements((later,)) if isinstance(stmt, Store)}
        read = {node.buffer.name for node in _loads(lets)}
        return bool(written & (read | {self._same.get(name, name) for name in read}))

    def _offset(self, buffer: Buffer, where: Sequence[Expr]) -> Linear:
        total: Expr = index(0)
        for part, extent, stride in zip(where, buffer.shape, buffer.strides, strict=True):
            if extent != 1 and stride:
                total = total + part * stride
        return self._forms.linear(total)

    def stride(self, stmts: Sequence[Stmt], var: Var) -> int:
        """How far apart in memory the stores of two neighbouring iterations are; 0 where that is not known."""
        smallest = 0
        for stmt in statements(stmts):
            if isinstance(stmt, Store) and stmt.buffer.name in self._params:
                step = abs(self._offset(stmt.buffer, stmt.index).terms.get(var, 0))
                smallest = step if not smallest else min(smallest, step)
        return smallest


def _loads(block: Sequence[Stmt]) -> Iterable[Load]:
    for stmt in statements(block):
        for node in postorder(*expressions(stmt)):
            if isinstance(node, Load):
                yield node


def _extents(block: Sequence[Stmt]) -> dict[Var, int] | None:
    """The extent of each loop, the largest where two have one variable, 0 for a variable of unknown values; None if that of the
    first loop is not known.
    """
    extents: dict[Var, int] = {}
    for stmt in statements(block):
        if isinstance(stmt, Let):
            extents[stmt.var] = 0
        if isinstance(stmt, For):
            if not isinstance(stmt.extent, Const):
                extents[stmt.var] = 0
                continue
            if extents.get(stmt.var) != 0:
                extents[stmt.var] = max(extents.get(stmt.var, 1), int(stmt.extent.value))
    return extents if not isinstance(block[0], For) or extents[block[0].var] else None


def _fixed(atom: Expr, inside: Mapping[Var, int]) -> bool:
    """Whether an expression is made of nothing but variables from outside."""
    return all(
        not isinstance(node, Load) and (not isinstance(node, Var) or node not in inside)
        for node in postorder(atom)
    )


def _apart(forms: Sequence[Linear], var: Var, extents: Mapping[Var, int]) -> bool:
    """Whether two iterations of the loop over `var` never write the same offset."""
    first = forms[0]
    if var not in first.terms or any(form != first for form in forms):
        return False
    digits: list[tuple[int, int]] = []
    for atom, factor in first.terms.items():
        if _fixed(atom, extents):
            continue  # the same in all iterations
        if not isinstance(atom, Var) or extents[atom] == 0:
            return False
        if extents[atom] > 1:
            digits.append((abs(factor), extents[atom]))
    reach = 0
    for factor, extent in sorted(digits):
        # Each digit steps over everything that the smaller ones can reach, so no two combinations are equal.
        if factor <= reach:
            return False
        reach += factor * (extent - 1)
    return True
