"""How long a run may take: once it is behind its plan, models are given fewer turns and fewer starts."""

from __future__ import annotations

from collections.abc import Sequence

# Of 600 seconds, on the machine of docs/measurements/benchmarks.md; what is not here takes the usual time.
SECONDS = {
    "vww_fp32": 15, "light_bvlc_alexnet": 24, "light_densenet121": 33, "light_inception_v1": 25, "light_inception_v2": 32,
    "light_shufflenet": 18, "light_squeezenet": 14, "light_zfnet512": 28, "mobilenet_v2": 21, "resnet18": 19, "resnet50": 33,
    "vgg19": 73, "minilm": 13, "mobilenet_v2_u8": 15, "minilm_u8": 19,
}  # fmt: skip
USUAL_SECONDS = 10
BEHIND_SECONDS = 30.0


def planned(names: Sequence[str], done: int, limit: float) -> float:
    """The second at which the first `done` of the models should be over: each has its share of all, as SECONDS has them."""
    shares = [SECONDS.get(name, USUAL_SECONDS) for name in names]
    return limit * sum(shares[:done]) / sum(shares)


def fitting(full: int, minimum: int, behind: float) -> int:
    """How many turns, or starts, a model gets when the run is so many seconds behind its plan.

    In time it gets those that are wanted; from BEHIND_SECONDS on the least, which it always gets; between them in proportion.
    """
    share = min(max(behind / BEHIND_SECONDS, 0.0), 1.0)
    return full - round(share * max(0, full - minimum))
