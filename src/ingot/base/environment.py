"""The one reader of the process's environment. Everybody else asks here, by a function that says what the variable means."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ingot.base.errors import ToolchainError


def compiler_command() -> str:
    """`CC`: the compiler driver to use, with its first arguments; empty if not set."""
    return os.environ.get("CC", "").strip()


def plugins_text() -> str:
    """`INGOT_PLUGINS`: the distributions whose plug-ins are found, with commas between them, or `off`; empty for all."""
    return os.environ.get("INGOT_PLUGINS", "").strip()


def cache_folder() -> Path | None:
    """Where ingot keeps what it can make again: `$XDG_CACHE_HOME/ingot`, `~/.cache/ingot`, or None when there is no home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if base and Path(base).is_absolute():  # the XDG rule: relative paths are ignored
        return Path(base) / "ingot"
    home = os.environ.get("HOME", "")
    return Path(home) / ".cache" / "ingot" if home else None


def processor_name() -> str:
    """What this machine's processor calls itself; the kind of machine where it has no name."""
    names = _cpu_info()
    return next(
        (names[key] for key in ("model name", "Processor", "uarch") if names.get(key)), os.uname().machine
    )


def processor_traits() -> str:
    """What tells this machine's processor from others that compute differently: its kind, and the instructions it has."""
    names = _cpu_info()
    return " ".join([os.uname().machine, *(f"{key}={names[key]}" for key in _TRAITS if key in names)])


# How /proc/cpuinfo calls them on x86, Arm and RISC-V.
_TRAITS = (
    "vendor_id",
    "cpu family",
    "model",
    "model name",
    "CPU implementer",
    "CPU part",
    "uarch",
    "flags",
    "Features",
    "isa",
)


def _cpu_info() -> dict[str, str]:
    """What the system says of the first core, by the names in the file."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as file:
            text = file.read(1 << 14).partition("\n\n")[0]
    except OSError:
        text = ""
    return {
        name.strip(): value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())
    }


def cache_bytes(level: int, folder: Path = Path("/sys/devices/system/cpu/cpu0")) -> int:
    """What a core of this machine has for itself of a cache for data: its share of one that several cores use. 0 where the system
    does not say.
    """
    try:
        threads = _cpu_count((folder / "topology" / "thread_siblings_list").read_text(encoding="ascii"))
        for place in sorted((folder / "cache").glob("index*")):
            sizes = {
                name: (place / name).read_text(encoding="ascii").strip() for name in ("level", "type", "size")
            }
            size = size_from_text(sizes["size"])
            if int(sizes["level"]) == level and sizes["type"] in ("Data", "Unified") and size is not None:
                shared = _cpu_count((place / "shared_cpu_list").read_text(encoding="ascii"))
                return size // max(1, shared // max(1, threads))
    except (OSError, ValueError):
        pass
    return 0


def size_from_text(text: str) -> int | None:
    """Bytes from `1048576`, `1024K` or `1M`; None from any other text."""
    match = re.fullmatch(r"([0-9]{1,12})([KM]?)", text)
    return int(match[1]) * {"": 1, "K": 1 << 10, "M": 1 << 20}[match[2]] if match else None


def _cpu_count(words: str) -> int:
    """How many processors a list such as `0-3,8` names."""
    spans = [part.partition("-")[::2] for part in words.strip().split(",")]
    return sum(int(last or first) - int(first) + 1 for first, last in spans)


def source_date_epoch() -> int:
    """`SOURCE_DATE_EPOCH`: the time, in seconds, that goes where a format wants one; 0 if not set.

    Raises:
        ToolchainError: it is set and is no whole number from 0 to 2^32 - 1.
    """
    text = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) < 1 << 32):
        raise ToolchainError(
            f"SOURCE_DATE_EPOCH must be a whole number of seconds below 2^32, got {text[:40]!r}", got=text
        )
    return int(text)
