"""The operators that have kernels, by name and opset."""

from __future__ import annotations

from collections.abc import Sequence

import onnx
import onnx_ir as ir

from ingot.base.errors import nearest
from ingot.graph.read.types import WHY, domain_of
from ingot.ops.opdef import OpDef


class OperatorTable:
    """Finds the definition of an operator: of those with its name, the newest that is not newer than the model's opset."""

    def __init__(self, operators: Sequence[OpDef]) -> None:
        self._operators: dict[tuple[str, str], list[OpDef]] = {}
        for operator in operators:
            self._operators.setdefault((operator.domain, operator.name), []).append(operator)

    def find(self, domain: str, op_type: str, version: int) -> OpDef | None:
        fitting = [
            operator
            for operator in self._operators.get((domain_of(domain), op_type), ())
            if operator.since_version <= version
        ]
        return max(fitting, key=lambda operator: operator.since_version, default=None)

    def versions(self, domain: str, op_type: str) -> tuple[int, ...]:
        """The opset versions from which on the operator is there, whatever the model's opset."""
        return tuple(
            sorted(
                operator.since_version for operator in self._operators.get((domain_of(domain), op_type), ())
            )
        )

    def names(self, domain: str) -> tuple[str, ...]:
        return tuple(sorted(name for known, name in self._operators if known == domain_of(domain)))


def domains_without_operators(model: ir.Model, operators: Sequence[OpDef]) -> frozenset[str]:
    """The domains, but for ONNX's own, of nodes whose operator is not among these and has no definition in the model."""
    known = {(operator.domain, operator.name) for operator in operators}
    known |= {(domain_of(domain), name) for domain, name, _ in model.functions}
    nodes = [
        *model.graph.all_nodes(),
        *(node for each in model.functions.values() for node in each.all_nodes()),
    ]
    return frozenset(
        domain_of(node.domain)
        for node in nodes
        if domain_of(node.domain) and (domain_of(node.domain), node.op_type) not in known
    )


def why_no_operator(table: OperatorTable, node: ir.Node, version: int) -> str:
    """Says what is there instead of an operator that is not."""
    domain = domain_of(node.domain)
    versions = table.versions(domain, node.op_type)
    if versions:
        return f"ingot has this operator from opset {versions[0]} on, the model imports opset {version}"
    if WHY in node.metadata_props:
        return node.metadata_props[WHY]
    if domain:
        return f"ingot has no operator of this name in the domain {domain!r}"
    meant = "" if onnx.defs.has(node.op_type) else nearest(node.op_type, table.names(domain))
    return f"ingot has no operator of this name{meant}"
