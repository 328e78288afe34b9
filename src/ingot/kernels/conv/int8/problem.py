"""The numbers of an integer convolution, which all algorithms for one share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.template import Site


@dataclass(frozen=True, slots=True)
class QConv:
    """A convolution of 8-bit quantized values with int8 weights, summed in int32: `zero_point` stands outside of the input."""

    spec: ConvSpec
    zero_point: int


def is_depthwise(spec: ConvSpec) -> bool:
    """Whether each output channel has one input channel to itself."""
    return spec.group > 1 and spec.w.shape[1] == 1 and spec.w.shape[0] == spec.group


def known_operands(site: Site) -> tuple[np.ndarray, np.ndarray]:
    """The weights `[M, C/group, *kernel]` and the numbers `[M]` that sums start from."""
    weights, starts = site.constant(1), site.constant(2)
    assert weights is not None and starts is not None, "the weights of an integer convolution are constants"
    return weights, starts
