"""What an archive says about a model: its parts in a set, its files of code, and its memory in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ingot.artifact.artifact import LOADER_NATIVE, LOADER_PARAMS, LOADER_SOURCE, Artifact, Content
from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.artifact.model_info_read import info_from_json
from ingot.base.errors import ArtifactError
from ingot.base.records import Frozen
from ingot.package.c.model import constants_files, model_header, model_source
from ingot.package.c.test_program import Vector, graph_test_program, test_program, vectors_header
from ingot.package.c.text import why_no_text
from ingot.package.classic.graph_json import graph_to_json
from ingot.package.classic.params import params_to_bytes
from ingot.package.mlf.c_source import aot_source, graph_source, header, prefix_of
from ingot.package.mlf.graph import ClassicModel, classic_model, params_file, storage_arguments

CPU = 1  # the number of the device type
THREADED = "llvm"  # the code generator whose kernels share loops out


class Parts(metaclass=Frozen):
    """The parts of one model in a set. `info` knows every value; `native` is its code for the host, in order."""

    info: ModelInfo
    native: tuple[Artifact, ...]
    constants: Content
    sources: Mapping[str, Content]  # by suffix: "onnx", "onnx.txt", "loops.txt"

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
    native = tuple(
        artifact
        for artifact in artifacts
        if (artifact.loader, artifact.target_key) == (LOADER_NATIVE, key)
        and (alone or artifact.file_name.startswith((f"{symbol}/", f"{symbol}.")))
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
    return Parts(full, native, matching[0] if matching else b"", sources)


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
        files[f"{info.symbol}.h"] = model_header(info).encode("ascii")
        files["api.c"] = model_source(info).encode("ascii")
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
