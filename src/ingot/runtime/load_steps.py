"""What loading did and how long it took: for `Library.load_steps` and `explain`, which a first answer does without."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ingot.base.records import Frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingot.artifact.module import Module

# What was done, when it was done by the clock, and a detail in words or numbers; first, without a name, when it began.
Steps = list[tuple[str, float, str | dict[str, int]]]


class LoadStep(metaclass=Frozen):
    """One step of loading and how long it took."""

    name: str
    seconds: float
    detail: str


def steps_of(log: Steps) -> tuple[LoadStep, ...]:
    """The steps that a library noted while it was loaded."""
    return tuple(
        LoadStep(name, end - begin, _words(name, detail))
        for (_, begin, _), (name, end, detail) in pairwise(log)
    )


def _words(step: str, detail: str | dict[str, int]) -> str:
    if isinstance(detail, str):
        return detail
    if step == "partition":  # of artifacts by loader
        return f"{sum(detail.values())} artifacts: {', '.join(f'{count} {loader}' for loader, count in sorted(detail.items()))}"
    return ", ".join(amount(count, unit) for unit, count in detail.items())


def amount(count: int, unit: str) -> str:
    """`1 model`, `2 models`."""
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def tree_words(modules: Sequence[Any]) -> str:
    """The entries of a module tree, in their order."""
    return f"module tree of {len(modules)}: {' '.join(f'{number}.{module.type_key}' for number, module in enumerate(modules))}"


def explain(root: Module, steps: tuple[LoadStep, ...]) -> str:
    """The steps of loading with their times, and the module tree, as text."""
    lines = [
        f"{step.seconds * 1e3:9.3f} ms  {step.name}{': ' + step.detail if step.detail else ''}"
        for step in steps
    ]
    lines.append(f"{sum(step.seconds for step in steps) * 1e3:9.3f} ms  in all")
    lines.append(root.type_key)
    pending = [(module, 1) for module in reversed(root.imported_modules)]
    while pending:
        module, depth = pending.pop()
        lines.append(f"{'  ' * depth}└ {module.type_key}")
        pending += [(child, depth + 1) for child in reversed(module.imported_modules)]
    return "\n".join(lines)
