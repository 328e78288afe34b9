"""Several models in one library, by several code generators: each with the results that it has alone."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import ingot
from ingot.package.container import read_container
from ingot.package.container_write import write_container
from ingot.package.library_file import read_library
from tests.support.models import model

pytestmark = pytest.mark.cc

RNG = np.random.default_rng(3)
WEIGHTS = RNG.standard_normal((64, 32), dtype=np.float32)
X = RNG.standard_normal((2, 64), dtype=np.float32)
EXPECTED = np.maximum(X @ WEIGHTS, 0)
CODEGENS = ("llvm", "c", "interp")


def dense(scale: float = 1, *, label: str = "") -> onnx.ModelProto:
    """y = relu(x · w), x [n, 64], w [64, 32]; `label` names its nodes."""
    made = model("g (float[n, 64] x) => (float[n, 32] y) { h = MatMul(x, w) y = Relu(h) }")
    made.graph.initializer.append(numpy_helper.from_array(WEIGHTS * np.float32(scale), "w"))
    for node in made.graph.node:
        node.name = f"{label}{node.op_type}"
    return made


def build(name: str, target: str = "llvm", *, n: int = 2, **options: object) -> ingot.ArtifactSet:
    return ingot.build(dense(**options), target=target, name=name, dims={"n": n}, cache=None)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One library with a model of each code generator."""
    path = tmp_path_factory.mktemp("sets") / "three.so"
    first, *others = (build(f"by_{codegen}", codegen) for codegen in CODEGENS)
    first.merge(*others).export_library(path)
    return path


def test_models_of_every_code_generator_run_from_one_library(three: Path) -> None:
    library = ingot.load(three)
    assert library.model_names == tuple(f"by_{codegen}" for codegen in CODEGENS)
    for name in library:
        assert np.allclose(library[name](ingot.cpu(0)).predict(x=X), EXPECTED, rtol=1e-5, atol=1e-5), name


def test_merging_changes_no_result(three: Path) -> None:
    library = ingot.load(three)
    for codegen in CODEGENS:
        alone = build(f"by_{codegen}", codegen).load()[f"by_{codegen}"]().predict(x=X)
        assert np.array_equal(library[f"by_{codegen}"]().predict(x=X), alone)


def test_functions_are_found_through_imported_modules(three: Path) -> None:
    library = ingot.load(three)
    assert library.type_key == "library"
    assert [module.type_key for module in library.imported_modules] == ["interp"]
    assert library.get_function("ingot_by_interp_run") is not None
    assert library.imported_modules[0].get_function("ingot_by_interp_run") is not None
    assert library.imported_modules[0].get_function("ingot_by_llvm_run") is None
    assert library.get_function("ingot_by_llvm_run") is not None
    assert library.get_function("ingot_nobody_run") is None


def test_every_pair_of_code_generators_shares_a_library() -> None:
    for one, other in itertools.product(("llvm", "c"), repeat=2):
        library = ingot.load(build("one", one).merge(build("two", other, scale=2)))
        y, twice = (library[name]().predict(x=X) for name in ("one", "two"))
        assert np.allclose(y, EXPECTED, rtol=1e-5, atol=1e-5) and np.allclose(
            twice, 2 * y, rtol=1e-5, atol=1e-5
        )


def test_equal_weights_are_stored_and_mapped_once(tmp_path: Path) -> None:
    one, two = build("batch_1", n=1), build("batch_2", n=2)
    path = tmp_path / "batches.so"
    one.merge(two).export_library(path)
    params = [
        member
        for member in read_library(path.read_bytes()).container.members
        if member.artifact.loader == "params"
    ]
    assert (
        len(params) == 2
        and len({member.offset for member in params}) == 1
        and params[0].size_bytes >= WEIGHTS.nbytes
    )
    library = ingot.load(path)
    first, second = (library[name]() for name in library)
    assert first._bases[0] == second._bases[0]
    assert np.allclose(first.predict(x=X[:1]), EXPECTED[:1], rtol=1e-5, atol=1e-5)
    assert np.allclose(second.predict(x=X), EXPECTED, rtol=1e-5, atol=1e-5)


def test_other_weights_are_stored_beside(tmp_path: Path) -> None:
    path = tmp_path / "two.so"
    build("one").merge(build("two", scale=2)).export_library(path)
    offsets = [
        m.offset for m in read_library(path.read_bytes()).container.members if m.artifact.loader == "params"
    ]
    assert len(set(offsets)) == 2


def test_merging_is_associative_and_keeps_order() -> None:
    a, b, c = (build(name, "c") for name in "abc")
    assert a.merge(b, c) == a.merge(b).merge(c) == a.merge(b.merge(c))
    assert a.merge(b) != b.merge(a) and a.merge(a) == a
    assert list(a.merge(b, c).models()) == ["a", "b", "c"]


def test_two_models_of_one_name_are_refused() -> None:
    with pytest.raises(ingot.ArtifactError, match="rename a model"):
        build("same").merge(build("same", scale=2))
    with pytest.raises(ingot.ArtifactError, match=r"two models are called 'same'|rename a model"):
        build("same", "c").merge(build("same", "llvm"))


@pytest.mark.parametrize("codegen", ["llvm", "c"])
def test_names_of_models_and_nodes_may_look_like_each_other(codegen: str) -> None:
    a = build("a", codegen, label="relu_b")
    others = [
        build("a_relu", codegen, label="b"),
        build("a_run", codegen),
        build("a_matmul", codegen, label="run"),
    ]
    library = a.merge(*others).load()
    for name in library:
        assert np.allclose(library[name]().predict(x=X), EXPECTED, rtol=1e-5, atol=1e-5)


def test_two_models_that_export_one_symbol_are_refused() -> None:
    with pytest.raises(ingot.ArtifactError, match="'a' and 'ingot_a' both have the C symbol 'ingot_a_run'"):
        build("a", "c").merge(build("ingot_a", "c"))


def test_load_takes_a_set() -> None:
    artifacts = build("m", "c")
    assert np.array_equal(ingot.load(artifacts)["m"]().predict(x=X), artifacts.load()["m"]().predict(x=X))


def test_an_executor_that_was_not_built_says_how_to_build_it() -> None:
    library = build("m", "c").load()
    with pytest.raises(
        ingot.LoadError, match=r"has no executor 'graph'.*built for aot; build it with executor='graph'"
    ):
        library["m"](executor="graph")
    both = ingot.build(
        dense(), target="c", name="m", dims={"n": 2}, executor=("aot", "graph"), cache=None
    ).load()
    assert np.array_equal(both["m"](executor="graph").predict(x=X), both["m"]().predict(x=X))
    assert both["m"](executor="graph").kind == "graph" and both["m"]().kind == "aot"


def test_the_library_is_a_container_that_reads_the_same_alone(three: Path) -> None:
    file = read_library(three.read_bytes())
    begin, size = file.container_offset, file.container.size_bytes
    alone = read_container(three.read_bytes()[begin : begin + size])
    assert alone.artifacts == file.container.artifacts


def test_executors_share_weights_whose_place_in_memory_is_not_aligned() -> None:
    artifacts = build("small", "interp").merge(build("again", "interp"))
    content = b"".join(write_container(artifacts))
    room = np.empty(len(content) + 64, np.uint8)
    start = -room.ctypes.data % 64 + 8  # never a multiple of 64
    shifted = memoryview(room)[start : start + len(content)]
    shifted[:] = content
    library = ingot.load(shifted)
    executors = [library["small"](), library["small"](), library["again"]()]
    addresses = {executor._bases[0] for executor in executors}
    assert len(addresses) == 1 and addresses.pop() % 64 == 0
    assert np.allclose(executors[1].predict(x=X), EXPECTED, rtol=1e-5, atol=1e-5)


def test_eight_threads_share_models_of_every_code_generator(three: Path) -> None:
    library = ingot.load(three)
    once = {name: library[name](threads=1).predict(x=X).tobytes() for name in library}

    def work(number: int) -> set[bytes]:
        executors = [library[name](threads=1 + number % 2) for name in library]
        return {executor.predict(x=X).tobytes() for _ in range(20) for executor in executors}

    with ThreadPoolExecutor(8) as pool:
        assert set().union(*pool.map(work, range(8))) == set(once.values())
