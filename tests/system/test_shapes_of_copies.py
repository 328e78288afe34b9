"""What a model learnt is copied for each item of a batch, as decoders do with their queries: items are computed by themselves."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.numpy_helper
import onnx.parser
import pytest

import ingot

_QUERIES = (
    '<ir_version: 9, opset_import: ["" : 18]> m (float[B,4] x) => (float[B,5,4] y) {'
    " b = Shape<start=0, end=1>(x) t = Constant<value_ints=[5, 16]>() s = Concat<axis=0>(b, t) q = Expand(queries, s)"
    " h = MatMul(q, w) o = MatMul(h, v) a = Constant<value_ints=[1]>() u = Unsqueeze(x, a) y = Add(o, u) }"
)
# With queries before the batch, as recurrent networks and torch's attention have it.
_TURNED = (
    '<ir_version: 9, opset_import: ["" : 18]> m (float[B,4] x) => (float[5,B,4] y) {'
    " b = Shape<start=0, end=1>(x) t = Constant<value_ints=[5]>() u = Constant<value_ints=[16]>()"
    " s = Concat<axis=0>(t, b, u) a = Constant<value_ints=[1]>() q1 = Unsqueeze(queries, a) q = Expand(q1, s)"
    " h = MatMul(q, w) o = MatMul(h, v) y = Add(o, x) }"
)


# With the last width, what is folded for 3 items is too much to be folded for 8.
@pytest.mark.parametrize("width", [64, 1024, 512])
@pytest.mark.parametrize("text", [_QUERIES, _TURNED], ids=["behind the batch", "before the batch"])
def test_learnt_queries_are_items(text: str, width: int) -> None:
    model, random = onnx.parser.parse_model(text), np.random.default_rng(0)
    arrays = {
        "queries": random.standard_normal((5, 16)),
        "w": random.standard_normal((16, width)),
        "v": random.standard_normal((width, 4)),
    }
    for name, array in arrays.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(array.astype(np.float32), name))
    reports: list[str] = []
    observer = ingot.Observer(
        on_note=lambda _: None,
        on_dump=lambda name, content: reports.append(str(content)) if name == "dims.txt" else None,
    )
    executor = ingot.build(model, "llvmjit", cache=None, observer=observer).load()["m"](ingot.cpu(0))
    assert "items that are computed by themselves" in reports[0]
    learnt = arrays["queries"] @ arrays["w"] @ arrays["v"]
    for batch in (1, 3, 8, 11):
        x = random.standard_normal((batch, 4)).astype(np.float32)
        expected = learnt[None] + x[:, None] if text == _QUERIES else learnt[:, None] + x
        np.testing.assert_allclose(executor.predict(x=x), expected, rtol=1e-3, atol=1e-3)


def test_rows_that_differ_from_item_to_item_are_no_copies() -> None:
    text = (
        '<ir_version: 9, opset_import: ["" : 18]> m (float[B,4] x) => (float[B,5,4] y) {'
        " b = Shape<start=0, end=1>(x) z = Constant<value_ints=[0]>() t = Constant<value_ints=[5, 4]>()"
        " s = Concat<axis=0>(b, t) p = Slice(table, z, b, z) q = Expand(p, s) a = Constant<value_ints=[1]>()"
        " u = Unsqueeze(x, a) y = Add(q, u) }"
    )
    model, table = onnx.parser.parse_model(text), np.arange(64, dtype=np.float32).reshape(64, 1, 1)
    model.graph.initializer.append(onnx.numpy_helper.from_array(table, "table"))
    executor = ingot.build(model, "llvmjit", dims={"B": range(1, 65)}, cache=None).load()["m"](ingot.cpu(0))
    x = np.ones((19, 4), np.float32)
    np.testing.assert_array_equal(executor.predict(x=x), np.broadcast_to(table[:19] + 1, (19, 5, 4)))
