"""Kernels of the loop IR as functions of C99, and their statements in any dialect of C."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.errors import InternalError
from ingot.base.tensor import DType
from ingot.codegen.c.dialect import C99, Dialect, Groups
from ingot.codegen.c.expressions import ExprPrinter, Text
from ingot.codegen.c.names import Names
from ingot.codegen.c.prelude import C_TYPE
from ingot.codegen.c.ranges import INT32, bounds, flatten, within
from ingot.codegen.c.share import Scope, Sharing, share
from ingot.loops.analyse.grid import Fence, Grid, fences
from ingot.loops.analyse.ranges import Interval, Ranges
from ingot.loops.nodes import (
    Alloc,
    Buffer,
    Const,
    Expr,
    For,
    If,
    Kernel,
    Let,
    LoopKind,
    Select,
    Space,
    Stmt,
    Store,
    Var,
)
from ingot.loops.transform.rewrite import expressions, loads, statements, walk
from ingot.loops.transform.whole_ranges import whole

_INDENT = "    "


def trim(block: Sequence[Stmt]) -> tuple[Stmt, ...]:
    """The statements without loops that never run and names that nobody uses: a C compiler warns of them."""
    kept: list[Stmt] = []
    used: set[Var] = set()
    for stmt in reversed(block):
        trimmed: Stmt = stmt
        match stmt:
            case For():
                if isinstance(stmt.extent, Const) and int(stmt.extent.value) <= 0:
                    continue
                body = trim(stmt.body)
                if not body:
                    continue
                trimmed = For(stmt.var, stmt.extent, body, stmt.kind)
            case If():
                then, otherwise = trim(stmt.then), trim(stmt.otherwise)
                if isinstance(stmt.condition, Const):
                    then, otherwise = (then, ()) if stmt.condition.value else ((), otherwise)
                if not then and not otherwise:
                    continue
                trimmed = If(stmt.condition, then, otherwise)
            case Let():
                if stmt.var not in used:
                    continue
        kept.append(trimmed)
        for inner in statements((trimmed,)):
            for expr in expressions(inner):
                used |= {node for node in walk(expr) if isinstance(node, Var)}
    return tuple(reversed(kept))


def print_kernel(kernel: Kernel, name: str, use: Callable[[str], str]) -> str:
    """The function, `static void name(…)`, without a comment. `use(name)` is called for each prelude function that it calls."""
    return KernelPrinter(kernel, use).function(name)


class KernelPrinter:
    """Prints one kernel: as one function of C99 (`function`), or its statements part by part (`part`)."""

    def __init__(self, kernel: Kernel, use: Callable[[str], str], dialect: Dialect = C99) -> None:
        self._kernel = kernel
        self._use = use
        self._dialect = dialect
        self.body = trim(flatten(whole(kernel.body), {}))
        self._names = Names(dialect.reserved)
        self._buffers = {param.name: self._names.new(param.name) for param in kernel.params}
        self._variables: dict[str, str] = {}
        self._intervals: dict[Var, Interval] = {}
        self._scalars: set[str] = set()
        self._lines: list[str] = []
        self._temporaries = 0
        self._fences: dict[int, Fence] = {}
        self._shared_names: dict[int, str] = {}
        inner = list(statements(self.body))
        self._stored = {stmt.buffer.name for stmt in inner if isinstance(stmt, Store)}
        self._loaded = {
            load.buffer.name for stmt in inner for expr in expressions(stmt) for load in loads(expr)
        }

    def function(self, name: str) -> str:
        self._block(self.body, 1)
        head = f"static void {name}("
        params = self._params()
        text = head + ", ".join(params) + ")"
        if len(text) > 118:
            text = head + "\n" + ",\n".join(_INDENT + param for param in params) + ")"
        unused = [
            f"{_INDENT}(void){self._buffers[param.name]};"
            for param in self._kernel.params
            if param.name not in self._stored | self._loaded
        ]
        return "\n".join([text, "{", *unused, *self._lines, "}"]) + "\n"

    def _params(self) -> list[str]:
        return [self.pointer(position) for position in range(len(self._kernel.params))] or ["void"]

    def pointer(self, position: int) -> str:
        """The declaration of a parameter as a pointer to its elements."""
        kernel, param = self._kernel, self._kernel.params[position]
        shared = {kernel.inputs[i].name for i, _ in kernel.in_place} | {
            kernel.outputs[o].name for _, o in kernel.in_place
        }
        const = "const " if position < len(kernel.inputs) else ""
        restrict = "" if param.name in shared else "restrict "
        return (
            f"{self._dialect.space}{const}{self._element(param.dtype)} *{restrict}{self._buffers[param.name]}"
        )

    def name(self, position: int) -> str:
        """The name of a parameter."""
        return self._buffers[self._kernel.params[position].name]

    def new_name(self, wish: str) -> str:
        """A name that nothing else in the kernel has."""
        return self._names.new(wish)

    def _element(self, dtype: DType) -> str:
        return self._dialect.word(C_TYPE[dtype])

    def part(self, block: Sequence[Stmt], depth: int) -> list[str]:
        """The lines of some statements of the body. Names that an earlier part made are known."""
        self._lines = []
        self._block(block, depth)
        return self._lines

    def group(self, grid: Grid, depth: int) -> list[str]:
        """The lines that each item of each group of a nest runs. The nest is a statement of the body."""
        words = self._groups()
        self._lines = []
        self._fences = fences(self._kernel, grid)
        for stmt in statements(grid.body):
            if (
                isinstance(stmt, Alloc)
                and stmt.space is Space.SHARED
                and stmt.buffer.name in self._stored | self._loaded
            ):
                # All at the top: OpenCL C allows them nowhere else.
                name = self._shared_names[id(stmt)] = self._names.new(stmt.buffer.name)
                size = max(stmt.buffer.span, 1)
                self._line(depth, f"{words.shared}{self._element(stmt.buffer.dtype)} {name}[{size}];")
        for dimension, loop in enumerate(reversed(grid.groups)):
            self._place(loop, words.group.format(dimension), depth)
        self._block(grid.body, depth)
        for loop in grid.groups:
            self._intervals.pop(loop.var)
        return self._lines

    def _groups(self) -> Groups:
        words = self._dialect.groups
        if words is None:
            raise InternalError(
                f"kernel {self._kernel.name!r} runs in groups of work items, which the language {self._dialect.id} has not"
            )
        return words

    def _place(self, loop: For, place: str, depth: int) -> None:
        """Declares the variable of a loop of which only one iteration runs here."""
        assert isinstance(loop.extent, Const)
        self._intervals[loop.var] = (0, max(int(loop.extent.value) - 1, 0))
        type_ = self._dialect.word("int32_t")
        self._line(depth, f"const {type_} {self._variable(loop.var)} = ({type_}){place};")

    def _items(self, stmt: For, depth: int) -> None:
        words = self._groups()
        fence = self._fences.get(id(stmt))
        if fence is not None:
            self._line(depth, words.fence[fence])
        self._line(depth, "{")
        self._place(stmt, words.item, depth + 1)
        self._block(stmt.body, depth + 1)
        self._line(depth, "}")
        self._intervals.pop(stmt.var)

    def _line(self, depth: int, text: str) -> None:
        self._lines.append(_INDENT * depth + text)

    # ─── statements ─────────────────────────────────────────────────────────────────────────────────────────────

    def _block(self, block: Sequence[Stmt], depth: int) -> None:
        first: Store | None = None  # already written, together with its variable
        for position, stmt in enumerate(block):
            match stmt:
                case Store() if stmt is first:
                    pass
                case Alloc() if stmt.space is Space.SHARED:
                    if id(stmt) in self._shared_names:
                        self._buffers[stmt.buffer.name] = self._shared_names[id(stmt)]
                        self._scalars.discard(stmt.buffer.name)
                case Alloc():
                    following = block[position + 1] if position + 1 < len(block) else None
                    first = self._alloc(stmt.buffer, following, depth)
                case Store():
                    self._store(stmt, depth)
                case Let():
                    self._let(stmt, depth)
                case For() if stmt.kind is LoopKind.ITEM:
                    self._items(stmt, depth)
                case For():
                    self._for(stmt, depth)
                case If():
                    self._if(stmt, depth)

    def _prepared(self, exprs: Sequence[Expr], depth: int) -> ExprPrinter:
        """A printer for the expressions of one statement, after the values that they share are written."""
        ranges = Ranges(self._intervals)
        plan = share(exprs)
        printer = ExprPrinter(
            ranges, self._buffers, self._scalars, self._variables, self._use, plan.guarded, self._dialect
        )
        self._shared(plan, plan.root, printer, depth)
        return printer

    def _shared(self, plan: Sharing, scope: Scope, printer: ExprPrinter, depth: int) -> None:
        for node in scope.computed:
            name = self._names.new(f"t{self._temporaries}")
            self._temporaries += 1
            type_ = printer.c_type(node)
            branches = plan.branches.get(id(node))
            if (
                isinstance(node, Select)
                and branches is not None
                and any(branch.computed for branch in branches)
            ):
                self._line(depth, f"{type_} {name};")
                self._line(depth, f"if ({printer(node.condition).code}) {{")
                self._shared(plan, branches[0], printer, depth + 1)
                self._line(depth + 1, f"{name} = {printer(node.if_true).code};")
                self._line(depth, "} else {")
                self._shared(plan, branches[1], printer, depth + 1)
                self._line(depth + 1, f"{name} = {printer(node.if_false).code};")
                self._line(depth, "}")
            else:
                self._line(depth, f"const {type_} {name} = {printer.fresh(node).code};")
            printer.name(node, name)

    def _alloc(self, buffer: Buffer, following: Stmt | None, depth: int) -> Store | None:
        if buffer.name not in self._stored | self._loaded:
            return None
        name = self._buffers.get(buffer.name)
        if name is None:
            name = self._buffers[buffer.name] = self._names.new(buffer.name)
        type_ = self._element(buffer.dtype)
        first: Store | None = None
        self._scalars.discard(buffer.name)
        if buffer.shape:
            self._line(depth, f"{type_} {name}[{max(buffer.span, 1)}];")
        else:
            self._scalars.add(buffer.name)
            if isinstance(following, Store) and following.buffer.name == buffer.name:
                first = following
                if not any(load.buffer.name == buffer.name for load in loads(first.value)):
                    printer = self._prepared([first.value], depth)
                    self._line(depth, f"{type_} {name} = {printer.bits(first.value).code};")
                else:
                    first = None
            if first is None:
                zero = "0" if not buffer.dtype.is_float or buffer.dtype.size_bytes == 2 else "0.0f"
                self._line(depth, f"{type_} {name} = {'0.0' if buffer.dtype is DType.FLOAT64 else zero};")
        if buffer.name not in self._loaded:
            self._line(depth, f"(void){name};")
        return first

    def _store(self, stmt: Store, depth: int) -> None:
        printer = self._prepared([*stmt.index, stmt.value], depth)
        place = self._buffers[stmt.buffer.name]
        if stmt.index:
            place += f"[{printer(stmt.index[0]).code}]"
        elif stmt.buffer.name not in self._scalars:
            place += "[0]"
        self._line(depth, f"{place} = {printer.bits(stmt.value).code};")

    def _let(self, stmt: Let, depth: int) -> None:
        value = stmt.value
        printer = self._prepared([value], depth)
        text, type_, narrow = printer(value), printer.c_type(value), self._dialect.word("int32_t")
        self._intervals.pop(stmt.var, None)
        if not value.dtype.is_float:
            interval = bounds(Ranges(self._intervals), value)
            self._intervals[stmt.var] = interval
            if value.dtype is DType.INT64 and within(interval, INT32) and type_ != narrow:
                type_, text = narrow, Text(f"({narrow}){text.at(14)}")
        self._line(depth, f"const {type_} {self._variable(stmt.var)} = {text.code};")

    def _variable(self, var: Var) -> str:
        name = self._variables.get(var.name)
        if name is None:
            name = self._variables[var.name] = self._names.new(var.name)
        return name

    def _for(self, stmt: For, depth: int) -> None:
        if stmt.kind is LoopKind.GROUP:
            self._groups()
            raise InternalError(f"kernel {self._kernel.name!r}: a group loop is not at the top")
        extent = stmt.extent
        printer = self._prepared([extent], depth)
        high = bounds(Ranges(self._intervals), extent)[1]
        text = printer(extent).code
        type_ = self._dialect.word("int32_t" if high <= INT32[1] else "int64_t")
        if not isinstance(extent, Const | Var):
            # Once, before the loop: its body may write what the extent is made of.
            name = self._names.new(f"{stmt.var.name}_end")
            self._line(depth, f"const {printer.c_type(extent)} {name} = {text};")
            text = name
        outer = self._intervals.get(stmt.var)
        self._intervals[stmt.var] = (0, max(high - 1, 0))
        var = self._variable(stmt.var)
        if stmt.kind is LoopKind.VECTOR and self._dialect.vector:
            self._line(depth, self._dialect.vector)
        self._line(depth, f"for ({type_} {var} = 0; {var} < {text}; ++{var}) {{")
        self._block(stmt.body, depth + 1)
        self._line(depth, "}")
        self._intervals.pop(stmt.var)
        if outer is not None:
            self._intervals[stmt.var] = outer

    def _if(self, stmt: If, depth: int) -> None:
        condition = stmt.condition
        if isinstance(condition, Const):
            self._line(depth, "{")
            self._block(stmt.then if condition.value else stmt.otherwise, depth + 1)
            self._line(depth, "}")
            return
        printer = self._prepared([condition], depth)
        if not stmt.then:
            self._line(depth, f"if (!({printer(condition).code})) {{")
            self._block(stmt.otherwise, depth + 1)
        else:
            self._line(depth, f"if ({printer(condition).code}) {{")
            self._block(stmt.then, depth + 1)
            if stmt.otherwise:
                self._line(depth, "} else {")
                self._block(stmt.otherwise, depth + 1)
        self._line(depth, "}")
