"""What builds an unpacked archive on a host without Python: a Makefile and a CMakeLists.txt."""

from __future__ import annotations

from collections.abc import Sequence


def makefile(aot: Sequence[str], graph: Sequence[str]) -> str:
    """The Makefile: `make` builds a static library of the models, `make test` runs the test programs of these models."""
    tests = " ".join(
        [*(f"$(OUT)/{name}_test" for name in aot), *(f"$(OUT)/{name}_graph_test" for name in graph)]
    )
    runs = [f"\t$(OUT)/{name}_test\n" for name in aot]
    runs += [
        f"\t$(OUT)/{name}_graph_test executor-config/graph/{name}.graph parameters/{name}.params\n"
        for name in graph
    ]
    return f"""# make: the models as a static library. make test: their test vectors, on the machine at hand.
CC ?= cc
AR ?= ar
CFLAGS ?= -O2
OUT ?= build

sources := $(wildcard codegen/host/src/*.c)
made := $(wildcard codegen/host/lib/*.o)
objects := $(patsubst codegen/host/src/%.c,$(OUT)/%.o,$(sources))
headers := $(wildcard codegen/host/include/*.h)
runtime := $(wildcard runtime/src/*.c runtime/platform/posix/*.c)
flags := -std=c99 -ffunction-sections -fdata-sections -Icodegen/host/include

$(OUT)/libmodels.a: $(objects) $(made)
	rm -f $@
	$(AR) rcs $@ $^

$(OUT)/%.o: codegen/host/src/%.c $(headers)
	@mkdir -p $(OUT)
	$(CC) $(flags) $(CFLAGS) -c $< -o $@

# The functions of a graph executor call the runtime.
$(OUT)/%_graph_test: test/%_graph_test.c test/%_vectors.h $(OUT)/libmodels.a $(runtime)
	$(CC) $(flags) $(CFLAGS) -Iruntime/include -Iruntime/test $< $(runtime) $(OUT)/libmodels.a -lm -o $@

$(OUT)/%_test: test/%_test.c test/%_vectors.h $(OUT)/libmodels.a
	$(CC) $(flags) $(CFLAGS) -Iruntime/test $< $(OUT)/libmodels.a -lm -o $@

.PHONY: test clean
test: {tests}
{"".join(runs)}
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
