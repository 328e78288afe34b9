"""Convolutions of a stream, which keep the end of what they have read: as a convolution of what was kept and what is new.

*Source:* ContribOperators.md of onnxruntime, version 1 of the domain, and what its CPU kernels compute.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from ingot.graph.rewrite.writer import Results, StaysError, Write, Writer

_ON_GPUS = ("state_update_capacity", "state_length", "input_channel_offset", "input_channels")


def _causal_conv(to: Writer) -> Results:
    """CausalConvWithState of one spatial dimension."""
    to.no_attributes("state_window", *_ON_GPUS)
    if to.number("ndim", 1) != 1:
        raise StaysError(f"ndim={to.number('ndim', 1)} is not supported, expected 1")
    activation = to.text("activation") or "none"
    if activation not in ("none", "silu", "swish"):
        raise StaysError(f"activation={activation!r}, expected 'silu', 'swish' or 'none'")
    last = to.flag("channels_last")
    if to.number("state_channels_last", -1) not in (-1, int(last)):
        raise StaysError("a state whose layout differs from that of the input is not supported")
    given, weight = to.given(0, "input"), to.given(1, "weight")
    channels, _, taps = to.shape(weight, 3)
    dilation = to.number("dilation", 1)
    before = (taps - 1) * dilation
    x = _channels_first(to, given, channels, last)
    batch, _, length = to.shape(x)
    past = to.input(3)
    if past is None:
        old = to.constant(np.zeros((batch, channels, before)), to.dtype(x))
    else:
        old = _channels_first(to, past, channels, last)
    if to.shape(old) != (batch, channels, before):
        raise StaysError(
            f"a past state of {to.shape(old)[2]} places for {to.shape(old)[0]} sequences, expected {before} for {batch}"
        )
    line = to.concat([old, x], 2) if before else x
    y = to.op(
        "Conv",
        [line, weight, to.input(2)],
        ir.AttrInt64("group", channels),
        ir.AttrInt64s("dilations", [dilation]),
        ir.AttrInt64s("kernel_shape", [taps]),
    )
    if activation != "none":
        y = to.op("Mul", [y, to.op("Sigmoid", [y])])
    present = to.slice(line, 2, length, length + before)
    inner = to.shape(given)[2:] if last else ()
    return _as_given(to, y, inner), _as_given(to, present, inner)


def _channels_first(to: Writer, x: ir.Value, channels: int, last: bool) -> ir.Value:
    """`[B, C, L]` of an input that may be `[B, L, …]` with channels behind."""
    if not last:
        if to.shape(x, 3)[1] != channels:
            raise StaysError(f"{x.name!r} has {to.shape(x)[1]} channels, the weights have {channels}")
        return x
    batch, length, *inner = to.shape(x)
    if math.prod(inner) != channels:
        raise StaysError(f"{x.name!r} has {math.prod(inner)} channels, the weights have {channels}")
    return to.transpose(to.reshape(x, (batch, length, channels)), 0, 2, 1)


def _as_given(to: Writer, x: ir.Value, inner: tuple[int, ...]) -> ir.Value:
    """The other way round, where channels are the axes `inner`."""
    if not inner:
        return x
    batch, _, length = to.shape(x)
    return to.reshape(to.transpose(x, 0, 2, 1), (batch, length, *inner))


WRITERS: Mapping[str, Write] = {"CausalConvWithState": _causal_conv}
