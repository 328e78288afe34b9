"""`ingot list`: what this installation can do."""

from __future__ import annotations

import argparse

from ingot.cli.arguments import one_of
from ingot.cli.console import show_json, show_table
from ingot.cli.parser import Parser
from ingot.codegen import registry as codegens
from ingot.codegen.llvm_processors import CPUS
from ingot.graph.classical import ML_DOMAIN
from ingot.graph.old_opsets import DOMAIN as OLD_FORMS
from ingot.graph.passes.contrib import WRITERS
from ingot.graph.passes.contrib_moves import TAKEN_BACK
from ingot.graph.passes.writer import DOMAIN
from ingot.ops import registry as operators
from ingot.target import PRESETS, Target

REWRITTEN = "as operators of ai.onnx; what of it: docs/{}.md"
PAGES = {DOMAIN: "onnxruntime", ML_DOMAIN: "classical"}
KINDS = ("operators", "targets", "cpus", "codegens")


def add_options(parser: Parser) -> None:
    """The options of `ingot list`."""
    parser.add_argument("kind", metavar="|".join(KINDS), help="what to list")
    parser.add_argument("--json", action="store_true", help="write JSON instead of a table")


def command(arguments: argparse.Namespace) -> None:
    """Lists operators, targets, their CPUs or code generators."""
    tables = {"operators": _operators, "targets": _targets, "cpus": _cpus, "codegens": _codegens}
    columns, rows = tables[one_of("list", arguments.kind, KINDS)]()
    if arguments.json:
        show_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        show_table("", columns, rows)


Rows = tuple[tuple[str, ...], list[tuple[str, ...]]]


def _operators() -> Rows:
    """Every operator with the opset versions from which on it has a rule, and those that are rewritten as others."""
    versions: dict[tuple[str, str], list[int]] = {}
    for definition in operators.ALL:
        versions.setdefault((definition.domain or "ai.onnx", definition.name), []).append(definition.since_version)
    rows = {key: (", ".join(map(str, sorted(since))), "") for key, since in versions.items()}
    foreign = {domain: names for domain, names in WRITERS.items() if domain != OLD_FORMS}  # those have the names of ai.onnx
    rewritten = {
        (domain or "ai.onnx", name): ("1", REWRITTEN.format(_page(domain, name)))
        for domain, names in foreign.items()
        for name in names
    }
    return ("domain", "operator", "since", "how"), [(*key, *row) for key, row in sorted((rewritten | rows).items())]


def _page(domain: str, name: str) -> str:
    """The page about an operator that is rewritten. Of ai.onnx those are rewritten that ONNX took back, and those of text."""
    return PAGES[domain] if domain else "onnxruntime" if name in TAKEN_BACK else "text"


def _targets() -> Rows:
    presets = [(name, str(Target.parse(text)), "preset") for name, text in sorted(PRESETS.items())]
    return ("target", "stands for", "what"), [*presets, *((codegen.id, codegen.id, codegen.summary) for codegen in codegens.ALL)]


def _cpus() -> Rows:
    """What `-mcpu` of an `llvm` target may name."""
    return ("family", "cpu"), [(family, name) for family, names in CPUS.items() for name in sorted(names)]


def _codegens() -> Rows:
    return ("codegen", "what"), [(codegen.id, codegen.summary) for codegen in codegens.ALL]
