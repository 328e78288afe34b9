"""The search takes what is faster by more than noise, and says what it could not try."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from ingot.base.tensor import DType
from ingot.loops.nodes import Kernel, Store, buffer, index
from ingot.tune.search import MARGIN, Missing, Time, Variant, neighbours, search

Rule = Callable[[Mapping[str, str]], Time]
TILES, ORDERS = ("4x1", "2x2", "1x4"), ("rows", "columns")


def write(wanted: Mapping[str, str]) -> Variant:
    """A kernel of two decisions; under the tile `1x4` there is a third."""
    offered: dict[str, tuple[str, ...]] = {"tile": TILES, "order": ORDERS}
    if wanted.get("tile") == "1x4":
        offered["unroll"] = ("no", "yes")
    chosen = {
        name: wanted[name] if wanted.get(name) in words else words[0] for name, words in offered.items()
    }
    made = buffer("y", DType.FLOAT32, (100,))
    number = sum(
        (10 ** (2 - at)) * offered[name].index(word) for at, (name, word) in enumerate(chosen.items())
    )
    body = (Store(made, (index(number),), index(0)),)
    return Variant(Kernel("k", (), (made,), body), chosen, offered)


class Clock:
    """Gives every variant the time that a rule says; counts sessions."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.sessions: list[int] = []

    def __call__(self, variants: Sequence[Variant]) -> list[Time]:
        self.sessions.append(len(variants))
        return [self.rule(variant.chosen) for variant in variants]


def found(rule: Rule, has_time: Callable[[], bool] = lambda: True):
    return search(write, Clock(rule), has_time)


def test_better_choices_are_added_up_step_by_step() -> None:
    verdict = found(
        lambda chosen: 1000 - 100 * (chosen["tile"] == "2x2") - 100 * (chosen["order"] == "columns")
    )
    assert verdict is not None and verdict.complete
    assert dict(verdict.best.chosen) == {"tile": "2x2", "order": "columns"}
    assert (verdict.best_ns, verdict.usual_ns) == (800, 1000)


def test_what_is_only_offered_after_a_choice_is_tried_after_it() -> None:
    verdict = found(
        lambda chosen: (
            {"4x1": 1000, "2x2": 990, "1x4": 900}[chosen["tile"]] - 200 * (chosen.get("unroll") == "yes")
        )
    )
    assert verdict is not None
    assert dict(verdict.best.chosen) == {"tile": "1x4", "order": "rows", "unroll": "yes"}


@pytest.mark.parametrize(("gain", "wins"), [(MARGIN / 2, False), (2 * MARGIN, True)])
def test_less_than_the_margin_is_noise(gain: float, wins: bool) -> None:
    verdict = found(lambda chosen: round(10000 * (1 - gain * (chosen["tile"] == "2x2"))))
    assert verdict is not None
    assert (verdict.best.chosen["tile"] == "2x2") == wins
    assert (verdict.best is verdict.usual) != wins


def test_a_winner_that_does_not_win_again_was_luck() -> None:
    lucky = iter([500] + [1000] * 100)

    def rule(chosen: Mapping[str, str]) -> int:
        return next(lucky) if chosen["tile"] == "2x2" else 1000

    verdict = found(rule)
    assert verdict is not None and verdict.best is verdict.usual


@pytest.mark.parametrize("why", Missing)
def test_a_way_without_a_time_is_no_choice_and_looked_at_again_only_if_it_was_late(why: Missing) -> None:
    verdict = found(
        lambda chosen: why if chosen["tile"] == "2x2" else 500 if chosen["order"] == "columns" else 1000
    )
    assert verdict is not None and verdict.complete == (why is Missing.FAILED)
    assert dict(verdict.best.chosen) == {"tile": "4x1", "order": "columns"}


@pytest.mark.parametrize("why", Missing)
def test_a_winner_that_cannot_win_again_is_looked_at_again_only_if_it_was_late(why: Missing) -> None:
    clock = Clock(lambda chosen: 500 if chosen["order"] == "columns" else 1000)
    verdict = search(
        write, lambda variants: [1000, why] if len(clock.sessions) == 2 else clock(variants), lambda: True
    )
    assert verdict is not None and verdict.best is verdict.usual
    assert verdict.complete == (why is Missing.FAILED)


def test_without_time_or_without_a_usual_time_there_is_no_verdict() -> None:
    assert found(lambda chosen: 1000, lambda: False) is None
    assert all(found(lambda chosen, why=why: why) is None for why in Missing)


def test_no_kernel_is_measured_twice_but_for_the_winner() -> None:
    clock = Clock(lambda chosen: 1000 - 100 * (chosen["order"] == "columns"))
    search(write, clock, lambda: True)
    # The usual variant and three others; both leaders and what is new beside the winner; both leaders alone.
    assert clock.sessions == [4, 4, 2]


def test_neighbours_differ_in_one_decision_and_keep_later_ones() -> None:
    variant = write({"order": "columns"})
    assert [tuple(one.chosen.values()) for one in neighbours(variant, write)] == [
        ("2x2", "columns"),
        ("1x4", "columns", "no"),
        ("4x1", "rows"),
    ]
