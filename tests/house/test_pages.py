"""What the pages of `docs/` show is run, word by word, block after block."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.distributions import write_distribution
from tests.support.kernel_opencl import needs_opencl

from .source import ROOT
from .test_readme import environment

DOCS = ROOT / "docs"
PAGES = (
    "start/service.md", "start/migration.md",
    "use/sets.md", "use/shapes.md", "use/state.md", "use/entries.md", "use/language-models.md", "use/targets.md", "use/mlf.md",
    "use/quantization.md", "use/tuning.md", "use/data-dependent.md", "use/loops.md", "use/text.md",
    "use/classical.md", "use/compat.md", "use/debugging.md", "explain/origin.md",
    "reference/differences.md", "reference/operators.md", "reference/types.md",
)  # fmt: skip
# A machine with one GPU, of paper: its driver runs the PTX of the library.
WITH_A_GPU = """import ingot.runtime.devices.cuda
from tests.support.cuda_driver import Driver, Gpu
ingot.runtime.devices.cuda.driver = Driver(Gpu())
"""


def blocks(page: str) -> tuple[str, list[str]]:
    """All Python of a page, named within `docs`, as one program, and its commands."""
    code: list[str] = []
    commands: list[str] = []
    kind = ""
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            kind = "" if kind else line.removeprefix("```")
        elif kind == "python":
            code.append(line)
        elif kind == "console":
            commands.append(line.removeprefix("$ "))
    return "\n".join(code), commands


def run(code: str, commands: Sequence[str], folder: Path, paths: Sequence[Path] = ()) -> None:
    """Runs Python and commands in a folder that has the examples, with `paths` in which Python finds packages."""
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    assert code
    found_in = os.pathsep.join(filter(None, [*map(str, paths), os.environ.get("PYTHONPATH", "")]))
    for command in ([sys.executable, "-W", "error", "-c", code], *map(shlex.split, commands)):
        ended = subprocess.run(
            command,
            check=False,
            cwd=folder,
            env={**environment(folder), **({"PYTHONPATH": found_in} if found_in else {})},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert ended.returncode == 0, (command[0], ended.stderr)


@pytest.mark.cc
@pytest.mark.parametrize("page", PAGES)
def test_code_and_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    run(*blocks(page), tmp_path)


@needs_opencl
@pytest.mark.cc
@pytest.mark.opencl
def test_code_of_the_page_on_opencl_devices_runs(tmp_path: Path) -> None:
    run(*blocks("use/opencl.md"), tmp_path)


@pytest.mark.cc
def test_code_of_the_page_on_gpus_runs_with_the_tensors_of_the_other_page(tmp_path: Path) -> None:
    code, commands = blocks("use/cuda.md")
    tensors = blocks("use/opencl.md")[0].partition("import numpy as np\n")[2]
    assert "device_tensor" in tensors
    run(
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{WITH_A_GPU}{code}\nimport numpy as np\n{tensors}",
        commands,
        tmp_path,
    )


def install(page: str, module: str, folder: Path) -> str:
    """Installs the package of a page, its first Python below a list of entry points. Gives that Python."""
    text = (DOCS / page).read_text(encoding="utf-8")
    offers, package = re.search(r"```toml\n(.*?)```\n.*?```python\n(.*?)```", text, re.DOTALL).groups()  # type: ignore[union-attr]
    groups = tomllib.loads(offers)["project"]["entry-points"]
    write_distribution(folder, module.replace("_", "-"), groups, {module: package})
    return str(package)


@pytest.mark.cc
def test_the_plug_ins_of_the_page_on_sets_are_found_where_they_are_installed(tmp_path: Path) -> None:
    install("use/sets.md", "my_package", tmp_path)
    (tmp_path / "some.mine").write_bytes(b"MINE and more")
    code, _ = blocks("use/sets.md")
    loads = f"{code}\nassert [one.type_key for one in more.load().imported_modules] == ['mine']\n"
    looks = "import sys\nfrom ingot.cli.main import main\nmain(['inspect', 'some.mine'])"
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    for words, said in ((loads, ""), (looks, "13 bytes")):
        ended = subprocess.run(
            [sys.executable, "-c", words],
            check=False,
            cwd=tmp_path,
            env={**environment(tmp_path), "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert ended.returncode == 0 and said in ended.stdout, ended.stderr


@pytest.mark.cc
def test_the_code_generator_of_the_page_on_plug_ins_takes_regions_where_it_is_installed(
    tmp_path: Path,
) -> None:
    package = install("develop/plugins.md", "my_npu", tmp_path)
    code, commands = blocks("develop/plugins.md")
    assert package in code
    run(code.replace(package, ""), commands, tmp_path, [tmp_path])


def test_every_page_with_code_is_run() -> None:
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    with_code = {page for page in pages if blocks(page)[0]}
    assert with_code == {
        *PAGES,
        "use/opencl.md",
        "use/cuda.md",
        "use/c-interface.md",
        "develop/plugins.md",
    }  # the last one by test_c_interface_page.py
