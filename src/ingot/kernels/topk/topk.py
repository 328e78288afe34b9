"""The largest or smallest elements along an axis, in order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.template import Site, Template
from ingot.kernels.topk.select import selection
from ingot.kernels.topk.sorted_list import each_above, sorted_list
from ingot.loops.build.nest import collapse, contiguous_axis, loop, split_index
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Const,
    Expr,
    If,
    Let,
    LoopKind,
    Operand,
    Stmt,
    Unary,
    Var,
    buffer,
    cast,
    compare,
    index,
    load,
    select,
    store,
)


def order_key(value: Expr, largest: bool) -> Expr:
    """A signed integer that is larger the earlier a value comes: of 32 bits where they suffice, else of 64. A NaN is larger than
    infinity, whatever its sign; both zeros are equal.
    """
    dtype, integer = value.dtype, _key_type(value.dtype)
    if dtype.is_float:
        number = value if dtype is DType.FLOAT64 else cast(value, DType.FLOAT32)
        bits = Bitcast(number + 0.0, integer)
        # A negative number has the sign bit set; the other bits grow as it gets smaller.
        sign, highest = (
            Binary("shr", bits, Const(integer.bits - 1, integer)),
            Const(2 ** (integer.bits - 1) - 1, integer),
        )
        ordered = Binary("xor", bits, Binary("and", sign, highest))
        # NaNs are at both ends: those with the sign of a negative number, as an x86 makes them, wrap round to the others.
        digits = 52 if dtype is DType.FLOAT64 else 23
        key: Expr = ordered - Const(2**digits - 1, integer)
    elif dtype is DType.UINT64:
        key = Bitcast(Binary("xor", value, Const(2**63, dtype)), integer)
    else:
        key = cast(value, integer)
    return key if largest else Unary("not", key)


def _key_type(dtype: DType) -> DType:
    return DType.INT64 if dtype.size_bytes > 4 or dtype is DType.UINT32 else DType.INT32


def top_template(x: TensorType, axis: int, count: int, largest: bool) -> Template:
    """The first `count` elements along an axis in falling (or rising) order, and their positions. Of equal ones the first comes
    first.
    """
    shape = tuple(count if part == axis else extent for part, extent in enumerate(x.shape))
    words = _key_type(x.dtype) is DType.INT32 and x.shape[axis] < 2**32

    def build(site: Site) -> Sequence[Stmt]:
        if count < (1 if words else 2) or site.machine.grid:
            return _by_passes(site, x, axis, count, largest)

        def order(value: Expr) -> Expr:
            return order_key(value, largest)

        listed = (_by_words if words else _by_keys)(site, x, axis, count, order)
        return listed if listed is not None else _by_selection(site, x, axis, count, order)

    outputs = (TensorType(x.dtype, shape), TensorType(DType.INT64, shape))
    return Template("top", (x,), outputs, build, {"axis": axis, "count": count, "largest": largest})


# ─── one pass ──────────────────────────────────────────────────────────────────────────────────────────────────────────

_LOW = 2**32 - 1
Finish = Callable[[Callable[[Expr], Expr]], tuple[Stmt, ...]]


def _each_row(
    site: Site,
    x: TensorType,
    axis: int,
    count: int,
    find: Callable[[Expr, Callable[[Expr], Expr], Finish], Sequence[Stmt]],
) -> tuple[Stmt, ...]:
    """`find(row, element, finish)` for every row; `finish` takes a function from rank to position and writes the results."""
    outer = [part for part in range(x.rank) if part != axis]
    rows = [x.shape[part] for part in outer]

    def row(flat: Expr) -> Sequence[Stmt]:
        fixed = dict(zip(outer, split_index(flat, rows), strict=True))

        def at(position: Expr) -> list[Expr]:
            return [position if part == axis else fixed[part] for part in range(x.rank)]

        def finish(place: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
            chosen = Var("found")

            def write(rank: Expr) -> Sequence[Stmt]:
                element = site.read(0, *at(chosen))
                return (
                    Let(chosen, place(rank)),
                    *site.write(0, at(rank), element),
                    *site.write(1, at(rank), chosen),
                )

            return loop("rank", count, write)

        return find(flat, lambda position: site.read(0, *at(position)), finish)

    return loop("row", math.prod(rows), row, LoopKind.PARALLEL)


def _adjoin(site: Site, x: TensorType, axis: int) -> bool:
    """Whether neighbours along the axis lie side by side."""
    return contiguous_axis(site.input(0).strides, x.shape) == axis


def _by_words(
    site: Site, x: TensorType, axis: int, count: int, order: Callable[[Expr], Expr]
) -> Sequence[Stmt] | None:
    """An element's key and position are one number, so that all are different; a few of them are kept in a list."""
    listed = sorted_list(site, count, with_places=False)
    if listed is None:
        return None
    lanes = site.machine.lanes(DType.INT32) if _adjoin(site, x, axis) else 1

    def find(_: Expr, element: Callable[[Expr], Expr], finish: Finish) -> Sequence[Stmt]:
        new, none, worst = Var("new"), index(0), listed.key(count - 1)

        def key(position: Expr) -> Expr:
            return order(element(position))

        def word(position: Expr) -> Expr:
            return Binary(
                "or", Binary("shl", cast(key(position), DType.INT64), index(32)), index(_LOW) - position
            )

        def above(block_max: Expr) -> Expr:
            return compare("gt", block_max, cast(Binary("shr", worst, index(32)), DType.INT32))

        def visit(position: Expr) -> Sequence[Stmt]:
            return (Let(new, word(position)), If(compare("gt", new, worst), listed.put(new, none)))

        return (
            *listed.begin(),
            *loop(
                "first", count, lambda position: (Let(new, word(position)), *listed.put(new, none, position))
            ),
            *each_above(count, x.shape[axis], lanes, key, above, visit),
            *finish(lambda rank: index(_LOW) - Binary("and", listed.key(rank), index(_LOW))),
        )

    return _each_row(site, x, axis, count, find)


def _by_keys(
    site: Site, x: TensorType, axis: int, count: int, order: Callable[[Expr], Expr]
) -> Sequence[Stmt] | None:
    """A few elements' keys and positions are kept in two lists: where both together need more than 64 bits."""
    listed = sorted_list(site, count, with_places=True)
    if listed is None:
        return None
    lanes = site.machine.lanes(DType.INT64) if _adjoin(site, x, axis) else 1

    def find(_: Expr, element: Callable[[Expr], Expr], finish: Finish) -> Sequence[Stmt]:
        new, worst = Var("key"), listed.key(count - 1)

        def key(position: Expr) -> Expr:
            return cast(order(element(position)), DType.INT64)

        def visit(position: Expr) -> Sequence[Stmt]:
            return (Let(new, key(position)), If(compare("gt", new, worst), listed.put(new, position)))

        return (
            *listed.begin(),
            *loop("first", count, lambda at: (Let(new, key(at)), *listed.put(new, at, at))),
            *each_above(
                count, x.shape[axis], lanes, key, lambda block_max: compare("gt", block_max, worst), visit
            ),
            *finish(listed.place),
        )

    return _each_row(site, x, axis, count, find)


def _by_selection(
    site: Site, x: TensorType, axis: int, count: int, order: Callable[[Expr], Expr]
) -> Sequence[Stmt]:
    """Many are put aside, and cut down to those wanted."""
    adjoin = _adjoin(site, x, axis)
    rows = math.prod(extent for part, extent in enumerate(x.shape) if part != axis)
    selected = selection(site, rows, count, x.shape[axis], _key_type(x.dtype))

    def find(row: Expr, element: Callable[[Expr], Expr], finish: Finish) -> Sequence[Stmt]:
        stmts, place = selected.find(row, lambda position: order(element(position)), adjoin)
        return (*stmts, *finish(place))

    return _each_row(site, x, axis, count, find)


# ─── a pass for each result ────────────────────────────────────────────────────────────────────────────────────────────


def _by_passes(site: Site, x: TensorType, axis: int, count: int, largest: bool) -> Sequence[Stmt]:
    """Each pass looks for what follows the element found before, so that nothing is moved or kept."""
    outer = [part for part in range(x.rank) if part != axis]
    best = buffer("best", DType.INT64, (2,))  # key, position
    last = buffer("last", DType.INT64, (2,))

    def row(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        fixed = dict(zip(outer, where, strict=True))

        def at(position: Operand) -> list[Expr]:
            return [index(position) if part == axis else fixed[part] for part in range(x.rank)]

        def consider(position: Expr) -> Sequence[Stmt]:
            key, wins = Var("key"), Var("wins", DType.BOOL)
            behind = Binary("and", compare("eq", key, load(last, 0)), compare("gt", position, load(last, 1)))
            follows = Binary("or", compare("lt", key, load(last, 0)), behind)
            begins = compare("lt", load(last, 1), 0)
            better = Binary("or", compare("lt", load(best, 1), 0), compare("gt", key, load(best, 0)))
            return (
                Let(key, cast(order_key(site.read(0, *at(position)), largest), DType.INT64)),
                Let(wins, Binary("and", Binary("or", begins, follows), better)),
                store(best, (0,), select(wins, key, load(best, 0))),
                store(best, (1,), select(wins, position, load(best, 1))),
            )

        def place(rank: Expr) -> Sequence[Stmt]:
            chosen = Var("found")
            return (
                store(best, (0,), 0),
                store(best, (1,), -1),
                *loop("position", x.shape[axis], consider),
                Let(chosen, load(best, 1)),
                store(last, (0,), load(best, 0)),
                store(last, (1,), chosen),
                *site.write(0, at(rank), site.read(0, *at(chosen))),
                *site.write(1, at(rank), chosen),
            )

        return (
            Alloc(best),
            Alloc(last),
            store(last, (0,), 0),
            store(last, (1,), -1),
            *loop("rank", count, place),
        )

    return collapse("row", [x.shape[part] for part in outer], row)
