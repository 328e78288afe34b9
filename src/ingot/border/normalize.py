"""Removing stop words and changing case, as ONNX's `StringNormalizer`.

*Source:* StringNormalizer of ai.onnx, version 10: elements that are stop words are removed, then the case is changed. Case is
that of Unicode, whatever the attribute `locale` says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ingot.border.program import text_array

CASES = ("NONE", "LOWER", "UPPER")

Array = np.ndarray[Any, Any]


def normalizer(case: str, stopwords: Sequence[str], is_case_sensitive: bool) -> Callable[[Array], Array]:
    """A function of text `[C]` or `[1, C]` that gives `[D]` or `[1, D]`: where nothing is left, one empty text.

    It raises ValueError for another shape.
    """
    changes: dict[str, Callable[[str], str]] = {"NONE": str, "LOWER": str.lower, "UPPER": str.upper}
    change, key = changes[case], changes["NONE" if is_case_sensitive else "LOWER"]
    stops = frozenset(map(key, stopwords))

    def normalize(given: Array) -> Array:
        if given.ndim not in (1, 2) or (given.ndim == 2 and given.shape[0] != 1):
            raise ValueError(f"got text of the shape {list(given.shape)}, expected [C] or [1, C]")
        kept = [change(text) for text in given.reshape(-1).tolist() if key(text) not in stops] or [""]
        return text_array(kept, (len(kept),) if given.ndim == 1 else (1, len(kept)))

    return normalize
