"""Linear attention against its recurrence in float64, and against onnxruntime where ONNX's form ends."""

from __future__ import annotations

import numpy as np
import pytest

import ingot
from ingot.base.errors import UnsupportedError
from tests.support.contrib import agree, by_ingot, contrib_node

F = np.float32
RANDOM = np.random.default_rng(0)
B, K, V = 2, 8, 20  # sequences, elements of a key, elements of a value
RULES = ("linear", "gated", "delta", "gated_delta")


def real(*shape: int) -> np.ndarray:
    return np.asarray(RANDOM.standard_normal(shape), F)


def operands(rule: str, tokens: int, queries: int, heads: int, decays: int = 1, *, past: bool = True) -> dict:
    """Inputs of a node; the decay has a number for each head, or for each element of its keys."""
    keys = real(B, tokens, heads, K)
    keys /= np.linalg.norm(keys, axis=-1, keepdims=True)
    return {
        "q": real(B, tokens, queries * K), "k": keys.reshape(B, tokens, heads * K), "v": real(B, tokens, heads * V),
        "s": real(B, heads, K, V) if past else None,
        "g": -np.abs(real(B, tokens, heads * decays)) if "gated" in rule else None,
        "b": np.abs(real(B, tokens, 1 if decays > 1 else heads)) if "delta" in rule else None,
    }  # fmt: skip


def recurrence(given: dict, rule: str, queries: int, heads: int) -> tuple[np.ndarray, np.ndarray]:
    """What the text of the operator says, token by token."""
    wide = {name: None if array is None else array.astype(np.float64) for name, array in given.items()}
    tokens = wide["q"].shape[1]
    q = wide["q"].reshape(B, tokens, queries, K)
    k, v = wide["k"].reshape(B, tokens, heads, K), wide["v"].reshape(B, tokens, heads, V)
    state = np.zeros((B, heads, K, V)) if wide["s"] is None else wide["s"].copy()
    results = np.zeros((B, tokens, max(queries, heads), V))
    for token in range(tokens):
        if wide["g"] is not None:
            state *= np.exp(wide["g"][:, token].reshape(B, heads, -1, 1))
        new = v[:, token]
        if "delta" in rule:
            new = new - np.einsum("bhkv,bhk->bhv", state, k[:, token])
            new = new * wide["b"][:, token].reshape(B, -1, 1)
        state = state + k[:, token][..., None] * new[:, :, None, :]
        wider = max(queries, heads)
        asked = np.repeat(q[:, token], wider // queries, axis=1)
        held = np.repeat(state, wider // heads, axis=1)
        results[:, token] = np.einsum("bhkv,bhk->bhv", held, asked) / np.sqrt(K)
    return results.reshape(B, tokens, -1), state


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("queries", "heads"), [(4, 2), (2, 2), (2, 4)])
def test_tokens_change_a_state_as_the_recurrence_says(rule: str, queries: int, heads: int) -> None:
    decays = K if heads == 4 and "gated" in rule else 1
    given = operands(rule, 5, queries, heads, decays, past=heads > 2)
    options = {"q_num_heads": queries, "kv_num_heads": heads, "update_rule": rule}
    y, state = agree("LinearAttention", given, (F, F), **options)
    expected = recurrence(given, rule, queries, heads)
    np.testing.assert_allclose(y, expected[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(state, expected[1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("target", ["interp", "llvmjit"])
def test_pieces_of_a_text_leave_the_state_that_the_whole_text_leaves(target: str) -> None:
    tokens, options = 6, {"q_num_heads": 4, "kv_num_heads": 2}
    given = operands("gated_delta", tokens, 4, 2)
    expected, end = recurrence(given, "gated_delta", 4, 2)
    for pieces in ((1,) * tokens, (4, 2)):
        state, first = given["s"], 0
        for size in pieces:
            part = {
                name: array if name == "s" else array[:, first : first + size]
                for name, array in given.items()
            }
            part["s"] = state
            proto = contrib_node("LinearAttention", part, (F, F), **options)
            y, state = by_ingot(proto, part, target)
            np.testing.assert_allclose(y, expected[:, first : first + size], rtol=1e-4, atol=1e-5)
            first += size
        np.testing.assert_allclose(state, end, rtol=1e-4, atol=1e-5)


def test_what_cannot_be_computed_is_refused_with_its_reason() -> None:
    given = operands("delta", 2, 4, 2)
    for options, why in (
        (
            {"update_rule": "forget"},
            r"update_rule='forget', expected one of 'linear', 'gated', 'delta', 'gated_delta'",
        ),
        ({"kv_num_heads": 3}, "q_num_heads=4, kv_num_heads=3: expected that one is a multiple of the other"),
        ({"state_window": 2}, "state_window=2 is not supported"),
        ({"update_rule": "gated"}, "input 4 is missing"),
    ):
        stated = {"q_num_heads": 4, "kv_num_heads": 2, "update_rule": "delta", **options}
        with pytest.raises(UnsupportedError, match=why):
            ingot.build(contrib_node("LinearAttention", given, (F, F), **stated), "interp", cache=None)
