"""`preload`: everything that running a model may need is imported now."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil

from ingot.base.errors import LoadError
from ingot.border.images import require_pillow

# What is imported when something is wrong, or asked for: see the tests of borders for who does so.
_STANDARD_LIBRARY = (
    "dataclasses",
    "difflib",
    "hashlib",
    "importlib.metadata",
    "inspect",
    "mmap",
    "tempfile",
    "traceback",
)
_ROOMS = ("ingot.base", "ingot.artifact", "ingot.border", "ingot.package", "ingot.runtime")


def preload() -> None:
    """Imports all that loading and running libraries may need, so that nothing is imported later.

    ingot imports most of itself when it is first used, for the sake of a quick start: also what it needs to say that an input is
    wrong. A service calls this first, before it limits itself (a root folder of its own, few file descriptors), is upgraded in
    place, or forks. On a Zen 4 it takes 0.3 s, and 0.8 s where the packages of devices are
    installed; those that are not are left out.
    """
    for name in _STANDARD_LIBRARY:
        importlib.import_module(name)
    for room in _ROOMS:
        for module in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}."):
            _import_if_installed(module.name)
    with contextlib.suppress(LoadError):  # what decodes images, if it is installed
        require_pillow()


def _import_if_installed(name: str) -> None:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "ingot").partition(".")[0] == "ingot":
            raise
