"""Sliding windows as attributes of ONNX state them."""

from __future__ import annotations

from ingot.kernels.blocks.window import Window, places
from ingot.ops.opdef import OpCall

AUTO_PADS = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")


def read_window(call_: OpCall, spatial: tuple[int, ...], kernel: tuple[int, ...]) -> Window:
    """The geometry that a node's attributes (strides, pads, dilations, auto_pad, ceil_mode) state."""
    rank = len(spatial)
    if len(kernel) != rank:
        call_.unsupported(f"kernel_shape {kernel} for {rank} spatial dimensions")
    strides = tuple(int(stride) for stride in call_.attr("strides") or (1,) * rank)
    dilations = tuple(int(dilation) for dilation in call_.attr("dilations") or (1,) * rank)
    pads = tuple(int(pad) for pad in call_.attr("pads") or (0,) * (2 * rank))
    auto = call_.attr("auto_pad", "NOTSET")
    if auto not in AUTO_PADS:
        call_.unsupported(f"auto_pad {auto!r} is not one of {', '.join(AUTO_PADS)}")
    # By the text `auto_pad = VALID` has whole windows only, with `ceil_mode` too.
    ceil = bool(call_.attr("ceil_mode", 0)) and auto == "NOTSET"
    begins, ends, output = [], [], []
    for axis in range(rank):
        reach = (kernel[axis] - 1) * dilations[axis] + 1
        if auto in ("SAME_UPPER", "SAME_LOWER"):
            out = -(-spatial[axis] // strides[axis])
            total = max(0, (out - 1) * strides[axis] + reach - spatial[axis])
            begin = total // 2 if auto == "SAME_UPPER" else total - total // 2
            end = total - begin
        else:
            begin, end = (0, 0) if auto == "VALID" else (pads[axis], pads[axis + rank])
            out = places(spatial[axis] + begin + end, reach, strides[axis], ceil)
            # The last window must begin inside the input or the padding before it.
            if ceil and (out - 1) * strides[axis] >= spatial[axis] + begin:
                out -= 1
        begins.append(begin)
        ends.append(end)
        output.append(out)
    return Window(spatial, tuple(output), kernel, strides, dilations, tuple(begins), tuple(ends), ceil)
