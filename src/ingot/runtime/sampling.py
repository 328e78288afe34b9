"""Chooses the next token of a language model: the greatest logit, or one by chance among the likely ones.

Chance comes from SplitMix64, which is ten lines in any language: the same seed chooses the same tokens in a program in C.
*Source:* Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

import numpy as np

from ingot.base.errors import InputError
from ingot.runtime.memory import Array

_MASK = 2**64 - 1


class Uniform:
    """Numbers that are equally likely from 0 to below 1, in steps of 2⁻⁵³. The same seed gives the same numbers."""

    def __init__(self, seed: int | None) -> None:
        self._state = int.from_bytes(os.urandom(8), "little") if seed is None else seed & _MASK

    def __call__(self) -> float:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _MASK
        return ((mixed ^ mixed >> 31) >> 11) * 2.0**-53


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a token is chosen. With `temperature` 0 it is the one with the greatest logit, the first of equal ones. Else logits are
    divided by `temperature`, and chance decides among the `top_k` greatest (0: among all), of these among as few as have
    `top_p` of the probability.

    Raises:
        InputError: a number is out of its range.
    """

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0

    def __post_init__(self) -> None:
        if not (_is_number(self.temperature) and 0 <= self.temperature < math.inf):
            raise InputError(
                f"temperature={self.temperature!r}: expected a number from 0 on", got=self.temperature
            )
        if isinstance(self.top_k, bool) or not isinstance(self.top_k, int) or self.top_k < 0:
            raise InputError(
                f"top_k={self.top_k!r}: expected a whole number, 0 for all tokens", got=self.top_k
            )
        if not (_is_number(self.top_p) and 0 < self.top_p <= 1):
            raise InputError(f"top_p={self.top_p!r}: expected a number above 0, at most 1", got=self.top_p)

    def choose(self, logits: Array, uniform: Uniform) -> int:
        """The id of a token, by its logits `[vocabulary]`; takes one number of `uniform` if chance decides."""
        if self.temperature == 0:
            return int(logits.argmax())
        ids = self._likely(logits)
        weights = np.exp((logits[ids].astype(np.float64) - float(logits.max())) / self.temperature)
        sums = np.cumsum(weights)
        if self.top_p < 1:
            sums = sums[: int(np.searchsorted(sums, self.top_p * sums[-1])) + 1]
        at = int(np.searchsorted(sums, uniform() * sums[-1], side="right"))
        return int(ids[min(at, len(sums) - 1)])

    def _likely(self, logits: Array) -> Array:
        """Ids of the greatest logits first, equal ones by their ids; in the order of ids if none is left out."""
        count = len(logits)
        if not self.top_k and self.top_p == 1:
            return np.arange(count)
        ids = np.arange(count)
        if 0 < self.top_k < count:
            limit = np.partition(logits, count - self.top_k)[count - self.top_k]
            ids = np.flatnonzero(logits >= limit)
        order = np.lexsort((ids, -logits[ids]))
        return ids[order[: self.top_k or count]]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
