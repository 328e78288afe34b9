"""Code generators, loaders and operators of other distributions take part in builds by their names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest

import ingot
from tests.support.distributions import Distributions, installed
from tests.support.models import model

X = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def distributions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Distributions]:
    yield from installed(tmp_path, monkeypatch)


KERNELS = """
from dataclasses import replace
from ingot.artifact.module import Loader
from ingot.codegen.interp import generator

def generate(unit, target, context):
    code = generator.CODEGEN.generate(unit, target, context)
    return replace(code, artifacts=tuple(replace(each, codegen_id="mine", loader="mine") for each in code.artifacts))

CODEGEN = replace(generator.CODEGEN, id="mine", summary="takes kernels", generate=generate)
LOADER = Loader("mine", "cpu", lambda artifacts, context: generator.LOADER.load(artifacts, context))
NEITHER = 3
"""


def test_a_code_generator_of_a_package_takes_kernels_and_its_loader_runs_them(
    distributions: Distributions,
) -> None:
    offers = {
        "ingot.codegens": {"mine": "my_kernels:CODEGEN"},
        "ingot.loaders": {"mine": "my_kernels:LOADER"},
    }
    distributions.add("my-kernels", offers, {"my_kernels": KERNELS})
    artifacts = ingot.build(model("g (float[2,3] x) => (float[2,3] y) { y = Relu(x) }"), "mine", name="m")
    assert {each.loader for each in artifacts} >= {"mine", "metadata"}
    np.testing.assert_array_equal(artifacts.load()["m"](ingot.cpu(0)).predict(x=X), np.maximum(X, 0))


def test_a_code_generator_that_nobody_offers_is_named_with_those_of_packages(
    distributions: Distributions,
) -> None:
    distributions.add("my-kernels", {"ingot.codegens": {"mine": "my_kernels:CODEGEN"}}, {})
    with pytest.raises(ingot.TargetError, match=r"'mien'; did you mean 'mine'\? \(known: llvm, .*, mine\)"):
        ingot.build(model("g (float[2] x) => (float[2] y) { y = Relu(x) }"), "mien", name="m")
    assert "my_kernels" not in sys.modules


def test_what_is_no_code_generator_is_refused_by_name(distributions: Distributions) -> None:
    distributions.add(
        "my-kernels", {"ingot.codegens": {"mine": "my_kernels:NEITHER"}}, {"my_kernels": KERNELS}
    )
    with pytest.raises(ingot.LoadError, match=r"'mine' of the group ingot\.codegens must offer a Codegen"):
        ingot.build(model("g (float[2] x) => (float[2] y) { y = Relu(x) }"), "mine", name="m")


OPERATORS = """
from ingot.kernels.template import pointwise
from ingot.loops.nodes import maximum
from ingot.ops.opdef import OpDef

def lower(call, emit):
    (x,) = call.inputs
    factor = float(call.attributes.get("factor", 2.0))
    double = pointwise([x.type], x.type, lambda where, read: maximum(read(*where), 0.0) * factor, "double")
    return emit.define(double, [x])

OPERATORS = (OpDef("com.acme", "Double", 1, lower),)
TWICE = OPERATORS * 2
FAILS = (OpDef("com.acme", "Double", 1, lambda call, emit: 1 // 0),)
NOTHING = (OpDef("com.acme", "Double", 1, lambda call, emit: (1,)),)
FOREIGN = (OpDef("com.other", "Double", 1, lower),)
"""


def _with_double(typed: bool = True) -> onnx.ModelProto:
    inner = "<float[2,3] h>" if typed else ""
    text = (
        f"g (float[2,3] x) => (float[2,3] y) {inner} {{ h = com.acme.Double <factor = 3.0> (x) y = Neg(h) }}"
    )
    return model(text, imports=', "com.acme": 1')


@pytest.mark.parametrize("typed", [True, False])
def test_operators_of_a_package_are_found_by_their_domain_and_fused(
    distributions: Distributions, typed: bool
) -> None:
    distributions.add("acme-ops", {"ingot.ops": {"com.acme": "acme_ops:OPERATORS"}}, {"acme_ops": OPERATORS})
    artifacts = ingot.build(_with_double(typed), "interp", name="m")
    info = artifacts.models()["m"]
    assert len(info.calls) == 1, "its loops are fused with those of ingot's own operators"
    np.testing.assert_array_equal(artifacts.load()["m"](ingot.cpu(0)).predict(x=X), -np.maximum(X, 0) * 3)


def test_operators_of_a_package_are_not_imported_for_a_model_without_them(
    distributions: Distributions,
) -> None:
    distributions.add("acme-ops", {"ingot.ops": {"com.acme": "acme_ops:OPERATORS"}}, {"acme_ops": "1 / 0"})
    ingot.build(model("g (float[2] x) => (float[2] y) { y = Relu(x) }"), "interp", name="m")
    with pytest.raises(ingot.LoadError, match=r"'com.acme' .* of package acme-ops 1.0, cannot be imported"):
        ingot.build(_with_double(), "interp", name="m")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("TWICE", "offers Double from version 1 on twice"),
        ("FOREIGN", "must offer a tuple of OpDef of that domain"),
        ("lower", "must offer a tuple of OpDef of that domain"),
        ("FAILS", r"acme_ops:FAILS of package acme-ops 1\.0, failed: ZeroDivisionError"),
        ("NOTHING", r"of package acme-ops 1\.0, must give a tuple of Tensor, got \(1,\)"),
    ],
)
def test_operators_that_are_offered_wrongly_are_refused_with_the_name_of_who_does(
    distributions: Distributions, name: str, words: str
) -> None:
    distributions.add("acme-ops", {"ingot.ops": {"com.acme": f"acme_ops:{name}"}}, {"acme_ops": OPERATORS})
    with pytest.raises(ingot.LoadError, match=words):
        ingot.build(_with_double(), "interp", name="m")


def test_a_build_with_operators_of_a_package_is_not_taken_from_the_cache(
    distributions: Distributions, tmp_path: Path
) -> None:
    folder = distributions.add(
        "acme-ops", {"ingot.ops": {"com.acme": "acme_ops:OPERATORS"}}, {"acme_ops": OPERATORS}
    )
    kept = tmp_path / "kept"
    first = ingot.build(_with_double(), "interp", name="m", cache=kept)
    (folder / "acme_ops.py").write_text(OPERATORS.replace("* factor", "* factor * 2.0"))
    del sys.modules["acme_ops"]
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    second = ingot.build(_with_double(), "interp", name="m", cache=kept)
    sys.dont_write_bytecode = before
    assert first.digest() != second.digest()
