"""Loops that are shared out: what the thread pool calls, and how it is asked (`native/pool.h`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingot.codegen.llvm.emit.builder import Function, Value
from ingot.codegen.llvm.parallel.pool import POOL_FOR, POOL_THREADS
from ingot.loops.nodes import For

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


@dataclass(frozen=True, slots=True)
class Tasks:
    """How a loop that goes by ranges is shared out: the number of tasks and their grain, for the pool, and the iterations that
    they make up, which are some.
    """

    count: str
    grain: str
    extent: str


def tasks(
    fn: Function,
    declarations: dict[str, str],
    loop: For,
    extent: Value,
    grain: int,
    is_paired: bool,
    maximum: int,
) -> Tasks:
    """One task for each thread, or up to `maximum` where each is long enough."""
    threads = "2"  # of a pair
    if not is_paired:
        declarations[POOL_THREADS] = f"declare hidden i32 @{POOL_THREADS}(ptr)"
        threads = fn.emit(f"sext i32 {fn.emit(f'call i32 @{POOL_THREADS}(ptr %pool)')} to i64")
    longest, work, maximum_tasks = _of_all(fn, loop, extent, grain)
    each = fn.emit(f"sdiv i64 {longest}, {threads}")
    each = fn.call("llvm.smax.i64", "i64", ("i64", each), ("i64", "1"))
    each = fn.call("llvm.smin.i64", "i64", ("i64", each), ("i64", str(maximum)))
    wanted = fn.emit(f"mul i64 {each}, {threads}")
    count = fn.call("llvm.smin.i64", "i64", ("i64", wanted), ("i64", maximum_tasks))
    return Tasks(count, fn.emit(f"sdiv i64 {work}, {count}"), extent.text)


def _of_all(fn: Function, loop: For, extent: Value, grain: int) -> tuple[str, str, str]:
    """Of a loop that goes by ranges: how many ranges of the length that they should have, minus the half microseconds that all
    take, and how many tasks at most.
    """
    if isinstance(extent.const, int):
        total = extent.const
        work = max(total // grain if grain > 0 else total * -grain, 1)
        return str(total // loop.run_min), str(-work), str(min(total, work))
    longest = fn.emit(f"sdiv i64 {extent.text}, {loop.run_min}")
    by_grain = f"sdiv i64 {extent.text}, {grain}" if grain > 0 else f"mul i64 {extent.text}, {-grain}"
    work_ = fn.call("llvm.smax.i64", "i64", ("i64", fn.emit(by_grain)), ("i64", "1"))
    tasks_ = fn.call("llvm.smin.i64", "i64", ("i64", extent.text), ("i64", work_))
    return longest, fn.emit(f"sub i64 0, {work_}"), tasks_


def body(function: MakeFunction, ranges: str, pointers: int, numbers: int, cut: Tasks | None = None) -> str:
    """The name of what the pool calls, an `ingot_body`: it unpacks the arguments of a function for a range of iterations.
    Where iterations are `cut` into tasks, the number of those is behind the other numbers, and then that of iterations unless
    it is a constant.
    """
    name = f"{ranges}_body"
    fn = function(f"internal void @{name}(ptr %args, i64 %begin, i64 %end) nounwind")
    given = [f"ptr {_slot(fn, position)}" for position in range(pointers)]
    given += [f"i64 {_number(fn, pointers + position)}" for position in range(numbers)]
    count = _number(fn, pointers + numbers) if cut else ""
    extent = cut.extent if cut else ""
    if extent.startswith("%"):
        extent = _number(fn, pointers + numbers + 1)
    for place in ("%begin", "%end"):
        if cut:
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
