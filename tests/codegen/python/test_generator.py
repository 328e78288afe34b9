"""Nodes that a callable computes whose results are no NumPy arrays: torch modules, and whatever speaks DLPack.

torch is no dependency of the tests. `StandIn` has what ingot uses of it: `nn.Module`, `no_grad`, `from_numpy`, and tensors that
go out through DLPack only.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnx
import onnx.helper
import onnx.numpy_helper
import pytest

import ingot
from ingot.plan.placed_node import PlacedNode
from tests.support.models import model
from tests.support.paths import DIGITS

X = np.random.default_rng(0).standard_normal((1, 1, 8, 8)).astype(np.float32)

pytestmark = pytest.mark.cc


class Tensor:
    """A tensor as of torch: arithmetic, and `__dlpack__`, but no buffer, no `__array__`."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def softmax(self, axis: int) -> Tensor:
        powers = np.exp(self._array - self._array.max(axis, keepdims=True))
        return Tensor(powers / powers.sum(axis, keepdims=True))

    def __dlpack__(self, **options: Any) -> object:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


class StandIn(types.ModuleType):
    """The module torch, as far as ingot knows it."""

    def __init__(self) -> None:
        super().__init__("torch")
        self.gradients = True
        self.nn = types.SimpleNamespace(Module=type("Module", (), {}))

    @contextlib.contextmanager
    def no_grad(self) -> Iterator[None]:
        self.gradients = False
        yield
        self.gradients = True

    def from_numpy(self, array: np.ndarray) -> Tensor:
        assert array.flags.writeable, "torch warns of arrays that cannot be written"
        return Tensor(array)


def predict(callee: Callable[..., Any]) -> np.ndarray:
    artifacts = ingot.build(
        DIGITS, {"host": "llvm", "mine": callee}, place={"Softmax": "mine"}, dims={"batch": 1}
    )
    result: np.ndarray = artifacts.load()["digits"](ingot.cpu(0), devices={"mine": [ingot.cpu(0)]}).predict(
        image=X
    )
    return result


@pytest.fixture(scope="module")
def wanted() -> np.ndarray:
    result: np.ndarray = (
        ingot.build(DIGITS, dims={"batch": 1}).load()["digits"](ingot.cpu(0)).predict(image=X)
    )
    return result


@pytest.mark.parametrize("gives_a_tuple", [False, True])
def test_a_torch_module_gets_tensors_without_gradients_and_gives_tensors(
    monkeypatch: pytest.MonkeyPatch, wanted: np.ndarray, gives_a_tuple: bool
) -> None:
    torch = StandIn()
    monkeypatch.setitem(sys.modules, "torch", torch)

    class Softmax(torch.nn.Module):  # type: ignore[name-defined]
        def __call__(self, scores: Tensor) -> Any:
            assert isinstance(scores, Tensor) and not torch.gradients
            made = scores.softmax(1)
            return (made,) if gives_a_tuple else made

    np.testing.assert_allclose(predict(Softmax()), wanted, rtol=1e-5)
    assert torch.gradients


def test_a_callable_that_is_no_torch_module_gets_arrays_also_where_torch_is_imported(
    monkeypatch: pytest.MonkeyPatch, wanted: np.ndarray
) -> None:
    monkeypatch.setitem(sys.modules, "torch", StandIn())
    seen = []

    def softmax(scores: np.ndarray) -> Tensor:
        seen.append(type(scores))
        return Tensor(scores).softmax(1)

    np.testing.assert_allclose(predict(softmax), wanted, rtol=1e-5)
    assert seen == [np.ndarray]


class OfGradients(Tensor):
    def __dlpack__(self, **options: Any) -> object:
        raise BufferError("it requires gradients")


def test_a_result_that_cannot_be_read_is_named() -> None:
    with pytest.raises(
        ingot.DeviceError,
        match=r"node softmax: result 0 of the callable, a OfGradients, .* requires gradients",
    ):
        predict(OfGradients)


def test_what_the_callable_raises_comes_out_as_it_is() -> None:
    def broken(_: np.ndarray) -> np.ndarray:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        predict(broken)


# ─── what a callable is told of its node ───────────────────────────────────────────────────────────────────────────


def scales(*factors: int, **more: Any) -> onnx.ModelProto:
    """Nodes of the unknown operator Scale, one after the other, each with its factor."""
    names = [f"v{number}" for number in range(len(factors))] + ["y"]
    nodes = " ".join(f"{result} = Neg({given})" for given, result in itertools.pairwise(names))
    made = model(f"g (float[2] x) => (float[2] y) {{ v0 = Identity(x) {nodes} }}")
    for node, factor in zip(made.graph.node[1:], factors, strict=True):
        inputs = [*node.input, "", *node.input]
        custom = onnx.helper.make_node(
            "Scale", inputs, node.output, f"by{factor}", domain="my.domain", factor=factor, **more
        )
        node.CopyFrom(custom)
    made.graph.value_info.extend(
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2]) for name in names[1:-1]
    )
    made.opset_import.append(onnx.helper.make_opsetid("my.domain", 1))
    return made


def scaled(proto: onnx.ModelProto, callee: Callable[..., Any], place: Any = None) -> list[float]:
    artifacts = ingot.build(
        proto, {"host": "llvmjit", "mine": callee}, place=place or {"Scale": "mine"}, name="m"
    )
    made = artifacts.load()["m"](ingot.cpu(0), devices={"mine": [ingot.cpu(0)]})
    result: list[float] = made.predict(x=np.array([1, 10], np.float32)).tolist()
    return result


class Scaler:
    def __call__(self, x: np.ndarray, again: np.ndarray, *, node: PlacedNode) -> np.ndarray:
        return x * np.float32(node.attributes["factor"])


def scale(*arrays: np.ndarray, node: PlacedNode) -> np.ndarray:
    return arrays[0] * np.float32(node.attributes["factor"])


def scale_as(_: str, x: np.ndarray, again: np.ndarray, *, node: PlacedNode) -> np.ndarray:
    return scale(x, again, node=node)


@pytest.mark.parametrize(
    "callee", [scale, Scaler(), functools.partial(scale_as, "bound")], ids=["function", "object", "partial"]
)
def test_two_nodes_of_one_operator_with_other_attributes_are_told_apart(callee: Callable[..., Any]) -> None:
    assert scaled(scales(2, 5), callee) == [10, 100]


def test_a_torch_module_whose_forward_takes_the_node_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = StandIn()
    monkeypatch.setitem(sys.modules, "torch", torch)

    class Scale(torch.nn.Module):  # type: ignore[name-defined]
        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return self.forward(*args, **kwargs)

        def forward(self, x: Tensor, again: Tensor, *, node: PlacedNode) -> Tensor:
            return Tensor(scale(x._array, node=node))

    assert scaled(scales(2, 5), Scale()) == [10, 100]


def test_a_node_is_told_with_its_name_attributes_and_types() -> None:
    seen: list[PlacedNode] = []

    def note(x: np.ndarray, again: np.ndarray, *, node: PlacedNode) -> np.ndarray:
        seen.append(node)
        return x

    table = np.arange(3, dtype=np.int64)
    more = {
        "mode": "wide",
        "rate": 0.5,
        "pads": [1, 2],
        "names": ["a", "b"],
        "table": onnx.numpy_helper.from_array(table),
    }
    scaled(scales(3, **more), note)
    (node,) = seen
    assert (node.name, node.op_type, node.domain) == ("by3", "Scale", "my.domain")
    found = dict(node.attributes)
    array = found.pop("table")
    assert found == {"factor": 3, "mode": "wide", "rate": 0.5, "pads": (1, 2), "names": ("a", "b")}
    np.testing.assert_array_equal(array, table)
    assert not array.flags.writeable
    assert [str(type_) for type_ in node.inputs] == ["float32[2]", "None", "float32[2]"]
    assert list(map(str, node.outputs)) == ["float32[2]"]


def test_a_placement_function_sees_attributes_and_types() -> None:
    seen: dict[str, tuple[object, ...]] = {}

    def place(node: PlacedNode) -> str | None:
        seen[node.name] = (node.attributes.get("factor"), *map(str, node.outputs))
        return "mine" if node.op_type == "Scale" else None

    scaled(scales(2, 5), scale, place)
    assert seen["by2"] == (2, "float32[2]") and seen["by5"] == (5, "float32[2]")


@pytest.mark.parametrize(
    "callee",
    [
        lambda node, again: node * 2,
        lambda node, again=None, **more: node * 2,
        lambda *node, **more: node[0] * 2,
    ],
)
def test_a_callable_whose_parameters_are_arrays_gets_arrays_only(callee: Callable[..., Any]) -> None:
    """Whatever their names are."""
    assert scaled(scales(7), callee) == [2, 20]


def test_a_callable_without_a_signature_gets_arrays_only() -> None:
    assert scaled(scales(7), np.add) == [2, 20]
