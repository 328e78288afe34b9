"""Bitcode in the memory of this process: artifacts, loader, functions, threads; and what is refused."""

from __future__ import annotations

import ctypes
import gc
import json
import platform
import threading
from dataclasses import replace
from pathlib import Path
from typing import cast

import llvmlite.binding as llvm
import numpy as np
import pytest

from ingot.artifact.artifact import Artifact
from ingot.artifact.module import LoadContext, Pooled
from ingot.artifact.thread_pools import ThreadPools
from ingot.base.cache import DirectoryCache
from ingot.base.errors import ArtifactError, LoadError, TargetError
from ingot.base.target import Target
from ingot.codegen.c.prelude import MATH
from ingot.codegen.llvm import generator as llvm_codegen
from ingot.codegen.llvm.build import engine as llvm_engine
from ingot.codegen.llvm.build.engine import Engine, library_addresses, pool_engine
from ingot.codegen.llvm.build.targets import processor, resolve, without_missing
from ingot.codegen.llvmjit.generator import CODEGEN
from ingot.codegen.llvmjit.loader import LOADER
from ingot.codegen.record import BuildContext, Generated
from ingot.loops.nodes import FUNCTIONS, PREDICATES
from tests.codegen.units import expected, memory, small_unit
from tests.support.kernel_c import addresses

X = np.array([1.0, -20.0, 3.0, 0.5], np.float32)
CONTEXT = LoadContext("host", ())
NATIVE = CODEGEN.resolve(Target.parse("llvmjit"))
BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
BODY_FOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, BODY, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


def generated(symbol: str = "small", context: BuildContext | None = None) -> Generated:
    return CODEGEN.generate(small_unit(symbol), NATIVE, context or BuildContext())


def made(symbol: str = "small") -> tuple[Artifact, ...]:
    return generated(symbol).artifacts


def with_listing(artifacts: tuple[Artifact, ...], **changes: object) -> tuple[Artifact, ...]:
    *modules, listing = artifacts
    read = {**json.loads(bytes(listing.content)), **changes}
    return (*modules, replace(listing, content=json.dumps(read).encode()))


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


def test_artifacts_are_bitcode_and_a_list_of_modules() -> None:
    artifacts = made()
    assert [artifact.file_name for artifact in artifacts] == [
        "small/add.bc",
        "small/relu.bc",
        "small.bc",
        "small.jit.json",
    ]
    assert {(artifact.loader, artifact.codegen_id) for artifact in artifacts} == {("llvmjit", "llvmjit")}
    assert all(bytes(artifact.content).startswith(b"BC\xc0\xde") for artifact in artifacts[:3])
    assert artifacts == made()


def test_the_same_cpu_features_are_recorded_as_for_objects() -> None:
    objects = llvm_codegen.generate(small_unit("small"), replace(NATIVE, codegen="llvm"), BuildContext())
    assert generated().cpu_features == objects.cpu_features


def test_bitcode_and_objects_of_one_kernel_share_the_cache_and_no_entry(tmp_path: Path) -> None:
    context = BuildContext(cache=DirectoryCache(tmp_path))
    first = generated(context=context)
    entries = set(tmp_path.glob("*/*"))
    assert len(entries) == 3
    times = {path: path.stat().st_ino for path in entries}
    assert generated(context=context) == first
    assert {path: path.stat().st_ino for path in entries} == times, "nothing was compiled again"
    llvm_codegen.generate(small_unit("small"), replace(NATIVE, codegen="llvm"), context)
    assert len(list(tmp_path.glob("*/*"))) == 6


def test_a_closed_module_has_no_functions() -> None:
    module = LOADER.load(made(), CONTEXT)
    module.close()
    module.close()
    assert module.get_function("ingot_small_run") is None


def test_a_module_that_nobody_refers_to_frees_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    close = Engine.close
    monkeypatch.setattr(Engine, "close", lambda engine: (closed.append("once"), close(engine))[1])
    module = LOADER.load(made() + made("other"), CONTEXT)
    del module
    gc.collect()
    assert len(closed) == 3, "two models and the pool"


def test_modules_side_by_side_do_not_see_each_other() -> None:
    one, two = LOADER.load(made(), CONTEXT), LOADER.load(made(), CONTEXT)
    one.close()
    arrays = memory(small_unit("small"), X)
    run = two.get_function("ingot_small_run")
    assert run is not None and run(addresses(arrays)) == 0
    np.testing.assert_array_equal(arrays[4], expected(small_unit("small"), X))


# ─── the thread pool ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.skipif(platform.system() != "Linux", reason="the pool in memory is for Linux")
def test_loops_are_shared_out_to_the_threads_of_the_pool() -> None:
    engine, pools = pool_engine(), ThreadPools()
    pool = pools.address(3, engine.function)
    pool_for = BODY_FOR(engine.address("ingot_pool_for"))
    seen: dict[int, int] = {}
    ranges: list[tuple[int, int]] = []
    meet = threading.Barrier(3, timeout=20)

    def body(_args: int, begin: int, end: int) -> None:
        if threading.get_ident() not in seen:
            seen[threading.get_ident()] = begin
            meet.wait()  # passes only when three threads are at work at the same time
        ranges.append((begin, end))

    keep = BODY(body)
    pool_for(pool, keep, None, 1200, 1)
    assert len(seen) == 3
    assert sorted(number for begin, end in ranges for number in range(begin, end)) == list(range(1200))
    ranges.clear()
    seen[threading.get_ident()] = 0
    pool_for(None, keep, None, 7, 1)
    assert ranges == [(0, 7)]
    pools.close(engine.function)
    engine.close()


@pytest.mark.skipif(platform.system() != "Linux", reason="the pool in memory is for Linux")
def test_a_module_has_one_pool_for_each_number_of_threads() -> None:
    pools = cast(Pooled, LOADER.load(made(), CONTEXT))
    pool = pools.pool(3)
    assert (
        pool is not None
        and pools.pool(3) == pool
        and pools.pool(2) not in (None, pool)
        and pools.pool(1) is None
    )


def test_without_a_pool_for_the_machine_the_caller_does_the_loop(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(llvm_engine, "_NATIVE", tmp_path)
    engine = pool_engine()
    assert engine.function("ingot_pool_create") is None
    ranges: list[tuple[int, int]] = []
    keep = BODY(lambda _args, begin, end: ranges.append((begin, end)))
    pool_for = BODY_FOR(engine.address("ingot_pool_for"))
    pool_for(None, keep, None, 9, 2)
    pool_for(None, keep, None, 0, 2)
    assert ranges == [(0, 9)]
    module = LOADER.load(made(), CONTEXT)
    assert module.pool(4) is None  # type: ignore[attr-defined]


def test_every_function_of_the_loop_ir_is_in_this_process() -> None:
    found = library_addresses()
    for function in FUNCTIONS - PREDICATES:
        name = MATH[function]
        assert name in found and f"{name}f" in found, name


# ─── what is refused ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"BC\xc0\xde", b"define void @f() { ret void }", b"{}", b"[" * 100000]
)
@pytest.mark.parametrize("position", range(4))
def test_bytes_that_are_nothing_are_refused(content: bytes, position: int) -> None:
    artifacts = list(made())
    artifacts[position] = replace(artifacts[position], content=content)
    with pytest.raises(ArtifactError, match="small"):
        LOADER.load(tuple(artifacts), CONTEXT)


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9])
def test_bitcode_that_is_cut_short_is_refused(keep: float) -> None:
    first, *rest = made()
    content = bytes(first.content)
    with pytest.raises(ArtifactError, match=r"small/add\.bc"):
        LOADER.load((replace(first, content=content[: int(len(content) * keep) & -4]), *rest), CONTEXT)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"symbol": 3},
        {"target": "llvmjit -mcpu=zn"},
        {"target": 3},
        {"llvm": None},
        {"llvm": "new"},
        {"modules": 3},
        {"modules": ["small.bc", "small.bc"]},
        {"modules": ["small.bc", [1]]},
        {"modules": ["small/add.bc", "small/relu.bc"]},
        {"modules": ["small/add.bc", "small/relu.bc", "small.bc", "more.bc"]},
    ],
)
def test_a_list_that_does_not_fit_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ArtifactError):
        LOADER.load(with_listing(made(), **change), CONTEXT)


def test_a_file_of_another_kind_is_refused() -> None:
    with pytest.raises(ArtifactError, match=r"small\.so"):
        LOADER.load((Artifact("llvmjit", "llvmjit", "small.so", b""),), CONTEXT)


def test_another_machine_is_a_load_error() -> None:
    triple = "aarch64-unknown-linux-gnu" if platform.machine() == "x86_64" else "x86_64-unknown-linux-gnu"
    artifacts = CODEGEN.generate(
        small_unit("small"), Target.parse(f"llvmjit -mtriple={triple}"), BuildContext()
    ).artifacts
    with pytest.raises(LoadError, match=f"was built for {triple}, this machine is"):
        LOADER.load(artifacts, CONTEXT)
    with pytest.raises(ArtifactError, match="is for"):
        LOADER.load(with_listing(artifacts, target=str(NATIVE)), CONTEXT)


def test_another_operating_system_is_a_load_error() -> None:
    here = llvm.get_default_triple()
    other = f"{here.partition('-')[0]}-pc-windows-msvc"
    artifacts = CODEGEN.generate(
        small_unit("small"), Target.parse(f"llvmjit -mtriple={other}"), BuildContext()
    ).artifacts
    with pytest.raises(LoadError, match="windows"):
        LOADER.load(artifacts, CONTEXT)


def test_bitcode_of_a_newer_llvm_is_a_load_error() -> None:
    with pytest.raises(LoadError, match=r"LLVM 999\.0.*update llvmlite"):
        LOADER.load(with_listing(made(), llvm="999.0"), CONTEXT)


def test_code_that_calls_what_nobody_gives_is_a_load_error() -> None:
    first, *rest = made()
    machine = llvm.Target.from_triple(NATIVE.triple).create_target_machine(reloc="pic", codemodel="default")
    text = f'target triple = "{NATIVE.triple}"\ntarget datalayout = "{machine.target_data}"\n'
    text += "declare i32 @system(ptr)\ndefine hidden i32 @small_add(ptr %a, ptr %b, ptr %c, ptr %pool) {\n"
    text += " %r = call i32 @system(ptr %a) ret i32 %r }\n"
    content = llvm.parse_assembly(text).as_bitcode()
    with pytest.raises(LoadError, match="system"):
        LOADER.load((replace(first, content=content), *rest), CONTEXT)


def test_entries_that_no_module_has_are_a_load_error() -> None:
    with pytest.raises(LoadError, match="'ingot_large_call', 'ingot_large_run'"):
        LOADER.load(with_listing(made(), symbol="large"), CONTEXT)


def test_options_are_refused() -> None:
    with pytest.raises(TargetError, match="the code generator llvmjit has no option 'tile'"):
        CODEGEN.resolve(Target.parse("llvmjit --tile=3"))


def test_features_that_the_processor_lacks_are_turned_off() -> None:
    if platform.machine() != "x86_64":
        pytest.skip("names features of x86-64")
    what = processor(resolve(Target.parse("llvmjit -mcpu=sapphirerapids -mattr=+avx512f")))
    features = without_missing(what).features.split(",")
    here = llvm.get_host_cpu_features()
    assert ("-avx512f" in features) == (not here["avx512f"]) and ("-amx-tile" in features) == (
        not here["amx-tile"]
    )
    assert "-sse2" not in features
