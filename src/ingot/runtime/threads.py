"""How many threads a model gets if nobody says: what this process may use, never what the machine has."""

from __future__ import annotations

import os
from pathlib import Path

PROC = Path("/proc/self")
CGROUPS = Path("/sys/fs/cgroup")


def available_threads() -> int:
    """The smaller of the processors that this process may run on and its CPU quota (cgroup, version 1 or 2), at least 1."""
    try:
        processors = len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        processors = os.cpu_count() or 1
    quota = cgroup_quota(PROC, CGROUPS)
    return processors if quota is None else max(1, min(processors, int(quota)))


def cgroup_quota(proc: Path, cgroups: Path) -> float | None:
    """Processors' worth of time that the cgroups of the process allow; None without a limit. Tests give folders of their own."""
    limits: list[float] = []
    for line in _read(proc / "cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, name = rest.partition(":")
        if not controllers:  # version 2: one hierarchy
            root, read = cgroups, _quota_v2
        elif "cpu" in controllers.split(","):
            root, read = cgroups / controllers, _quota_v1
            if not root.is_dir():
                root = cgroups / "cpu"
        else:
            continue
        # In a container the name is the host's and not visible here; then only the root, which is the container's own, counts.
        folder = root / name.lstrip("/")
        while True:
            limits += read(folder)
            if folder == root or root not in folder.parents:
                break
            folder = folder.parent
    return min(limits, default=None)


def _quota_v2(folder: Path) -> list[float]:
    words = _read(folder / "cpu.max").split()
    return _quota(words[0], words[1]) if len(words) == 2 else []


def _quota_v1(folder: Path) -> list[float]:
    return _quota(_read(folder / "cpu.cfs_quota_us").strip(), _read(folder / "cpu.cfs_period_us").strip())


def _quota(quota: str, period: str) -> list[float]:
    if quota.isdigit() and period.isdigit() and int(period) > 0:
        return [int(quota) / int(period)]
    return []  # "max", "-1", or no such file


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
