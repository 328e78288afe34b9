"""Naming shared subexpressions, for code generators that write text.

An expression is a graph; written out as a tree it may be exponentially long. `bind_shared` puts a `Let` before a statement for
every node that the statement uses more than once. The difficulty is laziness: what only a branch of a `Select` needs may not be
computed before it, because a load there may be out of bounds and a division there may be by zero. So:

- a node that is needed in any case, or that cannot fail, is bound before the statement;
- if only one branch of a Select needs it, the Select becomes an `If` that stores to a scalar local, and the node is bound inside;
- if branches of several Selects need it, it is computed before them in a form that cannot fail: indices are clamped into their
  buffers and zero divisors replaced. Where the value is needed, its indices are in bounds, so it is the same.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace

from ingot.loops.nodes import (
    Alloc,
    Binary,
    Const,
    Expr,
    For,
    If,
    Let,
    Load,
    Select,
    Stmt,
    Store,
    Unary,
    Var,
    binary,
    buffer,
)
from ingot.loops.rewrite import children, expressions, postorder, statements, with_children

_DEPTH_MAX = 32  # a deeper expression is bound too, so that no text nests deeply
_REGIONS_MAX = 8  # Ifs inside Ifs; deeper, values are computed early instead

_Owner = tuple[int, str]  # which branch of which Select (its id) alone needs a node
_ALWAYS: _Owner = (0, "always")
_SEVERAL: _Owner = (0, "several")


def bind_shared(stmts: Sequence[Stmt], taken: Iterable[str] = ()) -> tuple[Stmt, ...]:
    """The same statements, with every shared node bound to a name, in text whose size is that of the expression graphs.

    Args:
        stmts: The body of a kernel.
        taken: Names that must not be used besides those in `stmts`, such as the names of parameters.
    """
    names = _Names(taken, stmts)
    return _block(stmts, names)


class _Names:
    """`s0, s1, …`, leaving out what is taken."""

    def __init__(self, taken: Iterable[str], stmts: Sequence[Stmt]) -> None:
        self._taken = set(taken)
        for stmt in statements(stmts):
            match stmt:
                case For() | Let():
                    self._taken.add(stmt.var.name)
                case Store() | Alloc():
                    self._taken.add(stmt.buffer.name)
            for node in postorder(*expressions(stmt)):
                match node:
                    case Var():
                        self._taken.add(node.name)
                    case Load():
                        self._taken.add(node.buffer.name)
        self._count = 0

    def new(self) -> str:
        while True:
            name = f"s{self._count}"
            self._count += 1
            if name not in self._taken:
                return name


def _block(stmts: Sequence[Stmt], names: _Names) -> tuple[Stmt, ...]:
    done: list[Stmt] = []
    for stmt in stmts:
        roots = expressions(stmt)
        if any(children(root) for root in roots):
            roots = _Binder(roots, names).region(roots, done, 0)
        match stmt:
            case For():
                done.append(replace(stmt, extent=roots[0], body=_block(stmt.body, names)))
            case If():
                done.append(If(roots[0], _block(stmt.then, names), _block(stmt.otherwise, names)))
            case Store():
                done.append(Store(stmt.buffer, tuple(roots[:-1]), roots[-1]))
            case Let():
                done.append(Let(stmt.var, roots[0]))
            case Alloc():
                done.append(stmt)
    return tuple(done)


@dataclass(slots=True)
class _Region:
    """What is known of the nodes that the roots of a region reach."""

    order: list[Expr]
    owners: dict[int, _Owner]
    opened: set[int] = field(default_factory=set)  # Selects that must become an If


class _Binder:
    """Binds the shared nodes of one statement."""

    def __init__(self, roots: Sequence[Expr], names: _Names) -> None:
        self._names = names
        order = postorder(*roots)
        self._bound = _to_bind(order, roots)
        self._safe = _safe(order)
        self._made: dict[int, Expr] = {}  # node → what stands for it: a variable or a load of a local

    def region(self, roots: Sequence[Expr], out: list[Stmt], depth: int) -> tuple[Expr, ...]:
        """Appends statements that compute what the roots share; returns the roots in terms of them.

        The roots are all evaluated where the statements are put.
        """
        region = self._analysed(roots, depth)
        for node in region.order:
            owner = region.owners[id(node)]
            if id(node) in region.opened:
                assert isinstance(node, Select)
                self._made[id(node)] = self._as_if(node, out, depth)
            elif id(node) in self._bound and (owner in (_ALWAYS, _SEVERAL) or owner[0] not in region.opened):
                certain = owner == _ALWAYS or id(node) in self._safe
                value = self._written(node, guarded=not certain)
                var = Var(self._names.new(), node.dtype)
                out.append(Let(var, value))
                self._made[id(node)] = var
        return tuple(self._made.get(id(root)) or self._written(root) for root in roots)

    def _analysed(self, roots: Sequence[Expr], depth: int) -> _Region:
        order = _reached(roots, self._made)
        owners: dict[int, _Owner] = {id(root): _ALWAYS for root in roots}
        opened: set[int] = set()
        for node in reversed(order):
            own = owners[id(node)]
            if own not in (_ALWAYS, _SEVERAL) and id(node) in self._bound and id(node) not in self._safe:
                if depth < _REGIONS_MAX:
                    opened.add(own[0])
                else:
                    own = owners[id(node)] = _SEVERAL
            for position, child in enumerate(children(node)):
                reached = own
                if own == _ALWAYS and isinstance(node, Select) and position > 0:
                    reached = (id(node), "true" if position == 1 else "false")
                old = owners.get(id(child))
                if old is None or reached == _ALWAYS:
                    owners[id(child)] = reached
                elif old not in (_ALWAYS, reached):
                    owners[id(child)] = _SEVERAL
        return _Region(order, owners, opened)

    def _as_if(self, node: Select, out: list[Stmt], depth: int) -> Expr:
        local = buffer(self._names.new(), node.dtype, ())
        condition = self._written(node.condition)
        out.append(Alloc(local))
        branches: list[tuple[Stmt, ...]] = []
        for branch in (node.if_true, node.if_false):
            inner: list[Stmt] = []
            # What is bound in here is reached from this branch only, so its name is never used outside.
            (value,) = self.region((branch,), inner, depth + 1)
            branches.append((*inner, Store(local, (), value)))
        out.append(If(condition, branches[0], branches[1]))
        return Load(local, ())

    def _written(self, node: Expr, guarded: bool = False) -> Expr:
        """The node over what stands for its operands; `guarded`: in a form that cannot fail. Nodes between bound ones form
        a tree of limited depth.
        """
        old = children(node)
        new = [self._made.get(id(child)) or self._written(child, guarded) for child in old]
        if guarded and isinstance(node, Load):
            return _clamped_load(node, new)
        if guarded and isinstance(node, Binary) and _may_fail(node):
            zero, one = Const(0, node.dtype), Const(1, node.dtype)
            valid = Binary("gt", new[1], zero)
            if node.dtype.is_signed:
                # The most negative number divided by -1 fails on some processors as well.
                valid = Binary("or", valid, Binary("lt", new[1], Const(-1, node.dtype)))
                minus = Binary("eq", new[1], Const(-1, node.dtype))
                exact = Unary("neg", new[0]) if node.op == "div" else zero
                return Select(minus, exact, Binary(node.op, new[0], Select(valid, new[1], one)))
            return Binary(node.op, new[0], Select(valid, new[1], one))
        return node if all(a is b for a, b in zip(old, new, strict=True)) else with_children(node, new)


def _clamped_load(node: Load, index: Sequence[Expr]) -> Expr:
    if 0 in node.buffer.shape:
        return Const(0, node.dtype)  # no such element: the value cannot be needed
    clamped = tuple(
        part if isinstance(part, Const) and 0 <= part.value < extent else binary("max", binary("min", part, extent - 1), 0)
        for part, extent in zip(index, node.buffer.shape, strict=True)
    )
    return Load(node.buffer, clamped)


def _reached(roots: Sequence[Expr], stops: Container[int]) -> list[Expr]:
    """The distinct nodes that the roots reach without going through `stops` (ids), operands first."""
    seen: set[int] = set()
    found: list[Expr] = []
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, entered = stack.pop()
        if entered:
            found.append(node)
        elif id(node) not in seen and id(node) not in stops:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(children(node)))
    return found


def _to_bind(order: Sequence[Expr], roots: Sequence[Expr]) -> set[int]:
    """The nodes that get a name: those used more than once, and enough of the others that no expression is deep."""
    uses = {id(node): 0 for node in order}
    for node in order:
        for child in children(node):
            uses[id(child)] += 1
    for root in roots:
        uses[id(root)] += 1
    bound: set[int] = set()
    depths: dict[int, int] = {}
    for node in order:
        depth = 1 + max((depths[id(child)] for child in children(node)), default=0)
        if not isinstance(node, Const | Var) and (uses[id(node)] > 1 or depth > _DEPTH_MAX):
            bound.add(id(node))
            depth = 0
        depths[id(node)] = depth
    return bound


def _may_fail(node: Binary) -> bool:
    """Whether an integer division can be by zero or overflow."""
    if node.op not in ("div", "rem") or not node.dtype.is_integer:
        return False
    return not (isinstance(node.right, Const) and node.right.value > 0)


def _safe(order: Sequence[Expr]) -> set[int]:
    """The nodes that can be computed anywhere: without loads and without divisions that can fail."""
    safe: set[int] = set()
    for node in order:
        fails = isinstance(node, Load) or (isinstance(node, Binary) and _may_fail(node))
        if not fails and all(id(child) in safe for child in children(node)):
            safe.add(id(node))
    return safe
