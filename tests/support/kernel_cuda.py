"""Runs kernels and programs with the code generator `cuda` through its loader, on a GPU of paper or a real one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest

import ingot.runtime.devices.cuda as runtime
from ingot.artifact.module import LoadContext
from ingot.base.target import Target
from ingot.base.tensor import DType
from ingot.codegen.cuda.generator import CODEGEN
from ingot.codegen.record import BuildContext
from ingot.loops import interpret
from ingot.loops.nodes import For, Kernel, LoopKind
from ingot.plan.program import CompileUnit
from ingot.runtime.devices.cuda import CudaModule, CudaSession
from tests.support.cuda_driver import Driver, Gpu
from tests.support.gpu import REAL
from tests.support.kernel_opencl import kernel_unit, params_of

TARGET = CODEGEN.resolve(Target.parse("cuda", key="accel"))


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    """The driver of a machine with one GPU; everything on it must be given back in the end."""
    made = Driver(Gpu())
    monkeypatch.setattr(runtime, "driver", made)
    yield made
    assert not made.stack


@pytest.fixture(params=["paper", REAL])
def gpu(request: pytest.FixtureRequest) -> None:
    """A machine with one GPU, for tests that do not look at its driver."""
    if request.param == "paper":
        request.getfixturevalue("driver")


def ptx_of(unit: CompileUnit, target: Target = TARGET) -> str:
    return bytes(CODEGEN.generate(unit, target, BuildContext()).artifacts[0].content).decode()


def load(*units: CompileUnit) -> CudaModule:
    """The loaded module of some units."""
    artifacts = tuple(
        artifact for unit in units for artifact in CODEGEN.generate(unit, TARGET, BuildContext()).artifacts
    )
    module = runtime.LOADER.load(artifacts, LoadContext(TARGET.key, ()))
    assert isinstance(module, CudaModule)
    return module


def open_session(module: CudaModule, unit: CompileUnit) -> CudaSession:
    """A session on the first device."""
    function = module.get_function(f"ingot_{unit.symbol}_open")
    assert function is not None
    session = function(0, memoryview(params_of(unit)), unit.memory.arena_bytes)
    assert isinstance(session, CudaSession)
    return session


def write(session: CudaSession, unit: CompileUnit, arrays: Mapping[str, np.ndarray]) -> None:
    """Copies arrays to the values of those names."""
    for name, array in arrays.items():
        session.write(unit.memory.slots[name].offset_bytes, array.ctypes.data, array.nbytes)


def read(session: CudaSession, unit: CompileUnit, name: str) -> np.ndarray:
    """The stored elements of a value."""
    value, slot = unit.program.values[name], unit.memory.slots[name]
    array = np.zeros(value.buffer(name).span, value.type.dtype.numpy)
    session.read(slot.offset_bytes, array.ctypes.data, array.nbytes)
    return array


def run_kernel(kernel: Kernel, *arrays: np.ndarray) -> list[np.ndarray]:
    """Runs a kernel on its parameters' stored elements, and returns them all as they are afterwards."""
    unit = kernel_unit(kernel)
    module = load(unit)
    session = open_session(module, unit)
    write(session, unit, {f"p{position}": array for position, array in enumerate(arrays)})
    assert session.call(0) == 0
    session.finish()
    results = [read(session, unit, name) for name in unit.program.values]
    session.close()
    module.close()
    return results


def side_by_side(kernel: Kernel) -> Kernel:
    """The kernel with the outermost loops run by threads: their iterations must be independent. One thread alone is slow here."""
    body = tuple(replace(one, kind=LoopKind.PARALLEL) if isinstance(one, For) else one for one in kernel.body)
    return replace(kernel, body=body)


def agrees_with_interpreter(
    kernel: Kernel, *inputs: np.ndarray, rtol: float = 0.0, atol: float = 0.0
) -> list[np.ndarray]:
    """Runs a kernel as PTX and interpreted, asserts that the outputs are the same (NaN is NaN), and returns them. `inputs` are
    flat.
    """
    arrays = [array.copy() for array in inputs]
    arrays += [np.zeros(param.span, param.dtype.numpy) for param in kernel.outputs + kernel.workspaces]
    found = run_kernel(kernel, *arrays)
    interpret.compile_kernel(kernel)(arrays)
    outputs = slice(len(inputs), len(inputs) + len(kernel.outputs))
    for param, compiled, expected in zip(kernel.outputs, found[outputs], arrays[outputs], strict=True):
        pair = [compiled, expected]
        if param.dtype is DType.BFLOAT16:
            pair = [(array.astype(np.uint32) << 16).view(np.float32) for array in pair]
        if param.dtype.is_float:
            np.testing.assert_allclose(
                pair[0], pair[1], rtol=rtol, atol=atol, equal_nan=True, err_msg=param.name
            )
            zeros = pair[1] == 0
            np.testing.assert_array_equal(
                np.signbit(pair[0][zeros]), np.signbit(pair[1][zeros]), err_msg=param.name
            )
        else:
            np.testing.assert_array_equal(pair[0], pair[1], err_msg=param.name)
    return found[outputs]
