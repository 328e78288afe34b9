"""The `metadata` artifact → `ModelInfo`: nothing is trusted, and the field that is wrong is named.

The reader checks by hand what `model_info.schema.json` says, which needs no package and takes a tenth of the time, and then what
a schema cannot say: that every place lies within its memory.
"""

import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import ingot
from ingot.artifact.artifact import LOADER_METADATA, LOADER_PARAMS, Artifact, is_digest, is_label, is_symbol
from ingot.artifact.json_read import read_json
from ingot.artifact.model_info import (
    EXECUTORS,
    SCHEMA_VERSION,
    SIZES_INPUT,
    CallInfo,
    CheckInfo,
    DimInfo,
    MemoryInfo,
    ModelInfo,
    Origin,
    ProgramInfo,
    TargetInfo,
    TensorInfo,
    checks,
    read_dtype,
    read_int,
    read_shape,
    read_word,
)
from ingot.base.lazy import Late

if TYPE_CHECKING:
    from ingot.artifact import border_read, controls, dims_read, entries, state_block, values_read
    from ingot.artifact.artifact import Content
    from ingot.border.program import Border
else:
    # Only the graph executor wants values, and reading them is a tenth of all that a small model's first answer would import.
    values_read = Late("ingot.artifact.values_read")
    border_read = Late("ingot.artifact.border_read")  # few models have one
    dims_read = Late("ingot.artifact.dims_read")
    state_block = Late("ingot.artifact.state_block")  # nor state
    controls = Late("ingot.artifact.controls")
    entries = Late("ingot.artifact.entries")

MAX_JSON_BYTES = 256 << 20

_wrong, _object, _array, _text = checks.wrong, checks.object, checks.array, checks.text


def info_from_json(content: "Content") -> ModelInfo:
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
        raise ingot.ArtifactError(
            f"model info is not the JSON that ingot writes: {error}", field=""
        ) from error
    return checked_info(data)


def read_models(artifacts: Iterable[Artifact]) -> dict[str, ModelInfo]:
    """The models that the metadata among the artifacts describe, by name.

    Raises:
        ArtifactError: metadata is wrong, or two models have the same name or symbol.
    """
    by_symbol: dict[str, ModelInfo] = {}
    owners: dict[str, str] = {}
    for artifact in artifacts:
        if artifact.loader != LOADER_METADATA:
            continue
        info = info_from_json(artifact.content)
        if info.name in by_symbol:
            raise ingot.ArtifactError(f"two models are called {info.name!r}", name=info.name)
        for name in _exported_names(info):
            if name in owners:
                raise ingot.ArtifactError(
                    f"models {owners[name]!r} and {info.name!r} both have the C symbol {name!r}; rename one of them",
                    symbol=name,
                )
            owners[name] = info.name
        by_symbol[info.name] = info
    return by_symbol


def _exported_names(info: ModelInfo) -> tuple[str, ...]:
    """The names that a library can export for a model. `ingot_a_run` of a model `a` is `<symbol>_run` of a model `ingot_a`."""
    own = (
        info.run_name,
        info.call_name,
        f"{info.symbol}_run",
        f"{info.symbol}_run_parallel",
        f"__tvm_ffi_{info.symbol}",
    )
    others = (*info.levels, *(program.symbol for program in info.programs if program.symbol != info.symbol))
    names = (*own, *(f"ingot_{symbol}_{entry}" for symbol in others for entry in ("run", "call")))
    if not info.dims:
        return names
    return (*names, *(f"ingot_{symbol}_repeat" for symbol in (info.symbol, *others)))


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


_TENSOR_KEYS = frozenset({"name", "dtype", "shape"})
_CALL_KEYS = frozenset(
    {"kernel", "nodes", "flops", "bytes_read", "bytes_written", "args", "outputs", "target_key"}
)
_HOW_KEYS = frozenset({"algorithm", "region"})
_CALL_KEYS_WITH_HOW = _CALL_KEYS | {"algorithm"}
_WORK_MAX = 1 << 62
_call_fields = operator.itemgetter(
    "kernel", "nodes", "flops", "bytes_read", "bytes_written", "args", "outputs", "target_key"
)
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
_SELDOM_KEYS = frozenset(
    {"border", "checks", "controls", "counts", "dims", "entry", "levels", "origin", "states"}
)
_CHECK_KEYS = frozenset(CheckInfo.__match_args__)


def checked_info(data: Any) -> ModelInfo:
    """The model info that data of the schema say; raises ArtifactError as `info_from_json` does."""
    checks.version(checks.any_object(data, ""), "schema_version", SCHEMA_VERSION)
    _object(data, "", _INFO_KEYS, _SELDOM_KEYS)
    read_int(data["schema_version"], "schema_version", 1, SCHEMA_VERSION)
    inputs = _tensors(data["inputs"], "inputs")
    outputs = _tensors(data["outputs"], "outputs")
    targets = tuple(
        _target(item, f"targets[{at}]") for at, item in enumerate(_array(data["targets"], "targets"))
    )
    by_key = {target.key: target for target in targets}
    if not targets or targets[0].key != "host":
        _wrong("targets", "must begin with the one whose key is 'host'")
    if len(by_key) != len(targets):
        _wrong("targets", "has the same key twice")
    executors = tuple(
        read_word(item, f"executors[{at}]", EXECUTORS)
        for at, item in enumerate(_array(data["executors"], "executors"))
    )
    if not executors or len(set(executors)) != len(executors):
        _wrong("executors", "must name at least one executor, and none twice")
    listed = _array(data["values"], "values")
    values = values_read.read_values(listed, by_key, inputs, outputs) if listed else ()
    names = {value.name for value in values}
    stored = names if "graph" in executors or len(targets) > 1 else None
    calls = tuple(
        _usual_call(item, by_key, stored) or _call(item, f"calls[{at}]", by_key, stored)
        for at, item in enumerate(_array(data["calls"], "calls"))
    )
    digests = checks.any_object(data["digests"], "digests")
    levels = _array(data["levels"], "levels") if "levels" in data else ()
    symbol = _text(data["symbol"], "symbol", is_symbol)
    dims: tuple[DimInfo, ...] = ()
    programs: tuple[ProgramInfo, ...] = ()
    if "dims" in data:
        given = tuple(tensor for tensor in inputs if tensor.name != SIZES_INPUT)
        dims, programs, visible, outputs = dims_read.read_dims(
            data["dims"], symbol, given, outputs, has_border="border" in data
        )
        if any(dim.room for dim in dims) != (len(given) < len(inputs)):
            _wrong("inputs", f"must have {SIZES_INPUT!r} if programs have room, and else not")
        inputs = visible
    counts: tuple[DimInfo, ...] = ()
    if "counts" in data:
        counts, outputs = dims_read.read_counts(data["counts"], outputs)
    return ModelInfo(
        name=_text(data["name"], "name", is_label),
        symbol=symbol,
        inputs=inputs,
        outputs=outputs,
        targets=targets,
        executors=executors,
        calls=calls,
        values=values,
        ingot_version=_text(data["ingot_version"], "ingot_version"),
        digests=tuple(
            sorted(
                (_text(key, "digests"), _text(digests[key], f"digests.{key[:64]}", is_digest))
                for key in digests
            )
        ),
        levels=tuple(_text(symbol, f"levels[{at}]", is_symbol) for at, symbol in enumerate(levels)),
        border=_border(data["border"], symbol, inputs, outputs, dims, programs) if "border" in data else None,
        origin=_origin(data["origin"]) if "origin" in data else None,
        dims=dims,
        programs=programs,
        states=state_block.read_states(data["states"], inputs, outputs) if "states" in data else (),
        checks=_checks(data["checks"]) if "checks" in data else (),
        counts=counts,
        controls=controls.read_controls(data["controls"], len(calls), targets[0].memory)
        if "controls" in data
        else (),
        entry=entries.read_entry(data["entry"], outputs) if "entry" in data else None,
    )


def _checks(value: Any) -> tuple[CheckInfo, ...]:
    items = [
        (f"checks[{at}]", _object(item, f"checks[{at}]", _CHECK_KEYS))
        for at, item in enumerate(_array(value, "checks"))
    ]
    return tuple(
        CheckInfo(*(_text(item[name], f"{place}.{name}") for name in CheckInfo.__match_args__))
        for place, item in items
    )


def _border(
    data: Any,
    symbol: str,
    inputs: tuple[TensorInfo, ...],
    outputs: tuple[TensorInfo, ...],
    dims: tuple[DimInfo, ...],
    programs: tuple[ProgramInfo, ...],
) -> "Border":
    if not dims:
        return border_read.read_border(data, inputs, outputs)
    own = next(program for program in programs if program.symbol == symbol)
    return border_read.read_varying_border(data, inputs, outputs, dims, own.sizes)


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
        metadata=tuple(
            (key, _text(metadata[key], f"origin.metadata.{key[:64]}")) for key in sorted(metadata)
        ),
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
            TensorInfo(
                _text(data["name"], f"{where}.name"),
                dtype,
                read_shape(data["shape"], dtype, f"{where}.shape"),
            )
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
        _wrong(
            f"{field}.params", "must name an artifact, because there are constants (params_bytes is not 0)"
        )
    return target


def _usual_call(item: Any, targets: dict[str, TargetInfo], values: set[str] | None) -> CallInfo | None:
    """The call, if it is right in every usual way, else None: there may be ten thousand, and words for messages are made by
    `_call`, which looks at the others.
    """
    if type(item) is not dict or (item.keys() != _CALL_KEYS and item.keys() != _CALL_KEYS_WITH_HOW):
        return None
    algorithm = item.get("algorithm", "")
    if type(algorithm) is not str or len(algorithm) > 255:
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
    if (
        len(outputs) > 8
        or any(name not in args for name in outputs)
        or (values is not None and not values.issuperset(args))
    ):
        return None
    return CallInfo(
        kernel, tuple(nodes), flops, bytes_read, bytes_written, tuple(args), tuple(outputs), key, algorithm
    )


def _call(item: Any, field: str, targets: dict[str, TargetInfo], values: set[str] | None) -> CallInfo:
    """`values` are the names that arguments may have; None if the library has no list of values."""
    data = _object(item, field, _CALL_KEYS, _HOW_KEYS)
    call = CallInfo(
        kernel=_text(data["kernel"], f"{field}.kernel"),
        nodes=_texts(data["nodes"], f"{field}.nodes"),
        flops=read_int(data["flops"], f"{field}.flops", high=_WORK_MAX),
        bytes_read=read_int(data["bytes_read"], f"{field}.bytes_read", high=_WORK_MAX),
        bytes_written=read_int(data["bytes_written"], f"{field}.bytes_written", high=_WORK_MAX),
        args=_texts(data["args"], f"{field}.args"),
        outputs=_texts(data["outputs"], f"{field}.outputs"),
        target_key=_text(data["target_key"], f"{field}.target_key"),
        algorithm=_text(data.get("algorithm", ""), f"{field}.algorithm"),
        region=_text(data["region"], f"{field}.region", is_symbol) if "region" in data else "",
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


def find_params(
    artifacts: Sequence[Artifact], info: ModelInfo, target: "TargetInfo | None" = None
) -> memoryview:
    """The constants of one of the model's targets, the host by default.

    Raises:
        ArtifactError: they are not there, or of another size than the model says.
    """
    host = info.host if target is None else target
    matching = [
        artifact
        for artifact in artifacts
        if artifact.loader == LOADER_PARAMS
        and artifact.target_key == host.key
        and artifact.file_name == host.params
    ]
    if len(matching) != 1:
        times = f"its constants {host.params!r} are there {len(matching)} times"
        raise ingot.ArtifactError(f"model {info.name!r}: {times}", name=info.name)
    content = memoryview(matching[0].content)
    if content.nbytes != host.memory.params_bytes:
        raise ingot.ArtifactError(
            f"model {info.name!r}: its constants have {content.nbytes} bytes, expected {host.memory.params_bytes}",
            name=info.name,
        )
    return content
