"""Reductions over axes: sums, products, extremes and norms."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.reduce.reduce import FOLDS, reduced_shape, reduction
from ingot.loops.build.nest import accumulator_type
from ingot.loops.nodes import Const, Expr, call, cast, select
from ingot.ops.arguments import axes_of_rank, numbers
from ingot.ops.facts import Folding
from ingot.ops.opdef import Emitter, Implied, Lower, OpCall, OpDef, Tensor


def normalise_axes(call_: OpCall, axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """The axes as sorted numbers from 0."""
    for axis in axes:
        if not -rank <= axis < max(rank, 1):
            call_.unsupported(f"axis {axis} is outside a tensor of rank {rank}")
    return tuple(sorted({axis % rank if rank else 0 for axis in axes}))


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


def _implied(call_: OpCall) -> Implied | None:
    """Axes that reduce the input to the stated shape; none at all where the argument has no elements."""
    x, keepdims = call_.input(0), call_.attr("keepdims", 1) == 1
    if call_.version < AXES_INPUT_SINCE.get(call_.op_type, 18):
        return None
    axes = call_.optional(1)
    if axes is not None and axes.type.size == 0:
        return Implied({1: "axes"}, ({1: numbers(()).reshape(axes.shape)},))
    stated = call_.output().shape if call_.wants(0) else ()
    return axes_of_rank(call_, x.rank, lambda axes: reduced_shape(x.shape, axes, keepdims) == stated)


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
        [total, top],
        total.type,
        lambda where, read, read_top: call("log", read(*where)) + read_top(*where),
        "log",
    )
    shape = reduced_shape(x.shape, axes, call_.attr("keepdims", 1) == 1)
    return (emit.reshape(emit_cast(emit, result, x.dtype), shape),)


def _square(value: Expr) -> Expr:
    return value * value


def _abs(value: Expr) -> Expr:
    return value if value.dtype.is_unsigned else call("abs", value)


def _defs(name: str, lower: Lower, folding: Folding = Folding.ELEMENTS) -> tuple[OpDef, ...]:
    """The two forms of a Reduce operator: axes as an attribute, then as an input."""
    return (
        OpDef("", name, 1, lower, folding=folding),
        OpDef(
            "",
            name,
            AXES_INPUT_SINCE.get(name, 18),
            lower,
            constant_inputs=(1,),
            folding=folding,
            implied=_implied,
        ),
    )


OPERATORS: tuple[OpDef, ...] = (
    *_defs("ReduceSum", _reduce("sum"), folding=Folding.ARRAYS),
    *_defs("ReduceMean", _reduce_mean, folding=Folding.ARRAYS),
    *_defs("ReduceMax", _reduce("max"), folding=Folding.ARRAYS),
    *_defs("ReduceMin", _reduce("min"), folding=Folding.ARRAYS),
    *_defs("ReduceProd", _reduce("prod")),
    *_defs("ReduceSumSquare", _reduce("sum", before=_square), folding=Folding.ARRAYS),
    *_defs("ReduceL1", _reduce("sum", before=_abs), folding=Folding.ARRAYS),
    *_defs(
        "ReduceL2",
        _reduce("sum", before=_square, after=lambda value: call("sqrt", value), real=True),
        folding=Folding.ARRAYS,
    ),
    *_defs("ReduceLogSum", _reduce("sum", after=lambda value: call("log", value), real=True)),
    *_defs("ReduceLogSumExp", _reduce_log_sum_exp),
)
