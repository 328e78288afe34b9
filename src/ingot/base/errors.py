"""All errors that ingot raises on purpose.

    IngotError
    ├── ModelError        the ONNX model is damaged or contradicts itself       → who made the model
    ├── UnsupportedError  the model is fine, ingot cannot compile a part of it  → us
    ├── TargetError       unknown target, CPU, option or code generator         → who calls build
    ├── ToolchainError    no compiler or linker, or it failed                   → who set up the machine
    ├── ArtifactError     stored bytes are not what they claim to be            → who shipped the file
    ├── LoadError         a good file cannot run here (CPU, device, plug-in)    → who deploys
    ├── InputError        wrong name, shape, dtype or layout of a run-time array → who calls run
    ├── BusyError         an executor is at work for somebody else              → who shares executors
    ├── DeviceError       a device is missing or failed                         → who deploys
    │   └── OutOfMemoryError  there is no memory for the values of a model; a MemoryError, too
    └── InternalError     a rule of our own was broken                          → us

A message says where, what is wrong, what it got, what it expected, what to do.
The facts of a message are also attributes (`error.facts`), so that callers need not parse text.
"""

import importlib
from collections.abc import Iterable, Mapping

from ingot import IngotError as IngotError
from ingot import LoadError as LoadError  # these two are there before anything goes wrong


class ModelError(IngotError):
    """The model is damaged, incomplete or contradicts itself."""


class UnsupportedError(IngotError):
    """The model is valid, but ingot cannot compile parts of it. `facts["nodes"]` lists every one."""


class TargetError(IngotError):
    """An unknown target, CPU, feature, option or code generator."""


class ToolchainError(IngotError):
    """A compiler or linker is missing, or failed."""


class ArtifactError(IngotError):
    """Stored bytes are not a valid artifact file. Untrusted bytes raise this and nothing else."""


class InputError(IngotError):
    """An array or argument given at run time does not fit the model, or a call does not fit what was done before."""


class BusyError(IngotError):
    """An executor is at work for another call, or no executor of a pool became free in time."""


class DeviceError(IngotError):
    """A device is missing or failed."""


class OutOfMemoryError(DeviceError, MemoryError):
    """There is no memory for the values of a model."""


class InternalError(IngotError):
    """A rule of ingot's own was broken: a defect to report."""


def why_not_by_name(given: object) -> str:
    """What keeps an argument from being a mapping from names: its type, or a key that is no text. Empty if nothing does."""
    if not isinstance(given, Mapping):
        return f"got {type(given).__name__}"
    return next((f"got the key {key!r}" for key in given if not isinstance(key, str)), "")


# What is compared for a guess: in a file with a million long names, comparing all would take longer than reading it.
_LETTERS_MAX, _CANDIDATES_MAX = 200, 1000


def nearest(word: object, known: Iterable[str]) -> str:
    """Returns `; did you mean 'x' or 'y'?` for the known words nearest to `word`, or an empty string, as for what is no text."""
    if not isinstance(word, str) or len(word) > _LETTERS_MAX:
        return ""
    difflib = importlib.import_module(
        "difflib"
    )  # a tenth of what loading a library costs, and wanted for messages only
    candidates = sorted(name for name in known if len(name) <= _LETTERS_MAX)[:_CANDIDATES_MAX]
    close = difflib.get_close_matches(word, candidates, n=3, cutoff=0.5)
    return "; did you mean " + " or ".join(repr(name) for name in close) + "?" if close else ""
