"""Where the pattern of a code generator is in a graph."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import onnx
import onnx.parser
import onnx_ir as ir

from ingot.base.errors import TargetError
from ingot.graph.read.definitions import said_of
from ingot.graph.read.types import domain_of, to_attribute
from ingot.plan.regions import Pattern


@dataclass(frozen=True, slots=True)
class ParsedPattern:
    """A pattern with the nodes of its text, the last of which makes the result."""

    pattern: Pattern
    nodes: tuple[ir.Node, ...]
    result: str


@dataclass(frozen=True, slots=True)
class Match:
    """Nodes of a graph that fit a pattern, by the names that its text gives to their first results."""

    pattern: Pattern
    nodes: dict[str, ir.Node]
    result: ir.Value


def parsed(pattern: Pattern, codegen: str) -> ParsedPattern:
    """Reads the text of a pattern.

    Raises:
        TargetError: it is no function in the text form of ONNX, or not all its nodes lead to one result.
    """
    where = f"the pattern {pattern.name!r} of the code generator {codegen}"
    try:
        proto = onnx.parser.parse_function(
            f'<domain: "pattern", opset_import: ["": 1]> pattern {pattern.text}'
        )
    except onnx.parser.ParseError as error:
        reason = " ".join(str(error).split())[:300]
        raise TargetError(
            f"{where} is no function in ONNX's text form: {reason}", pattern=pattern.name
        ) from error
    function = ir.serde.deserialize_function(proto)
    nodes = tuple(function)
    makers = {value.name: node for node in nodes for value in node.outputs}
    result = proto.output[0] if len(proto.output) == 1 else ""
    reached: set[str] = set()
    left = [result]
    while left:
        node = makers.get(left.pop())
        if node is not None and node.outputs[0].name not in reached:
            reached.add(node.outputs[0].name or "")
            left += [value.name or "" for value in node.inputs if value is not None]
    if result not in makers or len(reached) != len(nodes):
        raise TargetError(f"{where} must have one result, to which all its nodes lead", pattern=pattern.name)
    return ParsedPattern(pattern, nodes, result)


def matches(parsed_pattern: ParsedPattern, graph: ir.Graph, free: Collection[ir.Node]) -> Iterator[Match]:
    """Where the pattern is among the nodes that are free; no node is in two matches."""
    taken: set[ir.Node] = set()
    for node in graph:
        if node not in free:
            continue
        match = _match_at(parsed_pattern, node)
        if match is None or not all(each in free and each not in taken for each in match.nodes.values()):
            continue
        if len(set(match.nodes.values())) == len(parsed_pattern.nodes) and _is_closed(match):
            taken.update(match.nodes.values())
            yield match


def _match_at(parsed_pattern: ParsedPattern, node: ir.Node) -> Match | None:
    makers = {value.name or "": each for each in parsed_pattern.nodes for value in each.outputs}
    return _Unifier(parsed_pattern, makers, {}, {}).at(makers[parsed_pattern.result], node)


@dataclass(slots=True)
class _Unifier:
    """What values and nodes of a pattern stand for so far."""

    parsed: ParsedPattern
    makers: dict[str, ir.Node]
    values: dict[str, ir.Value]
    nodes: dict[str, ir.Node]

    def at(self, wanted: ir.Node, node: ir.Node) -> Match | None:
        if not self._node(wanted, node):
            return None
        return Match(self.parsed.pattern, self.nodes, self.values[self.parsed.result])

    def _node(self, wanted: ir.Node, node: ir.Node) -> bool:
        name = wanted.outputs[0].name or ""
        if name in self.nodes:
            return self.nodes[name] is node
        if not _is_like(wanted, node):
            return False
        self.nodes[name] = node
        for stated, value in zip(wanted.outputs, node.outputs, strict=False):
            self.values[stated.name or ""] = value
        mine, its = _inputs(wanted), _inputs(node)
        for inputs in (its, its[::-1]) if said_of(node).commutes else (its,):
            values, nodes = dict(self.values), dict(self.nodes)
            if all(itertools.starmap(self._value, zip(mine, inputs, strict=True))):
                return True
            self.values, self.nodes = values, nodes
        return False

    def _value(self, mine: ir.Value | None, its: ir.Value | None) -> bool:
        if mine is None or its is None or not its.name:
            return (mine is None or not mine.name) and (its is None or not its.name)
        name = mine.name or ""
        if name in self.values:
            return self.values[name] is its
        self.values[name] = its
        wanted = self.makers.get(name)
        if wanted is None:
            return True
        producer = its.producer()
        return producer is not None and self._node(wanted, producer) and self.values[name] is its


def _is_like(wanted: ir.Node, node: ir.Node) -> bool:
    """Whether operator, number of inputs and the attributes that a pattern states are the same."""
    if (domain_of(wanted.domain), wanted.op_type) != (domain_of(node.domain), node.op_type):
        return False
    if len(_inputs(wanted)) != len(_inputs(node)) or len(wanted.outputs) > len(node.outputs):
        return False
    return all(
        name in node.attributes and to_attribute(node.attributes[name]) == to_attribute(attribute)
        for name, attribute in wanted.attributes.items()
    )


def _is_closed(match: Match) -> bool:
    """Whether what the nodes make is read by themselves alone, but for the result."""
    own = set(match.nodes.values())
    inner = [value for node in own for value in node.outputs if value is not match.result]
    return not any(
        value.is_graph_output() or any(use.node not in own for use in value.uses()) for value in inner
    )


def _inputs(node: ir.Node) -> list[ir.Value | None]:
    """What a node reads, without those that are left out at the end."""
    inputs = list(node.inputs)
    while inputs and (inputs[-1] is None or not inputs[-1].name):
        inputs.pop()
    return inputs
