"""Sparse weights and constants are made dense."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.helper
import onnx.parser
import pytest

from ingot.base.errors import IngotError, ModelError, UnsupportedError
from tests.support.onnx_text import run

Places = list[int] | list[list[int]]


def sparse(places: Places, values: list[float], shape: list[int], name: str = "c") -> onnx.SparseTensorProto:
    flat = np.array(places, np.int64)
    indices = onnx.helper.make_tensor("i", onnx.TensorProto.INT64, flat.shape, flat.ravel().tolist())
    return onnx.helper.make_sparse_tensor(
        onnx.helper.make_tensor(name, onnx.TensorProto.FLOAT, [len(values)], values), indices, shape
    )


def with_constant(value: onnx.SparseTensorProto, as_node: bool) -> onnx.ModelProto:
    made = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["": 17]> g (float[2,3] x) => (float[2,3] y) { y = Add(x, c) }'
    )
    if as_node:
        made.graph.node.insert(0, onnx.helper.make_node("Constant", [], ["c"], sparse_value=value))
    else:
        made.graph.sparse_initializer.append(value)
    return made


@pytest.mark.parametrize("as_node", [False, True])
@pytest.mark.parametrize("places", [[1, 5], [[0, 1], [1, 2]]])
def test_a_sparse_constant_is_added_like_a_dense_one(places: Places, as_node: bool) -> None:
    (y,) = run(with_constant(sparse(places, [2.5, -1], [2, 3]), as_node), x=np.ones((2, 3), np.float32))
    np.testing.assert_array_equal(y, [[1, 3.5, 1], [1, 1, 0]])


@pytest.mark.parametrize("as_node", [False, True])
@pytest.mark.parametrize(
    ("places", "shape", "kind", "words"),
    [
        ([1, 6], [2, 3], ModelError, r"an index lies outside the shape \[2, 3\]"),
        ([-1, 5], [2, 3], ModelError, "an index lies outside"),
        ([[0, 1], [1, 3]], [2, 3], ModelError, "an index lies outside"),
        ([1, 2, 3], [2, 3], ModelError, "expected as many indices"),
        ([0, 1], [1 << 20, 1 << 20], UnsupportedError, "bytes when it is dense"),
        ([0, 1], [-2, 3], ModelError, "without negative extents"),
    ],
)
def test_a_sparse_constant_that_does_not_fit_is_refused(
    places: Places, shape: list[int], kind: type[IngotError], words: str, as_node: bool
) -> None:
    with pytest.raises(kind, match=words):
        run(with_constant(sparse(places, [2.5, -1], shape), as_node), x=np.ones((2, 3), np.float32))
