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
    load,
    select,
    store,
)
from ingot.tensor import DType, TensorType

_INSERTED_MOST = 32  # with more, a heap takes fewer steps


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

        local_ones = (Alloc(keys), Alloc(places)) if local else ()
        if count > _INSERTED_MOST:
            heap = _heap(keys, places, slot, count, x.shape[axis], lambda position: _wide(order(site.read(0, *at(position)))))
            return (*local_ones, *heap, *loop("rank", count, finish))
        return (
            *local_ones,
            *loop("free", count, lambda number: (Store(places, slot(number), index(-1)), Store(keys, slot(number), index(0)))),
            *loop("first", count, begin),
            *loop("next", x.shape[axis] - count, consider),
            *loop("rank", count, finish),
        )

    return collapse("row", rows, row)


def _heap(
    keys: Buffer,
    places: Buffer,
    slot: Callable[[Operand], tuple[Expr, ...]],
    count: int,
    extent: int,
    key_at: Callable[[Expr], Expr],
) -> tuple[Stmt, ...]:
    """Keys and positions are a heap with the last of those kept on top; in the end the last ones are taken off, each to the end
    of what is left.
    """
    hole = buffer("hole", DType.INT64, (1,))
    key, place = Var("key"), Var("place")
    here = load(hole, 0)

    def behind(one: tuple[Expr, Expr], other: tuple[Expr, Expr]) -> Expr:
        """Whether one element comes behind another: its key is less, or equal and its position larger."""
        equal = Binary("and", compare("eq", one[0], other[0]), compare("gt", one[1], other[1]))
        return Binary("or", compare("lt", one[0], other[0]), equal)

    def kept(number: Expr) -> tuple[Expr, Expr]:
        return Load(keys, slot(number)), Load(places, slot(number))

    def put(number: Operand, pair: tuple[Expr, Expr]) -> tuple[Stmt, ...]:
        return Store(keys, slot(number), pair[0]), Store(places, slot(number), pair[1])

    def sink(new: tuple[Expr, Expr], start: Expr, size: Expr) -> tuple[Stmt, ...]:
        """Puts an element into the heap of `size`, at `start` or below."""
        child, less = Var("child"), (Var("child_key"), Var("child_place"))
        left = here * 2 + 1

        def level(_: Expr) -> Sequence[Stmt]:
            right = select(compare("lt", left + 1, size), behind(kept(left + 1), kept(left)), False)
            down = (
                Let(child, select(right, left + 1, left)),
                Let(less[0], Load(keys, slot(child))),
                Let(less[1], Load(places, slot(child))),
                If(behind(less, new), (*put(here, less), store(hole, (0,), child))),
            )
            return (If(compare("lt", left, size), down),)

        return (store(hole, (0,), start), *loop("level", (count - 1).bit_length(), level), *put(here, new))

    def named(pair: tuple[Expr, Expr]) -> tuple[Stmt, ...]:
        return Let(key, pair[0]), Let(place, pair[1])

    def order(number: Expr) -> Sequence[Stmt]:
        start = index(count // 2 - 1) - number
        return (*named(kept(start)), *sink((key, place), start, index(count)))

    def consider(number: Expr) -> Sequence[Stmt]:
        position = number + count
        better = compare("gt", key, Load(keys, slot(0)))  # of equal keys the first stays
        return (Let(key, key_at(position)), If(better, sink((key, position), index(0), index(count))))

    def take_off(number: Expr) -> Sequence[Stmt]:
        last = index(count - 1) - number
        top = (Var("top_key"), Var("top_place"))
        lets = (Let(top[0], Load(keys, slot(0))), Let(top[1], Load(places, slot(0))))
        return (*lets, *named(kept(last)), *sink((key, place), index(0), last), *put(last, top))

    return (
        Alloc(hole),
        *loop("start", count, lambda number: put(number, (key_at(number), number))),
        *loop("order", count // 2, order),
        *loop("next", extent - count, consider),
        *loop("taken", count - 1, take_off),
    )


def _wide(key: Expr) -> Expr:
    return cast(key, DType.INT64)
