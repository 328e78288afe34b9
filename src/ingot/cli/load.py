"""`ingot load`: loads a library as a program would, and explains each step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ingot.artifact.module import Module
from ingot.cli.arguments import one_of
from ingot.cli.console import show, show_json
from ingot.package import VERIFY
from ingot.runtime.load import load


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A library that ingot made.", show_default=False)],
    explain: Annotated[bool, typer.Option("--explain", help="Show each step with its time, and the module tree.")] = False,
    verify: Annotated[
        str, typer.Option("--verify", metavar="|".join(VERIFY), help="How much of the file is checked.")
    ] = VERIFY[0],
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Load a library, and say how that went. This maps its code; `ingot inspect` does not."""
    library = load(file, verify=one_of("verify", verify, dict.fromkeys(VERIFY)))
    seconds = sum(step.seconds for step in library.load_steps)
    if json:
        steps = [{"step": step.name, "seconds": step.seconds, "detail": step.detail} for step in library.load_steps]
        models = list(library.model_names)
        show_json({"file": file.name, "models": models, "seconds": seconds, "steps": steps, "modules": _tree(library)})
    elif explain:
        for line in library.explain().split("\n"):
            show(line)
    else:
        show(f"{file.name} loads in {seconds * 1e3:.3f} ms: {', '.join(library.model_names)}")


def _tree(module: Module) -> dict[str, Any]:
    return {"type_key": module.type_key, "imported_modules": [_tree(one) for one in module.imported_modules]}
