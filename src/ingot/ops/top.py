"""The largest or smallest elements along an axis, in order."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.loops.define import Site, Template
from ingot.loops.nest import collapse, loop
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Bitcast,
    Const,
    Expr,
    Let,
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
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.reduce import normalise_axes
from ingot.tensor import DType, TensorType


def order_key(value: Expr, largest: bool) -> Expr:
    """An int64 that is larger the earlier a value comes. A NaN is larger than infinity; both zeros are equal."""
    dtype = value.dtype
    if dtype.is_float:
        if dtype is not DType.FLOAT64:
            value = cast(value, DType.FLOAT32)
        integer = DType.INT64 if value.dtype is DType.FLOAT64 else DType.INT32
        bits = Bitcast(value + 0.0, integer)
        # A negative number has the sign bit set; the other bits grow as it gets smaller.
        sign = Binary("shr", bits, Const(integer.bits - 1, integer))
        key: Expr = Binary("xor", bits, Binary("and", sign, Const(2 ** (integer.bits - 1) - 1, integer)))
    elif dtype is DType.UINT64:
        key = Bitcast(Binary("xor", value, Const(2**63, dtype)), DType.INT64)
    else:
        key = value
    key = cast(key, DType.INT64)
    return key if largest else Unary("not", key)


def top_template(x: TensorType, axis: int, count: int, largest: bool) -> Template:
    """The first `count` elements along an axis in falling (or rising) order, and their positions.

    Of equal elements the first comes first. Each pass looks for what follows the element found before, so that nothing is moved.
    """
    shape = tuple(count if part == axis else extent for part, extent in enumerate(x.shape))

    def build(site: Site) -> Sequence[Stmt]:
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
                    Let(key, order_key(site.read(0, *at(position)), largest)),
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

    outputs = (TensorType(x.dtype, shape), TensorType(DType.INT64, shape))
    return Template("top", (x,), outputs, build, {"axis": axis, "count": count, "largest": largest})


def _lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    (axis,) = normalise_axes(call_, [int(call_.attr("axis", -1))], x.rank)
    count = int(call_.constant(1, "k").reshape(-1)[0]) if call_.version >= 10 else int(call_.attr("k"))
    if x.rank == 0 or not 0 <= count <= x.shape[axis]:
        call_.unsupported(f"k={count} of {x.type} along axis {axis}")
    return emit.template(top_template(x.type, axis, count, bool(call_.attr("largest", 1))), [x])


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "TopK", 1, _lower),
    OpDef("", "TopK", 10, _lower, constant_inputs=(1,)),
)
