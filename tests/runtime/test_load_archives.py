"""Archives of the original tools are compiled, linked, loaded and run like any library."""

import gzip
import io
import json
import tarfile

import numpy as np
import pytest

import ingot
from ingot.errors import ArtifactError, LoadError, ToolchainError
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
    assert [str(one) for one in (*executor.inputs, *executor.outputs)] == ["x: float32[1, 4]", "output: float32[1, 4]"]


@pytest.mark.cc
def test_every_value_of_a_graph_can_be_looked_at():
    executor = load(classic_files(6))["tiny"](ingot.cpu(0), executor="graph")
    executor.predict(x=X)
    np.testing.assert_array_equal(executor.get_value("add"), X + WEIGHTS)
    np.testing.assert_array_equal(executor.get_value("multiply"), Y)


@pytest.mark.cc
def test_two_models_of_one_archive_run():
    files = classic_files(7, name="one") | classic_files(7, "aot", name="two")
    both = [json.loads(one["metadata.json"]) for one in (classic_files(7, name="one"), classic_files(7, "aot", name="two"))]
    files["metadata.json"] = json.dumps({"version": 7, "modules": both[0]["modules"] | both[1]["modules"]}).encode()
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
    files["codegen/host/include/tvmgen_tiny.h"] += b"struct tvmgen_tiny_workspace_pools {\n  void* sram;\n};\n"
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
