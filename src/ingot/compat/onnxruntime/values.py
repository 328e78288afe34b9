"""What a session says of its model: names, types and shapes of inputs and outputs, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class NodeArg:
    """An input or output. `type` is `tensor(float)` and the like; an extent of `shape` is a number, the name of one that varies,
    or None if it varies without a name.
    """

    name: str
    type: str
    shape: list[int | str | None]

    def __str__(self) -> str:
        return f"NodeArg(name={self.name!r}, type={self.type!r}, shape={self.shape!r})"

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class ModelMetadata:
    """What a model says of itself, by onnxruntime's names."""

    producer_name: str = ""
    graph_name: str = ""
    domain: str = ""
    description: str = ""
    graph_description: str = ""
    version: int = 0
    custom_metadata_map: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Declared:
    """What a model declares: inputs, those that have a value of their own, outputs, and its origin. `unranked` are the names of
    inputs of which not even the rank is declared.
    """

    inputs: list[NodeArg]
    overridable: list[NodeArg]
    outputs: list[NodeArg]
    meta: ModelMetadata
    unranked: frozenset[str] = frozenset()
