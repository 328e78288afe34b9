"""The graph passes, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable

import onnx_ir as ir

from ingot.base.observe import Observer
from ingot.graph.dialects.onnxruntime.operators import plain_operators
from ingot.graph.passes.border.sequences import resolve_sequences
from ingot.graph.passes.border.text import take_out_text
from ingot.graph.passes.control_flow.branches import inline_branches, join_branches
from ingot.graph.passes.control_flow.functions import inline_local_functions, inline_operator_functions
from ingot.graph.passes.control_flow.keep_branches import keep_branches
from ingot.graph.passes.control_flow.keep_loops import keep_loops
from ingot.graph.passes.control_flow.unroll import Unroller
from ingot.graph.passes.fuse.batch_norm import split_batch_norm
from ingot.graph.passes.fuse.fold_channel_affine import fold_scales
from ingot.graph.passes.fuse.merge_sliced_matmuls import join_products
from ingot.graph.passes.fuse.recognise_layer_norm import join_norms
from ingot.graph.passes.pipeline import Group, Pass, Repeated, Runner, Step, Work, passes_of
from ingot.graph.passes.quantize.lookup_tables import make_lookup_tables
from ingot.graph.passes.quantize.matmul_nbits import recognise_matmul_nbits
from ingot.graph.passes.quantize.quantized import integer_operators
from ingot.graph.passes.tidy.backwards import infer_unbroadcast
from ingot.graph.passes.tidy.counts import give_room
from ingot.graph.passes.tidy.dead import remove_dead
from ingot.graph.passes.tidy.fold import fold_constants
from ingot.graph.passes.tidy.fold_budget import FoldBudget
from ingot.graph.passes.tidy.fold_text import fold_text
from ingot.graph.passes.tidy.identities import remove_identities
from ingot.graph.passes.tidy.inner_shapes import complete_branches
from ingot.graph.passes.tidy.shapes import infer_shapes
from ingot.graph.passes.tidy.subnormals import flush_subnormals
from ingot.graph.read.call_sizes import NODES_MAX
from ingot.graph.read.check import check_blocks
from ingot.graph.read.declared import Declarations, believe
from ingot.graph.rewrite.look import count_nodes

# How deep functions may contain functions; ONNX's own are three deep.
DEPTH_MAX = 32
# Stays until the integer operators are in place: once folded, weights are no longer quantized.
KEPT = frozenset({"DequantizeLinear"})


def _finds(change: Callable[[ir.Model], bool]) -> Callable[[Work], bool]:
    """The run of a pass that says whether it changed the model."""
    return lambda work: change(work.model)


def _does(change: Callable[[ir.Model], object]) -> Callable[[Work], bool]:
    """The run of a pass that nothing has to follow."""

    def run(work: Work) -> bool:
        change(work.model)
        return False

    return run


def _inline_local_functions(work: Work) -> bool:
    """What loops and functions may become from here on counts without what the model's own functions became."""
    own = count_nodes(work.model.graph)
    work.model = inline_local_functions(work.model)
    work.unroller = Unroller(NODES_MAX - (count_nodes(work.model.graph) - own))
    work.budget = FoldBudget(work.model)
    return False


def _fold_constants(work: Work) -> bool:
    fold_constants(work.model, KEPT, work.budget, work.sizes)
    return False


def _keep_loops(work: Work) -> bool:
    def resolve(model: ir.Model, stated: Declarations) -> ir.Model:
        return resolved(model, work, stated)

    return keep_loops(work.model, work.kept, resolve, work.declarations)


def _keep_branches(work: Work) -> bool:
    return keep_branches(work.model, work.kept, lambda model: resolved(model, work))


def resolved(model: ir.Model, around: Work, stated: Declarations | None = None) -> ir.Model:
    """A model that stands inside of a loop or a branch of another one, after the passes that resolve it. `stated` is what is
    stated of its values.
    """
    work = around.inside(model)
    work.declarations = stated or work.declarations
    Runner(Observer(), work.skip).run(RESOLVING, work)
    return work.model


def _inline_operator_functions(work: Work) -> bool:
    work.model, changed = inline_operator_functions(work.model, work.is_native)
    work.depth += changed
    return changed


def _has_dequantize(work: Work) -> bool:
    return any(node.op_type in KEPT for node in work.model.graph)


def _check_blocks(work: Work) -> bool:
    check_blocks(work.model.graph, f"model {work.model.graph.name!r}")
    return False


def _fold_dequantized(work: Work) -> bool:
    fold_constants(work.model, budget=work.budget, sizes=work.sizes)
    return False


REMOVE_DEAD = Pass("remove-dead", "removes nodes and weights that nobody reads", _does(remove_dead))
INFER_SHAPES = Pass("infer-shapes", "infers the type and shape of every value", _does(infer_shapes))

RESOLVE_SEQUENCES = Pass(
    "resolve-sequences", "follows elements of sequences to who reads them", _finds(resolve_sequences)
)

# Afterwards there are no functions, branches, loops and sequences any more, and every shape is known.
RESOLVING: tuple[Step, ...] = (
    Pass(
        "inline-local-functions",
        "writes out the model's own functions where they are called",
        _inline_local_functions,
    ),
    Repeated(
        (
            (
                Pass(
                    "fold-constants",
                    "computes what depends on constants alone, and infers shapes",
                    _fold_constants,
                ),
            ),
            (
                Pass(
                    "rewrite-dialects",
                    "writes operators of onnxruntime, ai.onnx.ml and old opsets as those of ai.onnx",
                    _finds(plain_operators),
                ),
            ),
            (Pass("fold-text", "computes text that depends on constants alone", _finds(fold_text)),),
            # Of these there are fewer each time, and each may have waited for the one before.
            (
                Pass(
                    "inline-branches",
                    "puts the branch that is taken in the place of an If",
                    _finds(inline_branches),
                ),
                Pass(
                    "keep-loops",
                    "makes the bodies of loops that run often models of their own",
                    _keep_loops,
                    optional=True,
                ),
                Pass(
                    "unroll-loops",
                    "writes out the iterations of Loop and Scan",
                    lambda work: work.unroller.unroll(work.model),
                ),
                RESOLVE_SEQUENCES,
            ),
            (
                Pass(
                    "inline-operator-functions",
                    "writes out by ONNX's definition the operators that have no kernel",
                    _inline_operator_functions,
                ),
            ),
            (
                Pass(
                    "keep-branches",
                    "makes the branches of an If that take long models of their own",
                    _keep_branches,
                    optional=True,
                ),
                Pass(
                    "join-branches",
                    "computes both branches of any other If, and chooses by Where",
                    _finds(join_branches),
                ),
            ),
            (
                Pass(
                    "unroll-guarded",
                    "writes out loops of unknown counts as often as they may run at most",
                    lambda work: work.unroller.unroll_guarded(work.model, work.declarations),
                ),
                RESOLVE_SEQUENCES,
            ),
            (
                Pass(
                    "complete-branches",
                    "finds shapes of an If from inside of its branches",
                    _finds(complete_branches),
                ),
            ),
            (
                Pass(
                    "give-room",
                    "gives results whose extents depend on content room for as much as there may be",
                    lambda work: give_room(work.model, work.declarations),
                ),
            ),
            (
                Pass(
                    "believe-declarations",
                    "takes over declared shapes that nothing else tells",
                    lambda work: believe(work.model, work.declarations),
                ),
            ),
            (
                Pass(
                    "infer-unbroadcast",
                    "takes operands of unknown extents for those of a result that are not broadcast",
                    _finds(infer_unbroadcast),
                ),
            ),
        ),
        goes_on=lambda work: work.depth < DEPTH_MAX,
    ),
    Pass(
        "take-out-text",
        "moves nodes on text and on image files into the border of the model",
        _does(take_out_text),
    ),
)

# Afterwards the model computes the same in fewer or better nodes.
IMPROVING: tuple[Step, ...] = (
    Pass(
        "remove-identities",
        "lets nodes read past those that change nothing",
        _does(remove_identities),
        optional=True,
    ),
    Group(
        (
            Pass(
                "merge-sliced-matmuls",
                "multiplies a tensor once where its slices were multiplied one by one",
                _finds(join_products),
                optional=True,
            ),
            Pass(
                "recognise-layer-norm",
                "writes normalizations that were exported as their arithmetic as one operator",
                _finds(join_norms),
                optional=True,
            ),
        ),
        then=(REMOVE_DEAD, INFER_SHAPES),
    ),
    Group(
        (
            # Those that came out of functions and branches, too.
            Pass("check-blocks", "refuses blocks of quantized values whose scales do not fit", _check_blocks),
            Group(
                (
                    Pass(
                        "recognise-matmul-nbits",
                        "recognises products with weight-only quantization",
                        _finds(recognise_matmul_nbits),
                        optional=True,
                    ),
                ),
                then=(REMOVE_DEAD, INFER_SHAPES),
            ),
            Pass(
                "compute-on-codes",
                "computes products and moves on quantized values",
                _does(integer_operators),
                optional=True,
            ),
            REMOVE_DEAD,
            Pass(
                "make-lookup-tables",
                "writes functions of an 8-bit value as lookup tables",
                _does(make_lookup_tables),
                optional=True,
            ),
            REMOVE_DEAD,
            Pass(
                "fold-dequantized",
                "dequantizes weights that no integer operator reads",
                _fold_dequantized,
                optional=True,
            ),
        ),
        when=_has_dequantize,
    ),
    Pass(
        "split-batch-norm",
        "writes BatchNormalization as a product and a sum",
        _does(split_batch_norm),
        optional=True,
    ),
    Pass(
        "fold-channel-affine",
        "moves a factor and a summand for each channel into the weights before them",
        _does(fold_scales),
        optional=True,
    ),
    REMOVE_DEAD,
    INFER_SHAPES,
    Group(
        (
            Pass(
                "flush-subnormals",
                "sets subnormal weights of products to zero, unless the mathematics is exact",
                _does(flush_subnormals),
                optional=True,
            ),
        ),
        when=lambda work: not work.exact,
    ),
)

PASSES = passes_of((*RESOLVING, *IMPROVING))
