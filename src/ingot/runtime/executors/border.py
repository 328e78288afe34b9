"""The executor of a model with text, image files, sequences, optionals or maps at its ends: it does what the border says around
the executor of the compiled part.

Only such models need it: it is imported with the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import index as as_index
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ingot.artifact.model_info import ModelInfo, TensorInfo
from ingot.base.errors import DeviceError, InputError, nearest
from ingot.base.lazy import Late
from ingot.border.program import COUNTED, MAYBE, OPEN, Border, Port, Step, text_array
from ingot.border.steps import Run, prepared, require
from ingot.runtime.executors.base import Executor, by_name
from ingot.runtime.inputs import as_array, overlap, require_writeable
from ingot.runtime.memory import Array
from ingot.runtime.profile import Profile

if TYPE_CHECKING:
    from ingot.runtime.executors import border_sizes as late_sizes
    from ingot.runtime.executors.border_sizes import BorderSizes
else:
    late_sizes = Late("ingot.runtime.executors.border_sizes")  # of extents that vary

Values = dict[str, Any]
Prepared = Sequence[tuple[Step, Run]]


def at_border(core: Executor, info: ModelInfo, maps: bool) -> BorderExecutor:
    """The executor that callers get, around one of the compiled part.

    Args:
        core: the executor of the compiled part.
        info: the model, which has a border.
        maps: whether inputs that are maps are dicts and outputs lists of dicts; else they are the tensors behind these.
    """
    assert info.border is not None
    return BorderExecutor(core, info, info.border, maps)


class BorderExecutor(Executor):
    """Text, image files, sequences, optionals and maps around `core`, an executor of tensors. It has all executors' methods.

    Text is given as an array of `str` (of NumPy's `U`, of objects, or of its strings of any length), a sequence as a list of
    arrays, an optional as what is in it or None, a map as a dict, an image file as `bytes` or as a `uint8` array of any length.
    Text comes back as an array of objects, maps as a list of dicts.
    """

    def __init__(self, core: Executor, info: ModelInfo, border: Border, maps: bool) -> None:
        self.core, self.kind = core, core.kind
        self._info, self._maps = info, maps
        # Tensors that content decides how large they are.
        self._counted = {tensor.name: tensor for tensor in info.outputs if info.counts and tensor.extents}
        outputs = tuple(_opened(port, self._counted) for port in border.outputs)
        self._ports = self._shown_ports(border.inputs), self._shown_ports(outputs)
        for step in (*border.front, *border.back):
            require(step)
        self._front, self._back = (
            [(step, prepared(step)) for step in steps] for steps in (border.front, border.back)
        )
        self._sizes: BorderSizes | None = None
        if info.dims:
            self._sizes = late_sizes.BorderSizes(info, border, self._front, self._back)
        self._given: Values = {}
        self._results: list[Any] | None = None

    def _shown_ports(self, ports: tuple[Port, ...]) -> tuple[Port, ...]:
        return ports if self._maps else tuple(map(_without_maps, ports))

    @property
    def inputs(self) -> tuple[Any, ...]:
        """Each input: a `TensorInfo`, or a `Port` that says what else it is."""
        return tuple(map(_shown, self._ports[0]))

    @property
    def outputs(self) -> tuple[Any, ...]:
        """Each output, as `inputs`."""
        return tuple(self._counted.get(port.name) or _shown(port) for port in self._ports[1])

    def __repr__(self) -> str:
        return f"<ingot.{type(self).__name__} {self._info}>"

    # ─── step by step ──────────────────────────────────────────────────────────────────────────────────────────────

    def set_input(
        self, inputs: Mapping[str, object] | None = None, /, *, copy: bool = True, **arrays: object
    ) -> None:
        """As of every executor. With `copy=False` arrays of numbers are read at each run, where they are."""
        given = arrays if inputs is None else by_name(inputs, arrays)
        ports = {port.name: port for port in self._ports[0]}
        taken: Values = {}
        for name, value in given.items():
            if name not in ports:
                raise self._unknown(name)
            _take(ports[name], value, taken)
        self._given |= {name: np.array(array) if copy else array for name, array in taken.items()}

    def run(self) -> None:
        """As of every executor."""
        missing = [
            port.name
            for port in self._ports[0]
            if any(leaf.name not in self._given for leaf in port.leaves())
        ]
        if missing:
            raise InputError(
                f"model {self._info.name!r}: input {', '.join(map(repr, missing))} was not set; call set_input first",
                name=self._info.name,
                missing=tuple(missing),
            )
        self._results = None
        self._results = self._answer(dict(self._given))

    def get_output(self, index: int | str, out: object = None) -> Any:
        """As of every executor."""
        at = self._output_index(index)
        if self._results is None:
            raise InputError(
                f"model {self._info.name!r}: get_output before run, or after one that failed",
                name=self._info.name,
            )
        result = self._results[at]
        if out is None:
            return _copied(result)
        _put([self._ports[1][at]], [out], [result])
        return out

    # ─── at once ───────────────────────────────────────────────────────────────────────────────────────────────────

    def predict(
        self, inputs: Mapping[str, object] | None = None, /, *, out: Any = None, **arrays: object
    ) -> Any:
        """As of every executor; `out` takes arrays for outputs that are tensors or text, and memory is allocated all the same."""
        results = self._answer(self._taken(by_name(inputs, arrays)))
        if out is None:
            return results[0] if len(results) == 1 else tuple(results)
        targets: Sequence[Any] = out if isinstance(out, (tuple, list)) else (out,)
        if len(targets) != len(results):
            names = ", ".join(port.name for port in self._ports[1])
            raise InputError(
                f"model {self._info.name!r}: out must have one array for each output ({names}), got {len(targets)}",
                expected=len(results),
                got=len(targets),
            )
        _put(self._ports[1], targets, results)
        return out

    def device_tensor(self, name: str, content: object = None) -> Any:
        """As of every executor: for inputs and outputs of the compiled part."""
        return self.core.device_tensor(name, content)

    def profile(
        self, inputs: Mapping[str, object] | None = None, /, *, repeat: int = 10, **arrays: object
    ) -> Profile:
        """As of every executor: of the compiled part."""
        values = self._taken(by_name(inputs, arrays))
        self._do(self._for_sizes(values)[0], values)
        return self.core.profile(self._core_inputs(values), repeat=repeat)

    # ─── inside ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _taken(self, given: Mapping[str, object]) -> Values:
        """The leaves of all inputs by name."""
        values: Values = {}
        for name in sorted(given.keys() - {port.name for port in self._ports[0]}, key=str):
            raise self._unknown(name)
        missing = [str(port) for port in self._ports[0] if port.name not in given]
        if missing:
            raise InputError(
                f"model {self._info.name!r}: missing input {'; '.join(missing)}", missing=tuple(missing)
            )
        for port in self._ports[0]:
            _take(port, given[port.name], values)
        return values

    def _unknown(self, name: str) -> InputError:
        known = {port.name: str(port) for port in self._ports[0]}
        return InputError(
            f"model {self._info.name!r} has no input {name!r}{nearest(str(name), known)} "
            f"(it has {'; '.join(known.values()) or 'none'})",
            name=name,
            known=tuple(known),
        )

    def _answer(self, values: Values) -> list[Any]:
        """What callers get, in order."""
        front, back, outputs = self._for_sizes(values)
        self._do(front, values)
        given = {id(array) for array in values.values()}
        if self._info.outputs:
            results = self.core.predict(self._core_inputs(values))
            values |= zip(
                (output.name for output in self.core.outputs),
                results if isinstance(results, tuple) else (results,),
                strict=True,
            )
        self._do(back, values)
        return [_given_back(port, values, given) for port in outputs]

    def _for_sizes(self, values: Values) -> tuple[Prepared, Prepared, tuple[Port, ...]]:
        """The steps before and after kernels, and what callers get, for the leaves of inputs."""
        if self._sizes is None:
            return self._front, self._back, self._ports[1]
        sized = self._sizes.at(values)
        return sized.front, sized.back, self._shown_ports(sized.outputs)

    def _core_inputs(self, values: Values) -> Values:
        for tensor in self._info.inputs:
            array = values[tensor.name]
            extents = tensor.extents or tensor.shape
            if not _fits(
                array.shape, tuple(extent if isinstance(extent, int) else OPEN for extent in extents)
            ):
                raise InputError(
                    f"model {self._info.name!r}: what it does before its kernels makes {tensor.name!r} of the shape "
                    f"{list(array.shape)}, and it was built for {tensor.type_words}",
                    name=tensor.name,
                )
        return {tensor.name: values[tensor.name] for tensor in self._info.inputs}

    def _do(self, steps: Sequence[tuple[Step, Run]], values: Values) -> None:
        for step, run in steps:
            try:
                results = run([values[name] for name in step.inputs])
            except (ValueError, IndexError) as error:
                read = ", ".join(map(repr, step.inputs))
                raise InputError(
                    f"model {self._info.name!r}: the step {step.op!r} of {read}: {error}", step=step.op
                ) from None
            except MemoryError as error:
                raise DeviceError(
                    f"model {self._info.name!r}: no memory is left for the step {step.op!r}"
                ) from error
            values.update(zip(step.outputs, results, strict=True))

    def _output_index(self, index: int | str) -> int:
        names = [port.name for port in self._ports[1]]
        if isinstance(index, str) and index in names:
            return names.index(index)
        try:
            return range(len(names))[as_index(index)]  # type: ignore[arg-type]  # a text that is no name has no index
        except (TypeError, IndexError):
            raise InputError(
                f"model {self._info.name!r} has no output {index!r}{nearest(str(index), names)} (it has {', '.join(names)})",
                got=index,
            ) from None


# ─── ports ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _without_maps(port: Port) -> Port:
    if port.kind != "maps":
        return port
    inner = port.parts[0]
    if inner.name != port.name:
        return inner  # type: ignore[no-any-return]  # parts are ports
    return Port(port.name, "tensor", inner.dtype, inner.shape, extents=inner.extents)


def _opened(port: Port, counted: Mapping[str, TensorInfo]) -> Port:
    """A port of which extents that depend on content are open."""
    if port.kind != "tensor":
        return replace(port, parts=tuple(_opened(part, counted) for part in port.parts))
    tensor = counted.get(port.name)
    if tensor is None:
        return port
    return replace(
        port, shape=tuple(extent if isinstance(extent, int) else OPEN for extent in tensor.extents)
    )


def _info(port: Port, shape: tuple[int, ...] | None = None) -> TensorInfo:
    assert port.dtype is not None
    return TensorInfo(port.name, port.dtype, port.shape if shape is None else shape, _extents(port))


def _extents(port: Port) -> tuple[Any, ...]:
    return tuple(extent if isinstance(extent, int) else extent.shown for extent in port.extents)


def _shown(port: Port) -> TensorInfo | Port:
    return _info(port) if port.kind == "tensor" and OPEN not in port.shape else port


def _refuse(port: Port, role: str, fault: str, got: object) -> NoReturn:
    raise InputError(
        f"{role} {port.name!r} {fault}; expected {str(port).partition(': ')[2]}", name=port.name, got=got
    )


def _take(port: Port, value: Any, values: Values) -> None:
    """Adds the leaves of what a caller gives."""
    _TAKE[port.kind](port, value, values)


def _take_tensor(port: Port, value: Any, values: Values) -> None:
    if OPEN not in port.open_shape:
        values[port.name] = as_array(value, _info(port))
        return
    shape = _shape_of(value)
    if shape is None and port.extents:
        shape = _shape_of_numbers(port, value)
    if shape is None:
        kind = type(value).__name__
        _refuse(port, "input", f"is a Python {kind}; convert it with numpy.asarray(…, dtype)", kind)
    if not _fits(shape, port.open_shape):
        _refuse(port, "input", f"has the shape {list(shape)}", shape)
    values[port.name] = as_array(value, _info(port, shape))


def _shape_of(value: Any) -> tuple[int, ...] | None:
    """The shape of an array or of a buffer, such as bytes; None of anything else."""
    if hasattr(value, "shape"):
        return tuple(value.shape)
    try:
        return memoryview(value).shape
    except TypeError:
        return None


def _shape_of_numbers(port: Port, value: Any) -> tuple[int, ...] | None:
    """The shape of a number of Python, or of lists of them; None of anything else."""
    if not isinstance(value, (list, tuple, int, float)):
        return None
    try:
        return np.shape(value)
    except ValueError:
        _refuse(port, "input", "is a list of lists of different lengths", type(value).__name__)


def _take_text(port: Port, value: Any, values: Values) -> None:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "UOT":
        kind = (
            f"has the dtype {value.dtype}"
            if isinstance(value, np.ndarray)
            else f"is a Python {type(value).__name__}"
        )
        _refuse(
            port, "input", f"{kind}; convert it with numpy.asarray(…, dtype=object)", type(value).__name__
        )
    texts = value.reshape(-1).tolist()
    for text in texts:
        if type(text) is not str:
            _refuse(port, "input", f"has an element that is no str: {text!r:.80}", type(text).__name__)
    if not _fits(value.shape, port.open_shape):
        _refuse(port, "input", f"has the shape {list(value.shape)}", value.shape)
    values[port.name] = text_array(texts, value.shape)


def _fits(shape: tuple[int, ...], expected: tuple[int, ...]) -> bool:
    pairs = zip(shape, expected, strict=False)
    return len(shape) == len(expected) and all(wanted in (OPEN, extent) for extent, wanted in pairs)


def _take_sequence(port: Port, value: Any, values: Values) -> None:
    if not isinstance(value, (list, tuple)):
        _refuse(
            port,
            "input",
            f"is a {type(value).__name__}; give a list with one array for each element",
            type(value).__name__,
        )
    if port.kind == COUNTED:
        _take_counted(port, value, values)
        return
    if len(value) != len(port.parts):
        _refuse(
            port,
            "input",
            f"has {len(value)} elements, and the model was built for {len(port.parts)}",
            len(value),
        )
    for part, element in zip(port.parts, value, strict=True):
        _take(part, element, values)


def _take_counted(port: Port, value: Sequence[Any], values: Values) -> None:
    """Elements behind the last are zeros, which nothing reads."""
    count, *places = port.parts
    if len(value) > len(places):
        _refuse(
            port,
            "input",
            f"has {len(value)} elements, and the library has room for {len(places)}",
            len(value),
        )
    values[count.name] = np.array(len(value), np.int64)
    for part, element in zip(places, value, strict=False):
        _take(part, element, values)
    for part in places[len(value) :]:
        _take_nothing(part, values)


def _take_maybe(port: Port, value: Any, values: Values) -> None:
    flag, part = port.parts
    values[flag.name] = np.array(value is not None)
    if value is None:
        _take_nothing(part, values)
    else:
        _take(part, value, values)


def _take_nothing(port: Port, values: Values) -> None:
    for leaf in port.leaves():
        assert leaf.dtype is not None
        values[leaf.name] = np.zeros(leaf.shape, leaf.dtype.numpy)


def _take_optional(port: Port, value: Any, values: Values) -> None:
    if (value is None) != (not port.parts):
        got, built = ("None", "something") if port.parts else ("something", "None")
        _refuse(port, "input", f"is {got}, and the model was built for {built}", type(value).__name__)
    for part in port.parts:
        _take(part, value, values)


def _take_maps(port: Port, value: Any, values: Values) -> None:
    """A key that is missing is 0, one that the model does not read is passed over."""
    if not isinstance(value, Mapping):
        _refuse(port, "input", f"is a {type(value).__name__}; give a dict", type(value).__name__)
    part = port.parts[0]
    row = np.zeros(part.shape, _info(part).dtype.numpy)
    for column, label in enumerate(port.labels):
        if label in value:
            row[0, column] = _number(port, label, value[label], row.dtype)
    values[part.name] = row


def _number(port: Port, label: int | str, given: Any, dtype: np.dtype[Any]) -> Any:
    """What stands for a key of a map, in the type of its column: a whole number for floats, too, but not the other way round."""
    try:
        number = np.asarray(given)
        with np.errstate(over="ignore"):  # beyond float32 is infinity
            converted = number.astype(dtype, casting="unsafe" if number.dtype.kind == "i" else "same_kind")
    except (TypeError, ValueError):
        converted = np.empty(2)
    if converted.ndim:
        got = type(given).__name__
        _refuse(
            port, "input", f"has for the key {label!r} what is no {port.parts[0].word}: {given!r:.80}", got
        )
    return converted


_TAKE: Mapping[str, Callable[[Port, Any, Values], None]] = {
    "tensor": _take_tensor,
    "text": _take_text,
    "sequence": _take_sequence,
    "optional": _take_optional,
    COUNTED: _take_sequence,
    MAYBE: _take_maybe,
    "maps": _take_maps,
}


def _given_back(port: Port, values: Values, given: set[int]) -> Any:
    """What a caller gets; `given` are the ids of arrays that are the caller's own, or the border's."""
    match port.kind:
        case "tensor" | "text":
            array = values[port.name]
            if port.kind == "tensor" and not _fits(array.shape, port.shape):
                _refuse(port, "output", f"has the shape {list(array.shape)}", array.shape)
            return (
                np.array(array, order="C") if port.kind == "text" or id(array) in given else np.asarray(array)
            )
        case "sequence":
            return [_given_back(part, values, given) for part in port.parts]
        case "optional":
            return _given_back(port.parts[0], values, given) if port.parts else None
        case "counted" | "maybe" | "sized":
            return _given_back_as_said(port, values, given)
    rows: Array = values[port.parts[0].name]
    return [dict(zip(port.labels, row, strict=True)) for row in rows.tolist()]


def _given_back_as_said(port: Port, values: Values, given: set[int]) -> Any:
    """What there is of an output of which that is known only while running."""
    if port.kind == COUNTED:
        count = int(values[port.parts[0].name])
        return [_given_back(part, values, given) for part in port.parts[1 : 1 + count]]
    if port.kind == MAYBE:
        return _given_back(port.parts[1], values, given) if values[port.parts[0].name] else None
    whole, sizes = (_given_back(part, values, given) for part in port.parts)
    return whole[tuple(slice(0, int(extent)) for extent in sizes)]


def _copied(result: Any) -> Any:
    if isinstance(result, list):
        return [_copied(element) for element in result]
    return result.copy() if isinstance(result, (np.ndarray, dict)) else result


def _put(ports: Sequence[Port], targets: Sequence[Any], results: Sequence[Any]) -> None:
    """Writes results into arrays of the caller's; into none of them, unless all fit."""
    taken: list[Array] = []
    for port, target, result in zip(ports, targets, results, strict=True):
        array = _target(port, target, result)
        if any(overlap(array, other) for other in taken):
            raise InputError(
                f"out for output {port.name!r} overlaps the out of another output", name=port.name
            )
        taken.append(array)
    for array, result in zip(taken, results, strict=True):
        array[...] = result


def _target(port: Port, target: Any, result: Any) -> Array:
    role = "out for output"
    if port.kind == "tensor":
        info = _info(port, result.shape)
        array = as_array(target, info, role)
        require_writeable(array, info, role)
        return array
    if port.kind != "text":
        _refuse(port, role, "cannot be written into arrays; leave out away", type(target).__name__)
    if (
        not isinstance(target, np.ndarray)
        or target.dtype != object
        or target.shape != result.shape
        or not target.flags.writeable
    ):
        _refuse(
            port,
            role,
            f"is no writeable array of objects of the shape {list(result.shape)}",
            type(target).__name__,
        )
    return target
