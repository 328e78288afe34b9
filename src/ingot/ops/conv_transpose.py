"""Transposed convolution, gathered: each output element sums the inputs that reach it, for vectors of output channels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingot.loops.define import Site, Template
from ingot.loops.nest import accumulator_type, collapse, loop, nest, vector, vector_sizes
from ingot.loops.nodes import Alloc, Const, Expr, Fma, For, If, LoopKind, Stmt, Var, both, buffer, cast, compare, load, store
from ingot.ops.conv import add_channel_bias, channels_last, window_padding
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor
from ingot.tensor import DType, TensorType


def conv_transpose_template(
    x: TensorType,
    w: TensorType,
    y: TensorType,
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    begins: tuple[int, ...],
    group: int,
) -> Template:
    """`x [N, C, …]`, `w [C, M/group, kernel…]`, `y [N, M, …]`."""
    per_group, depth = w.shape[1], x.shape[1] // group
    kernel = w.shape[2:]
    acc_type = accumulator_type(y.dtype)

    def build(site: Site) -> Sequence[Stmt]:
        lanes = site.machine.lanes(acc_type)
        array = site.constant(1)
        weight: Callable[[Expr, Sequence[Expr], Expr], Expr]
        if array is not None:
            packed = site.pack(1, np.ascontiguousarray(np.moveaxis(array, 1, -1)))
            weight = lambda c, k, m: load(packed, c, *k, m)  # noqa: E731
        else:
            weight = lambda c, k, m: site.read(1, c, m, *k)  # noqa: E731

        def task(where: tuple[Expr, ...]) -> Sequence[Stmt]:
            n, g, *out = where

            def block(first: Expr, width: int) -> Sequence[Stmt]:
                acc = buffer("acc", acc_type, (width,))

                def at(k: tuple[Expr, ...]) -> Sequence[Stmt]:
                    # Position in the input grid, times the stride.
                    reach = [
                        o + begin - kk * dilation for o, begin, kk, dilation in zip(out, begins, k, dilations, strict=True)
                    ]
                    hits = both(
                        *(
                            condition
                            for r, stride, extent in zip(reach, strides, x.shape[2:], strict=True)
                            for condition in (
                                compare("ge", r, 0),
                                compare("lt", r, extent * stride),
                                *([compare("eq", r % stride, 0)] if stride > 1 else []),
                            )
                        )
                    )
                    source = [r // stride for r, stride in zip(reach, strides, strict=True)]

                    def channel(c: Expr) -> Sequence[Stmt]:
                        value = cast(site.read(0, n, g * depth + c, *source), acc_type)
                        return vector(
                            "lane",
                            width,
                            lambda lane: (
                                store(
                                    acc,
                                    (lane,),
                                    Fma(value, cast(weight(g * depth + c, k, first + lane), acc_type), load(acc, lane)),
                                ),
                            ),
                        )

                    return (If(hits, loop("c", depth, channel)),)

                stmts: list[Stmt] = [Alloc(acc), *vector("lane", width, lambda lane: (store(acc, (lane,), 0),))]
                stmts += nest([f"k{axis}" for axis in range(len(kernel))], kernel, at)
                stmts += vector(
                    "lane",
                    width,
                    lambda lane: site.write(
                        0, (n, g * per_group + first + lane, *out), cast(load(acc, lane), y.dtype)
                    ),
                )
                return (For(Var("tile"), Const(1, DType.INT64), tuple(stmts), LoopKind.SERIAL),)

            stmts: tuple[Stmt, ...] = ()
            start = 0
            for size in vector_sizes(lanes):
                count = (per_group - start) // size
                stmts += loop(f"m{size}", count, lambda m, start=start, size=size: block(m * size + start, size))  # type: ignore[misc]
                start += count * size
            return stmts

        return collapse("task", (x.shape[0], group, *y.shape[2:]), task)

    return Template(
        "conv_transpose",
        (x, w),
        (y,),
        build,
        spec={"strides": strides, "dilations": dilations, "begins": begins, "group": group},
        prefers={("output", 0): channels_last(y.rank)},
    )


def _lower_conv_transpose(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """ONNX ConvTranspose 1, 11, 22: any number of spatial dimensions, groups, dilations, `output_padding`, `output_shape`."""
    x, w = call_.input(0), call_.input(1)
    rank = x.rank - 2
    kernel = w.shape[2:]
    strides = tuple(call_.attr("strides", [1] * rank))
    dilations = tuple(call_.attr("dilations", [1] * rank))
    extra = tuple(call_.attr("output_padding", [0] * rank))
    group = int(call_.attr("group", 1))
    full = [
        (extent - 1) * stride + (size - 1) * dilation + 1 + more
        for extent, stride, size, dilation, more in zip(x.shape[2:], strides, kernel, dilations, extra, strict=True)
    ]
    mode = call_.attr("auto_pad", "NOTSET")
    wanted = call_.attr("output_shape")
    if wanted is not None or mode in ("SAME_UPPER", "SAME_LOWER"):
        outputs = tuple(wanted)[-rank:] if wanted is not None else tuple(
            extent * stride for extent, stride in zip(x.shape[2:], strides, strict=True)
        )
        totals = [max(0, total - extent) for total, extent in zip(full, outputs, strict=True)]
        begins = tuple(total - total // 2 if mode == "SAME_LOWER" else total // 2 for total in totals)
    else:
        begins, ends = window_padding(call_, x.shape[2:], kernel, strides, dilations)
        outputs = tuple(total - b - e for total, b, e in zip(full, begins, ends, strict=True))
    y_type = TensorType(x.dtype, (x.shape[0], w.shape[1] * group, *outputs))
    template = conv_transpose_template(x.type, w.type, y_type, strides, dilations, begins, group)
    (y,) = emit.template(template, [x, w])
    return (add_channel_bias(call_, emit, y, call_.optional(2)),)


OPERATORS: tuple[OpDef, ...] = (OpDef("", "ConvTranspose", 1, _lower_conv_transpose),)
