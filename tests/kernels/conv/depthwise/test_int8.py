"""Depthwise convolutions of codes by words of four and by pairs are exact: every border, stride, length of kernel, sign and
storage.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.conv.int8.conv import qconv_template
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.template import Site
from ingot.loops.nodes import For, buffer
from tests.kernels.templates import run_template
from tests.support import machines

MACHINES = {
    "words": machines.AVX512,
    "pairs": replace(machines.AVX2, dot_i16x2=True),
    "words, cached": machines.SERVER,
    "pairs, cached": replace(machines.AVX2, dot_i16x2=True, l2_bytes=1 << 20),
    "pairs, many registers": replace(machines.SERVER, dot_i16x2=True),
    "words of short vectors, signed": replace(
        machines.NEON, l2_bytes=1 << 20, dot_i8x4=True, dot_i8x4_signed=True
    ),
    "taps, cached": replace(machines.SERVER, vector_bytes=16),
}

# channels, spatial extents, kernel, strides, pads in front, pads behind, dilations
SHAPES = {
    "one row": (17, (21,), (3,), (1,), (1,), (1,), (1,)),
    "three by three": (19, (4, 33), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
    "every other": (33, (5, 31), (3, 3), (2, 2), (1, 1), (1, 1), (1, 1)),
    "every other, padded behind": (4, (6, 34), (3, 3), (2, 2), (0, 0), (1, 1), (1, 1)),
    "two taps": (5, (3, 18), (2, 2), (1, 1), (0, 1), (1, 0), (1, 1)),
    "five taps": (18, (7, 19), (5, 5), (1, 1), (2, 2), (2, 2), (1, 1)),
    "eight taps, more padding than input": (3, (2, 3), (3, 8), (1, 1), (1, 7), (1, 7), (1, 1)),
    "rows apart": (6, (7, 9), (3, 4), (1, 1), (2, 1), (2, 2), (2, 1)),
    "three dimensions": (9, (3, 4, 18), (2, 2, 3), (1, 2, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1)),
    "every third": (10, (11, 20), (4, 3), (3, 3), (2, 1), (1, 1), (1, 1)),
    "columns apart": (8, (5, 17), (2, 3), (1, 1), (1, 2), (0, 2), (1, 2)),
    "one row of outputs": (4, (2, 9), (3, 3), (1, 1), (0, 1), (1, 1), (1, 1)),
    "several vectors in a task": (51, (13, 12), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
    "too many taps to write out": (4, (3, 5), (13, 13), (1, 1), (6, 6), (6, 6), (1, 1)),
    "many channels in short rows": (250, (2, 9), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
    "many channels, every other": (700, (1, 11), (1, 3), (1, 2), (0, 0), (0, 1), (1, 1)),
    "without padding": (16, (4, 20), (3, 3), (1, 1), (0, 0), (0, 0), (1, 1)),
}


def expected(x, w, spec, zero_point):
    """Sums in int64 by the definition, zero points left in the codes."""
    pads = [(0, 0), (0, 0), *zip(spec.pads_begin, spec.pads_end, strict=True)]
    x = np.pad(x.astype(np.int64), pads, constant_values=zero_point)
    y = np.zeros(spec.y.shape, np.int64)
    for k in np.ndindex(*spec.kernel):
        taken = tuple(
            slice(kk * d, kk * d + (extent - 1) * s + 1, s)
            for kk, d, s, extent in zip(k, spec.dilations, spec.strides, spec.y.shape[2:], strict=True)
        )
        y += x[(slice(None), slice(None), *taken)] * w[(slice(None), 0, *k)].reshape(
            -1, *[1] * len(spec.kernel)
        ).astype(np.int64)
    return y


def spec_of(shape, dtype):
    channels, extents, kernel, strides, begins, ends, dilations = shape
    out = tuple(
        (b + e + a - (k - 1) * d - 1) // s + 1
        for b, e, a, k, d, s in zip(begins, extents, ends, kernel, dilations, strides, strict=True)
    )
    x, w = TensorType(dtype, (2, channels, *extents)), TensorType(DType.INT8, (channels, 1, *kernel))
    y = TensorType(DType.INT32, (2, channels, *out))
    return ConvSpec(x, w, y, kernel, strides, dilations, begins, ends, channels)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize(
    ("dtype", "zero_point", "channels_last"),
    [(DType.UINT8, 200, True), (DType.INT8, -3, True), (DType.INT8, 7, False)],
    ids=["unsigned", "signed", "stored with rows last"],
)
def test_sums_are_those_of_the_definition(machine, shape, dtype, zero_point, channels_last):
    spec = spec_of(shape, dtype)
    rng = np.random.default_rng(shape[0])
    limits = np.iinfo(dtype.numpy)
    x = rng.integers(limits.min, limits.max, spec.x.shape, dtype.numpy, endpoint=True)
    w = rng.integers(-128, 127, spec.w.shape, np.int8, endpoint=True)
    starts = rng.integers(-(2**20), 2**20, shape[0]).astype(np.int32)
    orders = {"in0": (0, *range(2, spec.x.rank), 1)} if channels_last else {}
    (y,) = run_template(
        qconv_template(spec, zero_point), x, w, starts, machine=machine, orders=orders, known=(1, 2)
    )
    np.testing.assert_array_equal(
        y, expected(x, w, spec, zero_point) + starts.reshape(-1, *[1] * len(spec.kernel))
    )


@pytest.mark.parametrize(
    ("machine", "chosen"),
    [
        (replace(machines.SCALARS, vector_bytes=64), "words"),
        (replace(machines.SCALARS, vector_bytes=64, dot_i16x2=True, dot_i8x4=True), "words"),
        (replace(machines.SCALARS, vector_bytes=64, dot_i16x2=True), "pairs"),
        (replace(machines.SCALARS, vector_bytes=32, dot_i16x2=True), "pairs"),
        (replace(machines.SCALARS, vector_bytes=32, dot_i16x2=True, dot_i8x4=True), "pairs"),
        (replace(machines.SCALARS, vector_bytes=32), "taps"),
        (replace(machines.SCALARS, vector_bytes=16, fma_by_element=True, dot_i8x4=True), "words"),
        (replace(machines.SCALARS, vector_bytes=16, fma_by_element=True), "taps"),
        (machines.SCALARS, "taps"),
    ],
    ids=[
        "long vectors",
        "VNNI",
        "AVX-512",
        "AVX2",
        "AVX-VNNI",
        "short vectors",
        "Arm",
        "Arm without",
        "no vectors",
    ],
)
def test_sums_are_made_as_the_machine_can(machine, chosen):
    assert _chosen(machine, "three by three") == chosen


@pytest.mark.parametrize("shape", ["one row", "rows apart", "three dimensions"])
def test_there_are_no_pairs_without_two_rows_side_by_side(shape):
    assert _chosen(MACHINES["pairs"], shape) == "taps"


@pytest.mark.parametrize("name", ["words, cached", "pairs, cached", "pairs, many registers", "taps, cached"])
def test_a_tile_is_computed_for_several_vectors_of_channels_before_the_next(name):
    spec, machine = spec_of(SHAPES["several vectors in a task"], DType.UINT8), MACHINES[name]
    stmts, _ = _built(machine, spec)
    around = [
        found
        for found in _loops(stmts)
        if any(inner.var.name == "tile" for inner in found.body if isinstance(inner, For))
    ]
    whole = [found for found in around if found.extent.value == 48 // machine.lanes(DType.INT32)]
    assert [found.var.name for found in whole] == ["c"] * len(whole)
    assert whole


def test_short_rows_of_many_channels_have_few_words_of_weights():
    _, few = _built(MACHINES["words"], spec_of(SHAPES["three by three"], DType.UINT8))
    _, many = _built(MACHINES["words"], spec_of(SHAPES["many channels in short rows"], DType.UINT8))
    assert few.packed[1][0].shape == (
        3,
        6,
        19,
    )  # at each of four places in a word, two of which reach into the next one
    assert many.packed[1][0].shape == (3, 2, 250)  # at two places


def _loops(stmts):
    for stmt in stmts:
        if isinstance(stmt, For):
            yield stmt
        for block in (getattr(stmt, name, ()) for name in ("body", "then", "otherwise")):
            yield from _loops(block)


def _chosen(machine, shape):
    """How a depthwise convolution is summed on a machine."""
    return _built(machine, spec_of(SHAPES[shape], DType.UINT8))[1].chosen["qconv"].removeprefix("depthwise_")


def _built(machine, spec):
    """The statements of a convolution, and their site."""
    types = (spec.x, spec.w, TensorType(DType.INT32, spec.w.shape[:1]))
    inputs = [buffer(f"in{number}", type_.dtype, type_.shape) for number, type_ in enumerate(types)]
    constants = [None, np.ones(spec.w.shape, np.int8), np.zeros(spec.w.shape[0], np.int32)]
    site = Site(machine, inputs, [buffer("out0", spec.y.dtype, spec.y.shape)], constants)
    return qconv_template(spec, 0).build(site), site
