"""Inputs and outputs on a device stay there: from executor to executor, and from and to others through DLPack."""

from __future__ import annotations

import gc
import importlib.util
import weakref
from collections.abc import Mapping
from threading import Thread
from typing import Any

import numpy as np
import pytest

import ingot
from ingot.artifact.session import DirectSession
from ingot.runtime.devices.dlpack import from_producer
from ingot.runtime.devices.opencl import OpenCLMemory, OpenCLSession, cl
from ingot.runtime.executors.heterogeneous import Drive
from tests.support.kernel_opencl import needs_opencl
from tests.support.models import model

pytestmark = [pytest.mark.cc, pytest.mark.opencl, needs_opencl]
TARGETS = {"host": "c", "accel": "opencl"}
ACCEL = {"accel": [ingot.opencl(0)]}
GRAPH = """net (float[4,6] x, float[4,6] w) => (float[4,6] y, float[4,6] z)
{ a = Exp (x)  b = Add (a, w)  y = Relu (b)  c = Mul (x, w)  z = Neg (c) }"""
X, W = (np.random.default_rng(seed).standard_normal((4, 6)).astype(np.float32) for seed in (0, 1))
PLACES: dict[str, Mapping[str, str]] = {
    "all": {"*": "accel"},
    "one input is read by both": {"Exp": "accel", "Add": "accel", "Relu": "accel"},
    "one output is made by the host": {"Exp": "accel", "Mul": "accel", "Neg": "accel"},
    "nothing at the ends": {"Add": "accel"},
}


def make(place: Mapping[str, str], name: str = "net") -> ingot.Library:
    made = ingot.build(model(GRAPH), TARGETS, place=place, name=name, executor=("aot", "graph"), cache=None)
    return made.load()


@pytest.fixture(scope="module")
def library() -> ingot.Library:
    return make(PLACES["all"])


@pytest.fixture
def executor(library: ingot.Library) -> ingot.Executor:
    return library["net"](ingot.cpu(0), devices=ACCEL)


class Theirs:
    """A tensor of another library: it speaks DLPack, and is nothing else that ingot knows."""

    def __init__(self, held: Any, device: tuple[int, int] | None = None) -> None:
        self.held, self.device = held, device

    def __dlpack__(self, **options: Any) -> Any:
        return self.held.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self.device or self.held.__dlpack_device__()
        return device


def test_nothing_passes_through_the_host(executor: ingot.Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    y, z = executor.predict(x=X, w=W)
    inputs = {"x": executor.device_tensor("x", X), "w": executor.device_tensor("w", W)}
    out = [executor.device_tensor("y"), executor.device_tensor("z")]

    def never(*_: object) -> None:
        raise AssertionError("a copy between device and host")

    with monkeypatch.context() as patched:
        for where in (OpenCLSession, OpenCLMemory):
            patched.setattr(where, "read", never)
            patched.setattr(where, "write", never)
        assert executor.predict(inputs, out=out) is out
    np.testing.assert_array_equal(out[0].numpy(), y)
    np.testing.assert_array_equal(out[1].numpy(), z)


@pytest.mark.parametrize("kind", ["aot", "graph"])
@pytest.mark.parametrize("place", list(PLACES.values()), ids=list(PLACES))
def test_any_mix_of_arrays_and_tensors_gives_the_same(
    library: ingot.Library, place: Mapping[str, str], kind: str
) -> None:
    mixed = make(place)["net"](ingot.cpu(0), devices=ACCEL, executor=kind)
    other = library["net"](ingot.cpu(0), devices=ACCEL)  # all its tensors can be on the device
    wanted = mixed.predict(x=X, w=W)
    for bits in range(16):
        x = other.device_tensor("x", X) if bits & 1 else X
        w = other.device_tensor("w", W) if bits & 2 else W
        out: list[Any] = [
            other.device_tensor(name) if bits >> at & 1 else np.empty_like(array)
            for at, (name, array) in enumerate(zip("yz", wanted, strict=True), 2)
        ]
        assert mixed.predict(x=x, w=w, out=out) is out
        for one, array in zip(out, wanted, strict=True):
            np.testing.assert_array_equal(one if isinstance(one, np.ndarray) else one.numpy(), array)
        for one, array in zip(mixed.predict(x=x, w=w), wanted, strict=True):
            np.testing.assert_array_equal(one, array)


def test_an_output_of_one_library_is_an_input_of_another(library: ingot.Library) -> None:
    second = make(PLACES["all"], "second")
    first = library["net"](ingot.cpu(0), devices=ACCEL)
    y, z = first.device_tensor("y"), first.device_tensor("z")
    first.predict(x=X, w=W, out=(y, z))
    wanted = second["second"](ingot.cpu(0), devices=ACCEL).predict(x=y.numpy(), w=W)
    result = second["second"](ingot.cpu(0), devices=ACCEL).predict(x=y, w=W)
    np.testing.assert_array_equal(result[0], wanted[0])


def test_a_tensor_outlives_all_libraries_and_is_an_input_of_a_later_one() -> None:
    library = make(PLACES["all"])
    x = library["net"](ingot.cpu(0), devices=ACCEL).device_tensor("x", X)
    module = weakref.ref(library.imported_modules[0])
    del library
    gc.collect()
    assert module() is None
    np.testing.assert_array_equal(x.numpy(), X)
    later = make(PLACES["all"])["net"](ingot.cpu(0), devices=ACCEL)
    np.testing.assert_array_equal(later.predict(x=x, w=W)[0], later.predict(x=X, w=W)[0])


def test_tensors_go_out_and_come_in_through_dlpack(executor: ingot.Executor) -> None:
    x, y, z = executor.device_tensor("x", X), executor.device_tensor("y"), executor.device_tensor("z")
    assert x.__dlpack_device__() == (4, 0) and x.shape == (4, 6) and x.dtype is ingot.DType.FLOAT32
    seen = from_producer(x)
    assert (seen.data, seen.device, seen.code, seen.bits, seen.lanes, seen.shape) == (
        x.memory.handle,
        (4, 0),
        2,
        32,
        1,
        (4, 6),
    )
    executor.predict(x=Theirs(x), w=W, out=(Theirs(y), z))
    np.testing.assert_array_equal(y.numpy(), executor.predict(x=X, w=W)[0])


def test_tvm_ffi_takes_and_gives_such_tensors(executor: ingot.Executor) -> None:
    if importlib.util.find_spec("tvm_ffi") is None:
        pytest.skip("needs the package apache-tvm-ffi (extra interop)")
    import tvm_ffi

    x, y, z = executor.device_tensor("x", X), executor.device_tensor("y"), executor.device_tensor("z")
    theirs = tvm_ffi.from_dlpack(x)
    assert str(theirs.device) == "opencl:0" and tuple(theirs.shape) == (4, 6)
    executor.predict(x=theirs, w=W, out=(tvm_ffi.from_dlpack(y), z))
    np.testing.assert_array_equal(y.numpy(), executor.predict(x=X, w=W)[0])


def test_another_thread_is_refused_while_tensors_on_a_device_are_at_work(
    executor: ingot.Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = {"x": executor.device_tensor("x", X), "w": executor.device_tensor("w", W)}
    expected = executor.predict(inputs)
    usual, refused = Drive.run_bound, []

    def other() -> None:
        for given in (inputs, {"x": X, "w": W}):
            with pytest.raises(ingot.BusyError, match="already at work, for another thread"):
                executor.predict(given)
            refused.append(given)

    def run_bound(drive: Drive, bases: Any, bound: Any) -> int:
        if not refused:
            thread = Thread(target=other)
            thread.start()
            thread.join()
        return usual(drive, bases, bound)

    monkeypatch.setattr(Drive, "run_bound", run_bound)
    for _ in range(2):
        assert all(map(np.array_equal, executor.predict(inputs), expected))
    assert len(refused) == 2


def test_memory_goes_when_the_last_who_uses_it_does_also_in_the_middle_of_an_error(
    executor: ingot.Executor,
) -> None:
    x = executor.device_tensor("x", X)
    memory = weakref.ref(x.memory)
    capsule, held = x.__dlpack__(), from_producer(x)
    del x, capsule
    gc.collect()
    assert memory() is not None
    del held
    gc.collect()
    assert memory() is None
    x = executor.device_tensor("x", X)
    memory = weakref.ref(x.memory)
    with pytest.raises((RuntimeError, BufferError), match=r"[Dd]evice"):
        np.from_dlpack(x)
    del x
    gc.collect()
    assert memory() is None


def test_every_type_of_element_crosses(executor: ingot.Executor) -> None:
    kinds = ("float", "double", "float16", "int8", "int32", "int64", "uint8", "bool")
    ends = (
        [f"{kind}[2,3] x{at}" for at, kind in enumerate(kinds)],
        [f"{kind}[3,2] y{at}" for at, kind in enumerate(kinds)],
    )
    nodes = " ".join(f"y{at} = Transpose <perm=[1,0]> (x{at})" for at in range(len(kinds)))
    made = ingot.build(
        model(f"g ({', '.join(ends[0])}) => ({', '.join(ends[1])}) {{ {nodes} }}"),
        TARGETS,
        place={"*": "accel"},
        cache=None,
    ).load()["g"](ingot.cpu(0), devices=ACCEL)
    arrays = {info.name: (np.arange(6).reshape(2, 3) % 2).astype(info.dtype.numpy) for info in made.inputs}
    out = [made.device_tensor(info.name) for info in made.outputs]
    made.predict(
        {name: Theirs(made.device_tensor(name, array)) for name, array in arrays.items()},
        out=tuple(map(Theirs, out)),
    )
    for array, result in zip(arrays.values(), out, strict=True):
        np.testing.assert_array_equal(result.numpy(), array.T)


def test_what_does_not_fit_is_refused_with_words(executor: ingot.Executor) -> None:
    x, z = executor.device_tensor("x", X), executor.device_tensor("z")
    host = ingot.build(model(GRAPH), "c", cache=None).load()["net"](ingot.cpu(0))
    foreign = Theirs(x, (2, 1))
    small = ingot.build(
        model("g (float[2,3] x, double[4,6] w) => (double[4,6] y) { a = Exp (x) y = Exp (w) }"),
        TARGETS,
        place={"*": "accel"},
        cache=None,
    ).load()["g"](ingot.cpu(0), devices=ACCEL)
    other, wide = small.device_tensor("x"), small.device_tensor("w")
    for call, words in (
        (
            lambda: executor.predict(x=foreign, w=W),
            r"'x' is on cuda\(1\), and this executor takes it from the CPU or opencl",
        ),
        (
            lambda: executor.predict(x=other, w=W),
            r"input 'x' has the shape \[2, 3\]; expected float32\[4, 6\]",
        ),
        (lambda: executor.predict(x=wide, w=W), "input 'x' is of DLPack's type code 2 with 64 bits"),
        (lambda: executor.predict(x=x, w=W, out=(x, z)), "out for output 'y' shares memory with an input"),
        (lambda: executor.predict(x=X, w=W, out=(x, Theirs(x))), "out for output 'z' shares memory"),
        (lambda: executor.predict(x=x), "missing input w"),
        (lambda: executor.predict(x=x, w=W, out=z), "one array for each output"),
        (
            lambda: executor.set_input(x=x),
            r"input 'x' is on opencl\(0\); copy it to the memory of the CPU first",
        ),
        (
            lambda: host.predict(x=x, w=W),
            r"input 'x' is on opencl\(0\); copy it to the memory of the CPU first",
        ),
        (lambda: x.copy_from(X.T), "has the shape"),
    ):
        with pytest.raises(ingot.InputError, match=words):
            call()
    with pytest.raises(BufferError, match="is not copied"):
        x.__dlpack__(copy=True)


def test_memory_of_another_context_is_refused(executor: ingot.Executor) -> None:
    session = next(one for one in executor._drive._sessions.values())  # type: ignore[attr-defined]
    assert isinstance(session, DirectSession)
    other = cl.Buffer(cl.Context([session._device]), cl.mem_flags.READ_WRITE, size=96)  # type: ignore[attr-defined]
    with pytest.raises(ingot.DeviceError, match="another OpenCL context"):
        session.adopt(other.int_ptr, 96, None)
    memory = session.allocate(64)
    with pytest.raises(ingot.DeviceError, match="has 64 bytes, expected at least 96"):
        session.adopt(memory.handle, 96, None)


@pytest.mark.parametrize(
    "nodes", ["y = Transpose <perm=[1,0]> (x)", "a = Exp (x) y = Transpose <perm=[1,0]> (a)"]
)
def test_an_output_that_only_lies_otherwise_is_right(nodes: str) -> None:
    made = ingot.build(
        model(f"g (float[4,6] x) => (float[6,4] y) {{ {nodes} }}"), TARGETS, place={"*": "accel"}, cache=None
    )
    executor = made.load()["g"](ingot.cpu(0), devices=ACCEL)
    y = executor.device_tensor("y")
    executor.predict(x=executor.device_tensor("x", X), out=y)
    np.testing.assert_array_equal(y.numpy(), executor.predict(x=X))


@pytest.mark.parametrize("place", [{"*": "accel"}, {"Exp": "accel"}], ids=["all", "a part"])
def test_an_output_that_is_an_input_has_a_tensor_of_its_own(place: Mapping[str, str]) -> None:
    same = model(
        "net (float[4,6] x) => (float[4,6] x, float[4,6] y, float[4,6] z) { y = Neg (x)  z = Exp (x) }"
    )
    made = ingot.build(same, TARGETS, place=place, name="net", executor=("aot", "graph"), cache=None).load()
    executor = made["net"](ingot.cpu(0), devices=ACCEL)
    out = [executor.device_tensor("x"), executor.device_tensor("y"), executor.device_tensor("z")]
    executor.predict({"x": executor.device_tensor("x", X)}, out=out)
    for tensor, expected in zip(out, (X, -X, np.exp(X)), strict=True):
        np.testing.assert_allclose(tensor.numpy(), expected, rtol=1e-5)
