"""Reads an ONNX model and checks it."""

from __future__ import annotations

import re
from collections.abc import Mapping

import onnx_ir as ir

from ingot.base.errors import ModelError, why_not_by_name
from ingot.graph.passes.tidy.shapes import infer_shapes
from ingot.graph.read.advice import advised, dims_named
from ingot.graph.read.bind import bind_constants, bind_dims, know_empty_lists
from ingot.graph.read.check import check_blocks, check_sizes, check_structure
from ingot.graph.read.classical import as_usual, with_later_opset
from ingot.graph.read.damage import check_text, damage_named
from ingot.graph.read.declared import Declarations, believe, bind_symbols, compare, set_aside, tidy
from ingot.graph.read.dense import make_dense
from ingot.graph.read.ends import drop_bound_ends, spread_inputs
from ingot.graph.read.names import name_all
from ingot.graph.read.old_opsets import as_opset_seven
from ingot.graph.read.order import sort_nodes
from ingot.graph.read.origin import note_origin, origin_of
from ingot.graph.read.source import NAME_MAX, ModelSource, load_proto, model_name
from ingot.graph.read.weights import Weight, as_tensor
from ingot.graph.read.windows import check_windows


def read_model(
    model: ModelSource,
    *,
    dims: Mapping[str, int] | None = None,
    constants: Mapping[str, object] | None = None,
    name: str | None = None,
    declarations: Declarations | None = None,
    places: dict[str, list[tuple[str, int]]] | None = None,
) -> ir.Model:
    """Reads and checks a model. What is given is not changed.

    Args:
        model: a path, the bytes of a file, an `onnx.ModelProto` or an `onnx_ir.Model`. External data is read from the
            folder of a path.
        dims: a number for each symbolic extent of the inputs, by its symbol, or by `input:axis` where it has none; `input:rank`
            for a single number whose shape is not declared; and of sequences and optionals what `ends.spread_inputs` says.
        constants: inputs that are known now: arrays of their type, or numbers, lists or texts such as "16000" and "1,2,3", which
            become such arrays. They are inputs no longer; the shapes that depend on them become known.
        name: the name of the model, a C identifier that begins with a letter; left out, `source.model_name` makes one.
        declarations: gets what the model declares and does not hold, for `prepare` to go on with; without it declared shapes are
            believed at once where the nodes do not tell them.

        places: gets the inputs and axes of the extents that each key of `dims` decides.

    Returns:
        The model with every extent of every input bound, every node and value named, shapes inferred as far as they do not depend
        on what passes find out. An initializer that is also an input is a constant unless `constants` overrides it. Where the
        model comes from is noted with it (`origin.noted_origin`).

    Raises:
        ModelError: the model is damaged or contradicts itself, or the arguments do not fit it.
        UnsupportedError: an opset outside the range that ingot compiles.
    """
    _check_name(name)
    _check_mapping("dims", dims, "names to numbers, such as {'batch': 1}")
    _check_mapping("constants", constants, "names of inputs to arrays")
    known = Declarations() if declarations is None else declarations
    weights: dict[str, Weight] = {}
    digests: dict[str, str] = {}
    proto, label = load_proto(model, weights, digests)
    with damage_named(label):
        check_text(proto, label)
        origin = origin_of(proto)
        tidy(proto, known)
        sort_nodes(proto, known)
        maps = as_usual(proto, label)
        make_dense(proto, label)
        check_structure(proto, label)
        proto = with_later_opset(proto, label)
        as_opset_seven(proto, label)
        own_name = model_name(model, proto) if name is None else name

        def opened() -> ir.Model:
            loaded = ir.from_proto(proto)
            _take_weights(loaded.graph, weights)
            loaded.graph.name = own_name
            return loaded

        def bind(loaded: ir.Model, more: Mapping[str, int], declarations: Declarations) -> None:
            with damage_named(label):
                open_dims = spread_inputs(loaded, {**(dims or {}), **more}, maps, label, declarations.counts)
                _checked(
                    loaded,
                    open_dims,
                    constants or {},
                    declarations,
                    label,
                    places if loaded is result else None,
                )

        result = opened()
        try:
            bind(result, {}, known)
        except ModelError as error:
            if "unbound" not in error.facts:
                raise
            raise advised(
                result, known.shapes, error, lambda more: bind(opened(), more, Declarations())
            ) from None
        if declarations is None:
            believe(result, known)
        note_origin(result, origin, digests)
        return result


def _take_weights(graph: ir.Graph, weights: Mapping[str, Weight]) -> None:
    """Loads the contents of large initializers, which were left in their files, into the graph."""
    for name, weight in weights.items():
        value = graph.initializers[name]
        stated = value.const_value
        assert stated is not None
        value.const_value = as_tensor(weight, stated, name)


def _checked(
    model: ir.Model,
    dims: Mapping[str, int],
    constants: Mapping[str, object],
    declarations: Declarations,
    label: str,
    places: dict[str, list[tuple[str, int]]] | None = None,
) -> None:
    """Binds what is given, infers everything and checks it. In place."""
    graph = model.graph
    set_aside(model, declarations)
    symbols = bind_constants(graph, constants, label)
    _drop_defaults(graph)
    drop_bound_ends(graph, label)
    bind_dims(graph, dims, symbols, label, places)
    bind_symbols(declarations, {name: extent for name, (extent, _) in symbols.items()} | dict(dims))
    name_all(graph)
    know_empty_lists(graph)
    check_sizes((*graph.inputs, *graph.initializers.values()), label)
    with dims_named(dims):
        infer_shapes(model)
    compare(model, declarations)
    with dims_named(dims):
        check_windows(graph, label)
    check_blocks(graph, label)
    check_sizes((value for node in graph for value in node.outputs), label)


def _check_name(name: object) -> None:
    if name is None:
        return
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ModelError(
            f"name={name!r}: a model's name is a C identifier: letters of ASCII, digits and _, first a letter"
        )
    if len(name) > NAME_MAX:
        raise ModelError(f"name={name!r}: a model's name has at most {NAME_MAX} letters, got {len(name)}")


def _check_mapping(parameter: str, given: object, expected: str) -> None:
    why = "" if given is None else why_not_by_name(given)
    if why:
        raise ModelError(f"{parameter}={given!r:.80}: expected a mapping from {expected}, {why}")


def _drop_defaults(graph: ir.Graph) -> None:
    """An input with an initializer has a default, which nobody can override once the model is built: it is a constant."""
    for value in [candidate for candidate in graph.inputs if candidate.is_initializer()]:
        graph.inputs.remove(value)
