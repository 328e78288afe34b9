"""Archives of many models: what is parsed is parsed once, and parts go to the model that they belong to."""

import pytest

import ingot
from ingot.artifact.artifact_set import ArtifactSet
from ingot.package.classic.graph_json import Graph
from ingot.package.mlf import read
from ingot.package.mlf.read import read_archive
from ingot.package.mlf.write import write_archive
from tests.support.models import model


@pytest.fixture(scope="module")
def both():
    """A set of two small models; the name of one begins with the other's."""
    text = "agraph (float[4] a, float[4] b) => (float[4] c, float[4] d) { c = Relu (a) d = Neg (b) }"
    one, two = (ingot.build(model(text), "c", name=name) for name in ("a", "ab"))
    return one.merge(two)


@pytest.fixture
def asked(monkeypatch):
    """How often the metadata of a set were parsed."""
    calls = []
    models = ArtifactSet.models
    monkeypatch.setattr(ArtifactSet, "models", lambda artifacts: calls.append(1) or models(artifacts))
    return calls


@pytest.mark.parametrize("version", [7, 8])
def test_the_metadata_of_many_models_are_parsed_once_for_an_archive(both, asked, version):
    pieces = write_archive(both, version=version)
    assert len(asked) == 1
    archive = read_archive(b"".join(pieces))
    assert len(asked) == 2
    assert [one.info.symbol for one in archive.models] == ["a", "ab"]


def test_the_infos_of_version_7_are_parsed_once_each(both, monkeypatch):
    content = b"".join(write_archive(both, version=7))
    calls = []
    parse = read.info_from_json
    monkeypatch.setattr(read, "info_from_json", lambda text: calls.append(1) or parse(text))
    read_archive(content)
    assert len(calls) == 2


def test_the_rows_of_a_graph_are_counted_as_often_however_many_tensors_it_has(both, monkeypatch):
    counted = []
    rows = Graph.rows.fget
    monkeypatch.setattr(Graph, "rows", property(lambda graph: counted.append(1) or rows(graph)))
    write_archive(both, version=7, executor="graph")
    assert len(counted) == 2 * 3  # of each: for its text, for its arguments, for its outputs


def test_each_model_has_its_own_code(both):
    files = read_archive(b"".join(write_archive(both))).files
    sources = sorted(name for name in files if name.startswith("codegen/host/src/"))
    count = len(sources) // 2
    assert sources == sorted(
        f"codegen/host/src/{name}_lib{at}.c" for name in ("a", "ab") for at in range(count)
    )
