"""The operators that have kernels, by name and opset."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.graph.read.types import domain_of
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
