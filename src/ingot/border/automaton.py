"""Follows all states of a regular expression side by side (Thompson, 1968), letter by letter of a text.

A letter of the text takes at most one visit of each state and of each way out of it, whatever the text is: so a match of a whole
text, and one search in it, take a time that grows with text × states and not faster. What a letter leads to is remembered, up
to `MEMO_STATES` states in all, as deterministic automata do.
"""

from collections.abc import Sequence
from typing import Any

MEMO_STATES = 1 << 18

# What a state is: of one letter, ("letter", test, next); else ("split", next, …), ("at", assertion, next) or ("end",).
State = tuple[Any, ...]
# States that are followed, in groups by where in the text their match began, the earliest first; before they are looked into.
Groups = tuple[tuple[int, ...], ...]

_WORD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


class _Node:
    """Groups of states, and what a letter makes of them: without and with a match that begins before the letter."""

    __slots__ = ("groups", "plain", "seeded")

    def __init__(self, groups: Groups) -> None:
        self.groups = groups
        self.plain: dict[str, _Step] = {}
        self.seeded: dict[str, _Step] = {}


# Where each group that is left comes from, these groups, and the group that has come to its end, -1 if none has.
_Step = tuple[tuple[int, ...], _Node, int]


class Automaton:
    """An expression by its states and the one where it begins."""

    def __init__(self, states: Sequence[State], start: int) -> None:
        self._states, self._begin = states, (start,)
        self._looks_back = any(state[0] == "at" for state in states)
        self._nodes: dict[Groups, _Node] = {}
        self._kept = 0

    def matches(self, text: str) -> bool:
        """Whether it matches the whole text."""
        node = self._node((self._begin,))
        for at, letter in enumerate(text):
            before = text[at - 1 : at] if self._looks_back else ""
            _, node, _ = node.plain.get(letter + before) or self._step(node, letter, before, is_seeded=False)
            if not node.groups:
                return False
        return self._step(node, "", text[-1:], is_seeded=False)[2] >= 0

    def find(self, text: str, begin: int) -> tuple[int, int] | None:
        """Where it matches first from there on, and of all matches that begin there the longest: its begin and end.

        What stands before `begin` is seen by assertions.
        """
        match = None
        begins: list[int] = []
        node = self._node(())
        for at in range(begin, len(text)):
            letter = text[at]
            before = text[at - 1 : at] if self._looks_back else ""
            if match is None:
                origins, node, ended = node.seeded.get(letter + before) or self._step(
                    node, letter, before, is_seeded=True
                )
                if not origins and ended < 0:
                    if begins:
                        begins = []
                    continue
                begins.append(at)
            else:
                origins, node, ended = node.plain.get(letter + before) or self._step(
                    node, letter, before, is_seeded=False
                )
            if ended >= 0:
                match = begins[ended], at
            begins = [begins[origin] for origin in origins]
            if match is not None and not begins:
                return match
        _, _, ended = self._step(node, "", text[-1:], is_seeded=match is None)
        return match if ended < 0 else ([*begins, len(text)][ended], len(text))

    def _node(self, groups: Groups) -> _Node:
        node = self._nodes.get(groups)
        if node is None:
            node = self._nodes[groups] = _Node(groups)
            self._kept += 8 + sum(map(len, groups))  # eight for the entries themselves
        return node

    def _step(self, node: _Node, letter: str, before: str, *, is_seeded: bool) -> _Step:
        """What is left behind a letter, empty at the end of the text."""
        if self._kept > MEMO_STATES:
            self._nodes, self._kept = {}, 0
        groups = (*node.groups, self._begin) if is_seeded else node.groups
        origins, left, ended = self._followed(groups, before, letter)
        step = origins, self._node(left), ended
        if letter:
            (node.seeded if is_seeded else node.plain)[letter + (before if self._looks_back else "")] = step
            self._kept += 8 + len(origins)
        return step

    def _followed(self, groups: Groups, before: str, letter: str) -> tuple[tuple[int, ...], Groups, int]:
        seen: set[int] = set()
        origins: list[int] = []
        left: list[tuple[int, ...]] = []
        for number, group in enumerate(groups):
            following, is_end = self._group(group, before, letter, seen)
            if following:
                origins.append(number)
                left.append(following)
            if is_end:  # what began later is of no use any more
                return tuple(origins), tuple(left), number
        return tuple(origins), tuple(left), -1

    def _group(
        self, group: tuple[int, ...], before: str, letter: str, seen: set[int]
    ) -> tuple[tuple[int, ...], bool]:
        """The states behind the letter of a group, and whether its match may end before the letter."""
        waiting, following, is_end = list(group), [], False
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            state = self._states[number]
            if state[0] == "split":
                waiting += state[1:]
            elif state[0] == "at":
                if _holds(state[1], before, letter):
                    waiting.append(state[2])
            elif state[0] == "end":
                is_end = True
            elif letter and state[1](letter):
                following.append(state[2])
        return tuple(sorted(set(following))), is_end


def _holds(assertion: str, before: str, after: str) -> bool:
    match assertion:
        case "begin":
            return not before
        case "end":
            return not after
        case "line begin":
            return before in ("", "\n")
        case "line end":
            return after in ("", "\n")
    return ((before in _WORD) != (after in _WORD)) == (assertion == "word edge")
