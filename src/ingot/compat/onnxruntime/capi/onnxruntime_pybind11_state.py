"""The exceptions and options under the names that programs import from here."""

from ingot.compat.onnxruntime.errors import EngineError as EngineError
from ingot.compat.onnxruntime.errors import EPFail as EPFail
from ingot.compat.onnxruntime.errors import Fail as Fail
from ingot.compat.onnxruntime.errors import InvalidArgument as InvalidArgument
from ingot.compat.onnxruntime.errors import InvalidGraph as InvalidGraph
from ingot.compat.onnxruntime.errors import InvalidProtobuf as InvalidProtobuf
from ingot.compat.onnxruntime.errors import ModelLoaded as ModelLoaded
from ingot.compat.onnxruntime.errors import NoModel as NoModel
from ingot.compat.onnxruntime.errors import NoSuchFile as NoSuchFile
from ingot.compat.onnxruntime.errors import NotFound as NotFound
from ingot.compat.onnxruntime.errors import NotImplemented as NotImplemented
from ingot.compat.onnxruntime.errors import RuntimeException as RuntimeException
from ingot.compat.onnxruntime.facts import get_available_providers as get_available_providers
from ingot.compat.onnxruntime.facts import get_device as get_device
from ingot.compat.onnxruntime.facts import get_version_string as get_version_string
from ingot.compat.onnxruntime.options import ExecutionMode as ExecutionMode
from ingot.compat.onnxruntime.options import GraphOptimizationLevel as GraphOptimizationLevel
from ingot.compat.onnxruntime.options import RunOptions as RunOptions
from ingot.compat.onnxruntime.options import SessionOptions as SessionOptions
from ingot.compat.onnxruntime.values import ModelMetadata as ModelMetadata
from ingot.compat.onnxruntime.values import NodeArg as NodeArg
