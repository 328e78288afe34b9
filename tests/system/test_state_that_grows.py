"""State that grows with each step, such as the caches of decoders as they are exported: `present` is `past` and what is new."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import onnx
import pytest

import ingot
from ingot.loops.analyse.accesses import accesses
from ingot.loops.nodes import Const
from ingot.loops.parse import from_text
from tests.support.kernel_llvm import needs_cc

SILENT = ingot.Observer(on_note=lambda _: None)
CAPACITY = 16
HEADS, DEPTH = 2, 16
WIDTH = HEADS * DEPTH
Arrays = dict[str, np.ndarray]


def decoder(seq: int = 1, more: str = "") -> onnx.ModelProto:
    """A block of attention whose queries, keys and values are all `x`; `seen` hides places."""
    cache = f"float[1, {HEADS}, past, {DEPTH}]"
    new_cache = f"float[1, {HEADS}, next, {DEPTH}]"
    text = f"""<ir_version: 8, opset_import: ["": 17]> m
        (float[1, {seq}, {WIDTH}] x, int64[1, total] seen, {cache} past_key, {cache} past_value)
        => (float[1, {seq}, {WIDTH}] y, {new_cache} present_key, {new_cache} present_value{", float[1] z" * bool(more)})
        <int64[4] split = {{1, {seq}, {HEADS}, {DEPTH}}}, int64[3] merge = {{1, {seq}, {WIDTH}}}, int64[2] between = {{1, 2}},
        float one = {{1}}, float least = {{-1e9}}, float scale = {{0.5}}, int64[1] flat = {{1}}> {{
        by_head = Reshape(x, split)
        q = Transpose <perm = [0, 2, 1, 3]> (by_head)
        present_key = Concat <axis = 2> (past_key, q)
        present_value = Concat <axis = 2> (past_value, q)
        keys = Transpose <perm = [0, 1, 3, 2]> (present_key)
        products = MatMul(q, keys)
        scores = Mul(products, scale)
        is_seen = Cast <to = 1> (seen)
        hidden = Sub(one, is_seen)
        bias = Mul(hidden, least)
        wide = Unsqueeze(bias, between)
        masked = Add(scores, wide)
        weights = Softmax <axis = -1> (masked)
        parts = MatMul(weights, present_value)
        by_row = Transpose <perm = [0, 2, 1, 3]> (parts)
        y = Reshape(by_row, merge) {more}
        }}"""
    return onnx.parser.parse_model(text)


def factory(seq: int = 1, target: str = "interp", more: str = "", **options: object) -> ingot.Library:
    options = {
        "state": {"past_*": "present_*"},
        "dims": {"past": ingot.dim(0, CAPACITY), "total": f"past + {seq}"},
        "cache": None,
        "observer": SILENT,
        **options,
    }
    return ingot.build(decoder(seq, more), target, **options).load()["m"]


def inputs(seq: int, steps: int) -> list[Arrays]:
    random = np.random.default_rng(0)
    return [
        {
            "x": random.standard_normal((1, seq, WIDTH)).astype(np.float32),
            "seen": (np.arange((at + 1) * seq)[None] >= at // 2).astype(np.int64),
        }
        for at in range(steps)
    ]


def expected(given: list[Arrays]) -> list[np.ndarray]:
    """What the decoder gives in each step, by its definition."""
    results = []
    for at, arrays in enumerate(given):
        heads = [each["x"].reshape(-1, HEADS, DEPTH).transpose(1, 0, 2) for each in given[: at + 1]]
        keys = np.concatenate(heads, axis=1)
        scores = heads[-1] @ keys.transpose(0, 2, 1) * 0.5 - 1e9 * (1 - arrays["seen"])
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        parts = weights / weights.sum(-1, keepdims=True) @ keys
        results.append(parts.transpose(1, 0, 2).reshape(1, -1, WIDTH))
    return results


def axes(stream: ingot.Executor) -> list[int | None]:
    return [state.axis for state in stream._info.states]


def lengths(stream: ingot.Executor) -> set[int]:
    return {array.shape[2] for array in stream.state().values()}


@pytest.mark.parametrize("seq", [1, 3])
@pytest.mark.parametrize(("target", "kind"), [("llvmjit", "aot"), ("interp", "graph")])
def test_a_decoder_steps_with_a_cache_that_grows_in_its_place(seq: int, target: str, kind: str) -> None:
    stream, given = factory(seq, target, executor=kind)(), inputs(seq, CAPACITY // seq)
    assert axes(stream) == [2, 2]
    for at, (arrays, result) in enumerate(zip(given, expected(given), strict=True)):
        np.testing.assert_allclose(stream.predict(**arrays), result, atol=1e-5)
        assert lengths(stream) == {(at + 1) * seq}
    x = np.concatenate([arrays["x"] for arrays in given], axis=1)
    filled = x.reshape(1, -1, HEADS, DEPTH).transpose(0, 2, 1, 3)
    np.testing.assert_array_equal(stream.state()["past_key"], filled)


def test_a_cache_that_others_read_too_is_a_copy_and_grows_as_well() -> None:
    stream = factory(more="sum = ReduceSum <keepdims = 0> (past_key) z = Reshape(sum, flat)")()
    given = inputs(1, 4)
    assert axes(stream) == [None, 2]
    total = 0.0
    for arrays, result in zip(given, expected(given), strict=True):
        y, z = stream.predict(**arrays)
        np.testing.assert_allclose(y, result, atol=1e-5)
        np.testing.assert_allclose(z, [total], atol=1e-4)
        total += arrays["x"].sum()
    fork = stream.fork()
    assert lengths(fork) == {4}
    stream.reset()
    assert (lengths(stream), lengths(fork)) == ({0}, {4})


def test_what_a_step_writes_does_not_depend_on_the_capacity() -> None:
    def written(capacity: int) -> int:
        dims = {"past": ingot.dim(0, capacity), "total": "past + 1"}
        artifacts = ingot.build(
            decoder(), "llvmjit", state={"past_*": "present_*"}, dims=dims, cache=None, observer=SILENT
        )
        kernels = [
            from_text(bytes(each.content).decode()) for each in artifacts if each.file_name.endswith(".loops")
        ]
        loops = [access.loops for kernel in kernels for access in accesses(kernel) if access.is_store]
        # Other loops end with what is filled.
        extents = [
            [loop.extent.value for loop in around if isinstance(loop.extent, Const)]
            for around in loops
            if all(isinstance(loop.extent, Const) for loop in around)
        ]
        return sum(math.prod(map(int, row)) for row in extents)

    assert written(32) == written(512)


def test_a_stream_goes_on_from_what_was_kept_and_forks_and_begins_anew() -> None:
    stream, given = factory()(), inputs(1, 6)
    results = [stream.predict(**arrays) for arrays in given]
    stream.reset()
    assert lengths(stream) == {0}
    for arrays in given[:4]:
        stream.predict(**arrays)
    kept, fork = stream.state(), stream.fork()
    for branch in (stream, fork):
        np.testing.assert_array_equal(branch.predict(**given[4]), results[4])
    stream.set_state(kept)
    out = np.empty((1, 1, WIDTH), np.float32)
    stream.predict(**given[4], out=out)
    np.testing.assert_array_equal(out, results[4])
    stream.set_input(**given[5])
    stream.run()
    np.testing.assert_array_equal(stream.get_output("y"), results[5])
    assert lengths(stream) == {6}


def test_a_full_cache_is_an_error_that_names_it_and_leaves_it_as_it_is() -> None:
    stream = factory()()
    stream.set_state(
        {name: np.ones((1, HEADS, CAPACITY, DEPTH), np.float32) for name in ("past_key", "past_value")}
    )
    step = {"x": np.zeros((1, 1, WIDTH), np.float32), "seen": np.ones((1, CAPACITY + 1), np.int64)}
    with pytest.raises(
        ingot.InputError, match="'past_key' has 16 places filled, of 16 that it may hold"
    ) as caught:
        stream.predict(**step)
    assert caught.value.facts == {"state": "past_key", "filled": CAPACITY, "capacity": CAPACITY}
    assert lengths(stream) == {CAPACITY}


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ({"past_key": (1, HEADS, 3, DEPTH)}, "'past_value' would have 0 places filled, and others 3"),
        (
            dict.fromkeys(["past_key", "past_value"], (1, HEADS, 17, DEPTH)),
            "may hold 16 places along axis 2, got 17",
        ),
        ({"past_key": (1, 3, 2, DEPTH)}, r"has the shape \[1, 3, 2, 16\]; expected .* past ∈ 0..16"),
        ({"past_key": (2,)}, r"has the shape \[2\]"),
    ],
)
def test_a_state_that_does_not_fit_is_refused(states: dict[str, tuple[int, ...]], message: str) -> None:
    stream = factory()()
    with pytest.raises(ingot.InputError, match=message):
        stream.set_state({name: np.zeros(shape, np.float32) for name, shape in states.items()})
    assert lengths(stream) == {0}


def test_a_mask_has_as_many_places_as_are_filled_after_the_step() -> None:
    stream, (arrays,) = factory()(), inputs(1, 1)
    with pytest.raises(
        ingot.InputError, match="axis 1 of 'seen' is 5; expected 1, since 0 places of state are filled"
    ):
        stream.predict(x=arrays["x"], seen=np.ones((1, 5), np.int64))
    assert lengths(stream) == {0}


def test_whoever_keeps_the_cache_gives_and_gets_it_at_any_length() -> None:
    carrying, given = factory()(keeps_state=False), inputs(1, 3)
    cache = {name: np.zeros((1, HEADS, 0, DEPTH), np.float32) for name in ("past_key", "past_value")}
    for arrays, result in zip(given, expected(given), strict=True):
        y, *caches = carrying.predict(**arrays, **cache)
        np.testing.assert_allclose(y, result, atol=1e-5)
        cache = dict(zip(cache, caches, strict=True))
    assert cache["past_key"].shape == (1, HEADS, 3, DEPTH)


@pytest.mark.parametrize("past", [ingot.dim(1, 16), ingot.dim(0, 1), [0, 4]])
def test_how_much_is_filled_begins_at_none_and_finds_room_for_a_step(past: object) -> None:
    with pytest.raises(ingot.ModelError, match="a state that grows by 1 in each step begins with 0 places"):
        factory(dims={"past": past, "total": "past + 1"})


def test_a_sum_of_extents_names_one_that_varies() -> None:
    with pytest.raises(
        ingot.ModelError,
        match=r"a text is the name of another extent.* or a sum of numbers and of some that vary",
    ):
        factory(dims={"past": ingot.dim(0, 16), "total": "before + 1"})


def test_a_symbol_that_is_written_as_a_sum_follows_from_its_terms() -> None:
    proto = decoder()
    proto.graph.input[1].type.tensor_type.shape.dim[1].dim_param = "past + 1"
    artifacts = ingot.build(
        proto, "interp", state="auto", dims={"past": ingot.dim(0, 16)}, cache=None, observer=SILENT
    )
    stream, given = artifacts.load()["m"](), inputs(1, 2)
    for arrays, result in zip(given, expected(given), strict=True):
        np.testing.assert_allclose(stream.predict(**arrays), result, atol=1e-5)


def test_an_attention_node_fills_its_cache_in_its_place() -> None:
    text = """<ir_version: 10, opset_import: ["": 24]> m (float[1, 2, 2, 8] q, float[1, 2, 2, 8] k, float[1, 2, past, 8] past_key,
        float[1, 2, past, 8] past_value) => (float[1, 2, 2, 8] y, float[1, 2, next, 8] present_key,
        float[1, 2, next, 8] present_value) { y, present_key, present_value = Attention(q, k, k, , past_key, past_value) }"""
    artifacts = ingot.build(
        onnx.parser.parse_model(text),
        "interp",
        state="auto",
        dims={"past": ingot.dim(0, 16)},
        cache=None,
        observer=SILENT,
    )
    stream, random = artifacts.load()["m"](), np.random.default_rng(0)
    assert axes(stream) == [2, 2]
    keys = np.zeros((1, 2, 0, 8), np.float32)
    for _ in range(4):
        q, k = random.standard_normal((2, 1, 2, 2, 8)).astype(np.float32)
        keys = np.concatenate([keys, k], axis=2)
        scores = np.exp(q @ keys.transpose(0, 1, 3, 2) / math.sqrt(8))
        y = stream.predict(q=q, k=k)
        np.testing.assert_allclose(y, scores / scores.sum(-1, keepdims=True) @ keys, atol=1e-5)


def test_the_cache_of_grouped_queries_is_filled_in_its_place() -> None:
    """By single tokens and by several: what is new sees what was new before it."""
    cache, new_cache = "float[1, 2, past, 8]", "float[1, 2, total, 8]"
    text = f"""<ir_version: 10, opset_import: ["": 21, "com.microsoft": 1]> m
        (float[1, new, 16] q, float[1, new, 16] k, {cache} past_key, {cache} past_value, int64[1, total] seen)
        => (float[1, new, 16] y, {new_cache} present_key, {new_cache} present_value)
        <int64[1] along = {{1}}, int64 second = {{1}}, int64[1] one = {{1}}> {{
        count = ReduceSum <keepdims = 0> (seen, along)
        last = Sub(count, one)
        lengths = Cast <to = 6> (last)
        shape = Shape(seen)
        places = Gather(shape, second)
        total = Cast <to = 6> (places)
        y, present_key, present_value =
            com.microsoft.GroupQueryAttention <num_heads = 2, kv_num_heads = 2>
            (q, k, k, past_key, past_value, lengths, total) }}"""
    dims = {"new": [1, 3], "past": ingot.dim(0, 16), "total": "past + new"}
    artifacts = ingot.build(
        onnx.parser.parse_model(text), "interp", state="auto", dims=dims, cache=None, observer=SILENT
    )
    stream, random = artifacts.load()["m"](), np.random.default_rng(0)
    assert axes(stream) == [2, 2]
    keys = np.zeros((2, 0, 8), np.float32)
    for new in (3, 1, 1, 3, 1):
        q, k = random.standard_normal((2, 1, new, 16)).astype(np.float32)
        past = keys.shape[1]
        keys = np.concatenate([keys, k.reshape(new, 2, 8).transpose(1, 0, 2)], axis=1)
        scores = np.exp(q.reshape(new, 2, 8).transpose(1, 0, 2) @ keys.transpose(0, 2, 1) / math.sqrt(8))
        scores *= np.arange(past + new) <= past + np.arange(new)[:, None]
        y = stream.predict(q=q, k=k, seen=np.ones((1, past + new), np.int64))
        parts = scores / scores.sum(-1, keepdims=True) @ keys
        np.testing.assert_allclose(y, parts.transpose(1, 0, 2).reshape(1, new, 16), atol=1e-5)


@needs_cc
def test_a_library_file_keeps_state_that_grows(tmp_path: Path) -> None:
    artifacts = ingot.build(
        decoder(),
        "llvm",
        state={"past_*": "present_*"},
        dims={"past": ingot.dim(0, 16), "total": "past + 1"},
        cache=None,
        observer=SILENT,
    )
    artifacts.export_library(tmp_path / "m.so")
    stream, given = ingot.load(tmp_path / "m.so")["m"](), inputs(1, 3)
    for arrays, result in zip(given, expected(given), strict=True):
        np.testing.assert_allclose(stream.predict(**arrays), result, atol=1e-5)
    assert axes(stream) == [2, 2]
