"""Models as C for firmware: no warning from any compiler, no state, no double, no surprise in memory, right results; also on a
Cortex-M4 in QEMU.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from ingot.artifact.model_info import MemoryInfo
from ingot.base.errors import ArtifactError
from ingot.package.c.model import constants_files
from ingot.package.c.test_program import vectors_header
from tests.support.models import model as model_of
from tests.support.paths import DIGITS, MODELS
from tests.system.crt.build import (
    CRT,
    FLOAT_UNIT,
    INCLUDE,
    STRICT,
    THUMB,
    on_cortex_m4,
    ran,
    sanitizers,
    thumb_compiler,
    tool,
)
from tests.system.crt.firmware import TEST_HEADER, Firmware, firmware, write_test
from tests.system.test_state import lstm

pytestmark = pytest.mark.cc

MLPERF = Path(os.environ.get("INGOT_TEST_MODELS", "nowhere")) / "mlperf_tiny"
SERIAL = CRT / "src" / "serial.c"  # where objects of llvm find a loop over one thread
# What a model may call: these, and functions of <math.h> for float.
STRINGS = {"memcpy", "memset"}
MATH = re.compile(r"(exp|log|tanh|sqrt|rint|floor|ceil|pow|erf|fmod|sin|cos|fma|fabs)f")
# The entry, which is all that a model needs besides its kernels and constants.
MOST_ENTRY_BYTES = 256
MOST_STACK_BYTES = 1024


def recorded(made: Firmware) -> Firmware:
    """Adds the test program for the recorded inputs and outputs of a model of this repository."""
    with np.load(MODELS / f"{made.info.symbol}.npz") as arrays:
        inputs = {one.name: arrays[f"in_{one.name}"] for one in made.info.inputs}
        outputs = {one.name: arrays[f"out_{one.name}"] for one in made.info.outputs}
    write_test(made, [(inputs, outputs)])
    return made


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> dict[str, Firmware]:
    folder = tmp_path_factory.mktemp("firmware")
    made = {
        name: recorded(firmware(folder / name, MODELS / f"{name}.onnx", name)) for name in ("gru", "lstm")
    }
    # The same model under a longer name as well: none of its names may be the other's.
    made["digits"] = firmware(folder / "digits", DIGITS, "digits", {"batch": 1}, form="incbin")
    made["digits_relu"] = firmware(folder / "digits_relu", DIGITS, "digits_relu", {"batch": 1})
    return made


@pytest.fixture(scope="module", params=["gcc", "clang", "arm-none-eabi-gcc"])
def objects(request, models, tmp_path_factory) -> tuple[str, dict[str, list[Path]]]:
    """Every model compiled with every warning an error: the compiler's name, the objects of each model."""
    compiler = thumb_compiler() if "arm" in request.param else tool(request.param)
    flags = (*THUMB, *FLOAT_UNIT, "-Os") if "arm" in request.param else ("-O1",)
    made = {}
    for name, model in models.items():
        folder = tmp_path_factory.mktemp(name)
        assert ran([compiler, *STRICT, *flags, f"-I{model.folder}", "-c", *model.sources], folder) == ""
        made[name] = sorted(folder.glob("*.o"))
    return request.param, made


def test_a_model_calls_nothing_but_string_functions_and_float_math(objects, models):
    compiler, made = objects
    nm = tool("arm-none-eabi-nm" if "arm" in compiler else "nm")
    for name, files in made.items():
        symbols = ran([nm, *files])
        wanted = set(re.findall(r" U (\w+)$", symbols, re.MULTILINE)) - set(
            re.findall(r" [TR] (\w+)$", symbols, re.MULTILINE)
        )
        assert {one for one in wanted if one not in STRINGS and not MATH.fullmatch(one)} <= {
            "_GLOBAL_OFFSET_TABLE_"
        }, name
        assert re.findall(r" [bBdDC] (\w+)$", symbols, re.MULTILINE) == [], "a model keeps no state"


def test_all_models_link_into_one_program(objects):
    compiler, made = objects
    files = [file for some in made.values() for file in some]
    flags = THUMB if "arm" in compiler else ()
    ran([tool(compiler), *flags, "-r", "-nostdlib", *files, "-o", files[0].with_name("all")])


def test_the_entry_is_almost_nothing_on_thumb(objects):
    compiler, made = objects
    if "arm" not in compiler:
        pytest.skip("this measures Thumb")
    for name, files in made.items():
        entry = next(file for file in files if file.name == f"{name}_api.o")
        size = ran([tool("arm-none-eabi-size"), entry]).splitlines()[1].split()
        assert int(size[0]) <= MOST_ENTRY_BYTES and size[1:3] == ["0", "0"]


def test_no_function_of_a_model_takes_much_stack_on_thumb(models, tmp_path):
    for name in ("gru", "lstm"):
        source = models[name].folder / f"{name}.c"
        ran(
            [thumb_compiler(), "-std=c99", *THUMB, *FLOAT_UNIT, "-Os", "-fstack-usage", "-c", source],
            tmp_path,
        )
        frames = [line.split("\t") for line in (tmp_path / f"{name}.su").read_text().splitlines()]
        assert frames and max(int(frame[1]) for frame in frames) <= MOST_STACK_BYTES


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("name", ["gru", "lstm"])
def test_the_test_program_is_good_under_sanitizers_and_sees_a_wrong_number(compiler, name, models, tmp_path):
    path = tool(compiler)
    model = models[name]
    # Not optimised: clang takes minutes to optimise what the sanitizers add to unrolled loops.
    command = [
        path,
        *STRICT,
        "-O0",
        *sanitizers(path, tmp_path),
        f"-I{model.folder}",
        f"-I{TEST_HEADER}",
        *model.sources,
    ]
    ran([*command, model.test, "-lm", "-o", tmp_path / "test"])
    assert ran([tmp_path / "test"]) == f"{name}: 1 vectors are good\n"
    if compiler == "gcc":
        text = (model.folder / f"{name}_vectors.h").read_text()
        at = len(model.info.inputs)
        changed = re.sub(rf"(vector0_{at}\[\d+\] = \{{\n +)-?[\d.e-]+f", r"\g<1>7.0f", text, count=1)
        assert changed != text
        (tmp_path / f"{name}_vectors.h").write_text(changed)
        (tmp_path / "test.c").write_bytes(model.test.read_bytes())  # which finds the header beside it
        ran([*command, tmp_path / "test.c", "-lm", "-o", tmp_path / "wrong"])
        assert "expected 7" in ran([tmp_path / "wrong"], rc=1)


BYTES = """#include "%(name)s.h"
#include <stdio.h>
#include <stdlib.h>
extern const uint8_t ingot_%(name)s_constants[];
int main(void)
{
    /* Exactly as large as the macros say: a sanitizer sees one byte more. */
    struct %(name)s_inputs inputs = {malloc(%(upper)s_INPUTS_BYTES)};
    struct %(name)s_outputs outputs = {malloc(%(upper)s_OUTPUTS_BYTES)};
    void *workspace = aligned_alloc(%(upper)s_WORKSPACE_ALIGNMENT, %(upper)s_WORKSPACE_BYTES);
    unsigned char *bytes = (unsigned char *)(uintptr_t)inputs.image;
    int32_t good, status = 0;
    for (int i = 0; i < %(upper)s_INPUTS_BYTES; i++) {
        bytes[i] = 0;
    }
    good = %(name)s_run(&inputs, &outputs, workspace);
    status |= %(name)s_run(NULL, &outputs, workspace) != %(upper)s_ERROR_NULL_STRUCT;
    status |= %(name)s_run(&inputs, NULL, workspace) != %(upper)s_ERROR_NULL_STRUCT;
    status |= %(name)s_run(&inputs, &outputs, NULL) != %(upper)s_ERROR_NULL_WORKSPACE;
    status |= %(name)s_run(&inputs, &outputs, (char *)workspace + 4) != %(upper)s_ERROR_UNALIGNED_WORKSPACE;
    outputs.probabilities = (float *)(void *)((char *)outputs.probabilities + 1);
    status |= %(name)s_run(&inputs, &outputs, workspace) != %(upper)s_ERROR_UNALIGNED_TENSOR;
    inputs.image = NULL;
    status |= %(name)s_run(&inputs, &outputs, workspace) != %(upper)s_ERROR_NULL_TENSOR;
    printf("%%d %%d %%d %%d\\n", (int)good, (int)status, %(upper)s_CONSTANTS_BYTES,
        (int)((uintptr_t)ingot_%(name)s_constants %% %(upper)s_WORKSPACE_ALIGNMENT));
    return 0;
}
"""


def test_sizes_in_the_header_are_enough_and_every_mistake_has_a_number(models, tmp_path):
    compiler = tool("gcc")
    model = models["digits"]
    (tmp_path / "main.c").write_text(BYTES % {"name": "digits", "upper": "DIGITS"})
    flags = [flag for flag in sanitizers(compiler, tmp_path) if "recover" not in flag]
    ran(
        [
            compiler,
            "-std=c11",
            "-O0",
            *flags,
            f"-I{model.folder}",
            tmp_path / "main.c",
            *model.sources,
            "-lm",
            "-o",
            "main",
        ],
        tmp_path,
    )
    found = ran(["env", "ASAN_OPTIONS=detect_leaks=0", "UBSAN_OPTIONS=halt_on_error=1", tmp_path / "main"])
    assert found == f"0 0 {len(model.content)} 0\n"


def test_constants_are_the_same_in_both_forms_and_as_large_as_the_header_says(models, tmp_path):
    model = models["digits"]
    for form in ("c", "incbin"):
        folder = tmp_path / form
        folder.mkdir()
        files = constants_files(model.info, model.content, form)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        source = next(name for name in files if not name.endswith(".bin"))
        ran([tool("gcc"), "-I.", "-c", source, "-o", "constants.o"], folder)
        ran([tool("objcopy"), "-O", "binary", "-j", ".rodata*", "constants.o", "constants"], folder)
        data = (folder / "constants").read_bytes()
        assert data[: len(model.content)] == model.content
        assert len(data) - len(model.content) <= 1, "a string of C ends with NUL"
    assert model.info.host.memory.params_bytes == len(model.content)
    with pytest.raises(ArtifactError, match="its constants have 3 bytes, its metadata says"):
        constants_files(model.info, b"abc")


def test_a_model_without_constants_has_no_file_of_them(models):
    info = models["digits"].info
    host = type(info.host)(info.host.key, info.host.target, info.host.codegen_id, memory=MemoryInfo())
    bare = type(info)(info.name, info.symbol, info.inputs, info.outputs, (host,))
    assert constants_files(bare, b"") == {}


# Names that C does not like, every kind of element type, a scalar, a tensor without elements.
EVERY = """every (float[2, 2] int, bool[3] a, bool[3] A, int64[2] x_1, uint64[2] struct, double[3] d, float16[4] h, int8[2] i8,
    uint16 s, float[0] e, float[3] nan)
=> (float[2, 2] o0, bool[3] o1, bool[3] o2, int64[2] o3, uint64[2] o4, double[3] o5, float16[4] o6, int8[2] o7, uint16 o8,
    float[0] o9, float[3] o10)
{ o0 = Identity(int) o1 = Identity(a) o2 = Not(A) o3 = Identity(x_1) o4 = Identity(struct) o5 = Identity(d) o6 = Identity(h)
  o7 = Identity(i8) o8 = Identity(s) o9 = Identity(e) o10 = Identity(nan) }"""


@pytest.fixture(scope="module")
def every(tmp_path_factory) -> Firmware:
    return firmware(tmp_path_factory.mktemp("every") / "every", model_of(EVERY), "every")


def test_every_element_type_and_odd_value_goes_through_a_test_program(every, tmp_path):
    given = (
        np.array([[1.5, -0.0], [3e38, 1e-45]], np.float32),
        np.array([True, False, True]),
        np.array([True, True, False]),
        np.array([-(1 << 63), (1 << 63) - 1]),
        np.array([0, (1 << 64) - 1], np.uint64),
        np.array([1e308, -5e-324, 0.1]),
        np.array([1.0, 65504.0, 6e-8, np.inf], np.float16),
        np.array([-128, 127], np.int8),
        np.array(65535, np.uint16),
        np.zeros(0, np.float32),
        np.array([np.nan, np.inf, -np.inf], np.float32),
    )
    info = every.info
    inputs = {tensor.name: value for tensor, value in zip(info.inputs, given, strict=True)}
    wanted = [~value if at == 2 else value for at, value in enumerate(given)]
    outputs = {tensor.name: value for tensor, value in zip(info.outputs, wanted, strict=True)}
    write_test(every, [(inputs, outputs)] * 2)
    compiler = tool("gcc")
    command = [
        compiler,
        *STRICT,
        *sanitizers(compiler, tmp_path),
        f"-I{every.folder}",
        f"-I{TEST_HEADER}",
        *every.sources,
    ]
    command += ["-DINGOT_TEST_RTOL=0.0", "-DINGOT_TEST_ATOL=0.0"]
    ran([*command, every.test, "-lm", "-o", tmp_path / "test"])
    assert ran([tmp_path / "test"]) == "every: 2 vectors are good\n"


def test_headers_are_good_cplusplus(every, models, tmp_path):
    (tmp_path / "main.cc").write_text('#include "every.h"\n#include "digits.h"\nint main() { return 0; }\n')
    folders = [f"-I{every.folder}", f"-I{models['digits'].folder}"]
    ran(
        [
            tool("g++"),
            "-Wall",
            "-Wextra",
            "-pedantic",
            "-Werror",
            *folders,
            tmp_path / "main.cc",
            "-o",
            tmp_path / "main",
        ]
    )


def test_a_vector_that_does_not_fit_is_refused(models):
    info = models["digits"].info
    image = np.zeros((1, 1, 8, 8), np.float32)
    with pytest.raises(ArtifactError, match=r"a test vector has nothing for the tensor probabilities"):
        vectors_header(info, [({"image": image}, {})])
    with pytest.raises(ArtifactError, match=r"a test vector has float32\[1, 8, 8\] for the tensor image"):
        vectors_header(info, [({"image": image[0]}, {"probabilities": np.zeros((1, 10), np.float32)})])


def test_the_analyzer_of_gcc_finds_nothing(models, tmp_path):
    compiler = tool("gcc")
    model = models["gru"]
    sources = [model.folder / "gru.c", model.folder / "gru_api.c"]
    assert (
        ran(
            [compiler, "-std=c99", "-O1", "-Wall", "-fanalyzer", f"-I{model.folder}", "-c", *sources],
            tmp_path,
        )
        == ""
    )


# ─── a Cortex-M4 ───────────────────────────────────────────────────────────────────────────────────────────────────


def on_board(made: Firmware, folder: Path) -> str:
    """What the test program prints on a Cortex-M4."""
    return on_cortex_m4([made.test, *made.sources, SERIAL], [made.folder, TEST_HEADER, INCLUDE], folder)


def test_a_recurrent_network_is_right_on_a_cortex_m4(models, tmp_path):
    assert on_board(models["gru"], tmp_path) == "gru: 1 vectors are good\n"


def test_objects_of_llvm_are_right_on_a_cortex_m4_too(tmp_path):
    target = "llvm -mtriple=thumbv7em-none-eabihf -mcpu=cortex-m4"
    made = recorded(firmware(tmp_path / "gru", MODELS / "gru.onnx", "gru", target=target))
    assert [one.name for one in made.sources if one.suffix == ".o"] != []
    assert on_board(made, tmp_path) == "gru: 1 vectors are good\n"


# What keeps states: the halves of a block, and the places of two states in each.
STREAM_ENTRY_BYTES_MAX = 512


@pytest.fixture(scope="module")
def stream(tmp_path_factory) -> Firmware:
    """An LSTM with state, and what three steps of it give."""
    proto, state = lstm(), {"h": "hn", "c": "cn"}
    model = firmware(tmp_path_factory.mktemp("stream") / "m", proto, "m", state=state)
    vectors, kept = [], dict.fromkeys(state, np.zeros((1, 2, 5), np.float32))
    for piece in np.random.default_rng(0).standard_normal((3, 3, 2, 4), np.float32):
        given = {"x": piece, **kept}
        results = ReferenceEvaluator(proto).run(None, given)
        outputs = {tensor.name: array for tensor, array in zip(model.info.outputs, results, strict=True)}
        vectors.append((given, outputs))
        kept = {name: outputs[result] for name, result in state.items()}
    write_test(model, vectors)
    return model


def test_a_stream_is_right_on_a_cortex_m4(stream, tmp_path):
    assert on_board(stream, tmp_path) == "m: 3 vectors are good\n"


def test_a_stream_calls_nothing_and_keeps_nothing_but_its_block(stream, tmp_path):
    flags = (*STRICT, *THUMB, *FLOAT_UNIT, "-Os", f"-I{stream.folder}")
    assert ran([thumb_compiler(), *flags, "-c", stream.folder / "m_api.c"], tmp_path) == ""
    symbols = ran([tool("arm-none-eabi-nm"), tmp_path / "m_api.o"])
    assert set(re.findall(r" U (\w+)$", symbols, re.MULTILINE)) <= {
        "memset",
        "ingot_m_run",
        "ingot_m_constants",
    }
    size = ran([tool("arm-none-eabi-size"), tmp_path / "m_api.o"]).splitlines()[1].split()
    assert int(size[0]) <= STREAM_ENTRY_BYTES_MAX and size[1:3] == ["0", "0"]


@pytest.mark.models
@pytest.mark.skipif(
    not MLPERF.is_dir(),
    reason="needs the MLPerf Tiny models: INGOT_TEST_MODELS names no folder that has them",
)
def test_keyword_spotting_is_right_on_a_cortex_m4(tmp_path):
    made = firmware(tmp_path / "kws", MLPERF / "onnx" / "kws_fp32.onnx", "kws")
    (given,), (wanted,) = made.info.inputs, made.info.outputs
    with np.load(MLPERF / "ref" / "kws.npz") as arrays:
        pairs = zip(arrays["x_f32"][:3], arrays["y_f32_ort"][:3], strict=True)
        vectors = [
            ({given.name: x.reshape(given.shape)}, {wanted.name: y.reshape(wanted.shape)}) for x, y in pairs
        ]
    write_test(made, vectors)
    assert on_board(made, tmp_path) == "kws: 3 vectors are good\n"
