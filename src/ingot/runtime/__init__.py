"""Loading and running: devices, loaders, modules, executors. Imports no compiler.

Here, and nowhere else in the room, is imported late: what the first answer of a plain library does not need. A process that loads
a small model spends most of its time in imports, and each module is a tenth of a millisecond or two. The room writes
`import ingot.runtime as late`, and `late.profile_calls` is imported when it is used.
"""

import importlib
from typing import Any

_LATE = {
    "ResultMemory": "ingot.runtime.results",
    "StepByStep": "ingot.runtime.step_by_step",
    "ThreadPools": "ingot.artifact.thread_pools",
    "as_array": "ingot.runtime.given",
    "available_threads": "ingot.runtime.threads",
    "find_loader": "ingot.runtime.loader",
    "link_archive": "ingot.link.archive",
    "load_group": "ingot.runtime.loader",
    "load_source": "ingot.runtime.load_sources",
    "load_unfinished": "ingot.runtime.load_sources",
    "map_over": "ingot.package.mapped_file",
    "no_device_tensor": "ingot.runtime.given",
    "other_executor": "ingot.runtime.other_executors",
    "place_outputs": "ingot.runtime.given",
    "profile_calls": "ingot.runtime.profile",
    "wrong_inputs": "ingot.runtime.given",
}


def __getattr__(name: str) -> Any:
    """Imports the module of a listed name when that is first used (PEP 562)."""
    home = _LATE.get(name)
    if home is None:
        raise AttributeError(f"module 'ingot.runtime' has no attribute {name!r}")
    globals()[name] = value = getattr(importlib.import_module(home), name)
    return value
