"""The code generator `c`: one readable C99 source for a model.

The source needs no heap, no threads and only <stdint.h>, <string.h> and <math.h>. Two functions are visible, both
prefixed by the model's symbol; everything else is static, so any two models link together.
"""

from __future__ import annotations

from ingot.artifact.artifact import LOADER_NATIVE, LOADER_TEXT, Artifact
from ingot.base.errors import TargetError, nearest
from ingot.base.target import Target
from ingot.codegen.c.source import header, source
from ingot.codegen.record import BuildContext, Codegen, Generated
from ingot.machines.machine import Machine
from ingot.plan.program import CompileUnit

OPTIONS: tuple[str, ...] = ()
"""The options (`--name=value`) that a target of this code generator may have."""


def _resolve(target: Target) -> Target:
    for name, value in target.options:
        if name not in OPTIONS:
            raise TargetError(
                f"target {str(target)!r}: the code generator c has no option --{name}{nearest(name, OPTIONS)}"
                f" (known: {', '.join(OPTIONS) or 'none'})",
                option=name,
                value=value,
            )
    for flag, given in (
        ("-mcpu", target.cpu),
        ("-mattr", ",".join(target.features)),
        ("-mtriple", target.triple),
    ):
        if given:
            raise TargetError(
                f"target {str(target)!r}: {flag} means nothing to the code generator c, which makes C99 for any processor;"
                " give processor flags to the C compiler",
                flag=flag,
                value=given,
            )
    return target


def _machine(_target: Target) -> Machine:
    # Measured with gcc 12 -O3 on a residual network: 0.8 ms with vectors of 16 bytes, 3.3 ms with scalar loops. No cache is
    # counted on: most of this C is for microcontrollers, where templates must not buy time with memory.
    return Machine(vector_bytes=16, vector_registers=16, l2_bytes=0)


def _generate(unit: CompileUnit, target: Target, context: BuildContext) -> Generated:
    name = f"{unit.symbol}.c"
    context.observer.progress("c", 0, 1)
    text = source(unit)
    context.observer.dump(name, lambda: text)
    context.observer.progress("c", 1, 1)
    return Generated(
        (
            Artifact("c", LOADER_NATIVE, name, text.encode("ascii"), target.key),
            Artifact("c", LOADER_TEXT, f"{unit.symbol}.h", header(unit).encode("ascii"), target.key),
        )
    )


CODEGEN = Codegen("c", "readable C99 for any compiler", _resolve, _machine, _generate, control=True)
