"""The `llvmjit` code generator: the kernels of `llvm` as bitcode, which becomes instructions when it is loaded.

So a build runs at once, without a compiler driver, a linker or a file. Every distinct kernel is one artifact, `<symbol>.bc` has
the entry points, and `<symbol>.jit.json` says what belongs together and which processor it is for. The loader is in
`llvmjit/loader`.
"""

from __future__ import annotations

import json

import llvmlite.binding as llvm

from ingot.artifact.artifact import Artifact
from ingot.base.target import Target
from ingot.codegen.llvm.build.object_builder import build_all
from ingot.codegen.llvm.build.objects import Form
from ingot.codegen.llvm.build.targets import machine, processor, resolve
from ingot.codegen.llvm.generator import TRIAL, features_of, module_names, modules
from ingot.codegen.record import BuildContext, Codegen, Generated
from ingot.plan.program import CompileUnit

ID = "llvmjit"
VERSION = 1
"""Of the list of modules; a loader refuses any other."""
LIST_SUFFIX, MODULE_SUFFIX = ".jit.json", ".bc"


def generate(unit: CompileUnit, target: Target, context: BuildContext) -> Generated:
    """Bitcode for one program, optimised for the target, and the list of its modules."""
    target = resolve(target)
    files = [name + MODULE_SUFFIX for name in module_names(unit)]
    objects = build_all(modules(unit, target, context), len(files), processor(target), context, Form.BITCODE)
    listing = {
        "version": VERSION,
        "symbol": unit.symbol,
        "target": str(target),
        "llvm": ".".join(map(str, llvm.llvm_version_info)),
        "modules": files,
    }
    text = json.dumps(listing, indent=1, sort_keys=True) + "\n"
    artifacts = [
        Artifact(ID, ID, file, built.content, target.key) for file, built in zip(files, objects, strict=True)
    ]
    artifacts.append(Artifact(ID, ID, unit.symbol + LIST_SUFFIX, text.encode("ascii"), target.key))
    return Generated(tuple(artifacts), features_of(objects))


CODEGEN = Codegen(
    ID,
    "kernels of llvm for the process at hand: runs at once, with no compiler, linker or file",
    resolve,
    machine,
    generate,
    no_library="LLVM bitcode is for a process that has LLVM; the target 'llvm' makes a library of the same kernels",
    trial=TRIAL,
    control=True,
)
