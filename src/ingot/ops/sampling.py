"""Operators that read feature maps between their pixels: regions of interest and deformable convolution."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.sampling.roi_mean import Names, Span, roi_means
from ingot.kernels.template import Site, Template
from ingot.loops.build.nest import accumulator_type, collapse
from ingot.loops.nodes import (
    Alloc,
    Const,
    Expr,
    For,
    If,
    Let,
    LoopKind,
    Stmt,
    Var,
    both,
    buffer,
    call,
    cast,
    compare,
    index,
    load,
    maximum,
    minimum,
    select,
    store,
)
from ingot.ops.activations import text
from ingot.ops.conv import add_channel_bias, conv_spec
from ingot.ops.matmul import matmul
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast, lowest

# ─── regions of interest ───────────────────────────────────────────────────────────────────────────────────────────


_SAMPLES_MAX = 1 << 16  # of a result in one direction: a region may be anywhere, and be of any size


def _as_many_as_pixels(length: Expr) -> Expr:
    """How often a result of this length in pixels is sampled in one direction."""
    return cast(call("ceil", minimum(Const(float(_SAMPLES_MAX), length.dtype), length)), DType.INT64)


def roi_align(
    x: TensorType,
    rois: TensorType,
    batches: TensorType,
    size: tuple[int, int],
    scale: float,
    ratio: int,
    largest: bool,
    offset: float,
) -> Template:
    """Samples each region on a regular grid: `x [N, C, H, W], rois [R, 4], batches [R]` → `[R, C, *size]`.

    Each result is the mean of its samples, or (`largest`) the largest of their weighted corners. `ratio` samples a result in each
    direction, 0: as many as the region has pixels, up to _SAMPLES_MAX. `offset` is taken from all coordinates of a region.
    """
    count, channels = rois.shape[0], x.shape[1]
    output = TensorType(x.dtype, (count, channels, *size))
    dtype = x.dtype

    def region(site: Site, roi: Expr, names: Names) -> tuple[Expr, list[Span]]:
        batch = names("batch", minimum(maximum(cast(site.read(2, roi), DType.INT64), 0), x.shape[0] - 1))
        spans = []
        # Vertical first: the region is (x1, y1, x2, y2).
        for axis, (first, pooled) in enumerate(((1, size[0]), (0, size[1]))):
            start = names(f"start{axis}", site.read(1, roi, first) * scale - offset)
            length = site.read(1, roi, first + 2) * scale - offset - start
            if offset == 0.0:
                length = maximum(length, 1.0)
            each = names(f"bin{axis}", length / float(pooled))
            number = index(ratio) if ratio > 0 else names(f"samples{axis}", _as_many_as_pixels(each))
            spans.append(Span(x.shape[axis + 2], start, each, number))
        return batch, spans

    def build(site: Site) -> Sequence[Stmt]:
        if not largest and not site.machine.grid and output.size and x.size:
            return roi_means(site, x, count, size, ratio, lambda roi, names: region(site, roi, names))
        total = buffer("total", dtype, (1,))

        def one(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            roi, channel, *at = where
            names = Names("")
            batch, spans = region(site, roi, names)
            taps = (Var("tap0"), Var("tap1"))

            def sample() -> Sequence[Stmt]:
                inner: list[Stmt] = []
                found = []
                near = []
                for axis, span in enumerate(spans):
                    here = Names(axis)
                    place = here("place", span.place(at[axis], taps[axis]))
                    near.append(span.is_near(place))
                    found.append(span.neighbours(place, here))
                    inner += here
                one_ = Const(1, dtype)
                corners = []
                (top, bottom, part), (left, right, along) = found
                for rows, down in ((top, one_ - part), (bottom, part)):
                    for columns, beside in ((left, one_ - along), (right, along)):
                        corners.append(down * beside * site.read(0, batch, channel, rows, columns))
                combined = corners[0]
                for corner in corners[1:]:
                    combined = maximum(combined, corner) if largest else combined + corner
                value = Var("value", dtype)
                inner.append(Let(value, select(both(*near), combined, Const(0, dtype))))
                old = load(total, 0)
                inner.append(store(total, (0,), maximum(old, value) if largest else old + value))
                return inner

            result = load(total, 0)
            number = spans[0].samples * spans[1].samples
            if largest:
                result = select(compare("gt", number, 0), result, Const(0, dtype))
            else:
                result = result / cast(maximum(number, 1), dtype)
            across = For(taps[1], spans[1].samples, tuple(sample()), LoopKind.SERIAL)
            return (
                Alloc(total),
                *names,
                store(total, (0,), lowest(dtype) if largest else 0),
                For(taps[0], spans[0].samples, (across,), LoopKind.SERIAL),
                *site.write(0, where, result),
            )

        return collapse("result", output.shape, one)

    spec = {"size": size, "scale": scale, "ratio": ratio, "largest": largest, "offset": offset}
    return Template("roi_align", (x, rois, batches), (output,), build, spec)


def _roi_align(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """RoiAlign 10, 16, 22. A batch index outside of the batch reads its nearest image."""
    x, rois, batches = (call_.input(position) for position in range(3))
    if x.type.size == 0 and rois.shape[0] > 0:
        call_.unsupported(f"the empty shape {list(x.shape)} has no regions")
    dtype = accumulator_type(x.dtype)
    # Before opset 16 there was no shift by half a pixel.
    mode = text(call_.attr("coordinate_transformation_mode", "half_pixel" if call_.version >= 16 else "output_half_pixel"))
    x_, rois_ = emit_cast(emit, x, dtype), emit_cast(emit, rois, dtype)
    template = roi_align(
        x_.type,
        rois_.type,
        batches.type,
        (int(call_.attr("output_height", 1)), int(call_.attr("output_width", 1))),
        float(call_.attr("spatial_scale", 1.0)),
        int(call_.attr("sampling_ratio", 0)),
        text(call_.attr("mode", "avg")).lower() == "max",
        0.5 if mode == "half_pixel" else 0.0,
    )
    return (emit_cast(emit, emit.template(template, [x_, rois_, batches])[0], x.dtype),)


def max_roi_pool(x: TensorType, rois: TensorType, size: tuple[int, int], scale: float) -> Template:
    """The largest element of each cell of a region: `x [N, C, H, W], rois [R, 5]` (image, x1, y1, x2, y2) → `[R, C, *size]`."""
    output = TensorType(x.dtype, (rois.shape[0], x.shape[1], *size))
    dtype = x.dtype

    def build(site: Site) -> Sequence[Stmt]:
        total = buffer("total", dtype, (1,))

        def one(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            roi, channel, *cell = where
            batch = Var("batch")
            lets: list[Stmt] = [
                Let(batch, minimum(maximum(cast(site.read(1, roi, 0), DType.INT64), 0), x.shape[0] - 1)),
            ]
            firsts, counts = [], []
            for axis, (begin, pooled) in enumerate(((2, size[0]), (1, size[1]))):
                # Halves round up, as in the network that this operator comes from.
                start = call("floor", site.read(1, roi, begin) * scale + 0.5)
                end = call("floor", site.read(1, roi, begin + 2) * scale + 0.5)
                each = maximum(end - start + 1.0, 1.0) / float(pooled)
                low = cast(call("floor", cast(cell[axis], dtype) * each) + start, DType.INT64)
                high = cast(call("ceil", cast(cell[axis] + 1, dtype) * each) + start, DType.INT64)
                extent = x.shape[axis + 2]
                first, stop = Var(f"first{axis}"), Var(f"count{axis}")
                lets.append(Let(first, minimum(maximum(low, 0), extent)))
                lets.append(Let(stop, maximum(minimum(maximum(high, 0), extent) - first, 0)))
                firsts.append(first)
                counts.append(stop)
            rows, columns = Var("row"), Var("column")
            value = site.read(0, batch, channel, firsts[0] + rows, firsts[1] + columns)
            update = store(total, (0,), maximum(load(total, 0), value))
            some = compare("gt", counts[0] * counts[1], 0)
            return (
                Alloc(total),
                *lets,
                store(total, (0,), 0),
                If(some, (store(total, (0,), lowest(dtype)),)),
                For(rows, counts[0], (For(columns, counts[1], (update,), LoopKind.SERIAL),), LoopKind.SERIAL),
                *site.write(0, where, load(total, 0)),
            )

        return collapse("result", output.shape, one)

    return Template("max_roi_pool", (x, rois), (output,), build, {"size": size, "scale": scale})


def _max_roi_pool(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """MaxRoiPool 1, 22."""
    x, rois = call_.input(0), call_.input(1)
    dtype = accumulator_type(x.dtype)
    x_, rois_ = emit_cast(emit, x, dtype), emit_cast(emit, rois, dtype)
    height, width = (int(one) for one in call_.attr("pooled_shape"))
    template = max_roi_pool(x_.type, rois_.type, (height, width), float(call_.attr("spatial_scale", 1.0)))
    return (emit_cast(emit, emit.template(template, [x_, rois_])[0], x.dtype),)


# ─── deformable convolution ────────────────────────────────────────────────────────────────────────────────────────


def _deform_conv(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """DeformConv 19, 22, of two spatial dimensions: pixels gathered at the shifted taps, then one matrix product."""
    given, w, offset = call_.input(0), call_.input(1), call_.input(2)
    mask = call_.optional(4)
    if given.rank != 4:
        call_.unsupported(f"deformable convolution of {given.type}; expected two spatial dimensions")
    dtype = accumulator_type(given.dtype)
    x, w, offset = (emit_cast(emit, one, dtype) for one in (given, w, offset))
    spec = conv_spec(call_, x.type, w.type)
    batch, channels, height, width = x.shape
    kernel, out, group = spec.kernel, spec.y.shape[2:], spec.group
    taps = kernel[0] * kernel[1]
    shifts = int(call_.attr("offset_group", 1))
    if shifts < 1 or channels % shifts or offset.shape != (batch, shifts * taps * 2, *out):
        call_.unsupported(f"offsets of shape {list(offset.shape)} for {shifts} groups, kernel {kernel} and output {out}")
    call_.require_shape(4, "the mask", (batch, shifts * taps, *out))
    call_.require_shape(3, "the bias", w.shape[:1])
    operands = [x, offset] if mask is None else [x, offset, emit_cast(emit, mask, dtype)]
    # Image, group, channel of the group and tap, output pixel.
    each = channels // group
    gathered = TensorType(dtype, (batch, group, each * taps, out[0] * out[1]))

    def value(where: tuple[Expr, ...], *reads: Callable[..., Expr]) -> Expr:
        image, number, inner, pixel = where
        channel, tap = number * each + inner // taps, inner % taps
        at = (pixel // out[1], pixel % out[1])
        tap_at = (tap // kernel[1], tap % kernel[1])
        shift = channel // (channels // shifts) * taps + tap
        low, part, valid = [], [], []
        for axis, extent in enumerate((height, width)):
            begin = at[axis] * spec.strides[axis] - spec.pads_begin[axis] + tap_at[axis] * spec.dilations[axis]
            place = cast(begin, dtype) + reads[1](image, shift * 2 + axis, *at)
            # What lies a pixel or more outside is zero; NaN too. The comparison keeps the conversion below in range.
            valid += [compare("gt", place, -1.0), compare("lt", place, float(extent))]
            floor = call("floor", place)
            low.append(floor)
            part.append(place - floor)
        inside = both(*valid)

        def corner(down: int, along: int) -> Expr:
            place = []
            present = []
            for floor, step, extent in ((low[0], down, height), (low[1], along, width)):
                position = cast(floor, DType.INT64) + step
                present += [compare("ge", position, 0), compare("lt", position, extent)]
                place.append(position)
            one = Const(1, dtype)
            weights = [fraction if step else one - fraction for fraction, step in zip(part, (down, along), strict=True)]
            pixel_ = select(both(*present), reads[0](image, channel, *place), Const(0, dtype))
            return weights[0] * weights[1] * pixel_

        total = corner(0, 0) + corner(0, 1) + corner(1, 0) + corner(1, 1)
        result = select(inside, total, Const(0, dtype))
        return result * reads[2](image, shift, *at) if mask is not None else result

    columns = emit.pointwise(operands, gathered, value, "gather_taps")
    weights = emit.reshape(w, (1, group, spec.w.shape[0] // group, each * taps))
    product = matmul(call_, emit, weights, columns)
    shaped = emit.reshape(product, spec.y.shape)
    bias = call_.optional(3)
    y = add_channel_bias(call_, emit, shaped, None if bias is None else emit_cast(emit, bias, dtype))
    return (emit_cast(emit, y, given.dtype),)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "RoiAlign", 10, _roi_align),
    OpDef("", "MaxRoiPool", 1, _max_roi_pool),
    OpDef("", "DeformConv", 19, _deform_conv),
)
