"""`ingot build`: an ONNX model becomes a library."""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from ingot.api import ArtifactSet, build
from ingot.artifact.info import EXECUTORS
from ingot.cli.arguments import bound_dims, keyed_targets, one_of, placements, require_placed
from ingot.cli.console import seconds, show, show_json, show_table, size
from ingot.errors import ArtifactError
from ingot.link.interface import why_no_interface
from ingot.link.packages import cmake_config, package_name, pkg_config
from ingot.link.shared import CONTAINERS, write_aside
from ingot.observe import Observer
from ingot.package.container_file import SUFFIX
from ingot.package.mlf_write import STYLES, VERSIONS
from ingot.package.tar import SUFFIX as ARCHIVE_SUFFIX
from ingot.target import MATH


def command(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="An ONNX file.", show_default=False)],
    target: Annotated[
        list[str] | None,
        typer.Option(
            "-t",
            "--target",
            metavar="TARGET|KEY=TARGET",
            help="What to make code for, such as 'llvm -mcpu=native' or 'c' [default: llvm]. For several targets, each by a key, "
            "the host's too: -t host=llvm -t accel=opencl.",
        ),
    ] = None,
    place: Annotated[
        list[str] | None,
        typer.Option(
            "--place",
            metavar="WHAT=KEY",
            help="Which nodes go to which target: an operator type, a node's name or a pattern of names; may be repeated.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE.so",
            help="The library [default: the model's name with .so]; its C header lies beside it. "
            f"A name with {SUFFIX} keeps the artifacts in a file instead, not linked; one with {ARCHIVE_SUFFIX} is a Model "
            "Library Format archive of sources or objects.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="The model's name in the library [default: the file's name, as a C identifier].")
    ] = None,
    dim: Annotated[
        list[str] | None, typer.Option("--dim", metavar="NAME=NUMBER", help="Bind a symbolic dimension; may be repeated.")
    ] = None,
    executor: Annotated[
        str, typer.Option("--executor", help="The executor that is used by default: aot (one call) or graph (step by step).")
    ] = "aot",
    container: Annotated[
        str, typer.Option("--container", metavar="|".join(CONTAINERS), help="What the library keeps its data in.")
    ] = CONTAINERS[0],
    cmake: Annotated[
        bool, typer.Option("--cmake", help="Also write package files for CMake and pkg-config beside the library.")
    ] = False,
    mlf_version: Annotated[
        int, typer.Option("--mlf-version", metavar="5|7|8", help=f"The version of a {ARCHIVE_SUFFIX} archive.")
    ] = 8,
    mlf_style: Annotated[
        str, typer.Option("--mlf-style", metavar="|".join(STYLES), help=f"The style of a {ARCHIVE_SUFFIX} archive.")
    ] = STYLES[0],
    dump: Annotated[
        Path | None, typer.Option("--dump", metavar="DIR", help="Write every stage of the build as a numbered text file.")
    ] = None,
    math: Annotated[
        str,
        typer.Option(
            "--math",
            metavar="|".join(MATH),
            help="fast: also algorithms with a stated error near that of rounding; exact: without them; normwise: also products "
            "whose error is relative to the largest elements (Strassen's).",
        ),
    ] = MATH[0],
    tune: Annotated[
        float | None,
        typer.Option(
            "--tune",
            metavar="[SECONDS]",
            min=0,
            help="Measure ways to write each kernel on this machine, for about so many seconds (60 if no number follows), and "
            "take the fastest.",
        ),
    ] = None,
    tune_to: Annotated[
        Path | None, typer.Option("--tune-to", metavar="FILE", help="With --tune: also write what was measured as a tuning file.")
    ] = None,
    tuning: Annotated[
        Path | None,
        typer.Option("--tuning", metavar="FILE", help="Take the answers of a tuning file, and measure nothing."),
    ] = None,
    time_: Annotated[bool, typer.Option("--time", help="Show what each stage took.")] = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Compile every kernel again.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Compile an ONNX model into a library."""
    one_of("executor", executor, EXECUTORS)
    one_of("math", math, MATH)
    one_of("container", container, CONTAINERS)
    dims = bound_dims(dim or [])
    targets, places = keyed_targets(target or ["llvm"]), placements(place or [])
    require_placed(targets, places)
    if not model.name:
        raise typer.BadParameter(f"{model} is a folder; expected an ONNX file")
    path = model.with_suffix(".so") if output is None else output
    taken = {
        os.path.realpath(one): words
        for one, words in ((model, "the model"), (tuning, "the file of --tuning"), (dump, "the folder of --dump"))
        if one is not None
    }
    _check_writable(path, "the library", "-o", taken)
    if cmake:
        package_name(path.name)  # says before the build that the file name will not do
    as_set, as_archive = path.suffix == SUFFIX, path.suffix == ARCHIVE_SUFFIX
    for other, what in () if as_set or as_archive else _names_beside(path, cmake):
        _check_writable(other, what, "-o", taken)
    if (as_set or as_archive) and (cmake or container != CONTAINERS[0]):
        raise typer.BadParameter(f"--{'cmake' if cmake else 'container'} is for a library, not for {path.name}")
    one_of("MLF version", str(mlf_version), dict.fromkeys(map(str, VERSIONS)))
    one_of("MLF style", mlf_style, dict.fromkeys(STYLES))
    if (mlf_version, mlf_style) != (8, STYLES[0]) and not as_archive:
        raise typer.BadParameter(f"--mlf-version and --mlf-style are for a {ARCHIVE_SUFFIX} archive, not for {path.name}")
    if tune is not None and tuning is not None:
        raise typer.BadParameter("--tune measures, and --tuning takes what was measured: give one of them")
    if tune_to is not None and tune is None:
        raise typer.BadParameter("--tune-to writes what --tune measures: give that too")
    if tune_to is not None:
        _check_writable(tune_to, "the new tuning file", "--tune-to", taken)
    watcher = Watcher(dump)
    begin = time.perf_counter()
    with watcher.progress:
        artifacts = build(
            model,
            targets,
            place=places or None,
            name=name,
            dims=dims,
            executor=executor,
            observer=watcher.observer,
            cache=None if no_cache else "auto",
            math=math,
            tune=tune,
            tuning=tuning,
        )
        beside = {} if as_set or as_archive else _files_beside(artifacts, path, cmake)
        if as_set:
            artifacts.save(path)
        elif as_archive:
            artifacts.export_model_library_format(path, mlf_version, style=mlf_style)
        else:
            artifacts.export_library(path, container=container, observer=watcher.observer)
        for file, text in beside.items():
            write_aside(path.parent / file, [text.encode()])
        if tune_to is not None:
            artifacts.export_tuning(tune_to)
    took = time.perf_counter() - begin
    written = [*(path.parent / file for file in beside), *([tune_to] if tune_to is not None else [])]
    refusal = ""
    if not (beside or as_set or as_archive):
        (info,) = artifacts.models().values()
        refusal = why_no_interface(artifacts, info)
    if json:
        show_json(
            {
                "file": str(path),
                "size_bytes": path.stat().st_size,
                "seconds": took,
                "stages": [{"stage": stage, "seconds": spent} for stage, spent in watcher.observer.times],
                "beside": [str(one) for one in written],
                "no_header": refusal or None,
            }
        )
        return
    if time_:
        rows = [(stage, seconds(spent), f"{100 * spent / took:.1f}") for stage, spent in watcher.observer.times]
        show_table("", ("stage", ">time", ">%"), rows)
    show(f"{path}  {size(path.stat().st_size)}  in {seconds(took)}")
    for one in written:
        show(f"{one}")
    if refusal:
        show(f"no C header: {refusal}")


def _names_beside(path: Path, cmake: bool) -> Iterator[tuple[Path, str]]:
    """The files of `_files_beside`, and what they are, before anything is built: there may be no header in the end."""
    header = path.with_suffix(".h")
    yield header, "the library's C header"
    if cmake:
        for name, _ in (cmake_config(path.name, header.name), pkg_config(path.name, header.name, "", "")):
            yield path.parent / name, "a package file"


def _files_beside(artifacts: ArtifactSet, path: Path, cmake: bool) -> dict[str, str]:
    """Names and texts of what is written beside the library: the header, and the package files if they are wanted."""
    (info,) = artifacts.models().values()
    if not cmake and why_no_interface(artifacts, info):
        return {}
    header = path.with_suffix(".h").name
    files = {header: artifacts.c_header()}
    if cmake:
        version = info.ingot_version
        files.update([cmake_config(path.name, header), pkg_config(path.name, header, version, f"the model {info.name}")])
    return files


class Watcher:
    """An observer for a person: a bar for the stage at hand on a terminal, and files for `--dump`."""

    def __init__(self, folder: Path | None) -> None:
        console = Console(stderr=True)
        self.progress = Progress(
            TextColumn("{task.description:<12}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self.observer = Observer(
            on_dump=self._write if folder is not None else None, on_progress=self._move, on_note=self._note
        )
        self._stage = ""
        self._task: TaskID | None = None
        self._folder = folder
        self._written = 0

    def _move(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            if self._task is not None:
                self.progress.remove_task(self._task)
            self._stage, self._task = stage, self.progress.add_task(stage, total=total or None)
        if self._task is not None:
            self.progress.update(self._task, completed=done, total=total or None)

    def _note(self, sentence: str) -> None:
        self.progress.console.print(f"ingot: {sentence}", markup=False, highlight=False, soft_wrap=True)

    def _write(self, name: str, content: str | bytes) -> None:
        """Writes a stage as `<number>-<name>`, numbered in the order of the build."""
        assert self._folder is not None
        plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)
        path = self._folder / f"{self._written:02d}-{plain}"
        self._written += 1
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        except OSError as error:
            raise ArtifactError(f"{path}: cannot write the dump: {error.strerror}", path=str(path)) from error


def _check_writable(path: Path, what: str, option: str, taken: dict[str, str]) -> None:
    """Says before minutes of work that a file will have no place, or that of another which the command reads or writes; and puts
    it, by its real path, among the latter.
    """
    place = os.path.realpath(path)
    wrong = f"is {taken[place]} itself" if place in taken else _why_not_writable(path)
    if path.suffix == ".h" and what == "the library":
        wrong = wrong or "is the place of the library's C header"
    if wrong:
        print(f"ingot: {path} {wrong}; give a file name with {option}", file=sys.stderr)
        raise typer.Exit(2)
    taken[place] = what


def _why_not_writable(path: Path) -> str:
    """What stands against a file at a path, as far as it can be seen before; empty if nothing does."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "" if path.parent.is_dir() else f"cannot be written: there is no folder {path.parent}"
    except OSError as error:  # a name that is too long, a loop of symbolic links, a folder that is closed to us
        return f"cannot be written: {error.strerror}"
    if stat.S_ISDIR(mode):
        return "is a folder"
    return "" if stat.S_ISREG(mode) else "is a device or a pipe"
