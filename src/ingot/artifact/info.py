"""`ModelInfo`: what a library says about a model of its own, as frozen data, and how it is read from the `metadata` artifact.

Everything that a loader or an executor needs is here; nothing is parsed out of file or symbol names. The form is published as
JSON Schema in `model_info.schema.json` beside this file, and `info_json` writes it. The reader checks the same by hand, which
needs no package and takes a tenth of the time, and then what a schema cannot say: that every place lies within its memory.
Nothing is trusted, and the field that is wrong is named.
"""

import importlib
import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import ingot
from ingot.artifact import LABEL_FORM, LOADER_METADATA, Artifact, Checks, Content, is_digest, is_label, is_symbol, read_json
from ingot.base.records import Frozen
from ingot.base.tensor import DTYPES, DType, TensorType, tensor_bytes

if TYPE_CHECKING:
    from ingot.artifact.values import ValueInfo
    from ingot.border.program import Border

SCHEMA_VERSION = 1
EXECUTORS = ("aot", "graph")

MAX_JSON_BYTES = 256 << 20
MAX_BYTES = 1 << 48  # of a tensor, an arena or the constants
MAX_RANK = 64

_FORMS: "dict[Callable[[str], bool], str]" = {
    is_label: LABEL_FORM,
    is_symbol: "1 to 128 ASCII letters, digits or '_', a letter first",
    is_digest: "'sha256:' and 64 hexadecimal digits",
}

# A model has dozens of calls: with an `__init__` of their own they are read four times as quickly.
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
        return tensor_bytes(self.dtype, self.shape)

    @property
    def stored_shape(self) -> tuple[int, ...]:
        """The shape of an array of `dtype.numpy` in its memory: of packed elements that of their bytes."""
        return (self.size_bytes,) if self.dtype.is_packed else self.shape

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
        ends = self if self.border is None else self.border
        given, made = (", ".join(map(str, tensors)) for tensors in (ends.inputs, ends.outputs))
        return f"{self.name}({given}) -> ({made})"


# ─── reading ───────────────────────────────────────────────────────────────────────────────────────────────────────


def info_from_json(content: Content) -> ModelInfo:
    """Reads untrusted bytes.

    Raises:
        ArtifactError: not JSON, not of the schema, of a newer schema, or a place outside its memory; `facts["field"]` is the
        path of the field.
    """
    if len(content) > MAX_JSON_BYTES:
        _wrong("", f"has {len(content)} bytes, more than the limit of {MAX_JSON_BYTES}")
    try:
        data = read_json(content)
    except (ValueError, RecursionError) as error:
        raise ingot.ArtifactError(f"model info is not the JSON that ingot writes: {error}", field="") from error
    return checked_info(data)


def read_models(artifacts: Iterable[Artifact]) -> dict[str, ModelInfo]:
    """The models that the metadata among the artifacts describe, by name.

    Raises:
        ArtifactError: metadata is wrong, or two models have the same name or symbol.
    """
    found: dict[str, ModelInfo] = {}
    owners: dict[str, str] = {}
    for artifact in artifacts:
        if artifact.loader != LOADER_METADATA:
            continue
        info = info_from_json(artifact.content)
        if info.name in found:
            raise ingot.ArtifactError(f"two models are called {info.name!r}", name=info.name)
        for name in _exported_names(info):
            if name in owners:
                raise ingot.ArtifactError(
                    f"models {owners[name]!r} and {info.name!r} both have the C symbol {name!r}; rename one of them",
                    symbol=name,
                )
            owners[name] = info.name
        found[info.name] = info
    return found


def _exported_names(info: ModelInfo) -> tuple[str, ...]:
    """The names that a library can export for a model. `ingot_a_run` of a model `a` is `<symbol>_run` of a model `ingot_a`."""
    own = (info.run_name, info.call_name, f"{info.symbol}_run", f"{info.symbol}_run_parallel", f"__tvm_ffi_{info.symbol}")
    return (*own, *(f"ingot_{symbol}_{entry}" for symbol in info.levels for entry in ("run", "call")))


checks = Checks("model info", _FORMS)
_wrong, _object, _array, _text = checks.wrong, checks.object, checks.array, checks.text


def read_int(value: Any, field: str, low: int = 0, high: int = MAX_BYTES) -> int:
    """An integer within bounds, or an ArtifactError that names the field, as of all these."""
    return checks.integer(value, field, low, high)


def _texts(value: Any, field: str) -> tuple[str, ...]:
    texts = _array(value, field)
    for at, item in enumerate(texts):
        if type(item) is not str or len(item) > 255:  # where all is well, no words are made for a message
            _text(item, f"{field}[{at}]")
    return tuple(texts)


def _labels(value: Any, field: str) -> tuple[str, ...]:
    texts = _texts(value, field)
    for at, item in enumerate(texts):
        if not is_label(item):
            _text(item, f"{field}[{at}]", is_label)
    return texts


def read_word(value: Any, field: str, known: tuple[str, ...]) -> str:
    """One of the known words."""
    if type(value) is not str or value not in known:
        _wrong(field, f"must be one of {', '.join(known)}, got {str(value)[:80]!r}")
    return value


def read_dtype(value: Any, field: str) -> DType:
    """The element type of that name."""
    found = DTYPES.get(value) if type(value) is str else None
    if found is None:
        _wrong(field, f"must be one of {', '.join(DTYPES)}, got {str(value)[:80]!r}")
    return found


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


_TENSOR_KEYS = frozenset({"name", "dtype", "shape"})
_CALL_KEYS = frozenset({"kernel", "nodes", "flops", "bytes_read", "bytes_written", "args", "outputs", "target_key"})
_WORK_MAX = 1 << 62
_call_fields = operator.itemgetter("kernel", "nodes", "flops", "bytes_read", "bytes_written", "args", "outputs", "target_key")
_MEMORY_KEYS = frozenset({"arena_bytes", "params_bytes", "lower_bound_bytes", "alignment_bytes"})
_READ_KEYS = frozenset({"always_read_bytes"})
_TARGET_KEYS = frozenset({"key", "target", "codegen_id", "device_kind", "cpu_features", "params", "memory"})
_INFO_KEYS = frozenset(
    {
        "schema_version",
        "ingot_version",
        "name",
        "symbol",
        "executors",
        "inputs",
        "outputs",
        "targets",
        "calls",
        "values",
        "digests",
    }
)
_ORIGIN_KEYS = frozenset(Origin.__match_args__)
_SELDOM_KEYS = frozenset({"border", "levels", "origin"})


def checked_info(data: Any) -> ModelInfo:
    """The model info that data of the schema say; raises ArtifactError as `info_from_json` does."""
    checks.version(checks.any_object(data, ""), "schema_version", SCHEMA_VERSION)
    _object(data, "", _INFO_KEYS, _SELDOM_KEYS)
    read_int(data["schema_version"], "schema_version", 1, SCHEMA_VERSION)
    inputs = _tensors(data["inputs"], "inputs")
    outputs = _tensors(data["outputs"], "outputs")
    targets = tuple(_target(item, f"targets[{at}]") for at, item in enumerate(_array(data["targets"], "targets")))
    by_key = {target.key: target for target in targets}
    if not targets or targets[0].key != "host":
        _wrong("targets", "must begin with the one whose key is 'host'")
    if len(by_key) != len(targets):
        _wrong("targets", "has the same key twice")
    executors = tuple(
        read_word(item, f"executors[{at}]", EXECUTORS) for at, item in enumerate(_array(data["executors"], "executors"))
    )
    if not executors or len(set(executors)) != len(executors):
        _wrong("executors", "must name at least one executor, and none twice")
    listed = _array(data["values"], "values")
    # Only the graph executor wants values, and this is a tenth of all that the first answer of a small model imports of ours.
    values = importlib.import_module("ingot.artifact.values_read").read_values(listed, by_key, inputs, outputs) if listed else ()
    names = {value.name for value in values}
    stored = names if "graph" in executors or len(targets) > 1 else None
    calls = tuple(
        _usual_call(item, by_key, stored) or _call(item, f"calls[{at}]", by_key, stored)
        for at, item in enumerate(_array(data["calls"], "calls"))
    )
    digests = checks.any_object(data["digests"], "digests")
    levels = _array(data["levels"], "levels") if "levels" in data else ()
    border = None
    if "border" in data:  # few models have one
        border = importlib.import_module("ingot.artifact.border_read").read_border(data["border"], inputs, outputs)
    return ModelInfo(
        name=_text(data["name"], "name", is_label),
        symbol=_text(data["symbol"], "symbol", is_symbol),
        inputs=inputs,
        outputs=outputs,
        targets=targets,
        executors=executors,
        calls=calls,
        values=values,
        ingot_version=_text(data["ingot_version"], "ingot_version"),
        digests=tuple(sorted((_text(key, "digests"), _text(digests[key], f"digests.{key[:64]}", is_digest)) for key in digests)),
        levels=tuple(_text(symbol, f"levels[{at}]", is_symbol) for at, symbol in enumerate(levels)),
        border=border,
        origin=_origin(data["origin"]) if "origin" in data else None,
    )


def _origin(value: Any) -> Origin:
    data = _object(value, "origin", _ORIGIN_KEYS)
    names = ("producer_name", "producer_version", "domain", "doc_string", "graph_doc_string")
    opsets, metadata = (checks.any_object(data[key], f"origin.{key}") for key in ("opsets", "metadata"))
    for key in (*opsets, *metadata):
        _text(key, "origin.metadata" if key in metadata else "origin.opsets")
    return Origin(
        ir_version=_int64(data["ir_version"], "origin.ir_version"),
        opsets=tuple((key, _int64(opsets[key], f"origin.opsets.{key[:64]}")) for key in sorted(opsets)),
        model_version=_int64(data["model_version"], "origin.model_version"),
        metadata=tuple((key, _text(metadata[key], f"origin.metadata.{key[:64]}")) for key in sorted(metadata)),
        left_out=_int64(data["left_out"], "origin.left_out", 0),
        **{name: _text(data[name], f"origin.{name}") for name in names},
    )


def _int64(value: Any, field: str, low: int = -(1 << 63)) -> int:
    return read_int(value, field, low, (1 << 63) - 1)


def _tensors(value: Any, field: str) -> tuple[TensorInfo, ...]:
    tensors = []
    for at, item in enumerate(_array(value, field)):
        where = f"{field}[{at}]"
        data = _object(item, where, _TENSOR_KEYS)
        dtype = read_dtype(data["dtype"], f"{where}.dtype")
        tensors.append(
            TensorInfo(_text(data["name"], f"{where}.name"), dtype, read_shape(data["shape"], dtype, f"{where}.shape"))
        )
    if len({tensor.name for tensor in tensors}) != len(tensors):
        _wrong(field, "has the same name twice")
    return tuple(tensors)


def _target(value: Any, field: str) -> TargetInfo:
    data = _object(value, field, _TARGET_KEYS)
    memory = _object(data["memory"], f"{field}.memory", _MEMORY_KEYS, _READ_KEYS)
    alignment = read_int(memory["alignment_bytes"], f"{field}.memory.alignment_bytes", 1, 4096)
    if alignment & (alignment - 1):
        _wrong(f"{field}.memory.alignment_bytes", f"must be a power of two, got {alignment}")
    target = TargetInfo(
        key=_text(data["key"], f"{field}.key", is_label),
        target=_text(data["target"], f"{field}.target"),
        codegen_id=_text(data["codegen_id"], f"{field}.codegen_id", is_label),
        device_kind=_text(data["device_kind"], f"{field}.device_kind", is_label),
        cpu_features=_labels(data["cpu_features"], f"{field}.cpu_features"),
        params=_text(data["params"], f"{field}.params"),
        memory=MemoryInfo(
            arena_bytes=read_int(memory["arena_bytes"], f"{field}.memory.arena_bytes"),
            params_bytes=(params_bytes := read_int(memory["params_bytes"], f"{field}.memory.params_bytes")),
            lower_bound_bytes=read_int(memory["lower_bound_bytes"], f"{field}.memory.lower_bound_bytes"),
            alignment_bytes=alignment,
            always_read_bytes=read_int(
                memory.get("always_read_bytes", 0), f"{field}.memory.always_read_bytes", high=params_bytes
            ),
        ),
    )
    if target.memory.params_bytes and not target.params:
        _wrong(f"{field}.params", "must name an artifact, because there are constants (params_bytes is not 0)")
    return target


def _usual_call(item: Any, targets: dict[str, TargetInfo], values: set[str] | None) -> CallInfo | None:
    """The call, if it is right in every usual way, else None: there may be ten thousand, and words for messages are made by
    `_call`, which looks at the others.
    """
    if type(item) is not dict or item.keys() != _CALL_KEYS:
        return None
    kernel, nodes, flops, bytes_read, bytes_written, args, outputs, key = _call_fields(item)
    if not (type(kernel) is type(key) is str and type(nodes) is type(args) is type(outputs) is list):
        return None
    if len(kernel) > 255 or not kernel.isascii() or key not in targets:
        return None
    for work in (flops, bytes_read, bytes_written):
        if type(work) is not int or not 0 <= work <= _WORK_MAX:
            return None
    for name in (*nodes, *args, *outputs):
        if type(name) is not str or len(name) > 255:
            return None
    if len(outputs) > 8 or any(name not in args for name in outputs) or (values is not None and not values.issuperset(args)):
        return None
    return CallInfo(kernel, tuple(nodes), flops, bytes_read, bytes_written, tuple(args), tuple(outputs), key)


def _call(item: Any, field: str, targets: dict[str, TargetInfo], values: set[str] | None) -> CallInfo:
    """`values` are the names that arguments may have; None if the library has no list of values."""
    data = _object(item, field, _CALL_KEYS)
    call = CallInfo(
        kernel=_text(data["kernel"], f"{field}.kernel"),
        nodes=_texts(data["nodes"], f"{field}.nodes"),
        flops=read_int(data["flops"], f"{field}.flops", high=_WORK_MAX),
        bytes_read=read_int(data["bytes_read"], f"{field}.bytes_read", high=_WORK_MAX),
        bytes_written=read_int(data["bytes_written"], f"{field}.bytes_written", high=_WORK_MAX),
        args=_texts(data["args"], f"{field}.args"),
        outputs=_texts(data["outputs"], f"{field}.outputs"),
        target_key=_text(data["target_key"], f"{field}.target_key"),
    )
    if call.target_key not in targets:
        _wrong(f"{field}.target_key", f"{call.target_key[:80]!r} is no key of a target")
    for at, name in enumerate(call.args):
        if values is not None and name not in values:
            _wrong(f"{field}.args[{at}]", f"{name[:80]!r} is not in `values`")
    args = call.args if len(call.outputs) < 8 else frozenset(call.args)
    for at, name in enumerate(call.outputs):
        if name not in args:
            _wrong(f"{field}.outputs[{at}]", f"{name[:80]!r} is not in the call's args")
    return call
