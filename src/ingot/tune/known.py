"""Verdicts in the cache of compiled kernels, so that nothing is measured twice on one machine."""

from __future__ import annotations

import hashlib
import json

from ingot.artifact.tuning import Measurements, TunedKernel
from ingot.artifact.tuning_json import tuning_from_json, tuning_to_json
from ingot.base.errors import ArtifactError
from ingot.codegen.record import KernelCache
from ingot.tune.search import Variant


def key_of(problem: str, target: str, cpu: str, usual: Variant, content: bytes) -> str:
    """The key of a kernel's verdict. `content` is the object of its usual form, which says what compiler and templates made it: a
    verdict is forgotten with the code that it was for.
    """
    offered = json.dumps({name: list(words) for name, words in usual.offered.items()}, sort_keys=True)
    parts = ["tuning", problem, target, cpu, offered, hashlib.sha256(content).hexdigest()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def unfinished(key: str) -> str:
    """The key of what was found before the time was up, where the one of a verdict is `key`."""
    return hashlib.sha256(f"unfinished {key}".encode()).hexdigest()


def stored(cache: KernelCache | None, key: str) -> TunedKernel | None:
    """The verdict that is kept under a key."""
    content = cache.get(key) if cache is not None else None
    if content is None:
        return None
    try:
        ((kernel,),) = (group.kernels for group in tuning_from_json(content))
    except (ArtifactError, ValueError):
        return None
    return kernel


def store(cache: KernelCache | None, key: str, target: str, cpu: str, kernel: TunedKernel) -> None:
    """Keeps a verdict."""
    if cache is not None:
        cache.put(key, tuning_to_json((Measurements(target, cpu, (kernel,)),)))
