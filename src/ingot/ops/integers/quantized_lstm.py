"""DynamicQuantizeLSTM of onnxruntime: an LSTM whose weights are 8-bit integers, and whose inputs and states become such.

The inputs of all steps are quantized together, their product is that of `MatMulInteger`; the state is quantized in each step (see
`recurrent/quantized`). Weights stay as many bytes as they are in the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.recurrent.quantized import SCALES, SUMS, ZEROS
from ingot.loops.nodes import cast
from ingot.ops.integers.integer import emit_dynamic_product
from ingot.ops.integers.quantize import emit_dynamic_quantized
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.ops.recurrent import emit_network, stated_network

_FLOAT = DType.FLOAT32
_GATES = 4
# Positions of weights, scales and zero points: of the inputs, of the states.
_INPUT, _STATE = (1, 8, 9), (2, 10, 11)


@dataclass(frozen=True, slots=True)
class _Weights:
    """Weights `[directions, K, N]` in int8; of each column the scale in float32 and zero point in int32, `[directions, N]`."""

    values: np.ndarray
    scales: np.ndarray
    zeros: np.ndarray

    @property
    def has_zeros(self) -> bool:
        return bool(self.zeros.any())


def _lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """DynamicQuantizeLSTM 1: float32, weights `[directions, I, 4*H]` and `[directions, H, 4*H]`, which must be constants.

    Does not handle: an empty input, which has no range.
    """
    x = call_.input(0)
    if x.dtype is not _FLOAT or x.type.size == 0:
        call_.unsupported(f"input 0 (X) is {x.type}, expected float32 elements")
    network = stated_network(call_, "LSTM", _GATES, call_.input(1), call_.input(2), transposed=True)
    own, recurrent = (_weights(call_, *positions) for positions in (_INPUT, _STATE))
    values, scale, zero = emit_dynamic_quantized(emit, x)
    rows = emit.reshape(values, (network.steps * network.batch, x.shape[2]))

    def products(number: int) -> dict[str, Tensor]:
        operands = {
            "x": emit.reshape(
                _product(emit, rows, scale, zero, own, number), (*x.shape[:2], _GATES * network.hidden)
            ),
            "weights": emit.constant(recurrent.values[number]),
            SCALES: emit.constant(recurrent.scales[number]),
            SUMS: emit.constant(recurrent.values[number].sum(axis=0, dtype=np.int32)),
        }
        return operands | ({ZEROS: emit.constant(recurrent.zeros[number])} if recurrent.has_zeros else {})

    return emit_network(call_, emit, network, products)


def _product(
    emit: Emitter, rows: Tensor, scale: Tensor, zero: Tensor, weights: _Weights, number: int
) -> Tensor:
    """Emits the real numbers `[rows, N]` of exact sums, each times both scales."""
    zeros = emit.constant(weights.zeros[number]) if weights.has_zeros else None
    sums = emit_dynamic_product(emit, rows, zero, emit.constant(weights.values[number]), zeros)
    scales = emit.constant(weights.scales[number])
    return emit.pointwise(
        [sums, scale, scales],
        TensorType(_FLOAT, sums.shape),
        lambda where, read, read_scale, read_own: (
            cast(read(*where), _FLOAT) * (read_scale() * read_own(where[-1]))
        ),
        "real",
    )


def _weights(call_: OpCall, position: int, scale_position: int, zero_position: int) -> _Weights:
    values = call_.constant(position, "weights")
    scales = call_.constant(scale_position, "scales of weights")
    zeros = call_.constant(zero_position, "zero points of weights")
    directions, _, columns = values.shape
    if values.dtype not in (np.int8, np.uint8) or zeros.dtype != values.dtype:
        call_.unsupported(
            f"inputs {position} and {zero_position} (weights, zero points) are {values.dtype} and {zeros.dtype}, "
            f"expected int8 or uint8, both the same"
        )
    if any(parameter.size not in (directions, directions * columns) for parameter in (scales, zeros)):
        call_.unsupported(
            f"weights {list(values.shape)} with scales {list(scales.shape)} and zero points {list(zeros.shape)} "
            f"(inputs {position}, {scale_position}, {zero_position}): expected one of each for a direction, or for each column"
        )
    wide = zeros.reshape(directions, -1).astype(np.int32)
    wide, real = (
        np.array(np.broadcast_to(parameter, (directions, columns)))
        for parameter in (wide, scales.reshape(directions, -1))
    )
    signed, moved = _signed(values, wide)
    return _Weights(signed, real.astype(np.float32), moved)


def _signed(values: np.ndarray, zeros: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same weights in int8: without zero points where they fit so."""
    centred = values.astype(np.int16) - zeros[:, None, :]
    if centred.min(initial=0) >= -128 and centred.max(initial=0) <= 127:
        return centred.astype(np.int8), np.zeros_like(zeros)
    return (values, zeros) if values.dtype == np.int8 else ((values ^ 0x80).view(np.int8), zeros - 128)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("com.microsoft", "DynamicQuantizeLSTM", 1, _lower, constant_inputs=(*_INPUT, *_STATE)),
)
