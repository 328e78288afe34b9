"""The C interface of an exported library: the header, the plain entry, and the tvm-ffi entry called without tvm-ffi."""

import ctypes
import dataclasses
import platform
import re
import resource
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from ingot.artifact.artifact import Artifact
from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.model_info import TensorInfo
from ingot.artifact.model_info_json import info_to_json
from ingot.base.tensor import DType
from ingot.link.interface import interface_header, interface_source, why_no_interface
from ingot.link.processor import AARCH64, X86_64, feature_rows
from ingot.link.shared import NATIVE_FOLDER, link_library
from ingot.runtime.load import cpu_features
from tests.support.c_program import FfiAny, Tensor, compile_c, compiler, program, result, run_c
from tests.support.tiny_library import expected, tiny_info, tiny_set

pytestmark = pytest.mark.cc

STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wstrict-prototypes", "-pedantic", "-Werror")
X = np.float32([1, -2, 3.5, 0])


def lay_out(folder: Path, name: str = "tiny", **options) -> None:
    """The library and its header in a folder."""
    link_library(tiny_set(name, **options), folder / f"{name}.so")
    (folder / f"{name}.h").write_bytes(interface_header(tiny_info(name)).content)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("interface")
    lay_out(made)
    return made


@pytest.fixture(scope="module")
def library(folder):
    return ctypes.CDLL(str(folder / "tiny.so"))


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, "all is well"),
        (-2, "an input or output is NULL"),
        (-4, "the workspace is NULL"),
        (1, "no status"),
        (-99, "no status"),
    ],
)
def test_a_status_has_a_sentence(library, status, words):
    library.tiny_strerror.restype = ctypes.c_char_p
    assert library.tiny_strerror(status).decode().startswith(words)


def test_every_status_of_the_header_has_a_sentence_of_its_own(library):
    library.tiny_strerror.restype = ctypes.c_char_p
    header = bytes(interface_header(tiny_info("tiny")).content).decode()
    numbers = [int(number) for number in re.findall(r"^    TINY_\w+ = (-?\d+)", header, re.MULTILINE)]
    sentences = {library.tiny_strerror(number) for number in numbers}
    assert len(numbers) >= 8 and len(sentences) == len(numbers) and library.tiny_strerror(77) not in sentences


def test_a_library_lists_the_models_that_c_can_call(tmp_path):
    link_library(tiny_set("one").merge(tiny_set("two", 8)), tmp_path / "both.so")
    opened = ctypes.CDLL(str(tmp_path / "both.so"))
    opened.ingot_models.restype = ctypes.POINTER(ctypes.c_char_p)
    names = opened.ingot_models()
    assert [names[0], names[1], names[2]] == [b"one", b"two", None]


# ─── plain C ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("how", ["linked", "opened", "two threads"])
def test_a_c99_program_gets_the_numbers_of_python(folder, how):
    opened = "./tiny.so" if how == "opened" else ""
    text = program("tiny", ["x"], ["y", "z"], header="tiny.h", opened=opened, parallel=how == "two threads")
    made = compile_c(text, folder, *(["-ldl"] if opened else ["-L.", "-l:tiny.so", "-Wl,-rpath,$ORIGIN"]))
    assert run_c(made, [X]) == 0
    np.testing.assert_array_equal(result(made, 0, X), expected(X))
    np.testing.assert_array_equal(result(made, 1, X), X)


def test_one_program_can_be_linked_with_two_libraries_and_each_has_its_own_constants(tmp_path):
    lay_out(tmp_path, "one")
    lay_out(
        tmp_path, "two", extra=(Artifact("c", "text", "a_note_that_moves_the_constants.txt", bytes(9000)),)
    )
    text = """#include "one.h"
#include "two.h"
int main(void) {
    static union { float number[16]; double aligned[8]; } memory[2];
    static char work[128];
    void *workspace = work + (64 - (uintptr_t)work % 64) % 64;
    const float x[4] = {1, 1, 1, 1};
    float z[4];
    const struct one_inputs one_in = {x};
    const struct two_inputs two_in = {x};
    const struct one_outputs one_out = {memory[0].number, z};
    const struct two_outputs two_out = {memory[1].number, z};
    if (one_run(&one_in, &one_out, workspace) != ONE_OK || two_run(&two_in, &two_out, workspace) != TWO_OK) return 1;
    for (int i = 0; i < 4; i++) {
        const float wanted = (1 + (float)i / 8) * 2;
        if (memory[0].number[i] != wanted || memory[1].number[i] != wanted) return 2;
    }
    return 0;
}
"""
    made = compile_c(text, tmp_path, "-L.", "-l:one.so", "-l:two.so", "-Wl,-rpath,$ORIGIN")
    assert run_c(made, []) == 0


def test_the_header_is_c99_and_cplusplus(folder, tmp_path):
    (tmp_path / "twice.c").write_text(
        '#include "tiny.h"\n#include "tiny.h"\nint main(void) { return TINY_OK; }\n'
    )
    command = [compiler(), "-std=c99", *STRICT, f"-I{folder}", "-fsyntax-only", "twice.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    compiler_of_cplusplus = shutil.which("g++") or shutil.which("clang++")
    if compiler_of_cplusplus is None:
        pytest.skip("needs a C++ compiler")
    (tmp_path / "twice.cc").write_text((tmp_path / "twice.c").read_text())
    strict = [flag for flag in STRICT if flag != "-Wstrict-prototypes"]
    subprocess.run(
        [compiler_of_cplusplus, *strict, f"-I{folder}", "-fsyntax-only", "twice.cc"], cwd=tmp_path, check=True
    )


def test_the_header_tells_sizes_and_shapes(folder):
    text = (folder / "tiny.h").read_text()
    for line in (
        "TINY_WORKSPACE_BYTES 16",
        "TINY_WORKSPACE_ALIGNMENT 64",
        "TINY_INPUT_X_BYTES 16",
        "TINY_OUTPUT_Z_SHAPE {4}",
    ):
        assert f"#define {line}\n" in text


NAMES = (
    "x",
    "X",
    "float",
    "head/out:0",
    "3d",
    "",
    "größe",
    "*/ int x; /*",
    'quote"\\',
    "??/",
    "a" * 70000,
    "default",
    "_x",
)


def test_tensors_of_any_name_become_members_and_nothing_leaks_out_of_comments(tmp_path):
    tensors = [
        TensorInfo(name, dtype, shape)
        for name, dtype, shape in zip(NAMES, DType, [(), (2, 3), (0,)] * 5, strict=False)
    ]
    info = dataclasses.replace(
        tiny_info(),
        name="odd */ name",
        inputs=tuple(tensors),
        outputs=tuple(reversed(tensors)),
        calls=(),
        values=(),
    )
    (tmp_path / "m.h").write_bytes(interface_header(info).content)
    (tmp_path / "m.c").write_bytes(b'#include "m.h"\n')
    (tmp_path / "m_api.c").write_bytes(interface_source(info, 4096).content)
    for source in ("m.c", "m_api.c"):
        command = [
            compiler(),
            "-std=c99",
            *STRICT,
            "-Wno-overlength-strings",
            f"-I{NATIVE_FOLDER}",
            "-fsyntax-only",
            source,
        ]
        subprocess.run(command, cwd=tmp_path, check=True)
    assert len((tmp_path / "m.h").read_text()) < 20000


@pytest.mark.parametrize(
    "name", ["NULL", "offsetof", "INT8_MAX", "UINT64_C", "SIZE_MAX", "EOF", "errno", "linux"]
)
def test_a_tensor_with_the_name_of_a_macro_is_a_member_of_another_name(name, tmp_path):
    tensors = (TensorInfo(name, DType.FLOAT32, (2,)),)
    info = dataclasses.replace(tiny_info(), inputs=tensors, outputs=tensors, calls=(), values=())
    (tmp_path / "odd.h").write_bytes(interface_header(info).content)
    heads = "".join(f"#include {head}\n" for head in ("<errno.h>", "<stdio.h>", '"odd.h"'))
    (tmp_path / "m.c").write_text(
        f"{heads}const void *first(const struct tiny_inputs *x) {{ return x->t_{name}; }}\n"
    )
    subprocess.run(
        [compiler(), "-std=gnu99", "-Wall", "-Werror", "-fsyntax-only", "m.c"], cwd=tmp_path, check=True
    )


def test_a_model_without_inputs_has_a_header_and_entries_too(tmp_path):
    info = dataclasses.replace(tiny_info(), inputs=())
    (tmp_path / "m.c").write_bytes(
        interface_header(info).content + interface_source(info, 0).content.split(b"struct tiny_out")[0]
    )
    (tmp_path / "m_api.c").write_bytes(interface_source(info, 0).content)
    subprocess.run(
        [compiler(), "-std=c99", *STRICT, f"-I{NATIVE_FOLDER}", "-fsyntax-only", "m_api.c"],
        cwd=tmp_path,
        check=True,
    )


@pytest.mark.parametrize(
    "source", ["interface.c", "processor.c", "populate.c", "text.c", "shapes.c", "shapes_ffi.c", "bare.c"]
)
def test_what_all_interfaces_share_compiles_without_a_warning(source, tmp_path):
    subprocess.run(
        [compiler(), "-std=c99", *STRICT, "-fsyntax-only", NATIVE_FOLDER / source], cwd=tmp_path, check=True
    )


def test_the_interface_compiles_quickly_even_for_hundreds_of_tensors(tmp_path):
    tensors = tuple(TensorInfo(f"past_{at}", DType.FLOAT32, (1, 8, 128, 64)) for at in range(400))
    info = dataclasses.replace(tiny_info(), inputs=tensors, outputs=tensors)
    (tmp_path / "m_api.c").write_bytes(interface_source(info, 4096).content)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(
        [compiler(), "-O3", "-fPIC", f"-I{NATIVE_FOLDER}", "-c", "m_api.c", "-o", "m.o"],
        cwd=tmp_path,
        check=True,
    )
    assert (
        resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 1
    )  # seconds of the processor; 0.05 here


STATUSES = {
    "NULL_STRUCT": (None, None, 0),
    "NULL_TENSOR": (0, None, 0),
    "UNALIGNED_TENSOR": (2, 0, 0),
    "NULL_WORKSPACE": (0, 0, None),
    "UNALIGNED_WORKSPACE": (0, 0, 16),
}


@pytest.mark.parametrize("name", STATUSES)
def test_what_a_caller_gets_wrong_is_a_status_of_its_own(library, folder, name):
    header = (folder / "tiny.h").read_text()
    wanted = int(header.split(f"TINY_ERROR_{name} = ")[1].split(",")[0])
    memory = np.zeros(1024, np.uint8)
    start = memory.ctypes.data + -memory.ctypes.data % 64
    x, y, work = STATUSES[name]

    def at(place: int, shift: int | None) -> int | None:
        return None if shift is None else start + place + shift

    inputs = (ctypes.c_void_p * 1)(at(0, x))
    outputs = (ctypes.c_void_p * 2)(at(64, y), at(128, 0))
    first = None if name == "NULL_STRUCT" else inputs
    assert library.tiny_run(first, outputs, ctypes.c_void_p(at(256, work))) == wanted < 0
    assert not memory.any()


def test_a_kernel_that_fails_is_a_status(library, folder):
    wanted = int((folder / "tiny.h").read_text().split("TINY_ERROR_KERNEL = ")[1].split(",")[0])
    x, y, z = np.float32([12345, 0, 0, 0]), np.empty(4, np.float32), np.empty(4, np.float32)
    memory = np.zeros(128, np.uint8)
    work = memory.ctypes.data + -memory.ctypes.data % 64
    outputs = (ctypes.c_void_p * 2)(y.ctypes.data, z.ctypes.data)
    assert library.tiny_run((ctypes.c_void_p * 1)(x.ctypes.data), outputs, ctypes.c_void_p(work)) == wanted


# ─── who gets one ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_model_without_native_code_or_constants_gets_no_interface(tmp_path):
    whole, info = tiny_set(), tiny_info()
    assert not why_no_interface(whole, info)
    for loader in ("native", "params"):
        part = ArtifactSet(artifact for artifact in whole if artifact.loader != loader)
        assert why_no_interface(part, info)
        link_library(part, tmp_path / "part.so")
        with pytest.raises(AttributeError):
            ctypes.CDLL(str(tmp_path / "part.so")).tiny_run  # noqa: B018


def test_both_models_of_a_library_have_an_interface(tmp_path):
    link_library(tiny_set("first").merge(tiny_set("second", 8)), tmp_path / "both.so")
    library = ctypes.CDLL(str(tmp_path / "both.so"))
    for name, size in (("first", 4), ("second", 8)):
        x = np.arange(size, dtype=np.float32)
        y, z = np.empty_like(x), np.empty_like(x)
        assert call(library, name, [x, y, z]) == 0
        np.testing.assert_array_equal(y, expected(x))


def test_a_model_without_constants_has_an_interface(tmp_path):
    info = tiny_info()
    target = dataclasses.replace(
        info.host, params="", memory=dataclasses.replace(info.host.memory, params_bytes=0)
    )
    info = dataclasses.replace(info, targets=(target,), executors=("aot",), calls=(), values=())
    source = b"""#include <stdint.h>
    __attribute__((visibility("default"))) int32_t ingot_tiny_run(void *const *bases) {
        for (int i = 0; i < 4; i++) ((float *)bases[4])[i] = ((float *)bases[5])[i] = ((const float *)bases[3])[i] + !bases[0];
        return 0;
    }"""
    artifacts = (
        Artifact("ingot", "metadata", "tiny.json", info_to_json(info)),
        Artifact("c", "native", "tiny.c", source),
    )
    link_library(ArtifactSet(artifacts), tmp_path / "bare.so")
    y, z = np.empty_like(X), np.empty_like(X)
    assert call(ctypes.CDLL(str(tmp_path / "bare.so")), "tiny", [X, y, z]) == 0
    np.testing.assert_array_equal(y, X + 1)


# ─── the processor ─────────────────────────────────────────────────────────────────────────────────────────────────


def of_this_machine() -> dict[str, bool]:
    """Every feature that C code can ask this machine's processor for, and whether Linux says that it is there."""
    table = {"x86_64": X86_64, "aarch64": AARCH64}.get(platform.machine())
    here = cpu_features()
    if table is None or here is None:
        pytest.skip(f"{platform.machine()} is not asked for features")
    return {name: name in here for name in table}


def test_c_code_finds_the_features_that_linux_names(tmp_path):
    wanted = of_this_machine()
    (tmp_path / "main.c").write_text(asking(wanted))
    command = [
        compiler(),
        *STRICT,
        f"-I{NATIVE_FOLDER}",
        "main.c",
        NATIVE_FOLDER / "processor.c",
        "-o",
        "main",
    ]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    assert dict(line.split() for line in done.stdout.splitlines()) == {
        name: str(int(has)) for name, has in wanted.items()
    }


def test_c_code_on_arm_finds_what_its_processor_has(tmp_path):
    """Under an emulator: cores of three generations."""
    driver, emulator = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64")
    if driver is None or emulator is None:
        pytest.skip("needs aarch64-linux-gnu-gcc and qemu-aarch64 (Debian: gcc-aarch64-linux-gnu, qemu-user)")
    (tmp_path / "main.c").write_text(asking(AARCH64))
    command = [
        driver,
        *STRICT,
        "-static",
        f"-I{NATIVE_FOLDER}",
        "main.c",
        NATIVE_FOLDER / "processor.c",
        "-o",
        "main",
    ]
    subprocess.run(command, cwd=tmp_path, check=True)
    first = {"asimd", "aes", "pmull", "crc32"}
    second = first | {"atomics", "fphp", "asimdhp", "asimddp"}
    for core, has in (("cortex-a57", first), ("neoverse-n1", second), ("max", set(AARCH64))):
        done = subprocess.run(
            [emulator, "-cpu", core, tmp_path / "main"], capture_output=True, text=True, check=True
        )
        assert {line.split()[0] for line in done.stdout.splitlines() if line.endswith("1")} == has, core


def asking(features) -> str:
    """A C program that prints each feature, and 1 if the processor has it."""
    calls = "".join(
        "{ static const struct ingot_feature row[] = {\n"
        + "\n".join(feature_rows([name]))
        + "\n{NULL, 0, 0, 0, 0, 0}};\n"
        f'checked = 0; printf("%s %d\\n", "{name}", ingot_lacking_feature(row, &checked) == NULL); }}\n'
        for name in features
    )
    return f'#include "interface.h"\n#include <stdio.h>\nint main(void) {{ int32_t checked; {calls} return 0; }}\n'


def test_a_model_for_another_processor_is_not_run(tmp_path):
    features = of_this_machine()
    has, lacks = (next(name for name, here in features.items() if here is wanted) for wanted in (True, False))
    lay_out(tmp_path, "good", cpu_features=(has,))
    lay_out(tmp_path, "bad", cpu_features=(has, lacks))
    assert call(ctypes.CDLL(str(tmp_path / "good.so")), "good", fresh()) == 0
    assert call(ctypes.CDLL(str(tmp_path / "bad.so")), "bad", fresh()) == -1
    statuses = []
    for name in ("good", "bad"):
        text = program(name, ["x"], ["y", "z"], header=f"{name}.h")
        statuses.append(-run_c(compile_c(text, tmp_path, "-L.", f"-l:{name}.so", "-Wl,-rpath,$ORIGIN"), [X]))
    wanted = int((tmp_path / "bad.h").read_text().split("BAD_ERROR_PROCESSOR = ")[1].split(" ")[0])
    assert statuses == [0, wanted] and wanted < 0


def test_the_header_names_features_that_no_code_checks():
    text = bytes(interface_header(tiny_info(cpu_features=("avx2", "my_unit"))).content).decode()
    assert "Whether it has my_unit is not checked" in text and "has avx2 is not" not in text


# ─── tvm-ffi's convention, without tvm-ffi ─────────────────────────────────────────────────────────────────────────


def describe(array: np.ndarray, **changes) -> Tensor:
    shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    strides = (ctypes.c_int64 * max(array.ndim, 1))(*(step // array.itemsize for step in array.strides))
    code = {"i": 0, "u": 1, "f": 2, "b": 6}[array.dtype.kind]
    made = Tensor(array.ctypes.data, 1, 0, array.ndim, code, 8 * array.itemsize, 1, shape, strides, 0)
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def call(library, name: str, arrays, more=(), **changes) -> int:
    """Calls the entry with plain tensors, and `more` values behind them; the changes are made to the first."""
    tensors = [describe(array, **(changes if at == 0 else {})) for at, array in enumerate(arrays)]
    given = [*(FfiAny(7, 0, ctypes.addressof(tensor)) for tensor in tensors), *more]
    return getattr(library, f"__tvm_ffi_{name}")(
        None, (FfiAny * len(given))(*given), len(given), ctypes.byref(FfiAny())
    )


def fresh() -> list[np.ndarray]:
    return [X.copy(), np.empty(4, np.float32), np.empty(4, np.float32)]


def test_plain_tensors_are_taken(library):
    arrays = fresh()
    assert call(library, "tiny", arrays) == 0
    np.testing.assert_array_equal(arrays[1], expected(X))


def test_tensor_objects_are_taken_with_their_offset(library):
    arrays = fresh()
    tensors = [describe(array) for array in arrays]
    tensors[0].data -= 8
    tensors[0].byte_offset = 8
    objects = [ctypes.create_string_buffer(bytes(24) + bytes(tensor)) for tensor in tensors]
    args = (FfiAny * 3)(*(FfiAny(70, 0, ctypes.addressof(one)) for one in objects))
    assert getattr(library, "__tvm_ffi_tiny")(None, args, 3, ctypes.byref(FfiAny())) == 0
    np.testing.assert_array_equal(arrays[1], expected(X))


def test_strides_may_be_left_out(library):
    arrays = fresh()
    assert call(library, "tiny", arrays, strides=None) == 0


WRONG = {
    "no memory": {"data": None},
    "another device": {"device_type": 2},
    "another rank": {"rank": 2},
    "no shape": {"rank": 0},
    "a negative rank": {"rank": -1},
    "another type": {"code": 0},
    "another width": {"bits": 64},
    "lanes": {"lanes": 4},
    "an unaligned offset": {"byte_offset": 2},
}


@pytest.mark.parametrize("what", WRONG)
def test_a_tensor_that_does_not_fit_is_refused_and_nothing_is_written(library, what):
    arrays = fresh()
    before = [array.tobytes() for array in arrays]
    assert call(library, "tiny", arrays, **WRONG[what]) == -1
    assert [array.tobytes() for array in arrays] == before


def test_outputs_that_share_memory_are_refused(library):
    x, y, z = fresh()
    assert call(library, "tiny", [x, y, y]) == -1
    assert call(library, "tiny", [x, x, z]) == -1
    both = np.empty(6, np.float32)
    assert call(library, "tiny", [x, both[:4], both[2:]]) == -1


def test_too_few_and_too_many_arguments_are_refused(library):
    x, y, z = fresh()
    assert call(library, "tiny", [x, y]) == -1
    assert call(library, "tiny", [x, y, z, z.copy()]) == -1
    assert call(library, "tiny", []) == -1


def test_a_number_of_threads_may_stand_behind_the_tensors(library):
    for threads in (1, 2, 64, 2):
        arrays = fresh()
        assert call(library, "tiny", arrays, [FfiAny(1, 0, threads)]) == 0
        np.testing.assert_array_equal(arrays[1], expected(X))
    for wrong in (
        FfiAny(1, 0, 0),
        FfiAny(1, 0, 65),
        FfiAny(1, 0, 2**64 - 1),
        FfiAny(0, 0, None),
        FfiAny(3, 0, 2),
    ):
        assert call(library, "tiny", fresh(), [wrong]) == -1
    assert call(library, "tiny", fresh(), [FfiAny(1, 0, 2), FfiAny(1, 0, 2)]) == -1


def test_a_gap_between_elements_is_refused(library):
    assert call(library, "tiny", [np.zeros(8, np.float32)[::2], *fresh()[1:]]) == -1


def test_the_source_depends_on_the_model_alone():
    made = interface_source(tiny_info(), 4096)
    assert made == interface_source(tiny_info(), 4096)
    assert made.file_name == "tiny_api.c" and made.loader == "native"
