"""Extents of decoders as exporters write them, of which `dims` says nothing, or only how much a cache may hold."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ingot.api.extents import Extents, Sum
from ingot.api.rooms import Places
from ingot.base.dims import Dim
from ingot.base.errors import ModelError, UnsupportedError

CAPACITY = Dim(0, 2048)  # of a cache of which nobody says how much it may hold
NEW = (1, 16, 128)  # how many tokens a step may add: single ones, and pieces of a prompt
_PAST, _NEW = 3, 2  # sizes with which it is tried whether an extent is their sum


def decoder_extents(
    extents: Extents, open_: Places, is_state: Callable[[str], bool], trial: Callable[[Extents], object]
) -> Extents | None:
    """The extents with all that a model leaves open, if it is a decoder whose caches grow: one stream, a range of what is filled,
    a list of how much is new, and a mask that has as many places as both.

    Args:
        extents: what `dims` says.
        open_: the inputs and axes of the others.
        is_state: whether an input is state, by its name.
        trial: reads and lowers the model for the smallest sizes of some extents.

    Returns:
        None, if it is no such model.
    """
    past = _past(extents, open_, is_state)
    streams = {name: 1 for name, places in open_.items() if all(axis == 0 for _, axis in places)}
    has_state = any(is_state(input_) for name in streams for input_, _ in open_[name])
    if past is None or (streams and not has_state):
        return None
    filled = extents.varying.get(past, CAPACITY)
    known = replace(
        extents,
        fixed={**extents.fixed, **streams},
        varying={**extents.varying, past: filled},
        taken=tuple(open_),
    )
    rest = [name for name in open_ if name not in streams and name != past]
    candidates = _candidates(known, past, rest, tuple(size for size in NEW if size < filled.high))
    return next((some for some in candidates if _is_consistent(some, past, trial)), None)


def _past(extents: Extents, open_: Places, is_state: Callable[[str], bool]) -> str | None:
    """The symbol of how much is filled."""
    given = [name for name, dim in extents.varying.items() if not dim.sizes and not dim.low]
    along = [
        name
        for name, places in open_.items()
        if places and all(axis > 0 and is_state(input_) for input_, axis in places)
    ]
    pasts = given or along
    return pasts[0] if len(pasts) == 1 else None


def _candidates(known: Extents, past: str, rest: Sequence[str], sizes: tuple[int, ...]) -> Iterator[Extents]:
    """What the rest may be: how much is new, sums that are written as such, and others. Some exporters write a sum for one new
    token where there may be more, so what is written may be wrong.
    """
    plain = [name for name in rest if "+" not in name]
    lists = [name for name, dim in known.varying.items() if dim.sizes]
    for new in (*plain, *lists, None):
        more = known
        if new in plain:
            more = replace(known, varying={new: Dim(min(sizes), max(sizes), 1, sizes), **known.varying})
        sums = (
            [Sum((past, new))] if new is not None else [Sum((past,), size) for size in known.fixed.values()]
        )
        others = [name for name in rest if name != new]
        written = more.with_sums(others)
        for total, named in itertools.product(sums, (written, more)):
            unknown = [name for name in others if name not in named.sums]
            yield replace(named, sums={**named.sums, **dict.fromkeys(unknown, total)})


def _is_consistent(extents: Extents, past: str, trial: Callable[[Extents], object]) -> bool:
    """Whether a model can be lowered for other sizes than the smallest, and not where sums have fewer places. Of a mask that is
    read by place there may be more.
    """
    sizes = {name: _PAST if name == past else _NEW for name in extents.varying}
    bound = replace(extents, fixed={**extents.fixed, **sizes}, varying={})
    if not _can_be_lowered(bound, trial):
        return False
    shorter = {
        name: sum(sizes[term] for term in total.terms) + total.plus - 1
        for name, total in extents.sums.items()
    }
    fewer = replace(bound, fixed={**bound.fixed, **shorter}, sums={})
    return not shorter or not _can_be_lowered(fewer, trial)


def _can_be_lowered(extents: Extents, trial: Callable[[Extents], object]) -> bool:
    try:
        trial(extents)
    except (ModelError, UnsupportedError):
        return False
    return True
