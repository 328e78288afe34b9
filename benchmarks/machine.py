"""What is measured on: the processor, its cores and caches, in one sentence."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

WIDTHS = (("avx512_vnni", "AVX-512 with VNNI"), ("avx512f", "AVX-512"), ("avx2", "AVX2"), ("asimd", "NEON"))


def describe() -> str:
    """Like `AMD EPYC (family 26, model 2): 2 cores, AVX-512 with VNNI, L1d 48 KB, L2 1 MB; Linux 6.1`."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    facts = dict(re.findall(r"^([^\t\n]+?)\s*: (.*)$", text.split("\n\n", 1)[0], re.MULTILINE))
    flags = set(facts.get("flags", facts.get("Features", "")).split())
    name = facts.get("model name", platform.machine())
    if "cpu family" in facts:
        name += f" (family {facts['cpu family']}, model {facts['model']})"
    width = next((label for flag, label in WIDTHS if flag in flags), "no vectors that we know")
    parts = [f"{len(os.sched_getaffinity(0))} cores", width]
    for cache in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind = (cache / "type").read_text().strip()
        if kind != "Instruction":
            parts.append(f"L{(cache / 'level').read_text().strip()} {(cache / 'size').read_text().strip()}")
    return f"{name}: {', '.join(parts)}; Linux {platform.release().split('-')[0]}, Python {platform.python_version()}"
