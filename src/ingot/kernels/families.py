"""The families of algorithms that there are to choose between, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ingot.base.errors import TargetError, nearest
from ingot.kernels import softmax
from ingot.kernels.algorithm import Algorithm
from ingot.kernels.conv import conv, transposed
from ingot.kernels.conv.int8 import conv as qconv
from ingot.kernels.matmul import int8, matmul, weight_only
from ingot.kernels.normalize import rows
from ingot.kernels.pooling import pool
from ingot.kernels.reduce import reduce
from ingot.kernels.topk import topk

FAMILIES: Mapping[str, Sequence[Algorithm[Any]]] = {
    conv.FAMILY: conv.CONV,
    qconv.FAMILY: qconv.QCONV,
    transposed.FAMILY: transposed.CONV_TRANSPOSE,
    matmul.FAMILY: matmul.MATMUL,
    int8.FAMILY: int8.QMATMUL,
    weight_only.FAMILY: weight_only.MATMUL_NBITS,
    pool.FAMILY: pool.POOL,
    reduce.FAMILY: reduce.REDUCE,
    softmax.FAMILY: softmax.SOFTMAX,
    rows.FAMILY: rows.LAYER_NORM,
    topk.FAMILY: topk.TOPK,
}


def require_known(force: Mapping[str, str]) -> None:
    """Raises TargetError where algorithms are forced that are not there, by family: the message has the nearest names."""
    for family, name in force.items():
        if family not in FAMILIES:
            raise TargetError(
                f"force {family}={name}: no family of algorithms is called {family!r}{nearest(family, FAMILIES)} "
                f"(known: {', '.join(FAMILIES)})",
                family=family,
            )
        names = [algorithm.name for algorithm in FAMILIES[family]]
        if name not in names:
            raise TargetError(
                f"force {family}={name}: {family} has no algorithm {name!r}{nearest(name, names)} (known: {', '.join(names)})",
                family=family,
                algorithm=name,
            )


def forced_algorithms(force: object, tune: float | None) -> dict[str, str]:
    """What `force` of a build says, sorted by family.

    Raises:
        TargetError: it is no mapping of names, names what is not there, or is given to a build that measures.
    """
    if force is None:
        return {}
    if not isinstance(force, Mapping) or not all(
        isinstance(word, str) for pair in force.items() for word in pair
    ):
        raise TargetError(
            f"force={force!r:.80}: expected a mapping from families to algorithms, such as {{'conv': 'direct'}}"
        )
    if force and tune is not None:
        raise TargetError("a build either measures algorithms (tune) or forces some (force), not both")
    require_known(force)
    return dict(sorted(force.items()))
