"""What loading did and how long it took: for `Library.load_steps` and `explain`, which a first answer does without."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ingot.frozen import Frozen

if TYPE_CHECKING:
    from ingot.artifact.module import Module

# What was done, when it was done by the clock, and a detail; first, without a name, when it began.
Steps = list[tuple[str, float, str]]


class LoadStep(metaclass=Frozen):
    """One step of loading and how long it took."""

    name: str
    seconds: float
    detail: str


def steps_of(log: Steps) -> tuple[LoadStep, ...]:
    """The steps that a library noted while it was loaded."""
    return tuple(LoadStep(name, end - begin, detail) for (_, begin, _), (name, end, detail) in pairwise(log))


def explain(root: Module, steps: tuple[LoadStep, ...]) -> str:
    """The steps of loading with their times, and the module tree, as text."""
    lines = [f"{step.seconds * 1e3:9.3f} ms  {step.name}{': ' + step.detail if step.detail else ''}" for step in steps]
    lines.append(f"{sum(step.seconds for step in steps) * 1e3:9.3f} ms  in all")
    lines.append(root.type_key)
    pending = [(module, 1) for module in reversed(root.imported_modules)]
    while pending:
        module, depth = pending.pop()
        lines.append(f"{'  ' * depth}└ {module.type_key}")
        pending += [(child, depth + 1) for child in reversed(module.imported_modules)]
    return "\n".join(lines)
