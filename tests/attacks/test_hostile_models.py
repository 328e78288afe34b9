"""Models that nobody should send: each is refused by an error of ingot's own, soon, and with little memory."""

from __future__ import annotations

import contextlib
import itertools
import os
import resource
import time

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from ingot.base.errors import InternalError, ModelError, UnsupportedError
from ingot.graph.lower import lower
from ingot.graph.passes.pipeline import Pass
from ingot.graph.passes.tidy.fold import fold_constants
from ingot.graph.passes.tidy.fold_budget import FoldBudget
from ingot.graph.passes.tidy.lists import lists_are_short
from ingot.graph.prepare import prepare, to_draft
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from tests.support.models import model

# What any of these may take on a busy machine; without their checks they take minutes, or for ever.
SECONDS = 10
RELU = "g (float[2] x) => (float[2] y) { y = Relu (x) }"


def refusal(source, kind, skip=()):
    begin = time.process_time()
    with pytest.raises(kind) as caught:
        lower(prepare(read_model(source), ALL, skip=skip), ALL)
    assert time.process_time() - begin < SECONDS
    return str(caught.value)


# ─── damage ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("word", ["alpha", "node", "LeakyRelu", "inside"])
def test_a_name_that_is_not_utf8_is_shown(word):
    text = "g (float[2] x) => (float[2] y) { [node] inside = LeakyRelu <alpha = 0.5> (x)  y = Relu (inside) }"
    content = model(text).SerializeToString()
    broken = content.replace(word.encode(), word[:1].encode() + b"\x93" + word[2:].encode(), 1)
    assert broken != content
    assert rf"is not UTF-8: b'{word[:1]}\x93" in refusal(broken, ModelError)


@pytest.mark.parametrize("field", ["float_data", "int32_data", "int64_data"])
def test_a_tensor_with_more_numbers_than_its_shape_has_is_refused(field):
    proto = model("g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add (x, w) }")
    getattr(proto.graph.initializer[0], field).append(3)
    assert "'w' of shape [2]" in refusal(proto.SerializeToString(), ModelError)


@pytest.mark.parametrize("kind", [0, 5, 99])
def test_an_attribute_of_another_type_than_it_says_is_refused(kind):
    proto = model("g (float[2] x) => (float[2] y) { y = Elu <alpha = 0.5> (x) }")
    content = proto.SerializeToString().replace(b"\xa0\x01\x01", b"\xa0\x01" + bytes([kind]), 1)
    refusal(content, ModelError)


def test_more_dimensions_than_an_array_has_are_refused():
    shape = ",".join("1" * 65)
    words = refusal(model(f"g (float[{shape}] x) => (float[{shape}] y) {{ y = Relu (x) }}"), UnsupportedError)
    assert "'x' has 65 dimensions, a tensor has at most 64" in words


# ─── files that are larger than what is in them ────────────────────────────────────────────────────────────────────


def sparse(path, begin, size):
    path.write_bytes(begin)
    os.truncate(path, size)
    return path


@pytest.mark.parametrize(
    "begin",
    [b"", model(RELU).SerializeToString(), model(RELU).SerializeToString() + b"\x3a\xf0\xff\xff\xff\x07"],
)
def test_a_sparse_model_file_is_refused_without_reading_it(tmp_path, begin):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refusal(sparse(tmp_path / "m.onnx", begin, (1 << 31) - 16), ModelError)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # KiB


def test_a_file_that_no_message_can_be_is_refused(tmp_path):
    assert "at most 2147483647" in refusal(sparse(tmp_path / "m.onnx", b"", 1 << 31), ModelError)


def test_a_pipe_is_no_model(tmp_path):
    os.mkfifo(tmp_path / "m.onnx")
    assert "is a pipe or the like" in refusal(tmp_path / "m.onnx", ModelError)


def external(folder, names, **entries):
    inputs = "".join(f", float[4] {name}" for name in names)
    sums = "  ".join(
        f"s{at} = Add ({'x' if not at else f's{at - 1}'}, {name})" for at, name in enumerate(names)
    )
    proto = model(f"g (float[4] x{inputs}) => (float[4] y) {{ {sums}  y = Identity (s{len(names) - 1}) }}")
    for name in names:
        tensor = onnx.TensorProto(name=name, dims=[4], data_type=1, data_location=onnx.TensorProto.EXTERNAL)
        for key, value in {"location": "w.bin", **entries}.items():
            tensor.external_data.add(key=key, value=str(value))
        proto.graph.initializer.append(tensor)
    (folder / "m.onnx").write_bytes(proto.SerializeToString())
    return folder / "m.onnx"


@pytest.mark.parametrize("entries", [{}, {"length": 1 << 31}])
def test_sparse_external_data_is_refused_without_reading_it(tmp_path, entries):
    sparse(tmp_path / "w.bin", b"", 1 << 31)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "expected 16 by its shape [4]" in refusal(external(tmp_path, ["w"], **entries), ModelError)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


def test_many_tensors_cannot_read_one_file_again_and_again(tmp_path):
    (tmp_path / "w.bin").write_bytes(bytes(16))
    read_model(external(tmp_path, [f"w{at}" for at in range(16)]))
    assert "more than 16 times" in refusal(external(tmp_path, [f"w{at}" for at in range(17)]), ModelError)


# ─── calls and loops ───────────────────────────────────────────────────────────────────────────────────────────────


def doubling_calls(levels, tail="y = Relu (x)"):
    functions = [f'<domain: "l", opset_import: ["" : 17]> f0 (x) => (y) {{ {tail} }}']
    functions += [
        f'<domain: "l", opset_import: ["" : 17, "l": 1]> f{at} (x) => (y) {{ t = l.f{at - 1} (x)  y = l.f{at - 1} (t) }}'
        for at in range(1, levels)
    ]
    graph = f"g (float[2] x) => (float[2] y) {{ y = l.f{levels - 1} (x) }}"
    return model(graph + "".join(functions), imports=', "l": 1')


def test_calls_that_stand_for_too_many_nodes_are_refused():
    assert "stand for 536870912 nodes" in refusal(doubling_calls(30), UnsupportedError)
    assert "more than 2^64 nodes" in refusal(doubling_calls(200), UnsupportedError)
    assert len(list(read_model(doubling_calls(5)).graph)) == 1


def test_functions_that_call_one_another_in_a_circle_are_refused():
    assert "calls itself" in refusal(doubling_calls(3, "y = l.f2 (x)"), ModelError)


def nest(levels, count):
    body = "d0 = Neg (c0)"
    for at in range(levels):
        inner = f"n{at} = Constant <value = int64 {{{count}}}> ()  " if at + 1 < levels else ""
        body = (
            f"{inner}d{at + 1} = Loop (n{at}, , c{at + 1}) <body = b{at} (int64 i{at}, bool on{at}, float[2] c{at}) => "
            f"(bool go{at}, float[2] d{at}) {{ go{at} = Identity (on{at})  {body} }}>"
        )
    top = levels - 1
    return model(
        f"g (float[2] x) => (float[2] y) <int64 n{top} = {{{count}}}> {{ c{levels} = Identity (x)  {body}  "
        f"y = Identity (d{levels}) }}"
    )


def test_the_counts_of_nested_loops_are_multiplied_before_anything_is_written_out():
    assert "iterations of 12755101 nodes each" in refusal(nest(5, 50), UnsupportedError, skip=["keep-loops"])
    assert sum(node.op_type == "Neg" for node in to_draft_nodes(nest(3, 4))) == 64


def to_draft_nodes(proto):
    return list(prepare(read_model(proto), ALL).graph)


def test_loops_and_calls_have_one_budget_of_nodes(monkeypatch):
    monkeypatch.setattr("ingot.graph.passes.order.NODES_MAX", 200)
    loop = (
        "n = Constant <value = int64 {20}> ()  y = Loop (n, , x) <body = b (int64 i, bool on, float[2] c) => "
    )
    loop += "(bool go, float[2] d) { go = Identity (on)  t = Neg (c)  d = Neg (t) }>"
    assert len(to_draft_nodes(doubling_calls(3, loop))) > 160
    words = refusal(doubling_calls(4, loop), UnsupportedError)
    assert "too much code" in words and "of which" in words


# ─── sizes that a few bytes ask for ────────────────────────────────────────────────────────────────────────────────


def doubled(levels, result, weight=""):
    lines = "  ".join(
        f"t{at} = Concat <axis = 0> ({f't{at - 1}' if at else 'x'}, {f't{at - 1}' if at else 'x'})"
        for at in range(levels)
    )
    head = (
        "g (float z) => (float y) <float[4] x = {1, 2, 3, 4}>"
        if weight
        else "g (float[4] x, float z) => (float y)"
    )
    return model(f"{head} {{ {lines}  s = {result} (t{levels - 1})  y = Add (s, z) }}", opset=18)


@pytest.mark.parametrize("weight", ["", "weight"])
@pytest.mark.parametrize("levels", [40, 60])
def test_a_list_that_doubles_is_refused_by_its_size(levels, weight):
    assert "a tensor has at most" in refusal(doubled(levels, "ReduceMax <keepdims = 0>", weight), ModelError)


def test_a_long_list_that_a_machine_can_hold_is_built_without_following_its_elements():
    assert not lists_are_short(onnx.shape_inference.infer_shapes(doubled(22, "ReduceMax <keepdims = 0>")))
    assert lists_are_short(onnx.shape_inference.infer_shapes(doubled(8, "ReduceMax <keepdims = 0>")))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    to_draft(read_model(doubled(22, "ReduceMax <keepdims = 0>")), ALL)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


@pytest.mark.parametrize(
    "text",
    [
        "g (float[1] x) => (float[N] y) <int64[1] s = {1099511627776}> { a = ConstantOfShape (s)  y = Add (x, a) }",
        "g (float[1] x) => (float[1] y) <int64 a = {0}, int64 b = {17179869184}, int64 c = {1}> "
        "{ r = Range (a, b, c)  f = Cast <to = 1> (r)  g = ReduceMax <keepdims = 0> (f)  y = Add (x, g) }",
        # Inference knows nothing of this count before folding does.
        "g (float[1] x) => (float[1] y) <int64 a = {0}, int64 b = {131072}, int64 c = {1}> "
        "{ e = Mul (b, b)  r = Range (a, e, c)  f = Cast <to = 1> (r)  g = ReduceMax <keepdims = 0> (f)  y = Add (x, g) }",
        "g (float[1] x) => (float[N] y) <int64 b = {1048576}, int64[1] m = {-1}> "
        "{ e = Mul (b, b)  s = Reshape (e, m)  a = ConstantOfShape (s)  y = Add (x, a) }",
    ],
)
def test_a_number_that_asks_for_more_than_memory_is_refused(text):
    words = refusal(model(text, opset=18), (ModelError, UnsupportedError))
    assert "a tensor has at most" in words or "a constant has at most" in words


def test_what_is_folded_is_bounded_for_the_whole_build(monkeypatch):
    monkeypatch.setattr("ingot.graph.passes.tidy.fold_budget.FOLDED_BYTES", 4 << 16)
    many = "  ".join(f"c{at} = ConstantOfShape (s)  y{at} = Add (x, c{at})" for at in range(8))
    outputs = ", ".join(f"float[16384] y{at}" for at in range(8))
    read = read_model(model(f"g (float[16384] x) => ({outputs}) <int64[1] s = {{16384}}> {{ {many} }}"))
    fold_constants(read, budget=FoldBudget(read))
    assert sum(value.const_value.nbytes for value in read.graph.initializers.values()) == (4 << 16) + 8
    assert sum(node.op_type == "ConstantOfShape" for node in read.graph) == 4  # which the library computes


@pytest.mark.parametrize(
    ("equation", "shapes", "count"),
    [
        ("ij,jk->ik", [(2, 3), (3, 5)], 30),
        ("abc,def,ghi->", [(9, 9, 9)] * 3, 9**9),
        ("...ij,...jk->...ik", [(7, 2, 3), (7, 3, 5)], 210),
    ],
)
def test_what_an_einsum_looks_at_is_counted(equation, shapes, count):
    node = ir.Node("", "Einsum", [], [ir.AttrString("equation", equation)])
    budget = FoldBudget(ir.from_proto(model(RELU)))
    budget.operations_left = count
    arrays = [np.zeros(shape, np.float32) for shape in shapes]
    assert budget.take_operations(node, arrays, 1) and budget.operations_left == 0
    assert not budget.take_operations(node, arrays, 1)


def test_text_that_doubles_is_not_followed():
    names = ["x", *(f"t{at}" for at in range(60))]
    lines = "  ".join(f"{made} = StringConcat ({name}, {name})" for name, made in itertools.pairwise(names))
    proto = model(f"g (float[1] z) => (string[1] t59, float[1] y) {{ {lines}  y = Neg (z) }}", opset=20)
    proto.graph.initializer.append(onnx.helper.make_tensor("x", onnx.TensorProto.STRING, [1], [b"ab"]))
    begin = time.process_time()
    with contextlib.suppress(ModelError, UnsupportedError):
        to_draft(read_model(proto), ALL)
    assert time.process_time() - begin < SECONDS


def test_an_expression_that_takes_for_ever_is_not_tried_while_building():
    proto = model('g (string[1] x) => (bool[1] y) { y = RegexFullMatch <pattern = "(a+)+b"> (x) }', opset=20)
    proto.graph.initializer.append(onnx.helper.make_tensor("x", onnx.TensorProto.STRING, [1], [b"a" * 64]))
    begin = time.process_time()
    with contextlib.suppress(ModelError, UnsupportedError):
        to_draft(read_model(proto), ALL)
    assert time.process_time() - begin < SECONDS


def test_an_input_without_a_type_is_named():
    proto = model("g (float[2] x) => (float[2] y) { y = Relu (x) }")
    proto.graph.input[0].ClearField("type")
    assert "input 'x' has no type" in refusal(proto, ModelError)
    proto.graph.input[0].type.tensor_type.shape.dim.add(dim_value=2)
    assert "input 'x' has no element type" in refusal(proto, ModelError)


def test_an_operator_that_reads_a_type_blindly_is_refused_where_there_is_none():
    text = "g (float[2] x) => (int64[2] y) { s = my.Text (x)  "
    text += 'y = ai.onnx.ml.LabelEncoder <keys_strings = ["a"], values_int64s = [1]> (s) }'
    proto = model(text, imports=', "ai.onnx.ml": 4, "my": 1')
    assert "the type of its input 's' is not known" in refusal(proto, ModelError)


def test_a_condition_that_computes_more_and_more_is_not_followed():
    text = """g (float[2] x) => (float[2] y) <float[1] s = {1}, float most = {2}, bool on = {1}> {
        y, t = Loop (, on, x, s) <body = b (int64 i, bool c, float[2] v, float[n] a) => (bool go, float[2] w, float[m] d) {
            w = Neg (v)  d = Concat <axis = 0> (a, a)  e = ReduceMax <keepdims = 0> (d)  go = Less (e, most) }>
    }"""
    assert "may be of any size" in refusal(model(text), UnsupportedError)


@pytest.mark.parametrize("error", [KeyError("x"), RecursionError("deep"), AssertionError()])
def test_what_nobody_expects_from_a_pass_is_a_defect_of_ingots_own(monkeypatch, error):
    def fail(_model):
        raise error

    monkeypatch.setattr("ingot.graph.prepare.IMPROVING", (Pass("fail-at-once", "fails", fail),))
    words = refusal(model(RELU), InternalError)
    assert "a defect of ingot's own" in words and "the pass fail-at-once" in words


@pytest.mark.parametrize("kind", ["sparse_tensor", "seq"])
def test_an_operator_that_reads_a_type_blindly_is_refused_over_what_is_no_tensor(kind):
    proto = model('g (string[1] x) => (bool[1] y) { y = RegexFullMatch <pattern = "a"> (x) }', opset=20)
    shown = proto.graph.input[0].type
    if kind == "seq":
        shown.sequence_type.elem_type.tensor_type.elem_type = onnx.TensorProto.STRING
    else:
        shown.sparse_tensor_type.elem_type = onnx.TensorProto.STRING
    refusal(proto, (ModelError, UnsupportedError))


def test_an_input_that_is_a_sparse_tensor_is_refused_before_onnx_reads_it():
    proto = model("g (float[4,5] x) => (float[4,5] y) { y = EyeLike <dtype = 1> (x) }")
    proto.graph.input[0].type.sparse_tensor_type.elem_type = 0
    assert "input 'x' is a sparse_tensor" in refusal(proto, UnsupportedError)
