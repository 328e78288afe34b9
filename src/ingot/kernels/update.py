"""Updates: a kernel that writes the places of its output which a step changes, where all others are there already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingot.base.tensor import TensorType
from ingot.kernels.template import Pointwise, Site, Template
from ingot.loops.build.nest import by_storage_order, nest, vector_blocks
from ingot.loops.nodes import Expr, If, Let, Stmt, Var, both, compare, index


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The places along `axis` that are written: `count` of them from `first` on, and those behind the last one are the first ones
    again if it `wraps`. A place is written where `holds` is true.

    Both are expressions over the operands of the update, for an index of its output; `first` says the same for every index along
    the axis, and along the one that lies densest in memory.
    """

    axis: int
    first: Pointwise
    holds: Pointwise
    count: int
    wraps: bool


def dense_axis(output: TensorType, axis: int) -> int | None:
    """The axis whose elements an update of a row-major tensor writes by vectors; None where that is the one it is along."""
    last = by_storage_order(tuple(-place for place in range(output.rank)), output.shape)[-1]
    return None if last == axis else last


def update_template(value: Pointwise, places: Places, spec: str) -> Template:
    """`y[index] = value(index)` at some places; what is at others stays.

    Args:
        value: the element for an index that is written.
        places: where.
        spec: what tells these expressions from others.
    """
    operands = range(len(value.inputs))
    return Template(
        "update",
        tuple(formal.type for formal in value.inputs),
        (value.output,),
        lambda site: _build(site, value, places),
        {"axis": places.axis, "count": places.count, "wraps": places.wraps, "writes": spec},
        inlines=frozenset(operands),
        epilogue=False,
    )


def _build(site: Site, value: Pointwise, places: Places) -> Sequence[Stmt]:
    output, axis = value.output, places.axis
    extent, last = output.shape[axis], dense_axis(output, places.axis)
    outer = [at for at in range(output.rank) if at not in (axis, last)]
    place = Var("place")

    def read(number: int, at: tuple[Expr, ...]) -> Expr:
        return site.read(number, *at)

    def row(where: tuple[Expr, ...]) -> Sequence[Stmt]:
        *others, number = where
        point: dict[int, Expr] = dict(zip(outer, others, strict=True)) | {axis: place}

        def index_at(dense: Expr | int) -> tuple[Expr, ...]:
            known = point if last is None else {**point, last: dense}
            return tuple(_as_index(known[at]) for at in range(output.rank))

        def element(dense: Expr | int) -> Sequence[Stmt]:
            at = index_at(dense)
            return site.write(0, at, value.at(at, read))

        # The start says the same along the axis and the dense one: any index of them will do.
        start = places.first.at(_with(index_at(0), axis, number), read) + number
        target = ((start % extent) + extent) % extent if places.wraps else start
        is_there = both(
            compare("ge", place, 0), compare("lt", place, extent), places.holds.at(index_at(0), read)
        )
        lanes = site.machine.lanes(output.dtype)
        stmts = element(0) if last is None else vector_blocks("dense", output.shape[last], lanes, element)
        return Let(place, target), If(is_there, tuple(stmts))

    names = [f"i{at}" for at in outer]
    return nest([*names, "row"], [*(output.shape[at] for at in outer), places.count], row)


def _as_index(part: Expr | int) -> Expr:
    return part if isinstance(part, Expr) else index(part)


def _with(at: tuple[Expr, ...], axis: int, part: Expr) -> tuple[Expr, ...]:
    return (*at[:axis], part, *at[axis + 1 :])
