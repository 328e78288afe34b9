"""Ensembles of trees of ai.onnx.ml, random ones, against onnxruntime."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import ingot
from ingot.base.errors import ModelError, UnsupportedError
from ingot.graph.dialects.ml.forest import Ensemble, Mode, forest_of
from ingot.graph.evaluate.reference import run_reference
from tests.support.contrib import by_ingot, by_onnxruntime

ORDERED = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT")
EQUAL = ("BRANCH_EQ", "BRANCH_NEQ")
FEATURES = 5
TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


class Trees:
    """Random trees as attributes of version 1, and their leaves."""

    def __init__(self, seed, *, trees, depth, modes=("BRANCH_LEQ",), missing=(0,), chance=0.8):
        self.random = np.random.default_rng(seed)
        self.depth, self.modes, self.missing, self.chance = depth, modes, missing, chance
        ids = ("treeids", "nodeids", "featureids")
        names = (*ids, "values", "modes", "truenodeids", "falsenodeids", "missing_value_tracks_true")
        self.lists = {f"nodes_{name}": [] for name in names}
        self.leaves = []  # (tree, node)
        for tree in range(trees):
            self._count = 0
            self._grow(tree, 0)

    def _grow(self, tree, level):
        node, self._count = self._count, self._count + 1
        row = len(self.lists["nodes_nodeids"])
        is_leaf = level == self.depth or (level > 0 and self.random.random() > self.chance)
        mode = "LEAF" if is_leaf else str(self.random.choice(self.modes))
        value = float(self.random.integers(-3, 4)) / 2
        new = (
            tree,
            node,
            int(self.random.integers(FEATURES)),
            value,
            mode,
            0,
            0,
            int(self.random.choice(self.missing)),
        )
        for name, one in zip(self.lists, new, strict=True):
            self.lists[name].append(one)
        if is_leaf:
            self.leaves.append((tree, node))
            return node
        for side in ("true", "false"):
            self.lists[f"nodes_{side}nodeids"][row] = self._grow(tree, level + 1)
        return node

    def weights(self, what, targets, *, every=False, low=-1.0):
        """Attributes that give each leaf a weight for one target, that of its tree, or for all."""
        entries = [
            (tree, node, target, float(np.float32(self.random.uniform(low, 1))))
            for tree, node in self.leaves
            for target in (range(targets) if every else [tree % targets])
        ]
        names = ("treeids", "nodeids", "ids", "weights")
        lists = {
            f"{what}_{name}": list(column)
            for name, column in zip(names, zip(*entries, strict=True), strict=True)
        }
        return lists | ({"n_targets": targets} if what == "target" else {})

    def rows(self, count, dtype=np.float32, nan=False):
        """Features that often are as large as a node's value."""
        x = (self.random.integers(-4, 5, (count, FEATURES)) / 2).astype(dtype)
        if nan:
            x[self.random.random(x.shape) < 0.3] = np.nan
        return x


def ensemble(op, attributes, x, outputs, version=3):
    def code(dtype):
        return onnx.TensorProto.STRING if dtype is str else helper.np_dtype_to_tensor_dtype(np.dtype(dtype))

    given = helper.make_tensor_value_info("x", code(x.dtype), x.shape)
    made = [helper.make_tensor_value_info(f"y{at}", code(one), None) for at, one in enumerate(outputs)]
    node = helper.make_node(
        op, ["x"], [one.name for one in made], name="node", domain="ai.onnx.ml", **attributes
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", version)]
    return helper.make_model(
        helper.make_graph([node], "g", [given], made), opset_imports=imports, ir_version=10
    )


def agree(op, attributes, x, outputs=(np.float32,), version=3, target="interp"):
    model = ensemble(op, attributes, x, outputs, version)
    for ours, theirs in zip(by_ingot(model, {"x": x}, target), by_onnxruntime(model, {"x": x}), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs.reshape(ours.shape), rtol=1e-5, atol=2e-6)


# ─── walks ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mode", [*ORDERED, *EQUAL])
@pytest.mark.parametrize("missing", [(0,), (1,), (0, 1)])
def test_every_comparison_and_where_missing_numbers_go(mode, missing):
    trees = Trees(1, trees=9, depth=4, modes=(mode,), missing=missing)
    for nan in (False, True):
        if not nan or mode != "BRANCH_NEQ":  # of which see below
            agree(
                "TreeEnsembleRegressor",
                trees.lists | trees.weights("target", 1),
                trees.rows(67, nan=nan),
                target="llvmjit",
            )


@pytest.mark.parametrize("missing", [(0,), (1,), (0, 1)])
def test_trees_of_several_comparisons(missing):
    trees = Trees(2, trees=11, depth=5, modes=(*ORDERED, "BRANCH_EQ"), missing=missing)
    agree("TreeEnsembleRegressor", trees.lists | trees.weights("target", 1), trees.rows(33, nan=True))


@pytest.mark.parametrize("missing", [0, 1])
def test_a_missing_number_is_not_unequal_unless_the_node_says_so(missing):
    """As the text and ONNX's reference of versions 1 and 3 have it; onnxruntime takes it as unequal."""
    attributes = stump("BRANCH_NEQ", 0.5, missing)
    x = np.array([[0.5], [0], [np.nan]], np.float32)
    (found,) = by_ingot(ensemble("TreeEnsembleRegressor", attributes, x, (np.float32,)), {"x": x})
    assert found.ravel().tolist() == [2, 1, 2 - missing]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 9, 16, 21])
@pytest.mark.parametrize("rows", [1, 2, 7, 65])
def test_any_number_of_trees_and_rows(count, rows):
    trees = Trees(count, trees=count, depth=6)
    agree(
        "TreeEnsembleRegressor", trees.lists | trees.weights("target", 1), trees.rows(rows), target="llvmjit"
    )


def test_trees_that_are_deep_beside_shallow_ones():
    trees = Trees(2, trees=12, depth=60, chance=0.5)
    depths = {tree: sum(one == tree for one in trees.lists["nodes_treeids"]) for tree in range(12)}
    assert min(depths.values()) == 3 and max(depths.values()) > 30
    agree("TreeEnsembleRegressor", trees.lists | trees.weights("target", 1), trees.rows(40), target="llvmjit")


def test_a_tree_may_be_a_bare_leaf():
    leaf = {
        f"nodes_{name}": [0] for name in ("treeids", "nodeids", "featureids", "truenodeids", "falsenodeids")
    }
    leaf |= {"nodes_values": [0.0], "nodes_modes": ["LEAF"]}
    leaf |= {
        "target_treeids": [0],
        "target_nodeids": [0],
        "target_ids": [0],
        "target_weights": [0.75],
        "n_targets": 1,
    }
    agree("TreeEnsembleRegressor", leaf, np.zeros((3, 2), np.float32))


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.int32])
def test_features_of_other_types(dtype):
    trees = Trees(4, trees=10, depth=5, modes=ORDERED)
    attributes = trees.lists | trees.weights("class", 3) | {"classlabels_int64s": [0, 1, 2]}
    agree("TreeEnsembleClassifier", attributes, trees.rows(20, dtype), (np.int64, np.float32))


def test_thresholds_of_64_bits_are_not_rounded():
    trees = Trees(5, trees=8, depth=4)
    attributes = dict(trees.lists) | trees.weights("target", 1)
    for name in ("nodes_values", "target_weights"):
        attributes[f"{name}_as_tensor"] = numpy_helper.from_array(np.array(attributes.pop(name)) + 1e-12)
    x = trees.rows(50, np.float64)
    agree("TreeEnsembleRegressor", attributes, x)
    x += 2e-12
    agree("TreeEnsembleRegressor", attributes, x)


def test_nothing_is_less_than_minus_infinity():
    trees = Trees(6, trees=2, depth=2, modes=("BRANCH_LT", "BRANCH_GTE"))
    trees.lists["nodes_values"] = [-np.inf] * len(trees.lists["nodes_values"])
    x = trees.rows(9)
    x[::2] = -np.inf
    agree("TreeEnsembleRegressor", trees.lists | trees.weights("target", 1), x)


@pytest.mark.parametrize("mode", ORDERED)
@pytest.mark.parametrize("missing", [0, 1])
def test_no_number_compares_with_nan(mode, missing):
    """All go to the false child, and missing numbers where the node says; beside another comparison and alone."""
    attributes = stump(mode, np.nan, missing)
    x = np.array([[-np.inf], [0], [np.inf], [np.nan]], np.float32)
    alone = ensemble("TreeEnsembleRegressor", attributes, x, (np.float32,))
    assert by_ingot(alone, {"x": x})[0].ravel().tolist() == [2, 2, 2, 2 - missing]
    other = "BRANCH_LEQ" if mode in ("BRANCH_LT", "BRANCH_GTE") else "BRANCH_LT"
    second = stump(other, np.inf) | {"nodes_treeids": [1, 1, 1], "target_treeids": [1, 1]}
    both = {name: [*attributes[name], *second[name]] for name in attributes if name != "n_targets"} | {
        "n_targets": 1
    }
    both["target_weights"] = [1.0, 2.0, 0.0, 0.0]
    beside = ensemble("TreeEnsembleRegressor", both, x, (np.float32,))
    assert by_ingot(beside, {"x": x})[0].ravel().tolist() == [2, 2, 2, 2 - missing]


def stump(mode, value, missing=0):
    """A tree of one node: 1 if it is true, else 2."""
    return {
        "nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0, 0, 0], "nodes_values": [value, 0.0, 0.0],
        "nodes_modes": [mode, "LEAF", "LEAF"], "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0],
        "nodes_missing_value_tracks_true": [missing, 0, 0], "target_treeids": [0, 0], "target_nodeids": [1, 2],
        "target_ids": [0, 0], "target_weights": [1.0, 2.0], "n_targets": 1,
    }  # fmt: skip


def test_the_least_number_has_one_before_it():
    x = np.array([[-np.inf], [-3.4028235e38], [0]], np.float32)
    for mode in ("BRANCH_LT", "BRANCH_EQ"):
        agree("TreeEnsembleRegressor", stump(mode, -3.4028235e38), x)


def test_trees_of_less_keep_their_thresholds():
    """So that 0 is not less than 0 for a thread that takes subnormal numbers for 0."""
    trees = Trees(23, trees=5, depth=3, modes=("BRANCH_LT", "BRANCH_GTE"), missing=(0, 1))
    attributes = trees.lists | trees.weights("target", 1)
    x = trees.rows(40, nan=True)
    agree("TreeEnsembleRegressor", attributes, x)
    modes = np.array([Mode.LT, Mode.LEAF, Mode.LEAF])
    numbers, zeros = np.arange(3), np.zeros(3, np.int64)
    forest = forest_of(
        Ensemble(modes, zeros, np.zeros(3), zeros + 1, zeros + 2, zeros > 0, numbers[:1]), np.float32, True
    )
    assert forest.strict and forest.nodes[0, 0] == 0


def test_nodes_that_a_hostile_model_reads_behind_its_features_are_refused():
    """Walks that are at their ends read, too."""
    nodes = np.array([[0, 0, 1, 2], [0, 2**30, 1, 1], [0, 0, 2, 2]], np.int32)
    node = helper.make_node(
        "TreeLeaves", ["x", "n", "r"], ["y"], name="node", domain="ingot", leaf=1, missing="second"
    )
    given = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 3])
    made = helper.make_tensor_value_info("y", onnx.TensorProto.INT32, [2, 30])
    constants = [numpy_helper.from_array(nodes, "n"), numpy_helper.from_array(np.zeros(30, np.int32), "r")]
    graph = helper.make_graph([node], "g", [given], [made], constants)
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("ingot", 1)]
    with pytest.raises(UnsupportedError, match="read features behind 3"):
        ingot.build(helper.make_model(graph, opset_imports=imports, ir_version=8), cache=None)


@pytest.mark.parametrize("target", ["llvmjit", pytest.param("c", marks=pytest.mark.cc)])
def test_other_code_generators_walk_the_same_way(target):
    trees = Trees(7, trees=11, depth=5, modes=ORDERED, missing=(0, 1))
    attributes = trees.lists | trees.weights("target", 1)
    agree("TreeEnsembleRegressor", attributes, trees.rows(5, nan=True), target=target)


def test_threads_share_rows_and_trees():
    trees = Trees(8, trees=64, depth=9, chance=1.0)
    attributes = trees.lists | trees.weights("target", 1)
    for rows in (1, 300):
        x = trees.rows(rows)
        model = ensemble("TreeEnsembleRegressor", attributes, x, (np.float32,))
        library = ingot.build(model, "llvmjit", cache=None).load()
        answers = []
        for threads in (1, 2, 3):
            made = library["g"](ingot.cpu(0), threads=threads)
            answers.append(made.predict(x=x).tobytes())
        assert len(set(answers)) == 1
        expected = by_onnxruntime(model, {"x": x})[0].ravel()
        np.testing.assert_allclose(np.frombuffer(answers[0], np.float32), expected, rtol=1e-5, atol=1e-5)


# ─── sums ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("aggregate", ["SUM", "AVERAGE", "MIN", "MAX"])
@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("targets", [1, 3])
def test_sums_of_several_targets(targets, every, aggregate):
    trees = Trees(9, trees=10, depth=4)
    attributes = trees.lists | trees.weights("target", targets, every=every)
    attributes |= {"n_targets": targets, "aggregate_function": aggregate}
    agree("TreeEnsembleRegressor", attributes, trees.rows(20))
    attributes["base_values"] = [0.5 * (at + 1) for at in range(targets)]
    agree("TreeEnsembleRegressor", attributes, trees.rows(20))


@pytest.mark.parametrize("aggregate", ["SUM", "MIN", "MAX"])
def test_a_target_without_trees_is_zero(aggregate):
    trees = Trees(10, trees=2, depth=3)
    attributes = trees.lists | trees.weights("target", 2) | {"n_targets": 4, "aggregate_function": aggregate}
    agree("TreeEnsembleRegressor", attributes, trees.rows(9))


@pytest.mark.parametrize("aggregate", ["SUM", "AVERAGE", "MIN"])
def test_targets_with_many_more_trees_than_others(aggregate):
    trees = Trees(24, trees=20, depth=3)
    attributes = trees.lists | trees.weights("target", 1) | {"n_targets": 9, "aggregate_function": aggregate}
    attributes["target_ids"] = [8 if tree else 2 for tree in attributes["target_treeids"]]
    agree("TreeEnsembleRegressor", attributes, trees.rows(20))


def test_an_infinite_weight_is_a_number():
    for aggregate, weight in (("MIN", np.inf), ("MAX", -np.inf)):
        attributes = stump("BRANCH_LEQ", 0.0) | {
            "target_weights": [weight, 2.0],
            "aggregate_function": aggregate,
        }
        agree("TreeEnsembleRegressor", attributes, np.array([[-1], [1]], np.float32))


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_scores_of_several_targets_are_transformed(transform):
    trees = Trees(11, trees=6, depth=3)
    attributes = (
        trees.lists | trees.weights("target", 3, low=0.05) | {"n_targets": 3, "post_transform": transform}
    )
    attributes["aggregate_function"] = "AVERAGE"
    agree("TreeEnsembleRegressor", attributes, trees.rows(20))


# ─── classes ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("transform", TRANSFORMS[:3])
@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("base", [False, True])
def test_classes_and_their_scores(base, every, transform):
    trees = Trees(12, trees=9, depth=4)
    attributes = trees.lists | trees.weights("class", 3, every=every)
    attributes |= {"classlabels_int64s": [4, -7, 9], "post_transform": transform}
    if base:
        attributes["base_values"] = [0.1, -0.2, 0.3]
    agree("TreeEnsembleClassifier", attributes, trees.rows(30), (np.int64, np.float32))


@pytest.mark.parametrize("transform", ["NONE", "LOGISTIC", "SOFTMAX"])
@pytest.mark.parametrize("base", [(), (-0.3,)])
def test_two_classes_by_the_sum_of_one(base, transform):
    trees = Trees(13, trees=7, depth=4)
    attributes = (
        trees.lists | trees.weights("class", 1) | {"classlabels_int64s": [3, 5], "post_transform": transform}
    )
    if base:
        attributes["base_values"] = list(base)
    agree("TreeEnsembleClassifier", attributes, trees.rows(30), (np.int64, np.float32))


def test_two_classes_by_a_chance():
    trees = Trees(14, trees=4, depth=4)
    attributes = trees.lists | trees.weights("class", 1, low=0.0) | {"classlabels_int64s": [0, 1]}
    attributes["class_weights"] = [one / 4 for one in attributes["class_weights"]]
    agree("TreeEnsembleClassifier", attributes, trees.rows(30), (np.int64, np.float32))


def test_two_classes_with_weights_for_both():
    """The label is that of the larger sum, as in ONNX's reference; onnxruntime takes the second class once its sum is above 0."""
    trees = Trees(15, trees=5, depth=4)
    attributes = trees.lists | trees.weights("class", 2, every=True, low=0.0) | {"classlabels_int64s": [0, 1]}
    x = trees.rows(30)
    model = ensemble("TreeEnsembleClassifier", attributes, x, (np.int64, np.float32))
    labels, scores = by_ingot(model, {"x": x})
    np.testing.assert_allclose(scores, by_onnxruntime(model, {"x": x})[1], rtol=1e-5, atol=2e-6)
    assert labels.tolist() == scores.argmax(axis=1).tolist() and len(set(labels.tolist())) == 2


# ─── version 5 ─────────────────────────────────────────────────────────────────────────────────────────────────────


def version_5(trees, targets, *, members=(), dtype=np.float32, **more):
    """The same trees in the form of TreeEnsemble 5."""
    lists = trees.lists
    inner = [at for at, mode in enumerate(lists["nodes_modes"]) if mode != "LEAF"]
    key = {
        pair: at for at, pair in enumerate(zip(lists["nodes_treeids"], lists["nodes_nodeids"], strict=True))
    }
    number = {at: place for place, at in enumerate(inner)}
    leaf = {key[pair]: place for place, pair in enumerate(trees.leaves)}
    codes = {name: at for at, name in enumerate((*ORDERED, *EQUAL, "MEMBER"))}
    attributes = {
        "nodes_featureids": [lists["nodes_featureids"][at] for at in inner],
        "nodes_splits": numpy_helper.from_array(np.array([lists["nodes_values"][at] for at in inner], dtype)),
        "nodes_modes": numpy_helper.from_array(
            np.array([codes[lists["nodes_modes"][at]] for at in inner], np.uint8)
        ),
        "nodes_missing_value_tracks_true": [lists["nodes_missing_value_tracks_true"][at] for at in inner],
        "tree_roots": [number[at] for at, node in enumerate(lists["nodes_nodeids"]) if node == 0],
        "leaf_targetids": [tree % targets for tree, _ in trees.leaves],
        "leaf_weights": numpy_helper.from_array(trees.random.uniform(-1, 1, len(trees.leaves)).astype(dtype)),
        "n_targets": targets,
    }
    for side in ("true", "false"):
        children = [key[lists["nodes_treeids"][at], lists[f"nodes_{side}nodeids"][at]] for at in inner]
        attributes[f"nodes_{side}nodeids"] = [leaf.get(at, number.get(at)) for at in children]
        attributes[f"nodes_{side}leafs"] = [int(at in leaf) for at in children]
    if members:
        values = np.concatenate([[*one, np.nan] for one in members]).astype(dtype)
        attributes["membership_values"] = numpy_helper.from_array(values)
    return attributes | more


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("aggregate", [0, 1, 2, 3])
def test_version_5(aggregate, dtype):
    trees = Trees(16, trees=9, depth=4, modes=ORDERED, missing=(0, 1), chance=0.9)
    attributes = version_5(trees, 3, dtype=dtype, aggregate_function=aggregate, post_transform=0)
    agree("TreeEnsemble", attributes, trees.rows(30, dtype, nan=True), (dtype,), version=5)


@pytest.mark.parametrize(("transform", "theirs"), [(0, 0), (1, 2), (2, 1), (3, 3)])
def test_version_5_with_a_transform(transform, theirs):
    """By the numbers of the text, in which 1 is SOFTMAX and 2 LOGISTIC; onnxruntime has them the other way round."""
    trees = Trees(17, trees=6, depth=4)
    attributes, x = version_5(trees, 3), trees.rows(30)
    ours, other = (
        ensemble("TreeEnsemble", attributes | {"post_transform": number}, x, (np.float32,), 5)
        for number in (transform, theirs)
    )
    np.testing.assert_allclose(
        by_ingot(ours, {"x": x})[0], by_onnxruntime(other, {"x": x})[0], rtol=1e-5, atol=2e-6
    )


@pytest.mark.parametrize("nan", [False, True])
@pytest.mark.parametrize("missing", [(0,), (1,)])
def test_sets(missing, nan):
    """Against what the text says: onnxruntime takes numbers of sets that are not whole for others."""
    trees = Trees(18, trees=8, depth=4, modes=("MEMBER", "BRANCH_LEQ"), missing=missing)
    count = sum(one == "MEMBER" for one in trees.lists["nodes_modes"])
    members = [
        trees.random.choice(np.arange(-4, 5) / 2, int(trees.random.integers(1, 7))) for _ in range(count)
    ]
    attributes, x = version_5(trees, 1, members=members), trees.rows(60, nan=nan)
    (found,) = by_ingot(ensemble("TreeEnsemble", attributes, x, (np.float32,), 5), {"x": x})
    np.testing.assert_allclose(found, by_definition(attributes, x, members), rtol=1e-5, atol=1e-6)


def test_a_missing_number_and_an_empty_set():
    trees = Trees(18, trees=3, depth=3, modes=("MEMBER",), missing=(1,), chance=1.0)
    members = [[] for one in trees.lists["nodes_modes"] if one == "MEMBER"]
    attributes, x = version_5(trees, 1, members=members), trees.rows(20, nan=True)
    (found,) = by_ingot(ensemble("TreeEnsemble", attributes, x, (np.float32,), 5), {"x": x})
    np.testing.assert_allclose(found, by_definition(attributes, x, members), rtol=1e-5, atol=1e-6)


def by_definition(attributes, x, members):
    """One target, sums; LEQ and sets."""
    splits, modes, weights = (
        numpy_helper.to_array(attributes[name]) for name in ("nodes_splits", "nodes_modes", "leaf_weights")
    )
    sets = iter(members)
    member = {at: set(next(sets)) for at, mode in enumerate(modes) if mode == 6}
    sums = np.zeros((len(x), 1))
    for number, row in enumerate(x):
        for root in attributes["tree_roots"]:
            node, is_leaf = root, False
            while not is_leaf:
                feature = row[attributes["nodes_featureids"][node]]
                if np.isnan(feature):
                    is_true = attributes["nodes_missing_value_tracks_true"][node]
                else:
                    is_true = feature in member[node] if node in member else feature <= splits[node]
                side = "true" if is_true else "false"
                node, is_leaf = (
                    attributes[f"nodes_{side}nodeids"][node],
                    attributes[f"nodes_{side}leafs"][node],
                )
            sums[number, 0] += weights[node]
    return sums


# ─── what is refused ───────────────────────────────────────────────────────────────────────────────────────────────


def regressor(**changes):
    trees = Trees(19, trees=2, depth=2, chance=1.0)
    attributes = trees.lists | trees.weights("target", 1) | changes
    attributes = {name: one for name, one in attributes.items() if one is not None}
    return ensemble("TreeEnsembleRegressor", attributes, trees.rows(3), (np.float32,))


def as_tensor(values):
    return {"nodes_values": None, "nodes_values_as_tensor": numpy_helper.from_array(values)}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"nodes_featureids": [FEATURES] * 14}, "nodes_featureids has 5, expected 0 to 4"),
        ({"nodes_featureids": [0] * 13}, "nodes_featureids has 13 elements, expected 14"),
        ({"nodes_truenodeids": [9] * 14}, "nodes_truenodeids has node 9 of tree 0, which is not there"),
        ({"nodes_truenodeids": [0] * 14}, "nodes of a tree lead in a circle"),
        ({"nodes_nodeids": [0] * 14}, "two nodes of a tree have the same number"),
        ({"nodes_modes": ["BRANCH_NOT"] * 14}, "nodes_modes has 'BRANCH_NOT'"),
        ({"target_ids": [1] * 8}, "target_ids has 1, expected 0 to 0"),
        ({"base_values": [1.0, 2.0]}, "base_values has 2 numbers for 1 sums"),
        ({"aggregate_function": "MODE"}, "aggregate_function='MODE'"),
        ({"n_targets": 0}, "n_targets=0, expected 1 to"),
        ({"n_targets": 2**32}, "n_targets=4294967296, expected 1 to"),
        (
            {"target_treeids": [2**62] * 8},
            "target_nodeids has node . of tree 4611686018427387904, which is not there",
        ),
        (as_tensor(np.zeros(14)), "nodes_values_as_tensor is float64, expected the type of the features"),
        (as_tensor(np.array(["a"] * 14)), "nodes_values_as_tensor is .*, expected the type of the features"),
        ({"post_transform": "TANH"}, "post_transform='TANH' is not known"),
    ],
)
def test_attributes_that_contradict_each_other_are_refused(changes, why):
    with pytest.raises(UnsupportedError, match=why):
        ingot.build(regressor(**changes), cache=None)


def test_classes_may_be_text():
    trees = Trees(20, trees=2, depth=2)
    attributes = trees.lists | trees.weights("class", 2, every=True) | {"classlabels_strings": ["cat", "dog"]}
    x = trees.rows(3)
    model = ensemble("TreeEnsembleClassifier", attributes, x, (str, np.float32))
    assert by_ingot(model, {"x": x})[0].tolist() == by_onnxruntime(model, {"x": x})[0].tolist()


# ─── what exporters write around them ──────────────────────────────────────────────────────────────────────────────


def test_a_domain_that_is_imported_twice_in_one_version_is_imported_once():
    model = regressor()
    model.opset_import.append(helper.make_opsetid("", 17))
    before = model.SerializeToString()
    ingot.build(model, "llvmjit", cache=None)
    assert model.SerializeToString() == before
    model.opset_import[-1].version = 18
    with pytest.raises(ModelError, match=r"imports versions 17 and 18 of the domain 'ai\.onnx'"):
        ingot.build(model, cache=None, strict=True)


@pytest.mark.parametrize("opset", [None, 7, 8, 9])
def test_models_of_old_opsets_are_brought_to_a_later_one(opset):
    trees = Trees(21, trees=3, depth=3)
    model = ensemble(
        "TreeEnsembleRegressor", trees.lists | trees.weights("target", 1), trees.rows(4), (np.float32,)
    )
    del model.opset_import[:]
    model.opset_import.append(helper.make_opsetid("ai.onnx.ml", 1))
    if opset is not None:
        model.opset_import.append(helper.make_opsetid("", opset))
        model.graph.node[0].output[0] = "sums"
        model.graph.node.append(helper.make_node("Identity", ["sums"], ["y0"]))
    x = trees.rows(4)
    np.testing.assert_allclose(
        by_ingot(model, {"x": x})[0], by_onnxruntime(regressor_at_17(model), {"x": x})[0], rtol=1e-5
    )


def regressor_at_17(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    del new.opset_import[:]
    new.opset_import.extend([helper.make_opsetid("ai.onnx.ml", 1), helper.make_opsetid("", 17)])
    return new


def zipped(labels):
    trees = Trees(22, trees=6, depth=3)
    attributes = trees.lists | trees.weights("class", 3) | {"classlabels_int64s": [0, 1, 2]}
    x = trees.rows(5)
    model = ensemble("TreeEnsembleClassifier", attributes, x, (np.int64, np.float32))
    model.graph.node.append(
        helper.make_node("ZipMap", ["y1"], ["maps"], domain="ai.onnx.ml", classlabels_int64s=labels)
    )
    model.graph.output[1].CopyFrom(
        helper.make_value_info(
            "maps",
            helper.make_sequence_type_proto(
                helper.make_map_type_proto(
                    onnx.TensorProto.INT64, helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, [])
                )
            ),
        )
    )
    return model, x


def test_maps_are_a_list_of_dicts_or_the_tensor_that_they_are_made_of(tmp_path):
    model, x = zipped([7, 5, 6])
    made = ingot.build(model, "llvmjit", cache=None).load()["g"]
    _, scores = made(maps=False).predict(x=x)
    maps = by_onnxruntime(model, {"x": x})[1]
    for got, expected in zip(made().predict(x=x)[1], maps, strict=True):
        assert got == pytest.approx(expected, rel=1e-5, abs=2e-6)
    np.testing.assert_allclose(scores, [[row[7], row[5], row[6]] for row in maps], rtol=1e-5, atol=2e-6)
    onnx.save(model, tmp_path / "zipped.onnx")
    _, outputs = run_reference(tmp_path / "zipped.onnx", {"x": x})
    np.testing.assert_allclose(scores, outputs["maps"], rtol=1e-5, atol=2e-6)


def test_other_maps_are_refused():
    model, _ = zipped([0, 1, 2])
    model.graph.node.append(helper.make_node("Identity", ["maps"], ["more"]))
    with pytest.raises(UnsupportedError, match="a list of maps can only be an output of the model"):
        ingot.build(model, cache=None)
    model.graph.node[1].op_type = "DictVectorizer"
    with pytest.raises(UnsupportedError, match="its input is a map that is no input of the model"):
        ingot.build(model, cache=None)
