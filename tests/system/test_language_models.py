"""Decoders of Llama's kind from GGUF files by the script of examples/chat, as libraries that continue a text token by token.

A tiny one with random weights stands for the real ones: it has their operators, formats of weights, and cache.
"""

from __future__ import annotations

import importlib
import itertools
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import onnx.parser
import onnxruntime
import pytest

import ingot
from tests.support.numpy_decoder import logits_after, tensors_of
from tests.support.paths import ROOT
from tests.support.tiny_gguf import GROUPS, HEAD, LAYERS, write_gguf

CAPACITY, PIECE = 64, 8
PROMPT = [5, 81, 3, 17, 40, 9, 77, 2, 33, 60, 11]  # a piece of 8 and one of 3
TWINS = {"published": [], "standard": ["--standard"]}


@pytest.fixture(scope="module")
def chat() -> ModuleType:
    """The script that makes ONNX files."""
    sys.path.insert(0, str(ROOT / "examples/chat"))
    try:
        return importlib.import_module("to_onnx")
    finally:
        sys.path.pop(0)


@pytest.fixture(scope="module")
def converted(chat: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    folder = tmp_path_factory.mktemp("decoders")

    def convert(twin: str, architecture: str = "llama", kinds: Mapping[str, str] = {"": "Q4_1"}) -> Path:
        name = "_".join([architecture, twin, *kinds.values()])
        file = write_gguf(folder / f"{name}.gguf", architecture, kinds)
        assert chat.main([str(file), "-o", str(folder / f"{name}.onnx"), *TWINS[twin]]) == 0
        return folder / f"{name}.onnx"

    return convert


@pytest.fixture(scope="module")
def artifacts(converted: Callable[..., Path]) -> ingot.ArtifactSet:
    return built(converted("published"))


@pytest.fixture(scope="module")
def library(artifacts: ingot.ArtifactSet) -> ingot.Library:
    return artifacts.load()


def built(path: Path) -> ingot.ArtifactSet:
    state = {"past_key_values.*": "present.*"}
    return ingot.build(path, "llvmjit", dims={"seq": [1, PIECE], "capacity": CAPACITY}, state=state)


def executor(library: ingot.Library) -> ingot.Executor:
    return library[library.model_names[0]](ingot.cpu(0))


class Session:
    """onnxruntime with the same file and a cache that is handed on. It rounds no activations."""

    def __init__(self, path: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.names = [output.name for output in self.session.get_outputs()]
        caches = [f"past_key_values.{layer}.{role}" for layer in range(LAYERS) for role in ("key", "value")]
        self.state = {name: np.zeros([1, GROUPS, CAPACITY, HEAD], np.float32) for name in caches}

    def logits_after(self, ids: Sequence[int], past: int) -> np.ndarray:
        given = {
            "input_ids": np.int64([ids]),
            "past_length": np.int64([past]),
            "logits_at": np.int64([len(ids) - 1]),
        }
        results = dict(zip(self.names, self.session.run(None, given | self.state), strict=True))
        logits = results.pop("logits")[0, 0]
        self.state = {name.replace("present", "past_key_values"): array for name, array in results.items()}
        return logits

    def greedy(self, prompt: Sequence[int], count: int) -> list[int]:
        tokens, ids, past = [], list(prompt), 0
        for _ in range(count):
            logits = self.logits_after(ids, past)
            past += len(ids)
            ids = [int(logits.argmax())]
            tokens += ids
        return tokens


@pytest.mark.parametrize("twin", TWINS)
def test_fifty_greedy_tokens_are_those_of_onnxruntime(
    twin: str, converted: Callable[..., Path], library: ingot.Library
) -> None:
    path = converted(twin)
    model = library if twin == "published" else built(path).load()
    tokens = list(ingot.generate(model, PROMPT, max_tokens=50))
    assert tokens == Session(path).greedy(PROMPT, 50)
    assert len(set(tokens)) > 5  # not one token again and again, which many a wrong cache gives too


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize(
    ("architecture", "kinds"),
    [
        ("llama", {"": "Q4_1"}),
        ("llama", {"ffn_down": "Q4_K", "attn_v": "Q8_0", "": "Q4_0"}),
        ("qwen2", {"ffn_down": "Q6_K", "": "F16"}),
        ("qwen3", {"attn_k": "Q4_0", "": "Q8_0"}),
    ],
)
def test_the_file_computes_what_the_definition_says(
    architecture: str, kinds: Mapping[str, str], twin: str, converted: Callable[..., Path]
) -> None:
    path = converted(twin, architecture, kinds)
    tensors = tensors_of(path.with_suffix(".gguf").read_bytes(), architecture, kinds)
    expected = logits_after(tensors, PROMPT, architecture)
    np.testing.assert_allclose(Session(path).logits_after(PROMPT, 0), expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("architecture", "facts", "words"),
    [
        ("gemma", {}, "architecture 'gemma' is not handled, only llama, qwen2, qwen3"),
        ("llama", {"rope__scaling__type": "yarn"}, "what is not handled: rope.scaling.type = yarn"),
        ("llama", {"expert_count": 8}, "what is not handled: expert_count"),
        (
            "llama",
            {"attention__head_count": 2},
            "a matrix of 2 heads of 16 elements has 64 rows, expected 32",
        ),
    ],
)
def test_a_decoder_of_another_kind_is_refused(
    architecture: str,
    facts: dict[str, object],
    words: str,
    chat: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = write_gguf(tmp_path / "tiny.gguf", architecture, **facts)
    assert chat.main([str(file), "-o", str(tmp_path / "tiny.onnx")]) == 2
    assert words in capsys.readouterr().err


def test_a_file_that_is_cut_short_anywhere_is_refused(
    chat: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = write_gguf(tmp_path / "tiny.gguf").read_bytes()
    for length in (0, 3, 20, 100, 700, len(whole) // 2, len(whole) - 33):
        (tmp_path / "cut.gguf").write_bytes(whole[:length])
        assert chat.main([str(tmp_path / "cut.gguf"), "-o", str(tmp_path / "cut.onnx")]) == 2
        assert re.search(r"cut short|is no GGUF file", capsys.readouterr().err)
    assert not (tmp_path / "cut.onnx").exists()


@pytest.mark.parametrize("count", [1, 3, 8, 11])
def test_a_prompt_in_pieces_is_continued_as_one_in_single_steps(count: int, library: ingot.Library) -> None:
    model = executor(library)
    in_pieces = list(ingot.generate(model, PROMPT[:count], max_tokens=12))
    other = model.fork()
    for past, token in enumerate(PROMPT[:count]):
        (first,) = ingot.generate(other, [token], past=past, max_tokens=1)
    assert [first, *ingot.generate(other, [first], past=count, max_tokens=11)] == in_pieces


def test_programs_of_several_sizes_share_weights_and_a_cache_that_is_changed_in_place(
    artifacts: ingot.ArtifactSet, converted: Callable[..., Path]
) -> None:
    (info,) = artifacts.models().values()
    assert [state.axis for state in info.states] == [2] * 2 * LAYERS
    assert len(info.programs) == 2
    assert info.host.memory.params_bytes < 1.2 * converted("published").stat().st_size


def test_attention_of_every_layer_ends_where_the_cache_does(converted: Callable[..., Path]) -> None:
    texts: dict[str, str | bytes] = {}
    ingot.build(
        converted("published"),
        "interp",
        dims={"seq": PIECE, "capacity": CAPACITY},
        state={"past_key_values.*": "present.*"},
        cache=None,
        observer=ingot.Observer(on_dump=texts.__setitem__),
    )
    layers = [line for line in str(texts["fused.txt"]).splitlines() if "= attention " in line]
    assert len(layers) == LAYERS
    assert all("filled=" in line and "ingot.filled" in line for line in layers)


def test_a_seed_chooses_the_same_tokens_again_and_another_one_others(library: ingot.Library) -> None:
    def tokens(**chance: float) -> list[int]:
        return list(ingot.generate(library, PROMPT, max_tokens=20, **chance))

    assert tokens(temperature=1.5, seed=1) == tokens(temperature=1.5, seed=1)
    assert tokens(temperature=1.5, seed=1) != tokens(temperature=1.5, seed=2)
    assert tokens(temperature=1.5, top_k=1, seed=1) == tokens(temperature=0.7, top_p=1e-9, seed=2) == tokens()


def test_a_stop_token_is_the_last_one(library: ingot.Library) -> None:
    tokens = list(ingot.generate(library, PROMPT, max_tokens=20))
    last = tokens[4]
    assert (
        list(ingot.generate(library, PROMPT, max_tokens=20, stop=[last])) == tokens[: tokens.index(last) + 1]
    )


def test_a_token_is_given_before_the_next_one_is_computed(library: ingot.Library) -> None:
    model = executor(library)
    tokens, keys = ingot.generate(model, PROMPT), []
    for _ in range(2):
        next(tokens)
        keys.append(model.state()["past_key_values.0.key"][0, 0])
    assert (keys[0] != keys[1]).any(axis=1).nonzero()[0].tolist() == [len(PROMPT)]


def test_a_full_cache_is_an_error_that_says_how_many_places_there_are(library: ingot.Library) -> None:
    with pytest.raises(
        ingot.InputError, match="65 more tokens after 0 do not fit the cache, which has 64 places"
    ):
        ingot.generate(library, [1] * (CAPACITY + 1))
    tokens = ingot.generate(library, PROMPT)
    assert (
        len(list(itertools.islice(tokens, CAPACITY - len(PROMPT) + 1))) == 54
    )  # nobody reads the key of the last one
    with pytest.raises(ingot.InputError, match="1 more tokens after 64 do not fit"):
        next(tokens)


def test_a_recurrent_model_is_continued_too_and_takes_one_token_in_a_run() -> None:
    text = """<ir_version: 10, opset_import: ["": 21]> counter
    (int64[1, 1] input_ids, float[1, 1] h) => (float[1, 1, 7] logits, float[1, 1] hn)
    <int64 depth = {7}, float[2] values = {0.0, 1.0}, float seven = {7.0}> {
        token = Cast <to = 1> (input_ids) sum = Add(token, h) hn = Mod <fmod = 1> (sum, seven)
        at = Cast <to = 7> (hn) logits = OneHot(at, depth, values)
    }"""
    library = ingot.build(onnx.parser.parse_model(text), "llvmjit", state={"h": "hn"}).load()
    assert list(ingot.generate(library, [1, 2], max_tokens=5)) == [3, 6, 5, 3, 6]
    assert list(ingot.generate(library, [1, 2], max_tokens=2)) == [3, 6]  # begun anew


def test_what_is_no_language_model_is_refused_by_what_it_lacks() -> None:
    text = """<ir_version: 10, opset_import: ["": 21]> total (float[1] x, float[1] h) => (float[1] y, float[1] hn)
    { y = Add(x, h) hn = Identity(y) }"""
    proto = onnx.parser.parse_model(text)
    with pytest.raises(
        ingot.InputError, match="takes x and gives y; expected input input_ids and output logits"
    ):
        ingot.generate(ingot.build(proto, "llvmjit", state={"h": "hn"}).load(), [1])
    with pytest.raises(ingot.InputError, match="keeps no state"):
        ingot.generate(ingot.build(proto, "llvmjit").load(), [1])
    with pytest.raises(ingot.InputError, match="expected a library, an executor or entries, got str"):
        ingot.generate("model.so", [1])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"ids": []}, "ids is empty"),
        ({"ids": [0.5]}, "ids: expected whole numbers"),
        ({"ids": [[1], [2]]}, "one sequence of token ids, got the shape"),
        ({"temperature": -1.0}, "temperature=-1.0: expected a number from 0 on"),
        ({"temperature": float("nan")}, "temperature=nan"),
        ({"top_k": -3}, "top_k=-3"),
        ({"top_p": 0}, "top_p=0"),
        ({"max_tokens": -1}, "max_tokens=-1"),
        ({"past": 1.5}, "past=1.5"),
        ({"seed": "x"}, "seed='x'"),
        ({"stop": ["</s>"]}, "stop: expected whole numbers"),
    ],
)
def test_an_argument_out_of_its_range_is_refused_before_anything_runs(
    arguments: dict[str, object], words: str, library: ingot.Library
) -> None:
    with pytest.raises(ingot.InputError, match=re.escape(words)):
        ingot.generate(library, **{"ids": [1], **arguments})
