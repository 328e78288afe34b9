"""Whether float32 goes through matrix tiles here is measured, and the answer is part of the target; no build fails over that."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from ingot.base.target import Target
from ingot.codegen.llvm.build import probe, targets
from ingot.codegen.llvm.build.objects import compiled
from ingot.codegen.llvm.build.probe import measured, tile_kernel, tiles_pay, vector_kernel
from ingot.codegen.llvm.build.targets import chip, processor, resolve
from ingot.codegen.llvm.emit.kernel import emit_kernel
from ingot.codegen.llvm.generator import CODEGEN
from ingot.loops.interpret import run as interpret
from ingot.loops.verify import verify
from ingot.machines.tuning import Amx
from tests.support.kernel_llvm import check_kernel, needs_cc
from tests.support.tiles import HERE, needs_float_tiles

RAPIDS = resolve(Target.parse("llvm -mtriple=x86_64-linux-gnu -mcpu=emeraldrapids"))
WORK = {"in_tiles": 32 * 32 * 256, "in_vectors": 6 * 32 * 256}  # multiply-adds of a call


def taking(ratio: float) -> Callable[..., list[float]]:
    """A measurement in which tiles are so many times as quick."""

    def found(kernels, _what, _chip, _threads):
        return [WORK[kernel.name] / (ratio if kernel.name == "in_tiles" else 1) for kernel in kernels]

    return found


WORTH = Amx().probe_worth


@pytest.mark.parametrize(
    ("ratio", "pays"), [(0.7, False), (1.0, False), (WORTH - 0.01, False), (WORTH + 0.01, True)]
)
def test_tiles_are_taken_where_they_are_quicker_by_more_than_what_splitting_takes(
    ratio: float, pays: bool
) -> None:
    assert tiles_pay(processor(RAPIDS), chip(RAPIDS), 2, taking(ratio)) is pays


@pytest.mark.parametrize(
    "why", [OSError("no memory"), RuntimeError("refused"), ValueError("odd"), MemoryError()]
)
def test_where_nothing_can_be_measured_they_are_not(why: Exception) -> None:
    def fails(*_: object) -> list[float]:
        raise why

    assert tiles_pay(processor(RAPIDS), chip(RAPIDS), 2, fails) is False


def test_the_threads_of_the_process_measure() -> None:
    seen: list[int] = []

    def counted(kernels, what, chip_, threads):
        seen.append(threads)
        return taking(2.0)(kernels, what, chip_, threads)

    assert tiles_pay(processor(RAPIDS), chip(RAPIDS), 3, counted)
    assert seen == [3]


@pytest.fixture
def rapids(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bool, int], None]]:
    """This machine is an Emerald Rapids, on which tiles pay or do not, and the process has so many threads."""

    def be(pays: bool, threads: int) -> None:
        monkeypatch.setattr(targets.llvm, "get_host_cpu_name", lambda: "emeraldrapids")
        monkeypatch.setattr(targets, "_host_features", lambda *_: ("+amx-bf16", "+amx-int8", "+amx-tile"))
        monkeypatch.setattr(targets, "available_threads", lambda: threads)
        monkeypatch.setattr(targets, "tiles_pay_here", lambda _what, _chip, count: pays and count == threads)

    return be


@pytest.mark.skipif(not RAPIDS.triple.startswith("x86_64"), reason="x86")
@pytest.mark.parametrize(("pays", "word"), [(True, "on"), (False, "off")])
@pytest.mark.parametrize("text", ["llvm", "llvm -mcpu=native"])
def test_the_native_target_says_what_was_measured(
    rapids, monkeypatch, text: str, pays: bool, word: str
) -> None:
    rapids(pays, 2)
    here = CODEGEN.resolve(Target.parse(text))
    assert dict(here.options)["float32-tiles"] == word
    assert CODEGEN.machine(here).amx_bf16 is pays
    monkeypatch.undo()  # on any other machine the text means the same
    assert CODEGEN.resolve(Target.parse(str(here))) == here
    assert CODEGEN.machine(Target.parse(str(here))).amx_bf16 is pays


def test_nothing_is_measured_where_it_is_said_or_there_are_many_cores(rapids, monkeypatch) -> None:
    rapids(True, 2)
    monkeypatch.setattr(targets, "tiles_pay_here", lambda *_: pytest.fail("measured"))
    assert CODEGEN.machine(Target.parse("llvm --float32-tiles=on")).amx_bf16
    assert not CODEGEN.machine(Target.parse("llvm --float32-tiles=off")).amx_bf16
    assert not CODEGEN.machine(Target.parse("llvm -mcpu=emeraldrapids")).amx_bf16
    assert not CODEGEN.machine(Target.parse("llvm --cores=8")).amx_bf16
    assert not CODEGEN.machine(Target.parse("llvm -mattr=-amx-tile")).amx_bf16
    monkeypatch.setattr(targets, "available_threads", lambda: 16)
    assert not CODEGEN.machine(Target.parse("llvm")).amx_bf16


def test_the_kernels_are_what_is_compared() -> None:
    for kernel in (tile_kernel(), vector_kernel()):
        verify(kernel)
    text = compiled(
        emit_kernel(tile_kernel(), "in_tiles", chip(RAPIDS)), processor(RAPIDS), own_vectors=True
    ).assembly
    assert text.count("tdpbf16ps") == 24  # six products for each of four tiles of sums
    text = compiled(
        emit_kernel(vector_kernel(), "in_vectors", chip(RAPIDS)), processor(RAPIDS), own_vectors=True
    ).assembly
    assert text.count("vfmadd") >= 12 and "%zmm" in text


@needs_cc
def test_the_product_in_vectors_is_one() -> None:
    kernel = vector_kernel()
    rng = np.random.default_rng(3)
    x, w = (rng.integers(-8, 8, one.span).astype(np.float32) for one in kernel.inputs)
    (y,) = check_kernel(kernel, x, w)
    np.testing.assert_array_equal(y.reshape(6, 32), x.reshape(256, 6).T @ w.reshape(256, 32))


def test_the_product_in_tiles_is_one() -> None:
    kernel = tile_kernel()
    memory = {one.name: np.zeros(one.span, one.dtype.numpy) for one in kernel.params}
    ones = np.array([0x3F80, 0x3F80], np.uint16).view(np.int32)[0]  # two bfloat16
    memory["x"].reshape(8, 3, 32, 16)[:, 0] = ones
    memory["w"].reshape(8, 3, 16, 32)[:, 0] = ones
    interpret(kernel, memory)
    assert (memory["y"] == 256).all()  # of the first parts


@needs_cc
@pytest.mark.parametrize("threads", [1, 2])
def test_any_number_of_threads_is_timed(threads: int) -> None:
    here = resolve(Target.parse("llvm -mcpu=native"))
    times = measured([vector_kernel(), vector_kernel()], processor(here), chip(here), threads)
    assert all(1e-8 < seconds < 1e-2 for seconds in times)


@needs_float_tiles
def test_both_forms_run_here() -> None:
    here = resolve(Target.parse(HERE))
    assert all(
        seconds < 1e-2
        for seconds in measured([tile_kernel(), vector_kernel()], processor(here), chip(here), 2)
    )


def test_a_kernel_that_may_not_run_is_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    here = resolve(Target.parse("llvm -mcpu=native"))
    refusing = "define i32 @in_vectors(ptr %x, ptr %w, ptr %y, ptr %pool) {\n ret i32 95\n}\n"
    monkeypatch.setattr(probe, "emit_kernel", lambda *_: refusing)
    with pytest.raises(RuntimeError, match="may not run"):
        measured([vector_kernel()], processor(here), chip(here), 2)
