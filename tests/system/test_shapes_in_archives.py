"""Archives of models whose extents vary: C for any size, without Python or a runtime, under the sanitizers."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import ingot
from tests.support.c_program import compile_c, compiler
from tests.system.test_shapes import SEQUENCE, _feeds, _model
from tests.system.test_shapes_in_c import MAIN, TWO_ITEMS, Built
from tests.system.test_text_in_c import sanitizers
from tests.unit.plan.test_items import ALONE

pytestmark = pytest.mark.cc


class Archived(Built):
    """An archive in a folder, Python's executor of the same set, and a program of what the archive has and nothing else."""

    def __init__(
        self, text: str, dims: Mapping[str, object], folder: Path, *flags: str, target: str = "c"
    ) -> None:
        self.artifacts = ingot.build(_model(text), target, dims=dims, cache=None)
        self.artifacts.export_model_library_format(folder / "m.tar")
        with tarfile.open(folder / "m.tar") as tar:
            tar.extractall(folder, filter="data")
        self.code = folder / "codegen" / "host"
        self.model, self.folder = _model(text), folder
        self.python = self.artifacts.load()["m"]()
        counts = (
            f"-DINPUTS={len(self.python.inputs)}",
            f"-DOUTPUTS={len(self.python.outputs)}",
            "-DONE_THREAD",
        )
        units = sorted(map(str, (*self.code.glob("src/*.c"), *self.code.glob("lib/*.o"))))
        self.main = compile_c(MAIN, folder, *counts, f"-I{self.code / 'include'}", *units, "-lm", *flags)


# 1 s each: a build for C, and its compilation.
@pytest.mark.parametrize("case", ["products of rows", "rows in another place", "rows of tables"])
def test_an_archive_answers_any_number_of_items_with_the_bytes_of_python(case: str, tmp_path: Path) -> None:
    archived = Archived(ALONE[case], {"N": range(10)}, tmp_path, *sanitizers(tmp_path))
    for count in (0, 1, 3, 7, 8, 9):
        archived.agree({"N": count})


def test_an_archive_takes_items_along_two_axes_apart(tmp_path: Path) -> None:
    archived = Archived(TWO_ITEMS, {"N": [2, 3], "M": [1, 4]}, tmp_path, *sanitizers(tmp_path))
    for sizes in ({"N": 1, "M": 1}, {"N": 3, "M": 4}, {"N": 7, "M": 6}):
        archived.agree(sizes)


def test_an_archive_answers_lengths_that_programs_have_room_for(tmp_path: Path) -> None:
    archived = Archived(SEQUENCE, {"N": range(1, 9), "S": range(1, 33)}, tmp_path, *sanitizers(tmp_path))
    assert [dim.room for dim in archived.artifacts.models()["m"].dims] == [False, True]
    for sizes in ({"N": 1, "S": 32}, {"N": 3, "S": 7}, {"N": 8, "S": 1}):
        archived.agree(sizes)
    archived.agree({"N": 1, "S": 32}, threads=0)  # the entry for one shape


def test_an_archive_with_objects_answers_any_number_of_items(tmp_path: Path) -> None:
    archived = Archived(ALONE["products of rows"], {"N": range(1, 65)}, tmp_path, target="llvm")
    for count in (1, 8, 19):
        archived.agree({"N": count})


def test_an_archive_says_ranges_and_the_memory_of_each_program(tmp_path: Path) -> None:
    archived = Archived(SEQUENCE, {"N": range(1, 9), "S": [3, 5]}, tmp_path, *sanitizers(tmp_path))
    header = (archived.code / "include" / "m.h").read_text()
    for line in ("M_LOW_N 1", "M_HIGH_N 8", "M_SIZES_S {3, 5}", "M_SHAPED_WORKSPACE_ALIGNMENT 64"):
        assert f"#define {line}\n" in header
    dims = json.loads((tmp_path / "metadata.json").read_bytes())["modules"]["m"]["dims"]
    assert [symbol["name"] for symbol in dims["symbols"]] == ["N", "S"]
    sizes = [program["sizes"] for program in dims["programs"]]
    assert sizes == [{"N": 1, "S": 3}, {"N": 1, "S": 5}, {"N": 8, "S": 3}, {"N": 8, "S": 5}]
    arenas = [
        program["memory"]["functions"]["main"][0]["workspace_size_bytes"] for program in dims["programs"]
    ]
    content = {artifact.file_name: artifact.content for artifact in archived.artifacts}
    infos = [json.loads(bytes(content[f"{program['symbol']}.json"])) for program in dims["programs"]]
    assert arenas == [info["targets"][0]["memory"]["arena_bytes"] for info in infos]
    io = [program["memory"]["functions"]["main"][0]["io_size_bytes"] for program in dims["programs"]]
    assert io == [4 * count * length * 9 for count in (1, 8) for length in (3, 5)]
    for at in range(2):
        (tmp_path / f"in{at}.bin").write_bytes(bytes(4096))
    for each, status in (((9, 3), -11), ((1, 4), -13), ((8, 5), 0)):
        assert archived.status(each, (640, 160, 640)) == status, each


def test_an_archive_is_loaded_with_all_its_programs(tmp_path: Path) -> None:
    artifacts = ingot.build(_model(SEQUENCE), "c", dims={"N": range(1, 9), "S": [3, 5]}, cache=None)
    artifacts.export_model_library_format(tmp_path / "m.tar")
    feeds = _feeds(_model(SEQUENCE), {"N": 3, "S": 5})
    with ingot.load(tmp_path / "m.tar") as library:
        np.testing.assert_array_equal(library["m"]().predict(feeds), artifacts.load()["m"]().predict(feeds))


def test_two_models_of_an_archive_have_their_own_programs(tmp_path: Path) -> None:
    sets = [
        ingot.build(_model(ALONE[case]), "c", name=name, dims={"N": range(1, 65)}, cache=None)
        for name, case in (("m", "products of rows"), ("other", "arithmetic"))
    ]
    sets[0].merge(sets[1]).export_model_library_format(tmp_path / "two.tar")
    with tarfile.open(tmp_path / "two.tar") as tar:
        tar.extractall(tmp_path, filter="data")
    code = tmp_path / "codegen" / "host"
    source = (
        '#include "m.h"\n#include "other.h"\n'
        "int main(void) { return m_run_shaped(0, 0, 0, 0) + other_run_shaped(0, 0, 0, 0) + 2; }\n"
    )
    compile_c(source, tmp_path, f"-I{code / 'include'}", *map(str, code.glob("src/*.c")), "-lm")


def test_what_an_archive_has_is_c99_and_cplusplus_without_a_warning(tmp_path: Path) -> None:
    archived = Archived(SEQUENCE, {"N": range(1, 9), "S": [3, 5]}, tmp_path)
    strict = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror", "-fsyntax-only")
    include = f"-I{archived.code / 'include'}"
    entries = [path for path in archived.code.glob("src/*.c") if "ingot_shapes_run" in path.read_text()]
    assert len(entries) == 1
    subprocess.run([compiler(), "-std=c99", "-Wstrict-prototypes", *strict, include, *entries], check=True)
    (tmp_path / "m.cc").write_text('#include "m.h"\n')
    if shutil.which("g++"):
        subprocess.run(["g++", *strict, include, tmp_path / "m.cc"], check=True)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"version": 5}, "of version 5"),
        ({"version": 7}, "of version 7"),
        ({"executor": "graph"}, "with the executor 'graph'"),
        ({"style": "operator"}, "in the operator style"),
    ],
)
def test_an_archive_whose_reader_knows_one_shape_is_refused_with_the_one_to_take(
    options: dict[str, object], kind: str, tmp_path: Path
) -> None:
    dims = {"N": range(1, 65)}
    artifacts = ingot.build(
        _model(ALONE["arithmetic"]), "c", dims=dims, executor=["aot", "graph"], cache=None
    )
    why = rf"an archive {kind} has code for one shape, and model 'm' is for N ∈ 1\.\.64: take version 8 with"
    with pytest.raises(ingot.ArtifactError, match=why):
        artifacts.export_model_library_format(tmp_path / "m.tar", **options)
    assert not (tmp_path / "m.tar").exists()
