"""Where programs look for the exceptions of onnxruntime."""

from ingot.compat.onnxruntime.capi import _pybind_state as _pybind_state
from ingot.compat.onnxruntime.capi import onnxruntime_pybind11_state as onnxruntime_pybind11_state
