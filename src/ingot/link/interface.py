"""The C interface of a model: a header, and the source of its entries. Made from `ModelInfo` when a library is linked.

A library exports for each model with native code

    int32_t <symbol>_run(const struct <symbol>_inputs *, const struct <symbol>_outputs *, void *workspace);
    int32_t <symbol>_run_parallel(…, struct ingot_pool *pool);
    int __tvm_ffi_<symbol>(…);     tvm-ffi: the inputs, then the outputs, as tensors; a number of threads may follow

What all models share is `ingot/native/interface.c`; the source that is made here is a table of tensors and three short functions,
so that it compiles in no time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingot.artifact.artifact import LOADER_NATIVE, LOADER_PARAMS, LOADER_TEXT, Artifact
from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.info import ModelInfo
from ingot.link.processor import KNOWN, feature_rows
from ingot.package.c.tensors import (
    STATUSES,
    TEXT_STATUSES,
    TYPES,
    Member,
    TextInfo,
    fields,
    members_of,
    string_literal,
    structs,
    words,
)
from ingot.package.c.text import SOURCES as TEXT_SOURCES
from ingot.package.c.text import CText, c_text, ends_in_c, why_no_text, workspace_of
from ingot.package.c.text_source import definitions, steps
from ingot.package.library_file import SYMBOL

CODEGEN_ID = "interface"
CONVENTION = "interface.h"  # of ingot/native: what the source includes
MAX_MESSAGE_NAME = 80  # letters of a tensor's name that error messages show
OPAQUE_POINTER = 3  # DLPack's type code of what is no number
NO_TENSORS = (
    "it has text at its ends, or steps on text, and tensors of tvm-ffi are numbers; C programs can call it"
)
TEXT_NOTE = (
    " *",
    " * Text is an array of pointers to UTF-8 that ends with NUL. Each pointer that comes back is one that the caller gave, or",
    " * points into this library. */",
)


def why_no_interface(artifacts: ArtifactSet, info: ModelInfo) -> str:
    """Why a library of these artifacts has no C interface for the model; empty if it has one.

    It has one if every call is native code on the host, whichever its target key, and the constants that its metadata name are
    there.
    """
    for target in info.targets:
        if target.device_kind != "cpu":
            return (
                f"its part {target.key!r} is for {target.device_kind}, which only ingot's own runtime drives"
            )
        native = any(
            (artifact.loader, artifact.codegen_id, artifact.target_key)
            == (LOADER_NATIVE, target.codegen_id, target.key)
            for artifact in artifacts
        )
        if not native:
            return f"its part {target.key!r}, made by {target.codegen_id}, is no native code"
    why = why_no_text(info)
    if why:
        return why
    if info.host.params and not any(is_params(artifact, info) for artifact in artifacts):
        return "its constants are not in the library"
    return ""


def is_params(artifact: Artifact, info: ModelInfo) -> bool:
    """Whether the artifact holds the constants of the model's host."""
    host = info.host
    return (artifact.loader, artifact.target_key, artifact.file_name) == (
        LOADER_PARAMS,
        host.key,
        host.params,
    ) and memoryview(artifact.content).nbytes == host.memory.params_bytes


def interface_header(info: ModelInfo, better: Sequence[ModelInfo] = ()) -> Artifact:
    """The header `<symbol>.h`, in C99 that is C++ too. `better`: the model's programs for better processors, the best last."""
    return Artifact(CODEGEN_ID, LOADER_TEXT, f"{info.symbol}.h", _header((info, *better)).encode("ascii"))


def interface_source(
    info: ModelInfo, params_offset: int, data: str = SYMBOL, better: Sequence[ModelInfo] = ()
) -> Artifact:
    """The source `<symbol>_api.c`; it includes `interface.h` of `ingot/native` and nothing else of ours.

    Args:
        info: the model.
        params_offset: where its constants begin, from the first byte of the library's container.
        data: the symbol of that byte.
        better: the model's programs for better processors, the best last. The first call takes the last one that fits.
    """
    text = _source((info, *better), params_offset, data)
    return Artifact(CODEGEN_ID, LOADER_NATIVE, f"{info.symbol}_api.c", text.encode("ascii"))


def refusal_source(info: ModelInfo, why: str) -> Artifact:
    """The source `<symbol>_api.c` of a model without an interface: what tvm-ffi calls raises an error that says why."""
    text = "\n".join(
        [
            f"/* {words(info.name)} has no entry for C. Made by ingot from the model's metadata. */",
            f'#include "{CONVENTION}"',
            "",
            f"INGOT_EXPORTED {_ffi_prototype(info.symbol)};",
            "",
            *_ffi_refusal(info, why),
        ]
    )
    return Artifact(CODEGEN_ID, LOADER_NATIVE, f"{info.symbol}_api.c", text.encode("ascii"))


def models_source(models: Sequence[ModelInfo]) -> Artifact:
    """The source `models_api.c`: the list of the models that C can call, for who opens a library that he does not know."""
    symbols = [string_literal(model.symbol) for model in models]
    text = "\n".join(
        [
            "/* The models of this library that C can call, by their symbols. Made by ingot. */",
            f'#include "{CONVENTION}"',
            "",
            "INGOT_EXPORTED const char *const *ingot_models(void);",
            "",
            "const char *const *ingot_models(void)",
            "{",
            f"    static const char *const names[] = {{{', '.join([*symbols, 'NULL'])}}};",
            "    return names;",
            "}",
            "",
        ]
    )
    return Artifact(CODEGEN_ID, LOADER_NATIVE, "models_api.c", text.encode("ascii"))


# ─── the header ────────────────────────────────────────────────────────────────────────────────────────────────────


def _header(levels: Sequence[ModelInfo]) -> str:
    info = levels[0]
    symbol, upper, memories = info.symbol, info.symbol.upper(), [level.host.memory for level in levels]
    text = c_text(info)
    inputs, outputs = ends_in_c(info, text)
    workspace_bytes, alignment = workspace_of(memories, text)
    features = ", ".join(info.cpu_features) or "no special"
    unchecked = [name for name in info.cpu_features if name not in KNOWN]
    lines = [
        f"/* {words(info.name)}: made by ingot {words(info.ingot_version)} for a processor with {words(features)} features.",
        *(f" * Whether it has {words(name)} is not checked." for name in unchecked),
        *(
            f" * Where it has {words(', '.join(level.cpu_features))}, better code runs."
            for level in levels[1:]
        ),
        " *",
        " * The caller owns all memory. The library allocates nothing, reads no file and keeps no state between calls, so any",
        " * number of threads may run the model at the same time, each with a workspace and outputs of its own. No buffer may",
        " * overlap an output or the workspace. Tensors are dense and row-major, aligned to their element type. The workspace is",
        f" * aligned to {upper}_WORKSPACE_ALIGNMENT bytes; what it holds need not be kept between calls.{'' if text else ' */'}",
        *(() if text is None else TEXT_NOTE),
        f"#ifndef INGOT_INTERFACE_{upper}_H",
        f"#define INGOT_INTERFACE_{upper}_H",
        "",
        "#include <stdint.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        f"#define {upper}_WORKSPACE_BYTES {workspace_bytes}",
        f"#define {upper}_WORKSPACE_ALIGNMENT {alignment}",
        *structs(symbol, inputs, outputs, STATUSES if text is None else TEXT_STATUSES),
        "",
        f"/* One inference on the calling thread. Gives a value of enum {symbol}_status. */",
        f"{_prototype(symbol)};",
        "",
        "/* What a status means, in a sentence. The text stays; of a number that is no status it says that. */",
        f"const char *{symbol}_strerror(int32_t status);",
        "",
        "/* The symbols of the models in this library that C can call, and NULL behind them. Of several libraries that a program",
        " * is linked with, those of the first: dlsym finds the list of each. */",
        "const char *const *ingot_models(void);",
        "",
        "/* Threads for inferences, made and ended by the caller, who gives their number, its own thread among them. NULL: no",
        " * memory. A pool serves any number of callers, and all libraries that the same version of ingot made. These two, and",
        " * the first inference with a pool, allocate. */",
        "struct ingot_pool;",
        "struct ingot_pool *ingot_pool_create(int32_t threads);",
        "void ingot_pool_destroy(struct ingot_pool *pool);",
        "",
        "/* One inference on the threads of a pool; with NULL on the calling thread. */",
        f"{_prototype(symbol, parallel=True)};",
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _prototype(symbol: str, *, parallel: bool = False) -> str:
    name = f"{symbol}_run_parallel" if parallel else f"{symbol}_run"
    pool = ", struct ingot_pool *pool" if parallel else ""
    return (
        f"int32_t {name}(const struct {symbol}_inputs *inputs, const struct {symbol}_outputs *outputs,\n"
        f"    void *workspace{pool})"
    )


def _ffi_prototype(symbol: str) -> str:
    any_ = "struct ingot_ffi_any"
    return f"int __tvm_ffi_{symbol}(void *self, const {any_} *args, int32_t count, {any_} *result)"


# ─── the source ────────────────────────────────────────────────────────────────────────────────────────────────────


def _source(levels: Sequence[ModelInfo], params_offset: int, data: str) -> str:
    info = levels[0]
    symbol, text = info.symbol, c_text(info)
    model = f"ingot_fitting_model(models, {len(levels)}, &chosen)" if levels[1:] else "&model"
    inputs, outputs = ends_in_c(info, text)
    tensors = (*members_of(info.inputs), *members_of(info.outputs))
    constants = f"(void *)(uintptr_t)({data} + {params_offset}u)" if info.host.params else "NULL"
    return "\n".join(
        [
            f"/* {words(info.name)}: its entries for callers in C and for tvm-ffi. Made by ingot from the model's metadata. */",
            f'#include "{CONVENTION}"',
            *(() if text is None else (f'#include "{TEXT_SOURCES[0]}"',)),
            "",
            "struct ingot_pool;",
            f"struct {symbol}_inputs {{",
            *fields(inputs, "const "),
            "};",
            f"struct {symbol}_outputs {{",
            *fields(outputs, ""),
            "};",
            f"INGOT_EXPORTED {_prototype(symbol)};",
            f"INGOT_EXPORTED {_prototype(symbol, parallel=True)};",
            f"INGOT_EXPORTED {_ffi_prototype(symbol)};",
            f"INGOT_EXPORTED const char *{symbol}_strerror(int32_t status);",
            "",
            *(line for level in levels for line in _run_source(level)),
            f"extern const unsigned char {data}[];",
            "",
            *_tensor_table("tensors", "shape", tensors),
            *_features(levels),
            *_models(levels, constants, text),
            *(_plain_run(symbol, model, inputs, outputs) if text is None else _text_run(levels, model, text)),
            "",
            _prototype(symbol),
            "{",
            f"    return {symbol}_run_parallel(inputs, outputs, workspace, NULL);",
            "}",
            "",
            f"const char *{symbol}_strerror(int32_t status)",
            "{",
            "    return ingot_interface_words(status);",
            "}",
            "",
            *(_ffi_entry(symbol, model, len(tensors)) if text is None else _ffi_refusal(info, NO_TENSORS)),
        ]
    )


def _copies(place: str, inputs: Sequence[Member], outputs: Sequence[Member]) -> Iterable[str]:
    """All pointers look alike where there are shared libraries; one copy of a struct compiles faster than hundreds of stores."""
    for role, first, some in (("inputs", 0, inputs), ("outputs", len(inputs), outputs)):
        if some:
            yield f"    __builtin_memcpy({place} + {first}, {role}, {len(some)} * sizeof(void *));"


def _plain_run(symbol: str, model: str, inputs: Sequence[Member], outputs: Sequence[Member]) -> Iterable[str]:
    yield "static struct ingot_spare spare;"
    yield ""
    yield _prototype(symbol, parallel=True)
    yield "{"
    yield f"    void *bases[INGOT_FIRST_TENSOR + {len(inputs) + len(outputs)}];"
    yield from _NULL_STRUCT
    yield "    bases[1] = workspace;"
    yield "    bases[2] = pool;"
    yield from _copies("bases + INGOT_FIRST_TENSOR", inputs, outputs)
    yield f"    return ingot_interface_run({model}, bases);"
    yield "}"


def _text_run(levels: Sequence[ModelInfo], model: str, text: CText) -> Iterable[str]:
    symbol, arena = levels[0].symbol, max(level.host.memory.arena_bytes for level in levels)
    yield from _tensor_table("ends", "extents", text.ends)
    yield from definitions(text)
    yield ""
    yield from steps(symbol, text)
    yield _prototype(symbol, parallel=True)
    yield "{"
    yield f"    void *given[1 + {len(text.ends)}], *bases[INGOT_FIRST_TENSOR + {len(text.tensors)}];"
    yield "    char *work;"
    yield "    int32_t status;"
    yield from _NULL_STRUCT
    yield from _copies("given", text.inputs, text.outputs)
    yield f"    status = ingot_interface_check({model}, {'ends' if text.ends else 'NULL'}, {len(text.ends)}, given, workspace);"
    yield "    if (status != INGOT_GOOD) {"
    yield "        return status;"
    yield "    }"
    yield f"    work = {text.work(arena)};"
    yield "    bases[1] = workspace;"
    yield "    bases[2] = pool;"
    yield "    status = front(inputs, outputs, work, bases + INGOT_FIRST_TENSOR);"
    yield "    if (status == INGOT_GOOD) {"
    yield f"        status = ingot_interface_run({model}, bases);"
    yield "    }"
    yield "    return status == INGOT_GOOD ? back(inputs, outputs, work) : status;"
    yield "}"


_NULL_STRUCT = ("    if (inputs == NULL || outputs == NULL) {", "        return INGOT_NULL_STRUCT;", "    }")


def _ffi_entry(symbol: str, model: str, tensors: int) -> Iterable[str]:
    yield _ffi_prototype(symbol)
    yield "{"
    yield f"    void *bases[INGOT_FIRST_TENSOR + {tensors}];"
    yield "    (void)self;"
    yield "    (void)result; /* nothing is returned: the outputs are arguments */"
    yield f"    return ingot_interface_call({model}, &spare, bases, args, count);"
    yield "}"
    yield ""
    yield "__attribute__((destructor)) static void release(void)"
    yield "{"
    yield "    ingot_interface_release(&spare);"
    yield "}"
    yield ""


def _ffi_refusal(info: ModelInfo, why: str) -> Iterable[str]:
    yield _ffi_prototype(info.symbol)
    yield "{"
    yield "    (void)self;"
    yield "    (void)args;"
    yield "    (void)count;"
    yield "    (void)result;"
    yield f"    return ingot_interface_refuse({string_literal(info.name)}, {string_literal(why)});"
    yield "}"
    yield ""


def _features(levels: Sequence[ModelInfo]) -> Iterable[str]:
    """What each level asks the processor for."""
    for number, level in enumerate(levels):
        yield f"static const struct ingot_feature features{number or ''}[] = {{"
        yield from feature_rows(level.cpu_features)
        yield "    {NULL, 0u, 0u, 0u, 0u, 0u},"
        yield "};"


def _models(levels: Sequence[ModelInfo], constants: str, text: CText | None) -> Iterable[str]:
    """The one model, or the model of each level."""
    inputs, outputs = len(levels[0].inputs), len(levels[0].outputs)
    memories = [level.host.memory for level in levels]
    names = [str(number or "") for number in range(len(levels))]
    yield f"static int32_t {', '.join(f'checked{name}, populated{name}' for name in names)};"
    if levels[1:]:
        yield "static int32_t chosen;"
    rows = []
    for name, level in zip(names, levels, strict=True):
        memory = level.host.memory
        # Levels differ in their arenas, but text has one place behind all of them.
        workspace_bytes, alignment = workspace_of([memory] if text is None else memories, text)
        rows += [
            f"    {string_literal(level.name)}, {_run_name(level)}, {'tensors' if inputs + outputs else 'NULL'},",
            f"    {inputs}, {outputs},",
            f"    {constants}, {workspace_bytes}u, {alignment}u, features{name}, &checked{name},",
            f"    {memory.always_read_bytes}u, &populated{name},",
        ]
    if not levels[1:]:
        yield from ("static const struct ingot_model model = {", *rows, "};")
        return
    yield "static const struct ingot_model models[] = {"
    for at in range(0, len(rows), 4):
        yield from ("    {", *rows[at : at + 4], "    },")
    yield "};"


def _run_name(info: ModelInfo) -> str:
    return info.run_name if len(info.targets) == 1 else "run_all"


def _run_source(info: ModelInfo) -> Iterable[str]:
    """The declaration of the model's own function; for a model with several targets, a function that makes all their calls."""
    if len(info.targets) == 1:
        yield f"extern int32_t {info.run_name}(void *const *bases);"
        return
    units = {
        target.key: info.symbol if target is info.host else f"{info.symbol}_{target.key}"
        for target in info.targets
    }
    counts = dict.fromkeys(units, 0)
    lines = []
    for call in info.calls:
        lines.append(
            f"    if ((status = ingot_{units[call.target_key]}_call({counts[call.target_key]}, bases)) != 0) {{"
        )
        lines += ["        return status;", "    }"]
        counts[call.target_key] += 1
    for key, unit in units.items():
        if counts[key]:
            yield f"extern int32_t ingot_{unit}_call(int32_t number, void *const *bases);"
    yield "static int32_t run_all(void *const *bases)"
    yield "{"
    yield "    int32_t status = 0;"
    yield "    (void)bases;"
    yield from lines
    yield "    return status;"
    yield "}"
    yield ""


def _tensor_table(name: str, shape: str, members: Sequence[Member]) -> Iterable[str]:
    """A table of tensors and, before it, their shapes."""
    if not members:
        return
    for at, member in enumerate(members):
        if member.tensor.shape:
            extents = ", ".join(f"INT64_C({extent})" for extent in member.tensor.shape)
            yield f"static const int64_t {shape}{at}[] = {{{extents}}};"
    yield f"static const struct ingot_tensor {name}[] = {{"
    for at, member in enumerate(members):
        tensor = member.tensor
        title = (
            tensor.name
            if len(tensor.name) <= MAX_MESSAGE_NAME
            else tensor.name[: MAX_MESSAGE_NAME - 3] + "..."
        )
        place = f"{shape}{at}" if tensor.shape else "NULL"
        yield f"    {{{string_literal(title)}, {place}, {', '.join(_numbers_of(member))}}},"
    yield "};"


def _numbers_of(member: Member) -> tuple[str, ...]:
    """Bytes, rank, DLPack's type code and bits, and alignment of a tensor; text is pointers."""
    tensor, rank = member.tensor, str(len(member.tensor.shape))
    if isinstance(tensor, TextInfo):
        return member.c_bytes, rank, str(OPAQUE_POINTER), "8 * sizeof(char *)", member.c_alignment
    return (
        f"INT64_C({tensor.size_bytes})",
        rank,
        str(TYPES[tensor.dtype][1]),
        str(tensor.dtype.bits),
        member.c_alignment,
    )
