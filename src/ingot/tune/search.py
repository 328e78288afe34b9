"""Hill climbing for the fastest variant of one kernel, from the cost model's answer on, one knob at a time."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ingot.loops.nodes import Kernel
from ingot.loops.text import body_text

MARGIN = 0.03
"""A variant must be faster than the cost model's by this share: less is noise."""
_MAX_STEPS = 4
_BETTER = 0.99  # of the best so far, to go on from another variant


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """A kernel with the option that was chosen for each knob, and all options that were offered."""

    kernel: Kernel
    chosen: Mapping[str, str]
    offered: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The fastest variant that was found, and the cost model's, with their times in nanoseconds.

    `complete`: nothing was left out for want of time, so the search need not be made again. A variant that crashed would crash
    again.
    """

    best: Variant
    usual: Variant
    best_ns: int
    usual_ns: int
    complete: bool


class Missing(enum.Enum):
    """Why there is no time of a variant."""

    LATE = "late"  # it was not its turn before the end, or the session failed and nobody knows by whom
    FAILED = "failed"  # it crashed, or gave no answer


Time = int | Missing  # in nanoseconds
Write = Callable[[Mapping[str, str]], Variant]
Measure = Callable[[Sequence[Variant]], Sequence[Time]]  # the times of one session


def search(write: Write, measure: Measure, has_time: Callable[[], bool]) -> Verdict | None:
    """The verdict for a kernel; None if there was no time to compare anything, or its usual form cannot be measured.

    What is compared is measured in one session, and the winner is measured against the usual variant once more, alone: of many
    times the shortest is too short.
    """
    usual = write({})
    best, best_ns, usual_ns = usual, 0, 0
    seen = {body_text(usual.kernel)}
    complete = True
    for step in range(_MAX_STEPS):
        others = [variant for variant in neighbours(best, write) if not _was_seen(variant, seen)]
        if others and not has_time():
            if step == 0:
                return None
            complete = False
            break
        first = [usual] if best is usual else [usual, best]
        if not others and usual_ns:
            break
        times = measure([*first, *others])
        if isinstance(times[0], Missing):
            return None
        complete = complete and Missing.LATE not in times
        usual_ns = best_ns = times[0]
        if not isinstance(leader := times[len(first) - 1], Missing):
            best_ns = leader
        timed = [
            (time, number) for number, time in enumerate(times[len(first) :]) if not isinstance(time, Missing)
        ]
        if not timed:
            break
        time, number = min(timed)
        if time > best_ns * _BETTER:
            break
        best, best_ns = others[number], time
    if best is usual:
        return Verdict(usual, usual, usual_ns, usual_ns, complete)
    usual_again, best_again = measure([usual, best])
    if isinstance(usual_again, Missing):
        return None
    complete = complete and best_again is not Missing.LATE
    if isinstance(best_again, Missing) or best_again > usual_again * (1 - MARGIN):
        return Verdict(usual, usual, usual_again, usual_again, complete)
    return Verdict(best, usual, best_again, usual_again, complete)


def neighbours(variant: Variant, write: Write) -> Iterator[Variant]:
    """The variants that differ in one knob. Later knobs keep their options where the same options are offered, and take the
    cost model's elsewhere.
    """
    names = list(variant.offered)
    for at, name in enumerate(names):
        before = {earlier: variant.chosen[earlier] for earlier in names[:at]}
        for word in variant.offered[name]:
            if word == variant.chosen[name]:
                continue
            overrides = {**before, name: word}
            other = write(overrides)
            kept = {
                later: variant.chosen[later]
                for later in names[at + 1 :]
                if other.offered.get(later) == variant.offered[later]
            }
            yield (
                other
                if all(other.chosen[later] == word for later, word in kept.items())
                else write({**overrides, **kept})
            )


def _was_seen(variant: Variant, seen: set[str]) -> bool:
    """Whether an equal kernel was seen; from now on it was."""
    text = body_text(variant.kernel)
    if text in seen:
        return True
    seen.add(text)
    return False
