"""A message without its weights is the message otherwise, and what is no message is found."""

from __future__ import annotations

import io

import numpy as np
import onnx
import onnx.numpy_helper
import pytest

from ingot.graph.read.apart import NoMessageError, without_weights
from tests.support.models import model

FROM_BYTES = 100


def proto() -> onnx.ModelProto:
    """Weights of many and of few bytes, in turn."""
    made = model("g (float[40] x) => (float[40] y) { y = Add(x, w) }")
    for number, size in enumerate((40, 3, 50, 2, 40)):
        array = np.arange(size, dtype=np.float32) + number
        made.graph.initializer.append(onnx.numpy_helper.from_array(array, f"w{number}"))
    made.graph.initializer[2].doc_string = "behind its bytes"
    made.metadata_props.add(key="k", value="v")
    return made


def test_large_weights_are_places_and_all_else_is_as_it_was() -> None:
    whole = proto()
    content = whole.SerializeToString()
    small, places = without_weights(io.BytesIO(content), len(content), FROM_BYTES)
    assert [place.number for place in places] == [0, 2, 4]
    assert b"".join(content[one.offset : one.offset + one.length] for one in places) == b"".join(
        whole.graph.initializer[number].raw_data for number in (0, 2, 4)
    )
    found = onnx.ModelProto.FromString(small)
    for one in places:
        assert not found.graph.initializer[one.number].HasField("raw_data")
        found.graph.initializer[one.number].raw_data = content[one.offset : one.offset + one.length]
    assert found == whole


def test_a_graph_in_two_parts_is_one() -> None:
    content = proto().SerializeToString()
    _, places = without_weights(io.BytesIO(content * 2), 2 * len(content), FROM_BYTES)
    assert [place.number for place in places] == [0, 2, 4, 5, 7, 9]


def test_a_message_that_is_cut_short_is_no_message_or_one_that_protobuf_refuses() -> None:
    content = proto().SerializeToString()
    for size in range(1, len(content)):
        try:
            small, _ = without_weights(io.BytesIO(content[:size]), size, FROM_BYTES)
        except NoMessageError:
            continue
        onnx.ModelProto.FromString(content[:size])  # ends between two fields of the model
        onnx.ModelProto.FromString(small)


@pytest.mark.parametrize(
    "content",
    [
        b"\x00\x01",
        b"\x3f",
        b"\x3b",
        b"\xff" * 11,
        b"\x3a\x05",
        b"\x09abc",
        b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    ],
    ids=[
        "field 0",
        "kind 7",
        "a group",
        "a long number",
        "too few bytes",
        "too few bytes of eight",
        "a length of 2**64",
    ],
)
def test_what_is_no_message_is_found(content: bytes) -> None:
    with pytest.raises(NoMessageError):
        without_weights(io.BytesIO(content), len(content), FROM_BYTES)
