"""Kernels that read one place of a dimension read it through a view, so that equal steps have equal kernels."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import numpy_helper

import ingot
from tests.plan.drafts import assert_same_results, draft_of, planned
from tests.support.models import model


def test_reads_of_single_places_share_a_kernel_whatever_the_places() -> None:
    draft = draft_of(
        """g (float[6,4] x, float[6,4] z) => (float[4] p, float[4] q)
        <int64 first = {0}, int64 third = {2}, int64 fourth = {3}, int64 last = {-1}> {
            a = Gather(x, first) b = Gather(x, last) c = Gather(z, third) d = Gather(z, fourth)
            e = Exp(a) f = Exp(b) p = Sub(e, c) q = Sub(f, d)
        }"""
    )
    program = assert_same_results(draft)
    assert len(program.calls) == 2 and len(program.kernels) == 1
    offsets = [[program.values[name].offset for name in call.args[:2]] for call in program.kernel_calls]
    assert offsets == [[0, 8], [20, 12]]


def test_what_is_read_at_several_places_keeps_its_dimension() -> None:
    draft = draft_of(
        """g (float[6,4] x) => (float[4] y) <int64 third = {2}, int64 fourth = {3}> {
            a = Gather(x, third) b = Gather(x, fourth) c = Exp(a) y = Sub(c, b)
        }"""
    )
    (call,) = assert_same_results(draft).kernel_calls
    assert call.args == ("x", "y") and call.kernel.inputs[0].shape == (6, 4)


@pytest.mark.parametrize(("axis", "place"), [(0, 4), (1, 2), (2, -1)])
def test_views_begin_where_the_kernel_reads_along_any_axis(axis: int, place: int) -> None:
    shape = [5, 3, 4]
    del shape[axis]
    program = assert_same_results(
        draft_of(
            f"""g (float[5,3,4] x) => (float[{shape[0]},{shape[1]}] y) <int64 place = {{{place}}}> {{
                a = Exp(x) b = Gather<axis = {axis}>(a, place) c = Gather<axis = {axis}>(x, place) d = Sin(c) y = Add(b, d)
            }}"""
        )
    )
    assert program.calls


def test_steps_of_a_loop_share_their_kernels_and_write_their_results_where_they_belong() -> None:
    """Also where a step fuses with the slice of the input that it reads."""
    counts = {}
    for steps in (4, 9):
        draft = draft_of(
            f"""g (float[2,3] h0, float[{steps},2,4] x) => (float[2,3] last, float[{steps},2,3] y)
            <float[7,3] w = {{{",".join(str(number % 5 - 2) for number in range(21))}}}> {{
                last, y = Scan <num_scan_inputs = 1, body =
                    b (float[2,3] h, float[2,4] s) => (float[2,3] n, float[2,3] o) {{
                        t = Sin(s) c = Concat<axis = 1>(t, h) m = MatMul(c, w) n = Tanh(m) o = Identity(n)
                    }}> (h0, x)
            }}"""
        )
        program, _ = planned(draft)
        assert_same_results(draft)
        counts[steps] = (len(program.kernels), len(program.kernel_calls) / steps)
    assert counts[4][0] == counts[9][0]
    assert counts[9][1] < 3.2  # a step is the concatenation's two parts and the product


def test_words_are_read_with_the_elements_behind_them() -> None:
    rng = np.random.default_rng(0)
    w, x = rng.integers(-9, 10, (4, 3)).astype(np.int8), rng.integers(0, 256, (2, 4)).astype(np.uint8)
    made = model("g (uint8[2,4] x) => (int32[2,3] y) { y = MatMulInteger(x, w) }")
    made.graph.initializer.append(numpy_helper.from_array(w, "w"))
    library = ingot.build(made, "interp").load()  # which looks at every place that is read
    np.testing.assert_array_equal(library["g"](ingot.cpu(0)).predict(x=x), x.astype(np.int32) @ w)
