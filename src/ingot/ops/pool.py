"""Pooling: the largest, the mean or the norm of a sliding window, or of a whole feature map."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import TensorType
from ingot.kernels.blocks.window import Reach, Window
from ingot.kernels.pooling.pool import PADDED_MEAN, max_pool_indices, max_unpool, pool_template
from ingot.kernels.reduce.reduce import lowest
from ingot.loops.build.nest import accumulator_type, add, larger
from ingot.loops.nodes import Const, Expr, call, cast, index
from ingot.ops.arguments import stated_shape
from ingot.ops.facts import Folding, Trust, WindowSize
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast, emit_map, emit_mean, emit_reduce
from ingot.ops.window import read_window


def _window(call_: OpCall, x: Tensor) -> Window:
    if x.rank < 3:
        call_.unsupported(f"pooling of a tensor of rank {x.rank}; expected [N, C, spatial…]")
    return read_window(call_, x.shape[2:], tuple(int(extent) for extent in call_.attr("kernel_shape")))


def _max_pool(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    window = _window(call_, x)
    if call_.wants(1):
        return emit.template(max_pool_indices(x.type, window, bool(call_.attr("storage_order", 0))), [x])
    return emit.template(pool_template("max_pool", x.type, window, lowest(x.dtype), larger), [x])


def _average_pool(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    window = _window(call_, x)
    include = bool(call_.attr("count_include_pad", 0))
    work = emit_cast(emit, x, accumulator_type(x.dtype))

    def factor(reaches: Sequence[Reach]) -> Expr:
        count: Expr = index(1)
        for reach in reaches:
            count = count * (reach.padded_stop if include else reach.count)
        if isinstance(count, Const):
            return Const(1 / count.value if count.value else 0.0, work.dtype)
        return Const(1, work.dtype) / cast(count, work.dtype)

    key = PADDED_MEAN if include else "mean"
    averages = emit.template(pool_template("average_pool", work.type, window, 0, add, factor, key), [work])[0]
    return (emit_cast(emit, averages, x.dtype),)


def _powered(p: int) -> tuple[Callable[[Expr], Expr], Callable[[Expr], Expr]]:
    """`|x| ** p` and its inverse."""
    if p == 1:
        return (lambda value: call("abs", value)), (lambda value: value)
    if p == 2:
        return (lambda value: value * value), (lambda value: call("sqrt", value))
    return (
        lambda value: call("pow", call("abs", value), Const(p, value.dtype)),
        lambda value: call("pow", value, Const(1 / p, value.dtype)),
    )


def _lp_pool(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    window = _window(call_, x)
    element, root = _powered(int(call_.attr("p", 2)))
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    powers = emit_map(emit, work, work.dtype, element, "power")
    total = emit.template(pool_template("lp_pool", powers.type, window, 0, add), [powers])[0]
    return (emit_cast(emit, emit_map(emit, total, work.dtype, root, "root"), x.dtype),)


def _spatial(call_: OpCall, x: Tensor) -> tuple[int, ...]:
    if x.rank < 2:
        call_.unsupported(f"pooling of a tensor of rank {x.rank}; expected [N, C, spatial…]")
    return tuple(range(2, x.rank))


def _global_average(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    return (emit_cast(emit, emit_mean(emit, work, _spatial(call_, x)), x.dtype),)


def _global_max(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    return (emit_reduce(emit, x, _spatial(call_, x), "max"),)


def _global_lp(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x = call_.input(0)
    element, root = _powered(int(call_.attr("p", 2)))
    work = emit_cast(emit, x, accumulator_type(x.dtype))
    total = emit_reduce(emit, emit_map(emit, work, work.dtype, element, "power"), _spatial(call_, x), "sum")
    return (emit_cast(emit, emit_map(emit, total, work.dtype, root, "root"), x.dtype),)


def _max_unpool(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    x, places = call_.input(0), call_.input(1)
    call_.require_shape(1, "where the elements were", x.shape)
    kernel = [int(extent) for extent in call_.attr("kernel_shape")]
    rank = len(kernel)
    strides = [int(stride) for stride in call_.attr("strides") or [1] * rank]
    pads = [int(pad) for pad in call_.attr("pads") or [0] * (2 * rank)]
    inferred = (
        *x.shape[:2],
        *(
            (x.shape[axis + 2] - 1) * strides[axis] + kernel[axis] - pads[axis] - pads[axis + rank]
            for axis in range(rank)
        ),
    )
    given = call_.optional_constant(2, "output_shape")
    shape = tuple(int(extent) for extent in given) if given is not None else inferred
    if len(shape) != x.rank or min(shape) < 0:
        call_.unsupported(f"an output of the shape {list(shape)} for an input of the shape {list(x.shape)}")
    return emit.template(max_unpool(x.type, places.type, TensorType(x.dtype, shape), inferred), [x, places])


OPERATORS: tuple[OpDef, ...] = (
    OpDef(
        "",
        "MaxPool",
        1,
        _max_pool,
        evaluated=Trust.NEVER,
        moves_quantized_since=12,
        window=WindowSize(),
        misinferred=True,
    ),
    OpDef("", "AveragePool", 1, _average_pool, evaluated=Trust.NEVER, window=WindowSize(), misinferred=True),
    OpDef("", "LpPool", 2, _lp_pool, evaluated=Trust.NEVER, window=WindowSize(), misinferred=True),
    OpDef("", "GlobalAveragePool", 1, _global_average),
    OpDef("", "GlobalMaxPool", 1, _global_max),
    OpDef("", "GlobalLpPool", 2, _global_lp),
    OpDef(
        "",
        "MaxUnpool",
        9,
        _max_unpool,
        constant_inputs=(2,),
        folding=Folding.PAIRS,
        implied=stated_shape(2, "output_shape"),
    ),
)
