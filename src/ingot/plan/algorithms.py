"""Which algorithm computes each kernel, what the others would have needed, and why they refused: text for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from ingot.base.errors import TargetError
from ingot.kernels.template import Candidate
from ingot.plan.program import Decision, Program

_COLUMNS, _NAME = 80, 18


def algorithms_text(program: Program) -> str:
    """A table for each kernel whose template chose between algorithms. A star marks the one that was taken."""
    tables: dict[str, str] = {}
    for decision in program.decisions:
        if decision.candidates:
            tables.setdefault(decision.kernel, "\n".join(_table(decision)))
    return "\n\n".join(tables.values()) + "\n" if tables else "no kernel has algorithms to choose between\n"


def _table(decision: Decision) -> Iterator[str]:
    for family, candidates in decision.candidates.items():
        yield f"{decision.kernel}: {family}={decision.chosen[family]}"
        for candidate in candidates:
            mark = "*" if candidate.name == decision.chosen[family] else " "
            yield textwrap.fill(
                f"{mark} {candidate.name:<{_NAME}}{_facts(candidate)}",
                _COLUMNS,
                initial_indent="  ",
                subsequent_indent=" " * (_NAME + 4),
            )


def _facts(candidate: Candidate) -> str:
    if candidate.refusal:
        return f"refuses: {candidate.refusal}"
    if candidate.cycles is None:
        return "no estimate"
    return f"{candidate.cycles:,.0f} cycles" + (
        "" if candidate.instead is None else f"; the plain algorithm {candidate.instead:,.0f}"
    )


def require_taken(program: Program, force: Mapping[str, str]) -> None:
    """Raises TargetError where no kernel is computed by an algorithm that was forced, with the refusal of the first one."""
    for family, name in force.items():
        decisions = [decision for decision in program.decisions if family in decision.candidates]
        if not decisions:
            raise TargetError(
                f"force {family}={name}: the model has no kernel of this family; leave it out", family=family
            )
        if any(decision.chosen[family] == name for decision in decisions):
            continue
        first = decisions[0]
        refusal = next(candidate.refusal for candidate in first.candidates[family] if candidate.name == name)
        willing = [candidate.name for candidate in first.candidates[family] if not candidate.refusal]
        raise TargetError(
            f"force {family}={name}: it computes no kernel of the model; {first.kernel} is refused: {refusal}; "
            f"it can be computed by {', '.join(willing)}",
            family=family,
            algorithm=name,
        )
