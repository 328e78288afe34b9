"""Models whose extents vary from call to call: one library, any shape of the range, the answers of the definition."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx.reference import ReferenceEvaluator

import ingot
from ingot.api.varying_info import cycles_of_programs
from ingot.artifact.model_info import DimInfo
from tests.unit.plan.test_items import ALONE

_HEADER = '<ir_version: 9, opset_import: ["" : 18]> m '
SEQUENCE = (
    "(float[N,S,4] x, float[N,S] mask) => (float[N,S,4] y) { a = Softmax<axis=1>(x)"
    " m = Constant<value_ints=[2]>() k = Unsqueeze(mask, m) y = Mul(a, k) }"
)
DETERMINANT = "(float[N,S,S] x) => (float[N] y) { y = Det(x) }"
# Of z nothing is different for other items, and w is a constant.
SAME_FOR_ALL = (
    "(float[N,4] x, float[2] z) => (float[N,4] y, float[2] r, float[3] w) { y = Relu(x) r = Exp(z)"
    " w = Constant<value_floats=[1.0,2.0,3.0]>() }"
)


def _model(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(_HEADER + text)


def _feeds(model: onnx.ModelProto, sizes: dict[str, int], seed: int = 0) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    feeds = {}
    for value in model.graph.input:
        shape = [each.dim_value or sizes[each.dim_param] for each in value.type.tensor_type.shape.dim]
        is_float = value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT
        feeds[value.name] = (
            random.standard_normal(shape, np.float32) if is_float else random.integers(0, 3, shape)
        )
    return feeds


def _executor(
    text: str, dims: dict[str, object], target: str = "interp", **options: object
) -> ingot.Executor:
    return ingot.build(_model(text), target, dims=dims, cache=None, **options).load()["m"](ingot.cpu(0))


def _answers(executor: ingot.Executor, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    results = executor.predict(feeds)
    return list(results) if isinstance(results, tuple) else [results]


@pytest.mark.parametrize("case", ALONE)
def test_any_number_of_items_has_the_answers_of_the_definition(case: str) -> None:
    model = _model(ALONE[case])
    executor = _executor(ALONE[case], {"N": range(10)})
    reference = ReferenceEvaluator(model)
    for count in (1, 9, 8, 3, 7):
        feeds = _feeds(model, {"N": count})
        for result, wanted in zip(_answers(executor, feeds), reference.run(None, feeds), strict=True):
            assert result.shape == wanted.shape and result.dtype == wanted.dtype
            np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)


def test_no_items_have_no_answers() -> None:
    executor = _executor(ALONE["products of rows"], {"N": range(10)})
    assert executor.predict(x=np.zeros((0, 2), np.float32)).shape == (0, 3)


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
def test_an_output_may_be_the_same_for_all_items(target: str) -> None:
    executor, model = _executor(SAME_FOR_ALL, {"N": range(40)}, target), _model(SAME_FOR_ALL)
    assert str(executor.outputs[1]) == "r: float32[2]"
    assert len(executor._executors) == 2  # type: ignore[attr-defined]
    for count in (1, 8, 3, 19, 0):
        feeds = _feeds(model, {"N": count})
        expected = ReferenceEvaluator(model).run(None, feeds)
        for result, its in zip(_answers(executor, feeds), expected, strict=True):
            np.testing.assert_allclose(result, its, rtol=1e-6)


def test_a_list_is_split_into_the_sizes_that_there_are() -> None:
    executor = _executor(ALONE["arithmetic"], {"N": [1, 4, 16]})
    feeds = _feeds(_model(ALONE["arithmetic"]), {"N": 21})
    assert str(executor.inputs[0]) == "x: float32[N ∈ 1.., 4]"
    np.testing.assert_array_equal(executor.predict(feeds), feeds["x"] * np.float32([1, 2, 3, 4]))


def test_a_program_for_more_items_answers_where_there_is_none_for_fewer() -> None:
    executor = _executor(ALONE["softmax within an item"], {"N": [4, 6]})
    model = _model(ALONE["softmax within an item"])
    feeds = _feeds(model, {"N": 1})
    wanted = ReferenceEvaluator(model).run(None, feeds)[0]
    np.testing.assert_allclose(executor.predict(feeds), wanted, rtol=1e-6)


def test_the_last_items_are_computed_by_a_program_for_more_that_computes_some_again() -> None:
    executor, places = _executor(ALONE["arithmetic"], {"N": range(1, 65)}), []
    for program in executor._executors:
        program.run_at = lambda addresses, run=program.run_at: (places.append(addresses[0]), run(addresses))
    x = np.arange(15 * 4, dtype=np.float32).reshape(15, 4)
    np.testing.assert_array_equal(executor.predict(x=x), x * np.float32([1, 2, 3, 4]))
    assert [(place - x.ctypes.data) // (4 * 4) for place in places] == [0, 7]


def test_inputs_may_come_in_any_order_and_with_gaps() -> None:
    text = "(float[N,4] x, float[N,4] z) => (float[N,4] y) { y = Sub(x, z) }"
    executor = _executor(text, {"N": [8, 16]})
    for count in (3, 11):  # 3 of 8 items by way of memory of the executor, and 11 where they are
        x, z = np.random.default_rng(count).standard_normal((2, count, 8), np.float32)[..., ::2]
        np.testing.assert_array_equal(executor.predict({"z": z, "x": x}), x - z)
        executor.set_input({"z": z, "x": x})
        executor.run()
        np.testing.assert_array_equal(executor.get_output(0), x - z)


def test_an_input_of_another_shape_is_refused_also_where_several_programs_answer() -> None:
    executor = _executor(ALONE["arithmetic"], {"N": range(1, 65)})
    for count in (3, 11):
        with pytest.raises(
            ingot.InputError, match=r"'x' has the shape \[\d+, 5\]; expected float32\[N ∈ 1..64, 4\]"
        ):
            executor.predict(x=np.zeros((count, 5), np.float32))


def test_what_mixes_items_gets_a_program_for_each_size() -> None:
    executor = _executor(SEQUENCE, {"N": [1, 2], "S": [3, 5]})
    model = _model(SEQUENCE)
    assert str(executor.outputs[0]) == "y: float32[N ∈ 1.., S ∈ {3, 5}, 4]"
    for sizes in ({"N": 1, "S": 5}, {"N": 2, "S": 3}, {"N": 7, "S": 5}):
        feeds = _feeds(model, sizes)
        wanted = ReferenceEvaluator(model).run(None, feeds)[0]
        np.testing.assert_allclose(executor.predict(feeds), wanted, rtol=1e-5, atol=1e-7)


def test_outputs_are_written_where_the_caller_wants_them() -> None:
    executor = _executor(ALONE["arithmetic"], {"N": range(1, 65)})
    for count in (1, 8, 11):
        feeds = _feeds(_model(ALONE["arithmetic"]), {"N": count})
        wanted = executor.predict(feeds)
        out = np.full((count, 4), np.nan, np.float32)
        assert executor.predict(feeds, out=out) is out
        np.testing.assert_array_equal(out, wanted)
        apart = np.full((count, 8), np.nan, np.float32)[:, ::2]
        executor.predict(feeds, out=apart)
        np.testing.assert_array_equal(apart, wanted)
        same = feeds["x"]
        executor.predict(x=same, out=same)
        np.testing.assert_array_equal(same, wanted)


def test_inputs_of_another_shape_are_set_without_a_new_executor() -> None:
    executor = _executor(SEQUENCE, {"N": range(1, 65), "S": [3, 5]})
    model = _model(SEQUENCE)
    for sizes in ({"N": 1, "S": 5}, {"N": 9, "S": 3}, {"N": 8, "S": 3}, {"N": 1, "S": 5}):
        feeds = _feeds(model, sizes)
        for name, array in feeds.items():
            executor.set_input({name: array})
        executor.run()
        wanted = ReferenceEvaluator(model).run(None, feeds)[0]
        np.testing.assert_allclose(executor.get_output("y"), wanted, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(
            executor.get_output(0, out=np.empty_like(wanted)), wanted, rtol=1e-5, atol=1e-7
        )


def test_shapes_that_the_library_is_not_for_are_refused_with_extent_value_and_range() -> None:
    executor = _executor(SEQUENCE, {"N": range(1, 9), "S": [3, 5]})
    good = {"x": np.zeros((2, 3, 4), np.float32), "mask": np.zeros((2, 3), np.float32)}
    bad = [
        ({"x": np.zeros((9, 3, 4), np.float32), "mask": np.zeros((9, 3), np.float32)}, "N is 9 .* N ∈ 1..8"),
        (
            {"x": np.zeros((2, 4, 4), np.float32), "mask": np.zeros((2, 4), np.float32)},
            r"S is 4 .* S ∈ \{3, 5\}",
        ),
        ({"mask": np.zeros((1, 3), np.float32)}, "N is 2 in axis 0 of 'x' and 1 in axis 0 of 'mask'"),
        (
            {"mask": np.zeros(3, np.float32)},
            "'mask' has the shape .3.; expected float32.N ∈ 1..8, S ∈ {3, 5}.",
        ),
        ({"x": np.zeros((2, 3, 5), np.float32)}, "'x' has the shape"),
        ({"x": np.zeros((2, 3, 4))}, "has the dtype float64"),
        ({"x": [[1.0], [1.0, 2.0]]}, "different lengths"),
        ({"z": 1}, "has no input 'z'"),
    ]
    for change, why in bad:
        with pytest.raises(ingot.InputError, match=why):
            executor.predict({**good, **change})
    with pytest.raises(ingot.InputError, match="missing input mask"):
        executor.predict(x=good["x"])
    assert executor.predict(good).shape == (2, 3, 4)


def test_numbers_of_python_are_taken_in_any_size() -> None:
    executor = _executor(ALONE["arithmetic"], {"N": range(1, 9)})
    np.testing.assert_array_equal(executor.predict(x=[[1.0, 1, 1, 1]] * 3), [[1, 2, 3, 4]] * 3)


def test_a_leading_extent_that_nobody_mentions_is_a_range() -> None:
    notes: list[str] = []
    model = _model(ALONE["arithmetic"])
    artifacts = ingot.build(model, "interp", cache=None, observer=ingot.Observer(on_note=notes.append))
    assert str(artifacts.models()["m"].inputs[0]) == "x: float32[N ∈ 1..64, 4]"
    assert notes == ["model 'm': N may be 1..64; say other sizes by dims= or --dim N=…"]


COLUMNS = "(float[?,1] a, float[?,1] b, float[?,2] c) => (float[?,4] y) { y = Concat<axis=1>(a, b, c) }"


def _columns(count: int) -> dict[str, np.ndarray]:
    return {
        name: np.full((count, width), count, np.float32) for name, width in (("a", 1), ("b", 1), ("c", 2))
    }


@pytest.mark.parametrize(
    ("dims", "notes"),
    [
        (
            None,
            ["a:0 may be 1..64; say other sizes by dims= or --dim a:0=…", "b:0, c:0 must be the same as a:0"],
        ),
        (
            {"b:0": range(1, 9)},
            ["a:0, c:0 must be the same as b:0: with other sizes the model contradicts itself"],
        ),
        ({"a:0": range(1, 9), "b:0": "a:0", "c:0": "a:0"}, []),
        ({"a:0": 5}, ["b:0, c:0 must be the same as a:0"]),
    ],
)
def test_columns_without_names_for_their_rows_have_the_same_number(
    dims: dict[str, object] | None, notes: list[str]
) -> None:
    said: list[str] = []
    observer = ingot.Observer(on_note=said.append)
    executor = ingot.build(_model(COLUMNS), "interp", dims=dims, cache=None, observer=observer).load()["m"]()
    assert executor.predict(_columns(5)).shape == (5, 4)
    for note, words in zip(said, notes, strict=True):
        assert words in note
    with pytest.raises(ingot.InputError):
        executor.predict(_columns(5) | {"b": np.zeros((4, 1), np.float32)})


def test_inputs_that_may_have_different_sizes_have_extents_of_their_own() -> None:
    text = "(float[?,1] a, float[?,2] b) => (float[?,1] y, float[?,2] z) { y = Relu(a) z = Neg(b) }"
    notes: list[str] = []
    observer = ingot.Observer(on_note=notes.append)
    executor = ingot.build(_model(text), "interp", cache=None, observer=observer).load()["m"]()
    assert [str(tensor) for tensor in executor.outputs] == [
        "y: float32[a:0 ∈ 1..64, 1]",
        "z: float32[b:0 ∈ 1..64, 2]",
    ]
    a, b = (
        np.random.default_rng(0).standard_normal(shape).astype(np.float32) for shape in ((19, 1), (10, 2))
    )
    y, z = executor.predict(a=a, b=b)
    np.testing.assert_array_equal(y, np.maximum(a, 0))
    np.testing.assert_array_equal(z, -b)


def test_a_name_that_dims_says_nothing_of_is_refused() -> None:
    with pytest.raises(ingot.ModelError, match=r"'b:0': 'a'.*a text is the name of another extent.*'a:0'"):
        ingot.build(_model(COLUMNS), "interp", dims={"a:0": range(1, 9), "b:0": "a"}, cache=None)


def test_a_leading_extent_that_cannot_be_a_range_is_refused_with_the_reason() -> None:
    text = "(float[N,N] x) => (float y) { y = Det(x) }"
    with pytest.raises(ingot.ModelError, match="N: axis 0 of input"):
        ingot.build(_model(text), "interp", cache=None)


def test_a_long_range_of_what_mixes_items_is_refused_with_the_node() -> None:
    with pytest.raises(
        ingot.ModelError, match=r"S.*determinant over axis 1 combines places.*the range has 64"
    ) as caught:
        ingot.build(_model(DETERMINANT), "interp", dims={"N": 1, "S": range(1, 65)}, cache=None)
    assert caught.value.facts["nodes"]


def test_a_size_that_an_exporter_baked_is_named() -> None:
    text = "(float[N,2,3] x) => (float[2,6] y) <int64[2] s = {2,6}> { y = Reshape(x, s) }"
    with pytest.raises(
        ingot.ModelError, match=r"(?s)cannot be built for N=\d+: .*Reshape.*do not fit the shape .2, 6."
    ):
        ingot.build(_model(text), "interp", dims={"N": range(2, 65)}, cache=None)


def test_an_unknown_extent_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ingot.ModelError, match=r"dims=.'batc': ….: no input has such an extent"):
        ingot.build(_model(ALONE["arithmetic"]), "interp", dims={"batc": range(1, 9), "N": 1}, cache=None)


def test_a_library_file_serves_the_range(tmp_path: Path) -> None:
    artifacts = ingot.build(_model(ALONE["products of rows"]), "c", dims={"N": range(1, 65)}, cache=None)
    artifacts.export_library(tmp_path / "m.so")
    model = _model(ALONE["products of rows"])
    with ingot.load(tmp_path / "m.so") as library:
        executor = library["m"](ingot.cpu(0))
        feeds = _feeds(model, {"N": 19})
        wanted = ReferenceEvaluator(model).run(None, feeds)[0]
        np.testing.assert_allclose(executor.predict(feeds), wanted, rtol=1e-5)


def test_a_saved_set_serves_the_range(tmp_path: Path) -> None:
    artifacts = ingot.build(_model(ALONE["arithmetic"]), "interp", dims={"N": range(1, 65)}, cache=None)
    artifacts.save(tmp_path / "m.ingot")
    executor = ingot.ArtifactSet.open(tmp_path / "m.ingot").load()["m"](ingot.cpu(0))
    assert executor.predict(x=np.ones((19, 4), np.float32)).shape == (19, 4)


def test_the_values_of_a_graph_executor_are_those_of_the_last_program() -> None:
    executor = _executor(ALONE["arithmetic"], {"N": range(1, 65)}, executor="graph")
    executor.predict(x=np.ones((9, 4), np.float32))
    assert [value.shape for value in executor.values().values()] == [(1, 4)]


def test_builds_of_a_range_are_byte_identical_and_kept(tmp_path: Path) -> None:
    models = [
        ingot.build(_model(ALONE["arithmetic"]), "c", dims={"N": range(1, 65)}, cache=folder)
        for folder in (None, tmp_path, tmp_path)
    ]
    assert models[0] == models[1] == models[2]


def test_equal_constants_of_programs_are_stored_once() -> None:
    text = ALONE["rows of tables"]
    single, many = (
        ingot.build(_model(text), "interp", dims={"N": size}, cache=None) for size in (1, [1, 3, 5])
    )
    size = [
        sum(len(each.content) for each in artifacts.select(loader="params")) for artifacts in (single, many)
    ]
    assert size[0] == size[1]


def test_items_that_share_bytes_get_a_program_for_each_size() -> None:
    text = "(int4[N,4] x) => (int4[N,4] y) { y = Identity(x) }"
    model = onnx.parser.parse_model(_HEADER.replace("18", "21") + text)
    artifacts = ingot.build(model, "interp", dims={"N": [1, 2]}, cache=None)
    assert [dim.outputs for dim in artifacts.models()["m"].dims] == [()]


def test_no_items_have_a_program_where_items_depend_on_each_other() -> None:
    text = "(float[N,4] x) => (float[N,4] y) { y = Softmax<axis=0>(x) }"
    for sizes in ([0, 5], range(6)):
        executor = _executor(text, {"N": sizes})
        assert executor.predict(x=np.zeros((0, 4), np.float32)).shape == (0, 4)
        np.testing.assert_allclose(executor.predict(x=np.zeros((5, 4), np.float32)), np.full((5, 4), 0.2))


def test_a_key_that_binds_no_extent_is_refused() -> None:
    with pytest.raises(ingot.ModelError, match="no extent varies by this key"):
        ingot.build(
            _model(ALONE["arithmetic"]), "interp", dims={"N": range(1, 9), "x:0": range(1, 5)}, cache=None
        )


def test_sizes_without_an_end_are_refused() -> None:
    with pytest.raises(ingot.ModelError, match="a list has at most 64 sizes"):
        ingot.build(_model(ALONE["arithmetic"]), "interp", dims={"N": itertools.count(1)}, cache=None)


def test_what_is_no_array_is_refused_with_the_extents_that_vary() -> None:
    executor = _executor(ALONE["arithmetic"], {"N": range(1, 9)})

    class Odd:
        shape = 7

    for value in (None, "text", Odd()):
        with pytest.raises(ingot.InputError, match=r"expected float32.N ∈ 1\.\.8, 4"):
            executor.predict(x=value)


def test_a_program_takes_no_more_than_its_share_of_items() -> None:
    items = DimInfo("N", 1, 64, 1, (), (("x", 0),), (("y", 0, 1),))
    length = DimInfo("S", 3, 5, 1, (3, 5), (("x", 1),))
    sizes = [(1, 3), (1, 5), (8, 3), (8, 5)]
    assert cycles_of_programs([items, length], sizes, [10, 40, 900, 300]) == [10, 40, 80, 300]


def test_an_item_whose_places_follow_from_another_extent_is_not_split() -> None:
    text = "(float[N,S,2] x) => (float[R,2] y) { w = Constant<value_ints=[-1,2]>() y = Reshape(x, w) }"
    executor = _executor(text, {"N": [2, 4], "S": [8, 16]})
    for count, length in ((2, 8), (4, 16), (2, 16)):
        assert executor.predict(x=np.zeros((count, length, 2), np.float32)).shape == (count * length, 2)
    with pytest.raises(ingot.InputError, match=r"N is 3 .* N ∈ \{2, 4\}"):
        executor.predict(x=np.zeros((3, 8, 2), np.float32))


def test_a_declaration_that_does_not_hold_is_told_once_where_an_extent_is_taken() -> None:
    notes: list[str] = []
    text = "(float[N,4] x) => (float[N,5] y) { y = Relu(x) }"
    ingot.build(_model(text), "interp", cache=None, observer=ingot.Observer(on_note=notes.append))
    assert len(notes) == len(set(notes))


def test_a_model_for_which_five_items_are_another_case_is_refused_with_the_node() -> None:
    text = (
        "(float[N,4] x) => (float[N,4] y) <int64 f = {5}> { s = Shape<start=0, end=1>(x) n = Squeeze(s) c = Equal(n, f)"
        " y = If (c) <then_branch = t () => (float[N,4] a) { a = Relu(x) },"
        " else_branch = e () => (float[N,4] b) { b = Neg(x) }> }"
    )
    with pytest.raises(ingot.ModelError, match=r"N .*Equal_2: it asks for the number of items.*--dim N=1"):
        ingot.build(_model(text), "interp", cache=None)
    x = -np.ones((5, 4), np.float32)
    each = _executor(text, {"N": [1, 5]})  # a program for each
    np.testing.assert_array_equal(each.predict(x=x), 0 * x)
    few = _executor(text, {"N": range(1, 5)})  # there are never five
    np.testing.assert_array_equal(few.predict(x=x[:3]), -x[:3])
