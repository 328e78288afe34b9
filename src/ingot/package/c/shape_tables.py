"""Extents that vary, in the C interface: macros for callers, and tables for `ingot/native/shapes.c`, which chooses programs.

The workspace of a call has the arena of a program and, behind it, its tensors that are no piece of the caller's memory. Programs
with room take the sizes of the call as one more input, which callers do not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingot.artifact.model_info import DimInfo, ModelInfo, TensorInfo, program_inputs
from ingot.artifact.state_block import filled_dims
from ingot.package.c.tensors import c_names, string_literal, words

SHAPES_HEADER = "shapes_ffi.h"  # of ingot/native: what the source of a library includes
STAGING_ALIGNMENT = 64  # INGOT_STAGING_ALIGNMENT of shapes.h

# Each program of a model, in the order of `ModelInfo.programs`, with those for better processors behind it. Or none.
Variants = Sequence[Sequence[ModelInfo]]
Count = tuple[str, int, int, int, int]  # as of `DimInfo.counts`


def header_notes(info: ModelInfo) -> Iterable[str]:
    """What the header's first comments say of a model whose extents vary; nothing of others."""
    if not info.dims:
        return
    sizes = _sizes_words(info, own_sizes(info))
    sizes = sizes or "a step of any"
    yield f"/* Extents vary from call to call: {info.symbol}_run_shaped takes any of their sizes, {info.symbol}_run is for"
    yield f" * {sizes}, as are the macros of inputs and outputs. A tensor is dense in the sizes of its call. */"


def own_sizes(info: ModelInfo) -> Sequence[int]:
    """The size of each extent that the program with the model's own symbol is for."""
    return next(program.sizes for program in info.programs if program.symbol == info.symbol)


def own_program(info: ModelInfo, variants: Variants) -> Sequence[ModelInfo]:
    """The program that has the model's own symbol, with those for better processors behind it, as they are among `variants`."""
    symbols = [program.symbol for program in info.programs]
    return variants[symbols.index(info.symbol)]


def takes_sizes(info: ModelInfo) -> bool:
    """Whether a model's programs have one more input behind those of callers: the sizes of the call."""
    return len(program_inputs(info)) > len(info.inputs)


def shape_macros(info: ModelInfo, variants: Variants) -> Iterable[str]:
    """Lines that define indices and sizes of extents that vary, and the workspace of calls with them."""
    if not variants:
        return
    upper, names = info.symbol.upper(), [name.upper() for name in c_names([dim.name for dim in info.dims])]
    total, alignment = shaped_workspace(info, variants)
    yield ""
    yield "/* Extents that vary, by their places in `dims`. */"
    yield f"enum {info.symbol}_dim {{"
    for at, name in enumerate(names):
        comma = "," if at + 1 < len(names) else ""
        yield f"    {upper}_DIM_{name} = {at}{comma} /* {_sentence(info, at)} */"
    yield "};"
    yield f"#define {upper}_DIMS {len(names)}"
    for dim, name in zip(info.dims, names, strict=True):
        yield from (
            f"#define {upper}_LOW_{name} {dim.low}",
            f"#define {upper}_HIGH_{name} {dim.high}",
            f"#define {upper}_MULTIPLE_{name} {dim.multiple_of}",
        )
        if dim.sizes:
            yield f"#define {upper}_SIZES_{name} {{{', '.join(map(str, dim.sizes))}}}"
            yield f"#define {upper}_SIZE_COUNT_{name} {len(dim.sizes)}"
    yield ""
    yield f"/* The workspace of {info.symbol}_run_shaped, whatever the sizes: what the largest program needs for its arena, and"
    yield " * for copies of inputs and outputs, where it computes no whole piece of the caller's memory. Programs:"
    for program, levels in zip(info.programs, variants, strict=True):
        sizes = _sizes_words(info, program.sizes, room="up to")
        yield f" * {sizes or 'any size'}: {_arena(levels)} bytes, copies {_staged_bytes(info, levels[0])}"
    yield " */"
    yield f"#define {upper}_SHAPED_WORKSPACE_BYTES {total}"
    yield f"#define {upper}_SHAPED_WORKSPACE_ALIGNMENT {alignment}"


def _sizes_words(info: ModelInfo, sizes: Sequence[int], room: str = "=") -> str:
    """`batch = 1, seq = 64`; `room` stands in the place of the sign where programs have room for an extent. What is filled of
    states is none of the sizes.
    """
    filled = filled_dims(info) if info.states else ()
    return ", ".join(
        f"{words(dim.name)} {room if dim.room else '='} {size}"
        for dim, size in zip(info.dims, sizes, strict=True)
        if dim.name not in filled
    )


def _sentence(info: ModelInfo, at: int) -> str:
    dim = info.dims[at]
    if any(state.dim == dim.name for state in info.states):
        return f"{words(dim.name)}: how much of states is filled, which the state block says; what stands here is not read"
    places = ", ".join(f"axis {axis} of {words(name)}" for name, axis in dim.inputs)
    how = "; items, each computed by itself" if dim.outputs else ""
    if dim.room:
        how = f"; programs have room for {', '.join(map(str, _sizes_of_programs(info, at)))}"
    return f"{words(dim.name)}: {dim.words}; {places}{how}"


def shape_tables(info: ModelInfo, variants: Variants) -> Iterable[str]:
    """Lines of C that define `shapes`. The models of each program are there already, in names that begin with `p0_`, `p1_`."""
    tensors = (*info.inputs, *info.outputs)
    total, alignment = shaped_workspace(info, variants)
    rows: list[str] = []
    for at, dim in enumerate(info.dims):
        yield from _dim_tables(info, at, dim)
        rows.append(_dim_row(info, at, dim))
    yield from ("static const struct ingot_dim dims_[] = {", *rows, "};")
    for at, tensor in enumerate(tensors):
        if tensor.shape:
            yield f"static const struct ingot_axis axes{at}[] = {{{_axes(info, tensor, at)}}};"
    listed = ", ".join(f"axes{at}" if tensor.shape else "NULL" for at, tensor in enumerate(tensors))
    yield f"static const struct ingot_axis *const axes[] = {{{listed}}};"
    yield "static const char *const types[] = {"
    yield from (f"    {string_literal(tensor.type_words)}," for tensor in info.inputs)
    yield "};"
    yield "static const struct ingot_program programs[] = {"
    for at, levels in enumerate(variants):
        model, chosen = (f"p{at}_models", f"&p{at}_chosen") if levels[1:] else (f"&p{at}_model", "NULL")
        yield f"    {{{model}, {len(levels)}, {chosen}, {_aligned(_arena(levels))}u}},"
    yield "};"
    yield "static const struct ingot_shapes shapes = {"
    counts = f"{int(takes_sizes(info))}, {len(info.dims)}, {len(variants)}"
    yield f"    dims_, programs, axes, types, {counts}, {total}u, {alignment}u,"
    yield "};"


def _dim_tables(info: ModelInfo, at: int, dim: DimInfo) -> Iterable[str]:
    if dim.sizes:
        yield f"static const int64_t list{at}[] = {{{_numbers(dim.sizes)}}};"
    sizes = _sizes_of_programs(info, at)
    # Of programs for the same size, that with the least of all other extents.
    cycles = [min(program.cycles for program in info.programs if program.sizes[at] == size) for size in sizes]
    yield f"static const int64_t sizes{at}[] = {{{_numbers(sizes)}}};"
    yield f"static const int64_t cycles{at}[] = {{{_numbers(cycles)}}};"
    if not dim.inputs:
        return
    inputs = [tensor.name for tensor in info.inputs]
    places = ", ".join(f"{{{inputs.index(name)}, {axis}}}" for name, axis in dim.inputs)
    yield f"static const struct ingot_place places{at}[] = {{{places}}};"


def _dim_row(info: ModelInfo, at: int, dim: DimInfo) -> str:
    listed = (f"list{at}", len(dim.sizes)) if dim.sizes else ("NULL", 0)
    return (
        f"    {{{string_literal(dim.name)}, {string_literal(str(dim))}, {_numbers((dim.low, dim.high, dim.multiple_of))}, "
        f"{listed[0]}, {listed[1]}, {int(bool(dim.outputs))}, {int(dim.room)}, sizes{at}, cycles{at}, "
        f"{len(_sizes_of_programs(info, at))}, {len(dim.inputs)}, {f'places{at}' if dim.inputs else 'NULL'}}},"
    )


def _axes(info: ModelInfo, tensor: TensorInfo, number: int) -> str:
    """For each axis of a tensor the extent that varies along it, and what gives its places."""
    axes = [(-1, 0, 0, 1, -1)] * len(tensor.shape)
    for at, dim in enumerate(info.dims):
        for name, axis, *count in _inputs_along(dim) if number < len(info.inputs) else _outputs_along(dim):
            if name == tensor.name and name not in _kept_whole(info):
                times, plus, over = count
                axes[axis] = (at, times, plus, over, _also(info, name, axis))
    return ", ".join(f"{{{', '.join(map(str, axis))}}}" for axis in axes)


def _also(info: ModelInfo, name: str, axis: int) -> int:
    """The number of the extent with a list of sizes that adds places to an axis; -1: none does."""
    adding = (
        at
        for at, dim in enumerate(info.dims)
        if not dim.room and any(place[:2] == (name, axis) for place in (*dim.sums, *dim.counts))
    )
    return next(adding, -1)


def _kept_whole(info: ModelInfo) -> set[str]:
    """The inputs and outputs that lie in a state block, as large as programs have them: what is filled of them is no tensor."""
    growing = [state for state in info.states if state.grows is not None]
    return {name for state in growing for name in (state.input, state.output)}


def _inputs_along(dim: DimInfo) -> list[Count]:
    """The axes of inputs that have fewer places in a program than in a call, or more."""
    if not (dim.outputs or dim.room):
        return []
    return [(name, axis, 1, plus, 1) for name, axis, plus in dim.places]


def _outputs_along(dim: DimInfo) -> list[Count]:
    return [*dim.counts, *((name, axis, each, 0, 1) for name, axis, each in dim.outputs)]


def _sizes_of_programs(info: ModelInfo, at: int) -> list[int]:
    return sorted({program.sizes[at] for program in info.programs})


def shaped_workspace(info: ModelInfo, variants: Variants) -> tuple[int, int]:
    """Bytes and alignment of the memory for a call of any size."""
    total = 0
    for levels in variants:
        staged = _staged_bytes(info, levels[0])
        total = max(total, _aligned(_arena(levels)) + staged if staged else _arena(levels))
    alignment = max(level.host.memory.alignment_bytes for levels in variants for level in levels)
    return total, max(alignment, STAGING_ALIGNMENT)


def _staged_bytes(info: ModelInfo, program: ModelInfo) -> int:
    """How much a program's tensors need that may be no piece of the caller's memory: those with items, or room."""
    inputs = {name for dim in info.dims for name, *_ in _inputs_along(dim)} - _kept_whole(info)
    outputs = {name for dim in info.dims for name, *_ in _outputs_along(dim)} - _kept_whole(info)
    tensors = [tensor for tensor in program.inputs if tensor.name in inputs]
    tensors += [tensor for tensor in program.outputs if tensor.name in outputs]
    return sum(_aligned(tensor.size_bytes) for tensor in tensors)


def _arena(levels: Sequence[ModelInfo]) -> int:
    return max(level.host.memory.arena_bytes for level in levels)


def _aligned(size: int) -> int:
    return -(-size // STAGING_ALIGNMENT) * STAGING_ALIGNMENT


def _numbers(numbers: Iterable[int]) -> str:
    return ", ".join(f"INT64_C({number})" for number in numbers)
