"""Decoders as they are exported, with caches that grow: prompts and single tokens by programs that share weights and caches."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import onnx
import onnx.parser
import pytest

import ingot

SILENT = ingot.Observer(on_note=lambda _: None)
HEADS, DEPTH, WORDS, PIECE, CAPACITY = 2, 8, 23, 4, 18
WIDTH = HEADS * DEPTH
TOTAL = "past_sequence_length + sequence_length"
DIMS = {
    "batch_size": 1,
    "sequence_length": [1, PIECE],
    "past_sequence_length": ingot.dim(0, CAPACITY),
    "total_sequence_length": TOTAL,
}
Arrays = dict[str, np.ndarray]


def decoder(total: str = "total_sequence_length") -> onnx.ModelProto:
    """A layer of attention with a causal mask, in the operators that exports of transformers have."""
    past = f"float[batch_size, {HEADS}, past_sequence_length, {DEPTH}]"
    present = f"float[batch_size, {HEADS}, next, {DEPTH}]"
    text = f"""<ir_version: 8, opset_import: ["": 17]> decoder (int64[batch_size, sequence_length] input_ids,
        int64[batch_size, T] attention_mask, int64[batch_size, sequence_length] position_ids,
        {past} past_key_values_0_key, {past} past_key_values_0_value)
        => (float[batch_size, sequence_length, {WORDS}] logits, {present} present_0_key, {present} present_0_value)
        <int64[4] split = {{0, -1, {HEADS}, {DEPTH}}}, int64[3] merge = {{0, -1, {WIDTH}}}, int64[2] beside = {{1, 2}},
        int64[1] last = {{-1}}, int64[2] both = {{0, 1}}, int64 zero = {{0}}, int64 one = {{1}}, float hidden = {{-3.4e38}},
        float none = {{0}}, float scale = {{0.5}}> {{
        words = Gather(table, input_ids)
        at = Gather(places, position_ids)
        x = Add(words, at)
        parts = Reshape(x, split)
        q = Transpose <perm = [0, 2, 1, 3]> (parts)
        present_0_key = Concat <axis = 2> (past_key_values_0_key, q)
        present_0_value = Concat <axis = 2> (past_key_values_0_value, q)
        new_shape = Shape <start = 1, end = 2> (input_ids)
        new = Squeeze(new_shape)
        past_shape = Shape <start = 2, end = 3> (past_key_values_0_key)
        before = Squeeze(past_shape)
        all = Add(before, new)
        keys = Range(zero, all, one)
        queries = Range(zero, new, one)
        rows = Add(queries, before)
        column = Unsqueeze(rows, last)
        causal = LessOrEqual(keys, column)
        causal_by_head = Unsqueeze(causal, both)
        is_given = Cast <to = 9> (attention_mask)
        given = Unsqueeze(is_given, beside)
        seen = And(given, causal_by_head)
        bias = Where(seen, none, hidden)
        transposed = Transpose <perm = [0, 1, 3, 2]> (present_0_key)
        products = MatMul(q, transposed)
        scaled = Mul(products, scale)
        scores = Add(scaled, bias)
        weights = Softmax <axis = -1> (scores)
        sums = MatMul(weights, present_0_value)
        by_row = Transpose <perm = [0, 2, 1, 3]> (sums)
        merged = Reshape(by_row, merge)
        logits = MatMul(merged, head)
        }}"""
    proto = onnx.parser.parse_model(text)
    proto.graph.input[1].type.tensor_type.shape.dim[1].dim_param = total
    random = np.random.default_rng(0)
    for name, shape in (("table", (WORDS, WIDTH)), ("places", (64, WIDTH)), ("head", (WIDTH, WORDS))):
        array = random.standard_normal(shape).astype(np.float32)
        proto.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return proto


def built(model: onnx.ModelProto, target: str = "interp", **options: object) -> ingot.Library:
    options = {"dims": DIMS, "state": "auto", "cache": None, "observer": SILENT, **options}
    return ingot.build(model, target, **options).load()


@functools.cache
def library() -> ingot.Library:
    return built(decoder())


def step(ids: Sequence[int], past: int, hidden: int = 0) -> Arrays:
    """What one run is given; the first `hidden` places are padding."""
    return {
        "input_ids": np.array([ids]),
        "attention_mask": (np.arange(past + len(ids)) >= hidden).astype(np.int64)[None],
        "position_ids": np.arange(past, past + len(ids))[None],
    }


def logits_of(ids: Sequence[int], hidden: int = 0) -> np.ndarray:
    """The logits of all tokens, by the definition."""
    weights = {each.name: onnx.numpy_helper.to_array(each) for each in decoder().graph.initializer}
    x = weights["table"][list(ids)] + weights["places"][: len(ids)]
    parts = x.reshape(-1, HEADS, DEPTH).transpose(1, 0, 2)
    scores = parts @ parts.transpose(0, 2, 1) * 0.5
    places = np.arange(len(ids))
    scores = np.where((places <= places[:, None]) & (places >= hidden), scores, -3.4e38)
    numbers = np.exp(scores - scores.max(-1, keepdims=True))
    sums = numbers / numbers.sum(-1, keepdims=True) @ parts
    return sums.transpose(1, 0, 2).reshape(-1, WIDTH) @ weights["head"]


IDS = np.random.default_rng(1).integers(0, WORDS, CAPACITY).tolist()
PIECES = (PIECE, 1, 1, PIECE, PIECE, 1, 1, 1, 1)  # as many as fit


@pytest.mark.parametrize(("target", "kind"), [("llvmjit", "aot"), ("interp", "graph")])
def test_prompts_and_single_tokens_share_a_cache_that_grows_in_its_place(target: str, kind: str) -> None:
    stream = built(decoder(), target, executor=kind)["decoder"]()
    assert [state.axis for state in stream._info.states] == [2, 2]
    expected, past = logits_of(IDS, hidden=2), 0
    for size in PIECES:
        logits = stream.predict(step(IDS[past : past + size], past, hidden=2))
        # A query that sees nothing has no defined answer that anybody reads.
        shown = slice(max(2 - past, 0), None)
        np.testing.assert_allclose(logits[0][shown], expected[past : past + size][shown], atol=1e-4)
        past += size
    assert stream.state()["past_key_values_0_key"].shape == (1, HEADS, CAPACITY, DEPTH)


def test_a_step_that_finds_no_room_says_how_much_it_adds_and_a_shorter_one_goes_on() -> None:
    stream, past = library()["decoder"](), 0
    for size in PIECES[:-1]:
        stream.predict(step(IDS[past : past + size], past))
        past += size
    with pytest.raises(
        ingot.InputError, match=r"has 17 places filled, of 18 .*, and a step adds 4"
    ) as caught:
        stream.predict(step(IDS[:PIECE], past))
    assert caught.value.facts["filled"] == past
    np.testing.assert_allclose(stream.predict(step(IDS[past:], past))[0], logits_of(IDS)[past:], atol=1e-4)


def test_inputs_that_are_set_tell_how_much_is_new_when_they_run() -> None:
    stream = library()["decoder"]()
    stream.set_input(step(IDS[:PIECE], 0))
    fork = stream.fork()
    fork.predict(step(IDS[:1], 0))
    stream.run()
    assert stream.get_output("logits").shape == (1, PIECE, WORDS)
    stream.set_input(step(IDS[PIECE : PIECE + 1], PIECE))
    stream.run()
    np.testing.assert_allclose(stream.get_output("logits")[0], logits_of(IDS)[PIECE : PIECE + 1], atol=1e-4)
    lengths = [each.state()["past_key_values_0_key"].shape[2] for each in (stream, fork)]
    assert lengths == [PIECE + 1, 1]


def test_whoever_keeps_the_cache_gives_and_gets_it_at_any_length() -> None:
    carrying = library()["decoder"](keeps_state=False)
    past, caches = 0, [np.zeros((1, HEADS, 0, DEPTH), np.float32)] * 2
    for size in PIECES:
        names = ("past_key_values_0_key", "past_key_values_0_value")
        given = {**step(IDS[past : past + size], past), **dict(zip(names, caches, strict=True))}
        logits, *caches = carrying.predict(given)
        np.testing.assert_allclose(logits[0], logits_of(IDS)[past : past + size], atol=1e-4)
        past += size
    with pytest.raises(ingot.InputError, match=r"past_sequence_length is 18 .* was built for .* 0\.\.17"):
        carrying.predict({**step([1], past), **dict(zip(names, caches, strict=True))})


def test_a_text_is_continued_with_a_cache_that_grows_until_it_is_full() -> None:
    stream, prompt = library()["decoder"](), IDS[:7]
    assert stream.capacity == CAPACITY
    tokens = list(prompt)
    while len(tokens) <= CAPACITY:
        tokens.append(int(logits_of(tokens)[-1].argmax()))
    answer = ingot.generate(stream, prompt)
    assert [next(answer) for _ in tokens[7:]] == tokens[7:]
    with pytest.raises(ingot.InputError, match="do not fit the cache, which has 18 places"):
        next(answer)
    assert list(ingot.generate(stream, prompt, max_tokens=4)) == tokens[7:11]
    assert list(ingot.generate(stream, [tokens[10]], past=10, max_tokens=3)) == tokens[11:14]


@pytest.mark.parametrize("total", [1, 9])
def test_a_mask_has_as_many_places_as_are_filled_and_new_together(total: int) -> None:
    stream = library()["decoder"]()
    stream.predict(step(IDS[:PIECE], 0))
    given = {**step(IDS[:1], PIECE), "attention_mask": np.ones((1, total), np.int64)}
    message = rf"axis 1 of 'attention_mask' is {total}; expected 5, since 4 places of state are filled, and this step adds 1"
    with pytest.raises(ingot.InputError, match=message):
        stream.predict(given)


def test_an_extent_that_is_written_as_a_sum_of_two_that_vary_needs_no_entry() -> None:
    dims = {name: said for name, said in DIMS.items() if name != "total_sequence_length"}
    stream = built(decoder(TOTAL), dims=dims)["decoder"]()
    np.testing.assert_allclose(stream.predict(step(IDS[:PIECE], 0))[0], logits_of(IDS[:PIECE]), atol=1e-4)


@pytest.mark.parametrize("total", ["total_sequence_length", "past_sequence_length + 1"])
def test_a_decoder_is_built_with_nothing_but_a_capacity(total: str) -> None:
    notes: list[str] = []
    dims = {"past_sequence_length": ingot.dim(0, CAPACITY)}
    observer = ingot.Observer(on_note=notes.append)
    stream, prompt = built(decoder(total), dims=dims, observer=observer)["decoder"](), IDS[:16]
    np.testing.assert_allclose(stream.predict(step(prompt, 0))[0], logits_of(prompt), atol=1e-4)
    np.testing.assert_allclose(stream.predict(step(IDS[16:17], 16))[0], logits_of(IDS[:17])[16:], atol=1e-4)
    text = "\n".join(notes)
    assert "batch_size is 1" in text and "sequence_length may be 1,16" in text
    assert f"{total} is past_sequence_length + sequence_length: with fewer" in text


def test_a_decoder_of_which_nothing_is_said_has_a_capacity_that_is_told() -> None:
    notes: list[str] = []
    stream = built(decoder(), dims=None, observer=ingot.Observer(on_note=notes.append))["decoder"]()
    assert stream.capacity == 2048
    assert any("past_sequence_length may be 0..2048" in note for note in notes)


def test_a_mask_that_fits_no_sum_is_left_to_the_caller() -> None:
    proto = decoder()
    proto.graph.input[1].type.tensor_type.shape.dim[0].dim_param = "other"
    with pytest.raises(ingot.ModelError, match="symbolic extents are not bound"):
        built(proto, dims={"batch_size": 1, "past_sequence_length": [0, 4]})


def test_a_sum_has_one_range_and_its_other_terms_have_lists() -> None:
    with pytest.raises(
        ingot.ModelError, match=r"is the name of another extent, .* or a sum of numbers and of some that vary"
    ):
        built(decoder(), dims={**DIMS, "sequence_length": ingot.dim(1, PIECE)})
