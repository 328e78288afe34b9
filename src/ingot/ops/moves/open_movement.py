"""Slice and Pad whose arguments are known only while running.

The shape of the result is stated. A kernel computes where each dimension begins and how it goes on, another one moves elements.
Positions are kept inside the input, and a check ends the run first where the arguments give another shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.loops.nodes import Const, Expr, Operand, both, cast, compare, index, maximum, minimum, select
from ingot.ops.arguments import steps_between
from ingot.ops.opdef import Emitter, OpCall, Tensor

Read = Callable[..., Expr]
Values = Mapping[str, Sequence[Expr]]


@dataclass(frozen=True, slots=True)
class _Lists:
    """Lists of numbers that a node takes, by their role: some are constants, the others `operands` with the roles `open`."""

    known: Mapping[str, Sequence[int]]
    open: tuple[str, ...]
    operands: tuple[Tensor, ...]

    def values(self, reads: Sequence[Read]) -> Values:
        """All of them as expressions."""
        fixed = {role: [index(number) for number in numbers] for role, numbers in self.known.items()}
        given = {
            role: [cast(read(at), DType.INT64) for at in range(operand.type.size)]
            for role, operand, read in zip(self.open, self.operands, reads, strict=True)
        }
        return {**fixed, **given}


def _lists(call: OpCall, roles: Mapping[str, int], defaults: Mapping[str, Sequence[int]]) -> _Lists:
    """The lists at these positions; a default for what is omitted."""
    known = dict(defaults)
    opened: list[str] = []
    for role, position in roles.items():
        tensor = call.optional(position)
        if tensor is None:
            continue
        if tensor.rank != 1:
            call.unsupported(f"input {position} ({role}) has the shape {list(tensor.shape)}, expected a list")
        if tensor.constant is None:
            opened.append(role)
        else:
            known[role] = [int(number) for number in tensor.constant]
    return _Lists(known, tuple(opened), tuple(call.input(roles[role]) for role in opened))


def _from_front(axes: Sequence[Expr], rank: int) -> list[Expr]:
    return [select(compare("lt", axis, 0), axis + rank, axis) for axis in axes]


def _named(axes: Sequence[Expr], values: Sequence[Expr], dimension: Operand, default: int) -> Expr:
    """The value of the axis that is this dimension; the default if there is none."""
    result: Expr = index(default)
    for axis, value in zip(axes, values, strict=True):
        result = select(compare("eq", axis, dimension), value, result)
    return result


def _are_axes(axes: Sequence[Expr], rank: int) -> Expr:
    """Whether each is a dimension, and none is there twice."""
    inside = [both(compare("ge", axis, 0), compare("lt", axis, rank)) for axis in axes]
    different = [compare("ne", axis, other) for at, axis in enumerate(axes) for other in axes[:at]]
    return both(*inside, *different)


def _per_dimension(
    emit: Emitter, lists: _Lists, rank: int, value: Callable[[Values, Operand], Expr], name: str
) -> Tensor:
    """A number for each dimension, computed once."""
    return emit.pointwise(
        lists.operands,
        TensorType(DType.INT64, (rank,)),
        lambda where, *reads: value(lists.values(reads), where[0]),
        name,
    )


# ─── slices ────────────────────────────────────────────────────────────────────────────────────────────────────────


def check_slice(call: OpCall, emit: Emitter, x: Tensor, stated: tuple[int, ...]) -> _Lists:
    """Checks that a Slice by arguments gives the stated shape."""
    lists = _slice_lists(call, x)

    def holds(*reads: Read) -> Expr:
        values = lists.values(reads)
        axes = _from_front(values["axes"], x.rank)
        good = [_are_axes(axes, x.rank)]
        for dimension, (extent, expected) in enumerate(zip(x.shape, stated, strict=True)):
            first, last, step = _bounds(values, axes, dimension, index(extent))
            good += [
                compare("ne", step, 0),
                compare("eq", steps_between(first, last, _not_zero(step)), expected),
            ]
        return both(*good)

    emit.check(
        lists.operands,
        holds,
        " and ".join(lists.open),
        f"what cuts the stated shape {list(stated)} out of {list(x.shape)}",
    )
    return lists


def _slice_lists(call: OpCall, x: Tensor) -> _Lists:
    count = call.input(1).type.size
    defaults = {"axes": range(count), "steps": [1] * count}
    lists = _lists(call, {"starts": 1, "ends": 2, "axes": 3, "steps": 4}, defaults)
    sizes = {role: len(numbers) for role, numbers in lists.known.items()}
    sizes |= {role: operand.type.size for role, operand in zip(lists.open, lists.operands, strict=True)}
    if set(sizes.values()) != {count} or count > x.rank:
        call.unsupported(
            f"{', '.join(f'{size} {role}' for role, size in sizes.items())} for the shape {list(x.shape)}"
        )
    return lists


def _not_zero(step: Expr) -> Expr:
    return select(compare("eq", step, 0), index(1), step)


def _bounds(
    values: Values, axes: Sequence[Expr], dimension: Operand, extent: Expr
) -> tuple[Expr, Expr, Expr]:
    """Where a dimension begins and ends, within the extent, and its step. Unlike in Python, a start in front of the first element
    is the first one for every step.
    """
    step = _named(axes, values["steps"], dimension, 1)
    start = _named(axes, values["starts"], dimension, 0)
    whole = select(compare("lt", step, 0), index(-1) - extent, extent)
    end = select(_named_at_all(axes, dimension), _named(axes, values["ends"], dimension, 0), whole)
    backwards = compare("lt", step, 0)
    low = select(backwards, index(-1), index(0))
    high = select(backwards, extent - 1, extent)
    start = select(compare("lt", start, 0), start + extent, start)
    end = select(compare("lt", end, 0), end + extent, end)
    return minimum(maximum(start, 0), high), minimum(maximum(end, low), high), step


def _named_at_all(axes: Sequence[Expr], dimension: Operand) -> Expr:
    return compare("ne", _named(axes, [index(1)] * len(axes), dimension, 0), 0)


def open_slice(call: OpCall, emit: Emitter, x: Tensor) -> Tensor:
    """Slice 10 and later by any arguments, of which some are known only while running."""
    output = call.output()
    if output.rank != x.rank:
        call.unsupported(f"the stated output {list(output.shape)} is no slice of the shape {list(x.shape)}")
    lists = check_slice(call, emit, x, output.shape)
    if x.type.size == 0 or output.size == 0:
        return emit.pointwise([], output, lambda _: Const(0, x.dtype), "slice")
    extents = emit.constant(np.array(x.shape, np.int64))

    def bound(number: int) -> Tensor:
        def value(where: tuple[Expr, ...], read_extent: Read, *reads: Read) -> Expr:
            values = lists.values(reads)
            axes = _from_front(values["axes"], x.rank)
            return _bounds(values, axes, where[0], read_extent(where[0]))[number]

        operands = [extents, *lists.operands]
        return emit.pointwise(operands, TensorType(DType.INT64, (x.rank,)), value, "bounds")

    def at(where: tuple[Expr, ...], read: Read, read_first: Read, read_step: Read) -> Expr:
        return read(
            *(
                _kept_inside(read_first(axis) + part * read_step(axis), extent)
                for axis, (part, extent) in enumerate(zip(where, x.shape, strict=True))
            )
        )

    return emit.pointwise([x, bound(0), bound(2)], output, at, "slice")


def _kept_inside(place: Expr, extent: int) -> Expr:
    return minimum(maximum(place, 0), extent - 1)


# ─── borders ───────────────────────────────────────────────────────────────────────────────────────────────────────


def open_pad(
    call: OpCall,
    emit: Emitter,
    x: Tensor,
    mode: Callable[[Expr, int], Expr] | None,
    border: Tensor | Const,
) -> Tensor:
    """Pad 11 and later by any arguments, of which some are known only while running.

    Args:
        call: the node.
        emit: takes what is emitted.
        x: what is padded.
        mode: the place in an axis of this extent that a place beyond it stands for; None where that is the border's value.
        border: the value of the border.
    """
    output = call.output()
    count = call.input(1).type.size // 2
    lists = _lists(call, {"pads": 1, "axes": 3}, {"axes": range(x.rank)})
    axes = call.optional(3)
    fits = call.input(1).type.size == 2 * (x.rank if axes is None else axes.type.size)
    if output.rank != x.rank or not fits or count > x.rank:
        call.unsupported(
            f"{call.input(1).type.size} pads of {list(x.shape)} for the stated output {list(output.shape)}"
        )
    if x.type.size == 0 and mode is not None and output.size:
        call.unsupported(f"the empty shape {list(x.shape)} has nothing to pad {list(output.shape)} with")
    _check_pads(emit, lists, x, output.shape)
    begins = _per_dimension(
        emit, lists, x.rank, lambda values, dimension: _pads_of(values, x.rank, dimension)[0], "begins"
    )
    fill = [] if isinstance(border, Const) else [border]

    def at(where: tuple[Expr, ...], read: Read, read_begin: Read, *read_border: Read) -> Expr:
        places = [part - read_begin(axis) for axis, part in enumerate(where)]
        if mode is not None:
            return read(*(mode(place, extent) for place, extent in zip(places, x.shape, strict=True)))
        inside = [
            both(compare("ge", place, 0), compare("lt", place, extent))
            for place, extent in zip(places, x.shape, strict=True)
        ]
        kept = [_kept_inside(place, extent) for place, extent in zip(places, x.shape, strict=True)]
        value = border if isinstance(border, Const) else read_border[0](*(0,) * border.rank)
        return select(both(*inside), read(*kept), value)

    if x.type.size == 0:
        return emit.pointwise(fill, output, lambda _, *reads: _border_value(border, reads), "pad")
    return emit.pointwise([x, begins, *fill], output, at, "pad")


def _pads_of(values: Values, rank: int, dimension: Operand) -> tuple[Expr, Expr]:
    """What is added before and behind a dimension."""
    axes = _from_front(values["axes"], rank)
    count = len(axes)
    return (
        _named(axes, values["pads"][:count], dimension, 0),
        _named(axes, values["pads"][count:], dimension, 0),
    )


def _check_pads(emit: Emitter, lists: _Lists, x: Tensor, stated: tuple[int, ...]) -> None:
    """Checks that a Pad by arguments gives the stated shape."""

    def holds(*reads: Read) -> Expr:
        values = lists.values(reads)
        good = [_are_axes(_from_front(values["axes"], x.rank), x.rank)]
        for dimension, (extent, expected) in enumerate(zip(x.shape, stated, strict=True)):
            before, behind = _pads_of(values, x.rank, dimension)
            good.append(compare("eq", before + behind, expected - extent))
        return both(*good)

    emit.check(
        lists.operands,
        holds,
        " and ".join(lists.open),
        f"what pads {list(x.shape)} to the stated shape {list(stated)}",
    )


def _border_value(border: Tensor | Const, reads: Sequence[Read]) -> Expr:
    return border if isinstance(border, Const) else reads[0](*(0,) * border.rank)
