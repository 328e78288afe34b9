"""Stock tvm-ffi runs a model whose extents vary: shapes come from the tensors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ingot
from tests.system.interop import test_tvm_ffi
from tests.system.interop.test_tvm_ffi import alone
from tests.system.test_shapes import SEQUENCE, _feeds, _model

pytestmark = test_tvm_ffi.pytestmark
COUNTS = (1, 3, 8, 19)
NUMBERS = """
for name in (key.removeprefix("wanted_") for key in arrays if key.startswith("wanted_")):
    for threads in ((), (2,)):
        y = np.full_like(arrays["wanted_" + name], np.nan)
        function(arrays["x_" + name], arrays["mask_" + name], y, *threads)
        np.testing.assert_array_equal(y, arrays["wanted_" + name])
    print(name)
"""
REFUSED = """
def zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)

def why(*tensors):
    try:
        function(*tensors)
    except (ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError("nothing was raised")

for tensors in (
    (zeros(65, 3, 4), zeros(65, 3), zeros(65, 3, 4)),
    (zeros(2, 4, 4), zeros(2, 4), zeros(2, 4, 4)),
    (zeros(2, 3, 4), zeros(1, 3), zeros(2, 3, 4)),
    (zeros(2, 3, 4), zeros(3), zeros(2, 3, 4)),
    (zeros(2, 3, 5), zeros(2, 3), zeros(2, 3, 4)),
    (zeros(2, 3, 4), zeros(2, 3), zeros(3, 3, 4)),
    (zeros(2, 3, 4, dtype=np.float64), zeros(2, 3), zeros(2, 3, 4)),
    (zeros(2, 3, 4), 5, zeros(2, 3, 4)),
    (zeros(2, 3, 4),),
):
    print(why(*tensors).splitlines()[0])
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A library, and inputs of several sizes with ingot's own results."""
    folder = tmp_path_factory.mktemp("ffi")
    model = _model(SEQUENCE)
    ingot.build(model, "c", dims={"N": range(1, 65), "S": [3, 5]}, cache=None).export_library(folder / "m.so")
    executor, arrays = ingot.load(folder / "m.so")["m"](), {}
    for count in COUNTS:
        for length in (3, 5):
            feeds = _feeds(model, {"N": count, "S": length})
            name = f"{count}_{length}"
            arrays |= {f"{key}_{name}": array for key, array in feeds.items()}
            arrays[f"wanted_{name}"] = executor.predict(feeds)
    np.savez(folder / "arrays.npz", **arrays)
    return folder / "m.so", folder / "arrays.npz"


def test_tensors_of_any_size_give_the_numbers_of_ingot(exported: tuple[Path, Path]) -> None:
    assert len(alone(NUMBERS, exported[0], "m", exported[1]).split()) == 2 * len(COUNTS)


def test_sizes_that_the_library_is_not_for_are_refused_with_extent_value_and_range(
    exported: tuple[Path, Path],
) -> None:
    assert alone(REFUSED, exported[0], "m", exported[1]).splitlines() == [
        "ValueError: m: N is 65 in axis 0 of 'x'; the library was built for N ∈ 1..64",
        "ValueError: m: S is 4 in axis 1 of 'x'; the library was built for S ∈ {3, 5}",
        "ValueError: m: N is 2 in axis 0 of 'x' and 1 in axis 0 of 'mask'; give tensors with the same",
        "ValueError: m: input 'mask' must be float32[N ∈ 1..64, S ∈ {3, 5}], got the shape [3]",
        "ValueError: m: input 'x' must have the shape [2, 3, 4], got [2, 3, 5]",
        "ValueError: m: output 'y' must have the shape [2, 3, 4], got [3, 3, 4]",
        "TypeError: m: input 'x' must be of type float32, got float64",
        "TypeError: m: input 'mask' must be a tensor, got a value of tvm-ffi's type index 1",
        "TypeError: m takes 3 tensors (inputs: 2, then outputs: 1) and, if you like, a number of threads; got arguments: 1",
    ]


@pytest.fixture(scope="module")
def with_room(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A library whose programs have room, and inputs of several batches and lengths with ingot's own results."""
    folder = tmp_path_factory.mktemp("room")
    model = _model(SEQUENCE)
    artifacts = ingot.build(model, "c", dims={"N": range(1, 9), "S": range(0, 161, 2)}, cache=None)
    artifacts.export_library(folder / "m.so")
    executor, arrays = artifacts.load()["m"](), {}
    for count, length in ((1, 0), (1, 2), (3, 20), (3, 22), (8, 160), (1, 160)):
        feeds = _feeds(model, {"N": count, "S": length})
        name = f"{count}_{length}"
        arrays |= {f"{key}_{name}": array for key, array in feeds.items()}
        arrays[f"wanted_{name}"] = executor.predict(feeds)
    np.savez(folder / "arrays.npz", **arrays)
    return folder / "m.so", folder / "arrays.npz"


def test_tensors_of_any_length_give_the_numbers_of_ingot(with_room: tuple[Path, Path]) -> None:
    assert len(alone(NUMBERS, with_room[0], "m", with_room[1]).split()) == 6


def test_lengths_out_of_range_are_refused_with_extent_value_and_range(with_room: tuple[Path, Path]) -> None:
    script = (
        REFUSED.split("for tensors", maxsplit=1)[0]
        + """
print(why(zeros(2, 162, 4), zeros(2, 162), zeros(2, 162, 4)).splitlines()[0])
print(why(zeros(2, 7, 4), zeros(2, 7), zeros(2, 7, 4)).splitlines()[0])
print(why(zeros(2, 8, 4), zeros(2, 8), zeros(2, 160, 4)).splitlines()[0])
print(why(zeros(2, 8, 4), zeros(2, 8)).splitlines()[0])
"""
    )
    assert alone(script, with_room[0], "m", with_room[1]).splitlines() == [
        "ValueError: m: S is 162 in axis 1 of 'x'; the library was built for S ∈ 0..160:2",
        "ValueError: m: S is 7 in axis 1 of 'x'; the library was built for S ∈ 0..160:2",
        "ValueError: m: output 'y' must have the shape [2, 8, 4], got [2, 160, 4]",
        "TypeError: m takes 3 tensors (inputs: 2, then outputs: 1) and, if you like, a number of threads; got arguments: 2",
    ]
