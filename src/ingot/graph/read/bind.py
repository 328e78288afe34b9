"""Binds what a model leaves open: symbolic extents by `dims`, inputs by `constants`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx_ir as ir

from ingot.base.conversions import array_of, array_of_text
from ingot.base.errors import ModelError, nearest
from ingot.base.packing import limits
from ingot.graph.read.names import unused_name
from ingot.graph.read.types import is_image_decoder, to_dtype, to_ml_dtypes

RANK = "rank"  # behind an input's name and a colon in `dims`
RANK_MAX = 64  # as NumPy has it


def bind_constants(
    graph: ir.Graph, constants: Mapping[str, object], label: str
) -> dict[str, tuple[int, str]]:
    """Turns graph inputs into constants. Returns the symbols that their shapes decide: each with its extent and the name of a
    constant that has it. In place.

    Raises:
        ModelError: no such input, or another type or shape than the input has.
    """
    symbols: dict[str, tuple[int, str]] = {}
    inputs = {value.name: value for value in graph.inputs}
    for name, array in sorted(constants.items()):
        value = inputs.get(name)
        if value is None:
            known = ", ".join(repr(own) for own in inputs) or "none"
            raise ModelError(
                f"{label}: constants={{{name!r}: …}}: there is no such input{nearest(name, map(str, inputs))} (inputs: {known})"
            )
        try:
            bound = _of_stated_type(np.array(_converted(value, array, label), order="C"), value)
            tensor = _tensor(bound, name)
        except (TypeError, ValueError) as error:
            raise ModelError(
                f"{label}: constants={{{name!r}: …}}: expected an array of numbers or text, got {type(array).__name__} ({error})",
                value=name,
            ) from None
        if value.dtype is not None and tensor.dtype != value.dtype:
            raise ModelError(
                f"{label}: constants={{{name!r}: …}}: got {bound.dtype}, the input is {value.dtype.name.lower()}",
                value=name,
            )
        if value.shape is not None:
            _match(value, tuple(tensor.shape.numpy()), symbols, label)
        value.shape, value.dtype, value.const_value = ir.Shape(tensor.shape.numpy()), tensor.dtype, tensor
        graph.inputs.remove(value)
        graph.initializers.pop(name, None)
        graph.register_initializer(value)
    return symbols


def _of_stated_type(array: np.ndarray, value: ir.Value) -> np.ndarray:
    """Of a type that NumPy lacks, an array of `DType.numpy` as one of ml_dtypes; any other as it is."""
    dtype = to_dtype(value.dtype)
    if dtype is None or dtype.numpy != array.dtype or dtype.numpy == to_ml_dtypes(dtype):
        return array
    kind = to_ml_dtypes(dtype)
    if not dtype.is_packed:
        return array.view(kind)
    lowest, highest = limits(dtype)
    if array.size and not (lowest <= int(array.min()) and int(array.max()) <= highest):
        raise ValueError(
            f"elements from {array.min()} to {array.max()}; {dtype.value} has {lowest} to {highest}"
        )
    return array.astype(kind) if dtype.is_integer else array.view(kind)


def _tensor(array: np.ndarray, name: str) -> ir.TensorProtocol:
    """An array of numbers or of `str`."""
    texts: list[Any] = array.reshape(-1).tolist() if array.dtype.kind in "UOT" else [None]
    if all(isinstance(text, str) for text in texts):
        return ir.StringTensor([text.encode() for text in texts], shape=ir.Shape(array.shape), name=name)
    return ir.Tensor(array, name=name)


def _converted(value: ir.Value, given: object, label: str) -> object:
    """Numbers, lists of them and texts as an array of the element type of an input of numbers; anything else as it is."""
    dtype = None if to_dtype(value.dtype) is None or value.dtype is None else value.dtype.numpy()
    if dtype is None or dtype.kind not in "biuf" or not isinstance(given, str | int | float | list | tuple):
        return given
    array = array_of_text(given, dtype) if isinstance(given, str) else array_of(given, dtype)
    if array is None:
        raise ModelError(
            f"{label}: constants={{{value.name!r}: …}}: got {given!r:.80}, the input is {dtype}{_range_words(dtype)}",
            value=value.name,
        )
    return array.reshape(_fitting(value, array))


def _range_words(dtype: np.dtype[Any]) -> str:
    if dtype.kind == "b":
        return ": true or false, 1 or 0"
    if dtype.kind in "iu":
        return f": whole numbers from {np.iinfo(dtype).min} to {np.iinfo(dtype).max}"
    return ": numbers in its range"


def _fitting(value: ir.Value, array: np.ndarray) -> tuple[int, ...]:
    """The shape of an input for as many elements in a row as were given, if that leaves one choice; else their own."""
    if value.shape is None or array.ndim > 1 or len(value.shape) == array.ndim:
        return array.shape
    stated = [extent if isinstance(extent, int) else -1 for extent in value.shape]
    count = math.prod(extent for extent in stated if extent >= 0)
    if stated.count(-1) > 1 or (array.size % count if count and -1 in stated else array.size != count):
        return array.shape
    return tuple(array.size // count if extent < 0 else extent for extent in stated)


def _match(value: ir.Value, shape: tuple[int, ...], symbols: dict[str, tuple[int, str]], label: str) -> None:
    assert value.shape is not None
    bad = ModelError(
        f"{label}: constants={{{value.name!r}: …}}: got the shape {list(shape)}, the input has {value.shape}",
        value=value.name,
    )
    if len(shape) != len(value.shape):
        raise bad
    for stated, extent in zip(value.shape, shape, strict=True):
        if isinstance(stated, int):
            if stated != extent:
                raise bad
        elif (
            stated.value is not None
            and symbols.setdefault(str(stated.value), (extent, str(value.name)))[0] != extent
        ):
            raise bad


def open_shape(name: str, dims: dict[str, int], label: str) -> ir.Shape:
    """As many open extents as `dims` says of an input without a declared shape: `x:rank`, which is taken out of `dims`, or enough
    for the extents that it names, `x:0` and so on.

    Raises:
        ModelError: `dims` says nothing of it, or a number that is no rank.
    """
    stated = dims.pop(f"{name}:{RANK}", None)
    begin = len(name) + 1
    axes = [int(key[begin:]) for key in dims if key.startswith(f"{name}:") and key[begin:].isdecimal()]
    if stated is None and not axes:
        raise ModelError(
            f"{label}: the model declares no shape of {name!r}, not even a rank: say its extents by dims={{'{name}:0': …}}, or "
            f"of a single number dims={{'{name}:{RANK}': 0}}; or state it in the model, or bind it to an array by constants=",
            value=name,
        )
    rank = max(axes) + 1 if stated is None else stated
    if isinstance(rank, bool) or not isinstance(rank, int) or not 0 <= rank <= RANK_MAX:
        raise ModelError(
            f"{label}: {name!r} has the rank {rank!r} by dims; expected a number from 0 to {RANK_MAX}",
            value=name,
        )
    return ir.Shape([None] * rank)


def bind_dims(
    graph: ir.Graph,
    dims: Mapping[str, int],
    symbols: Mapping[str, tuple[int, str]],
    label: str,
    places: dict[str, list[tuple[str, int]]] | None = None,
) -> None:
    """Gives every extent of every input a number, but for the length of image files. `dims` has extents by symbol, or by
    `input:axis` where there is none, and ranks that are not declared (`open_shape`); `symbols` are those that constants decided,
    of which `dims` may say nothing else; an `input:axis` may. `places` gets the input and axis of each extent that a key of
    `dims` decides. In place.

    Raises:
        ModelError: lists every extent that is not bound, also in `facts["unbound"]` (`advice` says what to give); or names a
            key of `dims` that binds nothing or contradicts a constant.
    """
    tensors = [value for value in graph.inputs if isinstance(value.type, ir.TensorType)]
    dims = dict(dims)
    for value in tensors:
        if value.shape is None:
            value.shape = open_shape(str(value.name), dims, label)
    for name, extent in dims.items():
        if isinstance(extent, bool) or not isinstance(extent, int | np.integer) or extent < 0:
            raise ModelError(
                f"{label}: dims={{{name!r}: {extent!r}}}: an extent is a whole number, not below zero",
                dim=name,
            )
        decided, by = symbols.get(name, (extent, ""))
        if decided != extent:
            raise ModelError(
                f"{label}: dims={{{name!r}: {extent}}}: {name} is {decided} by constants={{{by!r}: …}}; leave it out of dims, "
                "or give a constant of another shape",
                dim=name,
            )
    unbound: dict[str, str] = {}
    unbound_places: dict[str, list[tuple[str, int]]] = {}
    decided_at: dict[str, list[tuple[str, int]]] = {} if places is None else places
    used: set[str] = set()
    known: set[str] = set()
    bound = {
        **{name: extent for name, (extent, _) in symbols.items()},
        **{name: int(extent) for name, extent in dims.items()},
    }
    for value in tensors:
        assert value.shape is not None
        extents: list[int] = []
        for axis, stated in enumerate(value.shape):
            place = f"{value.name}:{axis}"
            symbol = place if isinstance(stated, int) or stated.value is None else str(stated.value)
            if isinstance(stated, int):
                # Exporters write 0 for an extent that they do not know; of itself it is an empty tensor's.
                extents.append(bound.get(place, 0) if stated == 0 else stated)
                if stated == 0 and place in bound:
                    used.add(place)
                    decided_at.setdefault(place, []).append((str(value.name), axis))
                known.update((place,) if stated == 0 else ())
                continue
            known.update((symbol, place))
            key = place if place in bound else symbol
            if key in bound:
                used.update((key, symbol))
                extents.append(bound[key])
                decided_at.setdefault(key, []).append((str(value.name), axis))
            elif not _is_image_file(value):
                unbound.setdefault(symbol, f"axis {axis} of input {value.name!r}")
                unbound_places.setdefault(symbol, []).append((str(value.name), axis))
        if len(extents) == len(value.shape):
            value.shape = ir.Shape(extents)
    if unbound:
        listed = "".join(f"\n  {symbol}: {place}" for symbol, place in unbound.items())
        raise ModelError(
            f"{label}: {len(unbound)} symbolic extent{'s are' if len(unbound) > 1 else ' is'} not bound:{listed}",
            unbound=tuple(unbound),
            places=unbound_places,
        )
    for name in dims:
        if name not in used:
            choice = ", ".join(sorted(known)) or "none: all its extents are numbers"
            raise ModelError(
                f"{label}: dims={{{name!r}: …}}: no input has such an extent{nearest(name, known)} (symbolic extents: {choice})",
                dim=name,
            )


def _is_image_file(value: ir.Value) -> bool:
    """Whether an input is the bytes of an image file and nothing else: how many these are stays open."""
    return (
        bool(value.uses())
        and not value.is_graph_output()
        and all(is_image_decoder(use.node) for use in value.uses())
    )


def know_empty_lists(graph: ir.Graph) -> None:
    """Lets nodes read constants in the place of inputs that are lists of no whole numbers, such as axes: their content is known.
    The inputs stay. In place.
    """
    for value in graph.inputs:
        if (
            value.dtype not in (ir.DataType.INT32, ir.DataType.INT64)
            or value.shape is None
            or list(value.shape) != [0]
        ):
            continue
        if value.is_graph_output():
            continue
        name, tensor = unused_name(graph, f"{value.name}.known"), ir.Tensor(np.zeros(0, value.dtype.numpy()))
        known = ir.Value(name=name, shape=ir.Shape([0]), type=ir.TensorType(value.dtype), const_value=tensor)
        graph.register_initializer(known)
        ir.convenience.replace_all_uses_with(value, known)
