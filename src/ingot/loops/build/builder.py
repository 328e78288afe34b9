"""The builder: the statements of a kernel, written top-down.

Loops are what a `for` statement goes through. Its body runs while the kernel is built, once for each piece of code that the loop
becomes, and what it stores goes into that loop:

    k = Builder()
    for row in k.loop("row", rows, LoopKind.PARALLEL):
        for block in k.tiles("block", columns, vector_sizes(lanes)):
            for lane in k.vector("lane", block.size):
                where = (row, block.start + lane)
                k.store(output, where, load(left, *where) + load(right, *where))
    return k.statements()

Code that several kernels share is a generator that gets the builder, loops, and yields:

    def even_rows(k: Builder, rows: int) -> Iterator[Expr]:
        for half in k.loop("half", -(-rows // 2)):
            yield half * 2

The body of a `for` statement has to run to its end each time: `break`, `return` or an exception would lose statements. The
builder notices that, and a loop that is made but never gone through, with an `InternalError` that names the loop. `continue` is
fine: it ends the statements of that piece.

Extents are numbers or expressions (`Extent`). Of a number it is known while building whether a loop has an iteration: one of none
is left out and one of a single iteration is its body. Widths of vectors and sizes of tiles are numbers, always.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar, Union

from ingot.base.errors import InternalError
from ingot.base.tensor import DType
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Expr,
    For,
    If,
    Let,
    LoopKind,
    Operand,
    Space,
    Stmt,
    Var,
    buffer,
    compare,
    index,
    store,
)
from ingot.loops.transform.rewrite import walk

Extent = Union[Expr, int]
T = TypeVar("T")


class Span(NamedTuple):
    """`size` elements from `start` on. The size is a number: it decides the code."""

    start: Expr
    size: int


def vector_sizes(lanes: int) -> tuple[int, ...]:
    """Sizes of vectors to cover any extent with: the full vector, then its halves down to one."""
    sizes = [max(1, lanes)]
    while sizes[-1] > 1:
        sizes.append(sizes[-1] // 2)
    return tuple(sizes)


def pieces(size: int, lanes: int) -> tuple[tuple[int, int], ...]:
    """The first element and the width of each vector that `size` elements are made of, the widest first."""
    widths = []
    first = 0
    for width in vector_sizes(lanes):
        while size - first >= width:
            widths.append((first, width))
            first += width
    return tuple(widths)


def split_index(flat: Expr, extents: Sequence[Extent]) -> tuple[Expr, ...]:
    """The indices for which `flat` is the row-major position in a box of these extents."""
    result: list[Expr] = []
    rest = flat
    outermost = next((axis for axis, extent in enumerate(extents) if extent != 1), 0)
    for axis in reversed(range(len(extents))):
        if extents[axis] == 1:
            result.append(index(0))
        elif axis == outermost:
            result.append(rest)
        else:
            result.append(rest % extents[axis])
            rest = rest // extents[axis]
    return tuple(reversed(result))


def flat_index(where: Sequence[Expr], extents: Sequence[Extent]) -> Expr:
    """The row-major number of an index in a box: what `split_index` takes apart."""
    number: Expr = index(0)
    for at, extent in zip(where, extents, strict=True):
        number = number * extent + at
    return number


# The kind and the smallest extent of loops that have a form; a shorter rest at the end of an extent gains nothing by one.
_EXPECTED_OF = {
    "transpose": (LoopKind.UNROLLED, 4),
    "interleave": (LoopKind.UNROLLED, 2),
    "broadcast4": (LoopKind.UNROLLED, 4),
    "pack_bytes": (LoopKind.VECTOR, 2),
}


def expecting(form: str, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
    """Statements, of which the vector loops, or the unrolled loops over such, are slow unless the code generator recognises
    their form (`For.expects`).
    """
    kind, extent = _EXPECTED_OF[form]

    def should_have(stmt: For) -> bool:
        is_long = isinstance(stmt.extent, Const) and stmt.extent.value >= extent
        return is_long and stmt.kind is kind and any(each.kind is LoopKind.VECTOR for each in _loops(stmt))

    return tuple(
        replace(stmt, expects=form) if isinstance(stmt, For) and should_have(stmt) else stmt for stmt in stmts
    )


def _loops(stmt: For) -> tuple[For, ...]:
    """A loop, and the loops directly in it."""
    return (stmt, *(each for each in stmt.body if isinstance(each, For)))


class Loop(Generic[T]):
    """What a `for` statement goes through, once. The builder makes these."""

    def __init__(self, builder: Builder, name: str, run: Iterator[T]) -> None:
        self.name = name
        self._builder = builder
        self._run: Iterator[T] | None = run

    def __iter__(self) -> Iterator[T]:
        run, self._run = self._run, None
        if run is None:
            _misuse(f"the loop {self.name!r} was gone through before; make another one")
        self._builder._enter(self)
        return run


@dataclass(slots=True, eq=False)
class _Block:
    """Statements that are being written, the name of the loop or block whose body they are (empty outside of all), and the names
    that end with it.
    """

    name: str
    stmts: list[Stmt] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


class Builder:
    """Writes statements, one after another, into the innermost loop that is open (see the module)."""

    def __init__(self) -> None:
        self._open = [_Block("")]
        self._pending: Loop[object] | None = None  # and not gone through yet
        self._ended: set[str] = set()  # names of loops and values that are not visible any more
        self._is_complete = False

    # ── statements ──

    def store(self, target: Buffer, where: Sequence[Operand], value: Operand) -> None:
        """Writes one element; integers in the index become constants, and so does a number as the value."""
        stored = store(target, tuple(where), value)
        for part in stored.index:
            self._check_is_visible(part)
        self.emit((stored,))

    def let(self, name: str, value: Expr) -> Var:
        """Names a value for the statements after it in the same loop."""
        var = Var(name, value.dtype)
        self.emit((Let(var, value),))
        self._declare(name)
        return var

    def alloc(self, name: str, dtype: DType, shape: tuple[int, ...], space: Space = Space.LOCAL) -> Buffer:
        """A row-major buffer of the kernel's own, uninitialised, for the statements after it in the same loop."""
        local = buffer(name, dtype, shape)
        self.emit((Alloc(local, space),))
        return local

    def emit(self, stmts: Iterable[Stmt]) -> None:
        """Adds statements that were written elsewhere, such as by `Site.write`."""
        self._check_can_write()
        self._open[-1].stmts.extend(stmts)

    def statements(self) -> tuple[Stmt, ...]:
        """All that was written. Nothing can be added afterwards.

        Raises:
            InternalError: a loop is open, or was not gone through.
        """
        block = self._open[-1]
        if block.name:
            _misuse(
                f"the loop {block.name!r} is still open: its body was left by break, return or an exception"
            )
        self._check_can_write()
        self._is_complete = True
        return tuple(block.stmts)

    # ── loops ──

    def loop(
        self, name: str, extent: Extent, kind: LoopKind = LoopKind.SERIAL, expects: str = ""
    ) -> Loop[Expr]:
        """`for name in range(extent)`: gives the index.

        One of extent 1 is its body, unless that declares something that must stay in a block of its own. `expects` is the form
        that the code generator should recognise (see `expecting`).
        """
        return self._make(name, self._loop(name, extent, kind, expects))

    def vector(self, name: str, width: int) -> Loop[Expr]:
        """A vector loop of `width` lanes: gives the lane."""
        return self.loop(name, width, LoopKind.VECTOR)

    def nest(self, names: Sequence[str], extents: Sequence[Extent]) -> Loop[tuple[Expr, ...]]:
        """Serial loops one in another, the first outermost: gives all indices, once where there is no loop."""
        return self._make(" × ".join(names), self._nest(names, extents))

    def collapse(
        self, name: str, extents: Sequence[Extent], kind: LoopKind = LoopKind.PARALLEL
    ) -> Loop[tuple[Expr, ...]]:
        """One loop over all of a box: gives the indices of its dimensions."""
        return self._make(name, self._collapse(name, extents, kind))

    def tiles(
        self, name: str, extent: Extent, sizes: Sequence[int], kind: LoopKind = LoopKind.SERIAL
    ) -> Loop[Span]:
        """Covers `range(extent)` by tiles: a loop (of `kind`) over the first size, then what remains by the smaller ones.

        The last of `sizes` must divide what remains (1 always does, and it must be 1 where the extent is no number).
        """
        return self._make(name, self._tiles(name, extent, sizes, kind))

    def vectors(self, size: int, lanes: int, name: str = "lane") -> Loop[Expr]:
        """Every index in `range(size)`, all vectors written out: those of `lanes`, then shorter ones for the rest."""
        return self._make(name, self._vectors(size, lanes, name))

    def vector_blocks(
        self, name: str, extent: Extent, lanes: int, kind: LoopKind = LoopKind.SERIAL
    ) -> Loop[Expr]:
        """Every index in `range(extent)`, by vectors of `lanes` in a loop of `kind`, then shorter ones for the remainder.

        With one lane it is a plain loop of that kind.
        """
        if lanes <= 1:
            return self.loop(name, extent, kind)
        return self._make(name, self._vector_blocks(name, extent, lanes, kind))

    def one_of(self, number: Expr, count: int) -> Loop[int]:
        """Branches, one for each of `count` values of `number`: gives the value, which is known in its branch."""
        return self._make("one of", self._one_of(number, count))

    @contextlib.contextmanager
    def block(self, name: str) -> Iterator[None]:
        """`with k.block(name)`: statements in a block of their own, so that the names they declare are theirs."""
        self._check_can_write()
        block = self._begin(name)
        yield
        self.emit((For(Var(name), index(1), self._end(block), LoopKind.SERIAL),))

    @contextlib.contextmanager
    def when(self, condition: Expr) -> Iterator[None]:
        """`with k.when(condition)`: statements that run where a condition holds."""
        self._check_can_write()
        block = self._begin("if")
        yield
        self.emit((If(condition, self._end(block)),))

    # ── how loops are written ──

    def _loop(self, name: str, extent: Extent, kind: LoopKind, expects: str = "") -> Iterator[Expr]:
        count = known(extent)
        if count is not None and count <= 0:
            return
        block = self._begin(name)
        self._declare(name)
        yield index(0) if count == 1 else Var(name)
        stmts = self._end(block)
        if count != 1:
            whole = For(Var(name), index(extent), stmts, kind)
            self.emit(expecting(expects, (whole,)) if expects else (whole,))
        elif any(isinstance(stmt, Alloc | Let) for stmt in stmts):
            self.emit((For(Var(name), index(1), stmts, LoopKind.SERIAL),))
        else:
            self.emit(stmts)

    def _nest(self, names: Sequence[str], extents: Sequence[Extent]) -> Iterator[tuple[Expr, ...]]:
        if not names:
            yield ()
            return
        for first in self._loop(names[0], extents[0], LoopKind.SERIAL):
            for rest in self._nest(names[1:], extents[1:]):
                yield (first, *rest)

    def _collapse(self, name: str, extents: Sequence[Extent], kind: LoopKind) -> Iterator[tuple[Expr, ...]]:
        total: Extent = 1
        for extent in extents:
            total = total * extent
        for flat in self._loop(name, total, kind):
            yield split_index(flat, extents)

    def _tiles(self, name: str, extent: Extent, sizes: Sequence[int], kind: LoopKind) -> Iterator[Span]:
        start: Extent = 0
        for number, size in enumerate(sizes):
            count = (extent - start) // size
            its_name, its_kind = (name, kind) if number == 0 else (f"{name}_{size}", LoopKind.SERIAL)
            for at in self._loop(its_name, count, its_kind):
                yield Span(at * size + start, size)
            start = start + count * size
        covered = sizes[-1] == 1 if known(extent) is None else known(start) == known(extent)
        if not covered:
            _misuse(f"tiles {name!r} of sizes {tuple(sizes)} do not cover {known(extent) or 'every extent'}")

    def _vectors(self, size: int, lanes: int, name: str) -> Iterator[Expr]:
        for first, width in pieces(size, lanes):
            for lane in self._loop(name, width, LoopKind.VECTOR):
                yield lane + first

    def _vector_blocks(self, name: str, extent: Extent, lanes: int, kind: LoopKind) -> Iterator[Expr]:
        for start, size in self._tiles(f"{name}_block", extent, vector_sizes(lanes), kind):
            for lane in self._loop(name, size, LoopKind.VECTOR):
                yield start + lane

    def _one_of(self, number: Expr, count: int) -> Iterator[int]:
        if count <= 1:
            yield from range(count)
            return
        half = count // 2
        low = self._begin("one of")
        yield from self._one_of(number, half)
        below = self._end(low)
        high = self._begin("one of")
        for at in self._one_of(number - half, count - half):
            yield half + at
        self.emit((If(compare("lt", number, half), below, self._end(high)),))

    # ── what is open ──

    def _make(self, name: str, run: Iterator[T]) -> Loop[T]:
        self._check_can_write()
        loop: Loop[T] = Loop(self, name, run)
        self._pending = loop  # type: ignore[assignment]
        return loop

    def _enter(self, loop: Loop[T]) -> None:
        if self._pending is not loop:
            _misuse(f"the loop {loop.name!r} is gone through elsewhere than where it was made")
        self._pending = None

    def _begin(self, name: str) -> _Block:
        block = _Block(name)
        self._open.append(block)
        return block

    def _end(self, block: _Block) -> tuple[Stmt, ...]:
        inner = self._open[-1]
        if inner is not block:
            _misuse(
                f"the loop {inner.name!r} in {block.name!r} is still open: its body was left by break, return or an exception"
            )
        self._check_can_write()
        self._open.pop()
        self._ended.update(block.names)
        return tuple(block.stmts)

    def _declare(self, name: str) -> None:
        self._open[-1].names.append(name)
        self._ended.discard(name)

    def _check_is_visible(self, where: Expr) -> None:
        for node in walk(where):
            if isinstance(node, Var) and node.name in self._ended:
                _misuse(f"a store uses {node.name!r} behind the loop that it belongs to")

    def _check_can_write(self) -> None:
        if self._is_complete:
            _misuse("the statements of this builder were taken already; nothing can be added")
        if self._pending is not None:
            _misuse(f"the loop {self._pending.name!r} was made but not gone through: `for … in` is missing")


# Makes a loop, as `Builder.loop` does, of a name and an extent; some take only numbers.
MakeLoop = Callable[[Builder, str, Any], Iterable[Expr]]


def known(extent: Extent) -> int | None:
    """The value of an extent that is known while building, else None."""
    if isinstance(extent, int):
        return extent
    return int(extent.value) if isinstance(extent, Const) else None


def with_body(
    loops: Callable[[Builder], Iterable[T]], body: Callable[[T], Iterable[Stmt]]
) -> tuple[Stmt, ...]:
    """Statements of loops whose body is a function from what they give to its statements."""
    k = Builder()
    for each in loops(k):
        k.emit(body(each))
    return k.statements()


def _misuse(why: str) -> NoReturn:
    raise InternalError(f"kernel builder: {why}")
