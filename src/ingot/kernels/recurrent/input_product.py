"""Which recurrent networks overlap the product of their inputs with their steps (see `recurrent/overlapped_input`)."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.recurrent.cells import recurrent
from ingot.kernels.recurrent.input_panels import REGISTERS_LEAST, ROWS, shape_of
from ingot.kernels.recurrent.overlapped_input import Then
from ingot.kernels.recurrent.quantized import SCALES
from ingot.kernels.recurrent.steps import ALONE_BYTES, WIDE_VECTOR_BYTES, Cell
from ingot.kernels.template import Template
from ingot.machines.machine import Machine


def with_product(
    template: Template,
    machine: Machine,
    operands: tuple[TensorType, TensorType],
    extras: Sequence[TensorType],
    then: Then | None,
    what: str,
) -> Template | None:
    """The template of a recurrent network together with the product that is its input, or None where it does not pay.

    Its inputs are the product's left operand `[steps, depth]`, those of `template` but the first, the product's right operand
    `[depth, columns]`, a constant, and the `extras` that `then` reads, which is done to the product and whose text is `what`.
    """
    cell, names = template.spec.get("cell"), template.spec.get("operands")
    if (
        not isinstance(cell, Cell)
        or names is None
        or "back" in template.spec
        or {"lengths", SCALES} & set(names)
    ):
        return None
    dtype = template.inputs[0].dtype
    if any(one.dtype is not dtype for one in operands) or not _pays(cell, machine, dtype, *operands[1].shape):
        return None
    types = (operands[0], *template.inputs[1:], operands[1], *extras)
    return recurrent(cell, dtype, (*names, "input_weights"), types, then, what or "product")


def _pays(cell: Cell, machine: Machine, dtype: DType, depth: int, columns: int) -> bool:
    """Whether to compute the product beside the steps: where one sequence reads weights that no first-level cache holds with
    vectors of 64 bytes, as was seen on a Zen 5 and a Zen 4, and all weights stay in the second-level one, those of the state
    twice. Tiles of exactly so many weights are needed in each phase. With 1 MB that leaves LSTMs and GRUs of about 128 hidden
    elements, with 2 MB those of about 192, too.
    """
    shape = shape_of(machine, cell.passes)
    if (
        shape is None
        or machine.vector_bytes < WIDE_VECTOR_BYTES
        or machine.vector_registers < REGISTERS_LEAST
        or machine.grid
    ):
        return False
    lanes, state_bytes = machine.lanes(dtype), cell.hidden * columns * dtype.size_bytes
    vectors = shape.tile_vectors
    if dtype is not DType.FLOAT32 or cell.batch != 1 or columns != cell.gates * cell.hidden:
        return False
    if any(vectors % len(gates) or len(gates) * cell.hidden % (vectors * lanes) for gates in cell.passes):
        return False
    if cell.steps < 2 * ROWS or not 0 < depth <= cell.hidden or depth % shape.parts:
        return False
    kept = 2 * state_bytes + depth * columns * dtype.size_bytes <= machine.l2_bytes * 3 // 4
    return kept and state_bytes > ALONE_BYTES
