"""Attention as one kernel: keys that are not there yet are not read."""

from __future__ import annotations

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.attention.fused import Scoring, attention_template
from ingot.kernels.template import Site
from ingot.loops.analyse.counts import Count
from ingot.loops.nodes import Const, Expr, compare, select
from tests.kernels.templates import run_template
from tests.support import machines

ROWS, DEPTH, WIDTH = 6, 5, 8
SEEN = Count(0)


def attention(keys: int, there: int, values: tuple[np.ndarray, ...], machine=machines.VECTORS) -> np.ndarray:
    """Of a cache with room for `keys`, of which `there` are seen."""
    sizes = np.array([there])

    def hidden(site: Site, where: tuple[Expr, ...], score: Expr) -> Expr:
        count = SEEN.expression(site.input(3), keys)
        return select(compare("lt", where[-1], count), score, Const(-np.inf, DType.FLOAT32))

    q, k, v = (TensorType(DType.FLOAT32, array.shape) for array in values)
    template = attention_template(
        (q, k, v),
        (TensorType(DType.INT64, (1,)),),
        TensorType(DType.FLOAT32, (1, ROWS, WIDTH)),
        Scoring(hidden, filled=(3, SEEN)),
        spec={},
        order=(0, 1, 2),
    )
    orders = {"in1": (0, 2, 1)}
    (result,) = run_template(template, *values, sizes, machine=machine, orders=orders)
    return result


def cache(keys: int, filled: int) -> tuple[np.ndarray, ...]:
    """Queries, keys and values, of which nothing is a number behind those that are filled."""
    random = np.random.default_rng(keys)
    shapes = ((1, ROWS, DEPTH), (1, DEPTH, keys), (1, keys, WIDTH))
    q, k, v = (random.standard_normal(shape).astype(np.float32) for shape in shapes)
    k[..., filled:] = v[:, filled:] = np.nan
    return q, k, v


def expected(values: tuple[np.ndarray, ...], there: int) -> np.ndarray:
    q, k, v = (array.astype(np.float64) for array in values)
    weights = np.exp(q @ k[..., :there])
    return weights / weights.sum(-1, keepdims=True) @ v[:, :there]


@pytest.mark.parametrize("machine", [machines.VECTORS, machines.SCALARS], ids=["vectors", "scalars"])
@pytest.mark.parametrize(("there", "filled"), [(1, 48), (47, 48), (48, 48), (49, 96), (144, 144)])
def test_keys_behind_the_round_of_the_last_one_are_not_read(there, filled, machine):
    values = cache(144, filled)
    np.testing.assert_allclose(
        attention(144, there, values, machine), expected(values, there), rtol=2e-5, atol=1e-6
    )


def test_more_keys_than_there_is_room_for_are_all_keys():
    values = cache(48, 48)
    np.testing.assert_allclose(attention(48, 1000, values), expected(values, 48), rtol=2e-5, atol=1e-6)


def test_a_cache_that_is_no_whole_number_of_rounds_is_read_to_its_end():
    values = cache(50, 50)
    np.testing.assert_allclose(attention(50, 7, values), expected(values, 7), rtol=2e-5, atol=1e-6)
