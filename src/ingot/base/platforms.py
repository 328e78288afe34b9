"""The system and the C library in a target's triple, and those of this process."""

from __future__ import annotations

import os
import sys

# The first letters of a word in a triple, and the system that it names.
_SYSTEMS = {
    "linux": "linux",
    "freebsd": "freebsd",
    "netbsd": "netbsd",
    "openbsd": "openbsd",
    "dragonfly": "dragonfly",
    "darwin": "darwin",
    "macos": "darwin",
    "windows": "windows",
    "win32": "windows",
    "mingw": "windows",
}
# What is behind the system begins so; what is there more is a processor's convention or a version. Pointers of other sizes first.
_C_LIBRARIES = ("gnux32", "gnu_ilp32", "gnuabin32", "muslx32", "gnu", "musl", "android", "uclibc")
_NOT_SAID = ("unknown", "pc")

# A system ("none-eabi" where there is none), and its C library; empty where a triple does not say it.
Platform = tuple[str, str]


def triple_of(target: str) -> str:
    """The triple that the text of a target names by `-mtriple`; empty if it names none."""
    flags = (word.partition("=") for word in target.split())
    return next((value for flag, _, value in flags if flag == "-mtriple"), "")


def platform_of(triple: str) -> Platform:
    """The system and C library of a triple: `("linux", "gnu")` of `arm-linux-gnueabihf`."""
    rest = triple.split("-")[1:]
    for at, word in enumerate(rest):
        for beginning, system in _SYSTEMS.items():
            if word.startswith(beginning):
                return system, _c_library("-".join(rest[at + 1 :]))
    return "-".join(word for word in rest if word not in _NOT_SAID), ""


def _c_library(words: str) -> str:
    return next((name for name in _C_LIBRARIES if words.startswith(name)), words)


def this_platform() -> Platform:
    """The system and C library that this process runs on."""
    if not sys.platform.startswith(("linux", "android")):
        return platform_of(f"-{sys.platform}")
    if hasattr(sys, "getandroidapilevel"):
        return "linux", "android"
    return "linux", "gnu" if "CS_GNU_LIBC_VERSION" in os.confstr_names else "musl"


def is_this_platform(triple: str) -> bool:
    """Whether code for a triple fits the system and C library of this process. What a triple does not say fits."""
    pairs = zip(platform_of(triple), this_platform(), strict=True)
    return all(not said or said == here for said, here in pairs)


def platform_words(platform: Platform) -> str:
    """A platform as messages write it: `linux-gnu`."""
    return "-".join(filter(None, platform))
