"""Batch normalisation with statistics of channels and of positions; group normalisation of old opsets."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.onnx_text import parse, run


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    ("shape", "statistics", "spatial"),
    [((5,), (1,), 1), ((2, 3), (3,), 1), ((2, 3, 4), (3,), 1), ((2, 3, 4), (3, 4), 0), ((2, 3), (3,), 0)],
)
def test_batch_norm_has_statistics_of_channels_or_of_positions(
    shape: tuple[int, ...], statistics: tuple[int, ...], spatial: int, known: bool
) -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal(shape).astype(np.float32)
    given = dict(zip("sbmv", rng.uniform(0.5, 2, (4, *statistics)).astype(np.float32), strict=True))
    dims, each = ",".join(map(str, shape)), ",".join(map(str, statistics))
    signature = (
        f"(float[{dims}] x, {', '.join(f'float[{each}] {name}' for name in given)}) => (float[{dims}] y)"
    )
    model = parse(signature, f"y = BatchNormalization<spatial = {spatial}, epsilon = 0.25>(x, s, b, m, v)", 8)
    (y,) = run(model, given, x=x) if known else run(model, x=x, **given)
    s, b, m, v = (one[:, None] if len(shape) == 3 and spatial else one for one in given.values())
    np.testing.assert_allclose(y, s * (x - m) / np.sqrt(v + 0.25) + b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("opset", [18, 20])
def test_group_normalisation_before_opset_21_has_a_scale_for_each_group(opset: int) -> None:
    """ONNX calls these deprecated, and has no reference for them."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 4, 3)).astype(np.float32)
    scale, bias = np.array([1, 2], np.float32), np.array([0, 1], np.float32)
    signature = "(float[2,4,3] x, float[2] s, float[2] b) => (float[2,4,3] y)"
    model = parse(signature, "y = GroupNormalization<num_groups = 2>(x, s, b)", opset)
    (y,) = run(model, x=x, s=scale, b=bias)
    groups = x.astype(np.float64).reshape(2, 2, 6)
    norm = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(groups.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(
        y, (norm * scale[:, None] + bias[:, None]).reshape(x.shape), rtol=1e-5, atol=1e-6
    )
