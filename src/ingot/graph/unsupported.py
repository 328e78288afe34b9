"""What ingot cannot compile of a model, for who places it elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from ingot.base.errors import UnsupportedError
from ingot.graph.lower import lower
from ingot.ops.opdef import OpDef


def unsupported_nodes(model: ir.Model, operators: Sequence[OpDef]) -> frozenset[str]:
    """The names of the nodes that have no definition, or none for what they are given, and that another target could compute.

    Raises:
        UnsupportedError: a node cannot be compiled wherever it is placed: the type of what it gives is not known, say.
    """
    keys: dict[str, str] = {}
    while True:
        try:
            lower(model, operators, keys, frozenset(keys.values()))
        except UnsupportedError as error:
            refused = error.facts.get("nodes")
            names = {each.name for each in refused} if isinstance(refused, tuple) else set()
            more = names - keys.keys()
            if not more:
                raise
            keys |= dict.fromkeys(more, "elsewhere")  # what follows from these nodes is looked at now
        else:
            return frozenset(keys)
