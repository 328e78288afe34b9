"""The interpreter as a code generator: artifacts, loader, functions."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from ingot.artifact.artifact import Artifact
from ingot.artifact.model_info import MemoryInfo, ModelInfo, TargetInfo, TensorInfo
from ingot.artifact.module import LoadContext
from ingot.base.errors import ArtifactError, TargetError
from ingot.base.target import Target
from ingot.base.tensor import DType
from ingot.codegen.interp.generator import CODEGEN, LOADER
from ingot.codegen.record import BuildContext
from tests.codegen.units import expected, memory, small_unit
from tests.support.kernel_c import addresses

X = np.array([1.0, -20.0, 3.0, 0.5], np.float32)


def info(symbol: str) -> ModelInfo:
    end = TensorInfo("x", DType.FLOAT32, (4,))
    host = TargetInfo("host", "interp", "interp", memory=MemoryInfo(arena_bytes=80, params_bytes=96))
    return ModelInfo(symbol, symbol, (end,), (end,), (host,))


CONTEXT = LoadContext("host", (info("small"), info("other")))


def made(symbol: str = "small") -> tuple[Artifact, ...]:
    return CODEGEN.generate(small_unit(symbol), Target.parse("interp"), BuildContext()).artifacts


def test_run_and_call_are_those_of_a_native_library() -> None:
    module = LOADER.load(made() + made("other"), CONTEXT)
    unit = small_unit("small")
    run, call = module.get_function("ingot_small_run"), module.get_function("ingot_small_call")
    assert run is not None and call is not None and module.get_function("ingot_other_run") is not None
    arrays, again = memory(unit, X), memory(unit, X)
    assert run(addresses(arrays)) == 0
    np.testing.assert_array_equal(arrays[4], expected(unit, X))
    assert [call(number, addresses(again)) for number in (0, 1, 2, 3, -1)] == [0, 0, 0, -1, -1]
    np.testing.assert_array_equal(again[4], arrays[4])


def test_artifacts_are_texts_and_a_list_of_calls() -> None:
    artifacts = made()
    assert [artifact.file_name for artifact in artifacts] == [
        "small/add.loops",
        "small/relu.loops",
        "small.calls.json",
    ]
    assert {artifact.loader for artifact in artifacts} == {"interp"}
    assert artifacts == made()


def test_a_closed_module_has_no_functions() -> None:
    module = LOADER.load(made(), CONTEXT)
    module.close()
    module.close()
    assert module.get_function("ingot_small_run") is None


@pytest.mark.parametrize(
    "change",
    [
        lambda listing: listing.pop("calls"),
        lambda listing: listing.update(version=2),
        lambda listing: listing["calls"][0].update(kernel="no.loops"),
        lambda listing: listing["calls"][0]["args"].pop(),
        lambda listing: listing["calls"][0]["args"][0].update(base=9),
        lambda listing: listing["calls"][0]["args"][0].update(offset_bytes=-4),
        lambda listing: listing["calls"][0]["args"][1].update(offset_bytes=84),
        lambda listing: listing["calls"][0]["args"][2].update(base=0),
        lambda listing: listing["calls"][0]["args"][0].update(size=400),
        lambda listing: listing["calls"][0]["args"][0].update(dtype="int32"),
    ],
)
def test_a_list_of_calls_that_does_not_fit_is_refused(change: object) -> None:
    *kernels, calls = made()
    listing = json.loads(bytes(calls.content))
    change(listing)  # type: ignore[operator]
    with pytest.raises(ArtifactError, match=r"small\.calls\.json"):
        LOADER.load((*kernels, replace(calls, content=json.dumps(listing).encode())), CONTEXT)


@pytest.mark.parametrize("content", [b"", b"\xff", b"kernel", b"[" * 100000, b"{}", b"null"])
def test_bytes_that_are_nothing_are_refused(content: bytes) -> None:
    for position in range(3):
        artifacts = list(made())
        artifacts[position] = replace(artifacts[position], content=content)
        with pytest.raises(ArtifactError):
            LOADER.load(tuple(artifacts), CONTEXT)


def test_flags_are_refused() -> None:
    with pytest.raises(TargetError, match="interp"):
        CODEGEN.resolve(Target.parse("interp -mcpu=native"))
