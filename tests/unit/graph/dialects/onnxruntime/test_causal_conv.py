"""Convolutions that keep what they have read, against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

import ingot
from ingot.base.errors import UnsupportedError
from tests.support.contrib import agree, contrib_node

F = np.float32
RANDOM = np.random.default_rng(0)
B, C = 2, 6  # sequences, channels


def real(*shape: int) -> np.ndarray:
    return np.asarray(RANDOM.standard_normal(shape), F)


def operands(length: int, taps: int = 4, before: int | None = 3, *, bias: bool = True) -> dict:
    past = None if before is None else real(B, C, before)
    return {"x": real(B, C, length), "w": real(C, 1, taps), "b": real(C) if bias else None, "p": past}


@pytest.mark.parametrize("length", [1, 2, 9])
@pytest.mark.parametrize(("activation", "bias"), [("none", True), ("silu", False), ("swish", True)])
def test_a_stream_is_read_piece_by_piece(length: int, activation: str, bias: bool) -> None:
    for given in (operands(length, bias=bias), operands(length, before=None, bias=bias)):
        agree("CausalConvWithState", given, (F, F), fed=["x", "p"], activation=activation)


def test_taps_may_be_apart_and_there_may_be_one() -> None:
    agree("CausalConvWithState", operands(5, 3, 4), (F, F), fed=["x", "p"], dilation=2)
    agree("CausalConvWithState", operands(5, 1, None), (F, F), fed=["x"])


@pytest.mark.parametrize("inner", [(6,), (2, 3)])
def test_channels_may_lie_behind_in_several_axes(inner: tuple[int, ...]) -> None:
    given = operands(4) | {"x": real(B, 4, *inner), "p": real(B, 3, *inner)}
    agree("CausalConvWithState", given, (F, F), fed=["x", "p"], channels_last=1, activation="silu")


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
def test_the_state_of_a_stream_stays_in_the_executor(target: str) -> None:
    whole = operands(8)
    proto = contrib_node("CausalConvWithState", whole, (F, F), fed=["x", "p"])
    expected = agree("CausalConvWithState", whole, (F, F), fed=["x", "p"])[0]
    piece = whole | {"x": whole["x"][:, :, :2]}
    proto = contrib_node("CausalConvWithState", piece, (F, F), fed=["x", "p"])
    stream = ingot.build(proto, target, state={"p": "y1"}, cache=None).load()["g"]()
    stream.set_state(p=whole["p"])
    got = [stream.predict(x=np.ascontiguousarray(whole["x"][:, :, at : at + 2])) for at in range(0, 8, 2)]
    np.testing.assert_allclose(np.concatenate(got, axis=2), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"ndim": 2}, "ndim=2 is not supported, expected 1"),
        ({"activation": "relu"}, "activation='relu', expected 'silu', 'swish' or 'none'"),
        ({"state_window": 2}, "state_window=2 is not supported"),
        ({"dilation": 2}, "a past state of 3 places for 2 sequences, expected 6 for 2"),
    ],
)
def test_what_cannot_be_computed_is_refused_with_its_reason(options: dict, why: str) -> None:
    with pytest.raises(UnsupportedError, match=why):
        ingot.build(contrib_node("CausalConvWithState", operands(4), (F, F), **options), "interp", cache=None)
