"""`ingot bench`: how long an inference takes, and which kernel takes it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ingot.cli.arguments import DEVICE_HELP, keyed_devices
from ingot.cli.console import seconds, show, show_json, show_table
from ingot.cli.feeds import chosen_model, random_inputs, read_inputs
from ingot.runtime.library import cpu
from ingot.runtime.load import load
from ingot.runtime.profile import KernelTime
from ingot.threads import available_threads

WARM_UP_SECONDS = 0.1
LEAST_RUNS, MOST_RUNS = 20, 100_000
LEAST_PROFILES, MOST_PROFILES = 10, 1000
PROFILE_SHARE = 0.2  # of the time to measure


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A library that ingot made.", show_default=False)],
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="Which model, if the library has several.")] = None,
    input_: Annotated[
        Path | None,
        typer.Option("-i", "--input", metavar="IN.npz", help="One array for each input, by its name [default: random ones]."),
    ] = None,
    device: Annotated[list[str] | None, typer.Option("--device", metavar="KEY=KIND:NUMBER", help=DEVICE_HELP)] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="Threads [default: the cores this process may use].")
    ] = None,
    for_: Annotated[float, typer.Option("--seconds", min=0.0, help="How long to measure.")] = 1.0,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Measure a library: latency, and the time of each kernel."""
    library = load(file)
    name = chosen_model(library, model)
    count = available_threads() if threads is None else threads
    executor = library[name](cpu(0), devices=keyed_devices(device or []), threads=count)
    feeds = random_inputs(executor.inputs) if input_ is None else read_inputs(input_)
    executor.set_input(feeds)
    times = measured(executor.run, for_)
    median, p10, p90 = (float(value) for value in np.percentile(times, [50, 10, 90]))
    repeat = min(max(int(PROFILE_SHARE * for_ / median), LEAST_PROFILES), MOST_PROFILES)
    profile = executor.profile(feeds, repeat=repeat)
    if json:
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
        ("kernel", ">time", ">%", ">GFLOP/s", ">GB/s", "nodes"),
        [
            (
                call.name,
                seconds(call.seconds),
                f"{100 * call.seconds / total:.1f}" if total else "",
                f"{call.gflops_per_second:.2f}",
                f"{call.gbytes_per_second:.2f}",
                ", ".join(call.nodes),
            )
            for call in profile
        ],
    )
    show()
    on = f"{len(times)} runs on {count} thread{'s' * (count > 1)}"
    show(f"{name}: median {seconds(median)}, 10 % below {seconds(p10)}, 90 % below {seconds(p90)}, of {on}")


def measured(run: Callable[[], None], at_least: float) -> list[float]:
    """Seconds of each run, after a warm-up, until `at_least` seconds and enough runs have gone by."""
    clock = time.perf_counter
    run()
    until = clock() + min(WARM_UP_SECONDS, at_least)
    while clock() < until:
        run()
    times: list[float] = []
    until = clock() + at_least
    while len(times) < LEAST_RUNS or (clock() < until and len(times) < MOST_RUNS):
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
    }
