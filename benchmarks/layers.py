"""Where the time of a model goes: each call's time, GFLOP/s and share of what this machine can do at most.

    gcc -O2 -march=native -o peak benchmarks/peak.c && ./peak       says what that is
    python benchmarks/layers.py resnet50 --peak 275                  a network of networks.py or transformers.py, or a path

The time of a call is the least of many runs of the whole model, so caches hold what the calls before it left there.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import networks
from transformers import TRANSFORMERS

import ingot
from models import feeds

NETWORKS = {**networks.NETWORKS, **TRANSFORMERS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help=f"a path, or one of {', '.join(NETWORKS)}")
    parser.add_argument("--target", default="llvm -mcpu=native")
    parser.add_argument("--peak", type=float, default=0.0, help="GFLOP/s that count as all")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long to measure")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--top", type=int, default=0, help="only so many of the calls that take longest; 0: all, in order")
    options = parser.parse_args()
    model = NETWORKS[options.model]() if options.model in NETWORKS else Path(options.model).read_bytes()
    library = ingot.build(model, options.target, name="layers").load()
    executor = library["layers"](ingot.cpu(0), threads=options.threads)
    inputs = feeds(model, {})
    profile = executor.profile(inputs, repeat=1)
    least = [call.seconds for call in profile]
    end = time.perf_counter() + options.seconds
    while time.perf_counter() < end:
        least = [min(pair) for pair in zip(least, (call.seconds for call in executor.profile(inputs, repeat=1)), strict=True)]
    total = sum(least)
    rows = [(seconds, call) for seconds, call in zip(least, profile, strict=True)]
    if options.top:
        rows = sorted(rows, key=lambda row: -row[0])[: options.top]
    print(f"{'µs':>9} {'%':>5} {'GFLOP/s':>8} {'peak':>5} {'GB/s':>7}  kernel")
    for seconds, call in rows:
        rate = call.flops / seconds / 1e9
        share = f"{rate / options.peak:5.0%}" if options.peak else "    –"
        print(
            f"{seconds * 1e6:9.1f} {100 * seconds / total:5.1f} {rate:8.1f} {share} {call.bytes / seconds / 1e9:7.1f}"
            f"  {call.name}  {', '.join(call.nodes)[:60]}"
        )
    flops = sum(call.flops for call in profile)
    print(f"{total * 1e6:9.1f} 100.0 {flops / total / 1e9:8.1f}  all {len(profile)} calls")


if __name__ == "__main__":
    main()
