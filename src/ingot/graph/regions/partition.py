"""Partition: the nodes that code generators take become regions, each a call of an ONNX function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import onnx_ir as ir

from ingot.base.errors import IngotError, TargetError
from ingot.base.tensor import TensorType
from ingot.graph.place import NodeFacts
from ingot.graph.read.names import unused
from ingot.graph.read.types import CHOICE, COUNTS, domain_of, to_tensor_type
from ingot.graph.regions.function import body_model, ends_of, is_constant, replace_by_call
from ingot.graph.regions.match import matches, parsed
from ingot.graph.regions.merge import merged_regions
from ingot.graph.rewrite.look import reads, subgraphs
from ingot.plan.placed_node import PlacedNode
from ingot.plan.program import HOST
from ingot.plan.regions import DOMAIN, ModelRegion, Wants


@dataclass(frozen=True, slots=True)
class Taker:
    """A target key whose code generator takes regions. `may` has the names of the nodes that it may have; None for all that are
    not placed elsewhere.
    """

    key: str
    codegen: str
    wants: Wants
    may: frozenset[str] | None = None


@dataclass(slots=True)
class Partition:
    """The target key of every node that is not on the host, the region that each call of one stands for, and why nodes that a
    code generator might have stayed where they were: sentences by key and node.
    """

    keys: dict[str, str]
    regions: dict[str, ModelRegion] = field(default_factory=dict)
    reasons: dict[str, dict[str, str]] = field(default_factory=dict)

    def text(self, model: ir.Model) -> str:
        """What runs where, for people."""
        return "\n".join(_lines(self, model))


def partition(model: ir.Model, keys: Mapping[str, str], takers: Sequence[Taker]) -> Partition:
    """Replaces the nodes that code generators take by calls of regions, in the order of target keys.

    Args:
        model: after the passes; it is changed.
        keys: the target key of each node that is not on the host, by its name, as placement says.
        takers: those whose code generator takes regions.

    Raises:
        TargetError: a code generator gets no node, its pattern is none, or a function of it fails.
    """
    taken = {taker.key for taker in takers}
    result = Partition({name: key for name, key in keys.items() if key not in taken})
    for taker in takers:
        _Work(model, taker, result, NodeFacts(model.graph)).take()
        model.graph.sort()
    return result


class _Work:
    """The regions of one target key."""

    def __init__(self, model: ir.Model, taker: Taker, result: Partition, facts: NodeFacts) -> None:
        self._model, self._taker, self._result, self._facts = model, taker, result, facts
        self._reasons: dict[str, str] = {}
        result.reasons[taker.key] = self._reasons

    def take(self) -> None:
        nodes = list(self._model.graph)
        atoms = self._atoms(self._free(nodes))
        number = {node: at for at, node in enumerate(nodes)}
        read = [
            {number[maker] for value in reads(node) if (maker := value.producer()) in number}
            for node in nodes
        ]
        sets = [{number[node] for node in atom} for atom in atoms]
        count = 0
        for members in merged_regions(read, sets, self._taker.wants.merges):
            count += self._make([nodes[at] for at in members], f"region{count}")
        if not count and nodes:
            raise TargetError(
                f"nothing is placed on the target {self._taker.key!r}: the code generator {self._taker.codegen} takes none of "
                f"the nodes that it may have: {_few(self._reasons)}",
                key=self._taker.key,
                reasons=dict(self._reasons),
            )

    def _free(self, nodes: Sequence[ir.Node]) -> dict[ir.Node, None]:
        """The nodes that it may have, and that can be in a region at all."""
        may = self._taker.may
        free: dict[ir.Node, None] = {}
        for node in nodes:
            name = node.name or ""
            if (may is None and name in self._result.keys) or (may is not None and name not in may):
                continue
            if name in self._result.regions:
                continue
            why = _why_not(node)
            if why:
                self._reasons[name] = why
            else:
                free[node] = None
        return free

    def _atoms(self, free: dict[ir.Node, None]) -> list[list[ir.Node]]:
        """Nodes that are taken together, by patterns, then by single operators."""
        wants, atoms = self._taker.wants, []
        left = dict(free)
        for pattern in wants.patterns:
            for match in matches(parsed(pattern, self._taker.codegen), self._model.graph, left):
                seen = {name: self._facts[node] for name, node in match.nodes.items()}
                why = self._ask(f"refuses of the pattern {pattern.name!r}", pattern.refuses, seen)
                if why:
                    self._reasons |= {
                        node.name or "": f"{pattern.name}: {why}" for node in match.nodes.values()
                    }
                    continue
                atoms.append(list(match.nodes.values()))
                for node in match.nodes.values():
                    del left[node]
        for node in left:
            operator = f"{domain_of(node.domain)}.{node.op_type}" if domain_of(node.domain) else node.op_type
            if operator not in wants.operators:
                self._reasons.setdefault(
                    node.name or "", "no operator that it takes, and in no pattern of it"
                )
                continue
            why = self._ask("refuses", wants.refuses, self._facts[node])
            if why:
                self._reasons[node.name or ""] = why
            else:
                atoms.append([node])
        for atom in atoms:
            for node in atom:
                self._reasons.pop(node.name or "", None)
        return atoms

    def _make(self, nodes: Sequence[ir.Node], name: str) -> bool:
        """Makes a region, if it pays."""
        taker, model = self._taker, self._model
        ends = ends_of(nodes)
        domain, operator = f"{DOMAIN}.{taker.codegen}", f"{taker.key}_{name}"
        region = ModelRegion(
            name,
            domain,
            body_model(model, nodes, ends, operator),
            tuple((value.name or "", _type_of(value)) for value in ends.inputs),
            tuple((value.name or "", _type_of(value)) for value in ends.outputs),
            tuple(self._facts[node] for node in nodes),
        )
        gain = self._ask("gain", taker.wants.gain, region) if taker.wants.gain is not None else 1.0
        if gain <= 0:
            words = f"a region of {len(nodes)} nodes would gain {gain:g}"
            self._reasons |= {node.name or "": words for node in nodes}
            return False
        taken = {node.name or "" for node in model.graph}
        call = replace_by_call(model, nodes, ends, domain, operator, unused(operator, taken))
        known = tuple(replace(node, look=None) for node in region.nodes)
        self._result.regions[call.name or ""] = replace(region, nodes=known)
        self._result.keys[call.name or ""] = taker.key
        return True

    def _ask(self, name: str, function: Callable[[Any], Any], about: object) -> Any:
        """The answer of a function of the code generator, which may do anything."""
        try:
            answer = function(about)
        except IngotError:
            raise
        except Exception as error:
            raise TargetError(
                f"the code generator {self._taker.codegen} failed: {name}: {type(error).__name__}: {error}",
                codegen=self._taker.codegen,
            ) from error
        good = isinstance(answer, (int, float)) if name == "gain" else isinstance(answer, str)
        if not good:
            expected = "a number" if name == "gain" else "a text, empty for no reason"
            raise TargetError(
                f"the code generator {self._taker.codegen}: {name} must give {expected}, got {answer!r:.80}",
                codegen=self._taker.codegen,
            )
        return answer


def _why_not(node: ir.Node) -> str:
    """Why a node can be in no region; empty if it can."""
    if any(True for _ in subgraphs(node)):
        return "it has graphs inside"
    if COUNTS in node.metadata_props or CHOICE in node.metadata_props:
        return "how many places it gives is known only while running"
    for value in (*node.inputs, *node.outputs):
        if value is None or not value.name:
            continue
        type_ = to_tensor_type(value)
        if type_ is None or (type_.dtype.is_carried and not is_constant(value)):
            return f"the type of {value.name!r} is none that regions take"
    return ""


def _type_of(value: ir.Value) -> TensorType:
    type_ = to_tensor_type(value)
    assert type_ is not None, "nodes with values of unknown types are in no region"
    return type_


def _few(reasons: Mapping[str, str]) -> str:
    """The first reasons, in words."""
    words = [f"{name}: {why}" for name, why in reasons.items()]
    more = f"; and {len(words) - 4} more" if len(words) > 4 else ""
    return "; ".join(words[:4]) + more if words else "placement leaves it none"


def _lines(result: Partition, model: ir.Model) -> Iterator[str]:
    nodes = {node.name or "": node for node in model.graph}
    by_key: dict[str, list[str]] = {HOST: []}
    for name in nodes:
        by_key.setdefault(result.keys.get(name, HOST), []).append(name)
    for key, names in by_key.items():
        regions = [result.regions[name] for name in names if name in result.regions]
        count = sum(len(region.nodes) for region in regions) + len(names) - len(regions)
        of = f" in {_counted(len(regions), 'region')}" if regions else ""
        yield f"{key}: {_counted(count, 'node')}{of}"
        for region in regions:
            yield from _region_lines(region)
        for name in names:
            if name not in result.regions:
                yield from _node_lines(result, nodes[name], key)


def _region_lines(region: ModelRegion) -> Iterator[str]:
    yield f"  {region.name} ({region.domain}): {', '.join(map(_words, region.nodes))}"
    for role, ends in (("reads", region.inputs), ("gives", region.outputs)):
        yield f"    {role} {', '.join(f'{name} {type_}' for name, type_ in ends) or 'nothing'}"


def _node_lines(result: Partition, node: ir.Node, key: str) -> Iterator[str]:
    yield f"  {node.name} ({node.op_type})"
    for other, reasons in result.reasons.items():
        if node.name in reasons and key != other:
            yield f"    not on {other}: {reasons[node.name]}"


def _words(node: PlacedNode) -> str:
    return f"{node.name} ({node.op_type})"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
