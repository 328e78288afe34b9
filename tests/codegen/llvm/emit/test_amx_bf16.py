"""Products of bfloat16 in tile registers: the same sums as serial loops make, and no operand is loaded twice or kept too long."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ingot.base.target import Target
from ingot.base.tensor import DType
from ingot.codegen.llvm.build.features import cpu_features
from ingot.codegen.llvm.build.targets import chip, machine, resolve
from ingot.codegen.llvm.emit.kernel import emit_kernel
from ingot.loops.analyse.amx_sums import tile_sums
from ingot.loops.build.nest import loop
from ingot.loops.nodes import Alloc, Expr, For, Kernel, LoopKind, Stmt, Var, buffer, index, load, store
from ingot.loops.verify import verify
from tests.support import kernel_c
from tests.support.kernel_llvm import assembly, check_kernel, needs_cc
from tests.support.tiles import TARGET, needs_float_tiles

ROW, COLUMN, WORD, K, T = Var("row"), Var("col"), Var("word"), Var("k"), Var("t")
TASKS, STEPS = 3, 2
ALL = ((0, 0), (1, 0), (1, 1), (0, 1))


def written(y: Expr, rows: int, columns: int) -> For:
    """Stores the sums. `y`: the number of the result."""
    r, c = Var("r"), Var("c")
    sums, results = (
        buffer("sums", DType.FLOAT32, (rows, columns)),
        buffer("y", DType.FLOAT32, (TASKS, rows, columns)),
    )
    return For(
        r,
        index(rows),
        (For(c, index(columns), (store(results, (y, r, c), load(sums, r, c)),), LoopKind.VECTOR),),
    )


def product(
    rows: int, columns: int, words: int, products: Sequence[tuple[int, int]] = ALL, turned: bool = False
) -> Kernel:
    """y[t, r, c] = Σ over STEPS and pairs of numbers of operands, of `words` words of two halves. `turned`: words of a row do not
    lie one behind the other.
    """
    x = buffer("x", DType.INT32, (TASKS, STEPS, 2, rows, words))
    w = buffer("w", DType.INT32, (STEPS, 2, words, columns))
    sums = buffer("sums", DType.FLOAT32, (rows, columns))
    at = words - 1 - WORD if turned else WORD
    factors = [(load(x, T, K, one, ROW, at), load(w, K, other, WORD, COLUMN)) for one, other in products]
    filled = tile_sums(sums, [(K, STEPS)], words, factors, (WORD, ROW, COLUMN))
    y = buffer("y", DType.FLOAT32, (TASKS, rows, columns))
    stmts = (Alloc(sums), filled, written(T, rows, columns))
    return Kernel("tiled", (x, w), (y,), (For(T, index(TASKS), stmts, LoopKind.PARALLEL),))


def halves(size: int, seed: int, exact: bool = True) -> np.ndarray:
    """Words of two bfloat16 each. `exact`: sums of their products are exact."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(-64, 64, 2 * size) / 8 if exact else rng.standard_normal(2 * size)
    return (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.int32)


def operands(kernel: Kernel, exact: bool = True) -> list[np.ndarray]:
    return [halves(one.span, seed, exact) for seed, one in enumerate(kernel.inputs)]


def loads_of_tiles(kernel: Kernel) -> int:
    """How many loads of a tile the code of a kernel has."""
    return emit_kernel(kernel, "kernel", chip(resolve(Target.parse(TARGET)))).count(
        "call void @llvm.x86.tileloadd64("
    )


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
NATIVE = "llvm -mcpu=native"


@needs_cc
@needs_float_tiles
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("products", [ALL[:1], ALL, ((0, 0), (0, 0))], ids=["one", "four", "the same twice"])
def test_tiles_hold_the_sums_of_serial_loops(
    shape: tuple[int, int, int], products: Sequence[tuple[int, int]]
) -> None:
    kernel = product(*shape, products)
    verify(kernel)
    assert "tdpbf16ps" in assembly(kernel, NATIVE)
    check_kernel(kernel, *operands(kernel))


@needs_cc
@needs_float_tiles
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_are_rounded_in_another_order_at_most(shape: tuple[int, int, int]) -> None:
    kernel = product(*shape)
    given = operands(kernel, exact=False)
    (y,) = check_kernel(kernel, *given, exact=False, ulp=2**31)
    rows, columns, words = shape
    x, w = (
        (one.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64) for one in given
    )
    x, w = x.reshape(TASKS, STEPS, 2, rows, words, 2), w.reshape(STEPS, 2, words, columns, 2)
    want, size = (np.einsum("tkprwh,kqwch->trc", *pair) for pair in ((x, w), (abs(x), abs(w))))
    assert (np.abs(y.reshape(want.shape) - want) <= size * 2.0**-24 * (2 + 2 * np.log2(16 * words))).all()


@needs_cc
@pytest.mark.parametrize("target", [NATIVE + " -mattr=-amx-bf16", "llvm -mcpu=x86-64-v3"])
@pytest.mark.parametrize("shape", [(17, 16, 3), (5, 40, 2)])
def test_processors_without_tiles_run_serial_loops(shape: tuple[int, int, int], target: str) -> None:
    kernel = product(*shape)
    assert "tdpbf16ps" not in assembly(kernel, target)
    check_kernel(kernel, *operands(kernel), target=target)


@needs_cc
def test_c_runs_serial_loops() -> None:
    kernel = product(17, 16, 3)
    kernel_c.agrees_with_interpreter(kernel, *operands(kernel))


# ─── what registers hold ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("rows", "columns", "products", "loads"),
    [
        (32, 32, ((0, 0),), 4),
        (32, 32, ((0, 0), (0, 0)), 4),
        (32, 32, ((0, 0), (1, 0)), 6),
        (32, 32, ((0, 0), (0, 1)), 6),
        (32, 32, ((0, 0), (1, 1)), 8),
        (32, 32, ((0, 0), (1, 1), (0, 0)), 12),
        (32, 32, ALL, 10),
        (16, 16, ALL, 5),
        (64, 16, ((0, 0), (0, 0)), 9),  # four tiles of rows go through two registers
        (48, 16, ((0, 0), (0, 1)), 7),  # the second tile of rows is still there
        (16, 64, ((0, 0), (1, 0)), 10),
    ],
)
def test_registers_are_loaded_with_what_they_do_not_hold(
    rows: int, columns: int, products: Sequence[tuple[int, int]], loads: int
) -> None:
    assert loads_of_tiles(product(rows, columns, 16, products)) == loads


def test_operands_at_other_places_are_loaded() -> None:
    """Two products of parts of the same buffers, one step apart: neither holds for the other."""
    x, w = buffer("x", DType.INT32, (3, 16, 16)), buffer("w", DType.INT32, (3, 16, 16))
    sums, y = buffer("sums", DType.FLOAT32, (16, 16)), buffer("y", DType.FLOAT32, (TASKS, 16, 16))
    factors = [(load(x, K + step, ROW, WORD), load(w, K + step, WORD, COLUMN)) for step in (0, 1)]
    filled = tile_sums(sums, [(K, 2)], 16, factors, (WORD, ROW, COLUMN))
    stmts = (Alloc(sums), filled, *(written(index(task), 16, 16) for task in range(TASKS)))
    kernel = Kernel("tiled", (x, w), (y,), stmts)
    verify(kernel)
    assert loads_of_tiles(kernel) == 4


def changing() -> Kernel:
    """Sums of the same places in three loops one after the other; what lies there is other words each time."""
    x, w = buffer("x", DType.INT32, (TASKS, STEPS, 16, 16)), buffer("w", DType.INT32, (16, 16))
    held, sums = buffer("held", DType.INT32, (16, 16)), buffer("sums", DType.FLOAT32, (16, 16))
    y = buffer("y", DType.FLOAT32, (TASKS, 16, 16))

    def copied(task: int) -> tuple[Stmt, ...]:
        return loop(
            "i", 16, lambda i: loop("j", 16, lambda j: (store(held, (i, j), load(x, task, K, i, j)),))
        )

    factors = [(load(held, ROW, WORD), load(w, WORD, COLUMN))]
    stmts: tuple[Stmt, ...] = (Alloc(sums), Alloc(held))
    for task in range(TASKS):
        stmts += (
            tile_sums(sums, [(K, STEPS)], 16, factors, (WORD, ROW, COLUMN), (copied(task),)),
            written(index(task), 16, 16),
        )
    return Kernel("tiled", (x, w), (y,), (For(T, index(1), stmts),))


def test_what_another_iteration_may_have_changed_is_loaded_again() -> None:
    verify(changing())
    assert loads_of_tiles(changing()) == 2 * TASKS


@needs_cc
@needs_float_tiles
def test_a_processor_with_tiles_loads_it_again_too() -> None:
    assert "tdpbf16ps" in assembly(changing(), NATIVE)
    check_kernel(changing(), *operands(changing()))


def other_variables() -> Kernel:
    """Two products of the same expression, in which another variable goes from row to row."""
    x, w = buffer("x", DType.INT32, (64,)), buffer("w", DType.INT32, (16,))
    sums, y = buffer("sums", DType.FLOAT32, (16, 16)), buffer("y", DType.FLOAT32, (TASKS, 16, 16))
    factors = load(x, ROW * 3 + WORD), load(w, COLUMN)
    first = tile_sums(sums, [(K, 1)], 1, [factors], (WORD, ROW, COLUMN))
    other = tile_sums(sums, [(K, 1)], 1, [factors], (ROW, WORD, COLUMN))
    (zeros, one), (_, two) = first.body, other.body
    assert isinstance(one, For) and isinstance(two, For)
    both = For(first.var, first.extent, (zeros, For(K, index(STEPS), (*one.body, *two.body))), LoopKind.TILES)
    stmts = (Alloc(sums), both, *(written(index(task), 16, 16) for task in range(TASKS)))
    return Kernel("tiled", (x, w), (y,), stmts)


def test_an_expression_of_other_variables_is_another_place() -> None:
    verify(other_variables())
    assert loads_of_tiles(other_variables()) == 4


@needs_cc
@needs_float_tiles
def test_a_processor_with_tiles_finds_it_there() -> None:
    check_kernel(other_variables(), *operands(other_variables()))


# ─── targets ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_code_says_what_it_needs_and_gives_tiles_back() -> None:
    text = assembly(product(32, 32, 16), TARGET)
    features = set(cpu_features(text, "x86_64-linux-gnu"))
    assert {"amx_tile", "amx_bf16"} <= features and "amx_int8" not in features
    assert text.count("ldtilecfg") == text.count("tilerelease") == 1
    assert text.count("tdpbf16ps") >= 16 and text.count("tilestored") == 4 and "syscall" in text
    inner = text[text.index("tdpbf16ps") : text.rindex("tdpbf16ps")]
    assert "tilestored" not in inner and "tilezero" not in inner


@pytest.mark.parametrize(
    "target",
    [
        TARGET + " -mattr=-amx-bf16",
        TARGET + " -mattr=-amx-tile",
        "llvm -mtriple=x86_64-linux-gnu -mcpu=icelake-server -mattr=+amx-tile,+amx-int8",
        "llvm -mtriple=x86_64-linux-gnu -mcpu=znver5",
    ],
)
def test_code_for_processors_without_them_has_none(target: str) -> None:
    text = assembly(product(32, 32, 16), target)
    assert "tdpbf16ps" not in text and "syscall" not in text and "ldtilecfg" not in text


@pytest.mark.parametrize(
    "kernel",
    [
        product(32, 32, 16, turned=True),
        product(65, 32, 16),
        product(32, 48, 16),
        product(32, 40, 16),
        product(8, 16, 17),
    ],
    ids=["words backwards", "too many rows", "too many tiles", "columns left over", "too many words"],
)
def test_sums_of_another_form_or_size_are_serial(kernel: Kernel) -> None:
    assert "tdpbf16ps" not in assembly(kernel, TARGET)


X86 = "llvm -mtriple=x86_64-linux-gnu -mcpu="


@pytest.mark.parametrize(
    ("target", "of_chip", "of_machine"),
    [
        (X86 + "sapphirerapids", True, True),
        (X86 + "graniterapids", True, True),
        (X86 + "sapphirerapids -mattr=-amx-int8", True, True),
        (X86 + "icelake-server -mattr=+amx-tile,+amx-bf16", True, True),
        (
            X86 + "x86-64-v3 -mattr=+amx-tile,+amx-bf16",
            True,
            False,
        ),  # short vectors take too long to split numbers
        (X86 + "icelake-server -mattr=+amx-tile,+amx-int8", False, False),
        (X86 + "sapphirerapids -mattr=-amx-tile", False, False),
        (X86 + "sapphirerapids -mattr=-amx-bf16", False, False),
        ("llvm -mtriple=x86_64-apple-darwin -mcpu=sapphirerapids", False, False),
        (X86 + "znver5", False, False),
    ],
)
def test_tiles_are_where_processor_and_system_have_them(target: str, of_chip: bool, of_machine: bool) -> None:
    definite = resolve(Target.parse(target + (" --float32-tiles=on" if of_machine else " --cores=1")))
    assert (chip(definite).has_amx_bf16, machine(definite).amx_bf16) == (of_chip, of_machine)
    assert ("tdpbf16ps" in assembly(product(16, 16, 4), target)) is of_chip


def test_tiles_of_codes_and_of_halves_are_had_apart() -> None:
    without_codes, without_halves = (
        machine(Target.parse(f"{TARGET} -mattr=-amx-{kind}")) for kind in ("int8", "bf16")
    )
    assert without_codes.amx_bf16 and not without_codes.amx_int8
    assert without_halves.amx_int8 and not without_halves.amx_bf16
