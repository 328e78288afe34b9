"""Text, sequences and maps on the command line: what is in .npz files and tables."""

import json

import numpy as np
import onnx
import pytest

import ingot
from ingot.base.errors import InputError
from ingot.base.tensor import DType
from ingot.border.grouping import flat, grouped
from ingot.border.program import Port
from ingot.cli.ends import leaves
from ingot.cli.main import main
from tests.support.models import model

BODY = """g (string[2] x, seq(float[2]) s) => (string[2] t, bool[2] m, seq(float[2]) y) <int64 zero = {0}> {
    t = StringConcat(x, x) m = RegexFullMatch<pattern = "a+">(t) f = SequenceAt(s, zero) n = Neg(f) y = SequenceInsert(s, n)
}"""
PART = Port("s[0]", "tensor", DType.FLOAT32, (2,))


def run(capsys, *words):
    status = 0
    try:
        main([str(word) for word in words])
    except SystemExit as ended:
        status = ended.code or 0
    return status, capsys.readouterr().out


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ends")
    onnx.save(model(BODY, opset=20), folder / "g.onnx")
    ingot.build(folder / "g.onnx", "interp", dims={"s:length": 1}, cache=None).save(folder / "g.ingot")
    np.savez(folder / "in.npz", **{"x": np.array(["a", "b"]), "s[0]": np.float32([1, 2])})
    return folder


def test_parts_of_sequences_have_names_of_their_own_in_files(stored, capsys):
    status, said = run(
        capsys, "run", stored / "g.ingot", "-i", stored / "in.npz", "-o", stored / "out.npz", "--json"
    )
    assert status == 0
    assert [one["name"] for one in json.loads(said)["outputs"]] == ["t", "m", "y[0]", "y[1]"]
    with np.load(stored / "out.npz") as made:
        assert made["t"].tolist() == ["aa", "bb"] and made["y[1]"].tolist() == [-1, -2]


@pytest.mark.parametrize(
    ("command", "word"),
    [
        (("run", "--random"), "text[2]"),
        (("bench", "--seconds", "0.01"), "median"),
        (("inspect",), "s: sequence(float32[2])"),
    ],
)
def test_commands_take_models_with_more_than_tensors(stored, capsys, command, word):
    status, said = run(capsys, command[0], stored / "g.ingot", *command[1:])
    assert status == 0 and word in said


def test_text_and_sequences_are_compared(stored, capsys):
    status, said = run(
        capsys, "run", stored / "g.ingot", "-i", stored / "in.npz", "--compare", stored / "g.onnx"
    )
    assert status == 0 and said.count("agrees") == 4


def test_a_missing_part_is_named():
    with pytest.raises(InputError, match=r"missing input s\[0\]: float32\[2\]"):
        grouped([Port("s", "sequence", None, (), (PART,))], {})


def test_optionals_are_taken_apart_and_put_together():
    there, absent = Port("o", "optional", None, (), (PART,)), Port("n", "optional")
    ends = [there, absent]
    assert leaves(ends) == [PART]
    assert grouped(ends, {"s[0]": 1}) == {"o": 1, "n": None}
    assert flat(ends, [np.ones(2), None]).keys() == {"s[0]"}
