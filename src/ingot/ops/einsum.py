"""Einsum: sums of products over named dimensions, as matrix products of two operands at a time."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ingot.base.errors import UnsupportedError
from ingot.base.tensor import TensorType
from ingot.kernels.matmul.columns import MAX_ROWS
from ingot.loops.build.nest import accumulator_type
from ingot.loops.nodes import Expr, cast
from ingot.ops.matmul import matmul
from ingot.ops.moves.movement import transpose
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast, emit_reduce


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A tensor whose dimensions have names, all different; none of them has extent 1."""

    names: tuple[str, ...]
    tensor: Tensor

    @property
    def extents(self) -> dict[str, int]:
        return dict(zip(self.names, self.tensor.shape, strict=True))


def parse_equation(equation: str, ranks: Sequence[int]) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """The names of the dimensions of each operand and of the result. Those of an ellipsis are `0`, `1`, … from behind.

    Raises:
        UnsupportedError: no equation, or not one of operands of these ranks.
    """
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    operands = left.split(",")
    if len(operands) != len(ranks) or not re.fullmatch(r"[A-Za-z.,]*(->[A-Za-z.]*)?", text):
        raise UnsupportedError(f"the equation {equation!r} does not fit {len(ranks)} operands")
    widest = 0
    terms: list[tuple[str, ...]] = []
    for position, operand in enumerate(operands):
        hidden = ranks[position] - len(operand.replace("...", ""))
        if hidden < 0 or (hidden and "..." not in operand):
            raise UnsupportedError(
                f"operand {position} has {ranks[position]} dimensions, the equation says {operand!r}"
            )
        widest = max(widest, hidden)
        terms.append(_names(operand, hidden))
    if arrow:
        return terms, _names(right, widest)
    # Without an arrow the result has the ellipsis, and every name that occurs once, in order.
    letters = left.replace(",", "").replace(".", "")
    return terms, (*_names("...", widest), *sorted(name for name in set(letters) if letters.count(name) == 1))


def named_extents(operands: Sequence[tuple[str, ...]], shapes: Sequence[Sequence[int]]) -> dict[str, int]:
    """The extent of each name of `parse_equation`: an extent of 1 is stretched, as NumPy and onnxruntime do it.

    Raises:
        UnsupportedError: a name with two extents.
    """
    extents: dict[str, int] = {}
    for names, shape in zip(operands, shapes, strict=True):
        for name, extent in zip(names, shape, strict=True):
            if extents.setdefault(name, extent) == 1:
                extents[name] = extent
            elif extent not in (1, extents[name]):
                raise UnsupportedError(f"dimension {name!r} has the extents {extents[name]} and {extent}")
    return extents


def _names(operand: str, hidden: int) -> tuple[str, ...]:
    before, _, after = operand.partition("...")
    ellipsis = tuple(str(number) for number in reversed(range(hidden))) if "..." in operand else ()
    return (*before, *ellipsis, *after)


def _einsum(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Einsum 12: any equation, with ellipsis, repeated names and implicit result. Of more than two operands those two are taken
    together first whose product is smallest.
    """
    inputs = [call_.input(position) for position in range(len(call_.inputs))]
    named, result = parse_equation(str(call_.attr("equation", "")), [tensor.rank for tensor in inputs])
    extents = named_extents(named, [tensor.shape for tensor in inputs])
    if any(name not in extents for name in result) or len(set(result)) != len(result):
        call_.unsupported(f"the result's dimensions {''.join(result)!r} are not those of the operands")
    wanted = tuple(name for name in result if extents[name] != 1)
    terms = [_plain(emit, names, tensor) for names, tensor in zip(named, inputs, strict=True)]
    while len(terms) > 1:
        pair = _smallest_pair(terms, wanted, extents)
        left, right = (terms[number] for number in pair)
        terms = [term for number, term in enumerate(terms) if number not in pair]
        elsewhere = {name for term in terms for name in term.names}
        terms.append(_product(call_, emit, left, right, wanted, elsewhere))
    total = _permuted(emit, _summed(emit, terms[0], wanted), wanted)
    return (emit.reshape(total, tuple(extents[name] for name in result)),)


def _smallest_pair(
    terms: Sequence[Term], wanted: tuple[str, ...], extents: dict[str, int]
) -> tuple[int, int]:
    """The numbers of the two operands whose product has the fewest elements."""

    def size(pair: tuple[int, int]) -> int:
        rest = {name for number, term in enumerate(terms) if number not in pair for name in term.names}
        return _size(extents, {*terms[pair[0]].names, *terms[pair[1]].names} & {*wanted, *rest})

    return min(itertools.combinations(range(len(terms)), 2), key=size)


def _plain(emit: Emitter, names: tuple[str, ...], tensor: Tensor) -> Term:
    """An operand without its dimensions of extent 1; of a name that is repeated the diagonal."""
    kept = [axis for axis, extent in enumerate(tensor.shape) if extent != 1]
    tensor = emit.reshape(tensor, tuple(tensor.shape[axis] for axis in kept))
    names = tuple(names[axis] for axis in kept)
    different = tuple(dict.fromkeys(names))
    if different == names:
        return Term(names, tensor)
    shape = tuple(tensor.shape[names.index(name)] for name in different)
    diagonal = emit.pointwise(
        [tensor],
        TensorType(tensor.dtype, shape),
        lambda where, read: read(*(where[different.index(name)] for name in names)),
        "diagonal",
    )
    return Term(different, diagonal)


def _summed(emit: Emitter, term: Term, keep: Collection[str]) -> Term:
    """The sum over all names that are not kept."""
    axes = [axis for axis, name in enumerate(term.names) if name not in keep]
    if not axes:
        return term
    wide = emit_cast(emit, term.tensor, accumulator_type(term.tensor.dtype))
    total = emit_cast(emit, emit_reduce(emit, wide, axes, "sum", keepdims=False), term.tensor.dtype)
    return Term(tuple(name for name in term.names if name in keep), total)


def _permuted(emit: Emitter, term: Term, names: Sequence[str]) -> Tensor:
    """The tensor with its dimensions in this order; of a constant it is a constant."""
    if tuple(names) == term.names:
        return term.tensor
    order = [term.names.index(name) for name in names]
    if term.tensor.constant is not None:
        return emit.constant(term.tensor.constant.transpose(order), term.tensor.dtype)
    return transpose(emit, term.tensor, order)


# ─── two operands ──────────────────────────────────────────────────────────────────────────────────────────────────


def _product(
    call_: OpCall, emit: Emitter, a: Term, b: Term, wanted: tuple[str, ...], elsewhere: Collection[str]
) -> Term:
    """Two operands as one: over names that nobody else has, and that are not wanted, it is the sum."""
    keep = {*wanted, *elsewhere}
    a, b = _summed(emit, a, {*keep, *b.names}), _summed(emit, b, {*keep, *a.names})
    kept = {*a.names, *b.names} & keep
    names = (
        *(name for name in wanted if name in kept),
        *(name for name in (*a.names, *b.names) if name not in wanted),
    )
    names = tuple(name for name in dict.fromkeys(names) if name in keep)
    summed = tuple(name for name in a.names if name not in keep)
    if not summed or set(a.names) == set(b.names):
        total = _summed(emit, _times(emit, a, b, (*names, *summed)), keep)
        return Term(total.names, emit_cast(emit, total.tensor, a.tensor.dtype))
    plan = min(_plans(a, b, names, summed, final=not elsewhere), key=lambda plan: plan.cycles)
    left, right = (b, a) if plan.swapped else (a, b)
    extents = {**a.extents, **b.extents}

    def as_matrix(term: Term, *sides: tuple[str, ...]) -> Tensor:
        lead = tuple(name for name in plan.batch if name in term.names)
        tensor = _permuted(emit, term, (*lead, *(name for side in sides for name in side)))
        shape = (
            *(extents[name] if name in lead else 1 for name in plan.batch),
            *(_size(extents, side) for side in sides),
        )
        return emit.reshape(tensor, shape)

    product = matmul(
        call_, emit, as_matrix(left, plan.rows, plan.summed), as_matrix(right, plan.summed, plan.columns)
    )
    order = (*plan.batch, *plan.rows, *plan.columns)
    return Term(order, emit.reshape(product, tuple(extents[name] for name in order)))


def _times(emit: Emitter, a: Term, b: Term, names: tuple[str, ...]) -> Term:
    """All products of elements, kept as wide as their sums."""
    extents = {**a.extents, **b.extents}
    dtype = accumulator_type(a.tensor.dtype)

    def value(where: Sequence[Expr], *reads: object) -> Expr:
        first, second = (
            cast(read(*(where[names.index(name)] for name in term.names)), dtype)  # type: ignore[operator]
            for term, read in zip((a, b), reads, strict=True)
        )
        return first * second

    output = TensorType(dtype, tuple(extents[name] for name in names))
    return Term(names, emit.pointwise([a.tensor, b.tensor], output, value, "product"))


@dataclass(frozen=True, slots=True)
class Plan:
    """Two operands as matrices `[batch, rows, summed]` and `[batch, summed, columns]`, the second one first if `swapped`. Names
    of `batch` that only one of them has are repeated for the other. `cycles`: roughly how long it takes.
    """

    swapped: bool
    batch: tuple[str, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    summed: tuple[str, ...]
    cycles: float


_COPY_CYCLES = 2.0  # to move an element to another order


def _plans(a: Term, b: Term, names: tuple[str, ...], summed: tuple[str, ...], final: bool) -> Iterator[Plan]:
    """Plans of a product: which operand is on the left, which leading names of the result number matrices, and in which
    order the sum goes. `names` is the order that the result should have, `final`: it is the model's.
    """
    extents = {**a.extents, **b.extents}
    orders = dict.fromkeys((summed, tuple(name for name in b.names if name in summed)))
    for swapped in (False, True):
        left, right = (b, a) if swapped else (a, b)
        for leading, order in itertools.product(range(len(names) + 1), orders):
            batch = tuple(
                name
                for at, name in enumerate(names)
                if at < leading or (name in left.names and name in right.names)
            )
            rows = tuple(name for name in names if name in left.names and name not in batch)
            columns = tuple(name for name in names if name in right.names and name not in batch)
            of_batch, m, n, k = (_size(extents, group) for group in (batch, rows, columns, order))
            cycles = of_batch * max(m, 4) * -(-n // 16) * k / 2
            moved = left.tensor.type.size * (not _is_view(left, rows, order))
            by_columns = m <= MAX_ROWS and _is_view(right, columns, order)
            moved += right.tensor.type.size * (not (by_columns or _is_view(right, order, columns)))
            moved += of_batch * m * n * (final and (*batch, *rows, *columns) != names)
            yield Plan(swapped, batch, rows, columns, order, cycles + _COPY_CYCLES * moved)


def _is_view(term: Term, outer: tuple[str, ...], inner: tuple[str, ...]) -> bool:
    """Whether an operand is matrices of these names where it lies, with those of `inner` innermost; a constant can be made so."""
    if term.tensor.constant is not None:
        return True
    places = [term.names.index(name) for name in outer]
    joined = all(after == before + 1 for before, after in itertools.pairwise(places))
    return joined and (not inner or term.names[len(term.names) - len(inner) :] == inner)


def _size(extents: dict[str, int], names: Collection[str]) -> int:
    return math.prod(extents[name] for name in names)


OPERATORS: tuple[OpDef, ...] = (OpDef("", "Einsum", 12, _einsum),)
