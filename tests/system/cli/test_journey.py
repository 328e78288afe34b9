"""The whole journey from the shell: build, inspect, run, compare, bench."""

from __future__ import annotations

import json
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper, numpy_helper

from ingot.base.threads import available_threads
from ingot.cli.main import main
from tests.support.models import model

pytestmark = pytest.mark.cc


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    return caught.value.code if isinstance(caught.value.code, int) else 0


def save_model(path: Path, added: float = 1.0) -> Path:
    """y = relu(x + added), z = x + added; x [batch, 4]."""
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "c"], ["z"], "add"), helper.make_node("Relu", ["z"], ["y"], "relu")],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 4]) for name in ("y", "z")],
        [numpy_helper.from_array(np.float32([added]), "c")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("journey")
    model = save_model(folder / "small.onnx")
    assert run("build", model, "--dim", "batch=2", "--no-cache") == 0
    return folder / "small.so"


def test_the_library_lies_beside_the_model_unless_told_otherwise(library: Path) -> None:
    assert library.exists()


def test_inspect_shows_the_model(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("inspect", library) == 0
    shown = capsys.readouterr().out
    assert "model small" in shown and "float32[2, 4]" in shown


def test_inspect_shows_every_artifact(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("inspect", library, "--json") == 0
    members = json.loads(capsys.readouterr().out)["members"]
    for member in members:
        assert run("inspect", library, member["file"]) == 0
        assert run("inspect", library, member["file"], "--json") == 0
        capsys.readouterr()
    assert {"metadata", "params"} <= {member["loader"] for member in members}


def test_run_reads_and_writes_arrays(library: Path, tmp_path: Path) -> None:
    x = np.arange(8, dtype=np.float32).reshape(2, 4) - 4
    np.savez(tmp_path / "in.npz", x=x)
    assert run("run", library, "-i", tmp_path / "in.npz", "-o", tmp_path / "out.npz") == 0
    with np.load(tmp_path / "out.npz") as made:
        np.testing.assert_array_equal(made["z"], x + 1)
        np.testing.assert_array_equal(made["y"], np.maximum(x + 1, 0))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.npz", "out.npz"]


def test_outputs_are_not_written_over_what_was_read(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, given = tmp_path / "model.so", tmp_path / "in.npz"
    path.write_bytes(library.read_bytes())
    (tmp_path / "link.npz").symlink_to(path)
    np.savez(given, x=np.zeros((2, 4), np.float32))
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    for output, what in (
        (path, "the library itself"),
        (tmp_path / "link.npz", "the library itself"),
        (given, "the file of -i"),
    ):
        assert run("run", path, "-i", given, "-o", output) == 2
        assert f"{output.name} is {what}; give another file name with -o" in " ".join(
            capsys.readouterr().err.split()
        )
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before


def test_a_comparison_that_agrees_is_status_0(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("run", library, "--random", "--compare", library.with_suffix(".onnx")) == 0
    assert "agrees" in capsys.readouterr().out


def test_a_comparison_that_differs_is_status_1(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = save_model(tmp_path / "other.onnx", 1.01)
    assert run("run", library, "--random", "--compare", other) == 1
    assert "DIFFERS" in capsys.readouterr().out
    assert run("run", library, "--random", "--compare", other, "--json") == 1
    assert [one["agrees"] for one in json.loads(capsys.readouterr().out)["compared"]["outputs"]] == [
        False,
        False,
    ]


def test_how_far_apart_answers_may_be_can_be_said(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = save_model(tmp_path / "other.onnx", 1.01)
    assert run("run", library, "--random", "--compare", other, "--rtol", 0, "--atol", 0.1) == 0
    assert "rtol 0, atol 0.1" in capsys.readouterr().out


def test_a_tolerance_without_a_comparison_is_refused(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("run", library, "--random", "--atol", 1) == 2
    assert "--compare" in capsys.readouterr().err


def test_run_needs_inputs(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("run", library) == 2
    assert "--random" in capsys.readouterr().err


def test_an_input_that_does_not_fit_is_one_sentence(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "in.npz", x=np.ones((3, 4), np.float32))
    assert run("run", library, "-i", tmp_path / "in.npz") == 9
    shown = capsys.readouterr()
    assert shown.err.startswith("ingot: ") and shown.err.count("\n") == 1 and "[2, 4]" in shown.err


def test_bench_shows_kernels_with_their_nodes(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("bench", library, "--threads", 1, "--seconds", 0.01) == 0
    shown = capsys.readouterr().out
    assert "median" in shown and "add" in shown and "GFLOP/s" in shown and "runs on 1 thread\n" in shown


def test_the_json_of_bench_is_pure(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("bench", library, "--seconds", 0.01, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["runs"] >= 20 and facts["threads"] == available_threads()
    assert 0 < facts["seconds"]["p10"] <= facts["seconds"]["median"] <= facts["seconds"]["p90"]
    assert {name for kernel in facts["kernels"] for name in kernel["nodes"]} == {"add", "relu"}


def test_an_unbound_dimension_names_itself_and_leaves_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        '<ir_version: 9, opset_import: ["": 17]> g (float[2,length] x) => (float[2,length] y) { y = Relu(x) }'
    )
    model = tmp_path / "small.onnx"
    onnx.save(onnx.parser.parse_model(text), model)
    assert run("build", model, "--no-cache") == 3
    assert "length: axis 1 of input 'x'" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["small.onnx"]


def test_a_report_says_how_each_dimension_varies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = save_model(tmp_path / "small.onnx")
    words = ("build", model, "--no-cache", "-t", "interp", "-o", tmp_path / "small.ingot", "--dims-report")
    assert run(*words, "--dim", "batch=1..8") == 0
    assert "batch ∈ 1..8 (axis 0 of 'x'): items that are computed by themselves" in capsys.readouterr().out
    assert run(*words, "--dim", "batch=1,4", "--json") == 0
    assert "programs for 1, 4" in json.loads(capsys.readouterr().out)["dims"][0]
    assert run(*words, "--dim", "batch=1") == 0
    assert "no dimension varies" in capsys.readouterr().out


def test_a_report_and_inspect_say_for_how_much_programs_have_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = '<ir_version: 9, opset_import: ["" : 18]> m (float[1,S,4] x) => (float[1,S,4] y) { y = Softmax<axis=1>(x) }'
    model, output = tmp_path / "m.onnx", tmp_path / "m.ingot"
    onnx.save(onnx.parser.parse_model(text), model)
    words = ("build", model, "--no-cache", "-t", "interp", "-o", output, "--dims-report")
    assert run(*words, "--dim", "S=1..160") == 0
    report = capsys.readouterr().out
    assert "S ∈ 1..160 (axis 1 of 'x'): programs with room for 20, 160 serve each size" in report
    assert run("inspect", output) == 0
    shown = capsys.readouterr().out
    assert "varies    S ∈ 1..160: programs with room for 20, 160 serve each size\n" in shown
    assert "are for S=20; there are programs for\n  S=20; S=160\n" in shown


@pytest.mark.parametrize(
    "word", ["batch", "batch=", "=4", "batch=x", "batch=1..", "batch=4..1", "batch=1,", "batch=1..8:0"]
)
def test_sizes_that_are_none_are_refused(
    word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = save_model(tmp_path / "small.onnx")
    assert run("build", model, "--dim", word) in (2, 3)
    assert "dim" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["small.onnx"]


def test_an_unknown_target_gets_the_nearest_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = save_model(tmp_path / "small.onnx")
    assert run("build", model, "--dim", "batch=1", "-t", "llmv") == 5
    assert "'llvm'" in capsys.readouterr().err


def test_an_output_that_has_no_folder_is_said_before_anything_is_built(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("build", tmp_path / "no-model.onnx", "-o", tmp_path / "no-folder" / "x.so") == 2
    assert "no-folder" in capsys.readouterr().err


def test_dump_writes_every_stage_and_time_shows_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = save_model(tmp_path / "small.onnx")
    words = (
        "build",
        model,
        "--dim",
        "batch=1",
        "-o",
        tmp_path / "x.so",
        "--dump",
        tmp_path / "dump",
        "--time",
        "--no-cache",
    )
    assert run(*words) == 0
    names = sorted(path.name for path in (tmp_path / "dump").iterdir())
    assert [name[:4] for name in names] == [f"{number:03d}-" for number in range(len(names))]
    assert len(names) >= 4 and names[0] == "000-read.onnx"
    shown = capsys.readouterr().out
    assert "stage" in shown and "link" in shown and "generate" in shown


def test_passes_are_listed_left_out_and_dumped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("build", "--passes") == 0
    assert "remove-identities" in capsys.readouterr().out
    path = tmp_path / "named.onnx"
    onnx.save(model("g (float[2] x) => (float[2] y) { i = Identity(x) y = Neg(i) }"), path)
    words = ("build", path, "-t", "interp", "-o", tmp_path / "x.ingot", "--dump")
    assert (
        run(*words, tmp_path / "whole")
        == run(*words, tmp_path / "less", "--skip-pass", "remove-identities")
        == 0
    )
    after = onnx.load(tmp_path / "whole" / "001-remove-identities.onnx")
    assert [node.op_type for node in after.graph.node] == ["Neg"]
    assert not list((tmp_path / "less").glob("*remove-identities*"))
    capsys.readouterr()
    assert run(*words, tmp_path / "none", "--skip-pass", "remove-identity") == 5
    assert "did you mean 'remove-identities'" in " ".join(capsys.readouterr().err.split())
    assert (
        run("build", tmp_path / "x.ingot", "--skip-pass", "remove-identities", "-o", tmp_path / "y.so") == 2
    )
    assert "--skip-pass is for an ONNX model" in capsys.readouterr().err


def test_the_name_and_the_executor_are_the_ones_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = save_model(tmp_path / "small.onnx")
    words = (
        "build",
        model,
        "--dim",
        "batch=1",
        "-o",
        tmp_path / "x.so",
        "--name",
        "other",
        "--executor",
        "graph",
        "--no-cache",
    )
    assert run(*words) == 0
    capsys.readouterr()
    assert run("inspect", tmp_path / "x.so", "--json") == 0
    (info,) = json.loads(capsys.readouterr().out)["models"]
    assert (info["name"], info["executors"][0]) == ("other", "graph")
    assert run("run", tmp_path / "x.so", "--random", "--model", "othr") == 2
    assert "did you mean 'other'" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("kind", "known"),
    [("operators", "Conv"), ("targets", "host"), ("cpus", "cortex-m4"), ("codegens", "llvm")],
)
def test_list_knows(kind: str, known: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", kind) == 0
    assert known in capsys.readouterr().out
    assert run("list", kind, "--json") == 0
    assert any(known in row.values() for row in json.loads(capsys.readouterr().out))


def test_operators_that_are_rewritten_are_listed_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "operators", "--json") == 0
    rows = {(row["domain"], row["operator"]): row["how"] for row in json.loads(capsys.readouterr().out)}
    assert "docs/use/onnxruntime.md" in rows["com.microsoft", "MultiHeadAttention"]
    assert (
        "docs/use/onnxruntime.md" in rows["ai.onnx", "ScaledTanh"]
        and "docs/use/text.md" in rows["ai.onnx", "TfIdfVectorizer"]
    )
    assert not rows["com.microsoft", "MatMulNBits"] and not rows["ai.onnx", "Attention"]


def test_no_operator_is_listed_since_an_opset_that_lacks_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "operators", "--json") == 0
    rows = {(row["domain"], row["operator"]): row["since"] for row in json.loads(capsys.readouterr().out)}
    first: dict[tuple[str, str], int] = {}
    for one in onnx.defs.get_all_schemas_with_history():
        key = (one.domain or "ai.onnx", one.name)
        first[key] = min(one.since_version, first.get(key, one.since_version))
    wrong = {key for key, since in rows.items() if int(since.partition(",")[0]) < first.get(key, 1)}
    assert wrong == {("ai.onnx", "LayerNormalization")}  # which onnxruntime writes into models of any opset
    assert rows["ai.onnx", "TfIdfVectorizer"] == "9" and rows["ai.onnx", "Add"] == "1, 7"


def test_operators_without_a_kernel_are_listed_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "operators", "--json") == 0
    rows = {(row["domain"], row["operator"]): row["how"] for row in json.loads(capsys.readouterr().out)}
    missing = {one.name for one in onnx.defs.get_all_schemas() if not one.domain and not one.deprecated} - {
        name for domain, name in rows if domain == "ai.onnx"
    }
    assert missing == set()
    assert (
        "docs/use/text.md" in rows["ai.onnx", "StringSplit"]
        and "docs/use/loops.md" in rows["ai.onnx", "Loop"]
    )
    assert rows["ai.onnx", "SwiGLU"] == "by its definition in ONNX"


def test_an_unknown_list_gets_the_nearest_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "operator") == 2
    assert "did you mean 'operators'" in " ".join(capsys.readouterr().err.split())


def test_outputs_of_any_name_are_written(tmp_path: Path) -> None:
    """`numpy.savez` takes some names for its own arguments."""
    made = model(
        "g (float[2] x) => (float[2] file, float[2] allow_pickle) { file = Relu(x) allow_pickle = Neg(x) }"
    )
    onnx.save(made, tmp_path / "m.onnx")
    assert run("build", tmp_path / "m.onnx", "-t", "interp", "--no-cache") == 0
    np.savez(tmp_path / "in.npz", x=np.float32([1, -2]))
    assert run("run", tmp_path / "m.so", "-i", tmp_path / "in.npz", "-o", tmp_path / "out.npz") == 0
    with np.load(tmp_path / "out.npz", allow_pickle=False) as found:
        assert {name: array.tolist() for name, array in found.items()} == {
            "file": [1, 0],
            "allow_pickle": [-1, 2],
        }


BFLOAT16 = {
    "at both ends": "g (bfloat16[3] x) => (bfloat16[3] y) { y = Mul(x, x) }",
    "as an input": "g (bfloat16[3] x) => (float[3] y) { a = Cast<to = 1>(x) y = Mul(a, a) }",
    "as an output": "g (float[3] x) => (bfloat16[3] y) { a = Mul(x, x) y = Cast<to = 16>(a) }",
    "within": "g (float[3] x) => (float[3] y) { a = Cast<to = 16>(x) b = Mul(a, a) y = Cast<to = 1>(b) }",
}


@pytest.mark.parametrize("where", BFLOAT16)
def test_bfloat16_is_shown_and_compared_as_numbers(
    where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    onnx.save(model(BFLOAT16[where], opset=22, ir_version=10), tmp_path / "m.onnx")
    assert run("build", tmp_path / "m.onnx", "-t", "interp", "--no-cache") == 0
    x = np.array([1.5, -2, 3], np.float32)  # with squares that are exact
    np.savez(
        tmp_path / "in.npz",
        x=x.astype(ml_dtypes.bfloat16).view(np.uint16) if "(bfloat16[3] x)" in BFLOAT16[where] else x,
    )
    capsys.readouterr()
    words = (
        "run",
        tmp_path / "m.so",
        "-i",
        tmp_path / "in.npz",
        "--compare",
        tmp_path / "m.onnx",
        "--rtol",
        0,
        "--atol",
        0,
    )
    assert run(*words) == 0
    shown = capsys.readouterr().out
    assert "2.25 4 9" in shown and "agrees" in shown
    assert run(*words, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["outputs"][0]["least"], found["outputs"][0]["most"]) == (2.25, 9)
    onnx.save(model(BFLOAT16[where].replace("Mul(", "Add("), opset=22, ir_version=10), tmp_path / "m.onnx")
    assert run(*words) == 1
    assert "DIFFERS" in capsys.readouterr().out


def test_random_bfloat16_agrees_with_the_usual_tolerance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "g (bfloat16[4, 8] x) => (bfloat16[4, 4] y) { t = Transpose(x) a = MatMul(x, t) b = Tanh(a) y = Softmax(b) }"
    onnx.save(model(body, opset=22, ir_version=10), tmp_path / "m.onnx")
    assert run("build", tmp_path / "m.onnx", "-t", "interp", "--no-cache") == 0
    assert run("run", tmp_path / "m.so", "--random", "--compare", tmp_path / "m.onnx") == 0
    assert "(rtol 0.0078125, atol 1e-05)" in capsys.readouterr().out


def test_random_inputs_have_the_size_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, ranged = save_model(tmp_path / "small.onnx"), tmp_path / "small.ingot"
    assert run("build", model, "-t", "interp", "--dim", "batch=1..8", "-o", ranged) == 0
    assert run("run", ranged, "--random", "--dim", "batch=5", "-o", tmp_path / "out.npz") == 0
    with np.load(tmp_path / "out.npz") as arrays:
        assert {array.shape[0] for array in arrays.values()} == {5}
    capsys.readouterr()
    assert run("bench", ranged, "--seconds", 0.01, "--dim", "batch=3") == 0
    assert ", for batch=3" in capsys.readouterr().out
    for words, why in (
        (("--random", "--dim", "batch=9"), "batch is 9"),
        (("--random", "--dim", "batsh=3"), "batch"),
        (("--random", "--dim", "batch=x"), "expected NAME=NUMBER"),
        (("-i", tmp_path / "out.npz", "--dim", "batch=3"), "leave one of them out"),
    ):
        assert run("run", ranged, *words) >= 2
        assert why in capsys.readouterr().err
