"""Loading and running: devices, loaders, modules, executors. Imports no compiler.

Here, and nowhere else in the room, is imported late: what the first answer of a plain library does not need. A process that loads
a small model spends most of its time in imports, and each module is a tenth of a millisecond or two; a module of its own for
these functions would be one more.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ingot.artifact.artifact import Content

if TYPE_CHECKING:
    from ingot.artifact.info import ModelInfo, TensorInfo
    from ingot.artifact.module import Loader, Module
    from ingot.artifact.thread_pools import ThreadPools
    from ingot.runtime.results import ResultMemory
    from ingot.runtime.step_by_step import StepByStep

Linker = Callable[[Content, str], list[Content]]


def load_source() -> Callable[[object, str], Any]:
    """`ingot.runtime.load_sources.load_source`: loads what is no path."""
    load: Callable[[object, str], Any] = importlib.import_module("ingot.runtime.load_sources").load_source
    return load


def load_unfinished() -> Callable[..., Any]:
    """`ingot.runtime.load_sources.load_unfinished`: loads containers and archives."""
    load: Callable[..., Any] = importlib.import_module("ingot.runtime.load_sources").load_unfinished
    return load


def archive_linker() -> Linker:
    """`ingot.link.archive.link_archive`: the bytes of an archive and its name → the pieces of a library."""
    linker: Linker = importlib.import_module("ingot.link.archive").link_archive
    return linker


def loader_finder() -> Callable[[str], Loader]:
    """`ingot.runtime.loader.find_loader`: plug-ins, and the loaders of devices."""
    find: Callable[[str], Loader] = importlib.import_module("ingot.runtime.loader").find_loader
    return find


def group_loader() -> Callable[..., Module]:
    """`ingot.runtime.loader.load_group`."""
    load: Callable[..., Module] = importlib.import_module("ingot.runtime.loader").load_group
    return load


def other_executor() -> Callable[..., Any]:
    """`ingot.runtime.other_executors.other_executor`: makes those that look inside, and those of models with several targets."""
    make: Callable[..., Any] = importlib.import_module("ingot.runtime.other_executors").other_executor
    return make


def available_threads() -> int:
    """`ingot.runtime.threads.available_threads`: for who does not say how many."""
    count: int = importlib.import_module("ingot.runtime.threads").available_threads()
    return count


def thread_pools() -> ThreadPools:
    """A new `ingot.artifact.thread_pools.ThreadPools`: for two threads and more."""
    pools: ThreadPools = importlib.import_module("ingot.artifact.thread_pools").ThreadPools()
    return pools


def file_mapper() -> Callable[[int, Sequence[tuple[int, int]], int], bool]:
    """`ingot.package.mapped_file.map_over`: for the constants of large libraries."""
    mapper: Callable[[int, Sequence[tuple[int, int]], int], bool] = importlib.import_module("ingot.package.mapped_file").map_over
    return mapper


def result_memory(info: TensorInfo, alignment_bytes: int) -> ResultMemory:
    """A new `ingot.runtime.results.ResultMemory`: for large outputs."""
    memory: ResultMemory = importlib.import_module("ingot.runtime.results").ResultMemory(info, alignment_bytes)
    return memory


@functools.cache  # some ask in every call
def given() -> Any:
    """`ingot.runtime.given`: for arrays that are not exactly what a model takes, for several or large outputs that are given, and
    to refuse what does not fit.
    """
    return importlib.import_module("ingot.runtime.given")


def step_by_step(info: ModelInfo, alignment_bytes: int, bases: object, first: int) -> StepByStep:
    """A new `ingot.runtime.step_by_step.StepByStep`: for who sets inputs and runs."""
    made: StepByStep = importlib.import_module("ingot.runtime.step_by_step").StepByStep(info, alignment_bytes, bases, first)
    return made


def profiler() -> Callable[..., Any]:
    """`ingot.runtime.profile.profile_calls`."""
    profile: Callable[..., Any] = importlib.import_module("ingot.runtime.profile").profile_calls
    return profile
