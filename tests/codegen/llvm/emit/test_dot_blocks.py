"""The inner loop of integer sums is dot products, broadcasts and loads, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from ingot.graph.lower import lower
from ingot.graph.prepare import prepare
from ingot.graph.read.read import read_model
from ingot.loops.nodes import Kernel
from ingot.ops.registry import ALL
from ingot.plan.fuse.fuse import fuse
from ingot.plan.schedule.schedule import schedule
from tests.support import machines
from tests.support.kernel_llvm import assembly


def product(rows: int, depth: int, columns: int, codes: int = TensorProto.UINT8) -> Kernel:
    """The kernel of a MatMulInteger with constant weights, for 32 registers of 64 bytes."""
    weights = np.random.default_rng(0).integers(-128, 128, (depth, columns)).astype(np.int8)
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["x", "w"], ["y"])],
        "product",
        [helper.make_tensor_value_info("x", codes, [rows, depth])],
        [helper.make_tensor_value_info("y", TensorProto.INT32, [rows, columns])],
        [numpy_helper.from_array(weights, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    draft = fuse(lower(prepare(read_model(model), ALL), ALL))
    machine = machines.AVX512
    (kernel,) = schedule(draft, machine, {"host": machine}, {}).kernels
    return kernel


@pytest.mark.parametrize("codes", [TensorProto.UINT8, TensorProto.INT8])
def test_a_tile_of_sums_stays_in_registers(codes: int) -> None:
    text = assembly(product(28, 256, 64, codes), "llvm -mtriple=x86_64-linux-gnu -mcpu=icelake-server")
    lines = [line.strip() for line in text.splitlines()]
    dots = [number for number, line in enumerate(lines) if line.startswith("vpdpbusd")]
    inner = lines[dots[0] : dots[-1] + 1]
    assert len(dots) >= 20
    others = [line for line in inner if not line.startswith("vpdpbusd")]
    assert all(
        line.startswith(("vpbroadcastd", "vmovdq", "addq", "incq", "subq", "leaq")) for line in others
    ), others
    assert not any("rsp" in line for line in inner), inner


def test_one_row_has_as_many_sums_as_a_dot_product_takes_cycles_for_two_units() -> None:
    text = assembly(product(1, 256, 128), "llvm -mtriple=x86_64-linux-gnu -mcpu=icelake-server")
    (loop,) = (part for part in text.split(":\n") if "vpdpbusd" in part)
    sums = [
        line.split(",")[-1].split()[0] for line in loop.splitlines() if line.strip().startswith("vpdpbusd")
    ]
    assert len(sums) == len(set(sums)) == 8


def test_sums_of_bytes_never_saturate_on_the_way() -> None:
    for cpu in ("x86-64", "x86-64-v3", "skylake-avx512", "icelake-server"):
        text = assembly(product(4, 64, 16), f"llvm -mtriple=x86_64-linux-gnu -mcpu={cpu}")
        assert "pmaddubsw" not in text and "vpdpbusds" not in text
