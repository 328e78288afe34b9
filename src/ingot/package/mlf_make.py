"""What builds an unpacked archive on a host without Python: a Makefile, a CMakeLists.txt, and a test of each model."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.artifact.info import ModelInfo, TensorInfo
from ingot.package.mlf_c import POOL, members, prefix_of
from ingot.tensor import DType

Case = tuple[Sequence[str], Sequence[str]]  # files of the inputs, files of the outputs


def makefile(tested: Sequence[ModelInfo], has_graph: bool) -> str:
    """The Makefile: `make` builds a static library of the models, `make test` runs their test vectors."""
    tests = " ".join(f"$(OUT)/{info.symbol}_test" for info in tested)
    runs = "".join(f"\t$(OUT)/{info.symbol}_test\n" for info in tested)
    graph = (
        "# The functions of a graph executor call the runtime: link $(OUT)/libmodels.a together with runtime/.\n"
        if has_graph
        else ""
    )
    return f"""# make: the models as a static library. make test: their test vectors, on the machine at hand.
CC ?= cc
AR ?= ar
CFLAGS ?= -O2
OUT ?= build

sources := $(wildcard codegen/host/src/*.c)
made := $(wildcard codegen/host/lib/*.o)
objects := $(patsubst codegen/host/src/%.c,$(OUT)/%.o,$(sources))
headers := $(wildcard codegen/host/include/*.h)

{graph}$(OUT)/libmodels.a: $(objects) $(made)
	rm -f $@
	$(AR) rcs $@ $^

$(OUT)/%.o: codegen/host/src/%.c $(headers)
	@mkdir -p $(OUT)
	$(CC) -std=c99 -ffunction-sections -fdata-sections $(CFLAGS) -Icodegen/host/include -c $< -o $@

$(OUT)/%_test: test/%_test.c $(OUT)/libmodels.a
	$(CC) -std=c99 $(CFLAGS) -Icodegen/host/include $< $(OUT)/libmodels.a -lm -o $@

.PHONY: test clean
test: {tests}
{runs}
clean:
	rm -rf $(OUT)
"""


def cmake(name: str) -> str:
    """The CMakeLists.txt: the models as the static library `<name>::models`, also by `find_package(<name>)` once installed."""
    return f"""# The models as a static library: add_subdirectory, or install and find_package({name}).
cmake_minimum_required(VERSION 3.13)
project({name} C)
include(GNUInstallDirs)

file(GLOB sources ${{CMAKE_CURRENT_SOURCE_DIR}}/codegen/host/src/*.c)
file(GLOB made ${{CMAKE_CURRENT_SOURCE_DIR}}/codegen/host/lib/*.o)
add_library(models STATIC ${{sources}} ${{made}})
add_library({name}::models ALIAS models)
set_source_files_properties(${{made}} PROPERTIES EXTERNAL_OBJECT TRUE)
set_target_properties(models PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON OUTPUT_NAME {name})
target_include_directories(models PUBLIC
  $<BUILD_INTERFACE:${{CMAKE_CURRENT_SOURCE_DIR}}/codegen/host/include> $<INSTALL_INTERFACE:${{CMAKE_INSTALL_INCLUDEDIR}}>)
if(UNIX)
  target_link_libraries(models INTERFACE m)
endif()

install(TARGETS models EXPORT {name}-targets)
install(DIRECTORY codegen/host/include/ DESTINATION ${{CMAKE_INSTALL_INCLUDEDIR}})
install(EXPORT {name}-targets FILE {name}-config.cmake NAMESPACE {name}:: DESTINATION ${{CMAKE_INSTALL_LIBDIR}}/cmake/{name})
"""


def test_program(info: ModelInfo, cases: Sequence[Case], rtol: float, atol: float) -> str:
    """A C program that runs the model on each test vector and compares; without vectors, on zeros, to see that it runs."""
    prefix = prefix_of(info)
    upper = prefix.upper()
    inputs, outputs = members(info, info.inputs), members(info, info.outputs)
    arrays = "".join(
        f"static union {{ unsigned char bytes[{max(1, one.tensor.size_bytes)}]; double aligned; }} {kind}{at};\n"
        for kind, some in (("in", inputs), ("out", outputs))
        for at, one in enumerate(some)
    )
    set_up = "".join(f"    inputs.{one.name} = in{at}.bytes;\n" for at, one in enumerate(inputs)) or "    inputs.unused = 0;\n"
    set_up += (
        "".join(f"    outputs.{one.name} = out{at}.bytes;\n" for at, one in enumerate(outputs)) or "    outputs.unused = 0;\n"
    )
    steps = ""
    for number, (sources, expected) in enumerate(cases):
        steps += "".join(
            f'    read_file("{name}", in{at}.bytes, {one.tensor.size_bytes});\n'
            for at, (name, one) in enumerate(zip(sources, inputs, strict=True))
        )
        steps += f'    run(&inputs, &outputs, "test vector {number}");\n'
        steps += "".join(
            f'    compare("{name}", out{at}.bytes, {_count(one.tensor)}, {one.tensor.dtype.size_bytes}, {_kind(one.tensor)});\n'
            for at, (name, one) in enumerate(zip(expected, outputs, strict=True))
        )
    if not cases:
        steps = '    run(&inputs, &outputs, "zeros");\n'
    return f"""/* Runs the model {info.symbol} on its test vectors. Ends with 0 if every output is as expected. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "{prefix}.h"

static struct {prefix}_inputs inputs;
static struct {prefix}_outputs outputs;
#define ALIGNMENT {upper}_{POOL.upper()}_ALIGNMENT
static unsigned char memory[{upper}_WORKSPACE_SIZE + ALIGNMENT];
{arrays}
static void read_file(const char* name, void* to, size_t size)
{{
    FILE* file = fopen(name, "rb");
    if (file == 0 || fread(to, 1, size, file) != size || fgetc(file) != EOF) {{
        fprintf(stderr, "%s: cannot be read, or has another size than %lu bytes\\n", name, (unsigned long)size);
        exit(2);
    }}
    fclose(file);
}}

static void run(struct {prefix}_inputs* in, struct {prefix}_outputs* out, const char* what)
{{
    struct {prefix}_workspace_pools pools;
    int32_t status;
    pools.{POOL} = memory + ALIGNMENT - (uintptr_t)memory % ALIGNMENT;
    status = {prefix}_run(in, out, &pools);
    if (status != 0) {{
        fprintf(stderr, "{info.symbol}: %s failed with status %d\\n", what, (int)status);
        exit(1);
    }}
}}

static double number(const unsigned char* at, int kind)
{{
    return kind == 1 ? (double)*(const float*)(const void*)at : *(const double*)(const void*)at;
}}

/* Kind 0: equal bytes; 1: float; 2: double; 3: floats of 16 bits, equal but for their last bits. */
static void compare(const char* name, const unsigned char* got, size_t count, size_t size, int kind)
{{
    unsigned char* expected = (unsigned char*)malloc(count * size + 1);
    size_t at;
    if (expected == 0) {{
        exit(2);
    }}
    read_file(name, expected, count * size);
    for (at = 0; at < count; ++at) {{
        const unsigned char *a = got + at * size, *b = expected + at * size;
        int same = 1;
        if (kind == 1 || kind == 2) {{
            const double x = number(a, kind), y = number(b, kind);
            const double difference = x > y ? x - y : y - x;
            same = x == y || (x != x && y != y) || difference <= {atol!r} + {rtol!r} * (y < 0 ? -y : y);
        }} else if (kind == 3) {{
            const int difference = (a[0] + 256 * a[1]) - (b[0] + 256 * b[1]);
            same = difference >= -8 && difference <= 8;
        }} else {{
            size_t byte;
            for (byte = 0; byte < size; ++byte) {{
                same = same && a[byte] == b[byte];
            }}
        }}
        if (!same) {{
            fprintf(stderr, "{info.symbol}: element %lu differs from %s\\n", (unsigned long)at, name);
            exit(1);
        }}
    }}
    free(expected);
}}

int main(void)
{{
{set_up}{steps}    {"(void)compare;" if not cases or not outputs else ""}{" (void)read_file;" if not cases else ""}
    printf("{info.symbol}: {len(cases)} test vectors are as expected\\n");
    return 0;
}}
"""


def _count(tensor: TensorInfo) -> int:
    return tensor.type.size


def _kind(tensor: TensorInfo) -> int:
    return {DType.FLOAT32: 1, DType.FLOAT64: 2, DType.FLOAT16: 3, DType.BFLOAT16: 3}.get(tensor.dtype, 0)
