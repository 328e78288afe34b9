"""Somebody writes into the file of a library, in place, while it is loaded or used: what was checked is what runs."""

from __future__ import annotations

import _ctypes
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ingot.artifact.artifact_set import ArtifactSet
from ingot.link.shared import link_library
from ingot.package import library_file
from ingot.runtime import load as loading
from ingot.runtime.load import load
from tests.support import without_memfd
from tests.support.paths import ROOT
from tests.support.tiny_library import SOURCE, expected, tiny_set, weights

pytestmark = [
    pytest.mark.cc,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has anonymous files"),
]
X = np.arange(4, dtype=np.float32)
PROBE = """
extern const unsigned char ingot_container[] __attribute__((visibility("hidden")));
EXPORT int32_t probe_byte(int32_t at) { return ingot_container[at]; }
"""
WRITE = "import sys; content = open(sys.argv[2], 'rb').read(); open(sys.argv[1], 'r+b').write(content)"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return stored(tmp_path / "m.so", tiny_set())


@pytest.fixture
def overwrite(path: Path, tmp_path: Path) -> Callable[[], None]:
    """Writes a library with other code over the one at `path`, by another process and without making a new file."""
    other = stored(tmp_path / "other.so", tiny_set(source=SOURCE.replace("h[i] * 2", "h[i] * 3")))
    assert other.stat().st_size == path.stat().st_size
    return lambda: subprocess.run([sys.executable, "-c", WRITE, str(path), str(other)], check=True) and None


def stored(path: Path, artifacts: ArtifactSet) -> Path:
    link_library(artifacts, path)
    return path


@pytest.mark.parametrize("mapped_from", [0, 1 << 30], ids=["mapped", "read"])
@pytest.mark.parametrize("place", ["read_library", "read_models", "open_checked"])
@pytest.mark.parametrize("verify", ["full", "index"])
def test_code_that_is_overwritten_after_it_was_read_does_not_run(
    path: Path,
    overwrite: Callable[[], None],
    place: str,
    verify: str,
    mapped_from: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(library_file, "MAPPED_FROM_BYTES", mapped_from)
    step = getattr(loading, place)

    def after(*given: object, **more: object) -> object:
        done = step(*given, **more)
        overwrite()
        return done

    monkeypatch.setattr(loading, place, after)
    executor = load(path, verify=verify)["tiny"]()
    monkeypatch.undo()
    assert np.array_equal(executor.predict(x=X)[0], expected(X))
    assert np.array_equal(load(path)["tiny"]().predict(x=X)[0], (X + weights(4)) * 3)


def test_code_that_is_overwritten_while_it_is_checked_is_not_what_was_checked(
    path: Path, overwrite: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_file, "MAPPED_FROM_BYTES", 0)
    matches = library_file.matches

    def before(*given: object) -> bool:
        overwrite()
        return matches(*given)

    monkeypatch.setattr(library_file, "matches", before)
    assert np.array_equal(load(path)["tiny"]().predict(x=X)[0], expected(X))


def test_constants_of_a_mapped_file_are_those_of_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_file, "MAPPED_FROM_BYTES", 0)
    library = load(stored(path, tiny_set("big", 10000)))
    params = next(
        memoryview(artifact.content) for artifact in library.artifacts if artifact.file_name == "big.params"
    )
    at = path.read_bytes().index(bytes(params))
    with path.open("r+b") as file:
        file.seek(at)
        file.write(np.float32(77).tobytes())
    assert (
        params.readonly and np.frombuffer(params, np.float32)[0] == 77
    )  # which costs no copy, and is what the page says
    names = [memoryview(artifact.content).readonly for artifact in library.artifacts]
    assert names and all(names)


def test_native_code_that_reads_the_container_finds_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_file, "MAPPED_FROM_BYTES", 0)
    path = stored(tmp_path / "m.so", tiny_set("big", 10000, source=SOURCE + PROBE))
    library = load(path)
    probe = library.get_function("probe_byte")
    assert probe is not None
    file = library_file.read_library(path.read_bytes())
    content = path.read_bytes()[file.container_offset :][: file.container.size_bytes]
    assert len(content) > 40_000
    assert [probe(at) for at in range(0, len(content), 97)] == list(content[::97])


def test_where_there_are_no_anonymous_files_the_file_is_opened_which_is_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("os.memfd_create")
    library = load(path)
    assert np.array_equal(library["tiny"]().predict(x=X)[0], expected(X))
    assert "the file is opened: no code in anonymous ones here" in library.explain()


def test_where_descriptors_have_no_paths_the_file_is_opened_which_is_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, exists = _ctypes.dlopen, os.path.exists

    def without_proc(place: str, flags: int) -> int:
        if place.startswith("/proc"):
            raise OSError(f"{place}: cannot open shared object file: No such file or directory")
        return opened(place, flags)

    monkeypatch.setattr(_ctypes, "dlopen", without_proc)
    monkeypatch.setattr(os.path, "exists", lambda place: not str(place).startswith("/proc") and exists(place))
    monkeypatch.chdir(path.parent)
    library = load(path.name)  # which is not looked for in the folders of the system
    assert np.array_equal(library["tiny"]().predict(x=X)[0], expected(X))
    assert "the file is opened: no code in anonymous ones here" in library.explain()


def test_where_anonymous_files_may_hold_no_code_the_file_is_opened_which_is_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = _ctypes.dlopen

    def forbidding(place: str, flags: int) -> int:
        if "memfd:" in str(Path(place).readlink()):
            raise OSError("cannot enable executable code: a policy says no")
        return opened(place, flags)

    monkeypatch.setattr(_ctypes, "dlopen", forbidding)
    library = load(path)
    assert np.array_equal(library["tiny"]().predict(x=X)[0], expected(X))
    assert "the file is opened: no code in anonymous ones here" in library.explain()


def test_a_long_name_in_letters_of_three_bytes_changes_nothing(tmp_path: Path) -> None:
    library = load(stored(tmp_path / ("字" * 83 + ".so"), tiny_set()))
    assert "the library is opened as it was checked" in library.explain()


IN_A_CONTAINER = """
import os, sys
import numpy as np
from tests.support.without_memfd import forbid

try:
    forbid()
except OSError as error:
    print(f"no policies: {error}")
    raise SystemExit
try:
    os.memfd_create("x")
except PermissionError:
    pass
else:
    raise AssertionError("it was not refused")
import ingot

content = open(sys.argv[1], "rb").read()
for source in (sys.argv[1], content):
    library = ingot.load(source)
    print(library["tiny"]().predict(x=np.arange(4, dtype=np.float32))[0].tolist())
    assert "the file is opened: no code in anonymous ones here" in library.explain(), library.explain()
import tempfile

tempfile.tempdir = "/nowhere"
try:
    ingot.load(content)
except ingot.LoadError as error:
    print(error)
"""


@pytest.mark.skipif(
    not without_memfd.CAN, reason="the numbers of this machine's system calls are not known here"
)
def test_a_policy_that_refuses_anonymous_files_is_lived_with(path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", IN_A_CONTAINER, str(path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    if run.stdout.startswith("no policies"):
        pytest.skip(run.stdout)
    answer = str(expected(X).tolist())
    first, second, sentence = run.stdout.splitlines()
    assert first == second == answer
    assert sentence == "library in memory: there is no place for its bytes: No such file or directory"
