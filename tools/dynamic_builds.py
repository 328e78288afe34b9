"""Says what ingot makes of models whose batch is left open: items that are computed by themselves, or what mixes them.

    python tools/dynamic_builds.py networks/*.onnx            # which programs there would be, without building them
    python tools/dynamic_builds.py --run networks/bert*.onnx  # builds, and compares batches of 1, 3, 8 and 11 with onnxruntime

No extent is bound. There is one line a file: what `--dims-report` says, or `refused` with the sentence; with `--run` how far the
answers are apart. Each file has a process of its own. `dynamic_exports.py` makes such models.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime

import ingot

BATCHES = (1, 3, 8, 11)
TOLERANCE = 1e-3  # of the root mean square of an answer
_MARK = "what it is: "


class _EnoughError(Exception):
    """Ends a build as soon as it is known which programs there would be."""


def programs(path: Path) -> str:
    """What `--dims-report` says of a file."""
    texts: list[str] = []

    def dumped(name: str, content: str | bytes) -> None:
        if name == "dims.txt":
            texts.append(str(content))
            raise _EnoughError

    observer = ingot.Observer(on_dump=dumped, on_note=lambda _: None)
    try:
        ingot.build(path, "llvm", name="m", cache=None, observer=observer)
    except _EnoughError:
        return texts[0]
    except ingot.IngotError as error:
        return f"refused: {error}"
    return "no extent varies"


def run(path: Path, target: str) -> str:
    """Builds a file, and compares some batches with onnxruntime."""
    try:
        observer = ingot.Observer(on_note=lambda _: None)
        built = ingot.build(path, target, name="m", cache=None, observer=observer)
    except ingot.IngotError as error:
        return f"refused: {error}"
    model = built.load()["m"](ingot.cpu(0))
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    random, far = np.random.default_rng(0), 0.0
    for batch in BATCHES:
        feeds = {each.name: _feed(each, batch, random) for each in session.get_inputs()}
        answers = model.predict(feeds)
        ours = answers if isinstance(answers, tuple) else (answers,)
        for mine, theirs in zip(ours, session.run(None, feeds), strict=True):
            if mine.shape != theirs.shape:
                return f"OTHER SHAPE for a batch of {batch}: {mine.shape}, not {theirs.shape}"
            size = float(np.sqrt(np.mean(np.square(theirs, dtype=np.float64)))) or 1.0
            far = max(far, float(np.abs(mine - theirs).max()) / size)
    return f"{'same' if far <= TOLERANCE else 'OTHER'} answers for batches of {BATCHES}, largest difference {far:.1e}"


def _feed(value: onnxruntime.NodeArg, batch: int, random: np.random.Generator) -> np.ndarray:
    """Random numbers; of the second of two inputs of whole numbers a mask that leaves something of each row."""
    shape = (batch, *value.shape[1:])
    if value.type == "tensor(float)":
        return random.standard_normal(shape, np.float32)
    numbers = random.integers(0, 100, shape)
    return (
        numbers
        if value.name != "input1" or len(shape) < 2 or shape[1] < 8
        else (numbers > 20).astype(np.int64)
    )


def in_process(arguments: Sequence[str], seconds: float) -> str:
    """What this script says in a process of its own; of one that fails the line that says why."""
    command = [sys.executable, __file__, "--alone", *arguments]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"took more than {seconds:.0f} s"
    marked = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    if marked:
        return marked[-1].removeprefix(_MARK)
    lines = done.stderr.strip().splitlines() or ["no output"]
    return f"failed ({done.returncode}): {lines[-1][:300]}"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, help="ONNX files")
    parser.add_argument("--run", action="store_true", help="build, and compare some batches with onnxruntime")
    parser.add_argument("--target", default="llvm", help="what --run builds for")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for a file")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        path = options.files[0]
        said = run(path, options.target) if options.run else programs(path)
        print(f"\n{_MARK}{' '.join(said.split())}")
        return 0
    failed = 0
    for path in options.files:
        begin = time.perf_counter()
        chosen = ["--run", "--target", options.target] if options.run else []
        said = in_process([*chosen, str(path)], options.timeout)
        failed += not (said.startswith("same") or "computed by themselves" in said)
        print(f"{path.stem}: {said} [{time.perf_counter() - begin:.0f} s]", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
