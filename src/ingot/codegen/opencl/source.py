"""A compile unit as one source in OpenCL C, and the list of its launches.

A kernel of the loop IR becomes one OpenCL kernel for each nest of group loops at its top, with a work group for each iteration,
and one with a single work item for the statements between two such nests. They run one after the other, so that each sees what
those before it wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from ingot.base.errors import UnsupportedError
from ingot.base.tensor import DType
from ingot.codegen.c.dialect import OPENCL
from ingot.codegen.c.kernel import KernelPrinter
from ingot.codegen.c.names import Names, comment, identifier
from ingot.codegen.c.prelude import prelude
from ingot.codegen.c.ranges import flatten
from ingot.codegen.c.source import kernel_comment, kernel_nodes
from ingot.codegen.launch import launch_list, parts, touched
from ingot.loops.analyse.grid import grid_of, own_as_locals
from ingot.loops.nodes import Kernel
from ingot.loops.transform.rewrite import expressions, statements, walk
from ingot.loops.transform.simplify import simplify_kernel
from ingot.loops.transform.to_grid import Shape, to_grid
from ingot.plan.program import CompileUnit

VERSION = 2
"""Of the list of launches; a loader refuses any other."""
PARAMS_MAX = 63
"""Of one kernel. OpenCL 1.2 promises 1024 bytes for arguments; each takes a pointer and an offset, of 8 bytes each."""
_FP64 = "cl_khr_fp64"


@dataclass(frozen=True, slots=True)
class Launch:
    """One OpenCL kernel: its name, the number of work groups in each dimension and of work items in each group, and which of the
    kernel's parameters it takes.
    """

    name: str
    groups: tuple[int, ...]
    items: int
    params: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Printed:
    """The text of a unit, the extensions of OpenCL that it needs, and the launches of each kernel by the kernel's id()."""

    text: str
    extensions: tuple[str, ...]
    launches: dict[int, tuple[Launch, ...]]


# ─── a kernel ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _print_kernel(
    kernel: Kernel, shape: Shape, new_name: Callable[[], str], use: Callable[[str], str]
) -> tuple[str, tuple[Launch, ...]]:
    kernel = to_grid(kernel, shape)
    flat = replace(kernel, body=flatten(own_as_locals(kernel.body), {}))
    if shape.nests:
        # Once more, as offsets into memory: an index which is taken apart and put together again is itself. Not for CPUs, whose
        # drivers find vectors in sums as they were written: it costs two thirds of a convolution's speed with PoCL.
        flat = simplify_kernel(flat)
    printer = KernelPrinter(flat, use, OPENCL)
    offsets = [printer.new_name(f"{param.name}_at") for param in kernel.params]
    texts, launches = [], []
    for group in parts(printer.body):
        grid = grid_of(group[0]) if len(group) == 1 else None
        if grid is not None:
            groups, items = tuple(reversed(grid.extents)), grid.items
            lines = printer.group(grid, 1)
        else:
            groups, items = (1,), 1
            lines = printer.part(group, 1)
        named = touched(group)
        params = tuple(position for position, param in enumerate(kernel.params) if param.name in named)
        if len(params) > PARAMS_MAX:
            raise UnsupportedError(
                f"kernel {kernel.name!r} has {len(params)} operands, the code generator opencl takes at most {PARAMS_MAX};"
                " place its nodes on another target",
                kernel=kernel.name,
                nodes=(),
            )
        name = new_name()
        declared = [
            f"{printer.pointer(position)},\n    const ulong {offsets[position]}" for position in params
        ]
        size = f"__attribute__((reqd_work_group_size({items}, 1, 1)))"
        head = f"__kernel {size}\nvoid {name}(\n    " + ",\n    ".join(declared) + ")"
        begin = [f"    {printer.name(position)} += {offsets[position]};" for position in params]
        texts.append("\n".join([head, "{", *begin, *lines, "}"]) + "\n")
        launches.append(Launch(name, groups, items, params))
    return "\n".join(texts), tuple(launches)


# ─── a unit ────────────────────────────────────────────────────────────────────────────────────────────────────────


def printed(unit: CompileUnit, shape: Shape) -> Printed:
    """The text of `<symbol>.cl`, and what it needs. `shape` says how parallel loops become work items."""
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
        text, launches[id(kernel)] = _print_kernel(kernel, shape, lambda wish=wish: names.new(wish), use)  # type: ignore[misc]
        texts.append(kernel_comment(kernel, nodes[id(kernel)]) + text)
    functions = prelude(used, OPENCL.prelude)
    double = re.search(r"\bdouble\b", functions) is not None or any(
        _computes_double(kernel) for kernel in unit.program.kernels
    )
    memory = unit.memory
    head = comment(
        f"{unit.program.name}: generated by ingot, code generator opencl: OpenCL C 1.2.\n"
        f"Constants: {memory.params_bytes} bytes. Arena: {memory.arena_bytes} bytes.\n"
        "An operand is a pointer to the one or the other, and an offset in elements. Each kernel says its local size."
    )
    # A product and a sum stay two operations with two roundings, unless the kernel says fma.
    pragmas = "#pragma OPENCL FP_CONTRACT OFF\n" + (
        f"#pragma OPENCL EXTENSION {_FP64} : enable\n" if double else ""
    )
    text = "\n".join([head + pragmas, *([functions] if functions else []), *texts])
    return Printed(text, (_FP64,) if double else (), launches)


def _computes_double(kernel: Kernel) -> bool:
    if any(param.dtype is DType.FLOAT64 for param in kernel.params):
        return True
    return any(
        node.dtype is DType.FLOAT64
        for stmt in statements(kernel.body)
        for expr in expressions(stmt)
        for node in walk(expr)
    )


def listed(unit: CompileUnit, source: Printed) -> str:
    """The text of `<symbol>.launch.json`."""
    head = {"version": VERSION, "extensions": list(source.extensions)}
    return launch_list(
        unit,
        head,
        source.launches,
        lambda launched: {"groups": list(launched.groups), "items": launched.items},
    )
