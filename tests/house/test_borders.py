"""The borders of ARCHITECTURE.md, held by reading every import."""

from __future__ import annotations

import ast
import sys
from graphlib import CycleError, TopologicalSorter

import pytest

from .source import Source, arrows, late_modules, leaves, named_modules, sources

# Files that may import late, and why.
LATE_ROOMS = {
    "ingot/__init__.py": "the lazy public API",
    "ingot/cli/late.py": "the command line imports only the command that was asked for",
    "ingot/base/records.py": "what few processes ask of a class; `dataclasses` takes as long to import as all classes to define",
    "ingot/runtime/preload.py": "imports, when it is asked to, all that running a model may import late",
    "ingot/base/plugins.py": "the one finder of plug-ins, which are imported when they are asked for",
    "ingot/base/lazy.py": "the one way to import a module when it is first used",
    "ingot/border/images.py": "Pillow is optional, and only executors of models that decode images want it",
}
# These may import a module of the standard library late, by its literal name: no border can be crossed so.
LATE_STANDARD_LIBRARY = {
    "ingot/base/errors.py": "difflib is wanted for messages only, and is a tenth of what loading a library costs",
    "ingot/package/container.py": "hashlib loads OpenSSL; with BLAKE3 at hand, who only loads never needs it",
    "ingot/artifact/artifact_set.py": "hashlib loads OpenSSL, which loading a library does without",
    "ingot/base/mapped_file.py": "mmap is wanted only where ctypes cannot map",
    "ingot/base/records_reflection.py": "dataclasses and inspect are slow to import, and a process asks one thing of them",
}

# Late imports that close a circle, and why nothing else would be honest.
CIRCLES = {
    (
        "ingot.runtime.load",
        "ingot.runtime.load_sources",
    ): "an archive becomes a library when it is loaded, and this is loaded as every other one is",
    (
        "ingot.runtime.library",
        "ingot.runtime.sending",
    ): "a library that was sent is opened again by the function that its pickle names, and opening is loading",
}

# Packages that only these rooms may import.
ONLY_IN = {
    "onnx": {"graph"},
    "onnx_ir": {"graph"},
    "onnxruntime": {"graph"},
    "llvmlite": {"codegen"},
    "cuda": {"runtime"},
    "PIL": {"border"},
    "pyopencl": {"runtime"},
    "subprocess": {"link"},
    "multiprocessing": {"link"},
}

by_path = pytest.mark.parametrize("source", sources(), ids=lambda source: source.where)


def test_the_rooms_of_the_architecture_page_are_the_folders() -> None:
    rooms = {source.room for source in sources()} - {""}
    assert rooms <= set(arrows()) | leaves(), "a room that ARCHITECTURE.md does not name"
    assert set(arrows()) <= rooms, "ARCHITECTURE.md names a room that is not there"


def test_the_architecture_page_is_read_as_it_is_meant() -> None:
    assert arrows()["ops"] == {"kernels", "loops"} | leaves()
    assert arrows()["kernels"] == {"loops", "machines"} | leaves()
    assert arrows()["loops"] == {"machines"} | leaves()
    assert "graph" in arrows()["api"]
    assert "api" not in arrows()["graph"]
    assert "link" in arrows()["runtime"]
    assert "runtime" not in arrows()["link"]


@by_path
def test_a_room_imports_only_rooms_below_it(source: Source) -> None:
    if source.room == "":
        pytest.skip("the public face brings in rooms by name when they are used")
    allowed = arrows().get(source.room, leaves()) | {source.room, ""}
    for found in source.imports:
        parts = found.module.split(".")
        if parts[0] == "ingot":
            room = [*parts, ""][1]
            assert room in allowed, (
                f"{source.where}:{found.line} imports {found.module}; {source.room} may import {sorted(allowed)}"
            )


@by_path
def test_nothing_is_imported_inside_a_function(source: Source) -> None:
    for found in source.imports:
        assert not found.inside_function, (
            f"{source.where}:{found.line} imports {found.module} inside a function"
        )
    if source.where in LATE_ROOMS:
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            name = (
                ast.literal_eval(node.args[0])
                if isinstance(node.args[0], ast.Constant)
                else "a computed name"
            )
            assert source.where in LATE_STANDARD_LIBRARY, f"{source.where}:{node.lineno} imports {name} late"
            assert name.split(".")[0] in sys.stdlib_module_names, (
                f"{source.where}:{node.lineno} imports {name} late"
            )


@by_path
def test_a_late_import_is_a_module_that_the_type_checker_sees_by_the_same_name(source: Source) -> None:
    checked: dict[str, str] = {}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom):
            checked |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for node in ast.walk(source.tree):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and ast.unparse(node.value.func) == "Late"
        ):
            (target,), (argument,) = node.targets, node.value.args
            assert isinstance(target, ast.Name) and isinstance(argument, ast.Constant), (
                f"{source.where}:{node.lineno}"
            )
            assert checked.get(target.id) == argument.value, (
                f"{source.where}:{node.lineno}: {target.id} is another module"
            )
            uses = [
                each for each in ast.walk(source.tree) if isinstance(each, ast.Name) and each.id == target.id
            ]
            assert len(uses) > 1, f"{source.where}:{node.lineno}: {target.id} is not used"


@by_path
def test_a_module_named_in_a_text_is_of_a_room_below(source: Source) -> None:
    """`import_module` and `Late` take texts: a border is not crossed by one."""
    if source.room == "":
        pytest.skip("the public face brings in rooms by name when they are used")
    if source.where == "ingot/base/plugins.py":
        pytest.skip(
            "its table is of entry points, as those of other distributions are, and nobody imports it to use them"
        )
    for module, line in named_modules(source.tree):
        room = module.split(".")[1]
        allowed = arrows().get(source.room, leaves()) | {source.room}
        assert room in allowed, (
            f"{source.where}:{line} names {module}; {source.room} may import {sorted(allowed)}"
        )


def test_names_of_modules_are_found_in_texts() -> None:
    tree = ast.parse(
        "a = 'ingot.link.archive'\nimport_module(f'ingot.cli.{a}')\nb = 'ingot.steps'\nc = 'ingot.cli.run:command'"
    )
    assert named_modules(tree) == [("ingot.link.archive", 1), ("ingot.cli.run", 4), ("ingot.cli.", 2)]


def test_the_file_of_a_room_has_public_names_alone() -> None:
    for source in sources():
        if source.path.name == "__init__.py" and source.room:
            for node in source.tree.body:
                is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
                assert is_text or isinstance(node, ast.ImportFrom), f"{source.where}:{node.lineno} has code"


@by_path
def test_of_the_public_face_rooms_use_the_errors_alone(source: Source) -> None:
    """`ingot.ArtifactError` imports the errors when one is raised; `ingot.build` would cross a border unseen.

    `NO_DESCRIPTOR` tells one of the errors from the others, and has to be there before any room is.
    """
    if source.room in ("", "cli"):
        pytest.skip("the public face itself, and the command line, which is above all rooms")
    listed = [each.tree for each in sources() if each.where in ("ingot/base/errors.py", "ingot/__init__.py")]
    errors = {node.name for tree in listed for node in tree.body if isinstance(node, ast.ClassDef)}
    rooms = {each.module.split(".")[1] for each in sources() if each.room}
    for node in ast.walk(source.tree):
        used: set[str] = set()
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "ingot":
            used = {node.attr}
        elif isinstance(node, ast.ImportFrom) and node.module == "ingot":
            used = {alias.name for alias in node.names} - rooms - {"__version__"}
        elif isinstance(node, ast.Import):
            used = {f"* as {alias.asname}" for alias in node.names if alias.name == "ingot" and alias.asname}
        used -= {"NO_DESCRIPTOR"}
        assert used <= errors, (
            f"{source.where}:{getattr(node, 'lineno', 0)} uses ingot.{', '.join(used - errors)}"
        )


@by_path
def test_some_packages_stay_in_their_room(source: Source) -> None:
    for found in source.imports:
        rooms = ONLY_IN.get(found.module.split(".")[0])
        if rooms is not None and not found.for_types_only:
            assert source.room in rooms, (
                f"{source.where}:{found.line} imports {found.module}, which belongs to {sorted(rooms)}"
            )


@by_path
def test_only_the_environment_module_reads_the_environment(source: Source) -> None:
    if source.where == "ingot/base/environment.py":
        pytest.skip("this is the one")
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("environ", "getenv", "environb"), (
                f"{source.where}:{node.lineno} reads the environment"
            )


def test_no_module_imports_itself_through_others() -> None:
    circle = _circle(_imported(late=False))
    assert not circle, f"modules import each other: {' → '.join(circle)}"


def test_no_module_leads_to_itself_by_late_imports() -> None:
    """A circle is no better for being closed late, inside of a room or across rooms; but for those that have a reason."""
    known = _imported(late=True)
    for (module, other), why in CIRCLES.items():
        assert other in known[module], f"{module} does not import {other} ({why})"
        known[module].discard(other)
    circle = _circle(known)
    assert not circle, f"modules lead to each other: {' → '.join(circle)}"


@pytest.mark.parametrize("arrow", CIRCLES, ids=" → ".join)
def test_an_arrow_that_is_excused_closes_a_circle(arrow: tuple[str, str]) -> None:
    known = _imported(late=True)
    for module, other in CIRCLES.keys() - {arrow}:
        known[module].discard(other)
    assert _circle(known), f"{' → '.join(arrow)} closes no circle any more: take it out of CIRCLES"


def _imported(late: bool) -> dict[str, set[str]]:
    """The modules that each module of a room imports; with `late` also what it imports when that is first used."""
    known = {source.module for source in sources()} - {"ingot"}
    imported: dict[str, set[str]] = {}
    for source in filter(lambda source: source.room, sources()):
        later = late_modules(source)
        # What is imported late is named a second time, for types.
        now = {each.module for each in source.imports if not (each.for_types_only and each.module in later)}
        imported[source.module] = (now | (later if late else frozenset())) & known - {source.module}
    return imported


def _circle(imported: dict[str, set[str]]) -> list[str]:
    """One circle, or nothing."""
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []
