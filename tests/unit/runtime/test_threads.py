import os

import pytest

from ingot.base import threads


def tree(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder / "proc"), str(folder / "cg")


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({}, None),
        ({"proc/cgroup": "0::/a/b\n", "cg/a/b/cpu.max": "max 100000\n"}, None),
        ({"proc/cgroup": "0::/a/b\n", "cg/a/b/cpu.max": "150000 100000\n"}, 1.5),
        ({"proc/cgroup": "0::/a/b\n", "cg/a/cpu.max": "200000 100000", "cg/a/b/cpu.max": "300000 100000"}, 2),
        ({"proc/cgroup": "0::/\n", "cg/cpu.max": "50000 100000"}, 0.5),
        ({"proc/cgroup": "0::/not/visible/here\n", "cg/cpu.max": "400000 100000"}, 4),
        ({"proc/cgroup": "0::/../../x\n", "cg/cpu.max": "400000 100000"}, 4),
        (
            {
                "proc/cgroup": "4:memory:/m\n3:cpu,cpuacct:/a\n",
                "cg/cpu,cpuacct/a/cpu.cfs_quota_us": "250000\n",
                "cg/cpu,cpuacct/a/cpu.cfs_period_us": "100000\n",
            },
            2.5,
        ),
        (
            {
                "proc/cgroup": "3:cpu:/a\n",
                "cg/cpu/a/cpu.cfs_quota_us": "-1\n",
                "cg/cpu/a/cpu.cfs_period_us": "100000\n",
            },
            None,
        ),
        ({"proc/cgroup": "3:cpuset:/a\nnonsense\n0::\n", "cg/cpu.max": "nonsense"}, None),
        ({"proc/cgroup": "0::/\n", "cg/cpu.max": "100 0"}, None),
    ],
)
def test_the_smallest_quota_on_the_way_up_counts(tmp_path, files, quota):
    assert threads.cgroup_quota(*tree(tmp_path, files)) == quota


@pytest.mark.parametrize(("quota", "expected"), [(None, 6), (0.2, 1), (1.5, 1), (2, 2), (64, 6)])
def test_the_default_is_what_affinity_and_quota_allow(monkeypatch, quota, expected):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(6 if pid == 0 else 9)))
    monkeypatch.setattr(threads, "cgroup_quota", lambda proc, cgroups: quota)
    assert threads.available_threads() == expected
