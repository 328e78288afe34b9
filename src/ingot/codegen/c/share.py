"""Where the shared subexpressions of a statement are computed.

An expression is a graph; printed as a tree it could be exponentially long. So every node with more than one use gets a name.
The place of the name matters, because a `Select` evaluates one branch only: a node is computed in the innermost place that all
its uses see. If that place is outside of branches that might not be taken, the node is computed although nobody asked, which is
harmless but for loads out of bounds: those are marked, and the printer keeps their offsets inside the buffer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ingot.loops.nodes import Binary, Const, Expr, Load, Select, Var
from ingot.loops.transform.rewrite import children, postorder


@dataclass(slots=True, eq=False)
class Scope:
    """The statement itself, or one branch of a Select in it."""

    parent: Scope | None = None
    depth: int = 0
    select: Select | None = None
    computed: list[Expr] = field(default_factory=list)  # nodes that get a name here, operands first


@dataclass(slots=True, eq=False)
class Sharing:
    """`root` is the statement's scope; `branches` the two scopes of each Select that must be written as a statement;
    `named` the ids of all nodes that get a name; `guarded` those of loads that may be evaluated out of bounds.
    """

    root: Scope
    branches: dict[int, tuple[Scope, Scope]]
    named: set[int]
    guarded: set[int]


def _meet(a: Scope, b: Scope) -> Scope:
    while a is not b:
        if a.depth >= b.depth:
            assert a.parent is not None
            a = a.parent
        else:
            assert b.parent is not None
            b = b.parent
    return a


def _is_certain(scope: Scope, sure: list[Scope], branches: dict[int, tuple[Scope, Scope]]) -> bool:
    """Whether a node used in the scopes `sure` is needed whenever `scope` is entered: it is used there, or in both branches of a
    Select there.
    """
    reached = list(dict.fromkeys(sure))
    work = sorted(reached, key=lambda item: -item.depth)
    while work:
        item = work.pop(0)
        if item is scope:
            return True
        if item.select is None or item.parent is None or item.parent in reached:
            continue
        if all(branch in reached for branch in branches[id(item.select)]):
            reached.append(item.parent)
            work.append(item.parent)
            work.sort(key=lambda other: -other.depth)
    return False


_SMALL = 3  # nodes; `i + 1` is better repeated than named
_DEPTH = 20  # deeper expressions are written in several steps


def share(roots: Sequence[Expr]) -> Sharing:
    """Plans the names of one statement's expressions."""
    order = postorder(*roots)
    root = Scope()
    uses: dict[int, list[tuple[Scope, bool]]] = {id(node): [] for node in order}
    for expr in roots:
        uses[id(expr)].append((root, True))
    branches: dict[int, tuple[Scope, Scope]] = {}
    place: dict[int, Scope] = {}
    guarded: set[int] = set()
    for node in reversed(order):
        used = uses[id(node)]
        scope = used[0][0]
        for other, _ in used[1:]:
            scope = _meet(scope, other)
        certain = _is_certain(scope, [where for where, sure in used if sure], branches)
        place[id(node)] = scope
        if isinstance(node, Load) and not certain:
            guarded.add(id(node))
        if isinstance(node, Select):
            pair = (Scope(scope, scope.depth + 1, node), Scope(scope, scope.depth + 1, node))
            branches[id(node)] = pair
            uses[id(node.condition)].append((scope, certain))
            uses[id(node.if_true)].append((pair[0], certain))
            uses[id(node.if_false)].append((pair[1], certain))
        else:
            for child in children(node):
                uses[id(child)].append((scope, certain))
    small = _small(order)
    named: set[int] = set()
    depths: dict[int, int] = {}
    for node in order:
        depth = 1 + max((depths[id(child)] for child in children(node)), default=0)
        opened = isinstance(node, Select) and any(branch.computed for branch in branches[id(node)])
        shared = len(uses[id(node)]) > 1 and id(node) not in small
        if opened or shared or depth > _DEPTH:
            depth = 0
            named.add(id(node))
            place[id(node)].computed.append(node)
        depths[id(node)] = depth
    return Sharing(root, branches, named, guarded)


def _small(order: Sequence[Expr]) -> set[int]:
    sizes: dict[int, int] = {}
    for node in order:
        if isinstance(node, Var | Const) or (isinstance(node, Load) and not node.buffer.shape):
            sizes[id(node)] = 1
        elif isinstance(node, Binary) and node.op in ("add", "sub", "mul") and node.dtype.is_integer:
            left, right = sizes.get(id(node.left)), sizes.get(id(node.right))
            if left is not None and right is not None and left + right < _SMALL:
                sizes[id(node)] = 1 + left + right
    return set(sizes)
