"""The places of a tensor at which something is true, in row-major order."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.template import Counting, Folded, Site, Template
from ingot.loops.build.builder import Builder
from ingot.loops.nodes import If, Stmt, cast, compare, load

COUNT = TensorType(DType.INT64, (1,))
"""How many places there are, as a template gives it."""


def true_places(x: TensorType, places_max: int, name: str) -> Template:
    """Where `x` is not zero: `x [...]` → the index along each of its axes, int64 [rank, places], and how many places there are.

    Args:
        x: what is looked at.
        places_max: for how many places there is room.
        name: of the node that counts.
    """
    output = TensorType(DType.INT64, (len(x.shape), places_max))

    return Template(
        "true_places",
        (x,),
        (output, COUNT),
        lambda site: _statements(site, x.shape, places_max),
        {"places_max": places_max},
        inlines=frozenset({0}),
        epilogue=False,
        folded=tuple(Folded((axis,), (None, None), 0.0, is_numbered=True) for axis in range(len(x.shape))),
        counting=Counting(name, 1, (1, None)),
    )


def _statements(site: Site, shape: tuple[int, ...], places_max: int) -> Sequence[Stmt]:
    k = Builder()
    count = k.alloc("count", DType.INT64, (1,))
    k.store(count, (0,), 0)
    for where in k.nest([f"i{axis}" for axis in range(len(shape))], shape):
        with k.when(cast(site.read(0, *where), DType.BOOL)):
            parts = (
                store
                for axis, part in enumerate(where)
                for store in site.write(0, (axis, load(count, 0)), part)
            )
            k.emit((If(compare("lt", load(count, 0), places_max), tuple(parts)),))
            k.store(count, (0,), load(count, 0) + 1)
    k.emit(site.write(1, (0,), load(count, 0)))
    return k.statements()
