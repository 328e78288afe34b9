"""The rules of grid loops: groups of work items, and the memory that they share.

A group's statements outside its item loops read and write no memory, so that all items of a group take the same way through
them, and a code generator may put a barrier between any two item loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Expr,
    For,
    If,
    Kernel,
    Load,
    LoopKind,
    Space,
    Stmt,
    Store,
    Var,
)
from ingot.loops.transform.rewrite import expressions, postorder
from ingot.machines.gpu.limits import GROUPS_DEPTH_MAX, GROUPS_MAX, ITEMS_MAX, SHARED_BYTES_MAX

Fail = Callable[[Stmt, str], NoReturn]


@dataclass(frozen=True, slots=True)
class _Place:
    depth: int = 0  # of group loops around
    nests: bool = True  # a group loop may stand here
    item: For | None = None  # the item loop around
    plain: str = ""  # the kind of a loop around that may hold no grid loop


def verify_grid(kernel: Kernel, fail: Fail) -> None:
    """Checks the rules; `fail(statement, why)` raises."""
    for stmt in kernel.body:
        _Nest(fail).stmt(stmt, _Place())


class _Nest:
    """One statement at the top of a kernel: at most one nest of group loops."""

    def __init__(self, fail: Fail) -> None:
        self._fail = fail
        self._items: int | None = None
        self._shared_bytes = 0
        self._own: dict[str, Buffer] = {}

    def stmt(self, stmt: Stmt, place: _Place) -> None:
        if place.depth:
            self._memory(stmt, place)
        match stmt:
            case For():
                self._block(stmt.body, self._loop(stmt, place))
            case If():
                inside = replace(place, nests=False)
                self._block(stmt.then, inside)
                self._block(stmt.otherwise, inside)
            case Alloc():
                self._alloc(stmt, place)

    def _block(self, block: Sequence[Stmt], place: _Place) -> None:
        outer = dict(self._own)
        for stmt in block:
            self.stmt(stmt, replace(place, nests=place.nests and len(block) == 1))
        self._own = outer

    def _loop(self, stmt: For, place: _Place) -> _Place:
        if stmt.kind not in (LoopKind.GROUP, LoopKind.ITEM):
            plain = stmt.kind.value if stmt.kind in (LoopKind.VECTOR, LoopKind.PARALLEL) else place.plain
            return replace(place, nests=False, plain=plain)
        loop = f"{'a' if stmt.kind is LoopKind.GROUP else 'an'} {stmt.kind.value} loop"
        if place.plain:
            self._fail(stmt, f"{loop} is inside a {place.plain} loop")
        if not isinstance(stmt.extent, Const):
            self._fail(stmt, f"the extent of {loop} must be a constant")
        extent = int(stmt.extent.value)
        if stmt.kind is LoopKind.GROUP:
            if not place.nests:
                self._fail(stmt, "a group loop must be outermost in its kernel, or alone in a group loop")
            if place.depth == GROUPS_DEPTH_MAX:
                self._fail(
                    stmt, f"{place.depth + 1} group loops are nested, at most {GROUPS_DEPTH_MAX} can be"
                )
            alone = (
                len(stmt.body) == 1 and isinstance(stmt.body[0], For) and stmt.body[0].kind is LoopKind.GROUP
            )
            extent_max = GROUPS_MAX[1 if alone else 0]
            if not 1 <= extent <= extent_max:
                self._fail(stmt, f"a group loop has the extent {extent}, expected 1 to {extent_max}")
            return replace(place, depth=place.depth + 1)
        if not place.depth or place.item is not None:
            self._fail(stmt, "an item loop must be inside a group loop and no other item loop")
        if not 1 <= extent <= ITEMS_MAX:
            self._fail(stmt, f"an item loop has the extent {extent}, expected 1 to {ITEMS_MAX}")
        if self._items not in (None, extent):
            self._fail(stmt, f"an item loop has the extent {extent}, another of its group {self._items}")
        self._items = extent
        return replace(place, item=stmt, nests=False)

    def _alloc(self, stmt: Alloc, place: _Place) -> None:
        buffer, word = stmt.buffer, stmt.space.value
        if stmt.space is Space.LOCAL:
            if place.depth and place.item is None:
                self._fail(
                    stmt,
                    f"local {buffer.name!r} is in a group and outside its item loops: which item's is it?",
                )
            return
        if not place.depth or place.item is not None:
            self._fail(
                stmt,
                f"buffer {buffer.name!r} of the space {word} must be in a group and outside its item loops",
            )
        if stmt.space is Space.PER_ITEM:
            if not buffer.shape or not buffer.is_row_major:
                self._fail(
                    stmt,
                    f"buffer {buffer.name!r} of the space {word} must be row-major, with a dimension for the items",
                )
            self._own[buffer.name] = buffer
            return
        self._shared_bytes += buffer.span * buffer.dtype.size_bytes
        if self._shared_bytes > SHARED_BYTES_MAX:
            self._fail(
                stmt,
                f"buffer {buffer.name!r} makes {self._shared_bytes} bytes that a group shares, at most {SHARED_BYTES_MAX} are"
                " allowed",
            )

    def _memory(self, stmt: Stmt, place: _Place) -> None:
        """The rules of reading and writing in a group."""
        if place.item is None and isinstance(stmt, Store):
            self._fail(stmt, "a statement of a group writes memory outside its item loops")
        for node in postorder(*expressions(stmt)):
            if isinstance(node, Load):
                if place.item is None:
                    self._fail(stmt, "a statement of a group reads memory outside its item loops")
                self._own_index(stmt, node.buffer, node.index, place.item)
        if isinstance(stmt, Store) and place.item is not None:
            self._own_index(stmt, stmt.buffer, stmt.index, place.item)

    def _own_index(self, stmt: Stmt, buffer: Buffer, index: Sequence[Expr], item: For) -> None:
        if self._own.get(buffer.name) != buffer or not index:
            return
        first = index[0]
        single = (
            isinstance(item.extent, Const)
            and item.extent.value == 1
            and isinstance(first, Const)
            and first.value == 0
        )
        if not single and not (isinstance(first, Var) and first == item.var):
            self._fail(
                stmt,
                f"buffer {buffer.name!r} belongs to each item alone: its first index must be the item's, {item.var.name}",
            )
