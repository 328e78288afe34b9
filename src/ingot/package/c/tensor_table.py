"""A table of C of tensors, as `ingot/native/model.h` has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingot.package.c.tensors import TYPES, Member, TextInfo, string_literal

MAX_MESSAGE_NAME = 80  # letters of a tensor's name that error messages show
OPAQUE_POINTER = 3  # DLPack's type code of what is no number


def tensor_table(name: str, shape: str, members: Sequence[Member]) -> Iterable[str]:
    """A table of tensors and, before it, their shapes."""
    if not members:
        return
    for at, member in enumerate(members):
        if member.tensor.shape:
            extents = ", ".join(f"INT64_C({extent})" for extent in member.tensor.shape)
            yield f"static const int64_t {shape}{at}[] = {{{extents}}};"
    yield f"static const struct ingot_tensor {name}[] = {{"
    for at, member in enumerate(members):
        tensor = member.tensor
        title = (
            tensor.name
            if len(tensor.name) <= MAX_MESSAGE_NAME
            else tensor.name[: MAX_MESSAGE_NAME - 3] + "..."
        )
        place = f"{shape}{at}" if tensor.shape else "NULL"
        yield f"    {{{string_literal(title)}, {place}, {', '.join(_numbers_of(member))}}},"
    yield "};"


def _numbers_of(member: Member) -> tuple[str, ...]:
    """Bytes, rank, DLPack's type code and bits, and alignment of a tensor; text is pointers."""
    tensor, rank = member.tensor, str(len(member.tensor.shape))
    if isinstance(tensor, TextInfo):
        return member.c_bytes, rank, str(OPAQUE_POINTER), "8 * sizeof(char *)", member.c_alignment
    return (
        f"INT64_C({tensor.size_bytes})",
        rank,
        str(TYPES[tensor.dtype][1]),
        str(tensor.dtype.bits),
        member.c_alignment,
    )
