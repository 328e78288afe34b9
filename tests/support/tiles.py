"""Whether tests may run code with tiles here."""

from __future__ import annotations

import functools

import pytest

from ingot.codegen.llvm_targets import machine
from ingot.runtime import load as loading
from ingot.target import Target

TARGET = "llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids"


@functools.cache
def has_tiles() -> bool:
    """Whether this processor has AMX for bytes, and LLVM says so."""
    return _has("amx_int8") and machine(Target.parse("llvm -mcpu=native")).tiles


@functools.cache
def has_float_tiles() -> bool:
    """Whether this processor has AMX for bfloat16, and LLVM says so."""
    return _has("amx_bf16") and machine(Target.parse("llvm -mcpu=native")).float_tiles


def _has(kind: str) -> bool:
    return {"amx_tile", kind} <= (loading.cpu_features() or frozenset())


needs_tiles = pytest.mark.skipif(not has_tiles(), reason="needs a processor with AMX (amx_tile, amx_int8)")
needs_float_tiles = pytest.mark.skipif(not has_float_tiles(), reason="needs a processor with AMX (amx_tile, amx_bf16)")
