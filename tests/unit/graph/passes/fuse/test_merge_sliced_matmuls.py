"""Products of slices with the same weights become one product, and compute the same."""

from __future__ import annotations

import pytest

from tests.support.models import model
from tests.unit.graph.passes.control_flow.test_unroll import assert_same, normal, recurrent


def test_steps_of_a_recurrent_network_multiply_their_inputs_once():
    left = assert_same(
        recurrent("scan_input_directions = [1],", "6,2,4", "6,2,3"), h0=normal(2, 3), x=normal(6, 2, 4)
    )
    assert left["MatMul"] == 1 + 6


@pytest.mark.parametrize(
    ("shape", "axis", "whole"),
    [
        ((3, 4), 0, True),
        ((3, 2, 4), 0, True),
        ((2, 3, 4), 1, True),
        ((2, 3, 4), -2, True),
        ((2, 4, 3), 2, False),
    ],
)
def test_slices_along_any_axis_but_the_one_that_is_summed_over_are_joined(shape, axis, whole):
    text = ",".join(map(str, shape))
    body = f"""g (float[{text}] x, float[4,5] w) => (y, z, v)
    <int64 first = {{0}}, int64 second = {{1}}, int64 last = {{-1}}> {{
        a = Gather<axis = {axis}>(x, first) b = Gather<axis = {axis}>(x, second) c = Gather<axis = {axis}>(x, last)
        y = MatMul(a, w) m = MatMul(b, w) z = Tanh(m) n = MatMul(c, w) v = Add(n, m)
    }}"""
    proto = model(body)
    for output in proto.graph.output:
        output.type.tensor_type.elem_type = 1
    assert assert_same(proto, x=normal(*shape), w=normal(4, 5))["MatMul"] == (1 if whole else 3)


def test_a_few_slices_of_a_long_tensor_and_other_weights_stay_apart():
    body = """g (float[9,2,4] x, float[4,5] w, float[4,5] v, float[2,4,3] u) => (float[2,5] y, float[2,5] z, float[2,2,3] q)
    <int64 first = {0}, int64 second = {1}> {
        a = Gather(x, first) b = Gather(x, second) c = MatMul(a, w) d = MatMul(b, w) y = Sub(c, d) z = MatMul(a, v)
        q = MatMul(b, u)
    }"""
    feeds = {"x": normal(9, 2, 4), "w": normal(4, 5), "v": normal(4, 5), "u": normal(2, 4, 3)}
    assert assert_same(model(body), **feeds)["MatMul"] == 4
