"""What ingot's definitions say of the operators of nodes: where passes ask, instead of having lists of names."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Protocol

from ingot.base.errors import InternalError
from ingot.graph.read.types import domain_of
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.registry import ALL


class Node(Protocol):
    """A node of onnx or of onnx_ir."""

    @property
    def domain(self) -> str: ...
    @property
    def op_type(self) -> str: ...


def _no_rule(call_: OpCall, _emit: Emitter) -> Sequence[Tensor]:
    raise InternalError(f"{call_.op_type} is lowered without a definition")


# What an operator says that ingot has no definition of: passes write it as others, or it is refused.
_UNDEFINED = OpDef("", "", 1, _no_rule)
_DEFINITIONS = {
    key: tuple(group)
    for key, group in itertools.groupby(
        sorted(ALL, key=lambda operator: (operator.domain, operator.name, operator.since_version)),
        key=lambda operator: (operator.domain, operator.name),
    )
}


def definitions_of(domain: str, op_type: str) -> tuple[OpDef, ...]:
    """The definitions of an operator, the newest last; none if ingot has none."""
    return _DEFINITIONS.get((domain_of(domain), op_type), ())


def said_of(node: Node) -> OpDef:
    """The newest definition of a node's operator, for what all versions of an operator say alike: the fields behind
    `reads_element`. Without a definition, one that has the defaults.
    """
    return (_UNDEFINED, *definitions_of(node.domain, node.op_type))[-1]


def is_defined(domain: str, op_type: str, version: int) -> bool:
    """Whether ingot has a definition of an operator in an opset of its domain."""
    return any(operator.since_version <= version for operator in definitions_of(domain, op_type))
