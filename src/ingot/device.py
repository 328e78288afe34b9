"""Where loaded code runs: `Device`."""

from ingot.frozen import Frozen


class Device(metaclass=Frozen):
    """Where loaded code runs. `kind` is "cpu", "opencl", "cuda" or a plug-in's name."""

    kind: str
    index: int = 0

    def __str__(self) -> str:
        return f"{self.kind}({self.index})"


def cpu(index: int = 0) -> Device:
    """The processor that this process runs on."""
    return Device("cpu", index)


def opencl(index: int = 0) -> Device:
    """An OpenCL device of this machine, in the order in which the platforms name them."""
    return Device("opencl", index)


def cuda(index: int = 0) -> Device:
    """An NVIDIA GPU of this machine, in the order of its driver."""
    return Device("cuda", index)
