"""Models that begin with onnxruntime's `Tokenizer`, as exports of scikit-learn's vectorizers do."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import ingot
from ingot.artifact.model_info_json import info_to_json
from ingot.artifact.model_info_read import info_from_json
from ingot.base.errors import ArtifactError, InputError, UnsupportedError
from tests.support.contrib import by_onnxruntime, contrib_node
from tests.support.models import model

DOCUMENTS = ["This is the first document.", "Is this the second one? A B, a b!", ""]
# What scikit-learn's CountVectorizer(token_pattern="[a-z]+") says of them, and TfidfVectorizer of the same.
WORDS = ["a", "b", "document", "first", "is", "one", "second", "the", "this"]
COUNTS = [[0, 0, 1, 1, 1, 0, 0, 1, 1], [2, 2, 0, 0, 1, 1, 1, 1, 1], [0] * 9]
IDF = np.log(4 / (1 + np.array([1, 1, 1, 1, 2, 1, 1, 2, 2]))) + 1


def vectorizer(tail=(), outputs=(("y", (9,)),), weights=(), **attributes):
    """The nodes that skl2onnx writes, with others behind them."""
    given = {"mark": 0, "mincharnum": 1, "pad_value": "#", "tokenexp": "[a-zA-Z0-9_]+", **attributes}
    nodes = [
        helper.make_node("Reshape", ["x", "flat"], ["f"]),
        helper.make_node("StringNormalizer", ["f"], ["n"], case_change_action="LOWER", is_case_sensitive=0, locale="C"),
        helper.make_node("Tokenizer", ["n"], ["t"], domain="com.microsoft", **{k: v for k, v in given.items() if v is not None}),
        helper.make_node("Flatten", ["t"], ["r"]),
        helper.make_node(
            "TfIdfVectorizer", ["r"], ["counts" if tail else "y"],
            max_gram_length=1, max_skip_count=0, min_gram_length=1, mode="TF", ngram_counts=[0],
            ngram_indexes=list(range(9)), pool_strings=WORDS, weights=[1.0] * 9,
        ),
        *tail,
    ]  # fmt: skip
    made = [helper.make_tensor_value_info(name, TensorProto.FLOAT, (None, *shape)) for name, shape in outputs]
    inputs = [helper.make_tensor_value_info("x", TensorProto.STRING, (None, 1))]
    flat = helper.make_tensor("flat", TensorProto.INT64, [1], [-1])
    graph = helper.make_graph(nodes, "g", inputs, made, [flat, *weights])
    imports = [helper.make_opsetid(*one) for one in (("", 18), ("ai.onnx.ml", 1), ("com.microsoft", 1))]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def built(proto, target="interp", rows=3):
    return ingot.build(proto, target, name="g", dims={"x:0": rows}, cache=None)


def predicted(proto, documents=DOCUMENTS):
    return built(proto, rows=len(documents)).load()["g"]().predict(x=column(documents))


def column(documents):
    return np.array(documents, object).reshape(-1, 1)


@pytest.mark.parametrize(
    "options", [{}, {"tokenexp": r"\b[a-z]+\b"}, {"tokenexp": None, "separators": ["[ .,!?]+"]}]
)
def test_words_are_counted_as_by_scikit_learn(options):
    assert predicted(vectorizer(**options)).tolist() == COUNTS


def test_weighted_and_normalised_counts_are_those_of_scikit_learn():
    tail = [
        helper.make_node("Mul", ["counts", "idf"], ["w"]),
        helper.make_node("Normalizer", ["w"], ["y"], domain="ai.onnx.ml", norm="L2"),
    ]
    proto = vectorizer(tail, weights=[helper.make_tensor("idf", TensorProto.FLOAT, [9], IDF)])
    weighted = np.array(COUNTS) * IDF
    expected = weighted / np.maximum(np.linalg.norm(weighted, axis=1, keepdims=True), 1e-30)
    np.testing.assert_allclose(predicted(proto), expected, rtol=1e-6)


def test_the_same_executor_takes_documents_of_any_length():
    run = built(vectorizer(), "llvmjit", rows=1).load()["g"]()
    for document, expected in zip(DOCUMENTS, COUNTS, strict=True):
        assert run.predict(x=column([document])).tolist() == [expected]
    assert run.predict(x=column(["is " * 5000])).tolist() == [[0, 0, 0, 0, 5000, 0, 0, 0, 0]]


@pytest.mark.parametrize(
    "attributes",
    [
        {"tokenexp": "[a-z]+", "mark": 1},
        {"tokenexp": ".", "pad_value": ""},
        {"separators": [""], "mark": 1},
        {"separators": [" ", "[.!]"], "mincharnum": 2},
    ],
)
def test_tokens_agree_with_onnxruntime(attributes):
    x = np.array([["a bé. c!", "dd e"], ["", "this is it"]], object)
    given = {"mark": 0, "mincharnum": 1, "pad_value": "#", **attributes}
    proto = contrib_node("Tokenizer", {"x": x}, (object,), fed=["x"], **given)
    library = ingot.build(proto, "interp", name="g", cache=None).load()
    got, (theirs,) = library["g"]().predict(x=x), by_onnxruntime(proto, {"x": x})
    assert got.tolist() == theirs.tolist() and library["g"].info.border.outputs[0].shape == (2, 2, -1)


def test_steps_of_tokens_and_counts_are_read_as_they_were_written():
    info = built(vectorizer()).models()["g"]
    assert info_from_json(info_to_json(info)) == info
    assert [step.op for step in info.border.front] == ["reshape", "normalize", "tokenize", "reshape", "count"]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"lengths":[1,1]', '"lengths":[1]', "has 1 numbers, expected 2"),
        ('"columns":[0,', '"columns":[1,', "one column for each n-gram, none twice"),
        ('"least_letters":1', '"least_letters":0', "least_letters"),
        ('"pattern":"[a-zA-Z0-9_]+"', '"pattern":"("', r"\(tokenize\) a '\(' without"),
        ('"words":["a",', '"words":[', "one column for each n-gram"),
    ],
)
def test_steps_that_were_changed_are_refused(old, new, why):
    text = info_to_json(built(vectorizer()).models()["g"]).decode()
    assert old in text
    with pytest.raises(ArtifactError, match=why):
        info_from_json(text.replace(old, new).encode())


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ({"tokenexp": None}, "expected separators or an expression of tokens, got neither"),
        ({"tokenexp": "(?=a)"}, "RE2 does not have"),
        ({"mincharnum": 0}, "mincharnum=0 is not supported"),
    ],
)
def test_tokenizers_that_are_none_are_refused(attributes, why):
    with pytest.raises(UnsupportedError, match=f"Tokenizer.*{why}"):
        built(vectorizer(**attributes))


@pytest.mark.parametrize(("count", "steps"), [(4, ["constant"]), (400, ["constant", "tokenize"])])
def test_patterns_are_not_matched_with_much_text_while_building(count, steps):
    body = """g (float[1] x) => (float[1] z, string[1, n] y) {{
        z = Neg(x) t = Constant<value_strings = ["{}"]>()
        y = com.microsoft.Tokenizer<mark = 0, mincharnum = 1, pad_value = "", tokenexp = "a+">(t)
    }}"""
    proto = model(body.format("aa b" * count), opset=20, imports=', "com.microsoft": 1')
    library = ingot.build(proto, "interp", name="g", cache=None).load()
    assert [step.op for step in library["g"].info.border.front if step.op != "same"] == steps
    assert library["g"]().predict(x=np.zeros(1, np.float32))[1].tolist() == [["aa"] * count]


def test_an_input_that_is_no_text_is_refused_at_the_call():
    with pytest.raises(InputError, match="'x' has the dtype float64"):
        built(vectorizer(), rows=1).load()["g"]().predict(x=np.zeros((1, 1)))


def test_the_model_is_not_changed():
    proto = vectorizer()
    before = onnx.ModelProto.FromString(proto.SerializeToString())
    built(proto)
    assert proto == before
