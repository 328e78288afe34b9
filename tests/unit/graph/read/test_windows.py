"""Windows that do not fit into their padded input: refused in the same words wherever they slide, or as ONNX infers."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from ingot.base.errors import ModelError
from ingot.graph.read.read import read_model
from tests.support.models import model

OPERATORS = {
    "Conv": "g (float[1,2,{0}] x) => (float[N,C,W] y) <float[2,2,{1}] w = {{{2}}}> {{ y = Conv<{3}>(x, w) }}",
    "ConvInteger": "g (uint8[1,2,{0}] x) => (int32[N,C,W] y) <uint8[2,2,{1}] w = {{{2}}}> {{ y = ConvInteger<{3}>(x, w) }}",
    "MaxPool": "g (float[1,2,{0}] x) => (float[N,C,W] y) {{ y = MaxPool<kernel_shape = [{1}], {3}>(x) }}",
    "AveragePool": "g (float[1,2,{0}] x) => (float[N,C,W] y) {{ y = AveragePool<kernel_shape = [{1}], {3}>(x) }}",
    "LpPool": "g (float[1,2,{0}] x) => (float[N,C,W] y) {{ y = LpPool<kernel_shape = [{1}], {3}>(x) }}",
}


def sliding(operator: str, extent: int, size: int, **attributes: list[int]) -> onnx.ModelProto:
    words = ", ".join(f"{name} = {value}" for name, value in ({"strides": [1]} | attributes).items())
    made = model(OPERATORS[operator].format(extent, size, ", ".join(["1"] * 4 * size), words))
    made.opset_import[0].version = 19  # where LpPool has dilations
    made.graph.node[0].name = "slides"
    return made


# Extent, window, attributes, and what ONNX infers: rounded towards zero, so that some windows seem to have a place.
UNFIT = [
    (2, 3, {}, 0),
    (2, 3, {"strides": [2]}, 1),
    (1, 3, {"strides": [2]}, 0),
    (1, 3, {"strides": [4]}, 1),
    (1, 3, {"strides": [3], "pads": [0, 1]}, 1),
    (2, 2, {"strides": [2], "dilations": [2]}, 1),
    (1, 3, {}, -1),
    (2, 9, {"strides": [2]}, -2),
    (0, 3, {}, -2),
]


@pytest.mark.parametrize(("extent", "size", "attributes", "inferred"), UNFIT)
@pytest.mark.parametrize("operator", OPERATORS)
def test_a_window_larger_than_its_padded_input_is_refused_or_has_the_places_that_onnx_infers(
    operator: str, extent: int, size: int, attributes: dict[str, list[int]], inferred: int
) -> None:
    made = sliding(operator, extent, size, **attributes)
    if inferred >= 0 and "Pool" in operator:
        assert list(read_model(made).graph.outputs[0].shape) == [1, 2, inferred]
        return
    with pytest.raises(ModelError) as caught:
        read_model(made)
    reach, pads = (size - 1) * attributes.get("dilations", [1])[0] + 1, attributes.get("pads", [0, 0])
    said = f"node slides ({operator}): its window of [{reach}] (kernel [{size}], dilations {attributes.get('dilations', [1])})"
    assert said in str(caught.value)
    assert (
        f"is larger than its input of [{extent + sum(pads)}] (with pads {pads}); give the model larger"
        in str(caught.value)
    )
    assert caught.value.facts["node"] == "slides"


@pytest.mark.parametrize(
    ("extent", "size", "attributes"), [(0, 3, {"pads": [1, 1]}), (0, 1, {}), (0, 3, {"strides": [2]})]
)
def test_of_an_empty_input_a_convolution_is_empty(
    extent: int, size: int, attributes: dict[str, list[int]]
) -> None:
    assert list(read_model(sliding("Conv", extent, size, **attributes)).graph.outputs[0].shape) == [1, 2, 0]


def test_a_window_fits_that_is_padded_to_the_size_of_its_input() -> None:
    made = sliding("Conv", 2, 5)
    made.graph.node[0].attribute.append(onnx.helper.make_attribute("auto_pad", "SAME_UPPER"))
    assert list(read_model(made).graph.outputs[0].shape) == [1, 2, 2]


def test_a_negative_extent_is_refused_with_the_node_that_makes_it() -> None:
    made = model(
        "g (float[1,1,2] x, float[1,1,1] w) => (float[N,C,W] y) { y = ConvTranspose<pads = [3, 3]>(x, w) }"
    )
    made.graph.node[0].name = "up"
    with pytest.raises(
        ModelError, match=r"node up \(ConvTranspose\): its output 'y' has a negative extent: \[1,1,-4\]"
    ):
        read_model(made, constants={"w": np.ones((1, 1, 1), np.float32)})
