"""State that an executor keeps: what an output gives is an input of the next run."""

from __future__ import annotations

import json
import tarfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import ingot
from ingot.artifact.state_block import state_block
from ingot.cli.main import main
from tests.support.kernel_llvm import needs_cc

# An LSTM over pieces of three steps: the state of one piece is where the next one begins.
LSTM = """<ir_version: 8, opset_import: ["": 17]> m (float[3, 2, 4] x, float[1, 2, 5] h, float[1, 2, 5] c)
    => (float[3, 1, 2, 5] y, float[1, 2, 5] hn, float[1, 2, 5] cn)
    { y, hn, cn = LSTM <hidden_size = 5> (x, w, r, b, , h, c) }"""
COUNTER = """<ir_version: 8, opset_import: ["": 17]> m (int64[N] x, int64[1] seen) => (int64[N] y, int64[1] seen_out)
    <int64[1] axes = {0}> { y = Add(x, seen) s = ReduceSum(x, axes) seen_out = Add(seen, s) }"""
CELL = """<ir_version: 8, opset_import: ["": 17]> m (float[1, 8] x, float[1, 8] h) => (float[1, 8] y, float[1, 8] hn)
    { s = Add(x, h) hn = Tanh(s) y = Mul(hn, x) }"""
LARGE = CELL.replace("[1, 8]", "[100, 80]")


def lstm() -> onnx.ModelProto:
    model = onnx.parser.parse_model(LSTM)
    random = np.random.default_rng(3)
    for name, shape in (("w", (1, 20, 4)), ("r", (1, 20, 5)), ("b", (1, 40))):
        model.graph.initializer.append(
            onnx.numpy_helper.from_array(random.standard_normal(shape, np.float32), name)
        )
    return model


SILENT = ingot.Observer(on_note=lambda _: None)


def executor(model: onnx.ModelProto | str, target: str = "interp", **options: object) -> ingot.Executor:
    proto = onnx.parser.parse_model(model) if isinstance(model, str) else model
    options = {"observer": SILENT, **options}
    return ingot.build(proto, target, cache=None, **options).load()["m"](ingot.cpu(0))


def status(words: list[str]) -> object:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    return stopped.value.code or 0


def pieces(count: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((count, *shape), np.float32)


@pytest.mark.parametrize("target", ["llvmjit", "interp"])
@pytest.mark.parametrize("kind", ["aot", "graph"])
def test_a_stream_of_pieces_has_the_answers_of_the_whole(target: str, kind: str) -> None:
    model, given = lstm(), pieces(6, 3, 2, 4)
    stream = executor(model, target, state={"h": "hn", "c": "cn"}, executor=kind)
    reference = ReferenceEvaluator(model)
    state = {name: np.zeros((1, 2, 5), np.float32) for name in ("h", "c")}
    for at, piece in enumerate(given):
        expected, state["h"], state["c"] = reference.run(None, {"x": piece, **state})
        if at % 3 == 0:
            result = stream.predict(x=piece)
        elif at % 3 == 1:
            out = np.empty((3, 1, 2, 5), np.float32)
            result = stream.predict(x=piece, out=out)
            assert result is out
        else:
            stream.set_input(x=piece)
            stream.run()
            result = stream.get_output(0)
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)
    for name, array in stream.state().items():
        np.testing.assert_allclose(array, state[name], rtol=1e-4, atol=1e-5)


def test_callers_neither_give_nor_get_state() -> None:
    stream = executor(lstm(), state="auto")
    assert [tensor.name for tensor in stream.inputs] == ["x"]
    assert [tensor.name for tensor in stream.outputs] == ["y"]
    assert [tensor.name for tensor in stream.states] == ["h", "c"]
    assert "with state (h: float32[1, 2, 5], c: float32[1, 2, 5])" in str(stream)
    with pytest.raises(ingot.InputError, match="'h' is state, which the executor keeps"):
        stream.predict(x=pieces(3, 2, 4), h=np.zeros((1, 2, 5), np.float32))
    with pytest.raises(ingot.InputError, match="output 'hn' is state 'h', which state\\(\\) gives"):
        stream.get_output("hn")
    with pytest.raises(ingot.InputError, match=r"no output 'q' \(it has y\)"):
        stream.get_output("q")
    with pytest.raises(ingot.InputError, match="keeps state, which run_at does not"):
        stream.run_at([0, 0])
    with pytest.raises(ingot.InputError, match="has 1 outputs, got the number 1"):
        stream.get_output(1)


@pytest.mark.parametrize("text", [CELL, LARGE])
def test_streams_do_not_leak_into_one_another(text: str) -> None:
    first = executor(text, "llvmjit", state={"h": "hn"})
    shape = first.inputs[0].shape
    x = pieces(4, *shape)
    first.predict(x=x[0])
    branch = first.fork()
    kept = branch.state()["h"]
    first.predict(x=x[1])
    np.testing.assert_array_equal(branch.state()["h"], kept)
    branch.predict(x=x[2])
    expected = np.zeros(shape, np.float32)
    for piece in (x[0], x[1]):
        expected = np.tanh(piece + expected)
    np.testing.assert_allclose(first.state()["h"], expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(branch.state()["h"], np.tanh(x[2] + kept), rtol=1e-5, atol=1e-6)


def test_results_given_out_do_not_change_with_later_steps() -> None:
    stream = executor(LARGE, "llvmjit", state={"h": "hn"})
    results = [(stream.predict(x=piece), stream.state()["h"]) for piece in pieces(5, 100, 80)]
    again = executor(LARGE, "llvmjit", state={"h": "hn"})
    for piece, (result, state) in zip(pieces(5, 100, 80), results, strict=True):
        np.testing.assert_array_equal(again.predict(x=piece), result)
        np.testing.assert_array_equal(again.state()["h"], state)


def test_a_stream_begins_anew_and_goes_on_where_it_was() -> None:
    stream = executor(CELL, state={"h": "hn"})
    x = pieces(3, 1, 8)
    answers = [stream.predict(x=piece) for piece in x]
    stream.reset()
    np.testing.assert_array_equal(stream.predict(x=x[0]), answers[0])
    kept = stream.state()
    np.testing.assert_array_equal(stream.predict(x=x[1]), answers[1])
    stream.set_state(kept)
    np.testing.assert_array_equal(stream.predict(x=x[1]), answers[1])


@pytest.mark.parametrize("given", [{"q": np.zeros(8)}, {"h": np.zeros((8, 1), np.float32)}, {"h": "no"}])
def test_a_state_that_does_not_fit_is_refused_and_nothing_is_set(given: dict[str, object]) -> None:
    stream = executor(CELL, state={"h": "hn"})
    stream.predict(x=np.ones((1, 8), np.float32))
    kept = stream.state()["h"]
    with pytest.raises(ingot.InputError):
        stream.set_state(given)
    np.testing.assert_array_equal(stream.state()["h"], kept)


def test_a_call_that_fails_leaves_the_state_as_it_was() -> None:
    stream = executor(CELL, state={"h": "hn"})
    stream.predict(x=np.ones((1, 8), np.float32))
    kept = stream.state()["h"]
    for bad in ({}, {"x": np.ones((2, 8), np.float32)}, {"x": np.ones((1, 8), np.float32), "z": 1}):
        with pytest.raises(ingot.InputError):
            stream.predict(bad)
        np.testing.assert_array_equal(stream.state()["h"], kept)
    with pytest.raises(ingot.InputError, match="one array for each output"):
        stream.predict(x=np.ones((1, 8), np.float32), out=[])
    np.testing.assert_array_equal(stream.state()["h"], kept)


def test_measuring_is_no_step() -> None:
    stream = executor(CELL, "llvmjit", state={"h": "hn"})
    x = np.ones((1, 8), np.float32)
    stream.predict(x=x)
    kept = stream.state()["h"]
    assert len(list(stream.profile(x=x, repeat=2))) == 2
    np.testing.assert_array_equal(stream.state()["h"], kept)


def test_another_thread_is_refused_while_a_stream_is_at_work() -> None:
    stream = executor(CELL, state={"h": "hn"})
    inside, done = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> None:
        inside.set()
        done.wait(10)
        raise ingot.InputError("stopped")

    stream.core.predict = slow  # type: ignore[attr-defined]

    def step() -> None:
        with pytest.raises(ingot.InputError, match="stopped"):
            stream.predict(x=np.ones((1, 8), np.float32))

    thread = threading.Thread(target=step)
    thread.start()
    assert inside.wait(10)
    for use in (stream.state, stream.fork, stream.reset, stream.run):
        with pytest.raises(ingot.BusyError):
            use()
    done.set()
    thread.join()


def test_streams_step_in_threads_as_they_do_one_after_another() -> None:
    first = executor(LARGE, "llvmjit", state={"h": "hn"})
    x = pieces(8, 100, 80)
    streams = [first.fork() for _ in range(4)]
    expected = [[stream.predict(x=piece * (at + 1)) for piece in x] for at, stream in enumerate(streams)]

    def steps(at: int) -> list[np.ndarray]:
        streams[at].reset()
        return [streams[at].predict(x=piece * (at + 1)) for piece in x]

    with ThreadPoolExecutor(4) as threads:
        for _ in range(5):
            for answers, right in zip(threads.map(steps, range(4)), expected, strict=True):
                np.testing.assert_array_equal(answers, right)


def test_an_executor_that_keeps_no_state_has_it_as_the_model_has() -> None:
    artifacts = ingot.build(onnx.parser.parse_model(CELL), "interp", state={"h": "hn"}, cache=None)
    library, x, state = artifacts.load(), pieces(3, 1, 8), np.zeros((1, 8), np.float32)
    plain, stream = library["m"](keeps_state=False), library["m"]()
    assert [[tensor.name for tensor in ends] for ends in (plain.inputs, plain.outputs)] == [
        ["x", "h"],
        ["y", "hn"],
    ]
    assert plain.states == ()
    for piece in x:
        y, state = plain.predict(x=piece, h=state)
        np.testing.assert_array_equal(stream.predict(x=piece), y)
    np.testing.assert_array_equal(stream.state()["h"], state)


def test_a_pool_is_refused() -> None:
    library = ingot.build(onnx.parser.parse_model(CELL), "interp", state={"h": "hn"}, cache=None).load()
    with pytest.raises(ingot.LoadError, match="keeps state, which calls of a pool would mix"):
        library.pool("m")


def test_other_extents_may_vary() -> None:
    stream = executor(COUNTER, state="auto", dims={"N": [1, 2, 5]})
    seen = 0
    for count in (2, 5, 1, 5):
        x = np.arange(count)
        np.testing.assert_array_equal(stream.predict(x=x), x + seen)
        seen += int(x.sum())
    assert stream.state()["seen"] == [seen]


def test_a_state_of_many_items_is_refused_where_their_number_varies() -> None:
    text = CELL.replace("[1, 8]", "[N, 8]")
    with pytest.raises(ingot.ModelError, match="state 'h' has extents that vary"):
        executor(text, state={"h": "hn"}, dims={"N": range(1, 9)})


@pytest.mark.parametrize("sizes", [range(1, 41), [3, 5]])
def test_a_state_of_as_many_places_as_come_is_refused(sizes: object) -> None:
    text = CELL.replace("[1, 8]", "[1, S]").replace("Tanh(s)", "Softmax(s)")
    with pytest.raises(ingot.ModelError, match="state 'h' has extents that vary"):
        executor(text, state={"h": "hn"}, dims={"S": sizes})


def test_an_output_that_kernels_store_in_another_type_may_be_state() -> None:
    text = """<ir_version: 10, opset_import: ["": 21]> m (float[1] x, int4[4] h) => (float[4] y, int4[4] hn)
        { y = Cast <to = 1> (h) s = Add(y, x) hn = Cast <to = 22> (s) }"""
    stream, x = executor(text, state={"h": "hn"}), np.ones(1, np.float32)
    for step in range(3):
        np.testing.assert_array_equal(stream.predict(x=x), np.full(4, step))
    kept = stream.state()
    np.testing.assert_array_equal(stream.predict(x=x), np.full(4, 3))
    stream.set_state(kept)
    np.testing.assert_array_equal(stream.predict(x=x, out=np.empty(4, np.float32)), np.full(4, 3))
    np.testing.assert_array_equal(stream.predict(x=x), np.full(4, 4))
    stream.reset()
    stream.set_input(x=x)
    for step in range(2):
        stream.run()
        np.testing.assert_array_equal(stream.get_output(0), np.full(4, step))


def test_what_was_taken_to_be_state_is_said() -> None:
    notes: list[str] = []
    executor(lstm(), state="auto", observer=ingot.Observer(on_note=notes.append))
    assert notes == ["model 'm': state is taken to be h from hn, c from cn"]


def test_builds_with_and_without_state_are_kept_apart(tmp_path: Path) -> None:
    model = onnx.parser.parse_model(CELL)
    infos = [
        ingot.build(model, "interp", state=state, cache=tmp_path, observer=SILENT).load()["m"].info
        for state in (None, "auto", None, {"h": "hn"})
    ]
    assert [len(info.states) for info in infos] == [0, 1, 0, 1]


@needs_cc
def test_a_library_and_its_header_say_what_is_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    onnx.save(lstm(), tmp_path / "m.onnx")
    command = ["build", str(tmp_path / "m.onnx"), "--state", "h=hn", "--state", "c=cn", "--no-cache"]
    target = ["-t", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v2,x86-64-v3"]
    assert status([*command, *target, "-o", str(tmp_path / "m.so")]) == 0
    header = (tmp_path / "m.h").read_text()
    assert " *   hn becomes h\n *   cn becomes c\n */" in header
    capsys.readouterr()
    assert status(["inspect", str(tmp_path / "m.so")]) == 0
    shown = capsys.readouterr().out
    assert "next state" in shown
    assert status(["inspect", str(tmp_path / "m.so"), "--json"]) == 0
    (facts,) = json.loads(capsys.readouterr().out)["models"]
    assert facts["states"] == [
        {"input": "h", "output": "hn", "offset_bytes": 64},
        {"input": "c", "output": "cn", "offset_bytes": 128},
    ]
    stream, given = ingot.load(tmp_path / "m.so")["m"](), pieces(2, 3, 2, 4)
    assert not np.array_equal(stream.predict(x=given[0]), stream.predict(x=given[0]))
    assert status(["run", str(tmp_path / "m.so"), "--random"]) == 0
    assert status(["run", str(tmp_path / "m.so"), "--random", "--compare", str(tmp_path / "m.onnx")]) == 0
    assert status(["bench", str(tmp_path / "m.so"), "--seconds", "0.05"]) == 0


def test_a_model_without_state_says_how_it_gets_some() -> None:
    plain = executor(CELL)
    assert plain.states == ()
    for use in (plain.state, plain.reset, plain.fork, lambda: plain.set_state(h=1)):
        with pytest.raises(ingot.InputError, match="keeps no state; build it with state="):
            use()


@needs_cc
def test_an_archive_says_what_is_state(tmp_path: Path) -> None:
    artifacts = ingot.build(lstm(), "c", state={"h": "hn", "c": "cn"}, cache=None)
    artifacts.export_model_library_format(tmp_path / "m.tar")
    stream, piece = ingot.load(tmp_path / "m.tar")["m"](), pieces(1, 3, 2, 4)[0]
    at_once = artifacts.load()["m"]()
    for _ in range(3):
        np.testing.assert_array_equal(stream.predict(x=piece), at_once.predict(x=piece))
    with tarfile.open(tmp_path / "m.tar") as tar:
        said = json.load(tar.extractfile("./metadata.json"))["modules"]["m"]["state"]  # type: ignore[arg-type]
    mark, rows = said.pop("mark"), said.pop("states")
    assert mark == state_block(artifacts.models()["m"]).mark
    assert said == {"size_bytes": 64 + 2 * 128, "alignment_bytes": 64, "half_bytes": 128}
    type_ = {"dtype": "float32", "shape": [1, 2, 5], "size": 40, "copies": 2}
    assert rows == [
        {"input": "h", "output": "hn", "offset_bytes": 64, **type_},
        {"input": "c", "output": "cn", "offset_bytes": 128, **type_},
    ]


# 0.6 s each: an archive is compiled when it is loaded.
@needs_cc
@pytest.mark.parametrize(
    ("version", "kind"), [(5, "aot"), (5, "graph"), (7, "aot"), (7, "graph"), (8, "aot"), (8, "graph")]
)
def test_an_archive_of_any_version_keeps_state_when_it_is_loaded(
    version: int, kind: str, tmp_path: Path
) -> None:
    artifacts = ingot.build(onnx.parser.parse_model(CELL), "c", state={"h": "hn"}, cache=None)
    artifacts.export_model_library_format(tmp_path / "m.tar", version, executor=kind)
    stream, at_once = ingot.load(tmp_path / "m.tar")["m"](), artifacts.load()["m"]()
    for piece in pieces(3, 1, 8):
        np.testing.assert_array_equal(stream.predict(x=piece), at_once.predict(x=piece))
    np.testing.assert_array_equal(stream.state()["h"], at_once.state()["h"])


@pytest.mark.parametrize("words", [["h"], ["h=hn", "h=cn"], ["auto", "h=hn"], ["=hn"]])
def test_a_wrong_option_is_refused(words: list[str], tmp_path: Path) -> None:
    onnx.save(lstm(), tmp_path / "m.onnx")
    options = [option for word in words for option in ("--state", word)]
    assert status(["build", str(tmp_path / "m.onnx"), *options, "-o", str(tmp_path / "m.ingot")]) == 2
