"""The C runtime: compiled by every compiler here with every warning an error, run under sanitizers, measured for Thumb."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from ingot.base.tensor import DType
from ingot.package.classic.graph_json import Entry, Graph, Node, graph_to_json
from ingot.package.classic.params import params_to_bytes
from tests.system.crt.build import (
    CRT,
    HERE,
    INCLUDE,
    STRICT,
    THUMB,
    on_cortex_m4,
    ran,
    sanitizers,
    sources,
    thumb_compiler,
    tool,
)

pytestmark = pytest.mark.cc

# Text and constants of all objects of the runtime, -Os, Thumb-2. A limit, not a goal: raise it with a reason.
MOST_THUMB_BYTES = 16 << 10


@pytest.fixture(scope="module", params=["gcc", "clang"])
def library(request, tmp_path_factory):
    """The runtime with sanitizers, compiled without a warning: the compiler, its flags, the objects."""
    compiler = tool(request.param)
    folder = tmp_path_factory.mktemp(request.param)
    flags = sanitizers(compiler, folder)
    objects = folder / "objects"
    objects.mkdir()
    assert ran([compiler, *STRICT, "-O1", *flags, f"-I{INCLUDE}", "-c", *sources()], objects) == ""
    return compiler, flags, sorted(objects.glob("*.o"))


def test_graphs_parameters_allocators_and_registries_do_what_they_say(library, tmp_path):
    compiler, flags, objects = library
    command = [
        compiler,
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-pedantic",
        "-Werror",
        "-O1",
        *flags,
        f"-I{INCLUDE}",
    ]
    ran([*command, HERE / "crt_test.c", *objects, "-o", tmp_path / "test"])
    assert ran([tmp_path / "test"]).endswith(" checks, 0 failures\n")


def test_they_do_it_on_a_cortex_m4_where_pointers_are_short(tmp_path):
    assert on_cortex_m4([HERE / "crt_test.c", *sources()], [INCLUDE], tmp_path).endswith(
        " checks, 0 failures\n"
    )


def test_the_stack_allocator_sees_a_wrong_order_when_asked_to(library, tmp_path):
    compiler, flags, objects = library
    others = [one for one in objects if one.stem != "stack_allocator"]
    command = [compiler, "-std=c99", *flags, f"-I{INCLUDE}", "-DTVM_CRT_STACK_ALLOCATOR_ENABLE_LIFO_CHECK"]
    ran([*command, HERE / "crt_test.c", CRT / "src" / "stack_allocator.c", *others, "-o", tmp_path / "test"])
    ran([tmp_path / "test"])


def test_the_platform_for_posix_is_complete_and_clean(library, tmp_path):
    compiler, flags, objects = library
    platform = CRT / "platform" / "posix" / "platform.c"
    (tmp_path / "main.c").write_text(
        "#include <tvm/runtime/crt/platform.h>\n#include <tvm/runtime/crt/module.h>\n#include <tvm/runtime/crt/crt.h>\n"
        "const TVMModule *TVMSystemLibEntryPoint(void) { return 0; }\n"
        "int main(void) {\n  double seconds = -1.0;\n  uint8_t random[8] = {0};\n  void *memory;\n  DLDevice cpu = {kDLCPU, 0};\n"
        "  if (TVMPlatformInitialize() || TVMInitializeRuntime() || TVMPlatformTimerStart()) return 1;\n"
        "  if (!TVMPlatformTimerStart() || TVMPlatformGenerateRandom(random, 8)) return 2;\n"
        "  if (TVMPlatformTimerStop(&seconds) || seconds < 0.0 || !TVMPlatformTimerStop(&seconds)) return 3;\n"
        "  if (TVMPlatformMemoryAllocate(10, cpu, &memory) || (uintptr_t)memory % 64) return 4;\n"
        "  return (int)TVMPlatformMemoryFree(memory, cpu);\n}\n"
    )
    command = [compiler, *STRICT, "-O1", *flags, f"-I{INCLUDE}", tmp_path / "main.c", platform, *objects]
    ran([*command, "-o", tmp_path / "main"])
    leaks = {"ASAN_OPTIONS": "detect_leaks=0"}  # the table of global functions stays
    ran(["env", *(f"{name}={value}" for name, value in leaks.items()), tmp_path / "main"])


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> tuple[Path, Path]:
    """A graph and parameters on disk: y = x + [10, 20, 30, 40]."""
    folder = tmp_path_factory.mktemp("files")
    nodes = (Node("x"), Node("p0"), Node("y", ((0, 0), (1, 0)), "tvmgen_tiny_fused_add", 1))
    entries = tuple(Entry(DType.FLOAT32, (1, 4), number) for number in range(3))
    (folder / "graph.json").write_bytes(graph_to_json(Graph(nodes, (0, 1), ((2, 0),), entries)))
    values = np.array([[10, 20, 30, 40]], np.float32)
    (folder / "model.params").write_bytes(params_to_bytes({"p0": (DType.FLOAT32, values)}))
    return folder / "graph.json", folder / "model.params"


def test_an_application_for_the_classic_runtime_compiles_unchanged_and_runs(library, files, tmp_path):
    compiler, flags, objects = library
    command = [compiler, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", *flags, f"-I{INCLUDE}"]
    ran([*command, HERE / "application.c", *objects, "-o", tmp_path / "application"])
    assert ran([tmp_path / "application", *files]) == "11 22 33 44\n"


def test_the_same_application_is_good_cplusplus(library, files, tmp_path):
    compiler, flags, objects = library
    plus = tool({"gcc": "g++", "clang": "clang++"}[Path(compiler).name])
    command = [plus, "-x", "c++", "-Wall", "-Wextra", "-Werror", *flags, f"-I{INCLUDE}"]
    ran([*command, HERE / "application.c", "-x", "none", *objects, "-o", tmp_path / "application"])
    assert ran([tmp_path / "application", *files]) == "11 22 33 44\n"


def test_the_analyzer_of_gcc_finds_nothing(tmp_path):
    compiler = tool("gcc")
    assert (
        ran([compiler, "-std=c99", "-O1", "-Wall", "-fanalyzer", f"-I{INCLUDE}", "-c", *sources()], tmp_path)
        == ""
    )


def test_the_runtime_is_small_on_thumb(tmp_path):
    compiler = thumb_compiler()
    assert ran([compiler, *STRICT, *THUMB, "-Os", f"-I{INCLUDE}", "-c", *sources()], tmp_path) == ""
    sizes = ran([tool("arm-none-eabi-size"), *sorted(tmp_path.glob("*.o"))]).splitlines()[1:]
    assert sum(int(line.split()[0]) for line in sizes) <= MOST_THUMB_BYTES


def test_the_runtime_calls_nothing_but_string_functions_and_its_platform(tmp_path):
    compiler = tool("gcc")
    ran([compiler, "-std=c99", "-O1", f"-I{INCLUDE}", "-c", *sources()], tmp_path)
    symbols = ran([tool("nm"), *sorted(tmp_path.glob("*.o"))])
    wanted = set(re.findall(r"^ +[Uw] (\w+)$", symbols, re.MULTILINE))
    own = set(re.findall(r"^[0-9a-f]+ [TDBR] (\w+)$", symbols, re.MULTILINE))
    strings = {"memcpy", "memmove", "memset", "memcmp", "strlen", "strcmp", "strncmp"}
    outside = wanted - own - strings - {"_GLOBAL_OFFSET_TABLE_"}
    assert {name for name in outside if not name.startswith("TVMPlatform")} <= {
        "TVMSystemLibEntryPoint",
        "__stack_chk_fail",
    }
    assert "printf" not in symbols and "malloc" not in symbols


def test_make_and_cmake_build_the_runtime(tmp_path):
    ran([tool("make"), "-s", "-C", CRT, f"OUT={tmp_path / 'make'}", f"CC={tool('gcc')}"])
    assert (tmp_path / "make" / "libingot_crt.a").exists()
    cmake = shutil.which("cmake")
    if cmake is None:
        pytest.skip("make is good; needs cmake for the rest")
    ran([cmake, "-S", CRT, "-B", tmp_path / "cmake"])
    ran([cmake, "--build", tmp_path / "cmake"])
    assert (tmp_path / "cmake" / "libingot_crt.a").exists()
