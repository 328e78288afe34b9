"""A short list in falling order: what is larger than its last goes to its place, and those behind it move on by vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingot.base.tensor import DType
from ingot.kernels.template import Site
from ingot.loops.build.nest import fold_row, loop, vector
from ingot.loops.nodes import (
    Alloc,
    Binary,
    Buffer,
    Const,
    Expr,
    If,
    Let,
    LoopKind,
    Stmt,
    Var,
    buffer,
    compare,
    index,
    load,
    maximum,
    minimum,
    select,
    store,
)
from ingot.machines.tuning import TopK

_WRITTEN_OUT = 4
_KEY_MAX = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Sorted:
    """The list: `keys[lanes + rank]`, and `places` if equal keys are to be told apart. Before it is a key that nothing beats.

    The list is as long as its vectors, and begins where a whole one begins: what lies behind the wanted ranks is of no use.
    """

    keys: Buffer
    places: Buffer | None
    new_keys: Buffer
    new_places: Buffer
    lanes: int
    blocks: int

    def key(self, rank: int | Expr) -> Expr:
        return load(self.keys, index(rank) + self.lanes)

    def place(self, rank: int | Expr) -> Expr:
        assert self.places is not None
        return load(self.places, index(rank) + self.lanes)

    def begin(self) -> tuple[Stmt, ...]:
        """An empty list. Without `places` it is one of the least number of all."""
        width = self.blocks * self.lanes
        free = loop("free", width, lambda slot: (store(self.keys, (slot + self.lanes,), index(-(2**63))),))
        stmts: tuple[Stmt, ...] = (
            Alloc(self.keys),
            store(self.keys, (self.lanes - 1,), index(_KEY_MAX)),
            *free,
        )
        if self.places is not None:
            places = self.places
            stmts += (Alloc(places), store(places, (self.lanes - 1,), index(0)))
            stmts += loop("empty", width, lambda slot: (store(places, (slot + self.lanes,), index(-1)),))
        return stmts

    def put(self, key: Expr, place: Expr, number: Expr | None = None) -> tuple[Stmt, ...]:
        """Puts a number to its place, behind those that are equal. `number` is how many are there, if it is not full for sure."""
        whole = number is None or self.lanes == 1  # elements of a list in registers are known by number
        blocks = self.blocks if whole or number is None else minimum(number // self.lanes + 1, self.blocks)

        def block(back: Expr) -> Sequence[Stmt]:
            first = (index(blocks) - back) * self.lanes
            places = self.places

            def move(lane: Expr) -> Sequence[Stmt]:
                at = first + lane
                before, here = load(self.keys, at - 1), load(self.keys, at)
                if places is None:
                    return (store(self.new_keys, (lane,), maximum(here, minimum(key, before))),)
                stmts: list[Stmt] = []
                pairs = []
                for name, slot in (("before", at - 1), ("here", at)):
                    pair = Var(f"{name}_key"), Var(f"{name}_place")
                    stmts += [Let(pair[0], load(self.keys, slot)), Let(pair[1], load(places, slot))]
                    beaten = compare("gt", key, pair[0])
                    beaten = beaten if number is None else Binary("or", compare("lt", pair[1], 0), beaten)
                    pairs.append((*pair, beaten))
                (old_key, old_place, moves), (its_key, its_place, beaten) = pairs
                stmts.append(
                    store(self.new_keys, (lane,), select(moves, old_key, select(beaten, key, its_key)))
                )
                stmts.append(
                    store(
                        self.new_places, (lane,), select(moves, old_place, select(beaten, place, its_place))
                    )
                )
                return stmts

            def keep(lane: Expr) -> Sequence[Stmt]:
                stmts = [store(self.keys, (first + lane,), load(self.new_keys, lane))]
                return (
                    stmts
                    if places is None
                    else [*stmts, store(places, (first + lane,), load(self.new_places, lane))]
                )

            ends = (Alloc(self.new_keys), *((Alloc(self.new_places),) if places is not None else ()))
            return (*ends, *vector("lane", self.lanes, move), *vector("lane", self.lanes, keep))

        written_out = number is None and self.blocks <= _WRITTEN_OUT
        return loop("back", blocks, block, LoopKind.UNROLLED if written_out else LoopKind.SERIAL)


def sorted_list(site: Site, count: int, with_places: bool) -> Sorted | None:
    """A list for `count` numbers of 64 bits; None if it would be too long."""
    tuning = site.machine.tuning.topk
    lanes = 1 if count <= tuning.list_registers else site.machine.lanes(DType.INT64)
    blocks = -(-count // lanes)
    if (lanes > 1 and blocks > tuning.list_max_vectors) or (with_places and count > tuning.list_max_places):
        return None
    many, few = ((1 + blocks) * lanes,), (lanes,)
    keys, places = buffer("keys", DType.INT64, many), buffer("places", DType.INT64, many)
    new_keys, new_places = buffer("new_keys", DType.INT64, few), buffer("new_places", DType.INT64, few)
    return Sorted(keys, places if with_places else None, new_keys, new_places, lanes, blocks)


def each_above(
    tuning: TopK,
    start: int,
    extent: int,
    lanes: int,
    key: Callable[[Expr], Expr],
    above: Callable[[Expr], Expr],
    visit: Callable[[Expr], Sequence[Stmt]],
) -> tuple[Stmt, ...]:
    """`one(position)` for every position from `start` on, except for blocks whose largest key is not `above` what was found.

    `lanes` is how many keys one vector holds; 1 where elements do not adjoin.
    """
    size = tuning.scanned_vectors * lanes
    dtype = key(index(0)).dtype
    # Keys of 64 bits are scanned for half as much: only where most blocks are passed over in the end.
    min_extent = max(tuning.scanned_min_blocks * size, 2 * size * start if dtype.bits == 64 else 0)
    blocks = (extent - start) // size if lanes > 1 and extent >= min_extent else 0

    def block(number: Expr) -> Sequence[Stmt]:
        first = number * size + start
        lowest = Const(-(2 ** (dtype.bits - 1)), dtype)
        fold, block_max = fold_row("most", size, lanes, lambda at: key(first + at), lowest, maximum)
        return (*fold, If(above(block_max), loop("position", size, lambda at: visit(first + at))))

    rest = start + blocks * size
    return (*loop("block", blocks, block), *loop("position", extent - rest, lambda at: visit(at + rest)))
