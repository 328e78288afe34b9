"""Winograd's algorithm along one dimension, whichever it is, and with taps that are apart, gives what the definition gives."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import onnx
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ingot
from ingot.kernels.blocks.register_block import Tile
from ingot.kernels.conv.conv import channels_last
from ingot.kernels.conv.winograd.images import Images, is_square, sides, tile_grid
from ingot.kernels.conv.winograd.kernel import Plan
from ingot.kernels.conv.winograd.winograd import build_winograd, suits_winograd
from tests.kernels.algorithms import chosen_plan
from tests.kernels.conv.test_conv import by_definition, spec_of
from tests.kernels.conv.winograd.test_winograd import AVX2, MATRIX_TILES, interpreted, site_of
from tests.support import machines
from tests.support.models import model


def numbers(spec, seed=7):
    random = np.random.default_rng(seed)
    return tuple(random.standard_normal(type_.shape).astype(np.float32) for type_ in (spec.x, spec.w))


def conv(batch, extents, kernel, dilations=None, strides=None, pads=None, channels=8, filters=5):
    rank = len(extents)
    begins, ends = pads or ((1,) * rank, (1,) * rank)
    return spec_of(
        batch,
        channels,
        filters,
        extents,
        kernel,
        strides or (1,) * rank,
        dilations or (1,) * rank,
        begins,
        ends,
    )


def check(spec, plan, atol):
    x, w = numbers(spec)
    site = site_of(spec, w, order=channels_last(spec.x.rank))
    body = build_winograd(site, spec, plan)
    np.testing.assert_allclose(interpreted(site, body, x), by_definition(spec, x, w), rtol=0, atol=atol)


def plan_of(spec, m, first, block=3):
    images = Images(spec).spec
    panels_first = first != "tiles"
    depth = images.x.shape[1] // (2 if panels_first else 1)
    return Plan(
        m, Tile(3, 1, 4), block, panels_first, depth, sides=images.spatial_rank, taps=images.kernel[0]
    )


@settings(max_examples=25)
@given(
    st.sampled_from([2, 4]),
    st.sampled_from(["tiles", "panels"]),
    st.integers(1, 2),
    st.integers(1, 30),
    st.integers(1, 9),
    st.tuples(st.integers(0, 9), st.integers(0, 9)),
)
def test_rows_with_taps_that_are_apart(m, first, batch, length, apart, pads):
    """Phases are of unequal lengths, may be empty, and tiles begin before the input and end behind it."""
    spec = conv(batch, (length,), (3,), (apart,), pads=((pads[0],), (pads[1],)))
    assume(min(spec.y.shape) > 0)
    check(spec, plan_of(spec, m, first), 1e-5 if m == 2 else 2e-5)


@settings(max_examples=25)
@given(
    st.sampled_from([2, 4]),
    st.sampled_from(["tiles", "panels"]),
    st.sampled_from(
        [
            ((1, 3), (1, 1)),
            ((3, 1), (1, 1)),
            ((3, 2), (1, 1)),
            ((3, 3), (1, 2)),
            ((3, 3), (2, 1)),
            ((4, 3), (3, 1)),
        ]
    ),
    st.tuples(st.integers(1, 7), st.integers(1, 7)),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
)
def test_one_dimension_of_images(m, first, window, extents, apart):
    (kernel, strides) = window
    spec = conv(1, extents, kernel, apart, strides, pads=((2, 2), (1, 3)))
    assume(min(spec.y.shape) > 0)
    assert len(sides(spec)) == 1
    check(spec, plan_of(spec, m, first), 2e-5 if m == 2 else 4e-5)


@settings(max_examples=15)
@given(
    st.sampled_from([2, 4]),
    st.sampled_from(["tiles", "panels"]),
    st.integers(1, 9),
    st.integers(1, 4),
    st.integers(1, 4),
)
def test_images_with_taps_that_are_apart(m, first, extent, down, across):
    spec = conv(1, (extent, 7), (3, 3), (down, across), pads=((down, 2), (down, across)))
    assume(min(spec.y.shape) > 0)
    assert len(sides(spec)) == 2
    check(spec, plan_of(spec, m, first), 2e-5 if m == 2 else 6e-5)


@settings(max_examples=25)
@given(
    st.sampled_from([(5,), (5, 5), (1, 5), (5, 2), (5, 4)]),
    st.sampled_from(["tiles", "panels", "rows of panels"]),
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    st.integers(1, 3),
    st.tuples(st.integers(0, 4), st.integers(0, 4)),
)
def test_five_taps(kernel, first, extents, apart, pads):
    rank = len(kernel)
    spec = conv(1, extents[:rank], kernel, (apart,) * rank, pads=((pads[0] + 2,) * rank, (pads[1],) * rank))
    assume(min(spec.y.shape) > 0)
    plan = plan_of(spec, 2, first)
    if plan.sides == 2:
        plan = replace(plan, by_rows=first == "rows of panels")
    check(spec, plan, 1e-4)


def test_planes_of_volumes_along_the_first_dimension():
    spec = conv(1, (6, 3, 2), (3, 1, 2), (2, 1, 1), (1, 2, 1))
    assert sides(spec) == (0,)
    check(spec, plan_of(spec, 4, "tiles"), 4e-5)


@pytest.mark.parametrize(
    ("kernel", "strides", "group", "along"),
    [
        ((3,), (1,), 1, (0,)),
        ((3,), (2,), 1, ()),
        ((5,), (1,), 1, (0,)),
        ((5,), (2,), 1, ()),
        ((7,), (1,), 1, ()),
        ((5, 5), (1, 1), 1, (0, 1)),
        ((5, 7), (1, 1), 1, (0,)),
        ((3,), (1,), 2, ()),
        ((3, 3), (1, 1), 1, (0, 1)),
        ((3, 3), (2, 1), 1, (1,)),
        ((3, 3), (1, 2), 1, (0,)),
        ((3, 3), (2, 2), 1, ()),
        ((3, 5), (1, 1), 1, (0,)),
        ((3, 1, 1), (1, 1, 1), 1, (0,)),
        ((3, 1, 3), (1, 1, 1), 1, (2,)),
        ((3, 3, 3), (2, 1, 1), 1, (1, 2)),
    ],
)
def test_it_goes_along_the_last_two_dimensions_or_along_one(kernel, strides, group, along):
    rank = len(kernel)
    spec = spec_of(1, 8, 8, (9,) * rank, kernel, strides, (1,) * rank, (1,) * rank, (1,) * rank, group)
    assert sides(spec) == along
    assert is_square(spec) == (len(along) == 2 and kernel[-1] == 3)
    assert not is_square(replace(spec, dilations=(2,) * rank))


def test_as_many_tiles_as_the_outputs_of_all_phases_need():
    spec = Images(conv(2, (10,), (3,), (4,), pads=((4,), (4,)))).spec
    assert tile_grid(spec, 2) == (2, 8)  # phases of 3, 3, 2 and 2 outputs: two tiles each
    assert tile_grid(spec, 4) == (2, 4)
    assert math.prod(tile_grid(Images(conv(1, (9, 5), (3, 3))).spec, 4)) == 3 * 2


@pytest.mark.parametrize(
    ("channels", "length", "apart", "chosen"),
    [
        pytest.param(128, 500, 1, True, id="many channels"),
        pytest.param(128, 500, 9, True, id="taps that are apart"),
        pytest.param(128, 64, 32, False, id="phases of two outputs"),
        pytest.param(8, 500, 1, False, id="few channels"),
    ],
)
def test_rows_go_by_it_where_channels_are_many_and_phases_long(channels, length, apart, chosen):
    spec = conv(1, (length,), (3,), (apart,), pads=((apart,), (apart,)), channels=channels, filters=channels)
    site = site_of(spec, np.ones(spec.w.shape, np.float32), AVX2, channels_last(3))
    plan = chosen_plan(site, spec)
    assert (plan is not None) == chosen
    assert plan is None or (plan.m, plan.sides, plan.form.matrices, plan.taps) == (4, 1, 6, 3)


def test_codes_and_matrix_tiles_are_for_squares_of_neighbours():
    spec = conv(1, (96, 96), (3, 3), (2, 2), pads=((2, 2), (2, 2)), channels=64, filters=128)
    plan = chosen_plan(site_of(spec, np.ones(spec.w.shape, np.float32), MATRIX_TILES), spec)
    assert plan is not None and not plan.uses_amx
    near = replace(spec, dilations=(1, 1), pads_begin=(1, 1), pads_end=(1, 1))
    plan = chosen_plan(site_of(near, np.ones(near.w.shape, np.float32), MATRIX_TILES), near)
    assert plan is not None and plan.uses_amx


def test_few_channels_keep_their_order_in_memory():
    assert not suits_winograd(conv(1, (40,), (3,), channels=8, filters=64))
    assert not suits_winograd(conv(1, (40,), (3,), channels=64, filters=8))
    assert suits_winograd(conv(1, (40,), (3,), channels=16, filters=16))
    assert suits_winograd(conv(1, (9, 9), (3, 3), channels=4, filters=4))
    assert not suits_winograd(conv(1, (9, 9), (5, 5), channels=4, filters=64))
    assert suits_winograd(conv(1, (9, 9), (5, 5), channels=16, filters=16))


def test_weights_transformed_while_building_are_those_of_one_side():
    spec = conv(1, (64,), (3,), channels=32, filters=32)
    x, w = numbers(spec)
    for spare in (0, 1 << 18):
        site = site_of(spec, w, machines.VECTORS, channels_last(3))
        site.spare_bytes = spare
        plan = chosen_plan(site, spec)
        assert plan is not None
        body = build_winograd(site, spec, plan)
        assert site.packed[1][1].size == 32 * 32 * (plan.form.matrices if spare else 3)
        np.testing.assert_allclose(interpreted(site, body, x), by_definition(spec, x, w), rtol=0, atol=4e-5)


@pytest.mark.cc
@pytest.mark.parametrize(
    ("shape", "window"),
    [
        ("64,400", "kernel_shape=[3], pads=[7,7], dilations=[7]"),
        ("64,20,30", "kernel_shape=[1,3], pads=[0,1,0,1]"),
        ("64,20,30", "kernel_shape=[3,1], pads=[2,0,2,0], dilations=[2,1]"),
        ("64,21,30", "kernel_shape=[3,3], pads=[5,3,5,3], dilations=[5,3]"),
    ],
)
def test_a_model_has_the_same_bytes_with_any_number_of_threads(shape, window):
    proto = model(f"g (float[1,{shape}] x) => (float[1,{shape}] y) {{ y = Conv<{window}>(x, w) }}")
    random = np.random.default_rng(0)
    kernel = [int(size) for size in window.split("[", 1)[1].split("]")[0].split(",")]
    w = (random.standard_normal((64, 64, *kernel)) / math.sqrt(64 * math.prod(kernel))).astype(np.float32)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
    x = random.standard_normal([1, *map(int, shape.split(","))]).astype(np.float32)
    library = ingot.build(proto, "llvm", cache=None).load()
    first, *others = (
        library["g"](ingot.cpu(0), threads=threads).predict(x=x).copy() for threads in (1, 2, 3)
    )
    exact = ingot.build(proto, "c", name="g", cache=None, math="exact").load()["g"](ingot.cpu(0)).predict(x=x)
    np.testing.assert_allclose(first, exact, rtol=0, atol=2e-5)
    assert not np.array_equal(first, exact)
    for other in others:
        np.testing.assert_array_equal(other, first)
