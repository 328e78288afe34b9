"""`ModelInfo`: what a library says about a model of its own, as frozen data, and how single fields of it are read.

Everything that a loader or an executor needs is here; nothing is parsed out of file or symbol names. The form is published as
JSON Schema in `model_info.schema.json` beside this file; `model_info_json` writes it, and `model_info_read` reads it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ingot.artifact.artifact import LABEL_FORM, is_digest, is_label, is_symbol
from ingot.artifact.json_read import Checks
from ingot.base.lazy import Late
from ingot.base.records import Frozen
from ingot.base.tensor import DTYPES, DType, TensorType, tensor_bytes

if TYPE_CHECKING:
    from ingot.artifact.values import ValueInfo
    from ingot.base import dims as late_dims
    from ingot.border.program import Border
else:
    late_dims = Late("ingot.base.dims")

SCHEMA_VERSION = 1
EXECUTORS = ("aot", "graph")

MAX_BYTES = 1 << 48  # of a tensor, an arena or the constants
MAX_RANK = 64

_FORMS: "dict[Callable[[str], bool], str]" = {
    is_label: LABEL_FORM,
    is_symbol: "1 to 128 ASCII letters, digits or '_', a letter first",
    is_digest: "'sha256:' and 64 hexadecimal digits",
}

# A model has dozens of calls: with an `__init__` of their own they are read four times as quickly.
SIZES_INPUT = "ingot.sizes"  # of programs with room: an int64 for each dim
CHECK_STATUS = -1000  # the status of a run in which check 0 does not hold; -1001 of check 1, and so on
COUNTS_OUTPUT = "ingot.counts"  # of models that count while running: an int64 for each of `ModelInfo.counts`
_set = object.__setattr__


class DimInfo(metaclass=Frozen):
    """An extent that varies from call to call: the sizes that it may have (`base.dims.Dim` says how the four numbers are meant),
    and where it is.

    `inputs` are (name, axis) pairs. `sums` are (input, axis, plus) triples: this axis has `plus` more places than the size, and
    programs have room for as many or more. An axis that several dims have in `sums`, or in `counts`, has as many places as all of
    them say together. If the extent counts items of which each is computed by itself, `outputs` are (name,
    axis, places of an item) triples: any number of items is then computed by the programs that there are, one after another, and
    the last of them may compute some that nobody gets. Else it has none, and there is a program for each of its sizes.

    With `room`, programs have room for their size: they serve smaller ones too, and take the sizes of a call as one more input
    behind the model's own, `SIZES_INPUT`. `counts` are (output, axis, times, plus, over): for `size`, the axis of the output has
    `(size * times + plus) // over` places.
    """

    name: str
    low: int
    high: int
    multiple_of: int = 1
    sizes: tuple[int, ...] = ()
    inputs: tuple[tuple[str, int], ...] = ()
    outputs: tuple[tuple[str, int, int], ...] = ()
    room: bool = False
    counts: tuple[tuple[str, int, int, int, int], ...] = ()
    sums: tuple[tuple[str, int, int], ...] = ()

    @property
    def places(self) -> tuple[tuple[str, int, int], ...]:
        """The inputs that have it: name, axis, and how many more places than the size, besides those of other dims."""
        return (*((name, axis, 0) for name, axis in self.inputs), *self.sums)

    @property
    def words(self) -> str:
        """Its sizes: `1..64`, `8..512:8`, `1, 4, 16`."""
        dim = late_dims.Dim(self.low, self.high, self.multiple_of, self.sizes)
        return str(dim).replace(",", ", ")

    def __str__(self) -> str:
        return f"{self.name} ∈ {f'{{{self.words}}}' if self.sizes else self.words}"


class ProgramInfo(metaclass=Frozen):
    """One program of a model with extents that vary: the size of each, in the order of `ModelInfo.dims`, and about how many
    cycles of one thread it takes, to compare it with others of the model. `<symbol>.json`, of the loader `program`, says more.
    """

    symbol: str
    sizes: tuple[int, ...]
    cycles: int


class TensorInfo(metaclass=Frozen):
    """An input or output of a model: dense and row-major.

    `extents` are the extents of one that varies: numbers, dims, or other words where one follows from dims; `shape` is that of
    the program with the model's own symbol then. Else there are none.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    extents: "tuple[int | DimInfo | str, ...]" = ()

    @property
    def type(self) -> TensorType:
        return TensorType(self.dtype, self.shape)

    @property
    def size_bytes(self) -> int:
        return tensor_bytes(self.dtype, self.shape)

    @property
    def stored_shape(self) -> tuple[int, ...]:
        """The shape of an array of `dtype.numpy` in its memory: of packed elements that of their bytes."""
        return (self.size_bytes,) if self.dtype.is_packed else self.shape

    def __str__(self) -> str:
        return f"{self.name}: {self.type_words}"

    @property
    def type_words(self) -> str:
        """`float32[1, 3]`, or `float32[batch ∈ 1..64, 3]`."""
        if self.extents:
            return f"{self.dtype.value}[{', '.join(map(str, self.extents))}]"
        return str(self.type)


class StateInfo(metaclass=Frozen):
    """State that is kept between runs: what `output` gives is the next run's `input`. Both have the same type.

    `offset_bytes` is where it lies in a stream's state block, in the first half where there are two (`state_block` has the
    rules). `axis` is the one along which it fills, in place; None: each run gives it as a whole.

    If the output is longer than the input, `grows` is the axis along which, and `dim` the symbol of the input's extent: its size
    is how many places are filled.
    """

    input: str
    output: str
    offset_bytes: int = 0
    axis: int | None = None
    grows: int | None = None
    dim: str = ""


class EntryInfo(metaclass=Frozen):
    """What a model is of a larger one that has several entries: `name` of the entries of `of`. They are steps of one stream.

    `begins` are (output, state) pairs: these outputs become that state, by the name of an input of other entries, which go on
    from there. This entry does not read what it was before. Where the state has one shape, it is among `states` too, with an
    input that nobody reads.
    """

    of: str
    name: str
    begins: tuple[tuple[str, str], ...] = ()


class CheckInfo(metaclass=Frozen):
    """What a run checks of an argument that decides a shape: a run in which check `number` of a model does not hold gives the
    status `CHECK_STATUS - number`. `operand` is the value that is the node's input `role`, and `expected` says what it may be.
    Of how many places a node chooses the role is "count", and the operand one of `ModelInfo.counts`, by its name.
    """

    node: str
    op_type: str
    operand: str
    role: str
    expected: str


class ControlInfo(metaclass=Frozen):
    """Calls under a flag, a byte in the host's arena, `flag` bytes behind its begin. A loop makes the calls from `first` up to
    `end` while it is not 0, at most `count` times. A branch, whose `count` is 0, makes those up to `middle` if it is not 0, and
    else those from there up to `end`. `node` is the ONNX node.
    """

    node: str
    first: int
    middle: int
    end: int
    flag: int
    count: int = 0

    @property
    def repeats(self) -> bool:
        """Whether it is a loop."""
        return self.count > 0


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


class CallInfo(metaclass=Frozen):
    """One call of the program: the ONNX nodes it stands for, its work, the values it gets, in order, and those of them that
    it writes (workspaces are values that it gets and does not give). `algorithm` says how it is computed where there were several
    ways, as `conv=winograd_f4`; empty where there was one, or nobody wrote it down. `region` is the name of the region that it
    computes for a code generator that takes regions, in the function `ingot_<symbol>_<target key>_<region>`; else empty.
    """

    kernel: str
    nodes: tuple[str, ...]
    flops: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    args: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    target_key: str = "host"
    algorithm: str = ""
    region: str = ""

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
        algorithm: str = "",
        region: str = "",
    ) -> None:
        _set(self, "kernel", kernel)
        _set(self, "nodes", nodes)
        _set(self, "flops", flops)
        _set(self, "bytes_read", bytes_read)
        _set(self, "bytes_written", bytes_written)
        _set(self, "args", args)
        _set(self, "outputs", outputs)
        _set(self, "target_key", target_key)
        _set(self, "algorithm", algorithm)
        _set(self, "region", region)


def calls_file(symbol: str) -> str:
    """The file of C that makes the calls of regions of a unit, where all of them are native code."""
    return f"{symbol}.calls.c"


def read_values(call: CallInfo) -> tuple[str, ...]:
    """The arguments that a call reads: those before its first output. What comes after the outputs are workspaces."""
    outputs = set(call.outputs)
    for at, name in enumerate(call.args):
        if name in outputs:
            return call.args[:at]
    return call.args


class Origin(metaclass=Frozen):
    """What the ONNX model said of itself, by the names of ONNX's `ModelProto`. Who wrote it chose that, and nothing proves it.

    `opsets` are (domain, version) pairs, "" the domain of ONNX's own operators; `metadata` are the (key, value) pairs of
    `metadata_props`; both are sorted. `left_out` says how many of these pairs were too many or too long to be kept.
    """

    ir_version: int
    opsets: tuple[tuple[str, int], ...]
    producer_name: str = ""
    producer_version: str = ""
    domain: str = ""
    model_version: int = 0
    doc_string: str = ""
    graph_doc_string: str = ""
    metadata: tuple[tuple[str, str], ...] = ()
    left_out: int = 0


class ModelInfo(metaclass=Frozen):
    """A model in a library. `symbol` is the C identifier in the names of its entries, `ingot_<symbol>_run` and
    `ingot_<symbol>_call`.

    `executors` are the kinds that the library was built for, the default first: "aot" (one call for an inference) and "graph"
    (`calls` and `values` are complete, `ingot_<symbol>_call` exists).
    `digests` are (what, "sha256:…") pairs, sorted, of the files that it was built from: "model" and, if weights lay beside it,
    "external_data"; none if it was built from an object in memory. `origin` is what the model said of itself, None if that is
    not known: `docs/explain/origin.md` says what both are good for.
    `levels` are the symbols of its programs for better processors, the best last; `<symbol>.json` (loader `level`) has what is
    said of each, and all have the same name, inputs, outputs and member of constants.
    `inputs` and `outputs` are those of the compiled part. Where callers give or get something else than these, text or
    sequences, `border` says what, and what the host does about it; else it is None.
    `dims` are the extents that vary from call to call, and `programs` what computes each combination of sizes; one of them has
    the model's own symbol, and all else here is about that one. Without `dims` there are none.
    `states` are the inputs that callers do not give because executors keep them, and the outputs that they come from; both are
    among `inputs` and `outputs`.
    `checks` are what a run checks of its arguments, in the order of their statuses.
    `counts` are extents that depend on the content of inputs: how many places there are is counted by an inference, and is in the
    last output, COUNTS_OUTPUT, which callers do not see. Other outputs have room for the most that there may be.
    `controls` are the loops and branches among `calls`; all others are made once, in order.
    `entry` says of which larger model it is an entry; None if it is a model of its own.
    """

    name: str
    symbol: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    targets: tuple[TargetInfo, ...]
    executors: tuple[str, ...] = EXECUTORS
    calls: tuple[CallInfo, ...] = ()
    values: "tuple[ValueInfo, ...]" = ()
    ingot_version: str = ""
    digests: tuple[tuple[str, str], ...] = ()
    levels: tuple[str, ...] = ()
    border: "Border | None" = None
    origin: Origin | None = None
    dims: tuple[DimInfo, ...] = ()
    programs: tuple[ProgramInfo, ...] = ()
    states: tuple[StateInfo, ...] = ()
    checks: tuple[CheckInfo, ...] = ()
    counts: tuple[DimInfo, ...] = ()
    controls: tuple[ControlInfo, ...] = ()
    entry: EntryInfo | None = None

    @property
    def hidden_names(self) -> frozenset[str]:
        """The names of inputs and outputs that callers neither give nor get."""
        return self.state_names | ({COUNTS_OUTPUT} if self.counts else frozenset())

    @property
    def state_names(self) -> frozenset[str]:
        """The names of inputs and outputs that are state."""
        return frozenset(name for state in self.states for name in (state.input, state.output))

    @property
    def host(self) -> TargetInfo:
        """The target with the key "host"; every model has one, and it is the first."""
        return self.targets[0]

    @property
    def cpu_features(self) -> tuple[str, ...]:
        """Every feature that this processor must have, sorted."""
        return tuple(
            sorted(
                {
                    name
                    for target in self.targets
                    if target.device_kind == "cpu"
                    for name in target.cpu_features
                }
            )
        )

    @property
    def run_name(self) -> str:
        return f"ingot_{self.symbol}_run"

    @property
    def call_name(self) -> str:
        return f"ingot_{self.symbol}_call"

    @property
    def repeat_name(self) -> str:
        """Of a program of a model whose extents vary: what runs it several times; not every code generator writes it."""
        return f"ingot_{self.symbol}_repeat"

    def __str__(self) -> str:
        ends = self if self.border is None else self.border
        hidden = self.hidden_names
        given, results = (
            ", ".join(str(tensor) for tensor in tensors if tensor.name not in hidden)
            for tensors in (ends.inputs, ends.outputs)
        )
        kept = {state.input for state in self.states}
        states = ", ".join(str(tensor) for tensor in self.inputs if tensor.name in kept)
        return f"{self.name}({given}) -> ({results})" + (f" with state ({states})" if states else "")


# ─── what its fields are read by ───────────────────────────────────────────────────────────────────────────────────────

checks = Checks("model info", _FORMS)
_wrong, _array = checks.wrong, checks.array


def read_int(value: Any, field: str, low: int = 0, high: int = MAX_BYTES) -> int:
    """An integer within bounds, or an ArtifactError that names the field, as of all these."""
    return checks.integer(value, field, low, high)


def read_word(value: Any, field: str, known: tuple[str, ...]) -> str:
    """One of the known words."""
    if type(value) is not str or value not in known:
        _wrong(field, f"must be one of {', '.join(known)}, got {str(value)[:80]!r}")
    return value


def read_dtype(value: Any, field: str) -> DType:
    """The element type of that name."""
    dtype = DTYPES.get(value) if type(value) is str else None
    if dtype is None:
        _wrong(field, f"must be one of {', '.join(DTYPES)}, got {str(value)[:80]!r}")
    return dtype


def read_shape(value: Any, dtype: DType, field: str) -> tuple[int, ...]:
    """The extents of a tensor of that element type."""
    extents = _array(value, field)
    if len(extents) > MAX_RANK:
        _wrong(field, f"has {len(extents)} dimensions, more than the limit of {MAX_RANK}")
    size = dtype.size_bytes
    for at, extent in enumerate(extents):
        if type(extent) is not int or not 0 <= extent <= MAX_BYTES:
            read_int(extent, f"{field}[{at}]")
        size *= extent or 1
        if size > MAX_BYTES:
            _wrong(field, f"makes a tensor of more than {MAX_BYTES} bytes")
    return tuple(extents)


def program_inputs(info: ModelInfo) -> tuple[TensorInfo, ...]:
    """The inputs of a model's own program: with room for extents that vary, the sizes of a call are behind those of callers."""
    if not any(dim.room for dim in info.dims) or any(tensor.name == SIZES_INPUT for tensor in info.inputs):
        return info.inputs
    return (*info.inputs, TensorInfo(SIZES_INPUT, DType.INT64, (len(info.dims),)))
