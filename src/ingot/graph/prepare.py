"""The passes between reading and lowering, in order."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from ingot.base.defects import defects_named
from ingot.graph.dialects.onnxruntime.operators import plain_operators
from ingot.graph.lower import OperatorTable, lower
from ingot.graph.passes.border.sequences import resolve_sequences
from ingot.graph.passes.border.text import take_out_text
from ingot.graph.passes.control_flow.branches import inline_branches, join_branches
from ingot.graph.passes.control_flow.functions import inline_local_functions, inline_operator_functions
from ingot.graph.passes.control_flow.unroll import Unroller
from ingot.graph.passes.fuse.batch_norm import split_batch_norm
from ingot.graph.passes.fuse.fold_channel_affine import fold_scales
from ingot.graph.passes.fuse.merge_sliced_matmuls import join_products
from ingot.graph.passes.fuse.recognise_layer_norm import join_norms
from ingot.graph.passes.quantize.lookup_tables import tables_of_codes
from ingot.graph.passes.quantize.matmul_nbits import products_of_few_bits
from ingot.graph.passes.quantize.quantized import integer_operators
from ingot.graph.passes.tidy.dead import remove_dead
from ingot.graph.passes.tidy.fold import fold_constants
from ingot.graph.passes.tidy.fold_budget import FoldBudget
from ingot.graph.passes.tidy.fold_text import fold_text
from ingot.graph.passes.tidy.identities import remove_identities
from ingot.graph.passes.tidy.inner_shapes import complete_branches
from ingot.graph.passes.tidy.shapes import infer_shapes
from ingot.graph.read.call_sizes import NODES_MAX
from ingot.graph.read.check import check_blocks, check_outputs, check_sizes
from ingot.graph.read.damage import FAULTS
from ingot.graph.read.declared import Declarations, believe, compare
from ingot.graph.read.types import opset_of, static_shape
from ingot.graph.read.windows import check_windows
from ingot.graph.rewrite.clone import count_nodes
from ingot.ops.opdef import OpDef
from ingot.plan.program import Draft

# How deep functions may contain functions; ONNX's own are three deep.
DEPTH_MAX = 32
# Stays until integer operators were made: folded, the codes of the weights would be lost.
KEPT = frozenset({"DequantizeLinear"})


@defects_named("the passes of the graph", *FAULTS)
def prepare(model: ir.Model, operators: Sequence[OpDef], declarations: Declarations | None = None) -> ir.Model:
    """Runs all graph passes on a model that `read_model` gave, with the declarations that it found. The given model is used up.

    Raises:
        ModelError: what passes found out contradicts what the model states.
        InternalError: a pass gave an output another shape.
    """
    table = OperatorTable(operators)
    known = Declarations() if declarations is None else declarations

    def is_native(node: ir.Node) -> bool:
        return table.find(node.domain, node.op_type, opset_of(model, node.domain)) is not None

    own = count_nodes(model.graph)
    model = inline_local_functions(model)
    unroller = Unroller(NODES_MAX - (count_nodes(model.graph) - own))
    budget = FoldBudget(model)
    depth = 0
    while depth < DEPTH_MAX:
        fold_constants(model, KEPT, budget)
        while plain_operators(model):  # each time there are fewer of them
            fold_constants(model, KEPT, budget)
        if fold_text(model):
            continue
        if inline_branches(model) | unroller.unroll(model) | resolve_sequences(model):
            continue  # of these there are fewer each time, and each may have waited for the one before
        model, changed = inline_operator_functions(model, is_native)
        depth += changed
        if not changed and not join_branches(model) and not complete_branches(model) and not believe(model, known):
            break
    take_out_text(model)
    shapes = [static_shape(value) for value in model.graph.outputs]
    remove_identities(model)
    if join_products(model) | join_norms(model):
        remove_dead(model)
        infer_shapes(model)
    if any(node.op_type in KEPT for node in model.graph):
        check_blocks(model.graph, f"model {model.graph.name!r}")  # those that came out of functions and branches, too
        if products_of_few_bits(model):
            remove_dead(model)
            infer_shapes(model)
        integer_operators(model)
        remove_dead(model)
        tables_of_codes(model)
        remove_dead(model)
        fold_constants(model, budget=budget)
    split_batch_norm(model)
    fold_scales(model)
    remove_dead(model)
    infer_shapes(model)
    check_windows(model.graph, f"model {model.graph.name!r}")
    check_sizes((value for node in model.graph for value in node.outputs), f"model {model.graph.name!r}")
    check_outputs(model.graph.outputs, shapes, f"model {model.graph.name!r}")
    compare(model, known)
    return model


def to_draft(model: ir.Model, operators: Sequence[OpDef]) -> Draft:
    """Runs all graph passes on a model that was read, and lowers it. Everything that can be refused is refused here."""
    return lower(prepare(model, operators), operators)
