"""The passes between reading and lowering, in order."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from ingot.graph.lower import lower
from ingot.graph.passes.fold import fold_constants
from ingot.ops.opdef import OpDef
from ingot.plan.program import Draft


def to_draft(model: ir.Model, operators: Sequence[OpDef]) -> Draft:
    """Runs all graph passes on a model that was read, and lowers it. Everything that can be refused is refused here."""
    return lower(fold_constants(model), operators)
