"""Hypothesis strategies: kernels of work groups that keep the rules, whose items talk through shared memory."""

from __future__ import annotations

from hypothesis import strategies as st

from ingot.base.tensor import DType
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Buffer,
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
    buffer,
    compare,
    index,
)
from ingot.loops.transform.rewrite import Rewriter

F32 = DType.FLOAT32


@st.composite
def grid_kernels(draw: st.DrawFn) -> Kernel:
    """A group's items move numbers through two shared tiles and registers of their own, in loops and branches. An item loop that
    writes a tile reads only the other, so its items are independent; every item loop reads what other items wrote.
    """
    groups, items = draw(st.integers(1, 3)), draw(st.integers(2, 9))
    x, y = buffer("x", F32, (groups, items)), buffer("y", F32, (groups, items))
    tiles = (buffer("left", F32, (items,)), buffer("right", F32, (items,)))
    own = buffer("own", F32, (items, 2))
    g, i = Var("g"), Var("i")

    def item_loop(body: tuple[Stmt, ...]) -> Stmt:
        return For(i, index(items), body, LoopKind.ITEM)

    def other_item() -> Expr:
        return Binary("rem", i + draw(st.integers(0, items)), index(items))

    def value(source: Buffer) -> Expr:
        read = [
            Load(source, (other_item(),)),
            Load(own, (i, index(draw(st.integers(0, 1))))),
            Load(x, (g, other_item())),
        ]
        a, b = draw(st.sampled_from(read)), draw(st.sampled_from(read))
        return Binary(draw(st.sampled_from(["add", "sub", "min", "max"])), a, b)

    def step() -> Stmt:
        target = draw(st.integers(0, 1))
        place: tuple[Buffer, tuple[Expr, ...]] = (tiles[target], (i,))
        if draw(st.booleans()):
            place = (own, (i, index(draw(st.integers(0, 1)))))
        stmt: Stmt = Store(*place, value(tiles[1 - target]))
        if draw(st.booleans()):
            stmt = If(compare("lt", other_item(), draw(st.integers(0, items))), (stmt,))
        return item_loop((stmt,))

    def block(depth: int) -> tuple[Stmt, ...]:
        stmts: list[Stmt] = []
        for _ in range(draw(st.integers(1, 3))):
            kind = draw(st.sampled_from(["step", "step", "loop", "if"])) if depth else "step"
            if kind == "loop":
                stmts.append(For(Var(f"k{depth}"), index(draw(st.integers(0, 3))), block(depth - 1)))
            elif kind == "if":
                stmts.append(
                    If(compare("lt", g, draw(st.integers(0, 3))), block(depth - 1), block(depth - 1))
                )
            else:
                stmts.append(step())
        return tuple(stmts)

    places: list[tuple[Buffer, tuple[Expr, ...]]] = [(tile, (i,)) for tile in tiles]
    places += [(own, (i, index(at))) for at in (0, 1)]
    start = item_loop(tuple(Store(*place, Load(x, (g, i))) for place in places))
    source = draw(st.sampled_from(tiles))
    end = item_loop((Store(y, (g, i), Load(source, (other_item(),)) + Load(own, (i, index(0)))),))
    body = (*(Alloc(tile, Space.SHARED) for tile in tiles), Alloc(own, Space.PER_ITEM), start, *block(2), end)
    return Kernel("grid", (x,), (y,), (For(g, index(groups), body, LoopKind.GROUP),))


def turned(kernel: Kernel) -> Kernel:
    """The kernel with its groups, and the items of each item loop, in the opposite order: it must mean the same."""

    def turn(stmt: Stmt) -> Stmt:
        match stmt:
            case For():
                body = tuple(map(turn, stmt.body))
                if stmt.kind in (LoopKind.GROUP, LoopKind.ITEM):
                    opposite = stmt.extent - 1 - stmt.var
                    rewriter = Rewriter(lambda node: opposite if node == stmt.var else None)
                    body = rewriter.block(body)
                return For(stmt.var, stmt.extent, body)
            case If():
                return If(stmt.condition, tuple(map(turn, stmt.then)), tuple(map(turn, stmt.otherwise)))
            case Alloc():
                return Alloc(stmt.buffer)
        return stmt

    return Kernel(
        kernel.name,
        kernel.inputs,
        kernel.outputs,
        tuple(map(turn, kernel.body)),
        kernel.workspaces,
        kernel.in_place,
    )
