"""float32 functions as arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ingot.codegen.llvm_builder import Value
from ingot.codegen.llvm_ops import Operations

EXPANSIONS: Mapping[str, Callable[[Operations, Value], Value]] = {}
