from __future__ import annotations

import numpy as np
import pytest

from ingot.runtime.sampling import Sampling, Uniform


def test_numbers_of_a_seed_are_those_of_splitmix64() -> None:
    uniform = Uniform(1234567)  # the numbers that other implementations give for this seed
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [uniform() for _ in expected] == [(number >> 11) / 2**53 for number in expected]


def test_without_a_seed_numbers_differ_each_time() -> None:
    assert Uniform(None)() != Uniform(None)()


def counts(sampling: Sampling, logits: list[float], draws: int = 4000) -> np.ndarray:
    uniform = Uniform(5)
    array = np.float32(logits)
    tokens = [sampling.choose(array, uniform) for _ in range(draws)]
    return np.bincount(tokens, minlength=len(logits)) / draws


def test_tokens_are_as_frequent_as_their_probability() -> None:
    logits = np.log([0.5, 0.1, 0.25, 0.15])
    assert counts(Sampling(temperature=1.0), logits) == pytest.approx([0.5, 0.1, 0.25, 0.15], abs=0.03)
    squares = np.square([0.5, 0.1, 0.25, 0.15])
    assert counts(Sampling(temperature=0.5), logits) == pytest.approx(squares / squares.sum(), abs=0.03)


def test_only_the_greatest_are_chosen_with_top_k() -> None:
    parts = counts(Sampling(temperature=1.0, top_k=2), np.log([0.5, 0.1, 0.25, 0.15]))
    assert parts == pytest.approx([2 / 3, 0, 1 / 3, 0], abs=0.03)


@pytest.mark.parametrize(
    ("top_p", "likely"), [(0.4, [0]), (0.51, [0, 2]), (0.76, [0, 2, 3]), (1.0, [0, 1, 2, 3])]
)
def test_as_few_as_have_the_probability_are_chosen_with_top_p(top_p: float, likely: list[int]) -> None:
    parts = counts(Sampling(temperature=1.0, top_p=top_p), np.log([0.5, 0.1, 0.25, 0.15]))
    assert np.flatnonzero(parts).tolist() == likely


def test_of_equal_logits_the_first_are_among_the_greatest() -> None:
    parts = counts(Sampling(temperature=1.0, top_k=2), [1.0, 3.0, 1.0, 1.0])
    assert np.flatnonzero(parts).tolist() == [0, 1]
    assert Sampling().choose(np.float32([0, 2, 2]), Uniform(1)) == 1


def test_a_token_that_cannot_come_does_not() -> None:
    parts = counts(Sampling(temperature=2.0, top_p=0.99), [-np.inf, 0.0, -np.inf, 0.0])
    assert np.flatnonzero(parts).tolist() == [1, 3]
