"""Models that are deep or wide: nothing in a build takes more of Python's stack because a model is longer."""

from __future__ import annotations

import numpy as np
import onnx.reference
import pytest

import ingot
from ingot.artifact.model_info import EXECUTORS
from ingot.codegen.llvm.parallel import entry
from tests.support.models import model

LENGTH = 450


def chain(operator: str) -> str:
    """A chain of one operator from v0 to the last value."""
    return "  ".join(f"v{i + 1} = {operator}(v{i})" for i in range(LENGTH))


def folded(operator: str, count: int, kind: str) -> onnx.ModelProto:
    """One operator of many operands, the last of which is a scalar."""
    names = [f"x{i}" for i in range(count)]
    inputs = ", ".join(f"{kind}[{2 if name != names[-1] else 1}] {name}" for name in names)
    return model(f"g ({inputs}) => ({kind}[2] y) {{ y = {operator}({', '.join(names)}) }}")


COUNTED = f"""g (float[4] x) => (float[4] y) {{
    n = Constant<value_int = {LENGTH}>()  yes = Constant<value = bool {{1}}>()
    y = Loop<body = b (int64 i, bool on, float[4] a) => (bool more, float[4] c) {{ more = Identity(on)  c = Tanh(a) }}>(n, yes, x)
}}"""

LONG = {
    "a chain": model(f"g (float[4] v0) => (float[4] v{LENGTH}) {{ {chain('Sin')} }}"),
    "a chain of branches": model(
        "g (float[4] v0, float[4] c) => (float[4] v300) {"
        + "  ".join(
            f"m{i} = Greater(v{i}, c)  l{i} = Atan(v{i})  v{i + 1} = Where(m{i}, l{i}, v{i})"
            for i in range(300)
        )
        + "}"
    ),
    "a chain behind a product": model(
        f"g (float[4,4] x) => (float[4,4] v{LENGTH}) {{ v0 = MatMul(x, x)  {chain('Neg')} }}"
    ),
    "a loop written out": model(COUNTED),
}
WIDE = {
    "Max": folded("Max", 200, "float"),
    "Sum": folded("Sum", 400, "float"),
    "Mean": folded("Mean", 100, "float16"),
    "Min of integers": folded("Min", 60, "int32"),
}


def inputs_of(proto: onnx.ModelProto) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    feeds = {}
    for one in proto.graph.input:
        dtype = onnx.helper.tensor_dtype_to_np_dtype(one.type.tensor_type.elem_type)
        shape = [dim.dim_value for dim in one.type.tensor_type.shape.dim]
        feeds[one.name] = (rng.standard_normal(shape) * 3).astype(dtype)
    return feeds


def assert_right(proto: onnx.ModelProto, target: str) -> None:
    feeds = inputs_of(proto)
    (expected,) = onnx.reference.ReferenceEvaluator(proto).run(None, feeds)
    model_ = ingot.build(proto, target, name="m", cache=None).load()["m"](ingot.cpu(0))
    close = 1e-5 if expected.dtype != np.float16 else 2e-3
    np.testing.assert_allclose(model_.predict(**feeds), expected, rtol=close, atol=close)


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
@pytest.mark.parametrize("kind", LONG)
def test_a_chain_of_operators_may_be_long(kind: str, target: str) -> None:
    assert_right(LONG[kind], target)


@pytest.mark.parametrize("kind", WIDE)
def test_an_operator_may_have_many_operands(kind: str) -> None:
    assert_right(WIDE[kind], "interp")


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("target", ["c", "opencl"])
def test_the_text_of_a_long_model_can_be_written(kind: str, target: str) -> None:
    targets = {"host": "c"} if target == "c" else {"host": "c", "accel": target}
    place = None if target == "c" else (lambda node: "accel")
    assert ingot.build(LONG[kind], targets, place=place, cache=None).artifacts


def test_an_entry_of_several_functions_does_all_calls_in_turn_and_by_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(entry, "PART_CALLS", 4)
    count = 11
    outputs = ", ".join(f"float[2] y{i}" for i in range(count))
    lines = "  ".join(
        f"c{i} = Constant<value_floats = [{i}.0, 1.0]>()  y{i} = Mul(x, c{i})" for i in range(count)
    )
    proto = model(f"g (float[2] x) => ({outputs}) {{ {lines} }}")
    library = ingot.build(proto, "llvmjit", name="m", executor=EXECUTORS, cache=None).load()
    expected = [[2 * i, 3] for i in range(count)]
    for executor in EXECUTORS:
        found = library["m"](ingot.cpu(0), executor=executor).predict(x=np.array([2, 3], np.float32))
        np.testing.assert_array_equal(found, expected)
