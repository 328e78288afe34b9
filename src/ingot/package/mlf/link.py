"""What of an archive is linked to run its models here: the set that `ingot.build` gave, or, for archives by the classic
conventions, their code with a source that calls it by the calling convention of ingot's libraries.

A graph becomes a model whose calls are those of the graph, between a call that takes the inputs in and one that hands the outputs
out: so entries may share storage in any way.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from ingot.artifact.artifact import (
    LOADER_METADATA,
    LOADER_NATIVE,
    LOADER_PARAMS,
    LOADER_SOURCE,
    Artifact,
    Content,
    is_label,
)
from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.model_info import CallInfo, MemoryInfo, ModelInfo, TargetInfo, TensorInfo
from ingot.artifact.model_info_json import info_to_json
from ingot.artifact.model_info_read import info_from_json
from ingot.artifact.values import ValueInfo, dense
from ingot.base.errors import ArtifactError, LoadError
from ingot.base.platforms import is_this_platform, platform_words, this_platform, triple_of
from ingot.base.tensor import DType, TensorType
from ingot.package.classic.graph_json import NO_OPERATION, Entry, Graph, Node
from ingot.package.mlf.read import Archive, ArchiveModel
from ingot.package.mlf.shim import CONTEXT, Copy, PackedCall, Step, aot_shim, graph_shim

CODEGEN_ID = "mlf"
INCLUDE = "include"  # the folder of headers beside the sources
ALIGNMENT = 64
COPY = "__copy"  # a call that copies its first argument to its second
_DTYPES = {dtype.value: dtype for dtype in DType}
MAX_SIGNATURE_BYTES = 1 << 16  # of a program's text, in which its inputs are looked for
_HERE = "link it with the tool chain of its processor, or look into it with 'ingot inspect'"


def linkable(archive: Archive, here: int, headers: Mapping[str, Content]) -> ArtifactSet:
    """The artifacts to link.

    Args:
        archive: what was read.
        here: the number of this machine in ELF files.
        headers: of the C runtime, which sources of the original tools include, by name.

    Raises:
        LoadError: the archive cannot run here: objects for another system or processor, no code, or no word about sizes.
        ArtifactError: it contradicts itself.
    """
    for model in archive.models:
        for target in model.targets:
            _require_platform(archive.name, model.name, triple_of(target))
    for name, file in archive.files.items():
        if name.startswith("codegen/host/") and name.endswith(".o"):
            _require_machine(archive.name, name, file.content, here)
    if len(archive.artifacts):
        return _as_exported(archive)
    artifacts = [
        Artifact(CODEGEN_ID, LOADER_NATIVE, f"{INCLUDE}/{name}", content)
        for name, content in {**headers, **_headers(archive)}.items()
    ]
    artifacts += _code(archive)
    if any(artifact.file_name.endswith(".o") for artifact in artifacts):
        artifacts.append(Artifact(CODEGEN_ID, LOADER_NATIVE, "context.c", CONTEXT.encode("ascii")))
    for model in archive.models:
        artifacts += _graph(archive, model) if model.graph is not None else _aot(archive, model)
    return ArtifactSet(artifacts)


def _as_exported(archive: Archive) -> ArtifactSet:
    """The artifacts of version 8. A model that was exported for the graph executor is run by it, with all values to see."""
    graphs = {model.name: model.info for model in archive.models if "graph" in model.executors}
    known = {
        artifact.file_name.removesuffix(".info.json"): artifact.content
        for artifact in archive.artifacts
        if artifact.loader == LOADER_SOURCE and artifact.file_name.endswith(".info.json")
    }
    exported = []
    for artifact in archive.artifacts:
        symbol = artifact.file_name.removesuffix(".json")
        if artifact.loader == LOADER_METADATA and symbol in graphs and symbol in known:
            info = replace(info_from_json(known[symbol]), executors=("graph", "aot"))
            exported.append(replace(artifact, content=info_to_json(info)))
        else:
            exported.append(artifact)
    return ArtifactSet(exported)


def _require_platform(archive: str, model: str, triple: str) -> None:
    if is_this_platform(triple):
        return
    here = platform_words(this_platform())
    raise LoadError(
        f"{archive} cannot run here: its model {model!r} was built for {triple}, and this process runs on {here}; {_HERE}",
        name=archive,
        built_for=triple,
        here=here,
    )


def _require_machine(archive: str, name: str, content: memoryview, here: int) -> None:
    head = bytes(content[:20])
    if head[:4] != b"\x7fELF" or len(head) < 20:
        raise LoadError(f"{archive} cannot run here: {name} is no ELF object; {_HERE}", name=archive)
    machine = struct.unpack_from("<H" if head[5] == 1 else ">H", head, 18)[0]
    if machine != here:
        known = {
            3: "x86",
            40: "Arm (32 bits, Thumb among them)",
            62: "x86-64",
            183: "64-bit Arm",
            243: "RISC-V",
        }
        machine_name = known.get(machine, f"ELF machine {machine}")
        raise LoadError(
            f"{archive} cannot run here: {name} is for {machine_name}; {_HERE}",
            name=archive,
            machine=machine,
            here=here,
        )


def _headers(archive: Archive) -> dict[str, Content]:
    prefix = "codegen/host/include/"
    return {
        name.removeprefix(prefix): file.content
        for name, file in archive.files.items()
        if name.startswith(prefix)
    }


def _code(archive: Archive) -> list[Artifact]:
    """Every source and object for the host, under names of ours in one folder; headers there keep the end of their names."""
    artifacts = []
    owners: dict[str, str] = {}  # the header that has each name
    for number, (name, file) in enumerate(archive.files.items()):
        if not name.startswith(("codegen/host/src/", "codegen/host/lib/")):
            continue
        suffix = PurePosixPath(name).suffix
        if suffix not in (".c", ".o", ".h"):
            raise LoadError(
                f"{archive.name} cannot run here: {name} is neither C nor an object", name=archive.name
            )
        plain = f"{number}{suffix}"
        if suffix == ".h":
            plain = PurePosixPath(name).name
            first = owners.setdefault(plain, name)
            if archive.files[first].content != file.content:
                raise LoadError(
                    f"{archive.name} cannot run here: {first} and {name} differ, and all its sources are compiled in one folder, "
                    f"where {plain!r} is one file",
                    name=archive.name,
                )
            if first != name:
                continue
        artifacts.append(Artifact(CODEGEN_ID, LOADER_NATIVE, f"src/{plain}", file.content))
    if not any(artifact.file_name.endswith((".c", ".o")) for artifact in artifacts):
        raise LoadError(f"{archive.name} cannot run here: it has no code for the host", name=archive.name)
    return artifacts


def _symbol(model: ArchiveModel) -> str:
    """The C symbol of the model in the library that is made here; its own is taken by its code."""
    return "mlf_" + re.sub(r"[^A-Za-z0-9_]", "_", model.name)


def _target(model: ArchiveModel, symbol: str, arena: int, params: int) -> TargetInfo:
    known = () if model.info is None else model.info.host.cpu_features
    text = "c" if model.info is None else model.info.host.target
    memory = MemoryInfo(arena, params, arena, ALIGNMENT)
    return TargetInfo("host", text, CODEGEN_ID, "cpu", known, memory, f"{symbol}.params" if params else "")


def _with_origin(model: ArchiveModel, info: ModelInfo) -> ModelInfo:
    """With the origin of the model and what of it is state, if ingot wrote the archive."""
    known = model.info
    if known is None:
        return info
    # A graph may have other types for what is packed: then it is an input and an output.
    types = [{tensor.name: tensor.type for tensor in (*some.inputs, *some.outputs)} for some in (known, info)]
    has_states = all(types[0].get(name) == types[1].get(name) for name in known.state_names)
    states = known.states if has_states else ()
    return replace(info, digests=known.digests, origin=known.origin, states=states)


def _artifacts(info: ModelInfo, params: bytes, source: str) -> list[Artifact]:
    artifacts = [
        Artifact(CODEGEN_ID, LOADER_METADATA, f"{info.symbol}.json", info_to_json(info)),
        Artifact(CODEGEN_ID, LOADER_NATIVE, f"{info.symbol}_calls.c", source.encode("ascii")),
    ]
    return (
        [*artifacts, Artifact(CODEGEN_ID, LOADER_PARAMS, f"{info.symbol}.params", params)]
        if params
        else artifacts
    )


# ─── graph ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _graph(archive: Archive, model: ArchiveModel) -> list[Artifact]:
    """A model of the graph executor."""
    graph = model.graph
    assert graph is not None
    symbol = _symbol(model)
    _require_names_of_c(archive, model, graph)
    offsets, arena = _storage(graph)
    rows, names = graph.rows, _names(graph)
    places: list[tuple[str, int]] = [("arena", offsets[entry.storage_id]) for entry in graph.entries]
    params = bytearray()
    inputs: list[tuple[int, TensorInfo]] = []
    for number in graph.arguments:
        at = rows[number]
        entry, name = graph.entries[at], graph.nodes[number].name
        if name not in model.params:
            inputs.append((at, TensorInfo(name, entry.dtype, entry.shape)))
            continue
        dtype, array = model.params[name]
        if (dtype, array.shape) != (entry.dtype, entry.shape) and array.nbytes != entry.size_bytes:
            raise ArtifactError(
                f"{archive.name}: parameter {name!r} is {dtype.value}{list(array.shape)}, the graph expects "
                f"{entry.dtype.value}{list(entry.shape)}",
                name=name,
            )
        params += bytes(-len(params) % ALIGNMENT)
        places[at] = ("params", len(params))
        params += array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    heads = [rows[node] + output for node, output in graph.heads]
    outputs = _outputs(archive, model, graph, heads)
    inputs = _as_known(model, inputs)
    values = [
        ValueInfo(
            name,
            e.dtype,
            e.shape,
            dense(name, TensorType(e.dtype, e.shape), "arena").strides,
            region,
            0,
            offset,
        )
        for name, e, (region, offset) in zip(names, graph.entries, places, strict=True)
    ]
    values += [
        dense(f"{model_tensor.name}.in", model_tensor.type, "input", at)
        for at, (_, model_tensor) in enumerate(inputs)
    ]
    values += [
        dense(f"{model_tensor.name}.out", model_tensor.type, "output", at)
        for at, model_tensor in enumerate(outputs)
    ]
    steps: list[Step] = [
        Copy((3 + number, 0), _base(places[at]), model_tensor.size_bytes)
        for number, (at, model_tensor) in enumerate(inputs)
    ]
    calls = [
        CallInfo(
            "take_inputs",
            (),
            args=tuple(f"{model_tensor.name}.in" for _, model_tensor in inputs)
            + tuple(names[at] for at, _ in inputs),
            outputs=tuple(names[at] for at, _ in inputs),
        )
    ]
    groups: list[list[Step]] = [steps]
    for number, node in enumerate(graph.nodes):
        if not node.func_name:
            continue
        read = [rows[source] + output for source, output in node.inputs]
        written = range(rows[number], rows[number + 1])
        groups.append(_node_steps(archive, node, read, written, graph.entries, places))
        args = dict.fromkeys(names[at] for at in (*read, *written))
        calls.append(
            CallInfo(
                node.func_name, (node.name,), args=tuple(args), outputs=tuple(names[at] for at in written)
            )
        )
    first = 3 + len(inputs)
    groups.append(
        [
            Copy(_base(places[at]), (first + number, 0), model_tensor.size_bytes)
            for number, (at, model_tensor) in enumerate(zip(heads, outputs, strict=True))
        ]
    )
    calls.append(
        CallInfo(
            "give_outputs",
            (),
            args=tuple(dict.fromkeys(names[at] for at in heads))
            + tuple(f"{tensor.name}.out" for tensor in outputs),
            outputs=tuple(f"{tensor.name}.out" for tensor in outputs),
        )
    )
    info = ModelInfo(
        model.name if is_label(model.name) else symbol,
        symbol,
        tuple(model_tensor for _, model_tensor in inputs),
        outputs,
        (_target(model, symbol, arena, len(params)),),
        ("aot", "graph"),
        tuple(calls),
        tuple(values),
    )
    return _artifacts(_with_origin(model, info), bytes(params), graph_shim(symbol, groups))


def _require_names_of_c(archive: Archive, model: ArchiveModel, graph: Graph) -> None:
    """Raises LoadError for functions that no C source can call: older tools made their names of any model's name."""
    foreign = [node.func_name for node in graph.nodes if not re.fullmatch(r"\w*", node.func_name, re.ASCII)]
    if foreign:
        raise LoadError(
            f"{archive.name} cannot run here: the graph of model {model.name!r} calls {foreign[0]!r}, which is no name in C; "
            "export the model again under a name of letters, digits and '_'",
            name=archive.name,
            functions=tuple(foreign),
        )


def _base(place: tuple[str, int]) -> tuple[int, int]:
    """Number of the base pointer, and the bytes behind it."""
    return {"params": 0, "arena": 1}[place[0]], place[1]


def _node_steps(
    archive: Archive,
    node: Node,
    read: Sequence[int],
    written: Sequence[int],
    entries: Sequence[Entry],
    places: Sequence[tuple[str, int]],
) -> list[Step]:
    if node.func_name in (NO_OPERATION, COPY):
        if not read:
            raise ArtifactError(
                f"{archive.name}: node {node.name[:80]!r} of the graph calls {node.func_name} without an input",
                name=archive.name,
            )
        size = min(entries[read[0]].size_bytes, entries[written[0]].size_bytes)
        same = places[read[0]] == places[written[0]]
        return [] if same else [Copy(_base(places[read[0]]), _base(places[written[0]]), size)]
    tensors = tuple((entries[at], *_base(places[at])) for at in (*read, *written))
    return [PackedCall(node.func_name, tensors)]


def _storage(graph: Graph) -> tuple[dict[int, int], int]:
    """Where in the arena each storage begins, and the size of the arena."""
    offsets: dict[int, int] = {}
    end = 0
    for number, size in graph.storage_sizes().items():
        offsets[number] = end
        end += -(-size // ALIGNMENT) * ALIGNMENT
        if end > 1 << 40:
            raise ArtifactError(f"graph: its storage is more than {1 << 40} bytes")
    return offsets, end


def _names(graph: Graph) -> list[str]:
    """A name of its own for each entry."""
    names: list[str] = []
    taken: set[str] = set()
    for node in graph.nodes:
        for output in range(node.outputs):
            name = node.name if node.outputs == 1 else f"{node.name}:{output}"
            if name in taken:
                name = f"{name}'{len(names)}"
            while name in taken:
                name += "'"
            taken.add(name)
            names.append(name)
    return names


def _outputs(
    archive: Archive, model: ArchiveModel, graph: Graph, heads: Sequence[int]
) -> tuple[TensorInfo, ...]:
    """Outputs by their names and in their shapes in the model, if these are known."""
    if model.info is not None and len(model.info.outputs) == len(heads):
        for output, entry in zip(model.info.outputs, (graph.entries[at] for at in heads), strict=True):
            if output.size_bytes != entry.size_bytes:
                raise ArtifactError(
                    f"{archive.name}: the output {output} of model {model.name!r} has {output.size_bytes} bytes, the graph's "
                    f"{entry.dtype.value}{list(entry.shape)} has {entry.size_bytes}",
                    name=output.name,
                )
        return model.info.outputs
    names = ["output"] if len(heads) == 1 else [f"output{at}" for at in range(len(heads))]
    return tuple(
        TensorInfo(name, graph.entries[at].dtype, graph.entries[at].shape)
        for name, at in zip(names, heads, strict=True)
    )


def _as_known(model: ArchiveModel, inputs: Sequence[tuple[int, TensorInfo]]) -> list[tuple[int, TensorInfo]]:
    """The inputs in the shapes of the model, if they are known: a graph has no scalars."""
    known = {} if model.info is None else {tensor.name: tensor for tensor in model.info.inputs}
    return [
        (
            at,
            known[model_tensor.name]
            if model_tensor.name in known and known[model_tensor.name].size_bytes == model_tensor.size_bytes
            else model_tensor,
        )
        for at, model_tensor in inputs
    ]


# ─── one call ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _aot(archive: Archive, model: ArchiveModel) -> list[Artifact]:
    """A model with the C interface."""
    if model.style == "operator":
        raise LoadError(
            f"{archive.name} cannot run here: it is of operator style: it has the function {model.name!r} and no model that "
            "calls it; an application that links it can do that, and 'ingot inspect' shows what is in it",
            name=archive.name,
        )
    if not model.header:
        raise LoadError(
            f"{archive.name} cannot run here: model {model.name!r} has neither a graph nor the C interface "
            f"(codegen/host/include/tvmgen_{model.name.lower()}.h); an application that links it must call it",
            name=archive.name,
        )
    symbol = _symbol(model)
    text = bytes(archive.files[model.header].content).decode("utf-8", "replace")
    prefix = PurePosixPath(model.header).stem
    fields = {kind: _fields(text, f"{prefix}_{kind}") for kind in ("inputs", "outputs")}
    if re.search(rf"struct\s+{prefix}_(workspace_pools|devices)\b", text) or None in fields.values():
        raise LoadError(
            f"{archive.name} cannot run here: the C interface of {model.name!r} wants memory pools or devices of the application",
            name=archive.name,
        )
    inputs, outputs = (_tensors(archive, model, kind, fields[kind] or ()) for kind in ("inputs", "outputs"))
    info = ModelInfo(
        model.name if is_label(model.name) else symbol,
        symbol,
        inputs,
        outputs,
        (_target(model, symbol, 0, 0),),
        ("aot",),
    )
    return _artifacts(
        _with_origin(model, info),
        b"",
        aot_shim(symbol, prefix, fields["inputs"] or (), fields["outputs"] or ()),
    )


def _fields(text: str, name: str) -> tuple[str, ...] | None:
    """The members of a struct of pointers, in order; none if there is no such struct."""
    match = re.search(rf"struct\s+{re.escape(name)}\s*\{{([^}}]*)\}}", text)
    if match is None:
        return None
    members = re.findall(r"void\s*\*\s*([A-Za-z_][A-Za-z0-9_]*)\s*;", match[1])
    return tuple(member for member in members if member != "unused")


def _tensors(
    archive: Archive, model: ArchiveModel, kind: str, fields: Sequence[str]
) -> tuple[TensorInfo, ...]:
    """The tensors in the order of the struct: from what ingot said, or from sizes, as one dimension."""
    if model.info is not None:
        known = model.info.inputs if kind == "inputs" else model.info.outputs
        if len(known) != len(fields):
            raise ArtifactError(
                f"{archive.name}: the C interface of {model.name!r} has {len(fields)} {kind}, expected {len(known)}"
            )
        return known
    functions = model.memory.get("functions")
    main = functions.get("main") if type(functions) is dict else None
    first = main[0] if type(main) is list and main else None
    said = first.get(kind) if type(first) is dict else None
    if type(said) is not dict:
        raise LoadError(
            f"{archive.name} cannot run here: it does not say how large the {kind} of model {model.name!r} are "
            "(TVM did from v0.11 on); an application that links it must know",
            name=archive.name,
        )
    shapes = _relay_shapes(archive, model) if kind == "inputs" else {}
    by_field = {re.sub(r"[^A-Za-z0-9]", "_", name).lower(): (name, facts) for name, facts in said.items()}
    tensors = []
    for field in fields:
        name, facts = by_field.get(field.lower(), ("", None))
        dtype = (
            _DTYPES.get(facts.get("dtype", ""))
            if type(facts) is dict and type(facts.get("dtype")) is str
            else None
        )
        size = facts.get("size") if type(facts) is dict else None
        if dtype is None or type(size) is not int or not 0 <= size <= 1 << 40 or size % dtype.size_bytes:
            raise ArtifactError(
                f"{archive.name}: nothing true is said about {kind} {field!r} of model {model.name!r}",
                name=field,
            )
        count = 8 * size // dtype.bits
        shape = shapes.get(name, (count,))
        tensors.append(TensorInfo(name, dtype, shape if math.prod(shape) == count else (count,)))
    return tuple(tensors)


def _relay_shapes(archive: Archive, model: ArchiveModel) -> dict[str, tuple[int, ...]]:
    """The shapes of the model's inputs, as the text of its program has them: the metadata has sizes only."""
    path = f"src/{model.name}.relay" if f"src/{model.name}.relay" in archive.files else "src/relay.txt"
    if path not in archive.files:
        return {}
    text = bytes(archive.files[path].content[:MAX_SIGNATURE_BYTES]).decode("utf-8", "replace")
    signature = text.partition("def @main(")[2].partition(") {")[0].partition(") ->")[0]
    matches = re.findall(r"%([A-Za-z0-9_]+)[^:%]{0,99}: Tensor\[\(([0-9, ]{0,999})\), \w+\]", signature)
    return {
        name: tuple(int(extent) for extent in extents.split(",") if extent.strip())
        for name, extents in matches
    }
