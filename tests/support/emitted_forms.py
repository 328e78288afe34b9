"""Every form of LLVM code that is not the same for all processors, as small functions: what `test_llvm_every_processor` compiles.

Run as a process it compiles them for the processors that it reads, a triple and a CPU a line,
and says `begin` and `done` for each.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import llvmlite.binding as llvm

from ingot.base.target import Target
from ingot.base.tensor import DType
from ingot.codegen.llvm.build.objects import target_machine
from ingot.codegen.llvm.build.targets import chip, family, processor, resolve
from ingot.codegen.llvm.emit.builder import Function, Value, register_type
from ingot.codegen.llvm.emit.dot import dot2, dot4, dot4_of_halves, has_short_sums, load_word
from ingot.codegen.llvm.emit.kernel import emit_kernel
from ingot.codegen.llvm.emit.memory import Place, load, store
from ingot.codegen.llvm.emit.operations import Operations
from ingot.codegen.llvm.emit.shuffles import broadcast4, interleaved, pack_bytes, transposed
from ingot.codegen.llvm.emit.values import SHORT_FLOATS, Chip
from ingot.codegen.llvm.emit.x86 import TABLE_BYTES, looked_up, looked_up_floats, scaled
from ingot.codegen.llvm.forms.broadcast4 import TOGETHER
from ingot.codegen.llvm.math.remainder import has_remainder, remainder
from ingot.loops.analyse.amx_sums import tile_sums
from ingot.loops.nodes import Alloc, For, Kernel, LoopKind, Var, buffer, call, index, word
from ingot.loops.nodes import load as element
from ingot.loops.nodes import store as stored

_INTEGERS = [DType.INT8, DType.INT16, DType.INT32, DType.INT64]  # in LLVM they have no sign
_BYTES = buffer("table", DType.UINT8, (TABLE_BYTES,))


class _Written:
    """One function under construction, and what it computes with: values that are read from memory."""

    def __init__(self, traits: Chip) -> None:
        self.chip, self.declarations = traits, dict[str, str]()
        self.functions: list[str] = []

    def function(self, body: Callable[[Operations], list[Value] | None]) -> None:
        fn = Function(f"void @form{len(self.functions)}(ptr %p, ptr %q) nounwind", self.declarations)
        for value in body(Operations(fn, self.chip)) or []:
            kept = (
                fn.emit(f"zext {value.typed} to {register_type(DType.INT8, value.lanes)}")
                if value.dtype is DType.BOOL
                else ""
            )
            text = f"{register_type(DType.INT8, value.lanes)} {kept}" if kept else value.typed
            fn.do(f"store volatile {text}, ptr %q, align 1")
        fn.do("ret void")
        self.functions.append(fn.text())

    def text(self) -> str:
        return "\n".join([*self.declarations.values(), *self.functions]) + "\n"


def _read(ops: Operations, dtype: DType, lanes: int) -> Value:
    if dtype is DType.BOOL:
        kind = register_type(DType.INT8, lanes)
        bits = ops.fn.emit(f"load volatile {kind}, ptr %p, align 1")
        return Value(ops.fn.emit(f"trunc {kind} {bits} to {register_type(dtype, lanes)}"), dtype, lanes)
    return Value(ops.fn.emit(f"load volatile {register_type(dtype, lanes)}, ptr %p, align 1"), dtype, lanes)


def _lanes(traits: Chip, dtype: DType) -> list[int]:
    """Vectors that fill no register, one, and two; with lanes that are a power of two, and not."""
    size = 4 if dtype in SHORT_FLOATS else dtype.size_bytes
    whole = traits.machine.vector_bytes // size
    return sorted({count for count in (3, 4, whole, 2 * whole) if 1 < count <= 2 * whole})


def special_text(traits: Chip, kind: str) -> str:
    """An LLVM module with the forms that some processors do not have: inline assembly and their own instructions; and with plain
    arithmetic, since LLVM has tables for each processor, which may lack something.
    """
    made = _Written(traits)
    made.function(lambda ops: list(_computed(ops)))
    if kind not in ("x86", "aarch64"):
        return made.text()
    kinds = (
        [*_INTEGERS, DType.FLOAT32, DType.FLOAT64] if kind == "x86" or traits.machine.fma_by_element else []
    )
    made.function(
        lambda ops: [
            ops.hidden(_read(ops, dtype, lanes)) for dtype in kinds for lanes in _lanes(traits, dtype)
        ]
    )
    masks = [(dtype, lanes) for dtype in _INTEGERS for lanes in _lanes(traits, dtype)]
    made.function(lambda ops: [ops.cast(_read(ops, DType.BOOL, lanes), dtype) for dtype, lanes in masks])
    if kinds:
        made.function(
            lambda ops: [
                one for dtype in (DType.FLOAT32, DType.INT16, DType.INT32) for one in _spread(ops, dtype)
            ]
        )
    made.function(lambda ops: list(_dots(ops)))
    made.function(lambda ops: list(_on_x86(ops)))
    return made.text()


def plain_text(traits: Chip, kind: str) -> str:
    """An LLVM module with the forms that LLVM makes of other instructions where a processor has none of its own for them."""
    made = _Written(traits)
    if kind in ("x86", "aarch64"):  # others have no such shuffles: LLVM takes seconds to write them out
        made.function(lambda ops: list(_moved(ops)))
    made.function(lambda ops: list(_converted(ops)))
    made.function(_through_memory)
    return made.text()


def _spread(ops: Operations, dtype: DType) -> Iterator[Value]:
    lanes = TOGETHER
    while lanes * 4 <= ops.chip.machine.vector_bytes:
        yield from broadcast4(ops, _read(ops, dtype, TOGETHER), lanes)
        lanes *= 2


def _dots(ops: Operations) -> Iterator[Value]:
    for lanes in sorted({0, 2, 8, *_lanes(ops.chip, DType.INT32)}):
        if ops.rounds_to(DType.FLOAT32, DType.INT32):
            yield ops.rounded(_read(ops, DType.FLOAT32, lanes))
        a, b, total = (_read(ops, DType.INT32, lanes) for _ in range(3))
        yield from (dot4(ops, a, b, total), dot4(ops, a, b, total, signed=True), dot2(ops, a, b, total))
        if lanes and has_short_sums(ops, lanes):
            low, high = (_read(ops, DType.INT16, lanes) for _ in range(2))
            yield dot4_of_halves(ops, a, low, high, total)
            yield dot4_of_halves(
                ops, broadcast4(ops, _read(ops, DType.INT32, TOGETHER), lanes)[1], low, high, total
            )


def _moved(ops: Operations) -> Iterator[Value]:
    for dtype in (DType.UINT8, DType.FLOAT32):
        for count in (4, 8) if ops.chip.machine.vector_bytes > 16 else (4,):
            yield from transposed(ops, [_read(ops, dtype, count) for _ in range(count)])
            yield from (
                interleaved(ops, [_read(ops, dtype, count) for _ in range(parts)]) for parts in (3, 4)
            )
    for lanes in _lanes(ops.chip, DType.INT32):
        yield pack_bytes(ops, [_read(ops, DType.UINT8, lanes) for _ in range(4)], DType.INT32)


def _converted(ops: Operations) -> Iterator[Value]:
    kinds = [DType.BOOL, DType.UINT8, *_INTEGERS, *SHORT_FLOATS, DType.FLOAT32, DType.FLOAT64]
    for source, dtype in itertools.product(kinds, kinds):
        value = ops.cast(_read(ops, source, ops.chip.machine.vector_bytes // 4), dtype)
        yield ops.pack(value) if dtype in SHORT_FLOATS else value


def _computed(ops: Operations) -> Iterator[Value]:
    for dtype in (DType.FLOAT32, DType.FLOAT64):
        for lanes in (0, ops.chip.machine.vector_bytes // dtype.size_bytes):
            x, y, z = (_read(ops, dtype, lanes) for _ in range(3))
            yield from (ops.fma(x, y, z), ops.binary("min", x, y), ops.binary("div", x, y))
            if has_remainder(ops, x, y):
                yield remainder(ops, x, y)


def _on_x86(ops: Operations) -> Iterator[Value]:
    for lanes in (0, *_lanes(ops.chip, DType.FLOAT32)):
        x, n = _read(ops, DType.FLOAT32, lanes), _read(ops, DType.INT32, lanes)
        if ops.chip.has_scalef:
            yield scaled(ops, x, _read(ops, DType.FLOAT32, lanes))
        if ops.chip.looks_floats_up:
            yield looked_up_floats(ops, [float(number) for number in range(16)], n)
    for lanes in _lanes(ops.chip, DType.UINT8) if ops.chip.lookup_bytes else ():
        yield looked_up(ops, Place("%p", _BYTES), _read(ops, DType.INT32, lanes))


def _through_memory(ops: Operations) -> None:
    """Strided, under a mask, from addresses of each lane, as words."""
    for dtype in (DType.UINT8, DType.FLOAT16, DType.FLOAT32, DType.INT64):
        place = Place("%p", buffer("x", dtype, (512,)))
        lanes = ops.chip.machine.vector_bytes // 4
        wide = Value(ops.fn.emit("load volatile i64, ptr %q"), DType.INT64, low=0, high=3)
        where, mask = _read(ops, DType.INT64, lanes), _read(ops, DType.BOOL, lanes)
        for offset in (wide.stepping(lanes, 1), wide.stepping(lanes, 2), wide.stepping(lanes, -1), where):
            for some in (None, mask):
                store(ops, place, offset, load(ops, place, offset, some), lanes, some)
        if dtype.size_bytes <= 2:
            found = load_word(ops, place, wide.stepping(lanes, 4 // dtype.size_bytes), None)
            ops.fn.do(f"store volatile {found.typed}, ptr %q")


def _functions() -> Kernel:
    """The functions that are written out in arithmetic."""
    x, lane, size = buffer("x", DType.FLOAT32, (16,)), Var("lane"), 16
    names = ("exp", "erf", "tanh", "log", "sin", "floor")
    outputs = {name: buffer(f"y_{name}", DType.FLOAT32, (16,)) for name in names}
    body = tuple(stored(kept, (lane,), call(name, element(x, lane))) for name, kept in outputs.items())
    return Kernel(
        "functions", (x,), tuple(outputs.values()), (For(lane, index(size), body, LoopKind.VECTOR),)
    )


def _tiled(is_float: bool) -> Kernel:
    """A product in tiles of codes or of bfloat16."""
    sums_of, factors_of = (DType.FLOAT32, DType.INT32) if is_float else (DType.INT32, DType.UINT8)
    x, w = buffer("x", factors_of, (32, 16 if is_float else 64)), buffer("w", DType.INT32, (16, 32))
    y, sums = buffer("y", sums_of, (32, 32)), buffer("sums", sums_of, (32, 32))
    row, column, at, task, r, c = (Var(name) for name in ("row", "col", "word", "t", "r", "c"))
    left = element(x, row, at) if is_float else word(element(x, row, at * 4))
    filled = tile_sums(sums, [(Var("k"), 2)], 16, [(left, element(w, at, column))], (at, row, column))
    kept = For(r, index(32), (For(c, index(32), (stored(y, (r, c), element(sums, r, c)),), LoopKind.VECTOR),))
    return Kernel(
        "tiled", (x, w), (y,), (For(task, index(1), (Alloc(sums), filled, kept), LoopKind.PARALLEL),)
    )


def texts(triple: str, cpu: str, known: set[tuple[str, Chip]]) -> list[str]:
    """The modules that a processor is tried on; those that depend on nothing but its traits only if these are not `known` yet."""
    traits, kind = chip(resolve(Target("llvm", cpu, (), triple))), family(triple)[1]
    kernels = [
        _tiled(is_float) for is_float in [False] * traits.machine.amx_int8 + [True] * traits.has_amx_bf16
    ]
    made = [special_text(traits, kind)]
    # How much a cache holds decides kernels, and none of these forms.
    alike = kind, replace(traits, machine=replace(traits.machine, l2_bytes=0))
    if alike not in known:
        known.add(alike)
        kernels.append(_functions())
        made.append(plain_text(traits, kind))
    return made + [emit_kernel(kernel, kernel.name, traits) for kernel in kernels]


def compile_forms(triple: str, cpu: str, known: set[tuple[str, Chip]]) -> None:
    """Makes assembly of all forms for one processor; LLVM ends the process over what it cannot make."""
    machine = target_machine(processor(resolve(Target("llvm", cpu, (), triple))))
    for text in texts(triple, cpu, known):
        module = llvm.parse_assembly(
            f'target datalayout = "{machine.target_data}"\ntarget triple = "{machine.triple}"\n{text}'
        )
        machine.emit_object(module)


if __name__ == "__main__":
    tried: set[tuple[str, Chip]] = set()
    for line in sys.stdin:
        words = line.split()
        print("begin", *words, flush=True)
        compile_forms(*words, tried)
        print("done", *words, flush=True)
