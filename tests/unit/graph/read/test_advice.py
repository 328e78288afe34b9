"""What to give to open extents: numbers that fit the model, or what stands against those that were tried."""

from __future__ import annotations

import onnx
import pytest

from ingot.base.errors import ModelError
from ingot.graph.read.read import read_model
from tests.support.models import model

# Halves a picture and doubles it again: odd heights and widths come back as others.
HALVED = """g (float[batch,3,height,width] x) => (float[batch,6,height,width] y) <float[4] s = {1, 1, 2, 2}> {
    down = MaxPool <kernel_shape = [2, 2], strides = [2, 2]>(x)
    up = Resize(down, , s)
    y = Concat <axis = 1>(x, up)
}"""


def refused(given, **dims):
    with pytest.raises(ModelError) as caught:
        read_model(given, dims=dims)
    return caught.value


def test_the_advice_for_pictures_fits_the_model():
    error = refused(model(HALVED))
    advice = {"batch": 1, "height": 224, "width": 224}
    assert f"dims={advice}" in str(error) and "--dim batch=1 --dim height=224 --dim width=224" in str(error)
    assert read_model(model(HALVED), dims=advice).graph.outputs[0].shape == (1, 6, 224, 224)


def test_what_is_bound_already_is_part_of_what_is_tried():
    assert "dims={'batch': 1, 'width': 224}" in str(refused(model(HALVED), height=30))


def test_the_size_in_the_metadata_is_advised():
    given = model(HALVED)
    onnx.helper.set_model_props(given, {"imgsz": "[384, 640]"})
    assert "--dim height=384 --dim width=640" in str(refused(given))


def test_a_size_in_the_metadata_that_does_not_fit_is_not_advised():
    given = model(HALVED)
    onnx.helper.set_model_props(given, {"imgsz": "[333, 333]"})
    assert "--dim height=224 --dim width=224" in str(refused(given))


def test_the_size_of_the_declared_output_is_advised():
    given = model(HALVED.replace("[batch,6,height,width] y", "[batch,6,96,160] y"))
    assert "--dim batch=1 --dim height=96 --dim width=160" in str(refused(given))


def test_a_length_grows_until_the_windows_fit():
    body = "g (float[n,1,samples] x, float[1,1,400] w) => (float[n,1,t] y) { y = Conv(x, w) }"
    assert "--dim n=1 --dim samples=1024" in str(refused(model(body)))


def test_heads_and_the_past_of_an_attention_are_no_pictures():
    body = "g (float[n,heads,past,64] x) => (float[n,heads,past,64] y) { y = Relu(x) }"
    assert "dims={'n': 1, 'heads': 1, 'past': 1}" in str(refused(model(body)))


def test_colours_may_be_last():
    body = "g (float[n,height,width,3] x) => (float[n,height,width,3] y) { y = Relu(x) }"
    assert "dims={'n': 1, 'height': 224, 'width': 224}" in str(refused(model(body)))


def test_where_nothing_fits_the_node_is_named_and_no_number():
    body = "g (float[n,2] x) => (float[n,3] y) <float[1,3] w = {1, 2, 3}> { [sum] y = Add(x, w) }"
    error = refused(model(body))
    assert "dims={'n': …}" in str(error) and "none of those that were tried fits" in str(error)
    assert "node name: sum" in str(error) and error.facts["unbound"] == ("n",)


def test_shapes_that_contradict_name_the_numbers_that_were_given():
    error = refused(model(HALVED), batch=1, height=1, width=2)
    assert "--dim batch=1 --dim height=1 --dim width=2: another number may fit" in str(error)
    assert error.facts["dims"] == {"batch": 1, "height": 1, "width": 2}


def test_a_window_that_is_too_large_names_the_numbers_that_were_given():
    body = "g (float[1,1,n] x, float[1,1,4] w) => (float[1,1,t] y) { y = Conv(x, w) }"
    assert "larger than its input" in str(refused(model(body), n=3)) and "--dim n=3" in str(
        refused(model(body), n=3)
    )


def test_a_model_without_open_extents_says_nothing_of_dims():
    body = "g (float[1,2] x) => (float[1,3] y) <float[1,3] w = {1, 2, 3}> { y = Add(x, w) }"
    assert "--dim" not in str(refused(model(body)))
