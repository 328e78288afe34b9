"""`ControlInfo`: loops and branches of a program, and how they are read. Few models have any: imported with them."""

from typing import Any

from ingot.artifact.model_info import ControlInfo, MemoryInfo, checks, read_int

_KEYS = frozenset({"node", "first", "middle", "end", "flag", "count"})
_COUNT_MAX = 1 << 62

_wrong, _object, _array, _text = checks.wrong, checks.object, checks.array, checks.text


def read_controls(value: Any, calls: int, memory: MemoryInfo) -> tuple[ControlInfo, ...]:
    """The loops and branches of a program of so many calls.

    Raises:
        ArtifactError: a field is wrong, two of them overlap, or a flag is outside of the arena.
    """
    controls = tuple(
        _control(item, f"controls[{at}]", calls, memory) for at, item in enumerate(_array(value, "controls"))
    )
    for at, control in enumerate(controls):
        for other in controls[:at]:
            if not _are_nested(control, other):
                _wrong(f"controls[{at}]", "overlaps another one, and neither is inside of the other")
    return controls


def _control(item: Any, field: str, calls: int, memory: MemoryInfo) -> ControlInfo:
    data = _object(item, field, _KEYS)
    first = read_int(data["first"], f"{field}.first", 0, calls)
    middle = read_int(data["middle"], f"{field}.middle", first, calls)
    return ControlInfo(
        node=_text(data["node"], f"{field}.node"),
        first=first,
        middle=middle,
        end=read_int(data["end"], f"{field}.end", middle, calls),
        flag=read_int(data["flag"], f"{field}.flag", 0, max(0, memory.arena_bytes - 1)),
        count=read_int(data["count"], f"{field}.count", 0, _COUNT_MAX),
    )


def _are_nested(a: ControlInfo, b: ControlInfo) -> bool:
    """Whether two controls are apart, or one is inside of a part of the other."""
    if a.end <= b.first or b.end <= a.first:
        return True
    return any(
        low <= inner.first and inner.end <= high
        for inner, outer in ((a, b), (b, a))
        for low, high in ((outer.first, outer.middle), (outer.middle, outer.end))
    )
