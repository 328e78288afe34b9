import pytest

from ingot.base.errors import LoadError
from ingot.runtime import load as loading

X86 = "processor : 0\nvendor_id\t: X\nflags\t\t: fpu avx2 fma\n\nprocessor : 1\nflags\t\t: fpu\n"
ARM = "processor : 0\nFeatures\t: fp asimd\n"


def test_features_are_those_of_the_first_core():
    assert loading.features_in(X86) == {"fpu", "avx2", "fma"}
    assert loading.features_in(ARM) == {"fp", "asimd"}
    assert loading.features_in("nothing") is None


def test_all_features_of_the_first_core_are_read_and_hardly_more(monkeypatch, tmp_path):
    flags = [f"feature{number}" for number in range(500)]
    others = "processor\t: 1\nbugs\t\t: none\n" * 500
    (tmp_path / "cpuinfo").write_text(f"processor\t: 0\nflags\t\t: {' '.join(flags)}\n{others}")
    asked = []
    read = loading.os.read
    monkeypatch.setattr(loading, "CPUINFO", str(tmp_path / "cpuinfo"))
    monkeypatch.setattr(loading.os, "read", lambda *words: asked.append(words) or read(*words))
    assert loading.cpu_features() == frozenset(flags)
    assert sum(size for _, size in asked) < len(" ".join(flags)) + 256
    assert loading.cpu_features() == frozenset(flags)
    assert sum(size for _, size in asked) < len(" ".join(flags)) + 256  # the second time nothing was read


def test_features_in_a_last_line_without_an_end_are_read(monkeypatch, tmp_path):
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nflags\t\t: fma avx2")
    monkeypatch.setattr(loading, "CPUINFO", str(tmp_path / "cpuinfo"))
    assert loading.cpu_features() == {"fma", "avx2"}


def test_missing_features_are_named_and_known_ones_pass(monkeypatch):
    monkeypatch.setattr(loading, "cpu_features", lambda: frozenset({"avx2"}))
    loading.require_features(("avx2",), "m")
    loading.require_features((), "m")
    with pytest.raises(LoadError, match="avx512f, vnni, which this one has not"):
        loading.require_features(("avx2", "avx512f", "vnni"), "m")


def test_a_system_that_does_not_say_is_believed(monkeypatch):
    monkeypatch.setattr(loading, "cpu_features", lambda: None)
    loading.require_features(("avx512f",), "m")


@pytest.mark.parametrize(
    ("head", "here", "words"),
    [
        (
            b"\x7fELF\x02\x01" + bytes(12) + (183).to_bytes(2, "little"),
            "x86_64",
            "built for aarch64, this machine is x86_64",
        ),
        (b"\x7fELF\x02\x02" + bytes(12) + (22).to_bytes(2, "big"), "AMD64", "built for s390x"),
        (
            b"\x7fELF\x02\x01" + bytes(12) + (999).to_bytes(2, "little"),
            "aarch64",
            "built for ELF machine 999",
        ),
    ],
)
def test_code_of_another_machine_is_named(monkeypatch, head, here, words):
    monkeypatch.setattr(loading.os, "uname", type("U", (), {"machine": here}))
    with pytest.raises(LoadError, match=words):
        loading.require_machine(head, "m.so")


def test_the_same_machine_under_another_name_passes(monkeypatch):
    head = b"\x7fELF\x01\x01" + bytes(12) + (40).to_bytes(2, "little")
    monkeypatch.setattr(loading.os, "uname", type("U", (), {"machine": "armv7l"}))
    loading.require_machine(head, "m.so")
    loading.require_machine(b"not ELF at all, and long enough to have a machine", "m.so")
