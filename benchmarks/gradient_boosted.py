"""Gradient-boosted trees as scikit-learn's converters write them, with random splits."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper

SEED = 3
TREES, DEPTH, FEATURES = 100, 6, 32


def gradient_boosted() -> bytes:
    """100 full trees of depth 6 over 32 features, x [1, 32] → y [1, 1]."""
    random = np.random.default_rng(SEED)
    inner, every = 2**DEPTH - 1, 2 ** (DEPTH + 1) - 1
    split = np.arange(every) < inner
    children = np.arange(every) * 2
    leaves = np.flatnonzero(~split)
    node = helper.make_node(
        "TreeEnsembleRegressor",
        ["x"],
        ["y"],
        "trees",
        domain="ai.onnx.ml",
        n_targets=1,
        nodes_treeids=np.repeat(np.arange(TREES), every).tolist(),
        nodes_nodeids=np.tile(np.arange(every), TREES).tolist(),
        nodes_featureids=random.integers(0, FEATURES, TREES * every).tolist(),
        nodes_modes=["BRANCH_LEQ" if is_split else "LEAF" for is_split in np.tile(split, TREES)],
        nodes_values=random.standard_normal(TREES * every).astype(np.float32).tolist(),
        nodes_truenodeids=np.tile(np.where(split, children + 1, 0), TREES).tolist(),
        nodes_falsenodeids=np.tile(np.where(split, children + 2, 0), TREES).tolist(),
        nodes_missing_value_tracks_true=[0] * (TREES * every),
        target_treeids=np.repeat(np.arange(TREES), len(leaves)).tolist(),
        target_nodeids=np.tile(leaves, TREES).tolist(),
        target_ids=[0] * (TREES * len(leaves)),
        target_weights=(random.standard_normal(TREES * len(leaves)) * 0.1).astype(np.float32).tolist(),
    )
    graph = helper.make_graph(
        [node],
        "trees",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, FEATURES])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1])],
    )
    domains = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    model = helper.make_model(graph, opset_imports=domains, ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString()
