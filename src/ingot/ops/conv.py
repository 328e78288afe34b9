"""Convolution: direct, over feature maps stored with channels last.

Weights are packed while building as `[group, panel, kernel…, channel, width]`: a panel is the `width` output channels whose
accumulators one register block holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.window import places
from ingot.kernels.conv.conv import as_one_row, conv_template, without_unit_row
from ingot.kernels.conv.problem import ConvSpec
from ingot.ops.elementwise import map_broadcast
from ingot.ops.facts import Folding, WindowSize
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.window import AUTO_PADS

# ─── lowering ──────────────────────────────────────────────────────────────────────────────────────────────────────


def window_padding(
    call_: OpCall,
    extents: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Padding in front and behind from the attributes `pads` and `auto_pad`."""
    rank = len(kernel)
    mode = call_.attr("auto_pad", "NOTSET")
    if mode not in AUTO_PADS:
        call_.unsupported(f"auto_pad {mode!r} is not one of {', '.join(AUTO_PADS)}")
    if mode in ("SAME_UPPER", "SAME_LOWER"):
        begins, ends = [], []
        for extent, size, stride, dilation in zip(extents, kernel, strides, dilations, strict=True):
            total = max(0, (-(-extent // stride) - 1) * stride + (size - 1) * dilation + 1 - extent)
            small = total // 2
            begins.append(small if mode == "SAME_UPPER" else total - small)
            ends.append(total - begins[-1])
        return tuple(begins), tuple(ends)
    pads = [0] * (2 * rank) if mode == "VALID" else [int(pad) for pad in call_.attr("pads", [0] * (2 * rank))]
    if any(pad < 0 for pad in pads):
        call_.unsupported(f"negative pads {pads}")
    return tuple(pads[:rank]), tuple(pads[rank:])


def conv_spec(call_: OpCall, x: TensorType, w: TensorType, out: DType | None = None) -> ConvSpec:
    """The numbers of a Conv-like node, checked."""
    rank = x.rank - 2
    if rank < 1 or w.rank != x.rank:
        call_.unsupported(f"convolution of {x} with weights {w}")
    kernel = w.shape[2:]
    if tuple(call_.attr("kernel_shape", kernel)) != kernel:
        call_.unsupported(
            f"kernel_shape {tuple(call_.attr('kernel_shape'))} differs from that of the weights {kernel}"
        )
    strides = tuple(call_.attr("strides", [1] * rank))
    dilations = tuple(call_.attr("dilations", [1] * rank))
    begins, ends = window_padding(call_, x.shape[2:], kernel, strides, dilations)
    group = int(call_.attr("group", 1))
    if x.shape[1] != w.shape[1] * group or w.shape[0] % group:
        call_.unsupported(f"{x.shape[1]} channels and weights {list(w.shape)} do not fit {group} groups")
    outputs = tuple(
        places(begin + extent + end, (size - 1) * dilation + 1, stride)
        for begin, extent, end, size, dilation, stride in zip(
            begins, x.shape[2:], ends, kernel, dilations, strides, strict=True
        )
    )
    y = TensorType(out or x.dtype, (x.shape[0], w.shape[0], *outputs))
    return ConvSpec(x, w, y, kernel, strides, dilations, begins, ends, group)


def add_channel_bias(call_: OpCall, emit: Emitter, y: Tensor, bias: Tensor | None) -> Tensor:
    """Emits `y [N, C, …] + bias [C]`."""
    if bias is None:
        return y
    shaped = emit.reshape(bias, (bias.shape[0], *[1] * (y.rank - 2)))
    return map_broadcast(call_, emit, [y, shaped], y.type, lambda a, b: a + b, "bias")


def _lower_conv(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """ONNX Conv 1, 11, 22: any number of spatial dimensions, groups, dilations, `auto_pad`."""
    x, w = call_.input(0), call_.input(1)
    spec = conv_spec(call_, x.type, w.type)
    call_.require_shape(2, "bias", w.shape[:1])
    result = spec.y.shape
    if (flat := without_unit_row(spec) or as_one_row(spec)) is not None:
        spec, x, w = flat, emit.reshape(x, flat.x.shape), emit.reshape(w, flat.w.shape)
    (y,) = emit.template(conv_template(spec), [x, w])
    return (emit.reshape(add_channel_bias(call_, emit, y, call_.optional(2)), result),)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("", "Conv", 1, _lower_conv, folding=Folding.PAIRS, window=WindowSize(weights=1), factors=(1,)),
)
