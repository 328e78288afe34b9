"""What the steps on text of a model name in C: tables that are looked up, constants, orders of elements. All of it is `const`.

Texts of tables are one array, in which each is a place, so that a library has no pointers to them that loading must set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ingot.base.tensor import DType
from ingot.border.program import TEXT, Elements, Step
from ingot.package.c.tensors import string_literal
from ingot.package.c.text import SOURCES, CText

NATIVE_FOLDER = Path(__file__).parents[2] / "native"
_PER_LINE = 8


def functions() -> Iterator[str]:
    """Lines of all that statements call, for a source that nothing of ours is compiled beside."""
    header, source = ((NATIVE_FOLDER / name).read_text(encoding="ascii") for name in SOURCES)
    yield "#if defined(__GNUC__)"
    yield "#define INGOT_OF_TEXT static __attribute__((unused))"
    yield "#else"
    yield "#define INGOT_OF_TEXT static"
    yield "#endif"
    yield from header.splitlines()
    yield from (line for line in source.splitlines() if line != f'#include "{SOURCES[0]}"')
    yield ""


def definitions(text: CText) -> Iterator[str]:
    """Lines that define what the statements of a border name."""
    texts = _Texts()
    tables = [line for number, step in enumerate(text.tables) for line in _table(number, step, texts)]
    yield from texts.lines()
    yield from tables
    for number, constant in enumerate(text.constants):
        yield from _constant(f"constant{number}", constant)
    for number, plan in enumerate(text.moves):
        yield from _array(
            "int64_t", f"move{number}", [f"INT64_C({number_in_plan})" for number_in_plan in plan]
        )


def steps(symbol: str, text: CText) -> Iterator[str]:
    """Lines of two functions: `front`, which also says where the tensors of the kernels are, and `back`. Both give a status."""
    ends = f"const struct {symbol}_inputs *inputs, const struct {symbol}_outputs *outputs, char *work"
    places = [f"places[{at}] = {place};" for at, place in enumerate(text.tensors)]
    yield from _function(
        f"front({ends}, void **places)", (*text.front, *places), ("inputs", "outputs", "work", "places")
    )
    yield from _function(f"back({ends})", text.back, ("inputs", "outputs", "work"))


def _function(prototype: str, lines: Sequence[str], arguments: Sequence[str]) -> Iterator[str]:
    yield f"static int32_t {prototype}"
    yield "{"
    yield "    int32_t status = 0;"
    yield from (f"    (void){name};" for name in arguments)
    yield from (f"    {line}" for line in lines)
    yield "    return status;"
    yield "}"
    yield ""


class _Texts:
    """Every text once, one behind the other."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._end = 0

    def place(self, text: str) -> int:
        if text not in self._places:
            self._places[text] = self._end
            self._end += len(text.encode()) + 1
        return self._places[text]

    def lines(self) -> Iterator[str]:
        if not self._places:
            return
        yield "#if defined(__GNUC__)"
        yield '#pragma GCC diagnostic ignored "-Woverlength-strings"'
        yield "#endif"
        yield "static const char texts[] ="
        yield from (f'    {string_literal(text)[:-1]}\\000"' for text in self._places)
        yield "    ;"


def _table(number: int, step: Step, texts: _Texts) -> Iterator[str]:
    keys, values, default = step["keys"], step["values"], step["default"]
    words, bits = (
        (sorted(_words(keys).items()), []) if keys.dtype == TEXT else ([], sorted(_bits(keys).items()))
    )
    places = [at for _, at in (*words, *bits)]
    if words:
        yield from _array("uint32_t", f"keys{number}", [str(texts.place(word.decode())) for word, _ in words])
    if bits:
        yield from _array("uint64_t", f"keys{number}", [f"UINT64_C(0x{key_bits:x})" for key_bits, _ in bits])
    yield from _numbers(f"values{number}", _chosen(values, default, places), texts)
    dtype, value_dtype = (None if word == TEXT else DType(word) for word in (keys.dtype, values.dtype))
    fields = (
        "texts" if words or value_dtype is None else "NULL",
        f"keys{number}" if words else "NULL",
        f"keys{number}" if bits else "NULL",
        f"values{number}",
        f"{len(places)}u",
        *(
            str(key_bits)
            for key_bits in (_size(dtype), int(dtype is not None and dtype.is_float), _size(value_dtype))
        ),
    )
    yield f"static const struct ingot_text_table table{number} = {{{', '.join(fields)}}};"


def _size(dtype: DType | None) -> int:
    return 0 if dtype is None else dtype.numpy.itemsize


def _words(keys: Elements) -> dict[bytes, int]:
    """Where each text is first among the keys, as bytes of UTF-8; no C program has a text with NUL, or one that is no UTF-8."""
    places: dict[bytes, int] = {}
    for at, key in enumerate(keys.values):
        if "\0" not in key and (encoded := key.encode("utf-8", "ignore")).decode() == key:
            places.setdefault(encoded, at)
    return places


def _bits(keys: Elements) -> dict[int, int]:
    """Where each number is first among the keys, by the bits that `ingot/native/text.c` looks up."""
    array = keys.array()
    unsigned = f"u{array.dtype.itemsize}"
    if array.dtype.kind == "f":
        infinity = int(np.array(np.inf, array.dtype).view(unsigned))
        bits = array.view(unsigned).astype(np.uint64)
        bits[array == 0] = 0
        bits[np.isnan(array)] = infinity + 1
    else:
        bits = array.view(unsigned)
    places: dict[int, int] = {}
    for at, key in enumerate(bits.tolist()):
        places.setdefault(key, at)
    return places


def _chosen(values: Elements, default: Elements, places: Sequence[int]) -> Elements:
    """The values at those places, then the default."""
    chosen = (*(values.values[at] for at in places), *default.values)
    return Elements(values.dtype, (len(chosen),), chosen)


def _numbers(name: str, elements: Elements, texts: _Texts) -> Iterator[str]:
    """Elements as unsigned numbers: places of text, or the bits of numbers."""
    if elements.dtype == TEXT:
        yield from _array("uint32_t", name, [str(texts.place(text)) for text in elements.values])
        return
    array: np.ndarray[Any, Any] = elements.array()
    bits = array.reshape(-1).view(f"u{array.dtype.itemsize}").tolist()
    width = 8 * array.dtype.itemsize
    yield from _array(f"uint{width}_t", name, [f"UINT{width}_C(0x{bit:x})" for bit in bits])


def _constant(name: str, value: Elements) -> Iterator[str]:
    if value.dtype != TEXT:
        yield from _numbers(name, value if value.values else Elements(value.dtype, (1,), (0,)), _Texts())
        return
    yield from _array("char *const", name, [string_literal(text) for text in value.values] or ["NULL"])


def _array(c_type: str, name: str, elements: Sequence[str]) -> Iterable[str]:
    yield f"static const {c_type} {name}[] = {{"
    for at in range(0, len(elements), _PER_LINE):
        yield f"    {', '.join(elements[at : at + _PER_LINE])},"
    yield "};"
