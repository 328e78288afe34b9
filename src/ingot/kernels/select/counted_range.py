"""Numbers from a first one up to a limit, of which it is known only while running how many there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.select.true_places import COUNT
from ingot.kernels.template import Counting, Site, Template
from ingot.loops.build.builder import Builder
from ingot.loops.nodes import Expr, Stmt, cast, minimum


def counted_range(
    dtype: DType, places_max: int, steps: Callable[[Expr, Expr, Expr], Expr], name: str
) -> Template:
    """`first + i · step` below (or above) a limit: the numbers, and how many there are.

    Args:
        dtype: of the numbers; inputs are the first one, the limit and the step, of one element each.
        places_max: for how many there is room.
        steps: how many there are, int64, from the three.
        name: of the node that counts.
    """
    computed = DType.FLOAT32 if dtype in (DType.FLOAT16, DType.BFLOAT16) else dtype

    def build(site: Site) -> Sequence[Stmt]:
        k = Builder()
        first, limit, step = (k.let(f"end{at}", cast(site.read(at, 0), computed)) for at in range(3))
        count = k.let("count", steps(first, limit, step))
        for at in k.loop("at", minimum(count, places_max)):
            k.emit(site.write(0, (at,), cast(first + cast(at, computed) * step, dtype)))
        k.emit(site.write(1, (0,), count))
        return k.statements()

    one_each = (TensorType(dtype, (1,)),) * 3
    outputs = (TensorType(dtype, (places_max,)), COUNT)
    spec = {"places_max": places_max}
    return Template(
        "range", one_each, outputs, build, spec, epilogue=False, counting=Counting(name, 1, (0, None))
    )
