"""Which recurrent networks compute the product of their inputs themselves, beside their steps (see `recurrent_beside`)."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.loops.define import Template
from ingot.ops.recurrent_beside import PARTS, ROWS, VECTORS, Then
from ingot.ops.recurrent_cells import recurrent
from ingot.ops.recurrent_steps import ALONE_BYTES, WIDE_VECTOR_BYTES, Cell, tiles_together
from ingot.target import Machine
from ingot.tensor import DType, TensorType


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
    if not isinstance(cell, Cell) or names is None or "back" in template.spec or "lengths" in names:
        return None
    dtype = template.inputs[0].dtype
    if any(one.dtype is not dtype for one in operands) or not _pays(cell, machine, dtype, *operands[1].shape):
        return None
    types = (operands[0], *template.inputs[1:], operands[1], *extras)
    return recurrent(cell, dtype, (*names, "input_weights"), types, then, what or "product")


def _pays(cell: Cell, machine: Machine, dtype: DType, depth: int, columns: int) -> bool:
    """Whether to compute the product beside the steps: where one sequence reads weights that no first-level cache holds with
    vectors that come from the second-level one whole, as was seen on a Zen 5, and all weights stay there, those of the state
    twice. Tiles of exactly so many weights are needed in each phase, and two of them in each loop that is shared out: the two
    parts of the terms of a panel belong to one thread. With 1 MB that leaves LSTMs and GRUs of 128 hidden elements, with 2 MB the
    LSTM of 192, too.
    """
    if machine.vector_bytes < WIDE_VECTOR_BYTES or machine.vector_registers < 32 or machine.in_halves or machine.grid:
        return False
    lanes, state_bytes = machine.lanes(dtype), cell.hidden * columns * dtype.size_bytes
    vectors = ROWS * VECTORS // PARTS
    tile = vectors * lanes
    if dtype is not DType.FLOAT32 or cell.batch != 1 or columns != cell.gates * cell.hidden:
        return False
    gates_of = (cell.gates,) if cell.phases == 1 else (cell.gates - 1, 1)
    if any(vectors % gates or gates * cell.hidden % tile for gates in gates_of):
        return False
    if cell.phases == 1 and (columns % (2 * tile) or tiles_together(columns // tile, state_bytes) % 2):
        return False
    if cell.steps < 2 * ROWS or not 0 < depth <= cell.hidden or depth % 2:
        return False
    kept = 2 * state_bytes + depth * columns * dtype.size_bytes <= machine.l2_bytes * 3 // 4
    return kept and state_bytes > ALONE_BYTES
