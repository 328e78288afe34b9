"""Winograd's algorithm on codes gives every sum of the definition exactly, and is chosen only where it does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx
import pytest

import ingot
from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.register_block import Tile
from ingot.kernels.conv.int8.conv import qconv_template
from ingot.kernels.conv.int8.problem import QConv
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.conv.winograd.int8 import WINOGRAD, build_qwinograd, qwinograd_plan
from ingot.kernels.conv.winograd.kernel import Plan
from ingot.kernels.template import Site
from ingot.loops.nodes import For, Kernel, Let, Store, buffer
from ingot.loops.transform.rewrite import statements
from tests.kernels.algorithms import pays
from tests.kernels.templates import strides_of
from tests.support import kernel_c, machines
from tests.support.kernel_llvm import BASELINE, check_kernel, needs_cc
from tests.support.models import model

MACHINE = replace(machines.VECTORS, dot_i8x4=True, dot_i16x2=True)
ORDER = (0, 2, 3, 1)
ENDS = (DType.UINT8, DType.INT8)


def spec_of(x, filters, dtype=DType.UINT8, pads=(1, 1, 1, 1), **changes):
    batch, channels, height, width = x
    out = (height + pads[0] + pads[2] - 2, width + pads[1] + pads[3] - 2)
    weights, sums = (
        TensorType(DType.INT8, (filters, channels, 3, 3)),
        TensorType(DType.INT32, (batch, filters, *out)),
    )
    spec = ConvSpec(TensorType(dtype, x), weights, sums, (3, 3), (1, 1), (1, 1), pads[:2], pads[2:], 1)
    return replace(spec, **changes)


def site_of(spec, weights, starts, machine=MACHINE, order=ORDER):
    x = buffer("x", spec.x.dtype, spec.x.shape, strides_of(spec.x, order))
    w, s = buffer("w", DType.INT8, spec.w.shape), buffer("s", DType.INT32, starts.shape)
    return Site(machine, [x, w, s], [buffer("y", DType.INT32, spec.y.shape)], [None, weights, starts])


def by_definition(x, w, starts, pads, zero_point):
    padded = np.pad(
        x.astype(np.int64),
        ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])),
        constant_values=zero_point,
    )
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return np.einsum("nchwij,mcij->nmhw", windows, w.astype(np.int64)) + starts[:, None, None]


def kernel_of(site, body):
    packed = [site.packed[position] for position in (1, 2)]
    inputs = (site.input(0), *(each for each, _ in packed))
    kernel = Kernel("tested", inputs, site.outputs, tuple(body), tuple(site.workspaces))
    return kernel, [array.reshape(-1) for _, array in packed]


def numbers(spec, seed, extreme=False):
    """Codes, weights and start numbers; `extreme`: the ends of their ranges only."""
    random = np.random.default_rng(seed)
    limits = np.iinfo(spec.x.dtype.numpy)
    x = random.integers(limits.min, limits.max, spec.x.shape, spec.x.dtype.numpy, endpoint=True)
    w = random.integers(-128, 127, spec.w.shape, np.int8, endpoint=True)
    if extreme:
        x = np.where(x > (limits.min + limits.max) // 2, limits.max, limits.min).astype(x.dtype)
        w = np.where(w < 0, -128, 127).astype(np.int8)
    return x, w, random.integers(-(2**20), 2**20, len(w)).astype(np.int32)


SHAPES = {
    "tiles first": ((1, 8, 9, 6), 5, (1, 1, 1, 1), Plan(4, Tile(3, 1, 4), 4, False, 4), False),
    "panels first": ((1, 16, 7, 5), 9, (1, 1, 1, 1), Plan(4, Tile(3, 1, 4), 4, True, 8), False),
    "all at the ends, part of the channels at a time": (
        (2, 16, 4, 8),
        4,
        (0, 1, 2, 0),
        Plan(4, Tile(2, 1, 4), 4, True, 4),
        True,
    ),
    "one element": ((1, 8, 1, 1), 1, (1, 1, 1, 1), Plan(4, Tile(1, 1, 1), 1, False, 4), False),
    "all at the ends": ((2, 8, 8, 4), 8, (1, 0, 1, 2), Plan(4, Tile(4, 2, 4), 3, False, 4), True),
}


@needs_cc
@pytest.mark.parametrize("dtype", ENDS, ids=lambda dtype: dtype.short)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("machine", [MACHINE, machines.NEON], ids=["pairs", "single numbers"])
def test_every_sum_is_that_of_the_definition(shape, dtype, machine):
    x_shape, filters, pads, plan, extreme = shape
    if machine is machines.NEON:  # a step takes one channel
        plan = replace(plan, depth=2 * plan.depth, tile=replace(plan.tile, steps=4))
    spec, zero_point = spec_of(x_shape, filters, dtype, pads), 100
    x, w, starts = numbers(spec, 3, extreme)
    more = 128 if dtype is DType.INT8 else 0  # `starts` are for codes without a sign
    site = site_of(spec, w, starts - more * w.reshape(filters, -1).sum(axis=1, dtype=np.int32), machine)
    kernel, constants = kernel_of(site, build_qwinograd(site, spec, zero_point, plan))
    # In the interpreter, which defines what kernels mean, and in LLVM's code.
    (y,) = check_kernel(kernel, np.moveaxis(x, 1, -1).copy().reshape(-1), *constants)
    np.testing.assert_array_equal(y.reshape(spec.y.shape), by_definition(x, w, starts, pads, zero_point))


@pytest.mark.cc
@kernel_c.needs_cc
def test_c_gives_the_same_numbers():
    x_shape, filters, pads, plan, extreme = SHAPES["all at the ends"]
    spec = spec_of(x_shape, filters, DType.INT8, pads)
    x, w, starts = numbers(spec, 5, extreme)
    site = site_of(spec, w, starts)
    kernel, constants = kernel_of(site, build_qwinograd(site, spec, -3, plan))
    kernel_c.agrees_with_interpreter(kernel, np.moveaxis(x, 1, -1).copy().reshape(-1), *constants)


def test_the_transforms_of_the_worst_codes_and_weights_fit_sixteen_bits():
    b = np.array([[4, 0, -5, 0, 1, 0], [0, -4, -4, 1, 1, 0], [0, -2, -1, 2, 1, 0], [0, 4, 0, -5, 0, 1]])
    g = np.array([[6, 0, 0], [-4, -4, -4], [1, 2, 4], [0, 0, 3]])
    of_codes, of_weights = (
        np.einsum("ik,jl->ijkl", one, one).reshape(-1, one.shape[1] ** 2) for one in (b, g)
    )
    assert np.maximum(of_codes, 0).sum(axis=1).max() * 255 == 17_340 <= 2**15 - 1
    assert np.abs(of_codes).sum(axis=1).max() * 128 <= 2**15 - 1
    assert np.abs(of_weights).sum(axis=1).max() * 128 == 18_432 <= 2**15 - 1


SPEC = spec_of((1, 64, 32, 32), 64)
WEIGHTS = numbers(SPEC, 1)[1]
LOUD = np.full((64, 256, 3, 3), 127, np.int8)


@pytest.mark.parametrize(
    ("spec", "machine", "weights", "order"),
    [
        pytest.param(SPEC, replace(MACHINE, dot_i16x2=False), WEIGHTS, ORDER, id="no instruction for pairs"),
        pytest.param(
            SPEC,
            replace(machines.NEON, dot_i8x4=True, dot_i8x4_signed=True),
            WEIGHTS,
            ORDER,
            id="dot products of NEON",
        ),
        pytest.param(SPEC, replace(MACHINE, grid=True), WEIGHTS, ORDER, id="groups"),
        pytest.param(SPEC, MACHINE, WEIGHTS, (0, 1, 2, 3), id="channels apart"),
        pytest.param(replace(SPEC, strides=(2, 2)), MACHINE, WEIGHTS, ORDER, id="strides"),
        pytest.param(replace(SPEC, dilations=(2, 2)), MACHINE, WEIGHTS, ORDER, id="dilations"),
        pytest.param(
            spec_of((1, 60, 32, 32), 64), MACHINE, WEIGHTS[:, :60], ORDER, id="channels that fill no vectors"
        ),
        pytest.param(spec_of((1, 256, 32, 32), 64), MACHINE, LOUD, ORDER, id="sums of more than 25 bits"),
        pytest.param(spec_of((1, 8, 32, 32), 8), MACHINE, WEIGHTS[:8, :8], ORDER, id="few channels"),
    ],
)
def test_it_is_not_chosen_elsewhere(spec, machine, weights, order):
    starts = np.zeros(len(weights), np.int32)
    assert is_chosen(site_of(SPEC, WEIGHTS, starts), SPEC)
    assert not is_chosen(site_of(spec, weights, starts, machine, order), spec)


def is_chosen(site, spec):
    return pays(WINOGRAD, site, QConv(spec, 0))


def test_neon_without_dot_products_takes_it_but_for_few_tiles():
    starts = np.zeros(64, np.int32)
    assert is_chosen(site_of(SPEC, WEIGHTS, starts, machines.NEON), SPEC)
    few = spec_of((1, 512, 7, 7), 512)
    weights, starts = np.zeros(few.w.shape, np.int8), np.zeros(512, np.int32)
    assert not is_chosen(site_of(few, weights, starts, machines.NEON), few)


def test_layers_of_few_pixels_take_it_where_the_definition_is_slow():
    few = spec_of((1, 128, 14, 14), 128)
    weights, starts = numbers(few, 1)[1], np.zeros(128, np.int32)
    slow = replace(MACHINE, dot_i8x4=False)
    assert is_chosen(site_of(few, weights, starts, slow), few)
    assert not is_chosen(site_of(few, weights, starts), few)


def test_weights_that_are_transformed_at_once_stay_in_the_second_cache():
    machine = replace(MACHINE, dot_i8x4=False, vector_bytes=32, l2_bytes=512 * 1024)
    few = spec_of((1, 512, 7, 7), 512)  # four tiles, no more than a register tile has rows
    weights, starts = np.zeros(few.w.shape, np.int8), np.zeros(512, np.int32)
    plan = qwinograd_plan(site_of(few, weights, starts, machine), few)
    assert plan.panels_first
    assert 36 * plan.depth * plan.tile.columns * 4 <= machine.l2_bytes // 4
    plan = qwinograd_plan(site_of(few, weights, starts, replace(machine, l2_bytes=1 << 24)), few)
    assert plan.depth == 256


def test_what_is_transformed_is_stored_row_by_row():
    site = site_of(SPEC, WEIGHTS, np.zeros(64, np.int32))
    body = qconv_template(SPEC, 3).build(site)
    squares = [
        stmt.body
        for stmt in statements(body)
        if isinstance(stmt, For)
        and sum(isinstance(each, Store) and each.buffer.name == "factors" for each in stmt.body) == 36
    ]
    assert squares
    for square in squares:
        first = next(number for number, each in enumerate(square) if isinstance(each, Store))
        assert (
            sum(isinstance(each, Let) for each in square[first:]) >= 5 * 6 - 6
        )  # all but what the first row is made of


def test_the_template_computes_with_it_where_it_is_chosen():
    site = site_of(SPEC, WEIGHTS, np.zeros(64, np.int32))
    qconv_template(SPEC, 3).build(site)
    assert {made.name for made in site.workspaces} == {"factors", "inputs", "products"}


@needs_cc
def test_a_model_has_the_same_bytes_on_all_targets():
    text = """
    tiny (uint8[1, 64, 15, 14] x) => (int8[1, 72, 15, 14] y)
    <float s = {0.02}, uint8 z = {3}, int8 zw = {0}, float t = {0.9}, int8 zy = {-7}>
    { a = QLinearConv(x, s, z, eye, s, zw, s, z)
      y = QLinearConv <pads = [1, 1, 1, 1]> (a, s, z, w, s, zw, t, zy) }
    """
    random = np.random.default_rng(2)
    eye = (random.integers(-9, 9, (64, 64)) + 100 * np.eye(64)).astype(np.int8).reshape(64, 64, 1, 1)
    tiny = model(text)
    weights = {"eye": eye, "w": random.integers(-128, 127, (72, 64, 3, 3)).astype(np.int8)}
    tiny.graph.initializer.extend(
        onnx.numpy_helper.from_array(array, name) for name, array in weights.items()
    )
    x = random.integers(0, 256, (1, 64, 15, 14)).astype(np.uint8)
    targets = ("c", "llvm", BASELINE)
    first, *others = (
        ingot.build(tiny, target).load()["tiny"](ingot.cpu(0)).predict(x=x) for target in targets
    )
    assert all(np.array_equal(first, other) for other in others)
