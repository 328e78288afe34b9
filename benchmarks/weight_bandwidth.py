"""How near a model comes to the time that merely reading its weights takes: the bound of products with few rows.

    python benchmarks/weight_bandwidth.py mlp_784 --threads 1 2        models that are measured, or paths (.onnx)

Compiles peak.c with `cc`. In turns, `peak` reads as many bytes as the model has weights, over and over, and `run()` is called
over and over; the least of each counts, and the median of `run()`. Nothing else may be busy meanwhile.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ingot
from models import feeds, subject, subjects

TURN_SECONDS = 0.2
TOGETHER = 8  # calls for each look at the clock


def reading(peak: Path, size_bytes: int, threads: int) -> float:
    """Seconds to read so many bytes."""
    said = subprocess.run(
        [peak, str(size_bytes), str(threads)], check=True, capture_output=True, text=True
    ).stdout
    return float(said.partition(" MB in ")[2].split()[0]) * 1e-6


def running(executor: ingot.Executor) -> list[float]:
    """Seconds of calls, each the mean of a few."""
    times, clock = [], time.perf_counter
    end = clock() + TURN_SECONDS
    while clock() < end:
        begin = clock()
        for _ in range(TOGETHER):
            executor.run()
        times.append((clock() - begin) / TOGETHER)
    return times


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "models", nargs="+", help=f"paths, or some of {', '.join(each.name for each in subjects())}"
    )
    parser.add_argument("--target", default="llvm -mcpu=native")
    parser.add_argument("--threads", nargs="+", type=int, default=[1])
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    print(
        f"{'model':24} threads {'weights':>9} {'reading':>9} {'GB/s':>6} {'run':>9} {'median':>9} {'run/reading':>12}"
    )
    with tempfile.TemporaryDirectory() as folder:
        peak = Path(folder) / "peak"
        source = Path(__file__).parent / "peak.c"
        subprocess.run(
            [os.environ.get("CC", "cc"), "-O2", "-march=native", "-pthread", "-o", peak, source], check=True
        )
        for name in options.models:
            measured = subject(name)
            model = measured.model()
            library = ingot.build(model, options.target, name="reading", dims=dict(measured.dims)).load()
            size = library.models["reading"].host.memory.params_bytes
            for threads in options.threads:
                executor = library["reading"](ingot.cpu(0), threads=threads)
                executor.set_input(feeds(model, measured.dims))
                executor.run()
                reads, runs = [], []
                for _ in range(options.turns):
                    reads.append(reading(peak, size, threads))
                    runs += running(executor)
                shortest = min(reads)
                print(
                    f"{measured.name:24} {threads:7} {size * 1e-6:6.2f} MB {shortest * 1e6:6.1f} µs {size / shortest * 1e-9:6.1f}"
                    f" {min(runs) * 1e6:6.1f} µs {statistics.median(runs) * 1e6:6.1f} µs {min(runs) / shortest:12.2f}",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
