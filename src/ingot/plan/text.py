"""Drafts and programs as text for people: what `--dump` writes."""

from __future__ import annotations

from collections.abc import Mapping

from ingot.kernels.template import Pointwise, Reshape, Template
from ingot.loops.nodes import Buffer, Kernel
from ingot.loops.nodes import Store as StoreNode
from ingot.loops.text import body_text, named_text, stmt_text
from ingot.plan.program import (
    HOST,
    Arranged,
    Choice,
    Control,
    Draft,
    Fused,
    MemoryPlan,
    Opaque,
    Program,
    Region,
    Repeat,
    Send,
    Step,
    Transfer,
)


def draft_text(draft: Draft) -> str:
    """One line for each input, constant and step."""
    lines = [f"draft {draft.name}"]
    lines += [f"  input    {name}: {draft.types[name]}" for name in draft.inputs]
    lines += [f"  constant {name}: {draft.types[name]}" for name in draft.constants]
    for step in draft.steps:
        outputs = ", ".join(f"{name}: {draft.types[name]}" for name in step.outputs)
        lines.append(
            f"  {outputs} = {_definition(step)}({', '.join(step.inputs)})    # {', '.join(step.nodes)}"
        )
    lines += [f"  output   {name}" for name in draft.outputs]
    return "\n".join(lines) + "\n"


def _definition(step: Step) -> str:
    match step.definition:
        case Pointwise() as pointwise:
            return f"{pointwise.name}[{pointwise_text(pointwise)}]"
        case Reshape() | Send() | Arranged() | Opaque():
            return step.definition.name
        case Repeat() as repeat:
            return f"loop of at most {repeat.count_max} over\n{_inside(repeat.body)}    "
        case Choice() as choice:
            return f"if\n{_inside(choice.then)}    else\n{_inside(choice.otherwise)}    "
        case Template() as template:
            return template.name + _spec(template)
        case Fused() as fused:
            parts = [f"{fused.template.name}{_spec(fused.template)}"]
            if fused.epilogue is not None:
                parts.append(f"then {pointwise_text(fused.epilogue.pointwise)}")
            return " ".join(parts)


def _inside(draft: Draft) -> str:
    return "".join(f"    {line}\n" for line in draft_text(draft).splitlines())


def _spec(template: Template) -> str:
    return "".join(f" {name}={value}" for name, value in template.spec.items())


def pointwise_text(pointwise: Pointwise) -> str:
    """A definition in one line: `store y[i0] = …`."""
    out = Buffer("y", pointwise.output.dtype, pointwise.output.shape, (0,) * pointwise.output.rank)
    return " ".join(stmt_text(StoreNode(out, pointwise.index, pointwise.value)).split())


def kernels_text(program: Program) -> str:
    """The text form of all kernels."""
    texts = program.texts
    return "\n".join(
        named_text(kernel, texts.get(kernel.name) or body_text(kernel)) for kernel in program.kernels
    )


def program_text(program: Program, memories: Mapping[str, MemoryPlan]) -> str:
    """The memory plan of each space, the values with their places, and the calls in order."""
    lines = [f"program {program.name}"]
    for space, memory in memories.items():
        lines.append(
            f"  {space}: arena {memory.arena_bytes} bytes (no plan for this order needs less than {memory.lower_bound_bytes}), "
            f"constants {memory.params_bytes} bytes"
        )
    for name, value in program.values.items():
        slot = memories[value.space].slots[value.base]
        memory_of = "" if value.space == HOST else f"{value.space} "
        number = slot.number if slot.region in (Region.INPUT, Region.OUTPUT) else ""
        where = f"{memory_of}{slot.region.value}{number}"
        size = value.type.dtype.size_bytes
        offset = slot.offset_bytes + value.offset * size
        moves = "".join(f" {move.step * size:+}·{move.number}" for move in value.moves)
        lines.append(f"  {name}: {value.type} strides {list(value.strides)} at {where}+{offset}{moves}")
    for number, call in enumerate(program.calls):
        lines += [_control(control) for control in program.controls if control.first == number]
        nodes = f"    # {', '.join(call.nodes)}"
        if isinstance(call, Transfer):
            spaces = " → ".join(program.values[name].space for name in call.args)
            lines.append(f"  {number}: {call.result} = transfer({call.source}) {spaces}{nodes}")
        else:
            where = "" if call.key == HOST else f" on {call.key}"
            where += "" if call.branch is None else f" in branch {call.branch.number} of {call.branch.group}"
            lines.append(f"  {number}: {_call(call.kernel, call.args)}{where}{nodes}")
    return "\n".join(lines) + "\n"


def _control(control: Control) -> str:
    if control.repeats:
        last = control.end - 1
        return f"  while {control.flag}, at most {control.count} times: {control.first} to {last}    # {control.node}"
    return f"  if {control.flag}: {control.first} up to {control.middle}, else up to {control.end}    # {control.node}"


def _call(kernel: Kernel, args: tuple[str, ...]) -> str:
    split = len(kernel.inputs)
    outputs = args[split : split + len(kernel.outputs)]
    work = args[split + len(kernel.outputs) :]
    text = f"{', '.join(outputs)} = {kernel.name}({', '.join(args[:split])})"
    return text + (f" with {', '.join(work)}" if work else "")
