"""Extents that depend on content: a program has room for as many places as there may be, and counts them while it runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from ingot.api.rooms import counts_of, room_info, sampled
from ingot.api.shapes import Lowered
from ingot.artifact.model_info import CHECK_STATUS, DimInfo
from ingot.base.dims import EXTENT_MAX, Dim
from ingot.base.errors import ModelError, UnsupportedError, why_not_by_name
from ingot.border.program import COUNTED, MAYBE, SIZED
from ingot.graph.evaluate.lines import Counts, case_asked
from ingot.graph.evaluate.running import may_run
from ingot.graph.passes.border.text import has_steps
from ingot.graph.read.counted import CountedExtent
from ingot.graph.read.ends import End, ends_of
from ingot.kernels.check import Read, check_template
from ingot.kernels.template import Template
from ingot.loops.nodes import Expr, both, compare
from ingot.plan.items import Mixed
from ingot.plan.names import unused
from ingot.plan.program import HOST, Check, Draft, Step
from ingot.plan.room import with_room
from ingot.plan.room_numbers import Sample, SampleNeeded

_ROUNDS_MAX = 16

Lower = Callable[[Mapping[str, int]], Lowered]
# The same, with values that are computed while running though they follow from counts alone.
LowerRunning = Callable[[Mapping[str, int], frozenset[str]], Lowered]


def checked_bounds(bounds: Mapping[str, int] | None) -> Mapping[str, int]:
    """What a caller gives as `bounds`, in order.

    Raises:
        ModelError: it is no mapping from names to whole numbers.
    """
    why = "" if bounds is None else why_not_by_name(bounds)
    if why:
        raise ModelError(
            f"bounds={bounds!r:.80}: expected a mapping from names to numbers, such as {{'selected': 300}}, {why}"
        )
    for name, bound in (bounds or {}).items():
        is_number = isinstance(bound, int | np.integer) and not isinstance(bound, bool)
        if not is_number or not 0 <= bound <= EXTENT_MAX:
            raise ModelError(
                f"bounds={{{name!r}: {bound!r:.80}}}: a bound is a whole number from 0 to {EXTENT_MAX}",
                bound=name,
            )
    return {name: int(bound) for name, bound in sorted((bounds or {}).items())}


def require_alone(first: Lowered, counts: Sequence[DimInfo], varying: Collection[str]) -> None:
    """Refuses extents that are counted while running beside those that vary from call to call, and beside what the host does.

    Raises:
        UnsupportedError: there are both; or it is known only while running what there is of a sequence or optional, beside
            extents that vary.
    """
    if varying:
        _require_known_lists(first, next(iter(varying)))
    if not counts:
        return
    label, names = f"model {first.draft.name!r}", ", ".join(dim.name for dim in counts)
    if varying:
        example = next(iter(varying))
        raise UnsupportedError(
            f"{label}: how many places {names} has depends on the content of inputs, which is not followed for extents that "
            f"vary: give a number for each of {', '.join(varying)} by dims={{{example!r}: 1}}, on the command line by --dim"
        )
    if has_steps(first.prepared.graph):
        raise UnsupportedError(
            f"{label}: how many places {names} has depends on the content of inputs, which is not followed where the host works "
            "on text or images at the ends of a model"
        )


def _require_known_lists(first: Lowered, varying: str) -> None:
    ends = ends_of(first.prepared.graph)
    open_ = [end.name for end in (*ends.inputs, *ends.outputs) if _is_open(end)] if ends is not None else []
    if open_:
        raise UnsupportedError(
            f"model {first.draft.name!r}: it is known only while running what there is of {', '.join(map(repr, open_))}, which "
            f"is not followed for extents that vary: give a number for {varying} by dims={{{varying!r}: 1}}, on the command line "
            "by --dim"
        )


def _is_open(end: End) -> bool:
    return end.kind in (COUNTED, MAYBE, SIZED) or any(map(_is_open, end.parts or ()))


def with_counts(first: Lowered, lower: LowerRunning) -> tuple[Lowered, tuple[DimInfo, ...]]:
    """A model that counts places while it runs, right for every number of them.

    Args:
        first: the model with room for as many as there may be.
        lower: the same with room for others, by the names of extents, and with other values that are computed while running.

    Returns:
        The model, whose last output is how many places there are of each extent; and what metadata say of the extents.

    Raises:
        UnsupportedError: a node needs to know how many there are, and does not find that out while running.
    """
    try:
        return _with_counts(first, lambda rooms: lower(rooms, frozenset()))
    except UnsupportedError as refusal:
        for running in _runnable(first, lower):
            with suppress(UnsupportedError):
                return _with_counts(lower({}, running), lambda rooms, its=running: lower(rooms, its))  # type: ignore[misc]
        raise refusal


def _runnable(first: Lowered, lower: LowerRunning) -> Sequence[frozenset[str]]:
    """What may be computed while running, as `may_run` gives it for the counts of a model: first less, then more."""
    running: list[set[str]] = [set(), set()]
    for extent in first.counts:
        sizes = sampled(Dim(0, extent.room), extent.room)[:2]
        if extent.is_exact or len(sizes) < 2:
            continue
        try:
            larger, smaller = (lower({extent.name: size}, frozenset()).sizes for size in sizes)
        except (ModelError, UnsupportedError):
            continue
        counts = Counts(sizes[0], sizes[1], 0, extent.room)
        for rounded, names in enumerate(running):
            names.update(may_run(larger, smaller, counts, rounded=bool(rounded)))
    return [frozenset(names) for names in running if names]


def _with_counts(first: Lowered, lower: Lower) -> tuple[Lowered, tuple[DimInfo, ...]]:
    there = {
        step.definition.counting.name
        for step in first.draft.steps
        if isinstance(step.definition, Template) and step.definition.counting is not None
    }
    extents = [extent for extent in first.counts if extent.node in there]
    if not extents:
        return first, ()
    rooms = {extent.name: extent.room for extent in extents}
    samples: list[Sample[Draft]] = []
    for at, extent in enumerate(extents):
        if not extent.is_exact:
            samples += _samples(first, at, extent, lambda some: lower({**rooms, **some}))
    room = _with_room(first.draft, samples, extents, lambda name, size: lower({**rooms, name: size}).draft)
    if isinstance(room, Mixed):
        names = ", ".join(extent.name for extent in extents if not extent.is_exact)
        raise _refusal(first, names, room)
    outputs = [
        (value.name or "", room.limits.get(draft_name, ()))
        for value, draft_name in zip(first.prepared.graph.outputs, room.outputs, strict=False)
    ]
    dims = [
        room_info(extent.name, Dim(extent.low, extent.high), (), counts_of(at, outputs))
        for at, extent in enumerate(extents)
    ]
    return replace(first, draft=_checked(room, extents)), tuple(dims)


def _checked(draft: Draft, extents: Sequence[CountedExtent]) -> Draft:
    """The draft, of which a run ends if an extent has more places than it may have, or not as many as the model declares.

    The run ends when all extents are counted: then the output that says how many there are is complete.
    """
    counts, types, checks = draft.outputs[-1], dict(draft.types), list(draft.checks)
    added: list[Step] = []
    for number, extent in enumerate(extents):
        if not extent.is_checked:
            continue
        expected = f"exactly {extent.high}" if extent.is_exact else f"at most {extent.high}"
        template = check_template(
            [types[counts]], _within(number, extent), CHECK_STATUS - len(checks), f"{number}: {expected}"
        )
        status = unused(f"{extent.node}.count_check", types)
        types[status] = template.outputs[0]
        added.append(Step(template, (counts,), (status,), (extent.node,), HOST))
        checks.append(Check(status, extent.node, extent.op_type, extent.name, "count", expected))
    at = next(number for number, step in enumerate(draft.steps, 1) if counts in step.outputs)
    steps = (*draft.steps[:at], *added, *draft.steps[at:])
    return replace(draft, types=types, steps=steps, checks=tuple(checks))


def _within(number: int, extent: CountedExtent) -> Callable[[Read], Expr]:
    """Whether count `number` is one that the extent may have."""
    return lambda read: both(
        compare("ge", read(number), extent.low), compare("le", read(number), extent.high)
    )


def _with_room(
    draft: Draft,
    samples: list[Sample[Draft]],
    extents: Sequence[CountedExtent],
    lower: Callable[[str, int], Draft],
) -> Draft | Mixed:
    """What `with_room` gives; `samples` gets those that it wants to see besides."""
    sizes = [range(extent.low, extent.room + 1) for extent in extents]
    dims = {extent.node: at for at, extent in enumerate(extents)}
    for _ in range(_ROUNDS_MAX):
        try:
            return with_room(draft, samples, [()] * len(extents), sizes, dims)
        except SampleNeeded as needed:
            name = extents[needed.dim].name
            samples.append(Sample(needed.dim, needed.size, lower(name, needed.size)))
    return Mixed("too many numbers follow from the extents up to a size of their own")


def _samples(first: Lowered, at: int, extent: CountedExtent, lower: Lower) -> Sequence[Sample[Draft]]:
    """The draft for less room of one extent."""
    samples: list[Sample[Draft]] = []
    logs = []
    for size in dict.fromkeys((*sampled(Dim(0, extent.room), extent.room), 3, 2)):
        try:
            lowered = lower({extent.name: size})
        except (ModelError, UnsupportedError) as error:
            raise _refusal(
                first, extent.name, Mixed(f"it cannot be built for {size} places: {error.message}")
            ) from None
        samples.append(Sample(at, size, lowered.draft))
        logs.append(lowered.sizes)
    (larger, smaller), sizes = logs[:2], [sample.size for sample in samples[:2]]
    question = case_asked(larger, smaller, Counts(sizes[0], sizes[1], 0, extent.room), caps=True)
    if question is not None:
        raise _refusal(first, extent.name, Mixed(question.why, (question.node,)))
    return samples


def _refusal(first: Lowered, names: str, why: Mixed) -> UnsupportedError:
    return UnsupportedError(
        f"model {first.draft.name!r}: how many places {names} has depends on the content of inputs, and what follows from it "
        f"cannot be built: {why}; let the model end before (onnx.utils.extract_model), and do the rest in the application",
        nodes=why.nodes,
    )
