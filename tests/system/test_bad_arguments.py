"""Arguments of `ingot.build` of a wrong kind: one sentence of ingot's own, which names the argument, before anything is built."""

from __future__ import annotations

from typing import Any

import pytest

import ingot
from tests.support.models import model

RELU = "g (float[2] x) => (float[2] y) { y = Relu(x) }"

WRONG: dict[str, list[Any]] = {
    "target": [3, None, ["llvm"], b"llvm", {"host": 3}, {3: "llvm"}, {"host": "llvm", 3: "c"}],
    "place": [3, "Relu", ["Relu"], {3: "host"}, {"Relu": 3}, lambda node: 3],
    "name": [5, b"x", ["x"]],
    "dims": ["x", 3, [("n", 1)], {3: 1}, {"n": "1"}],
    "constants": [[1], "x", 3, {3: 1}],
    "executor": [3, None, [3], [["aot"]]],
    "observer": [3, print],
    "cache": [3, b"folder", True],
    "math": [3, None, []],
    "tune": ["yes", True, [1], 1j, -1, float("nan")],
    "tuning": [3, b"file", "file\0"],
}
WORDS = {
    "target": "target|code generator",
    "place": "place",
    "math": "math",
    "executor": "executor",
    "tuning": "tuning|file",
}


@pytest.mark.parametrize(
    ("name", "given"), [(name, one) for name, several in WRONG.items() for one in several]
)
def test_an_argument_of_a_wrong_kind_is_one_sentence(name: str, given: Any) -> None:
    arguments = {"target": "llvm", "cache": None, name: given}
    with pytest.raises(ingot.IngotError, match=WORDS.get(name, name)) as caught:
        ingot.build(model(RELU), **arguments)
    assert isinstance(caught.value, (ingot.TargetError, ingot.ModelError, ingot.ArtifactError))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "name", ["target", "place", "tune", "observer", "tuning", "executor", "math", "cache"]
)
def test_it_is_said_before_the_model_is_read(name: str) -> None:
    arguments = {"target": "llvm", "cache": None, name: WRONG[name][0]}
    with pytest.raises(ingot.TargetError):
        ingot.build("no such file.onnx", **arguments)


@pytest.mark.parametrize(
    ("field", "given"),
    [
        *[(field, one) for field in ("codegen", "cpu", "triple", "key") for one in (3, None, b"llvm")],
        *[("features", one) for one in ("+avx2", ["+avx2"], (3,), None)],
        *[("options", one) for one in ({"l2": "1M"}, ("l2",), (("l2", 1),), [("l2", "1M")], None)],
    ],
)
def test_a_field_of_a_target_of_a_wrong_kind_is_one_sentence(field: str, given: Any) -> None:
    with pytest.raises(ingot.TargetError, match=rf"Target\({field}=.*: expected"):
        ingot.Target(**{"codegen": "llvm", field: given})
