"""Regions: parts of a model that a code generator takes as wholes, and how it says which nodes it takes.

A region is an ONNX function in the domain `ingot.byoc.<code generator>`. `graph.regions` makes it; nobody below the graph looks
into it, but for the code generator that gets it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ingot.base.tensor import TensorType
from ingot.plan.placed_node import PlacedNode

DOMAIN = "ingot.byoc"
EXPORT = '__attribute__((visibility("default")))'  # in C, of what is seen outside of the library

Refuses = Callable[[PlacedNode], str]


def _nothing_against(_: object) -> str:
    return ""


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """Nodes that are taken together, as ONNX writes a function: `(x, w) => (y) { c = Conv(x, w)  y = Relu(c) }`.

    Attributes:
        name: a word for people.
        text: the function's inputs, its one result and its nodes. An attribute in the text is one that the node must have with
            this value; others may be anything. What a node makes is read by nodes of the pattern alone, but for the result.
        refuses: why it does not take these nodes, in a sentence, by the names that the text gives to their first results; empty
            if it takes them.
    """

    name: str
    text: str
    refuses: Callable[[Mapping[str, PlacedNode]], str] = _nothing_against


@dataclass(frozen=True, slots=True, eq=False)
class ModelRegion:
    """A region of a model.

    Attributes:
        name: of the function, unlike any other of its target key.
        domain: `ingot.byoc.<code generator>`.
        model: the body of the function as an ONNX model of its own: inputs, results and all values between with their types,
            constants as initializers.
        inputs: the names in that model and the types of what the region reads, without constants.
        outputs: those of what it gives.
        nodes: in order; while a code generator decides, they know their neighbours and constants.
        symbol: the function that computes it, for the code generator that makes it.
    """

    name: str
    domain: str
    model: bytes
    inputs: tuple[tuple[str, TensorType], ...]
    outputs: tuple[tuple[str, TensorType], ...]
    nodes: tuple[PlacedNode, ...]
    symbol: str = ""

    @property
    def prototype(self) -> str:
        """The function in C, visible outside of its library: it gets the addresses of the inputs, then those of the outputs, all
        dense and row-major. 0 is good, a negative number is an error.
        """
        return f"{EXPORT} int32_t {self.symbol}(void *const *args)"


@dataclass(frozen=True, slots=True, eq=False)
class Wants:
    """Which nodes a code generator takes as regions. All else stays where it is.

    Attributes:
        operators: names of operators of which it takes every node, or one that it does not refuse: `Conv`,
            `com.microsoft.Gelu`.
        patterns: nodes that it takes together; earlier ones come first, and all before single operators.
        refuses: why it does not take a node of `operators`, in a sentence; empty if it takes it.
        gain: what it gains by a region, in any unit; the host keeps the nodes of one by which it gains 0 or less.
        merges: whether nodes and patterns that read one another become one region.
    """

    operators: Sequence[str] = ()
    patterns: Sequence[Pattern] = ()
    refuses: Refuses = _nothing_against
    gain: Callable[[ModelRegion], float] | None = None
    merges: bool = True
