"""What was measured for a model's kernels: plain data, kept in an artifact beside the model and in tuning files.

`tuning_json` reads and writes it.
"""

from __future__ import annotations

from ingot.base.records import Frozen


class TunedKernel(metaclass=Frozen):
    """The ways that were chosen for one kernel.

    `problem` is the SHA-256 of everything that the kernel depends on, as hexadecimal digits: equal problems, in any model, are
    equal kernels. `kernel` is its name in the model where it was measured. `choices` and `usual` are (decision, word) pairs: what
    was fastest, and what the cost model takes by itself; beside them the shortest times that were seen, in nanoseconds.
    """

    problem: str
    template: str
    kernel: str
    choices: tuple[tuple[str, str], ...]
    usual: tuple[tuple[str, str], ...]
    time_ns: int = 0
    usual_ns: int = 0

    @property
    def is_usual(self) -> bool:
        """Whether the cost model was right."""
        return self.choices == self.usual


class Measurements(metaclass=Frozen):
    """Kernels that were measured for one target, by its text form, on one processor, by its name."""

    target: str
    cpu: str
    kernels: tuple[TunedKernel, ...]


Tuning = tuple[Measurements, ...]
