"""What an archive says about a model: its parts in a set, its files of code, and its memory in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ingot.artifact.artifact import LOADER_NATIVE, LOADER_PARAMS, LOADER_SOURCE, Artifact, Content
from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.model_info import SIZES_INPUT, ModelInfo, TensorInfo
from ingot.artifact.model_info_json import dims_data
from ingot.artifact.model_info_read import info_from_json
from ingot.artifact.programs import read_programs
from ingot.artifact.state_block import ALIGNMENT_BYTES, state_block, states_data, why_no_block
from ingot.base.errors import ArtifactError
from ingot.base.records import Frozen
from ingot.package.c.model import constants_files, model_header, model_source, shaped_model_source
from ingot.package.c.test_program import Vector, graph_test_program, test_program, vectors_header
from ingot.package.c.text import why_no_text
from ingot.package.classic.graph_json import graph_to_json
from ingot.package.classic.params import params_to_bytes
from ingot.package.mlf.c_source import aot_source, graph_source, header, prefix_of
from ingot.package.mlf.graph import ClassicModel, classic_model, params_file, storage_arguments

CPU = 1  # the number of the device type
THREADED = "llvm"  # the code generator whose kernels share loops out


class Parts(metaclass=Frozen):
    """The parts of one model in a set. `info` knows every value; `native` is its code for the host, in order. `programs` are
    those of a model with extents that vary, in the order of `info.programs`, which know their values, too.
    """

    info: ModelInfo
    native: tuple[Artifact, ...]
    constants: Content
    sources: Mapping[str, Content]  # by suffix: "onnx", "onnx.txt", "loops.txt"
    programs: tuple[ModelInfo, ...] = ()

    @property
    def prefix(self) -> str:
        return prefix_of(self.info)

    @property
    def is_threaded(self) -> bool:
        return self.info.host.codegen_id == THREADED

    def classic(self) -> ClassicModel:
        """The model as a classic graph."""
        return classic_model(self.info, self.prefix)


def parts_of(artifacts: ArtifactSet, info: ModelInfo, *, alone: bool) -> Parts:
    """The parts of the set that belong to the model; if it is the only one (`alone`), all code for its host.

    Raises:
        ArtifactError: the set lacks code for the host, constants, or what `ingot.build` says about the values.
    """
    symbol, key = info.symbol, info.host.key
    sources = {
        artifact.file_name.removeprefix(f"{symbol}."): artifact.content
        for artifact in artifacts
        if artifact.loader == LOADER_SOURCE and artifact.file_name.startswith(f"{symbol}.")
    }
    if "info.json" not in sources:
        raise ArtifactError(
            f"model {info.name!r}: the set does not say where its values are ({symbol}.info.json): archives are made from sets "
            "that ingot.build gave, not from what is left of one in a library",
            name=info.name,
        )
    full = info_from_json(sources.pop("info.json"))
    programs = _programs_of(artifacts, info, full)
    symbols = [program.symbol for program in programs] or [symbol]
    prefixes = tuple(f"{program}{end}" for program in symbols for end in "/.")
    native = tuple(
        artifact
        for artifact in artifacts
        if (artifact.loader, artifact.target_key) == (LOADER_NATIVE, key)
        and (alone or artifact.file_name.startswith(prefixes))
    )
    if not native:
        raise ArtifactError(
            f"model {info.name!r}: its target {info.host.target!r} makes no C and no objects, which an archive is for; "
            "build it for 'c' or 'llvm'",
            name=info.name,
        )
    matching = [
        artifact.content
        for artifact in artifacts
        if (artifact.loader, artifact.target_key, artifact.file_name)
        == (LOADER_PARAMS, key, info.host.params)
    ]
    if len(matching) != 1 and info.host.memory.params_bytes:
        raise ArtifactError(
            f"model {info.name!r}: its constants {info.host.params!r} are there {len(matching)} times",
            name=info.name,
        )
    return Parts(full, native, matching[0] if matching else b"", sources, programs)


def _programs_of(artifacts: ArtifactSet, info: ModelInfo, full: ModelInfo) -> tuple[ModelInfo, ...]:
    """All programs of a model with extents that vary, with their values as `full` has those of its own; none of others.

    Raises:
        ArtifactError: what is said of one is not there, is wrong, or is not of this model.
    """
    if not info.dims:
        return ()
    by_name = {
        artifact.file_name: artifact.content for artifact in artifacts if artifact.loader == LOADER_SOURCE
    }
    return tuple(
        replace(full, inputs=program.inputs)
        if program.symbol == info.symbol
        else info_from_json(by_name.get(f"{program.symbol}.info.json", b""))
        for program in read_programs(artifacts, info)
    )


def require_shapes(info: ModelInfo, *, version: int, executor: str, style: str = "full-model") -> None:
    """Refuses a model with extents that vary where an archive says one shape, and who reads it knows of no other; one that
    changes state in its place, where an archive has inputs apart from outputs; and one whose states fit no block.

    Raises:
        ArtifactError: the message says which archive has all shapes.
    """
    why = why_no_block(info) if info.states else ""
    if why:
        raise ArtifactError(
            f"an archive has C functions, and model {info.name!r} has none: {why}; export a library, or build it without state=, "
            "as an input and an output",
            name=info.name,
        )
    in_place = [state for state in info.states if state.axis is not None]
    if not (info.dims or in_place) or (version >= 8 and executor == "aot" and style == "full-model"):
        return
    asked = f"with the executor {executor!r}" if version >= 8 else f"of version {version}"
    asked = asked if style == "full-model" else f"in the {style} style"
    if in_place:
        raise ArtifactError(
            f"an archive {asked} has inputs apart from outputs, and model {info.name!r} changes the state "
            f"{in_place[0].input!r} in its place: take version 8 with the executor 'aot', or build the model without state",
            model=info.name,
        )
    raise ArtifactError(
        f"an archive {asked} has code for one shape, and model {info.name!r} is for {', '.join(map(str, info.dims))}: take "
        "version 8 with the executor 'aot', or build the model for one size of each",
        model=info.name,
    )


def require_text(info: ModelInfo, *, in_c: bool) -> None:
    """Refuses a model with text where an archive does not have it; `in_c`: it has ingot's C interface.

    Raises:
        ArtifactError: the message says why.
    """
    if info.border is None or not info.border.has_text:
        return
    why = (
        why_no_text(info)
        if in_c
        else "it takes or gives text, which of archives only those of version 8 with 'aot' have"
    )
    if why:
        raise ArtifactError(
            f"model {info.name!r}: {why}; let the model begin with the codes of text and end with the numbers of labels",
            name=info.name,
        )


# ─── code ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def aot_files(parts: Parts, version: int) -> dict[str, Content]:
    """Sources of the model's C interface, its header among them, without the kernels."""
    info = parts.info
    files: dict[str, Content] = {
        f"{parts.prefix}.h": header(info, version).encode("ascii"),
        "entry.c": aot_source(info, version, parts.is_threaded).encode("ascii"),
        **constants_files(info, parts.constants, "c"),
    }
    if version >= 8:
        files[f"{info.symbol}.h"] = model_header(info, parts.programs).encode("ascii")
        source = shaped_model_source(info, parts.programs) if parts.programs else model_source(info)
        files["api.c"] = source.encode("ascii")
    return files


def test_files(parts: Parts, executor: str, vectors: Sequence[Vector]) -> dict[str, Content]:
    """The model's test program with its vectors as C."""
    symbol = parts.info.symbol
    program = graph_test_program(parts.info) if executor == "graph" else test_program(parts.info)
    return {
        f"{symbol}_vectors.h": vectors_header(parts.info, vectors).encode("ascii"),
        f"{symbol}_{'graph_' * (executor == 'graph')}test.c": program.encode("ascii"),
    }


def graph_files(parts: Parts, model: ClassicModel, version: int) -> dict[str, Content]:
    """The graph, its parameters, and the source of its packed functions."""
    return {
        "graph": graph_to_json(model.graph, original=version < 8),
        "params": params_file(model, parts.constants),
        "functions.c": functions_source(parts, model),
    }


def functions_source(parts: Parts, model: ClassicModel) -> Content:
    """The source of the packed functions of a graph."""
    return graph_source(parts.info, model.functions, single_thread=parts.is_threaded).encode("ascii")


NO_PARAMS = params_to_bytes({})


# ─── memory ────────────────────────────────────────────────────────────────────────────────────────────────────────


def programs_memory(parts: Parts, version: int) -> dict[str, Any]:
    """What varies in a model, and its programs with the memory of each; nothing of models of one shape."""
    if not parts.programs:
        return {}
    programs = [
        {
            "symbol": program.symbol,
            "sizes": dict(zip((dim.name for dim in parts.info.dims), row.sizes, strict=True)),
            "memory": aot_memory(
                replace(parts, info=replace(program, inputs=_seen(program.inputs))), version
            ),
        }
        for program, row in zip(parts.programs, parts.info.programs, strict=True)
    ]
    return {"dims": {**dims_data(parts.info), "programs": programs}}


def state_memory(info: ModelInfo) -> dict[str, Any]:
    """The state block of a model: its memory, and where each state lies in it; nothing of models without state."""
    if not info.states:
        return {}
    block, tensors = state_block(info), {tensor.name: tensor for tensor in info.inputs}
    rows = [
        {**row, **_tensor(tensors[row["input"]], 8), "copies": 2 if state.axis is None else 1}
        for row, state in zip(states_data(info), info.states, strict=True)
    ]
    memory = {
        "size_bytes": block.size_bytes,
        "alignment_bytes": ALIGNMENT_BYTES,
        "half_bytes": block.half_bytes,
        "mark": block.mark,
    }
    return {"state": {**memory, "states": rows}}


def _seen(inputs: Sequence[TensorInfo]) -> tuple[TensorInfo, ...]:
    """The inputs that callers give: of a program with room, not the sizes."""
    return tuple(tensor for tensor in inputs if tensor.name != SIZES_INPUT)


def aot_memory(parts: Parts, version: int) -> dict[str, Any]:
    """The memory of a model that runs by one call. The workspaces of its kernels are part of the arena."""
    info = parts.info
    memory = info.host.memory
    functions: dict[str, int] = {}
    sizes = {value.name: value.type.size_bytes for value in info.values}
    for call in info.calls:
        outputs = set(call.outputs)
        first = max((at for at, name in enumerate(call.args) if name in outputs), default=len(call.args) - 1)
        needed = sum(sizes[name] for name in call.args[first + 1 :])
        functions[call.kernel] = max(functions.get(call.kernel, 0), needed)
    # Up to version 7, constants that are part of the code were not counted.
    constants = memory.params_bytes if version >= 8 else 0
    entry = _memory(info, version, memory.arena_bytes, constants)
    entry["functions"]["operator_functions"] = [
        _operator(f"{parts.prefix}_{name}", size) for name, size in functions.items()
    ]
    if version >= 8:
        entry["functions"]["main"][0]["alignment_bytes"] = memory.alignment_bytes
    return entry


def graph_memory(parts: Parts, model: ClassicModel, version: int) -> dict[str, Any]:
    """The memory of a graph: what the executor allocates, and the largest workspace that a function asks for."""
    arguments = storage_arguments(model.graph)
    sizes, rows = model.graph.storage_sizes(), model.graph.rows
    heads = {model.graph.entries[rows[node] + output].storage_id for node, output in model.graph.heads}
    own = sum(size for number, size in sizes.items() if number not in arguments and number not in heads)
    largest = max((function.workspace_bytes for function in model.functions), default=0)
    names = {name for name, _ in model.params}
    constants = sum(sizes[number] for number, name in arguments.items() if name in names)
    entry = _memory(parts.info, version, own + largest, constants)
    entry["functions"]["operator_functions"] = [
        _operator(function.name, function.workspace_bytes) for function in model.functions
    ]
    entry["sids"] = [
        {
            "storage_id": number,
            "size_bytes": size,
            **({"input_binding": arguments[number]} if number in arguments else {}),
        }
        for number, size in sizes.items()
    ]
    return entry


def _memory(info: ModelInfo, version: int, workspace: int, constants: int) -> dict[str, Any]:
    tensors = (*info.inputs, *info.outputs)
    main: dict[str, Any] = {
        "device": CPU,
        "workspace_size_bytes": workspace,
        "constants_size_bytes": constants,
        "io_size_bytes": sum(tensor.size_bytes for tensor in tensors),
    }
    if version >= 7:
        main["inputs"] = {tensor.name: _tensor(tensor, version) for tensor in info.inputs}
        main["outputs"] = {tensor.name: _tensor(tensor, version) for tensor in info.outputs}
    return {"functions": {"main": [main]}}


def _tensor(tensor: TensorInfo, version: int) -> dict[str, Any]:
    said: dict[str, Any] = {"size": tensor.size_bytes, "dtype": tensor.dtype.value}
    return {**said, "shape": list(tensor.shape)} if version >= 8 else said


def _operator(name: str, size: int) -> dict[str, Any]:
    return {"function_name": name, "workspace": [{"device": CPU, "workspace_size_bytes": size}]}
