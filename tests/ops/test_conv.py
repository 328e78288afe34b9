"""A convolution by its definition: what lies outside of the input counts as zero, for every stride and dilation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ingot.graph.prepare import to_draft
from ingot.graph.read import read_model
from ingot.loops.define import Site, Template
from ingot.loops.nodes import Prefetch, buffer
from ingot.loops.rewrite import statements
from ingot.ops.conv import conv_template
from ingot.ops.conv_spec import ConvSpec, column_tiles
from ingot.ops.depthwise import UNROLLED_MAX
from ingot.ops.registry import ALL
from ingot.target import Machine
from ingot.tensor import DType, TensorType
from tests.ops.onnx_text import agrees, parse
from tests.ops.templates import run_template

VECTORS = Machine(vector_bytes=16, vector_registers=8, has_fma=True, math="exact")
ASKING = Machine(vector_bytes=16, vector_registers=8, has_fma=True, math="exact", prefetch=True)


def spec_of(batch, channels, filters, extents, kernel, strides, dilations, begins, ends, group=1):
    out = tuple(
        (begin + extent + end - (size - 1) * dilation - 1) // stride + 1
        for extent, size, stride, dilation, begin, end in zip(extents, kernel, strides, dilations, begins, ends, strict=True)
    )
    x = TensorType(DType.FLOAT32, (batch, channels, *extents))
    w = TensorType(DType.FLOAT32, (filters, channels // group, *kernel))
    y = TensorType(DType.FLOAT32, (batch, filters, *out))
    return ConvSpec(x, w, y, kernel, strides, dilations, begins, ends, group)


def by_definition(spec, x, w):
    padded = np.pad(x, [(0, 0), (0, 0), *zip(spec.pads_begin, spec.pads_end, strict=True)])
    total = np.zeros(spec.y.shape)
    depth, filters = spec.w.shape[1], spec.w.shape[0] // spec.group
    for group in range(spec.group):
        mine, theirs = slice(group * filters, (group + 1) * filters), slice(group * depth, (group + 1) * depth)
        for tap in np.ndindex(*spec.kernel):
            windows = tuple(
                slice(k * d, k * d + (extent - 1) * s + 1, s)
                for k, d, s, extent in zip(tap, spec.dilations, spec.strides, spec.y.shape[2:], strict=True)
            )
            total[:, mine] += np.einsum("nc...,mc->nm...", padded[(slice(None), theirs, *windows)], w[(mine, slice(None), *tap)])
    return total


def check(spec, machine=VECTORS, channels_last=True):
    random = np.random.default_rng(4)
    x, w = (random.integers(-4, 4, type_.shape).astype(np.float32) for type_ in (spec.x, spec.w))
    last = (0, *range(2, spec.x.rank), 1)
    template = conv_template(spec)
    assert template.name == "conv"
    (got,) = run_template(template, x, w, machine=machine, orders={"in0": last, "out0": last} if channels_last else {})
    np.testing.assert_array_equal(got, by_definition(spec, x, w))


pairs = st.tuples(st.integers(1, 3), st.integers(1, 3))
pads = st.tuples(st.integers(0, 4), st.integers(0, 4))


@settings(max_examples=20)
@given(st.tuples(st.integers(1, 6), st.integers(1, 14)), pairs, pairs, pairs, pads, pads, st.integers(1, 9), st.booleans())
def test_every_border_stride_and_dilation(extents, kernel, strides, dilations, begins, ends, filters, channels_last):
    spec = spec_of(1, 2, filters, extents, kernel, strides, dilations, begins, ends)
    assume(all(extent > 0 for extent in spec.y.shape))
    check(spec, channels_last=channels_last)


@pytest.mark.parametrize("machine", [VECTORS, Machine()], ids=["vectors", "scalars"])
def test_one_and_three_dimensions_groups_and_a_batch(machine):
    check(spec_of(2, 6, 10, (9,), (5,), (2,), (1,), (2,), (2,), group=2), machine)
    check(spec_of(1, 2, 6, (3, 4, 9), (2, 3, 3), (1, 1, 2), (1, 1, 1), (1, 1, 1), (0, 1, 1)), machine)


def test_a_row_of_taps_too_long_to_be_written_out():
    check(spec_of(1, 2, 5, (30,), (UNROLLED_MAX + 3,), (1,), (1,), (7,), (12,)))


def test_only_padding_under_the_window_gives_zero():
    check(spec_of(1, 1, 4, (2, 2), (1, 1), (1, 1), (1, 1), (3, 3), (3, 3)))


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize(("stride", "pad", "dilation"), [(1, 1, 1), (2, 1, 1), (3, 4, 1), (2, 0, 2)])
def test_few_channels_are_asked_for_a_row_before_and_never_outside(channels_last, stride, pad, dilation):
    # The verifier checks the index of what is asked for as it checks that of a load.
    spec = spec_of(2, 3, 5, (8, 21), (3, 3), (stride, stride), (dilation, dilation), (pad, pad), (pad, pad))
    check(spec, ASKING, channels_last)
    deep = spec_of(1, 3, 5, (3, 4, 7), (2, 3, 3), (2, stride, 1), (1, 1, 1), (1, pad, 1), (1, pad, 1))
    check(deep, ASKING, channels_last)


def test_only_the_input_of_a_first_layer_is_asked_for_unless_steps_are_long():
    for channels, group, step, wanted in ((3, 1, 2, True), (5, 1, 2, False), (4, 4, 2, False), (3, 1, 16, False)):
        spec = spec_of(1, channels, 8, (64, 64), (3, 3), (step, step), (1, 1), (1, 1), (1, 1), group)
        operands = [buffer(f"in{number}", type_.dtype, type_.shape) for number, type_ in enumerate((spec.x, spec.w))]
        out = buffer("out0", DType.FLOAT32, spec.y.shape)
        weights = np.ones(spec.w.shape, np.float32)
        body = conv_template(spec).build(Site(ASKING, operands, [out], [None, weights]))
        asked = [stmt for stmt in statements(body) if isinstance(stmt, Prefetch)]
        assert {stmt.buffer for stmt in asked} == ({operands[0]} if wanted else set())


@pytest.mark.parametrize(
    ("extents", "kernel", "pads", "rows"),
    [((9, 1), (4, 1), "1, 0, 2, 0", 1), ((7, 1, 1), (3, 1, 1), "0, 0, 0, 0, 0, 0", 1), ((1, 1), (1, 1), "0, 0, 0, 0", 1),
     ((5, 1), (3, 3), "1, 1, 1, 1", 2), ((6, 1), (2, 1), "0, 0, 0, 1", 2)],
)  # fmt: skip
@pytest.mark.parametrize("constant", [True, False])
def test_rows_of_one_place_are_left_out(extents, kernel, pads, rows, constant):
    """So that register tiles lie along a dimension that has more; `rows` is how many spatial dimensions the template has."""
    random = np.random.default_rng(0)
    shapes = {"x": (1, 4, *extents), "w": (3, 4, *kernel), "b": (3,)}
    feeds = {name: random.integers(-4, 4, shape).astype(np.float32) for name, shape in shapes.items()}
    given = ", ".join(f"float[{','.join(map(str, shape))}] {name}" for name, shape in shapes.items())
    proto = parse(f"({given}) => (y)", f"y = Conv<pads = [{pads}]>(x, w, b)")
    known = {"w": feeds.pop("w")} if constant else {}
    agrees(proto, known, **feeds)
    steps = to_draft(read_model(proto, constants=known), ALL).steps
    (template,) = [one.definition for one in steps if isinstance(one.definition, Template)]
    assert len(template.outputs[0].shape) == 2 + rows


@pytest.mark.parametrize(("dilation", "extent"), [(12, 33), (18, 33), (1, 33), (40, 9)])
def test_tiles_at_the_ends_of_a_row_have_no_more_outputs_than_others_however_wide_the_padding(dilation, extent):
    spec = spec_of(1, 2, 4, (3, extent), (3, 3), (1, 1), (1, dilation), (1, dilation), (1, dilation))
    tiles = []
    column_tiles(spec, 6, lambda start, size: tiles.append(size) or ())
    assert max(tiles) <= 6
    check(spec)
