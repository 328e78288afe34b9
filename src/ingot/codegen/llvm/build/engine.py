"""Compiled code in the memory of this process: objects, linked by LLVM, and what they call outside."""

from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import llvmlite.binding as llvm

from ingot.artifact.module import Function
from ingot.artifact.thread_pools import CREATE, DESTROY
from ingot.codegen.c.prelude import MATH
from ingot.codegen.llvm.build.objects import Processor, start_llvm, target_machine
from ingot.codegen.llvm.parallel.pool import POOL, POOL_ENTER, POOL_FOR, POOL_LEAVE, POOL_PAIR, POOL_THREADS
from ingot.loops.nodes import FUNCTIONS, PREDICATES

_NATIVE = Path(__file__).parents[3] / "native"
# What kernels call, and what LLVM calls where the processor has no instruction: mathematics of the C library, memory.
_MATH = sorted({MATH[function] for function in FUNCTIONS - PREDICATES} | {"fma", "fmod"})
_MEMORY = ("memcpy", "memmove", "memset", "syscall")
# Where there is no pool for the machine, the caller of a loop does all of it.
_SERIAL = f"""
define void @{POOL_FOR}(ptr %pool, ptr %body, ptr %args, i64 %extent, i64 %grain) nounwind {{
  %some = icmp sgt i64 %extent, 0
  br i1 %some, label %work, label %done
work:
  call void %body(ptr %args, i64 0, i64 %extent)
  br label %done
done:
  ret void
}}
define i32 @{POOL_THREADS}(ptr %pool) nounwind {{
  ret i32 1
}}
define i32 @{POOL_PAIR}(ptr %pool, ptr %body, ptr %bases, i32 %count, i32 %loops, i64 %length) nounwind {{
  %status = call i32 %body(ptr %bases, ptr %pool)
  ret i32 %status
}}
define i32 @{POOL_ENTER}(ptr %pool) nounwind {{
  ret i32 1
}}
define void @{POOL_LEAVE}(ptr %pool) nounwind {{
  ret void
}}
"""


class Engine:
    """Linked code. It is freed by `close`, or when nobody refers to the engine any more."""

    def __init__(
        self, objects: Iterable[bytes], imports: Mapping[str, int], exports: Sequence[str], name: str
    ) -> None:
        """Links objects, which see each other and `imports` (addresses by name) and nothing else of the process.

        Raises:
            RuntimeError: LLVM cannot link them; the message names symbols that nobody has.
        """
        builder = llvm.JITLibraryBuilder()
        for content in objects:
            builder.add_object_img(content)
        for symbol, address in imports.items():
            builder.import_symbol(symbol, address)
        for symbol in exports:
            builder.export_symbol(symbol)
        self._jit = llvm.create_lljit_compiler(None, use_jit_link=True, suppress_errors=True)
        self._code = builder.link(self._jit, name)
        self._addresses = {symbol: int(self._code[symbol]) for symbol in exports}

    @property
    def exports(self) -> tuple[str, ...]:
        """The names of all exported functions; none of them once the engine is closed."""
        return tuple(self._addresses)

    def address(self, name: str) -> int:
        """Where an exported function is."""
        return self._addresses[name]

    def function(self, name: str) -> Function | None:
        """A new foreign function for an exported symbol, which gives an int32 unless told otherwise; None if there is none."""
        address = self._addresses.get(name)
        return None if address is None else ctypes.CFUNCTYPE(ctypes.c_int32)(address)

    def close(self) -> None:
        """Frees the code. Twice is once."""
        self._addresses = {}
        self._code.close()
        self._jit.close()


def pool_engine() -> Engine:
    """The thread pool for this machine, or, where there is none for it, loops that their caller does alone.

    Each engine has code and variables of its own.
    """
    content, called, exports = _pool_object(_NATIVE)
    return Engine([content], addresses((*called, *_MEMORY)), exports, "ingot_pool")


@functools.cache  # compiling takes longer than a small model does
def _pool_object(folder: Path) -> tuple[bytes, tuple[str, ...], tuple[str, ...]]:
    """The pool's object by the source in a folder, what it calls, and what it exports."""
    triple = llvm.get_default_triple()
    architecture, _, rest = triple.partition("-")
    source = folder / f"pool.{architecture}-{'linux' if 'linux' in rest else rest}.ll"
    threaded = source.exists()
    start_assembler()
    machine = target_machine(Processor(triple, "", ""))
    heading = f'target datalayout = "{machine.target_data}"\ntarget triple = "{triple}"\n'
    module = llvm.parse_assembly(heading + (source.read_text(encoding="ascii") if threaded else _SERIAL))
    called = [
        function.name
        for function in module.functions
        if function.is_declaration and not function.name.startswith("llvm.")
    ]
    return machine.emit_object(module), tuple(called), (*POOL, *((CREATE, DESTROY) if threaded else ()))


@functools.cache
def start_assembler() -> None:
    """Prepares LLVM for code with assembly in it: without, it ends the process."""
    start_llvm()
    llvm.initialize_native_asmparser()


@functools.cache
def library_addresses() -> Mapping[str, int]:
    """The functions of the C library that code may call, by name; those that are not here are left out."""
    return addresses((*(name + suffix for name in _MATH for suffix in ("", "f")), *_MEMORY))


def addresses(names: Iterable[str]) -> dict[str, int]:
    """Where functions of the C library are in this process."""
    symbols: dict[str, int] = {}
    for name in names:
        for get in _libraries():
            function = get(name)
            if function is not None:
                symbols[name] = function
                break
    return symbols


@functools.cache
def _libraries() -> tuple[Callable[[str], int | None], ...]:
    """What Python itself is linked with, and the library of mathematics by its own name where Python does without."""
    opened = [ctypes.CDLL(None)]
    with contextlib.suppress(OSError):  # a system that calls it otherwise, or has it in the C library
        opened.append(ctypes.CDLL("libm.so.6"))

    def get(library: ctypes.CDLL, name: str) -> int | None:
        try:
            return ctypes.cast(library[name], ctypes.c_void_p).value
        except AttributeError:
            return None

    return tuple(functools.partial(get, library) for library in opened)
