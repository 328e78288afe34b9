"""The object with a model's entry points: the calls of the program one after another, or branches of them side by side."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence

from ingot.base.sections import Section, sections
from ingot.codegen.llvm.parallel.paired_threads import PairedCalls
from ingot.codegen.llvm.parallel.pool import POOL_FOR, POOL_PAIR, POOL_THREADS
from ingot.codegen.llvm.parallel.repeat import emit_repeat
from ingot.plan.program import Call, CompileUnit, Region
from ingot.plan.schedule.branches import runs

BRANCH_GRAINS = 256  # half a microsecond each: branches are made of maps that are larger than a cache
# What LLVM takes for a function grows with the square of the calls in it where they have many bases; a model of more calls is
# several functions of at most PART_CALLS calls.
PART_CALLS = 256


def emit_entry(unit: CompileUnit, paired_calls: Sequence[PairedCalls] = ()) -> str:
    """The LLVM module of `ingot_<symbol>_run` and `ingot_<symbol>_call`, and of `ingot_<symbol>_repeat` where callers repeat the
    program, without a target. `paired_calls`: calls that two threads run through together.
    """
    symbol, program = unit.symbol, unit.program
    calls = program.kernel_calls
    lines = []
    for kernel in program.kernels:
        params = ", ".join(["ptr"] * (len(kernel.params) + 1))
        lines.append(f"declare hidden i32 @{kernel_symbol(symbol, kernel.name)}({params})")
    if program.controls:
        lines += [*_under_control(unit), *_by_number(unit), *_kernel_entry(unit)]
        lines += emit_repeat(unit) if unit.repeats else ()
        return "\n".join(lines) + "\n"
    has_branches = any(call.branch is not None for call in calls)
    parts = len(calls) > PART_CALLS
    in_run = (
        [position for position, call in enumerate(calls) if call.branch is not None]
        if parts
        else range(len(calls))
    )
    run = [f"define i32 @ingot_{symbol}_run(ptr %bases) nounwind {{", "entry:", *_bases(unit, in_run)]
    if has_branches:
        lines += [
            f"declare hidden void @{POOL_FOR}(ptr, ptr, ptr, i64, i64)",
            f"declare hidden i32 @{POOL_THREADS}(ptr)",
        ]
        run += [
            "  %args = alloca [2 x ptr], align 8",
            "  %failure = alloca i32, align 4",
            "  store i32 0, ptr %failure",
        ]
        run += ["  store ptr %bases, ptr %args", "  %second = getelementptr inbounds ptr, ptr %args, i64 1"]
        run += ["  store ptr %failure, ptr %second", f"  %threads = call i32 @{POOL_THREADS}(ptr %base2)"]
    if paired_calls:
        lines.append(f"declare hidden i32 @{POOL_PAIR}(ptr, ptr, ptr, i32, i32, i64)")
    pair_of = {position: pair for pair in paired_calls for position in pair.calls}
    for number, branches in enumerate(runs(calls)):
        positions = sorted(itertools.chain(*branches))
        if len(branches) == 1:
            for pair, together in itertools.groupby(positions, pair_of.get):
                if pair is None and parts:
                    for some in _chunks(tuple(together)):
                        lines += _part(unit, some, f"k.{symbol}.part.{some[0]}")
                        run += _by_part(some[0], f"k.{symbol}.part.{some[0]}")
                elif pair is None:
                    run += _in_turn(unit, tuple(together), "%base2", lambda status: [f"  ret i32 {status}"])
                else:
                    lines += _pair_body(unit, pair, f"k.{symbol}.team.{pair.calls.start}")
                    run += _by_pair(unit, pair, f"k.{symbol}.team.{pair.calls.start}")
            continue
        in_turn = _in_turn(unit, positions, "%base2", lambda status: [f"  ret i32 {status}"])
        body = f"k.{symbol}.branches.{number}"
        lines += _branches(unit, branches, body)
        run += [
            # With other numbers of threads all of them share out the loops of each kernel instead.
            f"  %suits{number} = icmp eq i32 %threads, {len(branches)}",
            f"  br i1 %suits{number}, label %together{number}, label %inturn{number}",
            f"together{number}:",
            f"  call void @{POOL_FOR}(ptr %base2, ptr @{body}, ptr %args, i64 {len(branches)}, i64 -{BRANCH_GRAINS})",
            f"  %ended{number} = load i32, ptr %failure",
            f"  %well{number} = icmp eq i32 %ended{number}, 0",
            f"  br i1 %well{number}, label %joined{number}, label %broken{number}",
            f"broken{number}:",
            f"  ret i32 %ended{number}",
            f"inturn{number}:",
            *in_turn,
            f"  br label %joined{number}",
            f"joined{number}:",
        ]
    lines += [*run, "  ret i32 0", "}"]
    lines += _by_number(unit)
    lines += _kernel_entry(unit)
    lines += emit_repeat(unit) if unit.repeats else ()
    return "\n".join(lines) + "\n"


def _under_control(unit: CompileUnit) -> Sequence[str]:
    """`ingot_<symbol>_run` of a program with loops or branches, before it a function for each of them."""
    parts = sections(unit.program.controls, len(unit.program.calls))
    functions: list[str] = []
    body = _in_sections(unit, parts, functions)
    head = [
        f"define i32 @ingot_{unit.symbol}_run(ptr %bases) nounwind {{",
        "entry:",
        *_bases(unit, _direct(parts)),
    ]
    return [*functions, *head, *body, "  ret i32 0", "}"]


def _direct(parts: Sequence[int | Section]) -> Sequence[int]:
    return [part for part in parts if isinstance(part, int)]


def _in_sections(unit: CompileUnit, parts: Sequence[int | Section], functions: list[str]) -> Sequence[str]:
    """Calls one after another, those under control by functions of their own, which are added to `functions`."""
    lines: list[str] = []
    for is_call, together in itertools.groupby(parts, lambda part: isinstance(part, int)):
        if is_call:
            lines += _in_turn(
                unit, _direct(tuple(together)), "%base2", lambda status: [f"  ret i32 {status}"]
            )
            continue
        for section in together:
            assert isinstance(section, Section)
            control = unit.program.controls[section.number]
            name = f"k.{unit.symbol}.{'loop' if control.repeats else 'branch'}.{control.first}.{control.end}"
            functions += _section(unit, section, name, functions)
            lines += _by_part(control.first, name)
    return lines


def _section(unit: CompileUnit, section: Section, name: str, functions: list[str]) -> Sequence[str]:
    """`int32_t name(void *const *bases)`: calls while a flag is set, or some of two kinds, until one fails."""
    control = unit.program.controls[section.number]
    number, offset = _address(unit, control.flag)
    assert number == 1, "flags lie in the arena"
    lines = [f"define internal i32 @{name}(ptr %bases) nounwind noinline {{", "entry:"]
    lines += _bases(unit, _direct((*section.parts, *section.otherwise)))
    lines += [f"  %place = getelementptr i8, ptr %base1, i64 {offset}", "  br label %head", "head:"]
    lines += ["  %flag = load i8, ptr %place", "  %set = icmp ne i8 %flag, 0"]
    lines += [
        "  br i1 %set, label %then, label %otherwise",
        "then:",
        *_in_sections(unit, section.parts, functions),
    ]
    lines += ["  br label %head" if control.repeats else "  ret i32 0", "otherwise:"]
    return [*lines, *_in_sections(unit, section.otherwise, functions), "  ret i32 0", "}"]


def _by_number(unit: CompileUnit) -> Sequence[str]:
    """`ingot_<symbol>_call`. Of many calls each loads its own bases: all at the top would be kept for all."""
    calls = unit.program.kernel_calls
    own = len(calls) > PART_CALLS
    cases = " ".join(f"i32 {position}, label %call{position}" for position in range(len(calls)))
    lines = [f"define i32 @ingot_{unit.symbol}_call(i32 %number, ptr %bases) nounwind {{", "entry:"]
    lines += [
        *([] if own else _bases(unit, range(len(calls)))),
        f"  switch i32 %number, label %unknown [ {cases} ]",
    ]
    lines += ["unknown:", "  ret i32 -1"]
    for position, call in enumerate(calls):
        name = f"{position}_" if own else ""
        lines += [f"call{position}:", *(_bases(unit, [position], name) if own else [])]
        lines += [*_call(unit, position, call, f"%base{name}2", name), f"  ret i32 %status{position}"]
    return [*lines, "}"]


def _chunks(positions: Sequence[int]) -> Sequence[Sequence[int]]:
    return [positions[start : start + PART_CALLS] for start in range(0, len(positions), PART_CALLS)]


def _part(unit: CompileUnit, positions: Sequence[int], body: str) -> Sequence[str]:
    """`int32_t body(void *const *bases)`: some of the calls, until one fails."""
    lines = [
        f"define internal i32 @{body}(ptr %bases) nounwind noinline {{",
        "entry:",
        *_bases(unit, positions),
    ]
    lines += _in_turn(unit, positions, "%base2", lambda status: [f"  ret i32 {status}"])
    return [*lines, "  ret i32 0", "}"]


def _by_part(at: int, body: str) -> Sequence[str]:
    return [
        f"  %status{at} = call i32 @{body}(ptr %bases)",
        f"  %good{at} = icmp eq i32 %status{at}, 0",
        f"  br i1 %good{at}, label %next{at}, label %failed{at}",
        f"failed{at}:",
        f"  ret i32 %status{at}",
        f"next{at}:",
    ]


def _in_turn(
    unit: CompileUnit, positions: Sequence[int], pool: str, failed: Callable[[str], Sequence[str]]
) -> Sequence[str]:
    """Calls one after another, until one fails; `failed` emits the code that handles its status."""
    lines: list[str] = []
    calls = unit.program.kernel_calls
    for position in positions:
        lines += _call(unit, position, calls[position], pool)
        lines += [
            f"  %good{position} = icmp eq i32 %status{position}, 0",
            f"  br i1 %good{position}, label %next{position}, label %failed{position}",
            f"failed{position}:",
            *failed(f"%status{position}"),
            f"next{position}:",
        ]
    return lines


def _pair_body(unit: CompileUnit, pair: PairedCalls, body: str) -> Sequence[str]:
    """`int32_t body(void *const *bases, void *pool)`: all calls of a pair, also behind one that fails, because each thread must
    come by all loops. The status is that of the calls that failed, bit by bit.
    """
    lines = [
        f"define internal i32 @{body}(ptr %bases, ptr %pool) nounwind {{",
        "entry:",
        *_bases(unit, pair.calls),
    ]
    before = "0"
    calls = unit.program.kernel_calls
    for position in pair.calls:
        lines += _call(unit, position, calls[position], "%pool")
        lines.append(f"  %sum{position} = or i32 {before}, %status{position}")
        before = f"%sum{position}"
    return [*lines, f"  ret i32 {before}", "}"]


def _by_pair(unit: CompileUnit, pair: PairedCalls, body: str) -> Sequence[str]:
    at = pair.calls.start
    size = f"i32 {_base_count(unit)}, i32 {pair.loops}, i64 {pair.grains}"
    return [
        f"  %status{at} = call i32 @{POOL_PAIR}(ptr %base2, ptr @{body}, ptr %bases, {size})",
        f"  %good{at} = icmp eq i32 %status{at}, 0",
        f"  br i1 %good{at}, label %next{at}, label %failed{at}",
        f"failed{at}:",
        f"  ret i32 %status{at}",
        f"next{at}:",
    ]


def _branches(unit: CompileUnit, branches: Sequence[Sequence[int]], body: str) -> Sequence[str]:
    """`void body(void *const *args, int64_t begin, int64_t end)`: the branches from `begin` on, each by the thread at hand alone.
    `args` are the bases, and where the status goes of a call that fails; of several, that of any.
    """
    lines = [f"define internal void @{body}(ptr %args, i64 %begin, i64 %end) nounwind {{", "entry:"]
    lines += ["  %bases = load ptr, ptr %args", "  %second = getelementptr inbounds ptr, ptr %args, i64 1"]
    lines += [
        "  %failure = load ptr, ptr %second",
        *_bases(unit, [*itertools.chain(*branches)]),
        "  br label %head",
    ]
    lines += ["head:", "  %number = phi i64 [ %begin, %entry ], [ %following, %done ]"]
    lines += ["  %some = icmp slt i64 %number, %end", "  br i1 %some, label %begins, label %out"]

    def kept(status: str) -> Sequence[str]:
        return f"  store atomic i32 {status}, ptr %failure monotonic, align 4", "  br label %done"

    cases = " ".join(f"i64 {number}, label %branch{number}" for number in range(len(branches)))
    lines += ["begins:", f"  switch i64 %number, label %done [ {cases} ]"]
    for number, positions in enumerate(branches):
        lines += [f"branch{number}:", *_in_turn(unit, positions, "null", kept), "  br label %done"]
    return [
        *lines,
        "done:",
        "  %following = add i64 %number, 1",
        "  br label %head",
        "out:",
        "  ret void",
        "}",
    ]


def _kernel_entry(unit: CompileUnit) -> Sequence[str]:
    """`ingot_<symbol>_kernel`, which is for those who place values themselves; libraries do not export it."""
    kernels = unit.program.kernels
    cases = " ".join(f"i32 {number}, label %kernel{number}" for number in range(len(kernels)))
    lines = [f"define hidden i32 @ingot_{unit.symbol}_kernel(i32 %number, ptr %args) nounwind {{", "entry:"]
    lines += [f"  switch i32 %number, label %unknown [ {cases} ]", "unknown:", "  ret i32 -1"]
    for number, kernel in enumerate(kernels):
        lines.append(f"kernel{number}:")
        for at in range(len(kernel.params)):
            lines += [
                f"  %place{number}_{at} = getelementptr inbounds ptr, ptr %args, i64 {at}",
                f"  %value{number}_{at} = load ptr, ptr %place{number}_{at}",
            ]
        args = ", ".join([*(f"ptr %value{number}_{at}" for at in range(len(kernel.params))), "ptr null"])
        lines += [
            f"  %done{number} = call i32 @{kernel_symbol(unit.symbol, kernel.name)}({args})",
            f"  ret i32 %done{number}",
        ]
    return [*lines, "}"]


def kernel_symbol(symbol: str, kernel: str) -> str:
    """The hidden name of a kernel. C has no dots in names, so those of two models, or of a kernel and an entry, never meet."""
    return f"k.{symbol}.{kernel}"


def _base_count(unit: CompileUnit) -> int:
    return 3 + len(unit.program.inputs) + len(unit.program.outputs)


def _bases(unit: CompileUnit, positions: Sequence[int], name: str = "") -> Sequence[str]:
    """Loads of the base pointers as `%base<name><number>`: of a long program those that some of its calls need, else all."""
    calls = unit.program.kernel_calls
    wanted: Iterable[int] = range(_base_count(unit))
    if len(calls) > PART_CALLS:
        own = (_address(unit, value)[0] for position in positions for value in calls[position].args)
        wanted = sorted({*((1,) if unit.program.controls else ()), 2, *own})
    lines = []
    for number in wanted:
        lines += [
            f"  %slot{name}{number} = getelementptr inbounds ptr, ptr %bases, i64 {number}",
            f"  %base{name}{number} = load ptr, ptr %slot{name}{number}",
        ]
    return lines


def _call(unit: CompileUnit, position: int, call: Call, pool: str, bases: str = "") -> Sequence[str]:
    lines: list[str] = []
    args = []
    for number, name in enumerate(call.args):
        base, offset = _address(unit, name)
        text = f"%arg{position}_{number}"
        moves = unit.program.values[name].moves
        if moves:
            lines += _moved(unit, name, text, bases)
            lines.append(f"  {text} = getelementptr i8, ptr %base{bases}{base}, i64 {text}_at{len(moves)}")
        elif offset:
            lines.append(f"  {text} = getelementptr i8, ptr %base{bases}{base}, i64 {offset}")
        else:
            text = f"%base{bases}{base}"
        args.append(f"ptr {text}")
    args.append(f"ptr {pool}")
    lines.append(
        f"  %status{position} = call i32 @{kernel_symbol(unit.symbol, call.kernel.name)}({', '.join(args)})"
    )
    return lines


def _moved(unit: CompileUnit, name: str, text: str, bases: str) -> Sequence[str]:
    """How many bytes behind its base pointer a value lies that moves, as `<text>_at<number of moves>`."""
    value, at = unit.program.values[name], str(_address(unit, name)[1])
    lines: list[str] = []
    for count, move in enumerate(value.moves, 1):
        own = f"{text}_at{count}"
        lines += [
            f"  {own}_place = getelementptr i8, ptr %base{bases}1, i64 {_address(unit, move.number)[1]}",
            f"  {own}_number = load i64, ptr {own}_place",
            f"  {own}_bytes = mul i64 {own}_number, {move.step * value.type.dtype.size_bytes}",
            f"  {own} = add i64 {own}_bytes, {at}",
        ]
        at = own
    return lines


def _address(unit: CompileUnit, name: str) -> tuple[int, int]:
    """Which base pointer a value lies behind, and how many bytes."""
    value = unit.program.values[name]
    slot = unit.memory.slots[value.base]
    first = {Region.PARAMS: 0, Region.ARENA: 1, Region.INPUT: 3, Region.OUTPUT: 3 + len(unit.program.inputs)}[
        slot.region
    ]
    number = first + (slot.number if slot.region in (Region.INPUT, Region.OUTPUT) else 0)
    return number, slot.offset_bytes + value.offset * value.type.dtype.size_bytes
