"""The object with a model's entry points: every call of the program, in a straight line over the memory plan."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.plan.program import Call, CompileUnit, Region


def emit_entry(unit: CompileUnit) -> str:
    """The LLVM module of `ingot_<symbol>_run` and `ingot_<symbol>_call`, without a target."""
    symbol, program = unit.symbol, unit.program
    lines = []
    for kernel in program.kernels:
        params = ", ".join(["ptr"] * (len(kernel.params) + 1))
        lines.append(f"declare hidden i32 @{kernel_symbol(symbol, kernel.name)}({params})")
    lines += [f"define i32 @ingot_{symbol}_run(ptr %bases) nounwind {{", "entry:", *_bases(unit)]
    for position, call in enumerate(program.kernel_calls):
        lines += _call(unit, position, call)
        lines += [
            f"  %good{position} = icmp eq i32 %status{position}, 0",
            f"  br i1 %good{position}, label %next{position}, label %failed{position}",
            f"failed{position}:",
            f"  ret i32 %status{position}",
            f"next{position}:",
        ]
    lines += ["  ret i32 0", "}"]
    cases = " ".join(f"i32 {position}, label %call{position}" for position in range(len(program.kernel_calls)))
    lines += [f"define i32 @ingot_{symbol}_call(i32 %number, ptr %bases) nounwind {{", "entry:", *_bases(unit)]
    lines += [f"  switch i32 %number, label %unknown [ {cases} ]", "unknown:", "  ret i32 -1"]
    for position, call in enumerate(program.kernel_calls):
        lines += [f"call{position}:", *_call(unit, position, call), f"  ret i32 %status{position}"]
    lines.append("}")
    lines += _kernel_entry(unit)
    return "\n".join(lines) + "\n"


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


def _bases(unit: CompileUnit) -> Sequence[str]:
    lines = []
    for number in range(_base_count(unit)):
        lines += [
            f"  %slot{number} = getelementptr inbounds ptr, ptr %bases, i64 {number}",
            f"  %base{number} = load ptr, ptr %slot{number}",
        ]
    return lines


def _call(unit: CompileUnit, position: int, call: Call) -> Sequence[str]:
    lines, args = [], []
    for number, name in enumerate(call.args):
        base, offset = _address(unit, name)
        if offset:
            text = f"%arg{position}_{number}"
            lines.append(f"  {text} = getelementptr i8, ptr %base{base}, i64 {offset}")
        else:
            text = f"%base{base}"
        args.append(f"ptr {text}")
    args.append("ptr %base2")
    lines.append(f"  %status{position} = call i32 @{kernel_symbol(unit.symbol, call.kernel.name)}({', '.join(args)})")
    return lines


def _address(unit: CompileUnit, name: str) -> tuple[int, int]:
    """Which base pointer a value lies behind, and how many bytes."""
    value = unit.program.values[name]
    slot = unit.memory.slots[value.base]
    first = {Region.PARAMS: 0, Region.ARENA: 1, Region.INPUT: 3, Region.OUTPUT: 3 + len(unit.program.inputs)}[slot.region]
    number = first + (slot.number if slot.region in (Region.INPUT, Region.OUTPUT) else 0)
    return number, slot.offset_bytes + value.offset * value.type.dtype.size_bytes
