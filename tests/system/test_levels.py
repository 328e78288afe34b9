"""A library with code for several CPUs runs the best that fits: in Python, in C and by tvm-ffi."""

from __future__ import annotations

import importlib.util
import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ingot
from ingot.artifact.artifact import LOADER_LEVEL, Artifact
from ingot.artifact.levels import read_levels
from ingot.base.errors import ArtifactError, LoadError, TargetError
from ingot.base.target import Target
from ingot.cli.main import main
from ingot.runtime import load as loading
from tests.support.kernel_llvm import needs_cc
from tests.support.models import model

TARGET = "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v2,x86-64-v3,x86-64-v4"
SYMBOLS = ("net", "net_level1", "net_level2")
V2 = {"pni", "ssse3", "sse4_1", "sse4_2", "popcnt"}
V3 = V2 | {"avx", "avx2", "bmi1", "bmi2", "fma", "f16c", "abm", "movbe"}
V4 = V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
TABLE = np.random.default_rng(1).standard_normal((500, 24)).astype(np.float32)
WEIGHTS = np.random.default_rng(2).standard_normal((24, 40)).astype(np.float32)
IDS = np.array([[3, 499, 7, 0, 250]], np.int64)
needs_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="needs an x86-64")


def net():
    """Rows of a table, and a product with weights, which each level stores in an order of its own."""
    made = model(
        "net (int64[1, 5] ids) => (float[1, 5, 40] y) { rows = Gather(table, ids) z = MatMul(rows, w) y = Tanh(z) }"
    )
    for name, array in (("table", TABLE), ("w", WEIGHTS)):
        tensor = made.graph.initializer.add()
        tensor.name, tensor.data_type = name, 1
        tensor.dims.extend(array.shape)
        tensor.raw_data = array.tobytes()
    return made


@pytest.fixture(scope="module")
def artifacts():
    return ingot.build(net(), TARGET, name="net", executor=("aot", "graph"))


@pytest.fixture(scope="module")
def library(artifacts, tmp_path_factory):
    path = tmp_path_factory.mktemp("levels") / "net.so"
    artifacts.export_library(path)
    return path


def with_features(monkeypatch, features):
    monkeypatch.setattr(loading, "cpu_features", lambda: None if features is None else frozenset(features))


@needs_cc
@needs_x86
@pytest.mark.parametrize(
    ("features", "symbol"),
    [
        pytest.param(V2, "net", id="v2"),
        pytest.param(V2 | {"avx", "avx2"}, "net", id="part of v3"),
        pytest.param(V3, "net_level1", id="v3"),
        pytest.param(V4 - {"avx512vl", "avx512f"}, "net_level1", id="part of v4"),
        pytest.param(V4, "net_level2", id="v4"),
    ],
)
def test_the_last_level_that_fits_is_loaded(features, symbol, library, monkeypatch):
    real = loading.cpu_features()
    with_features(monkeypatch, features)
    loaded = ingot.load(library)
    assert loaded.models["net"].symbol == symbol
    assert loaded.models["net"].host.target in loaded.explain()
    if set(loaded.models["net"].cpu_features) <= real:
        expected = np.tanh(TABLE[IDS[0]] @ WEIGHTS)[None]
        for kind in ("aot", "graph"):
            y = loaded["net"](ingot.cpu(0), executor=kind).predict(ids=IDS)
            np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)


@needs_cc
@needs_x86
def test_a_processor_below_the_lowest_level_is_refused(library, monkeypatch, tmp_path):
    with_features(monkeypatch, {"fpu"})
    assert ingot.load(library).models["net"].cpu_features == ()  # the lowest uses what every x86-64 has
    higher = ingot.build(net(), TARGET.replace("x86-64-v2,", ""), name="net")
    higher.export_library(tmp_path / "higher.so")
    with_features(monkeypatch, V2)
    with pytest.raises(LoadError, match=r"model 'net' was built for a processor with avx, avx2"):
        ingot.load(tmp_path / "higher.so")


@needs_cc
@needs_x86
def test_where_nobody_says_what_the_processor_has_the_lowest_level_runs(library, monkeypatch):
    with_features(monkeypatch, None)
    assert ingot.load(library).models["net"].symbol == "net"


def test_equal_constants_are_stored_once(artifacts):
    (params,) = artifacts.select(loader="params").artifacts
    cpus = ("x86-64-v2", "x86-64-v4")
    alone = [ingot.build(net(), f"llvm -mtriple=x86_64-linux-gnu -mcpu={cpu}", name="net") for cpu in cpus]
    sizes = [len(one.select(loader="params").artifacts[0].content) for one in alone]
    assert max(sizes) < len(params.content) <= sum(sizes) + sizes[1] - 2 * TABLE.nbytes
    assert bytes(params.content).count(TABLE.tobytes()) == 1
    levels = read_levels(artifacts.artifacts, artifacts.models()["net"])
    assert [level.symbol for level in levels] == list(SYMBOLS)
    assert {(level.host.params, level.host.memory.params_bytes) for level in levels} == {
        ("net.params", len(params.content))
    }
    assert [level.host.memory.always_read_bytes > 0 for level in levels] == [False, False, True]


def test_each_level_says_its_target_and_its_features(artifacts):
    levels = read_levels(artifacts.artifacts, artifacts.models()["net"])
    assert [Target.parse(level.host.target).cpu for level in levels] == [
        "x86-64-v2",
        "x86-64-v3",
        "x86-64-v4",
    ]
    for level, most in zip(levels, (V2, V3, V4), strict=True):
        assert set(level.cpu_features) <= most
    assert "avx2" in levels[1].cpu_features and "avx512f" in levels[2].cpu_features


def test_the_text_of_several_cpus_is_lossless():
    assert str(Target.parse(TARGET)) == TARGET


def test_equal_builds_have_equal_bytes(artifacts):
    again = ingot.build(net(), TARGET, name="net", executor=("aot", "graph"))
    assert again.digest() == artifacts.digest()


@needs_cc
def test_inspect_shows_the_levels(library, capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["inspect", str(library)])
    said = capsys.readouterr().out
    assert all(f"-mcpu=x86-64-v{level}" in said for level in (2, 3, 4))
    with pytest.raises(SystemExit, match="0"):
        main(["inspect", "--json", str(library)])
    (facts,) = json.loads(capsys.readouterr().out)["models"]
    assert [level["symbol"] for level in facts["levels"]] == list(SYMBOLS)
    assert "avx512f" in facts["levels"][2]["cpu_features"]


@pytest.mark.parametrize(
    ("target", "options", "said"),
    [
        ("llvm -mcpu=x86-64-v2,native", {}, "by its name"),
        ("llvm -mcpu=x86-64-v2,x86-64-v2", {}, "each of them once"),
        ("llvm -mcpu=x86-64-v2,", {}, "each of them once"),
        ("llvm -mcpu=x86-64-v2,x86-64-v9", {}, "knows no x86 CPU 'x86-64-v9'"),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v2,cortex-a72", {}, "knows no x86 CPU 'cortex-a72'"),
        ("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a53,cortex-a72", {}, "x86-64 only"),
        ("llvmjit -mcpu=x86-64-v2,x86-64-v3", {}, "the code generator llvmjit, makes code for one CPU"),
        ({"host": "llvm", "other": TARGET}, {"place": {"Tanh": "other"}}, "'other', which is not the host"),
        ({"host": TARGET, "other": "c"}, {"place": {"Tanh": "other"}}, "has no other targets, got other"),
        (TARGET, {"tune": 1.0}, "tune and tuning are for one CPU"),
    ],
)
def test_what_cannot_have_levels_is_refused(target, options, said):
    with pytest.raises(TargetError, match=said):
        ingot.build(net(), target, name="net", **options)


def test_an_archive_is_for_one_cpu(artifacts, tmp_path):
    with pytest.raises(ArtifactError, match="an archive has code for one CPU"):
        artifacts.export_model_library_format(tmp_path / "net.tar")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: None, "its level 'net_level2' is there 0 times"),
        (lambda text: text.replace(b'"name":"net"', b'"name":"other"'), "has other name"),
        (lambda text: text.replace(b"[1,5,40]", b"[1,5,41]", 1), "has other outputs"),
        (lambda text: text.replace(b"net.params", b"net.others"), "has other params"),
        (lambda text: text.replace(b'"symbol":"net_level2"', b'"symbol":"net"'), "has other symbol"),
        (lambda text: b"{", "not the JSON"),
    ],
    ids=["none", "name", "outputs", "constants", "symbol", "no JSON"],
)  # fmt: skip
def test_a_level_that_is_not_of_the_model_is_refused(artifacts, change, said):
    made = []
    for one in artifacts:
        content = change(bytes(one.content)) if one.file_name == "net_level2.json" else one.content
        if content is not None:
            made.append(Artifact(one.codegen_id, one.loader, one.file_name, content, one.target_key))
    info = artifacts.models()["net"]
    with pytest.raises(ArtifactError, match=said):
        read_levels(made, info)


def test_models_whose_levels_have_one_symbol_are_refused(artifacts):
    other = ingot.build(net(), "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64", name="net_level1")
    renamed = type(artifacts)(one for one in other if one.loader in {"metadata", "params"})
    kept = type(artifacts)(one for one in artifacts if one.loader != LOADER_LEVEL)
    with pytest.raises(ArtifactError, match="both have the C symbol 'ingot_net_level1_run'"):
        kept.merge(renamed)


PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include "net.h"
int main(void) {
    static const int64_t ids[5] = {3, 499, 7, 0, 250};
    static float y[200];
    struct net_inputs inputs = {ids};
    struct net_outputs outputs = {y};
    void *workspace = aligned_alloc(NET_WORKSPACE_ALIGNMENT, (NET_WORKSPACE_BYTES + 64) / 64 * 64);
    for (int turn = 0; turn < 2; turn++) if (net_run(&inputs, &outputs, workspace) != 0) return 1;
    for (int i = 0; i < 200; i++) printf("%.9g ", (double)y[i]);
    return 0;
}
"""


@needs_cc
@needs_x86
@pytest.mark.cc
@pytest.mark.parametrize("cpu", ["", "Nehalem", "Haswell"])
def test_c_runs_what_the_processor_has(cpu, artifacts, library, tmp_path):
    """On an emulated processor a level that does not fit would end the process by an illegal instruction."""
    emulator = shutil.which("qemu-x86_64")
    if cpu and emulator is None:
        pytest.skip("needs qemu-x86_64 (Debian: qemu-user)")
    (tmp_path / "net.h").write_text(artifacts.c_header())
    (tmp_path / "main.c").write_text(PROGRAM)
    subprocess.run(["cc", "-Wall", "-Werror", "main.c", str(library), "-o", "main"], cwd=tmp_path, check=True)
    command = [emulator, "-cpu", cpu, "./main"] if cpu else ["./main"]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    expected = np.tanh(TABLE[IDS[0]] @ WEIGHTS).reshape(-1)
    np.testing.assert_allclose(np.array(done.stdout.split(), np.float32), expected, rtol=1e-4, atol=1e-5)


CHOICE = """
#include "interface.h"
#include <stdio.h>
static const struct ingot_feature none[] = {{NULL, 0, 0, 0, 0, 0}};
static const struct ingot_feature odd[] = {{"odd", 0x1, 0, 2, 27, 0xffffffff}, {NULL, 0, 0, 0, 0, 0}};
static int32_t checked[4];
static struct ingot_model made(const struct ingot_feature *features, int32_t *checked_) {
    struct ingot_model model = {0};
    model.features = features;
    model.checked = checked_;
    return model;
}
int main(void) {
    const struct ingot_model models[] = {
        made(none, &checked[0]), made(none, &checked[1]), made(odd, &checked[2]), made(odd, &checked[3])};
    for (int32_t count = 1; count <= 4; count++) {
        int32_t chosen = 0;
        const struct ingot_model *first = ingot_fitting_model(models, count, &chosen);
        const struct ingot_model *again = ingot_fitting_model(models, count, &chosen);
        printf("%d%d ", (int)(first - models), (int)(again - models));
    }
    int32_t chosen = 0;
    printf("%d", (int)(ingot_fitting_model(models + 2, 2, &chosen) - models));
    return 0;
}
"""


@needs_cc
@needs_x86
def test_c_chooses_the_last_level_whose_features_are_there(tmp_path):
    native = Path(ingot.__file__).parent / "native"
    (tmp_path / "main.c").write_text(CHOICE)
    command = ["cc", f"-I{native}", "main.c", str(native / "processor.c"), "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout == "00 11 11 11 2"  # where none fits, the lowest, which a call then refuses


@needs_cc
@needs_x86
@pytest.mark.cc
@pytest.mark.skipif(
    importlib.util.find_spec("tvm_ffi") is None, reason="needs the package apache-tvm-ffi (extra interop)"
)
def test_tvm_ffi_runs_the_level_that_fits(library):
    script = """
import sys
sys.modules["ingot"] = None
import numpy as np, tvm_ffi
y = np.full((1, 5, 40), np.nan, np.float32)
tvm_ffi.load_module(sys.argv[1])["net"](np.array([[3, 499, 7, 0, 250]]), y)
print(*y.reshape(-1).tolist())
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, str(library)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    expected = np.tanh(TABLE[IDS[0]] @ WEIGHTS).reshape(-1)
    np.testing.assert_allclose(np.array(done.stdout.split(), np.float32), expected, rtol=1e-4, atol=1e-5)
