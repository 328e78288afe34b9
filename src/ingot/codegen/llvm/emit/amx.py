"""Sums of products of matrices in the tile registers of AMX (`forms/amx_sums`). Sums stay where they are for the whole reduction.

What tiles look like is told the processor when a function begins (`ldtilecfg` takes as long as ten products), and taken back when
it ends: threads whose tiles are in use are dear to switch.

Linux gives the state of tiles only to a process that asks for it. A kernel asks when it is called first, and gives a status where
it is refused: its first tile instruction would end the process.

*Source:* Intel's Software Developer's Manual, volume 1, chapter 18; Linux's `Documentation/arch/x86/xstate.rst`.
"""

from __future__ import annotations

from collections.abc import Hashable

from ingot.codegen.llvm.emit.builder import Function
from ingot.codegen.llvm.forms.amx_sums import ROWS, Shape, starts
from ingot.loops.analyse.amx_sums import WORD, TileProduct, TileSums, place_of

ROW_BYTES = 64
_LEFT, _RIGHT = 4, 6  # the first registers of each operand
REFUSED = 95  # the status of a kernel that may not use tiles: ENOTSUP
_ASKED = "@ingot_tiles_given"
# arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA)
_SYSTEM_CALL, _REQUEST, _TILE_DATA = 158, 0x1023, 18


def configure(fn: Function, declarations: dict[str, str], shape: Shape) -> None:
    """Says how tiles are cut, which empties all of them."""
    rows = [shape.rows] * _RIGHT + [shape.words] * 2
    widths = [ROW_BYTES] * _LEFT + [shape.words * WORD] * 2 + [ROW_BYTES] * 2
    data = bytearray(64)
    data[0] = 1  # the only palette
    for register, (height, width) in enumerate(zip(rows, widths, strict=True)):
        data[16 + 2 * register] = width
        data[48 + register] = height
    name = f"@ingot_tiles_{shape.rows}_{shape.words}"
    text = "".join(f"\\{byte:02X}" for byte in data)
    declarations[name] = f'{name} = private unnamed_addr constant [64 x i8] c"{text}", align 64'
    fn.call("llvm.x86.ldtilecfg", "void", ("ptr", name))


def release(fn: Function) -> None:
    """Empties the tiles."""
    fn.call("llvm.x86.tilerelease", "void")


def ask(fn: Function, declarations: dict[str, str]) -> None:
    """Returns from a kernel with REFUSED unless the system lets this process use tiles. It is asked once."""
    declarations[_ASKED] = f"{_ASKED} = internal global i32 0, align 4"
    wanted, given, refused, go = (fn.label() for _ in range(4))
    known = fn.emit(f"load atomic i32, ptr {_ASKED} monotonic, align 4")
    fn.branch(fn.emit(f"icmp ne i32 {known}, 0"), go, wanted)
    fn.begin(wanted)
    declarations["syscall"] = "declare i64 @syscall(i64, ...) nounwind"
    answer = fn.emit(f"call i64 (i64, ...) @syscall(i64 {_SYSTEM_CALL}, i64 {_REQUEST}, i64 {_TILE_DATA})")
    fn.branch(fn.emit(f"icmp eq i64 {answer}, 0"), given, refused)
    fn.begin(refused)
    fn.do(f"ret i32 {REFUSED}")
    fn.begin(given)
    fn.do(f"store atomic i32 1, ptr {_ASKED} monotonic, align 4")
    fn.jump(go)
    fn.begin(go)


def empty(fn: Function, sums: TileSums) -> None:
    """Sets all sums to zero."""
    for register in range(len(starts(sums.rows)) * (sums.columns // ROWS)):
        fn.call("llvm.x86.tilezero", "void", ("i8", str(register)))


class Held:
    """What the registers of both operands hold, so that it need not be loaded twice."""

    def __init__(self) -> None:
        self._places: dict[int, Hashable] = {}

    def has(self, register: int, place: Hashable) -> bool:
        """Whether a register holds what lies there; from now on it does."""
        is_held = self._places.get(register) == place
        self._places[register] = place
        return is_held


def multiply(fn: Function, sums: TileSums, product: TileProduct, left: str, right: str, held: Held) -> None:
    """Adds a product of operands at these addresses."""
    across = sums.columns // ROWS
    blocks = starts(sums.rows)
    instruction = "llvm.x86.tdpbf16ps" if sums.is_float else "llvm.x86.tdpbusd"
    # The same expression lies elsewhere where another of its variables goes from row to row.
    places = [(place_of(operand), product.variables) for operand in (product.left, product.right)]

    def load(register: int, address: str, offset: int, stride: int, place: Hashable) -> int:
        if not held.has(register, (place, offset)):
            at = fn.emit(f"getelementptr i8, ptr {address}, i64 {offset}") if offset else address
            fn.call("llvm.x86.tileloadd64", "void", ("i8", str(register)), ("ptr", at), ("i64", str(stride)))
        return register

    def load_left(block: int) -> int:
        return load(_LEFT + block % 2, left, blocks[block] * product.row_step, product.row_step, places[0])

    def load_right(column: int) -> int:
        return load(_RIGHT + column % 2, right, column * ROW_BYTES, product.word_step, places[1])

    def add(block: int, column: int, left: int, right: int) -> None:
        registers = (block * across + column, left, right)
        fn.call(instruction, "void", *(("i8", str(register)) for register in registers))

    if across <= 2:
        columns = [load_right(column) for column in range(across)]
        for block in range(len(blocks)):
            rows = load_left(block)
            for column, register in enumerate(columns):
                add(block, column, rows, register)
    else:
        rows = load_left(0)
        for column in range(across):
            add(0, column, rows, load_right(column))


def keep(fn: Function, sums: TileSums, address: str) -> None:
    """Stores all sums at the address of their buffer."""
    across, stride = sums.columns // ROWS, sums.columns * WORD
    for block, first in enumerate(starts(sums.rows)):
        for column in range(across):
            offset = first * stride + column * ROW_BYTES
            at = fn.emit(f"getelementptr i8, ptr {address}, i64 {offset}") if offset else address
            args = (("i8", str(block * across + column)), ("ptr", at), ("i64", str(stride)))
            fn.call("llvm.x86.tilestored64", "void", *args)
