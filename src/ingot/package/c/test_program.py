"""Test programs in C: a model's recorded inputs and outputs as data, and a `main` that compares. For machines without Python.

The programs include `ingot_test.h`, which is `ingot/crt/test/ingot_test.h`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.base.errors import ArtifactError
from ingot.base.packing import pack
from ingot.base.tensor import DType
from ingot.base.tolerance import ATOL, RTOL
from ingot.package.c.states import seen_ends, state_members
from ingot.package.c.tensors import TYPES, c_elements, members_of, string_literal, words

# Inputs and expected outputs of one inference, by name.
Vector = tuple[Mapping[str, np.ndarray], Mapping[str, np.ndarray]]

# The compiler of a program may say how far outputs may be from expected ones: `-DINGOT_TEST_RTOL=…`.

_TOLERANCE = [
    f"\n#ifndef INGOT_TEST_{name}\n#define INGOT_TEST_{name} {value!r}\n#endif"
    for name, value in (("RTOL", RTOL), ("ATOL", ATOL))
]

_KINDS = {
    DType.FLOAT16: "FLOAT16",
    DType.BFLOAT16: "BFLOAT16",
    DType.FLOAT32: "FLOAT32",
    DType.FLOAT64: "FLOAT64",
}


def vectors_header(info: ModelInfo, vectors: Sequence[Vector]) -> str:
    """The text of `<symbol>_vectors.h`: the arrays of all vectors, and a table of them: inputs, then outputs.

    Raises:
        ArtifactError: an array is missing, or has another type or shape than the model's tensor.
    """
    tensors = (*info.inputs, *info.outputs)
    upper = info.symbol.upper()
    lines = [
        f"/* {words(info.name)}: {len(vectors)} test vectors. Made by ingot. */",
        f"#ifndef {upper}_VECTORS_H",
        f"#define {upper}_VECTORS_H",
        "",
        '#include "ingot_test.h"',
        "",
        f"#define {upper}_VECTORS {len(vectors)}",
        "",
    ]
    rows = []
    for number, (inputs, outputs) in enumerate(vectors):
        cells = []
        for at, tensor in enumerate(tensors):
            given = (inputs if at < len(info.inputs) else outputs).get(tensor.name)
            array = _checked(info, tensor, given)
            name = f"vector{number}_{at}"
            lines += _array(name, tensor, array)
            kind = f"INGOT_TEST_{_KINDS.get(tensor.dtype.carrier, 'BYTES')}"
            sizes = f"{c_elements(tensor)}u, {tensor.dtype.carrier.size_bytes}u"
            cells.append(f"{{{string_literal(tensor.name)}, {name}, {sizes}, {kind}}}")
        rows.append("    {" + ",\n     ".join(cells) + "},")
    width = max(len(tensors), 1)
    lines += [
        f"static const struct ingot_test_tensor {info.symbol}_vectors[{max(len(vectors), 1)}][{width}] = {{",
        *(rows or ['    {{"", NULL, 0u, 0u, INGOT_TEST_BYTES}},']),
        "};",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _checked(info: ModelInfo, tensor: TensorInfo, given: np.ndarray | None) -> np.ndarray:
    if given is None or given.shape != tensor.shape or given.dtype != tensor.dtype.numpy:
        got = "nothing" if given is None else f"{given.dtype}{list(given.shape)}"
        raise ArtifactError(
            f"model {info.name!r}: a test vector has {got} for the tensor {tensor}",
            model=info.name,
            tensor=tensor.name,
        )
    return np.ascontiguousarray(given)


def _array(name: str, tensor: TensorInfo, array: np.ndarray) -> Iterable[str]:
    type_ = TYPES[tensor.dtype][0]
    flat = array.reshape(-1)
    if tensor.dtype in (DType.FLOAT16, DType.BFLOAT16):
        flat = flat.view(np.uint16)
    elif tensor.dtype is DType.BOOL:
        flat = flat.view(np.uint8)
    elif tensor.dtype.is_packed:
        flat = pack(array, tensor.dtype)
    elif tensor.dtype.is_complex:
        flat = flat.view(tensor.dtype.carrier.numpy)
    numbers = [_number(number, tensor.dtype.carrier) for number in flat] or ["0"]
    yield f"static const {type_} {name}[{len(numbers)}] = {{"
    yield from (f"    {', '.join(numbers[at : at + 8])}," for at in range(0, len(numbers), 8))
    yield "};"


def _number(value: np.generic, dtype: DType) -> str:
    if dtype in (DType.FLOAT32, DType.FLOAT64):
        if np.isnan(value):
            return "NAN"
        if np.isinf(value):
            return "-INFINITY" if np.signbit(value) else "INFINITY"
        text = str(value)
        plain = text if any(mark in text for mark in ".en") else f"{text}.0"
        return plain + ("f" if dtype is DType.FLOAT32 else "")
    if dtype is DType.INT64:
        return "INT64_MIN" if int(value) == -(1 << 63) else f"INT64_C({value})"
    if dtype is DType.UINT64:
        return f"UINT64_C({value})"
    if dtype is DType.INT32 and int(value) == -(1 << 31):
        return "INT32_MIN"
    return f"{value}u" if dtype is DType.UINT32 else str(int(value))


def test_program(info: ModelInfo) -> str:
    """The text of a program that runs `<symbol>_run` on each vector; its exit status is 0 if every output is as expected.

    State is set before each run, and looked at after it.
    """
    symbol, upper = info.symbol, info.symbol.upper()
    inputs, outputs = seen_ends(info, members_of(info.inputs), members_of(info.outputs))
    ends = [tensor.name for tensor in info.inputs], [tensor.name for tensor in info.outputs]
    given = [ends[0].index(member.tensor.name) for member in inputs]
    expected = [len(ends[0]) + ends[1].index(member.tensor.name) for member in outputs]
    buffers = [
        f"static {member.c_type} output{at}[{max(c_elements(member.tensor), 1)}];"
        for at, member in enumerate(outputs)
    ]
    lines = [
        f"/* {words(info.name)}: runs the model on its test vectors. Made by ingot. */",
        f'#include "{symbol}.h"',
        f'#include "{symbol}_vectors.h"',
        *_TOLERANCE,
        "",
        f"static unsigned char memory[{upper}_WORKSPACE_BYTES + {upper}_WORKSPACE_ALIGNMENT];",
        *(
            [f"static unsigned char block[{upper}_STATE_BYTES + {upper}_STATE_ALIGNMENT];"]
            if info.states
            else []
        ),
        *buffers,
        "",
        "int main(void)",
        "{",
        *_skip("skip", "memory", f"{upper}_WORKSPACE"),
        *(
            [*_skip("behind", "block", f"{upper}_STATE"), f"    struct {symbol}_states states;"]
            if info.states
            else []
        ),
        "    int wrong = 0;",
        f"    for (size_t vector = 0; vector < {upper}_VECTORS; vector++) {{",
        f"        const struct ingot_test_tensor *const tensors = {symbol}_vectors[vector];",
        f"        struct {symbol}_inputs inputs;",
        f"        struct {symbol}_outputs outputs;",
        "        int32_t status;",
        *(
            f"        inputs.{member.name} = tensors[{at}].data;"
            for at, member in zip(given, inputs, strict=True)
        ),
        *(f"        outputs.{member.name} = output{at};" for at, member in enumerate(outputs)),
        *([] if inputs else ["        inputs.none = NULL;"]),
        *([] if outputs else ["        outputs.none = NULL;", "        (void)tensors;"]),
        *_state_before(info, ends[0]),
        f"        status = {symbol}_run(&inputs, &outputs, {'block + behind, ' * bool(info.states)}memory + skip);",
        *_left_if_wrong(symbol),
        *(line for at, row in enumerate(expected) for line in _compared(symbol, row, f"output{at}")),
        *_state_after(info, ends),
        "    }",
        f'    printf("{symbol}: %d vectors %s\\n", {upper}_VECTORS, wrong ? "with wrong outputs" : "are good");',
        "    return wrong;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _skip(name: str, memory: str, macro: str) -> Iterable[str]:
    """How far into some memory the first aligned byte is."""
    yield f"    const size_t {name} = ({macro}_ALIGNMENT - (uintptr_t){memory} % {macro}_ALIGNMENT) % {macro}_ALIGNMENT;"


def _left_if_wrong(symbol: str) -> Iterable[str]:
    yield f"        if (status != {symbol.upper()}_OK) {{"
    yield f'            printf("{symbol}: vector %lu: status %ld\\n", (unsigned long)vector, (long)status);'
    yield "            return 1;"
    yield "        }"


def _compared(symbol: str, at: int, place: str) -> Iterable[str]:
    tolerance = "INGOT_TEST_RTOL, INGOT_TEST_ATOL"
    yield f'        wrong |= ingot_test_compare("{symbol}", vector, &tensors[{at}], {place}, {tolerance});'


def _state_before(info: ModelInfo, inputs: Sequence[str]) -> Iterable[str]:
    if not info.states:
        return
    symbol, upper = info.symbol, info.symbol.upper()
    yield f"        status = {symbol}_init_state(block + behind);"
    yield f"        if (status == {upper}_OK) {{"
    yield f"            status = {symbol}_find_states(block + behind, &states);"
    yield "        }"
    yield from _left_if_wrong(symbol)
    for member, state in zip(state_members(info), info.states, strict=True):
        source = f"tensors[{inputs.index(state.input)}].data"
        yield f"        memcpy(states.{member.name}, {source}, {upper}_STATE_{member.macro}_BYTES);"


def _state_after(info: ModelInfo, ends: tuple[Sequence[str], Sequence[str]]) -> Iterable[str]:
    if not info.states:
        return
    yield f"        status = {info.symbol}_find_states(block + behind, &states);"
    yield from _left_if_wrong(info.symbol)
    for member, state in zip(state_members(info), info.states, strict=True):
        at = len(ends[0]) + ends[1].index(state.output)
        yield from _compared(info.symbol, at, f"states.{member.name}")


def graph_test_program(info: ModelInfo) -> str:
    """The text of a program that does the same through the graph executor of the C runtime.

    Its arguments are the files of the graph and of the parameters. It is for hosts: it reads files and has a heap.
    """
    symbol, upper = info.symbol, info.symbol.upper()
    tensors = [tensor.type.stored for tensor in (*info.inputs, *info.outputs)]  # as the graph has them
    shapes = [
        f"static int64_t shape{at}[{max(len(tensor.shape), 1)}] = {{{', '.join(map(str, tensor.shape)) or '1'}}};"
        for at, tensor in enumerate(tensors)
    ]
    types = ", ".join(f"{{{TYPES[each.dtype][1]}, {each.dtype.bits}, 1}}" for each in tensors)
    ranks = ", ".join(str(max(len(tensor.shape), 1)) for tensor in tensors)
    outputs = [
        f"static {TYPES[tensor.dtype][0]} output{at}[{max(c_elements(tensor), 1)}];"
        for at, tensor in enumerate(info.outputs)
    ]
    lines = [
        f"/* {words(info.name)}: runs the model's graph on its test vectors. Made by ingot. */",
        "#include <stdlib.h>",
        "#include <tvm/runtime/crt/crt.h>",
        "#include <tvm/runtime/crt/graph_executor.h>",
        "#include <tvm/runtime/crt/packed_func.h>",
        "",
        f'#include "{symbol}_vectors.h"',
        *_TOLERANCE,
        "",
        *shapes,
        f"static int64_t *const shapes[] = {{{', '.join(f'shape{at}' for at in range(len(tensors)))}}};",
        f"static const DLDataType types[] = {{{types}}};",
        f"static const int ranks[] = {{{ranks}}};",
        *outputs,
        f"static void *const results[] = {{{', '.join(f'output{at}' for at in range(len(info.outputs)))}}};",
        _GRAPH_MAIN.replace("@symbol@", symbol)
        .replace("@UPPER@", upper)
        .replace("@inputs@", str(len(info.inputs)))
        .replace("@outputs@", str(len(info.outputs))),
    ]
    return "\n".join(lines)


_GRAPH_MAIN = """
/* The content of a file, with a NUL behind it. */
static char *content(const char *path, size_t *bytes)
{
    FILE *const file = fopen(path, "rb");
    char *text = NULL;
    long size;
    if (file == NULL) {
        return NULL;
    }
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        *bytes = (size_t)size;
        text = malloc(*bytes + 1);
        if (text != NULL && fread(text, 1, *bytes, file) == *bytes) {
            text[*bytes] = '\\0';
        } else {
            free(text);
            text = NULL;
        }
    }
    (void)fclose(file);
    return text;
}

static DLTensor tensor(int at, void *data)
{
    DLTensor made;
    memset(&made, 0, sizeof made);
    made.data = data;
    made.device.device_type = kDLCPU;
    made.ndim = ranks[at];
    made.dtype = types[at];
    made.shape = shapes[at];
    return made;
}

static int run(TVMGraphExecutor *executor)
{
    int wrong = 0;
    for (size_t vector = 0; vector < @UPPER@_VECTORS; vector++) {
        const struct ingot_test_tensor *const tensors = @symbol@_vectors[vector];
        for (int at = 0; at < @inputs@; at++) {
            DLTensor input = tensor(at, (void *)(uintptr_t)tensors[at].data);
            if (TVMGraphExecutor_SetInput(executor, tensors[at].name, &input) != 0) {
                return -1;
            }
        }
        if (TVMGraphExecutor_Run(executor) != 0) {
            return -1;
        }
        for (int at = 0; at < @outputs@; at++) {
            DLTensor output = tensor(@inputs@ + at, results[at]);
            if (TVMGraphExecutor_GetOutput(executor, at, &output) != 0) {
                return -1;
            }
            wrong |= ingot_test_compare("@symbol@", vector, &tensors[@inputs@ + at], results[at],
                                        INGOT_TEST_RTOL, INGOT_TEST_ATOL);
        }
    }
    return wrong;
}

int main(int argc, char **argv)
{
    const DLDevice device = {kDLCPU, 0};
    const TVMArgs none = TVMArgs_Create(NULL, NULL, 0);
    TVMGraphExecutor *executor = NULL;
    TVMPackedFunc library;
    size_t graph_bytes = 0, params_bytes = 0;
    char *graph, *params;
    int status;
    if (argc != 3) {
        printf("usage: %s GRAPH PARAMS\\n", argv[0]);
        return 2;
    }
    graph = content(argv[1], &graph_bytes);
    params = content(argv[2], &params_bytes);
    if (graph == NULL || params == NULL) {
        printf("cannot read %s\\n", graph == NULL ? argv[1] : argv[2]);
        free(graph);
        free(params);
        return 2;
    }
    status = (int)TVMInitializeRuntime();
    if (status == 0) {
        status = TVMPackedFunc_InitGlobalFunc(&library, "runtime.SystemLib", &none);
    }
    if (status == 0) {
        status = TVMPackedFunc_Call(&library);
    }
    if (status == 0) {
        status = TVMGraphExecutor_Create(graph, TVMArgs_AsModuleHandle(&library.ret_value, 0), &device, &executor);
    }
    free(graph);
    if (status == 0) {
        status = TVMGraphExecutor_LoadParams(executor, params, (uint32_t)params_bytes);
    }
    free(params);
    if (status == 0) {
        status = run(executor);
    }
    if (status < 0 || status > 1) {
        printf("@symbol@: %s\\n", TVMGetLastError());
        status = 1;
    }
    if (executor != NULL && TVMGraphExecutor_Release(&executor) != 0) {
        status = 1;
    }
    printf("@symbol@: %d vectors %s\\n", @UPPER@_VECTORS, status != 0 ? "with wrong outputs" : "are good");
    return status;
}
"""
