"""Runs a model on a processor that is not here, AVX-512 and its dot products included, in the emulator Bochs.

There is no operating system: `start.S` is the firmware, `program.c` the program, and the objects of the code generator `llvm` are
linked with it, so what runs is what a library for that processor has. A second of emulation is some ten million instructions.
"""

from __future__ import annotations

import functools
import math
import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ingot.artifact.artifact_set import ArtifactSet
from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.artifact.model_info_read import find_params

_HERE = Path(__file__).parent
_LIMIT_SECONDS = 120
_SECTOR = 512
_WAITS = b"<bochs:1> "  # where Bochs has a debugger
_FLAGS = (
    "-c",
    "-O2",
    "-std=gnu11",
    "-ffreestanding",
    "-fno-pic",
    "-mno-red-zone",
    "-fno-stack-protector",
    "-fno-builtin",
)
_CONFIGURATION = """
config_interface: textconfig
display_library: rfb, options="timeout=0"
cpu: model={cpu}, count=1, ips=100000000
memory: guest=512, host=512
romimage: file={firmware}, address=0xffff0000
ata0-master: type=disk, path=disk.bin, mode=flat, cylinders=0
log: bochs.log
panic: action=fatal
port_e9_hack: enabled=1
clock: sync=none
"""


@functools.cache
def missing() -> str:
    """What is not here of all that it takes; empty if nothing is."""
    found = [tool for tool in ("bochs", "cc", "ld", "objcopy") if shutil.which(tool) is None]
    if found:
        return ", ".join(found)
    known = subprocess.run(
        ["bochs", "--help", "cpu"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    return "" if "icelake" in known.stdout + known.stderr else "a Bochs with AVX-512"


def run(artifacts: ArtifactSet, feeds: Mapping[str, np.ndarray], folder: Path, cpu: str) -> list[np.ndarray]:
    """The outputs of a set's only model, built by `llvm` for x86-64, on a CPU that Bochs knows, such as `corei7_icelake_u`.

    Raises:
        AssertionError: a tool or the model failed, or nothing came out in time; with what was said.
    """
    _link(artifacts, feeds, folder)
    (folder / "bochsrc").write_text(
        _CONFIGURATION.format(cpu=cpu, firmware=folder / "start.bin"), encoding="ascii"
    )
    printed = _emulated(folder)
    (info,) = artifacts.models().values()
    _, good, content = printed.partition(b"<GOOD>")
    sizes = [_size_bytes(one) for one in info.outputs]
    assert good and content[sum(sizes) :].startswith(b"<END>"), printed[-1000:]
    starts = np.cumsum([0, *sizes])
    return [
        np.frombuffer(content[start : start + size], one.dtype.numpy).reshape(one.shape)
        for one, start, size in zip(info.outputs, starts, sizes, strict=False)
    ]


def _link(artifacts: ArtifactSet, feeds: Mapping[str, np.ndarray], folder: Path) -> None:
    """Writes the firmware, and the disk with the program on it."""
    ((symbol, info),) = artifacts.models().items()
    objects = []
    for number, artifact in enumerate(one for one in artifacts.artifacts if one.loader == "native"):
        objects.append(f"{number}.o")
        (folder / objects[-1]).write_bytes(bytes(artifact.content))
    params = bytes(find_params(artifacts.artifacts, info)) if info.host.params else b""
    _data(params, [feeds[one.name] for one in info.inputs], info, folder)
    _call(
        folder, "cc", *_FLAGS, f"-DMODEL_RUN=ingot_{symbol}_run", str(_HERE / "program.c"), "-o", "program.o"
    )
    _call(folder, "cc", "-c", "data.s", "-o", "data.o")
    _call(folder, "ld", "-T", str(_HERE / "program.ld"), "program.o", "data.o", *objects, "-o", "program.elf")
    _call(folder, "objcopy", "-O", "binary", "-j", ".program", "program.elf", "program.bin")
    _call(folder, "cc", "-c", "-m32", str(_HERE / "start.S"), "-o", "start.o")
    _call(
        folder,
        "ld",
        "-m",
        "elf_i386",
        "-Ttext",
        "0",
        "-e",
        "start",
        "--oformat",
        "binary",
        "start.o",
        "-o",
        "start.bin",
    )
    program = (folder / "program.bin").read_bytes()
    sectors = -(-len(program) // _SECTOR)
    disk = sectors.to_bytes(_SECTOR, "little") + program
    (folder / "disk.bin").write_bytes(disk + bytes(-len(disk) % (16 * 63 * _SECTOR)))


def _data(params: bytes, inputs: list[np.ndarray], info: ModelInfo, folder: Path) -> None:
    """Writes `data.s`: constants, inputs, and room for the rest, with pointers to all of them in the order of a model's entry."""
    lines, given = [".data"], []
    for number, content in enumerate([params, *(np.ascontiguousarray(one).tobytes() for one in inputs)]):
        (folder / f"{number}.bin").write_bytes(content)
        given.append(f"given{number}")
        lines += [".balign 64", f'{given[-1]}: .incbin "{number}.bin"']
    outputs = [(f"output{number}", _size_bytes(one)) for number, one in enumerate(info.outputs)]
    bases = [given[0], "arena", "0", *given[1:], *(name for name, _ in outputs)]
    lines += [".globl bases, outputs", ".balign 8", f"bases: .quad {', '.join(bases)}", "outputs:"]
    lines += [*(f".quad {name}, {size}" for name, size in outputs), ".quad 0, 0", ".bss"]
    for name, size in [("arena", info.host.memory.arena_bytes), *outputs]:
        lines += [".balign 64", f"{name}: .skip {size + 64}"]
    (folder / "data.s").write_text("\n".join(lines) + "\n", encoding="ascii")


def _size_bytes(tensor: TensorInfo) -> int:
    return math.prod(tensor.shape) * tensor.dtype.size_bytes


def _call(folder: Path, *command: str) -> None:
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


def _emulated(folder: Path) -> bytes:
    """What the program printed, among what Bochs says."""
    # Where Bochs has a debugger, it begins by asking what to do.
    (folder / "go").write_text("c\n", encoding="ascii")
    command = ["bochs", "-q", "-f", "bochsrc", "-rc", "go"]
    waiting, answers = os.pipe()
    end = time.monotonic() + _LIMIT_SECONDS
    with (folder / "printed").open("wb") as printed:
        emulator = subprocess.Popen(
            command, cwd=folder, stdin=waiting, stdout=printed, stderr=subprocess.STDOUT
        )
    try:
        while emulator.poll() is None and time.monotonic() < end:
            said = (folder / "printed").read_bytes()
            if b"<END>" in said or said.endswith(_WAITS):  # the end, or a triple fault
                break
            time.sleep(0.05)
    finally:
        emulator.kill()
        emulator.wait()
        os.close(waiting)
        os.close(answers)
    return (folder / "printed").read_bytes()
