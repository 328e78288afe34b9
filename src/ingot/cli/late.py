"""The one place of the command line that imports late.

Only the module of the command that was asked for is imported, so that `ingot run` and `ingot inspect` never import the compiler.
`ingot run --compare`, which needs another implementation of ONNX, gets it here too.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np

Reference = Callable[[Path, Mapping[str, np.ndarray]], tuple[str, dict[str, np.ndarray]]]

SUMMARIES: Mapping[str, str] = MappingProxyType(
    {
        "build": "Compile an ONNX model into a library.",
        "run": "Run a model of a library once, on given or random inputs.",
        "bench": "Measure a library: latency, and the time of each kernel.",
        "load": "Load a library, and say how that went.",
        "inspect": "Show what a library holds, without running any of its code.",
        "list": "List operators, targets, their CPUs or code generators.",
    }
)


def command(name: str) -> Callable[..., None]:
    """The function of a command: `command` in the module of its name."""
    function: Callable[..., None] = importlib.import_module(f"ingot.cli.{name}").command
    return function


def reference() -> Reference:
    """`ingot.graph.reference.run_reference`, with the ONNX packages that it needs."""
    function: Reference = importlib.import_module("ingot.graph.reference").run_reference
    return function
