"""Models with text, sequences or maps whose extents vary: the answers are those of a build for that very size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import ingot
from tests.support.models import model

_IMPORTS = ', "ai.onnx.ml": 4, "com.microsoft": 1'
_CLASSIFIER = (
    "coefficients = [1.0, 2.0, 3.0, -1.0, 0.5, 2.0], intercepts = [0.1, 0.2], multi_class = 1, post_transform = "
    '"SOFTMAX"'
)
# What the text of a graph is, and an input of n rows.
Case = tuple[str, Callable[[np.random.Generator, int], dict[str, Any]]]


def _text(random: np.random.Generator, *shape: int) -> np.ndarray:
    return random.choice(np.array(["red", "Blue", "größer", ""], object), shape)


def _floats(random: np.random.Generator, *shape: int) -> np.ndarray:
    return random.standard_normal(shape, np.float32)


# A pipeline: columns of text become numbers beside others, a product gives the class, and its label is text again.
PIPELINE = """g (string[N, 1] colour, string[N] maker, float[N, 2] size) => (string[N] kind, float[N, 2] sums, int64[N] code)
<string[2] kinds = {"apple", "plum"}, float[5, 2] weights = {1, 0, 0, 1, 1, 0, 0.5, 0, 0, 0.5}> {
    known = ai.onnx.ml.OneHotEncoder<cats_strings = ["red", "Blue", "green"]>(colour)
    flat = Flatten(known)
    columns = Concat<axis = 1>(flat, size)
    sums = MatMul(columns, weights)
    best = ArgMax<axis = 1, keepdims = 0>(sums)
    kind = Gather(kinds, best)
    code = ai.onnx.ml.LabelEncoder<keys_strings = ["red", "größer"], values_int64s = [7, 8], default_int64 = -5>(maker)
}"""
CASES: dict[str, Case] = {
    "a pipeline with columns of text and a label": (
        PIPELINE,
        lambda random, n: {
            "colour": _text(random, n, 1),
            "maker": _text(random, n),
            "size": _floats(random, n, 2),
        },
    ),
    "a map of labels for each row": (
        "g (float[N,3] x) => (string[N] label, seq(map(string,float)) p) {"
        f' label, scores = ai.onnx.ml.LinearClassifier<classlabels_strings = ["a", "b"], {_CLASSIFIER}>(x)'
        ' p = ai.onnx.ml.ZipMap<classlabels_strings = ["a", "b"]>(scores) }',
        lambda random, n: {"x": _floats(random, n, 3)},
    ),
    "a map of numbers for each row": (
        "g (float[N,3] x) => (int64[N] label, seq(map(int64,float)) p) {"
        f" label, scores = ai.onnx.ml.LinearClassifier<classlabels_ints = [3, 7], {_CLASSIFIER}>(x)"
        " p = ai.onnx.ml.ZipMap<classlabels_int64s = [3, 7]>(scores) }",
        lambda random, n: {"x": _floats(random, n, 3)},
    ),
    "words that are counted": (
        "g (string[N] x) => (float[N,2] y) <float[3,2] w = {1, 2, 3, 4, 5, 6}> {"
        ' words = com.microsoft.Tokenizer<mark = 0, pad_value = "#", mincharnum = 1, separators = [" "]>(x)'
        ' counts = TfIdfVectorizer<mode = "TF", min_gram_length = 1, max_gram_length = 1, max_skip_count = 0,'
        ' ngram_counts = [0], ngram_indexes = [0, 1, 2], pool_strings = ["a", "b", "c"]>(words)'
        " y = MatMul(counts, w) }",
        lambda random, n: {"x": random.choice(np.array(["a b", "c c a", "b", "d"], object), n)},
    ),
    "text of text": (
        'g (string[N] x) => (string[N] y) { y = StringNormalizer<case_change_action = "LOWER">(x) }',
        lambda random, n: {"x": _text(random, n)},
    ),
    "numbers as text": (
        "g (float[N,3] x) => (string[N,3] y) { z = Neg(x) y = Cast<to = 8>(z) }",
        lambda random, n: {"x": _floats(random, n, 3)},
    ),
    "columns side by side": (
        "g (string[N,1] x, string[N,1] z) => (string[N,2] y) { y = Concat<axis = 1>(x, z) }",
        lambda random, n: {"x": _text(random, n, 1), "z": _text(random, n, 1)},
    ),
    "rows one behind the other": (
        "g (string[N,2] x) => (string[M] y) { s = Constant<value_ints = [-1]>() y = Reshape(x, s) }",
        lambda random, n: {"x": _text(random, n, 2)},
    ),
    "text that is repeated": (
        "g (string[N,1] x) => (string[N,3] y) { n = Shape<start = 0, end = 1>(x) k = Constant<value_ints = [3]>()"
        " s = Concat<axis = 0>(n, k) y = Expand(x, s) }",
        lambda random, n: {"x": _text(random, n, 1)},
    ),
    "a sequence of arrays": (
        "g (float[N,2] x) => (seq(float[N,2]) s) { z = Neg(x) s = SequenceConstruct(x, z) }",
        lambda random, n: {"x": _floats(random, n, 2)},
    ),
}


def _proto(text: str) -> onnx.ModelProto:
    return model(text, opset=18, ir_version=10, imports=_IMPORTS)


def _artifacts(text: str, dims: dict[str, Any], target: str = "interp") -> ingot.ArtifactSet:
    return ingot.build(_proto(text), target, name="m", dims=dims, cache=None)


def _assert_same(given: Any, expected: Any) -> None:
    if isinstance(expected, (tuple, list)):
        assert len(given) == len(expected)
        for mine, its in zip(given, expected, strict=True):
            _assert_same(mine, its)
    elif isinstance(expected, dict):
        assert given.keys() == expected.keys()
        np.testing.assert_allclose(list(given.values()), list(expected.values()), rtol=1e-6)
    elif expected.dtype == object:
        assert given.shape == expected.shape and given.tolist() == expected.tolist()
    else:
        assert given.shape == expected.shape and given.dtype == expected.dtype
        np.testing.assert_allclose(given, expected, rtol=1e-6)


@pytest.mark.parametrize("case", CASES)
def test_any_number_of_rows_has_the_answers_of_a_build_for_it(case: str) -> None:
    text, rows = CASES[case]
    executor = _artifacts(text, {"N": range(1, 65)}).load()["m"]()
    for count in (1, 2, 9, 19):
        feeds = rows(np.random.default_rng(count), count)
        expected = _artifacts(text, {"N": count}).load()["m"]().predict(feeds)
        _assert_same(executor.predict(feeds), expected)
        executor.set_input(feeds)
        executor.run()
        _assert_same(executor.get_output(0), expected[0] if isinstance(expected, tuple) else expected)


def test_elements_of_a_sequence_have_the_extent_of_the_model() -> None:
    text = (
        "g (seq(float[N,2]) s) => (float[N,2] y) { i = Constant<value_int = 0>() j = Constant<value_int = 1>()"
        " a = SequenceAt(s, i) b = SequenceAt(s, j) y = Sub(a, b) }"
    )
    executor = _artifacts(text, {"N": range(1, 65), "s:length": 2}).load()["m"]()
    assert str(executor.inputs[0]) == "s: sequence(float32[N ∈ 1..64, 2], float32[N ∈ 1..64, 2])"
    x, z = np.random.default_rng(0).standard_normal((2, 11, 2), np.float32)
    np.testing.assert_array_equal(executor.predict(s=[x, z]), x - z)
    with pytest.raises(ingot.InputError, match=r"N is 11 in axis 0 of 's\[0\]' and 3 in axis 0 of 's\[1\]'"):
        executor.predict(s=[x, z[:3]])


def test_ends_show_what_varies() -> None:
    info = _artifacts(PIPELINE, {"N": range(1, 65)}).models()["m"]
    assert str(info) == (
        "m(colour: text[N ∈ 1..64, 1], maker: text[N ∈ 1..64], size: float32[N ∈ 1..64, 2])"
        " -> (kind: text[N ∈ 1..64], sums: float32[N ∈ 1..64, 2], code: int64[N ∈ 1..64])"
    )
    maps = _artifacts(CASES["a map of labels for each row"][0], {"N": range(1, 65)}).load()["m"]
    assert str(maps().outputs[1]) == "p: N ∈ 1..64 maps of 2 labels"
    assert str(maps(maps=False).outputs[1]) == "p: float32[N ∈ 1..64, 2]"


def test_a_list_of_sizes_is_good_for_any_number_of_rows() -> None:
    for case in ("a pipeline with columns of text and a label", "text of text"):
        text, rows = CASES[case]
        executor = _artifacts(text, {"N": [1, 4]}).load()["m"]()
        feeds = rows(np.random.default_rng(0), 70)
        expected = _artifacts(text, {"N": 70}).load()["m"]().predict(feeds)
        _assert_same(executor.predict(feeds), expected)


def test_what_mixes_rows_gets_a_program_for_each_size() -> None:
    text = (
        'g (string[N] x) => (string[N] y, float[N] z) <string[2] words = {"low", "high"}> {'
        ' floats = ai.onnx.ml.LabelEncoder<keys_strings = ["red", "Blue"], values_floats = [1.0, 2.0]>(x)'
        " z = Softmax<axis = 0>(floats) c = Constant<value = float {0.3}>() over = Greater(z, c)"
        " at = Cast<to = 7>(over) y = Gather(words, at) }"
    )
    artifacts = _artifacts(text, {"N": [1, 2, 3]})
    assert [program.sizes for program in artifacts.models()["m"].programs] == [(1,), (2,), (3,)]
    executor = artifacts.load()["m"]()
    for count in (1, 2, 3):
        feeds = {"x": np.array(["red", "Blue", "red"][:count], object)}
        _assert_same(executor.predict(feeds), _artifacts(text, {"N": count}).load()["m"]().predict(feeds))
    with pytest.raises(ingot.InputError, match=r"N is 4 in axis 0 of 'x'; .* N ∈ \{1, 2, 3\}"):
        executor.predict(x=np.array(["red"] * 4, object))


def test_leading_extents_that_nobody_mentions_are_ranges() -> None:
    notes: list[str] = []
    observer = ingot.Observer(on_note=notes.append)
    ingot.build(_proto(PIPELINE), "interp", name="m", cache=None, observer=observer)
    assert notes == ["model 'm': N may be 1..64; say other sizes by dims= or --dim N=…"]


def test_rows_that_the_library_is_not_for_are_refused_with_extent_value_and_range() -> None:
    executor = _artifacts(PIPELINE, {"N": range(1, 9)}).load()["m"]()
    rows = CASES["a pipeline with columns of text and a label"][1]
    good = rows(np.random.default_rng(0), 2)
    more = rows(np.random.default_rng(0), 9)
    bad: list[tuple[dict[str, Any], str]] = [
        (more, r"N is 9 in axis 0 of 'colour'; the library was built for N ∈ 1\.\.8"),
        ({**good, "maker": more["maker"]}, "N is 2 in axis 0 of 'colour' and 9 in axis 0 of 'maker'"),
        (
            {**good, "colour": more["maker"][:2]},
            r"'colour' has the shape \[2\]; expected text\[N ∈ 1\.\.8, 1\]",
        ),
        (
            {**good, "size": np.zeros((2, 3), np.float32)},
            r"'size' has the shape \[2, 3\]; expected float32\[N ∈",
        ),
        ({**good, "size": [[1.0], [1.0, 2.0]]}, "'size' is a list of lists of different lengths"),
        ({**good, "size": None}, "'size' is a Python NoneType"),
    ]
    for feeds, why in bad:
        with pytest.raises(ingot.InputError, match=why):
            executor.predict(feeds)
    assert executor.predict({**good, "size": good["size"].tolist()})[0].shape == (2,)


def test_outputs_of_any_number_of_rows_are_written_where_the_caller_wants_them() -> None:
    executor = _artifacts(PIPELINE, {"N": range(1, 65)}).load()["m"]()
    rows = CASES["a pipeline with columns of text and a label"][1]
    for count in (2, 11):
        feeds = rows(np.random.default_rng(count), count)
        expected = executor.predict(feeds)
        out = (np.empty(count, object), np.empty((count, 2), np.float32), np.empty(count, np.int64))
        executor.predict(feeds, out=out)
        _assert_same(out, expected)
        with pytest.raises(ingot.InputError, match="no writeable array of objects of the shape"):
            executor.predict(feeds, out=(np.empty(count + 1, object), *out[1:]))


def test_what_the_host_does_in_another_way_for_other_sizes_is_refused() -> None:
    text = (
        "g (string[N] x) => (string[K] y) { none = Constant<value_ints = [0]>() one = Constant<value_ints = [1]>()"
        " n = Shape(x) last = Sub(n, one) y = Slice(x, none, last, none) }"
    )
    why = "N cannot vary: a number of 'y' follows from sizes in a way that is not known: 0 for N=1, 7 for N=8"
    with pytest.raises(ingot.UnsupportedError, match=why):
        _artifacts(text, {"N": range(1, 65)})


def test_a_library_and_a_saved_set_serve_any_number_of_rows(tmp_path: Path) -> None:
    text, rows = CASES["a pipeline with columns of text and a label"]
    artifacts = _artifacts(text, {"N": range(1, 65)}, "c")
    artifacts.export_library(tmp_path / "m.so")
    artifacts.save(tmp_path / "m.ingot")
    feeds = rows(np.random.default_rng(0), 13)
    expected = artifacts.load()["m"]().predict(feeds)
    for name in ("m.so", "m.ingot"):
        with ingot.load(tmp_path / name) as library:
            _assert_same(library["m"]().predict(feeds), expected)


def test_the_c_interface_says_which_step_is_for_one_shape_only() -> None:
    artifacts = _artifacts(PIPELINE, {"N": range(1, 65)}, "c")
    with pytest.raises(
        ingot.ArtifactError,
        match=r"for one shape only, such as the step 'table' of 'colour', and N ∈ 1\.\.64 varies",
    ):
        artifacts.c_header()


def test_programs_for_better_processors_have_the_same_ends() -> None:
    text, rows = CASES["a pipeline with columns of text and a label"]
    artifacts = _artifacts(text, {"N": range(1, 65)}, "llvm -mcpu=x86-64-v2,x86-64-v3")
    feeds = rows(np.random.default_rng(0), 13)
    try:
        executor = artifacts.load()["m"]()
    except ingot.LoadError:
        pytest.skip("for x86-64")
    _assert_same(executor.predict(feeds), _artifacts(text, {"N": 13}).load()["m"]().predict(feeds))
