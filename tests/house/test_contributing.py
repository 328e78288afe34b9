"""What CONTRIBUTING.md names is there, and what it shows runs."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingot.base.tensor import DType, TensorType
from ingot.kernels.matmul.problem import MatMul
from ingot.kernels.template import Template
from ingot.machines.machine import Machine
from tests.house.test_readme import clone, environment
from tests.kernels.templates import run_template
from tests.support import machines

from .source import ROOT

assert clone  # a fixture
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES = re.findall(r"`((?:src|tests|docs|benchmarks|tools|examples|\.ci)/[\w./-]*)`", PAGE)


def test_files_and_folders_that_it_names_exist() -> None:
    assert len(FILES) > 30
    assert [name for name in FILES if not (ROOT / name).exists()] == []


def test_a_recipe_finds_the_names_that_it_wants_in_their_files() -> None:
    named = re.findall(r"`(\w+)(?:\([^`]*\))?` (?:of|in|to) `([\w./-]+\.py)`", PAGE)
    assert ("Pass", "src/ingot/graph/passes/pipeline.py") in named
    assert len(named) > 5
    for name, file in named:
        assert re.search(rf"\b{name}\b", (ROOT / file).read_text(encoding="utf-8")), (name, file)


def test_targets_of_make_and_modules_that_it_runs_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"(?:`|^    )make ([^`\n]+)", PAGE, re.MULTILINE)
    targets = {word for command in commands for word in command.split() if "=" not in word}
    assert {"setup", "check", "test-fast", "test", "codediff"} <= targets
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []
    modules = re.findall(r"python -m (tests[\w.]*)", PAGE)
    assert modules and all(importlib.util.find_spec(module) for module in modules)


def python_code(word: str) -> str:
    """The piece of Python on the page that has a word in it."""
    pieces = re.findall(r"^ *```python\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)
    (code,) = [piece for piece in pieces if word in piece]
    return textwrap.dedent(code)


@pytest.mark.parametrize("machine", [machines.SCALARS, machines.VECTORS])
def test_the_kernel_that_it_shows_multiplies_matrices(machine: Machine) -> None:
    scope: dict[str, Any] = {}
    exec(python_code("Builder()"), scope)
    types = [TensorType(DType.FLOAT32, shape) for shape in ((3, 5), (5, 11), (3, 11))]
    problem = MatMul(*types)
    template = Template("shown", tuple(types[:2]), (types[2],), lambda site: scope["build"](site, problem))
    left, right = (np.arange(type_.size, dtype=np.float32).reshape(type_.shape) for type_ in types[:2])
    (product,) = run_template(template, left, right, machine=machine)
    assert (product == left @ right).all()


@pytest.mark.cc
def test_what_finds_the_first_wrong_value_runs(clone: Path) -> None:
    code = python_code("ReferenceEvaluator")
    command = [sys.executable, "-c", code]
    ended = subprocess.run(
        command, check=False, cwd=clone, env=environment(clone), capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stderr
    lines = [line.split() for line in ended.stdout.splitlines()]
    assert {"conv1.relu", "probabilities"} <= {name for name, *_ in lines}
    assert max(float(error) for _, error, *_ in lines) < 1e-4
    assert {where for _, _, where in lines} == {"nowhere"}
