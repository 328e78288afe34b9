"""A model as C for firmware: its header, its entry, and its constants as a source. No runtime, no heap, no files.

The entry calls `ingot_<symbol>_run`, which a code generator made, with the constants that are linked beside it. Struct members,
macros and statuses are those of a library's header (`link.interface`), so the same application runs with either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingot.artifact.artifact import Content
from ingot.artifact.model_info import ModelInfo
from ingot.artifact.state_block import filled_dims
from ingot.base.errors import ArtifactError
from ingot.package.c import shaped_source
from ingot.package.c.counts import count_macros, count_notes
from ingot.package.c.prototypes import prototype
from ingot.package.c.shape_tables import header_notes, shape_macros, shaped_workspace
from ingot.package.c.states import definitions as state_definitions
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
)
from ingot.package.c.tensors import (
    Member,
    TextInfo,
    c_elements,
    members_of,
    statuses_of,
    structs,
    words,
)
from ingot.package.c.text import CText, c_text, ends_in_c, workspace_of
from ingot.package.c.text_source import definitions, functions, steps

LARGE_CONSTANTS_BYTES = 256 << 10
"""From here on constants are a file that the assembler includes, which takes no time; as C, 10 MB take one to two seconds."""

_OCTAL = tuple(f"\\{byte:o}" for byte in range(256))

_NOTE = "Made by ingot"
_TEXT_NOTE = (
    " *",
    " * Text is an array of pointers to UTF-8 that ends with NUL. Each pointer that comes back is one that the caller gave, or",
    " * points into the model's own constants. */",
)


def constants_symbol(info: ModelInfo) -> str:
    """The array of a model's constants in C."""
    return f"ingot_{info.symbol}_constants"


def model_header(info: ModelInfo, programs: Sequence[ModelInfo] = ()) -> str:
    """The text of `<symbol>.h`: C99 that is C++ too, and needs nothing but <stdint.h>, and <stddef.h> for state.

    Args:
        info: the model.
        programs: of a model with extents that vary all, in the order of `info.programs`.
    """
    symbol, upper, memory, text = info.symbol, info.symbol.upper(), info.host.memory, c_text(info)
    inputs, outputs = seen_ends(info, *ends_in_c(info, text))
    workspace_bytes, alignment = workspace_of([memory], text)
    if filled_dims(info):  # how much is filled varies in every step
        workspace_bytes, alignment = shaped_workspace(info, [[program] for program in programs])
    end = " */" if text is None else ""
    lines = [
        f"/* {words(info.name)}: {_NOTE.lower()} {words(info.ingot_version)} for {words(info.host.target)}.",
        " *",
        " * The caller owns all memory that is written. The model allocates nothing and keeps no state between calls. No buffer",
        " * may overlap an output or the workspace. Tensors are dense and row-major, aligned to their element type. The",
        f" * workspace is aligned to {upper}_WORKSPACE_ALIGNMENT bytes; what it holds need not be kept between calls.{end}",
        *(() if text is None else _TEXT_NOTE),
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
        "/* Memory: what the caller gives for one call; what is constant and linked with the model; all inputs; all outputs. */",
        f"#define {upper}_WORKSPACE_BYTES {workspace_bytes}",
        f"#define {upper}_WORKSPACE_ALIGNMENT {alignment}",
        f"#define {upper}_CONSTANTS_BYTES {memory.params_bytes}",
        f"#define {upper}_INPUTS_BYTES {_sum_of_bytes(inputs)}",
        f"#define {upper}_OUTPUTS_BYTES {_sum_of_bytes(outputs)}",
        *shape_macros(info, [[program] for program in programs]),
        *state_macros(info),
        *count_macros(info),
        *structs(symbol, inputs, outputs, statuses_of(info, has_text=text is not None)),
        "",
        *state_declarations(info),
        *_entry_declarations(info),
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _entry_declarations(info: ModelInfo) -> Iterable[str]:
    symbol, has_state = info.symbol, bool(info.states)
    yield f"/* One inference. Gives a value of enum {symbol}_status. */"
    yield f"{prototype(symbol, state=has_state)};"
    yield ""
    if info.dims:
        yield f"/* One inference of any size. `dims` has a size for each of enum {symbol}_dim. */"
        yield f"{prototype(symbol, shaped=True, state=has_state)};"
        yield ""


def _sum_of_bytes(members: Sequence[Member]) -> str:
    """Bytes of all of them, as C counts them."""
    tensors = [member.tensor for member in members]
    texts = sum(c_elements(tensor) for tensor in tensors if isinstance(tensor, TextInfo))
    size = sum(tensor.size_bytes for tensor in tensors if not isinstance(tensor, TextInfo))
    return f"({size} + {texts} * sizeof(const char *))" if texts else str(size)


def model_source(info: ModelInfo) -> str:
    """The text of `<symbol>_api.c`, which includes `<symbol>.h` and defines `<symbol>_run`."""
    symbol, upper, text = info.symbol, info.symbol.upper(), c_text(info)
    inputs, outputs = ends_in_c(info, text)
    inner, count = inner_symbol(info), len(inputs) + len(outputs)
    # Where the members are before they are checked: of a model without text, they are the tensors of the kernels.
    given, first = ("bases", 3) if text is None else ("given", 0)
    lines = [
        f"/* {words(info.name)}: its entry for C. {_NOTE}. */",
        f'#include "{symbol}.h"',
        "",
        "#include <stddef.h>",
        "",
        *inner_structs(info, inputs, outputs),
        *(() if text is None else (*functions(), *definitions(text), "", *steps(inner, text))),
        *declarations(info),
        "",
        f"{'static ' * bool(info.states)}{prototype(inner)}",
        "{",
        f"    void *bases[{3 + (count if text is None else len(text.tensors))}];",
        *(
            ()
            if text is None
            else (f"    void *given[{1 + count}];", "    char *work;", "    int32_t status;")
        ),
        "    if (inputs == NULL || outputs == NULL) {",
        f"        return {upper}_ERROR_NULL_STRUCT;",
        "    }",
        *_workspace_checks(info, text),
        f"    bases[0] = {constants_pointer(info)};",
        "    bases[1] = workspace;",
        "    bases[2] = NULL;",
        *(
            f"    {given}[{at}] = (void *)(uintptr_t)inputs->{member.name};"
            for at, member in enumerate(inputs, first)
        ),
        *(
            f"    {given}[{at}] = outputs->{member.name};"
            for at, member in enumerate(outputs, first + len(inputs))
        ),
        *_tensor_checks(upper, (*inputs, *outputs), f"{given}[{first} + i]" if first else f"{given}[i]"),
        *_run(info, text),
        "}",
        *_with_state(info, inputs, outputs),
    ]
    return "\n".join(lines) + "\n"


def _with_state(info: ModelInfo, inputs: Sequence[Member], outputs: Sequence[Member]) -> Iterable[str]:
    """What callers see of a model with state, around the entries that take all inputs and outputs; nothing of others."""
    if not info.states:
        return
    null_struct = f"{info.symbol.upper()}_ERROR_NULL_STRUCT"
    yield ""
    yield from state_definitions()
    yield from state_functions(info, null_struct)
    for shaped in (False, True)[: 1 + bool(info.dims)]:
        yield from state_entry(info, inputs, outputs, null_struct, shaped=shaped, parallel=False)


def shaped_model_source(info: ModelInfo, programs: Sequence[ModelInfo]) -> str:
    """The same of a model with extents that vary, which has `<symbol>_run_shaped`, too; arguments as of `model_header`."""
    inputs, outputs = members_of(info.inputs), members_of(info.outputs)
    lines = [
        f"/* {words(info.name)}: its entries for C. {_NOTE}. */",
        f'#include "{info.symbol}.h"',
        "",
        *shaped_source.definitions(),
        *declarations(info),
        *shaped_source.declarations(info, programs),
        *inner_structs(info, inputs, outputs),
        "",
        *shaped_source.entries(info, programs, constants_pointer(info)),
        *_with_state(info, inputs, outputs),
    ]
    return "\n".join(lines) + "\n"


def _run(info: ModelInfo, text: CText | None) -> Iterable[str]:
    """The call of the kernels, between the steps on text."""
    upper = info.symbol.upper()
    if text is None:
        yield f"    return {info.run_name}(bases) == 0 ? {upper}_OK : {upper}_ERROR_KERNEL;"
        return
    yield f"    work = {text.work(info.host.memory.arena_bytes)};"
    yield "    status = front(inputs, outputs, work, bases + 3);"
    yield f"    if (status == {upper}_OK && {info.run_name}(bases) != 0) {{"
    yield f"        status = {upper}_ERROR_KERNEL;"
    yield "    }"
    yield f"    return status == {upper}_OK ? back(inputs, outputs, work) : status;"


def declarations(info: ModelInfo) -> Iterable[str]:
    """What an entry uses: the code generator's function and the constants."""
    yield f"int32_t {info.run_name}(void *const *bases);"
    if info.host.memory.params_bytes:
        yield f"extern const uint8_t {constants_symbol(info)}[];"


def constants_pointer(info: ModelInfo) -> str:
    """The constants as code generators want them; nothing writes to them."""
    return f"(void *)(uintptr_t){constants_symbol(info)}" if info.host.memory.params_bytes else "NULL"


def _workspace_checks(info: ModelInfo, text: CText | None) -> Iterable[str]:
    upper = info.symbol.upper()
    if workspace_of([info.host.memory], text)[0]:
        yield "    if (workspace == NULL) {"
        yield f"        return {upper}_ERROR_NULL_WORKSPACE;"
        yield "    }"
        yield f"    if ((uintptr_t)workspace % {upper}_WORKSPACE_ALIGNMENT != 0) {{"
        yield f"        return {upper}_ERROR_UNALIGNED_WORKSPACE;"
        yield "    }"


def _tensor_checks(upper: str, members: tuple[Member, ...], given: str) -> Iterable[str]:
    if not members:
        return
    sizes = [member.c_alignment for member in members]
    empty = any(not c_elements(member.tensor) for member in members)
    if len(set(sizes)) > 1:
        yield f"    static const uint8_t alignments[{len(sizes)}] = {{{', '.join(sizes)}}};"
    if empty:
        filled = ", ".join(str(int(c_elements(member.tensor) > 0)) for member in members)
        yield f"    static const uint8_t filled[{len(sizes)}] = {{{filled}}};"
    yield f"    for (int i = 0; i < {len(members)}; i++) {{"
    yield f"        if ({given} == NULL" + (" && filled[i] != 0" if empty else "") + ") {"
    yield f"            return {upper}_ERROR_NULL_TENSOR;"
    yield "        }"
    alignment = "alignments[i]" if len(set(sizes)) > 1 else sizes[0]
    if alignment != "1":
        yield f"        if ((uintptr_t){given} % {alignment} != 0) {{"
        yield f"            return {upper}_ERROR_UNALIGNED_TENSOR;"
        yield "        }"
    yield "    }"


# ─── constants ─────────────────────────────────────────────────────────────────────────────────────────────────────


def constants_files(info: ModelInfo, content: Content, form: str = "auto") -> dict[str, bytes]:
    """The sources of a model's constants, by file name; nothing if there are none.

    Args:
        info: the model.
        content: its constants, as they lie in memory.
        form: "c" is an array of C; "incbin" a source for the assembler of gcc or clang, and the file that it includes, which must
            lie in a folder of the include path; "auto" takes "c" for small ones.

    Raises:
        ArtifactError: the constants are not as large as the model's metadata says.
    """
    size = memoryview(content).nbytes
    if size != info.host.memory.params_bytes:
        raise ArtifactError(
            f"model {info.name!r}: its constants have {size} bytes, its metadata says {info.host.memory.params_bytes}",
            model=info.name,
        )
    if not size:
        return {}
    stem = f"{info.symbol}_constants"
    if form == "c" or (form == "auto" and size <= LARGE_CONSTANTS_BYTES):
        return {f"{stem}.c": _constants_array(info, content).encode("ascii")}
    return {
        f"{stem}.S": _constants_include(info, f"{stem}.bin").encode("ascii"),
        f"{stem}.bin": bytes(content),
    }


def _constants_array(info: ModelInfo, content: Content) -> str:
    symbol, alignment = constants_symbol(info), info.host.memory.alignment_bytes
    raw = bytes(content)
    # One string with a line for each 32 bytes: compilers read it ten times as fast as numbers. A backslash or the end of the
    # line follows each byte, so none can swallow the next.
    lines = [
        '    "' + "".join(map(_OCTAL.__getitem__, raw[at : at + 32])) + '"' for at in range(0, len(raw), 32)
    ]
    return "\n".join(
        [
            f"/* {words(info.name)}: its constants. {_NOTE}. */",
            "#include <stdint.h>",
            "",
            "#if defined(__GNUC__)",
            f'#define ALIGNED __attribute__((aligned({alignment}), visibility("hidden")))',
            "#else",
            f"#define ALIGNED /* to {alignment} bytes: tell your compiler here */",
            "#endif",
            "",
            "#if defined(__GNUC__)",
            '#pragma GCC diagnostic ignored "-Woverlength-strings"',
            "#endif",
            "",
            f"extern const uint8_t {symbol}[{len(raw)} + 1];",
            "",
            f"ALIGNED const uint8_t {symbol}[{len(raw)} + 1] =",
            *lines[:-1],
            f"{lines[-1]};",
            "",
        ]
    )


def _constants_include(info: ModelInfo, file: str) -> str:
    symbol, alignment = constants_symbol(info), info.host.memory.alignment_bytes
    return f"""/* {words(info.name)}: its constants. {_NOTE}. */
#if defined(__APPLE__)
    .const_data
    .private_extern _{symbol}
    .globl _{symbol}
    .p2align {alignment.bit_length() - 1}
_{symbol}:
    .incbin "{file}"
#else
    .section .rodata.{symbol}, "a", %progbits
    .globl {symbol}
    .hidden {symbol}
    .type {symbol}, %object
    .balign {alignment}
{symbol}:
    .incbin "{file}"
    .size {symbol}, . - {symbol}
#if defined(__linux__)
    .section .note.GNU-stack, "", %progbits
#endif
#endif
"""
