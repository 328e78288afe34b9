"""How many places were chosen, put beside the other sizes of a call, where loops look for their ends."""

from __future__ import annotations

from collections.abc import Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.select.true_places import COUNT
from ingot.kernels.template import Site, Template
from ingot.loops.build.builder import Builder
from ingot.loops.nodes import Const, Stmt


def noted_count(sizes: TensorType, number: int, is_first: bool) -> Template:
    """The sizes of a call, of which element `number` is a count of which nothing was known before.

    Inputs are the count and the sizes that are known already; those are left out if it is the first: then the others are 0.
    """

    def build(site: Site) -> Sequence[Stmt]:
        k = Builder()
        for at in range(sizes.size):
            known = Const(0, DType.INT64) if is_first else None
            count = site.read(0, 0) if at == number else known
            k.emit(site.write(0, (at,), site.read(1, at) if count is None else count))
        return k.statements()

    inputs = (COUNT,) if is_first else (COUNT, sizes)
    return Template(
        "count", inputs, (sizes,), build, {"number": number, "is_first": is_first}, epilogue=False
    )
