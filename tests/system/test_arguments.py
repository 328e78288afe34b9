"""Arguments that are known only while running: the stated shape decides them, and a run checks that it is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx.parser
import pytest

import ingot

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def built(text: str, target: str = "interp", **more: Any) -> ingot.Library:
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": 18]> g {text}')
    return ingot.build(model, target=target, executor=("aot", "graph"), cache=None, **more).load()


def executor(text: str, target: str = "interp", kind: str = "aot", **more: Any) -> Any:
    return built(text, target, **more)["g"](ingot.cpu(0), executor=kind)


def refused(model: Any, **arrays: Any) -> str:
    with pytest.raises(ingot.InputError) as refusal:
        model.predict(**arrays)
    return str(refusal.value)


RESHAPE = "(float[2,3] x, int64[2] shape) => (float[3,2] y) { y = Reshape(x, shape) }"


@pytest.mark.parametrize("kind", ["aot", "graph"])
@pytest.mark.parametrize("target", ["interp", "llvmjit", "c", "llvm"])
def test_a_shape_that_is_not_the_stated_one_ends_the_run(target: str, kind: str) -> None:
    # 4 s: a C compiler and a linker run.
    model = executor(RESHAPE, target, kind)
    assert np.array_equal(model.predict(x=X, shape=np.array([3, 2])), X.reshape(3, 2))
    assert refused(model, x=X, shape=np.array([2, 3])) == (
        "model 'g': node 'Reshape_0' (Reshape): its input 'shape' (shape) is [2, 3], expected what gives the stated shape "
        "[3, 2]; another shape needs a build of its own"
    )
    assert np.array_equal(model.predict(x=X, shape=np.array([3, 2])), X.reshape(3, 2))


@pytest.mark.parametrize("shape", [[3, -1], [-1, 2]])
def test_a_shape_may_leave_one_extent_open(shape: list[int]) -> None:
    assert np.array_equal(executor(RESHAPE).predict(x=X, shape=np.array(shape)), X.reshape(3, 2))


@pytest.mark.parametrize("shape", [[-1, -1], [0, 2], [3, 0], [-2, 2], [6, 1]])
def test_a_shape_that_onnx_gives_another_meaning_is_refused(shape: list[int]) -> None:
    assert str(shape) in refused(executor(RESHAPE), x=X, shape=np.array(shape))


def test_a_zero_copies_an_extent_where_it_is_the_stated_one() -> None:
    text = "(float[2,3] x, int64[2] shape) => (float[2,3] y) { y = Reshape(x, shape) }"
    assert np.array_equal(executor(text).predict(x=X, shape=np.array([0, -1])), X)


@pytest.mark.parametrize("kind", ["aot", "graph"])
def test_a_check_says_what_the_argument_is_when_other_nodes_computed_it(kind: str) -> None:
    text = (
        "(float[2,3] x, int64[2] half) => (float[3,2] y) "
        "<int64[1] two = {2}> { shape = Mul(half, two) y = Reshape(x, shape) }"
    )
    model = executor(text, kind=kind)
    assert "'shape' (shape) is [4, 2], expected" in refused(model, x=X, half=np.array([2, 1]))


def test_step_by_step_and_from_one_run_to_the_next_a_check_holds() -> None:
    model = executor(RESHAPE)
    model.set_input(x=X, shape=np.array([2, 3]))
    with pytest.raises(ingot.InputError, match="expected what gives the stated shape"):
        model.run()
    model.set_input(shape=np.array([3, 2]))
    model.run()
    assert np.array_equal(model.get_output(0), X.reshape(3, 2))


REDUCE = "(float[2,2] x, int64[1] axes) => (float[2] y) { y = ReduceSum<keepdims=0>(x, axes) }"


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_axes_that_the_stated_shape_leaves_open_are_chosen_while_running(axis: int) -> None:
    x = np.array([[1, 2], [3, 5]], np.float32)
    assert np.array_equal(executor(REDUCE).predict(x=x, axes=np.array([axis])), x.sum(axis))


def test_axes_of_another_rank_or_named_twice_are_refused() -> None:
    x = np.zeros((2, 2), np.float32)
    assert "(axes) is [2], expected [0] or [1]" in refused(executor(REDUCE), x=x, axes=np.array([2]))
    twice = "(float[2,2] x, int64[2] axes) => (float y) { y = ReduceSum<keepdims=0>(x, axes) }"
    assert "(axes) is [0, 0], expected [0, 1]" in refused(executor(twice), x=x, axes=np.array([0, 0]))
    assert executor(twice).predict(x=x + 1, axes=np.array([1, 0])) == 4


def test_axes_that_no_stated_shape_has_are_refused_while_building() -> None:
    with pytest.raises(ingot.IngotError, match=r"\[5\]"):
        built("(float[2,3] x, int64[1] axes) => (float[5] y) { y = ReduceSum<keepdims=0>(x, axes) }")


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ("(float[2,3] x, int64[1] k) => (float[2,2] y) { y, i = TopK(x, k) }", [2], [3]),
        ("(float[2,3] x, int64[2] a) => (float[4,3] y) { y = Tile(x, a) }", [2, 1], [1, 2]),
        ("(float[2,3] x, int64[2] a) => (float[2,1] y, float[2,2] z) { y, z = Split<axis=1>(x, a) }", [1, 2], [2, 1]),
        ("(float[2,3] x, int64[2] a) => (float[4,2] y) { y = CenterCropPad(x, a) }", [4, 2], [2, 4]),
        ("(float[2,3] x, int64[2] a) => (float[2,1,3,1] y) { y = Unsqueeze(x, a) }", [1, -1], [0, 1]),
        ("(float[2,3] x, int64[3] a) => (float[4,2,3] y) { y = Expand(x, a) }", [4, 1, 3], [4, 2, 1][::-1]),
    ],
)  # fmt: skip
def test_an_argument_is_the_one_that_gives_the_stated_shape(
    text: str, good: list[int], bad: list[int]
) -> None:
    model = executor(text)
    name = model.inputs[1].name
    model.predict(x=X, **{name: np.array(good)})
    assert f"is {bad}, expected" in refused(model, x=X, **{name: np.array(bad)})


RANGE = "(int64 a, int64 b, int64 c) => (int64[3] y) { y = Range(a, b, c) }"


@pytest.mark.parametrize("ends", [(0, 6, 2), (0, 5, 2), (6, 0, -2), (-3, 0, 1)])
def test_a_range_of_the_stated_length_may_begin_and_step_as_it_likes(ends: tuple[int, int, int]) -> None:
    arrays = dict(zip("abc", map(np.array, ends), strict=True))
    assert np.array_equal(executor(RANGE).predict(**arrays), np.arange(*ends))


@pytest.mark.parametrize("ends", [(0, 7, 2), (0, 6, 0), (6, 0, 2), (0, 4, 2)])
def test_a_range_of_another_length_is_refused(ends: tuple[int, int, int]) -> None:
    arrays = dict(zip("abc", map(np.array, ends), strict=True))
    assert "a range of 3 elements" in refused(executor(RANGE), **arrays)


def test_a_stated_output_says_the_shape_of_what_comes_before_it() -> None:
    text = "(float[2,2] x, int64[1] axes) => (float[2] y) { s = ReduceSum<keepdims=0>(x, axes) y = Sqrt(s) }"
    x = np.array([[1, 3], [8, 6]], np.float32)
    assert np.array_equal(executor(text).predict(x=x, axes=np.array([0])), [3, 3])


def test_what_is_checked_stands_in_the_metadata() -> None:
    (check,) = built(RESHAPE)["g"].info.checks
    assert (check.node, check.op_type, check.operand, check.role) == (
        "Reshape_0",
        "Reshape",
        "shape",
        "shape",
    )


SLICE = (
    "(float[4,5] x, int64[n] starts, int64[n] ends, int64[n] axes, int64[n] steps) => (float[2,3] y) "
    "{ y = Slice(x, starts, ends, axes, steps) }"
)
GRID = np.arange(20, dtype=np.float32).reshape(4, 5)


def sliced(model: Any, starts: list[int], ends: list[int], axes: list[int], steps: list[int]) -> Any:
    lists = {"starts": starts, "ends": ends, "axes": axes, "steps": steps}
    return model.predict(x=GRID, **{name: np.array(numbers) for name, numbers in lists.items()})


@pytest.mark.parametrize("target", ["interp", "c"])
def test_a_slice_by_arguments_cuts_what_they_say(target: str) -> None:
    # 2 s: a C compiler runs.
    model = executor(SLICE, target, dims={"n": 2})
    assert np.array_equal(sliced(model, [1, 0], [3, 3], [0, 1], [1, 1]), GRID[1:3, 0:3])
    assert np.array_equal(sliced(model, [4, -2], [-9, 9], [1, 0], [-2, 1]), GRID[-2:, ::-2])
    assert np.array_equal(sliced(model, [-1, 2], [-(2**63), 2**63 - 1], [0, -1], [-3, 1]), GRID[::-3, 2:])


@pytest.mark.parametrize(
    "lists",
    [
        ([0, 0], [4, 3], [0, 1], [1, 1]),  # too many rows
        ([0, 0], [2, 3], [0, 0], [1, 1]),  # an axis twice
        ([0, 0], [2, 3], [0, 2], [1, 1]),  # an axis that is none
        ([0, 0], [2, 3], [0, 1], [1, 0]),  # no step
        ([2**62, -(2**63)], [2**63 - 1, 3], [0, 1], [2**62, 1]),  # nothing
    ],
)
def test_a_slice_of_another_shape_is_refused(lists: tuple[list[int], ...]) -> None:
    model = executor(SLICE, dims={"n": 2})
    with pytest.raises(ingot.InputError, match=r"what cuts the stated shape \[2, 3\] out of \[4, 5\]"):
        sliced(model, *lists)


def test_a_start_that_moves_is_checked_against_its_end() -> None:
    text = "(float[4,5] x, int64[1] a, int64[1] b) => (float[2,5] y) { y = Slice(x, a, b) }"
    model = executor(text)
    assert np.array_equal(model.predict(x=GRID, a=np.array([1]), b=np.array([3])), GRID[1:3])
    assert "(starts and ends) is [3], expected" in refused(model, x=GRID, a=np.array([3]), b=np.array([5]))


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_pads_may_move_between_the_ends(mode: str) -> None:
    text = f'(float[3] x, int64[2] pads) => (float[7] y) {{ y = Pad<mode="{mode}">(x, pads) }}'
    model = ingot.build(
        onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["": 21]> g {text}'), "interp", cache=None
    ).load()["g"]()
    x = np.array([1, 2, 3], np.float32)
    for before in (0, 2, 4) if mode != "reflect" else (2,):
        assert np.array_equal(model.predict(x=x, pads=np.array([before, 4 - before])), np.pad(x, (before, 4 - before), mode))  # type: ignore[call-overload]  # fmt: skip
    assert "(pads) is [2, 3], expected what pads [3] to the stated shape [7]" in refused(
        model, x=x, pads=np.array([2, 3])
    )


def resized(model: str, opset: int = 19, target: str = "interp") -> Any:
    proto = onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["": {opset}]> g {model}')
    return ingot.build(proto, target, cache=None).load()["g"](ingot.cpu(0))


MAP = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
SCALED = "(float[1,1,4,4] x, float[4] scales) => (float[1,1,6,6] y) {{ y = Resize<{}>(x, , scales) }}"


@pytest.mark.parametrize(
    "how",
    [
        'mode="nearest"',
        'mode="linear", coordinate_transformation_mode="half_pixel_symmetric"',
        'mode="cubic", exclude_outside=1, coordinate_transformation_mode="align_corners"',
        'mode="linear", antialias=1, coordinate_transformation_mode="pytorch_half_pixel"',
    ],
)
@pytest.mark.parametrize("scale", [1.5, 1.6])
def test_scales_that_give_the_same_shape_give_different_elements(how: str, scale: float) -> None:
    # One stated shape, two scales: each gives what a build for it gives.
    scales = np.array([1, 1, scale, scale], np.float32)
    text = SCALED.format(how)
    proto = onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["": 19]> g {text}')
    bound = ingot.build(proto, "interp", cache=None, constants={"scales": scales}).load()["g"]()
    assert np.allclose(resized(text).predict(x=MAP, scales=scales), bound.predict(x=MAP), rtol=1e-6)


@pytest.mark.parametrize(
    "scales", [[1, 1, 1.5, 1.8], [1, 1, -1.5, 1.5], [1.2, 1, 1.5, 1.5], [1, 1, np.nan, 1.5]]
)
def test_scales_of_another_shape_are_refused(scales: list[float]) -> None:
    model = resized(SCALED.format('mode="linear"'))
    assert "expected what resizes [1, 1, 4, 4] to the stated [1, 1, 6, 6]" in refused(
        model, x=MAP, scales=np.array(scales, np.float32)
    )


def test_a_map_is_resized_to_sizes_that_another_input_says() -> None:
    # As detectors put maps of two scales together: the sizes of one come with the other.
    text = (
        "(float[1,1,4,4] x, int64[2] image, float[1,1,8,8] z) => (float[1,1,8,8] y) "
        "<int64[2] first = {1, 1}, int64[1] by = {4}> { shrunk = Div(image, by) sizes = Concat<axis=0>(first, shrunk) "
        'larger = Resize<mode="nearest", coordinate_transformation_mode="asymmetric">(x, , , sizes) y = Add(larger, z) }'
    )
    proto = onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["": 19]> g {text}')
    proto.graph.value_info.append(onnx.helper.make_tensor_value_info("larger", 1, [1, 1, 8, 8]))
    model = ingot.build(proto, "interp", cache=None).load()["g"]()
    z = np.ones((1, 1, 8, 8), np.float32)
    expected = MAP.repeat(2, 2).repeat(2, 3) + 1
    assert np.array_equal(model.predict(x=MAP, image=np.array([32, 35]), z=z), expected)
    assert "(sizes) is [1, 1, 8, 9], expected [1, 1, 8, 8]" in refused(
        model, x=MAP, image=np.array([32, 36]), z=z
    )


def test_a_region_moves_from_run_to_run() -> None:
    text = (
        "(float[4] x, float[2] roi) => (float[2] y) <int64[1] sizes = {2}> "
        '{ y = Resize<mode="linear", coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=9.0>'
        "(x, roi, , sizes) }"
    )
    model, x = resized(text), np.array([0, 3, 6, 9], np.float32)
    assert np.allclose(model.predict(x=x, roi=np.array([0, 1], np.float32)), [0, 9])
    assert np.allclose(model.predict(x=x, roi=np.array([0.5, 2], np.float32)), [4.5, 9])


def test_a_step_of_frames_is_the_one_that_gives_the_stated_frames() -> None:
    text = "(float[1,12,1] x, int64 step, float[4] w) => (float[1,3,3,2] y) { y = STFT(x, step, w) }"
    model, x, w = resized(text), np.ones((1, 12, 1), np.float32), np.ones(4, np.float32)
    assert np.allclose(model.predict(x=x, step=np.array(4), w=w)[..., 0, 0], 4)
    assert "(frame_step) is 2, expected 3 or 4" in refused(model, x=x, step=np.array(2), w=w)


def test_a_refusal_says_that_a_shape_may_be_stated() -> None:
    with pytest.raises(
        ingot.UnsupportedError, match="or state the shape of 'y' in the model, and it is checked"
    ):
        built("(float[4,5] x, int64[1] a, int64[1] b) => (float[m,n] y) { y = Slice(x, a, b) }")


def test_an_operand_that_may_be_broadcast_has_the_stated_extent_and_is_checked() -> None:
    text = (
        "(int64 n, float[4] x) => (float[4] y) <int64 zero = {0}, int64 one = {1}> "
        "{ r = Range(zero, n, one) f = Cast<to=1>(r) y = Add(f, x) }"
    )
    model, x = executor(text), np.zeros(4, np.float32)
    assert np.array_equal(model.predict(n=np.array(4), x=x), np.arange(4))
    assert "a range of 4 elements" in refused(model, n=np.array(1), x=x)


def test_mel_weights_follow_the_frequencies_that_come() -> None:
    text = (
        "(int64 mels, int64 length, int64 rate, float low, float high) => (float[9,8] y) "
        "{ y = MelWeightMatrix(mels, length, rate, low, high) }"
    )
    model = executor(text)
    arrays = {"mels": np.array(8), "length": np.array(16), "rate": np.array(8192), "low": np.float32(0)}
    wide, narrow = (model.predict(**arrays, high=np.float32(high)) for high in (4096, 2048))
    assert wide.shape == narrow.shape and np.argmax(wide[:, -1]) > np.argmax(narrow[:, -1])
    assert "(num_mel_bins, dft_length and sample_rate) is 7" in refused(
        model, **{**arrays, "mels": np.array(7)}, high=np.float32(4096)
    )
