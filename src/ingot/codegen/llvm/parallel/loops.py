"""Loops that are shared out: what the thread pool calls, and how it is asked (`native/pool.h`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.codegen.llvm.emit.builder import Function
from ingot.codegen.llvm.parallel.pool import POOL_FOR, POOL_THREADS
from ingot.loops.nodes import Const, For

MakeFunction = Callable[[str], Function]


def share_out(
    fn: Function,
    declarations: dict[str, str],
    body: str,
    pointers: Sequence[str],
    numbers: Sequence[str],
    count: str,
    grain: str,
) -> None:
    """Hands a loop to the pool: what `body` unpacks, and how many iterations or tasks there are."""
    # Slots are as wide as pointers, on some processors half as wide as numbers.
    arguments = [*pointers, *(f"ptr {fn.emit(f'inttoptr i64 {value} to ptr')}" for value in numbers)]
    slots = fn.alloca("ptr", len(arguments), 8)
    for position, argument in enumerate(arguments):
        fn.do(f"store {argument}, ptr {fn.emit(f'getelementptr inbounds ptr, ptr {slots}, i64 {position}')}")
    declarations[POOL_FOR] = f"declare hidden void @{POOL_FOR}(ptr, ptr, ptr, i64, i64)"
    fn.do(f"call void @{POOL_FOR}(ptr %pool, ptr @{body}, ptr {slots}, i64 {count}, i64 {grain})")


def tasks(
    fn: Function, declarations: dict[str, str], loop: For, grain: int, is_paired: bool, maximum: int
) -> tuple[str, str]:
    """How many tasks a loop that goes by ranges has, and their grain: one for each thread, or up to `maximum` where
    each is long enough.
    """
    assert isinstance(loop.extent, Const)
    extent = int(loop.extent.value)
    threads = "2"  # of a pair
    if not is_paired:
        declarations[POOL_THREADS] = f"declare hidden i32 @{POOL_THREADS}(ptr)"
        threads = fn.emit(f"sext i32 {fn.emit(f'call i32 @{POOL_THREADS}(ptr %pool)')} to i64")
    each = fn.emit(f"sdiv i64 {extent // loop.run_min}, {threads}")
    each = fn.call("llvm.smax.i64", "i64", ("i64", each), ("i64", "1"))
    each = fn.call("llvm.smin.i64", "i64", ("i64", each), ("i64", str(maximum)))
    wanted = fn.emit(f"mul i64 {each}, {threads}")
    work = max(extent // grain if grain > 0 else extent * -grain, 1)  # half microseconds
    count = fn.call("llvm.smin.i64", "i64", ("i64", wanted), ("i64", str(min(extent, work))))
    return count, fn.emit(f"sdiv i64 {-work}, {count}")


def body(function: MakeFunction, ranges: str, pointers: int, numbers: int, extent: int = 0) -> str:
    """The name of what the pool calls, an `ingot_body`: it unpacks the arguments of a function for a range of iterations.
    With an `extent`, so many iterations are cut into tasks, whose number is behind the others.
    """
    name = f"{ranges}_body"
    fn = function(f"internal void @{name}(ptr %args, i64 %begin, i64 %end) nounwind")
    given = [f"ptr {_slot(fn, position)}" for position in range(pointers)]
    given += [f"i64 {_number(fn, pointers + position)}" for position in range(numbers)]
    count = _number(fn, pointers + numbers) if extent else ""
    for place in ("%begin", "%end"):
        if extent:
            scaled = fn.emit(f"mul nsw i64 {place}, {extent}")
            given.append(f"i64 {fn.emit(f'sdiv i64 {scaled}, {count}')}")
        else:
            given.append(f"i64 {place}")
    fn.do(f"call void @{ranges}({', '.join(given)})")
    fn.do("ret void")
    return name


def _slot(fn: Function, position: int) -> str:
    return fn.emit(f"load ptr, ptr {fn.emit(f'getelementptr inbounds ptr, ptr %args, i64 {position}')}")


def _number(fn: Function, position: int) -> str:
    return fn.emit(f"ptrtoint ptr {_slot(fn, position)} to i64")
