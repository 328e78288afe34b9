"""Winograd's algorithm gives what a convolution's definition gives, within a stated error, and is chosen only where it may be."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import onnx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import ingot
from ingot.base.errors import TargetError
from ingot.base.tensor import DType, TensorType
from ingot.kernels.blocks.register_block import Tile
from ingot.kernels.conv.conv import channels_last, conv_template
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.conv.winograd.kernel import Plan
from ingot.kernels.conv.winograd.matrices import TAPS, TILES, winograd_matrices
from ingot.kernels.conv.winograd.winograd import build_winograd
from ingot.kernels.template import SPARE_BYTES, Site
from ingot.loops.interpret import run
from ingot.loops.nodes import For, Kernel, Let, Prefetch, Store, buffer
from ingot.loops.transform.rewrite import statements
from ingot.loops.transform.simplify import simplify_kernel
from ingot.loops.verify import verify
from ingot.machines.x86.granite_rapids import GRANITE_RAPIDS
from tests.kernels.algorithms import chosen_plan
from tests.kernels.templates import strides_of
from tests.support import machines
from tests.support.kernel_llvm import compile_kernel, needs_cc
from tests.support.models import model
from tests.support.ranges import in_parts

AVX2 = replace(machines.AVX2, l2_bytes=512 << 10, prefetch=True)
MATRIX_TILES = replace(machines.AMX, prefetch=True)
ORDER = (0, 2, 3, 1)


def spec_of(x, filters, pads=(1, 1, 1, 1), **changes):
    batch, channels, height, width = x
    begins, ends = pads[:2], pads[2:]
    out = (height + begins[0] + ends[0] - 2, width + begins[1] + ends[1] - 2)
    spec = ConvSpec(
        TensorType(DType.FLOAT32, x),
        TensorType(DType.FLOAT32, (filters, channels, TAPS, TAPS)),
        TensorType(DType.FLOAT32, (batch, filters, *out)),
        (TAPS, TAPS),
        (1, 1),
        (1, 1),
        begins,
        ends,
        1,
    )
    return replace(spec, **changes)


def site_of(spec, weights, machine=machines.VECTORS, order=None):
    last = channels_last(spec.x.rank)
    x = buffer("x", DType.FLOAT32, spec.x.shape, strides_of(spec.x, order or last))
    w = buffer("w", DType.FLOAT32, spec.w.shape)
    y = buffer("y", DType.FLOAT32, spec.y.shape, strides_of(spec.y, last))
    return Site(machine, [x, w], [y], [None, weights])


def interpreted(site, body, x, native=False):
    """The output of a kernel that packed its weights, in the interpreter, or compiled for this processor and a pool of three
    threads; memory it did not write is NaN, as float32 and as halves of words.
    """
    packed, array = site.packed[1]
    inputs, outputs = (site.input(0), packed), site.outputs
    kernel = Kernel("tested", inputs, outputs, tuple(body), tuple(site.workspaces))
    verify(kernel)
    memory = {packed.name: array.ravel(), "x": np.moveaxis(x, 1, -1).copy().ravel()}
    for each in (*outputs, *site.workspaces):
        memory[each.name] = np.full(each.span, -1 if each.dtype is DType.INT32 else np.nan, each.dtype.numpy)
    if native:
        simple = simplify_kernel(kernel)
        compile_kernel(simple)(*(memory[param.name] for param in simple.params))
    else:
        run(kernel, memory)
    batch, filters, *out = outputs[0].shape
    return np.moveaxis(memory["y"].reshape(batch, *out, filters), -1, 1)


def by_definition(x, w, pads):
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (TAPS, TAPS), axis=(2, 3))
    return np.einsum("nchwij,mcij->nmhw", windows, w.astype(np.float64))


@pytest.mark.parametrize(("m", "taps"), [(m, taps) for taps, sizes in TILES.items() for m in sizes])
def test_the_matrices_give_exactly_the_correlation_in_one_dimension(m, taps):
    random = np.random.default_rng(m)
    d, g = ([Fraction(int(n)) for n in random.integers(-9, 9, size)] for size in (m + taps - 1, taps))
    matrices = winograd_matrices(m, taps)

    def times(matrix, column):
        return [sum(entry * value for entry, value in zip(row, column, strict=True)) for row in matrix]

    products = [a * b for a, b in zip(times(matrices.g, g), times(matrices.bt, d), strict=True)]
    assert times(matrices.at, products) == [sum(d[i + k] * g[k] for k in range(taps)) for i in range(m)]


@settings(max_examples=8)
@given(
    st.sampled_from([2, 4]),
    st.sampled_from(["tiles", "tiles together", "panels", "rows of panels"]),
    st.tuples(st.integers(1, 2), st.integers(1, 7), st.integers(1, 7)),
    st.sampled_from([3, 4, 9]),
    st.tuples(*[st.integers(1, 2)] * 4),
    st.integers(1, 5),
    st.sampled_from([0, SPARE_BYTES]),
)
@example(2, "panels", (1, 5, 5), 9, (1, 1, 1, 1), 2, 0)  # nine tiles, in groups of two and one
@example(2, "rows of panels", (1, 5, 5), 9, (1, 1, 1, 1), 2, 0)
@example(2, "tiles together", (1, 5, 5), 9, (1, 1, 1, 1), 2, 0)
def test_all_orders_of_loops_give_what_the_definition_gives(
    m, first, extents, filters, pads, group, spare_bytes
):
    batch, height, width = extents
    channels, panels_first = 8, not first.startswith("tiles")
    spec = spec_of((batch, channels, height, width), filters, pads)
    random = np.random.default_rng(7)
    x, w = (random.standard_normal(type_.shape).astype(np.float32) for type_ in (spec.x, spec.w))
    site = site_of(spec, w)
    site.spare_bytes = spare_bytes
    depth = channels // 2 if panels_first else channels
    together = 2 if first == "tiles together" else 1
    plan = Plan(m, Tile(3, 1, 4), group, panels_first, depth, first == "rows of panels", together=together)
    body = build_winograd(site, spec, plan)
    made = interpreted(site, body, x)
    # Of 900 random examples the worst were 6.7e-6 and 2.5e-5 off.
    np.testing.assert_allclose(made, by_definition(x, w, pads), rtol=0, atol=1e-5 if m == 2 else 3e-5)
    for threads in (2, 3):
        np.testing.assert_array_equal(interpreted(site, in_parts(body, threads), x), made)


@pytest.mark.parametrize(
    ("m", "x", "filters", "tile", "block"),
    [
        pytest.param(4, (1, 32, 3, 6), 12, Tile(32, 1, 16), 2, id="part of a panel, one block"),
        pytest.param(2, (1, 64, 2, 9), 8, Tile(3, 1, 16), 5, id="two steps, blocks of rows"),
        pytest.param(2, (2, 32, 1, 5), 32, Tile(32, 2, 16), 4, id="two pictures in blocks"),
        pytest.param(
            2, (1, 32, 2, 5), 17, Tile(32, 1, 16), 2, id="blocks of two sizes, a panel of one column"
        ),
    ],
)
@pytest.mark.parametrize(
    "native", [False, pytest.param(True, marks=[pytest.mark.cc, needs_cc])], ids=["interpreted", "native"]
)
def test_matrix_by_matrix_in_tiles_gives_what_the_definition_gives(m, x, filters, tile, block, native):
    spec = spec_of(x, filters)
    random = np.random.default_rng(11)
    x, w = (random.standard_normal(type_.shape).astype(np.float32) for type_ in (spec.x, spec.w))
    site = site_of(spec, w, MATRIX_TILES)
    body = build_winograd(site, spec, Plan(m, tile, block, False, spec.x.shape[1], uses_amx=True))
    # Two parts of each number would give 16 digits: an error of 4e-4.
    result, atol = interpreted(site, body, x, native), 5e-5 if m == 2 else 2e-4
    np.testing.assert_allclose(result, by_definition(x, w, (1, 1, 1, 1)), rtol=0, atol=atol)


@pytest.mark.parametrize(
    ("x", "filters", "changes", "in_tiles"),
    [
        pytest.param((1, 64, 48, 48), 128, {}, True, id="many tiles, many weights"),
        pytest.param((4, 64, 24, 24), 128, {}, True, id="of several pictures"),
        pytest.param((1, 64, 24, 24), 128, {}, False, id="few tiles use each weight"),
        pytest.param((1, 64, 48, 48), 64, {}, False, id="weights stay in the second-level cache"),
        pytest.param((1, 80, 48, 48), 128, {}, False, id="channels that words do not hold"),
        pytest.param(
            (1, 64, 48, 48), 128, {"amx_bf16": False}, False, id="a processor without tiles for float32"
        ),
    ],
)
def test_tiles_are_chosen_where_weights_are_many_and_used_often(x, filters, changes, in_tiles):
    """As measured on a Granite Rapids, with 256 channels of 56 × 56: 5.5 ms, 8.4 in vectors."""
    spec = spec_of(x, filters)
    site = site_of(spec, np.ones(spec.w.shape, np.float32), replace(MATRIX_TILES, **changes))
    plan = chosen_plan(site, spec)
    assert plan is not None
    assert plan.uses_amx is in_tiles


@pytest.mark.parametrize(
    ("filters", "extent"), [pytest.param(128, 48, id="many tiles"), pytest.param(96, 28, id="few tiles")]
)
def test_any_number_of_threads_gives_the_same_bytes(filters, extent):
    x_type, y_type = f"float[1,64,{extent},{extent}]", f"float[1,{filters},{extent},{extent}]"
    proto = model(f"g ({x_type} x) => ({y_type} y) {{ y = Conv<pads=[1,1,1,1]>(x, w) }}")
    shapes = (filters, 64, 3, 3), (1, 64, extent, extent)
    w, x = (np.random.default_rng(4).standard_normal(shape).astype(np.float32) for shape in shapes)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
    factory = ingot.build(proto, "llvm", cache=None).load()["g"]
    one, shared = factory(ingot.cpu(0), threads=1).predict(x=x), factory(ingot.cpu(0), threads=2)
    for _ in range(20):  # two threads that write to the same place do not always meet there
        np.testing.assert_array_equal(one, shared.predict(x=x))
    np.testing.assert_allclose(one, by_definition(x, w, (1, 1, 1, 1)), rtol=0, atol=4e-4)


@pytest.mark.parametrize("panels_first", [False, True])
def test_what_the_next_tile_is_the_first_to_read_is_asked_for_where_an_input_is_far(panels_first):
    """As measured with 64 channels of 224 × 224: an eighth less time on a Zen 5, with vectors of 32 bytes a ninth."""
    spec = spec_of((1, 8, 17, 19), 8)
    random = np.random.default_rng(9)
    x, w = (random.standard_normal(type_.shape).astype(np.float32) for type_ in (spec.x, spec.w))

    def asked(l2_bytes, machine=AVX2):
        site = site_of(spec, w, replace(machine, l2_bytes=l2_bytes))
        body = build_winograd(site, spec, Plan(4, Tile(3, 1, 8), 5, panels_first, 8))
        np.testing.assert_allclose(
            interpreted(site, body, x), by_definition(x, w, (1, 1, 1, 1)), rtol=0, atol=3e-5
        )
        return [stmt for stmt in statements(body) if isinstance(stmt, Prefetch) and stmt.buffer.name == "x"]

    far = asked(x.nbytes - 1)
    assert len(far) == 6 * 4  # four columns more of its six rows
    assert all(stmt.near for stmt in far)
    assert asked(x.nbytes) == []
    assert asked(x.nbytes - 1, replace(AVX2, prefetch=False)) == []


def test_it_is_chosen_for_many_channels_and_the_template_then_computes_with_it():
    spec = spec_of((1, 32, 8, 8), 32)
    random = np.random.default_rng(5)
    x, w = (random.standard_normal(type_.shape).astype(np.float32) for type_ in (spec.x, spec.w))
    site = site_of(spec, w)
    assert chosen_plan(site, spec) is not None
    body = conv_template(spec).build(site)
    assert {made.name for made in site.workspaces} == {"inputs", "factors", "products"}
    np.testing.assert_allclose(
        interpreted(site, body, x), by_definition(x, w, (1, 1, 1, 1)), rtol=0, atol=2e-4
    )


@pytest.mark.parametrize("weight", [np.inf, -np.inf, np.nan, 3e38])
def test_weights_whose_sums_may_be_no_numbers_are_used_by_the_definition(weight):
    spec = spec_of((1, 32, 8, 8), 32)
    w = np.ones(spec.w.shape, np.float32)
    assert chosen_plan(site_of(spec, w), spec) is not None
    w[3, 4, 1, 1] = weight
    assert chosen_plan(site_of(spec, w), spec) is None


@pytest.mark.parametrize(
    ("channels", "extents", "spare_bytes", "transformed"),
    [
        pytest.param(16, (8, 8), SPARE_BYTES, True, id="few tiles, and the file may grow"),
        pytest.param(16, (8, 8), 1024, False, id="the file may not grow by so much"),
        pytest.param(16, (64, 64), SPARE_BYTES, False, id="many tiles use each weight"),
        pytest.param(32, (8, 8), SPARE_BYTES, False, id="it would take too much of what is for all layers"),
    ],
)
def test_weights_are_transformed_while_building_where_it_pays(channels, extents, spare_bytes, transformed):
    spec = spec_of((1, channels, *extents), channels)
    site = site_of(spec, np.ones(spec.w.shape, np.float32))
    site.spare_bytes = spare_bytes
    plan = chosen_plan(site, spec)
    assert plan is not None
    build_winograd(site, spec, plan)
    _, packed = site.packed[1]
    n2 = (plan.m + 2) ** 2
    assert packed.size == channels**2 * (n2 if transformed else TAPS**2)
    assert site.spare_bytes == spare_bytes - (packed.nbytes - channels**2 * TAPS**2 * 4)
    assert ("factors" in {made.name for made in site.workspaces}) is not transformed


SPEC = spec_of((1, 32, 16, 16), 32)
WEIGHTS = np.ones(SPEC.w.shape, np.float32)
TOO_WIDE = spec_of((1, 30, 16, 16), 32)


def test_narrow_vectors_write_half_a_line_of_transformed_weights_and_are_worth_it_sooner():
    """As measured with 512 channels of 7 × 7: 1.56 ms by F(4×4) and 2.27 ms by the definition with vectors of 32 bytes."""
    spec = spec_of((1, 512, 7, 7), 512)
    site = site_of(spec, np.ones(spec.w.shape, np.float32), AVX2)
    plan = chosen_plan(site, spec)
    assert plan is not None
    assert plan.m == 4
    assert plan.panels_first


def test_processors_that_halve_their_longest_vectors_gain_sooner_from_fewer_products():
    """As measured with 512 channels of 7 × 7 on a Zen 4: 1.2 ms by F(4×4) and 1.8 ms by the definition."""
    spec = spec_of((1, 512, 7, 7), 512)
    machine = replace(machines.SERVER, prefetch=True)
    weights = np.ones(spec.w.shape, np.float32)
    assert chosen_plan(site_of(spec, weights, machine), spec) is None
    plan = chosen_plan(site_of(spec, weights, replace(machine, double_pumped_512=True)), spec)
    assert plan is not None
    assert plan.m == 4


@pytest.mark.parametrize(("extent", "channels", "rows"), [(7, 512, 4), (14, 256, 8), (28, 128, 13)])
def test_transformed_weights_for_few_tiles_are_kept_near_where_few_sums_are_enough(extent, channels, rows):
    """As measured on a Zen 4 with 512 channels of 7 × 7: 1.2 ms with panels of one vector and 1.5 ms with those of four."""
    spec = spec_of((1, channels, extent, extent), channels)
    machine = replace(machines.SERVER, double_pumped_512=True)
    site = site_of(spec, np.ones(spec.w.shape, np.float32), machine)
    plan = chosen_plan(site, spec)
    assert plan is not None
    assert plan.panels_first
    assert plan.tile == Tile(rows, 1, 16)
    assert (plan.m + 2) ** 2 * plan.depth * plan.tile.columns * 4 <= machine.l2_bytes // 4
    assert len(site.offered["tile"]) > 2


@pytest.mark.parametrize(
    ("channels", "extent", "spare_bytes", "groups"),
    [
        pytest.param(64, 8, SPARE_BYTES, 2, id="two tiles of rows"),
        pytest.param(64, 8, 1024, 0, id="weights are transformed in each run"),
        pytest.param(128, 12, 2 * SPARE_BYTES, 0, id="too many weights for a second copy"),
    ],
)
def test_few_tiles_with_weights_transformed_while_building_are_shared_out_by_rows(
    channels, extent, spare_bytes, groups
):
    """Each thread then reads what it wrote; panel by panel it would read all that others transform."""
    spec = spec_of((1, channels, extent, extent), channels)
    machine = replace(machines.SERVER, prefetch=True)
    weights = np.ones(spec.w.shape, np.float32)
    site = site_of(spec, weights, machine)
    site.spare_bytes = spare_bytes
    plan = chosen_plan(site, spec)
    assert plan is not None
    assert plan.panels_first is not (groups > 0)
    tiles = (-(-extent // plan.m)) ** 2
    assert not groups or (plan.group * groups, plan.together) == (tiles, 1)
    double_pumped_512 = chosen_plan(site_of(spec, weights, replace(machine, double_pumped_512=True)), spec)
    assert double_pumped_512 is None or double_pumped_512.panels_first


def test_one_panel_that_only_one_thread_can_do_must_be_much_quicker_where_lines_come_slowly_from_another():
    """As measured with 32 channels of 16 × 16 on a Granite Rapids: 13.8 µs on one thread and 19 on two by F(4×4), 15 and 12 by
    F(2×2).
    """
    spec = spec_of((1, 32, 16, 16), 32)
    machine = replace(machines.AVX512, l2_bytes=2 << 20, prefetch=True)
    weights = np.ones(spec.w.shape, np.float32)
    near = chosen_plan(site_of(spec, weights, machine), spec)
    rapids = replace(machine, slow_l2_stores=True, tuning=GRANITE_RAPIDS.measured)
    far = chosen_plan(site_of(spec, weights, rapids), spec)
    assert near is not None
    assert far is not None
    assert (near.m, near.panels_first) == (4, True)
    assert (far.m, far.panels_first) == (2, False)


@pytest.mark.parametrize(
    ("channels", "filters", "extent", "cuts"),
    [
        pytest.param(64, 96, 28, (True, True, False), id="few weights for each tile"),
        pytest.param(128, 128, 28, (True, True, False, False), id="as many weights as tiles"),
        pytest.param(160, 160, 14, (False, True, False), id="more weights than tiles"),
        pytest.param(256, 256, 14, (False, True, False, False), id="few tiles"),
    ],
)
def test_threads_have_some_of_the_tiles_or_some_of_the_panels(channels, filters, extent, cuts):
    """As measured in networks on a Granite Rapids, two threads: 64 channels to 96 of 28 × 28 116 µs by halves of the tiles and
    251 by panels, 128 to 128 289 and 375, 160 to 160 of 14 × 14 207 and 278.
    """
    spec = spec_of((1, channels, extent, extent), filters)
    machine = replace(
        machines.AVX512, l2_bytes=2 << 20, prefetch=True, slow_l2_stores=True, tuning=GRANITE_RAPIDS.measured
    )
    site = site_of(spec, np.ones(spec.w.shape, np.float32), machine)
    site.spare_bytes = 0
    plan = chosen_plan(site, spec)
    assert plan is not None
    assert plan.panels_first
    (made,) = build_winograd(site, spec, plan)
    assert isinstance(made, For)
    assert made.end is not None
    assert made.extent.value == 1 << len(cuts)
    inputs = next(one for one in site.workspaces if one.name == "inputs")
    assert inputs.shape[0] == 1 << cuts.count(False)


@pytest.mark.parametrize("filters", [17, 64])
def test_loops_over_groups_are_not_called_as_a_kernel_s_parameters(filters):
    """Two tiles are a group of two, and `in2` is the bias."""
    text = "g (float[1,16,4,8] x, float[F,16,3,3] w, float[F] b) => (float[1,F,4,8] y) { y = Conv<pads = [1,1,1,1]>(x, w, b) }"
    made = model(text.replace("F", str(filters)))
    for name, shape in (("w", (filters, 16, 3, 3)), ("b", (filters,))):
        made.graph.initializer.append(onnx.numpy_helper.from_array(np.ones(shape, np.float32), name))
    target = "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3"
    built = ingot.build(made, target, name="m", cache=None)  # which verifies its kernels
    assert any(b"conv_bias_conv_0" in bytes(each.content) for each in built)


def test_one_output_tile_needs_more_vectors_for_enough_sums():
    spec = spec_of((1, 512, 4, 4), 512)
    machine = replace(machines.SERVER, double_pumped_512=True)
    plan = chosen_plan(site_of(spec, np.ones(spec.w.shape, np.float32), machine), spec)
    assert plan is None or plan.tile.rows * plan.tile.vectors >= 4


def test_results_of_a_transform_are_stored_as_soon_as_they_are_there():
    spec = spec_of((1, 32, 16, 16), 32)
    site = site_of(spec, np.ones(spec.w.shape, np.float32), AVX2)
    plan = chosen_plan(site, spec)
    assert plan is not None
    body = build_winograd(site, spec, plan)
    blocks = [stmt.body for stmt in statements(body) if isinstance(stmt, For)]
    transforms = [
        block for block in blocks if sum(isinstance(stmt, Store) for stmt in block) == (plan.m + 2) ** 2
    ]
    assert transforms
    for block in transforms:
        last = max(at for at, stmt in enumerate(block) if isinstance(stmt, Let))
        assert sum(isinstance(stmt, Store) for stmt in block[:last]) > plan.m**2


@pytest.mark.parametrize(
    ("spec", "machine", "weights", "order"),
    [
        pytest.param(
            SPEC, replace(machines.VECTORS, math="exact"), WEIGHTS, ORDER, id="exact math is asked for"
        ),
        pytest.param(SPEC, machines.SCALARS, WEIGHTS, ORDER, id="no vectors"),
        pytest.param(SPEC, replace(machines.VECTORS, l2_bytes=0), WEIGHTS, ORDER, id="no cache"),
        pytest.param(SPEC, machines.VECTORS, None, ORDER, id="weights are not constant"),
        pytest.param(SPEC, machines.VECTORS, WEIGHTS, (0, 1, 2, 3), id="channels do not lie side by side"),
        pytest.param(replace(SPEC, strides=(2, 2)), machines.VECTORS, WEIGHTS, ORDER, id="stride"),
        pytest.param(replace(SPEC, group=2), machines.VECTORS, WEIGHTS, ORDER, id="groups"),
        pytest.param(TOO_WIDE, machines.VECTORS, WEIGHTS[:, :30], ORDER, id="channels do not fill vectors"),
        pytest.param(
            spec_of((1, 512, 1, 1), 512),
            machines.VECTORS,
            np.ones((512, 512, 3, 3), np.float32),
            ORDER,
            id="one output",
        ),
    ],
)
def test_the_definition_is_computed_where(spec, machine, weights, order):
    assert chosen_plan(site_of(spec, weights, machine, order), spec) is None


def deep_network(channels=64):
    """A ReLU and a convolution, behind one that changes nothing but the order in which its results are stored."""
    proto = model(
        f"""g (float[1,{channels},12,12] x) => (float[1,{channels},12,12] y)
        {{ s = Conv(x, one) r = Relu(s) y = Conv<pads=[1,1,1,1]>(r, w) }}"""
    )
    w = np.random.default_rng(2).standard_normal((channels, channels, 3, 3)).astype(np.float32)
    one = np.eye(channels, dtype=np.float32).reshape(channels, channels, 1, 1)
    proto.graph.initializer.extend(
        [onnx.numpy_helper.from_array(w, "w"), onnx.numpy_helper.from_array(one, "one")]
    )
    return proto, w


@pytest.mark.cc
def test_c_keeps_to_the_definition_because_it_counts_on_no_cache():
    proto, _ = deep_network()
    fast, exact = (ingot.build(proto, "c", cache=None, math=math) for math in ("fast", "exact"))
    sources = [one.content for one in fast if one.loader == "native"]
    assert sources
    assert sources == [one.content for one in exact if one.loader == "native"]


def test_the_error_is_at_most_a_few_times_that_of_the_definition():
    proto, w = deep_network()
    x = np.random.default_rng(3).standard_normal((1, 64, 12, 12)).astype(np.float32)
    expected = by_definition(np.maximum(x, 0), w, (1, 1, 1, 1))
    scale = np.sqrt((expected**2).mean())
    error, results = {}, {}
    for math in ("fast", "exact"):
        results[math] = (
            ingot.build(proto, "llvm", cache=None, math=math).load()["g"](ingot.cpu(0)).predict(x=x)
        )
        error[math] = np.abs(results[math] - expected).max() / scale
    assert not np.array_equal(results["fast"], results["exact"])
    assert error["exact"] < 4e-6
    assert error["fast"] < 1.2e-5


def test_an_unknown_math_is_refused():
    with pytest.raises(
        TargetError,
        match=r"math 'exakt' is not known; did you mean 'exact'\? \(known: fast, exact, normwise\)",
    ):
        ingot.build(deep_network(4)[0], "interp", math="exakt")
