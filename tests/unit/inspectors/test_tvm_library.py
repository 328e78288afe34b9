"""`ingot inspect` on libraries that TVM and tvm-ffi load: read as bytes, never run."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingot.base.errors import ArtifactError
from ingot.cli.main import main
from ingot.inspectors import elf
from ingot.inspectors.registry import inspect
from ingot.link.shared import link_library
from ingot.package.classic.module_blob import SYMBOLS, Layout, ModuleBlob, StoredModule, to_bytes
from tests.support.c_program import compiler
from tests.support.tiny_library import tiny_set

pytestmark = pytest.mark.cc

LIBRARY = StoredModule("_lib")
MODERN = ModuleBlob(
    Layout.C,
    (StoredModule("factory", b"some text"), LIBRARY, StoredModule("cuda", bytes(99))),
    ((1, 2), (2,), ()),
)
SOURCE = StoredModule(
    "c", b"".join(len(part).to_bytes(8, "little") + part for part in (b"int f;", b"c", b"", b""))
)
CLASSIC = ModuleBlob(Layout.B, (LIBRARY, SOURCE, StoredModule("metadata_module")), ((2, 1), (), ()))
CRASH = "__attribute__((constructor)) static void never(void) { __builtin_trap(); }\n"


def library(
    folder: Path, symbol: str, content: bytes, more: str = "", *flags: str, visibility: str = "default"
) -> Path:
    """A library with a blob, which ends every process that opens it."""
    numbers = ",".join(map(str, content))
    text = f'{CRASH}__attribute__((used, visibility("{visibility}"))) const unsigned char {symbol}[] = {{{numbers}}};\n{more}'
    (folder / "made.c").write_text(text)
    subprocess.run(
        [compiler(), "-shared", "-fPIC", *flags, "made.c", "-o", "made.so"], cwd=folder, check=True
    )
    return folder / "made.so"


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    return caught.value.code if isinstance(caught.value.code, int) else 0


def test_the_tree_is_shown_and_a_shared_module_stands_below_each_importer(tmp_path: Path, capsys) -> None:
    path = library(
        tmp_path, "__tvm_ffi__library_bin", to_bytes(MODERN), "int __tvm_ffi_go(void) { return 0; }\n"
    )
    assert run("inspect", path) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("made.so") and "not made by ingot" in shown[0]
    assert shown[shown.index("modules") + 1 :] == [
        "  0.factory  9 bytes",
        "  └ 1._lib  the library itself",
        "    └ 2.cuda  99 bytes",
        "  └ 2.cuda  99 bytes",
        "functions (1)",
        "  go",
    ]


def test_json_is_pure_and_has_the_same(tmp_path: Path, capsys) -> None:
    path = library(tmp_path, "__tvm_dev_mblob", to_bytes(CLASSIC))
    assert run("inspect", path, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["blob"]["layout"] == "B" and found["blob"]["size_bytes"] == len(to_bytes(CLASSIC))
    assert [module["type_key"] for module in found["modules"]] == ["_lib", "c", "metadata_module"]
    assert found["modules"][0]["imports"] == [2, 1]
    assert found["modules"][1]["facts"] == {"code_bytes": 6, "format": "c", "functions": [], "constants": []}


def test_the_content_of_a_module_is_shown_by_its_name(tmp_path: Path, capsys) -> None:
    path = library(tmp_path, "__tvm_ffi__library_bin", to_bytes(MODERN))
    assert run("inspect", path, "0.factory") == 0
    assert capsys.readouterr().out == "some text\n"
    assert run("inspect", path, "2.cuda", "--json") == 0
    assert json.loads(capsys.readouterr().out)["size_bytes"] == 99
    assert run("inspect", path, "factory") == 2
    assert "did you mean '0.factory'" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_every_symbol_is_found_also_when_only_the_full_symbol_table_has_it(
    symbol: str, tmp_path: Path
) -> None:
    blob = MODERN if Layout.C in SYMBOLS[symbol] else CLASSIC
    path = library(tmp_path, symbol, to_bytes(blob), visibility="hidden")
    found = inspect(path.read_bytes(), "made.so")
    assert found is not None and found.facts["blob"]["symbol"] == symbol
    assert len(found.facts["modules"]) == 3


def test_an_object_file_is_read_too(tmp_path: Path) -> None:
    library(tmp_path, "__tvm_dev_mblob", to_bytes(CLASSIC))
    subprocess.run([compiler(), "-c", "made.c", "-o", "made.o"], cwd=tmp_path, check=True)
    found = inspect((tmp_path / "made.o").read_bytes(), "made.o")
    assert found is not None and len(found.facts["modules"]) == 3


def test_a_type_that_is_not_understood_is_named_and_its_bytes_counted(tmp_path: Path) -> None:
    odd = ModuleBlob(Layout.B, (LIBRARY,), (), b"\x07" + bytes(7) + b"hexagon" + b"rest", 2)
    found = inspect(library(tmp_path, "__tvm_dev_mblob", to_bytes(odd)).read_bytes(), "made.so")
    assert found is not None
    assert found.facts["blob"]["unread_type_key"] == "hexagon" and found.facts["blob"]["unread_entries"] == 2
    assert any("'hexagon'" in line for line in found.lines)


def test_names_of_symbols_that_are_too_long_together_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = library(
        tmp_path, "__tvm_ffi__library_bin", to_bytes(MODERN), f"void __tvm_ffi_{'a' * 50}(void) {{}}\n"
    )
    assert inspect(path.read_bytes(), "it") is not None
    monkeypatch.setattr(elf, "_MAX_NAMES", 40)
    with pytest.raises(ArtifactError, match="ELF headers cannot be read"):
        inspect(path.read_bytes(), "it")


def test_names_of_strangers_cannot_move_the_cursor(tmp_path: Path) -> None:
    evil = ModuleBlob(Layout.C, (StoredModule("\x1b[2J\nevil" + "x" * 1000, b"x"),), ((),))
    found = inspect(library(tmp_path, "__tvm_ffi__library_bin", to_bytes(evil)).read_bytes(), "made.so")
    assert found is not None
    assert all(line.isprintable() and len(line) < 300 for line in found.lines)


def test_modules_that_import_the_same_ones_again_and_again_are_shown_in_few_lines(tmp_path: Path) -> None:
    count = 60  # 2 to the 59 paths
    imports = (*((number + 1, number + 1) for number in range(count - 1)), ())
    blob = ModuleBlob(Layout.C, (LIBRARY,) * count, imports)
    found = inspect(library(tmp_path, "__tvm_ffi__library_bin", to_bytes(blob)).read_bytes(), "made.so")
    assert found is not None and len(found.lines) < 200


@pytest.mark.parametrize("size", [1, 1 << 20, 1 << 63])
def test_a_blob_that_says_another_length_is_refused(size: int, tmp_path: Path, capsys) -> None:
    content = size.to_bytes(8, "little") + to_bytes(MODERN)[8:]
    assert run("inspect", library(tmp_path, "__tvm_ffi__library_bin", content)) == 7
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.count("\n") == 1 and "made.so" in shown.err


def test_an_ordinary_library_is_nobodys(tmp_path: Path) -> None:
    assert inspect(library(tmp_path, "something_else", b"1").read_bytes(), "made.so") is None
    assert inspect(b"no ELF at all", "text") is None


def test_a_library_of_ingot_that_lost_its_footer_is_still_called_that(tmp_path: Path, capsys) -> None:
    path = tmp_path / "m.so"
    link_library(tiny_set(), path)
    path.write_bytes(path.read_bytes()[:-128])
    assert run("inspect", path) == 7
    assert "no ingot footer" in capsys.readouterr().err


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return library(
        tmp_path_factory.mktemp("good"), "__tvm_ffi__library_bin", to_bytes(MODERN), "", "-s"
    ).read_bytes()


@given(st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_files_raise_nothing_but_artifact_errors(good: bytes, data: st.DataObject) -> None:
    changed = bytearray(good[: data.draw(st.just(len(good)) | st.integers(0, len(good)))])
    places = (
        st.integers(0, 63)
        | st.integers(max(len(good) - 2000, 0), len(good) - 1)
        | st.integers(0, len(good) - 1)
    )
    for _ in range(data.draw(st.integers(0, 6))):
        at = data.draw(places)
        if at < len(changed):
            changed[at] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ArtifactError):
        inspect(bytes(changed), "damaged.so")


MAKE = """
import sys
import numpy as np
import tvm
from onnx import TensorProto, helper, numpy_helper
from tvm.relax.frontend.onnx import from_onnx
def tensor(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
weights = numpy_helper.from_array(np.ones((4, 3), "float32"), "w")
node = helper.make_node("MatMul", ["x", "w"], ["y"])
graph = helper.make_graph([node], "g", [tensor("x", 1, 4)], [tensor("y", 1, 3)], [weights])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
tvm.compile(from_onnx(model), target="llvm").export_library(sys.argv[1])
"""


def test_a_library_that_tvm_made_is_shown(tmp_path: Path, capsys) -> None:
    if importlib.util.find_spec("tvm") is None:
        pytest.skip("needs the package apache-tvm (extra interop)")
    path = tmp_path / "tvm.so"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", MAKE, path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert run("inspect", path, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["blob"]["layout"] == "C" and found["blob"]["rest_bytes"] == 0
    assert [module["type_key"] for module in found["modules"]] == ["relax.VMExecutable", "_lib"]
    assert found["modules"][0]["imports"] == [1] and "matmul" in found["functions"]
    assert run("inspect", path) == 0
    assert "1._lib  the library itself" in capsys.readouterr().out
