"""How often each n-gram of a list is in each row of texts, where rows are as long as their text has words: no kernel has that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Gram = tuple[str, ...]


def counter(
    words: Sequence[str],
    starts: Sequence[int],
    columns: Sequence[int],
    lengths: Sequence[int],
    skips: int,
    limit: int,
) -> Callable[[Array], Array]:
    """A function of text `[D]` or `[N, D]` that gives frequencies, float32 `[columns]` or `[N, columns]`.

    Args:
        words: all n-grams one after the other, those of one word first.
        starts: where in `words` those of each length begin, from 1 on.
        columns: where each n-gram is counted; of one that is there twice the later one is.
        lengths: of the shortest and of the longest n-grams that count.
        skips: how many words may be between two neighbours of an n-gram, equally many between all.
        limit: of elements in the result.

    The function raises ValueError for another shape, and for more elements than the limit.

    Raises:
        ValueError: `starts` do not cut the words into n-grams, or there is not one column for each, none twice.
    """
    known = _places(_grams(words, starts), columns, lengths)
    width = max(columns, default=-1) + 1

    def count(given: Array) -> Array:
        if given.ndim not in (1, 2):
            raise ValueError(f"got text of the shape {list(given.shape)}, expected [D] or [N, D]")
        rows = given.tolist() if given.ndim == 2 else [given.tolist()]
        if width * len(rows) > limit:
            raise ValueError(f"makes {width * len(rows)} elements, more than the limit of {limit}")
        counts = np.zeros((len(rows), width), np.float32)
        for row, line in zip(rows, counts, strict=True):
            for gram in _all_grams(row, known, skips):
                line[gram] += 1
        return counts.reshape(*given.shape[:-1], width)

    return count


def _grams(words: Sequence[str], starts: Sequence[int]) -> dict[int, list[Gram]]:
    """All n-grams by their length."""
    if not starts:
        raise ValueError(f"there are no starts of n-grams for {len(words)} words")
    grams: dict[int, list[Gram]] = {}
    for size, (start, end) in enumerate(zip(starts, [*starts[1:], len(words)], strict=True), 1):
        if not 0 <= start <= end <= len(words) or (end - start) % size:
            raise ValueError(f"{list(starts)} does not cut {len(words)} words into n-grams")
        grams[size] = [tuple(words[at : at + size]) for at in range(start, end, size)]
    return grams


def _places(
    grams: dict[int, list[Gram]], columns: Sequence[int], lengths: Sequence[int]
) -> dict[int, dict[Gram, int]]:
    """The column of each n-gram that counts, by length."""
    if (
        sum(map(len, grams.values())) != len(columns)
        or len(set(columns)) != len(columns)
        or min(columns, default=0) < 0
    ):
        raise ValueError("there must be one column for each n-gram, none twice")
    left = iter(columns)
    places = {size: {gram: next(left) for gram in some} for size, some in grams.items()}
    shortest, longest = lengths
    return {size: some for size, some in places.items() if shortest <= size <= longest and some}


def _all_grams(row: Sequence[str], known: dict[int, dict[Gram, int]], skips: int) -> Iterator[int]:
    """The columns of all n-grams of a row. Single words count once, whatever is skipped."""
    for size, columns in known.items():
        for stride in range(1, 2 if size == 1 else skips + 2):
            if (size - 1) * stride >= len(row):
                break
            parts = [row[at * stride :] for at in range(size)]
            for gram in zip(*parts, strict=False):
                if gram in columns:
                    yield columns[gram]
