"""The older scheme of a tree of modules in one blob: read and written in every layout, and refused when it is damaged."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingot.base.errors import ArtifactError
from ingot.package.classic.module_blob import (
    SYMBOLS,
    Layout,
    ModuleBlob,
    StoredModule,
    facts,
    from_bytes,
    to_bytes,
)
from ingot.package.classic.module_payloads import DECODERS

LIBRARY = StoredModule("_lib")
CLASSIC = (Layout.A, Layout.B)

# A library that imports a module without constants; one that imports a module with the payload "payload".
EXAMPLE_B = bytes.fromhex(
    "8c00000000000000 0300000000000000 0400000000000000 5f6c6962 0c00000000000000 636f6e73745f6c6f61646572"
    + "00" * 32
    + "0c00000000000000 5f696d706f72745f74726565 0300000000000000 0000000000000000 0100000000000000 0100000000000000"
    "0100000000000000 0100000000000000"
)
EXAMPLE_C = bytes.fromhex(
    "5900000000000000 0300000000000000 0000000000000000 0100000000000000 0100000000000000 0100000000000000 0100000000000000"
    "0400000000000000 5f6c6962 0600000000000000 68316b696e64 0700000000000000 7061796c6f6164"
)


def word(number: int) -> bytes:
    return struct.pack("<Q", number)


def block(content: bytes | str) -> bytes:
    raw = content.encode() if isinstance(content, str) else content
    return word(len(raw)) + raw


def texts(*some: str) -> bytes:
    return word(len(some)) + b"".join(map(block, some))


def tensor(content: bytes, *shape: int) -> bytes:
    head = struct.pack("<QQiiiBBH", 0xDD5E40F096B4A13F, 0, 1, 0, len(shape), 2, 32, 1)
    return head + struct.pack(f"<{len(shape)}q", *shape) + block(content)


def whole(*parts: bytes) -> bytes:
    return word(sum(map(len, parts))) + b"".join(parts)


PAYLOADS = {
    "GraphExecutorFactory": block("{}") + word(1) + texts("p0") + tensor(bytes(8), 2) + block("default"),
    "GraphRuntimeFactory": block("{}") + word(0) + texts() + block("default"),
    "AotExecutorFactory": word(2) + texts("a", "b") + tensor(bytes(4)) + tensor(b"", 0, 3) + block("m"),
    "const_loader": texts("w")
    + word(1)
    + tensor(bytes(4), 1)
    + texts("f", "g")
    + word(2)
    + texts("w")
    + texts(),
    "metadata": bytes(32),
    "metadata_module": b"",
    "c": block("int f;") + block("c") + texts("f") + texts(),
    "static_library": block(b"\x7fELF") + texts("f"),
    "cuda": block("ptx")
    + word(1)
    + block("f")
    + block("f_kernel")
    + word(2)
    + bytes([3, 64, 1, 0, 0, 32, 1, 0])
    + texts("blockIdx.x", "threadIdx.x")
    + block("code"),
    "opencl": block("cl") + word(0) + block(""),
    "metal": block("metal") + word(0) + block(""),
    "rocm": block("hsaco") + word(0) + block(""),
}


# ─── examples ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_example_of_layout_b_is_read_and_written() -> None:
    blob = ModuleBlob(Layout.B, (LIBRARY, StoredModule("const_loader", bytes(32))), ((1,), ()))
    assert from_bytes(EXAMPLE_B, CLASSIC) == blob
    assert to_bytes(blob) == EXAMPLE_B and len(EXAMPLE_B) == 148


def test_the_example_of_layout_c_is_read_and_written() -> None:
    blob = ModuleBlob(Layout.C, (LIBRARY, StoredModule("h1kind", b"payload")), ((1,), ()))
    assert from_bytes(EXAMPLE_C, [Layout.C]) == blob
    assert to_bytes(blob) == EXAMPLE_C and len(EXAMPLE_C) == 97


def test_a_library_alone_is_sixteen_bytes_in_the_classic_layouts_and_keeps_its_tree_in_the_modern_one() -> (
    None
):
    alone = ModuleBlob(Layout.B, (LIBRARY,), ((),))
    assert to_bytes(alone) == word(8) + word(0)
    assert from_bytes(to_bytes(alone), CLASSIC) == alone
    assert from_bytes(to_bytes(alone), [Layout.A]).layout is Layout.A
    modern = ModuleBlob(Layout.C, (LIBRARY,), ((),))
    assert len(to_bytes(modern)) == 8 + 3 * 8 + 8 + 12
    assert from_bytes(to_bytes(modern), [Layout.C]) == modern


def test_layout_a_has_no_tree_and_everything_is_an_import_of_the_library() -> None:
    content = whole(word(2), block("metadata_module"), block("c"), PAYLOADS["c"])
    blob = from_bytes(content, CLASSIC)
    assert blob.layout is Layout.A
    assert [module.type_key for module in blob.modules] == ["_lib", "metadata_module", "c"]
    assert blob.imports == ((1, 2), (), ())
    assert to_bytes(blob) == content


def test_the_tree_may_stand_anywhere_and_is_written_last() -> None:
    tree = block("_import_tree") + b"".join(map(word, (3, 0, 1, 1, 1, 1)))
    rest = [block("_lib"), block("metadata_module")]
    first, last = whole(word(3), tree, *rest), whole(word(3), *rest, tree)
    assert from_bytes(first, CLASSIC) == from_bytes(last, CLASSIC)
    assert to_bytes(from_bytes(first, CLASSIC)) == last


@pytest.mark.parametrize("key", PAYLOADS)
def test_every_known_payload_is_read_to_its_end_and_says_something(key: str) -> None:
    assert PAYLOADS.keys() == DECODERS.keys()
    modules = (
        LIBRARY,
        StoredModule(key, PAYLOADS[key]),
        StoredModule("metadata_module"),
        StoredModule("c", PAYLOADS["c"]),
    )
    blob = ModuleBlob(Layout.B, modules, ((1, 3), (2,), (), ()))
    assert from_bytes(to_bytes(blob), CLASSIC) == blob
    assert facts(blob.modules[1]) or key == "metadata_module"
    assert facts(StoredModule(key, PAYLOADS[key] + b"\0")) == {}


def test_facts_tell_names_shapes_and_sizes() -> None:
    found = facts(StoredModule("GraphExecutorFactory", PAYLOADS["GraphExecutorFactory"]))
    assert found["module_name"] == "default" and found["graph_bytes"] == 2
    assert found["tensors"] == {"p0": {"shape": [2], "type": [2, 32, 1], "size_bytes": 8}}
    assert facts(StoredModule("const_loader", PAYLOADS["const_loader"]))["symbols"] == {"f": ["w"], "g": []}
    assert facts(StoredModule("something else", b"x")) == {}


def test_reading_stops_at_an_unknown_type_and_keeps_the_rest_as_it_is() -> None:
    tree = block("_import_tree") + b"".join(map(word, (4, 0, 2, 2, 2, 2, 1, 2)))
    content = whole(word(4), block("_lib"), block("metadata_module"), block("hexagon"), b"who knows", tree)
    blob = from_bytes(content, CLASSIC)
    assert [module.type_key for module in blob.modules] == ["_lib", "metadata_module"]
    assert (blob.unread, blob.unread_key, blob.imports) == (2, "hexagon", ())
    assert to_bytes(blob) == content
    known = from_bytes(
        content, CLASSIC, decoders={**DECODERS, "hexagon": lambda reader: {"text": reader.raw(9, "text")}}
    )
    assert known.modules[2] == StoredModule("hexagon", b"who knows") and known.imports == ((1, 2), (), ())
    assert to_bytes(known) == content


# ─── round trips ───────────────────────────────────────────────────────────────────────────────────────────────────


@st.composite
def blobs(draw: st.DrawFn) -> ModuleBlob:
    layout = draw(st.sampled_from(Layout))
    count = draw(st.integers(1, 6))
    if layout is Layout.C:
        other = st.builds(StoredModule, st.text().filter(lambda key: key != "_lib"), st.binary(min_size=1))
    else:
        other = st.sampled_from([StoredModule(key, payload) for key, payload in PAYLOADS.items()])
    if layout is Layout.A:
        modules = (LIBRARY, *(draw(other) for _ in range(count)))
        return ModuleBlob(
            layout, modules, (tuple(range(1, count + 1)), *((),) * count), draw(st.binary(max_size=9))
        )
    modules = tuple(draw(st.just(LIBRARY) | other) for _ in range(count))
    imports = tuple(
        tuple(draw(st.lists(st.integers(number + 1, count - 1), max_size=4))) if number + 1 < count else ()
        for number in range(count)
    )
    return ModuleBlob(layout, modules, imports, draw(st.binary(max_size=9)))


def layouts(blob: ModuleBlob) -> tuple[Layout, ...]:
    return (Layout.C,) if blob.layout is Layout.C else CLASSIC


@given(blobs())
def test_what_is_written_is_read_back(blob: ModuleBlob) -> None:
    assert from_bytes(to_bytes(blob), layouts(blob)) == blob


# ─── damage ────────────────────────────────────────────────────────────────────────────────────────────────────────


@given(blobs(), st.data())
def test_every_part_of_a_blob_is_refused(blob: ModuleBlob, data: st.DataObject) -> None:
    content = to_bytes(blob)
    cut = data.draw(st.integers(0, len(content) - 1))
    with pytest.raises(ArtifactError):
        from_bytes(content[:cut], layouts(blob))
    with pytest.raises(ArtifactError):
        from_bytes(content + b"\0", layouts(blob))


@pytest.mark.parametrize(
    "content", [EXAMPLE_B, EXAMPLE_C, *(whole(word(1), block(k), v) for k, v in PAYLOADS.items())]
)
def test_a_blob_that_ends_early_with_its_length_put_right_is_refused_or_read(content: bytes) -> None:
    chosen = (Layout.C,) if content is EXAMPLE_C else CLASSIC
    for end in range(8, len(content)):
        with pytest.raises(ArtifactError):
            from_bytes(whole(content[8:end]), chosen)


@given(st.sampled_from([EXAMPLE_B, EXAMPLE_C]), st.data())
@settings(max_examples=300)
def test_changed_words_raise_nothing_but_artifact_errors(content: bytes, data: st.DataObject) -> None:
    changed = bytearray(content)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(8, len(content) - 8))
        number = data.draw(
            st.sampled_from([0, 1, 2, 8, 1 << 31, 1 << 32, 1 << 63, (1 << 64) - 1]) | st.integers(0, 1 << 16)
        )
        changed[at : at + 8] = word(number)
    for chosen in ((Layout.C,), CLASSIC, (Layout.A,), (Layout.B,)):
        try:
            blob = from_bytes(bytes(changed), chosen)
        except ArtifactError:
            continue
        assert from_bytes(to_bytes(blob), chosen) == blob


@given(st.binary(max_size=200))
def test_any_bytes_raise_nothing_but_artifact_errors(content: bytes) -> None:
    for chosen in SYMBOLS.values():
        for candidate in (content, whole(content)):
            try:
                from_bytes(candidate, chosen)
            except ArtifactError:
                continue


HUGE = word(1 << 63)
REFUSED = {
    "a huge count of entries": (whole(HUGE), CLASSIC),
    "a huge count of rows": (whole(HUGE, word(0)), (Layout.C,)),
    "a huge count of children": (whole(word(2), word(0), word(0), HUGE), (Layout.C,)),
    "a huge type key": (whole(word(1), HUGE), CLASSIC),
    "a huge payload": (whole(word(2), word(0), word(0), word(0), block("kind"), HUGE), (Layout.C,)),
    "no module": (whole(word(1), word(0), word(0)), (Layout.C,)),
    "rows that begin late": (whole(word(2), word(1), word(1), word(0), block("_lib")), (Layout.C,)),
    "rows that go back": (
        whole(word(4), word(0), word(2), word(1), word(2), word(2), word(1), word(2)),
        (Layout.C,),
    ),
    "rows that end early": (whole(word(2), word(0), word(0), word(1), word(0), block("_lib")), (Layout.C,)),
    "a child that is not there": (
        whole(word(2), word(0), word(1), word(1), word(1), block("_lib")),
        (Layout.C,),
    ),
    "a huge child": (whole(word(2), word(0), word(1), word(1), HUGE, block("_lib")), (Layout.C,)),
    "a module that imports itself": (
        whole(word(2), word(0), word(1), word(1), word(0), block("_lib")),
        (Layout.C,),
    ),
    "a circle": (
        whole(word(3), word(0), word(1), word(2), word(2), word(1), word(0), block("_lib"), block("_lib")),
        (Layout.C,),
    ),
    "an empty payload": (whole(word(2), word(0), word(0), word(0), block("kind"), word(0)), (Layout.C,)),
    "a type key that is not text": (whole(word(1), block(b"\xff\xfe")), CLASSIC),
    "two trees": (whole(word(2), (block("_import_tree") + word(2) + word(0) * 3) * 2), CLASSIC),
    "a tree for more modules": (
        whole(word(2), block("_lib"), block("_import_tree"), word(3), word(0) * 4),
        CLASSIC,
    ),
    "a tree where there is none": (EXAMPLE_B, (Layout.A,)),
    "a library within layout a": (whole(word(1), block("_lib")), (Layout.A,)),
    "a tensor that is none": (
        whole(word(1), block("AotExecutorFactory"), word(1), texts("a"), word(7) * 9),
        CLASSIC,
    ),
    "more names than tensors": (
        whole(word(1), block("AotExecutorFactory"), word(0), texts("a"), block("m")),
        CLASSIC,
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_damage_is_refused(what: str) -> None:
    content, chosen = REFUSED[what]
    with pytest.raises(ArtifactError):
        from_bytes(content, chosen)


def test_a_deep_chain_is_read_without_recursion() -> None:
    count = 20000
    blob = ModuleBlob(Layout.C, (LIBRARY,) * count, (*((number + 1,) for number in range(count - 1)), ()))
    assert from_bytes(to_bytes(blob), [Layout.C]) == blob


def test_what_a_layout_cannot_hold_cannot_be_made() -> None:
    with pytest.raises(ArtifactError, match="empty payload"):
        ModuleBlob(Layout.C, (StoredModule("kind"),), ((),))
    with pytest.raises(ArtifactError, match="imports all other"):
        ModuleBlob(Layout.A, (LIBRARY, StoredModule("c", PAYLOADS["c"])), ((), ()))
    with pytest.raises(ArtifactError, match="at least one"):
        ModuleBlob(Layout.B, (), ())
    with pytest.raises(ArtifactError, match="circle"):
        ModuleBlob(Layout.B, (LIBRARY, LIBRARY), ((1,), (0,)))
    with pytest.raises(ArtifactError, match="means the tree"):
        ModuleBlob(Layout.B, (StoredModule("_import_tree"),), ((),))
