"""`ingot build`: an ONNX model becomes a library."""

from __future__ import annotations

import argparse
import itertools
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingot.api.artifact_set import ArtifactSet
from ingot.api.build import build
from ingot.artifact.model_info import EXECUTORS
from ingot.base.errors import ArtifactError
from ingot.base.observe import Observer
from ingot.cli.arguments import (
    bound_constants,
    bound_dims,
    bounded,
    forced,
    keyed_targets,
    one_of,
    placements,
    require_placed,
    stated,
)
from ingot.cli.console import seconds, show, show_json, show_table, show_words, size
from ingot.cli.output import SEVERAL, Kind, check_writable, companion_files, companion_names, kind_of
from ingot.cli.parser import CommandLineError, Parser, number
from ingot.cli.progress import Progress
from ingot.graph.passes.order import PASSES
from ingot.link.interface import why_no_interface
from ingot.link.packages import package_name
from ingot.link.shared import CONTAINERS, write_aside
from ingot.machines.machine import MATH
from ingot.package.container_file import SUFFIX as SET_SUFFIX
from ingot.package.mlf.write import STYLES, VERSIONS
from ingot.package.tar import SUFFIX as ARCHIVE_SUFFIX

ALGORITHMS = "algorithms.txt"  # the stage that `--explain` shows
DIMS = "dims.txt"  # the stage that `--dims-report` shows
PLACEMENT = "placement.txt"  # the stage that `--explain-placement` shows


def add_options(parser: Parser) -> None:
    """The options of `ingot build`."""
    parser.add_argument(
        "model", metavar="MODEL", type=Path, help=f"an ONNX file, or a stored set of artifacts ({SET_SUFFIX})"
    )
    _add_model_options(parser)
    _add_output_options(parser)
    _add_tuning_options(parser)
    _add_pass_options(parser)
    parser.add_argument(
        "--dump",
        metavar="DIR",
        type=Path,
        help="write every stage, and the model after each pass, as a numbered file",
    )
    parser.add_argument("--time", action="store_true", help="show what each stage took")
    parser.add_argument(
        "--explain",
        action="store_true",
        help="show which algorithm computes each kernel, and why no other one",
    )
    parser.add_argument(
        "--explain-placement",
        action="store_true",
        help="show which target computes which node, the regions that code generators take, and why not others",
    )
    parser.add_argument(
        "--dims-report",
        action="store_true",
        help="show what each dimension that varies is, which programs it gets, and why",
    )
    parser.add_argument("--no-cache", action="store_true", help="plan and compile everything again")
    parser.add_argument("--json", action="store_true", help="write JSON")


def _add_model_options(parser: Parser) -> None:
    parser.add_argument(
        "-t",
        "--target",
        metavar="TARGET|KEY=TARGET",
        action="append",
        default=[],
        help="what to make code for, such as 'llvm -mcpu=native' or 'c' [default: llvm, for this machine]; "
        "for several targets, each by a key, the host's too: -t host=llvm -t accel=opencl",
    )
    parser.add_argument(
        "--place",
        metavar="WHAT=KEY",
        action="append",
        default=[],
        help="which nodes go to which target: an operator type, a node's name or a pattern of names; may be repeated",
    )
    parser.add_argument(
        "--name", help="the model's name in the library [default: the file's name, as a C identifier]"
    )
    parser.add_argument(
        "--dim",
        metavar="NAME=SIZES",
        action="append",
        default=[],
        help="sizes of a symbolic dimension: batch=1, a list seq=16,64, a range batch=1..64 or seq=8..512:8; may be repeated",
    )
    parser.add_argument(
        "--constant",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="bind an input to what it always is: NAME=16000, NAME=1,2,3, NAME=true or NAME=@FILE.npy; may be repeated",
    )
    parser.add_argument(
        "--bound",
        metavar="NAME=NUMBER",
        action="append",
        default=[],
        help="the most places of an extent that depends on the content of inputs: selected=300; may be repeated",
    )
    parser.add_argument(
        "--state",
        metavar="INPUT=OUTPUT",
        action="append",
        default=[],
        help="an input that executors keep, and the output it comes from: h=hn or past.*=present.*; or auto; may be repeated",
    )
    _add_how_to_compute(parser)


def _add_how_to_compute(parser: Parser) -> None:
    parser.add_argument(
        "--strict",
        action="store_true",
        help="refuse a model that declares what does not hold, such as the shape of an output",
    )
    parser.add_argument(
        "--executor",
        metavar="|".join(EXECUTORS),
        default=EXECUTORS[0],
        help="the executor that is used by default: aot (one call) or graph (step by step) [default: %(default)s]",
    )
    parser.add_argument(
        "--math",
        metavar="|".join(MATH),
        default=MATH[0],
        help="fast: also algorithms with a stated error near that of rounding; exact: without them; normwise: also products "
        "whose error is relative to the largest elements (Strassen's) [default: %(default)s]",
    )


def _add_output_options(parser: Parser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        help="what to write, by its suffix: .so, a library, with its C header beside it [default: the model's name with .so]; "
        f"{SET_SUFFIX}, the artifacts, not linked; {ARCHIVE_SUFFIX}, a Model Library Format archive of sources or objects",
    )
    parser.add_argument(
        "--container",
        metavar="|".join(CONTAINERS),
        default=CONTAINERS[0],
        help="what the library keeps its data in [default: %(default)s]",
    )
    parser.add_argument(
        "--cmake",
        action="store_true",
        help="also write package files for CMake and pkg-config beside the library",
    )
    parser.add_argument(
        "--mlf-version",
        metavar="|".join(map(str, VERSIONS)),
        default="8",
        help=f"the version of a {ARCHIVE_SUFFIX} archive",
    )
    parser.add_argument(
        "--mlf-style",
        metavar="|".join(STYLES),
        default=STYLES[0],
        help=f"the style of a {ARCHIVE_SUFFIX} archive",
    )


def _add_tuning_options(parser: Parser) -> None:
    parser.add_argument(
        "--tune",
        metavar="SECONDS",
        type=number(float),
        help="measure variants of each kernel on this machine for about SECONDS (60 if no number follows), and take "
        "the fastest",
    )
    parser.add_argument(
        "--tune-to",
        metavar="FILE",
        type=Path,
        help="with --tune: also write what was measured as a tuning file",
    )
    parser.add_argument(
        "--tuning", metavar="FILE", type=Path, help="take the answers of a tuning file, and measure nothing"
    )
    parser.add_argument(
        "--force",
        metavar="FAMILY=ALGORITHM",
        action="append",
        default=[],
        help="take an algorithm for every kernel of its family that it does not refuse, such as conv=direct; may be repeated",
    )


def _add_pass_options(parser: Parser) -> None:
    parser.add_argument(
        "--passes",
        action=_ListPasses,
        nargs=0,
        help="list the graph passes in their order, and build nothing",
    )
    parser.add_argument(
        "--skip-pass",
        metavar="NAME",
        action="append",
        default=[],
        help="leave out an optional graph pass, to find one that is wrong; may be repeated",
    )


class _ListPasses(argparse.Action):
    """Lists the graph passes instead of a build, without a model, as `--help` does."""

    def __call__(self, *_: object) -> None:
        rows = [(pass_.name, "optional" if pass_.optional else "", pass_.does) for pass_ in PASSES]
        show_table("", ("pass", "", "what it does"), rows)
        raise SystemExit(0)


def command(arguments: argparse.Namespace) -> None:
    """Compiles an ONNX model into a library."""
    model = arguments.model
    if not model.name:
        raise CommandLineError(f"{model} is a folder; expected an ONNX file")
    path = model.with_suffix(".so") if arguments.output is None else arguments.output
    taken = _taken(arguments)
    check_writable(path, "the output", "-o", taken)
    kind = kind_of(path)
    _check_words(arguments, path, kind)
    _check_places(arguments, path, kind, taken)
    shown = {
        PLACEMENT: arguments.explain_placement,
        ALGORITHMS: arguments.explain,
        DIMS: arguments.dims_report,
    }
    watcher = Watcher(arguments.dump, [name for name, wanted in shown.items() if wanted])
    begin = time.perf_counter()
    with watcher.progress:
        artifacts = _artifacts(arguments, watcher)
        written = _write(arguments, artifacts, path, kind, watcher)
    took = time.perf_counter() - begin
    refusal = _no_header(artifacts) if kind is Kind.LIBRARY and not written else ""
    if arguments.tune_to is not None:
        artifacts.export_tuning(arguments.tune_to)
        written.append(arguments.tune_to)
    if arguments.json:
        show_json(
            {
                "file": str(path),
                "size_bytes": path.stat().st_size,
                "seconds": took,
                "stages": [{"stage": stage, "seconds": spent} for stage, spent in watcher.times()],
                "beside": [str(sibling) for sibling in written],
                "no_header": refusal or None,
                **({"algorithms": watcher.texts[ALGORITHMS]} if arguments.explain else {}),
                **({"dims": watcher.texts[DIMS]} if arguments.dims_report else {}),
                **({"placement": watcher.texts[PLACEMENT]} if arguments.explain_placement else {}),
            }
        )
        return
    if arguments.dims_report and not watcher.texts[DIMS]:
        show("no dimension varies: each has one size")
    if arguments.explain_placement and not watcher.texts[PLACEMENT]:
        show("all nodes are on the host: there is no other target")
    for stage, texts in watcher.texts.items():
        for line in itertools.chain(*(text.splitlines() for text in texts)):
            if stage == DIMS:
                show_words(line, 2)
            else:
                show(line)
    if arguments.time:
        rows = [(stage, seconds(spent), f"{100 * spent / took:.1f}") for stage, spent in watcher.times()]
        show_table("", ("stage", ">time", ">%"), rows)
    show(f"{path}  {size(path.stat().st_size)}  in {seconds(took)}")
    for sibling in written:
        show(f"{sibling}")
    if refusal:
        show(f"no C header: {refusal}")


def _check_words(arguments: argparse.Namespace, path: Path, kind: Kind) -> None:
    """Raises CommandLineError where a word is not known, or options do not go together."""
    one_of("executor", arguments.executor, EXECUTORS)
    one_of("math", arguments.math, MATH)
    one_of("container", arguments.container, CONTAINERS)
    one_of("MLF version", arguments.mlf_version, dict.fromkeys(map(str, VERSIONS)))
    one_of("MLF style", arguments.mlf_style, dict.fromkeys(STYLES))
    if kind is not Kind.LIBRARY and (arguments.cmake or arguments.container != CONTAINERS[0]):
        raise CommandLineError(
            f"--{'cmake' if arguments.cmake else 'container'} is for a library, not for {path.name}"
        )
    if kind is not Kind.ARCHIVE and (arguments.mlf_version, arguments.mlf_style) != ("8", STYLES[0]):
        raise CommandLineError(
            f"--mlf-version and --mlf-style are for a {ARCHIVE_SUFFIX} archive, not for {path.name}"
        )
    if arguments.tune is not None and arguments.tuning is not None:
        raise CommandLineError("--tune measures, and --tuning takes what was measured: give one of them")
    if arguments.tune_to is not None and arguments.tune is None:
        raise CommandLineError("--tune-to writes what --tune measures: give that too")


def _taken(arguments: argparse.Namespace) -> dict[str, str]:
    """The real paths that the command reads or writes beside its output, and what each is."""
    given = (
        (arguments.model, "the model"),
        (arguments.tuning, "the file of --tuning"),
        (arguments.dump, "the folder of --dump"),
    )
    return {os.path.realpath(file): words for file, words in given if file is not None}


def _check_places(arguments: argparse.Namespace, path: Path, kind: Kind, taken: dict[str, str]) -> None:
    """Raises CommandLineError where a file beside the output cannot be written, or would take the place of another one."""
    if arguments.cmake:
        package_name(path.name)  # says before the build that the file name will not do
    for other, kind_of_file in companion_names(path, arguments.cmake) if kind is Kind.LIBRARY else ():
        check_writable(other, kind_of_file, "-o", taken)
    if arguments.tune_to is not None:
        check_writable(arguments.tune_to, "the new tuning file", "--tune-to", taken)


def _artifacts(arguments: argparse.Namespace, watcher: Watcher) -> ArtifactSet:
    """The artifacts to write: built, or those of a stored set."""
    dims, place = bound_dims(arguments.dim), placements(arguments.place)
    targets = keyed_targets(arguments.target or ["llvm"])
    require_placed(targets, place)
    if arguments.model.suffix == SET_SUFFIX:
        _refuse_build_options(arguments)
        return ArtifactSet.open(arguments.model)
    return build(
        arguments.model,
        targets,
        place=place or None,
        name=arguments.name,
        dims=dims,
        constants=bound_constants(arguments.constant),
        executor=arguments.executor,
        observer=watcher.observer,
        cache=None if arguments.no_cache else "auto",
        math=arguments.math,
        state=stated(arguments.state),
        bounds=bounded(arguments.bound),
        tune=arguments.tune,
        tuning=arguments.tuning,
        strict=arguments.strict,
        skip_passes=arguments.skip_pass,
        force=forced(arguments.force),
    )


def _refuse_build_options(arguments: argparse.Namespace) -> None:
    """Raises CommandLineError for an option that says how to build: a stored set is built already."""
    default: Mapping[str, object] = {"executor": EXECUTORS[0], "math": MATH[0]}
    options = "target place name dim constant bound state executor math tune tuning dump strict skip-pass force explain"
    for name in (*options.split(), "dims-report", "explain-placement"):
        if (getattr(arguments, name.replace("-", "_")) or None) != default.get(name):
            raise CommandLineError(
                f"--{name} is for an ONNX model; {arguments.model} is built already, and is only linked"
            )


def _write(
    arguments: argparse.Namespace, artifacts: ArtifactSet, path: Path, kind: Kind, watcher: Watcher
) -> list[Path]:
    """Writes the artifacts to `path`. Gives the files that were written beside it."""
    if kind is Kind.SET:
        artifacts.save(path)
        return []
    if kind is Kind.ARCHIVE:
        artifacts.export_model_library_format(path, int(arguments.mlf_version), style=arguments.mlf_style)
        return []
    siblings = companion_files(artifacts, path, arguments.cmake)
    soname = path.name if arguments.cmake else ""
    artifacts.export_library(path, container=arguments.container, observer=watcher.observer, soname=soname)
    for file, text in siblings.items():
        write_aside(path.parent / file, [text.encode()])
    return [path.parent / file for file in siblings]


def _no_header(artifacts: ArtifactSet) -> str:
    """Why a library has no C header."""
    models = list(artifacts.models().values())
    return why_no_interface(artifacts, models[0]) if len(models) == 1 else SEVERAL


@dataclass(slots=True)
class _Showing(Observer):
    """An observer that keeps the texts of some stages, which are made even if nobody else wants stages."""

    texts: dict[str, list[str]] = field(default_factory=dict)

    def dump(self, name: str, content: Callable[[], str | bytes]) -> None:
        if name in self.texts:
            self.texts[name].append(str(content()).rstrip("\n"))
        Observer.dump(self, name, content)


class Watcher:
    """An observer for a person: a line for the stage at hand on a terminal, files for `--dump`, and the texts of the stages that
    are to be `shown`, each as often as it was made.
    """

    def __init__(self, folder: Path | None, shown: Sequence[str] = ()) -> None:
        self.progress = Progress()
        on_dump = None if folder is None else self._write
        self.observer = (_Showing if shown else Observer)(on_dump, self.progress.move, self.progress.say)
        self.texts: dict[str, list[str]] = {name: [] for name in shown}
        if isinstance(self.observer, _Showing):
            self.observer.texts = self.texts
        self._folder = folder
        self._written = 0

    def times(self) -> list[tuple[str, float]]:
        """Stages and their seconds, in the order of the build; the runs of a graph pass as one."""
        sums: dict[str, float] = {}
        for stage, spent in self.observer.times:
            sums[stage] = sums.get(stage, 0.0) + spent
        return list(sums.items())

    def _write(self, name: str, content: str | bytes) -> None:
        """Writes a stage as `<number>-<name>`, numbered in the order of the build."""
        assert self._folder is not None
        plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)
        path = self._folder / f"{self._written:03d}-{plain}"
        self._written += 1
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        except OSError as error:
            raise ArtifactError(f"{path}: cannot write the dump: {error.strerror}", path=str(path)) from error
