"""`.params` files: what is written is read, TVM writes the same bytes, and damaged ones are refused."""

import contextlib
import hashlib
import random
import struct

import numpy as np
import pytest

from ingot.base.errors import ArtifactError
from ingot.base.tensor import DType
from ingot.package.byte_reader import ByteReader
from ingot.package.classic.params import params_from_bytes, params_to_bytes

TWO = {
    "w": (DType.INT16, np.array([[1, 2, 3]], np.int16)),
    "b0": (DType.FLOAT32, np.array(1.5, np.float32)),
}
KINDS = [dtype for dtype in DType if not dtype.is_carried]
EACH = {f"p_{dtype.value}": (dtype, (np.arange(6) % 2).astype(dtype.numpy).reshape(2, 3)) for dtype in KINDS}


def same(one, two):
    assert list(one) == list(two)
    for name, (dtype, array) in one.items():
        assert two[name][0] is dtype and two[name][1].shape == array.shape
        np.testing.assert_array_equal(two[name][1], array)


def test_the_bytes_of_a_known_file():
    content = params_to_bytes(TWO)
    assert len(content) == 157
    assert (
        hashlib.sha256(content).hexdigest()
        == "15a2bc0af19e3909de762a47b093603936705287c0fa8385068686a6469de2e9"
    )


@pytest.mark.parametrize("dtype", [dtype for dtype in DType if dtype.is_carried])
def test_a_type_that_is_stored_in_another_is_no_parameter(dtype):
    with pytest.raises(ArtifactError, match=f"cannot be stored as {dtype.value}"):
        params_to_bytes({"p": (dtype, np.zeros(4, dtype.numpy))})


def test_no_parameters_are_32_bytes():
    assert params_to_bytes({}) == bytes.fromhex("b79c04054f8de5f7") + bytes(24)
    assert params_from_bytes(params_to_bytes({})) == {}


@pytest.mark.parametrize(
    "arrays", [TWO, EACH, {"empty": (DType.INT8, np.zeros((0, 3), np.int8))}], ids=["two", "each", "empty"]
)
def test_what_is_written_is_read(arrays):
    same(arrays, params_from_bytes(params_to_bytes(arrays)))


def test_a_bool_of_one_bit_is_read_as_older_tools_wrote_it():
    content = params_to_bytes({"b": (DType.BOOL, np.array([True, False]))})
    older = content.replace(struct.pack("<BBH", 6, 8, 1), struct.pack("<BBH", 1, 1, 1))
    assert older != content
    same({"b": (DType.BOOL, np.array([True, False]))}, params_from_bytes(older))


def test_an_array_that_is_not_contiguous_is_stored_row_by_row():
    array = np.arange(6, dtype=np.int32).reshape(2, 3).T
    same({"t": (DType.INT32, array)}, params_from_bytes(params_to_bytes({"t": (DType.INT32, array)})))


def test_an_array_of_another_type_is_refused():
    with pytest.raises(ArtifactError, match="cannot be stored as int8"):
        params_to_bytes({"x": (DType.INT8, np.zeros(3, np.float32))})


GOOD = params_to_bytes(TWO)
FIRST = 16 + 8 + 9 + 10 + 8  # where the first tensor begins


def changed(at, new):
    return GOOD[:at] + new + GOOD[at + len(new) :]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (changed(0, b"x"), "does not begin as a file of parameters"),
        (changed(16, struct.pack("<Q", 1 << 60)), "parameter names cannot be in the"),
        (changed(24, struct.pack("<Q", 1 << 63)), "has 9223372036854775808 bytes"),
        (changed(32, b"\xff"), "is not UTF-8"),
        (changed(FIRST - 8, struct.pack("<Q", 3)), "tensors cannot be in|2 names for 3 tensors"),
        (changed(FIRST - 8, struct.pack("<Q", 1)), "2 names for 1 tensors"),
        (changed(FIRST, b"x"), "does not begin as a tensor"),
        (changed(FIRST + 16, b"\2"), "device type 2"),
        (changed(FIRST + 24, struct.pack("<i", -1)), "rank -1"),
        (changed(FIRST + 24, struct.pack("<i", 33)), "rank 33"),
        (changed(FIRST + 28, b"\7"), "element type code 7"),
        (changed(FIRST + 30, b"\2"), "2 lanes"),
        (changed(FIRST + 32, struct.pack("<q", -3)), "shape"),
        (changed(FIRST + 32, struct.pack("<q", 1 << 40)), "make"),
        (changed(FIRST + 32, struct.pack("<q", 1 << 62)), "shape"),
        (changed(FIRST + 48, struct.pack("<q", 7)), "has 7 bytes"),
        (GOOD + b"\0", "1 bytes are left over"),
        (params_to_bytes({"ab": TWO["w"], "cd": TWO["w"]}).replace(b"cd", b"ab"), "'ab' is there twice"),
    ],
)
def test_a_damaged_file_is_refused(content, words):
    with pytest.raises(ArtifactError, match=words):
        params_from_bytes(content)


def test_every_truncation_is_refused():
    for end in range(len(GOOD)):
        with pytest.raises(ArtifactError):
            params_from_bytes(GOOD[:end])


def test_flipped_bits_are_an_artifact_error_or_other_numbers():
    rng = random.Random(3)
    for _ in range(2000):
        broken = bytearray(GOOD)
        broken[rng.randrange(len(GOOD))] ^= 1 << rng.randrange(8)
        with contextlib.suppress(ArtifactError):
            assert len(params_from_bytes(bytes(broken))) == 2


def test_a_name_that_is_there_twice_is_found_by_comparing_few(monkeypatch):
    class Name(str):
        compared = 0
        __hash__ = str.__hash__

        def __eq__(self, other):
            Name.compared += 1
            return str.__eq__(self, other)

    names = [Name(number) for number in range(50)] + [Name("7")]
    monkeypatch.setattr(ByteReader, "texts", lambda *_: names)
    with pytest.raises(ArtifactError, match="'7' is there twice"):
        params_from_bytes(GOOD)
    assert Name.compared < 50


@pytest.mark.process
@pytest.mark.filterwarnings("ignore")
def test_tvm_reads_and_writes_the_same_bytes():
    runtime = pytest.importorskip(
        "tvm.runtime", reason="needs apache-tvm: pip install 'ingot-compiler[interop]'"
    )
    arrays = {name: entry for name, entry in EACH.items() if entry[0] not in (DType.BFLOAT16,)} | TWO
    content = params_to_bytes(arrays)
    loaded = runtime.load_param_dict(content)
    assert set(loaded) == set(arrays)
    for name, (_, array) in arrays.items():
        np.testing.assert_array_equal(loaded[name].numpy(), array)
    ours = params_to_bytes(
        {name: arrays[name] for name in params_from_bytes(bytes(runtime.save_param_dict(loaded)))}
    )
    assert ours == bytes(runtime.save_param_dict(loaded))


@pytest.mark.parametrize("dtype", [DType.INT8, DType.BOOL, DType.FLOAT16])
def test_a_scalar_is_the_shortest_record(dtype: DType) -> None:
    content = params_to_bytes({"w": (dtype, np.array(1, dtype.numpy))})
    assert params_from_bytes(content)["w"][1] == 1
    assert params_from_bytes(params_to_bytes({"w": (dtype, np.zeros((0,), dtype.numpy))}))["w"][1].size == 0
