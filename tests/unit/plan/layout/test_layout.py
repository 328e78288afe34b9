"""Storage: views that cost nothing, orders that follow, concatenations written in place."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.base.tensor import row_major
from ingot.plan.layout.layout import choose_layout, dense_strides, reshape_strides, storage_order
from tests.support.drafts import assert_same_results, draft_of


@pytest.mark.parametrize(
    ("shape", "movement"),
    [
        ("4,2,3", "t = Transpose<perm = [2,0,1]>(e)"),
        ("6,4", "s = Constant<value_ints = [6,4]>()  t = Reshape(e, s)"),
        (
            "2,3,2",
            "a = Constant<value_ints = [1]>()  b = Constant<value_ints = [3]>()  k = Constant<value_ints = [2]>()"
            "  t = Slice(e, a, b, k)",
        ),
    ],
    ids=["transpose", "reshape", "slice"],
)
def test_movements_cost_no_kernel(shape: str, movement: str) -> None:
    draft = draft_of(
        f"g (float[2,3,4] x) => (float[{shape}] y) {{ e = Exp(x)  {movement}  z = Neg(e)  y = Relu(t) }}"
    )
    program = assert_same_results(draft)
    assert len(program.calls) <= 2


def test_a_convolution_stores_channels_last_and_its_followers_keep_that() -> None:
    draft = draft_of(
        """g (float[1,3,8,8] x, float[4,3,3,3] w) => (float[1,4,3,3] y) {
            c = Conv(x, w)  s = Sigmoid(c)  p = MaxPool<kernel_shape = [2,2], strides = [2,2]>(s)  y = Neg(p)
        }"""
    )
    values = choose_layout(draft).values
    assert values["c"].strides == dense_strides((1, 4, 6, 6), (0, 2, 3, 1))
    assert storage_order((1, 4, 6, 6), values["s"].strides)[-1] == 1
    assert storage_order((1, 4, 3, 3), values["p"].strides)[-1] == 1
    assert values["y"].strides == row_major((1, 4, 3, 3))
    assert_same_results(draft)


@pytest.mark.parametrize(
    ("resize", "extent"),
    [
        pytest.param('Resize<mode = "linear">(c, , , s)', 9, id="places from a table"),
        pytest.param('Resize<mode = "nearest">(c, , , s)', 12, id="places from a division"),
        pytest.param("Pad(c, p, zero)", 8, id="places from a difference"),
    ],
)
def test_elements_from_other_places_along_a_dimension_keep_the_order(resize: str, extent: int) -> None:
    draft = draft_of(
        f"""g (float[1,3,8,8] x, float[4,3,3,3] w) => (float[1,4,{extent},{extent}] y) {{
            s = Constant<value_ints = [1,4,{extent},{extent}]>()  p = Constant<value_ints = [0,0,1,1,0,0,1,1]>()
            zero = Constant<value_float = 0.0>()  c = Conv(x, w)  r = {resize}  y = Neg(r)
        }}"""
    )
    values = choose_layout(draft).values
    assert storage_order((1, 4, extent, extent), values["r"].strides)[-1] == 1
    assert_same_results(draft)


def test_producers_write_into_the_concatenation_that_they_feed() -> None:
    draft = draft_of(
        """g (float[1,3,5,5] x, float[4,3,1,1] w, float[6,3,1,1] v) => (float[1,10,5,5] y) {
            a = Conv(x, w)  b = Conv(x, v)  c = Concat<axis = 1>(a, b)  y = Relu(c)
        }"""
    )
    layout = choose_layout(draft)
    assert layout.values["a"].base == layout.values["b"].base == layout.values["c"].base
    assert "c" in layout.free
    assert_same_results(draft)


def test_results_that_others_read_too_are_written_where_they_are_stacked() -> None:
    draft = draft_of(
        """g (float[2,3] x) => (float[3] last, float[4,2,3] y) <int64[1] front = {0}, int64 one = {1}> {
            a = Exp(x)  b = Sin(a)  c = Cos(b)  d = Add(a, c)
            e = Unsqueeze(a, front)  f = Unsqueeze(b, front)  h = Unsqueeze(c, front)  i = Unsqueeze(d, front)
            y = Concat<axis = 0>(e, f, h, i)  j = Gather(b, one)  last = Tanh(j)
        }"""
    )
    layout = choose_layout(draft)
    assert {layout.values[name].base for name in "abcdefhi"} == {"y"} and "y" in layout.free
    assert_same_results(draft)


@pytest.mark.parametrize(
    "stack",
    [
        "e = Unsqueeze(a, middle)  f = Unsqueeze(b, middle)  y = Concat<axis = 1>(e, f)",  # with gaps
        "e = Transpose(a)  f = Transpose(b)  y = Concat<axis = 0>(e, f)",
        "e = Unsqueeze(a, front)  f = Unsqueeze(a, front)  y = Concat<axis = 0>(e, f)",  # one memory at two places
        "e = Slice(a, front, middle)  f = Slice(b, front, middle)  y = Concat<axis = 0>(e, f)",  # a part of it
    ],
)
def test_what_would_lie_otherwise_where_it_is_stacked_is_copied(stack: str) -> None:
    draft = draft_of(
        f"""g (float[2,3] x) => (y, float[2,3] z) <int64[1] front = {{0}}, int64[1] middle = {{1}}> {{
            a = Exp(x)  b = Sin(a)  {stack}  c = Tanh(b)  z = Sub(c, a)
        }}"""
    )
    assert choose_layout(draft).parts
    assert_same_results(draft)


def test_what_a_convolution_turns_and_a_norm_flattens_needs_no_copy() -> None:
    given = draft_of(
        """g (float[1,3,1,24] x, float[8,3,1,1] w, float[2] s, float[2] b) => (float[1,2,96] y) <int64[3] f = {1, 2, 96}> {
            c = Conv(x, w)  r = Reshape(c, f)  y = InstanceNormalization(r, s, b)
        }"""
    )
    layout = choose_layout(given)
    assert layout.values["c"].strides == row_major((1, 8, 1, 24))
    assert "r" in layout.free
    assert_same_results(given)


def test_what_a_convolution_turns_and_a_model_gives_out_reshaped_needs_no_copy() -> None:
    many = "g (float[1,3,4,6] x, float[8,3,1,1] w) => (float[1,8,24] y) <int64[3] s = {1, 8, 24}> "
    given = draft_of(f"{many} {{ c = Conv(x, w)  y = Reshape(c, s) }}")
    assert choose_layout(given).values["c"].strides == dense_strides(
        (1, 8, 4, 6), (0, 2, 3, 1)
    )  # too short rows
    given = draft_of(f"{many.replace('4,6', '1,24')} {{ c = Conv(x, w)  y = Reshape(c, s) }}")
    layout = choose_layout(given)
    assert (
        layout.values["c"].strides == row_major((1, 8, 1, 24))
        and layout.values["c"].base == "y"
        and "y" in layout.free
    )
    assert len(assert_same_results(given).calls) == 1
    read_twice = draft_of(
        f"{many.replace('4,6', '1,24').replace('y)', 'y, float[1,8,1,1] p)')} "
        "{ c = Conv(x, w)  y = Reshape(c, s)  p = GlobalMaxPool(c) }"
    )
    assert choose_layout(read_twice).values["c"].strides == dense_strides((1, 8, 1, 24), (0, 2, 3, 1))
    assert_same_results(read_twice)


@pytest.mark.parametrize(
    ("count", "extent", "turns"), [(2, 3, True), (32, 3, True), (33, 3, False), (5, 1, False)]
)
def test_few_tensors_that_take_turns_are_written_by_one_kernel_and_many_each_in_its_place(
    count: int, extent: int, turns: bool
) -> None:
    each = "  ".join(f"s{number} = Sin(x{number})  t{number} = Tanh(s{number})" for number in range(count))
    inputs = ", ".join(f"float[{extent},1] x{number}" for number in range(count))
    ends = "".join(f", float[{extent},1] t{number}" for number in range(count))
    parts = ", ".join(f"s{number}" for number in range(count))
    draft = draft_of(
        f"g ({inputs}) => (float[{extent},{count}] y{ends}) {{ {each}  y = Concat<axis = 1>({parts}) }}"
    )
    assert ("y" not in choose_layout(draft).free) == turns
    assert_same_results(draft)


def test_nested_concatenations_share_one_memory() -> None:
    draft = draft_of(
        """g (float[1,2,3] x) => (float[1,8,3] y) {
            a = Exp(x)  b = Neg(a)  c = Concat<axis = 1>(a, b)  d = Sin(c)  e = Cos(c)
            f = Concat<axis = 1>(d, e)  y = Relu(f)
        }"""
    )
    assert_same_results(draft)


@pytest.mark.parametrize(
    "text",
    [
        "g (float[2,3] x) => (float[4,3] y) { y = Concat<axis = 0>(x, x) }",
        "g (float[2,3] x) => (float[2,9] y) { a = Exp(x)  y = Concat<axis = 1>(a, x, a) }",
        "g (float[2,3] x) => (float[2,6] y, float[2,3] a) { a = Exp(x)  y = Concat<axis = 1>(a, x) }",
    ],
    ids=["one input twice", "a temporary twice", "an output as a part"],
)
def test_parts_that_cannot_be_written_in_place_are_copied(text: str) -> None:
    assert_same_results(draft_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "g (float[2,3] x) => (float[3,2] y) { y = Transpose(x) }",
        "g (float[2,3] x) => (float[6] y) { y = Flatten<axis = 0>(x) }".replace("float[6]", "float[1,6]"),
        "g (float[2,3] x) => (float[2,3] y, float[3,2] z) { y = Exp(x)  z = Transpose(y) }",
        "g (float[2,3] x) => (float[3,2] z) { y = Exp(x)  z = Transpose(y) }",
        "g (float[2,3] x) => (float[1,6] z, float[3,2] t) { y = Exp(x)  z = Flatten<axis = 0>(y)  t = Transpose(y) }",
        "g (float[2,3] x) => (float[2,3] y, float[2,3] z) { y = Identity(x)  z = Identity(x) }",
    ],
)
def test_a_model_output_always_has_memory_of_its_own(text: str) -> None:
    program = assert_same_results(draft_of(text))
    for name in program.outputs:
        assert program.values[name].base == name
        assert program.values[name].strides == row_major(program.values[name].type.shape)


def _splits(size: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes of that size."""

    def factor(draw: st.DrawFn) -> tuple[int, ...]:
        shape, rest = [], size
        while rest > 1:
            extent = draw(st.sampled_from([d for d in range(2, rest + 1) if rest % d == 0]))
            shape.append(extent)
            rest //= extent
        ones = draw(st.integers(0, 2))
        for _ in range(ones):
            shape.insert(draw(st.integers(0, len(shape))), 1)
        return tuple(shape)

    return st.composite(factor)()


@given(st.data())
def test_a_reshaped_view_shows_what_numpy_shows(data: st.DataObject) -> None:
    size = data.draw(st.sampled_from([1, 6, 12, 24, 36]))
    shape, new = data.draw(_splits(size)), data.draw(_splits(size))
    order = data.draw(st.permutations(range(len(shape))))
    strides = dense_strides(shape, order)
    view = np.lib.stride_tricks.as_strided(np.arange(size), shape, [8 * s for s in strides])
    found = reshape_strides(shape, strides, new)
    if found is None:
        # NumPy has to copy as well.
        with pytest.raises(ValueError, match="copy"):
            view.reshape(new, copy=False)
    else:
        again = np.lib.stride_tricks.as_strided(np.arange(size), new, [8 * s for s in found])
        np.testing.assert_array_equal(again, view.reshape(new))
    assert math.prod(new) == size


def test_parts_copied_into_an_output_point_to_memory_of_its_own() -> None:
    draft = draft_of(
        """g (float[2,3] x, float[2,3] p) => (float[1,12] y) {
            c = Concat<axis = 1>(p, x)  y = Flatten<axis = 0>(c)
        }"""
    )
    program = assert_same_results(draft)
    assert all(program.values[value.base].base == value.base for value in program.values.values())


def test_a_reshape_that_must_copy_after_work_lifted_over_another_reshape() -> None:
    draft = draft_of(
        """g (float[2,3,4] x, float[4,5] w, float[5] b) => (float[2,15] y) {
            m = MatMul(x, w)  a = Add(m, b)  t = Transpose<perm = [1,0,2]>(a)  r = Relu(t)
            u = Transpose<perm = [1,2,0]>(a)  f = Flatten(u)  g = Flatten(t)  q = Neg(g)
            s = Constant<value_ints = [2,15]>()  y = Reshape(q, s)
        }"""
    )
    assert_same_results(draft)
