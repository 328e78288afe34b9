"""Loading what was not linked: sets in memory and in files, by loaders other than `native`."""

from __future__ import annotations

import gc
import io
from pathlib import Path

import numpy as np
import pytest

import ingot
from ingot.artifact.artifact import Artifact
from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.model_info_json import info_to_json
from ingot.artifact.module import Function, Loader, Module
from ingot.base.errors import ArtifactError, LoadError, ToolchainError
from ingot.package.container_write import write_container
from ingot.runtime import loader
from ingot.runtime.load import load
from ingot.runtime.load_sources import load_unlinked
from tests.support.models import model
from tests.support.tiny_library import expected, tiny_info, tiny_set, weights

X = np.arange(4, dtype=np.float32)


class ClosedError(Exception):
    """The module was used after it was closed."""


class PythonModule:
    """The tiny model in NumPy."""

    type_key = "numpy"

    def __init__(self) -> None:
        self.closed = 0
        self.pools: list[int] = []

    @property
    def imported_modules(self) -> tuple[Module, ...]:
        return ()

    def get_function(self, name: str) -> Function | None:
        return self._run if name == "ingot_tiny_run" else None

    def _run(self, bases: list[int | None]) -> int:
        import ctypes

        if self.closed:
            raise ClosedError
        x, y, z = (
            np.ctypeslib.as_array((ctypes.c_float * 4).from_address(bases[at] or 0)) for at in (3, 4, 5)
        )
        y[:] = (x + weights(4)) * 2
        z[:] = x
        return 0

    def pool(self, threads: int) -> int | None:
        self.pools.append(threads)
        return None

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> PythonModule:
    """What a loader `numpy` gives."""
    made = PythonModule()
    offered = Loader("numpy", "cpu", lambda artifacts, context: made)
    monkeypatch.setattr(loader.plugins, "find", lambda group, name: offered)
    return made


def unlinked(**options: object) -> ingot.ArtifactSet:
    kept = [one for one in tiny_set(**options) if one.loader != "native"]  # type: ignore[arg-type]
    return ingot.ArtifactSet([*kept, Artifact("numpy", "numpy", "tiny.py", b"y = (x + w) * 2")])


def test_a_set_without_native_code_is_loaded_from_everything(module: PythonModule, tmp_path: Path) -> None:
    artifacts = unlinked()
    path = tmp_path / "tiny.ingot"
    artifacts.save(path)
    content = path.read_bytes()
    for source in (path, str(path), content, bytearray(content), io.BytesIO(content), artifacts):
        library = load(source)
        module.closed = 0  # by the library before, which has just gone
        assert np.array_equal(library["tiny"](executor="aot").predict(x=X)[0], expected(X))
        assert [one.type_key for one in library.imported_modules] == ["numpy"]
    module.closed = 0
    assert np.array_equal(load_unlinked(artifacts)["tiny"](executor="aot").predict(x=X)[0], expected(X))


def test_the_steps_say_that_nothing_native_was_opened(module: PythonModule, tmp_path: Path) -> None:
    unlinked().save(tmp_path / "tiny.ingot")
    steps = [step.name for step in load(tmp_path / "tiny.ingot").load_steps]
    assert steps == ["read", "verify", "partition", "loaders", "metadata", "group", "library"]


def test_the_function_gets_the_pool_of_its_own_module(module: PythonModule) -> None:
    load(unlinked())["tiny"](executor="aot", threads=7)
    assert module.pools == [7]


def test_the_module_is_closed_after_the_last_executor(module: PythonModule) -> None:
    library = load(unlinked())
    executor = library["tiny"](executor="aot")
    library.close()
    del library
    assert np.array_equal(executor.predict(x=X)[0], expected(X)) and module.closed == 0
    del executor
    assert module.closed == 1


def test_a_stored_set_is_equal_and_can_be_written_over(tmp_path: Path) -> None:
    artifacts = ingot.ArtifactSet(tiny_set())
    path = tmp_path / "tiny.ingot"
    artifacts.save(path)
    again = ingot.ArtifactSet.open(path)
    assert again == artifacts and again.digest() == artifacts.digest() and type(again) is ingot.ArtifactSet
    again.save(path)  # its contents are views of the file that this replaces
    assert again == artifacts and ingot.ArtifactSet.open(path) == artifacts
    assert sorted(one.name for one in tmp_path.iterdir()) == ["tiny.ingot"]
    assert path.stat().st_mode & 0o111 == 0


@pytest.mark.cc
def test_a_stored_set_with_native_code_is_linked_when_it_is_loaded(tmp_path: Path) -> None:
    ingot.ArtifactSet(tiny_set()).save(tmp_path / "tiny.ingot")
    path = tmp_path / "tiny.ingot"
    for library in (ingot.ArtifactSet.open(path).load(), load(path), load(path.read_bytes())):
        assert np.array_equal(library["tiny"]().predict(x=X)[0], expected(X))
    assert "link" in [step.name for step in load(path).load_steps]


def test_a_stored_set_that_was_changed_is_not_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ingot.ArtifactSet(tiny_set()).save(tmp_path / "tiny.ingot")
    content = bytearray((tmp_path / "tiny.ingot").read_bytes())
    content[content.rindex(b"return")] ^= 1
    monkeypatch.setattr("ingot.link.shared.link_pieces", None)
    with pytest.raises(ArtifactError, match="digest"):
        load(bytes(content))


def test_a_set_without_a_model_is_refused() -> None:
    with pytest.raises(LoadError, match="no model"):
        load(b"".join(write_container([Artifact("a", "text", "a.txt", b"")])))


def test_a_changed_byte_is_refused_before_any_loader_is_asked(
    module: PythonModule, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytearray(b"".join(write_container(unlinked())))
    content[content.index(b"y = (x + w)")] ^= 1
    monkeypatch.setattr(loader.plugins, "find", lambda group, name: pytest.fail("a loader was asked"))
    with pytest.raises(ArtifactError, match=r"tiny\.py"):
        load(bytes(content))


def test_a_missing_cpu_feature_is_refused_in_the_words_of_libraries(module: PythonModule) -> None:
    info = tiny_info(cpu_features=("avx1024",))
    rest = [one for one in unlinked() if one.loader != "metadata"]
    with pytest.raises(LoadError, match="was built for a processor with avx1024, which this one has not"):
        load(ingot.ArtifactSet([Artifact("ingot", "metadata", "tiny.json", info_to_json(info)), *rest]))


def test_a_model_whose_code_is_missing_says_so() -> None:
    with pytest.raises(LoadError, match="no loaded module has the function 'ingot_tiny_run'"):
        load_unlinked(ArtifactSet(one for one in tiny_set() if one.loader != "native"))["tiny"](
            executor="aot"
        )


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="cannot write"):
        ingot.ArtifactSet(tiny_set()).save(tmp_path / "no" / "tiny.ingot")


@pytest.mark.cc
@pytest.mark.parametrize("target", ["c", "llvmjit"])
def test_a_function_keeps_its_code_when_the_library_is_let_go(target: str) -> None:
    graph = model("g (float[3] x) => (float[3] y) { y = Neg (x) }")
    run = ingot.build(graph, target, cache=None).load().get_function("ingot_g_run")
    assert run is not None
    gc.collect()
    assert run.module is not None
    closed: list[bool] = []
    close = type(run.module).close
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(run.module), "close", lambda module: closed.append(close(module) is None))
        gc.collect()
        assert closed == []
        del run
        gc.collect()
        assert closed == [True]


def test_a_set_in_memory_that_may_be_written_is_not_read_again_once_it_was_checked(tmp_path: Path) -> None:
    graph = model("g (float[3] x) => (float[3] y) <float[3] c = {1, 2, 3}> { y = Add (x, c) }")
    ingot.build(graph, "llvmjit", cache=None).save(tmp_path / "g.ingot")
    content = bytearray((tmp_path / "g.ingot").read_bytes())
    executor = ingot.load(content)["g"](ingot.cpu(0))
    at = content.index(np.array([1, 2, 3], np.float32).tobytes())
    content[at : at + 12] = bytes(12)
    assert np.array_equal(executor.predict(x=np.zeros(3, np.float32)), [1, 2, 3])
