"""What a model declares wrongly of itself: what is computed holds, with a sentence, and strictly it is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.helper
import onnx.parser
import pytest

import ingot
from ingot.base.errors import ModelError, UnsupportedError
from ingot.graph.read.declared import SENTENCES_MAX

LOOSE = {
    "a rank": (
        "(float[1,1,6] x) => (float[1,n] y) <int64[3] s = {2,1,3}> { y = Reshape(x, s) }",
        "output 'y' is declared as [1, ?]",
    ),
    "an extent": (
        "(float[2,3] x) => (float[2,4] y) { y = Relu(x) }",
        r"declared as [2, 4] and is computed as [2, 3]",
    ),
    "an inner value": (
        "(float[2,3] x) => (float[2,3] y) <float[9,9] t> { t = Relu(x) y = Neg(t) }",
        "value 't' is declared as [9, 9]",
    ),
    "what depends on shapes": (
        "(float[2,3] x) => (float[3,9] y) <int64[1] k = {3}, int64[2] t> "
        "{ s = Shape(x) a = Gather(s, k0) l = Unsqueeze(a, z) t = Concat<axis = 0>(k, l) y = Reshape(x, t) }",
        "output 'y' is declared as [3, 9] and is computed as [3, 2]",
    ),
    "in a branch": (
        "(float[2] x) => (float[5] y) <bool c = {1}> "
        "{ y = If(c) <then_branch = t () => (float[7] p) { p = Neg(x) }, else_branch = e () => (float[7] q) { q = Relu(x) }> }",
        "output 'y' is declared as [5] and is computed as [2]",
    ),
    "of another domain": (
        "(float[2,3] x) => (float[4,3] y) { y = com.microsoft.QuickGelu<alpha = 1.0>(x) }",
        "output 'y' is declared as [4, 3] and is computed as [2, 3]",
    ),
}


def model(body: str, opset: int = 17) -> onnx.ModelProto:
    text = f'<ir_version: 8, opset_import: ["": {opset}, "com.microsoft": 1]> g {body}'
    made = onnx.parser.parse_model(text)
    for name in ("k0", "z"):
        made.graph.initializer.append(
            onnx.helper.make_tensor(name, onnx.TensorProto.INT64, [] if name == "k0" else [1], [0])
        )
    return made


def built(proto: onnx.ModelProto, **how: object) -> tuple[ingot.ArtifactSet, list[str]]:
    told: list[str] = []
    artifacts = ingot.build(proto, "interp", name="g", observer=ingot.Observer(on_note=told.append), **how)  # type: ignore[arg-type]
    return artifacts, told


@pytest.mark.parametrize("kind", LOOSE)
def test_a_declared_shape_that_is_not_the_computed_one_is_told_and_does_not_count(kind: str) -> None:
    body, words = LOOSE[kind]
    artifacts, told = built(model(body))
    assert [words in one for one in told] == [True]
    executor = artifacts.load()["g"]()
    shape = executor.inputs[0].shape
    y = executor.predict(x=np.ones(shape, np.float32))
    assert isinstance(y, np.ndarray)
    assert y.shape == executor.outputs[0].shape
    assert y.size == np.prod(shape)


@pytest.mark.parametrize("kind", LOOSE)
def test_strictly_a_declaration_that_does_not_hold_is_refused(kind: str) -> None:
    body, words = LOOSE[kind]
    with pytest.raises(ModelError, match="it declares what does not hold") as caught:
        built(model(body), strict=True)
    assert words in caught.value.message


def test_a_model_that_declares_what_holds_is_told_nothing_and_built_strictly() -> None:
    assert (
        built(
            model("(float[2,3] x) => (float[2,3] y) <float[2,3] t> { t = Relu(x) y = Neg(t) }"), strict=True
        )[1]
        == []
    )


def test_without_a_listener_each_sentence_is_a_warning_of_its_own_type() -> None:
    with pytest.warns(ingot.ModelWarning, match="output 'y' is declared as"):
        ingot.build(model(LOOSE["an extent"][0]), "interp")


def test_ten_sentences_are_told_and_the_others_counted() -> None:
    names = [f"y{number}" for number in range(SENTENCES_MAX + 3)]
    outputs = ", ".join(f"float[9] {name}" for name in names)
    nodes = " ".join(f"{name} = Relu(x)" for name in names)
    told = built(model(f"(float[2] x) => ({outputs}) {{ {nodes} }}"))[1]
    assert len(told) == SENTENCES_MAX + 1
    assert told[-1].endswith("3 more declarations do not hold")


def test_a_negative_extent_is_one_that_is_not_known() -> None:
    proto = model("(float[N,3] x) => (float[M,3] y) { y = Relu(x) }")
    for value in (proto.graph.input[0], proto.graph.output[0]):
        value.type.tensor_type.shape.dim[0].dim_value = -1
    told = built(proto)[1]
    assert told[-1] == "model 'g': x:0 may be 1..64; say other sizes by dims= or --dim x:0=…"
    artifacts, told = built(proto, dims={"x:0": 2})
    assert artifacts.load()["g"]().outputs[0].shape == (2, 3)
    assert "input 'x' declares the extent -1 at axis 0" in told[0]


def test_an_extent_of_zero_may_be_bound_and_is_zero_otherwise() -> None:
    proto = model("(float[0,3] x) => (float[0,3] y) { y = Relu(x) }")
    assert built(proto)[0].load()["g"]().outputs[0].shape == (0, 3)
    artifacts, told = built(proto, dims={"x:0": 2})
    assert artifacts.load()["g"]().outputs[0].shape == (2, 3)
    assert "output 'y' is declared as [0, 3]" in told[-1]


@pytest.mark.parametrize("spelled", ["", "ai.onnx"])
def test_of_two_imports_of_a_domain_the_last_one_counts(spelled: str) -> None:
    proto = model("(float[2,2] x) => (float[2] y) { y = ReduceSum<axes = [1], keepdims = 0>(x) }", 17)
    proto.opset_import.append(onnx.helper.make_opsetid(spelled, 11))
    artifacts, told = built(proto)
    assert "versions 17 and 11 of the domain" in told[0]
    assert artifacts.load()["g"]().predict(x=np.ones((2, 2), np.float32)).tolist() == [2, 2]


def test_an_output_that_is_listed_twice_is_given_once() -> None:
    proto = model(
        "(float[2] x) => (float[2] y, float[2] n, float[2] u) { y = Relu(x) n = Neg(x) u = Abs(x) }"
    )
    proto.graph.output[2].name = "y"
    artifacts, told = built(proto)
    executor = artifacts.load()["g"]()
    assert [one.name for one in executor.outputs] == ["y", "n"]
    assert [one.tolist() for one in executor.predict(x=np.array([-1, 2], np.float32))] == [[0, 2], [1, -2]]
    assert told == ["model 'g': the output 'y' is listed more than once; it is given once"]


SPELLED_OUT = """<ir_version: 8, opset_import: ["ai.onnx": 17, "f": 1]>
g (float[2] x, bool c) => (float[2] y) {
    a = f.twice (x)
    y = ai.onnx.If (c) <then_branch = t () => (float[2] p) { p = ai.onnx.Neg (a) },
        else_branch = e () => (float[2] q) { q = ai.onnx.Abs (a) }>
}
<domain: "f", opset_import: ["ai.onnx": 17]> twice (v) => (w) { w = ai.onnx.Add (v, v) }"""


def test_the_domain_of_onnx_may_be_spelled_out_everywhere() -> None:
    """ONNX's inference knows the empty domain only."""
    executor = built(onnx.parser.parse_model(SPELLED_OUT))[0].load()["g"]()
    x = np.array([-1, 2], np.float32)
    assert executor.predict(x=x, c=np.array(True)).tolist() == [2, -4]
    assert executor.predict(x=x, c=np.array(False)).tolist() == [2, 4]


@pytest.mark.parametrize("version", [3, 4, 14])
def test_an_ir_version_that_does_not_fit_the_opset_is_read(version: int) -> None:
    proto = model("(float[2] x) => (float[2] y) { y = Relu(x) }")
    proto.ir_version = version
    assert built(proto)[0].load()["g"]().predict(x=np.array([-1, 2], np.float32)).tolist() == [0, 2]


def test_a_declared_rank_alone_tells_nothing_more() -> None:
    """It was believed again and again."""
    with pytest.raises(UnsupportedError, match="TopK"):
        built(model("(float[1,8] x, int64[1] k) => (float[1,n] v, int64[1,n] i) { v, i = TopK(x, k) }"))


def test_where_nothing_else_tells_a_shape_the_declared_one_is_believed() -> None:
    """The shape of the Reshape is an input: only what the model declares says what the Transpose behind it gives."""
    proto = model(
        "(float[2,6] x, int64[2] s) => (float[n,m] y) <float[3,4] t> { t = Reshape(x, s) y = Transpose(t) }"
    )
    artifacts, told = built(proto)
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    y = artifacts.load()["g"]().predict(x=x, s=np.array([3, 4]))
    np.testing.assert_array_equal(y, x.reshape(3, 4).T)
    assert not told


def test_a_declared_symbol_is_the_number_that_dims_give_an_input() -> None:
    proto = model("(float[a,b] x, int64[2] s) => (float[b,a] y) { y = Reshape(x, s) }")
    artifacts, told = built(proto, dims={"a": 2, "b": 6})
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    y = artifacts.load()["g"]().predict(x=x, s=np.array([6, 2]))
    np.testing.assert_array_equal(y, x.reshape(6, 2))
    assert not told


def test_a_declared_symbol_that_is_not_the_computed_extent_does_not_count() -> None:
    proto = model("(float[a,b] x) => (float[b,b] y) { y = Relu(x) }")
    artifacts, told = built(proto, dims={"a": 2, "b": 6}, strict=True)
    assert artifacts.load()["g"]().predict(x=np.ones((2, 6), np.float32)).shape == (2, 6)
    assert not told


BRANCHED = (
    "(float[2,6] x, bool c, int64[2] s) => (float[n,m] y) <int64[1] b = {-1}, int64[1] e = {-9}, int64[1] a = {1}> "
    "{ y = If(c) <then_branch = t () => (%s p) { p = %s }, else_branch = e () => (%s q) { q = Identity(x) }> }"
)


@pytest.mark.parametrize("stated", ["float[2,6]", "float[n,m]", "float[7,7]"])
def test_constants_around_a_branch_tell_shapes_in_it_whatever_it_declares(stated: str) -> None:
    """ONNX's inference does not follow them."""
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    executor = built(model(BRANCHED % (stated, "Slice(x, b, e, a, b)", stated)))[0].load()["g"]()
    for c, expected in ((True, x[:, ::-1]), (False, x)):
        np.testing.assert_array_equal(executor.predict(x=x, c=np.array(c), s=np.zeros(2, np.int64)), expected)


def test_what_a_branch_declares_is_believed_where_nothing_else_tells_it() -> None:
    body = BRANCHED.replace("q = Identity(x)", "q = Reshape(u, s)").replace("{ q", "{ u = Neg(x) q")
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    executor = built(model(body % ("float[3,4]", "Reshape(x, s)", "float[3,4]")))[0].load()["g"]()
    for c, sign in ((True, 1), (False, -1)):
        got = executor.predict(x=x, c=np.array(c), s=np.array([3, 4]))
        np.testing.assert_array_equal(got, sign * x.reshape(3, 4))
    with pytest.raises(UnsupportedError, match="the shape of its output 'y' is not known"):
        built(model(body % ("float[n,4]", "Reshape(x, s)", "float[3,4]")))


def test_what_a_branch_declares_tells_kept_builds_apart(tmp_path: Path) -> None:
    body = BRANCHED.replace("q = Identity(x)", "q = Reshape(u, s)").replace("{ q", "{ u = Neg(x) q")
    for shape in ((3, 4), (4, 3), (3, 4)):
        stated = f"float[{shape[0]},{shape[1]}]"
        artifacts, _ = built(model(body % (stated, "Reshape(x, s)", stated)), cache=tmp_path)
        assert artifacts.load()["g"]().outputs[0].shape == shape


def test_dims_say_the_shape_of_an_input_that_declares_none() -> None:
    proto = model("(float[2,3] x, float[1] s) => (float[2,3] y) { y = Mul(x, s) }")
    for value in proto.graph.input:
        value.type.tensor_type.ClearField("shape")
    with pytest.raises(
        ModelError, match=r"no shape of 'x', not even a rank: say its extents by dims=\{'x:0'"
    ):
        built(proto)
    artifacts, told = built(proto, dims={"x:0": 2, "x:1": 3, "s:rank": 0})
    executor = artifacts.load()["g"]()
    assert [one.shape for one in executor.inputs] == [(2, 3), ()]
    assert executor.predict(x=np.ones((2, 3), np.float32), s=np.float32(4)).tolist() == [[4, 4, 4], [4, 4, 4]]
    assert not told


@pytest.mark.parametrize("dims", [{"x:rank": 10**9}, {"x:rank": -1}, {"x:1000000000": 1}, {"x:rank": 2}])
def test_a_rank_that_is_none_or_leaves_extents_open_is_refused(dims: dict[str, int]) -> None:
    proto = model("(float[2,3] x) => (float[2,3] y) { y = Neg(x) }")
    proto.graph.input[0].type.tensor_type.ClearField("shape")
    with pytest.raises(ModelError, match=r"expected a number from 0 to 64|x:0: axis 0 of input 'x'"):
        built(proto, dims=dims)
