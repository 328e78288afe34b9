"""Turns a GGUF file of a decoder of Llama's kind into an ONNX file, whose weights stay quantized.

    python examples/chat/to_onnx.py model.gguf -o model.onnx               # operators of com.microsoft, as published models use
    python examples/chat/to_onnx.py model.gguf -o model.onnx --standard    # ONNX's own operators, opset 24

Inputs: `input_ids` int64 [1, seq]; `past_length` int64 [1], the tokens that the cache has; `logits_at` int64 [1], the place in
`input_ids` after which logits are asked for; `past_key_values.N.key` and `.value`, float32 [1, groups, capacity, head size].
Outputs: `logits` float32 [1, 1, vocabulary], and `present.N.key` and `.value`, the next caches.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from block_formats import Blocks, Matrix
from decoder import Decoder, read_decoder
from gguf_file import read_gguf
from onnx import TensorProto, helper, numpy_helper

import ingot

CONTRIB = "com.microsoft"
_OPSET = 24
_PROTOBUF_MAX = 2_000_000_000  # bytes of a file without weights beside it


class Graph:
    """Collects nodes and constants. Values are their names."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.inexact: list[
            tuple[str, float]
        ] = []  # matrices whose offsets are rounded, and by how much at most

    def op(
        self,
        kind: str,
        inputs: Sequence[str],
        outputs: int | Sequence[str] = 1,
        domain: str = "",
        **attributes: object,
    ) -> str:
        """Adds a node; returns the name of its first output."""
        number = len(self.nodes)
        names = (
            [f"{kind}_{number}_{at}" for at in range(outputs)] if isinstance(outputs, int) else list(outputs)
        )
        self.nodes.append(
            helper.make_node(kind, inputs, names, f"{kind}_{number}", domain=domain, **attributes)
        )
        return names[0]

    def constant(self, name: str, array: np.ndarray) -> str:
        """Adds a constant."""
        return self._keep(numpy_helper.from_array(np.ascontiguousarray(array), name))

    def uint4(self, name: str, array: np.ndarray) -> str:
        """Adds a constant of 4-bit integers."""
        return self._keep(
            helper.make_tensor(
                name, TensorProto.UINT4, array.shape, packed(array, 4).reshape(-1).tobytes(), raw=True
            )
        )

    def _keep(self, tensor: onnx.TensorProto) -> str:
        if all(tensor.name != other.name for other in self.constants):
            self.constants.append(tensor)
        return tensor.name

    def ints(self, *numbers: int) -> str:
        """A vector of whole numbers."""
        return self.constant("ints_" + "_".join(map(str, numbers)), np.array(numbers, np.int64))


def packed(integers: np.ndarray, bits: int) -> np.ndarray:
    """Bytes of neighbours of the last dimension, the first in the lowest bits."""
    if bits == 8:
        return integers
    padded = np.pad(integers.reshape(-1), (0, integers.size % 2)) if integers.shape[-1] % 2 else integers
    return padded[..., ::2] | padded[..., 1::2] << 4


@dataclass(frozen=True, slots=True)
class Numbers:
    """What all layers read: places of the new tokens in forms that operators want, and angles."""

    length: str  # of the new tokens, int64 [1]
    past: str
    places: dict[str, str]
    cosines: str
    sines: str


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one set of operators writes the parts of a decoder."""

    embedding: Callable[[Graph, Matrix, str], str]
    product: Callable[[Graph, str, Matrix, str], str]  # rows, matrix, name
    norm: Callable[[Graph, Decoder, str, str], str]
    sum_and_norm: Callable[
        [Graph, Decoder, str, str, str], tuple[str, str]
    ]  # gives the sum, and the sum normalised
    places: Callable[[Graph, str, str], dict[str, str]]
    attention: Callable[[Graph, Decoder, int, Sequence[str], Numbers], str]


# ─── operators that published models use ───────────────────────────────────────────────────────────────────────────


def _nbits_operands(graph: Graph, name: str, matrix: Blocks) -> list[str]:
    """B, scales and zero points of a MatMulNBits."""
    rows, depth = matrix.integers.shape
    values, scales, zeros = matrix.integers, matrix.scales, None
    if matrix.offsets is not None:
        values, scales, zeros = zero_points(matrix)
        product = scales * -zeros
        worst = np.abs(product - matrix.offsets) / np.maximum(np.abs(matrix.offsets), np.float32(1e-30))
        if worst.max() > 0:
            graph.inexact.append((name, float(worst.max())))
    else:
        assert matrix.zero == 2 ** (matrix.bits - 1), "the zero point that MatMulNBits has by itself"
    shaped = packed(values, matrix.bits).reshape(rows, depth // matrix.size, -1)
    operands = [graph.constant(name, shaped), graph.constant(f"{name}.scales", scales.reshape(-1))]
    return operands if zeros is None else [*operands, graph.constant(f"{name}.zeros", zeros.reshape(-1))]


def zero_points(matrix: Blocks) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Integers, scales and real zero points, so that scale × (integer − zero) is scale × integer + offset, but for rounding.

    A zero point is −offset / scale, or a neighbour of that in float32 if scale × zero is nearer to the offset then. A block
    with scale 0 is offset everywhere: it gets the scale `offset`, and zero point −1.
    """
    assert matrix.offsets is not None
    flat = matrix.scales == 0
    scales = np.where(flat, matrix.offsets, matrix.scales)
    zeros = np.where(flat, np.float32(-1), -matrix.offsets / np.where(flat, np.float32(1), scales))
    for towards in (np.float32(-np.inf), np.float32(np.inf)):
        other = np.nextafter(zeros, towards)
        is_nearer = np.abs(scales * other + matrix.offsets) < np.abs(scales * zeros + matrix.offsets)
        zeros = np.where(is_nearer & ~flat, other, zeros)
    values = matrix.integers.reshape(*flat.shape, matrix.size) * ~flat[..., None]
    return values.reshape(matrix.integers.shape), scales, zeros


def _nbits_product(graph: Graph, x: str, matrix: Matrix, name: str) -> str:
    if isinstance(matrix, np.ndarray):
        return _float_product(graph, x, matrix, name)
    columns, depth = matrix.integers.shape
    operands = _nbits_operands(graph, name, matrix)
    numbers = {"K": depth, "N": columns, "bits": matrix.bits, "block_size": matrix.size}
    return graph.op("MatMulNBits", [x, *operands], domain=CONTRIB, **numbers)


def _float_product(graph: Graph, x: str, matrix: np.ndarray, name: str) -> str:
    return graph.op("MatMul", [x, graph.constant(f"{name}.transposed", matrix.T)])


def _nbits_embedding(graph: Graph, table: Matrix, name: str) -> str:
    if isinstance(table, np.ndarray):
        return graph.op("Gather", [graph.constant(name, table), "input_ids"])
    data = graph.constant(f"{name}.rows", packed(table.integers, table.bits))
    scales = graph.constant(f"{name}.row_scales", table.scales)
    zeros = np.full(table.scales.shape, table.zero, np.uint8)
    padded = np.pad(zeros, ((0, 0), (0, zeros.shape[1] % 2))) if table.bits == 4 else zeros
    operands = [data, "input_ids", scales, graph.constant(f"{name}.row_zeros", packed(padded, table.bits))]
    numbers = {"bits": table.bits, "block_size": table.size, "gather_axis": 0, "quantize_axis": 1}
    rows = graph.op("GatherBlockQuantized", operands, domain=CONTRIB, **numbers)
    return _with_offsets(graph, rows, table, name)


def _with_offsets(graph: Graph, rows: str, table: Blocks, name: str) -> str:
    """Rows of a table with the offsets of their blocks."""
    if table.offsets is None:
        return rows
    count = table.offsets.shape[1]
    offsets = graph.op("Gather", [graph.constant(f"{name}.offsets", table.offsets), "input_ids"])
    blocks = graph.op("Reshape", [rows, graph.ints(1, -1, count, table.size)])
    added = graph.op("Add", [blocks, graph.op("Reshape", [offsets, graph.ints(1, -1, count, 1)])])
    return graph.op("Reshape", [added, graph.ints(1, -1, count * table.size)])


def _simplified_norm(graph: Graph, decoder: Decoder, x: str, weight: str) -> str:
    scale = graph.constant(weight, decoder.vector(weight))
    return graph.op(
        "SimplifiedLayerNormalization", [x, scale], axis=-1, epsilon=decoder.epsilon, stash_type=1
    )


def _skip_norm(graph: Graph, decoder: Decoder, x: str, more: str, weight: str) -> tuple[str, str]:
    names = [f"{weight}/normalised", "", "", f"{weight}/sum"]
    operands = [x, more, graph.constant(weight, decoder.vector(weight))]
    graph.op("SkipSimplifiedLayerNormalization", operands, names, CONTRIB, epsilon=decoder.epsilon)
    return names[3], names[0]


def _group_places(graph: Graph, length: str, past: str) -> dict[str, str]:
    total = graph.op("Add", [past, length])
    last = graph.op("Cast", [graph.op("Sub", [total, graph.ints(1)])], to=TensorProto.INT32)
    scalar = graph.op("Reshape", [total, graph.constant("no_extents", np.zeros(0, np.int64))])
    return {"last": last, "total": graph.op("Cast", [scalar], to=TensorProto.INT32)}


def _grouped_attention(
    graph: Graph, decoder: Decoder, layer: int, qkv: Sequence[str], numbers: Numbers
) -> str:
    if decoder.has(f"blk.{layer}.attn_q_norm.weight"):
        qkv = _normalised_heads(graph, decoder, layer, _apart(graph, decoder, qkv))
    operands = list(qkv) if len(qkv) == 3 else [qkv[0], "", ""]
    operands += [*_caches(layer, "past_key_values"), numbers.places["last"], numbers.places["total"]]
    return graph.op(
        "GroupQueryAttention",
        [*operands, numbers.cosines, numbers.sines],
        [f"attention_{layer}", *_caches(layer, "present")],
        CONTRIB,
        num_heads=decoder.heads,
        kv_num_heads=decoder.groups,
        do_rotary=1,
        rotary_interleaved=0,
    )


def _normalised_heads(graph: Graph, decoder: Decoder, layer: int, qkv: Sequence[str]) -> list[str]:
    """Q and k with each head normalised, as Qwen 3 has them, and v."""
    results = []
    for role, x, heads in zip("qk", qkv, (decoder.heads, decoder.groups), strict=False):
        by_heads = graph.op("Reshape", [x, graph.ints(1, -1, heads, decoder.head_size)])
        normed = _simplified_norm(graph, decoder, by_heads, f"blk.{layer}.attn_{role}_norm.weight")
        results.append(graph.op("Reshape", [normed, graph.ints(1, -1, heads * decoder.head_size)]))
    return [*results, qkv[2]]


def _caches(layer: int, prefix: str) -> list[str]:
    return [f"{prefix}.{layer}.key", f"{prefix}.{layer}.value"]


def _apart(graph: Graph, decoder: Decoder, qkv: Sequence[str]) -> Sequence[str]:
    """q, k and v as three values."""
    if len(qkv) == 3:
        return qkv
    widths = [heads * decoder.head_size for heads in (decoder.heads, decoder.groups, decoder.groups)]
    names = [f"{qkv[0]}/{role}" for role in "qkv"]
    graph.op("Split", [qkv[0], graph.ints(*widths)], names, axis=-1)
    return names


PUBLISHED = Dialect(
    _nbits_embedding, _nbits_product, _simplified_norm, _skip_norm, _group_places, _grouped_attention
)


# ─── ONNX's own operators ──────────────────────────────────────────────────────────────────────────────────────────


def _standard_product(graph: Graph, x: str, matrix: Matrix, name: str) -> str:
    """A product with a DequantizeLinear. Its zero points are whole numbers, so offsets are a product of their own, with the sums
    of the blocks of `x`.
    """
    if isinstance(matrix, np.ndarray):
        return _float_product(graph, x, matrix, name)
    operands = _dequantize_operands(graph, matrix, name)
    weights = graph.op("DequantizeLinear", operands, axis=0, block_size=matrix.size)
    product = graph.op("MatMul", [x, weights])
    if matrix.offsets is None:
        return product
    count = matrix.offsets.shape[1]
    blocks = graph.op("Reshape", [x, graph.ints(1, -1, count, matrix.size)])
    sums = graph.op("ReduceSum", [blocks, graph.ints(-1)], keepdims=0)
    return graph.op("Add", [product, _float_product(graph, sums, matrix.offsets, f"{name}.offsets")])


def _dequantize_operands(graph: Graph, matrix: Blocks, name: str) -> list[str]:
    scales = graph.constant(f"{name}.scales", matrix.scales.T)
    if matrix.bits == 8:
        assert matrix.zero == 128, "int8 has the zero point 0"
        return [graph.constant(name, (matrix.integers ^ 128).view(np.int8).T), scales]
    zeros = np.full(matrix.scales.T.shape, matrix.zero, np.uint8)
    return [
        graph.uint4(name, np.ascontiguousarray(matrix.integers.T)),
        scales,
        graph.uint4(f"{name}.zeros", zeros),
    ]


def _standard_embedding(graph: Graph, table: Matrix, name: str) -> str:
    """Only the rows that are asked for become real numbers."""
    if isinstance(table, np.ndarray):
        return graph.op("Gather", [graph.constant(name, table), "input_ids"])
    centred = (table.integers.astype(np.int16) - table.zero).astype(np.int8)
    rows = graph.op("Gather", [graph.constant(f"{name}.rows", centred), "input_ids"])
    scales = graph.op("Gather", [graph.constant(f"{name}.row_scales", table.scales), "input_ids"])
    wide = graph.op("DequantizeLinear", [rows, scales], axis=2, block_size=table.size)
    return _with_offsets(graph, wide, table, name)


def _rms_norm(graph: Graph, decoder: Decoder, x: str, weight: str) -> str:
    scale = graph.constant(weight, decoder.vector(weight))
    return graph.op("RMSNormalization", [x, scale], axis=-1, epsilon=decoder.epsilon)


def _sum_and_rms_norm(graph: Graph, decoder: Decoder, x: str, more: str, weight: str) -> tuple[str, str]:
    total = graph.op("Add", [x, more])
    return total, _rms_norm(graph, decoder, total, weight)


def _standard_places(graph: Graph, length: str, past: str) -> dict[str, str]:
    no_extents = graph.constant("no_extents", np.zeros(0, np.int64))
    zero, step = (graph.constant(f"number_{number}", np.array(number, np.int64)) for number in (0, 1))
    numbers = graph.op("Range", [zero, graph.op("Reshape", [length, no_extents]), step])
    places = graph.op("Unsqueeze", [graph.op("Add", [numbers, past]), graph.ints(0)])
    return {"all": places, "filled": graph.op("Add", [past, length])}


def _standard_attention(
    graph: Graph, decoder: Decoder, layer: int, qkv: Sequence[str], numbers: Numbers
) -> str:
    heads = [
        _head_major(graph, decoder, x, count, f"blk.{layer}.attn_{role}_norm.weight")
        for role, x, count in zip(
            "qkv",
            _apart(graph, decoder, qkv),
            (decoder.heads, decoder.groups, decoder.groups),
            strict=True,
        )
    ]
    angles = [numbers.cosines, numbers.sines, numbers.places["all"]]
    q, k = (graph.op("RotaryEmbedding", [x, *angles]) for x in heads[:2])
    filled = [
        graph.op("TensorScatter", [past, new, numbers.past], [present], axis=2)
        for past, new, present in zip(
            _caches(layer, "past_key_values"), (k, heads[2]), _caches(layer, "present"), strict=True
        )
    ]
    attended = graph.op("Attention", [q, *filled, "", "", "", numbers.places["filled"]], is_causal=1)
    together = graph.op("Transpose", [attended], perm=[0, 2, 1, 3])
    return graph.op("Reshape", [together, graph.ints(1, -1, decoder.heads * decoder.head_size)])


def _head_major(graph: Graph, decoder: Decoder, x: str, count: int, norm: str) -> str:
    """`[1, heads, seq, head size]` of `[1, seq, heads × head size]`; each head is normalised if the file has weights for that."""
    by_heads = graph.op("Reshape", [x, graph.ints(1, -1, count, decoder.head_size)])
    if decoder.has(norm):
        by_heads = _rms_norm(graph, decoder, by_heads, norm)
    return graph.op("Transpose", [by_heads], perm=[0, 2, 1, 3])


STANDARD = Dialect(
    _standard_embedding,
    _standard_product,
    _rms_norm,
    _sum_and_rms_norm,
    _standard_places,
    _standard_attention,
)


# ─── the decoder ───────────────────────────────────────────────────────────────────────────────────────────────────


def decoder_graph(decoder: Decoder, dialect: Dialect, places_max: int) -> Graph:
    """The nodes and constants of a decoder for up to `places_max` places."""
    graph = Graph()
    length = graph.op("Shape", ["input_ids"], start=1, end=2)
    cosines, sines = (
        graph.constant(name, table)
        for name, table in zip(("cos", "sin"), decoder.angles(places_max), strict=True)
    )
    numbers = Numbers(length, "past_length", dialect.places(graph, length, "past_length"), cosines, sines)
    table = decoder.tensor("token_embd.weight")
    x = dialect.embedding(graph, table, "token_embd")
    normed = dialect.norm(graph, decoder, x, "blk.0.attn_norm.weight")
    for layer in range(decoder.layers):
        qkv = _queries(graph, decoder, dialect, layer, normed)
        attended = dialect.attention(graph, decoder, layer, qkv, numbers)
        more = dialect.product(
            graph, attended, decoder.tensor(f"blk.{layer}.attn_output.weight"), f"blk.{layer}.attn_output"
        )
        x, normed = dialect.sum_and_norm(graph, decoder, x, more, f"blk.{layer}.ffn_norm.weight")
        more = _feed_forward(graph, decoder, dialect, layer, normed)
        follows = f"blk.{layer + 1}.attn_norm.weight" if layer + 1 < decoder.layers else "output_norm.weight"
        x, normed = dialect.sum_and_norm(graph, decoder, x, more, follows)
    last = graph.op("Gather", [normed, "logits_at"], axis=1)
    head = decoder.tensor("output.weight") if decoder.has("output.weight") else table
    graph.op("Identity", [dialect.product(graph, last, head, "output")], ["logits"])
    return graph


def _queries(graph: Graph, decoder: Decoder, dialect: Dialect, layer: int, x: str) -> list[str]:
    """q, k and v of a layer, as one value where one matrix gives them."""
    matrices, biases = decoder.queries_keys_values(layer), decoder.biases(layer)
    roles = ["qkv"] if len(matrices) == 1 else list("qkv")
    results, start = [], 0
    for role, matrix in zip(roles, matrices, strict=True):
        name = f"blk.{layer}.attn_{role}"
        y = dialect.product(graph, x, matrix, name)
        end = start + (matrix.shape[0] if isinstance(matrix, np.ndarray) else matrix.integers.shape[0])
        if biases is not None:
            y = graph.op("Add", [y, graph.constant(f"{name}.bias", biases[start:end])])
        results.append(y)
        start = end
    return results


def _feed_forward(graph: Graph, decoder: Decoder, dialect: Dialect, layer: int, x: str) -> str:
    matrices = decoder.gate_and_up(layer)
    if len(matrices) == 1:
        both = dialect.product(graph, x, matrices[0], f"blk.{layer}.ffn_gate_up")
        gate, up = f"{both}/gate", f"{both}/up"
        graph.op("Split", [both], [gate, up], axis=-1, num_outputs=2)
    else:
        gate, up = (
            dialect.product(graph, x, matrix, f"blk.{layer}.ffn_{role}")
            for role, matrix in zip(("gate", "up"), matrices, strict=True)
        )
    swish = graph.op("Mul", [gate, graph.op("Sigmoid", [gate])])
    down = decoder.tensor(f"blk.{layer}.ffn_down.weight")
    return dialect.product(graph, graph.op("Mul", [swish, up]), down, f"blk.{layer}.ffn_down")


def to_model(
    decoder: Decoder, dialect: Dialect, places_max: int, name: str = "decoder"
) -> tuple[onnx.ModelProto, Graph]:
    """The model, and what its nodes and constants were made by."""
    graph = decoder_graph(decoder, dialect, places_max)
    cache = [1, decoder.groups, "capacity", decoder.head_size]
    inputs = [
        helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "seq"]),
        helper.make_tensor_value_info("past_length", TensorProto.INT64, [1]),
        helper.make_tensor_value_info("logits_at", TensorProto.INT64, [1]),
    ]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 1, decoder.vocabulary])]
    for values, prefix in ((inputs, "past_key_values"), (outputs, "present")):
        names = [each for layer in range(decoder.layers) for each in _caches(layer, prefix)]
        values += [helper.make_tensor_value_info(each, TensorProto.FLOAT, cache) for each in names]
    onnx_graph = helper.make_graph(graph.nodes, name, inputs, outputs, graph.constants)
    opsets = [helper.make_opsetid("", _OPSET)] + (
        [helper.make_opsetid(CONTRIB, 1)] if dialect is PUBLISHED else []
    )
    return helper.make_model(onnx_graph, opset_imports=opsets, ir_version=11), graph


def report(decoder: Decoder, graph: Graph) -> str:
    """What of the weights is not exact."""
    formats: dict[str, int] = {}
    for tensor in decoder.file.tensors.values():
        formats[tensor.type.name] = formats.get(tensor.type.name, 0) + 1
    listed = ", ".join(f"{count} {name}" for name, count in formats.items())
    lines = [f"{len(decoder.file.tensors)} tensors ({listed}); integers and scales are those of the file"]
    if graph.inexact:
        worst = max(error for _, error in graph.inexact)
        lines.append(
            f"not exact: MatMulNBits has zero points, the file has offsets. {len(graph.inexact)} matrices have offsets "
            f"that differ by up to {worst:.1e} of their value (a last digit of float32); --standard has them exactly"
        )
    return "\n".join(lines)


def save(model: onnx.ModelProto, path: Path) -> None:
    """Writes the file, with the weights in a second one if they are too many for protobuf."""
    if sum(len(tensor.raw_data) for tensor in model.graph.initializer) < _PROTOBUF_MAX:
        onnx.save(model, path)
        return
    (path.parent / f"{path.name}.data").unlink(missing_ok=True)  # onnx appends to what is there
    onnx.save(model, path, save_as_external_data=True, location=f"{path.name}.data")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gguf", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument(
        "--standard", action="store_true", help="ONNX's own operators instead of com.microsoft's"
    )
    parser.add_argument(
        "--places", type=int, help="how many places have angles (default: what the model was trained for)"
    )
    options = parser.parse_args(arguments)
    try:
        decoder = read_decoder(read_gguf(options.gguf))
        places = options.places or decoder.context
        model, graph = to_model(
            decoder, STANDARD if options.standard else PUBLISHED, places, options.output.stem
        )
        save(model, options.output)
    except (ingot.IngotError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print(report(decoder, graph))
    return 0


if __name__ == "__main__":
    sys.exit(main())
