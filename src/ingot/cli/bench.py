"""`ingot bench`: how long an inference takes, and which kernel takes it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ingot.artifact.model_info import ModelInfo
from ingot.base.threads import available_threads
from ingot.border.grouping import grouped
from ingot.border.sizes import places_of
from ingot.cli.console import seconds, show, show_json, show_table
from ingot.cli.ends import leaves
from ingot.cli.feeds import (
    add_run_options,
    chosen_model,
    keyed_devices,
    made_up_inputs,
    read_inputs,
    require_no_sizes,
    sizes_of,
)
from ingot.cli.parser import Parser, number
from ingot.runtime.executors.stateful import StatefulExecutor
from ingot.runtime.library import cpu
from ingot.runtime.load import load
from ingot.runtime.profile import KernelTime

WARM_UP_SECONDS = 0.1
MIN_RUNS, MAX_RUNS = 20, 100_000
MIN_PROFILES, MAX_PROFILES = 10, 1000
PROFILE_SHARE = 0.2  # of the time to measure


def add_options(parser: Parser) -> None:
    """The options of `ingot bench`."""
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="a library, a stored set of artifacts or an archive"
    )
    add_run_options(parser, "one array for each input, by its name [default: random ones]")
    parser.add_argument(
        "--seconds",
        metavar="NUMBER",
        type=number(float),
        default=1.0,
        help="how long to measure [default: %(default)s]",
    )
    parser.add_argument("--json", action="store_true", help="write JSON")


def command(arguments: argparse.Namespace) -> None:
    """Measures a library: latency, and the time of each kernel."""
    library = load(arguments.file)
    name = chosen_model(library, arguments.model)
    count = available_threads() if arguments.threads is None else arguments.threads
    require_no_sizes(arguments)
    factory = library[name]
    executor = factory(cpu(0), devices=keyed_devices(arguments.device), threads=count, maps=False)
    given = (
        made_up_inputs(factory.info, leaves(executor.inputs), arguments.dim)
        if arguments.input is None
        else read_inputs(arguments.input)
    )
    feeds = grouped(executor.inputs, given)
    if isinstance(executor, StatefulExecutor):
        executor.hold_filled(sizes_of(factory.info, arguments.dim))
    executor.set_input(feeds)
    times = measured(executor.run, arguments.seconds)
    median, p10, p90 = (float(value) for value in np.percentile(times, [50, 10, 90]))
    repeat = min(max(int(PROFILE_SHARE * arguments.seconds / median), MIN_PROFILES), MAX_PROFILES)
    profile = executor.profile(feeds, repeat=repeat)
    if arguments.json:
        show_json(
            {
                "model": name,
                "threads": count,
                "runs": len(times),
                "seconds": {"median": median, "p10": p10, "p90": p90, "least": min(times)},
                "kernels": [_facts(call) for call in profile],
            }
        )
        return
    total = profile.seconds
    show_table(
        "kernels, one call each",
        ("kernel", ">time", ">%", ">GFLOP/s", ">GB/s", "algorithm", "nodes"),
        [
            (
                call.name,
                seconds(call.seconds),
                f"{100 * call.seconds / total:.1f}" if total else "",
                f"{call.gflops_per_second:.2f}",
                f"{call.gbytes_per_second:.2f}",
                call.algorithm,
                ", ".join(call.nodes),
            )
            for call in profile
        ],
    )
    show()
    on = f"{len(times)} runs on {count} thread{'s' * (count > 1)}{_sizes_words(factory.info, given)}"
    show(f"{name}: median {seconds(median)}, 10 % below {seconds(p10)}, 90 % below {seconds(p90)}, of {on}")


def _sizes_words(info: ModelInfo, arrays: Mapping[str, Any]) -> str:
    """The sizes that were measured, of dimensions that vary; the kernels are those of one program."""
    if info.border is None:
        every = [place[:2] for dim in info.dims for place in dim.places]
        places = {
            dim.name: [
                place
                for place in dim.places
                if place[0] not in info.state_names and every.count(place[:2]) == 1
            ]
            for dim in info.dims
        }
    else:
        places = {
            name: [(leaf, axis, 0) for leaf, axis in some] for name, some in places_of(info.border).items()
        }
    first = [(dim.name, *places[dim.name][0]) for dim in info.dims if places[dim.name]]
    sizes = [f"{name}={np.shape(arrays[leaf])[axis] - plus}" for name, leaf, axis, plus in first]
    return f", for {', '.join(sizes)}" if sizes else ""


def measured(run: Callable[[], None], seconds_min: float) -> list[float]:
    """Seconds of each run, after a warm-up, until `seconds_min` seconds and enough runs have gone by."""
    clock = time.perf_counter
    run()
    until = clock() + min(WARM_UP_SECONDS, seconds_min)
    while clock() < until:
        run()
    times: list[float] = []
    until = clock() + seconds_min
    while len(times) < MIN_RUNS or (clock() < until and len(times) < MAX_RUNS):
        begin = clock()
        run()
        times.append(clock() - begin)
    return times


def _facts(call: KernelTime) -> dict[str, object]:
    return {
        "kernel": call.name,
        "nodes": list(call.nodes),
        "seconds": call.seconds,
        "flops": call.flops,
        "bytes": call.bytes,
        "gflops_per_second": call.gflops_per_second,
        "gbytes_per_second": call.gbytes_per_second,
        "algorithm": call.algorithm,
    }
