"""Whether tests may run code with tiles here, and how they run a kernel of one."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np
import pytest

from ingot.base.target import Target
from ingot.codegen.llvm.build.targets import chip, machine, resolve
from ingot.loops.analyse.amx_sums import sums_in_tiles
from ingot.loops.interpret import run
from ingot.loops.nodes import For, Kernel, LoopKind
from ingot.loops.transform.rewrite import statements
from ingot.loops.transform.simplify import simplify_kernel
from ingot.runtime import load as loading
from tests.support.kernel_llvm import compile_kernel

HERE = "llvm -mcpu=native --cores=1"
ON = " --float32-tiles=on"
IN_TILES = {
    True: HERE,
    False: HERE + ON,
}  # by whether codes are multiplied: of float32 `native` measures whether tiles pay
# On more float32 goes through vectors.
TARGET = "llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids --cores=1"


@functools.cache
def has_tiles() -> bool:
    """Whether this processor has AMX for bytes, and LLVM says so."""
    return _has("amx_int8") and machine(Target.parse(HERE)).amx_int8


@functools.cache
def has_float_tiles() -> bool:
    """Whether this processor has AMX for bfloat16, and LLVM says so."""
    return _has("amx_bf16") and chip(resolve(Target.parse(HERE))).has_amx_bf16


def _has(kind: str) -> bool:
    return {"amx_tile", kind} <= (loading.cpu_features() or frozenset())


needs_tiles = pytest.mark.skipif(not has_tiles(), reason="needs a processor with AMX (amx_tile, amx_int8)")
needs_float_tiles = pytest.mark.skipif(
    not has_float_tiles(), reason="needs a processor with AMX (amx_tile, amx_bf16)"
)


def output_in_tiles(kernel: Kernel, memory: Mapping[str, np.ndarray], native: bool) -> np.ndarray:
    """The one output, flat, of a kernel that has loops of kind `tiles`, all of the form that registers hold once it is
    simplified: by the interpreter, or by this processor.
    """
    simple = simplify_kernel(kernel)
    for one in (kernel, simple):
        loops = [
            stmt for stmt in statements(one.body) if isinstance(stmt, For) and stmt.kind is LoopKind.TILES
        ]
        assert loops
    assert all(sums_in_tiles(stmt) is not None for stmt in loops)
    if native:
        compile_kernel(simple)(*(memory[param.name] for param in simple.params))
    else:
        run(simple, memory)
    (output,) = simple.outputs
    return memory[output.name]
