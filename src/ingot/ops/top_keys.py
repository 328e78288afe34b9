"""The first elements along an axis in order, of types whose keys need 64 bits: keys and positions are kept apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ingot.loops.define import Site
from ingot.loops.nest import collapse, contiguous_axis, flat_index, loop
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
from ingot.ops.top_sorted import each_above, sorted_list
from ingot.tensor import DType, TensorType


def by_keys(site: Site, x: TensorType, axis: int, count: int, order: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
    """One pass that keeps the `count` elements with the largest keys and their positions. `order` makes a key, an int64 or int32,
    of an element; of equal ones the first comes first.
    """
    outer = [part for part in range(len(x.shape)) if part != axis]
    rows = [x.shape[part] for part in outer]
    lanes = site.machine.lanes(DType.INT64) if contiguous_axis(site.input(0).strides, x.shape) == axis else 1
    listed = sorted_list(site, count, with_places=True)
    local = 2 * count * DType.INT64.size_bytes <= LOCAL_BYTES_MAX // 2
    shape = (count,) if local else (math.prod(rows), count)
    keys, places = (
        buffer(name, DType.INT64, shape) if local or listed is not None else site.workspace(name, DType.INT64, shape)
        for name in ("keys", "places")
    )

    def row(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        fixed = dict(zip(outer, where, strict=True))

        def at(position: Operand) -> list[Expr]:
            return [index(position) if part == axis else fixed[part] for part in range(len(x.shape))]

        def slot(number: Operand) -> tuple[Expr, ...]:
            return (index(number),) if local else (flat_index(where, rows), index(number))

        def key_at(position: Expr) -> Expr:
            return cast(order(site.read(0, *at(position))), DType.INT64)

        def scan(worst: Expr, better: Callable[[Expr, Expr], Sequence[Stmt]]) -> tuple[Stmt, ...]:
            """Does something with the keys behind the first `count` that are larger than `worst`, which only grows."""

            def one(position: Expr) -> Sequence[Stmt]:
                key = Var("key")
                return (Let(key, key_at(position)), If(compare("gt", key, worst), tuple(better(key, position))))

            return each_above(count, x.shape[axis], lanes, key_at, lambda most: compare("gt", most, worst), one)

        def finish(place: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
            found = Var("found")

            def write(rank: Expr) -> Sequence[Stmt]:
                value = site.read(0, *at(found))
                return (Let(found, place(rank)), *site.write(0, at(rank), value), *site.write(1, at(rank), found))

            return loop("rank", count, write)

        if listed is not None:
            key = Var("key")
            return (
                *listed.begin(),
                *loop("first", count, lambda at: (Let(key, key_at(at)), *listed.put(key, at, at))),
                *scan(listed.key(count - 1), listed.put),
                *finish(listed.place),
            )
        heap = _heap(keys, places, slot, count, key_at, scan)
        return (*((Alloc(keys), Alloc(places)) if local else ()), *heap, *finish(lambda rank: Load(places, slot(rank))))

    return collapse("row", rows, row)


def _heap(
    keys: Buffer,
    places: Buffer,
    slot: Callable[[Operand], tuple[Expr, ...]],
    count: int,
    key_at: Callable[[Expr], Expr],
    scan: Callable[[Expr, Callable[[Expr, Expr], Sequence[Stmt]]], tuple[Stmt, ...]],
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

    def take_off(number: Expr) -> Sequence[Stmt]:
        last = index(count - 1) - number
        top = (Var("top_key"), Var("top_place"))
        lets = (Let(top[0], Load(keys, slot(0))), Let(top[1], Load(places, slot(0))))
        return (*lets, *named(kept(last)), *sink((key, place), index(0), last), *put(last, top))

    return (
        Alloc(hole),
        *loop("start", count, lambda number: put(number, (key_at(number), number))),
        *loop("order", count // 2, order),
        # Of equal keys the first stays.
        *scan(Load(keys, slot(0)), lambda key, position: sink((key, position), index(0), index(count))),
        *loop("taken", count - 1, take_off),
    )
