"""A check while running: a kernel whose status says whether a condition on its operands holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.base.tensor import DType, TensorType
from ingot.kernels.template import Site, Template
from ingot.loops.nodes import STATUS, Const, Expr, Operand, Stmt, select

Read = Callable[..., Expr]


def check_template(
    operands: Sequence[TensorType], holds: Callable[..., Expr], status: int, expected: str
) -> Template:
    """Gives 0 if `holds(*reads)`, else `status`; each read is a function from an index to an element of that operand.

    Of all that the condition has been made from, `expected` is what tells it from others of the same operands. What computes an
    operand is not fused into the check: a message says what the operand was.
    """

    def build(site: Site) -> Sequence[Stmt]:
        def reader(position: int) -> Read:
            def read(*where: Operand) -> Expr:
                return site.read(position, *where)

            return read

        condition = holds(*map(reader, range(len(operands))))
        good, bad = Const(0, DType.INT32), Const(status, DType.INT32)
        return site.write(0, (), select(condition, good, bad))

    return Template(
        "check",
        tuple(operands),
        (STATUS,),
        build,
        {"status": status, "expected": expected},
        epilogue=False,
        checks=True,
    )
