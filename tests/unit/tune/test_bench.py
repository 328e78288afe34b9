"""Candidates run in a process of their own: one that crashes or hangs harms nobody else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from ingot.base.cache import DirectoryCache
from ingot.base.target import Target
from ingot.base.tensor import DType, TensorType
from ingot.codegen.record import BuildContext, KernelCache, Trial
from ingot.kernels.template import Template
from ingot.loops.nodes import Kernel, Store, buffer, index
from ingot.plan.program import Fused, Problem
from ingot.tune.bench import Bench, params
from ingot.tune.search import Missing, Variant
from tests.support import machines

OUT = buffer("out0", DType.FLOAT32, (4,))


def variant(name: str) -> Variant:
    return Variant(
        Kernel(name, (), (OUT,), (Store(OUT, (index(0),), index(0)),)), {"tile": name}, {"tile": (name,)}
    )


def problem() -> Problem:
    template = Template("made", (), (TensorType(DType.FLOAT32, (4,)),), lambda site: ())
    return Problem(Fused(template, ()), machines.SCALARS, (), (OUT,), ())


def compiled(
    _symbol: str, kernels: Sequence[Kernel], _target: Target, _context: BuildContext
) -> list[tuple[str, bytes]]:
    return [(kernel.name, b"object") for kernel in kernels]


def bench(patience: float = 20.0, cache: KernelCache | None = None, cpu: str = "") -> Bench:
    trial = Trial("tests.unit.tune.crashing", lambda target: "", compiled)
    return Bench(trial, Target("llvm"), "m", BuildContext(cache=cache), 0, patience, cpu)


def test_times_come_back_in_order() -> None:
    one = bench()
    assert one.times(problem(), [variant("a"), variant("b"), variant("c")]) == [1000, 990, 980]
    one.close()
    assert one.failed == []


@pytest.mark.parametrize(
    ("name", "patience", "words"), [("bad", 20.0, "ended by signal 11"), ("bad_hang", 0.5, "in time")]
)
def test_who_crashes_or_hangs_is_left_out_and_named(name: str, patience: float, words: str) -> None:
    one = bench(patience)
    assert one.times(problem(), [variant("a"), variant(name), variant("c")], seconds=0.0) == [
        1000,
        Missing.FAILED,
        990,
    ]
    one.close()
    (sentence,) = one.failed
    assert f"with tile={name} cannot be measured" in sentence and words in sentence


def test_who_crashed_once_is_not_run_again_on_this_machine(tmp_path: Path) -> None:
    variants = [variant("a"), variant("bad"), variant("c")]
    for cpu, crashes in (("one", 1), ("one", 0), ("other", 1)):
        again = bench(cache=DirectoryCache(tmp_path), cpu=cpu)
        assert again.times(problem(), variants, seconds=0.0) == [1000, Missing.FAILED, 990]
        again.close()
        assert len(again.failed) == crashes


def test_an_answer_that_is_none_is_a_sentence_and_nobodys_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    for said, words in (
        ("hello", "said 'hello' where an answer was expected"),
        ('{"times_ns": ["a", 1]}', "gave no times"),
    ):
        one = bench()
        monkeypatch.setattr(one._child, "_line", lambda process, deadline, said=said: said.encode())
        assert one.times(problem(), [variant("a"), variant("b")]) == [Missing.LATE] * 2
        one.close()
        (sentence,) = one.failed
        assert words in sentence


def test_what_there_is_no_time_to_compile_is_not_measured() -> None:
    one = bench()
    assert one.times(problem(), [variant("a"), variant("b"), variant("c")], deadline=0.0) == [
        1000,
        990,
        Missing.LATE,
    ]
    one.close()


def test_parameters_say_what_their_memory_is_for() -> None:
    x, w = buffer("in0", DType.FLOAT32, (3,)), buffer("in1", DType.INT8, (5,))
    kernel = Kernel("k", (x, w), (OUT,), (), (buffer("work", DType.FLOAT32, (2,)),))
    given = Problem(problem().fused, machines.SCALARS, (x, w), (OUT,), (None, w.type))  # type: ignore[arg-type]
    assert params(given, Variant(kernel, {}, {})) == [
        ("in0", "float32", 12),
        ("const", "int8", 5),
        ("out0", "float32", 16),
        ("work0", "float32", 8),
    ]
