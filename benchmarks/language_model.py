"""Measures a language model side by side with other engines: tokens a second, prompts, first tokens, memory, loading.

    python benchmarks/language_model.py --library model.so --onnx model.onnx --gguf model.gguf \\
        --python llama.cpp=VENV/bin/python --python openvino=VENV/bin/python

`model.onnx` comes from `examples/chat/to_onnx.py`, `model.so` from

    ingot build model.onnx --dim seq=1,16,512 --dim capacity=2304 --state 'past_key_values.*=present.*' -o model.so

Engines without a file, and those that cannot be imported, are left out. Each engine is a process of its own; they are asked in
turns (A B A B …), so that what else the machine does disturbs all alike. A figure is the median over turns, a ratio the median
over neighbouring turns. `--page` writes the tables into docs/measurements/language-models.md.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from language_engines import ENGINES
from machine import describe
from report import filled

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "measurements" / "language-models.md"
CONTEXTS, CAPACITY, PROMPT, SHORT = (2048, 512, 16), 2304, 512, 16
STEPS = 8  # of a turn
# A question in the chat format of SmolLM2, as ids.
QUESTION = [1, 9690, 198, 2683, 359, 253, 5356, 5646, 11173, 3365, 3511, 308, 34519, 28, 7018, 411, 407, 19712, 8182, 2, 198, 1,
            4093, 198, 1780, 314, 260, 3575, 282, 4649, 47, 2, 198, 1, 520, 9531, 198]  # fmt: skip


class Worker:
    """A process of `language_engines.py`; `load` is the seconds that it took to load the model."""

    def __init__(self, engine: str, path: Path, python: str, threads: int) -> None:
        command = [python, str(HERE / "language_engines.py"), engine, str(path), str(threads), str(CAPACITY)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.load: float = self._reply()

    def ask(self, *words: object) -> object:
        assert self.process.stdin is not None
        print(*words, file=self.process.stdin, flush=True)
        return self._reply()

    def seconds(self, *words: object) -> float:
        return float(str(self.ask(*words)))

    def _reply(self):  # type: ignore[no-untyped-def]  # what JSON gives
        assert self.process.stdout is not None and self.process.stderr is not None
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            last = self.process.stderr.read().strip().splitlines()[-1:]
            raise RuntimeError(last[0] if last else f"ended with {self.process.returncode}")
        return json.loads(line)

    def close(self) -> None:
        self.process.communicate()


@dataclass
class Figures:
    """Seconds, by what was measured and by engine, each of all turns; `peak` in bytes."""

    seconds: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    peak: dict[str, int] = field(default_factory=dict)

    def add(self, figure: str, engine: str, seconds: float) -> None:
        self.seconds.setdefault(figure, {}).setdefault(engine, []).append(seconds)

    def median(self, figure: str, engine: str) -> float | None:
        turns = self.seconds.get(figure, {}).get(engine)
        return statistics.median(turns) if turns else None

    def ratio(self, figure: str, engine: str) -> float | None:
        """Time of an engine over ingot's, in neighbouring turns."""
        both = [self.seconds.get(figure, {}).get(name, []) for name in (engine, "ingot")]
        ratios = [other / own for other, own in zip(*both, strict=False)]
        return statistics.median(ratios) if ratios else None


def start(engines: Mapping[str, tuple[Path, str]], threads: int) -> dict[str, Worker]:
    workers = {}
    for engine, (path, python) in engines.items():
        try:
            workers[engine] = Worker(engine, path, python, threads)
        except RuntimeError as error:
            print(f"{engine}: left out: {error}", flush=True)
    return workers


def measure(engines: Mapping[str, tuple[Path, str]], threads: int, turns: int) -> Figures:
    """All figures with so many threads."""
    figures = Figures()
    for _ in range(3):
        for engine, worker in start(engines, threads).items():
            figures.add("load", engine, worker.load)
            figures.add("first token", engine, worker.load + worker.seconds("prefill", SHORT))
            worker.close()
    workers = start(engines, threads)
    for number in range(3):
        for engine, worker in workers.items():
            seconds = worker.seconds("prefill", PROMPT)
            if number:  # the first one touches memory for the first time
                figures.add("prefill", engine, seconds)
    for worker in workers.values():
        worker.ask("prefill", max(CONTEXTS))
    for context in CONTEXTS:
        for _ in range(turns):
            for engine, worker in workers.items():
                figures.add(f"step at {context}", engine, worker.seconds("steps", context, STEPS))
    for engine, worker in workers.items():
        figures.peak[engine] = int(str(worker.ask("peak")))
        worker.close()
    return figures


def bandwidth(threads: int, size_bytes: int) -> float:
    """Bytes a second that merely reading so much memory over and over reaches."""
    with tempfile.TemporaryDirectory() as folder:
        peak = Path(folder) / "peak"
        compiler = os.environ.get("CC", "cc")
        subprocess.run(
            [compiler, "-O2", "-march=native", "-pthread", "-o", peak, HERE / "peak.c"], check=True
        )
        said = subprocess.run([peak, str(size_bytes), str(threads)], check=True, capture_output=True)
    return float(said.stdout.decode().split(",")[1].split()[0]) * 1e9


def answers(engines: Mapping[str, tuple[Path, str]], count: int) -> list[str]:
    """A line for each engine: up to where its greedy answer is that of ingot."""
    given = {}
    for engine, worker in start(engines, 1).items():
        given[engine] = worker.ask("greedy", count, *QUESTION)
        worker.close()
    own = given.pop("ingot", [])
    lines = []
    for engine, other in given.items():
        at = next((n for n, (x, y) in enumerate(zip(own, other, strict=True)) if x[0] != y[0]), None)
        if at is None:
            lines.append(f"{engine}: the same {count} tokens")
        else:
            lines.append(
                f"{engine}: the same {at} tokens; then the two most likely ones differ by {own[at][1]:.4f} in ingot's logits, "
                f"{other[at][1]:.4f} in {engine}'s"
            )
    return lines


def table(figures: Figures, engines: Sequence[str]) -> list[str]:
    """Rows of a Markdown table; behind an engine's figure its time over ingot's."""
    lines = [f"| | {' | '.join(engines)} |", f"| --- |{' ---: |' * len(engines)}"]
    for figure in figures.seconds:
        cells = [cell(figures, figure, engine) for engine in engines]
        lines.append(f"| {TITLES.get(figure, figure)} | {' | '.join(cells)} |")
    peaks = [f"{figures.peak[name] / 1e6:.0f} MB" if name in figures.peak else "–" for name in engines]
    return [*lines, f"| peak memory of the process | {' | '.join(peaks)} |"]


TITLES = {
    "load": "load",
    "first token": f"load and first token of a prompt of {SHORT}",
    "prefill": f"prompt of {PROMPT}",
    **{f"step at {context}": f"tokens a second behind {context}" for context in CONTEXTS},
}


def cell(figures: Figures, figure: str, engine: str) -> str:
    seconds, ratio = figures.median(figure, engine), figures.ratio(figure, engine)
    if seconds is None:
        return "–"
    text = f"{1 / seconds:.1f}" if figure.startswith("step") else f"{seconds * 1e3:.0f} ms"
    return text if engine == "ingot" or ratio is None else f"{text} ({ratio:.2f})"


def bound(figures: Figures, threads: int, weights: int) -> str:
    """How near steps come to the time that reading the weights takes."""
    rate, seconds = bandwidth(threads, weights), figures.median("step at 16", "ingot")
    text = f"Reading alone: {rate * 1e-9:.1f} GB/s, {weights / rate * 1e3:.2f} ms for the {weights * 1e-6:.1f} MB of a step."
    return (
        text
        if seconds is None
        else f"{text} A step behind 16 tokens reaches {weights / rate / seconds:.0%} of that."
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--library", type=Path, help="the library, for ingot")
    parser.add_argument("--onnx", type=Path, help="the ONNX file, for onnxruntime and OpenVINO")
    parser.add_argument("--gguf", type=Path, help="the GGUF file, for llama.cpp")
    parser.add_argument("--python", action="append", default=[], help="an engine's interpreter: ENGINE=PATH")
    parser.add_argument("--engines", nargs="+", default=list(ENGINES), choices=list(ENGINES))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--weights", type=int, default=84_000_000, help="bytes of weights that a step reads")
    parser.add_argument("--greedy", type=int, default=200, help="tokens of answers that are compared")
    parser.add_argument("--page", action="store_true", help="write the tables into the page")
    options = parser.parse_args()
    pythons = dict(each.split("=", 1) for each in options.python)
    files = {"ingot": options.library, "llama.cpp": options.gguf}
    engines = {
        name: (files.get(name, options.onnx), pythons.get(name, sys.executable))
        for name in options.engines
        if files.get(name, options.onnx)
    }
    begin, load = time.perf_counter(), os.getloadavg()[0]
    tables = {"machine": [f"{describe()}; load average at the beginning {load:.1f}"]}
    print(tables["machine"][0], flush=True)
    for threads in options.threads:
        figures = measure(engines, threads, options.turns)
        rows = [*table(figures, list(engines)), "", bound(figures, threads, options.weights)]
        tables[f"threads-{threads}"] = rows
        print(f"\n{threads} thread{'s' * (threads > 1)}\n", *rows, sep="\n", flush=True)
    if options.greedy:
        tables["greedy"] = answers(engines, options.greedy)
        print("", *tables["greedy"], sep="\n", flush=True)
    if options.page:
        parts = {name: "\n".join(lines) for name, lines in tables.items()}
        PAGE.write_text(filled(PAGE, parts, "language_model.py"), encoding="utf-8")
    print(f"\n{time.perf_counter() - begin:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
