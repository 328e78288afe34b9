"""Texts as tokens, as onnxruntime's `Tokenizer` makes them.

*Source:* ContribOperators.md of onnxruntime, com.microsoft.Tokenizer, version 1; what that leaves open is as onnxruntime 1.20 and
later do it: of the matches of an expression the first one counts, and of those that begin there the longest. The expression `.`
by itself makes a token of each letter, a line's end too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ingot.border.full_match import automaton
from ingot.border.program import text_array

START, END = "\x02", "\x03"  # the tokens before and behind the text, if it is marked
LETTER = "."  # the expression that makes a token of each letter

Array = np.ndarray[Any, Any]
Split = Callable[[str], list[str]]


def tokenizer(
    separators: Sequence[str], pattern: str, letters_min: int, is_marked: bool, padding: str, limit: int
) -> Callable[[Array], Array]:
    """A function of text `[C]` or `[N, C]` that gives its tokens, `[C, D]` or `[N, C, D]`: D is as long as the longest needs.

    Args:
        separators: expressions of what is between tokens, one after the other, or none.
        pattern: without separators: an expression of what a token is.
        letters_min: how many letters a token must have, else it is left out.
        is_marked: whether `START` and `END` are put around the tokens of a text. Where no text has a token, there are none.
        padding: what stands behind the tokens of texts that have fewer.
        limit: of elements in the result.

    The function raises ValueError for another shape, and for more elements than the limit.

    Raises:
        ValueError: an expression that is none; no separators and no pattern; a number of letters that is none.
    """
    if letters_min < 1 or (letters_min > 1 and not separators and pattern == LETTER):
        raise ValueError(
            f"mincharnum={letters_min} is not supported: expected 1, or more where tokens are not single letters"
        )
    split = _splitter(tuple(separators), pattern, letters_min)

    def tokenize(given: Array) -> Array:
        if given.ndim not in (1, 2):
            raise ValueError(f"got text of the shape {list(given.shape)}, expected [C] or [N, C]")
        rows = [split(text) for text in given.reshape(-1).tolist()]
        width = max(map(len, rows), default=0)
        if is_marked and width:
            rows, width = [[START, *row, END] for row in rows], width + 2
        if width * len(rows) > limit:
            raise ValueError(f"makes {width * len(rows)} elements, more than the limit of {limit}")
        padded = [token for row in rows for token in (*row, *[padding] * (width - len(row)))]
        return text_array(padded, (*given.shape, width))

    return tokenize


def _splitter(separators: tuple[str, ...], pattern: str, letters_min: int) -> Split:
    if separators:
        return _between([automaton(separator).find for separator in separators], letters_min)
    if pattern == LETTER:
        return list
    if not pattern:
        raise ValueError("expected separators or an expression of tokens, got neither")
    find = automaton(pattern).find
    return lambda text: _matches(find, text, letters_min)


Find = Callable[[str, int], "tuple[int, int] | None"]


def _between(finds: list[Find], letters_min: int) -> Split:
    """What is between separators, each in what the one before has left."""

    def split(text: str) -> list[str]:
        parts = [text]
        for find in finds:
            parts = [piece for part in parts for piece in _pieces(find, part) if len(piece) >= letters_min]
        return parts

    return split


def _pieces(find: Find, text: str) -> list[str]:
    """The text without matches; one that is empty takes the letter behind it along."""
    pieces, begin = [], 0
    while begin <= len(text) and (match := find(text, begin)) is not None:
        pieces.append(text[begin : match[0]])
        begin = match[1] if match[1] > match[0] else match[0] + 1
    return [*pieces, text[begin:]]


def _matches(find: Find, text: str, letters_min: int) -> list[str]:
    """The matches that are long enough; behind one that is not, the search goes on at its second letter."""
    tokens, begin = [], 0
    while begin <= len(text) and (match := find(text, begin)) is not None:
        token = text[slice(*match)]
        if len(token) >= letters_min:
            tokens.append(token)
        begin = match[1] if len(token) >= letters_min else match[0] + 1
    return tokens
