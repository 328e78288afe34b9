"""Kernels that read one place of a dimension read it through a view, so that equal steps have equal kernels."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import numpy_helper

import ingot
from ingot.plan.schedule import schedule
from tests.support.drafts import assert_same_results, draft_of, planned
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


def test_a_template_writes_once_for_all_steps_of_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing and simplifying a kernel takes some ten milliseconds: a loop has a thousand steps."""
    written: list[object] = []
    simplified: list[object] = []
    write, finished = schedule.write, schedule.finished
    monkeypatch.setattr(schedule, "write", lambda *args: (written.append(args), write(*args))[1])
    monkeypatch.setattr(schedule, "finished", lambda *args: (simplified.append(args), finished(*args))[1])
    text = """g (float[1,4] h0, float[STEPS,1,4] x) => (float[1,4] last, float[STEPS,1,4] y) {
        last, y = Scan <num_scan_inputs = 1, body = b (float[1,4] h, float[1,4] s) => (float[1,4] n, float[1,4] o) {
            m = MatMul(h, w) a = Add(m, s) n = Tanh(a) o = Identity(n)
        }> (h0, x)
    }"""
    counts = []
    for steps in (4, 9):
        made = model(text.replace("STEPS", str(steps)))
        made.graph.initializer.append(numpy_helper.from_array(np.eye(4, dtype=np.float32) / 2, "w"))
        written.clear()
        simplified.clear()
        x = np.random.default_rng(1).standard_normal((steps, 1, 4)).astype(np.float32)
        last, y = (
            ingot.build(made, "interp", cache=None)
            .load()["g"]()
            .predict(h0=np.zeros((1, 4), np.float32), x=x)
        )
        h = np.zeros((1, 4), np.float32)
        for step in range(steps):
            h = np.tanh(h / 2 + x[step])
            np.testing.assert_allclose(y[step], h, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(last, y[-1])
        counts.append((len(written), len(simplified)))
    assert counts[0] == counts[1]
    assert counts[0][0] >= 1


def test_a_slice_is_walked_like_a_tensor_of_its_own() -> None:
    """Its dimensions are merged to one loop, wherever it begins."""
    (call,) = assert_same_results(
        draft_of(
            "g (float[3,4,8] x) => (float[4,8] y) <int64 second = {1}> { a = Gather(x, second) y = Sin(a) }"
        )
    ).kernel_calls
    assert [buffer.shape for buffer in call.kernel.params] == [(32,), (32,)]


def test_results_without_elements_do_not_share_a_kernel_by_that() -> None:
    program = assert_same_results(
        draft_of(
            """g (float[0,4] x, int64[2,0] z) => (float[0,4] y, int64[2,0] u, float[4] s)
            { y = Sin(x) u = Add(z, z) s = ReduceSum<keepdims = 0>(x, axes) }""".replace(
                "float[4] s)", "float[4] s) <int64[1] axes = {0}>"
            )
        )
    )
    for call in program.kernel_calls:
        outputs = call.args[len(call.kernel.inputs) :][: len(call.kernel.outputs)]
        assert [program.values[name].type.dtype for name in outputs] == [
            buffer.dtype for buffer in call.kernel.outputs
        ]


def test_words_are_read_with_the_elements_behind_them() -> None:
    rng = np.random.default_rng(0)
    w, x = rng.integers(-9, 10, (4, 3)).astype(np.int8), rng.integers(0, 256, (2, 4)).astype(np.uint8)
    made = model("g (uint8[2,4] x) => (int32[2,3] y) { y = MatMulInteger(x, w) }")
    made.graph.initializer.append(numpy_helper.from_array(w, "w"))
    library = ingot.build(made, "interp").load()  # which looks at every place that is read
    np.testing.assert_array_equal(library["g"](ingot.cpu(0)).predict(x=x), x.astype(np.int32) @ w)
