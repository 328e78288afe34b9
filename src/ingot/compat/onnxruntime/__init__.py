"""onnxruntime's interface over ingot: `import ingot.compat.onnxruntime as onnxruntime`.

What is here has the names, arguments and exceptions of onnxruntime's Python package; `docs/use/compat.md` says what differs.
"""

from ingot.compat.onnxruntime import capi as capi
from ingot.compat.onnxruntime.binding import IOBinding as IOBinding
from ingot.compat.onnxruntime.facts import __version__ as __version__
from ingot.compat.onnxruntime.facts import disable_telemetry_events as disable_telemetry_events
from ingot.compat.onnxruntime.facts import enable_telemetry_events as enable_telemetry_events
from ingot.compat.onnxruntime.facts import get_all_providers as get_all_providers
from ingot.compat.onnxruntime.facts import get_available_providers as get_available_providers
from ingot.compat.onnxruntime.facts import get_build_info as get_build_info
from ingot.compat.onnxruntime.facts import get_device as get_device
from ingot.compat.onnxruntime.facts import get_version_string as get_version_string
from ingot.compat.onnxruntime.facts import preload_dlls as preload_dlls
from ingot.compat.onnxruntime.facts import set_default_logger_severity as set_default_logger_severity
from ingot.compat.onnxruntime.facts import set_default_logger_verbosity as set_default_logger_verbosity
from ingot.compat.onnxruntime.facts import set_seed as set_seed
from ingot.compat.onnxruntime.options import ExecutionMode as ExecutionMode
from ingot.compat.onnxruntime.options import ExecutionOrder as ExecutionOrder
from ingot.compat.onnxruntime.options import GraphOptimizationLevel as GraphOptimizationLevel
from ingot.compat.onnxruntime.options import RunOptions as RunOptions
from ingot.compat.onnxruntime.options import SessionOptions as SessionOptions
from ingot.compat.onnxruntime.ort_value import OrtValue as OrtValue
from ingot.compat.onnxruntime.session import InferenceSession as InferenceSession
from ingot.compat.onnxruntime.values import ModelMetadata as ModelMetadata
from ingot.compat.onnxruntime.values import NodeArg as NodeArg
