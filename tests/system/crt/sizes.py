"""Prints the sizes of the C runtime and of models on a Cortex-M4: `python -m tests.system.crt.sizes`. Needs arm-none-eabi-gcc."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.support.paths import MODELS
from tests.system.crt.build import FLOAT_UNIT, INCLUDE, THUMB, ran, sources, thumb_compiler, tool
from tests.system.crt.firmware import firmware

FLAGS = ("-std=c99", *THUMB, *FLOAT_UNIT, "-Os")


def sizes(files: Sequence[Path], includes: Sequence[Path], folder: Path) -> dict[str, tuple[int, int]]:
    """Bytes of code with constants, and of variables, of each source."""
    folder.mkdir()
    ran([thumb_compiler(), *FLAGS, *(f"-I{one}" for one in includes), "-c", *files], folder)
    lines = ran([tool("arm-none-eabi-size"), *sorted(folder.glob("*.o"))]).splitlines()[1:]
    rows = [line.split() for line in lines]
    return {Path(row[5]).stem: (int(row[0]), int(row[1]) + int(row[2])) for row in rows}


def show(title: str, rows: dict[str, tuple[int, int]]) -> None:
    print(f"{title:32}{'code':>8}{'data':>8}")
    for name, (code, data) in rows.items():
        print(f"  {name:30}{code:8}{data:8}")
    print(
        f"  {'together':30}{sum(code for code, _ in rows.values()):8}{sum(data for _, data in rows.values()):8}\n"
    )


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="ingot-sizes-") as made:
        folder = Path(made)
        show("C runtime", sizes(sources(), [INCLUDE], folder / "runtime"))
        for name in ("gru", "lstm"):
            model = firmware(folder / name, MODELS / f"{name}.onnx", name)
            show(f"model {name}", sizes(model.sources, [model.folder], folder / f"{name}-objects"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
