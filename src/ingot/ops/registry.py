"""All operators: ingot's own as one plain tuple, and those of installed packages by their domains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ingot.base import plugins
from ingot.base.errors import IngotError, LoadError
from ingot.ops import (
    argmax,
    attention,
    casts,
    conv,
    conv_transpose,
    cumulative,
    determinant,
    dft,
    einsum,
    elementwise,
    limits,
    linear_attention,
    local_response,
    logic,
    matmul,
    norm,
    optimisers,
    pool,
    random,
    recurrent,
    reduce,
    rotary,
    selecting,
    softmax,
    topk,
    trees,
    unary,
    window_functions,
)
from ingot.ops.images import col2im, grid_sample, resize, roi_align
from ingot.ops.integers import integer, matmul_nbits, quantize, quantized_lstm
from ingot.ops.moves import concat, gather_scatter, movement, shapes
from ingot.ops.opdef import Emitter, Lower, OpCall, OpDef, Tensor

MODULES = (
    elementwise,
    unary,
    logic,
    casts,
    shapes,
    window_functions,
    movement,
    selecting,
    limits,
    concat,
    random,
    gather_scatter,
    cumulative,
    quantize,
    einsum,
    resize,
    grid_sample,
    col2im,
    argmax,
    reduce,
    softmax,
    matmul,
    matmul_nbits,
    trees,
    conv,
    conv_transpose,
    norm,
    optimisers,
    pool,
    local_response,
    recurrent,
    quantized_lstm,
    integer,
    topk,
    dft,
    determinant,
    roi_align,
    attention,
    linear_attention,
    rotary,
)
"""The files of operators, a family each."""

ALL: tuple[OpDef, ...] = tuple(operator for module in MODULES for operator in module.OPERATORS)

GROUP = "ingot.ops"


def with_plugins(domains: Iterable[str]) -> tuple[OpDef, ...]:
    """The operators of ingot, and those that installed packages offer for these domains; of the others nothing is imported.

    Raises:
        LoadError: two packages offer a domain, a plug-in cannot be imported, or what it offers are no operators of that domain.
    """
    asked = sorted(set(domains))
    offers = plugins.offered(GROUP) if asked else {}
    more = (_offered(domain) for domain in asked if domain in offers and not offers[domain].is_built_in)
    return (*ALL, *(operator for operators in more for operator in operators))


def describe(name: str) -> str:
    """The operators of a domain in words; raises as `with_plugins` does."""
    built_in = name in plugins.BUILT_IN[GROUP]
    names = sorted({operator.name for operator in (ALL if built_in else _offered(name))})
    return f"{len(names)} operators: {', '.join(names[:6])}{', …' if len(names) > 6 else ''}"


def _offered(domain: str) -> tuple[OpDef, ...]:
    offered = plugins.find(GROUP, domain)
    operators = tuple(offered) if isinstance(offered, tuple | list) else ()
    if not operators or not all(isinstance(each, OpDef) and each.domain == domain for each in operators):
        raise LoadError(
            f"the plug-in {domain!r} of the group {GROUP} must offer a tuple of OpDef of that domain, got {offered!r:.200}",
            name=domain,
        )
    keys = [(operator.name, operator.since_version) for operator in operators]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise LoadError(
            f"the plug-in {domain!r} of the group {GROUP} offers {twice[0]} from version {twice[1]} on twice",
            name=domain,
        )
    owner = plugins.offered(GROUP)[domain].owner
    return tuple(replace(operator, lower=_contained(operator, owner)) for operator in operators)


def _contained(operator: OpDef, owner: str) -> Lower:
    """The operator's `lower`, by which whatever goes wrong in it has the name of who offers it."""

    def lower(call: OpCall, emit: Emitter) -> Sequence[Tensor]:
        try:
            results = operator.lower(call, emit)
        except (IngotError, MemoryError):
            raise
        except Exception as error:  # the plug-in's own code runs here and may raise anything
            raise LoadError(
                f"node {call.name} ({call.op_type}): {owner}, failed: {type(error).__name__}: {error}",
                node=call.name,
            ) from error
        if not isinstance(results, tuple | list) or not all(isinstance(result, Tensor) for result in results):
            raise LoadError(
                f"node {call.name} ({call.op_type}): {owner}, must give a tuple of Tensor, got {results!r:.200}",
                node=call.name,
            )
        return results

    return lower
