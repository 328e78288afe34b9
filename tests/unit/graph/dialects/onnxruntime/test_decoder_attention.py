"""Attention over buffers that are filled step by step, and over an encoder's keys, against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

import ingot
from ingot.base.errors import UnsupportedError
from tests.support.contrib import agree, by_onnxruntime, contrib_node

F = np.float32
B, H, D, C = 2, 3, 8, 6  # sequences, heads, elements of a head, places of a buffer
RANDOM = np.random.default_rng(0)
MULTI, MASKED = "MultiHeadAttention", "DecoderMaskedMultiHeadAttention"


def real(*shape: int) -> np.ndarray:
    return np.asarray(RANDOM.standard_normal(shape), F)


def operands(operator: str, filled: int, **more: np.ndarray | None) -> dict:
    """One new token behind so many: inputs in the operator's order."""
    names = (
        ("bias", "mask", "added", "pk", "pv", "n")
        if operator == MULTI
        else ("mask", "added", "pk", "pv", "n", "bw", "ci", "bias")
    )
    given = {name: real(B, 1, H * D) for name in ("q", "k", "v")} | dict.fromkeys(names)
    given |= {"pk": real(B, H, C, D), "pv": real(B, H, C, D), "n": np.int32([filled])}
    return given | more


def shared(operator: str) -> dict[str, int]:
    return {"num_heads": H} | ({"past_present_share_buffer": 1} if operator == MASKED else {})


@pytest.mark.parametrize("operator", [MULTI, MASKED])
@pytest.mark.parametrize("filled", [0, 3, C - 1])
def test_a_new_key_goes_behind_those_that_a_buffer_has(operator: str, filled: int) -> None:
    agree(operator, operands(operator, filled, bias=real(3 * H * D)), (F, F, F), **shared(operator))


def test_masks_and_biases_of_a_buffer_are_as_wide_as_it_is_filled() -> None:
    mask = np.int32([[1, 0, 1, 1], [0, 1, 1, 1]])
    agree(MASKED, operands(MASKED, 3, mask=mask, added=real(1, H, 1, 4)), (F, F, F), **shared(MASKED))


@pytest.mark.parametrize("scores", [False, True])
def test_a_decoder_reads_the_keys_of_an_encoder(scores: bool) -> None:
    given = {"q": real(B, 1, H * D), "k": real(B, H, 5, D), "v": real(B, H, 5, D)}
    agree(MASKED, given, (F, None, None, F) if scores else (F,), num_heads=H, output_qk=int(scores))


@pytest.mark.parametrize("operator", [MULTI, MASKED])
def test_a_buffer_that_is_state_is_changed_in_its_place(operator: str) -> None:
    given = operands(operator, 0)
    proto = contrib_node(operator, given, (F, F, F), **shared(operator))
    stream = ingot.build(proto, "interp", state={"pk": "y1", "pv": "y2"}, cache=None).load()["g"]()
    assert {state.input: state.axis for state in stream._info.states} == {"pk": 2, "pv": 2}
    kept = {name: np.zeros((B, H, C, D), F) for name in ("pk", "pv")}
    for filled in range(C):
        step = {
            name: array
            for name, array in operands(operator, filled).items()
            if array is not None and name not in kept
        }
        expected, *present = by_onnxruntime(proto, step | kept)
        kept = dict(zip(kept, present, strict=True))
        np.testing.assert_allclose(stream.predict(step), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("given", "options", "why"),
    [
        ({}, {"past_present_share_buffer": 0}, "past_present_share_buffer=0 with a past, expected 1"),
        ({"ci": np.zeros((B, 1, C), np.int32)}, {}, "input 9: a search with beams"),
        ({name: real(B, 2, H * D) for name in ("q", "k", "v")}, {}, "2 new tokens, expected 1"),
    ],
)
def test_what_cannot_be_computed_is_refused_with_its_reason(given: dict, options: dict, why: str) -> None:
    proto = contrib_node(MASKED, operands(MASKED, 3, **given), (F, F, F), **(shared(MASKED) | options))
    with pytest.raises(UnsupportedError, match=why):
        ingot.build(proto, "interp", cache=None)


@pytest.mark.parametrize("operator", ["MoE", "QMoE"])
def test_a_mixture_of_experts_is_refused_with_what_to_do(operator: str) -> None:
    proto = contrib_node(operator, {"x": real(3, 8), "r": real(3, 4), "w1": real(4, 16, 8)}, k=2)
    with pytest.raises(
        UnsupportedError, match=r"a mixture of experts is not supported: .*export the experts as products"
    ):
        ingot.build(proto, "interp", cache=None)
