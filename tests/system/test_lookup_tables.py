"""A table of which an inference reads a few rows stays in the file, also when a C program maps constants at its first call."""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import ingot

pytestmark = [
    pytest.mark.cc,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc/self/smaps"),
]
TABLE_BYTES, WEIGHT_BYTES = 32 << 20, 1 << 20


def _model() -> bytes:
    table = np.arange(TABLE_BYTES // 4, dtype=np.float32).reshape(-1, 512) / 1e6
    weights = np.ones((512, 512), np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "id"], ["row"]),
            helper.make_node("MatMul", ["row", "weights"], ["y"]),
        ],
        "lookup",
        [helper.make_tensor_value_info("id", TensorProto.INT64, [1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 512])],
        [numpy_helper.from_array(table, "table"), numpy_helper.from_array(weights, "weights")],
    )
    made: bytes = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    ).SerializeToString()
    onnx.checker.check_model(made)
    return made


def _resident_bytes(path: Path) -> int:
    maps = re.findall(
        r"^\S+ \S+ \S+ \S+ \d+ +(\S+)\n(?:.*\n)*?Rss: +(\d+) kB", Path("/proc/self/smaps").read_text(), re.M
    )
    return sum(int(kilobytes) for name, kilobytes in maps if name == str(path)) * 1024


def test_a_first_call_from_c_maps_the_weights_and_not_the_table(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "lookup.so"
    artifacts = ingot.build(_model(), "llvm", name="lookup")
    artifacts.export_library(path)
    memory = artifacts.models()["lookup"].host.memory
    assert memory.params_bytes - memory.always_read_bytes == TABLE_BYTES
    library = ctypes.CDLL(str(path))
    number, y = np.array([3], np.int64), np.zeros(512, np.float32)
    work = np.zeros(memory.arena_bytes + 64, np.uint8)
    workspace = work.ctypes.data + -work.ctypes.data % 64
    before = _resident_bytes(path)
    inputs, outputs = (ctypes.c_void_p * 1)(number.ctypes.data), (ctypes.c_void_p * 1)(y.ctypes.data)
    assert library.lookup_run(inputs, outputs, ctypes.c_void_p(workspace)) == 0
    after = _resident_bytes(path)
    np.testing.assert_allclose(y, np.full(512, np.arange(3 * 512, 4 * 512).sum() / 1e6), rtol=1e-4)
    assert before < WEIGHT_BYTES <= after < WEIGHT_BYTES + TABLE_BYTES // 4
