"""The loader cuda, on a driver of paper: devices, sessions, streams, and what goes wrong."""

from __future__ import annotations

import ctypes
import inspect
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ingot.runtime.devices.cuda as runtime
from ingot.artifact.artifact import Artifact
from ingot.artifact.module import LoadContext
from ingot.base.errors import ArtifactError, DeviceError, LoadError
from ingot.base.target import Target
from ingot.codegen.cuda.generator import CODEGEN
from ingot.codegen.record import BuildContext
from ingot.runtime.devices.cuda_launches import read_launches
from tests.codegen.units import expected, small_unit
from tests.support import kernel_cuda as device
from tests.support.cuda_driver import CUresult, Driver, Gpu
from tests.support.kernel_cuda import TARGET, driver
from tests.support.kernel_opencl import on_device, params_of

__all__ = ["driver"]
CONTEXT = LoadContext(TARGET.key, ())
X = np.array([1.0, -20.0, 3.0, 0.5], np.float32)


def small(symbol: str = "small"):
    return on_device(small_unit(symbol).program, symbol)


def made(unit, target: Target = TARGET) -> tuple[Artifact, ...]:
    return CODEGEN.generate(unit, target, BuildContext()).artifacts


# ─── sessions ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_calls_and_copies_keep_their_order(driver: Driver) -> None:
    unit = small()
    module = device.load(unit)
    assert (
        module.type_key == "cuda"
        and module.imported_modules == ()
        and module.get_function("ingot_other_open") is None
    )
    session = device.open_session(module, unit)
    given = X.copy()
    device.write(session, unit, {"x": given})
    given[:] = 99  # what was given may be changed after the return
    assert [session.call(number) for number in (0, 1, 2)] == [0, 0, 0]
    assert driver.launched == [], "calls are queued"
    np.testing.assert_array_equal(device.read(session, unit, "y"), expected(unit, X))
    assert driver.launched == ["small_add", "small_add", "small_relu"]
    assert session.call(3) < 0 and session.call(-1) < 0
    session.close()
    session.close()
    module.close()


def test_sessions_have_their_own_arena_and_share_code_and_constants(driver: Driver) -> None:
    units = [small("left"), small("right")]
    module = device.load(*units)
    order = (*units, units[0])
    sessions = [device.open_session(module, unit) for unit in order]
    for factor, (session, unit) in enumerate(zip(sessions, order, strict=True)):
        device.write(session, unit, {"x": X * factor})
    for number in range(3):
        assert all(session.call(number) == 0 for session in sessions)
    for factor, (session, unit) in enumerate(zip(sessions, order, strict=True)):
        np.testing.assert_array_equal(device.read(session, unit, "y"), expected(unit, X * factor))
    assert len(driver.modules) == 2 and len(driver.streams) == 3
    for session in sessions:
        session.close()
    module.close()


def test_everything_is_given_back(driver: Driver) -> None:
    gpu = driver.gpus[0]
    unit = small()
    module = device.load(unit)
    sessions = [device.open_session(module, unit) for _ in range(2)]
    assert gpu.memory.in_use and gpu.retained == 1
    for session in sessions:
        session.close()
    module.close()
    module.close()
    assert (gpu.memory.in_use, gpu.retained, driver.streams, driver.modules) == (0, 0, [], [])


def test_a_session_may_be_closed_after_its_module(driver: Driver) -> None:
    unit = small()
    module = device.load(unit)
    session = device.open_session(module, unit)
    module.close()
    assert driver.gpus[0].retained == 1
    session.close()
    assert (driver.gpus[0].memory.in_use, driver.gpus[0].retained, driver.streams) == (0, 0, [])


def test_the_context_that_others_use_stays_current(driver: Driver) -> None:
    driver.cuInit(0)
    other = driver.cuDevicePrimaryCtxRetain(driver.gpus[0])[1]
    driver.cuCtxPushCurrent(other)
    unit = small()
    session = device.open_session(device.load(unit), unit)
    device.write(session, unit, {"x": X})
    session.call(0)
    session.close()
    assert driver.stack == [other]
    driver.cuCtxPopCurrent()


def test_a_device_of_several_is_found_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    two = Driver(Gpu("First"), Gpu("Second", (8, 0)))
    monkeypatch.setattr(runtime, "driver", two)
    unit = small()
    function = device.load(unit).get_function("ingot_small_open")
    assert function is not None
    session = function(1, memoryview(params_of(unit)), unit.memory.arena_bytes)
    assert (two.gpus[0].memory.in_use, two.gpus[0].retained, two.gpus[1].retained) == (0, 0, 1)
    session.close()
    with pytest.raises(
        DeviceError, match=r"no device cuda\(2\); there are cuda\(0\) First, cuda\(1\) Second"
    ) as raised:
        function(2, memoryview(params_of(unit)), unit.memory.arena_bytes)
    assert raised.value.facts["available"] == ("cuda(0)", "cuda(1)")


# ─── what goes wrong ───────────────────────────────────────────────────────────────────────────────────────────────


def opened(
    target: Target = TARGET,
    change: Callable[[Artifact], Artifact] = lambda one: one,
    params: bytes | None = None,
) -> Any:
    unit = small()
    module = runtime.LOADER.load(tuple(map(change, made(unit, target))), CONTEXT)
    function = module.get_function("ingot_small_open")
    assert function is not None
    return function(0, memoryview(params_of(unit) if params is None else params), unit.memory.arena_bytes)


def test_a_machine_without_a_driver_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing:
        def cuInit(self, flags: int) -> None:  # noqa: N802
            raise RuntimeError("no libcuda.so.1")

    monkeypatch.setattr(runtime, "driver", Missing())
    with pytest.raises(DeviceError, match=r"no device cuda\(0\); this machine has no NVIDIA driver"):
        opened()


def test_a_driver_without_a_gpu_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "driver", Driver())
    with pytest.raises(DeviceError, match=r"no device cuda\(0\); the NVIDIA driver has found no GPU"):
        opened()


def test_a_library_without_the_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "driver", None)
    with pytest.raises(
        LoadError, match=r"needs the package cuda-bindings: pip install 'ingot-compiler\[cuda\]'"
    ):
        runtime.LOADER.load(made(small()), CONTEXT)


def test_an_older_gpu_is_refused_with_the_target_that_it_needs(driver: Driver) -> None:
    match = r"needs compute capability 9.0, cuda\(0\) Paper GPU has 7.5; build it for 'cuda -mcpu=sm_75'"
    with pytest.raises(DeviceError, match=match):
        opened(CODEGEN.resolve(Target.parse("cuda -mcpu=sm_90", key="accel")))


def test_an_older_driver_is_refused_with_the_one_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "driver", Driver(Gpu(), ptx=(6, 0)))
    with pytest.raises(
        DeviceError, match=r"CUDA_ERROR_UNSUPPORTED_PTX_VERSION .*; PTX 6.3 needs driver 410 or later"
    ):
        opened()


def _with(suffix: str, old: bytes, new: bytes) -> Callable[[Artifact], Artifact]:
    return lambda one: (
        replace(one, content=bytes(one.content).replace(old, new)) if one.file_name.endswith(suffix) else one
    )


def test_text_that_the_driver_does_not_take_is_refused_with_its_words(driver: Driver) -> None:
    match = r"compiling 'small' on cuda\(0\) .*CUDA_ERROR_INVALID_PTX.*: ptxas fatal: no .version"
    with pytest.raises(DeviceError, match=match) as raised:
        opened(change=_with(".ptx", b".version", b".verzion"))
    assert "\n" not in str(raised.value)
    with pytest.raises(DeviceError, match=r"finding the kernel 'small_add' .*CUDA_ERROR_NOT_FOUND"):
        opened(change=_with(".ptx", b"small_add", b"small_sub"))
    assert driver.modules == [] and driver.gpus[0].memory.in_use == 0


@pytest.mark.parametrize(
    ("function", "match"),
    [
        ("cuMemAlloc", "allocating 64 bytes for constants of 'small'"),
        ("cuStreamCreate", "making a stream"),
        ("cuDevicePrimaryCtxRetain", "opening"),
        ("cuMemcpyHtoD", "copying constants of 'small'"),
    ],
)
def test_every_failure_of_the_driver_is_told_by_what_was_tried(
    driver: Driver, function: str, match: str
) -> None:
    driver.fails[function] = CUresult.CUDA_ERROR_OUT_OF_MEMORY
    with pytest.raises(
        DeviceError,
        match=rf"{match} on cuda\(0\) Paper GPU failed: CUDA_ERROR_OUT_OF_MEMORY \(out of memory\)",
    ):
        opened()


def test_an_arena_that_does_not_fit_leaves_nothing_behind(driver: Driver) -> None:
    driver.gpus[0].total_bytes = 100
    with pytest.raises(DeviceError, match="allocating 256 bytes for arena of 'small'"):
        opened()
    assert driver.streams == []


def test_a_failed_kernel_is_told_where_its_result_is_read_and_the_session_still_closes(
    driver: Driver,
) -> None:
    unit = small()
    session = device.open_session(device.load(unit), unit)
    for launch in session._calls[0]:
        launch._values[0] += 1 << 40
    session.call(0)
    with pytest.raises(
        DeviceError, match=r"copying 16 bytes from the arena of 'small' .*CUDA_ERROR_ILLEGAL_ADDRESS"
    ):
        device.read(session, unit, "y")
    with pytest.raises(DeviceError, match="CUDA_ERROR_ILLEGAL_ADDRESS"):
        session.call(1)
    session.close()


def test_constants_that_are_too_short_are_refused(driver: Driver) -> None:
    with pytest.raises(ArtifactError, match="have 3 bytes, expected 64"):
        opened(params=b"abc")


def test_the_double_has_the_functions_of_the_package() -> None:
    real = pytest.importorskip("cuda.bindings.driver", reason="needs cuda-bindings (extra 'cuda')")
    for name, function in inspect.getmembers(Driver, inspect.isfunction):
        if name.startswith("cu"):
            first = getattr(real, name).__doc__.split("\n")[0]
            inside = re.sub(r"\[[^\]]*\]", "", first[first.index("(") + 1 : first.rindex(")")])
            given = [part for part in inside.split(",") if part.strip()]
            assert len(given) == len(inspect.signature(function).parameters) - 1, first
    for kind in ("CUresult", "CUdevice_attribute", "CUjit_option", "CUstream_flags"):
        for member in getattr(Driver, kind):
            assert int(getattr(getattr(real, kind), member.name)) == int(member), member


def test_the_package_takes_arguments_as_the_loader_gives_them() -> None:
    """Its functions convert their arguments before they look for the driver's library, which is not here to be called."""
    real = pytest.importorskip("cuda.bindings.driver", reason="needs cuda-bindings (extra 'cuda')")
    try:
        real.cuInit(0)
    except RuntimeError:
        pass
    else:
        pytest.skip("there is a driver: tests with the mark gpu call it")
    memory = ctypes.create_string_buffer(16)
    address, log, option = ctypes.addressof(memory), bytearray(16), real.CUjit_option
    options = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    stream, device = real.CUstream(real.CU_STREAM_LEGACY), real.CUdevice(0)
    given: dict[str, tuple[Any, ...]] = {
        "cuDeviceGetAttribute": (
            real.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            device,
        ),
        "cuDeviceGetName": (256, device),
        "cuDevicePrimaryCtxRetain": (device,),
        "cuModuleLoadDataEx": (b"text\0", 2, options, [log, len(log)]),
        "cuModuleGetFunction": (real.CUmodule(0), b"name"),
        "cuMemAlloc": (16,),
        "cuMemFree": (4096,),
        "cuMemcpyHtoD": (4096, address, 16),
        "cuMemcpyHtoDAsync": (4096, address, 16, stream),
        "cuMemcpyDtoHAsync": (address, 4096, 16, stream),
        "cuMemcpyDtoDAsync": (4096, 8192, 16, stream),
        "cuStreamCreate": (int(real.CUstream_flags.CU_STREAM_NON_BLOCKING),),
        "cuLaunchKernel": (real.CUfunction(0), 1, 1, 1, 32, 1, 1, 0, stream, address, 0),
        "cuGetErrorName": (real.CUresult.CUDA_ERROR_NO_DEVICE,),
    }
    for name, arguments in given.items():
        with pytest.raises(RuntimeError, match="driver"):
            getattr(real, name)(*arguments)
    with pytest.raises(TypeError):
        real.cuMemAlloc("16")


# ─── lists of launches ─────────────────────────────────────────────────────────────────────────────────────────────


def _changed(change: Callable[[dict[str, Any]], object]) -> Artifact:
    listing = made(small())[1]
    data = json.loads(bytes(listing.content))
    change(data)
    return replace(listing, content=json.dumps(data).encode())


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda data: data.update(version=9), "version 9, expected 1"),
        (lambda data: data.update(more=1), "exactly the keys"),
        (lambda data: data.update(capability=[7]), "capability must have 2 numbers"),
        (lambda data: data["calls"][0]["launches"][0].update(grid=[1, 70000, 1]), r"grid must be at most"),
        (
            lambda data: data["calls"][0]["launches"][0].update(grid=[0, 1, 1]),
            r"grid must be a whole number, at least 1",
        ),
        (lambda data: data["calls"][0]["launches"][0].update(block=[1024, 2, 1]), "at most 1024 threads"),
        (lambda data: data["calls"][0]["launches"][0].update(args=[{}]), r"args\[0\] must be an object"),
        (
            lambda data: data["calls"][0]["launches"][0]["args"][0].update(offset=99),
            "ends at byte 412 of arena, which has 256",
        ),
        (
            lambda data: data["calls"][0]["launches"][0]["args"][0].update(region="code"),
            "region must be one of params, arena",
        ),
    ],
)
def test_a_list_of_launches_that_is_not_of_the_form_is_refused(
    change: Callable[[dict[str, Any]], object], match: str
) -> None:
    with pytest.raises(ArtifactError, match=match):
        read_launches(_changed(change))


def test_a_text_without_launches_is_refused() -> None:
    with pytest.raises(ArtifactError, match=r"expected 'small.launch.json' beside it"):
        runtime.LOADER.load(made(small())[:1], CONTEXT)
    with pytest.raises(ArtifactError, match=r"expected a file .ptx or .launch.json"):
        runtime.LOADER.load((replace(made(small())[0], file_name="small.cubin"),), CONTEXT)
