"""Operators that read feature maps between their pixels: regions of interest and deformable convolution."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.sampling.roi_align import max_roi_pool, roi_align
from ingot.loops.build.nest import accumulator_type
from ingot.loops.nodes import Const, Expr, both, call, cast, compare, select
from ingot.ops.conv import add_channel_bias, conv_spec
from ingot.ops.facts import Folding, WindowSize
from ingot.ops.matmul import matmul
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.reduce import emit_cast


def _roi_align(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """RoiAlign 10, 16, 22. A batch index outside of the batch reads its nearest image."""
    x, rois, batches = (call_.input(position) for position in range(3))
    if x.type.size == 0 and rois.shape[0] > 0:
        call_.unsupported(f"the empty shape {list(x.shape)} has no regions")
    dtype = accumulator_type(x.dtype)
    # Before opset 16 there was no shift by half a pixel.
    usual = "half_pixel" if call_.version >= 16 else "output_half_pixel"
    mode = call_.attr("coordinate_transformation_mode", usual)
    x_, rois_ = emit_cast(emit, x, dtype), emit_cast(emit, rois, dtype)
    template = roi_align(
        x_.type,
        rois_.type,
        batches.type,
        (int(call_.attr("output_height", 1)), int(call_.attr("output_width", 1))),
        float(call_.attr("spatial_scale", 1.0)),
        int(call_.attr("sampling_ratio", 0)),
        call_.attr("mode", "avg").lower() == "max",
        0.5 if mode == "half_pixel" else 0.0,
    )
    return (emit_cast(emit, emit.template(template, [x_, rois_, batches])[0], x.dtype),)


def _max_roi_pool(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """MaxRoiPool 1, 22."""
    x, rois = call_.input(0), call_.input(1)
    dtype = accumulator_type(x.dtype)
    x_, rois_ = emit_cast(emit, x, dtype), emit_cast(emit, rois, dtype)
    height, width = (int(extent) for extent in call_.attr("pooled_shape"))
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
    x, w, offset = (emit_cast(emit, tensor, dtype) for tensor in (given, w, offset))
    spec = conv_spec(call_, x.type, w.type)
    batch, channels, height, width = x.shape
    kernel, out, group = spec.kernel, spec.y.shape[2:], spec.group
    taps = kernel[0] * kernel[1]
    shifts = int(call_.attr("offset_group", 1))
    if shifts < 1 or channels % shifts or offset.shape != (batch, shifts * taps * 2, *out):
        call_.unsupported(
            f"offsets of shape {list(offset.shape)} for {shifts} groups, kernel {kernel} and output {out}"
        )
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
            begin = (
                at[axis] * spec.strides[axis] - spec.pads_begin[axis] + tap_at[axis] * spec.dilations[axis]
            )
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
            unit = Const(1, dtype)
            weights = [
                fraction if step else unit - fraction
                for fraction, step in zip(part, (down, along), strict=True)
            ]
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
    OpDef("", "RoiAlign", 10, _roi_align, folding=Folding.PAIRS),
    OpDef("", "MaxRoiPool", 1, _max_roi_pool, folding=Folding.PAIRS),
    OpDef("", "DeformConv", 19, _deform_conv, folding=Folding.PAIRS, window=WindowSize(weights=1)),
)
