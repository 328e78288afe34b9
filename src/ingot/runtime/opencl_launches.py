"""The list of launches beside an OpenCL source: which kernels every call of a program starts, and on which memory."""

from __future__ import annotations

from typing import Any

from ingot.artifact.artifact import Artifact
from ingot.frozen import frozen
from ingot.runtime.launch_list import Operand, array, fields, operand, read_list, text, whole

VERSION = 1


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
    return read_list(artifact, VERSION, _read)


def _read(data: Any) -> Launches:
    _, symbol, extensions, params, arena, calls = fields(
        data, "", ("version", "symbol", "extensions", "params_bytes", "arena_bytes", "calls")
    )
    sizes = {"params": whole(params, "params_bytes"), "arena": whole(arena, "arena_bytes")}
    return Launches(
        text(symbol, "symbol"),
        tuple(text(one, "extensions") for one in array(extensions, "extensions")),
        sizes["params"],
        sizes["arena"],
        tuple(_call(call, f"calls[{at}]", sizes) for at, call in enumerate(array(calls, "calls"))),
    )


def _call(data: Any, where: str, sizes: dict[str, int]) -> tuple[Launch, ...]:
    nodes, launches = fields(data, where, ("nodes", "launches"))
    for node in array(nodes, f"{where}.nodes"):
        text(node, f"{where}.nodes")
    return tuple(_launch(one, f"{where}.launches[{at}]", sizes) for at, one in enumerate(array(launches, f"{where}.launches")))


def _launch(data: Any, where: str, sizes: dict[str, int]) -> Launch:
    kernel, work_items, args = fields(data, where, ("kernel", "work_items", "args"))
    return Launch(
        text(kernel, f"{where}.kernel"),
        whole(work_items, f"{where}.work_items", 1),
        tuple(operand(arg, f"{where}.args[{at}]", sizes) for at, arg in enumerate(array(args, f"{where}.args"))),
    )
