"""Inputs and outputs that stay on an NVIDIA GPU, on a driver of paper: sessions, and whole models."""

from __future__ import annotations

import gc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ingot
import ingot.runtime.devices.cuda as runtime
from ingot.artifact.session import DirectSession
from ingot.runtime.devices.dlpack import Outside, from_producer, to_capsule
from tests.support import kernel_cuda as device
from tests.support.cuda_driver import CUresult, Driver, Gpu
from tests.support.kernel_cuda import driver
from tests.support.models import model
from tests.unit.runtime.devices.test_cuda import X, expected, small

__all__ = ["driver"]


def filled(session: Any, array: np.ndarray) -> Any:
    memory = session.allocate(array.nbytes)
    memory.write(0, array.ctypes.data, array.nbytes)
    return memory


def content(memory: Any, like: np.ndarray) -> np.ndarray:
    made = np.zeros_like(like)
    memory.read(0, made.ctypes.data, made.nbytes)
    return made


def test_a_session_takes_from_memory_of_the_device_and_gives_to_it(driver: Driver) -> None:
    unit = small()
    session = device.open_session(device.load(unit), unit)
    assert isinstance(session, DirectSession) and session.dlpack_device == (2, 0)
    x, y = filled(session, X), session.allocate(X.nbytes)
    session.take(unit.memory.slots["x"].offset_bytes, session.adopt(x.handle, X.nbytes, x), 0, X.nbytes)
    for number in range(3):
        assert session.call(number) == 0
    wanted = expected(unit, X)
    session.give(unit.memory.slots["y"].offset_bytes, y, 0, wanted.nbytes)
    session.finish()
    np.testing.assert_array_equal(content(y, wanted), wanted)
    session.close()


def test_memory_outlives_the_module_and_is_given_back_in_the_end(driver: Driver) -> None:
    gpu = driver.gpus[0]
    unit = small()
    module = device.load(unit)
    session = device.open_session(module, unit)
    memory = filled(session, X)
    session.close()
    module.close()
    assert gpu.retained == 1 and gpu.memory.in_use == X.nbytes
    np.testing.assert_array_equal(content(memory, X), X)
    del memory
    gc.collect()
    assert (gpu.retained, gpu.memory.in_use) == (0, 0)


def test_what_is_no_memory_of_the_device_or_too_small_is_refused_and_others_are_waited_for(
    driver: Driver,
) -> None:
    unit = small()
    session = device.open_session(device.load(unit), unit)
    memory = session.allocate(64)
    with pytest.raises(ingot.DeviceError, match="has 64 bytes, expected at least 65"):
        session.adopt(memory.handle, 65, memory)
    with pytest.raises(ingot.DeviceError, match="has 60 bytes, expected at least 64"):
        session.adopt(memory.handle + 4, 64, memory)
    with pytest.raises(ingot.DeviceError, match="looking at a tensor"):
        session.adopt(12345, 4, None)
    done: list[int] = []
    driver.default.queue.append(lambda: done.append(1))
    session.adopt(memory.handle, 64, memory)
    assert done == [1]
    with pytest.raises(ingot.DeviceError, match="a tensor"):
        session.allocate(1 << 40)
    driver.fails["cuMemcpyDtoDAsync"] = CUresult.CUDA_ERROR_INVALID_VALUE
    with pytest.raises(ingot.DeviceError, match="copying 4 bytes on the device for 'small'"):
        session.take(0, memory, 0, 4)
    session.close()
    del memory
    gc.collect()
    assert driver.gpus[0].retained == 1  # the module's


@pytest.mark.cc
def test_a_second_device_that_is_not_there_leaves_nothing_on_the_first(driver: Driver) -> None:
    graph = model("g (float[4,6] x) => (float[4,6] y) { a = Exp (x)  y = Relu (a) }")
    targets = {"host": "c", "one": "cuda", "two": "cuda"}
    library = ingot.build(graph, targets, place={"Exp": "one", "Relu": "two"}, cache=None).load()
    kept = driver.gpus[0].memory
    with pytest.raises(ingot.DeviceError, match=r"no device cuda\(7\)"):
        library["g"](ingot.cpu(0), devices={"one": [ingot.cuda(0)], "two": [ingot.cuda(7)]})
    assert driver.streams == []
    del library
    gc.collect()
    assert kept.in_use == 0 and driver.gpus[0].retained == 0


@pytest.mark.cc
def test_a_model_keeps_its_ends_on_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Driver(Gpu())
    monkeypatch.setattr(runtime, "driver", made)
    graph = model(
        "g (float[4,6] x, float[4,6] w) => (float[4,6] y) { a = Exp (x)  b = Add (a, w)  y = Relu (b) }"
    )
    library = ingot.build(graph, {"host": "c", "accel": "cuda"}, place={"*": "accel"}, cache=None).load()
    executor = library["g"](ingot.cpu(0), devices={"accel": [ingot.cuda(0)]})
    x, w = (np.random.default_rng(seed).standard_normal((4, 6)).astype(np.float32) for seed in (0, 1))
    wanted = executor.predict(x=x, w=w)
    there, y = executor.device_tensor("x", x), executor.device_tensor("y")

    def never(*_: object) -> None:
        raise AssertionError("a copy between device and host")

    for name in ("cuMemcpyDtoH", "cuMemcpyDtoHAsync"):
        monkeypatch.setattr(made, name, never)
    assert executor.predict(x=there, w=executor.device_tensor("w", w), out=y) is y
    monkeypatch.undo()
    monkeypatch.setattr(runtime, "driver", made)
    np.testing.assert_array_equal(y.numpy(), wanted)
    seen = from_producer(y)
    assert (seen.device, seen.data, seen.shape) == ((2, 0), y.memory.handle, (4, 6))
    del executor, library, there, y, seen
    gc.collect()
    assert (made.gpus[0].retained, made.gpus[0].memory.in_use) == (0, 0)


class Slice:
    """What a slice of a tensor of another library is: an address of its own in the same memory."""

    def __init__(self, tensor: ingot.DeviceTensor, row: int) -> None:
        address = tensor.memory.handle + row * 24
        self.outside = Outside(address, (2, 0), 2, 32, 1, (2, 6), None, 0, tensor)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)

    def __dlpack__(self, *, stream: int | None = None) -> Any:
        assert stream == 1, "without a stream the library that made a tensor need not wait until it is filled"
        return to_capsule(self.outside)


@pytest.mark.cc
def test_outs_that_overlap_are_refused_though_their_addresses_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "driver", Driver(Gpu()))
    graph = model(
        "g (float[2,6] x, float[4,6] w) => (float[2,6] y, float[2,6] z, float[4,6] v) { y = Exp (x)  z = Relu (x)  v = Neg (w) }"
    )
    library = ingot.build(graph, {"host": "c", "accel": "cuda"}, place={"*": "accel"}, cache=None).load()
    executor = library["g"](ingot.cpu(0), devices={"accel": [ingot.cuda(0)]})
    x, w = np.arange(12, dtype=np.float32).reshape(2, 6) / 12, np.zeros((4, 6), np.float32)
    y, z, _ = executor.predict(x=x, w=w)
    both, other = executor.device_tensor("w", w), executor.device_tensor("v")
    for row in (0, 1):
        with pytest.raises(ingot.InputError, match="shares memory"):
            executor.predict(x=x, w=w, out=[Slice(both, 0), Slice(both, row), other])
    executor.predict(x=x, w=w, out=[Slice(both, 0), Slice(both, 2), other])
    np.testing.assert_array_equal(both.numpy(), np.concatenate([y, z]))
    odd = Slice(both, 0)
    odd.outside = replace(odd.outside, device=(2, 1))
    with pytest.raises(ingot.InputError, match=r"says that it is on cuda\(0\), its capsule says cuda\(1\)"):
        executor.predict(x=odd, w=w)
