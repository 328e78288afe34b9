"""The passes are records in an order that does not change by itself; each is watched, and the optional ones can be left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import ingot
from ingot.base.errors import InternalError, TargetError
from ingot.graph.passes import order
from ingot.graph.passes.order import PASSES
from ingot.graph.passes.pipeline import Group, Pass, Repeated, passes_of
from ingot.graph.prepare import prepare
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from tests.support.models import model
from tests.support.quantized import Builder
from tests.unit.graph.passes.quantize.test_matmul_nbits import PLAIN, network

OPTIONAL = [one.name for one in PASSES if one.optional]
RNG = np.random.default_rng(11)
Case = tuple[onnx.ModelProto, Mapping[str, np.ndarray]]


def normal(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(np.float32)


def with_weights(body: str, **weights: np.ndarray) -> onnx.ModelProto:
    proto = model(body)
    proto.graph.initializer.extend(
        onnx.numpy_helper.from_array(array, name) for name, array in weights.items()
    )
    return proto


def identity() -> Case:
    return model("g (float[2] x) => (float[2] y) { i = Identity(x) y = Neg(i) }"), {"x": normal(2)}


def sliced() -> Case:
    body = """g (float[2,3,4] x, float[4,5] w) => (float[3,5] y) <int64 first = {0}, int64 last = {1}> {
        a = Gather(x, first) b = Gather(x, last) c = MatMul(a, w) d = MatMul(b, w) y = Sub(c, d)
    }"""
    return model(body), {"x": normal(2, 3, 4), "w": normal(4, 5)}


def layer_norm() -> Case:
    body = """g (float[3,8] x) => (float[3,8] y) <float two = {2}, float eps = {0.00001}> {
        m = ReduceMean<axes = [-1]>(x) d = Sub(x, m) s = Pow(d, two) v = ReduceMean<axes = [-1]>(s)
        e = Add(v, eps) r = Sqrt(e) y = Div(d, r)
    }"""
    return model(body), {"x": normal(3, 8)}


def few_bits() -> Case:
    proto, feeds = network("uint4", (32, 8), (2, 8), True, PLAIN, block_size=16, axis=0)  # type: ignore[no-untyped-call]
    return proto, feeds


def product_of_codes() -> Case:
    of = Builder()
    product = of.op("MatMul", of.dequantize("x", 0.05, 128), of.weights(16, 4))
    return of.model({"x": (onnx.TensorProto.UINT8, (3, 16))}, [of.quantize(product, 0.1, 128)]), codes(3, 16)


def function_of_codes() -> Case:
    of = Builder()
    function = of.op("Sigmoid", of.dequantize("x", 0.05, 128))
    return of.model({"x": (onnx.TensorProto.UINT8, (3, 16))}, [of.quantize(function, 1 / 255, 0)]), codes(
        3, 16
    )


def codes(*shape: int) -> Mapping[str, np.ndarray]:
    return {"x": RNG.integers(0, 256, shape).astype(np.uint8)}


def sum_with_codes() -> Case:
    body = "g (float[2] x) => (float[2] y) <uint8[2] w = {1, 200}, float s = {0.5}> { d = DequantizeLinear(w, s) y = Add(x, d) }"
    return model(body, opset=21, ir_version=10), {"x": normal(2)}


def batch_norm() -> Case:
    body = "g (float[1,2,3,3] x) => (float[1,2,3,3] y) { y = BatchNormalization(x, scale, bias, mean, variance) }"
    statistics = {name: normal(2) for name in ("scale", "bias", "mean")}
    return with_weights(body, **statistics, variance=np.abs(normal(2)) + 1), {"x": normal(1, 2, 3, 3)}


def scaled_convolution() -> Case:
    body = "g (float[1,2,3,3] x) => (float[1,4,3,3] y) { c = Conv(x, w) y = Mul(c, s) }"
    return with_weights(body, w=normal(4, 2, 1, 1), s=normal(4, 1, 1)), {"x": normal(1, 2, 3, 3)}


def subnormal_weight() -> Case:
    return with_weights(
        "g (float[1,2] x) => (float[1,1] y) { y = MatMul(x, w) }", w=np.array([[1e-40], [1]], np.float32)
    ), {"x": normal(1, 2)}


def long_loop() -> Case:
    body = """g (float[2] a, float[600, 2] x) => (float[2] y) {
        y = Scan <num_scan_inputs = 1, body = step (float[2] p, float[2] t) => (float[2] q) { s = Add(p, t) q = Sin(s) }>(a, x)
    }"""
    return model(body), {"a": normal(2), "x": normal(600, 2)}


def long_branch() -> Case:
    body = """g (bool c, float[32,32] x) => (float[32,32] y) {
        y = If(c) <then_branch = t () => (float[32,32] a) { a = MatMul(x, x) },
            else_branch = e () => (float[32,32] b) { b = Neg(x) }>
    }"""
    return model(body), {"c": np.array(True), "x": normal(32, 32)}


# A model that the pass changes, by its name.
CHANGED_BY: Mapping[str, Callable[[], Case]] = {
    "keep-loops": long_loop,
    "keep-branches": long_branch,
    "remove-identities": identity,
    "merge-sliced-matmuls": sliced,
    "recognise-layer-norm": layer_norm,
    "recognise-matmul-nbits": few_bits,
    "compute-on-codes": product_of_codes,
    "make-lookup-tables": function_of_codes,
    "fold-dequantized": sum_with_codes,
    "split-batch-norm": batch_norm,
    "fold-channel-affine": scaled_convolution,
    "flush-subnormals": subnormal_weight,
}


def built(
    proto: onnx.ModelProto, skip: tuple[str, ...] = ()
) -> tuple[ingot.ArtifactSet, list[str], set[str]]:
    """A build, the names of what it dumped in order, and the passes that ran."""
    dumped: list[str] = []
    observer = ingot.Observer(on_dump=lambda name, _: dumped.append(name))
    made = ingot.build(proto, "interp", name="m", observer=observer, cache=None, skip_passes=skip)
    ran = {stage.removeprefix("passes: ") for stage, _ in observer.times if stage.startswith("passes: ")}
    return made, dumped, ran


@pytest.mark.parametrize("name", OPTIONAL)
def test_a_model_computes_the_same_without_an_optional_pass_that_changes_it(name: str) -> None:
    proto, feeds = CHANGED_BY[name]()
    (expected,) = ReferenceEvaluator(proto).run(None, dict(feeds))
    assert isinstance(expected, np.ndarray)
    for skip in ((), (name,)):
        made, dumped, ran = built(proto, skip)
        assert (f"{name}.onnx" in dumped, name in ran) == (not skip, not skip)
        got = made.load()["m"]().predict(feeds)
        assert isinstance(got, np.ndarray)
        if expected.dtype == np.float32:
            np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)
        else:  # a step: sums of codes and of floats round on their own
            assert np.abs(got.astype(int) - expected.astype(int)).max() <= 1


@pytest.mark.parametrize("make", CHANGED_BY.values(), ids=CHANGED_BY)
def test_a_model_is_well_formed_after_each_pass(make: Callable[[], Case]) -> None:
    prepare(read_model(make()[0]), ALL, exact=False, check=True)


def test_a_pass_that_breaks_a_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_it(work: object) -> bool:
        graph = work.model.graph  # type: ignore[attr-defined]
        graph[-1].outputs[0].name = "x"
        return False

    monkeypatch.setattr("ingot.graph.prepare.IMPROVING", (Pass("break-it", "breaks", break_it),))
    with pytest.raises(
        InternalError, match="the pass break-it of the graph left a model that is not well-formed"
    ):
        prepare(read_model(identity()[0]), ALL, check=True)


def test_the_passes_have_this_order() -> None:
    """What a dump is called and what `--skip-pass` takes; a change of the order is meant."""
    assert " ".join(one.name for one in PASSES) == (
        "inline-local-functions fold-constants rewrite-dialects fold-text inline-branches keep-loops unroll-loops "
        "resolve-sequences inline-operator-functions keep-branches join-branches unroll-guarded complete-branches give-room "
        "believe-declarations infer-unbroadcast take-out-text remove-identities merge-sliced-matmuls recognise-layer-norm "
        "remove-dead infer-shapes check-blocks "
        "recognise-matmul-nbits compute-on-codes make-lookup-tables fold-dequantized "
        "split-batch-norm fold-channel-affine flush-subnormals"
    )


@pytest.mark.parametrize("one", PASSES, ids=lambda one: one.name)
def test_a_pass_has_a_name_that_begins_with_a_verb_and_a_line_about_it(one: Pass) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", one.name)
    assert re.match(r"[a-z]+s ", one.does) and not one.does.endswith(".") and len(one.does) <= 90


def test_two_passes_of_one_name_are_one_pass() -> None:
    records: dict[str, Pass] = {}

    def visit(step: Pass | Group | Repeated) -> None:
        if isinstance(step, Pass):
            assert records.setdefault(step.name, step) is step
            return
        for inner in (
            (*step.steps, *step.then)
            if isinstance(step, Group)
            else (one for rung in step.rungs for one in rung)
        ):
            visit(inner)

    for step in (*order.RESOLVING, *order.IMPROVING):
        visit(step)
    assert tuple(records.values()) == passes_of((*order.RESOLVING, *order.IMPROVING))


def test_a_model_that_no_pass_changes_is_not_dumped_again() -> None:
    names = built(model("g (float[2] x) => (float[2] y) { y = Neg(x) }"))[1]
    assert names[:3] == ["read.onnx", "prepared.onnx", "draft.txt"]


@pytest.mark.parametrize(
    ("skip", "words"),
    [
        (
            ("recognize-layer-norm",),
            r"no pass 'recognize-layer-norm'; did you mean 'recognise-layer-norm'.*build --passes`",
        ),
        (
            ("fold-constants",),
            r"'fold-constants' cannot be left out.*\(these can: keep-loops, keep-branches, remove-identities, ",
        ),
        ((7,), "no pass 7 "),
        ("remove-dead", "expected the names of passes"),
        (None, "expected the names of passes"),
    ],
)
def test_a_pass_that_cannot_be_left_out_is_refused(skip: object, words: str) -> None:
    with pytest.raises(TargetError, match=words):
        ingot.build(identity()[0], "interp", skip_passes=skip)  # type: ignore[arg-type]
