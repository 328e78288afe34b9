"""The `llvm` code generator: kernels → LLVM → object files, for any processor that LLVM knows. Needs no compiler.

Every distinct kernel is one object; one more, `<symbol>.o`, has the two functions that a library exports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ingot.artifact.artifact import LOADER_NATIVE, Artifact
from ingot.base.errors import InternalError
from ingot.base.target import Target
from ingot.codegen.llvm.build.object_builder import build_all
from ingot.codegen.llvm.build.objects import Job, ObjectCode
from ingot.codegen.llvm.build.targets import (
    chip,
    machine,
    processor,
    require_addresses,
    resolve,
    why_not_here,
)
from ingot.codegen.llvm.emit.kernel import emit_kernel
from ingot.codegen.llvm.emit.values import Chip
from ingot.codegen.llvm.forms.recognise import forms_text
from ingot.codegen.llvm.parallel.entry import emit_entry, kernel_symbol
from ingot.codegen.llvm.parallel.grain import fetched_cycles
from ingot.codegen.llvm.parallel.paired_threads import paired_calls
from ingot.codegen.record import BuildContext, Codegen, Generated, Trial
from ingot.loops.nodes import For, Kernel, LoopKind
from ingot.loops.transform.rewrite import statements
from ingot.plan.program import CompileUnit

ID = "llvm"


def generate(unit: CompileUnit, target: Target, context: BuildContext) -> Generated:
    """Objects for one program: one for each kernel, in order of first use, then the entry points.

    `features` of the result are what the instructions in the objects need beyond the architecture's baseline.
    """
    target = resolve(target)
    require_addresses(target, unit.longest_bytes, unit.symbol)
    names = module_names(unit)
    objects = build_all(modules(unit, target, context), len(names), processor(target), context)
    artifacts = [
        Artifact(ID, LOADER_NATIVE, f"{name}.o", built.content, target.key)
        for name, built in zip(names, objects, strict=True)
    ]
    return Generated(tuple(artifacts), features_of(objects))


def module_names(unit: CompileUnit) -> list[str]:
    """The file names, without a suffix, of what `modules` gives."""
    names = [
        unit.symbol + "/" + re.sub(r"[^A-Za-z0-9_]", "_", kernel.name) for kernel in unit.program.kernels
    ]
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise InternalError(f"model {unit.symbol!r}: kernels with one name: {', '.join(twice)}", names=twice)
    return [*names, unit.symbol]


def modules(unit: CompileUnit, target: Target, context: BuildContext) -> Iterator[Job]:
    """The LLVM texts of a program for a resolved target, each generated lazily: the kernels, then the entry points."""
    traits = chip(target)
    *names, entry = module_names(unit)
    fetched = fetched_cycles(unit.program, traits)
    runs = () if unit.program.controls else paired_calls(unit.program, traits)
    calls = unit.program.kernel_calls
    context.observer.dump(
        f"llvm/{entry}.forms.txt",
        lambda: "\n".join(forms_text(kernel, traits) for kernel in unit.program.kernels),
    )
    members = {calls[position].kernel.name for pair in runs for position in pair.calls}
    for name, kernel in zip(names, unit.program.kernels, strict=True):
        job = _job(unit.symbol, kernel, traits, fetched.get(kernel.name, 0.0), kernel.name in members)
        yield _dumped(name, job, context)
    yield _dumped(entry, Job(emit_entry(unit, runs), own_vectors=True, name=entry), context)


def _dumped(name: str, job: Job, context: BuildContext) -> Job:
    context.observer.dump(f"llvm/{name}.ll", lambda: job.text)
    return job


def _job(symbol: str, kernel: Kernel, traits: Chip, fetched: float = 0.0, is_paired: bool = False) -> Job:
    text = emit_kernel(kernel, kernel_symbol(symbol, kernel.name), traits, fetched, is_paired)
    return Job(text, _has_vectors(kernel), f"{symbol}.{kernel.name}")


def _compiled(
    symbol: str, kernels: Sequence[Kernel], target: Target, context: BuildContext
) -> list[tuple[str, bytes]]:
    """Objects of kernels by themselves. Those of a build are the same, and found in the cache, unless its neighbours make a
    kernel's loops worth sharing out or two threads run through it together.
    """
    target = resolve(target)
    traits = chip(target)
    jobs = (_job(symbol, kernel, traits) for kernel in kernels)
    objects = build_all(jobs, len(kernels), processor(target), context)
    return [
        (kernel_symbol(symbol, kernel.name), built.content)
        for kernel, built in zip(kernels, objects, strict=True)
    ]


def features_of(objects: Sequence[ObjectCode]) -> tuple[str, ...]:
    """Every CPU feature that some of the code needs, sorted."""
    return tuple(sorted({feature for built in objects for feature in built.cpu_features}))


def _has_vectors(kernel: Kernel) -> bool:
    return any(isinstance(stmt, For) and stmt.kind is LoopKind.VECTOR for stmt in statements(kernel.body))


TRIAL = Trial("ingot.codegen.llvm.build.trial", why_not_here, _compiled)
SUMMARY = "objects by LLVM, for any processor; no compiler needed"
CODEGEN = Codegen(ID, SUMMARY, resolve, machine, generate, trial=TRIAL, levels=True, control=True)
