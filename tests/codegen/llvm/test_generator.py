"""The code generator as a whole: one unit in, objects out, the same every time."""

from __future__ import annotations

import ctypes
import dataclasses
import subprocess
from pathlib import Path

import numpy as np
import pytest

from ingot.base.cache import DirectoryCache
from ingot.base.errors import InternalError, TargetError
from ingot.base.observe import Observer
from ingot.base.target import Target
from ingot.base.tensor import DType, TensorType
from ingot.codegen.llvm.generator import CODEGEN
from ingot.codegen.record import BuildContext, Generated
from ingot.loops.nodes import For, Kernel, LoopKind, Var, buffer, index, load, store
from ingot.plan.program import Call, CompileUnit, MemoryPlan, Program, Region, Slot, Value
from tests.support.kernel_llvm import needs_cc

F = DType.FLOAT32
NATIVE = CODEGEN.resolve(Target.parse("llvm -mcpu=native"))


def adder(name: str) -> Kernel:
    a, b, y, v = buffer("a", F, (8,)), buffer("b", F, (8,)), buffer("y", F, (8,)), Var("v")
    return Kernel(
        name, (a, b), (y,), (For(v, index(8), (store(y, (v,), load(a, v) + load(b, v)),), LoopKind.VECTOR),)
    )


def unit(symbol: str = "model", name: str = "add") -> CompileUnit:
    """y = (x + weight) + tail, where `tail` is the second half of a constant."""
    kernel = adder(name)
    vector = TensorType(F, (8,))
    values = {
        "x": Value("x", vector, (1,), "x"),
        "weight": Value("weight", vector, (1,), "weight"),
        "both": Value("both", TensorType(F, (16,)), (1,), "both"),
        "tail": Value("tail", vector, (1,), "both", offset=8),
        "sum": Value("sum", vector, (1,), "sum"),
        "y": Value("y", vector, (1,), "y"),
    }
    slots = {
        "x": Slot(Region.INPUT, 0, 0, 32),
        "weight": Slot(Region.PARAMS, 0, 0, 32),
        "both": Slot(Region.PARAMS, 0, 64, 64),
        "sum": Slot(Region.ARENA, 0, 128, 32),
        "y": Slot(Region.OUTPUT, 0, 0, 32),
    }
    calls = (
        Call(kernel, ("x", "weight", "sum"), ("first",)),
        Call(kernel, ("sum", "tail", "y"), ("second",)),
    )
    constants = {"weight": np.arange(8, dtype=np.float32), "both": np.arange(16, dtype=np.float32)}
    program = Program("model", values, constants, ("x",), ("y",), calls)
    return CompileUnit(symbol, program, MemoryPlan(slots, 160, 128, 160))


def contents(generated: Generated) -> dict[str, bytes]:
    return {artifact.file_name: bytes(artifact.content) for artifact in generated.artifacts}


def test_equal_units_give_equal_bytes() -> None:
    assert contents(CODEGEN.generate(unit(), NATIVE, BuildContext())) == contents(
        CODEGEN.generate(unit(), NATIVE, BuildContext())
    )


def test_objects_name_no_file_or_folder() -> None:
    for content in contents(CODEGEN.generate(unit(), NATIVE, BuildContext())).values():
        assert str(Path.cwd()).encode() not in content and b"<string>" not in content


def test_a_second_build_takes_every_kernel_from_the_cache(tmp_path: Path) -> None:
    class Counting(DirectoryCache):
        puts = 0

        def put(self, key: str, content: bytes) -> None:
            self.puts += 1
            super().put(key, content)

    cache = Counting(tmp_path)
    first = CODEGEN.generate(unit(), NATIVE, BuildContext(cache=cache))
    made = cache.puts
    second = CODEGEN.generate(unit(), NATIVE, BuildContext(cache=cache))
    assert made == 2 and cache.puts == made
    assert contents(first) == contents(second) == contents(CODEGEN.generate(unit(), NATIVE, BuildContext()))
    assert first.cpu_features == second.cpu_features
    CODEGEN.generate(
        unit(), CODEGEN.resolve(Target.parse("llvm -mtriple=aarch64-linux-gnu")), BuildContext(cache=cache)
    )
    assert cache.puts == 2 * made


def test_the_observer_sees_the_llvm_text() -> None:
    seen: dict[str, str | bytes] = {}
    CODEGEN.generate(unit(), NATIVE, BuildContext(Observer(on_dump=seen.__setitem__)))
    assert any("define hidden i32 @k.model.add(" in str(text) for text in seen.values())


def test_more_memory_than_a_processor_has_addresses_for_is_refused() -> None:
    small = unit()
    large = dataclasses.replace(small, memory=dataclasses.replace(small.memory, params_bytes=3 << 30))
    for triple in ("armv7a-linux-gnueabihf", "riscv32-unknown-elf"):
        target = Target.parse(f"llvm -mtriple={triple}")
        with pytest.raises(
            TargetError, match=r"'model' has 3221225472 bytes in one piece, and \w+ addresses of 32 bits"
        ):
            CODEGEN.generate(large, target, BuildContext())
        CODEGEN.generate(small, target, BuildContext())
    CODEGEN.generate(large, NATIVE, BuildContext())


def test_two_kernels_of_one_name_are_refused() -> None:
    base = unit()
    other = Call(adder("add"), ("sum", "tail", "y"), ("second",))
    program = Program(
        "model", base.program.values, base.program.constants, ("x",), ("y",), (base.program.calls[0], other)
    )
    with pytest.raises(InternalError, match="one name"):
        CODEGEN.generate(CompileUnit("model", program, base.memory), NATIVE, BuildContext())


@needs_cc
def test_a_model_runs_whole_and_call_by_call(tmp_path: Path) -> None:
    names = []
    for name, content in contents(CODEGEN.generate(unit(), NATIVE, BuildContext())).items():
        names.append(name.replace("/", "_"))
        (tmp_path / names[-1]).write_bytes(content)
    subprocess.run(
        ["cc", "-shared", *names, "-o", "model.so", "-Wl,-z,defs", "-lm"], check=True, cwd=tmp_path
    )
    library = ctypes.CDLL(str(tmp_path / "model.so"))
    assert not hasattr(library, "model_add")
    params = np.zeros(32, np.float32)
    params[:8], params[16:] = np.arange(8), np.arange(16)
    arena, x, y = np.zeros(40, np.float32), np.full(8, 100, np.float32), np.zeros(8, np.float32)
    bases = (ctypes.c_void_p * 5)(params.ctypes.data, arena.ctypes.data, None, x.ctypes.data, y.ctypes.data)
    assert library.ingot_model_run(bases) == 0
    np.testing.assert_array_equal(y, 100 + np.arange(8) + np.arange(8, 16))
    np.testing.assert_array_equal(arena[32:], 100 + np.arange(8))
    y[:] = 0
    x[:] = 200
    assert library.ingot_model_call(1, bases) == 0  # the second call alone: the sum is still the old one
    np.testing.assert_array_equal(y, 100 + np.arange(8) + np.arange(8, 16))
    assert library.ingot_model_call(2, bases) < 0
    assert library.ingot_model_call(-1, bases) < 0
