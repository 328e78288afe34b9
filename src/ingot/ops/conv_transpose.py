"""Transposed convolution as convolutions: one for each place of an output between two steps of the stride.

Output `stride * q + phase` of a dimension sums the taps `k` for which `stride` divides `phase + begin - k * dilation`. These are
a fixed number of steps apart, so that the outputs of one phase are a convolution of stride 1 by every n-th tap, the last first.
With stride 1 there is one phase, and the operator is a convolution by the reversed weights.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from ingot.base.tensor import TensorType
from ingot.kernels.conv.conv import conv_template
from ingot.kernels.conv.transposed import Phase, TransposedSpec, conv_transpose_template, reversed_weights
from ingot.loops.nodes import Expr
from ingot.ops.conv import add_channel_bias, window_padding
from ingot.ops.facts import Folding, Trust
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor

# ─── lowering ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _lower_conv_transpose(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """ONNX ConvTranspose 1, 11, 22: any number of spatial dimensions, groups, dilations, `output_padding`, `output_shape`."""
    x, w = call_.input(0), call_.input(1)
    rank = x.rank - 2
    kernel = w.shape[2:]
    strides = tuple(call_.attr("strides", [1] * rank))
    dilations = tuple(call_.attr("dilations", [1] * rank))
    extra = tuple(call_.attr("output_padding", [0] * rank))
    group = int(call_.attr("group", 1))
    if group < 1 or w.rank != x.rank or w.shape[0] != x.shape[1] or x.shape[1] % group:
        call_.unsupported(f"{x.shape[1]} channels and weights {list(w.shape)} do not fit {group} groups")
    call_.require_shape(2, "bias", (w.shape[1] * group,))
    full = [
        (extent - 1) * stride + (size - 1) * dilation + 1 + more
        for extent, stride, size, dilation, more in zip(
            x.shape[2:], strides, kernel, dilations, extra, strict=True
        )
    ]
    mode = call_.attr("auto_pad", "NOTSET")
    wanted = call_.attr("output_shape")
    if wanted is None and mode in ("SAME_UPPER", "SAME_LOWER") and any(extra):
        # Input times stride by the text and the reference, output_padding more by ONNX's inference of shapes.
        call_.unsupported(
            f"how long a result is with auto_pad {mode} and output_padding, ONNX does not say; give output_shape"
        )
    if wanted is not None or mode in ("SAME_UPPER", "SAME_LOWER"):
        outputs = (
            tuple(wanted)[-rank:]
            if wanted is not None
            else tuple(
                min(extent * stride, all_)
                for extent, stride, all_ in zip(x.shape[2:], strides, full, strict=True)
            )
        )
        totals = [max(0, total - extent) for total, extent in zip(full, outputs, strict=True)]
        begins = tuple(total // 2 if mode == "SAME_UPPER" else total - total // 2 for total in totals)
    else:
        begins, ends = window_padding(call_, x.shape[2:], kernel, strides, dilations)
        outputs = tuple(total - b - e for total, b, e in zip(full, begins, ends, strict=True))
    spec = TransposedSpec(
        x.type,
        w.type,
        TensorType(x.dtype, (x.shape[0], w.shape[1] * group, *outputs)),
        strides,
        dilations,
        begins,
        group,
    )
    if max(strides) == 1 and all(outputs):
        (only,) = itertools.product(*(spec.parts(axis) for axis in range(rank)))
        reversed_w = _emit_reversed(emit, w, spec, only)
        (y,) = emit.template(conv_template(spec.convolution(only)), [x, reversed_w])
    else:
        (y,) = emit.template(conv_transpose_template(spec), [x, w])
    return (add_channel_bias(call_, emit, y, call_.optional(2)),)


def _emit_reversed(emit: Emitter, w: Tensor, spec: TransposedSpec, only: Sequence[Phase]) -> Tensor:
    """Emits the weights of the convolution of stride 1; constant weights stay constant."""
    if w.constant is not None:
        return emit.constant(reversed_weights(w.constant, spec, only), w.dtype)
    depth, per_group = spec.x.shape[1] // spec.group, spec.w.shape[1]

    def value(at: Sequence[Expr], read: Callable[..., Expr]) -> Expr:
        m, c, *taps = at
        k = [phase.last - tap for tap, phase in zip(taps, only, strict=True)]
        return read(m // per_group * depth + c, m % per_group, *k)

    return emit.pointwise([w], spec.convolution(only).w, value, "turned_weights")


OPERATORS: tuple[OpDef, ...] = (
    OpDef(
        "",
        "ConvTranspose",
        1,
        _lower_conv_transpose,
        folding=Folding.PAIRS,
        evaluated=Trust.NEVER,
        misinferred=True,
        factors=(1,),
    ),
)
