"""Scripts by which shells complete."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from ingot.cli import late
from ingot.cli.completion import SCRIPTS
from ingot.cli.main import main


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_script_has_every_command_and_option(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["completion", shell])
    assert ended.value.code == 0
    script = capsys.readouterr().out
    assert all(name in script for name in late.SUMMARIES)
    assert "tune-to" in script and "verify" in script


@pytest.mark.parametrize(
    ("words", "number", "expected"),
    [
        (["ingot", "b"], 1, {"build", "bench"}),
        (["ingot", "build", "--tu"], 2, {"--tune", "--tune-to", "--tuning"}),
        (["ingot", "build", "--target", "x", "--no"], 4, {"--no-cache"}),
        (["ingot", "load", "x"], 2, set()),
    ],
)
def test_bash_completes(words: list[str], number: int, expected: set[str]) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash")
    line = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={number}; _ingot; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(
        [bash, "-c", f"{SCRIPTS['bash']()}\n{line}"], check=True, capture_output=True, text=True
    )
    assert set(done.stdout.split()) == expected


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_can_read_their_script(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"needs {shell}")
    subprocess.run([program, "-n"], input=SCRIPTS[shell](), check=True, text=True, capture_output=True)
