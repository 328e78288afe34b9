"""Random models whose batch, or a length or a width, varies: each size has the answers that onnxruntime has, node by node.

The suite tries a few models (17 CPU-s). `INGOT_RANGE_SEEDS=2000` tries that many, and
`python -m tests.property.test_ranges 0 2000` prints each model that is wrong; targets may follow.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

import ingot
from tests.property.ranges import RangeCase, expected, range_case

SEEDS = int(os.environ.get("INGOT_RANGE_SEEDS", "16"))
EACH = 8
TARGETS = ("interp", "llvmjit")
BATCHES = range(1, 5)


@dataclass(frozen=True)
class Verdict:
    """What became of a model: why it is refused, how many sizes were compared, and what was wrong."""

    refused: str = ""
    compared: int = 0
    wrong: str = ""


def compare(case: RangeCase, target: str) -> Verdict:
    """Builds a model for a range, and compares the answers for some sizes, with NaN in all memory before each."""
    answers = expected(case)
    inner = [size for size in case.sizes if answers(case.feed(1, size)) is not None]
    if not inner or inner[-1] != case.sizes[-1] or inner != list(range(inner[0], inner[-1] + 1)):
        return Verdict()
    open_batch = case.seed % 2 == 0
    dims = {"B": BATCHES if open_batch else 1, "S": range(inner[0], inner[-1] + 1)}
    try:
        observer = ingot.Observer(on_note=lambda _: None)
        built = ingot.build(case.model, target, dims=dims, cache=None, name="m", observer=observer)
        executor = built.load()["m"](ingot.cpu(0))
    except ingot.InternalError:
        raise
    except ingot.IngotError as error:
        return Verdict(refused=str(error))
    compared = 0
    for batch, size in _pairs(inner, open_batch):
        x = case.feed(batch, size)
        right = answers(x)
        if right is None:
            continue
        _poison(executor, case, inner[-1])
        result = executor.predict(x=x)
        wrong = _wrong(right, list(result) if isinstance(result, tuple) else [result])
        if wrong:
            return Verdict(wrong=f"{target}, B={batch}, S={size} of {dims}: {wrong}; {case.operators}")
        compared += 1
    return Verdict(compared=compared)


def _pairs(inner: list[int], open_batch: bool) -> Iterator[tuple[int, int]]:
    sizes = sorted({*inner[:3], inner[len(inner) // 2], *inner[-2:]}, reverse=True)
    for at, size in enumerate(sizes):
        yield (BATCHES[at % len(BATCHES)] if open_batch else 1), size


def _poison(executor: ingot.Executor, case: RangeCase, largest: int) -> None:
    """Computes with NaN alone, which fills all memory that is not constant."""
    for size in {largest, max(1, largest - 1)}:
        x = case.feed(1, size)
        with np.errstate(all="ignore"):
            try:
                executor.predict(x=np.full_like(x, np.nan))
            except ingot.InputError:  # a range of one size
                continue


def _wrong(expected: list[np.ndarray], results: list[np.ndarray]) -> str:
    for right, result in zip(expected, results, strict=True):
        if right.shape != result.shape:
            return f"the shape is {result.shape}, not {right.shape}"
        far = np.abs(result - right)
        if not (far <= 2e-4 * max(float(np.abs(right).max()), 1e-2)).all():
            return f"{np.count_nonzero(~(far <= 1e-3))} of {far.size} differ, by up to {far.max()}"
    return ""


@pytest.mark.parametrize("start", range(0, SEEDS, EACH))
@pytest.mark.parametrize("target", TARGETS)
def test_every_size_of_a_range_has_the_right_answers(target: str, start: int) -> None:
    verdicts = {seed: compare(range_case(seed), target) for seed in range(start, start + EACH)}
    assert not {seed: verdict.wrong for seed, verdict in verdicts.items() if verdict.wrong}
    assert sum(verdict.compared > 0 for verdict in verdicts.values()) >= EACH // 4


@pytest.mark.cc
def test_every_size_of_a_range_has_the_right_answers_in_c() -> None:
    verdicts = [compare(range_case(seed), "c") for seed in (4, 9, 12)]
    assert not [verdict.wrong or verdict.refused for verdict in verdicts if not verdict.compared]


def test_equal_seeds_give_equal_models_with_ranges() -> None:
    assert range_case(3).model == range_case(3).model
    assert range_case(3).model != range_case(4).model


def test_places_behind_the_last_that_reach_an_answer_are_noticed() -> None:
    right = [np.array([1, 2], np.float32)]
    assert _wrong(right, [np.array([1, 2], np.float32)]) == ""
    assert "1 of 2 differ" in _wrong(right, [np.array([1, np.nan], np.float32)])
    assert "shape" in _wrong(right, [np.array([1], np.float32)])


if __name__ == "__main__":
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        for name in sys.argv[3:] or TARGETS:
            try:
                verdict = compare(range_case(number), name)
            except Exception as error:  # any fault is reported, and the next model tried
                verdict = Verdict(wrong=f"{type(error).__name__}: {error}")
            if verdict.wrong:
                print(f"{number}: {verdict.wrong}", flush=True)
