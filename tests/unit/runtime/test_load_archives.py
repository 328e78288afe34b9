"""Archives of the original tools are compiled, linked, loaded and run like any library."""

import gzip
import io
import json
import subprocess
import tarfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ingot
from ingot.base.errors import ArtifactError, DeviceError, LoadError, ToolchainError
from tests.support.classic_archives import WEIGHTS, classic_archive, classic_files

X = np.array([[1, 2, 3, 4]], np.float32)
Y = (X + WEIGHTS) * 2


def load(files, **options):
    return ingot.load(classic_archive(files, **options))


@pytest.mark.cc
@pytest.mark.parametrize("version", [1, 2, 5, 7])
def test_a_graph_of_packed_functions_runs(version):
    library = load(classic_files(version))
    executor = library["tiny"](ingot.cpu(0))
    np.testing.assert_array_equal(executor.predict(x=X), Y)
    assert [str(one) for one in (*executor.inputs, *executor.outputs)] == [
        "x: float32[1, 4]",
        "output: float32[1, 4]",
    ]


@pytest.mark.cc
def test_every_value_of_a_graph_can_be_looked_at():
    executor = load(classic_files(6))["tiny"](ingot.cpu(0), executor="graph")
    executor.predict(x=X)
    np.testing.assert_array_equal(executor.get_value("add"), X + WEIGHTS)
    np.testing.assert_array_equal(executor.get_value("multiply"), Y)


@pytest.mark.cc
def test_two_models_of_one_archive_run():
    files = classic_files(7, name="one") | classic_files(7, "aot", name="two")
    both = [
        json.loads(one["metadata.json"])
        for one in (classic_files(7, name="one"), classic_files(7, "aot", name="two"))
    ]
    files["metadata.json"] = json.dumps(
        {"version": 7, "modules": both[0]["modules"] | both[1]["modules"]}
    ).encode()
    library = load(files)
    for name in ("one", "two"):
        result = library[name](ingot.cpu(0)).predict(x=X.reshape(library[name].inputs[0].shape))
        np.testing.assert_array_equal(result.reshape(Y.shape), Y)


@pytest.mark.cc
def test_the_c_interface_runs_with_sizes_in_the_metadata():
    library = load(classic_files(7, "aot"), style=tarfile.GNU_FORMAT)
    executor = library["tiny"](ingot.cpu(0))
    assert [str(one) for one in (*executor.inputs, *executor.outputs)] == ["x: float32[4]", "y: float32[4]"]
    np.testing.assert_array_equal(executor.predict(x=X[0]), Y[0])


# As LLVM code for TVM's C++ runtime calls it: by weak pointers, which that runtime fills.
BY_POINTERS = """
#include <stdint.h>
#define CALLED(result, name, ...) __attribute__((weak)) result (*__##name)(__VA_ARGS__);
CALLED(void *, TVMBackendAllocWorkspace, int, int, uint64_t, int, int)
CALLED(int, TVMBackendFreeWorkspace, int, int, void *)
CALLED(int, TVMBackendParallelLaunch, int (*)(int, void *, void *), void *, int)
CALLED(int, TVMFuncCall, void *, void *, int *, int, void *, int *)
CALLED(int, TVMBackendGetFuncFromEnv, void *, const char *, void **)
CALLED(void, TVMAPISetLastError, const char *)
typedef struct { void *data; int32_t device[2], ndim; } tensor;
typedef struct { tensor **args; float *sum; } closure;
static int task(int number, void *group, void *data)
{
    closure *own = data;
    (void)number, (void)group;
    for (int at = 0; at < 4; ++at)
        own->sum[at] = ((float *)own->args[0]->data)[at] + ((float *)own->args[1]->data)[at];
    return 0;
}
int32_t tvmgen_tiny_fused_add(tensor **args, int32_t *codes, int32_t count, void *result, int32_t *code, void *handle)
{
    closure own = {args, __TVMBackendAllocWorkspace(1, 0, 16, 2, 32)};
    (void)codes, (void)result, (void)code, (void)handle;
    if (count != 3 || __TVMBackendParallelLaunch(task, &own, 0) != 0) return -1;
    for (int at = 0; at < 4; ++at) ((float *)args[2]->data)[at] = own.sum[at];
    __TVMAPISetLastError("nothing is wrong");
    return __TVMBackendFreeWorkspace(1, 0, own.sum);
}
int32_t tvmgen_tiny_fused_multiply(tensor **args, int32_t *codes, int32_t count, void *result, int32_t *code, void *handle)
{
    void *function;
    (void)codes, (void)result, (void)code, (void)handle, (void)count;
    for (int at = 0; at < 4; ++at) ((float *)args[1]->data)[at] = ((float *)args[0]->data)[at] * 2.0f;
    return %s;
}
"""


def with_object(text, folder):
    """The archive of a graph with an object for TVM's C++ runtime in place of its source."""
    (folder / "lib.c").write_text(text)
    subprocess.run(["cc", "-O1", "-fPIC", "-c", folder / "lib.c", "-o", folder / "lib.o"], check=True)
    files = classic_files(7)
    del files["codegen/host/src/tiny_lib0.c"]
    return files | {"codegen/host/lib/tiny_lib0.o": (folder / "lib.o").read_bytes()}


@pytest.mark.cc
def test_objects_that_call_their_runtime_by_pointers_find_it(tmp_path):
    executor = load(with_object(BY_POINTERS % "0", tmp_path))["tiny"](ingot.cpu(0))
    np.testing.assert_array_equal(executor.predict(x=X), Y)


@pytest.mark.cc
@pytest.mark.parametrize(
    "call", ['__TVMBackendGetFuncFromEnv(0, "f", &function)', "__TVMFuncCall(0, 0, 0, 0, 0, 0)"]
)
def test_a_function_of_another_module_is_an_error_and_no_crash(call, tmp_path):
    executor = load(with_object(BY_POINTERS % call, tmp_path))["tiny"](ingot.cpu(0))
    with pytest.raises(DeviceError, match="reports error -6"):
        executor.predict(x=X)


@pytest.mark.cc
def test_executors_do_not_meet_in_a_static_workspace():
    files = classic_files(7, "aot")
    files["codegen/host/src/tiny_lib0.c"] = b"""
        #include "tvmgen_tiny.h"
        static float workspace[4];
        int32_t tvmgen_tiny_run(struct tvmgen_tiny_inputs* inputs, struct tvmgen_tiny_outputs* outputs) {
          for (int32_t i = 0; i < 4; ++i) workspace[i] = ((float*)inputs->x)[i];
          for (volatile int32_t i = 0; i < 20000; ++i) { }
          for (int32_t i = 0; i < 4; ++i) ((float*)outputs->y)[i] = workspace[i];
          return 0;
        }"""
    factory = load(files)["tiny"]

    def answers(number):
        executor, x = factory(ingot.cpu(0)), np.full(4, number, np.float32)
        return sum(bool((executor.predict(x=x) != x).any()) for _ in range(200))

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(answers, range(8))) == 0


@pytest.mark.cc
def test_shapes_of_inputs_are_those_of_the_program_text_where_they_fit_the_size():
    files = classic_files(7, "aot")
    for text, shape in (
        ("def @main(%x: Tensor[(1, 2, 2), float32]) -> Tensor[(4), float32] {", (1, 2, 2)),
        (
            '#[version = "0.0.5"]\ndef @main(%x {virtual_device=V}: Tensor[(2, 2), float32] /* ty=T */) {',
            (2, 2),
        ),
        ("def @main(%x: Tensor[(1, 5), float32]) {", (4,)),
        ("def @main(%y: Tensor[(2, 2), float32]) {", (4,)),
    ):
        (found,) = load(files | {"src/tiny.relay": text.encode()})["tiny"].inputs
        assert found.shape == shape


def test_a_function_with_no_name_in_c_is_shown_and_refused_with_words():
    files = classic_files(7)
    graph = "executor-config/graph/tiny.graph"
    files[graph] = files[graph].replace(b"tvmgen_tiny_fused_add", b"tvmgen_net-1_2")
    with pytest.raises(LoadError, match=r"calls 'tvmgen_net-1_2', which is no name in C"):
        load(files)


def test_an_archive_of_an_operator_says_so():
    said = {
        "version": 7,
        "model_name": "add",
        "export_datetime": "",
        "memory": {},
        "target": ["c"],
        "executors": [],
    }
    said["style"] = "operator"
    files = {
        "metadata.json": json.dumps(said).encode(),
        "codegen/host/src/lib0.c": b"int add(void) { return 0; }",
    }
    with pytest.raises(LoadError, match="of operator style: it has the function 'add' and no model"):
        load(files)


def test_the_c_interface_without_sizes_is_refused_with_words():
    for files in (classic_files(5, "aot"), classic_files(7, "aot", sizes=False)):
        with pytest.raises(LoadError, match="does not say how large the inputs of model 'tiny' are"):
            load(files)


def test_a_model_without_graph_and_c_interface_is_refused_with_words():
    files = classic_files(7, "aot")
    del files["codegen/host/include/tvmgen_tiny.h"]
    with pytest.raises(LoadError, match="neither a graph nor the C interface"):
        load(files)


def test_memory_pools_of_the_application_are_refused_with_words():
    files = classic_files(7, "aot")
    files["codegen/host/include/tvmgen_tiny.h"] += (
        b"struct tvmgen_tiny_workspace_pools {\n  void* sram;\n};\n"
    )
    with pytest.raises(LoadError, match="wants memory pools"):
        load(files)


def test_objects_for_another_processor_are_refused_with_words():
    files = classic_files(7)
    files["codegen/host/lib/tiny_lib0.o"] = b"\x7fELF\x01\x01" + bytes(12) + b"\x28\x00" + bytes(32)
    with pytest.raises(LoadError, match=r"tiny_lib0.o is for Arm .* 'ingot inspect'"):
        load(files)


def test_an_archive_without_code_is_refused_with_words():
    files = classic_files(7)
    del files["codegen/host/src/tiny_lib0.c"]
    with pytest.raises(LoadError, match="no code for the host"):
        load(files)


@pytest.mark.cc
def test_code_that_does_not_compile_is_a_toolchain_error():
    files = classic_files(7)
    files["codegen/host/src/tiny_lib0.c"] = b"int broken("
    with pytest.raises(ToolchainError, match="linking the library"):
        load(files)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"metadata.json": b"{"}, "is not JSON"),
        ({"metadata.json": b"[]"}, "object as metadata"),
        ({"metadata.json": b'{"version": 7, "version": 7}'}, "same key twice"),
        ({"metadata.json": b'{"version": 9}'}, "has version 9, this ingot reads up to 8; update ingot"),
        ({"metadata.json": b'{"version": true}'}, "says no version"),
        ({"metadata.json": b'{"version": 7, "modules": {}}'}, "has 0 models"),
        ({"metadata.json": b'{"version": 7, "modules": {"a": {"model_name": "b"}}}'}, "names are not those"),
        ({"metadata.json": b'{"version": 8, "modules": {}}'}, "object as members"),
        ({"executor-config/graph/tiny.graph": b"{}"}, "has no 'nodes'"),
        ({"parameters/tiny.params": b"abc"}, "byte 0"),
    ],
)
def test_a_damaged_archive_is_refused(change, words):
    with pytest.raises(ArtifactError, match=words):
        load(classic_files(7) | change)


def test_a_compressed_archive_is_refused_with_words():
    with pytest.raises(ArtifactError, match="compressed with gzip; unpack it first"):
        ingot.load(gzip.compress(classic_archive(classic_files(7))))


def test_a_tar_of_something_else_is_refused():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("hello"))
    with pytest.raises(ArtifactError, match=r"no metadata\.json"):
        ingot.load(buffer.getvalue())
