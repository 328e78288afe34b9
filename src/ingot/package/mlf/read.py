"""Reads Model Library Format archives, versions 1 to 8: untrusted bytes become an `Archive`, or an ArtifactError.

Versions differ in keys and places, and archives of one version in small ways; what was ever written is read. Nothing of an
archive is believed that cannot be checked: sizes that it states are shown, and never allocated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from ingot.artifact.artifact import Artifact, Content
from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.json_read import read_json
from ingot.artifact.model_info import ModelInfo
from ingot.artifact.model_info_read import info_from_json
from ingot.base.errors import ArtifactError
from ingot.base.records import Frozen
from ingot.base.tensor import DType
from ingot.package.classic.graph_json import Graph, graph_from_json
from ingot.package.classic.params import params_from_bytes
from ingot.package.container import sha256_digest
from ingot.package.mlf.write import INFO_LINE, METADATA
from ingot.package.tar import TarFile, read_tar

NEWEST = 8
MAX_METADATA_BYTES = 64 << 20
MAX_MODELS = 1024

Params = Mapping[str, tuple[DType, Any]]


class ArchiveModel(metaclass=Frozen):
    """A model of an archive. Of an operator, `executors` is empty.

    `info` is known if ingot wrote the archive; `graph` and `params` if it has them; `header` is the name of the C
    interface's file.
    """

    name: str
    style: str
    executors: tuple[str, ...]
    targets: tuple[str, ...]
    memory: Mapping[str, Any]
    graph: Graph | None
    params: Params
    header: str
    info: ModelInfo | None


class Archive(metaclass=Frozen):
    """What an archive holds. `artifacts` is the set that a version 8 was made from, empty for the others."""

    name: str
    version: int
    models: tuple[ArchiveModel, ...]
    files: Mapping[str, TarFile]
    artifacts: ArtifactSet
    exported: str


def read_archive(content: Content, name: str = "archive") -> Archive:
    """Reads the bytes of an archive. Contents are views of them.

    Raises:
        ArtifactError: a tar that is refused, or metadata that is damaged or of a newer version; in version 8 also a file that is
            not listed, or is not as listed.
    """
    files = read_tar(content, name)
    if METADATA not in files:
        raise ArtifactError(f"{name} has no {METADATA}: it is no Model Library Format archive", name=name)
    raw = files[METADATA].content
    if len(raw) > MAX_METADATA_BYTES:
        _wrong(name, f"has {len(raw)} bytes of metadata, more than {MAX_METADATA_BYTES}")
    try:
        data = read_json(raw, "utf-8")
    except (ValueError, RecursionError) as error:
        raise ArtifactError(f"{name}: {METADATA} is not JSON: {error}", name=name) from error
    version = _object(data, name, "metadata").get("version")
    if type(version) is not int or version < 1:
        _wrong(name, "says no version")
    if version > NEWEST:
        got = version if version < 1 << 64 else "huge"
        _wrong(name, f"has version {got}, this ingot reads up to {NEWEST}; update ingot")
    artifacts = _members(data, files, name) if version == NEWEST else ArtifactSet(())
    flat = version < 7 or "modules" not in data  # an operator has no `modules` in any version
    said = [data] if flat else list(_object(data["modules"], name, "modules").values())
    if not 1 <= len(said) <= MAX_MODELS:
        _wrong(name, f"has {len(said)} models")
    names = [_text(_object(entry, name, "modules").get("model_name"), name, "model_name") for entry in said]
    if len(set(names)) != len(names) or (not flat and names != list(data["modules"])):
        _wrong(name, "has models whose names are not those of `modules`")
    infos = {info.symbol: info for info in artifacts.models().values()}
    models = tuple(
        _model(model, entry, version, files, infos, name) for model, entry in zip(names, said, strict=True)
    )
    return Archive(
        name,
        version,
        models,
        files,
        artifacts,
        _text(said[0].get("export_datetime", ""), name, "export_datetime"),
    )


def _model(
    model: str,
    data: dict[str, Any],
    version: int,
    files: Mapping[str, TarFile],
    infos: Mapping[str, ModelInfo],
    name: str,
) -> ArchiveModel:
    style = _text(data.get("style", "full-model"), name, "style")
    executors = _texts(data.get("executors", data.get("runtimes", [])), name, "executors")
    graph_name = {True: "runtime-config/graph/graph.json", False: "executor-config/graph/graph.json"}[
        version < 5
    ]
    if version >= 7:
        graph_name = f"executor-config/graph/{model}.graph"
    params_name = f"parameters/{model}.params"
    if "graph" in executors and graph_name not in files:
        _wrong(name, f"has no {graph_name}, though model {model!r} is for the graph executor")
    header = f"codegen/host/include/tvmgen_{model.lower()}.h"
    memory = data.get("memory", {})
    return ArchiveModel(
        model,
        style,
        executors,
        _targets(data.get("target", []), name),
        _object(memory, name, "memory") if version > 1 else {"sids": memory},
        graph_from_json(files[graph_name].content, f"{name}: {graph_name}") if graph_name in files else None,
        params_from_bytes(files[params_name].content, f"{name}: {params_name}")
        if params_name in files
        else {},
        header if header in files else "",
        infos.get(model) if version == NEWEST else _info(model, version, files),
    )


def _info(model: str, version: int, files: Mapping[str, TarFile]) -> ModelInfo | None:
    """What ingot said about the model when it wrote the archive, in a version before 8."""
    text = f"src/{model}.relay" if version >= 7 else "src/relay.txt"
    content = bytes(files[text].content) if text in files else b""
    if not content.startswith(INFO_LINE.encode()):
        return None
    return info_from_json(content[len(INFO_LINE) :].partition(b"\n")[0] + b"\n")


def _members(data: dict[str, Any], files: Mapping[str, TarFile], name: str) -> ArtifactSet:
    """Checks that the files are those that are listed, byte for byte; gives the artifacts among them."""
    listed = _object(data.get("members"), name, "members")
    for path in sorted(files.keys() - {METADATA} - listed.keys()):
        _wrong(name, f"has the file {path!r}, which {METADATA} does not list")
    for path, said in listed.items():
        _object(said, name, f"members.{path[:80]}")
        if path not in files:
            _wrong(name, f"lacks the file {path[:200]!r}, which {METADATA} lists")
        content = files[path].content
        if said.get("size_bytes") != len(content) or said.get("sha256") != sha256_digest(content).hex():
            _wrong(name, f"has a damaged file: {path!r} is not as {METADATA} says")
    members = []
    artifacts = data.get("artifacts")
    if type(artifacts) is not list:
        _wrong(name, "has no list of artifacts")
    for at, item in enumerate(artifacts):
        said = _object(item, name, f"artifacts[{at}]")
        labels = {
            key: _text(said.get(key), name, f"artifacts[{at}].{key}")
            for key in ("codegen_id", "loader", "file_name", "target_key")
        }
        path = _text(said.get("path"), name, f"artifacts[{at}].path")
        if path not in listed:
            _wrong(
                name,
                f"has the artifact {labels['file_name'][:80]!r} in {path[:80]!r}, which is no file of it",
            )
        members.append(Artifact(**labels, content=files[path].content))
    return ArtifactSet(members)


def _targets(value: Any, name: str) -> tuple[str, ...]:
    """By device type up to version 5, a list in 6 and 7, by key in 8."""
    return _texts(list(value.values()) if type(value) is dict else value, name, "target")


def _object(value: Any, name: str, field: str) -> dict[str, Any]:
    if type(value) is not dict:
        _wrong(name, f"must have an object as {field}")
    return value


def _text(value: Any, name: str, field: str) -> str:
    if type(value) is not str or len(value) > 4096 or not re.fullmatch(r"[\x20-\x7e]*", value):
        _wrong(name, f"must have plain text as {field}")
    return value


def _texts(value: Any, name: str, field: str) -> tuple[str, ...]:
    if type(value) is not list:
        _wrong(name, f"must have a list as {field}")
    return tuple(_text(item, name, field) for item in value)


def _wrong(name: str, problem: str) -> NoReturn:
    raise ArtifactError(f"{name} {problem}", name=name)
