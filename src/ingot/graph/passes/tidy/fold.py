"""Constant folding: nodes whose inputs are all known while building are computed now."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence

import numpy as np
import onnx
import onnx_ir as ir

from ingot.base.errors import ModelError
from ingot.border.program import text_array
from ingot.graph.evaluate.derived import SizeLog
from ingot.graph.evaluate.evaluator import evaluator
from ingot.graph.passes.tidy.fold_budget import FoldBudget, made_elements
from ingot.graph.passes.tidy.shapes import complete_node, infer_node, infer_shapes
from ingot.graph.read.definitions import said_of
from ingot.graph.read.types import IMAGE_DECODER, RUNS, domain_of, opset_of, static_shape
from ingot.graph.rewrite.replace import is_named_constant, replace_by_constant
from ingot.ops.facts import Folding, Trust

# ONNX's reference evaluator computes element by element in Python for some operators, so it gets small tensors only, unless it
# computes by whole arrays (`Folding.ARRAYS`).
REFERENCE_ELEMENTS_MAX = 1 << 20
# What a folded tensor may hold: more is a mistake in the model, or belongs into the library's code and not its data.
RESULT_BYTES_MAX = 1 << 32
# They read more than their inputs, may take for ever, as some expressions do in Python, or need a package that is not there.
NEVER_FOLDED = frozenset({IMAGE_DECODER, "If", "Loop", "RegexFullMatch", "Scan"})
# On text; the evaluator has Python's own regular expressions and ways to split.
STEPS_OF_TEXT = frozenset(
    {"Cast", "LabelEncoder", "RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"}
)

Array = np.ndarray
Fold = Callable[[ir.Node, Sequence[Array]], Array | None]


def fold_constants(
    model: ir.Model,
    keep: frozenset[str] = frozenset(),
    budget: FoldBudget | None = None,
    sizes: SizeLog | None = None,
) -> ir.Model:
    """Computes every node whose inputs are constants, and `Shape` and `Size` of static shapes; infers shapes again until
    nothing new is known. Nodes of the types `keep` stay, those that the `budget` of a build has nothing left for, and those that
    `sizes` says are to run. What follows from shapes is noted there. In place.

    Does not handle: random operators, control flow, sequences, nodes that ONNX's reference evaluator refuses, results of more
    than RESULT_BYTES_MAX; they stay in the graph.
    """
    infer_shapes(model)
    left = FoldBudget(model) if budget is None else budget
    onward = False
    while _fold_all(model, keep, onward, left, sizes) and _unknown(model):
        infer_shapes(model)
        # Where each layer computes shapes from those of the layer before it, the whole model would be inferred once a layer.
        onward = True
    return model


def _unknown(model: ir.Model) -> bool:
    return any(static_shape(value) is None for node in model.graph for value in node.outputs if value.name)


def _fold_all(
    model: ir.Model, keep: frozenset[str], onward: bool, budget: FoldBudget, sizes: SizeLog | None
) -> bool:
    """One pass in order. With `onward`, what it finds out of shapes is followed at once."""
    done = False
    opset = opset_of(model)
    for node in list(model.graph):
        if onward:
            complete_node(node, opset)
        stays = node.op_type in NEVER_FOLDED or node.op_type in keep or is_random(node) or _is_step(node)
        if stays and sizes is not None:
            sizes.decide(node)
        if sizes is not None and sizes.runs(node):
            node.metadata_props[RUNS] = ""
            continue
        if stays or is_named_constant(node):
            continue
        results = _fold_node(model, node, budget)
        if results is None:
            continue
        done = True
        names = [
            replace_by_constant(model, node, value, array) if value.name else ""
            for value, array in zip(tuple(node.outputs), results, strict=False)
        ]
        if sizes is not None:
            sizes.add(node, names, results)
        model.graph.remove(node, safe=True)
    return done


def is_random(node: ir.Node) -> bool:
    """Whether a node draws numbers; a Dropout does unless it is known not to train. ONNX's evaluator draws other numbers than
    compiled code, and others at each run.
    """
    mode = node.inputs[2] if node.op_type == "Dropout" and len(node.inputs) > 2 else None
    if mode is None or not mode.name:
        return said_of(node).draws
    return mode.const_value is None or bool(mode.const_value.numpy().any())


def _is_step(node: ir.Node) -> bool:
    """Whether it reads or makes text, and `fold_text` computes it as the runtime would."""
    return node.op_type in STEPS_OF_TEXT and any(
        value is not None and value.dtype == ir.DataType.STRING for value in (*node.inputs, *node.outputs)
    )


def _fold_node(model: ir.Model, node: ir.Node, budget: FoldBudget) -> Sequence[Array] | None:
    """The results of a node, None if it cannot be computed now."""
    if domain_of(node.domain) == "" and node.op_type in ("Shape", "Size") and node.inputs[0] is not None:
        shape = static_shape(node.inputs[0])
        return None if shape is None else (_shape_or_size(node, shape),)
    arrays: list[Array | None] = []
    for value in node.inputs:
        if value is None or not value.name:
            arrays.append(None)
        elif value.is_initializer() and value.const_value is not None and not value.is_graph_input():
            arrays.append(value.const_value.numpy())
        else:
            return None
    given = [array for array in arrays if array is not None]
    count = _result_elements(model, node, given)
    sizes = [
        max(1, value.dtype.bitwidth // 8)
        for value in node.outputs
        if value.dtype and value.dtype != ir.DataType.STRING
    ]
    if count is None or count * 8 > RESULT_BYTES_MAX or not budget.allows(count * max(sizes, default=8)):
        return None
    fold = FOLDS.get(node.op_type) if domain_of(node.domain) == "" else None
    if fold is not None and all(array is not None for array in arrays):
        try:
            with np.errstate(all="ignore"):
                result = fold(node, given)
        except (
            IndexError,
            TypeError,
            ValueError,
        ):  # inputs or attributes that do not fit, which the operator's definition says
            return None
        if result is not None:
            (budget.add_weight if node.op_type == "Constant" else budget.take)(result.nbytes)
            return (result,)
    results = _by_reference(model, node, arrays, count, budget)
    budget.take(sum(array.nbytes for array in results or ()))
    return results


def _result_elements(model: ir.Model, node: ir.Node, arrays: Sequence[Array]) -> int | None:
    """How many elements a node makes, of which inference may not have known when the shapes of the model were inferred."""
    count = made_elements(node, arrays)
    if count is None and not domain_of(node.domain):
        complete_node(node, opset_of(model))
    elif count is None:
        infer_node(node, opset_of(model, node.domain))
    return made_elements(node, arrays) if count is None else count


def _shape_or_size(node: ir.Node, shape: tuple[int, ...]) -> Array:
    if node.op_type == "Size":
        return np.array(math.prod(shape), np.int64)
    start = node.attributes.get_int("start", 0)
    end = node.attributes.get_int("end", len(shape))
    return np.array(shape[slice(start, end)], np.int64)


def _by_reference(
    model: ir.Model, node: ir.Node, arrays: Sequence[Array | None], count: int, budget: FoldBudget
) -> Sequence[Array] | None:
    """What ONNX's own reference evaluator says."""
    said = said_of(node)
    if said.evaluated is Trust.NEVER:
        return None
    must_be_finite = said.evaluated is Trust.IF_FINITE
    if must_be_finite and not all(
        _is_finite(array) for array in (*arrays, *_numbers(node)) if array is not None
    ):
        return None
    read = sum(array.size for array in arrays if array is not None)
    # What makes more elements than it reads would only make the library larger.
    is_quick = said.folding is Folding.ARRAYS and count <= read
    if read + count > REFERENCE_ELEMENTS_MAX and not is_quick:
        return None
    if any(not _is_evaluable(attribute) for attribute in node.attributes.values()):
        return None
    version = opset_of(model, node.domain)
    if not onnx.defs.has(node.op_type, version, domain_of(node.domain)):
        return None
    if not is_quick and not budget.take_operations(
        node, [array for array in arrays if array is not None], count
    ):
        return None
    proto = ir.to_proto(node)
    inputs = [
        onnx.helper.make_tensor_value_info(name, 0, None) for name in dict.fromkeys(proto.input) if name
    ]
    outputs = [onnx.helper.make_tensor_value_info(name, 0, None) for name in proto.output if name]
    graph = onnx.helper.make_graph([proto], "folded", inputs, outputs)
    imports = [
        onnx.helper.make_opsetid(domain, number) for domain, number in sorted(model.opset_imports.items())
    ]
    single = onnx.helper.make_model(graph, opset_imports=imports)
    feeds: dict[str, Array] = {
        value.name: array
        for value, array in zip(node.inputs, arrays, strict=True)
        if value is not None and value.name and array is not None
    }
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            results = evaluator(single).run(None, feeds)
    except (
        Exception
    ):  # whatever the evaluator cannot do stays in the graph, where the operator's own definition judges it
        return None
    if any(isinstance(result, list) for result in results):  # a sequence, which NumPy would make one array of
        return None
    named = iter(results)
    outcomes = [np.asarray(next(named)) if value.name else np.zeros(0) for value in node.outputs]
    for value, array in zip(node.outputs, outcomes, strict=True):
        if not value.name:
            continue
        if must_be_finite and not _is_finite(array):
            return None
        if array.dtype == object or (
            value.dtype is not None and ir.DataType.from_numpy(array.dtype) != value.dtype
        ):
            return None
        if static_shape(value) not in (None, array.shape):  # one of the two is wrong
            return None
    return outcomes


def _is_finite(array: Array) -> bool:
    return array.dtype.kind not in "fV" or bool(
        np.isfinite(array.astype(np.float64)).all()
    )  # V: bfloat16, as others


def _numbers(node: ir.Node) -> list[Array]:
    return [
        np.array(attribute.as_float())
        for attribute in node.attributes.values()
        if attribute.type == ir.AttributeType.FLOAT
    ]


def _is_evaluable(attribute: ir.Attr) -> bool:
    return attribute.type not in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS)


# ─── operators that make or move whole weights, which must be quick ────────────────────────────────────────────────


def _constant(node: ir.Node, _arrays: Sequence[Array]) -> Array | None:
    for name, attribute in node.attributes.items():
        match name:
            case "value":
                return attribute.as_tensor().numpy()
            case "value_float" | "value_floats":
                return np.array(attribute.value, np.float32)
            case "value_int" | "value_ints":
                return np.array(attribute.value, np.int64)
            case "value_string":
                return text_array([attribute.as_string()], ())
            case "value_strings":
                return text_array(list(attribute.as_strings()), (len(attribute.value),))
    return None


def _constant_of_shape(node: ir.Node, arrays: Sequence[Array]) -> Array | None:
    value = node.attributes.get("value")
    fill = np.zeros(1, np.float32) if value is None else value.as_tensor().numpy()
    shape = tuple(int(extent) for extent in arrays[0])
    if any(extent < 0 for extent in shape):
        raise ModelError(
            f"node {node.name}: ConstantOfShape of {shape}: a shape has no negative extents", node=node.name
        )
    if math.prod(shape) * fill.dtype.itemsize > RESULT_BYTES_MAX:
        raise ModelError(
            f"node {node.name}: ConstantOfShape of {shape} makes {math.prod(shape) * fill.dtype.itemsize} bytes, "
            f"a constant has at most {RESULT_BYTES_MAX}",
            node=node.name,
        )
    return np.full(shape, fill.reshape(()), fill.dtype)


def _cast(node: ir.Node, arrays: Sequence[Array]) -> Array | None:
    to = ir.DataType(node.attributes.get_int("to", 0))
    source = arrays[0].dtype
    plain = (ir.DataType.FLOAT, ir.DataType.DOUBLE, ir.DataType.INT32, ir.DataType.INT64, ir.DataType.BOOL)
    short = (
        ir.DataType.FLOAT16,
        ir.DataType.BFLOAT16,
    )  # weights stored in half; to a longer float nothing is rounded
    given = ir.DataType.from_numpy(source)
    if given in short and to in (ir.DataType.FLOAT, ir.DataType.DOUBLE):
        return arrays[0].astype(to.numpy())
    if to not in plain or given not in plain:
        return None
    if source.kind == "f" and to in (ir.DataType.INT32, ir.DataType.INT64):
        return None  # NaN and out of range: as the reference has it
    return arrays[0].astype(to.numpy())


def _reshape(node: ir.Node, arrays: Sequence[Array]) -> Array | None:
    data, shape = arrays[0], [int(extent) for extent in arrays[1]]
    if not node.attributes.get_int("allowzero", 0):
        shape = [data.shape[axis] if extent == 0 else extent for axis, extent in enumerate(shape)]
    return data.reshape(shape)


def _transpose(node: ir.Node, arrays: Sequence[Array]) -> Array | None:
    permutation = node.attributes.get("perm")
    return np.asarray(
        arrays[0].transpose(None if permutation is None else list(permutation.as_ints())), order="C"
    )


def _binary(function: Callable[[Array, Array], Array]) -> Fold:
    def fold(_node: ir.Node, arrays: Sequence[Array]) -> Array | None:
        if arrays[0].dtype != arrays[1].dtype or arrays[0].dtype.kind not in "fiu":
            return None
        return np.asarray(function(arrays[0], arrays[1]), arrays[0].dtype)

    return fold


def _divide(_node: ir.Node, arrays: Sequence[Array]) -> Array | None:
    return (
        np.asarray(arrays[0] / arrays[1])
        if arrays[0].dtype == arrays[1].dtype and arrays[0].dtype.kind == "f"
        else None
    )


def _identity(_node: ir.Node, arrays: Sequence[Array]) -> Array | None:
    return arrays[0]


def _along(node: ir.Node, parameter: Array | None, data: Array) -> Array | None:
    """A scale or zero point in a shape that broadcasts to the data's; None if it has one element for each block."""
    if parameter is None or node.attributes.get_int("block_size", 0) != 0:
        return None
    if parameter.size == 1:
        return parameter.reshape(())
    axis = node.attributes.get_int("axis", 1)
    if parameter.ndim != 1 or not -data.ndim <= axis < data.ndim or parameter.size != data.shape[axis]:
        return None
    return parameter.reshape([-1 if dimension == axis % data.ndim else 1 for dimension in range(data.ndim)])


def _dequantize(node: ir.Node, arrays: Sequence[Array]) -> Array | None:
    """In float32; the reference evaluator has no DequantizeLinear of opsets below 19."""
    data, scale = arrays[0], _along(node, arrays[1], arrays[0])
    zero = (
        _along(node, arrays[2], data)
        if len(arrays) > 2 and arrays[2] is not None
        else np.zeros((), data.dtype)
    )
    if (
        scale is None
        or zero is None
        or scale.dtype != np.float32
        or data.dtype not in (np.int8, np.uint8, np.int32)
    ):
        return None
    if node.attributes.get_int("output_dtype", 0) not in (0, 1):
        return None
    return np.asarray((data.astype(np.int32) - zero.astype(np.int32)).astype(np.float32) * scale)


def _quantize(node: ir.Node, arrays: Sequence[Array]) -> Array | None:
    """To 8 bits; the reference evaluator has no QuantizeLinear of opsets below 19."""
    data, scale = arrays[0], _along(node, arrays[1], arrays[0])
    zero = (
        _along(node, arrays[2], data) if len(arrays) > 2 and arrays[2] is not None else np.zeros((), np.uint8)
    )
    if scale is None or zero is None or scale.dtype != np.float32 or data.dtype != np.float32:
        return None
    if zero.dtype not in (np.int8, np.uint8) or any(
        node.attributes.get_int(name, 0) for name in ("output_dtype", "precision")
    ):
        return None
    limits = np.iinfo(zero.dtype)
    quotients = np.rint(data / scale) + zero.astype(np.float32)
    return np.asarray(np.clip(np.nan_to_num(quotients, nan=limits.min), limits.min, limits.max)).astype(
        zero.dtype
    )


FOLDS: dict[str, Fold] = {
    "Add": _binary(np.add),
    "Cast": _cast,
    "Constant": _constant,
    "ConstantOfShape": _constant_of_shape,
    "DequantizeLinear": _dequantize,
    "Div": _divide,
    "Identity": _identity,
    "Mul": _binary(np.multiply),
    "QuantizeLinear": _quantize,
    "Reshape": _reshape,
    "Sub": _binary(np.subtract),
    "Transpose": _transpose,
}
