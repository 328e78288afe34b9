"""Libraries that are copied, or sent to other processes, as joblib, Ray and Spark do it."""

from __future__ import annotations

import copy
import gc
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ingot
from ingot.link.shared import link_library
from ingot.runtime.load import load
from tests.support.tiny_library import expected, tiny_set

pytestmark = pytest.mark.cc
X = np.arange(4, dtype=np.float32)


def answer(factory: ingot.Library | object) -> np.ndarray:
    return factory().predict(x=X)[0]  # type: ignore[operator]


def test_a_sent_library_runs_in_another_process(library, tmp_path: Path) -> None:
    (tmp_path / "sent").write_bytes(pickle.dumps([library, library["tiny"]]))
    script = (
        "import pickle, sys\nimport numpy as np\n"
        "library, factory = pickle.loads(open(sys.argv[1], 'rb').read())\n"
        "x = np.arange(4, dtype=np.float32)\n"
        "a, b = library['tiny']().predict(x=x)[0], factory().predict(x=x)[0]\n"
        "assert (a == b).all() and library['tiny']._loaded is factory._loaded\n"
        "print(*a)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "sent")], check=True, capture_output=True, text=True
    )
    np.testing.assert_array_equal(np.fromstring(done.stdout, np.float32, sep=" "), expected(X))


def test_a_copy_outlives_the_original_and_does_not_end_it(library) -> None:
    for made in (pickle.loads(pickle.dumps(library)), copy.copy(library), copy.deepcopy(library)):
        made.close()
        del made
        gc.collect()
        np.testing.assert_array_equal(answer(library["tiny"]), expected(X))
    other = copy.deepcopy(library)
    library.close()
    np.testing.assert_array_equal(answer(other["tiny"]), expected(X))


def test_a_process_opens_a_sent_library_once(library) -> None:
    first, second = (pickle.loads(pickle.dumps(library)) for _ in range(2))
    first.close()
    np.testing.assert_array_equal(answer(second["tiny"]), expected(X))
    assert pickle.loads(pickle.dumps(library["tiny"]))._loaded is second["tiny"]._loaded


def test_a_library_that_was_replaced_is_not_taken_for_the_one_that_was_sent(
    tiny_path: Path, tmp_path: Path
) -> None:
    path = tmp_path / "model.so"
    shutil.copy(tiny_path, path)
    sent = pickle.dumps(load(path))
    link_library(tiny_set("tiny"), path)
    with pytest.raises(ingot.LoadError, match="another library than the one that was sent is there"):
        pickle.loads(sent)
    path.unlink()
    with pytest.raises(ingot.LoadError, match="cannot open"):
        pickle.loads(sent)


def test_what_has_no_path_is_refused_with_what_to_do(tiny_path: Path) -> None:
    in_memory = load(tiny_path.read_bytes())
    for one in (in_memory, in_memory["tiny"], ingot.ArtifactSet(tiny_set()).load()):
        with pytest.raises(ingot.LoadError, match=r"not loaded from a file cannot be .*export_library"):
            pickle.dumps(one)
    assert copy.deepcopy(in_memory).model_names == in_memory.model_names


@pytest.mark.parametrize("executor", ["aot", "graph"])
@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps])
def test_an_executor_is_not_copied(library, executor: str, way) -> None:
    with pytest.raises(
        ingot.LoadError, match=r"an executor cannot be copied or sent .*share code and weights"
    ):
        way(library["tiny"](executor=executor))
    with pytest.raises(ingot.LoadError, match="a pool of executors cannot be copied or sent"):
        way(library.pool("tiny", size=1))
    with pytest.raises(ingot.LoadError, match="the code of a library cannot be copied or sent"):
        way(library["tiny"]._loaded.native)


def test_a_set_is_sent_as_its_artifacts(tmp_path: Path) -> None:
    ingot.ArtifactSet(tiny_set()).save(tmp_path / "tiny.ingot")
    mapped = ingot.ArtifactSet.open(tmp_path / "tiny.ingot")
    again = pickle.loads(pickle.dumps(mapped))
    assert type(again) is ingot.ArtifactSet and again == mapped and again.digest() == mapped.digest()
