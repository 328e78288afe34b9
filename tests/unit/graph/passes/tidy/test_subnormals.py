"""Subnormal weights of products become zero, unless sums are to be exact; other constants stay."""

from __future__ import annotations

import numpy as np
import onnx.helper
import onnx.numpy_helper
import onnx.parser
import pytest

import ingot

SMALL = np.float32(1e-40)


def result(math: str, node: str, w: np.ndarray) -> np.ndarray:
    text = f'<ir_version: 8, opset_import: ["": 17]> g (float[1,1,2] x) => (y) {{ {node} }}'
    model = onnx.parser.parse_model(text)
    model.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
    y = (
        ingot.build(model, "interp", name="g", math=math)
        .load()["g"]()
        .predict(x=np.full((1, 1, 2), 2e38, np.float32))
    )
    assert isinstance(y, np.ndarray)
    return y


@pytest.mark.parametrize(
    ("node", "shape"),
    [
        ("y = MatMul(x, w)", (2, 1)),
        ("y = Conv<kernel_shape = [2]>(x, w)", (1, 1, 2)),
        ("t = Conv(x, w) y = Neg(t)", (1, 1, 1)),
    ],
)
def test_a_subnormal_weight_is_zero_unless_sums_are_exact(node: str, shape: tuple[int, ...]) -> None:
    w = np.full(shape, SMALL)
    assert not result("fast", node, w).any()
    np.testing.assert_allclose(np.abs(result("exact", node, w)), float(SMALL) * 2e38 * w.size, rtol=1e-3)


@pytest.mark.parametrize(
    "node", ["y = Add(x, w)", "z = Sub(x, x) y = Add(z, w)", "a = MatMul(x, w) b = Sub(x, x) y = Add(b, w)"]
)
def test_a_subnormal_constant_that_is_not_only_multiplied_stays(node: str) -> None:
    """As of log(p + 1e-45)."""
    w = np.full((2, 2) if "MatMul" in node else (1,), SMALL)
    assert (result("fast", node, w) > 0).all()
