"""Bad models and bad arguments: the type of the error and the words that tell who reads it what to do."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.numpy_helper
import onnx_ir as ir
import pytest

from ingot.base.errors import ModelError, UnsupportedError
from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from tests.support.draft_eval import evaluate_draft
from tests.support.models import model

RELU = "g (float[2] x) => (float[2] y) { y = Relu(x) }"


def save_external(folder, location="w.bin", content=b"\0" * 8, make=True, **entries):
    proto = model("g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }")
    tensor = proto.graph.initializer[0]
    tensor.ClearField("float_data")
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=str(value))
    if make:
        (folder / "w.bin").write_bytes(content)
    (folder / "m.onnx").write_bytes(proto.SerializeToString())
    return folder / "m.onnx"


def own_weights() -> onnx.ModelProto:
    proto = model("g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }")
    proto.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(np.array([5, 6], np.float32), "w"))
    return proto


@pytest.mark.parametrize("source", ["path", "str", "bytes", "proto", "ir"])
def test_a_model_comes_from_a_path_from_bytes_or_from_memory(tmp_path, source):
    proto = model(RELU)
    path = tmp_path / "my-net.onnx"
    path.write_bytes(proto.SerializeToString())
    given = {
        "path": path,
        "str": str(path),
        "bytes": path.read_bytes(),
        "proto": proto,
        "ir": ir.from_proto(proto),
    }[source]
    assert read_model(given).graph.name == ("my_net" if source in ("path", "str") else "g")


def test_reading_does_not_change_what_was_given():
    proto = model("g (float[n] x, float[2] w) => (float[n] y) { y = Relu(x) }")
    before = proto.SerializeToString()
    read_model(proto, dims={"n": 2}, constants={"w": np.zeros(2, np.float32)})
    assert proto.SerializeToString() == before


LOOP = """g (float[2] x) => (float[2] y) <int64 n = {2}> {
    y = Loop <body = b (int64 i, bool c, float[2] s) => (bool go, float[2] t) <bool yes = {1}> {
        go = Identity(yes)  t = Sin(s)
    }>(n, , x)
}"""
BRANCH = """g (float[2] x, bool c) => (float[2] y) <float[2] v = {1, 2}> {
    y = If (c) <then_branch = a () => (float[2] s) <float[2] w = {3, 4}> { s = Add(x, w) }, else_branch = b () => (float[2] t) {
        w = Constant<value = float[2] {5, 6}>()  u = Mul(v, w)  t = Sub(x, u)
    }>
}"""


@pytest.mark.parametrize("text", [LOOP, BRANCH], ids=["a loop", "a branch"])
def test_a_model_in_memory_may_be_built_again(text):
    proto = model(text)
    before = proto.SerializeToString()
    to_draft(read_model(proto), ALL)
    assert proto.SerializeToString() == before


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"PK\x03\x04" + b"0" * 99, bytes(range(256)), b"\x08\x08"]
)
def test_what_is_no_onnx_file_is_refused(content):
    with pytest.raises(ModelError, match=r"not an ONNX model|is empty"):
        read_model(content)


def test_every_truncation_of_a_model_is_refused():
    content = model(
        "g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }"
    ).SerializeToString()
    for length in range(len(content)):
        with pytest.raises(ModelError):
            read_model(content[:length])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"nowhere\.onnx.*no such file"):
        read_model(tmp_path / "nowhere.onnx")


def test_external_data_is_read_from_the_models_folder(tmp_path):
    path = save_external(tmp_path, content=np.array([0, 5, 6], np.float32).tobytes(), offset=4, length=8)
    assert read_model(path).graph.initializers["w"].const_value.numpy().tolist() == [5, 6]


@pytest.mark.parametrize("offset", [0, 3, 4])
def test_large_external_data_stays_in_its_file(tmp_path, monkeypatch, offset):
    monkeypatch.setattr("ingot.graph.read.source.WEIGHT_FROM_BYTES", 8)
    path = save_external(
        tmp_path, content=b"\0" * offset + np.array([5, 6], np.float32).tobytes(), offset=offset, length=8
    )
    read = read_model(path)
    tensor = read.graph.initializers["w"].const_value
    assert tensor.numpy().tolist() == [5, 6]
    assert tensor.numpy() is not tensor.numpy()
    (result,) = evaluate_draft(to_draft(read, ALL), {"x": np.array([1, 2], np.float32)})
    assert result.tolist() == [6, 8]


@pytest.mark.parametrize("source", ["path", "bytes"])
def test_large_weights_stay_in_the_model_itself(tmp_path, monkeypatch, source):
    monkeypatch.setattr("ingot.graph.read.source.WEIGHT_FROM_BYTES", 8)
    path = tmp_path / "m.onnx"
    onnx.save(own_weights(), path)
    read = read_model(path if source == "path" else path.read_bytes())
    tensor = read.graph.initializers["w"].const_value
    assert isinstance(tensor, ir.LazyTensor) and tensor.numpy().tolist() == [5, 6]
    (result,) = evaluate_draft(to_draft(read, ALL), {"x": np.array([1, 2], np.float32)})
    assert result.tolist() == [6, 8]


def test_readings_of_the_same_bytes_share_their_weights():
    proto = model("g (float[32768] x) => (float[32768] y) { y = Add(x, w) }")
    proto.graph.initializer.append(onnx.numpy_helper.from_array(np.arange(32768, dtype=np.float32), "w"))
    content = proto.SerializeToString()
    first, second = (read_model(content).graph.initializers["w"].const_value for _ in range(2))
    assert np.shares_memory(first.numpy(), second.numpy())


@pytest.mark.parametrize("cut", [0, 4, 7])
@pytest.mark.parametrize("where", ["beside", "inside"])
def test_a_file_that_is_cut_short_while_its_weights_are_read_is_named(tmp_path, monkeypatch, where, cut):
    monkeypatch.setattr("ingot.graph.read.source.WEIGHT_FROM_BYTES", 8)
    path = tmp_path / "m.onnx"
    if where == "beside":
        path = save_external(tmp_path)
    else:
        onnx.save(own_weights(), path)
    read = read_model(path)
    with (tmp_path / ("w.bin" if where == "beside" else "m.onnx")).open("r+b") as file:
        file.truncate(cut)
    with pytest.raises(ModelError, match="was changed while the model was built"):
        to_draft(read, ALL)


def test_a_large_weight_of_another_length_than_its_shape_says_is_refused(monkeypatch):
    monkeypatch.setattr("ingot.graph.read.source.WEIGHT_FROM_BYTES", 8)
    proto = own_weights()
    proto.graph.initializer[0].raw_data += b"1234"
    with pytest.raises(ModelError, match=r"'w' of shape \[2\] has 12 bytes, expected 8"):
        read_model(proto.SerializeToString())


@pytest.mark.parametrize("location", ["/etc/passwd", "../w.bin", "a/../../w.bin", "..\\w.bin", ""])
def test_external_data_outside_the_models_folder_is_refused(tmp_path, location):
    with pytest.raises(ModelError, match=r"'w'.*outside the model's folder") as caught:
        read_model(save_external(tmp_path, location))
    assert caught.value.facts == {"tensor": "w", "path": location}


def test_missing_external_data_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"'w' in 'w\.bin' is missing"):
        read_model(save_external(tmp_path, make=False))


def test_external_data_in_a_file_that_can_have_no_such_name_is_named(tmp_path):
    with pytest.raises(
        ModelError, match=r"external data of tensor 'w' .* cannot be read: File name too long"
    ):
        read_model(save_external(tmp_path, location="a" * 300))


def test_external_data_that_is_a_symbolic_link_is_refused(tmp_path):
    (tmp_path / "real.bin").write_bytes(b"\0" * 8)
    (tmp_path / "w.bin").symlink_to(tmp_path / "real.bin")
    with pytest.raises(ModelError, match="symbolic link"):
        read_model(save_external(tmp_path, make=False))


def test_external_data_below_a_linked_folder_is_refused(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "w.bin").write_bytes(b"\0" * 8)
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    with pytest.raises(ModelError, match="symbolic link"):
        read_model(save_external(tmp_path, "linked/w.bin", make=False))


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"offset": 4}, "has 4 bytes, expected 8"),
        ({"offset": 4, "length": 8}, "truncated"),
        ({"offset": "x"}, "must be numbers"),
        ({"offset": -4}, "truncated"),
    ],
)
def test_damaged_external_data_is_refused(tmp_path, entries, words):
    with pytest.raises(ModelError, match=words):
        read_model(save_external(tmp_path, **entries))


def test_external_data_needs_a_path(tmp_path):
    with pytest.raises(ModelError, match="give its path"):
        read_model(save_external(tmp_path).read_bytes())


@pytest.mark.parametrize("opset", [0, 99])
def test_an_opset_outside_the_range_says_the_range(opset):
    with pytest.raises(
        UnsupportedError, match=f"opset {opset} .*opsets 1 to {onnx.defs.onnx_opset_version()}"
    ):
        read_model(model(RELU, opset=opset))


@pytest.mark.parametrize("opset", [1, 7, onnx.defs.onnx_opset_version()])
def test_both_ends_of_the_range_of_opsets_are_read(opset):
    read_model(model(RELU, opset=opset))


def test_a_domain_that_is_not_imported_is_named():
    with pytest.raises(ModelError, match=r"domains 'my\.domain', which it does not import"):
        read_model(model("g (float[2] x) => (float[2] y) { y = my.domain.Foo(x) }"))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("g (float[2,3] x, float[4,5] w) => (float[2,5] y) { y = MatMul(x, w) }", "node name: MatMul_0"),
        ("g (float[2] x) => (int64[2] y) { y = Relu(x) }", "contradict"),
        ("g (float[2] x, float[3] w) => (float[3] y) { y = Add(x, w) }", "Incompatible dimensions"),
    ],
)
def test_contradictory_shapes_name_the_node(body, words):
    with pytest.raises(ModelError, match=words):
        read_model(model(body))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("g (float[2] x) => (float[2] y) { y = Relu(x) y = Relu(x) }", "both write 'y'"),
        ("g (float[2] x) => (float[2] y) { x = Relu(x) y = Relu(x) }", "which is an input"),
        ("g (float[2] x) => (float[2] y) { y = Relu(z) z = Relu(y) }", "before it is computed"),
        ("g (float[2] x) => (float[2] y) { y = Relu(xx) }", "nothing computes; did you mean 'x'"),
        ("g (float[2] x) => (float[2] z) { y = Relu(x) }", "output 'z' is not computed"),
        (
            "g (float[2] x, float[2] x) => (float[2] y) { y = Relu(x) }",
            "several of the graph's inputs have the name 'x'",
        ),
        ("g (float[2] x) => (float[2] y) { y = Add(x) }", "Add_0.*input size 1"),
        ("g (float[2] x) => (float[2] y) { y = Relu<alpha = 1>(x) }", "Relu_0.*alpha"),
    ],
)
def test_a_graph_that_breaks_onnx_rules_is_refused(body, words):
    with pytest.raises(ModelError, match=words):
        read_model(model(body))


def test_a_value_without_a_name_is_refused():
    proto = model(RELU)
    proto.graph.input.add(name="")
    with pytest.raises(ModelError, match="one of the graph's inputs has no name"):
        read_model(proto)


def test_nodes_without_a_name_are_named_by_operator_and_position():
    read = read_model(model("g (float[2] x) => (float[2] y) { z = Relu(x) y = Exp(z) }"))
    assert [node.name for node in read.graph] == ["Relu_0", "Exp_1"]


def test_nodes_of_one_name_get_different_names():
    proto = model("g (float[2] x) => (float[2] y) { z = Relu(x) w = Relu(z) y = Exp(w) }")
    for node, name in zip(proto.graph.node, ["a", "a", ""], strict=True):
        node.name = name
    assert [node.name for node in read_model(proto).graph] == ["a", "a_1", "Exp_2"]


def test_huge_extents_are_refused():
    with pytest.raises(ModelError, match=r"'x' of shape .* a tensor has at most"):
        read_model(model("g (float[99999999999, 99999] x) => (float[99999999999, 99999] y) { y = Relu(x) }"))


def test_a_huge_intermediate_value_is_refused():
    body = "g (float[9999999,1] x, float[1,9999999] w) => (float[9999999,9999999] y) { y = MatMul(x, w) }"
    with pytest.raises(ModelError, match=r"'y'.*at most"):
        read_model(model(body))


def test_a_constant_that_no_memory_holds_is_refused():
    body = (
        "g (float[1] x) => (y) <int64[2] s = {999999999, 999999999}> { z = ConstantOfShape(s) y = Add(x, z) }"
    )
    with pytest.raises(ModelError, match="at most"):
        to_draft(read_model(model(body)), ALL)


def test_a_weight_with_a_negative_extent_is_refused():
    proto = model("g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }")
    proto.graph.initializer[0].dims[0] = -2
    with pytest.raises(ModelError, match=r"tensor 'w' has a negative extent: \[-2\]"):
        read_model(proto)


def test_a_tensor_of_other_length_than_its_shape_is_refused():
    proto = model("g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }")
    proto.graph.initializer[0].ClearField("float_data")
    proto.graph.initializer[0].raw_data = b"\0" * 7
    with pytest.raises(ModelError, match=r"'w' of shape \[2\] has 7 bytes, expected 8"):
        read_model(proto)


def test_empty_tensors_pass_through():
    draft = to_draft(read_model(model("g (float[0,3] x) => (float[0,3] y) { y = Relu(x) }")), ALL)
    assert evaluate_draft(draft, {"x": np.zeros((0, 3), np.float32)})[0].shape == (0, 3)


def test_unbound_extents_are_all_listed_with_what_to_give():
    body = "g (float[n, ?] x, float[m] w, float[n] v) => (float[n] y) { y = Relu(v) }"
    with pytest.raises(ModelError) as caught:
        read_model(model(body))
    assert "dims={'n': 1, 'x:1': 1, 'm': 1}" in str(caught.value)
    assert caught.value.facts["unbound"] == ("n", "x:1", "m")


def test_dims_bind_by_symbol_or_by_place():
    read = read_model(model("g (float[n, ?] x) => (float[n, k] y) { y = Relu(x) }"), dims={"n": 2, "x:1": 3})
    assert read.graph.outputs[0].shape == (2, 3)


@pytest.mark.parametrize(
    ("dims", "words"),
    [
        ({"m": 2}, "no input has such an extent"),
        ({"n": 0.5}, "whole number"),
        ({"n": -1}, "not below zero"),
        ({"n": True}, "whole number"),
    ],
)
def test_dims_that_bind_nothing_are_refused(dims, words):
    with pytest.raises(ModelError, match=words):
        read_model(model("g (float[n] x) => (float[n] y) { y = Relu(x) }"), dims={"n": 1} | dims)


def test_a_bound_input_is_an_input_no_longer():
    body = "g (float[2, 3] x, int64[k] s) => (float[a, b] y) { y = Reshape(x, s) }"
    draft = to_draft(read_model(model(body), constants={"s": np.array([3, 2])}), ALL)
    assert draft.inputs == ("x",)
    assert draft.types[draft.outputs[0]].shape == (3, 2)


def test_a_bound_input_binds_the_symbols_of_its_shape():
    read = read_model(
        model("g (float[n] x, float[n] w) => (float[n] y) { y = Add(x, w) }"),
        constants={"w": np.ones(4, np.float32)},
    )
    assert read.graph.inputs[0].shape == (4,)


def test_dims_do_not_contradict_what_a_constant_decides():
    proto = model("g (float[n] x, float[n] w) => (float[n] y) { y = Add(x, w) }")
    constants = {"w": np.ones(3, np.float32)}
    with pytest.raises(ModelError, match=r"dims=\{'n': 1\}: n is 3 by constants=\{'w': …\}; leave it out"):
        read_model(proto, constants=constants, dims={"n": 1})
    assert read_model(proto, constants=constants, dims={"n": 3}).graph.inputs[0].shape == (3,)
    assert read_model(proto, constants=constants, dims={"x:0": 1}).graph.inputs[0].shape == (1,)


@pytest.mark.parametrize(
    ("constants", "words"),
    [
        ({"xx": np.zeros(2, np.float32)}, "no such input; did you mean 'x'"),
        ({"x": np.zeros(3, np.float32)}, r"got the shape \[3\]"),
        ({"x": np.zeros((2, 1), np.float32)}, r"got the shape \[2, 1\]"),
        ({"x": np.zeros(2)}, "got float64, the input is float"),
    ],
)
def test_constants_that_do_not_fit_are_refused(constants, words):
    with pytest.raises(ModelError, match=words):
        read_model(model(RELU), constants=constants)


def test_an_initializer_that_is_also_an_input_is_a_constant_unless_overridden():
    proto = model("g (float[2] x, float[2] w) => (float[2] y) { y = Add(x, w) }")
    proto.graph.initializer.append(onnx.numpy_helper.from_array(np.array([1, 2], np.float32), "w"))
    assert [value.name for value in read_model(proto).graph.inputs] == ["x"]
    read = read_model(proto, constants={"w": np.array([5, 6], np.float32)})
    assert read.graph.initializers["w"].const_value.numpy().tolist() == [5, 6]


@pytest.mark.parametrize("name", ["my-net", "_net", "1net", "", "模型", 5, b"net"])
def test_a_name_that_is_no_c_identifier_is_refused(name):
    with pytest.raises(ModelError, match="C identifier"):
        read_model(model(RELU), name=name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("net", "net"),
        ("my net (1)", "my_net__1_"),
        ("3d", "m_3d"),
        ("_x", "m_x"),
        ("__3d_", "m_3d_"),
        ("模型", "model"),
        ("模型-v2", "m_v2"),
        ("", "model"),
        ("_", "model"),
    ],
)
def test_the_name_of_a_model_begins_with_a_letter(tmp_path, text, name):
    proto = model(RELU)
    proto.graph.name = text
    assert read_model(proto).graph.name == name
    if text:
        path = tmp_path / f"{text}.onnx"
        path.write_bytes(proto.SerializeToString())
        assert read_model(path).graph.name == name


@pytest.mark.parametrize("given", ["x", 3, ["n"], {3: 1}])
@pytest.mark.parametrize("what", ["dims", "constants"])
def test_what_is_no_mapping_from_names_is_refused(what, given):
    with pytest.raises(
        ModelError, match=rf"{what}=.*: expected a mapping from names .*, got (the key )?[a-z0-9]+$"
    ):
        read_model(model(RELU), **{what: given})


@pytest.mark.parametrize("given", [[[1], [2, 3]], object(), "ab", None])
def test_a_constant_that_is_no_array_is_refused(given):
    with pytest.raises(ModelError, match=r"constants=\{'x': …\}"):
        read_model(model(RELU), constants={"x": given})


def test_an_attribute_that_is_no_text_is_refused():
    proto = model(
        'g (float[1,1,4] x) => (float[1,1,3] y) { y = MaxPool<kernel_shape = [2], auto_pad = "VALID">(x) }'
    )
    next(one for one in proto.graph.node[0].attribute if one.name == "auto_pad").s = b"\xff"
    with pytest.raises(
        ModelError, match=r"node .*MaxPool.*: its attribute 'auto_pad' is no UTF-8 text: b'\\xff'"
    ):
        read_model(proto)


def test_a_type_that_there_is_not_is_refused():
    proto = model("g (float[2] x) => (y) { z = Constant<value = float {1}>() y = QuantizeLinear(x, z) }")
    proto.graph.input[0].type.tensor_type.elem_type = 0
    with pytest.raises(ModelError, match="input 'x' has no element type"):
        read_model(proto)


def test_lists_of_nothing_are_known_and_stay_inputs():
    text = "g (float[2,3] x, int64[0] a) => (float[1,1] y) { y = ReduceSum<keepdims = 1>(x, a) }"
    read = read_model(model(text))
    assert [value.name for value in read.graph.inputs] == ["x", "a"]
    assert read.graph[0].inputs[1].const_value.numpy().shape == (0,)
