import pytest

from ingot.link.shared import link_library
from ingot.runtime.load import load
from tests.support.tiny_library import tiny_set


@pytest.fixture(scope="session")
def tiny_path(tmp_path_factory):
    """A library with the models `tiny` (4 elements) and `big` (10000)."""
    path = tmp_path_factory.mktemp("runtime") / "tiny.so"
    link_library(tiny_set("tiny").merge(tiny_set("big", 10000)), path)
    return path


@pytest.fixture
def library(tiny_path):
    return load(tiny_path)
