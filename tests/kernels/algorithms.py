"""Questions about algorithms at a site."""

from __future__ import annotations

from typing import TypeVar

from ingot.kernels.algorithm import Algorithm
from ingot.kernels.conv.problem import ConvSpec
from ingot.kernels.conv.winograd.kernel import Plan
from ingot.kernels.conv.winograd.winograd import WINOGRAD, winograd_plan
from ingot.kernels.template import Site

Problem = TypeVar("Problem")


def refusal(algorithm: Algorithm[Problem], site: Site, problem: Problem) -> str:
    """Why an algorithm cannot compute a problem there; empty if it can."""
    return algorithm.refuses(site, problem) or algorithm.refuses_values(site, problem)


def pays(algorithm: Algorithm[Problem], site: Site, problem: Problem) -> bool:
    """Whether an algorithm can compute a problem there, and expects to be faster than all behind it."""
    return not refusal(algorithm, site, problem) and algorithm.estimate(site, problem).pays


def chosen_plan(site: Site, spec: ConvSpec) -> Plan | None:
    """The plan of Winograd's algorithm for a convolution; None where it should be slower, or refuses."""
    for m, algorithm in zip((4, 2), WINOGRAD, strict=True):
        if pays(algorithm, site, spec):
            return winograd_plan(site, spec, m)
    return None
