"""The nouns: `Port`, an input or output as callers see it; `Step`, one operation of the host on text; and the `Border` of both.

Values of a border have names. Before the kernels run, `front` makes from the leaves of the inputs what the kernels read; after
them, `back` makes from that and from what the kernels gave what callers get. An input or output of the compiled part has the name
that it has in `ModelInfo`; a leaf is the value of its own name.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ingot.base.records import Frozen
from ingot.base.tensor import DType

TEXT = "text"  # the word for the element type that DType does not have
# Those whose first part, or last, says while running what there is of the others.
COUNTED, MAYBE, SIZED = "counted", "maybe", "sized"
KINDS = ("tensor", "text", "sequence", "optional", "maps", COUNTED, MAYBE, SIZED)
# The element types of numbers that steps have: those of NumPy.
NUMBERS = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
)  # fmt: skip
OPEN = -1  # an extent that is only known while running


class Elements(metaclass=Frozen):
    """A constant of a step: `dtype` is a DType's word or `TEXT`; the elements are in row-major order, as plain Python."""

    dtype: str
    shape: tuple[int, ...]
    values: tuple[Any, ...]

    def array(self) -> np.ndarray[Any, Any]:
        """As an array: of text, an object array of `str`."""
        if self.dtype == TEXT:
            return text_array(self.values, self.shape)
        return np.array(self.values, DType(self.dtype).numpy).reshape(self.shape)


class Product(metaclass=Frozen):
    """A number that varies from call to call: a factor times the sizes of extents, which are `DimInfo`s."""

    factor: int
    dims: tuple[Any, ...]  # of DimInfo

    def at(self, sizes: Mapping[str, int]) -> int:
        """The number for these sizes, which are by the names of the extents."""
        return self.factor * math.prod(sizes[dim.name] for dim in self.dims)

    @property
    def shown(self) -> Any:
        """As the extents of a `TensorInfo` have it: a `DimInfo` where it is the size of one, else words."""
        return self.dims[0] if (self.factor, len(self.dims)) == (1, 1) else str(self)

    def __str__(self) -> str:
        if self.factor == 1 and len(self.dims) == 1:
            return str(self.dims[0])
        return "*".join([*([str(self.factor)] if self.factor != 1 else []), *(dim.name for dim in self.dims)])


Numbers = tuple[int | Product, ...]


class Step(metaclass=Frozen):
    """One operation: its word in `steps.OPERATIONS`, the values that it reads and makes, and its attributes, sorted by name:
    numbers, text, tuples of these, or `Elements`.

    `varying` are those attributes in which numbers vary from call to call; `attributes` has them for the sizes of the program
    with the model's own symbol.
    """

    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: tuple[tuple[str, Any], ...] = ()
    varying: tuple[tuple[str, Numbers], ...] = ()

    def __getitem__(self, name: str) -> Any:
        """An attribute."""
        return dict(self.attributes)[name]


class Port(metaclass=Frozen):
    """An input or output of a model as callers see it.

    A "tensor" has `dtype` and `shape`; "text" has a shape. In both `OPEN` stands for an extent that depends on the content, in
    that of a tensor only if no kernel reads or makes it: the bytes of an image file, its pixels.
    A "sequence" has a part for each element; an "optional" one part, or none if there is nothing in it; "maps" have one tensor
    `[rows, labels]` as their part, and are a dict for each row; as an input they are one dict.
    A sequence whose number of elements is known only while running is "counted": its first part is that number, an int64 scalar,
    the others are the elements that it may have. An optional of which it is known only while running whether there is something
    in it is "maybe": its first part is a bool that says so, the second what may be in it. A "sized" tensor has room for its
    largest extents in its first part, and its extents in the second, int64 [rank].
    `extents` are the extents of a tensor or text with some that vary from call to call; else there are none. `shape` has those of
    the program with the model's own symbol.
    """

    name: str
    kind: str
    dtype: DType | None = None
    shape: tuple[int, ...] = ()
    parts: tuple[Any, ...] = ()  # of Port
    labels: tuple[int | str, ...] = ()
    extents: Numbers = ()

    def leaves(self) -> "Iterator[Port]":
        """The tensors and texts that it is made of."""
        if self.kind in ("tensor", "text"):
            yield self
        for part in self.parts:
            yield from part.leaves()

    @property
    def word(self) -> str:
        """The element type of a leaf: a DType's word or `TEXT`."""
        return TEXT if self.dtype is None else self.dtype.value

    @property
    def open_shape(self) -> tuple[int, ...]:
        """The shape, with `OPEN` for extents that vary from call to call, too."""
        if not self.extents:
            return self.shape
        return tuple(extent if isinstance(extent, int) else OPEN for extent in self.extents)

    def __str__(self) -> str:
        return f"{self.name}: {self._type_words()}"

    def _type_words(self) -> str:
        if self.kind in ("tensor", "text"):
            extents = self.extents or self.shape
            return f"{self.word}[{', '.join('?' if extent == OPEN else str(extent) for extent in extents)}]"
        if self.kind == "maps":
            rows, labels = self.parts[0].extents or self.parts[0].shape
            return f"{rows} map{'s' if rows != 1 else ''} of {labels} labels"
        if self.kind == COUNTED:
            return (
                f"sequence(at most {len(self.parts) - 1}: {', '.join(map(Port._type_words, self.parts[1:]))})"
            )
        if self.kind == MAYBE:
            return f"optional({self.parts[1]._type_words()} or nothing)"
        if self.kind == SIZED:
            return f"{self.parts[0].word}[{', '.join(f'0..{extent}' for extent in self.parts[0].shape)}]"
        inner = ", ".join(part._type_words() for part in self.parts)
        return f"{self.kind}({inner or 'nothing'})"


class Border(metaclass=Frozen):
    """What callers give and get, and the steps between that and what the kernels read and write."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    front: tuple[Step, ...] = ()
    back: tuple[Step, ...] = ()

    @property
    def has_text(self) -> bool:
        """Whether there is more to do than to group tensors."""
        ports = (*self.inputs, *self.outputs)
        return bool(self.front or self.back) or any(
            leaf.kind == "text" for port in ports for leaf in port.leaves()
        )


def text_array(values: Sequence[str], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """An object array of `str`."""
    array = np.empty(len(values), object)
    array[:] = values
    return array.reshape(shape)
