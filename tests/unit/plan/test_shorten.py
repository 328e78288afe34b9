"""Tests of programs with room whose loops end early: how much work is left, and how many neutral places are computed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx
import onnx.numpy_helper
import onnx.parser
import pytest

from ingot.graph.prepare import to_draft
from ingot.graph.read.read import read_model
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.items import Mixed
from ingot.plan.program import Draft, Program
from ingot.plan.room import with_room
from ingot.plan.room_numbers import Sample
from ingot.plan.schedule.schedule import schedule
from ingot.plan.shorten import shortened_program
from tests.support import machines
from tests.unit.loops.transform.test_shorten import iterations

MACHINE = replace(machines.AVX2, l2_bytes=1 << 20)
WIDTH = 32
_HEADER = '<ir_version: 9, opset_import: ["" : 18]> m '
TWO = """(float[1,8,16,N] x) => (float[1,8,16,N] y) {
    a = Conv<pads=[1,1,1,1]>(x, w) r = Relu(a) y = Conv<pads=[1,1,1,1]>(r, w) }"""


def _draft(text: str, width: int) -> Draft:
    model = onnx.parser.parse_model(_HEADER + text)
    weights = np.ones((8, 8, 3, 3), np.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    return to_draft(read_model(model.SerializeToString(), dims={"N": width}, name="m"), ALL)


def _program(text: str, algorithm: str) -> Program:
    largest = _draft(text, WIDTH)
    samples: list[Sample[Draft]] = [Sample(0, size, _draft(text, size)) for size in (31, 30, 12)]
    room = with_room(largest, samples, [[("x", 3)]], [range(1, WIDTH + 1)])
    assert not isinstance(room, Mixed), room
    room = fuse(room)
    program = schedule(room, MACHINE, force={"conv": algorithm})
    return shortened_program(program, room.limits, room.sizes)


def _iterations(program: Program, width: int) -> int:
    """Of the loops of all kernels together, for a width."""
    total = 0
    for call in program.kernel_calls:
        kernel = call.kernel
        arrays = {
            param.name: np.full(param.span, width, np.int64)
            if param.dtype.is_integer
            else np.zeros(param.span, np.float32)
            for param in kernel.params
        }
        total += iterations(kernel, arrays)
    return total


@pytest.mark.parametrize("algorithm", ["winograd_f4", "winograd_f2", "direct"])
def test_convolutions_of_narrow_images_do_little_work(algorithm: str) -> None:
    program = _program(TWO, algorithm)
    narrow, wide = _iterations(program, 8), _iterations(program, WIDTH)
    assert narrow < 0.5 * wide
