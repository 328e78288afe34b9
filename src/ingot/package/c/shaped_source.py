"""The entries of a model whose extents vary, in a source that nothing of ours is compiled beside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ingot.artifact.model_info import ModelInfo
from ingot.package.c.prototypes import prototype
from ingot.package.c.shape_tables import own_sizes, shape_tables, takes_sizes
from ingot.package.c.states import inner_symbol
from ingot.package.c.tensor_table import tensor_table
from ingot.package.c.tensors import Member, members_of, string_literal

NATIVE_FOLDER = Path(__file__).parents[2] / "native"
SOURCES = ("model.h", "checks.h", "bare.c", "shapes.h", "shapes.c")  # of ingot/native


def definitions() -> Iterator[str]:
    """Lines of all that entries call, as functions of the source itself."""
    yield "#if defined(__GNUC__)"
    yield "#define INGOT_SHARED static __attribute__((unused))"
    yield "#else"
    yield "#define INGOT_SHARED static"
    yield "#endif"
    for name in SOURCES:
        text = (NATIVE_FOLDER / name).read_text(encoding="ascii")
        yield from (line for line in text.splitlines() if not line.startswith('#include "'))
    yield ""


def declarations(info: ModelInfo, programs: Sequence[ModelInfo]) -> Iterator[str]:
    """The functions of all programs but the model's own."""
    yield from (
        f"int32_t {program.run_name}(void *const *bases);"
        for program in programs
        if program.symbol != info.symbol
    )


def entries(info: ModelInfo, programs: Sequence[ModelInfo], constants: str) -> Iterator[str]:
    """Lines of tables of all programs, and of the entries for one shape and for any size.

    Args:
        info: the model.
        programs: in the order of `info.programs`.
        constants: a C expression for where they are; all programs share them.
    """
    for at, program in enumerate(programs):
        yield from tensor_table(
            f"p{at}_tensors", f"p{at}_shape", (*members_of(program.inputs), *members_of(program.outputs))
        )
        yield from _model(f"p{at}_", program, constants)
    yield from shape_tables(info, [[program] for program in programs])
    static, symbol = "static " * bool(info.states), inner_symbol(info)
    yield ""
    if not any(
        state.grows is not None for state in info.states
    ):  # of which the entry for one shape has sizes that vary
        yield f"{static}{prototype(symbol)}"
        yield "{"
        yield from _run_own(info)
        yield "}"
        yield ""
    yield f"{static}{prototype(symbol, shaped=True)}"
    yield "{"
    yield from _run_shaped(info)
    yield "}"


def _run_own(info: ModelInfo) -> Iterator[str]:
    """The program with the model's own symbol; one with room gets the sizes that it has room for."""
    takes, own = takes_sizes(info), [program.symbol for program in info.programs].index(info.symbol)
    if takes:
        yield f"    int64_t sizes[] = {{{', '.join(map(str, own_sizes(info)))}}};"
    yield from _bases(info, takes)
    if takes:
        yield f"    bases[INGOT_FIRST_TENSOR + {len(info.inputs)}] = sizes;"
    yield f"    return ingot_interface_run(&p{own}_model, bases);"


def _run_shaped(info: ModelInfo) -> Iterator[str]:
    takes, dims = takes_sizes(info), len(info.dims)
    yield f"    void *own[INGOT_FIRST_TENSOR + {len(info.inputs) + takes + len(info.outputs)}];"
    yield f"    struct ingot_part parts[{dims}];"
    if takes:
        yield f"    int64_t sizes[{dims}];"
    yield "    struct ingot_room room;"
    yield from _bases(info, takes=False)
    yield "    room.parts = parts;"
    yield f"    room.sizes = {'sizes' if takes else 'NULL'};"
    yield "    room.bases = own;"
    yield "    return ingot_shapes_run(&shapes, dims, bases, &room);"


def _bases(info: ModelInfo, takes: bool) -> Iterator[str]:
    """Declares `bases`, and fills in what the caller gave. With `takes` there is one more between inputs and outputs."""
    inputs, outputs = members_of(info.inputs), members_of(info.outputs)
    yield f"    void *bases[INGOT_FIRST_TENSOR + {len(inputs) + takes + len(outputs)}];"
    yield "    if (inputs == NULL || outputs == NULL) {"
    yield f"        return {info.symbol.upper()}_ERROR_NULL_STRUCT;"
    yield "    }"
    yield "    bases[0] = NULL;"
    yield "    bases[1] = workspace;"
    yield "    bases[2] = NULL;"
    yield from _places("(void *)(uintptr_t)inputs->", inputs, 0)
    yield from _places("outputs->", outputs, len(inputs) + takes)


def _places(role: str, members: Sequence[Member], first: int) -> Iterator[str]:
    for at, member in enumerate(members, first):
        yield f"    bases[INGOT_FIRST_TENSOR + {at}] = {role}{member.name};"


def _model(prefix: str, program: ModelInfo, constants: str) -> Iterator[str]:
    memory, tensors = program.host.memory, len(program.inputs) + len(program.outputs)
    yield f"static const struct ingot_model {prefix}model = {{"
    yield f"    {string_literal(program.name)}, {program.run_name}, {f'{prefix}tensors' if tensors else 'NULL'},"
    yield f"    {len(program.inputs)}, {len(program.outputs)}, {constants},"
    yield f"    {memory.arena_bytes}u, {memory.alignment_bytes}u, NULL, NULL, {memory.always_read_bytes}u, NULL,"
    yield "};"
