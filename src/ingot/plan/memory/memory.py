"""The memory plan: where every base of a program lives.

What two branches use lies apart, whenever they use it. An input that a run changes in its place lies where the output does, and
callers put it there. A kernel that may write its result over an input does so when that input
dies there. Constants lie as they come, but those that an inference need not read as a whole behind all others. Where bases of the
arena lie is said in `placement.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ingot.loops.analyse.reach import always_read
from ingot.plan.memory.placement import ALIGNMENT_BYTES, Block, aligned, place
from ingot.plan.program import HOST, Branch, Call, MemoryPlan, Program, Region, Slot, Transfer, Value

LARGE_BYTES = (
    1 << 16
)  # a constant that it is worth to know of whether all of it is read: what one page fault brings along


def plan_memory(program: Program, space: str = HOST, near_bytes: int = 0) -> MemoryPlan:
    """Places constants and temporaries of one memory space; in the host's also inputs and outputs.

    Args:
        program: what is to be computed.
        space: the memory space.
        near_bytes: of an arena that stays in a cache which each of several processors has for itself; 0: of none.
    """
    slots: dict[str, Slot] = {}
    if space == HOST:
        for number, name in enumerate(program.inputs):
            slots[name] = Slot(Region.INPUT, number, 0, program.values[name].type.size_bytes)
        for number, name in enumerate(program.outputs):
            slots[name] = Slot(Region.OUTPUT, number, 0, program.values[name].type.size_bytes)
        for result, source in program.updates.items():
            slots[source] = slots[result]
    always, others = _by_reads(program, space)
    params_bytes = always_read_bytes = 0
    for name in (*always, *others):
        size = program.values[name].type.size_bytes
        slots[name] = Slot(Region.PARAMS, 0, params_bytes, size)
        params_bytes = aligned(params_bytes + size)
        if name not in others:
            always_read_bytes = params_bytes
    blocks = _share_in_place(program, _lifetimes(program, slots, space))
    offsets, arena_bytes = place(blocks, near_bytes)
    for block, offset in zip(blocks, offsets, strict=True):
        for name in block.bases:
            slots[name] = Slot(Region.ARENA, 0, offset, base_bytes(program.values[name]))
    return MemoryPlan(
        slots, arena_bytes, params_bytes, _lower_bound(blocks), ALIGNMENT_BYTES, always_read_bytes
    )


def base_bytes(value: Value) -> int:
    """Bytes of a base: it is dense, so its span is its size."""
    return value.type.size_bytes


def _by_reads(program: Program, space: str) -> tuple[list[str], dict[str, None]]:
    """The constants that every inference reads from end to end, and the large ones of which it is not known: tables in which it
    looks up a few rows, and what only another target's own code reads. A small one costs no more to read than to ask about.
    """
    constants = [name for name in program.constants if program.values[name].space == space]
    large = {name for name in constants if program.values[name].type.size_bytes >= LARGE_BYTES}
    read: dict[tuple[int, frozenset[int]], frozenset[str]] = {}
    whole: set[str] = set()
    for call in program.kernel_calls if large else ():
        places = frozenset(at for at, name in enumerate(call.reads) if program.values[name].base in large)
        if not places:
            continue
        kernel = call.kernel
        key = (id(kernel), places)
        if key not in read:
            read[key] = always_read(kernel, [kernel.params[at] for at in sorted(places)])
        for at in places:
            value = program.values[call.args[at]]
            if kernel.params[at].name in read[key] and value.type.size_bytes == base_bytes(
                program.values[value.base]
            ):
                whole.add(value.base)
    others = dict.fromkeys(name for name in constants if name in large - whole)
    return [name for name in constants if name not in others], others


def _lifetimes(program: Program, placed: Mapping[str, Slot], space: str) -> list[Block]:
    blocks: dict[str, Block] = {}
    groups: dict[str, tuple[int, int]] = {}
    branches: dict[str, set[Branch | None]] = {}
    for number, call in enumerate(program.calls):
        branch = call.branch if isinstance(call, Call) else None
        if branch is not None:
            first, _ = groups.get(branch.group, (number, number))
            groups[branch.group] = first, number
        for name in call.args:
            base = program.values[name].base
            if base in placed or program.values[name].space != space:
                continue
            block = blocks.setdefault(
                base, Block([base], aligned(base_bytes(program.values[base])), number, number)
            )
            block.last = number
            branches.setdefault(base, set()).add(branch)
    for base, used in branches.items():
        block = blocks[base]
        if len(used) == 1:
            (block.branch,) = used
            continue
        # A value that several branches use, or calls outside of them, is alive while any branch of the group runs.
        for group in {branch.group for branch in used if branch is not None}:
            first, last = groups[group]
            block.first, block.last = min(block.first, first), max(block.last, last)
    _extend_over_loops(program, blocks)
    return list(blocks.values())


def _extend_over_loops(program: Program, blocks: Mapping[str, Block]) -> None:
    """What a loop uses of what is there before it, or behind it, is there in all its iterations; a flag is until it is read."""
    for control in program.controls:
        flag = blocks.get(program.values[control.flag].base)
        if flag is not None:
            flag.last = max(flag.last, control.first)
        if not control.repeats:
            continue
        names = {name for call in program.calls[control.first : control.end] for name in call.args}
        for base in {program.values[name].base for name in names} & blocks.keys():
            block = blocks[base]
            if block.first < control.first or block.last >= control.end:
                block.first, block.last = min(block.first, control.first), max(block.last, control.end - 1)


def _share_in_place(program: Program, blocks: list[Block]) -> list[Block]:
    """Joins the block of a result with that of an input that dies where the result is made."""
    block_of = {block.bases[0]: block for block in blocks}
    for number, call in enumerate(program.calls):
        if isinstance(call, Transfer):
            continue
        for source, result in _pairs(program, call):
            old, new = block_of.get(source), block_of.get(result)
            if old is None or new is None or old is new:
                continue
            # The result's lifetime must begin here, the input's must end here, and no other argument may view the input's memory.
            alone = sum(program.values[name].base == source for name in call.args) == 1
            together = old.branch == new.branch == call.branch
            if old.last == number and new.first == number and alone and together:
                old.bases += new.bases
                old.last = new.last
                old.size_bytes = max(old.size_bytes, new.size_bytes)
                for base in new.bases:
                    block_of[base] = old
                break
    return list({id(block): block for block in block_of.values()}.values())


def _pairs(program: Program, call: Call) -> list[tuple[str, str]]:
    """Bases of (input, output) pairs that may share storage: both are whole, and start at the same place."""
    pairs = []
    kernel = call.kernel
    for source, result in kernel.in_place:
        values = (program.values[call.args[source]], program.values[call.args[len(kernel.inputs) + result]])
        if all(v.offset == 0 and v.type.size_bytes == base_bytes(program.values[v.base]) for v in values):
            pairs.append((values[0].base, values[1].base))
    return pairs


def _lower_bound(blocks: Sequence[Block]) -> int:
    """The largest sum of sizes alive at one call."""
    changes: dict[int, int] = {}
    for block in blocks:
        changes[block.first] = changes.get(block.first, 0) + block.size_bytes
        changes[block.last + 1] = changes.get(block.last + 1, 0) - block.size_bytes
    alive = highest = 0
    for when in sorted(changes):
        alive += changes[when]
        highest = max(highest, alive)
    return highest
