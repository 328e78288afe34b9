import ctypes
import dataclasses
import gc
import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from ingot.artifact.artifact import Artifact
from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.model_info_json import info_to_json
from ingot.artifact.module import Loader
from ingot.base import plugins
from ingot.base.errors import ArtifactError, DeviceError, LoadError
from ingot.link.shared import link_library, link_pieces
from ingot.package import library_file
from ingot.package.container_write import write_container
from ingot.runtime import load as loading
from ingot.runtime import loader
from ingot.runtime.library import Device
from ingot.runtime.library import cpu as cpu_device
from ingot.runtime.load import load
from ingot.runtime.load_sources import load_pieces
from tests.support.paths import DIGITS
from tests.support.tiny_library import SOURCE, expected, tiny_info, tiny_set, weights

pytestmark = pytest.mark.cc
X = np.arange(4, dtype=np.float32)


def open_files():
    gc.collect()  # what other tests left
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_path_bytes_and_a_file_object_load_the_same(tiny_path):
    content = tiny_path.read_bytes()
    for source in (
        str(tiny_path),
        tiny_path,
        content,
        bytearray(content),
        memoryview(content),
        io.BytesIO(content),
    ):
        assert np.array_equal(load(source)["tiny"]().predict(x=X)[0], expected(X))
    with tiny_path.open("rb") as file:
        assert load(file).model_names == ("tiny", "big")
    assert np.array_equal(load_pieces(link_pieces(tiny_set()))["tiny"]().predict(x=X)[0], expected(X))


@pytest.mark.parametrize("source", [None, 3, ["a"]])
def test_other_sources_are_refused(source):
    with pytest.raises(LoadError, match="expected a path, bytes, a binary file object or an ArtifactSet"):
        load(source)


def test_bytes_that_are_apart_are_put_together(tiny_path):
    content = tiny_path.read_bytes()
    apart = bytearray(2 * len(content))
    apart[::2] = content
    assert load(memoryview(apart)[::2]).model_names == ("tiny", "big")


def test_a_word_for_verify_that_is_none_is_refused_for_every_kind_of_source(tiny_path):
    artifacts = b"".join(write_container(tiny_set()))
    for source in (tiny_path, tiny_path.read_bytes(), artifacts, io.BytesIO(artifacts)):
        with pytest.raises(ArtifactError, match="verify must be one of full, index, got 'some'"):
            load(source, verify="some")


def test_a_text_file_object_is_refused():
    with pytest.raises(LoadError, match="binary mode"):
        load(io.StringIO("x"))


def test_missing_files_folders_and_odd_names_are_load_errors(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "no.so", tmp_path, tmp_path / "pipe", "a\0b", ""):
        with pytest.raises(LoadError):
            load(path)


def test_an_empty_file_is_an_artifact_error(tmp_path):
    (tmp_path / "m.so").write_bytes(b"")
    with pytest.raises(ArtifactError):
        load(tmp_path / "m.so")


def test_a_library_has_its_models_and_names_the_nearest_to_a_wrong_one(library):
    assert library.model_names == tuple(library) == ("tiny", "big") and len(library) == 2
    assert "tiny" in library and "x" not in library
    assert library["tiny"].info == tiny_info()
    with pytest.raises(LoadError, match="did you mean 'tiny'"):
        library["tyni"]


def test_weights_are_used_where_the_file_is_read(library):
    found = next(artifact for artifact in library.artifacts if artifact.file_name == "big.params")
    assert library["big"]()._bases[0] == np.frombuffer(found.content, np.uint8).ctypes.data


def test_weights_of_a_large_file_are_used_where_it_is_mapped(tiny_path, monkeypatch):
    monkeypatch.setattr(library_file, "MAPPED_FROM_BYTES", 0)
    library = load(tiny_path)
    found = next(artifact for artifact in library.artifacts if artifact.file_name == "big.params")
    executor = library["big"]()
    assert executor._bases[0] == np.frombuffer(found.content, np.uint8).ctypes.data
    assert np.array_equal(np.frombuffer(found.content, np.float32), weights(10000))
    maps = Path("/proc/self/maps").read_text().splitlines()
    inside = [
        line
        for line in maps
        if int(line.split("-")[0], 16) <= executor._bases[0] < int(line.split()[0].split("-")[1], 16)
    ]
    assert "tiny.so" in inside[0] and inside[0].split()[1] == "rw-p"


def test_executors_keep_code_and_map_alive_and_the_last_one_lets_them_go(tmp_path, monkeypatch):
    monkeypatch.setattr(library_file, "MAPPED_FROM_BYTES", 0)
    path = tmp_path / "m.so"
    link_library(tiny_set(), path)
    library = load(path)
    executor = library["tiny"]()
    library.close()
    library.close()
    with pytest.raises(LoadError, match="closed"):
        library["tiny"]
    del library
    gc.collect()
    assert np.array_equal(executor.predict(x=X)[0], expected(X))
    assert str(path) in Path("/proc/self/maps").read_text()
    del executor
    gc.collect()
    assert str(path) not in Path("/proc/self/maps").read_text()


def test_a_library_that_was_built_again_at_the_same_path_is_the_new_one(tmp_path):
    path = tmp_path / "m.so"
    link_library(tiny_set(), path)
    old = load(path)["tiny"]()
    source = tiny_set().find("tiny.c")
    changed = dataclasses.replace(source, content=bytes(source.content).replace(b"h[i] * 2", b"h[i] * 3"))
    link_library(ArtifactSet(changed if artifact == source else artifact for artifact in tiny_set()), path)
    new = load(path)["tiny"]()
    assert np.array_equal(old.predict(x=X)[0], (X + weights(4)) * 2)
    assert np.array_equal(new.predict(x=X)[0], (X + weights(4)) * 3)


def test_a_library_that_somebody_else_has_open_is_never_taken_for_another(tmp_path):
    link_library(tiny_set(), tmp_path / "one.so")
    link_library(tiny_set(source=SOURCE.replace("h[i] * 2", "h[i] * 3")), tmp_path / "other.so")
    other_user = ctypes.CDLL(str(tmp_path / "one.so"))
    one = load(tmp_path / "one.so")["tiny"]()
    assert np.array_equal(one.predict(x=X)[0], (X + weights(4)) * 2)
    del one
    gc.collect()
    other = load(tmp_path / "other.so")["tiny"]()
    assert np.array_equal(other.predict(x=X)[0], (X + weights(4)) * 3)
    del other_user


def test_a_file_that_fails_to_load_leaves_nothing_open(tiny_path, tmp_path):
    before = open_files()
    damaged = bytearray(tiny_path.read_bytes())
    damaged[5000] ^= 1
    (tmp_path / "m.so").write_bytes(damaged)
    for source in (tmp_path / "m.so", bytes(damaged)):
        with pytest.raises(ArtifactError):
            load(source)
    gc.collect()
    assert open_files() == before


def test_loading_imports_no_compiler_and_little_else(tiny_path):
    script = (
        "import sys, numpy\n"
        "before = set(sys.modules)\n"
        "from ingot.runtime.load import load\n"
        "load(sys.argv[1])['tiny']()\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before if not name.startswith('ingot')}\n"
        "print(*sorted(new))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tiny_path)], check=True, capture_output=True, text=True
    )
    heavy = {
        "onnx",
        "onnx_ir",
        "llvmlite",
        "importlib",
        "subprocess",
        "asyncio",
        "pathlib",
        "tempfile",
        "hashlib",
    }
    assert not heavy & set(done.stdout.split())


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "how", ["load(sys.argv[1])", "build(sys.argv[2], 'llvmjit', dims={'batch': 1}, cache=None).load()"]
)
def test_what_outlives_the_modules_at_the_end_of_the_interpreter_says_nothing(how, threads, tiny_path):
    script = (
        "import sys\n"
        "from ingot import build, load\n"
        f"library = {how}\n"
        f"executor = library[library.model_names[0]](threads={threads})\n"
        "import ingot.base.errors, ingot.runtime.load\n"
        "ingot.runtime.load.kept = ingot.base.errors.kept = lambda: (library, executor)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tiny_path), DIGITS], check=True, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_a_feature_that_this_processor_lacks_is_refused_before_anything_is_opened(tmp_path):
    marker = tmp_path / "ran"
    source = f'#include <stdio.h>\n__attribute__((constructor)) static void mark(void) {{ fclose(fopen("{marker}", "w")); }}\n'
    path = tmp_path / "m.so"
    mark = Artifact("c", "native", "mark.c", source.encode())
    link_library(tiny_set(cpu_features=("no_such_feature", "sse2"), extra=(mark,)), path)
    with pytest.raises(
        LoadError, match="built for a processor with no_such_feature, which this one has not"
    ) as caught:
        load(path)
    assert "no_such_feature" in caught.value.facts["missing"]
    assert not marker.exists()
    link_library(tiny_set(extra=(mark,)), path)
    load(path)
    assert marker.exists()


def test_code_for_another_machine_is_refused(tmp_path, monkeypatch, tiny_path):
    monkeypatch.setattr(loading.os, "uname", type("U", (), {"machine": "riscv64"}))
    with pytest.raises(LoadError, match=r"built for .* this machine is riscv"):
        load(tiny_path)


def test_a_library_without_a_model_is_refused(tmp_path):
    link_library(ArtifactSet(), tmp_path / "m.so")
    with pytest.raises(LoadError, match="no model"):
        load(tmp_path / "m.so")


def test_constants_of_another_size_than_the_model_says_are_refused(tmp_path):
    artifacts = tuple(
        dataclasses.replace(artifact, content=b"1234") if artifact.loader == "params" else artifact
        for artifact in tiny_set()
    )
    link_library(ArtifactSet(artifacts), tmp_path / "m.so")
    with pytest.raises(ArtifactError, match="have 4 bytes, expected 16"):
        load(tmp_path / "m.so")


def test_wrong_or_surplus_devices_are_refused_with_what_is_needed(library):
    for arguments in ((Device("cuda", 0),), (cpu_device(1),)):
        with pytest.raises(DeviceError, match="needs the devices host: one cpu"):
            library["tiny"](*arguments)
    with pytest.raises(DeviceError, match="accel"):
        library["tiny"](cpu_device(0), devices={"accel": [cpu_device(0)]})


def test_an_executor_that_the_library_was_not_built_for_says_what_to_do(tmp_path):
    link_library(tiny_set(executors=("aot",)), tmp_path / "m.so")
    with pytest.raises(LoadError, match="build it with executor='graph'"):
        load(tmp_path / "m.so")["tiny"](executor="graph")


def test_code_that_the_metadata_promise_but_is_not_there_is_named(tmp_path):
    artifacts = ArtifactSet(artifact for artifact in tiny_set() if artifact.loader != "native")
    link_library(artifacts, tmp_path / "m.so")
    with pytest.raises(LoadError, match="'ingot_tiny_run'"):
        load(tmp_path / "m.so")["tiny"]()


def test_eight_threads_with_an_executor_each_give_the_same_results(library):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(10000, dtype=np.float32)
    wrong = []

    def work():
        executor = library["big"](threads=2)
        for _ in range(50):
            if not np.array_equal(executor.predict(x=x)[0], expected(x)):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_forked_child_can_go_on_using_an_executor(tiny_path):
    script = (
        "import os, sys, numpy\n"
        "from ingot.runtime.load import load\n"
        "executor = load(sys.argv[1])['big'](threads=3)\n"
        "x = numpy.ones(10000, numpy.float32)\n"
        "first = executor.predict(x=x)[0]\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if numpy.array_equal(executor.predict(x=x)[0], first) else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tiny_path)], check=True, timeout=60)


# ─── other loaders ─────────────────────────────────────────────────────────────────────────────────────────────────


class Recording:
    """A module in Python, with the entry of the model `py`."""

    type_key = "recording"
    imported_modules = ()

    def __init__(self, group, context):
        self.group, self.context, self.closed = group, context, False

    def get_function(self, name):
        return {"ingot_py_run": self.run, "ingot_py_call": lambda number, bases: self.run(bases)}.get(name)

    def run(self, bases):
        import ctypes

        x = np.ctypeslib.as_array((ctypes.c_float * 4).from_address(bases[3]))
        np.ctypeslib.as_array((ctypes.c_float * 4).from_address(bases[4]))[:] = x * 10
        np.ctypeslib.as_array((ctypes.c_float * 4).from_address(bases[5]))[:] = x
        return 0

    def close(self):
        self.closed = True


@pytest.fixture
def python_path(tmp_path):
    info = tiny_info("py")
    artifacts = [
        Artifact("ingot", "metadata", "py.json", info_to_json(info)),
        Artifact("ingot", "params", "py.params", weights(4).tobytes()),
        Artifact("py", "recording", "b.txt", b"second"),
        Artifact("py", "recording", "a.txt", b"first"),
        Artifact("py", "text", "notes.txt", b"for people"),
    ]
    link_library(ArtifactSet(artifacts), tmp_path / "py.so")
    return tmp_path / "py.so"


def test_a_loader_gets_its_group_in_order_and_nothing_else(python_path, monkeypatch):
    made = []

    def make(group, context):
        made.append(Recording(group, context))
        return made[-1]

    monkeypatch.setattr(plugins, "find", lambda group, name: Loader(name, "cpu", make))
    library = load(python_path)
    assert [artifact.file_name for artifact in made[0].group] == ["b.txt", "a.txt"]
    assert made[0].context.target_key == "host" and made[0].context.models[0].name == "py"
    assert library.type_key == "library" and library.imported_modules == (made[0],)
    assert library.get_function("ingot_py_run") == made[0].run
    assert np.array_equal(library["py"]().predict(x=X)[0], X * 10)
    assert np.array_equal(library["py"](executor="graph").predict(x=X)[0], X * 10)
    assert "recording" in library.explain() and "verify" in library.explain()
    del library
    gc.collect()
    assert made[0].closed


def test_a_loader_that_nobody_offers_is_named_with_what_is_installed(python_path):
    with pytest.raises(LoadError, match=r"ingot\.loaders is called 'recording'"):
        load(python_path)


def test_a_loader_that_fails_is_a_load_error_with_its_name(python_path, monkeypatch):
    def broken(group, context):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(plugins, "find", lambda group, name: Loader(name, "cpu", broken))
    with pytest.raises(LoadError, match=r"'recording' failed.*ZeroDivisionError: oops"):
        load(python_path)


def test_a_plug_in_that_is_no_loader_is_refused(monkeypatch):
    for offered in (object(), Loader("other", "cpu", lambda group, context: None)):
        monkeypatch.setattr(plugins, "find", lambda group, name, offered=offered: offered)
        with pytest.raises(LoadError, match="must offer a Loader"):
            loader.find_loader("mine")


STARVED = """
import os, resource, sys
import ingot
{before}
path, free = sys.argv[1], int(sys.argv[2])
content = open(path, "rb").read()
taken = [os.open("/dev/null", os.O_RDONLY) for _ in range(3)]
limit = max(taken) + 1 + free
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
try:
    ingot.load({source})
except ingot.LoadError as error:
    print(error)
else:
    print("loaded")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is counted as Linux does")
@pytest.mark.parametrize("source", ["path", "content"])
@pytest.mark.parametrize("before", ["", "ingot.load"])
def test_a_process_without_a_free_file_descriptor_is_told_so_by_a_load_error(
    before: str, source: str, tmp_path: Path
) -> None:
    """However many are free: none for a module to import, some of those that are needed, or all."""
    path = tmp_path / "m.so"
    link_library(tiny_set(), path)
    said = []
    for free in range(8):
        code = STARVED.format(before=before, source=source)
        run = subprocess.run(
            [sys.executable, "-c", code, str(path), str(free)], capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, (free, run.stderr)
        said.append(run.stdout)
    assert "file descriptor" in said[0] or "Too many open files" in said[0]
    assert said[-1] == "loaded\n"
