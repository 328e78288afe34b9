"""The list of launches beside a PTX text: which entries every call of a program starts, how many threads, and on which memory."""

from __future__ import annotations

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

VERSION = 1
GRID_MAX = (2**31 - 1, 65535, 65535)
BLOCK_MAX = 1024  # threads
ARGS_MAX = 512


class Launch(metaclass=Frozen):
    """One start of an entry: blocks and threads of a block, by x, y and z."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    args: tuple[Operand, ...]


class Launches(metaclass=Frozen):
    """All calls of a unit. The device must have the compute `capability`, and a driver that reads this version of PTX."""

    symbol: str
    capability: tuple[int, int]
    ptx: tuple[int, int]
    driver: int
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
    _, symbol, capability, ptx, driver, params, arena, calls = fields(
        data, "", ("version", "symbol", "capability", "ptx", "driver", "params_bytes", "arena_bytes", "calls")
    )
    sizes = {"params": whole(params, "params_bytes"), "arena": whole(arena, "arena_bytes")}
    return Launches(
        text(symbol, "symbol"),
        _pair(capability, "capability"),
        _pair(ptx, "ptx"),
        whole(driver, "driver"),
        sizes["params"],
        sizes["arena"],
        tuple(_call(call, f"calls[{at}]", sizes) for at, call in enumerate(array(calls, "calls"))),
    )


def _call(data: Any, where: str, sizes: dict[str, int]) -> tuple[Launch, ...]:
    nodes, launches = fields(data, where, ("nodes", "launches"))
    for node in array(nodes, f"{where}.nodes"):
        text(node, f"{where}.nodes")
    return tuple(
        _launch(launch, f"{where}.launches[{at}]", sizes)
        for at, launch in enumerate(array(launches, f"{where}.launches"))
    )


def _launch(data: Any, where: str, sizes: dict[str, int]) -> Launch:
    kernel, grid, block, args = fields(data, where, ("kernel", "grid", "block", "args"))
    blocks, threads = _triple(grid, f"{where}.grid"), _triple(block, f"{where}.block")
    if any(extent > limit for extent, limit in zip(blocks, GRID_MAX, strict=True)):
        raise ValueError(f"{where}.grid must be at most {list(GRID_MAX)}")
    if threads[0] * threads[1] * threads[2] > BLOCK_MAX:
        raise ValueError(f"{where}.block must have at most {BLOCK_MAX} threads")
    operands = tuple(
        operand(arg, f"{where}.args[{at}]", sizes) for at, arg in enumerate(array(args, f"{where}.args"))
    )
    if len(operands) > ARGS_MAX:
        raise ValueError(f"{where}.args must have at most {ARGS_MAX} elements")
    return Launch(kernel_name(kernel, f"{where}.kernel"), blocks, threads, operands)


def _pair(data: Any, where: str) -> tuple[int, int]:
    first, second = _numbers(data, where, 2, 0)
    return first, second


def _triple(data: Any, where: str) -> tuple[int, int, int]:
    x, y, z = _numbers(data, where, 3, 1)
    return x, y, z


def _numbers(data: Any, where: str, count: int, low: int) -> list[int]:
    if len(array(data, where)) != count:
        raise ValueError(f"{where} must have {count} numbers")
    return [whole(number, where, low) for number in data]
