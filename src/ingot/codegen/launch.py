"""How kernels become launches on a device with memory of its own, whatever its language.

A device runs launches one after the other, so that each sees what those before it wrote. A nest of group loops at the top of a
kernel is one launch, and so are the iterations of a parallel loop, and the statements between two such loops.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from ingot.base.errors import InternalError
from ingot.loops.nodes import Alloc, Buffer, Const, For, Let, LoopKind, Stmt, Store, Var
from ingot.loops.transform.rewrite import expressions, loads, statements, walk
from ingot.plan.program import Call, CompileUnit, Region


class Started(Protocol):
    """A launch: what is started, and which of a kernel's parameters it takes."""

    @property
    def name(self) -> str: ...

    @property
    def params(self) -> tuple[int, ...]: ...


Launched = TypeVar("Launched", bound=Started)


def parts(body: Sequence[Stmt]) -> tuple[tuple[Stmt, ...], ...]:
    """The statements at the top of a kernel by launches: a nest of group loops or a parallel loop alone, or others together.

    Names and locals do not outlive a launch: everything from their definition to their last use stays together, and runs one
    after the other.
    """
    groups: list[list[Stmt]] = []
    for stmt in body:
        if groups and not is_grid(stmt) and not is_grid(groups[-1][-1]):
            groups[-1].append(stmt)
        else:
            groups.append([stmt])
    position = 0
    while position < len(groups):
        defined = {_defined(stmt) for stmt in groups[position]} - {None}
        users = [later for later in range(position + 1, len(groups)) if defined & _used(groups[later])]
        if users:
            groups[position : users[-1] + 1] = [
                [stmt for group in groups[position : users[-1] + 1] for stmt in group]
            ]
        else:
            position += 1
    return tuple(tuple(group) for group in groups)


def is_grid(stmt: Stmt) -> bool:
    """Whether the statement is a loop whose iterations are started all at once."""
    kinds = (LoopKind.PARALLEL, LoopKind.GROUP)
    return isinstance(stmt, For) and stmt.kind in kinds and isinstance(stmt.extent, Const)


def _defined(stmt: Stmt) -> str | None:
    match stmt:
        case Let():
            return stmt.var.name
        case Alloc():
            return stmt.buffer.name
    return None


def _used(block: Sequence[Stmt]) -> set[str]:
    used = touched(block)
    for stmt in statements(block):
        used |= {node.name for expr in expressions(stmt) for node in walk(expr) if isinstance(node, Var)}
    return used


def touched(block: Sequence[Stmt]) -> set[str]:
    """The names of the buffers that the statements read or write."""
    names: set[str] = set()
    for stmt in statements(block):
        if isinstance(stmt, Store):
            names.add(stmt.buffer.name)
        names |= {load.buffer.name for expr in expressions(stmt) for load in loads(expr)}
    return names


def launch_list(
    unit: CompileUnit,
    head: Mapping[str, object],
    launches: Mapping[int, Sequence[Launched]],
    extent: Callable[[Launched], Mapping[str, object]],
) -> str:
    """The text of `<symbol>.launch.json`: what `head` says of the device, and for each call its launches in order, with `extent`
    of each and the place of every operand. `launches` are those of each kernel, by its id().
    """

    def launch(call: Call, launched: Launched) -> dict[str, object]:
        args = [
            operand(unit, call.args[position], call.kernel.params[position]) for position in launched.params
        ]
        return {"kernel": launched.name, **extent(launched), "args": args}

    calls = [
        {"nodes": list(call.nodes), "launches": [launch(call, each) for each in launches[id(call.kernel)]]}
        for call in unit.program.kernel_calls
    ]
    memory = {"params_bytes": unit.memory.params_bytes, "arena_bytes": unit.memory.arena_bytes}
    return (
        json.dumps({"symbol": unit.symbol, **head, **memory, "calls": calls}, indent=1, sort_keys=True) + "\n"
    )


def operand(unit: CompileUnit, name: str, param: Buffer) -> dict[str, object]:
    """Where an argument of a call lies, as a list of launches says it."""
    value = unit.program.values[name]
    slot = unit.memory.slots.get(value.base)
    if slot is None or slot.region not in (Region.PARAMS, Region.ARENA):
        raise InternalError(
            f"codegen: {name!r} of {unit.program.name!r} must lie in the device's constants or arena"
        )
    size = param.dtype.size_bytes
    if slot.offset_bytes % size:
        raise InternalError(
            f"codegen: {name!r} begins at byte {slot.offset_bytes}, which no {param.dtype.value} can"
        )
    return {
        "region": slot.region.value,
        "element_bytes": size,
        "offset": slot.offset_bytes // size + value.offset,
        "size": param.span,
    }
