"""Reductions over axes: sums, products, extremes and norms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.grid_rows import grid_fold_columns, grid_fold_rows, is_long
from ingot.kernels.template import Site, Template
from ingot.loops.build.nest import (
    Combine,
    accumulator_type,
    add,
    by_storage_order,
    collapse,
    contiguous_axis,
    fold_row,
    larger,
    loop,
    nest,
    parallel_tiles,
    read_strides,
    smaller,
    vector_sizes,
    vectors_of,
)
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Expr,
    Stmt,
    binary,
    buffer,
    call,
    cast,
    index,
    load,
    select,
    store,
)
from ingot.ops.opdef import Emitter, Lower, OpCall, OpDef, Tensor


def lowest(dtype: DType) -> float | int:
    """The smallest value of a type: minus infinity of a float."""
    if dtype.is_float:
        return -np.inf
    return -(2 ** (dtype.bits - 1)) if dtype.is_signed else 0


def highest(dtype: DType) -> float | int:
    """The largest value of a type: infinity of a float."""
    if dtype.is_float:
        return np.inf
    return int(2 ** (dtype.bits - dtype.is_signed) - 1)


@dataclass(frozen=True, slots=True)
class Fold:
    """How elements become one: a neutral element and a function that joins two."""

    name: str
    initial: Callable[[DType], float | int]
    combine: Combine


FOLDS = {
    fold.name: fold
    for fold in (
        Fold("sum", lambda _: 0, add),
        Fold("prod", lambda _: 1, lambda a, b: binary("mul", a, b)),
        Fold("max", lowest, larger),
        Fold("min", highest, smaller),
    )
}


def normalise_axes(call_: OpCall, axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """The axes as sorted numbers from 0."""
    for axis in axes:
        if not -rank <= axis < max(rank, 1):
            call_.unsupported(f"axis {axis} is outside a tensor of rank {rank}")
    return tuple(sorted({axis % rank if rank else 0 for axis in axes}))


def reduced_shape(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    """The shape after a reduction."""
    if keepdims:
        return tuple(1 if axis in axes else extent for axis, extent in enumerate(shape))
    return tuple(extent for axis, extent in enumerate(shape) if axis not in axes)


# So many elements are added one after another at most. Rounding all in one direction, as of equal elements, is an error of about
# 1e-8 for each: of 45,632 in a row it was 4.6e-4, of 248 in a row and 184 such sums it is 4.3e-6.
_RUN_MAX = 256
_RUN = 128  # of a longer dimension: the lengths of sums whose sums are added
_FEW = 16  # elements of inner dimensions for which a sum of their own does not pay


def _by_levels(
    total: Buffer, lanes: int, extents: Sequence[int], update: Callable[[Buffer, tuple[Expr, ...]], Sequence[Stmt]]
) -> tuple[Stmt, ...]:
    """Adds elements of several dimensions to `total [lanes of a tile]`, by sums of sums where there are many.

    Args:
        total: is set before.
        lanes: elements in a register.
        extents: of the dimensions, the innermost last.
        update: adds the element at an index to a buffer like `total`.
    """
    size = total.shape[0]

    def level(into: Buffer, depth: int, at: tuple[Expr, ...]) -> tuple[Stmt, ...]:
        left = extents[depth:]
        if math.prod(left) > _RUN_MAX:
            return span(into, depth, at, index(0), left[0])
        return nest([f"r{axis}" for axis in range(depth, len(extents))], left, lambda rest: tuple(update(into, (*at, *rest))))

    def span(into: Buffer, depth: int, at: tuple[Expr, ...], first: Expr, length: int) -> tuple[Stmt, ...]:
        """`length` places of a dimension from `first` on, with all that the inner dimensions have there."""
        behind = math.prod(extents[depth + 1 :])
        few = behind <= _FEW
        if length <= (_RUN_MAX // behind if few else _RUN_MAX):

            def place(number: Expr) -> tuple[Stmt, ...]:
                where = (*at, first + number)
                if few:
                    return level(into, depth + 1, where)
                return apart(into, f"part{depth}", lambda part: level(part, depth + 1, where))

            return loop(f"r{depth}_{length}", length, place)
        run = _RUN // behind if few else _RUN
        while length // run > _RUN_MAX:
            run *= _RUN
        blocks = length // run

        def block(start: Expr, places: int) -> tuple[Stmt, ...]:
            return apart(into, f"part{depth}_{places}", lambda part: span(part, depth, at, start, places))

        return (
            *loop(f"b{depth}_{length}", blocks, lambda number: block(first + number * run, run)),
            *(block(first + blocks * run, length % run) if length % run else ()),
        )

    def apart(into: Buffer, name: str, body: Callable[[Buffer], Sequence[Stmt]]) -> tuple[Stmt, ...]:
        """A sum of its own, which is added when it is complete."""
        part = buffer(name, into.dtype, (size,))
        return (
            Alloc(part),
            *vectors_of(size, lanes, lambda lane: (store(part, (lane,), Const(0, part.dtype)),)),
            *body(part),
            *vectors_of(size, lanes, lambda lane: (store(into, (lane,), load(into, lane) + load(part, lane)),)),
        )

    return level(total, 0, ())


def reduction(x: TensorType, axes: tuple[int, ...], fold: Fold, keepdims: bool) -> Template:
    """A Template that folds `x` over `axes`. Float16 and bfloat16 are expected as float32 already."""
    output = TensorType(x.dtype, reduced_shape(x.shape, axes, keepdims))

    def build(site: Site) -> Sequence[Stmt]:
        strides = read_strides(site, 0, x.shape)
        inner = contiguous_axis(strides, x.shape)
        order = by_storage_order(strides, x.shape)
        kept = tuple(axis for axis in order if axis not in axes)
        folded = tuple(axis for axis in order if axis in axes)
        lanes = site.machine.lanes(x.dtype)
        initial = Const(fold.initial(x.dtype), x.dtype)

        def read(where: dict[int, Expr]) -> Expr:
            return site.read(0, *(where[axis] for axis in range(x.rank)))

        def write(where: dict[int, Expr], value: Expr) -> Sequence[Stmt]:
            target = [
                index(0) if axis in axes else where[axis] for axis in range(x.rank) if keepdims or axis not in axes
            ]
            return site.write(0, target, value)

        if inner is None or inner in axes:
            last = inner if inner is not None else (folded[-1] if folded else None)
            if last is not None and is_long(site, math.prod(x.shape[axis] for axis in folded)):
                rows = (*(axis for axis in folded if axis != last), last)
                return grid_fold_rows(
                    [x.shape[axis] for axis in kept],
                    [x.shape[axis] for axis in rows],
                    lambda at, number: read(dict(zip((*kept, *rows), (*at, *number), strict=True))),
                    initial,
                    fold.combine,
                    lambda at, value: write(dict(zip(kept, at, strict=True)), value),
                )

            def row(where: tuple[Expr, ...]) -> Sequence[Stmt]:
                fixed = dict(zip(kept, where, strict=True))
                if last is None:
                    return write(fixed, fold.combine(initial, read(fixed)))
                outer = [axis for axis in folded if axis != last]
                stmts, result = fold_row(
                    "fold",
                    x.shape[last],
                    lanes if inner is not None else 1,
                    lambda *at: read(fixed | dict(zip((*outer, last), at, strict=True))),
                    initial,
                    fold.combine,
                    outer=[x.shape[axis] for axis in outer],
                    neutral=fold.name in ("max", "min"),
                )
                return (*stmts, *write(fixed, result))

            return collapse("row", [x.shape[axis] for axis in kept], row)

        outer = [axis for axis in kept if axis != inner]
        if site.machine.grid:
            grid = grid_fold_columns(
                [x.shape[axis] for axis in outer],
                x.shape[inner],
                [x.shape[axis] for axis in folded],
                lambda at, column, number: read(dict(zip((*outer, inner, *folded), (*at, column, *number), strict=True))),
                initial,
                fold.combine,
                lambda at, column, value: write(dict(zip((*outer, inner), (*at, column), strict=True)), value),
            )
            if grid is not None:
                return grid
        sizes = vector_sizes(lanes) if lanes == 1 else (4 * lanes, *vector_sizes(lanes))

        def column(where: tuple[Expr, ...], start: Expr, size: int) -> Sequence[Stmt]:
            fixed = dict(zip(outer, where, strict=True))
            total = buffer("total", x.dtype, (size,))

            def update(into: Buffer, at: tuple[Expr, ...]) -> Sequence[Stmt]:
                point = fixed | dict(zip(folded, at, strict=True))
                return vectors_of(
                    size,
                    lanes,
                    lambda lane: (store(into, (lane,), fold.combine(load(into, lane), read(point | {inner: start + lane}))),),
                )

            rounds = fold.name == "sum" and x.dtype.is_float
            extents = [x.shape[axis] for axis in folded]

            def sums() -> tuple[Stmt, ...]:
                if rounds:
                    return _by_levels(total, lanes, extents, update)
                return nest([f"r{axis}" for axis in folded], extents, lambda at: update(total, at))

            return (
                Alloc(total),
                *vectors_of(size, lanes, lambda lane: (store(total, (lane,), initial),)),
                *sums(),
                *vectors_of(size, lanes, lambda lane: write(fixed | {inner: start + lane}, load(total, lane))),
            )

        return parallel_tiles("column", [x.shape[axis] for axis in outer], x.shape[inner], sizes, column)

    spec = {"fold": fold.name, "axes": axes, "keepdims": keepdims}
    return Template(f"reduce_{fold.name}", (x,), (output,), build, spec, inlines=frozenset({0}))


def emit_reduce(emit: Emitter, x: Tensor, axes: Sequence[int], fold: str, keepdims: bool = True) -> Tensor:
    """Emits a fold (`sum`, `prod`, `max`, `min`) over axes from 0 on; the result has the type of `x`."""
    sorted_axes = tuple(sorted(axes))
    if all(x.shape[axis] == 1 for axis in sorted_axes):
        return emit.reshape(x, reduced_shape(x.shape, sorted_axes, keepdims))
    return emit.template(reduction(x.type, sorted_axes, FOLDS[fold], keepdims), [x])[0]


def emit_map(emit: Emitter, x: Tensor, dtype: DType, value: Callable[[Expr], Expr], name: str) -> Tensor:
    """Emits `value` of every element."""
    return emit.pointwise([x], TensorType(dtype, x.shape), lambda where, read: value(read(*where)), name)


def emit_cast(emit: Emitter, x: Tensor, dtype: DType) -> Tensor:
    """Emits a conversion; of a tensor that has the type already it is the tensor."""
    return x if x.dtype is dtype else emit_map(emit, x, dtype, lambda value: cast(value, dtype), "cast")


def emit_mean(emit: Emitter, x: Tensor, axes: Sequence[int], keepdims: bool = True) -> Tensor:
    """Emits the mean over axes from 0 on, in the type of `x`, which is not a half float."""
    count = int(np.prod([x.shape[axis] for axis in axes], dtype=np.int64))
    total = emit_reduce(emit, x, axes, "sum", keepdims)
    if count == 0 and not x.dtype.is_float:
        return total
    return emit_map(emit, total, x.dtype, lambda value: value / count, "mean")


def _axes(call_: OpCall, x: Tensor, axes_input_since: int) -> tuple[int, ...] | None:
    """The axes of a Reduce operator, None where it leaves the tensor as it is."""
    if call_.version >= axes_input_since:
        given = call_.optional_constant(1, "axes")
        axes = [] if given is None else [int(axis) for axis in given.reshape(-1)]
    else:
        axes = [int(axis) for axis in call_.attr("axes", ())]
    if not axes:
        return None if call_.attr("noop_with_empty_axes", 0) else tuple(range(x.rank))
    return normalise_axes(call_, axes, x.rank)


# Operator → the opset version from which axes are an input.
AXES_INPUT_SINCE = {"ReduceSum": 13}


def _reduce(
    fold: str,
    before: Callable[[Expr], Expr] | None = None,
    after: Callable[[Expr], Expr] | None = None,
    real: bool = False,
) -> Lower:
    """A Reduce operator: `before` for every element, a fold, `after` for every result; in float64 for integers if `real`."""

    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        x = call_.input(0)
        axes = _axes(call_, x, AXES_INPUT_SINCE.get(call_.op_type, 18))
        keepdims = call_.attr("keepdims", 1) == 1
        inner = accumulator_type(x.dtype)
        if x.dtype is DType.BOOL:
            inner = DType.UINT8
        work = emit_cast(emit, x, inner)
        if before is not None:
            work = emit_map(emit, work, inner, before, f"{call_.op_type}_element")
        if axes is not None:
            work = emit_reduce(emit, work, axes, fold, keepdims)
        if after is not None:
            final = after
            if real and not inner.is_float:
                work = emit_cast(emit, work, DType.FLOAT64)
            work = emit_map(emit, work, work.dtype, final, f"{call_.op_type}_result")
        return (emit_cast(emit, work, x.dtype),)

    return lower


def _reduce_mean(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    axes = _axes(call_, x, 18)
    if axes is None:
        return (x,)
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    mean = emit_mean(emit, work, axes, call_.attr("keepdims", 1) == 1)
    return (emit_cast(emit, mean, x.dtype),)


def _reduce_log_sum_exp(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    axes = _axes(call_, x, 18)
    if axes is None:
        return (x,)
    inner = accumulator_type(x.dtype) if x.dtype.is_float else DType.FLOAT64
    work = emit_cast(emit, x, inner)
    # The largest element is taken out first, so that exp cannot overflow; an infinite one cannot be subtracted.
    top = emit_map(
        emit,
        emit_reduce(emit, work, axes, "max"),
        inner,
        lambda value: select(call("isinf", value), Const(0, inner), value),
        "finite",
    )
    exps = emit.pointwise(
        [work, top],
        work.type,
        lambda where, read, read_top: call(
            "exp", read(*where) - read_top(*(0 if axis in axes else part for axis, part in enumerate(where)))
        ),
        "exp",
    )
    total = emit_reduce(emit, exps, axes, "sum")
    result = emit.pointwise(
        [total, top], total.type, lambda where, read, read_top: call("log", read(*where)) + read_top(*where), "log"
    )
    shape = reduced_shape(x.shape, axes, call_.attr("keepdims", 1) == 1)
    return (emit.reshape(emit_cast(emit, result, x.dtype), shape),)


def _square(value: Expr) -> Expr:
    return value * value


def _abs(value: Expr) -> Expr:
    return value if value.dtype.is_unsigned else call("abs", value)


def _defs(name: str, lower: Lower) -> tuple[OpDef, ...]:
    """The two forms of a Reduce operator: axes as an attribute, then as an input."""
    return (
        OpDef("", name, 1, lower),
        OpDef("", name, AXES_INPUT_SINCE.get(name, 18), lower, constant_inputs=(1,)),
    )


OPERATORS: tuple[OpDef, ...] = (
    *_defs("ReduceSum", _reduce("sum")),
    *_defs("ReduceMean", _reduce_mean),
    *_defs("ReduceMax", _reduce("max")),
    *_defs("ReduceMin", _reduce("min")),
    *_defs("ReduceProd", _reduce("prod")),
    *_defs("ReduceSumSquare", _reduce("sum", before=_square)),
    *_defs("ReduceL1", _reduce("sum", before=_abs)),
    *_defs("ReduceL2", _reduce("sum", before=_square, after=lambda value: call("sqrt", value), real=True)),
    *_defs("ReduceLogSum", _reduce("sum", after=lambda value: call("log", value), real=True)),
    *_defs("ReduceLogSumExp", _reduce_log_sum_exp),
)
