"""A set without native code is data: whatever it says, with right digests, it reads and writes nothing but its own memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ingot
from ingot.api.artifact_set import ArtifactSet
from ingot.artifact.artifact import Artifact
from tests.support.models import model

MODEL = """m (float[2,3] x) => (float[2,4] y) <float[3] w = {1, 2, 3}, float[3,4] c = {1,2,3,4,5,6,7,8,9,1,2,3}> {
    a = Add(x, w) b = Softmax(a) y = MatMul(b, c) }"""
X = np.ones((2, 3), np.float32)


def changed(path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """A file with a small model for the interpreter, whose list of calls says something else; digests are made of that."""
    made = []
    for one in ingot.build(model(MODEL), "interp", cache=None):
        content = bytes(one.content)
        if one.file_name.endswith(".calls.json"):
            listing = json.loads(content)
            change(listing)
            content = json.dumps(listing).encode()
        made.append(Artifact(one.codegen_id, one.loader, one.file_name, content, one.target_key))
    ArtifactSet(made).save(path)
    return path


def of_first(listing: dict[str, Any], base: int) -> dict[str, Any]:
    """The first argument with that base pointer."""
    return next(arg for call in listing["calls"] for arg in call["args"] if arg["base"] == base)


def test_the_set_runs_as_it_is(tmp_path: Path) -> None:
    got = ingot.load(changed(tmp_path / "m.ingot", lambda _: None))["m"]().predict(x=X)
    assert got.shape == (2, 4)


@pytest.mark.parametrize("base", [0, 1, 3, 4])
@pytest.mark.parametrize("offset", [4, 64, 4096, 1 << 40, 1 << 64, -4, 1])
def test_an_argument_outside_of_its_memory_is_refused(base: int, offset: int, tmp_path: Path) -> None:
    def move(listing: dict[str, Any]) -> None:
        last = [arg for call in listing["calls"] for arg in call["args"] if arg["base"] == base][-1]
        last["offset_bytes"] = (
            offset if offset <= 1 or offset >= 4096 else last["offset_bytes"] + offset + 4096
        )

    with pytest.raises(ingot.ArtifactError, match="holds no list of calls"):
        ingot.load(changed(tmp_path / "m.ingot", move))


@pytest.mark.parametrize("base", [0, 2, 3, 5, 99])
def test_a_result_is_written_where_results_may_be(base: int, tmp_path: Path) -> None:
    def move(listing: dict[str, Any]) -> None:
        of_first(listing, 4).update(base=base, offset_bytes=0)

    with pytest.raises(ingot.ArtifactError, match="holds no list of calls"):
        ingot.load(changed(tmp_path / "m.ingot", move))


@pytest.mark.parametrize(
    "change", [{"bases": 6}, {"bases": 2}, {"symbol": "other"}, {"symbol": None}, {"calls": [{}]}]
)
def test_a_list_for_another_model_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ingot.ArtifactError, match="holds no list of calls"):
        ingot.load(changed(tmp_path / "m.ingot", lambda listing: listing.update(change)))
