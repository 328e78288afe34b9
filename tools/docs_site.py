"""Hooks of mkdocs for `make docs`: pages from outside of `docs`, links that lead there, and the API reference."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
# Pages at the top of the repository → their names in the site, where README.md would take the place of index.md.
TOP = {
    "README.md": "overview.md",
    **{name: name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md")},
}


def public_names() -> list[str]:
    """`ingot.__all__`, read without importing ingot."""
    tree = ast.parse((ROOT / "src" / "ingot" / "__init__.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [name for name in ast.literal_eval(node.value) if not name.startswith("__")]
    raise ValueError("ingot has no __all__")


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages at the top of the repository, beside `index.md`, and the API reference."""
    for name, there in TOP.items():
        files.append(File.generated(config, there, content=(ROOT / name).read_text(encoding="utf-8")))
    reference = "\n\n".join(f"::: ingot.{name}" for name in public_names())
    files.append(File.generated(config, "reference/api.md", content=f"# Python API\n\n{reference}\n"))
    return files


def on_page_markdown(markdown: str, page: Any, files: Files, **_: Any) -> str:
    """Turns links for the repository into links of the site. A link to a source file becomes the file's name."""
    source = page.file.src_uri
    folder = Path() if source in TOP.values() else Path("docs", source).parent

    def link(match: re.Match[str]) -> str:
        words, target, anchor = match.groups()
        path = Path(os.path.normpath(folder / target))
        name = TOP.get(path.as_posix(), path.as_posix().removeprefix("docs/"))
        if files.get_file_from_path(name) is None:
            return f"{words} (`{path.as_posix()}`)" if (ROOT / path).exists() else match[0]
        return f"[{words}]({os.path.relpath(name, Path(source).parent)}{anchor})"

    return re.sub(r"(?<!`)\[([^\]\n]*)\]\((?!https?:)([^)\s#]+)((?:#[^)\s]*)?)\)", link, markdown)
