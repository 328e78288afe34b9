"""The C program of examples/chat gives the tokens that `ingot.generate` gives, under the sanitizers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ingot
from tests.support.c_program import compile_c
from tests.support.paths import ROOT
from tests.support.tiny_gguf import write_gguf
from tests.system.test_text_in_c import sanitizers

pytestmark = pytest.mark.cc

EXAMPLE = ROOT / "examples/chat"
PROMPT = [5, 81, 3, 17, 40, 9, 77, 2, 33, 60, 11]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a library, its header, and the program."""
    folder = tmp_path_factory.mktemp("chat")
    write_gguf(folder / "tiny.gguf")
    convert = [sys.executable, str(EXAMPLE / "to_onnx.py"), "tiny.gguf", "-o", "tiny.onnx"]
    subprocess.run(convert, cwd=folder, check=True, capture_output=True)
    state = {"past_key_values.*": "present.*"}
    dims = {"seq": [1, 8], "capacity": 64}
    artifacts = ingot.build(folder / "tiny.onnx", "llvm", name="chat", dims=dims, state=state)
    artifacts.export_library(folder / "chat.so")
    (folder / "chat.h").write_text(artifacts.c_header())
    more = ["chat.so", "-Wl,-rpath,.", "-lm", *sanitizers(folder)]
    compile_c((EXAMPLE / "chat.c").read_text(), folder, *more, standard="c11")
    return folder


def answer(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [str(folder / "main"), *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


def tokens(folder: Path, *options: str) -> list[int]:
    done = answer(folder, *options, *map(str, PROMPT))
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]


def test_greedy_and_random_tokens_are_those_of_generate(folder: Path) -> None:
    library = ingot.load(folder / "chat.so")
    greedy = list(ingot.generate(library, PROMPT, max_tokens=20))
    assert tokens(folder, "-n", "20") == greedy
    assert tokens(folder, "-n", "20", "-e", str(greedy[3])) == greedy[: greedy.index(greedy[3]) + 1]
    chance = {"temperature": 1.2, "top_k": 20, "top_p": 0.9, "seed": 7}
    by_chance = list(ingot.generate(library, PROMPT, max_tokens=20, **chance))
    assert tokens(folder, "-n", "20", "-t", "1.2", "-k", "20", "-p", "0.9", "-s", "7") == by_chance != greedy


def test_a_full_cache_ends_the_program_after_what_fits(folder: Path) -> None:
    done = answer(folder, "-n", "100", *map(str, PROMPT))
    assert done.returncode == 2 and "the cache is full" in done.stderr
    assert len(done.stdout.split()) == 64 - len(PROMPT) + 1


def test_the_program_has_150_lines_or_fewer() -> None:
    assert len((EXAMPLE / "chat.c").read_text().splitlines()) <= 150
