"""The C source that runs the code of a classic archive by the calling convention of ingot's libraries.

It has the functions of a C runtime that such code calls, hidden in the library that is made.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.records import Frozen
from ingot.base.tensor import DType
from ingot.package.classic.graph_json import Entry
from ingot.package.classic.params import DLPACK_TYPES


class Copy(metaclass=Frozen):
    """Bytes that are copied: from and to a place, each the number of a base pointer and an offset."""

    source: tuple[int, int]
    result: tuple[int, int]
    size_bytes: int


class PackedCall(metaclass=Frozen):
    """A call of a packed function on tensors, each with its base pointer and offset."""

    function: str
    tensors: tuple[tuple[Entry, int, int], ...]


Step = Copy | PackedCall

_RUNTIME = """#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))
#define EXPORT __attribute__((visibility("default")))

/* What code of the classic tools calls of its runtime. Weak, so that a set of several models has one. */
void *TVMBackendAllocWorkspace(int, int, uint64_t, int, int);
int TVMBackendFreeWorkspace(int, int, void *);
int TVMBackendParallelLaunch(int (*)(int, void *, void *), void *, int);
int TVMBackendParallelBarrier(int, void *);
int TVMBackendRegisterSystemLibSymbol(const char *, void *);
void TVMAPISetLastError(const char *);

WEAK void *TVMBackendAllocWorkspace(int device, int index, uint64_t size, int code, int bits)
{
    void *memory = NULL;
    (void)device, (void)index, (void)code, (void)bits;
    return posix_memalign(&memory, 64, (size_t)(size + (size == 0))) == 0 ? memory : NULL;
}

WEAK int TVMBackendFreeWorkspace(int device, int index, void *memory)
{
    (void)device, (void)index;
    free(memory);
    return 0;
}

WEAK int TVMBackendParallelLaunch(int (*task)(int, void *, void *), void *data, int count)
{
    struct { void *sync_handle; int32_t num_task; } group = {NULL, 1};
    (void)count;
    return task(0, &group, data);
}

WEAK int TVMBackendParallelBarrier(int task, void *group)
{
    (void)task, (void)group;
    return 0;
}

WEAK int TVMBackendRegisterSystemLibSymbol(const char *name, void *address)
{
    (void)name, (void)address;
    return 0;
}

WEAK void TVMAPISetLastError(const char *message)
{
    (void)message;
}
"""

CONTEXT = """#include <stddef.h>
#include <stdint.h>

/* Objects for the C++ runtime call it by pointers, which that runtime fills when it loads them. They are filled here: theirs are
   weak, so these count. What stands for functions of other modules gives an error. */
void *TVMBackendAllocWorkspace(int, int, uint64_t, int, int);
int TVMBackendFreeWorkspace(int, int, void *);
int TVMBackendParallelLaunch(int (*)(int, void *, void *), void *, int);
int TVMBackendParallelBarrier(int, void *);
void TVMAPISetLastError(const char *);

static int no_call(void *function, void *values, int *type_codes, int count, void *result, int *result_code)
{
    (void)function, (void)values, (void)type_codes, (void)count, (void)result, (void)result_code;
    return -1;
}

static int no_function(void *module, const char *name, void **function)
{
    (void)module, (void)name;
    *function = NULL;
    return -1;
}

void *(*__TVMBackendAllocWorkspace)(int, int, uint64_t, int, int) = TVMBackendAllocWorkspace;
int (*__TVMBackendFreeWorkspace)(int, int, void *) = TVMBackendFreeWorkspace;
int (*__TVMBackendParallelLaunch)(int (*)(int, void *, void *), void *, int) = TVMBackendParallelLaunch;
int (*__TVMBackendParallelBarrier)(int, void *) = TVMBackendParallelBarrier;
void (*__TVMAPISetLastError)(const char *) = TVMAPISetLastError;
int (*__TVMFuncCall)(void *, void *, int *, int, void *, int *) = no_call;
int (*__TVMBackendGetFuncFromEnv)(void *, const char *, void **) = no_function;
"""
"""The source with the pointers by which objects for the C++ runtime of TVM call it; a library has it once.

*Source:* TVM 0.16, src/target/llvm/codegen_cpu.cc, which makes them.
"""

_LOCK = """#include <pthread.h>

/* The code may have one static workspace for all who call it: one inference at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void begin_again(void)
{
    pthread_mutex_init(&lock, NULL); /* a thread that had it was left behind in the parent */
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, begin_again);
}
"""

_TENSOR = """
typedef union { int64_t number; double real; void *pointer; } value;
typedef struct {
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} tensor;
typedef int32_t packed(value *, int32_t *, int32_t, value *, int32_t *, void *);

static int32_t call(packed *function, tensor *tensors, value *values, int32_t *type_codes, int32_t count)
{
    value result = {0};
    int32_t result_code = 4;
    for (int32_t at = 0; at < count; ++at) {
        values[at].pointer = &tensors[at];
        type_codes[at] = 7;
    }
    return function(values, type_codes, count, &result, &result_code, NULL) == 0 ? 0 : -6;
}
"""


def graph_shim(symbol: str, groups: Sequence[Sequence[Step]]) -> str:
    """The source for a graph: each group of steps is one call of the program."""
    functions = dict.fromkeys(
        step.function for group in groups for step in group if isinstance(step, PackedCall)
    )
    lines = [_RUNTIME, _TENSOR, *(f"packed {name};" for name in functions)]
    for number, group in enumerate(groups):
        lines += [f"static int32_t step{number}(void *const *bases)", "{", "    (void)bases;"]
        lines += [line for step in group for line in _step(step)]
        lines += ["    return 0;", "}"]
    cases = "".join(f"    case {number}: return step{number}(bases);\n" for number in range(len(groups)))
    lines += [
        f"EXPORT int32_t ingot_{symbol}_call(int32_t number, void *const *bases)",
        "{",
        f"    switch (number) {{\n{cases}    default: return -1;\n    }}",
        "}",
        f"EXPORT int32_t ingot_{symbol}_run(void *const *bases)",
        "{",
        f"    for (int32_t number = 0; number < {len(groups)}; ++number) {{",
        f"        const int32_t status = ingot_{symbol}_call(number, bases);",
        "        if (status != 0) return status;",
        "    }",
        "    return 0;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _place(base: int, offset: int) -> str:
    return f"(unsigned char *)bases[{base}] + {offset}"


def _step(step: Step) -> Sequence[str]:
    if isinstance(step, Copy):
        return (
            [f"    memcpy({_place(*step.result)}, {_place(*step.source)}, {step.size_bytes}u);"]
            if step.size_bytes
            else []
        )
    lines = ["    {"]
    rows = []
    for at, (entry, base, offset) in enumerate(step.tensors):
        # As graphs of the classic tools have it: a bool is a number of one bit.
        code, bits = (1, 1) if entry.dtype is DType.BOOL else DLPACK_TYPES[entry.dtype]
        shape = ", ".join(f"INT64_C({extent})" for extent in entry.shape) or "0"
        lines.append(f"        static int64_t shape{at}[] = {{{shape}}};")
        rows.append(
            f"{{{_place(base, offset)}, 1, 0, {len(entry.shape)}, {code}, {bits}, 1, shape{at}, NULL, 0}}"
        )
    count = len(step.tensors)
    table = ",\n            ".join(rows)
    return [
        *lines,
        f"        tensor tensors[] = {{\n            {table}}};",
        f"        value values[{count}];",
        f"        int32_t type_codes[{count}];",
        f"        const int32_t status = call({step.function}, tensors, values, type_codes, {count});",
        "        if (status != 0) return status;",
        "    }",
    ]


def aot_shim(symbol: str, prefix: str, inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """The source for the C interface of `<prefix>.h`, whose structs have these members."""
    lines = [
        _RUNTIME,
        _LOCK,
        f'#include "{prefix}.h"',
        f"EXPORT int32_t ingot_{symbol}_run(void *const *bases)",
        "{",
    ]
    lines += [
        f"    struct {prefix}_inputs inputs = {{0}};",
        f"    struct {prefix}_outputs outputs = {{0}};",
        "    (void)bases;",
    ]
    lines += [f"    inputs.{name} = bases[{3 + at}];" for at, name in enumerate(inputs)]
    lines += [f"    outputs.{name} = bases[{3 + len(inputs) + at}];" for at, name in enumerate(outputs)]
    lines += [
        "    pthread_mutex_lock(&lock);",
        f"    const int32_t status = {prefix}_run(&inputs, &outputs);",
    ]
    lines += ["    pthread_mutex_unlock(&lock);", "    return status == 0 ? 0 : -6;", "}"]
    return "\n".join(lines) + "\n"
