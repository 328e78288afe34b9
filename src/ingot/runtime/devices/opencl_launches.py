"""The list of launches beside an OpenCL source: which kernels every call of a program starts, and on which memory."""

from __future__ import annotations

import math
from typing import Any

from ingot.artifact.artifact import Artifact
from ingot.base.records import Frozen
from ingot.runtime.devices.launch_list import (
    Operand,
    array,
    fields,
    kernel_name,
    operand,
    read_list,
    text,
    whole,
)

VERSION = 2
_DIMENSIONS_MAX = 3
_ITEMS_MAX = 2**62


class Launch(metaclass=Frozen):
    """One launch of an OpenCL kernel: the number of groups in each dimension, and the work items of a group.

    `items` is 0 where groups of any size will do, and `groups` is how many items there are in all: so it was in version 1.
    """

    kernel: str
    groups: tuple[int, ...]
    items: int
    args: tuple[Operand, ...]


class Launches(metaclass=Frozen):
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
    return read_list(artifact, VERSION, _read, older=(1,))


def _read(data: Any) -> Launches:
    version, symbol, extensions, params, arena, calls = fields(
        data, "", ("version", "symbol", "extensions", "params_bytes", "arena_bytes", "calls")
    )
    sizes = {"params": whole(params, "params_bytes"), "arena": whole(arena, "arena_bytes")}
    return Launches(
        text(symbol, "symbol"),
        tuple(text(name, "extensions") for name in array(extensions, "extensions")),
        sizes["params"],
        sizes["arena"],
        tuple(_call(call, f"calls[{at}]", sizes, version) for at, call in enumerate(array(calls, "calls"))),
    )


def _call(data: Any, where: str, sizes: dict[str, int], version: int) -> tuple[Launch, ...]:
    nodes, launches = fields(data, where, ("nodes", "launches"))
    for node in array(nodes, f"{where}.nodes"):
        text(node, f"{where}.nodes")
    read = _launch_1 if version == 1 else _launch
    return tuple(
        read(launch, f"{where}.launches[{at}]", sizes)
        for at, launch in enumerate(array(launches, f"{where}.launches"))
    )


def _launch_1(data: Any, where: str, sizes: dict[str, int]) -> Launch:
    kernel, work_items, args = fields(data, where, ("kernel", "work_items", "args"))
    number = whole(work_items, f"{where}.work_items", 1)
    return Launch(kernel_name(kernel, f"{where}.kernel"), (number,), 0, _operands(args, where, sizes))


def _launch(data: Any, where: str, sizes: dict[str, int]) -> Launch:
    kernel, groups, items, args = fields(data, where, ("kernel", "groups", "items", "args"))
    numbers = tuple(whole(number, f"{where}.groups", 1) for number in array(groups, f"{where}.groups"))
    if not 1 <= len(numbers) <= _DIMENSIONS_MAX:
        raise ValueError(f"{where}.groups must have 1 to {_DIMENSIONS_MAX} numbers")
    name, of_each = kernel_name(kernel, f"{where}.kernel"), whole(items, f"{where}.items", 1)
    if math.prod(numbers) * of_each > _ITEMS_MAX:  # drivers do not look whether theirs wraps around
        raise ValueError(f"{where}.groups and .items must make at most {_ITEMS_MAX} work items")
    return Launch(name, numbers, of_each, _operands(args, where, sizes))


def _operands(args: Any, where: str, sizes: dict[str, int]) -> tuple[Operand, ...]:
    return tuple(
        operand(arg, f"{where}.args[{at}]", sizes) for at, arg in enumerate(array(args, f"{where}.args"))
    )
