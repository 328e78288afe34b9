"""The list of launches beside an OpenCL source: which kernels every call of a program starts, and on which memory.

Read strictly: what is not exactly of the form is refused, and so is an operand that is not inside the memory it names.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ingot.artifact.artifact import Artifact
from ingot.errors import ArtifactError
from ingot.frozen import frozen

VERSION = 1
REGIONS = ("params", "arena")
_MAX = 2**62


@frozen
class Operand:
    """Where an operand begins: a region, and an offset in elements."""

    region: str
    offset: int


@frozen
class Launch:
    """One start of an OpenCL kernel, with so many work items."""

    kernel: str
    work_items: int
    args: tuple[Operand, ...]


@frozen
class Launches:
    """All calls of a unit. `extensions` are those of OpenCL that the device must have."""

    symbol: str
    extensions: tuple[str, ...]
    params_bytes: int
    arena_bytes: int
    calls: tuple[tuple[Launch, ...], ...]


def read_launches(artifact: Artifact) -> Launches:
    """The launches that a file `.launch.json` lists.

    Raises:
        ArtifactError: it is not of the form; the message says where.
    """
    try:
        return _read(json.loads(bytes(artifact.content).decode("ascii"), object_pairs_hook=_once))
    except (ValueError, RecursionError) as error:
        raise ArtifactError(
            f"artifact {artifact.file_name!r} holds no list of launches: {error}", file=artifact.file_name
        ) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("an object has the same key twice")
    return made


def _read(data: Any) -> Launches:
    if type(data) is dict and type(data.get("version")) is int and data["version"] != VERSION:
        raise ValueError(f"version {data['version']}, expected {VERSION}; update ingot")
    _, symbol, extensions, params, arena, calls = _fields(
        data, "", ("version", "symbol", "extensions", "params_bytes", "arena_bytes", "calls")
    )
    sizes = {"params": _whole(params, "params_bytes"), "arena": _whole(arena, "arena_bytes")}
    return Launches(
        _text(symbol, "symbol"),
        tuple(_text(one, "extensions") for one in _list(extensions, "extensions")),
        sizes["params"],
        sizes["arena"],
        tuple(_call(call, f"calls[{at}]", sizes) for at, call in enumerate(_list(calls, "calls"))),
    )


def _call(data: Any, where: str, sizes: dict[str, int]) -> tuple[Launch, ...]:
    nodes, launches = _fields(data, where, ("nodes", "launches"))
    for node in _list(nodes, f"{where}.nodes"):
        _text(node, f"{where}.nodes")
    return tuple(_launch(one, f"{where}.launches[{at}]", sizes) for at, one in enumerate(_list(launches, f"{where}.launches")))


def _launch(data: Any, where: str, sizes: dict[str, int]) -> Launch:
    kernel, work_items, args = _fields(data, where, ("kernel", "work_items", "args"))
    return Launch(
        _text(kernel, f"{where}.kernel"),
        _whole(work_items, f"{where}.work_items", 1),
        tuple(_operand(arg, f"{where}.args[{at}]", sizes) for at, arg in enumerate(_list(args, f"{where}.args"))),
    )


def _operand(data: Any, where: str, sizes: dict[str, int]) -> Operand:
    region, element, first, size = _fields(data, where, ("region", "element_bytes", "offset", "size"))
    if region not in REGIONS:
        raise ValueError(f"{where}.region must be one of {', '.join(REGIONS)}")
    offset = _whole(first, f"{where}.offset")
    end = (offset + _whole(size, f"{where}.size")) * _whole(element, f"{where}.element_bytes", 1)
    if size and end > sizes[region]:
        raise ValueError(f"{where} ends at byte {end} of {region}, which has {sizes[region]}")
    return Operand(region, offset)


def _fields(data: Any, where: str, keys: Sequence[str]) -> tuple[Any, ...]:
    if type(data) is not dict or data.keys() != set(keys):
        raise ValueError(f"{where or 'the file'} must be an object with exactly the keys {', '.join(keys)}")
    return tuple(data[key] for key in keys)


def _list(data: Any, where: str) -> list[Any]:
    if type(data) is not list:
        raise ValueError(f"{where} must be an array")
    return data


def _whole(data: Any, where: str, low: int = 0) -> int:
    if type(data) is not int or not low <= data <= _MAX:
        raise ValueError(f"{where} must be a whole number, at least {low}")
    return data


def _text(data: Any, where: str) -> str:
    if type(data) is not str:
        raise ValueError(f"{where} must be text")
    return data
