"""Tests of what metadata say of extents that vary: read back as written, and refused where it is wrong."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ingot.artifact.artifact import LOADER_PROGRAM, Artifact
from ingot.artifact.model_info import DimInfo, ModelInfo, ProgramInfo, TargetInfo, TensorInfo
from ingot.artifact.model_info_json import info_to_json
from ingot.artifact.model_info_read import info_from_json
from ingot.artifact.programs import read_programs
from ingot.base.errors import ArtifactError
from ingot.base.tensor import DType

_FLOAT = DType.FLOAT32
BATCH = DimInfo("N", 0, 64, 1, (), (("x", 0),), (("y", 0, 2),))
LENGTH = DimInfo("S", 3, 5, 1, (3, 5), (("x", 1),))


def _info(symbol: str, sizes: tuple[int, int], *extents: tuple[Any, ...], **fields: Any) -> ModelInfo:
    count, length = sizes
    shown = extents or ((), ())
    return ModelInfo(
        "m",
        symbol,
        (TensorInfo("x", _FLOAT, (count, length), shown[0]),),
        (TensorInfo("y", _FLOAT, (2 * count, length), shown[1]),),
        (TargetInfo("host", "c", "c"),),
        **fields,
    )


SIZES = [(1, 3), (1, 5), (8, 3), (8, 5)]
SYMBOLS = ["m", "m_program1", "m_program2", "m_program3"]
INFO = _info(
    "m",
    (1, 3),
    (BATCH, LENGTH),
    ("2*N", LENGTH),
    dims=(BATCH, LENGTH),
    programs=tuple(ProgramInfo(symbol, sizes, 10) for symbol, sizes in zip(SYMBOLS, SIZES, strict=True)),
)
OTHERS = [_info(symbol, sizes) for symbol, sizes in zip(SYMBOLS[1:], SIZES[1:], strict=True)]


def _artifacts(*infos: ModelInfo) -> list[Artifact]:
    return [Artifact("ingot", LOADER_PROGRAM, f"{info.symbol}.json", info_to_json(info)) for info in infos]


def test_what_varies_is_read_as_it_was_written() -> None:
    assert info_from_json(info_to_json(INFO)) == INFO
    assert str(INFO) == "m(x: float32[N ∈ 0..64, S ∈ {3, 5}]) -> (y: float32[2*N, S ∈ {3, 5}])"


def test_programs_are_read_in_the_order_of_the_metadata() -> None:
    assert read_programs(_artifacts(*reversed(OTHERS)), INFO) == (INFO, *OTHERS)


def test_a_program_must_be_there_once() -> None:
    for some in (OTHERS[:-1], [*OTHERS, OTHERS[-1]]):
        with pytest.raises(ArtifactError, match=r"its program 'm_program3' is there [02] times"):
            read_programs(_artifacts(*some), INFO)


def test_a_program_must_be_one_of_the_model_and_of_its_sizes() -> None:
    other = _info("m_program3", (8, 3))
    with pytest.raises(ArtifactError, match="axis 1 of 'x' is no S of 5"):
        read_programs(_artifacts(*OTHERS[:-1], other), INFO)
    named = ModelInfo("k", "m_program3", OTHERS[-1].inputs, OTHERS[-1].outputs, OTHERS[-1].targets)
    with pytest.raises(ArtifactError, match="program 'm_program3' has other name"):
        read_programs(_artifacts(*OTHERS[:-1], named), INFO)


def test_programs_for_other_numbers_of_items_must_be_alike_besides() -> None:
    """Else one would write more into an output than another."""
    length = replace(LENGTH, inputs=(("z", 0),))

    def program(symbol: str, sizes: tuple[int, int], same: int) -> ModelInfo:
        inputs = (TensorInfo("x", _FLOAT, sizes[:1]), TensorInfo("z", _FLOAT, sizes[1:]))
        outputs = (TensorInfo("y", _FLOAT, (2 * sizes[0],)), TensorInfo("same", _FLOAT, (same,)))
        return ModelInfo("m", symbol, inputs, outputs, (TargetInfo("host", "c", "c"),))

    first, *others = map(program, SYMBOLS, SIZES, (30, 50, 30, 50))
    info = replace(first, dims=(BATCH, length), programs=INFO.programs)
    assert read_programs(_artifacts(*others), info) == (info, *others)
    other = program(SYMBOLS[3], SIZES[3], 51)
    with pytest.raises(
        ArtifactError, match="program 'm_program3' has other shapes, besides the number of items"
    ):
        read_programs(_artifacts(*others[:2], other), info)


def _set(*path: Any, to: Any) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = to

    return change


WRONG = {
    "no extents": (_set("symbols", to=[]), "dims.symbols"),
    "a lower bound above the upper one": (_set("symbols", 0, "low", to=65), "dims.symbols[0].high"),
    "a bound that is no number": (_set("symbols", 0, "low", to=True), "dims.symbols[0].low"),
    "a step of nothing": (_set("symbols", 0, "multiple_of", to=0), "dims.symbols[0].multiple_of"),
    "sizes that fall": (_set("symbols", 1, "sizes", to=[5, 3]), "dims.symbols[1].sizes"),
    "a size outside of the bounds": (_set("symbols", 1, "sizes", to=[3, 6]), "dims.symbols[1].sizes[1]"),
    "an input that is not there": (_set("symbols", 0, "inputs", to=[["z", 0]]), "dims.symbols[0].inputs"),
    "an axis that is not there": (_set("symbols", 0, "inputs", to=[["x", 2]]), "dims.symbols[0].inputs"),
    "no input": (_set("symbols", 0, "inputs", to=[]), "dims.symbols[0].inputs"),
    "an input twice": (_set("symbols", 0, "inputs", to=[["x", 0], ["x", 1]]), "dims.symbols[0].inputs"),
    "a place without an axis": (_set("symbols", 0, "inputs", to=[["x"]]), "dims.symbols[0].inputs"),
    "an output without items": (_set("symbols", 0, "outputs", to=[["y", 0, 0]]), "dims.symbols[0].outputs"),
    "an output twice": (
        _set("symbols", 0, "outputs", to=[["y", 0, 2], ["y", 1, 1]]),
        "dims.symbols[0].outputs",
    ),
    "the same name twice": (_set("symbols", 1, "name", to="N"), "dims.symbols"),
    "no programs": (_set("programs", to=[]), "dims.programs"),
    "a program too few": (_set("programs", slice(2, 3), to=[]), "dims.programs"),
    "too few sizes": (_set("programs", 0, "sizes", to=[1]), "dims.programs[0].sizes"),
    "a program for no items": (_set("programs", 0, "sizes", to=[0, 3]), "dims.programs[0].sizes[0]"),
    "a symbol twice": (_set("programs", 1, "symbol", to="m"), "dims.programs"),
    "a symbol that is none": (_set("programs", 1, "symbol", to="m;"), "dims.programs[1].symbol"),
    "another size than the shapes have": (_set("programs", 0, "symbol", to="m_program4"), "dims.programs"),
    "negative cycles": (_set("programs", 0, "cycles", to=-1), "dims.programs[0].cycles"),
    "extents of a tensor too few": (_set("inputs", to=[["N"]]), "dims.inputs[0]"),
    "extents of too few tensors": (_set("inputs", to=[]), "dims.inputs"),
    "an extent that is no number": (_set("outputs", 0, 0, to=1.5), "dims.outputs[0][0]"),
    "a field that nobody knows": (_set("more", to=1), "dims.more"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_refused_with_its_field(case: str) -> None:
    change, field = WRONG[case]
    data = copy.deepcopy(json.loads(info_to_json(INFO)))
    change(data["dims"])
    with pytest.raises(ArtifactError) as caught:
        info_from_json(json.dumps(data).encode())
    assert str(caught.value.facts["field"]).startswith(field)


def _roomy(times: int) -> ModelInfo:
    """A model of one dim, of which a program has room for 8."""
    dim = DimInfo("S", 1, 8, 1, (), (("x", 0),), (), True, (("y", 0, times, 15 - 8 * times, 1),))
    return ModelInfo(
        "m",
        "m",
        (TensorInfo("x", _FLOAT, (8,), (dim,)),),
        (TensorInfo("y", _FLOAT, (15,), ("2*S - 1",)),),
        (TargetInfo("host", "c", "c"),),
        dims=(dim,),
        programs=(ProgramInfo("m", (8,), 10),),
    )


def test_what_programs_have_room_for_is_read_as_it_was_written() -> None:
    assert info_from_json(info_to_json(_roomy(2))) == _roomy(2)


def test_an_output_that_is_longer_for_smaller_sizes_has_no_room() -> None:
    with pytest.raises(ArtifactError) as caught:
        info_from_json(info_to_json(_roomy(-1)))
    assert caught.value.facts["field"] == "dims.symbols[0].counts"
