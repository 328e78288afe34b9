"""Operators that keep the elements or make them from nothing: reshapes, shapes as data, filled tensors, ranges."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NoReturn

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.select.counted_range import counted_range
from ingot.loops.nodes import Const, Expr, both, cast, compare, maximum, minimum, select
from ingot.ops.arguments import axes_of_rank, either, stated_shape, steps_between
from ingot.ops.casts import dtype_attribute
from ingot.ops.elementwise import literal, number, scalar
from ingot.ops.facts import Folding, Identity, Selects
from ingot.ops.opdef import Emitter, Implied, OpCall, OpDef, Tensor

# A filled tensor of at most this many elements becomes a constant, so that rules that need constants can see it.
FOLDED_ELEMENTS_MAX = 1024


def axis_of(call_: OpCall, axis: int, rank: int, inclusive: bool = False) -> int:
    """An axis counted from the front. `inclusive` also allows the position behind the last one."""
    result = axis + rank if axis < 0 else axis
    if not 0 <= result < rank + (1 if inclusive else 0):
        call_.unsupported(f"axis {axis} is outside a tensor of rank {rank}")
    return result


def axes_of(call_: OpCall, axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Axes counted from the front; each may be named once."""
    result = tuple(axis_of(call_, int(axis), rank) for axis in axes)
    if len(set(result)) != len(result):
        call_.unsupported(f"axes {tuple(map(int, axes))} name a dimension twice")
    return result


def integers(call_: OpCall, position: int, name: str) -> tuple[int, ...] | None:
    """Whole numbers that newer versions take as a constant input and older ones as an attribute; None where they are omitted."""
    if call_.optional(position) is not None:
        return tuple(int(value) for value in call_.constant(position, name).reshape(-1))
    attribute = call_.attr(name)
    if attribute is None:
        return None
    return (int(attribute),) if isinstance(attribute, int) else tuple(int(value) for value in attribute)


def filled(emit: Emitter, output: TensorType, value: Const, name: str) -> Tensor:
    """A tensor with one value everywhere."""
    if output.size <= FOLDED_ELEMENTS_MAX and output.dtype is not DType.BFLOAT16:
        return emit.constant(np.full(output.shape, value.value, output.dtype.numpy))
    return emit.pointwise([], output, lambda where: value, name)  # noqa: ARG005


# ─── the same elements under another shape ─────────────────────────────────────────────────────────────────────────


def _identity(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:  # noqa: ARG001
    """Identity, all versions. Does not handle sequences and optionals."""
    return (call_.input(0),)


def _dropout(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Dropout 7, 10, which have no training mode: the input, and a mask of true."""
    x = call_.input(0)
    if not call_.wants(1):
        return (x,)
    return x, filled(
        emit, TensorType(call_.output(1).dtype, x.shape), Const(1, call_.output(1).dtype), "mask"
    )


def _reshape(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Reshape 5 and later, with `allowzero` from 14 on. The shape must be a constant, or the output's shape be stated."""
    x = call_.input(0)
    shape = call_.input(1).constant
    if shape is None:
        stated = call_.output().shape
        if math.prod(stated) != x.type.size:
            call_.unsupported(
                f"the input of shape {list(x.shape)} has not as many elements as the stated output {list(stated)}"
            )
        _check_shape(call_, emit, x, stated)
        return (emit.reshape(x, stated),)
    wanted = [int(extent) for extent in shape.reshape(-1)]
    if not call_.attr("allowzero", 0):
        if any(extent == 0 and axis >= x.rank for axis, extent in enumerate(wanted)):
            call_.unsupported(
                f"the shape {wanted} copies a dimension that the input of shape {list(x.shape)} does not have"
            )
        wanted = [x.shape[axis] if extent == 0 else extent for axis, extent in enumerate(wanted)]
    known = math.prod(extent for extent in wanted if extent != -1)
    if wanted.count(-1) == 1 and known and x.type.size % known == 0:
        wanted[wanted.index(-1)] = x.type.size // known
    if any(extent < 0 for extent in wanted) or math.prod(wanted) != x.type.size:
        call_.unsupported(
            f"{x.type.size} elements of the shape {list(x.shape)} do not fit the shape {wanted}"
        )
    return (emit.reshape(x, wanted),)


def _check_shape(call_: OpCall, emit: Emitter, x: Tensor, stated: tuple[int, ...]) -> None:
    """Checks that a Reshape by an argument gives the stated shape. Both have as many elements as `x`, so that an extent of -1,
    of which there is at most one, is the right one if all others are.
    """
    shape, copies = call_.input(1), not call_.attr("allowzero", 0)
    if shape.shape != (len(stated),):
        call_.unsupported(
            f"a shape of {shape.type.size} extents does not give the stated output {list(stated)}"
        )

    def holds(read: Callable[..., Expr]) -> Expr:
        extents = [cast(read(axis), DType.INT64) for axis in range(len(stated))]
        free: Expr = Const(0, DType.INT64)
        good: list[Expr] = []
        for axis, (extent, expected) in enumerate(zip(extents, stated, strict=True)):
            is_free = compare("eq", extent, -1)
            free = free + cast(is_free, DType.INT64)
            same = either(is_free, compare("eq", extent, expected))
            is_copied = copies and axis < x.rank and x.shape[axis] == expected
            good.append(either(same, compare("eq", extent, 0)) if is_copied else same)
        return both(*good, compare("le", free, 1))

    if stated:
        emit.check([shape], holds, "shape", f"what gives the stated shape {list(stated)}")


def _flatten(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Flatten 1 and later: a matrix whose rows are the dimensions before `axis`."""
    x = call_.input(0)
    axis = axis_of(call_, int(call_.attr("axis", 1)), x.rank, inclusive=True)
    return (emit.reshape(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))),)


def _squeeze(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Squeeze 1, 11 (attribute `axes`), 13 and later (input)."""
    x = call_.input(0)
    given = integers(call_, 1, "axes")
    if given is None:
        return (emit.reshape(x, [extent for extent in x.shape if extent != 1]),)
    axes = axes_of(call_, given, x.rank)
    for axis in axes:
        if x.shape[axis] != 1:
            call_.unsupported(
                f"dimension {axis} has the extent {x.shape[axis]}; only one of extent 1 can be removed"
            )
    return (emit.reshape(x, [extent for axis, extent in enumerate(x.shape) if axis not in axes]),)


def _squeezed(call_: OpCall) -> Implied | None:
    x, stated = call_.input(0), call_.output().shape if call_.wants(0) else ()

    def fits(axes: tuple[int, ...]) -> bool:
        rest = tuple(extent for axis, extent in enumerate(x.shape) if axis not in axes)
        return rest == stated and all(x.shape[axis] == 1 for axis in axes)

    return axes_of_rank(call_, x.rank, fits, is_same=True)


def _unsqueezed(call_: OpCall) -> Implied | None:
    x, stated = call_.input(0), call_.output().shape if call_.wants(0) else ()

    def fits(axes: tuple[int, ...]) -> bool:
        rest = tuple(extent for axis, extent in enumerate(stated) if axis not in axes)
        return rest == x.shape and all(stated[axis] == 1 for axis in axes)

    return axes_of_rank(call_, len(stated), fits, is_same=True)


def _unsqueeze(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Unsqueeze 1, 11 (attribute `axes`), 13 and later (input)."""
    x = call_.input(0)
    given = integers(call_, 1, "axes")
    if given is None:
        call_.unsupported("the axes are missing")
    axes = axes_of(call_, given, x.rank + len(given))
    rest = iter(x.shape)
    return (emit.reshape(x, [1 if axis in axes else next(rest) for axis in range(x.rank + len(given))]),)


# ─── shapes as data ────────────────────────────────────────────────────────────────────────────────────────────────


def _shape(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Shape 1, 13, 15 and later (`start`, `end`)."""
    part = call_.input(0).shape[slice(int(call_.attr("start", 0)), call_.attr("end"))]
    return (emit.constant(np.array(part, np.int64)),)


def _size(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Size 1 and later."""
    return (emit.constant(np.array(call_.input(0).type.size, np.int64)),)


# ─── tensors made from nothing ─────────────────────────────────────────────────────────────────────────────────────


def _constant(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Constant 1 and later. Does not handle strings and sparse tensors."""
    value = call_.attr("value")
    kinds = {
        "value_float": np.float32,
        "value_floats": np.float32,
        "value_int": np.int64,
        "value_ints": np.int64,
    }
    for name, dtype in kinds.items():
        if name in call_.attributes:
            return (emit.constant(np.array(call_.attr(name), dtype)),)
    if value is None:
        call_.unsupported("only numbers and dense tensors of numbers can be constants")
    return (emit.constant(np.asarray(value), call_.output().dtype),)


def _constant_of_shape(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """ConstantOfShape 9 and later."""
    extents = tuple(int(extent) for extent in call_.constant(0, "shape").reshape(-1))
    value = call_.attr("value")
    if value is not None and np.size(value) != 1:
        call_.unsupported(f"attribute 'value' has {np.size(value)} elements, expected one")
    output = TensorType(DType.FLOAT32 if value is None else call_.output().dtype, extents)
    element = (
        Const(0.0, DType.FLOAT32) if value is None else number(np.asarray(value).reshape(-1)[0], output.dtype)
    )
    return (filled(emit, output, element, "fill"),)


def _eye_like(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """EyeLike 9, 22: ones on the diagonal `k`."""
    x = call_.input(0)
    if x.rank != 2:
        call_.unsupported(f"the input must be a matrix, got the shape {list(x.shape)}")
    dtype = dtype_attribute(call_, "dtype", x.dtype)
    diagonal = int(call_.attr("k", 0))

    def at(where: tuple[Expr, ...]) -> Expr:
        return cast(compare("eq", where[0] + diagonal, where[1]), dtype)

    return (emit.pointwise([], TensorType(dtype, x.shape), at, "eye"),)


def _range(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Range 11, 27: `start + i * delta`. Start and limit must be constants, or the output's shape be known."""
    start, limit, delta = (call_.input(position) for position in range(3))
    known = [literal(tensor) for tensor in (start, limit, delta)]
    if all(known):
        first, last, step = (constant.value for constant in known if constant is not None)
        if step == 0:
            call_.unsupported("delta is 0")
        exact = start.dtype.is_integer
        count = max(0, -((first - last) // step) if exact else math.ceil((last - first) / step))
        output = TensorType(start.dtype, (int(count),))
    elif call_.counts:
        ends = [emit.reshape(tensor, (1,)) for tensor in (start, limit, delta)]
        room = call_.output().shape[0]
        return emit.template(counted_range(start.dtype, room, _steps, call_.name), ends)[:1]
    elif call_.wants(0):
        output = call_.output()
        _check_count(emit, (start, limit, delta), output.size)
    else:
        _refuse_open_shape(
            call_, [tensor.name for tensor in (start, limit, delta) if tensor.constant is None]
        )
    computed = DType.FLOAT32 if start.dtype in (DType.FLOAT16, DType.BFLOAT16) else start.dtype

    def at(where: tuple[Expr, ...], *reads: Callable[..., Expr]) -> Expr:
        first, step = (
            cast(scalar(tensor, read), computed) for tensor, read in zip((start, delta), reads, strict=True)
        )
        return cast(first + cast(where[0], computed) * step, start.dtype)

    return (emit.pointwise([start, delta], output, at, "range"),)


def _steps(first: Expr, limit: Expr, step: Expr) -> Expr:
    """How many numbers a Range has by its ends, as ONNX says; none for a step of 0."""
    computed = DType.INT64 if first.dtype.is_integer else DType.FLOAT64
    start, end, delta = (cast(part, computed) for part in (first, limit, step))
    is_none = compare("eq", delta, 0)
    return select(
        is_none, Const(0, DType.INT64), steps_between(start, end, select(is_none, Const(1, computed), delta))
    )


def _check_count(emit: Emitter, ends: Sequence[Tensor], count: int) -> None:
    """Checks that a Range by arguments has so many elements: `max(0, ceil((limit - start) / delta))`, as ONNX says."""
    open_first = sorted(range(3), key=lambda number: ends[number].constant is not None)
    computed = DType.INT64 if ends[0].dtype.is_integer else DType.FLOAT64

    def holds(*reads: Callable[..., Expr]) -> Expr:
        operands = {
            number: cast(scalar(ends[number], read), computed)
            for number, read in zip(open_first, reads, strict=True)
        }
        start, limit, delta = (operands[number] for number in range(3))
        step = select(compare("eq", delta, 0), Const(1, computed), delta)
        return both(compare("ne", delta, 0), compare("eq", steps_between(start, limit, step), count))

    roles = ("start", "limit", "delta")
    emit.check(
        [ends[number] for number in open_first],
        holds,
        roles[open_first[0]],
        f"what makes a range of {count} elements, as many as the model states",
    )


def _trilu(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Trilu 14: the upper or lower triangle of every matrix, zeros elsewhere; `k` may be known only while running."""
    x = call_.input(0)
    if x.rank < 2:
        call_.unsupported(f"the input must have at least 2 dimensions, got the shape {list(x.shape)}")
    call_.require_one(1, "k")
    upper = bool(call_.attr("upper", 1))
    k = call_.optional(1)

    def at(where: tuple[Expr, ...], read: Callable[..., Expr], *rest: Callable[..., Expr]) -> Expr:
        # A diagonal beyond the corners is as one at them; and nothing wraps.
        shift = (
            Const(0, DType.INT64)
            if k is None
            else minimum(maximum(scalar(k, rest[0]), -x.shape[-2]), x.shape[-1])
        )
        inside = compare("le" if upper else "ge", where[-2], where[-1] - shift)
        return select(inside, read(*where), 0)

    return (emit.pointwise([x] if k is None else [x, k], x.type, at, "trilu"),)


def _refuse_open_shape(call_: OpCall, ends: Sequence[str], many: bool | None = None) -> NoReturn:
    """Says that a shape depends on contents, and where the model could end: at values that are known while running only."""
    many = len(ends) > 1 if many is None else many
    call_.unsupported(
        f"the shape of its output depends on the content of its input{'s' if many else ''}, which must be "
        f"{'constants' if many else 'a constant'}; else let the model end at {' and '.join(map(repr, ends))} "
        "(onnx.utils.extract_model) and do the rest in the application, or say how many places there are at most by bounds="
    )


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Identity", 1, _identity, moves=True, moves_quantized_since=1, same_shape=True),
    OpDef("", "Dropout", 7, _dropout, moves=True),
    OpDef(
        "",
        "Reshape",
        5,
        _reshape,
        constant_inputs=(1,),
        computes_open=True,
        moves=True,
        moves_quantized_since=1,
        identity=Identity.SAME_SHAPE,
    ),
    OpDef(
        "",
        "Flatten",
        1,
        _flatten,
        moves=True,
        folding=Folding.ARRAYS,
        moves_quantized_since=1,
        identity=Identity.SAME_SHAPE,
    ),
    OpDef(
        "",
        "Squeeze",
        1,
        _squeeze,
        moves=True,
        folding=Folding.ARRAYS,
        moves_quantized_since=1,
        identity=Identity.SAME_SHAPE,
    ),
    OpDef(
        "",
        "Squeeze",
        13,
        _squeeze,
        constant_inputs=(1,),
        implied=_squeezed,
        moves=True,
        folding=Folding.ARRAYS,
        moves_quantized_since=1,
        identity=Identity.SAME_SHAPE,
    ),
    OpDef(
        "",
        "Unsqueeze",
        1,
        _unsqueeze,
        moves=True,
        folding=Folding.ARRAYS,
        moves_quantized_since=1,
        identity=Identity.SAME_SHAPE,
    ),
    OpDef(
        "",
        "Unsqueeze",
        13,
        _unsqueeze,
        constant_inputs=(1,),
        implied=_unsqueezed,
        moves=True,
        folding=Folding.ARRAYS,
        moves_quantized_since=1,
        identity=Identity.SAME_SHAPE,
    ),
    OpDef("", "Shape", 1, _shape, moves=True),
    OpDef("", "Size", 1, _size, moves=True),
    OpDef("", "Constant", 1, _constant, moves=True),
    OpDef(
        "",
        "ConstantOfShape",
        9,
        _constant_of_shape,
        constant_inputs=(0,),
        moves=True,
        implied=stated_shape(0, "shape"),
    ),
    OpDef("", "EyeLike", 9, _eye_like),
    OpDef(
        "",
        "Range",
        11,
        _range,
        constant_inputs=(0, 1, 2),
        computes_open=True,
        selects=Selects(lambda attributes, rank: {0: 0}),  # noqa: ARG005
    ),
    OpDef("", "Trilu", 14, _trilu, moves=True),
)
