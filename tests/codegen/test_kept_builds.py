"""Whole builds in the cache: equal inputs are built once, others never take what is not theirs."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper, parser

import ingot
from ingot.artifact.artifact import Artifact
from ingot.base.cache import DirectoryCache
from ingot.base.observe import ModelWarning, Observer
from ingot.codegen import kept_builds
from ingot.codegen.interp import generator as interp
from ingot.codegen.kept_builds import KeptBuild, known_build

pytestmark = pytest.mark.kept_builds

_STAGES_OF_FOUND = {"read", "look up"}


def model(weight: float = 2.0, name: str = "small") -> onnx.ModelProto:
    return parser.parse_model(
        f"""<ir_version: 9, opset_import: ["" : 17]>
        {name} (float[n, 4] x) => (float[n, 4] y) <float[4] w = {{{weight}, 1, 1, 1}}> {{ h = Mul(x, w) y = Relu(h) }}"""
    )


def stages(folder: Path, **arguments: Any) -> tuple[ingot.ArtifactSet, set[str]]:
    """A build, and what it did."""
    given = {"model": model(), "target": "interp", "dims": {"n": 2}, "observer": Observer(), **arguments}
    built = ingot.build(**given, cache=folder)
    return built, {stage for stage, _ in given["observer"].times}


def is_found(folder: Path, **arguments: Any) -> bool:
    return stages(folder, **arguments)[1] <= _STAGES_OF_FOUND


@pytest.mark.parametrize("target", ["llvm", "c", "interp"])
def test_an_equal_build_is_made_once_and_has_the_same_bytes(target: str, tmp_path: Path) -> None:
    first, did = stages(tmp_path, target=target)
    assert "schedule" in did
    again, did = stages(tmp_path, target=target)
    assert did <= _STAGES_OF_FOUND
    without = ingot.build(model(), target, dims={"n": 2}, cache=None)
    assert again == first == without
    assert again.digest() == without.digest()


def test_a_found_build_computes_what_was_built(tmp_path: Path) -> None:
    stages(tmp_path)
    library = stages(tmp_path)[0].load()
    x = np.array([[1, -1, 2, 0], [3, 4, -5, 6]], np.float32)
    np.testing.assert_array_equal(
        library["small"](ingot.cpu(0)).predict(x=x), np.maximum(x * [2, 1, 1, 1], 0)
    )


def with_origin(**fields: Any) -> onnx.ModelProto:
    """The model, which says more of itself."""
    made = model()
    helper.set_model_props(made, fields.pop("metadata", {}))
    for name, value in fields.items():
        setattr(made, name, value)
    return made


# Each differs from the others in one thing that decides a build's bytes.
OTHERS: Mapping[str, Mapping[str, Any]] = {
    "usual": {},
    "weight": {"model": model(3.0)},
    "name in the model": {"model": model(name="other")},
    "name": {"name": "renamed"},
    "dims": {"dims": {"n": 3}},
    "target": {"target": "c"},
    "feature": {"target": "llvm -mcpu=x86-64-v2 -mtriple=x86_64-unknown-linux-gnu"},
    "other feature": {"target": "llvm -mcpu=x86-64-v3 -mtriple=x86_64-unknown-linux-gnu"},
    "math": {"math": "exact"},
    "executor": {"executor": "graph"},
    "both executors": {"executor": ("aot", "graph")},
    "producer": {"model": with_origin(producer_name="somebody")},
    "version": {"model": with_origin(model_version=2)},
    "metadata": {"model": with_origin(metadata={"author": "somebody"})},
    # The other one has an unknown field, which is empty.
    "a file": {"model": model().SerializeToString()},
    "another file of the same model": {"model": model().SerializeToString() + b"\xfa\x01\x00"},
    "executors in another order": {"executor": ("graph", "aot")},
    "a pass left out": {"skip_passes": ("remove-identities",)},
    "another pass left out": {"skip_passes": ("flush-subnormals",)},
    "two targets": {"target": {"host": "interp", "accel": "opencl"}, "place": {"Relu": "accel"}},
    "another placement": {
        "target": {"host": "interp", "accel": "opencl"},
        "place": {"Mul": "accel", "Relu": "accel"},
    },
}


def test_builds_that_differ_in_anything_do_not_take_each_other(tmp_path: Path) -> None:
    """Costs one second: twenty-one models of two operators."""
    built = {word: stages(tmp_path, **arguments) for word, arguments in OTHERS.items()}
    assert all("schedule" in did for _, did in built.values())
    for word, arguments in OTHERS.items():
        found, did = stages(tmp_path, **arguments)
        assert did <= _STAGES_OF_FOUND, word
        assert found == built[word][0], word


@pytest.mark.parametrize("facts", ["_version", "ingot"])
def test_a_build_by_another_version_is_not_taken(
    facts: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages(tmp_path)
    kept_builds._makers.cache_clear()
    if facts == "_version":
        monkeypatch.setattr(kept_builds, "_version", lambda name: f"{name} of another version")
    else:
        (tmp_path / "changed").mkdir()
        (tmp_path / "changed" / "__init__.py").write_text("# another ingot\n")
        monkeypatch.setattr(kept_builds, "_FILES", tmp_path / "changed")
    try:
        assert not is_found(tmp_path)
    finally:
        kept_builds._makers.cache_clear()


def test_what_only_this_process_knows_is_not_kept(tmp_path: Path) -> None:
    functions = {
        "target": {"host": "interp", "accel": lambda h: np.maximum(h, 0)},
        "place": {"Relu": "accel"},
    }
    for arguments in (
        functions,
        {"place": lambda node: None},
        {"observer": Observer(on_dump=lambda name, content: None)},
    ):
        for _ in range(2):
            observer = arguments.get("observer") or Observer()
            observer.times.clear()
            ingot.build(
                model(),
                **{
                    "target": "interp",
                    "dims": {"n": 2},
                    **arguments,
                    "cache": tmp_path,
                    "observer": observer,
                },
            )  # type: ignore[arg-type]
            assert "schedule" in {stage for stage, _ in observer.times}, arguments


def test_an_observer_of_a_class_of_its_own_is_told_everything(tmp_path: Path) -> None:
    class Dumps(Observer):
        def dump(self, name: str, content: Any) -> None:
            seen.append(name)

    seen: list[str] = []
    for _ in range(2):
        seen.clear()
        ingot.build(model(), "interp", dims={"n": 2}, cache=tmp_path, observer=Dumps())
        assert "kernels.txt" in seen


def wrong_output() -> onnx.ModelProto:
    made = model()
    made.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 5
    return made


def test_sentences_are_said_again_when_a_build_is_found(tmp_path: Path) -> None:
    said: list[list[str]] = []
    for _ in range(2):
        said.append([])
        stages(tmp_path, model=wrong_output(), observer=Observer(on_note=said[-1].append))
    assert said[0] == said[1] != []
    with pytest.warns(ModelWarning, match="declared as"):
        assert is_found(tmp_path, model=wrong_output())


def test_a_strict_build_takes_no_build_of_what_does_not_hold(tmp_path: Path) -> None:
    stages(tmp_path, model=wrong_output(), observer=Observer(on_note=lambda _: None))
    with pytest.raises(ingot.ModelError, match="declared as"):
        stages(tmp_path, model=wrong_output(), strict=True)


def test_a_build_that_says_nothing_is_not_taken_for_one_that_does(tmp_path: Path) -> None:
    stages(tmp_path)
    with pytest.warns(ModelWarning, match="declared as"):
        stages(tmp_path, model=wrong_output())


HEAD = {"notes": [], "artifacts": [["host", "interp", "a.txt", "text", 3]]}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"null\n",
        b"[]\nabc",
        b"{}\nabc",
        json.dumps(HEAD).encode() + b"\nab",
        json.dumps(HEAD).encode() + b"\nabcd",
        json.dumps(HEAD).encode(),
        *(
            json.dumps({**HEAD, **change}).encode() + b"\nabc"
            for change in (
                {"notes": [1]},
                {"notes": [["a", 1]]},
                {"notes": 3},
                {"artifacts": [["host", "interp", "../a.txt", "text", 3]]},
                {"artifacts": [["host", "interp", "a.txt", "text", -3]]},
                {"artifacts": [["host", "interp", "a.txt", "text", 3.0]]},
                {"artifacts": [["host", "interp", "a.txt", 7, 3]]},
                {"artifacts": [["host", "interp", "a.txt"]]},
                {"artifacts": [7]},
                {"artifacts": None},
            )
        ),
        b"[" * 100_000 + b"\n",
    ],
)
def test_an_entry_of_another_form_is_no_entry(content: bytes, tmp_path: Path) -> None:
    build = KeptBuild(DirectoryCache(tmp_path), "ab" * 32)
    build.cache.put(build.key, json.dumps(HEAD).encode() + b"\nabc")
    assert build.artifacts(Observer()) == (Artifact("interp", "text", "a.txt", b"abc"),)
    build.cache.put(build.key, content)
    assert build.artifacts(Observer()) is None


def test_two_artifacts_of_one_name_in_an_entry_do_not_end_a_build(tmp_path: Path) -> None:
    entry = {**HEAD, "artifacts": HEAD["artifacts"] * 2}
    build = KeptBuild(DirectoryCache(tmp_path), "ab" * 32)
    build.cache.put(build.key, json.dumps(entry).encode() + b"\nabcabc")
    assert build.artifacts(Observer()) is None


def test_a_damaged_entry_is_built_again(tmp_path: Path) -> None:
    first, _ = stages(tmp_path)
    for path in [path for path in tmp_path.glob("*/*") if path.is_file()]:
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    again, did = stages(tmp_path)
    assert "schedule" in did
    assert again == first


def test_what_is_too_large_for_the_cache_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_builds, "MAX_BYTES", 100)
    stages(tmp_path)
    assert not is_found(tmp_path)


def test_neighbouring_texts_of_a_key_are_told_apart(tmp_path: Path) -> None:
    """A name that ends as the next one begins, and a content that begins as another one's length, give other keys."""
    models = ({"a": b"1", "b": b""}, {"a": b"", "b": b"1"}, {"a": b"1\nb 0\n"}, {"a": b"1b"}, {"a1": b"b"})
    facts = ((), ("x",), ("x", "y"), ("xy",), ("x\n3 'y'",))
    generators = {"host interp": interp.CODEGEN}
    cache = DirectoryCache(tmp_path)
    found = [
        known_build(cache, each, generators, None, some) for each, some in itertools.product(models, facts)
    ]
    assert len({each.key for each in found if each is not None}) == len(found)


def test_a_weight_outside_of_the_file_decides_too(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    for weight in (2.0, 3.0):
        made = model(weight)
        made.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.full(4, weight, np.float32), "w"))
        onnx.save(
            made, str(path), save_as_external_data=True, location=f"m{int(weight)}.data", size_threshold=0
        )
    data = (tmp_path / "m2.data").read_bytes()
    third, _ = stages(tmp_path / "cache", model=path)
    (tmp_path / "m3.data").write_bytes(data)
    second, did = stages(tmp_path / "cache", model=path)
    assert "schedule" in did
    assert second != third
