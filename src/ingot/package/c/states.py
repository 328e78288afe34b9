"""State in the C interface: the caller's block of memory for a stream, and entries that read it and write it.

Inside is an entry that takes all inputs and outputs, as of a model without state, called `<symbol>_whole_run`; what callers see
gives it the places of states in the block. So whatever else a model has, sizes, text or levels, is done there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ingot.artifact.model_info import ModelInfo, StateInfo
from ingot.artifact.state_block import ALIGNMENT_BYTES, StateBlock, filled_dims, state_block, steps_of
from ingot.package.c.prototypes import prototype
from ingot.package.c.tensors import Member, c_names, fields, members_of, size_macros, words

HEADER = "state.h"  # of ingot/native: what a source with such entries has in it
NATIVE_FOLDER = Path(__file__).parents[2] / "native"
Members = Sequence[Member]


def inner_symbol(info: ModelInfo) -> str:
    """What the entry with all inputs and outputs is called by, and its structs."""
    return f"{info.symbol}_whole" if info.states else info.symbol


def seen_ends(info: ModelInfo, inputs: Members, outputs: Members) -> tuple[Members, Members]:
    """The inputs and outputs that callers give and get: those that are not state."""
    if not info.states:
        return inputs, outputs
    kept, results = ({getattr(state, role) for state in info.states} for role in ("input", "output"))
    return (
        members_of([member.tensor for member in inputs if member.tensor.name not in kept]),
        members_of([member.tensor for member in outputs if member.tensor.name not in results]),
    )


def state_members(info: ModelInfo) -> Members:
    """The states as members, in the order of the model's inputs."""
    tensors = {tensor.name: tensor for tensor in info.inputs}
    return members_of([tensors[state.input] for state in info.states])


def pairs_in_place(info: ModelInfo) -> list[tuple[int, int, int]]:
    """Of each state that is changed in its place the numbers of its input and output among all tensors, and its bytes. Code reads
    it where the output is: who gives another place for the input copies it there first.
    """
    inputs = {tensor.name: (at, tensor.size_bytes) for at, tensor in enumerate(info.inputs)}
    outputs = {tensor.name: at for at, tensor in enumerate(info.outputs, len(info.inputs))}
    return [
        (inputs[state.input][0], outputs[state.output], inputs[state.input][1])
        for state in info.states
        if state.axis is not None
    ]


# ─── the header ────────────────────────────────────────────────────────────────────────────────────────────────────


def state_notes(info: ModelInfo) -> Iterable[str]:
    """What the header's first comments say of a model with state; nothing of others."""
    if not info.states:
        return
    symbol, upper = info.symbol, info.symbol.upper()
    yield f"/* State: each stream has a block of {upper}_STATE_BYTES of the caller's memory, which {symbol}_init_state begins"
    yield " * with zeros. A step leaves its state there for the next; one that fails leaves the state as it was. One thread at a"
    yield " * time works on a block. It has no pointers: a copy of it is another stream, and may lie elsewhere, or in a file."
    for state in info.states:
        note = ", in its place: a kernel that reports an error may have written some of it"
        yield f" *   {words(state.output)} becomes {words(state.input)}{note if state.axis is not None else ''}"
    for dim in filled_dims(info):
        step = steps_of(info)[dim]
        more = " + ".join((*(words(new.name) for new in step.new), *([str(step.plus)] if step.plus else [])))
        yield f" * {words(dim)} is how many places of states are filled: none in the beginning, and at most {step.capacity}."
        yield f" * A step adds {more}. What is filled lies in front, in memory with the strides of the state's shape."
    yield " */"


def includes(info: ModelInfo) -> Iterable[str]:
    """The headers that a model's header needs."""
    if info.states:
        yield "#include <stddef.h>"
    yield "#include <stdint.h>"


def state_macros(info: ModelInfo) -> Iterable[str]:
    """Lines that define the block's memory, the places of states in it, and the struct of pointers to them."""
    if not info.states:
        return
    symbol, upper, block = info.symbol, info.symbol.upper(), state_block(info)
    yield ""
    yield f"/* The block of a stream. A state has two places, {upper}_STATE_HALF bytes from one another, and its offset is that"
    yield f" * of the first. Which one is current changes with each step: {symbol}_find_states knows. A state that is changed in"
    yield " * its place has no second one. */"
    yield f"#define {upper}_STATE_BYTES {block.size_bytes}"
    yield f"#define {upper}_STATE_ALIGNMENT {ALIGNMENT_BYTES}"
    yield f"#define {upper}_STATE_HALF {block.half_bytes}"
    for member, state in zip(state_members(info), info.states, strict=True):
        yield from size_macros(f"{upper}_STATE", member)
        yield f"#define {upper}_STATE_{member.macro}_OFFSET {state.offset_bytes}"
    for dim, name in zip(filled_dims(info), c_names(filled_dims(info)), strict=True):
        yield f"#define {upper}_STATE_CAPACITY_{name.upper()} {steps_of(info)[dim].capacity}"
    yield ""
    yield from states_struct(info)


def states_struct(info: ModelInfo) -> Iterable[str]:
    """Lines that declare the struct of pointers to the states, and to how many places of them are filled."""
    yield f"struct {info.symbol}_states {{"
    yield from fields(state_members(info), "")
    for name, dim in zip(_filled_members(info), filled_dims(info), strict=True):
        yield f"    int64_t *{name}; /* how many places are filled along {words(dim)} */"
    yield "};"


def _filled_members(info: ModelInfo) -> Sequence[str]:
    names = [member.name for member in state_members(info)]
    return c_names([*names, *(f"filled_{dim}" for dim in filled_dims(info))])[len(names) :]


def state_prototypes(symbol: str) -> tuple[str, str, str]:
    """The declarations of the functions on a block, without their semicolons."""
    return (
        f"size_t {symbol}_state_bytes(void)",
        f"int32_t {symbol}_init_state(void *state)",
        f"int32_t {symbol}_find_states(void *state, struct {symbol}_states *states)",
    )


_COMMENTS = (
    "/* How large a block is, for who has no header. */",
    "/* Begins a stream, anew too: every state is zeros. Gives a status, as all of these. */",
    "/* Where the states are that the next step reads, until then: to look at them, to keep them, to set them. */",
)


def state_declarations(info: ModelInfo) -> Iterable[str]:
    """Lines that declare the functions on a block."""
    if not info.states:
        return
    for comment, declared in zip(_COMMENTS, state_prototypes(info.symbol), strict=True):
        yield comment
        yield f"{declared};"
        yield ""


# ─── the source ────────────────────────────────────────────────────────────────────────────────────────────────────


def definitions() -> Iterable[str]:
    """Lines of all that the functions call, as functions of the source itself."""
    yield from (NATIVE_FOLDER / HEADER).read_text(encoding="ascii").splitlines()
    yield ""


def inner_structs(info: ModelInfo, inputs: Members, outputs: Members) -> Iterable[str]:
    """Lines that declare the structs of all inputs and outputs; nothing where callers have the same."""
    if info.states:
        yield f"struct {inner_symbol(info)}_inputs {{"
        yield from fields(inputs, "const ")
        yield "};"
        yield f"struct {inner_symbol(info)}_outputs {{"
        yield from fields(outputs, "")
        yield "};"


def state_functions(info: ModelInfo, null_struct: str) -> Iterable[str]:
    """Lines of the functions on a block; `null_struct` is the status for a struct that is NULL."""
    if not info.states:
        return
    block, (size, begin, find) = state_block(info), state_prototypes(info.symbol)
    yield from (size, "{", f"    return {block.size_bytes}u;", "}", "")
    yield from (
        begin,
        "{",
        f"    return ingot_state_begin(state, {block.size_bytes}u, {block.mark}u);",
        "}",
        "",
    )
    yield find
    yield "{"
    yield from _check(block)
    yield "    if (states == NULL) {"
    yield f"        return {null_struct};"
    yield "    }"
    for member, state in zip(state_members(info), info.states, strict=True):
        yield f"    states->{member.name} = {_place(block, state, is_next=False)};"
    for number, name in enumerate(_filled_members(info)):
        yield f"    states->{name} = ((struct ingot_state *)state)->filled + {number};"
    yield "    return 0;"
    yield "}"
    yield ""


def state_entry(
    info: ModelInfo, inputs: Members, outputs: Members, null_struct: str, *, shaped: bool, parallel: bool
) -> Iterable[str]:
    """Lines of an entry that takes a block, around the one that takes all inputs and outputs.

    Args:
        info: the model, which has states.
        inputs: all of them.
        outputs: all of them.
        null_struct: the status for a struct that is NULL.
        shaped: whether it is the entry for any size of extents that vary.
        parallel: whether it takes a pool of threads.
    """
    if filled_dims(info) and not shaped:
        yield from _own_step(info, parallel=parallel)
        return
    inner, block = inner_symbol(info), state_block(info)
    given, results = seen_ends(info, inputs, outputs)
    yield prototype(info.symbol, shaped=shaped, parallel=parallel, state=True)
    yield "{"
    yield f"    struct {inner}_inputs given;"
    yield f"    struct {inner}_outputs results;"
    yield "    if (inputs == NULL || outputs == NULL) {"
    yield f"        return {null_struct};"
    yield "    }"
    yield from _check(block)
    yield from _sizes(info)
    by_input = {state.input: _place(block, state, is_next=False) for state in info.states}
    by_output = {state.output: _place(block, state, is_next=True) for state in info.states}
    yield from _pointers("given", inputs, "inputs", given, by_input)
    yield from _pointers("results", outputs, "outputs", results, by_output)
    function = f"{inner}_run{'_shaped' * shaped}{'_parallel' * parallel}"
    dims, pool = "dims, " * shaped, ", pool" * parallel
    if filled_dims(info):
        yield f"    const int32_t end = {function}(sizes, &given, &results, workspace{pool});"
        yield from (
            f"    ingot_state_grow(state, {number}, more{number}, end);"
            for number in range(len(filled_dims(info)))
        )
        yield "    return ingot_state_end(state, end);"
    else:
        yield f"    return ingot_state_end(state, {function}({dims}&given, &results, workspace{pool}));"
    yield "}"
    yield ""


def _own_step(info: ModelInfo, *, parallel: bool) -> Iterable[str]:
    """The entry for one shape: how much is filled varies all the same."""
    own = next(program.sizes for program in info.programs if program.symbol == info.symbol)
    yield prototype(info.symbol, parallel=parallel, state=True)
    yield "{"
    yield f"    static const int64_t dims[] = {{{', '.join(map(str, own))}}};"
    call = f"{info.symbol}_run_shaped{'_parallel' * parallel}"
    yield f"    return {call}(dims, inputs, outputs, state, workspace{', pool' * parallel});"
    yield "}"
    yield ""


def _sizes(info: ModelInfo) -> Iterable[str]:
    """Lines that take the sizes of a step, with how much is filled, and check that it finds room; none where no state grows."""
    if not filled_dims(info):
        return
    names, steps = [dim.name for dim in info.dims], steps_of(info)
    yield f"    int64_t sizes[{len(names)}];"
    yield "    if (dims == NULL) {"
    yield "        return INGOT_NULL_DIMS;"
    yield "    }"
    yield "    memcpy(sizes, dims, sizeof sizes);"
    for at in sorted({names.index(dim.name) for step in steps.values() for dim in step.new}):
        dim = info.dims[at]
        yield f"    if (sizes[{at}] < {dim.low} || sizes[{at}] > {dim.high}) {{"
        yield "        return INGOT_DIM_RANGE;"
        yield "    }"
    for number, dim_name in enumerate(filled_dims(info)):
        step = steps[dim_name]
        terms = " + ".join((str(step.plus), *(f"sizes[{names.index(dim.name)}]" for dim in step.new)))
        yield f"    const int64_t more{number} = {terms};"
        yield f"    const int32_t room{number} = ingot_state_room(state, {number}, more{number}, {step.capacity});"
        yield f"    if (room{number} != 0) {{"
        yield f"        return room{number};"
        yield "    }"
        filled = f"((const struct ingot_state *)state)->filled[{number}]"
        yield f"    sizes[{names.index(dim_name)}] = {filled};"


def _check(block: StateBlock) -> Iterable[str]:
    yield f"    const int32_t status = ingot_state_check(state, {block.mark}u);"
    yield "    if (status != 0) {"
    yield "        return status;"
    yield "    }"


def _place(block: StateBlock, state: StateInfo, *, is_next: bool) -> str:
    """A C expression for where a state is, or will be after the step."""
    half = "(char *)state"
    if state.axis is None:
        half = f"ingot_state_half(state, {block.half_bytes}u, {int(is_next)}u)"
    return f"(void *)({half} + {state.offset_bytes}u)"


def _pointers(
    struct: str, members: Members, seen_struct: str, seen: Members, places: dict[str, str]
) -> Iterable[str]:
    """The members of the struct inside: places of states, and what callers gave, whose names may be others."""
    rest = iter(seen)
    for member in members:
        place = places.get(member.tensor.name)
        yield f"    {struct}.{member.name} = {place or f'{seen_struct}->{next(rest).name}'};"
