"""What a model's kernels cost on a 64-bit Arm processor that is not here: an estimate.

    apt-get install gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user llvm-19
    python benchmarks/arm_estimate.py resnet18 --cpu neoverse-n1      a model that is measured, or a path (.onnx)

The library for that processor runs once under QEMU, one thread, which counts how often each block of instructions runs
(`block_counts.c`). `llvm-mca` says how many cycles the processor takes for a block that follows itself, with all data in the
first-level cache; a kernel's cycles are the sum over its blocks. So caches, branches that are not foreseen, and how blocks follow
each other are left out, and the models of LLVM are only as good as they are: the numbers compare code with code for a processor.

For each kernel: millions of cycles, its share, multiply-adds and dot products of vectors in a cycle (a processor has one or two
units for them, or four), and accesses to the stack for each of them: more than a few in a hundred, and registers are too few.
`--blocks` also lists the blocks that take longest, with the addresses that a disassembler shows.
"""

from __future__ import annotations

import argparse
import math
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import ingot
from models import feeds, subject, subjects

TRIPLE = "aarch64-linux-gnu"
# What code may have beyond what llvm-mca takes the processor to have.
FEATURES = "+dotprod,+i8mm,+fullfp16,+lse"
ROUNDS = 200  # of a block, after which its beginning does not show
MIN_SHARE = 3e-5  # of all instructions: blocks that run fewer are left out
PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "model.h"

int main(void) {
    %(buffers)s
    void *workspace = aligned_alloc(64, (MODEL_WORKSPACE_BYTES + 127) / 64 * 64);
    struct model_inputs inputs = {%(inputs)s};
    struct model_outputs outputs = {%(outputs)s};
    Dl_info where;
    if (!dladdr((void *)model_run, &where)) return 99;
    FILE *base = fopen("base", "w");
    fprintf(base, "%%lx", (unsigned long)where.dli_fbase);
    fclose(base);
    return (int)model_run(&inputs, &outputs, workspace);
}
"""
_BRANCH = re.compile(r"(b|b\.\w+|bl|blr|br|cbn?z|tbn?z|ret)\b")
_TARGET = re.compile(r"^((?:b|b\.\w+|bl|cbn?z|tbn?z)\b.*?)0x[0-9a-f]+$")
_SUM = re.compile(r"(fmla|fmls|sdot|udot|usdot|sudot|smlal2?|smull2?|mla)\b.*\bv\d")


@dataclass(frozen=True)
class Block:
    """Instructions that follow each other, how often they run, and how many cycles they take each time."""

    kernel: str
    address: int
    instructions: tuple[str, ...]
    count: int
    cycles: float = 0.0

    @property
    def all_cycles(self) -> float:
        return self.cycles * self.count

    @property
    def sums(self) -> int:
        return sum(bool(_SUM.match(instruction)) for instruction in self.instructions)

    @property
    def on_stack(self) -> int:
        return sum("[sp" in instruction for instruction in self.instructions)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help=f"a path, or one of {', '.join(each.name for each in subjects())}")
    parser.add_argument(
        "--cpu", default="neoverse-n1", help="what code is made for, and estimated for [default: %(default)s]"
    )
    parser.add_argument("--top", type=int, default=10, help="kernels to show [default: %(default)s]")
    parser.add_argument("--blocks", type=int, default=0, help="blocks to show [default: none]")
    options = parser.parse_args()
    for tool in ("gcc", f"{TRIPLE}-gcc", "qemu-aarch64", llvm("objdump"), llvm("mca")):
        if shutil.which(tool) is None:
            parser.error(f"this needs {tool}; see --help")
    with tempfile.TemporaryDirectory() as folder:
        blocks, nodes = estimate(options.model, options.cpu, Path(folder))
    show(blocks, nodes, options.top, options.blocks)


def llvm(tool: str) -> str:
    """The newest LLVM's tool: `llvm-mca-19`, or `llvm-mca` if there are none with a number."""
    candidates = (f"llvm-{tool}-{version}" for version in range(40, 15, -1))
    return next((name for name in candidates if shutil.which(name)), f"llvm-{tool}")


def estimate(name: str, cpu: str, folder: Path) -> tuple[Sequence[Block], Mapping[str, Sequence[str]]]:
    """The blocks of a model's library, and the nodes of each of its kernels."""
    measured = subject(name)
    model, dims = measured.model(), dict(measured.dims)
    artifacts = ingot.build(model, f"llvm -mtriple={TRIPLE} -mcpu={cpu}", name="model", dims=dims)
    info = artifacts.models()["model"]
    artifacts.export_library(folder / "model.so")
    (folder / "model.h").write_text(artifacts.c_header("model"), encoding="utf-8")
    given = feeds(model, dims)
    buffers, inputs, outputs = [], [], []
    for number, tensor in enumerate(info.inputs):
        (folder / f"in{number}").write_bytes(np.ascontiguousarray(given[tensor.name]).tobytes())
        buffers.append(buffer(f"in{number}", given[tensor.name].nbytes, filled=True))
        inputs.append(f"in{number}")
    for number, tensor in enumerate(info.outputs):
        buffers.append(
            buffer(f"out{number}", math.prod(map(int, tensor.shape)) * tensor.dtype.size_bytes, filled=False)
        )
        outputs.append(f"out{number}")
    words = {"buffers": "\n    ".join(buffers), "inputs": ", ".join(inputs), "outputs": ", ".join(outputs)}
    (folder / "main.c").write_text(PROGRAM % words, encoding="utf-8")
    plugin = Path(__file__).with_name("block_counts.c")
    call(["gcc", "-O2", "-shared", "-fPIC", "-o", "block_counts.so", str(plugin)], folder)
    call([f"{TRIPLE}-gcc", "main.c", "./model.so", "-o", "main", "-ldl"], folder)
    call(
        [
            "qemu-aarch64",
            "-cpu",
            "max",
            "-plugin",
            "./block_counts.so,out=counts",
            "-L",
            f"/usr/{TRIPLE}",
            "./main",
        ],
        folder,
    )
    listing = call([llvm("objdump"), "-d", "--no-show-raw-insn", "--mattr=+all", "model.so"], folder)
    base = int((folder / "base").read_text(encoding="ascii"), 16)
    kernels = {each.kernel: each.nodes for each in info.calls}
    blocks = counted(listing, (folder / "counts").read_text(encoding="ascii"), base, kernels)
    return with_cycles(blocks, cpu, folder), kernels


def buffer(name: str, size: int, filled: bool) -> str:
    allocation = f"void *{name} = aligned_alloc(64, {(size + 127) // 64 * 64});"
    if not filled:
        return allocation
    file = f"{name}_file"
    reads = f"fread({name}, 1, {size}, {file}) != {size}"
    return f'{allocation} FILE *{file} = fopen("{name}", "rb"); if ({reads}) return 98; fclose({file});'


def call(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command[0]} failed with status {done.returncode}:\n{done.stderr.strip()[:2000]}")
    return done.stdout


def counted(listing: str, counts: str, base: int, kernels: Mapping[str, object]) -> list[Block]:
    """The blocks that ran: instructions of a function up to a branch, or to where another number of runs begins."""
    ran: Counter[int] = Counter()
    for line in counts.splitlines():
        first, last, count = line.split()
        for address in range(int(first, 16) - base, int(last, 16) - base + 1, 4):
            ran[address] += int(count)
    blocks = []
    for function, instructions in functions(listing):
        kernel = max((name for name in kernels if name in function), key=len, default=function)
        begin = 0
        for at, (address, text) in enumerate(instructions):
            following = instructions[at + 1][0] if at + 1 < len(instructions) else -1
            if _BRANCH.match(text) or following < 0 or ran[following] != ran[address]:
                if ran[address]:
                    texts = tuple(text for _, text in instructions[begin : at + 1])
                    blocks.append(Block(kernel, instructions[begin][0], texts, ran[address]))
                begin = at + 1
    total = sum(len(block.instructions) * block.count for block in blocks)
    return [block for block in blocks if len(block.instructions) * block.count > MIN_SHARE * total]


def functions(listing: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """The functions of a disassembly: each one's name, and its instructions by their addresses."""
    name, instructions = "", list[tuple[int, str]]()
    for line in listing.splitlines():
        if match := re.match(r"[0-9a-f]+ <(.+)>:$", line):
            yield name, instructions
            name, instructions = match[1], []
        elif match := re.match(r"\s+([0-9a-f]+):\s+(.*)$", line):
            text = re.sub(r"\s*<[^>]*>", "", match[2]).partition("//")[0].strip().replace("\t", " ")
            instructions.append((int(match[1], 16), text))
    yield name, instructions


def with_cycles(blocks: Sequence[Block], cpu: str, folder: Path) -> list[Block]:
    """The blocks with what llvm-mca says of each."""
    lines = []
    for number, block in enumerate(blocks):
        # It takes no addresses as targets of branches, and needs none.
        texts = [_TARGET.sub(r"\g<1>0x8", text) for text in block.instructions]
        lines += [f"# LLVM-MCA-BEGIN {number}", *texts, "# LLVM-MCA-END"]
    (folder / "blocks.s").write_text("\n".join(lines) + "\n", encoding="ascii")
    flags = [f"-mtriple={TRIPLE}", f"-mcpu={cpu}", f"-mattr={FEATURES}", f"-iterations={ROUNDS}"]
    said = call(
        [llvm("mca"), *flags, "-instruction-info=false", "-resource-pressure=false", "blocks.s"], folder
    )
    regions = re.findall(r"Code Region - (\d+)$.*?^Total Cycles:\s+(\d+)", said, re.MULTILINE | re.DOTALL)
    cycles = {int(number): int(total) / ROUNDS for number, total in regions}
    return [replace(block, cycles=cycles[number]) for number, block in enumerate(blocks)]


def show(blocks: Sequence[Block], nodes: Mapping[str, Sequence[str]], top: int, many_blocks: int) -> None:
    total = sum(block.all_cycles for block in blocks)
    instructions = sum(len(block.instructions) * block.count for block in blocks)
    print(f"{total / 1e6:.2f} million cycles, {instructions / 1e6:.1f} million instructions")
    print(f"{'Mcycles':>9} {'%':>6} {'sums':>5} {'stack':>6}  kernel, nodes")
    by_kernel: dict[str, list[Block]] = {}
    for block in blocks:
        by_kernel.setdefault(block.kernel, []).append(block)
    rows = [(sum(block.all_cycles for block in each), name) for name, each in by_kernel.items()]
    for cycles, name in sorted(rows, reverse=True)[:top]:
        sums = sum(block.sums * block.count for block in by_kernel[name])
        stack = sum(block.on_stack * block.count for block in by_kernel[name])
        share = f"{stack / sums:6.3f}" if sums else f"{'–':>6}"
        numbers = f"{cycles / 1e6:9.3f} {cycles / total:6.1%} {sums / cycles:5.2f} {share}"
        print(f"{numbers}  {name} {', '.join(nodes.get(name, ()))[:60]}")
    for block in sorted(blocks, key=lambda block: -block.all_cycles)[:many_blocks]:
        print(
            f"{block.all_cycles / total:6.1%} {block.kernel} at {block.address:#x}: {len(block.instructions)} instructions,"
            f" {block.cycles:.1f} cycles, {block.sums} sums, {block.on_stack} accesses to the stack, {block.count} times"
        )


if __name__ == "__main__":
    main()
