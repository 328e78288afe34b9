"""Text in models: what becomes steps of the border, what kernels compute, and what is refused."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import ingot
from ingot.artifact.model_info_json import info_to_json
from ingot.artifact.model_info_read import info_from_json
from ingot.base.errors import ArtifactError, InputError, ModelError, UnsupportedError
from tests.support.contrib import by_onnxruntime, contrib_node
from tests.support.models import model

ML = ', "ai.onnx.ml": 4'


def made(proto, target="interp", **options):
    return ingot.build(proto, target, name="g", cache=None, **options).load()["g"]


def text(*values, shape=None):
    return np.array(values, object).reshape(len(values) if shape is None else shape)


def one_node(op, inputs, outputs, **options):
    return contrib_node(op, inputs, outputs, domain=options.pop("domain", ""), **options)


CODES = """g (string[2, 2] x, float[2, 2] f) => (float[2, 2] y, string[2, 2] t) {
    n = ai.onnx.ml.LabelEncoder<keys_strings = ["a", "b"], values_floats = [1.0, 2.0], default_float = -1.0>(x)
    y = Mul(n, f) u = Cast<to = 8>(f) t = StringConcat(x, u)
}"""


@pytest.mark.parametrize("target", ["interp", "llvmjit", pytest.param("c", marks=pytest.mark.cc)])
def test_text_is_encoded_before_kernels_and_made_behind_them(target):
    run = made(model(CODES, opset=20, imports=ML), target)()
    f = np.array([[1, 2], [3, 0.5]], np.float32)
    for x in (text("a", "b", "c", "a", shape=(2, 2)), np.array([["a", "b"], ["c", "a"]])):
        y, t = run.predict(x=x, f=f)
        assert y.tolist() == [[1, 4], [-3, 0.5]]
        assert t.tolist() == [["a1.0", "b2.0"], ["c3.0", "a0.5"]] and t.dtype == object


def test_no_kernel_and_no_value_of_the_compiled_part_is_text():
    info = made(model(CODES, opset=20, imports=ML)).info
    assert [str(one) for one in info.inputs] == ["f: float32[2, 2]", "n: float32[2, 2]"]
    assert [str(one) for one in info.outputs] == ["y: float32[2, 2]"]
    assert str(info) == "g(x: text[2, 2], f: float32[2, 2]) -> (y: float32[2, 2], t: text[2, 2])"
    assert info_from_json(info_to_json(info)) == info


def test_an_executor_of_text_is_used_step_by_step_too():
    run = made(model(CODES, opset=20, imports=ML))(executor="aot")
    with pytest.raises(InputError, match="'x', 'f' was not set"):
        run.run()
    run.set_input(x=text("a", "a", "a", "b", shape=(2, 2)), f=np.ones((2, 2), np.float32))
    with pytest.raises(InputError, match="get_output before run"):
        run.get_output(0)
    run.run()
    assert run.get_output("y").tolist() == [[1, 1], [1, 2]] and run.get_output(-1)[0, 0] == "a1.0"
    with pytest.raises(InputError, match="has no output 'z'"):
        run.get_output("z")
    y, t = np.empty((2, 2), np.float32), np.empty((2, 2), object)
    run.predict({"x": text(*"bbbb", shape=(2, 2)), "f": np.ones((2, 2), np.float32)}, out=(y, t))
    assert y.tolist() == [[2, 2], [2, 2]] and t[1, 1] == "b1.0"
    assert run.profile(x=text(*"bbbb", shape=(2, 2)), f=y, repeat=1)


@pytest.mark.parametrize(
    ("x", "why"),
    [
        (["a"], "is a Python list; convert it"),
        (np.zeros((2, 2)), "has the dtype float64"),
        (text("a", 1, "b", "c", shape=(2, 2)), "has an element that is no str: 1"),
        (text("a", None, "b", "c", shape=(2, 2)), "has an element that is no str: None"),
        (text("a", "b"), r"has the shape \[2\]; expected text\[2, 2\]"),
    ],
)
def test_what_is_no_such_text_is_refused(x, why):
    with pytest.raises(InputError, match=why):
        made(model(CODES, opset=20, imports=ML))().predict(x=x, f=np.ones((2, 2), np.float32))


def test_names_that_are_wrong_are_said():
    run = made(model(CODES, opset=20, imports=ML))()
    with pytest.raises(InputError, match=r"has no input 'z'.*x: text\[2, 2\]"):
        run.predict(z=1)
    with pytest.raises(InputError, match=r"missing input x: text\[2, 2\]"):
        run.predict(f=np.ones((2, 2), np.float32))


# ─── operators ─────────────────────────────────────────────────────────────────────────────────────────────────────

WORDS = text("b", "x", "a", "b", shape=(2, 2))


@pytest.mark.parametrize(
    ("op", "given", "kind", "attributes"),
    [
        ("LabelEncoder", WORDS, object, {"keys_strings": ["a", "b", "a"], "values_strings": ["A", "B", "C"]}),
        ("LabelEncoder", np.array([1, 5]), object, {"keys_int64s": [1, 2], "values_strings": ["one", "two"]}),
        (
            "LabelEncoder",
            np.array([1, np.nan], np.float32),
            object,
            {"keys_floats": [1.0, np.nan], "values_strings": ["1", "n"]},
        ),
        (
            "LabelEncoder",
            WORDS,
            np.float32,
            {"keys_strings": ["a", "b"], "values_floats": [0.5, 2.0], "default_float": -1.0},
        ),
        ("OneHotEncoder", WORDS, np.float32, {"cats_strings": ["b", "a", "c"], "zeros": 1}),
        (
            "CategoryMapper",
            WORDS,
            np.int64,
            {"cats_strings": ["b", "a"], "cats_int64s": [7, 8], "default_int64": -5},
        ),
        (
            "CategoryMapper",
            np.array([7, 1]),
            object,
            {"cats_strings": ["b", "a"], "cats_int64s": [7, 8], "default_string": "no"},
        ),
    ],
)
def test_encoders_of_text_agree_with_onnxruntime(op, given, kind, attributes):
    version = {"LabelEncoder": 4, "OneHotEncoder": 1, "CategoryMapper": 1}[op]
    proto = one_node(op, {"x": given}, (kind,), domain="ai.onnx.ml", version=version, fed=["x"], **attributes)
    (expected,) = by_onnxruntime(proto, {"x": given})
    y = made(proto)().predict(x=given)
    assert y.tolist() == expected.tolist() and y.dtype == expected.dtype


def test_the_first_label_encoder_has_places_in_a_list():
    for x, expected in ((WORDS, [[1, -7], [0, 1]]), (np.array([1, 9]), ["b", "_Unused"])):
        kind = np.int64 if x.dtype == object else object
        attributes = {"classes_strings": ["a", "b"], "default_int64": -7}
        proto = one_node(
            "LabelEncoder", {"x": x}, (kind,), domain="ai.onnx.ml", version=1, fed=["x"], **attributes
        )
        assert made(proto)().predict(x=x).tolist() == expected


GRAMS = {
    "ngram_counts": [0, 3],
    "ngram_indexes": [4, 0, 2, 1, 3],
    "pool_strings": ["b", "a", "c", "a", "b", "b", "b"],
    "min_gram_length": 1,
    "max_gram_length": 2,
}


@pytest.mark.parametrize("mode", ["TF", "IDF", "TFIDF"])
@pytest.mark.parametrize("skips", [0, 2])
def test_n_grams_of_text_agree_with_onnxruntime(mode, skips):
    x = text(*"abbabxcb", shape=(2, 4))
    weights = [0.5, 2.0, 3.0, 4.0, 5.0]
    attributes = GRAMS | {"mode": mode, "max_skip_count": skips, "weights": weights}
    proto = one_node("TfIdfVectorizer", {"x": x}, (np.float32,), fed=["x"], **attributes)
    np.testing.assert_array_equal(made(proto)().predict(x=x), by_onnxruntime(proto, {"x": x})[0])


def test_n_grams_of_what_stop_words_leave_are_counted():
    body = """g (string[4] x) => (float[2] y) {
        w = StringNormalizer<case_change_action = "LOWER", stopwords = ["the"]>(x)
        y = TfIdfVectorizer<mode = "TF", ngram_counts = [0], ngram_indexes = [0, 1], pool_strings = ["cat", "dog"],
            min_gram_length = 1, max_gram_length = 1, max_skip_count = 0>(w)
    }"""
    run = made(model(body))()
    assert run.predict(x=text("The", "cat", "CAT", "dog")).tolist() == [2, 1]
    assert run.predict(x=text("cat", "cat", "cat", "cat")).tolist() == [4, 0]
    assert run.predict(x=text("the", "the", "The", "THE")).tolist() == [0, 0]


def test_text_is_moved_as_numbers_are():
    body = """g (string[2, 3] x, int64[2] which, bool[2, 1] c) => (string[a, b] y, string[p, q] z) <int64[1] rows = {6}> {
        t = Transpose(x) r = Reshape(t, rows) u = Unsqueeze(r, axes) p = Gather<axis = 1>(u, which)
        y = Concat<axis = 1>(p, p) z = Where(c, x, other)
    }"""
    proto = model(body)
    proto.graph.initializer.extend(
        [
            onnx.numpy_helper.from_array(np.array([0], np.int64), "axes"),
            helper.make_tensor("other", TensorProto.STRING, [1], [b"-"]),
        ]
    )
    x = text(*"abcdef", shape=(2, 3))
    y, z = made(proto)().predict(x=x, which=np.array([0, -2]), c=np.array([[True], [False]]))
    assert y.tolist() == [["a", "c", "a", "c"]] and z.tolist() == [["a", "b", "c"], ["-", "-", "-"]]


def test_an_index_beyond_the_text_is_refused():
    run = made(model("g (string[2] x, int64[1] i) => (string[1] y) { y = Gather(x, i) }"))()
    with pytest.raises(InputError, match="the step 'take' of 'x', 'i': index 2 is out of bounds"):
        run.predict(x=text("a", "b"), i=np.array([2]))


def test_text_that_is_no_number_is_refused():
    run = made(model("g (string[1] x) => (float[1] y) { n = Cast<to = 1>(x) y = Neg(n) }"))()
    assert run.predict(x=text("1.5")).tolist() == [-1.5]
    with pytest.raises(InputError, match="got the text 'one', expected a number"):
        run.predict(x=text("one"))


def test_text_that_depends_on_no_input_is_folded():
    body = """g (float[2] x) => (float[2] y, string[1] t, bool[1] m) {
        a = Constant<value_strings = ["1", "2"]>() b = Constant<value_strings = ["5"]>()
        c = StringConcat(a, b) n = Cast<to = 1>(c) y = Add(x, n) t = StringConcat(b, b) m = RegexFullMatch<pattern = "5+">(t)
    }"""
    factory = made(model(body, opset=20))
    y, t, m = factory().predict(x=np.zeros(2, np.float32))
    assert (y.tolist(), t.tolist(), m.tolist()) == ([15, 25], ["55"], [True])
    assert [step.op for step in factory.info.border.front] == [
        "constant",
        "same",
    ] and not factory.info.border.back


def test_a_bound_text_is_a_constant():
    proto = model(CODES, opset=20, imports=ML)
    run = made(proto, constants={"x": np.array([["a", "b"], ["c", "a"]])})()
    assert [port.name for port in run.inputs] == ["f"]
    assert run.predict(f=np.ones((2, 2), np.float32))[1].tolist() == [["a1.0", "b1.0"], ["c1.0", "a1.0"]]


@pytest.mark.parametrize(
    ("write", "why"),
    [
        (
            lambda made, _: made.c_header(),
            r"the step 'write' \(Cast to text\) that makes 'u': .*; let the program do that step",
        ),
        (
            lambda made, path: made.export_model_library_format(path),
            r"'write' \(Cast to text\).*begin with the codes of text",
        ),
        (
            lambda made, path: made.export_model_library_format(path, 7),
            "of archives only those of version 8 with 'aot' have",
        ),
        (
            lambda made, path: made.export_model_library_format(path, executor="graph"),
            "only those of version 8 with 'aot' have",
        ),
    ],
)
def test_what_c_programs_and_archives_cannot_do_is_refused_with_what_to_do(write, why, tmp_path):
    made = ingot.build(model(CODES, opset=20, imports=ML), "c", cache=None)
    with pytest.raises(ArtifactError, match=why):
        write(made, tmp_path / "g.tar")


# ─── what is refused ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "g (string[2] x, float[2] f) => (float[2] y) { s = Sin(f) t = Cast<to = 8>(s) n = Cast<to = 1>(t) y = Cos(n) }",
            r"Cos_3 .*its input 'n' is made at the border of the model by Cast_2 \(Cast\), which waits for numbers",
        ),
        (
            "g (string[2] x) => (string[4] y) <int64[1] r = {2}> { y = Tile(x, r) }",
            "no step at the border of a model for it",
        ),
        (
            "g (string[2] x) => (string[n, k] y, float[m, q] f) { y, l = StringSplit(x) n = Cast<to = 1>(y) f = Neg(n) }",
            "how many elements its output 'n' has depends on the content of text or of an image, and kernels read it",
        ),
        ('g (string[2] x) => (bool[2] y) { y = RegexFullMatch<pattern = "(?=a)">(x) }', "RE2 does not have"),
        ("g (string[2] x) => (bool[2] y) { y = Cast<to = 9>(x) }", "text is not read as bool"),
    ],
)
def test_what_cannot_be_done_at_the_border_is_refused_with_the_reason(body, why):
    with pytest.raises(UnsupportedError, match=why):
        made(model(body, opset=20))


def test_text_that_is_not_utf_8_is_refused():
    proto = model("g (float[1] x) => (float[1] y, string[1] t) { y = Neg(x) t = Identity(c) }")
    proto.graph.initializer.append(helper.make_tensor("c", TensorProto.STRING, [1], [b"\xff"]))
    with pytest.raises(ModelError, match="the text of tensor 'c' is not UTF-8"):
        made(proto)
