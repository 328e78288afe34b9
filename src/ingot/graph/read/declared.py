"""What a model declares of itself and does not mean: exporters write extents of -1, shapes of another version of the model, two
versions of one domain. What is computed holds; each declaration that does not is a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import onnx
import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.base.observe import ModelWarning, Observer
from ingot.graph.read.counted import CountedExtents
from ingot.graph.read.definitions import said_of
from ingot.graph.read.types import domain_of, static_shape

SENTENCES_MAX = 10
# The metadata of a value inside of a node's graph that has its declared shape.
_DECLARED = "ingot.declared"
_SPELLED = "ai.onnx"


@dataclass(slots=True)
class Declarations:
    """The declared shapes of what nodes compute, by name, as far as they are not known to be wrong, and the same with numbers for
    symbols that are bound; those of what nodes in graphs inside of nodes compute, in order; and a sentence for each declaration
    that does not hold. `symbols` are what the model calls extents of what nodes compute, empty where it gives a number or
    nothing, and `counts` are extents that depend on content. Its `repr` tells builds apart.
    """

    shapes: dict[str, ir.Shape] = field(default_factory=dict)
    bound: dict[str, ir.Shape] = field(default_factory=dict)
    symbols: dict[str, tuple[str, ...]] = field(default_factory=dict)
    counts: CountedExtents = field(default_factory=CountedExtents)
    inside: list[ir.Shape | None] = field(default_factory=list)
    believed: set[str] = field(default_factory=set)
    sentences: list[str] = field(default_factory=list)

    def say(self, sentence: str) -> None:
        if sentence not in self.sentences:
            self.sentences.append(sentence)

    def tell(self, label: str, strict: bool, observer: Observer) -> None:
        """Tells at most SENTENCES_MAX sentences; of more the last one says how many.

        Raises:
            ModelError: there is one, and declarations are to be taken strictly; `facts["declarations"]` has all.
        """
        rest = len(self.sentences) - SENTENCES_MAX
        listed = [
            *self.sentences[:SENTENCES_MAX],
            *([f"{rest} more declarations do not hold"] if rest > 0 else []),
        ]
        if strict and listed:
            lines = "".join(f"\n  {sentence}" for sentence in listed)
            raise ModelError(
                f"{label}: it declares what does not hold:{lines}", declarations=tuple(self.sentences)
            )
        for sentence in listed:
            observer.note(f"{label}: {sentence}", ModelWarning)


def tidy(proto: onnx.ModelProto, declarations: Declarations) -> None:
    """Takes negative extents for extents that are not known, and the last import of a domain for the one that counts, as
    onnxruntime does, spells ONNX's own domain as ONNX's inference knows it, and gives an output that is listed twice once. In
    place.
    """
    _spell_domains(proto)
    _one_import_each(proto, declarations)
    if proto.ir_version > onnx.IR_VERSION:
        declarations.say(
            f"it has the IR version {proto.ir_version}; the latest known one is {onnx.IR_VERSION}"
        )
    _one_output_each(proto.graph, declarations)
    for kind, values in (("input", proto.graph.input), ("output", proto.graph.output)):
        for value in values:
            for axis, extent in _clear_negative(value):
                declarations.say(
                    f"{kind} {value.name!r} declares the extent {extent} at axis {axis}; it is taken for one that is not known"
                )
    for graph in _graphs(proto.graph):
        for value in (*graph.input, *graph.output, *graph.value_info):
            _clear_negative(value)


def _spell_domains(proto: onnx.ModelProto) -> None:
    """The domain "ai.onnx" is the empty one by ONNX's text, and ONNX's inference and converter know only that."""
    outer = [node for owner in (proto.graph, *proto.functions) for node in owner.node]
    nodes = [*outer, *(node for graph in graphs_inside(outer) for node in graph.node)]
    imports = [entry for owner in (proto, *proto.functions) for entry in owner.opset_import]
    for part in (*nodes, *imports):
        if part.domain == _SPELLED:
            part.domain = ""


def _one_import_each(proto: onnx.ModelProto, declarations: Declarations) -> None:
    imports: dict[str, int] = {}
    for entry in proto.opset_import:
        domain = domain_of(entry.domain)
        if imports.get(domain, entry.version) != entry.version:
            name = entry.domain or "ai.onnx"
            versions = f"{imports[domain]} and {entry.version}"
            declarations.say(f"it imports versions {versions} of the domain {name!r}; the last one counts")
        imports[domain] = entry.version
    if len(imports) < len(proto.opset_import):
        del proto.opset_import[:]
        proto.opset_import.extend(
            onnx.helper.make_opsetid(domain, version) for domain, version in imports.items()
        )


def _one_output_each(graph: onnx.GraphProto, declarations: Declarations) -> None:
    first: dict[str, int] = {}
    again = [at for at, value in enumerate(graph.output) if first.setdefault(value.name, at) != at]
    for at in reversed(again):
        declarations.say(f"the output {graph.output[at].name!r} is listed more than once; it is given once")
        del graph.output[at]


def _clear_negative(value: onnx.ValueInfoProto) -> list[tuple[int, int]]:
    """Forgets extents below zero; returns their axes and what they were."""
    extents = []
    for axis, dim in enumerate(
        value.type.tensor_type.shape.dim if value.type.HasField("tensor_type") else ()
    ):
        if dim.HasField("dim_value") and dim.dim_value < 0:
            extents.append((axis, dim.dim_value))
            dim.ClearField("dim_value")
    return extents


def _graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """A graph and all graphs inside its nodes."""
    yield graph
    yield from graphs_inside(graph.node)


def graphs_inside(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.GraphProto]:
    """All graphs inside these nodes."""
    waiting = [attribute for node in nodes for attribute in node.attribute]
    while waiting:
        holder = waiting.pop()
        for graph in (*holder.graphs, *([holder.g] if holder.HasField("g") else [])):
            yield graph
            waiting.extend(attribute for node in graph.node for attribute in node.attribute)


def set_aside(model: ir.Model, declarations: Declarations) -> None:
    """Forgets the declared shapes of what nodes compute where the nodes themselves tell them, so that nothing is derived from a
    wrong one. Elsewhere only symbols are forgotten: they become numbers. What the main graph declares is kept in `declarations`,
    what graphs inside of nodes declare in the values themselves, for `believe_inside`. In place.
    """
    local = {(domain_of(function.domain), function.name) for function in model.functions.values()}
    versions = {domain_of(domain): version for domain, version in model.opset_imports.items()}
    for node in model.graph.all_nodes():
        tells = _tells_shapes(node, versions, local)
        for value in node.outputs:
            if value.shape is None:
                if node.graph is not model.graph:
                    declarations.inside.append(None)
                continue
            stated = ir.Shape([extent if isinstance(extent, int) else None for extent in value.shape])
            if value.name and (said_of(node).selects is not None or node.op_type == "Loop"):
                declarations.symbols[value.name] = tuple(map(_symbol, value.shape))
            if node.graph is not model.graph:
                declarations.inside.append(stated)
                value.meta[_DECLARED] = stated
            elif value.name:
                declarations.shapes[value.name] = stated
                declarations.bound[value.name] = value.shape
            value.shape = None if tells else stated


def bind_symbols(declarations: Declarations, extents: Mapping[str, int]) -> None:
    """Gives symbols of declared shapes their numbers; those that `extents` does not have are not known. In place."""
    for name, shape in declarations.bound.items():
        declarations.bound[name] = ir.Shape([_number(extent, extents) for extent in shape])


def _number(extent: int | ir.SymbolicDim, extents: Mapping[str, int]) -> int | None:
    """A declared extent as a number, None if there is none."""
    if isinstance(extent, int):
        return extent
    return None if extent.value is None else extents.get(extent.value)


def _symbol(extent: int | ir.SymbolicDim) -> str:
    return "" if isinstance(extent, int) or extent.value is None else str(extent.value)


def _tells_shapes(node: ir.Node, versions: dict[str, int], local: set[tuple[str, str]]) -> bool:
    domain = domain_of(node.domain)
    return onnx.defs.has(node.op_type, versions.get(domain, 1), domain) or (domain, node.op_type) in local


def compare(model: ir.Model, declarations: Declarations) -> None:
    """Says of each declared shape that is known to be another one that it does not hold, and forgets it."""
    for value in _computed(model):
        stated = declarations.shapes.get(value.name or "")
        if stated is None or value.shape is None or _agree(stated, value.shape):
            continue
        kind = "output" if value.is_graph_output() else "value"
        declarations.say(
            f"{kind} {value.name!r} is declared as {_words(stated)} and is computed as {_words(value.shape)}"
        )
        del declarations.shapes[value.name or ""]


def believe(model: ir.Model, declarations: Declarations) -> bool:
    """Takes over declared shapes of values whose own are not known, once nothing else tells them; each once. In place.

    Returns:
        Whether there was one.
    """
    done = False
    for value in _computed(model):
        name = value.name or ""
        stated = declarations.bound.get(name) if name in declarations.shapes else None
        if stated is None or value.name in declarations.believed or static_shape(value) is not None:
            continue
        if value.shape is not None and not _agree(stated, value.shape):
            continue
        declarations.believed.add(value.name or "")
        done |= _take_over(value, stated)
    return done


def believe_inside(value: ir.Value) -> None:
    """Takes over the declared shape of a value in a graph inside of a node, where its own is not known, and does not contradict
    it. In place.
    """
    stated = value.meta.get(_DECLARED)
    if (
        stated is not None
        and static_shape(value) is None
        and (value.shape is None or _agree(stated, value.shape))
    ):
        _take_over(value, stated)


def _take_over(value: ir.Value, stated: ir.Shape) -> bool:
    """Gives a value the extents of a shape that are not known; returns whether there was one."""
    before = [None] * len(stated) if value.shape is None else list(value.shape)
    tells = any(
        isinstance(stated_extent, int) and not isinstance(extent, int)
        for extent, stated_extent in zip(before, stated, strict=True)
    )
    if tells or value.shape is None:
        value.shape = ir.Shape(
            [
                extent if isinstance(extent, int) else stated_extent
                for extent, stated_extent in zip(before, stated, strict=True)
            ]
        )
    return tells


def _computed(model: ir.Model) -> list[ir.Value]:
    return [value for node in model.graph for value in node.outputs if value.name]


def _agree(left: ir.Shape, right: ir.Shape) -> bool:
    """Whether two shapes may be the same: of one rank, and no two extents that are known differ."""
    known = [(a, b) for a, b in zip(left, right, strict=False) if isinstance(a, int) and isinstance(b, int)]
    return len(left) == len(right) and all(a == b for a, b in known)


def _words(shape: ir.Shape) -> str:
    return "[" + ", ".join(str(extent) if isinstance(extent, int) else "?" for extent in shape) + "]"
