from __future__ import annotations

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.kernels.col2im import col2im
from ingot.kernels.template import Template
from ingot.machines.machine import Machine
from ingot.ops.registry import ALL
from tests.kernels.templates import run_template
from tests.support import machines
from tests.support.onnx_text import agrees, parse, reference, run

F = np.float32
X = np.random.default_rng(2).random((1, 2, 5, 6), F)
COORDINATES = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"]


def resize(attributes: str, sizes: tuple[int, int]):
    dims = ",".join(map(str, sizes))
    signature = f"(float[1,2,5,6] x, int64[2] n) => (float[1,2,{dims}] y)"
    return parse(signature, f"y = Resize<axes=[2, 3], {attributes}>(x, , , n)")


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("mode", ["linear", "cubic", "nearest"])
@pytest.mark.parametrize("sizes", [(7, 12), (3, 2), (1, 6)])
def test_resize_agrees_in_every_mode(coordinates: str, mode: str, sizes: tuple[int, int]) -> None:
    model = resize(f'mode="{mode}", coordinate_transformation_mode="{coordinates}"', sizes)
    if (coordinates, mode, sizes[0]) == (
        "pytorch_half_pixel",
        "cubic",
        1,
    ):  # a single row is the first one, see below
        np.testing.assert_allclose(run(model, {"n": np.array(sizes)}, x=X)[0], X[:, :, :1], rtol=1e-6)
        return
    agrees(model, {"n": np.array(sizes)}, x=X)


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize(
    "attributes", [f'mode="{mode}", antialias={yes}' for mode in ("linear", "cubic") for yes in (0, 1)]
)
@pytest.mark.parametrize("sizes", [(2, 3), (4, 3), (6, 4), (12, 12)])
def test_an_axis_may_become_a_whole_number_of_times_smaller(
    coordinates: str, attributes: str, sizes: tuple[int, int]
) -> None:
    x = np.random.default_rng(3).random((1, 1, 12, 12), F)
    nodes = f'y = Resize<axes=[2, 3], coordinate_transformation_mode="{coordinates}", {attributes}>(x, , , n)'
    model = parse(f"(float[1,1,12,12] x, int64[2] n) => (float[1,1,{sizes[0]},{sizes[1]}] y)", nodes)
    agrees(model, {"n": np.array(sizes)}, x=x)


def test_a_region_that_is_turned_round_stays_within_the_picture() -> None:
    x = np.arange(9, dtype=F)[None] ** 2
    nodes = (
        'y = Resize<axes=[1], mode="cubic", coordinate_transformation_mode="tf_crop_and_resize">(x, r, , n)'
    )
    model = parse("(float[1,9] x, float[2] r, int64[1] n) => (float[1,8] y)", nodes)
    agrees(model, {"r": np.array([15 / 16, 1 / 16], F), "n": np.array([8])}, x=x)


@pytest.mark.parametrize("attributes", ["", "antialias=1, ", "exclude_outside=1, "])
def test_a_single_result_of_pytorch_lies_at_the_first_element(attributes: str) -> None:
    """As the text has it, and onnxruntime; ONNX's evaluator begins half an element before it."""
    nodes = f'y = Resize<axes=[0], {attributes}mode="cubic", coordinate_transformation_mode="pytorch_half_pixel">(x, , , n)'
    model = parse("(float[4] x, int64[1] n) => (float[1] y)", nodes)
    x = np.array([1, 10, 100, 1000], F)
    (y,) = run(model, {"n": np.array([1])}, x=x)
    np.testing.assert_allclose(y, [24.501953] if "antialias" in attributes else [1], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float", "int64"])
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_a_constant_is_resized_while_building_as_any_other(mode: str, dtype: str) -> None:
    """From 7 to 17 a place is just above 3 by rounding: ONNX's evaluator mixes elements 2 and 3 there, as if it were 2."""
    text = f'y = Resize<axes=[0], mode="{mode}">(x, , , n)'
    model = parse(f"({dtype}[7,2] x, int64[1] n) => ({dtype}[17,2] y)", text)
    x = (np.random.default_rng(2).random((7, 2)) * 1e3).astype(F if dtype == "float" else np.int64)
    if mode == "nearest" and dtype == "int64":
        x += 2**60 + 1  # more than a float64 holds
    late, early = run(model, {"n": np.array([17])}, x=x)[0], run(model, {"n": np.array([17]), "x": x})[0]
    np.testing.assert_allclose(early, late, rtol=1e-5, atol=1e-3)
    draft = to_draft(read_model(model, constants={"n": np.array([17]), "x": x}), ALL)
    assert not [step for step in draft.steps if step.definition.inputs and len(step.definition.inputs) > 1]


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_half_of_a_picture_is_computed_without_tables(mode: str) -> None:
    model = parse(
        "(float[1,1,8,8] x, int64[2] n) => (float[1,1,4,4] y)",
        f'y = Resize<axes=[2, 3], mode="{mode}">(x, , , n)',
    )
    draft = to_draft(read_model(model, constants={"n": np.array([4, 4])}), ALL)
    assert [len(step.definition.inputs) for step in draft.steps] == [1, 1]


@pytest.mark.parametrize("rule", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
@pytest.mark.parametrize("coordinates", ["half_pixel", "asymmetric", "align_corners"])
def test_the_nearest_element_is_chosen_as_the_rule_says(rule: str, coordinates: str) -> None:
    attributes = f'mode="nearest", nearest_mode="{rule}", coordinate_transformation_mode="{coordinates}"'
    agrees(resize(attributes, (10, 3)), {"n": np.array([10, 3])}, x=X)


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("outside", [0, 1])
def test_shrinking_far_with_antialias_sums_many_elements(mode: str, outside: int) -> None:
    attributes = f'mode="{mode}", antialias=1, exclude_outside={outside}'
    agrees(resize(attributes, (1, 2)), {"n": np.array([1, 2])}, x=X)


def test_a_resize_to_the_same_size_is_the_input() -> None:
    (y,) = run(resize('mode="cubic"', (5, 6)), {"n": np.array([5, 6])}, x=X)
    np.testing.assert_array_equal(y, X)


def test_codes_stay_within_their_type_when_a_cubic_overshoots() -> None:
    x = np.array([[[[0, 255, 255, 0, 0]]]], np.uint8)
    model = parse(
        "(uint8[1,1,1,5] x, int64[4] n) => (uint8[1,1,1,9] y)", 'y = Resize<mode="cubic">(x, , , n)'
    )
    agrees(model, {"n": np.array([1, 1, 1, 9])}, x=x)


def test_upsample_of_old_repeats_elements() -> None:
    model = parse(
        "(float[1,1,2,2] x) => (float[1,1,4,6] y)", "y = Upsample<scales=[1.0, 1.0, 2.0, 3.0]>(x)", 7
    )
    x = np.arange(4, dtype=F).reshape(1, 1, 2, 2)
    np.testing.assert_array_equal(run(model, x=x)[0], np.repeat(np.repeat(x, 2, 2), 3, 3))


@pytest.mark.parametrize(
    ("mode", "scales", "expected"),
    [
        ("nearest", "0.6, 0.6", [[1, 3]]),  # the examples of Resize 10
        ("linear", "0.6, 0.6", [[1, 2.6666665]]),
        ("nearest", "1.0, 0.75", [[1, 3, 4], [5, 7, 8]]),
        ("nearest", "0.5, 1.5", [[1, 1, 2, 3, 3, 4]]),
    ],
)
def test_a_resize_of_opset_10_that_shrinks_takes_the_element_behind(
    mode: str, scales: str, expected: list[list[float]]
) -> None:
    shape = ",".join(map(str, np.shape(expected)))
    nodes = f's = Constant<value = float[4] {{1.0, 1.0, {scales}}}>() y = Resize<mode = "{mode}">(x, s)'
    model = parse(f"(float[1,1,2,4] x) => (float[1,1,{shape}] y)", nodes, 10)
    x = np.arange(1, 9, dtype=F).reshape(1, 1, 2, 4)
    np.testing.assert_allclose(run(model, x=x)[0][0, 0], expected, rtol=1e-6)


def test_a_region_does_not_change_what_scales_say_of_the_size() -> None:
    nodes = (
        "r = Constant<value = float[2] {0.25, 0.75}>() s = Constant<value = float[1] {2.0}>() "
        'y = Resize<mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize">(x, r, s)'
    )
    x = np.arange(5, dtype=F)
    (y,) = agrees(parse("(float[5] x) => (float[10] y)", nodes), x=x)
    np.testing.assert_allclose(y, np.linspace(1, 3, 10), rtol=1e-6)


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [0, 1])
def test_sampling_agrees_inside_and_far_outside(mode: str, padding: str, align: int) -> None:
    grid = np.array([[[[-1, -1], [0.3, -0.2], [1, 1]], [[-3.7, 0.4], [0.9, 2.6], [1.2, -1.4]]]], F)
    model = parse(
        "(float[1,2,5,6] x, float[1,2,3,2] g) => (float[1,2,2,3] y)",
        f'y = GridSample<mode="{mode}", padding_mode="{padding}", align_corners={align}>(x, g)',
    )
    got, expected = run(model, x=X, g=grid)[0], reference(model, x=X, g=grid)[0]
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_a_place_that_is_no_number_reads_nothing_outside(mode: str, padding: str) -> None:
    grid = np.array([[[[np.nan, 0], [np.inf, -np.inf], [1e30, -1e30]]]], F)
    model = parse(
        "(float[1,2,5,6] x, float[1,1,3,2] g) => (float[1,2,1,3] y)",
        f'y = GridSample<mode="{mode}", padding_mode="{padding}">(x, g)',
    )
    run(model, x=X, g=grid)  # the evaluator checks every load


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1)])
@pytest.mark.parametrize("machine", [machines.VECTORS, machines.SCALARS])
@pytest.mark.parametrize(
    ("mode", "padding"), [("linear", "zeros"), ("linear", "border"), ("nearest", "zeros")]
)
def test_tiles_of_samples_agree_in_both_layouts(
    mode: str, padding: str, machine: Machine, order: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(7)
    x, grid = rng.random((2, 6, 5, 6), F), rng.uniform(-1.3, 1.3, (2, 3, 13, 2)).astype(F)
    model = parse(
        "(float[2,6,5,6] x, float[2,3,13,2] g) => (float[2,6,3,13] y)",
        f'y = GridSample<mode="{mode}", padding_mode="{padding}">(x, g)',
    )
    (template,) = (
        one.definition
        for one in to_draft(read_model(model), ALL).steps
        if isinstance(one.definition, Template)
    )
    flat, places = x.reshape(2, 6, 30), grid.reshape(2, 39, 2)
    (got,) = run_template(template, flat, places, machine=machine, orders={"in0": order})
    np.testing.assert_allclose(
        got.reshape(2, 6, 3, 13), reference(model, x=x, g=grid)[0], rtol=1e-4, atol=1e-5
    )


def test_the_grid_of_the_identity_samples_the_image_itself() -> None:
    theta = np.array([[[1, 0, 0], [0, 1, 0]]], F)
    affine = parse(
        "(float[1,2,3] t, int64[4] n) => (float[1,5,6,2] g)", "g = AffineGrid<align_corners=1>(t, n)", 20
    )
    (grid,) = run(affine, {"n": np.array([1, 2, 5, 6])}, t=theta)
    sample = parse(
        "(float[1,2,5,6] x, float[1,5,6,2] g) => (float[1,2,5,6] y)", "y = GridSample<align_corners=1>(x, g)"
    )
    np.testing.assert_allclose(run(sample, x=X, g=grid)[0], X, rtol=1e-5, atol=1e-6)


def test_columns_that_overlap_are_added() -> None:
    model = parse("(float[1,4,6] x, int64[2] i, int64[2] b) => (float[1,1,3,4] y)", "y = Col2Im(x, i, b)")
    known = {"i": np.array([3, 4]), "b": np.array([2, 2])}
    (y,) = run(model, known, x=np.ones((1, 4, 6), F))
    assert y[0, 0].tolist() == [[1, 2, 2, 1], [2, 4, 4, 2], [1, 2, 2, 1]]


@pytest.mark.parametrize(
    ("image", "block", "strides", "dilations", "pads"),
    [
        ((9, 75), (3, 3), (1, 1), (1, 1), (1, 1, 1, 1)),
        ((7, 50), (3, 2), (2, 3), (1, 1), (1, 0, 2, 1)),
        ((9, 31), (2, 3), (3, 2), (2, 2), (0, 0, 0, 0)),
        ((4, 40), (1, 11), (1, 1), (1, 1), (0, 5, 0, 5)),
        ((8, 12), (4, 4), (4, 4), (1, 1), (0, 0, 0, 0)),
        ((31,), (5,), (2,), (3,), (2, 1)),
        ((3, 4, 9), (2, 3, 2), (1, 2, 1), (2, 1, 2), (1, 0, 1, 0, 1, 2)),
        ((3, 2), (1, 4), (1, 1), (1, 1), (0, 0, 0, 0)),
    ],
)
def test_every_pixel_sums_the_columns_that_it_is_in(
    image: tuple[int, ...],
    block: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    pads: tuple[int, ...],
) -> None:
    rank = len(image)
    spans = [dilations[axis] * (block[axis] - 1) + 1 for axis in range(rank)]
    counts = [
        max(0, (image[at] + pads[at] + pads[at + rank] - spans[at]) // strides[at] + 1) for at in range(rank)
    ]
    x = np.random.default_rng(5).integers(-9, 9, (2, 2, *block, *counts)).astype(F)
    expected = np.zeros((2, 2, *image), F)
    for tap in np.ndindex(*block):
        for number in np.ndindex(*counts):
            at = [number[a] * strides[a] + tap[a] * dilations[a] - pads[a] for a in range(rank)]
            if all(0 <= one < extent for one, extent in zip(at, image, strict=True)):
                expected[(slice(None), slice(None), *at)] += x[(slice(None), slice(None), *tap, *number)]
    columns = x.reshape(2, 2 * int(np.prod(block)), int(np.prod(counts)))
    for machine in (machines.VECTORS, machines.SCALARS):
        template = col2im(
            TensorType(DType.FLOAT32, columns.shape),
            image,
            block,
            strides,
            dilations,
            pads[:rank],
            tuple(counts),
        )
        np.testing.assert_array_equal(run_template(template, columns, machine=machine)[0], expected)
