"""Writes Model Library Format archives: versions 5 and 7 as the original tools wrote them, and version 8, which is ingot's own.

`docs/use/mlf.md` describes every file and key, and what is ambiguous in the original.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ingot.artifact.artifact import (
    LOADER_METADATA,
    LOADER_NATIVE,
    LOADER_PARAMS,
    LOADER_SOURCE,
    LOADER_TEXT,
    LOADER_VECTORS,
    Artifact,
    Content,
)
from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.model_info import EXECUTORS, ModelInfo
from ingot.artifact.model_info_json import info_to_json, origin_data
from ingot.base.errors import ArtifactError, nearest
from ingot.base.records import Frozen
from ingot.base.tolerance import ATOL, RTOL
from ingot.package.c.test_program import Vector
from ingot.package.classic.params import array_of
from ingot.package.container import sha256_digest
from ingot.package.mlf.c_source import registry_source
from ingot.package.mlf.make import cmake, makefile
from ingot.package.mlf.model import (
    NO_PARAMS,
    Parts,
    aot_files,
    aot_memory,
    functions_source,
    graph_files,
    graph_memory,
    parts_of,
    programs_memory,
    require_shapes,
    require_text,
    state_memory,
    test_files,
)
from ingot.package.mlf.readme import readme
from ingot.package.tar import write_tar

VERSIONS = (5, 7, 8)
STYLES = ("full-model", "operator")
METADATA = "metadata.json"
INFO_LINE = "# ingot model info: "  # of the text in `src/`, so that what was written here is read here with all that was known
CRT_FOLDER = Path(__file__).parents[2] / "crt"


class Exported(metaclass=Frozen):
    """One model of an archive with its executor."""

    parts: Parts
    executor: str
    memory: Mapping[str, Any]
    functions: tuple[str, ...]  # of the registry; only a graph has one


def write_archive(
    artifacts: ArtifactSet,
    *,
    version: int = 8,
    executor: str | None = None,
    style: str = "full-model",
    seconds: int = 0,
) -> list[Content]:
    """The archive of a set as pieces, to be written one after the other.

    Args:
        artifacts: what `ingot.build` gave, or several of that merged.
        version: 5, 7 or 8.
        executor: "aot" or "graph"; by default each model's own first one.
        style: "full-model"; or "operator", for a set with one model that is one call: its function without graph and parameters.
        seconds: the time of the export and of every member, in seconds since 1970.

    Raises:
        ArtifactError: what is asked for does not exist, or the set has no model that an archive can have.
    """
    if version not in VERSIONS:
        raise ArtifactError(
            f"version={version!r}: archives are written in the versions {', '.join(map(str, VERSIONS))}",
            version=version,
        )
    if style not in STYLES:
        raise ArtifactError(
            f"style={style!r} is not known{nearest(style, STYLES)} (known: {', '.join(STYLES)})", style=style
        )
    if executor is not None and executor not in EXECUTORS:
        raise ArtifactError(
            f"executor={executor!r} is not known{nearest(executor, EXECUTORS)} (known: {', '.join(EXECUTORS)})",
            executor=executor,
        )
    artifacts.require_stored("an archive")
    models = artifacts.models()
    if not models:
        raise ArtifactError("an archive needs a model, this set has none")
    if len(models) > 1 and (version < 7 or style == "operator"):
        layout = "the operator style" if style == "operator" else f"version {version}"
        raise ArtifactError(
            f"{layout} has one model in an archive, this set has {', '.join(models)}", models=tuple(models)
        )
    stamp = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(seconds))
    if style == "operator":
        files = _operator_files(artifacts, next(iter(models.values())), version, stamp)
    else:
        files = _Writer(artifacts, models, version, executor, stamp).files()
    return write_tar(files, seconds=seconds, last=("runtime",))


def crt_files() -> dict[str, Content]:
    """The C runtime as it lies in an archive under `runtime/`."""
    files: dict[str, Content] = {}
    for path in sorted(CRT_FOLDER.rglob("*")):
        name = path.relative_to(CRT_FOLDER).as_posix()
        if path.is_file() and re.fullmatch(r"[A-Za-z0-9_./-]+\.(c|h|txt|md)|([a-z0-9_]+/)*Makefile", name):
            files[name] = path.read_bytes()
    return files


class _Writer:
    """The files of an archive in the full-model style."""

    def __init__(
        self,
        artifacts: ArtifactSet,
        models: Mapping[str, ModelInfo],
        version: int,
        executor: str | None,
        stamp: str,
    ) -> None:
        self._artifacts = artifacts
        self._version = version
        self._stamp = stamp
        self._files: dict[str, Content] = {}
        self._places: dict[tuple[str, str, str, str], str] = {}  # labels of an artifact: where it is
        self._counts: dict[tuple[str, str], int] = {}
        for info in models.values():
            if version < 8 and len(info.targets) > 1:
                raise ArtifactError(
                    f"model {info.name!r} has the targets {', '.join(target.key for target in info.targets)}; version {version} "
                    "has the host's alone, version 8 all",
                    name=info.name,
                )
        parts = [parts_of(artifacts, info, alone=len(models) == 1) for info in models.values()]
        self._exported = [
            self._model(part, executor or models[part.info.name].executors[0]) for part in parts
        ]

    def files(self) -> dict[str, Content]:
        """Every file by name."""
        functions = [name for model in self._exported for name in model.functions]
        if functions:  # an image has one system library, whatever number of models it has
            owner = next(model for model in self._exported if model.functions)
            self._code(owner.parts, registry_source(functions, self._version).encode("ascii"), ".c")
        if self._version >= 7 and (
            self._version >= 8 or any(model.executor == "aot" for model in self._exported)
        ):
            self._files.update({f"runtime/{name}": content for name, content in crt_files().items()})
        if self._version < 8:
            self._files[METADATA] = _json(self._classic_metadata())
            return self._files
        for artifact in self._artifacts:
            self._place(artifact)
        infos = [model.parts.info for model in self._exported]
        executors = {model.parts.info.name: model.executor for model in self._exported}
        vectors = {info.name: list(self._vectors(info)) for info in infos}
        tested: dict[str, list[str]] = {"aot": [], "graph": []}
        for model in self._exported:
            cases = vectors[model.parts.info.name]
            if cases and len(model.parts.info.targets) == 1:
                test_program_files = test_files(
                    model.parts, model.executor, [self._arrays(model.parts.info, case) for case in cases]
                )
                self._files.update({f"test/{name}": content for name, content in test_program_files.items()})
                tested[model.executor].append(model.parts.info.symbol)
        self._files["Makefile"] = makefile(tested["aot"], tested["graph"]).encode("ascii")
        self._files["CMakeLists.txt"] = cmake(infos[0].symbol).encode("ascii")
        self._files["README.md"] = readme(infos, executors, self._stamp, self._files).encode("utf-8")
        self._files[METADATA] = _json(self._metadata(vectors))
        return self._files

    def _model(self, parts: Parts, executor: str) -> Exported:
        info, symbol = parts.info, parts.info.symbol
        require_shapes(info, version=self._version, executor=executor)
        require_text(info, in_c=executor == "aot" and self._version >= 8)
        memory: Mapping[str, Any]
        functions: tuple[str, ...] = ()
        if executor == "graph":
            model = parts.classic()
            model_files = graph_files(parts, model, self._version)
            self._files[
                f"executor-config/graph/{symbol}.graph"
                if self._version >= 7
                else "executor-config/graph/graph.json"
            ] = model_files["graph"]
            self._files[f"parameters/{symbol}.params"] = model_files["params"]
            self._code(parts, model_files["functions.c"], ".c")
            functions = tuple(function.name for function in model.functions)
            memory = graph_memory(parts, model, self._version)
        else:
            self._files[f"parameters/{symbol}.params"] = NO_PARAMS
            memory = aot_memory(parts, self._version)
            if len(info.targets) == 1:  # the host alone cannot run what has parts elsewhere
                model_files = aot_files(parts, self._version)
                for name, content in model_files.items():
                    if name.endswith(".h"):
                        self._add(f"codegen/host/include/{name}", content)
                    else:
                        self._code(parts, content, ".c")
        for artifact in parts.native:
            suffix = Path(artifact.file_name).suffix
            if suffix in (".c", ".o"):
                self._places[artifact.labels] = self._code(parts, artifact.content, suffix)
            else:  # what a source includes
                self._places[artifact.labels] = self._add(
                    f"codegen/host/src/{artifact.file_name}", artifact.content
                )
        if self._version < 8:
            text = parts.sources.get("onnx.txt", b"")
            comment = INFO_LINE.encode() + info_to_json(info)
            self._files[f"src/{symbol}.relay" if self._version >= 7 else "src/relay.txt"] = comment + bytes(
                text
            )
        return Exported(parts, executor, memory, functions)

    def _code(self, parts: Parts, content: Content, suffix: str) -> str:
        """Adds a file of code under the next number of its kind; returns its name."""
        folder = "lib" if suffix == ".o" else "src"
        number = self._counts.get((parts.info.symbol, folder), 0)
        self._counts[(parts.info.symbol, folder)] = number + 1
        return self._add(f"codegen/host/{folder}/{parts.info.symbol}_lib{number}{suffix}", content)

    def _add(self, name: str, content: Content) -> str:
        if name in self._files:
            raise ArtifactError(f"archive: two files would be called {name!r}", name=name)
        self._files[name] = content
        return name

    def _place(self, artifact: Artifact) -> None:
        """Where an artifact is in version 8, if it has no place yet."""
        if artifact.labels in self._places:
            return
        key, codegen_id, file_name, loader = artifact.labels
        if key != "host":
            name = f"codegen/{key}/{file_name}"
            name = f"codegen/{key}/{codegen_id}/{file_name}" if name in self._files else name
        elif loader == LOADER_PARAMS:
            name = f"parameters/{file_name.removesuffix('.params')}.constants"
        elif loader == LOADER_METADATA:
            name = f"src/{file_name.removesuffix('.json')}.model.json"
        elif loader == LOADER_VECTORS:
            name = f"test/vectors/{file_name}"
        elif loader in (LOADER_SOURCE, LOADER_TEXT):
            name = f"src/{file_name}"
        else:
            name = f"codegen/host/{'src' if loader == LOADER_NATIVE else loader}/{file_name}"
        self._places[artifact.labels] = self._add(name, artifact.content)

    def _vectors(self, info: ModelInfo) -> Iterator[dict[str, list[str]]]:
        """The files of each test vector, in the order of the model's tensors."""
        for number in range(1000):
            group = {
                kind: [
                    f"test/vectors/{info.symbol}/{number}/{kind[:-1]}{at}.bin" for at in range(len(tensors))
                ]
                for kind, tensors in (("inputs", info.inputs), ("outputs", info.outputs))
            }
            if not all(name in self._files for names in group.values() for name in names) or not info.outputs:
                return
            yield group

    def _arrays(self, info: ModelInfo, case: Mapping[str, Sequence[str]]) -> Vector:
        """A test vector as arrays."""
        inputs: dict[str, np.ndarray] = {}
        outputs: dict[str, np.ndarray] = {}
        for kind, tensors, arrays in (("inputs", info.inputs, inputs), ("outputs", info.outputs, outputs)):
            for tensor, name in zip(tensors, case[kind], strict=True):
                content = memoryview(self._files[name])
                if content.nbytes != tensor.size_bytes:
                    raise ArtifactError(
                        f"model {info.name!r}: {name} of its test vectors has {content.nbytes} bytes, {tensor} has "
                        f"{tensor.size_bytes}",
                        path=name,
                    )
                arrays[tensor.name] = array_of(tensor.dtype, tensor.shape, content)
        return inputs, outputs

    def _module(self, exported: Exported) -> dict[str, Any]:
        """What all versions say about a model."""
        said: dict[str, Any] = {
            "model_name": exported.parts.info.symbol,
            "export_datetime": self._stamp,
            "memory": exported.memory,
            "target": [exported.parts.info.host.target],
            "executors": [exported.executor],
            "style": "full-model",
        }
        if self._version == 7 and exported.executor == "aot":
            version = exported.parts.info.ingot_version
            said["external_dependencies"] = [
                {
                    "short_name": "tvm_standalone_crt",
                    "url": "./runtime",
                    "url_type": "mlf_path",
                    "version_spec": version,
                }
            ]
        return said

    def _classic_metadata(self) -> dict[str, Any]:
        modules = {model.parts.info.symbol: self._module(model) for model in self._exported}
        if self._version >= 7:
            return {"version": self._version, "modules": modules}
        (said,) = modules.values()
        return {**said, "version": self._version, "target": {"1": said["target"][0]}}

    def _metadata(self, vectors: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
        modules = {}
        for exported in self._exported:
            info = exported.parts.info
            modules[info.symbol] = {
                **self._module(exported),
                "target": {target.key: target.target for target in info.targets},
                "ingot_version": info.ingot_version,
                **programs_memory(exported.parts, self._version),
                **state_memory(info),
                "digests": dict(info.digests),
                "origin": None if info.origin is None else origin_data(info.origin),
                "test_vectors": {"rtol": RTOL, "atol": ATOL, "cases": list(vectors[info.name])},
            }
        listed = [
            {
                "path": self._places[artifact.labels],
                "codegen_id": artifact.codegen_id,
                "loader": artifact.loader,
                "target_key": artifact.target_key,
                "file_name": artifact.file_name,
            }
            for artifact in self._artifacts
        ]
        return {
            "version": self._version,
            "modules": modules,
            "artifacts": listed,
            "members": _listed(self._files),
        }


def _listed(files: Mapping[str, Content]) -> dict[str, Any]:
    """What the metadata of version 8 say about each other file."""
    return {
        name: {"size_bytes": memoryview(content).nbytes, "sha256": sha256_digest(content).hex()}
        for name, content in files.items()
    }


def _operator_files(artifacts: ArtifactSet, info: ModelInfo, version: int, stamp: str) -> dict[str, Content]:
    """The files of a single operator: flat metadata in every version, as the original tools wrote it."""
    parts = parts_of(artifacts, info, alone=True)
    require_shapes(parts.info, version=version, executor="", style="operator")
    require_text(parts.info, in_c=False)
    model = parts.classic()
    if len(model.functions) != 1 or len(parts.info.calls) != 1:
        raise ArtifactError(
            f"model {info.name!r}: the operator style is for one call of one function, this model has "
            f"{len(parts.info.calls)} calls",
            name=info.name,
        )
    (function,) = model.functions
    graph = model.graph
    call = graph.nodes[-1]
    names = [graph.nodes[node].name for node, _ in call.inputs] + [tensor.name for tensor in info.outputs]
    memory = [
        {
            "size_bytes": _bytes(tensor.shape, tensor.dtype.size_bytes),
            "shape": list(tensor.shape),
            "dtype": tensor.dtype.value,
            "input_binding": name,
        }
        for tensor, name in zip(function.tensors, names, strict=True)
    ]
    metadata = {
        "version": version,
        "model_name": info.symbol,
        "export_datetime": stamp,
        "memory": {function.name: memory},
        "target": {"1": info.host.target} if version < 6 else [info.host.target],
        "executors": [],
        "style": "operator",
    }
    files: dict[str, Content] = {
        "src/tir-1.txt": parts.sources.get("loops.txt", b""),
        "codegen/host/src/lib0.c": functions_source(parts, model),
        "codegen/host/src/lib1.c": registry_source([function.name], version).encode("ascii"),
    }
    counts = {".c": 2, ".o": 0}
    for artifact in parts.native:
        suffix = Path(artifact.file_name).suffix
        folder = "lib" if suffix == ".o" else "src"
        files[f"codegen/host/{folder}/lib{counts[suffix]}{suffix}"] = artifact.content
        counts[suffix] += 1
    if version == 8:
        metadata |= {"artifacts": [], "members": _listed(files)}
    return {METADATA: json.dumps(metadata).encode("ascii"), **files}


def _bytes(shape: Sequence[int], size: int) -> int:
    for extent in shape:
        size *= extent
    return size


def _json(data: object) -> bytes:
    return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=True).encode("ascii") + b"\n"
