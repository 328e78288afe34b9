"""What LLVM may refuse is compiled by another process first, and a kernel that it refuses is an error and not an end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ingot.base.cache import DirectoryCache
from ingot.base.errors import InternalError
from ingot.base.tensor import DType
from ingot.codegen.llvm.build import compile_workers, proof
from ingot.codegen.llvm.build.object_builder import build_all
from ingot.codegen.llvm.build.objects import Form, Job, Processor, build
from ingot.codegen.llvm.build.proof import Proofs, forms
from ingot.codegen.llvm.emit.builder import Function, Value
from ingot.codegen.llvm.emit.values import Chip, VectorBuilder
from ingot.codegen.record import BuildContext
from ingot.link.child import Child, ChildError
from tests.codegen.llvm.build.test_compile_workers import Started
from tests.support import machines

WHAT = Processor("x86_64-unknown-linux-gnu", "x86-64-v3", "")
ASSEMBLY = 'define {0} @f({0} %a) {{\n %c = call {0} asm "", "=v,0"({0} %a)\n ret {0} %c\n}}\n'
PLAIN = Job("define i32 @f(i32 %a) {\n ret i32 %a\n}\n", True, "m.plain")
GOOD = Job(ASSEMBLY.format("<8 x i16>"), True, "m.good")
WRONG = Job(ASSEMBLY.format("<4 x i16>"), True, "m.wrong")  # fills no register
ABSENT = Job(
    "declare <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32>, <16 x i32>, <16 x i32>)\n"
    "define void @f(ptr %p) {\n %a = load <16 x i32>, ptr %p\n"
    " %c = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %a, <16 x i32> %a, <16 x i32> %a)\n"
    " store <16 x i32> %c, ptr %p\n ret void\n}\n",
    True,
    "m.absent",
)


@pytest.fixture(autouse=True)
def _nothing_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "_proven", {})
    monkeypatch.setattr(compile_workers, "available_threads", lambda: 1)


def made(
    job: Job, started: Started | None, cache: DirectoryCache | None = None, form: Form = Form.OBJECT
) -> object:
    return build_all([job], 1, WHAT, BuildContext(cache=cache, worker=started), form)


@pytest.mark.parametrize("job", [WRONG, ABSENT], ids=["registers", "instructions"])
@pytest.mark.parametrize("form", Form)
def test_what_llvm_ends_its_process_over_is_an_error_with_the_names_of_kernel_and_processor(
    job: Job, form: Form
) -> None:
    with pytest.raises(
        InternalError, match=f"kernel '{job.name}': .* x86-64-v3 .*: the process that compiles ended"
    ) as caught:
        made(job, Started(), form=form)
    assert caught.value.facts["kernel"] == job.name and caught.value.facts["cpu"] == "x86-64-v3"


def test_each_form_is_tried_by_another_process_once() -> None:
    started = Started()
    for _ in range(3):
        made(GOOD, started)
    assert started.asked == 1 and not started.running


def test_the_cache_remembers_what_was_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started, cache = Started(), DirectoryCache(tmp_path)
    made(GOOD, started, cache)
    monkeypatch.setattr(proof, "_proven", {})  # as a new process
    other = Job(GOOD.text.replace("@f", "@g"), True)  # not in the cache itself
    assert made(other, started, cache) == [build(other, WHAT)]
    assert started.asked == 1


def test_a_damaged_list_in_the_cache_is_none(tmp_path: Path) -> None:
    cache = DirectoryCache(tmp_path)
    proofs = Proofs(WHAT, lambda: "makers", cache)
    proofs.add(forms(GOOD.text))
    for content in (b"{", b"3", b'{"a": 1}'):
        cache.put(proofs._key(), content)
        proof._proven.clear()
        assert Proofs(WHAT, lambda: "makers", cache).lacking(GOOD.text)


def test_plain_code_needs_no_process() -> None:
    started = Started()
    made(PLAIN, started)
    assert not started.made


def test_where_no_process_can_be_started_it_is_compiled_here() -> None:
    assert made(GOOD, None) == [build(GOOD, WHAT)]
    assert made(GOOD, Started(OSError("no such file"))) == [build(GOOD, WHAT)]


@pytest.mark.parametrize(
    "why", [ChildError("ended by signal 9", status=-9), ChildError("did not answer in time")]
)
def test_what_somebody_else_ended_is_compiled_here(why: ChildError) -> None:
    assert made(GOOD, Started(why)) == [build(GOOD, WHAT)]


def test_a_process_that_never_began_is_no_fault_of_the_kernel() -> None:
    class Missing(Started):
        def __call__(self, module: str) -> Child:  # type: ignore[override]
            return Child("no_such_module_of_ours")

    assert made(GOOD, Missing()) == [build(GOOD, WHAT)]


def test_a_build_tells_forms_apart_by_their_types() -> None:
    assert forms(GOOD.text) == {'<8 x i16> asm "", "=v,0"'}
    assert len(forms(ABSENT.text)) == 1 and not forms(PLAIN.text)
    assert forms("declare float @llvm.fma.f32(float, float, float)\n") == frozenset()


@pytest.mark.parametrize("vector_bytes", [16, 32, 64])
@pytest.mark.parametrize("lanes", [1, 2, 3, 4, 5, 8, 24, 32, 64, 100])
@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16, DType.FLOAT16, DType.FLOAT32, DType.FLOAT64])
def test_what_is_hidden_fills_registers(dtype: DType, lanes: int, vector_bytes: int) -> None:
    function = Function("void @f() nounwind", {})
    value = Value("%x", dtype, lanes)
    hidden = VectorBuilder(
        function, Chip(machine=replace(machines.VECTORS, vector_bytes=vector_bytes), has_half=True)
    ).hidden(value)
    assert hidden.type == value.type
    size = {DType.INT8: 1, DType.INT16: 2, DType.FLOAT64: 8}.get(dtype, 4)
    widths = {int(form[1 : form.index(" x ")]) * size for form in forms(function.text())}
    assert widths and all(16 <= width <= vector_bytes and width.bit_count() == 1 for width in widths)
