"""What code generators of regions give: code in C, mixes, and what goes wrong in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import ingot
from ingot.link.interface import why_no_interface
from tests.support.c_program import compile_c, program, result, run_c
from tests.support.distributions import Distributions, installed
from tests.support.models import model

GRAPH = "g (float[5] x) => (float[5] y, float[5] z) { p = Neg(x) [s] q = Sin(p) [a] r = Abs(q) y = Neg(r) z = Abs(x) }"
X = np.linspace(-2, 2, 5, dtype=np.float32)
TARGETS = {"host": "c", "accel": "mine"}

HEAD = """
import onnx
from ingot.artifact.artifact import Artifact
from ingot.artifact.artifact_set import InMemoryArtifact
from ingot.artifact.module import Loader
from ingot.codegen.regions import region_codegen
from ingot.plan.regions import Pattern, Wants

class Loaded:
    type_key, imported_modules = "mine", ()
    def __init__(self, functions):
        self.functions = functions
    def get_function(self, name):
        return self.functions.get(name)
    def close(self):
        self.functions = {}
"""

NATIVE = (
    HEAD
    + '''
def source(region):
    size, expressions = region.inputs[0][1].size, {"Neg": "-x[i]", "Abs": "x[i] < 0 ? -x[i] : x[i]"}
    (node,) = region.nodes
    return f"""#include <stdint.h>
{region.prototype};
int32_t {region.symbol}(void *const *args)
{{
    const float *x = args[0];
    float *y = args[1];
    for (int i = 0; i < {size}; i++) y[i] = {expressions[node.op_type]};
    return 0;
}}
"""

def generate(regions, target, context):
    for region in regions:
        if region.nodes[0].op_type == "Neg" or target.options:
            yield Artifact("mine", "native", f"{region.symbol}.c", source(region).encode(), target.key)
        else:
            yield Artifact("mine", "mine", f"{region.symbol}.bin", region.symbol.encode(), target.key)

def load(artifacts, context):
    def absolute(inputs, outputs):
        outputs[0][...] = abs(inputs[0])
    return Loaded({bytes(artifact.content).decode(): absolute for artifact in artifacts})

CODEGEN = region_codegen(
    "mine", "code in C", generate, Wants(("Neg", "Abs"), merges=False), options=("all",), is_native=False
)
LOADER = Loader("mine", "cpu", load)
'''
)


@pytest.fixture
def distributions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Distributions]:
    yield from installed(tmp_path, monkeypatch)


def install(distributions: Distributions, text: str) -> None:
    offers = {
        "ingot.codegens": {"mine": "my_regions:CODEGEN"},
        "ingot.loaders": {"mine": "my_regions:LOADER"},
    }
    distributions.add("my-regions", offers, {"my_regions": text})


def predicted(library: ingot.Library, executor: str = "aot") -> None:
    run = library["m"](ingot.cpu(0), devices={"accel": [ingot.cpu(0)]}, executor=executor)
    y, z = run.predict(x=X)
    np.testing.assert_allclose(y, -np.abs(np.sin(-X)), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(z, np.abs(X))


@pytest.mark.cc
@pytest.mark.parametrize("file", ["m.so", "m.ingot", "m.tar"])
@pytest.mark.parametrize(("options", "modules"), [("", ["mine"]), (" --all=yes", [])])
def test_regions_in_c_and_regions_of_a_loader_are_mixed(
    distributions: Distributions, tmp_path: Path, file: str, options: str, modules: list[str]
) -> None:
    install(distributions, NATIVE)
    targets = {"host": "c", "accel": f"mine{options}"}
    artifacts = ingot.build(model(GRAPH), targets, name="m", executor=("aot", "graph"))
    path = tmp_path / file
    {
        ".so": artifacts.export_library,
        ".ingot": artifacts.save,
        ".tar": artifacts.export_model_library_format,
    }[path.suffix](path)
    library = ingot.load(path)
    assert [module.type_key for module in library.imported_modules] == modules
    predicted(library)
    if file != "m.tar":  # an archive is for one executor
        predicted(library, "graph")


@pytest.mark.cc
def test_a_library_whose_regions_are_all_in_c_is_called_from_c(
    distributions: Distributions, tmp_path: Path
) -> None:
    install(distributions, NATIVE.replace("is_native=False", "is_native=True"))
    artifacts = ingot.build(model(GRAPH), {"host": "c", "accel": "mine --all=1"}, name="m")
    artifacts.export_library(tmp_path / "m.so")
    predicted(ingot.load(tmp_path / "m.so"))
    (tmp_path / "m.h").write_text(artifacts.c_header())
    text = program("m", ["x"], ["y", "z"], header="m.h")
    main = compile_c(text, tmp_path, "-L.", "-l:m.so", "-Wl,-rpath,$ORIGIN")
    assert run_c(main, [X]) == 0
    np.testing.assert_allclose(result(main, 0, X), -np.abs(np.sin(-X)), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(result(main, 1, X), np.abs(X))


@pytest.mark.cc
def test_a_library_with_a_region_that_is_not_said_to_be_in_c_has_no_c_interface(
    distributions: Distributions, tmp_path: Path
) -> None:
    install(distributions, NATIVE)
    artifacts = ingot.build(model(GRAPH), {"host": "c", "accel": "mine --all=1"}, name="m")
    info = artifacts.models()["m"]
    why = why_no_interface(artifacts, info)
    assert why == "its part 'accel' is regions of the model, which only ingot's own runtime drives"
    artifacts.export_library(tmp_path / "m.so")
    predicted(ingot.load(tmp_path / "m.so"))


def _generates(body: str) -> str:
    return f"""{HEAD}
def generate(regions, target, context):
    {body}

CODEGEN = region_codegen("mine", "wrong", generate, Wants(("Neg", "Abs")))
LOADER = Loader("mine", "cpu", lambda artifacts, context: Loaded({{}}))
"""


GOOD = 'Artifact("mine", "mine", "a.bin", b"a", target.key)'


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("1 / 0", "generate failed: ZeroDivisionError"),
        ("return 3", "generate failed: TypeError"),
        ("return [3]", "generate must give artifacts, got 3"),
        (f"return [{GOOD}, {GOOD}]", "two artifacts have the name 'a.bin'"),
        (
            'return [Artifact("other", "mine", "a.bin", b"", target.key)]',
            "made by 'other' for 'accel'; expected 'mine'",
        ),
        ('return [Artifact("mine", "mine", "a.bin", b"")]', "for 'host'; expected 'mine' and 'accel'"),
        (
            'return [Artifact("mine", "metadata", "a.json", b"", target.key)]',
            "the loader 'metadata', which is ingot's own; expected native or text",
        ),
    ],
)
def test_what_a_code_generator_gives_wrongly_is_an_error_with_its_name(
    distributions: Distributions, body: str, words: str
) -> None:
    install(distributions, _generates(body))
    whole = rf"the code generator 'mine', my_regions:CODEGEN of package my-regions 1\.0: .*{words}"
    with pytest.raises(ingot.TargetError, match=whole):
        ingot.build(model(GRAPH), {"host": "interp", "accel": "mine"}, name="m")


@pytest.mark.parametrize(
    ("wants", "words"),
    [
        ("Wants(('Neg',), refuses=lambda node: 1 / 0)", "mine failed: refuses: ZeroDivisionError"),
        (
            "Wants(('Neg',), refuses=lambda node: True)",
            "refuses must give a text, empty for no reason, got True",
        ),
        ("Wants(('Neg',), gain=lambda region: 'much')", "gain must give a number, got 'much'"),
        (
            "Wants((), (Pattern('p', '(x => (y)'),))",
            "the pattern 'p' of the code generator mine is no function",
        ),
        (
            "Wants((), (Pattern('p', '(x) => (y) { y = Neg(x) z = Abs(x) }'),))",
            "must have one result, to which all its nodes lead",
        ),
        (
            "Wants((), (Pattern('p', '(x) => (y) { y = Neg(x) }', lambda match: match['z']),))",
            "mine failed: refuses of the pattern 'p': KeyError: 'z'",
        ),
        ("Wants(('Neg',), refuses=lambda node: 'it is Monday')", "takes none of the nodes .*: it is Monday"),
    ],
)
def test_what_a_code_generator_wants_wrongly_is_an_error_with_its_name(
    distributions: Distributions, wants: str, words: str
) -> None:
    text = _generates("return []").replace('Wants(("Neg", "Abs"))', wants)
    install(distributions, text)
    with pytest.raises(ingot.TargetError, match=words):
        ingot.build(model(GRAPH), {"host": "interp", "accel": "mine"}, name="m")


def _computes(body: str) -> str:
    return f"""{HEAD}
def generate(regions, target, context):
    return [Artifact("mine", "mine", region.symbol, region.symbol.encode(), target.key) for region in regions]

def function(inputs, outputs):
    {body}

CODEGEN = region_codegen("mine", "wrong", generate, Wants(("Neg", "Abs")))
LOADER = Loader("mine", "cpu", lambda all, context: Loaded({{each.file_name: function for each in all}}))
"""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise OSError('bus fault')", "computed by 'mine' failed: OSError: bus fault"),
        ("outputs[0][...] = [1, 2, 3]", "failed: ValueError: could not broadcast"),
        ("inputs[0][...] = 0", "failed: ValueError: assignment destination is read-only"),
        ("return 'good'", "expected 0, a negative number or None, got 'good'"),
        ("return 7", "expected 0, a negative number or None, got 7"),
        ("return -7", "-7"),
    ],
)
def test_what_the_function_of_a_region_does_wrongly_is_an_error_with_its_name(
    distributions: Distributions, body: str, words: str
) -> None:
    install(distributions, _computes(body))
    library = ingot.build(model(GRAPH), {"host": "interp", "accel": "mine"}, name="m").load()
    run = library["m"](ingot.cpu(0), devices={"accel": [ingot.cpu(0)]})
    with pytest.raises(ingot.DeviceError, match=words):
        run.predict(x=X)


def test_a_region_without_a_function_is_an_error_when_an_executor_is_made(
    distributions: Distributions,
) -> None:
    install(distributions, _generates(f"return [{GOOD}]"))
    library = ingot.build(model(GRAPH), {"host": "interp", "accel": "mine"}, name="m").load()
    with pytest.raises(ingot.LoadError, match="no loaded module has the function 'ingot_m_accel_region0'"):
        library["m"](ingot.cpu(0), devices={"accel": [ingot.cpu(0)]})


def test_a_placement_function_sees_the_whole_node() -> None:
    seen: dict[str, object] = {}

    def place(node: object) -> None:
        (name, look) = (node.name, node.look)
        if name == "a":
            seen["constant"] = look.constant(1).tolist()
            seen["producer"] = look.producer(0).name
            seen["none"] = (look.constant(0), look.producer(1))
            seen["readers"] = [reader.name for reader in look.readers(0)]
            with pytest.raises(ValueError, match="read-only"):
                look.constant(1)[...] = 0

    nodes = "[s] p = Sin(x) [a] q = Add(p, w) [b] y = Neg(q) [c] z = Abs(q)"
    text = f"g (float[2] x) => (float[2] y, float[2] z) <float[2] w = {{1, 2}}> {{ {nodes} }}"
    ingot.build(model(text), "interp", place=place, name="m")
    assert seen == {"constant": [1.0, 2.0], "producer": "s", "none": (None, None), "readers": ["b", "c"]}


FOREIGN = """g (float[5] x) => (float[5] y) <float[5] p, float[5] q> {
    [s] r = Sin(x) [a] p = com.acme.Turn(r) [b] q = com.acme.Turn(p) [c] y = Neg(q)
}"""


def test_what_ingot_cannot_compile_is_placed_by_one_word(distributions: Distributions) -> None:
    text = _computes("outputs[0][...] = inputs[0] + 2").replace(
        'Wants(("Neg", "Abs"))', 'Wants(("com.acme.Turn", "Neg"))'
    )
    install(distributions, text)
    foreign = model(FOREIGN, imports=', "com.acme": 1')
    targets = {"host": "interp", "accel": "mine"}
    with pytest.raises(ingot.UnsupportedError, match=r"a \(com\.acme\.Turn"):
        ingot.build(foreign, "interp", name="m")
    artifacts = ingot.build(foreign, targets, place={"unsupported": "accel"}, name="m")
    (region,) = [call for call in artifacts.models()["m"].calls if call.region]
    assert region.nodes == ("a", "b"), "and nothing that ingot computes itself, though it is wanted"
    run = artifacts.load()["m"](ingot.cpu(0), devices={"accel": [ingot.cpu(0)]})
    np.testing.assert_allclose(run.predict(x=X), -(np.sin(X) + 2), rtol=1e-5)


def test_a_callable_of_this_process_may_take_what_ingot_cannot_compile() -> None:
    foreign = model(FOREIGN, imports=', "com.acme": 1')
    targets = {"host": "interp", "mine": lambda x: x + 1}
    artifacts = ingot.build(foreign, targets, place={"unsupported": "mine"}, name="m")
    run = artifacts.load()["m"](ingot.cpu(0), devices={"mine": [ingot.cpu(0)]})
    np.testing.assert_allclose(run.predict(x=X), -(np.sin(X) + 2), rtol=1e-5)


@pytest.mark.parametrize(
    ("graph", "error", "words"),
    [
        (
            GRAPH,
            ingot.TargetError,
            "ingot computes every node of the model; leave the entry and its target out",
        ),
        (
            FOREIGN.replace("<float[5] p, float[5] q>", ""),
            ingot.UnsupportedError,
            "the type of output 'p' is not known while building; state it in the model",
        ),
    ],
)
def test_what_cannot_be_placed_by_that_word_is_an_error(
    graph: str, error: type[Exception], words: str
) -> None:
    targets = {"host": "interp", "mine": lambda x: x}
    with pytest.raises(error, match=words):
        ingot.build(model(graph, imports=', "com.acme": 1'), targets, place={"unsupported": "mine"}, name="m")
