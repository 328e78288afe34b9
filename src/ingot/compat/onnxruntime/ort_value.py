"""`OrtValue`: a value that a program holds and binds, in the memory of the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ingot.base.lazy import Late
from ingot.compat.onnxruntime.errors import BindingError

if TYPE_CHECKING:
    from ingot.compat.onnxruntime import arrays as late_arrays
    from ingot.compat.onnxruntime import declared as late_declared
    from ingot.compat.onnxruntime.arrays import Array
else:
    late_arrays = Late("ingot.compat.onnxruntime.arrays")
    late_declared = Late("ingot.compat.onnxruntime.declared")


class OrtValue:
    """A tensor in the memory of the CPU. It shares the memory of the array that it was made of."""

    __slots__ = ("content",)

    def __init__(self, content: Any) -> None:
        self.content = content

    @staticmethod
    def ortvalue_from_numpy(array: Array, device_type: str = "cpu", device_id: int = 0) -> OrtValue:
        """The value of an array.

        Raises:
            BindingError: a device that is not the CPU, or an array of texts.
        """
        require_cpu(device_type, device_id)
        content = late_arrays.as_array(array)
        if content.dtype.kind in "OUS":
            raise BindingError("Creation of OrtValues is currently only supported from non-string arrays")
        return OrtValue(content)

    @staticmethod
    def ortvalue_from_shape_and_type(
        shape: Sequence[int], element_type: Any, device_type: str = "cpu", device_id: int = 0
    ) -> OrtValue:
        """A value of that shape whose content is not set."""
        require_cpu(device_type, device_id)
        return OrtValue(late_arrays.empty(shape, element_type))

    def numpy(self) -> Any:
        """The content as an array, or as a list of a sequence."""
        return self.content

    def shape(self) -> list[int]:
        """The extents of a tensor."""
        return list(self.content.shape)

    def data_type(self) -> str:
        """`tensor(float)` and the like."""
        return late_arrays.type_words(self.content)

    def element_type(self) -> int:
        """The element type by its number in ONNX."""
        return late_declared.element_number(self.data_type())

    def device_name(self) -> str:
        """`cpu`."""
        return "cpu"

    def data_ptr(self) -> int:
        """The address of the first element."""
        return int(self.content.ctypes.data)

    def tensor_size_in_bytes(self) -> int:
        """Bytes of all elements."""
        return int(self.content.nbytes)

    def is_tensor(self) -> bool:
        """Whether this is a tensor, not a sequence."""
        return hasattr(self.content, "shape")

    def is_tensor_sequence(self) -> bool:
        """Whether this is a sequence."""
        return isinstance(self.content, list)

    def is_sparse_tensor(self) -> bool:
        """False: every tensor is dense."""
        return False

    def has_value(self) -> bool:
        """Whether there is something in an optional."""
        return self.content is not None

    def update_inplace(self, array: Array) -> None:
        """Copies an array of the same shape and type into this value.

        Raises:
            BindingError: another shape or type.
        """
        source = late_arrays.as_array(array)
        if source.shape != self.content.shape or source.dtype != self.content.dtype:
            raise BindingError(
                f"The array {source.dtype}{list(source.shape)} does not match the OrtValue "
                f"{self.content.dtype}{list(self.content.shape)}"
            )
        self.content[...] = source


def require_cpu(device_type: str, device_id: int = 0) -> None:
    """Raises BindingError for another device than the CPU."""
    if device_type.lower() != "cpu" or device_id:
        raise BindingError(
            f"values are in the memory of the CPU here, got the device {device_type}:{device_id}; copy them to the CPU",
            got=device_type,
        )
