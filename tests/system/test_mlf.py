"""Archives hold what they say, are equal bytes for equal input, and run as the model that they were made from."""

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import onnx.parser
import pytest

import ingot
from ingot.artifact.artifact import Artifact
from ingot.base.errors import ArtifactError, LoadError
from ingot.package.mlf.read import read_archive
from ingot.package.tar import read_tar, write_tar
from tests.support.kernel_opencl import needs_opencl
from tests.support.paths import DIGITS, MODELS

LSTM = MODELS / "lstm"
MODELS = Path(os.environ.get("INGOT_TEST_MODELS", "nowhere")) / "mlperf_tiny"
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


@pytest.fixture(scope="module")
def images():
    return (
        np.load(DIGITS.with_name("digits_test.npz"))["images"][:3].reshape(-1, 1, 1, 8, 8).astype(np.float32)
        / 16
    )


def exported(artifacts, folder, *args, **options):
    path = folder / "x.tar"
    artifacts.export_model_library_format(path, *args, **options)
    return path


def names(path):
    with tarfile.open(path, "r:") as archive:
        return [name for name in archive.getnames() if not name.startswith("./runtime/")]


@pytest.mark.cc
@pytest.mark.parametrize("target", ["c", "llvm"])
@pytest.mark.parametrize(("version", "executor"), EVERY)
def test_an_archive_runs_as_its_model(sets, images, tmp_path, version, executor, target):
    reference = ingot.build(DIGITS, "llvmjit", dims={"batch": 1}).load()["digits"](ingot.cpu(0))
    library = ingot.load(exported(sets(target), tmp_path, version, executor=executor))
    model = library["digits"](ingot.cpu(0))
    assert model.kind == ("graph" if (version, executor) == (8, "graph") else "aot")
    for image in images:
        np.testing.assert_allclose(
            model.predict(image=image), reference.predict(image=image), rtol=1e-4, atol=1e-5
        )


@pytest.mark.cc
@pytest.mark.parametrize(("version", "executor"), [(5, "graph"), (7, "aot"), (8, "graph")])
def test_a_recurrent_model_with_views_and_two_outputs_runs(tmp_path, version, executor):
    path = exported(ingot.build(LSTM.with_suffix(".onnx"), "c"), tmp_path, version, executor=executor)
    model = ingot.load(path)["lstm"](ingot.cpu(0))
    with np.load(LSTM.with_suffix(".npz")) as arrays:
        feeds = {one.name: arrays[f"in_{one.name}"] for one in model.inputs}
        results = dict(zip([one.name for one in model.outputs], model.predict(**feeds), strict=True))
        for name, result in results.items():
            np.testing.assert_allclose(result, arrays[f"out_{name}"], rtol=1e-4, atol=1e-5)


@pytest.mark.cc
def test_an_operator_of_more_outputs_than_there_are_other_nodes_runs(tmp_path):
    text = '<ir_version: 8, opset_import: ["" : 18]> m (float[8] x) => (float[2] a, float[6] b, float[3] top, int64[3] at) '
    text += "{ n = Constant <value = int64[1] {3}> () s = Constant <value = int64[2] {2, 6}> () "
    text += "a, b = Split(x, s) top, at = TopK(x, n) }"
    artifacts = ingot.build(onnx.parser.parse_model(text), "c")
    path = exported(artifacts, tmp_path, 8, executor="graph")
    model = ingot.load(path)["m"](ingot.cpu(0))
    x = np.array([3, 1, 4, 1.5, 9, 2, 6, 5], np.float32)
    for got, wanted in zip(model.predict(x=x), (x[:2], x[2:], x[[4, 6, 7]], [4, 6, 7]), strict=True):
        np.testing.assert_array_equal(got, wanted)
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path / "x", filter="data")
    assert (
        "are good"
        in subprocess.run(
            ["make", "-C", tmp_path / "x", "test"], check=True, capture_output=True, text=True
        ).stdout
    )
    with pytest.raises(ArtifactError, match="version=8 or executor='aot'"):
        exported(artifacts, tmp_path, 7, executor="graph")


@pytest.mark.cc
@pytest.mark.parametrize("version", [5, 7, 8])
def test_an_operator_of_several_outputs_is_an_archive_of_its_own(tmp_path, version):
    text = '<ir_version: 8, opset_import: ["" : 17]> top (float[8] x) => (float[3] y, int64[3] z) '
    text += "{ n = Constant <value = int64[1] {3}> () y, z = TopK(x, n) }"
    path = exported(ingot.build(onnx.parser.parse_model(text), "c"), tmp_path, version, style="operator")
    ((memory,),) = [
        json.loads(bytes(read_tar(path.read_bytes())["metadata.json"].content))["memory"].values()
    ]
    assert [one["input_binding"] for one in memory] == ["x", "y", "z"]


def test_a_test_vector_of_another_size_than_its_tensor_is_refused(sets, tmp_path):
    vectors = [Artifact("x", "vectors", f"digits/0/{kind}0.bin", bytes(8)) for kind in ("input", "output")]
    with pytest.raises(
        ArtifactError,
        match=r"input0\.bin of its test vectors has 8 bytes, image: float32\[1, 1, 8, 8\] has 256",
    ):
        exported(sets("c").merge(ingot.ArtifactSet(vectors)), tmp_path)


@pytest.mark.cc
@pytest.mark.models
@pytest.mark.skipif(
    not MODELS.is_dir(),
    reason="needs the MLPerf Tiny models: INGOT_TEST_MODELS names no folder that has them",
)
@pytest.mark.parametrize(("version", "executor"), [(5, "aot"), (7, "graph")])
@pytest.mark.parametrize("name", ["ad", "ic", "kws", "vww"])
def test_the_models_of_mlperf_tiny_run_as_their_references(name, version, executor, tmp_path):
    path = exported(
        ingot.build(MODELS / "onnx" / f"{name}_fp32.onnx", "llvm", name=name),
        tmp_path,
        version,
        executor=executor,
    )
    model = ingot.load(path)[name](ingot.cpu(0))
    with np.load(MODELS / "ref" / f"{name}.npz") as arrays:
        x, y = arrays["x_f32"][0], arrays["y_f32_ort"][0]
    answer = model.predict({model.inputs[0].name: x.reshape(model.inputs[0].shape)})
    np.testing.assert_allclose(answer.reshape(y.shape), y, rtol=1e-4, atol=1e-5)


# ─── layout ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_version_7_has_the_files_of_the_original(sets, tmp_path):
    folders = [".", "./codegen", "./codegen/host"]
    sources = ["./codegen/host/src", *(f"./codegen/host/src/digits_lib{number}.c" for number in range(3))]
    graph = ["./executor-config", "./executor-config/graph", "./executor-config/graph/digits.graph"]
    rest = ["./metadata.json", "./parameters", "./parameters/digits.params", "./src", "./src/digits.relay"]
    assert names(exported(sets("c"), tmp_path, 7, executor="graph")) == [*folders, *sources, *graph, *rest]
    include = ["./codegen/host/include", "./codegen/host/include/tvmgen_digits.h"]
    assert names(exported(sets("c"), tmp_path, 7)) == [*folders, *include, *sources, *rest, "./runtime"]


def test_version_5_has_the_files_of_the_original(sets, tmp_path):
    found = names(exported(sets("llvm"), tmp_path, 5, executor="graph"))
    assert {"./executor-config/graph/graph.json", "./src/relay.txt", "./parameters/digits.params"} <= set(
        found
    )
    assert [name for name in found if name.endswith(".o")] == [
        f"./codegen/host/lib/digits_lib{at}.o" for at in range(9)
    ]
    assert not any(name.startswith("./runtime") for name in found)
    metadata = json.loads(bytes(read_tar((tmp_path / "x.tar").read_bytes())["metadata.json"].content))
    assert set(metadata) == {
        "version",
        "model_name",
        "export_datetime",
        "memory",
        "target",
        "executors",
        "style",
    }
    assert (
        set(metadata["target"]) == {"1"}
        and metadata["executors"] == ["graph"]
        and metadata["style"] == "full-model"
    )
    assert set(metadata["memory"]) == {"sids", "functions"}


def test_metadata_of_version_7_has_the_keys_of_the_original(sets, tmp_path):
    files = read_tar(exported(sets("c"), tmp_path, 7).read_bytes())
    text = bytes(files["metadata.json"].content).decode()
    metadata = json.loads(text)
    assert text == json.dumps(metadata, indent=2, sort_keys=True) + "\n"
    assert set(metadata) == {"version", "modules"} and list(metadata["modules"]) == ["digits"]
    module = metadata["modules"]["digits"]
    keys = {
        "model_name",
        "export_datetime",
        "memory",
        "target",
        "executors",
        "style",
        "external_dependencies",
    }
    assert set(module) == keys and module["target"] == ["c"]
    (main,) = module["memory"]["functions"]["main"]
    assert set(main) == {
        "device",
        "workspace_size_bytes",
        "constants_size_bytes",
        "io_size_bytes",
        "inputs",
        "outputs",
    }
    assert main["inputs"] == {"image": {"dtype": "float32", "size": 256}}
    assert bytes(files["parameters/digits.params"].content) == bytes.fromhex("b79c04054f8de5f7") + bytes(24)


def test_version_8_gives_back_the_set_that_it_was_made_from(sets, tmp_path):
    archive = read_archive(exported(sets("llvm"), tmp_path, vectors=0).read_bytes())
    assert ingot.ArtifactSet(archive.artifacts) == ingot.ArtifactSet(sets("llvm"))


def test_sources_are_the_model_its_text_and_its_loops(sets, tmp_path):
    files = read_tar(exported(sets("c"), tmp_path).read_bytes())
    model = onnx.load_from_string(bytes(files["src/digits.onnx"].content))
    text = onnx.parser.parse_model(bytes(files["src/digits.onnx.txt"].content).decode())
    assert [one.op_type for one in text.graph.node] == [one.op_type for one in model.graph.node]
    assert b"kernel" in bytes(files["src/digits.loops.txt"].content)
    relay = bytes(read_tar(exported(sets("c"), tmp_path, 7).read_bytes())["src/digits.relay"].content)
    assert onnx.parser.parse_model(relay.decode()).graph.node == text.graph.node


def test_every_file_of_version_8_is_listed_with_its_digest(sets, tmp_path):
    data = exported(sets("c"), tmp_path).read_bytes()
    files = {name: bytes(file.content) for name, file in read_tar(data).items()}
    for name in ("README.md", "codegen/host/src/digits_lib1.c", "src/digits.onnx", "runtime/Makefile"):
        changed = files | {name: files[name][:-1] + b"?"}
        with pytest.raises(ArtifactError, match=f"damaged file: '{name}'"):
            read_archive(b"".join(write_tar(changed)))
        with pytest.raises(ArtifactError, match=f"lacks the file '{name}'"):
            read_archive(b"".join(write_tar({key: value for key, value in files.items() if key != name})))
    with pytest.raises(
        ArtifactError, match=r"has the file 'src/more\.c', which metadata\.json does not list"
    ):
        read_archive(b"".join(write_tar(files | {"src/more.c": b""})))


@pytest.mark.cc
def test_two_models_share_an_archive(sets, images, tmp_path):
    both = sets("c").merge(ingot.build(LSTM.with_suffix(".onnx"), "c"))
    for version in (7, 8):
        archive = read_archive(exported(both, tmp_path, version, executor="graph").read_bytes())
        assert [model.name for model in archive.models] == ["digits", "lstm"]
        sources = [
            bytes(file.content)
            for name, file in archive.files.items()
            if name.startswith("codegen/host/src/")
        ]
        assert sum(b"TVMSystemLibEntryPoint(void)\n{" in text for text in sources) == 1
    library = ingot.load(tmp_path / "x.tar")
    answer = sets("c").load()["digits"](ingot.cpu(0)).predict(image=images[0])
    np.testing.assert_allclose(
        library["digits"](ingot.cpu(0)).predict(image=images[0]), answer, rtol=1e-4, atol=1e-5
    )
    with np.load(LSTM.with_suffix(".npz")) as arrays:
        y, _ = library["lstm"](ingot.cpu(0)).predict(x=arrays["in_x"])
        np.testing.assert_allclose(y, arrays["out_y"], rtol=1e-4, atol=1e-5)
    with pytest.raises(ArtifactError, match="version 5 has one model"):
        exported(both, tmp_path, 5)


def test_the_time_is_the_source_date_epoch_in_utc(sets, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    path = exported(sets("c"), tmp_path, 7)
    with tarfile.open(path) as archive:
        assert {member.mtime for member in archive} == {1700000000}
    assert read_archive(path.read_bytes()).exported == "2023-11-14 22:13:20Z"


def test_equal_models_are_equal_bytes_in_any_process(tmp_path):
    script = (
        "import ingot, sys; s = ingot.build(sys.argv[1], 'c', dims={'batch': 1}, cache=None)\n"
        "for v in (7, 8): s.export_model_library_format(f'{sys.argv[2]}{v}.tar', v, executor='graph')"
    )
    made = []
    for number, (seed, zone) in enumerate((("1", "UTC"), ("77", "Pacific/Auckland"))):
        folder = tmp_path / f"run{number}"
        folder.mkdir()
        environment = os.environ | {"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C"}
        prefix = str(folder / "x")
        subprocess.run(
            [sys.executable, "-c", script, str(DIGITS), prefix], check=True, cwd=folder, env=environment
        )
        made.append([(folder / f"x{version}.tar").read_bytes() for version in (7, 8)])
    assert made[0] == made[1]


def test_one_operator_is_an_archive_of_its_own(tmp_path):
    text = '<ir_version: 8, opset_import: ["" : 17]> add (float[2,3] a, float[3] b) => (float[2,3] c) { c = Add(a, b) }'
    artifacts = ingot.build(onnx.parser.parse_model(text), "c")
    for version in (5, 7, 8):
        path = exported(artifacts, tmp_path, version, style="operator")
        data = json.loads(bytes(read_tar(path.read_bytes())["metadata.json"].content))
        ((function, memory),) = data["memory"].items()
        assert (data["version"], data["style"], data["executors"]) == (version, "operator", [])
        assert function.startswith("tvmgen_add_")
        assert [(one["input_binding"], one["shape"], one["size_bytes"]) for one in memory] == [
            ("a", [2, 3], 24),
            ("b", [3], 12),
            ("c", [2, 3], 24),
        ]
        folder = "./codegen/host"
        files = {f"{folder}/src/lib{at}.c" for at in range(3)} | {"./metadata.json", "./src/tir-1.txt"}
        assert {name for name in names(path) if "." in name[1:]} == files
        archive = read_archive(path.read_bytes(), "add.tar")
        assert [(one.name, one.style, one.executors) for one in archive.models] == [("add", "operator", ())]


# ─── refusals ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_an_archive_cannot_have_is_refused_with_words(sets, tmp_path):
    digits = sets("c")
    for options, words in (
        ({"version": 6}, "versions 5, 7, 8"),
        ({"executor": "vm"}, "executor='vm' is not known"),
        ({"style": "operators"}, "did you mean 'operator'"),
        ({"style": "operator"}, "this model has 8 calls"),
    ):
        with pytest.raises(ArtifactError, match=words):
            exported(digits, tmp_path, **options)
    with pytest.raises(ArtifactError, match="build it for 'c' or 'llvm'"):
        exported(ingot.build(DIGITS, "interp", dims={"batch": 1}), tmp_path)
    with pytest.raises(ArtifactError, match="name='digits'"):
        exported(ingot.build(DIGITS, "c", name="Digits", dims={"batch": 1}), tmp_path)
    with pytest.raises(ArtifactError, match="does not say where its values are"):
        exported(ingot.ArtifactSet(one for one in digits if one.loader != "source"), tmp_path)
    text = '<ir_version: 8, opset_import: ["" : 17]> m (float[2] "a.b", float[2] a_b) => (float[2] c) { c = Add("a.b", a_b) }'
    with pytest.raises(ArtifactError, match=r"the tensors 'a\.b' and 'a_b' would both be 'a_b' in C"):
        exported(ingot.build(onnx.parser.parse_model(text), "c"), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("target", [CORTEX_M, "llvm -mtriple=riscv32-unknown-elf -mcpu=generic-rv32"])
def test_an_archive_for_a_microcontroller_is_looked_into_and_not_run(sets, tmp_path, target):
    path = exported(sets(target), tmp_path)
    with pytest.raises(
        LoadError, match=r"cannot run here: .* was built for (thumbv7em|riscv32).*'ingot inspect'"
    ):
        ingot.load(path)
    done = subprocess.run(
        [sys.executable, "-m", "ingot.cli", "inspect", str(path)], check=False, capture_output=True, text=True
    )
    if done.returncode:  # without a __main__: by the command
        done = subprocess.run(
            [Path(sys.executable).with_name("ingot"), "inspect", path],
            check=True,
            capture_output=True,
            text=True,
        )
    for words in (
        "version 8",
        "model digits, full-model, executor aot",
        target,
        "image: float32[1, 1, 8, 8]",
        "workspace",
    ):
        assert words in done.stdout


@pytest.mark.cc
@pytest.mark.opencl
@needs_opencl
def test_code_for_other_processors_lies_by_target_key_and_runs(sets, images, tmp_path):
    targets, place = {"host": "c", "accel": "opencl"}, {"Conv": "accel"}
    artifacts = ingot.build(DIGITS, targets, place=place, dims={"batch": 1}, name="digits")
    path = exported(artifacts, tmp_path)
    assert {"./codegen/accel/digits_accel.cl", "./codegen/accel/digits_accel.params"} <= set(names(path))
    assert "./codegen/host/include/digits.h" not in names(path), "the host alone cannot run it"
    model = ingot.load(path)["digits"](ingot.cpu(0), devices={"accel": [ingot.opencl(0)]})
    reference = sets("c").load()["digits"](ingot.cpu(0))
    np.testing.assert_allclose(
        model.predict(image=images[0]), reference.predict(image=images[0]), rtol=1e-4, atol=1e-5
    )
    with pytest.raises(ArtifactError, match="version 7 has the host's alone"):
        exported(artifacts, tmp_path, 7)


def test_what_is_written_around_the_kernels_of_a_small_model(golden, tmp_path):
    text = '<ir_version: 8, opset_import: ["" : 17]> small (float[2,3] x) => (float[2,2] y, float[2,3] z) { '
    text += "w = Constant <value = float[3,2] {1, 2, 3, 4, 5, 6}> () h = MatMul(x, w) y = Relu(h) z = Softmax(x) }"
    artifacts = ingot.build(onnx.parser.parse_model(text), "c")
    graph = read_tar(exported(artifacts, tmp_path, 7, executor="graph").read_bytes())
    aot = read_tar(exported(artifacts, tmp_path, 7).read_bytes())
    newest = read_tar(exported(artifacts, tmp_path, 8).read_bytes())
    for name, files, path in (
        ("small.graph", graph, "executor-config/graph/small.graph"),
        ("functions.c", graph, "codegen/host/src/small_lib0.c"),
        ("registry.c", graph, "codegen/host/src/small_lib2.c"),
        ("metadata_7_graph.json", graph, "metadata.json"),
        ("entry_7.c", aot, "codegen/host/src/small_lib0.c"),
        ("tvmgen_small_7.h", aot, "codegen/host/include/tvmgen_small.h"),
        ("tvmgen_small_8.h", newest, "codegen/host/include/tvmgen_small.h"),
        ("README.md", newest, "README.md"),
        ("Makefile", newest, "Makefile"),
    ):
        golden(
            f"mlf/{name}", bytes(files[path].content).decode().replace(f"ingot {ingot.__version__}", "ingot")
        )
