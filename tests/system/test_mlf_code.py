"""The code in archives: what the memory map says is measured, and compilers have nothing to say about it."""

import ctypes
import json
import re
import shutil
import subprocess
import tarfile

import numpy as np
import pytest

import ingot
from ingot.artifact.model_info_read import info_from_json
from ingot.package.classic.graph_json import graph_from_json
from ingot.package.classic.params import params_from_bytes
from ingot.package.mlf.read import read_archive
from tests.support.paths import DIGITS, MODELS

LSTM = MODELS / "lstm"
CORTEX_M = "llvm -mtriple=thumbv7em-none-eabihf -mcpu=cortex-m4"
EVERY = [(version, executor) for version in (5, 7, 8) for executor in ("aot", "graph")]


@pytest.fixture(scope="module")
def sets():
    """Sets of the digits model by target, built when they are wanted."""
    made = {}

    def get(target):
        if target not in made:
            made[target] = ingot.build(DIGITS, target, dims={"batch": 1}, name="digits")
        return made[target]

    return get


def exported(artifacts, folder, *args, **options):
    path = folder / "x.tar"
    artifacts.export_model_library_format(path, *args, **options)
    return path


def unpacked(path, folder):
    with tarfile.open(path, "r:") as archive:
        archive.extractall(folder, filter="data")
    return folder


COUNTER = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static uint64_t now, most;
static unsigned char *last;
void *TVMBackendAllocWorkspace(int a, int b, uint64_t size, int c, int d) {
  unsigned char *p = aligned_alloc(64, (size_t)(size + 192) / 64 * 64);
  memcpy(p, &size, 8);
  memset(p + 64 + size, 0xa5, 64);
  now += size;
  if (now > most) most = now;
  return p + 64;
}
int TVMBackendFreeWorkspace(int a, int b, void *at) {
  unsigned char *p = (unsigned char *)at - 64;
  uint64_t size;
  memcpy(&size, p, 8);
  for (int i = 0; i < 64; i++) if (p[64 + size + i] != 0xa5) abort();
  now -= size;
  free(p);
  return 0;
}
void TVMAPISetLastError(const char *m) { (void)m; }
uint64_t most_bytes(void) { uint64_t was = most; most = 0; return now == 0 ? was : (uint64_t)-1; }
"""


def compiled(folder, *, name="counted.so"):
    """The code of an unpacked archive as a library with a runtime that counts. It binds its own functions (`-Bsymbolic`): once a
    test of this process has imported TVM, functions of these names are there for all.
    """
    (folder / "counter.c").write_text(COUNTER)
    sources = sorted((folder / "codegen/host/src").glob("*.c"))
    flags = ["-shared", "-fPIC", "-Wl,-Bsymbolic", "-O1", "-w", "-I", str(folder / "codegen/host/include")]
    subprocess.run(["cc", *flags, "-o", name, "counter.c", *map(str, sources), "-lm"], cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / name))
    library.most_bytes.restype = ctypes.c_uint64
    return library


@pytest.mark.cc
@pytest.mark.parametrize("version", [5, 7])
def test_the_workspace_of_one_call_is_what_the_archive_says(sets, tmp_path, version):
    path = exported(sets("c"), tmp_path, version)
    library = compiled(unpacked(path, tmp_path / "x"))
    (model,) = read_archive(path.read_bytes()).models
    tensors = [
        ctypes.create_string_buffer(one.size_bytes) for one in (*model.info.inputs, *model.info.outputs)
    ]
    structs = [(ctypes.c_void_p * 1)(ctypes.addressof(one)) for one in tensors]
    assert library.tvmgen_digits_run(*structs) == 0
    (main,) = model.memory["functions"]["main"]
    assert library.most_bytes() == main["workspace_size_bytes"] == model.info.host.memory.arena_bytes
    assert main["io_size_bytes"] == sum(map(len, tensors))
    if version == 7:
        header = (tmp_path / "x/codegen/host/include/tvmgen_digits.h").read_text()
        assert f"#define TVMGEN_DIGITS_WORKSPACE_SIZE {main['workspace_size_bytes']}\n" in header


@pytest.mark.cc
def test_the_memory_map_of_a_graph_is_true(tmp_path):

    path = exported(ingot.build(LSTM.with_suffix(".onnx"), "c"), tmp_path, 7, executor="graph")
    library = compiled(unpacked(path, tmp_path / "x"))
    (model,) = read_archive(path.read_bytes()).models
    text = json.loads((tmp_path / "x/executor-config/graph/lstm.graph").read_text())
    tables = {key: value[1] for key, value in text["attrs"].items()}
    assert graph_from_json((tmp_path / "x/executor-config/graph/lstm.graph").read_bytes()) == model.graph
    bytes_of = [
        int(np.prod(shape)) * np.dtype(dtype).itemsize
        for shape, dtype in zip(tables["shape"], tables["dltype"], strict=True)
    ]
    most = {}
    for storage, size in zip(tables["storage_id"], bytes_of, strict=True):
        most[storage] = max(most.get(storage, 0), size)
    sids = model.memory["sids"]
    assert {one["storage_id"]: one["size_bytes"] for one in sids} == most
    assert len(most) < len(bytes_of), "storage is shared"
    named = {
        text["nodes"][node]["name"]: tables["storage_id"][text["node_row_ptr"][node]]
        for node in text["arg_nodes"]
    }
    assert {one["input_binding"]: one["storage_id"] for one in sids if "input_binding" in one} == named
    workspaces = {
        one["function_name"]: one["workspace"][0]["workspace_size_bytes"]
        for one in model.memory["functions"]["operator_functions"]
    }
    for node in model.graph.nodes:
        if node.func_name:
            assert call_packed(library, node, model.graph) == 0
            assert library.most_bytes() == workspaces[node.func_name]
    (main,) = model.memory["functions"]["main"]
    heads = {tables["storage_id"][text["node_row_ptr"][node] + output] for node, output, _ in text["heads"]}
    inner = sum(
        size for storage, size in most.items() if storage not in heads and storage not in named.values()
    )
    assert main["workspace_size_bytes"] == inner + max(workspaces.values())
    params = params_from_bytes((tmp_path / "x/parameters/lstm.params").read_bytes())
    assert main["constants_size_bytes"] == sum(array.nbytes for _, array in params.values())
    assert main["io_size_bytes"] == sum(
        one["size"] for kind in ("inputs", "outputs") for one in main[kind].values()
    )


def call_packed(library, node, graph, *, wrong=""):
    """Calls a packed function on zeros, or on tensors that are wrong in one way."""

    class Tensor(ctypes.Structure):
        _fields_ = (
            ("data", ctypes.c_void_p),
            ("device", ctypes.c_int32 * 2),
            ("ndim", ctypes.c_int32),
            ("dtype", ctypes.c_uint8 * 4),
            ("shape", ctypes.c_void_p),
            ("strides", ctypes.c_void_p),
            ("byte_offset", ctypes.c_uint64),
        )

    number = graph.nodes.index(node)
    entries = [graph.entries[graph.entry(*place)] for place in node.inputs]
    entries += [graph.entries[graph.entry(number, output)] for output in range(node.outputs)]
    kept, tensors = [], []
    for entry in entries:
        data = np.zeros(entry.size_bytes + 64, np.uint8)
        shape = np.array(entry.shape, np.int64)
        kept += [data, shape]
        one = Tensor(data.ctypes.data, (1, 0), len(shape), (2, 32, 1, 0), shape.ctypes.data, None, 0)
        if wrong == "shape":
            shape[0] += 1
        elif wrong in ("ndim", "null", "dtype"):
            setattr(
                one, *{"ndim": ("ndim", 9), "null": ("data", None), "dtype": ("dtype", (0, 32, 1, 0))}[wrong]
            )
        tensors.append(one)
    count = len(tensors) - (wrong == "count")
    codes = (ctypes.c_int32 * len(tensors))(*[0 if wrong == "code" else 13] * len(tensors))
    args = (ctypes.c_void_p * len(tensors))(*map(ctypes.addressof, tensors))
    return getattr(library, node.func_name)(args, codes, count, None, None, None)


@pytest.mark.cc
def test_packed_functions_refuse_arguments_that_they_were_not_made_for(sets, tmp_path):
    path = exported(sets("c"), tmp_path, 7, executor="graph")
    library = compiled(unpacked(path, tmp_path / "x"))
    graph = graph_from_json((tmp_path / "x/executor-config/graph/digits.graph").read_bytes())
    for node in graph.nodes:
        if node.func_name:
            assert call_packed(library, node, graph) == 0
            for wrong in ("shape", "ndim", "null", "dtype", "count", "code"):
                assert call_packed(library, node, graph, wrong=wrong) == -1


@pytest.mark.cc
@pytest.mark.parametrize(("version", "table"), [(5, b"\x08"), (7, b"\x08\x00")])
def test_the_registry_begins_as_the_version_wants(sets, tmp_path, version, table):
    library = compiled(unpacked(exported(sets("c"), tmp_path, version, executor="graph"), tmp_path / "x"))
    library.TVMSystemLibEntryPoint.restype = ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p))
    registry = library.TVMSystemLibEntryPoint()[0]
    content = ctypes.string_at(registry[0], 1000)
    assert content.startswith(table + b"tvmgen_digits_")
    functions = [name for name in content[len(table) :].split(b"\0\0")[0].split(b"\0") if name]
    assert len(functions) == 8
    pointers = ctypes.cast(registry[1], ctypes.POINTER(ctypes.c_void_p))
    for at, name in enumerate(functions):
        assert pointers[at] == ctypes.cast(getattr(library, name.decode()), ctypes.c_void_p).value


@pytest.mark.cc
@pytest.mark.parametrize(("target", "executor"), [("c", "aot"), ("llvm", "graph")])
@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_version_8_builds_and_passes_its_tests_without_python(sets, tmp_path, target, executor):
    folder = unpacked(exported(sets(target), tmp_path, executor=executor), tmp_path / "x")
    done = subprocess.run(
        ["make", "test", "CFLAGS=-O0"], cwd=folder, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0 and "digits: 1 vectors are good" in done.stdout, done.stderr
    vector = folder / "test/digits_vectors.h"
    broken, count = re.subn(r"(vector0_1\[10\] = \{\n    )[^,]+", r"\g<1>9.0f", vector.read_text())
    assert count == 1
    vector.write_text(broken)
    assert (
        subprocess.run(
            ["make", "test", "CFLAGS=-O0"], cwd=folder, check=False, capture_output=True
        ).returncode
        != 0
    )
    vector.write_text(broken)  # so that the program is made again
    loose = ["make", "test", "CFLAGS=-O0 -DINGOT_TEST_ATOL=10.0"]
    assert subprocess.run(loose, cwd=folder, check=False, capture_output=True).returncode == 0


STRICT = [
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wdouble-promotion",
    "-Wshadow",
    "-Werror",
]


@pytest.mark.cc
@pytest.mark.parametrize("compiler", ["gcc", "clang", "arm-none-eabi-gcc"])
def test_the_code_around_kernels_has_no_warnings(sets, tmp_path, compiler):
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    for version, executor in EVERY:
        folder = unpacked(
            exported(sets(CORTEX_M), tmp_path, version, executor=executor), tmp_path / f"{version}{executor}"
        )
        include = ["-I", str(folder / "codegen/host/include")]
        sources = sorted(map(str, (folder / "codegen/host/src").glob("*.c")))
        subprocess.run([compiler, *STRICT, *include, "-fsyntax-only", *sources], check=True)
        for header in (folder / "codegen/host/include").glob("*.h"):
            subprocess.run(
                [compiler, *STRICT[1:5], "-Werror", "-x", "c++", "-fsyntax-only", str(header)], check=True
            )


@pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="needs arm-none-eabi-gcc")
def test_objects_for_a_cortex_m_link_with_nothing_missing(sets, tmp_path):
    folder = unpacked(exported(sets(CORTEX_M), tmp_path), tmp_path / "x")
    (folder / "main.c").write_text(
        '#include "digits.h"\nstatic unsigned char w[DIGITS_WORKSPACE_BYTES] __attribute__((aligned(64)));\n'
        "static float x[64], y[10];\nint main(void) {\n  struct digits_inputs in = {x};\n  struct digits_outputs out = {y};\n"
        "  return digits_run(&in, &out, w);\n}\n"
    )
    flags = [
        "-mcpu=cortex-m4",
        "-mthumb",
        "-mfloat-abi=hard",
        "-mfpu=fpv4-sp-d16",
        "-O1",
        "-I",
        "codegen/host/include",
    ]
    code = [*sorted(folder.glob("codegen/host/src/*.c")), *sorted(folder.glob("codegen/host/lib/*.o"))]
    command = [
        "arm-none-eabi-gcc",
        *flags,
        "--specs=nosys.specs",
        "-o",
        "main.elf",
        "main.c",
        *map(str, code),
        "-lm",
    ]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def test_the_model_info_of_an_archive_is_that_of_the_set(sets, tmp_path):
    (model,) = read_archive(exported(sets("c"), tmp_path, 7).read_bytes()).models
    assert model.info == info_from_json(sets("c").find("digits.info.json").content)


@pytest.mark.cc
@pytest.mark.skipif(shutil.which("cmake") is None, reason="needs cmake")
def test_an_installed_archive_is_found_by_cmake(sets, tmp_path):
    folder = unpacked(exported(sets("llvm"), tmp_path), tmp_path / "x")
    app = tmp_path / "app"
    app.mkdir()
    (app / "main.c").write_text(
        '#include "digits.h"\nint main(void) { return digits_run(0, 0, 0) == DIGITS_OK; }\n'
    )
    (app / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.13)\nproject(app C)\nfind_package(digits REQUIRED)\n"
        "add_executable(app main.c)\ntarget_link_libraries(app digits::models)\n"
    )
    prefix = tmp_path / "installed"
    for command in (
        ["cmake", "-S", folder, "-B", tmp_path / "b1", f"-DCMAKE_INSTALL_PREFIX={prefix}"],
        ["cmake", "--build", tmp_path / "b1"],
        ["cmake", "--install", tmp_path / "b1"],
        ["cmake", "-S", app, "-B", tmp_path / "b2", f"-DCMAKE_PREFIX_PATH={prefix}"],
        ["cmake", "--build", tmp_path / "b2"],
        [tmp_path / "b2" / "app"],
    ):
        subprocess.run(list(map(str, command)), check=True, capture_output=True)
