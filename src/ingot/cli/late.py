"""The one place of the command line that imports late.

Only the module of the command that was asked for is imported, so that `ingot run` and `ingot inspect` never import the compiler.
`ingot run --compare`, which needs another implementation of ONNX, gets it here too, and `ingot inspect` the readers of files that
other tools made.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from ingot.artifact.artifact import Content
    from ingot.cli.parser import Parser
    from ingot.inspectors.inspector import Inspection

    Reference = Callable[[Path, Mapping[str, np.ndarray]], tuple[str, dict[str, np.ndarray]]]

SUMMARIES: Mapping[str, str] = MappingProxyType(
    {
        "build": "Compile an ONNX model into a library.",
        "run": "Run a model of a library once, on given or random inputs.",
        "bench": "Measure a library: latency, and the time of each kernel.",
        "load": "Load a library, and say how that went.",
        "inspect": "Show what a library holds, without running any of its code.",
        "list": "List operators, targets, their CPUs or code generators.",
        "plugins": "List plug-ins: what ingot and installed packages offer.",
        "completion": "Write a script by which bash, zsh or fish completes these words.",
    }
)


def add_options(name: str) -> Callable[[Parser], None]:
    """The function that gives a command's parser its options: `add_options` in the module of the command's name."""
    function: Callable[[Parser], None] = importlib.import_module(f"ingot.cli.{name}").add_options
    return function


def command(name: str) -> Callable[[argparse.Namespace], None]:
    """The function of a command: `command` in the module of its name."""
    function: Callable[[argparse.Namespace], None] = importlib.import_module(f"ingot.cli.{name}").command
    return function


def inspect(content: Content, name: str) -> Inspection | None:
    """`ingot.inspectors.registry.inspect`, whose readers of files of others need a package that loading does without."""
    function: Callable[[Content, str], Inspection | None] = importlib.import_module(
        "ingot.inspectors.registry"
    ).inspect
    return function(content, name)


# The registry of each group of plug-ins, some of which need the packages that building does.
_REGISTRIES: Mapping[str, str] = MappingProxyType(
    {
        "ingot.codegens": "ingot.codegen.registry",
        "ingot.loaders": "ingot.runtime.loader",
        "ingot.inspectors": "ingot.inspectors.registry",
        "ingot.ops": "ingot.ops.registry",
        "ingot.devices": "ingot.runtime.devices.registry",
    }
)


def describe(group: str) -> Callable[[str], str]:
    """The function that imports a plug-in of a group by its name, checks it and says what it is."""
    function: Callable[[str], str] = importlib.import_module(_REGISTRIES[group]).describe
    return function


def reference() -> Reference:
    """`ingot.graph.evaluate.reference.run_reference`, with the ONNX packages that it needs."""
    function: Reference = importlib.import_module("ingot.graph.evaluate.reference").run_reference
    return function
