"""How many threads a model gets if nobody says: what this process may use, never what the machine has.

Plain `os` calls: `pathlib` would be a tenth of what importing ingot costs.
"""

from __future__ import annotations

import os

PROC = "/proc/self"
CGROUPS = "/sys/fs/cgroup"


def available_threads() -> int:
    """The smaller of the processors that this process may run on and its CPU quota (cgroup, version 1 or 2), at least 1."""
    try:
        processors = len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        processors = os.cpu_count() or 1
    quota = cgroup_quota(PROC, CGROUPS)
    return processors if quota is None else max(1, min(processors, int(quota)))


def cgroup_quota(proc: str, cgroups: str) -> float | None:
    """Processors' worth of time that the cgroups of the process allow; None without a limit. Tests give folders of their own."""
    limits: list[float] = []
    for line in _read(f"{proc}/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, name = rest.partition(":")
        if not controllers:  # version 2: one hierarchy
            root, read = cgroups, _quota_v2
        elif "cpu" in controllers.split(","):
            root, read = f"{cgroups}/{controllers}", _quota_v1
            if not os.path.isdir(root):
                root = f"{cgroups}/cpu"
        else:
            continue
        # The limits of every group from the process's up to the root count. In a container the name is the host's and not
        # visible here; then the root is the container's own.
        parts = [part for part in name.split("/") if part not in ("", ".", "..")]
        for depth in range(len(parts) + 1):
            limits += read("/".join([root, *parts[:depth]]))
    return min(limits, default=None)


def _quota_v2(folder: str) -> list[float]:
    words = _read(f"{folder}/cpu.max").split()
    return _quota(words[0], words[1]) if len(words) == 2 else []


def _quota_v1(folder: str) -> list[float]:
    return _quota(_read(f"{folder}/cpu.cfs_quota_us").strip(), _read(f"{folder}/cpu.cfs_period_us").strip())


def _quota(quota: str, period: str) -> list[float]:
    if quota.isdigit() and period.isdigit() and int(period) > 0:
        return [int(quota) / int(period)]
    return []  # "max", "-1", or no such file


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().decode("ascii", "replace")
    except OSError:
        return ""
