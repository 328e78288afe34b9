"""`conformance.toml` is true: every ONNX backend test that it lists as passing passes, and no other."""

from __future__ import annotations

import importlib.util

import pytest

from tests.conformance import table
from tests.conformance.run import run_batch
from tests.conformance.worker import all_names
from tests.support.kernel_opencl import needs_opencl

PARTS = 5  # each starts a process, which imports for two seconds
OPENCL_PARTS = 20
OPENCL = (pytest.mark.opencl, needs_opencl)
# An OpenCL driver compiles for half a second a test, so the suite runs a part of them;
# `python -m tests.conformance check --codegen opencl` runs all.
RUNS = [
    *(
        (codegen, part, PARTS)
        for codegen in table.CODEGENS
        if codegen not in ("opencl", "cuda")
        for part in range(PARTS)
    ),
    pytest.param("opencl", 0, OPENCL_PARTS, marks=OPENCL),
]
TABLE = table.read()
HAS_PILLOW = importlib.util.find_spec("PIL") is not None
# By `c` some of each kind that do not take half a minute; `python -m tests.conformance check --codegen c` runs all.
BY_C = ("light_bvlc_alexnet", "light_resnet50", "light_shufflenet", "light_squeezenet")
LIGHT = [
    *(("llvm", name) for name in TABLE.names if name.startswith("light_")),
    *(("c", name) for name in BY_C),
]


def test_every_backend_test_is_listed():
    assert set(TABLE.names) == set(all_names("llvm"))


def test_the_same_tests_pass_on_every_code_generator():
    assert not any(TABLE.fails_on.values()), TABLE.fails_on


@pytest.mark.cc
@pytest.mark.slow
@pytest.mark.parametrize(("codegen", "part", "parts"), RUNS)
def test_the_conformance_file_is_true(codegen, part, parts):
    _check(codegen, [name for name in TABLE.names if not name.startswith("light_")][part::parts])


@pytest.mark.cc
@pytest.mark.slow
@pytest.mark.parametrize(("codegen", "name"), LIGHT)
def test_classification_networks_give_their_published_output(codegen, name):
    _check(codegen, [name])


def test_every_fiftieth_test_says_the_same_of_code_in_memory():
    """`llvmjit` has the kernels of `llvm`: a sample shows that they are linked right."""
    _check("llvmjit", [name for name in TABLE.names if not name.startswith("light_")][7::50])


@pytest.mark.cc
@pytest.mark.slow
def test_every_seventieth_test_passes_as_ptx_on_a_machine_of_paper():
    """`python -m tests.conformance check --codegen cuda` runs all, in some minutes."""
    _check("cuda", [name for name in TABLE.names if not name.startswith("light_")][11::70])


def _check(codegen, names):
    if not HAS_PILLOW:  # the extra `test` has it; elsewhere what needs it is left out
        names = [name for name in names if not name.startswith("test_image_decoder")]
    outcome = run_batch(codegen, names)
    assert set(outcome) == set(names)
    untrue = {}
    for name, (why, bound) in outcome.items():
        expected = TABLE.expected(name, codegen)
        if (why is None) != (expected is None):
            untrue[name] = f"listed as {expected or 'passing'}, but {why or 'it passes'}"
        elif why is None and bound != TABLE.passes[name]:
            untrue[name] = f"listed with the bound inputs {TABLE.passes[name]}, but they are {bound}"
    assert not untrue
