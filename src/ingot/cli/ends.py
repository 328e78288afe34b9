"""Inputs and outputs that are more than tensors, in .npz files and tables: one name for each tensor or text of which they are
made, as `ingot.border.grouping` has it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingot.artifact.model_info import TensorInfo
from ingot.border.program import Port

End = TensorInfo | Port


def leaves(ends: Sequence[End]) -> list[End]:
    """The tensors and texts of which inputs or outputs are made."""
    return [leaf for end in ends for leaf in (end.leaves() if isinstance(end, Port) else (end,))]
