"""What a border does for the sizes that come, where extents vary from call to call.

Only such models need it: it is imported with the first of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingot.artifact.model_info import ModelInfo
from ingot.base.errors import InputError
from ingot.border.program import Border, Port, Step
from ingot.border.sizes import border_at, places_of
from ingot.border.steps import Run, prepared
from ingot.runtime.executors.shaped import ANSWERS_MAX, extent_of

Prepared = Sequence[tuple[Step, Run]]


@dataclass(frozen=True, slots=True, eq=False)
class Sized:
    """A border for fixed sizes: the steps, prepared to run, and what callers get."""

    front: Prepared
    back: Prepared
    outputs: tuple[Port, ...]


class BorderSizes:
    """Makes the borders of a model for sizes; steps that are the same for all of them are prepared once."""

    def __init__(self, info: ModelInfo, border: Border, front: Prepared, back: Prepared) -> None:
        self._info, self._border = info, border
        self._runs = {id(step): run for step, run in (*front, *back) if not step.varying}
        self._places = {
            name: [(each, axis, 0) for each, axis in some] for name, some in places_of(border).items()
        }
        self._sized: dict[tuple[int, ...], Sized] = {}

    def at(self, values: Mapping[str, Any]) -> Sized:
        """The border for the sizes that the leaves of inputs have.

        Raises:
            InputError: an extent is none that the library was built for, or not the same in all inputs that have it.
        """
        shapes = {name: value.shape for name, value in values.items()}
        dims = self._info.dims
        sizes = tuple(extent_of(self._info.name, dim, self._places[dim.name], shapes) for dim in dims)
        sized = self._sized.get(sizes)
        if sized is None:
            border = border_at(self._border, dict(zip((dim.name for dim in dims), sizes, strict=True)))
            front = self._prepared(self._border.front, border.front)
            sized = Sized(front, self._prepared(self._border.back, border.back), border.outputs)
            if len(self._sized) < ANSWERS_MAX:
                self._sized[sizes] = sized
        return sized

    def _prepared(self, steps: Sequence[Step], sized: Sequence[Step]) -> Prepared:
        runs: list[tuple[Step, Run]] = []
        for step, own in zip(steps, sized, strict=True):
            try:
                runs.append((own, self._runs.get(id(step)) or prepared(own)))
            except ValueError as error:
                raise InputError(
                    f"model {self._info.name!r}: the step {step.op!r}, for these sizes, {error}", step=step.op
                ) from None
        return runs
