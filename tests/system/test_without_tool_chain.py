"""Sets without native code: built, loaded, run, stored and loaded again with no compiler driver and no linker on the machine."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import ingot
from tests.support.models import model

RNG = np.random.default_rng(5)
X = RNG.standard_normal((96, 256), dtype=np.float32)
WEIGHTS = RNG.standard_normal((256, 192), dtype=np.float32) / 16


def network() -> onnx.ModelProto:
    """Products large enough for several threads; functions that are arithmetic, and ones that are the C library's."""
    made = model(
        """g (float[96, 256] x) => (float[96, 192] y, double[96, 192] z) {
            a = MatMul(x, w)
            b = Tanh(a)
            c = Erf(b)
            d = Softmax(c)
            e = Asinh(a)
            y = Add(d, e)
            f = Cast<to=11>(y)
            g = Exp(f)
            h = Sin(g)
            i = Abs(f)
            j = Pow(i, h)
            z = Tanh(j)
        }"""
    )
    made.graph.initializer.append(numpy_helper.from_array(WEIGHTS, "w"))
    return made


@pytest.fixture(scope="module")
def jit() -> ingot.ArtifactSet:
    return ingot.build(network(), "llvmjit", name="net", executor=("aot", "graph"), cache=None)


@pytest.fixture(scope="module")
def saved(jit: ingot.ArtifactSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("jit") / "net.ingot"
    jit.save(path)
    return path


@pytest.mark.cc
def test_code_in_memory_gives_the_bytes_of_a_library(jit: ingot.ArtifactSet) -> None:
    library = ingot.build(network(), "llvm", name="net", cache=None).load()
    for threads in (1, 2):
        linked = library["net"](ingot.cpu(0), threads=threads).predict(x=X)
        at_once = jit.load()["net"](ingot.cpu(0), threads=threads).predict(x=X)
        assert [one.tobytes() for one in at_once] == [one.tobytes() for one in linked]


def test_results_agree_with_the_reference(jit: ingot.ArtifactSet) -> None:
    got = jit.load()["net"]().predict(x=X)
    want = onnx.reference.ReferenceEvaluator(network()).run(None, {"x": X})
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_both_executors_and_the_profile_work(jit: ingot.ArtifactSet) -> None:
    factory = jit.load()["net"]
    aot, graph = factory(executor="aot"), factory(executor="graph")
    assert [one.tobytes() for one in aot.predict(x=X)] == [one.tobytes() for one in graph.predict(x=X)]
    assert len(list(aot.profile(x=X, repeat=1))) == len(factory.info.calls)


def test_a_stored_set_is_the_same_set_and_gives_the_same_bytes(jit: ingot.ArtifactSet, saved: Path) -> None:
    again = ingot.ArtifactSet.open(saved)
    assert again == jit and again.digest() == jit.digest()
    want = [one.tobytes() for one in jit.load()["net"]().predict(x=X)]
    content = saved.read_bytes()
    for library in (
        again.load(),
        ingot.load(saved),
        ingot.load(content),
        ingot.load(memoryview(content)),
        ingot.load(jit),
    ):
        assert [one.tobytes() for one in library["net"]().predict(x=X)] == want


def test_an_executor_keeps_the_code_alive(jit: ingot.ArtifactSet) -> None:
    library = jit.load()
    executor = library["net"](threads=2)
    want = executor.predict(x=X)[0].tobytes()
    library.close()
    del library
    gc.collect()
    assert executor.predict(x=X)[0].tobytes() == want


def test_executors_side_by_side_in_threads_agree(jit: ingot.ArtifactSet) -> None:
    factory = jit.load()["net"]
    want = factory(threads=1).predict(x=X)[0].tobytes()
    got: list[bytes] = []

    def work(threads: int) -> None:
        executor = factory(threads=threads)
        got.extend(executor.predict(x=X)[0].tobytes() for _ in range(5))

    workers = [threading.Thread(target=work, args=(1 + number % 3,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert got == [want] * 20


@pytest.mark.skipif(sys.platform != "linux", reason="counts the threads of this process in /proc")
def test_work_is_shared_out_to_threads_that_end_with_the_code(jit: ingot.ArtifactSet) -> None:
    def threads() -> int:
        return len(list(Path("/proc/self/task").iterdir()))

    executor = jit.load()["net"](threads=3)
    before = threads()
    executor.predict(x=X)
    assert threads() == before + 2
    del executor
    gc.collect()
    assert threads() == before


def test_a_library_cannot_have_bitcode_and_the_error_says_what_to_do(
    jit: ingot.ArtifactSet, tmp_path: Path
) -> None:
    with pytest.raises(
        ingot.ArtifactError,
        match=r"net\.jit\.json.*the target 'llvm' makes a library.*save\('model\.ingot'\)",
    ):
        jit.select(suffix=".json").export_library(tmp_path / "net.so")
    with pytest.raises(ingot.ArtifactError, match=r"net/.*\.bc") as caught:
        jit.export_library(tmp_path / "net.so")
    assert set(caught.value.facts["artifacts"]) == {one.file_name for one in jit if one.loader == "llvmjit"}  # type: ignore[call-overload]
    assert not (tmp_path / "net.so").exists()


def test_two_models_in_memory_are_one_library(jit: ingot.ArtifactSet) -> None:
    other = ingot.build(network(), "llvmjit", name="other", cache=None)
    library = jit.merge(other).load()
    assert library.model_names == ("net", "other") and [one.type_key for one in library.imported_modules] == [
        "llvmjit"
    ]
    results = [library[name]().predict(x=X)[0] for name in library]
    assert results[0].tobytes() == results[1].tobytes()
    assert "llvmjit" in library.explain() and "native" not in library.explain()


def test_what_was_built_before_does_not_show_in_bitcode(jit: ingot.ArtifactSet) -> None:
    ingot.build(network(), {"host": "llvm", "gpu": "cuda"}, place={"*": "gpu"}, cache=None)
    again = ingot.build(network(), "llvmjit", name="net", executor=("aot", "graph"), cache=None)
    assert again.digest() == jit.digest()


@pytest.mark.cc
def test_a_model_in_memory_stands_beside_a_linked_one(jit: ingot.ArtifactSet) -> None:
    library = ingot.build(network(), "c", name="linked", cache=None).merge(jit).load()
    net, linked = library["net"](threads=2).predict(x=X)[0], library["linked"](threads=2).predict(x=X)[0]
    np.testing.assert_allclose(net, linked, rtol=1e-5, atol=1e-5)


def test_nothing_of_a_tool_chain_is_needed(saved: Path, tmp_path: Path) -> None:
    script = (
        "import subprocess, sys\n"
        "def refuse(*_, **__): raise AssertionError('a process was started')\n"
        "import os; os.fork = os.posix_spawn = refuse\n"
        "subprocess.Popen.__init__ = refuse\n"
        "import numpy as np, ingot\n"
        "x = np.load(sys.argv[2])\n"
        "a, b = ingot.load(sys.argv[1])['net']().predict(x=x)\n"
        "built = ingot.build(sys.argv[3], 'llvmjit', cache=None).load()\n"
        "slow = ingot.build(sys.argv[3], 'interp', cache=None).load()\n"
        "y, z = (each[next(iter(each))]().predict(x=x[0, :4]) for each in (built, slow))\n"
        "assert np.allclose(y, z, atol=1e-5)\n"
        "np.savez(sys.argv[4], a=a, b=b)\n"
    )
    np.save(tmp_path / "x.npy", X)
    onnx.save(model("g (float[4] x) => (float[4] y) { h = Tanh(x) y = Mul(h, h) }"), tmp_path / "small.onnx")
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    environment = {name: value for name, value in os.environ.items() if name not in ("CC", "PATH")} | {
        "PATH": str(nothing)
    }
    files = [str(saved), str(tmp_path / "x.npy"), str(tmp_path / "small.onnx"), str(tmp_path / "out.npz")]
    subprocess.run([sys.executable, "-c", script, *files], check=True, env=environment, cwd=nothing)
    assert list(nothing.iterdir()) == []
    with np.load(tmp_path / "out.npz") as out:
        assert (
            out["a"].shape == (96, 192)
            and out["a"].tobytes() == ingot.load(saved)["net"]().predict(x=X)[0].tobytes()
        )


def test_the_same_model_gives_the_same_bitcode_in_another_process(
    jit: ingot.ArtifactSet, tmp_path: Path
) -> None:
    onnx.save(network(), tmp_path / "net.onnx")
    script = (
        "import sys, ingot, onnx\n"
        "model = onnx.load(sys.argv[1])\n"  # not its file, whose digest would be in the set
        "made = ingot.build(model, 'llvmjit', name='net', executor=('aot', 'graph'), cache=None)\n"
        "print(made.digest())\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77", "TZ": "Asia/Tokyo"}
    command = [sys.executable, "-c", script, "net.onnx"]
    done = subprocess.run(command, check=True, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip() == jit.digest()
