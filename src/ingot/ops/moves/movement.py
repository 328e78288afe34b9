"""Operators that move elements: transposes, copies, slices, pads, pieces put together and taken apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.elements import broadcast_index
from ingot.loops.nodes import Const, Expr, both, cast, compare, index, maximum, minimum, select
from ingot.ops.arguments import either, is_open, only
from ingot.ops.elementwise import broadcast_shape, scalar
from ingot.ops.facts import Folding, Identity
from ingot.ops.moves.open_movement import check_slice, open_pad, open_slice
from ingot.ops.moves.shapes import axes_of, axis_of, filled, integers
from ingot.ops.opdef import Emitter, Implied, OpCall, OpDef, Tensor

Read = Callable[..., Expr]


# ─── whole tensors ─────────────────────────────────────────────────────────────────────────────────────────────────


def transpose(emit: Emitter, x: Tensor, order: Sequence[int]) -> Tensor:
    """Dimension `i` of the result is dimension `order[i]` of `x`."""
    if tuple(order) == tuple(range(x.rank)):
        return x
    back = [list(order).index(axis) for axis in range(x.rank)]
    output = TensorType(x.dtype, tuple(x.shape[axis] for axis in order))
    return emit.pointwise([x], output, lambda where, read: read(*(where[axis] for axis in back)), "transpose")


def expand(emit: Emitter, x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """`x` broadcast to a shape that it fits."""
    if shape == x.shape:
        return x
    output = TensorType(x.dtype, shape)
    return emit.pointwise([x], output, lambda where, read: read(*broadcast_index(where, x.shape)), "expand")


def repeat(emit: Emitter, x: Tensor, inner: Sequence[int], outer: Sequence[int]) -> Tensor:
    """Each element `inner[axis]` times side by side, and the whole `outer[axis]` times, along every axis.

    The copies are dimensions of their own while they are made, so that no index is divided.
    """
    sizes: list[tuple[int, int]] = []  # of each dimension: before and after the copies are made
    for extent, each, whole in zip(x.shape, inner, outer, strict=True):
        sizes += [(1, whole)] if whole != 1 else []
        sizes += [(extent, extent)]
        sizes += [(1, each)] if each != 1 else []
    copied = expand(emit, emit.reshape(x, [size for size, _ in sizes]), tuple(size for _, size in sizes))
    return emit.reshape(copied, [e * i * o for e, i, o in zip(x.shape, inner, outer, strict=True)])


def _transpose(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Transpose 1 and later."""
    x = call_.input(0)
    order = call_.attr("perm")
    axes = tuple(reversed(range(x.rank))) if order is None else axes_of(call_, order, x.rank)
    if len(axes) != x.rank:
        call_.unsupported(f"perm {axes} does not name every dimension of the shape {list(x.shape)}")
    return (transpose(emit, x, axes),)


def _expand(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Expand 8, 13. The shape must be a constant, or the output's shape be known."""
    x = call_.input(0)
    shape = call_.input(1).constant
    if shape is None:
        _check_broadcast(call_, emit, x)
        return (expand(emit, x, call_.output().shape),)
    wanted = tuple(int(extent) for extent in shape.reshape(-1))
    return (expand(emit, x, broadcast_shape(call_, x.shape, wanted)),)


def _check_broadcast(call_: OpCall, emit: Emitter, x: Tensor) -> None:
    """Checks that an Expand by an argument gives the stated shape."""
    shape, stated = call_.input(1), call_.output().shape
    count = shape.type.size
    inside = (1,) * (len(stated) - x.rank) + x.shape
    if max(count, x.rank) != len(stated) or any(
        extent not in (1, whole) for extent, whole in zip(inside, stated, strict=True)
    ):
        call_.unsupported(
            f"a shape of {count} extents does not expand the shape {list(x.shape)} to the stated output {list(stated)}"
        )
    first = len(stated) - count  # dimensions before those of the argument stay as they are
    if inside[:first] != stated[:first]:
        call_.unsupported(
            f"a shape of {count} extents does not expand the shape {list(x.shape)} to the stated output {list(stated)}"
        )

    def holds(read: Read) -> Expr:
        good: list[Expr] = []
        for axis in range(count):
            extent = cast(read(axis), DType.INT64)
            same = compare("eq", extent, stated[first + axis])
            stays = inside[first + axis] == stated[first + axis]
            good.append(either(same, compare("eq", extent, 1)) if stays else same)
        return both(*good)

    if count:
        emit.check(
            [shape], holds, "shape", f"what expands {list(x.shape)} to the stated shape {list(stated)}"
        )


def _tile(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Tile 6, 13."""
    x = call_.input(0)
    counts = [int(count) for count in call_.constant(1, "repeats").reshape(-1)]
    if len(counts) != x.rank or any(count < 0 for count in counts):
        call_.unsupported(f"repeats {counts} do not fit the shape {list(x.shape)}")
    return (repeat(emit, x, [1] * x.rank, counts),)


def _repeats(call_: OpCall) -> Implied | None:
    """How often a stated shape has the extents of the input; where there are none, any number gives none."""
    x = call_.input(0)
    if not is_open(call_, 1) or not call_.wants(0):
        return None
    stated = call_.output().shape
    if len(stated) != x.rank or 0 in x.shape:
        return None
    fits = all(whole % part == 0 for whole, part in zip(stated, x.shape, strict=True))
    counts = [whole // part for whole, part in zip(stated, x.shape, strict=True)]
    return only(call_, 1, "repeats", counts if fits else ())


def _depth_to_space(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """DepthToSpace 1, 11, 13, 28: blocks of channels become blocks of pixels, in the order `DCR` or `CRD`."""
    x = call_.input(0)
    size = int(call_.attr("blocksize", 0))
    blocks = x.rank - 2
    if x.rank < 3 or size < 1 or x.shape[1] % size**blocks:
        call_.unsupported(f"blocks of {size} do not fit the shape {list(x.shape)}")
    depth = x.shape[1] // size**blocks
    spatial = x.shape[2:]
    if call_.attr("mode", "DCR") == "CRD":
        split = emit.reshape(x, (x.shape[0], depth, *(size,) * blocks, *spatial))
        channel, first = 1, 2
    else:
        split = emit.reshape(x, (x.shape[0], *(size,) * blocks, depth, *spatial))
        channel, first = 1 + blocks, 1
    order = [0, channel]
    for axis in range(blocks):
        order += [2 + blocks + axis, first + axis]
    moved = transpose(emit, split, order)
    return (emit.reshape(moved, (x.shape[0], depth, *(extent * size for extent in spatial))),)


def _space_to_depth(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """SpaceToDepth 1, 13, 28: blocks of pixels become blocks of channels, in the order `DCR` or `CRD`."""
    x = call_.input(0)
    size = int(call_.attr("blocksize", 0))
    spatial = x.shape[2:]
    if x.rank < 3 or size < 1 or any(extent % size for extent in spatial):
        call_.unsupported(f"blocks of {size} do not fit the shape {list(x.shape)}")
    split_shape = [*x.shape[:2]]
    for extent in spatial:
        split_shape += [extent // size, size]
    pixels = [2 + 2 * axis for axis in range(len(spatial))]
    inside = [axis + 1 for axis in pixels]
    order = [0, 1, *inside, *pixels] if call_.attr("mode", "DCR") == "CRD" else [0, *inside, 1, *pixels]
    moved = transpose(emit, emit.reshape(x, split_shape), order)
    channels = x.shape[1] * size ** len(spatial)
    return (emit.reshape(moved, (x.shape[0], channels, *(extent // size for extent in spatial))),)


# ─── pieces ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _split(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Split 2, 11 (attribute `split`), 13 (input), 18 (`num_outputs`, the last piece may be smaller)."""
    x = call_.input(0)
    axis = axis_of(call_, int(call_.attr("axis", 0)), x.rank)
    given = integers(call_, 1, "split")
    count = len(call_.outputs)
    if given is None:
        pieces = int(call_.attr("num_outputs", count))
        size = -(-x.shape[axis] // pieces)
        given = tuple(max(0, min(size, x.shape[axis] - size * piece)) for piece in range(pieces))
    if sum(given) != x.shape[axis] or any(size < 0 for size in given) or len(given) != count:
        call_.unsupported(
            f"pieces of {given} do not make up axis {axis} of the shape {list(x.shape)} in {count} outputs"
        )
    outputs = []
    start = 0
    for size in given:
        begin = [0] * x.rank
        begin[axis] = start
        shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])
        outputs.append(strided(emit, x, begin, [1] * x.rank, shape, "split"))
        start += size
    return outputs


def _sizes(call_: OpCall) -> Implied | None:
    x = call_.input(0)
    stated = [output.shape for output in call_.outputs if output is not None]
    if not is_open(call_, 1) or len(stated) != len(call_.outputs):
        return None
    axis = axis_of(call_, int(call_.attr("axis", 0)), x.rank)
    return only(call_, 1, "split", [shape[axis] for shape in stated])


def strided(
    emit: Emitter,
    x: Tensor,
    start: Sequence[int],
    step: Sequence[int],
    shape: tuple[int, ...],
    name: str = "slice",
) -> Tensor:
    """`result[i, …] = x[start[0] + i * step[0], …]`."""
    is_all = shape == x.shape and not any(start) and all(stride == 1 for stride in step)
    if is_all and not emit.keeps_steps:
        return x

    def at(where: tuple[Expr, ...], read: Read) -> Expr:
        return read(*(part * s + first for part, s, first in zip(where, step, start, strict=True)))

    return emit.pointwise([x], TensorType(x.dtype, shape), at, name)


def _slice(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Slice 1 (attributes), 10, 11, 13 (inputs)."""
    x = call_.input(0)
    if any(is_open(call_, position) for position in range(1, 5)):
        return (_slice_while_running(call_, emit, x),)
    given_axes, given_steps = integers(call_, 3, "axes"), integers(call_, 4, "steps")
    first, last = integers(call_, 1, "starts"), integers(call_, 2, "ends")
    if first is None or last is None:
        call_.unsupported("starts or ends are missing")
    axes = axes_of(call_, range(len(first)) if given_axes is None else given_axes, x.rank)
    steps = (1,) * len(axes) if given_steps is None else given_steps
    if not len(first) == len(last) == len(axes) == len(steps):
        call_.unsupported(f"starts {first}, ends {last}, axes {axes} and steps {steps} differ in number")
    begin, stride, shape = [0] * x.rank, [1] * x.rank, list(x.shape)
    for axis, low, high, step in zip(axes, first, last, steps, strict=True):
        if step == 0:
            call_.unsupported("a step is 0")
        positions = _positions(low, high, step, x.shape[axis])
        begin[axis], stride[axis], shape[axis] = positions.start, step, len(positions)
    return (strided(emit, x, begin, stride, tuple(shape)),)


def _positions(start: int, end: int, step: int, extent: int) -> range:
    """The positions of a slice. Unlike in Python, a start in front of the first element is the first one for every step."""
    low, high = (0, extent) if step > 0 else (-1, extent - 1)
    first = start + extent if start < 0 else start
    last = end + extent if end < 0 else end
    return range(min(max(first, 0), high), min(max(last, low), high), step)


def _slice_while_running(call_: OpCall, emit: Emitter, x: Tensor) -> Tensor:
    """A slice by arguments that are known only while running: where axes and steps are constants, only starts are read."""
    if is_open(call_, 3) or is_open(call_, 4):
        return open_slice(call_, emit, x)
    starts = call_.input(1)
    given_axes, given = integers(call_, 3, "axes"), integers(call_, 4, "steps")
    axes = axes_of(call_, range(starts.type.size) if given_axes is None else given_axes, x.rank)
    steps = (1,) * len(axes) if given is None else given
    if any(step < 1 for step in steps):
        return open_slice(call_, emit, x)
    output = call_.output()
    if not starts.type.size == len(axes) == len(steps):
        call_.unsupported(f"{starts.type.size} starts, axes {axes} and steps {steps} differ in number")
    limits = list(x.shape)
    for axis, step in zip(axes, steps, strict=True):
        limits[axis] = -(-x.shape[axis] // step)
    if output.rank != x.rank or any(
        extent > limit or (extent != limit and axis not in axes)
        for axis, (extent, limit) in enumerate(zip(output.shape, limits, strict=True))
    ):
        call_.unsupported(f"the stated output {list(output.shape)} is no slice of the shape {list(x.shape)}")
    check_slice(call_, emit, x, output.shape)

    def at(where: tuple[Expr, ...], read: Read, read_start: Read) -> Expr:
        moved = list(where)
        for number, (axis, step) in enumerate(zip(axes, steps, strict=True)):
            start = cast(read_start(number), DType.INT64)
            start = select(compare("lt", start, 0), start + x.shape[axis], start)
            room = x.shape[axis] - (output.shape[axis] - 1) * step - 1
            moved[axis] = where[axis] * step + minimum(maximum(start, 0), max(room, 0))
        return read(*moved)

    return emit.pointwise([x, starts], output, at, "slice")


# ─── borders ───────────────────────────────────────────────────────────────────────────────────────────────────────


def pad_constant(
    emit: Emitter,
    x: Tensor,
    before: Sequence[int],
    shape: tuple[int, ...],
    value: Tensor | Const,
    name: str = "pad",
) -> Tensor:
    """`x` moved by `before` in a box of another shape; where `x` does not reach, `value`."""
    if shape == x.shape and not any(before):
        return x
    if x.type.size == 0 and isinstance(value, Const):
        return filled(emit, TensorType(x.dtype, shape), value, name)

    def at(where: tuple[Expr, ...], read: Read, *read_value: Read) -> Expr:
        source = tuple(part - shift for part, shift in zip(where, before, strict=True))
        inside: list[Expr] = []
        for part, shift, extent, target in zip(source, before, x.shape, shape, strict=True):
            if shift > 0:
                inside.append(compare("ge", part, 0))
            if target - shift > extent:
                inside.append(compare("lt", part, extent))
        border = value if isinstance(value, Const) else scalar(value, read_value[0])
        return select(both(*inside), read(*source), border)

    inputs = [x] if isinstance(value, Const) else [x, value]
    return emit.pointwise(inputs, TensorType(x.dtype, shape), at, name)


def _mirror(part: Expr, before: int, after: int, extent: int) -> Expr:
    """An index that is reflected at the first and the last element."""
    if extent == 1:
        return index(0)
    if max(before, after) < extent:
        low = select(compare("lt", part, 0), 0 - part, part) if before > 0 else part
        return select(compare("ge", part, extent), index(2 * extent - 2) - part, low) if after > 0 else low
    period = 2 * extent - 2
    phase = (part % period + period) % period
    return select(compare("ge", phase, extent), index(period) - phase, phase)


def _around(part: Expr, before: int, after: int, extent: int) -> Expr:
    """An index that begins anew at the other end."""
    if max(before, after) <= extent:
        low = select(compare("lt", part, 0), part + extent, part) if before > 0 else part
        return select(compare("ge", part, extent), part - extent, low) if after > 0 else low
    return (part % extent + extent) % extent


def _nearest(part: Expr, before: int, after: int, extent: int) -> Expr:
    low = maximum(part, 0) if before > 0 else part
    return minimum(low, extent - 1) if after > 0 else low


_BORDERS = {"reflect": _mirror, "edge": _nearest, "wrap": _around}


def _border(call_: OpCall, x: Tensor) -> Tensor | Const:
    """The value of a constant border."""
    number = call_.attr("value", 0)
    fill = float(number) if x.dtype.is_float else x.dtype is not DType.BOOL and int(number)
    return call_.optional(2) or Const(fill, x.dtype)


def _pad_while_running(call_: OpCall, emit: Emitter, x: Tensor) -> Tensor:
    """A Pad by arguments that are known only while running: pads may reach further than the input is long."""
    mode = call_.attr("mode", "constant")
    if mode == "constant":
        return open_pad(call_, emit, x, None, _border(call_, x))
    rule = _BORDERS.get(mode)
    if rule is None:
        call_.unsupported(f"mode {mode!r} is not one of constant, edge, reflect, wrap")

    def place(part: Expr, extent: int) -> Expr:
        return rule(part, extent + 1, extent + 1, extent)

    return open_pad(call_, emit, x, place, Const(0, x.dtype))


def _pad(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """Pad 2 (attributes), 11, 13 (inputs), 18 (`axes`), 19 (`wrap`) and later; negative pads cut off."""
    x = call_.input(0)
    if is_open(call_, 1) or is_open(call_, 3):
        return (_pad_while_running(call_, emit, x),)
    pads = integers(call_, 1, "pads")
    axes = integers(call_, 3, "axes")
    if pads is None:
        call_.unsupported("the pads are missing")
    named = axes_of(call_, range(x.rank) if axes is None else axes, x.rank)
    if len(pads) != 2 * len(named):
        call_.unsupported(f"pads {pads} do not fit {len(named)} axes")
    before, after = [0] * x.rank, [0] * x.rank
    for number, axis in enumerate(named):
        before[axis], after[axis] = pads[number], pads[number + len(named)]
    shape = tuple(b + extent + a for b, extent, a in zip(before, x.shape, after, strict=True))
    if any(extent < 0 for extent in shape):
        call_.unsupported(f"pads {pads} cut more than there is of the shape {list(x.shape)}")
    mode = call_.attr("mode", "constant")
    output = TensorType(x.dtype, shape)
    if mode == "constant":
        return (pad_constant(emit, x, before, shape, _border(call_, x)),)
    if mode not in _BORDERS:
        call_.unsupported(f"mode {mode!r} is not one of constant, edge, reflect, wrap")
    if x.type.size == 0:
        if output.size:
            call_.unsupported(f"mode {mode!r} cannot pad the empty shape {list(x.shape)}")
        return (filled(emit, output, Const(0, x.dtype), "pad"),)

    def at(where: tuple[Expr, ...], read: Read) -> Expr:
        return read(
            *(
                _BORDERS[mode](part - b, b, a, extent)
                for part, b, a, extent in zip(where, before, after, x.shape, strict=True)
            )
        )

    return (emit.pointwise([x], output, at, f"pad_{mode}"),)


def _center_crop_pad(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """CenterCropPad 18: cut or filled with zeros about the middle; the odd element is cut in front and added behind."""
    x = call_.input(0)
    target = [int(extent) for extent in call_.constant(1, "shape").reshape(-1)]
    axes = axes_of(call_, call_.attr("axes") or range(x.rank), x.rank)
    if len(axes) != len(target):
        call_.unsupported(f"the shape {target} does not fit {len(axes)} axes")
    shape, before = list(x.shape), [0] * x.rank
    for axis, extent in zip(axes, target, strict=True):
        shape[axis] = extent
        missing = extent - x.shape[axis]
        before[axis] = missing // 2 if missing > 0 else -(-missing // 2)
    return (pad_constant(emit, x, before, tuple(shape), Const(0, x.dtype), "center_crop_pad"),)


def _target(call_: OpCall) -> Implied | None:
    if not is_open(call_, 1) or not call_.wants(0):
        return None
    shape = call_.output().shape
    axes = axes_of(call_, call_.attr("axes") or range(len(shape)), len(shape))
    return only(call_, 1, "shape", [shape[axis] for axis in axes])


def _reverse_sequence(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """ReverseSequence 10: the first `sequence_lens[b]` elements of every sequence backwards; a length ends at the tensor's."""
    x, lengths = call_.input(0), call_.input(1)
    time, batch = axes_of(call_, (call_.attr("time_axis", 0), call_.attr("batch_axis", 1)), x.rank)
    call_.require_shape(1, "sequence lengths", (x.shape[batch],))

    def at(where: tuple[Expr, ...], read: Read, read_length: Read) -> Expr:
        length = minimum(cast(read_length(where[batch]), DType.INT64), x.shape[time])
        moved = list(where)
        moved[time] = select(compare("lt", where[time], length), length - 1 - where[time], where[time])
        return read(*moved)

    return (emit.pointwise([x, lengths], x.type, at, "reverse_sequence"),)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Transpose", 1, _transpose, moves=True, moves_quantized_since=1),
    OpDef(
        "",
        "Expand",
        8,
        _expand,
        constant_inputs=(1,),
        computes_open=True,
        moves=True,
        moves_quantized_since=1,
        identity=Identity.SAME_SHAPE,
    ),
    OpDef("", "Tile", 6, _tile, constant_inputs=(1,), moves=True, moves_quantized_since=1, implied=_repeats),
    OpDef("", "DepthToSpace", 1, _depth_to_space, moves=True, moves_quantized_since=1),
    OpDef("", "SpaceToDepth", 1, _space_to_depth, moves=True, moves_quantized_since=1),
    OpDef("", "Split", 2, _split, moves=True, folding=Folding.ARRAYS),
    OpDef("", "Split", 13, _split, constant_inputs=(1,), moves=True, folding=Folding.ARRAYS, implied=_sizes),
    OpDef("", "Slice", 1, _slice, moves=True, folding=Folding.ARRAYS, moves_quantized_since=1),
    OpDef(
        "",
        "Slice",
        10,
        _slice,
        constant_inputs=(1, 2, 3, 4),
        computes_open=True,
        moves=True,
        folding=Folding.ARRAYS,
        moves_quantized_since=1,
    ),
    OpDef("", "Pad", 2, _pad, moves=True, misinferred=True),
    OpDef("", "Pad", 11, _pad, constant_inputs=(1, 3), moves=True, misinferred=True, computes_open=True),
    OpDef("", "CenterCropPad", 18, _center_crop_pad, constant_inputs=(1,), moves=True, implied=_target),
    OpDef("", "ReverseSequence", 10, _reverse_sequence, moves=True, folding=Folding.PYTHON),
)
