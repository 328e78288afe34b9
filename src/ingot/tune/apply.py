"""From tuning files to overrides for templates, and back: the options that a program really took."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ingot.artifact.tuning import TunedKernel, Tuning
from ingot.artifact.tuning_json import MAX_BYTES, tuning_from_json
from ingot.base.errors import ArtifactError
from ingot.base.observe import Observer
from ingot.base.target import Target
from ingot.kernels.template import COPIES
from ingot.plan.program import Decision, Program
from ingot.plan.schedule.schedule import Wanted
from ingot.plan.schedule.write import problem_digest


def read_tuning(path: str | os.PathLike[str]) -> Tuning:
    """The content of a tuning file.

    Raises:
        ArtifactError: it cannot be read, or is no tuning file; the message says where.
    """
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ArtifactError(f"{path}: is no regular file", path=str(path))
            content = file.read(MAX_BYTES + 1)  # one more is refused by its length
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise ArtifactError(
            f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}", path=str(path)
        ) from error
    return tuning_from_json(content, f"tuning file {path}")


def wanted_of(tuning: Tuning, targets: Mapping[str, Target]) -> dict[str, Wanted]:
    """For each target key the overrides, by problem, that were measured for its target."""
    by_target = {
        group.target: {kernel.problem: _wanted(kernel) for kernel in group.kernels} for group in tuning
    }
    return {key: by_target[str(target)] for key, target in targets.items() if str(target) in by_target}


def _wanted(kernel: TunedKernel) -> dict[str, str]:
    """The words of a kernel. Whether its weights are stored once more is left to the cost model where that was right: its answer
    is for one of equal layers, and each of them would take the memory that is meant for all.
    """
    usual = dict(kernel.usual)
    return {
        name: word
        for name, word in kernel.choices
        if not (name.startswith(COPIES) and usual.get(name) == word)
    }


def applied(
    programs: Sequence[Program], tuning: Tuning, targets: Mapping[str, Target], observer: Observer
) -> Tuning:
    """The part of a tuning that went into the programs of a model, with the options that their templates took. The rest is
    reported.
    """
    decisions: dict[tuple[str, str], Decision] = {}
    for decision in (decision for program in programs if tuning for decision in program.decisions):
        decisions.setdefault((str(targets[decision.key]), problem_digest(decision.problem)), decision)
    groups = []
    for group in tuning:
        if group.target not in map(str, targets.values()):
            here = " and ".join(f"'{target}'" for target in targets.values())
            observer.note(
                f"{len(group.kernels)} kernels of the tuning are for the target {group.target!r}, not for {here}"
            )
            continue
        matched: list[TunedKernel] = []
        unknown: list[TunedKernel] = []
        for kernel in group.kernels:
            decision_ = decisions.get((group.target, kernel.problem))
            if decision_ is None:
                unknown.append(kernel)
                continue
            wanted = _wanted(kernel)
            refused = {name: word for name, word in wanted.items() if decision_.chosen.get(name) != word}
            for name, word in refused.items():
                offered = ", ".join(decision_.offered.get(name, ())) or "nothing"
                observer.note(
                    f"kernel {decision_.kernel}: the tuning has {name}={word}, but this build offers {offered}; tune again"
                )
            left = {
                name: decision_.chosen[name]
                for name, _ in kernel.choices
                if name not in wanted and name in decision_.chosen
            }
            usual = tuple(sorted({**dict(kernel.usual), **left}.items()))
            choices = tuple(sorted(decision_.chosen.items()))
            matched.append(replace(kernel, kernel=decision_.kernel, choices=choices, usual=usual))
        if unknown:
            names = ", ".join(kernel.kernel for kernel in unknown[:4])
            observer.note(
                f"{len(unknown)} kernels of the tuning are not in this model: {names}{', …' * (len(unknown) > 4)}"
            )
        if matched:
            groups.append(replace(group, kernels=tuple(matched)))
    return tuple(groups)
