"""Drafts inside of steps: the bodies of loops and branches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ingot.plan.program import Choice, Draft, Repeat, Step


def with_bodies(draft: Draft, change: Callable[[Draft], Draft]) -> Draft:
    """The draft with every draft that stands in one of its steps changed; the same one if there is none."""
    if not any(isinstance(step.definition, Repeat | Choice) for step in draft.steps):
        return draft
    return replace(draft, steps=tuple(_with_body(step, change) for step in draft.steps))


def _with_body(step: Step, change: Callable[[Draft], Draft]) -> Step:
    match step.definition:
        case Repeat() as repeat:
            return replace(step, definition=replace(repeat, body=change(repeat.body)))
        case Choice() as choice:
            then, otherwise = change(choice.then), change(choice.otherwise)
            return replace(step, definition=replace(choice, then=then, otherwise=otherwise))
    return step
