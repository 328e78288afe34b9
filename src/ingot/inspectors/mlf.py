"""Looks into Model Library Format archives of any version and for any processor, without compiling or running anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ingot.artifact.artifact import Content
from ingot.artifact.model_info_json import origin_data
from ingot.inspectors.inspector import Inspection, Inspector
from ingot.inspectors.origin import origin_lines
from ingot.package.container import sha256_digest
from ingot.package.mlf.read import Archive, ArchiveModel, read_archive
from ingot.package.tar import is_tar

_MAX_FUNCTIONS = 20


def _inspect(content: Content, name: str) -> Inspection | None:
    if not is_tar(content):
        return None
    archive = read_archive(content, name)
    by_ingot = len(archive.artifacts) > 0 or any(model.info is not None for model in archive.models)
    facts = {
        "format": "Model Library Format",
        "version": archive.version,
        "exported": archive.exported,
        "models": [_facts(model) for model in archive.models],
        "members": [
            {
                "file": file.name,
                "offset": file.offset,
                "size_bytes": len(file.content),
                "sha256": sha256_digest(file.content).hex(),
            }
            for file in archive.files.values()
        ],
    }
    members = {file.name: bytes(file.content) for file in archive.files.values()}
    maker = "made by ingot" if by_ingot else "not made by ingot"
    if archive.version == 8:
        maker += ", every digest is right"
    return Inspection(facts, tuple(_lines(archive)), members, maker)


MLF = Inspector("mlf", _inspect)


def _facts(model: ArchiveModel) -> dict[str, Any]:
    said: dict[str, Any] = {
        "name": model.name,
        "style": model.style,
        "executors": list(model.executors),
        "targets": list(model.targets),
        "memory": model.memory,
    }
    if model.info is not None:
        said["digests"] = dict(model.info.digests)
        said["origin"] = None if model.info.origin is None else origin_data(model.info.origin)
    if model.graph is not None:
        said["graph"] = {
            "nodes": len(model.graph.nodes),
            "calls": sum(bool(node.func_name) for node in model.graph.nodes),
            "storage_bytes": sum(model.graph.storage_sizes().values()),
        }
    if model.params:
        said["params"] = [
            {"name": name, "dtype": dtype.value, "shape": list(array.shape), "size_bytes": array.nbytes}
            for name, (dtype, array) in model.params.items()
        ]
    return said


def _lines(archive: Archive) -> Iterator[str]:
    yield f"Model Library Format, version {archive.version}" + (
        f", exported {archive.exported}" if archive.exported else ""
    )
    for model in archive.models:
        yield ""
        yield f"model {model.name}, {model.style}, executor {', '.join(model.executors) or 'none'}"
        yield from (f"  target    {target}" for target in model.targets)
        if model.info is not None:
            yield from (f"  input     {tensor}" for tensor in model.info.inputs)
            yield from (f"  output    {tensor}" for tensor in model.info.outputs)
            yield from (f"  {line}" for line in origin_lines(model.info))
        yield from _memory_lines(model.memory)
        if model.graph is not None:
            calls = [node.func_name for node in model.graph.nodes if node.func_name]
            size = sum(model.graph.storage_sizes().values())
            yield f"  graph     {len(calls)} calls of {len(set(calls))} functions, {size:,} bytes of storage"
        if model.params:
            total = sum(array.nbytes for _, array in model.params.values())
            yield f"  params    {len(model.params)}, {total:,} bytes"
    yield ""
    width = max(len(name) for name in archive.files)
    for file in archive.files.values():
        yield f"{file.name:<{width}}  {len(file.content):>12,}  {sha256_digest(file.content).hex()[:16]}"


def _memory_lines(memory: Mapping[str, Any]) -> Iterator[str]:
    """What the archive says about memory: text of strangers, of any form."""
    functions = memory.get("functions")
    if not isinstance(functions, dict):
        return
    main = functions.get("main")
    for entry in main if isinstance(main, list) else ():
        if isinstance(entry, dict):
            sizes = [
                f"{key.removesuffix('_size_bytes')} {entry[key]:,}"
                for key in sorted(entry)
                if type(entry[key]) is int
            ]
            yield f"  memory    {', '.join(sizes)}"
    operators = functions.get("operator_functions")
    names = (
        [operator.get("function_name") for operator in operators if isinstance(operator, dict)]
        if isinstance(operators, list)
        else []
    )
    for name in names[:_MAX_FUNCTIONS]:
        yield f"  function  {str(name)[:200]!a}"
    if len(names) > _MAX_FUNCTIONS:
        yield f"  … {len(names) - _MAX_FUNCTIONS} functions more"
