"""Loops and branches in a program: where their values lie, and the kernels that count and decide."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingot.base.tensor import DType, TensorType, row_major
from ingot.loops.nodes import Buffer, Const, Expr, Let, Stmt, Var, binary, both, compare, load, select, store
from ingot.plan.names import unused
from ingot.plan.program import Move, Program, Repeat, Value

_INDEX = TensorType(DType.INT64, ())
_FLAG = TensorType(DType.BOOL, ())


@dataclass(frozen=True, slots=True)
class Counting:
    """A kernel that counts or decides: its parameters and its statements. `in_place` is as of a kernel."""

    inputs: tuple[Buffer, ...]
    outputs: tuple[Buffer, ...]
    body: tuple[Stmt, ...]
    in_place: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class LoopPlaces:
    """Where the values of a loop lie. `status` has the name of that of its end. `values` are new; `given` has the place of each
    input and output of the body, `begins` that of each carried value before the first iteration, `ends` that behind the last.
    """

    number: Value
    parity: Value
    flag: Value
    status: tuple[str, ...]
    values: tuple[Value, ...]
    begins: tuple[Value, ...]
    ends: tuple[Value, ...]
    given: Mapping[str, Value]


def places_of(
    repeat: Repeat,
    walked: Sequence[Value],
    around: Sequence[Value],
    stacked: Sequence[Value],
    taken: Container[str],
) -> LoopPlaces:
    """The places of a loop's values: carried ones have two, of which an iteration reads one and writes the other; parts of what
    is walked through and rows of what is stacked move by one row each time.
    """
    prefix, body = repeat.name, repeat.body
    number, parity, flag = (
        owning(unused(f"{prefix}.{name}", taken), type_)
        for name, type_ in (("number", _INDEX), ("parity", _INDEX), ("flag", _FLAG))
    )
    status = owning(unused(f"{prefix}.status", taken), TensorType(DType.INT32, ()))
    inputs, outputs = list(body.inputs), list(body.outputs)
    given = {inputs.pop(0): number}
    if repeat.has_condition:
        outputs.pop(0)
    own: list[Value] = [number, parity, flag, status]
    begins, ends = [], []
    for at in range(repeat.carried):
        type_ = body.types[inputs[at]]
        pair = owning(unused(f"{prefix}.carried{at}", taken), TensorType(type_.dtype, (2, *type_.shape)))
        first = Value(unused(f"{pair.name}.first", taken), type_, row_major(type_.shape), pair.name)
        read = replace(
            first, name=unused(f"{pair.name}.last", taken), moves=(Move(parity.name, type_.size, 2),)
        )
        given[inputs[at]] = read
        given[outputs[at]] = replace(first, offset=type_.size, moves=(Move(parity.name, -type_.size, 2),))
        own += [pair, first, read]
        begins.append(first)
        ends.append(read)
    rows = (
        (inputs[repeat.carried :], walked, repeat.walked),
        (outputs[repeat.carried :], stacked, repeat.stacked),
    )
    for names, wholes, backward in rows:
        for name, whole, from_end in zip(names, wholes, backward, strict=False):
            given[name] = _row(whole, number.name, repeat.count_max, from_end)
    given |= zip(inputs[repeat.carried + len(walked) :], around, strict=True)
    return LoopPlaces(number, parity, flag, (status.name,), tuple(own), tuple(begins), tuple(ends), given)


def owning(name: str, type_: TensorType) -> Value:
    """A row-major value with memory of its own."""
    return Value(name, type_, row_major(type_.shape), name)


def _row(whole: Value, number: str, count: int, from_end: bool) -> Value:
    """One row of a value: that of the iteration."""
    shape = whole.type.shape[1:]
    step = TensorType(whole.type.dtype, shape).size
    offset = whole.offset + (count - 1) * step if from_end else whole.offset
    return replace(
        whole,
        type=TensorType(whole.type.dtype, shape),
        strides=whole.strides[1:],
        offset=offset,
        moves=(*whole.moves, Move(number, -step if from_end else step, count)),
    )


# ─── kernels ───────────────────────────────────────────────────────────────────────────────────────────────────────


def counting_begins(repeat: Repeat, given: Sequence[Buffer]) -> Counting:
    """The kernel before a loop: the first iteration has the number 0, and the flag says whether there is one. `given` are the
    most iterations and whether it begins, as far as the loop has them.
    """
    number, parity, flag = (
        _scalars("number", "parity"),
        _scalars("parity")[0],
        Buffer("flag", DType.BOOL, (), ()),
    )
    zero, conditions = Const(0, DType.INT64), [Const(repeat.count_max > 0, DType.BOOL), *map(_asked, given)]
    body = (store(number[0], (), zero), store(parity, (), zero), store(flag, (), both(*conditions)))
    return Counting(tuple(given), (number[0], parity, flag), body)


def counting_goes_on(repeat: Repeat, given: Sequence[Buffer]) -> Counting:
    """The last kernel of an iteration: counts it, and says whether there is another one. `given` are the most iterations and what
    the body says, as far as the loop has them.
    """
    (before, number, parity), flag = (
        _scalars("before", "number", "parity"),
        Buffer("flag", DType.BOOL, (), ()),
    )
    following = Var("following")
    conditions = [compare("lt", following, repeat.count_max)]
    for buffer in given:
        is_count = buffer.dtype is not DType.BOOL
        conditions.append(compare("lt", following, _only(buffer)) if is_count else _only(buffer))
    body: tuple[Stmt, ...] = (
        Let(following, binary("add", load(before), 1)),
        store(number, (), following),
        store(parity, (), binary("rem", following, 2)),
        store(flag, (), both(*conditions)),
    )
    if not repeat.endless_status:
        return Counting((before, *given), (number, parity, flag), body, ((0, 0),))
    status = Buffer("status", DType.INT32, (), ())
    endless = both(compare("ge", following, repeat.count_max), *conditions[1:])
    ends = store(status, (), select(endless, Const(repeat.endless_status, DType.INT32), 0))
    return Counting((before, *given), (status, number, parity, flag), (*body, ends), ((0, 1),))


def _scalars(*names: str) -> tuple[Buffer, ...]:
    return tuple(Buffer(name, DType.INT64, (), ()) for name in names)


def _only(buffer: Buffer) -> Expr:
    """The only element of a buffer."""
    return load(buffer, *(0 for _ in buffer.shape))


def _asked(buffer: Buffer) -> Expr:
    return _only(buffer) if buffer.dtype is DType.BOOL else compare("gt", _only(buffer), 0)


# ─── the program of a body in that around it ───────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Spliced:
    """A program inside of another one: its values with new names, and what each of its names is now."""

    values: tuple[Value, ...]
    names: Mapping[str, str]
    constants: Mapping[str, np.ndarray]


def spliced(program: Program, given: Mapping[str, Value], prefix: str, taken: Container[str]) -> Spliced:
    """The values of a program as parts of the one around it. `given` has the places of inputs and outputs there; what is not in
    it is a value of its own.
    """
    names: dict[str, str] = {}
    new: set[str] = set()
    for name in program.values:
        wish = name if name not in taken and name not in new else f"{prefix}/{name}"
        names[name] = unused(wish, _Either(taken, new))
        new.add(names[name])
    values = tuple(_placed(value, names, given) for value in program.values.values())
    constants = {names[name]: array for name, array in program.constants.items()}
    return Spliced(values, names, constants)


@dataclass(frozen=True, slots=True)
class _Either:
    first: Container[str]
    second: Container[str]

    def __contains__(self, name: object) -> bool:
        return name in self.first or name in self.second


def _placed(value: Value, names: Mapping[str, str], given: Mapping[str, Value]) -> Value:
    moves = tuple(replace(move, number=names[move.number]) for move in value.moves)
    place = given.get(value.base)
    if place is None:
        return replace(value, name=names[value.name], base=names[value.base], moves=moves)
    return replace(
        value,
        name=names[value.name],
        base=place.base,
        offset=place.offset + value.offset,
        space=place.space,
        moves=(*place.moves, *moves),
    )
