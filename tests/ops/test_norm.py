"""Batch normalisation with statistics of one channel, of each channel, and of each position."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ops.onnx_text import parse, run


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
    signature = f"(float[{dims}] x, {', '.join(f'float[{each}] {name}' for name in given)}) => (float[{dims}] y)"
    model = parse(signature, f"y = BatchNormalization<spatial = {spatial}, epsilon = 0.25>(x, s, b, m, v)", 8)
    (y,) = run(model, given, x=x) if known else run(model, x=x, **given)
    s, b, m, v = (one[:, None] if len(shape) == 3 and spatial else one for one in given.values())
    np.testing.assert_allclose(y, s * (x - m) / np.sqrt(v + 0.25) + b, rtol=1e-5, atol=1e-6)
