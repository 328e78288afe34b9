"""ingot casts a trained ONNX model into a small library that runs on its own.

    artifacts = ingot.build("resnet18.onnx", target="llvm")
    artifacts.export_library("resnet18.so")

    library = ingot.load("resnet18.so")              # imports no compiler
    model = library["resnet18"](ingot.cpu(0))
    y = model.predict(data=x)

Importing ingot imports nothing else: each public name brings its room along when it is first used, so that a program which only
loads libraries never imports the compiler.
"""

import gc
import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingot.api.artifact_set import ArtifactSet
    from ingot.api.build import build
    from ingot.artifact.artifact import Artifact
    from ingot.artifact.artifact_set import InMemoryArtifact
    from ingot.artifact.model_info import ModelInfo
    from ingot.base.dims import Dim, dim
    from ingot.base.errors import (
        ArtifactError,
        BusyError,
        DeviceError,
        InputError,
        InternalError,
        ModelError,
        OutOfMemoryError,
        TargetError,
        ToolchainError,
        UnsupportedError,
    )
    from ingot.base.observe import ModelWarning, Observer
    from ingot.base.target import Target
    from ingot.base.tensor import DType, TensorType
    from ingot.runtime.devices.tensor import DeviceTensor
    from ingot.runtime.executors.base import Executor
    from ingot.runtime.executors.pool import ExecutorPool
    from ingot.runtime.generate import generate
    from ingot.runtime.library import Device, Library, cpu, cuda, opencl
    from ingot.runtime.load import load
    from ingot.runtime.preload import preload

__version__ = "0.1.0"

_HOME_OF = {
    "Artifact": "ingot.artifact.artifact",
    "ArtifactError": "ingot.base.errors",
    "ArtifactSet": "ingot.api.artifact_set",
    "BusyError": "ingot.base.errors",
    "DType": "ingot.base.tensor",
    "Device": "ingot.runtime.library",
    "Dim": "ingot.base.dims",
    "DeviceError": "ingot.base.errors",
    "DeviceTensor": "ingot.runtime.devices.tensor",
    "Executor": "ingot.runtime.executors.base",
    "ExecutorPool": "ingot.runtime.executors.pool",
    "InMemoryArtifact": "ingot.artifact.artifact_set",
    "InputError": "ingot.base.errors",
    "InternalError": "ingot.base.errors",
    "Library": "ingot.runtime.library",
    "ModelError": "ingot.base.errors",
    "ModelInfo": "ingot.artifact.model_info",
    "ModelWarning": "ingot.base.observe",
    "Observer": "ingot.base.observe",
    "OutOfMemoryError": "ingot.base.errors",
    "Target": "ingot.base.target",
    "TargetError": "ingot.base.errors",
    "TensorType": "ingot.base.tensor",
    "ToolchainError": "ingot.base.errors",
    "UnsupportedError": "ingot.base.errors",
    "build": "ingot.api.build",
    "cpu": "ingot.runtime.library",
    "cuda": "ingot.runtime.library",
    "dim": "ingot.base.dims",
    "generate": "ingot.runtime.generate",
    "load": "ingot.runtime.load",
    "opencl": "ingot.runtime.library",
    "preload": "ingot.runtime.preload",
}

__all__ = [
    "Artifact",
    "ArtifactError",
    "ArtifactSet",
    "BusyError",
    "DType",
    "Device",
    "DeviceError",
    "DeviceTensor",
    "Dim",
    "Executor",
    "ExecutorPool",
    "InMemoryArtifact",
    "IngotError",
    "InputError",
    "InternalError",
    "Library",
    "LoadError",
    "ModelError",
    "ModelInfo",
    "ModelWarning",
    "Observer",
    "OutOfMemoryError",
    "Target",
    "TargetError",
    "TensorType",
    "ToolchainError",
    "UnsupportedError",
    "__version__",
    "build",
    "cpu",
    "cuda",
    "dim",
    "generate",
    "load",
    "opencl",
    "preload",
]


NO_DESCRIPTOR = 23, 24  # ENFILE and EMFILE, the same on all systems: no file descriptor is free


class IngotError(Exception):
    """Base of every error of ingot (`ingot.base.errors` has the others). `facts` holds what the message says, as data."""

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.facts = facts


class LoadError(IngotError):
    """A valid file cannot be loaded in this process on this machine."""

    # Here, because a process that has no free file descriptor can import no module to raise one of.


def __getattr__(name: str) -> object:
    """Imports the room of a public name when it is first used (PEP 562)."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'ingot' has no attribute {name!r}")
    collects = gc.isenabled()
    gc.disable()  # all that an import makes will stay: to search it for garbage takes longer than to load a small model
    try:
        value: object = getattr(importlib.import_module(home), name)
    except ModuleNotFoundError as error:
        if (error.name or "ingot").split(".")[0] == "ingot":
            raise
        missing = f"ingot.{name} needs the package {error.name!r}, which is not installed: pip install 'ingot-compiler[build]'"
        raise ModuleNotFoundError(missing, name=error.name) from error
    except OSError as error:
        if error.errno not in NO_DESCRIPTOR:
            raise
        raise LoadError(
            f"ingot.{name} cannot be imported: no file descriptor is free; close some files"
        ) from error
    finally:
        # What is there now is as old as what was there before: the next allocation would search it, a fifth of a millisecond.
        # Frozen and thawed, it joins the oldest generation unsearched. What somebody else froze stays as it is.
        if not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        if collects:
            gc.enable()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
