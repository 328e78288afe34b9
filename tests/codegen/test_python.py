"""Nodes that a callable computes whose results are no NumPy arrays: torch modules, and whatever speaks DLPack.

torch is no dependency of the tests. `StandIn` has what ingot uses of it: `nn.Module`, `no_grad`, `from_numpy`, and tensors that
go out through DLPack only.
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ingot

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "digits.onnx"
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
    artifacts = ingot.build(DIGITS, {"host": "llvm", "mine": callee}, place={"Softmax": "mine"}, dims={"batch": 1})
    result: np.ndarray = artifacts.load()["digits"](ingot.cpu(0), devices={"mine": [ingot.cpu(0)]}).predict(image=X)
    return result


@pytest.fixture(scope="module")
def wanted() -> np.ndarray:
    result: np.ndarray = ingot.build(DIGITS, dims={"batch": 1}).load()["digits"](ingot.cpu(0)).predict(image=X)
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
    with pytest.raises(ingot.DeviceError, match=r"node softmax: result 0 of the callable, a OfGradients, .* requires gradients"):
        predict(OfGradients)


def test_what_the_callable_raises_comes_out_as_it_is() -> None:
    def broken(_: np.ndarray) -> np.ndarray:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        predict(broken)
