"""The `llvm` code generator: kernels → LLVM → object files, for any processor that LLVM knows. Needs no compiler.

Every distinct kernel is one object; one more, `<symbol>.o`, has the two functions that a library exports.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import pathlib
import re

import llvmlite
import llvmlite.binding as llvm

from ingot.artifact.artifact import LOADER_NATIVE, Artifact
from ingot.codegen.llvm_emit import emit_kernel
from ingot.codegen.llvm_entry import emit_entry
from ingot.codegen.llvm_features import cpu_features
from ingot.codegen.llvm_objects import compiled
from ingot.codegen.llvm_targets import chip, machine, processor, resolve
from ingot.codegen.record import Codegen, Generated, Workshop
from ingot.loops.nodes import For, Kernel, LoopKind
from ingot.loops.rewrite import statements
from ingot.plan.program import CompileUnit
from ingot.target import Target

ID = "llvm"


def generate(unit: CompileUnit, target: Target, workshop: Workshop) -> Generated:
    """Objects for one program, for a resolved target: one for each kernel, in order of first use, then the entry points."""
    target = resolve(target)
    texts = [(f"kernels/{_file_stem(kernel.name)}.o", *_source(kernel, unit.symbol, target)) for kernel in unit.program.kernels]
    texts.append((f"{unit.symbol}.o", emit_entry(unit), True))
    artifacts = []
    features: set[str] = set()
    what = processor(target)
    for number, (file_name, text, own_vectors) in enumerate(texts):
        workshop.observer.progress("compile kernels", number, len(texts))
        workshop.observer.dump(f"llvm/{file_name.removesuffix('.o')}.ll", lambda text=text: text)
        made = compiled(text, what, own_vectors)
        features |= set(cpu_features(made.assembly, what.triple))
        artifacts.append(Artifact(ID, LOADER_NATIVE, file_name, made.content, target.key))
    workshop.observer.progress("compile kernels", len(texts), len(texts))
    return Generated(tuple(artifacts), tuple(sorted(features)))


def _file_stem(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def _source(kernel: Kernel, symbol: str, target: Target) -> tuple[str, bool]:
    """The LLVM text of a kernel, and whether its loops are vectors already."""
    own_vectors = any(isinstance(stmt, For) and stmt.kind is LoopKind.VECTOR for stmt in statements(kernel.body))
    return emit_kernel(kernel, f"{symbol}_{kernel.name}", chip(target)), own_vectors


CODEGEN = Codegen(ID, "objects by LLVM, for any processor; no compiler needed", resolve, machine, generate)
