"""All operators that ingot has, as one plain tuple."""

from __future__ import annotations

from ingot.ops import (
    argmax,
    attention,
    casts,
    conv,
    conv_transpose,
    cumulative,
    determinant,
    dft,
    einsum,
    elementwise,
    local_response,
    logic,
    matmul,
    norm,
    optimisers,
    pool,
    random,
    recurrent,
    reduce,
    rotary,
    selecting,
    softmax,
    topk,
    trees,
    unary,
    window_functions,
)
from ingot.ops.images import col2im, grid_sample, resize, roi_align
from ingot.ops.integers import integer, matmul_nbits, quantize, quantized_lstm
from ingot.ops.moves import concat, gather_scatter, movement, shapes
from ingot.ops.opdef import OpDef

MODULES = (
    elementwise,
    unary,
    logic,
    casts,
    shapes,
    window_functions,
    movement,
    selecting,
    concat,
    random,
    gather_scatter,
    cumulative,
    quantize,
    einsum,
    resize,
    grid_sample,
    col2im,
    argmax,
    reduce,
    softmax,
    matmul,
    matmul_nbits,
    trees,
    conv,
    conv_transpose,
    norm,
    optimisers,
    pool,
    local_response,
    recurrent,
    quantized_lstm,
    integer,
    topk,
    dft,
    determinant,
    roi_align,
    attention,
    rotary,
)
"""The files of operators, a family each."""

ALL: tuple[OpDef, ...] = tuple(operator for module in MODULES for operator in module.OPERATORS)
