"""Convolutions of float32 in matrix tiles are as near to those in float64 as multiply-adds, whatever pixels and channels leave
over.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.conv.amx import AMX, cycles, pack_panels
from ingot.kernels.conv.conv import conv_template
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.template import Site
from ingot.loops.nodes import Buffer
from ingot.machines.tuning import Amx
from tests.kernels.algorithms import pays, refusal
from tests.kernels.templates import strides_of, template_kernel
from tests.support import machines
from tests.support.kernel_llvm import needs_cc
from tests.support.tiles import needs_float_tiles, output_in_tiles

# Few weights fit in a second-level cache of this size: only those of the smaller convolutions are read for each block of pixels.
MACHINE = replace(machines.AMX, prefetch=True)
CHANNELS_LAST = (0, 2, 3, 1)
# Of the sum of products without their signs: what is left out of each, and roundings.
_ERROR = 2.0**-20

# batch, channels, outputs, extents, strides
CONVS = {
    "whole blocks": (1, 64, 64, (8, 8), (1, 1)),
    "pixels left over": (1, 32, 32, (7, 7), (1, 1)),
    "fewer pixels than a block": (1, 64, 32, (4, 5), (1, 1)),
    "outputs left over": (1, 32, 80, (6, 6), (1, 1)),
    "fewer outputs than a panel": (1, 48, 24, (6, 6), (1, 1)),
    "channels left over": (1, 50, 32, (6, 6), (1, 1)),
    "more than half of a step left over": (1, 56, 32, (6, 6), (1, 1)),
    "odd channels": (1, 35, 33, (6, 6), (1, 1)),
    "fewer channels than a step": (1, 21, 40, (6, 6), (1, 1)),
    "every other pixel": (1, 64, 48, (9, 12), (2, 2)),
    "two pictures": (2, 40, 36, (5, 5), (1, 1)),
    "many blocks": (2, 32, 40, (21, 20), (1, 1)),
}
# So many weights that they are split beside the products.
LARGE = {
    "many weights": (1, 544, 608, (7, 7), (1, 1)),
    "many weights, every other pixel of two pictures": (2, 1030, 400, (9, 9), (2, 2)),
}


def spec_of(batch, channels, outputs, extents, strides, kernel=(1, 1), group=1):
    pads = tuple(size // 2 for size in kernel)
    out = tuple(
        (extent + 2 * pad - size) // stride + 1
        for extent, pad, size, stride in zip(extents, pads, kernel, strides, strict=True)
    )
    x = TensorType(DType.FLOAT32, (batch, channels, *extents))
    w = TensorType(DType.FLOAT32, (outputs, channels // group, *kernel))
    return ConvSpec(
        x, w, TensorType(DType.FLOAT32, (batch, outputs, *out)), kernel, strides, (1, 1), pads, pads, group
    )


def made(shape):
    """The kernel of a convolution, its memory, what it should give, and how far from that it may be."""
    spec = spec_of(*shape)
    rng = np.random.default_rng(math.prod(spec.y.shape))
    # Factors of very different sizes, so that parts which are lost are missed.
    x, w = (
        (rng.standard_normal(one.shape) * 2.0 ** rng.integers(-8, 8, one.shape)).astype(np.float32)
        for one in (spec.x, spec.w)
    )
    orders = {"in0": CHANNELS_LAST, "out0": CHANNELS_LAST}
    kernel, memory = template_kernel(
        conv_template(spec), x, w, machine=MACHINE, orders=orders, known=(1,), wanted={"conv": "amx"}
    )
    taken = x[:, :, :: spec.strides[0], :: spec.strides[1]].astype(np.float64)
    exact = w[:, :, 0, 0].astype(np.float64)
    want, largest = (np.einsum("mc,nchw->nhwm", *both) for both in ((exact, taken), (abs(exact), abs(taken))))
    return kernel, memory, want, largest * _ERROR


def check(shape, native):
    kernel, memory, want, most = made(shape)
    wrong = abs(output_in_tiles(kernel, memory, native).reshape(want.shape) - want)
    assert (wrong <= most).all(), f"{(wrong / most).max()} times as far off as it may be"


@pytest.mark.parametrize(
    "name", ["pixels left over", "odd channels", "every other pixel", "outputs left over"]
)
def test_sums_are_those_of_the_definition(name):
    check(CONVS[name], native=False)


@needs_cc
@needs_float_tiles
@pytest.mark.parametrize("shape", [*CONVS.values(), *LARGE.values()], ids=[*CONVS, *LARGE])
def test_a_processor_with_tiles_makes_the_same_sums(shape):
    check(shape, native=True)


@needs_cc
@pytest.mark.parametrize("extent", [5, 19, 24, 33])
def test_threads_have_some_blocks_of_pixels_each(extent):
    """Up to 35 blocks for three threads. Where there are no matrix tiles, vectors do what is written for them."""
    check((1, 40, 48, (extent, extent), (1, 1)), native=True)


def site_of(spec, array, machine=MACHINE, order=CHANNELS_LAST):
    inputs = [
        Buffer(name, type_.dtype, type_.shape, strides_of(type_, order))
        for name, type_ in (("x", spec.x), ("w", spec.w))
    ]
    output = Buffer("y", spec.y.dtype, spec.y.shape, strides_of(spec.y, order))
    return Site(machine, inputs, [output], [None, array])


LAYER = (1, 256, 128, (14, 14), (1, 1))


def suits(shape=LAYER, value=1.0, **given):
    spec = spec_of(*shape) if isinstance(shape, tuple) else shape
    array = np.full(spec.w.shape, value, np.float32)
    return not refusal(AMX, site_of(spec, array, **given), spec)


def test_a_convolution_is_made_in_tiles_where_it_can_be():
    assert suits()
    assert not suits(machine=machines.AVX512)
    assert not suits(order=None), "channels that do not lie side by side"
    assert not suits(value=np.inf), "what is left of an infinity is no number"
    assert not suits(spec_of(*LAYER, kernel=(3, 3)))
    assert not suits(spec_of(*LAYER, group=2))
    assert not suits((1, 256, 128, (3, 5), (1, 1))), "fewer pixels than rows of a tile"
    assert not suits((1, 8, 128, (14, 14), (1, 1)))


def test_exact_sums_are_not_made_of_parts():
    exact = replace(machines.AVX512, amx_int8=True, amx_bf16=True, math="exact")
    assert not suits(machine=exact)


def test_it_is_made_in_tiles_where_that_should_be_quicker():
    large, small = (1, 256, 128, (28, 28), (1, 1)), (1, 16, 16, (14, 14), (1, 1))
    for shape, is_quicker in (
        (large, True),
        (LAYER, False),
        (small, False),
    ):  # the second is too short for two threads
        spec = spec_of(*shape)
        assert pays(AMX, site_of(spec, np.ones(spec.w.shape, np.float32)), spec) is is_quicker
    assert cycles(Amx(), 3136, 64, 256) < cycles(Amx(), 3136, 256, 256)


def test_panels_have_the_weights_of_all_channels():
    array = np.random.default_rng(1).standard_normal((40, 70)).astype(np.float32)
    packed = pack_panels(array, 32)
    assert packed.shape == (2, 70, 32)
    whole = packed.swapaxes(1, 2).reshape(64, 70)
    np.testing.assert_array_equal(whole[:40], array)
    assert not whole[40:].any()
