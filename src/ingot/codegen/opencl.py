"""The code generator `opencl`: OpenCL C 1.2 for any device, and beside it how its kernels are launched.

A unit gives two artifacts for the loader "opencl": `<symbol>.cl`, a source that the device's driver compiles when it is
loaded, and `<symbol>.launch.json`, the launches of every call.
"""

from __future__ import annotations

from ingot.artifact.artifact import Artifact
from ingot.codegen.opencl_source import launch_list, printed
from ingot.codegen.record import Codegen, Generated, Workshop
from ingot.errors import TargetError
from ingot.plan.program import CompileUnit
from ingot.target import Machine, Target

ID = "opencl"


def _resolve(target: Target) -> Target:
    if target.cpu or target.features or target.triple or target.options:
        raise TargetError(
            f"target {str(target)!r}: the code generator {ID} has no flags and no options, because its source fits every"
            f" OpenCL device; write only {ID!r}",
            target=str(target),
        )
    return target


def _machine(_target: Target) -> Machine:
    # No vectors: neighbouring work items are the lanes.
    return Machine(l2_bytes=0, grid=True)


def _generate(unit: CompileUnit, target: Target, workshop: Workshop) -> Generated:
    workshop.observer.progress(ID, 0, 1)
    made = printed(unit)
    listing = launch_list(unit, made)
    workshop.observer.dump(f"{unit.symbol}.cl", lambda: made.text)
    workshop.observer.dump(f"{unit.symbol}.launch.json", lambda: listing)
    workshop.observer.progress(ID, 1, 1)
    return Generated(
        (
            Artifact(ID, ID, f"{unit.symbol}.cl", made.text.encode("ascii"), target.key),
            Artifact(ID, ID, f"{unit.symbol}.launch.json", listing.encode("ascii"), target.key),
        )
    )


CODEGEN = Codegen(ID, "OpenCL C 1.2 for any OpenCL device", _resolve, _machine, _generate, device_kind="opencl")
