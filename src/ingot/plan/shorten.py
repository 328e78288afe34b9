"""Kernels of a program with room, with loops that end where the places of a call do (`loops/transform/shorten`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ingot.base.tensor import DType
from ingot.loops.analyse.counts import Limit
from ingot.loops.nodes import Kernel, buffer
from ingot.loops.transform.shorten import shortened
from ingot.plan.param_limits import param_limits
from ingot.plan.program import Call, Program, Transfer
from ingot.plan.room import SIZES

_Limits = tuple[Limit, ...]


def shortened_program(program: Program, limits: Mapping[str, Sequence[Limit]]) -> Program:
    """The program, of which kernels compute the places that are there and few others.

    Args:
        program: as `schedule` made it; it has the input `SIZES`.
        limits: of values by name. A value that is not named is needed as a whole.
    """
    kernels: dict[tuple[int, tuple[_Limits, ...]], Kernel] = {}
    names: set[str] = set()
    calls: list[Call | Transfer] = []
    for call in program.calls:
        if not isinstance(call, Call):
            calls.append(call)
            continue
        own = tuple(
            param_limits(program.values[name], param, limits.get(name, ()))
            for name, param in zip(call.args, call.kernel.params, strict=True)
        )
        key = (id(call.kernel), own)
        if key not in kernels:
            kernels[key] = _named_apart(_shortened(call, own, program), names)
            names.add(kernels[key].name)
        kernel = kernels[key]
        args = call.args
        if len(kernel.inputs) > len(call.kernel.inputs):
            count = len(call.kernel.inputs)
            args = (*args[:count], SIZES, *args[count:])
        calls.append(replace(call, kernel=kernel, args=args))
    texts = {name: text for name, text in program.texts.items() if name not in names}
    return replace(program, calls=tuple(calls), texts=texts)


def _shortened(call: Call, limits: Sequence[_Limits], program: Program) -> Kernel:
    kernel = call.kernel
    params = {param.name: some for param, some in zip(kernel.params, limits, strict=True) if some}
    # A kernel may have all sizes already, or some of them.
    values = {param.name: program.values[name] for param, name in zip(kernel.inputs, call.reads, strict=True)}
    parts = {name: value.offset for name, value in values.items() if value.base == SIZES}
    count = program.values[SIZES].type.shape
    given = [param for param in kernel.inputs if param.name in parts and param.shape == count]
    sizes = given[0] if given else buffer("sizes", DType.INT64, count)
    return shortened(kernel, params, sizes, {name: at for name, at in parts.items() if name != sizes.name})


def _named_apart(kernel: Kernel, names: set[str]) -> Kernel:
    """The kernel under a name that no other one has."""
    name, number = kernel.name, 2
    while name in names:
        name, number = f"{kernel.name}_{number}", number + 1
    return kernel if name == kernel.name else replace(kernel, name=name)
