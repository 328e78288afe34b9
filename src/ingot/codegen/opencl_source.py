"""A compile unit as one source in OpenCL C, and the list of its launches.

A kernel of the loop IR becomes one OpenCL kernel for each parallel loop at its top, with one work item for each iteration, and
one with a single work item for the statements between two such loops. They run one after the other, so that each sees what those
before it wrote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingot.codegen.c_dialect import OPENCL
from ingot.codegen.c_kernel import KernelPrinter
from ingot.codegen.c_names import Names, comment, identifier
from ingot.codegen.c_prelude import prelude
from ingot.codegen.c_source import kernel_comment, kernel_nodes
from ingot.errors import InternalError, UnsupportedError
from ingot.loops.nodes import Alloc, Buffer, Const, For, Kernel, Let, LoopKind, Stmt, Store, Var
from ingot.loops.rewrite import expressions, loads, statements, walk
from ingot.plan.program import Call, CompileUnit, Region
from ingot.tensor import DType

VERSION = 1
"""Of the list of launches; a loader refuses any other."""
PARAMS_MAX = 63
"""Of one kernel. OpenCL 1.2 promises 1024 bytes for arguments; each takes a pointer and an offset, of 8 bytes each."""
_FP64 = "cl_khr_fp64"


@dataclass(frozen=True, slots=True)
class Launch:
    """One OpenCL kernel: its name, the number of work items, and which of the kernel's parameters it takes."""

    name: str
    work_items: int
    params: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Printed:
    """The text of a unit, the extensions of OpenCL that it needs, and the launches of each kernel by the kernel's id()."""

    text: str
    extensions: tuple[str, ...]
    launches: dict[int, tuple[Launch, ...]]


# ─── parts of a kernel ─────────────────────────────────────────────────────────────────────────────────────────────


def parts(body: Sequence[Stmt]) -> tuple[tuple[Stmt, ...], ...]:
    """The statements at the top of a kernel, grouped so that each group is one launch: a parallel loop alone, or others.

    Names and locals do not outlive a launch: everything from their definition to their last use stays together, and runs in
    one work item.
    """
    groups: list[list[Stmt]] = []
    for stmt in body:
        if groups and not _is_grid(stmt) and not _is_grid(groups[-1][-1]):
            groups[-1].append(stmt)
        else:
            groups.append([stmt])
    position = 0
    while position < len(groups):
        defined = {_defined(stmt) for stmt in groups[position]} - {None}
        users = [later for later in range(position + 1, len(groups)) if defined & _used(groups[later])]
        if users:
            groups[position : users[-1] + 1] = [[stmt for group in groups[position : users[-1] + 1] for stmt in group]]
        else:
            position += 1
    return tuple(tuple(group) for group in groups)


def _is_grid(stmt: Stmt) -> bool:
    """Whether the statement is a loop with a work item for each iteration."""
    return isinstance(stmt, For) and stmt.kind is LoopKind.PARALLEL and isinstance(stmt.extent, Const)


def _defined(stmt: Stmt) -> str | None:
    match stmt:
        case Let():
            return stmt.var.name
        case Alloc():
            return stmt.buffer.name
    return None


def _used(block: Sequence[Stmt]) -> set[str]:
    used = _touched(block)
    for stmt in statements(block):
        used |= {node.name for expr in expressions(stmt) for node in walk(expr) if isinstance(node, Var)}
    return used


def _touched(block: Sequence[Stmt]) -> set[str]:
    """The names of the buffers that the statements read or write."""
    found: set[str] = set()
    for stmt in statements(block):
        if isinstance(stmt, Store):
            found.add(stmt.buffer.name)
        found |= {load.buffer.name for expr in expressions(stmt) for load in loads(expr)}
    return found


def _print_kernel(kernel: Kernel, new_name: Callable[[], str], use: Callable[[str], str]) -> tuple[str, tuple[Launch, ...]]:
    printer = KernelPrinter(kernel, use, OPENCL)
    offsets = [printer.new_name(f"{param.name}_at") for param in kernel.params]
    texts, launches = [], []
    for group in parts(printer.body):
        first = group[0]
        if _is_grid(first) and len(group) == 1:
            assert isinstance(first, For) and isinstance(first.extent, Const)
            work_items = int(first.extent.value)
            lines = printer.loop_body(first, "get_global_id(0)", 1)
        else:
            work_items = 1
            lines = ["    if (get_global_id(0) != 0) {", "        return;", "    }", *printer.part(group, 1)]
        touched = _touched(group)
        params = tuple(position for position, param in enumerate(kernel.params) if param.name in touched)
        if len(params) > PARAMS_MAX:
            raise UnsupportedError(
                f"kernel {kernel.name!r} has {len(params)} operands, the code generator opencl takes at most {PARAMS_MAX};"
                " place its nodes on another target",
                kernel=kernel.name,
                nodes=(),
            )
        name = new_name()
        declared = [f"{printer.pointer(position)},\n    const ulong {offsets[position]}" for position in params]
        head = f"__kernel void {name}(\n    " + ",\n    ".join(declared) + ")"
        begin = [f"    {printer.name(position)} += {offsets[position]};" for position in params]
        texts.append("\n".join([head, "{", *begin, *lines, "}"]) + "\n")
        launches.append(Launch(name, work_items, params))
    return "\n".join(texts), tuple(launches)


# ─── a unit ────────────────────────────────────────────────────────────────────────────────────────────────────────


def printed(unit: CompileUnit) -> Printed:
    """The text of `<symbol>.cl`, and what it needs."""
    used: set[str] = set()

    def use(name: str) -> str:
        used.add(name)
        return name

    names = Names(OPENCL.reserved)
    nodes = kernel_nodes(unit)
    launches: dict[int, tuple[Launch, ...]] = {}
    texts = []
    for kernel in unit.program.kernels:
        wish = f"{unit.symbol}_{identifier(kernel.name)}"[:200]
        text, launches[id(kernel)] = _print_kernel(kernel, lambda wish=wish: names.new(wish), use)  # type: ignore[misc]
        texts.append(kernel_comment(kernel, nodes[id(kernel)]) + text)
    functions = prelude(used, OPENCL.prelude)
    double = re.search(r"\bdouble\b", functions) is not None or any(_computes_double(kernel) for kernel in unit.program.kernels)
    memory = unit.memory
    head = comment(
        f"{unit.program.name}: generated by ingot, code generator opencl: OpenCL C 1.2.\n"
        f"Constants: {memory.params_bytes} bytes. Arena: {memory.arena_bytes} bytes.\n"
        "An operand is a pointer to the one or the other, and an offset in elements. Any local size fits."
    )
    # A product and a sum stay two operations with two roundings, unless the kernel says fma.
    pragmas = "#pragma OPENCL FP_CONTRACT OFF\n" + (f"#pragma OPENCL EXTENSION {_FP64} : enable\n" if double else "")
    text = "\n".join([head + pragmas, *([functions] if functions else []), *texts])
    return Printed(text, (_FP64,) if double else (), launches)


def _computes_double(kernel: Kernel) -> bool:
    if any(param.dtype is DType.FLOAT64 for param in kernel.params):
        return True
    return any(
        node.dtype is DType.FLOAT64 for stmt in statements(kernel.body) for expr in expressions(stmt) for node in walk(expr)
    )


def launch_list(unit: CompileUnit, made: Printed) -> str:
    """The text of `<symbol>.launch.json`: for each call its launches, in order, with the place of every operand."""
    calls = [
        {"nodes": list(call.nodes), "launches": [_launch(unit, call, launch) for launch in made.launches[id(call.kernel)]]}
        for call in unit.program.kernel_calls
    ]
    listing = {
        "version": VERSION,
        "symbol": unit.symbol,
        "extensions": list(made.extensions),
        "params_bytes": unit.memory.params_bytes,
        "arena_bytes": unit.memory.arena_bytes,
        "calls": calls,
    }
    return json.dumps(listing, indent=1, sort_keys=True) + "\n"


def _launch(unit: CompileUnit, call: Call, launch: Launch) -> dict[str, object]:
    args = [_operand(unit, call.args[position], call.kernel.params[position]) for position in launch.params]
    return {"kernel": launch.name, "work_items": launch.work_items, "args": args}


def _operand(unit: CompileUnit, name: str, param: Buffer) -> dict[str, object]:
    value = unit.program.values[name]
    slot = unit.memory.slots.get(value.base)
    if slot is None or slot.region not in (Region.PARAMS, Region.ARENA):
        raise InternalError(f"codegen opencl: {name!r} of {unit.program.name!r} must lie in the device's constants or arena")
    size = param.dtype.size_bytes
    if slot.offset_bytes % size:
        raise InternalError(f"codegen opencl: {name!r} begins at byte {slot.offset_bytes}, which no {param.dtype.value} can")
    return {
        "region": slot.region.value,
        "element_bytes": size,
        "offset": slot.offset_bytes // size + value.offset,
        "size": param.span,
    }
