"""`ingot load`: loads a library as a program would, and explains each step."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ingot.artifact.module import Module
from ingot.cli.arguments import one_of
from ingot.cli.console import show, show_json
from ingot.cli.parser import Parser
from ingot.package.library_file import VERIFY
from ingot.runtime.load import load


def add_options(parser: Parser) -> None:
    """The options of `ingot load`."""
    parser.epilog = "This maps the library's code; `ingot inspect` does not."
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="a library, a stored set of artifacts or an archive"
    )
    parser.add_argument(
        "--explain", action="store_true", help="show each step with its time, and the module tree"
    )
    parser.add_argument(
        "--verify",
        metavar="|".join(VERIFY),
        default=VERIFY[0],
        help="how much of the file is checked [default: %(default)s]",
    )
    parser.add_argument("--json", action="store_true", help="write JSON")


def command(arguments: argparse.Namespace) -> None:
    """Loads a library, and says how that went."""
    file = arguments.file
    library = load(file, verify=one_of("verify", arguments.verify, dict.fromkeys(VERIFY)))
    seconds = sum(step.seconds for step in library.load_steps)
    if arguments.json:
        steps = [
            {"step": step.name, "seconds": step.seconds, "detail": step.detail} for step in library.load_steps
        ]
        models = list(library.model_names)
        show_json(
            {
                "file": file.name,
                "models": models,
                "seconds": seconds,
                "steps": steps,
                "modules": _tree(library),
            }
        )
    elif arguments.explain:
        for line in library.explain().split("\n"):
            show(line)
    else:
        show(f"{file.name} loads in {seconds * 1e3:.3f} ms: {', '.join(library.model_names)}")


def _tree(module: Module) -> dict[str, Any]:
    return {
        "type_key": module.type_key,
        "imported_modules": [_tree(imported) for imported in module.imported_modules],
    }
