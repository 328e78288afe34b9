"""What follows from shapes while constants are folded: a log, from which `lines` finds out whether it holds for other sizes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx_ir as ir

from ingot.graph.read.types import domain_of, static_shape
from ingot.graph.rewrite.look import constant_of, reads

Content = tuple[str, np.ndarray | None]  # the name of a value, and what it holds, if that is known
# The positions of inputs that an operator, by domain and name, needs to know while building; None if it has no kernel.
Needs = Callable[[str, str], Collection[int] | None]

_DECIDED_BY = {"If": 1, "Loop": 2}  # how many of the first inputs decide what runs


def takes_shape(operator: str) -> bool:
    """Whether an operator of ai.onnx takes a shape, and nothing of the elements."""
    return operator in ("Shape", "Size")


@dataclass(frozen=True, slots=True)
class Computed:
    """A node that was folded, and that reads a shape or what follows from one."""

    node: str
    operator: str
    attributes: Mapping[str, Any]
    inputs: tuple[Content, ...]
    outputs: tuple[Content, ...]

    @property
    def parameters(self) -> tuple[Content, ...]:
        """Inputs behind the first; of a `Slice` before opset 10 its attributes."""
        return self.inputs[1:] or _listed(self.attributes)

    @property
    def is_of_shape(self) -> bool:
        """Whether it takes a shape, and nothing of the elements."""
        return takes_shape(self.operator)


@dataclass(frozen=True, slots=True)
class Sliced:
    """A `Slice` that was not folded: the shape of what it takes a part of, and starts, ends, axes and steps."""

    node: str
    shape: tuple[int, ...]
    parameters: tuple[Content, ...]


@dataclass(slots=True)
class SizeLog:
    """What was computed from shapes, in order; which other nodes read results of that; and where parts are taken.

    Attributes:
        computed: the nodes.
        read_by: node and value.
        slices: those that were not folded.
        needed: values that have to be known while building: shapes, axes, what decides which branch runs.
        running: values that are to be computed while running (`running.may_run`).
    """

    computed: list[Computed] = field(default_factory=list)
    read_by: dict[tuple[str, str], None] = field(default_factory=dict)
    slices: list[Sliced] = field(default_factory=list)
    needed: set[str] = field(default_factory=set)
    running: frozenset[str] = frozenset()
    _derived: set[str] = field(default_factory=set)

    def runs(self, node: ir.Node) -> bool:
        """Whether a node is not to be folded."""
        return any(value.name in self.running for value in node.outputs)

    def add(self, node: ir.Node, names: Sequence[str], results: Sequence[np.ndarray]) -> None:
        """Notes a folded node, whose results have these names from now on, if it reads a shape or what follows from one."""
        given = _contents(node)
        is_of_shape = not domain_of(node.domain) and takes_shape(node.op_type)
        if not is_of_shape and not any(name in self._derived for name, _ in given):
            return
        operator = node.op_type if not domain_of(node.domain) else f"{node.domain}::{node.op_type}"
        outputs = tuple(zip(names, results, strict=False))
        self.computed.append(Computed(node.name or "", operator, _integers(node), given, outputs))
        self._derived.update(name for name in names if name)

    def decide(self, node: ir.Node) -> None:
        """Notes what an `If` or a `Loop` is decided by, before it is written out."""
        if domain_of(node.domain) or node.op_type not in _DECIDED_BY:
            return
        deciding = [value for value in node.inputs[: _DECIDED_BY[node.op_type]] if value is not None]
        if node.op_type == "Loop" and _has_condition(node):
            deciding = reads(node)
        self._note(node, deciding)
        self.needed.update(value.name or "" for value in deciding)

    def finish(self, graph: ir.Graph, needs: Needs) -> None:
        """Notes which nodes read what was computed, and what of it has to be known, once all that can be folded is."""
        for node in graph:
            self._note(node, [value for value in node.inputs if value is not None])
            names = ["" if value is None else value.name or "" for value in node.inputs]
            self._need(needs(node.domain, node.op_type), names)
            shape = static_shape(node.inputs[0]) if node.inputs and node.inputs[0] is not None else None
            if node.op_type == "Slice" and not domain_of(node.domain) and shape is not None:
                parameters = _contents(node)[1:] or _listed(_integers(node))
                self.slices.append(Sliced(node.name or "", shape, parameters))
        for entry in reversed(self.computed):
            names = [name for name, _ in entry.inputs]
            domain, _, operator = entry.operator.rpartition("::")
            is_needed = any(name in self.needed for name, _ in entry.outputs)
            self._need(None if is_needed else needs(domain, operator), names)

    def _need(self, positions: Collection[int] | None, names: Sequence[str]) -> None:
        """Notes what is needed of the inputs of a node: those at some positions, or all."""
        its = names if positions is None else [name for at, name in enumerate(names) if at in positions]
        self.needed.update(name for name in its if name in self._derived)

    def _note(self, node: ir.Node, values: Sequence[ir.Value]) -> None:
        names = (value.name or "" for value in values)
        self.read_by.update(((node.name or "", name), None) for name in names if name in self._derived)


def _contents(node: ir.Node) -> tuple[Content, ...]:
    return tuple(
        ("", None) if value is None else (value.name or "", constant_of(value)) for value in node.inputs
    )


def _integers(node: ir.Node) -> Mapping[str, Any]:
    return {
        name: attribute.value
        for name, attribute in node.attributes.items()
        if attribute.type in (ir.AttributeType.INT, ir.AttributeType.INTS)
    }


def _listed(attributes: Mapping[str, Any]) -> tuple[Content, ...]:
    names = ("starts", "ends", "axes") if "starts" in attributes else ()
    return tuple((name, np.asarray(attributes[name]) if name in attributes else None) for name in names)


def _has_condition(node: ir.Node) -> bool:
    """Whether the body of a `Loop` computes whether it runs again."""
    body = node.attributes["body"].as_graph()
    producer = body.outputs[0].producer() if body.outputs else None
    return producer is not None and producer.op_type not in ("Identity", "Constant")
