"""The frame of the command line: overview, errors, exit statuses, pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import ingot
from ingot.base import errors
from ingot.cli import late
from ingot.cli.main import STATUS_OF, main


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(words)
    return caught.value.code if isinstance(caught.value.code, int) else 0


def test_version_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"ingot {ingot.__version__}\n"


def test_the_overview_has_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    shown = capsys.readouterr().out
    for name, summary in late.SUMMARIES.items():
        assert name in shown
        assert summary.split()[0] in shown


def test_an_unknown_command_gets_the_nearest_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("buidl") == 2
    assert "build" in capsys.readouterr().err


def test_an_unknown_option_is_a_wrong_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("inspect", "x.so", "--jsn") == 2
    assert "--json" in capsys.readouterr().err


@pytest.mark.parametrize("name", late.SUMMARIES)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(name, "--help") == 0
    assert late.SUMMARIES[name] in " ".join(capsys.readouterr().out.split())


def test_an_error_is_one_sentence_and_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    status = run("inspect", "nothing-here.so")
    assert status == dict(STATUS_OF)[errors.ArtifactError]
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("ingot: cannot open 'nothing-here.so'")
    assert shown.err.count("\n") == 1


def test_every_kind_of_error_has_a_status_of_its_own() -> None:
    statuses = [status for _, status in STATUS_OF]
    assert len(set(statuses)) == len(statuses)
    assert min(statuses) > 2
    kinds = [kind for kind, _ in STATUS_OF]
    assert kinds[-1] is errors.IngotError
    # Those that take other runtimes' places never reach the command line, nor do those of tests.
    own = {
        kind for kind in errors.IngotError.__subclasses__() if kind.__module__ in ("ingot", errors.__name__)
    }
    assert set(kinds) == {errors.IngotError, *own} - {errors.InternalError}


def failing(kind: type[errors.IngotError]) -> Callable[[object], None]:
    def fail(_: object) -> None:
        raise kind("because")

    return fail


@pytest.mark.parametrize(("kind", "status"), STATUS_OF)
def test_an_error_gets_the_status_of_its_kind(
    kind: type[errors.IngotError],
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(late, "command", lambda name: failing(kind))
    assert run("list", "codegens") == status
    assert capsys.readouterr().err == "ingot: because\n"


def test_an_interrupt_is_said_in_two_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(late, "command", lambda name: interrupted)
    assert run("list", "codegens") == 128 + signal.SIGINT
    assert capsys.readouterr().err == "ingot: interrupted\n"


def test_too_little_memory_is_said_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def large(_: object) -> None:
        bytearray(1 << 62)

    monkeypatch.setattr(late, "command", lambda name: large)
    assert run("list", "codegens") == 14
    shown = capsys.readouterr().err
    assert shown.startswith("ingot: not enough memory") and shown.count("\n") == 1


def test_too_little_memory_for_the_code_of_a_package_is_said_in_the_same_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def opening(name: str) -> None:
        try:
            raise OSError("libllvmlite.so: failed to map segment from shared object")
        except OSError:
            raise OSError("Could not find/load shared object file 'libllvmlite.so'")  # noqa: B904  # as llvmlite does

    monkeypatch.setattr(late, "command", opening)
    assert run("list", "codegens") == 14
    shown = capsys.readouterr().err
    assert shown.startswith("ingot: not enough memory") and shown.count("\n") == 1
    # The linker says the same where a file system lets no code run, and nobody would look there for want of memory.
    assert "noexec" in shown and "libllvmlite.so: failed to map segment" in shown


def test_an_interrupt_while_the_command_line_is_imported_is_said_in_two_words(tmp_path: Path) -> None:
    (tmp_path / "argparse.py").write_text("raise KeyboardInterrupt\n")
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.modules.pop('argparse', None); import ingot.cli.main"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "ingot: interrupted\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX pipes")
def test_a_reader_that_leaves_early_is_no_error() -> None:
    script = (
        "from ingot.cli import late, main\n"
        "def many(_):\n"
        "    for number in range(100000): print(number)\n"
        "late.command = lambda name: many\n"
        "main.main(['list', 'codegens'])\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    shown = process.stderr.read()
    process.stderr.close()
    assert process.wait(30) == 128 + signal.SIGPIPE
    assert shown == b""


def without_a_reader(*words: str, closed: str, buffered: bool = True) -> subprocess.CompletedProcess[str]:
    """The command line with one of its outputs, or both, in a pipe that nobody reads."""
    script = "import sys; from ingot.cli.main import main; main(sys.argv[1:])"
    environment = {**os.environ, "PYTHONUNBUFFERED": "" if buffered else "1"}
    read, write = os.pipe()
    os.close(read)
    try:
        out, err = (write if closed in (name, "both") else subprocess.PIPE for name in ("stdout", "stderr"))
        command = [sys.executable, "-c", script, *words]
        return subprocess.run(command, check=False, stdout=out, stderr=err, text=True, env=environment)
    finally:
        os.close(write)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX pipes")
@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("words", [["--help"], ["build", "--help"], ["--version"], ["list", "codegens"]])
def test_what_nobody_reads_is_no_error_however_short_it_is(words: list[str], buffered: bool) -> None:
    done = without_a_reader(*words, closed="stdout", buffered=buffered)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX pipes")
@pytest.mark.parametrize("closed", ["stderr", "both"])
@pytest.mark.parametrize("words", [["build"], ["load", "nowhere"], []])
def test_a_sentence_that_nobody_reads_ends_as_any_other_output(words: list[str], closed: str) -> None:
    done = without_a_reader(*words, closed=closed)
    assert (done.returncode, done.stdout or "", done.stderr or "") == (128 + signal.SIGPIPE, "", "")


def test_an_error_keeps_its_status_where_nobody_reads_standard_output() -> None:
    done = without_a_reader("load", "nowhere", closed="stdout")
    assert done.returncode == 8 and done.stderr.startswith("ingot: cannot open 'nowhere'")


def test_without_a_word_the_overview_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 2
    shown = capsys.readouterr()
    assert shown.out == "" and "commands and options:" in shown.err


@pytest.mark.parametrize(
    "setting", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
)
def test_what_the_encoding_of_standard_output_has_not_is_spelled(setting: dict[str, str]) -> None:
    script = (
        "from ingot.cli import late, main\n"
        "from ingot.cli.console import seconds, show\n"
        "late.command = lambda name: lambda _: show(f'in {seconds(3.8e-6)}')\n"
        "main.main(['list', 'codegens'])\n"
    )
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONIOENCODING"},
        **setting,
    }
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"in 3.8 \\xb5s\n", b"")


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [["list", "operators"], ["--help"], ["--version"]])
def test_a_full_disk_behind_standard_output_is_one_sentence(words: list[str]) -> None:
    script = "import sys; from ingot.cli.main import main; main(sys.argv[1:])"
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", script, *words],
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 13
    assert done.stderr == "ingot: cannot write to standard output: No space left on device\n"


def test_without_a_standard_output_a_command_does_its_work() -> None:
    command = (
        f"exec '{sys.executable}' -c 'from ingot.cli.main import main; main([\"list\", \"operators\"])' >&-"
    )
    done = subprocess.run(["sh", "-c", command], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["run", "inspect", "bench"])
def test_commands_that_load_libraries_import_no_compiler(name: str) -> None:
    script = (
        "import sys\n"
        "from ingot.cli.main import main\n"
        "try: main([sys.argv[1], '--help'])\n"
        "except SystemExit: pass\n"
        "compiler = {'onnx', 'onnx_ir', 'llvmlite', 'onnxruntime', 'ml_dtypes', 'ingot.api'}\n"
        "print(sorted(compiler & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, name], check=True, capture_output=True, text=True)
    assert done.stderr == "[]\n"


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> Callable[[], None]:
        raise ModuleNotFoundError("No module named 'onnx_ir'", name="onnx_ir")

    monkeypatch.setattr(late, "command", missing)
    assert run("build", "model.onnx") == 12
    assert "'onnx_ir', which is not installed: pip install 'ingot-compiler[build]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--version"], ["--help"], ["run", "-h"], ["inspect", "-h"], ["load", "-h"], ["bench", "-h"]]
)
def test_an_installation_that_only_loads_libraries_has_the_commands_for_that(words: list[str]) -> None:
    compiler = {"onnx", "onnx_ir", "llvmlite", "ml_dtypes", "elftools", "google.protobuf"}
    script = f"import sys\nsys.modules.update(dict.fromkeys({compiler!r}))\nfrom ingot.cli.main import main\nmain({words!r})"
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "ingot" in done.stdout


def test_the_package_is_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ingot", "--version"], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, f"ingot {ingot.__version__}\n")


@pytest.mark.parametrize("name", ["", *late.SUMMARIES])
def test_help_fits_into_80_columns(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(*filter(None, [name]), "-h") == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bench", "x.so", "--seconds", "soon"], "--seconds: expected a number of at least 0, got 'soon'"),
        (["bench", "x.so", "--threads", "0"], "--threads: expected a whole number of at least 1, got '0'"),
        (["bench", "x.so", "--seconds", "nan"], "--seconds: expected a number of at least 0, got 'nan'"),
        (["bench"], "the following arguments are required: FILE"),
        (["load", "x.so", "y.so"], "unknown argument 'y.so'"),
        (["build", "x.onnx", "--outpt=x.so"], "unknown option '--outpt=x.so'; did you mean '--output'"),
        (["--verson"], "unknown option '--verson'"),
    ],
)
def test_wrong_words_are_one_sentence(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.count("\n") == 1
    assert shown.err.startswith(f"ingot: {said}")


def test_with_standard_error_closed_nothing_of_it_comes_on_standard_output() -> None:
    script = (
        "import sys; sys.stderr = None\nfrom ingot.cli.main import main\nmain(['load', 'nowhere', '--json'])"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, stdout=subprocess.PIPE, text=True)
    assert (done.returncode, done.stdout) == (8, "")


def test_what_nobody_thought_of_is_a_defect_and_no_difference(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        raise TypeError("nobody thought of this")

    monkeypatch.setattr("ingot.cli.main.parser", fail)
    with pytest.raises(SystemExit) as ended:
        main(["list", "codegens"])
    assert ended.value.code == 11
    assert "TypeError: nobody thought of this" in capsys.readouterr().err
