"""`ModelInfo`: what a library says about a model of its own. The content of the `metadata` artifact, as frozen data.

Everything that a loader or an executor needs is here; nothing is parsed out of file or symbol names. `info_json` reads and
writes it.
"""

import math

from ingot.frozen import Frozen
from ingot.tensor import DType, TensorType, row_major

SCHEMA_VERSION = 1
EXECUTORS = ("aot", "graph")
REGIONS = ("params", "arena", "input", "output")

# A model has dozens of values and calls: with an `__init__` of their own they are read four times as quickly.
_set = object.__setattr__


class TensorInfo(metaclass=Frozen):
    """An input or output of a model: dense and row-major."""

    name: str
    dtype: DType
    shape: tuple[int, ...]

    @property
    def type(self) -> TensorType:
        return TensorType(self.dtype, self.shape)

    @property
    def size_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.size_bytes

    def __str__(self) -> str:
        return f"{self.name}: {self.type}"


class MemoryInfo(metaclass=Frozen):
    """Memory that a model needs on one target. No plan for the same order of calls needs less arena than
    `lower_bound_bytes`. The first `always_read_bytes` of the constants are read by every inference; behind them are tables in
    which it looks up what its inputs say.
    """

    arena_bytes: int = 0
    params_bytes: int = 0
    lower_bound_bytes: int = 0
    alignment_bytes: int = 64
    always_read_bytes: int = 0


class TargetInfo(metaclass=Frozen):
    """One target that a model was built for.

    `target` is the text form of the definite target; `params` the file name of the artifact (loader `params`, same target
    key) that has the constants, empty if there are none; `cpu_features` what the code really uses, named as in /proc/cpuinfo.
    """

    key: str
    target: str
    codegen_id: str
    device_kind: str = "cpu"
    cpu_features: tuple[str, ...] = ()
    memory: MemoryInfo = MemoryInfo()
    params: str = ""


class ValueInfo(metaclass=Frozen):
    """Where a value is stored: `region` "params", "arena", "input" or "output"; `number` is the position of the input or
    output.

    `offset_bytes` is from the start of the region (of that input or output) to element [0, …, 0]; strides are in elements.
    `base` is the value whose memory this is a view of, empty if it has its own or nobody said.
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

    @property
    def type(self) -> TensorType:
        return TensorType(self.dtype, self.shape)

    @property
    def extent_bytes(self) -> tuple[int, int]:
        """First byte and one past the last byte of the value within its region; both the offset if it is empty."""
        if 0 in self.shape:
            return self.offset_bytes, self.offset_bytes
        reach = [(extent - 1) * stride for extent, stride in zip(self.shape, self.strides, strict=True)]
        low, high = sum(step for step in reach if step < 0), sum(step for step in reach if step > 0)
        size = self.dtype.size_bytes
        return self.offset_bytes + low * size, self.offset_bytes + (high + 1) * size


class CallInfo(metaclass=Frozen):
    """One call of the program: the ONNX nodes it stands for, its work, the values it gets, in order, and those of them that
    it writes (workspaces are values that it gets and does not give).
    """

    kernel: str
    nodes: tuple[str, ...]
    flops: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    args: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    target_key: str = "host"

    def __init__(
        self,
        kernel: str,
        nodes: tuple[str, ...],
        flops: int = 0,
        bytes_read: int = 0,
        bytes_written: int = 0,
        args: tuple[str, ...] = (),
        outputs: tuple[str, ...] = (),
        target_key: str = "host",
    ) -> None:
        _set(self, "kernel", kernel)
        _set(self, "nodes", nodes)
        _set(self, "flops", flops)
        _set(self, "bytes_read", bytes_read)
        _set(self, "bytes_written", bytes_written)
        _set(self, "args", args)
        _set(self, "outputs", outputs)
        _set(self, "target_key", target_key)


class ModelInfo(metaclass=Frozen):
    """A model in a library. `symbol` is the C identifier in the names of its entries, `ingot_<symbol>_run` and
    `ingot_<symbol>_call`.

    `executors` are the kinds that the library was built for, the default first: "aot" (one call for an inference) and "graph"
    (`calls` and `values` are complete, `ingot_<symbol>_call` exists). `digests` are (what, "sha256:…") pairs, sorted.
    """

    name: str
    symbol: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    targets: tuple[TargetInfo, ...]
    executors: tuple[str, ...] = EXECUTORS
    calls: tuple[CallInfo, ...] = ()
    values: tuple[ValueInfo, ...] = ()
    ingot_version: str = ""
    digests: tuple[tuple[str, str], ...] = ()

    @property
    def host(self) -> TargetInfo:
        """The target with the key "host"; every model has one, and it is the first."""
        return self.targets[0]

    @property
    def cpu_features(self) -> tuple[str, ...]:
        """Every feature that this processor must have, sorted."""
        return tuple(sorted({name for target in self.targets if target.device_kind == "cpu" for name in target.cpu_features}))

    @property
    def run_name(self) -> str:
        return f"ingot_{self.symbol}_run"

    @property
    def call_name(self) -> str:
        return f"ingot_{self.symbol}_call"

    def __str__(self) -> str:
        given, made = (", ".join(map(str, tensors)) for tensors in (self.inputs, self.outputs))
        return f"{self.name}({given}) -> ({made})"


def dense(name: str, type_: TensorType, region: str, number: int = 0, offset_bytes: int = 0) -> ValueInfo:
    """A row-major value."""
    return ValueInfo(name, type_.dtype, type_.shape, row_major(type_.shape), region, number, offset_bytes)
