"""What a code generator for groups of work items asks about a nest of group loops: its shape, where its items must wait for one
another, and its items' own buffers as locals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ingot.base.errors import InternalError
from ingot.loops.nodes import Alloc, Buffer, Const, Expr, For, If, Kernel, Load, LoopKind, Space, Stmt, Store
from ingot.loops.transform.rewrite import Rewriter, expressions, loads, statements


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A nest of group loops: the loops, outermost first, how many items a group has, and what a group does."""

    groups: tuple[For, ...]
    items: int
    body: tuple[Stmt, ...]

    @property
    def extents(self) -> tuple[int, ...]:
        """How many groups, by loop."""
        return tuple(int(loop.extent.value) for loop in self.groups if isinstance(loop.extent, Const))


@dataclass(frozen=True, slots=True)
class Fence:
    """Where all items of a group must have come before any goes on. What they wrote to these memories is then seen by all."""

    shared: bool  # the group's shared memory
    params: bool  # the parameters of the kernel


def grid_of(stmt: Stmt) -> Grid | None:
    """The nest that a statement at the top of a kernel is; None if it is none. A group without an item loop has one item."""
    groups: list[For] = []
    block: tuple[Stmt, ...] = (stmt,)
    while len(block) == 1 and isinstance(block[0], For) and block[0].kind is LoopKind.GROUP:
        groups.append(block[0])
        block = block[0].body
    if not groups:
        return None
    extents = [
        inner.extent for inner in statements(block) if isinstance(inner, For) and inner.kind is LoopKind.ITEM
    ]
    return Grid(
        tuple(groups), int(extents[0].value) if extents and isinstance(extents[0], Const) else 1, block
    )


# ─── fences ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Touched:
    """Buffers that some items may have read and written since all last waited for one another."""

    read: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()

    def and_(self, other: _Touched) -> _Touched:
        return _Touched(self.read | other.read, self.written | other.written)

    def only(self, names: frozenset[str]) -> _Touched:
        return _Touched(self.read & names, self.written & names)

    def conflicts(self, later: _Touched) -> frozenset[str]:
        return self.written & (later.read | later.written) | self.read & later.written


def fences(kernel: Kernel, grid: Grid) -> dict[int, Fence]:
    """The fences that a group needs: by the `id` of the item loop before which it stands.

    One is needed where items of that loop may touch what other items touched before, and one of the two wrote. Loops are
    followed around, so a loop's first item loop waits for its last where it must.
    """
    return _Fences(kernel).of(grid)


class _Fences:
    def __init__(self, kernel: Kernel) -> None:
        # What may share its storage has one name.
        same = {kernel.inputs[i].name: kernel.outputs[o].name for i, o in kernel.in_place}
        self._params = {param.name: f"param {same.get(param.name, param.name)}" for param in kernel.params}
        self._needed: dict[int, Fence] = {}

    def of(self, grid: Grid) -> dict[int, Fence]:
        before = -1
        while before != sum(fence.shared + fence.params for fence in self._needed.values()):
            before = sum(fence.shared + fence.params for fence in self._needed.values())
            self._block(grid.body, _Touched(), self._params)
        return self._needed

    def _block(self, block: Sequence[Stmt], state: _Touched, names: Mapping[str, str]) -> _Touched:
        for stmt in block:
            match stmt:
                case Alloc() if stmt.space is Space.SHARED:
                    names = {**names, stmt.buffer.name: f"shared {stmt.buffer.name}"}
                case For() if stmt.kind is LoopKind.ITEM:
                    state = self._items(stmt, state, names)
                case For():
                    state = self._loop(stmt, state, names)
                case If():
                    state = self._block(stmt.then, state, names).and_(
                        self._block(stmt.otherwise, state, names)
                    )
        return state

    def _loop(self, stmt: For, state: _Touched, names: Mapping[str, str]) -> _Touched:
        runs = isinstance(stmt.extent, Const) and int(stmt.extent.value) > 0
        while True:
            after = self._block(stmt.body, state, names)
            around = state.and_(after)
            if around == state:
                return after if runs else around
            state = around

    def _items(self, stmt: For, state: _Touched, names: Mapping[str, str]) -> _Touched:
        own = _touched(stmt, names)
        conflicts = state.conflicts(own)
        fence = self._needed.get(id(stmt), Fence(False, False))
        fence = Fence(
            fence.shared or any(name.startswith("shared ") for name in conflicts),
            fence.params or any(name.startswith("param ") for name in conflicts),
        )
        if fence.shared or fence.params:
            self._needed[id(stmt)] = fence
        kept = frozenset(
            name
            for name in state.read | state.written
            if not (fence.shared if name.startswith("shared ") else fence.params)
        )
        return state.only(kept).and_(own)


def _touched(stmt: For, names: Mapping[str, str]) -> _Touched:
    read: set[str] = set()
    written: set[str] = set()
    for inner in statements(stmt.body):
        if isinstance(inner, Store) and inner.buffer.name in names:
            written.add(names[inner.buffer.name])
        for expr in expressions(inner):
            read.update(names[load.buffer.name] for load in loads(expr) if load.buffer.name in names)
    return _Touched(frozenset(read), frozenset(written))


# ─── buffers of an item ──────────────────────────────────────────────────────────────────────────────────────────────


def own_as_locals(block: Sequence[Stmt]) -> tuple[Stmt, ...]:
    """The statements of a group with each item's own buffers as plain locals without the items' dimension: what one item runs,
    where every item has registers of its own.
    """
    return _Own().block(block)


class _Own:
    def __init__(self) -> None:
        self._per_item: dict[str, tuple[Buffer, Buffer]] = {}  # by name: as it was, as it is now
        self._rewrite = Rewriter(self._leave)

    def _of(self, buffer: Buffer) -> Buffer | None:
        old, new = self._per_item.get(buffer.name, (None, None))
        return new if old == buffer else None

    def _leave(self, node: Expr) -> Expr | None:
        buffer = self._of(node.buffer) if isinstance(node, Load) else None
        return Load(buffer, node.index[1:]) if buffer is not None and isinstance(node, Load) else None

    def block(self, block: Sequence[Stmt]) -> tuple[Stmt, ...]:
        outer = dict(self._per_item)
        done = tuple(map(self._stmt, block))
        if self._per_item != outer:
            self._per_item = outer
            self._rewrite = Rewriter(self._leave)  # its memory knows the names of the block
        return done

    def _stmt(self, stmt: Stmt) -> Stmt:
        match stmt:
            case Alloc() if stmt.space is Space.PER_ITEM:
                old = stmt.buffer
                if not old.shape:
                    raise InternalError(f"buffer {old.name!r} of each item has no dimension for the items")
                new = Buffer(old.name, old.dtype, old.shape[1:], old.strides[1:])
                self._per_item[old.name] = (old, new)
                self._rewrite = Rewriter(self._leave)
                return Alloc(new)
            case For():
                return replace(stmt, extent=self._rewrite(stmt.extent), body=self.block(stmt.body))
            case If():
                return If(self._rewrite(stmt.condition), self.block(stmt.then), self.block(stmt.otherwise))
            case Store():
                buffer = self._of(stmt.buffer)
                index, value = tuple(self._rewrite(part) for part in stmt.index), self._rewrite(stmt.value)
                return Store(
                    stmt.buffer if buffer is None else buffer, index if buffer is None else index[1:], value
                )
        return self._rewrite.statement(stmt)
