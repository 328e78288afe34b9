"""`benchmarks/run.py`: what the extra `bench` installs is all that it imports; and it ends in time."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from types import ModuleType

import pytest

from .source import ROOT, Source

FOLDER = ROOT / "benchmarks"


def imported(name: str, seen: set[str]) -> set[str]:
    """The packages that a file of `benchmarks` imports, and the files that it imports, at once or later."""
    seen.add(name)
    found = set()
    for word in {one.module.split(".")[0] for one in Source(FOLDER / f"{name}.py").imports}:
        if not (FOLDER / f"{word}.py").exists():
            found.add(word)
        elif word not in seen:
            found |= imported(word, seen)
    return found


def installed(project: dict[str, object], extra: str) -> set[str]:
    """Names of packages, as they are imported, that `pip install ingot-compiler[extra]` asks for."""
    extras = project["optional-dependencies"]
    assert isinstance(extras, dict)
    found = set()
    for line in extras[extra]:
        within = re.match(r"ingot-compiler\[(\w+)\]", line)
        found |= (
            installed(project, within[1]) if within else {re.split(r"[<>=;\[ ]", line)[0].replace("-", "_")}
        )
    return found


def test_the_extra_has_all_that_the_benchmark_imports() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = imported("run", set()) - sys.stdlib_module_names - {"ingot", "numpy"}
    assert {"onnx", "onnxruntime", "openvino", "ai_edge_litert"} <= wanted
    assert wanted <= installed(project, "bench")


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.mark.parametrize(
    ("behind", "turns"), [(-9.0, 15), (0.0, 15), (1.0, 15), (15.0, 11), (30.0, 7), (1e6, 7)]
)
def test_a_run_that_is_behind_gives_fewer_turns_and_never_too_few(behind: float, turns: int) -> None:
    assert module("time_budget").fitting(15, 7, behind) == turns
    assert module("time_budget").fitting(0, 5, behind) == 0  # what is not wanted at all stays so


@pytest.mark.parametrize("slower", [0.5, 1.0, 1.1, 1.4])
def test_a_run_ends_in_time_as_long_as_the_least_can(slower: float) -> None:
    plan = module("time_budget")
    limit, now, counts = 1080.0, 0.0, []
    names = ["digits"] * 10 + list(plan.SECONDS) + ["gru"] * 12
    for done in range(len(names)):
        counts.append(plan.fitting(15, 5, now - plan.planned(names, done, limit)))
        usual = plan.planned(names, done + 1, limit) - plan.planned(names, done, limit)
        now += (
            slower * usual * (0.5 + 0.5 * counts[-1] / 15)
        )  # half of the time is not spent on turns and starts
    assert plan.planned(names, len(names), limit) == limit
    assert now <= limit + plan.BEHIND_SECONDS
    assert (min(counts) == 15) == (slower <= 1)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--threads", "1"], "one thread and two"),
        (["--target", "c"], "--target"),
        (["--cold", "0"], "cold starts"),
    ],
)
def test_tables_that_would_lack_numbers_are_refused_before_anything_is_measured(
    words: list[str], why: str
) -> None:
    command = [sys.executable, str(FOLDER / "run.py"), "--page", "--threads", "1", "2", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert why in done.stderr


def test_the_chart_and_the_line_of_the_readme_say_what_the_table_says() -> None:
    chart, pages = module("chart"), ROOT / "docs" / "measurements"
    table = (pages / "speed.md").read_text(encoding="utf-8")
    found = chart.ratios(table)
    assert len(found) == len(re.findall(r"^\|.*×", table, re.MULTILINE)) > 30
    assert (pages / "speed.svg").read_text(encoding="utf-8") == chart.chart(found)
    assert chart.sentence(found) in (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_bar_of_the_chart_ends_where_its_number_is_and_hangs_down_below_1() -> None:
    drawn = module("chart").chart({"slow": 0.5, "even": 1.0, "fast": 4.0})
    bars = {
        name: (float(y), float(height))
        for y, height, name in re.findall(r'y="([\d.]+)" [^>]*height="([\d.]+)"[^>]*><title>(\w+):', drawn)
    }
    (slow, down), (even, none), (fast, up) = bars["slow"], bars["even"], bars["fast"]
    assert none == 0 and slow == even and fast + up == even
    assert up == pytest.approx(2 * down)
