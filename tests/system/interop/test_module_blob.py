"""Module trees that ingot writes are restored by tvm-ffi, and those that TVM writes come out of ingot byte by byte."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from ingot.package.classic.module_blob import SYMBOLS, Layout, ModuleBlob, StoredModule, from_bytes, to_bytes
from tests.support.c_program import compiler

pytestmark = pytest.mark.cc

LIBRARY = StoredModule("_lib")

RESTORE = """
import sys
import tvm_ffi
seen = []
@tvm_ffi.register_global_func("ffi.Module.load_from_bytes.ingot_test")
def restore(content):
    seen.append(bytes(content))
    return tvm_ffi.load_module(sys.argv[2])
root = tvm_ffi.load_module(sys.argv[1])
print(seen, root.kind, [child.kind for child in root.imports], root["answer"](), root.imports[0]["answer"]())
"""


def library(folder: Path, name: str, answer: int, blob: bytes = b"") -> Path:
    """A library with a function `answer`, and the blob if there is one."""
    source = f"""#include <stdint.h>
struct any {{ int32_t type; uint32_t padding; int64_t number; }};
int __tvm_ffi_answer(void *self, const struct any *args, int32_t count, struct any *result) {{
  (void)self; (void)args; (void)count;
  result->type = 1; result->padding = 0; result->number = {answer};
  return 0;
}}
"""
    if blob:
        source += f"const unsigned char __tvm_ffi__library_bin[] = {{{','.join(map(str, blob))}}};\n"
    (folder / f"{name}.c").write_text(source)
    subprocess.run([compiler(), "-shared", "-fPIC", f"{name}.c", "-o", f"{name}.so"], cwd=folder, check=True)
    return folder / f"{name}.so"


def test_tvm_ffi_restores_the_tree_that_ingot_writes(tmp_path: Path) -> None:
    if importlib.util.find_spec("tvm_ffi") is None:
        pytest.skip("needs the package apache-tvm-ffi (extra interop)")
    blob = ModuleBlob(Layout.C, (LIBRARY, StoredModule("ingot_test", b"pay\0load")), ((1,), ()))
    paths = [library(tmp_path, "root", 1, to_bytes(blob)), library(tmp_path, "child", 2)]
    done = subprocess.run(
        [sys.executable, "-c", RESTORE, *paths], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == r"[b'pay\x00load'] library ['library'] 1 2"


PACK = """
import sys
import tvm, tvm_ffi
from tvm.relax.frontend.onnx import from_onnx
from onnx import TensorProto, helper
ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in ("x", "y")]
model = helper.make_model(helper.make_graph([helper.make_node("Exp", ["x"], ["y"])], "g", ends[:1], ends[1:]),
                          opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
tvm.compile(from_onnx(model), target="llvm").export_library(sys.argv[1])
"""


def test_what_tvm_writes_is_written_the_same(tmp_path: Path) -> None:
    if importlib.util.find_spec("tvm") is None:
        pytest.skip("needs the package apache-tvm (extra interop)")
    path = tmp_path / "tvm.so"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PACK, path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    content = path.read_bytes()
    key = content.index((18).to_bytes(8, "little") + b"relax.VMExecutable")
    # Before the first module: the blob's length, rows 0, 1, 1 and the child 1 with their counts.
    begin = key - 8 * 7
    size = 8 + int.from_bytes(content[begin : begin + 8], "little")
    blob = from_bytes(content[begin : begin + size], SYMBOLS["__tvm_ffi__library_bin"])
    assert [module.type_key for module in blob.modules] == [
        "relax.VMExecutable",
        "_lib",
    ] and blob.imports == ((1,), ())
    assert to_bytes(blob) == content[begin : begin + size]
