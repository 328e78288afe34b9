"""Products of codes in matrix tiles are those of the definition, whatever rows, columns and depths leave over."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.amx_tile import amx_tiles, steps_of
from ingot.kernels.conv.int8.conv import qconv_template
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.matmul.int8 import qmatmul_template
from ingot.machines.tuning import Amx, Tuning
from tests.kernels.templates import template_kernel
from tests.support import machines
from tests.support.kernel_llvm import needs_cc
from tests.support.tiles import needs_tiles, output_in_tiles

# Small ones go through tiles, too.
EAGER = Tuning(amx=Amx(int8_product_cycles=0.0, int8_result_cycles=0.0))
MACHINE = replace(machines.AVX512, dot_i8x4=True, dot_i16x2=True, amx_int8=True, tuning=EAGER)

# channels, outputs, spatial extents, kernel, strides, pads in front, pads behind, dilations, groups
CONVS = {
    "one by one": (64, 32, (37,), (1,), (1,), (0,), (0,), (1,), 1),
    "one by one, codes left over": (50, 20, (19,), (1,), (1,), (0,), (0,), (1,), 1),
    "one by one, few weights and pixels": (24, 40, (5,), (1,), (1,), (0,), (0,), (1,), 1),
    "one by one, every other": (64, 16, (9, 9), (1, 1), (2, 2), (0, 0), (0, 0), (1, 1), 1),
    "three by three": (64, 40, (7, 7), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), 1),
    "three by three, every other": (32, 16, (8, 11), (3, 3), (2, 2), (1, 1), (1, 1), (1, 1), 1),
    "three by three, without padding": (64, 16, (5, 21), (3, 3), (1, 1), (0, 0), (0, 0), (1, 1), 1),
    "three by three, lines of three": (64, 64, (8, 5), (3, 3), (1, 1), (0, 0), (0, 0), (1, 1), 1),
    "padded behind": (40, 9, (4, 6), (2, 3), (1, 1), (0, 0), (1, 2), (1, 1), 1),
    "few channels": (3, 16, (9, 20), (7, 7), (2, 2), (3, 3), (3, 3), (1, 1), 1),
    "taps apart": (32, 16, (9, 9), (3, 3), (1, 1), (2, 2), (2, 2), (2, 2), 1),
    "in groups": (96, 32, (6, 6), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), 2),
    "lines apart": (48, 16, (8, 6), (3, 3), (2, 1), (1, 1), (1, 1), (1, 1), 1),
    "three dimensions": (32, 16, (3, 4, 5), (2, 3, 3), (1, 1, 1), (0, 1, 1), (1, 1, 1), (1, 1, 1), 1),
}


def spec_of(shape, dtype, batch=2):
    channels, outputs, extents, kernel, strides, begins, ends, dilations, group = shape
    out = tuple(
        (b + e + a - (k - 1) * d - 1) // s + 1
        for b, e, a, k, d, s in zip(begins, extents, ends, kernel, dilations, strides, strict=True)
    )
    x, w = (
        TensorType(dtype, (batch, channels, *extents)),
        TensorType(DType.INT8, (outputs, channels // group, *kernel)),
    )
    return ConvSpec(
        x, w, TensorType(DType.INT32, (batch, outputs, *out)), kernel, strides, dilations, begins, ends, group
    )


def expected(x, w, spec, zero_point):
    """Sums in int64 by the definition, zero points left in the codes, which are unsigned."""
    flip = 128 if spec.x.dtype.is_signed else 0
    pads = [(0, 0), (0, 0), *zip(spec.pads_begin, spec.pads_end, strict=True)]
    x = np.pad(x.astype(np.int64), pads, constant_values=zero_point) + flip
    per_group = w.shape[0] // spec.group
    y = np.zeros(spec.y.shape, np.int64)
    for group in range(spec.group):
        outputs, inputs = (slice(group * size, (group + 1) * size) for size in (per_group, w.shape[1]))
        for k in np.ndindex(*spec.kernel):
            taken = tuple(
                slice(kk * d, kk * d + (extent - 1) * s + 1, s)
                for kk, d, s, extent in zip(k, spec.dilations, spec.strides, spec.y.shape[2:], strict=True)
            )
            part = w[(outputs, slice(None), *k)].astype(np.int64)
            y[:, outputs] += np.einsum("mc,nc...->nm...", part, x[(slice(None), inputs, *taken)])
    return y


def made_conv(name, dtype, channels_last=True):
    """The kernel of a convolution, its memory, and what it should give."""
    spec, zero_point = spec_of(CONVS[name], dtype), 7
    rng = np.random.default_rng(len(name))
    limits = np.iinfo(dtype.numpy)
    x = rng.integers(limits.min, limits.max, spec.x.shape, dtype.numpy, endpoint=True)
    w = rng.integers(-128, 127, spec.w.shape, np.int8, endpoint=True)
    starts = rng.integers(-(2**20), 2**20, spec.w.shape[0]).astype(np.int32)
    orders = (
        {"in0": (0, *range(2, spec.x.rank), 1), "out0": (0, *range(2, spec.x.rank), 1)}
        if channels_last
        else {}
    )
    template = qconv_template(spec, zero_point)
    wanted = {"qconv": "amx"}
    kernel, memory = template_kernel(
        template, x, w, starts, machine=MACHINE, orders=orders, known=(1, 2), wanted=wanted
    )
    want = expected(x, w, spec, zero_point) + starts.reshape(-1, *[1] * len(spec.kernel))
    return kernel, memory, np.moveaxis(want, 1, -1) if channels_last else want


def made_product(rows, depth, columns, dtype):
    rng = np.random.default_rng(rows)
    limits = np.iinfo(dtype.numpy)
    a = rng.integers(limits.min, limits.max, (rows, depth), dtype.numpy, endpoint=True)
    b = rng.integers(-128, 127, (depth, columns), np.int8, endpoint=True)
    starts = rng.integers(-(2**20), 2**20, columns).astype(np.int32)
    template = qmatmul_template(TensorType(dtype, a.shape), TensorType(DType.INT8, b.shape))
    kernel, memory = template_kernel(template, a, b, starts, machine=MACHINE, known=(1, 2))
    return (
        kernel,
        memory,
        (a.astype(np.int64) + (128 if dtype.is_signed else 0)) @ b.astype(np.int64) + starts,
    )


def check(kernel, memory, want, native):
    np.testing.assert_array_equal(
        output_in_tiles(kernel, memory, native).reshape(want.shape), want.astype(np.int32)
    )


@pytest.mark.parametrize("dtype", [DType.UINT8, DType.INT8])
@pytest.mark.parametrize(
    "name", ["one by one, codes left over", "three by three, every other", "padded behind", "in groups"]
)
def test_sums_of_a_convolution_are_those_of_the_definition(name, dtype):
    check(*made_conv(name, dtype), native=False)


@needs_cc
@needs_tiles
@pytest.mark.parametrize("dtype", [DType.UINT8, DType.INT8])
@pytest.mark.parametrize("name", CONVS)
def test_a_processor_with_tiles_makes_the_same_sums(name, dtype):
    check(*made_conv(name, dtype), native=True)


@needs_cc
@needs_tiles
@pytest.mark.parametrize("name", ["one by one, few weights and pixels", "three by three"])
def test_a_processor_with_tiles_makes_them_of_codes_stored_with_rows_last(name):
    check(*made_conv(name, DType.UINT8, channels_last=False), native=True)


@pytest.mark.parametrize("shape", [(5, 33, 17), (33, 64, 40)])
def test_sums_of_a_product_are_those_of_the_definition(shape):
    check(*made_product(*shape, DType.UINT8), native=False)


@needs_cc
@needs_tiles
@pytest.mark.parametrize("dtype", [DType.UINT8, DType.INT8])
@pytest.mark.parametrize(
    "shape",
    [(4, 3, 8), (7, 13, 17), (16, 64, 64), (31, 65, 33), (49, 100, 40), (128, 384, 70), (300, 64, 16)],
)
def test_a_processor_with_tiles_makes_the_same_product(shape, dtype):
    check(*made_product(*shape, dtype), native=True)


def test_a_machine_without_tiles_or_with_few_rows_has_none():
    assert not amx_tiles(replace(machines.SCALARS, vector_bytes=64, dot_i8x4=True), 64, 64, 64)
    assert not amx_tiles(MACHINE, 1, 1000, 64)
    assert amx_tiles(MACHINE, 64, 64, 64)


@pytest.mark.parametrize(
    ("codes", "count", "words"), [(64, 1, 16), (96, 2, 12), (147, 3, 13), (3, 1, 1), (576, 9, 16)]
)
def test_a_row_is_cut_into_equal_steps(codes, count, words):
    steps = steps_of(codes)
    assert (steps.count, steps.words) == (count, words) and steps.values >= codes
