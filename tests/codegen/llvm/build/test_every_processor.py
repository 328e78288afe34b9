"""What the code generator `llvm` emits, LLVM makes instructions of, for each processor that it knows. Compiled, not run.

LLVM ends its process over inline assembly and instructions that a processor has not, so the processors are tried in another one.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ingot
from ingot.codegen.llvm.build.processors import CPUS, UNFIT
from ingot.codegen.llvm.build.proof import forms
from tests.support import emitted_forms
from tests.support.paths import DIGITS

TRIPLES = {
    "x86": ("x86_64-linux-gnu",),
    "aarch64": ("aarch64-linux-gnu",),
    "arm": ("arm-linux-gnueabi",),
    "riscv": ("riscv64-linux-gnu", "riscv32-linux-gnu"),
    "wasm": ("wasm32-unknown-unknown",),
}
LLVM = Path(ingot.__file__).parent / "codegen" / "llvm"


def processors(kind: str) -> Iterator[tuple[str, str]]:
    """A triple and a CPU, of each CPU of a family."""
    for triple in TRIPLES[kind]:
        unfit = UNFIT.get(triple.partition("-")[0], frozenset())
        yield from ((triple, cpu) for cpu in sorted(CPUS[kind] - unfit))


@pytest.mark.parametrize("kind", TRIPLES)  # 23 s of processor time in all, of which each CPU takes some 50 ms
def test_every_form_compiles_for_every_processor(kind: str) -> None:
    wanted = [" ".join(each) for each in processors(kind)]
    command = [sys.executable, "-m", emitted_forms.__name__]
    done = subprocess.run(command, input="\n".join(wanted), capture_output=True, text=True, check=False)
    tried = done.stdout.splitlines()
    assert tried == [f"{word} {each}" for each in wanted for word in ("begin", "done")], (
        f"{tried[-1]}: {done.stderr[-2000:]}"
    )


def test_the_forms_have_all_assembly_and_all_instructions_that_the_code_generator_writes() -> None:
    """Each name of an intrinsic of a processor in its sources, and each inline assembly; a new one must join `emitted_forms`."""
    chips = {
        "x86_64-linux-gnu": ("emeraldrapids", "skylake-avx512", "x86-64-v3"),
        "aarch64-linux-gnu": ("generic", "neoverse-n1", "neoverse-v1"),
    }
    made = [emitted_forms.texts(triple, cpu, set()) for triple, cpus in chips.items() for cpu in cpus]
    found = {form for texts in made for text in texts for form in forms(text)}
    asked = ("build/targets.py", "build/proof.py")  # what they have is not emitted
    files = {path.relative_to(LLVM).as_posix(): path for path in LLVM.rglob("*.py")}
    sources = {
        name: path.read_text(encoding="utf-8") for name, path in sorted(files.items()) if name not in asked
    }
    written = {
        name
        for text in sources.values()
        for name in re.findall(r'["{.](?:llvm\.)?((?:x86|aarch64)\.[a-z0-9._]+)', text)
    }
    assert len(written) >= 20
    assert not {name for name in written if not any(f"llvm.{name}" in form for form in found)}
    assert [name for name, text in sources.items() if ' asm "' in text] == ["emit/values.py"]
    assert any('asm "", "=v,0"' in form for form in found) and any('asm "", "=w,0"' in form for form in found)


# What the machines have on which models are often run, and which no developer has at hand.
MACHINES = [
    "x86_64-linux-gnu -mcpu=emeraldrapids --float32-tiles=on",
    "x86_64-linux-gnu -mcpu=graniterapids",
    "x86_64-linux-gnu -mcpu=cascadelake",
    "x86_64-linux-gnu -mcpu=znver3",
    "x86_64-linux-gnu -mcpu=znver5",
    "x86_64-linux-gnu -mcpu=skylake",
    "x86_64-linux-gnu -mcpu=x86-64-v2",
    "aarch64-linux-gnu -mcpu=neoverse-n1",
    "aarch64-linux-gnu -mcpu=neoverse-v2",
    "aarch64-linux-gnu -mcpu=cortex-a72",
    "aarch64-linux-gnu -mcpu=oryon-1",
]


@pytest.mark.parametrize("machine", MACHINES)  # 4 s in all
def test_a_whole_model_compiles(machine: str) -> None:
    made = ingot.build(DIGITS, f"llvm -mtriple={machine}", dims={"batch": 1}, cache=None)
    (info,) = made.models().values()
    assert sum(one.file_name.endswith(".o") for one in made) >= len({call.kernel for call in info.calls})
