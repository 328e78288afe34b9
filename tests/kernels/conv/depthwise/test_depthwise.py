"""A depthwise convolution gives what its definition gives, at every border, for every stride and dilation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ingot.base.tensor import DType, TensorType
from ingot.kernels.conv.conv import conv_template
from ingot.kernels.conv.depthwise.bands import band_options
from ingot.kernels.conv.depthwise.depthwise import UNROLLED_MAX, _order
from ingot.kernels.conv.problem import ConvSpec, channel_tasks
from ingot.kernels.template import Site
from ingot.loops.interpret import run
from ingot.loops.nodes import Kernel, buffer, load, store
from ingot.machines.tuning import DEFAULT
from tests.kernels.templates import run_template
from tests.support import machines

MANY_REGISTERS = replace(machines.VECTORS, vector_registers=32)


def spec_of(channels, extents, kernel, strides, dilations, begins, ends, batch=1, dtype=DType.FLOAT32):
    out = tuple(
        (begin + extent + end - (size - 1) * dilation - 1) // stride + 1
        for extent, size, stride, dilation, begin, end in zip(
            extents, kernel, strides, dilations, begins, ends, strict=True
        )
    )
    x, w = TensorType(dtype, (batch, channels, *extents)), TensorType(dtype, (channels, 1, *kernel))
    y = TensorType(dtype, (batch, channels, *out))
    return ConvSpec(x, w, y, kernel, strides, dilations, begins, ends, channels)


def no_site():
    return Site(machines.FEW_REGISTERS, (), (), ())


def by_definition(spec, x, w):
    pads = [(0, 0), (0, 0), *zip(spec.pads_begin, spec.pads_end, strict=True)]
    padded = np.pad(x.astype(np.float64), pads)
    total = np.zeros(spec.y.shape)
    for tap in np.ndindex(*spec.kernel):
        windows = tuple(
            slice(k * d, k * d + (extent - 1) * s + 1, s)
            for k, d, s, extent in zip(tap, spec.dilations, spec.strides, spec.y.shape[2:], strict=True)
        )
        total += (
            padded[(slice(None), slice(None), *windows)]
            * w[(slice(None), 0, *tap)][(None, ..., *[None] * len(tap))]
        )
    return total


def check(spec, machine=machines.FEW_REGISTERS, wanted=None):
    random = np.random.default_rng(4)
    x, w = (random.integers(-8, 8, type_.shape).astype(type_.dtype.numpy) for type_ in (spec.x, spec.w))
    last = (0, *range(2, spec.x.rank), 1)
    template = conv_template(spec)
    assert template.name == "depthwise_conv"
    (got,) = run_template(template, x, w, machine=machine, orders={"in0": last, "out0": last}, wanted=wanted)
    np.testing.assert_array_equal(got, by_definition(spec, x, w))


pairs = st.tuples(st.integers(1, 3), st.integers(1, 3))
pads = st.tuples(st.integers(0, 3), st.integers(0, 3))


@settings(max_examples=16)
@given(
    st.tuples(st.integers(1, 9), st.integers(1, 14)),
    pairs,
    pairs,
    pairs,
    pads,
    pads,
    st.integers(2, 7),
    st.booleans(),
)
def test_every_border_stride_and_dilation(extents, kernel, strides, dilations, begins, ends, channels, many):
    spec = spec_of(channels, extents, kernel, strides, dilations, begins, ends)
    assume(all(extent > 0 for extent in spec.y.shape))
    check(spec, MANY_REGISTERS if many else machines.FEW_REGISTERS)


@pytest.mark.parametrize("height", range(1, 8))
@pytest.mark.parametrize("stride", [1, 2])
def test_bands_of_rows_cover_any_height(height, stride):
    spec = spec_of(5, (height, 9), (3, 3), (stride, stride), (1, 1), (1, 1), (1, 1), batch=2)
    for words in ({"bands": "3x3"}, {"bands": "2x5"}, {"bands": "no"}):
        check(spec, MANY_REGISTERS, words)


def test_bands_are_offered_where_a_tile_is_not_too_long_and_borders_are_few():
    plain = spec_of(8, (9, 14), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1))
    assert list(band_options(MANY_REGISTERS, plain)) == ["2x7", "3x4", "no"]
    assert list(band_options(machines.AVX2, plain)) == [
        "2x4",
        "3x2",
        "no",
    ]
    assert list(band_options(machines.FEW_REGISTERS, plain)) == ["2x2", "no"]
    large = spec_of(8, (9, 14), (7, 7), (1, 1), (1, 1), (3, 3), (3, 3))
    assert list(band_options(MANY_REGISTERS, large)) == ["no"]
    mostly_outside = spec_of(8, (14, 14), (3, 3), (1, 1), (7, 1), (7, 1), (7, 1))
    assert list(band_options(MANY_REGISTERS, mostly_outside)) == ["no"]
    apart, some = (spec_of(8, (40, 14), (3, 3), (1, 1), (rate, 1), (0, 1), (0, 1)) for rate in (6, 2))
    assert list(band_options(MANY_REGISTERS, apart)) == ["no"]  # no row is for two rows of outputs
    assert list(band_options(MANY_REGISTERS, some)) == ["3x4", "no"]
    assert list(band_options(replace(machines.SCALARS, vector_bytes=16, l2_bytes=0), plain)) == [
        "no"
    ]  # code for microcontrollers stays small


@pytest.mark.parametrize("dilation", [1, 2], ids=["bands", "rows"])
@pytest.mark.parametrize("order", ["down", "tiles", "vectors"])
def test_a_task_has_several_vectors_of_channels_and_the_channels_that_are_left(order, dilation):
    spec = spec_of(59, (6, 11), (3, 3), (1, 1), (dilation, dilation), (1, 1), (1, 1))
    check(spec, MANY_REGISTERS, {"order": order})


def test_a_tile_is_computed_for_all_channels_of_a_task_before_the_next_one():
    orders = []

    def task(n, outer, channels):
        orders.append((channels.width, channels.many))
        return ()

    def orders_of(channels, rows, vectors):
        orders.clear()
        spec = spec_of(channels, (rows, 4), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0))
        channel_tasks(no_site(), spec, 8, task, vectors=vectors)
        return list(orders)

    assert orders_of(96, 56, 12) == [(8, 12)]
    assert orders_of(136, 56, 12) == [(8, 1)]  # 17 vectors have no equal parts
    assert orders_of(96, 2, 12) == [(8, 2)]  # all threads shall have some of them
    assert orders_of(20, 56, 12) == [(8, 2), (4, 1)]
    assert orders_of(96, 56, 1) == [(8, 1)]
    assert orders_of(23, 56, 12) == [(8, 3)]  # the last one begins a channel early
    assert orders_of(19, 56, 12) == [(8, 2), (4, 1)]


@pytest.mark.parametrize("channels", [*range(20), 37, 38, 39])
@pytest.mark.parametrize("vectors", [1, 12])
def test_tasks_have_all_channels_and_no_others_by_vectors_of_two_widths_at_most(channels, vectors):
    times = buffer("times", DType.INT64, (max(channels, 1),))
    widths = set()

    def task(n, outer, those):
        widths.add(those.width)
        lanes = range(those.width)
        return those.each(
            lambda first: tuple(
                store(times, (first + lane,), load(times, first + lane) + 1) for lane in lanes
            )
        )

    spec = spec_of(channels, (16, 4), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0))
    memory = {"times": np.zeros(max(channels, 1), np.int64)}
    site = no_site()
    run(Kernel("tested", (), (times,), channel_tasks(site, spec, 8, task, vectors=vectors)), memory)
    assert all(16 <= each <= 32 for each in memory["times"][:channels])  # an index outside would end the run
    assert site.writes_again == any(memory["times"][:channels] > 16)
    assert len(widths) <= 2


@pytest.mark.parametrize("rows", [6, 7])
@pytest.mark.parametrize("down", [True, False])
def test_the_next_task_is_the_next_row_of_the_same_channels_where_tasks_go_down(down, rows):
    groups, spec = 3, spec_of(96, (rows, 4), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0), batch=2)
    turns, count = buffer("turns", DType.INT64, (2, rows, groups)), buffer("count", DType.INT64, (1,))

    def task(n, outer, channels):
        return (
            store(turns, (n, *outer, channels.start // (channels.width * channels.many)), load(count, 0)),
            store(count, (0,), load(count, 0) + 1),
        )

    kernel = Kernel(
        "tested", (), (turns, count), channel_tasks(no_site(), spec, 8, task, vectors=4, down=down)
    )
    memory = {"turns": np.zeros(2 * rows * groups, np.int64), "count": np.zeros(1, np.int64)}
    run(kernel, memory)
    made = memory["turns"].reshape(2, rows, groups)
    # Down the rows of the first half, then those of the other one: threads share rows out, whichever way they go.
    half, behind = rows // 2, -(-rows // 2)
    parts = ((0, half), (half, behind), (behind, rows))
    pieces = [made[n, begin:end].swapaxes(0, 1) for n in range(2) for begin, end in parts] if down else [made]
    in_order = np.concatenate([piece.ravel() for piece in pieces])
    np.testing.assert_array_equal(in_order, np.arange(2 * rows * groups))


@pytest.mark.parametrize(("width", "stride", "vectors"), [(7, 1, 4), (28, 1, 2), (56, 1, 1), (56, 2, 1)])
def test_so_many_channels_go_down_that_rows_in_common_stay_in_the_first_level_cache(width, stride, vectors):
    machine = machines.AVX512
    spec = spec_of(768, (8, width), (3, 3), (stride, stride), (1, 1), (1, 1), (1, 1))
    assert _order(Site(machine, [None] * 2, [], []), spec, 2) == (vectors, True)
    half = machines.AVX2
    assert _order(Site(half, [None] * 2, [], [], wanted={"order": "down"}), spec, 2) == (
        2 * vectors,
        True,
    )  # as many lines
    assert _order(Site(half, [None] * 2, [], []), spec, 2) == (DEFAULT.depthwise.max_vectors, False)
    double_pumped_512 = machines.DOUBLE_PUMPED
    assert _order(Site(double_pumped_512, [None] * 2, [], []), spec, 2) == (
        DEFAULT.depthwise.max_vectors,
        False,
    )
    assert _order(Site(replace(machines.SCALARS, l2_bytes=0), [None] * 2, [], []), spec, 2) == (1, False)


@pytest.mark.parametrize("machine", [machines.FEW_REGISTERS, machines.SCALARS], ids=["vectors", "scalars"])
def test_one_and_three_dimensions_and_a_batch(machine):
    check(spec_of(6, (9,), (5,), (2,), (1,), (2,), (2,), batch=2), machine)
    check(spec_of(6, (3, 4, 9), (2, 3, 3), (1, 1, 2), (1, 1, 1), (1, 1, 1), (0, 1, 1)), machine)


def test_a_dimension_in_which_no_window_is_wholly_inside():
    # Some windows begin inside and some end there, but none does both.
    check(spec_of(2, (1, 1), (2, 1), (2, 1), (2, 1), (1, 0), (3, 0)))
    check(spec_of(2, (4, 3), (3, 2), (1, 1), (2, 1), (2, 0), (2, 1)))


def test_a_kernel_too_long_to_be_written_out_is_an_ordinary_convolution():
    spec = spec_of(4, (40,), (UNROLLED_MAX + 1,), (1,), (1,), (3,), (3,))
    assert conv_template(spec).name == "conv"
