"""Kernels → one LLVM module for an NVIDIA GPU, as text: an entry for each launch.

The instructions are those of the code generator `llvm`; what differs is who runs them, and that there is no C library to call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ingot.base.errors import UnsupportedError
from ingot.base.tensor import DType
from ingot.codegen.launch import is_grid, parts, touched
from ingot.codegen.llvm.emit.builder import Function, Value, memory_type, number
from ingot.codegen.llvm.emit.kernel import KernelModule, Writer
from ingot.codegen.llvm.emit.memory import Place
from ingot.codegen.llvm.emit.operations import Operations
from ingot.codegen.llvm.emit.scope import Scope
from ingot.codegen.llvm.emit.values import Chip
from ingot.codegen.math.f64 import WRITTEN
from ingot.loops.analyse.grid import Fence, Grid, fences, grid_of, own_as_locals
from ingot.loops.nodes import Alloc, Buffer, Const, For, Kernel, LoopKind, Space, Stmt
from ingot.loops.transform.rewrite import statements
from ingot.machines.machine import Machine

PARAMS_MAX = 512
"""Of one launch: 4096 bytes of pointers, which is what every GPU takes."""
_CHIP = Chip(machine=Machine(vector_bytes=16, has_fma=True), has_half=True)
_UNROLL_MAX = 16  # iterations of a vector loop that are repeated in the code
_SHORT_MAX, _SHORT_STATEMENTS_MAX = (
    16,
    1024,
)  # iterations, and statements of all of them, of a loop that is repeated
_BLOCK_THREADS, _FEW_THREADS, _FEW = 128, 32, 128 * 64
_SHARED_ALIGNMENT = 16  # what one thread reads at most at once
_BARRIER = "llvm.nvvm.barrier0"
_OWN = {name: f"ingot_{name}_f64" for name in WRITTEN}
RESERVED = frozenset(_OWN.values())
"""Names that no kernel may have."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One entry of a module: its name, how many blocks of how many threads, and which of its kernel's parameters it takes."""

    name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    params: tuple[int, ...]


class GpuModule:
    """All entries of a unit, and the functions that they call."""

    def __init__(self) -> None:
        self.declarations: dict[str, str] = {}
        self.functions: list[Function] = []
        self.threads: list[tuple[str, int]] = []  # of a block, by entry
        self._own: dict[str, str] = {}

    def text(self) -> str:
        """The LLVM module, without a target."""
        functions = [*self._own.values(), *(function.text() for function in self.functions)]
        sizes = [
            f'!{number} = !{{ptr @{name}, !"reqntidx", i32 {threads}, !"reqntidy", i32 1, !"reqntidz", i32 1}}'
            for number, (name, threads) in enumerate(self.threads)
        ]
        sizes.append(
            f"!nvvm.annotations = !{{{', '.join(f'!{number}' for number in range(len(self.threads)))}}}"
        )
        return "\n\n".join([*self.declarations.values(), *functions, "\n".join(sizes)]) + "\n"

    def own(self, function: str) -> str:
        """The name of a float64 function of `math/f64`, which is written out when it is first asked for."""
        name = _OWN[function]
        if name not in self._own:
            self._own[name] = ""
            written = WRITTEN[function]
            params = ", ".join(f"double %{param.name}" for param in written.params)
            definition = Function(
                f"internal double @{name}({params}) nounwind memory(none)", self.declarations
            )
            module = _Part(self, Kernel(name, (), (), written.body), name, (), {})
            writer = _GpuWriter(
                module,
                definition,
                Scope(names={param: Value(f"%{param.name}", param.dtype) for param in written.params}),
            )
            writer.block(written.body)
            definition.do(f"ret {writer.value(written.result).typed}")
            self._own[name] = definition.text()
        return name

    def kernel(
        self, kernel: Kernel, new_name: Callable[[], str], alignments: Mapping[int, int]
    ) -> tuple[Launch, ...]:
        """Writes the entries of a kernel. `alignments` has what every address given for a parameter is a multiple of.

        Raises:
            UnsupportedError: an entry would have too many parameters.
        """
        kernel = replace(kernel, body=own_as_locals(kernel.body))
        groups = [group for group in parts(kernel.body) if not _is_nothing(group)]
        return tuple(self._entry(kernel, group, new_name(), alignments) for group in groups)

    def _entry(
        self, kernel: Kernel, group: Sequence[Stmt], name: str, alignments: Mapping[int, int]
    ) -> Launch:
        named = touched(group)
        params = tuple(position for position, param in enumerate(kernel.params) if param.name in named)
        if len(params) > PARAMS_MAX:
            raise UnsupportedError(
                f"kernel {kernel.name!r} has {len(params)} operands, the code generator cuda takes at most {PARAMS_MAX}; place"
                " its nodes on another target",
                kernel=kernel.name,
                nodes=(),
            )
        first = group[0]
        module = _Part(self, kernel, name, params, alignments)
        grid = grid_of(first) if len(group) == 1 else None
        if grid is not None:
            return module.blocks(grid)
        if len(group) == 1 and is_grid(first):
            assert isinstance(first, For) and isinstance(first.extent, Const)
            return module.one_thread_each(first, int(first.extent.value))
        return module.one_thread(group)


def _is_nothing(group: Sequence[Stmt]) -> bool:
    """Whether the only statement is a loop without iterations: no driver starts no threads."""
    first = group[0]
    return (
        len(group) == 1
        and isinstance(first, For)
        and isinstance(first.extent, Const)
        and int(first.extent.value) <= 0
    )


class _Part(KernelModule):
    """One entry: what a writer asks about the kernel that it is in."""

    def __init__(
        self,
        unit: GpuModule,
        kernel: Kernel,
        name: str,
        params: tuple[int, ...],
        alignments: Mapping[int, int],
    ) -> None:
        super().__init__(kernel, name, _CHIP)
        self.unit, self.params, self.alignments = unit, params, alignments
        self.declarations, self.functions = unit.declarations, unit.functions
        self._shared: list[str] = []

    def parameters(self) -> list[str]:
        every = super().parameters()
        typed = []
        for position in self.params:
            attributes, _, variable = every[position].rpartition(" ")
            typed.append(f"{attributes} align {self.alignments.get(position, 1)} {variable}")
        return typed

    def places(self) -> dict[Buffer, Place]:
        return {
            self.kernel.params[position]: Place(f"%p{position}", self.kernel.params[position])
            for position in self.params
        }

    def shared(self, buffer: Buffer) -> str:
        """Memory that the threads of a block share, as a variable of the module."""
        name = f"{self.name}_shared{len(self._shared)}"
        self._shared.append(name)
        size = f"[{max(buffer.span, 1)} x {memory_type(buffer.dtype)}]"
        self.declarations[name] = (
            f"@{name} = internal addrspace(3) global {size} undef, align {_SHARED_ALIGNMENT}"
        )
        return name

    def _begin(self, threads: int) -> _GpuWriter:
        # Chains of choices stay comparisons, which can become selections; a table of branches (brx.idx) cannot.
        header = (
            f'ptx_kernel void @{self.name}({", ".join(self.parameters())}) nounwind "no-jump-tables"="true"'
        )
        self.unit.threads.append((self.name, threads))
        return _GpuWriter(self, self.function(header), Scope(places=self.places()))

    def blocks(self, grid: Grid) -> Launch:
        """A nest of group loops: a block for each of their iterations, a thread for each item."""
        writer = self._begin(grid.items)
        writer.fences = fences(self.kernel, grid)
        writer.item = writer.register("tid.x", grid.items)
        sizes = [1, 1, 1]
        names = []
        for axis, (loop, extent) in enumerate(
            zip(reversed(grid.groups), reversed(grid.extents), strict=True)
        ):
            sizes[axis] = extent
            names.append((loop.var, writer.register(f"ctaid.{'xyz'[axis]}", extent)))
        writer._nested(grid.body, *names)
        writer.fn.do("ret void")
        return Launch(self.name, (sizes[0], sizes[1], sizes[2]), (grid.items, 1, 1), self.params)

    def one_thread(self, group: Sequence[Stmt]) -> Launch:
        """Statements that a single thread runs."""
        writer = self._begin(1)
        writer.block(group)
        writer.fn.do("ret void")
        return Launch(self.name, (1, 1, 1), (1, 1, 1), self.params)

    def one_thread_each(self, loop: For, extent: int) -> Launch:
        """A loop with a thread for each iteration; what does not fill the last block does nothing."""
        threads = _BLOCK_THREADS if extent >= _FEW else _FEW_THREADS
        blocks = -(-extent // threads)
        writer = self._begin(threads)
        fn = writer.fn
        thread = writer.register("tid.x", threads)
        at = writer.ops.add(writer.ops.mul(writer.register("ctaid.x", blocks), number(threads)), thread)
        if blocks * threads > extent:
            inside, end = fn.label(), fn.label()
            fn.branch(fn.emit(f"icmp slt {at.typed}, {extent}"), inside, end)
            fn.begin(inside)
            at = at._replace(high=extent - 1)
        writer._nested(loop.body, (loop.var, at))
        if blocks * threads > extent:
            fn.jump(end)
            fn.begin(end)
        fn.do("ret void")
        return Launch(self.name, (blocks, 1, 1), (threads, 1, 1), self.params)


def _is_short(stmt: For) -> bool:
    """Whether a loop is better repeated in the code: a constant, small number of iterations without loops in them. Then offsets
    are part of the instructions, and loads of several iterations are under way at a time.
    """
    if not isinstance(stmt.extent, Const) or int(stmt.extent.value) > _SHORT_MAX:
        return False
    inside = list(statements(stmt.body))
    return (
        not any(isinstance(inner, For) for inner in inside)
        and len(inside) * int(stmt.extent.value) <= _SHORT_STATEMENTS_MAX
    )


class _GpuOperations(Operations):
    """Instructions for nodes; what the C library does elsewhere is our own here."""

    def __init__(self, function: Function, unit: GpuModule) -> None:
        super().__init__(function, _CHIP)
        self.unit = unit

    def binary(self, op: str, a: Value, b: Value) -> Value:
        if op == "rem" and a.dtype.is_float:
            return self.round(self._libm("rem", self.plain(a, b)))
        return super().binary(op, a, b)

    def _libm(self, function: str, args: Sequence[Value]) -> Value:
        dtype = args[0].dtype
        name = self.unit.own(function)
        wide = [self.cast(arg, DType.FLOAT64) for arg in args]
        text = self.fn.emit(f"call double @{name}({', '.join(arg.typed for arg in wide)})")
        if dtype is DType.FLOAT64:
            return Value(text, dtype)
        # A short float is rounded by who asked; rounding to float32 first must not hide which way that goes.
        return self.cast(Value(text, DType.FLOAT64), dtype)


class _GpuWriter(Writer):
    """Writes statements into an entry, for one thread."""

    def __init__(self, module: _Part, function: Function, scope: Scope) -> None:
        super().__init__(module, function, scope, outermost=False)
        self.part = module
        self.ops: Operations = _GpuOperations(function, module.unit)
        self.fences: Mapping[int, Fence] = {}
        self.item: Value | None = None

    def register(self, name: str, count: int) -> Value:
        """A special register, which counts from 0 to `count - 1`."""
        if count == 1:
            return number(0)
        intrinsic = f"llvm.nvvm.read.ptx.sreg.{name}"
        self.fn.declare(intrinsic, "i32 @()")
        narrow = self.fn.emit(f"call range(i32 0, {count}) i32 @{intrinsic}()")
        return Value(self.fn.emit(f"zext nneg i32 {narrow} to i64"), DType.INT64, low=0, high=count - 1)

    def statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, Alloc) and stmt.space is Space.SHARED:
            pointer = f"addrspacecast (ptr addrspace(3) @{self.part.shared(stmt.buffer)} to ptr)"
            self.scope.places[stmt.buffer] = Place(pointer, stmt.buffer)
        else:
            super().statement(stmt)

    def _for(self, stmt: For) -> None:
        if stmt.kind is LoopKind.ITEM:
            assert self.item is not None
            if id(stmt) in self.fences:  # it orders all memory that threads of a block share
                self.fn.declare(_BARRIER, "void @()")
                self.fn.do(f"call void @{_BARRIER}()")
            self._nested(stmt.body, (stmt.var, self.item))
            return
        if stmt.kind is LoopKind.VECTOR:  # a GPU's vectors are its threads
            count = int(stmt.extent.value) if isinstance(stmt.extent, Const) else _UNROLL_MAX + 1
            stmt = replace(stmt, kind=LoopKind.UNROLLED if count <= _UNROLL_MAX else LoopKind.SERIAL)
        elif stmt.kind is LoopKind.SERIAL and _is_short(stmt):
            stmt = replace(stmt, kind=LoopKind.UNROLLED)
        super()._for(stmt)
