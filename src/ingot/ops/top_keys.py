"""The first elements along an axis in order, of types whose keys need 64 bits: keys and positions are kept apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ingot.loops.define import Site
from ingot.loops.nest import collapse, flat_index, loop
from ingot.loops.nodes import (
    LOCAL_BYTES_MAX,
    Alloc,
    Binary,
    Buffer,
    Expr,
    If,
    Let,
    Load,
    Operand,
    Stmt,
    Store,
    Var,
    buffer,
    cast,
    compare,
    index,
    select,
)
from ingot.tensor import DType, TensorType


def by_keys(site: Site, x: TensorType, axis: int, count: int, order: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
    """One pass that keeps the `count` elements with the largest keys and their positions. `order` makes a key, an int64 or int32,
    of an element; of equal ones the first comes first.
    """
    outer = [part for part in range(len(x.shape)) if part != axis]
    rows = [x.shape[part] for part in outer]
    local = 2 * count * DType.INT64.size_bytes <= LOCAL_BYTES_MAX // 2
    shape = (count,) if local else (math.prod(rows), count)
    made: Callable[[str], Buffer] = (
        (lambda name: buffer(name, DType.INT64, shape)) if local else (lambda name: site.workspace(name, DType.INT64, shape))
    )
    keys, places = made("keys"), made("places")

    def row(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        fixed = dict(zip(outer, where, strict=True))

        def at(position: Operand) -> list[Expr]:
            return [index(position) if part == axis else fixed[part] for part in range(len(x.shape))]

        def slot(number: Operand) -> tuple[Expr, ...]:
            return (index(number),) if local else (flat_index(where, rows), index(number))

        def put(key: Expr, position: Expr, partly: bool) -> Sequence[Stmt]:
            """Moves those that the new one beats one on. `partly`: some places may be free still, their position is -1."""

            def beats(number: Operand) -> Expr:
                better = compare("gt", key, Load(keys, slot(number)))
                return Binary("or", compare("lt", Load(places, slot(number)), 0), better) if partly else better

            def move(back: Expr) -> Sequence[Stmt]:
                number = index(count - 1) - back
                shifted, here = Var("shifted", DType.BOOL), Var("here", DType.BOOL)
                stmts: list[Stmt] = [Let(shifted, beats(number - 1)), Let(here, beats(number))]
                for kept, new in ((keys, key), (places, position)):
                    stays = select(here, new, Load(kept, slot(number)))
                    stmts.append(Store(kept, slot(number), select(shifted, Load(kept, slot(number - 1)), stays)))
                return stmts

            first = Store(keys, slot(0), key), Store(places, slot(0), position)
            return (*loop("back", count - 1, move), If(beats(0), first))

        key, found = Var("key"), Var("found")

        def begin(position: Expr) -> Sequence[Stmt]:
            return (Let(key, _wide(order(site.read(0, *at(position))))), *put(key, position, True))

        def consider(number: Expr) -> Sequence[Stmt]:
            position = number + count
            larger = compare("gt", key, Load(keys, slot(count - 1)))
            return (Let(key, _wide(order(site.read(0, *at(position))))), If(larger, tuple(put(key, position, False))))

        def finish(rank: Expr) -> Sequence[Stmt]:
            value = site.read(0, *at(found))
            return (Let(found, Load(places, slot(rank))), *site.write(0, at(rank), value), *site.write(1, at(rank), found))

        return (
            *((Alloc(keys), Alloc(places)) if local else ()),
            *loop("free", count, lambda number: (Store(places, slot(number), index(-1)), Store(keys, slot(number), index(0)))),
            *loop("first", count, begin),
            *loop("next", x.shape[axis] - count, consider),
            *loop("rank", count, finish),
        )

    return collapse("row", rows, row)


def _wide(key: Expr) -> Expr:
    return cast(key, DType.INT64)
