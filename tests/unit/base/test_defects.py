"""What nobody expects of ingot's own code is an InternalError with its stage; what a caller's listener raises is the caller's."""

from __future__ import annotations

import pytest

import ingot
from ingot.base.observe import Observer
from tests.support.paths import DIGITS


def build(observer: Observer | None = None) -> None:
    ingot.build(DIGITS, "interp", dims={"batch": 1}, observer=observer, cache=None)


@pytest.mark.parametrize(
    ("place", "stage"),
    [
        ("ingot.api.stages.fuse", "fusing definitions"),
        ("ingot.api.levels.join_attention", "fusing definitions"),
        ("ingot.api.levels.schedule", "writing kernels"),
        ("ingot.api.levels.plan_memory", "planning memory"),
        ("ingot.api.levels.model_info", "generating code"),
    ],
)
@pytest.mark.parametrize(
    "fault", [KeyError("lost"), AssertionError("not so"), RecursionError("deep"), ValueError("a\n b")]
)
def test_a_fault_of_a_stage_is_an_internal_error_with_its_name(
    place: str, stage: str, fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_args: object, **_options: object) -> None:
        raise fault

    monkeypatch.setattr(place, fails)
    with pytest.raises(
        ingot.InternalError, match=f"^{stage}: {type(fault).__name__}: .*defect of ingot's own"
    ) as caught:
        build()
    assert caught.value.__cause__ is fault
    assert caught.value.facts["stage"] == stage
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("fault", [MemoryError(), OSError(28, "no space"), ingot.TargetError("said already")])
def test_what_is_no_defect_stays_what_it_is(fault: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_args: object, **_options: object) -> None:
        raise fault

    monkeypatch.setattr("ingot.api.levels.schedule", fails)
    with pytest.raises(type(fault)) as caught:
        build()
    assert caught.value is fault


class StopError(ValueError):
    """How a caller ends a build."""


def test_a_listener_may_end_a_build_by_an_error_of_its_own() -> None:
    heard: list[str] = []

    def listen(stage: str, _done: int, _total: int) -> None:
        heard.append(stage)
        if stage == "schedule":
            raise StopError

    with pytest.raises(StopError):
        build(Observer(on_progress=listen))
    assert heard[-1] == "schedule"


def test_so_may_one_that_is_told_within_a_stage() -> None:
    def listen(stage: str, done: int, _total: int) -> None:
        if stage == "compile kernels":
            raise StopError

    with pytest.raises(StopError):
        ingot.build(DIGITS, "llvm", dims={"batch": 1}, observer=Observer(on_progress=listen), cache=None)
