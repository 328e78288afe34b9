import os
import sys

import pytest

from ingot.base import platforms


@pytest.mark.parametrize(
    ("triple", "platform"),
    [
        ("x86_64-linux-gnu", ("linux", "gnu")),
        ("x86_64-unknown-linux-gnu", ("linux", "gnu")),
        ("x86_64-pc-linux-gnu", ("linux", "gnu")),
        ("arm-none-linux-gnueabihf", ("linux", "gnu")),
        ("x86_64-linux-gnux32", ("linux", "gnux32")),
        ("x86_64-redhat-linux", ("linux", "")),
        ("x86_64-alpine-linux-musl", ("linux", "musl")),
        ("arm-linux-musleabihf", ("linux", "musl")),
        ("aarch64-unknown-linux-android24", ("linux", "android")),
        ("arm-linux-androideabi", ("linux", "android")),
        ("x86_64-w64-windows-gnu", ("windows", "gnu")),
        ("x86_64-w64-mingw32", ("windows", "")),
        ("arm64-apple-darwin23.1.0", ("darwin", "")),
        ("arm64-apple-macosx14.0.0", ("darwin", "")),
        ("x86_64-unknown-freebsd14.1", ("freebsd", "")),
        ("thumbv7em-none-eabihf", ("none-eabihf", "")),
        ("riscv32-unknown-elf", ("elf", "")),
        ("x86_64", ("", "")),
        ("", ("", "")),
    ],
)
def test_a_triple_names_a_system_and_a_c_library(triple, platform):
    assert platforms.platform_of(triple) == platform


def test_what_a_triple_does_not_say_fits(monkeypatch):
    monkeypatch.setattr(platforms, "this_platform", lambda: ("linux", "musl"))
    fitting = [
        name
        for name in ("", "linux", "linux-musl", "linux-gnu", "freebsd")
        if platforms.is_this_platform(f"x86_64-{name}")
    ]
    assert fitting == ["", "linux", "linux-musl"]


@pytest.mark.parametrize(
    ("system", "names", "platform"),
    [
        ("linux", {"CS_GNU_LIBC_VERSION": 2}, ("linux", "gnu")),
        ("linux", {}, ("linux", "musl")),
        ("darwin", {}, ("darwin", "")),
        ("win32", {}, ("windows", "")),
        ("freebsd14", {}, ("freebsd", "")),
    ],
)
def test_the_system_of_this_process_is_known_by_what_python_was_built_for(
    monkeypatch, system, names, platform
):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(os, "confstr_names", names)
    assert platforms.this_platform() == platform
