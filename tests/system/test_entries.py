"""Several models as entries of one library: they share constants and state, from Python and C."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import ingot
from ingot.artifact.model_info import ModelInfo

HEAD = '<ir_version: 10, opset_import: ["": 24]>'
TOKENS, WIDTH, CAPACITY, PROMPT_MAX = 11, 8, 24, 16
WEIGHTS = {
    name: np.random.default_rng(seed).standard_normal(shape).astype(np.float32) * 0.6
    for seed, (name, shape) in enumerate(
        {
            "embed": (TOKENS, WIDTH),
            "wq": (WIDTH, WIDTH),
            "wk": (WIDTH, WIDTH),
            "wv": (WIDTH, WIDTH),
            "wo": (WIDTH, TOKENS),
        }.items()
    )
}

_HEADS = "\n".join(
    f"e{n} = MatMul(e, w{n}) r{n} = Reshape(e{n}, heads) {n} = Transpose<perm = [0, 2, 1, 3]>(r{n})"
    for n in "qkv"
)
_TAIL = "t = Transpose<perm = [0, 2, 1, 3]>(y) a = Reshape(t, flat) b = Add(a, e) logits = MatMul(b, wo)"


def _with_weights(text: str, weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    model = onnx.parser.parse_model(f"{HEAD} {text}")
    model.graph.initializer.extend(
        onnx.numpy_helper.from_array(array, name) for name, array in weights.items()
    )
    return model


def _exported_twice() -> dict[str, onnx.ModelProto]:
    """A decoder as optimum writes it: once without a cache, for the prompt, and once with one, for a token."""
    constants = "<int64[4] heads = {0, 0, 2, 4}, int64[3] flat = {0, 0, 8}>"
    prefill = f"""decoder_model (int64[1, seq] input_ids, int64[1, seq] attention_mask)
        => (float[1, seq, {TOKENS}] logits, float[1, 2, seq, 4] present_0_key, float[1, 2, seq, 4] present_0_value) {constants} {{
        e = Gather(embed, input_ids) {_HEADS} y = Attention<is_causal = 1>(q, k, v)
        present_0_key = Identity(k) present_0_value = Identity(v) {_TAIL} }}"""
    decode = f"""decoder_with_past_model
        (int64[1, 1] input_ids, int64[1, total] attention_mask,
         float[1, 2, past, 4] past_0_key, float[1, 2, past, 4] past_0_value)
        => (float[1, 1, {TOKENS}] logits, float[1, 2, all, 4] present_0_key, float[1, 2, all, 4] present_0_value) {constants} {{
        e = Gather(embed, input_ids) {_HEADS} seen = Cast<to = 9>(attention_mask)
        y, present_0_key, present_0_value = Attention(q, k, v, seen, past_0_key, past_0_value) {_TAIL} }}"""
    return {"prefill": _with_weights(prefill, WEIGHTS), "decode": _with_weights(decode, WEIGHTS)}


def _greedy(prompt: Sequence[int], count: int) -> list[int]:
    """What the decoder continues a prompt with, by NumPy and without a cache."""
    ids = list(prompt)
    for _ in range(count):
        e = WEIGHTS["embed"][ids]
        q, k, v = ((e @ WEIGHTS[name]).reshape(len(ids), 2, 4).swapaxes(0, 1) for name in ("wq", "wk", "wv"))
        scores = np.where(np.tri(len(ids)) > 0, q @ k.swapaxes(1, 2) / 2, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (weights / weights.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(len(ids), WIDTH)
        ids.append(int(((mixed + e) @ WEIGHTS["wo"])[-1].argmax()))
    return ids[len(prompt) :]


@pytest.fixture(scope="module")
def decoder() -> ingot.ArtifactSet:
    dims = {"seq": ingot.dim(1, PROMPT_MAX), "past": ingot.dim(0, CAPACITY), "total": "past + 1"}
    return ingot.build(_exported_twice(), "llvmjit", name="gpt", state={"past_*": "present_*"}, dims=dims)


def _kernels(info: ModelInfo) -> list[str]:
    return [call.kernel for call in info.calls]


# ─── two exports of one decoder ────────────────────────────────────────────────────────────────────────────────────────


def test_equal_weights_of_two_exports_are_stored_once(decoder: ingot.ArtifactSet) -> None:
    models = decoder.models()
    assert list(models) == ["gpt_prefill", "gpt_decode"]
    assert {info.host.params for info in models.values()} == {"gpt_prefill.params"}
    (params,) = decoder.select(loader="params")
    assert len(params.content) < 1.3 * sum(array.nbytes for array in WEIGHTS.values())


@pytest.mark.parametrize("count", [1, 5, PROMPT_MAX])
def test_a_prompt_by_one_entry_is_continued_by_the_other(decoder: ingot.ArtifactSet, count: int) -> None:
    prompt = [(3 * number + 1) % TOKENS for number in range(count)]
    model = decoder.load().entries()
    assert list(ingot.generate(model, prompt, max_tokens=8)) == _greedy(prompt, 8)
    assert model.state()["past_0_key"].shape == (1, 2, count + 7, 4)
    assert list(ingot.generate(model, prompt, max_tokens=8)) == _greedy(prompt, 8)  # begun anew


def test_tokens_that_the_entry_for_prompts_does_not_take_are_steps(decoder: ingot.ArtifactSet) -> None:
    prompt = [number % TOKENS for number in range(PROMPT_MAX + 3)]
    library = decoder.load()
    assert list(ingot.generate(library, prompt, max_tokens=3)) == _greedy(prompt, 3)
    with pytest.raises(ingot.InputError, match=f"do not fit the cache, which has {CAPACITY} places"):
        list(ingot.generate(library, prompt))


def test_a_conversation_goes_on_behind_what_the_state_has(decoder: ingot.ArtifactSet) -> None:
    model = decoder.load().entries("gpt")
    answer = list(ingot.generate(model, [1, 2, 3], max_tokens=4))
    more = list(ingot.generate(model, [answer[-1], 9], past=6, max_tokens=3))
    assert more == _greedy([1, 2, 3, *answer, 9], 3)


def test_a_file_has_the_entries_too(decoder: ingot.ArtifactSet, tmp_path: Path) -> None:
    dims = {"seq": [4], "past": ingot.dim(0, CAPACITY), "total": "past + 1"}
    built = ingot.build(
        _exported_twice(), name="gpt", state="auto", dims=dims, observer=ingot.Observer(on_note=str)
    )
    built.export_library(tmp_path / "gpt.so")
    library = ingot.load(tmp_path / "gpt.so")
    assert list(ingot.generate(library, [5, 6, 7, 8], max_tokens=5)) == _greedy([5, 6, 7, 8], 5)
    assert list(ingot.generate(library, [5, 6, 7], max_tokens=5)) == _greedy(
        [5, 6, 7], 5
    )  # in steps of one token


# ─── streams ───────────────────────────────────────────────────────────────────────────────────────────────────────────

BEGIN = (
    "begin (float[1, 8] x) => (float[1, 4] y, float[1, 4] hn) { a = MatMul(x, w) hn = Tanh(a) y = Neg(hn) }"
)
STEP = """step (float[1, 8] x, float[1, 4] h) => (float[1, 4] y, float[1, 4] hn)
    { a = MatMul(x, w) b = Add(a, h) hn = Tanh(b) y = Identity(hn) }"""
W = np.random.default_rng(3).standard_normal((8, 4)).astype(np.float32)
BIG_W = np.random.default_rng(3).standard_normal((8, 64)).astype(np.float32)
X = np.random.default_rng(4).standard_normal((1, 8)).astype(np.float32)


def _recurrent() -> dict[str, onnx.ModelProto]:
    return {"begin": _with_weights(BEGIN, {"w": W}), "step": _with_weights(STEP, {"w": W})}


@pytest.mark.parametrize(("target", "kind"), [*itertools.product(["interp", "llvm", "c"], ["aot", "graph"])])
def test_a_step_of_one_entry_goes_on_from_that_of_another(target: str, kind: str) -> None:
    library = ingot.build(_recurrent(), target, name="m", state={"h": "hn"}, executor=["aot", "graph"]).load()
    model = library.entries(executor=kind)
    h = np.tanh(X @ W)
    np.testing.assert_allclose(model["begin"].predict(x=X), -h, atol=1e-6)
    for _ in range(2):
        h = np.tanh(X @ W + h)
        np.testing.assert_allclose(model["step"].predict(x=X), h, atol=1e-6)
    fork = model.fork()
    np.testing.assert_allclose(fork["step"].predict(x=X), np.tanh(X @ W + h), atol=1e-6)
    np.testing.assert_allclose(model.state()["h"], h, atol=1e-6)
    model["step"].set_input(x=X)
    model["step"].run()
    np.testing.assert_allclose(model["step"].get_output(0), np.tanh(X @ W + h), atol=1e-6)
    model.reset()
    np.testing.assert_allclose(model["step"].predict(x=X), np.tanh(X @ W), atol=1e-6)


def test_a_model_of_one_entry_may_be_taken_alone() -> None:
    library = ingot.build(_recurrent(), "interp", name="m", state={"h": "hn"}).load()
    alone = library["m_step"]()
    np.testing.assert_allclose(alone.predict(x=X), np.tanh(X @ W), atol=1e-6)
    _, hn = library["m_step"](keeps_state=False).predict(x=X, h=np.ones((1, 4), np.float32))
    np.testing.assert_allclose(hn, np.tanh(X @ W + 1), atol=1e-6)


def test_what_is_given_once_and_only_read_afterwards_is_not_copied() -> None:
    encode = _with_weights(
        """encode (float[1, 3, 4] x) => (float[1, 3, 4] present_memory, float[1, 4] present_h) <int64[1] rows = {1}>
        { present_memory = Sin(x) present_h = ReduceSum<keepdims = 0>(present_memory, rows) }""",
        {},
    )
    decode = _with_weights(
        """decode (float[1, 4] x, float[1, 3, 4] past_memory, float[1, 4] past_h) => (float[1, 4] y, float[1, 4] present_h)
        <int64[1] rows = {1}> { s = ReduceSum<keepdims = 0>(past_memory, rows) t = Add(s, x)
        present_h = Add(t, past_h) y = Neg(present_h) }""",
        {},
    )
    state = {"past_*": "present_*"}
    artifacts = ingot.build({"encode": encode, "decode": decode}, "llvmjit", name="m", state=state)
    call = artifacts.models()["m_decode"].calls[0]
    assert call.kernel == "update_present_memory" and not call.bytes_read
    model = artifacts.load().entries()
    x = np.arange(12, dtype=np.float32).reshape(1, 3, 4)
    model["encode"].predict(x=x)
    h = memory = np.sin(x).sum(axis=1)
    for number in range(3):
        h = h + memory + number
        np.testing.assert_allclose(
            model["decode"].predict(x=np.full((1, 4), number, np.float32)), -h, atol=1e-4
        )
    np.testing.assert_allclose(model.state()["past_memory"], np.sin(x), atol=1e-6)


def _cache(count: int) -> onnx.ModelProto:
    return _with_weights(
        f"""cache (float[1, {count}, 4] x, float[1, 16, 4] h, int64[1] at) => (float[1, 1, 4] y, float[1, 16, 4] hn)
        <int64[1] rows = {{1}}> {{ hn = TensorScatter<axis = 1>(h, x, at) y = ReduceSum(hn, rows) }}""",
        {},
    )


C_PROGRAM = r"""
#include "m_few.h"
#include "m_one.h"
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    float x[20], y[4];
    int64_t at = 0;
    void *workspace = aligned_alloc(64, 1 << 16), *state = aligned_alloc(M_ONE_STATE_ALIGNMENT, M_ONE_STATE_BYTES);
    struct m_few_inputs few = {x, &at};
    struct m_few_outputs few_y = {y};
    struct m_one_inputs one = {x, &at};
    struct m_one_outputs one_y = {y};
    for (int i = 0; i < 20; i++) {
        x[i] = 1;
    }
    if (m_one_init_state(state) != M_ONE_OK || m_few_run(&few, &few_y, state, workspace) != M_FEW_OK) {
        return 1;
    }
    at = 5;
    if (m_one_run(&one, &one_y, state, workspace) != M_ONE_OK) {
        return 2;
    }
    printf("%g\n", (double)y[0]);
    return 0;
}
"""


def test_c_programs_step_one_block_of_state_by_any_entry(tmp_path: Path) -> None:
    artifacts = ingot.build({"few": _cache(5), "one": _cache(1)}, name="m", state={"h": "hn"})
    assert [info.states[0].axis for info in artifacts.models().values()] == [1, 1]  # changed in its place
    artifacts.export_library(tmp_path / "libm.so")
    for name in ("m_few", "m_one"):
        (tmp_path / f"{name}.h").write_text(artifacts.c_header(name))
    (tmp_path / "main.c").write_text(C_PROGRAM)
    command = ["cc", "-std=c11", "main.c", "./libm.so", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert (
        subprocess.run(["./main"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout == "6\n"
    )


# ─── bad input ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _renamed(change: Callable[[dict[str, onnx.ModelProto]], None]) -> dict[str, onnx.ModelProto]:
    models = _recurrent()
    change(models)
    return models


@pytest.mark.parametrize(
    ("models", "arguments", "words"),
    [
        (
            {
                "begin": _with_weights(
                    BEGIN.replace("4] hn)", "64] hn)").replace("4] y", "64] y"), {"w": BIG_W}
                ),
                "step": _with_weights(STEP.replace("4]", "64]"), {"w": BIG_W + 1}),
            },
            {"state": {"h": "hn"}},
            r"'begin' and 'step' are not of the same weights: 1 of 1 that both have differ \(w\)",
        ),
        (
            {
                "begin": _with_weights(BEGIN, {"w": W}),
                "step": _with_weights(
                    STEP.replace("float[1, 4]", "double[1, 4]").replace("float[1, 8]", "double[1, 8]"),
                    {"w": W.astype(np.float64)},
                ),
            },
            {"state": {"h": "hn"}},
            r"state 'h' is float64\[1, 4\] and 'hn' is float32\[1, 4\]; both must have one type",
        ),
        (_recurrent(), {"state": {"g": "gn"}}, "no input is called like the state 'g'"),
        (_recurrent(), {"state": {"h": "gn"}}, "the model has no output 'gn'"),
        (_recurrent(), {"state": {"h": "hn"}, "dims": {"batch": 2}}, "dims has 'batch', which no entry has"),
        (_recurrent(), {"constants": {"z": 2}}, "constants has 'z', which no entry has"),
        ({}, {}, "entries of a model have C identifiers as names"),
        ({"a b": _cache(1)}, {}, r"got \['a b'\]"),
    ],
)
def test_entries_that_do_not_belong_together_are_refused(
    models: dict[str, onnx.ModelProto], arguments: dict[str, object], words: str
) -> None:
    with pytest.raises(ingot.ModelError, match=words):
        ingot.build(models, "interp", name="m", **arguments)


def test_an_entry_alone_is_no_stream() -> None:
    library = ingot.build(_recurrent(), "interp", name="m", state={"h": "hn"}).load()
    model = library.entries()
    with pytest.raises(ingot.InputError, match="fork the stream, which forks all its entries"):
        model["step"].fork()
    with pytest.raises(ingot.InputError, match="model 'm' has no entry 'stop'; did you mean 'step'"):
        model["stop"]
    with pytest.raises(ingot.LoadError, match="no model 'n' with entries"):
        library.entries("n")
