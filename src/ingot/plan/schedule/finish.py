"""The last form of a kernel: simplified, and without what it does not read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ingot.loops.nodes import Buffer, For, If, Kernel, Load, Prefetch, Stmt
from ingot.loops.transform.rewrite import expressions, postorder, statements
from ingot.loops.transform.simplify import simplify_kernel
from ingot.loops.transform.to_grid import gpu_shape, to_grid
from ingot.machines.machine import Machine


def finished(kernel: Kernel, machine: Machine) -> Kernel:
    """What a template or an expression gave, simplified, without inputs that it does not read, in the machine's form."""
    kernel = simplify_kernel(_without_unused(kernel))
    return to_grid(kernel, gpu_shape(machine.tuning.grid)) if machine.grid else kernel


def _without_unused(kernel: Kernel) -> Kernel:
    """The kernel without the input parameters that it never loads from, and without prefetches of them."""
    from_loads = _loaded(kernel)
    if len(from_loads) == len(set(kernel.inputs)):
        return kernel
    unused = {buffer for buffer in kernel.inputs if buffer not in from_loads}
    if any(isinstance(stmt, Prefetch) and stmt.buffer in unused for stmt in statements(kernel.body)):
        kernel = replace(kernel, body=_without_prefetches(kernel.body, unused))
    kept = [number for number, buffer in enumerate(kernel.inputs) if buffer in from_loads]
    renumber = {old: new for new, old in enumerate(kept)}
    return replace(
        kernel,
        inputs=tuple(kernel.inputs[number] for number in kept),
        in_place=tuple((renumber[a], b) for a, b in kernel.in_place if a in renumber),
    )


def _without_prefetches(stmts: Sequence[Stmt], unused: set[Buffer]) -> tuple[Stmt, ...]:
    kept: list[Stmt] = []
    for stmt in stmts:
        match stmt:
            case Prefetch():
                if stmt.buffer not in unused:
                    kept.append(stmt)
            case For():
                kept.append(replace(stmt, body=_without_prefetches(stmt.body, unused)))
            case If():
                then, otherwise = (_without_prefetches(part, unused) for part in (stmt.then, stmt.otherwise))
                kept.append(replace(stmt, then=then, otherwise=otherwise))
            case _:
                kept.append(stmt)
    return tuple(kept)


def _loaded(kernel: Kernel) -> set[Buffer]:
    """The inputs that it loads from. Mostly the first statements tell that all are, and no other is looked at."""
    inputs = set(kernel.inputs)
    buffers: set[Buffer] = set()
    seen: set[int] = set()
    for stmt in statements(kernel.body):
        if len(buffers) == len(inputs):
            break
        order = postorder(*expressions(stmt), known=seen)
        seen.update(map(id, order))
        buffers.update(node.buffer for node in order if isinstance(node, Load) and node.buffer in inputs)
    return buffers
