"""Decision trees: which leaf of each tree a row of features comes to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ingot.base.tensor import DType, TensorType
from ingot.kernels.trees import FEATURE as FEATURE
from ingot.kernels.trees import FIRST as FIRST
from ingot.kernels.trees import MISSING as MISSING
from ingot.kernels.trees import SECOND as SECOND
from ingot.kernels.trees import THRESHOLD as THRESHOLD
from ingot.kernels.trees import WALKS, WORDS, Forest, trees_template
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor

DOMAIN, NAME = "ingot", "TreeLeaves"


def _lower(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """TreeLeaves 1, which ingot writes for the ensembles of ai.onnx.ml: numbers of leaves, int32 `[N, trees]`.

    Inputs are rows of features `[N, F]`, float32 or float64, and two constants: nodes `[count, 4]`, integers as wide as a
    feature, and the node `[trees]`, int32, that each tree begins with. A node is the bits of a threshold, the number of a
    feature, and two other nodes: a row whose feature is at most the threshold, or with `strict` less than it, goes to the first,
    others to the second. Nodes from `leaf` on are leaves, which are counted from it, and lead to themselves. `missing` says where
    NaN goes, by a name of `MISSING`.
    """
    x = call_.input(0)
    word = WORDS.get(x.dtype)
    if word is None or x.rank != 2:
        call_.unsupported(f"input 0 is {x.type}, expected float32 or float64 with 2 dimensions")
    nodes, roots = call_.constant(1, "nodes"), call_.constant(2, "roots")
    leaf, missing = int(call_.attr("leaf", 0)), str(call_.attr("missing", MISSING[0]))
    if call_.input(1).dtype is not word or nodes.ndim != 2 or nodes.shape[1] != 1 + SECOND:
        call_.unsupported(f"input 1 (nodes) is {call_.input(1).type}, expected {word.value}[count, 4]")
    if call_.input(2).dtype is not DType.INT32 or roots.ndim != 1 or missing not in MISSING:
        call_.unsupported(
            f"input 2 (roots) is {call_.input(2).type}, missing={missing!r}: expected int32[trees], of {MISSING}"
        )
    features = nodes[:, FEATURE] >> (
        missing == "either"
    )  # those of leaves are read, too, by walks that are at their ends
    children = nodes[:, FIRST:]
    if not (
        0 <= leaf < len(nodes)
        and (leaf == 0 or _all_in(features, x.shape[1]))
        and _all_in(children, len(nodes))
        and _all_in(roots, len(nodes))
        and bool((children[leaf:] == np.arange(leaf, len(nodes))[:, None]).all())
    ):
        call_.unsupported(
            f"nodes lead out of the {len(nodes)} there are, or out of a leaf, or read features behind {x.shape[1]}"
        )
    output = TensorType(DType.INT32, (x.shape[0], len(roots)))
    if not output.size:
        return (emit.constant(np.zeros(output.shape, np.int32)),)
    depths = _depths(call_, nodes, leaf, roots)
    steps = tuple(max(depths[at : at + WALKS]) for at in range(0, len(depths), WALKS))
    strict = bool(call_.attr("strict", 0))
    forest = Forest(x.type, len(roots), leaf, missing, strict, steps)
    inputs = [x, call_.input(1), call_.input(2), emit.constant(np.array(steps, np.int32))]
    return tuple(emit.template(trees_template([tensor.type for tensor in inputs], output, forest), inputs))


def _all_in(numbers: np.ndarray, count: int) -> bool:
    return not numbers.size or (int(numbers.min()) >= 0 and int(numbers.max()) < count)


def _depths(call_: OpCall, nodes: np.ndarray, leaf: int, roots: np.ndarray) -> list[int]:
    """How many steps each tree takes at most."""
    depths = np.zeros(len(roots), np.int64)
    at, tree = roots.astype(np.int64), np.arange(len(roots))
    for depth in range(len(nodes) + 1):
        goes_on = at < leaf
        if not goes_on.any():
            return [int(depth) for depth in depths]
        at, tree = at[goes_on], tree[goes_on]
        depths[tree] = depth + 1
        # Nodes that more than one other leads to are followed once.
        flat = np.unique(np.concatenate([tree * len(nodes) + nodes[at, way] for way in (FIRST, SECOND)]))
        tree, at = np.divmod(flat, len(nodes))
    return call_.unsupported("a tree's nodes lead in a circle")


OPERATORS: tuple[OpDef, ...] = (OpDef(DOMAIN, NAME, 1, _lower, constant_inputs=(1, 2)),)
