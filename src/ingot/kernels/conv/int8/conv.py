"""Convolution of 8-bit quantized values with constant weights, summed in int32, by the algorithm that is chosen for it."""

from __future__ import annotations

from ingot.base.tensor import DType, TensorType
from ingot.kernels.algorithm import build
from ingot.kernels.conv.conv import channels_last
from ingot.kernels.conv.int8.amx import AMX
from ingot.kernels.conv.int8.depthwise import PAIRS, TAPS, WORDS
from ingot.kernels.conv.int8.direct import DIRECT
from ingot.kernels.conv.int8.pointwise import POINTWISE
from ingot.kernels.conv.int8.problem import QConv, is_depthwise
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.conv.winograd.int8 import WINOGRAD
from ingot.kernels.template import Independent, Template

FAMILY = "qconv"
QCONV = (WORDS, PAIRS, TAPS, AMX, WINOGRAD, POINTWISE, DIRECT)


def qconv_template(spec: ConvSpec, zero_point: int) -> Template:
    """Sums `[N, M, *out]` in int32 of a convolution of quantized values `x` with int8 weights `w`, which must be constants.

    Input 2 is the number `[M]` that each sum starts from, as `dot_block.starts` makes it (for a depthwise convolution: of the
    values as they are). Outside of the input the value is `zero_point`.
    """
    independent, windows = spec.along_axes(zero_point)
    return Template(
        "depthwise_qconv" if is_depthwise(spec) else "qconv",
        (spec.x, spec.w, TensorType(DType.INT32, (spec.w.shape[0],))),
        (spec.y,),
        lambda site: build(site, FAMILY, QConv(spec, zero_point), QCONV),
        spec={
            "kernel": spec.kernel,
            "strides": spec.strides,
            "dilations": spec.dilations,
            "pads": (*spec.pads_begin, *spec.pads_end),
            "group": spec.group,
            "zero_point": zero_point,
        },
        inlines=frozenset({0}),
        prefers={("output", 0): channels_last(spec.y.rank)},
        independent=tuple(Independent((*way.inputs, None), way.outputs) for way in independent),
        windowed=windows,
    )
