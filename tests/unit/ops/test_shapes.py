from __future__ import annotations

import numpy as np
import pytest

from ingot.base.errors import IngotError, UnsupportedError
from tests.support.onnx_text import agrees, parse, run

F = np.float32


@pytest.mark.parametrize(
    ("shape", "wanted"), [([6, -1], (6, 4)), ([0, -1], (2, 12)), ([-1], (24,)), ([2, 3, 4, 1], (2, 3, 4, 1))]
)
def test_reshape_fills_in_one_extent_and_copies_zeros(shape: list[int], wanted: tuple[int, ...]) -> None:
    model = parse(
        f"(float[2,3,4] x, int64[{len(shape)}] s) => (float[{','.join('?' * len(wanted))}] y)",
        "y = Reshape(x, s)",
    )
    (y,) = run(model, {"s": np.array(shape)}, x=np.arange(24, dtype=F).reshape(2, 3, 4))
    assert y.shape == wanted


def test_reshape_of_nothing_stays_nothing() -> None:
    model = parse("(float[0,3] x, int64[2] s) => (float[?,?] y)", "y = Reshape<allowzero=1>(x, s)")
    (y,) = run(model, {"s": np.array([3, 0])}, x=np.zeros((0, 3), F))
    assert y.shape == (3, 0)


def test_reshape_that_loses_elements_is_refused() -> None:
    with pytest.raises(IngotError):
        run(
            parse("(float[6] x, int64[1] s) => (float[?] y)", "y = Reshape(x, s)"),
            {"s": np.array([5])},
            x=np.zeros(6, F),
        )


@pytest.mark.parametrize("axis", [-3, -1, 0, 1, 3])
def test_flatten_takes_any_axis(axis: int) -> None:
    agrees(
        parse("(float[2,3,4] x) => (float[?,?] y)", f"y = Flatten<axis={axis}>(x)"),
        x=np.arange(24, dtype=F).reshape(2, 3, 4),
    )


def test_squeeze_and_unsqueeze_take_negative_axes() -> None:
    model = parse("(float[1,3,1] x, int64[1] a) => (float[?,?] y)", "y = Squeeze(x, a)")
    agrees(model, {"a": np.array([-1])}, x=np.ones((1, 3, 1), F))
    model = parse("(float[3] x, int64[2] a) => (float[?,?,?] y)", "y = Unsqueeze(x, a)")
    agrees(model, {"a": np.array([-1, 0])}, x=np.ones(3, F))
    agrees(parse("(float[1,1] x) => (float y)", "y = Squeeze(x)"), x=np.ones((1, 1), F))


def test_dropout_passes_its_input_and_says_that_nothing_was_dropped() -> None:
    model = parse("(float[3] x) => (float[3] y, bool[3] m)", "y, m = Dropout(x)")
    _, m = agrees(model, x=np.array([1, np.nan, 3], F))
    assert m.all()


def test_range_is_computed_late_when_the_output_is_known() -> None:
    model = parse("(float s, float l, float d) => (float[4] y)", "y = Range(s, l, d)")
    (y,) = run(model, s=np.array(1, F), l=np.array(3, F), d=np.array(0.5, F))
    assert y.tolist() == [1, 1.5, 2, 2.5]


@pytest.mark.parametrize(
    ("start", "limit", "delta"), [(0, 5, 2), (5, 0, -2), (3, 3, 1), (5, 0, 1), (-7, 8, 5)]
)
def test_range_of_constants_has_the_length_that_fits(start: int, limit: int, delta: int) -> None:
    known = {"s": np.array(start), "l": np.array(limit), "d": np.array(delta)}
    model = parse(
        "(int64 s, int64 l, int64 d, int64[1] z) => (int64[?] y)", "r = Range(s, l, d) y = Add(r, z)"
    )
    (y,) = run(model, known, z=np.zeros(1, np.int64))
    assert y.tolist() == list(range(start, limit, delta))


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("k", [-4, -3, -2, -1, 0, 2, 3, 4, 9])
def test_trilu_takes_any_diagonal_early_or_late(upper: int, k: int) -> None:
    x = np.arange(12, dtype=F).reshape(3, 4) + 1
    model = parse("(float[3,4] x, int64 k) => (float[3,4] y)", f"y = Trilu<upper={upper}>(x, k)")
    expected = (np.triu if upper else np.tril)(x, k)
    np.testing.assert_array_equal(run(model, x=x, k=np.array(k))[0], expected)
    np.testing.assert_array_equal(run(model, {"k": np.array(k)}, x=x)[0], expected)


@pytest.mark.parametrize("k", [-(2**63), 2**63 - 1])
def test_a_diagonal_may_be_as_far_away_as_numbers_go(k: int) -> None:
    x = np.ones((3, 4), F)
    for upper in (0, 1):
        (y,) = run(
            parse("(float[3,4] x, int64 k) => (float[3,4] y)", f"y = Trilu<upper={upper}>(x, k)"),
            x=x,
            k=np.array(k),
        )
        assert y.all() if (k < 0) == (upper == 1) else not y.any()


def test_a_shape_known_late_must_have_as_many_elements_as_the_input() -> None:
    model = parse("(float[4,3] x, int64[2] s) => (float[5,3] y)", "y = Reshape(x, s)")
    with pytest.raises(UnsupportedError, match="not as many elements"):
        run(model, x=np.zeros((4, 3), F), s=np.array([5, 3]))


def test_eye_like_has_ones_on_a_diagonal() -> None:
    agrees(
        parse("(int32[3,5] x) => (float[3,5] y)", "y = EyeLike<k=-1, dtype=1>(x)"),
        x=np.zeros((3, 5), np.int32),
    )


def test_a_range_of_an_unknown_length_is_refused_with_the_reason() -> None:
    model = parse("(int64 most, int64 zero, int64 one) => (int64[?] y)", "y = Range(zero, most, one)")
    known = {"zero": np.array(0), "one": np.array(1)}
    with pytest.raises(
        IngotError, match="content of its input, which must be a constant; else let the model end at 'most'"
    ):
        run(model, known, most=np.array(3))


def test_boxes_selected_among_constants_are_a_constant() -> None:
    model = parse(
        "(float[1,3,4] boxes, float[1,2,3] scores, int64[1] most, float[3] x) => (float[n,3] y)",
        "chosen = NonMaxSuppression(boxes, scores, most) y = Gather(x, chosen)",
    )
    bound = {
        "boxes": np.array([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [5, 5, 6, 6]]], F),
        "scores": np.array([[[0.9, 0.8, 0.7], [0.1, 0.2, 0.3]]], F),
        "most": np.array([2]),
    }
    (y,) = run(model, bound, x=np.array([10, 11, 12], F))
    assert y.tolist() == [[10, 10, 10], [10, 10, 12], [10, 11, 12], [10, 11, 11]]  # batch, class, box


def test_of_boxes_with_equal_scores_the_first_is_selected_and_corners_may_be_flipped() -> None:
    model = parse(
        "(float[1,3,4] boxes, float[1,1,3] scores, int64 most, float iou, float least, float[3] x) => (float[n,3] y)",
        "chosen = NonMaxSuppression(boxes, scores, most, iou, least) y = Gather(x, chosen)",
    )
    bound = {
        "boxes": np.array(
            [[[1, 1, 0, 0], [0, 0.5, 1, 1.5], [0, 0.75, 1, 1.75]]], F
        ),  # 0 and 1 share 1/3, 1 and 2 3/5
        "scores": np.array([[[0.5, 0.5, 0.5]]], F),
        "most": np.array(3),
        "iou": np.array(0.4, F),
        "least": np.array(0.25, F),
    }
    (y,) = run(model, bound, x=np.array([10, 11, 12], F))
    assert y[:, 2].tolist() == [10, 11]
    assert run(model, bound | {"least": np.array(0.5, F)}, x=np.zeros(3, F))[0].shape == (
        0,
        3,
    )  # scores must be above it
