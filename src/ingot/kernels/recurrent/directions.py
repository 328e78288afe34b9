"""Both directions of a recurrent network in one kernel.

They need nothing of one another, so two threads do one each and never wait: that is quicker than to share out the steps of one
after the other, and all that there is to share out where weights are small. Results go to their places in the model's outputs at
once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.recurrent.cells import is_one_task, recurrent, walk
from ingot.kernels.recurrent.steps import Cell
from ingot.kernels.template import Answer, Arranged, Counted, Independent, Site, Template
from ingot.loops.build.nest import loop
from ingot.loops.nodes import Buffer, Expr, If, LoopKind, Operand, Stmt, compare

Option = TypeVar("Option")


class _Direction(Site):
    """What one direction sees of the kernel: its own operands, which are those from `first` on, and its part of each output."""

    def __init__(self, whole: Site, number: int, first: int, axes: Sequence[int]) -> None:
        super().__init__(whole.machine, (), whole.outputs, (), home=whole.home, spare_bytes=whole.spare_bytes)
        self._whole, self._number, self._first, self._axes = whole, number, first, axes

    def input(self, position: int) -> Buffer:
        return self._whole.input(self._first + position)

    def is_inlined(self, position: int) -> bool:
        return self._whole.is_inlined(self._first + position)

    def constant(self, position: int) -> np.ndarray | None:
        return self._whole.constant(self._first + position)

    def is_constant(self, position: int) -> bool:
        return self._whole.is_constant(self._first + position)

    def ask(self, position: int, question: Callable[[np.ndarray], Answer]) -> Answer:
        return self._whole.ask(self._first + position, question)

    def arrange(self, position: int, arranged: Arranged) -> Buffer:
        return self._whole.arrange(self._first + position, arranged)

    def read(self, position: int, *index_: Operand) -> Expr:
        return self._whole.read(self._first + position, *index_)

    def write(self, position: int, index_: Sequence[Operand], value: Expr) -> tuple[Stmt, ...]:
        axis = self._axes[position]
        return self._whole.write(position, (*index_[:axis], self._number, *index_[axis + 1 :]), value)

    @property
    def has_epilogue(self) -> bool:
        return self._whole.has_epilogue

    @property
    def has_long_epilogue(self) -> bool:
        return self._whole.has_long_epilogue

    def wants(self, name: str) -> str:
        return self._whole.wants(name if self._number == 0 else f"{name}_back")

    def choose(
        self, name: str, options: Mapping[str, Option], every: Mapping[str, Option] | None = None
    ) -> Option:
        return self._whole.choose(name if self._number == 0 else f"{name}_back", options, every)

    def pack(self, position: int, array: np.ndarray, name: str | None = None) -> Buffer:
        return self._whole.pack(self._first + position, array, name)

    def workspace(self, name: str, dtype: DType, shape: tuple[int, ...]) -> Buffer:
        return self._whole.workspace(name if self._number == 0 else f"{name}_back", dtype, shape)


def both_directions(
    cells: tuple[Cell, Cell],
    dtype: DType,
    names: Sequence[Sequence[str]],
    types: Sequence[Sequence[TensorType]],
) -> Template:
    """Two templates of `recurrent` in one: operands are those of the first one, then those of the second, and outputs are theirs
    with two directions.
    """
    forth, back = (recurrent(*operands) for operands in zip(cells, (dtype, dtype), names, types, strict=True))
    batch_first = cells[0].batch_first
    axes = (2, 1, 1) if batch_first else (1, 0, 0)
    outputs = []
    for output, axis in zip(forth.outputs, axes, strict=False):
        outputs.append(TensorType(output.dtype, (*output.shape[:axis], 2, *output.shape[axis + 1 :])))

    def build(site: Site) -> Sequence[Stmt]:
        apart = all(is_one_task(site, cell, dtype, own) for cell, own in zip(cells, names, strict=True))
        walks: list[Sequence[Stmt]] = []
        for number, first in enumerate((0, len(names[0]))):
            part = _Direction(site, number, first, axes)
            walks.append(walk(part, cells[number], dtype, names[number], whole=apart))
            site.spare_bytes = part.spare_bytes
        if not apart:
            return (*walks[0], *walks[1])

        def either(number: Expr) -> Sequence[Stmt]:
            return (If(compare("eq", number, 0), tuple(walks[0]), tuple(walks[1])),)

        return loop("direction", 2, either, LoopKind.PARALLEL)

    spec = {"cell": cells[0], "back": cells[1], "operands": tuple(map(tuple, names))}
    independent = tuple(
        Independent((*first.inputs, *second.inputs), first.outputs)
        for first, second in zip(forth.independent, back.independent, strict=True)
    )
    counted = None
    if forth.counted is not None and back.counted is not None:
        lengths = forth.counted.type
        counted = Counted(
            (*forth.counted.inputs, *back.counted.inputs),
            forth.counted.outputs,
            lengths,
            (len(names[0]), len(names[0]) + 1 + len(names[1])),
            lambda: both_directions(
                cells,
                dtype,
                [(*own, "lengths") for own in names],
                [(*own, lengths) for own in types],
            ),
        )
    return Template(
        forth.name,
        (*forth.inputs, *back.inputs),
        tuple(outputs),
        build,
        spec,
        spares=True,
        independent=independent,
        counted=counted,
    )
