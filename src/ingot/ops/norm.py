"""Normalisations: of batches, rows, instances, groups and vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingot.base.tensor import TensorType
from ingot.kernels.normalize.rows import row_norm
from ingot.loops.build.nest import accumulator_type
from ingot.loops.nodes import Const, Expr, Operand, call, compare, select
from ingot.ops.facts import Folding
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast, emit_map, emit_mean, emit_reduce, normalise_axes


def _row_parameter(
    call_: OpCall, emit: Emitter, given: Tensor, shape: tuple[int, ...], like: Tensor
) -> Tensor:
    """A scale or bias that broadcasts to the normalised dimensions, as one row."""
    if given.rank > len(shape) or any(
        own not in (1, whole) for own, whole in zip(reversed(given.shape), reversed(shape), strict=False)
    ):
        call_.unsupported(
            f"scale or bias of shape {list(given.shape)} for normalised dimensions {list(shape)}"
        )
    work = emit_cast(emit, given, like.dtype)
    if work.shape != shape:
        if work.constant is not None:
            work = emit.constant(np.broadcast_to(work.constant, shape), work.dtype)
        else:
            own = work.shape
            work = emit.pointwise(
                [work],
                TensorType(work.dtype, shape),
                lambda where, read: read(
                    *(
                        0 if extent == 1 else at
                        for at, extent in zip(where[len(where) - len(own) :], own, strict=True)
                    )
                ),
                "broadcast",
            )
    return emit.reshape(work, (int(np.prod(shape, dtype=np.int64)),))


def _row_norm(centred: bool) -> Callable[[OpCall, Emitter], Sequence[Tensor]]:
    def lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
        x, scale = call_.input(0), call_.input(1)
        bias = call_.optional(2) if centred else None
        axis = normalise_axes(call_, [int(call_.attr("axis", -1))], x.rank)[0]
        tail = x.shape[axis:]
        work = emit_cast(emit, x, accumulator_type(x.dtype))
        if len(tail) != 1:
            work = emit.reshape(work, (*x.shape[:axis], int(np.prod(tail, dtype=np.int64))))
        operands = [work, _row_parameter(call_, emit, scale, tail, work)]
        if bias is not None:
            operands.append(_row_parameter(call_, emit, bias, tail, work))
        statistics = centred and (call_.wants(1) or call_.wants(2))
        template = row_norm(
            work.type, centred, float(call_.attr("epsilon", 1e-5)), bias is not None, statistics
        )
        results = emit.template(template, operands)
        # The result has the scale's type: in RMSNormalization, and in onnxruntime's LayerNormalization before opset 17.
        y = emit.reshape(emit_cast(emit, results[0], scale.dtype), x.shape)
        if not statistics:
            return (y,)
        shape = (*x.shape[:axis], *(1 for _ in tail))
        stash = [call_.output(number).dtype if call_.wants(number) else work.dtype for number in (1, 2)]
        return (
            y,
            *(
                emit.reshape(emit_cast(emit, statistic, to), shape)
                for statistic, to in zip(results[1:], stash, strict=True)
            ),
        )

    return lower


# ─── statistics over axes, then one expression for each element ────────────────────────────────────────────────────


def _at(where: Sequence[Expr], axes: Sequence[int]) -> tuple[Operand, ...]:
    """The index of a result that was reduced over `axes`, these dimensions kept as 1."""
    return tuple(0 if axis in axes else at for axis, at in enumerate(where))


def emit_moments(emit: Emitter, x: Tensor, axes: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Emits mean and variance over axes, which are kept with extent 1."""
    mean = emit_mean(emit, x, axes)

    def square(where: tuple[Expr, ...], read: Callable[..., Expr], read_mean: Callable[..., Expr]) -> Expr:
        distance = read(*where) - read_mean(*_at(where, axes))
        return distance * distance

    squares = emit.pointwise([x, mean], x.type, square, "squared_distance")
    return mean, emit_mean(emit, squares, axes)


def _inverse_deviation(emit: Emitter, variance: Tensor, epsilon: float) -> Tensor:
    unit = Const(1, variance.dtype)
    return emit_map(
        emit,
        variance,
        variance.dtype,
        lambda value: unit / call("sqrt", value + epsilon),
        "inverse_deviation",
    )


def _channel(where: Sequence[Expr]) -> Operand:
    return where[1] if len(where) > 1 else 0


def _instance_norm(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    call_.require_shape(1, "scale", x.shape[1:2])
    call_.require_shape(2, "bias", x.shape[1:2])
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    scale, bias = (emit_cast(emit, call_.input(position), work.dtype) for position in (1, 2))
    axes = tuple(range(2, x.rank))
    mean, variance = emit_moments(emit, work, axes)
    inverse = _inverse_deviation(emit, variance, float(call_.attr("epsilon", 1e-5)))

    def value(where: tuple[Expr, ...], *read: Callable[..., Expr]) -> Expr:
        kept = _at(where, axes)
        return (read[0](*where) - read[1](*kept)) * read[2](*kept) * read[3](where[1]) + read[4](where[1])

    y = emit.pointwise([work, mean, inverse, scale, bias], work.type, value, "normalise")
    return (emit_cast(emit, y, x.dtype),)


def _group_norm(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    if x.rank < 2:
        call_.unsupported(f"the input has the shape {list(x.shape)}, expected a batch and channels")
    groups = int(call_.attr("num_groups"))
    batch, channels = x.shape[:2]
    if groups <= 0 or channels % groups:
        call_.unsupported(f"{channels} channels do not divide into {groups} groups")
    each = channels // groups
    allowed = [(channels,), (groups,)] if call_.version < 21 else [(channels,)]
    for position, role in ((1, "scale"), (2, "bias")):
        call_.require_shape(position, role, *allowed)
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    scale, bias = (emit_cast(emit, call_.input(position), work.dtype) for position in (1, 2))
    # Until opset 21 there was one scale for a whole group.
    by_group = call_.version < 21 and scale.shape == (groups,)
    grouped = emit.reshape(work, (batch, groups, each, *x.shape[2:]))
    axes = tuple(range(2, grouped.rank))
    mean, variance = emit_moments(emit, grouped, axes)
    inverse = _inverse_deviation(emit, variance, float(call_.attr("epsilon", 1e-5)))

    def value(where: tuple[Expr, ...], *read: Callable[..., Expr]) -> Expr:
        kept = _at(where, axes)
        channel = where[1] if by_group else where[1] * each + where[2]
        return (read[0](*where) - read[1](*kept)) * read[2](*kept) * read[3](channel) + read[4](channel)

    y = emit.pointwise([grouped, mean, inverse, scale, bias], grouped.type, value, "normalise")
    return (emit_cast(emit, emit.reshape(y, x.shape), x.dtype),)


def _batch_norm(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    epsilon = float(call_.attr("epsilon", 1e-5))
    more = any(call_.wants(position) for position in range(1, 5))
    # Before opset 14 it is the number of outputs that says it, and the last two are the statistics of the batch.
    training = more if call_.version < 14 else bool(call_.attr("training_mode", 0))
    if not training and more:
        call_.unsupported("outputs other than the first are those of training mode")
    everywhere = call_.version < 9 and not call_.attr("spatial", 1)  # statistics for every position
    for position, name in enumerate(("scale", "bias", "mean", "variance"), start=1):
        call_.require_shape(position, name, x.shape[1:] if everywhere else x.shape[1:2] or (1,))
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    given = [call_.input(position) for position in (1, 2, 3, 4)]
    scale, bias, mean, variance = (emit_cast(emit, parameter, work.dtype) for parameter in given)
    results: list[Tensor] = []
    if training:
        axes = (0,) if everywhere else tuple(axis for axis in range(x.rank) if axis != 1)
        momentum = float(call_.attr("momentum", 0.9))
        now = [emit.reshape(moment, mean.shape) for moment in emit_moments(emit, work, axes)]
        for old, new, to in zip((mean, variance), now, given[2:], strict=True):
            mixed = emit.pointwise(
                [old, new],
                old.type,
                lambda where, read_old, read_new: (
                    read_old(*where) * momentum + read_new(*where) * (1 - momentum)
                ),
                "running",
            )
            results.append(emit_cast(emit, mixed, to.dtype))
        if call_.version < 14:
            results += [emit_cast(emit, moment, to.dtype) for moment, to in zip(now, given[2:], strict=True)]
        mean, variance = now
    known = [parameter.constant for parameter in (scale, bias, mean, variance)]
    if all(array is not None for array in known):
        a, b, m, v = (np.asarray(array, np.float64) for array in known)
        slope = a / np.sqrt(v + epsilon)
        multiplier = emit.constant(slope.astype(work.dtype.numpy))
        offset = emit.constant((b - m * slope).astype(work.dtype.numpy))
    else:
        multiplier = emit.pointwise(
            [scale, variance],
            scale.type,
            lambda where, read, read_variance: read(*where) / call("sqrt", read_variance(*where) + epsilon),
            "slope",
        )
        offset = emit.pointwise(
            [bias, mean, multiplier],
            bias.type,
            lambda where, read, read_mean, read_slope: read(*where) - read_mean(*where) * read_slope(*where),
            "offset",
        )

    def place(where: tuple[Expr, ...]) -> tuple[Operand, ...]:
        return where[1:] if everywhere else (_channel(where),)

    y = emit.pointwise(
        [work, multiplier, offset],
        work.type,
        lambda where, read, slope, shift: read(*where) * slope(*place(where)) + shift(*place(where)),
        "batch_norm",
    )
    return (emit_cast(emit, y, x.dtype), *results)


def _mean_variance_norm(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    if not x.dtype.is_float:
        call_.unsupported(f"an input of {x.dtype.value}, expected floats")
    if not x.rank:
        call_.unsupported("a single number has no dimension to normalise")
    axes = normalise_axes(call_, [int(axis) for axis in call_.attr("axes", (0, 2, 3))], x.rank)
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    mean, variance = emit_moments(emit, work, axes)

    def value(where: tuple[Expr, ...], *read: Callable[..., Expr]) -> Expr:
        kept = _at(where, axes)
        return (read[0](*where) - read[1](*kept)) / (call("sqrt", read[2](*kept)) + 1e-9)

    y = emit.pointwise([work, mean, variance], work.type, value, "normalise")
    return (emit_cast(emit, y, x.dtype),)


def _lp_norm(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    p = int(call_.attr("p", 2))
    if p not in (1, 2):
        call_.unsupported(f"p={p}: the operator has norms 1 and 2")
    if not x.rank:
        call_.unsupported("a single number has no dimension to normalise")
    axes = normalise_axes(call_, [int(call_.attr("axis", -1))], x.rank)
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    parts = emit_map(
        emit, work, work.dtype, lambda value: call("abs", value) if p == 1 else value * value, "norm_element"
    )
    total = emit_reduce(emit, parts, axes, "sum")

    def value(where: tuple[Expr, ...], read: Callable[..., Expr], read_total: Callable[..., Expr]) -> Expr:
        norm = read_total(*_at(where, axes))
        root = norm if p == 1 else call("sqrt", norm)
        return select(compare("eq", norm, 0), Const(0, work.dtype), read(*where) / root)

    y = emit.pointwise([work, total], work.type, value, "normalise")
    return (emit_cast(emit, y, x.dtype),)


OPERATORS: tuple[OpDef, ...] = (
    # onnxruntime's optimiser writes these two of ai.onnx at any opset, and the second for what is RMSNormalization later.
    OpDef("", "LayerNormalization", 1, _row_norm(True)),
    OpDef("", "SimplifiedLayerNormalization", 1, _row_norm(False)),
    OpDef("", "RMSNormalization", 23, _row_norm(False)),
    OpDef("", "InstanceNormalization", 6, _instance_norm),
    OpDef("", "GroupNormalization", 18, _group_norm, typed_as_input=True),
    OpDef("", "BatchNormalization", 7, _batch_norm, folding=Folding.ARRAYS),
    OpDef("", "MeanVarianceNormalization", 9, _mean_variance_norm, misinferred=True, typed_as_input=True),
    OpDef("", "LpNormalization", 1, _lp_norm),
)
