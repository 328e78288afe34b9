"""Maps as inputs: dicts in Python, and a tensor of their keys behind them."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import ingot
from ingot.artifact.model_info_json import info_to_json
from ingot.artifact.model_info_read import info_from_json
from ingot.base.errors import ArtifactError, InputError, UnsupportedError
from ingot.graph.evaluate.reference import run_reference
from tests.support.contrib import by_onnxruntime


def of_map(nodes, key=TensorProto.STRING, value=TensorProto.FLOAT, kinds=(TensorProto.FLOAT,)):
    """A model with the map `x`, and outputs `y0`, … of its nodes, which are of ai.onnx.ml."""
    given = onnx.ValueInfoProto(name="x")
    given.type.map_type.key_type = key
    given.type.map_type.value_type.CopyFrom(helper.make_tensor_type_proto(value, None))
    made = [
        helper.make_node(op, ["x"], [f"y{at}"], domain="ai.onnx.ml", **each)
        for at, (op, each) in enumerate(nodes)
    ]
    outputs = [helper.make_tensor_value_info(f"y{at}", kind, None) for at, kind in enumerate(kinds)]
    graph = helper.make_graph(made, "g", [given], outputs)
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def vectorizer(*keys, **options):
    return of_map([("DictVectorizer", {"string_vocabulary": keys})], **options)


def factory(proto):
    return ingot.build(proto, "interp", name="g", cache=None).load()["g"]


KEYS = {"a": 1.0, "zz": 3.0, "d": 2.0}


def test_a_dict_becomes_the_columns_of_the_vocabulary():
    proto = vectorizer("a", "b", "c", "d")
    run = factory(proto)()
    assert run.predict(x=KEYS).tolist() == [[1, 0, 0, 2]] == by_onnxruntime(proto, {"x": KEYS})[0].tolist()
    assert run.predict(x={}).tolist() == [[0, 0, 0, 0]]
    assert run.predict(x={"b": 2, "c": np.float64(1.5), "d": np.int8(3), "a": True}).tolist() == [
        [1, 2, 1.5, 3]
    ]
    assert [str(one) for one in run.inputs] == ["x: 1 map of 4 labels"]


def test_numbers_are_keys_and_whole_numbers_are_values():
    proto = of_map(
        [("DictVectorizer", {"int64_vocabulary": [7, -1]})],
        TensorProto.INT64,
        TensorProto.INT64,
        [TensorProto.INT64],
    )
    assert factory(proto)().predict(x={-1: 2**60, 7: 3}).tolist() == [[3, 2**60]]
    with pytest.raises(InputError, match=r"for the key 7 what is no int64: 1\.5"):
        factory(proto)().predict(x={7: 1.5})


def test_two_readers_take_their_own_keys():
    nodes = [("DictVectorizer", {"string_vocabulary": keys}) for keys in (["a", "b"], ["c", "a"])]
    proto = of_map(nodes, kinds=[TensorProto.FLOAT] * 2)
    first, second = factory(proto)().predict(x={"a": 1, "b": 2, "c": 3})
    assert (first.tolist(), second.tolist()) == ([[1, 2]], [[3, 1]])


@pytest.mark.parametrize(("cast", "kind"), [("TO_FLOAT", TensorProto.FLOAT), ("TO_INT64", TensorProto.INT64)])
def test_a_sparse_cast_has_a_column_for_each_number(cast, kind):
    node = ("CastMap", {"map_form": "SPARSE", "max_map": 5, "cast_to": cast})
    proto, given = of_map([node], TensorProto.INT64, kinds=[kind]), {3: 1.5, 1: 2.5, 9: 1.0}
    ours, (theirs,) = factory(proto)().predict(x=given), by_onnxruntime(proto, {"x": given})
    assert ours.tolist() == theirs.tolist() and ours.dtype == theirs.dtype


def test_without_maps_the_tensor_is_given():
    run = factory(vectorizer("a", "b"))(maps=False)
    assert run.predict(x=np.array([[1, 2]], np.float32)).tolist() == [[1, 2]]
    run = factory(vectorizer("a", "b"))()
    run.set_input(x={"b": 4})
    run.run()
    assert run.get_output(0).tolist() == [[0, 4]]


def test_onnxruntime_gets_the_tensor_of_a_map_as_a_dict(tmp_path):
    onnx.save(vectorizer("a", "b"), tmp_path / "m.onnx")
    _, found = run_reference(tmp_path / "m.onnx", {"x": np.array([[1, 2]], np.float32)})
    assert found["y0"].tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([1.0, 2.0], "'x' is a list; give a dict; expected 1 map of 2 labels"),
        ({"a": "1"}, "for the key 'a' what is no float32: '1'"),
        ({"b": None}, "for the key 'b' what is no float32: None"),
        ({"b": [1.0]}, r"for the key 'b' what is no float32: \[1.0\]"),
        ({"b": 1j}, "for the key 'b' what is no float32: 1j"),
    ],
)
def test_what_is_no_such_map_is_refused(given, why):
    with pytest.raises(InputError, match=why):
        factory(vectorizer("a", "b"))().predict(x=given)


@pytest.mark.parametrize(
    ("proto", "why"),
    [
        (of_map([("DictVectorizer", {})]), "its string_vocabulary has 0 keys"),
        (of_map([("DictVectorizer", {"string_vocabulary": [1.5]})]), "its string_vocabulary has 0 keys"),
        (vectorizer("a", value=TensorProto.STRING), "no float, double or int64"),
        (of_map([("CastMap", {})], TensorProto.INT64), "map_form is DENSE"),
        (of_map([("CastMap", {"map_form": "SPARSE"})]), "keys of its map are text"),
        (
            of_map([("CastMap", {"map_form": "SPARSE", "cast_to": "TO_STRING"})], TensorProto.INT64),
            "cast_to is 'TO_STRING'",
        ),
        (of_map([("CastMap", {"map_form": "SPARSE", "max_map": 0})], TensorProto.INT64), "max_map is 0"),
        (of_map([("Scaler", {})]), "which only DictVectorizer and CastMap take"),
    ],
)
def test_maps_that_nothing_says_the_keys_of_are_refused(proto, why):
    with pytest.raises(UnsupportedError, match=f"model 'g': node .*{why}"):
        factory(proto)


def test_a_few_nodes_do_not_make_more_keys_than_there_may_be():
    node = ("CastMap", {"map_form": "SPARSE", "max_map": 1 << 19})
    with pytest.raises(UnsupportedError, match=r"CastMap_2 .*max_map is 524288, expected 1 to 0"):
        factory(of_map([node] * 3, TensorProto.INT64, kinds=[TensorProto.FLOAT] * 3))


def test_maps_are_read_as_they_were_written_and_have_one_row():
    info = ingot.build(vectorizer("a", "b"), "interp", name="g", cache=None).models()["g"]
    text = info_to_json(info)
    assert info_from_json(text) == info
    changed = text.replace(b'"shape":[1,2]', b'"shape":[2,2]')
    assert changed != text
    with pytest.raises(ArtifactError):
        info_from_json(changed)
