"""What a loop or a branch is that stays one: a node whose inputs are all that it reads, and models of what is inside."""

from __future__ import annotations

from dataclasses import dataclass, field

import onnx_ir as ir

from ingot.graph.read.ends import CONTROL

# The domain of nodes that stay loops or branches; nobody else writes it.
DOMAIN = CONTROL
BODY = "body"  # the attribute that names what is inside
# Of a loop that only its own condition ends: who computes for so long has made a mistake.
ITERATIONS_MAX = 1 << 24
# In the metadata of a model: what is inside of its nodes, by name.
BODIES = "ingot.bodies"


@dataclass(slots=True)
class KeptLoop:
    """A loop. Its node and body have the inputs and outputs that `plan.program.Repeat` states, whose other fields are here.
    `bound` is the name under which was said that it runs no more than `count_max` times, which is checked; else it is empty.
    """

    body: ir.Model
    carried: int
    walked: tuple[bool, ...]
    stacked: tuple[bool, ...]
    count_max: int
    has_trips: bool = False
    has_begin: bool = False
    has_condition: bool = False
    bound: str = ""

    @property
    def models(self) -> tuple[ir.Model, ...]:
        return (self.body,)

    @property
    def may_be_endless(self) -> bool:
        """Whether nothing but its own condition ends it."""
        return not self.has_trips and not self.bound and self.count_max > ITERATIONS_MAX


@dataclass(slots=True)
class KeptBranch:
    """A branch. Its node gets a condition and what both models get, and gives what both give."""

    then: ir.Model
    otherwise: ir.Model

    @property
    def models(self) -> tuple[ir.Model, ...]:
        return (self.then, self.otherwise)


@dataclass(slots=True)
class Kept:
    """The loops and branches of a model that stay, by the name in their nodes' attribute."""

    known: dict[str, KeptLoop | KeptBranch] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)  # the names of nodes that cannot stay

    def add(self, wish: str, kept: KeptLoop | KeptBranch) -> str:
        """Keeps one, and returns its name."""
        name, number = wish, 1
        while name in self.known:
            name, number = f"{wish}_{number}", number + 1
        self.known[name] = kept
        return name

    def of(self, node: ir.Node) -> KeptLoop | KeptBranch | None:
        """What is inside of a node, None for a node that is neither."""
        return self.known.get(node.attributes.get_string(BODY, "")) if node.domain == DOMAIN else None


def kept_of(model: ir.Model) -> Kept:
    """The loops and branches that stay in a model which `prepare` gave."""
    kept = model.meta.get(BODIES)
    return kept if isinstance(kept, Kept) else Kept()
