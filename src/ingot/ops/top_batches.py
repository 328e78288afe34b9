"""The largest of many numbers in order, by batches: what is larger than the last one found so far is put aside; a full batch is
sorted and merged with those found.

What is put aside, sorted and merged is so without branches, which no processor would foresee: a number costs some 40 cycles on
Zen 3, in a heap, or in a list with places for a hundred, 200.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.loops.nest import fold_row, loop, power_of_two_below, vector_blocks, vectors_of
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Buffer,
    Const,
    Expr,
    If,
    Let,
    Stmt,
    Var,
    buffer,
    cast,
    compare,
    index,
    load,
    maximum,
    minimum,
    select,
    store,
)
from ingot.tensor import DType

_BLOCK = 32  # numbers that are looked at together
_BATCH_LEAST, _BATCH_MOST = 64, 256
_RUN = 16  # numbers that are sorted by counting, for each, how many are larger
_LEAST = -(2**63)
_LIST_VECTORS, _LIST_LEAST = 4, 16  # what a list holds is found as quickly with it, or more so
_COUNT_MOST = 512  # of more there would be too much on the stack


def suits(count: int, extent: int, lanes: int) -> bool:
    """Whether that many of `extent` numbers are found sooner by batches. `lanes`: int64 in a vector."""
    return max(_LIST_VECTORS * lanes, _LIST_LEAST) < count <= _COUNT_MOST and _BLOCK <= extent < 2**31


def largest(
    count: int,
    extent: int,
    lanes: int,
    lanes_of_keys: int,
    key: Callable[[Expr], Expr],
    word: Callable[[Expr], Expr],
) -> tuple[tuple[Stmt, ...], Callable[[Expr], Expr]]:
    """Statements that find the `count` largest of `word(0) … word(extent - 1)`, and a function from rank to number.

    Args:
        count: how many to find.
        extent: how many numbers there are; `suits` says yes.
        lanes: int64 in a vector.
        lanes_of_keys: keys in a vector; 1 where they do not adjoin.
        key: the upper half of a number, an int32.
        word: a number, an int64. All are different, and at least `_BATCH_MOST` above the least of all.
    """
    size = min(max(_BATCH_LEAST, 2 * power_of_two_below(count - 1)), _BATCH_MOST)
    found, merged = (buffer(name, DType.INT64, (count,)) for name in ("kept", "merged"))
    batch, other = (buffer(name, DType.INT64, (size + 1,)) for name in ("batch", "other"))
    filled = buffer("filled", DType.INT64, (1,))
    worst = load(found, count - 1)
    blocks, rest = divmod(extent, _BLOCK)

    def put(position: Expr) -> tuple[Stmt, ...]:
        new, place = Var("new"), load(filled, 0)
        more = select(compare("gt", new, worst), place + 1, place)
        return (Let(new, word(position)), store(batch, (place,), new), store(filled, (0,), more))

    def block(number: Expr) -> tuple[Stmt, ...]:
        first = number * _BLOCK + rest
        puts = loop("position", _BLOCK, lambda at: put(first + at))
        if lanes_of_keys > 1:
            lowest = Const(-(2**31), DType.INT32)
            fold, most = fold_row("most", _BLOCK, lanes_of_keys, lambda at: key(first + at), lowest, maximum)
            above = compare("ge", most, cast(Binary("shr", worst, index(32)), DType.INT32))
            puts = (*fold, If(above, puts))
        full = Binary("or", compare("gt", load(filled, 0), size - _BLOCK), compare("eq", number, blocks - 1))
        return (*puts, If(full, flush()))

    def flush() -> tuple[Stmt, ...]:
        place = load(filled, 0)
        # The smallest numbers of all, all of them different.
        ends = loop("free", index(size + 1) - place, lambda at: (store(batch, (place + at,), place + at + _LEAST),))
        sorts, ordered = _sort(batch, other, size, lanes)
        return (
            *ends,
            *sorts,
            store(ordered, (size,), index(_LEAST)),
            *_merge_largest(found, ordered, merged, count),
            *vector_blocks("back", count, lanes, lambda at: (store(found, (at,), load(merged, at)),)),
            store(filled, (0,), 0),
        )

    stmts = (
        *(Alloc(one) for one in (found, merged, batch, other, filled)),
        *vector_blocks("none", count, lanes, lambda at: (store(found, (at,), index(_LEAST)),)),
        store(filled, (0,), 0),
        *loop("position", rest, put),
        *loop("block", blocks, block),
    )
    return stmts, lambda rank: load(found, rank)


def _sort(source: Buffer, other: Buffer, size: int, lanes: int) -> tuple[tuple[Stmt, ...], Buffer]:
    """Sorts `size` numbers of `source`, a power of two, into falling order; returns where they are then."""
    stmts = loop("run", size // _RUN, lambda number: _count(source, other, number * _RUN, lanes))
    length = _RUN
    source, other = other, source
    while length < size:
        stmts += loop("pair", size // (2 * length), lambda n: _merge(source, other, n * (2 * length), length))  # noqa: B023
        source, other, length = other, source, 2 * length
    return stmts, source


def _count(source: Buffer, target: Buffer, first: Expr, lanes: int) -> Sequence[Stmt]:
    """Sorts a run: the place of a number is how many are larger."""
    rank = buffer("rank", DType.INT64, (_RUN,))

    def larger(at: Expr) -> Sequence[Stmt]:
        def add(lane: Expr) -> Sequence[Stmt]:
            is_larger = compare("gt", load(source, first + at), load(source, first + lane))
            return (store(rank, (lane,), load(rank, lane) + select(is_larger, index(1), index(0))),)

        return vectors_of(_RUN, lanes, add)

    return (
        Alloc(rank),
        *vectors_of(_RUN, lanes, lambda lane: (store(rank, (lane,), index(0)),)),
        *loop("at", _RUN, larger),
        *loop("at", _RUN, lambda at: (store(target, (first + load(rank, at),), load(source, first + at)),)),
    )


def _merge(source: Buffer, target: Buffer, first: Expr, length: int) -> Sequence[Stmt]:
    """Merges two neighbouring runs, from both ends, so that neither runs out, and one does not wait for the other."""
    front, back = (buffer(name, DType.INT64, (1,)) for name in ("front", "back"))  # taken of the first run
    last = first + 2 * length - 1

    def step(at: Expr) -> Sequence[Stmt]:
        a, b, y, z = (Var(name) for name in "abyz")
        taken, left = load(front, 0), load(back, 0)
        return (
            Let(a, load(source, first + taken)),
            Let(b, load(source, first + length + (at - taken))),
            store(target, (first + at,), maximum(a, b)),
            store(front, (0,), select(compare("gt", a, b), taken + 1, taken)),
            Let(y, load(source, first + (length - 1) - left)),
            Let(z, load(source, last - (at - left))),
            store(target, (last - at,), minimum(y, z)),
            store(back, (0,), select(compare("lt", y, z), left + 1, left)),
        )

    begin = (Alloc(front), Alloc(back), store(front, (0,), 0), store(back, (0,), 0))
    return (*begin, *loop("at", length, step))


def _merge_largest(one: Buffer, other: Buffer, target: Buffer, count: int) -> tuple[Stmt, ...]:
    """The `count` largest of `one`, which has so many, and `other`, which ends in the least number of all."""
    front = buffer("front", DType.INT64, (1,))

    def step(at: Expr) -> Sequence[Stmt]:
        a, b = Var("a"), Var("b")
        taken = load(front, 0)
        return (
            Let(a, load(one, taken)),
            Let(b, load(other, at - taken)),
            store(target, (at,), maximum(a, b)),
            store(front, (0,), select(compare("ge", a, b), taken + 1, taken)),
        )

    return (Alloc(front), store(front, (0,), 0), *loop("at", count, step))
