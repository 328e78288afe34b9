"""Tensors of a model in C: names of struct members, macros of sizes, text that may stand in a source. For every C interface."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.base.records import Frozen
from ingot.base.tensor import DType
from ingot.package.classic.params import DLPACK_TYPES

# By element type: the C type of its elements, or of the bytes that have several of them, and DLPack's type code.
TYPES: dict[DType, tuple[str, int]] = {
    dtype: (
        {
            DType.FLOAT32: "float",
            DType.FLOAT64: "double",
            DType.COMPLEX64: "float",
            DType.COMPLEX128: "double",
        }.get(dtype)
        or (
            "uint8_t"
            if dtype is DType.BOOL or dtype.is_packed
            else f"{dtype.numpy.name.replace('float', 'uint')}_t"
        ),
        code,
    )
    for dtype, (code, _) in DLPACK_TYPES.items()
}

# Words of C and C++ that cannot be a member's name.
_WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl complex concept const constexpr
const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false float for friend
goto if imaginary inline int int8_t int16_t int32_t int64_t linux long mutable namespace new noexcept not not_eq nullptr
operator or or_eq private protected public register reinterpret_cast requires restrict return short signed sizeof static
static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename typeof uint8_t
uint16_t uint32_t uint64_t union unix unsigned using virtual void volatile wchar_t while xor xor_eq
"""
_TAKEN = frozenset(_WORDS.split())
# Macros of <stddef.h> and <stdint.h>, which the headers include, and of what a program is likely to include before them.
_MACRO = re.compile(
    r"NULL|EOF|offsetof|errno|assert|std(in|out|err)|U?INT\w*_(MAX|MIN|C)|(PTRDIFF|SIG_ATOMIC|SIZE|WCHAR|WINT)_M(AX|IN)"
)

_PLAIN = frozenset(string.ascii_letters.encode() + string.digits.encode() + b" _-+.,:/()[]")

# Statuses: name, what it means. Their values, from 0 down, are those of `ingot/native/interface.h`.
STATUSES = (
    ("OK", "the outputs are computed"),
    ("ERROR_NULL_STRUCT", "`inputs` or `outputs` is NULL"),
    ("ERROR_NULL_TENSOR", "a member of `inputs` or `outputs` is NULL"),
    ("ERROR_UNALIGNED_TENSOR", "a member of `inputs` or `outputs` is not aligned to its element type"),
    ("ERROR_NULL_WORKSPACE", "`workspace` is NULL, and the model needs one"),
    ("ERROR_UNALIGNED_WORKSPACE", "`workspace` is not aligned to the workspace alignment"),
    ("ERROR_KERNEL", "a kernel reported an error"),
    (
        "ERROR_PROCESSOR",
        "the processor lacks a feature that the code uses, or the system withholds it; nothing was run",
    ),
)
# More of them where a model has text: those of `ingot/native/text.h`.
TEXT_STATUSES = (
    *STATUSES,
    ("ERROR_NULL_TEXT", "an element of an input that is text is NULL"),
    ("ERROR_INDEX", "an index that takes elements is out of range"),
)
# More of them where extents vary, those of `ingot/native/shapes.h`, behind those of text, which such a model has not.
SHAPE_STATUSES = (
    ("ERROR_NULL_DIMS", "`dims` is NULL"),
    ("ERROR_DIM_RANGE", "a size in `dims` is below or above the range of its extent"),
    ("ERROR_DIM_MULTIPLE", "a size in `dims` is not a multiple of what it must be"),
    ("ERROR_DIM_SIZE", "a size in `dims` is none of the sizes of its extent"),
)
# More of them where there is state, those of `ingot/native/state.h`, behind all others.
STATE_STATUSES = (
    ("ERROR_NULL_STATE", "`state` is NULL"),
    ("ERROR_UNALIGNED_STATE", "`state` is not aligned to the state alignment"),
    ("ERROR_OTHER_STATE", "`state` was not begun, or is a block for other states"),
)
# And where it grows.
GROWING_STATUSES = (("ERROR_FULL_STATE", "the state has no room for what this step adds; nothing was run"),)


class TextInfo(metaclass=Frozen):
    """An input or output that is text: in C an array of pointers, dense and row-major."""

    name: str
    shape: tuple[int, ...]

    @property
    def type(self) -> str:
        """As `TensorInfo.type` is written."""
        return f"text[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True, slots=True)
class Member:
    """A tensor as a member of a struct: its C name, and its name in upper case within macros."""

    tensor: TensorInfo | TextInfo
    name: str
    macro: str

    @property
    def c_type(self) -> str:
        """The type of its elements."""
        return "const char *" if isinstance(self.tensor, TextInfo) else TYPES[self.tensor.dtype][0]

    @property
    def c_bytes(self) -> str:
        """How many bytes it has, as C counts them."""
        if isinstance(self.tensor, TextInfo):
            return f"({math.prod(self.tensor.shape)} * sizeof(const char *))"
        return str(self.tensor.size_bytes)

    @property
    def c_alignment(self) -> str:
        """To how many bytes its first element is aligned, as C counts them."""
        return (
            "sizeof(char *)"
            if isinstance(self.tensor, TextInfo)
            else str(self.tensor.dtype.carrier.size_bytes)
        )


def is_taken(name: str) -> bool:
    """Whether C or C++ means something by a name, so that no member of a struct can have it."""
    return name in _TAKEN or _MACRO.fullmatch(name) is not None


def members_of(tensors: Sequence[TensorInfo | TextInfo]) -> tuple[Member, ...]:
    """C names that differ also in upper case, near the tensors' own."""
    names = c_names([tensor.name for tensor in tensors])
    return tuple(Member(tensor, name, name.upper()) for tensor, name in zip(tensors, names, strict=True))


def c_names(given: Sequence[str]) -> list[str]:
    """C names that differ also in upper case, near the given ones."""
    taken: set[str] = set()
    names = []
    for own in given:
        base = re.sub(r"[^A-Za-z0-9_]", "_", own)[:100]
        if not re.match(r"[A-Za-z]", base) or is_taken(base):
            base = f"t_{base}".rstrip("_")
        name, number = base, 1
        while name.upper() in taken:
            number += 1
            name = f"{base}_{number}"
        taken.add(name.upper())
        names.append(name)
    return names


def c_elements(tensor: TensorInfo | TextInfo) -> int:
    """How many elements of its C type a tensor has: of packed elements their bytes, of complex numbers two for each."""
    if isinstance(tensor, TextInfo):
        return math.prod(tensor.shape)
    return tensor.size_bytes // tensor.dtype.carrier.size_bytes


def size_macros(prefix: str, member: Member) -> Iterable[str]:
    """Lines that define a tensor's bytes, elements, rank and shape."""
    tensor, name = member.tensor, f"{prefix}_{member.macro}"
    yield ""
    yield f"/* {words(tensor.name)}: {_shown(tensor)} */"
    yield f"#define {name}_BYTES {member.c_bytes}"
    yield f"#define {name}_ELEMENTS {c_elements(tensor)}"
    yield f"#define {name}_RANK {len(tensor.shape)}"
    if tensor.shape:
        yield f"#define {name}_SHAPE {{{', '.join(map(str, tensor.shape))}}}"


def statuses_of(info: ModelInfo, *, has_text: bool) -> Sequence[tuple[str, str]]:
    """What the entries of a model give: names and what they mean."""
    some = TEXT_STATUSES if has_text else STATUSES
    grows = any(state.grows is not None for state in info.states)
    return (
        *some,
        *(SHAPE_STATUSES if info.dims else ()),
        *(STATE_STATUSES if info.states else ()),
        *(GROWING_STATUSES if grows else ()),
    )


def status_lines(upper: str, statuses: Sequence[tuple[str, str]] = STATUSES) -> Iterable[str]:
    """The members of a model's enum of statuses."""
    every = (*TEXT_STATUSES, *SHAPE_STATUSES, *STATE_STATUSES, *GROWING_STATUSES)
    numbers = {name: -number for number, (name, _) in enumerate(every)}
    for at, (name, meaning) in enumerate(statuses):
        comma = "," if at + 1 < len(statuses) else ""
        yield f"    {upper}_{name} = {numbers[name]}{comma} /* {meaning} */"


def fields(members: Sequence[Member], qualifier: str) -> Iterable[str]:
    """The members of a struct of tensors, with a qualifier such as `const ` before each type."""
    for member in members:
        tensor = member.tensor
        if isinstance(tensor, TextInfo):
            yield f"    const char *{qualifier}*{member.name}; /* {tensor.type}, UTF-8, each ends with NUL */"
        else:
            yield f"    {qualifier}{TYPES[tensor.dtype][0]} *{member.name}; /* {_shown(tensor)}{_note(tensor.dtype)} */"
    if not members:
        yield "    const void *none; /* there are none; C has no empty struct */"


def _shown(tensor: TensorInfo | TextInfo) -> str:
    """The type of a tensor, in ASCII: `float32[1, 3]`, or `float32[batch in 1..64, 3]`."""
    if isinstance(tensor, TextInfo) or not tensor.extents:
        return str(tensor.type)
    return words(tensor.type_words.replace("∈", "in"))


def _note(dtype: DType) -> str:
    """What a C type does not say of elements."""
    if dtype.is_packed:
        count = "4 in each 3 bytes" if 8 % dtype.bits else f"{8 // dtype.bits} in a byte"
        return f", {count}, the first in the lowest bits"
    if dtype.is_complex:
        return ", real and imaginary part side by side"
    if dtype is DType.BOOL:
        return ", 0 or 1"
    return f", the bits of a {dtype.value}" if dtype.numpy.kind == "u" and not dtype.is_integer else ""


def structs(
    symbol: str,
    inputs: Sequence[Member],
    outputs: Sequence[Member],
    statuses: Sequence[tuple[str, str]] = STATUSES,
) -> Iterable[str]:
    """Lines that declare the macros of all tensors, the statuses, and the structs of pointers to inputs and outputs."""
    upper = symbol.upper()
    return (
        *(line for member in inputs for line in size_macros(f"{upper}_INPUT", member)),
        *(line for member in outputs for line in size_macros(f"{upper}_OUTPUT", member)),
        "",
        f"enum {symbol}_status {{",
        *status_lines(upper, statuses),
        "};",
        "",
        f"struct {symbol}_inputs {{",
        *fields(inputs, "const "),
        "};",
        "",
        f"struct {symbol}_outputs {{",
        *fields(outputs, ""),
        "};",
    )


def string_literal(text: str) -> str:
    """A C string literal of the text in UTF-8."""
    return (
        '"'
        + "".join(
            chr(byte) if byte in _PLAIN else f"\\{byte:03o}" for byte in text.encode("utf-8", "replace")
        )
        + '"'
    )


def words(text: str) -> str:
    """Text that may stand in a C comment: printable ASCII of bounded length, nothing that ends the comment or joins lines."""
    plain = re.sub(r"[^\x20-\x7e]", "?", text[:200])
    return re.sub(r"[\\*?]", "_", plain)
