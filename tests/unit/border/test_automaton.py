"""What a letter costs is bounded by the pattern, and what is remembered by a constant; no text makes it more."""

import contextlib
import random

import pytest

from ingot.border import automaton as automaton_module
from ingot.border.automaton import Automaton
from ingot.border.full_match import MAX_LETTERS, MAX_STATES, automaton, full_matcher


class Counting(list):
    """States that count how often one is looked at."""

    looks = 0

    def __getitem__(self, number):
        self.looks += 1
        return super().__getitem__(number)


def counting(pattern):
    made = automaton(pattern)
    states = Counting(made._states)
    made._states = states
    return made, states


# The second and the third are at their worst for matchers that go back, the last for those that remember sets of states.
PATTERNS = ["a{60}b{60}", "(a+)+$", "(a|aa)*c", "(.*a.*)*b", "[ab]*a[ab]{12}"]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("remembers", [True, False])
def test_a_letter_takes_one_look_at_each_state_at_most(pattern, remembers, monkeypatch):
    if not remembers:
        monkeypatch.setattr(automaton_module, "MEMO_STATES", 0)
    seed = random.Random(pattern)
    for text in ("a" * 2000, "".join(seed.choices("ab", k=2000)), "aab" * 600):
        made, states = counting(pattern)
        made.matches(text)
        assert states.looks <= (len(text) + 1) * len(states)
        made, states = counting(pattern)
        made.find(text, 0)
        assert states.looks <= (len(text) + 1) * len(states)


def test_what_was_remembered_is_not_looked_at_again():
    made, states = counting("(a|b)*c")
    made.matches("ab" * 10)
    before = states.looks
    made.matches("ab" * 1000)
    assert states.looks - before <= len(states)  # the end of a text is not remembered


def test_what_is_remembered_has_an_end(monkeypatch):
    monkeypatch.setattr(automaton_module, "MEMO_STATES", 500)
    made = automaton("[ab]*a[ab]{12}")  # 4,096 sets of states
    text = "".join(random.Random(1).choices("ab", k=5000))
    assert made.matches(text) == (text[-13] == "a")
    assert made._kept < 500 + 2 * 64 and len(made._nodes) < 64


def test_a_pattern_has_an_end_too():
    with pytest.raises(ValueError, match=f"{MAX_LETTERS + 1} letters, more than {MAX_LETTERS}"):
        full_matcher("(|" * (MAX_LETTERS // 2) + "a")
    with pytest.raises(ValueError, match=f"more than {MAX_STATES} states"):
        full_matcher("a" * (MAX_STATES + 1))


@pytest.mark.parametrize("piece", ["{", "a{", "[[:", "[{]", "\\x{", "(?", "\\Q"])
def test_a_pattern_is_read_in_a_time_that_grows_with_its_length(piece):
    """None of its letters is searched for the end of what begins there as far as the pattern goes."""

    class Pattern(str):
        __slots__ = ()
        searched = 0

        def find(self, part, begin=0, end=MAX_LETTERS):
            Pattern.searched += max(0, min(end, len(self)) - begin)
            return str.find(self, part, begin, end)

    with contextlib.suppress(ValueError):
        full_matcher(Pattern(piece * (4000 // len(piece))))
    assert Pattern.searched <= 32 * 4000


def test_a_class_of_letters_is_looked_up_and_not_gone_through():
    letters = "".join(map(chr, range(0x4E00, 0x9E00, 2)))
    match = full_matcher(f"[{letters}]")
    asked = []

    class Letter(str):
        __slots__ = ()

        def __lt__(self, other):
            asked.append(other)
            return str.__lt__(self, other)

    state = next(state for state in automaton(f"[{letters}]")._states if state[0] == "letter")
    assert state[1](Letter(letters[5000])) and not state[1](chr(ord(letters[5000]) + 1))
    assert 0 < len(asked) < 20
    assert match(letters[0]) and not match("a")


def test_of_two_matches_the_one_that_begins_first_is_found_and_then_the_longer_one():
    assert automaton("bcd|ab|abc").find("xabcd", 0) == (1, 4)
    assert automaton("a.*c|b").find("abbb", 0) == (1, 2)
    assert automaton("").find("ab", 1) == (1, 1)
    assert automaton("c").find("ab", 0) is None and automaton("$").find("ab", 0) == (2, 2)
    assert isinstance(automaton("a"), Automaton)
