"""`build(tune=…)` measures here; its file makes the same bytes anywhere; what does not fit is reported."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper, numpy_helper

import ingot
from ingot.api.artifact_set import ArtifactSet
from ingot.artifact.tuning import TunedKernel
from ingot.artifact.tuning_json import SUFFIX, tuning_from_json, tuning_to_json
from ingot.base.errors import ArtifactError, TargetError
from ingot.base.observe import Observer
from ingot.codegen import registry
from ingot.tune.bench import Bench
from ingot.tune.search import Missing, Time, Variant


def product(columns: int = 40, rows: int | str = 9) -> onnx.ModelProto:
    """y = relu(x · w); x [rows, 24]."""
    w = np.random.default_rng(1).standard_normal((24, columns)).astype(np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "w"], ["t"], "product"),
            helper.make_node("Relu", ["t"], ["y"], "relu"),
        ],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, 24])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, columns])],
        [numpy_helper.from_array(w, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def build(**options: object) -> tuple[ArtifactSet, list[str]]:
    """The set, and what the observer was told."""
    told: list[str] = []
    options = {"target": "llvmjit", "name": "m", "cache": None, **options}
    return ingot.build(product(), observer=Observer(on_note=told.append), **options), told  # type: ignore[arg-type]


def tuned_kernel(made: ArtifactSet) -> TunedKernel:
    (content,) = (one.content for one in made if one.file_name.endswith(SUFFIX))
    ((kernel,),) = (group.kernels for group in tuning_from_json(content))
    return kernel


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> tuple[ArtifactSet, list[str], Path]:
    """A tuned set, what was said, and a folder with its cache."""
    folder = tmp_path_factory.mktemp("tuned")
    made, told = build(tune=60, cache=folder / "cache")
    made.export_tuning(folder / "m.json")
    return made, told, folder


def test_every_kernel_with_a_choice_is_measured(tuned: tuple[ArtifactSet, list[str], Path]) -> None:
    made, told, folder = tuned
    (group,) = tuning_from_json((folder / "m.json").read_bytes())
    (kernel,) = group.kernels
    assert group.target == made.models()["m"].host.target
    assert kernel.template == "matmul" and {name for name, _ in kernel.choices} >= {"tile"}
    assert 0 < kernel.time_ns <= kernel.usual_ns
    assert any(sentence.startswith("tuned 1 of 1 kernels") for sentence in told)


def test_a_tuning_file_makes_the_same_bytes_without_measuring(
    tuned: tuple[ArtifactSet, list[str], Path],
) -> None:
    made, _, folder = tuned
    again, told = build(tuning=folder / "m.json")
    assert again.digest() == made.digest()
    assert told == []


def test_what_was_measured_once_comes_from_the_cache_even_without_time(
    tuned: tuple[ArtifactSet, list[str], Path],
) -> None:
    made, _, folder = tuned
    again, _ = build(tune=0, cache=folder / "cache")
    assert again.digest() == made.digest()


def test_what_was_found_before_the_time_was_up_is_kept_and_searched_on_when_there_is_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions: list[int] = []

    def faster(
        bench: Bench, _: object, variants: Sequence[Variant], *__: object, **___: object
    ) -> list[Time]:
        """The second variant is better; of the others, no more is known in the first build."""
        sessions.append(len(variants))
        return [1000, 500, *[600 if late_is_over else Missing.LATE] * (len(variants) - 2)][: len(variants)]

    late_is_over = False
    monkeypatch.setattr(Bench, "times", faster)
    first, _ = build(tune=60, cache=tmp_path)
    assert sessions and not tuned_kernel(first).is_usual
    sessions.clear()
    assert build(tune=0, cache=tmp_path)[0].digest() == first.digest()
    assert not sessions
    late_is_over = True
    again, _ = build(tune=60, cache=tmp_path)
    assert sessions and again.digest() == first.digest()
    sessions.clear()
    build(tune=60, cache=tmp_path)
    assert not sessions


def test_a_build_without_tuning_does_not_look_at_what_is_kept(
    tuned: tuple[ArtifactSet, list[str], Path],
) -> None:
    _, _, folder = tuned
    plain, told = build(cache=folder / "cache")
    assert plain.digest() == build()[0].digest()
    assert told == [] and not any(one.file_name.endswith(SUFFIX) for one in plain)


def test_no_time_and_nothing_kept_is_an_ordinary_build_that_says_so(tmp_path: Path) -> None:
    made, told = build(tune=0)
    assert "1 were not reached" in told[-1]
    made.export_tuning(tmp_path / "none.json")
    assert tuning_from_json((tmp_path / "none.json").read_bytes()) == ()
    code = [one for one in made if not one.file_name.endswith(SUFFIX)]
    assert ArtifactSet(code).digest() == build()[0].digest()


def test_a_kernel_that_fails_as_it_is_usually_written_is_named_and_not_called_unreached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def times(bench: Bench, _: object, variants: Sequence[Variant], **__: object) -> list[Time]:
        bench.failed.append("it crashed")
        return [Missing.FAILED] * len(variants)

    monkeypatch.setattr(Bench, "times", times)
    made, told = build(tune=60)
    assert made.models() and told == [
        "it crashed",
        "tuned 0 of 1 kernels with a choice, 0 of them are faster now",
    ]


def test_words_of_a_file_change_the_code_and_not_the_results(
    tuned: tuple[ArtifactSet, list[str], Path],
) -> None:
    _, _, folder = tuned
    data = json.loads((folder / "m.json").read_text())
    (kernel,) = data["measured"][0]["kernels"]
    x = np.random.default_rng(2).standard_normal((9, 24)).astype(np.float32)
    expected = build()[0].load()["m"](ingot.cpu(0)).predict(x=x)
    digests = set()
    for tile in ("9x1", "9x3", "5x2", "9x2"):
        kernel["choices"]["tile"] = tile
        (folder / "other.json").write_text(json.dumps(data))
        made, _ = build(tuning=folder / "other.json")
        digests.add(made.digest())
        np.testing.assert_allclose(made.load()["m"](ingot.cpu(0)).predict(x=x), expected, rtol=0, atol=1e-4)
    assert len(digests) > 1


def test_what_a_file_says_in_vain_is_reported(tuned: tuple[ArtifactSet, list[str], Path]) -> None:
    _, _, folder = tuned
    data = json.loads((folder / "m.json").read_text())
    (kernel,) = data["measured"][0]["kernels"]
    path = folder / "vain.json"

    def told(**changes: object) -> str:
        path.write_text(
            json.dumps({**data, "measured": [{**data["measured"][0], "kernels": [{**kernel, **changes}]}]})
        )
        return " ".join(build(tuning=path)[1])

    assert "1 kernels of the tuning are not in this model: matmul_relu_product" in told(problem="0" * 64)
    assert "the tuning has tile=99x9, but this build offers" in told(choices={"tile": "99x9"})
    assert "the tuning has colour=blue, but this build offers nothing" in told(choices={"colour": "blue"})
    path.write_text(json.dumps({**data, "measured": [{**data["measured"][0], "target": "llvm -mcpu=other"}]}))
    assert "are for the target 'llvm -mcpu=other', not for 'llvmjit" in " ".join(build(tuning=path)[1])


def test_without_a_listener_it_is_a_warning(tuned: tuple[ArtifactSet, list[str], Path]) -> None:
    _, _, folder = tuned
    with pytest.warns(UserWarning, match="are not in this model"):
        ingot.build(product(24), "llvmjit", name="m", cache=None, tuning=folder / "m.json")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ingot.build(product(), "llvmjit", name="m", cache=None, tuning=folder / "m.json")


@pytest.mark.parametrize("content", [b"", b"{}", b'{"format": "ingot tuning", "version": 2, "measured": []}'])
def test_a_file_that_is_no_tuning_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(content)
    with pytest.raises(ArtifactError, match=r"bad\.json"):
        build(tuning=tmp_path / "bad.json")
    with pytest.raises(ArtifactError, match="cannot be read"):
        build(tuning=tmp_path / "none.json")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("c", "the compiler that it will be given to"),
        ("interp", "cannot be run one by one"),
        ("llvm -mtriple=riscv64-linux-gnu", "riscv64-linux-gnu, and this machine is"),
        ("llvm -mtriple=thumbv7em-none-eabihf -mcpu=cortex-m4", "this machine is"),
        ("llvm -mcpu=core2", "it is for the CPU core2"),
    ],
)
def test_another_machine_cannot_be_measured_here(target: str, words: str) -> None:
    with pytest.raises(TargetError, match=words):
        build(target=target, tune=1)


@pytest.mark.parametrize("executable", [None, "/opt/studio/studio"])
def test_a_program_with_python_inside_says_that_it_cannot_tune(
    executable: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(
        TargetError, match=r"cannot be tuned in this program: .*no interpreter.*'ingot build --tune --tune-to"
    ):
        build(tune=1)
    assert "1 were not reached" in build(tune=0)[1][-1]


def test_a_cache_without_a_name_is_refused() -> None:
    with pytest.raises(
        TargetError, match="cache='' names no folder; give one, 'auto' for the usual one, or None"
    ):
        build(cache="")


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_less_than_no_time_is_refused(seconds: float) -> None:
    with pytest.raises(TargetError, match="0 or more"):
        build(tune=seconds)


def test_measuring_and_taking_are_not_both() -> None:
    with pytest.raises(TargetError, match="not both"):
        build(tune=1, tuning="file.json")


def test_an_untuned_set_has_no_tuning_to_export(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="no model of this set was tuned"):
        build()[0].export_tuning(tmp_path / "m.json")


def test_an_interrupt_ends_the_measuring_and_not_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ingot.tune.tune.search", interrupted)
    made, told = build(tune=60)
    assert made.models() and "tuning was interrupted" in told[0]


def test_the_kernels_of_a_merged_set_are_exported_together(
    tuned: tuple[ArtifactSet, list[str], Path], tmp_path: Path
) -> None:
    made, _, folder = tuned
    other = ingot.build(
        product(24), "llvmjit", name="n", cache=folder / "cache", tune=60, observer=Observer(on_note=len)
    )
    made.merge(other).export_tuning(tmp_path / "both.json")
    (group,) = tuning_from_json((tmp_path / "both.json").read_bytes())
    assert len(group.kernels) == 2
    assert tuning_to_json((group,)) == (tmp_path / "both.json").read_bytes()


def test_every_code_generator_that_can_be_measured_is_of_this_machine() -> None:
    assert {one.id for one in registry.ALL if one.trial is not None} == {"llvm", "llvmjit"}


# 2 s: two products are measured.
def test_the_kernels_of_all_programs_are_measured_and_a_file_makes_the_same_bytes(tmp_path: Path) -> None:
    told: list[str] = []
    proto, options = (
        product(rows="rows"),
        {"target": "llvmjit", "name": "m", "cache": None, "dims": {"rows": range(1, 65)}},
    )
    measured = ingot.build(proto, tune=60, observer=Observer(on_note=told.append), **options)  # type: ignore[arg-type]
    assert told[-1].startswith("tuned 2 of 2 kernels with a choice")
    measured.export_tuning(tmp_path / "m.json")
    (group,) = tuning_from_json((tmp_path / "m.json").read_bytes())
    assert len(group.kernels) == 2
    again = ingot.build(proto, tuning=tmp_path / "m.json", observer=Observer(on_note=told.append), **options)  # type: ignore[arg-type]
    assert again.digest() == measured.digest() and len(told) == 1
    x = np.random.default_rng(0).standard_normal((19, 24), np.float32)
    w = numpy_helper.to_array(proto.graph.initializer[0])
    np.testing.assert_allclose(again.load()["m"]().predict(x=x), np.maximum(x @ w, 0), rtol=1e-4, atol=1e-5)


def test_a_kernel_that_programs_have_alike_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The product is the same, whatever the number of rows."""
    glances: list[int] = []

    def late(_: Bench, __: object, variants: Sequence[Variant], *___: object, **____: object) -> list[Time]:
        glances.append(len(variants))
        return [Missing.LATE] * len(variants)

    monkeypatch.setattr(Bench, "times", late)
    graph = onnx.parser.parse_graph(
        "g (float[rows,4] x, float[9,24] a) => (float[rows,4] y, float[9,40] b) { y = Neg(x) b = MatMul(a, w) }"
    )
    graph.initializer.append(numpy_helper.from_array(np.ones((24, 40), np.float32), "w"))
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    dims = {"rows": [1, 2, 3]}
    ingot.build(proto, "llvmjit", name="m", cache=None, dims=dims, tune=60, observer=Observer(on_note=len))
    assert len(glances) == 1
