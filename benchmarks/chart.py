"""How many times as long as ingot the best peer takes, for each model: a sentence and a chart, from the table of a page."""

from __future__ import annotations

import math
import re
import statistics

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 210, 40, 24, 24
STEPS = (1, 2, 4, 8, 16)  # of the axis, which is logarithmic
FASTER, SLOWER, GREY = "#2f7d5b", "#b5533c", "#7a7a7a"


def ratios(page: str) -> dict[str, float]:
    """The last column of the table, `best peer / ingot`, by model."""
    return {
        model: float(ratio)
        for model, ratio in re.findall(r"^\| (\w+) \|.* ([\d.]+)× \|$", page, re.MULTILINE)
    }


def sentence(speeds: dict[str, float]) -> str:
    """What the table comes to, in a line."""
    behind = sum(ratio < 1 for ratio in speeds.values())
    median, minimum, maximum = (
        statistics.median(speeds.values()),
        min(speeds.values()),
        max(speeds.values()),
    )
    return (
        f"On {len(speeds)} models, one thread, the quickest of onnxruntime, OpenVINO and LiteRT takes {median:.2f} times as long "
        f"as ingot in the median, {minimum:.2f} to {maximum:.2f} times in all; ingot is behind on {behind or 'none'}."
    )


def chart(speeds: dict[str, float]) -> str:
    """An SVG with a bar for each model, the shortest first; a bar grows from 1, where ingot and its best peer are even."""
    ordered = sorted(speeds.items(), key=lambda item: item[1])
    step = (WIDTH - LEFT) / len(ordered)
    bars = "\n".join(_bar(LEFT + number * step, step, *item) for number, item in enumerate(ordered))
    heading = f"time of the best peer / time of ingot, one bar for each of {len(ordered)} models (longer: ingot is faster)"
    lines = "\n".join(_line(value) for value in STEPS)
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" \
font-family="sans-serif" font-size="12" fill="{GREY}">
<title>Time of the best peer over the time of ingot, {len(ordered)} models</title>
{lines}
{bars}
<text x="{LEFT}" y="14">{heading}</text>
<text x="{LEFT}" y="{HEIGHT - 6}">{ordered[0][0]}</text>
<text x="{WIDTH}" y="{HEIGHT - 6}" text-anchor="end">{ordered[-1][0]}</text>
</svg>
"""


def _height(ratio: float) -> float:
    """Where a ratio is on the axis."""
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * math.log2(ratio) / math.log2(STEPS[-1])


def _bar(left: float, step: float, model: str, ratio: float) -> str:
    top, bottom = sorted((_height(ratio), _height(1)))
    colour = FASTER if ratio >= 1 else SLOWER
    place = f'x="{left + 2:.1f}" y="{top:.1f}" width="{step - 4:.1f}" height="{bottom - top:.1f}"'
    return f'<rect {place} fill="{colour}"><title>{model}: {ratio:.2f}×</title></rect>'


def _line(value: int) -> str:
    y = _height(value)
    line = f'<line x1="{LEFT}" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="{GREY}" stroke-opacity="0.35"/>'
    return f'{line}<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value}×</text>'
