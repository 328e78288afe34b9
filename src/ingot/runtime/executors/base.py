"""Executors: one model with its own arena, inputs and outputs, ready to run.

One thread at a time, any number side by side; a second thread that comes while the first is at work is refused, because it would
overwrite the inputs and values of the first. `AotExecutor` makes one native call for an inference; `executors.graph` has the
other kind. Both have the same methods and give the same results.
"""

import ctypes
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

import ingot
from ingot.artifact.model_info import CHECK_STATUS, ModelInfo, TensorInfo
from ingot.base.lazy import Late
from ingot.runtime.memory import Array, address_of, aligned_array, aligned_bytes, plain_dtype

if TYPE_CHECKING:
    from ingot.artifact.module import Function
    from ingot.runtime import inputs as late_inputs
    from ingot.runtime import packed as late_packed
    from ingot.runtime import profile as late_profile
    from ingot.runtime import results as late_results
    from ingot.runtime import uncopied as late_uncopied
    from ingot.runtime.devices.tensor import DeviceTensor
    from ingot.runtime.executors import checks as late_checks
    from ingot.runtime.executors import controlled as late_controlled
    from ingot.runtime.executors import in_place as late_in_place
    from ingot.runtime.executors import stepping as late_stepping
    from ingot.runtime.executors.in_place import Pair
    from ingot.runtime.executors.stepping import StepByStep
    from ingot.runtime.profile import Profile
    from ingot.runtime.results import ResultMemory
else:
    late_in_place = Late("ingot.runtime.executors.in_place")
    late_checks = Late("ingot.runtime.executors.checks")
    late_controlled = Late("ingot.runtime.executors.controlled")
    late_stepping = Late("ingot.runtime.executors.stepping")
    late_inputs = Late("ingot.runtime.inputs")
    late_packed = Late("ingot.runtime.packed")
    late_profile = Late("ingot.runtime.profile")
    late_results = Late("ingot.runtime.results")
    late_uncopied = Late("ingot.runtime.uncopied")

FIRST_TENSOR = 3  # in the array of base pointers: constants, arena, pool, then inputs and outputs

# `predict` copies arrays up to this size into memory of its own: quicker than asking NumPy for their address.
STAGED_BYTES = 16384

_NDARRAY = np.ndarray
_PLAIN = 0x505  # C-contiguous, with memory of its own, aligned, writeable: flags of NumPy's C interface

# Marks an executor at work. In the child of a fork it is another object, since the threads that were at work are not there.
_THIS_PROCESS = object()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: globals().update(_THIS_PROCESS=object()))


def by_name(inputs: Mapping[str, object] | None, arrays: Mapping[str, object]) -> dict[str, Any]:
    """Arrays given in a dict, and those given as keywords, in one dict.

    Raises:
        InputError: what was given first is no dict.
    """
    try:
        return {**({} if inputs is None else inputs), **arrays}
    except TypeError:
        raise ingot.InputError(
            f"inputs are given by name, got a {type(inputs).__name__} without one; write predict(x=…) or predict({{'x': …}})",
            got=type(inputs).__name__,
        ) from None


class Executor:
    """What both kinds share: everything but how an inference is run.

    Inputs of `predict` and those bound with `copy=False` need only be aligned to their element type. `predict` has input and
    output memory of its own: it neither sees nor changes what `set_input` set and `get_output` gives.
    """

    kind = ""
    _run: "Function"  # base pointers → status
    _in_place: "tuple[Pair, ...]" = ()  # states that a run changes in their place
    _open_places: "tuple[int, ...] | None" = (
        None  # of base pointers that callers give, if states are kept where they are
    )
    _seen: ModelInfo | None = None  # without the inputs and outputs that lie in memory which somebody keeps

    def __init__(
        self,
        info: ModelInfo,
        call: "Function | None",
        params_address: int | None,
        pool_address: int | None,
        keep_alive: object,
        arena: Array | None = None,
    ) -> None:
        self._info = info
        self._call = call
        self._keep_alive = keep_alive
        memory = info.host.memory
        self._alignment = memory.alignment_bytes
        self._arena = aligned_bytes(memory.arena_bytes, self._alignment) if arena is None else arena
        count = len(info.inputs) + len(info.outputs)
        heads = (params_address, address_of(self._arena), pool_address)
        pointers = ctypes.c_void_p * (FIRST_TENSOR + count)
        # One row of pointers for set_input and run, one for predict.
        self._bases = pointers(*heads)
        self._own_bases = pointers(*heads)
        self._placed_bases: Any = None  # the row for `run_at`
        self._stepped: StepByStep | None = None
        # Set and cleared without a lock, which would take ten times as long (12 and 110 ns): no thread gives way between
        # looking and setting while there is a global lock, and without one hardly any comes so close behind another.
        self._at_work: object = None
        self._has_run = False
        first = FIRST_TENSOR + len(info.inputs)
        self._input_plan = [
            (
                tensor.name,
                FIRST_TENSOR + at,
                plain_dtype(tensor),
                tensor.shape,
                self._staged(tensor, FIRST_TENSOR + at),
                tensor,
            )
            for at, tensor in enumerate(info.inputs)
        ]
        self._output_plan = [
            (first + at, tensor.dtype.numpy, tensor.shape, self._staged(tensor, first + at), tensor)
            for at, tensor in enumerate(info.outputs)
        ]
        self._rooms: dict[int, ResultMemory | None] = {}  # of large outputs
        self._staged_results = [row[3] for row in self._output_plan if row[3] is not None]
        self._all_staged = len(self._staged_results) == len(self._output_plan)
        self._gives_packed = any(tensor.dtype.is_packed for tensor in info.outputs)
        self._one_small = self._if_one_small()
        if info.states:
            self._in_place = late_in_place.pairs_of(info, FIRST_TENSOR)

    @property
    def inputs(self) -> tuple[TensorInfo, ...]:
        """Name, shape and dtype of each input, in the model's order."""
        return (self._seen or self._info).inputs

    @property
    def outputs(self) -> tuple[TensorInfo, ...]:
        """Name, shape and dtype of each output, in the model's order."""
        return (self._seen or self._info).outputs

    @property
    def heads(self) -> "list[int | None]":
        """The base pointers before those of inputs and outputs: constants, arena, pool."""
        return list(self._own_bases[:FIRST_TENSOR])

    def __repr__(self) -> str:
        return f"<ingot.{type(self).__name__} {self._info}>"

    def __reduce__(self) -> Any:
        """Copies would share the arena, and another process has no such memory."""
        late_uncopied.refuse(
            "an executor",
            "make another one by its library, which can be sent; executors share code and weights",
        )

    # ─── step by step ──────────────────────────────────────────────────────────────────────────────────────────────

    def set_input(
        self, inputs: Mapping[str, object] | None = None, /, *, copy: bool = True, **arrays: object
    ) -> None:
        """Sets some or all inputs for the next runs.

        Args:
            inputs: arrays by name; for names that are not Python identifiers, or are `copy`.
            copy: with False the executor reads the caller's memory at every run; the array must be contiguous and aligned, is
                kept alive, and may be changed in place between runs.
            arrays: arrays by name.

        Raises:
            InputError: an unknown name, or a wrong dtype, shape or, without copying, layout. Nothing was set then.
            BusyError: another thread uses the executor.
        """
        given = arrays if inputs is None else by_name(inputs, arrays)
        self._begin_work()
        try:
            self._steps().set_input(given, copy)
        except MemoryError as error:
            raise late_inputs.no_memory(self._info.name) from error
        finally:
            self._at_work = None

    def run(self) -> None:
        """One inference on the inputs that are set.

        Raises:
            InputError: an input was never set.
            BusyError: another thread uses the executor.
            DeviceError: the code reports an error.
        """
        if self._at_work is _THIS_PROCESS:
            self._begin_work()  # refuses
        self._at_work = _THIS_PROCESS
        try:
            if not self._has_run:
                self._steps().prepare()
            status = self._run(self._bases)
            if status:
                self._has_run = False  # outputs hold no answer
                self._failed(status, self._bases)
            self._has_run = True
        finally:
            self._at_work = None

    def get_output(self, index: int | str, out: object = None) -> Array:
        """The output of that position or name after `run`: a new array, or `out`, filled.

        Raises:
            InputError: no such output, nothing was run yet, or `out` does not fit.
            BusyError: another thread uses the executor.
        """
        self._begin_work()
        try:
            return self._steps().output(index, out, self._has_run)
        except MemoryError as error:
            raise late_inputs.no_memory(self._info.name) from error
        finally:
            self._at_work = None

    # ─── at once ───────────────────────────────────────────────────────────────────────────────────────────────────

    def predict(
        self, inputs: Mapping[str, object] | None = None, /, *, out: Any = None, **arrays: object
    ) -> Any:
        """One inference: all inputs in, all outputs back.

        Args:
            inputs: arrays by name; for names that are not Python identifiers, or are `out`.
            out: where to write: an array, or a sequence with one for each output. They must be contiguous and must not overlap
                each other; they may overlap inputs, at the price of a copy. No memory for tensors is allocated then.
            arrays: arrays by name. Non-contiguous ones are copied, others are read where they are.

        Returns:
            The output array, or a tuple of all if there are several. With `out`, what was given.

        Raises:
            InputError: a missing or unknown name, or a wrong dtype, shape or layout.
            BusyError: another thread uses the executor.
            DeviceError: the code reports an error.
            OutOfMemoryError: there is no memory for the outputs.
        """
        if inputs is not None:
            arrays = by_name(inputs, arrays)
        if self._at_work is _THIS_PROCESS:
            self._begin_work()  # refuses
        self._at_work = _THIS_PROCESS
        try:
            one_small = self._one_small
            if one_small is not None and out is None:
                name, dtype, shape, memory, copy_result = one_small
                value: Any = arrays.get(name)
                if (
                    type(value) is _NDARRAY
                    and value.dtype is dtype
                    and value.shape == shape
                    and len(arrays) == 1
                ):
                    memory[...] = value
                    status = self._run(self._own_bases)
                    if status:
                        self._failed(status, self._own_bases)
                    return copy_result()
            return self._predict(arrays, out)
        except MemoryError as error:
            raise late_inputs.no_memory(self._info.name) from error
        finally:
            self._at_work = None

    def _predict(self, arrays: dict[str, Any], out: Any) -> Any:
        """What `predict` does for any model, once the executor is marked as at work."""
        if len(arrays) != len(self._input_plan):
            raise late_inputs.wrong_inputs(self._seen or self._info, arrays)
        bases = self._own_bases
        held: list[Array] = []
        for name, at, dtype, shape, staged, info in self._input_plan:
            value = arrays.get(name)
            if type(value) is not _NDARRAY or value.dtype is not dtype or value.shape != shape:
                if name not in arrays:
                    raise late_inputs.wrong_inputs(self._seen or self._info, arrays)
                value = (
                    late_inputs.as_array(value, info)
                    if dtype is not None
                    else late_packed.as_stored(value, info)
                )
            if staged is not None:
                staged[...] = value
            else:
                if not (value.flags.c_contiguous and value.flags.aligned):
                    value = np.array(value, order="C")
                bases[at] = address_of(value)
                held.append(value)
        if self._gives_packed:
            results = self._predict_large()
            return late_packed.give(
                self._seen or self._info, results if len(self._output_plan) > 1 else (results,), out
            )
        if out is not None:
            return self._predict_into(out, held)
        if not self._all_staged:
            return self._predict_large()
        status = self._run(bases)
        if status:
            self._failed(status, bases)
        staged_results = self._staged_results
        return (
            staged_results[0].copy()
            if len(staged_results) == 1
            else tuple([result.copy() for result in staged_results])
        )

    def _predict_large(self) -> Any:
        bases = self._own_bases
        results: list[Array] = []
        for at, _, _, staged, info in self._output_plan:
            if staged is None:
                result, bases[at] = self._room(at, info)
                results.append(result)
            else:
                results.append(staged)
        status = self._run(bases)
        if status:
            self._failed(status, bases)
        copies = [
            result.copy() if row[3] is result else result
            for result, row in zip(results, self._output_plan, strict=True)
        ]
        return copies[0] if len(copies) == 1 else tuple(copies)

    def _room(self, at: int, info: TensorInfo) -> tuple[Array, int]:
        """Memory for a large output, and its address; from the second answer on, memory that is used again."""
        if at not in self._rooms:
            self._rooms[at] = None
            memory = aligned_array(info, self._alignment)
            return memory, address_of(memory)
        rooms = self._rooms[at]
        if rooms is None:
            rooms = self._rooms[at] = late_results.ResultMemory(info, self._alignment)
        return rooms.take()

    def _predict_into(self, out: Any, held: list[Array]) -> Any:
        bases = self._own_bases
        plan = self._output_plan
        if self._all_staged and self._is_plain(
            out
        ):  # a small model is called often: nothing more is looked at
            status = self._run(bases)
            if status:
                self._failed(status, bases)
            if type(out) is _NDARRAY:
                out[...] = plan[0][3]
            else:
                for array, result in zip(out, self._staged_results, strict=True):
                    array[...] = result
            return out
        behind = late_inputs.place_outputs(self._seen or self._info, out, plan, held, bases)
        status = self._run(bases)
        if status:
            self._failed(status, bases)
        for array, result in behind:
            array[...] = result
        return out

    def _is_plain(self, out: Any) -> bool:
        """Whether `out` is arrays of the right types, in order, of which no two overlap because each has memory of its own."""
        plan = self._output_plan
        if type(out) is _NDARRAY:
            _, dtype, shape, _, _ = plan[0]
            return len(plan) == 1 and out.dtype is dtype and out.shape == shape and out.flags.carray
        if (type(out) is not tuple and type(out) is not list) or len(out) != len(plan):
            return False
        for array, (_, dtype, shape, _, _) in zip(out, plan, strict=True):
            if type(array) is not _NDARRAY or array.dtype is not dtype or array.shape != shape:
                return False
            if array.flags.num & _PLAIN != _PLAIN:
                return False
        return len(set(map(id, out))) == len(out)

    def run_at(self, addresses: Sequence[int]) -> None:
        """One inference with inputs and outputs at these addresses, in the model's order. Nothing is checked.

        The caller has arrays there of the right types and shapes, dense and aligned to their elements, and no output overlaps
        another one or an input. One thread at a time calls the executor.

        Raises:
            DeviceError: the code reports an error.
        """
        bases = self._placed_bases
        if bases is None:
            bases = self._placed_bases = type(self._own_bases)(*self._own_bases)
        if self._open_places is None:
            bases[FIRST_TENSOR:] = addresses
        else:
            for place, address in zip(self._open_places, addresses, strict=True):
                bases[place] = address
        status = self._run(bases)
        if status:
            self._failed(status, bases)

    def device_tensor(self, name: str, content: object = None) -> "DeviceTensor":  # noqa: ARG002
        """A new tensor for the input or output of that name, on the device that reads or writes it: with that content, or not
        cleared. `predict` takes it as an input or in `out`; it does not come to the host unless something there needs it.

        Raises:
            InputError: no such input or output, or the model has no part on a device.
        """
        raise late_inputs.no_device_tensor(self._info, name)

    # ─── state ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def states(self) -> tuple[TensorInfo, ...]:
        """Name, shape and dtype of each state that the executor keeps, in the order of the model's inputs."""
        return ()

    @property
    def capacity(self) -> int | None:
        """How many places the caches among the states have, where a run fills some; None if none is known to be one."""
        return None

    def reset(self) -> None:
        """Begins a stream anew: every state is zeros.

        Raises:
            InputError: the model was built without state, as of the next three.
            BusyError: another thread uses the executor, likewise.
        """
        raise late_inputs.no_state(self._info)

    def state(self) -> dict[str, Array]:
        """A copy of each state by its input's name."""
        raise late_inputs.no_state(self._info)

    def set_state(
        self,
        states: Mapping[str, object] | None = None,  # noqa: ARG002
        /,
        **arrays: object,  # noqa: ARG002
    ) -> None:
        """Sets some or all states for the next run: arrays by name, which are copied. Where one does not fit, none is set."""
        raise late_inputs.no_state(self._info)

    def fork(self) -> "Executor":
        """Another executor that goes on from this one's state. They share code, weights and threads; arrays given by `set_input`
        are not set there.
        """
        raise late_inputs.no_state(self._info)

    # ─── measuring ─────────────────────────────────────────────────────────────────────────────────────────────────

    def profile(
        self, inputs: Mapping[str, object] | None = None, /, *, repeat: int = 10, **arrays: object
    ) -> "Profile":
        """Sets the inputs, runs the calls of the program one by one and measures each.

        Args:
            inputs: arrays by name, as for `set_input`.
            repeat: measured inferences; each time is the median of these.
            arrays: arrays by name.

        Raises:
            InputError: as `set_input`, or `repeat` is below 1.
            LoadError: the library does not say what its calls are.
        """
        call, calls = self._call, self._info.calls
        if call is None or not calls:
            raise ingot.LoadError(
                f"model {self._info.name!r} cannot be profiled: its library was built without single calls",
                name=self._info.name,
            )
        if repeat < 1:
            raise ingot.InputError(f"profile: repeat must be at least 1, got {repeat}", got=repeat)
        self.set_input(by_name(inputs, arrays))
        self._begin_work()
        try:
            self._steps().prepare()
            if self._in_place:
                late_in_place.bring(self._in_place, self._bases)
            order = (
                (lambda: late_controlled.calls_in_order(self._info, self._bases))
                if self._info.controls
                else None
            )
            measured: Profile = late_profile.profile_calls(
                calls, call, self._bases, repeat, self._failed, order
            )
            self._has_run = True
        finally:
            self._at_work = None
        return measured

    # ─── inside ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _staged(self, tensor: TensorInfo, at: int) -> Array | None:
        """Memory of predict's own for a small tensor, with its pointer set; None for a large one."""
        if tensor.size_bytes > STAGED_BYTES:
            return None
        array = aligned_array(tensor, self._alignment)
        self._own_bases[at] = address_of(array)
        return array

    def _if_one_small(
        self,
    ) -> "tuple[str, np.dtype[Any] | None, tuple[int, ...], Array, Callable[[], Any]] | None":
        """What `predict` needs where one array goes in and all are small: a loop would be a twelfth of a short call."""
        if len(self._input_plan) != 1 or not self._all_staged or self._gives_packed:
            return None
        name, _, dtype, shape, staged, _ = self._input_plan[0]
        results = self._staged_results
        copies = (
            results[0].copy if len(results) == 1 else lambda: tuple([result.copy() for result in results])
        )
        return None if staged is None else (name, dtype, shape, staged, copies)

    def keep_in_place(self, arrays: Mapping[str, Array]) -> None:
        """Lets states that are changed in their place lie in these arrays from now on: dense ones, by the names of the inputs,
        which are no inputs any more, and what they become is no output.
        """
        outputs = {state.output: state.input for state in self._info.states if state.input in arrays}
        self._seen = late_in_place.without(self._info, arrays, outputs)
        for source, result, name, _ in self._in_place:
            if name in arrays:
                for bases in (self._bases, self._own_bases):
                    bases[source] = bases[result] = address_of(arrays[name])
        names = [tensor.name for tensor in (*self._info.inputs, *self._info.outputs)]
        kept = {*arrays, *outputs}
        self._open_places = tuple(place for place, name in enumerate(names, FIRST_TENSOR) if name not in kept)
        self._keep_alive = (self._keep_alive, tuple(arrays.values()))
        self._input_plan = [row for row in self._input_plan if row[0] not in arrays]
        self._output_plan = [row for row in self._output_plan if row[4].name not in outputs]
        self._staged_results = [row[3] for row in self._output_plan if row[3] is not None]
        self._all_staged = len(self._staged_results) == len(self._output_plan)
        self._gives_packed = any(tensor.dtype.is_packed for tensor in self._seen.outputs)
        self._one_small = self._if_one_small()

    def _steps(self) -> "StepByStep":
        if self._stepped is None:
            self._stepped = late_stepping.StepByStep(
                self._info, self._alignment, self._bases, FIRST_TENSOR, self._seen or self._info
            )
        return self._stepped

    def _begin_work(self) -> None:
        """Marks the executor as at work; `finally` clears that. `run` and `predict` do it in line, where each call counts.

        No context manager: an interrupt between its mark and the body would leave the mark. After a call there is no such moment.
        """
        if self._at_work is _THIS_PROCESS:
            raise ingot.BusyError(
                f"this executor of model {self._info.name!r} is already at work, for another thread or further out in this one; "
                "make one for each, or a pool by library.pool(…): they share weights and code",
                name=self._info.name,
            )
        self._at_work = _THIS_PROCESS

    def _failed(self, status: int, bases: Any = None) -> NoReturn:
        """Raises the error of a run with these base pointers, whose arrays are still there."""
        if status <= CHECK_STATUS and CHECK_STATUS - status < len(self._info.checks):
            raise late_checks.refusal(
                self._info, self._info.checks[CHECK_STATUS - status], bases, FIRST_TENSOR
            )
        raise ingot.DeviceError(
            f"model {self._info.name!r}: the code of the library reports error {status}", status=status
        )


class AotExecutor(Executor):
    """Runs a model by one call of its compiled entry."""

    kind = "aot"

    def __init__(self, info: ModelInfo, run: "Function", call: "Function | None", *memory: Any) -> None:
        super().__init__(info, call, *memory)
        self._run = run  # the native function itself: what `run` adds to the C call is a few attributes
        if self._in_place:
            self._run = late_in_place.bringing(self._in_place, run)


def no_function(info: ModelInfo, name: str) -> NoReturn:
    """Raises LoadError: a function of the model is missing."""
    raise ingot.LoadError(f"model {info.name!r}: no loaded module has the function {name!r}", function=name)
