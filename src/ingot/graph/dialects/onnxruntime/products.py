"""Products and convolutions that onnxruntime's optimiser and dynamic quantiser fuse, as ONNX's own operators.

*Source:* ContribOperators.md of onnxruntime, version 1 of the domain.
"""

from __future__ import annotations

from collections.abc import Mapping

import onnx_ir as ir

from ingot.graph.rewrite.writer import Results, StaysError, Write, Writer

_CONV = ("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")


def activated(to: Writer, x: ir.Value, name: str, numbers: tuple[float, ...]) -> ir.Value:
    """The activation `name` of x, as fused operators call it; `numbers` are its parameters in order."""
    match name, numbers:
        case ("", _):
            return x
        case ("Relu" | "Tanh" | "Sigmoid", _):
            return to.op(name, [x])
        case ("LeakyRelu", _):
            return to.op(name, [x], ir.AttrFloat32("alpha", numbers[0] if numbers else 0.01))
        case ("Clip", (low, high)):
            return to.op(name, [x, to.like(low, x), to.like(high, x)])
        case ("HardSigmoid", (alpha, beta)):
            return to.op(name, [x], ir.AttrFloat32("alpha", alpha), ir.AttrFloat32("beta", beta))
    raise StaysError(f"activation={name!r} with {len(numbers)} parameters is not supported")


def _fused_matmul(to: Writer) -> Results:
    sides = []
    for number, letter in enumerate("AB"):
        value = to.given(number, letter)
        rank = len(to.shape(value))
        order = list(range(rank))
        if to.flag(f"transBatch{letter}") and rank > 2:  # the first dimension goes behind those of the batch
            order = [*order[1:-1], order[0], order[-1]]
        if to.flag(f"trans{letter}") and rank > 1:
            order[-2:] = order[-1], order[-2]
        sides.append(value if order == sorted(order) else to.transpose(value, *order))
    return (to.scaled(to.op("MatMul", sides), to.real_number("alpha", 1.0)),)


def _fused_gemm(to: Writer) -> Results:
    product = to.op(
        "Gemm",
        [to.given(0, "A"), to.given(1, "B"), to.input(2)],
        *to.kept("alpha", "beta", "transA", "transB"),
    )
    names = [
        name
        for name in ("activation_alpha", "activation_beta", "activation_gamma")
        if name in to.node.attributes
    ]
    return (activated(to, product, to.text("activation"), tuple(to.real_number(name, 0) for name in names)),)


def _fused_conv(to: Writer) -> Results:
    total = to.add(
        to.op("Conv", [to.given(0, "X"), to.given(1, "W"), to.input(2)], *to.kept(*_CONV)), to.input(3)
    )
    return (activated(to, total, to.text("activation"), to.real_numbers("activation_params")),)


def _channels_last_conv(to: Writer) -> Results:
    """Channels last in images and in weights."""
    x, weights = to.given(0, "X"), to.given(1, "W")
    rank = len(to.shape(x, 3, 4, 5))
    first, last = (0, rank - 1, *range(1, rank - 1)), (0, *range(2, rank), 1)
    product = to.op(
        "Conv", [to.transpose(x, *first), to.transpose(weights, *first), to.input(2)], *to.kept(*_CONV)
    )
    return (to.transpose(product, *last),)


# ─── quantized products ─────────────────────────────────────────────────────────────────────────────────────────────


def _real(
    to: Writer,
    operands: list[ir.Value | None],
    scale: ir.Value,
    weight_scale: ir.Value,
    bias: ir.Value | None,
) -> ir.Value:
    """A dequantized product: exact integer sums times both scales, and a bias; in float32, since float16 ends below
    most sums.
    """
    columns = to.shape(weight_scale)
    if len(columns) > 1:
        raise StaysError(
            f"scales of weights of the shape {list(columns)} are not supported: one, or one for each column"
        )
    sums, *factors = (
        to.cast(factor, ir.DataType.FLOAT)
        for factor in (to.op("MatMulInteger", operands), scale, weight_scale)
    )
    more = None if bias is None else to.cast(bias, ir.DataType.FLOAT)
    return to.cast(to.add(to.op("Mul", [sums, to.op("Mul", factors)]), more), to.dtype(scale))


def _scalar(to: Writer, value: ir.Value, role: str) -> ir.Value:
    shape = to.shape(value)
    if shape not in ((), (1,)):
        raise StaysError(f"{role} of the shape {list(shape)} is not supported: one for all of A")
    return to.reshape(value, ())


def _matmul_to_float(to: Writer) -> Results:
    zero = to.input(4)
    zero = None if zero is None else _scalar(to, zero, "a_zero_point")
    other = to.input(5)
    if zero is None and other is not None:
        zero = to.constant(0, to.dtype(to.given(0, "A")))
    operands = [to.given(0, "A"), to.given(1, "B"), zero, other]
    return (
        _real(
            to, operands, _scalar(to, to.given(2, "a_scale"), "a_scale"), to.given(3, "b_scale"), to.input(6)
        ),
    )


def _dynamic_matmul(to: Writer) -> Results:
    quantized, scale, zero = to.ops("DynamicQuantizeLinear", [to.given(0, "A")], outputs=3)
    return (
        _real(
            to, [quantized, to.given(1, "B"), zero, to.input(3)], scale, to.given(2, "b_scale"), to.input(4)
        ),
    )


def _experts(_to: Writer) -> Results:
    """MoE and QMoE, which are refused."""
    raise StaysError(
        "a mixture of experts is not supported: which experts a token takes is only known while running; export the experts as "
        "products of their own, all of which are computed"
    )


WRITERS: Mapping[str, Write] = {
    "MoE": _experts,
    "QMoE": _experts,
    "FusedMatMul": _fused_matmul,
    "TransposeMatMul": _fused_matmul,
    "FusedGemm": _fused_gemm,
    "FusedConv": _fused_conv,
    "NhwcConv": _channels_last_conv,
    "MatMulIntegerToFloat": _matmul_to_float,
    "DynamicQuantizeMatMul": _dynamic_matmul,
}
