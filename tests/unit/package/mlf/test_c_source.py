"""The C interface of a model in an archive has each name once."""

import pytest

from ingot.artifact.model_info import MemoryInfo, ModelInfo, TargetInfo, TensorInfo
from ingot.base.errors import ArtifactError
from ingot.base.tensor import DType
from ingot.package.mlf.c_source import header


def test_the_first_size_that_is_there_twice_is_named():
    inputs = tuple(TensorInfo(name, DType.FLOAT32, (4,)) for name in ("x", "workspace", "y"))
    outputs = (TensorInfo("Y", DType.FLOAT32, (4,)),)
    target = TargetInfo("host", "c", "c", "cpu", (), MemoryInfo(64, 0, 64, 64), "")
    with pytest.raises(ArtifactError, match="two sizes would both be TVMGEN_M_Y_SIZE in C; rename a tensor"):
        header(ModelInfo("m", "m", inputs, outputs, (target,), ("aot",)), 7)
