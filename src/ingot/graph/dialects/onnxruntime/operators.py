"""Operators of onnxruntime's optimiser and quantisers, and of classical machine learning, as ai.onnx's.

A model that went through onnxruntime's tools has operators of the domain `com.microsoft`, and a few of ai.onnx which ONNX has
from a later opset on, or not at all; one that was exported from scikit-learn, LightGBM or XGBoost has operators of `ai.onnx.ml`.
Each becomes what it stands for. Operators that ONNX lacks and ingot has as they are get their types: `MatMulNBits`,
`DynamicQuantizeLSTM`, GELUs in opsets that have none, `LayerNormalization` and `SimplifiedLayerNormalization` of any opset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import onnx
import onnx_ir as ir

from ingot.graph.dialects.ml import linear, text, trees
from ingot.graph.dialects.onnxruntime import (
    attention,
    causal_conv,
    decoder_attention,
    grouped_attention,
    movement,
    norms,
    products,
    qlinear,
    quantized_values,
)
from ingot.graph.passes.tidy import old_forms
from ingot.graph.passes.tidy.shapes import infer_node
from ingot.graph.read.classical import ML_DOMAIN
from ingot.graph.read.definitions import is_defined
from ingot.graph.read.old_opsets import DOMAIN as OLD_DOMAIN
from ingot.graph.read.types import WHY, domain_of, opset_of, static_shape
from ingot.graph.rewrite.add import Names
from ingot.graph.rewrite.replace import give_result, remove_whole
from ingot.graph.rewrite.writer import (
    DOMAIN,
    GELU_OPSET,
    NotYetError,
    StaysError,
    Write,
    Writer,
    attribute_of,
    number_of,
    output_type,
)

BATCH_OPSET = 14  # from here on ONNX infers all outputs of a BatchNormalization
OPSET_MIN = 10  # of ai.onnx, for Slice and what it is written with
WRITERS: Mapping[str, Mapping[str, Write]] = {
    DOMAIN: {
        **norms.WRITERS,
        **products.WRITERS,
        **attention.WRITERS,
        **grouped_attention.WRITERS,
        **decoder_attention.WRITERS,
        **causal_conv.WRITERS,
        **quantized_values.WRITERS,
        **qlinear.WRITERS,
        **movement.WRITERS,
    },
    ML_DOMAIN: {**linear.WRITERS, **trees.WRITERS},
    OLD_DOMAIN: old_forms.WRITERS,
    "": {**text.WRITERS, **movement.TAKEN_BACK},
}


def plain_operators(model: ir.Model) -> bool:
    """Rewrites as the module says, in place; returns whether it did.

    Does not handle: operators whose inputs have shapes that are not known yet; what depends on data only known while running.
    Such nodes stay and have the reason in their metadata.
    """
    opset = opset_of(model)
    done = False
    names: Names | None = None
    for node in list(model.graph):
        write = WRITERS.get(domain_of(node.domain), {}).get(node.op_type)
        if write is None or _is_as_it_is(node, opset):
            _infer(node, opset)
            continue
        if opset < OPSET_MIN and node.domain not in ("", OLD_DOMAIN):
            node.metadata_props[WHY] = (
                f"needs opset {OPSET_MIN} of ai.onnx or a later one, the model imports {opset}"
            )
            continue
        names = names or Names(model.graph)
        if _rewrite(model.graph, node, write, names, opset):
            done = True
        else:
            _infer(node, opset)
    return done


def _rewrite(graph: ir.Graph, node: ir.Node, write: Write, names: Names, opset: int) -> bool:
    to = Writer(graph, node, names, opset)
    node.metadata_props.pop(WHY, None)
    try:
        results = write(to)
        for number, _ in enumerate(node.outputs):
            if to.wants(number) and (number >= len(results) or results[number] is None):
                raise StaysError(f"output {number} is not supported")
    except (NotYetError, StaysError) as error:
        to.undo()
        node.metadata_props[WHY] = str(error)
        return False
    for old, new in zip(node.outputs, results, strict=False):
        if new is not None and old.name:
            if static_shape(new) is not None:
                old.shape = new.shape  # what is computed holds, whatever the model declares
            give_result(graph, node, old, new)
    remove_whole(graph, node)
    return True


def _is_as_it_is(node: ir.Node, opset: int) -> bool:
    """Whether it is a GELU that ingot has, in an opset of ai.onnx that has none."""
    has_kernel = node.domain == DOMAIN and is_defined(DOMAIN, node.op_type, 1)
    return has_kernel and opset < GELU_OPSET and len(node.inputs) == 1


def _infer(node: ir.Node, opset: int) -> None:
    """Types of results that are not known yet, so that what follows can be rewritten at once."""
    if all(
        value.type is not None and static_shape(value) is not None for value in node.outputs if value.name
    ):
        return
    domain = domain_of(node.domain)
    if domain == "" and onnx.defs.has(node.op_type, opset):
        infer_node(node, opset)
        if node.op_type == "BatchNormalization" and opset < BATCH_OPSET:
            _infer_statistics(node)
        elif node.op_type == "StringNormalizer":
            _infer_normalized(node)
        return
    first = node.inputs[0] if node.inputs else None
    shape = None if first is None else static_shape(first)
    infer = _INFER.get((domain, node.op_type))
    if infer is not None and first is not None and first.dtype is not None and shape is not None:
        infer(node, first.dtype, shape)


def _infer_tokens(node: ir.Node, _dtype: ir.DataType, shape: Sequence[int]) -> None:
    output_type(node.outputs[0], ir.DataType.STRING, shape)
    node.outputs[0].shape = ir.Shape([*shape, None])


def _infer_product(node: ir.Node, dtype: ir.DataType, shape: Sequence[int]) -> None:
    output_type(node.outputs[0], dtype, (*shape[:-1], number_of(node, "N", 0)))


def _infer_as_input(node: ir.Node, dtype: ir.DataType, shape: Sequence[int]) -> None:
    output_type(node.outputs[0], dtype, shape)


def _infer_mapped(node: ir.Node, _dtype: ir.DataType, shape: Sequence[int]) -> None:
    """An element for each one; ONNX infers no shape for some versions."""
    dtype = node.outputs[0].dtype
    if dtype is not None:
        output_type(node.outputs[0], dtype, shape)


def _infer_norm(node: ir.Node, dtype: ir.DataType, shape: Sequence[int]) -> None:
    """The result has the scale's type, and the input's shape; then there are means and deviations, one for each row."""
    if not shape:
        return
    scale = node.inputs[1] if len(node.inputs) > 1 else None
    output_type(node.outputs[0], dtype if scale is None or scale.dtype is None else scale.dtype, shape)
    axis = number_of(node, "axis", -1) % len(shape)
    for value in node.outputs[1:]:
        output_type(value, ir.DataType.FLOAT, (*shape[:axis], *(1 for _ in shape[axis:])))


def _infer_normalized(node: ir.Node) -> None:
    """Without stop words there are as many elements as before."""
    stopwords = attribute_of(node, "stopwords", ir.AttributeType.STRINGS)
    shape = None if node.inputs[0] is None else static_shape(node.inputs[0])
    if shape is not None and 0 not in shape and (stopwords is None or not len(stopwords.value)):
        output_type(node.outputs[0], ir.DataType.STRING, shape)


def _infer_lstm(node: ir.Node, dtype: ir.DataType, shape: Sequence[int]) -> None:
    """All states, the last one and the last cell, by the recurrent weights `[directions, hidden, 4 * hidden]`."""
    weights = node.inputs[2] if len(node.inputs) > 2 else None
    extents = None if weights is None else static_shape(weights)
    if extents is None or len(extents) != 3 or len(shape) != 3:
        return
    last = (extents[0], shape[1], extents[1])
    for value, own in zip(node.outputs, ((shape[0], *last), last, last), strict=False):
        output_type(value, dtype, own)


def _infer_linear_attention(node: ir.Node, dtype: ir.DataType, shape: Sequence[int]) -> None:
    """What tokens read, as wide as the values of all heads, and the states `[batch, heads, size of a key, size of a value]`."""
    queries, heads = number_of(node, "q_num_heads", 0), number_of(node, "kv_num_heads", 0)
    values = node.inputs[2] if len(node.inputs) > 2 else None
    extents = None if values is None else static_shape(values)
    if extents is None or len(shape) != 3 or len(extents) != 3 or min(queries, heads) < 1:
        return
    past = node.inputs[3] if len(node.inputs) > 3 else None
    width = extents[2] // heads
    output_type(node.outputs[0], dtype, (*shape[:2], max(queries, heads) * width))
    for value in node.outputs[1:2]:
        own = dtype if past is None or past.dtype is None else past.dtype
        output_type(value, own, (shape[0], heads, shape[2] // queries, width))


def _infer_statistics(node: ir.Node) -> None:
    """Running and batch statistics are as those that are given."""
    for value, given in zip(node.outputs[1:], (*node.inputs[3:5], *node.inputs[3:5]), strict=False):
        shape = None if given is None else static_shape(given)
        if given is not None and given.dtype is not None and shape is not None:
            output_type(value, given.dtype, shape)


# Types of the results of operators that ONNX does not infer, by the element type and the shape of the first input.
_INFER: Mapping[tuple[str, str], Callable[[ir.Node, ir.DataType, Sequence[int]], None]] = {
    ("", "LayerNormalization"): _infer_norm,
    ("", "SimplifiedLayerNormalization"): _infer_norm,
    (DOMAIN, "DynamicQuantizeLSTM"): _infer_lstm,
    (DOMAIN, "FastGelu"): _infer_as_input,
    (DOMAIN, "Gelu"): _infer_as_input,
    (DOMAIN, "LinearAttention"): _infer_linear_attention,
    (DOMAIN, "MatMulNBits"): _infer_product,
    (DOMAIN, "Tokenizer"): _infer_tokens,
    (ML_DOMAIN, "CategoryMapper"): _infer_mapped,
    (ML_DOMAIN, "LabelEncoder"): _infer_mapped,
}
