"""The independent checker of memory plans.

It shares nothing with the planner: it walks through the calls with a map of which bytes hold whose data, as a debugger would,
and fails at the first call that reads bytes which somebody else has overwritten. A call that changes an input in its place must
find it there as it was, and who reads the input afterwards fails. Of a loop it walks through the first iterations and the last
one: places move by the same number of bytes each time. Of two branches it follows each, and goes on with what both leave. Then it
looks at every pair of branches that threads do at the same time: neither may touch what the other one writes.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ingot.base.errors import InternalError
from ingot.base.sections import Section, sections
from ingot.base.tensor import DType, TensorType
from ingot.plan.program import (
    HOST,
    Branch,
    Call,
    Control,
    MemoryPlan,
    Program,
    Region,
    Slot,
    Transfer,
)

Place = tuple[Region, int]  # a separate piece of memory: a region, and the number of the input or output


def check_memory(program: Program, plan: MemoryPlan, space: str = HOST) -> None:
    """Proves for one memory space that every read finds what was written for it, whenever the calls of branches are done.

    Raises:
        InternalError: two values collide, something lies outside of its region or is misaligned, or a value is read before it
            is written, or a branch touches what another one writes.
    """
    walk = _Walk(program, plan, space)
    for name, slot in plan.slots.items():
        _check_bounds(program, plan, name, slot)
        if slot.region in (Region.INPUT, Region.PARAMS) or name in program.inputs:
            _bytes_of(walk.memory, slot).write(slot.offset_bytes, slot.offset_bytes + slot.size_bytes, name)
    _check_constants_apart(plan)
    walk.follow(sections(program.controls, len(program.calls)))
    _check_branches(program, plan, space)
    for name in program.outputs if space == HOST else ():
        slot = plan.slots[name]
        _check_read(
            walk.memory, slot, 0, program.values[name].type.size_bytes, name, f"output {name!r} at the end"
        )


@dataclass(frozen=True, slots=True)
class _Written:
    """Bytes that were written in a loop, and by how many bytes they move with each number that counts."""

    slot: Slot
    start: int
    end: int
    base: str
    steps: Mapping[str, int]


@dataclass(slots=True)
class _Walk:
    """What was written so far, and how often each loop around has run, by the names of the numbers that count it."""

    program: Program
    plan: MemoryPlan
    space: str
    memory: dict[Place, _Bytes] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    written: list[_Written] = field(default_factory=list)  # in the iterations at hand

    def follow(self, parts: Sequence[int | Section]) -> None:
        """Walks through calls, and through what is under control as often as it takes."""
        for part in parts:
            if isinstance(part, int):
                self._call(part)
                continue
            control = self.program.controls[part.number]
            self._flag(control)
            if control.repeats:
                self._loop(part, control)
            else:
                self._branches(part)

    def _loop(self, loop: Section, control: Control) -> None:
        first: list[_Written] = []
        # Places of carried values alternate: the third iteration has those of the first.
        for number in sorted({*range(min(3, control.count)), control.count - 1}):
            self.numbers |= {control.number: number, control.parity: number % 2}
            outer, self.written = self.written, []
            self.follow(loop.parts)
            first = self.written if number == 0 else first
            self.written = [*outer, *self.written]
            self._flag(control)
        self._rows_between(control, first)
        self.numbers |= {control.number: control.count, control.parity: control.count % 2}

    def _rows_between(self, control: Control, first: Sequence[_Written]) -> None:
        """Notes what the iterations between those that were walked through wrote: as the first one did, further on."""
        ranges: dict[tuple[Slot, str, int, tuple[tuple[str, int], ...]], _Bytes] = {}
        for each in first:
            steps = dict(each.steps)
            step = steps.pop(control.number, 0)
            if step:
                key = (each.slot, each.base, step, tuple(steps.items()))
                ranges.setdefault(key, _Bytes()).write(each.start, each.end, "")
        for (slot, base, step, others), written in ranges.items():
            for start, end in written.joined():
                last = (control.count - 1) * step
                if end - start == abs(step):
                    self._note(slot, start + min(last, 0), end + max(last, 0), base, dict(others))
                    continue
                for number in range(control.count):
                    self._note(slot, start + number * step, end + number * step, base, dict(others))

    def _branches(self, branch: Section) -> None:
        before = {place: known.copy() for place, known in self.memory.items()}
        self.follow(branch.parts)
        taken, self.memory = self.memory, before
        self.follow(branch.otherwise)
        for place in taken.keys() | self.memory.keys():
            other = self.memory.get(place, _Bytes())
            self.memory[place] = taken.get(place, _Bytes()).common(other)

    def _call(self, number: int) -> None:
        call = self.program.calls[number]
        if isinstance(call, Transfer):
            _check_transfer(self, f"call {number} (transfer)", call)
        elif self.program.values[call.args[0]].space == self.space:
            _check_call(self, number, call)

    def _flag(self, control: Control) -> None:
        """What decides is there."""
        value = self.program.values[control.flag]
        if value.type != TensorType(DType.BOOL, ()) or value.moves:
            raise InternalError(f"control of {control.node!r}: its flag {control.flag!r} is {value.type}")
        if value.space == self.space:
            self.read(control.flag, f"control of {control.node!r}")

    def read(self, name: str, reader: str) -> None:
        """Raises InternalError if not all of a value is there."""
        slot, start, end, base = self.extent(name)
        _check_read(self.memory, slot, start, end, base, reader)

    def write(self, name: str) -> None:
        """Notes that all of a value is there."""
        slot, start, end, base = self.extent(name)
        value = self.program.values[name]
        size = value.type.dtype.size_bytes
        self._note(slot, start, end, base, {move.number: move.step * size for move in value.moves})

    def _note(self, slot: Slot, start: int, end: int, base: str, steps: Mapping[str, int]) -> None:
        _bytes_of(self.memory, slot).write(start, end, base)
        if self.numbers:
            self.written.append(_Written(slot, start, end, base, steps))

    def extent(self, name: str) -> tuple[Slot, int, int, str]:
        """Slot, first byte and end of what a value may touch now, and its base."""
        slot, start, end, base = _extent(self.program, self.plan, name)
        value = self.program.values[name]
        away = value.type.dtype.size_bytes * sum(
            move.step * self.numbers[move.number] for move in value.moves
        )
        return slot, start + away, end + away, base


class _Bytes:
    """Which base's data each byte holds: segments [start, end) in order, without overlaps."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.segments: list[tuple[int, int, str]] = []

    def write(self, start: int, end: int, owner: str) -> None:
        if start >= end:
            return
        low = max(0, bisect_right(self.starts, start) - 1)
        high = bisect_left(self.starts, end)
        pieces: list[tuple[int, int, str]] = []
        for old_start, old_end, old_owner in self.segments[low:high]:
            if old_start < start:
                pieces.append((old_start, min(old_end, start), old_owner))
            if old_end > end:
                pieces.append((max(old_start, end), old_end, old_owner))
        pieces.append((start, end, owner))
        pieces.sort()
        self.segments[low:high] = pieces
        self.starts[low:high] = [piece[0] for piece in pieces]

    def copy(self) -> _Bytes:
        """The same, apart from this one."""
        other = _Bytes()
        other.starts, other.segments = list(self.starts), list(self.segments)
        return other

    def common(self, other: _Bytes) -> _Bytes:
        """The data that both have at the same bytes."""
        both = _Bytes()
        for start, end, owner in self.segments:
            for their_start, their_end, theirs in other.segments:
                if theirs == owner:
                    both.write(max(start, their_start), min(end, their_end), owner)
        return both

    def joined(self) -> list[tuple[int, int]]:
        """Where there are data, from and to which byte, neighbours together."""
        ranges: list[tuple[int, int]] = []
        for start, end, _ in self.segments:
            if ranges and ranges[-1][1] == start:
                ranges[-1] = ranges[-1][0], end
            else:
                ranges.append((start, end))
        return ranges

    def owners(self, start: int, end: int) -> Iterator[str | None]:
        """Whose data lies in [start, end); None for bytes nobody has written."""
        position = start
        for old_start, old_end, owner in self.segments[max(0, bisect_right(self.starts, start) - 1) :]:
            if old_start >= end:
                break
            if old_end <= position:
                continue
            if old_start > position:
                yield None
            yield owner
            position = old_end
        if position < end:
            yield None


def _bytes_of(memory: dict[Place, _Bytes], slot: Slot) -> _Bytes:
    return memory.setdefault((slot.region, slot.number), _Bytes())


def _extent(program: Program, plan: MemoryPlan, name: str) -> tuple[Slot, int, int, str]:
    """Slot, first byte and end of what a value may touch, and its base."""
    value = program.values[name]
    slot = plan.slots[value.base]
    size = value.type.dtype.size_bytes
    start = slot.offset_bytes + value.offset * size
    return slot, start, start + value.buffer("v").span * size, value.base


def _check_bounds(program: Program, plan: MemoryPlan, name: str, slot: Slot) -> None:
    limit = {Region.PARAMS: plan.params_bytes, Region.ARENA: plan.arena_bytes}.get(
        slot.region, program.values[name].type.size_bytes
    )
    if slot.offset_bytes < 0 or slot.offset_bytes + slot.size_bytes > limit:
        raise InternalError(f"memory plan: {name!r} at {slot} is outside of its {limit} bytes")
    if slot.offset_bytes % plan.alignment_bytes:
        raise InternalError(f"memory plan: {name!r} at {slot} is not aligned to {plan.alignment_bytes} bytes")


def _check_constants_apart(plan: MemoryPlan) -> None:
    ends = sorted(
        (slot.offset_bytes, slot.offset_bytes + slot.size_bytes, name)
        for name, slot in plan.slots.items()
        if slot.region is Region.PARAMS
    )
    for (_, end, first), (start, _, second) in itertools.pairwise(ends):
        if start < end:
            raise InternalError(f"memory plan: constants {first!r} and {second!r} overlap")


def _check_read(
    memory: dict[Place, _Bytes], slot: Slot, start: int, end: int, base: str, reader: str
) -> None:
    for owner in _bytes_of(memory, slot).owners(start, end):
        if owner != base:
            state = "nothing was written" if owner is None else f"there is data of {owner!r}"
            raise InternalError(
                f"memory plan: {reader} reads {base!r} in {slot.region.value} [{start}, {end}), but {state}"
            )


def _check_transfer(walk: _Walk, reader: str, call: Transfer) -> None:
    source, result = walk.program.values[call.source], walk.program.values[call.result]
    if source.space == result.space or source.strides != result.strides or source.type != result.type:
        raise InternalError(
            f"{reader}: {call.source!r} and {call.result!r} are not the same value in two memories"
        )
    if source.buffer("v").span != source.type.size:
        raise InternalError(f"{reader}: {call.source!r} has gaps")
    if source.space == walk.space:
        walk.read(call.source, reader)
    if result.space == walk.space:
        walk.write(call.result)


def _check_call(walk: _Walk, number: int, call: Call) -> None:
    kernel, program = call.kernel, walk.program
    reader = f"call {number} ({kernel.name})"
    if len(call.args) != len(kernel.params):
        raise InternalError(f"{reader}: {len(call.args)} arguments for {len(kernel.params)} parameters")
    inputs, written = call.reads, call.writes
    if len({program.values[name].space for name in call.args}) > 1:
        raise InternalError(f"{reader}: its arguments lie in several memories")
    for name in inputs:
        walk.read(name, reader)
    allowed = set(kernel.in_place)
    for position, name in enumerate(written):
        slot, start, end, base = walk.extent(name)
        if base in program.updates:  # of which it writes some places, so that the old ones must be there
            _check_read(walk.memory, slot, start, end, program.updates[base], reader)
        if slot.region in (Region.INPUT, Region.PARAMS):
            raise InternalError(f"{reader} writes {name!r}, which lies in {slot.region.value}")
        if not slot.offset_bytes <= start <= end <= slot.offset_bytes + slot.size_bytes:
            raise InternalError(f"{reader} writes {name!r} at [{start}, {end}), outside of {slot}")
        for other_position, other in enumerate((*inputs, *written[:position])):
            other_slot, other_start, other_end, other_base = walk.extent(other)
            apart = (other_slot.region, other_slot.number) != (slot.region, slot.number)
            if apart or other_end <= start or end <= other_start:
                continue
            if (other_position, position) in allowed and other_start == start:
                continue
            if other_base == base and _disjoint_views(program, name, other):
                continue
            raise InternalError(f"{reader}: result {name!r} overlaps {other!r}")
    for name in written:
        walk.write(name)


@dataclass(frozen=True, slots=True)
class _Touched:
    """A value that a branch uses: where it lies, its base, and the call that uses it first, for messages."""

    name: str
    place: Place
    start: int
    end: int
    base: str
    call: str


def _check_branches(program: Program, plan: MemoryPlan, space: str) -> None:
    """That calls of one branch touch nothing that a call of another one writes, so that it does not matter when they are done."""
    groups: dict[str, dict[Branch, tuple[dict[str, _Touched], dict[str, _Touched]]]] = {}
    for at, call in enumerate(program.calls):
        if not isinstance(call, Call) or call.branch is None or program.values[call.args[0]].space != space:
            continue
        touched, written = groups.setdefault(call.branch.group, {}).setdefault(call.branch, ({}, {}))
        for name in call.args:
            if name not in touched:
                slot, start, end, base = _extent(program, plan, name)
                touched[name] = _Touched(
                    name, (slot.region, slot.number), start, end, base, f"call {at} ({call.kernel.name})"
                )
        written.update((name, touched[name]) for name in call.writes)
    for branches in groups.values():
        for (_, written), (others, _) in itertools.permutations(branches.values(), 2):
            for ours, other in itertools.product(written.values(), others.values()):
                if ours.place != other.place or other.end <= ours.start or ours.end <= other.start:
                    continue
                if ours.base == other.base and _disjoint_views(program, ours.name, other.name):
                    continue
                raise InternalError(
                    f"{ours.call}: result {ours.name!r} overlaps {other.name!r}, which another branch uses meanwhile"
                )


def _disjoint_views(program: Program, first: str, second: str) -> bool:
    """Whether two views of one base with the same strides share no element: they are parts of a concatenation."""
    a, b = program.values[first], program.values[second]
    if a.strides != b.strides:
        return False
    distance = b.offset - a.offset
    low, high = (a, b) if distance >= 0 else (b, a)
    distance = abs(distance)
    for axis, stride in enumerate(low.strides):
        steps, rest = divmod(distance, stride) if stride else (0, 1)
        # Apart along this dimension: the second begins where the first has ended, and both stay within one outer step.
        outer = min((s for s in low.strides if s > stride), default=None)
        within = outer is None or (steps + high.type.shape[axis]) * stride <= outer
        if rest == 0 and steps >= low.type.shape[axis] and within:
            return True
    return False
