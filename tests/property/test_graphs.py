"""Whole builds of random models, against node-by-node evaluation and against each other."""

from __future__ import annotations

import platform

import numpy as np
import pytest

import ingot
from tests.property.graphs import Case, random_case

SEEDS = range(18)
# What is left after a rounding to codes may be one step off; a result then differs at few places.
FEW = 0.02


def results(case: Case, target: str, math: str, threads: int) -> list[np.ndarray]:
    executor = ingot.build(case.model, target, cache=None, math=math).load()["random"](ingot.cpu(0), threads=threads)
    got = executor.predict(case.inputs)
    return list(got) if isinstance(got, tuple) else [got]


def compare(case: Case, got: list[np.ndarray]) -> None:
    quantised = "QuantizeLinear" in case.operators
    for (name, expected), one in zip(case.expected.items(), got, strict=True):
        assert (one.dtype, one.shape) == (expected.dtype, expected.shape), name
        distance = np.abs(one.astype(np.float64) - expected.astype(np.float64))
        wrong = distance > (1e-4 * max(np.abs(expected).max(), 1e-3) if expected.dtype.kind == "f" else 0)
        assert wrong.mean() <= (FEW if quantised else 0), f"{name} of {case.operators}: {wrong.sum()} of {wrong.size} differ"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_model_computes_what_its_nodes_do_one_by_one(seed: int) -> None:
    case = random_case(seed)
    got = results(case, "llvmjit", "fast" if seed % 2 else "exact", 2)
    compare(case, got)
    if platform.machine() != "x86_64":
        return
    other = results(case, "llvmjit -mcpu=x86-64", "exact", 1)
    compare(case, other)


def test_equal_seeds_give_equal_models() -> None:
    assert random_case(3).model == random_case(3).model
    assert random_case(3).model != random_case(4).model
