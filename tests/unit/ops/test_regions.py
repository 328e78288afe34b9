from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import ingot
from ingot.base.tensor import DType, TensorType
from ingot.kernels.sampling.roi_align import roi_align
from ingot.machines.machine import Machine
from tests.kernels.templates import run_template
from tests.support import machines
from tests.support.onnx_text import parse

F = np.float32
GROUPS = replace(machines.SCALARS, grid=True)
SIZE, SCALE = (3, 2), 0.5


def sampled(image: np.ndarray, y: float, x: float) -> np.ndarray:
    """What lies between the four pixels about a place, for all channels; beyond a pixel outside it is 0."""
    height, width = image.shape[1:]
    if not (-1 <= y <= height and -1 <= x <= width):
        return np.zeros(image.shape[0])
    y, x = min(max(y, 0.0), height - 1.0), min(max(x, 0.0), width - 1.0)
    top, left = int(y), int(x)
    rows, columns = {top: 1 - (y - top)}, {left: 1 - (x - left)}
    rows[min(top + 1, height - 1)] = rows.get(min(top + 1, height - 1), 0) + (y - top)
    columns[min(left + 1, width - 1)] = columns.get(min(left + 1, width - 1), 0) + (x - left)
    return sum(image[:, row, column] * a * b for row, a in rows.items() for column, b in columns.items())


def means(x: np.ndarray, rois: np.ndarray, batches: np.ndarray, ratio: int, offset: float) -> np.ndarray:
    y = np.zeros((len(rois), x.shape[1], *SIZE))
    for number, (left, top, right, bottom) in enumerate(rois.astype(np.float64) * SCALE - offset):
        lengths = [bottom - top, right - left]
        if offset == 0:
            lengths = [max(length, 1.0) for length in lengths]
        bins = [length / results for length, results in zip(lengths, SIZE, strict=True)]
        counts = [max(ratio or int(np.ceil(each)), 0) for each in bins]
        for result in np.ndindex(*SIZE):
            for taps in np.ndindex(*counts):
                at = [
                    begin + each * (one + (tap + 0.5) / count)
                    for begin, each, one, tap, count in zip(
                        (top, left), bins, result, taps, counts, strict=True
                    )
                ]
                y[(number, slice(None), *result)] += sampled(x[batches[number]], *at) / np.prod(counts)
    return y


def template_for(x: np.ndarray, rois: np.ndarray, batches: np.ndarray, ratio: int, offset: float):
    types = [TensorType(DType.from_numpy(one.dtype), one.shape) for one in (x, rois, batches)]
    return roi_align(*types, SIZE, SCALE, ratio, False, offset)


@pytest.mark.parametrize("machine", [machines.VECTORS, machines.SCALARS])
@pytest.mark.parametrize(("ratio", "offset"), list(itertools.product([0, 2], [0.0, 0.5])))
@pytest.mark.parametrize(("channels", "width", "order"), [(3, 9, None), (2, 3, None), (7, 5, (0, 2, 3, 1))])
def test_a_region_is_the_mean_of_its_samples(
    channels: int, width: int, order: tuple[int, ...] | None, ratio: int, offset: float, machine: Machine
) -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((2, channels, 6, width)).astype(F)
    corners = rng.uniform(-4, [2 * width, 12], (6, 2))
    sizes = rng.uniform(0, [2 * width, 12], (6, 2))
    sizes[0] = -1  # a region turned round
    rois, batches = np.concatenate([corners, corners + sizes], 1).astype(F), np.array([0, 1, 1, 0, 1, 0])
    orders = {} if order is None else {"in0": order}
    (got,) = run_template(
        template_for(x, rois, batches, ratio, offset), x, rois, batches, machine=machine, orders=orders
    )
    np.testing.assert_allclose(got, means(x, rois, batches, ratio, offset), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("ratio", [0, 2])
def test_a_region_that_is_no_place_reads_nothing_outside(ratio: int) -> None:
    x = np.ones((1, 2, 4, 5), F)
    rois = np.array([[np.nan, 0, 4, 4], [0, 0, -9, np.nan], [-1e30, 0, -1e30, 2], [1e9, 1e9, 1e9, 1e9]], F)
    batches = np.array([0, -7, 7, 0])
    run_template(
        template_for(x, rois, batches, ratio, 0.0), x, rois, batches
    )  # the interpreter checks every access


def test_a_pixel_that_is_no_number_counts_for_its_results_alone() -> None:
    x = np.ones((1, 1, 6, 8), F)
    x[0, 0, 0, 0] = np.inf
    rois, batches = np.array([[0, 0, 12, 10]], F), np.array([0])
    (got,) = run_template(template_for(x, rois, batches, 0, 0.0), x, rois, batches)
    assert np.isinf(got[0, 0, 0, 0])
    assert np.isfinite(np.delete(got.ravel(), 0)).all()


@pytest.mark.parametrize("machine", [machines.VECTORS, machines.SCALARS, GROUPS])
@pytest.mark.parametrize("order", [None, (0, 2, 3, 1)])
@pytest.mark.parametrize("ratio", [0, 1, 3])
def test_samples_outside_read_nothing_of_the_border(
    ratio: int, order: tuple[int, ...] | None, machine: Machine
) -> None:
    x = np.full((1, 2, 8, 9), np.nan, F)  # a frame that is no number
    x[:, :, 2:-2, 2:-2] = 1
    x[0, 0, 0, 0] = np.inf
    # Regions left, right, above, below, all about the picture, and in its middle, in pixels: twice as long before the scale.
    rois = np.array(
        [
            [-40, 8, -12, 12],
            [40, 8, 60, 12],
            [8, -40, 12, -12],
            [8, 40, 12, 60],
            [-60, -50, 90, 80],
            [8, 8, 8, 8],
        ],
        F,
    )
    orders = {} if order is None else {"in0": order}
    batches = np.zeros(len(rois), np.int64)
    template = template_for(x, rois, batches, ratio, 0.5)
    (got,) = run_template(template, x, rois, batches, machine=machine, orders=orders)
    np.testing.assert_allclose(got, means(x, rois, batches, ratio, 0.5), rtol=1e-5)
    assert not got[:4].any()


@pytest.mark.parametrize("mode", ["avg", "max"])
def test_a_region_gone_astray_ends_as_well(mode: str) -> None:
    node = f'y = RoiAlign<output_height=1, output_width=1, sampling_ratio=0, mode="{mode}">(x, r, b)'
    model = parse("(float[1,1,2,1] x, float[2,4] r, int64[2] b) => (float[2,1,1,1] y)", node)
    rois = np.array([[1e17, 0, 2e18, 1], [0, -2e18, 1, np.inf]], np.float32)
    executor = ingot.build(model, "llvmjit", cache=None).load()["m"](ingot.cpu(0))
    y = executor.predict(x=np.ones((1, 1, 2, 1), np.float32), r=rois, b=np.zeros(2, np.int64))
    np.testing.assert_array_equal(y, np.zeros((2, 1, 1, 1)))
