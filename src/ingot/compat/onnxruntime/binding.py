"""`IOBinding`: inputs and outputs bound by name, and then one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ingot.base.errors import nearest
from ingot.base.lazy import Late
from ingot.compat.onnxruntime.errors import BindingError
from ingot.compat.onnxruntime.ort_value import OrtValue, require_cpu

if TYPE_CHECKING:
    from ingot.compat.onnxruntime import arrays as late_arrays
    from ingot.compat.onnxruntime.arrays import Array
else:
    late_arrays = Late("ingot.compat.onnxruntime.arrays")


class IOBinding:
    """What a session reads and where it writes. Outputs without memory of their own get new arrays in each run."""

    def __init__(self, session: Any) -> None:
        self._names = [arg.name for arg in (*session.get_inputs(), *session.get_overridable_initializers())]
        self.inputs: dict[str, Any] = {}
        self.outputs: dict[str, OrtValue | None] = {}
        self.results: dict[str, OrtValue] = {}

    def bind_cpu_input(self, name: str, arr_on_cpu: Array) -> None:
        """Binds an array, whose content counts at the time of the run."""
        self._require_input(name)
        if not hasattr(arr_on_cpu, "dtype"):
            raise BindingError(
                f"bind {name!r}: Unable to create OrtValue from the given python object", name=name
            )
        if arr_on_cpu.dtype.kind in "OUS":
            raise BindingError(f"bind {name!r}: Only binding non-string Tensors is currently supported")
        self.inputs[name] = arr_on_cpu

    def bind_input(
        self,
        name: str,
        device_type: str,
        device_id: int,
        element_type: Any,
        shape: Sequence[int],
        buffer_ptr: int,
    ) -> None:
        """Binds memory at an address, which the caller keeps."""
        require_cpu(device_type, device_id)
        self._require_input(name)
        self.inputs[name] = late_arrays.array_at(buffer_ptr, element_type, shape, name)

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """Binds a value."""
        self._require_input(name)
        self.inputs[name] = ortvalue.content

    def bind_output(
        self,
        name: str,
        device_type: str = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Asks for an output, in memory at an address if one is given."""
        require_cpu(device_type, device_id)
        if buffer_ptr is None:
            self.outputs[name] = None
        else:
            self.outputs[name] = OrtValue(late_arrays.array_at(buffer_ptr, element_type, shape or (), name))

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        """Asks for an output in the memory of a value."""
        self.outputs[name] = ortvalue

    def get_outputs(self) -> list[OrtValue]:
        """What the last run gave, in the order in which outputs were bound."""
        return [self.results[name] for name in self.outputs if name in self.results]

    def copy_outputs_to_cpu(self) -> list[Any]:
        """The same as arrays."""
        return [value.numpy() for value in self.get_outputs()]

    def clear_binding_inputs(self) -> None:
        """Forgets what is bound as inputs."""
        self.inputs.clear()

    def clear_binding_outputs(self) -> None:
        """Forgets which outputs are asked for, and what they were."""
        self.outputs.clear()
        self.results.clear()

    def synchronize_inputs(self) -> None:
        """Does nothing: the memory of the CPU is always up to date."""

    def synchronize_outputs(self) -> None:
        """Does nothing: a run ends when its outputs are written."""

    def take(self, values: Sequence[Any]) -> None:
        """Keeps the outputs of a run, in the memory that was bound for them.

        Raises:
            BindingError: an output has another shape or type than its memory.
        """
        self.results = {}
        for (name, bound), value in zip(self.outputs.items(), values, strict=True):
            if bound is None:
                self.results[name] = OrtValue(value)
            else:
                bound.update_inplace(value)
                self.results[name] = bound

    def _require_input(self, name: str) -> None:
        if name not in self._names:
            raise BindingError(
                f"Failed to find NodeArg with name: {name} in the def list{nearest(name, self._names)}",
                name=name,
                known=tuple(self._names),
            )
