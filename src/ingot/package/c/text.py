"""The border of a model in C: where its values are, and the steps that its entry does before and after the kernels.

Every value has a place: the caller's memory if it is an input or output, else memory that the caller gives beside the arena.
Extents are followed through all steps while the code is made, so C only moves elements and looks them up: `ingot/native/text.h`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ingot.artifact.model_info import MemoryInfo, ModelInfo, TensorInfo
from ingot.base.errors import ArtifactError
from ingot.base.records import Frozen
from ingot.base.tensor import DType, row_major
from ingot.border.program import OPEN, TEXT, Border, Elements, Port, Step
from ingot.border.steps import MAX_ELEMENTS, prepared
from ingot.package.c.tensors import Member, TextInfo, c_elements, members_of

WORK_ALIGNMENT = 8  # bytes, of every value that is in no caller's memory
POINTER_BYTES = 8  # INGOT_POINTER_BYTES of text.h
SOURCES = ("text.h", "text.c")  # of ingot/native: what the code that is made here includes and calls

# What C does not do, by step: the operator of ONNX, and why not.
_REFUSED: Mapping[str, tuple[str, str]] = {
    "count": ("TfIdfVectorizer", "nothing in C looks up n-grams of words"),
    "decode": ("ImageDecoder", "there is no reader of image files in C"),
    "join": ("StringConcat", "it makes new text, for which C has no memory"),
    "match": ("RegexFullMatch", "there is no matcher of regular expressions in C"),
    "normalize": ("StringNormalizer", "it makes new text, or as many elements as its content says"),
    "read": ("Cast from text", "reading numbers can fail, and depends on the locale of C programs"),
    "split": ("StringSplit", "it makes new text, of an extent that depends on its content"),
    "tokenize": ("Tokenizer", "it makes new text, of an extent that depends on its content"),
    "write": ("Cast to text", "it makes new text, for which C has no memory"),
}

Extents = tuple[int, ...]


class CText(metaclass=Frozen):
    """A model's border in C.

    `inputs` and `outputs` are what callers give and get. `front` and `back` are statements, in a function that has `inputs`,
    `outputs`, `work` (`work_bytes` of memory, aligned to `WORK_ALIGNMENT`) and `int32_t status`. `tensors` are expressions: where
    the inputs, then the outputs of the kernels are. `constants` and `tables` are what the statements name, to be written as C.
    """

    inputs: tuple[Member, ...]
    outputs: tuple[Member, ...]
    front: tuple[str, ...]
    back: tuple[str, ...]
    tensors: tuple[str, ...]
    work_bytes: int
    moves: tuple[tuple[int, ...], ...]
    constants: tuple[Elements, ...]
    tables: tuple[Step, ...]

    @property
    def ends(self) -> tuple[Member, ...]:
        """Inputs, then outputs."""
        return (*self.inputs, *self.outputs)

    def work(self, arena_bytes: int) -> str:
        """A C expression for `work`, behind the arena in the caller's `workspace`."""
        return f"(char *)workspace + {_behind_arena(arena_bytes)}" if self.work_bytes else "NULL"


def workspace_of(memories: Sequence[MemoryInfo], text: CText | None) -> tuple[int, int]:
    """Bytes and alignment of the memory that a caller gives to a model's programs, and to the steps around them."""
    arena, alignment = (
        max(getattr(memory, name) for memory in memories) for name in ("arena_bytes", "alignment_bytes")
    )
    if text is None or not text.work_bytes:
        return arena, alignment
    return _behind_arena(arena) + text.work_bytes, max(alignment, WORK_ALIGNMENT)


def _behind_arena(arena_bytes: int) -> int:
    return -(-arena_bytes // WORK_ALIGNMENT) * WORK_ALIGNMENT


def why_no_text(info: ModelInfo) -> str:
    """Why C cannot do what the model's border says; empty if it can, or there is nothing to do."""
    try:
        c_text(info)
    except ArtifactError as error:
        return str(error)
    return ""


def c_text(info: ModelInfo) -> CText | None:
    """A model's border in C; None if the model has tensors only.

    Raises:
        ArtifactError: C cannot do a step. The message names the step, its operator and what it makes.
    """
    if info.border is None or not info.border.has_text:
        return None
    if info.dims:
        steps = (*info.border.front, *info.border.back)
        example = f"the step {steps[0].op!r} of {', '.join(map(repr, steps[0].inputs))}" if steps else "text"
        raise ArtifactError(
            f"C has what the host does for one shape only, such as {example}, and {', '.join(map(str, info.dims))} varies"
        )
    return _Writer(info, info.border).written()


class _Value(NamedTuple):
    """What is known of a value: the word of its element type, its extents, and a C expression for its first element."""

    word: str
    shape: tuple[int, ...]
    place: str

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def size(self) -> str:
        """Bytes of an element in C."""
        return "sizeof(char *)" if self.word == TEXT else f"{DType(self.word).numpy.itemsize}u"


class _CannotError(Exception):
    """A step that C cannot do: why."""


class _Writer:
    def __init__(self, info: ModelInfo, border: Border) -> None:
        self.info, self.border = info, border
        self.values: dict[str, _Value] = {}
        self.lines: list[str] = []
        self.work_bytes = 0
        self.moves: list[tuple[int, ...]] = []
        self.constants: list[Elements] = []
        self.tables: list[Step] = []
        # By leaf: the output in whose memory it is made.
        self.homes: dict[str, str] = {}

    def written(self) -> CText:
        inputs = members_of([_known(leaf) for leaf in _leaves(self.border.inputs)])
        leaves = _leaves(self.border.outputs)
        names = [member.name for member in members_of([TextInfo(leaf.name, ()) for leaf in leaves])]
        for name, leaf in zip(names, leaves, strict=True):
            self.homes.setdefault(leaf.name, f"outputs->{name}")
        for member in inputs:
            word = TEXT if isinstance(member.tensor, TextInfo) else member.tensor.dtype.value
            self.values[member.tensor.name] = _Value(word, member.tensor.shape, f"inputs->{member.name}")
            if word == TEXT and c_elements(member.tensor):
                self._try(f"ingot_text_check(inputs->{member.name}, {c_elements(member.tensor)})")
        self._do(self.border.front)
        for tensor in self.info.inputs:
            self._require_shape(tensor.name, tensor.shape)
        given = [self.values[tensor.name].place for tensor in self.info.inputs]
        front, self.lines = self.lines, []
        for tensor in self.info.outputs:
            self._make(tensor.name, tensor.dtype.value, tensor.shape, tensor.size_bytes)
        places = [self.values[tensor.name].place for tensor in self.info.outputs]
        self._do(self.border.back)
        for leaf in leaves:
            self._require_shape(leaf.name, leaf.shape)
        outputs = members_of([_known(leaf, self.values[leaf.name].shape) for leaf in leaves])
        for member in outputs:
            self._give(member)
        return CText(
            inputs,
            outputs,
            tuple(front),
            tuple(self.lines),
            tuple(f"(void *)(uintptr_t){place}" for place in (*given, *places)),
            self.work_bytes,
            tuple(self.moves),
            tuple(self.constants),
            tuple(self.tables),
        )

    def _require_shape(self, name: str, shape: Extents) -> None:
        """Checks a size. Steps come from a file, so their results must have the sizes that C programs and kernels expect."""
        actual = self.values[name].shape
        if len(actual) != len(shape) or any(
            expected not in (OPEN, extent) for expected, extent in zip(shape, actual, strict=True)
        ):
            raise ArtifactError(
                f"C cannot do its steps: they make {name!r} of the shape {list(actual)}, expected {list(shape)}"
            )

    def _give(self, member: Member) -> None:
        """An output that is made elsewhere is copied: an input, a constant, or what is given twice."""
        place = self.values[member.tensor.name].place
        if place != f"outputs->{member.name}" and c_elements(member.tensor):
            self.lines.append(f"memcpy(outputs->{member.name}, {place}, {member.c_bytes});")

    # ── values ──

    def _make(self, name: str, word: str, shape: tuple[int, ...], size_bytes: int) -> _Value:
        place = self.homes.get(name) or self._room(size_bytes)
        self.values[name] = result = _Value(word, shape, place)
        return result

    def _room(self, size_bytes: int) -> str:
        place = f"(work + {self.work_bytes})"
        self.work_bytes += -(-max(size_bytes, 1) // WORK_ALIGNMENT) * WORK_ALIGNMENT
        return place

    def _result(self, step: Step, word: str, shape: tuple[int, ...]) -> _Value:
        count = math.prod(shape)
        if count > MAX_ELEMENTS:
            raise _CannotError(f"it makes {count} elements, more than the limit of {MAX_ELEMENTS}")
        return self._make(step.outputs[0], word, shape, count * _bytes(word))

    # ── statements ──

    def _do(self, steps: Iterable[Step]) -> None:
        for step in steps:
            try:
                self._step(step)
            except _CannotError as error:
                results = ", ".join(map(repr, step.outputs))
                operator = f" ({_REFUSED[step.op][0]})" if step.op in _REFUSED else ""
                raise ArtifactError(
                    f"C cannot do the step {step.op!r}{operator} that makes {results}: {error}"
                ) from None

    def _step(self, step: Step) -> None:
        if step.op in _REFUSED:
            raise _CannotError(_REFUSED[step.op][1])
        given = [self.values[name] for name in step.inputs]
        if any(value.elements > MAX_ELEMENTS for value in given):
            raise _CannotError(f"it reads more than {MAX_ELEMENTS} elements")
        _STEPS[step.op](self, step, given)

    def _try(self, call: str) -> None:
        self.lines += [f"if ((status = {call}) != 0) {{", "    return status;", "}"]

    def constant(self, step: Step, _: Sequence[_Value]) -> None:
        value: Elements = step["value"]
        if value.dtype == TEXT:
            _require_c_text(value.values)
        place = f"constant{len(self.constants)}"
        self.constants.append(value)
        self.values[step.outputs[0]] = _Value(value.dtype, value.shape, place)

    def table(self, step: Step, given: Sequence[_Value]) -> None:
        if step["values"].dtype == TEXT:
            _require_c_text((*step["values"].values, *step["default"].values))
        result = self._result(step, step["values"].dtype, given[0].shape)
        if result.elements:
            self.lines.append(
                f"ingot_text_find(&table{len(self.tables)}, {given[0].place}, {result.elements}, {result.place});"
            )
            self.tables.append(step)

    def view(self, step: Step, given: Sequence[_Value]) -> None:
        """A step that only says in which order elements are read."""
        like, seen = _seen(step, given[0].shape)
        result = self._result(step, given[0].word, seen.shape)
        first = seen.__array_interface__["data"][0] - like.__array_interface__["data"][0]
        self._move(given[0], first, result, 0, seen.shape, seen.strides, row_major(seen.shape))

    def concat(self, step: Step, given: Sequence[_Value]) -> None:
        rank = len(given[0].shape)
        axis = step["axis"] + (rank if step["axis"] < 0 else 0)
        shapes = [value.shape for value in given]
        rest = {(*shape[:axis], *shape[axis + 1 :], len(shape)) for shape in shapes}
        if not 0 <= axis < rank or len(rest) != 1:
            raise _CannotError(f"it joins shapes that do not fit: {', '.join(map(str, map(list, shapes)))}")
        extents = [shape[axis] for shape in shapes]
        result = self._result(step, given[0].word, (*shapes[0][:axis], sum(extents), *shapes[0][axis + 1 :]))
        strides = row_major(result.shape)
        for value, start in zip(given, accumulate(extents, initial=0), strict=False):
            self._move(value, 0, result, start * strides[axis], value.shape, row_major(value.shape), strides)

    def take(self, step: Step, given: Sequence[_Value]) -> None:
        value, indices = given
        rank = len(value.shape)
        axis = step["axis"] + (rank if step["axis"] < 0 else 0)
        if not 0 <= axis < rank:
            raise _CannotError(f"it takes along axis {step['axis']} of {rank} dimensions")
        result = self._result(
            step, value.word, (*value.shape[:axis], *indices.shape, *value.shape[axis + 1 :])
        )
        if result.elements:
            outer, inner = math.prod(value.shape[:axis]), math.prod(value.shape[axis + 1 :])
            numbers = f"{indices.elements}, {outer}, {value.shape[axis]}, {inner} * {value.size}"
            self._try(
                f"ingot_text_take({value.place}, {indices.place}, {indices.size}, {numbers}, {result.place})"
            )

    def pad(self, step: Step, given: Sequence[_Value]) -> None:
        value, size = given[0], step["size"]
        if not value.shape or value.shape[-1] > size:
            raise _CannotError(f"it fills the shape {list(value.shape)} to {size} elements")
        result = self._result(step, value.word, (*value.shape[:-1], size))
        strides = row_major(result.shape)
        self._move(value, 0, result, 0, value.shape, row_major(value.shape), strides)
        filler = _Value(value.word, (), f"constant{len(self.constants)}")
        self.constants.append(Elements(value.word, (), (step["filler"],)))
        missing = (*value.shape[:-1], size - value.shape[-1])
        self._move(filler, 0, result, value.shape[-1], missing, (0,) * len(missing), strides)

    def equal(self, step: Step, given: Sequence[_Value]) -> None:
        left, right = self._alike(given)
        result = self._result(step, "bool", left.shape)
        if result.elements:
            self.lines.append(
                f"ingot_text_equal({left.place}, {right.place}, {result.elements}, {result.place});"
            )

    def choose(self, step: Step, given: Sequence[_Value]) -> None:
        condition, left, right = self._alike(given)
        result = self._result(step, left.word, left.shape)
        if result.elements:
            places = f"{condition.place}, {left.place}, {right.place}"
            self.lines.append(
                f"ingot_text_choose({places}, {result.elements}, {result.size}, {result.place});"
            )

    def _alike(self, given: Sequence[_Value]) -> list[_Value]:
        """The values with all of their extents, where one has fewer than the others."""
        try:
            shape = np.broadcast_shapes(*(value.shape for value in given))
        except ValueError:
            raise _CannotError(
                f"its shapes do not fit: {', '.join(str(list(value.shape)) for value in given)}"
            ) from None
        return [value if value.shape == shape else self._expanded(value, shape) for value in given]

    def _expanded(self, value: _Value, shape: tuple[int, ...]) -> _Value:
        _, seen = _seen(Step("expand", (), (), (("shape", shape),)), value.shape)
        result = _Value(value.word, shape, self._room(math.prod(shape) * _bytes(value.word)))
        self._move(value, 0, result, 0, shape, seen.strides, row_major(shape))
        return result

    def _move(
        self,
        given: _Value,
        first: int,
        result: _Value,
        at: int,
        shape: Extents,
        strides: Extents,
        to: Extents,
    ) -> None:
        """Copies elements from one order to another, each from a first one on; in one piece if that is possible."""
        if not math.prod(shape):
            return
        source, target = (_behind(value, start) for value, start in ((given, first), (result, at)))
        if strides == to == row_major(shape):
            self.lines.append(f"memcpy({target}, {source}, {math.prod(shape)} * {given.size});")
            return
        self.lines.append(
            f"ingot_text_move(move{len(self.moves)}, {len(shape)}, {source}, {target}, {given.size});"
        )
        self.moves.append((*shape, *strides, *to))


_STEPS: Mapping[str, Callable[[_Writer, Step, Sequence[_Value]], None]] = {
    "concat": _Writer.concat,
    "constant": _Writer.constant,
    "equal": _Writer.equal,
    "expand": _Writer.view,
    "pad": _Writer.pad,
    "reshape": _Writer.view,
    "same": _Writer.view,
    "slice": _Writer.view,
    "table": _Writer.table,
    "take": _Writer.take,
    "transpose": _Writer.view,
    "where": _Writer.choose,
}


def ends_in_c(info: ModelInfo, text: CText | None) -> tuple[Sequence[Member], Sequence[Member]]:
    """The inputs and the outputs as members: what callers give and get, `text` being the model's border in C."""
    return (
        (members_of(info.inputs), members_of(info.outputs)) if text is None else (text.inputs, text.outputs)
    )


def _leaves(ports: Iterable[Port]) -> list[Port]:
    return [leaf for port in ports for leaf in port.leaves()]


def _known(leaf: Port, shape: tuple[int, ...] | None = None) -> TensorInfo | TextInfo:
    extents = leaf.shape if shape is None else shape
    if OPEN in extents or (math.prod(extents) > MAX_ELEMENTS and leaf.dtype is None):
        kind = "text" if leaf.dtype is None else "tensor"
        raise ArtifactError(
            f"C cannot take the {kind} {leaf.name!r} of the shape {list(extents)}, whose extents are not known"
        )
    return (
        TextInfo(leaf.name, extents) if leaf.dtype is None else TensorInfo(leaf.name, leaf.dtype, leaf.shape)
    )


def _bytes(word: str) -> int:
    return POINTER_BYTES if word == TEXT else DType(word).numpy.itemsize


def _behind(value: _Value, elements: int) -> str:
    """A C expression for an element behind the first."""
    return f"(char *)(uintptr_t){value.place} + {elements} * {value.size}" if elements else value.place


def _seen(step: Step, shape: tuple[int, ...]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Memory of one byte for each element, which is not touched, and how a step that copies nothing sees it."""
    like = np.empty(shape, np.int8)
    try:
        (seen,) = prepared(step)([like])
    except (ValueError, IndexError) as error:
        raise _CannotError(f"of the shape {list(shape)}: {error}") from None
    return like, seen


def _require_c_text(texts: Iterable[str]) -> None:
    """Text that C can give back."""
    for text in texts:
        if "\0" in text or not _is_utf8(text):
            _refuse_text(text)


def _refuse_text(text: str) -> NoReturn:
    raise _CannotError(f"it gives the text {text[:80]!r}, which is no UTF-8 that ends with its first NUL")


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
