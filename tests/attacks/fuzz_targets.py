"""What is fuzzed: for each kind of untrusted file its seeds, how they are changed, and what reads them."""

from __future__ import annotations

import contextlib
import functools
import random
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import onnx

import ingot
from ingot.artifact.model_info_read import info_from_json
from ingot.artifact.tuning import Measurements, TunedKernel
from ingot.artifact.tuning_json import tuning_from_json, tuning_to_json
from ingot.base.errors import IngotError
from ingot.base.tensor import DType
from ingot.inspectors.registry import inspect
from ingot.link.shared import link_pieces
from ingot.package.classic.graph_json import graph_from_json
from ingot.package.classic.module_blob import SYMBOLS, from_bytes
from ingot.package.classic.params import params_from_bytes, params_to_bytes
from ingot.package.container import digest_pair, read_container
from ingot.package.container_file import checked_container
from ingot.package.container_write import write_container
from ingot.package.library_file import FOOTER, FOOTER_BYTES, read_library
from ingot.package.mlf.link import linkable
from ingot.package.mlf.read import read_archive
from ingot.package.tar import read_tar, write_tar
from ingot.runtime.load_sources import load_pieces
from tests.attacks.mutate import changed_bytes, changed_json, changed_model
from tests.support.classic_archives import classic_files
from tests.support.models import model
from tests.support.node_tests import load_node_tests, node_test_names
from tests.support.tiny_library import tiny_set

Change = Callable[[random.Random, bytes], bytes]

MODELS = (
    """g (float[1,3,8,8] x) => (float[1,4] y) <float[4,3,3,3] w, float[4] b = {0, 1, 2, 3}, int64[2] s = {1, -1}> {
        c = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w, b)  r = Relu (c)  p = MaxPool <kernel_shape = [2, 2]> (r)
        m = ReduceMean <axes = [2, 3], keepdims = 0> (p)  y = Reshape (m, s)
    }""",
    """g (float[2,6] x) => (float[2,3] y, float[2,3] z) <int64[2] p = {3, 3}> {
        a, b = Split <axis = 1> (x, p)  s = Shape (a)  e = ConstantOfShape (s)  t = Add (a, e)  u = Concat <axis = 1> (t, b)
        y, z = Split <axis = 1> (u, p)
    }""",
    """g (float[4] x) => (float[4] y) <int64 n = {3}> {
        y = Loop (n, , x) <body = b (int64 i, bool on, float[4] c) => (bool go, float[4] d) {
            go = Identity (on)  f = Cast <to = 1> (i)  d = Add (c, f) }>
    }""",
    """g (float[5,2] x, bool c) => (float[2] y, float[5,2] z) <float[2] s = {0, 0}> {
        l, z = Scan <num_scan_inputs = 1, body = b (float[2] k, float[2] v) => (float[2] m, float[2] o) {
            m = Add (k, v)  o = Identity (m) }> (s, x)
        y = If (c) <then_branch = t () => (float[2] q) { q = Neg (l) }, else_branch = e () => (float[2] q) { q = Abs (l) }>
    }""",
    """g (float[2,4] x) => (float[2,3] y) <float[4,3] w, float s = {0.1}, uint8 o = {3}> {
        q = QuantizeLinear (x, s, o)  d = DequantizeLinear (q, s, o)  m = MatMul (d, w)  y = Softmax <axis = -1> (m)
    }""",
    """g (int64[3] i, float[7,4] t) => (float[3,8] y) <int64[1] a = {0}, int64[1] b = {4}, int64[4] p = {0, 0, 0, 4}> {
        g1 = Gather (t, i)  e = Pad (g1, p)  s = Slice (e, a, b)  n = LayerNormalization (e)  y = Add (n, e)
    }""",
    """g (float[1,2,5] x) => (float[1,1,2,3] y) <float[1,12,5] w, float[1,12,3] r> { y = LSTM <hidden_size = 3> (x, w, r) }""",
    'g (float[2] x) => (float[2] y) { y = l.f <a = 0.5> (x) } <domain: "l", opset_import: ["" : 17]> f <a> (x) => (y) {'
    " t = LeakyRelu <alpha : float = @a> (x)  y = Neg (t) }",
    """g (float[3,4] x) => (float[3,4] y) { i = Einsum <equation = "ij,kj->ik"> (x, x)  v, t = TopK <axis = 1> (i, k)
        r = Range (z, q, o)  f = Cast <to = 1> (r)  y = Add (x, f) }""".replace(
        "(float[3,4] y)", "(float[3,4] y) <int64[1] k = {2}, int64 z = {0}, int64 q = {4}, int64 o = {1}>"
    ),
)


@dataclass(frozen=True)
class FuzzTarget:
    """A kind of file. `read` may return, or raise an error of ingot's own that is no InternalError."""

    name: str
    seeds: Callable[[], Iterable[bytes]]
    change: Change
    read: Callable[[bytes], object]


def _model_seeds() -> list[bytes]:
    made = []
    for text in MODELS:
        proto = model(text, imports=', "l": 1')
        known = {one.name for one in proto.graph.initializer}
        for value in _unfilled(text, known):
            proto.graph.initializer.append(value)
        made.append(proto.SerializeToString())
    tests = load_node_tests(node_test_names()[::3])
    small = [test.model.SerializeToString() for test in tests if test.model.ByteSize() < 4000]
    return [*made * 8, *small]


def _unfilled(text: str, known: set[str]) -> list[onnx.TensorProto]:
    """Weights that the text names without a content: numbers that are always the same."""
    shapes = (
        {"w": [4, 3, 3, 3]}
        if "Conv" in text
        else {"w": [1, 12, 5], "r": [1, 12, 3]}
        if "LSTM" in text
        else {}
    )
    shapes |= {"w": [4, 3]} if "MatMul" in text else {}
    return [
        onnx.numpy_helper.from_array(
            np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape), name
        )
        for name, shape in shapes.items()
        if name not in known
    ]


def _build(content: bytes) -> object:
    return ingot.build(content, "interp", cache=None)


@functools.cache
def _set() -> ingot.ArtifactSet:
    small = model("g (float[4] x) => (float[4] y) <float[4] w = {1, 2, 3, 4}> { y = Add (x, w) }")
    return ingot.build(small, "interp", executor=("aot", "graph"))


def _tar(files: Mapping[str, bytes]) -> bytes:
    return b"".join(bytes(piece) for piece in write_tar(files))


def _archive_seeds() -> list[bytes]:
    classic = [
        classic_files(version, executor)
        for version, executor in ((1, "graph"), (5, "graph"), (7, "graph"), (7, "aot"))
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.tar"
        ingot.build(
            model("g (float[4] x) => (float[4] y) { y = Relu (x) }"), "c", name="small"
        ).export_model_library_format(path)
        return [*map(_tar, classic), path.read_bytes()]


def _changed_archive(rng: random.Random, content: bytes) -> bytes:
    """A file of the archive changed by what it is, its headers right again; or the archive's bytes."""
    if rng.randrange(4) == 0:
        return changed_bytes(rng, content)
    files = {name: bytes(file.content) for name, file in read_tar(content).items()}
    name = rng.choice(sorted(files))
    if name.endswith((".json", ".graph")) and rng.randrange(6):
        return _tar(files | {name: changed_json(rng, files[name])})
    match rng.randrange(8):
        case 0:
            return _tar({one: text for one, text in files.items() if one != name})
        case 1:
            return _tar(files | {name: files[rng.choice(sorted(files))]})
    return _tar(files | {name: changed_bytes(rng, files[name])})


def _read_archive(content: bytes) -> None:
    inspect(content, "x.tar")
    linkable(read_archive(content), 62, {})


def _changed_set(rng: random.Random, content: bytes) -> bytes:
    """A member of the set changed by what it is, all digests right again; or the bytes."""
    if rng.randrange(4) == 0:
        return changed_bytes(rng, content)
    artifacts = list(read_container(content).artifacts)
    at = rng.randrange(len(artifacts))
    one = artifacts[at]
    change = changed_json if one.file_name.endswith(".json") and rng.randrange(6) else changed_bytes
    match rng.randrange(8):
        case 0:
            del artifacts[at]
        case 1:
            with contextlib.suppress(IngotError):
                artifacts[at] = replace(one, loader=rng.choice(artifacts).loader)
        case _:
            artifacts[at] = replace(one, content=change(rng, bytes(one.content)))
    return b"".join(bytes(piece) for piece in write_container(artifacts))


def _read_set(content: bytes) -> None:
    """Reads, describes and loads the set, and runs each model once: the code of `interp` is text that is believed by none."""
    checked_container(content)
    library = load_pieces([content])
    for name in library.model_names:
        executor = library[name](ingot.cpu(0))
        executor.predict(
            *(np.zeros(one.shape, one.dtype.numpy) for one in executor.inputs if one.size_bytes < 1 << 20)
        )


def _library_seeds() -> list[bytes]:
    return [b"".join(bytes(piece) for piece in link_pieces(tiny_set()))]


def _changed_library(rng: random.Random, content: bytes) -> bytes:
    """The container changed and put into the place of the old one with a right footer, if it fits; or the file's bytes."""
    fields = list(FOOTER.unpack(content[-FOOTER_BYTES:-64]))
    offset, size = fields[3], fields[4]
    if rng.randrange(3) == 0:
        return changed_bytes(rng, content)
    made = _changed_set(rng, content[offset : offset + size])
    body = content[:offset] + made + content[offset + size : -FOOTER_BYTES]
    fields[4], fields[5] = len(made), len(body) + FOOTER_BYTES
    head = FOOTER.pack(*fields)
    return body + head + b"".join(digest_pair(body + head))


def _read_library(content: bytes) -> None:
    """All but mapping its code, which is believed where digests are right."""
    inspect(content, "x.so")
    found = read_library(content)
    found.container.verify_members()
    ingot.ArtifactSet(found.container.artifacts).models()


def _metadata_seeds() -> list[bytes]:
    return [bytes(one.content) for one in (*_set(), *tiny_set()) if one.loader == "metadata"]


def _tuning_seeds() -> list[bytes]:
    kernel = TunedKernel(
        "ab" * 32, "conv", "conv_relu", (("tile", "14x2"),), (("tile", "28x1"),), 52000, 61000
    )
    return [
        tuning_to_json(
            (Measurements("llvm -mcpu=x", "a processor", (kernel, replace(kernel, problem="cd" * 32))),)
        )
    ]


def _params_seeds() -> list[bytes]:
    arrays = {
        "w": np.ones((2, 3), np.float32),
        "i": np.arange(4, dtype=np.int8),
        "empty": np.zeros((0, 2), np.int64),
    }
    dtypes = {"w": DType.FLOAT32, "i": DType.INT8, "empty": DType.INT64}
    return [params_to_bytes({name: (dtypes[name], array) for name, array in arrays.items()})]


def _blob_seeds() -> list[bytes]:
    def block(content: bytes) -> bytes:
        return len(content).to_bytes(8, "little") + content

    def words(*numbers: int) -> bytes:
        return b"".join(number.to_bytes(8, "little") for number in numbers)

    tree = words(3, 0, 1, 1) + words(1, 1)
    classic = words(3) + block(b"_lib") + block(b"const_loader") + bytes(32) + block(b"_import_tree") + tree
    newest = words(3, 0, 1, 1, 1, 1, 2) + block(b"_lib") + block(b"h1kind") + block(b"payload")
    return [block(classic), block(newest)]


def _read_graph(content: bytes) -> object:
    return graph_from_json(content, "graph")


def _read_blob(content: bytes) -> None:
    for layouts in SYMBOLS.values():
        with contextlib.suppress(IngotError):
            from_bytes(content, layouts)


TARGETS: Mapping[str, FuzzTarget] = {
    one.name: one
    for one in (
        FuzzTarget("model", _model_seeds, changed_model, _build),
        FuzzTarget("archive", _archive_seeds, _changed_archive, _read_archive),
        FuzzTarget("params", _params_seeds, changed_bytes, params_from_bytes),
        FuzzTarget("set", lambda: [b"".join(map(bytes, write_container(_set())))], _changed_set, _read_set),
        FuzzTarget("library", _library_seeds, _changed_library, _read_library),
        FuzzTarget("metadata", _metadata_seeds, changed_json, info_from_json),
        FuzzTarget("tuning", _tuning_seeds, changed_json, tuning_from_json),
        FuzzTarget(
            "graph", lambda: [classic_files(7)["executor-config/graph/tiny.graph"]], changed_json, _read_graph
        ),
        FuzzTarget("blob", _blob_seeds, changed_bytes, _read_blob),
    )
}
