"""Arguments that are known only while running: shapes, axes, counts that decide the shape of a result.

The model states that shape, and it says which values the arguments may have (`Implied`, the field `implied` of an operator). A
node is lowered for these values as if they were constants; a check ends the run with an error where the arguments mean none of
them. Where the shape leaves a choice, each is computed, and the results are chosen from.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from ingot.base.errors import UnsupportedError
from ingot.base.tensor import DType, TensorType
from ingot.loops.nodes import Binary, Expr, both, call, cast, compare, index, maximum, select
from ingot.ops.opdef import POSITIONS, Emitter, Implied, OpCall, OpDef, Option, Tensor

Read = Callable[..., Expr]
# Of so many values a node is computed for each; a shape that leaves more open says too little.
MAX_OPTIONS = 16


def lowered(operator: OpDef, call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """What the operator's rule makes of a node, for each value that its arguments may have where they are known only while
    running.
    """
    implied = None if operator.implied is None else operator.implied(call_)
    if implied is None:
        return operator.lower(call_, emit)
    given = tuple(position for position in implied.roles if is_open(call_, position))
    if not given:
        return operator.lower(call_, emit)
    operands = [call_.input(position) for position in given]
    if not implied.options:
        roles = " and ".join(implied.roles[position] for position in given)
        call_.unsupported(f"no {roles} gives the stated shape{_shapes(call_)}")
    if len(implied.options) > MAX_OPTIONS:
        raise UnsupportedError(
            f"{len(implied.options)} values of {implied.roles[given[0]]} give the stated shape{_shapes(call_)}, and more than "
            f"{MAX_OPTIONS} are not chosen from while running",
            **{POSITIONS: given},
        )
    meant = [_meaning(implied, option, given) for option in implied.options]
    if any(operand.type.size for operand in operands):
        emit.check(
            operands,
            lambda *reads: reduce(either, (means(*reads) for means in meant)),
            " and ".join(implied.roles[position] for position in given),
            _expected(implied, given) + f" for the stated shape{_shapes(call_)}",
        )
    options = implied.options[:1] if implied.is_same else implied.options
    results = [operator.lower(_with(call_, option), emit) for option in options]
    return results[0] if len(results) == 1 else _chosen(emit, operands, meant, results)


def is_open(call_: OpCall, position: int) -> bool:
    """Whether an input is there and known only while running."""
    tensor = call_.optional(position)
    return tensor is not None and tensor.constant is None


def numbers(array: object) -> np.ndarray:
    """An argument as an option has it."""
    return np.asarray(array, np.int64)


def equal_elements(option: Option, given: Sequence[int], skip: int | None = None) -> Callable[..., Expr]:
    """That arguments have all elements of an option, whatever their integer or float type is; but for element `skip`."""

    def holds(*reads: Read) -> Expr:
        same: list[Expr] = []
        for position, read in zip(given, reads, strict=True):
            array = option[position]
            same += [
                compare("eq", cast(read(*where), DType.INT64), int(array[where]))
                for where in np.ndindex(array.shape)
                if where != (skip,)
            ]
        return both(*same)

    return holds


def _meaning(implied: Implied, option: Option, given: Sequence[int]) -> Callable[..., Expr]:
    if implied.means is None:
        return equal_elements(option, given)
    means = implied.means
    return lambda *reads: means(option, dict(zip(given, reads, strict=True)))


def _expected(implied: Implied, given: Sequence[int]) -> str:
    texts = [" and ".join(str(option[position].tolist()) for position in given) for option in implied.options]
    return " or ".join(texts)


def _shapes(call_: OpCall) -> str:
    stated = [str(list(output.shape)) for output in call_.outputs if output is not None]
    return f"{'s' if len(stated) > 1 else ''} {', '.join(stated)}"


def _with(call_: OpCall, option: Option) -> OpCall:
    """The call with arguments that have the values of an option."""
    inputs = list(call_.inputs)
    for position, array in option.items():
        tensor = inputs[position]
        if tensor is not None and tensor.constant is None:
            inputs[position] = replace(tensor, constant=array.astype(tensor.dtype.numpy))
    return replace(call_, inputs=tuple(inputs))


def _chosen(
    emit: Emitter,
    operands: Sequence[Tensor],
    meant: Sequence[Callable[..., Expr]],
    results: Sequence[Sequence[Tensor]],
) -> Sequence[Tensor]:
    """Of the results for each option those of the one that the arguments mean."""
    number = emit.pointwise(operands, TensorType(DType.INT64, ()), lambda _, *reads: _number(meant, reads))
    return [_one_of(emit, number, list(same)) for same in zip(*results, strict=True)]


def _number(meant: Sequence[Callable[..., Expr]], reads: Sequence[Read]) -> Expr:
    """The number of the option that the arguments mean; the last one if it is none before."""
    number: Expr = index(len(meant) - 1)
    for position in reversed(range(len(meant) - 1)):
        number = select(meant[position](*reads), index(position), number)
    return number


def _one_of(emit: Emitter, number: Tensor, results: Sequence[Tensor]) -> Tensor:
    def at(where: tuple[Expr, ...], read_number: Read, *reads: Read) -> Expr:
        value = reads[-1](*where)
        for position in reversed(range(len(reads) - 1)):
            value = select(compare("eq", read_number(), position), reads[position](*where), value)
        return value

    return emit.pointwise([number, *results], results[0].type, at, "choose")


def either(left: Expr, right: Expr) -> Expr:
    """Disjunction."""
    return Binary("or", left, right)


# ─── axes ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def axes_of_rank(
    call_: OpCall, rank: int, fits: Callable[[tuple[int, ...]], bool], is_same: bool = False
) -> Implied | None:
    """Axes, input 1, that are open: every set of as many of them as the input has elements that `fits`. Their order is free."""
    axes = call_.optional(1)
    if axes is None or axes.constant is not None or not call_.wants(0):
        return None
    sets = itertools.combinations(range(rank), axes.type.size) if axes.type.size <= rank else ()
    options = tuple({1: numbers(chosen).reshape(axes.shape)} for chosen in sets if fits(chosen))

    def means(option: Option, reads: Mapping[int, Read]) -> Expr:
        """Bit `axis` of a word for each axis: two arguments that name one axis leave another bit clear."""
        named: Expr = index(0)
        for where in np.ndindex(axes.shape):
            named = Binary("or", named, _bit(cast(reads[1](*where), DType.INT64), rank))
        return compare("eq", named, sum(1 << int(axis) for axis in option[1].reshape(-1)))

    return Implied({1: "axes"}, options, means, is_same)


def _bit(axis: Expr, rank: int) -> Expr:
    """The bit of an axis, which may count from the end; a bit that no axis has for one that is outside."""
    place = select(compare("lt", axis, 0), axis + rank, axis)
    inside = Binary("and", compare("ge", place, 0), compare("lt", place, rank))
    return Binary("shl", index(1), select(inside, place, index(rank)))


# ─── extents ───────────────────────────────────────────────────────────────────────────────────────────────────────


def stated_shape(position: int, role: str) -> Callable[[OpCall], Implied | None]:
    """An argument that is the shape of the result."""

    def implied(call_: OpCall) -> Implied | None:
        if not is_open(call_, position) or not call_.wants(0):
            return None
        return _extents(call_, position, role, call_.output().shape)

    return implied


def only(call_: OpCall, position: int, role: str, extents: Sequence[int]) -> Implied:
    """One value that an argument may have: these extents, as many as it has elements."""
    return _extents(call_, position, role, extents)


def _extents(call_: OpCall, position: int, role: str, extents: Sequence[int]) -> Implied:
    shape = call_.input(position).shape
    fits = math.prod(shape) == len(extents)
    return Implied({position: role}, ({position: numbers(extents).reshape(shape)},) if fits else ())


def steps_between(start: Expr, limit: Expr, step: Expr) -> Expr:
    """How many steps there are from a start to before a limit."""
    way = limit - start
    if step.dtype.is_float:
        return maximum(cast(call("ceil", way / step), DType.INT64), 0)
    whole, rest = way // step, way % step
    is_cut = both(compare("ne", rest, 0), compare("eq", compare("lt", way, 0), compare("lt", step, 0)))
    return maximum(whole + cast(is_cut, DType.INT64), 0)
