"""Makes the frozen libraries of `tests/corpus/<version>`, which every later ingot must load.

    python tools/make_corpus.py

A file that is there is left alone: the corpus keeps what earlier versions wrote, so only a new format, or a new kind of file,
adds to it. Beside each library lies an .npz with inputs and the outputs that they gave on the day it was made.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper, parser

import ingot
from ingot.package.container import VERSION

FOLDER = Path(__file__).parents[1] / "tests" / "corpus" / str(VERSION)
MAX_BYTES = 40_000
FLAGS = (
    "-Os",
    "-s",
    "-Wl,-z,max-page-size=4096",
    "-Wl,-z,noseparate-code",
)  # small files: no symbols that only people need


CLASSIFIER = (
    "c = Conv <pads = [1, 1, 1, 1]> (x, k) r = Relu(c) a = GlobalAveragePool(r) f = Flatten(a) d = MatMul(f, w) "
    "p = Softmax(d)"
)
DENSE = "f = Flatten(x) p = MatMul(f, v)"
WEIGHTS = {"k": (4, 2, 3, 3), "w": (4, 5), "v": (128, 5)}


def network(body: str) -> onnx.ModelProto:
    """A model with those nodes, x [1, 2, 8, 8] → p [1, 5]; its weights are random, the same every time."""
    text = f'<ir_version: 8, opset_import: ["": 17]> g (float[1, 2, 8, 8] x) => (float[1, 5] p) {{ {body} }}'
    model = parser.parse_model(text)
    for name, shape in WEIGHTS.items():
        if any(name in node.input for node in model.graph.node):
            weights = np.random.default_rng(7).standard_normal(shape, dtype=np.float32)
            model.graph.initializer.append(numpy_helper.from_array(weights, name))
    return model


def build(
    target: str, name: str, executor: tuple[str, ...] = ("aot", "graph"), body: str = CLASSIFIER
) -> ingot.ArtifactSet:
    """The network for that target, without the texts that only people read."""
    artifacts = ingot.build(network(body), target=target, name=name, executor=executor, cache=None)
    return ingot.ArtifactSet(artifact for artifact in artifacts if artifact.loader != "text")


def export(artifacts: ingot.ArtifactSet, container: str = "ingot") -> Callable[[Path], None]:
    """What writes the set as a library."""
    return lambda path: artifacts.export_library(path, compile_flags=FLAGS, container=container)


def main() -> None:
    """Writes the files that are not there."""
    machine = os.uname().machine
    baseline = f"llvm -mcpu={'x86-64' if machine == 'x86_64' else 'generic'}"
    makers: dict[str, Callable[[], Callable[[Path], None]]] = {
        f"c.{machine}.so": lambda: export(build("c", "classifier")),
        f"llvm.{machine}.so": lambda: export(build(baseline, "classifier")),
        f"merged.{machine}.so": lambda: export(
            build("c", "small", ("aot",), DENSE).merge(
                build("c", "again", ("graph",), DENSE), build("interp", "slow", ("aot",), DENSE)
            )
        ),
        f"tree.{machine}.so": lambda: export(
            build("c", "small", ("aot",), DENSE).merge(build("interp", "slow", ("aot",), DENSE)),
            "module-tree",
        ),
        "interp.ingot": lambda: build("interp", "classifier").save,
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    x = np.random.default_rng(0).standard_normal((1, 2, 8, 8), dtype=np.float32)
    for file_name, make in makers.items():
        path = FOLDER / file_name
        if path.exists():
            continue
        make()(path)
        size = path.stat().st_size
        if size > MAX_BYTES:
            sys.exit(f"{path} has {size} bytes, more than {MAX_BYTES}: make it smaller")
        library = ingot.load(path)
        results = {f"{name}/p": library[name](ingot.cpu(0)).predict(x=x) for name in library}
        np.savez(path.with_name(f"{file_name}.npz"), x=x, **results)
        print(f"{path.relative_to(FOLDER.parents[2])}  {size} bytes  {', '.join(library)}")


if __name__ == "__main__":
    main()
