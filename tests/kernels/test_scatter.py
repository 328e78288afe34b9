from __future__ import annotations

import numpy as np
import pytest

import ingot
from ingot.base.errors import IngotError
from tests.kernels.templates import run_template
from tests.support.onnx_text import agrees, parse, run, template_of

F = np.float32
X = np.arange(12, dtype=F).reshape(3, 4)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("known", [True, False])
def test_gather_counts_negative_indices_from_the_end(axis: int, known: bool) -> None:
    i = np.array([[0, -1], [2, -3]])
    model = parse("(float[3,4] x, int64[2,2] i) => (float[?,?,?] y)", f"y = Gather<axis={axis}>(x, i)")
    if known:
        agrees(model, {"i": i}, x=X)
    else:
        agrees(model, x=X, i=i)


def test_gather_by_one_index_drops_the_axis() -> None:
    model = parse("(float[3,4] x, int64 i) => (float[3] y)", "y = Gather<axis=1>(x, i)")
    agrees(model, {"i": np.array(-1)}, x=X)
    agrees(model, x=X, i=np.array(2))


def test_bad_indices_at_run_time_stay_inside_the_tensor() -> None:
    far = np.array([10**12, -(10**12), np.iinfo(np.int64).min])
    (y,) = run(parse("(float[3,4] x, int64[3] i) => (float[3,4] y)", "y = Gather(x, i)"), x=X, i=far)
    np.testing.assert_array_equal(y, X[[2, 0, 0]])
    model = parse("(float[3,4] x, int64[1,1] i) => (float[1,4] y)", "y = GatherND(x, i)")
    run(model, x=X, i=np.array([[99]]))
    model = parse("(float[3,4] x, int64[1,4] i) => (float[1,4] y)", "y = GatherElements(x, i)")
    run(model, x=X, i=np.full((1, 4), -99))


@pytest.mark.parametrize("index", [3, -4])
def test_a_bad_constant_index_is_refused_with_the_bounds(index: int) -> None:
    with pytest.raises(IngotError, match="expected -3 to 2"):
        run(
            parse("(float[3,4] x, int64[1] i) => (float[1,4] y)", "y = Gather(x, i)"),
            {"i": np.array([index])},
            x=X,
        )


def test_gather_of_nothing_is_nothing() -> None:
    (y,) = run(
        parse("(float[3,4] x, int64[0] i) => (float[0,4] y)", "y = Gather(x, i)"),
        x=X,
        i=np.zeros(0, np.int64),
    )
    assert y.shape == (0, 4)


def test_gather_nd_shares_leading_dimensions() -> None:
    model = parse("(float[2,2,2] x, int64[2,1] i) => (float[2,2] y)", "y = GatherND<batch_dims=1>(x, i)")
    agrees(model, x=np.arange(8, dtype=F).reshape(2, 2, 2), i=np.array([[1], [-2]]))


def test_one_hot_has_nothing_where_the_index_is_outside() -> None:
    model = parse("(int64[4] i, int64 d, float[2] v) => (float[4,3] y)", "y = OneHot(i, d, v)")
    (y,) = run(model, {"d": np.array(3)}, i=np.array([0, -1, 3, -4]), v=np.array([2, 5], F))
    assert y.tolist() == [[5, 2, 2], [2, 2, 5], [2, 2, 2], [2, 2, 2]]


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
def test_scatter_elements_combines_what_meets_in_one_place(reduction: str) -> None:
    model = parse(
        "(float[3,4] x, int64[2,3] i, float[2,3] u) => (float[3,4] y)",
        f'y = ScatterElements<axis=1, reduction="{reduction}">(x, i, u)',
    )
    i = np.array([[0, -1, 2], [1, 1, 1]]) if reduction != "none" else np.array([[0, -1, 2], [1, 2, 3]])
    agrees(model, x=X, i=i, u=np.array([[9, -8, 7], [2, 3, -4]], F))


@pytest.mark.parametrize("reduction", ["none", "add", "max"])
def test_scatter_nd_places_slices(reduction: str) -> None:
    model = parse(
        "(float[3,4] x, int64[2,1] i, float[2,4] u) => (float[3,4] y)",
        f'y = ScatterND<reduction="{reduction}">(x, i, u)',
    )
    agrees(model, x=X, i=np.array([[2], [0]]), u=np.full((2, 4), 5.5, F))


@pytest.mark.parametrize("reduction", ["add", "mul", "max"])
def test_slices_that_meet_are_combined_one_after_another(reduction: str) -> None:
    nodes = f'y = ScatterND<reduction="{reduction}">(x, i, u)'
    model = parse("(float[3,2,37] x, int64[7,1] i, float[7,2,37] u) => (float[3,2,37] y)", nodes)
    rng = np.random.default_rng(9)
    x, u = rng.integers(-3, 4, (3, 2, 37)).astype(F), rng.integers(-3, 4, (7, 2, 37)).astype(F)
    i = np.array([[2], [0], [2], [-1], [0], [2], [1]])
    known = agrees(model, x=x, i=i, u=u)
    (got,) = run_template(template_of(model), x, i, u)
    np.testing.assert_array_equal(got, known[0])


@pytest.mark.parametrize("reduction", ["none", "add", "max"])
def test_places_of_no_numbers_are_the_whole_tensor(reduction: str) -> None:
    model = parse(
        "(float[4,5] x, int64[2,0] i, float[2,4,5] u) => (float[4,5] y)",
        f'y = ScatterND<reduction="{reduction}">(x, i, u)',
    )
    x, u = (np.random.default_rng(3).standard_normal(shape).astype(F) for shape in ((4, 5), (2, 4, 5)))
    i = np.zeros((2, 0), np.int64)
    (y,) = agrees(model, x=x, i=i, u=u)
    expected = {"none": u[1], "add": x + u[0] + u[1], "max": np.maximum(x, u.max(axis=0))}
    np.testing.assert_allclose(y, expected[reduction], rtol=1e-6)
    got = ingot.build(model, "interp", name="m", cache=None).load()["m"](ingot.cpu(0)).predict(x=x, i=i, u=u)
    np.testing.assert_array_equal(got, y)


def test_a_scatter_of_no_rows_changes_nothing() -> None:
    model = parse("(float[4,5] x, int64[0,0] i, float[0,4,5] u) => (float[4,5] y)", "y = ScatterND(x, i, u)")
    x = np.ones((4, 5), F)
    agrees(model, x=x, i=np.zeros((0, 0), np.int64), u=np.zeros((0, 4, 5), F))


def test_scatter_leaves_out_what_lies_outside_at_run_time() -> None:
    model = parse("(float[3] x, int64[2] i, float[2] u) => (float[3] y)", "y = ScatterElements(x, i, u)")
    (y,) = run(model, x=np.zeros(3, F), i=np.array([7, 1]), u=np.array([9, 5], F))
    assert y.tolist() == [0, 5, 0]


def test_the_extremes_of_a_scatter_pass_on_a_nan() -> None:
    model = parse(
        "(float[2] x, int64[1] i, float[1] u) => (float[2] y)",
        'y = ScatterElements<reduction="max">(x, i, u)',
    )
    (y,) = run(model, x=np.array([np.nan, 1], F), i=np.array([0]), u=np.array([3], F))
    assert np.isnan(y[0]) and y[1] == 1


@pytest.mark.parametrize("mode", ["linear", "circular"])
def test_a_cache_update_writes_from_each_samples_own_place(mode: str) -> None:
    model = parse(
        "(float[2,1,4,2] c, float[2,1,2,2] u, int64[2] w) => (float[2,1,4,2] y)",
        f'y = TensorScatter<mode="{mode}">(c, u, w)',
        24,
    )
    starts = np.array([1, 2]) if mode == "linear" else np.array([3, 6])
    agrees(model, c=np.zeros((2, 1, 4, 2), F), u=np.arange(8, dtype=F).reshape(2, 1, 2, 2) + 1, w=starts)
