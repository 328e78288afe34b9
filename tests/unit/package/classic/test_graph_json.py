"""Graph executor JSON: what is written is read, and what contradicts itself is refused."""

import json
import random

import pytest

from ingot.base.errors import ArtifactError
from ingot.base.tensor import DType
from ingot.package.classic.graph_json import Entry, Graph, Node, graph_from_json, graph_to_json

F32 = DType.FLOAT32
TINY = Graph(
    (Node("x"), Node("p0"), Node("add", ((0, 0), (1, 0)), "tvmgen_tiny_fused_add", 1, (("hash", "1f"),))),
    (0, 1),
    ((2, 0),),
    (Entry(F32, (1, 4), 0), Entry(F32, (1, 4), 1), Entry(F32, (1, 4), 2)),
)


def test_what_is_written_is_read():
    assert graph_from_json(graph_to_json(TINY)) == TINY


def test_calls_with_several_outputs_have_an_entry_for_each():
    graph = Graph(
        (Node("x"), Node("split", ((0, 0),), "f", 2), Node("add", ((1, 0), (1, 1)), "g")),
        (0,),
        ((2, 0), (1, 1)),
        (Entry(F32, (8,), 0), Entry(DType.BOOL, (4,), 1), Entry(F32, (4,), 2), Entry(F32, (4,), 1)),
    )
    assert graph_from_json(graph_to_json(graph)) == graph
    assert graph.rows == (0, 1, 3, 4) and graph.entry(1, 1) == 2
    assert graph.storage_sizes() == {0: 32, 1: 16, 2: 16}


def test_attributes_are_strings_and_no_text_has_an_escape():
    text = graph_to_json(TINY).decode()
    assert all(type(value) is str for value in json.loads(text)["nodes"][2]["attrs"].values())
    assert "\\" not in text


HAND_MADE = """{"nodes": [
   {"op": "null", "name": "x", "inputs": []},
   {"op": "null", "name": "p0", "inputs": []},
   {"op": "tvm_op", "name": "add", "attrs": {"func_name": "tvmgen_tiny_fused_add",
      "num_inputs": "2", "num_outputs": "1", "flatten_data": "0", "hash": "1f"}, "inputs": [[0,0,0],[1,0]]}],
 "arg_nodes": [0, 1], "heads": [[2, 0, 0]],
 "attrs": {"dltype": ["list_str", ["float32","float32","float32"]],
           "storage_id": ["list_int", [0,1,2]],
           "shape": ["list_shape", [[1,4],[1,4],[1,4]]]},
 "node_row_ptr": [0,1,2,3], "metadata": {"anything": 1.5}}"""


def test_a_graph_that_another_tool_wrote_is_read():
    assert graph_from_json(HAND_MADE.encode()) == TINY


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"heads"', '"tails"', "no 'heads'"),
        ('"metadata"', '"extra"', "unknown key 'extra'"),
        ('{"anything": 1.5}', "NaN", "not a JSON number"),
        ('"arg_nodes": [0, 1]', '"arg_nodes": [0, 2]', "every placeholder"),
        ('"arg_nodes": [0, 1]', '"arg_nodes": [0, 1, 1]', "every placeholder"),
        ('"arg_nodes": [0, 1]', '"arg_nodes": [0, true]', "whole number"),
        ('"name": "p0"', '"name": "x"', "one name"),
        ("[[2, 0, 0]]", "[[3, 0, 0]]", "whole number"),
        ("[[2, 0, 0]]", "[[2, 1, 0]]", "whole number"),
        ("[[0,0,0],[1,0]]", "[[0,0,0],[2,0]]", "whole number"),
        ("[[0,0,0],[1,0]]", "[[0,0,0]]", "has 1 inputs, says 2"),
        ('"num_outputs": "1"', '"num_outputs": 1', "must be a string"),
        ('"num_outputs": "1"', '"num_outputs": "2"', "does not count"),
        ('"num_outputs": "1"', '"num_outputs": "0"', "0 outputs"),
        ('"flatten_data": "0"', '"flatten_data": "1"', "flatten_data"),
        ("tvmgen_tiny_fused_add", "system(0)", "letters, digits and"),
        ('"op": "tvm_op"', '"op": "exec"', "expected 'null'"),
        ('"name": "add"', '"name": "add", "code": 1', "unknown key 'code'"),
        ("[0,1,2,3]", "[0,1,2]", "does not count"),
        ('"float32","float32","float32"', '"float32","float32"', "a list of 3"),
        ('"float32","float32","float32"', '"float32","float32x2","float32"', "dltype"),
        ("list_shape", "list_int", "list_shape"),
        ("[1,4],[1,4],[1,4]", "[1,4],[1,-4],[1,4]", "whole number"),
        ("[1,4],[1,4],[1,4]", "[1,4],[1,4],[281474976710656,4]", "more than"),
        ('["list_int", [0,1,2]]', '["list_int", [0,1,9999]]', "whole number"),
    ],
)
def test_a_graph_that_is_wrong_is_refused(old, new, words):
    assert old in HAND_MADE
    with pytest.raises(ArtifactError, match=words):
        graph_from_json(HAND_MADE.replace(old, new, 1).encode())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"nodes": (Node("x"), Node("p0"), Node('a"', ((0, 0), (1, 0)), "f"))}, "no quotes"),
        ({"nodes": (Node("x"), Node("p" * 80), Node("a", ((0, 0), (1, 0)), "f"))}, "79 bytes"),
        ({"nodes": (Node("x"), Node("p0"), Node("a", ((0, 0), (1, 0)), "f" * 119))}, "118 bytes"),
        ({"entries": (*TINY.entries[:2], Entry(F32, (), 2))}, "1 to 6"),
        ({"entries": (*TINY.entries[:2], Entry(F32, (0, 1), 2))}, "none of them 0"),
        ({"entries": (*TINY.entries[:2], Entry(F32, (1,), 3))}, "from 0 on"),
    ],
)
def test_a_graph_that_the_c_runtime_cannot_hold_is_not_written(change, words):
    fields = {"nodes": TINY.nodes, "arguments": TINY.arguments, "heads": TINY.heads, "entries": TINY.entries}
    with pytest.raises(ArtifactError, match=words):
        graph_to_json(Graph(**(fields | change)))


def test_more_storages_than_nodes_fit_into_ingots_own_c_runtime_only():
    entries = tuple(Entry(F32, (4,), storage) for storage in range(3))
    graph = Graph((Node("x"), Node("top", ((0, 0),), "f", 2)), (0,), ((1, 0), (1, 1)), entries)
    with pytest.raises(
        ArtifactError, match=r"3 storages for 2 nodes, .*; export the model with version=8 or executor='aot'"
    ):
        graph_to_json(graph)
    assert graph_from_json(graph_to_json(graph, original=False)) == graph


def test_truncations_and_flipped_bits_are_an_artifact_error_or_a_sound_graph():
    text = graph_to_json(TINY)
    rng = random.Random(2)
    for end in range(len(text) - 2):
        with pytest.raises(ArtifactError):
            graph_from_json(text[:end])
    for _ in range(2000):
        broken = bytearray(text)
        broken[rng.randrange(len(text))] ^= 1 << rng.randrange(8)
        try:
            graph = graph_from_json(bytes(broken))
        except ArtifactError:
            continue
        assert graph.rows[-1] == len(graph.entries)
