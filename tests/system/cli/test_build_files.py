"""What `ingot build` writes beside the library: the header, and packages for CMake and pkg-config."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import ingot
from ingot.cli.main import main
from tests.support.c_program import compile_c, program, result, run_c
from tests.support.paths import DIGITS

pytestmark = pytest.mark.cc

CMAKE = """cmake_minimum_required(VERSION 3.13)
project(user C)
set(CMAKE_C_STANDARD 99)
find_package(%(name)s 0.1 REQUIRED CONFIG)
find_package(%(name)s 99 QUIET CONFIG)
if(%(name)s_FOUND)
  message(FATAL_ERROR "version 99 was found")
endif()
find_package(%(name)s 0.1 REQUIRED CONFIG)
add_executable(main main.c)
target_link_libraries(main PRIVATE %(name)s::%(name)s)
set_target_properties(main PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
install(TARGETS main DESTINATION bin)
install(FILES "$<TARGET_FILE:%(name)s::%(name)s>" DESTINATION lib)
"""


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    return caught.value.code if isinstance(caught.value.code, int) else 0


@pytest.fixture(scope="module", params=["llvm", "c"])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that `--cmake` writes, moved after it was made."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "made").mkdir()
    library = folder / "made" / "libDigits-8.so"
    assert run("build", DIGITS, "-t", request.param, "--dim", "batch=1", "-o", library, "--cmake") == 0
    return (folder / "made").rename(folder / "moved here")


def image_and_wanted(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    image = np.random.default_rng(1).random((1, 1, 8, 8), np.float32)
    return image, ingot.load(folder / "libDigits-8.so")["digits"](ingot.cpu(0), threads=1).predict(
        image=image
    )


def text(**options: object) -> str:
    return program("digits", ["image"], ["probabilities"], header="libDigits-8.h", **options)  # type: ignore[arg-type]


def test_json_says_what_was_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    library = tmp_path / "digits.so"
    assert run("build", DIGITS, "--dim", "batch=1", "-o", library, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["file"], said["size_bytes"]) == (str(library), library.stat().st_size)
    assert (said["beside"], said["no_header"]) == ([str(tmp_path / "digits.h")], None)
    assert 0 < sum(stage["seconds"] for stage in said["stages"]) <= said["seconds"]
    assert run("build", DIGITS, "--dim", "batch=1", "-t", "interp", "-o", library, "--json", "--time") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["beside"] == [] and "interp" in said["no_header"]


def test_the_files_are_these_and_name_no_folder(built: Path) -> None:
    names = {
        "libDigits-8.so",
        "libDigits-8.h",
        "Digits-8Config.cmake",
        "Digits-8ConfigVersion.cmake",
        "Digits-8.pc",
    }
    assert {path.name for path in built.iterdir()} == names
    for name in names:
        assert str(built.parent).encode() not in (built / name).read_bytes()


def test_a_c_program_gets_the_numbers_of_python(built: Path, tmp_path: Path) -> None:
    image, wanted = image_and_wanted(built)
    linked = [f"{built}/libDigits-8.so", f"-Wl,-rpath,{built}"]
    for options, flags in (({"opened": f"{built}/libDigits-8.so"}, ["-ldl"]), ({"parallel": True}, linked)):
        made = compile_c(text(**options), tmp_path, f"-I{built}", *flags)
        assert run_c(made, [image]) == 0
        np.testing.assert_array_equal(result(made, 0, wanted), wanted)


def test_a_cmake_project_finds_the_library_wherever_it_lies(built: Path, tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("needs cmake")
    image, wanted = image_and_wanted(built)
    (tmp_path / "main.c").write_text(text())
    (tmp_path / "CMakeLists.txt").write_text(CMAKE % {"name": "Digits-8"})
    for words in (
        ["-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={built}", f"-DDigits-8_DIR={built}"],
        ["--build", "build"],
    ):
        done = subprocess.run(["cmake", *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    subprocess.run(
        ["cmake", "--install", "build", "--prefix", "installed"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    for made in (tmp_path / "build" / "main", tmp_path / "installed" / "bin" / "main"):
        assert run_c(made, [image]) == 0
        np.testing.assert_array_equal(result(made, 0, wanted), wanted)


@pytest.mark.skipif(shutil.which("readelf") is None, reason="needs readelf")
def test_a_library_for_packages_has_its_file_name_as_soname_and_others_have_none(
    built: Path, tmp_path: Path
) -> None:
    ingot.build(DIGITS, "c", dims={"batch": 1}).export_library(tmp_path / "m.so")
    for path, soname in ((built / "libDigits-8.so", "[libDigits-8.so]"), (tmp_path / "m.so", "")):
        shown = subprocess.run(
            ["readelf", "-d", str(path)], check=True, capture_output=True, text=True
        ).stdout
        assert next((line.split()[-1] for line in shown.splitlines() if "(SONAME)" in line), "") == soname
    with pytest.raises(ingot.ToolchainError, match="needs a file name of letters, digits"):
        ingot.build(DIGITS, "c", dims={"batch": 1}).export_library(tmp_path / "n.so", soname="a b")


def test_pkg_config_finds_the_library_wherever_it_lies(built: Path, tmp_path: Path) -> None:
    if shutil.which("pkg-config") is None:
        pytest.skip("needs pkg-config")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(built)}
    command = ["pkg-config", "--cflags", "--libs", "Digits-8"]
    flags = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    image, wanted = image_and_wanted(built)
    (tmp_path / "main.c").write_text(text())
    command = f"cc -std=c99 main.c -o main {flags.strip()} -Wl,-rpath,'{built}'"
    subprocess.run(command, shell=True, cwd=tmp_path, check=True)
    made = tmp_path / "main"
    assert run_c(made, [image]) == 0
    np.testing.assert_array_equal(result(made, 0, wanted), wanted)


def test_a_library_without_native_code_has_no_header_and_no_package(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("build", DIGITS, "-t", "interp", "--dim", "batch=1", "-o", tmp_path / "m.so")
    assert run(*words) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["m.so"]
    (tmp_path / "m.so").unlink()
    assert run(*words, "--cmake") == 7
    assert "no C interface" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_export_library_writes_the_library_and_nothing_else(tmp_path: Path) -> None:
    artifacts = ingot.build(DIGITS, dims={"batch": 1})
    artifacts.export_library(tmp_path / "m.so")
    assert [path.name for path in tmp_path.iterdir()] == ["m.so"]
    assert "int32_t digits_run(" in artifacts.c_header() == artifacts.c_header("digits")
    with pytest.raises(ingot.ArtifactError, match="name one of the models digits"):
        artifacts.c_header("digit")


@pytest.mark.parametrize("name", ["m.h", "a b.so"])
def test_a_file_name_that_will_not_do_is_said_before_the_build(name: str, tmp_path: Path) -> None:
    assert run("build", tmp_path / "not there.onnx", "-o", tmp_path / name, "--cmake") in (2, 6)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", [".", "/", ""])
def test_a_folder_is_no_model(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("build", folder) == 2
    assert "is a folder; expected an ONNX file" in capsys.readouterr().err


def test_a_library_is_not_written_over_the_model_that_it_is_made_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = shutil.copy(DIGITS, tmp_path / "m.onnx")
    (tmp_path / "link.onnx").symlink_to(model)
    for words in (
        ["-o", tmp_path / "m.onnx"],
        ["-o", tmp_path / "x.so", "--tune", "0", "--tune-to", tmp_path / "link.onnx"],
    ):
        assert run("build", model, "--dim", "batch=1", *words) == 2
        assert "is the model itself; give a file name with" in capsys.readouterr().err
    assert run("build", model, "--tune", "0", "--tune-to", tmp_path / "x.so", "-o", tmp_path / "x.so") == 2
    assert "is the output itself" in capsys.readouterr().err
    assert Path(model).read_bytes() == DIGITS.read_bytes() and len(list(tmp_path.iterdir())) == 2


LONG = "a" * 300


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A folder with the model `m.onnx`, a link `loop` that leads to itself, and another `loop.so`."""
    for name in ("loop", "loop.so"):
        (tmp_path / name).symlink_to(name)
    return Path(shutil.copy(DIGITS, tmp_path / "m.onnx"))


@pytest.mark.parametrize("name", [f"{LONG}.onnx", "loop", "loop/m.onnx"])
def test_a_model_that_the_system_cannot_name_is_one_sentence(
    name: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("build", model.parent / name, "-o", model.parent / "x.so") == 3
    assert run("build", model.parent / name) in (2, 3)
    shown = capsys.readouterr().err
    assert all(line.startswith("ingot: ") for line in shown.splitlines()) and shown.count("\n") == 2
    assert (
        "cannot be read: File name too long" in shown
        or "cannot be read: Too many levels of symbolic links" in shown
    )


@pytest.mark.parametrize("name", [f"{LONG}.so", "loop.so", "loop/x.so", f"{LONG}/x.so"])
@pytest.mark.parametrize("option", ["-o", "--tune-to"])
def test_an_output_that_the_system_cannot_name_is_said_before_the_build(
    name: str, option: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(model.parent.iterdir())
    others = [] if option == "-o" else ["--tune", "0", "-o", model.parent / "y.so"]
    assert run("build", model, "--dim", "batch=1", *others, option, model.parent / name) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("ingot: ") and shown.count("\n") == 1
    assert "cannot be written: " in shown and f"; give a file name with {option}" in shown
    assert sorted(model.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["-o", "x.so", "--tune", "0", "--tune-to", "x.h"],
            "x.h is the library's C header itself; give a file name",
        ),
        (
            ["-o", "x.so", "--cmake", "--tune", "0", "--tune-to", "xConfig.cmake"],
            "xConfig.cmake is a package file itself",
        ),
        (["-o", "x.so", "--cmake", "--tune", "0", "--tune-to", "./x.pc"], "x.pc is a package file itself"),
        (["-o", "x.so", "--tuning", "x.h"], "x.h is the file of --tuning itself; give a file name with -o"),
        (["-o", "x.so", "--tuning", "x.so"], "x.so is the file of --tuning itself; give a file name with -o"),
        (["-o", "x.so", "--dump", "x.so"], "x.so is the folder of --dump itself; give a file name with -o"),
    ],
)
def test_no_file_of_a_build_is_written_over_another(
    words: list[str],
    said: str,
    model: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(model.parent)
    before = sorted(model.parent.iterdir())
    assert run("build", "m.onnx", "--dim", "batch=1", *words) == 2
    assert said in capsys.readouterr().err
    assert sorted(model.parent.iterdir()) == before


def test_a_header_is_not_written_over_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = Path(shutil.copy(DIGITS, tmp_path / "m.h"))
    assert run("build", model, "--dim", "batch=1") == 2
    assert "m.h is the model itself; give a file name with -o" in capsys.readouterr().err
    assert model.read_bytes() == DIGITS.read_bytes()


@pytest.mark.parametrize(
    ("file", "name"),
    [("模型.onnx", "model"), ("_x.onnx", "m_x"), ("模型 v2.onnx", "m_v2"), (".onnx", "m_onnx")],
)
def test_a_model_in_a_file_of_any_name_is_built(file: str, name: str, tmp_path: Path) -> None:
    model = shutil.copy(DIGITS, tmp_path / file)
    assert run("build", model, "--dim", "batch=1", "-o", tmp_path / "x.so") == 0
    assert ingot.load(tmp_path / "x.so").model_names == (name,)


def test_a_name_that_will_not_do_is_said_before_the_build(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("build", model, "--dim", "batch=1", "--name", "_x", "--dump", model.parent / "dump") == 3
    assert "name='_x': a model's name is a C identifier" in capsys.readouterr().err
    assert not (model.parent / "dump").exists()
