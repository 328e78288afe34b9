"""Choosing a model, and making inputs for it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from ingot.artifact.model_info import TensorInfo
from ingot.base.errors import InputError
from ingot.base.tensor import DType
from ingot.border.program import OPEN, Port
from ingot.cli.feeds import chosen_model, random_inputs, read_inputs
from ingot.cli.parser import CommandLineError


def test_the_only_model_needs_no_name() -> None:
    assert chosen_model(["a"], None) == "a"


def test_several_models_need_one() -> None:
    with pytest.raises(CommandLineError, match="2 models, choose one with --model: a, b"):
        chosen_model(["a", "b"], None)


def test_an_unknown_model_gets_the_nearest() -> None:
    with pytest.raises(CommandLineError, match="did you mean 'resnet18'"):
        chosen_model(["resnet18", "vgg"], "resnet81")


@pytest.mark.parametrize("dtype", DType)
def test_random_inputs_have_the_right_type_and_are_always_the_same(dtype: DType) -> None:
    made, again = (
        random_inputs([TensorInfo("x", dtype, (2, 3)), TensorInfo("s", dtype, ())]) for _ in range(2)
    )
    assert made["x"].dtype == dtype.numpy and made["x"].shape == (2, 3) and made["s"].shape == ()
    np.testing.assert_array_equal(made["x"], again["x"])


def test_there_is_no_random_image_file() -> None:
    with pytest.raises(InputError, match=r"input 'file' \(file: uint8\[\?\]\) is of any size.*-i IN\.npz"):
        random_inputs([Port("file", "tensor", DType.UINT8, (OPEN,))])


def test_inputs_are_read_by_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", **{"a/b": np.ones(2), "c": np.zeros(3)})
    assert {name: array.shape for name, array in read_inputs(tmp_path / "in.npz").items()} == {
        "a/b": (2,),
        "c": (3,),
    }


@pytest.mark.parametrize(
    "changed", [(31, 0x29), (6, 1), (4, 255), (8, 99)], ids=["content", "encrypted", "version", "compression"]
)
def test_a_damaged_file_of_inputs_is_refused(changed: tuple[int, int], tmp_path: Path) -> None:
    path = tmp_path / "in.npz"
    np.savez_compressed(path, x=np.arange(100))
    content = bytearray(path.read_bytes())
    place, byte = changed
    if (
        place < 10
    ):  # in the directory behind the members, where it is read; two bytes later there than in a member's own head
        place += content.index(b"PK\1\2") + 2
    else:
        place += 40
        content[place + 1 : place + 20] = b"\xff" * 19
    content[place] = byte
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"cannot read inputs: it is no \.npz file of plain arrays"):
        read_inputs(path)


def test_inputs_beyond_all_memory_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "in.npz"
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }".ljust(117) + b"\n"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("x.npy", b"\x93NUMPY\x01\0v\0" + head)
    with pytest.raises(InputError, match="cannot read inputs: it is no"):
        read_inputs(path)


def test_files_that_are_no_inputs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "in.npz"
    with pytest.raises(InputError, match="No such file"):
        read_inputs(path)
    for content in (b"", b"PK\3\4 and then nothing", b"text"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"no \.npz file"):
            read_inputs(path)
    with path.open("wb") as file:
        np.save(file, np.ones(2))
    with pytest.raises(InputError, match="got one array"):
        read_inputs(path)
    np.savez(path, x=np.array([object()]))
    with pytest.raises(InputError, match=r"no \.npz file"):
        read_inputs(path)
