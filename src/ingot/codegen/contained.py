"""Code generators of other packages: whatever goes wrong in one is an error with its name, and what it gives is checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from ingot.artifact.artifact import LOADER_NATIVE, LOADER_TEXT, RESERVED, Artifact
from ingot.artifact.artifact_set import InMemoryArtifact
from ingot.base.errors import IngotError, TargetError
from ingot.base.target import Target
from ingot.codegen.record import BuildContext, Codegen, Generated
from ingot.machines.machine import Machine
from ingot.plan.program import CompileUnit

T = TypeVar("T")

# Loaders with a meaning of their own that a code generator may use: code, and texts for people.
_OPEN = frozenset({LOADER_NATIVE, LOADER_TEXT})


def contained(codegen: Codegen, owner: str) -> Codegen:
    """The same code generator, which gives what it should or raises an error that names it.

    Args:
        codegen: what a package offers.
        owner: the object and the package that has it, in words.
    """
    who = f"the code generator {codegen.id!r}, {owner}"

    def resolve(target: Target) -> Target:
        return _checked(who, "resolve", lambda: codegen.resolve(target), Target)

    def machine(target: Target) -> Machine:
        return _checked(who, "machine", lambda: codegen.machine(target), Machine)

    def generate(unit: CompileUnit, target: Target, context: BuildContext) -> Generated:
        generated = _checked(who, "generate", lambda: codegen.generate(unit, target, context), Generated)
        _require_good(who, codegen.id, target.key, (*generated.artifacts, *generated.in_memory))
        return generated

    return replace(codegen, resolve=resolve, machine=machine, generate=generate)


def _checked(who: str, name: str, function: Callable[[], Any], kind: type[T]) -> T:
    try:
        result = function()
    except (IngotError, MemoryError):
        raise
    except Exception as error:  # the plug-in's own code runs here and may raise anything
        raise TargetError(f"{who}: {name} failed: {type(error).__name__}: {error}", codegen=who) from error
    if not isinstance(result, kind):
        raise TargetError(f"{who}: {name} must give a {kind.__name__}, got {result!r:.200}", codegen=who)
    return result


def _require_good(who: str, id_: str, key: str, members: Iterable[object]) -> None:
    """Raises TargetError if something is no artifact, or has labels that are not its own, or a name that another one has."""
    names: Counter[str] = Counter()
    for member in members:
        if not isinstance(member, Artifact | InMemoryArtifact):
            raise TargetError(f"{who}: generate must give artifacts, got {member!r:.200}", codegen=who)
        if (member.codegen_id, member.target_key) != (id_, key):
            raise TargetError(
                f"{who}: the artifact {member.file_name!r} says that it was made by {member.codegen_id!r} for "
                f"{member.target_key!r}; expected {id_!r} and {key!r}",
                codegen=who,
            )
        if isinstance(member, Artifact) and member.loader in RESERVED - _OPEN:
            raise TargetError(
                f"{who}: the artifact {member.file_name!r} has the loader {member.loader!r}, which is ingot's own; expected "
                f"{' or '.join(sorted(_OPEN))}, or the name of a loader that a package offers",
                codegen=who,
            )
        names[member.file_name] += 1
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise TargetError(
            f"{who}: two artifacts have the name {twice[0]!r}; each needs one of its own", codegen=who
        )
