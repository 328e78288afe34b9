"""Options of sessions and runs. What ingot has no use for is kept, so that who set it reads it again."""

from __future__ import annotations

from enum import IntEnum

from ingot.compat.onnxruntime.errors import BindingError


class GraphOptimizationLevel(IntEnum):
    """How much onnxruntime changes a graph. ingot's passes do not depend on it."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(IntEnum):
    """Whether onnxruntime computes branches at once. A library's program says that itself."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(IntEnum):
    """The order in which onnxruntime visits nodes. A library's program has one."""

    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


class SessionOptions:
    """Options of a session. `intra_op_num_threads` is the most threads of one inference, 0 for what the process may use;
    `add_free_dimension_override_by_name` binds an extent while building. All others are kept and have no effect.
    """

    __slots__ = (
        "_entries",
        "enable_cpu_mem_arena",
        "enable_mem_pattern",
        "enable_mem_reuse",
        "enable_profiling",
        "execution_mode",
        "execution_order",
        "extents",
        "graph_optimization_level",
        "inter_op_num_threads",
        "intra_op_num_threads",
        "log_severity_level",
        "log_verbosity_level",
        "logid",
        "optimized_model_filepath",
        "profile_file_prefix",
        "use_deterministic_compute",
        "use_per_session_threads",
    )

    def __init__(self) -> None:
        self.enable_cpu_mem_arena = True
        self.enable_mem_pattern = True
        self.enable_mem_reuse = True
        self.enable_profiling = False
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.execution_order = ExecutionOrder.DEFAULT
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.inter_op_num_threads = 0
        self.intra_op_num_threads = 0
        self.log_severity_level = -1
        self.log_verbosity_level = 0
        self.logid = ""
        self.optimized_model_filepath = ""
        self.profile_file_prefix = "onnxruntime_profile_"
        self.use_deterministic_compute = False
        self.use_per_session_threads = True
        self.extents: dict[str, int] = {}
        self._entries: dict[str, str] = {}

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Keeps an entry, without effect."""
        self._entries[str(key)] = str(value)

    def get_session_config_entry(self, key: str) -> str:
        """An entry that was added."""
        return _entry(self._entries, "SessionOptions", key)

    def add_free_dimension_override_by_name(self, name: str, extent: int) -> None:
        """Binds an extent of an ONNX file, as `dims` of `ingot.build` does."""
        self.extents[name] = int(extent)

    def has_providers(self) -> bool:
        """False: providers are an argument of the session."""
        return False


class RunOptions:
    """Options of one run: kept, without effect."""

    __slots__ = (
        "_entries",
        "log_severity_level",
        "log_verbosity_level",
        "logid",
        "only_execute_path_to_fetches",
        "terminate",
    )

    def __init__(self) -> None:
        self.log_severity_level = -1
        self.log_verbosity_level = 0
        self.logid = ""
        self.only_execute_path_to_fetches = False
        self.terminate = False
        self._entries: dict[str, str] = {}

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Keeps an entry, without effect."""
        self._entries[str(key)] = str(value)

    def get_run_config_entry(self, key: str) -> str:
        """An entry that was added."""
        return _entry(self._entries, "RunOptions", key)


def _entry(entries: dict[str, str], owner: str, key: str) -> str:
    if key not in entries:
        raise BindingError(f"{owner} does not have configuration with key: {key}", key=key)
    return entries[key]
