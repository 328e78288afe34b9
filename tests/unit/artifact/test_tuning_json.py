"""Tuning files: written canonically, read strictly."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ingot.artifact.artifact import Artifact
from ingot.artifact.tuning import Measurements, TunedKernel
from ingot.artifact.tuning_json import SUFFIX, stored_tuning, tuning_from_json, tuning_to_json
from ingot.base.errors import ArtifactError

WORDS = (("order", "rows"), ("tile", "14x2"))
KERNEL = TunedKernel(
    "ab" * 32, "conv", "conv_relu_stem", WORDS, (("order", "rows"), ("tile", "7x4")), 900, 1000
)
OTHER = TunedKernel("0a" * 32, "matmul", "matmul_head", (("tile", "1x6"),), (("tile", "1x6"),), 10, 10)
TUNING = (
    Measurements("llvm -mcpu=znver5", "A CPU", (KERNEL, OTHER)),
    Measurements("llvm -mcpu=a", "Another", ()),
)


def test_writing_and_reading_loses_nothing_and_puts_all_in_order() -> None:
    read = tuning_from_json(tuning_to_json(TUNING))
    assert {group.target: set(group.kernels) for group in read} == {
        group.target: set(group.kernels) for group in TUNING
    }
    assert tuning_to_json(read) == tuning_to_json(TUNING)
    assert [group.target for group in read] == ["llvm -mcpu=a", "llvm -mcpu=znver5"]
    assert not KERNEL.is_usual and OTHER.is_usual


def data() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(tuning_to_json(TUNING[:1]))
    return made


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("format",), "other", "this is no tuning file"),
        (("version",), 2, "reads up to 1; update ingot"),
        (("version",), "1", "must be an integer"),
        (("surplus",), 1, "surplus is unknown"),
        (("measured",), {}, "must be an array"),
        (("measured", 0, "target"), 3, "measured[0].target must be a string"),
        (("measured", 0, "kernels", 0, "problem"), "12", "is not of the right form"),
        (("measured", 0, "kernels", 0, "choices"), [], "must be an object"),
        (("measured", 0, "kernels", 0, "choices", "tile"), "a b", "is not of the right form"),
        (("measured", 0, "kernels", 0, "choices", "tile"), 14, "must be a string"),
        (("measured", 0, "kernels", 0, "time_ns"), -1, "must be within 0"),
        (("measured", 0, "kernels", 0, "time_ns"), 1.5, "must be an integer"),
        (("measured", 0, "kernels", 1, "problem"), OTHER.problem, "two answers for one problem"),
    ],
)
def test_what_is_wrong_is_named(path: tuple[str | int, ...], value: object, words: str) -> None:
    changed = data()
    inner: Any = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(ArtifactError) as caught:
        tuning_from_json(json.dumps(changed).encode(), "tuning file x.json")
    assert words in str(caught.value) and str(caught.value).startswith("tuning file x.json")


@pytest.mark.parametrize("content", [b"", b"[", b"\xff", b'{"a": NaN}', b'{"a": 1, "a": 2}', b"[" * 100000])
def test_bytes_that_are_not_json_are_refused(content: bytes) -> None:
    with pytest.raises(ArtifactError, match="not the JSON that ingot writes"):
        tuning_from_json(content)


def test_one_target_has_one_place() -> None:
    twice = data()
    twice["measured"] *= 2
    with pytest.raises(ArtifactError, match="the same target twice"):
        tuning_from_json(json.dumps(twice).encode())


def test_the_tunings_of_several_models_become_one() -> None:
    parts = [
        Artifact(
            "ingot", "text", f"{name}{SUFFIX}", tuning_to_json((Measurements("llvm", "CPU", (kernel,)),))
        )
        for name, kernel in (("a", KERNEL), ("b", OTHER))
    ]
    found = stored_tuning(parts)
    assert found is not None
    assert found == (Measurements("llvm", "CPU", found[0].kernels),)
    assert set(found[0].kernels) == {KERNEL, OTHER}
    assert stored_tuning([Artifact("ingot", "text", "a.txt", b"")]) is None
