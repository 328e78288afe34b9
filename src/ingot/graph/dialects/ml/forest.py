"""Ensembles of decision trees as one table of nodes.

ONNX has six comparisons, sets, missing values that go either way, and three versions of how all this is written down. Here
every node asks whether a feature is at most a threshold: `x > t` has its children the other way round, `x < t` is `x <= t'`,
where t' is the number before t, and a set is a search among bounds, with every second region between them in it. Trees that ask
for nothing but `<` and `>=`, as XGBoost's do, keep their thresholds, and all nodes ask whether a feature is less.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ingot.graph.rewrite.writer import StaysError
from ingot.ops.trees import FEATURE, FIRST, MISSING, SECOND, THRESHOLD


class Mode(enum.IntEnum):
    """How a node compares a feature with its value; the numbers are those of TreeEnsemble 5."""

    LEQ = 0
    LT = 1
    GTE = 2
    GT = 3
    EQ = 4
    NEQ = 5
    MEMBER = 6
    LEAF = 7  # of no comparison; not a number of ONNX's


@dataclass(frozen=True, slots=True, eq=False)
class Ensemble:
    """Trees as ONNX has them. All arrays but `roots` have an element for each node; children are positions in them.

    `members` has the set of each node of mode MEMBER. `missing_true` says whether a missing number (NaN) goes to the true child.
    """

    modes: np.ndarray
    features: np.ndarray
    values: np.ndarray
    true: np.ndarray
    false: np.ndarray
    missing_true: np.ndarray
    roots: np.ndarray
    members: dict[int, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Trees as `TreeLeaves` has them, which see for `missing` and `strict`: nodes `[count, 4]`, and the first node of each tree.
    Nodes from `leaf` on are leaves: number k is node `leaves[k]` of the ensemble, and of tree `trees[k]`, or of several.
    """

    nodes: np.ndarray
    roots: np.ndarray
    leaf: int
    missing: str
    strict: bool
    leaves: np.ndarray
    trees: np.ndarray


@dataclass(slots=True)
class _Table:
    """Nodes that ask whether a feature is at most a threshold."""

    thresholds: np.ndarray
    first: np.ndarray
    second: np.ndarray
    missing_first: np.ndarray
    features: np.ndarray


def forest_of(ensemble: Ensemble, dtype: type[np.floating], may_miss: bool) -> Forest:
    """The table of an ensemble for features of a type; `may_miss` if they may be NaN.

    Raises:
        StaysError: nodes lead in a circle.
    """
    strict = bool(np.isin(ensemble.modes, (Mode.LT, Mode.GTE, Mode.LEAF)).all())
    table = _table(ensemble, dtype, strict)
    count = len(ensemble.modes)  # nodes behind them were made for sets, and are no leaves
    is_leaf = np.concatenate([ensemble.modes == Mode.LEAF, np.zeros(len(table.first) - count, bool)])
    order, trees = _by_trees(table, is_leaf, ensemble.roots)
    leaves = is_leaf[order]
    order, trees = (
        np.concatenate([order[~leaves], order[leaves]]),
        np.concatenate([trees[~leaves], trees[leaves]]),
    )
    inner = int(len(order) - leaves.sum())
    at = np.zeros(len(table.first), np.int64)
    at[order] = np.arange(len(order))

    inside = order[:inner]
    flags = table.missing_first[inside] if may_miss else np.zeros(inner, bool)
    missing = MISSING[0] if not flags.any() else MISSING[1] if flags.all() else MISSING[2]
    word = np.int32 if dtype is np.float32 else np.int64
    nodes = np.zeros((len(order), 1 + SECOND), word)
    nodes[:inner, THRESHOLD] = table.thresholds[inside].astype(dtype).view(word)
    nodes[:inner, FEATURE] = (
        table.features[inside] * 2 + flags if missing == MISSING[2] else table.features[inside]
    )
    nodes[:inner, FIRST] = at[table.first[inside]]
    nodes[:inner, SECOND] = at[table.second[inside]]
    nodes[inner:, FIRST] = nodes[inner:, SECOND] = np.arange(inner, len(order))
    return Forest(
        nodes, at[ensemble.roots].astype(np.int32), inner, missing, strict, order[inner:], trees[inner:]
    )


def _table(ensemble: Ensemble, dtype: type[np.floating], strict: bool) -> _Table:
    """All nodes by one comparison, `<=` or, if it is `strict`, `<`."""
    modes, values = ensemble.modes, ensemble.values.astype(dtype)
    swapped = np.isin(modes, (Mode.GTE, Mode.GT))
    if strict:
        thresholds = values.copy()
        # To no number NaN compares: none is less than -inf, and all go to the second child, which is to be the false one.
        none = np.isnan(values)
        thresholds[none] = -np.inf
        swapped[none] = False
    else:
        thresholds = np.where(np.isin(modes, (Mode.LT, Mode.GTE)), _before(values), values)
        # None is at most NaN either, nor less than -inf: all are at most inf, and go to the first child.
        none = np.isnan(thresholds)
        thresholds[none] = np.inf
        swapped = np.isnan(values) | (swapped ^ none)
    table = _Table(
        thresholds=thresholds,
        first=np.where(swapped, ensemble.false, ensemble.true),
        second=np.where(swapped, ensemble.true, ensemble.false),
        missing_first=ensemble.missing_true != swapped,
        features=ensemble.features,
    )
    more = _More(len(modes))
    for node in np.flatnonzero(np.isin(modes, (Mode.EQ, Mode.NEQ, Mode.MEMBER))):
        members = ensemble.members[int(node)] if modes[node] == Mode.MEMBER else values[node : node + 1]
        targets = int(ensemble.false[node]), int(ensemble.true[node])
        if modes[node] == Mode.NEQ:
            targets = targets[::-1]
        missing_in = bool(ensemble.missing_true[node] != (modes[node] == Mode.NEQ))
        top = more.search(np.asarray(members, dtype), targets, missing_in, int(ensemble.features[node]))
        for name, array in (
            ("thresholds", table.thresholds),
            ("first", table.first),
            ("second", table.second),
        ):
            array[node] = getattr(top, name)
        table.missing_first[node] = top.missing_first
    return more.behind(table)


def _before(values: np.ndarray) -> np.ndarray:
    """The number before each, NaN where none is."""
    with np.errstate(over="ignore"):  # before the least number comes -inf
        before: np.ndarray = np.nextafter(values, values.dtype.type(-np.inf))
    before[values == -np.inf] = np.nan
    return before


@dataclass(frozen=True, slots=True)
class _Node:
    thresholds: float
    first: int
    second: int
    missing_first: bool
    features: int


class _More:
    """Nodes that are made for sets: number `count` and following."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._nodes: list[_Node] = []

    def search(self, members: np.ndarray, targets: tuple[int, int], missing_in: bool, feature: int) -> _Node:
        """The first node of a search for a feature among members; `targets` are where it goes if it is none of them, or one."""
        distinct = np.unique(members[~np.isnan(members)])
        before = _before(distinct)
        # Region k ends at bound k. The one between the number before a member and the member is in the set.
        bounds = np.unique(np.concatenate([before[~np.isnan(before)], distinct]))
        inside = np.append(np.isin(bounds, distinct), False)
        regions = [targets[1] if is_member else targets[0] for is_member in inside]
        if not len(bounds):  # an empty set
            return _Node(np.inf, targets[0], targets[missing_in], False, feature)
        wanted = int(np.flatnonzero(inside == missing_in)[0])
        return self._between(bounds, regions, 0, len(bounds), wanted, feature)

    def _between(
        self, bounds: np.ndarray, regions: Sequence[int], first: int, last: int, missing: int, feature: int
    ) -> _Node:
        """The node that looks among regions `first` to `last`, both included; a missing number goes to region `missing`."""
        middle = (first + last) // 2
        children = []
        for low, high in ((first, middle), (middle + 1, last)):
            if low == high:
                children.append(regions[low])
            else:
                self._nodes.append(self._between(bounds, regions, low, high, missing, feature))
                children.append(self._count + len(self._nodes) - 1)
        return _Node(float(bounds[middle]), children[0], children[1], missing <= middle, feature)

    def behind(self, table: _Table) -> _Table:
        """A table with these nodes behind its own."""
        if not self._nodes:
            return table
        return _Table(
            **{
                name: np.concatenate(
                    [getattr(table, name), np.array([getattr(node, name) for node in self._nodes])]
                )
                for name in ("thresholds", "first", "second", "missing_first", "features")
            }
        )


def _by_trees(table: _Table, is_leaf: np.ndarray, roots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All nodes that trees lead to, tree by tree and level by level, and the tree of each: of several one of them."""
    tree_of = np.full(len(is_leaf), -1, np.int64)
    here, trees = np.unique(roots, return_index=True)
    levels: list[tuple[np.ndarray, np.ndarray]] = []
    while len(here):
        tree_of[here] = trees
        levels.append((here, trees))
        inside = ~is_leaf[here]
        children = np.concatenate([table.first[here[inside]], table.second[here[inside]]])
        theirs = np.concatenate([trees[inside], trees[inside]])
        new = tree_of[children] < 0
        here, at = np.unique(children[new], return_index=True)
        trees = theirs[new][at]
    _require_no_circle(table, is_leaf, tree_of >= 0)
    order = np.concatenate([nodes for nodes, _ in levels])
    owners = np.concatenate([owner for _, owner in levels])
    sorted_ = np.argsort(owners, kind="stable")
    return order[sorted_], owners[sorted_]


def _require_no_circle(table: _Table, is_leaf: np.ndarray, is_there: np.ndarray) -> None:
    """Takes away, again and again, the nodes that no other leads to: all of them, unless some lead in a circle."""
    inner = is_there & ~is_leaf
    children = np.concatenate([table.first[inner], table.second[inner]])
    led_to = np.bincount(children, minlength=len(is_leaf))
    here = np.flatnonzero(inner & (led_to == 0))
    count = 0
    while len(here):
        count += len(here)
        children = np.concatenate([table.first[here], table.second[here]])
        np.subtract.at(led_to, children, 1)
        children = np.unique(children)
        here = children[inner[children] & (led_to[children] == 0)]
    if count < int(inner.sum()):
        raise StaysError("nodes of a tree lead in a circle")
