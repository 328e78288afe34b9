import pytest

from ingot.base.errors import ToolchainError
from ingot.link import toolchain


@pytest.fixture
def no_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: None)


def driver(folder, name, script="exit 0"):
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def test_without_any_compiler_the_error_says_what_to_install(no_compiler):
    with pytest.raises(ToolchainError, match=r"apt-get install gcc.*pip install ziglang"):
        toolchain.find_toolchain()


def test_zig_is_found_when_its_package_is_installed(no_compiler, monkeypatch):
    monkeypatch.setattr(
        toolchain.importlib.util, "find_spec", lambda name: object() if name == "ziglang" else None
    )
    assert toolchain.find_toolchain().command[1:] == ("-m", "ziglang", "cc")


def test_the_variable_cc_comes_first_and_may_have_arguments(no_compiler, monkeypatch, tmp_path):
    driver(tmp_path, "cc")
    driver(tmp_path, "my-cc")
    assert toolchain.find_toolchain().command == (str(tmp_path / "cc"),)
    monkeypatch.setenv("CC", "my-cc -m32")
    assert toolchain.find_toolchain().command == (str(tmp_path / "my-cc"), "-m32")


@pytest.mark.parametrize("command", ["./my-cc", "mine/../my-cc"])
def test_a_driver_that_is_named_from_here_is_run_from_anywhere(no_compiler, monkeypatch, tmp_path, command):
    (tmp_path / "mine").mkdir()
    (tmp_path / "elsewhere").mkdir()
    driver(tmp_path, "my-cc", "echo run > done")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CC", f"{command} -m32")
    found = toolchain.find_toolchain()
    assert found.command == (str(tmp_path / "my-cc"), "-m32")
    found.run([], tmp_path / "elsewhere", "linking")
    assert (tmp_path / "elsewhere" / "done").exists()


def test_a_driver_keeps_the_name_of_its_link(no_compiler, tmp_path):
    driver(tmp_path, "ccache")
    (tmp_path / "cc").symlink_to("ccache")
    assert toolchain.find_toolchain().command == (str(tmp_path / "cc"),)


@pytest.mark.parametrize("value", ["no-such-compiler", "'unclosed"])
def test_a_variable_cc_that_names_nothing_is_an_error(no_compiler, monkeypatch, value):
    monkeypatch.setenv("CC", value)
    with pytest.raises(ToolchainError, match="variable CC"):
        toolchain.find_toolchain()


def test_what_the_driver_says_is_quoted_but_not_without_end(no_compiler, tmp_path):
    driver(tmp_path, "cc", "i=0; while [ $i -lt 100 ]; do echo line $i >&2; i=$((i+1)); done; exit 3")
    with pytest.raises(ToolchainError, match="status 3") as caught:
        toolchain.find_toolchain().run([], tmp_path, "linking")
    assert (
        "line 39" in str(caught.value)
        and "line 40" not in str(caught.value)
        and "60 lines more" in str(caught.value)
    )
    assert len(caught.value.facts["output"]) == 100


def test_a_driver_that_cannot_run_is_an_error(no_compiler, tmp_path):
    (tmp_path / "cc").write_text("no program")
    (tmp_path / "cc").chmod(0o755)
    with pytest.raises(ToolchainError, match="cannot run"):
        toolchain.find_toolchain().run([], tmp_path, "linking")


@pytest.mark.parametrize(
    ("triple", "name"),
    [
        ("aarch64-linux-gnu", "aarch64-linux-gnu-gcc"),
        ("aarch64-unknown-linux-gnu", "aarch64-linux-gnu-clang"),
        ("armv7-linux-gnueabihf", "arm-linux-gnueabihf-gcc"),
    ],
)
def test_code_for_another_processor_takes_the_driver_of_its_triple(no_compiler, tmp_path, triple, name):
    driver(tmp_path, "cc")
    with pytest.raises(
        ToolchainError, match=r"no C compiler driver for \w+-linux-gnu.*apt-get install gcc-\w+-linux-gnu"
    ):
        toolchain.find_toolchain(triple)
    driver(tmp_path, name)
    assert toolchain.find_toolchain(triple).command == (str(tmp_path / name),)


def test_zig_is_told_the_triple(no_compiler, monkeypatch):
    monkeypatch.setattr(
        toolchain.importlib.util, "find_spec", lambda name: object() if name == "ziglang" else None
    )
    assert toolchain.find_toolchain("riscv64-linux-gnu").command[1:] == (
        "-m",
        "ziglang",
        "cc",
        "-target",
        "riscv64-linux-gnu",
    )


def test_another_version_of_zig_is_another_tool_chain(no_compiler, monkeypatch):
    monkeypatch.setattr(
        toolchain.importlib.util, "find_spec", lambda name: object() if name == "ziglang" else None
    )
    stamps = set()
    for version in ("0.14.1", "0.15.1"):
        monkeypatch.setattr(toolchain.importlib.metadata, "version", lambda name, version=version: version)
        stamps.add(toolchain.find_toolchain().stamp)
    assert len(stamps) == 2
