"""Builds the archives of two models, unpacks them, builds the C programs beside this file from them, and classifies real images.

python examples/standalone/run.py FOLDER [CFLAGS]        the C compiler is $CC, or cc
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import onnx.parser

import ingot

HERE = Path(__file__).parent
DIGITS = HERE.parent / "digits"
LARGEST = 16  # of a pixel in the data; the model wants 0 … 1

POSITIVE = """<ir_version: 8, opset_import: ["": 17]>
positive (float[1, 1, 8, 8] negative) => (float[1, 1, 8, 8] image) <float white = {1.0}> { image = Sub(white, negative) }"""


def archives(folder: Path) -> None:
    """Writes and unpacks `aot`, `graph` and `two`."""
    digits = ingot.build(DIGITS / "digits.onnx", "c", dims={"batch": 1}, executor=("aot", "graph"))
    positive = ingot.build(onnx.parser.parse_model(POSITIVE), "c")
    for name, models, executor in (
        ("aot", digits, "aot"),
        ("graph", digits, "graph"),
        ("two", digits.merge(positive), "aot"),
    ):
        models.export_model_library_format(folder / f"{name}.tar", executor=executor)
        with tarfile.open(folder / f"{name}.tar") as archive:
            archive.extractall(folder / "models" / name, filter="data")


def main(folder: Path, flags: str) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    archives(folder)
    compiler = os.environ.get("CC", "cc")
    build_folder = folder / "build"
    make = [
        "make",
        "-s",
        "-f",
        str(HERE / "Makefile"),
        f"MODELS={folder / 'models'}",
        f"OUT={build_folder}",
        f"CC={compiler}",
    ]
    subprocess.run([*make, f"CFLAGS={flags}"], check=True)

    data = np.load(DIGITS / "digits_test.npz")
    images, labels = (data["images"] / LARGEST).astype(np.float32), data["labels"]
    images.tofile(folder / "images.bin")
    (1 - images).tofile(folder / "negatives.bin")
    graph = folder / "models" / "graph"
    programs: dict[str, list[str | Path]] = {
        "classify": [folder / "images.bin"],
        "classify_graph": [
            graph / "executor-config" / "graph" / "digits.graph",
            graph / "parameters" / "digits.params",
            folder / "images.bin",
        ],
        "two_models": [folder / "negatives.bin"],
    }
    good = True
    for name, arguments in programs.items():
        printed = subprocess.run(
            [build_folder / name, *arguments], check=True, stdout=subprocess.PIPE, text=True
        ).stdout
        right = np.mean(np.array(printed.split(), int) == labels)
        print(
            f"{name:16}{right:7.2%} of {len(labels)} images, {(build_folder / name).stat().st_size:,} bytes"
        )
        good &= bool(right >= 0.98)
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) == 3 else "-O2"))
