"""`ingot list`: what this installation can do."""

from __future__ import annotations

import argparse

from ingot.base.target import PRESETS, Target
from ingot.cli.arguments import one_of
from ingot.cli.console import show_json, show_table
from ingot.cli.parser import Parser
from ingot.codegen import registry as codegens
from ingot.codegen.llvm.build.processors import CPUS
from ingot.graph.dialects.onnxruntime.movement import TAKEN_BACK
from ingot.graph.dialects.onnxruntime.operators import WRITERS
from ingot.graph.passes.border.sequences import RESOLVED
from ingot.graph.passes.border.text_steps import AT_BORDER
from ingot.graph.read.classical import ML_DOMAIN, OF_MAPS
from ingot.graph.read.old_opsets import DOMAIN as OLD_FORMS
from ingot.graph.read.old_opsets import OPSET
from ingot.graph.read.schemas import Operator, defined_operators, first_versions
from ingot.graph.rewrite.writer import DOMAIN
from ingot.ops import registry as operators

REWRITTEN = "as operators of ai.onnx; what of it: docs/use/{}.md"
DEFINED = "by its definition in ONNX"
WRITTEN_OUT = "written out while building; what of it: docs/use/{}.md"
BY_HOST = "by the host, before and after the kernels: docs/use/text.md"
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
    """Every operator with the opset versions from which on it has a rule, and how those are built that have none of their own."""
    versions: dict[Operator, set[int]] = {}
    for definition in operators.ALL:
        versions.setdefault((definition.domain, definition.name), set()).add(definition.since_version)
    known = first_versions()
    rows = {key: (_since(key, set(), known), how) for key, how in _without_rules().items()}
    rows |= {key: (_since(key, since, known), "") for key, since in versions.items()}
    shown: list[tuple[str, ...]] = sorted(
        (domain or "ai.onnx", name, *row) for (domain, name), row in rows.items()
    )
    return ("domain", "operator", "since", "how"), shown


def _without_rules() -> dict[Operator, str]:
    """How operators are built that kernels do not have, by domain and name; of several ways the last."""
    rewritten = {
        (domain, name): REWRITTEN.format(_page(domain, name))
        for domain, names in WRITERS.items()
        for name in names
    }
    return (
        dict.fromkeys(defined_operators(), DEFINED)
        | {("", name): WRITTEN_OUT.format("loops") for name in ("If", "Loop", "Scan")}
        | {("", name): WRITTEN_OUT.format("text") for name in RESOLVED}
        | dict.fromkeys((*AT_BORDER, *((ML_DOMAIN, name) for name in OF_MAPS)), BY_HOST)
        | {
            key: how for key, how in rewritten.items() if key[0] != OLD_FORMS
        }  # those have the names of ai.onnx
    )


def _since(operator: Operator, rules: set[int], known: dict[Operator, int]) -> str:
    """The versions that have rules of their own; ONNX's first one, too, if it is written as what has a rule."""
    first = known.get(operator, min(rules, default=1))
    is_rewritten = not rules or (not operator[0] and first < min(rules) <= OPSET)
    return ", ".join(map(str, sorted(rules | ({first} if is_rewritten else set()))))


def _page(domain: str, name: str) -> str:
    """The page about an operator that is rewritten. Of ai.onnx those are rewritten that ONNX took back, and those of text."""
    return PAGES.get(domain, "onnxruntime") if domain else "onnxruntime" if name in TAKEN_BACK else "text"


def _targets() -> Rows:
    presets = [(name, str(Target.parse(text)), "preset") for name, text in sorted(PRESETS.items())]
    return ("target", "stands for", "what"), [
        *presets,
        *((codegen.id, codegen.id, codegen.summary) for codegen in codegens.ALL),
    ]


def _cpus() -> Rows:
    """What `-mcpu` of an `llvm` target may name."""
    return ("family", "cpu"), [(family, name) for family, names in CPUS.items() for name in sorted(names)]


def _codegens() -> Rows:
    return ("codegen", "what"), [(codegen.id, codegen.summary) for codegen in codegens.ALL]
