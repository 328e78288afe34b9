"""What calls with sizes drawn at random cost, beside onnxruntime and OpenVINO with the same extent dynamic.

`shapes.py --drawn` runs this. All engines are in one process with one thread, and are called in turns for each size. The time of
a call is the CPU time of the process, since OpenVINO may compute on a thread of its own; of all turns the fastest counts.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from new_shapes import ENGINES, Call

TURNS = 3
MIN_SECONDS = 0.01  # CPU seconds of a turn, for calls that are shorter than the clock can tell
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Drawn:
    """What was measured: for each peer, the time of ingot's call over the peer's, one ratio for each size."""

    model: str
    symbol: str
    sizes: Sequence[int]
    ratios: Mapping[str, Sequence[float]]

    def median(self, peer: str) -> float:
        """Over all sizes. Below 1, ingot takes less time."""
        return statistics.median(self.ratios[peer])

    def worst(self, peer: str) -> float:
        """The largest of all sizes."""
        return max(self.ratios[peer])


def drawn(
    name: str,
    symbol: str,
    files: tuple[Path, Path],
    inputs_of: Mapping[int, Arrays],
    agree: Callable[..., None],
) -> Drawn:
    """Calls every engine that loads the model with each size.

    Args:
        name: The model's name, for the result.
        symbol: The extent that varies.
        files: The library of ingot and the ONNX file.
        inputs_of: The inputs of each size, in the order of calls.
        agree: Ends the program where answers differ; gets the name, the size and the answers.
    """
    calls = {engine: call for engine in ENGINES if (call := _loaded(engine, files)) is not None}
    ratios: dict[str, list[float]] = {engine: [] for engine in calls if engine != "ingot"}
    for number, inputs in inputs_of.items():
        agree(name, number, [list(_outputs(call(inputs))) for call in calls.values()])
        times = _in_turns(calls, inputs)
        for peer, each in ratios.items():
            each.append(times["ingot"] / times[peer])
    return Drawn(name, symbol, list(inputs_of), ratios)


def _loaded(engine: str, files: tuple[Path, Path]) -> Call | None:
    try:
        return ENGINES[engine](*map(str, files))
    except (
        Exception
    ) as error:  # an engine that is not installed, or refuses an operator, is left out of the table
        print(
            f"{engine} does not load {files[1].name}: {(str(error).strip().splitlines() or ['no message'])[-1]}"
        )
        return None


def _outputs(answer: object) -> list[np.ndarray]:
    if isinstance(answer, np.ndarray):
        return [answer]
    return list(answer if isinstance(answer, list) else answer.values())  # type: ignore[attr-defined]


def _in_turns(calls: Mapping[str, Call], inputs: Arrays) -> dict[str, float]:
    once = {engine: _seconds(call, inputs, 1) for engine, call in calls.items()}
    count = max(1, round(MIN_SECONDS / max(min(once.values()), 1e-6)))
    turns = [{engine: _seconds(call, inputs, count) for engine, call in calls.items()} for _ in range(TURNS)]
    return {engine: min(turn[engine] for turn in turns) for engine in calls}


def _seconds(call: Call, inputs: Arrays, count: int) -> float:
    begin = time.process_time()
    for _ in range(count):
        call(inputs)
    return (time.process_time() - begin) / count
