"""The largest or smallest elements along an axis, in order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType, TensorType
from ingot.kernels.algorithm import FOR_PROCESSORS, Algorithm, Estimate, build, why_not
from ingot.kernels.reduce.reduce import highest, lowest
from ingot.kernels.template import Folded, Site, Template, each_but
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
    outputs = (TensorType(x.dtype, shape), TensorType(DType.INT64, shape))
    return Template(
        "top",
        (x,),
        outputs,
        lambda site: build(site, FAMILY, TopK(x, axis, count, largest), TOPK),
        {"axis": axis, "count": count, "largest": largest},
        independent=each_but(x.rank, axis, outputs=2),
        folded=(
            Folded(
                (axis,),
                (None, None),
                lowest(x.dtype) if largest else highest(x.dtype),
                minimum=count,
                is_numbered=True,
                picked=(axis, axis),
            ),
        ),
    )


@dataclass(frozen=True, slots=True)
class TopK:
    """The first `count` elements along an axis in falling (`largest`) or rising order."""

    x: TensorType
    axis: int
    count: int
    largest: bool

    @property
    def in_words(self) -> bool:
        """Whether an element's key and position fit one number of 64 bits together."""
        return _key_type(self.x.dtype) is DType.INT32 and self.x.shape[self.axis] < 2**32

    def order(self, value: Expr) -> Expr:
        return order_key(value, self.largest)


def _refuses(site: Site, problem: TopK) -> str:
    return why_not(
        (site.machine.grid, FOR_PROCESSORS),
        (problem.count < 1, "there is nothing to find"),
    )


def _refuses_list(site: Site, problem: TopK) -> str:
    return _refuses(site, problem) or why_not(
        (
            sorted_list(site, problem.count, not problem.in_words) is None,
            f"{problem.count} are too many for a list",
        )
    )


def _unless_one(_site: Site, problem: TopK) -> Estimate:
    """One of 64 bits is found by a pass as soon."""
    pays = problem.in_words or problem.count > 1
    return Estimate(pays, worth_measuring=pays)


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


def _by_words(site: Site, problem: TopK) -> Sequence[Stmt]:
    """An element's key and position are one number, so that all are different; a few of them are kept in a list."""
    x, axis, count, order = problem.x, problem.axis, problem.count, problem.order
    listed = sorted_list(site, count, with_places=False)
    assert listed is not None, "a list that would be too long is refused"
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
            *each_above(site.machine.tuning.topk, count, x.shape[axis], lanes, key, above, visit),
            *finish(lambda rank: index(_LOW) - Binary("and", listed.key(rank), index(_LOW))),
        )

    return _each_row(site, x, axis, count, find)


def _by_keys(site: Site, problem: TopK) -> Sequence[Stmt]:
    """A few elements' keys and positions are kept in two lists: where both together need more than 64 bits."""
    x, axis, count, order = problem.x, problem.axis, problem.count, problem.order
    listed = sorted_list(site, count, with_places=True)
    assert listed is not None, "a list that would be too long is refused"
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
                site.machine.tuning.topk,
                count,
                x.shape[axis],
                lanes,
                key,
                lambda block_max: compare("gt", block_max, worst),
                visit,
            ),
            *finish(listed.place),
        )

    return _each_row(site, x, axis, count, find)


def _by_selection(site: Site, problem: TopK) -> Sequence[Stmt]:
    """Many are put aside, and cut down to those wanted."""
    x, axis, count, order = problem.x, problem.axis, problem.count, problem.order
    adjoin = _adjoin(site, x, axis)
    rows = math.prod(extent for part, extent in enumerate(x.shape) if part != axis)
    selected = selection(site, rows, count, x.shape[axis], _key_type(x.dtype))

    def find(row: Expr, element: Callable[[Expr], Expr], finish: Finish) -> Sequence[Stmt]:
        stmts, place = selected.find(row, lambda position: order(element(position)), adjoin)
        return (*stmts, *finish(place))

    return _each_row(site, x, axis, count, find)


# ─── a pass for each result ────────────────────────────────────────────────────────────────────────────────────────────


def _by_passes(site: Site, problem: TopK) -> Sequence[Stmt]:
    """Each pass looks for what follows the element found before, so that nothing is moved or kept."""
    x, axis, count, largest = problem.x, problem.axis, problem.count, problem.largest
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


def _by_list(site: Site, problem: TopK) -> Sequence[Stmt]:
    return _by_words(site, problem) if problem.in_words else _by_keys(site, problem)


SORTED_LIST = Algorithm("sorted_list", _by_list, _refuses_list, estimate=_unless_one)
SELECTION = Algorithm("selection", _by_selection, _refuses, estimate=_unless_one)
# It looks at all elements once more for each that is found.
PASSES = Algorithm("passes", _by_passes, estimate=lambda *_: Estimate(True, worth_measuring=False))
FAMILY = "topk"
TOPK = (SORTED_LIST, SELECTION, PASSES)
