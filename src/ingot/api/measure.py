"""What `tune` measures of a model: the kernels of all its programs, together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ingot.api.levels import Part, scheduled
from ingot.artifact.tuning import Tuning
from ingot.base import environment
from ingot.base.observe import Observer
from ingot.codegen.record import BuildContext
from ingot.machines.machine import Machine
from ingot.plan.fuse.fuse import fuse
from ingot.plan.program import HOST, Draft
from ingot.plan.transfer import transfer
from ingot.tune.tune import tune


def measured_tuning(
    drafts: Sequence[Draft],
    parts: Mapping[str, Part],
    machines: Mapping[str, Machine],
    context: BuildContext,
    seconds: float,
    watcher: Observer,
) -> Tuning:
    """Measures kernels of the host on this machine for about so many seconds.

    Args:
        drafts: one model, lowered for each combination of sizes that it has a program for; their constants stay.
        parts: a part for each target key.
        machines: what templates may count on, by target key.
        context: its cache keeps what is measured.
        seconds: how long.
        watcher: receives the stages.
    """
    host, spaces = parts[HOST], {key: part.space for key, part in parts.items()}
    programs = [scheduled(transfer(fuse(draft), spaces), parts, machines, (), watcher) for draft in drafts]
    with watcher.timed("tune"):
        symbol, here = host.symbol(drafts[0].name), environment.processor_name()
        return (tune(programs, host.generator, host.target, symbol, context, seconds, here),)
