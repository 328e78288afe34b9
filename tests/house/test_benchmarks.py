"""What `benchmarks/run.py` imports is what the extra `bench` installs, and nothing more is needed to start it."""

from __future__ import annotations

import re
import sys
import tomllib

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
    """Names of packages, as they are imported, that `pip install ingot[extra]` asks for."""
    extras = project["optional-dependencies"]
    assert isinstance(extras, dict)
    found = set()
    for line in extras[extra]:
        within = re.match(r"ingot\[(\w+)\]", line)
        found |= installed(project, within[1]) if within else {re.split(r"[<>=;\[ ]", line)[0].replace("-", "_")}
    return found


def test_the_extra_has_all_that_the_benchmark_imports() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = imported("run", set()) - sys.stdlib_module_names - {"ingot", "numpy"}
    assert {"onnx", "onnxruntime", "openvino", "ai_edge_litert"} <= wanted
    assert wanted <= installed(project, "bench")
