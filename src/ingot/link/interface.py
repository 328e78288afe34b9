"""The C interface of a model: a header, and the source of its entries. Made from `ModelInfo` when a library is linked.

A library exports for each model with native code

    int32_t <symbol>_run(const struct <symbol>_inputs *, const struct <symbol>_outputs *, void *workspace);
    int32_t <symbol>_run_parallel(…, struct ingot_pool *pool);
    int __tvm_ffi_<symbol>(…);     tvm-ffi: the inputs, then the outputs, as tensors; a number of threads may follow

What all models share is `ingot/native/interface.c`; the source that is made here is a table of tensors and three short functions,
so that it compiles in no time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from ingot.artifact.artifact import LOADER_NATIVE, LOADER_PARAMS, LOADER_TEXT, Artifact
from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.levels import read_levels
from ingot.artifact.model_info import ModelInfo, calls_file
from ingot.artifact.programs import read_programs
from ingot.artifact.state_block import filled_dims, why_no_block
from ingot.link.model_tables import feature_tables, model_tables, run_source
from ingot.link.processor import KNOWN
from ingot.package.c.counts import count_macros, count_notes
from ingot.package.c.prototypes import prototype
from ingot.package.c.shape_tables import (
    SHAPES_HEADER,
    Variants,
    header_notes,
    own_program,
    own_sizes,
    shape_macros,
    shape_tables,
    shaped_workspace,
    takes_sizes,
)
from ingot.package.c.states import HEADER as STATE_HEADER
from ingot.package.c.states import (
    includes,
    inner_structs,
    inner_symbol,
    seen_ends,
    state_declarations,
    state_entry,
    state_functions,
    state_macros,
    state_notes,
    state_prototypes,
    states_struct,
)
from ingot.package.c.tensor_table import tensor_table
from ingot.package.c.tensors import (
    Member,
    fields,
    members_of,
    statuses_of,
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
CONVENTIONS = ("model.h", CONVENTION)
NO_TENSORS = (
    "it has text at its ends, or steps on text, and tensors of tvm-ffi are numbers; C programs can call it"
)
NO_TENSORS_THAT_GROW = (
    "it has state that grows in a block of memory, which tvm-ffi does not know; C programs can call it"
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
    by_regions = {call.target_key for call in info.calls if call.region}
    names = {(artifact.loader, artifact.target_key, artifact.file_name) for artifact in artifacts}
    for target in info.targets:
        if target.key in by_regions:
            if (LOADER_NATIVE, target.key, calls_file(f"{info.symbol}_{target.key}")) not in names:
                return (
                    f"its part {target.key!r} is regions of the model, which only ingot's own runtime drives"
                )
            continue
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
    if info.states and why_no_block(info):
        return why_no_block(info)
    if info.host.params and not any(is_params(artifact, info) for artifact in artifacts):
        return "its constants are not in the library"
    return ""


def variants_of(artifacts: ArtifactSet, info: ModelInfo) -> Variants:
    """Each program of a model with extents that vary, with those for better processors; nothing of other models.

    Raises:
        ArtifactError: one is missing, is wrong or is not of this model.
    """
    programs = read_programs(artifacts, info) if info.dims else ()
    return tuple(read_levels(artifacts, program) for program in programs)


def is_params(artifact: Artifact, info: ModelInfo) -> bool:
    """Whether the artifact holds the constants of the model's host."""
    host = info.host
    return (artifact.loader, artifact.target_key, artifact.file_name) == (
        LOADER_PARAMS,
        host.key,
        host.params,
    ) and memoryview(artifact.content).nbytes == host.memory.params_bytes


def interface_header(info: ModelInfo, better: Sequence[ModelInfo] = (), variants: Variants = ()) -> Artifact:
    """The header `<symbol>.h`, in C99 that is C++ too.

    Args:
        info: the model.
        better: the model's programs for better processors, the best last.
        variants: of a model with extents that vary each program, in the order of `info.programs`, with those for better
            processors behind it.
    """
    text = _header((info, *better), variants)
    return Artifact(CODEGEN_ID, LOADER_TEXT, f"{info.symbol}.h", text.encode("ascii"))


def interface_source(
    info: ModelInfo,
    params_offset: int,
    data: str = SYMBOL,
    better: Sequence[ModelInfo] = (),
    variants: Variants = (),
    offsets: Sequence[int] = (),
) -> Artifact:
    """The source `<symbol>_api.c`; it includes `interface.h` of `ingot/native` and nothing else of ours.

    Args:
        info: the model.
        params_offset: where its constants begin, from the first byte of the library's container.
        data: the symbol of that byte.
        better: the model's programs for better processors, the best last. The first call takes the last one that fits.
        variants: as of `interface_header`.
        offsets: where the constants of each of these begin.
    """
    text = _source((info, *better), params_offset, data, variants, offsets)
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


def _header(levels: Sequence[ModelInfo], variants: Variants) -> str:
    info = levels[0]
    symbol, upper, memories = info.symbol, info.symbol.upper(), [level.host.memory for level in levels]
    text, state = c_text(info), bool(info.states)
    inputs, outputs = seen_ends(info, *ends_in_c(info, text))
    workspace_bytes, alignment = workspace_of(memories, text)
    if filled_dims(info):  # how much is filled varies in every step
        workspace_bytes, alignment = shaped_workspace(info, variants)
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
        *header_notes(info),
        *state_notes(info),
        *count_notes(info),
        f"#ifndef INGOT_INTERFACE_{upper}_H",
        f"#define INGOT_INTERFACE_{upper}_H",
        "",
        *includes(info),
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        f"#define {upper}_WORKSPACE_BYTES {workspace_bytes}",
        f"#define {upper}_WORKSPACE_ALIGNMENT {alignment}",
        *shape_macros(info, variants),
        *state_macros(info),
        *count_macros(info),
        *structs(symbol, inputs, outputs, statuses_of(info, has_text=text is not None)),
        "",
        *state_declarations(info),
        f"/* One inference on the calling thread. Gives a value of enum {symbol}_status. */",
        f"{prototype(symbol, state=state)};",
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
        f"{prototype(symbol, parallel=True, state=state)};",
        "",
        *(_shaped_declarations(symbol, state=state) if variants else ()),
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _shaped_declarations(symbol: str, *, state: bool) -> Iterable[str]:
    yield f"/* One inference of any size, on the calling thread. `dims` has a size for each of enum {symbol}_dim. */"
    yield f"{prototype(symbol, shaped=True, state=state)};"
    yield ""
    yield "/* The same on the threads of a pool; with NULL on the calling thread. */"
    yield f"{prototype(symbol, shaped=True, parallel=True, state=state)};"
    yield ""


def _ffi_prototype(symbol: str) -> str:
    any_ = "struct ingot_ffi_any"
    return f"int __tvm_ffi_{symbol}(void *self, const {any_} *args, int32_t count, {any_} *result)"


# ─── the source ────────────────────────────────────────────────────────────────────────────────────────────────────


def _source(
    levels: Sequence[ModelInfo], params_offset: int, data: str, variants: Variants, offsets: Sequence[int]
) -> str:
    info = levels[0]
    symbol, text = info.symbol, c_text(info)
    model = f"ingot_fitting_model(models, {len(levels)}, &chosen)" if levels[1:] else "&model"
    inputs, outputs = ends_in_c(info, text)
    levels = own_program(info, variants) if variants else levels
    tensors = (*members_of(levels[0].inputs), *members_of(levels[0].outputs))
    return "\n".join(
        [
            f"/* {words(info.name)}: its entries for callers in C and for tvm-ffi. Made by ingot from the model's metadata. */",
            f'#include "{CONVENTION}"',
            *(() if text is None else (f'#include "{TEXT_SOURCES[0]}"',)),
            *((f'#include "{SHAPES_HEADER}"',) if variants else ()),
            *((f'#include "{STATE_HEADER}"',) if info.states else ()),
            "",
            *_declared(info, inputs, outputs),
            "",
            *(line for level in levels for line in run_source(level)),
            f"extern const unsigned char {data}[];",
            "",
            *tensor_table("tensors", "shape", tensors),
            *feature_tables(levels),
            *model_tables(levels, _constants(info, data, params_offset), text),
            *(_plain_run(info, model, inputs, outputs) if text is None else _text_run(levels, model, text)),
            "",
            f"const char *{symbol}_strerror(int32_t status)",
            "{",
            "    return ingot_interface_words(status);",
            "}",
            "",
            *(_shaped_entries(info, variants, data, offsets) if variants else ()),
            *_with_state(info, inputs, outputs),
            *_on_one_thread(info),
            *_ffi(info, model, text, shaped=bool(variants)),
        ]
    )


def _declared(info: ModelInfo, inputs: Sequence[Member], outputs: Sequence[Member]) -> Iterable[str]:
    """The structs, and declarations of all that the library exports for a model, and of what is inside of it."""
    symbol, state, given, results = info.symbol, bool(info.states), *seen_ends(info, inputs, outputs)
    yield "struct ingot_pool;"
    yield f"struct {symbol}_inputs {{"
    yield from fields(given, "const ")
    yield "};"
    yield f"struct {symbol}_outputs {{"
    yield from fields(results, "")
    yield "};"
    grows = bool(filled_dims(info))
    for shaped, parallel in itertools.product(_shaped_or_not(info), (False, True)):
        yield f"INGOT_EXPORTED {prototype(symbol, shaped=shaped, parallel=parallel, state=state)};"
    yield f"INGOT_EXPORTED {_ffi_prototype(symbol)};"
    yield f"INGOT_EXPORTED const char *{symbol}_strerror(int32_t status);"
    if state:
        yield from inner_structs(info, inputs, outputs)
        for shaped in _shaped_or_not(info):
            unused = "__attribute__((unused)) " * (grows and not shaped)
            yield f"static {unused}{prototype(inner_symbol(info), shaped=shaped, parallel=True)};"
        yield from states_struct(info)
        yield from (f"INGOT_EXPORTED {declared};" for declared in state_prototypes(symbol))


def _shaped_or_not(info: ModelInfo) -> tuple[bool, ...]:
    """Whether an entry is the one for any size, of each that a model has."""
    return (False, True) if info.dims else (False,)


def _with_state(info: ModelInfo, inputs: Sequence[Member], outputs: Sequence[Member]) -> Iterable[str]:
    """What callers see of a model with state, around the entries that take all inputs and outputs; nothing of others."""
    if not info.states:
        return
    yield from state_functions(info, "INGOT_NULL_STRUCT")
    for shaped in _shaped_or_not(info):
        yield from state_entry(info, inputs, outputs, "INGOT_NULL_STRUCT", shaped=shaped, parallel=True)


def _on_one_thread(info: ModelInfo) -> Iterable[str]:
    """The entries without a pool."""
    symbol, state = info.symbol, bool(info.states)
    for shaped in _shaped_or_not(info):
        yield prototype(symbol, shaped=shaped, state=state)
        yield "{"
        arguments = f"{'dims, ' * shaped}inputs, outputs, {'state, ' * state}workspace, NULL"
        yield f"    return {symbol}_run{'_shaped' * shaped}_parallel({arguments});"
        yield "}"
        yield ""


def _constants(info: ModelInfo, data: str, offset: int) -> str:
    return f"(void *)(uintptr_t)({data} + {offset}u)" if info.host.params else "NULL"


def _ffi(info: ModelInfo, model: str, text: CText | None, *, shaped: bool) -> Iterable[str]:
    """What tvm-ffi calls."""
    if text is not None:
        return _ffi_refusal(info, NO_TENSORS)
    if filled_dims(info):
        return _ffi_refusal(info, NO_TENSORS_THAT_GROW)
    return _ffi_shaped(info) if shaped else _ffi_entry(info, model)


def _shaped_entries(info: ModelInfo, variants: Variants, data: str, offsets: Sequence[int]) -> Iterable[str]:
    """The tables of all programs, and the entries for any size."""
    symbol, tensors = info.symbol, len(info.inputs) + len(info.outputs)
    features = tuple(sorted({name for levels in variants for name in levels[0].cpu_features}))
    for at, (levels, offset) in enumerate(zip(variants, offsets, strict=True)):
        prefix, first = f"p{at}_", levels[0]
        if first.symbol != symbol:
            yield from (line for level in levels for line in run_source(level))
        yield from tensor_table(
            f"{prefix}tensors", f"{prefix}shape", (*members_of(first.inputs), *members_of(first.outputs))
        )
        yield from feature_tables(levels, prefix, features)
        yield from model_tables(levels, _constants(first, data, offset), None, prefix)
    yield from shape_tables(info, variants)
    yield ""
    yield prototype(inner_symbol(info), shaped=True, parallel=True)
    yield "{"
    yield f"    void *bases[INGOT_FIRST_TENSOR + {tensors}];"
    yield from _room(info)
    yield from _NULL_STRUCT
    yield "    bases[1] = workspace;"
    yield "    bases[2] = pool;"
    yield from _copies("bases + INGOT_FIRST_TENSOR", members_of(info.inputs), members_of(info.outputs))
    yield "    return ingot_shapes_run(&shapes, dims, bases, &room);"
    yield "}"
    yield ""


def _room(info: ModelInfo) -> Iterable[str]:
    """Declares `room`: memory for one call of any size."""
    dims, takes = len(info.dims), takes_sizes(info)
    yield f"    void *own[INGOT_FIRST_TENSOR + {len(info.inputs) + takes + len(info.outputs)}];"
    yield f"    struct ingot_part parts[{dims}];"
    if takes:
        yield f"    int64_t sizes[{dims}];"
    yield f"    const struct ingot_room room = {{parts, {'sizes' if takes else 'NULL'}, own}};"


def _copies(
    place: str, inputs: Sequence[Member], outputs: Sequence[Member], between: str = ""
) -> Iterable[str]:
    """All pointers look alike where there are shared libraries; one copy of a struct compiles faster than hundreds of stores.

    `between`: one more pointer, between those of the inputs and of the outputs.
    """
    for role, first, some in (("inputs", 0, inputs), ("outputs", len(inputs) + bool(between), outputs)):
        if some:
            yield f"    __builtin_memcpy({place} + {first}, {role}, {len(some)} * sizeof(void *));"
    if between:
        yield f"    ({place})[{len(inputs)}] = {between};"


def _plain_run(
    info: ModelInfo, model: str, inputs: Sequence[Member], outputs: Sequence[Member]
) -> Iterable[str]:
    """The entry for one shape; of a program with room it is for the largest size."""
    sizes = own_sizes(info) if takes_sizes(info) else ()
    yield "static struct ingot_spare spare;"
    yield ""
    yield prototype(inner_symbol(info), parallel=True)
    yield "{"
    yield f"    void *bases[INGOT_FIRST_TENSOR + {len(inputs) + len(outputs) + bool(sizes)}];"
    if sizes:
        yield f"    int64_t sizes[] = {{{', '.join(map(str, sizes))}}};"
    yield from _NULL_STRUCT
    yield "    bases[1] = workspace;"
    yield "    bases[2] = pool;"
    yield from _copies("bases + INGOT_FIRST_TENSOR", inputs, outputs, "sizes" if sizes else "")
    yield f"    return ingot_interface_run({model}, bases);"
    yield "}"


def _text_run(levels: Sequence[ModelInfo], model: str, text: CText) -> Iterable[str]:
    symbol = inner_symbol(levels[0])
    arena = max(level.host.memory.arena_bytes for level in levels)
    yield from tensor_table("ends", "extents", text.ends)
    yield from definitions(text)
    yield ""
    yield from steps(symbol, text)
    yield prototype(symbol, parallel=True)
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


def _ffi_shaped(info: ModelInfo) -> Iterable[str]:
    tensors = (*info.inputs, *info.outputs)
    axes = sum(len(tensor.shape) for tensor in tensors)
    yield "static int32_t run_shaped(void *const *bases)"
    yield "{"
    yield from _room(info)
    yield f"    return ingot_shapes_run(&shapes, bases[INGOT_FIRST_TENSOR + {len(tensors)}], bases, &room);"
    yield "}"
    yield ""
    yield _ffi_prototype(info.symbol)
    yield "{"
    yield f"    int64_t dims[{len(info.dims)}], extents[{axes}];"
    yield f"    struct ingot_tensor given[{len(tensors)}];"
    yield f"    void *bases[INGOT_FIRST_TENSOR + {len(tensors) + 1}];"
    yield "    const struct ingot_ffi_room room = {dims, given, extents, bases};"
    yield "    (void)self;"
    yield "    (void)result; /* nothing is returned: the outputs are arguments */"
    yield "    return ingot_shapes_call(&shapes, &spare, run_shaped, &room, args, count);"
    yield "}"
    yield ""
    yield from _RELEASE


def _ffi_entry(info: ModelInfo, model: str) -> Iterable[str]:
    tensors = len(info.inputs) + len(info.outputs)
    yield _ffi_prototype(info.symbol)
    yield "{"
    yield f"    void *bases[INGOT_FIRST_TENSOR + {tensors}];"
    yield "    (void)self;"
    yield "    (void)result; /* nothing is returned: the outputs are arguments */"
    yield f"    return ingot_interface_call({model}, &spare, bases, args, count);"
    yield "}"
    yield ""
    yield from _RELEASE


_RELEASE = (
    "__attribute__((destructor)) static void release(void)",
    "{",
    "    ingot_interface_release(&spare);",
    "}",
    "",
)


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
