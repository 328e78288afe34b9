"""What callers give to `build`, checked and taken apart: targets, executors, the cache."""

from __future__ import annotations

import numbers
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from ingot.api.levels import (
    Part,
    part_for,
)
from ingot.artifact.model_info import EXECUTORS
from ingot.base import environment
from ingot.base.cache import DirectoryCache
from ingot.base.errors import TargetError, nearest, why_not_by_name
from ingot.base.observe import Observer
from ingot.base.target import Target
from ingot.codegen import registry as codegens
from ingot.codegen.python.generator import ID as PYTHON_ID
from ingot.codegen.python.generator import python_codegen
from ingot.plan.program import HOST

# What a target key may stand for: the text form, the target, or a Python callable.
TargetLike = str | Target | Callable[..., Any]


def check_kinds(place: object, observer: object, tune: object, tuning: object) -> None:
    """Says before anything is read what these arguments cannot be; the others are checked where they are taken apart."""
    if not (place is None or callable(place) or not why_not_by_name(place)):
        _wrong_kind("place", place, "a mapping from operator types or names to target keys, or a function")
    if not (observer is None or isinstance(observer, Observer)):
        _wrong_kind("observer", observer, "an ingot.Observer")
    if tune is not None and (isinstance(tune, bool) or not isinstance(tune, numbers.Real)):
        _wrong_kind("tune", tune, "a number of seconds")
    if isinstance(tune, numbers.Real) and not float(tune) >= 0:
        raise TargetError(f"tune is a number of seconds, 0 or more, got {tune}")
    if not (tuning is None or isinstance(tuning, str | os.PathLike)):
        _wrong_kind("tuning", tuning, "the path of a tuning file")


def _wrong_kind(argument: str, given: object, expected: str) -> NoReturn:
    why = why_not_by_name(given) or f"got {type(given).__name__}"
    raise TargetError(f"{argument}={given!r:.80}: expected {expected}, {why}")


def parts_of(target: str | Target | Mapping[str, TargetLike]) -> dict[str, Part]:
    """The target keys of a build, the host first."""
    if not (isinstance(target, str | Target) or not why_not_by_name(target)):
        _wrong_kind(
            "target", target, "a text such as 'llvm', an ingot.Target, or a mapping from keys to targets"
        )
    wanted: dict[str, TargetLike] = {HOST: target} if isinstance(target, str | Target) else dict(target)
    if HOST not in wanted:
        raise TargetError(
            f"target={{{', '.join(map(repr, wanted))}}}: there must be a target with the key {HOST!r}",
            keys=tuple(wanted),
        )
    parts = {}
    for key in (HOST, *(key for key in wanted if key != HOST)):
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,31}", key):
            raise TargetError(
                f"target key {key!r} must be 1 to 32 of a-z, 0-9 and _, beginning with a letter", key=key
            )
        given = wanted[key]
        if not isinstance(given, str | Target):
            parts[key] = _python_part(key, given)
            continue
        parsed = Target.parse(given, key) if isinstance(given, str) else replace(given, key=key)
        generator = codegens.find(parsed.codegen)
        if key == HOST and (generator.device_kind != "cpu" or generator.regions is not None):
            kind = "regions of a model" if generator.regions is not None else generator.device_kind
            raise TargetError(
                f"target {str(parsed)!r} makes code for {kind}, which cannot be the host; give both: "
                f"target={{'host': 'llvm', 'accel': {str(parsed)!r}}} and place=…",
                target=str(parsed),
            )
        parts[key] = part_for(key, parsed, generator)
    return parts


def _python_part(key: str, function: Callable[..., Any]) -> Part:
    if key == HOST or not callable(function):
        or_callable = "" if key == HOST else ", or a callable"
        raise TargetError(
            f"target key {key!r}: expected a target such as 'llvm'{or_callable}, got {function!r:.80}",
            key=key,
        )
    return Part(key, Target(PYTHON_ID, key=key), python_codegen(function))


def executors_of(executor: str | Sequence[str]) -> tuple[str, ...]:
    """The kinds of executor that are asked for, checked: one or two different ones."""
    if not isinstance(executor, Iterable):
        _wrong_kind("executor", executor, f"one or both of {', '.join(EXECUTORS)}")
    names = (executor,) if isinstance(executor, str) else tuple(executor)
    for name in names:
        if name not in EXECUTORS:
            raise TargetError(
                f"executor {name!r} is not known{nearest(name, EXECUTORS)} (known: {', '.join(EXECUTORS)})",
                executor=name,
            )
    if not names or len(set(names)) != len(names):
        raise TargetError(
            f"executor={executor!r}: give one or two different of {', '.join(EXECUTORS)}", executor=executor
        )
    return names


def cache_of(cache: str | os.PathLike[str] | None) -> DirectoryCache | None:
    """The cache that is asked for, None for none."""
    if not (cache is None or isinstance(cache, str | os.PathLike)):
        _wrong_kind("cache", cache, "the path of a folder, 'auto' or None")
    if cache is not None and not os.fspath(cache):
        raise TargetError(
            "cache='' names no folder; give one, 'auto' for the usual one, or None to keep nothing"
        )
    folder = environment.cache_folder() if cache == "auto" else None if cache is None else Path(cache)
    return None if folder is None else DirectoryCache(folder)
