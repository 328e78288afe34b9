"""`ModelInfo` → JSON, in one canonical form, published as JSON Schema in `model_info.schema.json` beside this file.

`model_info_read` reads it. The two are apart because every process that loads a library reads, and only builds write.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ingot.artifact.model_info import (
    SCHEMA_VERSION,
    CheckInfo,
    ControlInfo,
    DimInfo,
    EntryInfo,
    ModelInfo,
    Origin,
    TensorInfo,
    program_inputs,
)
from ingot.artifact.model_info_read import checked_info
from ingot.artifact.state_block import states_data
from ingot.artifact.values import ValueInfo
from ingot.border.data import border_data

SCHEMA_FILE_NAME = "model_info.schema.json"


def info_to_json(info: ModelInfo) -> bytes:
    """Canonical JSON: keys sorted, ASCII, no spaces, one newline at the end. Equal infos give equal bytes.

    Raises:
        ArtifactError: `info` is not one that `info_from_json` would take.
    """
    data = {
        "schema_version": SCHEMA_VERSION,
        "ingot_version": info.ingot_version,
        "name": info.name,
        "symbol": info.symbol,
        "executors": list(info.executors),
        "inputs": [_tensor_data(tensor) for tensor in program_inputs(info)],
        "outputs": [_tensor_data(tensor) for tensor in info.outputs],
        "targets": [
            {
                "key": target.key,
                "target": target.target,
                "codegen_id": target.codegen_id,
                "device_kind": target.device_kind,
                "cpu_features": list(target.cpu_features),
                "params": target.params,
                "memory": {
                    "arena_bytes": target.memory.arena_bytes,
                    "params_bytes": target.memory.params_bytes,
                    "lower_bound_bytes": target.memory.lower_bound_bytes,
                    "alignment_bytes": target.memory.alignment_bytes,
                    **({"always_read_bytes": read} if (read := target.memory.always_read_bytes) else {}),
                },
            }
            for target in info.targets
        ],
        "calls": [
            {
                "kernel": call.kernel,
                "nodes": list(call.nodes),
                "flops": call.flops,
                "bytes_read": call.bytes_read,
                "bytes_written": call.bytes_written,
                "args": list(call.args),
                "outputs": list(call.outputs),
                "target_key": call.target_key,
                **({"algorithm": call.algorithm} if call.algorithm else {}),
                **({"region": call.region} if call.region else {}),
            }
            for call in info.calls
        ],
        "values": [
            {
                **_tensor_data(value),
                "strides": list(value.strides),
                "region": value.region,
                "number": value.number,
                "offset_bytes": value.offset_bytes,
                "target_key": value.target_key,
                **({"base": value.base} if value.base else {}),
                **({"moves": [list(move) for move in value.moves]} if value.moves else {}),
            }
            for value in info.values
        ],
        "digests": dict(info.digests),
        **({"levels": list(info.levels)} if info.levels else {}),
        **({"dims": dims_data(info)} if info.dims else {}),
        **({"states": states_data(info)} if info.states else {}),
        **({"checks": _checks_data(info)} if info.checks else {}),
        **({"counts": counts_data(info)} if info.counts else {}),
        **({"controls": [_control_data(control) for control in info.controls]} if info.controls else {}),
        **({} if info.entry is None else {"entry": _entry_data(info.entry)}),
        **({} if info.border is None else {"border": border_data(info.border)}),
        **({} if info.origin is None else {"origin": origin_data(info.origin)}),
    }
    checked_info(data)  # what is written can be read
    return (
        json.dumps(data, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode(
            "ascii"
        )
        + b"\n"
    )


def origin_data(origin: Origin) -> dict[str, Any]:
    """What a model said of itself, as the JSON of a library has it."""
    fields: dict[str, Any] = {name: getattr(origin, name) for name in Origin.__match_args__}
    return {**fields, "opsets": dict(origin.opsets), "metadata": dict(origin.metadata)}


def dims_data(info: ModelInfo) -> dict[str, Any]:
    """The extents that vary, and the programs, as the JSON of a library has them."""

    def extents(tensors: Sequence[TensorInfo]) -> list[list[int | str]]:
        return [
            [extent.name if isinstance(extent, DimInfo) else extent for extent in tensor.extents]
            for tensor in tensors
        ]

    return {
        "symbols": [
            {
                "name": dim.name,
                "low": dim.low,
                "high": dim.high,
                "multiple_of": dim.multiple_of,
                "sizes": list(dim.sizes),
                "inputs": [list(place) for place in dim.inputs],
                "outputs": [list(place) for place in dim.outputs],
                **({"counts": [list(count) for count in dim.counts]} if dim.room or dim.counts else {}),
                **({"sums": [list(place) for place in dim.sums]} if dim.sums else {}),
            }
            for dim in info.dims
        ],
        "programs": [
            {"symbol": program.symbol, "sizes": list(program.sizes), "cycles": program.cycles}
            for program in info.programs
        ],
        "inputs": extents(info.inputs),
        "outputs": extents(info.outputs),
    }


def _checks_data(info: ModelInfo) -> list[dict[str, str]]:
    return [{name: getattr(check, name) for name in CheckInfo.__match_args__} for check in info.checks]


def counts_data(info: ModelInfo) -> list[dict[str, Any]]:
    """The extents that depend on content, as the JSON of a library has them."""
    return [
        {
            "name": dim.name,
            "low": dim.low,
            "high": dim.high,
            "outputs": [list(count) for count in dim.counts],
        }
        for dim in info.counts
    ]


def _entry_data(entry: EntryInfo) -> dict[str, object]:
    begins = [list(pair) for pair in entry.begins]
    return {"of": entry.of, "name": entry.name, **({"begins": begins} if begins else {})}


def _control_data(control: ControlInfo) -> dict[str, object]:
    return {name: getattr(control, name) for name in ControlInfo.__match_args__}


def _tensor_data(tensor: TensorInfo | ValueInfo) -> dict[str, object]:
    return {"name": tensor.name, "dtype": tensor.dtype.value, "shape": list(tensor.shape)}
