"""Attention over a cache reads what is filled, whatever the capacity is."""

from __future__ import annotations

import re

import numpy as np
import onnx
import pytest
from onnx import helper

import ingot
from tests.system.test_state_in_place import SILENT, axes, executor, grouped

# Attention of opset 24 over caches that TensorScatter fills: a step of 4 heads of 8 elements that share 2 heads of keys.
STANDARD = """<ir_version: 10, opset_import: ["": 24]> m (float[B, 1, 32] q, float[B, 1, 16] k, float[B, 1, 16] v,
    float[B, C, 16] k_cache_in, float[B, C, 16] v_cache_in, int64[B] at, int64[B] lengths)
    => (float[B, 1, 32] y, float[B, C, 16] k_cache_out, float[B, C, 16] v_cache_out) {
    k_cache_out = TensorScatter <axis = 1> (k_cache_in, k, at)
    v_cache_out = TensorScatter <axis = 1> (v_cache_in, v, at)
    y = Attention <q_num_heads = 4, kv_num_heads = 2, is_causal = IS_CAUSAL> (q, k_cache_out, v_cache_out, , , , lengths)
}"""


def standard(capacity: int, batch: int = 1, *, causal: bool = False, rows: int = 1) -> onnx.ModelProto:
    text = STANDARD.replace("IS_CAUSAL", str(int(causal))).replace("B, 1,", f"B, {rows},")
    return onnx.parser.parse_model(
        text.replace("C, ", f"{capacity}, ").replace("B, ", f"{batch}, ").replace("[B]", f"[{batch}]")
    )


def attended(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """What 4 heads see of 2 heads of keys `[T, 16]`."""
    heads = []
    for head in range(4):
        part = slice(head // 2 * 8, head // 2 * 8 + 8)
        scores = k[:, part] @ q[head * 8 : head * 8 + 8] / np.sqrt(8)
        weights = np.exp(scores - scores.max())
        heads.append(weights @ v[:, part] / weights.sum())
    return np.concatenate(heads)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("target", "kind"), [("llvmjit", "aot"), ("interp", "graph")])
def test_what_lies_behind_the_filled_part_of_a_cache_is_not_read(
    target: str, kind: str, causal: bool
) -> None:
    capacity, batch = 256, 2
    stream = executor(standard(capacity, batch, causal=causal), target, executor=kind)
    assert set(axes(stream).values()) == {1}
    poison = np.full((batch, capacity, 16), np.nan, np.float32)
    poison[:, :64] = 0  # places up to a multiple of 64 are read, and count for nothing
    stream.set_state(k_cache_in=poison, v_cache_in=poison)
    random = np.random.default_rng(0)
    caches = np.zeros((2, batch, 64, 16), np.float32)
    for step in range(6):
        at = np.int64([step, 3 * step])
        q, k, v = (random.standard_normal((batch, 1, size), np.float32) for size in (32, 16, 16))
        given = {"q": q, "k": k, "v": v, "at": at, "lengths": at + 1}
        result = stream.predict(given)
        for one_of_batch, place in enumerate(at):
            caches[0, one_of_batch, place], caches[1, one_of_batch, place] = (
                k[one_of_batch, 0],
                v[one_of_batch, 0],
            )
            seen = caches[:, one_of_batch, : place + 1]
            np.testing.assert_allclose(
                result[one_of_batch, 0], attended(q[one_of_batch, 0], *seen), rtol=1e-4, atol=1e-5
            )


@pytest.mark.parametrize("rows", [1, 3])
def test_a_step_of_grouped_attention_does_not_depend_on_the_capacity(rows: int) -> None:
    results = []
    for capacity in (128, 4096):
        stream, random = executor(grouped(capacity, rows), "llvmjit"), np.random.default_rng(1)
        poison = np.full((1, 2, capacity, 16), np.nan, np.float32)
        poison[:, :, :64] = 0
        stream.set_state(dict.fromkeys(axes(stream), poison))
        answers = []
        for filled in range(rows, 40, rows):
            given = {
                name: random.standard_normal((1, rows, size), np.float32)
                for name, size in (("q", 64), ("k", 32), ("v", 32))
            }
            answers.append(stream.predict(given, seqlens_k=np.int32([filled - 1]), total=np.int32([filled])))
        results.append(np.stack(answers))
    assert not np.isnan(results[0]).any()
    np.testing.assert_allclose(*results, rtol=1e-5, atol=1e-6)


def test_a_whole_cache_is_read_when_it_is_full() -> None:
    runtime = pytest.importorskip("onnxruntime")
    proto = grouped(130, 1)
    stream, session, random = (
        executor(proto, "llvmjit"),
        runtime.InferenceSession(proto.SerializeToString()),
        np.random.default_rng(2),
    )
    kept = {name: random.standard_normal((1, 2, 130, 16), np.float32) for name in axes(stream)}
    for filled in (63, 64, 65, 128, 129, 130):
        stream.set_state(kept)
        given = {
            name: random.standard_normal((1, 1, size), np.float32)
            for name, size in (("q", 64), ("k", 32), ("v", 32))
        }
        given |= {"seqlens_k": np.int32([filled - 1]), "total": np.int32([filled])}
        expected = session.run(["y"], {**given, **kept})[0]
        np.testing.assert_allclose(stream.predict(given), expected, rtol=1e-4, atol=1e-5)


def test_loops_over_keys_end_at_a_number_that_is_known_while_running() -> None:
    artifacts = ingot.build(grouped(4096, 1), "interp", state="auto", cache=None, observer=SILENT)
    texts = {
        each.file_name: bytes(each.content).decode()
        for each in artifacts
        if each.file_name.endswith(".loops")
    }
    over_keys = [
        name
        for name, text in texts.items()
        if "4096" in text.partition("{")[2] and ("matmul" in name or "softmax" in name)
    ]
    assert len(over_keys) == 3
    for name in over_keys:
        assert "min(max(" in texts[name], name


def long_loops(proto: onnx.ModelProto, shortest: int) -> list[str]:
    """The heads of all loops of a model for this machine that have so many iterations at least, whatever is filled."""
    artifacts = ingot.build(proto, "llvmjit", state="auto", cache=None, observer=SILENT)
    (text,) = (bytes(each.content).decode() for each in artifacts if each.file_name == "m.loops.txt")
    return [loop for loop in re.findall(r"\w+ < \d+ {", text) if int(loop.split()[2]) >= shortest]


def test_no_loop_of_a_step_goes_through_the_whole_capacity() -> None:
    artifacts = ingot.build(standard(4096), "interp", state="auto", cache=None, observer=SILENT)
    texts = [bytes(each.content).decode() for each in artifacts if each.file_name.endswith(".loops")]
    assert any("4096" in text for text in texts)
    assert not [text for text in texts if " < 4096 {" in text]


@pytest.mark.parametrize("operator", ["Attention", "GroupQueryAttention"])
def test_no_loop_of_a_prompt_goes_through_the_whole_capacity(operator: str) -> None:
    capacity, rows = 16384, 16
    proto = grouped(capacity, rows) if operator == "GroupQueryAttention" else standard(capacity, rows=rows)
    assert not long_loops(proto, capacity // 64)


@pytest.mark.parametrize("is_causal", [False, True])
def test_a_mask_that_a_model_gives_is_read_as_far_as_the_cache_is_filled(is_causal: bool) -> None:
    """Heads that share keys get the mask one behind another, as far as it is there."""
    proto = grouped(16384, 12)
    mask = helper.make_tensor_value_info("mask", onnx.TensorProto.FLOAT, [1, 1, 12, 16384])
    proto.graph.input.append(mask)
    proto.graph.node[0].input.extend(["", "mask"])
    proto.graph.node[0].attribute.append(helper.make_attribute("causal", int(is_causal)))
    assert not long_loops(proto, 256)
