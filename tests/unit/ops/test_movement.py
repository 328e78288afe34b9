from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ingot.base.errors import IngotError
from ingot.base.tensor import DType, TensorType
from ingot.kernels.template import Site
from ingot.loops.nodes import For, LoopKind, buffer
from ingot.loops.transform.rewrite import statements
from ingot.ops.moves.concat import concat
from ingot.ops.opdef import Emitter, Tensor
from tests.support import machines
from tests.support.draft_eval import run_template
from tests.support.onnx_text import agrees, parse, run

F = np.float32
I64 = np.int64
HUGE, TINY = np.iinfo(I64).max, np.iinfo(I64).min


def sliced(
    x: np.ndarray, starts: list[int], ends: list[int], axes: list[int], steps: list[int]
) -> np.ndarray:
    where = [slice(None)] * x.ndim
    for axis, one in zip(axes, map(slice, starts, ends, steps), strict=True):
        where[axis] = one
    expected = x[tuple(where)]
    dims = ",".join(map(str, x.shape))
    count = len(axes)
    result = ",".join(map(str, expected.shape))
    numbers = ", ".join(f"int64[{count}] {name}" for name in "seat")
    model = parse(f"(float[{dims}] x, {numbers}) => (float[{result}] y)", "y = Slice(x, s, e, a, t)")
    known = {"s": np.array(starts), "e": np.array(ends), "a": np.array(axes), "t": np.array(steps)}
    (y,) = run(model, known, x=x)
    np.testing.assert_array_equal(y, expected)
    return y


class TestSlice:
    X = np.arange(24, dtype=F).reshape(4, 6)

    @pytest.mark.parametrize("start", [0, 1, -1, -100, 100, HUGE, TINY])
    @pytest.mark.parametrize("end", [0, 3, -1, -100, 100, HUGE, TINY])
    @pytest.mark.parametrize("step", [1, 2, -1, -3])
    def test_ends_are_kept_within_the_dimension(self, start: int, end: int, step: int) -> None:
        # ONNX clamps a start to the first element for negative steps too; Python does not.
        sliced(self.X, [max(start, -6) if step < 0 else start], [end], [1], [step])

    def test_a_start_in_front_is_the_first_element_even_backwards(self) -> None:
        model = parse(
            "(float[6] x, int64[1] s, int64[1] e, int64[1] a, int64[1] t) => (float[1] y)",
            "y = Slice(x, s, e, a, t)",
        )
        known = {"s": np.array([TINY]), "e": np.array([TINY]), "a": np.array([0]), "t": np.array([-1])}
        (y,) = run(model, known, x=np.arange(6, dtype=F))
        assert y.tolist() == [0]

    def test_axes_may_be_negative_and_out_of_order(self) -> None:
        sliced(self.X, [1, 0], [3, 4], [-1, -2], [1, 2])

    def test_starts_known_late_are_moved_inside(self) -> None:
        known = {"a": np.array([0]), "t": np.array([1])}
        model = parse(
            "(float[4,6] x, int64[1] s, int64[1] e, int64[1] a, int64[1] t) => (float[2,6] y)",
            "y = Slice(x, s, e, a, t)",
        )
        for start, first in ((0, 0), (1, 1), (-2, 2), (HUGE, 2), (TINY, 0)):
            (y,) = run(
                model, known, x=self.X, s=np.array([start]), e=np.array([start + 2 if start < HUGE else HUGE])
            )
            np.testing.assert_array_equal(y, self.X[first : first + 2])

    @pytest.mark.parametrize(
        ("numbers", "stated"),
        [
            ("int64[1] s, int64[1] e, int64[1] a, int64[1] t", "5,6"),  # more than there is
            ("int64[1] s, int64[1] e, int64[1] a, int64[1] t", "2,7"),  # along another axis
            ("int64[1] s, int64[1] e, int64[1] a, int64[1] t", "2,5"),
            ("int64[2] s, int64[2] e, int64[1] a, int64[1] t", "2,6"),
        ],
    )
    def test_a_stated_output_that_is_no_slice_is_refused(self, numbers: str, stated: str) -> None:
        model = parse(f"(float[4,6] x, {numbers}) => (float[{stated}] y)", "y = Slice(x, s, e, a, t)")
        with pytest.raises(IngotError, match=r"no slice of the shape|differ in number"):
            run(model, {"a": np.array([0]), "t": np.array([1])}, x=self.X, s=np.array([0]), e=np.array([9]))

    def test_with_a_step_starts_known_late_reach_the_last_element(self) -> None:
        known = {"a": np.array([1]), "t": np.array([3])}
        text = "(float[2,7] x, int64[1] s, int64[1] e, int64[1] a, int64[1] t) => (float[2,{}] y)"
        x = np.arange(14, dtype=F).reshape(2, 7)
        (y,) = run(
            parse(text.format(3), "y = Slice(x, s, e, a, t)"), known, x=x, s=np.array([5]), e=np.array([HUGE])
        )
        np.testing.assert_array_equal(y, x[:, ::3])
        with pytest.raises(IngotError, match="no slice of the shape"):
            run(
                parse(text.format(4), "y = Slice(x, s, e, a, t)"),
                known,
                x=x,
                s=np.array([0]),
                e=np.array([HUGE]),
            )

    def test_an_axis_outside_is_refused(self) -> None:
        with pytest.raises(IngotError):
            sliced_model = parse(
                "(float[4] x, int64[1] s, int64[1] e, int64[1] a) => (float[?] y)", "y = Slice(x, s, e, a)"
            )
            run(sliced_model, {"s": np.array([0]), "e": np.array([1]), "a": np.array([3])}, x=np.zeros(4, F))


class TestPad:
    @pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
    @pytest.mark.parametrize("pads", [(1, 0, 0, 2), (2, 3, 1, 0), (0, 0, 0, 0)])
    def test_every_mode_agrees_with_numpy(self, mode: str, pads: tuple[int, ...]) -> None:
        x = np.arange(12, dtype=F).reshape(3, 4)
        widths = [(pads[0], pads[2]), (pads[1], pads[3])]
        model = parse("(float[3,4] x, int64[4] p) => (float[?,?] y)", f'y = Pad<mode="{mode}">(x, p)')
        (y,) = run(model, {"p": np.array(pads)}, x=x)
        np.testing.assert_array_equal(y, np.pad(x, widths, mode=mode))

    def test_pads_wider_than_the_tensor_go_on_reflecting_and_wrapping(self) -> None:
        x = np.arange(3, dtype=F)
        for mode in ("reflect", "wrap"):
            model = parse("(float[3] x, int64[2] p) => (float[?] y)", f'y = Pad<mode="{mode}">(x, p)')
            (y,) = run(model, {"p": np.array([7, 8])}, x=x)
            np.testing.assert_array_equal(y, np.pad(x, (7, 8), mode=mode))

    def test_negative_pads_cut_off(self) -> None:
        model = parse("(float[5] x, int64[2] p, float v) => (float[5] y)", "y = Pad(x, p, v)")
        (y,) = run(model, {"p": np.array([-2, 2])}, x=np.arange(5, dtype=F), v=np.array(9, F))
        assert y.tolist() == [2, 3, 4, 9, 9]

    @pytest.mark.parametrize("pads", [(-1, 2), (2, -1), (-4, 7), (7, -6), (-6, 3)])
    def test_wrapping_goes_around_the_whole_tensor_also_where_the_other_side_is_cut(
        self, pads: tuple[int, int]
    ) -> None:
        x = np.arange(5, dtype=F)
        model = parse("(float[5] x, int64[2] p) => (float[?] y)", 'y = Pad<mode="wrap">(x, p)')
        (y,) = run(model, {"p": np.array(pads)}, x=x)
        np.testing.assert_array_equal(y, np.tile(x, 5)[10 - pads[0] : 15 + pads[1]])

    def test_named_axes_alone_are_padded(self) -> None:
        model = parse(
            "(float[1,2] x, int64[2] p, float v, int64[1] a) => (float[?,?] y)", "y = Pad(x, p, v, a)"
        )
        (y,) = run(
            model, {"p": np.array([1, 1]), "a": np.array([-1])}, x=np.ones((1, 2), F), v=np.array(np.nan, F)
        )
        np.testing.assert_array_equal(y, [[np.nan, 1, 1, np.nan]])

    def test_an_empty_tensor_becomes_all_border(self) -> None:
        model = parse("(float[0] x, int64[2] p) => (float[3] y)", "y = Pad(x, p)")
        (y,) = run(model, {"p": np.array([1, 2])}, x=np.zeros(0, F))
        assert y.tolist() == [0, 0, 0]


def test_concat_takes_negative_axes_and_empty_parts() -> None:
    model = parse(
        "(float[2,1] a, float[2,0] b, float[2,3] c) => (float[2,4] y)", "y = Concat<axis=-1>(a, b, c)"
    )
    a, c = np.array([[1], [2]], F), np.arange(6, dtype=F).reshape(2, 3)
    agrees(model, a=a, b=np.zeros((2, 0), F), c=c)


def test_concat_is_one_template_that_says_its_axis_and_writes_by_vectors() -> None:
    emit = Emitter("n")
    parts = [
        Tensor(name, TensorType(DType.FLOAT32, (2, extent, 19))) for name, extent in (("a", 3), ("b", 1))
    ]
    concat(emit, parts, 1)
    template = emit.emitted[0].definition
    assert (
        template.name == "concat"
        and template.spec == {"axis": 1}
        and template.inlines == {0, 1}
        and template.epilogue
    )
    site = Site(
        replace(machines.SCALARS, vector_bytes=32),
        [buffer("x", DType.FLOAT32, part.shape) for part in parts],
        [buffer("y", DType.FLOAT32, (2, 4, 19))],
        [None, None],
    )
    kinds = [stmt.kind for stmt in statements(template.build(site)) if isinstance(stmt, For)]
    assert LoopKind.VECTOR in kinds
    arrays = [np.random.default_rng(0).random(part.shape, F) for part in parts]
    (y,) = run_template(template, arrays, [None, None], replace(machines.SCALARS, vector_bytes=32))
    np.testing.assert_array_equal(y, np.concatenate(arrays, 1))


@pytest.mark.parametrize("count", [2, 3, 4, 5])
@pytest.mark.parametrize("shape", [(2, 19, 1), (37, 1), (2, 3, 1, 1), (1, 40, 1), (3, 1, 1, 1)])
@pytest.mark.parametrize("lanes", [4, 32])
def test_tensors_stacked_element_by_element_take_turns(
    count: int, shape: tuple[int, ...], lanes: int
) -> None:
    for dtype in (DType.FLOAT32, DType.INT64, DType.UINT8, DType.BOOL):
        emit, axis = Emitter("n"), len(shape) - 1
        concat(emit, [Tensor(f"x{number}", TensorType(dtype, shape)) for number in range(count)], axis)
        template = emit.emitted[0].definition
        arrays = [
            (np.random.default_rng(number).random(shape) * 2).astype(dtype.numpy) for number in range(count)
        ]
        (y,) = run_template(template, arrays, [None] * count, replace(machines.SCALARS, vector_bytes=lanes))
        np.testing.assert_array_equal(y, np.concatenate(arrays, axis))


def test_concat_of_shapes_that_differ_elsewhere_is_refused() -> None:
    with pytest.raises(IngotError):
        run(
            parse("(float[2,1] a, float[3,1] b) => (float[?,?] y)", "y = Concat<axis=1>(a, b)"),
            a=np.zeros((2, 1), F),
            b=np.zeros((3, 1), F),
        )


def test_split_makes_the_last_piece_smaller() -> None:
    model = parse("(float[7] x) => (float[3] a, float[3] b, float[1] c)", "a, b, c = Split<num_outputs=3>(x)")
    c = agrees(model, x=np.arange(7, dtype=F))[2]
    assert c.tolist() == [6]


def test_split_by_an_attribute_of_old() -> None:
    model = parse(
        "(float[2,5] x) => (float[2,2] a, float[2,3] b)", "a, b = Split<axis=-1, split=[2, 3]>(x)", 11
    )
    a, b = run(model, x=np.arange(10, dtype=F).reshape(2, 5))
    assert a.shape == (2, 2) and b[1].tolist() == [7, 8, 9]


@pytest.mark.parametrize("repeats", [(1, 1), (2, 1), (1, 3), (2, 3), (0, 2)])
def test_tile_repeats_along_every_axis(repeats: tuple[int, int]) -> None:
    x = np.arange(6, dtype=F).reshape(2, 3)
    (y,) = run(
        parse("(float[2,3] x, int64[2] r) => (float[?,?] y)", "y = Tile(x, r)"), {"r": np.array(repeats)}, x=x
    )
    np.testing.assert_array_equal(y, np.tile(x, repeats))


def test_expand_broadcasts_both_ways() -> None:
    model = parse("(float[3,1] x, int64[3] s) => (float[?,?,?] y)", "y = Expand(x, s)")
    agrees(model, {"s": np.array([2, 1, 4])}, x=np.arange(3, dtype=F).reshape(3, 1))


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_space_and_depth_are_inverse(mode: str) -> None:
    x = np.arange(2 * 8 * 2 * 3, dtype=F).reshape(2, 8, 2, 3)
    model = parse(
        "(float[2,8,2,3] x) => (float[2,2,4,6] y)", f'y = DepthToSpace<blocksize=2, mode="{mode}">(x)'
    )
    (y,) = agrees(model, x=x)
    back = parse("(float[2,2,4,6] x) => (float[2,8,2,3] y)", "y = SpaceToDepth<blocksize=2>(x)")
    if mode == "DCR":
        np.testing.assert_array_equal(run(back, x=y)[0], x)


def test_reverse_sequence_keeps_lengths_within_the_tensor() -> None:
    model = parse(
        "(float[4,2] x, int64[2] n) => (float[4,2] y)", "y = ReverseSequence<time_axis=0, batch_axis=1>(x, n)"
    )
    x = np.arange(8, dtype=F).reshape(4, 2)
    (y,) = run(model, x=x, n=np.array([3, 100]))
    assert y[:, 0].tolist() == [4, 2, 0, 6] and y[:, 1].tolist() == [7, 5, 3, 1]


def test_transpose_without_an_order_reverses_the_dimensions() -> None:
    agrees(
        parse("(float[2,3,4] x) => (float[4,3,2] y)", "y = Transpose(x)"),
        x=np.arange(24, dtype=F).reshape(2, 3, 4),
    )
    agrees(parse("(float x) => (float y)", "y = Transpose(x)"), x=np.array(3, F))


def test_center_crop_pad_cuts_in_front_and_adds_behind() -> None:
    model = parse("(float[5,2] x, int64[2] s) => (float[2,5] y)", "y = CenterCropPad(x, s)")
    agrees(model, {"s": np.array([2, 5])}, x=np.arange(10, dtype=F).reshape(5, 2) + 1)
