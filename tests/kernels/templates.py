"""Builds the kernel of a template for a given storage of its operands, checks it and runs it in the interpreter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ingot.base.tensor import TensorType, row_major
from ingot.kernels.template import Site, Template
from ingot.loops.interpret import run
from ingot.loops.nodes import Buffer, Kernel
from ingot.loops.verify import verify
from ingot.machines.machine import Machine
from tests.support import machines


def strides_of(type_: TensorType, order: Sequence[int] | None) -> tuple[int, ...]:
    """Dense strides with the dimensions stored in this order, the first outermost."""
    if order is None:
        return row_major(type_.shape)
    dense = row_major(tuple(type_.shape[axis] for axis in order))
    return tuple(dense[order.index(axis)] for axis in range(type_.rank))


def run_template(
    template: Template,
    *arrays: np.ndarray,
    machine: Machine = machines.VECTORS,
    orders: Mapping[str, Sequence[int]] | None = None,
    known: Sequence[int] = (),
    wanted: Mapping[str, str] | None = None,
) -> tuple[np.ndarray, ...]:
    """The outputs of a template. `orders` gives the storage order of operands by name (`in0`, `out0`, …), else row-major; `known`
    are the positions of inputs that are constants while building, `wanted` the words of decisions.
    """
    kernel, memory = template_kernel(
        template, *arrays, machine=machine, orders=orders, known=known, wanted=wanted
    )
    run(kernel, memory)
    return tuple(_view(memory[buffer.name], buffer).copy() for buffer in kernel.outputs)


def site_of(
    template: Template,
    machine: Machine,
    constants: Sequence[np.ndarray | None],
    orders: Mapping[str, Sequence[int]] | None = None,
    wanted: Mapping[str, str] | None = None,
) -> Site:
    """Where a template is built. `constants` has None for inputs that are not known while building."""
    orders = orders or {}

    def made(name: str, type_: TensorType) -> Buffer:
        return Buffer(name, type_.dtype, type_.shape, strides_of(type_, orders.get(name)))

    inputs = [made(f"in{number}", type_) for number, type_ in enumerate(template.inputs)]
    outputs = [made(f"out{number}", type_) for number, type_ in enumerate(template.outputs)]
    return Site(machine, inputs, outputs, constants, wanted=wanted)


def template_kernel(
    template: Template,
    *arrays: np.ndarray,
    machine: Machine = machines.VECTORS,
    orders: Mapping[str, Sequence[int]] | None = None,
    known: Sequence[int] = (),
    wanted: Mapping[str, str] | None = None,
) -> tuple[Kernel, dict[str, np.ndarray]]:
    """The kernel of a template, and the memory of its parameters by name."""
    constants = [array if position in known else None for position, array in enumerate(arrays)]
    site = site_of(template, machine, constants, orders, wanted)
    outputs = site.outputs
    inputs = [site.input(position) for position in range(len(template.inputs))]
    body = tuple(template.build(site))
    packed = [
        site.packed.get(position, pair) for position, pair in enumerate(zip(inputs, arrays, strict=True))
    ]
    kernel = Kernel(
        "tested", tuple(buffer for buffer, _ in packed), tuple(outputs), body, tuple(site.workspaces)
    )
    verify(kernel)
    memory: dict[str, np.ndarray] = {}
    for buffer, array in packed:
        memory[buffer.name] = np.zeros(max(buffer.span, 1), buffer.dtype.numpy)
        _view(memory[buffer.name], buffer)[...] = array
    for buffer in (*outputs, *site.workspaces):
        memory[buffer.name] = np.full(max(buffer.span, 1), 77, buffer.dtype.numpy)
    return kernel, memory


def _view(flat: np.ndarray, buffer: Buffer) -> np.ndarray:
    steps = tuple(stride * flat.itemsize for stride in buffer.strides)
    return np.lib.stride_tricks.as_strided(flat, buffer.shape, steps)
