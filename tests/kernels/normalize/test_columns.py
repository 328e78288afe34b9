"""Normalised rows that lie side by side in memory: the same numbers as of rows of neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.algorithm import choose
from ingot.kernels.normalize.problem import RowNorm
from ingot.kernels.normalize.rows import FAMILY, LAYER_NORM, row_norm
from ingot.kernels.template import Site
from ingot.loops.nodes import Buffer
from tests.kernels.templates import run_template, strides_of
from tests.support import machines

PLANES = (0, 3, 1, 2)  # the last dimension outermost but for the batch


@pytest.mark.parametrize("results", [PLANES, (0, 1, 2, 3)], ids=["planes", "rows"])
@pytest.mark.parametrize(
    ("centred", "bias", "statistics"), [(True, True, True), (True, False, False), (False, False, False)]
)
@pytest.mark.parametrize(("extent", "width"), [(1, 4), (7, 5), (12, 8), (18, 11)])
def test_rows_in_planes_are_normalised_as_rows_of_neighbours(
    extent: int, width: int, centred: bool, bias: bool, statistics: bool, results: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((2, 3, width, extent)).astype(np.float32) + 5
    scale, shift = rng.standard_normal((2, extent)).astype(np.float32)
    template = row_norm(TensorType(DType.FLOAT32, x.shape), centred, 0.25, bias, statistics)
    given = (x, scale, shift) if bias else (x, scale)
    got = run_template(template, *given, machine=machines.VECTORS, orders={"in0": PLANES, "out0": results})
    exact = x.astype(np.float64)
    mean = exact.mean(-1, keepdims=True) if centred else np.zeros((2, 3, width, 1))
    inverse = 1 / np.sqrt(((exact - mean) ** 2).mean(-1, keepdims=True) + 0.25)
    y = (exact - mean) * inverse * scale + (shift if bias else 0)
    for one, wanted in zip(got, (y, mean, inverse), strict=False):
        np.testing.assert_allclose(one, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("order", "width", "algorithm"),
    [(PLANES, 8, "columns"), ((0, 1, 2, 3), 8, "rows"), (PLANES, 3, "rows")],
    ids=["planes", "rows", "narrow"],
)
def test_lanes_are_rows_where_enough_of_them_adjoin(
    order: tuple[int, ...], width: int, algorithm: str
) -> None:
    x = TensorType(DType.FLOAT32, (2, 3, width, 12))
    stored = Buffer("x", x.dtype, x.shape, strides_of(x, order))
    site = Site(machines.VECTORS, [stored], [stored], [None])
    assert choose(site, FAMILY, RowNorm(x, True, 0.25, False, False), LAYER_NORM).name == algorithm
