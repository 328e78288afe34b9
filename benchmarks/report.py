"""Results as text for a terminal and as tables for `docs/benchmarks.md`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from engines import BY_NAME
from measure import Result, Times

BEGIN, END = "<!-- {}: written by benchmarks/run.py -->", "<!-- end of {} -->"
PEERS = ("onnxruntime", "openvino", "litert")


def duration(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.3g} s"
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds * 1e6:.3g} µs"


def size(bytes_: float) -> str:
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
        shown += [f"{name} {duration(each.median)} ({each.ratio:.2f})" for name, each in times.items() if name != "ingot"]
        parts.append(f"{threads} thread{'s' if threads > 1 else ''}: " + ", ".join(shown))
    return f"{result.model:22s} " + "  |  ".join(parts)


def _spread(times: Times) -> str:
    return f"{duration(times.median)} [{duration(times.p10)} … {duration(times.p90)}]"


def tables(results: Sequence[Result], threads: Sequence[int]) -> dict[str, str]:
    """Markdown tables by name: `latency-N` for each number of threads, and `start`, `memory` and `install`."""
    good = [result for result in results if not result.error]
    found = {f"latency-{number}": _latency(good, number) for number in threads}
    found["start"] = _start(good)
    found["memory"] = _memory(good)
    found["install"] = _install()
    return found


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


def _latency(results: Iterable[Result], threads: int) -> str:
    rows = []
    for result in results:
        times = result.times[threads]
        row = [result.model, _spread(times["ingot"])]
        for peer in PEERS:
            row += [duration(times[peer].median), f"{times[peer].ratio:.2f}"] if peer in times else ["", ""]
        best = max(times[peer].ratio for peer in PEERS if peer in times)
        rows.append([*row, f"{1 / best:.2f}×"])
    heads = ["model", "ingot [10 % … 90 %]", "onnxruntime", "ratio", "OpenVINO", "ratio", "LiteRT", "ratio", "best peer / ingot"]
    return _table(heads, rows)


def _start(results: Iterable[Result]) -> str:
    rows = []
    for result in results:
        if not result.cold:
            continue
        bare = result.cold["numpy"]
        names = ("ingot", *PEERS)
        row = [result.model, duration(result.build)]
        row += [duration(result.load[name]) if name in result.load else "" for name in names]
        row += [f"{(result.cold[name] - bare) * 1e3:.0f} ms" if name in result.cold else "" for name in names]
        rows.append(row)
    heads = ["ingot", "onnxruntime", "OpenVINO", "LiteRT"]
    return _table(["model", "build", *(f"load: {name}" for name in heads), *(f"cold start: {name}" for name in heads)], rows)


def _memory(results: Iterable[Result]) -> str:
    rows = []
    for result in results:
        names = ("ingot", *PEERS)
        row = [result.model, size(result.weight_bytes), size(result.arena_bytes)]
        row += [size(result.peak_bytes[name]) if name in result.peak_bytes else "" for name in names]
        row += [size(result.file_bytes[name]) if name in result.file_bytes else "" for name in ("ingot", "onnxruntime")]
        rows.append(row)
    heads = ["ingot", "onnxruntime", "OpenVINO", "LiteRT"]
    return _table(["model", "weights", "arena", *(f"peak: {name}" for name in heads), "file: ingot", "file: ONNX"], rows)


def _install() -> str:
    rows = [[engine.name, engine.version, size(engine.installed_bytes)] for engine in BY_NAME.values() if engine.is_here]
    return _table(["engine", "version", "installed, without NumPy"], rows)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    written = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join([*written, *("| " + " | ".join(row) + " |" for row in rows)])


def fill(page: Path, parts: dict[str, str]) -> None:
    """Replaces what stands between the marks of each part in a page.

    Raises:
        ValueError: a mark is not there.
    """
    text = page.read_text(encoding="utf-8")
    for name, part in parts.items():
        begin, end = BEGIN.format(name), END.format(name)
        head, found, rest = text.partition(begin)
        _, found_end, tail = rest.partition(end)
        if not found or not found_end:
            raise ValueError(f"{page}: the marks {begin!r} and {end!r} are not there")
        text = f"{head}{begin}\n{part}\n{end}{tail}"
    page.write_text(text, encoding="utf-8")
