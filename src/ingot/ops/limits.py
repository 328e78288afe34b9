"""Numbers that have to lie within limits while running: what passes write where a run is to end otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingot.loops.nodes import Expr, both, compare
from ingot.ops.facts import Trust
from ingot.ops.opdef import Emitter, OpCall, OpDef, Tensor

Read = Callable[..., Expr]


def _within(call_: OpCall, emit: Emitter) -> Sequence[Tensor]:
    """The number, of which a run ends if it is below the lowest or above the highest; all are int64 scalars.

    Attributes: the node that it is about and its operator (`node`, `of`), what the number is there (`role`), which it has to be
    in words (`expected`), and, if it is not the number itself, what a message names (`operand`).
    """
    number, low, high = (call_.input(position) for position in range(3))

    def holds(number: Read, low: Read, high: Read) -> Expr:
        return both(compare("ge", number(), low()), compare("le", number(), high()))

    emit.check([number, low, high], holds, call_.attr("role"), call_.attr("expected"))
    return (number,)


DOMAIN = "ingot.control"
OPERATORS: tuple[OpDef, ...] = (OpDef(DOMAIN, "Within", 1, _within, evaluated=Trust.NEVER),)
