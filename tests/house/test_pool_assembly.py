"""The thread pool as LLVM assembly is the one in C."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import llvmlite.binding as llvm
import pytest

from ingot.codegen.llvm.parallel.pool import POOL
from tests.support.paths import ROOT


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """`tools/make_pool_ir.py`, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("make_pool_ir", ROOT / "tools" / "make_pool_ir.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("architecture", ["aarch64", "x86_64"])
def test_the_assembly_was_made_from_the_c_sources_of_today(tool: ModuleType, architecture: str) -> None:
    head = (tool.NATIVE / f"pool.{architecture}-linux.ll").read_text(encoding="ascii").partition("\n")[0]
    assert head == f"; {tool.sources_digest()}", (
        "pool.c or a header of it changed: pip install ziglang, then python tools/make_pool_ir.py"
    )


@pytest.mark.parametrize("architecture", ["aarch64", "x86_64"])
def test_the_assembly_is_what_the_tool_makes(tool: ModuleType, architecture: str) -> None:
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("needs Clang of the Python package ziglang")
    text = (tool.NATIVE / f"pool.{architecture}-linux.ll").read_text(encoding="ascii")
    # Another Clang may choose other instructions, but says the same.
    assert _functions(tool.translate(architecture)) == _functions(text)


@pytest.mark.parametrize("architecture", ["aarch64", "x86_64"])
def test_the_assembly_has_the_functions_of_the_pool_and_no_target_of_its_own(
    tool: ModuleType, architecture: str
) -> None:
    text = (tool.NATIVE / f"pool.{architecture}-linux.ll").read_text(encoding="ascii")
    visible = {name for name, hidden in _functions(text).items() if not hidden}
    assert visible == {"ingot_pool_create", "ingot_pool_destroy", *POOL}
    assert "target " not in text and "zig" not in text


def _functions(text: str) -> dict[str, bool]:
    """The functions that the assembly defines, and whether each is only for itself."""
    module = llvm.parse_assembly(text)
    module.verify()
    return {
        one.name: one.linkage is llvm.Linkage.internal for one in module.functions if not one.is_declaration
    }
