"""Looking for the fastest way to write one kernel: from the cost model's own answer, one better choice after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ingot.loops.nodes import Kernel
from ingot.loops.text import body_text

MARGIN = 0.03
"""What a way must be faster by than the cost model's own, to be more than noise."""
_STEPS_MOST = 4
_BETTER = 0.99  # of the best so far, to go on from another way


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """A kernel, with the words that were chosen for it, and all that were offered on the way."""

    kernel: Kernel
    chosen: Mapping[str, str]
    offered: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The fastest way that was found, and the cost model's, with their times in nanoseconds. `complete`: nothing was left out for
    want of time.
    """

    best: Way
    usual: Way
    best_ns: int
    usual_ns: int
    complete: bool


Write = Callable[[Mapping[str, str]], Way]
# The times of one session; None: not measured, for want of time or because it failed.
Measure = Callable[[Sequence[Way]], Sequence[int | None]]


def search(write: Write, measure: Measure, has_time: Callable[[], bool]) -> Verdict | None:
    """The verdict for a kernel; None if there was no time to compare anything, or its usual form cannot be measured.

    What is compared is measured in one session, and the winner is measured against the usual way once more, alone: of many
    times the shortest is too short.
    """
    usual = write({})
    best, best_ns, usual_ns = usual, 0, 0
    seen = {body_text(usual.kernel)}
    complete = True
    for step in range(_STEPS_MOST):
        others = [way for way in neighbours(best, write) if not _was_seen(way, seen)]
        if others and not has_time():
            if step == 0:
                return None
            complete = False
            break
        first = [usual] if best is usual else [usual, best]
        if not others and usual_ns:
            break
        times = measure([*first, *others])
        if times[0] is None:
            return None
        complete = complete and None not in times
        usual_ns, best_ns = times[0], times[len(first) - 1] or times[0]
        found = [(time, number) for number, time in enumerate(times[len(first) :]) if time is not None]
        if not found:
            break
        time, number = min(found)
        if time > best_ns * _BETTER:
            break
        best, best_ns = others[number], time
    if best is usual:
        return Verdict(usual, usual, usual_ns, usual_ns, complete)
    again = measure([usual, best])
    if again[0] is None:
        return None
    if again[1] is None or again[1] > again[0] * (1 - MARGIN):
        return Verdict(usual, usual, again[0], again[0], complete)
    return Verdict(best, usual, again[1], again[0], complete)


def neighbours(way: Way, write: Write) -> Iterator[Way]:
    """The ways that differ from one in one decision. Decisions after it stay as they are where they have the same words to
    choose from, and are the cost model's where they have not.
    """
    names = list(way.offered)
    for at, name in enumerate(names):
        before = {earlier: way.chosen[earlier] for earlier in names[:at]}
        for word in way.offered[name]:
            if word == way.chosen[name]:
                continue
            wanted = {**before, name: word}
            made = write(wanted)
            kept = {
                later: way.chosen[later] for later in names[at + 1 :] if made.offered.get(later) == way.offered[later]
            }
            yield made if all(made.chosen[later] == word for later, word in kept.items()) else write({**wanted, **kept})


def _was_seen(way: Way, seen: set[str]) -> bool:
    """Whether an equal kernel was seen; from now on it was."""
    text = body_text(way.kernel)
    if text in seen:
        return True
    seen.add(text)
    return False
