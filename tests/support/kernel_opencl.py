"""Runs kernels and programs with the code generator `opencl` on the first device, in memory that is all arena."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from ingot.artifact.module import LoadContext
from ingot.base.target import Target
from ingot.base.tensor import DType
from ingot.codegen.opencl.generator import CODEGEN
from ingot.codegen.record import BuildContext
from ingot.loops import interpret
from ingot.loops.nodes import Kernel
from ingot.plan.program import Call, CompileUnit, MemoryPlan, Program, Region, Slot, Value
from ingot.runtime.devices.opencl import LOADER, OpenCLModule, OpenCLSession, cl, devices


def _missing() -> str:
    """Why nothing can run on the first device, or "". A PoCL older than the processor is there and cannot compile."""
    if cl is None or not devices():
        return "needs pyopencl and an OpenCL platform (extra 'opencl')"
    device = devices()[0]
    try:
        cl.Program(cl.Context([device]), "__kernel void nothing(void) {}").build()
    except cl.Error as error:
        lines = str(error).splitlines()
        said = next((line for line in lines if "error:" in line), lines[0])
        return f"needs an OpenCL driver that knows this processor; {device.name} says: {said}"
    return ""


needs_opencl = pytest.mark.skipif(bool(missing := _missing()), reason=missing or "never")
TARGET = Target.parse("opencl", key="accel")
ALIGNMENT = 64


def on_device(program: Program, symbol: str) -> CompileUnit:
    """A unit with the program's constants as the device's, and every other value in its arena, none reusing another's place."""
    slots: dict[str, Slot] = {}
    sizes = {Region.PARAMS: 0, Region.ARENA: 0}
    for value in program.values.values():
        if value.base == value.name:
            region = Region.PARAMS if value.name in program.constants else Region.ARENA
            size = value.buffer(value.name).span * value.type.dtype.size_bytes
            slots[value.name] = Slot(region, 0, sizes[region], size)
            sizes[region] += -(-size // ALIGNMENT) * ALIGNMENT
    inside = Program(program.name, program.values, program.constants, (), (), program.calls)
    return CompileUnit(symbol, inside, MemoryPlan(slots, sizes[Region.ARENA], sizes[Region.PARAMS], 0))


def kernel_unit(kernel: Kernel, symbol: str = "one") -> CompileUnit:
    """A unit of one call of the kernel; value `p3` is its parameter 3."""
    values = {}
    for position, param in enumerate(kernel.params):
        values[f"p{position}"] = Value(f"p{position}", param.type, param.strides, f"p{position}")
    return on_device(
        Program("one kernel", values, {}, (), (), (Call(kernel, tuple(values), ("node",)),)), symbol
    )


def load(*units: CompileUnit) -> OpenCLModule:
    """The loaded module of some units."""
    artifacts = tuple(
        artifact for unit in units for artifact in CODEGEN.generate(unit, TARGET, BuildContext()).artifacts
    )
    module = LOADER.load(artifacts, LoadContext(TARGET.key, ()))
    assert isinstance(module, OpenCLModule)
    return module


def params_of(unit: CompileUnit) -> bytes:
    """The constants of a unit, where its plan wants them."""
    params = bytearray(unit.memory.params_bytes)
    for name, array in unit.program.constants.items():
        start = unit.memory.slots[name].offset_bytes
        params[start : start + array.nbytes] = array.tobytes()
    return bytes(params)


def open_session(module: OpenCLModule, unit: CompileUnit) -> OpenCLSession:
    """A session on the first device."""
    function = module.get_function(f"ingot_{unit.symbol}_open")
    assert function is not None
    session = function(0, memoryview(params_of(unit)), unit.memory.arena_bytes)
    assert isinstance(session, OpenCLSession)
    return session


def write(session: OpenCLSession, unit: CompileUnit, arrays: Mapping[str, np.ndarray]) -> None:
    """Copies arrays to the values of those names."""
    for name, array in arrays.items():
        session.write(unit.memory.slots[name].offset_bytes, array.ctypes.data, array.nbytes)


def read(session: OpenCLSession, unit: CompileUnit, name: str) -> np.ndarray:
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


def agrees_with_interpreter(
    kernel: Kernel, *inputs: np.ndarray, rtol: float = 0.0, atol: float = 0.0
) -> list[np.ndarray]:
    """Runs a kernel on the device and interpreted, asserts that the outputs are the same (NaN is NaN), and returns them. `inputs`
    are flat."""
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
