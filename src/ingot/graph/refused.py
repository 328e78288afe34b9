"""Nodes that cannot be compiled, and the error that lists them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import onnx_ir as ir

from ingot.base.errors import UnsupportedError


@dataclass(frozen=True, slots=True)
class Refused:
    """A node that cannot be compiled, and why. A list of these is `facts["nodes"]` of the UnsupportedError."""

    name: str
    domain: str
    op_type: str
    version: int
    why: str

    def __str__(self) -> str:
        operator = f"{self.domain}.{self.op_type}" if self.domain else self.op_type
        return f"{self.name} ({operator}, opset {self.version}): {self.why}"


def refusal(model: ir.Model, refused: Sequence[Refused]) -> UnsupportedError:
    """One error for all nodes that cannot be compiled."""
    count = "1 node" if len(refused) == 1 else f"{len(refused)} nodes"
    lines = "".join(f"\n  {node}" for node in refused)
    return UnsupportedError(
        f"model {model.graph.name or 'model'!r}: ingot cannot compile {count}:{lines}", nodes=tuple(refused)
    )
