"""Builds the digits network, exports a library, loads it in a new process and classifies images it has never seen.

make run        or        python examples/digits/run.py [folder for the library]
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import ingot

HERE = Path(__file__).parent
SHADES = " ░▒▓█"
COLUMNS = 16 + 3  # of one image, with what separates it from the next


def drawing(pixels: np.ndarray) -> list[str]:
    """An 8 × 8 image of 0…16 as lines of block characters, two for each pixel."""
    return ["".join(SHADES[int(grey) * (len(SHADES) - 1) // 16] * 2 for grey in row) for row in pixels]


def show_digits(images: np.ndarray, captions: list[str]) -> None:
    for line in zip(*(drawing(pixels) for pixels in images), strict=True):
        print("   ".join(line))
    print("   ".join(f"{caption:^16}" for caption in captions))


def size(size_bytes: int) -> str:
    return f"{size_bytes / 1000:,.1f} KB"


def main(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "digits.so"

    begin = time.perf_counter()
    artifacts = ingot.build(HERE / "digits.onnx", target="llvm", dims={"batch": 1})
    artifacts.export_library(library)
    built = time.perf_counter() - begin

    command = [sys.executable, str(HERE / "classify.py"), str(library), str(HERE / "digits_test.npz")]
    answer: dict[str, Any] = json.loads(
        subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    )

    data = np.load(HERE / "digits_test.npz")
    images, labels = data["images"], data["labels"]
    predictions, certainties = np.array(answer["predictions"]), np.array(answer["certainties"])
    right = predictions == labels
    memory = artifacts.models()["digits"].host.memory
    print(f"built      {(HERE / 'digits.onnx').name} → {library} in {built:.2f} s")
    print(f"size       library {size(library.stat().st_size)}, of which weights {size(memory.params_bytes)}")
    print(f"memory     {size(memory.arena_bytes)} for all intermediate values of one image")
    print(
        f"accuracy   {right.mean():.2%} of {len(labels)} test images, in a new process "
        f"that imported {', '.join(answer['compiler']) or 'no compiler'}"
    )
    print(f"latency    {statistics.median(answer['seconds']) * 1e6:.1f} µs per image (median, one thread)")
    print()
    shown = max(1, min(6, (shutil.get_terminal_size((120, 40)).columns + 3) // COLUMNS))
    chosen = [int(np.flatnonzero(labels == digit)[0]) for digit in range(shown)]
    show_digits(images[chosen], [f"{predictions[i]}  ({certainties[i]:.1%})" for i in chosen])
    wrong = np.flatnonzero(~right)[:shown]
    if len(wrong):
        print("\nand what it gets wrong:\n")
        show_digits(images[wrong], [f"{predictions[i]}, is a {labels[i]}" for i in wrong])
    return 0 if right.mean() >= 0.98 else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out")))
