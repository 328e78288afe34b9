"""Results as text for a terminal and as tables for `docs/measurements/benchmarks.md`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from cold_start import Start
from engines import BY_NAME
from measure import Result, Times

BEGIN, END = "<!-- {}: written by benchmarks/{} -->", "<!-- end of {} -->"
PEERS = ("onnxruntime", "openvino", "litert")
HEADS = ("ingot", "onnxruntime", "OpenVINO", "LiteRT")

# What ingot sets out to hold; tables say where it does not.
TINY_BYTES = 1_000_000  # of weights: such models are to answer within 5 ms
C_GOAL = 5e-3  # seconds of a first answer from C, beyond one inference
PEAK_GOAL = 30_000_000  # bytes of memory besides weights and arena
FILE_GOAL = 300_000  # bytes of a file besides 1.02 times the weights


def duration(seconds: float) -> str:
    if abs(seconds) >= 1:
        return f"{seconds:.3g} s"
    if abs(seconds) >= 1e-3:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds * 1e6:.3g} µs"


def size(bytes_: float) -> str:
    if abs(bytes_) >= 1e9:
        return f"{bytes_ / 1e9:.3g} GB"
    if abs(bytes_) >= 1e6:
        return f"{bytes_ / 1e6:.3g} MB"
    return f"{bytes_ / 1e3:.3g} KB"


def line(result: Result) -> str:
    """One model, for a terminal."""
    if result.error:
        return f"{result.model:22s} {result.error}"
    parts = []
    for threads, times in result.times.items():
        shown = [f"{'ingot'} {_spread(times['ingot'])}"]
        shown += [
            f"{name} {duration(each.median)} ({each.ratio:.2f})"
            for name, each in times.items()
            if name != "ingot"
        ]
        parts.append(f"{threads} thread{'s' if threads > 1 else ''}: " + ", ".join(shown))
    return f"{result.model:22s} " + "  |  ".join(parts)


def _spread(times: Times | Start) -> str:
    return f"{duration(times.median)} [{duration(times.p10)} … {duration(times.p90)}]"


def tables(results: Sequence[Result], threads: Sequence[int]) -> dict[str, str]:
    """Markdown tables by name: `latency-N` for each number of threads, and `load`, `start`, `start-c`, `memory`, `install`."""
    good = [result for result in results if not result.error]
    sections = {f"latency-{number}": _latency(good, number) for number in threads}
    sections["load"] = _load(good)
    sections["start"] = _start(good)
    sections["start-c"] = _start_c(good)
    sections["memory"] = _memory(good)
    sections["install"] = _install()
    return sections


def summary(results: Iterable[Result], machine: str) -> str:
    """A table with the medians of one thread, and a sentence on what was measured on."""
    rows = []
    for result in results:
        if not result.error:
            times = result.times[1]
            best = max(times[peer].ratio for peer in PEERS if peer in times)
            shown = [duration(times[peer].median) if peer in times else "" for peer in ("ingot", *PEERS)]
            rows.append([result.model, *shown, f"{1 / best:.2f}×"])
    table = _table(["model", "ingot", "onnxruntime", "OpenVINO", "LiteRT", "best peer / ingot"], rows)
    versions = ", ".join(f"{engine.name} {engine.version}" for engine in BY_NAME.values() if engine.is_here)
    return f"{table}\n\nMedians of a call, one thread; {machine}; {versions}."


def _latency(results: Sequence[Result], threads: int) -> str:
    rows, behind = [], []
    for result in results:
        times = result.times[threads]
        row = [result.model, _spread(times["ingot"])]
        for peer in PEERS:
            row += [duration(times[peer].median), f"{times[peer].ratio:.2f}"] if peer in times else ["", ""]
        best = max((times[peer] for peer in PEERS if peer in times), key=lambda each: each.ratio)
        rows.append([*row, f"{1 / best.ratio:.2f}×"])
        if best.ratio > 1:
            clear = "" if best.ratio_p10 > 1 else ", not in every turn"
            behind.append(f"{result.model} ({1 / best.ratio:.2f}×{clear})")
    heads = [
        "model",
        "ingot [10 % … 90 %]",
        "onnxruntime",
        "ratio",
        "OpenVINO",
        "ratio",
        "LiteRT",
        "ratio",
        "best peer / ingot",
    ]
    return f"{_table(heads, rows)}\n\ningot is behind the best peer on {_listed(behind, len(rows))}."


def _listed(names: Sequence[str], of: int, noun: str = "models") -> str:
    return f"{len(names)} of {of} {noun}" + (f": {', '.join(names)}" if names else "")


def _load(results: Iterable[Result]) -> str:
    rows = []
    for result in results:
        row = [result.model, duration(result.build)]
        rows.append(
            [
                *row,
                *(duration(result.load[name]) if name in result.load else "" for name in ("ingot", *PEERS)),
            ]
        )
    return _table(["model", "build", *(f"load: {name}" for name in HEADS)], rows)


def _start(results: Iterable[Result]) -> str:
    rows, late = [], []
    for result in results:
        cold = result.cold
        if not cold:
            continue
        goal = _start_goal(result)
        held = goal is None or cold["ingot"].median <= goal
        if not held:
            late.append(result.model)
        best = min(cold[peer].median for peer in PEERS if peer in cold)
        row = [
            result.model,
            _spread(cold["ingot"]),
            duration(cold["ingot"].shortest),
            duration(cold["ingot"].cpu),
        ]
        row += ["", ""] if goal is None else [duration(goal), "yes" if held else "no"]
        row += [duration(cold[peer].median) if peer in cold else "" for peer in PEERS]
        rows.append([*row, f"{best / cold['ingot'].median:.2f}×"])
    heads = [
        "model",
        "ingot [10 % … 90 %]",
        "least",
        "processors",
        "goal",
        "held",
        *HEADS[1:],
        "best peer / ingot",
    ]
    missed = _listed(late, sum(1 for row in rows if row[4]), "models that have one")
    return f"{_table(heads, rows)}\n\nThe goal is missed on {missed}."


def _start_goal(result: Result) -> float | None:
    """Seconds that a cold start may take: there is a goal for tiny models and for ResNet-18."""
    if result.model == "resnet18":
        return 50e-3
    return 5e-3 if result.weight_bytes < TINY_BYTES else None


def _start_c(results: Iterable[Result]) -> str:
    rows, late = [], []
    for result in results:
        start = result.cold_c
        if start is None:
            continue
        first, second = start.first, start.second
        held = first.median <= second + C_GOAL
        if not held:
            late.append(result.model)
        row = [result.model, _spread(first), duration(first.shortest), duration(first.cpu), duration(second)]
        rows.append([*row, duration(first.median - second), "yes" if held else "no"])
    heads = ["model", "first answer from C [10 % … 90 %]", "least", "processors", "the second", "beyond it"]
    table = _table([*heads, f"at most {duration(C_GOAL)}"], rows)
    return f"{table}\n\nThe goal is missed on {_listed(late, len(rows))}."


def _memory(results: Iterable[Result]) -> str:
    rows, over = [], []
    for result in results:
        limit = result.weight_bytes + result.arena_bytes + PEAK_GOAL
        largest = 1.02 * result.weight_bytes + FILE_GOAL
        holds = [result.peak_bytes["ingot"] <= limit, result.file_bytes["ingot"] <= largest]
        if not all(holds):
            over.append(result.model)
        small, fits = ("yes" if each else "no" for each in holds)
        row = [
            result.model,
            size(result.weight_bytes),
            size(result.arena_bytes),
            size(result.peak_bytes["ingot"]),
            small,
        ]
        row += [size(result.peak_bytes[name]) if name in result.peak_bytes else "" for name in PEERS]
        onnx = result.file_bytes.get("onnxruntime", result.file_bytes.get("openvino"))
        rows.append([*row, size(result.file_bytes["ingot"]), fits, "" if onnx is None else size(onnx)])
    heads = ["model", "weights", "arena", "peak: ingot", f"at most weights + arena + {size(PEAK_GOAL)}"]
    heads += [f"peak: {name}" for name in HEADS[1:]]
    heads += ["file: ingot", f"at most 1.02 × weights + {size(FILE_GOAL)}", "file: ONNX"]
    return f"{_table(heads, rows)}\n\nA goal is missed on {_listed(over, len(rows))}."


def _install() -> str:
    rows = [
        [engine.name, engine.version, size(engine.installed_bytes)]
        for engine in BY_NAME.values()
        if engine.is_here
    ]
    return _table(["engine", "version", "installed, without NumPy"], rows)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    written = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join([*written, *("| " + " | ".join(row) + " |" for row in rows)])


def filled(page: Path, parts: dict[str, str], script: str = "run.py") -> str:
    """The text of a page with each part between its marks.

    Raises:
        ValueError: a mark is not there.
    """
    text = page.read_text(encoding="utf-8")
    for name, part in parts.items():
        begin, end = BEGIN.format(name, script), END.format(name)
        head, marker, rest = text.partition(begin)
        _, found_end, tail = rest.partition(end)
        if not marker or not found_end:
            raise ValueError(f"{page}: the marks {begin!r} and {end!r} are not there")
        text = f"{head}{begin}\n{part}\n{end}{tail}"
    return text
