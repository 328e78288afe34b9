"""The largest or smallest elements along an axis, in order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ingot.loops.define import Site, Template
from ingot.loops.nest import collapse, contiguous_axis, loop, split_index
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Buffer,
    Const,
    Expr,
    If,
    Let,
    Load,
    LoopKind,
    Operand,
    Stmt,
    Store,
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
from ingot.ops import top_batches
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.reduce import normalise_axes
from ingot.ops.top_keys import by_keys
from ingot.ops.top_sorted import Sorted, each_above, sorted_list
from ingot.tensor import DType, TensorType


def order_key(value: Expr, largest: bool) -> Expr:
    """A signed integer that is larger the earlier a value comes: of 32 bits where they suffice, else of 64. A NaN is larger than
    infinity; both zeros are equal.
    """
    dtype, integer = value.dtype, _key_type(value.dtype)
    if dtype.is_float:
        number = value if dtype is DType.FLOAT64 else cast(value, DType.FLOAT32)
        bits = Bitcast(number + 0.0, integer)
        # A negative number has the sign bit set; the other bits grow as it gets smaller.
        sign = Binary("shr", bits, Const(integer.bits - 1, integer))
        key: Expr = Binary("xor", bits, Binary("and", sign, Const(2 ** (integer.bits - 1) - 1, integer)))
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
    words = _key_type(x.dtype) is DType.INT32 and x.shape[axis] < 2**32 and count > 0

    def build(site: Site) -> Sequence[Stmt]:
        if words and not site.machine.grid:
            return _by_words(site, x, axis, count, largest)
        if count > 1 and not site.machine.grid:
            return by_keys(site, x, axis, count, lambda value: order_key(value, largest))
        return _by_passes(site, x, axis, count, largest)

    outputs = (TensorType(x.dtype, shape), TensorType(DType.INT64, shape))
    return Template("top", (x,), outputs, build, {"axis": axis, "count": count, "largest": largest})


# ─── one pass, with a word for each element ────────────────────────────────────────────────────────────────────────────

_LOCAL_MOST = 1024
_LOW = 2**32 - 1


def _by_words(site: Site, x: TensorType, axis: int, count: int, largest: bool) -> Sequence[Stmt]:
    """An element's key and position are one number, so that all are different. One pass keeps the `count` largest of them: few in
    a list, more in batches, many in a heap.
    """
    outer = [part for part in range(x.rank) if part != axis]
    rows = [x.shape[part] for part in outer]
    lanes = site.machine.lanes(DType.INT32) if contiguous_axis(site.input(0).strides, x.shape) == axis else 1
    batched = top_batches.suits(count, x.shape[axis], site.machine.lanes(DType.INT64))
    listed = None if batched else sorted_list(site, count, with_places=False)
    local = count <= _LOCAL_MOST
    kept = None
    if listed is None and not batched:
        kept = buffer("kept", DType.INT64, (count,)) if local else site.workspace("kept", DType.INT64, (math.prod(rows), count))

    def row(flat: Expr) -> Sequence[Stmt]:
        fixed = dict(zip(outer, split_index(flat, rows), strict=True))

        def at(position: Operand) -> list[Expr]:
            return [index(position) if part == axis else fixed[part] for part in range(x.rank)]

        def key(position: Expr) -> Expr:
            return order_key(site.read(0, *at(position)), largest)

        def word(position: Expr) -> Expr:
            return Binary("or", Binary("shl", cast(key(position), DType.INT64), index(32)), index(_LOW) - position)

        def scan(worst: Expr, better: Callable[[Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
            """Does something with the words behind the first `count` that are larger than `worst`, which only grows."""

            def above(most: Expr) -> Expr:
                return compare("gt", most, cast(Binary("shr", worst, index(32)), DType.INT32))

            def one(position: Expr) -> Sequence[Stmt]:
                new = Var("new")
                return (Let(new, word(position)), If(compare("gt", new, worst), tuple(better(new))))

            return each_above(count, x.shape[axis], lanes, key, above, one)

        def finish(ranked: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
            found = Var("found")

            def write(rank: Expr) -> Sequence[Stmt]:
                position = index(_LOW) - Binary("and", ranked(rank), index(_LOW))
                element = site.read(0, *at(found))
                return (Let(found, position), *site.write(0, at(rank), element), *site.write(1, at(rank), found))

            return loop("rank", count, write)

        if batched:
            found, ranked = top_batches.largest(count, x.shape[axis], site.machine.lanes(DType.INT64), lanes, key, word)
            return (*found, *finish(ranked))
        if listed is not None:
            return (*_insert(listed, word, scan, count), *finish(listed.key))
        assert kept is not None

        def where(place: Operand) -> tuple[Expr, ...]:
            return (index(place),) if local else (flat, index(place))

        heap = _heap(kept, where, word, scan, count)
        return (*((Alloc(kept),) if local else ()), *heap, *finish(lambda rank: Load(kept, where(rank))))

    return loop("row", math.prod(rows), row, LoopKind.PARALLEL)


Where = Callable[[Operand], tuple[Expr, ...]]
Scan = Callable[[Expr, Callable[[Expr], Sequence[Stmt]]], tuple[Stmt, ...]]


def _insert(listed: Sorted, word: Callable[[Expr], Expr], scan: Scan, count: int) -> tuple[Stmt, ...]:
    """The numbers are kept in falling order."""
    new, none = Var("new"), index(0)
    return (
        *listed.begin(),
        *loop("first", count, lambda position: (Let(new, word(position)), *listed.put(new, none, position))),
        *scan(listed.key(count - 1), lambda new: listed.put(new, none)),
    )


def _heap(kept: Buffer, where: Where, word: Callable[[Expr], Expr], scan: Scan, count: int) -> tuple[Stmt, ...]:
    """The numbers are a heap with the least one on top; in the end the least are taken off, each to the end of what is left."""
    hole = buffer("hole", DType.INT64, (1,))
    new = Var("new")

    def sink(new: Expr, start: Expr, size: Expr) -> tuple[Stmt, ...]:
        """Puts `new` into the heap of `size` numbers, at `start` or below. Once it is large enough nothing moves any more."""
        child, value = Var("child"), Var("value")
        left = load(hole, 0) * 2 + 1

        def level(_: Expr) -> Sequence[Stmt]:
            less = compare("lt", Load(kept, where(left + 1)), Load(kept, where(left)))
            right = select(compare("lt", left + 1, size), less, False)
            down = (
                Let(child, select(right, left + 1, left)),
                Let(value, Load(kept, where(child))),
                If(compare("lt", value, new), (Store(kept, where(load(hole, 0)), value), store(hole, (0,), child))),
            )
            return (If(compare("lt", left, size), down),)

        levels = (count - 1).bit_length()
        return (store(hole, (0,), start), *loop("level", levels, level), Store(kept, where(load(hole, 0)), new))

    whole = index(count)
    half = count // 2
    top = Load(kept, where(0))

    def order(number: Expr) -> Sequence[Stmt]:
        start = index(half - 1) - number
        return (Let(new, Load(kept, where(start))), *sink(new, start, whole))

    def take_off(number: Expr) -> Sequence[Stmt]:
        last, least = index(count - 1) - number, Var("least")
        return (
            Let(least, top),
            Let(new, Load(kept, where(last))),
            *sink(new, index(0), last),
            Store(kept, where(last), least),
        )

    return (
        Alloc(hole),
        *loop("start", count, lambda place: (Store(kept, where(place), word(place)),)),
        *loop("order", half, order),
        *scan(top, lambda new: sink(new, index(0), whole)),
        *loop("taken", count - 1, take_off),
    )


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
            found = Var("found")
            return (
                store(best, (0,), 0),
                store(best, (1,), -1),
                *loop("position", x.shape[axis], consider),
                Let(found, load(best, 1)),
                store(last, (0,), load(best, 0)),
                store(last, (1,), found),
                *site.write(0, at(rank), site.read(0, *at(found))),
                *site.write(1, at(rank), found),
            )

        return (
            Alloc(best),
            Alloc(last),
            store(last, (0,), 0),
            store(last, (1,), -1),
            *loop("rank", count, place),
        )

    return collapse("row", [x.shape[part] for part in outer], row)


def _lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    (axis,) = normalise_axes(call_, [int(call_.attr("axis", -1))], x.rank)
    count = int(call_.one(1, "k")) if call_.version >= 10 else int(call_.attr("k"))
    if x.rank == 0 or not 0 <= count <= x.shape[axis]:
        call_.unsupported(f"k={count} of {x.type} along axis {axis}")
    return emit.template(top_template(x.type, axis, count, bool(call_.attr("largest", 1))), [x])


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "TopK", 1, _lower),
    OpDef("", "TopK", 10, _lower, constant_inputs=(1,)),
)
