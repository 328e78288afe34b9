"""Whole builds of random models, against node-by-node evaluation and against each other."""

from __future__ import annotations

import platform
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

import ingot
from ingot.plan.placed_node import PlacedNode
from tests.property.graphs import Case, Step, random_case
from tests.property.qoperators import QOPERATORS
from tests.property.scopes import SCOPES
from tests.support.kernel_opencl import needs_opencl

SEEDS = range(18)
KINDS: Mapping[str, Sequence[Step] | None] = {"plain": None, "scopes": SCOPES, "codes": QOPERATORS}
# What is left after a rounding to codes may be one step off; a result then differs a little, at few places.
FEW, LITTLE = 0.02, 0.05


def results(case: Case, target: str, math: str, threads: int) -> list[np.ndarray]:
    executor = ingot.build(case.model, target, cache=None, math=math).load()["random"](
        ingot.cpu(0), threads=threads
    )
    return answers(case, executor)


def answers(case: Case, executor: ingot.Executor) -> list[np.ndarray]:
    got = executor.predict(case.inputs)
    return list(got) if isinstance(got, tuple) else [got]


def compare(case: Case, got: list[np.ndarray]) -> None:
    quantised = any(one.startswith("Q") for one in case.operators)
    for (name, expected), one in zip(case.expected.items(), got, strict=True):
        assert (one.dtype, one.shape) == (expected.dtype, expected.shape), name
        distance = np.abs(one.astype(np.float64) - expected.astype(np.float64))
        wrong = distance > (1e-4 * max(np.abs(expected).max(), 1e-3) if expected.dtype.kind == "f" else 0)
        allowed = max(1, FEW * wrong.size) if quantised else 0
        assert wrong.sum() <= allowed, f"{name} of {case.operators}: {wrong.sum()} of {wrong.size} differ"
        most = 255 if expected.dtype.itemsize == 1 else max(np.abs(expected.astype(np.float64)).max(), 1e-3)
        assert distance.max() <= LITTLE * most, f"{name} of {case.operators}: one is {distance.max()} off"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_model_computes_what_its_nodes_do_one_by_one(seed: int) -> None:
    case = random_case(seed)
    got = results(case, "llvmjit", "fast" if seed % 2 else "exact", 2)
    compare(case, got)
    if platform.machine() != "x86_64":
        return
    other = results(case, "llvmjit -mcpu=x86-64", "exact", 1)
    compare(case, other)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["scopes", "codes"])
def test_branches_loops_and_codes_of_any_kind_too(kind: str, seed: int) -> None:
    case = random_case(seed, KINDS[kind])
    compare(case, results(case, "llvmjit", "fast", 2))


def test_short_dot_products_need_the_form_of_vnni_that_the_processor_has() -> None:
    case = random_case(
        303, QOPERATORS
    )  # has products of 32 bytes, and nothing else that AVX-512 alone has beside them

    def needed(cpu: str) -> set[str]:
        (info,) = (
            ingot.build(case.model, f"llvm -mtriple=x86_64-unknown-linux-gnu -mcpu={cpu}", cache=None)
            .models()
            .values()
        )
        return set(info.host.cpu_features)

    for cpu in ("cascadelake", "znver4"):
        assert {"avx512_vnni", "avx512vl"} <= needed(cpu) and "avx_vnni" not in needed(cpu)
    assert "avx_vnni" in needed("alderlake") and not [
        name for name in needed("alderlake") if name.startswith("avx512")
    ]


def spread(case: Case, seed: int, other: str, device: ingot.Device) -> list[np.ndarray]:
    """The answers of a model whose nodes are on the host or elsewhere, by chance."""
    chance = random.Random(seed)
    places: dict[str, bool] = {}

    def place(node: PlacedNode) -> str | None:
        return "other" if places.setdefault(node.name, not places or chance.random() < 0.5) else None

    library = ingot.build(case.model, {"host": "llvmjit", "other": other}, place=place, cache=None).load()
    return answers(case, library["random"](ingot.cpu(0), devices={"other": [device]}, threads=2))


@pytest.mark.parametrize("seed", range(100, 104))
@pytest.mark.parametrize("kind", KINDS)
def test_nodes_may_be_on_any_target(kind: str, seed: int) -> None:
    """Kernels of both targets are of the same operators, and must not be taken for each other's."""
    case = random_case(seed, KINDS[kind])
    compare(
        case,
        spread(
            case, seed, "interp" if platform.machine() != "x86_64" else "llvmjit -mcpu=x86-64", ingot.cpu(0)
        ),
    )


@needs_opencl
@pytest.mark.opencl
@pytest.mark.parametrize("kind", KINDS)
def test_nodes_may_be_on_a_device(kind: str) -> None:
    case = random_case(110, KINDS[kind])
    compare(case, spread(case, 110, "opencl", ingot.opencl(0)))


@pytest.mark.cc
@pytest.mark.parametrize(("kind", "executor", "target"), [("scopes", "graph", "llvm"), ("codes", "aot", "c")])
def test_an_archive_computes_the_same(kind: str, executor: str, target: str, tmp_path: Path) -> None:
    case = random_case(120, KINDS[kind])
    path = tmp_path / "model.tar"
    built = ingot.build(case.model, target, cache=None, executor=executor)
    built.export_model_library_format(path, executor=executor, vectors=0)
    compare(case, answers(case, ingot.load(path)["random"](ingot.cpu(0), threads=2)))


def test_equal_seeds_give_equal_models() -> None:
    assert random_case(3).model == random_case(3).model
    assert random_case(3).model != random_case(4).model


def test_one_wrong_code_of_few_is_found() -> None:
    case = Case(random_case(3, QOPERATORS).model, {}, {"y": np.array([3, 250, 7], np.uint8)})
    compare(case, [np.array([3, 250, 7], np.uint8)])
    with pytest.raises(AssertionError):
        compare(case, [np.array([3, 25, 7], np.uint8)])
