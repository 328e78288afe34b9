"""What of a classic archive is linked: what contradicts itself is refused, and large graphs take no longer than they must."""

import json

import pytest

from ingot.artifact.model_info import MemoryInfo, ModelInfo, TargetInfo, TensorInfo
from ingot.artifact.model_info_json import info_to_json
from ingot.artifact.model_info_read import info_from_json
from ingot.base.errors import ArtifactError, LoadError
from ingot.base.tensor import DType
from ingot.package.classic.graph_json import Graph
from ingot.package.mlf.link import linkable
from ingot.package.mlf.read import read_archive
from ingot.package.mlf.write import INFO_LINE
from ingot.package.tar import write_tar
from tests.support.classic_archives import classic_files

HERE = 62  # the number of a machine in ELF files
GRAPH = "executor-config/graph/tiny.graph"


def linked(files):
    return linkable(read_archive(b"".join(write_tar(files)), "x.tar"), HERE, {})


def info_of(artifacts):
    return info_from_json(artifacts.find("mlf_tiny.json").content)


def with_output(shape):
    """The archive with what ingot says about its model, whose output has that shape."""
    tensors = [
        (TensorInfo(name, DType.FLOAT32, extents),) for name, extents in (("x", (1, 4)), ("answer", shape))
    ]
    target = TargetInfo("host", "c", "c", "cpu", (), MemoryInfo(64, 0, 64, 64), "")
    info = info_to_json(ModelInfo("tiny", "tiny", *tensors, (target,), ("graph",)))
    return classic_files(7) | {"src/tiny.relay": INFO_LINE.encode() + info}


def with_call(function, inputs):
    """The archive whose `__nop` is another call."""
    graph = json.loads(classic_files(7)[GRAPH])
    graph["nodes"][3]["attrs"] |= {"func_name": function, "num_inputs": str(len(inputs))}
    graph["nodes"][3]["inputs"] = inputs
    return classic_files(7) | {GRAPH: json.dumps(graph).encode()}


def with_calls(count):
    """The archive with so many calls more, all of one name."""
    graph = json.loads(classic_files(7)[GRAPH])
    graph["nodes"] += [graph["nodes"][4]] * count
    for table, value in (("dltype", "float32"), ("storage_id", 2), ("shape", [1, 4]), ("device_index", 1)):
        graph["attrs"][table][1] += [value] * count
    graph["node_row_ptr"] = list(range(6 + count))
    return classic_files(7) | {GRAPH: json.dumps(graph).encode()}


def test_known_outputs_are_taken_by_name_and_shape_if_they_have_the_size_of_the_graphs():
    (output,) = info_of(linked(with_output((2, 2)))).outputs
    assert (output.name, output.shape) == ("answer", (2, 2))


def test_known_outputs_of_another_size_than_the_graphs_are_refused():
    with pytest.raises(
        ArtifactError,
        match=r"answer: float32\[1048576\] of model 'tiny' has 4194304 bytes, .*\[1, 4\] has 16",
    ):
        linked(with_output((1 << 20,)))


@pytest.mark.parametrize("function", ["__nop", "__copy"])
def test_a_copy_of_nothing_is_refused(function):
    linked(with_call(function, [[2, 0, 0]]))
    with pytest.raises(
        ArtifactError, match=f"x.tar: node 'reshape_nop' of the graph calls {function} without an input"
    ):
        linked(with_call(function, []))


def test_the_rows_of_a_graph_are_counted_once_however_many_calls_it_has(monkeypatch):
    counted = []
    rows = Graph.rows.fget
    monkeypatch.setattr(Graph, "rows", property(lambda graph: counted.append(1) or rows(graph)))
    linked(with_calls(20))
    assert len(counted) == 1


def test_calls_of_one_name_get_short_names_of_their_own():
    names = [value.name for value in info_of(linked(with_calls(30))).values]
    assert len(set(names)) == len(names) and max(map(len, names)) < 20


def test_headers_of_one_name_in_two_folders_are_refused_unless_they_are_equal():
    one, two = "codegen/host/src/a/x.h", "codegen/host/src/b/x.h"
    same = linked(classic_files(7) | {one: b"#define A 1\n", two: b"#define A 1\n"})
    assert bytes(same.find("src/x.h").content) == b"#define A 1\n"
    with pytest.raises(
        LoadError, match=f"x.tar cannot run here: {one} and {two} differ, .* 'x.h' is one file"
    ):
        linked(classic_files(7) | {one: b"#define A 1\n", two: b"#define A 2\n"})
