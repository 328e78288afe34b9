"""Ensembles of decision trees of ai.onnx.ml as `TreeLeaves`, which finds leaves, and ONNX's own sums of what is at them.

*Source:* TreeEnsembleRegressor and TreeEnsembleClassifier 1 and 3, TreeEnsemble 5 of ai.onnx.ml.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import onnx_ir as ir

from ingot.graph.dialects.ml.forest import Ensemble, Forest, Mode, forest_of
from ingot.graph.dialects.ml.scores import (
    TRANSFORMS,
    arg_max,
    label_count,
    labels,
    post_transform,
    reduced,
    two_scores,
)
from ingot.graph.read.classical import LABELS
from ingot.graph.rewrite.writer import Results, StaysError, Write, Writer, output_type
from ingot.ops.trees import DOMAIN, FIRST, NAME

_MODES = {
    "BRANCH_LEQ": Mode.LEQ, "BRANCH_LT": Mode.LT, "BRANCH_GTE": Mode.GTE, "BRANCH_GT": Mode.GT,
    "BRANCH_EQ": Mode.EQ, "BRANCH_NEQ": Mode.NEQ, "LEAF": Mode.LEAF,
}  # fmt: skip
_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")  # by the numbers of TreeEnsemble 5
_REDUCTIONS = {"SUM": "ReduceSum", "AVERAGE": "ReduceSum", "MIN": "ReduceMin", "MAX": "ReduceMax"}
_NOTHING = {"SUM": 0.0, "AVERAGE": 0.0, "MIN": np.inf, "MAX": -np.inf}  # what leaves a sum as it is
_INTEGERS = frozenset({ir.DataType.INT32, ir.DataType.INT64})
_TABLE_MAX = 2**28  # numbers: of leaves that have one for each class
_TARGETS_MAX, _FEATURES_MAX = 2**20, 2**30  # of the latter a node has 31 bits, and one beside
_UNEVEN = 4  # times as many trees as there are, with those that are a bare leaf


@dataclass(frozen=True, slots=True, eq=False)
class _Weights:
    """What leaves add, an element of each array for one addition: at a node, to a target of `count`, a number."""

    nodes: np.ndarray
    targets: np.ndarray
    numbers: np.ndarray
    count: int


# ─── the operators ─────────────────────────────────────────────────────────────────────────────────────────────────


def _regressor(to: Writer) -> Results:
    """TreeEnsembleRegressor 1 and 3: float32 `[N, n_targets]`."""
    ensemble, keys = _by_node_ids(to)
    weights = _weights(to, keys, "target", to.number("n_targets", 1))
    sums = _based(to, _summed(to, ensemble, weights, to.text("aggregate_function") or "SUM"))
    return (post_transform(to, to.cast(sums, ir.DataType.FLOAT)),)


def _classifier(to: Writer) -> Results:
    """TreeEnsembleClassifier 1 and 3: int64 labels `[N]` and float32 scores `[N, classes]`.

    The label is that of the largest sum, the first one of several. Where two classes have weights for the first of them only,
    its sum s is the second class's score: scores are 1 - s and s if no weight is negative, else -s and s, and with LOGISTIC the
    curves of -s and s. (onnxruntime takes the second of two classes that both have weights once its sum is above 0, and with
    LOGISTIC and no negative weight once s is above 0.5, whatever the scores say; exporters write neither.)
    """
    ensemble, keys = _by_node_ids(to)
    count = label_count(to, LABELS)
    if count < 2:
        raise StaysError(
            f"it has {count} labels of classes ({LABELS[0]} or {LABELS[1]}), expected two or more"
        )
    weights = _weights(to, keys, "class", count)
    if count == 2 and not weights.targets.any():
        which, scores = _one_of_two(to, ensemble, weights)
    else:
        sums = _based(to, _summed(to, ensemble, weights, "SUM"))
        which, scores = arg_max(to, sums), post_transform(to, to.cast(sums, ir.DataType.FLOAT))
    return (labels(to, which, LABELS) if to.wants(0) else None, scores)


def _one_of_two(to: Writer, ensemble: Ensemble, weights: _Weights) -> tuple[ir.Value, ir.Value]:
    """The number of the class and the scores of both, of weights for one."""
    score = _based(to, _summed(to, ensemble, replace(weights, count=1), "SUM"))
    is_chance = not weights.numbers.size or bool(weights.numbers.min() >= 0)
    logistic = to.text("post_transform") == "LOGISTIC"
    opposite = to.op("Sub", [to.like(1, score), score]) if is_chance else to.op("Neg", [score])
    likely = to.op("Greater", [score, to.like(0.5 if is_chance and not logistic else 0, score)])
    number = to.cast(to.reshape(likely, (to.shape(score)[0],)), ir.DataType.INT64)
    float32 = ir.DataType.FLOAT
    return number, two_scores(to, to.cast(score, float32), to.cast(opposite, float32))


def _ensemble(to: Writer) -> Results:
    """TreeEnsemble 5: `[N, n_targets]` of the type of the input."""
    features = to.numbers("nodes_featureids") or []
    splits, modes, numbers = (to.tensor(name) for name in ("nodes_splits", "nodes_modes", "leaf_weights"))
    targets, roots = to.numbers("leaf_targetids") or [], to.numbers("tree_roots") or []
    if splits is None or modes is None or numbers is None or not roots:
        raise StaysError("expected nodes_splits, nodes_modes, leaf_weights and tree_roots")
    inner, outer = len(features), len(targets)
    _same_length(inner, nodes_splits=splits, nodes_modes=modes)
    _same_length(outer, leaf_weights=numbers)
    sides = []
    for side in ("true", "false"):
        ids, is_leaf = (
            np.array(to.numbers(f"nodes_{side}{suffix}") or [], np.int64) for suffix in ("nodeids", "leafs")
        )
        _same_length(inner, **{f"nodes_{side}nodeids": ids, f"nodes_{side}leafs": is_leaf})
        _all_below(ids, np.where(is_leaf, outer, inner), f"nodes_{side}nodeids")
        sides.append(np.concatenate([np.where(is_leaf, ids + inner, ids), np.zeros(outer, np.int64)]))
    missing = to.numbers("nodes_missing_value_tracks_true") or [0] * inner
    _same_length(inner, nodes_missing_value_tracks_true=missing)
    if inner:
        _all_below(np.array(roots), np.array(inner), "tree_roots")
    padded = np.zeros(outer)
    all_modes = np.concatenate([modes.astype(np.int64), np.full(outer, Mode.LEAF)])
    if not np.isin(all_modes[:inner], list(range(Mode.LEAF))).all():
        raise StaysError(f"nodes_modes has {int(all_modes[:inner].max())}, expected 0 to {Mode.MEMBER.value}")
    ensemble = Ensemble(
        all_modes,
        np.concatenate([np.array(features, np.int64), padded.astype(np.int64)]),
        np.concatenate([splits, padded.astype(splits.dtype)]),
        sides[0],
        sides[1],
        np.concatenate([np.array(missing, bool), padded.astype(bool)]),
        np.array(roots, np.int64),
        _members(to, all_modes),
    )
    count = to.number("n_targets", 1)
    _some_targets(count, "n_targets")
    weights = _Weights(np.arange(inner, inner + outer), np.array(targets, np.int64), numbers, count)
    _all_below(weights.targets, np.array(count), "leaf_targetids")
    aggregate, transform = to.number("aggregate_function", 1), to.number("post_transform", 0)
    if not 0 <= aggregate < len(_AGGREGATES) or not 0 <= transform < len(TRANSFORMS):
        raise StaysError(
            f"aggregate_function={aggregate}, post_transform={transform}: expected 0 to 3, 0 to 4"
        )
    sums = _summed(to, ensemble, weights, _AGGREGATES[aggregate])
    return (to.cast(post_transform(to, sums, TRANSFORMS[transform]), to.dtype(to.given(0, "X"))),)


def _members(to: Writer, modes: np.ndarray) -> dict[int, np.ndarray]:
    """The sets of nodes that have one, which are separated by NaN, in the order of the nodes."""
    nodes = np.flatnonzero(modes == Mode.MEMBER)
    members = to.tensor("membership_values")
    if members is not None and (members.ndim != 1 or members.dtype.kind != "f"):
        raise StaysError(
            f"membership_values is {members.dtype}{list(members.shape)}, expected a list of floats"
        )
    ends = np.flatnonzero(np.isnan(members)) if members is not None else np.zeros(0, np.int64)
    if len(ends) != len(nodes):
        raise StaysError(
            f"membership_values has {len(ends)} sets that end with NaN, expected {len(nodes)}: one for each BRANCH_MEMBER node"
        )
    starts = [0, *(int(end) + 1 for end in ends)]
    return (
        {int(node): members[starts[at] : ends[at]] for at, node in enumerate(nodes)}
        if members is not None
        else {}
    )


# ─── attributes of versions 1 and 3 ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class _Keys:
    """Where the node of a tree and a number in it is."""

    sorted: np.ndarray
    order: np.ndarray
    trees: int
    numbers: int

    def find(self, trees: np.ndarray, nodes: np.ndarray, label: str) -> np.ndarray:
        wrong = (trees < 0) | (trees >= self.trees) | (nodes < 0) | (nodes >= self.numbers)
        wanted = np.where(wrong, -1, np.where(wrong, 0, trees) * self.numbers + nodes)
        at = np.minimum(np.searchsorted(self.sorted, wanted), len(self.sorted) - 1)
        wrong |= self.sorted[at] != wanted
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            raise StaysError(
                f"{label} has node {int(nodes[first])} of tree {int(trees[first])}, which is not there"
            )
        return np.asarray(self.order[at])


def _by_node_ids(to: Writer) -> tuple[Ensemble, _Keys]:
    trees, ids, features, true, false = (
        np.array(to.numbers(f"nodes_{name}") or [], np.int64)
        for name in ("treeids", "nodeids", "featureids", "truenodeids", "falsenodeids")
    )
    count = len(ids)
    if not count:
        raise StaysError("it has no nodes (nodes_nodeids)")
    values = _numbers(to, "nodes_values")
    values = np.zeros(count, np.float32) if values is None else values
    missing = np.array(to.numbers("nodes_missing_value_tracks_true") or [0] * count, np.int64)
    modes = to.texts("nodes_modes")
    _same_length(
        count,
        nodes_treeids=trees,
        nodes_featureids=features,
        nodes_truenodeids=true,
        nodes_falsenodeids=false,
        nodes_values=values,
        nodes_modes=modes,
        nodes_missing_value_tracks_true=missing,
    )
    unknown = sorted(set(modes) - set(_MODES))
    if unknown:
        raise StaysError(f"nodes_modes has {unknown[0]!r}, expected {', '.join(_MODES)}")
    mode_numbers = np.array([_MODES[mode] for mode in modes])
    if int(trees.min()) < 0 or int(ids.min()) < 0 or (int(trees.max()) + 1) * (int(ids.max()) + 1) >= 2**62:
        raise StaysError("nodes_treeids and nodes_nodeids are numbers from 0 on")
    numbers = int(ids.max()) + 1
    node_keys = trees * numbers + ids
    order = np.argsort(node_keys, kind="stable")
    keys = _Keys(node_keys[order], order, int(trees.max()) + 1, numbers)
    if len(node_keys) != len(np.unique(node_keys)):
        raise StaysError("two nodes of a tree have the same number in nodes_nodeids")
    inner = mode_numbers != Mode.LEAF
    sides = []
    for side, children in (("true", true), ("false", false)):
        places = np.zeros(count, np.int64)
        places[inner] = keys.find(trees[inner], children[inner], f"nodes_{side}nodeids")
        sides.append(places)
    # A tree begins with the first of its nodes.
    roots = np.sort(np.unique(trees, return_index=True)[1])
    return Ensemble(mode_numbers, features, values, sides[0], sides[1], missing != 0, roots), keys


def _weights(to: Writer, keys: _Keys, prefix: str, count: int) -> _Weights:
    trees, nodes, targets = (
        np.array(to.numbers(f"{prefix}_{name}") or [], np.int64) for name in ("treeids", "nodeids", "ids")
    )
    numbers = _numbers(to, f"{prefix}_weights")
    numbers = np.zeros(0, np.float32) if numbers is None else numbers
    lists = {f"{prefix}_treeids": trees, f"{prefix}_nodeids": nodes, f"{prefix}_weights": numbers}
    _same_length(len(targets), **lists)
    _some_targets(count, "n_targets")
    _all_below(targets, np.array(count), f"{prefix}_ids")
    return _Weights(keys.find(trees, nodes, f"{prefix}_nodeids"), targets, numbers, count)


def _numbers(to: Writer, name: str) -> np.ndarray | None:
    """Real numbers that are a list of float32, or from version 3 on a tensor; None if they are neither."""
    tensor = to.tensor(f"{name}_as_tensor")
    if tensor is not None:
        kinds = (
            (np.float32, np.float64) if to.dtype(to.given(0, "X")) == ir.DataType.DOUBLE else (np.float32,)
        )
        if tensor.dtype not in kinds:
            raise StaysError(
                f"{name}_as_tensor is {tensor.dtype}, expected the type of the features, or float32"
            )
        return tensor.reshape(-1)
    numbers = to.real_numbers(name)
    return np.array(numbers, np.float32) if numbers else None


def _based(to: Writer, sums: ir.Value) -> ir.Value:
    """Sums `[N, targets]` with the number that each target begins with."""
    base, count = _numbers(to, "base_values"), to.shape(sums)[1]
    if base is not None and len(base) != count:
        raise StaysError(f"base_values has {len(base)} numbers for {count} sums")
    return sums if base is None or not base.any() else to.add(sums, to.constant(base, sums.dtype))


def _some_targets(count: int, name: str) -> None:
    if not 1 <= count <= _TARGETS_MAX:
        raise StaysError(f"{name}={count}, expected 1 to {_TARGETS_MAX}")


def _same_length(count: int, **lists: object) -> None:
    for name, elements in lists.items():
        if len(elements) != count:  # type: ignore[arg-type]
            raise StaysError(f"{name} has {len(elements)} elements, expected {count}")  # type: ignore[arg-type]


def _all_below(numbers: np.ndarray, limits: np.ndarray, name: str) -> None:
    wrong = (numbers < 0) | (numbers >= limits)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise StaysError(
            f"{name} has {int(numbers[at])}, expected 0 to {int(np.broadcast_to(limits, wrong.shape)[at]) - 1}"
        )


# ─── leaves and their sums ─────────────────────────────────────────────────────────────────────────────────────────


def _summed(to: Writer, ensemble: Ensemble, weights: _Weights, aggregate: str) -> ir.Value:
    """What all trees say together, `[N, targets]` in the type of features, float32 or float64."""
    if aggregate not in _REDUCTIONS:
        raise StaysError(f"aggregate_function={aggregate!r}, expected {', '.join(_AGGREGATES)}")
    x = to.given(0, "X")
    width = to.shape(x, 2)[1]
    may_miss = to.dtype(x) not in _INTEGERS
    dtype: type[np.floating] = np.float64 if to.dtype(x) == ir.DataType.DOUBLE else np.float32
    x = to.cast(x, ir.DataType.DOUBLE if dtype is np.float64 else ir.DataType.FLOAT)
    inside = ensemble.modes != Mode.LEAF
    if width > _FEATURES_MAX:
        raise StaysError(f"rows of {width} features, expected at most {_FEATURES_MAX}")
    _all_below(ensemble.features[inside], np.array(width), "nodes_featureids")
    forest = forest_of(ensemble, dtype, may_miss)
    place = np.full(len(ensemble.modes), -1, np.int64)
    place[forest.leaves] = np.arange(len(forest.leaves))
    used = place[weights.nodes] >= 0
    leaves, targets = place[weights.nodes][used], weights.targets[used]
    table = _Weights(leaves, targets, weights.numbers[used].astype(dtype), weights.count)
    columns = _columns(ensemble, forest, table)
    if columns is None:
        sums = _of_all(to, x, forest, table, aggregate)
    elif table.count * max(map(len, columns)) <= _UNEVEN * max(len(forest.roots), table.count):
        sums = _of_columns(to, x, forest, table, columns, aggregate)
    elif _REDUCTIONS[aggregate] == "ReduceSum" and bool(np.isfinite(table.numbers).all()):
        sums = _of_products(to, x, forest, table, columns)
    else:
        sums = _of_all(to, x, forest, table, aggregate)
    return sums if aggregate != "AVERAGE" else to.scaled(sums, 1 / len(forest.roots))


def _columns(ensemble: Ensemble, forest: Forest, table: _Weights) -> list[np.ndarray] | None:
    """The trees of each target, as positions among the roots; None if a tree adds to several, or leaves are of several trees."""
    inside = ensemble.modes != Mode.LEAF
    led_to = np.concatenate([ensemble.true[inside], ensemble.false[inside], ensemble.roots])
    if table.count == 1:
        return [np.arange(len(forest.roots))]
    if len(np.unique(led_to)) != len(led_to):
        return None
    pairs = np.unique(np.stack([forest.trees[table.nodes], table.targets]), axis=1)
    if len(np.unique(pairs[0])) != pairs.shape[1]:
        return None
    order = np.argsort(pairs[1], kind="stable")
    return np.split(pairs[0][order], np.searchsorted(pairs[1][order], np.arange(1, table.count)))


def _of_columns(
    to: Writer, x: ir.Value, forest: Forest, table: _Weights, columns: list[np.ndarray], aggregate: str
) -> ir.Value:
    """Sums where each tree adds to one target: a number for each leaf. Targets with fewer trees get some that are a bare leaf."""
    width = max(1, *(len(trees) for trees in columns))
    bare = len(forest.nodes)
    node = np.zeros((1, forest.nodes.shape[1]), forest.nodes.dtype)
    node[:, FIRST:] = bare
    roots = np.full((table.count, width), bare, np.int32)
    for at, trees in zip(roots, columns, strict=True):
        at[: len(trees)] = forest.roots[trees]
    numbers, is_missing = _put((len(forest.leaves) + 1,), table.nodes, table, aggregate)
    none = bool(is_missing[:-1].any()) or not all(map(len, columns))
    leaves = _leaves(to, x, np.concatenate([forest.nodes, node]), roots.reshape(-1), forest)
    addends = to.gather(to.constant(numbers), leaves)
    if table.count > 1:
        addends = to.reshape(addends, (to.shape(x)[0], table.count, width))
    sums = to.reshape(
        reduced(to, _REDUCTIONS[aggregate], addends, (len(to.shape(addends)) - 1,)),
        (to.shape(x)[0], table.count),
    )
    return _or_zero(to, sums, aggregate) if none else sums


def _of_products(
    to: Writer, x: ir.Value, forest: Forest, table: _Weights, columns: list[np.ndarray]
) -> ir.Value:
    """Sums where each tree adds to one target, and some targets have many more trees than others: a product with ones."""
    numbers, _ = _put((len(forest.leaves),), table.nodes, table, "SUM")
    ones = np.zeros((len(forest.roots), table.count), table.numbers.dtype)
    for target, trees in enumerate(columns):
        ones[trees, target] = 1
    addends = to.gather(to.constant(numbers), _leaves(to, x, forest.nodes, forest.roots, forest))
    return to.op("MatMul", [addends, to.constant(ones)])


def _of_all(to: Writer, x: ir.Value, forest: Forest, table: _Weights, aggregate: str) -> ir.Value:
    """Sums where a tree may add to every target: a row of numbers for each leaf."""
    shape = len(forest.leaves), table.count
    if shape[0] * shape[1] > _TABLE_MAX:
        raise StaysError(
            f"{shape[0]} leaves that add to any of {shape[1]} targets: more than {_TABLE_MAX} numbers"
        )
    numbers, is_missing = _put(shape, (table.nodes, table.targets), table, aggregate)
    addends = to.gather(to.constant(numbers), _leaves(to, x, forest.nodes, forest.roots, forest))
    sums = to.reshape(reduced(to, _REDUCTIONS[aggregate], addends), (to.shape(x)[0], table.count))
    return _or_zero(to, sums, aggregate) if is_missing.any() else sums


def _leaves(to: Writer, x: ir.Value, nodes: np.ndarray, roots: np.ndarray, forest: Forest) -> ir.Value:
    attributes = [ir.AttrInt64("leaf", forest.leaf), ir.AttrString("missing", forest.missing)]
    attributes += [ir.AttrInt64("strict", int(forest.strict))]
    leaves = to.ops(NAME, [x, to.constant(nodes), to.constant(roots)], attributes, domain=DOMAIN)[0]
    output_type(leaves, ir.DataType.INT32, (to.shape(x)[0], len(roots)))
    return leaves


def _put(
    shape: tuple[int, ...], where: Any, table: _Weights, aggregate: str
) -> tuple[np.ndarray, np.ndarray]:
    """A table with all numbers, and where it has none. Several in one place count as those of several trees do."""
    numbers, is_missing = np.full(shape, _NOTHING[aggregate], table.numbers.dtype), np.ones(shape, bool)
    is_missing[where] = False
    {"MIN": np.minimum, "MAX": np.maximum}.get(aggregate, np.add).at(numbers, where, table.numbers)
    return numbers, is_missing


def _or_zero(to: Writer, sums: ir.Value, aggregate: str) -> ir.Value:
    """Of no number the least and the largest are 0, as onnxruntime has it."""
    none = _NOTHING[aggregate]
    if none == 0:
        return sums
    return to.op("Where", [to.op("Equal", [sums, to.like(none, sums)]), to.like(0, sums), sums])


WRITERS: Mapping[str, Write] = {
    "TreeEnsembleRegressor": _regressor,
    "TreeEnsembleClassifier": _classifier,
    "TreeEnsemble": _ensemble,
}
