"""Calls under control: the calls of a program as a tree of loops and branches, for who emits or makes them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from ingot.base.records import Frozen


class Controlled(Protocol):
    """Some calls, by their numbers: a loop makes those from `first` up to `end`, a branch those up to `middle`, or the others."""

    @property
    def first(self) -> int: ...
    @property
    def middle(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def repeats(self) -> bool: ...


class Section(metaclass=Frozen):
    """The calls of the control of that number, those of controls inside it as sections of their own; of a branch, `otherwise` are
    those behind its middle.
    """

    number: int
    parts: "tuple[int | Section, ...]"
    otherwise: "tuple[int | Section, ...]" = ()


def sections(
    controls: Sequence[Controlled], end: int, first: int = 0, inside: Sequence[int] | None = None
) -> "tuple[int | Section, ...]":
    """The numbers of calls from `first` up to `end` in order, those under control as sections. `inside`: the numbers of the
    controls that count, all if it is left out.
    """
    known = range(len(controls)) if inside is None else inside
    here = [number for number in known if first <= controls[number].first and controls[number].end <= end]
    parts: list[int | Section] = []
    for number in sorted(here, key=lambda number: (controls[number].first, -controls[number].end)):
        control = controls[number]
        if control.first < first:
            continue  # inside of the one before
        parts += range(first, control.first)
        inner = [other for other in here if other != number]
        then = sections(controls, control.middle, control.first, inner)
        parts.append(Section(number, then, sections(controls, control.end, control.middle, inner)))
        first = control.end
    return (*parts, *range(first, end))


def in_order(
    controls: Sequence[Controlled], parts: "Sequence[int | Section]", is_set: Callable[[int], bool]
) -> Iterator[int]:
    """The numbers of calls as they are to be made: who takes one makes it before taking the next. `is_set` says whether the
    flag of the control of that number is set.
    """
    for part in parts:
        if not isinstance(part, Section):
            yield part
        elif not controls[part.number].repeats:
            yield from in_order(controls, part.parts if is_set(part.number) else part.otherwise, is_set)
        else:
            while is_set(part.number):
                yield from in_order(controls, part.parts, is_set)
