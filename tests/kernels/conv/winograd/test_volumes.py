"""Winograd's algorithm on volumes, whose planes it takes for pictures, gives what the definition gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ingot
from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.dot_block import unsigned_zero
from ingot.kernels.blocks.register_block import Tile
from ingot.kernels.conv.conv import channels_last
from ingot.kernels.conv.winograd.images import Images
from ingot.kernels.conv.winograd.int8 import build_qwinograd
from ingot.kernels.conv.winograd.kernel import Plan
from ingot.kernels.conv.winograd.winograd import build_winograd
from ingot.loops.interpret import run
from ingot.loops.verify import verify
from tests.kernels.algorithms import chosen_plan
from tests.kernels.conv.test_conv import by_definition
from tests.kernels.conv.test_conv import spec_of as conv_spec_of
from tests.kernels.conv.winograd import test_int8 as codes
from tests.kernels.conv.winograd.test_winograd import AVX2, MATRIX_TILES, interpreted, site_of
from tests.support import machines
from tests.support.models import model


def spec_of(x, filters, taps=(3,), strides=(1,), dilations=(1,), begins=(1,), ends=(1,), codes=None):
    """The numbers are those of the dimensions in front of the last two."""
    steps, apart = (*strides, 1, 1), (*dilations, 1, 1)
    spec = conv_spec_of(
        x[0], x[1], filters, x[2:], (*taps, 3, 3), steps, apart, (*begins, 1, 1), (*ends, 1, 1)
    )
    if codes is None:
        return spec
    kinds = {"x": codes, "w": DType.INT8, "y": DType.INT32}
    return replace(
        spec, **{name: TensorType(kind, getattr(spec, name).shape) for name, kind in kinds.items()}
    )


def numbers(spec, seed=7):
    random = np.random.default_rng(seed)
    return tuple(random.standard_normal(type_.shape).astype(np.float32) for type_ in (spec.x, spec.w))


@settings(max_examples=12)
@given(
    st.sampled_from([2, 4]),
    st.sampled_from(["tiles", "panels", "rows of panels"]),
    st.tuples(st.integers(1, 2), st.integers(3, 6), st.integers(1, 5), st.integers(1, 5)),
    st.tuples(st.integers(1, 3), st.integers(1, 2), st.integers(1, 2)),
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
)
def test_all_orders_of_loops_give_what_the_definition_gives(m, first, extents, window, pads):
    (batch, depth, height, width), (taps, stride, dilation) = extents, window
    spec = spec_of((batch, 8, depth, height, width), 5, (taps,), (stride,), (dilation,), pads[:1], pads[1:])
    assume(min(spec.y.shape) > 0)
    x, w = numbers(spec)
    site = site_of(spec, w)
    channels, panels_first = Images(spec).spec.x.shape[1], first != "tiles"
    plan = Plan(
        m, Tile(3, 1, 4), 3, panels_first, channels // (2 if panels_first else 1), first == "rows of panels"
    )
    body = build_winograd(site, spec, plan)
    np.testing.assert_allclose(
        interpreted(site, body, x), by_definition(spec, x, w), rtol=0, atol=2e-5 if m == 2 else 6e-5
    )


def test_two_dimensions_of_planes():
    spec = spec_of((2, 4, 3, 2, 4, 5), 6, (2, 2), (1, 2), (2, 1), (1, 0), (1, 1))
    x, w = numbers(spec)
    site = site_of(spec, w)
    body = build_winograd(site, spec, Plan(2, Tile(3, 1, 4), 4, False, 16))
    np.testing.assert_allclose(interpreted(site, body, x), by_definition(spec, x, w), rtol=0, atol=2e-5)


def test_matrix_by_matrix_in_tiles_gives_what_the_definition_gives():
    spec = spec_of((1, 32, 3, 3, 6), 12)
    x, w = numbers(spec)
    site = site_of(spec, w, MATRIX_TILES)
    body = build_winograd(site, spec, Plan(4, Tile(32, 1, 16), 3, False, 96, uses_amx=True))
    np.testing.assert_allclose(interpreted(site, body, x), by_definition(spec, x, w), rtol=0, atol=4e-4)


@pytest.mark.parametrize("dtype", [DType.UINT8, DType.INT8])
@pytest.mark.parametrize("panels_first", [False, True])
def test_every_sum_of_codes_is_exact_with_a_zero_point_outside(dtype, panels_first):
    spec, zero_point = spec_of((1, 8, 3, 5, 6), 5, (3,), (2,), begins=(2,), ends=(1,), codes=dtype), 7
    x, w, starts = codes.numbers(spec, 3)
    order = channels_last(spec.x.rank)
    site = codes.site_of(spec, w, starts, order=order)
    kernel, packed = codes.kernel_of(
        site, build_qwinograd(site, spec, zero_point, Plan(4, Tile(3, 1, 4), 3, panels_first, 12))
    )
    verify(kernel)
    names = (each.name for each in kernel.inputs)
    memory = dict(zip(names, [np.moveaxis(x, 1, -1).copy().ravel(), *packed], strict=True))
    memory["y"] = np.zeros(spec.y.size, np.int32)
    memory |= {each.name: np.full(each.span, 77, each.dtype.numpy) for each in site.workspaces}
    run(kernel, memory)
    # Where codes have a sign, the numbers that sums start with are for codes that are 128 more.
    starts = starts + unsigned_zero(0, dtype) * w.reshape(len(w), -1).sum(axis=1, dtype=np.int64)
    outside = zero_point * w.reshape(len(w), -1).sum(axis=1, dtype=np.int64)
    expected = (
        by_definition(spec, x.astype(np.int64) - zero_point, w) + (starts + outside)[:, None, None, None]
    )
    np.testing.assert_array_equal(memory["y"].reshape(spec.y.shape), expected)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="a cube of taps"),
        pytest.param({"taps": (1,), "begins": (0,), "ends": (0,)}, id="a square of taps in each plane"),
        pytest.param(
            {"strides": (2,), "dilations": (2,), "begins": (2,), "ends": (2,)}, id="planes in larger steps"
        ),
    ],
)
def test_it_is_chosen_for_many_channels_whatever_the_planes_are(changes):
    spec = spec_of((1, 64, 4, 28, 28), 64, **changes)
    plan = chosen_plan(site_of(spec, np.ones(spec.w.shape, np.float32), AVX2), spec)
    assert plan is not None and plan.m == 4


def test_channels_that_are_no_whole_vectors_are_used_by_the_definition_however_many_taps_there_are():
    spec = spec_of((1, 6, 4, 28, 28), 64, (2,), begins=(0,))
    assert chosen_plan(site_of(spec, np.ones(spec.w.shape, np.float32), machines.VECTORS), spec) is None


@pytest.mark.parametrize(
    "window", ["kernel_shape=[3,3,3], pads=[1,1,1,1,1,1]", "kernel_shape=[1,3,3], pads=[0,1,1,0,1,1]"]
)
def test_a_model_of_volumes_has_the_same_bytes_with_any_number_of_threads(window):
    proto = model(f"g (float[1,64,4,12,12] x) => (float[1,64,4,12,12] y) {{ y = Conv<{window}>(x, w) }}")
    flat = {"taps": (1,), "begins": (0,), "ends": (0,)}
    spec = spec_of((1, 64, 4, 12, 12), 64, **({} if "[3,3,3]" in window else flat))
    x, w = numbers(spec)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
    factory = ingot.build(proto, "llvm", cache=None).load()["g"]
    one, two = (factory(ingot.cpu(0), threads=threads).predict(x=x) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_allclose(one, by_definition(spec, x, w), rtol=0, atol=6e-4)
