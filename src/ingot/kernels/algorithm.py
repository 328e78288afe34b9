"""Algorithms: one operator family can be computed in several ways, each of which is a record in an ordered tuple.

    CONV = (GRID, DEPTHWISE, *WINOGRAD, INPUT_CHANNELS, AMX, PAIRWISE, DIRECT)

`choose` takes the first that refuses neither the machine nor the problem, and that its own estimate says pays off. On every
machine some algorithm refuses no problem and always pays: it stands behind all others that run there. Which one computes a kernel
is a decision of its `Site` like any other, called as the family: tuning measures what is worth measuring, and whatever does not
refuse is taken where a build wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ingot.kernels.template import Candidate, Site
from ingot.loops.nodes import Stmt

Problem = TypeVar("Problem")

FOR_PROCESSORS = "it is written for processors, not for groups of work items"


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an algorithm expects of itself: `pays` says whether it should be faster than all behind it in the tuple,
    `worth_measuring` whether tuning should try it where it is not taken. `cycles` is the cost that this was decided by, `instead`
    that of the plain algorithm by the same measure; two algorithms may measure differently. None: there is no estimate.
    """

    pays: bool
    worth_measuring: bool = True
    cycles: float | None = None
    instead: float | None = None


def refuses_nothing(_site: Site, _problem: object) -> str:
    """`Algorithm.refuses` of one that computes every problem."""
    return ""


def always_pays(_site: Site, _problem: object) -> Estimate:
    """`Algorithm.estimate` of one that is taken wherever it does not refuse."""
    return Estimate(True)


def needs_grid(site: Site, _problem: object) -> str:
    """`Algorithm.refuses` of one that is written for groups of work items."""
    return why_not((not site.machine.grid, "it is written for groups of work items"))


def needs_processor(site: Site, _problem: object) -> str:
    """`Algorithm.refuses` of one that is not."""
    return why_not((site.machine.grid, FOR_PROCESSORS))


@dataclass(frozen=True, slots=True, eq=False)
class Algorithm(Generic[Problem]):
    """One way to compute the problems of a family.

    `build` writes the statements of the kernel. `refuses` gives a sentence saying why the algorithm cannot compute a problem
    there, or the empty text. `refuses_values` does so by the values of constants: it reads all of them, so it is asked only of
    what may be taken. `estimate` is asked where `refuses` is silent.
    """

    name: str
    build: Callable[[Site, Problem], Sequence[Stmt]]
    refuses: Callable[[Site, Problem], str] = refuses_nothing
    refuses_values: Callable[[Site, Problem], str] = refuses_nothing
    estimate: Callable[[Site, Problem], Estimate] = always_pays


def why_not(*checks: tuple[bool, str]) -> str:
    """The sentence of the first condition that holds; empty if none does."""
    return next((sentence for holds, sentence in checks if holds), "")


def choose(
    site: Site, family: str, problem: Problem, algorithms: Sequence[Algorithm[Problem]]
) -> Algorithm[Problem]:
    """The algorithm for a problem, and a table of all of them in `site.candidates`."""
    rated = [
        _rated(site, problem, algorithm, algorithm.name == site.wants(family)) for algorithm in algorithms
    ]
    usable = [rating for rating in rated if not rating.refusal]
    first = next(rating for rating in usable if rating.estimate.pays)
    offered = [
        first,
        *(rating for rating in usable if rating is not first and rating.estimate.worth_measuring),
    ]
    options, every = (
        {rating.algorithm.name: rating.algorithm for rating in some} for some in (offered, usable)
    )
    site.candidates[family] = tuple(rating.candidate for rating in rated)
    return site.choose(family, options, every)


@dataclass(frozen=True, slots=True, eq=False)
class _Rated(Generic[Problem]):
    algorithm: Algorithm[Problem]
    refusal: str
    estimate: Estimate

    @property
    def candidate(self) -> Candidate:
        return Candidate(self.algorithm.name, self.refusal, self.estimate.cycles, self.estimate.instead)


def _rated(site: Site, problem: Problem, algorithm: Algorithm[Problem], is_wanted: bool) -> _Rated[Problem]:
    refusal = algorithm.refuses(site, problem)
    if refusal:
        return _Rated(algorithm, refusal, Estimate(False))
    estimate = algorithm.estimate(site, problem)
    if estimate.pays or estimate.worth_measuring or is_wanted:
        refusal = algorithm.refuses_values(site, problem)
    return _Rated(algorithm, refusal, estimate)


def build(
    site: Site, family: str, problem: Problem, algorithms: Sequence[Algorithm[Problem]]
) -> Sequence[Stmt]:
    """The statements of a kernel by the algorithm that is chosen for it."""
    return choose(site, family, problem, algorithms).build(site, problem)
