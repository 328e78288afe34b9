"""The two applications of docs/start/migration.md compile with the archives that the page makes, and print the same."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.house.source import ROOT
from tests.house.test_pages import blocks
from tests.house.test_readme import environment


def c_blocks(page: str) -> list[str]:
    return re.findall(r"```c\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.cc
def test_both_applications_print_the_same(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "digits", tmp_path / "examples" / "digits")
    for command in blocks("start/migration.md")[1]:
        subprocess.run(
            shlex.split(command), cwd=tmp_path, check=True, env=environment(tmp_path), capture_output=True
        )
    printed = []
    for folder, text in zip(("before", "after"), c_blocks("start/migration.md"), strict=True):
        base = tmp_path / folder
        (base / "main.c").write_text(text)
        sources = sorted(base.glob("codegen/host/src/*.c"))
        include = ["-I", str(base / "codegen/host/include")]
        if folder == "before":
            sources.append(base / "runtime/build/libingot_crt.a")
            include += ["-I", str(base / "runtime/include")]
        flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", *include]
        run = ["cc", *flags, "-o", str(base / "app"), str(base / "main.c"), *map(str, sources), "-lm"]
        subprocess.run(run, check=True, env=environment(tmp_path))
        printed.append(subprocess.run([base / "app"], check=True, capture_output=True, text=True).stdout)
    assert printed[0] == printed[1]
    assert abs(sum(map(float, printed[0].split())) - 1) < 1e-3
