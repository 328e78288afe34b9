"""Convolutions with few output channels, by vectors of input channels: the same results as by the definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ingot.kernels.conv.conv import conv_template
from ingot.kernels.conv.transposed import conv_transpose_template
from ingot.kernels.template import Site, Template
from ingot.loops.nodes import Buffer
from ingot.machines.machine import Machine
from tests.kernels.conv import test_conv
from tests.kernels.conv import test_transposed as test_conv_transpose
from tests.kernels.templates import run_template, strides_of
from tests.support import machines

WIDE = replace(machines.AVX512, math="exact")
NARROW = replace(machines.FEW_REGISTERS, math="exact")


def by_inputs(
    template: Template, machine: Machine, weights: np.ndarray | None, last: tuple[int, ...] | None
) -> bool:
    """Whether vectors are of input channels where the template writes this kernel."""
    types = (template.inputs[0], template.inputs[1], template.outputs[0])
    x, w, y = (
        Buffer(name, type_.dtype, type_.shape, strides_of(type_, order))
        for name, type_, order in zip("xwy", types, (last, None, last), strict=True)
    )
    site = Site(machine, [x, w], [y], [None, weights])
    template.build(site)
    return "input_channels" in (site.chosen.get("conv"), site.chosen.get("conv_transpose"))


def check(template, operands, expected, machine):
    rank = expected.ndim
    last = (0, *range(2, rank), 1)
    assert by_inputs(template, machine, operands[1], last)
    (got,) = run_template(
        template, *operands, machine=machine, known=(1,), orders={"in0": last, "out0": last}
    )
    np.testing.assert_array_equal(got, expected)


pairs = st.tuples(st.integers(1, 3), st.integers(1, 3))
pads = st.tuples(st.integers(0, 3), st.integers(0, 3))


@settings(max_examples=15)
@given(
    st.tuples(st.integers(1, 4), st.integers(1, 15)),
    pairs,
    pairs,
    pads,
    pads,
    st.integers(1, 2),
    st.integers(32, 39),
)
def test_every_border_stride_and_number_of_channels(
    extents, strides, dilations, begins, ends, filters, depth
):
    spec = test_conv.spec_of(1, depth, filters, extents, (3, 2), strides, dilations, begins, ends)
    assume(all(extent > 0 for extent in spec.y.shape))
    x, w = (
        np.random.default_rng(5).integers(-4, 4, one.shape).astype(np.float32) for one in (spec.x, spec.w)
    )
    check(conv_template(spec), (x, w), test_conv.by_definition(spec, x, w), NARROW)


@pytest.mark.parametrize("filters", [1, 3, 4])
def test_a_wide_machine_takes_up_to_four_output_channels(filters):
    spec = test_conv.spec_of(1, 56, filters, (2, 17), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1))
    x, w = (
        np.random.default_rng(6).integers(-4, 4, one.shape).astype(np.float32) for one in (spec.x, spec.w)
    )
    check(conv_template(spec), (x, w), test_conv.by_definition(spec, x, w), WIDE)


@settings(max_examples=10)
@given(
    st.tuples(st.integers(1, 3), st.integers(1, 9)),
    pairs,
    pairs,
    pads,
    st.integers(1, 2),
    st.integers(32, 35),
)
def test_transposed_ones_of_every_stride_and_crop(extents, strides, kernel, begins, filters, depth):
    spec = test_conv_transpose.spec_of(1, depth, filters, extents, kernel, strides, (1, 1), begins, (0, 0))
    assume(max(strides) > 1 and all(extent > 0 for extent in spec.y.shape))
    x, w = test_conv_transpose.operands(spec)
    check(conv_transpose_template(spec), (x, w), test_conv_transpose.by_definition(spec, x, w), NARROW)


def test_vectors_are_of_output_channels_where_inputs_are_apart_or_weights_are_fed():
    spec = test_conv.spec_of(1, 32, 2, (3, 9), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1))
    weights = np.ones(spec.w.shape, np.float32)
    assert not by_inputs(conv_template(spec), NARROW, weights, None)
    assert not by_inputs(conv_template(spec), NARROW, None, (0, 2, 3, 1))
    assert by_inputs(conv_template(spec), NARROW, weights, (0, 2, 3, 1))
