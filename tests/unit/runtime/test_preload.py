"""After `preload` nothing is imported any more: not for the first answer, and not to say that something is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
import numpy as np
import ingot
ingot.preload()
new = []

class Watcher:
    def find_spec(self, name, path=None, target=None):
        new.append(name)
        raise ModuleNotFoundError(f"{name} is looked for late", name=name)

sys.meta_path.insert(0, Watcher())
x = np.arange(4, dtype=np.float32)
library = ingot.load(sys.argv[1])
executor = library["tiny"](ingot.cpu(0), threads=2)
graph = library["tiny"](ingot.cpu(0), executor="graph")
pool = library.pool("tiny")

def wrong(call, *kinds):
    try:
        call()
    except ingot.IngotError as error:
        assert isinstance(error, kinds or (ingot.InputError,)), error
    else:
        raise AssertionError("not refused")

for one in (executor, graph, pool):
    one.predict(x=x)
    wrong(lambda: one.predict())
    wrong(lambda: one.predict(y=x))
    wrong(lambda: one.predict(x=x.astype(complex)))
    wrong(lambda: one.predict(x=np.zeros(5, np.float32)))
    wrong(lambda: one.predict(x="text"))
    wrong(lambda: one.predict(x=x, out=np.zeros(3)))
for one in (executor, graph):
    wrong(lambda: one.set_input(z=x))
    wrong(lambda: one.set_input(x=x[::2], copy=False))
    one.set_input(x=x)
    one.run()
    wrong(lambda: one.get_output("q"))
    one.profile(x=x)
executor.predict(x=x, out=(np.zeros(4, np.float32), np.zeros(4, np.float32)))
wrong(lambda: library["tni"], ingot.LoadError)
wrong(lambda: library["tiny"](ingot.cuda(0)), ingot.DeviceError)
wrong(lambda: ingot.load("no such file"), ingot.LoadError)
wrong(lambda: ingot.load(b"nothing"), ingot.ArtifactError)
wrong(lambda: library.pool("tiny", size=0), ingot.LoadError)
library.explain(), repr(library), str(library.models["tiny"])
assert new == [], new
"""


@pytest.mark.cc
def test_nothing_is_imported_after_preload(tiny_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tiny_path)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
