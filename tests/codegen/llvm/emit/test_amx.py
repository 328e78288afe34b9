"""Sums of products in tile registers: the same as serial loops make, only where the processor has tiles, and with permission."""

from __future__ import annotations

import platform
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import ingot
from ingot.base.errors import LoadError
from ingot.base.target import Target
from ingot.base.tensor import DType
from ingot.codegen.llvm.build.features import cpu_features
from ingot.codegen.llvm.build.targets import machine
from ingot.codegen.llvm.emit.amx import REFUSED
from ingot.loops.analyse.amx_sums import sums_in_tiles, tile_sums
from ingot.loops.nodes import Alloc, Expr, For, Kernel, LoopKind, Var, buffer, index, load, store, word
from ingot.loops.parse import from_text
from ingot.loops.text import to_text
from ingot.runtime import load as loading
from ingot.runtime.devices import amx_state
from tests.support import kernel_c
from tests.support.kernel_llvm import assembly, check_kernel, needs_cc
from tests.support.tiles import TARGET, needs_tiles

ROW, COLUMN, WORD, K, J = Var("row"), Var("col"), Var("word"), Var("k"), Var("j")
TASKS = 3


def product(
    rows: int, columns: int, words: int, steps: int = 2, lines: int = 3, turned: bool = False
) -> Kernel:
    """y[t, r, c] = Σ over `lines` lines of codes, and `steps` of `words` words in each, that begin `t` lines further down.
    `turned`: words of codes do not lie one behind the other.
    """
    line = rows * 5 + steps * words * 4
    x, y = buffer("x", DType.UINT8, (TASKS + lines, line)), buffer("y", DType.INT32, (TASKS, rows, columns))
    w = buffer("w", DType.INT32, (lines, steps, words, columns))
    sums, task = buffer("sums", DType.INT32, (rows, columns)), Var("t")
    at: Expr = ROW * 5 + (J * words + (words - 1 - WORD if turned else WORD)) * 4
    filled = tile_sums(
        sums,
        [(K, lines), (J, steps)],
        words,
        [(word(load(x, task + K, at)), load(w, K, J, WORD, COLUMN))],
        (WORD, ROW, COLUMN),
    )
    r, c = Var("r"), Var("c")
    stored = For(
        r,
        index(rows),
        (For(c, index(columns), (store(y, (task, r, c), load(sums, r, c)),), LoopKind.VECTOR),),
    )
    return Kernel(
        "tiled", (x, w), (y,), (For(task, index(TASKS), (Alloc(sums), filled, stored), LoopKind.PARALLEL),)
    )


def operands(kernel: Kernel) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    x, w = kernel.inputs
    weights = rng.integers(-128, 128, (w.span, 4)).astype(np.int8)
    weights[:8] = 127
    return [rng.integers(0, 256, x.span).astype(np.uint8), weights.reshape(-1).view(np.int32)]


SHAPES = [
    (16, 16, 16),
    (32, 32, 16),
    (64, 16, 3),
    (16, 64, 16),
    (7, 16, 5),
    (1, 16, 1),
    (27, 32, 12),
    (49, 16, 16),
    (9, 48, 2),
]


@needs_cc
@needs_tiles
@pytest.mark.parametrize("shape", SHAPES)
def test_tiles_hold_the_sums_of_serial_loops(shape: tuple[int, int, int]) -> None:
    kernel = product(*shape)
    assert "tdpbusd" in assembly(kernel, "llvm -mcpu=native")
    check_kernel(kernel, *operands(kernel))


@needs_cc
@pytest.mark.parametrize("shape", [(17, 16, 3), (5, 40, 2)])
def test_processors_without_tiles_run_serial_loops(shape: tuple[int, int, int]) -> None:
    kernel = product(*shape)
    target = "llvm -mcpu=native -mattr=-amx-int8"
    assert "tdpbusd" not in assembly(kernel, target)
    check_kernel(kernel, *operands(kernel), target=target)


@needs_cc
def test_c_runs_serial_loops() -> None:
    kernel = product(17, 16, 3)
    kernel_c.agrees_with_interpreter(kernel, *operands(kernel))


def test_code_says_that_it_needs_tiles_and_gives_them_back() -> None:
    text = assembly(product(32, 32, 16), TARGET)
    assert {"amx_tile", "amx_int8"} <= set(cpu_features(text, "x86_64-linux-gnu"))
    assert text.count("ldtilecfg") == text.count("tilerelease") == 1  # once in a function, not in its loops
    assert text.count("tdpbusd") >= 4 and text.count("tilestored") == 4
    inner = text[text.index("tdpbusd") : text.rindex("tdpbusd")]
    assert "tilestored" not in inner and "tilezero" not in inner


def test_every_kernel_with_tiles_asks_for_them_and_no_other_does() -> None:
    assert "syscall" in assembly(product(32, 32, 16), TARGET)
    assert "syscall" not in assembly(product(32, 32, 16), TARGET + " -mattr=-amx-int8")


@pytest.mark.parametrize(
    "kernel",
    [product(32, 32, 16, turned=True), product(65, 32, 16), product(32, 40, 16), product(8, 16, 17)],
    ids=["words backwards", "too many rows", "columns left over", "too many words"],
)
def test_sums_of_another_form_or_size_are_serial(kernel: Kernel) -> None:
    assert "tdpbusd" not in assembly(kernel, TARGET)


def test_loops_are_known_by_their_form() -> None:
    loop = next(stmt for stmt in product(32, 16, 4).body[0].body if isinstance(stmt, For))  # type: ignore[union-attr]
    found = sums_in_tiles(loop)
    assert found is not None
    assert (found.rows, found.columns, found.words) == (32, 16, 4)
    assert [(one.row_step, one.word_step) for one in found.products] == [(5, 64)]
    zeros, nest = loop.body
    assert sums_in_tiles(For(loop.var, loop.extent, (nest,), LoopKind.TILES)) is None
    assert sums_in_tiles(For(loop.var, loop.extent, (zeros, nest), LoopKind.SERIAL)) is None
    assert sums_in_tiles(For(loop.var, loop.extent, (nest, zeros), LoopKind.TILES)) is None


def test_the_kind_of_loop_is_kept_as_text() -> None:
    kernel = product(4, 16, 2)
    assert "tiles tiles < 1" in to_text(kernel) and to_text(from_text(to_text(kernel))) == to_text(kernel)


@pytest.mark.parametrize(
    ("target", "has"),
    [
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids", True),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=graniterapids", True),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=icelake-server -mattr=+amx-tile,+amx-int8", True),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=icelake-server -mattr=+amx-tile", False),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids -mattr=-amx-tile", False),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids -mattr=-amx-int8", False),
        ("llvm -mtriple=x86_64-apple-darwin -mcpu=sapphirerapids", False),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=znver5", False),
    ],
)
def test_tiles_are_where_processor_and_system_have_them(target: str, has: bool) -> None:
    assert machine(Target.parse(target)).amx_int8 is has


# ─── permission ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_system_that_refuses_is_an_error_before_code_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amx_state, "_ask", lambda: (-1, 28))
    with pytest.raises(
        LoadError, match=r"does not let this process use them .*; build it without them"
    ) as caught:
        amx_state.require_tiles("model 'm'")
    assert caught.value.facts["missing"] == ("amx_tile",)


def model(rows: int = 32) -> object:
    weights = np.random.default_rng(0).integers(-128, 128, (64, 32)).astype(np.int8)
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["x", "w"], ["y"])],
        "product",
        [helper.make_tensor_value_info("x", TensorProto.UINT8, [rows, 64])],
        [helper.make_tensor_value_info("y", TensorProto.INT32, [rows, 32])],
        [numpy_helper.from_array(weights, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tiles") / "m.so"
    built = ingot.build(model(), "llvm -mcpu=native", name="m", executor=("aot", "graph"))
    built.export_library(path)
    return str(path)


# Linux gives tiles to no process with a signal stack on which their state finds no room.
SMALL_STACK = """
    import ctypes, sys
    class Stack(ctypes.Structure):
        _fields_ = [("at", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]
    memory = ctypes.create_string_buffer(8192)
    assert ctypes.CDLL(None).sigaltstack(ctypes.byref(Stack(ctypes.addressof(memory), 0, 8192)), None) == 0
"""


def child(code: str, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "faulthandler=0", "-c", textwrap.dedent(code), *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@needs_cc
@needs_tiles
def test_a_process_that_may_not_use_tiles_gets_an_error_and_no_signal(library: str) -> None:
    done = child(
        SMALL_STACK
        + """
    import ingot
    try:
        ingot.load(sys.argv[1])
    except ingot.LoadError as error:
        print(error)
    """,
        library,
    )
    assert done.returncode == 0, done.stderr
    assert "the system does not let this process use them" in done.stdout


@needs_cc
@needs_tiles
def test_entries_of_c_say_that_they_may_not_use_tiles(library: str) -> None:
    done = child(
        SMALL_STACK
        + """
    library = ctypes.CDLL(sys.argv[1])
    x, y, workspace = (ctypes.create_string_buffer(1 << 16) for _ in range(3))
    at = lambda memory: (ctypes.addressof(memory) + 63) // 64 * 64
    inputs, outputs = (ctypes.c_void_p * 1)(at(x)), (ctypes.c_void_p * 1)(at(y))
    print(library.m_run(inputs, outputs, ctypes.c_void_p(at(workspace))))
    # What is below the interface asks by itself.
    bases = (ctypes.c_void_p * 5)(at(workspace), at(workspace), None, at(x), at(y))
    print(library.ingot_m_run(bases))
    """,
        library,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["-7", str(REFUSED)]


@needs_cc
@needs_tiles
def test_entries_of_c_ask_for_tiles_themselves(library: str) -> None:
    done = child(
        """
    import ctypes, sys
    library = ctypes.CDLL(sys.argv[1])
    x, y, workspace = (ctypes.create_string_buffer(1 << 16) for _ in range(3))
    at = lambda memory: (ctypes.addressof(memory) + 63) // 64 * 64
    inputs, outputs = (ctypes.c_void_p * 1)(at(x)), (ctypes.c_void_p * 1)(at(y))
    print(library.m_run(inputs, outputs, ctypes.c_void_p(at(workspace))))
    """,
        library,
    )
    assert done.stdout.split() == ["0"], (done.returncode, done.stderr)


@needs_cc
@needs_tiles
def test_threads_forks_and_code_in_memory_have_tiles_too(library: str) -> None:
    done = child(
        """
    import os, sys, threading
    import numpy as np
    import ingot
    x = np.random.default_rng(2).integers(0, 256, (32, 64)).astype(np.uint8)
    loaded = ingot.load(sys.argv[1])["m"]
    want = loaded(ingot.cpu(0)).predict(x=x)
    results = []
    def one(threads, kind):
        results.append(np.array_equal(loaded(ingot.cpu(0), threads=threads, executor=kind).predict(x=x), want))
    workers = [threading.Thread(target=one, args=(threads, kind)) for threads in (1, 2) for kind in ("aot", "graph")]
    for worker in workers: worker.start()
    for worker in workers: worker.join()
    print(results, flush=True)
    forked = os.fork()
    if forked == 0:
        one(1, "aot")
        os._exit(0 if results[-1] else 1)
    print(os.waitpid(forked, 0)[1])
    """,
        library,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["[True, True, True, True]", "0"]


@needs_cc
@needs_tiles
def test_a_library_states_its_tiles_and_is_built_the_same_again(library: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    loaded = ingot.load(library)
    assert {"amx_tile", "amx_int8"} <= set(loaded["m"].info.cpu_features)
    ingot.build(model(), "llvm -mcpu=native", name="m", executor=("aot", "graph")).export_library(
        tmp_path / "m.so"
    )
    assert Path(library).read_bytes() == (tmp_path / "m.so").read_bytes()


@needs_tiles
def test_code_made_in_memory_has_tiles() -> None:
    x = np.random.default_rng(3).integers(0, 256, (32, 64)).astype(np.uint8)
    results = [
        np.asarray(ingot.build(model(), target, name="m").load()["m"](ingot.cpu(0)).predict(x=x))
        for target in ("llvmjit -mcpu=native", "llvmjit -mcpu=native -mattr=-amx-int8")
    ]
    np.testing.assert_array_equal(*results)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="builds for this kind of machine: x86-64")
def test_a_processor_without_tiles_refuses_the_library(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:  # type: ignore[no-untyped-def]
    ingot.build(model(), "llvm -mcpu=sapphirerapids", name="m").export_library(tmp_path / "m.so")
    monkeypatch.setattr(loading, "cpu_features", lambda: frozenset({"avx512f", "avx512_vnni"}))
    with pytest.raises(LoadError, match="amx_int8, amx_tile"):
        ingot.load(tmp_path / "m.so")
