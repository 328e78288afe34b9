"""Of archives, files are read for the models that they are of, and for each once."""

import json

import pytest

from ingot.base.errors import ArtifactError
from ingot.package.mlf import read
from ingot.package.mlf.read import read_archive
from ingot.package.mlf.write import INFO_LINE
from ingot.package.tar import write_tar
from tests.support.classic_archives import classic_files


def archive(files):
    return b"".join(write_tar(files))


def test_the_one_text_of_older_versions_is_not_read_for_each_model_of_version_7():
    files = classic_files(7)
    del files["src/tiny.relay"]
    wrong = files | {"src/relay.txt": f"{INFO_LINE}{{}}\n".encode()}
    assert read_archive(archive(wrong)).models[0].info is None
    with pytest.raises(ArtifactError, match="model info"):
        read_archive(archive(classic_files(6) | {"src/relay.txt": wrong["src/relay.txt"]}))


def test_a_graph_is_not_read_for_many_models_of_one_name(monkeypatch):
    files = classic_files(7)
    metadata = json.loads(files["metadata.json"])
    metadata["modules"] = {f"m{number}": metadata["modules"]["tiny"] for number in range(9)}
    files["metadata.json"] = json.dumps(metadata).encode()
    calls = []
    monkeypatch.setattr(read, "graph_from_json", lambda *_: calls.append(1))
    with pytest.raises(ArtifactError, match="names are not those of `modules`"):
        read_archive(archive(files))
    assert not calls
