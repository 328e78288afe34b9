"""The code generator `opencl`: OpenCL C 1.2 for any device, and beside it how its kernels are launched.

A unit gives two artifacts for the loader "opencl": `<symbol>.cl`, a source that the device's driver compiles when it is
loaded, and `<symbol>.launch.json`, the launches of every call.
"""

from __future__ import annotations

from ingot.artifact.artifact import Artifact
from ingot.base.errors import TargetError
from ingot.base.target import Target
from ingot.codegen.opencl.source import listed, printed
from ingot.codegen.record import BuildContext, Codegen, Generated
from ingot.loops.transform.to_grid import cpu_shape, gpu_shape
from ingot.machines.gpu.opencl import OPENCL_CPU, OPENCL_GPU
from ingot.machines.machine import Machine
from ingot.plan.program import CompileUnit

ID = "opencl"


OPTION = "device"
"""The option that says for which kind of device the source is fast; it is right on any."""
_MACHINES = {"gpu": OPENCL_GPU, "cpu": OPENCL_CPU}
_SHAPES = {"gpu": gpu_shape(OPENCL_GPU.tuning.grid), "cpu": cpu_shape(OPENCL_CPU.tuning.grid)}


def _resolve(target: Target) -> Target:
    unknown = [name for name, _ in target.options if name != OPTION]
    if target.cpu or target.features or target.triple or unknown:
        raise TargetError(
            f"target {str(target)!r}: the code generator {ID} has no flags, because its source fits every OpenCL device; write"
            f" {ID!r}, or '{ID} --{OPTION}=cpu' for a device that is a CPU",
            target=str(target),
        )
    if _device(target) not in _MACHINES:
        raise TargetError(
            f"target {str(target)!r}: --{OPTION}={_device(target)}, expected {' or '.join(_MACHINES)}",
            target=str(target),
        )
    return target


def _device(target: Target) -> str:
    return dict(target.options).get(OPTION, "gpu")


def _machine(target: Target) -> Machine:
    return _MACHINES[_device(target)]


def _generate(unit: CompileUnit, target: Target, context: BuildContext) -> Generated:
    context.observer.progress(ID, 0, 1)
    source = printed(unit, _SHAPES[_device(target)])
    listing = listed(unit, source)
    context.observer.dump(f"{unit.symbol}.cl", lambda: source.text)
    context.observer.dump(f"{unit.symbol}.launch.json", lambda: listing)
    context.observer.progress(ID, 1, 1)
    return Generated(
        (
            Artifact(ID, ID, f"{unit.symbol}.cl", source.text.encode("ascii"), target.key),
            Artifact(ID, ID, f"{unit.symbol}.launch.json", listing.encode("ascii"), target.key),
        )
    )


CODEGEN = Codegen(
    ID, "OpenCL C 1.2 for any OpenCL device", _resolve, _machine, _generate, device_kind="opencl"
)
