"""A convolution by its definition: what lies outside of the input counts as zero, for every stride and dilation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ingot.base.tensor import DType, TensorType
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.kernels.conv.conv import conv_template
from ingot.kernels.conv.depthwise.depthwise import UNROLLED_MAX
from ingot.kernels.conv.problem import ConvSpec, column_tiles
from ingot.kernels.template import Site, Template
from ingot.loops.build.builder import Builder
from ingot.loops.nodes import Alloc, For, Load, LoopKind, Prefetch, buffer
from ingot.loops.transform.rewrite import statements
from ingot.machines.machine import Machine
from ingot.ops.registry import ALL
from tests.kernels.templates import run_template, strides_of, template_kernel
from tests.support import machines
from tests.support.onnx_text import agrees, parse

VECTORS = replace(machines.FEW_REGISTERS, math="exact")
ASKING = replace(machines.FEW_REGISTERS, math="exact", prefetch=True)


def spec_of(
    batch, channels, filters, extents, kernel, strides, dilations, begins, ends, group=1, dtype=DType.FLOAT32
):
    out = tuple(
        (begin + extent + end - (size - 1) * dilation - 1) // stride + 1
        for extent, size, stride, dilation, begin, end in zip(
            extents, kernel, strides, dilations, begins, ends, strict=True
        )
    )
    x = TensorType(dtype, (batch, channels, *extents))
    w = TensorType(dtype, (filters, channels // group, *kernel))
    y = TensorType(dtype, (batch, filters, *out))
    return ConvSpec(x, w, y, kernel, strides, dilations, begins, ends, group)


def by_definition(spec, x, w):
    padded = np.pad(x, [(0, 0), (0, 0), *zip(spec.pads_begin, spec.pads_end, strict=True)])
    total = np.zeros(spec.y.shape)
    depth, filters = spec.w.shape[1], spec.w.shape[0] // spec.group
    for group in range(spec.group):
        mine, theirs = (
            slice(group * filters, (group + 1) * filters),
            slice(group * depth, (group + 1) * depth),
        )
        for tap in np.ndindex(*spec.kernel):
            windows = tuple(
                slice(k * d, k * d + (extent - 1) * s + 1, s)
                for k, d, s, extent in zip(tap, spec.dilations, spec.strides, spec.y.shape[2:], strict=True)
            )
            total[:, mine] += np.einsum(
                "nc...,mc->nm...", padded[(slice(None), theirs, *windows)], w[(mine, slice(None), *tap)]
            )
    return total


def check(spec, machine=VECTORS, channels_last=True):
    random = np.random.default_rng(4)
    x, w = (random.integers(-4, 4, type_.shape).astype(type_.dtype.numpy) for type_ in (spec.x, spec.w))
    last = (0, *range(2, spec.x.rank), 1)
    template = conv_template(spec)
    assert template.name == "conv"
    (got,) = run_template(
        template, x, w, machine=machine, orders={"in0": last, "out0": last} if channels_last else {}
    )
    np.testing.assert_array_equal(got, by_definition(spec, x, w))


pairs = st.tuples(st.integers(1, 3), st.integers(1, 3))
pads = st.tuples(st.integers(0, 4), st.integers(0, 4))


WIDE = replace(machines.DOUBLE_PUMPED, math="exact")


@pytest.mark.parametrize("machine", [VECTORS, WIDE], ids=["16 bytes", "64 bytes"])
@pytest.mark.parametrize(
    ("width", "filters", "groups"), [(8, 8, 1), (20, 5, 1), (33, 40, 1), (64, 32, 2), (24, 4, 4)]
)
def test_results_that_are_planes_are_turned_a_tile_at_a_time(
    machine: Machine, width: int, filters: int, groups: int
) -> None:
    spec = spec_of(1, 4, filters * groups, (3, width), (1, 3), (1, 1), (1, 1), (0, 1), (0, 1), groups)
    x, w = (
        np.random.default_rng(4).integers(-4, 4, type_.shape).astype(np.float32) for type_ in (spec.x, spec.w)
    )
    template = conv_template(spec)
    assert template.turns
    (got,) = run_template(template, x, w, machine=machine, orders={"in0": (0, 2, 3, 1)})
    np.testing.assert_array_equal(got, by_definition(spec, x, w))
    site = Site(machine, [buffer("x", DType.FLOAT32, x.shape), buffer("w", DType.FLOAT32, w.shape)],
                [buffer("y", DType.FLOAT32, spec.y.shape)], [None, w])  # fmt: skip
    assert any(
        isinstance(stmt, Alloc) and stmt.buffer.name == "stage" for stmt in statements(template.build(site))
    )


@pytest.mark.parametrize(("filters", "extents"), [(32, (9, 14)), (400, (40, 40)), (32, (64, 64))],
                         ids=["short rows", "far away", "competing for lines"])  # fmt: skip
def test_results_that_are_many_small_pieces_are_better_copied_as_a_whole(
    filters: int, extents: tuple[int, int]
) -> None:
    spec = spec_of(1, 4, filters, extents, (1, 3), (1, 1), (1, 1), (0, 1), (0, 1))
    assert not conv_template(spec).turns


@settings(max_examples=20)
@given(
    st.tuples(st.integers(1, 6), st.integers(1, 14)),
    pairs,
    pairs,
    pairs,
    pads,
    pads,
    st.integers(1, 9),
    st.booleans(),
)
def test_every_border_stride_and_dilation(
    extents, kernel, strides, dilations, begins, ends, filters, channels_last
):
    spec = spec_of(1, 2, filters, extents, kernel, strides, dilations, begins, ends)
    assume(all(extent > 0 for extent in spec.y.shape))
    check(spec, channels_last=channels_last)


@pytest.mark.parametrize(
    "machine", [VECTORS, machines.NEON, machines.SCALARS], ids=["vectors", "lanes as factors", "scalars"]
)
def test_one_and_three_dimensions_groups_and_a_batch(machine):
    check(spec_of(2, 6, 10, (9,), (5,), (2,), (1,), (2,), (2,), group=2), machine)
    check(spec_of(1, 2, 6, (3, 4, 9), (2, 3, 3), (1, 1, 2), (1, 1, 1), (1, 1, 1), (0, 1, 1)), machine)


def test_a_row_of_taps_too_long_to_be_written_out():
    check(spec_of(1, 2, 5, (30,), (UNROLLED_MAX + 3,), (1,), (1,), (7,), (12,)))


def test_only_padding_under_the_window_gives_zero():
    check(spec_of(1, 1, 4, (2, 2), (1, 1), (1, 1), (1, 1), (3, 3), (3, 3)))


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("prefetch", [False, True])
@pytest.mark.parametrize("depth", [3, 4, 23])
def test_steps_of_sums_that_are_written_out_leave_no_channel_out(depth, prefetch, channels_last):
    machine = replace(machines.NEON, prefetch=prefetch, math="exact", l2_bytes=1024)
    check(spec_of(2, depth, 21, (6, 13), (3, 3), (2, 1), (1, 1), (1, 1), (0, 1)), machine, channels_last)
    check(spec_of(1, depth, 21, (13,), (1,), (1,), (1,), (0,), (0,)), machine, channels_last)


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize(("stride", "pad", "dilation"), [(1, 1, 1), (2, 1, 1), (3, 4, 1), (2, 0, 2)])
def test_few_channels_are_asked_for_a_row_before_and_never_outside(channels_last, stride, pad, dilation):
    # The verifier checks the index of what is asked for as it checks that of a load.
    spec = spec_of(2, 3, 5, (8, 21), (3, 3), (stride, stride), (dilation, dilation), (pad, pad), (pad, pad))
    check(spec, ASKING, channels_last)
    deep = spec_of(1, 3, 5, (3, 4, 7), (2, 3, 3), (2, stride, 1), (1, 1, 1), (1, pad, 1), (1, pad, 1))
    check(deep, ASKING, channels_last)


def copied(spec, channels_last=False, machine=VECTORS):
    """The shape of the copy that a convolution makes of its input, if it does."""
    x, w, y = (
        buffer(name, type_.dtype, type_.shape)
        for name, type_ in (("in0", spec.x), ("in1", spec.w), ("out0", spec.y))
    )
    if channels_last:
        x = replace(x, strides=strides_of(spec.x, (0, *range(2, spec.x.rank), 1)))
    site = Site(machine, [x, w], [y], [None, None])
    conv_template(spec).build(site)
    return next((made.shape for made in site.workspaces if made.name == "near"), None)


def test_many_planes_are_copied_with_channels_last_where_they_are_used_often():
    def strided(extents, kernel, strides, pad=0, channels=70, filters=130, **more):
        ones = (1,) * len(extents)
        return spec_of(
            2,
            channels,
            filters,
            extents,
            kernel,
            strides,
            ones,
            (pad,) * len(extents),
            (pad,) * len(extents),
            **more,
        )

    every_other = strided((3, 5), (1, 1), (2, 2))
    assert copied(every_other) == (2, 2, 3, 70)  # only what is read
    check(every_other, channels_last=False)
    mixed = strided((4, 11), (1, 3), (3, 2), filters=100)
    assert copied(mixed) == (2, 2, 11, 70)
    check(mixed, channels_last=False)
    padded = strided((3, 4), (1, 1), (2, 2), pad=1, filters=260)
    assert copied(padded) == (2, 3, 4, 70)  # steps begin outside
    check(padded, channels_last=False)
    row = strided((13,), (3,), (1,), pad=1, filters=50)
    assert copied(row) == (2, 13, 70)
    check(row, channels_last=False)
    grouped = strided((3, 4), (3, 3), (1, 1), pad=1, channels=128, filters=64, group=2)
    assert copied(grouped) == (2, 3, 4, 128)
    check(grouped, channels_last=False)
    page = strided((7,), (3,), (2,), channels=512, filters=100)
    assert copied(page) == (2, 7, 528)  # else what neighbours read would compete for lines
    check(page, channels_last=False)
    assert copied(every_other, channels_last=True) is None
    assert copied(strided((5, 9), (1, 1), (1, 1), filters=40)) is None  # used seldom
    assert copied(strided((5, 9), (3, 3), (1, 1), channels=16)) is None
    assert copied(every_other, machine=replace(machines.SCALARS, vector_bytes=16, l2_bytes=0)) is None
    long = machines.AVX512
    halved = machines.DOUBLE_PUMPED
    assert copied(every_other, machine=long) is None  # a tile finds what it reads of a plane in a line or two
    assert copied(every_other, machine=halved) == (2, 2, 3, 70)
    assert copied(strided((3, 4), (1, 1), (1, 1), filters=1024), machine=long) == (2, 3, 4, 70)
    assert copied(row, machine=long) == (2, 13, 70)


@pytest.mark.parametrize("group", [1, 2])
def test_a_pointwise_convolution_of_volumes_is_one_of_a_row(group):
    def model(attributes="", y="float[2,6,3,4,5] y"):
        signature = f"(float[2,4,3,4,5] x, float[6,{4 // group},1,1,1] w, float[6] b) => ({y})"
        return parse(signature, f"c = Conv<group = {group}{attributes}>(x, w, b)  y = Relu(c)")

    rng = np.random.default_rng(2)
    shapes = {"x": (2, 4, 3, 4, 5), "w": (6, 4 // group, 1, 1, 1), "b": (6,)}
    arrays = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}

    def shape_of_result(made):
        draft = to_draft(read_model(made), ALL)
        return (
            next(step.definition for step in draft.steps if isinstance(step.definition, Template))
            .outputs[0]
            .shape
        )

    assert shape_of_result(model()) == (2, 6, 60)
    agrees(model(), **arrays)
    others = [
        (", strides = [1, 2, 1]", "float[2,6,3,2,5] y"),
        (", pads = [0, 0, 1, 0, 0, 0]", "float[2,6,3,4,6] y"),
    ]
    for attributes, result in others:
        made = model(attributes, result)
        assert len(shape_of_result(made)) == 5
        agrees(made, **arrays)


def rows_of_tile(channels, stride, channels_last, inlined=False):
    """Outputs in a tile of a convolution 1×1 of 14 outputs."""
    machine = replace(machines.AVX512, math="exact")
    spec = spec_of(1, channels, 32, (1, 14 * stride), (1, 1), (1, stride), (1, 1), (0, 0), (0, 0))
    x, w, y = (
        buffer(name, type_.dtype, type_.shape)
        for name, type_ in (("in0", spec.x), ("in1", spec.w), ("out0", spec.y))
    )
    if channels_last:
        x = replace(x, strides=strides_of(spec.x, (0, *range(2, spec.x.rank), 1)))
    site = Site(machine, [x, w], [y], [None, None], {0: lambda where: Load(x, where)} if inlined else {})
    conv_template(spec).build(site)
    return int(site.chosen["tile"].partition("x")[0])


def test_neighbours_that_compete_for_lines_of_a_cache_are_read_in_small_tiles():
    # 4096 bytes apart all are in one set of a first-level cache of eight ways, 2048 bytes apart they share two.
    assert rows_of_tile(1024, 1, True) == rows_of_tile(512, 2, True) == 7
    assert rows_of_tile(512, 1, True) == rows_of_tile(1008, 1, True) == 14
    assert rows_of_tile(256, 1, False) == 14  # each channel is a plane
    assert rows_of_tile(1024, 1, True, inlined=True) == 14  # where its elements come from is not known


def test_what_is_added_to_results_is_asked_for_before_their_sums():
    def asked(channels, machine=ASKING, added_last=True):
        spec = spec_of(1, channels, 32, (5, 9), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0))
        order = (0, 2, 3, 1)
        x, w, y = (
            buffer(name, one.dtype, one.shape)
            for name, one in (("in0", spec.x), ("in1", spec.w), ("out0", spec.y))
        )
        x, y = (replace(one, strides=strides_of(type_, order)) for one, type_ in ((x, spec.x), (y, spec.y)))
        bias = buffer("bias", DType.FLOAT32, (32,))
        added = replace(y, name="added") if added_last else buffer("added", DType.FLOAT32, y.shape)
        site = Site(
            machine, [x, w], [y], [None, np.ones(spec.w.shape, np.float32)],
            epilogue=lambda where, value: value + Load(bias, (where[1],)) + Load(added, where),
        )  # fmt: skip
        body = conv_template(spec).build(site)
        return {stmt.buffer.name for stmt in statements(body) if isinstance(stmt, Prefetch) and stmt.near}

    assert asked(64) == {"added"}  # what is beside all places is in a cache
    assert asked(16) == set()  # too little time until it is needed
    assert asked(64, VECTORS) == set()
    assert asked(64, added_last=False) == set()


@pytest.mark.parametrize("channels_last", [False, True])
def test_half_floats_are_made_wide_once(channels_last):
    spec = spec_of(2, 5, 11, (7, 9), (3, 3), (2, 1), (1, 1), (1, 1), (1, 1), dtype=DType.FLOAT16)
    assert copied(spec, channels_last) == (2, 7, 9, 5)
    check(spec, channels_last=channels_last)
    assert (
        copied(spec_of(1, 5, 6, (7, 9), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0), dtype=DType.FLOAT16)) is None
    )


def test_only_the_input_of_a_first_layer_is_asked_for_unless_steps_are_long():
    for channels, group, step, wanted in (
        (3, 1, 2, True),
        (5, 1, 2, False),
        (4, 4, 2, False),
        (3, 1, 16, False),
    ):
        spec = spec_of(1, channels, 8, (64, 64), (3, 3), (step, step), (1, 1), (1, 1), (1, 1), group)
        operands = [
            buffer(f"in{number}", type_.dtype, type_.shape) for number, type_ in enumerate((spec.x, spec.w))
        ]
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
def test_tiles_at_the_ends_of_a_row_have_no_more_outputs_than_others_however_wide_the_padding(
    dilation, extent
):
    spec = spec_of(1, 2, 4, (3, extent), (3, 3), (1, 1), (1, dilation), (1, dilation), (1, dilation))
    assert max(size for _, size in column_tiles(Builder(), spec, 6)) <= 6
    check(spec)


CACHED = replace(VECTORS, l2_bytes=1 << 20)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(spec_of(1, 3, 4, (40,), (3,), (1,), (1,), (1,), (1,)), id="a tile at each end"),
        pytest.param(
            spec_of(1, 3, 5, (64,), (3,), (1,), (16,), (32,), (0,)),
            id="many tiles at one end, two widths of panels",
        ),
        pytest.param(
            spec_of(2, 4, 6, (41,), (4,), (2,), (1,), (2,), (3,), group=2), id="two groups of a batch"
        ),
        pytest.param(spec_of(1, 3, 4, (50,), (3,), (1,), (1,), (0,), (0,)), id="nothing outside"),
    ],
)
def test_tiles_of_a_long_row_of_few_channels_are_shared_out(spec):
    random = np.random.default_rng(4)
    x, w = (random.integers(-4, 4, type_.shape).astype(np.float32) for type_ in (spec.x, spec.w))
    kernel, _ = template_kernel(conv_template(spec), x, w, machine=CACHED, known=(1,))
    loops = [stmt for stmt in kernel.body if isinstance(stmt, For) and stmt.kind is LoopKind.PARALLEL]
    assert sum(int(each.extent.value) for each in loops) >= 4
    check(spec, CACHED)


def test_rows_enough_for_all_threads_are_shared_out_as_they_are():
    spec = spec_of(8, 3, 4, (40,), (3,), (1,), (1,), (1,), (1,))
    x, w = (np.ones(type_.shape, np.float32) for type_ in (spec.x, spec.w))
    kernel, _ = template_kernel(conv_template(spec), x, w, machine=CACHED, known=(1,))
    (rows,) = kernel.body
    assert rows.kind is LoopKind.PARALLEL
    assert rows.extent.value == 8
