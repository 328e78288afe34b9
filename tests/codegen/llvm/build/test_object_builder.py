"""Kernels are compiled in a thread beside the one that writes them, or without it."""

from __future__ import annotations

import threading

import pytest

import ingot
from tests.support.models import model


def test_a_build_needs_no_second_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    proto = model("g (float[3,5] x) => (float[3,3] y) { r = Relu(x) t = Transpose(r) y = MatMul(r, t) }")
    usual = [(one.file_name, bytes(one.content)) for one in ingot.build(proto, "llvm", cache=None)]

    def none(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none)
    assert [(one.file_name, bytes(one.content)) for one in ingot.build(proto, "llvm", cache=None)] == usual
