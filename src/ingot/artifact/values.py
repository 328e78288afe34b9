"""`ValueInfo`: where a value of a model is stored. Only libraries for the graph executor list them, so that this is imported with
them: one class with ten fields takes longer to make than most models to check.
"""

from ingot.base.records import Frozen
from ingot.base.tensor import DType, TensorType, row_major

REGIONS = ("params", "arena", "input", "output")

# A model has dozens of values: with an `__init__` of their own they are read four times as quickly.
_set = object.__setattr__


class ValueInfo(metaclass=Frozen):
    """Where a value is stored: `region` "params", "arena", "input" or "output"; `number` is the position of the input or
    output.

    `offset_bytes` is from the start of the region (of that input or output) to element [0, …, 0]; strides are in elements.
    `base` is the value whose memory this is a view of, empty if it has its own or nobody said. In a loop a value may move:
    `moves` are triples of where a number lies in the arena, an int64, how many bytes the value moves for each one that it counts,
    and what the number stays below.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    region: str
    number: int = 0
    offset_bytes: int = 0
    target_key: str = "host"
    base: str = ""
    moves: tuple[tuple[int, int, int], ...] = ()

    def __init__(
        self,
        name: str,
        dtype: DType,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        region: str,
        number: int = 0,
        offset_bytes: int = 0,
        target_key: str = "host",
        base: str = "",
        moves: tuple[tuple[int, int, int], ...] = (),
    ) -> None:
        _set(self, "name", name)
        _set(self, "dtype", dtype)
        _set(self, "shape", shape)
        _set(self, "strides", strides)
        _set(self, "region", region)
        _set(self, "number", number)
        _set(self, "offset_bytes", offset_bytes)
        _set(self, "target_key", target_key)
        _set(self, "base", base)
        _set(self, "moves", moves)

    @property
    def type(self) -> TensorType:
        return TensorType(self.dtype, self.shape)

    @property
    def extent_bytes(self) -> tuple[int, int]:
        """First byte and one past the last byte of the value within its region, where it does not move; both the offset if it is
        empty.
        """
        if 0 in self.shape:
            return self.offset_bytes, self.offset_bytes
        reach = [(extent - 1) * stride for extent, stride in zip(self.shape, self.strides, strict=True)]
        low, high = sum(step for step in reach if step < 0), sum(step for step in reach if step > 0)
        size = self.dtype.size_bytes
        return self.offset_bytes + low * size, self.offset_bytes + (high + 1) * size


def reach_bytes(value: ValueInfo) -> tuple[int, int]:
    """First byte and one past the last byte that the value can have within its region, wherever it moves."""
    first, end = value.extent_bytes
    away = [step * (count - 1) for _, step, count in value.moves]
    return first + sum(way for way in away if way < 0), end + sum(way for way in away if way > 0)


def dense(name: str, type_: TensorType, region: str, number: int = 0, offset_bytes: int = 0) -> ValueInfo:
    """A row-major value."""
    return ValueInfo(name, type_.dtype, type_.shape, row_major(type_.shape), region, number, offset_bytes)
