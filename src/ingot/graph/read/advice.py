"""Which numbers to give to extents that a model leaves open: sizes that were tried and that fit it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import onnx_ir as ir

from ingot.base.errors import IngotError, ModelError

# Extents for the axes of images, and for all others but the first one, which counts samples and gets 1. A pair is tried at once.
# Networks halve images up to five times; a second of speech has 16,000 numbers.
TRIED = ((224, 1), (640, 16), (32, 1024), (1, 16_000))
_COLOURS_MAX = 4
_METADATA_SIZE = "imgsz"  # what exporters of detectors write: the height and width that they traced


def advised(
    model: ir.Model,
    declared: Mapping[str, ir.Shape],
    error: ModelError,
    trial: Callable[[Mapping[str, int]], object],
) -> ModelError:
    """The error that says which extents are open, with numbers that fit, or with the reasons against those that were tried.

    Args:
        model: with inputs as they are declared.
        declared: shapes that the model states of what it computes, by name.
        error: of `bind.bind_dims`; its `facts["unbound"]` are keys of `dims`.
        trial: reads the model with more `dims`; raises the reason where they do not fit. Called a few times.
    """
    unbound: Sequence[str] = error.facts["unbound"]  # type: ignore[assignment]
    against: Exception | None = None
    for sizes in _candidates(model, declared, unbound):
        try:
            trial(sizes)
        except (IngotError, RecursionError, NotImplementedError, MemoryError) as refused:
            against = against or refused
            continue
        given = f"give numbers by dims={sizes}, on the command line by {dim_words(sizes)}"
        return ModelError(f"{error.message}\n{given}", **error.facts)
    keys = ", ".join(f"{key!r}: …" for key in unbound)
    words = " ".join(f"--dim {shlex.quote(key)}=…" for key in unbound)
    return ModelError(
        f"{error.message}\ngive numbers by dims={{{keys}}}, on the command line by {words}; "
        f"none of those that were tried fits ({against})",
        **error.facts,
    )


def dim_words(dims: Mapping[str, int]) -> str:
    """`--dim batch=1 --dim height=224`."""
    return " ".join(f"--dim {shlex.quote(f'{key}={size}')}" for key, size in dims.items())


@contextmanager
def dims_named(dims: Mapping[str, int]) -> Iterator[None]:
    """Says of a ModelError inside that the numbers of `dims` may be what does not fit, if there are any."""
    try:
        yield
    except ModelError as error:
        if not dims:
            raise
        given = f"it was read with {dim_words(dims)}: another number may fit"
        raise ModelError(f"{error.message}; {given}", **{**error.facts, "dims": dict(dims)}) from error


def _candidates(
    model: ir.Model, declared: Mapping[str, ir.Shape], unbound: Sequence[str]
) -> list[dict[str, int]]:
    places = _places(model.graph, unbound)
    image_sides = _image_sides(model.graph)
    own = _own_sizes(model, declared, {key: places[key] for key in unbound if key in image_sides})
    rounds = [{key: _size(key, places, image_sides, pair) for key in unbound} for pair in TRIED]
    if own:
        rounds.insert(0, rounds[0] | own)
    return [sizes for at, sizes in enumerate(rounds) if sizes not in rounds[:at]]


def _size(
    key: str, places: Mapping[str, tuple[int, int]], image_sides: set[str], pair: tuple[int, int]
) -> int:
    if key in image_sides:
        return pair[0]
    axis, rank = places[key]
    return 1 if axis == 0 and rank > 1 else pair[1]


def _symbols(value: ir.Value) -> list[str | None]:
    """What `dims` calls each extent of an input; None where it is a number."""
    shape = () if value.shape is None else value.shape
    return [
        None
        if isinstance(extent, int)
        else f"{value.name}:{axis}"
        if extent.value is None
        else str(extent.value)
        for axis, extent in enumerate(shape)
    ]


def _places(graph: ir.Graph, unbound: Sequence[str]) -> dict[str, tuple[int, int]]:
    """The first place of each key: its axis, and the rank of the input."""
    places: dict[str, tuple[int, int]] = {}
    for symbols in map(_symbols, graph.inputs):
        for axis, symbol in enumerate(symbols):
            if symbol in unbound:
                places.setdefault(str(symbol), (axis, len(symbols)))
    return places


def _image_sides(graph: ir.Graph) -> set[str]:
    """The open extents of inputs of rank 4 and above with two of them or more behind the first axis: a height and a width.
    One alone is a length, such as that of the past of an attention; and rows of more than four numbers are no colours.
    """
    image_sides: set[str] = set()
    for value in graph.inputs:
        symbols = _symbols(value)
        sides = {symbol for symbol in symbols[1:] if symbol is not None}
        last = value.shape[-1] if value.shape else None
        if len(symbols) >= 4 and len(sides) >= 2 and not (isinstance(last, int) and last > _COLOURS_MAX):
            image_sides |= sides
    return image_sides


def _own_sizes(
    model: ir.Model, declared: Mapping[str, ir.Shape], places: Mapping[str, tuple[int, int]]
) -> dict[str, int]:
    """The size of images that the exporter traced, as far as the model still says it: in its metadata, or as the largest extent
    that it declares at the axis, which is that of the first layers.
    """
    stated = _stated_sizes(model)
    if stated and places:
        return {key: stated[min(at, len(stated) - 1)] for at, key in enumerate(places)}
    sizes: dict[str, int] = {}
    for key, (axis, rank) in places.items():
        known = (shape[axis] for shape in declared.values() if len(shape) == rank)
        largest = max((extent for extent in known if isinstance(extent, int)), default=0)
        if largest > 1:
            sizes[key] = largest
    return sizes


def _stated_sizes(model: ir.Model) -> list[int]:
    """The numbers of `[640, 640]`."""
    stated = [
        int(digits[:9]) for digits in re.findall(r"\d+", model.metadata_props.get(_METADATA_SIZE, "")[:100])
    ]
    return [size for size in stated if size > 0]
