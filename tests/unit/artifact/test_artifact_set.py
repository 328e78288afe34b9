import dataclasses

import pytest

from ingot.artifact.artifact import Artifact
from ingot.artifact.artifact_set import ArtifactSet, InMemoryArtifact
from ingot.base.errors import ArtifactError
from tests.support.tiny_library import tiny_set


class Nothing:
    type_key = "nothing"
    imported_modules = ()

    def get_function(self, name):
        return None

    def close(self):
        pass


A = Artifact("llvm", "native", "m.o", b"code")
B = Artifact("ingot", "metadata", "m.json", b"{}")


def test_a_set_keeps_the_order_in_which_artifacts_came():
    assert tuple(ArtifactSet((B, A))) == (B, A)
    assert ArtifactSet((A, B)) != ArtifactSet((B, A))


def test_shown_are_names_and_sizes_and_no_contents():
    """A set with the weights of a network is looked at in notebooks."""
    assert repr(A) == "<ingot.Artifact host/llvm/m.o: native, 4 bytes>"
    assert repr(ArtifactSet((A, B))) == "<ingot.ArtifactSet: m.o, m.json; 6 bytes>"
    many = ArtifactSet(dataclasses.replace(A, file_name=f"{at}.o", content=bytes(1000)) for at in range(8))
    assert repr(many) == "<ingot.ArtifactSet: 0.o, 1.o, 2.o, 3.o, 4.o, 5.o and 2 more; 8,000 bytes>"


def test_two_artifacts_of_one_place_are_refused_and_named():
    with pytest.raises(ArtifactError, match=r"'m\.o' \(target host, code generator llvm\)"):
        ArtifactSet((A, dataclasses.replace(A, content=b"other")))
    with pytest.raises(ArtifactError):
        ArtifactSet((A, dataclasses.replace(A, loader="text")))


def test_one_artifact_twice_is_refused_as_an_equal_one_is():
    with pytest.raises(ArtifactError, match="two artifacts are called"):
        ArtifactSet((A, B, A))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("text", "must be bytes or a buffer, got str"),
        (None, "got NoneType"),
        (memoryview(b"abcd")[::2], "must be contiguous"),
    ],
)
def test_content_that_is_no_run_of_bytes_is_refused(content, words):
    with pytest.raises(ArtifactError, match=words):
        Artifact("llvm", "native", "m.o", content)


def test_content_of_wider_elements_is_taken_as_its_bytes():
    artifact = Artifact("llvm", "native", "m.o", memoryview(b"12345678").cast("i"))
    assert artifact == Artifact("llvm", "native", "m.o", b"12345678") and len(artifact.content) == 8


def test_one_file_name_may_be_used_by_two_targets_or_code_generators():
    assert (
        len(
            ArtifactSet(
                (A, dataclasses.replace(A, target_key="accel"), dataclasses.replace(A, codegen_id="c"))
            )
        )
        == 3
    )


def test_content_may_be_bytes_or_a_view_and_compares_by_bytes():
    assert ArtifactSet((A,)) == ArtifactSet((dataclasses.replace(A, content=memoryview(b"code")),))
    assert hash(A) == hash(dataclasses.replace(A, content=memoryview(b"code")))


def test_select_takes_all_given_labels_together():
    some = ArtifactSet((A, B, dataclasses.replace(A, file_name="m.c")))
    assert some.select(loader="native", suffix=".o").artifacts == (A,)
    assert some.select(codegen_id="ingot", loader="native").artifacts == ()


def test_by_loader_and_by_codegen_are_sorted_and_complete():
    some = ArtifactSet((A, B))
    assert list(some.by_loader()) == ["metadata", "native"]
    assert {key: value.artifacts for key, value in some.by_codegen().items()} == {"ingot": (B,), "llvm": (A,)}


def test_functions_of_a_set_return_the_kind_of_set_they_were_called_on():
    class Own(ArtifactSet):
        pass

    assert type(Own((A,)).select()) is Own
    assert type(Own((A,)).merge(ArtifactSet())) is Own


def test_merge_has_the_models_of_both_and_equal_artifacts_once():
    both = tiny_set("one").merge(tiny_set("two"), tiny_set("one"))
    assert list(both.models()) == ["one", "two"]
    assert len(both) == 6


def test_merge_refuses_two_models_of_one_name():
    with pytest.raises(ArtifactError, match="rename a model"):
        tiny_set("one", 4).merge(tiny_set("one", 8))


def test_models_refuses_two_models_of_one_symbol():
    first = tiny_set("one").find("one.json")
    with pytest.raises(ArtifactError, match="two models are called 'one'"):
        ArtifactSet((first, dataclasses.replace(first, file_name="again.json"))).models()
    renamed = bytes(first.content).replace(b'"name":"one"', b'"name":"two"')
    with pytest.raises(ArtifactError, match="both have the C symbol"):
        ArtifactSet((first, dataclasses.replace(first, file_name="again.json", content=renamed))).models()


def test_digest_depends_on_labels_bytes_and_order_and_on_nothing_else():
    digest = ArtifactSet((A, B)).digest()
    assert digest == ArtifactSet((dataclasses.replace(A, content=memoryview(b"code")), B)).digest()
    others = [
        ArtifactSet((B, A)),
        ArtifactSet((A,)),
        ArtifactSet((dataclasses.replace(A, content=b"Code"), B)),
        ArtifactSet((dataclasses.replace(A, target_key="x"), B)),
        ArtifactSet((dataclasses.replace(A, loader="text"), B)),
    ]
    assert digest not in {other.digest() for other in others}
    assert digest == "sha256:" + digest[7:] and len(digest) == 71


def test_a_set_with_an_in_memory_artifact_says_which_one_keeps_it_from_being_stored():
    some = ArtifactSet((A, InMemoryArtifact("python", "callable", Nothing())))
    assert len(some) == 2 and list(some.by_loader()) == ["memory", "native"]
    with pytest.raises(ArtifactError, match=r"'callable'.*this process only"):
        some.digest()


def test_find_says_what_there_is_instead():
    with pytest.raises(ArtifactError, match=r"did you mean 'm\.o'"):
        ArtifactSet((A,)).find("n.o")
    with pytest.raises(ArtifactError, match="several"):
        ArtifactSet((A, dataclasses.replace(A, target_key="x"))).find("m.o")


@pytest.mark.parametrize(
    "name", ["", "/etc/passwd", "../x", "a//b", "a/.hidden", "a b", "x" * 256, "ä", "a\\b", "."]
)
def test_a_file_name_that_could_leave_its_folder_is_refused(name):
    with pytest.raises(ArtifactError):
        Artifact("c", "text", name, b"")
