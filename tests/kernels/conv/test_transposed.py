"""A transposed convolution by its definition: every input element adds its weights to the outputs that it reaches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ingot.base.errors import UnsupportedError
from ingot.base.tensor import DType, TensorType
from ingot.kernels.conv.transposed import TransposedSpec, conv_transpose_template, phases, runs
from ingot.kernels.template import Site
from ingot.loops.nodes import buffer
from tests.kernels.templates import run_template
from tests.kernels.test_grid_templates import run_grid
from tests.support import machines
from tests.support.onnx_text import parse, run

LAST = {"in0": (0, 2, 3, 1), "out0": (0, 2, 3, 1)}


def spec_of(batch, channels, per_group, extents, kernel, strides, dilations, begins, ends, group=1):
    out = tuple(
        (extent - 1) * stride + (size - 1) * dilation + 1 - begin - end
        for extent, size, stride, dilation, begin, end in zip(
            extents, kernel, strides, dilations, begins, ends, strict=True
        )
    )
    x = TensorType(DType.FLOAT32, (batch, channels, *extents))
    w = TensorType(DType.FLOAT32, (channels, per_group, *kernel))
    return TransposedSpec(
        x, w, TensorType(DType.FLOAT32, (batch, per_group * group, *out)), strides, dilations, begins, group
    )


def by_definition(spec, x, w):
    y = np.zeros(spec.y.shape)
    depth, filters = x.shape[1] // spec.group, w.shape[1]
    for at in np.ndindex(*x.shape[2:]):
        for tap in np.ndindex(*w.shape[2:]):
            out = [
                i * s + k * d - b
                for i, s, k, d, b in zip(at, spec.strides, tap, spec.dilations, spec.begins, strict=True)
            ]
            if not all(0 <= o < extent for o, extent in zip(out, spec.y.shape[2:], strict=True)):
                continue
            for group in range(spec.group):
                theirs = slice(group * depth, (group + 1) * depth)
                mine = slice(group * filters, (group + 1) * filters)
                y[(slice(None), mine, *out)] += x[(slice(None), theirs, *at)] @ w[(theirs, slice(None), *tap)]
    return y


def operands(spec):
    random = np.random.default_rng(4)
    return [random.integers(-4, 4, type_.shape).astype(np.float32) for type_ in (spec.x, spec.w)]


def check(spec, machine=machines.FEW_REGISTERS, known=(), orders=None):
    x, w = operands(spec)
    (got,) = run_template(conv_transpose_template(spec), x, w, machine=machine, known=known, orders=orders)
    np.testing.assert_array_equal(got, by_definition(spec, x, w))


sizes = st.tuples(st.integers(1, 4), st.integers(1, 4))
crops = st.tuples(st.integers(0, 5), st.integers(0, 5))


@settings(max_examples=25)
@given(
    st.tuples(st.integers(1, 4), st.integers(1, 9)),
    sizes,
    sizes,
    sizes,
    crops,
    crops,
    st.integers(1, 9),
    st.booleans(),
)
def test_every_stride_dilation_and_crop(extents, kernel, strides, dilations, begins, ends, filters, known):
    spec = spec_of(1, 2, filters, extents, kernel, strides, dilations, begins, ends)
    assume(all(extent > 0 for extent in spec.y.shape))
    check(spec, known=(1,) if known else (), orders=LAST if known else None)


@pytest.mark.parametrize("machine", [machines.FEW_REGISTERS, machines.SCALARS], ids=["vectors", "scalars"])
@pytest.mark.parametrize("known", [(), (1,)], ids=["weights fed", "weights known"])
def test_one_and_three_dimensions_groups_and_a_batch(machine, known):
    check(spec_of(2, 6, 5, (7,), (5,), (3,), (1,), (2,), (1,), group=2), machine, known)
    check(spec_of(1, 2, 6, (2, 3, 4), (2, 3, 3), (1, 2, 2), (1, 1, 1), (1, 0, 1), (0, 1, 1)), machine, known)


def test_outputs_that_no_tap_reaches_are_zero():
    check(spec_of(1, 3, 4, (3, 4), (1, 2), (2, 3), (1, 1), (0, 0), (0, 0)), known=(1,))


def test_nothing_is_left_of_a_result_that_is_all_cropped():
    check(spec_of(1, 3, 4, (3, 4), (3, 3), (2, 2), (1, 1), (3, 1), (4, 1)), known=(1,))


def test_phases_have_every_tap_once_if_all_are_reached():
    for stride, dilation in ((2, 1), (3, 2), (2, 2), (4, 6)):
        found = [tap for phase in phases(100, 5, stride, dilation, 1) for tap in phase.kernel]
        assert sorted(found) == list(range(5))


def test_code_is_written_once_for_phases_that_differ_only_in_where_they_begin():
    def counts(*numbers):
        return [each.count for each in runs(phases(*numbers))]

    assert (counts(32, 16, 8, 1, 4), counts(30, 3, 3, 1, 0), counts(8, 4, 2, 1, 1)) == ([4, 4], [3], [1, 1])
    for numbers in ((32, 16, 8, 1, 4), (31, 9, 3, 2, 1), (7, 2, 5, 1, 0), (9, 5, 2, 1, 2)):
        parts = phases(*numbers)
        assert parts == tuple(each.at(number) for each in runs(parts) for number in range(each.count))
    for known in ((), (1,)):
        check(spec_of(1, 2, 6, (3, 5), (8, 6), (4, 3), (1, 1), (2, 0), (2, 0)), known=known, orders=LAST)


def test_planes_are_copied_once_for_all_phases_that_read_them_often():
    spec = spec_of(2, 64, 9, (3, 4), (4, 4), (2, 2), (1, 1), (1, 1), (1, 1))
    x, w, y = (
        buffer(name, type_.dtype, type_.shape)
        for name, type_ in (("in0", spec.x), ("in1", spec.w), ("out0", spec.y))
    )
    site = Site(machines.FEW_REGISTERS, [x, w], [y], [None, None])
    conv_transpose_template(spec).build(site)
    assert [made.shape for made in site.workspaces if made.name == "near"] == [(2, 3, 4, 64)]
    check(spec)


@pytest.mark.parametrize("known", [False, True], ids=["weights fed", "weights known"])
def test_groups_of_work_items_make_the_same(known):
    spec = spec_of(1, 4, 3, (3, 5), (3, 2), (2, 3), (1, 1), (1, 0), (0, 1), group=2)
    x, w = operands(spec)
    (got,) = run_grid(conv_transpose_template(spec), x, w, constants={1: w} if known else {})
    np.testing.assert_array_equal(got, by_definition(spec, x, w))


@pytest.mark.parametrize("known", [False, True], ids=["weights fed", "weights known"])
@pytest.mark.parametrize(
    ("group", "attributes", "strides", "dilations", "begins", "ends"),
    [
        (1, "pads=[1,1,1,1]", (1, 1), (1, 1), (1, 1), (1, 1)),
        (2, "pads=[3,4,0,1]", (1, 1), (1, 1), (3, 4), (0, 1)),
        (4, "dilations=[2,1]", (1, 1), (2, 1), (0, 0), (0, 0)),
        (1, "strides=[2,3], pads=[1,0,1,2]", (2, 3), (1, 1), (1, 0), (1, 2)),
    ],
)
def test_the_operator_with_and_without_stride(group, attributes, strides, dilations, begins, ends, known):
    spec = spec_of(1, 4, 4 // group, (5, 6), (3, 3), strides, dilations, begins, ends, group)
    model = parse(
        f"(float[1,4,5,6] x, float[4,{4 // group},3,3] w, float[4] b) => (float[1,4,M,N] y)",
        f"y = ConvTranspose<group={group}, {attributes}>(x, w, b)",
    )
    x, w = operands(spec)
    b = np.array([1, 20, 300, -4], np.float32)
    (y,) = run(model, {"w": w} if known else {}, x=x, b=b, **({} if known else {"w": w}))
    np.testing.assert_array_equal(y, by_definition(spec, x, w) + b[:, None, None])


@pytest.mark.parametrize(("mode", "begin"), [("SAME_UPPER", 0), ("SAME_LOWER", 1), ("NOTSET", 1)])
def test_an_odd_crop_takes_more_in_front_unless_it_is_to_be_same_upper(mode, begin):
    model = parse(
        "(float[1,1,5] x, float[1,1,3] w) => (float[1,1,10] y)",
        f'y = ConvTranspose<strides=[2], output_shape=[10], auto_pad="{mode}">(x, w)',
    )
    x, w = np.arange(1, 6, dtype=np.float32).reshape(1, 1, 5), np.array([[[1, 10, 100]]], np.float32)
    (y,) = run(model, x=x, w=w)
    whole = by_definition(spec_of(1, 1, 1, (5,), (3,), (2,), (1,), (0,), (0,)), x, w)
    np.testing.assert_array_equal(y, whole[..., begin : begin + 10])


@pytest.mark.parametrize("strides", [1, 2])
def test_a_result_of_no_extent_is_empty_with_and_without_stride(strides):
    pads = (strides * 2 + 3) // 2
    begin, end = pads, strides * 2 + 3 - pads
    model = parse(
        "(float[1,1,3] x, float[1,1,3] w) => (float[1,1,N] y)",
        f"y = ConvTranspose<strides=[{strides}], pads=[{begin},{end}]>(x, w)",
    )
    (y,) = run(model, x=np.ones((1, 1, 3), np.float32), w=np.ones((1, 1, 3), np.float32))
    assert y.shape == (1, 1, 0)


def test_padding_to_the_same_size_with_more_padding_of_the_output_is_refused_unless_the_size_is_given():
    """ONNX's inference of shapes adds it to the size; its text, its reference and onnxruntime do not."""
    attributes = 'auto_pad="SAME_UPPER", strides=[2], output_padding=[1]'
    x, w = (
        np.arange(1, 6, dtype=np.float32).reshape(1, 1, 5),
        np.arange(1, 4, dtype=np.float32).reshape(1, 1, 3),
    )
    signature = "(float[1,1,5] x, float[1,1,3] w) => (float[1,1,N] y)"
    with pytest.raises(UnsupportedError, match=r"auto_pad SAME_UPPER and output_padding.*give output_shape"):
        run(parse(signature, f"y = ConvTranspose<{attributes}>(x, w)"), x=x, w=w)
    (y,) = run(parse(signature, f"y = ConvTranspose<{attributes}, output_shape=[10]>(x, w)"), x=x, w=w)
    np.testing.assert_array_equal(y, [[[2, 5, 4, 9, 6, 13, 8, 17, 10, 15]]])


def test_padding_to_the_same_size_makes_nothing_up_where_steps_are_wider_than_the_kernel():
    w = np.arange(1, 4, dtype=np.float32).reshape(1, 1, 3, 1)
    nodes = 'y = ConvTranspose<strides=[2,3], auto_pad="SAME_LOWER">(x, w)'
    model = parse("(float[1,1,4,5] x, float[1,1,3,1] w) => (float[1,1,8,13] y)", nodes)
    (y,) = run(model, x=np.ones((1, 1, 4, 5), np.float32), w=w)
    assert y.shape == (1, 1, 8, 13) and y[0, 0, :4, 0].tolist() == [2, 4, 2, 4] and not y[..., 1::3].any()
