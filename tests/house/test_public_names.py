"""What users may build on: the public names are pinned, and everything public says what it is."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

import ingot

from .source import Source, sources

PUBLIC = {
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
}

by_path = pytest.mark.parametrize("source", sources(), ids=lambda source: source.where)


def test_the_public_names_are_these() -> None:
    assert set(ingot.__all__) == PUBLIC
    assert sorted(ingot.__all__) == ingot.__all__


@pytest.mark.parametrize("name", sorted(PUBLIC - {"__version__"}))
def test_a_public_name_is_there_and_documented(name: str) -> None:
    value = getattr(ingot, name)
    assert value.__doc__, f"ingot.{name} has no docstring"
    assert name in dir(ingot)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'bulid'"):
        ingot.bulid  # noqa: B018


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    script = "import sys\nsys.modules['numpy'] = None\nimport ingot\ningot.load"
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert "ingot.load needs the package 'numpy'" in done.stderr and "pip install" in done.stderr


def run_python(script: str) -> None:
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_a_host_froze_stays_frozen_and_its_collector_off() -> None:
    before = "import gc\ngc.freeze()\ngc.disable()\n"
    run_python(f"{before}import ingot\ningot.load\nassert gc.get_freeze_count() and not gc.isenabled()")


def test_what_is_imported_is_not_young_and_not_frozen_and_the_collector_goes_on() -> None:
    young = "any(one is load for one in gc.get_objects(generation=0))"
    run_python(f"import gc, ingot\ngc.disable()\nload = ingot.load\nassert not {young}")
    run_python("import gc, ingot\ningot.load\nassert gc.isenabled() and not gc.get_freeze_count()")


def test_type_checkers_see_the_same_names() -> None:
    tree = next(source for source in sources() if source.room == "").tree
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        (alias.name, node.module)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == set(ingot._HOME_OF.items())


@by_path
def test_everything_public_has_a_docstring(source: Source) -> None:
    assert ast.get_docstring(source.tree), f"{source.where} has no docstring"
    for node in source.tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{source.where}:{node.lineno} {node.name} has no docstring"
