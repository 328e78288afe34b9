"""C programs that call models with text: what Python's executor of the same library gives, under the sanitizers."""

from __future__ import annotations

import ctypes
import dataclasses
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import ingot
from ingot.link.interface import interface_source
from ingot.link.shared import NATIVE_FOLDER, link_library
from ingot.link.toolchain import find_toolchain
from tests.support.c_program import compile_c, compiler, program, result, run_c
from tests.support.models import model
from tests.support.paths import ROOT

pytestmark = pytest.mark.cc
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
ML = ', "ai.onnx.ml": 4'


def text(*values, shape=None):
    return np.array(values, object).reshape(len(values) if shape is None else shape)


def sanitizers(folder: Path) -> tuple[str, ...]:
    """Flags of the sanitizers, or none where the compiler has none of them."""
    (folder / "probe.c").write_text("int main(void) { return 0; }\n")
    probe = [compiler(), *SANITIZERS, "probe.c", "-o", "probe"]
    return (
        () if subprocess.run(probe, cwd=folder, capture_output=True, check=False).returncode else SANITIZERS
    )


class Built:
    """A library in a folder, with Python's executor of it and a C program that is linked with it; text is by name."""

    def __init__(
        self, proto: onnx.ModelProto, folder: Path, texts: tuple[str, ...], *flags: str, target: str = "c"
    ) -> None:
        artifacts = ingot.build(proto, target, name="m", cache=None)
        chain = find_toolchain()
        chain = dataclasses.replace(chain, extra_flags=(*chain.extra_flags, *flags))
        link_library(artifacts, folder / "m.so", toolchain=chain)
        (folder / "m.h").write_text(artifacts.c_header())
        self.python = artifacts.load()["m"]()
        self.names = [port.name for port in self.python.inputs]
        outputs = [port.name for port in self.python.outputs]
        source = program("m", self.names, outputs, header="m.h", texts=texts)
        self.main = compile_c(source, folder, "-L.", "-l:m.so", "-Wl,-rpath,$ORIGIN", *flags)

    def predict(self, **arrays) -> tuple[np.ndarray, ...]:
        made = self.python.predict(**arrays)
        return made if isinstance(made, tuple) else (made,)

    def run(self, **arrays) -> int:
        return run_c(self.main, [arrays[name] for name in self.names])

    def agree(self, **arrays) -> list:
        """Runs both, compares them, and gives what they gave."""
        expected = self.predict(**arrays)
        assert self.run(**arrays) == 0
        given = [result(self.main, at, like) for at, like in enumerate(expected)]
        for one, other in zip(given, expected, strict=True):
            np.testing.assert_array_equal(one, other)
        return [one.tolist() for one in given]


# A text column, numbers as text, a column of whole numbers as text, and the label of the greatest score.
COLUMNS = """g (string[3, 1] colour, string[3] maker, float[3, 2] size, double[3] grade)
    => (string[3] kind, float[3, 5] scores, string[3] word, int64[3] code, string[3, 1] again, string[1] fixed)
<string[2] kinds = {"apple", "plum"}, string[1] always = {"é\\\\"}> {
    known = ai.onnx.ml.OneHotEncoder<cats_strings = ["red", "blue", "green"]>(colour)
    flat = Flatten(known)
    scores = Concat<axis = 1>(flat, size)
    parts = Mul(scores, weights)
    sums = MatMul(parts, columns)
    best = ArgMax<axis = 1, keepdims = 0>(sums)
    kind = Gather(kinds, best)
    code = ai.onnx.ml.LabelEncoder<keys_strings = ["größer", "b", "größ", "b", "", "é"], values_int64s = [7, 1, 8, 2, 9, 6],
        default_int64 = -5>(maker)
    word = ai.onnx.ml.LabelEncoder<keys_tensor = double[4] {0.0, 1.5, -1.5, 1.5},
        values_tensor = string[4] {"zero", "up", "down", "no"}, default_tensor = string[1] {"else"}>(grade)
    again = Identity(colour)
    fixed = Identity(always)
}"""


def columns() -> onnx.ModelProto:
    proto = model(COLUMNS, opset=20, ir_version=10, imports=ML)
    columns = np.float32([[1, 0], [0, 1], [1, 0], [0.5, 0], [0, 0.5]])
    named = {"weights": np.ones(5, np.float32), "columns": columns}
    proto.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in named.items())
    return proto


def test_a_pipeline_with_columns_of_text_gives_its_labels(tmp_path):
    built = Built(
        columns(), tmp_path, ("colour", "maker", "kind", "word", "again", "fixed"), *sanitizers(tmp_path)
    )
    kind, _, word, code, again, fixed = built.agree(
        colour=text("red", "blue", "größer", shape=(3, 1)),
        maker=text("größ", "b", "B"),
        size=np.float32([[0, 0], [0, 0], [1, 3]]),
        grade=np.array([-0.0, 1.5, np.nan]),
    )
    assert (kind, word, code) == (["apple", "plum", "plum"], ["zero", "up", "else"], [8, 1, -5])
    assert again == [["red"], ["blue"], ["größer"]] and fixed == ["é\\"]
    *_, code, again, _ = built.agree(
        colour=text("", "re", "redd", shape=(3, 1)),
        maker=text("", "größer", "é"),
        size=np.ones((3, 2), np.float32),
        grade=np.ones(3),
    )
    assert code == [9, 7, 6] and again == [[""], ["re"], ["redd"]]


def test_what_is_made_for_c_is_c99_and_cplusplus_without_a_warning(tmp_path):
    artifacts = ingot.build(columns(), "c", name="m", cache=None)
    (tmp_path / "m.h").write_text(artifacts.c_header())
    (tmp_path / "m_api.c").write_bytes(interface_source(artifacts.models()["m"], 0).content)
    (tmp_path / "m.cc").write_text('#include "m.h"\n')
    strict = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror", "-fsyntax-only")
    command = [compiler(), "-std=c99", "-Wstrict-prototypes", *strict, f"-I{NATIVE_FOLDER}", "m_api.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    if shutil.which("g++"):
        subprocess.run(["g++", *strict, "m.cc"], cwd=tmp_path, check=True)


def test_an_archive_has_text_without_python_or_a_runtime(tmp_path):
    artifacts = ingot.build(columns(), "c", name="m", cache=None)
    artifacts.export_model_library_format(tmp_path / "m.tar")
    with tarfile.open(tmp_path / "m.tar") as tar:
        tar.extractall(tmp_path, filter="data")
    code = tmp_path / "codegen" / "host"
    texts = ("colour", "maker", "kind", "word", "again", "fixed")
    names = [port.name for port in artifacts.models()["m"].border.inputs]
    outputs = [port.name for port in artifacts.models()["m"].border.outputs]
    more = (*map(str, code.glob("src/*.c")), f"-I{code / 'include'}", "-lm", *sanitizers(tmp_path))
    made = compile_c(program("m", names, outputs, header="m.h", texts=texts), tmp_path, *more)
    given = {
        "colour": text("red", "blue", "größer", shape=(3, 1)),
        "maker": text("größ", "b", "B"),
        "size": np.float32([[0, 0], [0, 0], [1, 3]]),
        "grade": np.array([-0.0, 1.5, np.nan]),
    }
    assert run_c(made, [given[name] for name in names]) == 0
    for at, expected in enumerate(ingot.load(tmp_path / "m.tar")["m"]().predict(given)):
        np.testing.assert_array_equal(result(made, at, expected), expected)


MOVES = """g (string[2, 3] x, int64[2] which, bool[2, 1] c, string[3] w) =>
    (string[a, b] y, string[p, q] z, bool[r, s] same, string[t, u] cut, string[v, k, l] wide, float[n] f, string[e] gone,
    string[o] picked)
<int64[1] rows = {6}, int64[1] axes = {0}, int64[2] from = {-1, 2}, int64[2] to = {-9, 0}, int64[2] steps = {-1, -2},
    int64[2] both = {0, 1}, int64[3] extents = {2, 2, 3}, string[1] other = {"-"}, int64[1] none = {0}> {
    t = Transpose(x) r = Reshape(t, rows) a = Unsqueeze(r, axes) p = Gather<axis = 1>(a, which)
    y = Concat<axis = -1>(p, p) z = Where(c, x, other) same = Equal(x, w)
    cut = Slice(x, from, to, both, steps) wide = Expand(x, extents)
    n = ai.onnx.ml.LabelEncoder<keys_strings = ["a"], values_floats = [1.5], default_float = -0.0>(w) f = Neg(n)
    gone = Slice(w, none, none) picked = Gather(w, which)
}"""


@pytest.fixture(scope="module")
def moves(tmp_path_factory):
    folder = tmp_path_factory.mktemp("moves")
    texts = ("x", "w", "y", "z", "cut", "wide", "gone", "picked")
    return Built(model(MOVES, opset=20, ir_version=10, imports=ML), folder, texts, *sanitizers(folder))


GIVEN = {
    "x": text(*"abcdef", shape=(2, 3)),
    "which": np.array([0, -2]),
    "c": np.array([[True], [False]]),
    "w": text(*"abf"),
}


def test_text_is_moved_in_c_as_in_python(moves):
    y, z, same, cut, wide, f, gone, picked = moves.agree(**GIVEN)
    assert y == [["a", "c", "a", "c"]] and z == [["a", "b", "c"], ["-", "-", "-"]]
    assert same == [[True, True, False], [False, False, True]]
    assert cut == [["f"], ["c"]] and wide == [GIVEN["x"].tolist()] * 2 and f == [-1.5, 0, 0] and gone == []
    assert picked == ["a", "b"]


@pytest.mark.parametrize("index", [6, -7, 1 << 40, -(1 << 63)])
def test_an_index_beyond_the_text_is_a_status(moves, index):
    header = (moves.main.parent / "m.h").read_text()
    wanted = int(header.split("M_ERROR_INDEX = ")[1].split()[0])
    assert -moves.run(**GIVEN | {"which": np.array([0, index])}) == wanted < 0


def test_text_that_is_null_is_a_status_with_a_sentence_and_nothing_is_written(tmp_path):
    encode = 'n = ai.onnx.ml.LabelEncoder<keys_strings = ["a"], values_int64s = [1]>(x)'
    proto = model(f"g (string[2] x) => (string[2] y, int64[2] n) {{ {encode} y = Identity(x) }}", imports=ML)
    artifacts = ingot.build(proto, "c", name="m", cache=None)
    artifacts.export_library(tmp_path / "m.so")
    library = ctypes.CDLL(str(tmp_path / "m.so"))
    library.m_strerror.restype = ctypes.c_char_p
    texts, numbers, memory = (
        (ctypes.c_char_p * 2)(b"a", None),
        np.zeros(2, np.int64),
        np.zeros(4096, np.uint8),
    )
    made = (ctypes.c_char_p * 2)()
    work = ctypes.c_void_p(memory.ctypes.data + -memory.ctypes.data % 64)
    outputs = (ctypes.c_void_p * 2)(ctypes.addressof(made), numbers.ctypes.data)

    def status(x: int | None, y: int | None = ctypes.addressof(made)) -> bytes:
        outputs[0] = y
        return library.m_strerror(library.m_run((ctypes.c_void_p * 1)(x), outputs, work))

    assert status(ctypes.addressof(texts)) == b"an element of an input that is text is NULL"
    assert status(None) == status(ctypes.addressof(texts), None) == b"an input or output is NULL"
    assert status(ctypes.addressof(texts) + 1) == b"an input or output is not aligned to its element type"
    assert not numbers.any() and list(made) == [None, None]
    assert getattr(library, "__tvm_ffi_m")(None, None, 0, None) == -1, "tensors of tvm-ffi have no text"
    texts[1] = b"b"
    assert (
        status(ctypes.addressof(texts)) == b"all is well"
        and numbers.tolist() == [1, -1]
        and list(made) == [b"a", b"b"]
    )


def test_the_program_of_the_page_on_text_runs(tmp_path):
    page = (ROOT / "docs" / "use" / "text.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"^```c\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    text_of_model = re.search(r'^text = """(.*?)"""$', page, re.MULTILINE | re.DOTALL).group(1)
    artifacts = ingot.build(
        onnx.parser.parse_model(text_of_model), name="fruit", dims={"rows": 2}, cache=None
    )
    artifacts.export_library(tmp_path / "fruit.so")
    (tmp_path / "fruit.h").write_text(artifacts.c_header())
    made = compile_c(source, tmp_path, "-L.", "-l:fruit.so", "-Wl,-rpath,$ORIGIN")
    assert subprocess.run([made], capture_output=True, text=True, check=True).stdout == "apple plum\n"
